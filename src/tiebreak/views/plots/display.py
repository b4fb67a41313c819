"""Plots of a result: an object that lists them when it is shown, and draws one when it is asked for by name."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Generic, TypeVar

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
