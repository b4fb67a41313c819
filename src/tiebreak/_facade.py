"""The one way up: methods of the answer that show it call the views through here, when they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.audits.findings import Audit
    from tiebreak.evaluation.bbc import BiasCorrectedScore
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.evaluation.shown import Shown
    from tiebreak.studies.nested import NestedEvaluation
    from tiebreak.views.nested_frames import Part
    from tiebreak.views.plots.audit import AuditDisplay
    from tiebreak.views.plots.base import Display
    from tiebreak.views.plots.nested import NestedDisplay


def evaluation_text(evaluation: Evaluation) -> str:
    """An evaluation for a terminal."""
    from tiebreak.views.evaluation import evaluation_text as view

    return view(evaluation)


def evaluation_html(evaluation: Evaluation) -> str:
    """An evaluation as a piece of HTML without script, for notebooks."""
    from tiebreak.views.evaluation import evaluation_html as view

    return view(evaluation)


def result_text(result: Any) -> str:
    """A matrix or a curve, or those of several models, for a terminal."""
    from tiebreak.views.metric_results import result_text as view

    return view(result)


def result_html(result: Any) -> str:
    """The same as a piece of HTML without script, for notebooks."""
    from tiebreak.views.metric_results import result_html as view

    return view(result)


def result_dict(result: Any) -> dict[str, Any]:
    """The same as plain lists, texts and numbers."""
    from tiebreak.views.metric_results import result_dict as view

    return view(result)


def result_plot(result: Any, ax: Axes | None, **choices: Any) -> Any:
    """The display of it, drawn."""
    from tiebreak.views.plots.of_results import display_of

    return display_of(result, **choices).plot(ax)


def nested_frame(nested: NestedEvaluation, part: Part) -> pd.DataFrame:
    """A table of a nested cross-validation as a frame."""
    from tiebreak.views.nested_frames import nested_frame as view

    return view(nested, part)


def nested_dict(nested: NestedEvaluation) -> dict[str, Any]:
    """A nested cross-validation in schema 1."""
    from tiebreak.views.nested_frames import nested_dict as view

    return view(nested)


def nested_json(nested: NestedEvaluation, path: str | os.PathLike[str] | None) -> str:
    """A nested cross-validation as JSON text."""
    from tiebreak.views.nested_frames import nested_json as view

    return view(nested, path)


def nested_text(nested: NestedEvaluation) -> str:
    """A nested cross-validation for a terminal."""
    from tiebreak.views.nested import nested_text as view

    return view(nested)


def nested_markdown(nested: NestedEvaluation) -> str:
    """A nested cross-validation as Markdown."""
    from tiebreak.views.nested import nested_markdown as view

    return view(nested)


def nested_html(nested: NestedEvaluation) -> str:
    """A nested cross-validation as a piece of HTML without script, for notebooks."""
    from tiebreak.views.nested import nested_html as view

    return view(nested)


def nested_plot(nested: NestedEvaluation, metric: str | None, ax: Any) -> NestedDisplay:
    """A nested cross-validation, drawn."""
    from tiebreak.views.plots.nested import NestedDisplay

    return NestedDisplay.from_nested(nested, metric).plot(ax)


def bias_corrected_frame(score: BiasCorrectedScore) -> pd.DataFrame:
    """How often each model was the best, as a frame."""
    from tiebreak.views.nested_frames import bias_corrected_frame as view

    return view(score)


def bias_corrected_dict(score: BiasCorrectedScore) -> dict[str, Any]:
    """A bias-corrected score in schema 1."""
    from tiebreak.views.nested_frames import bias_corrected_dict as view

    return view(score)


def bias_corrected_text(score: BiasCorrectedScore) -> str:
    """A bias-corrected score for a terminal."""
    from tiebreak.views.nested import bias_corrected_text as view

    return view(score)


def bias_corrected_html(score: BiasCorrectedScore) -> str:
    """A bias-corrected score as a piece of HTML without script, for notebooks."""
    from tiebreak.views.nested import bias_corrected_html as view

    return view(score)


def curve_text(curve: Shown) -> str:
    """A curve for a terminal."""
    from tiebreak.views.curves import to_text as view

    return view(curve)


def curve_markdown(curve: Shown) -> str:
    """A curve as Markdown."""
    from tiebreak.views.curves import to_markdown as view

    return view(curve)


def curve_html(curve: Shown) -> str:
    """A curve as a piece of HTML without script, for notebooks."""
    from tiebreak.views.curves import to_html as view

    return view(curve)


def curve_frame(curve: Shown) -> pd.DataFrame:
    """The points of a curve as a frame."""
    from tiebreak.views.curves import to_frame as view

    return view(curve)


def curve_dict(curve: Shown) -> dict[str, Any]:
    """A curve as plain lists and dicts."""
    from tiebreak.views.curves import to_dict as view

    return view(curve)


def curve_json(curve: Shown, path: str | os.PathLike[str] | None) -> str:
    """A curve as JSON text."""
    from tiebreak.views.curves import to_json as view

    return view(curve, path)


def curve_display(curve: Shown) -> Display:
    """The display of a curve, not drawn yet."""
    from tiebreak.views.curves import to_display as view

    return view(curve)


def audit_text(audit: Audit) -> str:
    """An audit for a terminal."""
    from tiebreak.views.audit import audit_text as view

    return view(audit)


def audit_markdown(audit: Audit) -> str:
    """An audit as Markdown."""
    from tiebreak.views.audit import audit_markdown as view

    return view(audit)


def audit_html(audit: Audit) -> str:
    """An audit as a piece of HTML without script, for notebooks."""
    from tiebreak.views.audit import audit_html as view

    return view(audit)


def audit_frame(audit: Audit) -> pd.DataFrame:
    """The findings of an audit as a frame."""
    from tiebreak.views.audit_tables import audit_frame as view

    return view(audit)


def audit_dict(audit: Audit) -> dict[str, Any]:
    """An audit in schema 1."""
    from tiebreak.views.audit_tables import audit_dict as view

    return view(audit)


def audit_json(audit: Audit, path: str | os.PathLike[str] | None) -> str:
    """An audit as JSON text."""
    from tiebreak.views.audit_tables import audit_json as view

    return view(audit, path)


def audit_plot(audit: Audit, ax: Any) -> AuditDisplay:
    """What each test set holds, drawn."""
    from tiebreak.views.plots.audit import AuditDisplay

    return AuditDisplay.from_audit(audit).plot(ax)
