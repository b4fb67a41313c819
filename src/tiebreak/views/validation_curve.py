"""A validation curve in words and columns: the sweet spot, what is practically as good, and the points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.views.curve_points import (
    columns_frame,
    curve_document,
    interval_notes,
    lost_notes,
    names_in_table,
    point_cells,
    point_columns,
    point_decimals,
    point_headers,
)
from tiebreak.views.page import Page, Paragraph, Section, Table
from tiebreak.views.view import View
from tiebreak.views.words import format_score, listed, printable, quote, shorten

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.studies.validation_curve import SweetSpot, ValidationCurve

BEST = "best mean"
"""Stands in the table where the others have a verdict."""


def page(curve: ValidationCurve) -> Page:
    """Sentences, points and notes."""
    answers = tuple(sentence(curve, spot) for spot in curve.sweet_spots)
    return Page(
        (Paragraph((_title(curve),)), Paragraph(answers, n_strong=len(answers)), _points(curve), Section("Notes", _notes(curve)))
    )


def columns(curve: ValidationCurve) -> dict[str, Any]:
    """The points, those of the first model first."""
    n_values = len(curve.values)
    return {
        "model": [model for model in curve.models for _ in range(n_values)],
        "value": [value for _ in curve.models for value in curve.values],
        "label": [label for _ in curve.models for label in curve.labels],
        **point_columns(curve.points),
        "is_best": [place == spot.position for spot in curve.sweet_spots for place in range(n_values)],
        "verdict": [verdict for spot in curve.sweet_spots for verdict in spot.verdicts],
    }


def frame(curve: ValidationCurve) -> pd.DataFrame:
    """The points, one in a row."""
    return columns_frame(columns(curve))


def facts(curve: ValidationCurve) -> dict[str, Any]:
    """Facts for JSON."""
    return curve_document(
        "validation-curve",
        columns(curve),
        metric={"name": curve.metric.name, "higher_is_better": curve.metric.higher_is_better},
        settings={"rope": curve.rope, "alpha": curve.alpha},
        parameter=curve.parameter,
        models=curve.models,
        values=curve.values,
        n_splits=curve.n_splits,
        sweet_spots=[
            {
                "model": spot.model,
                "value": None if spot.position is None else curve.values[spot.position],
                "equivalent": [curve.values[place] for place in spot.where("equivalent")],
                "undecided": [curve.values[place] for place in spot.where("undecided")],
                "reason": spot.reason,
            }
            for spot in curve.sweet_spots
        ],
        n_failed=curve.evaluation.n_failed,
    )


def sentence(curve: ValidationCurve, spot: SweetSpot) -> str:
    """The best value of a model, and which others may do as well."""
    if spot.position is None:
        return f"{quote(spot.model)}: {spot.reason}."
    row = curve.models.index(spot.model)
    mean = format_score(float(curve.points.test_mean[row, spot.position]), point_decimals(curve.points))
    side = "highest" if curve.metric.higher_is_better else "lowest"
    found = f"{quote(spot.model)}: the {side} mean {curve.metric.name} is {mean}, at {_value(curve, spot.position)}"
    if spot.reason:
        return f"{found}. How the others stand to it is not known: {spot.reason.rstrip('.')}."
    clauses = [
        f"{_listed(curve, places)} {'is' if len(places) == 1 else 'are'} {words}"
        for verdict, words in (
            ("equivalent", "practically equivalent"),
            ("undecided", "not told apart from it yet"),
            ("behind", "behind, maybe by too little to matter"),
            ("worse", "worse"),
            ("ahead", "ahead on the splits that it has"),
            ("better", "better on the splits that it has"),
        )
        if (places := spot.where(verdict))
    ]
    return f"{found}; {'; '.join(clauses)}."


def _value(curve: ValidationCurve, place: int) -> str:
    return f"{printable(curve.parameter)}={shorten(curve.labels[place], 40)}"


def _listed(curve: ValidationCurve, places: list[int]) -> str:
    first, *others = places
    return listed([_value(curve, first), *(shorten(curve.labels[place], 40) for place in others)], 6)


def _title(curve: ValidationCurve) -> str:
    record = curve.evaluation.record.datasets[0]
    splits = f"{curve.n_splits} split{'s' if curve.n_splits > 1 else ''} ({record.kind})"
    rope = f"rope {curve.rope}" if curve.rope else "no rope, so none can be called equivalent"
    return f"Validation curve: {printable(curve.metric.name)} by {printable(curve.parameter)}, {splits}; {rope}."


def _points(curve: ValidationCurve) -> Table:
    decimals = point_decimals(curve.points)
    rows = tuple(
        (
            name if place == 0 else "",
            shorten(label, 34),
            *point_cells(curve.points, model, place, decimals, curve.n_splits),
            BEST if place == spot.position else spot.verdicts[place] or "-",
        )
        for model, (name, spot) in enumerate(zip(names_in_table(curve.models), curve.sweet_spots, strict=True))
        for place, label in enumerate(curve.labels)
    )
    headers = ("model", shorten(curve.parameter, 34), *point_headers(curve.alpha), "against the best")
    return Table(f"Mean {printable(curve.metric.name)} by value", headers, rows, (False, *(True,) * 6, False))


def _notes(curve: ValidationCurve) -> tuple[str, ...]:
    verdicts = "Verdicts are those of tiebreak.compare among the values of a model, each pair by one interval (bonferroni)."
    return (verdicts, _PICKED, *interval_notes(curve.points, curve.metric, curve.alpha), *lost_notes(curve.evaluation))


_PICKED = (
    "The best of several values was picked by these same scores, so its mean is likely a little too good; nested "
    "cross-validation gives an honest one."
)

VIEW = View(page, frame, facts, "tiebreak.views.plots.curves:VALIDATION")
