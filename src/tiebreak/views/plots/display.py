"""Plots of a result, listed when shown and drawn by name, and the base class of their displays: numbers first, then drawing."""

from __future__ import annotations

import inspect
import io
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import numpy as np

from tiebreak.numerics import IntArray
from tiebreak.views.json import write_whole
from tiebreak.views.plots.style import BAND, DPI, QUIET, headline, house_style, new_axes, short, short_labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.scores.metric import Metric


R = TypeVar("R")


class Plots(Generic[R]):
    """Plots of one result, reached as ``result.plot``.

    Shown, it lists them. Each method draws one and returns its Display, with ``data``, ``ax_`` and ``figure_``; `ax` is where to
    draw, and without it a figure of fitting size is made. Where there is only one plot, ``result.plot(...)`` draws it.
    """

    __slots__ = ("result",)

    def __init__(self, result: R) -> None:
        self.result = result

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots."""
        own = {} if type(self) is Plots else vars(type(self))
        return tuple(name for name in own if not name.startswith("_") and name != "names")

    def save_all(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write all of them as PNG, each under its name.

        Parameters
        ----------
        directory : path
            Made if it is not there. Files of the same names are replaced.
        """
        folder = Path(directory)
        folder.mkdir(parents=True, exist_ok=True)
        return [getattr(self, name)().save(folder / f"{name}.png") for name in self.names]

    def __repr__(self) -> str:
        calls = {}
        for name in self.names:
            method = getattr(type(self), name)
            parameters = [each for each in inspect.signature(method).parameters if each not in ("self", "ax")]
            calls[f".plot.{name}({', '.join(parameters)})"] = (inspect.getdoc(method) or "").partition("\n")[0]
        width = max(map(len, calls), default=0)
        title = f"{len(calls)} plot{'' if len(calls) == 1 else 's'} of {type(self.result).__name__}"
        return "\n".join([title, *(f"  {call:<{width}}  {what}" for call, what in calls.items())])


MOST_MODELS = 60
"""Models that one figure can show legibly; of more, the first ones of the ranking are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Display(ABC):
    """A figure about a comparison, in scikit-learn's manner.

    Attributes
    ----------
    data : DataFrame
        Every number that is drawn.
    ax_ : Axes
        Set by `plot`.
    figure_ : Figure
        Set by `plot`.
    owns_figure_ : bool
        True where `plot` made the figure, at a size that fits; on the caller's axes less is written.
    """

    data: pd.DataFrame = field(repr=False)
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)
    owns_figure_: bool = field(init=False, repr=False, default=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. If not given, a figure of fitting size is made, which pyplot does not know of.
        """
        own = ax is None
        self._set("owns_figure_", own)
        with house_style(own_figure=own):
            axes = new_axes(*self._size()) if ax is None else ax
            self._draw(axes)
            headline(axes, self._title(), self._note(), own_figure=own)
        self._set("ax_", axes)
        self._set("figure_", axes.get_figure(root=True))
        return self

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the drawing as PNG; a file of that name is replaced at once, never left half written.

        Parameters
        ----------
        path : path
            In a folder that exists.
        """
        target = Path(path)
        write_whole(target, self.to_png())
        return target

    def to_png(self) -> bytes:
        """The figure as PNG, drawn if it was not yet."""
        if not hasattr(self, "figure_"):
            self.plot()
        buffer = io.BytesIO()
        with house_style(own_figure=self.owns_figure_):
            self.figure_.savefig(buffer, format="png", dpi=DPI)
        return buffer.getvalue()

    def _repr_png_(self) -> bytes | None:
        """For notebooks; a figure that the caller made is shown by whoever made it."""
        return self.to_png() if self.owns_figure_ or not hasattr(self, "figure_") else None

    def _set(self, name: str, value: object) -> None:
        """Frozen, as its numbers do not change; the drawing is the one thing that is added."""
        object.__setattr__(self, name, value)

    @abstractmethod
    def _size(self) -> tuple[float, float]:
        """Width and height in inches."""

    @abstractmethod
    def _title(self) -> str:
        """Finding that the figure shows."""

    @abstractmethod
    def _note(self) -> str:
        """Remarks on reading it."""

    @abstractmethod
    def _draw(self, axes: Axes) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonDisplay(Display):
    """A figure about a comparison, which it holds: settings, metric and verdicts are read from there."""

    comparison: Comparison = field(repr=False)

    @property
    def _models(self) -> list[str]:
        """Names of the models that are drawn, best first."""
        return [self.comparison.models[row] for row in shown_models(self.comparison)]

    @property
    def _names(self) -> list[str]:
        return short_labels(self._models)

    @property
    def _remark(self) -> str:
        """A remark for the note when not all models are drawn, else nothing."""
        return of_all(len(self._models), len(self.comparison.models))

    @property
    def _metric(self) -> str:
        return short(self.comparison.metric.name)

    @property
    def _adjusted(self) -> str:
        correction = self.comparison.correction
        return "not adjusted" if correction == "none" else correction

    def _favours(self, whom: str) -> str:
        return f"positive favours {whom} ({better_is(self.comparison.metric)} {self._metric})"

    def _draw_rope(self, axes: Axes, top: float = 1.0) -> None:
        """A band up to a share of the height, and a line at zero."""
        rope = self.comparison.rope
        if rope:
            axes.axvspan(-rope, rope, ymax=top, color=BAND, linewidth=0, zorder=0)
        axes.axvline(0.0, ymax=top, color=QUIET, linewidth=0.8, zorder=1)


def shown_models(comparison: Comparison) -> IntArray:
    """Rows of the ranking that are drawn: all, or of very many the first and the reference."""
    n_models = len(comparison.models)
    rows = np.arange(min(n_models, MOST_MODELS))
    reference = comparison.models.index(comparison.reference)
    if reference >= rows.size:
        rows[-1] = reference
    return rows


def of_all(n_drawn: int, n_all: int, what: str = "models, best first") -> str:
    """A remark for the note when not all are drawn, else nothing."""
    return f" Drawn: {n_drawn} of {n_all} {what}." if n_drawn < n_all else ""


def better_is(metric: Metric) -> str:
    """The direction of a metric in a word."""
    return "higher" if metric.higher_is_better else "lower"
