"""Waiting for a server: how long, how it is told, and who is not kept waiting."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tiebreak.errors import StoreError
from tiebreak.stores.sql import database as transactions
from tiebreak.stores.sql.connection import Connection
from tiebreak.stores.sql.database import Database, LostStoreError
from tiebreak.stores.sql.sqlite import SqliteDatabase


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A store that is waited for."""
    database = SqliteDatabase(str(tmp_path / "runs.db"))
    database.write(lambda connection: None, create=True)
    database.patience = 60
    yield database
    database.close()


@pytest.fixture
def clock(database: Database, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Instead of the real one, once the store is there."""
    clock = Clock()
    monkeypatch.setattr(transactions, "time", clock)
    return clock


def lost_until(n_attempts: int) -> Callable[[Connection], int]:
    """An attempt that is interrupted until it was made so often."""
    attempts: list[int] = []

    def attempt(connection: Connection) -> int:
        attempts.append(1)
        if len(attempts) < n_attempts:
            raise LostStoreError("The store is lost.", "Lost.") from OSError("cut")
        return len(attempts)

    return attempt


def test_an_attempt_that_succeeds_is_made_once(database: Database, clock: Clock) -> None:
    """And nobody sleeps."""
    assert database.read(lost_until(1)) == 1
    assert clock.pauses == []


def test_pauses_grow_and_are_not_in_step(database: Database, clock: Clock) -> None:
    """Between a half and the whole of 0.05, 0.1, 0.2, ... 2 seconds."""
    database.patience = 1000
    assert database.read(lost_until(40)) == 40
    longest = [min(2.0, 0.05 * 2**i) for i in range(39)]
    assert all(0.5 * most <= pause <= most for pause, most in zip(clock.pauses, longest, strict=True))
    assert len({round(pause, 6) for pause in clock.pauses}) > 30


def test_it_is_told_once_when_it_takes_longer(database: Database, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """After a second, to the logger of the package, and once more when it is over; a short interruption is not worth a word."""
    with caplog.at_level(logging.WARNING, "tiebreak"):
        database.read(lost_until(4))
        assert caplog.messages == []
        database.read(lost_until(20))
    assert caplog.messages[0] == "Lost. Waiting for it, for up to 60 seconds."
    assert caplog.messages[1].startswith("The store is there again, after ")
    assert len(caplog.messages) == 2


def test_the_time_is_up(database: Database, clock: Clock) -> None:
    """The last thing that was said, how often it was tried, and the first cause; the limit is kept to."""
    database.patience = 10
    with pytest.raises(LostStoreError) as error:
        database.read(lost_until(10**6))
    assert str(error.value).startswith("The store is lost. (Tried ")
    assert str(error.value).endswith(" times in 10 seconds.)")
    assert isinstance(error.value.__cause__, OSError)
    assert clock.now == pytest.approx(110)


def test_without_patience(database: Database, clock: Clock) -> None:
    """One attempt, and its own words."""
    database.patience = 0
    with pytest.raises(LostStoreError) as error:
        database.read(lost_until(2))
    assert str(error.value) == "The store is lost."
    assert clock.pauses == []


def test_other_errors_are_passed_on(database: Database, clock: Clock) -> None:
    """A full disk is not waited for."""

    def attempt(connection: Connection) -> None:
        raise StoreError("full")

    with pytest.raises(StoreError, match="full"):
        database.read(attempt)
    assert clock.pauses == []


def test_who_interrupts_the_wait_does_not_wait_again(database: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the way out things are asked of the store: those fail at once, until it has answered again."""

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(clock, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        database.read(lost_until(2))
    with pytest.raises(LostStoreError):
        database.read(lost_until(2))
    assert database.read(lost_until(1)) == 1
    with pytest.raises(KeyboardInterrupt):
        database.read(lost_until(2))


def test_the_real_clock(database: Database) -> None:
    """Once without the fixture: a short wait ends in success."""
    begun = time.monotonic()
    assert database.read(lost_until(3)) == 3
    assert time.monotonic() - begun >= 0.05 / 2 + 0.1 / 2
