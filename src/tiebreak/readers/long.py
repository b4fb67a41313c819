"""The long table, which everything that is read becomes: a row for each score, with its model, unit and metric."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tiebreak.errors import Advice
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.readers.files import NamedRows
from tiebreak.readers.header import column_advice, plain, role_of, where_advice
from tiebreak.readers.tables import Column, Where, Words, as_words
from tiebreak.scores.items import TASK
from tiebreak.scores.metric import PARTS
from tiebreak.scores.vocabulary import quoted

STEPS = ("epoch", "step", "globalstep", "trainingiteration")
"""Plain names of a column that counts the steps of a training."""


@dataclass(frozen=True)
class Long(NamedRows):
    """Scores as a long table, whatever they were read from: a row for each.

    Attributes
    ----------
    words : dict of str to Words
        Model and the parts of the name of a unit: dataset, repeat, fold, split, seed, time, position; of items item, task, run,
        epoch, cluster, item_hash, and texts of the items; test_set; metric, where there are several.
    numbers : dict of str to ndarray
        Score; where there are, n_train, n_test, weight, human.
    name : str
        Of the source in messages.
    where : callable
        Place of a row in messages.
    metric : str or None
        Name that the source has for the scores.
    column : str
        Of the scores; "" where each model has its own.
    roles : str
        What was taken for what, in words.
    model_column : str
        Column that names the models; "" where the one model is called after its file.
    item_column : str
        Column that names the items; "" where none does.
    stem : str
        Name of the file, by which models of one name are told apart.
    unit : str
        What an item is called.
    remark : str
        What is missing or was decided, in words.
    lower_is_better : bool or None
        Direction of the metric, where a log or a count says it.
    time : str
        When a log was begun, which sorts as text; "" where it does not say.
    settings : tuple of tuple of str
        Names and values by which two runs of one model on one task may differ.
    is_whole : bool
        False for the log of an evaluation that was not finished.
    """

    words: dict[str, Words]
    numbers: dict[str, FloatArray]
    name: str
    where: Where
    metric: str | None = None
    column: str = ""
    roles: str = ""
    model_column: str = "model"
    item_column: str = ""
    stem: str = ""
    unit: str = "item"
    remark: str = ""
    lower_is_better: bool | None = None
    time: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    is_whole: bool = True

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.words["model"].names)

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks; one of "" where none is named."""
        return self.words[TASK].names if TASK in self.words else ("",)

    def take(self, rows: IntArray) -> Long:
        """The given rows, in their order."""
        words, numbers = {key: each.take(rows).ordered() for key, each in self.words.items()}, self.numbers.items()
        return replace(
            self, words=words, numbers={key: each[rows] for key, each in numbers}, where=lambda row: self.where(int(rows[row]))
        )

    def with_models(self, new: Mapping[str, str]) -> Long:
        """The table with other names of models; those that get one name are one."""
        return replace(
            self, words={**self.words, "model": self.words["model"].renamed(new.get(each, each) for each in self.models)}
        )


def joined(columns: Sequence[Words], mark: str = " ") -> Words:
    """Words of several columns as one, with a blank or another mark between."""
    if len(columns) == 1:
        return columns[0]
    first, *others = (Words(("", *each.names), each.code + 1) for each in columns)
    cells = cell_of(first, {str(place): each for place, each in enumerate(others)})
    _, rows, code = np.unique(cells, return_index=True, return_inverse=True)
    texts = [each.take(rows).texts() for each in (first, *others)]
    return Words(tuple(mark.join(filter(None, each)) for each in zip(*texts, strict=True)), code.astype(np.int32)).ordered()


def refuse_doubles(
    rows: NamedRows,
    columns: Mapping[str, Column],
    models: Words,
    units: Mapping[str, Words],
    model: str,
    used: Container[str] = (),
    hints: Sequence[str | Advice] = (),
    unit: tuple[str, str] = ("", ""),
) -> None:
    """Refuse rows of one model and unit, with the columns in which they differ and the two ways on, and further hints.

    `columns` are those of the rows, and those that are `used` make the rows those of one model and unit. `model` is the column of
    the models, "" for none, and `unit` a part of the name of the units, item or dataset, with its column.
    """
    cells = cell_of(models, units)
    order = np.argsort(cells, kind="stable")
    same = np.flatnonzero(np.diff(cells[order]) == 0)
    if not same.size:
        return
    first, second = sorted(order[same[0] : same[0] + 2].tolist())
    key = ", ".join(f"{role} {words.names[words.code[first]]!r:.80}" for role, words in units.items())
    subject = f"model {models.names[models.code[first]]!r} has two scores for" if "" not in used else "two rows are of"
    what = f"{subject} {key} ({rows.where(first)} and {rows.where(second)}; {same.size} such row(s) in all)."
    others = {name: as_words(column).ordered() for name, column in columns.items() if name not in used}
    differ = {  # of kinds, and no names of rows, nor scores
        name: words.names
        for name, words in others.items()
        if len(words.names) * (2 if isinstance(columns[name], Words) else len(words.names)) <= max(cells.size, 16)
        and np.any(words.code[order][same] != words.code[order][same + 1])
    }
    named = [each for each in columns if role_of(each) == "dataset"]
    if not others.keys().isdisjoint(named) and not others.keys() >= {*named}:
        hints = (f" If {quoted(named)} name a dataset together, say so: ", column_advice("dataset", ",".join(named)), ".", *hints)
    if not model and "" not in used:
        hints = (" If a column names the models, say so: ", column_advice("model", "NAME"), ".", *hints)
    if not differ:
        raise rows.refuse(
            what,
            "Keep one row for each; rows that differ by a random seed have it in a column 'seed', repeats in 'repeat'.",
            *hints,
        )
    name, *more = sorted(differ, key=lambda each: isinstance(columns[each], np.ndarray))
    likely = min(differ[name], key=lambda value: PARTS.index(value) if value in PARTS else len(PARTS))
    raise rows.refuse(
        f"{what} The rows differ in {name!r}: {', '.join(differ[name][:5])}{f' (and in {quoted(more)})' if more else ''}.",
        "Keep one: ",
        where_advice(name, differ[name][-1] if plain(name) in STEPS else likely),
        f"; or make it {'part of ' if model else ''}the model: ",
        column_advice("model", f"{model},{name}".removeprefix(",")),
        *((f"; or part of the {unit[0]}: ", column_advice(unit[0], f"{unit[1]},{name}")) if unit[1] else ()),
        *(_AS_DATASETS if name == OF_INNER_KEYS else ()),
        *(
            ("; if it numbers repeats of a cross-validation, say so: ", column_advice("repeat", name))
            if role_of(name) == "run" and "fold" in units
            else as_runs(name, differ[name])
        ),
        ".",
        *hints,
    )


OF_INNER_KEYS = "column 2"
"""Column of the inner keys of a dict of dicts, whose outer ones are taken for models."""

_AS_DATASETS = (
    "; or, where these are datasets, the dataset: ",
    column_advice("dataset", OF_INNER_KEYS),
    "; where these are models, and the outer keys datasets, both: ",
    Advice(
        f"tb.read_scores(..., columns={{'model': {OF_INNER_KEYS!r}, 'dataset': 'model'}})",
        typed=f"--column model='{OF_INNER_KEYS}' --column dataset=model",
    ),
)


def as_runs(name: str, values: Sequence[str]) -> tuple[str | Advice, ...]:
    """Advice for a column of 0, 1, 2 ... or 1, 2, 3 ..., which may number training runs; empty for any other."""
    counts = ({*map(str, range(start, start + len({*values})))} for start in (0, 1))
    is_one = plain(name) not in STEPS and {*values} in counts
    return ("; if it numbers training runs, say so: ", column_advice("seed", name)) if is_one else ()


def cell_of(models: Words, units: Mapping[str, Words]) -> IntArray:
    """Number of the model and unit of each row."""
    cells, size = models.code.astype(np.int64), len(models.names)
    for words in units.values():
        if size * len(words.names) > 2**62:
            cells = np.unique(cells, return_inverse=True)[1].astype(np.int64)
            size = int(cells.max(initial=0)) + 1
        cells *= len(words.names)  # in their place, as there may be millions
        cells += words.code
        size *= len(words.names)
    return cells


def is_unique(models: Words, units: Mapping[str, Words]) -> bool:
    """True where each row is of another model and unit."""
    return bool(np.all(np.diff(np.sort(cell_of(models, units))) > 0))  # `np.unique` takes many times as long for a million
