"""pass@k: the chance that at least one of k answers to a question is right."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.numerics import FloatArray, check_count, floats_together, plain


def pass_at_k(n_correct: ArrayLike, n_answers: ArrayLike, k: int) -> FloatArray:
    """Unbiased estimate, for each question, of the chance that at least one of k answers is right.

    It is the share of the sets of k of the n answers that hold a right one, ``1 - C(n - c, k) / C(n, k)`` [C21]_. The plug-in
    ``1 - (1 - c/n)^k`` is too small. The estimates are scores per question like all others: `clustered_mean` of them, or of the
    differences of two models, gives the interval.

    Parameters
    ----------
    n_correct : array_like of int
        Right answers to each question.
    n_answers : array_like of int
        Answers to each question, at least `k`.
    k : int

    Returns
    -------
    ndarray or float
        Between 0 and 1, of the shape of `n_correct`.

    Raises
    ------
    InvalidScoresError
        More right answers than answers, or fewer answers than `k`.

    References
    ----------
    .. [C21] M. Chen and others. Evaluating large language models trained on code. arXiv 2107.03374, 2021.

    Examples
    --------
    >>> pass_at_k([0, 1, 3], 10, 5)
    array([0.        , 0.5       , 0.91666667])
    """
    k = check_count(k, "k")
    c, n = floats_together(n_correct=n_correct, n_answers=n_answers)
    is_wrong = ~((c == np.rint(c)) & (n == np.rint(n)) & (c >= 0) & (c <= n) & (n >= k) & np.isfinite(n))
    if is_wrong.any():
        at = np.flatnonzero(is_wrong)[0]
        raise InvalidScoresError(
            f"pass@{k} needs whole numbers, 0 or more right answers of {k} or more; got {c.flat[at]:g} of {n.flat[at]:g}."
        )
    drawn = np.arange(k)  # the chance that the next of k drawn without replacement is wrong too
    return plain(1.0 - (np.maximum(n[..., None] - c[..., None] - drawn, 0.0) / (n[..., None] - drawn)).prod(axis=-1))
