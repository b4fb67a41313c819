"""A comparison for a paper: tables that LaTeX takes, and a paragraph whose citations are all in its list."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.views.situations import around, compared, named, table


def test_tables_have_the_rows_of_the_page_and_every_special_character_escaped() -> None:
    """A row for each model and each pair, as many cells in each; names with all that LaTeX would act on."""
    names = ("a_b & 50% {x}", "C=10^-3 $\\alpha$ ~", "#1")
    comparison = compared(table(named(*around(0.9, 0.85, 0.8, noise=0.02), names=names)), rope=0.01)
    text = comparison.to_latex()
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{table}", r"\end{table}"):
        assert text.count(rule) == 2
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 2 + 3 + 3
    widths = [len(re.findall(r"(?<!\\)&", row)) for row in rows]
    assert widths == [5] * 4 + [8] * 4
    assert r"a\_b \& 50\% \{x\}" in text
    assert r"C=10\textasciicircum{}-3 \$\textbackslash{}alpha\$ \textasciitilde{}" in text
    assert text.count("{") == text.count("}")
    assert "$-$" in text or "-0." not in text


@pytest.mark.parametrize("correction", [None, "sidak", "holm", "hochberg", "hommel", "bh", "by", "none"])
def test_what_is_cited_is_in_the_list_and_nothing_else(correction: str | None) -> None:
    """For each correction; levels are those of the pairs."""
    comparison = compared(table(named(*around(0.9, 0.895, 0.8, noise=0.02))), rope=0.01, correction=correction)
    text, _, references = comparison.methods_paragraph().partition("\n\nReferences\n")
    listed = references.strip().splitlines()
    for year in re.findall(r"\b(?:19|20)\d\d\b", text):
        assert any(year in each for each in listed), year
    assert ("hold at once with 95%" in text) == (correction in (None, "sidak"))
    assert ("Holm 1979" in text) == any("S. Holm" in each for each in listed) == (correction == "holm")
    assert "3 models were compared by accuracy on the same 100 splits in 10 repeats (900 training and 100 test examples" in text
    assert "Differences of up to 0.01 were taken to be too small to matter" in text
    assert "(Hsu 1984)" in text


def test_two_models_and_a_baseline_are_described_as_such() -> None:
    """One pair has no family; a baseline is named; without a rope no region is."""
    rows = around(0.9, 0.85, 0.8, noise=0.02)
    two = compared(table(named(*rows[:2]))).methods_paragraph()
    assert "the difference of the two models" in two
    assert "Hsu" not in two
    assert "Kruschke" not in two
    against = compared(table(named(*rows)), baseline="svm").methods_paragraph()
    assert "the differences to the baseline, svm" in against
    assert np.all([word not in against for word in ("nan", "None")])
