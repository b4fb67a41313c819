"""Long and wide tables become scores: the part that is the same whatever the table was read from."""

from __future__ import annotations

import dataclasses

import numpy as np

from tiebreak.errors import UnknownNameError, UnreadableSourceError
from tiebreak.numerics import FloatArray
from tiebreak.readers.checks import refuse_items
from tiebreak.readers.columns import Column, Labels, NotNumbers, Table, in_order_of_appearance
from tiebreak.readers.keys import Keys, Rows, read_rows, read_words
from tiebreak.readers.layout import Layout
from tiebreak.readers.long import long_matrix
from tiebreak.readers.metrics import check_sign, choose_metric, infinite_score, orient, table_metric
from tiebreak.readers.request import Request
from tiebreak.readers.sizes import known_sizes, with_sizes
from tiebreak.readers.source import Source, assumed_paired
from tiebreak.readers.wide import wide_matrices
from tiebreak.scores.names import look_up, quoted
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign


def read_table(table: Table, layout: Layout, request: Request, suffixes: tuple[str, ...] = ()) -> Source:
    """Scores of a long or wide table.

    Parameters
    ----------
    table : Table
        Is emptied on the way.
    layout : Layout
    request : Request
    suffixes : tuple of str
        As of `Source`.
    """
    if table.n_rows == 0:
        raise UnreadableSourceError(f"{table.name} has column names but no rows, so there are no scores in it.")
    held, table = _of_one_metric(table, layout, request)
    dataset, table = _of_one_dataset(table, layout, request)
    rows = read_rows(table, layout, dataset)
    if layout.form == "wide":
        matrices = wide_matrices(table, layout.others, rows)
    else:
        score_name, held = _score_column(table, layout, request, held)
        matrices = _long_matrices(table, layout.reserved["model"], score_name, rows)
    if "repeat" not in layout.reserved and "fold" not in layout.reserved:
        for matrix in matrices:
            refuse_items(matrix, request, table.name)
    return _source(table.name, matrices, held, request, rows.keys, suffixes)


def _source(
    name: str, matrices: list[ScoreMatrix], held: str | None, request: Request, keys: Keys | None, suffixes: tuple[str, ...]
) -> Source:
    named = table_metric(held, request, name)
    matrices = [
        with_sizes(dataclasses.replace(matrix, score=orient(matrix.score, named.factor)), request, name) for matrix in matrices
    ]
    for matrix in matrices:
        check_sign(matrix, named, name)
    design = SplitDesign(pairing="key" if keys else "position", sizes=known_sizes(matrices))
    notices = () if keys else (assumed_paired(name),)
    labels = (keys.repeat.labels, keys.fold.labels) if keys else (None, None)
    return Source(Scores(named.metric, tuple(matrices), design, notices), name, suffixes, *labels)


# --- which rows are meant ---------------------------------------------------------------------------------------------


def _of_one_metric(table: Table, layout: Layout, request: Request) -> tuple[str | None, Table]:
    if "metric" not in layout.reserved:
        return None, table
    labels = in_order_of_appearance(read_words(table, layout.reserved["metric"], "metric"))
    held = choose_metric(labels.names, request.metric, table.name)
    return held, _take(table, labels, labels.names.index(held))


def _of_one_dataset(table: Table, layout: Layout, request: Request) -> tuple[Labels | None, Table]:
    labels = None
    if "dataset" in layout.reserved:
        name = layout.reserved["dataset"]
        labels = table.labels(name)
        labels = None if np.all(labels.code < 0) else labels
        if labels is not None:
            table.columns[name] = labels
            labels = in_order_of_appearance(read_words(table, name, "dataset"))
    if request.dataset is None:
        return labels, table
    if labels is None:
        raise UnknownNameError(f"dataset={request.dataset!r} was given, but {table.name} does not name any datasets.")
    code = look_up(request.dataset, labels.names, "dataset")
    table = _take(table, labels, code)
    return Labels((request.dataset,), np.zeros(table.n_rows, dtype=np.int8)), table


def _take(table: Table, labels: Labels, code: int) -> Table:
    if len(labels.names) == 1:
        return table
    rows = np.flatnonzero(labels.code == code)
    columns: dict[str, Column] = {}
    for name in list(table.columns):
        column = table.columns.pop(name)
        if isinstance(column, NotNumbers):
            columns[name] = column
        else:
            columns[name] = column.take(rows) if isinstance(column, Labels) else column[rows]
    where = table.where
    return Table(table.name, int(rows.size), columns, lambda row: where(int(rows[row])))


# --- long tables --------------------------------------------------------------------------------------------------------


def _score_column(table: Table, layout: Layout, request: Request, held: str | None) -> tuple[str, str | None]:
    """Name of the column of scores, and of the metric in it."""
    if layout.form == "long":
        return layout.reserved["score"], held
    numeric = [name for name in layout.others if isinstance(table.columns[name], np.ndarray)]
    if held is not None and len(numeric) == 1:
        return numeric[0], held
    if not numeric or held is not None:
        raise UnreadableSourceError(
            f"{table.name} has a column of models, but which column holds their scores? There are {quoted(layout.others)}. "
            "Call it 'score', or name it after its metric."
        )
    asked = request.metric
    chosen = choose_metric(numeric if asked is None else layout.others, asked, table.name)
    return chosen, chosen


def _long_matrices(table: Table, model_name: str, score_name: str, rows: Rows) -> list[ScoreMatrix]:
    models = in_order_of_appearance(read_words(table, model_name, "model"))
    score = table.numbers(score_name)
    _refuse_infinite(table, models, score)
    matrices = []
    for number, dataset in enumerate(rows.datasets):
        chosen = rows.of_dataset(number)
        if chosen is None:
            return [long_matrix(dataset, models, score, rows, table.name)]
        part = in_order_of_appearance(models.take(chosen))
        matrices.append(long_matrix(dataset, part, score[chosen], rows.take(chosen), table.name))
    return matrices


def _refuse_infinite(table: Table, models: Labels, score: FloatArray) -> None:
    infinite = np.isinf(score)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise infinite_score(f"{table.where(row)}: model {models.names[models.code[row]]!r}", score[row])
