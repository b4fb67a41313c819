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
        for start in range(0, n_resamples, block):
            yield self.sums(_drawn(generator, self.multiplicity, min(block, n_resamples - start)).T.astype(float))

    def resampled_tables(self, n_resamples: int, rng: int) -> Iterator[FloatArray]:
        """Wins, losses and ties of the row's model as the first of its pair, of shape (3, n_models, n_models); of each resample.

        Those of `resamples`, drawn alike.
        """
        generator, size, place = np.random.default_rng(rng), self.n_models, self.first * self.n_models + self.second
        if isinstance(self.wins, np.ndarray):
            for sums in self.resamples(n_resamples, rng, size**2):
                for drawn in zip(*sums, strict=True):
                    table = np.zeros((3, size**2))
                    table[:, place] = drawn
                    yield table.reshape(3, size, size)
            return
        kinds = [table.tocoo() for table in (self.wins, self.losses, self.ties)]
        cell = np.concatenate([kind * size**2 + place[table.row] for kind, table in enumerate(kinds)])
        unit, weight = (np.concatenate([getattr(table, name) for table in kinds]) for name in ("col", "data"))
        block = max(1, _BLOCK // self.multiplicity.size)
        for start in range(0, n_resamples, block):
            for counts in _drawn(generator, self.multiplicity, min(block, n_resamples - start)):
                drawn_cells: FloatArray = np.bincount(cell, weight * counts.take(unit), minlength=3 * size**2).astype(
                    float, copy=False
                )
                yield drawn_cells.reshape(3, size, size)


def _drawn(generator: np.random.Generator, multiplicity: IntArray, n_resamples: int) -> IntArray:
    """Numbers of times that each unit is drawn in resamples of all, of shape (n_resamples, n_units).

    Of many units, first how many lie in each stretch of 256 is drawn, then a byte for each says which: the same law, and faster.
    """
    n_units = int(multiplicity.sum())
    if n_units < _MANY_UNITS or multiplicity.size < n_units / 8:
        return generator.multinomial(n_units, multiplicity / n_units, size=n_resamples)
    n_stretches, rest = divmod(n_units, 256)
    share, starts = np.append(np.full(n_stretches, 256), rest) / n_units, np.arange(0, 256 * n_stretches, 256)
    unit, counts = (
        np.repeat(np.arange(multiplicity.size), multiplicity),
        np.empty((n_resamples, multiplicity.size), dtype=np.int64),
    )
    place = np.empty(n_units, dtype=np.int64)
    for row in counts:
        lying = generator.multinomial(n_units, share)
        n_whole = n_units - int(lying[-1])
        place[:n_whole] = np.repeat(starts, lying[:-1])
        place[:n_whole] += generator.integers(0, 256, size=n_whole, dtype=np.uint8)
        place[n_whole:] = 256 * n_stretches + generator.integers(0, max(rest, 1), size=lying[-1])
        row[:] = np.bincount(unit.take(place), minlength=row.size)
    return counts


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

_MANY_UNITS = 20_000
"""Units from which on single draws are faster than counts from the multinomial distribution."""
