"""Fitted searches, such as scikit-learn's GridSearchCV, and their ``cv_results_``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tiebreak.errors import UnfittedSearchError, UnreadableSourceError
from tiebreak.numerics import FloatArray
from tiebreak.plan.candidates import name_candidates
from tiebreak.plan.split import Splits
from tiebreak.readers.metrics import check_finite, check_sign, choose_metric, orient, sklearn_metric
from tiebreak.readers.request import Request
from tiebreak.readers.resplit import splits_of_search
from tiebreak.readers.scorers import Scorer, scorer_of
from tiebreak.readers.sizes import known_sizes, with_sizes
from tiebreak.readers.source import Source, approximate_sizes
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

_SPLIT_KEY = re.compile(r"split(\d+)_test_(.+)")


def is_search(source: Any) -> bool:
    """Whether this is a fitted search."""
    return isinstance(getattr(source, "cv_results_", None), Mapping)


def refuse_unfitted(source: Any) -> None:
    """Say so if this is a search that has not been fitted.

    Raises
    ------
    UnfittedSearchError
        It has the parameters of a search, but no results.
    """
    names = ("param_grid", "param_distributions", "search_spaces")
    if hasattr(source, "fit") and hasattr(source, "get_params") and any(hasattr(source, name) for name in names):
        raise UnfittedSearchError(
            f"this {type(source).__name__} has not been fitted, so it has no scores. Call its fit(X, y) first."
        )


def is_cv_results(source: Mapping[Any, Any]) -> bool:
    """Whether this dict is the ``cv_results_`` of a search."""
    return any(isinstance(key, str) and _SPLIT_KEY.fullmatch(key) for key in source)


def read_search(search: Any, request: Request) -> Source:
    """Scores of all candidates of a fitted search.

    Of a successive-halving search those of its last iteration, since earlier ones saw other samples.

    Raises
    ------
    MissingSizesError
        X and y, or n_samples, are needed to know the sizes of the splits.
    """
    name = f"the {type(search).__name__}"
    results = search.cv_results_
    n_splits = int(getattr(search, "n_splits_", 0)) or _n_splits(results, name)
    splits = _of_subsample(search, splits_of_search(search, n_splits, request))
    return _read(results, splits, request, name, search)


def read_cv_results(results: Mapping[str, Any], request: Request, name: str = "cv_results_") -> Source:
    """Scores of a ``cv_results_`` dict, which knows nothing of its splits but their number."""
    return _read(results, None, request, name, None)


def _read(results: Mapping[str, Any], splits: Splits | None, request: Request, name: str, search: Any) -> Source:
    scorer = _scorer(results, request, name, search)
    models, notices = name_candidates(_params(results, name))
    score = _scores(results, scorer.key, len(models), name)
    if "iter" in results:
        last = np.asarray(results["iter"]) == np.max(results["iter"])
        models, notices = name_candidates([each for each, is_last in zip(results["params"], last, strict=True) if is_last])
        score = score[last]
    named = sklearn_metric(scorer.name, request, scorer.sign)
    fold, zeros = np.arange(score.shape[1]), np.zeros(score.shape[1], dtype=np.int64)
    matrix = ScoreMatrix("", models, zeros, fold, zeros, zeros, orient(score, named.factor))
    design = SplitDesign()
    if splits is not None:
        matrix, design = splits.applied_to(matrix)
    is_approximate = design.sizes == "approximate"
    matrix = with_sizes(matrix, request, name)
    check_finite(matrix, name)
    check_sign(matrix, named, name, by_sklearn=True)
    if is_approximate:
        notices = (*notices, approximate_sizes(name))
    else:
        design = dataclasses.replace(design, sizes=known_sizes([matrix]))
    return Source(Scores(named.metric, (matrix,), design, notices), name)


def _scorer(results: Mapping[str, Any], request: Request, name: str, search: Any) -> Scorer:
    held = tuple(dict.fromkeys(match[2] for key in results if (match := _SPLIT_KEY.fullmatch(str(key)))))
    if not held:
        raise UnreadableSourceError(f"{name} holds no scores of splits (split0_test_score and so on).")
    if held == ("score",):
        return scorer_of(search, request)
    key = choose_metric(held, request.metric, name)
    scorer = getattr(search, "scorer_", None)
    return Scorer(key, key, getattr(scorer.get(key), "_sign", None) if isinstance(scorer, Mapping) else None)


def _params(results: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    params = results.get("params")
    if params is None or not all(isinstance(each, Mapping) for each in params):
        raise UnreadableSourceError(
            f"{name} has scores of splits but no 'params' with a dict for each candidate, so the candidates cannot be named. "
            "Pass cv_results_ whole, or {name: scores}."
        )
    return list(params)


def _n_splits(results: Mapping[str, Any], name: str) -> int:
    numbers = {int(match[1]) for key in results if (match := _SPLIT_KEY.fullmatch(str(key)))}
    if numbers != set(range(len(numbers))) or not numbers:
        raise UnreadableSourceError(f"{name} lacks the scores of some splits: it has {sorted(numbers)}. Pass cv_results_ whole.")
    return len(numbers)


def _scores(results: Mapping[str, Any], key: str, n_models: int, name: str) -> FloatArray:
    n_splits = _n_splits({each: None for each in results if str(each).endswith(f"_test_{key}")}, name)
    columns = []
    for split in range(n_splits):
        column = f"split{split}_test_{key}"
        values: FloatArray = np.ma.filled(np.ma.asarray(results[column], dtype=float), np.nan)
        if values.shape != (n_models,):
            raise UnreadableSourceError(
                f"{name}: {column!r} holds {values.size} scores for {n_models} candidates. Pass cv_results_ whole."
            )
        columns.append(values)
    return np.array(columns).T.copy()


def _of_subsample(search: Any, splits: Splits) -> Splits:
    """Sizes of the last iteration of a successive-halving search, which may see part of the examples of each split."""
    results = search.cv_results_
    if "iter" not in results or getattr(search, "resource", None) != "n_samples" or not np.all(splits.n_train):
        return splits
    n_samples = int((splits.n_train + splits.n_test).max())
    fraction = float(np.asarray(results["n_resources"])[-1]) / n_samples
    if fraction >= 1.0:
        return splits
    n_train, n_test = (np.floor(fraction * sizes).astype(np.int64) for sizes in (splits.n_train, splits.n_test))
    return dataclasses.replace(splits, n_train=n_train, n_test=n_test, hash=None)
