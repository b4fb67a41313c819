"""Bayesian bootstrap over items: posterior probabilities of differences of means, and who is best, from joint draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.bayesian.bayes_bootstrap import bayesian_bootstrap
from tiebreak.comparison.procedures.draws import ByDraws, DrawnDifferences
from tiebreak.comparison.procedures.items import INDEPENDENT_ITEMS, SAME_ITEMS
from tiebreak.numerics import Alternative, FloatArray, IntArray
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class BayesianDifferences(DrawnDifferences):
    """Posterior draws of differences; `models` are those of all models' means, higher is better, of shape (n_models, n_draws)."""

    is_posterior: ClassVar[bool] = True
    standard_error: FloatArray
    models: FloatArray

    def take(self, rows: IntArray | slice) -> Self:
        """The same of some of the pairs, with the draws of all models."""
        return replace(super().take(rows), models=self.models)

    @property
    def statistic(self) -> None:
        """None: there is no test."""
        return None

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Posterior probability of a difference of at most `at`."""
        return self.counts(at, below=True) / np.asarray(self.n_defined)

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Posterior probability of a difference of at least `at`."""
        return self.counts(at, below=False) / np.asarray(self.n_defined)

    def pvalue(self, alternative: Alternative) -> FloatArray:
        """The tail at 0, or the smaller one twice; of draws that are all on one side no less than one in their number."""
        below, above = self.tail_below(0.0), self.tail_above(0.0)
        found = {"greater": below, "less": above}.get(alternative, 2.0 * np.minimum(below, above))
        return np.asarray(np.clip(found, 1.0 / np.asarray(self.n_defined), 1.0))

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Quantiles of the draws, between two of them where the place is none."""
        p = np.asarray(p, dtype=float)
        place = (1.0 - p if upper else p) * (self.drawn.shape[-1] - 1)
        low = np.floor(place).astype(np.int64)
        one, two = self.at_place(low), self.at_place(low + 1)
        return np.asarray(one + (place - low) * (two - one))

    def draws(self, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """The joint draws that the differences are of."""
        yield self.models.T


@dataclass(frozen=True)
class BayesBootstrap(ByDraws):
    """Random shares for the items, or for whole clusters, the same for all models."""

    def of_models(self, data: Scores, settings: Settings) -> FloatArray:
        """Posterior draws of the mean of each model."""
        return _drawn(self.items(data), self.n_draws(data, settings), self.seed(settings))

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> BayesianDifferences:
        """Posterior of the difference of each pair."""
        draws = self.of_models(data, settings)
        columns = self.sorted_draws(data, draws, data.matrix().score.mean(axis=1), first, second)
        return BayesianDifferences(standard_error=columns["drawn"].std(axis=-1), models=data.metric.sign * draws, **columns)


@lru_cache(maxsize=1)
def _drawn(items: Items, n_draws: int, seed: int) -> FloatArray:
    return np.asarray(bayesian_bootstrap(items.score[:, 0], items.clusters, n_draws=n_draws, rng=seed).draws)


BAYES_BOOTSTRAP = BayesBootstrap(
    name="bayes-bootstrap",
    reason="asked for by name: posterior probabilities of the regions around the rope, without a distribution of the scores",
    assumptions=(
        SAME_ITEMS,
        INDEPENDENT_ITEMS,
        "values that were not seen do not exist: with few items, or without a single failure, it is too sure",
    ),
    references=("D. Rubin. The Bayesian bootstrap. The Annals of Statistics 9, 1981.",),
)
