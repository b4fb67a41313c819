"""Bayesian bootstrap over items: posterior probabilities of differences of means, and who is best, from joint draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np

from tiebreak.bayesian.bayes_bootstrap import bayesian_bootstrap
from tiebreak.comparison.procedures.draws import ByDraws, PosteriorDraws
from tiebreak.comparison.procedures.items import INDEPENDENT_ITEMS, SAME_ITEMS
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class BayesianDifferences(PosteriorDraws):
    """Posterior draws of differences; `models` are those of all models' means, higher is better, of shape (n_models, n_draws)."""

    standard_error: FloatArray
    models: FloatArray

    def take(self, rows: IntArray | slice) -> Self:
        """Differences of some of the pairs, with the draws of all models."""
        return replace(super().take(rows), models=self.models)

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """The joint draws that the differences are of."""
        yield self.models.T


@dataclass(frozen=True)
class BayesBootstrap(ByDraws):
    """Random shares for the items, or for whole clusters, the same for all models."""

    def of_models(self, data: Scores, settings: Settings) -> FloatArray:
        """Posterior draws of the mean of each model."""
        return _drawn(self.items(data), self.n_draws(data, settings), settings.seed)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> BayesianDifferences:
        """Posterior of the difference of each pair."""
        draws = self.of_models(data, settings)
        columns = self.sorted_draws(data, draws, data.matrix().score.mean(axis=1), first, second)
        return BayesianDifferences(standard_error=columns["drawn"].std(axis=-1), models=data.metric.sign * draws, **columns)


@lru_cache(maxsize=1)
def _drawn(items: Items, n_draws: int, seed: int) -> FloatArray:
    return np.asarray(bayesian_bootstrap(items.score[:, 0], items.clusters, n_draws=n_draws, rng=seed).draws)


BAYES_BOOTSTRAP = BayesBootstrap.worded(
    name="bayes-bootstrap",
    reason="asked for by name: posterior probabilities of the regions around the rope, without a distribution of the scores",
    assumptions=(
        SAME_ITEMS,
        INDEPENDENT_ITEMS,
        "values that were not seen do not exist: with few {units}, or without a single failure, it is too sure",
    ),
    references=("D. Rubin. The Bayesian bootstrap. The Annals of Statistics 9, 1981.",),
)
