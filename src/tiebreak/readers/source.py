"""Scores of one source, the options by which it is read, and the checks that all sources of scores share."""

import dataclasses
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tiebreak.errors import (
    DataError,
    InvalidParameterError,
    Setting,
    UnclearSourceError,
    UnsupportedSourceError,
)
from tiebreak.numerics import IntArray, set_checked
from tiebreak.printable import fault_of_name
from tiebreak.scores.metric import LOWER_IS_BETTER, NamedMetric, names_loss
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Notice

ACCEPTED = (
    "a fitted search (GridSearchCV and its like) or its cv_results_, {name: cross_validate(...)}, "
    "{name: scores, one per split}, an array with models=[names], a list of records, a data frame (pandas, polars, pyarrow or "
    "another that narwhals reads), a path to a CSV, JSON or Parquet file, or Scores"
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Parameters by which sources are read, checked; meanings as in `tiebreak.compare` and `tiebreak.read_scores`."""

    metric: str | None = None
    models: Sequence[str] | None = None
    dataset: str | None = None
    lower_is_better: bool | Mapping[str, bool] | None = None
    X: Any = None
    y: Any = None
    groups: Any = None
    n_train: int | None = None
    n_test: int | None = None
    cv: Any = None
    rows: str | None = None
    item: str | None = None
    cluster: str | None = None
    columns: Mapping[str, str] | None = None
    where: Mapping[str, str | Sequence[str]] | None = None
    positive: str | None = None
    n_classes: tuple[int, int] | None = None
    """Positive and negative test examples, where `n_test` was given as both; it is their sum then."""

    def __post_init__(self) -> None:
        """Refuse what fits no source; models become a tuple, counts Python's numbers."""
        if self.rows not in (None, "auto", "items", "splits", "seeds"):
            raise InvalidParameterError(f"rows must be 'auto', 'items', 'splits' or 'seeds'; got {self.rows!r}.", about="rows")
        for name in ("metric", "dataset", "item", "cluster"):
            text = getattr(self, name)
            if text is not None and not isinstance(text, str):
                raise InvalidParameterError(f"{name} must be a name; got {text!r} of type {type(text).__name__}.")
        for name in ("columns", "where"):
            given = getattr(self, name)
            if given is not None and not (isinstance(given, Mapping) and all(isinstance(key, str) for key in given)):
                raise InvalidParameterError(f"{name} must be a dict of names; got {given!r:.80}.", about=name)
        set_checked(
            self,
            lower_is_better=_checked_directions(self.lower_is_better),
            n_train=_checked_count(self.n_train, "n_train"),
            n_classes=_checked_classes(self.n_test),
        )
        set_checked(
            self,
            n_test=_checked_count(self.n_test if self.n_classes is None else sum(self.n_classes), "n_test"),
            models=_checked_names(self.models),
        )

    def direction_of(self, metric: str) -> bool | None:
        """True where lower is better for a metric, False where higher is, as the caller says; None where they do not."""
        if isinstance(self.lower_is_better, Mapping):
            return self.lower_is_better.get(metric)
        return self.lower_is_better

    @property
    def named_columns(self) -> dict[str, str]:
        """Columns by what they hold where the caller says it, several of one part with commas between."""
        own = {"item": self.item, "cluster": self.cluster}
        return {**(self.columns or {}), **{role: name for role, name in own.items() if name is not None}}

    @property
    def has_data(self) -> bool:
        """True if X or y was given."""
        return self.X is not None or self.y is not None

    @property
    def has_sizes(self) -> bool:
        """True if both n_train and n_test were given."""
        return self.n_train is not None and self.n_test is not None


def _checked_directions(given: Any) -> bool | dict[str, bool] | None:
    if given is None or isinstance(given, bool):
        return given
    if not isinstance(given, Mapping) or not given or not all(isinstance(name, str) for name in given):
        raise InvalidParameterError(
            f"lower_is_better must be True, False or None, or {{metric: True or False}} for several metrics; got {given!r:.80}."
        )
    if wrong := {name: value for name, value in given.items() if not isinstance(value, bool)}:
        raise InvalidParameterError(f"lower_is_better must be True or False for each metric; got {wrong!r:.80}.")
    return dict(given)


def _checked_classes(n_test: Any) -> tuple[int, int] | None:
    if not isinstance(n_test, list | tuple):
        return None
    positive, negative = (_checked_count(each, "n_test") for each in n_test) if len(n_test) == 2 else (None, None)
    if positive is None or negative is None:
        raise InvalidParameterError(f"n_test must be one number, or those of positive and negative examples; got {n_test!r:.60}.")
    return positive, negative


def _checked_count(value: Any, name: str) -> int | None:
    if value is None:
        return None
    is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not is_whole or not 1 <= operator.index(value) <= _MOST_EXAMPLES:
        raise InvalidParameterError(
            f"{name} must be a number of examples, a whole number from 1 to {_MOST_EXAMPLES:.0e}; got {value!r:.60}."
        )
    return operator.index(value)


_MOST_EXAMPLES = 10**15
"""More than anybody has, and few enough for sums and quotients without rounding."""


def _checked_names(models: Any) -> tuple[str, ...] | None:
    if models is None:
        return None
    names = tuple(models) if isinstance(models, Iterable) and not isinstance(models, str) else ()
    doubled = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if doubled is not None:
        raise InvalidParameterError(f"models names {doubled!r} twice. Name each model once.")
    if not names:
        raise InvalidParameterError(
            f"models must be a list of the names to keep, as in models=['svm', 'rf']; got {models!r:.60}."
        )
    return names


@dataclass(frozen=True, slots=True)
class Source:
    """Scores and where they came from.

    Attributes
    ----------
    scores : Scores
    name : str
        Name of the source in messages: "scores.csv", "the table".
    mark : str
        What tells its models from those of the same name in another source.
    repeat_labels, fold_labels : tuple of str or None
        Where the source names its splits in words: the word behind each code.
    """

    scores: Scores
    name: str
    mark: str = ""
    repeat_labels: tuple[str, ...] | None = None
    fold_labels: tuple[str, ...] | None = None


def source_of(
    matrices: Iterable[ScoreMatrix],
    named: NamedMetric | Sequence[NamedMetric],
    design: SplitDesign,
    options: ReadOptions,
    name: str,
    *,
    notices: tuple[Notice, ...] = (),
    by_sklearn: bool = False,
    fit_times: Mapping[str, tuple[float, float]] | None = None,
) -> Source:
    """Source of scores as they were stored: turned into the metric's unit, with the caller's sizes, and checked.

    `named` is the metric, or that of each of the matrices. `by_sklearn` says that scikit-learn computed the scores, which negates
    losses. `fit_times` are times of a fit and their standard errors by model, where the source has them.
    """
    found = list(matrices)
    each = [named] * len(found) if isinstance(named, NamedMetric) else list(named)
    checked = []
    for matrix, its in zip(found, each, strict=True):
        if its.factor == -1:  # not -score, which would turn 0 into -0
            matrix = dataclasses.replace(matrix, score=0.0 - matrix.score)
        check_finite(matrix, name)
        _check_sign(matrix, its, name, by_sklearn)
        own = matrix.metric if isinstance(named, NamedMetric) else its.metric
        checked.append(dataclasses.replace(with_sizes(matrix, options, name), metric=own))
    if design.pairing == "position":
        text = (
            f"{name} does not name its splits, so models are paired by the order of their scores; if they were not scored on the "
            "same splits in the same order, the answer is wrong"
        )
        notices = (*notices, Notice("assumed-paired", text))
    if design.sizes != "approximate":
        design = dataclasses.replace(design, sizes=known_sizes(checked))
    known = {model: times for model, times in (fit_times or {}).items() if np.isfinite(times[0])}
    seconds, errors = ({model: float(times[n]) for model, times in known.items()} for n in (0, 1))
    scores = Scores(each[0].metric, (), design, notices, fit_seconds=seconds, fit_errors=errors)
    return Source(scores.with_matrices(checked), name)


def unsupported(source: Any, name: str) -> UnsupportedSourceError:
    """Error for a source that no reader reads."""
    return UnsupportedSourceError(
        f"{name} is of type {type(source).__name__!r}, which cannot be read as scores. Pass {ACCEPTED}."
    )


# --- values -------------------------------------------------------------------------------------------------------------

_ROUNDING = 1e-12
"""A perfect log loss may come out as -1e-16."""


def _check_sign(matrix: ScoreMatrix, named: NamedMetric, source: str, by_sklearn: bool) -> None:
    """Refuse values that cannot be what their name says: a log loss below zero, or a ``neg_log_loss`` above."""
    metric = named.metric
    is_never_negative = metric.name in LOWER_IS_BETTER or (by_sklearn and names_loss(metric.name))
    if metric.higher_is_better or not is_never_negative:
        return
    for place, split in np.argwhere(matrix.score < -_ROUNDING)[:1].tolist():
        value, name = matrix.score[place, split] * named.factor, metric.name
        what = f"{source}: model {matrix.models[place]!r} has {value:g} on {matrix.split_name(split)}, but "
        end = "sign and name contradict each other. If "
        if by_sklearn:
            raise DataError(
                f"{what}scikit-learn stores the loss {name!r} negated, never above zero: {end}the scorer was made without "
                "greater_is_better=False, the search took large losses for good ones; pass the losses themselves as {name: "
                "array} with ",
                Setting("metric", repr(name)),
                ".",
            )
        own, other, side = (f"neg_{name}", name, "above") if named.factor == -1 else (name, f"neg_{name}", "below")
        what += f"{own!r} is never {side} zero: {end}the values are right, call the metric {other!r} "
        raise DataError(f"{what}(in the source, or with ", Setting("metric"), ").")


def refuse_names(what: str, names: Iterable[str]) -> None:
    """Refuse names that nobody can read, and such as no file can hold."""
    for name in names:
        if fault := fault_of_name(name):
            raise DataError(f"the name {name!r} of a {what} {fault}")


def check_finite(matrix: ScoreMatrix, source: str) -> None:
    """Refuse infinite scores, and such whose sums would be; nan stands for a score that is undefined."""
    for place, split in np.argwhere(np.abs(matrix.score) > _LARGEST)[:1].tolist():  # which nan is not
        value = matrix.score[place, split]
        what = f"{value:g}" if np.isfinite(value) else "infinite" if value > 0 else "minus infinite"
        raise DataError(
            f"{source}: model {matrix.models[place]!r}, {matrix.split_name(split)}: the score is {what}. Means and differences "
            "would be infinite too; correct it, or leave the cell empty (nan) if the score is undefined."
        )


_LARGEST = 1e153
"""Largest score whose square is a number."""

_FEW = 10
"""Splits, and examples in each, up to which scores may well be all 0 or 1."""


def refuse_items(matrix: ScoreMatrix, options: ReadOptions, source: str) -> None:
    """Ask whether scores of 0 and 1 are of folds or of examples: of examples of one test set, the answer would be wrong."""
    n_test = options.n_test or int(matrix.n_test.max(initial=0))
    if matrix.n_splits < _FEW or 0 < n_test < _FEW or np.unique(matrix.score[~np.isnan(matrix.score)]).tolist() != [0, 1]:
        return
    raise UnclearSourceError(
        f"{source} has {matrix.n_splits} scores of each model, every one of which is 0 or 1, so they are probably items "
        "(examples of one test set, right or wrong), and none is a split. Pass ",
        Setting("rows", "'items'"),
        " without sizes to compare the models item by item. If they are folds, name these in a column 'fold', or pass ",
        Setting("n_test", "1"),
        " where each has one example.",
    )


# --- sizes --------------------------------------------------------------------------------------------------------------


def with_sizes(matrix: ScoreMatrix, options: ReadOptions, source: str) -> ScoreMatrix:
    """The matrix with the caller's n_train and n_test where it has none; contradictions are refused."""
    n_train = _filled(matrix.n_train, options.n_train, "n_train", matrix, source)
    n_test = _filled(matrix.n_test, options.n_test, "n_test", matrix, source)
    known = [bool(np.all(column > 0)) for column in (n_train, n_test)]
    if known[0] != known[1] and (options.n_train is not None or options.n_test is not None):
        there, absent = ("n_train", "n_test") if known[0] else ("n_test", "n_train")
        raise InvalidParameterError(
            f"{there} is known but {absent} is not, and the correction needs both. Pass ", Setting(absent), " too."
        )
    return dataclasses.replace(matrix, n_train=n_train, n_test=n_test)


def _filled(column: IntArray, given: int | None, name: str, matrix: ScoreMatrix, source: str) -> IntArray:
    if given is None:
        return column
    wrong = np.flatnonzero((column > 0) & (column != given))
    if wrong.size:
        raise DataError(
            Setting(name, repr(given)),
            f" was given, but {source} says {column[wrong[0]]} for {matrix.split_name(int(wrong[0]))}. Leave out ",
            Setting(name),
            " to use the sizes of the source.",
        )
    return np.full(matrix.n_splits, given, dtype=np.int64)


def known_sizes(matrices: Iterable[ScoreMatrix]) -> Literal["exact", "missing"]:
    """Sizes as a `SplitDesign` says them: "exact" if all are known."""
    return "exact" if all(matrix.has_sizes for matrix in matrices) else "missing"
