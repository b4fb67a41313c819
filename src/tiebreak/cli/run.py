"""``tiebreak run``: a study file in, every cell measured and kept, verdicts out."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

from tiebreak.cli.measuring import error_of_study, run_of, run_options, store_for_study, store_option
from tiebreak.cli.options import FORMATS, ROPE, Output, emit_page, help_option, output_options
from tiebreak.cli.process import EXIT_OK, EXIT_WRONG_USE, as_typed, emit, say
from tiebreak.errors import TiebreakError

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.study_file import Study

EPILOG = """\b
Examples:
  tiebreak run study.toml --dry-run
  tiebreak run study.toml --store sqlite:///runs.db --n-jobs -1
"""


@click.command(
    "run",
    epilog=EPILOG,
    params=[
        click.Option(["--name"], metavar="NAME", help="Of the run in the store; the study's name if not given."),
        store_option,
        *run_options,
        click.Option(["--rope"], default=None, **ROPE, help="Smallest difference that matters.  [default: as the study says]"),
        click.Option(["--metric"], metavar="NAME", help="Metric to compare by.  [default: the first of the study]"),
        *output_options,
    ],
)
@click.argument("study", metavar="STUDY")
@help_option
@click.pass_context
def run_command(context: click.Context, /, study: str, name: str | None, store: str | None, **typed: Any) -> None:
    """Measure the models of STUDY, and compare them.

    STUDY is a TOML file with the sections data, cv and models. Each model is measured on each split once: what the store has
    already is not measured again, so the same command goes on after an interruption, and adds what a changed study adds.

    A study file is code: what it imports is run, so use only those that you would run as a program.
    """
    from tiebreak.study_file import read_study

    read = read_study(study)
    context.exit(_measure(read, name or read.name, store_for_study(store, read.store, read.name), typed))


def _measure(study: Study, name: str, url: str, typed: dict[str, Any]) -> int:
    """Measure what the store does not have, print the comparison, and return the exit code."""
    from tiebreak.evaluation.evaluate import find_scorers, measure_plan, preview_plan
    from tiebreak.numerics import rope_number
    from tiebreak.plan.plan import make_plan
    from tiebreak.scores.vocabulary import look_up_metric

    if typed["rope"] is not None:
        rope_number(typed["rope"])  # refused before anything is measured
        study = structs.replace(study, rope=typed["rope"])
    if typed["dry_run"] and typed["format_"] != FORMATS[0]:
        raise click.UsageError("--dry-run says in words what would be measured; leave --format out.")
    output = Output() if typed["dry_run"] else Output.of(typed, [study.file])
    output.check_single(len(study.datasets), "answers", "Leave it out, and then use 'tiebreak compare' with --dataset.")
    if typed["dask"] and typed["n_jobs"]:
        raise click.UsageError("--n-jobs is for processes of this machine; with --dask all workers of the cluster are used.")
    try:
        plan = make_plan(**study.plan_arguments)
        scorers = find_scorers(plan, study.scoring)
        look_up_metric(typed["metric"], [each.metric.name for each in scorers])  # refused before anything is measured
        if typed["dry_run"]:
            from tiebreak.stores.postgres import masked
            from tiebreak.views.evaluation import plan_page

            preview = preview_plan(plan, scorers, url, name, accept_versions=typed["accept_versions"])
            task, retry_failed = plan.datasets[0].task, typed["retry_failed"]
            emit_page(plan_page(preview, task, study.file, masked(url), retry_failed=retry_failed))
            return EXIT_OK
        with run_of(typed, study, url, name) as options:
            settings = {"study": str(study.path), "rope": study.rope}
            evaluation = measure_plan(plan, scorers, keep_predictions=study.keep_predictions, settings=settings, **options)
    except TiebreakError as error:
        raise error_of_study(study, error) from error
    return _present(study, evaluation, typed["metric"], output)


def _present(study: Study, evaluation: Evaluation, metric: str | None, output: Output) -> int:
    """Print what was measured, and what it means for each dataset."""
    from tiebreak.views.evaluation import run_page
    from tiebreak.views.report.evaluation import compared, report
    from tiebreak.views.words import quote

    asked = [(metric, dataset) for dataset in evaluation.datasets]
    comparisons, failed = compared(evaluation, asked, {"rope": study.rope})
    if output.is_text:
        emit_page(run_page(evaluation, has_means=not comparisons))
    elif evaluation.n_failed:
        say(f"{evaluation.n_failed} of {evaluation.n_cells} cells failed; 'tiebreak show' says why.")
    for number, (dataset, comparison) in enumerate(comparisons, 1):
        if output.is_text:
            emit(f"\nDataset {quote(dataset)}\n\n" if dataset else "\n")
        output.show(comparison)
        output.draw(comparison, *([f"dataset-{number}"] if len(comparisons) > 1 else []))
    for _, dataset, error in failed:
        say(f"there is nothing to compare: {f'dataset {dataset!r}: ' if dataset else ''}{as_typed(error)}")
    output.report(functools.partial(report, evaluation, (metric,) if metric else (), {"rope": study.rope}))
    # whoever chains commands has to be told that no model could be fitted at all
    return EXIT_OK if evaluation.n_done else EXIT_WRONG_USE
