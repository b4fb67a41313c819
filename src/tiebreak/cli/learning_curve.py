"""``tiebreak learning-curve``: a study file in, scores by training examples out, and whether more data would help."""

from functools import partial
from typing import Any

import click

from tiebreak.cli.curves import curve_options, run_curve
from tiebreak.cli.options import help_option

EPILOG = """\b
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
    epilog=EPILOG,
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
    from tiebreak import api

    context.exit(run_curve(study, "learning-curve", partial(api.learning_curve, sizes=sizes), options))
