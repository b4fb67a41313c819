"""Scores of several sources, paired by their splits: hashes prove them the same, keys and positions suppose it."""

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from tests.readers.conftest import Write
from tests.readers.helpers import codes, read
from tiebreak.api import read_scores
from tiebreak.errors import DataError, UnclearSourceError
from tiebreak.scores.scores import Scores


def table(fold: Any = (0, 1), **models: Any) -> pd.DataFrame:
    """A wide frame."""
    return pd.DataFrame({"fold": fold, **models})


def test_models_of_all_sources_are_paired_by_split() -> None:
    """Whatever the order of rows; that splits are the same is assumed, and said."""
    scores = read(table(a=[0.1, 0.2]), table(fold=[1, 0], b=[0.4, 0.3]))
    assert scores.models == ("a", "b")
    assert_array_equal(scores.matrix().score, [[0.1, 0.2], [0.3, 0.4]])
    assert codes(scores) == ["assumed-paired"]
    assert scores.notices[0].text == (
        "nothing proves that source 1 and source 2 used the same splits; they are paired by split number, and the answer is "
        "wrong if the splits differ"
    )


def test_stems_that_agree_take_their_folder(write: Write) -> None:
    """As short as tells them apart."""
    write("fold,svm\n0,0.1\n1,0.2\n", "old/scores.csv")
    write("fold,svm\n0,0.3\n1,0.4\n", "new/scores.csv")
    assert read("old/scores.csv", "new/scores.csv").models == ("svm (old)", "svm (new)")
    write("fold,svm\n0,0.5\n1,0.4\n", "x/new/scores.csv")
    assert read("x/new/scores.csv", "new/scores.csv").models == ("svm (x/new)", "svm (new)")


def test_sources_without_path_have_a_number() -> None:
    """Identical rows are kept once."""
    scores = read(table(a=[0.1, 0.2], b=[0.5, None]), table(a=[0.1, 0.3], b=[0.5, None]), table(a=[0.1, 0.2]))
    assert scores.models == ("a (source 1)", "a (source 2)", "b")


def test_suffixed_name_that_is_taken_already(write: Write) -> None:
    """No two models are ever called the same."""
    write("fold,svm,svm (b)\n0,0.1,0.9\n1,0.2,0.8\n", "a.csv")
    write("fold,svm\n0,0.3\n1,0.4\n", "b.csv")
    assert read("a.csv", "b.csv").models == ("svm (a)", "svm (b)'", "svm (b)")


def test_no_common_split() -> None:
    """Folds counted from 0 and from 10, say."""
    with pytest.raises(DataError) as caught:
        read(table(a=[0.1, 0.2]), table(fold=[10, 11], b=[0.3, 0.4]))
    assert str(caught.value) == (
        "source 1 and source 2 have no split in common: the first of one is repeat 0 fold 0, of the other repeat 0 fold 10. "
        "Number the splits alike in both."
    )


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
    with pytest.raises(DataError) as caught:
        read(pd.DataFrame({"b": [0.3, 0.4, 0.5]}), table(a=[0.1, 0.2]), rows="splits")
    assert str(caught.value) == (
        "source 1 does not name its splits, so it can be paired with source 2 only by their order; but one has 3 splits and "
        "the other 2."
    )


def test_sizes_of_one_source_serve_both() -> None:
    """Contradicting ones do not."""
    sized = table(a=[0.1, 0.2]).assign(n_train=90, n_test=10)
    scores = read(sized, table(b=[0.3, 0.4]))
    assert_array_equal(scores.matrix().n_train, [90, 90])
    assert scores.design.sizes == "exact"
    with pytest.raises(DataError) as caught:
        read(sized, table(b=[0.3, 0.4]).assign(n_train=[90, 91], n_test=10))
    assert str(caught.value) == (
        "n_train of repeat 0 fold 1 is 90 for one model and 91 for another. Models on the same split share its sizes; if the "
        "splits differ, give them different keys."
    )


def test_different_datasets() -> None:
    """Cannot be paired; a source that names none joins any."""
    iris, wine = table(a=[0.1, 0.2]).assign(dataset="iris"), table(b=[0.3, 0.4]).assign(dataset="wine")
    with pytest.raises(DataError) as caught:
        read(iris, wine)
    assert (
        str(caught.value)
        == "source 1 is about dataset 'iris', but source 2 about dataset 'wine'; scores on different datasets cannot be paired."
    )
    assert read(iris, table(b=[0.3, 0.4])).datasets == ("iris",)


def test_several_datasets_in_each() -> None:
    """Joined one by one; dataset= chooses from both."""
    both = pd.concat([table(a=[0.1, 0.2]).assign(dataset="iris"), table(a=[0.3, 0.4]).assign(dataset="wine")])
    more = both.rename(columns={"a": "b"})
    scores = read(both, more)
    assert scores.datasets == ("iris", "wine")
    assert scores.matrix("wine").models == ("a", "b")
    assert read(both, more, dataset="wine").datasets == ("wine",)


def test_joining_does_not_depend_on_the_order_of_sources() -> None:
    """But for the order of models."""
    one, two = table(fold=[0, 1, 2], a=[0.1, 0.2, 0.3]), table(fold=[2, 1], b=[0.4, 0.5])
    first, second = read(one, two).matrix(), read(two, one).matrix()
    assert_array_equal(first.score, second.take(["a", "b"]).score)
    assert_array_equal(first.fold, second.fold)


def hashed(models: str, mark: str | None, sizes: Any = "missing", **design: Any) -> Scores:
    """Scores of a cross-validation whose test examples have this hash."""
    scores = read(table(fold=[0, 1, 2], **{model: [0.1, 0.2, 0.3] for model in models}))
    return dataclasses.replace(scores, design=dataclasses.replace(scores.design, hash=mark, sizes=sizes, **design))


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


def test_different_metrics() -> None:
    """Both are named with their direction."""
    with pytest.raises(UnclearSourceError) as caught:
        read_scores(read(table(a=[0.1, 0.2])), read(table(a=[0.1, 0.2]), metric="log_loss"))
    assert str(caught.value) == (
        "source 1 holds 'accuracy' (higher is better) and source 2 holds 'log_loss' (lower is better); only scores of one "
        "metric can be compared. Choose one that both hold with metric=."
    )


def test_seeds_are_not_joined_with_splits() -> None:
    """They answer different questions."""
    with pytest.raises(DataError, match="source 1 holds scores by split, source 2 scores by seed"):
        read(table(a=[0.1, 0.2]), {"seed": [0, 1], "b": [0.1, 0.2]})


@pytest.mark.parametrize(("unit", "kind"), [("fold", "unknown"), ("seed", "seeds")])
def test_a_file_for_each_fold_or_seed_is_one_table(unit: str, kind: str, write: Write) -> None:
    """Of the same models; nothing has to be paired then. A split that stands in two files is paired as before."""
    text = "model,{0},acc\na,{1},0.{1}\nb,{1},0.{2}\n"
    files = [write(text.format(unit, number, number + 1), f"{number}.csv") for number in range(3)]
    scores = read(*files)
    assert scores.matrix().score.tolist() == [[0.0, 0.1, 0.2], [0.1, 0.2, 0.3]]
    assert (scores.design.kind, scores.design.pairing, scores.notices) == (kind, "key", ())
    again = write(text.format(unit, 0, 9), "again.csv")
    assert read(files[0], again).models == ("a", "b (0)", "b (again)")
