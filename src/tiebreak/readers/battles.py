"""Battles: who was preferred to whom, from files, frames, records or columns with model_a, model_b and winner."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tiebreak.errors import InvalidScoresError, SourceNotFoundError, UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.readers.frames import values_of
from tiebreak.readers.source import check_lines, check_path, is_path, parse_log

COLUMNS = ("model_a", "model_b", "winner")
CLUSTER, WEIGHT = "cluster", "weight"
MOST_RATED = 2_000
"""Models: what is counted of each two of them, and of each resample, takes 16 bytes and more."""

SMALLEST_WEIGHT = 1e-9
"""Share of the largest weight below which another is lost in rounding."""

A_WINS = frozenset({"a", "model_a", "1", "1.0", "left", "first"})
B_WINS = frozenset({"b", "model_b", "2", "2.0", "right", "second"})
NOBODY_WINS = frozenset({"tie", "tied", "draw", "both", "none", "0", "0.0", "tie (bothbad)", "both_bad", "bothbad", "equal"})


@dataclass(frozen=True, slots=True, eq=False)
class Battles:
    """Battles of two models each.

    Attributes
    ----------
    models : tuple of str
        In order of their names.
    model_a, model_b : ndarray of shape (n_battles,)
        Numbers of the models.
    outcome : ndarray of shape (n_battles,)
        1 where the first won, -1 where the second did, 0 for a tie.
    cluster : ndarray of shape (n_battles,) or None
        Number of the cluster of each battle, where the source names clusters.
    weight : ndarray of shape (n_battles,) or None
    """

    models: tuple[str, ...]
    model_a: IntArray
    model_b: IntArray
    outcome: IntArray
    cluster: IntArray | None
    weight: FloatArray | None


def read_battles(source: Any) -> Battles | None:
    """Battles in a CSV, JSON or Parquet file, a frame, records or columns; None where the columns are not those of battles."""
    name = printable(str(source)) if is_path(source, *_ENDINGS) else "the battles"
    columns = _columns(source, name)
    if columns is None:
        return None
    known = {str(key).strip().casefold(): values for key, values in columns.items()}
    lacking = [key for key in COLUMNS if key not in known]
    if len(lacking) == len(COLUMNS) or ("model_a" in lacking and "model_b" in lacking):
        return None
    if lacking:
        found = ", ".join(map(repr, known))
        raise UnreadableSourceError(
            f"{name} lacks the column {' and '.join(map(repr, lacking))}. Battles have model_a, model_b and winner (a, b or "
            f"tie), and may have cluster and weight; found: {found}."
        )
    return _battles(known, name)


def _battles(columns: Mapping[str, Sequence[Any]], name: str) -> Battles:
    columns = {key: values for key, values in columns.items() if key in (*COLUMNS, CLUSTER, WEIGHT)}
    sizes = {key: len(values) for key, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InvalidScoresError(f"{name}: the columns need one value for each battle; their lengths are {sizes}.")
    for key, values in columns.items():
        nested = [row for row, value in enumerate(values) if isinstance(value, list | tuple | set | dict)]
        if nested:
            raise InvalidScoresError(
                f"{name}, row {nested[0] + 1}: {key} is {printable(f'{values[nested[0]]!r:.60}')}; it must be a single text or "
                "number."
            )
    first, second = ([_word(value) for value in columns[key]] for key in ("model_a", "model_b"))
    if not first:
        raise UnreadableSourceError(f"{name} has no battles in it.")
    for key in (*COLUMNS, *(key for key in (CLUSTER, WEIGHT) if key in columns)):
        empty = [row for row, value in enumerate(columns[key]) if not _word(value)]
        if empty:
            raise UnreadableSourceError(
                f"{name}, row {empty[0] + 1}: {key} is empty, and so it is in {len(empty)} row(s) of all."
            )
    models = tuple(sorted({*first, *second}))
    if len(models) > MOST_RATED:
        raise InvalidScoresError(
            f"{name} has {len(models):,} models, and at most {MOST_RATED:,} can be rated together, as memory grows with their "
            "square. Keep the battles between those that matter."
        )
    code = {model: number for number, model in enumerate(models)}
    a, b = (np.array([code[model] for model in side]) for side in (first, second))
    itself = np.flatnonzero(a == b)
    if itself.size:
        row = int(itself[0])
        raise InvalidScoresError(
            f"{name}, row {row + 1}: {first[row]!r} meets itself; {itself.size} row(s) have one model twice. Leave them out."
        )
    outcome = np.array(
        [_outcome(*values, name, row) for row, values in enumerate(zip(columns["winner"], first, second, strict=True))]
    )
    cluster = None
    if CLUSTER in columns:
        cluster = np.unique([_word(value) for value in columns[CLUSTER]], return_inverse=True)[1]
    return Battles(models, a, b, outcome, cluster, _weights(columns, name))


def _outcome(value: Any, first: str, second: str, name: str, row: int) -> int:
    """1, -1 or 0; the names of the models count before words such as a and b."""
    word = _word(value)
    if word in (first, second):
        return 1 if word == first else -1
    said = word.casefold()
    for words, outcome in ((A_WINS, 1), (B_WINS, -1), (NOBODY_WINS, 0)):
        if said in words:
            return outcome
    raise InvalidScoresError(
        f"{name}, row {row + 1}: winner is {word!r}, which is neither a, b or tie, nor {first!r} or {second!r}."
    )


def _weights(columns: Mapping[str, Sequence[Any]], name: str) -> FloatArray | None:
    if WEIGHT not in columns:
        return None
    weights = []
    for row, value in enumerate(columns[WEIGHT]):
        try:
            weight = float(value)
        except (TypeError, ValueError, OverflowError):
            weight = float("nan")
        if not 0 <= weight < float("inf"):
            raise InvalidScoresError(f"{name}, row {row + 1}: weight must be a number of at least 0; got {_word(value)!r}.")
        weights.append(weight)
    positive = [weight for weight in weights if weight]
    if positive and min(positive) < SMALLEST_WEIGHT * max(positive):
        raise InvalidScoresError(
            f"{name}: weights lie between {min(positive):.3g} and {max(positive):.3g}, too far apart for one fit. Leave out the "
            "battles that hardly count."
        )
    return np.array(weights)


def _word(value: Any) -> str:
    text = str(value).strip()
    is_gap = value is None or (not isinstance(value, str) and text.casefold() in ("nan", "nat", "<na>"))
    return "" if is_gap else text


# --- columns of any table -----------------------------------------------------------------------------------------------

_ENDINGS = ("", ".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet")


def _columns(source: Any, name: str) -> dict[str, list[Any]] | None:
    """Columns of a table, whatever it is kept in; None for what is no table."""
    if is_path(source, *_ENDINGS):
        path = Path(source)
        if "://" in str(source):
            return None  # a run in a store
        check_path(path, name)
        try:
            return _of_parquet(path, name) if path.suffix.lower() == ".parquet" else _of_text(path, name)
        except OSError as error:
            raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None
    if isinstance(source, Mapping):
        return {str(key): list(values) for key, values in source.items()} if _are_columns(source) else None
    if isinstance(source, list | tuple):
        return _of_records(source) if source and all(isinstance(row, Mapping) for row in source) else None
    return _of_frame(source)


def _are_columns(source: Mapping[Any, Any]) -> bool:
    return all(isinstance(values, Iterable) and not isinstance(values, str | Mapping) for values in source.values())


def _of_records(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    held = list(rows)
    names = dict.fromkeys(str(key) for row in held for key in row)
    return {name: [row.get(name) for row in held] for name in names}


def _of_frame(source: Any) -> dict[str, list[Any]] | None:
    import narwhals as nw

    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return {name: values_of(frame[name], name) for name in frame.columns} if isinstance(frame, nw.DataFrame) else None


def _of_parquet(path: Path, name: str) -> dict[str, list[Any]] | None:
    from tiebreak.readers.frames import parquet_table

    return _of_frame(parquet_table(path, name))


def _of_text(path: Path, name: str) -> dict[str, list[Any]] | None:
    """CSV, or JSON: a list of records, a dict of columns, or a record in each line."""
    ending = path.suffix.lower()
    if ending == ".jsonl":
        check_lines(path, name)
    try:
        text = path.read_bytes().decode("utf-8-sig")  # line ends within a name stay as they are
    except UnicodeDecodeError as error:
        raise UnreadableSourceError(f"{name} is not UTF-8 at byte {error.start}; save it as UTF-8.") from None
    if ending == ".jsonl" or (ending == ".json" and "\n{" in text and text.lstrip().startswith("{")):
        return _of_records(_records(text, name))
    if ending == ".json":
        held = parse_log(text, name, share=16)
        return _columns(held, name) if isinstance(held, dict | list) else None
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if ending == ".tsv" else ","))
    except csv.Error as error:
        raise UnreadableSourceError(f"{name} cannot be read as CSV: {error}. Is a quotation mark left open?") from None
    names, *rows = [row for row in lines if row] if text.strip() else [[]]
    ragged = next((number for number, row in enumerate(rows) if len(row) != len(names)), None)
    if ragged is not None:
        return None  # the reader of scores says what is wrong with it
    return {key: [row[i] for row in rows] for i, key in enumerate(names)}


def _records(text: str, name: str) -> Iterator[Mapping[str, Any]]:
    """Objects in lines."""
    for number, line in enumerate(io.StringIO(text, newline=None), start=1):  # U+2028 ends no line of JSON
        if line.strip():
            record = parse_log(line, f"{name}, line {number},")
            if not isinstance(record, Mapping):
                raise UnreadableSourceError(f"{name}, line {number} holds no object.")
            yield record
