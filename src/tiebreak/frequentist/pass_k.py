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
    for wrong, text in (
        (~np.isfinite(c) | ~np.isfinite(n) | (c != np.rint(c)) | (n != np.rint(n)), "counts of answers must be whole numbers"),
        ((c < 0) | (c > n), "there cannot be fewer right answers than 0, or more than answers"),
        (n < k, f"pass@{k} needs {k} answers or more to each question"),
    ):
        if np.any(wrong):
            at = np.flatnonzero(wrong)[0]
            raise InvalidScoresError(f"{text}; got {c.flat[at]:g} of {n.flat[at]:g}.")
    failed = np.ones(c.shape)
    for drawn in range(k):  # the chance that the next of k drawn without replacement is wrong too
        failed = failed * np.maximum(n - c - drawn, 0.0) / (n - drawn)
    return plain(1.0 - failed)
