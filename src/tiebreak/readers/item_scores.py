"""Scores of single items, from tables and logs of evaluation tools, joined on the items."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from tiebreak.errors import DataError, Setting, UnclearSourceError
from tiebreak.numerics import FloatArray, IntArray, divide
from tiebreak.printable import printable
from tiebreak.readers.long import Long, cell_of, is_unique, joined, refuse_doubles
from tiebreak.readers.source import name_metric, refuse_names, refuse_versions
from tiebreak.readers.splits import natural_key
from tiebreak.readers.tables import Column, Words, concatenated, is_numeric, ranked, words_of
from tiebreak.scores.items import TASK, Items, check_items
from tiebreak.scores.metric import NamedMetric, full_name, is_known
from tiebreak.scores.vocabulary import look_up, quoted

_OWN = frozenset(("item", "model", "run", "epoch", "item_hash", "cluster"))
"""Columns of words that are no texts of the items, for slices."""


def long_of_items(items: Items) -> Long:
    """Long table of items that were read before."""
    model, run, item = np.nonzero(~np.isnan(items.score))
    words = {"item": Words(items.items, item), "model": Words(items.models, model)}
    if len(items.runs) > 1:
        words["run"] = Words(items.runs, run)
    texts = {"cluster": items.clusters, **items.columns}
    words |= {key: words_of(map(str, values)).take(item) for key, values in texts.items() if values is not None}
    numbers = {"score": items.score[model, run, item]}
    if items.weights is not None:
        numbers["weight"] = items.weights[item]
    if items.labels is not None:
        numbers["human"] = items.labels[model, item]
    return Long(
        words,
        numbers,
        "the items",
        lambda row: f"row {row + 1}",
        items.metric.name,
        "score",
        unit=items.unit,
        remark="; ".join(items.sources),
        lower_is_better=not items.metric.higher_is_better,
    )


# --- several sources ------------------------------------------------------------------------------------------------------


def items_of(
    parts: Sequence[Long], metric: str | None = None, lower_is_better: bool | None = None, cluster: str | None = None
) -> Items:
    """Items of all parts, joined; a model that answered the same item in several of them is called after the files.

    The scores of epochs are averaged.
    """
    held, by_task = _held_metric(parts, lower_is_better)
    joined = _joined(parts)
    words = joined.words
    known = [name for name in words if name not in ("model", "run", "epoch", "item_hash")]
    if cluster is not None and (cluster in known or "cluster" not in known):  # a table gives its column that part when it is read
        column = known[look_up(cluster, known, "column of the items")]
        is_of_task = column != TASK and TASK in words and len(words[TASK].ordered().names) > 1  # names are its own in each task
        words["cluster"] = _paired(words[TASK], words[column]) if is_of_task else words[column]
    for what in ("item", "model"):
        blank = words[what].code < 0
        said = f"it has no {what}; {blank.sum()} rows in all have none."
        joined.refuse_rows(blank, lambda _, said=said: said)  # type: ignore[misc]
    once = Words(("1",), np.zeros_like(words["item"].code))
    model, run, epoch, item = (words.get(what, once).ordered() for what in ("model", "run", "epoch", "item"))
    run = ranked(run, list(map(natural_key, run.names)))
    refuse_names("model", model.names)
    place = cell_of(model, {"run": run, "item": item})
    shape = (len(model.names), len(run.names), len(item.names))
    is_grid = np.array_equal(place, np.arange(np.prod(shape)))  # of a column for each model, which may have a million rows
    if not is_grid and np.bincount(place).max(initial=0) > 1:
        keys = {what: column for what, column in {"item": item, "run": run, "epoch": epoch}.items() if what in joined.words}
        hints = {
            " If they are several answers of one model, number them in a column 'epoch', or 'run' where a run answers all.": (
                {"run", "epoch"}.isdisjoint(joined.words)
            ),
            " If they are of several tasks, name these in a column 'task'.": TASK not in joined.words,
        }
        refuse_doubles(
            joined,
            {name: column for name, column in words.items() if name not in {*_OWN, TASK}},
            model,
            keys,
            joined.model_column,
            unit=("item", joined.item_column),
            hints=[hint for hint, is_so in hints.items() if is_so],
        )
    directions = {part.lower_is_better for part in parts if part.lower_is_better is not None}
    called, score = held or metric, joined.numbers["score"]
    if lower_is_better is None and len(directions) == 1 and not is_known(str(called)):
        lower_is_better = directions.pop()
    named = _named_metric(score, called, False if by_task else lower_is_better)
    table, n_epochs = (score.reshape(shape), "") if is_grid else _means(score, place, shape)
    human = joined.numbers.get("human")
    labels = np.array(np.nan) if human is None else _means(human, cell_of(model, {"item": item}), shape[::2])[0]
    unit = joined.unit
    averaged = (
        [f"{n_epochs} epochs of each {unit} are averaged: answers to one {unit} are no further {unit}s"] if n_epochs else []
    )
    clusters, weights = (_one_each(joined, key, item) for key in ("cluster", "weight"))
    texts = {name: _by_item(column, item) for name, column in words.items() if name not in _OWN}
    for name, (_, odd, _) in texts.items():  # rows that are numbered, and not named, or named after each run
        if (
            (odd.size and is_numeric(item) if model.code.size > len(item.names) else len(model.names) > 1)
            and model.code.size == len(model.names) * len(words[name].ordered().names)
            and not is_numeric(words[name])
            and is_unique(model, {name: words[name]})
        ):
            raise DataError(
                f"{joined.name}: {name!r} names the same {len(item.names)} rows of each model, but in another order than the "
                f"{unit}s {quoted(item.names, 2)}. Which of them names the items? ",
                Setting("item", repr(name)),
                ", or leave that column out.",
            )
    axes = (model.names, run.names, item.names)
    models, runs, items = (names if "".join(names).isprintable() else tuple(map(printable, names)) for names in axes)
    return check_items(
        Items(
            named.metric,
            models,
            runs,
            items,
            table * named.factor,
            clusters,
            weights,
            columns={name: own for name, (own, odd, _) in texts.items() if not odd.size},  # that say one thing of an item
            sources=(*_once([part.remark for part in parts if part.remark]), *by_task, *averaged),
            unit=unit,
            labels=None if np.isnan(labels).all() else labels * named.factor,
        )
    )


def _joined(parts: Sequence[Long]) -> Long:
    """Rows of all parts as one; items of several tasks are called after their task."""
    renamed = _without_clashes(parts)
    words: dict[str, Words] = {}
    for name in dict.fromkeys(chain.from_iterable(part.words for part in renamed)):
        none = [Words((), np.full(0 if name in part.words else part.numbers["score"].size, -1)) for part in renamed]
        words[name] = concatenated([part.words.get(name, own) for part, own in zip(renamed, none, strict=True)])
    numbers = {
        name: np.concatenate([each.numbers[name] if name in each.numbers else each.numbers["score"] * np.nan for each in renamed])
        for name in dict.fromkeys(chain.from_iterable(part.numbers for part in renamed))
    }
    for name, usual in {"run": "1", "epoch": "1", TASK: ""}.items():
        if name in words:
            filled = np.where(words[name].code < 0, len(words[name].names), words[name].code)
            words[name] = Words((), filled).renamed((*words[name].names, usual)).ordered()
    if TASK in words and len(words[TASK].names) > 1:
        words["item"] = _paired(words[TASK], words["item"])
    if "item_hash" in words and (odd := _by_item(words["item_hash"], words["item"])[1]).size:
        which = [words["item"].names[place] for place in np.unique(words["item"].code[odd]).tolist()]
        raise DataError(
            f"{len(which)} items of one number are not the same sample in all files: {quoted(which, 3)}. Were they drawn or "
            "ordered in another way? Evaluate both models on the same samples."
        )
    if len(parts) == 1:
        return replace(parts[0], words=words, numbers=numbers)
    units = {part.unit for part in parts}
    return Long(
        words,
        numbers,
        "the sources",
        lambda row: f"row {row + 1} of all",
        unit=units.pop() if len(units) == 1 else "item",
        model_column=parts[0].model_column,
        item_column=parts[0].item_column,
    )


def _paired(one: Words, two: Words) -> Words:
    """Words of two columns with a stroke between, none where the second has none."""
    found = joined([one, two], "/")
    return Words(found.names, np.where(two.code < 0, -1, found.code)).ordered()


def _without_clashes(parts: Sequence[Long]) -> Sequence[Long]:
    """Parts in which a model is called after the files where its answers to the same items differ; equal ones stand once.

    Files of one model each are told apart by their names, be the answers equal.
    """
    if len(parts) == 1:
        return parts
    keys = [
        list(zip(*(part.words[key].texts() for key in ("model", "item", TASK, "run", "epoch") if key in part.words), strict=True))
        for part in parts
    ]
    scores = [np.nan_to_num(part.numbers["score"], nan=np.inf).tolist() for part in parts]
    answers = [dict(zip(own, score, strict=True)) for own, score in zip(keys, scores, strict=True)]
    first = {key: place for place, own in reversed([*enumerate(answers)]) for key in own}
    beside_others = {name for part in parts if len(part.models) > 1 for name in part.models}
    clash = {
        key[0]
        for place, own in enumerate(answers)
        for key, score in own.items()
        if first[key] != place and (score != answers[first[key]][key] or key[0] not in beside_others)
    }
    if clash:
        refuse_versions(Counter(chain.from_iterable(part.models for part in parts)), "tasks or runs", "'task' or 'run'")
    return [
        (part if rows.size == len(keys[place]) else part.take(rows)).with_models(
            {
                each: part.stem if part.stem and len(part.models) == 1 else f"{each} ({part.stem or f'source {place + 1}'})"
                for each in clash
            }
        )
        for place, part in enumerate(parts)
        for rows in [np.flatnonzero([key[0] in clash or first[key] == place for key in keys[place]])]
        if rows.size or not keys[place]
    ]


def _held_metric(parts: Sequence[Long], lower_is_better: bool | None) -> tuple[str | None, list[str]]:
    """Name of the metric that the parts hold, and where each task has its own a remark that says which."""
    held = {part.metric for part in parts if part.metric is not None}
    if len(held) < 2:
        return next(iter(held), None), []
    own = dict.fromkeys((task, part.metric or "accuracy") for part in parts for task in part.tasks)
    tasks = {task for task, _ in own}
    if "" in tasks or len(tasks) < len(own):
        raise UnclearSourceError(
            f"the sources hold different metrics: {quoted(sorted(held))}. Say which with ", Setting("metric"), "."
        )
    for part in parts:
        score = part.numbers["score"][~np.isnan(part.numbers["score"])]
        direction = part.lower_is_better if lower_is_better is None and not is_known(part.metric or "") else lower_is_better
        name = _named_metric(score, part.metric, direction).metric
        if not name.higher_is_better or not ((score >= 0) & (score <= 1)).all():
            why = f"reaches {score.max():g}" if name.higher_is_better else "is better the lower it is"
            raise UnclearSourceError(
                f"the tasks have metrics of different units, which have no mean: the {name.name!r} of "
                f"{quoted(sorted(part.words[TASK].names))} {why}. Compare such tasks by themselves, or name a metric that all of "
                "them hold with ",
                Setting("metric"),
                ".",
            )
    said = ", ".join(f"{task} by {name}" for task, name in own)
    return "accuracy" if all(_is_binary(part.numbers["score"]) for part in parts) else "score", [
        f"each task counts by its own metric: {said}"
    ]


_MOST_ALIKE = 3
"""Tasks or files of which a remark says the same one by one."""


def _once(remarks: Iterable[str]) -> list[str]:
    """Remarks, of which those that say the same of four tasks or files and more are one."""
    about: dict[str, list[str]] = {}
    for remark in dict.fromkeys(remarks):
        subject, _, said = remark.partition(": ")
        about.setdefault(said or remark, []).append(subject if said else "")
    return [
        f"{subject}: {said}" if subject else said
        for said, subjects in about.items()
        for subject in ([quoted(subjects, 2)] if len(subjects) > _MOST_ALIKE else subjects)
    ]


# --- columns as Items -----------------------------------------------------------------------------------------------------


def _one_each(joined: Long, key: str, item: Words) -> Any:
    """Cluster or weight of each item, where there are any; each item has one."""
    column = joined.words.get(key, joined.numbers.get(key))
    if column is None:
        return None
    own, odd, lacking = _by_item(column, item)
    wrong = [f"{len(lacking)} items have no {key}: {quoted(lacking, 3)}."] if lacking else []
    for what in [*wrong, *(f"item {item.names[item.code[row]]!r} has more than one {key}." for row in odd[:1])]:
        raise DataError(what)
    return own


def _by_item(column: Column, item: Words) -> tuple[Any, IntArray, list[str]]:
    """Number or text of each item, nan or "" where no row has one; rows that say another one than others; items without one."""
    values = np.where(column.code < 0, np.nan, column.code) if isinstance(column, Words) else column
    rows = np.flatnonzero(~np.isnan(values))
    own = np.full(len(item.names), np.nan)
    own[item.code[rows[::-1]]] = values[rows[::-1]]
    odd = rows[values[rows] != own[item.code[rows]]]
    lacking = [item.names[place] for place in np.flatnonzero(np.isnan(own)).tolist()]
    if odd.size or not isinstance(column, Words):
        return own, odd, lacking
    texts = (*map(printable, column.names), "")
    return tuple(texts[place] for place in np.nan_to_num(own, nan=-1.0).astype(int).tolist()), odd, lacking


def _means(score: FloatArray, place: IntArray, shape: tuple[int, ...]) -> tuple[FloatArray, str]:
    """Mean score at each place of an array, nan where there is none, and of how many, "" for one each."""
    has = ~np.isnan(score)
    size = int(np.prod(shape))
    place, score = (place, score) if has.all() else (place[has], score[has])
    n = np.bincount(place, minlength=size)
    table = divide(np.bincount(place, score, minlength=size), n).reshape(shape)
    most, fewest = n.max(initial=0), n[n > 0].min(initial=n.max(initial=0))
    return table, "" if most <= 1 else f"{most}" if fewest == most else f"{fewest} to {most}"


def _is_binary(score: FloatArray) -> bool:
    return bool(((score == 0) | (score == 1) | np.isnan(score)).all())


def _named_metric(score: FloatArray, metric: str | None, lower_is_better: bool | None) -> NamedMetric:
    """The metric asked for, or accuracy for scores that are all 0 or 1; nan are passed by."""
    if metric is not None or _is_binary(score):
        return name_metric(full_name(metric or "accuracy"), lower_is_better)
    if set(np.unique(score[~np.isnan(score)]).tolist()) <= {0.0, 1.0, 100.0}:
        raise DataError("the scores are 0 and 100, which looks like per cent. Divide them by 100, or name their metric.")
    raise UnclearSourceError(
        "the scores are not all 0 or 1, and nothing says what they are. Pass ",
        Setting("metric", "'NAME'"),
        " (of columns that are metrics the one to compare) and, unless it is one of scikit-learn's, ",
        Setting("lower_is_better", "False"),
        ".",
    )
