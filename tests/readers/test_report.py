"""Scores read back from a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tests.views.situations import around, named, table
from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.settings import Settings
from tiebreak.errors import AmbiguousSourceError, SourceNotFoundError, UnreadableSourceError
from tiebreak.scores.metric import Metric
from tiebreak.views.report.comparison import report_of

SCORES = table(named(*around(0.9, 0.89, 0.8, noise=0.02, n_splits=20)))
LOSSES = table(named(*around(2.0, 2.1, noise=0.1, n_splits=20)), Metric("max_error", higher_is_better=False))


def test_it_holds_what_was_compared(tmp_path: Path) -> None:
    """Scores to the last digit, sizes, direction; and compared again, the same answer with the same settings."""
    path = tmp_path / "report.html"
    answer = compare_scores(SCORES, Settings(rope=0.01, baseline="svm", correction="sidak"))
    answer.to_html(path)
    read = tb.read_scores(path)
    assert read.metric == answer.metric
    assert read.models == answer.scores.models
    assert np.array_equal(read.matrix().score, answer.matrix.score)
    assert np.array_equal(read.matrix().n_train, answer.matrix.n_train)
    assert tb.compare(str(path)).to_json() == answer.to_json()


def test_one_of_several_metrics(tmp_path: Path) -> None:
    """The one that is named; without a name the error shows both."""
    path = tmp_path / "report.HTM"
    path.write_text(report_of([compare_scores(each, Settings()) for each in (SCORES, LOSSES)]))
    assert not tb.read_scores(path, metric="max_error").metric.higher_is_better
    assert tb.read_scores(path, metric="accuracy").models == SCORES.models
    with pytest.raises(AmbiguousSourceError, match="holds 2 metrics: 'accuracy' and 'max_error'"):
        tb.read_scores(path)


def test_a_comparison_of_a_run_with_several_metrics_brings_all(tmp_path: Path) -> None:
    """The report has a switch between them; who reads it back gets the metric that was compared, or the one that is named."""
    y = np.arange(40) % 2
    X = np.column_stack([y + np.sin(np.arange(40)), np.cos(np.arange(40))])
    run = tb.evaluate(
        {"bayes": GaussianNB(), "dummy": DummyClassifier()}, X, y, cv=4, scoring=["accuracy", "roc_auc"], progress=False
    )
    path = tmp_path / "report.html"
    page = run.compare(rope=0.01, baseline="dummy").to_html(path)
    assert '<option value="0">accuracy</option><option value="1">roc_auc</option>' in page
    assert tb.compare(path).to_json() == run.compare("accuracy", rope=0.01, baseline="dummy").to_json()
    assert tb.compare(path, metric="roc_auc").metric.name == "roc_auc"
    assert tb.compare(path, metric="roc_auc").rope == 0  # a smallest difference in accuracy is none in another metric
    assert page.count("data-answer=") == 2
    assert run.compare("accuracy").to_html().count("data-answer=") == 1  # where one is asked for by name, it is the one shown


@pytest.mark.parametrize(
    "content",
    [
        "",
        "<html><body>some page</body></html>",
        '<script type="application/json" id="data">{"answers": []}</script>',
        '<script type="application/json" id="data">{"answers": [{"view": {"metric": 1, "scores": []}}]}</script>',
        '<script type="application/json" id="data">{"answers": [{"view"',
        '<script type="application/json" id="data">[1, 2]</script>',
        '<script type="application/json" id="data">' + "[" * 100_000,
    ],
)
def test_another_page_is_refused(tmp_path: Path, content: str) -> None:
    """With what is expected; no crash of any kind."""
    path = tmp_path / "page.html"
    path.write_text(content)
    with pytest.raises(UnreadableSourceError, match=r"page\.html is no report with a comparison in it"):
        tb.read_scores(path)


def test_a_report_that_is_not_there(tmp_path: Path) -> None:
    """As of any file."""
    with pytest.raises(SourceNotFoundError):
        tb.read_scores(tmp_path / "nothing.html")
