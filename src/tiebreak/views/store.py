"""What was found, copied or changed in a store, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import tiebreak
from tiebreak.views.words import printable, quote

if TYPE_CHECKING:
    from tiebreak.stores.contract import Damage
    from tiebreak.stores.sql.upgrade import Upgrade

SCHEMA = 1


def check_text(damages: Sequence[Damage], n_runs: int, url: str) -> str:
    """A line for each thing that is not as it was written.

    Parameters
    ----------
    damages : sequence of Damage
    n_runs : int
        In the store, where nothing is wrong with it.
    url : str
    """
    if not damages:
        return f"{printable(url)} is as it was written: {_counted(n_runs, 'run')}, every row verified.\n"
    lines = [f"In {printable(url)}, {_counted(len(damages), 'thing')} {_are(damages)} not as written:"]
    lines += [f"  {f'run {quote(each.run)}: ' if each.run else ''}{printable(f'{each.where}: {each.what}')}" for each in damages]
    return "\n".join(lines) + "\n"


def check_dict(damages: Sequence[Damage], url: str) -> dict[str, Any]:
    """The same for programs, schema 1."""
    return _document(url, damages=_plain(damages))


def backup_text(damages: Sequence[Damage], file: str, url: str) -> str:
    """Where the copy is, and whether it is whole."""
    how = f"with {_counted(len(damages), 'thing')} that {_are(damages)} not as written" if damages else "every row verified"
    return f"{printable(file)} is a copy of {printable(url)}, {how}.\n"


def backup_dict(damages: Sequence[Damage], file: str, url: str) -> dict[str, Any]:
    """The same for programs, schema 1."""
    return _document(url, file=file, damages=_plain(damages))


def upgrade_text(upgrade: Upgrade, url: str) -> str:
    """Which schema the store has now, and where it is as it was before."""
    if upgrade.before == upgrade.after:
        return f"{printable(url)} has schema {upgrade.after}, today's; nothing was changed.\n"
    backup = f" {printable(upgrade.backup)} is the store as it was before." if upgrade.backup else ""
    damaged = f" What was damaged in it still is ({len(upgrade.damages)} in all)." if upgrade.damages else ""
    return f"{printable(url)} has schema {upgrade.after} now, and had schema {upgrade.before}.{backup}{damaged}\n"


def upgrade_dict(upgrade: Upgrade, url: str) -> dict[str, Any]:
    """The same for programs, schema 1."""
    damages = _plain(upgrade.damages)
    return _document(url, before=upgrade.before, after=upgrade.after, backup=upgrade.backup or None, damages=damages)


def _document(url: str, **content: Any) -> dict[str, Any]:
    return {"schema": SCHEMA, "tiebreak": tiebreak.__version__, "store": url, **content}


def _plain(damages: Sequence[Damage]) -> list[dict[str, str]]:
    return [{"run": each.run, "where": each.where, "what": each.what} for each in damages]


def _are(damages: Sequence[Damage]) -> str:
    return "is" if len(damages) == 1 else "are"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
