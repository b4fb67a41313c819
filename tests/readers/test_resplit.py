"""Splitting again as a search did: every splitter of scikit-learn, and what cannot be split again."""

from __future__ import annotations

import hashlib
import struct
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn.model_selection as ms
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, TimeSeriesSplit

from tests.readers.helpers import codes
from tiebreak.errors import ContradictingSizesError, MissingSizesError
from tiebreak.plan.split import Split, describe_splits, split_hash
from tiebreak.readers import read_scores

Fit = Callable[..., Any]
Data = tuple[np.ndarray, np.ndarray]
GROUPS = np.arange(61) // 5  # 13 groups

EXACT = [
    (None, "stratified", 1),
    (4, "stratified", 1),
    (ms.KFold(5), "kfold", 1),
    (ms.KFold(5, shuffle=True, random_state=1), "kfold", 1),
    (ms.StratifiedKFold(3), "stratified", 1),
    (ms.RepeatedKFold(n_splits=3, n_repeats=2, random_state=1), "repeated-kfold", 2),
    (ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1), "repeated-stratified", 2),
    (ms.LeaveOneOut(), "loo", 1),
    (ms.ShuffleSplit(n_splits=4, test_size=0.2, random_state=1), "repeated-holdout", 4),
    (ms.StratifiedShuffleSplit(n_splits=4, test_size=9, random_state=1), "repeated-holdout", 4),
    (ms.ShuffleSplit(n_splits=1, random_state=1), "holdout", 1),
    (ms.GroupKFold(4), "group", 1),
    (ms.StratifiedGroupKFold(3), "stratified-group", 1),
    (ms.LeaveOneGroupOut(), "group", 1),
    (ms.GroupShuffleSplit(n_splits=3, random_state=1), "repeated-holdout", 3),
    (ms.TimeSeriesSplit(4), "time", 1),
    (ms.PredefinedSplit(np.arange(61) % 3), "kfold", 1),
    (list(ms.KFold(3).split(np.zeros(61))), "kfold", 1),
    (list(ms.RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(np.zeros(61))), "repeated-kfold", 2),
    (list(ms.ShuffleSplit(3, random_state=0).split(np.zeros(61))), "unknown", 1),
    ([(np.arange(40), np.arange(40, 61))], "holdout", 1),
]


@pytest.mark.parametrize(("cv", "kind", "n_repeats"), EXACT, ids=[str(cv)[:40] for cv, _, _ in EXACT])
def test_every_splitter(cv: Any, kind: str, n_repeats: int, fit: Fit, moons: Data) -> None:
    """Sizes, repeats, kind and hash as cross_validate finds them by its own indices."""
    X, y = moons
    search = fit(cv=cv, groups=GROUPS if "Group" in str(cv) else None)
    scores = read_scores(search, X=X, y=y, groups=GROUPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # most ignore groups and say so
        splits = [Split(*pair) for pair in ms.check_cv(cv, y, classifier=True).split(X, y, GROUPS)]
    matrix = scores.matrix()
    assert_array_equal(matrix.n_train, [len(split.train) for split in splits])
    assert_array_equal(matrix.n_test, [len(split.test) for split in splits])
    assert np.unique(matrix.repeat).size == n_repeats
    assert matrix.n_splits == search.n_splits_
    design = scores.design
    assert (design.kind, design.pairing, design.sizes) == (kind, "key", "exact")
    assert design.ordered is (kind == "time")
    assert design.hash == split_hash([split.test for split in splits])


@pytest.mark.parametrize(
    "cv",
    [
        StratifiedKFold(3, shuffle=True),
        StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0)),
        ms.RepeatedKFold(n_splits=3, n_repeats=2),
        ms.ShuffleSplit(3),
    ],
    ids=["no seed", "generator", "repeated", "holdout"],
)
def test_splits_that_are_drawn_anew_have_no_hash(cv: Any, fit: Fit, moons: Data) -> None:
    """Their sizes are right all the same."""
    scores = read_scores(fit(cv=cv), X=moons[0], y=moons[1])
    assert scores.design.hash is None
    assert scores.design.sizes == "exact"


def test_random_state_of_the_caller_is_not_moved_on(fit: Fit, moons: Data) -> None:
    """Splitting again happens on a copy."""
    state = np.random.RandomState(0)
    search = fit(cv=StratifiedKFold(3, shuffle=True, random_state=state))
    before = state.get_state()[1].copy()
    read_scores(search, X=moons[0], y=moons[1])
    assert_array_equal(state.get_state()[1], before)


class RandomCut:
    """A splitter of somebody's own that draws sizes too, and says nothing of it."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        for _ in range(3):
            rng = np.random.default_rng()
            rows, cut = rng.permutation(len(X)), rng.integers(20, 40)
            yield rows[:cut], rows[cut:]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        return 3


def test_splitter_that_draws_sizes_is_approximate(fit: Fit, moons: Data) -> None:
    """Found out by splitting twice."""
    scores = read_scores(fit(cv=RandomCut()), X=moons[0], y=moons[1])
    assert (scores.design.hash, scores.design.sizes) == (None, "approximate")
    assert codes(scores) == ["approximate-sizes"]


def test_y_alone_will_do(fit: Fit, moons: Data) -> None:
    """It has as many rows as X."""
    exact, short = (read_scores(fit(cv=3), **given) for given in ({"X": moons[0], "y": moons[1]}, {"y": moons[1]}))
    assert exact.design == short.design


def test_list_of_splits_needs_no_data(fit: Fit) -> None:
    """It holds all that is needed."""
    scores = read_scores(fit(cv=list(KFold(3).split(np.zeros(61)))))
    assert_array_equal(scores.matrix().n_test, [21, 20, 20])
    assert scores.design.sizes == "exact"


def test_regressor_is_not_stratified(moons: Data) -> None:
    """cv=3 is KFold there."""
    X, _y = moons
    search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, cv=3).fit(X, X[:, 0])
    assert read_scores(search, X=X, y=X[:, 0]).design.kind == "kfold"


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
def test_scheme_is_told_from_the_indices(tests: list[list[int]], kind: str, n_folds: int) -> None:
    """Of four examples; k-fold where each repeat tests all of them once."""
    splits = [Split(np.setdiff1d(np.arange(4), test), np.array(test)) for test in tests]
    described = describe_splits(splits)
    assert described.kind == kind
    assert described.fold.max() + 1 == n_folds


def test_training_sets_that_come_first_are_time_splits() -> None:
    """Each before its test set; with a single one it is only a holdout."""
    splits = [Split(np.arange(n), np.arange(n, n + 2)) for n in (2, 4, 6)]
    assert (describe_splits(splits).kind, describe_splits(splits).ordered) == ("time", True)
    assert (describe_splits(splits[:1]).kind, describe_splits(splits[:1]).ordered) == ("holdout", False)


# --- what cannot be split again -------------------------------------------------------------------------------------

INSTEAD = "ass n_samples= (the number of rows of X; sizes are then approximate), or n_train= and n_test= (examples per split)."


def test_nothing_given(fit: Fit) -> None:
    """Exact and approximate ways on."""
    with pytest.raises(MissingSizesError) as caught:
        read_scores(fit())
    assert str(caught.value) == (
        "the numbers of training and test examples are needed for the correction, and a search does not keep them. Pass X= "
        "and y= (and groups=) as given to fit, and they are counted by splitting again; or n_samples= (the number of rows of "
        "X), and they are approximate."
    )


def test_generator(fit: Fit, moons: Data) -> None:
    """It is used up; n_samples or sizes go on."""
    X, y = moons
    search = fit(cv=(split for split in KFold(4).split(X)))
    with pytest.raises(MissingSizesError) as caught:
        read_scores(search, X=X, y=y)
    assert str(caught.value) == f"cv of the search is a generator, which is used up and cannot be split again. P{INSTEAD}"
    assert read_scores(search, n_train=46, n_test=15).design.sizes == "exact"
    assert_array_equal(read_scores(search, X=X, y=y, n_train=46, n_test=15).matrix().n_test, np.full(4, 15))


class Uncopyable(KFold):
    """A splitter that holds on to something."""

    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("cannot be copied")


def test_splitter_that_cannot_be_copied(fit: Fit, moons: Data) -> None:
    """Its reason, and how to go on."""
    with pytest.raises(MissingSizesError) as caught:
        read_scores(fit(cv=Uncopyable(3)), X=moons[0], y=moons[1])
    assert str(caught.value) == f"cv of the search cannot be split again: cannot be copied. P{INSTEAD}"


def test_other_data(fit: Fit, moons: Data) -> None:
    """Leave-one-out of fewer rows: the counts are said."""
    X, y = moons
    with pytest.raises(ContradictingSizesError) as caught:
        read_scores(fit(cv=ms.LeaveOneOut()), X=X[:50], y=y[:50])
    assert str(caught.value) == (
        "splitting again gives 50 splits, but the search was fitted on 61. Are X, y and groups those given to fit? If cv "
        f"cannot be split again: p{INSTEAD}"
    )


def test_y_is_missing(fit: Fit, moons: Data) -> None:
    """A classifier's default is stratified by it."""
    with pytest.raises(MissingSizesError, match="the splits of a classifier are stratified by y: pass y= as given to fit beside"):
        read_scores(fit(cv=3), X=moons[0])


def test_groups_are_missing(fit: Fit, moons: Data) -> None:
    """scikit-learn's own words and how to go on."""
    search = fit(cv=ms.GroupKFold(3), groups=GROUPS)
    with pytest.raises(MissingSizesError, match=r"splitting again with GroupKFold failed: The 'groups' parameter should not be"):
        read_scores(search, X=moons[0], y=moons[1])


def test_n_samples_beside_x(fit: Fit, moons: Data) -> None:
    """They must agree."""
    with pytest.raises(ContradictingSizesError, match="n_samples=60 was given, but X has 61 rows"):
        read_scores(fit(), X=moons[0], y=moons[1], n_samples=60)
    assert read_scores(fit(), X=moons[0], y=moons[1], n_samples=61).design.sizes == "exact"


# --- approximate ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cv", "n_train", "n_test"),
    [
        (None, 49, 12),
        (3, 41, 20),
        (ms.RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0), 46, 15),
        (ms.ShuffleSplit(3, random_state=0), 54, 7),
        (ms.ShuffleSplit(3, test_size=0.25, random_state=0), 45, 16),
        (ms.ShuffleSplit(3, train_size=0.5, random_state=0), 30, 31),
        (ms.StratifiedShuffleSplit(3, test_size=10, train_size=20, random_state=0), 20, 10),
        (ms.GroupShuffleSplit(3, random_state=0), 48, 13),
        (ms.LeaveOneGroupOut(), 56, 5),
        (ms.LeaveOneOut(), 60, 1),
    ],
    ids=str,
)
def test_sizes_from_n_samples(cv: Any, n_train: int, n_test: int, fit: Fit, moons: Data) -> None:
    """By the splitter, near the exact ones, and said to be approximate."""
    groups = GROUPS if "Group" in str(cv) else None
    scores = read_scores(fit(cv=cv, groups=groups), n_samples=61)
    matrix = scores.matrix()
    assert_array_equal(matrix.n_train, np.full(matrix.n_splits, n_train))
    assert_array_equal(matrix.n_test, np.full(matrix.n_splits, n_test))
    assert (scores.design.sizes, scores.design.hash) == ("approximate", None)
    assert codes(scores) == ["approximate-sizes"]
    exact = read_scores(fit(cv=cv, groups=groups), X=moons[0], y=moons[1], groups=groups).matrix()
    assert_allclose(matrix.n_test.mean(), exact.n_test.mean(), rtol=0.15)
    assert_array_equal(matrix.repeat, exact.repeat)


def test_time_splits_from_n_samples(fit: Fit, moons: Data) -> None:
    """Which only count."""
    scores = read_scores(fit(cv=TimeSeriesSplit(4)), n_samples=61)
    assert_array_equal(scores.matrix().n_train, read_scores(fit(cv=TimeSeriesSplit(4)), X=moons[0], y=moons[1]).matrix().n_train)
    assert scores.design.ordered


def test_splitter_that_needs_the_data(fit: Fit) -> None:
    """n_samples alone does not tell."""
    with pytest.raises(MissingSizesError, match="LeavePGroupsOut, does not tell its sizes from n_samples= alone"):
        read_scores(fit(cv=ms.LeavePGroupsOut(12), groups=GROUPS), n_samples=61)


def test_n_samples_that_cannot_be(fit: Fit) -> None:
    """Fewer than folds; or another number of splits."""
    with pytest.raises(ContradictingSizesError, match="n_samples=1 leaves 0 training and 1 test examples in one of 3 splits"):
        read_scores(fit(cv=3), n_samples=1)
    with pytest.raises(ContradictingSizesError, match="n_samples=60 would make 60 splits, but the search was fitted on 61"):
        read_scores(fit(cv=ms.LeaveOneOut()), n_samples=60)


# --- hash -----------------------------------------------------------------------------------------------------------


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


def test_masks_are_row_numbers() -> None:
    """As some splitters yield them."""
    mask = np.array([True, False, True, False])
    splits = describe_splits([Split(~mask, mask), Split(mask, ~mask)])
    assert splits.hash == split_hash([np.array([0, 2]), np.array([1, 3])])
    assert_array_equal(splits.n_train, [2, 2])
