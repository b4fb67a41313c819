"""Store whose runs live as long as the process, one set of them for each address: the smallest store that can be opened again."""

from __future__ import annotations

from tiebreak.stores.memory import MemoryStore

_STORES: dict[str, MemoryStore] = {}


class ToyStore:
    """Runs under an address such as ``toy://name``; what it does not do itself it leaves to a store in memory."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._runs = _STORES.setdefault(url, MemoryStore())

    def __getattr__(self, name: str):
        return getattr(self._runs, name)
