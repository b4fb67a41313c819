"""The engine of the report in a real browser: its words for other ropes and alphas against Python's, to the last digit."""

from __future__ import annotations

import json
import math
import re
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from tests.views.report.answers import ANSWERS, READ, again, random_answer, required, said, stops
from tiebreak.comparison.comparison import Comparison
from tiebreak.views import comparison_columns
from tiebreak.views.comparison import ranking_rows
from tiebreak.views.report import decide
from tiebreak.views.report.decide import WORDS, columns_of, decide_data, packed
from tiebreak.views.words import format_pvalue

SCRIPTS = {name: (files("tiebreak.views.report") / name).read_text(encoding="utf-8") for name in ("decide.js", "page.js")}

WHOLE = 9
"""Of so many answers one is compared with all its sentences on pairs and requirements."""


@pytest.fixture
def engine(opened):
    """A blank page that has the engine only."""
    page = opened("<!DOCTYPE html><title>engine</title>")
    page.add_script_tag(content=SCRIPTS["decide.js"])
    return page


def check_equal(engine: Any, comparison: Comparison, settings: list[dict[str, Any]]) -> None:
    """Every word and printed number of the script's answers is Python's."""
    data = json.loads(json.dumps(decide_data(comparison, required(comparison)) | {"words": WORDS}))
    written = {name: texts for name, texts in columns_of(comparison).items() if name != "n"}
    code = f"""([data, lines, written, asked]) => {{
      const engine = Decide.engine(data);
      return asked.map((each, k) => ({READ})(Object.assign(engine.at(each), {{ lines }}), written, k % {WHOLE} === 0));
    }}"""
    found = engine.evaluate(code, [data, ranking_rows(comparison), written, settings])
    for k, (each, answer) in enumerate(zip(settings, found, strict=True)):
        assert answer == said(again(comparison, **each), is_whole=k % WHOLE == 0), each


@pytest.mark.browser
@pytest.mark.parametrize("name", ANSWERS)
def test_fifty_ropes_at_every_alpha_are_answered_as_in_python(engine, name):
    """Verdicts, standings, places, letters, bounds, intervals, sentences and requirements are Python's, to the last digit."""
    comparison = ANSWERS[name]()
    check_equal(engine, comparison, stops(comparison, sum(map(ord, name))))


@pytest.mark.browser
@pytest.mark.parametrize("seed", range(60))
def test_random_comparisons_are_answered_as_in_python(engine, seed):
    """Gaps, losses, baselines, pairs without spread, every correction: a few ropes at every alpha."""
    comparison = random_answer(seed)
    check_equal(engine, comparison, stops(comparison, seed, n_ropes=6))


@pytest.mark.browser
@pytest.mark.parametrize("seed", range(0, 60, 4))
def test_a_page_with_some_pairs_says_of_them_what_one_with_all_says(engine, seed, monkeypatch):
    """Of very many models (here of more than three pairs) the pairs that are left out are not known, and nothing else changes."""
    comparison = random_answer(seed)
    n, asked = len(comparison.models), required(comparison)
    whole = json.loads(json.dumps(decide_data(comparison, asked) | {"words": WORDS}))
    monkeypatch.setattr(comparison_columns, "MOST_PAIRS", 3)
    monkeypatch.setattr(comparison_columns, "FIRST_MODELS", 3)
    monkeypatch.setattr(decide, "FIRST_MODELS", 3)
    part = json.loads(json.dumps(decide_data(comparison, asked) | {"words": WORDS}))
    code = """([whole, part, alphas, ropes]) => {
      const engines = [whole, part].map(Decide.engine), n = whole.names.length, found = [];
      const known = [...Array(n * n).keys()].map((k) => [Math.floor(k / n), k % n]).filter(([i, j]) => engines[1].has(i, j));
      for (const alpha of alphas) for (const rope of ropes) {
        found.push(engines.map((engine) => {
          const answer = engine.at({ rope, alpha });
          const rows = [...Array(n).keys()].map((row) => answer.rankingTexts(row));
          const pairs = known.map(([i, j]) => [answer.pair(i, j).verdict, answer.pairTexts(i, j), answer.pairSentence(i, j)]);
          return JSON.stringify([rows, pairs, answer.sentence, answer.requirements.map((each) => each.line)]);
        }));
      }
      return [known.length, found];
    }"""
    alphas = [each["alpha"] for each in whole["alphas"]]
    n_known, found = engine.evaluate(code, [whole, part, alphas, [0.0, comparison.rope, 0.02]])
    for one, two in found:
        assert json.loads(one) == json.loads(two)
    assert n_known < n * (n - 1) or n * (n - 1) // 2 <= 3 or len(part["kept"]["rows"]) + 3 >= n


@pytest.mark.browser
def test_numbers_are_printed_as_python_prints_them(engine):
    """Decimals, ties to the even digit, exponents and shortest forms are Python's."""
    rng = np.random.default_rng(0)
    numbers = [0.125, 0.375, 2.5, -2.5, 0.5, 1e-5, 123456789.0, 1e16, 1e20, 0.0001, 0.1 + 0.2, 1 / 3, 0.0, 1e-7, 1.25e-9]
    numbers += rng.normal(size=30).tolist() + (10.0 ** rng.uniform(-12, 12, 60)).tolist()
    calls = "Decide.fixed(x, 2), Decide.fixed(x, 0), Decide.general(x, 15), Decide.general(x, 3), Decide.general(x)"
    found = engine.evaluate(f"(xs) => xs.map((x) => [{calls}])", numbers)
    assert found == [[f"{x:.2f}", f"{x:.0f}", f"{x:.15g}", f"{x:.3g}", repr(x).removesuffix(".0")] for x in numbers]


@pytest.mark.browser
def test_pvalues_are_printed_as_python_prints_them(engine):
    """So that the open pair and the table of pairs say the same of one p-value; a bound below 0.001."""
    pvalues = [0.0, 1e-300, 0.0004, 0.00068, 0.000999999, 0.001, 0.0015, 0.0495, 0.5, 1.0]
    found = engine.evaluate("(ps) => [...ps, NaN].map(Decide.formatPvalue)", pvalues)
    assert found == [format_pvalue(p) for p in (*pvalues, math.nan)]


@pytest.mark.browser
def test_columns_are_unpacked_to_the_last_bit(engine):
    """One value, few values, many values, none, and infinite ones."""
    rng = np.random.default_rng(1)
    columns = [
        np.full(7, 0.1 + 0.2),
        np.full(3, np.nan),
        np.full(3, -np.inf),
        rng.normal(size=100),
        rng.choice(rng.normal(size=5), 1000),
        rng.choice(rng.normal(size=400), 4000),
        np.array([np.nan, np.inf, -np.inf, -0.0, 1e-320, 1e300] * 30),
    ]
    texts = "(all) => all.map(([held, n]) => Array.from(Decide.unpacked(held, n), String))"
    found = engine.evaluate(texts, [[packed(column), column.size] for column in columns])
    for column, shown in zip(columns, found, strict=True):
        np.testing.assert_array_equal(np.array([float(text.replace("Infinity", "inf")) for text in shown]), column)


DISTRIBUTIONS = (
    "gamma",
    "beta",
    "tail",
    "quantile",
    "cdf",
    "erf",
    "stdtr",
    "student",
    "normal",
    "log1p",
    "expm1",
    "simes",
    "holm",
    "shaffer",
    "reach(ed|able)",
    "sources",
    "swept",
    "connected",
    "Math.exp",
)
"""Words that stand in a script with a distribution function, a correction, letters or components."""


def test_the_scripts_compute_no_statistic() -> None:
    """Nothing of a distribution, a correction, letters or components; and no more than 760 lines, counted as they stand."""
    text = "".join(SCRIPTS.values())
    assert [word for word in DISTRIBUTIONS if re.search(rf"\b{word}", text, re.I)] == []
    assert text.count("\n") <= 760
