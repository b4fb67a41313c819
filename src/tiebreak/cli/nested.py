"""``tiebreak nested``: a study file in, the honest score of choosing among its candidates out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.compare import FORMATS
from tiebreak.cli.measuring import Watch, check_jobs, error_of_study, progress_shown
from tiebreak.cli.options import help_option
from tiebreak.cli.process import (
    EXIT_OK,
    EXIT_WRONG_USE,
    CommandError,
    Terminated,
    emit,
    make_folder,
    reason,
    say,
    warnings_said,
)
from tiebreak.cli.stores import store_for_study, store_option, without_password

if TYPE_CHECKING:
    from tiebreak.studies.nested import NestedEvaluation
    from tiebreak.study_file.study import Study

EPILOG = """\b
Examples:
  tiebreak nested study.toml --store sqlite:///runs.db
  tiebreak nested study.toml --together --format markdown
"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is typed behind ``nested``."""

    name: str | None
    dataset: str | None
    together: bool
    plain: bool
    n_jobs: int | None
    timeout: float | None
    retry_failed: bool
    accept_versions: bool
    quiet: bool


# fmt: off
_OPTIONS = (
    click.option("--name", metavar="NAME", help="Of the run in the store; '<study> nested' if not given."),
    click.option("--dataset", metavar="NAME", help="Which dataset, where the study has several."),
    click.option("--together", is_flag=True,
                 help="Choose one among the candidates of all models, instead of one within each."),
    click.option("--plain/--no-plain", default=True, show_default=True,
                 help="Measure all candidates on the outer splits too, which says what would be claimed without nesting."),
    store_option,
    click.option("--n-jobs", type=int, metavar="N", callback=check_jobs,
                 help="Worker processes; -1 for all cores.  [default: as the study says, or 1]"),
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                 help="Give up a cell (one model on one split) after this time."),
    click.option("--retry-failed", is_flag=True, help="Measure again what failed before."),
    click.option("--accept-versions", is_flag=True, help="Go on with a run that was begun with other versions of libraries."),
    click.option("--quiet", is_flag=True, help="Show no progress."),
    click.option("--format", "format_", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True,
                 help="How the answer is written; csv holds a row for each outer split."),
    click.option("--raw", is_flag=True,
                 help="With --format csv: no apostrophe before names that a spreadsheet would take for formulas."),
    click.option("--plots", type=click.Path(path_type=Path), metavar="DIR", help="Draw the plot into this folder."),
)
# fmt: on


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("nested", epilog=EPILOG, short_help="Score the choice of a model, on data that took no part in it.")
@click.argument("study", metavar="STUDY")
@_with_options
@help_option
@click.pass_context
def nested_command(
    context: click.Context, /, study: str, store: str | None, format_: str, raw: bool, plots: Path | None, **options: Any
) -> None:
    """Say what to expect of choosing among the candidates of each model of STUDY, by nested cross-validation.

    The outer splits are those of the section cv, the inner ones those of the section inner, made within each outer training
    set. Models with a grid are chosen in, each by itself; one without is scored beside them. Where no model has a grid, one
    of them is chosen. The same command goes on after an interruption.
    """
    from tiebreak.errors import TiebreakError
    from tiebreak.study_file.study import read_study

    if raw and format_ != "csv":
        raise click.UsageError("--raw goes with --format csv.")
    if plots is not None:
        make_folder(plots)  # before the work: a folder that cannot be written should not cost the answer
    asked = _Asked(**options)
    read = read_study(study)
    url = store_for_study(store, read.store, read.name)
    try:
        nested = _measured(read, url, asked)
    except TiebreakError as error:
        raise error_of_study(read, error) from error
    _VIEWS[format_](nested, raw)
    if plots is not None:
        _draw(nested, plots)
    # whoever chains commands has to be told that nothing could be scored at all
    context.exit(EXIT_OK if any(nested.honest(search).n_splits for search in nested.searches) else EXIT_WRONG_USE)


def _measured(study: Study, url: str, asked: _Asked) -> NestedEvaluation:
    from tiebreak.errors import LostWorkersError, StoreError
    from tiebreak.evaluation.run_options import RunOptions
    from tiebreak.plan.models import name_models
    from tiebreak.plan.nested import make_nested_plan
    from tiebreak.studies.nested import nested_cross_validate

    watch = Watch(progress_shown(asked.quiet))
    data = _dataset(study, asked.dataset)
    try:
        with warnings_said():
            run = RunOptions(
                store=url,
                name=asked.name or _name(study, asked),
                n_jobs=asked.n_jobs or study.n_jobs,
                threads_per_fit=study.threads_per_fit,
                timeout=asked.timeout or study.timeout,
                retry_failed=asked.retry_failed,
                accept_versions=asked.accept_versions,
                progress=watch,
                settings={"study": str(study.path), "rope": study.rope},
            )
            plan = make_nested_plan(
                {study.name: name_models(study.models)} if asked.together else study.models,
                data.X,
                data.y,
                groups=data.groups,
                sample_weight=data.weights,
                outer=study.cv,
                inner=study.inner,
                rng=study.seed,
            )
            return nested_cross_validate(
                plan,
                run,
                scoring=study.scoring,
                rope=study.rope,
                keep_predictions=study.keep_predictions,
                plain=asked.plain,
            )
    except (KeyboardInterrupt, Terminated, StoreError, LostWorkersError):
        if watch.last is not None:
            kept = watch.last.n_done + watch.last.n_failed
            say(
                f"{kept} of {watch.last.n_cells} cells of run {watch.last.name!r} are kept in {without_password(url)}; the same "
                "command goes on from there"
            )
        raise


def _dataset(study: Study, name: str | None) -> Any:
    from tiebreak.scores.scores import look_up, quoted

    names = list(study.datasets)
    if name is not None:
        return study.datasets[names[look_up(name, names, "dataset")]]
    if len(names) > 1:
        raise click.UsageError(f"the study has {len(names)} datasets: {quoted(names)}. Choose one with --dataset.")
    return study.datasets[names[0]]


def _name(study: Study, asked: _Asked) -> str:
    parts = [study.name, "nested", "together" if asked.together else "", asked.dataset or ""]
    return " ".join(part for part in parts if part)


def _draw(nested: NestedEvaluation, folder: Path) -> None:
    try:
        nested.plot().save(folder / "nested.png")
    except OSError as error:
        raise CommandError(f"the plot could not be written to {str(folder)!r}: {reason(error)}") from error
    say(f"nested.png is in {folder}")


# --- one function for each format -------------------------------------------------------------------------------------------


def _as_table(nested: NestedEvaluation, _: bool) -> None:
    emit(nested.to_text())


def _as_markdown(nested: NestedEvaluation, _: bool) -> None:
    emit(nested.to_markdown())


def _as_json(nested: NestedEvaluation, _: bool) -> None:
    emit(nested.to_json() + "\n")


def _as_csv(nested: NestedEvaluation, raw: bool) -> None:
    from tiebreak.cli.csv_text import csv_lines
    from tiebreak.views.nested import COLUMNS, nested_rows

    emit(csv_lines(list(COLUMNS["outer"]), nested_rows(nested, "outer"), raw=raw))


_VIEWS: dict[str, Callable[[NestedEvaluation, bool], None]] = {
    "table": _as_table,
    "json": _as_json,
    "csv": _as_csv,
    "markdown": _as_markdown,
}
