"""Whether a holder lives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.stores.sql.leases import LONGEST_STEP, Watch, is_gone, own_place

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not say when a process began")


def a_holder(number: int, beat: int, place: dict[str, Any] | None = None) -> tuple[Any, ...]:
    """A row, of another machine unless told otherwise."""
    return (1, number, beat, json.dumps(place or {"machine": "another", "process": 1, "begun": "1"}), 0)


def test_this_process_is_not_gone():
    """Whatever else can be told of it."""
    assert not is_gone(own_place())


def test_a_process_of_another_machine_is_not_known_to_be_gone():
    """Its number means nothing here."""
    assert not is_gone({**own_place(), "machine": "another", "process": 2**22 + 1})


@LINUX
def test_a_process_that_ended_is_gone():
    """Waited for by its parent or not."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        text = Path(f"/proc/{process.pid}/stat").read_text()
        place = {**own_place(), "process": process.pid, "begun": text.rpartition(")")[2].split()[19]}
        assert not is_gone(place)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_gone(place)
    assert is_gone(place)


@LINUX
def test_another_process_of_the_same_number_is_not_the_holder():
    """Numbers are given again."""
    assert is_gone({**own_place(), "process": os.getppid(), "begun": "0"})


def test_a_silent_holder_dies_after_the_time():
    """Looked at every second, with 10 s to show something: it lives at 9 s and is dead at 10 s."""
    now = [0.0]
    watch = Watch(10, clock=lambda: now[0])
    lives = []
    for second in range(12):
        now[0] = float(second)
        lives.append(watch.living([a_holder(7, 1)]) == {7})
    assert lives == [True] * 10 + [False] * 2


def test_a_beat_makes_it_live_again():
    """Even one that was taken for dead."""
    now = [0.0]
    watch = Watch(4, clock=lambda: now[0])
    for second in range(6):
        now[0] = float(second)
        last = watch.living([a_holder(7, 1)])
    assert last == set()
    assert watch.living([a_holder(7, 2)]) == {7}


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.booleans()), min_size=1, max_size=30))
def test_a_clock_that_jumps_makes_nobody_late(steps):
    """However far it goes on or back between two looks, a step counts 5 s at most: fewer than 12 of them are no minute."""
    now = [0.0]
    watch = Watch(60, clock=lambda: now[0])
    beat = n_silent = 0
    watch.living([a_holder(1, 0)])
    for step, has_beaten in steps:
        now[0] += step
        beat += has_beaten
        n_silent = 0 if has_beaten else n_silent + 1
        alive = watch.living([a_holder(1, beat)])
        if n_silent * LONGEST_STEP < 60:
            assert alive == {1}


def test_those_who_are_gone_are_forgotten():
    """A holder that is not among the rows any more does not count, nor does one whose process has ended."""
    watch = Watch(60)
    assert watch.living([a_holder(1, 0), a_holder(2, 0)]) == {1, 2}
    assert watch.living([a_holder(2, 0)]) == {2}
