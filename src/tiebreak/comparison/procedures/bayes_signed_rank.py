"""Bayesian signed-rank test over datasets: the posterior of the centre of the differences, in draws of their distribution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tiebreak.comparison.procedures.datasets import (
    INDEPENDENT_DATASETS,
    MOST_PAIRS,
    PAIRED_DATASETS,
    OverDatasets,
    tolerance_of,
)
from tiebreak.comparison.procedures.procedure import LawDifferences, TestOnly
from tiebreak.comparison.verdict import TOO_FEW_DRAWS, Codes
from tiebreak.errors import Setting, TiebreakError, TooFewModelsError
from tiebreak.numerics import CONSTANT, SPREAD, Alternative, FloatArray, IntArray
from tiebreak.numerics.law import DRAWS_BEYOND
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.posterior.signed_rank import signed_rank_centre, signed_rank_posterior

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

MOST_DRAWS = 100_000

MOST_MODELS = 40
"""Models up to which the draws of all pairs are held."""

ENOUGH_DATASETS = 30
"""Datasets from which the chance of a false order was measured to be small: `benchmarks/validity/one_family.py`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CentreDifferences(LawDifferences):
    """Draws of each pair's centre, whose shares are posterior probabilities."""

    has_coverage: ClassVar[bool] = False
    is_posterior: ClassVar[bool] = True
    has_density: ClassVar[bool] = False

    def own_pvalue(self, alternative: Alternative) -> FloatArray:
        """p-value of the draws, no less than one in their number."""
        return np.asarray(self.judged.pvalue(alternative))

    def reasons(self, alpha: float) -> Codes:
        """Too few draws for so small an alpha, or the kind of the pair."""
        has_none = (self.kind == SPREAD) & np.isnan(self.interval(alpha).low)
        return np.where(has_none, TOO_FEW_DRAWS, super().reasons(alpha)).astype(np.int8)


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
        n_models = len(data.models)
        n_draws = ceil(2 * DRAWS_BEYOND * n_models * (n_models - 1) / 2 / settings.alpha)
        n_draws = min(max(9_999, n_draws), MOST_DRAWS)
        law = signed_rank_centre(difference, scale=scale, omit_missing=True, n_draws=n_draws, rng=settings.seed)
        kind = self.kinds(difference, tolerance_of(scale))
        # the prior lies beside differences that are the same
        return CentreDifferences.of(replace(law, kind=np.where(kind == CONSTANT, SPREAD, kind).astype(np.int8)))

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
            posterior = signed_rank_posterior(difference, rope=rope, scale=scale, omit_missing=True, rng=settings.seed)
            better, equivalent, worse = map(float, posterior.probabilities)
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
