"""Measuring from the command line: progress, the way on after an interruption, errors in the words of the study."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tiebreak.cli.process import Terminated, say
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

if TYPE_CHECKING:
    from tiebreak.evaluation.progress import Progress
    from tiebreak.study_file import Study


_KEYS = {"rng": "seed", "scoring": "metrics"}
"""Settings that are called otherwise in a study file."""


@contextmanager
def watched(quiet: bool, how_to_go_on: Callable[[Progress], str]) -> Iterator[Callable[[Progress], None]]:
    """Show the progress that is reported; whatever ends the run early, say what is kept and how to go on.

    It is a bar on a terminal, lines elsewhere, and nothing where it is to be `quiet`.
    """
    show: Callable[[Progress], object] | None = None
    if not quiet and sys.stderr is not None:
        from tiebreak.views import progress as views

        show = views.bar() if sys.stderr.isatty() else views.lines(say)
    last: Progress | None = None

    def report(progress: Progress) -> None:
        nonlocal last
        last = progress
        if show is not None:
            show(progress)

    try:
        yield report
    except (KeyboardInterrupt, Terminated, StoreError, LostWorkersError):
        if last is not None:
            say(how_to_go_on(last))
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
