"""Long and wide tables become scores: the part that is the same whatever the table was read from."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InvalidScoresError, UnknownNameError, UnpairedScoresError, UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.readers.columns import COLUMNS_ARE_MODELS, Column, Labels, Layout, NotNumbers, Table, in_order_of_appearance
from tiebreak.readers.metric import check_sign, choose_metric, infinite_score, orient, table_metric
from tiebreak.readers.source import Request, Source, assumed_paired, known_sizes, refuse_items, with_sizes
from tiebreak.readers.split_keys import (
    Keys,
    Rows,
    mean_per_cell,
    position_in_model,
    read_rows,
    read_words,
    refuse_doubled_seeds,
    refuse_single_split,
)
from tiebreak.scores.assemble import SplitKeys, assemble, number_splits, size_per_split
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign, look_up, quoted


def long_matrix(dataset: str, models: Labels, score: FloatArray, rows: Rows, source: str) -> ScoreMatrix:
    """Models by splits of one dataset.

    Raises
    ------
    UnpairedScoresError
        Models without a split in common.
    UnsuitableDesignError
        Rows that differ only by seed, on one split.
    """
    repeat, fold = _split_of_row(models, rows, source)
    if rows.seed is not None and _has_doubled(models.code, repeat, fold):
        return _mean_over_seeds(dataset, models, repeat, fold, score, rows, rows.seed, source)
    matrix = assemble(dataset, models.names, models.code, repeat, fold, score, rows.n_train, rows.n_test)
    if score.size < matrix.score.size:
        _refuse_strangers(models, number_splits(repeat, fold), source)
    return matrix


def _split_of_row(models: Labels, rows: Rows, source: str) -> tuple[IntArray, IntArray]:
    if rows.keys is not None:
        return rows.keys.repeat.code, rows.keys.fold.code
    counts = np.bincount(models.code, minlength=len(models.names))
    if rows.seed is not None and counts.max() > 1:
        raise refuse_single_split(np.unique(rows.seed).size, source)
    refuse_unequal_counts(models.names, counts, source)
    return np.zeros(models.code.size, dtype=np.int8), position_in_model(models.code)


def refuse_unequal_counts(models: tuple[str, ...], counts: IntArray, source: str) -> None:
    """Models paired by position must have the same number of scores.

    Raises
    ------
    UnpairedScoresError
        They do not.
    """
    other = np.flatnonzero(counts != counts[0])
    if other.size:
        raise UnpairedScoresError(
            f"{source} does not name its splits, so scores are paired by their order; but model {models[0]!r} has {counts[0]} "
            f"scores and {models[int(other[0])]!r} has {counts[other[0]]}. Give every model one score for each split, or name "
            "the splits in columns 'repeat' and 'fold' (or 'split')."
        )


def _has_doubled(model: IntArray, repeat: IntArray, fold: IntArray) -> bool:
    keys = number_splits(repeat, fold)
    cell = model.astype(np.int64) * keys.n_splits + keys.code
    return bool(np.unique(cell).size < cell.size)


def _mean_over_seeds(
    dataset: str, models: Labels, repeat: IntArray, fold: IntArray, score: FloatArray, rows: Rows, seed: IntArray, source: str
) -> ScoreMatrix:
    keys = number_splits(repeat, fold)
    if keys.n_splits == 1:
        raise refuse_single_split(np.unique(seed).size, source)
    cell = models.code.astype(np.int64) * keys.n_splits + keys.code
    refuse_doubled_seeds(cell, seed, keys.n_splits, keys, models.names)
    _refuse_strangers(models, keys, source)
    n_cells = len(models.names) * keys.n_splits
    return ScoreMatrix(
        dataset,
        models.names,
        keys.repeat,
        keys.fold,
        size_per_split(rows.n_train, keys, "n_train"),
        size_per_split(rows.n_test, keys, "n_test"),
        mean_per_cell(score, cell, n_cells).reshape(len(models.names), keys.n_splits),
    )


def _refuse_strangers(models: Labels, keys: SplitKeys, source: str) -> None:
    """Refuse two models that have no split in common; those with some in common are for the comparison to judge."""
    there = np.zeros((len(models.names), keys.n_splits), dtype=np.float32)
    there[models.code, keys.code] = 1.0
    strangers = np.argwhere(there @ there.T == 0)
    if strangers.size:
        first, second = strangers[0].tolist()
        examples = " and ".join(_example(models.names[code], there[code], keys) for code in (first, second))
        raise UnpairedScoresError(
            f"{source}: models {models.names[first]!r} and {models.names[second]!r} have no split in common: {examples}. Score "
            "both on the same splits, or leave one out with models=."
        )


def _example(model: str, there: NDArray[np.float32], keys: SplitKeys) -> str:
    return f"{model!r} has {int(there.sum())}, the first of them {keys.name(int(np.argmax(there)))}"


class Block(NamedTuple):
    """Rows of one dataset and the split of each; `rows` in split order where every split has one row."""

    rows: IntArray | None
    keys: SplitKeys
    is_averaged: bool


def wide_matrices(table: Table, models: tuple[str, ...], rows: Rows) -> list[ScoreMatrix]:
    """Models by splits of each dataset; the table's columns are used up.

    Raises
    ------
    InvalidScoresError
        A cell that is no number or infinite, or two rows for one split.
    UnreadableSourceError
        A column that numbers the rows.
    UnsuitableDesignError
        Rows that differ only by seed, on one split.
    """
    blocks = [_block(rows, number, table) for number in range(len(rows.datasets))]
    scores = [np.empty((len(models), block.keys.n_splits)) for block in blocks]
    for position, model in enumerate(models):
        values = _model_column(table, model)
        for block, score in zip(blocks, scores, strict=True):
            mine = values if block.rows is None else values[block.rows]
            score[position] = mean_per_cell(mine, block.keys.code, block.keys.n_splits) if block.is_averaged else mine
    matrices = []
    for number, (block, score) in enumerate(zip(blocks, scores, strict=True)):
        keys, own = block.keys, rows.take(block.rows)
        sizes = (size_per_split(own.n_train, keys, "n_train"), size_per_split(own.n_test, keys, "n_test"))
        matrices.append(ScoreMatrix(rows.datasets[number], models, keys.repeat, keys.fold, *sizes, score))
    return matrices


def _model_column(table: Table, model: str) -> FloatArray:
    values = table.numbers(model, COLUMNS_ARE_MODELS)
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise infinite_score(f"{table.where(row)}: model {model!r}", values[row])
    if _is_running_number(values):
        raise UnreadableSourceError(
            f"column {model!r} of {table.name} counts upwards ({values[0]:g}, {values[1]:g} ... {values[-1]:g}), so it is "
            "probably a running number and not a model's scores. Drop it, or call it 'split' if it numbers the splits; if it "
            "does hold scores, use columns 'model' and 'score' instead."
        )
    return values


def _is_running_number(values: FloatArray) -> bool:
    """Whole numbers that go up from row to row, or that go up by one now and then, such as 1, 1, 2, 2, 3, 3."""
    if values.size < 3 or not values[0] <= values[1] <= values[-1] or values[-1] - values[0] < 2:
        return False
    step = np.diff(values)
    return bool((np.all(step > 0) or np.all((step == 0) | (step == 1))) and np.all(values == np.floor(values)))


def _block(rows: Rows, number: int, table: Table) -> Block:
    chosen = rows.of_dataset(number)
    mine = rows.take(chosen)
    n_rows = table.n_rows if chosen is None else chosen.size
    if mine.keys is None:
        if mine.seed is not None and n_rows > 1:
            raise refuse_single_split(np.unique(mine.seed).size, table.name)
        position = np.arange(n_rows)
        return Block(chosen, SplitKeys(np.zeros(n_rows, dtype=np.int64), position, position), False)
    keys = number_splits(mine.keys.repeat.code, mine.keys.fold.code)
    if keys.n_splits == n_rows:
        order = np.argsort(keys.code)
        keys = keys._replace(code=np.arange(n_rows))
        if chosen is None and np.array_equal(order, keys.code):
            return Block(None, keys, False)
        return Block(order if chosen is None else chosen[order], keys, False)
    if mine.seed is None:
        raise _doubled(keys, chosen, table)
    if keys.n_splits == 1:
        raise refuse_single_split(np.unique(mine.seed).size, table.name)
    refuse_doubled_seeds(keys.code, mine.seed, keys.n_splits, keys, ("every model",))
    return Block(chosen, keys, True)


def _doubled(keys: SplitKeys, chosen: IntArray | None, table: Table) -> InvalidScoresError:
    split = int(np.argmax(np.bincount(keys.code) > 1))
    lines = np.flatnonzero(keys.code == split)[:2]
    first, second = (int(line if chosen is None else chosen[line]) for line in lines)
    return InvalidScoresError(
        f"{table.where(second)}: there is already a row for {keys.name(split)} ({table.where(first)}). Keep one row for each "
        "split; if the rows differ by a random seed, name that column 'seed'; if by repeat, 'repeat'."
    )


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
