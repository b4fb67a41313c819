"""Runs in a store, and reports of what was found or copied there."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tiebreak.views.page import NAME_WIDTH, Page, Section, Table
from tiebreak.views.view import View, document, plain, records_of
from tiebreak.views.words import count, printable, quote, short_names, shorten

if TYPE_CHECKING:
    from tiebreak.stores.contract import Damage, RunSummary

    Found = tuple[Sequence[Damage], int, str]
    """Damages, the number of runs, and the store."""

    Runs = tuple[Sequence[RunSummary], str]
    """Runs and the store."""

METRICS_WIDTH = 30

COLUMNS = ("name", "n_cells", "n_done", "n_failed", "n_models", "n_datasets", "n_splits", "metrics", "created", "updated")
"""Columns of runs, of which the first is called "run"."""


def check_page(found: Found) -> Page:
    """A line for each thing that is not as it was written; else the number of runs in the store."""
    damages, n_runs, url = found
    if not damages:
        return Page.of(f"{printable(url)} is as it was written: {count(n_runs, 'run')}, every row verified.")
    title = f"In {printable(url)}, {count(len(damages), 'thing')} {'is' if len(damages) == 1 else 'are'} not as written:"
    lines = (f"{f'run {quote(each.run)}: ' if each.run else ''}{printable(f'{each.where}: {each.what}')}" for each in damages)
    return Page((Section(title, lines, has_bullets=False),))


def check_columns(found: Found) -> dict[str, Any]:
    """A row for each damage."""
    return {name: [getattr(each, name) for each in found[0]] for name in ("run", "where", "what")}


def check_facts(found: Found) -> dict[str, Any]:
    """Damages of a store, schema 1."""
    return document(store=found[2], damages=plain(found[0]))


def backup_page(copy: tuple[str, str]) -> Page:
    """Place of the copy."""
    return Page.of(f"{printable(copy[0])} is a copy of {printable(copy[1])}, every row verified.")


def backup_facts(copy: tuple[str, str]) -> dict[str, Any]:
    """A backup, schema 1."""
    return document(store=copy[1], file=copy[0])


def runs_page(found: Runs) -> Page:
    """A row for each run, the last one updated first; times are those of this machine's clock and zone."""
    runs, url = found
    if not runs:
        return Page.of(f"There are no runs in {printable(url)} yet.")
    rows = tuple(
        (
            name,
            f"{run.n_done}/{run.n_cells}",
            *map(str, (run.n_failed, run.n_models, run.n_splits)),
            shorten(", ".join(run.metrics), METRICS_WIDTH),
            time.strftime("%Y-%m-%d %H:%M", time.localtime(run.updated)),
        )
        for name, run in zip(short_names([run.name for run in runs], NAME_WIDTH), runs, strict=True)
    )
    headers = ("run", "cells", "failed", "models", "splits", "metrics", "updated")
    spare = ("splits", "models", "metrics", "updated")
    right = (False, True, True, True, True, False, False)
    return Page.of(Table(f"Runs in {printable(url)}", headers, rows, right, spare=spare))


def runs_columns(found: Runs) -> dict[str, Any]:
    """A row for each run; times are UTC."""
    columns = {"run" if name == "name" else name: [getattr(run, name) for run in found[0]] for name in COLUMNS}
    for name in ("created", "updated"):
        columns[name] = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)) for moment in columns[name]]
    return {**columns, "metrics": ["; ".join(metrics) for metrics in columns["metrics"]]}


def runs_facts(found: Runs) -> dict[str, Any]:
    """Runs of a store, schema 1."""
    records = zip(records_of(runs_columns(found)), found[0], strict=True)
    return document(store=found[1], runs=[{**record, "metrics": list(run.metrics)} for record, run in records])


CHECK = View(check_page, check_columns, check_facts)
BACKUP = View(backup_page, lambda copy: {"file": [copy[0]], "store": [copy[1]]}, backup_facts)
RUNS = View(runs_page, runs_columns, runs_facts)
