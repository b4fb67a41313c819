"""The long table becomes models by splits of each dataset: of seeds, periods and test sets as well, which are no splits."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, cast

import numpy as np

from tiebreak.errors import (
    AmbiguousSourceError,
    InvalidScoresError,
    MissingSizesError,
    Setting,
    TiebreakError,
    UnpairedScoresError,
    UnsuitableDesignError,
)
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.split_design import MOST_FOLDS
from tiebreak.readers.files import refuse
from tiebreak.readers.metric import mixed_metrics, table_metric
from tiebreak.readers.shapes import Long, cell_of
from tiebreak.readers.source import ReadOptions, Source, source_of
from tiebreak.readers.tables import Counted, Words
from tiebreak.scores.assemble import SplitKeys, assemble, number_splits, size_per_split
from tiebreak.scores.metric import Metric, NamedMetric
from tiebreak.scores.scores import ScoreMatrix, SplitDesign
from tiebreak.scores.vocabulary import Kind, Notice

MOST_MODELS = 20_000
"""Of that many models there are 200 million pairs."""


class Key(NamedTuple):
    """Whole numbers that identify a repeat or fold, and the words behind them if the source uses words."""

    code: IntArray
    labels: tuple[str, ...] | None


def source_of_long(long: Long, options: ReadOptions) -> Source:
    """Scores of a long table, and where they came from."""
    if len(long.models) > MOST_MODELS:
        raise refuse(
            long.table.name,
            None,
            None,
            f"it has {len(long.models):,} models, and at most {MOST_MODELS:,} are compared.",
            "Is it a table of scores?",
        )
    if "total" in long.more:
        return _of_counts(long, options)
    units = dict(long.units)
    datasets = units.pop("dataset", None)
    datasets = None if datasets is None else datasets.ordered()
    kind, repeat, fold, seed = _keys_of(long, units, 1 if datasets is None else len(datasets.names))
    if np.isinf(long.score).any():
        raise _infinite(long)
    n_train, n_test = (_sizes(long, word) for word in ("n_train", "n_test"))
    matrices = []
    for number, name in enumerate(("",) if datasets is None else datasets.names):
        rows = np.flatnonzero(datasets.code == number) if datasets is not None and len(datasets.names) > 1 else None
        matrices.append(_matrix(name, long, rows, repeat, fold, seed, (n_train, n_test), kind))
    if kind != "unknown":
        key = repeat if kind == "seeds" else fold
        matrices = [_with_columns(matrix, key, kind) for matrix in matrices]
    elif len(matrices) == 1 and "seed" not in units:
        matrices = [_with_folds(matrices[0], long, options)]
    by_position = "position" in units
    if by_position or "split" in units:
        _refuse_items(matrices[0], long, options)
    design = SplitDesign(kind, ordered=kind == "periods", pairing="position" if by_position else "key")
    needs_no_sizes = kind != "unknown" or len(matrices) > 1 or matrices[0].has_ratio or options.has_sizes
    named = _named(long, datasets, options, needs_no_sizes=needs_no_sizes)
    for matrix, its in zip(matrices, [named] * len(matrices) if isinstance(named, NamedMetric) else named, strict=True):
        _check_bounds(matrix, its.metric, long)
    notices = tuple(_seed_notices(long, seed, datasets))
    source = source_of(matrices, named, design, options, long.table.name, notices=notices)
    return Source(source.scores, source.name, (), repeat.labels, fold.labels)


def _named(
    long: Long, datasets: Words | None, options: ReadOptions, *, needs_no_sizes: bool
) -> NamedMetric | Sequence[NamedMetric]:
    """The metric, or that of each dataset where the source tells them apart."""
    if long.metrics is None:
        return table_metric(long.metric, options, long.table.name, has_sizes=needs_no_sizes)
    codes = np.zeros(long.table.n_rows, dtype=np.intp) if datasets is None else datasets.code
    held = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.intp)
    held[codes] = long.metrics.code
    return mixed_metrics(tuple(long.metrics.names[code] for code in held.tolist()), options, long.table.name)


# --- keys -----------------------------------------------------------------------------------------------------------------


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort key by which "fold 2" comes before "fold 10"."""
    parts = re.split(r"(\d+)", text.casefold())
    # Python makes no number of thousands of digits
    return tuple((0, int(part), "") if part.isdecimal() and len(part) < 1000 else (1, 0, part) for part in parts if part), text


def _key_of(words: Words) -> Key:
    """Names that are whole numbers as these, others numbered in their natural order."""
    if isinstance(words.names, Counted):
        return Key(words.code + words.names.start, None)
    if all(re.fullmatch(r"-?\d{1,15}", name) for name in words.names) and len(set(map(int, words.names))) == len(words.names):
        return Key(np.array([int(name) for name in words.names])[words.code], None)
    order = sorted(np.unique(words.code).tolist(), key=lambda code: natural_key(words.names[code]))
    rank = np.zeros(len(words.names), dtype=np.int32)
    rank[order] = np.arange(len(order))
    return Key(rank[words.code], tuple(words.names[code] for code in order))


def _keys_of(long: Long, units: Mapping[str, Words], n_datasets: int) -> tuple[Kind, Key, Key, Words | None]:
    """Kind of the units, the repeat and fold of each row, and its seed where scores that differ by it are averaged."""
    nothing = Key(np.zeros(long.table.n_rows, dtype=np.int8), None)
    if "time" in units:
        if n_datasets > 1:
            raise UnsuitableDesignError(
                f"{long.table.name} has periods of {n_datasets} datasets; losses in time are compared within one. Say "
                "which with ",
                Setting("dataset"),
                ", or leave the column of times out to compare over datasets.",
            )
        return "periods", nothing, _periods(long, units["time"]), None
    seed = units.get("seed")
    own = [role for role in ("repeat", "fold", "split", "position") if role in units]
    if seed is not None and not own and n_datasets == 1:
        n_test = long.more.get("n_test")
        if isinstance(n_test, np.ndarray) and np.unique(n_test[~np.isnan(n_test)]).size > 1:
            raise UnsuitableDesignError(
                f"the scores of {long.table.name} differ by seed, and the numbers of their test examples differ, too: "
                "so they are not "
                "of one test set. If each seed also drew a new split, call that column 'split' or 'repeat'."
            )
        return "seeds", _key_of(seed), nothing, None
    found = {role: _key_of(units[role]) for role in own}
    last = found.get("fold") or found.get("split") or found.get("position") or nothing
    first = found.get("repeat") or (found.get("split") if "fold" in found else None) or nothing
    return "unknown", first, last, seed


def _periods(long: Long, words: Words) -> Key:
    """Periods in order of time, be they numbers or dates."""
    if all(re.fullmatch(r"[-+]?\d+(\.\d*)?", name) for name in words.names):
        moments: list[Any] = [float(name) for name in words.names]
    else:
        moments = [_moment(name) for name in words.names]
        wrong = [code for code, moment in enumerate(moments) if moment is None]
        if wrong or len({moment.tzinfo is None for moment in moments}) > 1:
            code = next(
                (each for each in wrong if not re.fullmatch(r"-?\d+(\.\d+)?", words.names[each])), wrong[0] if wrong else 0
            )
            raise refuse(
                long.table.name,
                None,
                long.table.where(int(np.argmax(words.code == code))),
                f"{words.names[code]!r} is neither a number nor a date such as 2024-01-31, 2024-01 or 2024-Q1, so the "
                "order of the periods "
                "is not known.",
                "Number them, or write all dates that way (with a time zone in all of them or in none).",
                kind=InvalidScoresError,
            )
    order = sorted(range(len(moments)), key=lambda code: (moments[code], words.names[code]))
    rank = np.zeros(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    texts = [words.names[code] for code in order]
    at_midnight = all(text.endswith(" 00:00:00") for text in texts)
    return Key(rank[words.code], tuple(text.removesuffix(" 00:00:00") if at_midnight else text for text in texts))


def _moment(word: str) -> datetime | None:
    """Begin of the period that a date, a month or a quarter names; None for other words."""
    quarter = re.fullmatch(r"(\d{4})-?Q([1-4])", word)
    if quarter is not None:
        word = f"{quarter[1]}-{3 * int(quarter[2]) - 2:02d}-01"
    try:
        return datetime.fromisoformat(f"{word}-01" if re.fullmatch(r"\d{4}-\d{2}", word) else word)
    except ValueError:
        return None


def _with_columns(matrix: ScoreMatrix, key: Key, kind: Kind) -> ScoreMatrix:
    """Matrix whose columns have the names of its seeds or periods."""
    codes = matrix.repeat if kind == "seeds" else matrix.fold
    return dataclasses.replace(
        matrix, columns=tuple(str(code) if key.labels is None else key.labels[code] for code in codes.tolist())
    )


# --- sizes ----------------------------------------------------------------------------------------------------------------

_ITEMS_FROM = 10
"""Rows of nothing but 0 and 1 from which a table is asked whether its rows are examples."""


def _refuse_items(matrix: ScoreMatrix, long: Long, options: ReadOptions) -> None:
    """Ask whether rows of 0 and 1 are folds or examples: of examples of one test set, resampling statistics would be wrong."""
    score, n_test = matrix.score, options.n_test or int(matrix.n_test.max(initial=0))
    is_binary = bool(np.all((score == 0) | (score == 1) | np.isnan(score)))
    if matrix.n_splits < _ITEMS_FROM or n_test == 1 or not is_binary or np.all(score == score[0, 0]):
        return
    raise AmbiguousSourceError(
        f"{long.table.name} has {matrix.n_splits} rows in which every score is 0 or 1, so they are probably items "
        "(examples of one test "
        "set, right or wrong), and none is a split. Pass ",
        Setting("rows", "'items'"),
        " without sizes to compare the models item by item. If the rows are folds, name them in a column 'fold'.",
    )


def _sizes(long: Long, word: str) -> IntArray | None:
    """n_train or n_test of each row; None where there is no such column or it holds nothing."""
    values = long.more.get(word)
    if not isinstance(values, np.ndarray) or not np.any(np.nan_to_num(values)):
        return None
    wrong = ~(values >= 1) | ~(values <= 2**53) | (values != np.floor(values))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise refuse(
            long.table.name,
            word,
            long.table.where(row),
            f"it must be a number of examples, a whole number of at least 1; got {values[row]:g}.",
            kind=InvalidScoresError,
        )
    return values.astype(np.int64)


def _with_folds(matrix: ScoreMatrix, long: Long, options: ReadOptions) -> ScoreMatrix:
    """The matrix with its number of folds, where sizes are not known and folds are those of a cross-validation."""
    if matrix.has_sizes or options.has_sizes or matrix.n_splits < 2:
        return matrix
    cv = options.cv
    if isinstance(cv, int) and not isinstance(cv, bool):
        if cv < 2 or matrix.n_splits % cv:
            raise MissingSizesError(
                Setting("cv", str(cv)),
                f" was given, but {long.table.name} has {matrix.n_splits} splits, which is no multiple of {cv}.",
            )
        if "position" in long.units or ("fold" in long.units and "repeat" not in long.units and matrix.n_splits > cv):
            repeat, fold = np.divmod(np.arange(matrix.n_splits), cv)
            matrix = dataclasses.replace(matrix, repeat=repeat, fold=fold)
        return dataclasses.replace(matrix, n_folds=cv)
    if "fold" not in long.units:
        return matrix
    _, counts = np.unique(matrix.repeat, return_counts=True)
    k = int(counts[0])
    if k < 2 or np.any(counts != k):
        return matrix
    if k > MOST_FOLDS and not np.all(matrix.n_test > 0):
        raise MissingSizesError(
            f"{long.table.name} has {k} folds of each model: of one cross-validation, or repeats that were numbered on? Pass ",
            Setting("cv", str(k)),
            " for one of so many folds, ",
            Setting("cv", "10"),
            " for repeats of 10 (in the order of their numbers), or ",
            Setting("n_train"),
            " and ",
            Setting("n_test"),
            ", or number the repeats in a column 'repeat'.",
        )
    return dataclasses.replace(matrix, n_folds=k)


# --- matrices -------------------------------------------------------------------------------------------------------------


def _matrix(
    dataset: str,
    long: Long,
    rows: IntArray | None,
    repeat: Key,
    fold: Key,
    seed: Words | None,
    sizes: Sequence[IntArray | None],
    kind: Kind,
) -> ScoreMatrix:
    """Models by splits of one dataset, with the mean over seeds where rows differ by these alone."""

    def some(values: Any) -> Any:
        return values if rows is None or values is None else values[..., rows]

    keys = number_splits(some(repeat.code), some(fold.code))
    n_train, n_test = (size_per_split(some(each), keys, word) for each, word in zip(sizes, ("n_train", "n_test"), strict=True))
    score = some(long.score)
    if long.model is None:
        models = long.models
        if keys.n_splits == score.shape[1]:
            table = np.empty_like(score)
            table[:, keys.code] = score
        else:
            table = np.stack([_means(row, keys.code, keys.n_splits) for row in score])
        return ScoreMatrix(dataset, models, keys.repeat, keys.fold, n_train, n_test, table)
    own = Words(long.models, some(long.model)).ordered()
    if seed is None:
        if kind != "seeds":
            _refuse_disjoint(own, keys, long)
        return assemble(dataset, own.names, own.code, some(repeat.code), some(fold.code), score, *map(some, sizes))
    cell = own.code.astype(np.int64) * keys.n_splits + keys.code
    table = _means(score, cell, len(own.names) * keys.n_splits).reshape(len(own.names), keys.n_splits)
    return ScoreMatrix(dataset, tuple(own.names), keys.repeat, keys.fold, n_train, n_test, table)


def _means(values: FloatArray, cell: IntArray, n_cells: int) -> FloatArray:
    """Mean over the rows of each cell; nan where there is none, or where one of them is undefined."""
    counts = np.bincount(cell, minlength=n_cells)
    sums = np.bincount(cell, weights=values, minlength=n_cells)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


_MOST_CELLS = 5_000_000


def _refuse_disjoint(models: Words, keys: SplitKeys, long: Long) -> None:
    """Refuse two models that have no split in common; those with some in common are for the comparison to judge."""
    if models.code.size == len(models.names) * keys.n_splits or len(models.names) * keys.n_splits > _MOST_CELLS:
        return
    there = np.zeros((len(models.names), keys.n_splits), dtype=np.float32)
    there[models.code, keys.code] = 1.0
    disjoint = np.argwhere(there @ there.T == 0)
    if not disjoint.size:
        return
    one, two = disjoint[0].tolist()
    is_time = "time" in long.units
    unit = "period (column 'time')" if is_time else "split"
    examples = " and ".join(
        f"{models.names[each]!r} has {int(there[each].sum())}, the first of them {keys.name(int(np.argmax(there[each])))}"
        for each in (one, two)
    )
    raise UnpairedScoresError(
        f"{long.table.name}: models {models.names[one]!r} and {models.names[two]!r} have no {unit} in common: "
        f"{examples}. Score both on the same ones, or leave one out with ",
        Setting("models"),
        ". If the times say how long something took, call it 'seconds'." if is_time else ".",
    )


def _infinite(long: Long) -> TiebreakError:
    row = int(np.argwhere(np.isinf(long.score))[0][-1])
    model = long.models[int(np.argmax(np.isinf(long.score[:, row])))] if long.model is None else long.models[long.model[row]]
    return refuse(
        long.table.name,
        None,
        long.table.where(row),
        f"the score of model {model!r} is infinite.",
        "Means and differences would be infinite too; correct it, or leave the cell empty (nan) if the score is undefined.",
        kind=InvalidScoresError,
    )


_ROUNDING = 1e-9


def _check_bounds(matrix: ScoreMatrix, metric: Metric, long: Long) -> None:
    """Refuse values that the metric cannot have; a share may be in per cent, for all models and datasets alike."""
    low, high = metric.bounds_of(0.0, 0.0)
    low = low if metric.higher_is_better else -np.inf  # losses below 0 are told by their names
    if metric.is_share and np.all(np.fmax.reduce(matrix.score, axis=1, initial=-np.inf) > 1):
        high = 100.0
    inside = (matrix.score < low) | (matrix.score > high + _ROUNDING)
    outside = (long.score < low) | (long.score > high + _ROUNDING)
    if not outside.any() or (long.metrics is not None and not inside.any()):
        return
    at = np.argwhere(outside)[0]
    row, value = int(at[-1]), float(long.score[tuple(at)])
    model = long.models[int(at[0])] if long.model is None else long.models[long.model[row]]
    percent = "1 (or 0 and 100 in per cent, for all models and datasets)" if metric.is_share else ""
    raise refuse(
        long.table.name,
        None,
        long.table.where(row),
        f"{metric.name} lies between {low:g} and {percent or f'{high:g}'}, and that of {model!r} is {value:g}.",
        "Write all in one unit, or name another metric.",
        kind=InvalidScoresError,
    )


# --- seeds and counts -----------------------------------------------------------------------------------------------------


def _seed_notices(long: Long, seed: Words | None, datasets: Words | None) -> Iterator[Notice]:
    """Remark that the seeds of each of several datasets are averaged, with how far they differ where models are in one column."""
    if seed is None or datasets is None or len(datasets.names) == 1:
        return
    spread = ""
    if long.model is not None:
        code = cell_of(Words(long.models, long.model), {"dataset": datasets})
        order = np.argsort(code, kind="stable")
        deviations = [
            float(np.std(group, ddof=1))
            for group in np.split(long.score[order], np.flatnonzero(np.diff(code[order])) + 1)
            if group.size > 1
        ]
        if deviations and long.metrics is None:
            spread = f" (median standard deviation {np.median(deviations):.2g} within a model and dataset)"
    yield Notice(
        "averaged-seeds",
        f"scores that differ by seed are averaged within each dataset{spread}: seeds show the noise of training, not other data",
    )


def _of_counts(long: Long, options: ReadOptions) -> Source:
    """Rates of models on test sets of their own, from counts or rates and numbers of examples."""
    table, total, model = long.table, cast(FloatArray, long.more["total"]), cast(IntArray, long.model)
    value, is_count = long.score, long.roles == "counts"
    most = total if is_count else np.ones(total.size)
    wrong = ~(total >= 1) | (total != np.floor(total)) | ~(value >= 0) | ~(value <= most)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "between 0 and the number of examples" if is_count else "a rate between 0 and 1"
        raise refuse(
            table.name,
            long.column,
            table.where(row),
            f"it is {value[row]:g}, of {total[row]:g} examples; it must be {what}, and the number of "
            "examples a whole number of at least 1.",
            kind=InvalidScoresError,
        )
    sets = long.more.get("test_set")
    sets = sets if isinstance(sets, Words) else None
    models = Words(long.models, model)
    _refuse_shared_sets(models, sets, table.name)
    rows, nothing = np.arange(value.size), np.zeros(value.size, dtype=np.int64)
    score = np.full((len(models.names), value.size), np.nan)
    score[models.code, rows] = value / total if is_count else value
    own = [f"of {models.names[code]}" for code in models.code] if sets is None else sets.texts()
    matrix = ScoreMatrix("", long.models, nothing, rows, nothing, total.astype(np.int64), score, tuple(own))
    if is_count:
        named = NamedMetric(Metric(options.metric or long.metric or "accuracy", long.metric != "error rate"), 1)
    else:
        named = table_metric(None, options, table.name)
    return source_of([matrix], named, SplitDesign("test-sets"), options, table.name)


def _refuse_shared_sets(models: Words, sets: Words | None, source: str) -> None:
    """Refuse two models on one test set, whose answers are paired, and two counts of one model on the same or an unnamed one."""
    keys = models.code if sets is None else sets.code
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    if not same.size:
        return
    one, two = (models.names[models.code[order[place]]] for place in (same[0], same[0] + 1))
    if sets is None or one == two:
        raise InvalidScoresError(
            f"{source} has two rows for model {one!r}{'' if sets is None else ' on one test set'}. Add them up, or "
            "name the test sets in a "
            "column 'test_set' if they share no example."
        )
    raise UnpairedScoresError(
        f"{source}: {one!r} and {two!r} were both scored on the test set {sets.names[keys[order[same[0]]]]!r}, so "
        "their answers go "
        "together, and counts do not say how. Compare them example by example: a column 'item' and one for each model."
    )
