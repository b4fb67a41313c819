"""Splits from whatever the caller means by ``cv``: made once, checked, the same for every model."""

from __future__ import annotations

import copy
import numbers
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import InvalidPlanError
from tiebreak.numerics import IntArray
from tiebreak.plan.data import Dataset, Task
from tiebreak.plan.schemes import make_splitter
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.split import Scheme, Split, scheme_of

SMALL = 1_000
"""Examples up to which repeats pay: with fewer, ``cv=None`` means 10 x 10-fold."""


class PlannedSplits(NamedTuple):
    """Splits and how they follow one another; a scheme of None is to be told from the indices."""

    splits: tuple[Split, ...]
    scheme: Scheme | None


def make_splits(cv: Any, dataset: Dataset, task: Task, rng: int | None) -> PlannedSplits:
    """The splits of a dataset.

    Parameters
    ----------
    cv : None, int, str, dict, splitter, or iterable of (train, test)
        None: 10 x 10-fold with fewer than 1,000 examples, else 10-fold. An int: as in scikit-learn, not shuffled. A name such
        as "repeated-stratified", or a dict such as ``{"kind": "time", "n_folds": 5, "gap": 2}``. Where groups are given, None
        and an int keep groups together.
    dataset : Dataset
    task : {"classification", "regression", "other"}
        Classes are stratified.
    rng : int or None
        Seeds what is shuffled and has no seed of its own.

    Raises
    ------
    InvalidPlanError
        The splits cannot be made, overlap, or leave a class out of a training set.
    """
    planned = draft_splits(cv, dataset, task, rng)
    _check_splits(planned.splits, dataset, task)
    return planned


def draft_splits(cv: Any, dataset: Dataset, task: Task, rng: int | None) -> PlannedSplits:
    """The same splits as they come, for an audit: they may overlap, or leave a class out.

    The parameters are those of `make_splits`.

    Raises
    ------
    InvalidPlanError
        The splits cannot be made.
    """
    if cv is None:
        cv = _default(dataset, task)
    if isinstance(cv, bool) or (isinstance(cv, numbers.Real) and not isinstance(cv, numbers.Integral)):
        raise InvalidPlanError(f"cv={cv!r} is no number of folds. Pass a whole number of at least 2, a name, or a splitter.")
    if isinstance(cv, numbers.Integral):
        cv = {"kind": plain_kind(dataset, task), "n_folds": int(cv), "shuffle": False}
    if isinstance(cv, str):
        cv = {"kind": cv}
    if isinstance(cv, Mapping):
        made = make_splitter(cv, dataset, task, derive_seed(0 if rng is None else rng, "splits", dataset.name))
        splits = _of_splitter(made.splitter, dataset, made.strata if made.strata is not None else dataset.y)
        return PlannedSplits(splits, made.scheme(len(splits)))
    if hasattr(cv, "split"):
        splits = _of_splitter(_seeded(cv, dataset, rng), dataset, dataset.y)
        return PlannedSplits(splits, scheme_of(cv, len(splits)))
    if isinstance(cv, Iterable):
        return PlannedSplits(_of_pairs(cv, dataset.n_samples), None)
    raise InvalidPlanError(
        f"cv is of type {type(cv).__name__}. Pass a number of folds, a name such as 'repeated-stratified', a splitter of "
        "scikit-learn, or pairs (training rows, test rows)."
    )


def _default(dataset: Dataset, task: Task) -> dict[str, Any]:
    kind = plain_kind(dataset, task)
    if dataset.groups is not None:
        return {"kind": kind, "n_folds": min(10, len(set(dataset.groups.tolist())))}
    if dataset.n_samples < SMALL:
        return {"kind": "repeated-stratified" if kind == "stratified" else "repeated-kfold", "n_folds": 10, "n_repeats": 10}
    return {"kind": kind, "n_folds": 10}


def plain_kind(dataset: Dataset, task: Task) -> str:
    """K-fold as it suits the data: classes stratified, groups kept together."""
    stratified = task == "classification" and dataset.y.ndim == 1
    if dataset.groups is not None:
        return "stratified-group" if stratified else "group"
    return "stratified" if stratified else "kfold"


def _seeded(cv: Any, dataset: Dataset, rng: int | None) -> Any:
    """A copy of the splitter, as the caller's must not move on; one that shuffles without a seed gets one."""
    cv = copy.deepcopy(cv)
    if rng is not None and getattr(cv, "random_state", 0) is None and getattr(cv, "shuffle", True):
        cv.random_state = derive_seed(rng, "splits", dataset.name)
    return cv


def _of_splitter(cv: Any, dataset: Dataset, target: np.ndarray[Any, Any]) -> tuple[Split, ...]:
    try:
        with warnings.catch_warnings():
            # scikit-learn goes on with folds that lack the class, and only says so
            warnings.filterwarnings("error", "The least populated class", UserWarning)
            pairs = [(np.asarray(train), np.asarray(test)) for train, test in cv.split(dataset.X, target, dataset.groups)]
    except Exception as error:
        if dataset.groups is None and "groups" in str(error):
            raise InvalidPlanError(
                f"{type(cv).__name__} needs to know which examples belong together. Pass groups=, one value for each row of X."
            ) from None
        raise InvalidPlanError(f"{type(cv).__name__} could not split the data{_of(dataset)}: {error}") from error
    return _of_pairs(pairs, dataset.n_samples)


def _of_pairs(pairs: Iterable[Any], n_samples: int) -> tuple[Split, ...]:
    splits = []
    for number, pair in enumerate(pairs):
        try:
            train, test = pair
        except (TypeError, ValueError):
            raise InvalidPlanError(f"cv: entry {number} is no pair (training rows, test rows).") from None
        splits.append(
            Split(
                _rows(train, n_samples, f"training rows of split {number}"),
                _rows(test, n_samples, f"test rows of split {number}"),
            )
        )
    if not splits:
        raise InvalidPlanError("cv makes no splits. If it is a generator, it was used up before; make it anew.")
    return tuple(splits)


def _rows(rows: Any, n_samples: int, what: str) -> IntArray:
    """Row numbers, also where a mask was given."""
    rows = np.asarray(rows)
    if rows.ndim != 1:
        raise InvalidPlanError(f"cv: the {what} have shape {rows.shape}; a list of row numbers is needed.")
    if rows.size == 0:
        raise InvalidPlanError(f"cv: there are no {what}.")
    if rows.dtype == bool:
        if rows.size != n_samples:
            raise InvalidPlanError(f"cv: the {what} are a mask of {rows.size} rows, but X has {n_samples}.")
        rows = np.flatnonzero(rows)
        if rows.size == 0:
            raise InvalidPlanError(f"cv: there are no {what}.")
    if rows.dtype.kind not in "iu":
        raise InvalidPlanError(f"cv: the {what} are of type {rows.dtype}; row numbers (counted from 0) are needed.")
    if rows.min() < 0 or rows.max() >= n_samples:
        outside = int(rows.min()) if rows.min() < 0 else int(rows.max())
        raise InvalidPlanError(f"cv: the {what} name row {outside}, but X has rows 0 to {n_samples - 1}.")
    return np.ascontiguousarray(rows, dtype=np.intp)


def _check_splits(splits: tuple[Split, ...], dataset: Dataset, task: Task) -> None:
    """No example on both sides, and none tested twice in a split."""
    in_training = np.zeros(dataset.n_samples, dtype=bool)
    for number, (train, test) in enumerate(splits):
        in_training[train] = True
        shared = test[in_training[test]]
        in_training[train] = False
        if shared.size:
            raise InvalidPlanError(
                f"cv: split {number}{_of(dataset)} has {shared.size} row(s) both in training and in test, such as row "
                f"{int(shared[0])}. A model must not be tested on what it was trained on."
            )
        if np.unique(test).size < test.size:
            raise InvalidPlanError(f"cv: split {number}{_of(dataset)} names a row twice in its test rows. Name each row once.")
    if task == "classification" and dataset.y.ndim == 1:
        _check_classes(splits, dataset)


def _check_classes(splits: tuple[Split, ...], dataset: Dataset) -> None:
    """Every class in every training set."""
    labels, code = np.unique(dataset.y, return_inverse=True)
    classes, overall = labels.tolist(), np.bincount(code)
    if len(classes) < 2:
        raise InvalidPlanError(f"y{_of(dataset)} has a single class, {classes[0]!r}. Nothing is to be learnt from one class.")
    for number, (train, _) in enumerate(splits):
        count = np.bincount(code[train], minlength=len(classes))
        if count.min() == 0:
            absent = int(np.argmin(count))
            raise InvalidPlanError(
                f"cv: class {classes[absent]!r} ({overall[absent]} example(s) in all) is absent from the training rows of split "
                f"{number}{_of(dataset)}, so no model could learn it there. Use stratified splits, fewer folds, or leave rare "
                "classes out."
            )


def _of(dataset: Dataset) -> str:
    return f" of dataset {dataset.name!r}" if dataset.name else ""
