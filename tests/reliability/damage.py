"""Files that are not what was written: single bits flipped, and ends cut off."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.contracts.plans import a_dataset, a_failure, a_plan, all_cells, an_outcome
from tests.reliability.fault import Fault, Recipe
from tests.stores.sql.test_check import raw_rows, read_all
from tiebreak.errors import StoreError
from tiebreak.stores.sql.store import SqlStore


def write_two_runs(path: Path) -> int:
    """A store with two runs; how many cells it has."""
    store = SqlStore(path)
    plan = a_plan(datasets=(a_dataset("iris"), a_dataset("wine", keys=[(0, 0)])))
    cells = all_cells(plan)
    store.open(plan).write([*(an_outcome(cell, train_scores={"accuracy": 1.0}) for cell in cells[:-1]), a_failure(cells[-1])])
    other = store.open(a_plan("other", models=[f"m{i}" for i in range(4)]))
    more = all_cells(other.record)
    other.write([an_outcome(cell) for cell in more])
    store.close()
    return len(cells) + len(more)


def _damaged(name: str, folder: Path, n_points: int, change: Callable[[bytes], bytes], *, always_noticed: bool) -> Fault:
    """Read the store after each change: what still comes without an error is what was written, and what changed is reported."""
    path = folder / "runs.db"
    n_rows = write_two_runs(path)
    written = path.read_bytes()
    right, rows = read_all(path), raw_rows(path)
    lost = corrupt = n_changed = 0
    longest, broken = 0.0, []
    for turn in range(n_points):
        content = change(written)
        path.write_bytes(content)
        is_changed = always_noticed or raw_rows(path) != rows
        path.write_bytes(content)  # a journal or the like may have been rolled back
        start = time.perf_counter()
        answers = _answers(path)
        longest = max(longest, time.perf_counter() - start)
        errors = {name: answer for name, answer in answers.items() if isinstance(answer, Exception)}
        wrong = [name for name in {*right} - {*errors, "check"} if answers[name] != right[name]]
        is_silent = is_changed and not errors and not answers["check"]
        n_changed += is_changed
        corrupt += bool(wrong or is_silent)
        if wrong or is_silent or (errors and not answers["check"]):
            broken.append(
                f"change {turn}: other answers of {wrong}, silent: {is_silent}, errors {errors}, check {answers['check']}"
            )
    remark = f"{n_changed} of {n_points} changed a row or the size, all of them reported" if not broken else ""
    return Fault(name, n_points, n_rows, lost, 0, corrupt, longest, broken=tuple(broken), remark=remark)


def _answers(path: Path) -> dict[str, Any]:
    """As `read_all`; a file without anything in it is no store."""
    try:
        return read_all(path)
    except StoreError as error:
        return dict.fromkeys(("runs", "moons", "other", "check"), error)


def flip_bits(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """One bit at a time."""

    def flip(written: bytes) -> bytes:
        content = bytearray(written)
        bit = rng.randrange(8 * len(written))
        content[bit // 8] ^= 1 << (bit % 8)
        return bytes(content)

    return _damaged("one bit of the file flipped", folder, n_points, flip, always_noticed=False)


def cut_off(folder: Path, n_points: int, rng: Random, n_jobs: int) -> Fault:
    """The file ends somewhere."""
    return _damaged(
        "the file cut off", folder, n_points, lambda written: written[: rng.randrange(len(written))], always_noticed=True
    )


def recipes() -> Iterator[tuple[str, Recipe]]:
    """Both."""
    yield "bit-flips", Recipe(flip_bits, n_small=20, n_release=1000)
    yield "cut-files", Recipe(cut_off, n_small=10, n_release=100)
