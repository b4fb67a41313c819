"""``tiebreak doctor``: what is missing is said, what is secret is not."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tiebreak.cli import doctor, main

PYPROJECT = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8"))["project"]


def floors(requirements: list[str]) -> dict[str, str]:
    """Name and oldest version of requirements such as "numpy>=2.0"."""
    return dict(re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)", requirement).groups() for requirement in requirements)  # type: ignore[union-attr]


def test_it_knows_what_pyproject_asks_for() -> None:
    """Names, oldest versions and the extras that users have (all but the tools of this project)."""
    assert {p.name: p.at_least for p in doctor.CORE} == floors(PYPROJECT["dependencies"])
    extras = {name: floors(needed) for name, needed in PYPROJECT["optional-dependencies"].items() if name not in ("dev", "docs")}
    assert {name: {p.name: p.at_least for p in packages} for name, packages in doctor.EXTRAS.items()} == extras


def test_a_working_installation(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Versions of everything, exit code 0, no value of an environment variable, no user name."""
    monkeypatch.setenv("TIEBREAK_TOKEN", "s3cr3t-value")
    monkeypatch.setenv("LC_TIME", "C.s3cr3t")
    code, output = run_doctor(capsys)
    assert code == 0, output
    assert "Everything that tiebreak needs is here." in output
    assert all(package.name in output for package in doctor.CORE)
    for word in ("tiebreak", "Python", "platform", "CPUs", "encoding", "temp folder   writable", "SQLite"):
        assert word in output
    assert "s3cr3t" not in output


def run_doctor(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and output."""
    return main.run(["doctor"]), capsys.readouterr().out


@pytest.mark.parametrize(
    ("package", "line", "remedy"),
    [
        (doctor.Package("no-such-thing", "no_such_thing", "1.2"), "missing, needs 1.2 or newer", '"no-such-thing>=1.2"'),
        (doctor.Package("numpy", "numpy", "999"), "too old, needs 999 or newer", '"numpy>=999"'),
        (doctor.Package("numpy", "no_such_module", "2"), "cannot be imported: ModuleNotFoundError", '"numpy>=2"'),
    ],
)
def test_a_core_package_that_will_not_do(
    package: doctor.Package, line: str, remedy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, the reason, and the command that puts it right."""
    monkeypatch.setattr(doctor, "CORE", (package,))
    code, output = run_doctor(capsys)
    assert code == 2
    assert line in output
    assert f"pip install --upgrade {remedy}" in output


def test_a_missing_extra_is_no_fault(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said, with its install command, and the exit code stays 0."""
    monkeypatch.setattr(doctor, "CORE", ())
    monkeypatch.setattr(doctor, "EXTRAS", {"parquet": (doctor.Package("no-such-thing", "no_such_thing", "1"),)})
    code, output = run_doctor(capsys)
    assert code == 0
    assert 'pip install --upgrade "no-such-thing>=1"' in output


@pytest.mark.parametrize(
    ("version", "at_least", "state"),
    [
        ("2.0", "2", "fine"),
        ("2", "2.0", "fine"),
        ("3.9rc1", "3.9", "fine"),
        ("1.10.2", "1.9", "fine"),
        ("1.9", "1.10.2", "too old"),
        ("odd", "1", "too old"),
    ],
)
def test_versions_are_compared_as_numbers(version: str, at_least: str, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """1.10 is newer than 1.9, and 2.0 is 2."""
    monkeypatch.setattr(doctor.metadata, "version", lambda name: version)
    assert doctor.examine(doctor.Package("json", "json", at_least)).state == state


def test_the_path_does_not_tell_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A home folder is shown as ~."""
    monkeypatch.setattr(doctor, "CORE", ())
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(doctor.sys, "executable", str(tmp_path / "venv" / "python"))
    assert f"), {Path('~', 'venv', 'python')}\n" in run_doctor(capsys)[1]
    monkeypatch.setattr(doctor.sys, "executable", "/usr/bin/python")
    assert "), /usr/bin/python\n" in run_doctor(capsys)[1]


def test_a_folder_that_cannot_be_written_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without temporary files some commands fail in odd places."""

    def refuse(*_: Any) -> None:
        raise OSError("read-only")

    monkeypatch.setattr(doctor, "CORE", ())
    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert "temp folder   NOT writable" in run_doctor(capsys)[1]
