"""Stores: finished cells that survive, in memory or in a database; and their addresses, as these are typed."""

import os

FILES = (".db", ".sqlite")
"""Endings of files that are stores."""


def is_address(source: object) -> bool:
    """True for a text or path that names a store, be it with a run: ``sqlite:///runs.db#name``, ``runs.db``."""
    text = os.fsdecode(source) if isinstance(source, str | os.PathLike) else ""
    return "://" in text or text.partition("#")[0].lower().endswith(FILES)


def split_address(address: str) -> tuple[str, str]:
    """The store and the name of the run in ``sqlite:///runs.db#name``; "" where no run is named."""
    url, _, name = address.partition("#")
    return url, name
