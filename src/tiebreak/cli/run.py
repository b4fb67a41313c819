"""``tiebreak run``: a study file in, every cell measured and kept, verdicts out."""

from __future__ import annotations

from typing import Any

import click

from tiebreak.cli.measuring import Options, measure, measuring_options
from tiebreak.cli.options import help_option
from tiebreak.cli.stores import store_for_study

EPILOG = """\b
Examples:
  tiebreak run study.toml --dry-run
  tiebreak run study.toml --store sqlite:///runs.db --n-jobs -1
"""


@click.command("run", epilog=EPILOG, short_help="Measure the models of a study, and compare them.")
@click.argument("study", metavar="STUDY")
@click.option("--name", metavar="NAME", help="Of the run in the store; the study's name if not given.")
@measuring_options
@help_option
@click.pass_context
def run_command(context: click.Context, /, study: str, name: str | None, store: str | None, **options: Any) -> None:
    """Measure the models of STUDY, and compare them.

    STUDY is a TOML file with the sections data, cv and models. Each model is measured on each split once: what the store has
    already is not measured again, so the same command goes on after an interruption, and adds what a changed study adds.
    """
    from tiebreak.study_file.study import read_study

    read = read_study(study)
    url = store_for_study(store, read.store, read.name)
    context.exit(measure(read, name or read.name, url, Options(**options)))
