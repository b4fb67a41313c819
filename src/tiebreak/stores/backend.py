"""What differs between kinds of databases."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from tiebreak.errors import TiebreakError
from tiebreak.stores.store import RunSummary

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine


class Backend(Protocol):
    """One database, of whichever kind: how it is opened, how its transactions begin, and what its errors mean."""

    @property
    def kind(self) -> str:
        """What it is called: "SQLite"."""

    @property
    def whole(self) -> str:
        """What holds all of the store: "the file"."""

    @property
    def url(self) -> str:
        """Where it is, without passwords."""

    @property
    def shown(self) -> str:
        """How people are told of it, without passwords."""

    @property
    def path(self) -> str:
        """Of the file, absolute; "" where there is none."""

    @property
    def opening(self) -> threading.Lock:
        """Held while an engine is made."""

    def glance(self) -> list[RunSummary] | None:
        """All runs, found without an engine; None where there is no such way, or where the ordinary way has to be gone."""

    def make_engine(self, *, create: bool) -> Engine:
        """An engine of its own for this process.

        Parameters
        ----------
        create : bool
            Whether to make the file, or what else holds the tables, if there is none.
        """

    def errors(self) -> tuple[type[Exception], ...]:
        """What `translate` is there for."""

    def translate(self, error: Exception, *, run: str, writing: bool) -> TiebreakError:
        """The error that the caller is told instead; a `LostStoreError` where trying again may help.

        Parameters
        ----------
        error : Exception
            One of `errors`.
        run : str
            What the transaction was about; "" for the whole store.
        writing : bool
        """

    def transaction(self, connection: Connection, *, to_write: bool) -> AbstractContextManager[None]:
        """A transaction that sees one state, or one that nobody else writes beside; kept when the block ends well."""

    def tables(self, connection: Connection) -> Sequence[str]:
        """The tables that are there, as far as they matter: none where a store may be made."""

    def foreign_text(self, names: Sequence[str]) -> str:
        """For tables that are somebody else's."""

    def settle(self, engine: Engine, *, is_new: bool, to_write: bool) -> None:
        """See to it that what is written lasts; called once the store is known to be one.

        Parameters
        ----------
        engine : sqlalchemy.Engine
        is_new : bool
            Whether this process made the tables.
        to_write : bool
            Whether runs are going to be kept.
        """

    def gone_text(self) -> str:
        """What is said where that which was opened is no longer there; "" while it is."""

    def no_store_text(self) -> str:
        """For a store that is to be read and is not there."""

    def find_damage(self, connection: Connection) -> str:
        """What the database's own check finds first; "" if it finds nothing."""
