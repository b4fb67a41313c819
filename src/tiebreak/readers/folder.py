"""Results as they lie in a folder: what is there, what each file is taken for, and what of it is compared."""

import os
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from tiebreak.errors import DataError, Setting, SourceNotFoundError, TiebreakError, UnclearSourceError
from tiebreak.printable import printable
from tiebreak.readers.header import WEAK, battle_columns, plain, role_of
from tiebreak.readers.item_scores import items_of
from tiebreak.readers.logs import format_of, read_log, read_logs
from tiebreak.readers.long import Long
from tiebreak.readers.resamples import RESAMPLE
from tiebreak.readers.source import ReadOptions, Source
from tiebreak.readers.tables import column_names
from tiebreak.scores.items import TASK, Items
from tiebreak.scores.vocabulary import Notice, quoted

Kind = Literal["log", "items", "resamples", "scores", "answer", "battles", "means", "store", "study", "floor", "link"]

KINDS: dict[Kind, tuple[str, str, str]] = {
    "log": ("log of single samples", "logs of single samples", ""),
    "items": ("table of items", "tables of items", "items, by themselves: tiebreak compare FILE"),
    "resamples": (
        "result of one resample",
        "results of one resample each",
        "a result of a resample: tiebreak compare FILE FILE",
    ),
    "scores": ("table, perhaps of scores", "tables, perhaps of scores", "perhaps scores, by themselves: tiebreak compare FILE"),
    "answer": ("saved answer of tiebreak", "saved answers of tiebreak", "a saved answer, by itself: tiebreak compare FILE"),
    "battles": (
        "table of judged battles",
        "tables of judged battles",
        "judged battles: 'tiebreak rate FOLDER' rates their models",
    ),
    "means": (
        "file of means only",
        "files of means only",
        "means only, which do not say how sure they are: evaluate with the samples kept, as by lm_eval --log_samples",
    ),
    "store": ("store of runs", "stores of runs", "a store: 'tiebreak runs --store sqlite:///FILE' lists its runs"),
    "study": ("study file", "study files", "a study: 'tiebreak run FILE' measures its models"),
    "floor": ("noise floor, for gates", "noise floors, for gates", "a noise floor, for gates"),
    "link": ("link or device, not followed", "links or devices, not followed", "a link or device, which is not followed"),
}
"""Kinds of files: what one and several are called, and what can be done with those that are not compared."""

COMPARED: tuple[Kind, ...] = ("log", "items", "resamples", "scores", "answer")
"""Kinds that are compared, the first that is there."""

_ENDINGS = (".eval", ".jsonl", ".json", ".csv", ".tsv", ".txt", ".parquet", ".db", ".sqlite", ".sqlite3", ".toml")

_MARKS: tuple[tuple[Kind | None, str, bytes], ...] = (
    ("resamples", r"^testresample\d+\.csv$", RESAMPLE),
    (None, r"^trainresample\d+\.csv$", RESAMPLE),
    ("store", r"\.(db|sqlite3?)$", rb"\ASQLite format 3\0"),
    ("study", r"\.toml$", rb"(?s)\[data.*\[models|\[models.*\[data"),
    ("means", r"\.json$", rb'"evaluation_results"'),
    ("means", r"(^results(_.*)?|_\d{4}-\d\d-\d\dt[\d.:-]+)\.json$", rb'\A\s*\{\s*"results"'),
    ("floor", r"\.json$", rb'(?s)\A\s*\{\s*"schema".{0,200}"noise_floor"'),
    ("answer", r"\.json$", rb'(?s)\A\s*\{\s*"schema".{0,100}"tiebreak"'),
)
"""Kinds that are told by the name of a file and by what stands in its beginning."""


class FoundFile(NamedTuple):
    """A file in the folder that may hold results.

    Attributes
    ----------
    name : str
        Relative to the folder.
    path : Path
    kind : str
        "log", "items", "resamples", "scores", "answer", "battles", "means", "store", "study" or "floor"; "link" where it is not
        followed.
    """

    name: str
    path: Path
    kind: Kind


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """Results in a folder, from `read_results`: print it for the list, `tiebreak.compare` it for the answer.

    Attributes
    ----------
    path : Path
    files : tuple of FoundFile
        Those that may hold results, by name, and links that are not followed.
    n_files : int
        All files that were met.
    left_out : dict of str to str
        Name of each file and task that is not compared, and the reason; filled when the files are read.
    remarks : list of str
        What was taken for what, in words; filled when the files are read.
    """

    path: Path
    files: tuple[FoundFile, ...]
    n_files: int
    left_out: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """List of what was found, what it was taken for, and what is left out."""
        found = {words: names for kind, words in KINDS.items() if (names := [each.name for each in self.of_kind(kind)])}
        lines = (
            f"{self.n_files:,} file{'s' * (self.n_files != 1)} in {self.path}",
            *(f"  {len(names):,} {words[len(names) > 1]}: {quoted(names, 2)}" for words, names in found.items()),
            *([f"  {n:,} other{'s' * (n > 1)}, not opened or without results"] if (n := self.n_files - len(self.files)) else []),
            *([f"  left out: {_listed(self.left_out)}"] if self.left_out else []),
            *(f"  {text}" for text in self.remarks),
        )
        return "\n".join(map(printable, lines))

    def of_kind(self, kind: Kind) -> list[FoundFile]:
        """Files of one kind."""
        return [each for each in self.files if each.kind == kind]

    def notice(self) -> Notice | None:
        """Remark on what lies in the folder and is no part of the answer; None where that is nothing."""
        return Notice("read-as", f"left out of {str(self.path)!r}: {_listed(self.left_out)}") if self.left_out else None

    def sources(self, options: ReadOptions) -> list[Any]:
        """Sources that are compared: items of all logs, else the tables, else the saved answers.

        Raises
        ------
        TiebreakError
            There is nothing to compare, or several things of which one must be chosen; the text lists them.
        """
        chosen = next((kind for kind in COMPARED if self.of_kind(kind)), None)
        others = {
            each.name: KINDS[each.kind][2]
            for each in self.files
            if each.kind != chosen and (chosen is None or each.kind in (*COMPARED, "battles"))
        }
        if chosen is None:
            raise SourceNotFoundError(
                f"{printable(str(self.path))} holds no scores to compare, but {printable(_listed(others))}."
                if others
                else f"{printable(str(self.path))} holds no results that tiebreak reads among {self.n_files:,} "
                f"file{'s' * (self.n_files != 1)}: logs of lm-evaluation-harness (samples_*.jsonl), Inspect (.eval, .json), HELM "
                "(per_instance_stats.json), Every Eval Ever, promptfoo, EvalPlus, LiveCodeBench (JSON), SWE-bench (reports), "
                "Terminal-Bench, nnU-Net; annotations of AlpacaEval; tables (.csv, .tsv, .jsonl, .parquet), answers saved with "
                "--format json. JSON files of single runs are passed by name, as in FOLDER/*.json."
            )
        found = (
            [Source(self._items(options).as_scores(), "the items")]
            if chosen == "log"
            else [str(each.path) for each in self.of_kind(chosen)]
        )
        if len(found) > 1 and chosen not in ("items", "resamples"):
            raise UnclearSourceError(
                f"{printable(str(self.path))} holds {len(found)} {KINDS[chosen][1]}: "
                f"{printable(quoted([each.name for each in self.of_kind(chosen)], 6))}. Say which belong together: tiebreak "
                "compare FILE FILE, or one of them."
            )
        self.left_out.update(others)
        return found

    def _items(self, options: ReadOptions) -> Items:
        """Items of the logs, and a remark that says what they are."""
        logs = self._logs()
        if options.metric is not None:
            files = [(file.path, file.name) for file in logs]
            logs = dict(zip(logs, read_logs(files, options.metric, is_main=True), strict=True))
        items = items_of(
            self._compared(logs, options.models), options.metric, options.direction_of(options.metric or ""), options.cluster
        )
        tasks = [task for task in dict.fromkeys(items.columns.get(TASK, ())) if task]
        of_tasks = f"; tasks: {quoted(tasks, 4)}" if tasks else ""
        self.remarks[:] = [
            f"compared: {len(items.models)} models, {len(items.items):,} {items.unit}s, by {items.metric.name}{of_tasks}",
            *items.sources,
        ]
        return items

    def _logs(self) -> dict[FoundFile, Long]:
        """Logs that can be read, of those that hold the same the first; the others are left out by name."""
        self.left_out.clear()
        first: dict[Hashable, FoundFile] = {}
        logs = {}
        for file in self.of_kind("log"):
            try:
                log = read_log(file.path, file.name, is_main=True)
                names = tuple(tuple(log.words[name].texts()) for name in ("model", TASK, "item") if name in log.words)
                said = (names, log.numbers["score"].tobytes())
                if first.setdefault(said, file) is file:
                    logs[file] = log
                else:
                    self.left_out[file.name] = f"holds the same as {first[said].name}"
            except (TiebreakError, OSError) as error:
                self.left_out[file.name] = str(error).removeprefix(printable(file.name)).lstrip(":, ")
        return logs

    def _compared(self, logs: Mapping[FoundFile, Long], wanted: Sequence[str] | None) -> list[Long]:
        """Newest log of each model and task, on the tasks that all models have.

        Runs of a model with other settings, or in other folders, are models of their own that are called after what tells them
        apart.
        """
        parts = []
        for file, log in sorted(logs.items(), key=lambda run: (run[1].is_whole, run[1].time)):
            # settings of the run and folders in which it lies; its name too where it says neither its settings nor its time
            own_name = () if log.time or log.settings else (file.path.stem,)
            said = (*(f"{name}={value}" for name, value in log.settings), *Path(file.name).parts[:-1], *own_name)
            tasks = log.words[TASK].texts() if TASK in log.words else [""] * log.numbers["score"].size
            rows: dict[tuple[str, str], list[int]] = {}
            for row, pair in enumerate(zip(log.words["model"].texts(), tasks, strict=True)):
                rows.setdefault(pair, []).append(row)
            parts += [((*pair, said), file, log.take(np.array(own))) for pair, own in rows.items()]
        newest = {key: (file, part) for key, file, part in parts}  # the last one: the newest of those that were finished, if any
        used = {file for file, _ in newest.values()}
        self.left_out.update(
            {
                file.name: f"{'done again' if part.is_whole else 'not finished'}: {newest[key][0].name} is compared"
                for key, file, part in parts
                if file not in used
            }
        )
        runs: dict[tuple[str, str], list[frozenset[str]]] = {}
        for model, task, own in newest:
            runs.setdefault((model, task), []).append(frozenset(own))
        telling = {
            (model, word) for (model, _), sets in runs.items() for word in sets[0].union(*sets) - sets[0].intersection(*sets)
        }
        tags = {key: ", ".join(word for word in key[2] if (key[0], word) in telling) for key in newest}
        names = {key: f"{key[0]} ({tag})" if tag else key[0] for key, tag in tags.items()}
        has: dict[str, list[str]] = {}
        for (_, task, _), name in names.items():
            has.setdefault(task, []).append(name)
        models = [name for name in dict.fromkeys(names.values()) if not wanted or name in wanted]
        lacking = {task: [name for name in models if name not in own] for task, own in has.items()}
        if len(models) < 2 or all(lacking.values()):
            found = _listed({task or "the items": quoted(own, 3) for task, own in has.items()}) or "none that can be read"
            raise DataError(
                f"a comparison takes two models or more that answered the same tasks; in {printable(str(self.path))} are "
                f"{printable(found)} (left out: {printable(_listed(self.left_out)) or 'nothing'}). Add what is missing, compare "
                "single files (tiebreak compare FILE FILE), or choose with ",
                Setting("models"),
                " which are compared.",
            )
        self.left_out.update({f"task {task!r}": f"not answered by {quoted(own, 3)}" for task, own in lacking.items() if own})
        return [
            part.with_models({key[0]: names[key]})
            for key, (_, part) in sorted(newest.items(), key=lambda each: each[1][0])
            if not lacking[key[1]] and names[key] in models
        ]


def _listed(reasons: Mapping[str, str]) -> str:
    """Names with what is said of them, on one line."""
    texts = [f"{name}: {why}" for name, why in reasons.items()]
    return "; ".join([*texts[:5], *([f"{len(texts) - 5:,} more"] if len(texts) > 5 else [])])


# --- the scan -----------------------------------------------------------------------------------------------------------------


def is_folder(source: Any) -> bool:
    """True for the path of a folder, unless it is called like a file."""
    return (
        isinstance(source, str | os.PathLike)
        and os.path.isdir(source)  # noqa: PTH112  (Path raises for a name that is too long)
        and not os.fspath(source).lower().endswith(_ENDINGS)
    )


def with_folders(sources: Sequence[Any]) -> list[Any]:
    """The sources, with what was found in it in the place of each folder."""
    return [read_results(each) if is_folder(each) else each for each in sources]


def read_results(path: str | os.PathLike[str]) -> Results:
    """Find the results that lie in a folder: logs of evaluations, tables, saved answers, stores, study files.

    Nothing outside the folder is read: links out of it, and links to folders, are listed and not followed; hidden folders are
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
    kinds: dict[str, Kind | None] = {}
    for top, folders, names in os.walk(folder):
        folders[:] = [
            name for name in folders if not name.startswith(".") and name not in ("node_modules", "__pycache__", "site-packages")
        ]
        kinds |= {path: "link" for name in folders if os.path.islink(path := os.path.join(top, name))}  # noqa: PTH114, PTH118
        files = (os.path.join(top, name) for name in names if not name.startswith("."))  # noqa: PTH118
        kinds |= {path: _kind_of(Path(path), folder) if path.lower().endswith(_ENDINGS) else None for path in files}
    found = [FoundFile(Path(path).relative_to(folder).as_posix(), Path(path), kind) for path, kind in kinds.items() if kind]
    return Results(folder, tuple(sorted(found)), len(kinds))


def _kind_of(path: Path, root: Path) -> Kind | None:
    """Kind of a file in the folder `root`, by its name and its beginning; None for what holds no results."""
    try:
        if not path.is_file() or (path.is_symlink() and not path.resolve().is_relative_to(root.resolve())):
            return "link"
        with path.open("rb") as file:
            start = file.read(1 << 16)  # records of judged answers hold long texts before the verdict
        own = path.name.lower()
        marked = [kind for kind, name, mark in _MARKS if re.search(name, own) and re.search(mark, start)]
        if marked or format_of(path, start):
            return marked[0] if marked else "log"
        names = [each for each in column_names(path, start) if each.strip()]
    except (OSError, TiebreakError, ValueError):  # pyarrow's are ValueErrors
        return None
    if battle_columns([*names, *re.findall(r'"(\w{1,20})"\s*:', start.decode("utf-8", "replace"))]):
        return "battles"
    if path.suffix.lower() == ".json" and not start.lstrip().startswith(b"["):
        return None
    is_table = path.suffix.lower() in (".csv", ".tsv", ".parquet") or {"model", "score"} <= set(map(str.casefold, names))
    roles = {role_of(name) for name in names if plain(name) not in WEAK}
    return (
        "items" if "item" in roles and roles.isdisjoint(("fold", "split")) else "scores" if is_table and len(names) > 1 else None
    )
