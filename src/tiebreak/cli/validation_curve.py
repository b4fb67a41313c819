"""``tiebreak validation-curve``: a study file and a parameter in, scores by its values out, and which of them tie."""

import json
from functools import partial
from typing import Any

import click

from tiebreak.cli.curves import curve_options, run_curve
from tiebreak.cli.options import help_option

EPILOG = """\b
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
    epilog=EPILOG,
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
    from tiebreak import api

    measure = partial(api.validation_curve, parameter=parameter, values=values)
    # a value may be called the same as that of another parameter, so each parameter has a run of its own
    context.exit(run_curve(study, "validation-curve", measure, options, f"-{parameter}"))
