"""The splits of a fitted search: made again from its ``cv``, since ``cv_results_`` holds neither sizes nor indices."""

from __future__ import annotations

import copy
import dataclasses
import math
import numbers
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from tiebreak.errors import ContradictingSizesError, MissingSizesError
from tiebreak.numerics import IntArray
from tiebreak.plan.split import Scheme, Split, Splits, class_names, describe_splits, keys_of, scheme_of
from tiebreak.readers.request import Request

_INSTEAD = "Pass n_samples= (the number of rows of X; sizes are then approximate), or n_train= and n_test= (examples per split)."


def splits_of_search(search: Any, n_splits: int, request: Request) -> Splits:
    """Keys and sizes of the splits of a fitted search.

    Exact where X and y are given, or where ``cv`` is a list of splits; approximate from n_samples.

    Raises
    ------
    MissingSizesError
        Neither was given, or ``cv`` cannot be split again.
    ContradictingSizesError
        Splitting again gives another number of splits, or n_samples is not the length of X.
    """
    _check_n_samples(request)
    if request.has_data or _needs_no_data(search.cv):
        try:
            return _exact(search, n_splits, request)
        except MissingSizesError:
            if request.n_samples is None and not request.has_sizes:
                raise
    if request.has_sizes:
        return _without_sizes(search.cv, n_splits)
    if request.n_samples is not None:
        return _approximate(search.cv, n_splits, request.n_samples)
    raise MissingSizesError(
        "the numbers of training and test examples are needed for the correction, and a search does not keep them. Pass X= "
        "and y= (and groups=) as given to fit, and they are counted by splitting again; or n_samples= (the number of rows of "
        "X), and they are approximate."
    )


def _check_n_samples(request: Request) -> None:
    data = request.X if request.X is not None else request.y
    if data is not None and request.n_samples not in (None, _length(data)):
        raise ContradictingSizesError(
            f"n_samples={request.n_samples} was given, but X has {_length(data)} rows. Leave out n_samples= where X is given."
        )


def _length(data: Any) -> int:
    shape = getattr(data, "shape", None)
    return int(shape[0]) if shape else len(data)


def _needs_no_data(cv: Any) -> bool:
    return isinstance(cv, (list, tuple)) or "PredefinedSplit" in class_names(cv)


# --- exact ----------------------------------------------------------------------------------------------------------------


def _exact(search: Any, n_splits: int, request: Request) -> Splits:
    cv = _checked_cv(search, request)
    first = _split(cv, request)
    if len(first) != n_splits:
        raise ContradictingSizesError(
            f"splitting again gives {len(first)} splits, but the search was fitted on {n_splits}. Are X, y and groups those "
            f"given to fit? If cv cannot be split again: {_INSTEAD[0].lower()}{_INSTEAD[1:]}"
        )
    splits = describe_splits(first, scheme_of(cv, n_splits))
    if _is_fixed(cv):
        again = describe_splits(_split(cv, request), Scheme("unknown", n_splits))
        if again.hash == splits.hash:
            return splits
        if not np.array_equal(again.n_test, splits.n_test):
            return dataclasses.replace(splits, hash=None, sizes="approximate")
    return dataclasses.replace(splits, hash=None)


def _checked_cv(search: Any, request: Request) -> Any:
    """The splitter that `fit` used, a copy, so that a caller's random state is not moved on."""
    from sklearn.base import is_classifier
    from sklearn.model_selection import check_cv

    if hasattr(search.cv, "__next__"):
        raise MissingSizesError(f"cv of the search is a generator, which is used up and cannot be split again. {_INSTEAD}")
    classifier = is_classifier(search.estimator)
    if classifier and request.y is None and (search.cv is None or isinstance(search.cv, numbers.Integral)):
        raise MissingSizesError("the splits of a classifier are stratified by y: pass y= as given to fit beside X=.")
    try:
        return check_cv(copy.deepcopy(search.cv), request.y, classifier=classifier)
    except Exception as error:
        raise MissingSizesError(f"cv of the search cannot be split again: {error}. {_INSTEAD}") from None


def _split(cv: Any, request: Request) -> list[Split]:
    X = request.X if request.X is not None or request.y is None else np.zeros((_length(request.y), 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fit has given them already
            pairs: Iterable[tuple[Any, Any]] = cv.split(X, request.y, request.groups)
            return [Split(np.asarray(train), np.asarray(test)) for train, test in pairs]
    except Exception as error:
        raise MissingSizesError(
            f"splitting again with {type(cv).__name__} failed: {error} Pass X, y and groups as given to fit. Or: "
            f"{_INSTEAD[0].lower()}{_INSTEAD[1:]}"
        ) from None


def _is_fixed(cv: Any) -> bool:
    """Whether the splitter draws the same splits each time, as far as its settings tell."""
    state = getattr(cv, "random_state", 0)
    return isinstance(state, numbers.Integral) or not getattr(cv, "shuffle", True)


# --- without the data -------------------------------------------------------------------------------------------------------


def _without_sizes(cv: Any, n_splits: int) -> Splits:
    scheme = scheme_of(cv, n_splits) or Scheme("unknown", n_splits)
    nothing = np.zeros(n_splits, dtype=np.int64)
    return Splits(*keys_of(scheme, n_splits), nothing, nothing, scheme.kind, scheme.ordered, sizes="missing")


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
    names, scheme = class_names(cv), scheme_of(cv, n_splits)
    if "BaseShuffleSplit" in names:
        n_train, n_test = _holdout_sizes(cv, n_samples, 0.2 if "GroupShuffleSplit" in names else 0.1)
    elif scheme is not None and scheme.kind not in ("time", "loo") and "LeavePGroupsOut" not in names:
        n_test = max(1, round(n_samples / scheme.n_folds))
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
