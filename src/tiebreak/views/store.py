"""Runs in a store, and reports of what was found or copied there."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tiebreak.views.json import document
from tiebreak.views.names import short_names
from tiebreak.views.page import NAME_WIDTH, Page, Section, Table
from tiebreak.views.words import count, printable, quote, shorten

if TYPE_CHECKING:
    from tiebreak.stores.contract import RunSummary
    from tiebreak.stores.damage import Damage


def check_page(damages: Sequence[Damage], n_runs: int, url: str) -> Page:
    """A line for each thing that is not as it was written; else the number of runs in the store."""
    if not damages:
        return Page.of(f"{printable(url)} is as it was written: {count(n_runs, 'run')}, every row verified.")
    title = f"In {printable(url)}, {count(len(damages), 'thing')} {_are(damages)} not as written:"
    lines = (f"{f'run {quote(each.run)}: ' if each.run else ''}{printable(f'{each.where}: {each.what}')}" for each in damages)
    return Page((Section(title, lines, has_bullets=False),))


def check_dict(damages: Sequence[Damage], url: str) -> dict[str, Any]:
    """Damages of a store for programs, schema 1."""
    return document(store=url, damages=_plain(damages))


def backup_page(file: str, url: str) -> Page:
    """Place of the copy."""
    return Page.of(f"{printable(file)} is a copy of {printable(url)}, every row verified.")


def backup_dict(file: str, url: str) -> dict[str, Any]:
    """A backup for programs, schema 1."""
    return document(store=url, file=file)


def _plain(damages: Sequence[Damage]) -> list[dict[str, str]]:
    return [{"run": each.run, "where": each.where, "what": each.what} for each in damages]


def _are(damages: Sequence[Damage]) -> str:
    return "is" if len(damages) == 1 else "are"


METRICS_WIDTH = 30

COLUMNS = (
    "run",
    "n_cells",
    "n_done",
    "n_failed",
    "n_models",
    "n_datasets",
    "n_splits",
    "metrics",
    "created",
    "updated",
)
"""Columns of the CSV, and keys of the JSON."""


def runs_page(runs: Sequence[RunSummary], url: str) -> Page:
    """A row for each run, the last one updated first; times are those of this machine's clock and zone."""
    if not runs:
        return Page.of(f"There are no runs in {printable(url)} yet.")
    names = short_names([run.name for run in runs], NAME_WIDTH)
    rows = tuple(
        (
            name,
            f"{run.n_done}/{run.n_cells}",
            str(run.n_failed),
            str(run.n_models),
            str(run.n_splits),
            shorten(", ".join(run.metrics), METRICS_WIDTH),
            _local(run.updated),
        )
        for name, run in zip(names, runs, strict=True)
    )
    headers = ("run", "cells", "failed", "models", "splits", "metrics", "updated")
    return Page.of(
        Table(
            f"Runs in {printable(url)}",
            headers,
            rows,
            (False, True, True, True, True, False, False),
            spare=("splits", "models", "metrics", "updated"),
        )
    )


def runs_dict(runs: Sequence[RunSummary], url: str) -> dict[str, Any]:
    """Runs of a store for programs, schema 1; times are UTC."""
    rows = [dict(zip(COLUMNS, (*_values(run), list(run.metrics), *_times(run)), strict=True)) for run in runs]
    return document(store=url, runs=rows)


def runs_rows(runs: Sequence[RunSummary]) -> list[tuple[Any, ...]]:
    """Runs as rows of `COLUMNS`; metrics are joined by semicolons."""
    return [(*_values(run), "; ".join(run.metrics), *_times(run)) for run in runs]


def _values(run: RunSummary) -> tuple[Any, ...]:
    return run.name, run.n_cells, run.n_done, run.n_failed, run.n_models, run.n_datasets, run.n_splits


def _times(run: RunSummary) -> tuple[str, str]:
    created, updated = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)) for moment in (run.created, run.updated))
    return created, updated


def _local(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
