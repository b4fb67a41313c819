"""The long table becomes models by splits of each dataset: of seeds, periods and test sets as well, which are no splits."""

import dataclasses
import re
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import (
    DataError,
    Setting,
    TiebreakError,
    UnclearSourceError,
)
from tiebreak.numerics import IntArray
from tiebreak.plan.splits import MOST_FOLDS
from tiebreak.readers.files import refuse
from tiebreak.readers.metric import mixed_metrics, table_metric
from tiebreak.readers.shapes import Long
from tiebreak.readers.source import ReadOptions, Source, refuse_items, source_of
from tiebreak.readers.tables import Words
from tiebreak.scores.assemble import assemble
from tiebreak.scores.metric import Metric, NamedMetric
from tiebreak.scores.scores import ScoreMatrix, SplitDesign
from tiebreak.scores.vocabulary import Kind, Notice

MOST_MODELS = 20_000
"""Of that many models there are 200 million pairs."""


_SEEDS = "seeds show the noise of training, not other data"


class Key(NamedTuple):
    """Whole numbers that identify a repeat or fold, and the words behind them if the source uses words."""

    code: IntArray
    labels: tuple[str, ...] | None


def source_of_long(long: Long, options: ReadOptions) -> Source:
    """Scores of a long table, and where they came from."""
    if len(long.models) > MOST_MODELS:
        what = f"it has {len(long.models):,} models, and at most {MOST_MODELS:,} are compared."
        raise refuse(long.name, what, "Is it a table of scores?")
    if "total" in long.numbers:
        return _of_counts(long, options)
    score, words = long.numbers["score"], long.words
    datasets = words.get("dataset", Words(("",), np.zeros(score.size, dtype=np.int8))).ordered()
    n_datasets = len(datasets.names)
    kind, repeat, fold, seed = _keys_of(long, n_datasets)
    if (infinite := np.isinf(score)).any():
        fix = "Means and differences would be infinite too; correct it, or leave the cell empty (nan) if the score is undefined."
        raise _wrong_score(long, infinite, "the score of model {model!r} is infinite.", fix)
    sizes = [_sizes(long, word) for word in ("n_train", "n_test")]
    matrices = []
    for number, name in enumerate(datasets.names):
        rows = np.flatnonzero(datasets.code == number) if n_datasets > 1 else slice(None)
        own = Words(long.models, words["model"].code[rows]).ordered()
        keys, its = (repeat.code[rows], fold.code[rows]), (each if each is None else each[rows] for each in sizes)
        matrix = assemble(name, own.names, own.code, *keys, score[rows], *its)
        if kind != "seeds" and seed is None:
            _refuse_disjoint(matrix, long.name, is_time=kind == "periods")
        matrices.append(matrix)
    if kind != "unknown":
        key, codes = (repeat, matrices[0].repeat) if kind == "seeds" else (fold, matrices[0].fold)
        labels = tuple(str(code) if key.labels is None else key.labels[code] for code in codes.tolist())
        matrices = [dataclasses.replace(matrices[0], columns=labels)]
    elif n_datasets == 1 and seed is None:
        matrices = [_with_folds(matrices[0], long, options)]
    by_position = "position" in words
    if by_position or "split" in words:
        refuse_items(matrices[0], options, long.name)
    needs_no_sizes = kind != "unknown" or n_datasets > 1 or matrices[0].has_ratio or options.has_sizes
    named: list[NamedMetric] | NamedMetric
    if "metric" not in words:
        named = table_metric(long.metric, options, long.name, has_sizes=needs_no_sizes)
    else:
        held = np.zeros(n_datasets, dtype=np.intp)
        held[datasets.code] = words["metric"].code
        named = mixed_metrics([words["metric"].names[code] for code in held.tolist()], options, long.name)
    for place, matrix in enumerate(matrices):
        _check_bounds(matrix, (named if isinstance(named, NamedMetric) else named[place]).metric, long)
    averaged = seed is not None and n_datasets > 1
    notices = (Notice("read-as", f"scores that differ by seed are averaged within each dataset: {_SEEDS}"),) if averaged else ()
    design = SplitDesign(kind, ordered=kind == "periods", pairing="position" if by_position else "key")
    source = source_of(matrices, named, design, options, long.name, notices=notices)
    return dataclasses.replace(source, repeat_labels=repeat.labels, fold_labels=fold.labels)


# --- keys -----------------------------------------------------------------------------------------------------------------


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort key by which "fold 2" comes before "fold 10"."""
    parts = re.split(r"(\d+)", text.casefold())
    # Python makes no number of thousands of digits
    return tuple((0, int(part), "") if part.isdecimal() and len(part) < 1000 else (1, 0, part) for part in parts if part), text


def _key_of(words: Words) -> Key:
    """Names that are whole numbers as these, others numbered in their natural order."""
    if all(re.fullmatch(r"-?\d{1,15}", name) for name in words.names) and len(set(map(int, words.names))) == len(words.names):
        return Key(np.array([int(name) for name in words.names])[words.code], None)
    order = sorted(np.unique(words.code).tolist(), key=lambda code: natural_key(words.names[code]))
    rank = np.zeros(len(words.names), dtype=np.int32)
    rank[order] = np.arange(len(order))
    return Key(rank[words.code], tuple(words.names[code] for code in order))


def _keys_of(long: Long, n_datasets: int) -> tuple[Kind, Key, Key, Words | None]:
    """Kind of the units, the repeat and fold of each row, and its seed where scores that differ by it are averaged."""
    nothing = Key(np.zeros(long.numbers["score"].size, dtype=np.int8), None)
    if "time" in long.words:
        if n_datasets > 1:
            raise DataError(
                f"{long.name} has periods of {n_datasets} datasets; losses in time are compared within one. Say which with ",
                Setting("dataset"),
                ", or leave the column of times out to compare over datasets.",
            )
        return "periods", nothing, _periods(long), None
    seed = long.words.get("seed")
    found = {role: _key_of(long.words[role]) for role in ("repeat", "fold", "split", "position") if role in long.words}
    if seed is not None and not found and n_datasets == 1:
        n_test = long.numbers.get("n_test", np.array([]))
        if np.unique(n_test[~np.isnan(n_test)]).size > 1:
            raise DataError(
                f"the scores of {long.name} differ by seed, and the numbers of their test examples differ, too: so they "
                "are not of one test set. If each seed also drew a new split, call that column 'split' or 'repeat'."
            )
        return "seeds", _key_of(seed), nothing, None
    first = found.pop("repeat", None) or (found.pop("split", None) if "fold" in found else None) or nothing
    return "unknown", first, next(iter(found.values()), nothing), seed


def _periods(long: Long) -> Key:
    """Periods in order of time, be they numbers or dates."""
    words = long.words["time"]
    if all(_NUMBER.fullmatch(name) for name in words.names):
        moments: list[Any] = [float(name) for name in words.names]
    else:
        moments = [_moment(name) for name in words.names]
        if None in moments or len({moment.tzinfo is None for moment in moments}) > 1:
            code = min(
                range(len(moments)), key=lambda each: (moments[each] is not None, bool(_NUMBER.fullmatch(words.names[each])))
            )
            raise refuse(
                long.name,
                f"{words.names[code]!r} is neither a number nor a date such as 2024-01-31, 2024-01 or 2024-Q1, so the order of "
                "the periods is not known.",
                "Number them, or write all dates that way (with a time zone in all of them or in none).",
                row=long.where(int(np.argmax(words.code == code))),
            )
    rank = np.zeros(len(moments), dtype=np.intp)
    rank[sorted(range(len(moments)), key=lambda code: (moments[code], words.names[code]))] = np.arange(len(moments))
    end = " 00:00:00" if all(text.endswith(" 00:00:00") for text in words.names) else ""
    ordered = sorted(zip(rank.tolist(), words.names, strict=True))
    return Key(rank[words.code], tuple(text.removesuffix(end) for _, text in ordered))


_NUMBER = re.compile(r"[-+]?\d+(\.\d*)?")


def _moment(word: str) -> datetime | None:
    """Begin of the period that a date, a month or a quarter names; None for other words."""
    quarter = re.fullmatch(r"(\d{4})-?Q([1-4])", word)
    month = f"{quarter[1]}-{3 * int(quarter[2]) - 2:02d}" if quarter is not None else word
    with suppress(ValueError):
        return datetime.fromisoformat(f"{month}-01" if re.fullmatch(r"\d{4}-\d{2}", month) else word)
    return None


# --- sizes ----------------------------------------------------------------------------------------------------------------


def _sizes(long: Long, word: str) -> IntArray | None:
    """n_train or n_test of each row; None where there is no such column or it holds nothing."""
    values = long.numbers.get(word, np.array([]))
    if not np.any(np.nan_to_num(values)):
        return None
    wrong = ~(values >= 1) | ~(values <= 2**53) | (values != np.floor(values))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise refuse(
            long.name,
            f"it must be a number of examples, a whole number of at least 1; got {values[row]:g}.",
            column=word,
            row=long.where(row),
        )
    return values.astype(np.int64)


def _with_folds(matrix: ScoreMatrix, long: Long, options: ReadOptions) -> ScoreMatrix:
    """The matrix with its number of folds, where sizes are not known and folds are those of a cross-validation."""
    if matrix.has_sizes or options.has_sizes or matrix.n_splits < 2:
        return matrix
    cv = options.cv
    if isinstance(cv, int) and not isinstance(cv, bool):
        if cv < 2 or matrix.n_splits % cv:
            what = f" was given, but {long.name} has {matrix.n_splits} splits, which is no multiple of {cv}."
            raise UnclearSourceError(Setting("cv", str(cv)), what)
        if "position" in long.words or ("fold" in long.words and "repeat" not in long.words and matrix.n_splits > cv):
            repeat, fold = np.divmod(np.arange(matrix.n_splits), cv)
            matrix = dataclasses.replace(matrix, repeat=repeat, fold=fold)
        return dataclasses.replace(matrix, n_folds=cv)
    counts = set(np.unique(matrix.repeat, return_counts=True)[1].tolist())
    k = counts.pop()
    if "fold" not in long.words or k < 2 or counts:
        return matrix
    if k > MOST_FOLDS and not np.all(matrix.n_test > 0):
        raise UnclearSourceError(
            f"{long.name} has {k} folds of each model: of one cross-validation, or repeats that were numbered on? Pass ",
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


# --- checks ---------------------------------------------------------------------------------------------------------------


def _refuse_disjoint(matrix: ScoreMatrix, source: str, *, is_time: bool) -> None:
    """Refuse two models that have no split in common; those with some in common are for the comparison to judge."""
    present = ~np.isnan(matrix.score)
    kept = np.flatnonzero(present.any(axis=1))  # a model whose scores are all undefined may have been on any
    if present.all() or kept.size > _MOST_PAIRED:
        return
    there = present[kept].astype(np.float32)
    apart = np.argwhere(there @ there.T == 0)
    if apart.size:
        (one, first), (two, second) = ((matrix.models[row], int(np.argmax(present[row]))) for row in kept[apart[0]])
        unit = "period (column 'time')" if is_time else "split"
        raise DataError(
            f"{source}: models {one!r} and {two!r} have no {unit} in common: the first of one is "
            f"{matrix.split_name(first)}, of the other {matrix.split_name(second)}. Score both on the same ones, or leave one "
            "out with ",
            Setting("models"),
            ". If the times say how long something took, call it 'seconds'." if is_time else ".",
        )


_MOST_PAIRED = 2_000
"""Models of which each pair is looked at."""


def _wrong_score(long: Long, wrong: Any, what: str, fix: str) -> TiebreakError:
    """Error for the first score that is marked; its text has places for the model and the value."""
    row = int(np.argmax(wrong))
    text = what.format(model=long.models[long.words["model"].code[row]], value=float(long.numbers["score"][row]))
    return refuse(long.name, text, fix, row=long.where(row))


_ROUNDING = 1e-9


def _check_bounds(matrix: ScoreMatrix, metric: Metric, long: Long) -> None:
    """Refuse values that the metric cannot have; a share may be in per cent, for all models and datasets alike."""
    low, high = metric.bounds_of(0.0, 0.0)
    low = low if metric.higher_is_better else -np.inf  # losses below 0 are told by their names
    if metric.is_share and np.all(np.fmax.reduce(matrix.score, axis=1, initial=-np.inf) > 1):
        high = 100.0
    inside = (matrix.score < low) | (matrix.score > high + _ROUNDING)
    score = long.numbers["score"]
    outside = (score < low) | (score > high + _ROUNDING)
    if not outside.any() or ("metric" in long.words and not inside.any()):
        return
    most = "1 (or 0 and 100 in per cent, for all models and datasets)" if metric.is_share else f"{high:g}"
    what = "{name} lies between {low:g} and {most}".format(
        name=metric.name.replace("{", "{{").replace("}", "}}"), low=low, most=most
    )
    fix = "Write all in one unit, or name another metric."
    raise _wrong_score(long, outside, what + ", and that of {model!r} is {value:g}.", fix)


# --- seeds and counts -----------------------------------------------------------------------------------------------------


def _of_counts(long: Long, options: ReadOptions) -> Source:
    """Rates of models on test sets of their own, from counts or rates and numbers of examples."""
    models, sets, is_count = long.words["model"], long.words.get("test_set"), long.roles == "counts"
    value, total = long.numbers["score"], long.numbers["total"]
    most = total if is_count else np.ones(total.size)
    wrong = ~(total >= 1) | (total != np.floor(total)) | ~(value >= 0) | ~(value <= most)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "between 0 and the number of examples" if is_count else "a rate between 0 and 1"
        raise refuse(
            long.name,
            f"it is {value[row]:g}, of {total[row]:g} examples; it must be {what}, and the number of "
            "examples a whole number of at least 1.",
            column=long.column,
            row=long.where(row),
        )
    _refuse_shared_sets(models, sets, long.name)
    rows, nothing = np.arange(value.size), np.zeros(value.size, dtype=np.int64)
    score = np.full((len(models.names), value.size), np.nan)
    score[models.code, rows] = value / total if is_count else value
    own = [f"of {long.models[code]}" for code in models.code] if sets is None else sets.texts()
    matrix = ScoreMatrix("", long.models, nothing, rows, nothing, total.astype(np.int64), score, tuple(own))
    counted = NamedMetric(Metric(options.metric or long.metric or "accuracy", long.metric != "error rate"), 1)
    named = counted if is_count else table_metric(None, options, long.name)
    return source_of([matrix], named, SplitDesign("test-sets"), options, long.name)


def _refuse_shared_sets(models: Words, sets: Words | None, source: str) -> None:
    """Refuse two models on one test set, whose answers are paired, and two counts of one model on the same or an unnamed one."""
    keys = models.code if sets is None else sets.code
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    if not same.size:
        return
    one, two = (models.names[models.code[order[place]]] for place in (same[0], same[0] + 1))
    if sets is None or one == two:
        raise DataError(
            f"{source} has two rows for model {one!r}{'' if sets is None else ' on one test set'}. Add them up, or "
            "name the test sets in a "
            "column 'test_set' if they share no example."
        )
    raise DataError(
        f"{source}: {one!r} and {two!r} were both scored on the test set {sets.names[keys[order[same[0]]]]!r}, so "
        "their answers go "
        "together, and counts do not say how. Compare them example by example: a column 'item' and one for each model."
    )
