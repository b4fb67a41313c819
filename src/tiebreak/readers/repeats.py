"""Runs of the same model from tables and logs: whole runs that stand in several files, in columns, or as epochs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tiebreak.errors import SourceNotFoundError, UnknownNameError
from tiebreak.printable import printable
from tiebreak.readers.folder import Results, is_folder, read_results
from tiebreak.readers.item_tables import LongTable, items_of_tables, named_sources, tables_of, task_of
from tiebreak.scores.items import Items, check_items
from tiebreak.scores.vocabulary import quoted


def read_repeats(
    sources: Sequence[Any],
    *,
    metric: str | None = None,
    lower_is_better: bool | None = None,
    models: Sequence[str] | None = None,
    item: str | None = None,
    same: bool = False,
) -> tuple[Items, str]:
    """Items in which several runs of a model stand apart, and what the runs are: "runs", or "epochs" of each item.

    A model that stands in several files for the same task was run several times. With `same` all that is read is one model,
    whatever it is called.
    """
    held = [each for source in sources for each in (_inside(source) if _is_results(source) else [source])]
    named = [pair for source in held for pair in named_sources(source)]
    tables = tables_of(named, metric, item, "auto")
    if models is not None:
        known = list(dict.fromkeys(str(name) for table in tables for name in table.frame["model"].unique()))
        unknown = next((name for name in models if name not in known), None)
        if unknown is not None:
            raise UnknownNameError(f"no model is called {unknown!r}: there are {quoted(known)}.", about="model")
        tables = [table._replace(frame=table.frame[table.frame["model"].astype(str).isin(models)]) for table in tables]
        tables = [table for table in tables if len(table.frame)]
    tables = _numbered(tables, same=same)
    kind = "runs" if _runs_apart(tables) or not any("epoch" in table.frame for table in tables) else "epochs"
    if kind == "epochs":
        frames = [table.frame.drop(columns="run", errors="ignore") for table in tables]
        renamed = [frame.rename(columns={"epoch": "run"}) for frame in frames]
        tables = [table._replace(frame=frame) for table, frame in zip(tables, renamed, strict=True)]
    return check_items(items_of_tables(tables, [""] * len(tables), metric, lower_is_better)), kind


def _is_results(source: Any) -> bool:
    return isinstance(source, Results) or is_folder(source)


def _inside(source: Any) -> list[Path]:
    """Logs in a folder, or else its tables of items."""
    found = source if isinstance(source, Results) else read_results(source)
    files = found.of_kind("log") or found.of_kind("items")
    if not files:
        raise SourceNotFoundError(f"{printable(str(found.path))} holds no logs of single samples and no tables of items.")
    return [each.path for each in files]


def _runs_apart(tables: Sequence[LongTable]) -> bool:
    """True where a model has several runs."""
    found: dict[str, set[str]] = {}
    for table in tables:
        for model, rows in table.frame.groupby("model"):
            found.setdefault(str(model), set()).update(rows["run"].unique())
    return any(len(runs) > 1 for runs in found.values())


def _numbered(tables: Sequence[LongTable], *, same: bool) -> list[LongTable]:
    """Tables with a column "run" that tells apart what is of one model and one task, be it from several tables."""
    common = "" if not tables else str(tables[0].frame["model"].iloc[0])
    before: dict[tuple[str, str], int] = {}
    numbered = []
    for table in tables:
        frame = table.frame.assign(model=table.frame["model"].astype(str))
        tasks = task_of(frame)
        keys = list(dict.fromkeys(zip(frame["model"], tasks, strict=True)))
        number = {key: before.get(key, 0) + 1 for key in keys}
        before |= number
        own = [str(number[key]) for key in zip(frame["model"], tasks, strict=True)]
        run = frame["run"].astype(str) if "run" in frame else frame["model"].map(lambda _: "")
        label = [" ".join(filter(None, parts)) for parts in zip(own, run, strict=True)]
        if same:
            label = [f"{model} {each}" for model, each in zip(frame["model"], label, strict=True)]
            frame = frame.assign(model=common)
        numbered.append(table._replace(frame=frame.assign(run=label)))
    return numbered
