"""Split, seed and sizes of each row of a table."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import InvalidScoresError, Setting, UnsuitableDesignError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.readers.columns import ScoreTable, Words, number_text
from tiebreak.scores.assemble import SplitKeys, number_splits, row_blocks
from tiebreak.scores.scores import ScoreMatrix
from tiebreak.scores.vocabulary import Kind


class Key(NamedTuple):
    """Whole numbers that identify a repeat or fold, and the words behind them if the source uses words."""

    code: IntArray
    labels: tuple[str, ...] | None


class Keys(NamedTuple):
    """The split of each row."""

    repeat: Key
    fold: Key

    def take(self, rows: IntArray) -> Keys:
        """The given rows."""
        return Keys(*(key._replace(code=key.code[rows]) for key in self))


class Rows(NamedTuple):
    """Facts of each row of a table, beside model and score; None where the table says nothing.

    Of `kind` "seeds" and "periods" the keys are no splits: they name the seed, as the repeat, and the period, as the fold.
    """

    dataset: Words | None
    keys: Keys | None
    seed: Words | None
    n_train: IntArray | None
    n_test: IntArray | None
    kind: Kind = "unknown"

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets, "" for the only one of a table that does not name it."""
        return ("",) if self.dataset is None else self.dataset.names

    def of_dataset(self, number: int) -> IntArray | None:
        """Rows of one dataset; None where that is all of them."""
        if self.dataset is None or len(self.dataset.names) == 1:
            return None
        return np.flatnonzero(self.dataset.code == number)

    def take(self, rows: IntArray | None) -> Rows:
        """The given rows, all of one dataset; None leaves them as they are."""
        if rows is None:
            return self
        keys = None if self.keys is None else self.keys.take(rows)
        seed = None if self.seed is None else self.seed.take(rows)
        n_train, n_test = (None if part is None else part[rows] for part in (self.n_train, self.n_test))
        return Rows(None, keys, seed, n_train, n_test)

    def unit_names(self, matrix: ScoreMatrix) -> tuple[str, ...]:
        """Names of the seeds or periods of a matrix of these rows; empty for splits."""
        if self.keys is None or self.kind == "unknown":
            return ()
        key, codes = (self.keys.repeat, matrix.repeat) if self.kind == "seeds" else (self.keys.fold, matrix.fold)
        return tuple(str(code) if key.labels is None else key.labels[code] for code in codes.tolist())


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort key by which "fold 2" comes before "fold 10"."""
    parts = re.split(r"(\d+)", text.casefold())
    # Python makes no number of thousands of digits
    return tuple((0, int(part), "") if part.isdecimal() and len(part) < 1000 else (1, 0, part) for part in parts if part), text


def read_rows(table: ScoreTable, dataset: Words | None) -> Rows:
    """Facts in the reserved columns, taken out of the table."""
    rows = Rows(dataset, _read_keys(table), _read_seeds(table), _read_size(table, "n_train"), _read_size(table, "n_test"))
    if "time" in table.header.reserved:
        return _by_period(rows, table)
    return _by_seed(rows, table) if len(rows.datasets) == 1 else rows


def _by_seed(rows: Rows, table: ScoreTable) -> Rows:
    """Rows that differ by seed only, on the one split of a single dataset, with the seed as their key."""
    seed = rows.seed
    if seed is None or (rows.keys is not None and number_splits(rows.keys.repeat.code, rows.keys.fold.code).n_splits > 1):
        return rows
    _refuse_empty(seed.code < 0, table, table.header.reserved["seed"], "seed")
    if rows.n_test is not None and np.unique(rows.n_test).size > 1:
        raise UnsuitableDesignError(
            f"the scores of {table.name} differ by seed, and the numbers of their test examples differ, too "
            f"({rows.n_test.min()} to {rows.n_test.max()}): so they are not of one test set. If each seed also drew a new split, "
            "call that column 'split' or 'repeat'."
        )
    nothing = Key(np.zeros(table.n_rows, dtype=np.int8), None)
    return rows._replace(keys=Keys(_key_of_words(seed), nothing), seed=None, kind="seeds")


def _by_period(rows: Rows, table: ScoreTable) -> Rows:
    """Rows in order of time, with the place of the period as their key."""
    name = table.header.reserved["time"]
    if len(rows.datasets) > 1:
        raise UnsuitableDesignError(
            f"{table.name} has periods (column {name!r}) of {len(rows.datasets)} datasets; losses in time are compared within "
            "one. Say which with ",
            Setting("dataset"),
            f", or leave the column {name!r} out to compare over datasets.",
        )
    column, code = table.columns[name], np.zeros(0, dtype=np.intp)
    if isinstance(column, np.ndarray):
        values = table.numbers(name)
        _refuse_empty(np.isnan(values), table, name, "time")
        found, code = np.unique(values, return_inverse=True)
        labels = tuple(number_text(value) for value in found.tolist())
    else:
        words = read_words(table, name, "time")
        moments = [_moment(word) for word in words.names]
        wrong = [code for code, moment in enumerate(moments) if moment is None]
        if wrong or len({moment is not None and moment.tzinfo is None for moment in moments}) > 1:
            # among numbers, the word that is none is to blame
            wrong = [code for code in wrong if not re.fullmatch(r"-?\d+(\.\d+)?", words.names[code])] or wrong
            row = int(np.argmax(np.isin(words.code, wrong))) if wrong else 0
            raise InvalidScoresError(
                f"{table.where(row)}, column {name!r}: {words.names[words.code[row]]!r} is neither a number nor a date such as "
                "2024-01-31, 2024-01 or 2024-Q1, so the order of the periods is not known. Number them, or write all dates that "
                "way (with a time zone in all of them or in none)."
            )
        order = sorted(set(words.code.tolist()), key=lambda code: (moments[code], words.names[code]))
        rank = np.zeros(len(words.names), dtype=np.intp)
        rank[order] = np.arange(len(order))
        texts = [words.names[each] for each in order]
        at_midnight = all(text.endswith(" 00:00:00") for text in texts)
        code, labels = rank[words.code], tuple(text.removesuffix(" 00:00:00") if at_midnight else text for text in texts)
    nothing = Key(np.zeros(table.n_rows, dtype=np.int8), None)
    return rows._replace(keys=Keys(nothing, Key(code, labels)), seed=None, kind="periods")


def _moment(word: str) -> datetime | None:
    """Begin of the period that a date, a month or a quarter names; None for other words."""
    month = re.fullmatch(r"(\d{4})-(\d{2})", word)
    quarter = re.fullmatch(r"(\d{4})-?Q([1-4])", word)
    if month is not None:
        word = f"{word}-01"
    elif quarter is not None:
        word = f"{quarter[1]}-{3 * int(quarter[2]) - 2:02d}-01"
    try:
        return datetime.fromisoformat(word)
    except ValueError:
        return None


def _key_of_words(words: Words) -> Key:
    """Names that are whole numbers as these, others numbered in their natural order."""
    if all(re.fullmatch(r"-?\d{1,15}", name) for name in words.names):
        return Key(np.array([int(name) for name in words.names])[words.code], None)
    return _number(words)


def _number(words: Words) -> Key:
    """Words numbered in their natural order."""
    codes = sorted(np.unique(words.code).tolist(), key=lambda code: natural_key(words.names[code]))
    rank = np.zeros(len(words.names), dtype=np.int32)
    rank[codes] = np.arange(len(codes))
    return Key(rank[words.code], tuple(words.names[code] for code in codes))


def _read_keys(table: ScoreTable) -> Keys | None:
    """Split of each row, or None where no column says so.

    A lone 'split' is the fold. Beside one of 'repeat' and 'fold' it stands in for the other, which tells splits apart
    whether it is a running number or not.
    """
    if not table.header.keys:
        return None
    found = {word: _read_key(table, table.header.reserved[word], word) for word in table.header.keys}
    split = found.get("split")
    nothing = Key(np.zeros(table.n_rows, dtype=np.int8), None)
    if "fold" not in found:
        return Keys(found.get("repeat", nothing), split or nothing)
    return Keys(found.get("repeat") or split or nothing, found["fold"])


def _read_key(table: ScoreTable, name: str, word: str) -> Key:
    column = table.columns[name]
    if isinstance(column, np.ndarray):
        return Key(_whole(table.numbers(name), table, name, word), None)
    return _number(read_words(table, name, word))


def _whole(values: FloatArray, table: ScoreTable, name: str, word: str) -> IntArray:
    """Keys as whole numbers of the smallest type that holds them, since there may be millions."""
    _refuse_empty(np.isnan(values), table, name, word)
    low, high = float(values.min()), float(values.max())
    row = _first_not_whole(values) if max(-low, high) <= 2**53 else int(np.argmax(np.abs(values)))
    if row is not None:
        raise InvalidScoresError(
            f"{table.where(row)}, column {name!r}: a {word} must be a whole number or a word; got {float(values[row])!r}."
        )
    types = (np.int8, np.int16, np.int32, np.int64)
    return values.astype(next(each for each in types if np.iinfo(each).min <= low and high <= np.iinfo(each).max))


def _first_not_whole(values: FloatArray) -> int | None:
    for rows in row_blocks(values.size):
        wrong = values[rows] != np.floor(values[rows])
        if wrong.any():
            return int(rows.start + np.argmax(wrong))
    return None


def _refuse_empty(is_empty: np.ndarray, table: ScoreTable, name: str, word: str) -> None:
    if is_empty.any():
        raise InvalidScoresError(
            f"{table.where(int(np.argmax(is_empty)))}, column {name!r}: no {word} is given ({np.count_nonzero(is_empty)} such "
            f"row(s) in all). Fill it in, or remove the row."
        )


def read_words(table: ScoreTable, name: str, word: str) -> Words:
    """Take out a column of names or keys as words; every row must have one."""
    words = table.words(name)
    _refuse_empty(words.code < 0, table, name, word)
    return words


def _read_seeds(table: ScoreTable) -> Words | None:
    """Seed of each row; None where there is no such column or it never changes."""
    if "seed" not in table.header.reserved:
        return None
    seed = table.words(table.header.reserved["seed"])
    return None if np.unique(seed.code).size < 2 else seed


def _read_size(table: ScoreTable, word: str) -> IntArray | None:
    """n_train or n_test of each row; None where there is no such column or it holds nothing."""
    if word not in table.header.reserved:
        return None
    name = table.header.reserved[word]
    values = table.numbers(name)
    if not np.any(np.nan_to_num(values)):
        return None  # as exported where the sizes are not known
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    wrong = np.flatnonzero((whole != values) | (whole < 1))
    if wrong.size:
        row = int(wrong[0])
        raise InvalidScoresError(
            f"{table.where(row)}, column {name!r}: {word} must be a number of examples, a whole number of at least 1; got "
            f"{float(values[row]):g}."
        )
    return whole


def position_in_model(model: IntArray) -> IntArray:
    """Position of each row among the rows of its model."""
    order = np.argsort(model, kind="stable")
    ordered = model[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, model.size])
    place = np.empty(model.size, dtype=np.int32)
    place[order] = np.arange(model.size) - np.repeat(starts, lengths)
    return place


def refuse_doubled_seeds(cell: IntArray, rows: Rows, keys: SplitKeys, models: tuple[str, ...]) -> None:
    """Refuse two rows that have model, split and seed in common.

    The cell of each row is its model times the number of splits, plus its split; models are named in messages.
    """
    if rows.seed is None and rows.kind != "seeds":
        return
    order = np.argsort(cell, kind="stable") if rows.seed is None else np.lexsort([rows.seed.code, cell])
    same = np.diff(cell[order]) == 0
    if rows.seed is not None:
        same &= np.diff(rows.seed.code[order]) == 0
    if same.any():
        model, split = divmod(int(cell[order][int(np.argmax(same))]), keys.n_splits)
        where = f"{keys.name(split)} and the same seed"
        if rows.kind == "seeds" and rows.keys is not None:
            key = rows.keys.repeat
            where = f"seed {keys.repeat[split] if key.labels is None else key.labels[keys.repeat[split]]}"
        raise InvalidScoresError(
            f"model {models[model]!r} has more than one score for {where} ({np.count_nonzero(same)} such row(s) in all). Keep "
            "one row for each model, split and seed."
        )


def mean_per_cell(values: FloatArray, cell: IntArray, n_cells: int) -> FloatArray:
    """Mean over the rows of each cell; nan where there is none, or where one of them is undefined."""
    counts = np.bincount(cell, minlength=n_cells)
    sums = np.bincount(cell, weights=values, minlength=n_cells)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
