"""Runs of the same model from tables and logs: whole runs that stand in several files, in columns, or as epochs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tiebreak.errors import SourceNotFoundError
from tiebreak.printable import printable
from tiebreak.readers.folder import Results, is_folder, read_results
from tiebreak.readers.item_scores import Part, items_of
from tiebreak.readers.read import parts_of
from tiebreak.readers.source import ReadOptions
from tiebreak.readers.tables import Words, as_words
from tiebreak.scores.items import TASK, Items
from tiebreak.scores.vocabulary import look_up


def read_repeats(sources: Sequence[Any], options: ReadOptions, *, same: bool = False) -> tuple[Items, str]:
    """Items in which several runs of a model stand apart, and what the runs are: "runs", or "epochs" of each item.

    A model that stands in several files for the same task was run several times. With `same` all that is read is one model,
    whatever it is called.
    """
    held = [each for source in sources for each in (_inside(source) if _is_results(source) else [source])]
    parts = parts_of(held, options)
    if options.models is not None:
        parts = _of_models(parts, options.models)
    parts = _numbered(parts, same=same)
    has_runs = any(len(set(run.names)) > 1 for run in _runs_by_model(parts).values())
    kind = "runs" if has_runs or not any("epoch" in part.columns for part in parts) else "epochs"
    if kind == "epochs":
        renamed = [
            {("run" if name == "epoch" else name): column for name, column in part.columns.items() if name != "run"}
            for part in parts
        ]
        parts = [dataclasses.replace(part, columns=columns) for part, columns in zip(parts, renamed, strict=True)]
    return items_of(parts, options.metric, options.direction_of(options.metric or "")), kind


def _is_results(source: Any) -> bool:
    return isinstance(source, Results) or is_folder(source)


def _inside(source: Any) -> list[Any]:
    """Logs in a folder, or else its tables of items."""
    found = source if isinstance(source, Results) else read_results(source)
    files = found.of_kind("log") or found.of_kind("items")
    if not files:
        raise SourceNotFoundError(f"{printable(str(found.path))} holds no logs of single samples and no tables of items.")
    return [each.path for each in files]


def _of_models(parts: Sequence[Part], models: Sequence[str]) -> list[Part]:
    """Parts with the rows of these models alone."""
    known = list(dict.fromkeys(name for part in parts for name in as_words(part.columns["model"]).names))
    for name in models:
        look_up(name, known, "model")
    found = []
    for part in parts:
        model = as_words(part.columns["model"])
        codes = [model.names.index(name) for name in models if name in model.names]
        rows = np.flatnonzero(np.isin(model.code, codes))
        columns = {
            name: column.take(rows) if isinstance(column, Words) else column[rows] for name, column in part.columns.items()
        }
        columns["model"] = as_words(columns["model"]).ordered()
        found += [dataclasses.replace(part, columns=columns)] if rows.size else []
    return found


def _runs_by_model(parts: Sequence[Part]) -> dict[str, Words]:
    """Runs of each model over all parts."""
    found: dict[str, dict[str, None]] = {}
    for part in parts:
        pairs = zip(as_words(part.columns["model"]).texts(), as_words(part.columns["run"]).texts(), strict=True)
        for model, run in dict.fromkeys(pairs):
            found.setdefault(model, {})[run] = None
    return {model: Words(tuple(runs), np.zeros(0, dtype=np.int32)) for model, runs in found.items()}


def _numbered(parts: Sequence[Part], *, same: bool) -> list[Part]:
    """Parts with a column "run" that tells apart what is of one model and one task, be it from several parts."""
    common = as_words(parts[0].columns["model"]).texts()[0] if parts else ""
    before: dict[tuple[str, str], int] = {}
    numbered = []
    for part in parts:
        models = as_words(part.columns["model"]).texts()
        tasks = as_words(part.columns[TASK]).texts() if TASK in part.columns else [""] * len(models)
        runs = as_words(part.columns["run"]).texts() if "run" in part.columns else [""] * len(models)
        number = {key: before.get(key, 0) + 1 for key in dict.fromkeys(zip(models, tasks, strict=True))}
        before |= number
        labels = [f"{number[model, task]} {run}".strip() for model, task, run in zip(models, tasks, runs, strict=True)]
        if same:
            labels = [f"{model} {label}" for model, label in zip(models, labels, strict=True)]
            models = [common] * len(models)
        columns = {**part.columns, "run": _as_words(labels), "model": _as_words(models)}
        numbered.append(dataclasses.replace(part, columns=columns))
    return numbered


def _as_words(texts: Sequence[str]) -> Words:
    index: dict[str, int] = {}
    return Words(tuple(dict.fromkeys(texts)), np.array([index.setdefault(text, len(index)) for text in texts], dtype=np.int32))
