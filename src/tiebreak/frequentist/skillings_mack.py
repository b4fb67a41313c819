"""Test of whether models differ on datasets where some scores are missing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidScoresError
from tiebreak.frequentist.friedman import rank_models
from tiebreak.numerics import SMALLEST_PVALUE, FloatArray, IntArray


class SkillingsMackResult(NamedTuple):
    """Outcome of the test of Skillings and Mack.

    Attributes
    ----------
    statistic, pvalue : float
        Chi-squared; nan and 1 where all models are tied on every dataset.
    df : int
        n_models - 1; less where models have no dataset in common, directly or through others.
    n_datasets : int
        Datasets with two models or more, which are those that count.
    n_of_model : ndarray of int, of shape (n_models,)
        Of these, the ones that each model was measured on.
    sums : ndarray of shape (n_models,)
        Weighted sums of centred ranks; negative for models that are better than the average.
    """

    statistic: float
    pvalue: float
    df: int
    n_datasets: int
    n_of_model: IntArray
    sums: FloatArray


def skillings_mack_test(
    scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None
) -> SkillingsMackResult:
    """Friedman's test for tables with missing scores: models are ranked on each dataset among those that were measured there.

    The missing scores have to be missing for reasons that have nothing to do with them. Without missing scores it is Friedman's
    test. Ties are allowed for by the variance of the ranks of each dataset as they are, which the article leaves to simulation.

    Parameters
    ----------
    scores : array_like of shape (n_datasets, n_models)
        nan where a model was not measured.
    higher_is_better : bool, default True
    scale : array_like of shape (n_datasets,), optional
        As for `rank_models`.

    Returns
    -------
    SkillingsMackResult

    Raises
    ------
    InvalidScoresError
        No dataset with two models, a model without any such dataset, or an infinite score.

    References
    ----------
    .. [SM81] J. H. Skillings, G. A. Mack. On the use of a Friedman-type statistic in balanced and unbalanced block designs.
       Technometrics 23, 1981.

    Examples
    --------
    >>> nan = float("nan")
    >>> result = skillings_mack_test([[0.9, 0.8, 0.7], [0.8, nan, 0.6], [0.7, 0.6, nan], [0.9, 0.7, 0.8], [nan, 0.5, 0.6]])
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 3)
    (5.198, 2, 0.074)
    """
    from scipy.special import chdtrc

    ranks = rank_models(scores, higher_is_better=higher_is_better, scale=scale)
    if ranks.ndim != 2:
        raise InvalidScoresError(f"the scores must be a table of shape (n_datasets, n_models); got the shape {ranks.shape}.")
    ranks = ranks[np.count_nonzero(~np.isnan(ranks), axis=1) >= 2]
    present = ~np.isnan(ranks)
    n_of_model = np.count_nonzero(present, axis=0)
    if not len(ranks) or ranks.shape[1] < 2 or not n_of_model.all():
        raise InvalidScoresError(
            "each model must be measured on a dataset together with another one; model(s) "
            f"{', '.join(map(str, np.flatnonzero(n_of_model == 0).tolist())) or 'of this table'} are not."
        )
    k = np.count_nonzero(present, axis=1)[:, None]
    weight = np.sqrt(12 / (k + 1))  # [SM81]
    centred = np.where(present, weight * (np.nan_to_num(ranks) - (k + 1) / 2), 0.0)
    sums = centred.sum(axis=0)
    # within a dataset all orders are equally likely: variance v of one centred rank (divisor k - 1), covariance -v / k of two
    v = np.square(centred).sum(axis=1, keepdims=True) / (k - 1)
    covariance = np.diag((v * present).sum(axis=0)) - (present * (v / k)).T @ present
    values, vectors = np.linalg.eigh(covariance)
    is_free = values > 1e-9 * max(float(values.max()), np.finfo(float).tiny)
    df = int(is_free.sum())
    n_datasets = len(ranks)
    if not df:
        return SkillingsMackResult(float("nan"), 1.0, 0, n_datasets, n_of_model, sums)
    statistic = float((np.square(vectors.T[is_free] @ sums) / values[is_free]).sum())
    return SkillingsMackResult(statistic, max(float(chdtrc(df, statistic)), SMALLEST_PVALUE), df, n_datasets, n_of_model, sums)
