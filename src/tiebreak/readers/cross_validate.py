"""Results of scikit-learn's ``cross_validate``, and plain arrays of scores, by model name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tiebreak.errors import (
    AmbiguousSourceError,
    InvalidParameterError,
    InvalidScoresError,
    UnpairedScoresError,
    UnreadableSourceError,
    UnsupportedSourceError,
)
from tiebreak.numerics import FloatArray
from tiebreak.plan.fingerprint import split_hash
from tiebreak.plan.split_design import Split, Splits, describe_splits, split_of
from tiebreak.readers.columns import is_missing, is_number, is_reserved, numbers_rows, refuse_running_number, to_float
from tiebreak.readers.metric import choose_metric, sklearn_metric, table_metric
from tiebreak.readers.source import ReadOptions, Source, refuse_items, source_of
from tiebreak.scores.scores import ScoreMatrix, SplitDesign


def reads(source: Any) -> bool:
    """True for a dict of results of cross_validate, any other dict without a reserved name, and numbers in two dimensions."""
    if not isinstance(source, Mapping):
        return _is_matrix(source)
    return _is_single(source) or all(map(_is_result, source.values())) or not any(map(is_reserved, source))


def _is_result(value: Any) -> bool:
    """True for what looks like a result of cross_validate."""
    return isinstance(value, Mapping) and any(map(_is_test_key, value))


def _is_test_key(key: Any) -> bool:
    return isinstance(key, str) and key.startswith("test_")


def _is_matrix(source: Any) -> bool:
    """True for an array, a list or a tuple of rows of numbers."""
    if isinstance(source, np.ndarray):
        return source.dtype.names is None
    is_list = isinstance(source, list | tuple) and bool(source)
    return is_list and all(isinstance(row, list | tuple | np.ndarray) for row in source)


def _is_single(source: Mapping[Any, Any]) -> bool:
    return _is_result(source) and "fit_time" in source


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores of ``{name: cross_validate(...)}`` or ``{name: one score for each split}``, or of a matrix with ``models=``.

    Models are paired by position unless ``return_indices=True``, or the index of pandas' Series, shows the splits, which must be
    the same for all.
    """
    if not isinstance(source, Mapping):
        source = _by_model(source, name, options)
    if _is_single(source):
        raise UnreadableSourceError(
            f"{name} is the result of one call of cross_validate. Pass {{name: result}} with one for each model."
        )
    if all(map(_is_result, source.values())):
        return _read_results(source, name, options)
    source, has_index = _in_order_of_index(source, name)
    matrix = _paired({str(model): _as_scores(values, str(model)) for model, values in source.items()}, name)
    matrix, design = _of_given_splits(matrix, SplitDesign(pairing="key" if has_index else "position"), options)
    refuse_items(matrix, options, name)
    named = table_metric(None, options, name, has_sizes=matrix.has_sizes)
    return source_of([matrix], named, design, options, name)


def _by_model(matrix: Any, name: str, options: ReadOptions) -> dict[str, Any]:
    """Rows or columns of a matrix by the names given as ``models=``, whichever of the two they fit."""
    try:
        table = np.asanyarray(matrix)
    except ValueError:  # rows of different length
        table = np.zeros(0)
    how = "Pass {name: scores}, or an array with one row or one column per model and their names as models=[...]"
    if table.ndim != 2:
        raise UnsupportedSourceError(f"{name} is an array of shape {table.shape}, where two dimensions are needed. {how}.")
    n_models = None if options.models is None else len(options.models)
    if n_models is None or n_models not in table.shape:
        names = "are not given" if n_models is None else f"are {n_models}"
        raise UnsupportedSourceError(f"{name} is an array of shape {table.shape}, and the names of its models {names}. {how}.")
    if table.shape[0] == table.shape[1]:
        raise AmbiguousSourceError(
            f"{name} is an array of shape {table.shape}: are its models in rows or in columns? Pass {{name: scores}}, such as "
            "dict(zip(names, array)) for rows and dict(zip(names, array.T)) for columns."
        )
    return dict(zip(options.models or (), table if table.shape[0] == n_models else table.T, strict=True))


def _read_results(results: Mapping[str, Mapping[str, Any]], name: str, options: ReadOptions) -> Source:
    held = dict.fromkeys(key.removeprefix("test_") for result in results.values() for key in result if _is_test_key(key))
    names_it = tuple(held) == ("score",)
    chosen = choose_metric(tuple(held), None if names_it else options.metric, name)
    for model, result in results.items():
        if f"test_{chosen}" not in result:
            raise UnreadableSourceError(f"model {model!r} of {name} has no scores for {chosen!r}. Score all models alike.")
    named = sklearn_metric(chosen, options)
    matrix = _paired({str(model): _as_scores(result[f"test_{chosen}"], str(model)) for model, result in results.items()}, name)
    design = SplitDesign(pairing="position")
    splits = _same_splits({str(model): result.get("indices") for model, result in results.items()}, matrix, name)
    if splits is not None:
        matrix, design = splits.applied_to(matrix)
    else:
        matrix, design = _of_given_splits(matrix, design, options)
    return source_of([matrix], named, design, options, name, by_sklearn=True, fit_seconds=dict(_fit_seconds(results)))


def _fit_seconds(results: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    """Median time of a fit by model, of results that hold ``fit_time``."""
    for model, result in results.items():
        try:
            seconds = np.asarray(result.get("fit_time", ()), dtype=float).ravel()
        except (TypeError, ValueError, OverflowError):
            continue
        if seconds.size and np.isfinite(seconds).all():
            yield str(model), float(np.median(seconds))


def _of_given_splits(matrix: ScoreMatrix, design: SplitDesign, options: ReadOptions) -> tuple[ScoreMatrix, SplitDesign]:
    """The matrix with the splits that the caller's `cv` makes of the caller's data, where both were given."""
    if options.cv is None or not options.has_data:
        return matrix, design
    from sklearn.utils.multiclass import type_of_target

    from tiebreak.readers.search import split_again

    try:
        of_classes = options.y is not None and type_of_target(options.y) in ("binary", "multiclass")
    except ValueError as error:
        raise InvalidParameterError(f"y is no target of examples: {error}.") from None
    return split_again(options.cv, of_classes, matrix.n_splits, options, "the models were scored").applied_to(matrix)


# --- an index -----------------------------------------------------------------------------------------------------------


def _in_order_of_index(source: Mapping[Any, Any], name: str) -> tuple[Mapping[Any, Any], bool]:
    """Series of pandas with their splits in one order, and True where an index names the splits.

    The index is the key: a split is what has the same label. One that only counts from 0 names nothing.
    """
    labels = {str(model): list(values.index) for model, values in source.items() if _has_index(values)}
    named = {model: index for model, index in labels.items() if index != list(range(len(index)))}
    if not named:
        return source, False
    first = next(iter(named))
    for model in map(str, source):
        index = labels.get(model)
        if index is None:
            raise UnpairedScoresError(
                f"{name}: the scores of {first!r} have an index and those of {model!r} have none, so nothing says which belong "
                "together. Give all of them the same index, or pass arrays to pair them by their order: scores.to_numpy()."
            )
        if len(set(index)) < len(index):
            doubled = next(label for place, label in enumerate(index) if label in index[:place])
            raise UnpairedScoresError(f"{name}: the index of model {model!r} has {doubled!r} twice; each split has one score.")
        if set(index) != set(named[first]):
            other = next(label for label in (*index, *named[first]) if (label in index) != (label in named[first]))
            lacking = first if other in index else model
            raise UnpairedScoresError(
                f"{name}: the scores of {first!r} and {model!r} have different indexes; {lacking!r} has no score for {other!r}. "
                "Score both on the same splits; if the indexes mean nothing, pass arrays: scores.to_numpy()."
            )
    order = named[first]
    return {model: values.reindex(order) for model, values in source.items()}, True


def _has_index(values: Any) -> bool:
    """True for a Series of pandas."""
    return hasattr(values, "reindex") and hasattr(values, "index") and getattr(values, "ndim", 0) == 1


# --- scores -------------------------------------------------------------------------------------------------------------


def _as_scores(values: Any, model: str) -> FloatArray:
    """One model's scores as floats, nan where there is none."""
    if isinstance(values, (str, bytes, Mapping)) or values is None:
        raise InvalidScoresError(f"the scores of model {model!r} must be numbers, one for each split; got {values!r:.60}.")
    try:
        is_masked = isinstance(values, np.ma.MaskedArray)
        given: np.ndarray = np.ma.filled(values.astype(float), np.nan) if is_masked else np.asarray(values)
    except (TypeError, ValueError):  # lists of different length, masked words
        raise InvalidScoresError(f"the scores of model {model!r} must be numbers in one list; got {values!r:.60}.") from None
    if given.ndim == 0 and given.dtype.kind not in "biuf":
        raise InvalidScoresError(f"the scores of model {model!r} must be numbers, one for each split; got {values!r:.60}.")
    if given.ndim == 0:
        raise InvalidScoresError(f"model {model!r} has the single score {values!r:.60}; a score for each split is needed.")
    if given.ndim > 1:
        raise InvalidScoresError(
            f"the scores of model {model!r} have the shape {given.shape}; one score for each split is needed, in one "
            "dimension. For repeats by folds, use a table with columns 'repeat' and 'fold'."
        )
    if given.size == 0:
        raise InvalidScoresError(f"model {model!r} has no scores; a score for each split is needed.")
    if given.dtype.kind == "O":
        return np.array([_number(value, i, model) for i, value in enumerate(given)])
    if given.dtype.kind not in "biuf":
        raise InvalidScoresError(f"model {model!r}: {given.flat[0].item()!r:.60} is not a number.")
    return given.astype(float)


def _number(value: Any, position: int, model: str) -> float:
    if is_missing(value):
        return float("nan")
    if not is_number(value):
        raise InvalidScoresError(f"model {model!r}, score {position + 1}: {value!r:.60} is not a number.")
    return to_float(value)


def _paired(arrays: Mapping[str, FloatArray], name: str) -> ScoreMatrix:
    models = tuple(arrays)
    for model in filter(numbers_rows, models):  # of other names a dict says itself that they are models
        refuse_running_number(model, arrays[model], name)
    for model in models[1:]:
        if arrays[model].size != arrays[models[0]].size:
            raise UnpairedScoresError(
                f"{name}: model {models[0]!r} has {arrays[models[0]].size} scores and {model!r} has {arrays[model].size}, so "
                "they cannot be paired by their order. Score all models on the same splits."
            )
    n_splits = arrays[models[0]].size
    zeros, fold = np.zeros(n_splits, dtype=np.int64), np.arange(n_splits)
    return ScoreMatrix("", models, zeros, fold, zeros, zeros, np.array([arrays[model] for model in models]))


# --- splits -------------------------------------------------------------------------------------------------------------


def _same_splits(indices: Mapping[str, Any], matrix: ScoreMatrix, name: str) -> Splits | None:
    """Splits of all models, where they returned them; those that did are checked against each other."""
    known = {model: _as_splits(value, model, matrix.n_splits, name) for model, value in indices.items() if value is not None}
    if not known:
        return None
    (first, splits_of_first), *others = known.items()
    for other, splits in others:
        differs = next((i for i, pair in enumerate(zip(splits_of_first, splits, strict=True)) if not _same(*pair)), None)
        if differs is not None:
            raise UnpairedScoresError(
                f"{name}: models {first!r} and {other!r} were scored on different splits; the first that differs "
                f"is split {differs} (counting from 0). Give cross_validate the same cv for all, with a fixed random_state if "
                "it shuffles."
            )
    described = describe_splits(splits_of_first)
    if len(known) < len(indices):  # others may have had other splits
        return dataclasses.replace(described, pairing="position")
    return dataclasses.replace(described, hash=split_hash([split.test for split in splits_of_first]))


def _as_splits(indices: Any, model: str, n_splits: int, name: str) -> list[Split]:
    train, test = (indices.get(part) if isinstance(indices, Mapping) else None for part in ("train", "test"))
    if not isinstance(train, Sequence) or not isinstance(test, Sequence) or not len(train) == len(test) == n_splits:
        raise UnreadableSourceError(
            f"the indices of model {model!r} in {name} are not what cross_validate(return_indices=True) returns: 'train' and "
            f"'test', with an array for each of the {n_splits} splits."
        )
    return [split_of(one, two) for one, two in zip(train, test, strict=True)]


def _same(one: Split, two: Split) -> bool:
    return np.array_equal(np.sort(one.train), np.sort(two.train)) and np.array_equal(np.sort(one.test), np.sort(two.test))
