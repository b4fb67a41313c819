"""``tiebreak doctor``: what is missing is said, what is secret is not."""

from pathlib import Path
from typing import Any

import pytest

from tiebreak.cli import doctor, main


def run_doctor(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and output."""
    return main.run(["doctor"]), capsys.readouterr().out


def test_a_working_installation(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Versions of everything, exit code 0, no value of an environment variable."""
    monkeypatch.setenv("TIEBREAK_TOKEN", "s3cr3t-value")
    monkeypatch.setenv("LC_TIME", "C.s3cr3t")
    code, output = run_doctor(capsys)
    assert code == 0, output
    assert "Everything that tiebreak needs is here." in output
    packages = ("numpy", "scikit-learn", "distributed", "psycopg")
    for word in ("Python", "platform", "CPUs", "encoding", "temp folder   writable", "SQLite", *packages):
        assert word in output
    assert "pytest" not in output  # which only those who work on tiebreak need
    assert "s3cr3t" not in output


@pytest.mark.parametrize(
    ("needed", "line"),
    [
        ("no-such-thing>=1.2", "  no-such-thing -           missing, needs 1.2 or newer"),
        ("numpy>=999", "too old, needs 999 or newer"),
        ("numpy[binary]>=2.0", "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_a_package_that_will_not_do(
    needed: str, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, the reason, and the command that puts it right; of an extra it is no fault."""
    monkeypatch.setitem(doctor._MODULES, "numpy", "no_such_module")
    for condition, expected in (("", 2), ("; extra == 'dask'", 0)):
        monkeypatch.setattr(doctor.metadata, "requires", lambda _, condition=condition: [needed + condition])
        code, output = run_doctor(capsys)
        assert code == expected
        assert line in output
        assert f'pip install --upgrade "{needed}"' in output
        assert ("to measure on a Dask cluster" in output) == (expected == 0)


@pytest.mark.parametrize(
    ("version", "at_least", "is_fine"),
    [
        ("2.0", "2", True),
        ("2", "2.0", True),
        ("3.9rc1", "3.9", True),
        ("1.10.2", "1.9", True),
        ("1.9", "1.10.2", False),
        ("odd", "1", False),
    ],
)
def test_versions_are_compared_as_numbers(version: str, at_least: str, is_fine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """1.10 is newer than 1.9, and 2.0 is 2."""
    monkeypatch.setattr(doctor.metadata, "version", lambda name: version)
    monkeypatch.setattr(doctor.metadata, "requires", lambda _: [f"json>={at_least}"])
    assert [package.fault == "" for package in doctor.examined()] == [is_fine]


def test_the_path_does_not_tell_the_user_and_the_temporary_folder_is_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A home folder is shown as ~; without temporary files some commands fail in odd places."""

    def refuse(*_: Any) -> None:
        raise OSError("read-only")

    monkeypatch.setattr(doctor.metadata, "requires", lambda _: [])
    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(doctor.sys, "executable", str(tmp_path / "venv" / "python"))
    output = run_doctor(capsys)[1]
    assert f"), {Path('~', 'venv', 'python')}\n" in output
    assert "temp folder   NOT writable" in output
    monkeypatch.setattr(doctor.sys, "executable", "/usr/bin/python")
    assert "), /usr/bin/python\n" in run_doctor(capsys)[1]
