"""A comparison for a paper: tables that LaTeX takes, and a paragraph whose citations are all in its list."""

import re

import pytest

import tiebreak as tb
from tests.views.answers import splits
from tiebreak.errors import DataError, InvalidParameterError


def test_tables_have_the_rows_of_the_page_and_every_special_character_escaped() -> None:
    """A row for each model and each pair, as many cells in each; names with all that LaTeX would act on."""
    names = ("a_b & 50% {x}", "C=10^-3 $\\alpha$ ~", "#1")
    comparison = splits(0.9, 0.85, 0.8, names=names, rope=0.01)
    text = comparison.to_latex()
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{table}", r"\end{table}"):
        assert text.count(rule) == 2 + (rule == r"\midrule")  # one more above those that are not the best
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 2 + 3 + 3
    widths = [len(re.findall(r"(?<!\\)&", row)) for row in rows]
    assert len({*widths[:4]}) == len({*widths[4:]}) == 1
    assert r"a\_b \& 50\% \{x\}" in text
    assert r"C=10\textasciicircum{}-3 \$\textbackslash{}alpha\$ \textasciitilde{}" in text
    assert text.count("{") == text.count("}")
    assert "$-$" in text or "-0." not in text
    with pytest.raises(DataError, match="several datasets"):
        comparison.to_latex("scores")
    with pytest.raises(InvalidParameterError, match="'ranking', 'pairs' or 'scores'"):
        comparison.to_latex("all")


def test_scores_by_dataset_have_the_best_in_bold_and_average_ranks() -> None:
    """Ranks by hand: a is 1, 1.5, 1; b 2, 1.5, 3; c 3, 3, 2. Scores that print the same are best together; a gap is a dash."""
    table = {"dataset": ["d_1", "50%", "x"], "a": [0.9, 0.8, 0.7], "b": [0.8, 0.8, 0.1], "c": [0.1, 0.2, 0.3]}
    comparison = tb.compare(table, metric="accuracy")
    text = comparison.to_latex("scores")
    rows = [line.removesuffix(r" \\").split(" & ") for line in text.splitlines() if line.endswith(r"\\")]
    bold = [[cell.startswith(r"\textbf") for cell in row[1:]] for row in rows[1:]]
    assert [row[0] for row in rows] == ["dataset", r"d\_1", r"50\%", "x", "average rank"]
    assert bold == [[True, False, False], [True, True, False], [True, False, False], [True, False, False]]
    assert rows[-1][1:] == [r"\textbf{1.17}", "2.17", "2.67"]
    assert (comparison.to_latex().count(r"\begin{table}"), "datasets; higher is better; the best in bold}" in text) == (3, True)
    assert text.partition("\n")[2] in comparison.to_latex()
    table["c"][1] = float("nan")
    gaps = tb.compare(table, metric="accuracy").to_latex("scores")
    assert re.search(r"^50\\% & \\textbf\{0\.80*\} & \\textbf\{0\.80*\} & --", gaps, re.MULTILINE)
    # c is .425 below the mean of the others on the two that it has, so it is expected at .375 on the third, and ranks last there
    assert r"average rank & \textbf{1.17} & 2.17 & 2.67" in gaps


@pytest.mark.parametrize("character", ["\x1b", "\u202e", "\u200b", "\ufffe", "\n"])
def test_what_cannot_be_seen_is_escaped_in_names_of_datasets(character: str) -> None:
    """As on the page: no sequence of a terminal, no turned text gets into a table."""
    rows = [{"dataset": f"d{character}{i}", "one": 0.8 + 0.01 * i, "two": 0.7 + 0.02 * (i % 3)} for i in range(8)]
    frame = {key: [row[key] for row in rows] for key in rows[0]}
    text = tb.compare(frame, metric="accuracy").to_latex("scores")
    assert text.replace("\n", "").isprintable()
    assert f"d{character}" not in text
