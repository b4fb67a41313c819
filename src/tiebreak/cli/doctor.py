"""``tiebreak doctor``: is this installation in working order? What to send along with a bug report, without secrets in it."""

import locale
import os
import platform
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module, metadata
from pathlib import Path
from typing import NamedTuple

import click

from tiebreak import __version__
from tiebreak.cli.options import help_option
from tiebreak.cli.process import EXIT_OK, EXIT_WRONG_USE, emit

_MODULES = {"scikit-learn": "sklearn"}
"""Packages that are imported by another name."""

_PURPOSES = {"dask": "to measure on a Dask cluster", "postgres": "to keep runs in PostgreSQL"}
"""What the extras that users have are for."""


class Package(NamedTuple):
    """A package that tiebreak asks for, the extra that it is of, and what is wrong with it."""

    requirement: str
    extra: str
    name: str
    version: str
    fault: str


@click.command("doctor", short_help="Show versions, and what is missing.")
@help_option
@click.pass_context
def doctor_command(context: click.Context) -> None:
    """Show versions, and what is missing.

    Nothing of your data, your settings or the values of environment variables is shown, so the output can go into a bug report.
    The exit code is 2 where a package is missing that tiebreak cannot do without.
    """
    packages = list(examined())
    lines = [*_machine(), "", "Packages"]
    for each in sorted(packages, key=lambda package: bool(package.extra)):
        lines.append(f"  {each.name:<14}{each.version:<12}{each.fault}".rstrip())
        if each.extra and each.fault:
            lines.append(f'    {_PURPOSES[each.extra]}: pip install --upgrade "{each.requirement}"')
    wrong = [f'"{each.requirement}"' for each in packages if each.fault and not each.extra]
    needed = f"tiebreak cannot do its work here. To put it right: pip install --upgrade {' '.join(wrong)}"
    emit("\n".join([*lines, "", needed if wrong else "Everything that tiebreak needs is here."]) + "\n")
    context.exit(EXIT_WRONG_USE if wrong else EXIT_OK)


def examined() -> Iterator[Package]:
    """Packages that tiebreak and its extras ask for, looked up and imported, as one that is there may still be broken."""
    for line in metadata.requires("tiebreak") or ():
        requirement, _, condition = line.partition(";")
        extra = re.search(r"extra == ['\"](\w+)['\"]", condition)
        known = re.match(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)", requirement)
        if known and (extra is None or extra[1] in _PURPOSES):
            version, fault = _state(*known.groups())
            yield Package(requirement.strip(), extra[1] if extra else "", known[1], version, fault)


def _state(name: str, at_least: str) -> tuple[str, str]:
    """Version of a package, and what is wrong with it."""
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return "-", f"missing, needs {at_least} or newer"
    if _numbers(version) < _numbers(at_least):
        return version, f"too old, needs {at_least} or newer"
    try:
        import_module(_MODULES.get(name, name))
    except Exception as error:  # whatever it is, this is the place to say so
        return version, "cannot be imported: " + " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return version, ""


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, without the zeros at the end: "2.0" is (2,), "3.9rc1" is (3, 9)."""
    leading = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, re.sub(r"(\.0+)+$", "", leading[0]).split("."))) if leading else ()


def _machine() -> Iterator[str]:
    encodings = f"files {sys.getfilesystemencoding()}, locale {locale.getpreferredencoding(False)}"
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    python, home = Path(sys.executable), os.path.expanduser("~")  # noqa: PTH111  (of an unknown user it is "~" still)
    shown = Path("~", python.relative_to(home)) if python.is_relative_to(home) else python  # without the user's name
    facts = {
        "tiebreak": __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()}), {shown}",
        "platform": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "CPUs": f"{usable} usable of {os.cpu_count()}",
        "encoding": f"output {sys.stdout.encoding}, {encodings}",
        "temp folder": "writable" if _can_write_temporary() else "NOT writable",
        "SQLite": _sqlite(),
    }
    return (f"{name:<14}{fact}" for name, fact in facts.items())


def _sqlite() -> str:
    try:
        import sqlite3
    except ImportError:
        return "missing from this Python, so results cannot be stored"
    return sqlite3.sqlite_version


def _can_write_temporary() -> bool:
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"tiebreak")
    except OSError:
        return False
    return True
