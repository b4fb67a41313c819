"""Who beat whom, in units that are drawn as a whole: what ratings and their bootstrap are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class PairOutcomes:
    """Who beat whom, in units that are drawn as a whole: a dataset, a cluster of battles, a battle.

    Attributes
    ----------
    n_models : int
    first, second : ndarray of shape (n_pairs,)
        Pairs of models that met.
    wins, losses, ties : ndarray or sparse array of shape (n_pairs, n_units)
        Of the first model.
    multiplicity : ndarray of shape (n_units,)
        How many units are just like this one.
    is_ordered : bool
        True where the first model of a pair is the one that stood first, so that a pair may stand there in both orders.
    """

    n_models: int
    first: IntArray
    second: IntArray
    wins: Any
    losses: Any
    ties: Any
    multiplicity: IntArray
    is_ordered: bool = False

    @property
    def n_units(self) -> int:
        """Number of datasets, clusters or battles."""
        return int(self.multiplicity.sum())

    @property
    def once(self) -> FloatArray:
        """Weights by which every unit counts as it is, shape (n_units, 1)."""
        return self.multiplicity[:, None].astype(float)

    def tables(self, weights: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Wins and ties of shape (n_weights, n_models, n_models), for weights of shape (n_units, n_weights)."""
        weights = self.once if weights is None else weights
        n = weights.shape[1]
        won, tied = np.zeros((2, n, self.n_models, self.n_models))
        wins, losses, ties = self.sums(weights)
        for table, forward, backward in ((won, wins, losses), (tied, ties, ties)):
            table[:, self.first, self.second] += forward
            table[:, self.second, self.first] += backward
        return won, tied

    def sums(self, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Wins, losses and ties of shape (n_weights, n_pairs), for weights of shape (n_units, n_weights).

        Whole and half numbers in single precision are exact up to 2^23.
        """
        wins, losses, ties = (
            np.asarray(table @ weights.astype(table.dtype), dtype=float).T for table in (self.wins, self.losses, self.ties)
        )
        return wins, losses, ties

    def resamples(self, n_resamples: int, rng: int, width: int) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
        """Sums of bootstrap resamples of the units, in blocks; `width` is how many numbers one of them takes to work on."""
        generator, block = np.random.default_rng(rng), max(1, _BLOCK // max(width, self.multiplicity.size))
        share = self.multiplicity / self.multiplicity.sum()
        for start in range(0, n_resamples, block):
            counts = generator.multinomial(self.n_units, share, size=min(block, n_resamples - start))
            yield self.sums(counts.T.astype(float))


def outcomes_of_scores(scores: ArrayLike, *, tie_margin: float = 0.0) -> PairOutcomes:
    """Every pair of models on every dataset: the higher score wins.

    Parameters
    ----------
    scores : array_like of shape (n_models, n_datasets)
        Higher is better; nan where a model has no score on a dataset, on which it then meets nobody.
    tie_margin : float
        Scores that differ by no more than this, in the metric's unit, tie.
    """
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or np.isinf(table).any():
        raise InvalidScoresError(f"scores are a table of finite numbers, models by datasets; got the shape {table.shape}.")
    if not tie_margin >= 0:
        raise InvalidParameterError(f"tie_margin must be at least 0; got {tie_margin!r}.", about="tie_margin")
    first, second = np.triu_indices(table.shape[0], 1)
    margin = tie_margin + 1e-12 * float(np.nanmax(np.abs(table), initial=0.0))
    wins, losses, ties = np.empty((3, first.size, table.shape[1]), dtype=np.float32)
    for i in range(table.shape[0] - 1):
        rows = slice(*np.searchsorted(first, (i, i + 1)))
        d = table[i] - table[i + 1 :]
        wins[rows], losses[rows], ties[rows] = d > margin, d < -margin, np.abs(d) <= margin
    return PairOutcomes(table.shape[0], first, second, wins, losses, ties, np.ones(table.shape[1], dtype=np.int64))


def outcomes_of_battles(
    model_a: IntArray,
    model_b: IntArray,
    outcome: IntArray,
    *,
    n_models: int,
    unit: IntArray | None = None,
    weight: FloatArray | None = None,
    is_ordered: bool = False,
) -> PairOutcomes:
    """Battles, each by itself or in clusters.

    Parameters
    ----------
    model_a, model_b : ndarray of int, shape (n_battles,)
        Numbers of the models.
    outcome : ndarray of int, shape (n_battles,)
        1 where the first won, -1 where the second did, 0 for a tie.
    n_models : int
    unit : ndarray of int, shape (n_battles,), optional
        Cluster of each battle, from 0 on; battles of one cluster are drawn together.
    weight : ndarray of shape (n_battles,), optional
        How much each battle counts, 1 if not given; not negative.
    is_ordered : bool, default False
        Keep the order in which the two stood before the judge, for ratings that take a bias for the first out.
    """
    from scipy.sparse import csr_array

    low, high = (model_a, model_b) if is_ordered else (np.minimum(model_a, model_b), np.maximum(model_a, model_b))
    if np.any(low == high):
        raise InvalidScoresError(f"{int(np.sum(low == high))} battle(s) of a model with itself; leave them out.")
    weights = np.ones(low.size) if weight is None else np.asarray(weight, dtype=float)
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise InvalidScoresError("the weights of battles must be finite and not negative.")
    sign = outcome if is_ordered else np.where(model_a <= model_b, outcome, -outcome)
    pairs, pair = np.unique(low * n_models + high, return_inverse=True)
    if unit is None:  # battles with the same models and outcome are alike
        sizes, size = np.unique(weights, return_inverse=True)
        cells, counts = np.unique((pair * 3 + sign + 1) * sizes.size + size, return_counts=True)
        weights, unit = sizes[cells % sizes.size], np.arange(cells.size)
        pair, sign = cells // sizes.size // 3, cells // sizes.size % 3 - 1
    else:
        counts = np.ones(int(unit.max()) + 1, dtype=np.int64)
    wins, losses, ties = (
        csr_array((weights[here], (pair[here], unit[here])), shape=(pairs.size, counts.size))
        for here in (sign == 1, sign == -1, sign == 0)
    )
    return PairOutcomes(n_models, pairs // n_models, pairs % n_models, wins, losses, ties, counts, is_ordered)


_BLOCK = 300_000
"""Numbers of tables that are worked on at a time."""
