"""``tiebreak resume``: go on with a run by its name, from the study file that it was started from."""

from pathlib import Path
from typing import Any

import click

from tiebreak.cli.measuring import find_run
from tiebreak.cli.options import help_option
from tiebreak.cli.process import CommandError, say
from tiebreak.cli.run import measure, measuring_options


@click.command("resume", short_help="Go on with a run.")
@click.argument("stored", metavar="RUN")
@measuring_options
@help_option
@click.pass_context
def resume_command(context: click.Context, /, stored: str, store: str | None, **typed: Any) -> None:
    """Go on with RUN, by the study file that it was started from.

    Only what is missing is measured. RUN is the name of a run in the store, or both in one: 'sqlite:///runs.db#cancer'.

    The study file is code: what it imports is run, so go on only with what you would run as a program.
    """
    from tiebreak.stores import open_store
    from tiebreak.study_file import read_study

    url, name = find_run(stored, store)
    opened = open_store(url)
    path = opened.read(name).record.settings.get("study")  # nothing but this comes out of the store
    opened.close()
    if not isinstance(path, str) or not path:
        raise CommandError(
            f"run {name!r} was not started from a study file, so there is nothing here to go on from. Call tiebreak.evaluate "
            "again as before, with the same store and name."
        )
    if not Path(path).is_file():
        raise CommandError(
            f"run {name!r} was started from {path!r}, which is gone. Put the file back, or go on from where it is now: tiebreak "
            "run FILE, with the same --store and --name."
        )
    if not typed["quiet"]:
        say(f"the study is {path}")  # it comes out of the store, and what it names is imported
    context.exit(measure(read_study(path), name, url, typed))
