"""Hierarchical Bayesian test over datasets, which reads the scores of all splits and shrinks datasets towards each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.procedures.datasets import (
    FURTHER_DATASET,
    INDEPENDENT_DATASETS,
    MOST_PAIRS,
    PAIRED_ON_DATASETS,
    differences_of,
    kinds_of,
    omnibus,
    refuse_datasets,
    remarks_on_datasets,
    values_of_datasets,
)
from tiebreak.comparison.procedures.procedure import Judged, Procedure, TestOnly, tolerance_of
from tiebreak.errors import DataError, Setting, TiebreakError, UnclearSourceError
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, UNDEFINED, FloatArray, IntArray
from tiebreak.numerics.law import Law, Shape
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.posterior.hierarchical import HierarchicalPosterior, hierarchical_posterior

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


class Shrunken(NamedTuple):
    """Differences of one pair on each dataset, as they were measured and as the other datasets let them be estimated.

    Attributes
    ----------
    pair : int
        Position among the pairs that were judged.
    datasets : tuple of str
    raw : ndarray of shape (n_datasets,)
        Mean difference over the dataset's splits; positive favours the first model.
    mean, sd : ndarray of shape (n_datasets,)
        Of the posterior of the dataset's own difference.
    """

    pair: int
    datasets: tuple[str, ...]
    raw: FloatArray
    mean: FloatArray
    sd: FloatArray


def _refuse(data: Scores) -> TiebreakError | None:
    """A dataset with one split, or of unknown sizes."""
    refusal = refuse_datasets("hierarchical", data)
    if refusal is not None:
        return refusal
    few = [matrix.dataset for matrix in data.matrices if matrix.n_splits < 2]
    if few:
        have = "has" if len(few) == 1 else "have"
        return DataError(
            f"the hierarchical method reads how scores vary from split to split, and {quoted(few)} {have} one split only. "
            "Use the method 'wilcoxon', which takes one score for each dataset."
        )
    if not all(matrix.has_ratio for matrix in data.matrices):
        return UnclearSourceError(
            "the hierarchical method allows for training data that splits share, so it needs their sizes. Pass ",
            Setting("n_train"),
            " and ",
            Setting("n_test"),
            " (examples per split), or add columns of these names.",
        )
    return None


def _judge(data: Scores, first: IntArray, second: IntArray, rope: float) -> Judged:
    """The posterior of each pair."""
    shape = np.shape(first)
    posteriors, datasets = (np.empty(shape, dtype=object) for _ in range(2))
    n_units, means = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
    for at in np.ndindex(shape):
        datasets[at], rows, ratios = _differences(data, int(first[at]), int(second[at]))
        n_units[at] = len(rows)
        if len(rows) > 1 and any(np.ptp(row) > 0 for row in rows):
            posterior = hierarchical_posterior(rows, test_train_ratio=ratios, rope=rope)
            posteriors[at], means[at] = posterior, posterior.law.estimate
    difference, scale = differences_of(data, first, second)
    tolerance = tolerance_of(scale)
    # without spread on any dataset there is no posterior: only the dataset means say whether the scores are the same
    flat = np.where(kinds_of(difference, tolerance) == IDENTICAL, IDENTICAL, CONSTANT)
    kind = np.where(~np.isnan(means), SPREAD, np.where(n_units > 1, flat, UNDEFINED)).astype(np.int8)
    law = Law(
        estimate=np.where(kind == IDENTICAL, 0.0, means),
        n_units=n_units,
        kind=kind,
        tolerance=tolerance,
        shape=Shape(_tail, _end),
        parts=(posteriors,),
        is_posterior=True,
    )
    return Judged(law=law, credible="curve", beside={"posteriors": posteriors, "datasets": datasets})


def _tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Probability that the mean difference is at least, or at most, `at`."""
    return _each(lambda posterior, x: float(posterior.law.tail(x, upper=upper)), law.parts[0], at)


def _end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    """Ends of credible intervals."""
    return _each(lambda posterior, x: float(posterior.law.end(x, upper=upper)), law.parts[0], p)


def _each(of: Callable[[HierarchicalPosterior, float], float], posteriors: NDArray[np.object_], at: FloatArray) -> FloatArray:
    """A number of each posterior; nan where there is none."""
    rows, points = np.broadcast_arrays(posteriors, at)
    values = [np.nan if each is None else of(each, x) for each, x in zip(rows.ravel(), points.ravel().tolist(), strict=True)]
    return np.array(values).reshape(rows.shape)


def _differences(data: Scores, first: int, second: int) -> tuple[tuple[str, ...], list[FloatArray], list[float]]:
    """Differences on the splits that two models share, of each dataset where these are two or more; and their size ratios."""
    names, rows, ratios = [], [], []
    for matrix in data.matrices:
        difference = data.metric_of(matrix).sign * (matrix.score[first] - matrix.score[second])
        shared = ~np.isnan(difference)
        if np.count_nonzero(shared) >= 2:
            names.append(matrix.dataset)
            rows.append(np.asarray(difference[shared]))
            ratios.append(float(matrix.ratio[shared].mean()))
    return tuple(names), rows, ratios


def _beside(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """The omnibus tests, and what a further dataset's difference is likely to be, of the first pairs of the ranking."""
    yield from omnibus(data, settings)
    models = data.models
    one = 0 if settings.baseline is None else models.index(settings.baseline)
    second = np.delete(np.arange(len(models)), one)[:MOST_PAIRS]
    judged = _judge(data, np.full(second.size, one), second, float(settings.rope))
    for other, posterior in zip(second.tolist(), judged.beside["posteriors"].tolist(), strict=True):
        if posterior is not None:
            yield _next_dataset((models[one], models[other]), posterior, settings)


def _next_dataset(pair: tuple[str, str], posterior: HierarchicalPosterior, settings: Settings) -> TestOnly:
    """The difference of a further dataset."""
    law, rope, alpha = posterior.next_dataset(), float(settings.rope), settings.alpha
    chances = law.probabilities(rope)
    low, high = map(float, law.interval_at(alpha))
    names = (f"better by more than {rope:.3g}", f"within {rope:.3g}", f"worse by more than {rope:.3g}")
    words = names if rope else ("better", "", "worse")
    shown = [f"{word} ({float(p):.3f})" for word, p in zip(words, chances, strict=True) if word]
    text = (
        f"the next dataset: the difference of {quoted(pair)} (positive favours {quoted(pair[:1])}) lies between {low:.3g} and "
        f"{high:.3g} with probability {1.0 - alpha:.3g}; {quoted(pair[:1])} is {', '.join(shown)}"
    )
    probabilities = {name: float(p) for name, p in zip(("better", "equivalent", "worse"), chances, strict=True)}
    return TestOnly(name="next-dataset", models=pair, probabilities=probabilities, text=text)


def shrunken(judged: Judged) -> Iterator[Shrunken]:
    """Each dataset's own difference, shrunken towards those of the others, of every pair that has a posterior."""
    pairs = zip(judged.beside["posteriors"].ravel().tolist(), judged.beside["datasets"].ravel().tolist(), strict=True)
    for pair, (posterior, datasets) in enumerate(pairs):
        if posterior is not None:
            yield Shrunken(pair, datasets, *posterior.datasets())


HIERARCHICAL = Procedure(
    name="hierarchical",
    question="datasets",
    reason="it reads all scores of all datasets, and answers with few datasets too",
    generalises_to=FURTHER_DATASET,
    assumptions=(
        PAIRED_ON_DATASETS,
        INDEPENDENT_DATASETS,
        "differences of datasets follow a Student distribution, whose centre the interval is of",
        "splits of a dataset overlap as random ones do",
    ),
    references=(
        "G. Corani et al. Statistical comparison of classifiers through Bayesian hierarchical modelling. Mach. Learn. 106, 2017.",
    ),
    traits=frozenset(("pairwise",)),
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second, rope),
    values=values_of_datasets,
    refuse=_refuse,
    remarks=lambda data: remarks_on_datasets(data, has_prior="hierarchical"),
    beside=_beside,
)
