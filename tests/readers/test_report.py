"""Scores read back from a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

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
