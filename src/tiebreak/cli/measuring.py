"""Runs of a study and of a store: which store is meant, progress, the way on, errors in the words of the study."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.process import CommandError, Terminated, say
from tiebreak.errors import (
    Advice,
    DataError,
    InvalidParameterError,
    LostWorkersError,
    Setting,
    StoreError,
    TiebreakError,
    UnknownNameError,
)
from tiebreak.stores import is_address, split_address

if TYPE_CHECKING:
    from tiebreak.evaluation.progress import Progress
    from tiebreak.evaluation.run_options import Run
    from tiebreak.study_file import Study

VARIABLE = "TIEBREAK_STORE"

store_option = click.Option(
    ["--store"],
    metavar="URL",
    help=f"Where results are kept, such as sqlite:///runs.db. If not given: {VARIABLE}, or for a named run a file here called "
    "after it.",
)

_LONGEST = 60
"""Characters of a name that becomes one of a file."""


def store_for_study(given: str | None, of_study: str | None, name: str) -> str:
    """The URL of the store for a study.

    Parameters
    ----------
    given : str or None
        By ``--store``.
    of_study : str or None
        By the study file.
    name : str
        Of the study, which gives a file in this folder its name where nothing else says where results go.
    """
    chosen = given or of_study or os.environ.get(VARIABLE)
    if chosen:
        return chosen
    url = _file_named(name)
    say(f"the store is {url} in this folder (--store or {VARIABLE} names another)")
    return url


def find_run(run: str, given: str | None) -> tuple[str, str]:
    """URL and name of a stored run.

    Parameters
    ----------
    run : str
        Its name, or a store and its name, which may be left out where it is the only one: ``sqlite:///runs.db#cancer``.
    given : str or None
        By ``--store``.
    """
    if not given and is_address(run):
        return split_address(run)
    own = _file_named(run)
    is_own = not (given or os.environ.get(VARIABLE)) and Path(own.removeprefix("sqlite:///")).exists()
    return own if is_own else find_store(given), run


def find_store(given: str | None, how: str = "--store sqlite:///FILE,") -> str:
    """URL of the store for a command that means all of it; `how` it is given is said where it is not."""
    chosen = given or os.environ.get(VARIABLE)
    if not chosen:
        here = sorted(path.name for path in Path().glob("*.db"))
        found = f" In this folder: {', '.join(f'sqlite:///{name}' for name in here[:3])}." if here else ""
        raise CommandError(f"which store? Give {how} or set {VARIABLE}.{found}")
    return chosen


def typed(name: str, otherwise: str) -> str:
    """A name as it may be typed in a shell; another word for it where it is too long for that, or holds what no keyboard has."""
    return shlex.quote(name if len(name) <= 4 * _LONGEST and name.isprintable() else otherwise)


def _file_named(name: str) -> str:
    """A file in this folder; no name becomes a path to somewhere else."""
    stem = re.sub(r"[^\w.-]+", "_", name)[:_LONGEST].lstrip(".") or "runs"
    return f"sqlite:///{stem}.db"


_KEYS = {"rng": "seed", "scoring": "metrics"}
"""Settings that are called otherwise in a study file."""


@contextmanager
def run_of(typed: dict[str, Any], study: Study, url: str, name: str) -> Iterator[Run]:
    """The run of a study in a store, by the options as typed; None leaves it to the study.

    Its progress is shown: a bar on a terminal, lines elsewhere, and nothing where it is to be quiet. Whatever ends it early, it
    is said what is kept and how to go on.
    """
    dask = typed.get("dask")
    show: Callable[[Progress], object] | None = None
    if not typed["quiet"] and sys.stderr is not None:
        from tiebreak.views import progress as views

        show = views.bar() if sys.stderr.isatty() else views.lines(say)
    last: Progress | None = None

    def report(progress: Progress) -> None:
        nonlocal last
        last = progress
        if show is not None:
            show(progress)

    try:
        yield {
            "store": url,
            "name": name,
            "n_jobs": 1 if dask else study.n_jobs if typed["n_jobs"] is None else typed["n_jobs"],
            "runner": dask,
            "threads_per_fit": study.threads_per_fit,
            "timeout": typed["timeout"] or study.timeout,
            "retry_failed": typed["retry_failed"],
            "accept_versions": typed["accept_versions"],
            "progress": report,
        }
    except (KeyboardInterrupt, Terminated, StoreError, LostWorkersError):
        if last is not None:
            from tiebreak.stores.postgres import masked

            kept = last.n_done + last.n_failed
            say(f"{kept} of {last.n_cells} cells are kept in {masked(url)}. The same command goes on from there.")
        raise


def error_of_study(study: Study, error: TiebreakError) -> TiebreakError:
    """An error in the words of a study file; one about what the file asks for says so."""
    parts = (_as_written(part) for part in error.parts)
    is_asked = isinstance(error, DataError | InvalidParameterError | UnknownNameError)
    if is_asked and not str(error).startswith(str(study.file)):
        return InvalidParameterError(f"{study.file}: ", *parts)
    return type(error)(*parts)


def _as_written(part: str | Setting | Advice) -> str | Setting | Advice:
    """A part of a message as a study file has it, e.g. ``rng=1`` as ``seed = 1``."""
    if isinstance(part, Advice) and part.study is not None:
        return part.study
    if isinstance(part, Setting) and part.name in _KEYS:
        return f"{_KEYS[part.name]} = {part.value}"
    return part


# --- options of a run -------------------------------------------------------------------------------------------------------


def _address(typed: str) -> str:
    if "://" not in typed:
        raise click.BadParameter(f"{typed!r} is no address of a scheduler, such as tcp://host:8786 or tls://host:8786.")
    return typed


local_run_options = (
    click.Option(
        ["--n-jobs"], type=int, metavar="N", help="Worker processes; -1 for all cores.  [default: as the study says, or 1]"
    ),
    click.Option(
        ["--timeout"],
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Give up a cell (one model on one split) after this time.",
    ),
    click.Option(["--retry-failed"], is_flag=True, help="Measure again what failed before."),
    click.Option(["--accept-versions"], is_flag=True, help="Go on with a run that was begun with other versions of libraries."),
    click.Option(["--quiet"], is_flag=True, help="Show no progress."),
)
"""Options of a run on this machine, which begins at once."""

run_options = (
    click.Option(
        ["--dask"],
        metavar="ADDRESS",
        type=_address,
        help="Measure on the workers of this Dask scheduler, such as tcp://host:8786.",
    ),
    click.Option(["--dry-run"], is_flag=True, help="Say what would be measured, and how long it may take; measure nothing."),
    *local_run_options,
)
