"""Stores: finished cells that survive, in memory or in a database. `open_store` finds the kind of store by its address."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tiebreak.errors import InvalidParameterError

if TYPE_CHECKING:
    from tiebreak.stores.sql import SqlStore


def open_store(source: str | os.PathLike[str] | SqlStore) -> SqlStore:
    """Open the store that is meant by an address, a path or a store itself. No file is opened yet.

    The address is ``sqlite:///results.db``, a path that ends in ``.db`` or ``.sqlite``, or ``postgresql://user@host/database``.
    Anything else raises `InvalidParameterError`.
    """
    from tiebreak.stores.sql import FORMS, SqlStore

    if isinstance(source, (str, os.PathLike)):
        return SqlStore(source)
    if not isinstance(source, SqlStore):
        raise InvalidParameterError(f"a store is a URL, a path or a SqlStore, and not {type(source).__name__}. {FORMS}.")
    return source
