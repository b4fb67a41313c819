"""``tiebreak learning-curve`` and ``validation-curve``: a study in, a curve measured, shown and drawn."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import click

import tiebreak as tb
from tiebreak.cli.measuring import error_of_study, local_run_options, run_of, store_for_study, store_option
from tiebreak.cli.options import NAMES, ROPE, Output, format_option, help_option, html_option, plots_option, raw_option
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
        with run_of(typed, study, url, typed["name"] or f"{study.name}-{kind}{about}") as run:
            rope = study.rope if typed["rope"] is None else typed["rope"]
            curve = measure(**arguments, **run, scoring=study.scoring, rope=rope, alpha=typed["alpha"])
        curve = curve if typed["metric"] is None else curve.for_metric(typed["metric"])
    except TiebreakError as error:
        # in the words of whoever typed the command: about an option, or about the study
        raise (error if error.about in _TYPED else error_of_study(study, error)) from error
    output.write(curve)
    # whoever chains commands has to be told that no model could be fitted at all
    return EXIT_OK if curve.evaluation.n_done else EXIT_WRONG_USE


# --- learning curves --------------------------------------------------------------------------------------------------------

LEARNING_EXAMPLES = """\b
Examples:
  tiebreak learning-curve study.toml --rope 0.01 --plots curves
  tiebreak learning-curve study.toml --sizes 50,100,200,400 --n-jobs -1
"""


def _sizes(typed: str) -> list[float]:
    """Training sizes with commas between: whole numbers, or shares such as 0.25."""
    try:
        return [float(size) if "." in size or "e" in size.lower() else int(size) for size in typed.split(",")]
    except ValueError:
        raise click.BadParameter(f"{typed!r} is no list of training sizes such as 50,100,200 or 0.25,0.5,1.0.") from None


@click.command(
    "learning-curve",
    epilog=LEARNING_EXAMPLES,
    params=[
        click.Option(
            ["--sizes"],
            type=_sizes,
            metavar="N,N,...",
            help="Training sizes: whole numbers, or shares such as 0.25,0.5,1.0.  [default: n/16, n/8, n/4, n/2 and n]",
        ),
        *curve_options,
    ],
)
@click.argument("study", metavar="STUDY")
@help_option
@click.pass_context
def learning_curve_command(context: click.Context, /, study: str, sizes: list[float] | None, **options: Any) -> None:
    """Say whether more data would help the models of STUDY.

    Each model of the study file is measured on growing training sets and the same test rows. What the store has already is not
    measured again, so the same command goes on after an interruption, and adds sizes.

    A study file is code: what it imports is run, so use only those that you would run as a program.
    """
    context.exit(run_curve(study, "learning-curve", partial(tb.learning_curve, sizes=sizes), options))


# --- validation curves ------------------------------------------------------------------------------------------------------

VALIDATION_EXAMPLES = """\b
Examples:
  tiebreak validation-curve study.toml --models svm --parameter svc__C --values 0.1,1,10 --rope 0.01
  tiebreak validation-curve study.toml --parameter max_depth --values '[2, 4, 8, null]' --plots curves
"""


def _values(typed: str) -> list[Any]:
    """Values with commas between, or a JSON list; what is no number, true, false or null is a text."""
    if typed.lstrip().startswith("["):
        try:
            return list(json.loads(typed))
        except ValueError as error:
            raise click.BadParameter(f"{typed!r} is no JSON list: {error}.") from None
    values = []
    for text in map(str.strip, typed.split(",")):
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        values.append(text if isinstance(value, dict | list) else value)
    return values


@click.command(
    "validation-curve",
    epilog=VALIDATION_EXAMPLES,
    params=[
        click.Option(
            ["--parameter"], required=True, metavar="NAME", help="Which parameter, with the steps of a pipeline in front: svc__C."
        ),
        click.Option(
            ["--values"],
            type=_values,
            required=True,
            metavar="V,V,...",
            help="Values to be tried; as a JSON list where one holds a comma.",
        ),
        *curve_options,
    ],
)
@click.argument("study", metavar="STUDY")
@help_option
@click.pass_context
def validation_curve_command(context: click.Context, /, study: str, parameter: str, values: list[Any], **options: Any) -> None:
    """Find the best value of a parameter of the models of STUDY, and the values that are practically as good.

    Each model of the study file (or those named with --models) is measured with each value on the same splits. What the store
    has already is not measured again, so the same command goes on after an interruption, and adds values.

    A study file is code: what it imports is run, so use only those that you would run as a program.
    """
    measure = partial(tb.validation_curve, parameter=parameter, values=values)
    # a value may be called the same as that of another parameter, so each parameter has a run of its own
    context.exit(run_curve(study, "validation-curve", measure, options, f"-{parameter}"))
