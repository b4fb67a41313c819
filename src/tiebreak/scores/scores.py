"""Score tables: checked once by whoever reads them in, trusted by every analysis."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tiebreak.errors import DataError, Setting, UnclearSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.scores.metric import Metric, joint_metric
from tiebreak.scores.vocabulary import Kind, Notice, look_up, quoted

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.scores.items import Items


NEVER_REPEATED = ("loo", "time", "holdout")
"""Kinds of splits of which there are no others to make."""


@dataclass(frozen=True, slots=True)
class SplitDesign:
    """Description of how the splits were made.

    Attributes
    ----------
    kind : str
        Name of the scheme, "unknown" where the source does not say.
    ordered : bool
        Training data always come before test data (time splits).
    pairing : {"key", "position"}
        By the names of splits in the source, or by the order of the scores.
    sizes : {"exact", "approximate", "missing"}
        How well n_train and n_test are known.
    hash : str or None
        Of the test indices of all splits, where they are known.
    n_torn : int
        Splits that train on examples of a group that they test on, where groups are known.
    """

    kind: Kind = "unknown"
    ordered: bool = False
    pairing: Literal["key", "position"] = "key"
    sizes: Literal["exact", "approximate", "missing"] = "missing"
    hash: str | None = None
    n_torn: int = 0


SummaryKind = Literal["rates", "areas", "folds", "runs"]
"""Scores of one test set, which are shares of its examples or areas under a ROC curve; means over folds, or training runs."""


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Facts of models of which a table of means is all that is left.

    Attributes
    ----------
    kind : {"rates", "areas", "folds", "runs"}
    n : tuple of int
        Of rates the examples, of areas the positive and the negative ones; splits in all and folds in each repeat; or runs.
    rounding : ndarray of shape (n_models,)
        Half of the last digit that is printed.
    deviation : ndarray of shape (n_models,)
        Standard deviation over folds or runs, with n - 1, at most; nan of rates and areas.
    tool : str
        That made the table, "" where nothing tells it.
    note : str
        Sentence on how deviations were read, "" without them.
    """

    kind: SummaryKind
    n: tuple[int, ...]
    rounding: FloatArray
    deviation: FloatArray
    tool: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoreMatrix:
    """Scores of several models on the same splits of one dataset.

    Attributes
    ----------
    dataset : str
        Name, "" where the source has none.
    models : tuple of str
        Unique names, in the order of the rows.
    repeat, fold : ndarray of shape (n_splits,)
        Key of each split; splits are in key order.
    n_train, n_test : ndarray of shape (n_splits,)
        Numbers of examples; 0 where they are not known.
    score : ndarray of shape (n_models, n_splits)
        In the metric's unit; nan where a model has no score, never infinite.
    columns : tuple of str
        Names of the columns where they are no splits, which have keys: of datasets, over each of which a column is the mean, of
        seeds, periods, test sets or items.
    metric : Metric, optional
        Of this dataset, where not all datasets are scored in the same one; else None.
    n_folds : int
        Folds of each repeat of a cross-validation, where that is all that is known of the sizes; else 0.
    summary : Summary, optional
        Where the one score of each model is a mean, of which its splits are not known.
    """

    dataset: str
    models: tuple[str, ...]
    repeat: IntArray
    fold: IntArray
    n_train: IntArray
    n_test: IntArray
    score: FloatArray
    columns: tuple[str, ...] = ()
    metric: Metric | None = None
    n_folds: int = 0
    summary: Summary | None = None

    def __repr__(self) -> str:
        missing = int(np.isnan(self.score).sum())
        of = f"{printable(self.dataset)}: " if self.dataset else ""
        gaps = f", {missing} scores missing" if missing else ""
        return f"<{of}{len(self.models)} models ({quoted(self.models)}) x {self.n_splits} splits{gaps}>"

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return int(self.repeat.size)

    @property
    def is_complete(self) -> bool:
        """True where every model has a score on every split."""
        return not any(np.isnan(row).any() for row in self.score)

    @property
    def has_sizes(self) -> bool:
        """True where n_train and n_test are known for every split."""
        return bool(np.all(self.n_train > 0) and np.all(self.n_test > 0))

    @property
    def has_ratio(self) -> bool:
        """True where n_test / n_train is known: from the sizes, or from the number of folds."""
        return self.has_sizes or self.n_folds > 1

    @property
    def ratio(self) -> FloatArray:
        """n_test / n_train of each split, of shape (n_splits,); only where `has_ratio`. Of k folds it is 1 / (k - 1)."""
        if not self.has_sizes:
            return np.full(self.n_splits, 1.0 / (self.n_folds - 1))
        return np.asarray(self.n_test / self.n_train, dtype=float)

    def take(self, models: Sequence[str]) -> ScoreMatrix:
        """The rows of the given models, in that order."""
        if tuple(models) == self.models and self.score.flags.c_contiguous:  # sums along columns would end in other bits
            return self
        row_of = {name: row for row, name in enumerate(self.models)}
        rows = [row_of[name] if name in row_of else look_up(name, self.models, "model") for name in models]
        summary = self.summary
        if summary is not None:
            summary = dataclasses.replace(summary, rounding=summary.rounding[rows], deviation=summary.deviation[rows])
        return dataclasses.replace(self, models=tuple(models), score=self.score[rows], summary=summary)

    def split_name(self, split: int) -> str:
        """The split at a position, as people are told of it: "repeat 0 fold 3", or the dataset that has no other one."""
        if self.dataset and self.n_splits == 1:
            return f"dataset {self.dataset!r}"
        return repr(self.columns[split]) if self.columns else f"repeat {self.repeat[split]} fold {self.fold[split]}"


class SavedSettings(NamedTuple):
    """Settings of `tiebreak.compare` that a source was compared with before, or that its study asks for."""

    source: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """One score for each dataset, model, repeat and fold, in one metric for each dataset.

    Attributes
    ----------
    metric : Metric
        Of all datasets; where they differ (`is_mixed`) the names of all, and `metric_of` has each.
    matrices : tuple of ScoreMatrix
        One for each dataset.
    design : SplitDesign
    notices : tuple of Notice
        Remarks of the reader of the source.
    saved_settings : tuple of SavedSettings
        Settings that came with the sources; a comparison takes them where it is given no others.
    fit_times : mapping of str to tuple of float
        Typical seconds of a fit by model, for those of which they are known, and their standard error over splits: the median; of
        a search the mean.
    items : Items or None
        Where the scores are of single items of one test set: all of them. The one matrix then has a column for each item.
    same_predictions : tuple of tuple of str
        Groups of models whose predictions are known to be the same on all splits.
    roles : tuple of str
        What was taken for what in each source: "model = framework, 16 datasets = task; not used: id".
    """

    metric: Metric
    matrices: tuple[ScoreMatrix, ...]
    design: SplitDesign = SplitDesign()
    notices: tuple[Notice, ...] = ()
    saved_settings: tuple[SavedSettings, ...] = ()
    fit_times: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    items: Items | None = None
    same_predictions: tuple[tuple[str, ...], ...] = ()
    roles: tuple[str, ...] = ()

    def __repr__(self) -> str:
        if self.items is not None:
            return repr(self.items)
        direction = "higher" if self.metric.higher_is_better else "lower"
        parts = [repr(matrix).strip("<>") for matrix in self.matrices[:3]]
        more = [f"{len(self.matrices) - 3} more datasets"] if len(self.matrices) > 3 else []
        return f"<Scores: {printable(self.metric.name)} ({direction} is better) of {'; '.join([*parts, *more])}>"

    @property
    def is_mixed(self) -> bool:
        """True where datasets are scored in metrics of several units or directions."""
        return any(matrix.metric is not None for matrix in self.matrices)

    def metric_of(self, matrix: ScoreMatrix) -> Metric:
        """The metric of one of the datasets."""
        return self.metric if matrix.metric is None else matrix.metric

    def with_matrices(self, matrices: Sequence[ScoreMatrix]) -> Scores:
        """Scores of these datasets; where they are all of one metric, it is that of the scores."""
        metrics = {self.metric_of(matrix) for matrix in matrices}
        if len(metrics) > 1:
            return dataclasses.replace(self, metric=joint_metric([self.metric_of(m) for m in matrices]), matrices=tuple(matrices))
        unnamed = tuple(matrix if matrix.metric is None else dataclasses.replace(matrix, metric=None) for matrix in matrices)
        return dataclasses.replace(self, metric=metrics.pop(), matrices=unnamed)

    @property
    def can_be_repeated(self) -> bool:
        """False for splits of which there are no others: one row left out at a time, along time, or one held-out set."""
        leaves_one_out = all(matrix.has_sizes and bool(np.all(matrix.n_test == 1)) for matrix in self.matrices)
        return not (self.design.kind in NEVER_REPEATED or self.design.ordered or leaves_one_out)

    def with_models(self, names: Mapping[str, str]) -> Scores:
        """Scores in which models have other names; those not among the names keep theirs."""
        matrices = [
            dataclasses.replace(each, models=tuple(names.get(model, model) for model in each.models)) for each in self.matrices
        ]
        times = {names.get(model, model): time for model, time in self.fit_times.items()}
        return dataclasses.replace(self, matrices=tuple(matrices), fit_times=times)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets."""
        return tuple(matrix.dataset for matrix in self.matrices)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in order of appearance."""
        return tuple(dict.fromkeys(name for matrix in self.matrices for name in matrix.models))

    def matrix(self) -> ScoreMatrix:
        """Models by splits of the only dataset; an error where there are several."""
        if len(self.matrices) > 1:
            raise UnclearSourceError(
                f"the scores are of {len(self.matrices)} datasets ({quoted(self.datasets)}); say which one with ",
                Setting("dataset"),
                ", or compare over all of them, with a method for many datasets.",
            )
        return self.matrices[0]

    def take(self, models: Sequence[str]) -> Scores:
        """The given models in that order, in each dataset those that it has."""
        if self.items is not None:
            items = self.items.take(models)
            return dataclasses.replace(self, matrices=items.as_scores().matrices, items=items)
        place = {name: place for place, name in enumerate(models)}
        held = [sorted(place.keys() & {*matrix.models}, key=place.__getitem__) for matrix in self.matrices]
        matrices = tuple(matrix.take(names) for matrix, names in zip(self.matrices, held, strict=True))
        return dataclasses.replace(self, matrices=matrices)

    def of_dataset(self, dataset: str) -> Scores:
        """One dataset of several."""
        return self.with_matrices((self.matrices[look_up(dataset, self.datasets, "dataset")],))

    def to_frame(self) -> pd.DataFrame:
        """Long form: dataset, model, metric, repeat, fold, n_train, n_test, score; a row for each score that is there.

        Scores of single items are as `Items.to_frame` has them.
        """
        import pandas as pd

        if self.items is not None:
            return self.items.to_frame()

        frames = []
        for m in self.matrices:
            model, split = np.nonzero(~np.isnan(m.score))
            columns = {
                "dataset": m.dataset,
                "model": pd.Categorical.from_codes(model, pd.Index(m.models)),
                "metric": self.metric_of(m).name,
                "repeat": m.repeat[split],
                "fold": m.fold[split],
                "n_train": m.n_train[split],
                "n_test": m.n_test[split],
                "score": m.score[model, split],
            }
            frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)


LARGEST_SCORE = 1e60
"""Beyond it the fourth powers of differences, which skewness takes, may be infinite."""

PERCENT_ABOVE = 1.5
"""A share this large can only be a percentage."""


def typical_time(seconds: FloatArray) -> tuple[float, float]:
    """The median of times of fits, and its standard error, 0 where a single time says nothing of it; nan where there is none."""
    if not seconds.size:
        return float("nan"), float("nan")
    known = np.clip(seconds, 0.0, 1e100)  # a column of times may hold anything
    return float(np.median(known)), float(np.std(known, ddof=1) / np.sqrt(known.size)) if known.size > 1 else 0.0


def percent_notices(matrix: ScoreMatrix, metric: Metric) -> Iterator[Notice]:
    """Say where a share is written in per cent; refuse a metric that is by some models alone.

    Of metrics that are no shares each model is looked at as a whole: in per cent a score may be below 1 here and there, and as a
    fraction above.
    """
    if not metric.is_in_per_cent:
        return
    largest = np.fmax.reduce(matrix.score, axis=1, initial=0.0)
    typical = (
        largest
        if metric.is_share
        else np.array([np.median(row[row > 0]) if most else 0.0 for row, most in zip(matrix.score, largest, strict=True)])
    )
    are_percent, are_fractions = typical > PERCENT_ABOVE, (largest > 0) & (largest <= 1)
    are_both = are_percent.any() and are_fractions.any()
    if are_both and (
        (np.nanmin(matrix.score) >= 0 and largest.max() <= 100)
        if metric.is_share
        else np.median(typical[are_percent]) >= _APART * np.median(typical[are_fractions])
    ):
        percent, fractions = (quoted([matrix.models[row] for row in np.flatnonzero(its)]) for its in (are_percent, are_fractions))
        raise DataError(
            f"{metric.name} of {percent} looks like per cent, that of {fractions} like a fraction of 1. Write all in one unit; "
            "if they are already, write all in the other: 0.4 per cent as 0.004, or 2.5 as 250 per cent."
        )
    if metric.is_share and are_percent.any() and not are_both:
        yield Notice(
            "read-as",
            f"values of {metric.name} look like percent: a rope is then in percentage points, 1 for one point, not 0.01",
        )


_APART = 10
"""Ratio of typical scores from which two units are as likely as models that far apart: both mean a factor of ten."""
