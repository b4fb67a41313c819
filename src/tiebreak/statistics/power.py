"""Power before anything is measured: data are drawn many times over, and judged by the statistics that judge real ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from tiebreak.numerics import Interval, Law, student
from tiebreak.statistics.means import Layout, means_of_rows, welch_ttest
from tiebreak.statistics.ranks import wilcoxon
from tiebreak.statistics.rates import newcombe, tango
from tiebreak.statistics.splits import corrected_t, paired_t

N_DRAWS = 4_000
"""Drawn data sets; a power of 0.8 has a standard error of 0.006."""

MOST_DRAWN = 400
"""Units that are drawn; intervals of more lie as those of so many do, nearer by the root of the number."""

MOST_DRAWN_BY = {"wilcoxon": 50, "corrected-t": 1_000}
"""Units that are drawn by procedures of another number; more splits change next to nothing, as they share their data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Units that are yet to be measured, and how much the differences of two models vary over them.

    Attributes
    ----------
    procedure : str
        "tango", "newcombe", "clustered-t", "wilcoxon", "paired-t", "welch" or "corrected-t"; of any other one intervals are
        Student's, with the error of a pilot.
    sd : tuple of float
        Standard deviation of the differences over single units, or those of the scores of both models for "welch".
    discordant, rate, correlation : float, optional
        Of right and wrong: the share of units on which exactly one model is right; or the share that the second model has right,
        and the correlation of being right.
    cluster_size, intraclass_correlation : float
        Units of a cluster, and the correlation of their differences.
    n_folds, ratio : int and float
        Splits of a repeat, and test examples of a split for each training example.
    pilot_n, pilot_df, pilot_error, floor : float
        Of a pilot: units, degrees of freedom, standard error, and the part of that which further units leave as it is.
    seed : int
        Of the draws.
    """

    procedure: str
    sd: tuple[float, ...] = ()
    discordant: float | None = None
    rate: float | None = None
    correlation: float = 0.0
    cluster_size: float = 1.0
    intraclass_correlation: float = 0.0
    n_folds: int = 1
    ratio: float = 0.0
    pilot_n: int = 0
    pilot_df: float = 0.0
    pilot_error: float = 0.0
    floor: float = 0.0
    seed: int = 0

    def rates(self, difference: float) -> tuple[float, float]:
        """Rates of right answers of both models, on test sets of their own."""
        return min(max((self.rate or 0.0) + difference, 0.0), 1.0), self.rate or 0.0

    def discordant_at(self, difference: float) -> float:
        """Share of units on which exactly one model is right, where the rates differ so much."""
        if self.rate is None:
            return self.discordant or 0.0
        p, q = min(self.rate + difference, 1.0), self.rate
        both = p * q + self.correlation * sqrt(max(p * (1 - p) * q * (1 - q), 0.0))
        return max(p + q - 2 * min(both, p, q), abs(p - q))

    def scale(self, n: int, difference: float) -> float:
        """Standard error of the difference with n units, if the true one is this."""
        if self.pilot_n:
            return sqrt((self.pilot_error**2 - self.floor**2) * self.pilot_n / n + self.floor**2)
        if self.procedure == "newcombe":
            return sqrt(sum(p * (1 - p) for p in self.rates(difference)) / n)
        squared = sum(each**2 for each in self.sd) or max(self.discordant_at(difference) - difference**2, 0.0)
        if self.procedure == "corrected-t":
            return sqrt(squared * (1.0 / (n * self.n_folds) + self.ratio))
        return sqrt(squared * (1.0 + (self.cluster_size - 1.0) * self.intraclass_correlation) / n)  # Kish (1965)

    def drawn(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Units (clusters, splits) that are drawn for such numbers of them: fewer where there are very many."""
        each = [n * self.n_folds if self.procedure == "corrected-t" else max(int(n / self.cluster_size + 1e-9), 2) for n in sizes]
        if self.procedure in ("tango", "newcombe"):
            return tuple(each)
        most = MOST_DRAWN_BY.get(self.procedure, MOST_DRAWN)
        return tuple(max(round(n * most / each[-1]), 2) for n in each) if each[-1] > most else tuple(each)

    def intervals(self, sizes: Sequence[int], difference: float, alphas: Sequence[float]) -> list[Interval]:
        """Intervals of `N_DRAWS` data sets, as they are after each of several numbers of units.

        Parameters
        ----------
        sizes : sequence of int
            Numbers of units, growing: the first of the same data.
        difference : float
            True difference.
        alphas : sequence of float
            1 - coverage of the intervals at each of them.
        """
        drawn = self.drawn(sizes)
        if self.procedure in ("tango", "newcombe"):
            return [law.interval_at(alpha) for law, alpha in zip(self._of_counts(drawn, difference), alphas, strict=True)]
        # where runs leave a floor they are what the degrees of freedom count
        df = self.pilot_df * (sizes[-1] / self.pilot_n if self.pilot_n and not self.floor else 1.0)
        share = self.sd[0] / sqrt(sum(each**2 for each in self.sd)) if len(self.sd) > 1 else 1.0
        ends = _standard_ends(self.procedure, drawn, tuple(alphas), self.ratio, share, df, self.seed)
        unit = 1.0 if self.pilot_n else sqrt(1.0 / drawn[-1] + self.ratio)  # standard error of what is drawn
        scale = self.scale(sizes[-1], difference) / unit
        return [Interval(difference + scale * low, difference + scale * high) for low, high in ends]

    def _of_counts(self, sizes: Sequence[int], difference: float) -> list[Law]:
        """Counts of right and wrong by the binomial distribution, with what comes in between two sizes added."""
        rng, total, laws = np.random.default_rng(self.seed), np.zeros((2, N_DRAWS)), []
        share = max(self.discordant_at(difference), abs(difference))
        for n, more in zip(sizes, np.diff(sizes, prepend=0), strict=True):
            if self.procedure == "newcombe":
                total = total + np.stack([rng.binomial(more, rate, N_DRAWS) for rate in self.rates(difference)])
                laws.append(newcombe(total[0], n, total[1], n))
            else:
                differ = rng.binomial(more, min(share, 1.0), N_DRAWS)
                first = rng.binomial(differ, (share + difference) / (2 * share) if share else 0.5)
                total = total + np.stack([first, differ - first])
                laws.append(tango(0, total[0], total[1], n - total.sum(axis=0)))
        return laws


@lru_cache(maxsize=32)
def _standard_ends(
    procedure: str, sizes: tuple[int, ...], alphas: tuple[float, ...], ratio: float, share: float, df: float, seed: int
) -> list[Interval]:
    """Ends of intervals of differences without a mean, whose standard deviation is 1: those of others are moved and stretched."""
    laws = _standard_laws(procedure, sizes, ratio, share, df, np.random.default_rng(seed))
    return [law.interval_at(alpha) for law, alpha in zip(laws, alphas, strict=True)]


def _standard_laws(
    procedure: str, sizes: tuple[int, ...], ratio: float, share: float, df: float, rng: np.random.Generator
) -> list[Law]:
    if df:
        return [student(rng.normal(size=N_DRAWS), np.sqrt(rng.chisquare(df, N_DRAWS) / df), df)]
    # units before data sets, so that the first units of larger numbers are the same ones
    z = np.ascontiguousarray(rng.normal(size=(sizes[-1], N_DRAWS)).T)
    if procedure == "corrected-t":  # what splits share varies as the correction says
        z += sqrt(ratio) * rng.normal(size=(N_DRAWS, 1))
        return [corrected_t(z[:, :n], ratio) for n in sizes]
    if procedure == "welch":
        other = np.ascontiguousarray(rng.normal(size=(sizes[-1], N_DRAWS)).T) * sqrt(1.0 - share**2)
        return [welch_ttest(share * z[:, :n], other[:, :n]) for n in sizes]
    if procedure in ("wilcoxon", "paired-t"):
        return [(wilcoxon if procedure == "wilcoxon" else paired_t)(z[:, :n]) for n in sizes]
    # means of items, or of clusters' means, as of clustered-t
    return [means_of_rows(z[:, None, :n], Layout(), np.abs(z[:, :n]).max(axis=1)).law for n in sizes]
