"""What every curve can do: be printed, written and drawn; the views do it, from the numbers that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak import _facade

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes


class Shown:
    """A result of several tables that the views know how to show."""

    __slots__ = ()

    def to_text(self) -> str:
        """The answer and its tables for a terminal, about 100 columns wide."""
        return _facade.curve_text(self)

    def to_markdown(self) -> str:
        """The same as Markdown, for pull requests and notes."""
        return _facade.curve_markdown(self)

    def to_frame(self) -> pd.DataFrame:
        """Every point, one in a row."""
        return _facade.curve_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """All that is known as plain lists, dicts, strings and numbers; nan is None."""
        return _facade.curve_dict(self)

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The same as JSON text, also written to `path` if given: whole or not at all."""
        return _facade.curve_json(self, path)

    def plot(self, ax: Axes | None = None) -> Any:
        """Draw; returns the display, with ``data``, ``ax_`` and ``figure_``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. If not given, a figure of fitting size is made.
        """
        return _facade.curve_display(self).plot(ax)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return _facade.curve_html(self)
