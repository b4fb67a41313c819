"""``tiebreak runs``: what a store holds."""

from typing import Any

import click

from tiebreak.cli.measuring import find_store, store_option
from tiebreak.cli.options import Output, format_option, help_option, raw_option


@click.command("runs", params=[store_option, format_option, raw_option])
@help_option
def runs_command(store: str | None, **typed: Any) -> None:
    """List the runs of a store, the last one updated first."""
    from tiebreak.stores.sql import open_store
    from tiebreak.views.store import RUNS

    output = Output.of(typed)
    opened = open_store(find_store(store))
    output.show((opened.runs(), opened.url), view=RUNS)
    opened.close()
