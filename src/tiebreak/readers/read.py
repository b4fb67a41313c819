"""Scores from any source: the registry of readers, the one function that asks them, and what joins several sources."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np

from tiebreak.errors import (
    AmbiguousSourceError,
    ContradictingSizesError,
    InvalidParameterError,
    MissingSizesError,
    Setting,
    UnknownNameError,
    UnpairedScoresError,
    UnreadableSourceError,
    UnsupportedSourceError,
)
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import fault_of_name
from tiebreak.readers.folder import Results, is_folder, read_results
from tiebreak.readers.item_tables import is_source, names_items, read_items
from tiebreak.readers.json import holds_answered_items, reference_of
from tiebreak.readers.logs import is_log
from tiebreak.readers.metric import of_asked_metric
from tiebreak.readers.source import (
    ACCEPTED,
    ReadOptions,
    Source,
    known_sizes,
    pipes_as_files,
    read_file,
    unsupported,
    with_sizes,
)
from tiebreak.readers.split_keys import natural_key
from tiebreak.readers.table import column_names
from tiebreak.scores.items import Items
from tiebreak.scores.scores import SavedSettings, ScoreMatrix, Scores, SplitDesign, percent_notices
from tiebreak.scores.vocabulary import Notice, look_up, quoted


@runtime_checkable
class Holder(Protocol):
    """A result that holds scores."""

    def __tiebreak_scores__(self, metric: str | None = None) -> Scores:
        """The scores, in one metric."""


class Reader(Protocol):
    """Reader of one kind of source: a module with these two functions."""

    def reads(self, source: Any) -> bool:
        """True if this reader is the one for the source, which it may not use up."""

    def read(self, source: Any, name: str, options: ReadOptions) -> Source:
        """Scores of the source; `name` is what messages call it."""


READERS = [
    "tiebreak.readers.csv",
    "tiebreak.readers.json",
    "tiebreak.readers.report",
    "tiebreak.readers.search",
    "tiebreak.readers.cross_validate",
    "tiebreak.readers.frames",
]
"""Modules of the readers, each a `Reader`, in the order in which they are asked: the first that reads a source does.

They are imported when they are asked, so that a CSV file is read without all that a search or a data frame needs.
"""


def read_scores(sources: Sequence[Any], options: ReadOptions) -> Scores:
    """Scores from one source, or from several joined on their splits.

    Sources are anything that a reader reads, Scores, and results that hold scores: objects with a method
    ``__tiebreak_scores__(metric)`` that returns Scores.
    """
    if not sources:
        raise UnsupportedSourceError(f"nothing to read: pass {ACCEPTED}.")
    found = [read_results(each) if is_folder(each) else each for each in sources]
    folders = [each for each in found if isinstance(each, Results)]
    inside = [each.sources(options) if isinstance(each, Results) else (each,) for each in found]
    with pipes_as_files([source for each in inside for source in each]) as held:
        scores = _read_scores(held, options)
    if left_out := [notice for each in folders if (notice := each.notice())]:
        scores = dataclasses.replace(scores, notices=(*scores.notices, *left_out))
    if not folders or scores.items is None or any("missing" in each.settings for each in scores.saved_settings):
        return scores
    # logs of a folder may be cut short: pairs are compared on what both have, unless the caller asks otherwise
    return dataclasses.replace(
        scores, saved_settings=(*scores.saved_settings, SavedSettings(str(folders[0].path), {"missing": "pairwise"}))
    )


def _read_scores(sources: Sequence[Any], options: ReadOptions) -> Scores:
    names = ["the source"] if len(sources) == 1 else [f"source {number}" for number in range(1, len(sources) + 1)]
    if options.rows != "splits" and (
        options.rows == "items"
        or (options.item or options.cluster) is not None
        or any(_is_of_items(source, options.metric) for source in sources)
    ):
        return _read_item_scores(sources, names, options)
    read = [_of_dataset(_read(source, name, options), options) for source, name in zip(sources, names, strict=True)]
    scores = _of_models(join_sources(read), options)
    _check_names(scores)
    _refuse_unused_data(scores, options)
    notices = dict.fromkeys(scores.notices)
    for matrix in scores.matrices:
        notices |= dict.fromkeys(percent_notices(matrix, scores.metric_of(matrix)))
    return dataclasses.replace(scores, notices=tuple(notices))


def is_of_items(sources: Sequence[Any], metric: str | None) -> bool:
    """True where the sources, or what lies in folders among them, hold single items."""
    return any(isinstance(each, Results) or is_folder(each) or _is_of_items(each, metric) for each in sources)


def _is_of_items(source: Any, metric: str | None) -> bool:
    if isinstance(source, Scores):
        return source.items is not None
    held = source.__tiebreak_scores__(metric) if isinstance(source, Holder) else source
    return holds_answered_items(held) or _holds_items(held) or (isinstance(held, Scores) and held.items is not None)


def _read_item_scores(sources: Sequence[Any], names: Sequence[str], options: ReadOptions) -> Scores:
    """Scores of single items from tables, logs, answers and results that hold them, joined on the items."""
    given = [
        name
        for name in ("dataset", "X", "y", "groups", "n_samples", "n_train", "n_test", "cv")
        if getattr(options, name) is not None
    ]
    if given:
        raise InvalidParameterError(
            Setting(given[0]),
            " is about splits or datasets, and these are scores of single items of one test set. Leave it out.",
            about=given[0],
        )
    tables: list[Any] = []
    asked: list[SavedSettings] = []
    references: list[tuple[str, str]] = []
    for source, name in zip(sources, names, strict=True):
        reference = reference_of(source)
        if reference is not None:
            references.append((reference.saved_settings.source, reference.hash))
            asked.append(reference.saved_settings)
            continue
        is_answer = isinstance(source, (Scores, Holder)) or holds_answered_items(source)
        scores = _read(source, name, options).scores if is_answer else None
        if scores is not None and scores.items is None:
            raise AmbiguousSourceError(
                f"{name} holds scores of splits, and other sources those of single items; compare one kind."
            )
        asked += scores.saved_settings if scores is not None else ()
        tables.append(source if scores is None else scores.items)
    if not tables:
        raise UnreadableSourceError(
            f"{references[0][0]} holds its many scores of items by reference only (hash {references[0][1]}). Pass the table that "
            "they came from as well: its settings are then used."
        )
    rows: Any = options.rows if options.rows == "items" else "auto"
    items = read_items(
        *tables,
        metric=options.metric,
        lower_is_better=options.direction_of(options.metric or ""),
        models=options.models,
        item=options.item,
        rows=rows,
        missing="pairwise",
        cluster=options.cluster,
    )
    for name, held in references:
        if items.hash() != held:
            raise UnreadableSourceError(f"{name} was made from another table of items (hash {held}, not {items.hash()}).")
    return dataclasses.replace(items.as_scores(), saved_settings=tuple(asked))


def _read(source: Any, name: str, options: ReadOptions) -> Source:
    if not isinstance(source, Scores) and isinstance(source, Holder):  # asked last, as it takes longest
        source = source.__tiebreak_scores__(options.metric)
    if isinstance(source, Scores):
        return _with_options(source, name, options)
    if isinstance(source, Mapping):
        _check_keys(source, name)
    if reader := _reader_of(source):
        return reader.read(source, name, options)
    if isinstance(source, (str, os.PathLike)):
        return read_file(source, _refuse_format)
    raise unsupported(source, name)


def _reader_of(source: Any) -> Reader | None:
    """The first reader that reads a source."""
    readers = (cast(Reader, import_module(module)) for module in READERS)
    return next((reader for reader in readers if reader.reads(source)), None)


def is_file_name(text: str) -> bool:
    """True for a text with the ending of a file that can be read, whether the file is there or not."""
    ending = Path(text).suffix.lower()
    return ending in _OF_ITEMS or (ending != "" and _reader_of(text) is not None)


def _refuse_format(path: Path, name: str) -> Source:
    raise UnsupportedSourceError(
        f"{name} ends in {path.suffix!r}; files can be .csv, .tsv, .txt (read as CSV), .json and .parquet. Save it as one "
        "of these, or read it into a data frame and pass that."
    )


def _with_options(scores: Scores, name: str, options: ReadOptions) -> Source:
    scores = of_asked_metric(scores, options, name)
    matrices = tuple(with_sizes(matrix, options, name) for matrix in scores.matrices)
    sizes = scores.design.sizes if scores.design.sizes != "missing" else known_sizes(matrices)
    design = dataclasses.replace(scores.design, sizes=sizes)
    asked = tuple(each._replace(source=each.source or name) for each in scores.saved_settings)
    return Source(dataclasses.replace(scores, matrices=matrices, design=design, saved_settings=asked), name)


def _check_keys(source: Mapping[Any, Any], name: str) -> None:
    if not source:
        raise UnreadableSourceError(f"{name} is an empty dict. Pass {{name: scores}} with at least two models.")
    if len({str(key) for key in source}) < len(source):
        raise UnreadableSourceError(f"{name} has two keys of the same text among {quoted([str(key) for key in source])}.")


def _check_names(scores: Scores) -> None:
    """Refuse names that nobody can read, and such as no file can hold."""
    for what, names in (("model", scores.models), ("dataset", scores.datasets), ("metric", (scores.metric.name,))):
        for name in names:
            fault = fault_of_name(name) if name or what != "dataset" else ""  # a dataset need not be named
            if fault:
                raise UnreadableSourceError(f"the name {name!r} of a {what} {fault}")


def _of_dataset(source: Source, options: ReadOptions) -> Source:
    """Source with only the dataset asked for."""
    scores = source.scores
    if options.dataset is None or scores.datasets == (options.dataset,):
        return source
    if scores.datasets == ("",):
        raise UnknownNameError(
            Setting("dataset", repr(options.dataset)), f" was given, but {source.name} does not name any datasets."
        )
    matrix = scores.matrices[look_up(options.dataset, scores.datasets, "dataset")]
    return dataclasses.replace(source, scores=scores.with_matrices((matrix,)))


def _of_models(scores: Scores, options: ReadOptions) -> Scores:
    """Scores of only the models asked for."""
    if options.models is None:
        return scores
    for name in options.models:
        look_up(name, scores.models, "model")
    return scores.take(options.models)


def _refuse_unused_data(scores: Scores, options: ReadOptions) -> None:
    """Refuse X and n_samples where they did not tell the sizes of the splits."""
    if scores.design.sizes == "missing" and (options.has_data or options.n_samples is not None or options.cv is not None):
        raise MissingSizesError(
            "X, y and n_samples tell the sizes of the splits of a fitted search, since it keeps its cv; for arrays and results "
            "of cross_validate pass cv= too. Otherwise pass the search itself, or ",
            Setting("n_train"),
            " and ",
            Setting("n_test"),
            " (examples per split).",
        )


# --- several sources ----------------------------------------------------------------------------------------------------


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
    return Scores(first.scores.metric, matrices, _design(sources, matrices), tuple(notices), asked, fit_seconds)


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
    if any(each is None for each in labels) or len(set(labels)) == 1:
        return list(sources)
    union = sorted({word for each in labels for word in each}, key=natural_key)
    code = {word: number for number, word in enumerate(union)}
    recoded = []
    for source, own in zip(sources, labels, strict=True):
        lookup = np.array([code[word] for word in own], dtype=np.int64)
        matrices = tuple(dataclasses.replace(m, **{part: lookup[getattr(m, part)]}) for m in source.scores.matrices)
        scores = dataclasses.replace(source.scores, matrices=matrices)
        relabelled: dict[str, Any] = {f"{part}_labels": tuple(union)}
        recoded.append(dataclasses.replace(source, scores=scores, **relabelled))
    return recoded


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
    return ScoreMatrix(
        dataset, models, repeat, fold, n_train, n_test, score, _columns(parts, places, len(keys)), parts[0].matrix.metric
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


# --- items ---------------------------------------------------------------------------------------------------------------------

_OF_ITEMS = (".eval", ".jsonl")
"""Endings of files that hold nothing else."""


def _holds_items(source: Any) -> bool:
    """True for a source that says itself that it is of items: a log of an evaluation tool, or a table with a column for them."""
    if isinstance(source, Items):
        return True
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        is_file = os.path.isfile(path)  # noqa: PTH113  (Path raises for a name that is too long)
        return is_file and (_is_log(path) or names_items(column_names(path)))
    if isinstance(source, Mapping):
        return names_items(list(source)) or (
            bool(source) and all(is_source(value) for value in source.values()) and any(map(_holds_items, source.values()))
        )
    if isinstance(source, list | tuple):
        return bool(source) and isinstance(source[0], Mapping) and names_items(list(source[0]))
    return names_items(_names_of_frame(source))


def _names_of_frame(source: Any) -> list[Any]:
    """Names of the columns and of the index of a frame; nothing of what is none."""
    # asked of the class, since polars warns when a lazy frame is asked for its columns
    if not any(hasattr(type(source), name) for name in ("columns", "__dataframe__", "__narwhals_dataframe__")):
        return []
    try:
        import narwhals as nw

        frame = nw.from_native(source, pass_through=True)
    except (ImportError, ValueError, TypeError):  # whoever reads it says what is wrong
        return []
    if not isinstance(frame, nw.LazyFrame | nw.DataFrame):
        return []
    return [*frame.collect_schema().names(), *getattr(getattr(source, "index", None), "names", ())]


def _is_log(path: Path) -> bool:
    ending = path.suffix.lower()
    return ending in _OF_ITEMS or (ending == ".json" and is_log(path))
