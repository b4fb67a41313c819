"""Scores by training examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from tiebreak.frequentist.more_data import ANSWERS, CANNOT_BE_TOLD, LESS_THAN_ROPE, YES
from tiebreak.views.plots.curve import MOST_CURVES, CurveDisplay, is_wide, named
from tiebreak.views.plots.display import Plots
from tiebreak.views.plots.style import short, short_labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.numerics import FloatArray
    from tiebreak.studies.learning_curve import LearningCurve


@dataclass(frozen=True, slots=True, eq=False)
class LearningCurveDisplay(CurveDisplay):
    """Scores of models by the number of training examples, and whether more of them would help.

    Attributes
    ----------
    data, metric, higher_is_better, alpha, n_models, x_name, is_log
        As of `CurveDisplay`; x is the number of training examples.
    answers : tuple of str
        Would more data help? One for each model that is drawn.
    """

    answers: tuple[str, ...]

    @classmethod
    def from_curve(cls, curve: LearningCurve) -> Self:
        """Collect the numbers.

        Parameters
        ----------
        curve : LearningCurve
        """
        drawn = curve.models[:MOST_CURVES]
        data = curve.to_frame()
        data = data[data["model"].isin(drawn)].reset_index(drop=True)
        data.insert(1, "x", data["size"])
        data.insert(2, "label", data["size"].map(str))
        return cls(
            data=data,
            metric=curve.metric.name,
            higher_is_better=curve.metric.higher_is_better,
            alpha=curve.alpha,
            n_models=len(curve.models),
            x_name="training examples",
            is_log=is_wide(curve.sizes),
            answers=tuple(answer.answer for answer in curve.answers[: len(drawn)]),
        )

    def _title(self) -> str:
        if len(self.models) == 1:
            said = {
                ANSWERS[YES]: "More data would help {}",
                ANSWERS[LESS_THAN_ROPE]: "Twice the data would help {} by less than the rope",
                ANSWERS[CANNOT_BE_TOLD]: "Whether more data would help {} cannot be told yet",
            }[self.answers[0]]
            return said.format(short_labels(self.models)[0])
        counts = [self.answers.count(answer) for answer in (ANSWERS[YES], ANSWERS[LESS_THAN_ROPE], ANSWERS[CANNOT_BE_TOLD])]
        words = ("yes for {}", "less than the rope on doubling for {}", "cannot be told for {}")
        parts = [word.format(count) for word, count in zip(words, counts, strict=True) if count]
        return f"Would more data help {len(self.models)} models? {', '.join(parts).capitalize()} ({short(self.metric)})"

    def _entries(self) -> list[str]:
        return named(self.models, [f"more data: {answer}" for answer in self.answers])

    def _mark(self, axes: Axes, points: pd.DataFrame, x: FloatArray, colour: str) -> None:
        axes.scatter(x, points["test_mean"], s=16, color=colour, zorder=4)


class LearningCurvePlots(Plots["LearningCurve"]):
    """Plots of the result."""

    __slots__ = ()

    def scores(self, ax: Axes | None = None) -> LearningCurveDisplay:
        """Scores by training examples, with the time of a fit."""
        return LearningCurveDisplay.from_curve(self.result).plot(ax)

    __call__ = scores
