"""Common part of ``tiebreak learning-curve`` and ``validation-curve``: a study in, a curve measured, shown and drawn."""

from collections.abc import Callable
from typing import Any

import click

from tiebreak.cli.measuring import error_of_study, local_run_options, run_of, store_for_study, store_option, watched
from tiebreak.cli.options import NAMES, ROPE, Output, format_option, html_option, plots_option, raw_option
from tiebreak.cli.process import EXIT_OK, EXIT_WRONG_USE
from tiebreak.errors import TiebreakError

_TYPED = ("sizes", "values", "parameter", "rope", "alpha", "metric")
"""Options that say what is to be measured or shown; all else is in the study."""


curve_options = (
    store_option,
    click.Option(["--name"], metavar="NAME", help="Of the run in the store; made from the study's name if not given."),
    click.Option(["--models"], **NAMES, help="Only these models of the study. Once for each."),
    click.Option(["--dataset"], metavar="NAME", help="Which dataset, where the study has several."),
    click.Option(["--metric"], metavar="NAME", help="Which metric of the study is shown; the first one if not given."),
    click.Option(
        ["--rope"],
        **ROPE,
        help="Smallest difference that matters to you, in the metric's unit or as '1%' of the best mean.  [default: the study's]",
    ),
    click.Option(["--alpha"], type=float, default=0.05, show_default=True, help="1 - coverage of the intervals."),
    *local_run_options,
    format_option,
    raw_option,
    plots_option,
    html_option,
)


def run_curve(path: str, kind: str, measure: Callable[..., Any], typed: dict[str, Any], about: str = "") -> int:
    """Measure the curve of a study, show it, and return the exit code.

    Parameters
    ----------
    path : str
        Of the study.
    kind : str
        "learning-curve" or "validation-curve": names the run.
    measure : callable
        `tiebreak.learning_curve` or `tiebreak.validation_curve`.
    typed : dict
        Options as typed; None leaves it to the study.
    about : str
        End of the run's name.
    """
    from msgspec import structs

    from tiebreak.scores.vocabulary import look_up
    from tiebreak.study_file import read_study

    study = read_study(path)
    datasets, dataset = dict(study.datasets), typed["dataset"]
    for name in typed["models"] or ():
        look_up(name, list(study.models), f"model of {study.file}")
    if dataset is not None:
        look_up(dataset, list(datasets), f"dataset of {study.file}")
    elif len(datasets) > 1:
        raise click.UsageError(f"the study has {len(datasets)} datasets, and a curve is about one. Name it with --dataset.")
    data = datasets[next(iter(datasets)) if dataset is None else dataset]
    models = {name: study.models[name] for name in typed["models"] or study.models}
    arguments = structs.replace(study, models=models, datasets={"": data}).plan_arguments
    del arguments["datasets"]  # a curve is of one
    output = Output.of(typed, [path])
    url = store_for_study(typed["store"], study.store, study.name)
    try:
        with watched(typed["quiet"], url) as report:
            run = run_of(typed, study, url, typed["name"] or f"{study.name}-{kind}{about}", report)
            rope = study.rope if typed["rope"] is None else typed["rope"]
            curve = measure(**arguments, **run, scoring=study.scoring, rope=rope, alpha=typed["alpha"])
        curve = curve if typed["metric"] is None else curve.for_metric(typed["metric"])
    except TiebreakError as error:
        # in the words of whoever typed the command: about an option, or about the study
        raise (error if error.about in _TYPED else error_of_study(study, error)) from error
    output.write(curve)
    # whoever chains commands has to be told that no model could be fitted at all
    return EXIT_OK if curve.evaluation.n_done else EXIT_WRONG_USE
