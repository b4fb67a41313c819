"""The lazily loaded group agrees with the page of help that is written without it."""

from importlib import metadata

import click
import pytest
from click.testing import CliRunner

from tiebreak import __version__
from tiebreak.cli import COMMANDS, help_page, main, version_page
from tiebreak.cli.group import tiebreak
from tiebreak.cli.options import FORMATS


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_found_under_its_name(name: str) -> None:
    """The overview, the module, the function and the command's own help agree."""
    command = tiebreak.get_command(click.Context(tiebreak), name)
    assert command is not None
    assert (command.name, command.short_help) == (name, COMMANDS[name])


@pytest.mark.parametrize("arguments", [["--help"], ["--traceback", "--help"], ["-h"]])
def test_the_page_of_help_is_the_same_with_click(arguments: list[str]) -> None:
    """Whether `main` printed it at once or click was needed first."""
    assert CliRunner().invoke(tiebreak, arguments).output == help_page() + "\n"


def test_the_page_of_help_fits_a_terminal() -> None:
    """80 columns, every option and command on it."""
    page = help_page()
    assert max(map(len, page.splitlines())) <= 80
    options = [name for parameter in tiebreak.params for name in parameter.opts]
    assert all(name in page for name in [*options, *COMMANDS, "--help"])


def test_versions_are_the_package_s_and_those_of_what_it_stands_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line each, an extra's where it is there, and nothing that only those need who work on tiebreak; what lacks is said."""
    output = CliRunner().invoke(tiebreak, ["--traceback", "--version"]).output
    assert output.startswith(f"tiebreak {__version__}\nPython 3.")
    assert f"\nnumpy {metadata.version('numpy')}\n" in output
    assert "psycopg " in output
    assert "pytest" not in output
    needed = ["no-such-thing>=1.2", "nor-this>=1 ; extra == 'dask'", 'nor-that[binary]>=2; extra == "postgres"']
    monkeypatch.setattr(metadata, "requires", lambda _: needed)
    assert version_page().splitlines()[2:] == ["no-such-thing is missing"]


def test_a_shell_asks_by_a_variable(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """For the script, and then for what could be typed next: commands, options and their values."""
    monkeypatch.setenv("_TIEBREAK_COMPLETE", "zsh_source")
    assert main.run([]) == 0
    assert "_TIEBREAK_COMPLETE=zsh_complete" in capsys.readouterr().out
    monkeypatch.setenv("_TIEBREAK_COMPLETE", "bash_complete")
    for words, offered in {"tiebreak ": set(COMMANDS), "tiebreak compare x.csv --format ": set(FORMATS)}.items():
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
        assert main.run([]) == 0
        assert {line.partition(",")[2] for line in capsys.readouterr().out.splitlines()} == offered
