"""Ranks of models on datasets, and what is read off their averages: whether any model differs, and which are told apart."""

from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc, ndtr, ndtri

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import (
    RELATIVE_TOLERANCE,
    SMALLEST_PVALUE,
    FloatArray,
    check_array,
    check_choice,
    check_count,
    check_number,
    check_probability,
    check_rows,
    check_scale,
    divide,
    mean_present,
    plain,
)
from tiebreak.numerics.law import Law, Significance, bisected, student
from tiebreak.statistics.ranks import tie_groups

RankTest = Literal["nemenyi", "bonferroni-dunn"]


class Friedman(NamedTuple):
    """Average ranks of models over datasets, and the tests of whether they differ by more than chance.

    Attributes
    ----------
    average_ranks : ndarray of shape (..., n_models)
        1 is the best; tied models share the mean of their ranks.
    friedman : Significance
        Chi-squared with n_models - 1 degrees of freedom; nan with a p-value of 1 where all models are tied on every dataset.
    iman_davenport : Significance
        F with n_models - 1 and (n_models - 1) (n_datasets - 1) degrees of freedom; nearer to its level than Friedman's.
    kendall_w : ndarray or float
        Agreement of the datasets, from 0 to 1: the chi-squared statistic over its largest possible value.
    """

    average_ranks: FloatArray
    friedman: Significance
    iman_davenport: Significance
    kendall_w: FloatArray


def rank_models(scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None) -> FloatArray:
    """Ranks of the models on each dataset: 1 is the best, tied models share the mean of their ranks.

    Parameters
    ----------
    scores : array_like of shape (..., n_datasets, n_models)
        nan where a model was not measured: it has no rank there, and the others are ranked among themselves.
    higher_is_better : bool, default True
    scale : array_like of shape (..., n_datasets), optional
        Size of the scores; those nearer to each other than 1e-12 of it are tied. The largest absolute score of the dataset
        if not given.

    Returns
    -------
    ndarray of the shape of `scores`
        nan where there is no score.

    Raises
    ------
    DataError
        An infinite score, or no table.

    Examples
    --------
    >>> rank_models([[0.9, 0.8, 0.9], [0.7, 0.8, 0.6]]).tolist()
    [[1.5, 3.0, 1.5], [2.0, 1.0, 3.0]]
    """
    table = check_array(scores, "the scores", "..., n_datasets, n_models", (0, 0), can_lack=True)
    size = np.abs(np.nan_to_num(table)).max(axis=-1, initial=0.0) if scale is None else check_scale(scale, table.shape[:-1])
    turned = -table if higher_is_better else table
    order = np.argsort(turned, axis=-1, kind="stable")  # nan last
    first, last = tie_groups(np.take_along_axis(turned, order, axis=-1), RELATIVE_TOLERANCE * np.asarray(size))
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return np.where(np.isnan(table), np.nan, ranks)


def average_ranks(scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None) -> FloatArray:
    """Mean over the datasets of the ranks of `rank_models`, of shape (..., n_models); smaller is better.

    They depend on which models are in the table. With missing scores the mean is over the datasets that a model was measured on,
    and no fair comparison: `skillings_mack` and pairwise tests allow for them. Parameters and errors are those of
    `rank_models`.

    Examples
    --------
    >>> average_ranks([[0.9, 0.8, 0.9], [0.7, 0.8, 0.6]]).tolist()
    [1.75, 2.0, 2.25]
    """
    return mean_present(rank_models(scores, higher_is_better=higher_is_better, scale=scale), axis=-2)


def friedman_test(
    scores: ArrayLike, *, higher_is_better: bool = True, tie_correction: bool = True, scale: ArrayLike | None = None
) -> Friedman:
    """Friedman's test, and Iman and Davenport's, of whether models differ on datasets.

    Datasets are the units. Folds or seeds of one dataset are not: they share what decides.

    Parameters
    ----------
    scores : array_like of shape (..., n_datasets, n_models)
        One score for each model and dataset, such as a mean over splits; any metric, as only its order counts.
    higher_is_better : bool, default True
    tie_correction : bool, default True
        Whether to allow for ties, as scipy and R do; Demsar's formulas do not.
    scale : array_like, optional
        As for `rank_models`.

    Returns
    -------
    Friedman

    Raises
    ------
    DataError
        Fewer than two models or datasets, a missing score (see `skillings_mack`), or an infinite one.

    References
    ----------
    .. [F37] M. Friedman. The use of ranks to avoid the assumption of normality implicit in the analysis of variance. JASA 32,
       1937.
    .. [ID80] R. L. Iman, J. M. Davenport. Approximations of the critical region of the Friedman statistic. Communications in
       Statistics A 9, 1980.
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.

    Examples
    --------
    >>> result = friedman_test([[84.5, 78.4, 83.1], [82.8, 79.1, 79.9], [79.1, 78.0, 77.8], [80.2, 76.0, 77.9]])
    >>> result.average_ranks.tolist(), round(result.friedman.statistic, 3), round(result.friedman.pvalue, 4)
    ([1.0, 2.75, 2.25], 6.5, 0.0388)
    """
    table = check_array(scores, "the scores", "..., n_datasets, n_models", (2, 2), can_lack=True)
    ranks = rank_models(table, higher_is_better=higher_is_better, scale=scale)
    n, k = ranks.shape[-2:]
    if np.isnan(ranks).any():
        raise DataError(
            f"{int(np.isnan(ranks).sum())} scores are missing, and Friedman's test needs every model on every dataset. Leave out "
            "models or datasets, or use skillings_mack."
        )
    spread = np.square(ranks - (k + 1) / 2).sum(axis=(-2, -1)) / (k - 1) if tie_correction else n * k * (k + 1) / 12
    return _friedman(ranks.mean(axis=-2), n, np.asarray(spread))


def friedman_from_ranks(average_ranks: ArrayLike, n_datasets: int) -> Friedman:
    """The tests of `friedman_test` from average ranks alone, as papers print them; ties cannot be allowed for.

    Parameters
    ----------
    average_ranks : array_like of shape (..., n_models)
        1 is the best rank; they add up to n_models (n_models + 1) / 2, to the digits that were printed.
    n_datasets : int

    Returns
    -------
    Friedman

    Raises
    ------
    DataError
        Ranks that do not add up, or fewer than two models or datasets.

    Examples
    --------
    >>> result = friedman_from_ranks([3.143, 2.000, 2.893, 1.964], 14)  # Demsar 2006, section 3.2.2
    >>> round(result.friedman.statistic, 2), round(result.iman_davenport.statistic, 2)
    (9.28, 3.69)
    """
    ranks = _check_average_ranks(average_ranks, "..., n_models")
    n, k = check_count(n_datasets, "n_datasets", 2), ranks.shape[-1]
    return _friedman(ranks, n, np.asarray(n * k * (k + 1) / 12))


def rank_differences(average_ranks: ArrayLike, n_datasets: int, *, control: int | None = None) -> Law:
    """Normal law of the differences of average ranks after Friedman's test: of all pairs, or of a control and each other model.

    Like all that is read off average ranks, the outcome for two models depends on which others are in the table.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
        1 is the best.
    n_datasets : int
    control : int, optional
        Position of the model that is compared with each of the others; all pairs if not given.

    Returns
    -------
    Law
        Average rank of the second less that of the first, so that positive favours the first, of the pairs (0, 1), (0, 2), ...,
        (1, 2), ..., or with the control first in each.

    References
    ----------
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006, section 3.2.2.

    Examples
    --------
    >>> rank_differences([1.2, 2.0, 2.8], 20).statistic.round(3).tolist()
    [2.53, 5.06, 2.53]
    """
    ranks = _check_average_ranks(average_ranks)
    n, k = check_count(n_datasets, "n_datasets", 2), ranks.size
    first, second = np.triu_indices(k, 1)
    if control is not None:
        of = int(check_rows(check_count(control, "control", 0), k, "control"))
        second, first = np.delete(np.arange(k), of), np.full(k - 1, of)
    return student(ranks[second] - ranks[first], rank_standard_error(k, n), n_units=n)


def rank_standard_error(n_models: int, n_datasets: int) -> float:
    """Standard error of the difference of two average ranks where all models are alike: sqrt(k (k + 1) / (6 n))."""
    return float(np.sqrt(n_models * (n_models + 1) / (6 * n_datasets)))


def nemenyi(average_ranks: ArrayLike, n_datasets: int) -> FloatArray:
    """p-values of Nemenyi's test of all pairs of average ranks, by the studentized range.

    The verdict on two models depends on which others are in the table, as these move both average ranks and the critical
    difference. `wilcoxon` compares two models by themselves.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
        As of `average_ranks`; 1 is the best.
    n_datasets : int

    Returns
    -------
    ndarray of shape (n_models, n_models)
        Of each pair, allowing for all pairs; 1 on the diagonal. `critical_difference` is the distance that is told apart.

    Raises
    ------
    DataError
        Ranks that do not add up to n_models (n_models + 1) / 2, or fewer than two models.

    References
    ----------
    .. [N63] P. Nemenyi. Distribution-free multiple comparisons. PhD thesis, Princeton University, 1963.
    .. [D06] J. Demsar. Statistical comparisons of classifiers over multiple data sets. JMLR 7, 2006.
    .. [BCM16] A. Benavoli, G. Corani, F. Mangili. Should we really use post-hoc tests based on mean-ranks? JMLR 17, 2016.

    Examples
    --------
    >>> ranks = [2.1, 3.25, 2.2, 4.3333333, 3.1166667]
    >>> round(float(nemenyi(ranks, 30)[0, 1]), 3), rank_cliques(ranks, critical_difference(5, 30))
    (0.039, [(0, 2, 4), (1, 2, 4), (1, 3)])
    """
    ranks = _check_average_ranks(average_ranks)
    error = rank_standard_error(ranks.size, check_count(n_datasets, "n_datasets", 2))
    span = np.abs(ranks[:, None] - ranks) / error * np.sqrt(2)
    pvalues = np.maximum(range_tail(span.ravel(), ranks.size).reshape(span.shape), SMALLEST_PVALUE)
    np.fill_diagonal(pvalues, 1.0)
    return pvalues


def rank_quantile(n_models: int, alpha: float = 0.05, *, test: RankTest = "nemenyi", df: float = np.inf) -> float:
    """Multiplier q of the standard error of a difference of average ranks.

    Parameters
    ----------
    n_models : int
    alpha : float, default 0.05
    test : {"nemenyi", "bonferroni-dunn"}
        "nemenyi" for all pairs: the quantile of the studentized range over the square root of 2. "bonferroni-dunn" for a control
        and each of the others: the normal quantile at alpha / (2 (n_models - 1)).
    df : float, default infinite
        Degrees of freedom of the studentized range. The test has infinitely many; some software takes n_models (n_datasets - 1).

    Examples
    --------
    >>> round(rank_quantile(5), 3), round(rank_quantile(5, test="bonferroni-dunn"), 3)
    (2.728, 2.498)
    """
    k, alpha = check_count(n_models, "n_models", 2), check_probability(alpha, "alpha")
    check_choice(test, get_args(RankTest), "test")
    if test == "bonferroni-dunn":
        return float(-ndtri(alpha / (2 * (k - 1))))
    if not check_number(df, "df", 0) > 0:
        raise InvalidParameterError(f"df must be above 0; got {df!r}.")
    return _range_quantile(k, alpha, float(df)) / 2**0.5


def critical_difference(
    n_models: int, n_datasets: int, alpha: float = 0.05, *, test: RankTest = "nemenyi", df: float = np.inf
) -> float:
    """Smallest difference of average ranks that is told apart: `rank_quantile` times sqrt(k (k + 1) / (6 n)).

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demsar 2006, section 3.2.2, with alpha 0.05
    1.25
    """
    n = check_count(n_datasets, "n_datasets", 2)
    return rank_quantile(n_models, alpha, test=test, df=df) * rank_standard_error(n_models, n)


def rank_cliques(average_ranks: ArrayLike, span: float) -> list[tuple[int, ...]]:
    """Largest groups of two or more models whose average ranks differ by `span` at most, as lines of a diagram join them.

    Parameters
    ----------
    average_ranks : array_like of shape (n_models,)
    span : float

    Returns
    -------
    list of tuple of int
        Positions, rising within a group; the group that begins with the best rank is the first.
    """
    ranks, span = check_array(average_ranks, "the average ranks", "n_models", (0,)), check_number(span, "span", 0)
    order = np.argsort(ranks, kind="stable")
    ordered = ranks[order]
    ends = np.searchsorted(ordered, ordered + span * (1 + 1e-12), side="right")
    groups, reached = [], 0
    for start, end in enumerate(ends.tolist()):
        if end > reached and end - start > 1:
            groups.append(tuple(sorted(order[start:end].tolist())))
        reached = max(reached, end)
    return groups


def skillings_mack(scores: ArrayLike, *, higher_is_better: bool = True, scale: ArrayLike | None = None) -> Significance:
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
    Significance
        Chi-squared, nan with a p-value of 1 where all models are tied on every dataset. Its degrees of freedom are n_models - 1,
        fewer where models have no dataset in common, directly or through others.

    Raises
    ------
    DataError
        No dataset with two models, a model without any such dataset, or an infinite score.

    References
    ----------
    .. [SM81] J. H. Skillings, G. A. Mack. On the use of a Friedman-type statistic in balanced and unbalanced block designs.
       Technometrics 23, 1981.

    Examples
    --------
    >>> nan = float("nan")
    >>> result = skillings_mack([[0.9, 0.8, 0.7], [0.8, nan, 0.6], [0.7, 0.6, nan], [0.9, 0.7, 0.8], [nan, 0.5, 0.6]])
    >>> round(result.statistic, 3), result.df, round(result.pvalue, 3)
    (5.198, 2, 0.074)
    """
    table = check_array(scores, "the scores", "n_datasets, n_models", (1, 1), can_lack=True)
    ranks = rank_models(table, higher_is_better=higher_is_better, scale=scale)
    ranks = ranks[np.count_nonzero(~np.isnan(ranks), axis=1) >= 2]
    present = ~np.isnan(ranks)
    n_of_model = np.count_nonzero(present, axis=0)
    if not len(ranks) or ranks.shape[1] < 2 or not n_of_model.all():
        raise DataError(
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
    if not df:
        return Significance(plain(np.array(np.nan)), plain(np.array(1.0)))
    statistic = (np.square(vectors.T[is_free] @ sums) / values[is_free]).sum()
    return Significance(plain(statistic), plain(np.maximum(chdtrc(df, statistic), SMALLEST_PVALUE)), df)


# --- parts ------------------------------------------------------------------------------------------------------------------


def _friedman(ranks: FloatArray, n: int, spread: FloatArray) -> Friedman:
    """Both tests; `spread` is the sum over datasets of the variance of the ranks, with divisor k - 1."""
    k = ranks.shape[-1]
    between = np.square(n * (ranks - (k + 1) / 2)).sum(axis=-1)
    chi2 = divide(between, spread)  # [F37]; 0 / 0 where all are tied
    most = n * (k - 1)
    chi2 = np.where(chi2 > most * (1 - 1e-12), most, chi2)  # all datasets agree, but for rounding
    f = divide((n - 1) * chi2, most - chi2)  # [ID80]
    df2 = (k - 1) * (n - 1)
    tests = []
    for statistic, p, second in ((chi2, chdtrc(k - 1, chi2), 0), (f, fdtrc(k - 1, df2, f), df2)):
        p = np.where(np.isnan(statistic), 1.0, np.maximum(np.where(np.isinf(statistic), 0.0, p), SMALLEST_PVALUE))
        tests.append(Significance(plain(np.asarray(statistic)), plain(p), k - 1, second))
    return Friedman(ranks, tests[0], tests[1], plain(np.asarray(chi2 / most)))


def _check_average_ranks(ranks: ArrayLike, axes: str = "n_models") -> FloatArray:
    """Average ranks that are finite and add up to what ranks of so many models do, but for rounding."""
    values = check_array(ranks, "the average ranks", axes, (2,))
    k = values.shape[-1]
    off = np.abs(values.sum(axis=-1) - k * (k + 1) / 2).max()
    if off > 0.006 * k:
        raise DataError(
            f"the average ranks of {k} models add up to {k * (k + 1) / 2:g}; these are off by {off:.3g}. Give each model's mean "
            "rank over the same datasets, tied models sharing the mean of their ranks."
        )
    return values


# --- the studentized range --------------------------------------------------------------------------------------------------


def range_tail(q: FloatArray, k: int) -> FloatArray:
    """P(range of k normal values > q), by Gauss-Legendre quadrature over the largest value.

    The largest is at z, the others are at most z and not all above z - q: k phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z - q))^(k-1)).
    """
    z, weight = _nodes()
    below = ndtr(z)
    density = k * np.exp(-z * z / 2) / np.sqrt(2 * np.pi) * weight
    out = []
    for part in np.array_split(np.asarray(q, dtype=float), max(1, q.size // 4096)):
        share = np.minimum(ndtr(z - part[:, None]) / below, 1.0)
        with np.errstate(divide="ignore"):
            lost = -np.expm1((k - 1) * np.log1p(-share))
        out.append((density * below ** (k - 1) * lost).sum(axis=1))
    return np.asarray(np.minimum(np.concatenate(out), 1.0))


@lru_cache(maxsize=1)
def _nodes() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(400)
    reach = 18.0  # the largest of any number of values is below it, and so is what a difference of 37 leaves
    return nodes * reach, weights * reach


@lru_cache(maxsize=4096)
def _range_quantile(k: int, alpha: float, df: float) -> float:
    if np.isfinite(df):
        from scipy.stats import studentized_range

        return float(studentized_range.ppf(1 - alpha, k, df))
    return float(bisected(lambda q: range_tail(q, k) > alpha, np.zeros(1), np.full(1, 40.0))[0])
