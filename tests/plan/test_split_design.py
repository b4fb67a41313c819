"""Scheme, sizes and identity of splits, from their rows or from a cv."""

import hashlib
import struct
import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.model_selection as ms
from numpy.testing import assert_array_equal
from sklearn.linear_model import Ridge

from tiebreak.errors import DataError, InvalidParameterError, UnclearSourceError
from tiebreak.plan.fingerprint import split_hash
from tiebreak.plan.splits import Split, describe_splits, split_again, split_of, splits_unseen

X, Y, GROUPS = np.zeros((61, 1)), np.arange(61) % 2, np.arange(61) // 5


@pytest.mark.parametrize(
    ("tests", "kind", "n_folds"),
    [
        ([[0], [1], [2], [3]], "loo", 4),
        ([[0, 1], [2, 3], [0, 2], [1, 3]], "repeated-kfold", 2),
        ([[0, 1], [2, 3], [0, 1], [1, 2]], "unknown", 4),
        ([[0, 1, 2], [3], [0], [1, 2, 3]], "repeated-kfold", 2),
        ([[0, 1], [2], [3], [0, 1, 2, 3]], "unknown", 4),
        ([[3], [0, 1, 2], [2, 1], [1]], "unknown", 4),
        ([[0, 1, 2, 3], [0, 1], [2, 3]], "unknown", 3),
    ],
)
def test_scheme_is_told_from_the_rows(tests: list[list[int]], kind: str, n_folds: int) -> None:
    """Of four examples; k-fold where each repeat tests all of them once."""
    splits = [Split(np.setdiff1d(np.arange(4), test), np.array(test)) for test in tests]
    described = describe_splits(splits)
    assert described.kind == kind
    assert described.fold.max() + 1 == n_folds


def test_masks_are_row_numbers() -> None:
    """As some splitters yield them."""
    mask = np.array([True, False, True, False])
    train, test = split_of(~mask, mask)
    assert_array_equal(train, [1, 3])
    assert_array_equal(test, [0, 2])


def test_hash_tells_splits_apart() -> None:
    """By their test examples in split order; the order within a split and the type of the numbers do not matter."""
    one, two, three = np.array([1, 2]), np.array([3]), np.array([2, 1], dtype=np.int32)
    assert split_hash([one, two]) == split_hash([three, two])
    others = ([two, one], [np.array([1]), np.array([2, 3])], [one], [one, two, np.array([], int)])
    assert len({split_hash(tests) for tests in [[one, two], *others]}) == 5


def test_hash_is_the_same_on_every_machine() -> None:
    """SHA-256 of little-endian 64-bit numbers: how many test examples, then which, for each split."""
    expected = hashlib.sha256(struct.pack("<5q", 2, 1, 2, 1, 7)).hexdigest()
    assert split_hash([np.array([2, 1]), np.array([7], dtype=np.int16)]) == expected


# --- splits of a cv -------------------------------------------------------------------------------------------------

CVS = [
    (None, "stratified", 1),
    (4, "stratified", 1),
    (ms.KFold(5, shuffle=True, random_state=1), "kfold", 1),
    (ms.RepeatedKFold(n_splits=3, n_repeats=2, random_state=1), "repeated-kfold", 2),
    (ms.LeaveOneOut(), "loo", 1),
    (ms.StratifiedShuffleSplit(n_splits=4, test_size=9, random_state=1), "repeated-holdout", 4),
    (ms.ShuffleSplit(n_splits=1, random_state=1), "holdout", 1),
    (ms.StratifiedGroupKFold(3), "stratified-group", 1),
    (ms.LeaveOneGroupOut(), "group", 1),
    (ms.GroupShuffleSplit(n_splits=3, random_state=1), "repeated-holdout", 3),
    (ms.TimeSeriesSplit(4), "time", 1),
    (ms.PredefinedSplit(np.arange(61) % 3), "kfold", 1),
    (list(ms.RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(X)), "repeated-kfold", 2),
    (list(ms.ShuffleSplit(3, random_state=0).split(X)), "unknown", 1),
    ([(np.arange(40), np.arange(40, 61))], "holdout", 1),
]


@pytest.mark.parametrize(("cv", "kind", "n_repeats"), CVS, ids=[str(cv)[:40] for cv, _, _ in CVS])
def test_every_splitter_is_split_again(cv: Any, kind: str, n_repeats: int) -> None:
    """Sizes, repeats, kind and hash are those of the splits themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # most ignore groups and say so
        splits = [Split(*pair) for pair in ms.check_cv(cv, Y, classifier=True).split(X, Y, GROUPS)]
    found = split_again(cv, X, Y, GROUPS, len(splits))
    assert_array_equal(found.n_train, [len(split.train) for split in splits])
    assert_array_equal(found.n_test, [len(split.test) for split in splits])
    assert np.unique(found.repeat).size == n_repeats
    assert (found.kind, found.ordered, found.sizes) == (kind, kind == "time", "exact")
    assert found.hash == split_hash([split.test for split in splits])


def test_folds_by_number_are_stratified_by_classes() -> None:
    """Of a regressor they are not, nor without a target; y alone has as many rows as X."""
    assert [split_again(3, X, Y, None, 3, model).kind for model in (None, Ridge())] == ["stratified", "kfold"]
    assert split_again(3, X, None, None, 3).kind == "kfold"
    assert split_again(3, None, Y, None, 3).hash == split_again(3, X, Y, None, 3).hash


@pytest.mark.parametrize("random_state", [None, np.random.RandomState(0)])
@pytest.mark.parametrize("splitter", [ms.StratifiedKFold(3, shuffle=True), ms.RepeatedKFold(n_splits=3), ms.ShuffleSplit(3)])
def test_splits_that_are_drawn_anew_have_no_hash(splitter: Any, random_state: Any) -> None:
    """Their sizes are right all the same, and the caller's random state is not moved on."""
    splitter.random_state = random_state
    before = None if random_state is None else random_state.get_state()[1].copy()
    found = split_again(splitter, X, Y, None, splitter.get_n_splits())
    assert (found.hash, found.sizes) == (None, "exact")
    if random_state is not None:
        assert_array_equal(random_state.get_state()[1], before)


class RandomCut:
    """A splitter of somebody's own that draws sizes too, and says nothing of it."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        for _ in range(3):
            rng = np.random.default_rng()
            rows, cut = rng.permutation(len(X)), rng.integers(20, 40)
            yield rows[:cut], rows[cut:]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return 3

    def __repr__(self) -> str:  # the name of the test, which all workers have to have in common
        return "RandomCut()"


def test_splitter_that_draws_sizes_is_approximate() -> None:
    """Found out by splitting twice."""
    found = split_again(RandomCut(), X, Y, None, 3)
    assert (found.hash, found.sizes) == (None, "approximate")


def test_what_cannot_be_split_again() -> None:
    """Why, and how to go on."""
    with pytest.raises(UnclearSourceError, match="a GroupKFold, cannot be split again: The 'groups' parameter should not be"):
        split_again(ms.GroupKFold(3), X, Y, None, 3)
    with pytest.raises(UnclearSourceError, match=r"a generator, cannot be split again.* or n_train= and n_test= \(examples"):
        split_again((each for each in ()), X, Y, None, 3)
    with pytest.raises(DataError, match="splitting again gives 3 splits, but there are scores of 4"):
        split_again(3, X, Y, None, 4)


@pytest.mark.parametrize(
    ("cv", "n_splits", "n_folds", "kind"),
    [
        (None, 5, 5, "kfold"),
        (np.int64(12), 12, 12, "kfold"),
        (5, 15, 5, "repeated-kfold"),
        (ms.KFold(3), 3, 3, "kfold"),
        (ms.StratifiedKFold(4, shuffle=True), 8, 4, "repeated-stratified"),
        (ms.RepeatedKFold(n_splits=3, n_repeats=2), 6, 3, "repeated-kfold"),
        (ms.RepeatedStratifiedKFold(n_splits=5, n_repeats=2), 10, 5, "repeated-stratified"),
        (ms.GroupKFold(3), 3, 3, "group"),
        (ms.StratifiedGroupKFold(3), 3, 3, "stratified-group"),
        (ms.LeaveOneOut(), 7, 0, "loo"),
        (ms.TimeSeriesSplit(3), 3, 0, "time"),
        (ms.ShuffleSplit(3), 3, 0, "repeated-holdout"),
        (type("Purged", (ms.KFold,), {})(3), 3, 0, "kfold"),
        (RandomCut(), 3, 0, "unknown"),
    ],
    ids=str,
)
def test_folds_of_a_cv_without_its_data(cv: Any, n_splits: int, n_folds: int, kind: str) -> None:
    """Their number follows from scikit-learn's splitters of k-fold alone; a class made from one may train on less."""
    found = splits_unseen(cv, n_splits)
    assert (found.n_folds, found.kind, found.sizes, found.n_test.any()) == (n_folds, kind, "missing", False)
    if n_folds:
        assert_array_equal(found.repeat * n_folds + found.fold, np.arange(n_splits))


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (7, "20 scores of each model, which is no multiple of the 7 splits that cv=7 makes"),
        (ms.RepeatedKFold(n_splits=4, n_repeats=3), "no multiple of the 12 splits"),
        (1, "cv must be a number of folds, at least 2, or a splitter; got 1"),
        (-5, "got -5"),
        (True, "got True"),
        ("stratified", "or a splitter; got 'stratified'"),
    ],
    ids=str,
)
def test_a_cv_that_made_other_splits(cv: Any, message: str) -> None:
    """Both numbers, or what it must be."""
    with pytest.raises((DataError, InvalidParameterError), match=message):
        splits_unseen(cv, 20)
