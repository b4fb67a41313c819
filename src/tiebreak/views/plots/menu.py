"""Plots of a result: a list when shown, each drawn by its name."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tiebreak.views.json import make_folder
from tiebreak.views.plots.draw import Drawing, check_format

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def always(result: Any) -> bool:
    """True: every result of the type has this plot."""
    return True


class Plot(NamedTuple):
    """A plot: what collects its numbers, and for which results of its type there are any."""

    draw: Callable[..., Drawing]
    fits: Callable[[Any], bool] = always


class Plots:
    """Plots of one result, reached as ``result.plot``.

    Shown, it lists them. ``result.plot.name(ax=None)`` draws one and returns its `Drawing`, with ``data``, ``title``, ``note``,
    ``ax_`` and ``figure_``; ``result.plot()`` draws the first.
    """

    __slots__ = ("_kinds", "result")

    def __init__(self, result: Any, kinds: Mapping[str, Plot]) -> None:
        self.result = result
        self._kinds = kinds

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots that this result has without further choices."""
        return tuple(name for name, each in self._kinds.items() if each.fits(self.result) and not _required(each))

    def __getattr__(self, name: str) -> Callable[..., Drawing]:
        if name.startswith("_") or name not in self._kinds:
            raise AttributeError(f"there is no plot {name!r}; there are {', '.join(self._kinds) or 'none'}.")
        draw = self._kinds[name].draw

        @wraps(draw)
        def plot(*choices: Any, ax: Axes | None = None, **named: Any) -> Drawing:
            return draw(self.result, *choices, **named).plot(ax)

        where = inspect.Parameter("ax", inspect.Parameter.KEYWORD_ONLY, default=None)
        plot.__signature__ = inspect.Signature([*_choices(self._kinds[name]), where])  # type: ignore[attr-defined]
        return plot

    def __call__(self, *choices: Any, ax: Axes | None = None, **named: Any) -> Drawing:
        """Draw the first."""
        return getattr(self, next(iter(self._kinds), "plot"))(*choices, ax=ax, **named)  # type: ignore[no-any-return]

    def __dir__(self) -> list[str]:
        return [*self._kinds, "names", "save", "save_all"]

    def drawing(self, name: str | None = None) -> Drawing:
        """One of them, the first if none is named, with its numbers but not drawn yet."""
        return self._kinds[name or self.names[0]].draw(self.result)

    def save(self, path: str | os.PathLike[str], name: str | None = None) -> Path:
        """Write one of them, the first if none is named, as PNG, SVG or PDF by the suffix; pyplot is not touched."""
        check_format(path)
        return self.drawing(name).save(path)

    def save_all(self, directory: str | os.PathLike[str], *, format: str = "png") -> list[Path]:
        """Write all of them, each under its name.

        Parameters
        ----------
        directory : path
            Made if it is not there. Files of the same names are replaced.
        format : {"png", "svg", "pdf"}
        """
        check_format(f"plot.{format}")
        folder = Path(directory)
        make_folder(folder)
        return [self.save(folder / f"{name}.{format}", name) for name in self.names]

    def __repr__(self) -> str:
        kinds = {name: each for name, each in self._kinds.items() if name in self.names or _required(each)}
        calls = {
            f".plot.{name}({', '.join(choice.name for choice in _choices(each))})": (inspect.getdoc(each.draw) or "").partition(
                "\n"
            )[0]
            for name, each in kinds.items()
        }
        width = max(map(len, calls), default=0)
        title = f"{len(calls)} plot{'' if len(calls) == 1 else 's'} of {type(self.result).__name__}"
        return "\n".join([title, *(f"  {call:<{width}}  {what}" for call, what in calls.items())])


def _choices(kind: Plot) -> list[inspect.Parameter]:
    """Parameters of a plot beside the result."""
    return list(inspect.signature(kind.draw).parameters.values())[1:]


def _required(kind: Plot) -> bool:
    return any(each.default is each.empty for each in _choices(kind))
