"""Runs in a store, and reports of what was found or copied there."""

import time
from collections.abc import Sequence
from typing import Any

from tiebreak.stores.contract import Damage, RunSummary
from tiebreak.views.page import Page, Section, Table
from tiebreak.views.view import View, document, records_of
from tiebreak.views.words import count, printable, quote, short_names, shorten

Runs = tuple[Sequence[RunSummary], str]
"""Runs and the store."""

METRICS_WIDTH = 30

COLUMNS = ("name", "n_cells", "n_done", "n_failed", "n_models", "n_datasets", "n_splits", "metrics", "created", "updated")
"""Columns of runs, of which the first is called "run"."""


def check_page(damages: Sequence[Damage], n_runs: int, url: str) -> Page:
    """A line for each thing that is not as it was written; else the number of runs in the store."""
    if not damages:
        return Page.of(f"{printable(url)} is as it was written: {count(n_runs, 'run')}, every row verified.")
    title = f"In {printable(url)}, {count(len(damages), 'thing')} {'is' if len(damages) == 1 else 'are'} not as written:"
    lines = (f"{f'run {quote(each.run)}: ' if each.run else ''}{printable(f'{each.where}: {each.what}')}" for each in damages)
    return Page((Section(title, lines, has_bullets=False),))


def runs_page(found: Runs) -> Page:
    """A row for each run, the last one updated first; times are those of this machine's clock and zone."""
    runs, url = found
    if not runs:
        return Page.of(f"There are no runs in {printable(url)} yet.")
    columns = {
        "run": short_names([run.name for run in runs]),
        "cells": [f"{run.n_done}/{run.n_cells}" for run in runs],
        "failed": [str(run.n_failed) for run in runs],
        "models": [str(run.n_models) for run in runs],
        "splits": [str(run.n_splits) for run in runs],
        "metrics": [shorten(", ".join(run.metrics), METRICS_WIDTH) for run in runs],
        "updated": [time.strftime("%Y-%m-%d %H:%M", time.localtime(run.updated)) for run in runs],
    }
    spare = ("splits", "models", "metrics", "updated")
    return Page.of(Table.of(f"Runs in {printable(url)}", columns.items(), ("run", "metrics", "updated"), spare=spare))


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


RUNS = View(runs_page, runs_columns, runs_facts)
