"""Results of scikit-learn's ``cross_validate``, and plain arrays of scores, by model name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tiebreak.errors import InvalidScoresError, UnpairedScoresError, UnreadableSourceError
from tiebreak.numerics import FloatArray
from tiebreak.plan.split_design import Split, Splits, describe_splits, split_of
from tiebreak.readers.columns import RESERVED, is_missing, is_number, to_float
from tiebreak.readers.metric import choose_metric, sklearn_metric, table_metric
from tiebreak.readers.source import ReadOptions, Source, refuse_items, source_of
from tiebreak.scores.scores import ScoreMatrix, SplitDesign


def reads(source: Any) -> bool:
    """True for a dict of results of cross_validate, and for any other dict without a reserved name."""
    if not isinstance(source, Mapping):
        return False
    return _is_single(source) or all(map(_is_result, source.values())) or not any(key in RESERVED for key in source)


def _is_result(value: Any) -> bool:
    """True for what looks like a result of cross_validate."""
    return isinstance(value, Mapping) and any(isinstance(key, str) and key.startswith("test_") for key in value)


def _is_single(source: Mapping[Any, Any]) -> bool:
    return _is_result(source) and "fit_time" in source


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores of ``{name: cross_validate(...)}`` or ``{name: one score for each split}``.

    Models are paired by position unless ``return_indices=True`` shows the splits, which must be the same for all.
    """
    if _is_single(source):
        raise UnreadableSourceError(
            f"{name} is the result of one call of cross_validate. Pass {{name: result}} with one for each model."
        )
    if all(map(_is_result, source.values())):
        return _read_results(source, name, options)
    matrix = _paired({str(model): _as_scores(values, str(model)) for model, values in source.items()}, name)
    refuse_items(matrix, options, name)
    return source_of([matrix], table_metric(None, options, name), SplitDesign(pairing="position"), options, name)


def _read_results(results: Mapping[str, Mapping[str, Any]], name: str, options: ReadOptions) -> Source:
    held = dict.fromkeys(key.removeprefix("test_") for result in results.values() for key in result if key.startswith("test_"))
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
    return source_of([matrix], named, design, options, name, by_sklearn=True)


# --- scores -------------------------------------------------------------------------------------------------------------


def _as_scores(values: Any, model: str) -> FloatArray:
    """One model's scores as floats, nan where there is none."""
    if isinstance(values, (str, bytes, Mapping)) or values is None:
        raise InvalidScoresError(f"the scores of model {model!r} must be numbers, one for each split; got {values!r:.60}.")
    try:
        given = np.ma.filled(np.ma.asarray(values), np.nan) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    except ValueError:  # lists of different length
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
    return described if len(known) == len(indices) else described.of_some_models()


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
