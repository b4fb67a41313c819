"""Sentences: who is best, who ties, what is undecided; the golden files hold whole pages."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.views.situations import around, compared, named, table
from tiebreak.views.page import WIDTH


def test_no_sentence_names_more_than_five_models() -> None:
    """Forty models, all of them undecided against the best: one reference and four names, the rest counted."""
    names = tuple(f"model {i}" for i in range(40))
    comparison = compared(table(named(*around(*[0.85] * 40, noise=0.02), names=names)))
    assert len(re.findall("'model ", comparison.sentence)) == 5
    assert "and 35 more" in comparison.sentence
    for line in re.split(r"\.\s", comparison.to_text().split("\n\n")[1]):
        assert len(re.findall("'model ", line)) <= 5


def test_without_a_rope_the_answer_says_that_equivalence_cannot_be_concluded() -> None:
    """Design section 4: with rope 0 nothing can be equivalent, and the text says so."""
    sentence = compared(table(named(*around(0.85, 0.849, noise=0.03)))).sentence
    assert "without a rope equivalence cannot be concluded" in sentence


def test_a_real_difference_of_unclear_size_has_its_own_sentence() -> None:
    """No difference at all is rejected (p about 0.002), but whether it exceeds the rope is open (difference equals rope)."""
    comparison = compared(table(named(*around(0.86, 0.85, noise=0.0065))), rope=0.01)
    assert comparison.pair("forest", "svm").adjusted_pvalue < 0.05
    assert comparison.pair("forest", "svm").verdict == "undecided"
    assert "but whether by more than the rope of 0.01 is undecided" in comparison.sentence


def test_baseline_answers_say_what_each_model_is_against_it() -> None:
    """One clause for each verdict."""
    rows = around(0.90, 0.85, 0.80, 0.8505, noise=0.01)
    comparison = compared(table(named(*rows)), baseline="svm", rope=0.02)
    assert comparison.sentence == (
        "Against the baseline 'svm' (accuracy 0.8500): "
        "'forest' is better; 'bayes' is practically equivalent; 'logistic' is worse."
    )


def test_disagreement_is_mentioned_only_when_two_regions_are_named() -> None:
    """The adjusted claim is "undecided" far more often; that is no disagreement."""
    pages = [compared(table(named(*around(0.9, 0.9 - d, noise=0.02))), rope=0.01).to_text() for d in np.linspace(0, 0.05, 12)]
    assert not any("disagree" in page for page in pages)


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
    assert len(re.findall(r"(?<!\\)\|", ranking[0])) == 9  # 8 cells


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
    first, second, third = (
        row.split("  ")[2] for row in re.findall(r"^ +\d  .*$", comparison.to_text().replace("   ", "  "), re.M)
    )
    assert len({first, second, third}) == 3
    quoted = set(re.findall(r"'([^']+)'", comparison.sentence))
    assert len(quoted) == 3
    assert max(map(len, quoted)) <= 60


def test_text_and_markdown_end_with_the_requirements_asked_for() -> None:
    """Met or not, the claim, and why, as the command line prints them."""
    comparison = compared(table(named(*around(0.9, 0.85, noise=0.02))), rope=0.01)
    judged = comparison.meets(better=[("forest", "svm"), ("svm", "forest")])
    last = comparison.to_text(judged).split("\n\n")[-1].splitlines()
    assert last[0] == "Requirements"
    assert last[1].startswith("  - met: forest better than svm (shown to be more than 0.01 better: ")
    assert "  - NOT met: svm better than forest" in "\n".join(last)
    assert "\n**Requirements**\n\n- met: forest better than svm" in comparison.to_markdown(judged)
    assert "Requirements" not in comparison.to_text() + comparison.to_markdown()


def test_columns_stay_aligned_with_wide_characters() -> None:
    """A Chinese character takes two columns on the screen."""
    page = compared(table(named(*around(0.9, 0.85, noise=0.02), names=("模型", "svm"))), rope=0.01).to_text()
    rows = [line for line in page.splitlines() if re.match(r"  +[12]  ", line)]
    assert rows[0].index("0.9") + 2 == rows[1].index("0.8")
