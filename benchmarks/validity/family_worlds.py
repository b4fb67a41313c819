"""Tables of known truth for every question, as arrays of many tables, and their pairs judged by `statistics`.

`one_family.py` draws from them; `World` says what one is.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import bdtrc
from scipy.stats import norm

import tiebreak as tb
from tiebreak.comparison.procedures.diebold_mariano import SEEN
from tiebreak.numerics.law import SPREAD
from tiebreak.statistics import (
    Law,
    battles_of_scores,
    bradley_terry,
    corrected_t,
    diebold_mariano,
    hierarchical_posterior,
    metric_of_classes,
    newcombe,
    paired_t,
    roc_areas,
    sign_test,
    signed_rank_centre,
    student_quantile,
    tango,
    welch_ttest,
    wilcoxon,
)
from tiebreak.statistics.means import SEEN_OF_CLUSTERS, ClusterSums, cluster_means, cluster_sums, mean_of_clusters
from tiebreak.statistics.skew import expected_skewness, hall_inverse, skewness_of_mean, skewness_of_weighted_mean

ALPHA, SIGMA, BASE = 0.05, 0.05, 0.8
MODELS, UNITS = (3, 5, 10, 20), (10, 30, 100)
BLOCK = 3_000_000
"""Differences at a time."""
MOST = 20_000_000
"""Differences of a cell: of 20 models on 100 units there are fewer tables."""

BETTER, AHEAD, EQUIVALENT, UNDECIDED, BEHIND, WORSE = range(6)
VERDICTS = ("better", "ahead", "equivalent", "undecided", "behind", "worse")

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
        return self.tail(False, at + min(noise, 0.0)) <= p * (1 + 1e-12)

    def below(self, at: float, p: Any, noise: float = 1e-12) -> np.ndarray:
        return self.tail(True, at - min(noise, 0.0)) <= p * (1 + 1e-12)

    def tail(self, upper: bool, at: float) -> np.ndarray:
        """Tail at a point, which is asked for once."""
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
    found = corrected_t(differences(scores), test_train_ratio=n_test / n_train)
    return student(found.estimate, found.se, found.df)


def judge_paired(scores: np.ndarray, n: int) -> Judged:
    found = paired_t(differences(scores))
    return student(found.estimate, found.se, found.df)


def judge_wilcoxon(scores: np.ndarray, n: int) -> Judged:
    return signed_ranks(differences(scores), np.abs(scores).max())


def signed_ranks(d: np.ndarray, scale: float) -> ByTails:
    """The test that the interval inverts; its estimate, which no verdict reads, would take ten times as long."""
    rows = d.shape[:-1]
    one = wilcoxon(d[0, :1], continuity=False, scale=scale)
    kind, n = np.full(rows, SPREAD), np.full(rows, d.shape[-1])
    found = replace(one, estimate=np.zeros(rows), n_units=n, kind=kind, tolerance=np.full(rows, 1e-12 * scale), parts=(d,))
    return ByTails(found.tail, lambda at: found.tail(at, upper=True))


def judge_sign(scores: np.ndarray, n: int) -> Judged:
    found = sign_test(differences(scores), scale=np.abs(scores).max())
    return ByTails(found.tail, lambda at: found.tail(at, upper=True))


def judge_wins(scores: np.ndarray, n: int) -> Judged:
    """Clopper and Pearson's limits of the share of datasets that are won; at 0 the exact sign test."""
    d = differences(scores)
    won, lost = (d > 0).sum(axis=-1), (d < 0).sum(axis=-1)

    def at_least(wins: np.ndarray, at: float) -> np.ndarray:
        return np.where(wins <= 0, 1.0, bdtrc(np.maximum(wins, 1) - 1, np.maximum(won + lost, 1), (1 + at) / 2))

    return ByTails(lambda at: at_least(won, at), lambda at: at_least(lost, -at))


def n_draws(n_models: int) -> int:
    """Draws that `compare` takes: enough for the level of all pairs."""
    return int(min(max(9_999, np.ceil(20 * n_models * (n_models - 1) / 2 / ALPHA)), 100_000))


def judge_signed_rank_posterior(scores: np.ndarray, n: int) -> Judged:
    law = signed_rank_centre(differences(scores), scale=np.abs(scores).max(), n_draws=n_draws(scores.shape[1]))
    return ByEnds(lambda p: (law.end(p), law.end(p, upper=True)))


def judge_hierarchical(scores: np.ndarray, n: int) -> Judged:
    """Ten splits of each of n datasets, whose differences correlate by 0.1."""
    d = differences(scores)
    posteriors = [hierarchical_posterior(row.reshape(n, 10), test_train_ratio=1 / 9) for row in d.reshape(-1, d.shape[-1])]

    def ends(p: float) -> tuple[np.ndarray, np.ndarray]:
        found = np.array([each.law.interval(1 - 2 * p) for each in posteriors])
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
    return student(found.estimate, found.se, found.df)


def paired_rates(scores: np.ndarray, n: int) -> Law:
    first, second = np.triu_indices(scores.shape[1], 1)
    both, right = scores @ np.swapaxes(scores, 1, 2), scores.sum(axis=-1)
    both = both[:, first, second]
    only_first, only_second = right[:, first] - both, right[:, second] - both
    return tango(both, only_first, only_second, n - both - only_first - only_second)


def judge_tango(scores: np.ndarray, n: int) -> Judged:
    found = paired_rates(scores, n)
    return ByTails(found.tail, lambda at: found.tail(at, upper=True))


def judge_graded(scores: np.ndarray, n: int) -> Judged:
    d = differences(scores)
    return means_of(ClusterSums(d, np.ones(d.shape), np.ones(d.shape), n))


def judge_clusters(scores: np.ndarray, n: int) -> Judged:
    sums = cluster_sums(scores.reshape(-1, scores.shape[-1]), cluster_of(n))
    return means_of(sums._replace(totals=differences(sums.totals.reshape(*scores.shape[:2], -1))))


def means_of(sums: ClusterSums) -> Judged:
    """Means of clusters, or of items: the farther ends of Student's and of Hall's interval, of a skewness that is seen."""
    found = mean_of_clusters(sums)
    estimate = np.asarray(found.estimate)
    skewness = skewness_of_weighted_mean(cluster_means(sums), sums.weights)
    n_clusters = np.asarray(found.n_units)
    is_chance = (n_clusters < sums.n_examples) & (np.abs(skewness) * np.sqrt(n_clusters) < SEEN_OF_CLUSTERS)
    skewness = np.where(is_chance, 0.0, skewness)
    return farther(estimate, np.asarray(found.se), found.df, expected_skewness(skewness, np.add(found.df, 1.0)))


def farther(estimate: np.ndarray, error: np.ndarray, df: Any, skewness: np.ndarray) -> Judged:
    """The farther ends of Student's and of Hall's interval."""
    error = np.where(error > 0, error, np.nan)

    def ends(p: float) -> tuple[np.ndarray, np.ndarray]:
        t = -student_quantile(p, df)
        below, above = (np.maximum(t, sign * hall_inverse(sign * t, skewness)) for sign in (1, -1))
        return estimate - below * error, estimate + above * error

    return ByEnds(ends)


def judge_rates(scores: np.ndarray, n: int) -> Judged:
    first, second = np.triu_indices(scores.shape[1], 1)
    found = newcombe(scores[:, first, 0], n, scores[:, second, 0], n)
    return ByEnds(lambda p: found.interval_at(2 * p))


def judge_delong(scores: np.ndarray, n: int) -> Judged:
    pairs = np.triu_indices(scores.shape[1], 1)
    found = [roc_areas(positives(n), table).difference(*pairs) for table in scores]

    def ends(p: float) -> tuple[np.ndarray, np.ndarray]:
        low, high = zip(*(each.interval(1 - 2 * p) for each in found), strict=True)
        return np.array(low), np.array(high)

    return ByEnds(ends)


def judge_losses(scores: np.ndarray, n: int) -> Judged:
    d = -differences(scores)
    found = diebold_mariano(d)
    skewness = skewness_of_mean(d - d.mean(axis=-1, keepdims=True))
    seen = np.where(np.abs(skewness) * np.sqrt(n) > SEEN, skewness, 0.0)
    return farther(np.asarray(found.estimate), np.asarray(found.se), found.df, seen)


def judge_jackknife(scores: np.ndarray, n: int) -> Judged:
    """F1 of predicted classes, Student's t of what each item adds; degrees of freedom by Satterthwaite's method, by class."""
    found = metric_of_classes(positives(n).astype(int), scores.reshape(-1, n).astype(int), "f1")
    d = differences(found.parts.reshape(scores.shape))
    parts = [(np.square(d[..., own]).sum(axis=-1), np.count_nonzero(own) - 1.0) for own in (positives(n), ~positives(n))]
    error = np.sqrt(sum(part for part, _ in parts))
    with np.errstate(invalid="ignore"):
        df = sum(part for part, _ in parts) ** 2 / sum(part**2 / most for part, most in parts)
    df = np.where(df > 0, np.minimum(df, n - 1.0), n - 1.0)
    value = found.estimate.reshape(*scores.shape[:-1], 1)
    return student(differences(value)[..., 0], np.where(error > 1e-12, error, 0.0), df)


def judge_ratings(scores: np.ndarray, n: int) -> Judged:
    """Bradley-Terry over datasets: who is shown better at the level that holds for all ranks at once; p is not read."""
    first, second = np.triu_indices(scores.shape[1], 1)
    shown = []
    for table in scores:
        first_model, second_model, score, dataset = battles_of_scores(table)
        found = bradley_terry(first_model, second_model, score, n_models=len(table), cluster=dataset)
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
    return named(table), {"metric": "score", "n_train": SPLIT_SIZES[n][0], "n_test": SPLIT_SIZES[n][1]}


def as_datasets(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return {"dataset": [f"d{i:03d}" for i in range(n)], **named(table)}, {"metric": "score"}


def as_seeds(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    return {"seed": np.arange(n), **named(table)}, {"metric": "score"}


def as_own_seeds(table: np.ndarray, n: int) -> tuple[Any, dict[str, Any]]:
    names = np.repeat(list(named(table)), n)
    return {"model": names, "seed": np.arange(names.size), "score": table.ravel()}, {"metric": "score"}


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
    itself. Loops over tables draw at most `most`.
    """

    procedure: str
    data: str
    draw: Draw
    judge: Judge
    auto: bool
    units: tuple[int, ...] = UNITS
    models: tuple[int, ...] = MODELS
    most: int | None = None
    source: Source | None = None
    spread: float = np.sqrt(2) * SIGMA

    def data_of(self, n: int) -> str:
        """Name of the tables in docs/error-rates.csv."""
        return SPLIT_NAMES[n] if self.data == "splits" else self.data

    def error(self, n: int) -> float:
        """Standard error of a pair's difference, which splits that share training data do not divide by their number."""
        rho = SPLIT_SIZES[n][1] / sum(SPLIT_SIZES[n]) if self.data == "splits" else 0.0
        return float(self.spread * np.sqrt(rho + (1 - rho) / n))


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
    World("newcombe", RATES, draw_counts, judge_rates, True, source=as_counts, spread=0.5),
    World("clustered-t", GRADED, draw_graded, judge_graded, True, source=as_items("quality"), spread=0.28),
    World("clustered-t", "items, graded, lognormal", draw_skewed, judge_graded, True),
    World(
        "clustered-t",
        "items, graded, in so many clusters",
        draw_clusters,
        judge_clusters,
        True,
        source=as_items("quality"),
        spread=0.2,
    ),
    World("delong", AREAS, draw_ranked, judge_delong, True, most=1000, source=as_predictions, spread=0.5),
    World("diebold-mariano", "losses, independent", losses(0.0), judge_losses, True, source=as_losses),
    World("diebold-mariano", "losses, autocorrelation 0.3", losses(0.3), judge_losses, True),
    World("jackknife-t", "predicted classes, F1", draw_labels, judge_jackknife, True, source=as_labels, spread=0.7),
    World("bradley-terry", "wins on datasets", draw_datasets, judge_ratings, True, (10, 30, 100), (3, 5, 10), 200),
    World("paired-t", "splits", draw_splits, judge_paired, False),
    World("sign", NORMAL, draw_datasets, judge_sign, False),
    World("hierarchical", NORMAL, draw_dataset_splits, judge_hierarchical, False, (10,), (3,), 100),
    World("bayes-signed-rank", NORMAL, draw_datasets, judge_signed_rank_posterior, False, (10,), (3, 5), 400),
    World("bayes-signed-rank", NORMAL, draw_datasets, judge_signed_rank_posterior, False, (30,), (3,), 200),
)
OWN_LEVEL = ("bradley-terry",)
"""Procedures that allow for all models by themselves, so that no family but theirs can be read off them."""


def batches(n_tables: int, n_models: int, n: int, draws: int = 1) -> Iterator[int]:
    """Sizes of batches that hold about `BLOCK` differences."""
    step = max(1, BLOCK // (n_models * (n_models - 1) // 2 * max(n, draws)))
    for start in range(0, n_tables, step):
        yield min(step, n_tables - start)


def affordable(n_tables: int, n_models: int, n: int) -> int:
    """So many tables, or those that have `MOST` differences."""
    return min(n_tables, MOST // (n_models * (n_models - 1) // 2 * n))


def tables_of(world: World, means: np.ndarray, n: int, n_tables: int, seed: int) -> Iterator[tuple[np.ndarray, Judged]]:
    """Batches of tables, with their pairs judged."""
    n_tables = affordable(min(n_tables, world.most or n_tables), means.size, n)
    rng = np.random.default_rng([seed, means.size, n, *world.procedure.encode(), *world.data.encode()])
    for size in batches(n_tables, means.size, n, 10 * n if world.most else 1):
        scores = world.draw(rng, size, means, n)
        yield scores, world.judge(scores, n)
