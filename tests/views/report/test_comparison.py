"""The report of a comparison: the same answer as everywhere, and its data."""

import html
import json
import re
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.views.answers import splits
from tests.views.report.answers import KINDS, answer_of
from tiebreak.comparison.comparison import Comparison
from tiebreak.views.comparison import ranking_lines


@pytest.fixture(params=KINDS, scope="module")
def answer(request: pytest.FixtureRequest) -> Comparison:
    """A comparison of each kind."""
    return answer_of(request.param)


@pytest.fixture(scope="module")
def report(answer: Comparison) -> str:
    """Its report."""
    return answer.to_html()


def visible(page: str) -> str:
    """Text of a page, as it is read: no style, no script, no tags."""
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.S))).split())


def data_of(page: str) -> Any:
    """Data inside a page."""
    return json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[0])


def rows_of(page: str) -> list[dict[str, str]]:
    """Cells of the ranking by their labels, with the ends that the script reads."""
    body = re.findall(r'<table class="ranking".*?<tbody>(.*?)</tbody>', page, re.S)[0]
    found = []
    for attributes, row in re.findall(r'<tr(?! class="rule")([^>]*)>(.*?)</tr>', body, re.S):
        cells = {name: html.unescape(text) for name, text in re.findall(r'data-label="([^"]*)">([^<]*)</td>', row)}
        cells |= dict(re.findall(r'data-(low|high|otherwise)="([^"]*)"', attributes))
        cells["verdict"] = re.findall(r"data-verdict>([^<]*)<", row)[0]
        found.append(cells)
    return found


def test_it_says_what_the_page_says(answer: Comparison, report: str) -> None:
    """Every line of the page but the cut table stands in the report, and so do all details; nothing undefined as a word."""
    shown = visible(report)
    assert not {"nan", "None", "inf", "-inf", "NaN"} & set(shown.split())
    assert not re.search(r"(?<!\S)[-+]?\d*\.\d{12,}(?!\S)", shown)
    assert answer.headline in shown
    assert answer.next_step in answer.headline or answer.next_step in shown or answer.next_step[:5] in ("Take ", "Keep ")
    for notice in answer.notices:
        if notice.text.rstrip(".") in " ".join(str(answer).split()):
            assert notice.text.rstrip(".") in shown
    for line in answer.method.references:
        assert line in shown
    assert answer.method.name in shown


def test_a_line_parts_those_that_may_be_the_best_from_the_others(answer: Comparison, report: str) -> None:
    """Where the page has it, and in its words."""
    said = re.findall("---- (.*) ----", str(answer))
    assert re.findall(r'<tr class="rule"><td[^>]*>([^<]*)<', report) == said
    if said:
        before = rows_of(report.partition('<tr class="rule">')[0] + "</tbody>")
        assert len(before) == sum(map(bool, answer.ranking_table.may_be_best[list(ranking_lines(answer))]))


def test_the_ranking_has_verdicts_and_the_ends_that_decide_them(answer: Comparison, report: str) -> None:
    """To the last digit; none for the reference, and none where the data give no interval."""
    rows = rows_of(report)
    for row, place in zip(rows, ranking_lines(answer), strict=True):
        name = answer.models[place]
        if answer.pair_table.family == "best":
            bound = answer.ranking.set_index("model").loc[name, "shortfall_high"]
            assert "high" not in row or float(row["high"]) == bound
            assert row["verdict"] == answer.ranking.set_index("model").loc[name, "standing"]
        elif name == answer.reference:
            assert row["verdict"] in ("first", "baseline")
            assert "low" not in row
        else:
            pair = answer.pair(name, answer.reference)
            assert row["verdict"] == pair.verdict
            assert pair.has_interval == ("low" in row)
            if pair.has_interval:
                assert [float(row["low"]), float(row["high"])] == [pair.interval_low, pair.interval_high]


def test_requirements_come_first() -> None:
    """Before the headline, with their outcome as class; without any there is nothing of them."""
    comparison = answer_of("splits 2 better")
    page = comparison.to_html(requirements=comparison.meets(better=("forest", "svm")))
    assert page.index('<li class="met">') < page.index('class="headline"')
    assert 'class="card requirements"' not in comparison.to_html()


def test_drawn_intervals_lie_where_the_numbers_are() -> None:
    """Ends in percent of the width are one linear function of the numbers, to the rounding of both."""
    page = answer_of("items 3 error rate").to_html()
    places = [float(at) for ends in re.findall(r'class="range" x1="([\d.]+)%" x2="([\d.]+)%"', page) for at in ends]
    numbers = [float(row[end]) for row in rows_of(page) if "low" in row for end in ("low", "high")]
    low, high = map(float, re.findall(r'data-scale="(\S+) (\S+)"', page)[0])
    farthest = max(map(abs, numbers))  # as far as a verdict may change, the rope can be moved
    assert farthest <= float(re.findall(r'max="([^"]*)"', page)[0]) <= 2.2 * farthest
    assert places == pytest.approx(100 * (np.array(numbers) - low) / (high - low), abs=0.06)
    zeros = re.findall(r'class="zero" x1="([\d.]+)%"', page)
    assert [float(at) for at in zeros] == pytest.approx([-100 * low / (high - low)] * len(zeros), abs=0.06)


def test_a_model_far_off_does_not_press_the_others_together() -> None:
    """The scale fits the first 25 rows; an interval further off ends at the edge."""
    names = tuple(f"m{n}" for n in range(30))
    page = splits(*(0.9 - 0.001 * np.arange(29)), 0.2, noise=0.012, n=20, names=names, rope=0.01).to_html()
    ends = [float(right) - float(left) for left, right in re.findall(r'class="range" x1="([\d.]+)%" x2="([\d.]+)%"', page)]
    assert min(ends[:24]) > 10
    assert ends[-1] == 0


def test_an_evaluation_has_one_answer_in_each_metric() -> None:
    """Of one dataset; over all datasets and on each there would be two of the same."""
    X, y = make_classification(60, random_state=0)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    page = tb.evaluate(models, datasets={"plain": (X, y)}, cv=3, scoring=["accuracy", "f1"]).to_html()
    assert re.findall("<option [^>]*>([^<]*)", page)[:2] == ["accuracy on plain", "f1 on plain"]
    assert page.count("<section data-answer=") == 2
    assert [each["metric"]["name"] for each in data_of(page)] == ["accuracy", "f1"]
