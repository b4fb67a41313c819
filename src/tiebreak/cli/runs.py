"""``tiebreak runs``: what a store holds."""

import click

from tiebreak.cli.measuring import find_store
from tiebreak.cli.options import Output, help_option, output_options, store_option, with_options


@click.command("runs")
@store_option
@with_options(*output_options("format", "raw"))
@help_option
def runs_command(store: str | None, output: Output) -> None:
    """List the runs of a store, the last one updated first."""
    from tiebreak.stores.sql import open_store
    from tiebreak.views.store import RUNS

    output.prepare()
    opened = open_store(find_store(store))
    output.show((opened.runs(), opened.url), view=RUNS)
    opened.close()
