"""A copy of a store in another SQLite file, taken while others write: whole and verified, or not there at all."""

import os
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tiebreak.errors import DamagedStoreError, Setting, StoreError
from tiebreak.stores.contract import Damage
from tiebreak.stores.database import Connection, Database
from tiebreak.stores.sqlite import SqliteDatabase

_JOURNALS = ("-journal", "-wal", "-shm")


def back_up(
    database: Database, target: str | os.PathLike[str], check: Callable[[Path], list[Damage]], *, overwrite: bool = False
) -> None:
    """Copy a store as it is at one moment; `check` says what is wrong in a copy, and `overwrite` lets a file be replaced."""
    shown, path = os.fspath(target), Path(os.path.realpath(target))
    if not isinstance(database, SqliteDatabase) or not database.path:
        raise StoreError(
            f"{database.url or database.whole} is no file. A store in PostgreSQL is copied by the server's own tools: "
            "pg_dump --table='tiebreak_*' ADDRESS > FILE; psql ADDRESS < FILE brings it back."
        )
    # SQLite would take the journal of a former file of that name for one of the copy
    journals = [path.name + ending for ending in _JOURNALS if path.with_name(path.name + ending).exists()]
    if path.exists() and path.samefile(database.path):
        raise StoreError(f"{shown} cannot hold the backup: it is the store itself. Name another file.")
    if journals:
        beside = f"{journals[0]!r} is beside it, which another program left there or still uses"
        raise StoreError(f"{shown} cannot hold the backup: {beside}. Name another file.")
    if path.exists() and not overwrite:
        text = f"{shown} cannot hold the backup: it is there already. Name another file, or pass "
        raise StoreError(text, Setting("overwrite", "True"), " to replace it.")
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.part.db")  # what is left of one that was killed
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL, 0o600))
        database.do(lambda connection: _copy(connection, part))
        if damages := check(part):
            run = f" of run {damages[0].run!r}" if damages[0].run else ""
            raise DamagedStoreError(
                f"{database.shown} is damaged, so no backup was made that would pass for a whole one. The first of "
                f"{len(damages)} findings is {damages[0].where}{run}: {damages[0].what}. 'tiebreak store check' lists all. Put "
                "an earlier backup in its place."
            )
        _sync(part)
        if overwrite:
            part.replace(path)
        else:
            os.link(part, path)  # unlike renaming, it never replaces a file
        if os.name == "posix":
            _sync(path.parent)
    except StoreError:  # which is an OSError too
        raise
    except OSError as error:
        raise StoreError(
            f"{shown} cannot be written: the system says {error.strerror!r}. No backup was made. Name another file."
        ) from error
    finally:
        for ending in ("", *_JOURNALS):
            part.with_name(part.name + ending).unlink(missing_ok=True)


def _copy(connection: Connection, part: Path) -> None:
    """Copy the whole file in one go, in the transaction under way: writers wait for it, and it never has to begin again."""
    connection.execute("SELECT count(*) FROM sqlite_master")  # so that the transaction has its lock
    with closing(sqlite3.connect(part)) as target:
        target.execute("PRAGMA synchronous = OFF")  # the file is thrown away if this fails
        connection.driver.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")  # one file is all, and it can be read where nothing can be written


def _sync(path: Path) -> None:
    """Let a file, or the names in a folder, reach the disk."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
