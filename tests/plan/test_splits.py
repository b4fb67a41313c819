"""Splits: what a cv makes of data, what is refused, and the design that index arrays tell."""

import hashlib
import struct
import warnings
from itertools import repeat
from typing import Any

import numpy as np
import pytest
import sklearn.model_selection as ms
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import make_classification
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
)

from tests.guarded import told
from tiebreak.errors import DataError, InvalidParameterError, UnclearSourceError, UnknownNameError
from tiebreak.plan.data import Dataset, check_dataset
from tiebreak.plan.fingerprint import split_hash
from tiebreak.plan.splits import KINDS, OPTIONS, Split, describe_splits, make_splits, split_again, split_of, splits_unseen


def classes(n: int = 60, n_classes: int = 2, **more: Any) -> Dataset:
    """Examples of classes as even in number as can be."""
    X = np.arange(2.0 * n).reshape(n, 2)
    return check_dataset(X, np.arange(n) % n_classes, **more)


def values(n: int = 60, **more: Any) -> Dataset:
    """A regression whose target grows with the row."""
    return check_dataset(np.arange(2.0 * n).reshape(n, 2), np.linspace(0.0, 1.0, n), **more)


def same(splits: Any, pairs: Any) -> bool:
    """Whether splits are these pairs of rows."""
    pairs = list(pairs)
    return len(splits) == len(pairs) and all(
        np.array_equal(split.train, train) and np.array_equal(split.test, test)
        for split, (train, test) in zip(splits, pairs, strict=True)
    )


# --- what each form means ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 5])
def test_an_int_means_what_it_means_to_scikit_learn(k: int):
    """Stratified folds for classes and plain ones otherwise, not shuffled: as `cross_validate` with the same ``cv``."""
    X, y = make_classification(n_samples=61, random_state=0)
    data = check_dataset(X, y)
    assert same(make_splits(k, data, "classification", 0).splits, StratifiedKFold(k).split(X, y))
    assert same(make_splits(k, data, "regression", 0).splits, KFold(k).split(X, y))


def test_an_int_keeps_groups_together_where_groups_are_given():
    """Groups are given because their examples belong together; scikit-learn would ignore them here."""
    data = values(groups=np.arange(60) // 6)
    assert same(make_splits(5, data, "regression", 0).splits, GroupKFold(5).split(data.X, groups=data.groups))


@pytest.mark.parametrize(
    ("n", "task", "kind", "n_splits"),
    [
        (999, "classification", "repeated-stratified", 100),
        (999, "regression", "repeated-kfold", 100),
        (1000, "classification", "stratified", 10),
        (1000, "regression", "kfold", 10),
    ],
)
def test_none_repeats_where_examples_are_few(n: int, task: Any, kind: str, n_splits: int):
    """10 x 10-fold with fewer than 1,000 examples, 10-fold from there on, as design.md says."""
    planned = make_splits(None, classes(n), task, 0)
    assert planned.kind == kind
    assert len(planned.splits) == n_splits


def test_none_with_groups_has_no_more_folds_than_groups():
    """Six groups can fill six folds at most."""
    planned = make_splits(None, values(groups=np.arange(60) // 10), "regression", 0)
    assert (planned.kind, len(planned.splits)) == ("group", 6)


@pytest.mark.parametrize("kind", KINDS)
def test_each_name_makes_splits_of_its_kind(kind: str):
    """The kind and the number of splits that the table of defaults promises."""
    data = classes(groups=np.repeat(np.arange(20), 3) if "group" in kind else None)
    planned = make_splits(kind, data, "classification", 0)
    n_folds = {"holdout": 1, "repeated-holdout": 10, "repeated-kfold": 100, "repeated-stratified": 100, "loo": 60, "time": 5}
    assert planned.kind == kind
    assert len(planned.splits) == n_folds.get(kind, 10)
    assert planned.ordered == (kind == "time")


def test_holdouts_keep_the_shares_of_classes():
    """A quarter of 48 and of 12, other rows each time; folds that are not shuffled are those of scikit-learn."""
    data = check_dataset(np.zeros((60, 1)), np.arange(60) % 5 == 0)
    splits = make_splits("repeated-holdout", data, "classification", 0).splits
    assert {tuple(np.bincount(data.y[split.test])) for split in splits} == {(12, 3)}
    assert len({tuple(split.test) for split in splits}) == 10
    assert same(make_splits({"kind": "kfold", "shuffle": False}, data, "classification", 0).splits, KFold(10).split(data.X))


def test_time_splits_slide_and_leave_a_gap():
    """By hand: 12 examples, 3 folds of 2, a gap of 1 and a window of 3 train on rows 2-4, 4-6 and 6-8."""
    cv = {"kind": "time", "n_folds": 3, "gap": 1, "window": 3, "test_size": 2}
    splits = make_splits(cv, values(12), "regression", 0).splits
    assert [split.train.tolist() for split in splits] == [[2, 3, 4], [4, 5, 6], [6, 7, 8]]
    assert [split.test.tolist() for split in splits] == [[6, 7], [8, 9], [10, 11]]


def test_a_generator_is_used_once_and_kept():
    """What a generator yields is there for every model."""
    pairs = list(KFold(3).split(np.zeros((60, 1))))
    planned = make_splits((pair for pair in pairs), values(), "regression", 0)
    assert same(planned.splits, pairs)


def test_masks_are_rows():
    """A boolean mask stands for the rows where it is true."""
    mask = np.arange(60) < 40
    (split,) = make_splits([(mask, ~mask)], values(), "regression", 0).splits
    assert (split.train.tolist(), split.test.tolist()) == (list(range(40)), list(range(40, 60)))


# --- seeds ------------------------------------------------------------------------------------------------------------------


def test_splits_depend_on_rng_and_not_on_the_call():
    """The same seed gives the same splits, another one others; a splitter without a seed gets one and is left as it was."""
    data, splitter = values(), ShuffleSplit(3)
    once, again, other = (make_splits(splitter, data, "regression", rng).splits for rng in (0, 0, 1))
    assert same(once, again)
    assert not same(once, other)
    assert splitter.random_state is None


def test_more_repeats_begin_with_the_same_splits():
    """So that a run can be amended: the first splits of 5 repeats are those of 3."""
    fewer, more = (
        make_splits({"kind": "repeated-stratified", "n_folds": 5, "n_repeats": n}, classes(), "classification", 0).splits
        for n in (3, 5)
    )
    assert same(more[:15], fewer)


@settings(max_examples=60)
@given(n=st.integers(40, 90), kind=st.sampled_from(KINDS), seed=st.integers(0, 2**31 - 1), n_classes=st.integers(2, 4))
@pytest.mark.slow
def test_no_kind_ever_tests_on_training_rows(n: int, kind: str, seed: int, n_classes: int):
    """Train and test are disjoint, within range and not empty, whatever the kind; k-fold tests each example once a repeat."""
    data = classes(n, n_classes, groups=np.arange(n) // 4 if "group" in kind else None)
    cv = (
        {"kind": kind}
        | ({"n_folds": 3} if "n_folds" in OPTIONS[kind] else {})
        | ({"seed": seed} if "seed" in OPTIONS[kind] else {})
    )
    planned = make_splits(cv, data, "classification", 0)
    for train, test in planned.splits:
        assert train.size
        assert test.size
        assert not set(train.tolist()) & set(test.tolist())
    if kind not in ("holdout", "repeated-holdout", "time"):
        tested = np.concatenate([split.test for split in planned.splits[: planned.fold.max() + 1]])
        assert np.array_equal(np.sort(tested), np.arange(n))


# --- what is refused --------------------------------------------------------------------------------------------------------

FEW = check_dataset(np.zeros((10, 1)), [0] * 7 + [1] * 3)


@pytest.mark.parametrize(
    ("cv", "data", "task", "message"),
    [
        (
            5,
            FEW,
            "classification",
            (
                "StratifiedKFold could not split the data: The least populated class in y has only 3 members, which is less than "
                "n_splits=5. Use fewer folds, or 'kfold', which does not stratify."
            ),
        ),
        (
            11,
            values(10),
            "regression",
            (
                "KFold could not split the data: Cannot have number of splits n_splits=11 greater than the number of samples: "
                "n_samples=10."
            ),
        ),
        (
            "repeated-stratified",
            values(),
            "regression",
            (
                "cv: splits of the kind 'repeated-stratified' spread classes evenly, and y is no class for each example. Use "
                "'repeated-kfold'."
            ),
        ),
        (
            "group",
            values(),
            "regression",
            "GroupKFold needs to know which examples belong together. Pass groups=, one value for each row of X.",
        ),
        (
            GroupKFold(3),
            values(),
            "regression",
            "GroupKFold needs to know which examples belong together. Pass groups=, one value for each row of X.",
        ),
        (
            "kfold",
            values(groups=np.arange(60)),
            "regression",
            (
                "cv: splits of the kind 'kfold' would put examples of one group on both sides. Use 'group' or "
                "'stratified-group', "
                "or leave groups out."
            ),
        ),
        (
            5,
            check_dataset(np.eye(60), np.arange(60)),
            "classification",
            (
                "StratifiedKFold could not split the data: n_splits=5 cannot be greater than the number of members in each "
                "class. y has 60 different values in 60 rows: for a quantity the models are to be regressors."
            ),
        ),
        (
            {"kind": "group", "n_folds": 4},
            values(groups=np.arange(60) // 20),
            "regression",
            "GroupKFold could not split the data: Cannot have number of splits n_splits=4 greater than the number of groups: 3.",
        ),
        (
            [([0, 1, 2], [2, 3])],
            values(),
            "regression",
            (
                "cv: split 0 has 1 row(s) both in training and in test, such as row 2. A model must not be tested on what it was "
                "trained on."
            ),
        ),
        ([([0, 1], [2, 2])], values(), "regression", "cv: split 0 names a row twice in its test rows. Name each row once."),
        ([([0, 1], [60])], values(), "regression", "cv: the test rows of split 0 name row 60, but X has rows 0 to 59."),
        ([([-1, 1], [5])], values(), "regression", "cv: the training rows of split 0 name row -1, but X has rows 0 to 59."),
        ([([], [5])], values(), "regression", "cv: there are no training rows of split 0."),
        (
            [([0.5], [5])],
            values(),
            "regression",
            "cv: the training rows of split 0 are of type float64; row numbers (counted from 0) are needed.",
        ),
        ([3], values(), "regression", "cv: entry 0 is no pair (training rows, test rows)."),
        (
            repeat(([0, 1], [5])),
            values(),
            "regression",
            (
                "cv: 100,001 splits of 60 examples; at most 100,000 splits, and 500,000,000 rows in all of them, are kept in "
                "memory. Use fewer repeats or folds."
            ),
        ),
        (iter(()), values(), "regression", "cv makes no splits. If it is a generator, it was used up before; make it anew."),
        (
            [([0, 2, 4], [1, 3])],
            classes(),
            "classification",
            (
                "cv: class 1 (30 example(s) in all) is absent from the training rows of split 0, so no model could "
                "learn it there. "
                "Use stratified splits, fewer folds, or leave rare classes out."
            ),
        ),
        (
            5,
            check_dataset(np.zeros((10, 1)), ["a"] * 10),
            "classification",
            "y has a single class, 'a'. Nothing is to be learnt from one class.",
        ),
        (
            True,
            values(),
            "regression",
            (
                "cv=True makes no splits. Pass a whole number of at least 2, a name such as 'repeated-stratified', "
                "a splitter of scikit-learn, or pairs (training rows, test rows)."
            ),
        ),
        (
            2.5,
            values(),
            "regression",
            (
                "cv=2.5 makes no splits. Pass a whole number of at least 2, a name such as 'repeated-stratified', "
                "a splitter of scikit-learn, or pairs (training rows, test rows)."
            ),
        ),
        (
            1,
            values(),
            "regression",
            (
                "cv: splits of the kind 'kfold' cannot be made: k-fold cross-validation requires at least one "
                "train/test split by setting n_splits=2 or more, got n_splits=1."
            ),
        ),
        (
            {"kind": "loo", "n_folds": 3},
            values(),
            "regression",
            "cv: splits of the kind 'loo' have no option 'n_folds'. It takes no options.",
        ),
        (
            {"kind": "holdout", "test_size": 1.5},
            values(),
            "regression",
            (
                "ShuffleSplit could not split the data: test_size=1.5 should be either positive and smaller than the number of "
                "samples 60 or a float in the (0, 1) range"
            ),
        ),
        (
            {"kind": "time", "n_folds": 5, "gap": 55},
            values(),
            "regression",
            "TimeSeriesSplit could not split the data: Too many splits=5 for number of samples=60 with test_size=10 and gap=55.",
        ),
    ],
)
def test_splits_that_cannot_be_are_refused(cv: Any, data: Dataset, task: Any, message: str):
    """Each error says what is wrong, where, and how to go on."""
    assert told(DataError, make_splits, cv, data, task, 0) == message


def test_a_name_that_is_not_there_offers_the_nearest():
    """A slip of the pen is told from nonsense."""
    assert "no kind of splits is called 'stratifed': did you mean 'stratified'" in told(
        UnknownNameError, lambda: make_splits("stratifed", classes(), "classification", 0)
    )


@pytest.mark.parametrize("cv", [{"kind": "repeated-kfold", "n_folds": 2, "n_repeats": 10**9}, ShuffleSplit(2 * 10**9)])
def test_billions_of_splits_are_counted_and_refused(cv: Any):
    """Before any is made: each takes memory."""
    assert told(DataError, lambda: make_splits(cv, classes(), "classification", 0)).startswith(
        "cv: 2,000,000,000 splits of 60 examples; at most 100,000 splits"
    )


# --- the design of splits ---------------------------------------------------------------------------------------------------


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
    assert "a GroupKFold, cannot be split again: The 'groups' parameter should not be" in told(
        UnclearSourceError, lambda: split_again(ms.GroupKFold(3), X, Y, None, 3)
    )
    with pytest.raises(UnclearSourceError, match=r"a generator, cannot be split again.* or n_train= and n_test= \(examples"):
        split_again((each for each in ()), X, Y, None, 3)
    assert "splitting again gives 3 splits, but there are scores of 4" in told(DataError, split_again, 3, X, Y, None, 4)


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
