"""Output of a command: its options, declared once, and what they do with any result."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.process import CommandError, command_line, emit, reason, say, waiting

if TYPE_CHECKING:
    from tiebreak.views.page import Page
    from tiebreak.views.view import View

FORMATS = ("table", "json", "csv", "markdown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Forms of an answer, as typed."""

    format_: str = FORMATS[0]
    details: bool = False
    raw: bool = False
    plots: Path | None = None
    html: Path | None = None

    @property
    def is_text(self) -> bool:
        """True where the answer is for people, and words may stand around it."""
        return self.format_ == FORMATS[0]

    def prepare(self, sources: Sequence[str] = ()) -> None:
        """Refuse what cannot be written, before the work: it should not cost the answer."""
        if self.raw and self.format_ != "csv":
            raise click.UsageError("--raw goes with --format csv.")
        check_apart("--html", self.html, sources)
        if self.plots is not None:
            from tiebreak.views.json import make_folder

            try:
                make_folder(self.plots)
            except OSError as error:
                raise CommandError(f"the folder {str(self.plots)!r} cannot be used: {reason(error)}") from error

    def check_single(self, n: int, what: str, how: str) -> None:
        """Refuse a format that holds one answer where there are several."""
        if n > 1 and not self.is_text:
            raise click.UsageError(f"the study has {n} datasets, and so as many {what}; --format {self.format_} holds one. {how}")

    def write(self, result: Any) -> None:
        """Print a result, draw it, and write its report, as asked."""
        from tiebreak.result import view_of

        self.show(result)
        self.draw(result)
        self.report(functools.partial(view_of(result).as_html, result, None))

    def show(self, result: Any, *choices: Any, view: View | None = None, end: str = "") -> None:
        """Print a result, by its own view or another; `end` stands after the text."""
        from tiebreak.result import view_of

        view = view or view_of(result)
        layout = {"columns": "all"} if self.details else {}
        if self.format_ == "json":
            from tiebreak.views.json import json_pieces

            emit(json_pieces(view.facts(result, *choices)))
            emit("\n")
        elif self.format_ == "csv":
            from tiebreak.views.columns import csv_lines

            emit(csv_lines(view.columns(result), raw=self.raw), raw=self.raw)
        elif self.format_ == "markdown":
            emit(view.page(result, *choices, **layout).as_markdown())
        else:
            emit_page(view.page(result, *choices, **layout), end)

    def draw(self, result: Any, *under: str) -> None:
        """Save all plots of a result in the folder, or in one below it, and say where they are."""
        if self.plots is None:
            return
        folder = self.plots.joinpath(*under)
        with writing("the plots", folder):
            paths = result.plot.save_all(folder)
        say(f"{len(paths)} plots are in {folder}" if len(paths) > 1 else f"{paths[0].name} is in {folder}")

    def report(self, make: Callable[..., str], **heading: Any) -> None:
        """Write the report that `make` makes under this heading, which says by what command; and say where it is."""
        if self.html is None:
            return
        from tiebreak.views.json import write_whole

        with waiting("making the report"):
            text = make(command=command_line(), **heading)
        with writing("the report", self.html):
            write_whole(self.html, text.encode())
        say(f"the report is in {self.html}")


def emit_page(page: Page, end: str = "") -> None:
    """Write a page: fitted to the window where standard output is a terminal, else as text, with `end` after it."""
    if sys.stdout is None or not sys.stdout.isatty():
        emit(page.as_text() + end)
        return
    page.print()
    emit(end.removeprefix("\n"))


@contextmanager
def writing(what: str, place: object) -> Iterator[None]:
    """Name what could not be written, where and why."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{what} could not be written to {str(place)!r}: {reason(error)}") from error


def check_apart(option: str, path: Path | None, sources: Sequence[str]) -> None:
    """Refuse to write over what is read."""
    if path is not None and str(path) in sources:
        raise click.UsageError(f"{option} would write over {str(path)!r}, which is read.")


# --- options --------------------------------------------------------------------------------------------------------------

Command = Callable[..., None]


def _report_file(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    """A file that can be written, said before the work: a wrong folder should not cost the answer."""
    if value is None:
        return None
    if value.suffix.lower() not in (".html", ".htm"):
        raise click.BadParameter(f"{str(value)!r} does not end in .html.")
    if value.is_dir() or not value.parent.is_dir():
        what = "is a folder" if value.is_dir() else "is in a folder that is not there"
        raise click.BadParameter(f"{str(value)!r} {what}.")
    return value


REPORT: dict[str, Any] = {"type": click.Path(path_type=Path), "metavar": "FILE", "callback": _report_file}

_OPTIONS = {
    "format": click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default=FORMATS[0],
        show_default=True,
        help="How it is written; csv holds the numbers.",
    ),
    "details": click.option("--details", is_flag=True, help="Add all pairs, notices, the method."),
    "raw": click.option("--raw", is_flag=True, help="With csv: names as they are, formulas too."),
    "plots": click.option("--plots", type=click.Path(path_type=Path), metavar="DIR", help="Draw all plots into this folder."),
    "html": click.option("--html", **REPORT, help="Write the report, which opens offline."),
}


def output_options(*names: str) -> Callable[[Command], Command]:
    """Options of the answer, all of them or those that are named; the command gets them as one `Output`."""

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def called(*arguments: Any, **typed: Any) -> None:
            given = {name: typed.pop(name) for name in Output.__slots__ if name in typed}
            command(*arguments, output=Output(**given), **typed)

        for name in reversed(names or tuple(_OPTIONS)):
            called = _OPTIONS[name](called)
        return called

    return decorate
