"""View of a kind of result: its page, columns, facts and plots, from which every form of it is made."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from tiebreak.printable import printable
from tiebreak.views.columns import Columns, as_frame
from tiebreak.views.json import json_pieces, write_whole
from tiebreak.views.page import Page

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.views.plots.menu import Plots


@dataclass(frozen=True, slots=True)
class View:
    """View of one kind of result; `choices` are handed on to `page` and `facts`.

    `page` makes sentences, tables and notes of a result, `columns` its numbers by name (for frames and CSV), and `facts` what
    its JSON holds: plain values, and iterators for lists that may be long. `plots` is "module:name" of its plots by name,
    `report` that of what makes its report, `frames` are further columns by name, `texts` "module:name" of further texts by
    name, and `sentence` makes the first sentence of the page, where it can be had without the page.
    """

    page: Callable[..., Page]
    columns: Callable[[Any], Columns | pd.DataFrame]
    facts: Callable[..., dict[str, Any]]
    plots: str = ""
    report: str = "tiebreak.views.report.document:report"
    frames: Mapping[str, Callable[[Any], Columns | pd.DataFrame]] = field(default_factory=dict)
    sentence: Callable[[Any], str] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def frame(self, result: object, name: str = "") -> pd.DataFrame:
        """The columns, or further ones of that name, as a frame."""
        return as_frame((self.frames[name] if name else self.columns)(result))

    def as_html(self, result: object, path: str | os.PathLike[str] | None, *choices: Any, **heading: Any) -> str:
        """The report under a `Heading` of these parts, also written to a file if one is named."""
        return _written(resolve_name(self.report)(result, *choices, **heading), path)

    def as_other(self, name: str, result: object, *choices: Any) -> str:
        """One of the further texts."""
        text: str = resolve_name(self.texts[name])(result, *choices)
        return text

    def headline(self, result: object) -> str:
        """First sentence of the page."""
        return self.page(result).headline if self.sentence is None else printable(self.sentence(result))

    def as_dict(self, result: object, *choices: Any) -> dict[str, Any]:
        """The facts as a reader of the JSON gets them."""
        held: dict[str, Any] = json.loads("".join(json_pieces(self.facts(result, *choices))))
        return held

    def as_json(self, result: object, path: str | os.PathLike[str] | None, *choices: Any) -> str:
        """The facts as JSON, also written to a file if one is named."""
        text = "".join(json_pieces(self.facts(result, *choices)))
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
