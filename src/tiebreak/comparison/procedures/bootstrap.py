"""Paired bootstrap over items, whole clusters where they come in some: of means, and of areas under ROC curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.comparison.procedures.draws import ByDraws, DrawnDifferences
from tiebreak.comparison.procedures.items import INDEPENDENT_ITEMS, SAME_ITEMS, exchanged_predictions, statistic_of
from tiebreak.comparison.procedures.procedure import ModelValues, TestOnly
from tiebreak.errors import InvalidParameterError, Setting, TiebreakError, TooFewSplitsError
from tiebreak.frequentist.bootstrap import BootstrapResult, bootstrap_metric
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class BootstrapDifferences(DrawnDifferences):
    """Resampled differences; ends are moved for bias `z0` and skewness `acceleration`, both 0 for percentiles."""

    z0: FloatArray
    acceleration: FloatArray

    @property
    def statistic(self) -> None:
        """None: the draws are the distribution, and no multiple of an error is."""
        return None

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Level of the one-sided interval that ends there."""
        return self._tail(self.counts(at, below=True))

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """Level of the one-sided interval that ends there, from above."""
        from scipy.special import ndtr

        # the share above a point is the share below its mirror image, whose bias and skewness are the other way round
        return np.asarray(ndtr(-self._normal(np.asarray(self.n_defined) - self.counts(at, below=False))))

    def _tail(self, count: IntArray) -> FloatArray:
        from scipy.special import ndtr

        return np.asarray(ndtr(self._normal(count)))

    def _normal(self, count: IntArray) -> FloatArray:
        """Normal quantile of the level whose limit has so many draws up to it: the shift of `levels` undone."""
        from scipy.special import ndtri

        n = np.asarray(self.n_defined)
        share = ndtri(np.clip(count, 0.5, n - 0.5) / np.maximum(n, 1))
        moved = share - self.z0
        room = 1.0 + self.acceleration * moved
        found = np.where(room > 0, moved / np.where(room > 0, room, 1.0), np.copysign(np.inf, moved))
        return np.asarray(found - self.z0)

    def quantile(self, p: ArrayLike, *, upper: bool = False) -> FloatArray:
        """Ends as `BootstrapResult` has them."""
        from scipy.special import ndtr, ndtri

        z = ndtri(np.asarray(p, dtype=float)) * (-1.0 if upper else 1.0)
        share = ndtr(self.z0 + (self.z0 + z) / (1.0 - self.acceleration * (self.z0 + z)))
        place = np.ceil(share * np.asarray(self.n_defined) * (1 - 1e-12)).astype(np.int64) - 1
        return self.at_place(place)


@dataclass(frozen=True)
class Bootstrap(ByDraws):
    """Resamples of the items, the same for all models."""

    options: Mapping[str, Any] = field(
        default_factory=lambda: {"n_draws": None, "interval": "bca", "stratified": False}, hash=False
    )

    def for_data(self, data: Scores) -> Self:
        """Not of means, where the metric is of all items together."""
        return replace(super().for_data(data), is_mean=data.items is None or data.items.is_mean)

    def applies(self, data: Scores) -> TiebreakError | None:
        """Means or metrics of all items together, of which those of classes need two of them."""
        items = self.items(data)
        if items.n_rarest == 0:
            return TooFewSplitsError(f"{self.name} needs {items.unit}s of both classes, as {items.metric.name} tells them apart.")
        return super().applies(data)

    def of_models(self, data: Scores, settings: Settings) -> FloatArray:
        """Resampled values of each model."""
        return self._resampled(data, settings).replicates

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> BootstrapDifferences:
        """Resampled differences of each pair."""
        kind = self.options_of(settings)["interval"]
        if kind not in ("bca", "percentile"):
            raise InvalidParameterError(
                f"the interval of {self.name} must be 'bca' or 'percentile'; got {kind!r}. Correct ",
                Setting("options"),
                ".",
                about="interval",
            )
        found = self._resampled(data, settings)
        pair = found.difference(first, second)
        columns = self.sorted_draws(data, found.replicates, np.asarray(found.estimate), first, second)
        z0, acceleration = (np.zeros(np.shape(first)) for _ in range(2))
        if kind == "bca":
            z0, acceleration = np.asarray(pair.z0()) * data.metric.sign, np.asarray(pair.acceleration) * data.metric.sign
            z0 = np.where(np.isfinite(z0), z0, 0.0)
        return BootstrapDifferences(standard_error=np.asarray(pair.standard_error), z0=z0, acceleration=acceleration, **columns)

    def values(self, data: Scores, settings: Settings) -> ModelValues:
        """Value of each model on the items as they are."""
        items = self.items(data)
        value = _value(items)
        n, tolerance = np.full(value.size, len(items.items)), RELATIVE_TOLERANCE * np.maximum(np.abs(value), 1e-300)
        return ModelValues("mean" if self.is_mean else "measured", value, n, tolerance)

    def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
        """Permutation tests of metrics that are no means, where predictions change places; of means those of all items."""
        yield from super().supplementary_tests(data, settings)
        yield from exchanged_predictions(self.items(data), data.metric.sign, settings)

    def scale(self, data: Scores, first: IntArray, second: IntArray) -> FloatArray:
        """Size of the values of each pair, where they are no means of the scores."""
        items = self.items(data)
        if items.is_mean:
            return super().scale(data, first, second)
        value = np.abs(_value(items))
        return np.asarray(np.maximum(value[first], value[second]))

    def _resampled(self, data: Scores, settings: Settings) -> BootstrapResult:
        stratified = bool(self.options_of(settings)["stratified"])
        if stratified and _strata(self.items(data)) is None:
            raise InvalidParameterError(
                f"{self.items(data).metric.name} has no classes to draw within. Leave stratified out of ",
                Setting("options"),
                ".",
                about="stratified",
            )
        return _resampled(self.items(data), self.n_draws(data, settings), stratified, settings.seed)


@lru_cache(maxsize=1)
def _resampled(items: Items, n_draws: int, stratified: bool, seed: int) -> BootstrapResult:
    """Resamples of all models; kept, as pairs, their bounds against the best and single pairs are all read from them."""
    strata = _strata(items) if stratified else None
    return bootstrap_metric(
        statistic_of(items), n_resamples=n_draws, clusters=items.clusters, strata=strata, resampling="random", rng=seed
    )


def _strata(items: Items) -> NDArray[Any] | None:
    """Classes of the items, where there are any."""
    return items.truth if items.classes else items.is_positive


def _value(items: Items) -> FloatArray:
    """Value of each model on the items as they are."""
    return statistic_of(items).at(np.ones((1, len(items.items)), dtype=np.int64))[..., 0]


BOOTSTRAP = Bootstrap.worded(
    name="bootstrap",
    reason="resamples of the {units}, or of their clusters, the same for all models: for metrics that are no means, and scores "
    "whose mean is not nearly normal",
    assumptions=(
        SAME_ITEMS,
        INDEPENDENT_ITEMS,
        "there are enough of them that the sample stands for where it was drawn from",
    ),
    references=(
        "B. Efron. Better bootstrap confidence intervals. JASA 82, 1987.",
        "B. Efron, R. Tibshirani. An introduction to the bootstrap. Chapman & Hall, 1993.",
    ),
)
