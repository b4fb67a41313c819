"""Options that several commands share."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.process import emit
from tiebreak.cli.stores import VARIABLE

if TYPE_CHECKING:
    from tiebreak.evaluation.progress import Progress
    from tiebreak.evaluation.run_options import RunOptions
    from tiebreak.study_file.study import Study

FORMATS = ("table", "json", "csv", "markdown")

Command = Callable[..., None]


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A command with options, in the order of its help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def help_option(command: Any) -> Any:
    """``-h`` and ``--help``, printed as answers are: a reader that goes away early is no error."""
    return click.help_option("-h", "--help", callback=_show_help)(command)


def _show_help(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        emit(context.get_help() + "\n")
        context.exit()


store_option = click.option(
    "--store", metavar="URL",
    help=f"Where results are kept, such as sqlite:///runs.db. If not given: {VARIABLE}, or a file here named after the run.",
)  # fmt: skip
raw_option = click.option(
    "--raw", is_flag=True, help="With --format csv: names as they are, also what a spreadsheet would run or a terminal obey."
)


def direction_options(command: Command) -> Command:
    """``--lower-is-better`` for all metrics or ``--direction`` for each; the command is given them as one value."""

    @functools.wraps(command)
    def with_one_value(
        *arguments: Any, directions: Sequence[tuple[str, str]], lower_is_better: bool | None, **values: Any
    ) -> None:
        command(*arguments, lower_is_better=_lower_is_better(directions, lower_is_better), **values)

    for_all = click.option(
        "--lower-is-better/--higher-is-better", default=None, help="Direction of a metric that scikit-learn does not know."
    )
    for_each = click.option(
        "--direction", "directions", type=(str, click.Choice(("lower", "higher"))), multiple=True,
        metavar="METRIC lower|higher", help="Which is better for one of several metrics. Repeatable.",
    )  # fmt: skip
    return with_options(for_all, for_each)(with_one_value)


def _lower_is_better(typed: Sequence[tuple[str, str]], for_all: bool | None) -> bool | dict[str, bool] | None:
    """True where lower is better: for the metric, or by metric."""
    if typed and for_all is not None:
        raise click.UsageError("--direction says for each metric what --lower-is-better or --higher-is-better says for all.")
    doubled = next((metric for metric, _ in typed if len({way for of, way in typed if of == metric}) > 1), None)
    if doubled is not None:
        raise click.UsageError(f"--direction gives {doubled} two different directions.")
    return {metric: way == "lower" for metric, way in typed} or for_all


def format_option(help_line: str | None = None, formats: Sequence[str] = FORMATS) -> Callable[[Command], Command]:
    """``--format``, of which the first is the default."""
    choice = click.Choice(formats)
    return click.option("--format", "format_", type=choice, default=formats[0], show_default=True, help=help_line)


def plots_option(help_line: str) -> Callable[[Command], Command]:
    """``--plots``, a folder."""
    return click.option("--plots", type=click.Path(path_type=Path), metavar="DIR", help=help_line)


def html_option(help_line: str) -> Callable[[Command], Command]:
    """``--html``, a file."""
    return click.option("--html", type=click.Path(path_type=Path), metavar="FILE", callback=report_file, help=help_line)


def report_file(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    """A file that can be written, said before the work: a wrong folder should not cost the answer."""
    if value is None:
        return None
    if value.suffix.lower() not in (".html", ".htm"):
        raise click.BadParameter(f"{str(value)!r} does not end in .html.")
    if value.is_dir() or not value.parent.is_dir():
        raise click.BadParameter(
            f"{str(value)!r} is a folder." if value.is_dir() else f"the folder of {str(value)!r} is not there."
        )
    return value


def check_raw(raw: bool, format_: str) -> None:
    """Refuse --raw where nothing is CSV."""
    if raw and format_ != "csv":
        raise click.UsageError("--raw goes with --format csv.")


class Names(click.ParamType[Any]):
    """One name as it stands, commas included, or a JSON list of names."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The names that were meant, as a tuple."""
        if isinstance(value, str) and value.lstrip().startswith("["):
            try:
                names = json.loads(value)
            except ValueError:
                return (value,)
            if isinstance(names, list) and all(isinstance(name, str) for name in names):
                return tuple(names)
        return value if isinstance(value, tuple) else (value,)


def _joined(_: click.Context, __: click.Parameter, value: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The names of all uses of a repeatable option; None where it was not used."""
    return tuple(name for names in value for name in names) or None


def _rope(_: click.Context, __: click.Parameter, value: str | None) -> float | str | None:
    return None if value is None else as_rope(value)


def as_rope(typed: str) -> float | str:
    """A number where it is one; else the text, which the library reads as a percentage or refuses."""
    try:
        return float(typed)
    except ValueError:
        return typed


NAMES: dict[str, Any] = {"type": Names(), "multiple": True, "callback": _joined, "metavar": "NAME"}
ROPE: dict[str, Any] = {"callback": _rope, "metavar": "WIDTH"}


# --- options of a run -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TypedRun:
    """Options of a run as typed; None leaves it to the study."""

    n_jobs: int | None
    timeout: float | None
    retry_failed: bool
    accept_versions: bool
    quiet: bool
    dask: str | None = None
    dry_run: bool = False

    def options(
        self, study: Study, url: str, name: str, progress: Callable[[Progress], object] | None = None, /, **settings: Any
    ) -> RunOptions:
        """The run of a study in a store."""
        from tiebreak.evaluation.run_options import RunOptions

        return RunOptions(
            store=url,
            name=name,
            n_jobs=1 if self.dask else self.n_jobs or study.n_jobs,
            runner=self.dask,
            threads_per_fit=study.threads_per_fit,
            timeout=self.timeout or study.timeout,
            retry_failed=self.retry_failed,
            accept_versions=self.accept_versions,
            progress=progress,
            settings=settings,
        )


def _jobs(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    if value == 0:
        raise click.BadParameter("0 is no number of processes; give 1 or more, or -1 for all cores.")
    return value


def _address(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and "://" not in value:
        raise click.BadParameter(f"{value!r} is no address of a scheduler, such as tcp://host:8786 or tls://host:8786.")
    return value


# fmt: off
_RUN_OPTIONS = {
    "n_jobs": click.option("--n-jobs", type=int, metavar="N", callback=_jobs,
                           help="Worker processes; -1 for all cores.  [default: as the study says, or 1]"),
    "dask": click.option("--dask", metavar="ADDRESS", callback=_address,
                         help="Measure on the workers of this Dask scheduler, such as tcp://host:8786."),
    "timeout": click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                            help="Give up a cell (one model on one split) after this time."),
    "retry_failed": click.option("--retry-failed", is_flag=True, help="Measure again what failed before."),
    "accept_versions": click.option("--accept-versions", is_flag=True,
                                    help="Go on with a run that was begun with other versions of libraries."),
    "dry_run": click.option("--dry-run", is_flag=True,
                            help="Say what would be measured, and how long it may take; measure nothing."),
    "quiet": click.option("--quiet", is_flag=True, help="Show no progress."),
}
# fmt: on


def run_options(*, without: Sequence[str] = ()) -> Callable[[Command], Command]:
    """All options of a run, but for some; the command is given them as one value, ``run``."""
    names = [name for name in _RUN_OPTIONS if name not in without]

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def with_one_value(*arguments: Any, **values: Any) -> None:
            command(*arguments, run=TypedRun(**{name: values.pop(name) for name in names}), **values)

        return with_options(*(_RUN_OPTIONS[name] for name in names))(with_one_value)

    return decorate
