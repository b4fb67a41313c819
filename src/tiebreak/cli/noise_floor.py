"""``tiebreak noise-floor``: runs of one model in; how far apart they lie, for gates, out."""

from pathlib import Path
from typing import Any

import click

import tiebreak as tb
from tiebreak.cli.options import (
    NAMES,
    Output,
    check_apart,
    format_option,
    help_option,
    html_option,
    raw_option,
    read_by_roles,
    role_options,
)
from tiebreak.cli.process import say, standard_input_as_file

EPILOG = """\b
Examples:
  tiebreak noise-floor runs.csv --output noise.json
  tiebreak noise-floor samples_first.jsonl samples_again.jsonl --same
  tiebreak compare new.jsonl old.jsonl --rope 0.05 --require-not-worse new old --noise-floor noise.json
"""

_OPTIONS = [
    click.Option(["--metric"], metavar="NAME", help="Name of the scores, or which of several."),
    click.Option(
        ["--lower-is-better/--higher-is-better"], default=None, help="Direction of a metric that scikit-learn does not know."
    ),
    click.Option(["--models"], **NAMES, help="Only these models. Repeatable."),
    click.Option(["--item"], metavar="COLUMN", help="Column that names the items."),
    *role_options,
    click.Option(["--same"], is_flag=True, help="All files are of one model, whatever they call it."),
    click.Option(
        ["--averaged", "n_averaged"],
        type=click.IntRange(min=1),
        metavar="N",
        help="Runs or epochs of which a model's score is the mean.  [default: 1 run, or all epochs]",
    ),
    click.Option(
        ["--level"], type=float, default=0.95, show_default=True, help="Probability with which two runs stay within the floor."
    ),
    click.Option(
        ["--output", "file"],
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Keep it as JSON, for --noise-floor; in a folder of results gates find it by themselves.",
    ),
    format_option,
    raw_option,
    html_option,
]


@click.command("noise-floor", params=_OPTIONS, epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@help_option
def noise_floor_command(files: tuple[str, ...], file: Path | None, **settings: Any) -> None:
    """Say how far two runs of one and the same model lie apart in FILEs, or in a folder: re-runs, seeds or epochs.

    A smaller difference of two models may be noise. Logs and tables are read as by 'tiebreak compare'; runs stand in a column
    run or seed, in several files, or are epochs of each item.
    """
    output = Output.of(settings, files)
    check_apart("--output", file, files)
    with standard_input_as_file(files) as held:
        sources = read_by_roles(tb.read_scores, held, settings, ("metric", "lower_is_better", "models", "item"))
        floor = tb.noise_floor(*sources, **settings)
    output.write(floor)
    if file is not None:
        floor.to_json(file)
        say(f"the noise floor is in {file}")
