"""Runs of the same model from tables and logs: whole runs that stand in several files, in columns, or as epochs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tiebreak.errors import SourceNotFoundError
from tiebreak.printable import printable
from tiebreak.readers.folder import Results, is_folder, read_results
from tiebreak.readers.item_scores import items_of
from tiebreak.readers.read import parts_of
from tiebreak.readers.shapes import Long
from tiebreak.readers.source import ReadOptions
from tiebreak.readers.tables import words_of
from tiebreak.scores.items import TASK, Items
from tiebreak.scores.vocabulary import look_up


def read_repeats(sources: Sequence[Any], options: ReadOptions, *, same: bool = False) -> tuple[Items, str]:
    """Items in which several runs of a model stand apart, and what the runs are: "runs", or "epochs" of each item.

    A model that stands in several files for the same task was run several times. With `same` all that is read is one model,
    whatever it is called.
    """
    held = [each for source in sources for each in _inside(source)]
    parts = parts_of(held, options)
    if options.models is not None:
        parts = _of_models(parts, options.models)
    before: Counter[tuple[str, str]] = Counter()
    parts = [_numbered(part, before, parts[0].words["model"].names[0] if same else None) for part in parts]
    runs = {pair for part in parts for pair in zip(*(part.words[key].texts() for key in ("model", "run")), strict=True)}
    is_of_epochs = len(runs) == len({model for model, _ in runs}) and any("epoch" in part.words for part in parts)
    if is_of_epochs:
        renamed = [{**part.words, "run": part.words.get("epoch", part.words["run"])} for part in parts]
        parts = [
            replace(part, words={key: each for key, each in words.items() if key != "epoch"})
            for part, words in zip(parts, renamed, strict=True)
        ]
    return items_of(parts, options.metric, options.direction_of(options.metric or "")), "epochs" if is_of_epochs else "runs"


def _inside(source: Any) -> list[Any]:
    """Logs in a folder, or else its tables of items; any other source itself."""
    if not isinstance(source, Results) and not is_folder(source):
        return [source]
    found = source if isinstance(source, Results) else read_results(source)
    files = found.of_kind("log") or found.of_kind("items")
    if not files:
        raise SourceNotFoundError(f"{printable(str(found.path))} holds no logs of single samples and no tables of items.")
    return [each.path for each in files]


def _of_models(parts: Sequence[Long], models: Sequence[str]) -> list[Long]:
    """Parts with the rows of these models alone."""
    known = list(dict.fromkeys(name for part in parts for name in part.words["model"].names))
    for name in models:
        look_up(name, known, "model")
    found = []
    for part in parts:
        rows = np.flatnonzero(np.isin(part.words["model"].texts(), models))
        words = {key: each.take(rows).ordered() for key, each in part.words.items()}
        found.append(replace(part, words=words, numbers={key: each[rows] for key, each in part.numbers.items()}))
    return [part for part in found if part.models]


def _numbered(part: Long, before: Counter[tuple[str, str]], common: str | None) -> Long:
    """The part with a column "run" that tells apart what is of one model and one task, be it from several parts.

    `before` counts the parts of each model and task so far; all models are one where there is a `common` name.
    """
    models = part.words["model"].texts()
    tasks = part.words[TASK].texts() if TASK in part.words else [""] * len(models)
    before.update(set(zip(models, tasks, strict=True)))
    runs = part.words["run"].texts() if "run" in part.words else [""] * len(models)
    labels = [f"{before[model, task]} {run}".strip() for model, task, run in zip(models, tasks, runs, strict=True)]
    if common is not None:
        labels = [f"{model} {label}" for model, label in zip(models, labels, strict=True)]
        models = [common] * len(models)
    return replace(part, words={**part.words, "run": words_of(labels), "model": words_of(models)})
