"""Frames hold what the comparison holds, under the documented names."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.views.situations import around, compared, named, table
from tiebreak.scores.metric import Metric

PAIRS = [
    "first",
    "second",
    "n_splits",
    "difference",
    "standard_error",
    "df",
    "statistic",
    "pvalue",
    "adjusted_pvalue",
    "interval_low",
    "interval_high",
    "simultaneous_low",
    "simultaneous_high",
    "p_better",
    "p_equivalent",
    "p_worse",
    "claim",
    "claim_pvalue",
    "adjusted_claim_pvalue",
    "verdict",
    "bayesian_verdict",
    "reason",
]
RANKING = [
    "rank",
    "model",
    "mean",
    "mean_low",
    "mean_high",
    "n_splits",
    "difference",
    "interval_low",
    "interval_high",
    "verdict",
    "p_best",
    "expected_rank",
    "in_shortlist",
]


def three():
    """Three models, one of them far behind."""
    return compared(table(named(*around(0.90, 0.895, 0.80, noise=0.02))), rope=0.01)


def test_columns_are_those_of_the_documentation_in_that_order() -> None:
    """Names and order are a contract with everybody's scripts (docs/json.md)."""
    comparison = three()
    assert list(comparison.pairs.columns) == PAIRS
    assert list(comparison.ranking.columns) == RANKING


def test_names_and_words_are_categoricals() -> None:
    """A frame of 500,000 pairs with strings would take ten times the memory."""
    comparison = three()
    for column in ("first", "second", "claim", "verdict", "bayesian_verdict", "reason"):
        assert isinstance(comparison.pairs[column].dtype, pd.CategoricalDtype), column


def test_a_changed_frame_does_not_change_the_comparison() -> None:
    """Frames are the caller's to edit; the answer stays what it is."""
    comparison = three()
    frame = comparison.pairs
    frame.loc[:, "difference"] = 99.0
    assert comparison.pairs["difference"].max() < 1


def test_ranking_is_model_minus_reference() -> None:
    """The best row is the reference: difference 0, no interval, no verdict; the others are at most 0."""
    ranking = three().ranking
    assert ranking["difference"].iloc[0] == 0
    assert ranking["verdict"].iloc[0] == ""
    assert np.isnan(ranking["interval_low"].iloc[0])
    assert (ranking["difference"].iloc[1:] <= 0).all()
    assert (ranking["interval_low"].iloc[1:] <= ranking["interval_high"].iloc[1:]).all()


def test_ranking_interval_is_that_of_the_pair_turned_round() -> None:
    """Model minus best is the mirror of best against model."""
    comparison = three()
    pair, row = comparison.pairs.iloc[0], comparison.ranking.iloc[1]
    assert (row["interval_low"], row["interval_high"]) == (-pair["interval_high"], -pair["interval_low"])


def test_correlation_equals_numpy_on_complete_scores() -> None:
    """numpy.corrcoef is the independent computation."""
    comparison = three()
    expected = np.corrcoef(comparison.matrix.score)
    np.testing.assert_allclose(comparison.correlation.to_numpy(), expected, rtol=0, atol=1e-14)
    assert list(comparison.correlation.columns) == list(comparison.models)


def test_correlation_uses_shared_splits_and_is_nan_for_constant_scores() -> None:
    """With gaps each pair has its own splits (numpy on those); a constant model correlates with nothing."""
    scores = named(*around(0.9, 0.85, noise=0.02, n_splits=12), np.full(12, 0.8))
    scores["svm"][4] = np.nan
    comparison = compared(table(scores), missing="pairwise")
    kept = np.arange(12) != 4
    expected = np.corrcoef(scores["forest"][kept], scores["svm"][kept])[0, 1]
    assert comparison.correlation.loc["forest", "svm"] == pytest.approx(expected, abs=1e-14)
    assert comparison.correlation["logistic"].isna().all()


def test_lower_is_better_ranks_the_smallest_first_and_keeps_its_unit() -> None:
    """Means are shown as measured; differences favour the first where positive."""
    metric = Metric("log_loss", higher_is_better=False)
    comparison = compared(table(named(*around(0.5, 0.4, noise=0.02)), metric))
    assert list(comparison.ranking["model"]) == ["svm", "forest"]
    assert comparison.ranking["mean"].tolist() == pytest.approx([0.4, 0.5])
    assert comparison.pairs["difference"].iloc[0] == pytest.approx(0.1)
