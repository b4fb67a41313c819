"""Logs of evaluation tools, for the time being by the readers that are there."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from tiebreak.readers import helm
from tiebreak.readers.item_tables import LOGS, LongTable, long_of_file


class Log(NamedTuple):
    """Scores of the samples of a log."""

    columns: dict[str, list[Any]]
    metric: str | None
    remark: str = ""
    unit: str = "item"
    lower_is_better: bool | None = None
    time: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    is_whole: bool = True
    is_mean_of_tasks: bool = False
    is_named_by_file: bool = False


def is_log(path: Path) -> bool:
    """True for the log of a tool, unless a fuller one of the same run lies beside it."""
    if path.suffix.lower() not in (".eval", ".jsonl", ".json"):
        return False
    return not helm.is_doubled(path) and any(import_module(module).reads(path) for module in LOGS)


def read_log(path: Path, name: str, metric: str | None = None, *, is_main: bool = False) -> Log:
    """Scores of the samples of a log."""
    del is_main
    return log_of(long_of_file(path, name, metric))


def log_of(table: LongTable) -> Log:
    """A long table as a log."""
    columns = {str(name): values.tolist() for name, values in table.frame.items()}
    return Log(columns, *table[1:])
