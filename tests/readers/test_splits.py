"""Splits, seeds, periods and test sets of the long table: keys, sizes, bounds, what is averaged and what is refused."""

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.guarded import told
from tests.readers.conftest import Write
from tests.readers.helpers import WIDE, codes, read
from tiebreak.api import read_scores
from tiebreak.errors import (
    DataError,
    UnclearSourceError,
)
from tiebreak.scores.scores import Scores

# --- keys -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "repeat", "fold", "score"),
    [
        ("split,a\n7,0.1\n3,0.2\n", [0, 0], [3, 7], [0.2, 0.1]),
        ("repeat,a\n1,0.1\n2,0.2\n", [1, 2], [0, 0], [0.1, 0.2]),
        ("split,fold,a\n0,0,0.1\n1,1,0.2\n2,0,0.3\n", [0, 1, 2], [0, 1, 0], [0.1, 0.2, 0.3]),
        ("fold,a\nfold 10,0.1\nfold 2,0.2\nFold 1,0.3\n", [0, 0, 0], [0, 1, 2], [0.3, 0.2, 0.1]),
        ("fold,a\n1.0,0.1\n-3.0,0.2\n5000000000.0,0.3\n", [0, 0, 0], [-3, 1, 5_000_000_000], [0.2, 0.1, 0.3]),
    ],
)
def test_keys_of_splits(text: str, repeat: list[int], fold: list[int], score: list[float], write: Write) -> None:
    """A lone split is the fold, beside folds the repeat; words in the order of people; whole numbers written as floats."""
    matrix = read(write(text)).matrix()
    assert (matrix.repeat.tolist(), matrix.fold.tolist(), matrix.score.tolist()) == (repeat, fold, [score])


def test_rows_that_a_model_lacks(write: Write) -> None:
    """Are nan for the comparison to judge."""
    matrix = read(write("model,fold,score\nsvm,0,0.1\nsvm,1,0.2\nrf,1,0.3\nrf,2,\n")).matrix()
    assert_array_equal(matrix.score, [[0.1, 0.2, np.nan], [np.nan, 0.3, np.nan]])


def test_datasets_have_their_own_models(write: Write) -> None:
    """All are kept, in the order of the table."""
    scores = read(write("dataset,model,fold,score\niris,svm,0,0.1\nwine,rf,0,0.2\nwine,svm,0,0.3\n"))
    assert [(matrix.dataset, matrix.models) for matrix in scores.matrices] == [("iris", ("svm",)), ("wine", ("rf", "svm"))]


# --- seeds, periods, test sets --------------------------------------------------------------------------------------------


def test_seeds_are_averaged_within_a_split(write: Write) -> None:
    """Over those that a model has; one that failed leaves the split undefined, as nothing undefined is averaged away."""
    text = "model,fold,seed,score\nsvm,0,1,0.1\nsvm,0,2,0.3\nsvm,1,1,0.5\nrf,0,1,0.2\nrf,1,1,0.6\nrf,1,2,0.8\n"
    scores = read(write(text), n_train=8, n_test=2)
    assert_allclose(scores.matrix().score, [[0.2, 0.5], [0.2, 0.7]])
    assert scores.notices[0].text.startswith("scores that differ by seed are averaged on each split: seeds show the noise of")
    text = "fold,seed,svm,rf,n_train,n_test\n1,a,0.1,0.2,8,2\n1,b,0.3,0.4,8,2\n0,a,0.5,,9,1\n0,b,0.7,0.8,9,1\n"
    matrix = read(write(text)).matrix()
    assert_allclose(matrix.score, [[0.6, 0.2], [np.nan, 0.3]])
    assert_array_equal(matrix.n_train, [9, 8])
    notice = read(
        write("dataset,seed,model,f1\n" + "".join(f"{d},{s},{m},0.{s}\n" for d in "xy" for s in (1, 3) for m in "ab")),
        metric="f1",
    )
    assert notice.notices[0].text.startswith("scores that differ by seed are averaged within each dataset: seeds show the noise")


@pytest.mark.parametrize(
    "text",
    [
        "model,seed,score\nsvm,1,0.1\nsvm,2,0.2\nrf,1,0.2\nrf,2,0.3\n",
        "model,fold,seed,score\nsvm,0,1,0.1\nsvm,0,2,0.2\nrf,0,1,0.2\nrf,0,2,0.3\n",
        "model,run,score\nsvm,1,0.1\nsvm,2,0.2\nrf,1,0.2\nrf,2,0.3\n",
        "seed,svm,rf\n2,0.2,0.3\n1,0.1,0.2\n",
        "fold,seed,svm,rf\n0,1,0.1,0.2\n0,2,0.2,0.3\n",
    ],
)
def test_seeds_on_one_split(text: str, write: Write) -> None:
    """The seed is the key, in its order, and the design says that the columns are no splits."""
    scores = read(write(text))
    assert (scores.design.kind, scores.design.pairing, scores.matrix().columns) == ("seeds", "key", ("1", "2"))
    assert_array_equal(scores.matrix().score, [[0.1, 0.2], [0.2, 0.3]])


def test_seeds_need_not_be_shared(write: Write) -> None:
    """Each model may have its own; words stand in the order of people."""
    matrix = read(write("model,seed,score\nsvm,s10,0.1\nsvm,s2,0.2\nrf,s3,0.3\nrf,s4,0.4\n")).matrix()
    assert matrix.columns == ("s2", "s3", "s4", "s10")
    assert_array_equal(matrix.score, [[0.2, np.nan, np.nan, 0.1], [np.nan, 0.3, 0.4, np.nan]])


def test_periods_are_ordered_by_time(write: Write) -> None:
    """Numbers, dates, months and quarters."""
    for times in ("10 9 -1", "2024-10-01 2024-09-30 2024-01-31", "2024-10 2024-09 2023-12", "2024-Q3 2024-Q2 2023Q4"):
        text = "time,a\n" + "".join(f"{time},0.{place}\n" for place, time in enumerate(times.split()))
        scores = read(write(text), metric="mse")
        assert (scores.design.kind, scores.design.ordered) == ("periods", True)
        assert (scores.matrix().columns, scores.matrix().score.tolist()) == (tuple(times.split()[::-1]), [[0.2, 0.1, 0.0]])


def test_counts_of_test_sets_of_their_own(write: Write) -> None:
    """Correct answers or errors of so many, or rates."""
    for text in ("model,correct,n\na,8,10\nb,15,20\n", "model,test_set,score,n_test\na,x,0.8,10\nb,y,0.75,20\n"):
        scores = read(write(text))
        assert (scores.design.kind, scores.metric.name) == ("test-sets", "accuracy")
        assert_array_equal(scores.matrix().score, [[0.8, np.nan], [np.nan, 0.75]])
        assert_array_equal(scores.matrix().n_test, [10, 20])
    errors = read(write("model,errors,n\na,2,10\nb,5,20\n"), metric=None)
    assert (errors.metric.name, errors.metric.higher_is_better) == ("error rate", False)


# --- sizes ----------------------------------------------------------------------------------------------------------------


def test_sizes_follow_from_names(write: Write) -> None:
    """k folds in each repeat have the ratio 1 / (k - 1); more than ten are asked about, unless each has its n_test."""
    assert_array_equal(read(write(WIDE)).matrix().ratio, np.full(4, 1.0))
    assert_allclose(read(write(FOLDS)).matrix().ratio, np.full(10, 1 / 9))
    fifty = "fold,a{}\n" + "".join(f"{fold},0.{fold}{{}}\n" for fold in range(50))
    assert told(UnclearSourceError, read, write(fifty.replace("{}", ""))) == (
        "scores.csv has 50 folds of each model: of one cross-validation, or repeats that were numbered on? Pass cv=50 "
        "for one of so "
        "many folds, cv=10 for repeats of 10 (in the order of their numbers), or n_train= and n_test=, or number the "
        "repeats in a "
        "column 'repeat'."
    )
    repeated = read(write(fifty.replace("{}", "")), cv=10).matrix()
    assert_array_equal(np.unique(repeated.repeat, return_counts=True)[1], [10] * 5)
    assert_allclose(repeated.ratio, np.full(50, 1 / 9))
    assert_allclose(read(write(fifty.replace("{}", "")), cv=50).matrix().ratio, np.full(50, 1 / 49))
    assert not read(write(FOLDS.replace("fold", "split"))).matrix().has_ratio


def test_sizes_of_columns_and_of_the_caller(write: Write) -> None:
    """Exact where they are given; all zero are unknown."""
    scores = read(write(SIZED.format("9.0")))
    assert (scores.design.sizes, scores.matrix().n_train.tolist(), scores.matrix().n_test.tolist()) == (
        "exact",
        [90, 91],
        [10, 9],
    )
    assert read(write(WIDE), n_train=90, n_test=10).design.sizes == "exact"
    assert read(write("fold,svm,n_test\n0,0.1,10\n"), n_train=90).matrix().n_train.tolist() == [90]
    assert read(write("fold,svm,n_train,n_test\n0,0.1,0,0\n1,0.2,0,0\n")).design.sizes == "missing"


@pytest.mark.parametrize(
    "text", ["svm,rf\n" + "1,0\n0,1\n1,1\n" * 4, "split,svm\n" + "".join(f"{i},{i % 2}\n" for i in range(12))]
)
def test_rows_of_0_and_1_are_probably_items(text: str, write: Write) -> None:
    """Where they have no name as folds; with n_test 1 they may be of leave-one-out."""
    with pytest.raises(
        UnclearSourceError,
        match=r"12 scores of each model, .* is 0 or 1, so they are probably items.*rows='items'",
    ):
        read(write(text), cv=12)
    assert read(write(text), rows="items").items is not None
    assert read(write(text), n_train=11, n_test=1).matrix().n_splits == 12
    assert read(write(text.replace(",1\n", ",0.5\n")), n_train=90, n_test=10).matrix().n_splits == 12


# --- values ---------------------------------------------------------------------------------------------------------------


def test_negated_losses_and_per_cent(write: Write) -> None:
    """A neg_ name says how values are stored; a perfect loss may be off by rounding; per cent of all models is a unit."""
    scores = read(write("fold,svm\n0,-0.5\n1,-0\n"), metric="neg_log_loss").matrix().score
    assert_array_equal(scores, [[0.5, 0.0]])
    assert not np.signbit(scores).any()
    assert read(write("model,fold,log_loss\nsvm,0,-0.5\n"), metric="neg_log_loss").matrix().score.tolist() == [[0.5]]
    assert read(write("fold,svm\n0,-2e-16\n1,0\n"), metric="log_loss").metric.name == "log_loss"
    assert codes(read(write("fold,svm,rf\n0,91,90\n1,85,0.5\n"))) == ["read-as"]
    assert codes(read(write("fold,svm,rf\n0,91.5,0.9\n1,85,0.8\n"), metric="rmse")) == []
    with pytest.raises(DataError, match=r"that of 'svm' is 1\.2"):  # 1.2 % of all would be no score of a model
        read(write("fold,svm,rf\n0,1.2,1.1\n1,0.9,0.8\n"))


def test_the_direction_is_never_read_off_the_data(write: Write) -> None:
    """It follows from a name or is said; alone, the metric is called score; sizes are asked for with it, where they "
    "are not known."""
    metric = read(write(WIDE), metric=None, lower_is_better=True).metric
    assert (metric.name, metric.higher_is_better) == ("score", False)
    for text, way in ((WIDE, r"lower_is_better=False\."), ("split,a\n0,1\n1,2\n", r"metric='accuracy', cv=10\)\.")):
        with pytest.raises(UnclearSourceError, match=f"does not say which metric its scores are.*{way}$"):
            read(write(text), metric=None)


FOLDS = "fold,a\n" + "".join(f"{fold},0.{fold}\n" for fold in range(10))
SIZED = "fold,svm,rf,n_train,n_test\n0,0.1,0.2,90,10\n1,0.3,0.4,91,{}\n"


# --- several sources ------------------------------------------------------------------------------------------------------


def table(fold: Any = (0, 1), **models: Any) -> pd.DataFrame:
    """A wide frame."""
    return pd.DataFrame({"fold": fold, **models})


def test_models_of_all_sources_are_paired_by_split() -> None:
    """Whatever the order of rows and sources; that splits are the same is assumed, and said."""
    one, two = table(a=[0.1, 0.2]), table(fold=[1, 0], b=[0.4, 0.3])
    scores = read(one, two)
    assert_array_equal(read(two, one).matrix().score, scores.matrix().score[::-1])
    assert scores.models == ("a", "b")
    assert_array_equal(scores.matrix().score, [[0.1, 0.2], [0.3, 0.4]])
    assert codes(scores) == ["assumed-paired"]
    assert scores.notices[0].text == (
        "nothing proves that source 1 and source 2 used the same splits; they are paired by split number, and the answer is "
        "wrong if the splits differ"
    )


def test_models_of_one_name_are_called_after_their_source(write: Write) -> None:
    """By its number without a path, and never by a name that is taken; identical ones are kept once."""
    scores = read(table(a=[0.1, 0.2], b=[0.5, None]), table(a=[0.1, 0.3], b=[0.5, None]), table(a=[0.1, 0.2]))
    assert scores.models == ("a (source 1)", "a (source 2)", "b")
    write("fold,svm,svm (b)\n0,0.1,0.9\n1,0.2,0.8\n", "a.csv")
    write("fold,svm\n0,0.3\n1,0.4\n", "b.csv")
    assert read("a.csv", "b.csv").models == ("svm (a)", "svm (b)'", "svm (b)")
    write("fold,svm\n0,0.5\n1,0.4\n", "x/b.csv")
    assert read("x/b.csv", "b.csv").models == ("svm (x/b)", "svm (b)")


HELD = {"seed": [0, 1], "a": [0.1, 0.2]}


def test_words_are_matched_as_words() -> None:
    """Though each source numbers its own."""
    scores = read(table(fold=["b", "c"], a=[0.1, 0.2]), table(fold=["a", "b"], b=[0.3, 0.4]))
    assert_array_equal(scores.matrix().score, [[np.nan, 0.1, 0.2], [0.3, 0.4, np.nan]])


def test_positions_need_equally_many_splits() -> None:
    """Paired with a source that names its splits, or with another by position."""
    scores = read(pd.DataFrame({"b": [0.3, 0.4]}), table(fold=[5, 6], a=[0.1, 0.2]), rows="splits")
    assert_array_equal(scores.matrix().fold, [5, 6])
    assert_array_equal(scores.matrix().score, [[0.3, 0.4], [0.1, 0.2]])
    assert scores.design.pairing == "position"
    with pytest.raises(DataError, match="paired with source 2 only by their order; but one has 3 splits and the other 2"):
        read(pd.DataFrame({"b": [0.3, 0.4, 0.5]}), table(a=[0.1, 0.2]), rows="splits")


def test_sizes_and_datasets_of_one_source_serve_both() -> None:
    """One that names none joins any; several datasets are joined one by one."""
    iris = table(a=[0.1, 0.2], dataset="iris", n_train=90, n_test=10)
    scores = read(iris, table(b=[0.3, 0.4]))
    assert (scores.datasets, scores.design.sizes, scores.matrix().n_train.tolist()) == (("iris",), "exact", [90, 90])
    both = pd.concat([iris, iris.assign(dataset="wine")])
    scores = read(both, both.rename(columns={"a": "b"}))
    assert (scores.datasets, scores.of_dataset("wine").matrix().models) == (("iris", "wine"), ("a", "b"))
    assert read(both, table(b=[0.3, 0.4], dataset="wine"), dataset="wine").datasets == ("wine",)


def hashed(models: str, mark: str | None) -> Scores:
    """Scores of a cross-validation whose test examples have this hash."""
    scores = read(table(fold=[0, 1, 2], **{model: [0.1, 0.2, 0.3] for model in models}))
    return dataclasses.replace(scores, design=dataclasses.replace(scores.design, hash=mark))


def test_hashes_of_the_test_examples() -> None:
    """Equal ones prove that splits are the same, though their keys differ, so nothing is assumed; others refuse."""
    other = hashed("b", "x")
    moved = other.with_matrices([dataclasses.replace(other.matrix(), repeat=np.array([0, 1, 2]), fold=np.zeros(3, dtype=int))])
    scores = read_scores(hashed("a", "x"), moved)
    assert (scores.models, codes(scores), scores.design.hash) == (("a", "b"), [], "x")
    assert_array_equal(scores.matrix().score, [[0.1, 0.2, 0.3]] * 2)
    assert codes(read_scores(hashed("a", "x"), hashed("b", None))) == ["assumed-paired"]
    with pytest.raises(DataError, match=r"were made with different splits \(their test examples differ\).*on the same data"):
        read_scores(hashed("a", "x"), hashed("b", "y"))
