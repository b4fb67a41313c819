"""Battles: who was preferred to whom, from files, frames, records or columns with model_a, model_b and winner."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from tiebreak.errors import InvalidScoresError, SourceNotFoundError, UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.readers.columns import (
    BATTLES,
    JUDGED_PAIRS,
    SourceTable,
    Wanted,
    Words,
    battle_columns,
    column_of,
    find_column,
    is_missing,
    numbered_rows,
    refuse_doubled_names,
    to_words,
)
from tiebreak.readers.judged_pairs import judged_pairs
from tiebreak.readers.source import check_lines, check_path, is_path, parse_log
from tiebreak.readers.table import TEXT, column_names, read_text
from tiebreak.scores.vocabulary import look_up, quoted

COLUMNS, _ANNOTATED, *_ = BATTLES
CLUSTER, WEIGHT, QUESTION, PREFERENCE, JUDGE = "cluster", "weight", "question", "preference", "judge"
JUDGES = ("annotator", "judge", "judge_model")
"""Columns that say who judged, the first that is there."""

ANNOTATIONS = dict(zip(("model_a", "model_b", PREFERENCE), _ANNOTATED, strict=True))
"""Columns by what AlpacaEval's annotations call them; a preference is 1 for the first and 2 for the second."""

QUESTIONS = ("question_id", "question", "prompt_id", "instance_id", "item", "prompt", "instruction")
"""Columns that say what was asked, the first that is there."""

FEWEST_QUESTIONS = 20
"""Questions from which on they are resampled as a whole, where battles repeat them; fewer say too little of their own spread."""

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
        Number of the cluster of each battle, where the source names clusters, or at least `FEWEST_QUESTIONS` questions of which
        some stand in several battles: what is said of one question, such as in both orders, is alike.
    weight : ndarray of shape (n_battles,) or None
    question : ndarray of shape (n_battles,) or None
        Number of what was asked in each battle, where a column says it.
    question_column : str
        Name of that column.
    unit : {"battle", "cluster", "question"}
        Noun for what is independent.
    sources : tuple of str
        Names of the tables that were joined.
    judges : tuple of str
        Who judged, where each table has one judge and says which.
    n_without_verdict : int
        Judgements from which no winner could be read, which are left out.
    """

    models: tuple[str, ...]
    model_a: IntArray
    model_b: IntArray
    outcome: IntArray
    cluster: IntArray | None
    weight: FloatArray | None
    question: IntArray | None = None
    question_column: str = ""
    unit: Literal["battle", "cluster", "question"] = "battle"
    sources: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    n_without_verdict: int = 0

    def first(self, n: int) -> Battles:
        """The first n battles, of all the models."""
        columns = ("model_a", "model_b", "outcome", "cluster", "weight", "question")
        held: dict[str, Any] = {name: column[:n] for name in columns if (column := getattr(self, name)) is not None}
        return replace(self, **held)

    @property
    def repeated(self) -> str:
        """Column of questions of which some stand in several battles that are taken for independent; "" where there is none."""
        if self.unit != "battle" or self.question is None or int(self.question.max()) + 1 == self.question.size:
            return ""
        return self.question_column

    @property
    def tells_position(self) -> bool:
        """True where the order in which models met can be told from which of them is better.

        It cannot where numbers for the models give every battle the same difference, as where each pair met in one order only
        and no circle of pairs contradicts it.
        """
        size = len(self.models)
        met = np.unique(self.model_a * size + self.model_b)
        pairs = np.stack([met // size, met % size], axis=1)
        if np.isin(pairs[:, 1] * size + pairs[:, 0], met).any():  # some pair met in both orders
            return True
        others: dict[int, list[tuple[int, int]]] = {}
        for one, two in pairs.tolist():
            others.setdefault(one, []).append((two, -1))
            others.setdefault(two, []).append((one, 1))
        height: dict[int, int] = {}
        for start in others:
            todo = [start] if height.setdefault(start, 0) == 0 else []
            while todo:
                here = todo.pop()
                for other, step in others[here]:
                    if other not in height:
                        height[other] = height[here] + step
                        todo.append(other)
                    elif height[other] != height[here] + step:
                        return True
        return False

    def both_orders(self) -> tuple[int, int]:
        """Questions on which two models were judged in both orders, and how many of these had the same outcome in both."""
        if self.question is None:
            return 0, 0
        first = self.model_a < self.model_b
        keys = np.stack([self.question, np.minimum(self.model_a, self.model_b), np.maximum(self.model_a, self.model_b)], axis=1)
        key = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
        sign = np.where(first, self.outcome, -self.outcome)
        n_keys = int(key.max()) + 1
        counts = [np.bincount(key[order], minlength=n_keys) for order in (first, ~first)]
        sums = [np.sign(np.bincount(key[order], sign[order], minlength=n_keys)) for order in (first, ~first)]
        both = (counts[0] > 0) & (counts[1] > 0)
        return int(both.sum()), int((both & (sums[0] == sums[1])).sum())


def read_battles(*sources: Any, cluster: str | None = None) -> Battles | None:
    """Battles in CSV, JSON or Parquet files, frames, records or columns; None where the columns are not those of battles.

    Several sources are joined on the names of models, clusters and questions. `cluster` names the column of battles that belong
    together, "cluster" if not given.
    """
    names = [_name_of(source, place, len(sources)) for place, source in enumerate(sources, 1)]
    tables: list[_Table] = []
    others = []
    for source, name in zip(sources, names, strict=True):
        held = _table(source, name, cluster)
        if held is None:
            others.append(name)
        else:
            tables.append(_checked(held))
    if not tables:
        return None
    if others:
        raise UnreadableSourceError(
            f"{tables[0].name} holds battles, and {quoted(others, 3)} none: these have the columns model_a, model_b and winner. "
            "Rate the files of battles by themselves."
        )
    return _joined(tables)


def _name_of(source: Any, place: int, n_sources: int) -> str:
    if is_path(source, *_ENDINGS):
        return printable(str(source))
    return "the battles" if n_sources == 1 else f"table {place} of the battles"


class _Table(NamedTuple):
    """Battles of one source, by the names of models, clusters and questions."""

    name: str
    model_a: Words
    model_b: Words
    outcome: IntArray
    cluster: Words | None
    weight: FloatArray | None
    question: Words | None
    question_column: str
    judge: str
    """The only judge of the table; "" where there are several, or none is named."""
    n_without_verdict: int

    def key(self) -> tuple[Any, ...] | None:
        """Key that two tables of the same battles share; None where no column says on which questions they are."""
        if self.question is None:
            return None
        columns = (self.model_a, self.model_b, self.question)
        return (self.judge, self.outcome.tobytes(), *((column.names, column.code.tobytes()) for column in columns))


def _checked(held: Held) -> _Table:
    table, name = held.table, held.table.name
    if not table.n_rows:
        raise UnreadableSourceError(f"{name} has column names but no rows.")
    words = {key: to_words(column) for key, column in table.columns.items() if key != WEIGHT}
    asked, judge = words.pop(QUESTION, None), words.pop(JUDGE, None)
    for key, column in words.items():
        empty = np.flatnonzero(column.code < 0)
        if empty.size:
            raise UnreadableSourceError(
                f"{table.where(int(empty[0]))}: {key} is empty, and so it is in {empty.size} row(s) of all."
            )
    first, second = words["model_a"], words["model_b"]
    models, (a, b) = _united([first, second])
    itself = np.flatnonzero(a == b)
    if itself.size:
        row = int(itself[0])
        raise InvalidScoresError(
            f"{table.where(row)}: {models[a[row]]!r} meets itself; {itself.size} row(s) have one model twice. Leave them out."
        )
    outcome = _preferred(words[PREFERENCE], table) if PREFERENCE in words else _outcomes(table, words["winner"], models, a, b)
    asked = None if asked is None or (asked.code < 0).any() else asked
    called = "" if asked is None else held.question_column
    only = judge.names[0] if judge is not None and len(judge.names) == 1 and not (judge.code < 0).any() else ""
    return _Table(name, first, second, outcome, words.get(CLUSTER), _weights(table), asked, called, only, held.n_without_verdict)


def _joined(tables: Sequence[_Table]) -> Battles:
    """Battles of all tables, of which each has the columns that another has."""
    named = tables[0].name if len(tables) == 1 else f"{len(tables)} tables"
    seen: dict[Any, str] = {}
    for table in tables:
        key = table.key()
        if key in seen:
            what = "stands there twice" if seen[key] == table.name else f"holds the very battles of {seen[key]}"
            raise InvalidScoresError(f"{table.name} {what}, and would count twice. Leave one of the two out.")
        if key is not None:
            seen[key] = table.name
    for column in (CLUSTER, WEIGHT):
        has = [getattr(table, column) is not None for table in tables]
        if any(has) and not all(has):
            with_it, without = tables[has.index(True)].name, tables[has.index(False)].name
            raise InvalidScoresError(
                f"{with_it} has a column {column}, and {without} has none. Give it to all battles, or leave it out of all."
            )
    models, codes = _united([side for table in tables for side in (table.model_a, table.model_b)])
    if len(models) > MOST_RATED:
        raise InvalidScoresError(
            f"{named} has {len(models):,} models, and at most {MOST_RATED:,} can be rated together, as memory grows with their "
            "square. Keep the battles between those that matter."
        )
    held = {key: [value for table in tables if (value := getattr(table, key)) is not None] for key in (CLUSTER, WEIGHT, QUESTION)}
    columns = {table.question_column for table in tables}
    has_questions = len(held[QUESTION]) == len(tables) and len(columns) == 1
    question = _numbers_of(held[QUESTION]) if has_questions else None
    cluster = _numbers_of(held[CLUSTER]) if held[CLUSTER] else None
    unit: Literal["battle", "cluster", "question"] = "battle" if cluster is None else "cluster"
    if cluster is None and question is not None and FEWEST_QUESTIONS <= int(question.max()) + 1 < question.size:
        cluster, unit = question, "question"
    return Battles(
        models,
        np.concatenate(codes[::2]),
        np.concatenate(codes[1::2]),
        np.concatenate([table.outcome for table in tables]),
        cluster,
        _of_one_scale(np.concatenate(held[WEIGHT]), named) if held[WEIGHT] else None,
        question,
        columns.pop() if has_questions else "",
        unit,
        tuple(table.name for table in tables),
        tuple(sorted({table.judge for table in tables})) if all(table.judge for table in tables) else (),
        sum(table.n_without_verdict for table in tables),
    )


def _united(columns: Sequence[Words]) -> tuple[tuple[str, ...], list[IntArray]]:
    """Names of all columns, sorted, and the number of its name for each row of each column."""
    names = tuple(sorted({name for column in columns for name in column.names}))
    number = {name: place for place, name in enumerate(names)}
    return names, [np.array([number[name] for name in column.names], dtype=int)[column.code] for column in columns]


def _numbers_of(columns: Sequence[Words]) -> IntArray:
    """Number of the name in each row, of those that are there."""
    numbers: IntArray = np.unique(np.concatenate(_united(columns)[1]), return_inverse=True)[1]
    return numbers


def _outcomes(table: SourceTable, winner: Words, models: tuple[str, ...], a: IntArray, b: IntArray) -> IntArray:
    """1, -1 and 0; the names of the models count before words such as a and b, but in a column that can only hold sides."""
    nobody = 2
    said = np.array([next((sign for words, sign in _SAID if word.casefold() in words), nobody) for word in winner.names])
    number = {model: place for place, model in enumerate(models)}
    named = np.array([number.get(word, -1) for word in winner.names])[winner.code]
    side = said[winner.code]
    outcome = np.where(named == a, 1, np.where(named == b, -1, side))
    turned = np.flatnonzero(np.isin(side, (1, -1)) & (outcome != side))  # a model is called "b", and stands as model_a
    by_side = np.flatnonzero(np.isin(side, (1, -1)) & (named != a) & (named != b))
    if turned.size and by_side.size:
        if (side == nobody).any():
            word, other = (winner.names[winner.code[rows[0]]] for rows in (turned, by_side))
            raise InvalidScoresError(
                f"{table.where(int(turned[0]))}: winner is {word!r}, the name of a model that stands on the other side, while in "
                f"{table.where(int(by_side[0]))} {other!r} can only be a side. Write names in every row, or model_a and model_b."
            )
        outcome = side
    if (outcome == nobody).any():
        row = int(np.argmax(outcome == nobody))
        raise InvalidScoresError(
            f"{table.where(row)}: winner is {winner.names[winner.code[row]]!r}, which is neither a, b or tie, nor "
            f"{models[a[row]]!r} or {models[b[row]]!r}."
        )
    return outcome


def _preferred(preference: Words, table: SourceTable) -> IntArray:
    """1, -1 and 0 of preferences from 1 to 2, which may be a judge's probabilities plus 1; older annotations write a tie as 0."""
    numbers = map(_as_number, preference.names)
    values = np.array([number if isinstance(number, float) else np.nan for number in numbers])
    values[values == 0] = _UNDECIDED
    wrong = np.flatnonzero(~((values >= 1) & (values <= 2))[preference.code])
    if wrong.size:
        row = int(wrong[0])
        raise InvalidScoresError(
            f"{table.where(row)}: preference is {preference.names[preference.code[row]]!r}; it lies between 1, for the first "
            "model, and 2, for the second, or is 0 for a tie."
        )
    return np.sign(_UNDECIDED - values).astype(int)[preference.code]


_UNDECIDED = 1.5
"""Preference for neither."""

_SAID = ((A_WINS, 1), (B_WINS, -1), (NOBODY_WINS, 0))


def _weights(table: SourceTable) -> FloatArray | None:
    if WEIGHT not in table.columns:
        return None
    weights = table.numbers(WEIGHT)
    wrong = ~((weights >= 0) & np.isfinite(weights))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidScoresError(f"{table.where(row)}: weight must be a number of at least 0; got {weights[row]:g}.")
    return weights


def _of_one_scale(weights: FloatArray, name: str) -> FloatArray:
    """The weights, where none is lost beside another in one fit."""
    positive = weights[weights > 0]
    if positive.size and positive.min() < SMALLEST_WEIGHT * positive.max():
        raise InvalidScoresError(
            f"{name}: weights lie between {positive.min():.3g} and {positive.max():.3g}, too far apart for one fit. Leave "
            "out the battles that hardly count."
        )
    return weights


# --- columns of any table -----------------------------------------------------------------------------------------------

_ENDINGS = (*TEXT, ".json", ".jsonl", ".parquet")


class Held(NamedTuple):
    """Columns of battles, what that of the questions is called, and how many judgements have no winner."""

    table: SourceTable
    question_column: str
    n_without_verdict: int = 0


def _table(source: Any, name: str, cluster: str | None) -> Held | None:
    """The columns of battles, whatever they are kept in; None for what holds none."""
    if is_path(source, *_ENDINGS):
        path = Path(source)
        if "://" in str(source):
            return None  # a run in a store
        check_path(path, name)
        try:
            return _of_file(path, name, cluster)
        except OSError as error:
            if isinstance(error, SourceNotFoundError):
                raise
            raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None
    if isinstance(source, Mapping):
        are_columns = all(isinstance(values, Iterable) and not isinstance(values, str | Mapping) for values in source.values())
        return _of_lists({str(key): list(values) for key, values in source.items()}, name, cluster) if are_columns else None
    if isinstance(source, list | tuple):
        return _of_records(source, name, cluster) if source and all(isinstance(row, Mapping) for row in source) else None
    return _of_frame(source, name, cluster)


def _names(names: Sequence[str], source: str, cluster: str | None) -> dict[str, str] | None:
    """Columns of battles by what they hold; None for another table."""
    found = {key: column for key in (*COLUMNS, CLUSTER, WEIGHT) if (column := find_column(names, (key,), source)) is not None}
    annotated = {key: find_column(names, (word,), source) for key, word in ANNOTATIONS.items()}
    if not found.keys() & set(COLUMNS) and None not in annotated.values():
        found |= {key: str(column) for key, column in annotated.items()}
    if "model_a" not in found and "model_b" not in found:
        return None
    lacking = [key for key in COLUMNS if key not in found and PREFERENCE not in found]
    if lacking:
        raise UnreadableSourceError(
            f"{source} lacks the column {' and '.join(map(repr, lacking))}. Battles have model_a, model_b and winner (a, b or "
            f"tie), and may have cluster and weight; found: {', '.join(map(repr, names))}."
        )
    if cluster is not None:
        folded = [str(each).strip().casefold() for each in names]
        found[CLUSTER] = names[look_up(cluster.strip().casefold(), folded, "column of the battles")]
    for key, words in ((QUESTION, QUESTIONS), (JUDGE, JUDGES)):
        named = next((column for word in words if (column := find_column(names, (word,), source)) is not None), None)
        if named is not None:
            found[key] = named
    return found


def _of_lists(columns: Mapping[str, Sequence[Any]], name: str, cluster: str | None) -> Held | None:
    names = _names(list(columns), name, cluster)
    if names is None:
        return None
    for key in (QUESTION, JUDGE):
        if key in names and len(columns[names[key]]) != len(columns[names["model_a"]]):
            del names[key]
    sizes = {key: len(columns[column]) for key, column in names.items()}
    if len(set(sizes.values())) > 1:
        raise InvalidScoresError(f"{name}: the columns need one value for each battle; their lengths are {sizes}.")
    where = numbered_rows(name)
    found = {}
    for key, column in names.items():
        for row, value in enumerate(columns[column]):
            if isinstance(value, list | tuple | set | dict) and key not in (QUESTION, JUDGE):
                raise InvalidScoresError(
                    f"{where(row)}: {key} is {printable(f'{value!r:.60}')}; it must be a single text or number."
                )
        values = [
            None if is_missing(value) or (isinstance(value, float) and math.isnan(value)) else value for value in columns[column]
        ]
        if key == WEIGHT:
            found[key] = column_of(map(_as_number, values), "numbers", where)
        else:
            values = [str(value) if isinstance(value, list | tuple | set | dict) else value for value in values]
            found[key] = column_of(
                (value.strip() or None if isinstance(value, str) else value for value in values), "words", where
            )
    return Held(SourceTable(name, sizes["model_a"], found, where), names.get(QUESTION, ""))


def _as_number(value: Any) -> Any:
    """A text of JSON that spells a number as that; anything else as it is."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _of_records(rows: Iterable[Mapping[str, Any]], name: str, cluster: str | None) -> Held | None:
    held = list(rows)
    if (judged := judged_pairs(held, name)) is not None:
        found = _of_records(judged.battles, name, cluster)
        return None if found is None else found._replace(n_without_verdict=judged.n_without_verdict)
    names = dict.fromkeys(str(key) for row in held for key in row)
    return _of_lists({each: [row.get(each) for row in held] for each in names}, name, cluster)


def _of_frame(source: Any, name: str, cluster: str | None) -> Held | None:
    import narwhals as nw

    from tiebreak.readers.frames import values_of

    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        return None
    if battle_columns(frame.columns) in JUDGED_PAIRS:
        return _of_records(frame.rows(named=True), name, cluster)
    names = _names(frame.columns, name, cluster)
    return None if names is None else _of_lists({each: values_of(frame[each], each) for each in names.values()}, name, cluster)


def _of_file(path: Path, name: str, cluster: str | None) -> Held | None:
    ending = path.suffix.lower()
    if ending in TEXT:
        return _of_rows(path, name, cluster)
    if ending == ".parquet":
        from tiebreak.readers.frames import parquet_table

        return _of_frame(parquet_table(path, name), name, cluster)
    if ending == ".jsonl":
        check_lines(path, name)
    try:
        text = path.read_bytes().decode("utf-8-sig")  # line ends within a name stay as they are
    except UnicodeDecodeError as error:
        raise UnreadableSourceError(f"{name} is not UTF-8 at byte {error.start}; save it as UTF-8.") from None
    if ending == ".jsonl" or ("\n{" in text and text.lstrip().startswith("{")):
        return _of_records(_records(text, name), name, cluster)
    held = parse_log(text, name, share=16, is_table=True)
    return _table(held, name, cluster) if isinstance(held, dict | list) else None


def _of_rows(path: Path, name: str, cluster: str | None) -> Held | None:
    if not {"model_a", "model_b", ANNOTATIONS["model_a"]} & {each.casefold() for each in column_names(path)}:
        return None  # or it cannot be read, which the reader of scores says
    found: dict[str, str] = {}

    def wanted(names: Sequence[str], _: Sequence[str]) -> dict[str, Wanted]:
        refuse_doubled_names(names, name)
        found.update(_names(names, name, cluster) or {})
        return {column: Wanted("numbers" if key == WEIGHT else "words") for key, column in found.items()}

    table = read_text(path, name, wanted)
    columns = {key: table.columns[column] for key, column in found.items()}
    return Held(SourceTable(name, table.n_rows, columns, table.where), found.get(QUESTION, ""))


def _lines_of(text: str) -> Iterator[str]:
    """Lines one by one, without a copy of the text; U+2028 ends no line of JSON, as it does for str.splitlines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _records(text: str, name: str) -> Iterator[Mapping[str, Any]]:
    """Objects in lines."""
    for number, line in enumerate(_lines_of(text), start=1):
        if line.strip():
            record = parse_log(line, f"{name}, line {number}", is_table=True)
            if not isinstance(record, Mapping):
                raise UnreadableSourceError(f"{name}, line {number} holds no object.")
            yield record
