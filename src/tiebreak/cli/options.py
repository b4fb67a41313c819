"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli import version_page
from tiebreak.cli.process import emit
from tiebreak.cli.stores import VARIABLE

if TYPE_CHECKING:
    from tiebreak.evaluation.progress import Progress
    from tiebreak.evaluation.run_options import RunOptions
    from tiebreak.study_file import Study

Command = Callable[..., None]


def with_options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A command with options, in the order of its help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def show(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    """Print the version or the page of help, as answers are printed: a reader that goes away early is no error."""
    if wanted and not context.resilient_parsing:
        emit((version_page() if option.name == "version" else context.get_help()) + "\n")
        context.exit()


help_option = click.help_option("-h", "--help", callback=show)
store_option = click.option(
    "--store",
    metavar="URL",
    help=f"Where results are kept, such as sqlite:///runs.db. If not given: {VARIABLE}, or a file here named after the run.",
)
direction_options = (
    click.option("--lower-is-better/--higher-is-better", default=None, help="Of a metric that is not known."),
    click.option(
        "--direction",
        "directions",
        type=(str, click.Choice(("lower", "higher"))),
        multiple=True,
        metavar="METRIC lower|higher",
        help="The same for one metric. Repeatable.",
    ),
)


def with_direction(values: dict[str, Any]) -> dict[str, Any]:
    """Values as typed, with one in the place of the two of `direction_options`: True where lower is better, or by metric."""
    typed, for_all = by_metric("--direction", values.pop("directions"), "directions"), values["lower_is_better"]
    if typed and for_all is not None:
        raise click.UsageError("--direction says for each metric what --lower-is-better or --higher-is-better says for all.")
    return {**values, "lower_is_better": {metric: way == "lower" for metric, way in typed.items()} or for_all}


def by_metric(option: str, typed: Sequence[tuple[str, str]], what: str) -> dict[str, str]:
    """Values of a repeatable option by metric, each of which is given one."""
    found = dict(typed)
    if wrong := [metric for metric, value in typed if found[metric] != value]:
        raise click.UsageError(f"{option} gives {wrong[0]} two different {what}.")
    return found


def _names(_: click.Context, __: click.Parameter, typed: tuple[str, ...]) -> tuple[str, ...] | None:
    """The names of all uses of a repeatable option; None where it was not used."""
    return typed or None


def as_rope(typed: str) -> float | str:
    """A number where it is one; else the text, which the library reads as a percentage or refuses."""
    try:
        return float(typed)
    except ValueError:
        return typed


NAMES: dict[str, Any] = {"multiple": True, "callback": _names, "metavar": "NAME"}
NAME: dict[str, Any] = {"metavar": "NAME"}
COUNT: dict[str, Any] = {"type": click.IntRange(min=1), "metavar": "N"}
ROPE: dict[str, Any] = {"type": as_rope, "metavar": "WIDTH"}


# --- options of a run -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRun:
    """Options of a run as typed; None leaves it to the study."""

    n_jobs: int | None
    timeout: float | None
    retry_failed: bool
    accept_versions: bool
    no_share_steps: bool
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
            share_steps=study.share_steps and not self.no_share_steps,
            timeout=self.timeout or study.timeout,
            retry_failed=self.retry_failed,
            accept_versions=self.accept_versions,
            progress=progress,
            settings=settings,
        )


def _jobs(typed: str) -> int:
    n_jobs: int = click.INT(typed)
    if n_jobs == 0:
        raise click.BadParameter("0 is no number of processes; give 1 or more, or -1 for all cores.")
    return n_jobs


def _address(typed: str) -> str:
    if "://" not in typed:
        raise click.BadParameter(f"{typed!r} is no address of a scheduler, such as tcp://host:8786 or tls://host:8786.")
    return typed


_jobs_option = click.option(
    "--n-jobs", type=_jobs, metavar="N", help="Worker processes; -1 for all cores.  [default: as the study says, or 1]"
)
_dask_option = click.option(
    "--dask", metavar="ADDRESS", type=_address, help="Measure on the workers of this Dask scheduler, such as tcp://host:8786."
)
_patience_options = (
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Give up a cell (one model on one split) after this time.",
    ),
    click.option("--retry-failed", is_flag=True, help="Measure again what failed before."),
    click.option("--accept-versions", is_flag=True, help="Go on with a run that was begun with other versions of libraries."),
    click.option("--no-share-steps", is_flag=True, help="Fit each pipeline whole, also where others begin with equal steps."),
)
_dry_option = click.option(
    "--dry-run", is_flag=True, help="Say what would be measured, and how long it may take; measure nothing."
)
_quiet_option = click.option("--quiet", is_flag=True, help="Show no progress.")

run_options = (_jobs_option, _dask_option, *_patience_options, _dry_option, _quiet_option)
"""Options of `TypedRun`."""

local_run_options = (_jobs_option, *_patience_options, _quiet_option)
"""Options of a run on this machine, which begins at once."""
