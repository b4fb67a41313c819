"""Wide tables: one row for each split, one column for each model."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tiebreak.errors import InvalidScoresError, UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.readers.columns import Table
from tiebreak.readers.keys import Rows
from tiebreak.readers.layout import COLUMNS_ARE_MODELS
from tiebreak.readers.metrics import infinite_score
from tiebreak.readers.seeds import mean_per_cell, refuse_doubled_seeds, refuse_single_split
from tiebreak.scores.assemble import SplitKeys, number_splits, size_per_split
from tiebreak.scores.scores import ScoreMatrix


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
