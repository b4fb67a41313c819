"""``tiebreak store``: whether a store is whole, a copy of it, and from the schema of an earlier release to today's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import format_option, help_option
from tiebreak.cli.process import EXIT_DAMAGED, emit, emit_page, say
from tiebreak.cli.stores import find_store

if TYPE_CHECKING:
    from tiebreak.stores.sql.store import SqlStore
    from tiebreak.views.page import Page

_ADVICE = (
    "Put a backup of the store in its place, or delete the runs that are named, with tiebreak.SqlStore(URL).delete(NAME), and "
    "measure them again. Runs that are not named are whole."
)

_format_option = format_option(formats=("text", "json"))
_url_argument = click.argument("url", metavar="[URL]", required=False)


@click.group("store", short_help="Check, back up or upgrade a store.")
@help_option
def store_command() -> None:
    """Look after a store: see that it is whole, copy it while it is in use, bring it to the schema of this release.

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
@click.option("--even-damaged", is_flag=True, help="Copy a damaged store as it is.")
@_format_option
@help_option
def backup_command(url: str, file: str | None, force: bool, even_damaged: bool, format_: str) -> None:
    """Copy a store into FILE, as it is at one moment; runs in progress go on.

    The copy is a SQLite file that can be used as a store. It takes its name once it is whole and verified, and only its owner may
    read it. To restore it, stop what uses the store, and put the file in its place.
    """
    from tiebreak.views import store as views

    store, target = (_opened(None), url) if file is None else (_opened(url), file)
    damages = store.backup(target, overwrite=force, even_damaged=even_damaged)
    _answer(
        format_,
        lambda: views.backup_page(damages, target, store.url),
        lambda: views.backup_dict(damages, target, store.url),
    )
    store.close()


@store_command.command("upgrade", short_help="Bring a store to the schema of this release.")
@_url_argument
@click.option("--even-damaged", is_flag=True, help="Upgrade a damaged store too; what is damaged stays so.")
@_format_option
@help_option
def upgrade_command(url: str | None, even_damaged: bool, format_: str) -> None:
    """Bring a store that an earlier release made to the schema of this one.

    A backup is made first, beside the file, and every row is verified. Whenever this is stopped, the store is as before or
    upgraded. Without an upgrade such a store can be read, and not written to. End runs that an earlier release has in progress
    first.
    """
    from tiebreak.views import store as views

    store = _opened(url)
    upgrade = store.upgrade(even_damaged=even_damaged)
    _answer(format_, lambda: views.upgrade_page(upgrade, store.url), lambda: views.upgrade_dict(upgrade, store.url))
    store.close()


def _opened(url: str | None) -> SqlStore:
    from tiebreak.stores.sql.store import SqlStore

    return SqlStore(find_store(url, "its URL, such as sqlite:///FILE,"))


def _answer(format_: str, page: Callable[[], Page], document: Callable[[], dict[str, Any]]) -> None:
    from tiebreak.views.json import encoded

    if format_ == "json":
        emit(encoded(document(), indent=2) + "\n")
    else:
        emit_page(page())
