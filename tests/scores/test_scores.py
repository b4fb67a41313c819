"""The tables that every analysis trusts."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.guarded import told
from tiebreak.errors import UnclearSourceError, UnknownNameError
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores
from tiebreak.scores.vocabulary import look_up, quoted

ACCURACY = Metric("accuracy", True)


def matrix(dataset: str = "", n_train: int = 90) -> ScoreMatrix:
    return ScoreMatrix(
        dataset,
        ("a", "b"),
        repeat=np.array([0, 0, 1]),
        fold=np.array([0, 1, 0]),
        n_train=np.full(3, n_train),
        n_test=np.array([10, 10, 9]),
        score=np.array([[0.1, 0.2, 0.3], [0.4, np.nan, 0.6]]),
    )


def test_what_a_matrix_says_of_itself() -> None:
    """Counts, ratio, completeness and names of splits."""
    m = matrix()
    assert m.n_splits == 3
    assert not m.is_complete
    assert_array_equal(m.ratio, [1 / 9, 1 / 9, 0.1])
    assert m.split_name(2) == "repeat 1 fold 0"


def test_sizes_may_be_unknown() -> None:
    """0 stands for it."""
    assert matrix().has_sizes
    assert not matrix(n_train=0).has_sizes


def test_models_are_taken_in_the_order_asked_for() -> None:
    """With their rows; a name that is not there is refused."""
    taken = matrix().take(["b", "a"])
    assert taken.models == ("b", "a")
    assert_array_equal(taken.score[1], [0.1, 0.2, 0.3])
    with pytest.raises(UnknownNameError, match="no model is called 'c'"):
        matrix().take(["c"])


def test_several_datasets_must_be_chosen_from() -> None:
    """They are named, and dataset= is the way on."""
    scores = Scores(ACCURACY, (matrix("iris"), matrix("wine")))
    assert scores.models == ("a", "b")
    assert scores.of_dataset("wine").matrix().dataset == "wine"
    assert "2 datasets ('iris' and 'wine'); say which one with dataset=" in told(UnclearSourceError, scores.matrix)
    assert "no dataset is called 'irsi': did you mean 'iris'" in told(UnknownNameError, scores.of_dataset, "irsi")


def test_some_models_in_another_order() -> None:
    """In each dataset; a name that a dataset lacks is left out there."""
    both = Scores(ACCURACY, (matrix("iris"), matrix("wine").take(["b"])))
    taken = both.take(["b", "a"])
    assert [each.models for each in taken.matrices] == [("b", "a"), ("b",)]
    assert taken.of_dataset("iris").matrix().score[1].tolist() == both.of_dataset("iris").matrix().score[0].tolist()


def test_one_dataset_of_several() -> None:
    """By name; a misspelled one is answered with the nearest."""
    both = Scores(ACCURACY, (matrix("iris"), matrix("wine")))
    assert both.of_dataset("wine").datasets == ("wine",)
    assert "no dataset is called 'wines': did you mean 'wine'" in told(UnknownNameError, both.of_dataset, "wines")


def test_frame_has_a_row_for_each_score() -> None:
    """Long form, models as categories; the undefined score is left out."""
    frame = Scores(ACCURACY, (matrix("iris"),)).to_frame()
    assert list(frame.columns) == ["dataset", "model", "metric", "repeat", "fold", "n_train", "n_test", "score"]
    assert frame["model"].dtype == "category"
    assert frame["model"].tolist() == ["a", "a", "a", "b", "b"]
    assert frame["score"].tolist() == [0.1, 0.2, 0.3, 0.4, 0.6]
    assert set(frame["dataset"]) == {"iris"}


def test_position_of_a_known_name() -> None:
    """Exact names only."""
    assert look_up("rf", ["svm", "rf"], "model") == 1


def test_near_names_are_offered() -> None:
    """A misspelling is likelier than anything else."""
    with pytest.raises(UnknownNameError, match=r"no model is called 'forrest': did you mean 'forest'\?"):
        look_up("forrest", ["svm", "forest"], "model")


def test_all_names_are_listed_where_none_is_near() -> None:
    """Up to nine, the rest counted."""
    known = [f"m{i}" for i in range(11)]
    with pytest.raises(UnknownNameError, match=r"there are 'm0', 'm1', .*, 'm8' and 2 more\."):
        look_up("zebra", known, "model")


def test_message_reads_as_text() -> None:
    """KeyError alone would print the repr of its message."""
    assert told(KeyError, look_up, "x", ["a'b"], "model").startswith("no model is called 'x'")


@pytest.mark.parametrize(
    ("names", "text"),
    [([], "none"), (["a"], "'a'"), (["a", "b"], "'a' and 'b'"), (["a", "b", "c"], "'a', 'b' and 'c'")],
)
def test_quoted(names: list[str], text: str) -> None:
    """Names in a sentence."""
    assert quoted(names) == text


def test_scores_show_themselves_in_a_line() -> None:
    """Names and sizes instead of all numbers."""
    score = np.array([[0.9, np.nan], [0.8, 0.7]])
    sizes = np.array([90, 90]), np.array([10, 10])
    matrix = ScoreMatrix("iris", ("svm", "a\nb"), np.zeros(2, dtype=int), np.arange(2), *sizes, score)
    expected = r"iris: 2 models ('svm' and 'a\nb') x 2 splits, 1 scores missing"
    assert repr(matrix) == f"<{expected}>"
    assert repr(Scores(Metric("accuracy", higher_is_better=True), (matrix,))) == (
        f"<Scores: accuracy (higher is better) of {expected}>"
    )
