"""Base class of all results: each can be printed, written and drawn, by the view that the registry names for its type."""

from __future__ import annotations

import json
import shutil
import sys
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import os

    import pandas as pd

    from tiebreak.views.plots.draw import Plots
    from tiebreak.views.view import View

VIEWS = {
    "Comparison": "tiebreak.views.comparison:VIEW",
    "PairComparison": "tiebreak.views.comparison:PAIR",
    "Slices": "tiebreak.views.slices:VIEW",
    "Ratings": "tiebreak.views.ratings:VIEW",
    "SampleSize": "tiebreak.views.sample_size:VIEW",
    "Requirements": "tiebreak.views.requirements:VIEW",
    "NoiseFloor": "tiebreak.views.noise_floor:VIEW",
    "LearningCurve": "tiebreak.views.curves:LEARNING",
    "ValidationCurve": "tiebreak.views.curves:VALIDATION",
    "BiasVariance": "tiebreak.views.curves:BIAS_VARIANCE",
    "BiasCorrectedScore": "tiebreak.views.predictions:CORRECTED_SCORE",
    "Audit": "tiebreak.views.audit:VIEW",
    "ConfusionMatrix": "tiebreak.views.predictions:MATRIX",
    "Confusions": "tiebreak.views.predictions:MODELS",
    "CostMatrix": "tiebreak.views.predictions:COSTS",
    "RocCurve": "tiebreak.views.predictions:ROC",
    "Rocs": "tiebreak.views.predictions:ROCS",
    "PrecisionRecallCurve": "tiebreak.views.predictions:PRECISION_RECALL",
    "PrecisionRecalls": "tiebreak.views.predictions:PRECISION_RECALLS",
    "CalibrationCurve": "tiebreak.views.predictions:CALIBRATION",
    "Calibrations": "tiebreak.views.predictions:CALIBRATIONS",
    "Evaluation": "tiebreak.views.evaluation:VIEW",
}
"""Type of result, by its name -> "module:name" of its view, which is imported when it is asked for."""


class Result:
    """A result that can be printed, written as Markdown, HTML and JSON, turned into a frame, and drawn."""

    __slots__ = ()

    def to_text(self) -> str:
        """The answer for a terminal, about 100 columns wide."""
        return view_of(self).page(self).as_text()

    def to_markdown(self) -> str:
        """The answer as Markdown, for pull requests and notes."""
        return view_of(self).page(self).as_markdown()

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str = "",
    ) -> str:
        """The report: one HTML file that opens offline, also written to `path` if given, whole or not at all.

        Parameters
        ----------
        path : path, optional
            Where to write it; a file of that name is replaced.
        title : str, optional
            Instead of the report's own.
        """
        return view_of(self).as_html(self, path, title=title)

    def to_frame(self) -> pd.DataFrame:
        """The numbers as a frame."""
        return view_of(self).frame(self)

    def to_dict(self) -> dict[str, Any]:
        """All that is known as plain lists, dicts, texts and numbers; what is undefined is None."""
        return dict(json.loads(self.to_json()))

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The facts of `to_dict` as JSON text, also written to `path` if given: whole or not at all."""
        return view_of(self).as_json(self, path)

    @property
    def plot(self) -> Plots:
        """Plots: it lists them when shown, and ``plot.name(ax=None)`` draws one and returns its drawing."""
        kinds = view_of(self).plots
        return cast(
            "Plots",
            resolve_name("tiebreak.views.plots.draw:Plots")(self, resolve_name(kinds) if isinstance(kinds, str) else kinds),
        )

    def __str__(self) -> str:
        width = max(40, shutil.get_terminal_size().columns) if sys.stdout is not None and sys.stdout.isatty() else None
        return (self.to_text() if width is None else view_of(self).page(self).as_text(width)).rstrip("\n")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {view_of(self).headline(self)}>"

    def _repr_html_(self) -> str:
        return str(resolve_name("tiebreak.views.report.document:fragment")(view_of(self).page(self).parts))


def view_of(result: object) -> View:
    """The view of a result, by its type or the nearest base type that has one."""
    for each in type(result).__mro__:
        if each.__name__ in VIEWS:
            return cast("View", resolve_name(VIEWS[each.__name__]))
    raise TypeError(f"{type(result).__name__} has no view; give it a line in tiebreak.result.VIEWS.")
