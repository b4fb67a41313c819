"""Results of promptfoo: JSON, or JSON lines, with an outcome for each test, prompt and provider."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

from tiebreak.errors import UnreadableSourceError
from tiebreak.readers.item_logs import (
    Record,
    as_written,
    check_size,
    choose_of,
    fields_of,
    first_record,
    log_table,
    records_of,
    score_of,
    start_of_object,
    taken_of,
)
from tiebreak.readers.item_tables import LongTable
from tiebreak.readers.source import parse_log

_START = 1 << 14
"""Characters in which a file of results says so, beside the prompts that stand first."""

_PASSED, _SCORE = "passed", "score"
"""Metrics that every outcome has: whether all assertions held, and their weighted mean; named ones stand beside."""

_FAILED_TO_RUN = 2
"""Reason of a failure that is an error of the provider and no wrong answer."""


def reads(path: Path) -> bool:
    """True for a file of results, in JSON or JSON lines, told by its first keys."""
    if path.suffix.lower() == ".jsonl":
        return {"testIdx", "provider", "success"} <= first_record(path).keys()
    start = start_of_object(path, _START)
    return '"evalId"' in start and '"results"' in start


def read(path: Path, name: str, metric: str | None, *, is_main: bool = False) -> LongTable:
    """Long table of the outcomes; of several metrics whether the tests passed, if `is_main` and none is asked for."""
    return as_written(_read, path, name, metric, is_main=is_main)


def _read(path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    time, outcomes = _outcomes(path, name)
    if not outcomes:
        raise UnreadableSourceError(f"{name} holds no outcome of a test.")
    held = list(dict.fromkeys((_PASSED, _SCORE, *(str(key) for each in outcomes for key in each.get("namedScores") or {}))))
    scores = [score_of(each.get("score"), name, each.get("testIdx")) for each in outcomes]
    is_graded = any(value not in (0.0, 1.0) and not math.isnan(value) for value in scores)
    if not is_graded:
        held.remove(_SCORE)  # it says the same
    taken = choose_of(held, metric, name, is_main=is_main or len(held) == 1)
    rows, n_errors = _rows(outcomes, taken, name)
    several = taken_of(path.stem, taken, held) if metric is None else ""
    lost = f"{n_errors} of {len(rows)} outcomes are errors of a provider: they are missing, not wrong" if n_errors else ""
    binary = all(row["score"] in (0.0, 1.0) for row in rows if not math.isnan(row["score"]))
    remark = "; ".join(filter(None, (f"{name}: {lost}" if lost else "", several)))
    return log_table(
        rows, None if binary else taken, name, remark, lower_is_better=False if taken in (_PASSED, _SCORE) else None, time=time
    )


def _rows(outcomes: list[Record], metric: str, name: str) -> tuple[list[dict[str, Any]], int]:
    """A row for each outcome, and how many of them are errors of a provider."""
    prompts: dict[str, set[Any]] = {}
    for each in outcomes:
        prompts.setdefault(_provider(each), set()).add(_prompt(each))
    seen: Counter[tuple[str, str]] = Counter()
    rows, n_errors = [], 0
    for each in outcomes:
        model = _provider(each)
        if len(prompts[model]) > 1:
            model = f"{model} {_prompt(each)}"
        content = json.dumps(each.get("vars") or {}, sort_keys=True)
        digest = hashlib.blake2b(content.encode(), digest_size=8).hexdigest()
        item = str(each.get("testIdx", digest))
        seen[model, item] += 1
        is_error = each.get("failureReason") == _FAILED_TO_RUN or (bool(each.get("error")) and not each.get("gradingResult"))
        n_errors += is_error
        rows.append(
            {
                "item": item,
                "item_hash": digest,
                "model": model,
                "score": math.nan if is_error else score_of(_value(each, metric), name, item),
                "epoch": seen[model, item],
                **fields_of((each.get("testCase") or {}).get("metadata")),
            }
        )
    if max(seen.values()) == 1:
        for row in rows:
            del row["epoch"]
    return rows, n_errors


def _outcomes(path: Path, name: str) -> tuple[str, list[Record]]:
    """When the tests were run, as far as the file says it, and their outcomes."""
    if path.suffix.lower() == ".jsonl":
        return "", list(records_of(path, name))
    check_size(path, name, "Write JSON lines, or a file for each provider.")
    found = parse_log(path.read_bytes(), name, share=16)["results"]
    return (str(found.get("timestamp") or ""), found["results"]) if isinstance(found, dict) else ("", found)


def _value(outcome: Record, metric: str) -> Any:
    if metric == _PASSED:
        return bool(outcome["success"])
    return outcome["score"] if metric == _SCORE else (outcome.get("namedScores") or {}).get(metric)


def _provider(outcome: Record) -> str:
    provider = outcome["provider"]
    return str(provider.get("label") or provider["id"]) if isinstance(provider, dict) else str(provider)


def _prompt(outcome: Record) -> Any:
    """Label of a prompt where it is short, else its number, from 1."""
    label = (outcome.get("prompt") or {}).get("label")
    if isinstance(label, str) and 0 < len(label) <= _LONGEST_LABEL and "\n" not in label:
        return label
    number = outcome.get("promptIdx", 0)
    return f"prompt {number + 1 if isinstance(number, int) else number}"


_LONGEST_LABEL = 40
