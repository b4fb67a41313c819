"""What a well-behaved process does: exit codes, signals, pipes, encodings, messages, and what it does not import."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, environment, refused, run, write_scores
from tiebreak.cli import process
from tiebreak.errors import TiebreakWarning

pytestmark = pytest.mark.slow

needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and /dev are those of POSIX")


def modules_after(*arguments: str) -> set[str]:
    """Modules that a fresh process holds after running the command line."""
    program = (
        "import json, sys; from tiebreak.cli.main import run; run(sys.argv[1:]); print('\\n' + json.dumps(list(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, encoding="utf-8", check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_what_tiebreak_warns_of_is_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the file and the line that Python names; what others warn of is shown as ever, but for what moves the cursor."""
    with warnings.catch_warnings(record=True) as others:
        warnings.showwarning = partial(process.show_warning, warnings.showwarning)
        warnings.simplefilter("always")
        warnings.warn("anybody can come in.", TiebreakWarning, stacklevel=1)
        warnings.warn("something\x1b[2J else", UserWarning, stacklevel=1)
    assert [str(each.message) for each in others] == [r"something\x1b[2J else"]
    assert capsys.readouterr().err == "tiebreak: warning: anybody can come in.\n"


@pytest.mark.parametrize("argument", ["--help", "-h", "--version"])
def test_help_and_version_load_nothing_heavy(argument: str) -> None:
    """Neither click, which alone would take most of the 50 ms that help may take, nor the errors, which need typing."""
    assert not {"click", "numpy", "tiebreak.api", "tiebreak.cli.group", "tiebreak.errors"} & modules_after(argument)


@pytest.mark.parametrize("format_", ["json", "csv", "table", "markdown"])
def test_comparing_a_csv_loads_no_heavy_package(scores: str, format_: str) -> None:
    """pandas, scikit-learn, scipy.stats, matplotlib, and rich without a terminal, would each cost more than the work itself."""
    heavy = {"pandas", "sklearn", "scipy.stats", "matplotlib", "rich", "narwhals", "polars", "numpy.f2py.rules", "unittest"}
    loaded = modules_after("compare", scores, "--metric", "accuracy", "--rope", "0.01", "--format", format_)
    assert not heavy & loaded
    others = ("delong", "hierarchical", "tango", "wilcoxon")  # all procedures together take as long as SciPy
    assert not {f"tiebreak.comparison.procedures.{name}" for name in others} & loaded


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "tiebreak: a command is needed.\n\nUsage: tiebreak [OPTIONS] COMMAND"),
        (["comapre"], "tiebreak: No such command 'comapre'"),
        (["compare", "no-such.csv"], "tiebreak: there is no file 'no-such.csv'"),
        (["compare"], "tiebreak: Missing argument 'FILE...'.\nSee 'tiebreak compare --help'."),
        (["compare", "x.csv", "--ropee", "1"], "tiebreak: No such option '--ropee'"),
        (["compare", "x.csv", "--alpha", "much"], "tiebreak: Invalid value for '--alpha'"),
        (["compare", "x.csv", "--correction", "tukey"], "tiebreak: Invalid value for '--correction'"),
        (["compare", "x.csv", "--raw"], "tiebreak: --raw goes with --format csv."),
        (["compare", "-", "-"], "tiebreak: standard input can be read only once."),
        (
            ["compare", "x.csv", "--require-better", "a"],
            "tiebreak: Option '--require-better' requires 2 arguments.\nSee 'tiebreak compare --help'.",
        ),
    ],
)
def test_wrong_use_ends_with_two(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """click's own complaints come in the same form as ours."""
    assert refused(capsys, *arguments).startswith(message)


def test_an_internal_error_is_one_line_and_seventy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The line says what happened and how to see where."""
    monkeypatch.setattr("tiebreak.compare", fails)
    code, _, error = run(capsys, "compare", "x.csv")
    assert (code, error.count("\n")) == (process.EXIT_INTERNAL, 1)
    assert error.startswith("tiebreak: internal error: ZeroDivisionError: by nothing.")
    assert "tiebreak --traceback ..., or TIEBREAK_TRACEBACK=1" in error


@pytest.mark.parametrize(("arguments", "variable"), [(["--traceback"], ""), ([], "1")])
def test_the_traceback_is_there_for_the_asking(
    arguments: list[str], variable: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By option or by environment variable, before the same one line."""
    monkeypatch.setattr("tiebreak.compare", fails)
    monkeypatch.setenv("TIEBREAK_TRACEBACK", variable)
    code, _, error = run(capsys, *arguments, "compare", "x.csv")
    assert code == process.EXIT_INTERNAL
    assert "Traceback (most recent call last)" in error
    assert "in fails" in error
    assert error.splitlines()[-1].startswith("tiebreak: internal error: ZeroDivisionError")


def fails(*_: Any, **__: Any) -> None:
    """Stands for a mistake in the library."""
    raise ZeroDivisionError("by\nnothing")


def test_a_missing_package_is_named() -> None:
    """An incomplete installation is told apart from a mistake of ours."""
    program = "import sys; sys.modules['numpy'] = None; from tiebreak.cli.main import run; sys.exit(run(['compare', 'x.csv']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == process.EXIT_INTERNAL
    assert "'tiebreak --version' shows which" in done.stderr


@needs_posix
@pytest.mark.parametrize("arguments", [("--help",), ("compare", "--help"), ("compare", "{scores}", "--metric", "accuracy")])
def test_a_reader_that_goes_away_is_told_by_the_exit_code(scores: str, arguments: tuple[str, ...]) -> None:
    """As in ``| head -1``: nothing on standard error, and the code that a shell has for a closed pipe, 128 + SIGPIPE."""
    assert into_closed_pipe([argument.format(scores=scores) for argument in arguments]) == (141, "")


@needs_posix
def test_a_gate_keeps_its_exit_code_when_nobody_reads_on(scores: str) -> None:
    """``tiebreak compare ... | head -1`` under pipefail must not let a release pass."""
    for first, second, code in (("ridge", "svm", 1), ("svm", "ridge", 0)):
        gate = ["compare", scores, "--metric", "accuracy", "--require-better", first, second]
        assert into_closed_pipe(gate) == (code, "")


def into_closed_pipe(arguments: list[str]) -> tuple[int, str]:
    """Exit code and messages of a run whose standard output nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "tiebreak", *arguments]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, encoding="utf-8", env=environment())
    os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_full_disk_is_said(scores: str) -> None:
    """An answer that was not written must not end with 0."""
    command = [sys.executable, "-m", "tiebreak", "compare", scores, "--metric", "accuracy"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", env=environment())
    assert done.returncode == 2
    assert done.stderr == "tiebreak: the answer could not be written: No space left on device\n"


@needs_posix
def test_closed_output_is_no_error(scores: str) -> None:
    """``>&-`` leaves no standard output at all; whoever asks so only wants the exit code."""
    command = f"{sys.executable} -m tiebreak compare {scores} --metric accuracy --require-better svm ridge >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, encoding="utf-8", env=environment())
    assert (done.returncode, done.stderr) == (0, "")


@needs_posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_the_process_cleanly(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Interrupted while it waits for standard input: the exit code tells the signal, nothing is said, no file stays behind."""
    command = [sys.executable, "-m", "tiebreak", "compare", "-", "--metric", "accuracy"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment(TMPDIR=str(tmp_path)), **pipes) as running:
        assert running.stdin is not None
        running.stdin.write(b"a,b\n" + b"0.8,0.9\n" * 100)
        running.stdin.flush()
        wait_for(lambda: list(tmp_path.rglob("stdin")) and waits(running.pid))
        running.send_signal(number)
        assert running.wait(300) == code
        assert running.stdout is not None
        assert running.stderr is not None
        assert (running.stdout.read(), running.stderr.read()) == (b"", b"")
    assert list(tmp_path.iterdir()) == []


def waits(pid: int) -> bool:
    """Whether a process sleeps in a call: a signal that comes just before the call is seen by Python only after it."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        time.sleep(1.0)
        return True
    return status.read_text().rpartition(") ")[2].startswith("S")


def wait_for(happened: Any, seconds: float = 300.0) -> None:
    """Until it has happened."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@pytest.mark.parametrize("format_", ["table", "json", "csv", "markdown"])
def test_names_survive_any_locale(tiebreak: Run, tmp_path: Path, format_: str) -> None:
    """Output is UTF-8 under LANG=C and under an encoding that lacks the letters."""
    path = write_scores(tmp_path / "unicode.csv", ["Naïve Bayes", "模型"])
    locale = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "latin-1"}
    done = tiebreak("compare", str(path), "--metric", "accuracy", "--format", format_, env=locale)
    assert done.returncode == 0, done.stderr
    text = json.dumps(json.loads(done.stdout), ensure_ascii=False) if format_ == "json" else done.stdout
    assert "Naïve Bayes" in text
    assert "模型" in text


def test_the_console_script_is_the_same_program() -> None:
    """``tiebreak`` stands in pyproject.toml and leads to `main`."""
    import tomllib

    settings = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["scripts"] == {"tiebreak": "tiebreak.cli.main:main"}


@needs_posix
def test_on_a_terminal_everything_fits_the_window(scores: str) -> None:
    """Tables and messages in the columns that the terminal has; of 50 the place and the score go, and the verdict stays."""
    for width in (100, 50):
        code, answer = on_terminal(width, "compare", scores, "--metric", "accuracy")
        assert code == 0
        assert "verdict" in answer
        assert max(map(len, answer.splitlines())) <= width
    code, message = on_terminal(70, "compare", scores, "--metric", "usefulness")
    assert code == 2
    assert message.startswith("tiebreak: ")
    assert len(message.splitlines()) == 2
    assert max(map(len, message.splitlines())) <= 70


def on_terminal(columns: int, *arguments: str) -> tuple[int, str]:
    """Exit code, and what a terminal of that width was sent, without colours."""
    with terminal(columns, [sys.executable, "-m", "tiebreak", *arguments]) as (running, sent):
        text = b"".join(sent).decode("utf-8")
    return running.returncode, re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r\n", "\n")


@contextmanager
def terminal(columns: int, command: list[str]) -> Iterator[tuple[subprocess.Popen[bytes], Iterator[bytes]]]:
    """A process on a terminal of that width, and what it sends, until it ends."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment(COLUMNS=str(columns), TERM="xterm")
    ) as running:
        os.close(theirs)
        yield running, iter(partial(read_terminal, ours), b"")
    os.close(ours)


def read_terminal(terminal: int) -> bytes:
    """What is there to read; nothing once the other side is closed, which Linux tells as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_a_terminal_is_told_what_it_waits_for_and_a_file_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line with what is done, on standard error; nothing of what is over sooner."""
    for is_terminal, after, is_shown in ((True, 3600.0, False), (False, 0.0, False), (True, 0.001, True)):
        log = io.StringIO()
        monkeypatch.setattr(log, "isatty", is_terminal.__bool__)
        monkeypatch.setattr(sys, "stderr", log)
        monkeypatch.setattr(process, "WAITS", after)
        with process.waiting("reading and comparing"):
            if is_shown:
                wait_for(log.getvalue)
        assert log.getvalue() == ("reading and comparing ...\n" if is_shown else "")
