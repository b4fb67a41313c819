"""A new command is one file and one line in the registry."""

from pathlib import Path

import pytest

from tiebreak import cli
from tiebreak.cli import main

COUNT = '''\
"""``tiebreak count-models``: models of a study."""

from __future__ import annotations

import click

from tiebreak.cli.options import help_option
from tiebreak.cli.process import EXIT_BROKEN, EXIT_OK, emit


@click.command("count-models", short_help="Count the models of a study.")
@click.argument("study", metavar="STUDY")
@click.option("--at-least", type=int, default=1, help="Exit code 1 if there are fewer.")
@help_option
@click.pass_context
def count_models_command(context: click.Context, /, study: str, at_least: int) -> None:
    """Count the models of STUDY."""
    from tiebreak.study_file import read_study

    n_models = len(read_study(study).models)
    emit(f"{n_models} models\\n")
    context.exit(EXIT_OK if n_models >= at_least else EXIT_BROKEN)
'''


@pytest.fixture
def with_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file beside those of the other commands, and the line in the registry."""
    (tmp_path / "count_models.py").write_text(COUNT)
    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(tmp_path)])
    monkeypatch.setitem(cli.COMMANDS, "count-models", "Count the models of a study.")


@pytest.mark.usefixtures("with_command")
def test_the_file_and_the_line_make_a_command(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With help, options, messages and exit codes as all others have."""
    assert main.run(["count-models", study]) == 0
    assert capsys.readouterr().out == "3 models\n"
    assert main.run(["count-models", study, "--at-least", "4"]) == 1
    capsys.readouterr()
    assert main.run(["--help"]) == 0
    assert "count-models     Count the models of a study." in capsys.readouterr().out
    assert main.run(["count-models", "--help"]) == 0
    assert "--at-least INTEGER" in capsys.readouterr().out
    assert main.run(["count-models", "nowhere.toml"]) == 2
    assert capsys.readouterr().err.startswith("tiebreak: ")
