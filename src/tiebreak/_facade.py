"""The one way up: methods of the answer that show it call the views through here, when they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    import pandas as pd

    from tiebreak.comparison.comparison import Comparison, PairComparison
    from tiebreak.comparison.requirements import Requirements
    from tiebreak.evaluation.audit.result import Audit
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.scores.scores import Scores
    from tiebreak.views.plots import Plots
    from tiebreak.views.plots.audit import AuditDisplay


def sentence(comparison: Comparison) -> str:
    """The answer in plain words."""
    from tiebreak.views.text import sentence as view

    return view(comparison)


def pair_sentence(comparison: Comparison, pair: PairComparison) -> str:
    """The answer about one pair in plain words."""
    from tiebreak.views.text import pair_sentence as view

    return view(comparison, pair)


def text(comparison: Comparison, requirements: Requirements | None) -> str:
    """The answer for a terminal."""
    from tiebreak.views.text import full_text as view

    return view(comparison, requirements)


def markdown(comparison: Comparison, requirements: Requirements | None) -> str:
    """The answer as Markdown."""
    from tiebreak.views.markdown import to_markdown as view

    return view(comparison, requirements)


def html_fragment(comparison: Comparison) -> str:
    """The answer as a piece of HTML without script, for notebooks."""
    from tiebreak.views.html import fragment as view

    return view(comparison)


def ranking_frame(comparison: Comparison) -> pd.DataFrame:
    """The ranking as a frame."""
    from tiebreak.views.tables import ranking_frame as view

    return view(comparison)


def pairs_frame(comparison: Comparison) -> pd.DataFrame:
    """The pairs as a frame."""
    from tiebreak.views.tables import pairs_frame as view

    return view(comparison)


def correlation_frame(comparison: Comparison) -> pd.DataFrame:
    """The correlation of models over splits as a frame."""
    from tiebreak.views.tables import correlation_frame as view

    return view(comparison)


def to_dict(comparison: Comparison, requirements: Requirements | None) -> dict[str, Any]:
    """The answer in schema 1."""
    from tiebreak.views.json import to_dict as view

    return view(comparison, requirements)


def to_json(comparison: Comparison, path: str | os.PathLike[str] | None, requirements: Requirements | None) -> str:
    """The answer as JSON text."""
    from tiebreak.views.json import to_json as view

    return view(comparison, path, requirements)


def plots(comparison: Comparison) -> Plots:
    """The displays of a comparison."""
    from tiebreak.views.plots import Plots

    return Plots(comparison)


def compare(scores: Scores, **settings: Any) -> Comparison:
    """The answer about scores."""
    from tiebreak.api import compare as answer

    return answer(scores, **settings)


def evaluation_text(evaluation: Evaluation) -> str:
    """An evaluation for a terminal."""
    from tiebreak.views.evaluation import evaluation_text as view

    return view(evaluation)


def evaluation_html(evaluation: Evaluation) -> str:
    """An evaluation as a piece of HTML without script, for notebooks."""
    from tiebreak.views.evaluation import evaluation_html as view

    return view(evaluation)


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
