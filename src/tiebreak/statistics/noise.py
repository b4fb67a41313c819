"""Noise of runs: how far two runs of one and the same model lie apart on the same examples."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, Law, check_weights, divide, floats, group_codes, student
from tiebreak.statistics.means import joined_means, stratified_mean, summed

ENOUGH_DF = 3
"""Degrees of freedom (runs less one, over all models) from which the runs' means count, whatever examples show.

A test that sees no effect of so few runs misses it too often: with an effect of a tenth of what answers vary by, 100 examples and
4 to 7 runs two further runs lay beyond the floor in 10 to 12 % of suites; so in 3 %.
"""

SURE = 0.05
"""p-value below which runs differ as wholes by more than their single answers explain."""


class RunNoise(NamedTuple):
    """Laws of the difference of two runs of one model, whose expectation is 0, and what they are read from.

    Attributes
    ----------
    items : Law
        By the examples, of which each answer varies by itself.
    guarded : Law
        The same with what few changed examples may hide, as in `stratified_mean`.
    runs : Law
        By the runs' means, whatever they share; undefined where runs share nothing by design, as epochs do.
    pvalue : float
        That runs differ as wholes by more than their examples explain: F-test of both variances.
    largest : float
        Largest difference of two runs' means that was seen.
    n_runs, n_examples, n_left_out : int
        Runs of the model that has fewest; examples of the smallest table, and those left out for lack of a run.
    """

    items: Law
    guarded: Law
    runs: Law
    pvalue: float
    largest: float
    n_runs: int
    n_examples: int
    n_left_out: int

    @property
    def differs_as_whole(self) -> bool:
        """True where the runs' means are what counts: they differ by more than examples explain, or are enough (`ENOUGH_DF`)."""
        return bool(self.runs.spread[1] >= ENOUGH_DF or self.pvalue < SURE)

    def bound(self, level: float = 0.95, n_averaged: int = 1) -> float:
        """Bound that the difference of two further scores of one model keeps with this probability, each of so many runs."""
        laws = [self.items, self.guarded, *([self.runs] if self.differs_as_whole else [])]
        return float(np.fmax.reduce([law.interval(level).high for law in laws], initial=0.0)) / math.sqrt(n_averaged)


def run_noise(
    values: Sequence[ArrayLike],
    strata: Sequence[object] | ArrayLike | None = None,
    clusters: Sequence[object] | ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    span: float = 0.0,
    share_runs: bool = True,
) -> RunNoise:
    """Noise of runs, from models that were each run several times on the same examples.

    Parameters
    ----------
    values : sequence of array_like of shape (n_runs, n_examples)
        One table for each model, two runs or more in each; nan where a run has no answer. Its example is left out for that model.
    strata, clusters, weights : optional
        Of the examples, as for `stratified_mean`; without strata all examples count alike.
    span : float
        Largest change of one answer that is possible. Where no answer changed, one that could have is allowed for.
    share_runs : bool, default True
        False for epochs, which are drawn for each example by itself: their means are then no further evidence.

    Returns
    -------
    RunNoise

    Notes
    -----
    Runs of a model are turned into orthogonal contrasts, each scaled to the variance of a difference of two runs, so that the
    spread over examples of a contrast is that of such a difference. Variances are averaged over contrasts and models, with
    Satterthwaite's degrees of freedom.

    Raises
    ------
    DataError
        A table with one run only, or without an example that all its runs answered.
    """
    from scipy.linalg import helmert
    from scipy.special import fdtrc

    given: Any = values
    tables = [np.atleast_2d(floats(each, "values")) for each in (given if np.iterable(given) else [given])]
    if not tables or any(table.shape[0] < 2 for table in tables):
        raise DataError("noise of runs needs models of two runs or more, one table of runs by examples for each.")
    n = tables[0].shape[-1]
    codes = np.zeros(n, dtype=int) if strata is None else group_codes(strata, n, "strata")[0]
    names = None if clusters is None else group_codes(clusters, n, "clusters")[0]
    weight = check_weights(weights, n)
    whole = [~np.isnan(table).any(axis=0) for table in tables]
    found, largest = [], 0.0
    for table, present in zip(tables, whole, strict=True):
        some, shown, own_weight = codes[present], table[:, present], weight[present]
        if np.unique(some).size < np.unique(codes).size:
            raise DataError("a model has no example, or none of some task, that all its runs answered. Leave it out.")
        scale = np.full(len(table) - 1, np.abs(shown).max(initial=0.0))
        own_names, differences = None if names is None else names[present], np.sqrt(2.0) * helmert(len(table)) @ shown
        found.append(stratified_mean(differences, some, own_names, weights=own_weight, scale=scale))
        totals = summed(np.vstack([own_weight * shown, own_weight]), some, int(codes.max()) + 1)
        largest = max(largest, float(np.ptp((totals[:-1] / totals[-1]).mean(axis=1))))
    result = joined_means(found)
    (item, item_df), (more, more_df) = (_pooled(law) for law in (result.by_items, result.guarded) if law is not None)
    if item == 0.0:  # no answer changed: one that could have is allowed for, as in `stratified_mean`
        shares = weight / np.bincount(codes, weight)[codes] / (codes.max() + 1)
        more, more_df = span * float(shares.max()), 2.0
    between = np.asarray(result.by_items.estimate)
    run_df, by_run = between.size, float(np.sqrt(np.square(between).mean()))
    pvalue = float(fdtrc(run_df, item_df, float(divide(by_run**2, item**2)))) if item > 0 else (0.0 if by_run > 0 else 1.0)
    if not share_runs:
        by_run, pvalue, run_df = np.nan, 1.0, 0
    items, guarded_law = student(0.0, item, item_df), student(0.0, more, more_df)
    of_runs, n_whole = student(0.0, by_run, run_df), int(min(map(np.count_nonzero, whole)))
    return RunNoise(items, guarded_law, of_runs, pvalue, largest, min(map(len, tables)), n_whole, n - n_whole)


def run_spread(means: Sequence[FloatArray]) -> RunNoise:
    """Noise of runs from their scores alone, one for each run: of training seeds on one test set, say.

    Parameters
    ----------
    means : sequence of ndarray of shape (n_runs,)
        Scores of each model, two or more, none of them nan.

    Returns
    -------
    RunNoise
        Of the runs' means only; the error from examples is 0.
    """
    df = sum(row.size - 1 for row in means)
    error = float(np.sqrt(2.0 * sum(float(np.square(row - row.mean()).sum()) for row in means) / df))
    largest, fewest = max(float(np.ptp(row)) for row in means), min(row.size for row in means)
    nothing = student(0.0, 0.0)
    return RunNoise(nothing, nothing, student(0.0, error, df), 0.0, largest, fewest, 0, 0)


def _pooled(law: Law) -> tuple[float, float]:
    """Error of the mean variance of a law's rows, and its degrees of freedom by Satterthwaite's method."""
    error, df = law.spread
    v = np.square(np.nan_to_num(error))
    squares = np.where(v > 0, divide(np.square(v), np.where(df > 0, df, 1.0)), 0.0).sum()
    return float(np.sqrt(v.mean())), float(divide(v.sum() ** 2, squares)) if squares > 0 else 1.0
