"""What goes wrong with PostgreSQL, in words: where, what was kept, and how to go on."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.errors import DamagedStoreError, StoreError, TiebreakError
from tiebreak.stores.faults import AGAIN, KEPT, LostStoreError

_PERHAPS_KEPT = " What was written before is kept; of this call it is not certain, and to write it again does no harm."
_KEPT_BEFORE = " What was written before is kept."

# Error codes of PostgreSQL, appendix A of its manual. Of those that may pass: the server ends, starts, or has no place left; the
# session was ended; or two transactions stood in each other's way.
_PASSING = frozenset("57P01 57P02 57P03 57P05 25P03 53300 40001 40P01".split())
_DAMAGE = frozenset("XX001 XX002 42P01 42703 42804 42883 23502 23505".split())

# Those who are not let in are told why in words only, in the language of the server; what is not known here is no reason to wait
# for a server that was never reached.
_WAITING = (
    "too many clients",
    "too many connections",
    "connection slots",
    "starting up",
    "shutting down",
    "in recovery mode",
    "not yet accepting connections",
    "not accepting connections",
)
_NOBODY = ("authentication failed", "no password supplied", "pg_hba.conf", "FATAL: role ")


def translate(shown: str, error: Exception, *, run: str, writing: bool, busy_seconds: float) -> TiebreakError:
    """The error that the caller is told instead of SQLAlchemy's or psycopg's.

    Parameters
    ----------
    shown : str
        The store, without passwords.
    error : Exception
        From a connection that was open.
    run : str
        What the transaction was about; "" for the whole store.
    writing : bool
    busy_seconds : float
        How long a lock was waited for.
    """
    cause: BaseException = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlstate", None) or ""
    said = _said(cause)
    if code in _PASSING or code.startswith("08") or (not code and _is_operational(cause)):
        return lost(shown, said, _PERHAPS_KEPT if writing else "")
    if code in _DAMAGE or isinstance(cause, UnicodeError):
        about = f"run {run!r}: " if run else ""
        return DamagedStoreError(
            f"{about}{shown} is not as it was written: PostgreSQL says {said!r}. Put a copy of the tables in their place, or "
            "delete the run (if that fails, the tables) and measure it again."
        )
    return StoreError(_fault_text(shown, code, said, KEPT if writing else "", busy_seconds))


def refusal(shown: str, error: Exception, *, was_reached: bool) -> TiebreakError:
    """For a connection that could not be made.

    Parameters
    ----------
    shown : str
    error : Exception
    was_reached : bool
        Whether there was a connection before: then the address is right, and the server will come back.
    """
    said = _said(error)
    if any(words in said for words in _WAITING):
        return lost(shown, said, "")
    if any(words in said for words in _NOBODY):
        return StoreError(
            f"{shown} does not let this user in: {said}. Check the user and the password, which may stand in the address, in "
            "PGPASSWORD or in a password file."
        )
    if "FATAL:" in said and "database " in said and "does not exist" in said:
        return StoreError(f"there is no such database as {shown}: {said}. Check the address, or make the database: createdb NAME")
    if was_reached:
        return lost(shown, said, _KEPT_BEFORE)
    return StoreError(f"{shown} cannot be reached: {said}. Check the address, and whether the server is running.")


def lost(shown: str, said: str, kept: str) -> LostStoreError:
    """For a server that went away, or lets nobody in for now."""
    brief = f"{shown} cannot be used for now: {said}."
    return LostStoreError(f"{brief}{kept} See to the server; {AGAIN}.", brief)


def too_old(shown: str, version: int, oldest: int) -> StoreError:
    """For a server that is not asked for more than its version."""
    return StoreError(
        f"{shown} is PostgreSQL {version // 10_000}, and tiebreak needs {oldest} or later. Upgrade the server, or name another "
        "store."
    )


def unsafe_text(shown: str, settings: Sequence[str]) -> str:
    """The warning about a server that is set to be fast rather than safe."""
    listed = " and ".join(f"{name} = off" for name in settings)
    harm = "can lose the cells kept last" if list(settings) == ["synchronous_commit"] else "can lose or damage what was kept"
    return f"{shown} runs with {listed}: a crash of the server {harm}. Switch that on for results that matter."


def _fault_text(shown: str, code: str, said: str, kept: str, busy_seconds: float) -> str:
    """What is wrong, what was kept, how to go on."""
    match code:
        case "55P03":
            return (
                f"{shown} is locked: another process has been writing to it for more than {busy_seconds:g} seconds.{kept} Wait "
                f"for that process or stop it; {AGAIN}."
            )
        case "53100":
            return f"{shown} cannot grow: the disk of the server is full ({said}).{kept} Make room; {AGAIN}."
        case "25006":
            return f"{shown} is read-only: {said}.{kept} Name the server that is written to, or another store."
        case "42501":
            return (
                f"{shown} cannot be used: {said}.{kept} The user needs CREATE in the schema to make a store, and SELECT, INSERT, "
                "UPDATE and DELETE on its tables."
            )
        case "3F000":
            return (
                f"{shown} has no schema to make tables in: {said}.{kept} Make one, or name one that is there: "
                "?options=-csearch_path%3DSCHEMA"
            )
        case "54000":
            return f"{shown}: the outputs of one cell are larger than PostgreSQL can keep.{kept} Pass keep_predictions=False."
        case _:
            return f"{shown} cannot be used: {said}.{kept} See to the server, or name another store."


def _is_operational(cause: BaseException) -> bool:
    """Whether it is the connection that failed, and not what it was asked."""
    import psycopg

    return isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError))


def _said(cause: BaseException) -> str:
    """What the server or its library says, in a line without a full stop."""
    primary = getattr(getattr(cause, "diag", None), "message_primary", None)
    lines = str(primary or cause).splitlines()
    text = " ".join(line.strip() for line in lines if not line.strip().startswith("Is the server running"))
    return " ".join(text.split()).removeprefix("connection failed: ").rstrip(".")
