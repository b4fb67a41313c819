"""Behaviour of the process: exit codes, signals, closed pipes, UTF-8, messages without tracebacks."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial

from tiebreak.printable import printable_lines, without_password

TYPE_CHECKING = False  # type checkers know it by its name; `typing` and what needs it would make ``tiebreak --help`` slower
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from tiebreak.errors import Advice, Setting

EXIT_OK = 0
EXIT_BROKEN = 1
EXIT_WRONG_USE = 2
EXIT_INCONCLUSIVE = 3
EXIT_INTERNAL = 70
EXIT_INTERRUPTED = 130
EXIT_PIPE = 141
EXIT_TERMINATED = 143

MESSAGE_WIDTH = 100


class CommandError(Exception):
    """Something that the person at the keyboard can put right; shown without a traceback, exit code 2."""


class Terminated(BaseException):
    """SIGTERM arrived; like KeyboardInterrupt no `Exception`, so that nothing catches it on the way."""


def as_typed(error: Exception) -> str:
    """Message of an error with its settings as options, e.g. ``n_train=`` as ``--n-train``."""
    return "".join(map(_typed, getattr(error, "parts", (str(error),))))


def _typed(part: str | Setting | Advice) -> str:
    from tiebreak.errors import Advice

    if isinstance(part, Advice):
        return part.python if part.typed is None else part.typed
    if isinstance(part, str):
        return part
    import shlex

    name, value = part
    option = {"rng": "--seed", "columns": "--column"}.get(name, f"--{name.replace('_', '-')}")
    said = {
        "scoring": str(part),  # there is no option for it
        "keep_predictions": f"{name} = {value.lower()} in the study",
        "lower_is_better": "--lower-is-better" if value == "True" else "--higher-is-better",
    }
    return said.get(name, option if value in ("", "True") else f"{option} {shlex.quote(value.strip(chr(39) + chr(34)))}")


def prepare() -> None:
    """Set the process up: UTF-8 whatever the locale says, own warnings as messages, SIGTERM as an exception that closes files."""
    for stream in (sys.stdout, sys.stderr):
        # a model name may hold half a surrogate pair; it is shown as \udc80 rather than ending the program
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    warnings.showwarning = partial(show_warning, warnings.showwarning)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:  # where a parent has it ignored, so it stays
        signal.signal(signal.SIGTERM, _raise_terminated)


def command_line() -> str:
    """The command as it was typed, without passwords."""
    import shlex

    return shlex.join(["tiebreak", *(without_password(each) for each in typed_arguments)])


typed_arguments: list[str] = []

unread: list[str] = []
"""Why standard output is not read any more: a command that went well ends with `EXIT_PIPE` then, as others do."""


def emit(text: str | Iterable[str], *, raw: bool = False) -> None:
    """Write an answer, whole or in pieces, to standard output; to a reader that has gone away (``| head -1``) nothing is said.

    Nothing in it moves the cursor, or cannot be seen, unless the caller asked for names as they are (`raw`).

    Raises
    ------
    CommandError
        The output cannot be written for another reason, such as a full disk.
    """
    if sys.stdout is None:  # closed by the caller: >&-
        return
    try:
        pieces = [text] if isinstance(text, str) else text
        sys.stdout.writelines(pieces if raw else map(printable_lines, pieces))
        sys.stdout.flush()
    except OSError as error:
        with suppress(OSError, ValueError):  # a stream that is no file, in tests
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())  # or the interpreter would complain about it once more when it ends
            os.close(nowhere)
        if not isinstance(error, BrokenPipeError) and not (os.name == "nt" and error.errno == errno.EINVAL):
            raise CommandError(f"the answer could not be written: {reason(error)}") from error
        unread.append(reason(error))


def say(message: str, *, wrapped: bool = True) -> None:
    """Write a message to standard error: one line in a log, wrapped on a terminal."""
    if sys.stderr is None:
        return
    lines = printable_lines(message.replace("\r\n", "\n")).rstrip("\n").split("\n")
    with suppress(OSError):  # nobody is left to be told
        if wrapped and sys.stderr.isatty():
            import textwrap
            from shutil import get_terminal_size

            width = min(get_terminal_size().columns, MESSAGE_WIDTH)
            lines = [textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in lines]
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()


def show_warning(show: Callable[..., object], message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    """Show a warning of tiebreak as a message, without the line of code that warned; others by `show`, as ever."""
    from tiebreak.errors import TiebreakWarning

    if issubclass(category, TiebreakWarning):
        say(f"tiebreak: warning: {message}")
    else:
        show(printable_lines(str(message)), category, *where, **more)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on a terminal what is done, once it takes longer than two seconds."""
    from threading import Timer

    timer = Timer(WAITS, say, [f"{what} ..."])
    if sys.stderr is not None and sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


WAITS = 2.0
"""Seconds after which it is said what a person waits for."""


def reason(error: OSError) -> str:
    """Why the system refused, without number and file name: "Permission denied"."""
    first = error.__cause__ if isinstance(error.__cause__, OSError) else error
    return first.strerror or str(first) or type(first).__name__


def failed(error: Exception, arguments: Sequence[str]) -> int:
    """Say what an error means to whoever typed the arguments, and return the exit code."""
    from tiebreak.errors import TiebreakError

    wants_traceback = "--traceback" in arguments or os.environ.get("TIEBREAK_TRACEBACK", "") not in ("", "0")
    if wants_traceback:
        import traceback

        say("".join(traceback.format_exception(error)), wrapped=False)
    if isinstance(error, TiebreakError | CommandError):
        say(f"tiebreak: {as_typed(error)}")
        return EXIT_WRONG_USE
    what = " ".join(f"{type(error).__name__}: {error}".split())
    how = "" if wants_traceback else " For the traceback: tiebreak --traceback ..., or TIEBREAK_TRACEBACK=1."
    advice = (
        "A package is missing; 'tiebreak --version' shows which."
        if isinstance(error, ModuleNotFoundError)
        else "This should not happen; please report it."
    )
    say(f"tiebreak: internal error: {what}. {advice}{how}")
    return EXIT_INTERNAL


def _raise_terminated(*_: Any) -> NoReturn:
    raise Terminated


def standard_input_as_file(files: Sequence[str]) -> AbstractContextManager[list[Any]]:
    """The files, "-" being a file with what standard input holds, and likewise of pipes; messages speak of what was typed."""
    from tiebreak.readers.files import pipes_as_files

    if "-" in files and sys.stdin is None:
        raise CommandError("'-' stands for standard input, which is closed.")
    return pipes_as_files(files, sys.stdin.buffer if "-" in files else None)
