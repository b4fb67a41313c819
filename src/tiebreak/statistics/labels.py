"""Prediction-powered means: many examples that a model judged, corrected by the few that people judged too."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, IntArray, Law, check_array, check_weights, divide, group_codes, kind_of, plain, student
from tiebreak.statistics.means import (
    FEW_EVENTS,
    Means,
    cluster_residuals,
    cluster_sums,
    mean_of_clusters,
)


class Labelled(NamedTuple):
    """Scores by people and by a judge, arrays over rows and examples.

    Attributes
    ----------
    labels : ndarray of shape (..., n_examples)
        nan for the examples that people did not label, which are the same in all rows.
    judged : ndarray of the same shape
    clusters : ndarray of shape (n_examples,), optional
        Number of each example's cluster.
    weights : ndarray of the same shape, optional
    """

    labels: FloatArray
    judged: FloatArray
    clusters: IntArray | None = None
    weights: FloatArray | None = None

    @property
    def has_label(self) -> NDArray[np.bool_]:
        """True for each example that people labelled."""
        return np.asarray(~np.isnan(np.atleast_2d(self.labels)).any(axis=0))

    @property
    def codes(self) -> IntArray:
        """Cluster of each example; each by itself without clusters."""
        return np.arange(self.labels.shape[-1]) if self.clusters is None else self.clusters


def prediction_powered_mean(
    labels: ArrayLike,
    judged_labelled: ArrayLike,
    judged: ArrayLike,
    *,
    clusters: Sequence[object] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Law:
    """Law of the mean of what people would say of all examples, from labels of a few and a judge's scores of all.

    For two models pass differences everywhere: the label of the first minus that of the second, and so for the judge.

    Parameters
    ----------
    labels : array_like of shape (..., n_labelled)
        What people said.
    judged_labelled : array_like of the same shape
        What the judge said of the same examples.
    judged : array_like of shape (..., n_judged)
        What the judge said of further examples, drawn like the labelled ones.
    clusters : sequence of length n_labelled + n_judged, optional
        Name or number of each example's cluster, of the labelled ones first. Without it each example is a cluster of its own.
    weights : array_like of shape (n_labelled + n_judged,), optional
        Importance of each example, not negative; all the same unless given.

    Returns
    -------
    Law
        Student's. The weight of the judge is the covariance of label and judge over (1 + n_labelled / n_judged) times the
        variance of all of the judge's scores. So the answer is, but for that estimation, never less sure than the labels alone
        (`clustered_mean`): a useless judge gets a weight near 0. With clusters the error counts clusters rather than examples,
        also where some examples of one are labelled and others not; the degrees of freedom are those of the labelled clusters,
        which are the `n_units`, by Satterthwaite.

    Raises
    ------
    DataError
        Fewer than three labels or three clusters with a label, fewer than two further examples, values that are not finite, or
        shapes that do not go together.

    References
    ----------
    .. [A23a] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic. Prediction-powered inference. Science 382, 2023.
    .. [A23b] A. N. Angelopoulos, J. C. Duchi, T. Zrnic. PPI++: efficient prediction-powered inference. arXiv 2311.01453, 2023.

    Examples
    --------
    >>> law = prediction_powered_mean([1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 1, 1], [1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1])
    >>> round(law.estimate, 3), round(law.se, 3)  # of the labels alone 0.667 and 0.211
    (0.626, 0.202)
    """
    y = check_array(labels, "labels", "..., n_labelled", (3,))
    f = check_array(judged_labelled, "judged_labelled", "..., n_labelled", (3,))
    g = check_array(judged, "judged", "..., n_judged", (2,))
    if y.shape != f.shape or g.shape[:-1] not in ((), y.shape[:-1]):
        raise DataError(
            "a judgement of the same examples goes with each label, and further ones are of as many rows; got the shapes "
            f"{y.shape}, {f.shape} and {g.shape}."
        )
    others = np.broadcast_to(g, (*y.shape[:-1], g.shape[-1]))
    n = y.shape[-1] + g.shape[-1]
    codes = None if clusters is None else group_codes(clusters, n, "clusters")[0]
    people, judge = np.concatenate([[y, f], [np.full(others.shape, np.nan), others]], axis=-1)
    known = Labelled(people, judge, codes, check_weights(weights, n))
    return mean_by_weight(known, _weight(*_agreement(known)), is_estimated=True)


def _agreement(known: Labelled) -> tuple[FloatArray, FloatArray]:
    """Covariance of label and judge in each row, and (1 + n_labelled / n_judged) times the variance of the judge [A23b]_."""
    own = known.has_label
    y, f, n = known.labels[..., own], known.judged[..., own], np.count_nonzero(own)
    together = ((y - y.mean(axis=-1, keepdims=True)) * (f - f.mean(axis=-1, keepdims=True))).sum(axis=-1) / (n - 1)
    return together, (1 + n / (own.size - n)) * known.judged.var(axis=-1, ddof=1)


def _weight(together: FloatArray, spread: FloatArray) -> FloatArray:
    """Weight of the judge that makes the variance of the mean least; 0 where the judge does not vary."""
    return np.nan_to_num(divide(together, spread), posinf=0.0, neginf=0.0)


def mean_by_weight(known: Labelled, weight: FloatArray, *, is_estimated: bool = False) -> Law:
    """Law of the mean with a weight of the judge, which costs a degree of freedom where it was estimated.

    The error of the mean is a sum over clusters: what a cluster's labelled examples add to it, and what its others do.
    """
    labels, judged, clusters, weights = known
    own, weights = known.has_label, check_weights(weights, labels.shape[-1])
    of_labels = cluster_sums(np.where(own, labels - weight[..., None] * judged, 0.0), clusters, weights=weights * own)
    n_clusters = int(np.count_nonzero(of_labels.weights > 0))
    if n_clusters < 3:
        raise DataError(f"three clusters or more with a label are needed; the labels are of {n_clusters}.")
    mean = mean_of_clusters(of_labels)
    kept = (n_clusters - 2) / (n_clusters - 1) if is_estimated else 1.0  # of the degrees of freedom
    residuals, estimate = cluster_residuals(of_labels) / np.sqrt(kept), np.asarray(mean.estimate)
    if not own.all():
        of_judge = cluster_sums(judged, clusters, weights=weights * ~own)
        residuals = residuals + weight[..., None] * cluster_residuals(of_judge)
        estimate = estimate + weight * np.asarray(mean_of_clusters(of_judge).estimate)
    return student(estimate, np.sqrt(np.square(residuals).sum(axis=-1)), plain(mean.spread[1] * kept), n_units=n_clusters)


# --- all models of a table --------------------------------------------------------------------------------------------------

MOST_GRADES = 10
"""Different scores up to which they are grades, of which a share can agree."""


def weight_of_all(known: Labelled) -> float:
    """Weight of the judge, one for all models, by what tells their answers to one item apart."""
    if np.count_nonzero(~known.has_label) < 2:  # with nothing else to judge, the judge has nothing to add
        return 0.0
    apart = Labelled(*(each - each.mean(axis=0) for each in known[:2]))
    return float(_weight(*(each.sum() for each in _agreement(apart))))  # so that means subtract to those of differences


def labelled_means(known: Labelled, weight: float, tolerance: FloatArray) -> Means:
    """Prediction-powered means of rows.

    The guarded error allows for a judge that was right on every labelled item, or nearly so, by chance: where its grades differ
    from people's in fewer than ten clusters, one more that could have differed is added to the variance, with two degrees of
    freedom.
    """
    law = mean_by_weight(known, np.full(len(known.labels), weight), is_estimated=weight != 0)
    estimate, error, df = (np.asarray(each) for each in (law.estimate, law.se, law.df))
    kind = kind_of(np.fmax.reduce(np.abs(np.concatenate(known[:2], axis=1)), axis=1), error > tolerance, tolerance)
    own, variance = known.has_label, np.square(error)
    rows = zip(known.labels[:, own], known.judged[:, own], tolerance, strict=True)
    event = np.square(weight * np.array([_event(*row, known.codes[own]) for row in rows]))
    guarded = variance + event
    guarded_df = np.where(guarded > 0, divide(np.square(guarded), np.square(variance) / df + np.square(event) / 2.0), df)
    facts: dict[str, Any] = {"n_units": np.full(df.shape, own.size), "kind": kind, "tolerance": tolerance}
    return Means(student(estimate, error, df, **facts), guarded=student(estimate, np.sqrt(guarded), guarded_df, **facts))


def _event(labels: FloatArray, judged: FloatArray, noise: float, clusters: IntArray) -> float:
    """Change of the mean by one cluster more in which grades differ by one; 0 where enough differ, or scores are no grades."""
    grades = np.unique(np.concatenate([labels, judged]))
    n_events = int(np.unique(clusters[np.abs(labels - judged) > noise]).size)
    n_clusters = int(np.unique(clusters).size)
    if not 1 < grades.size <= MOST_GRADES or n_events >= min(FEW_EVENTS, n_clusters / 2):
        return 0.0
    return float(np.diff(grades).min()) / n_clusters
