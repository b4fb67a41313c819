"""``tiebreak sample-size``: what it takes to see a difference, before anything is measured or from a pilot."""

import re
from typing import Any

import click

from tiebreak.cli.options import Output, format_option, help_option, html_option, plots_option, raw_option
from tiebreak.cli.process import CommandError, as_typed, standard_input_as_file
from tiebreak.errors import TiebreakError

EPILOG = """\b
Examples:
  tiebreak sample-size --difference 0.02 --discordant 0.1
  tiebreak sample-size --n 500 --rates 0.8 --correlation 0.5 --looks 5
  tiebreak sample-size --question splits --difference 0.01 --sd 0.03
  tiebreak sample-size pilot.csv --difference 0.02
"""


def _numbers(typed: str) -> float | tuple[float, ...]:
    """A number, or two with a comma between."""
    try:
        numbers = tuple(map(float, typed.split(",")))
    except ValueError:
        numbers = ()
    if len(numbers) not in (1, 2):
        raise click.BadParameter(f"{typed!r} is no number, such as 0.8, and no two of them, such as 0.82,0.80.")
    return numbers[0] if len(numbers) == 1 else numbers


_OPTIONS = [
    click.Option(["--difference"], type=float, metavar="D", help="True difference that is worth seeing, in the metric's unit."),
    click.Option(["--n"], type=int, metavar="N", help="Units: items, repeats, datasets, seeds. Says which difference they show."),
    click.Option(["--rope"], type=float, metavar="WIDTH", help="Largest difference that does not matter.  [default: 0]"),
    click.Option(["--power"], type=float, metavar="P", help="Chance that the answer is what was asked for.  [default: 0.8]"),
    click.Option(
        ["--goal"],
        type=click.Choice(("better", "equivalent", "not worse")),
        default="better",
        show_default=True,
        help="What is to be shown.",
    ),
    click.Option(
        ["--question"],
        type=click.Choice(("examples", "splits", "datasets", "seeds", "test-sets")),
        help="To what the answer generalises.  [default: examples]",
    ),
    click.Option(["--discordant"], type=float, metavar="SHARE", help="Share of items on which exactly one model is right."),
    click.Option(["--rates"], type=_numbers, metavar="P[,Q]", help="Share that the second model has right, or that both have."),
    click.Option(["--sd"], type=_numbers, metavar="SD[,SD]", help="Standard deviation of differences, or of one model's scores."),
    click.Option(["--correlation"], type=float, metavar="R", help="Of both models' scores over the same units."),
    click.Option(["--cluster-size"], type=float, metavar="M", help="Items of a cluster."),
    click.Option(["--intraclass-correlation"], type=float, metavar="R", help="Of the differences within a cluster."),
    click.Option(["--n-folds"], type=int, metavar="K", help="Splits of a repeat.  [default: 10]"),
    click.Option(["--n-models"], type=int, metavar="M", help="Models, whose pairs share alpha.  [default: 2]"),
    click.Option(["--alpha"], type=float, metavar="A", help="Error rate of all pairs together.  [default: 0.05]"),
    click.Option(
        ["--looks"], type=int, default=1, show_default=True, metavar="N", help="Looks at data that are still coming in."
    ),
    click.Option(["--metric"], metavar="NAME", help="Of the pilot."),
    click.Option(["--lower-is-better/--higher-is-better"], default=None, help="Direction of the pilot's metric."),
    format_option,
    raw_option,
    plots_option,
    html_option,
]


@click.command("sample-size", params=_OPTIONS, epilog=EPILOG)
@click.argument("pilot", metavar="[PILOT]", required=False)
@help_option
def sample_size_command(pilot: str | None, **settings: Any) -> None:
    """Say how many units show a difference, or which difference so many show.

    Give --difference or --n, and how much differences vary: by --discordant, --rates or --sd, or by a PILOT, a table of a few
    units that 'tiebreak compare' reads, or its answer, saved with --format json. Several models, clusters and looks are allowed
    for.
    """
    from tiebreak.sizing import sample_size

    files = [] if pilot is None else [pilot]
    output = Output.of(settings, files)
    with standard_input_as_file(files) as sources:
        try:
            found = sample_size(*sources, **settings)
        except TiebreakError as error:
            said, own = as_typed(error), {name for each in _OPTIONS for name in (*each.opts, *each.secondary_opts)}
            if pilot is None or own.issuperset(re.findall(r"--[a-z-]+", said)):
                raise
            way = "'tiebreak compare' has the options of reading, and its answer, saved with --format json, is a pilot as well."
            raise CommandError(f"{said} {way}") from None
        output.write(found)
