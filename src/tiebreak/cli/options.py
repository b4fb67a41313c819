"""Options that all commands share."""

from __future__ import annotations

from typing import Any

import click

from tiebreak.cli.process import emit


def help_option(command: Any) -> Any:
    """``-h`` and ``--help``, printed as answers are: a reader that goes away early is no error."""
    return click.help_option("-h", "--help", callback=_show_help)(command)


def _show_help(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        emit(context.get_help() + "\n")
        context.exit()
