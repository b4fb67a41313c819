"""Write the floors of pyproject.toml as exact requirements, and the locked versions of everything else as constraints."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

floors_file, constraints_file = map(Path, sys.argv[1:])
project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
groups = [
    project["dependencies"],
    *(group for name, group in project["optional-dependencies"].items() if name not in ("dev", "docs")),
]
floors = [requirement.replace(">=", "==") for group in groups for requirement in group]
names = {re.split(r"[\[=]", floor)[0] for floor in floors} | {"dask", "psycopg-binary"}  # of one version with theirs
locked = re.findall(r"^(([\w.-]+)==[^\\]+) \\$", Path("requirements-lock.txt").read_text(encoding="utf-8"), re.MULTILINE)
floors_file.write_text("".join(f"{floor}\n" for floor in floors), encoding="utf-8")
constraints_file.write_text("".join(f"{pin}\n" for pin, name in locked if name not in names), encoding="utf-8")
