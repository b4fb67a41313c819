"""Stores: finished cells that survive, in memory or in a database. `open_store` finds the kind of store by its address."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError

if TYPE_CHECKING:
    from tiebreak.stores.contract import Store

STORES = {
    "": "tiebreak.stores.sql.store:SqlStore",
    "sqlite": "tiebreak.stores.sql.store:SqlStore",
    "postgresql": "tiebreak.stores.sql.store:SqlStore",
}
"""Scheme of an address ("" for a path) -> "module:class" of the store, which is imported when one is opened."""

ACCEPTED = "Give 'sqlite:///results.db', a path that ends in .db, .sqlite or .sqlite3, or 'postgresql://user@host/database'"
"""Sources of a store, for messages."""


def open_store(source: str | os.PathLike[str] | Store) -> Store:
    """Open the store that is meant by an address, a path or a store itself. No file is opened yet.

    The address is ``sqlite:///results.db``, a path that ends in ``.db``, ``.sqlite`` or ``.sqlite3``,
    ``postgresql://user@host/database``, or another one whose scheme stands in `STORES`. Anything else
    raises `InvalidParameterError`.
    """
    if isinstance(source, (str, os.PathLike)):
        if "\0" in str(source):
            raise InvalidParameterError(f"{str(source)!r} is no address of a store: it holds a NUL character. {ACCEPTED}.")
        scheme, separator, _ = str(source).partition("://")
        module, _, name = STORES.get(scheme if separator else "", STORES[""]).partition(":")  # which refuses what nothing reads
        store: Store = getattr(importlib.import_module(module), name)(source)
        return store
    if not (callable(getattr(source, "open", None)) and callable(getattr(source, "read", None))):
        raise InvalidParameterError(f"a store is a URL, a path or a Store, and not {type(source).__name__}. {ACCEPTED}.")
    return source


def split_address(address: str) -> tuple[str, str]:
    """The store and the name of the run in ``sqlite:///runs.db#name``; "" where no run is named.

    A # may stand in the name of a run, and in the path of a file: the store is then the longest part before a # that is a file.
    """
    places = [i for i, letter in enumerate(address) if letter == "#"]
    for end in (len(address), *reversed(places)):
        if os.path.isfile(address[:end].removeprefix("sqlite:///")):  # noqa: PTH113  (a text that may be no path)
            return address[:end], address[end + 1 :]
    url, _, name = address.partition("#")
    return url, name
