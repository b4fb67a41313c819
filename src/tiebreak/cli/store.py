"""``tiebreak store``: whether a store is whole, and a copy of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import format_option, help_option
from tiebreak.cli.process import EXIT_DAMAGED, emit, emit_page, say
from tiebreak.cli.stores import find_store

if TYPE_CHECKING:
    from tiebreak.stores.sql import SqlStore
    from tiebreak.views.page import Page

_ADVICE = (
    "Put a backup of the store in its place, or delete the runs that are named, with tiebreak.SqlStore(URL).delete(NAME), and "
    "measure them again. Runs that are not named are whole."
)

_format_option = format_option(formats=("text", "json"))
_url_argument = click.argument("url", metavar="[URL]", required=False)


@click.group("store", short_help="Check or back up a store.")
@help_option
def store_command() -> None:
    """Look after a store: see that it is whole, copy it while it is in use.

    URL is such as sqlite:///runs.db; if not given: TIEBREAK_STORE.
    """


@store_command.command("check", short_help="Say what is not as it was written.")
@_url_argument
@_format_option
@help_option
@click.pass_context
def check_command(context: click.Context, url: str | None, format_: str) -> None:
    """Read everything in a store, and say what is not as it was written.

    Every row carries a hash, and runs count their rows, so that a changed or lost row is found. The exit code is 1 where
    something is damaged.
    """
    from tiebreak.views import store as views

    store = _opened(url)
    damages = store.check()
    n_runs = 0 if damages else len(store.runs())
    _answer(format_, lambda: views.check_page(damages, n_runs, store.url), lambda: views.check_dict(damages, store.url))
    store.close()
    if damages:
        say(_ADVICE)
        context.exit(EXIT_DAMAGED)


@store_command.command("backup", short_help="Copy a store while it is in use.")
@click.argument("url", metavar="[URL] FILE")
@click.argument("file", metavar="", required=False)
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@_format_option
@help_option
def backup_command(url: str, file: str | None, force: bool, format_: str) -> None:
    """Copy a store in a file into FILE, as it is at one moment; runs in progress go on.

    The copy takes its name once it is whole and verified, and only its owner may read it. To restore it, stop what uses the
    store, and put the file in its place. A store in PostgreSQL is copied by pg_dump.
    """
    from tiebreak.views import store as views

    store, target = (_opened(None), url) if file is None else (_opened(url), file)
    store.backup(target, overwrite=force)
    _answer(format_, lambda: views.backup_page(target, store.url), lambda: views.backup_dict(target, store.url))
    store.close()


def _opened(url: str | None) -> SqlStore:
    from tiebreak.stores.sql import SqlStore

    return SqlStore(find_store(url, "its URL, such as sqlite:///FILE,"))


def _answer(format_: str, page: Callable[[], Page], document: Callable[[], dict[str, Any]]) -> None:
    from tiebreak.views.json import encoded

    if format_ == "json":
        emit(encoded(document(), indent=2) + "\n")
    else:
        emit_page(page())
