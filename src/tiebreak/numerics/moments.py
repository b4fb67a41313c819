"""Student's law of the mean of paired differences, which is all that the t statistics need of the scores."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.numerics.checks import BLOCK, FloatArray, IntArray, blocks, check_sizes
from tiebreak.numerics.law import SPREAD, Law, joined, kind_of, student

RELATIVE_TOLERANCE = 1e-12
"""Differences below this share of the largest score are rounding noise (design promise 5)."""

SMALLEST = 1e-300
"""Differences below this are noise as well: close to the smallest float they lose their digits."""


def rounding_tolerance(size: ArrayLike) -> FloatArray:
    """Largest difference of numbers of at most this size that is rounding noise: 1 to 2 times `RELATIVE_TOLERANCE` of the size.

    It is that of the next power of two, as rounding itself is the same for all numbers between two of them. So models with scores
    of about the same size share one, and thousands of them need no table of it.
    """
    mantissa, exponent = np.frexp(size)
    tolerance = np.ldexp(RELATIVE_TOLERANCE, exponent - (mantissa == 0.5))
    return np.asarray(np.where(mantissa == 0, SMALLEST, np.maximum(tolerance, SMALLEST)))


def noise_of(values: FloatArray, scale: ArrayLike | None) -> FloatArray:
    """Size up to which values of each row are rounding noise: a share of the scale, or of the largest finite value of the row."""
    if scale is not None:
        size = check_sizes(scale, values.shape[:-1], "scale")
    else:
        size = np.fmax.reduce(np.where(np.isinf(values), 0.0, np.abs(values)), axis=-1, initial=0.0)
    return np.asarray(RELATIVE_TOLERANCE * np.broadcast_to(size, values.shape[:-1]))


def law_of_rows(differences: FloatArray, scale: ArrayLike | None = None, *, omit_missing: bool = False) -> Law:
    """Student's law of the mean of each row of differences that are independent, by two passes.

    Parameters
    ----------
    differences : ndarray of shape (..., n_splits)
        As returned by `check_differences`. A row with an infinite value is undefined.
    scale : array_like, broadcast over the leading axes, optional
        Size of the scores that were subtracted, which sets the rounding tolerance; the largest |difference| if not given.
    omit_missing : bool
        Leave a split that is nan out of its row, instead of calling the row undefined.
    """
    missing = np.isnan(differences) & omit_missing
    n, defined = (~missing).sum(axis=-1), np.all(np.isfinite(differences) | missing, axis=-1)
    present = ~missing & defined[..., None]
    d = np.where(present, differences, 0.0)
    largest = np.abs(d).max(axis=-1, initial=0.0)
    exponent = np.clip(np.frexp(largest)[1], -1000, 1000)  # a power of two keeps the squares in the range of floats
    d = np.multiply(d, np.ldexp(1.0, -exponent)[..., None], order="C")
    mean = d.sum(axis=-1) / np.maximum(n, 1)
    d = np.where(present, d - mean[..., None], 0.0)
    sd, deviation = np.sqrt(np.square(d).sum(axis=-1) / np.maximum(n - 1, 1)), np.abs(d).max(axis=-1, initial=0.0)
    mean, sd, deviation = (np.ldexp(each, exponent) for each in (mean, sd, deviation))
    tolerance = rounding_tolerance(largest if scale is None else np.broadcast_to(np.asarray(scale, dtype=float), mean.shape))
    kind = kind_of(np.where(defined & (n >= 2), mean, np.nan), deviation > tolerance, tolerance)  # design promise 5
    mean, df = np.where(defined & (n >= 1), mean, np.nan), np.maximum(n - 1, 0)
    return student(mean, sd / np.sqrt(np.maximum(n, 1)), df, n_units=n, kind=kind, tolerance=tolerance)


def law_of_pairs(scores: FloatArray, first: IntArray, second: IntArray) -> Law:
    """As `law_of_rows` of ``scores[first] - scores[second]``, for many pairs of a complete table, through one matrix product.

    Parameters
    ----------
    scores : ndarray of shape (n_models, n_splits)
        Finite, at least two splits.
    first, second : ndarray of shape (n_pairs,)
        Row numbers.

    Returns
    -------
    Law
        Arrays of shape (n_pairs,).

    Notes
    -----
    The sum of squared deviations of a pair is C_ii + C_jj - 2 C_ij with C the products of the models' deviations. It
    cancels for near-identical models, so the mean of each split is taken off first, which costs no digits and removes what
    the models share, and the pairs that would still lose digits are computed directly.
    """
    n = scores.shape[1]
    magnitude = np.maximum(scores.max(axis=1), -scores.min(axis=1))
    exponent = int(np.frexp(magnitude.max())[1])  # a power of two keeps the squares in the range of floats, without rounding
    means, raw, own = mean_deviations(scores, exponent), np.zeros(len(scores)), np.zeros(len(scores))
    products = np.zeros((len(scores), len(scores)))  # the upper half of it: that of 3,000 models takes 36 MB
    for block in deviations(scores, exponent):
        raw += np.einsum("ij,ij->i", block, block)
        block -= means[:, None]
        own += np.einsum("ij,ij->i", block, block)
        for rows in blocks(len(scores), len(scores), most=2 * BLOCK):  # of all at once numpy works out one half only
            products[rows, rows.start :] += block[rows] @ block[rows.start :].T
    mean, se, own_tolerance = np.empty(first.shape), np.empty(first.shape), rounding_tolerance(magnitude)
    is_even, is_offset = np.ptp(own_tolerance) == 0, np.any(OFFSET_BELOW * raw > CANCELS_BELOW * own)
    tolerance = np.broadcast_to(own_tolerance[0], first.shape) if is_even else np.empty(first.shape)
    kind = np.full(first.shape, SPREAD, dtype=np.int8)
    todo = [np.empty(0, dtype=np.intp)]
    for rows in blocks(first.size, most=PAIRS):
        one, two = (each[rows].astype(np.intp) for each in (first, second))  # once, not in each look-up
        if not is_even:
            tolerance[rows] = np.maximum(own_tolerance[one], own_tolerance[two])
        mean[rows] = np.ldexp(means[one] - means[two], exponent)
        total = own[one] + own[two]
        squares = total - 2.0 * products[np.minimum(one, two), np.maximum(one, two)]
        doubtful = squares < CANCELS_BELOW * total
        if is_offset:
            doubtful |= squares < OFFSET_BELOW * (raw[one] + raw[two])
        doubtful |= squares < SMALLEST
        sd = np.ldexp(np.sqrt(np.maximum(squares, 0.0) / (n - 1)), exponent)
        doubtful |= sd <= 3.0 * tolerance[rows]  # the largest deviation is at least sd / sqrt(2)
        se[rows] = sd / np.sqrt(n)
        todo.append(rows.start + np.flatnonzero(doubtful))
    doubtful_rows = np.concatenate(todo)
    del products  # which of thousands of models takes as much as all that is left
    for rows in blocks(doubtful_rows.size, n):
        some = doubtful_rows[rows]
        direct = law_of_rows(scores[first[some]] - scores[second[some]], tolerance[some] / RELATIVE_TOLERANCE)
        mean[some], se[some], kind[some] = direct.estimate, direct.se, direct.kind
    return student(mean, se, n - 1, n_units=n, kind=kind, tolerance=tolerance)


def deviations(scores: FloatArray, exponent: int) -> Iterator[FloatArray]:
    """Scores times a power of two with the mean of each split taken off, in blocks of splits: a long table is not copied.

    Parameters
    ----------
    scores : ndarray of shape (n_models, n_splits)
    exponent : int
        Scores are divided by two to this power.

    Yields
    ------
    ndarray of shape (n_models, n_of_them)
        At least as many splits as models, or all there are.
    """
    n_models, n = scores.shape
    for columns in blocks(n, n_models, least=n_models):
        block = np.ldexp(scores[:, columns], -exponent)
        block -= block.mean(axis=0)
        yield block


def mean_deviations(scores: FloatArray, exponent: int) -> FloatArray:
    """Mean over the splits of the `deviations` of each model."""
    return np.asarray(np.sum([block.sum(axis=1) for block in deviations(scores, exponent)], axis=0) / scores.shape[1])


def law_of_masked_pairs(scores: FloatArray, first: IntArray, second: IntArray) -> Law:
    """As `law_of_pairs` for a table with missing scores (nan): each pair over the splits that both models have."""
    found = []
    for rows in blocks(first.size, scores.shape[1]):
        one, two = scores[first[rows]], scores[second[rows]]
        scale = np.where(~(np.isnan(one) | np.isnan(two)), np.maximum(np.abs(one), np.abs(two)), 0.0).max(axis=1, initial=0.0)
        found.append(law_of_rows(one - two, scale, omit_missing=True))
    return joined(found)


CANCELS_BELOW = 1e-2
"""Share of the two models' own squares below which the matrix product would lose more than about 1e-13."""

OFFSET_BELOW = 1e-5
"""Share of the squares before each model's own mean was taken off."""

PAIRS = 32_768
"""Pairs handled at a time, so that the temporaries stay in the cache; those of 5 million pairs at once would take 300 MB."""
