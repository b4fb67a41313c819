"""Results as they lie in a folder: what is there, what each file is taken for, and what of it is compared."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tiebreak.errors import (
    AmbiguousSourceError,
    MissingSplitsError,
    SourceNotFoundError,
    TiebreakError,
    TooFewModelsError,
    UnreadableSourceError,
)
from tiebreak.printable import printable
from tiebreak.readers.battles import read_battles
from tiebreak.readers.columns import battle_columns
from tiebreak.readers.folder_names import stem
from tiebreak.readers.item_tables import LongTable, items_of_tables, long_of_file, names_items, task_of, with_main_metric
from tiebreak.readers.logs import is_log
from tiebreak.readers.source import lines_of, parse_log
from tiebreak.readers.table import column_names
from tiebreak.scores.items import TASK, Items, check_items
from tiebreak.scores.vocabulary import Notice, quoted

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.readers.source import ReadOptions

Kind = Literal["log", "items", "scores", "battles", "answer", "store", "study", "means", "floor"]

WORDS: dict[Kind, tuple[str, str]] = {
    "log": ("log of single samples", "logs of single samples"),
    "items": ("table of items", "tables of items"),
    "scores": ("table, perhaps of scores", "tables, perhaps of scores"),
    "battles": ("table of judged battles", "tables of judged battles"),
    "answer": ("saved answer of tiebreak", "saved answers of tiebreak"),
    "store": ("store of runs", "stores of runs"),
    "study": ("study file", "study files"),
    "means": ("file of means only", "files of means only"),
    "floor": ("noise floor, for gates", "noise floors, for gates"),
}
"""Kinds of files, of one and of several."""

_ENDINGS = (".eval", ".jsonl", ".json", ".csv", ".tsv", ".txt", ".parquet", ".db", ".sqlite", ".sqlite3", ".toml")
_NO_RESULTS = frozenset(("node_modules", "__pycache__", "site-packages"))
_START = 4096
"""Bytes of a file by which its kind is told."""

MOST_LOGS = 20_000
"""Logs that are read for one answer."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file in the folder that may hold results.

    Attributes
    ----------
    path : Path
    name : str
        Relative to the folder.
    kind : str
        "log", "items", "scores", "battles", "answer", "store", "study", "means" or "floor".
    """

    path: Path
    name: str
    kind: Kind


@dataclass(frozen=True, eq=False)
class Results:
    """Results in a folder, from `read_results`: print it for the list, `tiebreak.compare` it for the answer.

    Attributes
    ----------
    path : Path
    files : tuple of FoundFile
        Those that may hold results, by name.
    n_files : int
        All files that were met.
    n_links : int
        Links that were not followed: those that lead out of the folder, and those to folders.
    left_out : dict of str to str
        Name of each file that is not compared, and the reason; filled when the files are read.
    remarks : list of str
        What was taken for what, and decided, in words; filled when the files are read.
    set_aside : list of str
        Those of the remarks that name models, tasks or files which are no part of the answer.
    """

    path: Path
    files: tuple[FoundFile, ...]
    n_files: int
    n_links: int = 0
    left_out: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    set_aside: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """The list of what was found."""
        return "\n".join(self.lines())

    def of_kind(self, kind: Kind) -> list[FoundFile]:
        """Files of one kind."""
        return [each for each in self.files if each.kind == kind]

    def lines(self) -> list[str]:
        """List of what was found, what it was taken for, and what is left out, a line each."""
        n_other = self.n_files - len(self.files)
        there = [f"{self.n_files:,} file{'s' if self.n_files != 1 else ''} in {printable(str(self.path))}"]
        counts = Counter(each.kind for each in self.files)
        for kind, (one, several) in WORDS.items():
            if n := counts[kind]:
                names = quoted([each.name for each in self.of_kind(kind)], 2)
                there.append(f"  {n:,} {one if n == 1 else several}: {printable(names)}")
        if n_other:
            there.append(f"  {n_other:,} other{'s' if n_other > 1 else ''}, not opened or without results")
        if self.n_links:
            there.append(f"  {self.n_links:,} link{'s' if self.n_links > 1 else ''}, not followed")
        left = list(self.left_out.items())
        there += [f"  left out: {printable(name)}: {printable(why)}" for name, why in left[:_MOST_NAMED]]
        if len(left) > _MOST_NAMED:
            there.append(f"  left out: {len(left) - _MOST_NAMED:,} more")
        return [*there, *(f"  {printable(text)}" for text in self.remarks)]

    def sources(self, options: ReadOptions) -> list[Any]:
        """Sources that are compared: items of all logs, else the tables, else the saved answers.

        Raises
        ------
        TiebreakError
            There is nothing to compare, or several things of which one must be chosen; the text lists them.
        """
        self._forget()
        chosen = next((kind for kind in _COMPARED if self.of_kind(kind)), None)
        if chosen is None:
            raise SourceNotFoundError(self._nothing())
        rest = [each for kind in _COMPARED for each in self.of_kind(kind) if kind != chosen]
        if rest:
            names = printable(quoted([each.name for each in rest], 3))
            self._set_aside(f"compared: the {WORDS[chosen][1]}; by themselves: tiebreak compare FILE for {names}")
        if self.of_kind("battles"):
            self._set_aside(f"judged battles are rated by themselves: {self._rate()}")
        if chosen == "log":
            return [self._of_logs(options)]
        found = [each.path for each in self.of_kind(chosen)]
        if len(found) > 1 and chosen != "items":
            names = quoted([each.name for each in self.of_kind(chosen)], 6)
            raise AmbiguousSourceError(
                f"{printable(str(self.path))} holds {len(found)} {WORDS[chosen][1]}: {printable(names)}. Say which belong "
                "together: tiebreak compare FILE FILE, or one of them."
            )
        return list(map(str, found))

    def notice(self) -> Notice | None:
        """Remark on what lies in the folder and is no part of the answer; None where nothing is left out, or nothing was read."""
        left = list(self.left_out.items())
        texts = [f"{name}: {why}" for name, why in left[:_MOST_NAMED]]
        if len(left) > _MOST_NAMED:
            texts.append(f"{len(left) - _MOST_NAMED:,} more files")
        texts += self.set_aside
        what = f"the folder {str(self.path)!r} holds more than this answer takes in"
        return Notice("left-out-of-folder", f"{what} ({'; '.join(texts)})") if texts else None

    def _set_aside(self, text: str) -> None:
        """Remark on what is no part of the answer."""
        self.remarks.append(text)
        self.set_aside.append(text)

    def _forget(self) -> None:
        """Empty what an earlier reading found."""
        for found in (self.left_out, self.remarks, self.set_aside):
            found.clear()

    def _rate(self) -> str:
        """Command that rates the battles of the folder."""
        return f"tiebreak rate {_quoted(self.path)}"

    def battles(self) -> list[str]:
        """Paths of the tables of judged battles that can be read, without those that hold the same as another; [] for none."""
        self._forget()
        seen: dict[bytes, str] = {}
        kept = []
        for each in self.of_kind("battles"):
            try:
                read_battles(each.path)
                content = _content_of(each.path)
            except TiebreakError as error:
                self.left_out[each.name] = str(error).removeprefix(str(each.path)).lstrip(":, ")
                continue
            except OSError as error:
                self.left_out[each.name] = f"cannot be read: {error.strerror or error}"
                continue
            if content in seen:
                self.left_out[each.name] = f"holds the same as {seen[content]}"
            else:
                seen[content] = each.name
                kept.append(str(each.path))
        if self.of_kind("battles") and not kept:
            raise SourceNotFoundError(
                f"none of the {len(self.of_kind('battles'))} tables of battles in {printable(str(self.path))} can be read; the "
                f"first: {printable(next(iter(self.left_out)))}: {next(iter(self.left_out.values()))}"
            )
        if kept and (rest := [each for kind in _COMPARED for each in self.of_kind(kind)]):
            names = printable(quoted([each.name for each in rest], 3))
            self.remarks.append(f"rated: the {WORDS['battles'][1]}; by themselves: tiebreak compare FILE for {names}")
        return kept

    def _nothing(self) -> str:
        """Message on a folder without anything to compare."""
        name = printable(str(self.path))
        if battles := self.of_kind("battles"):
            files = printable(quoted([each.name for each in battles], 2))
            return f"{name} holds no scores to compare, but judged battles ({files}): '{self._rate()}' rates their models."
        if means := self.of_kind("means"):
            return (
                f"{name} holds means only ({printable(quoted([each.name for each in means], 2))}), which say nothing of how sure "
                "they are. Evaluate with the samples kept: lm_eval --log_samples; of Every Eval Ever the JSON lines beside."
            )
        if stores := self.of_kind("store"):
            return (
                f"{name} holds no scores to compare, but a store: 'tiebreak runs --store sqlite:///{stores[0].path}' lists its "
                "runs."
            )
        if studies := self.of_kind("study"):
            return f"{name} holds no results yet, but a study: 'tiebreak run {_typed(studies[0])}' measures its models."
        return (
            f"{name} holds no results that tiebreak reads among {self.n_files:,} file{'s' if self.n_files != 1 else ''}: logs of "
            "lm-evaluation-harness (samples_*.jsonl), Inspect (.eval, .json), HELM (per_instance_stats.json), Every Eval Ever, "
            "promptfoo (JSON), SWE-bench (reports); judgements of AlpacaEval, FastChat, Arena-Hard; tables (.csv, .tsv, .jsonl, "
            ".parquet), answers saved with --format json."
        )

    # --- logs ---------------------------------------------------------------------------------------------------------------

    def _of_logs(self, options: ReadOptions) -> Items:
        """Items of all logs, on the tasks that all models share."""
        logs = self.of_kind("log")
        if len(logs) > MOST_LOGS:
            raise AmbiguousSourceError(
                f"{printable(str(self.path))} holds {len(logs):,} logs; at most {MOST_LOGS:,} are read at once. Name a "
                "folder in it."
            )
        kept: list[FoundFile] = []
        first: list[LongTable] = []
        for each in logs:
            try:
                first.append(long_of_file(each.path, each.name, None))
                kept.append(each)
            except TiebreakError as error:
                self.left_out[each.name] = str(error).removeprefix(each.name).lstrip(":, ")
            except OSError as error:
                self.left_out[each.name] = f"cannot be read: {error.strerror or error}"
        if not kept:
            raise SourceNotFoundError(
                f"none of the {len(logs)} logs in {printable(str(self.path))} can be read; the first: "
                f"{printable(next(iter(self.left_out)))}: {next(iter(self.left_out.values()))}"
            )
        tables = first
        if options.metric is not None:
            tables = with_main_metric([_reading(each, own) for each, own in zip(kept, first, strict=True)], options.metric)
        kept, tables = self._without_copies(kept, tables)
        kept, tables = self._latest(kept, tables)
        tables = self._named_apart(kept, tables)
        if options.models is not None:
            tables = [table._replace(frame=table.frame[table.frame["model"].isin(options.models)]) for table in tables]
            tables = [table for table in tables if len(table.frame)] or tables
        tables = self._on_shared_tasks(self._of_the_same_samples(tables))
        direction = options.direction_of(options.metric or "")
        items = check_items(items_of_tables(tables, [""] * len(tables), options.metric, direction, options.cluster))
        self._describe(items, len(tables))
        return items

    def _without_copies(self, files: Sequence[FoundFile], tables: Sequence[LongTable]) -> tuple[list[FoundFile], list[LongTable]]:
        """Without logs that hold the very scores of another."""
        seen: dict[str, str] = {}
        kept = []
        for place, (each, table) in enumerate(zip(files, tables, strict=True)):
            columns = [name for name in ("model", TASK, "item", "epoch", "score") if name in table.frame]
            key = table.frame[columns].astype(str).sort_values(columns).to_csv(index=False)
            if key in seen:
                self.left_out[each.name] = f"holds the same scores as {seen[key]}: the same run twice"
            else:
                seen[key] = each.name
                kept.append(place)
        return [files[place] for place in kept], [tables[place] for place in kept]

    def _latest(self, files: Sequence[FoundFile], tables: Sequence[LongTable]) -> tuple[list[FoundFile], list[LongTable]]:
        """Without runs that were done again: those that were not finished, and beside other models all but the latest.

        Runs of one model on one task are the same thing done again where they lie in one folder and say no other settings.
        """
        again: dict[tuple[Any, ...], list[int]] = {}
        for place, (each, table) in enumerate(zip(files, tables, strict=True)):
            again.setdefault((each.path.parent, tuple(_keys(table.frame)), table.settings), []).append(place)
        n_models = len({model for table in tables for model, _ in _keys(table.frame)})
        out: set[int] = set()
        for places in again.values():
            whole = [place for place in places if tables[place].is_whole] or places
            for place in set(places) - set(whole):
                out.add(place)
                self.left_out[files[place].name] = f"was not finished; {files[whole[0]].name} is"
            last = max(whole, key=lambda place: tables[place].time)
            if n_models < 2 or not all(tables[place].time for place in whole):
                continue
            for place in set(whole) - {last}:
                out.add(place)
                self.left_out[files[place].name] = f"an earlier run; the latest is compared: {files[last].name}"
        kept = [place for place in range(len(files)) if place not in out]
        return [files[place] for place in kept], [tables[place] for place in kept]

    def _named_apart(self, files: Sequence[FoundFile], tables: Sequence[LongTable]) -> list[LongTable]:
        """Tables in which runs of one model on one task have names of their own: the folder's, the file's, or a number."""
        tables = _tasks_of_plain_names(files, tables)
        runs: dict[tuple[str, str], list[int]] = {}
        for place, table in enumerate(tables):
            for key in _keys(table.frame):
                runs.setdefault(key, []).append(place)
        again = {model: [places for (name, _), places in runs.items() if name == model] for model, _ in runs}
        again = {model: places for model, places in again.items() if any(len(each) > 1 for each in places)}
        named = list(tables)
        for model, groups in again.items():
            own = sorted({place for places in groups for place in places})
            folders = {place: _folder_of(files[place].path.relative_to(self.path), model) for place in own}
            stems = {place: stem(files[place].path) for place in own}
            numbers = {place: f"run {1 + places.index(place)}" for places in groups for place in places}
            settings = _differing({place: dict(named[place].settings) for place in own})
            fitting = (settings, folders, stems) if len(groups) == 1 else (settings, folders)
            tags = next((tag for tag in fitting if all(len({tag[p] for p in each}) == len(each) for each in groups)), numbers)
            for place in own:
                frame = named[place].frame
                name = f"{model} ({tags[place]})"
                named[place] = named[place]._replace(frame=frame.assign(model=frame["model"].astype(str).replace(model, name)))
            several = sorted({f"{model} ({tags[place]})" for place in own})
            self.remarks.append(f"{model!r} was evaluated {len(several)} times on a task: {quoted(several, 4)} are compared")
        return named

    def _of_the_same_samples(self, tables: Sequence[LongTable]) -> list[LongTable]:
        """Rows of the tasks whose samples are the same in all logs, by their hashes; the others are named, if any are left."""
        import pandas as pd

        hashed = [table.frame for table in tables if "item_hash" in table.frame]
        if not hashed:
            return list(tables)
        columns = [frame[["item", "item_hash"]].assign(task=task_of(frame)).astype({"item": str}) for frame in hashed]
        n_contents = pd.concat(columns).groupby(["task", "item"])["item_hash"].nunique()
        differ = n_contents[n_contents > 1].groupby("task").size()
        tasks = {task for table in tables for _, task in _keys(table.frame)}
        if differ.empty or tasks <= set(differ.index):
            return list(tables)  # without a task of the same samples, an error says so
        for task, n in differ.items():
            self._set_aside(
                f"task {task!r} is left out: {n} of its samples are not the same in all logs, as if they were drawn or ordered "
                "in another way; evaluate all models on the same samples"
            )
        kept = [table._replace(frame=table.frame[~task_of(table.frame).isin(differ.index)]) for table in tables]
        return [table for table in kept if len(table.frame)]

    def _on_shared_tasks(self, tables: Sequence[LongTable]) -> list[LongTable]:
        """Rows of the tasks that all models have; the others are named."""
        has: dict[str, dict[str, None]] = {}
        for table in tables:
            for model, task in _keys(table.frame):
                has.setdefault(task, {})[model] = None
        models = list(dict.fromkeys(model for own in has.values() for model in own))
        if len(models) < 2:
            tasks = f" on {quoted(list(has), 3)}" if list(has) != [""] else ""
            raise TooFewModelsError(
                f"{printable(str(self.path))} holds results of one model only, {models[0]!r}{tasks}. Put those of another beside "
                "them, or name both folders' files: tiebreak compare FILE FILE."
            )
        shared, compared = _largest_table(has)
        if len(compared) < 2 or not shared:
            listed = "; ".join(f"{quoted([task])} has {quoted(list(own), 3)}" for task, own in list(has.items())[:4])
            raise MissingSplitsError(
                f"no task in {printable(str(self.path))} was answered by two models or more: {listed}. Put the results of "
                "another model on one of these tasks beside them."
            )
        if without := [name for name in models if name not in compared]:
            self._set_aside(
                f"left out: {quoted(without, 4)}, which share{'s' if len(without) == 1 else ''} too few tasks with the others; "
                f"choose with --models NAME --models NAME"
            )
        lacking: dict[tuple[str, ...], list[str]] = {}
        for task, own in has.items():
            absent = tuple(name for name in compared if name not in own)
            if task not in shared and len(absent) < len(compared):
                lacking.setdefault(absent, []).append(task)
        for absent, lost in lacking.items():
            s = "s" if len(absent) == 1 else ""
            what, it = (f"task {lost[0]!r} is", "it") if len(lost) == 1 else (f"tasks {quoted(lost, 3)} are", "them")
            self._set_aside(f"{what} left out: {quoted(absent, 3)} lack{s} {it}")
        if len(shared) == len(has) and not without:
            return list(tables)
        kept = []
        for table in tables:
            is_kept = task_of(table.frame).isin(shared) & table.frame["model"].astype(str).isin(compared)
            kept.append(table._replace(frame=table.frame[is_kept]))
        return [table for table in kept if len(table.frame)]

    def _describe(self, items: Items, n_logs: int) -> None:
        """Say of what the answer is."""
        tasks = dict.fromkeys(items.columns.get(TASK, ()))
        on = f" on {len(tasks)} task{'s' if len(tasks) > 1 else ''} ({quoted(list(tasks), 4)})" if any(tasks) else ""
        present = np.asarray(~np.isnan(items.score).all(axis=1))
        self.remarks.append(
            f"compared: {len(items.models)} models{on}, {len(items.items):,} {items.unit}s, by {items.metric.name}, from "
            f"{n_logs} log{'s' if n_logs != 1 else ''}"
        )
        lacking = present.shape[1] - present.sum(axis=1)
        for model, n in zip(items.models, lacking.tolist(), strict=True):
            if n:
                absent = quoted([items.items[i] for i in np.flatnonzero(~present[items.models.index(model)])], 3)
                self.remarks.append(f"{model!r} lacks {n} of the {len(items.items):,} {items.unit}s: {absent}")
        self.remarks.extend(items.sources)


_COMPARED: tuple[Kind, ...] = ("log", "items", "scores", "answer")
"""Kinds that are compared, the first that is there."""

_MOST_NAMED = 5
"""Files left out that are named."""


def _reading(file: FoundFile, own: LongTable) -> Callable[[str | None], LongTable]:
    """Table of a log by metric, of which that of its main one is read already."""
    return lambda metric: own if metric is None else long_of_file(file.path, file.name, metric)


def _typed(file: FoundFile) -> str:
    """Path of a file as it is typed."""
    return _quoted(file.path)


def _quoted(path: Path) -> str:
    import shlex

    return shlex.quote(printable(str(path)))


def _content_of(path: Path) -> bytes:
    """Hash of what a file holds."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _folder_of(path: Path, model: str) -> str:
    """Folder of a file, without the one that the harness calls after the model, where others are above."""
    parts = path.parent.parts
    return "/".join(parts[:-1] if len(parts) > 1 and parts[-1].replace("__", "/") == model else parts)


def _differing(settings: Mapping[int, Mapping[str, str]]) -> dict[int, str]:
    """Settings by which runs of one model differ, of each, in words."""
    names = dict.fromkeys(name for own in settings.values() for name in own)
    differ = [name for name in names if len({own.get(name, "") for own in settings.values()}) > 1]
    return {place: ", ".join(f"{name}={own[name]}" for name in differ if name in own) for place, own in settings.items()}


def _keys(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Models and tasks of a table."""
    return list(dict.fromkeys(zip(frame["model"].astype(str), task_of(frame), strict=True)))


def _largest_table(has: Mapping[str, Mapping[str, None]]) -> tuple[list[str], list[str]]:
    """Tasks and models that make the largest table without gaps: all models where they share a task and few tasks go with it."""
    models = list(dict.fromkeys(model for own in has.values() for model in own))
    sets = {frozenset(models), *(frozenset(own) for own in has.values())}
    sets |= {one & other for one in sets for other in sets} if len(sets) <= _MOST_SETS else set()

    def tasks_of(some: frozenset[str]) -> list[str]:
        return [task for task, own in has.items() if some <= own.keys()]

    def size(some: frozenset[str]) -> tuple[bool, int, int, list[int]]:
        return (
            len(some) > 1 and bool(tasks_of(some)),
            len(some) * len(tasks_of(some)),
            len(some),
            sorted(-models.index(each) for each in some),
        )

    best = max(sets, key=size)
    return tasks_of(best), [model for model in models if model in best]


_MOST_SETS = 100
"""Sets of models of which what every two share is tried too."""


def _tasks_of_plain_names(files: Sequence[FoundFile], tables: Sequence[LongTable]) -> list[LongTable]:
    """Samples of the harness without a time in their name: of one name in several folders a task of each folder's model."""
    plain = [
        place
        for place, each in enumerate(files)
        if each.path.match("samples_*.jsonl") and not any(task_of(tables[place].frame))
    ]
    folders: dict[str, set[Path]] = {}
    for place in plain:
        folders.setdefault(files[place].path.stem, set()).add(files[place].path.parent)
    found = list(tables)
    for place in plain:
        if len(folders[files[place].path.stem]) > 1:
            path = files[place].path
            model, task = path.parent.name.replace("__", "/"), stem(path)
            found[place] = found[place]._replace(frame=found[place].frame.assign(model=model, task=task))
    return found


# --- the scan -----------------------------------------------------------------------------------------------------------------


def is_folder(source: Any) -> bool:
    """True for the path of a folder, unless it is called like a file."""
    is_path = isinstance(source, str | os.PathLike)
    return is_path and os.path.isdir(source) and not os.fspath(source).lower().endswith(_ENDINGS)  # noqa: PTH112  (Path raises for a name that is too long)


def read_results(path: str | os.PathLike[str]) -> Results:
    """Find the results that lie in a folder: logs of evaluations, tables, saved answers, stores, study files.

    Nothing outside the folder is read: links out of it, and links to folders, are counted and not followed; hidden folders are
    passed by. Files are told by their ending and their beginning; their scores are read when they are compared.

    Parameters
    ----------
    path : str or path-like
        A folder.

    Returns
    -------
    Results
        Print it for what was found; pass it, or the folder itself, to `compare`.

    Raises
    ------
    SourceNotFoundError
        There is no such folder.

    Examples
    --------
    >>> import tempfile, tiebreak as tb
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tb.read_results(folder).n_files
    0
    """
    folder = Path(path)
    if not folder.is_dir():
        raise SourceNotFoundError(f"{printable(str(path))} is no folder. Pass a folder with results, or its files to compare.")
    root = os.path.realpath(folder)
    files, n_files, n_links = [], 0, 0
    for entry, is_link in _walk(str(folder), root):
        if is_link:
            n_links += 1
            continue
        n_files += 1
        if entry.lower().endswith(_ENDINGS):
            found = Path(entry)
            kind = _kind_of(found)
            if kind is not None:
                files.append(FoundFile(found, found.relative_to(folder).as_posix(), kind))
    files.sort(key=lambda each: each.name)
    return Results(folder, tuple(files), n_files, n_links)


def _walk(folder: str, root: str) -> Iterator[tuple[str, bool]]:
    """Paths of all files below a folder, and of links that are not followed, which the second value says."""
    todo = [folder]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_symlink():
                        target = os.path.realpath(entry.path)
                        is_inside = os.path.commonpath([root, target]) == root and os.path.isfile(target)  # noqa: PTH113
                        yield entry.path, not is_inside
                    elif entry.is_dir(follow_symlinks=False):
                        if entry.name not in _NO_RESULTS:
                            todo.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        yield entry.path, False
        except OSError:
            continue  # a folder that may not be read


def _kind_of(path: Path) -> Kind | None:
    """Kind of a file, by its ending and its beginning; None for what holds no results."""
    ending = path.suffix.lower()
    if ending == ".eval":
        return "log"
    try:
        with path.open("rb") as file:
            start = file.read(_START)
        if ending in (".db", ".sqlite", ".sqlite3"):
            return "store" if start.startswith(b"SQLite format 3\0") else None
        if ending == ".toml":
            return "study" if b"[models" in start and b"[data" in start else None
        if not start.strip():
            return None
        if ending in (".json", ".jsonl"):
            return _kind_of_json(path, start)
        if ending == ".parquet" and not start.startswith(b"PAR1"):
            return None
        names = [name for name in column_names(path) if name.strip()]
    except (OSError, TiebreakError):
        return None
    if battle_columns(names):
        return "battles"
    is_prose = ending == ".txt" and not names_items(names) and not {"model", "score"} <= set(map(str.casefold, names))
    if len(names) < 2 or is_prose:
        return None
    return "items" if names_items(names) else "scores"


def holds_only_battles(path: str | os.PathLike[str]) -> bool:
    """True for a folder with tables of judged battles and nothing that `compare` takes, of which the first ends the search."""
    holds_battles = False
    for entry, is_link in _walk(os.fspath(path), os.path.realpath(path)):
        kind = None if is_link or not entry.lower().endswith(_ENDINGS) else _kind_of(Path(entry))
        if kind in _COMPARED:
            return False
        holds_battles = holds_battles or kind == "battles"
    return holds_battles


_KEY = re.compile(rb'"([A-Za-z_12]{1,20})"\s*:')
_LONG_START = 1 << 16
"""Bytes within which the first record of a table of judged answers names its columns, beside long texts."""


def _keys_of(path: Path) -> list[str]:
    """Short keys in the beginning of a JSON file."""
    with path.open("rb") as file:
        return [key.decode() for key in _KEY.findall(file.read(_LONG_START))]


_OF_TIME = re.compile(r"^results(_|$)|_\d{4}-\d\d-\d\dT[\d.:-]+$")
"""Names of the files in which lm-evaluation-harness writes means."""


def _keys_of_first(path: Path) -> list[str]:
    """Keys of the first record of JSON lines."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        line = next((line for _, line in lines_of(file, printable(str(path))) if line.strip()), "")
    try:
        found = parse_log(line, path.name)
    except UnreadableSourceError:  # whoever reads it says what is wrong
        return []
    return list(found) if isinstance(found, dict) else []


def _kind_of_json(path: Path, start: bytes) -> Kind | None:
    first = start.lstrip()
    if path.suffix.lower() == ".jsonl":
        if is_log(path):
            return "log"
        names = _keys_of_first(path)
        if battle_columns(names):
            return "battles"
        return "items" if names_items(names) else None
    if not first.startswith((b"{", b"[")):
        return None
    if b'"evaluation_results"' in start:
        return "means"
    if is_log(path):
        return "log"
    if _OF_TIME.search(path.stem) and b'"results"' in start:
        return "means"
    if b'"schema"' in first[:100] and b'"tiebreak"' in first[:200]:
        return "floor" if b'"noise_floor"' in first[:300] else "answer"
    if battle_columns(_keys_of(path)):
        return "battles"
    if first.startswith(b"{"):
        return None
    names = column_names(path)
    return "items" if names_items(names) else "scores" if {"model", "score"} <= set(names) else None
