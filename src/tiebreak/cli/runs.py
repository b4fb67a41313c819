"""``tiebreak runs``: what a store holds."""

from __future__ import annotations

import click

from tiebreak.cli.options import check_raw, format_option, help_option, raw_option, store_option
from tiebreak.cli.process import emit, emit_page
from tiebreak.cli.stores import find_store


@click.command("runs", short_help="List the runs of a store.")
@store_option
@format_option(formats=("table", "json", "csv"))
@raw_option
@help_option
def runs_command(store: str | None, format_: str, raw: bool) -> None:
    """List the runs of a store, the last one updated first."""
    from tiebreak.stores import open_store
    from tiebreak.views import store as views
    from tiebreak.views.json import encoded

    check_raw(raw, format_)
    opened = open_store(find_store(store))
    runs = opened.runs()
    if format_ == "json":
        emit(encoded(views.runs_dict(runs, opened.url), indent=2) + "\n")
    elif format_ == "csv":
        from tiebreak.views.csv import csv_lines

        emit(csv_lines(views.COLUMNS, views.runs_rows(runs), raw=raw), raw=raw)
    else:
        emit_page(views.runs_page(runs, opened.url))
    opened.close()
