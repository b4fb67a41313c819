"""Scores of models on single examples of one test set, in one run or several."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import DataError, InvalidParameterError, Setting
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    FloatArray,
    IntArray,
    Missing,
    check_choice,
    check_weights,
    group_codes,
    mean_present,
)
from tiebreak.scores.metric import SHARES, Metric, meant_by
from tiebreak.scores.scores import ScoreMatrix, Scores
from tiebreak.scores.vocabulary import Notice, look_up, quoted

if TYPE_CHECKING:
    import pandas as pd


TASK = "task"
"""Column of the items that names the task of each."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Items:
    """One score for each model, run and item of one test set, in one metric.

    An item is whatever was scored by itself: an example, a question, a document. `tiebreak.read_items` makes these tables.

    Attributes
    ----------
    metric : Metric
    models, runs, items : tuple of str
        Names, in the order of the axes of `score`.
    score : ndarray of shape (n_models, n_runs, n_items)
        In the metric's unit; nan where a model has no answer.
    clusters : tuple of str or None
        Name of each item's cluster: items of one text, patient, user.
    weights : ndarray of shape (n_items,) or None
    is_positive : ndarray of bool or None
        For metrics that rank (roc_auc): the items to be found, where `score` is what each model says of them.
    truth : ndarray of shape (n_items,) or None
        For other metrics of all predictions together (f1, r2): what each item is, where `score` is what each model predicts:
        places in `classes`, or numbers.
    classes : tuple of str
        Of two classes the second is the positive one; () where predictions are numbers.
    columns : mapping of str to tuple of str
        Further texts of each item, for comparisons by slices.
    sources : tuple of str
        Remarks on where the scores came from, for people.
    unit : str
        Noun for one of them, as the table calls it: "item", "question", "example".
    labels : ndarray of shape (n_models, n_items) or None
        What people said of some answers, in the unit of the scores, which are a judge's then; nan where they said nothing.
    """

    metric: Metric
    models: tuple[str, ...]
    runs: tuple[str, ...]
    items: tuple[str, ...]
    score: FloatArray
    clusters: tuple[str, ...] | None = None
    weights: FloatArray | None = None
    is_positive: NDArray[np.bool_] | None = None
    truth: FloatArray | None = None
    classes: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    unit: str = "item"
    labels: FloatArray | None = None

    def __repr__(self) -> str:
        runs = f", {len(self.runs)} runs" if len(self.runs) > 1 else ""
        runs = runs if self.tasks is None else f" of {len(set(self.tasks))} tasks{runs}"
        return f"<Items of {self.metric.name}: {len(self.models)} models, {len(self.items)} {self.unit}s{runs}>"

    @property
    def tasks(self) -> tuple[str, ...] | None:
        """Task of each item, by the column of that name; None where all are of one."""
        named = self.columns.get(TASK)
        return None if named is None or len(set(named)) < 2 else tuple(named)

    @property
    def is_mean(self) -> bool:
        """True if the metric is the mean of the scores: not of areas under ROC curves, F1 and others of all items together."""
        return self.is_positive is None and self.truth is None

    @property
    def n_rarest(self) -> int | None:
        """Number of items of the rarest class, where the metric gives each class a weight of its own; else None."""
        if self.is_positive is not None:
            n_positive = int(np.count_nonzero(self.is_positive))
            return min(n_positive, self.is_positive.size - n_positive)
        if self.truth is None or not self.classes or (len(self.classes) > 2 and self.metric.name.endswith(_BY_SIZE)):
            return None
        found = np.unique(self.truth, return_counts=True)[1]
        return int(found.min()) if found.size > 1 else 0

    @property
    def structure_note(self) -> str:
        """Runs, clusters or weights that the items come with, in words; "" where each counts once and by itself."""
        if len(self.runs) > 1:
            return f"there are {len(self.runs)} runs"
        if self.clusters is not None:
            return f"the {self.unit}s come in clusters"
        return "" if self.weights is None else f"the {self.unit}s have weights"

    @property
    def is_binary(self) -> bool:
        """True if every score is right or wrong, 1 or 0, and not a prediction."""
        # one row after the other, which takes little room
        is_zero_or_one = (((row == 0) | (row == 1) | np.isnan(row)).all() for row in self.score)
        return self.is_mean and not np.isnan(self.score).all() and all(is_zero_or_one)

    @property
    def cluster_codes(self) -> IntArray | None:
        """Number of the cluster of each item, in the order of their names; None where they have none."""
        return None if self.clusters is None else _codes_of(self.clusters)

    @property
    def n_clusters(self) -> int:
        """Number of clusters; that of the items where they have none."""
        codes = self.cluster_codes
        return len(self.items) if codes is None else int(codes.max(initial=-1)) + 1

    @property
    def is_disjoint(self) -> bool:
        """True if no item was scored for two models, so that each has a test set of its own."""
        # the first item tells nearly all tables, and this is asked often
        if len(self.models) < 2 or np.count_nonzero(~np.isnan(self.score[:, :, :1]).all(axis=1)) > 1:
            return False
        return bool((np.count_nonzero(~np.isnan(self.score).all(axis=1), axis=0) <= 1).all())

    def hash(self) -> str:
        """Hash of the table, whatever the order of models and items."""
        models, items = (np.argsort(np.array(names)) for names in (self.models, self.items))
        clusters = () if self.clusters is None else [self.clusters[i] for i in items]
        weights = np.empty(0) if self.weights is None else self.weights[items]
        names = [sorted(self.models), sorted(self.items), list(self.runs), list(clusters)]
        digest = hashlib.sha256(json.dumps(names).encode())
        truth = [np.asarray(each, dtype=float)[items] for each in (self.is_positive, self.truth) if each is not None]
        truth += [] if self.labels is None else [self.labels[models][:, items]]
        for values in (self.score[models][:, :, items], weights, *truth):
            # one nan and one zero, of which there are several
            digest.update(np.ascontiguousarray(np.nan_to_num(values, nan=np.inf) + 0.0, dtype="<f8").tobytes())
        return digest.hexdigest()[:32]

    @property
    def n_runs(self) -> IntArray:
        """Runs that each model has, of shape (n_models,)."""
        return np.asarray(np.count_nonzero(~np.isnan(self.score).all(axis=2), axis=1))

    def item_means(self) -> FloatArray:
        """Mean over the runs of each model on each item, of shape (n_models, n_items); nan where it has no run."""
        return self.score[:, 0] if len(self.runs) == 1 else mean_present(self.score, axis=1)

    def as_scores(self) -> Scores:
        """Scores of which each column is an item, with the mean over its runs; the items are kept beside."""
        names = self.items
        nothing = np.broadcast_to(np.int64(0), (len(names),))
        matrix = ScoreMatrix("", self.models, nothing, np.arange(len(names)), nothing, nothing, self.item_means(), names)
        return Scores(self.metric, (matrix,), notices=tuple(Notice("read-as", text) for text in self.sources), items=self)

    def as_datasets(self) -> Scores:
        """Scores of which each task is a dataset, with the mean over its items that all models have.

        For answers about further tasks of this kind; the items themselves are left behind.
        """
        tasks = self.tasks or ()
        codes, means = np.array(tasks), self.item_means()
        one = np.zeros(1, dtype=np.int64)
        matrices = []
        for name in dict.fromkeys(tasks):
            own = means[:, codes == name]
            weights = np.ones(own.shape[1]) if self.weights is None else self.weights[codes == name]
            used = ~np.isnan(own).any(axis=0) & (weights > 0)
            if used.any():
                score = (own[:, used] * weights[used]).sum(axis=1, keepdims=True) / weights[used].sum()
                matrices.append(ScoreMatrix(name, self.models, one, one, one, one, score))
        return Scores(self.metric, tuple(matrices), notices=tuple(Notice("read-as", text) for text in self.sources))

    def take(self, models: Sequence[str]) -> Items:
        """Scores of these models, in this order."""
        rows = [look_up(name, self.models, "model") for name in models]
        return dataclasses.replace(
            self, models=tuple(models), score=self.score[rows], labels=None if self.labels is None else self.labels[rows]
        )

    def at(self, chosen: NDArray[np.bool_] | IntArray) -> Items:
        """Scores on some of the items, by position or by truth."""
        positions = np.arange(len(self.items))[chosen]

        def of(values: Any) -> Any:
            return values[positions] if isinstance(values, np.ndarray) else values and tuple(values[i] for i in positions)

        return dataclasses.replace(
            self,
            **{name: of(getattr(self, name)) for name in ("items", "clusters", "weights", "is_positive", "truth")},
            score=self.score[:, :, positions],
            columns={name: of(values) for name, values in self.columns.items()},
            labels=None if self.labels is None else self.labels[:, positions],
        )

    def complete(self, missing: Missing = "raise") -> Items:
        """Scores as an analysis takes them: all models on the same items, or with "pairwise" nan where one has none.

        Raises
        ------
        DataError
            Some model lacks an item, and `missing` is "raise"; the text says how many, and which.
        """
        check_choice(missing, get_args(Missing), "missing")
        absent = np.asarray(np.isnan(self.score).all(axis=1))
        if missing == "raise" and absent.any():
            numbers = absent.sum(axis=1)
            worst, others = int(numbers.argmax()), int(np.count_nonzero(numbers)) - 1
            names = [self.items[i] for i in np.flatnonzero(absent[worst])]
            more = f", and {others} more of the models lack some" if others else ""
            raise DataError(
                f"{self.models[worst]!r} lacks {len(names)} of the {len(self.items)} items: {quoted(names, 3)}{more}. Pass "
                "missing='pairwise' to compare each pair on the items that both have, or leave out what is not there."
            )
        return self

    def slices(self, by: str) -> dict[str, Items]:
        """Items by the text in a further column, in order of appearance.

        Raises
        ------
        InvalidParameterError
            More than 50 different texts (of tasks more than 1,000), which are no slices.
        """
        values = self.columns[list(self.columns)[look_up(by, list(self.columns), "column of the items")]]
        found = list(dict.fromkeys(values))
        most = _MOST_TASKS if by == TASK else _MOST_SLICES
        if len(found) > most:
            raise InvalidParameterError(
                f"the column {by!r} has {len(found)} different values; slices are of {most} or fewer. Group them first.",
                about="by",
            )
        codes = np.array(values)
        return {value: self.at(codes == value) for value in found}

    def disagreements(self, first: str, second: str) -> pd.DataFrame:
        """Items on which two models differ, the largest differences first.

        Columns: item, cluster and further columns where there are any, both scores (the mean of the runs), and difference,
        positive where the first model is better. Of predicted classes, difference is that of right and wrong.
        """
        import pandas as pd

        rows = [look_up(name, self.models, "model") for name in (first, second)]
        said, (one, other) = self.item_means()[rows], self.merits()[rows]
        noise = RELATIVE_TOLERANCE * np.maximum(np.abs(one), np.abs(other))  # of means over runs
        difference = np.where(np.abs(one - other) <= noise, 0.0, one - other)
        named = np.array(self.classes, dtype=object)[said.astype(int)] if self.classes else said
        texts = {**({} if self.clusters is None else {"cluster": self.clusters}), **self.columns}
        frame = pd.DataFrame({"item": self.items, **texts, first: named[0], second: named[1], "difference": difference})
        frame = frame[(difference != 0) & ~np.isnan(difference)]
        found: pd.DataFrame = frame.sort_values("difference", key=np.abs, ascending=False, kind="stable", ignore_index=True)
        return found

    def flips(self, first: str, second: str) -> dict[str, tuple[str, ...]] | None:
        """Items that only one of two models gets right, by the model; None where items are not right or wrong."""
        if not self.metric.higher_is_better or not (self.is_mean or self.classes):  # of areas, 0 and 1 are no answers either
            return None
        one, other = self.merits()[[look_up(name, self.models, "model") for name in (first, second)]]
        if not np.isin(np.concatenate([one, other]), [0.0, 1.0]).all():
            return None
        pairs = ((first, one > other), (second, other > one))
        return {name: tuple(self.items[item] for item in np.flatnonzero(is_won).tolist()) for name, is_won in pairs}

    def merits(self) -> FloatArray:
        """Each item by itself, of shape (n_models, n_items), more is better: of classes 1 if right, else minus the error."""
        rows = self.item_means()
        if self.truth is None:
            return self.metric.sign * rows
        return np.where(np.isnan(rows), np.nan, rows == self.truth) if self.classes else -np.abs(rows - self.truth)

    def to_frame(self) -> pd.DataFrame:
        """Long table with the columns item, model, run and score, and cluster, weight and further ones where there are."""
        import pandas as pd

        n_models, n_runs, n = self.score.shape
        of_items = {
            "cluster": self.clusters,
            "weight": self.weights,
            "is_positive": self.is_positive,
            "truth": self.truth,
            **self.columns,
        }
        frame = pd.DataFrame(
            {
                "item": np.tile(np.array(self.items, dtype=object), n_models * n_runs),
                "model": np.repeat(np.array(self.models, dtype=object), n_runs * n),
                "run": np.tile(np.repeat(np.array(self.runs, dtype=object), n), n_models),
                "score": self.score.ravel(),
                **{name: np.tile(np.array(values), n_models * n_runs) for name, values in of_items.items() if values is not None},
                **({} if self.labels is None else {"human": np.repeat(self.labels, n_runs, axis=0).ravel()}),
            }
        )
        return frame.dropna(subset="score", ignore_index=True)


_MOST_SLICES, _MOST_TASKS = 50, 1000

_BY_SIZE = ("_micro", "_weighted", "matthews_corrcoef")
"""Metrics in which a class of several counts by its size."""


@lru_cache(maxsize=2)
def _codes_of(names: tuple[str, ...]) -> IntArray:
    """Numbers of names, which an answer asks for again and again: sorting them takes longer than all else."""
    codes = group_codes(names, len(names), "clusters")[0]
    codes.flags.writeable = False
    return codes


def check_items(items: Items) -> Items:
    """The items, if an analysis can use it; raises `DataError` otherwise."""
    empty = [items.models[row] for row in np.flatnonzero(np.isnan(items.score).all(axis=(1, 2)))]
    low, high = np.fmin.reduce(items.score, axis=None, initial=0.0), np.fmax.reduce(items.score, axis=None, initial=1.0)
    hint = " Divide per cent by 100." if 1 < high <= 100 else ""
    wrong: dict[tuple[str | Setting, ...], bool] = {
        ("there are no models, or no items, to compare.",): not (items.models and items.items),
        **{
            (f"the score of {items.models[model]!r} on item {items.items[item]!r} is infinite.",): True
            for model, _, item in np.argwhere(np.isinf(items.score))[:1].tolist()
        },
        (f"no score on any item: {quoted(empty)}. Leave it out, or name the others with ", Setting("models"), "."): bool(empty),
        (f"{items.metric.name} lies between 0 and 1 on each item; got {high if high > 1 else low:g}.{hint}",): (
            meant_by(items.metric.name) in SHARES and items.is_mean and (low < 0 or high > 1)
        ),
    }
    for what in [what for what, is_so in wrong.items() if is_so][:1]:
        raise DataError(*what)
    check_weights(items.weights, len(items.items))
    return items
