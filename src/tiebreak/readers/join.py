"""Scores of several sources, paired by their splits."""

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tiebreak.errors import DataError, Setting, UnclearSourceError
from tiebreak.numerics import FloatArray
from tiebreak.readers.source import Source
from tiebreak.readers.splits import natural_key
from tiebreak.scores.assemble import assemble
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Notice, quoted


def join_sources(sources: Sequence[Source]) -> Scores:
    """Scores of all sources, paired by split.

    Equal hashes of the test examples prove that splits are the same, different ones that they are not; where one is not
    known, splits are taken to be the same by their keys, with a notice.
    """
    if len(sources) == 1:
        return sources[0].scores
    _check_alike(sources)
    kept = _relabelled(_relabelled(sources, "repeat"), "fold")
    reference = next((source for source in kept if source.scores.design.pairing == "key"), kept[0])
    kept = [_aligned(source, reference) for source in kept]
    datasets = dict.fromkeys(name for source in kept for name in _datasets(source, kept))
    matrices = tuple(_join_dataset(name, kept) for name in datasets)
    notices = dict.fromkeys(notice for source in kept for notice in source.scores.notices)
    # seeds and periods have names of their own, and a test set of each model needs none
    if not matrices[0].columns and any(source.scores.design.hash is None for source in kept):
        names = " and ".join(source.name for source in kept) if len(kept) == 2 else f"the {len(kept)} sources"
        text = (
            f"nothing proves that {names} used the same splits; they are paired by split number, and the answer is wrong if the "
            "splits differ"
        )
        notices[Notice("assumed-paired", text)] = None
    return Scores(
        kept[0].scores.metric,
        matrices,
        _design(kept, matrices),
        tuple(notices),
        tuple(each for source in kept for each in source.scores.saved_settings),
        {name: value for source in kept for name, value in source.scores.fit_seconds.items()},
        roles=tuple(dict.fromkeys(text for source in kept for text in source.scores.roles)),
        fit_errors={name: value for source in kept for name, value in source.scores.fit_errors.items()},
    )


def _check_alike(sources: Sequence[Source]) -> None:
    """Refuse scores of another metric, by other units, and of splits that are known to differ."""
    first = sources[0]
    known = next((source for source in sources if source.scores.design.hash is not None), first)
    for other in sources[1:]:
        metrics = [each.scores.metric for each in (first, other)]
        kinds = [_NO_SPLITS.get(each.scores.design.kind, "split") for each in (first, other)]
        if metrics[0] != metrics[1]:
            words = [f"{m.name!r} ({'higher' if m.higher_is_better else 'lower'} is better)" for m in metrics]
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
        if other.scores.design.hash not in (None, known.scores.design.hash):
            raise DataError(
                f"{known.name} and {other.name} were made with different splits (their test examples differ), so their "
                "scores cannot be paired. Evaluate all models with the same cv, its random_state fixed, on the same data."
            )


_NO_SPLITS = {"seeds": "seed", "periods": "period", "test-sets": "test set"}
"""Units of scores that are not of splits, by the kind of their design."""


def _with(source: Source, matrices: Sequence[ScoreMatrix]) -> Source:
    return dataclasses.replace(source, scores=dataclasses.replace(source.scores, matrices=tuple(matrices)))


# --- keys -----------------------------------------------------------------------------------------------------------------


def _relabelled(sources: Sequence[Source], part: str) -> list[Source]:
    """Sources whose repeats or folds have one numbering, where some name them in words."""
    labels = [getattr(source, f"{part}_labels") for source in sources]
    if len(set(labels)) == 1:
        return list(sources)
    words = [
        [[str(code) if own is None else own[code] for code in getattr(m, part).tolist()] for m in source.scores.matrices]
        for source, own in zip(sources, labels, strict=True)
    ]
    union = sorted(set(itertools.chain.from_iterable(itertools.chain.from_iterable(words))), key=natural_key)
    number = {word: np.int64(place) for place, word in enumerate(union)}

    def recoded(matrix: ScoreMatrix, own: Sequence[str]) -> ScoreMatrix:
        codes: dict[str, Any] = {part: np.array([number[word] for word in own])}
        return dataclasses.replace(matrix, **codes)

    return [
        _with(source, [recoded(matrix, each) for matrix, each in zip(source.scores.matrices, own, strict=True)])
        for source, own in zip(sources, words, strict=True)
    ]


def _aligned(source: Source, reference: Source) -> Source:
    """Source with the keys of the reference, where only the order of its splits says which is which."""
    design = source.scores.design
    is_same = design.hash is not None and design.hash == reference.scores.design.hash
    if len(source.scores.matrices) != len(reference.scores.matrices) or not (is_same or design.pairing == "position"):
        return source
    pairs = list(zip(source.scores.matrices, reference.scores.matrices, strict=True))
    for mine, theirs in pairs:
        if mine.n_splits != theirs.n_splits:
            raise DataError(
                f"{source.name} does not name its splits, so it can be paired with {reference.name} only by their order; but "
                f"one has {mine.n_splits} splits and the other {theirs.n_splits}."
            )
    return _with(source, [dataclasses.replace(mine, repeat=theirs.repeat, fold=theirs.fold) for mine, theirs in pairs])


# --- one dataset ------------------------------------------------------------------------------------------------------------


def _datasets(source: Source, sources: Sequence[Source]) -> tuple[str, ...]:
    """Datasets of a source; one without a name takes that of the others."""
    named = tuple(dict.fromkeys(name for other in sources for name in other.scores.datasets if name))
    return named if source.scores.datasets == ("",) and len(named) == 1 else source.scores.datasets


def _join_dataset(dataset: str, sources: Sequence[Source]) -> ScoreMatrix:
    held = [
        (source, matrix)
        for source in sources
        for name, matrix in zip(_datasets(source, sources), source.scores.matrices, strict=True)
        if name == dataset
    ]
    if len(held) == 1 and len(held[0][0].scores.matrices) == 1:
        other = next(source for source in sources if source is not held[0][0])
        others = "a dataset without a name" if other.scores.datasets == ("",) else f"dataset {quoted(other.scores.datasets)}"
        own = f"dataset {dataset!r}" if dataset else "a dataset without a name"
        raise DataError(
            f"{held[0][0].name} is about {own}, but {other.name} about {others}; scores on different datasets cannot be paired."
        )
    if any(matrix.summary is not None for _, matrix in held):
        both = " and ".join(source.name for source, _ in held[:2])
        raise DataError(f"tables of means are compared one at a time: put the rows of {both} into one table.")
    metrics = dict.fromkeys(matrix.metric for _, matrix in held)
    if len(metrics) > 1:
        named = [metric.name for metric in metrics if metric is not None]
        raise UnclearSourceError(
            f"dataset {dataset!r} is scored in {quoted(named)} by different sources. Score it in one of them."
        )
    keys = [list(zip(matrix.repeat.tolist(), matrix.fold.tolist(), strict=True)) for _, matrix in held]
    sets = zip(held, map(set, keys), strict=True) if held[0][0].scores.design.kind not in ("seeds", "test-sets") else ()
    for ((one, first), mine), ((two, second), theirs) in itertools.combinations(sets, 2):
        if mine.isdisjoint(theirs):
            raise DataError(
                f"{one.name} and {two.name} have no split in common: the first of one is "
                f"{first.split_name(0)}, of the other {second.split_name(0)}. Number the splits alike in both."
            )
    names = [model for _, matrix in held for model in matrix.models]
    repeat, fold, n_train, n_test = (
        np.concatenate([np.tile(getattr(matrix, part), len(matrix.models)) for _, matrix in held])
        for part in ("repeat", "fold", "n_train", "n_test")
    )
    code = np.repeat(np.arange(len(names)), [matrix.n_splits for _, matrix in held for _ in matrix.models])
    score = np.concatenate([matrix.score.ravel() for _, matrix in held])
    joined = assemble(dataset, names, code, repeat, fold, score, n_train, n_test)
    rows = _distinct(names, [source.mark for source, matrix in held for _ in matrix.models], joined.score)
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
    found: dict[tuple[int, int], str] = {}
    for (source, matrix), own in zip(held, keys, strict=True):
        for key, name in zip(own, matrix.columns, strict=True):
            if found.setdefault(key, name) != name:
                raise DataError(
                    f"{held[0][0].name} calls one column {found[key]!r} and {source.name} calls it {name!r}, so they cannot be "
                    "paired. Put all scores into one table."
                )
    return tuple(name for _, name in sorted(found.items()))


def _distinct(names: Sequence[str], marks: Sequence[str], score: FloatArray) -> dict[str, int]:
    """Models and the rows of their scores; those of one name are kept once if they are the same, else called after the source."""
    kept: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        versions = kept.setdefault(name, [])
        if not any(np.array_equal(score[row], score[other], equal_nan=True) for other in versions):
            versions.append(row)
    found: dict[str, int] = {}
    for name, rows in kept.items():
        for row in rows:
            shown = name if len(rows) == 1 else f"{name} ({marks[row]})"
            while shown in found or (shown != name and shown in kept):
                shown += "'"
            found[shown] = row
    return found


def _design(sources: Sequence[Source], matrices: Sequence[ScoreMatrix]) -> SplitDesign:
    designs = [source.scores.design for source in sources]
    has_sizes = all(matrix.has_sizes for matrix in matrices)
    is_exact = any(design.sizes == "exact" for design in designs)
    return SplitDesign(
        kind=next((design.kind for design in designs if design.kind != "unknown"), "unknown"),
        ordered=any(design.ordered for design in designs),
        pairing="key" if all(design.pairing == "key" for design in designs) else "position",
        sizes="missing" if not has_sizes else "exact" if is_exact else "approximate",
        hash=designs[0].hash if len({design.hash for design in designs}) == 1 else None,
    )
