"""The engine of the report in a real browser: Student's t, and answers for other ropes and levels, against Python's."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest

from tests.views.report.answers import READ, again, differences, measured, required, said
from tests.views.situations import around, compared, named, table
from tests.views.truth import random_comparison
from tiebreak.numerics import student_quantile, student_tail
from tiebreak.views.report.decide import WORDS, decide_data
from tiebreak.views.words import format_pvalue

pytestmark = pytest.mark.browser

SCRIPT = (files("tiebreak.views.report") / "decide.js").read_text(encoding="utf-8")

DF = [0.3, 1, 1.5, 2, 3, 4.0, 7, 9, 24, 49, 99, 99.5, 199, 1000, 12345.6, 1e6]


@pytest.fixture
def engine(opened):
    """A blank page that has the engine only."""
    page = opened("<!DOCTYPE html><title>engine</title>")
    page.add_script_tag(content=SCRIPT)
    return page


def test_tails_are_those_of_student(engine):
    """Upper and lower tails agree with scipy's to 1e-10 of themselves, far out and for any degrees of freedom."""
    at = [-30.0, -2.5, -0.3, 0.0, 1e-8, 0.01, 0.3, 0.9, 1.0, 1.5, 1.7, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0]
    grid = [(x, df) for df in DF for x in at]
    found = engine.evaluate("(grid) => grid.map(([x, df]) => Decide.tail(x, df))", grid)
    expected = [float(student_tail(x, df)) for x, df in grid]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-300)


def test_quantiles_are_those_of_student(engine):
    """Quantiles agree with scipy's to 1e-10 from the centre to tails of 1e-100; of df 1 and 2 they are known in closed form."""
    tails = [0.4999, 0.45, 0.4, 0.25, 0.1, 0.05, 0.025, 0.01, 1e-3, 1e-5, 1e-8, 1e-12]
    grid = [(p, df) for df in DF[1:] for p in tails]
    found = engine.evaluate("(grid) => grid.map(([p, df]) => Decide.quantile(p, df))", grid)
    expected = [-float(student_quantile(p, df)) for p, df in grid]
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    far = engine.evaluate("(df) => [1e-50, 1e-100].map((p) => Decide.quantile(p, df))", 2)
    np.testing.assert_allclose(far, [1 / np.sqrt(2 * p) for p in (1e-50, 1e-100)], rtol=1e-12)
    cauchy = engine.evaluate("() => [1e-50, 0.1].map((p) => Decide.quantile(p, 1))")
    np.testing.assert_allclose(cauchy, [1 / np.tan(np.pi * p) for p in (1e-50, 0.1)], rtol=1e-12)


def test_numbers_are_printed_as_python_prints_them(engine):
    """Decimals, ties to the even digit, exponents and shortest forms are Python's."""
    rng = np.random.default_rng(0)
    numbers = [
        0.125,
        0.375,
        2.5,
        -2.5,
        0.5,
        1e-5,
        123456789.0,
        1e16,
        1e20,
        0.0001,
        0.1 + 0.2,
        1 / 3,
        *rng.normal(size=30).tolist(),
    ]
    numbers += (10.0 ** rng.uniform(-12, 12, 30)).tolist()
    found = engine.evaluate(
        "(xs) => xs.map((x) => [Decide.fixed(x, 2), Decide.fixed(x, 0), Decide.general(x, 15), Decide.general(x, 3), "
        "Decide.general(x)])",
        numbers,
    )
    expected = [[f"{x:.2f}", f"{x:.0f}", f"{x:.15g}", f"{x:.3g}", repr(x).removesuffix(".0")] for x in numbers]
    assert found == expected


def test_pvalues_are_printed_as_python_prints_them(engine):
    """So that the open pair and the table of pairs say the same of one p-value; a bound below 0.001."""
    pvalues = [0.0, 1e-300, 0.0004, 0.00068, 0.000999999, 0.001, 0.0015, 0.0495, 0.5, 1.0]
    found = engine.evaluate("(ps) => [...ps, NaN].map(Decide.formatPvalue)", pvalues)
    assert found == [format_pvalue(p) for p in (*pvalues, math.nan)]


@pytest.mark.parametrize("correction", ["bonferroni", "sidak", "none", "holm", "hochberg", "hommel", "shaffer", "bh", "by"])
def test_every_correction_grants_pythons_level(engine, correction):
    """The level of the family, and all that hangs on it, is Python's for every correction and number of models."""
    for n_models in (2, 3, 6, 11):
        rows = around(*(0.85 - 0.004 * np.arange(n_models)), noise=0.012, seed=n_models, n_splits=20)
        comparison = compared(table(named(*rows, names=tuple("abcdefghijk"))), rope=0.01, correction=correction)
        check_equal(engine, comparison, [(0.0, 0.05), (0.005, 0.3), (0.02, 0.0123), (0.01, 0.001)])


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_random_comparisons_are_answered_as_in_python(engine, seed):
    """Gaps, losses, baselines, pairs without spread: words are equal and numbers are equal to 1e-9, for any rope and alpha."""
    comparison = random_comparison(seed)
    ends = np.abs(np.concatenate(comparison.pair_table.interval))
    most = float(np.nanmax(ends)) if np.isfinite(ends).any() else 0.1
    rng = np.random.default_rng(seed)
    settings = [
        (float(f"{rng.uniform(0, most) * share:.3g}"), float(f"{rng.uniform(0.001, 0.4):.2g}")) for share in (0, 0.1, 0.5, 1)
    ]
    check_equal(engine, comparison, settings)


def check_equal(engine, comparison, settings):
    """Compare the engine's answers with Python's: as asked, and with other ropes and alphas."""
    data = json.loads(json.dumps(decide_data(comparison, required(comparison)) | {"words": WORDS}))
    given = comparison.settings.rope if isinstance(comparison.settings.rope, str) else None
    asked = [{"rope": comparison.rope, "alpha": comparison.settings.alpha, "given": given}]
    asked += [{"rope": rope, "alpha": alpha, "given": None} for rope, alpha in settings]
    code = f"([data, asked]) => {{ const engine = Decide.engine(data); return asked.map((each) => ({READ})(engine.at(each))); }}"
    for each, found in zip(asked, engine.evaluate(code, [data, asked]), strict=True):
        expected = again(comparison, **each)
        assert found["said"] == said(expected), each
        assert differences(found["measured"], measured(expected)) == [], each
