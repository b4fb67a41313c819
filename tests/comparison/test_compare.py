"""Settings that no data could make sense of, what is said besides the answer, and the rope as a percentage."""

import csv
import gc
import weakref
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tests.comparison.tables import ACCURACY, RMSE, compared, noisy, scores_of
from tests.guarded import told
from tiebreak.comparison.comparison import Comparison, compare_scores
from tiebreak.comparison.settings import Settings
from tiebreak.errors import (
    DataError,
    InvalidParameterError,
    UnclearSourceError,
)
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import SplitDesign
from tiebreak.scores.vocabulary import NoticeCode
from tiebreak.statistics import adjust_pvalues, corrected_t

TABLE = noisy(0.80, 0.79, 0.72)


def codes(answer: Comparison) -> dict[str, str]:
    return {notice.code: notice.text for notice in answer.notices}


# --- wrong use ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"rope": -0.01}, "rope must be a finite half-width of at least 0, in the metric's unit; got -0.01."),
        ({"rope": np.nan}, "got nan."),
        ({"rope": np.inf}, "got inf."),
        ({"rope": 10**400}, "rope must be a finite half-width of at least 0"),
        ({"rope": 10**30}, "rope=1e+30 is as wide as accuracy itself"),
        ({"rng": None}, "rng must be a whole number of at least 0, or a numpy Generator; got None."),
        ({"rng": -1}, "got -1."),
        ({"rope": True}, "got True."),
        ({"rope": "1"}, "rope must be a number in the metric's unit, or a percentage of the best mean such as '1%'; got '1'."),
        ({"rope": "-1%"}, "got '-1%'."),
        ({"rope": "nan%"}, "got 'nan%'."),
        ({"rope": "one%"}, "got 'one%'."),
        ({"alpha": 0}, "alpha must lie between 0 and 1, ends excluded; got 0."),
        ({"alpha": 1.0}, "alpha must lie between 0 and 1, ends excluded; got 1.0."),
        ({"alpha": 5}, "got 5. Did you mean 0.05?"),
        ({"alpha": 95}, "got 95. Did you mean 0.05?"),
        ({"alpha": np.nan}, "got nan."),
        ({"alpha": "x"}, "got 'x'."),
        ({"correction": "tukey"}, "unknown correction 'tukey'; choose one of 'bonferroni', 'holm', 'shaffer'"),
        ({"method": "t"}, "unknown method 't'; choose one of 'auto', 'corrected-t', 'paired-t', "),
        ({"missing": "drop"}, "unknown missing 'drop'; choose one of 'raise', 'pairwise'."),
    ],
    ids=str,
)
def test_settings_that_are_refused(options: dict[str, Any], text: str) -> None:
    """Each with the value met and how to go on."""
    with pytest.raises(InvalidParameterError) as caught:
        compared(TABLE, **options)
    assert text in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("table", "options", "text"),
    [
        (TABLE[:1], {}, "a comparison needs at least two models; there is only 'a'"),
        (
            TABLE[:1],
            {"baseline": "z"},
            r"(?s)2 things are .* at least two models.*; \(2\) no model \(given as baseline\) is called 'z'",
        ),
        (TABLE[:, :1], {}, "there is only one split.*rows='items'.*tb.read_predictions"),
        (TABLE, {"n_train": 0, "n_test": 0}, r"Pass cv=10 for 10-fold cross-validation, or n_train= and n_test= \(examples per"),
        ([[1e308, 1.0], [-1e308, np.nan], [0.1, 0.2]], {"missing": "pairwise"}, r"scores of 'a' and 'b' reach beyond 1e\+60"),
        ([[1e308, 1.0], [0.1, np.nan]], {}, r"2 things .* reach beyond 1e\+60.*; \(2\) 'b' lacks 1 of the 2 splits"),
        (
            [[1e-300, 5e-301, 0.0], [0.0, 1e-300, 3e-301]],
            {},
            "no score is larger than 1e-300, .*Give the metric in a smaller unit",
        ),
        ([[9.9e-61, 0.0], [0.0, 3e-61]], {}, "no score is larger than 9.9e-61, .*Give the metric in a smaller unit"),
    ],
    ids=str,
)
def test_scores_that_cannot_be_compared(table: Any, options: dict[str, Any], text: str) -> None:
    """Too few models, splits or sizes, and scores whose differences would be infinite or count as rounding; all at once."""
    with pytest.raises((DataError, UnclearSourceError, InvalidParameterError), match=text):
        compared(table, **options)


# --- rope as a percentage -------------------------------------------------------------------------------------------


def test_percentage_is_of_the_best_mean() -> None:
    """One rope for all pairs, in the metric's unit: 1 % of 0.80."""
    answer, plain = compared(TABLE, rope="1%"), compared(TABLE, rope=0.008)
    assert answer.rope == pytest.approx(0.008, rel=1e-12)
    assert_allclose(answer.pairs["p_equivalent"], plain.pairs["p_equivalent"], rtol=1e-9)
    assert list(answer.pairs["verdict"]) == list(plain.pairs["verdict"])
    assert answer.settings.rope == "1%"


def test_percentage_of_a_negative_mean_is_positive() -> None:
    """A half-width is of |mean|, as for scores such as r2 below 0."""
    assert compared(TABLE - 2, rope="1%").rope == pytest.approx(0.012, rel=1e-12)


def test_percentage_of_the_best_value_as_if_it_had_all_scores() -> None:
    """Of the adjusted mean of an incomplete model: b's mean plus how far a is ahead on the nine splits that both have."""
    table = noisy(0.95, 0.80)
    table[0, 3] = np.nan
    expected = 0.8 + np.nanmean(table[0] - table[1])
    assert compared(table, rope="1%", missing="pairwise").rope == pytest.approx(0.01 * expected, rel=1e-12)


@pytest.mark.parametrize("row", [[0.0, 0.0, 0.0, 0.0], [-0.1, 0.1, -0.3, 0.3], [0.3, -0.1, -0.1, -0.1]])
def test_percentage_of_zero_is_an_error(row: list[float]) -> None:
    """Also where the mean is zero but for rounding."""
    assert told(InvalidParameterError, compared, [row, np.array(row) - 0.5], rope="1%") == (
        "rope='1%' is a share of the best mean, but the mean accuracy of 'a' is 0. Give the rope in the metric's unit."
    )


# --- what is said besides -------------------------------------------------------------------------------------------


BASE = noisy(0.8)[0]
SAME = [BASE, BASE, BASE, BASE - 0.1]
NOTICES = [
    ("identical-scores", SAME, {}, "'a', 'b' and 'c' have the same score on every split: are they the same"),
    ("identical-scores", [BASE, BASE, BASE - 0.1, BASE - 0.1], {}, "'a' and 'b' (and 1 more such group(s)) have the same score"),
    ("identical-scores", TABLE, {}, None),
    ("ordered-splits", TABLE, {"design": SplitDesign("time", ordered=True, sizes="exact")}, "the splits follow time"),
    ("ordered-splits", TABLE, {}, None),
    ("shared-training", TABLE, {"method": "paired-t"}, "folds share training data, which paired-t takes for new data"),
    ("shared-training", TABLE, {}, None),
]


@pytest.mark.parametrize(("code", "table", "options", "text"), NOTICES, ids=str)
def test_notices(code: str, table: Any, options: dict[str, Any], text: str | None) -> None:
    """What is the same, small, or in order of time is said; None where there is nothing to say."""
    said = codes(compared(table, **options))
    assert (code in said) == (text is not None)
    assert text is None or text in said[code]


def test_every_notice_stands_in_the_documentation() -> None:
    """docs/notices.csv says where each code stands, and knows no other; at most twenty, so that a reader can know them."""
    rows = csv.DictReader((Path(__file__).parents[2] / "docs/notices.csv").read_text(encoding="utf-8").splitlines())
    codes = get_args(NoticeCode)
    assert {row["notice"] for row in rows} == set(codes)
    assert len(codes) <= 20


# --- the public function --------------------------------------------------------------------------------------------


def test_generator_as_seed() -> None:
    """A generator is asked for a seed once, so that the comparison stays reproducible."""
    answers = [tb.compare(scores_of(TABLE), rng=np.random.default_rng(3)).ranking for _ in range(2)]
    assert answers[0].equals(answers[1])


def test_scores_of_the_smallest_size_that_is_taken_are_told_apart() -> None:
    """At 1e-60 the answer is that of the same scores in another unit; scores of 0 alone are identical, not too small."""
    base = noisy(0.8, 0.79)
    small, same = compared(base * 2e-60).pair("a", "b"), compared(base).pair("a", "b")
    assert (small.verdict, small.pvalue) == (same.verdict, pytest.approx(same.pvalue, rel=1e-9))
    assert compared([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]).pairs["reason"].tolist() == ["identical-scores"]


@pytest.mark.parametrize("rope", [1, 1.0, 5, "200%"])
def test_a_rope_as_wide_as_the_metric_is_refused(rope: float | str) -> None:
    """All models would be equivalent within it; 1 was meant for one per cent. Per cent as a unit have no known bounds."""
    said = told(InvalidParameterError, compared, TABLE, rope=rope)
    assert "is as wide as accuracy itself, which lies between 0 and 1: all models would be equivalent" in said
    assert said.endswith("such as rope=0.01, or rope='1%' of the best mean.")
    assert compared(100 * TABLE, rope=1.0).rope == 1.0
    assert compared(TABLE, rope=0.999).pairs["verdict"].tolist() == ["equivalent"] * 3


def test_more_models_than_memory_holds_pairs_of_are_refused_at_once() -> None:
    """20,000 columns make a small file and 200 million pairs; some of the models can be chosen."""
    table = np.random.default_rng(0).normal(0.8, 0.02, (10_001, 3))
    columns = {f"m{number}": row for number, row in enumerate(table)}
    sizes = {"metric": "accuracy", "n_train": 90, "n_test": 10}
    with pytest.raises(DataError, match=r"10,001 models make 50,005,000 pairs, .* at most 10,000 models can be compared"):
        tb.compare(columns, **sizes)
    assert tb.compare(columns, models=["m0", "m10000"], **sizes).models in (("m0", "m10000"), ("m10000", "m0"))


@pytest.mark.parametrize(
    "changed",
    [{"rope": 0.01}, {"rope": "2%"}, {"alpha": 0.2}, {"family": "best"}, {"baseline": "b"}, {"method": "paired-t"}],
)
def test_other_settings_are_a_comparison_made_anew(changed: dict[str, Any]) -> None:
    """The same frames as of the scores themselves; what was not changed stays."""
    scores = scores_of(TABLE)
    again, anew = tb.compare(scores, correction="bonferroni").with_(**changed), tb.compare(scores, **changed)
    assert again.pairs.equals(anew.pairs)
    assert again.ranking.equals(anew.ranking)
    assert again.notices == anew.notices
    assert again.with_(**{name: getattr(Settings(), name) for name in changed}).pairs.equals(tb.compare(scores).pairs)


def test_an_unknown_setting_is_refused() -> None:
    """With those that there are."""
    with pytest.raises(InvalidParameterError, match="no setting of a comparison is called 'ropes'; there are 'rope', 'alpha'"):
        compared(TABLE).with_(ropes=0.1)


def test_a_deleted_answer_frees_its_scores() -> None:
    """No cache of a procedure keeps the predictions of an answer that is gone."""
    y = np.arange(40) % 2
    items = tb.read_predictions(y, {"a": y, "b": 1 - y, "c": np.roll(y, 3) | y}, metric="f1")
    kept = weakref.ref(items.score)
    answer = tb.compare(items)
    assert answer.to_text()
    del items, answer
    gc.collect()
    assert kept() is None


# --- pairs --------------------------------------------------------------------------------------------------------------------


def table(rng: np.random.Generator, n_models: int, n_splits: int, *, missing: bool = False) -> np.ndarray:
    """Models that share difficulty, with copies, constant gaps, near-duplicates and, if asked, holes."""
    score = 0.8 + rng.normal(0, 0.04, n_splits) + rng.normal(0, 0.02, (n_models, n_splits)) - rng.uniform(0, 0.06, (n_models, 1))
    if n_models >= 6:
        score[1], score[2], score[3] = score[0], score[0] - 0.01, score[4] + 1e-9 * rng.normal(size=n_splits)
    if missing:
        score[rng.random(score.shape) < 0.2] = np.nan
        score[-1] = np.nan
        score[-1, 0] = 0.8
        score[0, :2] = 0.8, 0.9
    return score


@pytest.mark.parametrize("metric", [ACCURACY, RMSE], ids=["higher", "lower"])
@pytest.mark.parametrize(
    ("n_models", "n_splits", "missing", "options"),
    [
        (2, 2, False, {}),
        (7, 10, False, {"rope": 0.01, "alpha": 0.2}),
        (7, 10, False, {"correction": "holm"}),
        (7, 10, False, {"rope": 0.01, "correction": "none"}),
        (7, 100, False, {"baseline": "b", "method": "paired-t"}),
        (9, 100, True, {"rope": 0.01, "missing": "pairwise"}),
        (7, 10, True, {"missing": "pairwise", "baseline": "d"}),
    ],
    ids=str,
)
def test_each_pair_is_the_law_of_its_own_differences(
    n_models: int, n_splits: int, missing: bool, options: dict[str, Any], metric: Metric
) -> None:
    """Of the splits that both have, whatever their sizes, at the level of the family: as the function on arrays says."""
    rng = np.random.default_rng(n_splits)
    n_test = rng.integers(8, 13, n_splits)
    scores = scores_of(table(rng, n_models, n_splits, missing=missing), metric=metric, n_train=100 - n_test, n_test=n_test)
    pairs = compare_scores(scores, Settings(**options)).pairs
    adjusted = adjust_pvalues(pairs["pvalue"].to_numpy(), options.get("correction", "bonferroni"))
    assert_allclose(pairs["adjusted_pvalue"], adjusted, rtol=1e-12)
    matrix = scores.matrix()
    for pair in pairs.itertuples():
        both = matrix.score[[matrix.models.index(pair.first), matrix.models.index(pair.second)]]
        shared = ~np.isnan(both).any(axis=0)
        d = metric.sign * (both[0] - both[1])[shared]
        assert pair.n_units == d.size
        if d.size < 2:
            assert (pair.reason, pair.verdict) == ("missing-splits", "undecided")
            assert np.isnan([pair.pvalue, pair.adjusted_pvalue, pair.interval_low, pair.p_better]).all()
            continue
        ratio = 0.0 if "method" in options else (n_test / (100 - n_test))[shared].mean()
        law, rope = corrected_t(d, test_train_ratio=ratio), options.get("rope", 0.0)
        if np.ptp(d) > 4e-12 * np.abs(both[:, shared]).max():
            got = [pair.difference, pair.standard_error, pair.statistic, pair.pvalue, pair.interval_low, pair.interval_high]
            expected = [law.estimate, law.se, law.statistic, law.pvalue(), *law.interval_at(pair.interval_alpha)]
            assert_allclose(got, expected, rtol=1e-8, atol=1e-11)
            assert_allclose([pair.p_better, pair.p_equivalent, pair.p_worse], law.probabilities(rope), rtol=1e-8, atol=1e-11)
            assert pair.verdict == str(law.verdict(rope, pair.interval_alpha))
