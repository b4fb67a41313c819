"""Sign-flip test of paired differences over items, and the interval that inverts it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.procedures.draws import ByDraws, DrawnDifferences
from tiebreak.comparison.procedures.items import SAME_ITEMS
from tiebreak.errors import TiebreakError, UnsuitableDesignError
from tiebreak.frequentist.clusters import cluster_sums
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

FEW = 13
"""Items or clusters up to which all signs are tried."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FlippedDifferences(DrawnDifferences):
    """Differences whose draws are means over the flipped items.

    Flipping the signs of a set of differences, less some number, makes their sum no smaller exactly where the mean over the set
    is at most that number. So one set of draws answers for every number (Hartigan's typical values); that no sign is flipped
    counts too.
    """

    @property
    def drawn_differences(self) -> None:
        """None: the draws show what the difference would be without one."""
        return None

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Share of flips with as large a sum, of the differences less `at`."""
        return (1.0 + self.counts(at, below=True)) / (1.0 + np.asarray(self.n_defined))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Share of flips with as small a sum."""
        return (1.0 + self.counts(at, below=False)) / (1.0 + np.asarray(self.n_defined))

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Draw up to which the tail is at most `p`."""
        n = np.asarray(self.n_defined)
        place = np.floor(np.asarray(p, dtype=float) * (n + 1.0) * (1 + 1e-12)).astype(np.int64) - 1
        value = self.at_place(n - 1 - place if upper else place)
        return np.where(place < 0, np.inf if upper else -np.inf, np.where(place >= n, -np.inf if upper else np.inf, value))


@dataclass(frozen=True)
class Permutation(ByDraws):
    """Sign flips of the differences of single items, or of whole clusters."""

    def applies(self, data: Scores) -> TiebreakError | None:
        """Means, whose differences can be shifted."""
        items = self.items(data)
        if items.truth is None:
            return super().applies(data)
        return UnsuitableDesignError(
            f"predictions cannot be shifted by a difference of {items.metric.name}, so that {self.name} has no interval for it. "
            "The method 'jackknife-t', which 'auto' takes, has one, and the paired permutation test of no difference beside it."
        )

    def of_models(self, data: Scores, settings: Settings) -> FloatArray:
        """Mean over flipped items of each model."""
        return _flipped(self.items(data), self.n_draws(data, settings), settings.seed)

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> FlippedDifferences:
        """Means of differences over flipped items."""
        draws = self.of_models(data, settings)
        columns = self.sorted_draws(data, draws, data.matrix().score.mean(axis=1), first, second)
        return FlippedDifferences(is_exact=self.items(data).n_clusters <= FEW, **columns)


@lru_cache(maxsize=1)
def _flipped(items: Items, n_draws: int, seed: int) -> FloatArray:
    """Means of each model over random sets of items or clusters, or over all sets; an empty one has none."""
    sums = cluster_sums(items.score[:, 0], items.clusters)
    n = sums.totals.shape[-1]
    sizes = np.broadcast_to(sums.weights, sums.totals.shape)[0]
    if n <= FEW:
        blocks = [np.array(list(product((0.0, 1.0), repeat=n))[1:])]
    else:
        rng, step = np.random.Generator(np.random.SFC64(seed)), max(1, 2_000_000 // n)
        blocks = [
            rng.integers(0, 2, (min(step, n_draws - start), n), dtype=np.int8).astype(float) for start in range(0, n_draws, step)
        ]
    means = []
    for block in blocks:
        size = block @ sizes
        means.append(np.where(size > 0, (block @ sums.totals.T).T / np.where(size > 0, size, 1.0), np.nan))
    return np.concatenate(means, axis=1)


PERMUTATION = Permutation.worded(
    name="permutation",
    is_resampling=False,
    reason="asked for by name: under no difference the signs of the {units} are chance, whatever the scores are distributed like",
    assumptions=(
        SAME_ITEMS,
        "the {units}, or their clusters, are independent of each other",
        "the differences lie symmetrically around their mean, which the interval is of",
    ),
    references=(
        "R. Fisher. The design of experiments. Oliver & Boyd, 1935.",
        "J. Hartigan. Using subsample values as typical values. JASA 64, 1969.",
        "B. Phipson, G. Smyth. Permutation p-values should never be zero. Stat. Appl. Genet. Mol. Biol. 9, 2010.",
    ),
)
