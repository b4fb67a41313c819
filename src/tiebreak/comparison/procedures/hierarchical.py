"""Hierarchical Bayesian test over datasets, which reads the scores of all splits and shrinks datasets towards each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.comparison.procedures.datasets import (
    INDEPENDENT_DATASETS,
    MOST_PAIRS,
    PAIRED_DATASETS,
    OverDatasets,
    tolerance_of,
)
from tiebreak.comparison.procedures.procedure import Differences, Shrunken, TestOnly
from tiebreak.errors import MissingSizesError, Setting, TiebreakError, TooFewSplitsError
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, UNDEFINED, FloatArray, IntArray
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.posterior.hierarchical import HierarchicalPosterior, ShrunkenMeans, hierarchical_posterior

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class HierarchicalDifferences(Differences):
    """Posterior of each pair's mean difference over datasets; `posteriors` are None where a pair has none."""

    has_coverage: ClassVar[bool] = False
    is_posterior: ClassVar[bool] = True
    posteriors: NDArray[np.object_]
    datasets: NDArray[np.object_]
    """Names of the datasets of each posterior, as a tuple."""

    @property
    def posterior(self) -> HierarchicalPosterior | None:
        """The posterior of a single pair: also of the next dataset's difference, and of each dataset's own."""
        posterior: HierarchicalPosterior | None = self.posteriors.item()
        return posterior

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Probability that the mean difference is at most `at`."""
        return _each(lambda posterior, x: float(posterior.law.tail(x)), self.posteriors, at)

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Probability that the mean difference is at least `at`."""
        return _each(lambda posterior, x: float(posterior.law.tail(x, upper=True)), self.posteriors, at)

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends of credible intervals."""
        return _each(lambda posterior, x: float(posterior.law.end(x, upper=upper)), self.posteriors, p)


def _each(of: Callable[[HierarchicalPosterior, float], float], posteriors: NDArray[np.object_], at: ArrayLike) -> FloatArray:
    """A number of each posterior; nan where there is none."""
    rows, points = np.broadcast_arrays(posteriors, np.asarray(at, dtype=float))
    values = [np.nan if each is None else of(each, x) for each, x in zip(rows.ravel(), points.ravel().tolist(), strict=True)]
    return np.array(values).reshape(rows.shape)


@dataclass(frozen=True)
class Hierarchical(OverDatasets):
    """Posterior over datasets from the scores of all splits."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Two splits or more of every dataset, of known sizes."""
        refusal = super().applies(data)
        if refusal is not None:
            return refusal
        few = [matrix.dataset for matrix in data.matrices if matrix.n_splits < 2]
        if few:
            have = "has" if len(few) == 1 else "have"
            return TooFewSplitsError(
                f"the hierarchical method reads how scores vary from split to split, and {quoted(few)} {have} one split only. "
                "Use the method 'wilcoxon', which takes one score for each dataset."
            )
        if not all(matrix.has_ratio for matrix in data.matrices):
            return MissingSizesError(
                "the hierarchical method allows for training data that splits share, so it needs their sizes. Pass ",
                Setting("n_train"),
                " and ",
                Setting("n_test"),
                " (examples per split), or add columns of these names.",
            )
        return None

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> HierarchicalDifferences:
        """The posterior of each pair."""
        rope = float(settings.rope)
        posteriors, datasets = (np.empty(np.shape(first), dtype=object) for _ in range(2))
        n_units = np.zeros(np.shape(first), dtype=np.int64)
        for at in np.ndindex(np.shape(first)):
            datasets[at], rows, ratios = _differences(data, int(first[at]), int(second[at]))
            n_units[at] = len(rows)
            varies = any(np.ptp(row) > 0 for row in rows)
            posteriors[at] = (
                hierarchical_posterior(rows, test_train_ratio=ratios, rope=rope) if len(rows) > 1 and varies else None
            )
        difference, scale = self.differences_of(data, first, second)
        tolerance = tolerance_of(scale)
        # without spread on any dataset there is no posterior: only the dataset means say whether the scores are the same
        flat = np.where(self.kinds(difference, tolerance) == IDENTICAL, IDENTICAL, CONSTANT)
        exists = np.array([posterior is not None for posterior in posteriors.ravel()]).reshape(posteriors.shape)
        kind = np.where(exists, SPREAD, np.where(n_units > 1, flat, UNDEFINED)).astype(np.int8)
        means = np.array([np.nan if each is None else each.law.estimate for each in posteriors.ravel()]).reshape(posteriors.shape)
        return HierarchicalDifferences(
            estimate=np.where(kind == IDENTICAL, 0.0, means),
            n_units=n_units,
            kind=kind,
            tolerance=tolerance,
            posteriors=posteriors,
            datasets=datasets,
        )

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """The omnibus tests, and what a further dataset's difference is likely to be, of the first pairs of the ranking."""
        yield from super().supplementary_tests(data, settings)
        models = self.units(data).matrix().models
        first = np.zeros(len(models) - 1, dtype=np.intp)
        second = np.arange(1, len(models))
        if settings.baseline is not None:
            baseline = models.index(settings.baseline)
            second = np.delete(np.arange(len(models)), baseline)
            first = np.full(second.size, baseline)
        first, second = first[:MOST_PAIRS], second[:MOST_PAIRS]
        judged = self.judge(data, first, second, settings)
        for i, j, posterior in zip(first.tolist(), second.tolist(), judged.posteriors.tolist(), strict=True):
            if posterior is not None:
                yield _next_dataset((models[i], models[j]), posterior, settings)

    def shrunken(self, differences: Differences) -> Iterator[Shrunken] | None:
        """Each dataset's own difference, shrunken towards those of the others, of every pair that has a posterior."""
        return _shrunken(differences) if isinstance(differences, HierarchicalDifferences) else None


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


def _shrunken(differences: HierarchicalDifferences) -> Iterator[Shrunken]:
    pairs = zip(differences.posteriors.ravel().tolist(), differences.datasets.ravel().tolist(), strict=True)
    for pair, (posterior, datasets) in enumerate(pairs):
        if posterior is not None:
            means: ShrunkenMeans = posterior.datasets()
            yield Shrunken(pair, datasets, means.raw, means.mean, means.sd)


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


HIERARCHICAL = Hierarchical(
    name="hierarchical",
    reason="asked for by name: it reads all scores of all datasets, and answers with few datasets too",
    assumptions=(
        PAIRED_DATASETS,
        INDEPENDENT_DATASETS,
        "differences of datasets follow a Student distribution, whose centre the interval is of",
        "splits of a dataset overlap as random ones do",
    ),
    references=(
        "G. Corani et al. Statistical comparison of classifiers through Bayesian hierarchical modelling. Mach. Learn. 106, 2017.",
    ),
    missing="pairwise",
)
