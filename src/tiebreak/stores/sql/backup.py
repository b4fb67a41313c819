"""A copy of a store in one SQLite file, taken while others write: whole and verified, or not there at all."""

from __future__ import annotations

import errno
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiebreak.errors import DamagedStoreError, Setting, StoreError
from tiebreak.stores.damage import Damage
from tiebreak.stores.sql import sqlite
from tiebreak.stores.sql.check import check_database
from tiebreak.stores.sql.database import Database, readable_schema
from tiebreak.stores.sql.sqlite import SqliteConnection, SqliteDatabase
from tiebreak.stores.sql.statements import insert, rows_after
from tiebreak.stores.sql.tables import OUTPUTS, SCHEMA, TABLES, AnyRow

if TYPE_CHECKING:
    import sqlite3

    from tiebreak.stores.sql.connection import Connection


ROWS_AT_ONCE = 2_000
OUTPUTS_AT_ONCE = 16
"""At a time, as each may take megabytes."""


def copy_rows(source: Connection, shown: str, path: str, target_shown: str) -> None:
    """Copy all rows of a store into a new SQLite file.

    The source is in a transaction that sees one state of the store; the file at `path` is empty or not there. People are told of
    the two as `shown` and `target_shown`.
    """
    schema = readable_schema(source, shown)
    if schema < SCHEMA:
        raise StoreError(
            f"{shown} has schema {schema}, and only a store of schema {SCHEMA} can be copied into a SQLite file. Use a tool of "
            "the database itself, such as pg_dump."
        )
    target = SqliteDatabase(path, shown=target_shown)
    try:
        target.write(partial(_put_rows, source, shown), create=True)
    finally:
        target.close()


def _put_rows(source: Connection, shown: str, target: Connection) -> None:
    for table in TABLES:
        size = OUTPUTS_AT_ONCE if table is OUTPUTS else ROWS_AT_ONCE
        key: tuple[Any, ...] = (-(2**63),) * table.n_keys
        page: list[AnyRow] = rows_after(source, table, key, size)
        while page:
            insert(target, table, page, replaces=True)
            if page[-1][: table.n_keys] <= key:
                raise DamagedStoreError(f"the rows of {table.name} in {shown} come in no order; 'tiebreak store check'.")
            key = page[-1][: table.n_keys]  # integers, all of them
            page = rows_after(source, table, key, size)


LEFT_SECONDS = 3600.0
"""A part of a backup that nobody has written to for so long was left by one that was killed."""

_JOURNALS = ("-journal", "-wal")
_SOURCE_FAULTS = ("BUSY", "LOCKED", "PROTOCOL", "CORRUPT", "NOTADB", "IOERR_READ", "IOERR_SHORT_READ")


def back_up(
    database: Database, target: str | os.PathLike[str], *, overwrite: bool = False, even_damaged: bool = False
) -> list[Damage]:
    """Copy a store as it is at one moment, and return what is wrong with the copy.

    `overwrite` lets a file of that name be replaced; `even_damaged` keeps a copy too in which not everything is as it was
    written.
    """
    shown, path = os.fspath(target), Path(os.path.realpath(target))
    with _faults_told(shown):
        _check_target(database, shown, path, overwrite)
    with _faults_told(shown), _written_whole(path, overwrite) as part:
        with database.transaction() as connection:
            if connection.is_sqlite:
                copy_pages(shown, connection, part)
            else:
                copy_rows(connection, database.shown, str(part), shown)
        damages = verify_copy(database, shown, part, even_damaged)
    return damages


def _check_target(database: Database, shown: str, path: Path, overwrite: bool) -> None:
    """Refuse a file that cannot hold the copy before anything is copied."""
    obstacle = ""
    if path.is_dir():
        obstacle = "it is a folder. Name a file in it"
    elif not path.parent.is_dir():
        obstacle = f"there is no folder {str(Path(shown).parent)!r}. Make it, or name another file"
    elif path.exists() and database.path and path.samefile(database.path):
        obstacle = "it is the store itself. Name another file"
    elif path.exists() and not path.is_file():
        obstacle = "it is no ordinary file. Name another one"
    elif path.exists() and not overwrite:
        raise StoreError(
            f"{shown} cannot hold the backup: it is there already. Name another file, or pass ",
            Setting("overwrite", "True"),
            " to replace it.",
        )
    else:
        # SQLite would take the journal of a former file of that name for one of the copy
        for journal in (path.with_name(path.name + ending) for ending in _JOURNALS):
            if journal.exists():
                obstacle = f"{journal.name!r} is beside it, which another program left there or still uses. Name another file"
    if obstacle:
        raise StoreError(f"{shown} cannot hold the backup: {obstacle}.")


# --- copying --------------------------------------------------------------------------------------------------------------


def copy_pages(shown: str, connection: Connection, part: Path) -> None:
    """Copy the whole file in one go, in the transaction under way: writers wait for it, and it never has to begin again."""
    import sqlite3

    source: sqlite3.Connection = connection.driver
    source.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()  # so that the transaction has its lock
    try:
        with closing(SqliteConnection(str(part), shown).driver) as target:
            target.execute("PRAGMA journal_mode = OFF")  # the file is thrown away if this fails
            target.execute("PRAGMA synchronous = OFF")
            source.backup(target)
        with closing(SqliteConnection(str(part), shown).driver) as target:
            target.execute("PRAGMA journal_mode = DELETE")  # one file is all, and it can be read where nothing can be written
    except sqlite3.Error as error:
        if sqlite.error_name(error).startswith(_SOURCE_FAULTS):
            raise
        raise _fault(shown, error) from error


def verify_copy(database: Database, shown: str, part: Path, even_damaged: bool) -> list[Damage]:
    """Read the whole copy; what is wrong with it is wrong with the store, or it was not written as it should."""
    copy = SqliteDatabase(str(part), shown=shown)
    try:
        damages = check_database(copy)
    finally:
        copy.close()
    if not damages or even_damaged:
        return damages
    first = f"{damages[0].where}: {damages[0].what}"
    if not check_database(database):
        raise StoreError(f"{shown} is not what was copied there ({first}), so it was not kept. Look after that disk.")
    run = f" of run {damages[0].run!r}" if damages[0].run else ""
    raise DamagedStoreError(
        f"{database.shown} is damaged, so no backup was made that would pass for a whole one. The first of {len(damages)} "
        f"findings is {damages[0].where}{run}: {damages[0].what}. 'tiebreak store check' lists all. Put an earlier backup in its "
        "place, or pass ",
        Setting("even_damaged", "True"),
        " to take it as it is.",
    )


# --- the file -------------------------------------------------------------------------------------------------------------


@contextmanager
def _faults_told(shown: str) -> Iterator[None]:
    """Errors of the system in words."""
    try:
        yield
    except StoreError:  # which is an OSError too
        raise
    except FileExistsError:
        raise StoreError(f"{shown} cannot hold the backup: it is there by now. Name another file.") from None
    except OSError as error:
        raise _fault(shown, error) from error


@contextmanager
def _written_whole(path: Path, overwrite: bool) -> Iterator[Path]:
    """A file beside the target, for its owner only, that takes the target's name when it is complete and on the disk."""
    part = path.with_name(f".{path.name[:40]}.{uuid.uuid4().hex}.tmp")
    _remove_leftovers(path)
    held = _locked_file(part)
    try:
        yield part
        _sync(part)
        _rename(part, path, overwrite)
    finally:
        os.close(held)
        for ending in ("", "-shm", *_JOURNALS):
            part.with_name(part.name + ending).unlink(missing_ok=True)


def _locked_file(part: Path) -> int:
    """Make a file that is locked until the handle returned is closed, be it by a kill; so that others know it is in use."""
    while True:
        handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        _lock(handle)
        with suppress(OSError):
            if os.path.samestat(part.stat(), os.fstat(handle)):
                return handle
        os.close(handle)  # removed by another process before it was locked


def _lock(handle: int) -> bool:
    """Lock a file that nobody else has locked; False where somebody has, or where the system does not tell."""
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_left(file: Path) -> bool:
    """Tell that no process is at work at a part of a backup: nobody has locked it, or it is old where locks do not tell."""
    if time.time() - file.lstat().st_mtime > LEFT_SECONDS:
        return True
    if file.is_symlink():
        return False
    handle = os.open(file, os.O_RDWR)
    try:
        return _lock(handle)
    finally:
        os.close(handle)


def _remove_leftovers(path: Path) -> None:
    """Remove what backups to this file have left that were killed."""
    begins = f".{path.name[:40]}."
    for file in path.parent.iterdir():
        middle, _, ending = file.name.removeprefix(begins).partition(".")
        is_part = file.name.startswith(begins) and len(middle) == len(uuid.uuid4().hex) and ending.startswith("tmp")
        with suppress(OSError):  # another backup was faster, or it is somebody else's
            if is_part and _is_left(file):
                file.unlink()


def _rename(part: Path, path: Path, overwrite: bool) -> None:
    if overwrite:
        part.replace(path)
    else:
        try:
            os.link(part, path)  # unlike renaming, it never replaces a file
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if path.exists():
                raise FileExistsError(errno.EEXIST, "file exists") from None
            part.rename(path)
    if os.name == "posix":
        _sync(path.parent)


def _sync(path: Path) -> None:
    """Let a file, or the names in a folder, reach the disk."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fault(shown: str, error: OSError | sqlite3.Error) -> StoreError:
    """Error for a copy that could not be written."""
    if getattr(error, "errno", 0) == errno.ENOSPC or sqlite.error_name(error).startswith("FULL"):
        return StoreError(f"{shown} cannot be written: the disk is full. No backup was made. Make room, or name another file.")
    said = getattr(error, "strerror", None) or str(error)
    return StoreError(f"{shown} cannot be written: the system says {said!r}. No backup was made. Name another file.")
