"""A new procedure, ten lines, registered by one: every view, plot, file and gate takes it without any change elsewhere."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import tiebreak as tb
from tests.cli.conftest import run_compare
from tests.comparison.tables import noisy
from tiebreak.comparison.methods import METHODS
from tiebreak.comparison.procedures.procedure import Judged, Procedure
from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, IntArray, law_of_rows
from tiebreak.numerics.law import Law, Shape
from tiebreak.scores.scores import Scores

SIGNS = np.array(list(itertools.product((1.0, -1.0), repeat=10)))


def tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Share of flips of signs with as large a mean, of the differences less `at`; `upper` of the mirrored ones."""
    rows = (-1.0 if upper else 1.0) * (law.parts[0] - at[..., None])
    ties = 1e-12 * np.abs(rows).sum(axis=-1, keepdims=True)
    return np.asarray((rows @ SIGNS.T >= rows.sum(axis=-1, keepdims=True) - ties).mean(axis=-1))


def judge(data: Scores, first: IntArray, second: IntArray, rope: float, alpha: float, seed: int) -> Law:
    """Flip signs over the splits of the one dataset."""
    score = data.metric.sign * data.matrix().score
    rows = score[first] - score[second]
    plain = law_of_rows(rows)
    return replace(plain, se=None, df=None, shape=Shape(tail), parts=(rows,))


SIGN_FLIP = Procedure(
    name="sign-flip",
    question="splits",
    reason="to show how a procedure is added",
    generalises_to="models trained on samples like this dataset",
    assumptions=("differences are symmetric",),
    references=("E. Pitman. Significance tests which may be applied to samples from any populations. 1937.",),
    judge=judge,
)

NAMES = ("forest", "ridge", "tree")
TABLE = noisy(0.80, 0.79, 0.60, noise=0.01)
NOT_GIVEN = {"standard_error", "df", "statistic", "p_better", "p_equivalent", "p_worse"}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line that a new procedure needs."""
    monkeypatch.setitem(METHODS, "sign-flip", SIGN_FLIP)


def answer(table: Any = TABLE, **settings: Any) -> tb.Comparison:
    """The comparison by the toy, without sizes of splits, as it needs none."""
    sources = dict(zip(NAMES, table, strict=False))
    return tb.compare(sources, **{"metric": "accuracy", "method": "sign-flip", "rope": 0.005, **settings})


def test_pvalues_are_those_of_scipy() -> None:
    """scipy.stats.permutation_test with all 1,024 flips, two-sided and at the limits of the rope."""
    toy = answer()
    for first, second in itertools.combinations(range(3), 2):
        law = toy.pair(NAMES[first], NAMES[second]).law
        for shift, side, ours in (
            (0.0, "two-sided", law.pvalue()),
            (0.0, "greater", law.pvalue("greater")),
            (0.0, "less", law.pvalue("less")),
            (0.005, "greater", law.tail(np.array(0.005))),
            (-0.005, "less", law.tail(np.array(-0.005), upper=True)),
        ):
            d = TABLE[first] - TABLE[second] - shift
            flipped = stats.permutation_test((d,), np.mean, permutation_type="samples", alternative=side, n_resamples=1024)
            assert_allclose(ours, flipped.pvalue, rtol=1e-12)


def test_ends_of_an_interval_are_where_the_test_starts_to_reject() -> None:
    """By bisection of the tails: rejected at the end, not rejected a little inside; infinite where no tail is so small."""
    law = answer().pair_table.law
    low, high = law.interval_at(0.05 / 3)
    assert np.all(law.tail(low) <= 0.05 / 6)
    assert np.all(law.tail(low + 1e-9) > 0.05 / 6)
    assert np.all(law.tail(high, upper=True) <= 0.05 / 6)
    assert np.all(law.tail(high - 1e-9, upper=True) > 0.05 / 6)
    assert_array_equal(law.interval_at(2e-4), [[-np.inf] * 3, [np.inf] * 3])


def test_frames_leave_out_what_it_cannot_give() -> None:
    """Columns of the pairs and of the ranking are those of the corrected t-test but for these."""
    toy, usual = answer(), answer(method="corrected-t", n_train=90, n_test=10)
    assert list(toy.pairs.columns) == [name for name in usual.pairs.columns if name not in NOT_GIVEN]
    assert list(toy.ranking.columns) == [name for name in usual.ranking.columns if name not in ("mean_low", "mean_high")]
    pair = toy.pair("tree", "forest")
    assert np.isnan([pair.standard_error, pair.df, pair.p_better]).all()


def test_json_is_written_and_read_back(tmp_path: Path) -> None:
    """The same answer from the file."""
    toy = answer()
    toy.to_json(tmp_path / "answer.json")
    again = tb.compare(tmp_path / "answer.json")
    assert (again.method.name, again.settings.method) == ("sign-flip", "sign-flip")
    assert again.pairs.equals(toy.pairs)


def test_what_only_a_t_test_has_is_absent_with_a_clear_error() -> None:
    """Which names the procedure."""
    pair = answer().pair("forest", "tree")
    with pytest.raises(DataError, match="sign-flip corrects nothing, so there is no uncorrected law; pair"):
        _ = pair.uncorrected


def changed(monkeypatch: pytest.MonkeyPatch, **facts: Any) -> None:
    """Register the toy with some facts or functions replaced."""
    monkeypatch.setitem(METHODS, "sign-flip", replace(SIGN_FLIP, **facts))


def test_an_interval_without_ends_has_too_few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of draws that are too few for so small a level a law has no ends."""
    shape = Shape(tail, lambda law, p, upper: np.full(np.shape(law.estimate), np.nan))
    changed(monkeypatch, judge=lambda *asked: replace(judge(*asked), shape=shape))
    assert set(answer().pairs["reason"]) == {"too-few-draws"}


def test_a_discrete_test_may_reject_where_the_interval_ends_at_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts use closed ends: the pair is undecided, and the reason is said."""

    def end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
        found = np.asarray(replace(law, shape=Shape(tail)).end(p, upper=upper))
        return found if upper else np.where(found > 0, 0.0, found)

    changed(monkeypatch, judge=lambda *asked: replace(judge(*asked), shape=Shape(tail, end)))
    assert list(answer().pairs["reason"]) == ["unsettled", "discrete", "discrete"]


def test_tails_that_are_a_posterior_give_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    """p_best is exact for two models, and refused for more, as there are no joint draws."""
    changed(monkeypatch, judge=lambda *asked: replace(judge(*asked), is_posterior=True))
    two, d = answer(TABLE[:2]), TABLE[0] - TABLE[1]
    assert two.pair("forest", "ridge").p_better == np.mean(SIGNS @ (0.005 - d) >= (0.005 - d).sum() - 1e-12)
    assert list(two.p_best().values()) == [two.pair_table.law.tail(0.0, upper=True)[0], two.pair_table.law.tail(0.0)[0]]
    with pytest.raises(DataError, match="sign-flip gives no joint posterior"):
        answer().p_best()


def test_a_rope_needs_the_unit_of_the_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wins have no rope of 0.005."""
    changed(monkeypatch, judge=lambda *asked: Judged(law=judge(*asked), unit="wins"))
    with pytest.raises(ValueError, match="differences of accuracy, in another unit than the metric's, so it takes no rope"):
        answer()
    assert answer(rope=0).pairs["verdict"][1] == "better"


def test_command_line_knows_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """As an option, and where an unknown name is refused."""
    rows = [",".join(NAMES), *(",".join(map(str, split)) for split in TABLE.T)]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(rows) + "\n")
    options = ("--metric", "accuracy", "--rows", "splits", "--method", "sign-flip", "--rope", "0.005")
    code, out, _ = run_compare(capsys, str(table), *options)
    assert code == 0
    assert "sign-flip" in out
    assert "'sign-flip'" in run_compare(capsys, str(table), *options[:4], "--method", "flip")[2]
