"""Bayesian signed-rank test over datasets: the posterior of the centre of the differences, in draws of their distribution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.bayesian.signed_rank import signed_rank_posterior
from tiebreak.comparison.procedures.datasets import (
    INDEPENDENT_DATASETS,
    MOST_PAIRS,
    PAIRED_DATASETS,
    OverDatasets,
    tolerance_of,
)
from tiebreak.comparison.procedures.procedure import Differences, TestOnly
from tiebreak.comparison.verdict import TOO_FEW_DRAWS, Codes
from tiebreak.errors import Setting, TiebreakError, TooFewModelsError
from tiebreak.numerics import CONSTANT, SPREAD, Alternative, FloatArray, IntArray
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.ranks import hodges_lehmann

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

DRAWS_PER_TAIL = 20
"""Draws that an interval needs: this over its level."""

MOST_DRAWS = 100_000

MOST_MODELS = 40
"""Models up to which the draws of all pairs are held."""

ENOUGH_DATASETS = 30
"""Datasets from which the chance of a false order was measured to be small: `benchmarks/validity/one_family.py`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CentreDifferences(Differences):
    """Draws of each pair's centre in ascending order, of shape (..., n_draws); their shares are posterior probabilities."""

    has_coverage: ClassVar[bool] = False
    is_posterior: ClassVar[bool] = True
    has_density: ClassVar[bool] = False
    drawn: FloatArray

    @property
    def statistic(self) -> None:
        """None: there is no test."""
        return None

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Posterior probability of a centre of at most `at`; draws equal to it but for rounding count."""
        return self._share(at, below=True)

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Posterior probability of a centre of at least `at`."""
        return self._share(at, below=False)

    def _share(self, at: ArrayLike, *, below: bool) -> FloatArray:
        at, n_draws = np.asarray(at, dtype=float), self.drawn.shape[-1]
        points = np.broadcast_to(at, np.broadcast_shapes(at.shape, self.estimate.shape))
        slack = np.broadcast_to(self.tolerance, self.estimate.shape)
        found = np.zeros(points.shape)
        for pair in np.ndindex(self.estimate.shape):
            own, where = self.drawn[pair], (..., *pair)
            if below:
                found[where] = own.searchsorted(points[where] + slack[pair], "right") / n_draws
            else:
                found[where] = 1.0 - own.searchsorted(points[where] - slack[pair], "left") / n_draws
        return found

    def own_pvalue(self, alternative: Alternative) -> FloatArray:
        """The tail at 0, or the smaller one twice; of draws that are all on one side no less than one in their number."""
        below, above = self.tail_below(0.0), self.tail_above(0.0)
        found = {"greater": below, "less": above}.get(alternative, 2.0 * np.minimum(below, above))
        return np.asarray(np.clip(found, 1.0 / self.drawn.shape[-1], 1.0))

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Quantiles of the draws, between two of them where the place is none."""
        p, last = np.asarray(p, dtype=float), self.drawn.shape[-1] - 1
        place = (1.0 - p if upper else p) * last
        low = np.floor(place).astype(np.int64)
        pairs = np.indices(self.estimate.shape, sparse=True)
        one, two = (self.drawn[(*pairs, np.clip(each, 0, last))] for each in (low, low + 1))
        return np.asarray(one + (place - low) * (two - one))

    def bound(self, p: ArrayLike, *, upper: bool) -> FloatArray:
        """One-sided bound; nan where there are too few draws for it."""
        return np.where(self._has_too_few(2.0 * np.asarray(p, dtype=float)), np.nan, super().bound(p, upper=upper))

    def reasons(self, alpha: float) -> Codes:
        """Too few draws for so small an alpha, or the kind of the pair."""
        has_too_few = (self.kind == SPREAD) & self._has_too_few(np.asarray(alpha))
        return np.where(has_too_few, TOO_FEW_DRAWS, super().reasons(alpha)).astype(np.int8)

    def _has_too_few(self, alpha: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(self.drawn.shape[-1] * alpha < DRAWS_PER_TAIL * (1 - 1e-9))


@dataclass(frozen=True)
class BayesSignedRank(OverDatasets):
    """The centre of the differences, the median of the means of two; the prior is half a dataset without a difference."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Not too many models, as the draws of all pairs are held."""
        if len(data.models) > MOST_MODELS:
            return TooFewModelsError(
                f"{self.name} holds the draws of all pairs, for up to {MOST_MODELS} models; there are {len(data.models)}. Choose "
                "some with ",
                Setting("models"),
                ", or leave ",
                Setting("method"),
                " out: pairs of any number of models are tested by ranks.",
            )
        return super().applies(data)

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Few datasets for an order of several models."""
        yield from super().checks(data, settings)
        n = len(data.matrices)
        if len(data.models) > 2 and n < ENOUGH_DATASETS:
            yield Notice(
                "credible-pairs",
                f"intervals are credible pair by pair, and {n} datasets are few: in trials with 10, some model was wrongly shown "
                "above another in 10% of tables of 3 equal models and in 16% of 5, with 30 datasets in 4% of 3",
            )

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> CentreDifferences:
        """Draws of each pair's centre, enough for the intervals of all pairs at once: 9,999 to 100,000."""
        difference, scale = self.differences_of(data, first, second)
        posterior = signed_rank_posterior(difference, scale=scale, omit_missing=True)
        n_models = len(data.models)
        wanted = ceil(DRAWS_PER_TAIL * n_models * (n_models - 1) / 2 / settings.alpha)
        drawn = np.sort(posterior.centres(min(max(9_999, wanted), MOST_DRAWS), settings.seed), axis=-1)
        tolerance = tolerance_of(scale)
        kind = self.kinds(difference, tolerance)
        return CentreDifferences(
            estimate=np.asarray(hodges_lehmann(difference)),
            n_units=np.count_nonzero(~np.isnan(difference), axis=-1),
            kind=np.where(kind == CONSTANT, SPREAD, kind).astype(np.int8),  # the prior lies beside differences that are the same
            tolerance=tolerance,
            drawn=drawn,
        )

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """The omnibus tests, and the test as it was published, of the first pairs of the ranking.

        Its probabilities are those that a region is the most probable one for further datasets, counted over draws: the standard
        error is 0.002 at most.
        """
        yield from super().supplementary_tests(data, settings)
        models = self.units(data).matrix().models
        one = 0 if settings.baseline is None else models.index(settings.baseline)
        others = [other for other in range(len(models)) if other != one][:MOST_PAIRS]
        rope = float(settings.rope)
        for other in others:
            difference, scale = self.differences_of(data, np.asarray(one), np.asarray(other))
            if np.isnan(difference).all():
                continue
            posterior = signed_rank_posterior(difference, rope=rope, scale=scale, omit_missing=True)
            better, equivalent, worse = map(float, posterior.probabilities(rng=settings.seed))
            by = f" by more than {rope:.3g}" if rope else ""
            inside = f" within {rope:.3g} {equivalent:.3f}," if rope else ""
            text = (
                f"the test as published, of which outcome is the most probable for {quoted([models[one]])} against "
                f"{quoted([models[other]])} on further datasets: better{by} {better:.3f},{inside} worse{by} {worse:.3f}"
            )
            chances = {"better": better, "equivalent": equivalent, "worse": worse}
            yield TestOnly(name=self.name, models=(models[one], models[other]), probabilities=chances, text=text)


BAYES_SIGNED_RANK = BayesSignedRank(
    name="bayes-signed-rank",
    reason="asked for by name: posterior probabilities of the regions around the rope, from the mean of each dataset alone",
    assumptions=(
        PAIRED_DATASETS,
        INDEPENDENT_DATASETS,
        "the prior is worth half a dataset without a difference",
        "differences that were not seen do not exist: with few datasets it is too sure",
        "the interval is of the centre of the differences, the median of the means of two datasets",
    ),
    references=(
        "A. Benavoli et al. A Bayesian Wilcoxon signed-rank test based on the Dirichlet process. ICML 2014.",
        "A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017.",
    ),
    missing="pairwise",
)
