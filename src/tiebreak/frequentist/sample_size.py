"""Number of examples that it takes to see a difference between two models."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import FloatArray, IntArray, check_probability, plain


def items_needed(
    difference: ArrayLike,
    *,
    discordant: ArrayLike | None = None,
    rates: tuple[float, float] | None = None,
    correlation: float = 0.0,
    sd: ArrayLike | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    paired: bool = True,
    cluster_size: float = 1.0,
    intraclass_correlation: float = 0.0,
    runs: int = 1,
    run_sd: float = 0.0,
) -> IntArray | int:
    """Number of examples at which a two-sided test shows a true difference with the given power.

    Say how much the models disagree in one of three ways: `discordant`, `rates` with a `correlation`, or `sd`.

    Parameters
    ----------
    difference : float or array_like
        The smallest difference worth seeing, in the metric's unit (0.02 for two points of accuracy); its sign does not matter.
    discordant : float or array_like, optional
        Share of the examples on which exactly one of the two models is right, at least the difference. For 0/1 scores.
    rates : (float, float), optional
        Share that each model has right; with the `correlation` of their answers, 0 to 1, they say how many examples are
        discordant.
    correlation : float, default 0
        Between being right of both models, over examples. Models that fail on the same examples have 0.3 to 0.7.
    sd : float or array_like, optional
        Standard deviation of the differences of any score, in its unit.
    alpha : float, default 0.05
        Level of the test; for one of many pairs the level of that pair, such as 0.05 / 10.
    power : float, default 0.8
    paired : bool, default True
        Both models on the same examples. If not, the number for each of two test sets, which needs `rates` or the `sd` of one
        score.
    cluster_size : float, default 1
        Mean number of examples of a cluster.
    intraclass_correlation : float, default 0
        Correlation of the differences within a cluster, 0 to 1.
    runs, run_sd : int and float
        Runs that each example is answered in, and the standard deviation of a difference from run to run.

    Returns
    -------
    int or ndarray of int

    Raises
    ------
    InvalidParameterError
        Disagreement said in none or several ways, a difference of 0, or numbers that contradict each other.

    Notes
    -----
    For 0/1 scores ``n = (z_a sqrt(p) + z_b sqrt(p - d^2))^2 / d^2`` with p the discordant share [C87]_; for other scores
    ``n = ((z_a + z_b) s / d)^2``. Clusters multiply it by ``1 + (m - 1) icc`` [K65]_.

    References
    ----------
    .. [C87] R. J. Connor. Sample size for testing differences in proportions for the paired-sample design. Biometrics 43, 1987.
    .. [K65] L. Kish. Survey sampling. Wiley, 1965.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.items_needed(0.02, discordant=0.1)
    1960
    >>> tb.items_needed(0.02, rates=(0.82, 0.80), paired=False)
    6039
    """
    from scipy.special import ndtri

    za, zb = -ndtri(check_probability(alpha, "alpha") / 2), ndtri(check_probability(power, "power"))
    d = np.abs(np.asarray(difference, dtype=float))
    if not np.all(d > 0) or not np.all(np.isfinite(d)):
        raise InvalidParameterError(f"difference must be a finite number other than 0; got {difference!r}.", about="difference")
    if [discordant, rates, sd].count(None) != 2:
        raise InvalidParameterError(
            "say how much the models disagree in one way: discordant=, rates= (with correlation=), or sd=."
        )
    if not cluster_size >= 1 or not 0 <= intraclass_correlation <= 1 or runs < 1 or run_sd < 0:
        raise InvalidParameterError(
            "cluster_size and runs are at least 1, intraclass_correlation lies between 0 and 1, run_sd is not negative; got "
            f"{cluster_size!r}, {runs!r}, {intraclass_correlation!r} and {run_sd!r}."
        )
    null, real = _variances(d, discordant, rates, correlation, sd, paired=paired)
    extra = (1 if paired else 2) * run_sd**2 / runs
    n = np.square(za * np.sqrt(null + extra) + zb * np.sqrt(real + extra)) / d**2
    n = n * (1 + (cluster_size - 1) * intraclass_correlation)
    whole = np.ceil(n - 1e-9).astype(np.int64)
    return int(whole) if whole.ndim == 0 else whole


def _variances(
    d: FloatArray,
    discordant: ArrayLike | None,
    rates: tuple[float, float] | None,
    correlation: float,
    sd: ArrayLike | None,
    *,
    paired: bool,
) -> tuple[FloatArray, FloatArray]:
    """Variance of one difference where the models are equal, and where they differ by d."""
    if sd is not None:
        s = np.asarray(sd, dtype=float)
        if not np.all(s > 0):
            raise InvalidParameterError(f"sd must be positive; got {sd!r}.", about="sd")
        square = s**2 * (1 if paired else 2)
        return square, square
    if rates is not None:
        p, q = (check_probability(rate, "rates") for rate in rates)
        if not paired:
            middle = (p + q) / 2
            return np.asarray(2 * middle * (1 - middle)), np.asarray(p * (1 - p) + q * (1 - q))
        if not 0 <= correlation <= 1:
            raise InvalidParameterError(f"correlation must lie between 0 and 1; got {correlation!r}.", about="correlation")
        discordant = _discordant(p, q, correlation)
    elif not paired:
        raise InvalidParameterError("two test sets have no discordant examples; give rates= or sd=.", about="discordant")
    share = np.asarray(discordant, dtype=float)
    if np.any(share < d) or np.any(share > 1):
        raise InvalidParameterError(
            f"the discordant share lies between the difference and 1, as the models differ on those examples only; got "
            f"{plain(share)} for a difference of {plain(d)}.", about="discordant",
        )  # fmt: skip
    return share, share - d**2


def _discordant(p: float, q: float, correlation: float) -> float:
    """Share of examples that exactly one model has right, from both rates and the correlation of being right."""
    both = p * q + correlation * float(np.sqrt(p * (1 - p) * q * (1 - q)))
    return max(p + q - 2 * min(both, p, q), abs(p - q))
