"""The faults of ``postgres_faults.py`` in small."""

from __future__ import annotations

import json
import random

import pytest

from tests.postgres import Server
from tests.reliability.postgres_faults import Toll, cut, kill, load

pytestmark = pytest.mark.slow


def check(toll: Toll) -> None:
    """As promised, in words where it is not."""
    assert (toll.lost, toll.doubled, toll.corrupt, toll.broken) == (0, 0, 0, [])
    assert toll.is_as_promised
    assert json.loads(toll.line().removeprefix("FAULT "))["acknowledged"] == toll.acknowledged


def test_connections_that_are_cut(postgres_server: Server) -> None:
    """Three writers, ten times."""
    toll = cut(postgres_server, n_writers=3, seconds=2.2)
    check(toll)
    assert toll.points >= 10


def test_a_server_that_is_killed(postgres_server: Server) -> None:
    """Under three writers, twice; they go on by themselves."""
    toll = kill(postgres_server, n_writers=3, n_kills=2, rng=random.Random(7))
    check(toll)
    assert toll.n_kills == 2


def test_many_connections(postgres_server: Server) -> None:
    """Sixteen of them, in eight processes."""
    toll = load(postgres_server, n_connections=16, seconds=2.0)
    check(toll)
    assert toll.points == 16


def test_a_toll_that_is_not_as_promised() -> None:
    """Nothing tried is no proof, and whatever is lost, doubled or corrupt breaks a promise."""
    good = {"points": 1, "acknowledged": 1}
    assert Toll("a", **good).is_as_promised
    for change in ({"points": 0}, {"acknowledged": 0}, {"lost": 1}, {"doubled": 1}, {"corrupt": 1}, {"broken": ["x"]}):
        assert not Toll("a", **{**good, **change}).is_as_promised  # type: ignore[arg-type]
