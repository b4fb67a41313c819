"""Bayesian signed-rank test and sign test over datasets: posteriors of the centre and of the median of the differences."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.bayesian.sign import MedianPosterior, median_posterior, sign_posterior
from tiebreak.bayesian.signed_rank import signed_rank_posterior
from tiebreak.comparison.procedures.datasets import (
    INDEPENDENT_DATASETS,
    MOST_PAIRS,
    PAIRED_DATASETS,
    OverDatasets,
    tolerance_of,
)
from tiebreak.comparison.procedures.draws import MOST_MODELS, PosteriorDraws, number_of_draws
from tiebreak.comparison.procedures.procedure import Differences, TestOnly
from tiebreak.errors import Setting, TiebreakError, TooFewModelsError
from tiebreak.frequentist.sign import sign_test
from tiebreak.frequentist.walsh import hodges_lehmann
from tiebreak.numerics import CONSTANT, SPREAD, FloatArray, IntArray
from tiebreak.numerics.law import RopeProbabilities
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class MedianDifferences(Differences):
    """Posterior of each pair's median difference."""

    has_coverage: ClassVar[bool] = False
    is_posterior: ClassVar[bool] = True
    has_density: ClassVar[bool] = False
    points: FloatArray
    weights: FloatArray

    @property
    def posterior(self) -> MedianPosterior:
        """The posterior of these pairs."""
        return MedianPosterior(self.points, self.weights, np.asarray(self.tolerance))

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Probability that the median difference is at most `at`."""
        return np.asarray(self.posterior.tail_below(at))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Probability that the median difference is at least `at`."""
        return np.asarray(self.posterior.tail_above(at))

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends of credible intervals."""
        return np.asarray(self.posterior.quantile(p, upper=upper))


@dataclass(frozen=True, kw_only=True, eq=False)
class CentreDifferences(PosteriorDraws):
    """Draws of each pair's centre, which is a mean of two of the differences."""

    has_density: ClassVar[bool] = False


@dataclass(frozen=True)
class DirichletProcess(OverDatasets):
    """Procedure whose prior is a pseudo-dataset without a difference, of the weight `prior_strength`."""

    def _kinds(self, difference: FloatArray, tolerance: FloatArray, settings: Settings) -> NDArray[np.int8]:
        """Kinds of the pairs, CONSTANT only where no prior lies beside differences that are all the same."""
        kind = self.kinds(difference, tolerance)
        if self.options_of(settings)["prior_strength"] > 0:
            return np.where(kind == CONSTANT, SPREAD, kind).astype(np.int8)
        spread = np.fmax.reduce(difference, axis=-1) - np.fmin.reduce(difference, axis=-1)
        return np.where((kind == SPREAD) & (spread <= tolerance), CONSTANT, kind).astype(np.int8)

    @abstractmethod
    def test(self, difference: FloatArray, scale: FloatArray, settings: Settings) -> RopeProbabilities:
        """Probability that each region is the most probable one for further datasets: the published test."""

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """The omnibus tests, and the test as it was published, of the first pairs of the ranking."""
        yield from super().supplementary_tests(data, settings)
        models = self.units(data).matrix().models
        one = 0 if settings.baseline is None else models.index(settings.baseline)
        others = [other for other in range(len(models)) if other != one][:MOST_PAIRS]
        rope = float(settings.rope)
        for other in others:
            difference, scale = self.differences_of(data, np.asarray(one), np.asarray(other))
            if np.isnan(difference).all():
                continue
            chances = dict(
                zip(("better", "equivalent", "worse"), map(float, self.test(difference, scale, settings)), strict=True)
            )
            by = f" by more than {rope:.3g}" if rope else ""
            inside = f" within {rope:.3g} {chances['equivalent']:.3f}," if rope else ""
            text = (
                f"the test as published, of which outcome is the most probable for {quoted([models[one]])} against "
                f"{quoted([models[other]])} on further datasets: better{by} {chances['better']:.3f},{inside} worse{by} "
                f"{chances['worse']:.3f}"
            )
            yield TestOnly(name=self.name, models=(models[one], models[other]), probabilities=chances, text=text)


@dataclass(frozen=True)
class BayesSign(DirichletProcess):
    """The median difference; nothing is drawn."""

    options: Mapping[str, Any] = field(default_factory=lambda: {"prior_strength": 1.0}, hash=False)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> MedianDifferences:
        """The posterior of each pair's median difference."""
        difference, scale = self.differences_of(data, first, second)
        posterior = median_posterior(difference, scale=scale, omit_missing=True, **self.options_of(settings))
        tolerance = tolerance_of(scale)
        return MedianDifferences(
            estimate=np.asarray(sign_test(difference, scale=scale).estimate),
            n_units=np.count_nonzero(~np.isnan(difference), axis=-1),
            kind=self._kinds(difference, tolerance, settings),
            tolerance=tolerance,
            points=posterior.points,
            weights=posterior.weights,
        )

    def test(self, difference: FloatArray, scale: FloatArray, settings: Settings) -> RopeProbabilities:
        """By quadrature."""
        rope, options = float(settings.rope), self.options_of(settings)
        return sign_posterior(difference, rope=rope, scale=scale, omit_missing=True, **options).probabilities()


ENOUGH_DATASETS = 30
"""Datasets from which the chance of a false order was measured to be small: `benchmarks/validity/one_family.py`."""


@dataclass(frozen=True)
class BayesSignedRank(DirichletProcess):
    """The centre of the differences, the median of the means of two, in draws of their distribution."""

    options: Mapping[str, Any] = field(default_factory=lambda: {"prior_strength": 0.5, "n_draws": None}, hash=False)

    def applies(self, data: Scores) -> TiebreakError | None:
        """Not too many models, as the draws of all pairs are held."""
        if len(data.models) > MOST_MODELS:
            return TooFewModelsError(
                f"{self.name} holds the draws of all pairs, for up to {MOST_MODELS} models; there are {len(data.models)}. Choose "
                "some with ",
                Setting("models"),
                ", or take the method 'bayes-sign', which draws nothing.",
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
        """Draws of each pair's centre."""
        difference, scale = self.differences_of(data, first, second)
        posterior = signed_rank_posterior(
            difference, scale=scale, omit_missing=True, prior_strength=self.options_of(settings)["prior_strength"]
        )
        drawn = np.sort(posterior.centres(self._n_draws(data, settings), settings.seed), axis=-1)
        tolerance = tolerance_of(scale)
        return CentreDifferences(
            estimate=np.asarray(hodges_lehmann(difference)),
            n_units=np.count_nonzero(~np.isnan(difference), axis=-1),
            kind=self._kinds(difference, tolerance, settings),
            tolerance=tolerance,
            drawn=drawn,
            n_defined=np.full(np.shape(first), drawn.shape[-1]),
        )

    def test(self, difference: FloatArray, scale: FloatArray, settings: Settings) -> RopeProbabilities:
        """Counted over draws, whose standard error is 0.002 at most."""
        posterior = signed_rank_posterior(
            difference,
            rope=float(settings.rope),
            scale=scale,
            omit_missing=True,
            prior_strength=self.options_of(settings)["prior_strength"],
        )
        return posterior.probabilities(rng=settings.seed)

    def _n_draws(self, data: Scores, settings: Settings) -> int:
        return number_of_draws(self.name, self.options_of(settings)["n_draws"], len(data.models), settings.alpha)


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

BAYES_SIGN = BayesSign(
    name="bayes-sign",
    reason="asked for by name: posterior probabilities of the median difference, whatever the shape of the differences",
    assumptions=(
        PAIRED_DATASETS,
        INDEPENDENT_DATASETS,
        "the prior is worth one dataset without a difference, and differences that were not seen do not exist",
        "the interval is of the median difference",
    ),
    references=(
        "A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017.",
        "T. Ferguson. A Bayesian analysis of some nonparametric problems. The Annals of Statistics 1, 1973.",
    ),
    missing="pairwise",
)
