"""Reports of SWE-bench's harness: lists of the instances that a model resolved and did not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tiebreak.errors import UnreadableSourceError
from tiebreak.readers.item_logs import as_written, check_size, choose_of, log_table, start_of_object
from tiebreak.readers.item_tables import LongTable
from tiebreak.readers.source import parse_log

_RESOLVED = "resolved"
"""The only metric."""

_ANSWERED = ("resolved_ids", "unresolved_ids", "submitted_ids", "completed_ids", "empty_patch_ids", "error_ids")
"""Lists of instances for which there is a patch, or an empty one; what is not among the resolved ones counts as not resolved."""


def reads(path: Path) -> bool:
    """True for a report, told by its first keys."""
    start = start_of_object(path)
    return '"resolved_instances"' in start and '"total_instances"' in start


def read(path: Path, name: str, metric: str | None, *, is_main: bool = False) -> LongTable:
    """Long table of the instances, 1 where the model resolved it, which is called after the file: MODEL.RUN.json."""
    return as_written(_read, path, name, metric, is_main=is_main)


def _read(path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    check_size(path, name, "A report has a few lists of instances.")
    found: Any = parse_log(path.read_bytes(), name, share=16)
    choose_of([_RESOLVED], metric, name, is_main=is_main)
    if not isinstance(found.get("resolved_ids"), list):
        raise UnreadableSourceError(
            f"{name} says how many instances were resolved, and not which. Write it with a current harness."
        )
    instances = dict.fromkeys(str(each) for key in _ANSWERED for each in found.get(key) or [])
    resolved = set(map(str, found["resolved_ids"]))
    total = found["total_instances"] if isinstance(found["total_instances"], int) else len(instances)
    lacking = f"{total - len(instances)} of {total} instances were not submitted: they are missing, not wrong"
    remark = f"{name}: {lacking}" if total > len(instances) else ""
    model = path.stem.rpartition(".")[0] or path.stem
    rows = [{"item": each, "model": model, "score": float(each in resolved)} for each in instances]
    return log_table(rows, None, name, remark, is_named_by_file=True)
