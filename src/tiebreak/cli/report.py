"""``tiebreak report``: a run or files with scores in, one HTML file to send out."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.compare import decision_options
from tiebreak.cli.measuring import read_run
from tiebreak.cli.options import (
    COUNT,
    NAME,
    REPORT,
    Output,
    check_apart,
    direction_options,
    help_option,
    store_option,
    with_direction,
    with_options,
)
from tiebreak.cli.process import CommandError, standard_input_as_file, waiting

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison

EPILOG = """\b
Examples:
  tiebreak report scores.csv --metric accuracy --rope 0.01 --out report.html
  tiebreak report scores.csv --metric accuracy --metric log_loss --out report.html
  tiebreak report moons --store sqlite:///runs.db --out report.html
"""


def _facts_of(_context: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> dict[str, str]:
    """Facts by their names."""
    if wrong := [value for value in values if not value.partition("=")[0]]:
        raise click.BadParameter(f"{wrong[0]!r} has no name; write NAME=VALUE.")
    return {name: value for name, _, value in (each.partition("=") for each in values)}


_OPTIONS = (
    click.option("--out", required=True, **REPORT, help="The file, which ends in .html; one of that name is replaced."),
    click.option(
        "--metric",
        "metrics",
        multiple=True,
        **NAME,
        help="Which metric. Repeatable: the page switches between them.  [default: of a run all]",
    ),
    click.option("--dataset", **NAME, help="Which dataset, where files hold several."),
    *decision_options,
    *direction_options,
    click.option("--n-train", **COUNT, help="Training examples per split, where no file has them."),
    click.option("--n-test", **COUNT, help="Test examples per split, where no file has them."),
    store_option,
    click.option("--title", default="", metavar="TEXT", help="Title of the page.  [default: what was compared]"),
    click.option("--note", default="", metavar="TEXT", help="A paragraph under the title: who asks, and why."),
    click.option(
        "--data",
        "facts",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_facts_of,
        help="A fact about the data, such as rows=12400. Repeatable.",
    ),
)


@click.command("report", epilog=EPILOG, short_help="Write one page about a run or about scores, to send.")
@click.argument("sources", nargs=-1, required=True, metavar="RUN|FILE...")
@with_options(*_OPTIONS)
@help_option
def report_command(
    sources: tuple[str, ...],
    out: Path,
    metrics: tuple[str, ...],
    store: str | None,
    title: str,
    note: str,
    facts: dict[str, str],
    **settings: Any,
) -> None:
    """Write a report of RUN, or of the scores in FILE..., into one HTML file.

    The file opens offline and asks nothing of the network. It holds the answer, ranking, pairs, scores, what they rest on, and
    its own data, which 'tiebreak compare report.html' reads. FILE is whatever 'tiebreak compare' reads; of a stored RUN all
    metrics are compared, and the predictions that were kept are drawn.
    """
    settings = with_direction(settings)
    check_apart("--out", out, sources)
    if any(_is_file(source) for source in sources):
        make = _of_files(sources, metrics, settings)
    elif len(sources) == 1:
        make = _of_run(sources[0], metrics, store, settings)
    else:
        raise CommandError("a report is of one run, or of files; none of these is a file that is there.")
    Output(html=out).report(make, title=title, note=note, data=facts)


def _is_file(source: str) -> bool:
    """True for a file that is there, and for the name of one that is none: whoever reads it says what it is."""
    from tiebreak.readers.files import is_pipe
    from tiebreak.readers.read import is_file_name

    is_there = os.path.isfile(source) or is_pipe(source)  # noqa: PTH113  (a text that may be no path)
    return is_there or ("#" not in source and is_file_name(source))


def _of_files(sources: Sequence[str], metrics: Sequence[str], settings: dict[str, Any]) -> Callable[..., str]:
    from tiebreak import api
    from tiebreak.views.report.comparison import report_of

    with standard_input_as_file(sources) as held, waiting("reading and comparing"):
        comparisons: list[Comparison] = [api.compare(*held, metric=metric, **settings) for metric in metrics or (None,)]
    return functools.partial(report_of, comparisons)


def _of_run(run: str, metrics: Sequence[str], store: str | None, settings: dict[str, Any]) -> Callable[..., str]:
    from tiebreak.views.report.evaluation import report

    if settings["lower_is_better"] is not None:
        raise click.UsageError("the metrics of a run have their direction; --direction and --lower-is-better are for files.")
    evaluation = read_run(run, store)
    asked = {name: settings[name] for name in ("rope", "alpha", "baseline", "family", "correction") if settings[name] is not None}
    return functools.partial(report, evaluation, metrics, asked)
