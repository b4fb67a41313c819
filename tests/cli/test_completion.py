"""``tiebreak completion``: a shell completes commands, options and their values."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tiebreak.cli import COMMANDS, main
from tiebreak.cli.completion import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_each_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It names the variable by which the shell asks."""
    assert main.run(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_TIEBREAK_COMPLETE={shell}_complete" in script


@pytest.mark.slow
def test_commands_options_and_values_are_offered(tiebreak: Run) -> None:
    """What a shell asks for through that variable."""

    def offered(words: str) -> set[str]:
        n_words = len(words.split()) - (not words.endswith(" "))
        done = tiebreak(env={"_TIEBREAK_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(n_words)})
        assert done.returncode == 0, done.stderr
        return {line.partition(",")[2] for line in done.stdout.splitlines()}

    assert offered("tiebreak ") == set(COMMANDS)
    assert offered("tiebreak r") == {name for name in COMMANDS if name.startswith("r")}
    assert {"--rope", "--metric", "--require-better"} <= offered("tiebreak compare --")
    assert offered("tiebreak compare x.csv --format ") >= {"json", "csv", "markdown"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_takes_the_script(tiebreak: Run, tmp_path: Path) -> None:
    """It is loaded without a word, and completes the command."""
    script = tmp_path / "completion"
    script.write_text(tiebreak("completion", "bash").stdout)
    done = subprocess.run(["bash", "-c", f"source {script} && complete -p tiebreak"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_tiebreak_completion" in done.stdout
