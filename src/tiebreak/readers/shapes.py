"""A table becomes the long table: whose score each is, of which unit, in which metric. What no rule settles is refused.

Names of columns say what they hold (`header`). With a column of models each row is a score, or each row is a model and columns of
folds are its scores; without one each column of numbers is a model, or the whole file is one. Columns that are neither model,
unit, size nor score are left aside, and named where they are what tells two rows of one key apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from tiebreak.errors import Advice, Setting, TiebreakError, UnclearSourceError
from tiebreak.numerics import FloatArray, divide
from tiebreak.printable import printable
from tiebreak.readers.header import (
    CLASS,
    EXAMPLE_ID,
    GRADES,
    MEANS,
    MODELS_ADVICE,
    PARAMETERS,
    SPREADS,
    SUM_STEMS,
    TARGETS,
    UNITS,
    WEAK,
    WHOLES,
    column_advice,
    find_roles,
    is_metric,
    is_no_score,
    metric_in,
    names_answers,
    names_predictions,
    names_something,
    plain,
    role_of,
    sums_up,
    where_advice,
    words_in,
)
from tiebreak.readers.long import STEPS, Long, as_runs, cell_of, is_unique, joined, refuse_doubles
from tiebreak.readers.source import ReadOptions, choose_metric, metric_among
from tiebreak.readers.tables import (
    GOOD,
    Column,
    SourceTable,
    Words,
    are_letters,
    as_words,
    counts_rows,
    has_fractions,
    is_empty,
    is_numeric,
    read_table,
    refuse_nested,
    words_of,
)
from tiebreak.scores.items import TASK
from tiebreak.scores.metric import (
    PARTS,
    RATES,
    Metric,
    bare_name,
    direction_of,
    full_name,
    has_direction,
    is_known,
    meant_by,
    plain_name,
    without_part,
)
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import quoted

_EXTREMES = {
    **dict.fromkeys(("best", "max", "maximum", "oracle"), np.fmax),
    **dict.fromkeys(("worst", "min", "minimum"), np.fmin),
}
"""Words of names that may be of a model, or say which of the others stands here."""

_COUNT = {
    **dict.fromkeys("correct n_correct num_correct passed n_passed num_passed success successes conversions".split(), True),
    **dict.fromkeys(("errors", "n_errors", "num_errors", "wrong"), False),
}
_TOTAL = "n total n_total num_total n_items n_examples num_examples n_samples num_samples n_test trials visitors".split()
"""Columns of counts on a test set of each model (the more the better, or the fewer), and of the number of examples."""

_SAID = {"fold": "fold", "repeat": "repeat", "bootstrap": "split", "resample": "split", "split": "split"}
"""What cells such as Fold03 name, whatever their column is called."""

_SPLITS = frozenset(("repeat", "fold", "split"))
"""Parts that name splits."""

_BESIDE_SCORES = (*UNITS, "item", "run", "epoch", "cluster", "weight", "n_train", "n_test", "test_set", "metric")
"""Parts of columns beside those of scores, whatever the shape of a table."""

_FOLD = re.compile(
    r"((?P<unit>fold|split|cv|run|resample|repeat|seed)?[ _=-]?\d+([ _](valid|val|test))?)"
    r"|(?P<of>fold|cv|split|seed)[ _=-]?\d+[ _](?P<metric>.+)",
    re.IGNORECASE,
)
"""Name of a column of the scores of one fold or seed, alone, with a part of the data or in front of a metric."""

_BEFORE_FOLD = re.compile(r"(?P<metric>.+)[ _](?P<of>fold|cv|split|seed)[ _=-]?\d+([ _](valid|val|test))?", re.IGNORECASE)
"""Name of such a column where the metric stands in front: acc_fold1."""

_BESIDE_MODELS = re.compile(
    r"(?P<model>.+?)[ _.-]*[ _.(-](ci[ _]?(low|high)|(ci[ _]?)?(lo|hi|lower|upper)|lb|ub|err|error|std|stderr)\)?"
    r"|std|stdev|stderr|p[ _-]?val(ue)?s?|Δ|diff|difference|improvement|improv\.?",
    re.IGNORECASE,
)
"""Name of ends of an interval or a deviation of a model, whose own name stands in front, or of what no model is called."""

_CORNERS = {"estimators:": False, "resamples:": True, "folds:": True}
"""What aeon and tsml write above the datasets, and whether the other columns are numbered. Files are called after the metric."""

_STATUS = {plain(name) for name in ("status", "state", "run_status", "run_state")}
_FAILED = set(
    map(plain, "failed fail failure error errored crashed killed timeout timed-out aborted cancelled canceled oom".split())
)
_NOTHING = frozenset(("", "false", "no", "none", "nan", "0", "ok"))

_OF_ALL = frozenset(
    """balanced_accuracy explained_variance matthews_corrcoef r2 roc_auc root_mean_squared_error
    root_mean_squared_log_error""".split()
)
_OF_CLASSES = ("f1", "jaccard", "precision", "recall")
"""Metrics that a single example has not, and beginnings of those of which one is 0 or 1 for each example of a class alone."""

OF_ERRORS = ("mean_absolute_error", "mean_squared_error")
"""Metrics of numbers that are means over examples."""

_LOOKED_AT = 1000
"""Rows that are looked at where a column may have a million."""

_MOST_NAMED = 20
"""Columns up to which an advice names all; more are hardly datasets."""

_ALONE = "\0model"
"""Column of the model of a file that has one alone."""

_BOOLEANS = frozenset("true false True False TRUE FALSE".split())
"""Words that are answers where a model says them, and else 1 and 0."""

_NOUNS = frozenset("example question sample instance task prompt instruction image case".split())
"""What an item is called where its column is."""

_AS = {"dataset": TASK, "repeat": "run", "seed": "run"}
"""What parts of the name of a unit are where rows are items."""

ADVICE = (
    "Pass the single score of each model on each split: columns 'model', 'fold' and the metric, or one column for each model."
)


@dataclass(frozen=True)
class Reading:
    """A table whose columns have their parts, on the way to the long table."""

    table: SourceTable
    roles: dict[str, list[str]]
    options: ReadOptions

    @classmethod
    def of(cls, table: SourceTable, options: ReadOptions) -> Reading:
        """The rows that are asked for, and what their columns hold."""
        table = _turned(table.kept(options.where or {}))
        # a column of numbers that is empty may be of a model that lacks all scores
        are_named = any(role_of(name) == "model" for name in table.columns)
        empty = {
            name
            for name, column in table.columns.items()
            if is_empty(column)
            and (
                isinstance(column, Words)
                or names_something(name)
                or (are_named and not (is_metric(name) or role_of(name) or name == options.metric))
            )
        }
        table = replace(table, columns={name: column for name, column in table.columns.items() if name not in empty})
        roles = find_roles(table, options.named_columns, options.metric)
        corner, *others = table.columns or [""]
        # resamples are numbered
        if _CORNERS.get(corner.casefold()) is all(map(str.isdecimal, others)) and not options.named_columns:
            roles["dataset"] = [corner]
        if _numbers_rows(table, roles, options):
            del table.columns[roles.pop("item")[0]]  # a dict of our own, made above
        if options.dataset is not None and "dataset" in roles:
            table = table.kept({roles["dataset"][0]: options.dataset}, "dataset")
        refuse_nested(table, [column for columns in roles.values() for column in columns])
        reading = cls(table, roles, options)
        reading._call_as_tools_do()
        # texts without a name in front of metrics, folds and texts alone are models, or metrics of one
        if "model" not in roles and "column 1" in reading.others(*roles) and reading.is_text["column 1"]:
            asked = {plain(options.metric or ""), plain("test_score"), plain("train_score")}
            beside = [name for name in reading.numeric(*roles) if plain(name) not in asked]
            if all(is_metric(name) or is_no_score(name) or _FOLD.fullmatch(name) for name in beside):
                names = table.words("column 1").names
                metrics = [*filter(is_metric, names)]  # models are called EM and MAP, too
                are_metrics = len(metrics) > 1 and (len(metrics) == len(names) > 2 or max(map(len, metrics)) > 3)
                roles["metric" if are_metrics else "model"] = ["column 1"]
        return reading

    @cached_property
    def is_text(self) -> dict[str, bool]:
        """False for columns of numbers, by name; yes and no are texts where nothing says that they are marks."""
        columns = self.table.columns
        spoken = [column.names for name, column in columns.items() if isinstance(column, Words) and names_answers(name)]
        said = _BOOLEANS.intersection(chain.from_iterable(spoken))
        found = {}
        for name, column in columns.items():
            found[name] = not is_numeric(column)
            is_yes_or_no = isinstance(column, Words) and (
                said.issuperset(column.names) or {"yes", "no"}.issuperset(map(str.casefold, column.names)) or are_letters(column)
            )
            if is_yes_or_no:
                are_marks = role_of(name) == "score" or metric_in(name) or not GRADES.isdisjoint(words_in(name))
                found[name] = is_empty(column) or not (are_marks or name == self.options.metric)
        return found

    @property
    def named_in(self) -> str:
        """Column of texts that may name the models, for advice; "NAME" where there is none."""
        texts = filter(self.is_text.__getitem__, self.others(*self.roles))
        return next((name for name in texts if len(self.table.words(name).ordered().names) > 1), "NAME")

    @property
    def _metric_of_file(self) -> str | None:
        """Metric after which aeon and tsml call a table, where none is asked for: ROCKET_accuracy.csv, accuracy_mean.csv."""
        called = re.search(r"([^_/\\]+)(_mean)?\.csv$", self.table.name)
        is_theirs = self.roles.get("dataset", [""])[0].casefold() in _CORNERS and self.options.metric is None
        return called[1] if is_theirs and called and is_metric(called[1]) else None

    @property
    def is_of_predictions(self) -> bool:
        """True for a table with the truth and predictions: of one model, or a column for each, or rows for each and no score."""
        roles, asked = self.roles, self.options.metric
        if "truth" not in roles or ("prediction" in roles and self._are_graded()):
            return False
        if "model" in roles:
            return "prediction" in roles and roles.keys().isdisjoint(("score", "metric")) and asked not in self.table.columns
        # a model may be called y, unless items, periods or predictions stand beside it
        is_sure = "truth" in self.options.named_columns or plain(roles["truth"][0]) != "y"
        is_score = asked is not None and metric_among(asked, [*self.numeric(*roles), *roles.get("score", ())], self.table.name)
        return (is_sure or not {"prediction", "time", "item"}.isdisjoint(roles)) and not (is_score or self._are_marks())

    @property
    def is_in_time(self) -> bool:
        """True for forecasts of one series that are compared by a loss of each period: their errors follow each other."""
        metric = meant_by(self.options.metric or "").removeprefix("neg_")
        if "time" not in self.roles or ("dataset" in self.roles and len(self.words("dataset").ordered().names) > 1):
            return False
        from tiebreak.statistics.influence import METRICS_OF_NUMBERS  # which predictions alone need

        if metric in METRICS_OF_NUMBERS:
            raise self.table.refuse(
                f"errors of one series follow each other, and {metric} is no mean of them.",
                "Compare a loss of each period: ",
                Setting("metric", "'mean_squared_error'"),
                ".",
                kind=UnclearSourceError,
            )
        return metric in OF_ERRORS

    def _are_graded(self) -> bool:
        """True where a column says how good each free answer is: correct, exact_match; classes are compared with the truth."""
        roles, asked = self.roles, self.options.metric
        sides = [roles[role][0] for role in ("truth", "prediction")]
        are_texts = any(self.is_text[side] for side in sides)
        grades = [name for name in self.numeric("model", "truth", "prediction", *_BESIDE_SCORES) if direction_of(name)]
        grades = [name for name in grades if are_texts or plain(name) != "score"]  # beside numbers it may be a probability
        n_models = len(self.words("model").names) if "model" in roles else 1
        is_free = 2 * len(self.table.words(sides[0]).names) * n_models > self.table.n_rows
        return is_free and bool(grades) and (asked is None or metric_among(asked, grades, self.table.name) is not None)

    def _are_marks(self) -> bool:
        """True where the truth is an answer in words, and numbers say how good that of each model is: 0 and 1, or grades."""
        roles, answers = self.roles, self.table.words(self.roles["truth"][0]).names
        numbers = [name for name in self.numeric(*roles) if role_of(name) != "item" and name != "column 1"]
        texts = {text for name in self.others(*roles) if self.is_text[name] for text in self.table.words(name).names}
        are_predicted = "prediction" in roles or any(map(names_predictions, numbers)) or not texts.isdisjoint(answers)
        is_asked = "truth" in self.options.named_columns or not self.is_text[roles["truth"][0]] or len(answers) <= 2
        if are_predicted or is_asked or not numbers:
            return False
        values = np.concatenate([self.table.numbers(name) for name in numbers])
        return bool(np.isin(values[~np.isnan(values)], (0, 1)).all()) or 2 * len(answers) > self.table.n_rows

    def refuse_failed(self, score: str) -> None:
        """Refuse scores of runs of which a column such as "status" says that they failed: often a 0 that nobody has measured."""
        told = {
            name: words
            for name in self.table.columns
            if plain(name) in _STATUS | _FAILED and name != score
            for words in [self.table.words(name)]
            if self.is_text[name]
            or "failed" in map(str.casefold, words.names)  # pass and fail are what a test has shown
            or (plain(name) in _FAILED and not metric_in(name) and {"0", "1"}.issuperset(words.names))
        }
        for column, words in told.items():
            failed = [  # a column 'error' may say what went wrong
                plain(word) in _FAILED or (plain(column) in _FAILED and plain(word) not in _NOTHING) for word in words.names
            ]
            others = [word for word, is_so in zip(words.names, failed, strict=True) if not is_so]
            self.table.refuse_rows(
                np.isin(words.code, np.flatnonzero(failed)) & ~np.isnan(self.table.numbers(score)),
                lambda row, words=words: f"says {words.names[words.code[row]]!r}, and {score!r} has a score all the same.",  # type: ignore[misc]
                "Leave the score empty",
                *((", or keep the others: ", where_advice(column, others[0])) if others else ()),
                ".",
                column=column,
            )

    # --- columns ------------------------------------------------------------------------------------------------------------

    def words(self, role: str) -> Words:
        """Column of a part, of which several are joined."""
        columns = {column: self.table.words(column) for column in self.roles[role]}
        return joined(
            [
                words.renamed(name.partition(".")[0] for name in words.names)  # 1.0 is 1 where all are whole numbers
                if column != _ALONE and all(re.fullmatch(r"-?\d+\.0+", name) for name in words.names)
                else words
                for column, words in columns.items()
            ]
        )

    def others(self, *roles: str) -> list[str]:
        """Columns that have none of these parts."""
        taken = {column for role in roles for column in self.roles.get(role, ())}
        return [name for name in self.table.columns if name not in taken]

    def numeric(self, *roles: str) -> list[str]:
        """Columns of numbers that have none of these parts."""
        return [name for name in self.others(*roles) if not self.is_text[name]]

    @cached_property
    def folds(self) -> list[str]:
        """Columns of a table without models that are called like the splits of one, fold_1 or 1, where no others hold scores."""
        numbers = self.numeric(*self.roles)
        names = [name for name in numbers if (match := _FOLD.fullmatch(name)) and str(match["unit"]).casefold() != "run"]
        is_other = "item" in self.roles or self.options.rows == "items" or self.options.models is not None or len(names) < 2
        return [] if is_other or not all(name in names or is_no_score(name) for name in numbers) else names

    def score_column(self) -> str | None:
        """Column of the scores of a table with one in each row: the metric's, or the one called score; None for none."""
        asked = self.options.metric
        rest = ("model", "human", *_BESIDE_SCORES)
        if asked is not None and (found := metric_among(asked, self.others(*rest), self.table.name)) is not None:
            return found
        known = [name for name in self.numeric(*rest) if metric_in(name) and not is_empty(self.table.columns[name])]
        role = "judge" if {"judge", "human"} <= self.roles.keys() else "score"
        if role in self.roles and not (known and self.is_text[self.roles[role][0]]):
            return self.roles[role][0]
        bare = [without_part(name) for name in known if "train" not in words_in(name)]
        is_asked = asked is None or metric_among(asked, bare, self.table.name) is not None
        return known[0] if len(known) == len(bare) == 1 and is_asked and has_direction(bare[0]) else None

    def the_score_column(self) -> str:
        """Column of the scores, be it the only one of numbers that may hold them."""
        if (found := self.score_column()) is not None:
            return found
        asked, roles = self.options.metric, self.roles.keys() - {"judge", "human"}
        numeric = self.numeric(*roles)
        sums = [name for name in numeric if not is_metric(name) and not MEANS.union(SPREADS).isdisjoint(words_in(name))]
        others = [name for name in numeric if name not in sums and not is_empty(self.table.columns[name])]
        likely = [name for name in others if metric_in(name) and (is_metric(name) or not is_no_score(name))] or [
            name for name in others if not is_no_score(name)
        ]
        likely += [
            name
            for name in sums
            if likely and (metric_in(name) or not metric_in(likely[0])) and SPREADS.keys().isdisjoint(words_in(name))
        ]
        if len(likely) == 1 and (asked is None or "metric" in self.roles):
            return likely[0]
        texts = [name for name in self.others(*roles) if self.is_text[name]]
        sums += [name for name in texts if re.search(r"±|\+/-|\d\s*\(", self.table.words(name).names[0])]
        fix: tuple[str | Setting | Advice, ...] = (
            ("If it is what each model predicts, say so: ", column_advice("prediction", numeric[0]), ".")
            if {"truth", "model"} <= roles and len(numeric) == 1
            else ("Name it with ", Setting("metric"), ", or call it 'score'.")
        )
        if asked is None and likely:
            return choose_metric(likely, None, self.table.name)  # which refuses several
        if sums and not likely:
            own = [name for name in sums if SPREADS.keys().isdisjoint(words_in(name)) and "dataset" in self.roles]
            fix = (
                f"{quoted(sums, 6)} are means or deviations, which do not say how two models differ on the same split. ",
                ADVICE,
                *((" Of datasets the mean of each will do: ", Setting("metric", repr(own[0])), ".") if own else ()),
            )
        elif len(spoilt := [name for name in texts if metric_in(name)]) == 1:  # reading it names the cell that is no number
            return spoilt[0]
        raise self.table.refuse(
            f"which column holds {'the scores' if asked is None else repr(asked)}? Its columns of numbers are "
            f"{quoted(numeric, 12)}.",
            *fix,
            kind=UnclearSourceError,
        )

    # --- shapes -------------------------------------------------------------------------------------------------------------

    def long(self, alone: str | None = None) -> Long | Scores:
        """The long table, or the scores of a table of means.

        `alone` is the name of the model of a source that has no column of models, and one of scores or of each of its splits.

        Raises
        ------
        TiebreakError
            No rule says what the table holds; the text has its columns, and the one option that would settle it.
        """
        self._refuse_lone_predictions()
        table = self.table
        if "model" in self.roles:
            return self._melted(self.roles["datasets"], "dataset") if "datasets" in self.roles else self._by_model()
        if alone is None or not (self.folds or self.score_column()):  # a column for each model
            reading = replace(self, roles={role: columns for role, columns in self.roles.items() if role in _BESIDE_SCORES})
            return reading._built(reading._model_columns("item" in reading.roles or self.options.rows == "items"))
        alone = alone.removesuffix(f"_{metric}" if (metric := self._metric_of_file) else "")
        columns: dict[str, Column] = {**table.columns, _ALONE: Words((alone,), np.zeros(table.n_rows, dtype=np.int32))}
        # of one model "iter" counts the steps of its training, unless the caller says that it numbers splits
        roles = {
            "epoch" if own == ["iter"] and role not in self.options.named_columns else role: own
            for role, own in self.roles.items()
        }
        found = replace(self, table=replace(table, columns=columns), roles={**roles, "model": [_ALONE]})._by_model()
        return replace(found, roles="") if isinstance(found, Long) else found

    def _refuse_lone_predictions(self) -> None:
        """Refuse what models predict without the truth: 0 and 1 would be taken for wrong and right."""
        rest = self.others(*_BESIDE_SCORES, "model")
        classes = [name for name in rest if CLASS.search(name) and not has_fractions(self.table.columns[name])]
        named = [name for name in rest if (names_predictions(name) or name in classes) and not metric_in(name)]
        is_lone = bool(named) and "score" not in self.roles and not any(map(metric_in, rest))
        if (
            is_lone
            and len(named) > 1
            and {"truth", "model"} <= self.roles.keys()
            and self.options.metric not in self.table.columns
        ):
            raise self.table.refuse(
                f"{quoted(named, 4)} are several columns of what each model predicts.",
                "Say which is meant, of probabilities of two classes that of the positive one: ",
                column_advice("prediction", named[-1]),
                "; of more classes give a column 'y_pred' of the predicted ones.",
                kind=UnclearSourceError,
            )
        if is_lone and "truth" not in self.roles:
            raise self.table.refuse(
                f"it holds what models predict ({quoted(named, 4)}), and no truth to compare it with.",
                "Put the truth and the predictions of all models into one table, with the truth in a column 'y_true', or say "
                "which it is: ",
                column_advice("truth", "NAME"),
                "; if these are scores of single items, call a column of them 'score', or each by its model.",
                kind=UnclearSourceError,
            )
        truth = self.roles.get("truth", [""])[0]
        if self.options.rows == "items" and plain(truth) == "y" and truth not in (self.options.models or ()):
            raise self._truth_or_model(truth)

    def _truth_or_model(self, name: str) -> TiebreakError:
        return self.table.refuse(
            "it may be the truth, or a model.",
            "If it is the truth, ",
            column_advice("truth", name),
            "; if it is a model, name the models: ",
            MODELS_ADVICE,
            ".",
            column=name,
            kind=UnclearSourceError,
        )

    def _by_model(self) -> Long | Scores:
        """A row for each score, or for each model with a column for each fold."""
        others, own = self.numeric("model", "dataset"), self.others("model", "dataset")
        folds = {name: match for name in others if (match := _FOLD.fullmatch(name) or _BEFORE_FOLD.fullmatch(name))}
        metrics = [match["metric"] for match in folds.values() if match["metric"]]
        asked = self.options.metric or (metrics[0] if len(metrics) > 1 == len({*metrics}) else None)
        has_own = self.options.metric is not None and metric_among(self.options.metric, own, self.table.name) is not None
        bare = [name for name, match in folds.items() if match["metric"] is None and not has_own and "score" not in self.roles]
        of_metric = [
            name
            for name, match in folds.items()
            if asked is not None and match["metric"] is not None and metric_among(asked, [match["metric"]], self.table.name)
        ]
        for columns in [each for each in (bare, of_metric) if len(each) > 1]:
            match = folds[columns[0]]
            unit = str(match["of"] if match["metric"] else match["unit"]).casefold()
            usual = "fold" if match["metric"] else "split"
            long = self._melted(columns, {"fold": "fold", "cv": "fold", "seed": "seed"}.get(unit, usual))
            return replace(long, metric=asked) if match["metric"] else long
        if (counts := self._counts()) is not None:
            return counts
        self.without_parts({"model": self.words("model")})
        is_alone = len(self.words("model").ordered().names) == self.table.n_rows > 1  # a time may be that of training
        if is_alone:
            units = {
                role: names
                for role in self._unit_roles() - {"time", "seed"}  # of one training each
                for names in [self.words(role).ordered().names]
                if len(names) > 1 or self.options.dataset is not None or not (role == "dataset" or names[0].casefold() in PARTS)
            }
            if not units:
                return self._means()
            if units.keys() == {"dataset"} and len(names := units["dataset"]) > 1:
                raise self.table.refuse(
                    f"each model has one row, on one of {len(names)} datasets ({quoted(names, 4)}): none can be compared.",
                    "Give the scores of all models on the same datasets.",
                    column=self.roles["dataset"][0],
                )
        return self._built(self.the_score_column())

    def _melted(self, columns: Sequence[str], unit: str) -> Long:
        """A row for each model and a column for each of its units."""
        self.key("model")
        n, n_rows = len(columns), self.table.n_rows
        table = self.table.take(np.tile(np.arange(n_rows), n))
        digits = ["".join(re.findall(r"\d+", name)[:1]) for name in columns]
        labels = columns if unit == "dataset" or len({*digits} - {""}) < n else digits
        held: dict[str, Column] = {
            **{name: column for name, column in table.columns.items() if name not in columns},
            unit: Words(tuple(labels), np.repeat(np.arange(n, dtype=np.int32), n_rows)),
            "score": np.concatenate([self.table.numbers(name) for name in columns]),
        }
        roles = {role: own for role, own in self.roles.items() if role in ("model", "dataset", "metric")}
        return replace(self, table=replace(table, columns=held), roles={**roles, unit: [unit], "score": ["score"]})._built(
            "score"
        )

    def _built(self, own: str | Mapping[str, str]) -> Long:
        """The long table of the column of all scores, or of that of each model."""
        column, by_model = (own, {}) if isinstance(own, str) else ("", own)
        reading, metrics, metric = self._of_metric_rows(column or None)
        table = reading.table
        models = reading.key("model").ordered() if column else Words(("all",), np.zeros(table.n_rows, dtype=np.int8))
        units = reading._units(models, column)
        words = {role: reading.key(role) for role in self.roles if role in ("run", "epoch", "cluster")}
        beside = ("weight", "human") if "item" in units else ("n_train", "n_test")
        numbers = {role: table.numbers(columns[0]) for role, columns in self.roles.items() if role in beside}
        parts = ("model", "metric", *units, *words, *numbers)
        used = {column, *by_model.values(), *(name for role in parts for name in self.roles.get(role, ()))}
        rest = [name for name in table.columns if name not in used and (column or self.is_text[name] or role_of(name) == "item")]
        # an index, of a description of scores, or a last row of items that nothing names
        for name in filter(reading.is_text.__getitem__, rest):
            if name == "column 1" or ("item" in units.keys() - reading.roles.keys() and sums_up(table.words(name).texts()[-1])):
                reading.key(name, table.words(name))
        roles = _roles_text(self.roles, units, rest, column, "" if column else quoted(list(by_model), 4))
        if "item" in units:
            if metrics is not None:
                choose_metric(metrics.names, None, table.name)
            texts = {  # and whole numbers and few other ones, such as temperatures, which may be what rows differ in
                name: as_words(column)
                for name, column in [(name, table.columns[name]) for name in rest]
                if isinstance(column, Words)
                or not has_fractions(column)
                or np.unique(column[:_LOOKED_AT]).size ** 2 < len(column)
            }
            words, units = texts | words, {_AS.get(role, role): each for role, each in units.items()}
        words |= units | ({} if metrics is None else {"metric": metrics})
        where, n, n_rows = table.where, len(by_model), table.n_rows
        if column:
            numbers["score"] = table.numbers(column)
        else:  # a row for each model
            words = {name: Words(each.names, np.tile(each.code, n)) for name, each in words.items()}
            numbers = {name: np.tile(each, n) for name, each in numbers.items()}
            models = Words(tuple(by_model), np.repeat(np.arange(n, dtype=np.int32), n_rows))
            numbers["score"] = np.concatenate([table.numbers(name) for name in by_model.values()])
            where = lambda row: table.where(row % n_rows)  # noqa: E731
        noun = re.sub(r"[_ ]?id$", "", self.roles.get("item", [""])[0].casefold())
        words["model"] = models
        cells = table.columns.get(column)
        are_marks = isinstance(cells, Words) and not GOOD.isdisjoint(map(str.casefold, cells.names))
        return Long(
            words,
            numbers,
            table.name,
            where,
            self._metric_of_file or metric,
            column,
            roles,
            self._model_column,
            ",".join(reading.roles.get("item", ())),
            unit=noun if noun in _NOUNS else "item",
            lower_is_better=False if are_marks else None,
        )

    def _model_columns(self, is_items: bool) -> dict[str, str]:
        """Columns of the models by name; one by which rows were chosen, say of the horizon 96, is none."""
        chosen = {
            name for name in self.options.where or {} if self.is_text.get(name) or _is_beyond_one(self.table.columns.get(name))
        }
        rest = [name for name in self.others(*self.roles) if name not in chosen]
        if self.options.models is not None and set(self.options.models) <= set(rest):
            return {name: name for name in self.options.models}
        parts = {name: name.rpartition("~") for name in rest}  # lda~Accuracy, as R's caret writes it
        if len(rest) > 1 and all(mark for _, mark, _ in parts.values()):
            metric = choose_metric(sorted({metric for _, _, metric in parts.values()}), self.options.metric, self.table.name)
            return {model: name for name, (model, _, its) in parts.items() if its == metric}
        texts, numbers = ([name for name in rest if self.is_text[name] is is_text] for is_text in (True, False))
        if numbers[:1] == ["column 1"] and not is_items:
            index = self.table.numbers("column 1")
            numbers = numbers[np.unique(index).size == index.size and not has_fractions(index) :]  # of rows picked from others
        targets = [name for name in numbers if not TARGETS.isdisjoint(words_in(name)) or plain(name) in ("event", "censored")]
        # beside texts alone columns may be datasets, of which some are so called
        if len(targets) == 1 < len(numbers) and (is_items or "time" in self.roles or not texts):
            raise self._truth_or_model(targets[0])
        self._refuse_metrics(numbers, texts, self.named_in)
        if is_items or not self.roles.keys().isdisjoint(UNITS):  # texts beside keys say more of the rows
            texts = [name for name in texts if self._has_wrong_cells(name) or plain(name) in _STATUS]
        if is_items:
            numbers = [name for name in numbers if name != "column 1" and role_of(name) != "item"]
            self._refuse_single_examples(numbers)
        else:
            refuse_nested(self.table, [name for name in self.table.nested if not is_no_score(name)])
        self._refuse_running_numbers(numbers, is_items=is_items)
        if texts and self._has_wrong_cells(texts[0]):
            self.table.numbers(texts[0])  # which says the first cell that is no number
        metrics = [name for name in numbers if is_metric(name) and len(name) > 3]  # models are called EM and MAP, too
        settings = [  # where its values come again and again; else it may be what a model is called
            name
            for name in numbers
            if name.casefold() in PARAMETERS and 2 * len(self.table.words(name).names) <= self.table.n_rows
        ]
        are_models = any(len(name) == 1 and name not in settings for name in numbers)  # a, b, c
        if odd := [
            *texts,
            *(settings if len(settings) < len(numbers) and not are_models else ()),
            *(
                name
                for name in numbers
                if is_no_score(name) or sums_up(name) or name in self.folds or _is_beside_models(name, numbers)
            ),
            *(metrics if len(metrics) < len(numbers) else ()),
        ]:
            raise self.table.refuse(
                f"{quoted(odd, 6)} hold{'s' if len(odd) == 1 else ''} no scores of a model ({odd[0]!r} says "
                f"{self.table.words(odd[0]).texts()[0]!r:.40}), and there is no column of models among "
                f"{quoted([*self.table.columns], 12)}.",
                "Without one every column but those of units holds the scores of a model: name the models (",
                MODELS_ADVICE,
                f"), {'pass a table for each, ' if self.folds else ''}leave the other columns out, or say which column holds "
                "what: ",
                column_advice("model", self.named_in),
                ", or dataset, fold, item or truth (what the others predict) in the place of model.",
            )
        if not numbers:
            raise self.table.refuse(
                f"it has no column of scores, only {quoted([*self.table.columns], 12)}.",
                "Use columns 'model' and 'score', or one for each model: of numbers, true and false, pass and fail. If they hold "
                "classes, or answers such as yes and no, say which is the truth: ",
                column_advice("truth", "NAME"),
                "; yes and no are marks in a column such as 'correct' or 'gpt_correct'.",
            )
        folded = [name.casefold() for name in numbers]
        if alike := [name for name in numbers if folded.count(name.casefold()) > 1]:
            raise self.table.refuse(
                f"its columns {quoted(alike, 4)} differ in case alone.", "Give each model a name of its own, or leave one out."
            )
        return {name: name for name in numbers}

    def _refuse_metrics(self, numbers: Sequence[str], texts: Sequence[str], name_of_models: str) -> None:
        """Refuse columns that are of several metrics or parts of the data, and classes, where models are to be."""
        own_metrics = {full_name(bare_name(name)) for name in numbers if is_metric(name)}
        are_opposite = len(numbers) > 1 and all(
            {direction_of(self.options.metric or ""), direction_of(each)} == {True, False} and is_known(each)
            for each in map(metric_in, numbers)
        )
        if self.options.metric is not None and (are_opposite or len(numbers) == len(own_metrics) == 1):
            self.the_score_column()  # which refuses columns of another metric than the one asked for
        for what, several, more in (
            ("metrics", _metrics_of_each(numbers), ("; or name the columns of one of these: ", MODELS_ADVICE)),
            ("metrics", own_metrics if len(own_metrics) > 1 else {metric_in(name) for name in numbers}, ()),
            (
                "parts of the data",
                {word for name in numbers for word in words_in(name)[:: max(len(words_in(name)) - 1, 1)] if word in PARTS},
                (),
            ),
        ):
            if len(several) > 1 and "" not in several:
                raise self.table.refuse(
                    f"its columns {quoted(numbers, 6)} are of several {what} ({quoted(sorted(several), 6)}).",
                    "Say which column names the models, ",
                    column_advice("model", name_of_models),
                    ", or pass a file for each model and name one of these with ",
                    Setting("metric"),
                    *more,
                    ".",
                    kind=UnclearSourceError,
                )
        for name in texts:
            if len(named := [each for each in numbers if each in self.table.words(name).names]) > 1:
                raise self.table.refuse(
                    f"it names the columns {quoted(named, 6)}, so they may be classes, and no models.",
                    "Is it the truth? ",
                    column_advice("truth", name),
                    ".",
                    column=name,
                    kind=UnclearSourceError,
                )

    def _refuse_single_examples(self, models: Sequence[str]) -> None:
        """Refuse what seems to be predictions, and perhaps their truth, where scores of single examples are to be."""
        metric, item = meant_by(self.options.metric or ""), self.roles.get("item", [""])[0]
        if not metric or not models or plain(item or "id") not in ("id", "idx", "index"):
            return
        whole = [name for name in models if not has_fractions(self.table.columns[name])]
        if len(whole) == 1 < len(models) and np.isin(self.table.numbers(whole[0]), (0, 1)).all():  # beside probabilities
            raise self._truth_or_model(whole[0])
        is_of_all = metric in _OF_ALL or (len(whole) == len(models) and metric.startswith(_OF_CLASSES))
        if is_of_all or (item and metric in OF_ERRORS and not any(map(metric_in, models))):
            of_many = f", and {self.options.metric!r} is of many" if is_of_all else ""
            raise self.table.refuse(
                f"each row seems to be one example{of_many}. Do its columns ({quoted(models, 6)}) hold predictions?",
                "Say which one is the truth: ",
                column_advice("truth", "NAME"),
                "; if each row is the score of an image, a query or the like, call the column that names it so, or name the "
                "models: ",
                MODELS_ADVICE,
                ".",
                kind=UnclearSourceError,
            )

    def _refuse_running_numbers(self, models: Sequence[str], *, is_items: bool) -> None:
        """Refuse columns that count, sum up the others or are of another scale, where scores of models are to be."""
        is_share = Metric(self.options.metric or "", higher_is_better=True).bounds == (0.0, 1.0)
        beyond = [name for name in models if is_share and is_items and _is_beyond_one(self.table.columns[name])]
        for name in models:
            values, extreme = self.table.numbers(name), next(filter(None, map(_EXTREMES.get, words_in(name))), None)
            is_looked_at = extreme is not None or values.min() > 1  # beside others, of which there may be thousands
            others = [self.table.numbers(each) for each in models if each != name] if is_looked_at else []
            # settings stand in front of what was measured at each; scores may rise evenly in examples, of all models
            is_grid = name == models[0] and [_rises_evenly(self.table.numbers(each)) for each in models[:2]] == [True, False]
            said = {
                f"it counts upwards ({', '.join(f'{each:g}' for each in values[:2])} ...)": (
                    (is_grid or (values.size > 2 and np.all(values[1:] == values[:-1] + 1))) and not self._unit_roles()
                ),
                "it is 0 or 1, beside fractions": (
                    len(models) > 2
                    and not is_items
                    and np.unique(values).tolist() == [0, 1]
                    and all(has_fractions(self.table.numbers(each)) for each in models if each != name)
                ),
                "it is the best or the worst of the others in each row": (
                    extreme is not None and len(others) > 1 and np.array_equal(values, extreme.reduce(others), equal_nan=True)
                ),
                f"it holds whole numbers, from {values.min():g} on, beside fractions": (
                    others
                    and values.min() > 1
                    and not has_fractions(values)
                    and (np.all(np.abs(others) <= 1) or (not is_items and values.size > 2 and all(map(has_fractions, others))))
                ),
                f"it goes up to {np.fmax.reduce(values):g}, beside others of at most 1 (in per cent?)": beyond
                == [name]
                != [*models],
            }
            for text in [text for text, is_so in said.items() if is_so]:
                its = self.table.words(name).texts()
                raise self.table.refuse(
                    f"{text}, so it is no model's scores.",
                    "Leave it out, call it 'fold' or 'item' if it numbers these, or name the models (",
                    MODELS_ADVICE,
                    "). Where one column is the truth and others predict it, say which: ",
                    column_advice("truth", "NAME"),
                    *((". Or keep one value: ", where_advice(name, its[0])) if len({*its}) ** 2 <= len(its) else ()),
                    ".",
                    column=name,
                )

    def _has_wrong_cells(self, name: str) -> bool:
        """True for a column of numbers, some cells of which are no numbers."""
        looked = self.table.words(name).names[:_LOOKED_AT]
        readable = sum(
            plain(each) in _FAILED
            or bool(re.match(r"(\\\w+\{|<\w+>|\(\d+\))?[\W_]*[\d.,]+(\s+\d|\s*(±|\+/-|[(\[{^_\\<]|[\W_]*$))", each))
            for each in looked
        )
        return bool(looked) and 2 * readable >= len(looked)

    def _counts(self) -> Long | None:
        """A row for each model and its test set, with a count, or a rate, and the number of examples; None for other tables."""
        by_word = {re.sub(r"[\s.\-]+", "_", name.strip().casefold()): name for name in self.table.columns}
        count = next((word for word in _COUNT if word in by_word), "")
        total = next((by_word[word] for word in _TOTAL if word in by_word), None)
        is_rate = not count and "test_set" in self.roles and "score" in self.roles
        if total is None or self.is_text[total] or not (count or is_rate) or self._unit_roles() - {"item"}:
            return None
        column, metric = self.roles["score"][0] if is_rate else by_word[count], full_name(self.options.metric or "")
        if is_known(metric) and RATES.get(plain_name(meant_by(metric))) != "examples":
            raise self.table.refuse(
                f"how far two models may differ by chance in {metric} on test sets of their own does not follow from "
                f"{'rates' if is_rate else 'counts'}.",
                "Keep the predictions of all models in one table, with a column of the truth, and compare that.",
                column=column,
            )
        value, n, models = self.table.numbers(column), self.table.numbers(total), self.key("model").ordered()
        rate = value if is_rate else divide(value, n)
        self.table.refuse_rows(
            ~(n >= 1) | (n != np.floor(n)) | ~(rate >= 0) | ~(rate <= 1) | ((value != np.floor(value)) & (not is_rate)),
            lambda row: (
                f"it is {value[row]:g}, of {n[row]:g} examples; {'a rate lies' if is_rate else 'a count is a whole number'} "
                f"between 0 and {'1' if is_rate else 'the number of examples'}, and these are whole numbers of at least 1."
            ),
            *(() if is_rate else ("Of a rate write how many that are, 170 of 200 for 0.85.",)),
            column=column,
        )
        has_sets = "test_set" in self.roles
        keys = self.words("test_set") if has_sets else models
        for code in np.flatnonzero(np.bincount(keys.code) > 1)[:1].tolist():
            raise self.table.refuse(
                f"two rows or more are of {'test set' if has_sets else 'model'} {keys.names[code]!r}.",
                "Add up those of one model; those of several go together, so compare them by items: columns 'item' and 'model'. "
                if has_sets
                else "Add them up, or name the test sets in a column 'test_set' if they share no example. ",
                "If another column names the models, say so: ",
                column_advice("model", self.named_in),
                ".",
            )
        return Long(
            {"model": models, "test_set": keys if has_sets else keys.renamed(f"of {name}" for name in keys.names)},
            {"score": rate, "n_test": n},
            self.table.name,
            self.table.where,
            None if is_rate else self.options.metric or ("accuracy" if _COUNT[count] else "error rate"),
            column,
            "rates" if is_rate else "counts",
            lower_is_better=None if is_rate else not _COUNT[count],
        )

    def _means(self) -> Scores:
        """Scores of a table with one row for each model, which says of no unit what a model's score was there."""
        refuse_nested(self.table, [name for name in self.table.nested if not is_no_score(name)])
        numeric, models = self.numeric("model"), self.words("model").texts()
        numeric = [
            name for name in numeric if not (sums_up(name, WHOLES) or is_no_score(name) or name in _EXTREMES or name[-1:] == "%")
        ]
        is_of_datasets = len(numeric) > 1 and not (any(map(is_metric, numeric)) or all(map(metric_in, numeric)))
        if is_of_datasets and self.options.n_test is None and self.options.cv is None:
            turned = ("; if its rows are datasets, and its columns models: ", column_advice("dataset", self.roles["model"][0]))
            raise self.table.refuse(
                "it has one row for each model: a single score, or a mean, says nothing of how it varies (columns "
                f"{quoted([*self.table.columns], 12)}).",
                ADVICE,
                " If its columns are datasets, say so: "
                if len(numeric) <= _MOST_NAMED
                else " If its columns are items of one test set, turn it: a row for each item, and a column for each model",
                column_advice("datasets", ",".join(numeric)) if len(numeric) <= _MOST_NAMED else "",
                *(turned if len(models) > len(numeric) else ()),
                ".",
                kind=UnclearSourceError,
            )
        self.table.refuse_rows(
            [sums_up(name) and len(models) > 2 for name in models],
            lambda row: f"{models[row]!r} sums up the other rows.",
            "Leave it out.",
            column=self.roles["model"][0],
        )
        of_items = "If each row is an item, and each file of a model, say so: ", column_advice("item", self._model_column), "."
        if self.options.rows == "items":
            raise self.table.refuse("each row is of another model.", *of_items, kind=UnclearSourceError)
        from tiebreak.readers.summary import scores_of_means

        more = (" ", *of_items) if len(models) > _MOST_NAMED else ()
        return scores_of_means(self.table, models, self.others("model", *_BESIDE_SCORES), self.options, more)

    # --- rows ---------------------------------------------------------------------------------------------------------------

    def _of_metric_rows(self, column: str | None) -> tuple[Reading, Words | None, str | None]:
        """Rows of the metric that is asked for, the metric of each where there are several, and what the source calls it."""
        own = None if column in (*self.roles.get("score", ()), *self.roles.get("judge", ())) else column
        own = bare_name(own) if own is not None and has_direction(bare_name(own)) else own
        asked = self.options.metric
        is_own = own is not None and (metric_in(own) if asked is None else metric_among(asked, [own], self.table.name))
        if "metric" not in self.roles or is_own:
            return self, None, own
        words = self.key("metric").ordered()
        datasets = self.words("dataset").ordered() if "dataset" in self.roles and len(words.names) > 1 else words
        if asked is None and datasets is not words and len(joined([datasets, words]).names) == len(datasets.names):
            return self, words, None  # each dataset has its own
        held = choose_metric(words.names, asked, self.table.name)
        return replace(self, table=self.table.take(np.flatnonzero(words.code == words.names.index(held)))), None, held

    @property
    def _model_column(self) -> str:
        return ",".join(self.roles.get("model", ["model"])).removeprefix(_ALONE)

    @property
    def _epochs(self) -> list[str]:
        """Column that counts the steps of a training: of the only model, or by its name."""
        return [
            name
            for name in self.roles.get("epoch", ())
            if ((self.roles.get("model") == [_ALONE] and not self.is_text[name]) or plain(name) in STEPS)
            and len(self.table.words(name).ordered().names) > 1
        ]

    def _unit_roles(self) -> set[str]:
        return self.roles.keys() & {*UNITS, "run", "item"}

    def _units(self, models: Words, column: str) -> dict[str, Words]:
        """Parts of the name of each row's unit; parts that nothing needs are left out."""
        rows, roles = self.options.rows, self.roles
        if "run" in roles and roles.keys().isdisjoint(("item", "seed", *_SPLITS)):
            roles["seed"] = roles.pop("run")
        units = {role: self.words(role) for role in (*UNITS, "item") if role in roles}
        if "seed" in units:  # on the one split that there is
            units = {role: each for role, each in units.items() if role not in _SPLITS or len(each.ordered().names) > 1}
        is_number = "item" in units and plain(roles["item"][0]) in WEAK and len(models.names) > 1
        if rows == "splits" or (is_number and np.unique(units["item"].code).size == models.code.size):
            units.pop("item", None)  # an id of each row is no item, which models share
        units = self.without_parts(units)
        if rows == "items" and "item" not in units:  # a number of each row is its name
            numbers = [units.pop(role) for role in ("split", "fold") if role in units]
            units |= {"item": each for each in numbers if is_unique(models, {"item": each})}  # noqa: B035
        if rows == "seeds" and "seed" not in units and len(names := units.keys() & _SPLITS) == 1:
            units["seed"] = units.pop(*names)
        for role in ("time", "seed", "item"):  # a part that is not needed to tell rows apart is none
            rest = {key: each for key, each in units.items() if key != role}
            is_item = role == "item" and plain(roles.get("item", [""])[0]) not in WEAK
            is_of_split = role == "time" and not units.keys().isdisjoint(_SPLITS)
            if role in units and rest and (is_of_split or (not is_item and is_unique(models, rest))):
                units = rest
        if "item" in units:
            units = {role: units[role] for role in ("dataset", "item", "repeat", "seed") if role in units}
        for role, words in units.items():
            self.key(role, words)
        if not units or (rows == "items" and "item" not in units):
            units |= self._by_position(models, units)
        # where there is no column of scores, all hold those of models
        used = (
            {column, *chain(*(roles.get(role, ()) for role in ("model", "metric", *units)))}
            if column
            else {"", *self.table.columns}
        )
        unit = ("dataset", ",".join(roles.get("dataset", ())))
        if "item" not in units:
            refuse_doubles(self.table, self.table.columns, models, units, self._model_column, used, unit=unit)
        return units

    def _call_as_tools_do(self) -> None:
        """Give columns of tools their parts: OpenML's task_id, Weka's Key_Run, an id of Fold03, mlr3's iteration."""
        roles, schemes = self.roles, {plain(name): name for name in self.table.columns}.get(plain("resampling_id"))
        is_task = plain(roles.get("item", [""])[0]) == plain("task_id") and "dataset" not in roles
        is_openml = roles.get("model") == ["flow_name"]
        if is_task and (is_openml or roles.keys() & _SPLITS):
            roles["dataset"] = roles.pop("item")
        if is_openml and "function" in self.others(*roles):  # of evaluation
            roles["metric"] = ["function"]
        if roles.get("run") == ["Key_Run"] and "fold" in roles:
            roles["repeat"] = roles.pop("run")
        # fold 0, fold 1, ... may stand in the index of a frame
        index = [("", name) for name in ("column 1", "column 2") if name in self.others(*roles)]
        for role, name in (*index, *((role, roles[role][0]) for role in ("model", "repeat", "item", "split") if role in roles)):
            column = self.table.columns[name]
            names = column.names if isinstance(column, Words) else ()
            stem = re.sub(r"[\W\d_]+$", "", "".join(names[:1])).casefold()
            said = _SAID.get(stem, role)
            if said not in (*roles, "") and all(each.casefold().startswith(stem) or sums_up(each) for each in names):
                roles[said] = roles.pop(role, [name])
        if schemes is not None and roles.keys() & _SPLITS == {"split"} and self.table.words(schemes).names == ("cv",):
            roles["fold"] = roles.pop("split")

    def without_parts(self, units: dict[str, Words]) -> dict[str, Words]:
        """Units without a split that names parts of the data, of which one must be chosen."""
        for role in units.keys() & {"model", "split", "fold", "dataset"}:
            column, names = self.roles[role][0], units[role].ordered().names
            parts = {
                re.sub(r"_\d$" if role == "model" else r"^x_|[ _-]?(set|data|split)$", "", each.casefold()) for each in names
            }
            are_parts = not (
                parts.isdisjoint(PARTS) or any(map(str.isdecimal, parts)) or (role in ("model", "dataset") and parts - {*PARTS})
            )
            are_kinds = role == "split" and "fold" in units and parts.isdisjoint(PARTS) and not re.search(r"\d", "".join(names))
            if len(names) > 1 and (are_parts or are_kinds):
                raise self.table.refuse(
                    f"it names {'parts of the data' if are_parts else 'kinds of splits'} ({quoted(names)}), not "
                    f"{'models' if role == 'model' else 'splits of which models have one score each'}.",
                    "Keep one: ",
                    where_advice(column, names[-1]),
                    ".",
                    column=column,
                    kind=UnclearSourceError,
                )
            units = {key: each for key, each in units.items() if key != role} if are_parts else units
        return units

    def _by_position(self, models: Words, units: Mapping[str, Words]) -> dict[str, Words]:
        """The place of each row within its model, where the caller says what a row is."""
        options = self.options
        n_rows = np.bincount(models.code, minlength=len(models.names))
        has_data = options.X is not None or options.y is not None
        has_sizes = options.cv is not None or options.has_sizes or {"n_train", "n_test"} <= self.roles.keys() or has_data
        is_history = any(f"val_{name}" in self.table.columns for name in self.table.columns)
        if self._epochs or (options.rows not in ("items", "splits", "seeds") and (is_history or not has_sizes)):
            raise self._what_is_a_row(models, is_history=is_history)
        have_own = np.unique(n_rows).size > 1
        if have_own and options.rows != "seeds":
            most, least = (models.names[int(place)] for place in (n_rows.argmax(), n_rows.argmin()))
            raise self.table.refuse(
                f"no column names its rows, so scores are paired by their order; but model {most!r} has {n_rows.max()} "
                f"scores and {least!r} has {n_rows.min()}.",
                "Name the rows in a column 'fold', 'split' or 'item'.",
            )
        # training sizes of folds are nearly the same
        curve = [name for name in self.roles.get("n_train", ()) if (n := self.table.numbers(name)).max() > 2 * n.min()]
        beside = self.others("model", "score", "n_train", "n_test") if "model" in self.roles else self.roles.get("epoch", ())
        order, shape = np.argsort(models.code, kind="stable"), (len(models.names), -1)
        for name in (*curve, *(beside if options.rows not in ("items", "seeds") else ())) if n_rows[0] > 1 else ():
            words = self.table.words(name)
            rows = (words.code if self.is_text[name] else self.table.numbers(name))[order].reshape(shape)
            held = np.sort(rows, axis=1)
            tells = (
                len(held) > 1 or np.all(held[:, 1:] > held[:, :-1])  # another text in each row
                if self.is_text[name]
                else np.all(rows[:, 1:] >= rows[:, :-1])
            )
            if tells and held[0, 0] < held[0, -1] and (held == held[0]).all():
                raise self.table.refuse(
                    f"it tells the rows of each model apart ({', '.join(words.texts()[:3])} ...). As what?",
                    "If it names folds, seeds, datasets or items, say so, as in ",
                    column_advice("fold", name),
                    "; else keep one value, as in ",
                    where_advice(name, words.names[0]),
                    ", or leave it out.",
                    column=name,
                    kind=UnclearSourceError,
                )
        cells = cell_of(models, units)
        order, place = np.argsort(cells, kind="stable"), np.empty(cells.size, dtype=np.int32)
        place[order] = np.arange(cells.size) - np.searchsorted(cells[order], cells[order])
        own = (f"{model} {number + 1}" for model, number in zip(models.texts(), place.tolist(), strict=True))
        return {
            {"items": "item", "seeds": "seed"}.get(options.rows or "", "position"): (
                words_of(own)  # where one model has more seeds than another, none is another's
                if have_own
                else Words(tuple(map(str, range(1, int(n_rows.max()) + 1))), place)
            )
        }

    def _what_is_a_row(self, models: Words, *, is_history: bool) -> TiebreakError:
        rest = self.others("model", "score")
        is_alone = self.roles.get("model") == [_ALONE]
        epochs = self._epochs[0] if self._epochs else None
        if is_history or epochs is not None:
            return self.table.refuse(
                "it holds the epochs of one training run, which say nothing of how much another run would differ.",
                "Keep one epoch",
                *((", ", where_advice(epochs, self.table.words(epochs).texts()[-1])) if epochs is not None else ()),
                ", of several runs of each model, a row for each in a table with columns 'model' and 'seed'",
                *(("; if it numbers splits, say so: ", column_advice("split", epochs)) if epochs is not None else ()),
                ".",
                column=epochs,
                kind=UnclearSourceError,
            )
        if is_alone:
            role, other = ("item", "model") if EXAMPLE_ID.search(self.named_in) else ("model", "item")
            return self.table.refuse(
                f"it names neither models nor rows, in columns {quoted(rest, 12)}.",
                "Say which column does: ",
                column_advice(role, self.named_in),
                f", and dataset, fold, seed or {other} likewise; of items in the same order in all files pass ",
                Setting("rows", "'items'"),
                ".",
                kind=UnclearSourceError,
            )
        if "model" in self.roles:
            most = int(np.bincount(models.code).argmax())
            own = self.table.take(np.flatnonzero(models.code == most))
            values = {name: own.words(name).texts() for name in rest}
            several = [name for name in rest if len({*values[name]}) > 1]
            differ = [name for name in several if self.is_text[name]] or [  # numbers may be sizes
                name for name in several if not (metric_in(name) or has_fractions(own.columns[name]))
            ]
            said: list[str | Advice] = [", or say what they are: ", column_advice("dataset", "NAME")]
            for name in differ[:1]:
                said = [
                    f"; they differ in {quoted(differ, 4)}: where these are datasets, ",
                    column_advice("dataset", name),
                    ", or items of one test set, ",
                    column_advice("item", name),
                    "; where they are part of the model, ",
                    column_advice("model", f"{self._model_column},{name}"),
                    "; else keep one, ",
                    where_advice(name, values[name][0]),
                    *as_runs(name, values[name]),
                ]
            return self.table.refuse(
                f"no column numbers the rows of {models.names[most]!r}{f', among {quoted(rest, 12)}' if rest else ''}.",
                "Number them in a column 'fold', 'seed' or 'item'",
                *said,
                "; of splits in the same order for all models pass ",
                Setting("cv", "10"),
                ", of items ",
                Setting("rows", "'items'"),
                ".",
                kind=UnclearSourceError,
            )
        return self.table.refuse(
            f"what is a row? Its columns are {quoted([*self.table.columns], 12)}.",
            "A fold of a cross-validation: pass ",
            Setting("cv", "10"),
            ", or ",
            Setting("n_train"),
            " and ",
            Setting("n_test"),
            "; an example of one test set: ",
            Setting("rows", "'items'"),
            "; if one column is the truth that the others predict: ",
            column_advice("truth", "NAME"),
            "; a dataset, a seed or a period: name it in a column 'dataset', 'seed' or 'time', or say which it is: ",
            column_advice("dataset", "NAME"),
            ".",
            kind=UnclearSourceError,
        )

    # --- keys ---------------------------------------------------------------------------------------------------------------

    def key(self, role: str, found: Words | None = None) -> Words:
        """Column of a part, unless it was `found` before: each row has one, and none sums up the others."""
        words, column = self.words(role) if found is None else found, self.roles.get(role, [role])[0]
        is_empty = words.code < 0
        self.table.refuse_rows(
            is_empty if role not in ("run", "epoch", "cluster") else [],
            lambda _: f"no {role} is given ({is_empty.sum()} such row(s) in all).",
            "Fill it in, or remove the row.",
            column=column,
        )
        # there may be a million, most of them like q17, which is no sum
        text = "\n".join(each for each in words.names if not (each.isalnum() and each[-1].isdigit())).casefold()
        if role == "metric" or not (role in (*UNITS, "model") or any(word in text for word in (*SUM_STEMS, *WHOLES, *_EXTREMES))):
            return words
        odd = [each for each in words.names if not any(map(str.isdigit, each))]
        is_odd_one = role in (*UNITS, "item") and len(odd) == 1  # a fold may be of a man called Max
        is_other = is_odd_one and role in {*_SPLITS, "seed"} and len(words.names) > 2
        may_be_whole = len(words.names) > 1 and (role == "dataset" or is_odd_one)
        sums = [
            code
            for code, each in enumerate(words.names)
            if (_is_beside_models(each, words.names) if role == "model" else sums_up(each, WHOLES if may_be_whole else ()))
            or (may_be_whole and plain(each) in _EXTREMES)
            or (is_other and each in odd)
            or (role == "dataset" and re.search(r"(?i)^(mean|average|avg)\b|\b(mean|average|avg)\W*$", each))
        ]
        self.table.refuse_rows(
            np.isin(words.code, sums),
            lambda row: (
                f"{words.names[words.code[row]]!r} {'is no model' if role == 'model' else 'sums up the other rows'}"
                f"{', or is of another kind' if is_other else ''}."
            ),
            f"Leave it out, or call the {role} something else.",
            column=column,
        )
        return words


def _numbers_rows(table: SourceTable, roles: Mapping[str, Sequence[str]], options: ReadOptions) -> bool:
    """True where the first column is the index of a frame, or counts rows each of which is a share, and names no items.

    Beside 0 and 1, right and wrong, it names items.
    """
    first, *others = table.columns or [""]
    is_alone = roles == {"item": [first]} and "item" not in options.named_columns and options.rows != "items"
    is_of_many = plain(first) == "index" or (plain(first) in WEAK and plain_name(meant_by(options.metric or "")) in RATES)
    return (
        is_alone
        and is_of_many
        and counts_rows(table.columns[first])
        and all(has_fractions(table.columns[name]) for name in others)
    )


def _is_beside_models(name: str, names: Sequence[str]) -> bool:
    """True for what stands beside the scores of models of these names: ends of an interval, a deviation, a difference."""
    return (match := _BESIDE_MODELS.fullmatch(name)) is not None and (not match["model"] or match["model"] in names)


def _is_beyond_one(column: Column | None) -> bool:
    """True for a column with a number beyond 1, which no share is."""
    return isinstance(column, np.ndarray) and bool(np.any(np.isfinite(column) & (column > 1)))


def _rises_evenly(values: FloatArray) -> bool:
    """True for four numbers or more that rise by equal steps."""
    top = np.abs(values).max()
    return values.size > 3 and values[0] < values[-1] and top < 1e9 and np.ptp(np.diff(values)) <= 1e-9 * top


def _metrics_of_each(names: Sequence[str]) -> set[str]:
    """Metrics of columns such as unet_dice, where each model has one for each of them; none for other columns."""
    found = [match for name in names if (match := re.fullmatch(r"(.+)[_ ./-]\(?([^_ ./()-]+)\)?", name))]
    models, metrics = ({match[part] for match in found} for part in (1, 2))
    are_crossed = len(found) == len(names) == len(models) * len(metrics)
    return metrics if are_crossed and len(models) > 1 and any(is_metric(each) or "@" in each for each in metrics) else set()


def _turned(table: SourceTable) -> SourceTable:
    """A row for each model where rows are metrics and columns models, as a table of means is written by hand; else the table."""
    first, models = next(iter(table.columns), ""), list(table.columns)[1:]
    column = table.columns.get(first)
    names = column.names if isinstance(column, Words) and len(models) > 1 else ()  # the first tells it of a million
    if (
        len(names) < table.n_rows
        or not all(is_metric(name) or is_no_score(name) for name in names)
        or sum(not is_no_score(name) for name in names) < 2
        or any(is_no_score(name) or role_of(name) or _FOLD.fullmatch(name) for name in models)
    ):
        return table
    cells = zip(*(table.words(name).texts() for name in models), strict=True)
    rows = dict(zip(table.words(first).texts(), map(list, cells), strict=True))
    return replace(read_table({"model": models, **rows}, table.name), where=lambda row: f"model {models[row]!r}")


def _roles_text(
    roles: Mapping[str, list[str]], units: Mapping[str, Words], unused: Sequence[str], column: str, models: str
) -> str:
    """Roles of columns in words: "model = framework, 16 datasets, folds averaged; not used: id, seed"."""
    own = roles.get("model", ["model"])
    parts = [f"models = {models}"] if models else [f"model = {', '.join(own)}"] if own != ["model"] else []
    counts = {(role, roles.get(role, [role])[0]): np.count_nonzero(np.bincount(each.code)) for role, each in units.items()}
    parts += [f"{n} {role}{'s' if n != 1 else ''}{f' = {its}' if its != role else ''}" for (role, its), n in counts.items()]
    parts += [f"score = {column}"] if column not in ("", "score") else []
    said = [*unused[:8], *(["..."] if len(unused) > 8 else [])]
    return printable(f"{', '.join(parts)}{'; not used: ' if said else ''}{', '.join(said)}")
