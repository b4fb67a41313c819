"""A comparison in words and frames; the golden files hold the pages of ten situations, as they were read by a person.

After a wanted change of words: ``UPDATE_GOLDEN=1 pytest tests/views/test_comparison.py -k situation``; then read the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.views.situations import SITUATIONS, around, compared, named, table
from tiebreak.result import view_of
from tiebreak.scores.metric import Metric
from tiebreak.views.page import WIDTH


def test_no_sentence_names_more_than_five_models() -> None:
    """Forty models of which all but one may be the best: two names, the rest counted."""
    names = tuple(f"model {i}" for i in range(40))
    comparison = compared(table(named(*around(*[0.85] * 39, 0.5, noise=0.02), names=names)))
    assert "39 of the 40 may be the best (95% confidence)" in comparison.sentence
    assert "and 37 more." in comparison.sentence
    for line in re.split(r"\.\s", comparison.to_text()):
        assert len(re.findall("'model ", line)) <= 5


def test_without_a_rope_the_answer_says_that_equivalence_cannot_be_concluded() -> None:
    """Design section 4: with rope 0 nothing can be equivalent, and the text says so."""
    sentence = compared(table(named(*around(0.85, 0.849, noise=0.03)))).sentence
    assert "without a rope equivalence cannot be concluded" in sentence


def test_a_real_difference_of_unclear_size_has_its_own_verdict_and_sentence() -> None:
    """No difference at all is rejected (p about 0.002), but whether it exceeds the rope is open (difference equals rope)."""
    comparison = compared(table(named(*around(0.86, 0.85, noise=0.0065))), rope=0.01)
    assert comparison.pair("forest", "svm").adjusted_pvalue < 0.05
    assert comparison.pair("forest", "svm").verdict == "ahead"
    assert "'forest' is ahead of 'svm': accuracy higher by 0.0100 (95% interval" in comparison.sentence
    assert "A difference is shown; that it exceeds the rope of 0.01 is not." in comparison.sentence


def test_a_difference_of_zero_favours_nobody() -> None:
    """Undecided or equivalent: the sentence names no model that is higher by nothing."""
    right = {"old": [1, 1, 0, 0] * 50, "new": [1, 0, 1, 0] * 50}
    for rope, verdict in ((0.0, "cannot be told apart yet"), (0.2, "are practically equivalent")):
        sentence = tb.compare(tb.read_items(right, rows="items"), rope=rope).sentence
        assert f"{verdict}: a difference in accuracy of 0" in sentence
        assert "higher" not in sentence


def test_the_next_step_names_the_model_with_the_better_mean_beside_the_typically_better() -> None:
    """All differences but one are about 0.01 in favour of b, and one of 0.5 favours a: both are named."""
    a = [0.80] * 22 + [0.90]
    b = [0.81, 0.812, 0.811, 0.813, 0.809, 0.8105, 0.8115, 0.8125, 0.8095, 0.8135, 0.8085] * 2 + [0.40]
    table = {"dataset": [f"d{i}" for i in range(23)], "a": a, "b": b}
    step = "Next step: take 'b' if a typical dataset is what counts; by the mean 'a' is ahead."
    assert tb.compare(table, metric="accuracy").next_step == step
    assert tb.compare({**table, "c": [each - 0.1 for each in b]}, metric="accuracy").next_step == step
    in_place = "Next step: take 'b' in the place of the baseline if a typical dataset is what counts; by the mean 'a' is ahead."
    assert tb.compare({**table, "c": [each - 0.1 for each in b]}, metric="accuracy", baseline="a").next_step == in_place
    assert tb.compare({**table, "b": [*b[:22], 0.92]}, metric="accuracy").next_step == "Next step: take 'b'."


def test_the_next_step_is_about_a_rival_that_is_no_copy() -> None:
    """A copy of the first model comes next in the ranking, and nothing would tell the two apart."""
    rng = np.random.default_rng(0)
    shared = rng.normal(0.8, 0.01, 30)
    models = {"forest": shared + 0.005, "again": shared + 0.005, "ridge": shared + rng.normal(0, 0.01, 30)}
    answer = tb.compare(tb.read_scores(models, metric="accuracy", n_train=90, n_test=10))
    assert answer.models[:2] == ("again", "forest")
    assert answer.next_step.startswith("Next step: ")
    assert "'again' and 'ridge'" in answer.next_step


def test_copies_share_a_line() -> None:
    """Two are named where there is room for both names; of more, or of long names, the others are counted."""
    scores = np.array([0.8, 0.9, 0.7, 0.85])
    three = dict.fromkeys(("forest", "forest again", "forest once more"), scores)
    for models, line in (
        ({"forest": scores, "ridge": scores, "svm": scores - 0.3}, " forest (and ridge) "),
        (three | {"svm": scores - [0.3, 0.2, 0.3, 0.1]}, " forest (and 2 copies) "),
        ({"forest": scores, "r" * 60: scores, "svm": scores - 0.3}, " forest (and 1 copy) "),
    ):
        assert line in tb.compare(tb.read_scores(models, metric="accuracy", n_train=90, n_test=30)).to_text()


def test_models_of_one_mean_share_the_top() -> None:
    """Two that are right on as many questions are named; of more, the others are counted."""
    right = {"old": [1, 1, 0, 0] * 50, "new": [1, 0, 1, 0] * 50, "tiny": [0, 1, 1, 0] * 45 + [0] * 20}
    sentence = tb.compare(tb.read_items(right, rows="items")).sentence
    assert sentence.startswith("'new' and 'old' share the highest mean accuracy (0.500), but any of the 3")
    right["tiny"] = [0, 1, 1, 0] * 50
    assert tb.compare(tb.read_items(right, rows="items")).sentence.startswith("'new' and 2 others share the highest mean")


def test_baseline_answers_say_what_each_model_is_against_it() -> None:
    """One clause for each verdict."""
    rows = around(0.90, 0.85, 0.80, 0.8505, noise=0.01)
    comparison = compared(table(named(*rows)), baseline="svm", rope=0.02)
    assert comparison.sentence == (
        "Against the baseline 'svm' (accuracy 0.8500): "
        "'forest' is better; 'bayes' is practically equivalent; 'logistic' is worse."
    )


def test_a_page_is_at_most_100_columns_wide_with_short_names() -> None:
    """Terminals are narrow."""
    page = compared(table(named(*around(0.9, 0.89, 0.85, 0.8, noise=0.02))), rope=0.01).to_text()
    assert max(map(len, page.splitlines())) <= WIDTH


@pytest.mark.parametrize("name", ["a\nb", "x" * 300, "<script>alert(1)</script>", "\ud800", "naïve 🌲", "| pipe | `tick`"])
def test_odd_names_do_not_break_any_view(name: str) -> None:
    """Names come from files of other people: one line each, escaped where markup would act."""
    comparison = compared(table(named(*around(0.9, 0.85, 0.8, noise=0.02), names=(name, "svm", "bayes"))), rope=0.01)
    text, markdown, html = comparison.to_text(), comparison.to_markdown(), comparison._repr_html_()
    text.encode("utf-8"), markdown.encode("utf-8"), html.encode("utf-8")
    assert "<script" not in html
    assert "<script" not in markdown
    ranking = [line for line in markdown.splitlines() if line.startswith("| 1 ")]
    assert len(ranking) == 1
    assert len(re.findall(r"(?<!\\)\|", ranking[0])) == 8  # 7 cells


def test_html_has_no_script_and_no_outside_resource() -> None:
    """A notebook shows it as it is, also offline."""
    html = compared(table(named(*around(0.9, 0.85, noise=0.02))), rope=0.01)._repr_html_()
    for forbidden in ("<script", "http:", "https:", "src=", "onclick"):
        assert forbidden not in html


def test_repr_is_short_and_str_is_the_page() -> None:
    """print(answer) is the page; the bare object in a console is one line."""
    comparison = compared(table(named(*around(0.9, 0.85, noise=0.02))), rope=0.01)
    assert f"{comparison}\n" == comparison.to_text()
    assert "\n" not in repr(comparison)


def test_long_names_that_differ_in_the_middle_stay_apart() -> None:
    """Pipelines of a search differ in one parameter; a page in which two rows look alike answers nothing."""
    names = tuple(
        f"StandardScaler+SVC, kernel=rbf, C={c}, class_weight=balanced, gamma=scale, shrinking=True" for c in (1, 10, 100)
    )
    comparison = compared(table(named(*around(0.9, 0.88, 0.7, noise=0.02), names=names)), rope=0.01)
    rows = re.findall(r"\n +\d  (\S.*?)  ", comparison.to_text())
    assert len(set(rows)) == len(rows) == 3
    quoted = set(re.findall(r"'([^']+)'", comparison.sentence))
    assert len(quoted) == 2
    assert max(map(len, quoted)) <= 60


def test_columns_stay_aligned_with_wide_characters() -> None:
    """A Chinese character takes two columns on the screen."""
    page = compared(table(named(*around(0.9, 0.85, noise=0.02), names=("模型", "svm"))), rope=0.01).to_text()
    rows = [line for line in page.splitlines() if re.match(r"  +[12]  ", line)]
    assert rows[0].index("0.9") + 2 == rows[1].index("0.8")


def test_by_default_there_is_one_table_and_on_request_all_columns_and_pairs() -> None:
    """Issue 28: place, model, value, difference to the first with interval and verdict, standing; p-values are asked for."""
    comparison = compared(table(named(*around(0.9, 0.88, 0.87, 0.86, 0.85, 0.7, noise=0.02), names=tuple("abcdef"))), rope=0.01)
    text, everything = comparison.to_text(), comparison.to_text(columns="all")
    assert re.search(r"\n +place +model +mean +difference +95% interval +verdict +standing\n", text)
    for word in ("adj. p", "letters", "Pairs: ", "Other pairs"):
        assert (word in everything) == (word != "Other pairs"), word
        assert word not in text, word
    assert "adj. p" in comparison.to_markdown(columns="all")
    with pytest.raises(tb.errors.InvalidParameterError, match="columns must be 'default' or 'all'; got 'some'"):
        comparison.to_text(columns="some")


def test_pairs_without_the_first_model_stand_in_the_page_of_three_or_four() -> None:
    """Three pairs of four models say what the table does not; ten of six would bury it."""
    rows = around(0.9, 0.88, 0.87, 0.86, noise=0.02)
    text = compared(table(named(*rows)), rope=0.01).to_text()
    assert re.findall(r"\n  (\w+) +(\w+) +-0\.0", text.partition("Other pairs")[2]) == [
        ("logistic", "svm"),
        ("bayes", "svm"),
        ("bayes", "logistic"),
    ]
    assert "Other pairs" not in compared(table(named(*rows)), rope=0.01, baseline="svm").to_text()
    assert "Other pairs" not in compared(table(named(*rows[:2])), rope=0.01).to_text()


@pytest.mark.parametrize("width", [60, 70, 80])
def test_interval_verdict_and_names_stay_in_a_narrow_window(width: int) -> None:
    """What else there is goes first: the difference, which the interval holds, the place, the standing."""
    rows = around(0.9, 0.88, 0.7, noise=0.02)
    comparison = compared(table(named(*rows, names=("gradient boosting", "random forest", "logistic regression"))), rope=0.01)
    text = view_of(comparison).as_text(comparison, width=width)
    assert max(map(len, text.splitlines())) <= width
    header = next(line for line in text.splitlines() if "interval" in line and "model" in line)
    assert "95% interval" in header
    assert "verdict" in header
    assert "gradient boosting" in text


def test_of_forty_models_those_that_may_be_best_have_a_line_and_the_rest_is_counted() -> None:
    """Twelve within the noise of the best and 28 far below: 12 lines and "and 28 that are worse"."""
    names = tuple(f"model {i}" for i in range(40))
    means = [0.9 - 0.0001 * i for i in range(12)] + [0.7 - 0.001 * i for i in range(28)]
    comparison = compared(table(named(*around(*means, noise=0.01), names=names)), rope=0.01)
    text = comparison.to_text()
    assert text.count(" may be best\n") + text.count(" near best\n") == 12
    assert "\n  and 28 that are worse\n" in text
    against = compared(table(named(*around(*means, noise=0.01), names=names)), rope=0.01, baseline="model 30").to_text()
    assert re.search(r"\n +31  model 30 .* baseline\n", against)


def test_candidates_of_several_classes_are_counted_by_class() -> None:
    """Four trees, two forests: each class has its number, those that may be best, and its first; one class has no table."""
    levels = {
        "Tree(depth=1)": 0.9,
        "Tree(depth=2)": 0.899,
        "Forest(n=1)": 0.8,
        "Forest(n=2)": 0.7,
        "Tree(depth=3)": 0.6,
        "Tree(depth=4)": 0.5,
    }
    rows = around(*levels.values(), noise=0.012)
    page = compared(table(named(*rows, names=tuple(levels))), rope=0.001).to_text()
    lines = [line.split() for line in page.partition("Candidates by class\n")[2].splitlines()[:3]]
    assert lines[0] == "class candidates may be best first of them mean place".split()
    assert [line[:4] for line in lines[1:]] == [["Tree", "4", "2", "Tree(depth=1)"], ["Forest", "2", "0", "Forest(n=1)"]]
    assert [line[-1] for line in lines[1:]] == ["1", "3"]
    one_class = tuple(f"Tree(depth={k})" for k in range(6))
    assert "by class" not in compared(table(named(*rows, names=one_class)), rope=0.001).to_text()
    assert "by class" not in compared(table(named(*rows[:5], names=tuple(levels)[:5])), rope=0.001).to_text()


def test_the_baseline_has_a_line_where_it_is_far_down() -> None:
    """Thirteen models of which the baseline is the last: without its line the differences would have nothing beside them."""
    names = tuple(f"model {i}" for i in range(13))
    comparison = compared(table(named(*around(*[0.9] * 12, 0.5, noise=0.01), names=names)), baseline="model 12")
    assert re.search(r"\n +13  model 12 .* baseline\n", comparison.to_text())


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
    for column in ("first", "second", "verdict", "reason"):
        assert isinstance(comparison.pairs[column].dtype, pd.CategoricalDtype), column


def test_a_changed_frame_does_not_change_the_comparison() -> None:
    """Frames are the caller's to edit; the answer stays what it is."""
    comparison = three()
    frame = comparison.pairs
    frame.loc[:, "difference"] = 99.0
    assert comparison.pairs["difference"].max() < 1


def test_columns_of_the_ranking_with_a_baseline() -> None:
    """Against a baseline there are no ranges of ranks, standings and letters, but the verdicts."""
    comparison = compared(table(named(*around(0.90, 0.895, 0.80, noise=0.02))), rope=0.01, baseline="svm")
    kept = [
        name for name in RANKING if name not in ("rank_low", "rank_high", "letters", "shortfall_high", "may_be_best", "standing")
    ]
    against = ["difference", "interval_low", "interval_high", "verdict"]
    assert list(comparison.ranking.columns) == [*kept, *against]


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


GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", SITUATIONS)
def test_words_of_each_situation_are_those_that_were_read_and_approved(name: str) -> None:
    """Text is for people, so each situation's is kept whole and compared to the letter."""
    path, text = GOLDEN / f"{name}.txt", SITUATIONS[name]()
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_pair_without_spread_says_that_its_probabilities_are_no_evidence() -> None:
    """On its own page, which has them; the page of the comparison has none, nor has that of a pair with spread to say it."""
    comparison = compared(table({"a": [0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.9], "c": [0.6, 0.7, 0.8]}))
    said = "without spread the posterior is a single point, so P(...) are 0 and 1"
    assert "P(" not in comparison.to_text()
    assert said in " ".join(comparison.pair("a", "b").to_text().split())
    assert said not in " ".join(comparison.pair("a", "c").to_text().split())
