"""A new procedure, twenty lines, registered by one: every view, plot, file and gate takes it without any change elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import ArrayLike
from scipy import stats

import tiebreak as tb
from tests.cli.conftest import run_compare
from tests.comparison.tables import noisy
from tiebreak.comparison.procedures import METHODS
from tiebreak.comparison.procedures.procedure import Differences, Procedure, TestOnly
from tiebreak.comparison.settings import Settings
from tiebreak.comparison.verdict import TOO_FEW_DRAWS
from tiebreak.errors import NotOfferedError
from tiebreak.numerics import FloatArray, IntArray, Interval, row_moments
from tiebreak.scores.scores import Scores

SIGNS = np.array(list(product((1.0, -1.0), repeat=10)))


@dataclass(frozen=True, kw_only=True, eq=False)
class SignFlips(Differences):
    """Mean differences with the p-values of flipping the sign of every split's difference."""

    rows: FloatArray

    def tail_below(self, at: ArrayLike) -> FloatArray:
        """Share of flips with as large a mean, of the differences less `at`."""
        return self._share(self.rows - np.asarray(at)[..., None])

    def tail_above(self, at: ArrayLike) -> FloatArray:
        """The same of the mirrored differences."""
        return self._share(np.asarray(at)[..., None] - self.rows)

    def _share(self, rows: FloatArray) -> FloatArray:
        ties = 1e-12 * np.abs(rows).sum(axis=-1, keepdims=True)
        return np.asarray((rows @ SIGNS.T >= rows.sum(axis=-1, keepdims=True) - ties).mean(axis=-1))


class SignFlip(Procedure):
    """Sign-flip permutation test of the mean difference."""

    def judge(self, data: Scores, first: IntArray, second: IntArray, settings: Settings) -> SignFlips:
        """Flip signs over the splits of the one dataset."""
        score = data.metric.sign * data.matrix().score
        rows = score[first] - score[second]
        moments = row_moments(rows)
        return SignFlips(
            estimate=moments.mean, n_units=moments.n_splits, kind=moments.kind, tolerance=moments.tolerance, rows=rows
        )


SIGN_FLIP = SignFlip(
    name="sign-flip",
    reason="asked for by name, to show how a procedure is added",
    question="splits",
    unit="split",
    generalises_to="models trained on samples like this dataset",
    assumptions=("differences are symmetric",),
    references=("E. Pitman. Significance tests which may be applied to samples from any populations. 1937.",),
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
    pairs, differences = toy.pairs, toy.pair_table.differences
    for row, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        d = TABLE[i] - TABLE[j]
        law = toy.pair(NAMES[i], NAMES[j]).law
        for shift, side, ours in (
            (0.0, "two-sided", pairs["pvalue"][row]),
            (0.0, "greater", law.pvalue("greater")),
            (0.0, "less", law.pvalue("less")),
            (0.005, "greater", differences.tail_below(0.005)[row]),
            (-0.005, "less", differences.tail_above(-0.005)[row]),
        ):
            flipped = stats.permutation_test(
                (d - shift,), np.mean, permutation_type="samples", alternative=side, n_resamples=1024
            )
            assert_allclose(ours, flipped.pvalue, rtol=1e-12)


def test_ends_of_an_interval_are_where_the_test_starts_to_reject() -> None:
    """By the bisection of the base class: rejected at the end, not rejected a little inside, for each pair and level."""
    differences = answer().pair_table.differences
    for alpha in (0.05, 0.05 / 3):
        low, high = differences.interval(alpha)
        assert np.all(low < differences.estimate)
        assert np.all(differences.estimate < high)
        assert np.all(differences.tail_below(low) <= alpha / 2)
        assert np.all(differences.tail_below(low + 1e-9) > alpha / 2)
        assert np.all(differences.tail_above(high) <= alpha / 2)
        assert np.all(differences.tail_above(high - 1e-9) > alpha / 2)


def test_an_interval_without_a_limit_is_infinite() -> None:
    """1,024 flips have no tail of 1e-4."""
    low, high = answer().pair_table.differences.interval(2e-4)
    assert_array_equal(low, -np.inf)
    assert_array_equal(high, np.inf)


def test_text_and_markdown() -> None:
    """Sentence, ranking, pairs, method; no column of probabilities, as p-values are none."""
    shown = answer()
    assert shown.sentence == "Take forest: shown to be within 0.005 of the best of the 3."
    for text in (shown.to_text(columns="all"), shown.to_markdown(columns="all")):
        assert "sign-flip: asked for by name, to show how a procedure is added." in text.replace("\n  ", " ")
        assert "differences are symmetric" in text.replace("\n  ", " ")
        assert "P(b" not in text
        assert "nan" not in text


def test_frames_leave_out_what_it_cannot_give() -> None:
    """Columns of the pairs and of the ranking are those of the corrected t-test but for these."""
    toy, usual = answer(), answer(method="corrected-t", n_train=90, n_test=10)
    assert list(toy.pairs.columns) == [name for name in usual.pairs.columns if name not in NOT_GIVEN]
    assert list(toy.ranking.columns) == [name for name in usual.ranking.columns if name not in ("mean_low", "mean_high")]
    assert list(toy.pairs["verdict"]) == ["undecided", "better", "better"]
    pair = toy.pair("tree", "forest")
    assert pair.verdict == "worse"
    assert list(pair.to_frame().columns) == list(toy.pairs.columns)
    assert pair.pvalue == toy.pairs["pvalue"][1]
    assert (pair.interval_low, pair.interval_high) == (-toy.pairs["interval_high"][1], -toy.pairs["interval_low"][1])
    assert np.isnan([pair.standard_error, pair.df, pair.p_better]).all()


def test_json_is_written_and_read_back(tmp_path: Path) -> None:
    """The same columns, and the same answer from the file."""
    toy = answer()
    content = json.loads(toy.to_json(tmp_path / "answer.json"))
    assert content["method"]["name"] == content["settings"]["method"] == "sign-flip"
    assert list(content["pairs"][0]) == list(toy.pairs.columns)
    again = tb.compare(tmp_path / "answer.json")
    assert again.pairs.equals(toy.pairs)
    assert again.ranking.equals(toy.ranking)


@pytest.mark.slow
def test_plots(tmp_path: Path) -> None:
    """All but the posterior, which says why there is none."""
    toy = answer()
    names = {path.stem for path in toy.plot.save_all(tmp_path)}
    assert names == {"scores", "differences", "ranking", "verdicts"}
    assert "posterior" not in repr(toy.plot)
    ranking = toy.plot.ranking().data
    assert_allclose(ranking["interval_low"][1:], toy.against_reference.interval.low[1:])
    with pytest.raises(NotOfferedError, match=r"sign-flip gives no posterior with a curve; plot.ranking\(\) draws its intervals"):
        toy.plot.posterior()


def test_gate() -> None:
    """Requirements are judged by its tails."""
    gate = answer().meets(better=("forest", "tree"), not_worse=[("ridge", "tree"), ("tree", "ridge")])
    assert [requirement.outcome for requirement in gate] == ["met", "met", "broken"]
    d = TABLE[0] - TABLE[2]
    for at, tail in ((gate[0].interval_low - 1e-9, "at most"), (gate[0].interval_low + 1e-9, "above")):
        flipped = stats.permutation_test((d - at,), np.mean, permutation_type="samples", alternative="greater", n_resamples=1024)
        assert (flipped.pvalue <= 0.05 / 3 / 2) == (tail == "at most")


def test_what_only_a_t_test_has_is_absent_with_a_clear_error() -> None:
    """An attribute error, so that hasattr says no."""
    pair = answer().pair("forest", "tree")
    for name in ("uncorrected", "ratio"):
        assert not hasattr(pair, name)
    with pytest.raises(NotOfferedError, match="sign-flip has no ratio; pair"):
        _ = pair.ratio
    with pytest.raises(NotOfferedError, match="sign-flip has no half-width floor"):
        pair.half_width_floor()


def test_too_few_units_for_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six splits have 64 flips, and so no tail of 0.05 / 3 / 2: the interval is the whole line, and it is said why."""
    monkeypatch.setattr("tests.comparison.procedures.test_toy.SIGNS", np.array(list(product((1.0, -1.0), repeat=6))))
    few = answer(TABLE[:, :6])
    assert set(few.pairs["reason"]) == {"too-few-units"}
    assert np.isneginf(few.pairs["interval_low"]).all()
    assert "too few" in few.pair("forest", "tree").sentence


def test_a_procedure_may_say_why_it_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as too few draws for so small a level, and a p-value on the discrete side of an interval that ends at 0."""

    class FewDraws(SignFlips):
        def interval(self, alpha: ArrayLike) -> Interval:
            nothing = np.full(self.estimate.shape, np.nan)
            return Interval(nothing, nothing)

        def reasons(self, alpha: float) -> np.ndarray:
            return np.full(self.estimate.shape, TOO_FEW_DRAWS, dtype=np.int8)

    class Drawn(SignFlip):
        def judge(self, *arguments: Any) -> FewDraws:
            return FewDraws(**vars(super().judge(*arguments)))

    monkeypatch.setitem(METHODS, "sign-flip", Drawn(**vars(SIGN_FLIP)))
    toy = answer()
    assert set(toy.pairs["reason"]) == {"too-few-draws"}
    assert "too few draws" in toy.pair("forest", "tree").sentence
    assert "too few draws for an interval" in str(toy).replace("\n  ", " ")


def test_a_discrete_test_may_reject_where_the_interval_ends_at_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts use closed ends: the pair is undecided, and the reason is said."""

    class AtZero(SignFlips):
        def interval(self, alpha: ArrayLike) -> Interval:
            low, high = super().interval(alpha)
            return Interval(np.where(low > 0, 0.0, low), high)

    class Discrete(SignFlip):
        def judge(self, *arguments: Any) -> AtZero:
            return AtZero(**vars(super().judge(*arguments)))

    monkeypatch.setitem(METHODS, "sign-flip", Discrete(**vars(SIGN_FLIP)))
    toy = answer()
    assert list(toy.pairs["reason"]) == ["unsettled", "discrete", "discrete"]
    assert "which ends at 0 itself" in toy.pair("forest", "tree").sentence


def test_tests_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A procedure may show tests that have no verdict."""

    class Beside(SignFlip):
        def supplementary_tests(self, data: Scores, settings: Settings) -> Iterator[TestOnly]:
            yield TestOnly(name="sign", models=data.models, pvalue=0.5, text="sign test at 2")

    monkeypatch.setitem(METHODS, "sign-flip", Beside(**vars(SIGN_FLIP)))
    assert answer().supplementary_tests[0].pvalue == 0.5
    assert "Beside it: sign test at 2" in answer().details


def test_pairs_without_spread_have_a_reason() -> None:
    """As by every other procedure."""
    toy = answer([TABLE[0], TABLE[0], TABLE[0] - 0.125])
    assert list(toy.pairs["reason"]) == ["identical-scores", "no-spread", "no-spread"]
    assert set(toy.pairs["verdict"]) == {"undecided"}
    assert toy.pairs["interval_low"].isna().all()


@dataclass(frozen=True, kw_only=True, eq=False)
class Credible(SignFlips):
    """Tails that are called probabilities."""

    is_posterior: ClassVar[bool] = True


def test_tails_that_are_a_posterior_give_probabilities_and_a_plot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a density and draws of its own: the plot is made from the tails, p_best is exact for two models, else refused."""

    class Bayesian(SignFlip):
        def judge(self, *arguments: Any) -> Credible:
            return Credible(**vars(super().judge(*arguments)))

    monkeypatch.setitem(METHODS, "sign-flip", Bayesian(**vars(SIGN_FLIP)))
    three, two = answer(), answer(TABLE[:2])
    pair = three.pair("forest", "ridge")
    d = TABLE[0] - TABLE[1]
    assert pair.p_better == np.mean(SIGNS @ (0.005 - d) >= (0.005 - d).sum() - 1e-12)
    with pytest.raises(NotOfferedError, match="sign-flip gives no joint posterior"):
        three.p_best()
    assert list(two.p_best().values()) == [
        two.pair_table.differences.tail_above(0.0)[0],
        two.pair_table.differences.tail_below(0.0)[0],
    ]
    shown = two.plot.posterior("forest", "ridge")
    assert np.all(shown.data["density"] >= 0)


def test_command_line_knows_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """By its name, in the help and as an option."""
    rows = [",".join(NAMES), *(",".join(map(str, split)) for split in TABLE.T)]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(rows) + "\n")
    code, out, _ = run_compare(
        capsys, str(table), "--metric", "accuracy", "--rows", "splits", "--method", "sign-flip", "--rope", "0.005"
    )
    assert code == 0
    assert "sign-flip)" in out
    assert "|sign-flip]" in run_compare(capsys, "--help")[1]


def test_it_is_listed() -> None:
    """With what it takes for granted."""
    assert tb.methods()["sign-flip"].assumptions == ("differences are symmetric",)


def test_a_rope_needs_the_unit_of_the_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks have no rope of 0.005."""

    class Ranked(SignFlip):
        def judge(self, *arguments: Any) -> SignFlips:
            found = super().judge(*arguments)
            return SignFlips(estimate=found.estimate, n_units=found.n_units, kind=found.kind, rows=found.rows, unit="rank")

    monkeypatch.setitem(METHODS, "sign-flip", Ranked(**vars(SIGN_FLIP)))
    with pytest.raises(
        ValueError, match="sign-flip judges differences of accuracy, in another unit than the metric's, so it takes no rope"
    ):
        answer()
    assert answer(rope=0).pairs["verdict"][1] == "better"
