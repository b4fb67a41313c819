"""Bias and variance in words and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.views.curve_points import columns_frame, curve_document, lost_notes, names_in_table
from tiebreak.views.page import Page, Paragraph, Section, Table
from tiebreak.views.view import View
from tiebreak.views.words import format_score

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.studies.bias_variance import BiasVariance

LOSS_NAMES = {"squared": "mean squared error", "zero-one": "error rate"}


def page(result: BiasVariance) -> Page:
    """Design, the parts and the notes."""
    return Page((Paragraph((_title(result),)), _table(result), Section("Notes", _notes(result))))


def columns(result: BiasVariance) -> dict[str, Any]:
    """One row for each model."""
    names = ("model", "n_rounds", "loss", "bias", "variance", "unbiased", "biased")
    return {name: [getattr(each, name) for each in result.parts] for name in names}


def frame(result: BiasVariance) -> pd.DataFrame:
    """The points, one in a row."""
    return columns_frame(columns(result))


def facts(result: BiasVariance) -> dict[str, Any]:
    """Facts for JSON."""
    return curve_document(
        "bias-variance",
        columns(result),
        loss=result.loss,
        n_rounds=result.n_rounds,
        n_train=result.n_train,
        n_test=result.n_test,
        n_failed=result.evaluation.n_failed,
    )


def _title(result: BiasVariance) -> str:
    return (
        f"Bias and variance of the {LOSS_NAMES[result.loss]}: {result.n_rounds} training sets of {result.n_train} examples, "
        f"drawn with replacement, and one test set of {result.n_test}."
    )


def _table(result: BiasVariance) -> Table:
    is_squared = result.loss == "squared"
    rows = []
    for name, each in zip(names_in_table(result.models), result.parts, strict=True):
        n = str(each.n_rounds) if each.n_rounds == result.n_rounds else f"{each.n_rounds} of {result.n_rounds}"
        numbers = (each.loss, each.bias, each.variance, *(() if is_squared else (each.unbiased, each.biased)))
        rows.append((name, *(f"{value:.4g}" if is_squared else format_score(value, 4) for value in numbers), n))
    parts = ("bias² + noise", "variance") if is_squared else ("bias", "net variance", "costs", "helps")
    headers = ("model", LOSS_NAMES[result.loss], *parts, "rounds")
    title = "Parts of the loss, means over the test examples"
    return Table(title, headers, tuple(rows))


def _notes(result: BiasVariance) -> tuple[str, ...]:
    said = [_ZERO_ONE]
    if result.loss == "squared":
        too = f"The variance comes out too small, and the squared bias too large, by about the variance / {result.n_rounds}."
        said = ["The noise of the target is in the squared bias: one target for each example cannot tell them apart.", too]
    return (*said, _DRAWN, *lost_notes(result.evaluation))


_ZERO_ONE = (
    "Bias: the share of test examples that most training sets get wrong (Domingos 2000, labels taken to be right). Net variance: "
    "how often single training sets get the others wrong (costs), less how often they get these right (helps)."
)
_DRAWN = (
    "Training sets drawn with replacement hold about 63% of the examples, some of them more than once, so all parts are those of "
    "somewhat less data."
)

VIEW = View(page, frame, facts, "tiebreak.views.plots.bias_variance:PLOTS")
