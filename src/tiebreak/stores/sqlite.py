"""A store in a SQLite file, or in memory: how it is made, opened and locked, and what its errors mean."""

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from tiebreak.errors import DamagedStoreError, Setting, StoreError, TiebreakError
from tiebreak.stores.contract import Damage, NoStoreError, damaged
from tiebreak.stores.database import AGAIN, KEPT, TABLES, Connection, Database

BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""
MOST_BYTES = 256_000_000
"""The largest array or text that is read or written; the limit of SQLite itself is larger."""
_JOURNALS = ("-journal", "-wal", "-shm")
_MOST_DEFINITION = 1_000_000
_NUMBERS = {int, float, type(None)}
_FREE_STEPS, _STEPS = 2_000_000, 10_000
"""Steps of SQLite that each statement may take, beside one for each byte of the file, and how often they are counted."""
_DAMAGE = frozenset("CORRUPT ERROR CONSTRAINT MISMATCH FORMAT RANGE SCHEMA INTERRUPT".split())
# What ANALYZE makes, which tools for SQLite do to any file
_STATISTICS = ("CREATE TABLE sqlite_stat1(tbl,idx,stat)", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)")

# Closing any handle of a file drops the locks that this process has on it, as POSIX has it. So the handle that made a file is
# closed before another thread can have opened it.
_OPENING = threading.Lock()


_WAY: dict[str, Any] = {"uri": True, "timeout": BUSY_SECONDS, "isolation_level": None, "check_same_thread": False}
"""How files and memory are connected to: transactions begin where the store says, in any thread."""


@dataclass(eq=False)
class SqliteConnection(Connection):
    """A connection to a file that anybody may have made: nothing in it costs more than its size allows."""

    file: os.stat_result
    most: int = 0

    def execute(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Execute a statement and fetch the rows that it answers with, which are no larger than the file."""
        most = self.most
        calls = chain(repeat(0, (_FREE_STEPS + most) // _STEPS), repeat(1))  # pages of a file may lead round in a circle
        self.driver.set_progress_handler(calls.__next__, _STEPS)
        cursor = self.driver.execute(statement, values)
        rows: list[tuple[Any, ...]] = []
        while page := cursor.fetchmany(500):
            rows += page
            most -= sum([len(value) for row in page for value in row if type(value) not in _NUMBERS])
            if most < -1_000_000:
                cursor.close()
                raise sqlite3.DatabaseError("its rows are more than fit into the file")
        return rows


class SqliteDatabase(Database):
    """A file; `Database` describes the methods. A later change of the working folder does not matter."""

    errors = sqlite3.Error, UnicodeError

    def __init__(self, path: str) -> None:
        absence = f"there is no store {path}. Check the path; a file is made when something is evaluated into it."
        super().__init__(f"sqlite:///{path}", absence)
        self.shown = path
        self.path = os.path.abspath(path)  # noqa: PTH100

    def connect(self, *, create: bool) -> Connection:
        """Connect to the file, which is made for its owner only if there is none; its journals will have the same rights."""
        if not create and not os.path.lexists(self.path):  # os.path, as Path raises for a name that is too long
            raise NoStoreError(self.absence)
        if create:
            with _OPENING, suppress(OSError):  # what stands in the way is met again below
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL, 0o600))
        # mode=rw: a file that is gone by now is an error, and not made anew with the rights of any other file
        return SqliteConnection(
            sqlite3.connect(f"{Path(self.path).as_uri()}?mode=rw", **_WAY),
            os.stat(self.path),  # noqa: PTH116
        )

    def begin(self, connection: Connection, *, to_write: bool) -> None:
        """Take the lock for writing at once, or none: a transaction that took it later could not wait for it.

        A file that was moved, deleted or replaced takes nothing more, as that would have no name.
        """
        driver = connection.driver
        if isinstance(connection, SqliteConnection):
            connection.most = -1
            with suppress(OSError):
                if os.path.samestat(connection.file, os.stat(self.path)):  # noqa: PTH116
                    files = [Path(self.path + ending) for ending in ("", "-wal")]  # somebody may have chosen WAL mode
                    connection.most = sum(file.stat().st_size for file in files if file.exists())
            if connection.most < 0:
                self.close()
                raise StoreError(f"{self.shown} was moved, deleted or replaced while it was in use.{KEPT} Put it back; {AGAIN}.")
        if not to_write:
            driver.execute("BEGIN")
            return
        # SQLite itself asks for the lock ten times a second only, and may not get it for long beside writers that never pause
        driver.execute("PRAGMA busy_timeout = 0")
        until = time.monotonic() + BUSY_SECONDS
        while not driver.in_transaction:
            try:
                driver.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if time.monotonic() >= until or not _name_of(error).startswith("BUSY"):
                    raise
                time.sleep((1 + time.monotonic_ns() // 100 % 10) / 1000)  # 1 to 10 ms, not in step with others
        driver.execute(f"PRAGMA busy_timeout = {round(1000 * BUSY_SECONDS)}")
        connection.now = time.time()  # the machine's clock, as the database runs in this process

    def set_up(self, connection: Connection, *, create: bool) -> bool:
        """Wait for the disk, and believe nothing that stands in the file, which has its own tables alone, made as here.

        So nothing in a store can act.
        """
        driver = connection.driver
        driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_DEFINITION)  # the first statement reads all definitions
        # What is committed survives a power cut: EXTRA waits for the folder too, from which the journal was removed, or a journal
        # that is there again afterwards takes the commit back.
        driver.execute("PRAGMA synchronous = EXTRA")
        # Functions that a schema names are not called unless they are harmless; pages are looked at before they are used.
        driver.executescript("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        self.begin(connection, to_write=create)
        found = connection.execute("SELECT type, name, rootpage, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
        strange = [
            f"{kind} {name!r}"
            for kind, name, page, sql in found
            if sql not in _STATISTICS and (kind != "table" or not page or TABLES.get(name) != sql)
        ]
        names = {name.lower() for _, name, _, _ in found}
        if strange and "tiebreak_store" in names:
            text = (
                f"{self.shown} holds the {strange[0]}, which is not as this release of tiebreak makes one. Nothing was read, as "
                "that could do whatever it says. A store of another release is read with that release. Else use a copy from "
                "before it was changed, or from somebody whom you trust; tables of your own belong into another file."
            )
            raise damaged(text, Damage("", "the file", text))
        if strange:
            raise StoreError(
                f"{self.shown} is a SQLite database of something else, with the {strange[0]}; it was left as it is. Name another "
                "file for the store."
            )
        driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
        return bool(names & TABLES.keys())

    def find_damage(self, connection: Connection) -> list[Damage]:
        """SQLite's check of the whole file."""
        [(found,)] = connection.execute("PRAGMA integrity_check(1)")
        return [] if found == "ok" else [Damage("", "the file", f"SQLite says {found!r}")]

    def back_up(self, target: str | os.PathLike[str], check: Callable[[Path], list[Damage]]) -> None:
        """Copy the file as it is at one moment, while others write: whole and verified, or not there at all.

        `check` says what is wrong in a copy.
        """
        shown, path = os.fspath(target), Path(os.path.realpath(target))
        # SQLite would take the journal of a former file of that name for one of the copy
        there = [path.name + ending for ending in ("", *_JOURNALS) if path.with_name(path.name + ending).exists()]
        if there:
            raise StoreError(f"{shown} cannot hold the backup: {there[0]!r} is there already. Name another file.")
        part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.part.db")  # what is left of one that was killed
        try:
            os.close(os.open(part, os.O_CREAT | os.O_EXCL, 0o600))
            with self.transaction() as connection:
                _copy(connection, part)
            if damages := check(part):
                run = f" of run {damages[0].run!r}" if damages[0].run else ""
                raise DamagedStoreError(
                    f"{self.shown} is damaged, so no backup was made that would pass for a whole one. The first of "
                    f"{len(damages)} findings is {damages[0].where}{run}: {damages[0].what}. 'tiebreak store check' lists all. "
                    "Put an earlier backup in its place."
                )
            part.replace(path)
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

    def translate(self, error: Exception, *, run: str, to_write: bool) -> TiebreakError:
        """Put an error of SQLite into words."""
        kind = _name_of(error).split("_")[0]
        said = " ".join(str(error).split())
        if kind == "INTERRUPT":
            said = "reading it takes longer than a file of its size can, as if its pages led round in a circle"
        is_damage = kind in _DAMAGE or (kind == "TOOBIG" and not to_write) or "decode" in said
        if is_damage or (type(error) is sqlite3.DatabaseError and kind != "NOTADB"):
            # broken pages, tables that are not as they were made, texts that are none
            return damaged(
                f"{f'run {run!r}: ' if run else ''}{self.shown} is not as it was written: SQLite says {said!r}. Put a copy of "
                "the store in its place, or delete the run (if that fails, the file) and measure it again.",
                Damage(run, "the file", f"SQLite says {said!r}"),
            )
        what, *remedy = _FAULTS.get(_ALIKE.get(kind, kind), _OTHER)
        facts = {"shown": self.shown, "said": said, "seconds": BUSY_SECONDS, "obstacle": _obstacle(self.shown)}
        return StoreError(f"{str(what).format(**facts)}.{KEPT if to_write else ''} ", *remedy)


_FAULTS: dict[str, tuple[str | Setting, ...]] = {
    "BUSY": (
        "{shown} is locked: another process has been writing to it for more than {seconds:g} seconds",
        f"Wait for that process or stop it; {AGAIN}.",
    ),
    "FULL": ("{shown} cannot grow: the disk is full", f"Make room; {AGAIN}."),
    "READONLY": ("{shown} cannot be opened or written: {obstacle}", "Put that right, or name another store."),
    "IOERR": ("{shown} cannot be read or written: the system says {said!r}", f"Look after the disk; {AGAIN}."),
    "NOTADB": ("{shown} is not a SQLite database; it was left as it is", "Name another file for the store."),
    "TOOBIG": (
        f"{{shown}}: the plan, a text, or the outputs of one cell have more than {MOST_BYTES // 10**6} MB",
        "Pass ",
        Setting("keep_predictions", "False"),
        ", or keep the run in PostgreSQL.",
    ),
}
"""By SQLite's name of what is wrong: what that is, and how to go on."""
_OTHER = ("{shown} cannot be used: {said}", "Close other programs that use it, or name another store.")
_ALIKE = {"LOCKED": "BUSY", "PROTOCOL": "BUSY", "PERM": "READONLY", "AUTH": "READONLY", "CANTOPEN": "READONLY"}


def _obstacle(file: str) -> str:
    """Name what of file and folder stands in the way."""
    folder = os.path.dirname(os.path.abspath(file))  # noqa: PTH100, PTH120
    shown = os.path.dirname(file) or "."  # noqa: PTH120
    is_there = os.path.exists(file)  # noqa: PTH110
    obstacles = (
        (not os.path.isdir(folder), f"there is no folder {shown!r}"),  # noqa: PTH112
        (os.path.isdir(file), "it is a folder"),  # noqa: PTH112
        (os.path.islink(file) and not is_there, "it is a link that leads nowhere, or to itself"),  # noqa: PTH114
        (is_there and not os.access(file, os.R_OK), "you may not read it"),
        (is_there and not os.access(file, os.W_OK), "the file is read-only"),
        (
            not os.access(folder, os.W_OK),
            f"the folder {shown!r} is read-only, and SQLite keeps a journal beside the file while it writes",
        ),
    )
    otherwise = "the system refuses, although file and folder may be written; the disk may be full, or too many files are open"
    return next((text for is_so, text in obstacles if is_so), otherwise)


def _copy(connection: Connection, part: Path) -> None:
    """Copy the whole file in one go, in the transaction under way: writers wait for it, and it never has to begin again."""
    connection.execute("SELECT count(*) FROM sqlite_master")  # so that the transaction has its lock
    with closing(sqlite3.connect(part)) as target:
        connection.driver.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")  # one file is all, and it can be read where nothing can be written


def _sync(folder: Path) -> None:
    """Let the names in a folder reach the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class MemoryDatabase(SqliteDatabase):
    """A database in memory: one connection, on which threads take turns."""

    back_up = Database.back_up

    def __init__(self) -> None:
        super().__init__("")
        self.url, self.path, self.shown = "", "", "the store in memory"
        self._turn = threading.RLock()
        self._only = Connection(sqlite3.connect(":memory:", **_WAY))
        self._prepare(self._only, create=True)

    @contextmanager
    def transaction(self, run: str = "", *, to_write: bool = False, create: bool = False) -> Iterator[Connection]:
        """A transaction on the connection, when it is this thread's turn."""
        with self._turn, super().transaction(run, to_write=to_write, create=create) as connection:
            yield connection

    def connect(self, *, create: bool) -> Connection:
        """The connection that there is."""
        return self._only

    def give_up(self, connection: Connection) -> None:
        """Undo what the connection is at."""
        connection.driver.rollback()

    def close(self) -> None:
        """There is nothing to let go of."""


def _name_of(error: BaseException) -> str:
    """SQLite's name of what went wrong, such as "READONLY_DIRECTORY"; "" for an error that is not SQLite's."""
    return str(getattr(error, "sqlite_errorname", "")).removeprefix("SQLITE_")
