"""The fault suite: every fault in turn, and one table of what each did.

    make reliability                                  as many points as before a release: some twenty minutes
    python tests/reliability/suite.py --small         as few as for every change
    python tests/reliability/suite.py --only kill-wal --only writers --points 50
    python tests/reliability/suite.py --page docs/reliability.md      also writes the table into the page
    python tests/reliability/suite.py --only writers --lines >> tried.txt      and later, with --only clock --also tried.txt,
                                                      both in one table

A fault that this system does not allow is named with the reason, and is not counted. The exit code is 1 if a promise was broken,
or, with --no-skips, if a fault could not be tried.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import tiebreak
from tests.reliability import (
    archives,
    bad_models,
    clock,
    damage,
    dask_fault,
    full_disk,
    kills,
    openers,
    power_cuts,
    sharing,
    signals,
    strangers,
    sweep,
    upgrades,
    writers,
)
from tests.reliability.fault import Fault, Recipe, UnavailableError, markdown_table, text_table

ROOT = Path(__file__).parents[2]

RECIPES: dict[str, Recipe] = {
    "writers": writers.RECIPE,
    **dict(sweep.recipes()),
    **dict(power_cuts.recipes()),
    "full-disk": full_disk.RECIPE,
    "runner": kills.RECIPE,
    "bad-models": bad_models.RECIPE,
    "dask": dask_fault.RECIPE,
    "openers": openers.RECIPE,
    **dict(sharing.recipes()),
    "clock": clock.RECIPE,
    **dict(damage.recipes()),
    **dict(upgrades.recipes()),
    **dict(signals.recipes()),
    "strangers": strangers.RECIPE,
    "archives": archives.RECIPE,
}

SCRIPTS = {"postgres": "postgres_faults.py"}
"""Scripts beside this one that print a line, as `Fault.line` makes it, for each of several faults. The variable TIEBREAK_FAULTS
tells them how much to do: "small" or "release"."""

BEGIN, END = "<!-- table: written by tests/reliability/suite.py -->", "<!-- end of the table -->"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite."""
    chosen = _parse(arguments)
    faults = [fault for file in chosen.also for fault in Fault.read(file.read_text(encoding="utf-8"))]
    for name in chosen.only or [*RECIPES, *SCRIPTS]:
        start = time.monotonic()
        found = run_script(name, small=chosen.small) if name in SCRIPTS else [try_fault(name, chosen)]
        for fault in found:
            faults.append(fault)
            print(_told(name, fault, time.monotonic() - start), file=sys.stderr, flush=True)
            if chosen.lines:
                print(fault.line(), flush=True)
    if not chosen.lines:
        print(text_table(faults))
        print(totals(faults))
    if chosen.page:
        write_page(chosen.page, faults)
    is_right = all(fault.is_as_promised for fault in faults if not fault.skipped)
    return 0 if is_right and not (chosen.no_skips and any(fault.skipped for fault in faults)) else 1


def try_fault(name: str, chosen: argparse.Namespace) -> Fault:
    """One fault, in a folder of its own."""
    recipe = RECIPES[name]
    n_points = chosen.points or (recipe.n_small if chosen.small else recipe.n_release)
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        try:
            return recipe.run(Path(folder), n_points, random.Random(f"{chosen.seed} {name}"), chosen.n_jobs)
        except UnavailableError as error:
            return Fault(name, skipped=str(error))


def run_script(name: str, *, small: bool) -> list[Fault]:
    """The faults of a script beside this one."""
    script = Path(__file__).with_name(SCRIPTS[name])
    if not script.exists():
        return []
    settings = {**os.environ, "TIEBREAK_FAULTS": "small" if small else "release"}
    done = subprocess.run([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=settings)
    found = Fault.read(done.stdout)
    if done.returncode and all(fault.is_as_promised for fault in found):
        text = f"{script.name} ended with exit code {done.returncode}: {done.stdout[-500:]}"
        found.append(Fault(name, points=1, broken=(text,)))
    return found


def totals(faults: Sequence[Fault]) -> str:
    """In a sentence."""
    tried = [fault for fault in faults if not fault.skipped]
    n_points, n_kills, n_rows = (sum(getattr(fault, name) for fault in tried) for name in ("points", "n_kills", "acknowledged"))
    lost, doubled, corrupt = (sum(getattr(fault, name) for fault in tried) for name in ("lost", "doubled", "corrupt"))
    return (
        f"{n_points:,} points, {n_kills:,} of them kills; {n_rows:,} rows acknowledged, {lost} lost, {doubled} doubled, "
        f"{corrupt} corrupt."
    )


def write_page(page: Path, faults: Sequence[Fault]) -> None:
    """Put the table between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    made_on = (
        f"tiebreak {tiebreak.__version__}, {time.strftime('%Y-%m-%d', time.gmtime())}: Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}, {platform.system()}, {os.cpu_count()} cores."
    )
    notes = [f"- {fault.name}: {fault.remark}." for fault in faults if fault.remark]
    body = "\n".join([BEGIN, "", totals(faults), "", markdown_table(faults), "", made_on, "", *notes, "", END])
    page.write_text(before + body + after, encoding="utf-8")


def _told(name: str, fault: Fault, seconds: float) -> str:
    """For whoever waits."""
    if fault.skipped:
        return f"{name}: NOT TRIED: {fault.skipped}"
    state = "as promised" if fault.is_as_promised else "A PROMISE WAS BROKEN"
    lines = [f"{name}: {fault.points} points in {seconds:.0f} s, {state}. {fault.remark}", *fault.broken[:5]]
    return "\n  ".join(lines)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=[*RECIPES, *SCRIPTS], help="a fault; may be given several times")
    parser.add_argument("--small", action="store_true", help="as few points as for every change")
    parser.add_argument("--points", type=int, help="how many points of each fault, instead")
    parser.add_argument("--n-jobs", type=int, default=2, help="processes that share the points of a fault")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32), help="of the moments and places")
    parser.add_argument("--folder", type=Path, help="where the stores are made")
    parser.add_argument("--lines", action="store_true", help="one line of JSON for each fault instead of the table")
    parser.add_argument("--also", action="append", type=Path, default=[], help="faults tried before, as --lines wrote them")
    parser.add_argument("--no-skips", action="store_true", help="a fault that cannot be tried is a failure")
    parser.add_argument("--page", type=Path, help="a Markdown page whose table is written afresh")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
