"""View of a kind of result: its page, frame, facts and plots, from which every form of it is made."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from tiebreak.printable import printable
from tiebreak.views.heading import headed
from tiebreak.views.json import as_lists, json_text, write_whole
from tiebreak.views.page import Page

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.views.plots.menu import Plots


@dataclass(frozen=True, slots=True)
class View:
    """View of one kind of result; `choices` are handed on to `page` and `facts`, `layout` to `page` alone.

    `page` makes sentences, tables and notes of a result, `frame` its numbers as a frame, and `facts` what its JSON holds: plain
    values, and iterators for lists that may be long. `plots` is "module:name" of its plots by name, `report` that of what
    makes its report, `frames` are further tables by name, `texts` "module:name" of further texts by name, and `sentence` makes
    the first sentence of the page, where it can be had without the page.
    """

    page: Callable[..., Page]
    frame: Callable[[Any], pd.DataFrame]
    facts: Callable[..., dict[str, Any]]
    plots: str = ""
    report: str = "tiebreak.views.report.document:report"
    frames: Mapping[str, Callable[[Any], pd.DataFrame]] = field(default_factory=dict)
    sentence: Callable[[Any], str] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def as_text(self, result: object, *choices: Any, width: int | None = None, **layout: Any) -> str:
        """For a terminal, fitted to a width if one is given."""
        return self.page(result, *choices, **layout).as_text(width)

    def as_markdown(self, result: object, *choices: Any, folds: bool = False, **layout: Any) -> str:
        """For notes, or with details folded for pull requests."""
        return self.page(result, *choices, **layout).as_markdown(folds=folds)

    def as_html(self, result: object, path: str | os.PathLike[str] | None, *choices: Any, **heading: Any) -> str:
        """The report, also written to a file if one is named."""
        with headed(**heading):
            text = resolve_name(self.report)(result, *choices)
        return _written(text, path)

    def as_fragment(self, result: object) -> str:
        """For notebooks."""
        return self.page(result).as_fragment()

    def as_other(self, name: str, result: object, *choices: Any) -> str:
        """One of the further texts."""
        text: str = resolve_name(self.texts[name])(result, *choices)
        return text

    def headline(self, result: object) -> str:
        """First sentence of the page."""
        return self.page(result).headline if self.sentence is None else printable(self.sentence(result))

    def as_dict(self, result: object, *choices: Any) -> dict[str, Any]:
        """The facts, long lists as lists."""
        return as_lists(self.facts(result, *choices))

    def as_json(self, result: object, path: str | os.PathLike[str] | None, *choices: Any) -> str:
        """The facts as JSON, also written to a file if one is named."""
        text = json_text(self.facts(result, *choices))
        _written(f"{text}\n", path)
        return text

    def plots_of(self, result: object) -> Plots:
        """The plots of a result."""
        from tiebreak.views.plots.menu import Plots

        return Plots(result, resolve_name(self.plots) if self.plots else {})


def _written(text: str, path: str | os.PathLike[str] | None) -> str:
    if path is not None:
        write_whole(Path(path), text.encode())
    return text
