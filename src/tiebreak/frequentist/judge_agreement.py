"""Agreement of a judge with people on the answers that both scored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.numerics import StudentDistribution

MOST_GRADES = 10
"""Different scores up to which they are grades, of which a share can agree."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of a judge with labels by people.

    Attributes
    ----------
    n : int
        Answers that both scored.
    share : float or None
        Share of the answers with the same score; None where there are more than ten different scores.
    kappa : float or None
        Cohen's: the share beyond what chance would give, over the most that it could be; nan where both always say the same.
    correlation : float
        Pearson's; nan where one of both always says the same.
    bias, bias_low, bias_high : float
        Mean of the judge's score less people's, and its 95 % interval by Student's t; nan where nothing varies.
    """

    n: int
    share: float | None
    kappa: float | None
    correlation: float
    bias: float
    bias_low: float
    bias_high: float


def judge_agreement(labels: ArrayLike, judged: ArrayLike) -> JudgeAgreement:
    """Compare a judge's scores with people's on the same answers.

    Parameters
    ----------
    labels, judged : array_like of shape (n,)
        What people and the judge said of each answer.

    Returns
    -------
    JudgeAgreement

    Raises
    ------
    InvalidScoresError
        Shapes that do not go together, fewer than two answers, or values that are not finite.

    References
    ----------
    .. [C60] J. Cohen. A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960.

    Examples
    --------
    >>> found = judge_agreement([1, 0, 1, 1, 0, 1, 0, 0], [1, 0, 1, 1, 1, 1, 0, 0])
    >>> found.share, found.kappa, found.bias
    (0.875, 0.75, 0.125)
    """
    y, f = np.asarray(labels, dtype=float), np.asarray(judged, dtype=float)
    if y.shape != f.shape or y.ndim != 1 or y.size < 2 or not (np.isfinite(y).all() and np.isfinite(f).all()):
        raise InvalidScoresError(
            f"two answers or more with a finite score of both are needed; got the shapes {y.shape}, {f.shape}."
        )
    error = f - y
    spread = error.std(ddof=1) / np.sqrt(y.size)
    low, high = StudentDistribution(error.mean(), spread, y.size - 1.0).confidence_interval() if spread > 0 else (np.nan, np.nan)
    correlation = float(np.corrcoef(y, f)[0, 1]) if min(np.ptp(y), np.ptp(f)) > 0 else float("nan")
    grades = np.unique(np.concatenate([y, f]))
    share = kappa = None
    if grades.size <= MOST_GRADES:
        share = float((y == f).mean())
        chance = float(sum((y == each).mean() * (f == each).mean() for each in grades))
        kappa = (share - chance) / (1 - chance) if chance < 1 else float("nan")  # [C60]_
    return JudgeAgreement(y.size, share, kappa, correlation, float(error.mean()), float(low), float(high))
