"""Scores of single items, from tables and logs of evaluation tools, joined on the items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tiebreak.errors import AmbiguousSourceError, InvalidScoresError, Setting, UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray, divide
from tiebreak.printable import fault_of_name, printable
from tiebreak.readers.header import ALIASES, plain
from tiebreak.readers.metric import name_metric
from tiebreak.readers.shapes import Long, cell_of, doubles_error
from tiebreak.readers.tables import Column, SourceTable, Where, Words, as_words, column_of, has_fractions
from tiebreak.scores.items import SUBTASK, TASK, Items, check_items
from tiebreak.scores.metric import NamedMetric, full_name, is_known
from tiebreak.scores.vocabulary import look_up, quoted

if TYPE_CHECKING:
    from tiebreak.readers.logs import Log

_NOUNS = frozenset(("example", "question", "sample", "instance", "task", "prompt", "instruction", "query", "image", "case"))
"""What an item is called where its column is."""

_OWN = ("item", "model", "score", "run", "epoch", TASK, "group", SUBTASK, "item_hash", "cluster", "weight", "human")
"""Columns that mean something; all others are texts of the items, for slices."""


@dataclass(frozen=True)
class Part:
    """Scores of items from one source, as columns with an entry for each score: item, model, score and others of `_OWN`.

    The other fields are as those of `logs.Log`; `stem` is the name of the file, by which models of one name are told apart.
    """

    columns: dict[str, Column]
    where: Where
    name: str
    stem: str = ""
    metric: str | None = None
    remark: str = ""
    unit: str = "item"
    lower_is_better: bool | None = None
    is_mean_of_tasks: bool = False
    is_named_by_file: bool = False

    @property
    def tasks(self) -> set[str]:
        """Tasks that its items are of; "" stands for none."""
        column = self.columns.get(TASK)
        return {""} if not isinstance(column, Words) else set(column.names)


def part_of_log(log: Log, name: str, stem: str) -> Part:
    """Part of the log of an evaluation tool."""
    columns: dict[str, Column] = {}
    for key, values in log.columns.items():
        columns[key] = _words_of(values) if key != "score" else np.array(values, dtype=float)
    about = (log.metric, log.remark, log.unit, log.lower_is_better, log.is_mean_of_tasks, log.is_named_by_file)
    return Part(columns, lambda row: f"sample {row + 1}", name, stem, *about)


def with_main_metric(reads: Sequence[Callable[[str | None], Log]], metric: str | None) -> list[Log]:
    """Logs as each function reads them for a metric; one of a task that does not hold it is read for its own main one."""
    logs: dict[int, Log] = {}
    lacking: dict[int, AmbiguousSourceError] = {}
    for place, read in enumerate(reads):
        try:
            logs[place] = read(metric)
        except AmbiguousSourceError as error:
            if metric is None or len(reads) < 2:
                raise
            lacking[place] = error
    for place, refusal in lacking.items():
        if len(lacking) == len(reads):
            raise refusal
        log = reads[place](None)
        tasks = set(map(str, log.columns.get(TASK, [""])))
        others = {str(task) for other in logs.keys() - lacking.keys() for task in logs[other].columns.get(TASK, [""])}
        if "" in tasks or tasks & others:
            raise refusal
        own = f"{quoted(sorted(tasks))} has no {metric!r}: its own {log.metric or 'accuracy'!r} is taken"
        logs[place] = log._replace(remark="; ".join(filter(None, (log.remark, own))))
    return [logs[place] for place in range(len(reads))]


def part_of_items(items: Items) -> Part:
    """Part of items that were read before."""
    n_models, n_runs, n = items.score.shape
    present = ~np.isnan(items.score).ravel()

    def of(names: Sequence[str], code: IntArray) -> Words:
        return Words(tuple(names), code.astype(np.int32)[present])

    every_item = np.tile(np.arange(n), n_models * n_runs)
    columns: dict[str, Column] = {
        "item": of(items.items, every_item),
        "model": of(items.models, np.repeat(np.arange(n_models), n_runs * n)),
        "score": items.score.ravel()[present],
    }
    if n_runs > 1:
        columns["run"] = of(items.runs, np.tile(np.repeat(np.arange(n_runs), n), n_models))
    texts = {**({} if items.clusters is None else {"cluster": items.clusters}), **items.columns}
    for key, values in texts.items():
        columns[key] = _words_of(values).take(every_item[present])
    if items.weights is not None:
        columns["weight"] = items.weights[every_item][present]
    if items.labels is not None:
        columns["human"] = np.repeat(items.labels, n_runs, axis=0).ravel()[present]
    return Part(
        columns,
        lambda row: f"row {row + 1}",
        "the items",
        "",
        items.metric.name,
        "; ".join(items.sources),
        items.unit,
        not items.metric.higher_is_better,
    )


def part_of_long(long: Long, stem: str) -> Part:
    """Part of a table whose rows are items."""
    n_rows, n_models = long.table.n_rows, len(long.models)
    repeats = 1 if long.model is not None else n_models

    def tiled(column: Column) -> Column:
        if repeats == 1:
            return column
        return Words(column.names, np.tile(column.code, repeats)) if isinstance(column, Words) else np.tile(column, repeats)

    model = long.model if long.model is not None else np.repeat(np.arange(n_models, dtype=np.int32), n_rows)
    columns: dict[str, Column] = {
        "item": tiled(long.units["item"]),
        "model": Words(long.models, model),
        "score": long.score.ravel(),
        **{_AS.get(role, role): tiled(words) for role, words in long.units.items() if role != "item"},
        **{role: tiled(column) for role, column in long.more.items() if role in ("run", "epoch", "cluster", "weight", "human")},
    }
    for name, column in long.extras.items():
        if name not in columns and not has_fractions(column):
            columns[name] = tiled(as_words(column))
    if long.metrics is not None:
        raise AmbiguousSourceError(
            f"{long.table.name} holds {len(long.metrics.names)} metrics: {quoted(long.metrics.names, 12)}. Say which "
            "one to compare with ",
            Setting("metric"),
            ".",
        )
    has_sizes = "n_train" in long.more or "n_test" in long.more
    remark = f"{long.table.name}: n_train or n_test are of splits and were left out; repeats count as runs." if has_sizes else ""
    held = None if long.metric is None or plain(long.metric) in _SCORE_WORDS else long.metric
    return Part(columns, long.table.where, long.table.name, stem, held, remark, _unit_of(long), None, False, long.is_by_file)


_AS = {"dataset": TASK, "repeat": "run", "seed": "run"}
"""What parts of the name of a unit are where rows are items."""

_SCORE_WORDS = frozenset(map(plain, (*ALIASES["score"].split(), *ALIASES["judge"].split())))


def _unit_of(long: Long) -> str:
    column = long.item_column.casefold()
    noun = re.sub(r"[_ ]?id$", "", column)
    return noun if noun in _NOUNS else "item"


def items_of_wide(long: Long, options: Any) -> Items | None:
    """Items of a table with a column for each model, which stays as it is; None where rows have to be brought together first."""
    item = long.units["item"]
    own = {"run", "epoch", "human"} & long.more.keys()
    if long.model is not None or own or len(long.units) > 1 or long.metrics is not None or len(item.names) < item.code.size:
        return None
    named = _named_metric(long.score, options.metric or long.metric, options.direction_of(options.metric or long.metric or ""))
    if item.code.size > 1 and not np.array_equal(item.code, np.arange(item.code.size)):
        return None
    part = part_of_long(_of_first_model(long), "")
    score = long.score[:, None, :]
    first = np.arange(item.code.size)
    _check_names(long.models)
    return check_items(
        Items(
            named.metric,
            long.models,
            ("1",),
            _shown(item.names),
            score * named.factor if named.factor != 1 else score,
            *_of_items(part.columns, first, item.names),
            columns=_slices_of(part.columns, first, item.code),
            sources=(part.remark,) if part.remark else (),
            unit=part.unit,
        )
    )


def _of_first_model(long: Long) -> Long:
    return replace(long, models=long.models[:1], score=long.score[:1])


# --- several sources ------------------------------------------------------------------------------------------------------


def items_of(
    parts: Sequence[Part], metric: str | None = None, lower_is_better: bool | None = None, cluster: str | None = None
) -> Items:
    """Items of all parts, joined; a model that answered the same item in several of them is called after the files."""
    held, by_task = _held_metric(parts, lower_is_better)
    columns = _joined(parts)
    columns, of_groups = _grouped(columns, parts)
    remarks = (*_once([part.remark for part in parts if part.remark]), *by_task, *of_groups)
    units = {part.unit for part in parts}
    unit = units.pop() if len(units) == 1 else "item"
    if cluster is not None:
        columns = _clustered(columns, cluster)
    directions = {part.lower_is_better for part in parts if part.lower_is_better is not None}
    called = held or metric
    if lower_is_better is None and len(directions) == 1 and not is_known(str(called)):
        lower_is_better = directions.pop()
    where = parts[0].where if len(parts) == 1 else (lambda row: f"row {row + 1} of all")
    return _items_of_columns(
        columns,
        called,
        False if by_task else lower_is_better,
        remarks,
        unit,
        parts[0].name if len(parts) == 1 else "the sources",
        where,
    )


def _joined(parts: Sequence[Part]) -> dict[str, Column]:
    """Columns with the rows of all parts; items of several tasks are called after their task."""
    renamed = _without_clashes(parts)
    names = dict.fromkeys(name for part in renamed for name in part.columns)
    sizes = [len(as_words(part.columns["item"]).code) for part in renamed]
    columns = {name: _concatenated([part.columns.get(name) for part in renamed], sizes) for name in names}
    for what in {"run", "epoch"} & columns.keys():
        columns[what] = _filled(as_words(columns[what]), "1")
    if TASK in columns:
        task = _filled(as_words(columns[TASK]), "").ordered()
        if len(task.names) > 1:
            columns["item"] = _paired(task, as_words(columns["item"]), "/")
        columns[TASK] = task
    if "item_hash" in columns:
        _refuse_other_samples(as_words(columns["item"]), as_words(columns.pop("item_hash")))
    return columns


def _numbers(column: Column) -> FloatArray:
    return cast(FloatArray, column)


def _words_of(values: Iterable[Any]) -> Words:
    return cast(Words, column_of(values, as_typed=True))


def _concatenated(columns: Sequence[Column | None], sizes: Sequence[int]) -> Column:
    """Rows of one column of several parts; a part without it has none there."""
    if all(column is None or isinstance(column, np.ndarray) for column in columns):
        return np.concatenate(
            [np.full(size, np.nan) if column is None else column for column, size in zip(columns, sizes, strict=True)]
        )
    index: dict[str, int] = {}
    codes = []
    for column, size in zip(columns, sizes, strict=True):
        own = Words((), np.full(size, -1, dtype=np.int32)) if column is None else as_words(column)
        rank = np.array([*(index.setdefault(name, len(index)) for name in own.names), -1], dtype=np.int32)
        codes.append(rank[own.code])
    return Words(tuple(index), np.concatenate(codes))


def _filled(words: Words, text: str) -> Words:
    """Words with a text where there was none."""
    if not (words.code < 0).any():
        return words
    names = words.names if text in words.names else (*words.names, text)
    return Words(names, np.where(words.code < 0, names.index(text), words.code))


def _paired(one: Words, two: Words, mark: str) -> Words:
    """Words of two columns with a mark between."""
    n = max(len(two.names), 1)
    code = one.code.astype(np.int64) * n + two.code
    found, place = np.unique(code, return_inverse=True)
    names = tuple(f"{one.names[each // n]}{mark}{two.names[each % n]}" for each in found.tolist())
    return Words(names, np.where(two.code < 0, -1, place).astype(np.int32)).ordered()


def _without_clashes(parts: Sequence[Part]) -> list[Part]:
    """Parts in which a model that answered the same item in several is called after the files."""
    if len(parts) == 1:
        return list(parts)
    seen: dict[str, set[Any]] = {}
    clash: set[str] = set()
    for part in parts:
        model = as_words(part.columns["model"])
        keys = [as_words(part.columns[key]).texts() for key in ("item", TASK, "run", "epoch") if key in part.columns]
        own: dict[str, set[Any]] = {name: set() for name in model.names}
        for name, key in zip(model.texts(), zip(*keys, strict=True), strict=True):
            own[name].add(key)
        for name, held in own.items():
            if held & seen.setdefault(name, set()):
                clash.add(name)
            seen[name] |= held
    found = []
    for part in parts:
        model = as_words(part.columns["model"])
        own_name = "{1}" if len(model.names) == 1 else "{0} ({1})"
        names = tuple(own_name.format(name, part.stem) if name in clash and part.stem else name for name in model.names)
        index = {name: place for place, name in enumerate(dict.fromkeys(names))}
        code = np.array([*(index[name] for name in names), -1], dtype=np.int32)[model.code]
        found.append(replace(part, columns={**part.columns, "model": Words(tuple(index), code)}))
    return found


def _refuse_other_samples(item: Words, digest: Words) -> None:
    there = digest.code >= 0
    pairs = np.unique(np.stack([item.code[there], digest.code[there]]), axis=1)
    found, n = np.unique(pairs[0], return_counts=True)
    if (n > 1).any():
        which = [item.names[place] for place in found[n > 1].tolist()]
        raise InvalidScoresError(
            f"{len(which)} items of one number are not the same sample in all files: {quoted(which, 3)}. Were they "
            "drawn or ordered in "
            "another way? Evaluate both models on the same samples."
        )


def _held_metric(parts: Sequence[Part], lower_is_better: bool | None) -> tuple[str | None, list[str]]:
    """Name of the metric that the parts hold, and where each task has its own a remark that says which."""
    held = {part.metric for part in parts if part.metric is not None}
    if len(held) < 2:
        return next(iter(held), None), []
    own: dict[str, set[str]] = {}
    for part in parts:
        for task in part.tasks:
            own.setdefault(task, set()).add(part.metric or "accuracy")
    if "" in own or any(len(names) > 1 for names in own.values()):
        raise AmbiguousSourceError(
            f"the sources hold different metrics: {quoted(sorted(held))}. Say which with ", Setting("metric"), "."
        )
    is_binary = True
    for part in parts:
        score = _numbers(part.columns["score"])
        score = score[~np.isnan(score)]
        direction = part.lower_is_better if lower_is_better is None and not is_known(part.metric or "") else lower_is_better
        name = _named_metric(score[None], part.metric, direction).metric
        if not name.higher_is_better or (score.size and not 0 <= score.min() <= score.max() <= 1):
            why = f"reaches {score.max():g}" if name.higher_is_better else "is better the lower it is"
            raise AmbiguousSourceError(
                f"the tasks have metrics of different units, which have no mean: the {name.name!r} of "
                f"{quoted(sorted(part.tasks))} {why}. "
                "Compare such tasks by themselves, or name a metric that all of them hold with ",
                Setting("metric"),
                ".",
            )
        is_binary = is_binary and bool(((score == 0) | (score == 1)).all())
    said = ", ".join(f"{task} by {names.pop()}" for task, names in own.items())
    return "accuracy" if is_binary else "score", [f"each task counts by its own metric: {said}"]


_MOST_ALIKE = 3
"""Tasks or files of which a remark says the same one by one."""


def _once(remarks: Sequence[str]) -> list[str]:
    """Remarks, of which those that say the same of four tasks or files and more are one."""
    about: dict[str, dict[str, None]] = {}
    for remark in dict.fromkeys(remarks):
        subject, mark, said = remark.partition(": ")
        about.setdefault(said if mark else remark, {})[subject if mark else ""] = None
    found = []
    for said, subjects in about.items():
        if len(subjects) > _MOST_ALIKE and "" not in subjects:
            found.append(f"{quoted(list(subjects), 2)}: {said}")
        else:
            found += [f"{subject}: {said}" if subject else said for subject in subjects]
    return found


def _grouped(columns: dict[str, Column], parts: Sequence[Part]) -> tuple[dict[str, Column], list[str]]:
    """Columns in which a group of tasks counts as one, as the tool that wrote it takes its mean, and remarks that say so."""
    if "group" not in columns or TASK not in columns:
        return {name: column for name, column in columns.items() if name != "group"}, []
    columns = dict(columns)
    group, task = as_words(columns.pop("group")), as_words(columns[TASK])
    above = {
        task.names[t]: group.names[g]
        for t, g in zip(task.code.tolist(), group.code.tolist(), strict=True)
        if t >= 0 and g >= 0 and group.names[g]
    }
    means = {
        name
        for part in parts
        if part.is_mean_of_tasks and "group" in part.columns
        for name in as_words(part.columns["group"]).names
    }
    members = {name: [each for each in task.names if above.get(each) == name] for name in dict.fromkeys(above.values())}
    members = {name: own for name, own in members.items() if len(own) > 1}
    is_all = len(members) == 1 and len(task.names) == len(next(iter(members.values())))
    if not members or (is_all and means.issuperset(members)):
        return columns, []  # the mean over the tasks is that of the group
    columns[SUBTASK] = task
    columns[TASK] = _renamed(task, {each: name for name, own in members.items() for each in own})
    remarks = []
    item = as_words(columns["item"])
    for name, own in members.items():
        how = "the mean of its tasks" if name in means else "the mean over all their items"
        remarks.append(f"group {name!r} of {len(own)} tasks counts as one task, by {how}, as in its tool (each: by subtask)")
        sizes = np.array([np.unique(item.code[task.code == task.names.index(each)]).size for each in own])
        if name in means and np.unique(sizes).size > 1:
            weight = _numbers(columns.get("weight", np.ones(task.code.size)))
            shares = np.ones(len(task.names))
            shares[[task.names.index(each) for each in own]] = sizes.mean() / sizes
            columns["weight"] = weight * shares[task.code]
    return columns, remarks


def _renamed(words: Words, new: Mapping[str, str]) -> Words:
    index: dict[str, int] = {}
    rank = [index.setdefault(new.get(name, name), len(index)) for name in words.names]
    return Words(tuple(index), np.array([*rank, -1], dtype=np.int32)[words.code])


def _clustered(columns: dict[str, Column], cluster: str) -> dict[str, Column]:
    """Columns with the clusters that a field of the samples names; in each task names are its own."""
    named = [name for name in columns if name not in ("model", "score", "run", "epoch", "weight", "item_hash", "human")]
    if cluster not in named and "cluster" in named:
        return columns  # a table gives its column that part when it is read
    column = named[look_up(cluster, named, "column of the items")]
    values = as_words(columns[column])
    of_task = columns.get(SUBTASK, columns.get(TASK))
    if of_task is not None and column not in (TASK, SUBTASK) and len(as_words(of_task).ordered().names) > 1:
        values = _paired(as_words(of_task), values, "/")
    return {**columns, "cluster": values}


# --- columns as Items -----------------------------------------------------------------------------------------------------


def _check_names(models: Iterable[str]) -> None:
    for name in models:
        if fault := fault_of_name(name):
            raise UnreadableSourceError(f"the name {name!r} of a model {fault}")


def _shown(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names) if "".join(names).isprintable() else tuple(map(printable, names))


def _items_of_columns(
    columns: dict[str, Column],
    metric: str | None,
    lower_is_better: bool | None,
    remarks: tuple[str, ...],
    unit: str,
    name: str,
    where: Where,
) -> Items:
    """Items of joined columns; the scores of epochs are averaged."""
    words: dict[str, Words] = {}
    n_rows = len(as_words(columns["item"]).code)
    for what in ("item", "model", "run", "epoch"):
        column = columns.get(what)
        words[what] = Words(("1",), np.zeros(n_rows, dtype=np.int32)) if column is None else as_words(column).ordered()
        blank = words[what].code < 0
        if blank.any():
            raise UnreadableSourceError(
                f"{name}, {where(int(np.argmax(blank)))} has no {what}; {int(blank.sum())} rows in all have none."
            )
    if "run" in columns:
        words["run"] = _sorted_runs(words["run"])
    _check_names(words["model"].names)
    cells = cell_of(words["model"], {what: words[what] for what in ("run", "epoch", "item")})
    order = np.argsort(cells, kind="stable")
    same = np.flatnonzero(np.diff(cells[order]) == 0)
    if same.size:
        raise _doubled(columns, words, order, same, name, where)
    score = _numbers(columns["score"])
    named = _named_metric(score[None], metric, lower_is_better)
    shape = tuple(len(words[what].names) for what in ("model", "run", "item"))
    place = (words["model"].code.astype(np.int64) * shape[1] + words["run"].code) * shape[2] + words["item"].code
    table, averaged = _over_epochs(score, place, shape, unit)
    first = _first_rows(words["item"])
    return check_items(
        Items(
            named.metric,
            _shown(words["model"].names),
            _shown(words["run"].names),
            _shown(words["item"].names),
            table * named.factor,
            *_of_items(columns, first, words["item"].names, words["item"].code),
            columns=_slices_of(columns, first, words["item"].code),
            sources=(*remarks, *averaged),
            unit=unit,
            labels=_labels_of(columns, words, shape, named.factor),
        )
    )


def _sorted_runs(run: Words) -> Words:
    """Runs in the order of their names where these are words, of appearance where they are numbers."""
    if all(re.fullmatch(r"-?\d+(\.\d+)?", name) for name in run.names):
        return run
    order = sorted(range(len(run.names)), key=lambda place: run.names[place])
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    return Words(tuple(run.names[place] for place in order), rank[run.code])


def _first_rows(item: Words) -> IntArray:
    """First row of each item."""
    first = np.full(len(item.names), -1, dtype=np.int64)
    first[item.code[::-1]] = np.arange(item.code.size)[::-1]
    return first


def _doubled(
    columns: Mapping[str, Column], words: Mapping[str, Words], order: IntArray, same: IntArray, name: str, where: Where
) -> Exception:
    table = SourceTable(
        name, {key: column for key, column in columns.items() if key not in _OWN}, where, len(words["item"].code), {}
    )
    units = {"item": words["item"], **({"run": words["run"]} if "run" in columns else {})}
    error = doubles_error(table, words["model"], units, order, same, ())
    hints = (
        []
        if {"run", "epoch"} & columns.keys()
        else [" If they are several answers of one model, number them in a column 'epoch', or 'run' where a run answers all."]
    )
    hints += [] if TASK in columns else [" If they are of several tasks, name these in a column 'task'."]
    return InvalidScoresError(*error.parts, *hints)


def _labels_of(
    columns: Mapping[str, Column], words: Mapping[str, Words], shape: tuple[int, ...], factor: int
) -> FloatArray | None:
    """Labels by people of the answers of each model to each item, the mean where there are several; None where there are none."""
    label = columns.get("human")
    if not isinstance(label, np.ndarray) or np.isnan(label).all():
        return None
    n_models, _, n_items = shape
    place = words["model"].code.astype(np.int64) * n_items + words["item"].code
    return _over_epochs(label, place, (n_models, n_items), "item")[0] * factor


def _of_items(
    columns: Mapping[str, Column], first: IntArray, items: Sequence[str], code: IntArray | None = None
) -> tuple[tuple[str, ...] | None, FloatArray | None]:
    """Clusters and weights of the items, where there are any; each item has one of each."""
    found: dict[str, Any] = {"cluster": None, "weight": None}
    for key in found:
        column = columns.get(key)
        if column is None:
            continue
        values: Any = column.code if isinstance(column, Words) else column
        missing = values[first] < 0 if isinstance(column, Words) else np.isnan(values[first])
        if missing.any():
            which = [items[place] for place in np.flatnonzero(missing).tolist()]
            raise InvalidScoresError(f"{len(which)} items have no {key}: {quoted(which, 3)}.")
        if code is not None and (differs := values != values[first][code]).any():
            raise InvalidScoresError(f"item {items[int(code[int(np.argmax(differs))])]!r} has more than one {key}.")
        found[key] = (
            tuple(printable(column.names[each]) for each in values[first].tolist())
            if isinstance(column, Words)
            else values[first]
        )
    return found["cluster"], found["weight"]


def _slices_of(columns: Mapping[str, Column], first: IntArray, code: IntArray) -> dict[str, tuple[str, ...]]:
    """Texts of further columns that say the same of an item in all its rows."""
    found: dict[str, tuple[str, ...]] = {}
    for name, column in columns.items():
        if (name in _OWN and name not in (TASK, SUBTASK)) or not isinstance(column, Words):
            continue
        own = np.full(first.size, -1, dtype=np.int64)
        present = column.code >= 0
        own[code[present][::-1]] = column.code[present][::-1]
        if np.all(~present | (column.code == own[code])):
            names = (*map(printable, column.names), "")
            found[name] = tuple(names[each] for each in own.tolist())
    return found


def _over_epochs(score: FloatArray, place: IntArray, shape: tuple[int, ...], unit: str) -> tuple[FloatArray, list[str]]:
    """Mean score at each place of an array, nan where there is none, and a remark where epochs are averaged."""
    has = ~np.isnan(score)
    size = int(np.prod(shape))
    n = np.bincount(place[has], minlength=size)
    table = divide(np.bincount(place[has], score[has], minlength=size), np.where(n > 0, n, np.nan)).reshape(shape)
    if n.max(initial=0) <= 1:
        return table, []
    fewest = n[n > 0].min()
    how_many = f"{n.max()}" if fewest == n.max() else f"{fewest} to {n.max()}"
    return table, [f"{how_many} epochs of each {unit} are averaged: answers to one {unit} are no further {unit}s"]


def _named_metric(score: FloatArray, metric: str | None, lower_is_better: bool | None) -> NamedMetric:
    """The metric asked for, or accuracy for scores that are all 0 or 1; nan are passed by."""
    binary = all(bool(((row == 0) | (row == 1) | np.isnan(row)).all()) for row in score)
    if metric is None and not binary and set(np.unique(score[~np.isnan(score)]).tolist()) <= {0.0, 1.0, 100.0}:
        raise InvalidScoresError("the scores are 0 and 100, which looks like per cent. Divide them by 100, or name their metric.")
    called = metric or ("accuracy" if binary else None)
    if called is None:
        raise AmbiguousSourceError(
            "the scores are not all 0 or 1, and nothing says what they are. Pass ",
            Setting("metric", "'NAME'"),
            " and, unless it is one of scikit-learn's, ",
            Setting("lower_is_better", "False"),
            ".",
        )
    return name_metric(full_name(called), lower_is_better)
