"""5x2cv t of Dietterich, with Alpaydin's F beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tests.comparison.procedures.showing import check_shown, check_tails
from tiebreak.errors import UnsuitableDesignError

KEYS = {"repeat": np.repeat(np.arange(5), 2), "fold": np.tile([0, 1], 5)}


def compared(**columns: Any) -> tb.Comparison:
    """Models by their ten scores."""
    return tb.compare({**KEYS, **columns}, metric="accuracy", method="5x2cv-t")


def test_by_hand() -> None:
    """Statistic by the formula of Dietterich (1998) in plain arithmetic, and the F test of `five_by_two_cv_test` beside it."""
    d = np.array([[0.04, 0.08], [0.02, 0.10], [0.06, 0.02], [-0.02, 0.08], [0.04, 0.06]])
    answer = compared(a=0.8 + d.ravel(), b=np.full(10, 0.8))
    array = tb.frequentist.five_by_two_cv_test(d)
    pair = answer.pair("a", "b")
    variance = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert_allclose(pair.statistic, 0.04 / np.sqrt(variance.mean()), rtol=1e-12)
    assert_allclose([pair.statistic, pair.pvalue], [array.t, array.t_pvalue], rtol=1e-12)
    assert_allclose(
        [answer.supplementary_tests[0].statistic, answer.supplementary_tests[0].pvalue], [array.f, array.f_pvalue], rtol=1e-12
    )
    assert (pair.df, pair.n_units) == (5, 10)
    assert pair.difference == pytest.approx(0.04)


def test_it_is_the_array_function_for_all_pairs(rng: np.random.Generator) -> None:
    """t and p of three models, losses too, and tails that invert the interval."""
    score = 0.8 + 0.02 * rng.normal(size=(3, 10))
    models = dict(zip("abc", score, strict=True))
    for lower in (False, True):
        answer = tb.compare({**KEYS, **models}, metric="own", lower_is_better=lower, method="5x2cv-t")
        for pair in answer.pairs.itertuples():
            d = (models[pair.first] - models[pair.second]).reshape(5, 2) * (-1 if lower else 1)
            array = tb.frequentist.five_by_two_cv_test(d)
            assert_allclose([pair.statistic, pair.pvalue], [array.t, array.t_pvalue], rtol=1e-12)
        check_tails(answer)
        assert [frozenset(test.models) for test in answer.supplementary_tests] == [
            frozenset(pair) for pair in zip(*answer.pairs[["first", "second"]].T.values, strict=True)
        ]


@pytest.mark.slow
def test_shown_everywhere(rng: np.random.Generator, tmp_path: Path) -> None:
    """The first difference is what it judges, which is said."""
    answer = compared(**dict(zip("abc", 0.8 + 0.02 * rng.normal(size=(3, 10)), strict=True)))
    check_shown(answer, tmp_path, plots={"ranking", "differences", "scores", "verdicts", "correlation"})
    assert "first-fold" in [notice.code for notice in answer.notices]
    assert "Beside it: combined 5x2cv F test of" in str(answer)


def test_no_more_repeats_are_advised(rng: np.random.Generator) -> None:
    """It has five by its name: more examples may settle a pair, or nothing."""
    noise = 0.02 * rng.normal(size=10)
    answer = compared(a=0.8 + noise, b=0.79 + 0.02 * rng.normal(size=10))
    step = next(line for line in str(answer).replace("\n", " ").split("Next step: ")[1:])
    assert "of these splits instead" not in step


def test_other_plans_are_refused() -> None:
    """With the plan that it needs, and the test that takes any."""
    ten = {"a": np.linspace(0.5, 0.6, 10), "b": np.linspace(0.6, 0.5, 10)}
    for keys, has in (
        ({"fold": np.arange(10)}, r"1 repeat\(s\) of 10 fold\(s\)"),
        ({"repeat": np.repeat([0, 1], 5), "fold": np.tile(np.arange(5), 2)}, r"2 repeat\(s\) of 5 fold\(s\)"),
        ({}, "10 splits that are not named"),
    ):
        with pytest.raises(
            UnsuitableDesignError, match=f"these scores have {has}. Evaluate with cv=.*or use the method 'corrected-t'"
        ):
            tb.compare({**keys, **ten}, metric="accuracy", method="5x2cv-t")


def test_pairs_without_spread() -> None:
    """Identical, constant, and constant within each repeat: no interval, with the reason."""
    base = np.tile([0.5, 0.6], 5)
    answer = compared(a=base, b=base, c=base - 0.125, d=base + np.repeat([0.01, 0.02, 0.03, 0.04, 0.05], 2))
    reasons = {frozenset((pair.first, pair.second)): pair.reason for pair in answer.pairs.itertuples()}
    assert reasons[frozenset("ab")] == "identical-scores"
    assert reasons[frozenset("ac")] == reasons[frozenset("ad")] == "no-spread"
