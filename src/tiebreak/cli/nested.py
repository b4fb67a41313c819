"""``tiebreak nested``: a study file in, the honest score of choosing among its candidates out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.measuring import error_of_study, watched
from tiebreak.cli.options import (
    PLOTS,
    TypedRun,
    check_raw,
    format_option,
    help_option,
    html_option,
    local_run_options,
    raw_option,
    store_option,
    with_options,
)
from tiebreak.cli.process import EXIT_OK, EXIT_WRONG_USE, emit_result, make_folder, say, write_report, writing
from tiebreak.cli.stores import store_for_study, without_password

if TYPE_CHECKING:
    from tiebreak.evaluation.progress import Progress
    from tiebreak.studies.nested import NestedEvaluation
    from tiebreak.study_file.study import Study

EPILOG = """\b
Examples:
  tiebreak nested study.toml --store sqlite:///runs.db
  tiebreak nested study.toml --together --format markdown
"""


@click.command("nested", epilog=EPILOG, short_help="Score the choice of a model, on data that took no part in it.")
@click.argument("study", metavar="STUDY")
@click.option("--name", metavar="NAME", help="Of the run in the store; '<study> nested' if not given.")
@click.option("--dataset", metavar="NAME", help="Which dataset, where the study has several.")
@click.option("--together", is_flag=True, help="Choose one among the candidates of all models, instead of one within each.")
@click.option(
    "--plain/--no-plain",
    default=True,
    show_default=True,
    help="Measure all candidates on the outer splits too, which says what would be claimed without nesting.",
)
@store_option
@with_options(*local_run_options)
@format_option("How the answer is written; csv holds a row for each outer split.")
@raw_option
@click.option("--plots", **PLOTS, help="Draw the plot into this folder.")
@html_option
@help_option
@click.pass_context
def nested_command(
    context: click.Context,
    /,
    study: str,
    name: str | None,
    dataset: str | None,
    together: bool,
    plain: bool,
    store: str | None,
    format_: str,
    raw: bool,
    plots: Path | None,
    html: Path | None,
    **run: Any,
) -> None:
    """Say what to expect of choosing among the candidates of each model of STUDY, by nested cross-validation.

    The outer splits are those of the section cv, the inner ones those of the section inner, made within each outer training
    set. Models with a grid are chosen in, each by itself; one without is scored beside them. Where no model has a grid, one
    of them is chosen. The same command goes on after an interruption.

    A study file is code: what it imports is run, so use only those that you would run as a program.
    """
    from tiebreak.errors import TiebreakError
    from tiebreak.study_file.study import read_study
    from tiebreak.views.nested import COLUMNS, nested_rows

    check_raw(raw, format_)
    if plots is not None:
        make_folder(plots)  # before the work: a folder that cannot be written should not cost the answer
    read = read_study(study)
    url = store_for_study(store, read.store, read.name)
    name = name or " ".join(filter(None, [read.name, "nested", "together" if together else "", dataset]))
    try:
        nested = _measured(read, dataset, url, name, TypedRun(**run), together=together, plain=plain)
    except TiebreakError as error:
        raise error_of_study(read, error) from error
    emit_result(nested, format_, lambda: (list(COLUMNS["outer"]), nested_rows(nested, "outer")), raw=raw)
    if plots is not None:
        with writing("the plot", plots):
            nested.plot.save(plots / "nested.png")
        say(f"nested.png is in {plots}")
    if html is not None:
        write_report(nested.to_html, html)
    # whoever chains commands has to be told that nothing could be scored at all
    context.exit(EXIT_OK if any(nested.score(search).n_splits for search in nested.searches) else EXIT_WRONG_USE)


def _measured(
    study: Study, dataset: str | None, url: str, name: str, run: TypedRun, *, together: bool, plain: bool
) -> NestedEvaluation:
    from tiebreak.plan.models import name_models
    from tiebreak.plan.nested import make_nested_plan
    from tiebreak.scores.vocabulary import look_up, quoted
    from tiebreak.studies.nested import nested_cross_validate

    names = list(study.datasets)
    if dataset is None and len(names) > 1:
        raise click.UsageError(f"the study has {len(names)} datasets: {quoted(names)}. Choose one with --dataset.")
    data = study.datasets[names[0 if dataset is None else look_up(dataset, names, "dataset")]]

    def how_to_go_on(last: Progress) -> str:
        kept = f"{last.n_done + last.n_failed} of {last.n_cells} cells of run {last.name!r} are kept in {without_password(url)}"
        return f"{kept}; the same command goes on from there"

    with watched(run.quiet, how_to_go_on) as report:
        plan = make_nested_plan(
            {study.name: name_models(study.models)} if together else study.models,
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
            run.options(study, url, name, report, study=str(study.path), rope=study.rope),
            scoring=study.scoring,
            keep_predictions=study.keep_predictions,
            plain=plain,
            rope=study.rope,
        )
