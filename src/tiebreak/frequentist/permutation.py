"""Permutation tests: how often the difference would be as large if a coin had said which model is the first.

They take no distribution for granted, only that equal models could have changed places: on each example for paired scores,
between all examples for independent test sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError
from tiebreak.numerics import Alternative, FloatArray, check_alternative, check_count, floats, generator_of

PermutationMethod = Literal["auto", "exact", "random"]


@dataclass(frozen=True, slots=True)
class PermutationResult:
    """A permutation test of one pair of models.

    Attributes
    ----------
    observed : float
        Mean difference, first minus second, in the metric's unit.
    n_permutations : int
        Permutations taken: all there are where `is_exact`.
    count_greater, count_less, count_extreme : int
        Permutations whose difference is at least, at most, and in absolute value at least, the observed one; the observed one
        counts, and so do those that differ from it by rounding only.
    is_exact : bool
    """

    observed: float
    n_permutations: int
    count_greater: int
    count_less: int
    count_extreme: int
    is_exact: bool

    def pvalue(self, alternative: Alternative = "two-sided") -> float:
        """Share of the permutations that are as extreme; for random ones (count + 1) / (n + 1), so that it is never 0."""
        counts = {"two-sided": self.count_extreme, "greater": self.count_greater, "less": self.count_less}
        count, own = counts[check_alternative(alternative)], 0 if self.is_exact else 1
        return (count + own) / (self.n_permutations + own)


def permutation_test_paired(
    differences: ArrayLike,
    *,
    method: PermutationMethod = "auto",
    n_permutations: int = 9_999,
    rng: int | np.random.Generator = 0,
) -> PermutationResult:
    """Sign-flip test of paired differences.

    Parameters
    ----------
    differences : array_like of shape (n_examples,)
        First model minus second, in the metric's unit. For clustered examples pass the sum of each cluster, as `cluster_sums`
        has it.
    method : {"auto", "exact", "random"}
        "exact" counts all ``2^n`` choices of signs, for up to 22 differences that are not 0; "auto" does so for up to 18, else
        draws.
    n_permutations : int, default 9,999
        Drawn where not exact.
    rng : int or numpy Generator, default 0

    Returns
    -------
    PermutationResult

    Raises
    ------
    InvalidScoresError
        No differences, or some that are not finite.

    References
    ----------
    .. [F35] R. A. Fisher. The design of experiments. Oliver & Boyd, 1935, section 21.
    .. [PS10] B. Phipson, G. K. Smyth. Permutation p-values should never be zero. Statistical Applications in Genetics and
       Molecular Biology 9, 2010.

    Examples
    --------
    >>> import tiebreak as tb
    >>> darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    >>> test = tb.frequentist.permutation_test_paired(darwin)
    >>> test.count_greater, test.n_permutations, round(test.pvalue(), 4)
    (863, 32768, 0.0527)
    """
    d = _checked(differences, "differences")
    n_permutations = _check_options(method, n_permutations)
    flips = d[d != 0]
    tolerance, observed = _tolerance(flips), float(d.sum())
    if method == "exact" and flips.size > _MOST:
        raise InvalidParameterError(
            f"{flips.size} differences other than 0 have too many signs to try them all; use method='random'.", about="method"
        )
    if method != "random" and flips.size <= (_MOST if method == "exact" else _FEW):
        sums = np.zeros(1)
        for value in flips:
            sums = np.concatenate([sums + value, sums - value])
        return _counted(sums, observed, tolerance, d.size, 2 ** (d.size - flips.size))
    return _counted(_random_sums(flips, n_permutations, generator_of(rng)), observed, tolerance, d.size, is_exact=False)


def permutation_test_unpaired(
    first: ArrayLike,
    second: ArrayLike,
    *,
    method: PermutationMethod = "auto",
    n_permutations: int = 9_999,
    rng: int | np.random.Generator = 0,
) -> PermutationResult:
    """Test of the difference of two means from test sets that share no example, by all ways to deal out the scores.

    Parameters
    ----------
    first, second : array_like of shape (n_first,) and (n_second,)
        Scores of each model, in the metric's unit.
    method, n_permutations, rng
        As for `permutation_test_paired`; "auto" counts all ways where they are 200,000 or fewer.

    Returns
    -------
    PermutationResult

    Raises
    ------
    InvalidScoresError
        No scores, or some that are not finite.
    """
    x, y = _checked(first, "first"), _checked(second, "second")
    n_permutations = _check_options(method, n_permutations)
    pooled = np.concatenate([x, y])
    pooled = pooled - pooled.mean()  # which changes no difference, and keeps the digits
    few = min(x.size, y.size)
    sign = 1.0 if x.size <= y.size else -1.0
    most = _MOST_WAYS if method == "exact" else _SOME_WAYS
    # There are 2 ** few ways or more: their number is only taken where it is small.
    is_exact = method != "random" and few <= most.bit_length() and comb(pooled.size, few) <= most
    if method == "exact" and not is_exact:
        raise InvalidParameterError(
            f"there are more than {most:,} ways to deal out {pooled.size} scores, {few} to the smaller sample; "
            "use method='random'.",
            about="method",
        )
    if is_exact:
        n_ways = comb(pooled.size, few)
        rows = np.fromiter((i for way in combinations(range(pooled.size), few) for i in way), dtype=np.int64, count=n_ways * few)
        sums = pooled[rows.reshape(n_ways, few)].sum(axis=1)
    else:
        generator = generator_of(rng)
        sums = _sums_of_draws(pooled, few, n_permutations, generator)
    # the difference of means is the sum of the smaller sample times this, as the pooled sum is 0
    scale = sign * (1 / few + 1 / (pooled.size - few))
    observed = float(x.mean() - y.mean())
    return _counted(sums * scale, observed, _tolerance(pooled) * abs(scale), 1, is_exact=is_exact)


_FEW, _MOST = 18, 22
_SOME_WAYS, _MOST_WAYS = 200_000, 5_000_000


def _counted(
    sums: FloatArray, observed: float, tolerance: float, n: int, times: int = 1, *, is_exact: bool = True
) -> PermutationResult:
    greater, less = (int(np.count_nonzero(each)) * times for each in (sums >= observed - tolerance, sums <= observed + tolerance))
    extreme = int(np.count_nonzero(np.abs(sums) >= abs(observed) - tolerance)) * times
    return PermutationResult(observed / n, sums.size * times, greater, less, extreme, is_exact)


def _random_sums(flips: FloatArray, n_permutations: int, rng: np.random.Generator) -> FloatArray:
    """Sums with random signs: a random byte chooses those of eight differences, whose 256 sums are in a table."""
    n_bytes = -(-flips.size // 8)
    eights = np.zeros(n_bytes * 8)
    eights[: flips.size] = flips
    signs = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    sums = np.zeros(n_permutations)
    for table in eights.reshape(n_bytes, 8) @ signs.T:
        sums += table.take(np.frombuffer(rng.bytes(n_permutations), dtype=np.uint8))
    return sums


_BLOCK = 500_000
"""Random keys handled at a time."""


def _sums_of_draws(pooled: FloatArray, few: int, n_permutations: int, rng: np.random.Generator) -> FloatArray:
    """Sums of random subsets of `few` scores."""
    sums = np.empty(n_permutations)
    step = max(1, _BLOCK // pooled.size)
    for start in range(0, n_permutations, step):
        keys = rng.random((min(step, n_permutations - start), pooled.size), dtype=np.float32)
        chosen = np.argpartition(keys, few - 1, axis=1)[:, :few]
        sums[start : start + step] = pooled[chosen].sum(axis=1)
    return sums


def _tolerance(values: FloatArray) -> float:
    """Sums nearer than this are equal but for rounding."""
    return 1e-11 * float(np.abs(values).sum())


def _checked(values: ArrayLike, name: str) -> FloatArray:
    found = floats(values, name)
    if found.ndim != 1 or found.size == 0 or not np.isfinite(found).all():
        n_missing = int(np.count_nonzero(np.isnan(found)))
        raise InvalidScoresError(
            f"{name} must be one row of finite numbers, one or more; got the shape {found.shape} with {n_missing} nan. Leave out "
            "examples that have no score."
        )
    return found


def _check_options(method: str, n_permutations: int) -> int:
    if method not in get_args(PermutationMethod):
        raise InvalidParameterError(f"method must be 'auto', 'exact' or 'random'; got {method!r}.", about="method")
    return check_count(n_permutations, "n_permutations")
