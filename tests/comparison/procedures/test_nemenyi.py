"""Average ranks, for contrast: Nemenyi's own level, Bonferroni and Dunn's against a baseline, and what depends on the pool."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import tiebreak as tb
from tests.comparison.procedures.test_wilcoxon import BAKEOFF
from tests.comparison.procedures.test_wilcoxon import table as columns_of
from tiebreak.errors import InvalidParameterError, TooFewDatasetsError, UnsuitableDesignError

RANKS = {
    "HC2": 3.0599,
    "MR-Hydra": 3.3063,
    "RDST": 4.3486,
    "H-InceptionTime": 4.4894,
    "QUANT": 4.5211,
    "WEASEL-2": 4.7852,
    "FreshPRINCE": 5.4261,
    "PF": 6.0634,
}
"""Average ranks of the classifiers, by scipy 1.17 (rankdata of means that tie within 1e-12)."""


def compared(**options):
    return tb.compare(BAKEOFF, metric="accuracy", method="nemenyi", **options)


@pytest.fixture(scope="module")
def answer():
    return compared()


def test_all_pairs_have_nemenyis_p_values_and_critical_difference(answer) -> None:
    """The interval is the difference of average ranks less and more the critical difference; p is the studentized range's."""
    order = list(answer.models)
    ranks = answer.ranking["mean"].to_numpy()
    assert ranks == pytest.approx([RANKS[name] for name in order], abs=6e-5)
    test = tb.frequentist.nemenyi_test(ranks, 142)
    for row in answer.pairs.itertuples():
        i, j = order.index(row.first), order.index(row.second)
        assert row.difference == pytest.approx(ranks[j] - ranks[i], abs=1e-12)
        assert row.pvalue == row.adjusted_pvalue == pytest.approx(test.pvalues[i, j], rel=1e-9)
        half = (row.interval_high - row.interval_low) / 2
        assert half == pytest.approx(0.88108, abs=6e-6)  # the critical difference of Demsar's formula, for 8 models
        assert (row.verdict == "undecided") == (abs(row.difference) <= half)
    assert answer.pair_table.is_simultaneous


def test_the_page_names_what_depends_on_the_pool(answer) -> None:
    """Three of the 28 verdicts, found over all subsets of the other classifiers, and no omnibus is missing."""
    text = next(notice.text for notice in answer.notices if notice.code == "pool-dependent")
    assert text.startswith("3 of 28 verdicts")
    for name in ("H-InceptionTime", "PF", "WEASEL-2"):
        assert f"{name} and FreshPRINCE" in text or f"FreshPRINCE and {name}" in text
    assert [test.name for test in answer.supplementary_tests] == ["friedman", "iman-davenport"]
    page = " ".join(answer.to_text().split())
    assert "Ranking by average rank, lower is better" in page
    assert "nemenyi allows for all pairs" in page


def test_a_baseline_gives_bonferroni_and_dunn() -> None:
    """z-tests of a control against each other model, adjusted by Bonferroni; `rank_differences` has them."""
    answer = compared(baseline="QUANT")
    order = list(answer.models)
    control = order.index("QUANT")
    tests = tb.frequentist.rank_differences(answer.ranking["mean"].to_numpy(), 142, control=control)
    expected = {order[model]: min(7 * p, 1.0) for model, p in zip(tests.second, tests.pvalue, strict=True)}
    assert answer.correction == "bonferroni"
    for row in answer.pairs.itertuples():
        assert row.adjusted_pvalue == pytest.approx(expected[row.first], rel=1e-9)
        half = (row.interval_high - row.interval_low) / 2
        assert half == pytest.approx(tb.frequentist.critical_difference(8, 142, test="bonferroni-dunn"), rel=1e-9)


@pytest.mark.parametrize("correction", ["holm", "shaffer", "bonferroni", "none"])
def test_a_correction_takes_the_place_of_nemenyis_own_level(answer, correction) -> None:
    """The z-tests of all pairs, adjusted as `adjust_pvalues` does."""
    found = compared(correction=correction)
    z = found.pairs["difference"] / np.sqrt(8 * 9 / (6 * 142))
    p = tb.frequentist.rank_differences(answer.ranking["mean"].to_numpy(), 142).pvalue
    assert found.pairs["pvalue"].to_numpy() == pytest.approx(p, rel=1e-9)
    assert np.sign(z).tolist() == np.sign(found.pairs["statistic"]).tolist()
    assert found.pairs["adjusted_pvalue"].to_numpy() == pytest.approx(tb.frequentist.adjust_pvalues(p, correction), rel=1e-9)


@pytest.mark.parametrize("family", ["pairs", "best"])
def test_shortfalls_are_those_of_the_family(answer, family) -> None:
    """Of all pairs by Nemenyi's critical difference; against the best by z-tests at .05 / 7, which allow for the rivals only."""
    found = compared(family=family)
    rank = dict(zip(answer.ranking["model"], answer.ranking["mean"], strict=True))
    error = np.sqrt(8 * 9 / (6 * 142))
    half = tb.frequentist.critical_difference(8, 142) if family == "pairs" else stats.norm.isf(0.05 / 7) * error
    best = [name for name in rank if all(rank[name] - rank[other] <= half for other in rank)]
    shortfalls = {name: max([0.0, *(rank[name] - rank[j] + half for j in best if j != name)]) for name in rank}
    assert dict(zip(found.models, found.ranking["shortfall_high"], strict=True)) == pytest.approx(shortfalls, rel=1e-9)
    assert set(found.shortlist()) == set(best)


def test_swapped_models_mirror_the_answer(answer) -> None:
    """Nothing depends on which model is named first."""
    one, other = answer.pair("HC2", "PF"), answer.pair("PF", "HC2")
    assert (one.difference, one.interval_low, one.pvalue) == pytest.approx(
        (-other.difference, -other.interval_high, other.pvalue)
    )
    assert one.differences.tolist() == (-other.differences).tolist()


def test_models_of_equal_ranks_everywhere_are_not_told_apart() -> None:
    """By hand: a and b tie on all datasets, c is last on all."""
    scores = {"dataset": [f"d{i}" for i in range(6)], "a": [0.9] * 6, "b": [0.9] * 6, "c": [0.8, 0.7, 0.6, 0.5, 0.4, 0.3]}
    answer = tb.compare(scores, metric="accuracy", method="nemenyi")
    assert answer.ranking["mean"].tolist() == [1.5, 1.5, 3.0]
    assert answer.pair("a", "b").reason == "identical-scores"


def test_what_it_cannot_do_is_said(rng) -> None:
    """A rope, a missing score, a single dataset."""
    columns = columns_of(rng, n_datasets=6, n_splits=1)
    with pytest.raises(InvalidParameterError, match="takes no rope"):
        tb.compare(columns, metric="accuracy", method="nemenyi", rope=0.01)
    fewer = {name: values[1:] for name, values in columns.items()}
    with pytest.raises(UnsuitableDesignError, match="'m0' lack scores"):
        tb.compare(fewer, metric="accuracy", method="nemenyi")
    with pytest.raises(TooFewDatasetsError, match="of one"):
        tb.compare(columns_of(rng, n_datasets=1), metric="accuracy", method="nemenyi")
