"""A run before it is measured, in words and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.views.columns import records_of
from tiebreak.views.json import dataset_facts, document
from tiebreak.views.names import short_names
from tiebreak.views.page import Page, Paragraph, Table
from tiebreak.views.view import View
from tiebreak.views.words import printable, quote, shorten, span

if TYPE_CHECKING:
    from tiebreak.evaluation.preview import Preview
    from tiebreak.plan.record import DatasetRecord

    Planned = tuple[Preview, str, str]
    """What is planned, the study file, and the store without a password."""

MOST_MODELS = 20


def page(planned: Planned) -> Page:
    """Plan of a study file, and the part of it that is left to be measured."""
    preview, file, url = planned
    record = preview.record
    n_splits = sum(each.n_splits for each in record.datasets)
    shown = record.models[:MOST_MODELS]
    names = short_names([model.name for model in shown])
    more = f"and {len(record.models) - len(shown)} more"
    rows = tuple((name, shorten(model.text, 44)) for name, model in zip(names, shown, strict=True))
    return Page.of(
        f"Run {quote(record.name)} of {file}: {len(record.models)} models x {n_splits} splits = {record.n_cells} cells",
        Paragraph(tuple(_dataset_line(each, preview.task) for each in record.datasets)),
        Table("", ("model", ""), rows, (False, False), notes=(more,) if len(record.models) > len(shown) else ()),
        Paragraph(
            (
                f"Metrics: {', '.join(printable(metric.name) for metric in record.metrics)}",
                _stored_line(preview, url),
                "Nothing was measured, and nothing was written.",
            )
        ),
    )


def _dataset_line(dataset: DatasetRecord, task: str) -> str:
    name = f" {quote(dataset.name)}" if dataset.name else ""
    classes = f" ({len(dataset.classes)} classes)" if dataset.classes else ""
    train, test = (span(sizes) for sizes in (dataset.n_train, dataset.n_test))
    return (
        f"Data{name}: {dataset.n_samples} examples, {dataset.n_features} features, {task}{classes}; {dataset.n_splits} splits "
        f"({dataset.kind}), {train} training and {test} test examples each"
    )


def _stored_line(preview: Preview, url: str) -> str:
    if not preview.is_stored:
        return f"Store: {url} has nothing of it yet; all {preview.n_left} cells are to be measured."
    failed = f", {preview.n_failed} failed" if preview.n_failed else ""
    lack = f"; {preview.n_incomplete} of those measured lack a metric" if preview.n_incomplete else ""
    return f"Store: {url} has {preview.n_done} measured{failed}; {preview.n_left} are to be measured{lack}."


def columns(planned: Planned) -> dict[str, Any]:
    """A row for each model."""
    return {name: [getattr(model, name) for model in planned[0].record.models] for name in ("name", "text")}


def facts(planned: Planned) -> dict[str, Any]:
    """Plan of a run, and its progress."""
    preview, _, url = planned
    record = preview.record
    return document(
        run=record.name,
        store=url,
        n_cells=record.n_cells,
        **{name: getattr(preview, name) for name in ("n_done", "n_failed", "n_incomplete", "task")},
        models=list(records_of(columns(planned))),
        metrics=[metric.name for metric in record.metrics],
        datasets=dataset_facts(record),
    )


VIEW = View(page, columns, facts)
