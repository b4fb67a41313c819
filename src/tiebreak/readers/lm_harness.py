"""Samples of lm-evaluation-harness, and the file of results beside them, which names the model and the groups of its tasks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tiebreak.errors import UnreadableSourceError
from tiebreak.readers.folder_names import stem
from tiebreak.readers.item_logs import (
    Record,
    as_written,
    choose_of,
    fields_of,
    first_record,
    is_score,
    log_table,
    records_of,
    records_of_list,
    score_of,
    taken_of,
)
from tiebreak.readers.item_tables import LongTable
from tiebreak.readers.source import parse_log

_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.:-]+)$")
_FIELDS = frozenset(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash target_hash task".split()
)


_LIST = re.compile(rb'\s*\[\s*\{\s*"doc_id"\s*:')
"""Beginning of the samples of versions before 0.4.3: a JSON list in a file called ``ARGUMENTS_TASK.jsonl``."""


def reads(path: Path) -> bool:
    """True for samples of the harness, told by their first record."""
    return path.suffix.lower() == ".jsonl" and (_is_list(path) or _is_sample(first_record(path)))


def _is_list(path: Path) -> bool:
    with path.open("rb") as file:
        return _LIST.match(file.read(1024)) is not None


def read(path: Path, name: str, metric: str | None, *, is_main: bool = False) -> LongTable:
    """Long table of samples; of several metrics the first that is of single samples, if `is_main` and none is asked for."""
    return as_written(_read, path, name, metric, is_main=is_main)


def is_plain_name(path: Path) -> bool:
    """True for samples whose name has no time in it, so that it says nothing of task and model."""
    return path.suffix.lower() == ".jsonl" and path.stem.startswith("samples_") and _SAMPLES.match(path.stem) is None


def _is_sample(record: Mapping[str, Any]) -> bool:
    return "doc_id" in record and ("filtered_resps" in record or "resps" in record)


def _read(path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    records = records_of_list(path, name) if _is_list(path) else list(records_of(path, name))
    named = _SAMPLES.match(path.stem)
    task, results = (named["task"], _results_beside(path, named["time"])) if named else _named_by_arguments(path)
    # the harness makes a folder for each model, with / as __, unless it was told a file; a file elsewhere is called after itself
    model = results.get("model_name") or (path.resolve().parent.name.replace("__", "/") if named else stem(path))
    held = _metrics_of(records)
    filters = {kind for _, kind in held.values()}
    asked = metric if metric in held or len(filters) > 1 else _without_filter(metric)
    chosen = choose_of(held, asked, name, is_main=is_main)
    field, kind = held[chosen]
    rows = [
        {
            "item": record["doc_id"],
            "model": model,
            "score": score_of(record.get(field), name, record["doc_id"]),
            "item_hash": record.get("doc_hash"),
            "task": task,
            "group": _group_of(results, task, f"{field},{kind}"),
            **fields_of(record.get("doc")),
        }
        for record in records
        if str(record.get("filter", "none")) == kind
    ]
    better = (results.get("higher_is_better") or {}).get(task) or {}
    direction = better.get(field) if isinstance(better, Mapping) else None
    group = rows[0]["group"] if rows else ""
    return log_table(
        rows,
        field,
        name,
        taken_of(task or path.stem, chosen, held) if metric is None else "",
        lower_is_better=not direction if isinstance(direction, bool) else None,
        time=named["time"] if named else "",
        settings=_settings_of(results, task),
        is_mean_of_tasks=bool(group) and _is_mean_of_tasks(results, group, f"{field},{kind}"),
    )


def _metrics_of(records: list[Record]) -> dict[str, tuple[str, str]]:
    """Field and filter of each metric by its name, those first that have a number for every sample."""
    filters = dict.fromkeys(str(record.get("filter", "none")) for record in records)
    held: dict[str, tuple[str, str]] = {}
    others: dict[str, tuple[str, str]] = {}
    for record in records:
        kind = str(record.get("filter", "none"))
        for each in record.get("metrics") or [key for key in record if key not in _FIELDS]:
            called = each if len(filters) == 1 else f"{each},{kind}"
            (held if is_score(record.get(each)) else others)[called] = (each, kind)
    return {called: place for called, place in held.items() if called not in others} | others


def _without_filter(metric: str | None) -> str | None:
    """Name of a metric without its filter, as the harness's results write it: "acc,none"."""
    return None if metric is None else metric.partition(",")[0]


# --- results_TIME.json, which the harness writes beside ------------------------------------------------------------------------

_MOST_BYTES = 50_000_000
"""Size of a file of results beyond which it is not read."""


def _results_beside(path: Path, time: str) -> Record:
    """Content of the file of results of the same run; an empty one where there is none that can be read."""
    try:
        found = sorted(each for each in path.parent.glob(f"*_{time}.json") if each.is_file() and not each.is_symlink())
        return _results(found[0], found[0].stat().st_mtime_ns) if len(found) == 1 else {}
    except OSError:
        return {}


def _named_by_arguments(path: Path) -> tuple[str, Record]:
    """Task and results of samples that versions before 0.4.3 called after the arguments of the model and the task."""
    try:
        for beside in sorted(path.parent.glob("*.json"))[:_MOST_BESIDE]:
            results = _results(beside, beside.stat().st_mtime_ns) if beside.is_file() and not beside.is_symlink() else {}
            begin = re.sub("/|=", "__", results.get("model_args", "")) + "_"
            task = path.stem.removeprefix(begin)
            if path.stem.startswith(begin) and task in results.get("results", ()):
                return task, results
    except OSError:
        pass
    return "", {}


_MOST_BESIDE = 200
"""Files of results in a folder that are looked at."""


@lru_cache(maxsize=_MOST_BESIDE)
def _results(path: Path, _changed: int) -> Record:
    if path.stat().st_size > _MOST_BYTES:
        return {}
    try:
        found = parse_log(path.read_bytes(), path.name, share=16)
    except UnreadableSourceError:  # cut short, or of another tool: the samples may be whole
        return {}
    if not isinstance(found, dict) or not isinstance(found.get("results"), dict):
        return {}
    kept = ("results", "groups", "group_subtasks", "higher_is_better", "n-shot", "n-samples", "versions")
    held = {key: found[key] for key in kept if isinstance(found.get(key), dict)}
    arguments = found["config"].get("model_args") if isinstance(found.get("config"), dict) else None
    if isinstance(arguments, str):
        held["model_args"] = arguments
    name = found.get("model_name") or _name_in(held.get("model_args", ""))
    return held | ({"model_name": str(name)} if name else {})


def _name_in(arguments: str) -> str:
    """Name of the model in arguments such as "pretrained=org/a,dtype=float"; that of an adapter on top of it if there is one."""
    found = _arguments(arguments)
    return next((found[key] for key in _MODEL if key in found), "")


def _arguments(text: str) -> dict[str, str]:
    return {key.strip(): value for key, sign, value in (part.partition("=") for part in text.split(",")) if sign}


_MODEL = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Arguments that name the model, those first that say the most."""


def _settings_of(results: Record, task: str) -> tuple[tuple[str, str], ...]:
    """Examples in the prompt, version of the task and arguments of the model, by which two runs of one model may differ."""
    names = {"n-shot": "num_fewshot", "versions": "version"}
    found = ((called, (results.get(key) or {}).get(task)) for key, called in names.items())
    arguments = (pair for pair in _arguments(results.get("model_args", "")).items() if pair[0] not in _MODEL)
    return (*((called, str(value)) for called, value in found if value is not None), *arguments)


def _group_of(results: Record, task: str, metric: str) -> str:
    """Outermost group of the task of which the harness reports a mean that can be told; "" where there is none."""
    children = results.get("group_subtasks") or {}
    above = [name for name, own in children.items() if isinstance(own, list) and task in own]
    outer, seen = "", {task}
    while above:
        name = above.pop()
        if name in seen:
            continue
        seen.add(name)
        if _means_of(results, name, metric) is not None:
            outer = name
        above += [each for each, own in children.items() if isinstance(own, list) and name in own]
    return outer


def _is_mean_of_tasks(results: Record, group: str, metric: str) -> bool:
    means = _means_of(results, group, metric)
    return means is not None and not means[0]


def _means_of(results: Record, group: str, metric: str) -> tuple[bool, bool] | None:
    """Truths: the group's number is the mean of all items, and it is that of the tasks; None where it is neither."""
    leaves = _leaves(results.get("group_subtasks") or {}, group)
    found = [((results.get("groups") or {}).get(group) or {}).get(metric)]
    found += [(results["results"].get(leaf) or {}).get(metric) for leaf in leaves] if results else []
    found += [((results.get("n-samples") or {}).get(leaf) or {}).get("effective") for leaf in leaves]
    numbers = np.array([float(each) for each in found if isinstance(each, int | float)])
    if len(leaves) < 2 or len(numbers) < 1 + 2 * len(leaves):
        return None
    values, sizes = np.split(numbers[1:], 2)
    if not (np.isfinite(numbers).all() and sizes.sum() > 0):
        return None
    over_items, over_tasks = (abs(numbers[0] - mean) <= 1e-9 for mean in (values @ sizes / sizes.sum(), values.mean()))
    return (bool(over_items), bool(over_tasks)) if over_items or over_tasks else None


def _leaves(children: Mapping[str, Any], group: str) -> list[str]:
    """Tasks of a group and of the groups in it."""
    found: dict[str, None] = {}
    todo, seen = [group], {group}
    while todo:
        name = todo.pop(0)
        own = children.get(name)
        if isinstance(own, list) and own:
            todo += [str(each) for each in own if str(each) not in seen]
            seen.update(map(str, own))
        elif name != group:
            found[name] = None
    return list(found)
