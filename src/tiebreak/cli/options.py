"""Options that several commands share, and what they do with any result."""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli import version_page
from tiebreak.cli.process import command_line, emit, say, waiting
from tiebreak.result import view_of

if TYPE_CHECKING:
    from tiebreak.readers.folder import Results
    from tiebreak.views.page import Page
    from tiebreak.views.view import View


def show(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Print the version or the page of help, as answers are printed: a reader that goes away early is no error."""
    if wanted and not context.resilient_parsing:
        emit((version_page() if option.name == "version" else context.get_help()) + "\n")
        context.exit()


help_option = click.help_option("-h", "--help", callback=show)
direction_options = (
    click.Option(["--lower-is-better/--higher-is-better"], default=None, help="Of a metric that is not known."),
    click.Option(
        ["--direction", "directions"],
        type=(str, click.Choice(("lower", "higher"))),
        multiple=True,
        metavar="METRIC lower|higher",
        help="The same for one metric. Repeatable.",
    ),
)


def with_direction(values: dict[str, Any]) -> dict[str, Any]:
    """Values as typed, with one in the place of the two of `direction_options`: True where lower is better, or by metric."""
    typed, for_all = dict.fromkeys(values.pop("directions")), values["lower_is_better"]
    ways = {metric: way == "lower" for metric, way in typed}
    if len(ways) < len(typed) or (ways and for_all is not None):
        raise click.UsageError("give one direction of a metric, by --direction or for all by --lower-is-better.")
    return {**values, "lower_is_better": ways or for_all}


def as_rope(typed: str) -> float | str:
    """A number where it is one; else the text, which the library reads as a percentage or refuses."""
    try:
        return float(typed)
    except ValueError:
        return typed


# of a repeatable option that was not used None, as of any other
NAMES: dict[str, Any] = {"multiple": True, "callback": lambda context, option, typed: typed or None, "metavar": "NAME"}
NAME: dict[str, Any] = {"metavar": "NAME"}
FILE: dict[str, Any] = {"type": click.Path(path_type=Path, dir_okay=False), "metavar": "FILE"}
COUNT: dict[str, Any] = {"type": click.IntRange(min=1), "metavar": "N"}
ROPE: dict[str, Any] = {"type": as_rope, "metavar": "WIDTH"}


FORMATS = ("table", "json", "csv", "markdown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """Forms of an answer, as typed."""

    format_: str = FORMATS[0]
    details: bool = False
    raw: bool = False
    plots: Path | None = None
    html: Path | None = None

    @classmethod
    def of(cls, typed: dict[str, Any], sources: Sequence[str] = ()) -> Output:
        """Forms of the answer, taken out of all that was typed; what cannot be written is refused before the work."""
        output = cls(**{name: typed.pop(name) for name in cls.__slots__ if name in typed})
        if output.raw and output.format_ != "csv":
            raise click.UsageError("--raw goes with --format csv.")
        check_apart("--html", output.html, sources)
        if output.plots is not None:
            from tiebreak.views.view import make_folder

            make_folder(output.plots)
        return output

    @property
    def is_text(self) -> bool:
        """True where the answer is for people, and words may stand around it."""
        return self.format_ == FORMATS[0]

    def check_single(self, n: int, what: str, how: str) -> None:
        """Refuse a format that holds one answer where there are several."""
        if n > 1 and not self.is_text:
            raise click.UsageError(f"the study has {n} datasets, and so as many {what}; --format {self.format_} holds one. {how}")

    def write(self, result: Any, *choices: Any) -> None:
        """Print a result, draw it, and write its report, as asked."""
        self.show(result, *choices)
        self.draw(result)
        self.report(functools.partial(view_of(result).as_html, result, None, *choices))

    def show(self, result: Any, *choices: Any, view: View | None = None, end: str = "") -> None:
        """Print a result, by its own view or another; `end` stands after the text."""
        view = view or view_of(result)
        from tiebreak.views.view import csv_lines, json_pieces  # which a view has loaded

        layout = {"columns": "all"} if self.details else {}
        if self.format_ == "json":
            emit(itertools.chain(json_pieces(view.facts(result, *choices)), "\n"))
        elif self.format_ == "csv":
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
        paths = result.plot.save_all(folder)
        say(f"{len(paths)} plots are in {folder}" if len(paths) > 1 else f"{paths[0].name} is in {folder}")

    def report(self, make: Callable[..., str]) -> None:
        """Write the report that `make` makes with a heading that says by what command; and say where it is."""
        if self.html is None:
            return
        from tiebreak.views.view import write_whole

        with waiting("making the report"):
            text = make(command=command_line())
        write_whole(self.html, text.encode())
        say(f"the report is in {self.html}")


def emit_page(page: Page, end: str = "") -> None:
    """Write a page: fitted to the window where standard output is a terminal, else as text, with `end` after it."""
    if sys.stdout is None or not sys.stdout.isatty():
        emit(page.as_text() + end)
    else:
        page.print()
        emit(end.removeprefix("\n"))


def found_in(sources: Sequence[Any]) -> list[Results]:
    """Findings in folders, of the sources."""
    return [each for each in sources if hasattr(each, "left_out")]


def show_found(sources: Sequence[Any], *, on_stdout: bool) -> None:
    """Print what was found in folders: with the answer, or as a message where that is for programs."""
    for each in found_in(sources):
        if on_stdout:
            emit(f"{each!r}\n\n")
        else:
            say(repr(each), wrapped=False)


def check_apart(option: str, path: Path | None, sources: Sequence[str]) -> None:
    """Refuse to write over what is read."""
    if path is not None and str(path) in sources:
        raise click.UsageError(f"{option} would write over {str(path)!r}, which is read.")


# --- options --------------------------------------------------------------------------------------------------------------


def _report_file(typed: str) -> Path:
    """A file that can be written, said before the work: a wrong folder should not cost the answer."""
    value = Path(typed)
    if value.suffix.lower() not in (".html", ".htm"):
        raise click.BadParameter(f"{str(value)!r} does not end in .html.")
    if value.is_dir() or not value.parent.is_dir():
        raise click.BadParameter(f"{str(value)!r} is {'a folder' if value.is_dir() else 'in a folder that is not there'}.")
    return value


format_option = click.Option(
    ["--format", "format_"],
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    help="How it is written; csv holds the numbers.",
)


def _parts(_: click.Context, __: click.Parameter, typed: Sequence[str]) -> dict[str, str] | None:
    """Columns by what they hold; None where the option was not used."""
    for each in [each for each in typed if not all(each.partition("="))][:1]:
        raise click.BadParameter(f"{each!r} is not of the form PART=NAME, such as model=framework.")
    return {part.strip(): name for part, _, name in (each.partition("=") for each in typed)} or None


def _values(_: click.Context, __: click.Parameter, typed: Sequence[tuple[str, str]]) -> dict[str, list[str]] | None:
    """Values that are kept of each column; None where the option was not used."""
    return {column: [value for name, value in typed if name == column] for column, _ in typed} or None


role_options = (
    click.Option(
        ["--column", "columns"],
        multiple=True,
        metavar="PART=NAME",
        callback=_parts,
        help="What a column holds, as model=framework. Repeatable.",
    ),
    click.Option(
        ["--where"],
        nargs=2,
        multiple=True,
        metavar="COLUMN VALUE",
        callback=_values,
        help="Keep rows with this value. Repeatable.",
    ),
)
"""Options that say what the columns of a table hold, and which rows count."""

ROLES = ("columns", "where", "positive")
"""Options that `compare` of the library does not have, as they are of reading alone."""


def read_by_roles(
    read: Callable[..., Any], sources: Sequence[Any], settings: dict[str, Any], of_reading: Sequence[str]
) -> Sequence[Any]:
    """Sources as they are or, where an option says what their columns hold, what `read` finds in them.

    `ROLES` are taken out of the settings, and where one is used those `of_reading` too.
    """
    roles = {name: settings.pop(name) for name in ROLES if name in settings}
    if not any(roles.values()):
        return sources
    return [read(*sources, **{name: settings.pop(name) for name in of_reading}, **roles)]


raw_option = click.Option(["--raw"], is_flag=True, help="With csv: names as they are, formulas too.")
plots_option = click.Option(["--plots"], type=click.Path(path_type=Path), metavar="DIR", help="Draw all plots into this folder.")
html_option = click.Option(["--html"], type=_report_file, metavar="FILE", help="Write the report, which opens offline.")
output_options = (
    format_option,
    click.Option(["--details"], is_flag=True, help="Add all pairs, notices, the method."),
    raw_option,
    plots_option,
    html_option,
)
"""Options of the answer, where a command has them all."""
