"""Columns of a table as plain arrays, whatever they were read from, and the header that says what they hold."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from tiebreak.errors import AmbiguousSourceError, InvalidScoresError, Setting, UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.scores.assemble import row_blocks
from tiebreak.scores.vocabulary import quoted

Where = Callable[[int], str]
"""Place of a row, for messages: "scores.csv, line 7"."""


class Words(NamedTuple):
    """A column of words: a code for each row, -1 where there is none."""

    names: tuple[str, ...]
    code: IntArray

    def take(self, rows: IntArray) -> Words:
        """The given rows, in their order."""
        return Words(self.names, self.code[rows])


class NotNumbers(NamedTuple):
    """A column that is not wholly numeric and was not kept; where its first cell that is no number is, and what it says."""

    where: str
    text: str


Column = FloatArray | Words | NotNumbers

MISSING = frozenset(
    ["", "#N/A N/A", *"NA N/A NaN nan -NaN -nan null NULL None n/a <NA> #N/A #NA 1.#IND -1.#IND 1.#QNAN -1.#QNAN".split()]
)
"""Texts of cells without a value, as pandas, R, databases and spreadsheets write them."""


def not_a_number(where: str, column: str, text: str, hint: str = "") -> InvalidScoresError:
    """Error for a cell that should be a number, with what it probably is, or else the hint."""
    shown = repr(text if len(text) <= 60 else text[:57] + "...")
    return InvalidScoresError(f"{where}, column {column!r}: {shown} is not a number.{_cell_hint(text) or hint}")


def _cell_hint(text: str) -> str:
    if re.fullmatch(r"\s*[-+]?\d*,\d+\s*", text):
        return " It looks like a decimal comma: write numbers with a point, such as 0.83."
    if re.fullmatch(r"\s*[-+]?[\d.]+\s*%\s*", text):
        return " Leave the percent sign out."
    if re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", text, re.ASCII):
        return " It is text: turn the column into numbers."
    if "\0" in text:
        return " It holds a NUL character, so the file may be damaged or not be text."
    return ""


def to_words(column: Column) -> Words:
    """The column as words; numbers as 3, not 3.0."""
    return _as_words(column) if isinstance(column, np.ndarray) else column  # type: ignore[return-value]


def _as_words(numbers: FloatArray) -> Words:
    present = ~np.isnan(numbers)
    values, code = np.unique(numbers[present], return_inverse=True)
    codes = np.full(numbers.size, -1, dtype=np.int32)
    codes[present] = code
    return Words(tuple(number_text(value) for value in values.tolist()), codes)


def number_text(value: float) -> str:
    """Shortest text of a number: 3, not 3.0."""
    return str(int(value)) if value.is_integer() else repr(value)


def refuse_doubled_names(names: Sequence[str], source: str) -> None:
    """Refuse two columns of one name, of which one would be lost; those without a name are left to whoever needs one."""
    for position, name in enumerate(names):
        first = list(names).index(name)
        if name and first < position:
            raise UnreadableSourceError(
                f"{source} has two columns called {name!r} (columns {first + 1} and {position + 1}). Give each a name of its own."
            )


def in_order_of_appearance(labels: Words) -> Words:
    """Words with codes by first row, where no row lacks one; words that no row uses are dropped."""
    first = np.full(len(labels.names), labels.code.size)
    for rows in row_blocks(labels.code.size):
        block = labels.code[rows]
        earliest = np.full(first.size, labels.code.size)
        earliest[block[::-1]] = np.arange(block.size)[::-1] + rows.start  # the last one written is the first there
        first = np.minimum(first, earliest)
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < labels.code.size)]
    names = tuple(labels.names[code] for code in order)
    if names == labels.names:
        return labels
    rank = np.zeros(first.size, dtype=np.int32)
    rank[order] = np.arange(order.size)
    return Words(names, rank[labels.code])


def column_of(values: Iterable[Any], kind: str, where: Where) -> Column:
    """Column of Python objects: numbers where all are (None is missing), else words, or the first one if it should be numbers."""
    values = [None if is_missing(value) else value for value in values]
    first = next((row for row, value in enumerate(values) if value is not None and not is_number(value)), None)
    if first is None and (kind == "numbers" or not any(_is_name(value, kind) for value in values if value is not None)):
        number = to_float if kind == "numbers" else _as_written
        return np.array([np.nan if value is None else number(value) for value in values], dtype=float)
    if kind == "numbers" and first is not None:
        return NotNumbers(where(first), str(values[first]))
    index: dict[str, int] = {}
    texts = (None if value is None else number_text(value) if isinstance(value, float) else str(value) for value in values)
    code = [-1 if text is None else index.setdefault(text, len(index)) for text in texts]
    return Words(tuple(index), np.array(code, dtype=np.int32))


def is_missing(value: Any) -> bool:
    """True for what Python or pandas writes where there is no value; nan is a number."""
    return value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType")


def is_number(value: Any) -> bool:
    """True for what can be read as a float; text that spells a number cannot."""
    if isinstance(value, str | bytes | complex) or not hasattr(value, "__float__"):
        return False
    return bool(getattr(value, "ndim", 0) == 0)  # an array has it too


def to_float(value: Any) -> float:
    """A number as a float; infinite if it is beyond all floats."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _is_name(value: Any, kind: str) -> bool:
    """True for a number that names something and would be another one as a float; among words for true and false as well."""
    number = to_float(value)
    is_changed = value != number and (math.isinf(number) or (kind == "words" and isinstance(value, int | np.integer)))
    return is_changed or (kind == "words" and isinstance(value, bool | np.bool_))


def _as_written(value: Any) -> float:
    """A number that names something: 0.1 of 32 bits is 0.1, not 0.10000000149011612."""
    return float(str(value)) if isinstance(value, np.floating) else to_float(value)


ITEM = (
    "item",
    "item_id",
    "example",
    "example_id",
    "question",
    "question_id",
    "doc_id",
    "sample_id",
    "instance_id",
    "problem_id",
    "qid",
    "task_id",
    "prompt_id",
    "instruction",
    "prompt",
    "id",
)
MODEL = ("model", "models", "model_name", "system", "method", "algorithm", "approach", "estimator", "classifier", "generator")
RUN = ("run", "seed", "trial", "repeat")
EPOCH = ("epoch", "attempt", "sample")
CLUSTER = ("cluster", "cluster_id", "group", "document", "passage", "patient")
TASKS = ("task", "task_name", "subtask", "benchmark", "dataset")
DATASET = ("dataset", "data_set", "benchmark", "task", "task_name")
TIME = ("time", "period")
WEIGHT = ("weight", "sample_weight")
JUDGE = ("judge", "judge_score", "judge_label", "judge_rating", "llm_judge", "model_score")
HUMAN = ("human", "human_score", "human_label", "human_rating", "human_judgement", "human_judgment", "expert", "expert_score")
SCORE = ("score", "correct", "is_correct", "value", "accuracy", "acc", "exact_match", "preference", "loss", "error")
"""Names of columns that mean what the reserved one, the first, does; the case of letters does not count.

Runs are crossed with items: one run answers all of them, with a seed or a training that they share. Epochs lie within items: the
second answer to one question has nothing in common with the second answer to another.
"""

JUDGED_PAIRS = FASTCHAT, ARENA_HARD = ("model_1", "model_2", "g1_winner", "g2_winner"), ("model", "judge", "games")
"""Keys of records of answers that were judged in both orders, as FastChat and Arena-Hard write them."""

BATTLES: tuple[tuple[str, ...], ...] = (
    ("model_a", "model_b", "winner"),
    ("generator_1", "generator_2", "preference"),
    *JUDGED_PAIRS,
)
"""Columns of a table of battles, as arenas and as AlpacaEval call them, and records of judged pairs."""

RESERVED = ("dataset", "model", "metric", "repeat", "fold", "split", "seed", "time", "score", "n_train", "n_test")
_KEYS = ("repeat", "fold", "split", "seed", "time")
_NAMES = ("dataset", "model", "metric")
"""Reserved columns that hold names, even where these look like numbers."""

COLUMNS_ARE_MODELS = (
    " In a table with one column per model, every column but dataset, metric, repeat, fold, split, seed, time, period, n_train "
    "and n_test holds the scores of a model: correct the cell, remove the column, or call it 'dataset' or 'split' if it names "
    "those."
)

MOST_COLUMNS = 20_000
"""Of that many models there are 200 million pairs."""

_SPREADS = frozenset(("std", "sd", "stdev", "std_dev", "se", "sem", "stderr", "std_err", "ci", "ci_low", "ci_high", "variance"))
MEANS = frozenset(("mean", "avg", "average", "mean_score", "mean_test_score"))

COUNTS = {"correct": True, "n_correct": True, "successes": True, "errors": False, "n_errors": False, "wrong": False}
"""Columns of counts on a test set of each model: the more the better, or the fewer."""

_TOTALS = ("n", "total", "n_items", "n_examples")
"""Columns of the numbers of examples behind counts, beside n_test."""

Form = Literal["long", "metrics", "wide", "counts"]


@dataclass(frozen=True, slots=True)
class Header:
    """Names of the columns of a table, by what the columns hold.

    Attributes
    ----------
    form : {"long", "metrics", "wide", "counts"}
        One row for each score; one row for each model and split with a column for each metric; one column for each model; one row
        for each model and its test set, with a count, or a rate, and the number of examples behind it.
    reserved : dict
        Reserved word to the name of its column.
    others : tuple of str
        Names of the remaining columns: models of a wide table, metrics of a "metrics" one.
    """

    form: Form
    reserved: dict[str, str]
    others: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Repeat, fold and split, as far as they are there."""
        return tuple(word for word in ("repeat", "fold", "split") if word in self.reserved)

    @property
    def wanted(self) -> dict[str, str]:
        """Columns to read, and as what: "words", "key" (whole numbers or words) or "numbers".

        The unreserved columns of a long table are not read at all, but for those that may name models, too.
        """
        kinds = {
            name: "words" if word in (*_NAMES, "test_set") else "key" if word in _KEYS else "numbers"
            for word, name in self.reserved.items()
        }
        if self.form != "long":
            kinds |= dict.fromkeys(self.others, "numbers")
        if self.form in ("long", "metrics"):
            kinds |= {name: "words" for name in self.others if name.strip().casefold() in MODEL}
        return kinds


class Wanted(NamedTuple):
    """Kind as which a column is read.

    Attributes
    ----------
    kind : {"words", "key", "numbers", "any", "text"}
        A "key" is whole numbers or words, "any" is what all cells are, and a "text" keeps the blanks around it.
    is_free : bool
        True where a column of "numbers" may turn out to be none.
    hint : str
        Sentence after the error for a cell that is no number.
    """

    kind: str
    is_free: bool = False
    hint: str = ""


@dataclass(slots=True)
class SourceTable:
    """Columns of equal length, by the name they have in the source, and where each row stands there.

    Reading takes columns out (`pop`), so that a large table is never held twice.
    """

    name: str
    n_rows: int
    columns: dict[str, Column]
    where: Where

    def numbers(self, name: str, hint: str = "") -> FloatArray:
        """Take a column out as numbers; the hint is for a cell that is none, as a sentence of its own."""
        column = self.columns.pop(name)
        if isinstance(column, Words):
            row = int(np.argmax(column.code >= 0))
            column = NotNumbers(self.where(row), column.names[column.code[row]])
        if isinstance(column, NotNumbers):
            raise not_a_number(column.where, name, column.text, hint)
        return column

    def words(self, name: str) -> Words:
        """Take a column out as words."""
        return to_words(self.columns.pop(name))


@dataclass(slots=True)
class ScoreTable(SourceTable):
    """A table of scores, with what its columns hold."""

    header: Header


def numbered_rows(name: str) -> Where:
    """Rows by their number, counted from 1."""
    return lambda row: f"{name}, row {row + 1}"


def find_column(names: Sequence[str], words: Sequence[str], source: str) -> str | None:
    """The column that is called like the first of the words that any is, in small letters or others.

    Raises
    ------
    AmbiguousSourceError
        Two columns are called so.
    """
    for word in words:
        alike = [name for name in names if str(name).strip().casefold() == word]
        if len(alike) > 1:
            advice = "Call the other something else." if word in alike else f"Call it {word!r}."
            raise AmbiguousSourceError(f"{source} has the columns {quoted(alike)}; which one is the {word}? {advice}")
        if alike:
            return alike[0]
    return None


def find_model(names: Sequence[Any], source: str, is_text: Callable[[Any], bool]) -> Any:
    """The column of the names of models: model, or the one column of texts that is called by another word for it.

    Raises
    ------
    AmbiguousSourceError
        There are several, and none is called model.
    """
    own = find_column(names, MODEL[:1], source)
    if own is not None:
        return own
    others = [name for name in names if str(name).strip().casefold() in MODEL and is_text(name)]
    if len(others) > 1:
        raise AmbiguousSourceError(f"{source} has the columns {quoted(others)}; which one is the model? Call it 'model'.")
    return others[0] if others else None


def advice_on_doubles(cell: IntArray, columns: Mapping[str, Words], model: Words) -> str:
    """Sentence on the column by which rows of one cell differ, with a leading space; "" where no column tells all of them apart.

    `cell` has the same number for rows of one model that stand for the same split, or item. Columns of many values, such as
    running numbers and times, are not named: any of them would tell the rows apart.
    """
    telling = [name for name, column in columns.items() if len(column.names) ** 2 <= cell.size and _tells_apart(cell, column)]
    if not telling:
        return ""
    name = min(telling, key=lambda each: (each.strip().casefold() not in MODEL, len(columns[each].names)))
    joined = f"{model.names[model.code[0]]} {columns[name].names[columns[name].code[0]]}"
    part = f"if it is part of what is compared, join it to the model's name, such as {joined!r}."
    return f" They differ in the column {name!r}: {part}"


def refuse_nested_models(model: Words, columns: Mapping[str, Words], source: str) -> None:
    """Refuse rows without numbers of splits in which another column may name models, too: all would count as splits of one."""
    for name, column in columns.items():
        if name.strip().casefold() not in MODEL:
            continue
        order = np.lexsort([column.code, model.code])
        differs = (np.diff(model.code[order]) == 0) & (np.diff(column.code[order]) != 0)
        if differs.any():
            row = order[int(np.argmax(differs))]
            first = f"{model.names[model.code[row]]} {column.names[column.code[row]]}"
            raise AmbiguousSourceError(
                f"{source}: the rows of model {model.names[model.code[row]]!r} differ in the column {name!r}, and no column "
                f"numbers the splits. If both columns say what is compared, join them to one name, such as {first!r}; if not, "
                "number the splits in a column 'split'."
            )


def _tells_apart(cell: IntArray, column: Words) -> bool:
    if (column.code < 0).any():
        return False
    order = np.lexsort([column.code, cell])
    same = np.diff(cell[order]) == 0
    return bool(same.any()) and not (same & (np.diff(column.code[order]) == 0)).any()


def read_header(names: Sequence[str], source: str, is_text: Callable[[str], bool] = lambda _: False) -> Header:
    """Header of a table with these column names, which must be different, and say where models and scores are.

    `is_text` says whether a column holds words: only then it may be that of the models, or of the datasets, by another name.
    """
    if not names:
        raise UnreadableSourceError(f"{source} has no columns, so there are no scores in it.")
    if len(names) > MOST_COLUMNS:
        raise UnreadableSourceError(
            f"{source} has {len(names)} columns, and no more than {MOST_COLUMNS} models can be compared. Is it a table of scores?"
        )
    refuse_doubled_names(names, source)
    reserved = _find_reserved(names, source, is_text)
    taken = set(reserved.values())
    others = tuple(name for name in names if name not in taken)
    _refuse_summary(reserved, others, source, is_text)
    if "model" in reserved:
        counts = _find_counts(reserved, others)
        if counts:
            return Header("counts", {**reserved, **counts}, ())
        form: Form = "long" if "score" in reserved else "metrics"
        return Header(form, reserved, tuple(name for name in others if not is_unnamed(name)))
    if "score" in reserved:
        raise AmbiguousSourceError(
            f"{source} has a column {reserved['score']!r} but none called 'model', so it does not say whose scores they are. "
            "Add a 'model' column, or give each model a column of its own."
        )
    _refuse_search_results(others, source)
    refuse_battles(others, source)
    _refuse_predictions(others, source)
    _refuse_unnamed(names, others, source)
    if not others:
        raise UnreadableSourceError(
            f"{source} has no column of scores, only {quoted(names, 10)}. Use columns 'model' and 'score', or one column per "
            "model."
        )
    return Header("wide", reserved, others)


def battle_columns(names: Iterable[Any]) -> tuple[str, ...]:
    """Columns by which a table is one of battles; empty for others, such as scores of two models called model_a and model_b."""
    words = {str(name).strip().casefold() for name in names}
    return next((battle for battle in BATTLES if words >= set(battle)), ())


def refuse_battles(names: Sequence[Any], source: str) -> None:
    """Refuse a table whose rows say which of two models was preferred."""
    if battle := battle_columns(names):
        raise UnreadableSourceError(
            f"{source} has the columns {quoted(battle)}, so its rows are battles, not scores. Rate the models: tiebreak rate "
            "FILE, or tb.rate(source)."
        )


def _find_counts(reserved: dict[str, str], others: Sequence[str]) -> dict[str, str]:
    """Columns of a table of counts, or of rates by test set; empty for other tables."""
    if any(word in reserved for word in ("dataset", "repeat", "fold", "split", "seed", "time")):
        return {}
    by_word = {name.casefold(): name for name in others}
    count = next((by_word[word] for word in COUNTS if word in by_word), None)
    total = reserved.get("n_test") or next((by_word[word] for word in _TOTALS if word in by_word), None)
    test_set = next((by_word[word] for word in ("test_set", "test set") if word in by_word), None)
    found = {"test_set": test_set} if test_set is not None else {}
    if "score" not in reserved and count is not None and total is not None:
        return {**found, "count": count, "total": total}
    if "score" in reserved and test_set is not None and total is not None:
        return {**found, "total": total}
    return {}


def _find_reserved(names: Sequence[str], source: str, is_text: Callable[[str], bool]) -> dict[str, str]:
    found = {word: find_column(names, TIME if word == "time" else (word,), source) for word in RESERVED}
    is_long = found["score"] is not None
    found["model"] = find_model(names, source, lambda name: is_long or is_text(name))
    if found["dataset"] is None:
        found["dataset"] = find_column([name for name in names if is_text(name) and name != found["model"]], DATASET, source)
    reserved = {word: name for word, name in found.items() if name is not None}
    if any(word in reserved for word in ("repeat", "fold", "split", "seed")):
        reserved.pop("time", None)  # of a fit, as there are splits
    return reserved


def is_reserved(name: object) -> bool:
    """True for the name of a column of a table of scores, which is no model in a dict of columns."""
    return isinstance(name, str) and name.strip().casefold() in {*RESERVED, *TIME}


_INDEX = ("index", "id", "row", "rownames", "no", "no.", "nr", "#")
"""Names of a column that numbers the rows."""


def numbers_rows(name: str) -> bool:
    """True for the name of a column that numbers the rows, as pandas and R write beside a table."""
    return is_unnamed(name) or name.strip().casefold() in _INDEX


def refuse_running_number(column: str, values: FloatArray, source: str) -> None:
    """Refuse the scores of a model that are whole numbers which go up from row to row, or by one now and then, as 1, 1, 2, 2."""
    if values.size < 3 or not values[0] <= values[1] <= values[-1] or values[-1] - values[0] < 2:
        return
    step = np.diff(values)
    if (np.all(step > 0) or np.all((step == 0) | (step == 1))) and np.all(values == np.floor(values)):
        raise UnreadableSourceError(
            f"column {column!r} of {source} counts upwards ({values[0]:g}, {values[1]:g} ... {values[-1]:g}), so it is "
            "probably a running number and not a model's scores. Drop it, or call it 'split' if it numbers the splits; if it "
            "does hold scores, use columns 'model' and 'score' instead. If the rows are items of one test set, such as "
            "questions, pass ",
            Setting("rows", "'items'"),
            ".",
        )


def is_unnamed(name: str) -> bool:
    """True for a column without a name, or with the one that pandas gives to such a column."""
    return not name or name.startswith("Unnamed: ")


def _refuse_unnamed(names: Sequence[str], others: Sequence[str], source: str) -> None:
    unnamed = [name for name in others if is_unnamed(name)]
    if unnamed:
        position = list(names).index(unnamed[0]) + 1
        called = f"is called {unnamed[0]!r}" if unnamed[0] else "has no name"
        raise UnreadableSourceError(
            f"column {position} of {source} {called}. It is probably a running number that pandas or R wrote beside the "
            "table: drop it (index=False in pandas, row.names=FALSE in R), or call it 'split' if it numbers the splits. If the "
            "rows are items of one test set, such as questions, pass ",
            Setting("rows", "'items'"),
            ".",
        )


def _refuse_summary(reserved: Mapping[str, str], others: Sequence[str], source: str, is_text: Callable[[str], bool]) -> None:
    """Refuse a table of means with their spread, which would pass for two models or two metrics."""
    words = {re.sub(r"[\s.-]+", "_", name.strip().casefold()): name for name in others}
    mean = next((name for word, name in words.items() if word in MEANS), None)
    spread = next((name for word, name in words.items() if word in _SPREADS or word in ("std_score", "std_test_score")), None)
    if mean is None and {"repeat", "fold", "split", "seed", "time", "dataset"}.isdisjoint(reserved):
        numbers = [name for name in others if name != spread and not is_text(name)]
        is_by_model = "model" in reserved or len(numbers) + 1 < len(others)
        mean = reserved.get("score", numbers[0] if len(numbers) == 1 else None) if is_by_model else None
    if mean is not None and spread is not None and not any(name.startswith("split0_test_") for name in others):
        raise UnreadableSourceError(
            f"{source} has the columns {mean!r} and {spread!r}: a summary, with one mean for each model. A mean and its spread "
            "do not say how two models differ on the same splits, so they cannot be compared. Pass the score of each model "
            "on each split: columns 'model', 'fold' and 'score', or one column per model."
        )


def _refuse_predictions(others: Sequence[str], source: str) -> None:
    """Refuse a table of predictions beside what was to be predicted."""
    truth = next((name for name in others if name.strip().casefold() in _TRUTHS), None)
    if truth is not None and len(others) > 1:
        rest = [name for name in others if name != truth]
        raise UnreadableSourceError(
            f"{source} has the column {truth!r}, so the others are probably predictions, not scores. Compare those in Python: "
            f"tb.compare(tb.read_predictions(table[{truth!r}], {{name: table[name] for name in {rest[:3]!r}}}))."
        )


_TRUTHS = frozenset(("y_true", "y_test", "ground_truth"))


def _refuse_search_results(others: Sequence[str], source: str) -> None:
    if "fit_time" in others and any(name.startswith("test_") for name in others):
        raise UnreadableSourceError(
            f"{source} looks like the result of one call of cross_validate, which scores a single model. Pass {{name: result}} "
            "with one result for each model."
        )
    if any(name.startswith("split0_test_") for name in others):
        raise UnreadableSourceError(
            f"{source} looks like the cv_results_ of a search, with a row for each candidate. Pass search.cv_results_ itself, "
            "or better the fitted search."
        )
