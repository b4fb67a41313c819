"""Kept predictions of the test rows, for confusion matrices, curves and comparisons of examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from tiebreak.errors import SEE_FAILURES, DataError, InvalidPlanError, Setting, UnclearSourceError, UnknownNameError
from tiebreak.evaluation.cells import outcomes_with_outputs, table_of
from tiebreak.evaluation.model_calls import as_answered
from tiebreak.metrics.fast.ranking import scores_of_class
from tiebreak.metrics.labels import Binary
from tiebreak.metrics.targets import Array, Truth, make_truth
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.record import Cell, DatasetRecord
from tiebreak.result import Result
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.statistics.splits import corrected_t

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.scores.items import Items


SCORES = ("decision_function", "predict_proba")
"""Methods that put examples in an order, the preferred one first, as for the metric roc_auc."""


class Fold(NamedTuple):
    """Answers of one model for the test rows of one split, by method; labels as they are in y."""

    split: int
    rows: IntArray
    outputs: dict[str, Array]


class Kept:
    """The predictions of some models on one dataset of classes.

    Without `models` all that have a measured cell; `dataset` is needed where there are several. Raises `UnclearSourceError`
    where it is not named, `InvalidPlanError` where the target is no label, `DataError` where no model has a measured
    cell, and `UnknownNameError`.
    """

    def __init__(self, evaluation: Evaluation, models: str | Sequence[str] | None, dataset: str | None) -> None:
        self.evaluation = evaluation
        self.dataset = _dataset(evaluation, dataset)
        self.record: DatasetRecord = evaluation.record.datasets[self.dataset]
        if self.record.classes is None or self.record.target is None:
            raise InvalidPlanError("this is for classes; what was evaluated is a regression, or has several labels a row.")
        classes = np.array(self.record.classes)
        self.truth: Truth = make_truth(classes[self.record.target], classifier=True)
        table = table_of(evaluation)
        done = (table.dataset == self.dataset) & (table.state == 0)
        measured = set(table.model[done].tolist())
        wanted = range(len(evaluation.models)) if models is None else _positions(models, evaluation.models)
        self.models: list[int] = [model for model in wanted if model in measured]
        lacking = [evaluation.models[model] for model in wanted if model not in measured]
        if lacking and (models is not None or not self.models):
            raise DataError(f"{quoted(lacking)} has no measured cell here. ", SEE_FAILURES, ".")

    @property
    def classes(self) -> tuple[Any, ...]:
        """Labels of the dataset, sorted."""
        return self.record.classes or ()

    def copies(self, splits: Sequence[int]) -> float:
        """Mean number of predictions of an example on some splits, over the examples that were predicted."""
        rows = np.concatenate([self.record.test_rows[split] for split in splits])
        return float(rows.size / np.unique(rows).size)

    def name(self, model: int) -> str:
        """Name of a model."""
        return self.evaluation.models[model]

    def folds(self, model: int, methods: Sequence[str], advice: str) -> Iterator[Fold]:
        """The measured splits of a model, in the order of the plan.

        Raises `DataError` where none of the methods was kept, with the advice which metric keeps it.
        """
        cells = [Cell(self.dataset, split, model) for split in range(self.record.n_splits)]
        for outcome in outcomes_with_outputs(self.evaluation, cells):
            if not outcome.is_done:
                continue
            if not any(method in outcome.outputs for method in methods):
                raise DataError(self._nothing(model, list(outcome.outputs), methods, advice))
            split = outcome.cell.split
            yield Fold(split, self.record.test_rows[split], as_answered(outcome.outputs, self.truth.classes))

    def binary(self, model: int, position: int, methods: Sequence[str], advice: str) -> list[tuple[int, Binary]]:
        """For each measured split of a model its number, and the scores for one class."""
        label, found = self.classes[position], []
        for fold in self.folds(model, methods, advice):
            truth = self.truth.take(fold.rows)
            method = next(method for method in self._in_order(methods) if method in fold.outputs)
            scores = scores_of_class(position, truth, fold.outputs[method], method, None)
            found.append((fold.split, Binary(truth.known_code == position, np.asarray(scores, dtype=float), label)))
        return found

    def positions(self, positive: Any) -> list[int]:
        """The classes that curves are drawn for: the one named, the second of two as for roc_auc, or each of several."""
        if positive is not None:
            return [self.classes.index(positive) if positive in self.classes else look_up(positive, self.classes, "class")]
        return [1] if len(self.classes) == 2 else list(range(len(self.classes)))

    @property
    def design(self) -> tuple[float, float]:
        """Number of predictions of each example, and mean n_test / n_train, over all splits."""
        splits = range(self.record.n_splits)
        return self.copies(splits), self.ratio(splits)

    def ratio(self, splits: Sequence[int]) -> float:
        """Mean n_test / n_train of some splits."""
        chosen = np.array(splits, dtype=np.intp)
        return float(np.mean(self.record.n_test[chosen] / self.record.n_train[chosen]))

    def _in_order(self, methods: Sequence[str]) -> Sequence[str]:
        """Methods by preference: probabilities first for several classes, whose pairwise decision values are no score."""
        return methods if len(self.classes) == 2 else tuple(reversed(methods))

    def _nothing(self, model: int, kept: list[str], methods: Sequence[str], advice: str) -> str:
        if not kept:
            return "predictions were not kept. Evaluate with keep_predictions=True."
        return (
            f"{' or '.join(methods)} of the model {self.name(model)!r} was not kept; what was kept is {quoted(kept)}. What the "
            f"metrics ask for is kept: evaluate with {advice} too. In a store only what is missing is measured."
        )


def pooled(parts: Sequence[Binary]) -> Binary:
    """The examples of several splits together."""
    return Binary(
        np.concatenate([part.is_positive for part in parts]), np.concatenate([part.scores for part in parts]), parts[0].positive
    )


def items_of(evaluation: Evaluation, metric: str, dataset: str | None, repeat: int) -> Items:
    """Scores of single examples from the predictions of one repeat, with the splits as clusters."""
    from tiebreak.readers.predictions import OF_PROBABILITIES, read_predictions

    frame = evaluation.predictions
    if "dataset" in frame:
        frame = frame[frame["dataset"] == evaluation.datasets[_dataset(evaluation, dataset)]]
    repeats = sorted(set(frame["repeat"].tolist()))
    frame = frame[frame["repeat"] == repeat]
    if frame.empty:
        raise DataError(f"there are no predictions of repeat {repeat}; there are those of {quoted(list(map(str, repeats)))}.")
    if "target" not in frame:
        raise InvalidPlanError("the target has several columns a row, so that no metric of single examples is known.")
    parts = {str(model): part.set_index("row") for model, part in frame.groupby("model", sort=False)}
    first = next(iter(parts.values()))
    rows = first.index
    for model, part in parts.items():
        lacking = rows.difference(part.index)
        if lacking.size or part.index.size != rows.size:
            raise DataError(f"{model!r} lacks predictions of {lacking.size} of the {rows.size} examples. ", SEE_FAILURES, ".")
    wants_scores = metric in OF_PROBABILITIES
    answers = {model: _answers(part.loc[rows], model, metric, wants_scores=wants_scores) for model, part in parts.items()}
    n_splits = int(first["fold"].nunique())
    truth = first["target"].to_numpy()
    classes = np.unique(truth) if wants_scores else truth
    items = read_predictions(
        truth,
        answers,
        metric=metric,
        positive=classes[1] if wants_scores and classes.size == 2 else None,  # of which scikit-learn keeps the probability
        items=rows.tolist(),
        clusters=[f"fold {fold}" for fold in first["fold"]] if n_splits > 1 else None,
    )
    remark = (
        f"predictions of {n_splits} models each, fitted on the other folds of repeat {repeat}: what is said holds for these "
        "training sets, and the folds are clusters"
    )
    return replace(items, sources=(remark,) if n_splits > 1 else ())


def _answers(part: pd.DataFrame, model: str, metric: str, *, wants_scores: bool) -> Array:
    """Predicted classes or numbers of a model; probabilities or decision values where the metric is of these."""
    columns = [name for name in part.columns if str(name).startswith("probability")] if wants_scores else ["prediction"]
    if wants_scores and metric == "roc_auc" and (not columns or part[columns].isna().any(axis=None)):
        columns = ["decision"]
    if not columns or columns[0] not in part or part[columns].isna().any(axis=None):
        what = "probabilities" if wants_scores else "predictions"
        raise DataError(f"no {what} of {model!r} were kept. Evaluate with a metric that asks for them too.")
    return np.asarray(part[columns[0]] if len(columns) == 1 else part[columns])


def _dataset(evaluation: Evaluation, dataset: str | None) -> int:
    if dataset is not None:
        return look_up(dataset, evaluation.datasets, "dataset")
    if len(evaluation.datasets) > 1:
        raise UnclearSourceError(
            f"there are {len(evaluation.datasets)} datasets: {quoted(evaluation.datasets)}. Pass ", Setting("dataset"), "."
        )
    return 0


def _positions(models: str | Sequence[str], known: Sequence[str]) -> list[int]:
    return [look_up(name, known, "model") for name in ([models] if isinstance(models, str) else models)]


class Average(NamedTuple):
    """A mean over splits; the fields of a curve are arrays.

    Attributes
    ----------
    mean : float or ndarray
        Over the splits on which it is defined; nan if there is none.
    low, high : float or ndarray
        Interval of the mean, corrected for shared training data [NB03]_; nan with fewer than two splits, or without spread.
    n_splits : int
        Splits on which it is defined.
    n_undefined : int
        Splits on which it is not.

    References
    ----------
    .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    n_splits: int
    n_undefined: int


def average(values: FloatArray, ratio: float, alpha: float, *, low: float = -np.inf, high: float = np.inf) -> Average:
    """The mean over the last axis, of which nan in the first row tells the splits that are undefined.

    `values` has shape (..., n_splits), `ratio` is the mean n_test / n_train, and `alpha` 1 - coverage. The quantity lies between
    `low` and `high` by definition; intervals are cut there.
    """
    defined = ~np.isnan(np.atleast_2d(values)[0])
    kept = values[..., defined]
    n = int(np.count_nonzero(defined))
    nothing = np.full(values.shape[:-1], np.nan)
    if n < 2:
        return Average(kept[..., 0] if n else nothing, nothing, nothing, n, defined.size - n)
    law = corrected_t(kept, ratio)
    interval = law.interval_at(alpha)
    ends = np.clip(interval.low, low, high), np.clip(interval.high, low, high)
    return Average(law.estimate, *ends, n, defined.size - n)


class Line(Protocol):
    """Curves of one model for one class."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def positive(self) -> Any:
        """Label of the class."""


L = TypeVar("L", bound=Line)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lines(Result, Generic[L]):
    """Curves of several models; with more than two classes, of each class against the rest.

    Attributes
    ----------
    dataset : str
    lines : tuple
        Models in the order of the evaluation, and for each the classes in theirs.
    alpha : float
        1 - coverage of intervals and bands.
    n_copies : float
        How often each example was predicted: once for each repeat.
    ratio : float
        Mean n_test / n_train of the splits, by which intervals are corrected.
    """

    dataset: str
    lines: tuple[L, ...]
    alpha: float
    n_copies: float
    ratio: float

    @property
    def models(self) -> tuple[str, ...]:
        """Names."""
        return tuple(dict.fromkeys(line.model for line in self.lines))

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that there are curves for."""
        return tuple(dict.fromkeys(line.positive for line in self.lines))

    def line(self, model: str, positive: Any = None) -> L:
        """The curves of a model.

        Parameters
        ----------
        model : str
        positive : label, optional
            Needed where there are curves of several classes.

        Raises
        ------
        UnknownNameError, UnclearSourceError
        """
        name = self.models[look_up(model, self.models, "model")]
        found = [line for line in self.lines if line.model == name and positive in (None, line.positive)]
        if not found:
            raise UnknownNameError(f"there is no curve of the class {positive!r}; there are {quoted(self.classes)}.")
        if len(found) > 1:
            raise UnclearSourceError(f"there are curves of {len(found)} classes: {quoted(self.classes)}. Name one, positive=.")
        return found[0]

    def __getitem__(self, key: str | tuple[str, Any]) -> L:
        return self.line(*key) if isinstance(key, tuple) else self.line(key)

    def __iter__(self) -> Iterator[L]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)
