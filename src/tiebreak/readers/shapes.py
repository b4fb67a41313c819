"""A table becomes the long table: whose score each is, of which unit, in which metric. What no rule settles is refused.

Names of columns say what they hold (`header`). With a column of models each row is a score, or each row is a model and columns of
folds are its scores; without one each column of numbers is a model, or the whole file is one. Columns that are neither model,
unit, size nor score are left aside, and named where they are what tells two rows of one key apart.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tiebreak.errors import AmbiguousSourceError, InvalidScoresError, Setting, TiebreakError, UnknownNameError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.readers.battles import refuse_battles
from tiebreak.readers.files import refuse
from tiebreak.readers.header import ALIASES, UNITS, column_advice, find_roles, is_weak, names_something, plain, where_advice
from tiebreak.readers.source import ReadOptions
from tiebreak.readers.tables import (
    Column,
    Counted,
    SourceTable,
    Words,
    as_words,
    has_fractions,
    is_empty,
    is_numeric,
    is_varied,
    known_columns,
    refuse_nested,
)
from tiebreak.scores.metric import full_name, has_direction
from tiebreak.scores.vocabulary import look_up, quoted

_SUMS = frozenset("mean avg ave average std sd stdev median total overall summary sum rank ranks win wins".split())
_BESIDE_SUMS = frozenset(
    "cv of dev deviation arith arithmetic geometric geo harmonic macro micro weighted tie ties loss losses number".split()
)
"""Words of names that sum up the other rows or columns: one of the first, and nothing but these and metrics ("Avg. accuracy")."""

_EXTREMES = {**dict.fromkeys(("best", "max", "maximum"), np.fmax), **dict.fromkeys(("worst", "min", "minimum"), np.fmin)}
"""Words of names that may be of a model, or say which of the others stands here."""

_COUNTED = frozenset(("n", "p", "d", "k", "columns", "number", "imbalance"))
"""Names that may be of a model, or of what a table counts."""

_SPREAD = (
    r"std|sd|stdev|std_?dev|se|sem|stderr|std_err|standard_error|ci|ci_low|ci_high|ci_lower|ci_upper|95_?ci|var|variance|rank"
)
_MEAN = r"mean|avg|average|median"
_NO_SCORE = re.compile(
    rf"((fit|score|train|training|pred|predict|prediction|test|cv|tune|inference|total|elapsed|infer)_)*(time|seconds|sec|runtime|duration|"
    rf"latency|wall_?clock)(_?\(?(s|sec|seconds|ms|min)\)?)?(_.*)?|n_\w+|num_\w+|(.+_)?({_SPREAD}|{_MEAN})|({_SPREAD}|{_MEAN})_.+|step|"
    r"index|epoch|size|count|support|params(_\(m\))?|tokens|(.*_)?p_?val(ue)?|.*_stat(istic)?|tt_\(sec\)|cost|column_\d+|.*__(min|max)|"
    r"(.+_)?(time|runtime|diff|difference|delta|gain|improvement|gap)|#_?(n|p|d)|(#_?)?(classes|instances|features|samples|rows|length)"
)
"""Names of columns of times, counts, means, deviations and ranks, which are no scores of a model."""

_COUNT = {"correct": True, "n_correct": True, "successes": True, "errors": False, "n_errors": False, "wrong": False}
_TOTAL = ("n", "total", "n_items", "n_examples", "n_test")
"""Columns of counts on a test set of each model (the more the better, or the fewer), and of the number of examples."""

_SAID = {"fold": "fold", "repeat": "repeat", "bootstrap": "split", "resample": "split", "split": "split"}
"""What cells such as Fold03 name, whatever their column is called."""

_PARTS = frozenset(("train", "training", "dev", "val", "valid", "validation", "eval", "test", "holdout"))
_BESIDE_SCORES = (*UNITS, "item", "run", "epoch", "cluster", "weight", "n_train", "n_test", "test_set", "metric")
"""Parts of columns beside those of scores, whatever the shape of a table."""

_FOLD = re.compile(r"(fold|split|cv|run|resample|repeat)?[ _]?\d+", re.IGNORECASE)
EVERY_MODEL = "every model"
"""Whose the rows of a table are that has a column for each model."""

ADVICE = (
    "Pass the single score of each model on each split: columns 'model', 'fold' and the metric, or one column for each model."
)


@dataclass(frozen=True)
class Long:
    """Scores as a long table; of a wide one `model` is None, and there is a row of scores for each model.

    Attributes
    ----------
    table : SourceTable
        Where the rows stand.
    models : tuple of str
    model : ndarray of int, shape (n_rows,), or None
        Place of each row's model in `models`.
    score : ndarray of shape (n_rows,) or (n_models, n_rows)
    units : dict of str to Words
        Parts of the name of each row's unit: dataset, repeat, fold, split, seed, time, item.
    metric : str or None
        Name that the source has for the scores.
    metrics : Words or None
        Of each row, where the source tells it by row and there are several.
    more : dict of str to column
        Columns by what they hold beside: n_train, n_test, run, epoch, cluster, weight, human.
    extras : dict of str to column
        What is left aside.
    column : str
        Of the scores; "" for a wide table.
    roles : str
        What was taken for what, in words.
    is_by_file : bool
        True where the one model is called after its file.
    item_column : str
        Name of the column of the items.
    """

    table: SourceTable
    models: tuple[str, ...]
    model: IntArray | None
    score: FloatArray
    units: dict[str, Words]
    metric: str | None = None
    metrics: Words | None = None
    more: dict[str, Column] = field(default_factory=dict)
    extras: dict[str, Column] = field(default_factory=dict)
    column: str = ""
    roles: str = ""
    is_by_file: bool = False
    item_column: str = "item"

    @property
    def is_of_items(self) -> bool:
        """True where a row is one item of a test set."""
        return "item" in self.units


def long_of(table: SourceTable, options: ReadOptions, alone: str | None = None) -> Long:
    """The long table; `alone` is the name of the model of a source that has no column of models, and one of scores.

    Raises
    ------
    TiebreakError
        No rule says what the table holds; the text has its columns, and the one option that would settle it.
    """
    table = _where(table, options.where or {})
    filled = {
        name: column
        for name, column in table.columns.items()
        if not is_empty(column) or (isinstance(column, np.ndarray) and not names_something(name))  # a model may lack all scores
    }
    table = dataclasses.replace(table, columns=filled)
    names = list(filled)
    is_text = {name: not is_numeric(column) for name, column in table.columns.items()}
    given = options.named_columns
    datasets = given.pop("datasets", None)
    says = {name: is_varied(column) for name, column in table.columns.items()}
    fractions = {name for name, column in table.columns.items() if has_fractions(column)}
    roles = find_roles([*names, *table.nested], table.name, given, options.metric, says, fractions)
    if options.dataset is not None and "dataset" in roles:
        table = _where(table, {roles["dataset"][0]: options.dataset}, "dataset")
    refuse_nested(table, [column for columns in roles.values() for column in columns])
    if "model" not in roles and is_text.get("column 1") and _names_models("column 1", is_text, roles, options):
        roles["model"] = ["column 1"]
    reading = _Reading(table, roles, is_text, options, alone)
    if "model" not in roles:
        return reading.of_one_model() if alone is not None and reading.score_column() else reading.wide()
    if datasets is not None:
        return reading.melted([names[look_up(each.strip(), names, "column")] for each in datasets.split(",")], "dataset")
    return reading.long()


def _where(table: SourceTable, where: Mapping[str, str | Sequence[str]], what: str = "") -> SourceTable:
    """Rows in which columns have the values that are asked for."""
    for name, wanted in where.items():
        column = list(table.columns)[look_up(name, list(table.columns), "column")]
        words = table.words(column)
        values = [wanted] if isinstance(wanted, str) else list(map(str, wanted))
        codes = [look_up(value, words.names, what or f"value of {column!r}") for value in values]
        table = table.take(np.flatnonzero(np.isin(words.code, codes)))
        left = {key: each.ordered() if isinstance(each, Words) else each for key, each in table.columns.items()}
        table = dataclasses.replace(table, columns=left)
    return table


def _names_models(column: str, is_text: Mapping[str, bool], roles: Mapping[str, Sequence[str]], options: ReadOptions) -> bool:
    """True for a column of texts without a name or a part, beside metrics or folds alone."""
    return not any(column in columns for columns in roles.values()) and all(
        _FOLD.fullmatch(name)
        or _NO_SCORE.fullmatch(_under(name))
        or is_text[name]
        or metric_like(name)
        or plain(name) == plain(options.metric or "")
        or plain(name) in (plain("test_score"), plain("train_score"))
        for name in is_text
        if name != column
    )


def sums_up(name: str, more: Container[str] = ()) -> bool:
    """True for a name of a row or a column that sums up the others, such as a mean or a rank, or has the words of `more` only."""
    words = re.findall(r"[^\W_]+", name.casefold())
    return (bool(words) and all(word in more for word in words)) or (
        not _SUMS.isdisjoint(words) and all(word in _SUMS or word in _BESIDE_SUMS or metric_like(word) for word in words)
    )


def _under(name: str) -> str:
    return re.sub(r"[\s.\-]+", "_", name.strip().casefold())


def joined(columns: Sequence[Words]) -> Words:
    """Words of several columns as one, with a blank between."""
    if len(columns) == 1:
        return columns[0]
    codes = np.stack([each.code for each in columns])
    found, code = np.unique(codes, axis=1, return_inverse=True)
    names = [
        " ".join(each.names[place] for each, place in zip(columns, key, strict=True) if place >= 0) for key in found.T.tolist()
    ]
    return Words(tuple(names), code.ravel().astype(np.int32)).ordered()


class _Reading(NamedTuple):
    """A table whose columns have their parts, on the way to the long table."""

    table: SourceTable
    roles: dict[str, list[str]]
    is_text: dict[str, bool]
    options: ReadOptions
    alone: str | None

    @property
    def name(self) -> str:
        return self.table.name

    # --- columns ------------------------------------------------------------------------------------------------------------

    def words(self, role: str) -> Words:
        """Column of a part, of which several are joined."""
        return joined([_keyed(self.table.words(column)) for column in self.roles[role]])

    def others(self, *roles: str) -> list[str]:
        """Columns that have none of these parts."""
        taken = {column for role in roles for column in self.roles.get(role, ())}
        return [name for name in self.table.columns if name not in taken]

    def score_column(self) -> str | None:
        """Column of the scores of a table with one in each row: the metric's, or the one called score; None for none."""
        asked = self.options.metric
        rest = self.others("model", "human", *_BESIDE_SCORES)
        if asked is not None:
            found = _of_metric(asked, rest, self.name)
            if found is not None:
                return found
        if "judge" in self.roles and "human" in self.roles:
            return self.roles["judge"][0]
        if "score" in self.roles:
            return self.roles["score"][0]
        known = [name for name in rest if not self.is_text[name] and _metric_in(name)]
        return known[0] if asked is None and len(known) == 1 and has_direction(_bare(known[0])) else None

    def the_score_column(self) -> str:
        """Column of the scores, be it the only one of numbers that may hold them."""
        found = self.score_column()
        if found is not None:
            return found
        numeric = [name for name in self.others(*(self.roles.keys() - {"judge", "human"})) if not self.is_text[name]]
        known = [name for name in numeric if _metric_in(name)]
        likely = known or [name for name in numeric if not _NO_SCORE.fullmatch(_under(name))]
        if len(likely) == 1 and (self.options.metric is None or "metric" in self.roles):
            return likely[0]
        raise self._no_score_column(numeric, likely)

    def _no_score_column(self, numeric: Sequence[str], likely: Sequence[str]) -> TiebreakError:
        asked, table = self.options.metric, self.table
        sums = [name for name in numeric if re.search(rf"(^|_)({_SPREAD}|{_MEAN})(_|$)", _under(name))]
        texts = [
            name
            for name in self.others(*self.roles)
            if self.is_text[name] and re.search(r"±|\+/-|\d\s*\(", table.words(name).names[0])
        ]
        if sums or texts:
            return refuse(
                self.name,
                None,
                None,
                f"{quoted([*sums, *texts], 6)} are means or deviations, which do not say how two models differ on the "
                "same split.",
                ADVICE,
            )
        if asked is not None and likely:
            return UnknownNameError(
                f"{self.name} has no column {asked!r}; its columns of numbers are {quoted(list(numeric), 12)}.", about="metric"
            )
        if len(likely) > 1:
            return self._several_metrics(likely)
        what = f"{self.name} has a column of models, but which column holds their scores? There are {known_columns(table)}."
        return AmbiguousSourceError(what, " Name it with ", Setting("metric"), ", or call it 'score'.")

    def _several_metrics(self, names: Sequence[str]) -> TiebreakError:
        what = f"{self.name} holds {len(names)} metrics: {quoted(list(names), 12)}. Say which one to compare with "
        return AmbiguousSourceError(what, Setting("metric"), ".")

    def _of_means(self) -> TiebreakError:
        """Refusal of a table with one row for each model."""
        numeric = [name for name in self.others("model") if not self.is_text[name]]
        likely = [name for name in numeric if not metric_like(name) and not _NO_SCORE.fullmatch(_under(name))]
        is_of_datasets = 1 < len(likely) == len(numeric)
        about = (
            (" If its columns are datasets, say so: ", column_advice("datasets", ",".join(likely)), ".") if is_of_datasets else ()
        )
        return refuse(
            self.name,
            None,
            None,
            f"it has one row for each model: a single score, or a mean, says nothing of how it varies (columns "
            f"{known_columns(self.table)}).",
            ADVICE,
            *about,
            kind=AmbiguousSourceError,
        )

    # --- shapes -------------------------------------------------------------------------------------------------------------

    def long(self) -> Long:
        """A row for each score, or for each model with a column for each fold."""
        folds = [name for name in self.others("model") if _FOLD.fullmatch(name) and not self.is_text[name]]
        asked = self.options.metric
        has_own = asked is not None and _of_metric(asked, self.others("model"), self.name) is not None
        if len(folds) > 1 and not has_own and "score" not in self.roles:
            return self.melted(folds, "fold" if _under(folds[0]).startswith(("fold", "cv")) else "split")
        if own := self._folds_of_metric():
            return self.melted(own, "fold", metric=asked)
        if (counts := self._counts()) is not None:
            return counts
        is_alone = len(self.words("model").ordered().names) == self.table.n_rows > 1  # a time may be that of training
        if is_alone and not self._unit_roles() - {"time"} and self.options.rows != "items":
            raise self._of_means()
        column = self.the_score_column()
        kept, metrics, metric = self._of_metric_rows(column)
        reading = self._replace(table=kept)
        models = reading.words("model")
        reading._refuse_empty(models, "model")
        models = models.ordered()
        units = reading._units(models, column)
        score = reading.table.numbers(column)
        more = reading._more()
        used = {column or "", *(name for role in ("model", "metric", *units, *more) for name in self.roles.get(role, ()))}
        extras = {name: each for name, each in reading.table.columns.items() if name not in used}
        found = Long(reading.table, tuple(models.names), models.code, score, units, metric, metrics, more, extras, column)
        return dataclasses.replace(
            found, roles=_roles_text(self.roles, units, found), item_column=self.roles.get("item", ["item"])[0]
        )

    def of_one_model(self) -> Long:
        """A table of one model: the column of the metric, or the one called score."""
        only = Words((self.alone or "",), np.zeros(self.table.n_rows, dtype=np.int32))
        table = dataclasses.replace(self.table, columns={**self.table.columns, "\0model": only})
        reading = self._replace(table=table, roles={**self.roles, "model": ["\0model"]})
        found = reading.long()
        return dataclasses.replace(found, is_by_file=True, roles="")

    def melted(self, columns: Sequence[str], unit: str, metric: str | None = None) -> Long:
        """A row for each model and a column for each of its units."""
        models = self.words("model")
        self._refuse_empty(models, "model")
        models, n = models.ordered(), len(columns)
        score = np.concatenate([self.table.numbers(name) for name in columns])
        for name in columns:
            if sums_up(name):
                raise refuse(self.name, name, None, "it sums up the others.", "Leave it out.")
        table = self.table.take(np.tile(np.arange(self.table.n_rows), n))
        code, model = np.repeat(np.arange(n, dtype=np.int32), self.table.n_rows), np.tile(models.code, n)
        units: dict[str, Words] = {}
        if unit != "dataset" and "dataset" in self.roles:
            units["dataset"] = self._replace(table=table).words("dataset")
        digits = [re.findall(r"\d+", name) for name in columns]
        labels = tuple(columns) if unit == "dataset" or not all(digits) else tuple(each[0] for each in digits)
        units[unit] = Words(labels if len(set(labels)) == n else tuple(columns), code)
        extras = {name: table.columns[name] for name in self.others("model", "dataset") if name not in columns}
        found = Long(table, tuple(models.names), model, score, units, metric, None, {}, extras)
        self._replace(table=table)._check_doubles(models._replace(code=model), units, columns[0])
        return dataclasses.replace(found, roles=_roles_text(self.roles, units, found))

    def wide(self) -> Long:
        """A column for each model."""
        roles = {role: columns for role, columns in self.roles.items() if role in _BESIDE_SCORES}
        reading = self._replace(roles=roles)
        kept, metrics, metric = reading._of_metric_rows(None)
        reading = reading._replace(table=kept)
        is_items = "item" in roles or self.options.rows == "items"
        names, extras = reading._model_columns(is_items)
        only = Words((EVERY_MODEL,), np.zeros(reading.table.n_rows, dtype=np.int8))
        units = reading._units(only, None)
        score = np.stack([reading.table.numbers(name) for name in names.values()])
        held = {name: reading.table.columns[name] for name in extras}
        found = Long(reading.table, tuple(names), None, score, units, metric, metrics, reading._more(), held)
        return dataclasses.replace(found, roles=_roles_text(roles, units, found), item_column=roles.get("item", ["item"])[0])

    def _model_columns(self, is_items: bool) -> tuple[dict[str, str], list[str]]:
        """Columns of the models by name, and those that are left aside."""
        rest = self.others(*self.roles)
        if self.options.models is not None and set(self.options.models) <= set(rest):
            return {name: name for name in self.options.models}, []
        refuse_battles(rest, self.name)
        parts = [name.rpartition("~") for name in rest]
        if len(rest) > 1 and all(mark for _, mark, _ in parts):  # lda~Accuracy, as R's caret writes it
            own = {
                model: name
                for (model, _, metric), name in zip(parts, rest, strict=True)
                if plain(metric) == plain(self.options.metric or "")
            }
            if own:
                return own, []
        texts = [name for name in rest if self.is_text[name]]
        numbers = [name for name in rest if not self.is_text[name]]
        index = self.table.numbers("column 1") if numbers[:1] == ["column 1"] and not is_items else np.zeros(2)
        if np.unique(index).size == index.size and np.all(index == np.floor(index)):
            numbers = numbers[1:]  # an index of rows that were picked from others
        self._refuse_metrics(numbers)
        if not is_items:
            self._refuse_running(numbers)
            self._refuse_no_scores(numbers)
        odd = [name for name in numbers if _NO_SCORE.fullmatch(_under(name)) or sums_up(name)]
        if is_items:
            words = [name for name in texts if not self._has_wrong_cells(name)]
            numbered = [name for name in numbers if name == "column 1" or (plain(name) in map(plain, ALIASES["item"].split()))]
            odd = [name for name in odd if name not in numbered]
            numbers = [name for name in numbers if name not in numbered]
            texts, extras = [name for name in texts if name not in words], [*words, *numbered]
        else:
            extras = []
        if texts:
            self.table.numbers(texts[0]) if self._has_wrong_cells(texts[0]) else None
            raise self._no_models([*texts, *odd])
        if odd:
            raise self._no_models(odd)
        if not is_items:
            refuse_nested(self.table, list(self.table.nested))
        if not numbers:
            raise refuse(
                self.name,
                None,
                None,
                f"it has no column of scores, only {known_columns(self.table)}.",
                "Use columns 'model' and 'score', or one for each model.",
            )
        return {name: name for name in numbers}, extras

    def _refuse_running(self, numbers: Sequence[str]) -> None:
        """Refuse a column that counts the rows, where no other numbers them."""
        for name in numbers if not self._unit_roles() and self.table.n_rows > 2 else ():
            values = self.table.numbers(name)
            if np.array_equal(np.diff(values), np.ones(values.size - 1)):
                raise refuse(
                    self.name,
                    name,
                    None,
                    f"it counts upwards ({values[0]:g}, {values[1]:g} ...), so it is no model's scores.",
                    "Call it 'fold' if it numbers folds, 'item' if it numbers items of one test set, or leave it out.",
                )

    def _refuse_no_scores(self, numbers: Sequence[str]) -> None:
        """Refuse a column of counts beside shares, and one that repeats the best or the worst of the others in each row."""
        for name in numbers:
            word = next((word for word in re.findall(r"[a-z]+", name.casefold()) if word in _EXTREMES), "")
            if not word and name.casefold() not in _COUNTED:
                continue
            own, others = self.table.numbers(name), np.array([self.table.numbers(each) for each in numbers if each != name])
            if word and len(others) > 1 and np.array_equal(own, _EXTREMES[word].reduce(others), equal_nan=True):
                what = f"it is the {word} of the others in each row, and no model's scores."
            elif own.min() > 1 and np.all(own % 1 == 0) and np.all(np.abs(others) <= 1):
                what = f"it holds whole numbers, from {own.min():g} on, beside scores from 0 to 1: it counts something."
            else:
                continue
            raise refuse(self.name, name, None, what, "Leave it out, or name the models (", Setting("models"), ").")

    def _has_wrong_cells(self, name: str) -> bool:
        """True for a column of numbers, some cells of which are no numbers."""
        words = self.table.words(name)
        looked = words.names[:1000]
        readable = sum(bool(re.match(r"\s*[-+]?[\d.,]+\s*(%|±|\+/-|\(|$)", each)) for each in looked)
        return bool(looked) and 2 * readable >= len(looked)

    def _no_models(self, odd: Sequence[str]) -> TiebreakError:
        first = odd[0]
        cell = self.table.words(first).texts()[0] if first in self.table.columns else ""
        return refuse(
            self.name,
            None,
            None,
            f"{quoted(list(odd), 6)} hold{'s' if len(odd) == 1 else ''} no scores of a model ({first!r} says {cell!r:.40}), "
            f"and there is no column of models among {known_columns(self.table)}.",
            "Without one every column but those of units holds the scores of a model: name the models (",
            Setting("models"),
            "), leave the other columns out, or say which column holds what: ",
            column_advice("model", "NAME"),
            ", or dataset or fold in the place of model.",
        )

    def _refuse_metrics(self, numbers: Sequence[str]) -> None:
        """Refuse columns that are metrics, of one model, or of several by prefix."""
        held = [_metric_in(name) for name in numbers]
        parts = {each for name in numbers for each in _ends(name) if each in _PARTS}
        for what, several in (("metrics", set(held) if all(held) else ()), ("parts of the data", parts)):
            if len(several) > 1:
                raise refuse(
                    self.name,
                    None,
                    None,
                    f"its columns {quoted(list(numbers), 6)} are of several {what} ({quoted(sorted(several), 6)}).",
                    "Give those of one, add a column 'model', or pass a file for each model.",
                    kind=AmbiguousSourceError,
                )

    def _counts(self) -> Long | None:
        """A row for each model and its test set, with a count, or a rate, and the number of examples; None for other tables."""
        if self._unit_roles() - {"item"}:
            return None
        by_word = {_under(name): name for name in self.table.columns}
        count = next((word for word in _COUNT if word in by_word), None)
        total = next((by_word[word] for word in _TOTAL if word in by_word), None)
        has_set = "test_set" in self.roles
        if total is None or (count is None and not (has_set and "score" in self.roles)) or self.is_text[total]:
            return None
        models = self.words("model")
        self._refuse_empty(models, "model")
        models = models.ordered()
        column = by_word[count] if count is not None else self.roles["score"][0]
        more: dict[str, Column] = {"total": self.table.numbers(total)}
        if has_set:
            more["test_set"] = self.words("test_set")
        found = Long(self.table, tuple(models.names), models.code, self.table.numbers(column), {}, None, None, more, {}, column)
        higher = _COUNT.get(count or "", True)
        return dataclasses.replace(
            found, metric=None if count is None else "accuracy" if higher else "error rate", roles="counts" if count else "rates"
        )

    def _folds_of_metric(self) -> list[str]:
        """Columns fold_1_accuracy, fold_2_accuracy and so on of the metric that is asked for."""
        asked = self.options.metric
        if asked is None:
            return []
        pattern = re.compile(r"(?:fold|cv|split)_?(\d+)_(.+)")
        found = [(name, match[2]) for name in self.others("model") if (match := pattern.fullmatch(_under(name)))]
        own = [name for name, metric in found if full_name(metric) == full_name(asked) or plain(metric) == plain(asked)]
        return own if len(own) > 1 else []

    # --- rows ---------------------------------------------------------------------------------------------------------------

    def _of_metric_rows(self, column: str | None) -> tuple[SourceTable, Words | None, str | None]:
        """Rows of the metric that is asked for, the metric of each where there are several, and what the source calls it."""
        own = None if column is None or column in self.roles.get("score", ()) or column in self.roles.get("judge", ()) else column
        own = _bare(own) if own is not None and has_direction(_bare(own)) else own
        if "metric" not in self.roles:
            return self.table, None, own
        words = self.words("metric").ordered()
        self._refuse_empty(words, "metric")
        asked = self.options.metric
        if own is not None and (asked is None or _of_metric(asked, [own], self.name)):
            return self.table, None, own
        if asked is not None:
            held = _of_metric(asked, words.names, self.name) or words.names[look_up(asked, words.names, "metric")]
            return self.table.take(np.flatnonzero(words.code == words.names.index(held))), None, held
        if len(words.names) < 2:
            return self.table, None, words.names[0] if words.names else own
        datasets = self.words("dataset").ordered() if "dataset" in self.roles else None
        if datasets is None or len(joined([datasets, words]).names) > len(datasets.names):
            raise self._several_metrics(words.names)
        return self.table, words, None

    def _unit_roles(self) -> set[str]:
        return {role for role in (*UNITS, "run", "item") if role in self.roles}

    def _units(self, models: Words, column: str | None) -> dict[str, Words]:
        """Parts of the name of each row's unit; parts that nothing needs are left out."""
        roles, options = self.roles, self.options
        splits = [role for role in ("repeat", "fold", "split") if role in roles]
        if splits and "dataset" not in roles and plain(roles.get("item", [""])[0]) == plain("task_id"):
            roles["dataset"] = roles.pop("item")
        for role in ("repeat", "item", "split"):  # tidymodels calls a column id, and its cells say Fold03
            names = self.words(role).names if role in roles else ("",)
            stem = re.sub(r"[\W\d_]+$", "", str(names[0] if names else "")).casefold()
            said = _SAID.get(stem, role)
            if role in roles and said not in roles and all(each.casefold().startswith(stem) for each in names):
                roles[said] = roles.pop(role)
        splits = [role for role in ("repeat", "fold", "split") if role in roles]
        schemes = next((self.table.words(name).names for name in self.table.columns if plain(name) == plain("resampling_id")), ())
        if splits == ["split"] and schemes == ("cv",):  # mlr3 numbers the folds of a cross-validation as iterations
            roles["fold"] = roles.pop("split")
        chosen = [role for role in (*UNITS, "item") if role in roles]
        if "run" in roles and "item" not in chosen and not {"seed", "fold", "split", "repeat"} & set(chosen):
            roles["seed"] = roles.pop("run")
            chosen.insert(0, "seed")
        units = {role: self.words(role) for role in chosen}
        if "seed" in units:  # on the one split that there is
            units = {
                role: words
                for role, words in units.items()
                if role not in ("repeat", "fold", "split") or len(words.ordered().names) > 1
            }
        is_number = "item" in units and is_weak(roles["item"][0]) and len(models.names) > 1
        if options.rows == "splits" or (is_number and np.unique(units["item"].code).size == models.code.size):
            units.pop("item", None)  # an id of each row is no item, which models share
        units = self._without_parts(units)
        if options.rows == "items" and "item" not in units:  # a number of each row is its name
            numbers = [units.pop(role) for role in ("split", "fold") if role in units]
            units |= {"item": each for each in numbers if self._is_unique(models, {"item": each})}  # noqa: B035
        for role in ("time", "seed", "item"):  # a part that is not needed to tell rows apart is none
            rest = {key: each for key, each in units.items() if key != role}
            is_needed = (
                not rest or (role == "item" and not is_weak(roles.get(role, [""])[0])) or not self._is_unique(models, rest)
            )
            if role in units and (not is_needed or (role == "time" and not {"repeat", "fold", "split"}.isdisjoint(units))):
                units = rest
        if "item" in units:
            units = {role: units[role] for role in ("dataset", "item", "repeat", "seed") if role in units}
        for role, words in units.items():
            self._refuse_empty(words, role)
            self._refuse_sums(words, role)
        if not units or (options.rows == "items" and "item" not in units):
            units = {**units, **self._by_position(models, units)}
        if "item" not in units:
            self._check_doubles(models, units, column)
        return units

    def _without_parts(self, units: dict[str, Words]) -> dict[str, Words]:
        """Units without a split that names parts of the data, of which one must be chosen."""
        for role in ("split", "fold", "dataset"):
            words = units.get(role)
            if words is None or isinstance(words.names, Counted):
                continue
            words = words.ordered()
            parts = {each.casefold() for each in words.names}
            if not parts & _PARTS or any(map(str.isdecimal, parts)) or (role == "dataset" and not parts <= _PARTS):
                continue
            if len(words.names) > 1:
                column = self.roles[role][0]
                raise refuse(
                    self.name,
                    column,
                    None,
                    f"it names parts of the data ({quoted(words.names)}), not splits of which models have one score each.",
                    "Keep one: ",
                    where_advice(column, words.names[-1]),
                    ".",
                    kind=AmbiguousSourceError,
                )
            units = {key: each for key, each in units.items() if key != role}
        return units

    def _by_position(self, models: Words, units: Mapping[str, Words]) -> dict[str, Words]:
        """The place of each row within its model, where the caller says what a row is."""
        options = self.options
        n_rows = np.bincount(models.code, minlength=len(models.names))
        has_sizes = options.cv is not None or options.has_sizes or {"n_train", "n_test"} <= self.roles.keys() or options.has_data
        if options.rows not in ("items", "splits") and not has_sizes:
            raise self._what_is_a_row(models)
        if np.unique(n_rows).size > 1:
            most, least = (models.names[int(place)] for place in (n_rows.argmax(), n_rows.argmin()))
            raise refuse(
                self.name,
                None,
                None,
                f"no column names its rows, so scores are paired by their order; but model {most!r} has {n_rows.max()} "
                f"scores and {least!r} has {n_rows.min()}.",
                "Name the rows in a column 'fold', 'split' or 'item'.",
            )
        if options.rows != "items":
            self._refuse_factor(models)
        role = "item" if options.rows == "items" else "position"
        place = _place_in_group(cell_of(models, units))
        return {role: Words(tuple(str(number) for number in range(1, int(n_rows.max()) + 1)), place)}

    def _refuse_factor(self, models: Words) -> None:
        """Refuse a column that tells the rows of every model apart, and may be what they are of."""
        order = np.argsort(models.code, kind="stable")
        for name in self.others("model", "score", "n_train", "n_test") if "model" in self.roles else self.roles.get("epoch", ()):
            column = self.table.columns[name]
            rows = (column.code if isinstance(column, Words) else column)[order].reshape(len(models.names), -1)
            held = np.sort(rows, axis=1)
            tells = (
                len(models.names) > 1 and (held[:, 0] < held[:, -1]).all()
                if isinstance(column, Words)
                else (np.diff(rows) > 0).all()
            )
            if tells and rows.shape[1] > 1 and (held == held[0]).all():
                raise refuse(
                    self.name,
                    name,
                    None,
                    f"it tells the rows of each model apart ({', '.join(self.table.words(name).texts()[:3])} ...). As what?",
                    "If it names folds, seeds, datasets or items, say so, as in ",
                    column_advice("fold", name),
                    "; else keep one value, as in ",
                    where_advice(name, self.table.words(name).names[0]),
                    ", or leave it out.",
                    kind=AmbiguousSourceError,
                )

    def _what_is_a_row(self, models: Words) -> TiebreakError:
        if "model" in self.roles:
            rest = self.others("model", "score")
            among = f", among {quoted(rest, 12)}" if rest else ""
            return refuse(
                self.name,
                None,
                None,
                f"no column numbers the rows of {models.names[0]!r}{among}.",
                "Number them in a column 'fold', 'seed' or 'item', or say what they are: ",
                column_advice("fold", "NAME"),
                "; of splits in the same order for all models pass ",
                Setting("cv", "10"),
                ", of items ",
                Setting("rows", "'items'"),
                ".",
                kind=AmbiguousSourceError,
            )
        return refuse(
            self.name,
            None,
            None,
            f"what is a row? Its columns are {known_columns(self.table)}.",
            "A fold of a cross-validation: pass ",
            Setting("cv", "10"),
            ", or ",
            Setting("n_train"),
            " and ",
            Setting("n_test"),
            "; an example of one test set: ",
            Setting("rows", "'items'"),
            "; a dataset, a seed or a period: name it in a column 'dataset', 'seed' or 'time', or say which it is: ",
            column_advice("dataset", "NAME"),
            ".",
            kind=AmbiguousSourceError,
        )

    def _is_unique(self, models: Words, units: Mapping[str, Words]) -> bool:
        cells = cell_of(models, units)
        return bool(np.unique(cells).size == cells.size)

    def _check_doubles(self, models: Words, units: Mapping[str, Words], column: str | None) -> None:
        """Refuse two rows of one model and unit, and name the columns in which they differ."""
        cells = cell_of(models, units)
        order = np.argsort(cells, kind="stable")
        same = np.flatnonzero(np.diff(cells[order]) == 0)
        if not same.size:
            return
        first, second = sorted((int(order[same[0]]), int(order[same[0] + 1])))
        own = [name for role in ("model", "metric", *units) for name in self.roles.get(role, ())]
        used = self.table.columns if column is None else {column, *own}  # where there is none, all hold scores of models
        raise doubles_error(self.table, models, units, (first, second), same.size, order, same, used)

    def _more(self) -> dict[str, Column]:
        """Sizes, runs, clusters, weights and labels."""
        found: dict[str, Column] = {}
        for role in ("n_train", "n_test", "weight", "human"):
            if role in self.roles:
                found[role] = self.table.numbers(self.roles[role][0])
        for role in ("run", "epoch", "cluster"):
            if role in self.roles:
                found[role] = words = self.words(role)
                self._refuse_sums(words, role)
        return found

    def _refuse_empty(self, words: Words, role: str) -> None:
        empty = words.code < 0
        if empty.any():
            row, column = int(np.argmax(empty)), self.roles[role][0] if role in self.roles else role
            raise refuse(
                self.name,
                column,
                self.table.where(row),
                f"no {role} is given ({int(empty.sum())} such row(s) in all).",
                "Fill it in, or remove the row.",
                kind=InvalidScoresError,
            )

    def _refuse_sums(self, words: Words, role: str) -> None:
        if isinstance(words.names, Counted):
            return
        n_numbered = sum(any(map(str.isdigit, each)) for each in words.names)
        is_rest = role == "dataset" or (role in UNITS and n_numbered == len(words.names) - 1)  # a fold may be of a man called Max
        more = (*_EXTREMES, "all") if is_rest else ()
        wrong = next((place for place, each in enumerate(words.names) if sums_up(each, more)), None)
        if wrong is not None and (words.code == wrong).any():
            row = int(np.argmax(words.code == wrong))
            column = self.roles[role][0] if role in self.roles else role
            raise refuse(
                self.name,
                column,
                self.table.where(row),
                f"{words.names[wrong]!r} sums up the other rows.",
                f"Leave it out, or call the {role} something else.",
            )


def doubles_error(
    table: SourceTable,
    models: Words,
    units: Mapping[str, Words],
    pair: tuple[int, int],
    n: int,
    order: IntArray,
    same: IntArray,
    used: Iterable[str],
) -> TiebreakError:
    """Error for rows of one model and unit, with the columns in which they differ and the two ways on."""
    first, second = pair
    key = ", ".join(f"{role} {words.names[words.code[first]]!r}" for role, words in units.items())
    where = f"{table.where(first)} and {table.where(second)}"
    model = models.names[models.code[first]]
    subject = "two rows are of" if model == EVERY_MODEL else f"model {model!r} has two scores for"
    what = f"{subject} {key} ({where}; {n} such row(s) in all)."
    differ = []
    for name, column in table.columns.items():
        words = as_words(column).ordered()
        if name in set(used) or len(words.names) ** 2 > max(table.n_rows, 16):
            continue
        codes = words.code[order]
        if np.any(codes[same] != codes[same + 1]):
            differ.append((name, words))
    differ.sort(key=lambda each: isinstance(table.columns[each[0]], np.ndarray))
    if not differ:
        fix = "Keep one row for each; rows that differ by a random seed have it in a column 'seed', repeats in 'repeat'."
        return refuse(table.name, None, None, what, fix, kind=InvalidScoresError)
    name, words = differ[0]
    others = f" (and in {quoted([each for each, _ in differ[1:]])})" if len(differ) > 1 else ""
    return refuse(
        table.name,
        None,
        None,
        f"{what} The rows differ in {name!r}: {', '.join(words.names[:5])}{others}.",
        "Keep one: ",
        where_advice(name, words.names[0]),
        "; or make it part of the model: ",
        column_advice("model", f"model,{name}"),
        ".",
        kind=InvalidScoresError,
    )


def cell_of(models: Words, units: Mapping[str, Words]) -> IntArray:
    """Number of the model and unit of each row."""
    cells = models.code.astype(np.int64)
    size = len(models.names)
    for words in units.values():
        if size * len(words.names) > 2**62:
            cells = np.unique(cells, return_inverse=True)[1].astype(np.int64)
            size = int(cells.max(initial=0)) + 1
        cells = cells * len(words.names) + words.code
        size *= len(words.names)
    return cells


def _place_in_group(group: IntArray) -> IntArray:
    """Position of each row among those of its group."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    place = np.empty(group.size, dtype=np.int32)
    place[order] = np.arange(group.size) - np.repeat(starts, np.diff(np.r_[starts, group.size]))
    return place


def _keyed(words: Words) -> Words:
    """Words of which whole numbers have no fraction: 1.0 is 1 where all are numbers."""
    if isinstance(words.names, Counted) or not all(re.fullmatch(r"-?\d+\.0+", name) for name in words.names):
        return words
    return Words(tuple(name.partition(".")[0] for name in words.names), words.code)


def _bare(name: str) -> str:
    return re.sub(r"^(metrics|classif|regr)[./]", "", name.strip(), flags=re.IGNORECASE)


def metric_like(name: str) -> bool:
    """True for a name of a metric, be it of a part of the data: test_acc, ROC."""
    bare = re.sub(
        r"^(test|val|valid|validation|train|dev|cv)[ _-]+|[ _-]+(test|val|train|dev)$", "", _bare(name), flags=re.IGNORECASE
    )
    return has_direction(bare) or plain(bare) in ("roc", "err")


def _ends(name: str) -> list[str]:
    words = _under(name).split("_")
    return [words[0], words[-1]]


def _metric_in(name: str) -> str:
    """The metric that a name of a column is, begins or ends with; "" for none."""
    return next((full_name(each) for each in (_bare(name), *_ends(name)) if metric_like(each)), "")


def _of_metric(asked: str, names: Sequence[str], source: str) -> str | None:
    """The name of the metric that is asked for among others, as it is typed or in another spelling."""
    bare = asked.removeprefix("neg_")
    own = (
        lambda name: name == asked,
        lambda name: plain(name) == plain(asked),
        lambda name: name.removeprefix("neg_") == bare,
        lambda name: full_name(_bare(name)) == full_name(asked),
    )
    for same in own:
        found = [name for name in names if same(name)]
        if len(found) > 1:
            raise AmbiguousSourceError(
                f"{source} has {quoted(found)}, and each may be the metric {asked!r}. Write its name as it stands there."
            )
        if found:
            return found[0]
    return None


def _roles_text(roles: Mapping[str, list[str]], units: Mapping[str, Words], found: Long) -> str:
    """Roles of columns in words: "model = framework, 16 datasets, folds averaged; not used: id, seed"."""
    own = roles.get("model", [])
    parts = [f"model = {', '.join(own)}"] if own and own != ["model"] else []
    if found.model is None:
        parts.append(f"models = {quoted(found.models, 4)}")
    for role, words in units.items():
        n = np.count_nonzero(np.bincount(words.code))
        of = f" = {roles[role][0]}" if roles.get(role, [role])[0] != role else ""
        parts.append(f"{n} {role}{'s' if n != 1 else ''}{of}")
    if found.column not in ("", "score"):
        parts.append(f"score = {found.column}")
    unused = list(found.extras)
    return printable(
        ", ".join(parts) + (f"; not used: {', '.join(unused[:8])}{' ...' if len(unused) > 8 else ''}" if unused else "")
    )
