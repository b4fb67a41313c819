"""Differences of which there are draws: resamples, sign flips, or a posterior; too few of them give no interval."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.comparison.procedures.items import OverItems, tolerance_of
from tiebreak.comparison.procedures.procedure import Differences
from tiebreak.comparison.verdict import TOO_FEW_DRAWS, Codes
from tiebreak.errors import InvalidParameterError, Setting, TooFewModelsError, TooFewSplitsError, UnsuitableDesignError
from tiebreak.numerics import CONSTANT, IDENTICAL, SPREAD, UNDEFINED, Alternative, FloatArray, IntArray
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings
    from tiebreak.errors import TiebreakError

DRAWS_PER_TAIL = 20
"""Draws that an interval needs: this over its level."""

MOST_DRAWS = 100_000

MOST_MODELS = 40
"""Models up to which the draws of all pairs are held."""

FEWEST_RESAMPLED = 10
"""Independent pieces, clusters or items, below which resamples of them tell too little of how they vary.

Of 2,000 tables without a difference, 95 % intervals missed 0 in 16 to 25 % (5 clusters), 9 to 15 % (10), 8 to 11 % (15), 6 to 9 %
(20 or 30) and 5 to 7 % (50), most where clusters are skewed: `benchmarks/validity/few_clusters.py`.
"""

FEW_RESAMPLED = 50
"""Pieces below which it is said that intervals are too narrow, as the figures above show.

With several models their shares add up: of tables of equal models on 30 items, F1 called some model "not best" in 9.7 %
(3 models) and 15.7 % (5), on 100 items in 4.7 and 6.0 %: `benchmarks/validity/one_family.py`. So `auto` takes the jackknife.
"""

MOST_UNDEFINED = 0.05
"""Share of the draws that may have no value, such as an area under a ROC curve without positive examples."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DrawnDifferences(Differences):
    """Differences with their draws in ascending order, of shape (..., n_draws), of which the first `n_defined` have a value."""

    drawn: FloatArray
    n_defined: IntArray
    is_exact: bool = False

    @property
    def drawn_differences(self) -> FloatArray | None:
        """The draws."""
        return self.drawn

    def counts(self, at: ArrayLike, *, below: bool) -> IntArray:
        """Number of draws up to a point, or from it on; those equal to it but for rounding count."""
        at, n_defined = np.asarray(at, dtype=float), np.asarray(self.n_defined)
        points = np.broadcast_to(at, np.broadcast_shapes(at.shape, self.estimate.shape))
        slack = np.broadcast_to(self.tolerance, self.estimate.shape)
        found = np.zeros(points.shape, dtype=np.int64)
        for pair in np.ndindex(self.estimate.shape):
            own = self.drawn[pair][: n_defined[pair]]
            where = (..., *pair)
            if below:
                found[where] = own.searchsorted(points[where] + slack[pair], "right")
            else:
                found[where] = own.size - own.searchsorted(points[where] - slack[pair], "left")
        return found

    def at_place(self, place: IntArray) -> FloatArray:
        """Draws at these places of the order, of a shape that broadcasts against the pairs from the right."""
        pairs = np.indices(self.estimate.shape, sparse=True)
        return np.asarray(self.drawn[(*pairs, np.clip(place, 0, np.maximum(np.asarray(self.n_defined) - 1, 0)))])

    def bound(self, p: ArrayLike, *, upper: bool) -> FloatArray:
        """One-sided bound; nan where there are too few draws for it."""
        end = super().bound(p, upper=upper)
        return np.where(self._has_too_few(2.0 * np.asarray(p, dtype=float)), np.nan, end)

    def reasons(self, alpha: float) -> Codes:
        """Too few draws for so small an alpha, or the kind of the pair."""
        has_too_few = (self.kind == SPREAD) & self._has_too_few(np.asarray(alpha))
        return np.where(has_too_few, TOO_FEW_DRAWS, super().reasons(alpha)).astype(np.int8)

    def _has_too_few(self, alpha: FloatArray) -> NDArray[np.bool_]:
        n_draws = self.drawn.shape[-1]
        return np.asarray((n_draws * alpha < DRAWS_PER_TAIL * (1 - 1e-9)) & (not self.is_exact))


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorDraws(DrawnDifferences):
    """Draws of the posterior of each difference, whose shares are probabilities."""

    has_coverage: ClassVar[bool] = False
    is_posterior: ClassVar[bool] = True

    @property
    def statistic(self) -> None:
        """None: there is no test."""
        return None

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Posterior probability of a difference of at most `at`."""
        return self.counts(at, below=True) / np.asarray(self.n_defined)

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Posterior probability of a difference of at least `at`."""
        return self.counts(at, below=False) / np.asarray(self.n_defined)

    def own_pvalue(self, alternative: Alternative) -> FloatArray:
        """The tail at 0, or the smaller one twice; of draws that are all on one side no less than one in their number."""
        below, above = self.tail_below(0.0), self.tail_above(0.0)
        found = {"greater": below, "less": above}.get(alternative, 2.0 * np.minimum(below, above))
        return np.asarray(np.clip(found, 1.0 / np.asarray(self.n_defined), 1.0))

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Quantiles of the draws, between two of them where the place is none."""
        p = np.asarray(p, dtype=float)
        place = (1.0 - p if upper else p) * (self.drawn.shape[-1] - 1)
        low = np.floor(place).astype(np.int64)
        one, two = self.at_place(low), self.at_place(low + 1)
        return np.asarray(one + (place - low) * (two - one))


@dataclass(frozen=True)
class ByDraws(OverItems):
    """Procedure over items that draws: resamples, signs or shares, the same for all models.

    Attributes
    ----------
    is_resampling : bool
        Draws are of the items at hand, as if there were no others, so that few of them vary too little.
    """

    is_resampling: bool = True
    options: Mapping[str, Any] = field(default_factory=lambda: {"n_draws": None}, hash=False)

    def applies(self, data: Scores) -> TiebreakError | None:
        """One run without weights, and not too many models."""
        items = self.items(data)
        if len(items.runs) > 1 or items.weights is not None:
            what = f"{len(items.runs)} runs" if len(items.runs) > 1 else "weights"
            return UnsuitableDesignError(
                f"{self.name} takes every {items.unit} once, and there are {what}. The method 'clustered-t', which 'auto' "
                "takes for these, allows for that."
            )
        if len(items.models) > MOST_MODELS:
            return TooFewModelsError(
                f"{self.name} holds the draws of all pairs, for up to {MOST_MODELS} models; there are {len(items.models)}. "
                "Choose some with ",
                Setting("models"),
                ", or leave the method out.",
            )
        if np.isnan(items.score).any():
            return UnsuitableDesignError(
                f"{self.name} draws the same {items.unit}s for all models, and {np.isnan(items.score).sum()} scores are missing. "
                f"Leave out the {items.unit}s or the models that lack some, or leave ",
                Setting("method"),
                " out.",
            )
        return super().applies(data) or (self._too_few(items) if self.is_resampling else None)

    def _too_few(self, items: Items) -> TiebreakError | None:
        """Too few pieces to resample, and what takes them instead."""
        few = self._pieces(items)
        if few >= FEWEST_RESAMPLED:
            return None
        instead = (
            "The method 'clustered-t' allows for few."
            if items.is_mean
            else "The method 'delong' allows for few."
            if items.is_positive is not None and items.clusters is None
            else "The method 'jackknife-t' allows for few."
        )
        return TooFewSplitsError(
            f"{self.name} learns from resamples how much the answer varies, and {few} {self._noun(items)} are too few for that: "
            f"its intervals would be too narrow. It takes {FEWEST_RESAMPLED} or more. {instead}"
        )

    def checks(self, data: Scores, settings: Settings) -> Iterator[Notice]:
        """Remarks on items, but that intervals of resamples of few clusters are narrow, not wide."""
        items = self.items(data)
        few = self._pieces(items)
        for notice in super().checks(data, settings):
            if not (self.is_resampling and notice.code == "few-clusters"):
                yield notice
        if self.is_resampling and few < FEW_RESAMPLED:
            yield Notice(
                "few-clusters",
                f"resamples of {few} {self._noun(items)} vary less than new ones would: the intervals are somewhat too narrow "
                "(in trials, intervals of 95% missed in 8 to 15% of tables with 10 to 15, and in 6 to 9% with 20 to 30)",
            )

    @staticmethod
    def _pieces(items: Items) -> int:
        """Number of independent pieces of evidence: clusters, or items of the rarer class where there are two."""
        return items.n_clusters if items.clusters is not None or items.n_rarest is None else items.n_rarest

    @staticmethod
    def _noun(items: Items) -> str:
        if items.clusters is not None:
            return "clusters"
        if items.n_rarest is None:
            return f"{items.unit}s"
        return f"{items.unit}s of the {'rarest' if len(items.classes) > 2 else 'rarer'} class"

    def n_draws(self, data: Scores, settings: Settings) -> int:
        """As asked, else enough for the intervals of all pairs at once, 9,999 to 100,000."""
        asked = self.options_of(settings)["n_draws"]
        return number_of_draws(self.name, asked, len(self.items(data).models), settings.alpha)

    @abstractmethod
    def of_models(self, data: Scores, settings: Settings) -> FloatArray:
        """Draws of the value of each model, of shape (n_models, n_draws), of which those of pairs are differences."""

    def sorted_draws(
        self, data: Scores, draws: FloatArray, estimate: FloatArray, first: IntArray, second: IntArray
    ) -> dict[str, Any]:
        """Columns of differences that all such procedures have."""
        drawn = np.sort(data.metric.sign * (draws[first] - draws[second]), axis=-1)
        n_defined = np.count_nonzero(~np.isnan(drawn), axis=-1)
        tolerance = tolerance_of(self.scale(data, first, second))
        difference = data.metric.sign * (estimate[first] - estimate[second]) + 0.0
        largest = np.take_along_axis(drawn, np.maximum(n_defined - 1, 0)[..., None], axis=-1)[..., 0]
        is_flat = largest - drawn[..., 0] <= tolerance
        flat = np.where(np.abs(difference) <= tolerance, IDENTICAL, CONSTANT)
        lacks = np.isnan(difference) | (n_defined < (1.0 - MOST_UNDEFINED) * drawn.shape[-1])
        kind = np.where(lacks, UNDEFINED, np.where(is_flat, flat, SPREAD)).astype(np.int8)
        return {
            "estimate": np.where(kind == IDENTICAL, 0.0, difference),
            "n_units": np.full(np.shape(first), len(self.items(data).items)),
            "kind": kind,
            "tolerance": tolerance,
            "drawn": drawn,
            "n_defined": n_defined,
        }


def number_of_draws(name: str, asked: Any, n_models: int, alpha: float) -> int:
    """As asked, else enough for the intervals of all pairs of so many models at once, 9,999 to 100,000."""
    if asked is None:
        wanted = ceil(DRAWS_PER_TAIL * n_models * (n_models - 1) / 2 / alpha)
        return min(max(9_999, wanted), MOST_DRAWS)
    if type(asked) is not int or not 1 <= asked <= 10 * MOST_DRAWS:
        raise InvalidParameterError(
            f"n_draws of {name} must be a whole number from 1 to {10 * MOST_DRAWS:,}; got {asked!r}. Correct ",
            Setting("options"),
            ".",
            about="n_draws",
        )
    return asked
