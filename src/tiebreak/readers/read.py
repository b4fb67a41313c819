"""The one entry point: any source becomes `Scores`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

from tiebreak.errors import MissingSizesError, UnknownNameError, UnreadableSourceError, UnsupportedSourceError
from tiebreak.readers.join import join_sources
from tiebreak.readers.metric import check_held
from tiebreak.readers.source import Request, Source, check_request, known_sizes, percent_notices, with_sizes
from tiebreak.scores.scores import Scores, look_up, quoted

_ACCEPTED = (
    "a fitted search (GridSearchCV and its like) or its cv_results_, {name: cross_validate(...)}, "
    "{name: scores, one per split}, a data frame (pandas, polars, pyarrow or another that narwhals reads), a path to a "
    "CSV, JSON or Parquet file, or Scores"
)


def read_scores(
    *sources: Any,
    metric: str | None = None,
    models: Sequence[str] | None = None,
    dataset: str | None = None,
    lower_is_better: bool | None = None,
    X: Any = None,
    y: Any = None,
    groups: Any = None,
    n_samples: int | None = None,
    n_train: int | None = None,
    n_test: int | None = None,
) -> Scores:
    """Scores from one source, or from several joined on their splits.

    Parameters
    ----------
    *sources
        A fitted search or its ``cv_results_``, ``{name: cross_validate(...)}``, ``{name: scores, one per split}``, a long or
        wide data frame, a path to a CSV, JSON or Parquet file, or Scores.
    metric : str, optional
        Selects where a source holds several metrics, names it where a source holds none.
    models : sequence of str, optional
        Keep only these, in this order.
    dataset : str, optional
        Which dataset, where a table holds several.
    lower_is_better : bool, optional
        Direction of a metric that is no scorer name of scikit-learn.
    X, y, groups : array_like, optional
        For a search: the data as given to ``fit``.
    n_samples : int, optional
        For a search: the number of rows of X, if X is not at hand.
    n_train, n_test : int, optional
        Training and test examples of each split, where the source does not say.

    Returns
    -------
    Scores

    Raises
    ------
    UnsupportedSourceError
        A source of another type.
    TiebreakError
        What is wrong with a source, where, and how to go on.
    """
    request = check_request(metric, models, dataset, lower_is_better, X, y, groups, n_samples, n_train, n_test)
    if not sources:
        raise UnsupportedSourceError(f"nothing to read: pass {_ACCEPTED}.")
    read = [_read(source, request, number, len(sources)) for number, source in enumerate(sources, start=1)]
    scores = _keep(join_sources(read), request.models)
    _refuse_unused_data(scores, request)
    notices = dict.fromkeys(scores.notices)
    notices |= dict.fromkeys(notice for matrix in scores.matrices for notice in percent_notices(matrix, scores.metric))
    return dataclasses.replace(scores, notices=tuple(notices))


def _read(source: Any, request: Request, number: int, n_sources: int) -> Source:
    """One source; the cheap types first, so that neither scikit-learn nor a data frame library is loaded for a file."""
    name = "the source" if n_sources == 1 else f"source {number}"
    if isinstance(source, Scores):
        return _read_scores(source, request, name)
    if isinstance(source, (str, os.PathLike)):
        from tiebreak.readers.files import read_path

        return _of_dataset(read_path(os.fspath(source), request), request)
    if isinstance(source, Mapping):
        return _of_dataset(_read_mapping(source, request, name), request)
    return _of_dataset(_read_object(source, request, name), request)


def _read_scores(scores: Scores, request: Request, name: str) -> Source:
    check_held(scores.metric, request, name)
    matrices = tuple(with_sizes(matrix, request, name) for matrix in scores.matrices)
    sizes = scores.design.sizes if scores.design.sizes != "missing" else known_sizes(matrices)
    design = dataclasses.replace(scores.design, sizes=sizes)
    return _of_dataset(Source(dataclasses.replace(scores, matrices=matrices, design=design), name), request)


def _read_mapping(source: Mapping[Any, Any], request: Request, name: str) -> Source:
    from tiebreak.readers.columns import RESERVED
    from tiebreak.readers.cross_validate import is_cross_validate, read_arrays, read_cross_validate
    from tiebreak.readers.frames import read_columns
    from tiebreak.readers.json import is_answer, read_parsed
    from tiebreak.readers.search import is_cv_results, read_cv_results

    if not source:
        raise UnreadableSourceError(f"{name} is an empty dict. Pass {{name: scores}} with at least two models.")
    if len({str(key) for key in source}) < len(source):
        raise UnreadableSourceError(f"{name} has two keys of the same text among {quoted([str(key) for key in source])}.")
    if is_answer(source):
        return read_parsed(source, name, request)
    if is_cv_results(source):
        return read_cv_results(source, request)
    if is_cross_validate(source) and "fit_time" in source:
        raise UnreadableSourceError(
            f"{name} is the result of one call of cross_validate. Pass {{name: result}} with one for each model."
        )
    if all(is_cross_validate(result) for result in source.values()):
        return read_cross_validate(source, request, name)
    if any(key in RESERVED for key in source):
        return read_columns(source, request, name)
    return read_arrays(source, request, name)


def _read_object(source: Any, request: Request, name: str) -> Source:
    from tiebreak.readers.search import is_search, read_search, refuse_unfitted

    if is_search(source):
        return read_search(source, request)
    refuse_unfitted(source)
    from tiebreak.readers.frames import as_frame, read_frame

    frame = as_frame(source)
    if frame is None:
        kind = type(source).__name__
        raise UnsupportedSourceError(f"{name} is of type {kind!r}, which cannot be read as scores. Pass {_ACCEPTED}.")
    return read_frame(frame, request, "the table" if name == "the source" else name)


def _of_dataset(source: Source, request: Request) -> Source:
    """The source with only the dataset asked for."""
    scores = source.scores
    if request.dataset is None or scores.datasets == (request.dataset,):
        return source
    if scores.datasets == ("",):
        raise UnknownNameError(f"dataset={request.dataset!r} was given, but {source.name} does not name any datasets.")
    matrix = scores.matrices[look_up(request.dataset, scores.datasets, "dataset")]
    return dataclasses.replace(source, scores=dataclasses.replace(scores, matrices=(matrix,)))


def _refuse_unused_data(scores: Scores, request: Request) -> None:
    """Sizes that X or n_samples were to tell must not stay unknown without a word."""
    if scores.design.sizes == "missing" and (request.has_data or request.n_samples is not None):
        raise MissingSizesError(
            "X, y and n_samples tell the sizes of the splits of a fitted search only, since it keeps its cv. Pass the search "
            "itself, or n_train= and n_test= (examples per split)."
        )


def _keep(scores: Scores, models: tuple[str, ...] | None) -> Scores:
    if models is None:
        return scores
    for name in models:
        look_up(name, scores.models, "model")
    matrices = tuple(matrix.take([name for name in models if name in matrix.models]) for matrix in scores.matrices)
    return dataclasses.replace(scores, matrices=matrices)
