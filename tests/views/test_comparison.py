"""A comparison in frames, its details, and odd names in every view; golden/ holds its pages."""

import re

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.comparison.tables import compared, noisy
from tests.views.answers import copies, items, splits
from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.views.comparison import models_table


@pytest.mark.parametrize(
    "name", ["a\nb", "x" * 300, "<script>alert(1)</script>", "\ud800", "naïve 🌲", "| pipe | `tick`", "\u202eevil"]
)
def test_odd_names_do_not_break_any_view(name: str) -> None:
    """Names come from files of other people: one line each, escaped where markup would act."""
    comparison = splits(0.9, 0.85, 0.8, names=(name, "svm", "bayes"), rope=0.01)
    text, markdown, html = comparison.to_text(columns="all"), comparison.to_markdown(columns="all"), comparison._repr_html_()
    for shown in (text, markdown, html):
        shown.encode("utf-8")
        assert "\u202e" not in shown
    assert "<script" not in html + markdown
    (first,) = (line for line in markdown.splitlines() if line.startswith("| 1 |"))
    assert len(re.findall(r"(?<!\\)\|", first)) == 7  # 6 cells
    assert max(map(len, comparison.to_text().splitlines())) <= 80


def test_the_details_are_what_the_page_does_not_say() -> None:
    """All pairs with p-values and posterior, the method with its references, and notices; no line of the page again."""
    comparison = splits(0.86, 0.855, 0.70, rope=0.005)
    page, details = comparison.to_text(), comparison.details
    assert comparison.to_text(columns="all") == f"{page}\n{details}"
    assert not {line for line in page.splitlines() if line} & {*details.splitlines()}
    assert len(re.findall(r"^  [abc]      [abc] ", details, re.MULTILINE)) == 3
    assert "\nMethod\n  900 training and 100 test examples in each split.\n" in details  # paragraphs, no list
    assert ("letters" in details, "letters" in splits(0.86, 0.70).details) == (True, False)
    for said in ("adj. p", "P(better)", "short by at most", "std. error", "It assumes:", "References", "C. Nadeau, Y. Bengio."):
        assert said in details or (said == "std. error" and comparison.ranking_table.standard_error is None)
    with pytest.raises(InvalidParameterError, match="columns must be 'default' or 'all'"):
        comparison.to_text(columns="some")


def test_folds_that_were_said_stand_in_the_small_print() -> None:
    """Where the sizes of the splits are not known."""
    answer = tb.compare({"a": [0.9, 0.8, 0.85, 0.9], "b": [0.8, 0.8, 0.8, 0.7]}, metric="accuracy", cv=4)
    assert "  4 splits (4-fold); " in str(answer)


def test_a_baseline_far_down_has_its_line() -> None:
    """Thirteen models of which the baseline is the last: without its line the differences would have nothing beside them."""
    names = [f"model {i}" for i in range(13)]
    assert re.search(r"\n +13  model 12 .* baseline\n", splits(*[0.9] * 12, 0.5, names=names, baseline="model 12").to_text())


def test_a_model_that_has_nothing_but_0_is_named() -> None:
    """As of a log in which no answer could be read; not where all have nothing."""
    held = {"item": [f"q{i}" for i in range(30)], "good": [i % 2 for i in range(30)], "zero": [0] * 30}
    said = "All scores of zero are 0: see whether it was measured at all."
    assert said in " ".join(tb.compare(held).to_text().split())
    assert "All scores" not in tb.compare({**held, "good": [0] * 30}).to_text()


def test_a_model_that_another_than_the_first_rules_out_is_explained() -> None:
    """It stands below the rule though undecided against the first, whose scores spread more: the page says by whom."""
    rng = np.random.default_rng(3)
    steady = rng.normal(0.8, 0.01, 20)
    scores = {"wild": steady + 0.03 + rng.normal(0, 0.12, 20), "good": steady, "bad": steady - 0.02 + rng.normal(0, 0.004, 20)}
    answer = tb.compare(scores, metric="score", lower_is_better=False, n_train=90, n_test=10)
    assert answer.ranking.set_index("model").loc["bad", ["standing"]].tolist() == ["not best"]
    assert answer.pair("bad", "wild").verdict == "undecided"
    assert "Not the best, as another model than the first is shown to be ahead: bad." in answer.to_text()


def test_intervals_of_several_pairs_hold_at_once() -> None:
    """One pair has no others that its interval could hold with."""
    for means, said in (((0.9, 0.8), False), ((0.9, 0.8, 0.7), True)):
        answer = splits(*means)
        assert ("(simultaneous 95% interval " in str(answer.pair(*answer.models[:2]))) == said


def test_flips_are_the_items_that_only_one_model_gets() -> None:
    """By hand: of four questions a gets the first two, b the second and third."""
    pair = items(0.5, 0.5).pair("a", "b")
    a, b = (set(pair.flips()[name]) for name in "ab")
    scores = pair.comparison.items
    right = {
        name: {item for item, x in zip(scores.items, scores.score[scores.models.index(name), 0], strict=True) if x}
        for name in "ab"
    }
    assert (a, b) == (right["a"] - right["b"], right["b"] - right["a"])
    assert f"{len(a)} questions only a gets, {len(b)} only b." in pair.to_text()
    with pytest.raises(DataError, match="each right or wrong"):
        splits(0.9, 0.8).pair("a", "b").flips()


PAIRS = [
    "first",
    "second",
    "n_units",
    "difference",
    "standard_error",
    "df",
    "statistic",
    "pvalue",
    "adjusted_pvalue",
    "interval_alpha",
    "interval_low",
    "interval_high",
    "p_better",
    "p_equivalent",
    "p_worse",
    "verdict",
    "reason",
]
RANKING = [
    "rank",
    "rank_low",
    "rank_high",
    "model",
    "mean",
    "mean_low",
    "mean_high",
    "n_units",
    "shortfall_high",
    "may_be_best",
    "standing",
    "letters",
]


def test_columns_are_those_of_the_documentation_in_that_order() -> None:
    """Names and order are a contract with everybody's scripts (docs/api.md)."""
    comparison = splits(0.90, 0.895, 0.80, rope=0.01)
    assert list(comparison.pairs.columns) == PAIRS
    assert list(comparison.ranking.columns) == RANKING


def test_names_and_words_are_categoricals() -> None:
    """A frame of 500,000 pairs with strings would take ten times the memory."""
    comparison = splits(0.90, 0.895, 0.80, rope=0.01)
    for column in ("first", "second", "verdict", "reason"):
        assert isinstance(comparison.pairs[column].dtype, pd.CategoricalDtype), column


def test_columns_of_the_ranking_with_a_baseline() -> None:
    """Against a baseline there are no ranges of ranks, standings and letters, but the verdicts."""
    comparison = splits(0.90, 0.895, 0.80, rope=0.01, baseline="b")
    kept = [
        name for name in RANKING if name not in ("rank_low", "rank_high", "letters", "shortfall_high", "may_be_best", "standing")
    ]
    against = ["difference", "interval_low", "interval_high", "verdict"]
    assert list(comparison.ranking.columns) == [*kept, *against]


def test_correlation_uses_shared_splits_and_is_nan_for_constant_scores() -> None:
    """With gaps each pair has its own splits (numpy on those); a constant model correlates with nothing."""
    a, b = noisy(0.9, 0.85, n_splits=12)
    b[4] = np.nan
    correlation = compared([a, b, np.full(12, 0.8)], missing="pairwise").correlation
    kept = np.arange(12) != 4
    assert correlation.loc["a", "b"] == pytest.approx(np.corrcoef(a[kept], b[kept])[0, 1], abs=1e-14)
    assert correlation["c"].isna().all()


@pytest.mark.parametrize("metric", ["model", "verdict", "95% interval", "against c"])
def test_a_metric_that_is_called_as_another_column_has_its_own(metric: str) -> None:
    """Its values took the place of the names, or of the verdicts."""
    answer = tb.compare({"c": [0.9, 0.8, 0.9], "d": [0.6, 0.7, 0.5]}, metric=metric, lower_is_better=False, cv=3, rows="splits")
    (first, second), headers = models_table(answer).rows, models_table(answer).headers
    assert dict(zip(headers, first, strict=True)) == {
        "": "1",
        "model": "c",
        f"the metric {metric}": first[2],
        "against c": "",
        "95% interval": "",
        "verdict": "first",
    }
    assert float(second[2]) == pytest.approx(0.6, abs=0.005)


@pytest.mark.parametrize(
    ("settings", "cited"),
    [({"correction": "holm"}, "S. Holm."), ({"family": "best"}, "J. Hsu."), ({"correction": "bh"}, "Y. Hochberg.")],
)
def test_the_details_cite_what_the_answer_rests_on(settings: dict[str, str], cited: str) -> None:
    """A correction and the family beside the procedure; of the default nobody needs to be told."""
    assert cited in splits(0.9, 0.85, 0.8, **settings).details
    assert cited not in splits(0.9, 0.85, 0.8).details


def test_pairs_have_a_reason_where_one_has() -> None:
    """Why no interval decides it: copies; an interval that leaves it open is no further reason."""
    assert re.search("verdict +reason\n.* undecided +identical-scores\n", copies(2, 0.8).details)
    assert "reason" not in splits(0.9, 0.89, 0.7).details.partition("Method")[0]
