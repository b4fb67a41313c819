"""Tests of whether models are right equally often on the same examples: McNemar's for two, Cochran's Q for several.

They give a p-value and no interval; the interval that goes with the question is that of `paired_proportions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError
from tiebreak.numerics import FloatArray, divide, floats, floats_together, plain

McNemarVariant = Literal["exact", "mid-p", "chi2", "chi2-corrected"]


@dataclass(frozen=True, slots=True)
class McNemarResult:
    """McNemar's test; arrays over pairs of models, or single numbers.

    Attributes
    ----------
    variant : {"exact", "mid-p", "chi2", "chi2-corrected"}
    statistic : ndarray or float
        Chi-squared with one degree of freedom, nan without a discordant example; for "exact" and "mid-p" the smaller of both
        counts.
    pvalue : ndarray or float
        Two-sided; 1 where the models never disagree, as there is no evidence at all.
    n_discordant : ndarray or float
        Examples on which exactly one model was right.
    """

    variant: str
    statistic: FloatArray
    pvalue: FloatArray
    n_discordant: FloatArray


def mcnemar_test(only_first: ArrayLike, only_second: ArrayLike, variant: McNemarVariant = "exact") -> McNemarResult:
    """Test of whether two models are right equally often on the same examples.

    Parameters
    ----------
    only_first, only_second : array_like
        Numbers of examples on which only the first, and only the second, model was right.
    variant : {"exact", "mid-p", "chi2", "chi2-corrected"}
        "exact" is the binomial test of the discordant examples, never wrong too often; "mid-p" counts the observed outcome by
        half and is near its level [FLL13]_; "chi2" is ``(b - c)^2 / (b + c)``, "chi2-corrected" the same with the correction for
        continuity of Edwards, ``(|b - c| - 1)^2 / (b + c)``, which makes it as cautious as "exact".

    Returns
    -------
    McNemarResult

    Raises
    ------
    InvalidScoresError
        Counts that are negative or not finite; for "exact" and "mid-p" also those that are not whole.

    References
    ----------
    .. [M47] Q. McNemar. Note on the sampling error of the difference between correlated proportions or percentages. Psychometrika
       12, 1947.
    .. [FLL13] M. W. Fagerland, S. Lydersen, P. Laake. The McNemar test for binary matched-pairs data: mid-p and asymptotic are
       better than exact conditional. BMC Medical Research Methodology 13:91, 2013.

    Examples
    --------
    >>> import tiebreak as tb
    >>> [round(tb.frequentist.mcnemar_test(1, 7, variant).pvalue, 4) for variant in ("exact", "mid-p", "chi2")]
    [0.0703, 0.0391, 0.0339]
    """
    if variant not in get_args(McNemarVariant):
        raise InvalidParameterError(
            f"unknown variant {variant!r}; choose one of {', '.join(map(repr, get_args(McNemarVariant)))}.", about="variant"
        )
    b, c = floats_together(only_first=only_first, only_second=only_second)
    is_exact = variant in ("exact", "mid-p")
    for values in (b, c):
        if not np.all(np.isfinite(values)) or np.any(values < 0) or (is_exact and np.any(values != np.rint(values))):
            kind = "whole numbers" if is_exact else "numbers"
            raise InvalidScoresError(f"the discordant counts must be {kind} of at least 0; got {values[()]}.")
    if is_exact:
        statistic, pvalue = np.minimum(b, c), _binomial_pvalue(b, c, is_mid=variant == "mid-p")
    else:
        statistic, pvalue = _chi2(b, c, correction=1.0 if variant == "chi2-corrected" else 0.0)
    return McNemarResult(variant, plain(statistic), plain(pvalue), plain(b + c))


def _binomial_pvalue(b: FloatArray, c: FloatArray, *, is_mid: bool) -> FloatArray:
    """Twice the lower tail of the smaller count; mid-p takes off its own probability, or half of it where b = c [FLL13]_."""
    from scipy.special import betainc, gammaln

    n, few = b + c, np.minimum(b, c)
    own = np.exp(gammaln(n + 1) - gammaln(few + 1) - gammaln(n - few + 1) - n * np.log(2.0))
    tail = betainc(np.maximum(n - few, 1), few + 1, 0.5)  # P(X <= few)
    pvalue = np.minimum(2 * tail, 1.0)
    if is_mid:
        pvalue = np.where(b == c, 1 - own / 2, 2 * tail - own)
    return np.asarray(np.where(n == 0, 1.0, pvalue))


def _chi2(b: FloatArray, c: FloatArray, correction: float) -> tuple[FloatArray, FloatArray]:
    from scipy.special import chdtrc

    statistic = divide(np.maximum(np.abs(b - c) - correction, 0.0) ** 2, b + c)
    return statistic, np.where(np.isnan(statistic), 1.0, chdtrc(1, statistic))


class CochranQResult(NamedTuple):
    """Cochran's Q; arrays over tables, or single numbers.

    Attributes
    ----------
    statistic : ndarray or float
        Chi-squared; nan where all models agree on every example.
    df : int
        Number of models less one.
    pvalue : ndarray or float
        1 where all models agree on every example.
    accuracies : ndarray of shape (..., n_models)
        Share of the examples that each model has right.
    """

    statistic: FloatArray
    df: int
    pvalue: FloatArray
    accuracies: FloatArray


def cochran_q_test(correct: ArrayLike) -> CochranQResult:
    """Test of whether several models are right equally often on the same examples.

    With two models it is McNemar's chi-squared without correction. A small p-value says that they differ, not which.

    Parameters
    ----------
    correct : array_like of shape (..., n_models, n_examples)
        1 or True where the model was right, 0 or False where not.

    Returns
    -------
    CochranQResult

    Raises
    ------
    InvalidScoresError
        Values other than 0 and 1.
    TooFewModelsError

    References
    ----------
    .. [C50] W. G. Cochran. The comparison of percentages in matched samples. Biometrika 37, 1950.
    """
    from scipy.special import chdtrc

    table = floats(correct, "correct")
    if table.ndim < 2 or table.shape[-2] < 2:
        raise TooFewModelsError(f"Cochran's Q compares two models or more, one a row; got the shape {table.shape}.")
    wrong = (table != 0) & (table != 1)
    if wrong.any() or table.shape[-1] == 0:
        got = f"got {table[wrong][0]:g}" if wrong.any() else "there are none"
        raise InvalidScoresError(f"correct holds 0 and 1, one for each model and example; {got}. Leave out what is missing.")
    k = table.shape[-2]
    of_model, of_example = table.sum(axis=-1), table.sum(axis=-2)
    spread = ((of_model - of_model.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    statistic = divide(k * (k - 1) * spread, (of_example * (k - of_example)).sum(axis=-1))  # [C50]_
    pvalue = np.where(np.isnan(statistic), 1.0, chdtrc(k - 1, statistic))
    return CochranQResult(plain(statistic), k - 1, plain(pvalue), of_model / table.shape[-1])
