"""``tiebreak export``: the scores or the predictions of a run as a table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tiebreak.cli.measuring import read_run
from tiebreak.cli.options import help_option, store_option, writing
from tiebreak.cli.process import emit, say

if TYPE_CHECKING:
    import pandas as pd

_CSV = (".csv",)
_PARQUET = (".parquet", ".pq")
_STANDARD_OUTPUT = "-"


def _file(_: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and value != _STANDARD_OUTPUT and Path(value).suffix.lower() not in (*_CSV, *_PARQUET):
        raise click.BadParameter(f"{value!r} ends in neither .csv nor .parquet ('-' is standard output, as CSV).")
    return value


@click.command("export", short_help="Write the scores or predictions of a run to a file.")
@click.argument("run", metavar="RUN")
@click.option("--scores", metavar="FILE", callback=_file, help="A row for each cell and metric; 'tiebreak compare' reads it.")
@click.option("--predictions", metavar="FILE", callback=_file, help="A row for each model, split and test example.")
@store_option
@click.option("--raw", is_flag=True, help="Names as they are, also what a spreadsheet would run or a terminal obey.")
@help_option
def export_command(run: str, scores: str | None, predictions: str | None, store: str | None, raw: bool) -> None:
    """Write the scores or predictions of RUN to a file, CSV or Parquet by its ending; '-' is standard output."""
    if scores is None and predictions is None:
        raise click.UsageError("say what to write: --scores FILE, --predictions FILE, or both.")
    if scores is not None and scores == predictions:
        raise click.UsageError("scores and predictions cannot go to the same place.")
    evaluation = read_run(run, store)
    if scores is not None:
        _write(evaluation.to_frame(), scores, "scores", raw)
    if predictions is not None:
        _write(evaluation.predictions, predictions, "predictions", raw)


def _write(frame: pd.DataFrame, file: str, what: str, raw: bool) -> None:
    from tiebreak.views.view import csv_lines

    if file == _STANDARD_OUTPUT:
        emit(csv_lines(frame, raw=raw), raw=raw)
        return
    from tiebreak.views.files import write_whole

    path = Path(file)
    if path.suffix.lower() in _PARQUET:
        content = _encodable(frame).to_parquet(None, engine="pyarrow", index=False)
    else:
        content = "".join(csv_lines(frame, raw=raw)).encode("utf-8", "backslashreplace")
    with writing(f"the {what}", file):
        write_whole(path, content)
    say(f"{len(frame)} rows of {what} are in {file}")


def _encodable(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with lone surrogates as escapes, which Parquet could not hold."""
    import pandas as pd

    frame = frame.rename(columns=_escaped)
    for name, dtype in frame.dtypes.items():
        if isinstance(dtype, pd.CategoricalDtype):
            frame[name] = frame[name].cat.rename_categories(_escaped)
        elif not pd.api.types.is_numeric_dtype(dtype):
            frame[name] = frame[name].map(_escaped)
    return frame


def _escaped(value: object) -> object:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
