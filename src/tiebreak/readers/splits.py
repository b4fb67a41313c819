"""The long table becomes models by splits of each dataset, or by seeds, periods or test sets; several sources are paired."""

import dataclasses
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain, combinations
from typing import Any, cast

import numpy as np

from tiebreak.errors import (
    DataError,
    Setting,
    UnclearSourceError,
)
from tiebreak.numerics import FloatArray, IntArray, divide
from tiebreak.readers.header import is_metric
from tiebreak.readers.long import Long
from tiebreak.readers.source import ReadOptions, Source, mixed_metrics, refuse_items, refuse_versions, scores_of, table_metric
from tiebreak.readers.tables import Words, ranked
from tiebreak.scores.metric import Metric, NamedMetric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Kind, Notice, quoted

MOST_MODELS = 20_000
"""Of that many models there are 200 million pairs."""

MOST_FOLDS = 10
"""Folds whose numbers are taken for those of one cross-validation; of more, some may be repeats that were numbered on."""


def scores_of_long(long: Long, options: ReadOptions) -> tuple[Scores, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Scores of a long table, and the words behind its repeats and folds, as `Source` has them."""
    if len(long.models) > MOST_MODELS:
        raise long.refuse(
            f"it has {len(long.models):,} models, and at most {MOST_MODELS:,} are compared.", "Is it a table of scores?"
        )
    score, words = long.numbers["score"], long.words
    datasets = words.get("dataset", Words(("",), np.zeros(score.size, dtype=np.int8))).ordered()
    n_datasets = len(datasets.names)
    kind, repeat, fold, seed = _keys_of(long, n_datasets)
    sizes = [_sizes(long, word) for word in ("n_train", "n_test")]
    matrices = []
    for number, name in enumerate(datasets.names):
        rows = np.flatnonzero(datasets.code == number) if n_datasets > 1 else slice(None)
        own = Words(long.models, words["model"].code[rows]).ordered()
        beside = (each if each is None else each[rows] for each in sizes)
        matrices.append(assemble(name, own.names, own.code, repeat.code[rows], fold.code[rows], score[rows], *beside))
    if kind != "unknown":
        key, codes = (repeat, matrices[0].repeat) if kind == "seeds" else (fold, matrices[0].fold)
        matrices = [dataclasses.replace(matrices[0], columns=_said(key.names, codes))]
    elif n_datasets == 1 and (seed is None or options.cv is not None):
        matrices = [_with_folds(matrices[0], long, options)]
    if options.rows == "seeds" and options.cv not in (None, matrices[0].n_splits):
        raise long.refuse(
            f"each training run has a row of its own, so their number is known: {matrices[0].n_splits}, not {options.cv!r:.40}.",
            "Leave their number out: it is for tables of means over runs.",
        )
    by_position = "position" in words
    if by_position or "split" in words:
        refuse_items(matrices[0], options, long.name)
    needs_no_sizes = kind != "unknown" or n_datasets > 1 or matrices[0].has_ratio or options.has_sizes
    if long.lower_is_better is not None:  # of counts
        named = [NamedMetric(Metric(str(long.metric), not long.lower_is_better), 1)]
    elif "metric" not in words:
        named = [table_metric(long.metric, options, long.name, has_sizes=needs_no_sizes)] * n_datasets
    else:
        held = np.zeros(n_datasets, dtype=np.intp)
        held[datasets.code] = words["metric"].code
        named = mixed_metrics([words["metric"].names[code] for code in held.tolist()], options, long.name)
    for metric in dict.fromkeys(its.metric for its in named):
        _check_bounds([matrix.score for matrix, its in zip(matrices, named, strict=True) if its.metric == metric], metric, long)
    averaged = Notice(
        "read-as",
        f"scores that differ by seed are averaged {'within each dataset' if n_datasets > 1 else 'on each split'}: seeds show the "
        "noise of training, not other data",
    )
    design = SplitDesign(kind, ordered=kind == "periods", pairing="position" if by_position else "key")
    return scores_of(
        matrices, named, design, options, long.name, notices=() if seed is None else (averaged,), roles=long.roles
    ), (repeat.names, fold.names)


# --- keys -----------------------------------------------------------------------------------------------------------------


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort key by which "fold 2" comes before "fold 10"."""
    parts = re.split(r"(\d+)", text.casefold())
    # Python makes no number of thousands of digits
    return tuple((0, int(part), "") if part.isdecimal() and len(part) < 1000 else (1, 0, part) for part in parts if part), text


def _key_of(words: Words) -> Words:
    """Names that are whole numbers as these, which need no names, others numbered in their natural order."""
    words = words.ordered()
    numbers = list(map(int, words.names)) if all(re.fullmatch(r"-?\d{1,15}", name) for name in words.names) else []
    if len(set(numbers)) == len(words.names):
        return Words((), np.array(numbers)[words.code])
    return ranked(words, list(map(natural_key, words.names)))


def _said(names: Sequence[str], codes: IntArray) -> tuple[str, ...]:
    """The names of codes, which are the names themselves where there are none."""
    return tuple(names[code] if names else str(code) for code in codes.tolist())


def _keys_of(long: Long, n_datasets: int) -> tuple[Kind, Words, Words, Words | None]:
    """Kind of the units, the repeat and fold of each row, and its seed where scores that differ by it are averaged."""
    nothing = Words((), np.zeros(long.numbers["score"].size, dtype=np.int8))
    if "time" in long.words:
        if n_datasets > 1:
            raise DataError(
                f"{long.name} has periods of {n_datasets} datasets; losses in time are compared within one. Say which with ",
                Setting("dataset"),
                ", or leave the column of times out to compare over datasets.",
            )
        return "periods", nothing, _periods(long), None
    if "test_set" in long.words:
        return "test-sets", nothing, long.words["test_set"].ordered(), None
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


def _periods(long: Long) -> Words:
    """Periods in order of time, be they numbers or dates."""
    words = long.words["time"].ordered()
    moments = list(map(_moment, words.names))
    kinds = [(type(moment), getattr(moment, "tzinfo", None) is None) for moment in moments]
    odd = [code for code, kind in enumerate(kinds) if moments[code] is None or kind != kinds[0]]
    long.refuse_rows(
        np.isin(words.code, odd),
        lambda row: (
            f"{words.names[words.code[row]]!r} is neither a number nor a date such as 2024-01-31, 2024-01 or 2024-Q1, as the "
            "others are, so the order of the periods is not known."
        ),
        "Number them, or write all dates that way (with a time zone in all of them or in none).",
    )
    found = ranked(words, list(zip(moments, words.names, strict=True)))
    end = " 00:00:00" if all(text.endswith(" 00:00:00") for text in words.names) else ""
    return found._replace(names=tuple(text.removesuffix(end) for text in found.names))


def _moment(word: str) -> float | datetime | None:
    """A number, or the begin of the period that a date, a month or a quarter names; None for other words."""
    if re.fullmatch(r"[-+]?\d+(\.\d*)?", word):
        return float(word)
    month = re.sub(r"(\d{4})-?Q([1-4])", lambda quarter: f"{quarter[1]}-{3 * int(quarter[2]) - 2:02d}", word)
    with suppress(ValueError):
        return datetime.fromisoformat(f"{month}-01" if re.fullmatch(r"\d{4}-\d{2}", month) else word)
    return None


# --- sizes ----------------------------------------------------------------------------------------------------------------


def _sizes(long: Long, word: str) -> IntArray | None:
    """n_train or n_test of each row; None where there is no such column or it holds nothing."""
    values = long.numbers.get(word, np.array([]))
    if not np.any(np.nan_to_num(values)):
        return None
    long.refuse_rows(
        ~(values >= 1) | ~(values <= 2**53) | (values != np.floor(values)),
        lambda row: f"it must be a number of examples, a whole number of at least 1; got {values[row]:g}.",
        column=word,
    )
    return values.astype(np.int64)


def _with_folds(matrix: ScoreMatrix, long: Long, options: ReadOptions) -> ScoreMatrix:
    """The matrix with its number of folds, where sizes are not known and folds are those of a cross-validation."""
    if matrix.has_sizes or options.has_sizes or matrix.n_splits < 2:
        return matrix
    if options.cv is not None:
        from tiebreak.plan.splits import splits_unseen  # which few tables need

        splits = splits_unseen(options.cv, matrix.n_splits)
        is_numbered_on = "fold" in long.words and "repeat" not in long.words and matrix.n_splits > splits.n_folds > 0
        if is_numbered_on or "position" in long.words:
            matrix = dataclasses.replace(matrix, repeat=splits.repeat, fold=splits.fold)
        return dataclasses.replace(matrix, n_folds=splits.n_folds)
    k, *others = np.unique(np.unique(matrix.repeat, return_counts=True)[1]).tolist()
    if "fold" not in long.words or k < 2 or others:
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


_ROUNDING = 1e-9


def _check_bounds(scores: Sequence[FloatArray], metric: Metric, long: Long) -> None:
    """Refuse values that the metric of datasets cannot have; a share may be in per cent, for all models and datasets alike."""
    low, high = metric.bounds
    low = low if metric.higher_is_better else -np.inf  # losses below 0 are told by their names
    most = [np.fmax.reduce(each, axis=1, initial=-np.inf) for each in scores]
    is_percent = metric.is_share and all(np.all((each > 1) | (each == 0)) and each.max(initial=0) > 2 for each in most)
    score, model, high = long.numbers["score"], long.words["model"], (100.0 if is_percent else high) + _ROUNDING
    if "metric" not in long.words or any(np.any((each < low) | (each > high)) for each in scores):
        end = "1 (or 0 and 100 in per cent, for all models and datasets)" if metric.is_share else f"{high:g}"
        long.refuse_rows(
            (score < low) | (score > high),
            lambda row: (
                f"{metric.name} lies between {low:g} and {end}, and that of {model.names[model.code[row]]!r} is {score[row]:g}."
            ),
            "Write all in one unit, or name another metric.",
        )


# --- several sources ------------------------------------------------------------------------------------------------------


def join_sources(sources: Sequence[Source]) -> Scores:
    """Scores of all sources, paired by split.

    Equal hashes of the test examples prove that splits are the same, different ones that they are not; where one is not
    known, splits are taken to be the same by their keys, with a notice.
    """
    if len(sources) == 1:
        return cast(Scores, sources[0].held)
    _check_alike(sources)
    named = {name for source in sources for name in source.held.datasets if name}
    common = min(named) if len(named) == 1 else ""  # a dataset without a name is that of the others
    kept = _relabelled(sources)
    reference = next((source for source in kept if source.held.design.pairing == "key"), kept[0])
    kept, order = _versions_apart([_aligned(source, reference) for source in kept], common)
    datasets = dict.fromkeys(name or common for source in kept for name in source.held.datasets)
    matrices = tuple(_join_dataset(name, kept, common, order) for name in datasets)
    notices = dict.fromkeys(notice for source in kept for notice in source.held.notices)
    # seeds, periods and datasets of one score have names of their own, and a test set of each model needs none
    are_numbered = not matrices[0].columns and any(matrix.n_splits > 1 for matrix in matrices)
    if are_numbered and any(source.held.design.hash is None for source in kept):
        names = " and ".join(source.name for source in kept) if len(kept) == 2 else f"the {len(kept)} sources"
        notices |= {
            Notice(
                "assumed-paired",
                f"nothing proves that {names} used the same splits; they are paired by split number, and the answer is wrong if "
                "the splits differ",
            ): None
        }
    designs = [source.held.design for source in kept]
    is_exact = any(design.sizes == "exact" for design in designs)
    design = SplitDesign(
        kind=next((design.kind for design in designs if design.kind != "unknown"), "unknown"),
        ordered=any(design.ordered for design in designs),
        pairing="key" if all(design.pairing == "key" for design in designs) else "position",
        sizes="missing" if not all(matrix.has_sizes for matrix in matrices) else "exact" if is_exact else "approximate",
        hash=designs[0].hash if len({design.hash for design in designs}) == 1 else None,
    )
    return Scores(
        kept[0].held.metric,
        matrices,
        design,
        tuple(notices),
        tuple(each for source in kept for each in source.held.saved_settings),
        {name: times for source in kept for name, times in source.held.fit_times.items()},
        roles=tuple(dict.fromkeys(text for source in kept for text in source.held.roles)),
    )


def _check_alike(sources: Sequence[Source]) -> None:
    """Refuse scores of another metric, by other units, and of splits that are known to differ."""
    first = sources[0]
    if "means" in {source.held.design.kind for source in sources}:
        raise DataError("tables of means are compared one at a time: put the rows of all sources into one table.")
    known = next((source for source in sources if source.held.design.hash is not None), first)
    for other in sources[1:]:
        metrics = [each.held.metric for each in (first, other)]
        words = [f"{m.name!r} ({'higher' if m.higher_is_better else 'lower'} is better)" for m in metrics]
        kinds = [_NO_SPLITS.get(each.held.design.kind, "split") for each in (first, other)]
        if metrics[0] != metrics[1]:
            raise UnclearSourceError(
                f"{first.name} holds {words[0]} and {other.name} holds {words[1]}; only scores of one metric can be compared. "
                "Choose one that both hold with ",
                Setting("metric"),
                ".",
            )
        if kinds[0] != kinds[1]:
            raise DataError(
                f"{first.name} holds scores by {kinds[0]}, {other.name} scores by {kinds[1]}; these answer different questions, "
                "so they cannot be joined. Compare each by itself."
            )
        if other.held.design.hash not in (None, known.held.design.hash):
            raise DataError(
                f"{known.name} and {other.name} were made with different splits (their test examples differ), so their "
                "scores cannot be paired. Evaluate all models with the same cv, its random_state fixed, on the same data."
            )


_NO_SPLITS = {"seeds": "seed", "periods": "period", "test-sets": "test set"}
"""Units of scores that are not of splits, by the kind of their design."""


# --- keys -----------------------------------------------------------------------------------------------------------------


def _relabelled(sources: Sequence[Source]) -> Sequence[Source]:
    """Sources whose repeats and folds have one numbering, where some name them in words."""
    for place, part in enumerate(("repeat", "fold")):
        if len({source.labels[place] for source in sources}) > 1:
            words = [[_said(source.labels[place], getattr(each, part)) for each in source.held.matrices] for source in sources]
            number = {word: code for code, word in enumerate(sorted({*chain(*chain(*words))}, key=natural_key))}
            sources = [
                source._replace(
                    held=source.held.with_matrices(
                        [
                            dataclasses.replace(each, **{part: np.array([number[word] for word in said])})
                            for each, said in zip(source.held.matrices, own, strict=True)
                        ]
                    )
                )
                for source, own in zip(sources, words, strict=True)
            ]
    return sources


def _aligned(source: Source, reference: Source) -> Source:
    """Source with the keys of the reference, where only the order of its splits says which is which."""
    design = source.held.design
    is_same = design.hash is not None and design.hash == reference.held.design.hash
    if len(source.held.matrices) != len(reference.held.matrices) or not (is_same or design.pairing == "position"):
        return source
    pairs = list(zip(source.held.matrices, reference.held.matrices, strict=True))
    for mine, theirs in [pair for pair in pairs if pair[0].n_splits != pair[1].n_splits][:1]:
        raise DataError(
            f"{source.name} does not name its splits, so it can be paired with {reference.name} only by their order; but "
            f"one has {mine.n_splits} splits and the other {theirs.n_splits}."
        )
    return source._replace(
        held=source.held.with_matrices(
            [dataclasses.replace(mine, repeat=theirs.repeat, fold=theirs.fold) for mine, theirs in pairs]
        )
    )


def _versions_apart(sources: Sequence[Source], common: str) -> tuple[list[Source], Iterable[str]]:
    """Sources in which models of one name, but other scores on some dataset that both have, are called after the source.

    A dataset without a name is the `common` one. With the sources come the names of all models, versions side by side.
    """
    marks = [source.file or source.place for source in sources]
    has_parts = sources[0].held.design.kind != "test-sets"  # of a model's scores, by split; each model has a test set of its own
    places: dict[str, list[int]] = {}
    for place, source in enumerate(sources):
        for name in source.held.models:
            places.setdefault(name, []).append(place)
    n_versions, called, order = dict.fromkeys(places, 1), [dict[str, str]() for _ in sources], dict[str, None]()
    for name, own_places in places.items():
        versions: list[tuple[dict[str, Any], list[int]]] = []
        for place in own_places if len(own_places) > 1 else ():
            scores = _by_dataset(sources[place].held, name, common)
            for seen, its_places in versions:  # noqa: B007  (used behind the loop)
                pairs = [(own, seen[dataset]) for dataset, own in scores.items() if dataset in seen]
                if all(own == its or (has_parts and own.keys().isdisjoint(its)) for own, its in pairs):
                    break
            else:
                seen, its_places = {}, []
                versions.append((seen, its_places))
            seen.update(scores)
            its_places.append(place)
        if len(versions) < 2:
            order[name] = None
            continue
        n_versions[name] = len(versions)
        its_marks = [marks[each[0]] for _, each in versions]
        if all(map(is_metric, its_marks)):
            raise UnclearSourceError(
                f"the files are called after metrics, {quoted(its_marks)}, and each has its own scores of {name!r}. Pass one."
            )
        for mark, (_, own) in zip(its_marks, versions, strict=True):
            shown = f"{name} ({mark})"
            while shown in places or shown in order:
                shown += "'"
            order[shown] = None
            for place in own:
                called[place][name] = shown
    refuse_versions(n_versions, "datasets, seeds or folds", "'dataset', 'seed' or 'fold'")
    return [source._replace(held=source.held.with_models(names)) for source, names in zip(sources, called, strict=True)], order


def _by_dataset(scores: Scores, model: str, common: str) -> dict[str, dict[tuple[int, int], float]]:
    """Scores of a model by dataset and split; infinite where undefined, so that they are equal."""
    return {
        matrix.dataset or common: dict(
            zip(
                zip(matrix.repeat.tolist(), matrix.fold.tolist(), strict=True),
                np.nan_to_num(matrix.score[matrix.models.index(model)], nan=np.inf).tolist(),
                strict=True,
            )
        )
        for matrix in scores.matrices
        if model in matrix.models
    }


# --- one dataset ------------------------------------------------------------------------------------------------------------


def _join_dataset(dataset: str, sources: Sequence[Source], common: str, order: Iterable[str]) -> ScoreMatrix:
    """Scores of one dataset of all sources, of models in this order; a dataset without a name is the `common` one."""
    held = [(source, each) for source in sources for each in source.held.matrices if (each.dataset or common) == dataset]
    others = [source for source in sources if source is not held[0][0]]
    if (
        len(held) == 1
        and len(held[0][0].held.matrices) == 1
        and not any(len({*held[0][1].models} & {*other.held.models}) > 1 for other in others)  # a source for each dataset
    ):
        its = "a dataset without a name" if others[0].held.datasets == ("",) else f"dataset {quoted(others[0].held.datasets)}"
        raise DataError(
            f"{held[0][0].name} is about {f'dataset {dataset!r}' if dataset else 'a dataset without a name'}, but "
            f"{others[0].name} about {its}; scores on different datasets cannot be paired."
        )
    metrics = dict.fromkeys(matrix.metric for _, matrix in held)
    if len(metrics) > 1:
        raise UnclearSourceError(
            f"dataset {dataset!r} is scored in {quoted([metric.name for metric in metrics if metric is not None])} by different "
            "sources. Score it in one of them."
        )
    keys = [list(zip(matrix.repeat.tolist(), matrix.fold.tolist(), strict=True)) for _, matrix in held]
    kind = held[0][0].held.design.kind
    for ((one, first), mine), ((two, second), theirs) in combinations(zip(held, map(set, keys), strict=True), 2):
        may_differ = kind == "test-sets" or (kind == "seeds" and not {*first.models} & {*second.models})
        if mine.isdisjoint(theirs) and not may_differ:
            raise DataError(
                f"{one.name} and {two.name} have no {_NO_SPLITS.get(kind, 'split')} in common: the first of one is "
                f"{first.split_name(0)}, of the other {second.split_name(0)}. Number them alike in both, or put the rows of all "
                "sources into one table if each holds a part of the same models' scores."
            )
    names = [model for _, matrix in held for model in matrix.models]
    repeat, fold, n_train, n_test = (
        np.concatenate([np.tile(getattr(matrix, part), len(matrix.models)) for _, matrix in held])
        for part in ("repeat", "fold", "n_train", "n_test")
    )
    code = np.repeat(np.arange(len(names)), [matrix.n_splits for _, matrix in held for _ in matrix.models])
    joined = assemble(
        dataset, names, code, repeat, fold, np.concatenate([matrix.score.ravel() for _, matrix in held]), n_train, n_test
    )
    first = {name: row for row, name in reversed([*enumerate(names)])}  # the same scores may stand in several sources
    rows = {name: first[name] for name in order if name in first}
    n_folds = {matrix.n_folds for _, matrix in held}
    return dataclasses.replace(
        joined,
        models=tuple(rows),
        score=joined.score[list(rows.values())],
        columns=_columns(held, keys),
        metric=held[0][1].metric,
        n_folds=n_folds.pop() if len(n_folds) == 1 else 0,
    )


def _columns(held: Sequence[tuple[Source, ScoreMatrix]], keys: Sequence[Sequence[tuple[int, int]]]) -> tuple[str, ...]:
    """Names of the columns where they are no splits; sources that give one column two names do not mean the same by it."""
    if not all(matrix.columns for _, matrix in held):
        return ()
    found = {pair for (_, matrix), own in zip(held, keys, strict=True) for pair in zip(own, matrix.columns, strict=True)}
    if len(found) > len(dict(found)):
        raise DataError("sources give one seed or period two names, so they cannot be paired. Put all scores into one table.")
    return tuple(name for _, name in sorted(found))


# --- from long columns, one entry for each score, to models by splits -----------------------------------------------------------

SplitKeys = tuple[IntArray, IntArray, IntArray]
"""Repeat and fold of the distinct splits of a table, in key order, and the split of each row."""


def number_splits(repeat: IntArray, fold: IntArray) -> SplitKeys:
    """Distinct (repeat, fold) pairs in order, and their number in each row.

    Keys are mostly small whole numbers without gaps; then a table over all possible pairs does it, which needs a fraction
    of the time and memory of sorting millions of rows.
    """
    first_repeat, first_fold = int(repeat.min(initial=0)), int(fold.min(initial=0))
    n_repeats, n_folds = int(repeat.max(initial=0)) - first_repeat + 1, int(fold.max(initial=0)) - first_fold + 1
    if n_repeats * n_folds > max(4 * repeat.size, 65_536):
        keys, code = np.unique(np.column_stack([repeat, fold]).astype(np.int64), axis=0, return_inverse=True)
        return keys[:, 0], keys[:, 1], code.ravel()
    flat = (repeat.astype(np.int64) - first_repeat) * n_folds + (fold.astype(np.int64) - first_fold)
    present = np.zeros(n_repeats * n_folds, dtype=bool)
    present[flat] = True
    number = np.cumsum(present, dtype=np.int32) - np.int32(1)
    key_repeat, key_fold = np.divmod(np.flatnonzero(present), n_folds)
    return key_repeat + first_repeat, key_fold + first_fold, number[flat]


def assemble(
    dataset: str,
    models: Sequence[str],
    model_code: IntArray,
    repeat: IntArray,
    fold: IntArray,
    score: FloatArray,
    n_train: IntArray | None = None,
    n_test: IntArray | None = None,
) -> ScoreMatrix:
    """Models by splits from long columns of one dataset, splits sorted by key; absent scores are nan.

    `dataset` is "" if it has no name. Each row of the columns has the position of its model in `models` (unique names), the key
    of its split, the score in the metric's unit and, where they are given, the split's numbers of examples, n_train and n_test.
    Scores of one model and split are averaged. Raises `DataError` for one split with two sizes, and
    where hardly any split is shared, so that the table would be all but empty.
    """
    keys = number_splits(repeat, fold)
    split_repeat, split_fold, code = keys
    n_splits, n_cells = split_repeat.size, len(models) * split_repeat.size
    if n_cells > max(_SPARSE_FROM, 50 * score.size):
        raise DataError(
            f"{score.size} scores of {len(models)} models on {n_splits} different splits: hardly any two models share a "
            "split. Is each model named, and each split numbered, the same way in all rows?"
        )
    cell = model_code.astype(np.int64) * n_splits + code
    table = divide(np.bincount(cell, score, n_cells), np.bincount(cell, minlength=n_cells)).reshape(len(models), n_splits)
    trained, tested = (_size_per_split(column, keys, name) for column, name in ((n_train, "n_train"), (n_test, "n_test")))
    return ScoreMatrix(dataset, tuple(models), split_repeat, split_fold, trained, tested, table)


_SPARSE_FROM = 5_000_000
"""Cells (40 MB) up to which a nearly empty table may as well be filled."""


def _size_per_split(column: IntArray | None, keys: SplitKeys, name: str) -> IntArray:
    """Size of each split, 0 where it is not known; rows of one split must agree where they say one."""
    repeat, fold, code = keys
    values = np.zeros(repeat.size, dtype=np.int64)
    if column is not None:
        known = column > 0
        values[code[known]] = column[known]
        for row in np.flatnonzero(known & (values[code] != column))[:1]:
            split = code[row]
            raise DataError(
                f"{name} of repeat {repeat[split]} fold {fold[split]} is {column[row]} for one model and {values[split]} for "
                "another. Models on the same split share its sizes; if the splits differ, give them different keys."
            )
    return values
