"""The lazily loaded group agrees with the page of help that is written without it."""

import click
import pytest
from click.testing import CliRunner

from tiebreak import __version__
from tiebreak.cli import COMMANDS, help_page
from tiebreak.cli.group import tiebreak


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


def test_the_version_is_the_package_s() -> None:
    """One place for the number."""
    assert CliRunner().invoke(tiebreak, ["--traceback", "--version"]).output == f"tiebreak {__version__}\n"
