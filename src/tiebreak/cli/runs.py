"""``tiebreak runs``: what a store holds."""

import click

from tiebreak.cli.options import help_option, store_option
from tiebreak.cli.output import Output, output_options
from tiebreak.cli.stores import find_store


@click.command("runs", short_help="List the runs of a store.")
@store_option
@output_options("format", "raw")
@help_option
def runs_command(store: str | None, output: Output) -> None:
    """List the runs of a store, the last one updated first."""
    from tiebreak.stores import open_store
    from tiebreak.views.store import RUNS

    output.prepare()
    opened = open_store(find_store(store))
    output.show((opened.runs(), opened.url), view=RUNS)
    opened.close()
