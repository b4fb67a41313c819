"""``tiebreak doctor``: is this installation in working order? What to send along with a bug report, without secrets in it."""

from __future__ import annotations

import locale
import os
import platform
import re
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Literal

import click

from tiebreak import __version__
from tiebreak.cli.options import help_option
from tiebreak.cli.process import EXIT_OK, EXIT_WRONG_USE, emit


@dataclass(frozen=True, slots=True)
class Package:
    """A package that tiebreak uses: the name it is installed by, its module, the oldest version that will do, and what for."""

    name: str
    module: str
    at_least: str
    purpose: str = ""

    @property
    def requirement(self) -> str:
        """Name and oldest version as pip takes them; the driver of PostgreSQL comes with its binary part."""
        return f"{self.name}{'[binary]' if self.name == 'psycopg' else ''}>={self.at_least}"


# As in pyproject.toml, which an installed package does not carry; a test holds the two equal.
CORE = (
    Package("click", "click", "8.4"),
    Package("jinja2", "jinja2", "3.1"),
    Package("joblib", "joblib", "1.4"),
    Package("matplotlib", "matplotlib", "3.10"),
    Package("msgspec", "msgspec", "0.19"),
    Package("narwhals", "narwhals", "2.0"),
    Package("numpy", "numpy", "2.0"),
    Package("pandas", "pandas", "2.2.2"),
    Package("pyarrow", "pyarrow", "17"),
    Package("rich", "rich", "13.7"),
    Package("scikit-learn", "sklearn", "1.6"),
    Package("scipy", "scipy", "1.13"),
    Package("threadpoolctl", "threadpoolctl", "3.5"),
)
EXTRAS = {
    "dask": (Package("distributed", "distributed", "2024.8", "to measure on a Dask cluster"),),
    "postgres": (Package("psycopg", "psycopg", "3.2.1", "to keep runs in PostgreSQL"),),
}

State = Literal["fine", "missing", "too old", "broken"]


@dataclass(frozen=True, slots=True)
class Examined:
    """State of one package."""

    package: Package
    state: State
    version: str
    detail: str = ""

    def __str__(self) -> str:
        """One line: name, version, and what is wrong with it."""
        wrong = {
            "fine": "",
            "missing": f"missing, needs {self.package.at_least} or newer",
            "too old": f"too old, needs {self.package.at_least} or newer",
            "broken": f"cannot be imported: {self.detail}",
        }[self.state]
        return f"{self.package.name:<14}{self.version:<12}{wrong}".rstrip()


@click.command("doctor", short_help="Show versions, and what is missing.")
@help_option
@click.pass_context
def doctor_command(context: click.Context) -> None:
    """Show versions, and what is missing.

    Nothing of your data, your settings or the values of environment variables is shown, so the output can go into a bug report.
    The exit code is 2 where a package is missing that tiebreak cannot do without.
    """
    core = [examine(package) for package in CORE]
    extras = {extra: [examine(package) for package in packages] for extra, packages in EXTRAS.items()}
    lines = [*_machine(), "", "Packages", *(f"  {finding}" for finding in core), "", "Optional"]
    for finding in (finding for findings in extras.values() for finding in findings):
        lines.append(f"  {finding}")
        if finding.state != "fine":
            lines.append(f'    {finding.package.purpose}: pip install --upgrade "{finding.package.requirement}"')
    wrong = [finding for finding in core if finding.state != "fine"]
    lines += ["", _conclusion(wrong)]
    emit("\n".join(lines) + "\n")
    context.exit(EXIT_WRONG_USE if wrong else EXIT_OK)


def examine(package: Package) -> Examined:
    """Look a package up and import it, as one that is there may still be broken."""
    try:
        version = metadata.version(package.name)
    except metadata.PackageNotFoundError:
        return Examined(package, "missing", "-")
    if _numbers(version) < _numbers(package.at_least):
        return Examined(package, "too old", version)
    try:
        import_module(package.module)
    except Exception as error:  # whatever it is, this is the place to say so
        return Examined(package, "broken", version, " ".join(f"{type(error).__name__}: {error}".split())[:200])
    return Examined(package, "fine", version)


def _machine() -> list[str]:
    encodings = f"files {sys.getfilesystemencoding()}, locale {locale.getpreferredencoding(False)}"
    facts = {
        "tiebreak": __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()}), {_without_home(sys.executable)}",
        "platform": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "CPUs": f"{_usable_cpus()} usable of {os.cpu_count()}",
        "encoding": f"output {sys.stdout.encoding}, {encodings}",
        "temp folder": "writable" if _can_write_temporary() else "NOT writable",
        "SQLite": _sqlite(),
    }
    return [f"{name:<14}{fact}" for name, fact in facts.items()]


def _conclusion(wrong: list[Examined]) -> str:
    if not wrong:
        return "Everything that tiebreak needs is here."
    needed = " ".join(f'"{finding.package.requirement}"' for finding in wrong)
    return f"tiebreak cannot do its work here. To put it right: pip install --upgrade {needed}"


def _sqlite() -> str:
    try:
        import sqlite3
    except ImportError:
        return "missing from this Python, so results cannot be stored"
    return sqlite3.sqlite_version


def _usable_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_write_temporary() -> bool:
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"tiebreak")
    except OSError:
        return False
    return True


def _without_home(path: str) -> str:
    """A path that does not tell the user's name."""
    try:
        return str(Path("~") / Path(path).relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return path


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, without the zeros at the end: "2.0" is (2,), "3.9rc1" is (3, 9)."""
    leading = re.match(r"\d+(\.\d+)*", version)
    numbers = [int(part) for part in leading.group().split(".")] if leading else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
