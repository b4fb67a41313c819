"""Fitted searches, such as scikit-learn's GridSearchCV, and their ``cv_results_``."""

from __future__ import annotations

import copy
import dataclasses
import math
import numbers
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tiebreak.caught import caught_warnings
from tiebreak.errors import ContradictingSizesError, MissingSizesError, UnfittedSearchError, UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.candidates import name_candidates
from tiebreak.plan.fingerprint import split_hash
from tiebreak.plan.split_design import Split, Splits, class_names, describe_splits, scheme_of, split_of
from tiebreak.readers.metric import SearchScorer, choose_metric, scorer_of, sklearn_metric
from tiebreak.readers.source import ReadOptions, Source, source_of
from tiebreak.scores.scores import ScoreMatrix, SplitDesign
from tiebreak.scores.vocabulary import Notice

_SPLIT_KEY = re.compile(r"split(\d+)_test_(.+)")


def reads(source: Any) -> bool:
    """True for a search, fitted or not, and for the ``cv_results_`` of one."""
    return is_cv_results(source) if isinstance(source, Mapping) else _is_fitted(source) or _is_unfitted(source)


def is_cv_results(source: Mapping[Any, Any]) -> bool:
    """True for the ``cv_results_`` of a search."""
    return any(isinstance(key, str) and _SPLIT_KEY.fullmatch(key) for key in source)


def _is_fitted(source: Any) -> bool:
    return isinstance(getattr(source, "cv_results_", None), Mapping)


def _is_unfitted(source: Any) -> bool:
    names = ("param_grid", "param_distributions", "search_spaces")
    return hasattr(source, "fit") and hasattr(source, "get_params") and any(hasattr(source, name) for name in names)


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores of all candidates of a fitted search, or of its ``cv_results_``.

    Of a successive-halving search those of its last iteration, since earlier ones saw other samples.
    """
    if isinstance(source, Mapping):
        return read_cv_results(source, "cv_results_", options)
    if not _is_fitted(source):
        raise UnfittedSearchError(
            f"this {type(source).__name__} has not been fitted, so it has no scores. Call its fit(X, y) first."
        )
    name, results = f"the {type(source).__name__}", source.cv_results_
    n_splits = int(getattr(source, "n_splits_", 0)) or _n_splits(results, name)
    splits = _of_subsample(source, _splits_of_search(source, n_splits, options))
    return _read(results, splits, name, options, source)


def read_cv_results(results: Mapping[str, Any], name: str, options: ReadOptions) -> Source:
    """Scores of a ``cv_results_`` dict, which knows nothing of its splits but their number."""
    return _read(results, None, name, options, None)


def _read(results: Mapping[str, Any], splits: Splits | None, name: str, options: ReadOptions, search: Any) -> Source:
    scorer = _scorer(results, name, options, search)
    models, notices = name_candidates(_params(results, name))
    score, seconds = _scores(results, scorer.key, len(models), name), _fit_seconds(results, len(models))
    if "iter" in results:
        last = np.asarray(results["iter"]) == np.max(results["iter"])
        models, notices = name_candidates([each for each, is_last in zip(results["params"], last, strict=True) if is_last])
        score, seconds = score[last], seconds[last]
        notices = (*notices, *_survivors(results, len(models), name))
    fold, zeros = np.arange(score.shape[1]), np.zeros(score.shape[1], dtype=np.int64)
    matrix, design = ScoreMatrix("", models, zeros, fold, zeros, zeros, score), SplitDesign()
    if splits is not None:
        matrix, design = splits.applied_to(matrix)
    named = sklearn_metric(scorer.name, options, scorer.sign)
    times = {model: float(each) for model, each in zip(models, seconds, strict=True) if np.isfinite(each)}
    return source_of([matrix], named, design, options, name, notices=notices, by_sklearn=True, fit_seconds=times)


def _survivors(results: Mapping[str, Any], n_left: int, name: str) -> Iterator[Notice]:
    """Say that a search which halves its candidates is compared by those that came through."""
    first = np.asarray(results["iter"]) == np.min(results["iter"])
    n_all = int(np.count_nonzero(first))
    if n_left < n_all:
        yield Notice(
            "survivors-only",
            f"{name} tried {n_all} candidates and measured {n_left} of them to the end; only these are compared. They came "
            "through on scores of the same data, so their means are likely a little too good, and nothing is said of the others",
        )


def _scorer(results: Mapping[str, Any], name: str, options: ReadOptions, search: Any) -> SearchScorer:
    held = _held(results, name)
    if held == ("score",):
        return scorer_of(search, options)
    key = choose_metric(held, options.metric, name)
    scorer = getattr(search, "scorer_", None)
    return SearchScorer(key, key, getattr(scorer.get(key), "_sign", None) if isinstance(scorer, Mapping) else None)


def _held(results: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Keys of the metrics: ("score",) where there is only one."""
    held = tuple(dict.fromkeys(match[2] for key in results if (match := _SPLIT_KEY.fullmatch(str(key)))))
    if not held:
        raise UnreadableSourceError(f"{name} holds no scores of splits (split0_test_score and so on).")
    return held


def _params(results: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    params = results.get("params")
    if params is None or not all(isinstance(each, Mapping) for each in params):
        raise UnreadableSourceError(
            f"{name} has scores of splits but no 'params' with a dict for each candidate, so the candidates cannot be named. "
            "Pass cv_results_ whole, or {name: scores}."
        )
    return list(params)


def scores_of_candidates(results: Mapping[str, Any], metric: str | None = None) -> FloatArray:
    """Scores of a ``cv_results_`` as they are stored, higher being better, of shape (n_candidates, n_splits).

    `metric` says which of several; nan stands for a fit or a score that failed.
    """
    name = "cv_results_"
    held = _held(results, name)
    key = "score" if held == ("score",) else choose_metric(held, metric, name)
    return _scores(results, key, len(_params(results, name)), name)


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


def _fit_seconds(results: Mapping[str, Any], n_models: int) -> FloatArray:
    """Mean time of a fit of each candidate, all that a search keeps of its times; nan where it is not known."""
    try:
        seconds: FloatArray = np.ma.filled(np.ma.asarray(results.get("mean_fit_time", ()), dtype=float), np.nan)
    except (TypeError, ValueError, OverflowError):
        return np.full(n_models, np.nan)
    return seconds if seconds.shape == (n_models,) else np.full(n_models, np.nan)


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


# --- splits -------------------------------------------------------------------------------------------------------------

_INSTEAD = "Pass n_samples= (the number of rows of X; sizes are then approximate), or n_train= and n_test= (examples per split)."


def _splits_of_search(search: Any, n_splits: int, options: ReadOptions) -> Splits:
    """Keys and sizes of the splits of a fitted search.

    Exact where X and y are given, or where ``cv`` is a list of splits; approximate from n_samples.
    """
    data = options.X if options.X is not None else options.y
    if data is not None and options.n_samples not in (None, _length(data)):
        raise ContradictingSizesError(
            f"n_samples={options.n_samples} was given, but X has {_length(data)} rows. Leave out n_samples= where X is given."
        )
    if data is not None or isinstance(search.cv, (list, tuple)) or "PredefinedSplit" in class_names(search.cv):
        try:
            return _exact(search, n_splits, options)
        except MissingSizesError:
            if options.n_samples is None and not options.has_sizes:
                raise
    if options.has_sizes:
        return _without_sizes(search.cv, n_splits)
    if options.n_samples is not None:
        return _approximate(search.cv, n_splits, options.n_samples)
    raise MissingSizesError(
        "the numbers of training and test examples are needed for the correction, and a search does not keep them. Pass X= "
        "and y= (and groups=) as given to fit, and they are counted by splitting again; or n_samples= (the number of rows of "
        "X), and they are approximate."
    )


def _length(data: Any) -> int:
    shape = getattr(data, "shape", None)
    return int(shape[0]) if shape else len(data)


# --- exact ----------------------------------------------------------------------------------------------------------------


def _exact(search: Any, n_splits: int, options: ReadOptions) -> Splits:
    from sklearn.base import is_classifier

    return split_again(search.cv, is_classifier(search.estimator), n_splits, options, "the search was fitted")


def split_again(cv: Any, of_classes: bool, n_splits: int, options: ReadOptions, done: str) -> Splits:
    """Splits that a `cv` makes of the caller's data, for classes or not; `done` says what was done on so many splits."""
    cv = _checked_cv(cv, of_classes, options)
    first = _split(cv, options)
    if len(first) != n_splits:
        raise ContradictingSizesError(
            f"splitting again gives {len(first)} splits, but {done} on {n_splits}. Are X, y and groups those given then? If cv "
            f"cannot be split again: {_INSTEAD[0].lower()}{_INSTEAD[1:]}"
        )
    splits = describe_splits(first, scheme_of(cv, n_splits))
    if _is_fixed(cv):
        tests, again = ([split.test for split in made] for made in (first, _split(cv, options)))
        digest = split_hash(tests)
        if split_hash(again) == digest:
            return dataclasses.replace(splits, hash=digest)
        if [test.size for test in again] != [test.size for test in tests]:
            return dataclasses.replace(splits, sizes="approximate")
    return splits


def _checked_cv(cv: Any, of_classes: bool, options: ReadOptions) -> Any:
    """The splitter that was used, a copy, so that a caller's random state is not moved on."""
    from sklearn.model_selection import check_cv

    if hasattr(cv, "__next__"):
        raise MissingSizesError(f"cv is a generator, which is used up and cannot be split again. {_INSTEAD}")
    if of_classes and options.y is None and (cv is None or isinstance(cv, numbers.Integral)):
        raise MissingSizesError("the splits of a classifier are stratified by y: pass y= as given to fit beside X=.")
    try:
        return check_cv(copy.deepcopy(cv), options.y, classifier=of_classes)
    except Exception as error:
        raise MissingSizesError(f"cv cannot be split again: {error}. {_INSTEAD}") from None


def _split(cv: Any, options: ReadOptions) -> list[Split]:
    X = options.X if options.X is not None or options.y is None else np.zeros((_length(options.y), 1))
    try:
        with caught_warnings():  # fit has given them already
            pairs: Iterable[tuple[Any, Any]] = cv.split(X, options.y, options.groups)
            return [split_of(train, test) for train, test in pairs]
    except Exception as error:
        raise MissingSizesError(
            f"splitting again with {type(cv).__name__} failed: {error} Pass X, y and groups as given to fit. Or: "
            f"{_INSTEAD[0].lower()}{_INSTEAD[1:]}"
        ) from None


def _is_fixed(cv: Any) -> bool:
    """True if the splitter draws the same splits each time, as far as its settings tell."""
    state = getattr(cv, "random_state", 0)
    return isinstance(state, numbers.Integral) or not getattr(cv, "shuffle", True)


# --- without the data -------------------------------------------------------------------------------------------------------


def _without_sizes(cv: Any, n_splits: int) -> Splits:
    kind, n_folds = scheme_of(cv, n_splits) or ("unknown", n_splits)
    nothing = np.zeros(n_splits, dtype=np.int64)
    return Splits(*np.divmod(np.arange(n_splits), n_folds), nothing, nothing, kind, kind == "time", sizes="missing")


def _approximate(cv: Any, n_splits: int, n_samples: int) -> Splits:
    n_train, n_test = _sizes_from_count(cv, n_splits, n_samples)
    splits = _without_sizes(cv, n_splits)
    if np.any(n_train < 1) or np.any(n_test < 1):
        raise ContradictingSizesError(
            f"n_samples={n_samples} leaves {n_train.min()} training and {n_test.min()} test examples in one of {n_splits} "
            "splits. n_samples is the number of rows of X."
        )
    return dataclasses.replace(splits, n_train=n_train, n_test=n_test, sizes="approximate")


def _sizes_from_count(cv: Any, n_splits: int, n_samples: int) -> tuple[IntArray, IntArray]:
    names = class_names(cv)
    kind, n_folds = scheme_of(cv, n_splits) or (None, n_splits)
    if "BaseShuffleSplit" in names:
        n_train, n_test = _holdout_sizes(cv, n_samples, 0.2 if "GroupShuffleSplit" in names else 0.1)
    elif kind not in (None, "time", "loo") and "LeavePGroupsOut" not in names:
        n_test = max(1, round(n_samples / n_folds))
        n_train = n_samples - n_test
    else:
        return _counted(cv, n_splits, n_samples)
    return np.full(n_splits, n_train), np.full(n_splits, n_test)


def _holdout_sizes(cv: Any, n_samples: int, default: float) -> tuple[int, int]:
    test, train = getattr(cv, "test_size", None), getattr(cv, "train_size", None)
    if test is None and train is None:
        test = default
    n_test = None if test is None else math.ceil(test * n_samples) if isinstance(test, float) else int(test)
    n_train = None if train is None else math.floor(train * n_samples) if isinstance(train, float) else int(train)
    if n_test is None:
        n_test = n_samples - (n_train or 0)
    return (n_samples - n_test if n_train is None else n_train), n_test


def _counted(cv: Any, n_splits: int, n_samples: int) -> tuple[IntArray, IntArray]:
    """Sizes by a splitter that only asks how many examples there are."""
    try:
        splits = [(len(train), len(test)) for train, test in copy.deepcopy(cv).split(np.zeros((n_samples, 1)))]
    except Exception:
        raise MissingSizesError(
            f"cv of the search, {type(cv).__name__}, does not tell its sizes from n_samples= alone. Pass X=, y= and groups= "
            "as given to fit, or n_train= and n_test= (examples per split)."
        ) from None
    if len(splits) != n_splits:
        raise ContradictingSizesError(
            f"n_samples={n_samples} would make {len(splits)} splits, but the search was fitted on {n_splits}. n_samples is "
            "the number of rows of X."
        )
    n_train, n_test = np.array(splits, dtype=np.int64).T
    return n_train, n_test
