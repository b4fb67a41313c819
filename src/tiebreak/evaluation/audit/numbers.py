"""X as standardised numbers, for what asks for distances or trees."""

from __future__ import annotations

import numpy as np

from tiebreak.evaluation.audit.material import Material
from tiebreak.numerics import FloatArray, IntArray

MOST_COLUMNS = 200
MOST_CATEGORIES = 20


def standardised(material: Material, *, max_cells: int, rows: IntArray | None = None) -> FloatArray:
    """Columns of mean 0 and variance 1, categories as indicators, what is missing at the mean; constant columns left out.

    Parameters
    ----------
    material : Material
    max_cells : int
        With more, columns are left out, chosen at random.
    rows : ndarray, optional
        Only these.
    """
    n_rows = material.n_samples if rows is None else rows.size
    parts, n_columns = [], 0
    most = max(1, min(MOST_COLUMNS, max_cells // max(n_rows, 1)))
    for place in chosen_columns(material, most):
        column = material.columns[place]
        values = column.values if rows is None else column.values[rows]
        own = _indicators(values) if column.is_category else values[:, None]
        mean, spread = _moments(own)
        kept = spread > 0
        if kept.any() and n_columns < most:
            own = np.where(np.isfinite(own), own - mean, 0.0)[:, kept] / spread[kept]
            parts.append(own)
            n_columns += own.shape[1]
    return np.concatenate(parts, axis=1) if parts else np.empty((n_rows, 0))


def chosen_columns(material: Material, most: int) -> IntArray:
    """Places of the columns, or of some of them."""
    places = np.arange(len(material.columns))
    return places if places.size <= most else np.sort(material.rng().choice(places, most, replace=False))


def _indicators(codes: FloatArray) -> FloatArray:
    """The most frequent categories, a column each."""
    labels, times = np.unique(codes, return_counts=True)
    return np.asarray(codes[:, None] == labels[np.argsort(-times)][:MOST_CATEGORIES], dtype=float)


def _moments(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of what is there."""
    there = np.isfinite(values)
    n = np.maximum(there.sum(axis=0), 1)
    mean = np.where(there, values, 0.0).sum(axis=0) / n
    spread = np.sqrt((np.where(there, values - mean, 0.0) ** 2).sum(axis=0) / n)
    return mean, np.where(spread > 1e-12 * np.maximum(np.abs(mean), 1e-300), spread, 0.0)
