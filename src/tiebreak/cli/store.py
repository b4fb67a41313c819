"""``tiebreak store``: whether a store is whole, and a copy of it."""

from typing import Any

import click

from tiebreak.cli.measuring import find_store
from tiebreak.cli.options import emit_page, help_option
from tiebreak.cli.process import EXIT_BROKEN, emit, say
from tiebreak.printable import printable

_ADVICE = (
    "Put a backup of the store in its place, or delete the runs that are named, with tiebreak.SqlStore(URL).delete(NAME), and "
    "measure them again. Runs that are not named are whole."
)


@click.group("store")
@help_option
def store_command() -> None:
    """Look after a store: see that it is whole, copy it while it is in use.

    URL is such as sqlite:///runs.db; if not given: TIEBREAK_STORE.
    """


@store_command.command("check", short_help="Say what is not as it was written.")
@click.argument("url", metavar="[URL]", required=False)
@help_option
@click.pass_context
def check_command(context: click.Context, url: str | None) -> None:
    """Read everything in a store, and say what is not as it was written.

    Every row carries a hash, and runs count their rows, so that a changed or lost row is found. The exit code is 1 where
    something is damaged.
    """
    from tiebreak.views.store import check_page

    store = _opened(url)
    damages = store.check()
    emit_page(check_page(damages, 0 if damages else len(store.runs()), store.url))
    store.close()
    if damages:
        say(_ADVICE)
        context.exit(EXIT_BROKEN)


@store_command.command("backup", short_help="Copy a store while it is in use.")
@click.argument("url", metavar="[URL] FILE")
@click.argument("file", metavar="", required=False)
@help_option
def backup_command(url: str, file: str | None) -> None:
    """Copy a store in a file into FILE, as it is at one moment; runs in progress go on.

    The copy takes its name once it is whole and verified, and only its owner may read it. To restore it, stop what uses the
    store, and put the file in its place. A store in PostgreSQL is copied by pg_dump.
    """
    store, target = (_opened(None), url) if file is None else (_opened(url), file)
    store.backup(target)
    emit(f"{printable(target)} is a copy of {printable(store.url)}, every row verified.\n")
    store.close()


def _opened(url: str | None) -> Any:
    """The store in a database, which can be checked and copied."""
    from tiebreak.stores.sql import SqlStore

    return SqlStore(find_store(url, "its URL, such as sqlite:///FILE,"))
