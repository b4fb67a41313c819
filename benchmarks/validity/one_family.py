"""How often one family of intervals calls a model that ties with the best "not best", or a pair what it is not.

Tables whose truth is known are drawn for each question, as arrays of many tables; the functions of `tiebreak.frequentist` and
`tiebreak.bayesian` judge all pairs of a batch, and what a page says is read off their intervals here, by the rules themselves:
j is shown above i where the interval of "j minus i" lies above 0, and the models that may be the best are the strongly connected
components of that relation into which no arrow leads. With all pairs as the family an interval is two-sided at alpha / m of m
pairs; with comparisons with the best it is one-sided at alpha / max(2, M - 1) of M models. `tb.compare` answers some hundred of
the same tables and must agree in every verdict and in who may be the best.

Parts, each by its name (all of them without one):

    equal       3, 5, 10 and 20 equal models, 10 to 100 units: share of tables in which a model is called "not best" although it
                ties with the best. Goal for what `compare` takes by itself: at most 5 %. What is taken by name is only printed.
    graded      10 models whose true values are evenly spread: how many may be the best, beside the family "best". Goal: at most
                1.4 times as many.
    datasets    2, 8 and 20 models on 30 and 60 datasets with a rope, wilcoxon: any wrong verdict. Goal: at most 5 % with
                bonferroni. What Holm's level would give stands beside it.
    splits      the 90 situations of `one_interval.py`, corrected t: any wrong verdict, interval, bound against the best or
                standing. Goal: at most 5 %.
    package     the comparison with `tb.compare`.

A goal is judged by a one-sided binomial test at 0.01 over the cells of its part (Bonferroni). Exit code 1 when one is missed.
Seeds are fixed. Six to twelve minutes of one core; `--csv PATH` also puts the rows of the site's page of methods into a file.

    python benchmarks/validity/one_family.py
    python benchmarks/validity/one_family.py equal --only delong,diebold-mariano --tables 4000
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from methods import write_rows
from scipy.special import bdtrc
from scipy.stats import binom, norm

import tiebreak as tb
from tiebreak.bayesian import bayesian_bootstrap, hierarchical_posterior, median_posterior, signed_rank_posterior
from tiebreak.frequentist import (
    average_ranks,
    bootstrap_metric,
    bradley_terry_bootstrap,
    cluster_sums,
    clustered_mean,
    corrected_ttest,
    critical_difference,
    diebold_mariano_test,
    five_by_two_cv_test,
    independent_proportions,
    mean_of_clusters,
    metric_of_classes,
    outcomes_of_scores,
    paired_auc,
    paired_proportions,
    paired_ttest,
    sign_test,
    student_quantile,
    welch_ttest,
    wilcoxon,
)
from tiebreak.frequentist.adjustment import interval_level

ALPHA, SIGMA, BASE = 0.05, 0.05, 0.8
TEST_LEVEL = 0.01
MODELS, UNITS = (3, 5, 10, 20), (10, 30, 100)
BLOCK = 3_000_000
"""Differences at a time."""
MOST = 20_000_000
"""Differences of a cell: of 20 models on 100 units there are fewer tables."""
CHECKED_TABLES = 300
"""Tables that `tb.compare` answers as well."""

# --- what a page says, read off the intervals of all pairs --------------------------------------------------------------------


def family_level(n_models: int, family: str) -> float:
    """One-sided level of each bound: of all pairs, or of comparisons with the best."""
    if family == "best":
        return ALPHA / max(2, n_models - 1)
    return ALPHA / (n_models * (n_models - 1))


def shown_above(n_models: int, wins: np.ndarray, loses: np.ndarray) -> np.ndarray:
    """Arrows of tables x models x models from columns of pairs: [t, j, i] is true where j is shown above i."""
    first, second = np.triu_indices(n_models, 1)
    above = np.zeros((len(wins), n_models, n_models), dtype=bool)
    above[:, first, second], above[:, second, first] = wins, loses
    return above


def may_be_best(above: np.ndarray) -> np.ndarray:
    """Models in strongly connected components that no arrow from outside enters, of shape (tables, models).

    A component is entered where some model reaches one of its models along the arrows, and is not reached from there.
    """
    reach = above.copy()
    for _ in range(max(1, int(np.ceil(np.log2(above.shape[-1]))))):
        steps = reach.astype(np.float32)
        reach |= steps @ steps > 0
    return ~(reach & ~np.swapaxes(reach, 1, 2)).any(axis=1)


def shortfalls(high: np.ndarray, low: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Largest upper end of "j minus i" over the other models j that may be the best, at least 0; of shape (tables, models)."""
    n_models = best.shape[1]
    first, second = np.triu_indices(n_models, 1)
    upper = np.full((len(best), n_models, n_models), -np.inf)  # [t, j, i]: of j minus i
    upper[:, first, second], upper[:, second, first] = high, -low
    return np.maximum(np.where(best[:, :, None], upper, -np.inf).max(axis=1), 0.0)


BETTER, AHEAD, EQUIVALENT, UNDECIDED, BEHIND, WORSE = range(6)
VERDICTS = ("better", "ahead", "equivalent", "undecided", "behind", "worse")


def is_wrong(verdict: np.ndarray, d: np.ndarray, rope: float) -> np.ndarray:
    """True where a verdict is not true of the true difference; equality counts to rounding, and undecided is never wrong."""
    noise = 1e-9 * max(rope, 1e-3)
    right = [d > rope + noise, d > noise, np.abs(d) <= rope + noise, d == d, d < -noise, d < -rope - noise]
    return ~np.choose(verdict, right)


# --- differences that have been judged: whether a one-sided bound lies beyond a point -----------------------------------------


class Judged:
    """Differences of all pairs of some tables, of shape (tables, pairs)."""

    def above(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        """True where the lower bound at the one-sided level `p` lies above a point."""
        raise NotImplementedError

    def below(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        """True where the upper bound lies below a point."""
        raise NotImplementedError

    def verdicts(self, rope: float, p: Any) -> np.ndarray:
        """Codes into `VERDICTS`, tested in the order of the rule."""
        conditions = [self.above(rope, p), self.below(-rope, p)]
        codes = [BETTER, WORSE]
        if rope > 0:
            conditions += [self.above(-rope, p, -1e-12) & self.below(rope, p, -1e-12), self.above(0.0, p), self.below(0.0, p)]
            codes += [EQUIVALENT, AHEAD, BEHIND]
        return np.select(conditions, codes, UNDECIDED)


@dataclass
class ByEnds(Judged):
    """Of which the bounds are known; nan where there is none."""

    found: Callable[[float], tuple[np.ndarray, np.ndarray]]
    kept: dict[float, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)

    def ends(self, p: float) -> tuple[np.ndarray, np.ndarray]:
        if p not in self.kept:
            self.kept[p] = self.found(p)
        return self.kept[p]

    def above(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        return self.ends(p)[0] > at + noise

    def below(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        return self.ends(p)[1] < at - noise


@dataclass
class ByTails(Judged):
    """Of which the tails are known; a bound lies beyond a point where the tail there is no larger than its level."""

    tail_below: Callable[[float], np.ndarray]
    tail_above: Callable[[float], np.ndarray]
    kept: dict[tuple[bool, float], np.ndarray] = field(default_factory=dict)

    def above(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        return self._tail(False, at + min(noise, 0.0)) <= p * (1 + 1e-12)

    def below(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        return self._tail(True, at - min(noise, 0.0)) <= p * (1 + 1e-12)

    def _tail(self, upper: bool, at: float) -> np.ndarray:
        if (upper, at) not in self.kept:
            self.kept[upper, at] = self.tail_above(at) if upper else self.tail_below(at)
        return self.kept[upper, at]


def student(estimate: np.ndarray, error: np.ndarray, df: Any) -> ByEnds:
    """Student's t around each difference; no bounds where nothing varies."""
    error = np.where(np.asarray(error) > 0, error, np.nan)

    def ends(p: float) -> tuple[np.ndarray, np.ndarray]:
        half = -student_quantile(p, df) * error
        return estimate - half, estimate + half

    return ByEnds(ends)


def by_interval(confidence_interval: Callable[[float], tuple[np.ndarray, np.ndarray]]) -> ByEnds:
    """Two-sided intervals of a result, as it makes them unless asked otherwise."""
    return ByEnds(lambda p: confidence_interval(1 - 2 * p))


# --- tables -------------------------------------------------------------------------------------------------------------------

Draw = Callable[[np.random.Generator, int, np.ndarray, int], np.ndarray]
"""(rng, number of tables, true values of the models, units) -> scores of tables x models x units."""


def correlated(rho: float) -> Draw:
    """Splits of one dataset: two scores of a model share rho of their variance, and a hard split is hard for all models."""

    def draw(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
        shape = (n_tables, means.size)
        own = np.sqrt(rho) * rng.normal(size=(*shape, 1)) + np.sqrt(1 - rho) * rng.normal(size=(*shape, n))
        return BASE + means[:, None] + SIGMA * (own + rng.normal(size=(n_tables, 1, n)))

    return draw


SPLIT_SIZES = {10: (900, 100), 25: (800, 200), 30: (900, 100), 100: (900, 100)}
"""Splits -> training and test examples: 10-fold, 5 x 5-fold, 3 x 10-fold, 10 x 10-fold."""
SPLIT_NAMES = {10: "10-fold", 25: "5 x 5-fold", 30: "3 x 10-fold", 100: "10 x 10-fold"}


def draw_splits(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    n_train, n_test = SPLIT_SIZES[n]
    return correlated(n_test / (n_train + n_test))(rng, n_tables, means, n)


def draw_datasets(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """One score of each dataset: its ease, and normal noise for each model."""
    ease = rng.uniform(0.6, 0.9, (n_tables, 1, n))
    return ease + means[:, None] + SIGMA * rng.normal(size=(n_tables, means.size, n))


def draw_heavy(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """The same with noise of heavy tails, t with 3 df."""
    ease = rng.uniform(0.6, 0.9, (n_tables, 1, n))
    return ease + means[:, None] + SIGMA / np.sqrt(3) * rng.standard_t(3, (n_tables, means.size, n))


def draw_seeds(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Runs with seeds that all models share, and some of their luck with them."""
    return BASE + means[:, None] + SIGMA * (rng.normal(size=(n_tables, 1, n)) + rng.normal(size=(n_tables, means.size, n)))


def draw_own_seeds(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Runs of each model with seeds of its own; spreads from 1 to 2."""
    spread = SIGMA * np.linspace(1.0, 2.0, means.size)[:, None]
    return BASE + means[:, None] + spread * rng.normal(size=(n_tables, means.size, n))


def draw_answers(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Right or wrong: 0.7 of the items, of which the hard ones are hard for all models."""
    latent = np.sqrt(0.5) * (rng.normal(size=(n_tables, 1, n)) + rng.normal(size=(n_tables, means.size, n)))
    return (latent < norm.ppf(0.7 + means)[:, None]).astype(float)


def draw_graded(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Graded answers, normal."""
    return 0.5 + means[:, None] + 0.2 * (rng.normal(size=(n_tables, 1, n)) + rng.normal(size=(n_tables, means.size, n)))


def draw_skewed(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Graded answers whose noise is lognormal, as that of costs and lengths is."""
    return means[:, None] + np.exp(0.5 * rng.normal(size=(n_tables, 1, n)) + rng.normal(size=(n_tables, means.size, n)))


def cluster_of(n_clusters: int) -> np.ndarray:
    """Clusters of the items: of 2, 3, 4, 6 and 10 of them in turn."""
    return np.repeat(np.arange(n_clusters), np.resize([2, 3, 4, 6, 10], n_clusters))


def draw_clusters(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Graded answers in n clusters, each of which suits some models better than others."""
    cluster = cluster_of(n)
    shape = (n_tables, means.size)
    liked = rng.normal(size=(*shape, n))[..., cluster]
    return 0.5 + means[:, None] + 0.1 * liked + 0.2 * rng.normal(size=(*shape, cluster.size))


def draw_counts(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Numbers of right answers of n, on a test set of each model's own."""
    return rng.binomial(n, 0.85 + means[:, None], (n_tables, means.size, 1)).astype(float)


def positives(n: int) -> np.ndarray:
    return np.arange(n) < n // 2


def draw_ranked(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Scores of two classes, areas near 0.75; half of the spread is shared by all models."""
    noise = np.sqrt(0.5) * (rng.normal(size=(n_tables, 1, n)) + rng.normal(size=(n_tables, means.size, n)))
    return noise + np.sqrt(2) * norm.ppf(0.75 + means)[:, None] * positives(n)


def draw_labels(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Predicted classes, of which 0.75 are right."""
    return np.where(draw_answers(rng, n_tables, means + 0.05, n) > 0, positives(n), ~positives(n)).astype(float)


def losses(autocorrelation: float) -> Draw:
    """Losses in order of time, whose surprises last."""

    def draw(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
        surprise = rng.normal(size=(n_tables, means.size, n))
        own = np.empty_like(surprise)
        own[..., 0] = surprise[..., 0]
        for t in range(1, n):
            own[..., t] = autocorrelation * own[..., t - 1] + np.sqrt(1 - autocorrelation**2) * surprise[..., t]
        return 1.0 - means[:, None] + SIGMA * (own + rng.normal(size=(n_tables, 1, n)))

    return draw


# --- procedures ---------------------------------------------------------------------------------------------------------------

Judge = Callable[[np.ndarray, int], Judged]
"""(scores of tables x models x units, units) -> all pairs, higher is better."""


def differences(scores: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(scores.shape[1], 1)
    return scores[:, first] - scores[:, second]


def judge_corrected(scores: np.ndarray, n: int) -> Judged:
    n_train, n_test = SPLIT_SIZES[n]
    found = corrected_ttest(differences(scores), test_train_ratio=n_test / n_train)
    return student(found.difference, found.standard_error, found.df)


def judge_paired(scores: np.ndarray, n: int) -> Judged:
    found = paired_ttest(differences(scores))
    return student(found.difference, found.standard_error, found.df)


def judge_five_by_two(scores: np.ndarray, n: int) -> Judged:
    d = differences(scores)
    found = five_by_two_cv_test(d.reshape(*d.shape[:-1], 5, 2))
    return student(d[..., 0], np.sqrt(found.variances.mean(axis=-1)), found.t_df)


def judge_wilcoxon(scores: np.ndarray, n: int) -> Judged:
    """The test that the interval inverts; its own p-value, which no verdict reads, would take ten times as long."""
    d = differences(scores)
    rows, scale = d.shape[:-1], np.abs(scores).max()
    one = wilcoxon(d[0, :1], continuity=False, scale=scale)
    found = replace(one, differences=d, n_units=np.full(rows, n), tolerance=np.full(rows, 1e-12 * scale))
    return ByTails(found.tail_below, found.tail_above)


def judge_sign(scores: np.ndarray, n: int) -> Judged:
    found = sign_test(differences(scores), scale=np.abs(scores).max())
    return ByTails(found.tail_below, found.tail_above)


def judge_wins(scores: np.ndarray, n: int) -> Judged:
    """Clopper and Pearson's limits of the share of datasets that are won; at 0 the exact sign test."""
    d = differences(scores)
    won, lost = (d > 0).sum(axis=-1), (d < 0).sum(axis=-1)

    def at_least(wins: np.ndarray, at: float) -> np.ndarray:
        return np.where(wins <= 0, 1.0, bdtrc(np.maximum(wins, 1) - 1, np.maximum(won + lost, 1), (1 + at) / 2))

    return ByTails(lambda at: at_least(won, at), lambda at: at_least(lost, -at))


def judge_nemenyi(scores: np.ndarray, n: int) -> Judged:
    """Its critical difference for all pairs is its own level; p is not read."""
    ranks = average_ranks(np.swapaxes(scores, 1, 2))
    half = critical_difference(scores.shape[1], n, ALPHA)
    d = -differences(ranks[..., None])[..., 0]
    return ByEnds(lambda p: (d - half, d + half))


def judge_median(scores: np.ndarray, n: int) -> Judged:
    found = median_posterior(differences(scores), scale=np.abs(scores).max())
    return ByTails(lambda at: found.tail_below(np.asarray(at)), lambda at: found.tail_above(np.asarray(at)))


def n_draws(n_models: int) -> int:
    """Draws that `compare` takes: enough for the level of all pairs."""
    return int(min(max(9_999, np.ceil(20 * n_models * (n_models - 1) / 2 / ALPHA)), 100_000))


def by_draws(drawn: np.ndarray) -> Judged:
    """Posterior draws on the last axis: the ends are their quantiles."""
    drawn = np.sort(drawn, axis=-1)

    def at(p: float) -> np.ndarray:
        place = p * (drawn.shape[-1] - 1)
        low = int(place)
        return drawn[..., low] + (place - low) * (drawn[..., min(low + 1, drawn.shape[-1] - 1)] - drawn[..., low])

    return ByEnds(lambda p: (at(p), at(1 - p)))


def judge_signed_rank_posterior(scores: np.ndarray, n: int) -> Judged:
    found = signed_rank_posterior(differences(scores), scale=np.abs(scores).max())
    return by_draws(found.centres(n_draws(scores.shape[1]), 0))


def judge_hierarchical(scores: np.ndarray, n: int) -> Judged:
    """Ten splits of each of n datasets, whose differences correlate by 0.1."""
    d = differences(scores)
    posteriors = [hierarchical_posterior(row.reshape(n, 10), test_train_ratio=1 / 9) for row in d.reshape(-1, d.shape[-1])]

    def ends(p: float) -> tuple[np.ndarray, np.ndarray]:
        found = np.array([each.credible_interval(1 - 2 * p) for each in posteriors])
        return found[:, 0].reshape(d.shape[:-1]), found[:, 1].reshape(d.shape[:-1])

    return ByEnds(ends)


def draw_dataset_splits(rng: np.random.Generator, n_tables: int, means: np.ndarray, n: int) -> np.ndarray:
    """Ten splits of each dataset, in one axis."""
    by_dataset = draw_datasets(rng, n_tables, means, n)
    shape = (n_tables, means.size, n)
    folds = np.sqrt(0.1) * rng.normal(size=(*shape, 1)) + np.sqrt(0.9) * rng.normal(size=(*shape, 10))
    return (by_dataset[..., None] + SIGMA * folds).reshape(n_tables, means.size, 10 * n)


def judge_welch(scores: np.ndarray, n: int) -> Judged:
    first, second = np.triu_indices(scores.shape[1], 1)
    found = welch_ttest(scores[:, first], scores[:, second])
    return student(found.estimate, found.standard_error, found.df)


def paired_rates(scores: np.ndarray, n: int) -> Any:
    first, second = np.triu_indices(scores.shape[1], 1)
    both, right = scores @ np.swapaxes(scores, 1, 2), scores.sum(axis=-1)
    both = both[:, first, second]
    only_first, only_second = right[:, first] - both, right[:, second] - both
    return paired_proportions(both, only_first, only_second, n - both - only_first - only_second)


def judge_tango(scores: np.ndarray, n: int) -> Judged:
    found = paired_rates(scores, n)
    return ByTails(
        lambda at: norm.cdf(-np.asarray(found.score_statistic(at))), lambda at: norm.cdf(np.asarray(found.score_statistic(at)))
    )


def judge_newcombe_paired(scores: np.ndarray, n: int) -> Judged:
    found = paired_rates(scores, n)
    return ByEnds(lambda p: tuple(np.asarray(found.limit(p, upper=upper, method="newcombe")) for upper in (False, True)))


def judge_graded(scores: np.ndarray, n: int) -> Judged:
    return by_interval(clustered_mean(differences(scores)).confidence_interval)


def judge_clusters(scores: np.ndarray, n: int) -> Judged:
    sums = cluster_sums(scores.reshape(-1, scores.shape[-1]), cluster_of(n))
    totals = differences(sums.totals.reshape(*scores.shape[:2], -1))
    return by_interval(mean_of_clusters(sums._replace(totals=totals)).confidence_interval)


def judge_rates(method: str) -> Judge:
    def judge(scores: np.ndarray, n: int) -> Judged:
        first, second = np.triu_indices(scores.shape[1], 1)
        found = independent_proportions(scores[:, first, 0], n, scores[:, second, 0], n)
        return ByEnds(lambda p: tuple(np.asarray(found.limit(p, upper=upper, method=method)) for upper in (False, True)))

    return judge


def judge_delong(scores: np.ndarray, n: int) -> Judged:
    pairs = np.triu_indices(scores.shape[1], 1)
    found = [paired_auc(positives(n), table).difference(*pairs) for table in scores]

    def ends(p: float) -> tuple[np.ndarray, np.ndarray]:
        low, high = zip(*(each.confidence_interval(1 - 2 * p) for each in found), strict=True)
        return np.array(low), np.array(high)

    return ByEnds(ends)


def judge_losses(scores: np.ndarray, n: int) -> Judged:
    return by_interval(diebold_mariano_test(-differences(scores)).confidence_interval)


def judge_bootstrap(scores: np.ndarray, n: int) -> Judged:
    """F1 of predicted classes, BCa."""
    pairs = np.triu_indices(scores.shape[1], 1)
    found = []
    for table in scores:
        metric = metric_of_classes(positives(n).astype(int), table.astype(int), "f1")
        drawn = bootstrap_metric(metric, n_resamples=n_draws(scores.shape[1]), resampling="random", rng=0)
        found.append(drawn.difference(*pairs))

    def ends(p: float) -> tuple[np.ndarray, np.ndarray]:
        low, high = zip(*(each.confidence_interval(1 - 2 * p) for each in found), strict=True)
        return np.array(low), np.array(high)

    return ByEnds(ends)


def judge_permutation(scores: np.ndarray, n: int) -> Judged:
    """Means over random halves of the items, the same for all tables as `compare` has one seed: Hartigan's typical values."""
    flips = np.random.Generator(np.random.SFC64(0)).integers(0, 2, (n_draws(scores.shape[1]), n), dtype=np.int8).astype(float)
    d = differences(scores)
    size = np.maximum(flips.sum(axis=1), 1)
    drawn = np.stack([table @ flips.T / size for table in d])
    total = 1.0 + drawn.shape[-1]
    return ByTails(lambda at: (1 + (drawn <= at).sum(axis=-1)) / total, lambda at: (1 + (drawn >= at).sum(axis=-1)) / total)


def judge_bayes_bootstrap(scores: np.ndarray, n: int) -> Judged:
    drawn = bayesian_bootstrap(scores.reshape(-1, n), n_draws=n_draws(scores.shape[1]), rng=0).draws
    return by_draws(differences(np.asarray(drawn).reshape(*scores.shape[:2], -1)))


def judge_ratings(scores: np.ndarray, n: int) -> Judged:
    """Bradley-Terry over datasets: who is shown better at the level that holds for all ranks at once; p is not read."""
    first, second = np.triu_indices(scores.shape[1], 1)
    shown = []
    for table in scores:
        found = bradley_terry_bootstrap(outcomes_of_scores(table), n_bootstrap=1000, rng=0)
        better = found.shown_better(1 - ALPHA)
        shown.append(better[first, second].astype(float) - better[second, first])
    sign = np.array(shown)
    return ByEnds(lambda p: (sign - 0.5, sign + 0.5))


# --- the same tables for `tb.compare` -----------------------------------------------------------------------------------------

Source = Callable[[np.ndarray, int], tuple[Any, dict[str, Any]]]
"""(scores of models x units, units) -> source and settings."""


def named(table: np.ndarray) -> dict[str, np.ndarray]:
    return {f"m{row:02d}": values for row, values in enumerate(table)}


def as_splits(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return named(table), {"metric": "accuracy", "n_train": SPLIT_SIZES[n][0], "n_test": SPLIT_SIZES[n][1]}


def as_datasets(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return {"dataset": [f"d{i:03d}" for i in range(n)], **named(table)}, {"metric": "accuracy"}


def as_seeds(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return {"seed": np.arange(n), **named(table)}, {"metric": "accuracy"}


def as_own_seeds(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    names = np.repeat(list(named(table)), n)
    return {"model": names, "seed": np.arange(names.size), "score": table.ravel()}, {"metric": "accuracy"}


def as_items(metric: str) -> Source:
    def source(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
        clusters = {"cluster": cluster_of(n)} if table.shape[1] > n else {}
        frame = pd.DataFrame({"item": np.arange(table.shape[1]), **clusters, **named(table)})
        return tb.read_items(frame, metric=metric, lower_is_better=False), {}

    return source


def as_counts(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return {"model": list(named(table)), "correct": table[:, 0].astype(int), "n": np.full(len(table), n)}, {"metric": "accuracy"}


def as_predictions(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return tb.read_predictions(positives(n).astype(int), named(1 / (1 + np.exp(-table)))), {"metric": "roc_auc"}


def as_labels(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return tb.read_predictions(positives(n).astype(int), named(table.astype(int)), metric="f1"), {}


def as_losses(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return pd.DataFrame({"time": np.arange(n), **named(table)}), {"metric": "mean_absolute_error"}


# --- worlds -------------------------------------------------------------------------------------------------------------------


class World(NamedTuple):
    """Tables of one question and the procedure that judges them.

    `spread` is the standard deviation of a pair's difference on one unit, and `auto` that `compare` takes the procedure by
    itself. `changing` procedures are about to get a less liberal default. Loops over tables draw at most `most`.
    """

    procedure: str
    data: str
    draw: Draw
    judge: Judge
    auto: bool
    units: tuple[int, ...] = UNITS
    models: tuple[int, ...] = MODELS
    most: int | None = None
    changing: bool = False
    source: Source | None = None
    spread: float = np.sqrt(2) * SIGMA

    def data_of(self, n: int) -> str:
        return SPLIT_NAMES[n] if self.data == "splits" else self.data


NORMAL = "differences between datasets: normal"
HEAVY = "differences between datasets: heavy tails (t with 3 df)"
SHARED_SEEDS = "seeds that all models share"
RATES = "test sets of each model's own, rates near 0.85"
AREAS = "predictions of two classes, areas near 0.75"
GRADED, BINARY = "items, graded", "items, right or wrong"
WORLDS = (
    World("corrected-t", "splits", draw_splits, judge_corrected, True, source=as_splits),
    World("wilcoxon", NORMAL, draw_datasets, judge_wilcoxon, True, source=as_datasets),
    World("wilcoxon", HEAVY, draw_heavy, judge_wilcoxon, True),
    World("sign", "wins on datasets of mixed metrics", draw_datasets, judge_wins, True),
    World("paired-t", SHARED_SEEDS, draw_seeds, judge_paired, True, source=as_seeds),
    World("welch", "other seeds for each model, spreads 1 to 2", draw_own_seeds, judge_welch, True, source=as_own_seeds),
    World("tango", BINARY, draw_answers, judge_tango, True, source=as_items("accuracy"), spread=0.56),
    World("newcombe", RATES, draw_counts, judge_rates("newcombe"), True, source=as_counts, spread=0.5),
    World("clustered-t", GRADED, draw_graded, judge_graded, True, changing=True, source=as_items("quality"), spread=0.28),
    World("clustered-t", "items, graded, lognormal", draw_skewed, judge_graded, True, changing=True),
    World("clustered-t", "items, graded, in so many clusters", draw_clusters, judge_clusters, True, changing=True,
          source=as_items("quality"), spread=0.2),
    World("delong", AREAS, draw_ranked, judge_delong, True, most=2000, changing=True, source=as_predictions, spread=0.5),
    World("diebold-mariano", "losses, independent", losses(0.0), judge_losses, True, changing=True, source=as_losses),
    World("diebold-mariano", "losses, autocorrelation 0.3", losses(0.3), judge_losses, True, changing=True),
    World("bootstrap", "predicted classes, F1", draw_labels, judge_bootstrap, True, (30, 100), (3, 5), 400, source=as_labels,
          spread=0.7),
    World("bradley-terry", "wins on datasets", draw_datasets, judge_ratings, True, (10, 30, 100), (3, 5, 10), 300),
    World("paired-t", "splits", draw_splits, judge_paired, False),
    World("5x2cv-t", "5 x 2-fold", correlated(0.5), judge_five_by_two, False, (10,)),
    World("sign", NORMAL, draw_datasets, judge_sign, False),
    World("hierarchical", NORMAL, draw_dataset_splits, judge_hierarchical, False, (10,), (3,), 100),
    World("bayes-signed-rank", NORMAL, draw_datasets, judge_signed_rank_posterior, False, (10,), (3, 5), 500),
    World("bayes-signed-rank", NORMAL, draw_datasets, judge_signed_rank_posterior, False, (30,), (3,), 300),
    World("bayes-sign", NORMAL, draw_datasets, judge_median, False),
    World("nemenyi", NORMAL, draw_datasets, judge_nemenyi, False),
    World("agresti-caffo", RATES, draw_counts, judge_rates("agresti-caffo"), False),
    World("z", RATES, draw_counts, judge_rates("wald"), False),
    World("newcombe-paired", BINARY, draw_answers, judge_newcombe_paired, False),
    World("permutation", GRADED, draw_graded, judge_permutation, False, (30, 100), (3, 10), 300),
    World("bayes-bootstrap", GRADED, draw_graded, judge_bayes_bootstrap, False, (30, 100), (3, 10), 300),
)  # fmt: skip
OWN_LEVEL = ("nemenyi", "bradley-terry")
"""Procedures that allow for all models by themselves, so that no family but theirs can be read off them."""


def batches(n_tables: int, n_models: int, n: int, draws: int = 1) -> Iterator[int]:
    """Sizes of batches that hold about `BLOCK` differences."""
    step = max(1, BLOCK // (n_models * (n_models - 1) // 2 * max(n, draws)))
    for start in range(0, n_tables, step):
        yield min(step, n_tables - start)


def tables_of(world: World, means: np.ndarray, n: int, n_tables: int, seed: int) -> Iterator[tuple[np.ndarray, Judged]]:
    """Batches of tables, with their pairs judged."""
    n_tables = min(n_tables, world.most or n_tables, MOST // (means.size * (means.size - 1) // 2 * n))
    rng = np.random.default_rng([seed, means.size, n, *world.procedure.encode(), *world.data.encode()])
    width = {"permutation": n_draws(means.size), "bayes-bootstrap": n_draws(means.size)}.get(world.procedure, 10 * n)
    for size in batches(n_tables, means.size, n, width if world.most else 1):
        scores = world.draw(rng, size, means, n)
        yield scores, world.judge(scores, n)


def goal(n_tables: int, n_cells: int) -> int:
    """Most of the tables that may be wrong."""
    return int(binom.isf(TEST_LEVEL / max(n_cells, 1), n_tables, ALPHA))


# --- parts --------------------------------------------------------------------------------------------------------------------

Row = dict[str, Any]


def row_of(procedure: str, data: str, n: int, truth: str, missed: float, wrong: float, n_tables: int) -> Row:
    """A row of docs/error-rates.csv, its rates in per cent as `methods.py` writes them."""
    rates = (f"{each / n_tables:.1%}"[:-1] for each in (missed, wrong))
    return dict(zip(("procedure", "data", "units", "truth", "misses", "wrong", "tables"), (procedure, data, n, truth, *rates, n_tables), strict=True))  # fmt: skip


def equal_models(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `equal`."""
    worlds = [world for world in WORLDS if not arguments.only or world.procedure in arguments.only]
    n_cells = sum(len(world.units) * len(world.models) for world in worlds if world.auto)
    print(f"\nEqual models: share of tables, in %, in which some model is called 'not best'; goal by {n_cells} binomial tests")
    print(f"{'procedure':18}{'data':56}{'units':>6}{'models':>7}{'tables':>8}{'pairs':>8}{'best':>8}{'goal':>8}")
    missed, rows = 0, []
    for world in worlds:
        begun = time.perf_counter()
        for n in world.units:
            for n_models in world.models:
                counts, n_tables = np.zeros(3, dtype=int), 0
                for scores, judged in tables_of(world, np.zeros(n_models), n, arguments.tables, 21):
                    n_tables += len(scores)
                    for place, family in enumerate(("pairs", "best")):
                        p = family_level(n_models, family)
                        wins, loses = judged.above(0.0, p), judged.below(0.0, p)
                        arrows = shown_above(n_models, wins, loses)
                        counts[place] += int((~may_be_best(arrows)).any(axis=1).sum())
                        if family == "pairs":
                            counts[2] += int((wins | loses).any(axis=1).sum())
                most = goal(n_tables, n_cells)
                is_missed = bool(world.auto and counts[0] > most)
                missed += is_missed
                best = "" if world.procedure in OWN_LEVEL else f"{100 * counts[1] / n_tables:.2f}"
                note = "  MISSED" * is_missed + "  (changing)" * (world.changing and is_missed)
                print(
                    f"{world.procedure:18}{world.data_of(n):56}{n:6}{n_models:7}{n_tables:8}{100 * counts[0] / n_tables:8.2f}"
                    f"{best:>8}{f'{100 * most / n_tables:.2f}' if world.auto else 'none':>8}{note}",
                    flush=True,
                )
                if n_models in KEPT_MODELS and world.procedure in tb.methods():
                    data = f"{n_models} models, {world.data_of(n)}"
                    rows.append(row_of(world.procedure, data, n, "none", counts[2], counts[0], n_tables))
        print(f"{'':18}{time.perf_counter() - begun:.0f} s", flush=True)
    return missed, rows


KEPT_MODELS = (3, 10)
"""Models of the rows that go to the page."""

GRADED_STEPS = (0.25, 0.5, 1.0, 2.0)
"""Distance of neighbours, in standard errors of a difference."""


def graded_models(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `graded`."""
    print("\n10 models whose true values are evenly spread: mean number that may be the best, and how often the best is not")
    print(f"{'procedure':18}{'data':44}{'units':>6}{'step':>6}{'pairs':>8}{'best':>8}{'ratio':>8}{'lost %':>8}")
    missed = 0
    for world in WORLDS:
        if world.procedure not in ("corrected-t", "wilcoxon", "tango", "clustered-t", "welch") or world.source is None:
            continue
        for n in world.units:
            n_train, n_test = SPLIT_SIZES[n] if world.data == "splits" else (1, 0)
            correlation = n_test / (n_train + n_test)
            error = world.spread * np.sqrt(correlation + (1 - correlation) / n)
            for step in GRADED_STEPS:
                means = -step * error * np.arange(10.0)
                if world.procedure == "tango" and means[-1] < -0.6:
                    continue
                sizes, lost, n_tables = np.zeros(2), 0, 0
                for scores, judged in tables_of(world, means, n, arguments.tables // 4, 22):
                    n_tables += len(scores)
                    for place, family in enumerate(("pairs", "best")):
                        p = family_level(10, family)
                        best = may_be_best(shown_above(10, judged.above(0.0, p), judged.below(0.0, p)))
                        sizes[place] += best.sum()
                        lost += int((~best[:, 0]).sum()) * (place == 0)
                ratio = sizes[0] / sizes[1]
                is_missed = bool(ratio > 1.4)
                missed += is_missed
                print(
                    f"{world.procedure:18}{world.data_of(n):44}{n:6}{step:6.2f}{sizes[0] / n_tables:8.2f}{sizes[1] / n_tables:8.2f}"
                    f"{ratio:8.2f}{100 * lost / n_tables:8.2f}{'  MISSED' * is_missed}",
                    flush=True,
                )
    return missed, []


DATASET_ROPE = 0.02
DATASET_TRUTHS = {"none": 0.0, "half the rope": 0.5, "the rope": 1.0}


def dataset_cells() -> Iterator[tuple[int, int, str, str]]:
    """Models, datasets, true difference, and family: all pairs of two groups or of a chain, or a baseline against all others."""
    for n_models in (2, 8, 20):
        for n in (30, 60):
            for truth in DATASET_TRUTHS:
                yield n_models, n, truth, "all pairs"
                if n_models > 2:
                    yield n_models, n, truth, "baseline"
                    if truth != "none":
                        yield n_models, n, truth, "chain"


def with_rope(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `datasets`: normal scores whose differences have a standard deviation of 0.4 ropes over datasets."""
    cells = list(dataset_cells())
    n_tables, n_holm = arguments.tables, min(arguments.tables, 400)
    most = goal(n_tables, len(cells))
    print("\nDatasets with a rope, sd of differences 0.4 ropes, wilcoxon: tables with a wrong verdict, in %, and with a missing")
    print(f"interval; bonferroni, {n_tables} tables, goal at most {100 * most / n_tables:.2f}; Holm's level on {n_holm} of them")
    print(f"{'models':>6}{'datasets':>9} {'difference':16}{'family':12}{'wrong':>8}{'misses':>8}{'Holm':>8}")
    missed, rows = 0, []
    for n_models, n, truth, family in cells:
        shift = DATASET_TRUTHS[truth] * DATASET_ROPE
        means = shift * (np.arange(n_models) % 2 if family == "all pairs" else np.arange(n_models) if family == "chain" else np.arange(n_models) > 0)  # fmt: skip
        first, second = np.triu_indices(n_models, 1)
        kept = first == 0 if family == "baseline" else np.ones(first.size, dtype=bool)
        d, m = (means[first] - means[second])[kept], int(kept.sum())
        rng = np.random.default_rng([23, n_models, n, round(1e6 * shift), len(family)])
        wrong = misses = wrong_by_holm = done = 0
        for size in batches(n_tables, n_models, n):
            noise = 0.4 * DATASET_ROPE / np.sqrt(2) * rng.normal(size=(size, n_models, n))
            scores = rng.uniform(0.6, 0.9, (size, 1, n)) + means[:, None] + noise
            judged = PartOfPairs(judge_wilcoxon(scores, n), kept)
            wrong += int(is_wrong(judged.verdicts(DATASET_ROPE, ALPHA / (2 * m)), d, DATASET_ROPE).any(axis=1).sum())
            centred = PartOfPairs(judge_wilcoxon(scores - means[:, None], n), kept)
            misses += int((centred.above(0.0, ALPHA / (2 * m)) | centred.below(0.0, ALPHA / (2 * m))).any(axis=1).sum())
            some = scores[: max(0, n_holm - done)]
            if len(some):
                p = np.atleast_2d(wilcoxon(differences(some)[:, kept], continuity=False, scale=np.abs(some).max()).pvalue)
                level = np.array([interval_level(row, "holm", ALPHA) for row in p])[:, None]
                part = PartOfPairs(judge_wilcoxon(some, n), kept)
                wrong_by_holm += int(is_wrong(part.verdicts(DATASET_ROPE, level / 2), d, DATASET_ROPE).any(axis=1).sum())
            done += size
        is_missed = bool(wrong > most)
        missed += is_missed
        print(
            f"{n_models:6}{n:9} {truth:16}{family:12}{100 * wrong / n_tables:8.2f}{100 * misses / n_tables:8.2f}"
            f"{100 * wrong_by_holm / n_holm:8.2f}{'  MISSED' * is_missed}",
            flush=True,
        )
        if n_models > 2 and n == 30:
            names = {"all pairs": "all pairs", "chain": "all pairs of a chain", "baseline": "a baseline"}
            data = f"{n_models} models, {names[family]}, differences of sd 0.4 ropes"
            rows.append(row_of("wilcoxon", data, n, truth, misses, wrong, n_tables))
    return missed, rows


@dataclass
class PartOfPairs(Judged):
    """Some of the pairs."""

    judged: Judged
    kept: np.ndarray

    def above(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        return self._of(self.judged.above, at, p, noise)

    def below(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        return self._of(self.judged.below, at, p, noise)

    def _of(self, beyond: Callable[..., np.ndarray], *arguments: Any) -> np.ndarray:
        return beyond(*arguments)[:, self.kept]


SPLIT_TRUTHS = ("0", "rope / 2", "rope", "rope + 1 se", "mixed")


def split_means(n_models: int, rope: float, error: float, truth: str) -> np.ndarray:
    """True means as in `one_interval.py`: half of the models at the base, the others above it."""
    steps = {"0": (0.0,), "rope / 2": (rope / 2,), "rope": (rope,), "rope + 1 se": (rope + error,)}
    steps["mixed"] = (rope / 2, rope, 0.0, rope + error)
    return np.array([steps[truth][row // 2 % len(steps[truth])] if row % 2 == 0 else 0.0 for row in range(n_models)])


def corrected_splits(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `splits`."""
    cells = [(m, n, r, t) for m in (2, 5, 20) for n in (10, 25, 100) for r in (1.0, 4.0) for t in SPLIT_TRUTHS]
    n_tables = arguments.tables // 2
    most = goal(n_tables, 3 * len(cells))
    print(f"\nCorrected t, {len(cells)} situations of one_interval.py, {n_tables} tables each: anything wrong, in %; goal at most "
          f"{100 * most / n_tables:.2f}")  # fmt: skip
    print(f"{'models':>6}{'splits':>7}{'rope':>6} {'difference':14}{'verdicts':>9}{'intervals':>10}{'ranking':>8}")
    missed, rows, worst = 0, [], {}
    names = {"0": "none", "rope / 2": "half the rope", "rope": "the rope"}
    for n_models, n, rope_in_errors, truth in cells:
        n_train, n_test = SPLIT_SIZES[n]
        rho = n_test / (n_train + n_test)
        error = float(np.sqrt(2 * (rho + (1 - rho) / n)) * SIGMA)
        rope = rope_in_errors * error
        means = split_means(n_models, rope, error, truth)
        first, second = np.triu_indices(n_models, 1)
        d, shortfall = means[first] - means[second], means.max() - means
        p = family_level(n_models, "pairs")
        rng = np.random.default_rng([24, n_models, n, int(rope_in_errors), SPLIT_TRUTHS.index(truth)])
        counts = np.zeros(3, dtype=int)
        for size in batches(n_tables, n_models, n):
            judged = judge_corrected(draw_splits(rng, size, means, n), n)
            low, high = judged.ends(p)
            counts[0] += int(is_wrong(judged.verdicts(rope, p), d, rope).any(axis=1).sum())
            counts[1] += int(((low > d) | (high < d)).any(axis=1).sum())
            counts[2] += int(ranking_is_wrong(n_models, low, high, shortfall, rope).sum())
        is_missed = bool((counts > most).any())
        missed += is_missed
        for what, count in zip(("verdicts", "intervals", "ranking"), counts, strict=True):
            worst[n_models, what] = max(worst.get((n_models, what), 0.0), 100 * count / n_tables)
        if is_missed or arguments.all:
            print(
                f"{n_models:6}{n:7}{rope_in_errors:6g} {truth:14}"
                + "".join(f"{100 * count / n_tables:{width}.2f}" for count, width in zip(counts, (9, 10, 8), strict=True))
                + "  MISSED" * is_missed,
                flush=True,
            )
        if n == 25 and rope_in_errors == 4.0 and n_models > 2 and truth in names:
            rows.append(row_of("corrected-t", f"{n_models} models, {SPLIT_NAMES[n]}, a rope of 4 standard errors", n,
                               names[truth], counts[1], counts[0], n_tables))  # fmt: skip
    for n_models in (2, 5, 20):
        print(f"worst of {n_models} models:" + ",".join(f" {what} {worst[n_models, what]:.2f}" for what in ("verdicts", "intervals", "ranking")))  # fmt: skip
    return missed, rows


def ranking_is_wrong(n_models: int, low: np.ndarray, high: np.ndarray, shortfall: np.ndarray, rope: float) -> np.ndarray:
    """Tables in which a best model is called "not best", a shortfall is larger than its bound, or a standing says too much."""
    best = may_be_best(shown_above(n_models, low > 0, high < 0))
    bound = shortfalls(high, low, best)
    noise = 1e-12
    is_best = shortfall <= noise
    alone = best & (best.sum(axis=1, keepdims=True) == 1)
    near = bound <= rope + noise
    wrong = (~best & is_best) | (shortfall > bound + noise) | (alone & ~is_best) | (near & (shortfall > rope + noise))
    return wrong.any(axis=1)


def same_as_package(arguments: argparse.Namespace) -> tuple[int, list[Row]]:
    """Part `package`: verdicts of all pairs, and who may be the best, for graded models with a rope and without."""
    worlds = [world for world in WORLDS if world.source and (not arguments.only or world.procedure in arguments.only)]
    per_world = -(-CHECKED_TABLES // len(worlds))
    print(f"\nThe same tables through tb.compare, {per_world} of each of {len(worlds)} worlds")
    missed = 0
    for world in worlds:
        n, n_differing, start = world.units[1], 0, time.perf_counter()
        for place in range(per_world):
            n_models = world.models[place % min(3, len(world.models))]
            error = world.spread / np.sqrt(n)
            means = -2.0 * error * np.arange(n_models)[::-1] if place % 4 else np.zeros(n_models)
            means = np.maximum(means, -0.2) if world.spread > 0.25 else means
            rope = 2.0 * error * (place % 2)
            rng = np.random.default_rng([25, place, n_models, *world.procedure.encode()])
            scores = world.draw(rng, 1, means, n)
            judged = world.judge(scores, n)
            p = family_level(n_models, "pairs")
            verdict = judged.verdicts(rope, p)[0]
            best = may_be_best(shown_above(n_models, judged.above(0.0, p), judged.below(0.0, p)))[0]
            source, settings = world.source(scores[0], n)
            answer = tb.compare(source, rope=rope, alpha=ALPHA, correction="bonferroni", **settings)
            if answer.method != world.procedure:
                raise AssertionError(f"tb.compare takes {answer.method} of {world.data}, not {world.procedure}")
            theirs = [answer.pair(f"m{i:02d}", f"m{j:02d}").verdict for i, j in zip(*np.triu_indices(n_models, 1), strict=True)]
            shortlist = {f"m{row:02d}" for row in np.flatnonzero(best)}
            n_differing += theirs != [VERDICTS[code] for code in verdict] or set(answer.shortlist()) != shortlist
        missed += n_differing > 0
        print(
            f"{world.procedure:18}{world.data_of(n):56}{n_differing:4} of {per_world} differ{'  MISSED' * (n_differing > 0)}"
            f"   {time.perf_counter() - start:.0f} s",
            flush=True,
        )
    return missed, []


PARTS: dict[str, Callable[[argparse.Namespace], tuple[int, list[Row]]]] = {
    "equal": equal_models,
    "graded": graded_models,
    "datasets": with_rope,
    "splits": corrected_splits,
    "package": same_as_package,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all if none is given")
    parser.add_argument("--tables", type=int, default=4000, help="tables for each cell of `equal` and `datasets`, a half and a quarter of `splits` and `graded`")  # fmt: skip
    parser.add_argument("--only", type=lambda text: text.split(","), help="procedures of `equal` and `package`, with commas")
    parser.add_argument("--all", action="store_true", help="print all 90 situations of `splits`, not only what misses")
    parser.add_argument("--csv", type=Path, help="put the rows of the site's page of methods into this file")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS) | set(arguments.only or ()) - {world.procedure for world in WORLDS}
    if unknown:
        parser.error(f"not known: {', '.join(sorted(unknown))}")
    parts = arguments.parts or (["equal", "package"] if arguments.only else list(PARTS))
    start, missed, rows = time.perf_counter(), {}, []
    for part in parts:
        begun = time.perf_counter()
        missed[part], found = PARTS[part](arguments)
        rows += found
        print(f"{part}: {missed[part]} missed, {time.perf_counter() - begun:.0f} s", flush=True)
    if arguments.csv:
        write_rows(arguments.csv, rows)
    print(f"\n{sum(missed.values())} missed in all, {time.perf_counter() - start:.0f} s")
    return 1 if any(missed.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
