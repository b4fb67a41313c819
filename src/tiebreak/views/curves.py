"""Curves in every form: which view shows which result."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import tiebreak
from tiebreak.studies.bias_variance import BiasVariance
from tiebreak.studies.learning_curve import LearningCurve
from tiebreak.studies.validation_curve import ValidationCurve
from tiebreak.views import bias_variance, learning_curve, validation_curve
from tiebreak.views.json import plain, write_whole
from tiebreak.views.page import Page

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.evaluation.shown import Shown
    from tiebreak.views.plots.base import Display

SCHEMA = 1


class _View(NamedTuple):
    """How one kind of result is shown."""

    kind: str
    page: Callable[[Any], Page]
    columns: Callable[[Any], dict[str, Any]]
    facts: Callable[[Any], dict[str, Any]]
    display: Callable[[Any], Display]


_VIEWS: dict[type[Shown], _View] = {
    LearningCurve: _View(
        "learning-curve", learning_curve.page, learning_curve.columns, learning_curve.facts, learning_curve.display
    ),
    ValidationCurve: _View(
        "validation-curve", validation_curve.page, validation_curve.columns, validation_curve.facts, validation_curve.display
    ),
    BiasVariance: _View("bias-variance", bias_variance.page, bias_variance.columns, bias_variance.facts, bias_variance.display),
}


def to_text(curve: Shown) -> str:
    """For a terminal."""
    return _view(curve).page(curve).as_text()


def to_markdown(curve: Shown) -> str:
    """As Markdown."""
    return _view(curve).page(curve).as_markdown()


def to_html(curve: Shown) -> str:
    """For notebooks."""
    return _view(curve).page(curve).as_fragment()


def to_frame(curve: Shown) -> pd.DataFrame:
    """The points, one in a row."""
    import pandas as pd

    return pd.DataFrame(_view(curve).columns(curve))


def to_dict(curve: Shown) -> dict[str, Any]:
    """Facts and points as plain lists, dicts, strings and numbers; what is undefined is None."""
    view = _view(curve)
    columns = view.columns(curve)
    points = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    document = {"schema": SCHEMA, "tiebreak": tiebreak.__version__, "kind": view.kind, **view.facts(curve), "points": points}
    return {key: plain(value) for key, value in document.items()}


def to_json(curve: Shown, path: str | os.PathLike[str] | None = None) -> str:
    """The same as text, also written to `path` if given."""
    text = json.dumps(to_dict(curve), indent=1, ensure_ascii=True, allow_nan=False)
    if path is not None:
        write_whole(Path(path), f"{text}\n".encode())
    return text


def to_display(curve: Shown) -> Display:
    """The display, not drawn yet."""
    return _view(curve).display(curve)


def _view(curve: Shown) -> _View:
    return _VIEWS[type(curve)]
