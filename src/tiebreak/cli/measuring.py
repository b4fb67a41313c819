"""What ``tiebreak run`` and ``tiebreak resume`` have in common: measure what is missing, then compare."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.compare import FORMATS, write_answer
from tiebreak.cli.process import EXIT_OK, EXIT_WRONG_USE, Terminated, emit, say, warnings_said
from tiebreak.cli.stores import resume_command_line, store_option, without_password
from tiebreak.cli.wording import as_typed, in_study
from tiebreak.errors import TiebreakError

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.evaluation.progress import Progress
    from tiebreak.study_file.study import Study


@dataclass(frozen=True, slots=True)
class Options:
    """What is typed behind ``run`` and ``resume``; None leaves it to the study."""

    n_jobs: int | None
    dask: str | None
    timeout: float | None
    retry_failed: bool
    accept_versions: bool
    dry_run: bool
    quiet: bool
    format_: str


def check_jobs(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    """Refuse no processes at all."""
    if value == 0:
        raise click.BadParameter("0 is no number of processes; give 1 or more, or -1 for all cores.")
    return value


def _address(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and "://" not in value:
        raise click.BadParameter(f"{value!r} is no address of a scheduler, such as tcp://host:8786 or tls://host:8786.")
    return value


# fmt: off
_OPTIONS = (
    store_option,
    click.option("--n-jobs", type=int, metavar="N", callback=check_jobs,
                 help="Worker processes; -1 for all cores.  [default: as the study says, or 1]"),
    click.option("--dask", metavar="ADDRESS", callback=_address,
                 help="Measure on the workers of this Dask scheduler, such as tcp://host:8786."),
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                 help="Give up a cell (one model on one split) after this time."),
    click.option("--retry-failed", is_flag=True, help="Measure again what failed before."),
    click.option("--accept-versions", is_flag=True, help="Go on with a run that was begun with other versions of libraries."),
    click.option("--dry-run", is_flag=True, help="Say what would be measured, and how long it may take; measure nothing."),
    click.option("--quiet", is_flag=True, help="Show no progress."),
    click.option("--format", "format_", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True,
                 help="How the comparison is written; csv holds the pairs."),
)
# fmt: on


def measuring_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with all options that both have, in the order of the help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def measure(study: Study, name: str, url: str, options: Options) -> int:
    """Measure what the store does not have, print the comparison, and return the exit code.

    Parameters
    ----------
    study : Study
    name : str
        Of the run.
    url : str
        Of the store.
    options : Options
    """
    if len(study.datasets) > 1 and options.format_ != "table":
        raise click.UsageError(
            f"the study has {len(study.datasets)} datasets, and so as many answers; --format {options.format_} holds one. Leave "
            "it out, and then use 'tiebreak compare' with --dataset."
        )
    if options.dask and options.n_jobs:
        raise click.UsageError("--n-jobs is for processes of this machine; with --dask all workers of the cluster are used.")
    try:
        if options.dry_run:
            from tiebreak.cli.dry_run import preview

            preview(study, name, url, options)
            return EXIT_OK
        evaluation = _evaluated(study, name, url, options)
    except TiebreakError as error:
        raise error_of_study(study, error) from error
    return present(study, evaluation, options.format_)


def present(study: Study, evaluation: Evaluation, format_: str) -> int:
    """Print what was measured, and what it means for each dataset."""
    from tiebreak.views.evaluation import overview_page, run_page

    comparisons, reasons = _compared(study, evaluation)
    if format_ == "table":
        emit((overview_page if comparisons else run_page)(evaluation).as_text())
    elif evaluation.n_failed:
        say(f"{evaluation.n_failed} of {evaluation.n_cells} cells failed; 'tiebreak show' says why.")
    for dataset, comparison in comparisons.items():
        if format_ == "table":
            emit(f"\nDataset {_shown(dataset)}\n\n" if dataset else "\n")
        write_answer(comparison, format_)
    for text in reasons:
        say(f"there is nothing to compare: {as_typed(text)}")
    # whoever chains commands has to be told that no model could be fitted at all
    return EXIT_OK if evaluation.n_done else EXIT_WRONG_USE


def _compared(study: Study, evaluation: Evaluation) -> tuple[dict[str, Any], list[str]]:
    """The comparison of each dataset in the first metric, and why there is none."""
    comparisons, reasons = {}, []
    for dataset in evaluation.datasets:
        try:
            comparisons[dataset] = evaluation.compare(
                rope=study.rope,
                missing="pairwise" if _lacks_scores(evaluation) else "raise",
                dataset=dataset if len(evaluation.datasets) > 1 else None,
            )
        except TiebreakError as error:
            reasons.append(f"dataset {dataset!r}: {error}" if dataset else str(error))
    return comparisons, reasons


def _lacks_scores(evaluation: Evaluation) -> bool:
    """Whether some score of the first metric is not there or undefined."""
    import numpy as np

    return any(bool(np.isnan(evaluation.grid(dataset, 0)).any()) for dataset in range(len(evaluation.datasets)))


def _shown(dataset: str) -> str:
    from tiebreak.views.words import quote

    return quote(dataset)


# --- the run itself -------------------------------------------------------------------------------------------------------


def _evaluated(study: Study, name: str, url: str, options: Options) -> Evaluation:
    from tiebreak.errors import ClusterError, LostWorkersError, StoreError
    from tiebreak.evaluation.evaluate import measure_plan
    from tiebreak.evaluation.run_options import RunOptions
    from tiebreak.plan.plan import make_plan

    watch = Watch(progress_shown(options.quiet))
    try:
        with warnings_said():
            run = RunOptions(
                store=url,
                name=name,
                n_jobs=1 if options.dask else options.n_jobs or study.n_jobs,
                runner=options.dask,
                threads_per_fit=study.threads_per_fit,
                timeout=options.timeout or study.timeout,
                retry_failed=options.retry_failed,
                accept_versions=options.accept_versions,
                progress=watch,
                settings={"study": str(study.path), "rope": study.rope},
            )
            plan = make_plan(**study.plan_arguments)
            return measure_plan(plan, run, scoring=study.scoring, keep_predictions=study.keep_predictions)
    except (KeyboardInterrupt, Terminated, StoreError, ClusterError, LostWorkersError):
        if watch.last is not None:
            say(_how_to_go_on(watch.last, name, url, options.dask))
        raise


def error_of_study(study: Study, error: TiebreakError) -> TiebreakError:
    """An error in the words of a study file; one about what the file asks for says so."""
    from tiebreak.errors import InvalidParameterError, InvalidPlanError, InvalidStudyError, UnknownNameError

    text = in_study(str(error))
    if isinstance(error, InvalidPlanError | InvalidParameterError | UnknownNameError):
        return InvalidStudyError(f"{study.file}: {text}")
    return type(error)(text)


class Watch:
    """Passes progress on, and remembers where the run stood last."""

    def __init__(self, show: Callable[[Progress], object] | None) -> None:
        self._show = show
        self.last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        """Take note of a moment of the run."""
        self.last = progress
        if self._show is not None:
            self._show(progress)


def progress_shown(quiet: bool) -> Callable[[Progress], object] | None:
    """What shows progress: a bar on a terminal, lines elsewhere, nothing where nobody wants it."""
    if quiet or sys.stderr is None:
        return None
    from tiebreak.views import progress

    return progress.bar() if progress.is_interactive() else progress.lines(say)


def _how_to_go_on(last: Progress, name: str, url: str, dask: str | None) -> str:
    from tiebreak.views.words import quote

    kept = last.n_done + last.n_failed
    return (
        f"{kept} of {last.n_cells} cells of run {quote(name)} are kept in {without_password(url)}. To go on:\n"
        f"  {resume_command_line(name, url)}{f' --dask {shlex.quote(dask)}' if dask else ''}"
    )
