"""``tiebreak sample-size``: what it takes to see a difference, before anything is measured or from a pilot."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import click

from tiebreak.cli.options import (
    PLOTS,
    check_raw,
    direction_options,
    format_option,
    help_option,
    raw_option,
    with_direction,
    with_options,
)
from tiebreak.cli.process import CommandError, emit_result, make_folder, reason, say, standard_input_as_file, writing

EPILOG = """\b
Examples:
  tiebreak sample-size --difference 0.02 --discordant 0.1
  tiebreak sample-size --n 500 --rates 0.8 --correlation 0.5 --looks 5
  tiebreak sample-size --question splits --difference 0.01 --sd 0.03
  tiebreak sample-size pilot.csv --difference 0.02 --write-order order.csv
"""


class Numbers(click.ParamType[Any]):
    """A number, or two with a comma between."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """One number, or both as a tuple."""
        if not isinstance(value, str):
            return value
        try:
            numbers = tuple(float(each) for each in value.split(","))
        except ValueError:
            numbers = ()
        if len(numbers) not in (1, 2):
            self.fail(f"{value!r} is no number, such as 0.8, and no two of them, such as 0.82,0.80.", param, ctx)
        return numbers[0] if len(numbers) == 1 else numbers


_OPTIONS = (
    click.option("--difference", type=float, metavar="D", help="True difference that is worth seeing, in the metric's unit."),
    click.option("--n", type=int, metavar="N", help="Units: items, repeats, datasets, seeds. Says which difference they show."),
    click.option("--rope", type=float, metavar="WIDTH", help="Largest difference that does not matter.  [default: 0]"),
    click.option("--power", type=float, metavar="P", help="Chance that the answer is what was asked for.  [default: 0.8]"),
    click.option(
        "--goal",
        type=click.Choice(("better", "ahead", "equivalent", "not worse", "near best")),
        default="better",
        show_default=True,
        help="What is to be shown.",
    ),
    click.option(
        "--question",
        type=click.Choice(("examples", "splits", "datasets", "seeds", "test-sets")),
        help="To what the answer generalises.  [default: examples]",
    ),
    click.option("--discordant", type=float, metavar="SHARE", help="Share of items on which exactly one model is right."),
    click.option("--rates", type=Numbers(), metavar="P[,Q]", help="Share that the second model has right, or that both have."),
    click.option("--areas", type=Numbers(), metavar="A[,B]", help="Area under the ROC curve, likewise."),
    click.option("--sd", type=Numbers(), metavar="SD[,SD]", help="Standard deviation of differences, or of one model's scores."),
    click.option("--correlation", type=float, metavar="R", help="Of both models' answers over items."),
    click.option("--positives", type=float, metavar="SHARE", help="Share of positive items, with --areas.  [default: 0.5]"),
    click.option("--cluster-size", type=float, metavar="M", help="Items of a cluster."),
    click.option("--intraclass-correlation", type=float, metavar="R", help="Of the differences within a cluster."),
    click.option("--n-runs", type=int, metavar="R", help="Runs that each item is answered in.  [default: 1]"),
    click.option("--run-sd", type=float, metavar="SD", help="Part of --sd that changes from run to run of one item."),
    click.option("--shared-run-sd", type=float, metavar="SD", help="Standard deviation of the mean from run to run."),
    click.option("--n-folds", type=int, metavar="K", help="Splits of a repeat.  [default: 10]"),
    click.option("--n-train", type=int, metavar="N", help="Training examples of a split."),
    click.option("--n-test", type=int, metavar="N", help="Test examples of a split."),
    click.option("--paired", is_flag=True, default=None, help="Seeds are the same for both models."),
    click.option("--n-models", type=int, metavar="M", help="Models, whose pairs share alpha.  [default: 2]"),
    click.option("--with-baseline", "baseline", is_flag=True, default=None, help="All are compared with one baseline only."),
    click.option("--n-questions", type=int, metavar="N", help="Requirements that share alpha."),
    click.option("--alpha", type=float, metavar="A", help="Error rate of the family.  [default: 0.05]"),
    click.option("--correction", type=click.Choice(("bonferroni", "none")), help="How pairs share alpha."),
    click.option("--looks", type=int, default=1, show_default=True, metavar="N", help="Looks at data that are still coming in."),
    click.option("--seconds", type=float, metavar="S", help="Time of one fit or answer."),
    click.option("--pair", nargs=2, metavar="A B", help="Which pair of the pilot; else that with the widest interval."),
    click.option("--metric", metavar="NAME", help="Of the pilot."),
    *direction_options,
    click.option("--method", metavar="NAME", help="Of the pilot, as for 'tiebreak compare'."),
    click.option(
        "--write-order",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the random order in which to run the units into this CSV file.",
    ),
    click.option(
        "--ids",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="CSV file with the units for --write-order in its first column, their clusters in a second one.",
    ),
    click.option(
        "--seed", "rng", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Seed of the order."
    ),
    format_option("How the answer is written."),
    raw_option,
    click.option("--plots", **PLOTS, help="Draw the power into this folder."),
)


@click.command("sample-size", epilog=EPILOG, short_help="Say how many items, repeats or datasets it takes.")
@click.argument("pilot", metavar="[PILOT]", required=False)
@with_options(*_OPTIONS)
@help_option
def sample_size_command(
    pilot: str | None,
    write_order: Path | None,
    ids: Path | None,
    rng: int,
    format_: str,
    raw: bool,
    plots: Path | None,
    **settings: Any,
) -> None:
    """Say how many units show a difference, or which difference so many show.

    Give --difference or --n, and how much differences vary: by --discordant, --rates, --areas or --sd, or by a PILOT, a table
    of a few units that 'tiebreak compare' reads. Several models, clusters, runs and looks are allowed for.
    """
    from tiebreak.sizing import sample_size
    from tiebreak.views.sample_size import csv_rows

    settings = with_direction(settings)
    settings["pair"] = settings["pair"] or None
    check_raw(raw, format_)
    if ids is not None and write_order is None:
        raise click.UsageError("--ids goes with --write-order.")
    if plots is not None:
        make_folder(plots)
    if pilot is None:
        size = sample_size(**settings)
    else:
        with standard_input_as_file([pilot]) as (source,):
            size = sample_size(source, **settings)
    if write_order is not None:
        named = {} if ids is None else _named(ids)
        with writing("the order", write_order):
            size.write_order(write_order, rng=rng, **named)
    emit_result(size, format_, lambda: csv_rows(size), raw=raw)
    if write_order is not None:
        say(f"the order is in {write_order}")
    if plots is not None:
        with writing("the plot", plots):
            size.plot.save_all(plots)
        say(f"power.png is in {plots}")


def _named(path: Path) -> dict[str, list[str]]:
    """Names of units, and of their clusters where there is a second column; a header is told by the words in it."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if row]
    except OSError as error:
        raise CommandError(f"{str(path)!r} cannot be read: {reason(error)}") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{str(path)!r} is no text in UTF-8, so its names cannot be read.") from error
    from tiebreak.readers.header import role_of

    if rows and (
        rows[0][0].strip().lower() in _HEADERS
        or role_of(rows[0][0]) in ("item", "dataset", "seed")
        or "cluster" in (cell.strip().lower() for cell in rows[0][1:2])
    ):
        rows = rows[1:]
    if not rows:
        raise CommandError(f"{str(path)!r} holds no names.")
    if any(len(row) != len(rows[0]) or len(row) > 2 for row in rows):
        raise CommandError(f"{str(path)!r} has to have one column of names in all rows, or two, the second one of clusters.")
    found = {"ids": [row[0] for row in rows]}
    return found | ({"clusters": [row[1] for row in rows]} if len(rows[0]) == 2 else {})


_HEADERS = ("id", "ids", "name")
"""Words above a column of names, beside those for items."""
