"""A reader added by one module (`tests.readers.toy`) and one line in the registry."""

from __future__ import annotations

import io

import pytest

import tiebreak as tb
from tiebreak.errors import ContradictingSizesError, InvalidScoresError, UnknownNameError, UnsupportedSourceError
from tiebreak.readers.read import READERS

TEXT = "svm: 0.9 0.8 0.95 0.85\nforest: 0.7 0.65 0.72 0.6\n"


@pytest.fixture
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiebreak.readers.read.READERS", [*READERS, "tests.readers.toy"])


def test_unregistered_source_is_refused() -> None:
    """Without the line, a text file is of a type that nobody reads."""
    with pytest.raises(UnsupportedSourceError, match="the source is of type 'StringIO', which cannot be read as scores"):
        tb.compare(io.StringIO(TEXT), metric="accuracy")


@pytest.mark.usefixtures("_registered")
def test_registered_source_is_compared() -> None:
    """With the line, the answer is that for the same scores as a dict."""
    answer = tb.compare(io.StringIO(TEXT), metric="accuracy", n_train=80, n_test=20)
    arrays = {"svm": [0.9, 0.8, 0.95, 0.85], "forest": [0.7, 0.65, 0.72, 0.6]}
    expected = tb.compare(arrays, metric="accuracy", n_train=80, n_test=20)
    assert answer.pair("svm", "forest").pvalue == expected.pair("svm", "forest").pvalue


@pytest.mark.usefixtures("_registered")
def test_registered_source_is_joined_with_others() -> None:
    """Its models stand beside those of a source of another kind, split by split."""
    scores = tb.read_scores(io.StringIO(TEXT), {"knn": [0.6, 0.5, 0.7, 0.55]}, metric="accuracy")
    assert scores.models == ("svm", "forest", "knn")
    assert scores.matrix().score[2].tolist() == [0.6, 0.5, 0.7, 0.55]


@pytest.mark.usefixtures("_registered")
def test_registered_source_is_checked_like_others() -> None:
    """Options and values go through the same checks, without a line for it in the reader."""
    with pytest.raises(InvalidScoresError, match=r"the source: model 'svm' has 0\.95 on repeat 0 fold 2, but a value called"):
        tb.read_scores(io.StringIO(TEXT), metric="neg_log_loss")
    with pytest.raises(InvalidScoresError, match="the source: model 'svm', repeat 0 fold 1: the score is infinite"):
        tb.read_scores(io.StringIO("svm: 1 inf\n"), metric="accuracy")
    with pytest.raises(UnknownNameError, match="no model is called 'knn'"):
        tb.read_scores(io.StringIO(TEXT), metric="accuracy", models=["knn"])
    with pytest.raises(ContradictingSizesError, match="n_train=80 \\+ n_test=30 is more than n_samples=100"):
        tb.read_scores(io.StringIO(TEXT), metric="accuracy", n_samples=100, n_train=80, n_test=30)


def test_object_with_scores_is_read() -> None:
    """An object of your own needs no reader, if it hands out Scores by the method that evaluations and answers have."""

    class Measured:
        def __tiebreak_scores__(self, metric: str | None) -> object:
            return tb.read_scores({"a": [0.5, 0.6], "b": [0.4, 0.3]}, metric=metric)

    assert tb.read_scores(Measured(), metric="accuracy").models == ("a", "b")
