"""Scores from any source: the registry of readers, and the one function that asks them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from tiebreak.errors import MissingSizesError, Setting, UnknownNameError, UnreadableSourceError, UnsupportedSourceError
from tiebreak.readers.join import join_sources
from tiebreak.readers.metric import check_held
from tiebreak.readers.source import ACCEPTED, ReadOptions, Source, known_sizes, unsupported, with_sizes
from tiebreak.scores.scores import Scores, look_up, percent_notices, quoted


class Reader(Protocol):
    """Reader of one kind of source: a module with these two functions."""

    def reads(self, source: Any) -> bool:
        """True if this reader is the one for the source, which it may not use up."""

    def read(self, source: Any, name: str, options: ReadOptions) -> Source:
        """Scores of the source; `name` is what messages call it."""


READERS = [
    "tiebreak.readers.csv",
    "tiebreak.readers.json",
    "tiebreak.readers.search",
    "tiebreak.readers.cross_validate",
    "tiebreak.readers.frames",
    "tiebreak.readers.files",
]
"""Modules of the readers, each a `Reader`, in the order in which they are asked: the first that reads a source does.

They are imported when they are asked, so that a CSV file is read without all that a search or a data frame needs.
"""


def read_scores(sources: Sequence[Any], options: ReadOptions) -> Scores:
    """Scores from one source, or from several joined on their splits.

    Parameters
    ----------
    sources : sequence
        Anything that a reader reads, Scores, and results that hold scores: objects with a method
        ``__tiebreak_scores__(metric)`` that returns Scores.
    options : ReadOptions

    Raises
    ------
    UnsupportedSourceError
        A source of another type.
    TiebreakError
        What is wrong with a source, where, and how to go on.
    """
    if not sources:
        raise UnsupportedSourceError(f"nothing to read: pass {ACCEPTED}.")
    names = ["the source"] if len(sources) == 1 else [f"source {number}" for number in range(1, len(sources) + 1)]
    read = [_of_dataset(_read(source, name, options), options) for source, name in zip(sources, names, strict=True)]
    scores = _of_models(join_sources(read), options)
    _refuse_unused_data(scores, options)
    notices = dict.fromkeys(scores.notices)
    notices |= dict.fromkeys(notice for matrix in scores.matrices for notice in percent_notices(matrix, scores.metric))
    return dataclasses.replace(scores, notices=tuple(notices))


def _read(source: Any, name: str, options: ReadOptions) -> Source:
    if hasattr(type(source), "__tiebreak_scores__"):
        source = source.__tiebreak_scores__(options.metric)
    if isinstance(source, Scores):
        return _with_options(source, name, options)
    if isinstance(source, Mapping):
        _check_keys(source, name)
    for module in READERS:
        reader = cast(Reader, import_module(module))
        if reader.reads(source):
            return reader.read(source, name, options)
    raise unsupported(source, name)


def _with_options(scores: Scores, name: str, options: ReadOptions) -> Source:
    check_held(scores.metric, options, name)
    matrices = tuple(with_sizes(matrix, options, name) for matrix in scores.matrices)
    sizes = scores.design.sizes if scores.design.sizes != "missing" else known_sizes(matrices)
    design = dataclasses.replace(scores.design, sizes=sizes)
    return Source(dataclasses.replace(scores, matrices=matrices, design=design), name)


def _check_keys(source: Mapping[Any, Any], name: str) -> None:
    if not source:
        raise UnreadableSourceError(f"{name} is an empty dict. Pass {{name: scores}} with at least two models.")
    if len({str(key) for key in source}) < len(source):
        raise UnreadableSourceError(f"{name} has two keys of the same text among {quoted([str(key) for key in source])}.")


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
    return dataclasses.replace(source, scores=dataclasses.replace(scores, matrices=(matrix,)))


def _of_models(scores: Scores, options: ReadOptions) -> Scores:
    """Scores of only the models asked for."""
    if options.models is None:
        return scores
    for name in options.models:
        look_up(name, scores.models, "model")
    return scores.take(options.models)


def _refuse_unused_data(scores: Scores, options: ReadOptions) -> None:
    """Refuse X and n_samples where they did not tell the sizes of the splits."""
    if scores.design.sizes == "missing" and (options.has_data or options.n_samples is not None):
        raise MissingSizesError(
            "X, y and n_samples tell the sizes of the splits of a fitted search only, since it keeps its cv. Pass the search "
            "itself, or ",
            Setting("n_train"),
            " and ",
            Setting("n_test"),
            " (examples per split).",
        )
