"""Pilot: what an answer that is there already says of how much further data like it will vary."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.planned_data import (
    PlannedData,
    PlannedDatasets,
    PlannedGrades,
    PlannedItems,
    PlannedLikePilot,
    PlannedRates,
    PlannedSeeds,
    PlannedSplits,
)
from tiebreak.errors import Setting, TooFewSplitsError, UnsuitableDesignError
from tiebreak.numerics import FloatArray
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.rates import proportion_interval
from tiebreak.statistics.runs import crossed_mean

FEWEST_DF = 4.0
"""Degrees of freedom of a pilot below which its spread says next to nothing: with 4 it may be 1.6 times as large."""

CONFIDENCE = 0.8
"""Of the one-sided upper limit of the spread [B95]_.

References
----------
.. [B95] R. H. Browne. On the use of a pilot sample for sample size determination. Statistics in Medicine 14, 1995.
"""


class Pilot(NamedTuple):
    """A pair of an answer, as planned data.

    Attributes
    ----------
    first, second : str
    n : int
        Units that the answer has.
    data : PlannedData
        With the spread as it was measured.
    cautious : PlannedData
        With the largest spread that is likely.
    """

    first: str
    second: str
    n: int
    data: PlannedData
    cautious: PlannedData


def pilot_of(comparison: Comparison, pair: tuple[str, str] | None = None) -> Pilot:
    """Planned data like those of one pair of an answer: by default of the one with the widest interval.

    Raises
    ------
    TooFewSplitsError
        Fewer than five units (or clusters), or models that never differ.
    UnsuitableDesignError
        Splits that cannot be repeated, or a procedure whose intervals are not like Student's.
    """
    table = comparison.pair_table
    if pair is None:
        low, high = table.interval
        width = np.where(np.isfinite(high - low), high - low, -1.0)
        widest = int(np.argmax(width))
        pair = tuple(comparison.models[int(rows[widest])] for rows in (table.first, table.second))  # type: ignore[assignment]
    first, second = pair  # type: ignore[misc]
    made, n, df = _planned(comparison, first, second)
    if not made.standard_error(max(n, made.fewest), 0.0) > 0:
        raise TooFewSplitsError(
            f"{quoted([first, second])} do not differ on any {comparison.method.unit} of the pilot, so it does not show how much "
            "they vary. Measure more, or say what is likely instead of giving a pilot."
        )
    if df < FEWEST_DF:
        raise TooFewSplitsError(
            f"the pilot has {df + 1:.3g} independent {comparison.method.unit}s or clusters of {quoted([first, second])}, and at "
            f"least {FEWEST_DF + 1:.0f} are needed to see how much they vary. Measure more, or say what is likely instead of "
            "giving a pilot."
        )
    return Pilot(first, second, n, made, _cautious(made, n, df))


def _cautious(data: PlannedData, n: int, df: float) -> PlannedData:
    """The upper limit of a variance by its chi-squared distribution, of a rate by Wilson's."""
    from scipy.special import chdtri

    if isinstance(data, PlannedItems) and data.discordant is not None:
        most = proportion_interval(data.discordant * n, n, level=2 * CONFIDENCE - 1).high
        return data.scaled(sqrt(float(most) / data.discordant))
    return data.scaled(sqrt(df / float(chdtri(df, CONFIDENCE))))


def _planned(comparison: Comparison, first: str, second: str) -> tuple[PlannedData, int, float]:
    """Planned data like those of a pair, their number, and degrees of freedom of the spread."""
    method, name = comparison.method, comparison.method.name
    judged = comparison.pair(first, second).judged
    if name == "tango":
        n, (only_first, only_second, _) = int(np.ravel(judged.law.n_units)[0]), judged.law.parts
        discordant = float(only_first + only_second) / n
        return PlannedItems(unit=method.unit, discordant=discordant), n, float("inf") if n > 4 else n - 1.0
    if name == "clustered-t":
        found = _of_items(comparison, first, second)
        if found is not None:
            return found
    if method.question == "test-sets" and name in ("newcombe", "welch"):
        return _of_test_sets(comparison, first, second)
    if judged.unit == "metric" and comparison.items is None:
        one, two = (comparison.matrix.score[comparison.models.index(each)] for each in (first, second))
        if name == "corrected-t":
            return _of_splits(comparison, one - two)
        if name == "wilcoxon":
            d = (one - two)[~np.isnan(one - two)]
            return PlannedDatasets(sd=_sd(d)), d.size, d.size - 1.0
        if method.question == "seeds" and name in ("paired-t", "welch"):
            return _of_seeds(one, two, is_paired=name == "paired-t")
    return _like(comparison, first, second)


def _of_items(comparison: Comparison, first: str, second: str) -> tuple[PlannedData, int, float] | None:
    """Spread over items, clusters and runs; None where weights or tasks make the mean another one."""
    items = comparison.items
    if items is None or items.weights is not None or items.tasks is not None:
        return None
    one, two = (items.score[items.models.index(each)] for each in (first, second))
    d = one - two
    there = ~np.isnan(d).any(axis=0)
    if there.mean() < 1 and len(items.runs) > 1:
        return None
    d, n = d[:, there], int(there.sum())
    clusters = None if items.clusters is None else [name for name, kept in zip(items.clusters, there, strict=True) if kept]
    n_clusters = n if clusters is None else len(set(clusters))
    size = n / n_clusters
    own, shared, n_runs = 0.0, 0.0, len(d)
    if n_runs > 1:
        found = crossed_mean(d, clusters)
        own, shared = sqrt(float(found.from_both) * n * n_runs), sqrt(float(found.from_runs) * n_runs)
        lasting = max(float(np.var(d.mean(axis=0), ddof=1)) - own**2 / n_runs, 0.0)
        inflated = float(found.from_items) * n
    else:
        lasting = float(np.var(d[0], ddof=1))
        error = comparison.pair(first, second).standard_error
        inflated = error**2 * n
    correlation = (inflated / lasting - 1.0) / (size - 1.0) if size > 1 and lasting > 0 else 0.0
    data = PlannedItems(
        unit=comparison.method.unit,
        sd=sqrt(lasting + own**2),
        cluster_size=size,
        intraclass_correlation=min(max(correlation, 0.0), 1.0),
        n_runs=n_runs,
        run_sd=own,
        shared_run_sd=shared,
    )
    return data, n, n_clusters - 1.0


def _of_splits(comparison: Comparison, d: FloatArray) -> tuple[PlannedData, int, float]:
    matrix, kept = comparison.matrix, ~np.isnan(d)
    if not comparison.scores.can_be_repeated:
        raise UnsuitableDesignError(
            "splits of this kind cannot be repeated, so no number of repeats is looked for: only more data would show a smaller "
            "difference."
        )
    n_repeats = np.unique(matrix.repeat).size
    data = PlannedSplits(sd=_sd(d[kept]), n_folds=max(round(d.size / n_repeats), 1), test_train_ratio=float(matrix.ratio.mean()))
    return data, n_repeats, float(kept.sum() - 1)


def _of_seeds(one: FloatArray, two: FloatArray, *, is_paired: bool) -> tuple[PlannedData, int, float]:
    if is_paired:
        d = (one - two)[~np.isnan(one - two)]
        return PlannedSeeds(sd=(_sd(d), _sd(d)), is_paired=True), d.size, d.size - 1.0
    samples = [each[~np.isnan(each)] for each in (one, two)]
    n = min(each.size for each in samples)
    return PlannedSeeds(sd=(_sd(samples[0]), _sd(samples[1])), is_paired=False), n, 2.0 * (n - 1.0)


def _of_test_sets(comparison: Comparison, first: str, second: str) -> tuple[PlannedData, int, float]:
    """Rates, or grades, of models with items of their own; those with clusters or runs by their error."""
    judged = comparison.pair(first, second).judged
    if comparison.method.name == "newcombe":
        x, n_one, y, n_two = (float(np.ravel(part)[0]) for part in judged.law.parts)  # of wrong ones the second first
        rate, n = y / n_two if comparison.metric.higher_is_better else 1.0 - x / n_one, int(min(n_one, n_two))
        return PlannedRates(unit=comparison.method.unit, rate=rate), n, n - 1.0
    items = comparison.items
    if items is None or items.structure_note:
        return _like(comparison, first, second)
    scores = [items.score[items.models.index(each), 0] for each in (first, second)]
    scores = [each[~np.isnan(each)] for each in scores]
    n = min(each.size for each in scores)
    return PlannedGrades(unit=comparison.method.unit, sd=(_sd(scores[0]), _sd(scores[1]))), n, 2.0 * (n - 1.0)


def _like(comparison: Comparison, first: str, second: str) -> tuple[PlannedData, int, float]:
    """More of the same, where intervals are like Student's."""
    method, pair = comparison.method, comparison.pair(first, second)
    df, judged = pair.judged.reach_df, pair.judged
    freedom = float("nan") if df is None else float(df)
    is_plain = judged.unit == "metric" and method.unit != "split"
    if not is_plain or np.isnan(freedom) or not np.isfinite(pair.standard_error):
        raise UnsuitableDesignError(
            f"the intervals of {method.name!r} on this pilot are not like Student's, so they do not say how many {method.unit}s "
            "are needed. Say what is likely instead of giving a pilot; or, for items, compare them by ",
            Setting("method", "'clustered-t'"),
            ".",
        )
    data = PlannedLikePilot(
        unit=method.unit,
        question=method.question,
        method=method.name,
        pilot_error=pair.standard_error,
        pilot_df=min(freedom, 1e9),
        pilot_n=pair.n_units,
    )
    return data, pair.n_units, freedom


def _sd(values: FloatArray) -> float:
    return float(np.std(values, ddof=1)) if values.size > 1 else 0.0
