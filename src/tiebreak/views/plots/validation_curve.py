"""Scores by the value of a parameter."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from tiebreak.views.plots.curve import MOST_CURVES, CurveDisplay, is_wide, named
from tiebreak.views.plots.display import Plots
from tiebreak.views.plots.style import INK, MARKS, PAPER, short, short_labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.numerics import FloatArray
    from tiebreak.studies.validation_curve import ValidationCurve


@dataclass(frozen=True, slots=True, eq=False)
class ValidationCurveDisplay(CurveDisplay):
    """Scores of models by the value of a parameter, with the best value and all that are practically as good.

    Attributes
    ----------
    data, metric, higher_is_better, alpha, n_models, x_name, is_log
        As of `CurveDisplay`; x is the value itself where all are numbers, else its position. Further columns: is_best, and
        verdict against the best.
    best : tuple of str
        The sweet spot of each model that is drawn, as it is written; "" where there is none.
    """

    best: tuple[str, ...]

    @classmethod
    def from_curve(cls, curve: ValidationCurve) -> Self:
        """Collect the numbers.

        Parameters
        ----------
        curve : ValidationCurve
        """
        drawn = curve.models[:MOST_CURVES]
        x = _numbers(curve.values)
        data = curve.to_frame()
        data = data[data["model"].isin(drawn)].reset_index(drop=True)
        data.insert(1, "x", [float(place) for _ in drawn for place in (x or range(len(curve.values)))])
        spots = curve.sweet_spots[: len(drawn)]
        return cls(
            data=data.drop(columns="value"),
            metric=curve.metric.name,
            higher_is_better=curve.metric.higher_is_better,
            alpha=curve.alpha,
            n_models=len(curve.models),
            x_name=curve.parameter,
            is_log=x is not None and is_wide(x),
            best=tuple("" if spot.position is None else curve.labels[spot.position] for spot in spots),
        )

    def _title(self) -> str:
        if len(self.models) > 1:
            return f"{short(self.metric)} by {short(self.x_name)}, {len(self.models)} models"
        name, n_equivalent = short_labels(self.models)[0], int((self.data["verdict"] == "equivalent").sum())
        if not self.best[0]:
            return f"{name} has no score for any value of {short(self.x_name)}"
        others = (
            f"; {n_equivalent} other value{'s are' if n_equivalent > 1 else ' is'} practically as good" if n_equivalent else ""
        )
        return f"{name} scores best at {short(self.x_name)} = {short(self.best[0], 16)}{others}"

    def _note(self) -> str:
        marks = ", ".join(f"{MARKS[verdict].symbol} {words}" for verdict, words in _WORDS.items())
        # zero arguments of super() do not work in a dataclass with slots
        return f"★ best mean, {marks}. {CurveDisplay._note(self)}"

    def _entries(self) -> list[str]:
        return named(self.models, [f"best: {short(value, 16)}" if value else "no score" for value in self.best])

    def _mark(self, axes: Axes, points: pd.DataFrame, x: FloatArray, colour: str) -> None:
        for place, verdict, is_best, mean in zip(x, points["verdict"], points["is_best"], points["test_mean"], strict=True):
            if is_best:
                axes.scatter(place, mean, marker="*", s=130, color=colour, edgecolors=INK, linewidths=0.7, zorder=6)
            elif verdict in MARKS:
                face = PAPER if verdict == "undecided" else colour
                axes.scatter(place, mean, marker=MARKS[verdict].marker, s=26, color=face, edgecolors=colour, zorder=5)
            else:
                axes.scatter(place, mean, marker=".", s=16, color=colour, zorder=5)


_WORDS = {"equivalent": "practically equivalent to it", "undecided": "not told apart yet", "worse": "worse"}


def _numbers(values: Sequence[Any]) -> list[float] | None:
    """The values where all are finite numbers and no two are the same, else None."""
    if not all(isinstance(value, numbers.Real) and not isinstance(value, bool) for value in values):
        return None
    places = [float(value) for value in values]
    return places if len(set(places)) == len(places) and all(abs(place) < float("inf") for place in places) else None


class ValidationCurvePlots(Plots["ValidationCurve"]):
    """Plots of the result."""

    __slots__ = ()

    def scores(self, ax: Axes | None = None) -> ValidationCurveDisplay:
        """Scores by the value of the parameter, with the time of a fit."""
        return ValidationCurveDisplay.from_curve(self.result).plot(ax)

    __call__ = scores
