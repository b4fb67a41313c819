"""Run every command shown in cli.md and put what it prints under it: ``python docs/refresh_cli.py``.

A block marked ``console`` holds commands after a dollar sign, each followed by its output; they run in order, in a copy of
docs/examples, 100 columns wide. tests/cli/test_documentation.py runs them too and fails where the page is out of date.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent
PAGE = DOCS / "cli.md"
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


def refreshed(page: str, bin: Path = Path(sys.executable).parent) -> str:
    """The page with the output of every command as it is now; `bin` is the folder of the command tiebreak."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(DOCS / "examples", folder, dirs_exist_ok=True)
        return BLOCK.sub(lambda block: _run_block(block.group(), Path(folder), bin), page)


def _run_block(block: str, folder: Path, bin: Path) -> str:
    lines, code = [], 0
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        output, code = _run(f"(exit {code}); {command}", folder, bin)
        lines.append(f"$ {command}\n{output}")
    return "".join(lines)


def _run(command: str, folder: Path, bin: Path) -> tuple[str, int]:
    """What a command prints, both streams, and its exit code, for $? in the next one."""
    path = os.pathsep.join([str(bin), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100"}
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    return done.stdout, done.returncode


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
