"""Items that are right or wrong: Tango's interval of every pair, and its tails."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.comparison.procedures.procedure import p_words
from tiebreak.errors import DataError
from tiebreak.statistics import cochran_q, mcnemar, paired_counts, proportion_interval, tango

NAMES = ("a", "b", "c", "d")


def answers(n: int = 200, seed: int = 0, **more: object) -> tb.Items:
    """Four models on the same items, right or wrong, with items that are hard for all."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=n)
    score = (ease + rng.normal(size=(4, n)) > np.array([-0.9, -0.6, -0.5, 0.2])[:, None]).astype(float)
    return items_of(score, **more)


def items_of(score: np.ndarray, **more: object) -> tb.Items:
    """Rows are models, columns items."""
    score = np.asarray(score, dtype=float)
    names = tuple(f"q{i}" for i in range(score.shape[-1]))
    table = score[:, None, :] if score.ndim == 2 else score
    runs = tuple(str(run + 1) for run in range(table.shape[1]))
    settings: dict[str, object] = {"metric": tb.Metric("accuracy", True), "unit": "question", **more}
    return tb.Items(models=NAMES[: len(table)], runs=runs, items=names, score=table, **settings)  # type: ignore[arg-type]


def test_every_pair_agrees_with_the_array_function() -> None:
    """Differences, intervals at the level of the family and p-values to 1e-12."""
    items = answers()
    answer = tb.compare(items, rope=0.02)
    assert answer.method.name == "tango"
    level = 0.05 / 6
    for row in answer.pairs.to_dict("records"):
        one, two = (items.models.index(row[side]) for side in ("first", "second"))
        counts = paired_counts(items.score[:, 0], one, two)
        expected = tango(*counts)
        low, high = expected.interval(1 - level)
        assert_allclose([row["interval_low"], row["interval_high"]], [low, high], atol=1e-12)
        assert row["difference"] == pytest.approx(expected.estimate, abs=1e-15)
        assert row["standard_error"] == pytest.approx(expected.se, rel=1e-12)
        assert row["pvalue"] == pytest.approx(mcnemar(*counts[1:3], "chi2").pvalue, rel=1e-9)
        assert row["n_units"] == 200
        assert row["interval_alpha"] == level


def test_an_error_rate_is_the_mirrored_accuracy() -> None:
    """Wrong instead of right, lower is better: the same verdicts and oriented differences."""
    items = answers()
    wrong = tb.Items(tb.Metric("error_rate", False), items.models, items.runs, items.items, 1 - items.score, unit="question")
    one, other = tb.compare(items, rope=0.02).pairs, tb.compare(wrong, rope=0.02).pairs
    for name in ("difference", "interval_low", "interval_high", "pvalue"):
        assert_allclose(one[name], other[name], atol=1e-12)
    assert list(one["verdict"]) == list(other["verdict"])


def test_identical_answers_have_a_proper_interval() -> None:
    """Nobody differs: p = 1, and the interval, [-3.69 / (n + 3.84), ...], says how much could still be; a wide rope holds it."""
    z2 = 1.959963984540054**2
    for n in (10, 100, 1000):
        row = np.tile([1.0, 0.0], n // 2)
        answer = tb.compare(items_of(np.array([row, row])), rope=0.05)
        pair = answer.pair("a", "b")
        assert pair.pvalue == 1.0
        assert pair.interval_high == pytest.approx(z2 / (n + z2), abs=1e-12)  # Tango 1998: the closed form at b = c = 0
        assert pair.interval_low == -pair.interval_high
        assert pair.verdict == ("equivalent" if n >= 100 else "undecided")
        assert "identical-scores" in {notice.code for notice in answer.notices}


def test_single_means_have_wilson_intervals_and_standard_errors() -> None:
    """As tools for language models print them: s / sqrt(n), with divisor n - 1."""
    items = answers()
    ranking = tb.compare(items).ranking.set_index("model")
    for name, row in zip(items.models, items.score[:, 0], strict=True):
        low, high = proportion_interval(row.sum(), row.size)
        assert_allclose(ranking.loc[name, ["mean_low", "mean_high"]].to_numpy(dtype=float), [low, high], atol=1e-12)
        assert ranking.loc[name, "mean"] == row.mean()
        assert ranking.loc[name, "standard_error"] == pytest.approx(row.std(ddof=1) / np.sqrt(row.size), rel=1e-12)


def test_missing_items_are_named_and_pairs_say_their_number() -> None:
    """An error first; with "pairwise" each pair is on the items that both have."""
    items = answers()
    score = items.score.copy()
    score[0, 0, [3, 7]] = np.nan
    gaps = items_of(score[:, 0])
    with pytest.raises(DataError, match=r"'a' lacks 2 of the 200 questions: 'q3', 'q7'; .* on the questions it shares"):
        tb.compare(gaps)
    answer = tb.compare(gaps, missing="pairwise")
    assert {row["n_units"] for row in answer.pairs.to_dict("records") if "a" in (row["first"], row["second"])} == {198}
    pair = answer.pair("a", "b")
    kept = np.delete(np.arange(200), [3, 7])
    expected = tango(*paired_counts(items.score[:2, 0][:, kept])).interval(1 - 0.05 / 6)
    assert_allclose([pair.interval_low, pair.interval_high], expected, atol=1e-12)
    assert "missing-splits" in {notice.code for notice in answer.notices}


def test_a_pair_without_a_shared_item_has_no_interval() -> None:
    """And says so."""
    score = np.array([[1, 0, np.nan, np.nan], [np.nan, np.nan, 1, 1], [1, 1, 0, 1]])
    pair = tb.compare(items_of(score), missing="pairwise").pair("a", "b")
    assert (pair.verdict, pair.reason, pair.n_units) == ("undecided", "missing-splits", 0)
    assert "share 0 questions, too few" in pair.sentence


@pytest.mark.parametrize(
    ("items", "why"),
    [
        (answers(clusters=tuple("ab" * 100)), "come in clusters"),
        (answers(weights=np.arange(200) + 1.0), "have weights"),
        (items_of(np.zeros((2, 3, 10)) + np.array([0, 1, 1])[:, None]), "there are 3 runs"),
        (items_of(np.random.default_rng(0).random((2, 10)), metric=tb.Metric("f1", True)), r"not all 0 or 1 \(f1\)"),
    ],
    ids=["clusters", "weights", "runs", "f1"],
)
def test_it_refuses_what_it_cannot_count(items: tb.Items, why: str) -> None:
    """And names the procedure that can, which "auto" takes."""
    with pytest.raises(DataError, match=f"tango counts questions .*{why}. The method 'clustered-t'"):
        tb.compare(items, method="tango")
    assert tb.compare(items).method.name == "clustered-t"


def test_other_tests_stand_beside() -> None:
    """McNemar's three for two models, Cochran's Q for more, of these items."""
    items = answers()
    two = {test.name: test for test in tb.compare(items.take(["a", "c"])).supplementary_tests}
    _, only_first, only_second, _ = paired_counts(items.score[:, 0], 0, 2)
    for variant in ("exact", "mid-p", "chi2"):
        expected = mcnemar(only_first, only_second, variant)  # type: ignore[arg-type]
        assert two[f"mcnemar-{variant}"].pvalue == pytest.approx(expected.pvalue)
    several = tb.compare(items)
    cochran = next(test for test in several.supplementary_tests if test.name == "cochran")
    expected_q = cochran_q(items.score[:, 0])
    assert (cochran.statistic, cochran.pvalue) == pytest.approx((expected_q.statistic, expected_q.pvalue))
    assert (p_words(0.0123), p_words(0.0)) == ("p 0.0123", "p < 1e-300")  # Cochran's Q of 2,808 once had "p 0"


def test_items_and_splits_are_not_taken_for_each_other() -> None:
    """Either way round it is refused, by name, with the one that fits."""
    with pytest.raises(DataError, match=r"corrected-t is for scores on splits .* and these are scores of single items"):
        tb.compare(answers(), method="corrected-t")
    with pytest.raises(DataError, match=r"welch is for .* the one that suits them, 'tango'"):
        tb.compare(answers(), method="welch")
    splits = {"a": [0.8, 0.7, 0.9], "b": [0.7, 0.7, 0.8]}
    with pytest.raises(DataError, match=r"tango is for scores of single items .*rows='items'"):
        tb.compare(splits, metric="accuracy", n_train=90, n_test=10, method="tango")
