"""``tiebreak rate``: battles, or scores on many datasets, in; ratings with intervals and ranks out."""

from typing import Any

import click

from tiebreak.cli.options import (
    Output,
    direction_options,
    format_option,
    help_option,
    html_option,
    plots_option,
    raw_option,
    read_by_roles,
    role_options,
    show_found,
    with_direction,
)
from tiebreak.cli.process import standard_input_as_file, waiting
from tiebreak.errors import TiebreakError

EPILOG = """\b
Examples:
  tiebreak rate battles.csv
  tiebreak rate results/*/annotations.json
  tiebreak rate battles.csv --anchor baseline --plots figures
  tiebreak rate scores.csv --metric accuracy --format markdown
"""

_OPTIONS = [
    click.Option(["--metric"], metavar="NAME", help="Of a table of scores: which metric, or its name where the table has none."),
    *direction_options,
    click.Option(
        ["--tie-margin"],
        type=float,
        default=0.0,
        metavar="WIDTH",
        help="Of a table of scores: means that differ by no more than this tie.",
    ),
    click.Option(["--anchor"], metavar="NAME", help="The model that is rated 1000; else the mean is."),
    click.Option(
        ["--cluster"],
        metavar="COLUMN",
        help="Battles that belong together, such as user.  [default: cluster; else question_id, where questions repeat]",
    ),
    *role_options,
    click.Option(["--ignore-position"], is_flag=True, help="Take no bias for the first out: model_a did not stand there."),
    click.Option(["--level"], type=float, default=0.95, show_default=True, help="Coverage of the intervals."),
    format_option,
    raw_option,
    plots_option,
    html_option,
]


@click.command("rate", params=_OPTIONS, epilog=EPILOG)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@help_option
def rate_command(files: tuple[str, ...], **settings: Any) -> None:
    """Rate the models in the FILEs, with intervals of the ratings and of the ranks.

    A FILE holds battles, in the columns model_a, model_b and winner (a, b or tie), or called as others call them, with cluster
    where battles belong together and weight where some count more; model_a stood first, and a judge's bias for the first is
    taken out where models met in both orders. Or it has winner and loser; or wins_a, wins_b and ties, counted. Or it holds scores
    of several datasets, as 'tiebreak compare' reads them. CSV, JSON and Parquet are read; '-' is standard input. Several are
    joined, and of a folder all tables of battles in it; AlpacaEval's annotations are read too.
    """
    from tiebreak.rating import rate, read_rated
    from tiebreak.readers.folder import with_folders

    output = Output.of(settings, files)
    settings = with_direction(settings)
    settings["position"] = not settings.pop("ignore_position")
    with standard_input_as_file(files) as held, waiting("rating"):
        sources = with_folders(held)
        try:
            found = read_by_roles(read_rated, sources, settings, ("cluster", "metric", "lower_is_better"))
            ratings = rate(*found, **settings)
        except TiebreakError:
            show_found(sources, on_stdout=False)
            raise
    show_found(sources, on_stdout=output.is_text)
    output.write(ratings)
