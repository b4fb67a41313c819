"""Scores of several sources, paired by their splits."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import AmbiguousSourceError, ContradictingSizesError, Setting, UnpairedScoresError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.readers.source import Source
from tiebreak.readers.splits import natural_key
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Notice, quoted


def join_sources(sources: Sequence[Source]) -> Scores:
    """Scores of all sources, paired by split.

    Equal hashes of the test examples prove that splits are the same, different ones that they are not; where one is not
    known, splits are taken to be the same by their keys, with a notice.
    """
    if len(sources) == 1:
        return sources[0].scores
    first = sources[0]
    for other in sources[1:]:
        _check_metric(first, other)
    _check_kind(sources)
    _check_hash(sources)
    sources = _with_shared_keys(_exact_sizes_first(sources))
    datasets = dict.fromkeys(name for source in sources for name in _datasets(source, sources))
    matrices = tuple(_join_dataset(name, sources) for name in datasets)
    notices = dict.fromkeys(notice for source in sources for notice in source.scores.notices)
    if matrices[0].columns:
        pass  # seeds and periods have names of their own, and a test set of each model needs none
    elif any(source.scores.design.hash is None for source in sources):
        names = " and ".join(source.name for source in sources) if len(sources) == 2 else f"the {len(sources)} sources"
        unproved = Notice(
            "assumed-paired",
            f"nothing proves that {names} used the same splits; they are paired by split number, and the answer is wrong if the "
            "splits differ",
        )
        notices[unproved] = None
    asked = tuple(each for source in sources for each in source.scores.saved_settings)
    fit_seconds = {name: value for source in sources for name, value in source.scores.fit_seconds.items()}
    roles = tuple(dict.fromkeys(text for source in sources for text in source.scores.roles))
    return Scores(first.scores.metric, matrices, _design(sources, matrices), tuple(notices), asked, fit_seconds, roles=roles)


def _check_metric(one: Source, two: Source) -> None:
    metrics = one.scores.metric, two.scores.metric
    if metrics[0] == metrics[1]:
        return
    words = [f"{m.name!r} ({'higher' if m.higher_is_better else 'lower'} is better)" for m in metrics]
    raise AmbiguousSourceError(
        f"{one.name} holds {words[0]} and {two.name} holds {words[1]}; only scores of one metric can be compared. Choose one "
        "that both hold with ",
        Setting("metric"),
        ".",
    )


def _check_kind(sources: Sequence[Source]) -> None:
    """Refuse to join seeds, periods or test sets with anything else."""
    kinds = [source.scores.design.kind if source.scores.design.kind in _NO_SPLITS else "splits" for source in sources]
    other = next((place for place, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is not None:
        raise UnpairedScoresError(
            f"{sources[0].name} holds scores by {_NO_SPLITS.get(kinds[0], 'split')}, {sources[other].name} scores by "
            f"{_NO_SPLITS.get(kinds[other], 'split')}; these answer different questions, so they cannot be joined. Compare each "
            "by itself."
        )


_NO_SPLITS = {"seeds": "seed", "periods": "period", "test-sets": "test set"}
"""Units of scores that are not of splits, by the kind of their design."""


def _check_hash(sources: Sequence[Source]) -> None:
    known = [source for source in sources if source.scores.design.hash is not None]
    for other in known[1:]:
        if other.scores.design.hash != known[0].scores.design.hash:
            raise UnpairedScoresError(
                f"{known[0].name} and {other.name} were made with different splits (their test examples differ), so their "
                "scores cannot be paired. Evaluate all models with the same cv, its random_state fixed, on the same data."
            )


def _exact_sizes_first(sources: Sequence[Source]) -> list[Source]:
    """Sources without approximate sizes, and the notice of them, where another source knows the exact ones."""
    if not any(source.scores.design.sizes == "exact" for source in sources):
        return list(sources)
    return [_without_sizes(source) if source.scores.design.sizes == "approximate" else source for source in sources]


def _without_sizes(source: Source) -> Source:
    scores = source.scores
    matrices = tuple(
        dataclasses.replace(matrix, n_train=np.zeros_like(matrix.n_train), n_test=np.zeros_like(matrix.n_test))
        for matrix in scores.matrices
    )
    notices = tuple(notice for notice in scores.notices if notice.code != "approximate-sizes")
    return dataclasses.replace(source, scores=dataclasses.replace(scores, matrices=matrices, notices=notices))


# --- keys -----------------------------------------------------------------------------------------------------------------


def _with_shared_keys(sources: Sequence[Source]) -> list[Source]:
    """Sources whose keys mean the same: words get one numbering, and equal hashes or positions are aligned in order."""
    for part in ("repeat", "fold"):
        sources = _relabelled(sources, part)
    reference = next((source for source in sources if source.scores.design.pairing == "key"), sources[0])
    return [_aligned(source, reference) for source in sources]


def _relabelled(sources: Sequence[Source], part: str) -> list[Source]:
    labels = [getattr(source, f"{part}_labels") for source in sources]
    if len(set(labels)) == 1:
        return list(sources)

    def words(own: tuple[str, ...] | None, codes: IntArray) -> list[str]:
        return [str(code) if own is None else own[code] for code in codes.tolist()]

    parts = [[words(own, getattr(m, part)) for m in source.scores.matrices] for source, own in zip(sources, labels, strict=True)]
    union = sorted({word for source in parts for each in source for word in each}, key=natural_key)
    code = {word: number for number, word in enumerate(union)}
    recoded = []
    for source, own in zip(sources, parts, strict=True):
        matrices = tuple(
            dataclasses.replace(m, **_recoded(part, [code[word] for word in each]))
            for m, each in zip(source.scores.matrices, own, strict=True)
        )
        scores = dataclasses.replace(source.scores, matrices=matrices)
        relabelled: dict[str, Any] = {f"{part}_labels": tuple(union)}
        recoded.append(dataclasses.replace(source, scores=scores, **relabelled))
    return recoded


def _recoded(part: str, codes: Sequence[int]) -> dict[str, Any]:
    return {part: np.array(codes, dtype=np.int64)}


def _aligned(source: Source, reference: Source) -> Source:
    """Source with the keys of the reference, where only the order of its splits says which is which."""
    if source is reference or len(source.scores.matrices) != len(reference.scores.matrices):
        return source
    same_hash = source.scores.design.hash is not None and source.scores.design.hash == reference.scores.design.hash
    if not same_hash and source.scores.design.pairing == "key":
        return source
    matrices = []
    for mine, theirs in zip(source.scores.matrices, reference.scores.matrices, strict=True):
        if mine.n_splits != theirs.n_splits:
            raise UnpairedScoresError(
                f"{source.name} does not name its splits, so it can be paired with {reference.name} only by their order; but "
                f"one has {mine.n_splits} splits and the other {theirs.n_splits}."
            )
        matrices.append(dataclasses.replace(mine, repeat=theirs.repeat, fold=theirs.fold))
    return dataclasses.replace(source, scores=dataclasses.replace(source.scores, matrices=tuple(matrices)))


# --- one dataset ------------------------------------------------------------------------------------------------------------


def _datasets(source: Source, sources: Sequence[Source]) -> tuple[str, ...]:
    """Datasets of a source; one without a name takes that of the others."""
    if source.scores.datasets != ("",):
        return source.scores.datasets
    named = dict.fromkeys(name for other in sources for name in other.scores.datasets if name)
    return tuple(named) if len(named) == 1 else ("",)


class _Part(NamedTuple):
    """One source's matrix of the dataset at hand."""

    source: Source
    matrix: ScoreMatrix


def _join_dataset(dataset: str, sources: Sequence[Source]) -> ScoreMatrix:
    parts = [
        _Part(source, matrix)
        for source in sources
        for name, matrix in zip(_datasets(source, sources), source.scores.matrices, strict=True)
        if name == dataset
    ]
    if len(parts) == 1 and len(sources) > 1 and len(parts[0].source.scores.matrices) == 1:
        others = [source for source in sources if source is not parts[0].source]
        raise UnpairedScoresError(
            f"{parts[0].source.name} is about {_words([dataset])}, but {others[0].name} about "
            f"{_words(others[0].scores.datasets)}; scores on different datasets cannot be paired."
        )
    metrics = dict.fromkeys(part.matrix.metric for part in parts)
    if len(metrics) > 1:
        named = [metric.name for metric in metrics if metric is not None]
        raise AmbiguousSourceError(
            f"dataset {dataset!r} is scored in {quoted(named)} by different sources. Score it in one of them."
        )
    keys = sorted({key for part in parts for key in _keys(part.matrix)})
    if len(parts) > 1 and parts[0].source.scores.design.kind not in ("seeds", "test-sets"):
        _refuse_disjoint(parts)
    number = {key: position for position, key in enumerate(keys)}
    places = [np.array([number[key] for key in _keys(part.matrix)], dtype=np.intp) for part in parts]
    repeat, fold = np.array(keys, dtype=np.int64).T
    n_train, n_test = (_sizes(parts, places, len(keys), word) for word in ("n_train", "n_test"))
    models, score = _rows(parts, places, len(keys))
    n_folds = {part.matrix.n_folds for part in parts}
    return ScoreMatrix(
        dataset,
        models,
        repeat,
        fold,
        n_train,
        n_test,
        score,
        _columns(parts, places, len(keys)),
        parts[0].matrix.metric,
        n_folds.pop() if len(n_folds) == 1 else 0,
    )


def _columns(parts: Sequence[_Part], places: Sequence[IntArray], n_columns: int) -> tuple[str, ...]:
    """Names of the columns where they are no splits; sources that give one column two names do not mean the same by it."""
    if not all(part.matrix.columns for part in parts):
        return ()
    names = [""] * n_columns
    for part, place in zip(parts, places, strict=True):
        for position, name in zip(place.tolist(), part.matrix.columns, strict=True):
            if names[position] not in ("", name):
                raise UnpairedScoresError(
                    f"{parts[0].source.name} calls one column {names[position]!r} and {part.source.name} calls it {name!r}, so "
                    "they cannot be paired. Put all scores into one table."
                )
            names[position] = name
    return tuple(names)


def _words(datasets: Sequence[str]) -> str:
    return "a dataset without a name" if tuple(datasets) == ("",) else f"dataset {quoted(datasets)}"


def _keys(matrix: ScoreMatrix) -> list[tuple[int, int]]:
    return list(zip(matrix.repeat.tolist(), matrix.fold.tolist(), strict=True))


def _refuse_disjoint(parts: Sequence[_Part]) -> None:
    for position, one in enumerate(parts):
        for two in parts[position + 1 :]:
            if not set(_keys(one.matrix)) & set(_keys(two.matrix)):
                raise UnpairedScoresError(
                    f"{one.source.name} and {two.source.name} have no split in common: the first of one is "
                    f"{one.matrix.split_name(0)}, of the other {two.matrix.split_name(0)}. Number the splits alike in both."
                )


def _sizes(parts: Sequence[_Part], places: Sequence[IntArray], n_splits: int, word: str) -> IntArray:
    joined = np.zeros(n_splits, dtype=np.int64)
    for part, place in zip(parts, places, strict=True):
        mine = getattr(part.matrix, word)
        wrong = np.flatnonzero((mine > 0) & (joined[place] > 0) & (mine != joined[place]))
        if wrong.size:
            split = int(wrong[0])
            raise ContradictingSizesError(
                f"{word} of {part.matrix.split_name(split)} is {joined[place[split]]} in one source and {mine[split]} in "
                f"{part.source.name}, so they were not made with the same splits."
            )
        joined[place] = np.maximum(joined[place], mine)
    return joined


# --- models ----------------------------------------------------------------------------------------------------------------


def _rows(parts: Sequence[_Part], places: Sequence[IntArray], n_splits: int) -> tuple[tuple[str, ...], FloatArray]:
    """Models and their scores; a model of several sources is kept once if its rows are the same, else gets a suffix."""
    found: dict[str, list[tuple[int, FloatArray]]] = {}
    for number, (part, place) in enumerate(zip(parts, places, strict=True)):
        for model, own in zip(part.matrix.models, part.matrix.score, strict=True):
            row = np.full(n_splits, np.nan)
            row[place] = own
            versions = found.setdefault(model, [])
            if not any(np.array_equal(row, other, equal_nan=True) for _, other in versions):
                versions.append((number, row))
    suffixes = _suffixes([part.source for part in parts])
    rows: dict[str, FloatArray] = {}
    for model, versions in found.items():
        for number, row in versions:
            name = model if len(versions) == 1 else f"{model} ({suffixes[number]})"
            while name in rows or (name != model and name in found):
                name += "'"
            rows[name] = row
    return tuple(rows), np.array(list(rows.values()))


def _suffixes(sources: Sequence[Source]) -> list[str]:
    """Marks that tell sources apart: the stem of the path, with its folder where stems agree, else their number."""
    numbers = [f"source {number}" for number in range(1, len(sources) + 1)]
    for depth in range(max(len(source.suffixes) for source in sources)):
        names = [
            source.suffixes[depth] if depth < len(source.suffixes) else number
            for source, number in zip(sources, numbers, strict=True)
        ]
        if len(set(names)) == len(names):
            return names
    return numbers


def _design(sources: Sequence[Source], matrices: Sequence[ScoreMatrix]) -> SplitDesign:
    designs = [source.scores.design for source in sources]
    known = next((design for design in designs if design.kind != "unknown"), designs[0])
    sizes = {design.sizes for design in designs}
    has_sizes = all(matrix.has_sizes for matrix in matrices)
    return SplitDesign(
        kind=known.kind,
        ordered=any(design.ordered for design in designs),
        pairing="key" if all(design.pairing == "key" for design in designs) else "position",
        sizes="missing" if not has_sizes else "approximate" if "exact" not in sizes else "exact",
        hash=designs[0].hash if len({design.hash for design in designs}) == 1 else None,
    )
