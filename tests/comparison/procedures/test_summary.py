"""Tables of means as questions: the verdicts, the overlap that would settle a pair, files, the command line and the page."""

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.cli.conftest import run_compare
from tiebreak.statistics.summary import hanley_mcneil, summary_means, summary_rates
from tiebreak.views.answer import lines_to_keep

RATES = pd.DataFrame({"model": ["a", "b", "c", "d"], "accuracy": [0.952, 0.941, 0.92, 0.884]})
FOLDS = pd.DataFrame({"model": ["a", "b", "c"], "f1_mean": [0.88, 0.86, 0.7], "f1_std": [0.02, 0.01, 0.03]})


def test_rates_are_judged_by_the_widest_interval_of_their_margins():
    """Each pair at Bonferroni's level of six, by the function on arrays."""
    answer = tb.compare(RATES, n_test=1000)
    assert (answer.method.name, answer.method.question) == ("summary-rates", "summary")
    for pair in answer.pairs.itertuples():
        one, other = (float(RATES.accuracy[RATES.model == name].iloc[0]) for name in (pair.first, pair.second))
        law = summary_rates(one, other, 1000, rounding=0.0005)
        assert (pair.interval_low, pair.interval_high) == pytest.approx(law.interval(1 - 0.05 / 6), abs=1e-12)
        assert pair.n_units == 1000


def test_errors_mirror_the_accuracies():
    """1 - accuracy, of which less is better, has the same intervals of the difference that favours a model."""
    errors = RATES.assign(error_rate=1 - RATES.accuracy).drop(columns="accuracy")
    one, other = (tb.compare(table, n_test=1000).pairs for table in (RATES, errors))
    assert one["interval_low"].tolist() == pytest.approx(other["interval_low"].tolist(), abs=1e-9)
    assert one["verdict"].tolist() == other["verdict"].tolist()


def test_means_over_folds_take_the_sum_of_both_deviations():
    """The corrected t with sqrt(5/4) times numpy's deviations and half a digit, one pair by hand."""
    answer = tb.compare(FOLDS, cv=5, baseline="b")
    pair = answer.pairs.iloc[0]
    error = np.sqrt(5 / 4) * np.array([0.025, 0.015]) * np.sqrt(1 / 5 + 1 / 4)
    law = summary_means(0.88, 0.86, *error, df=4, rounding=0.01)
    assert (pair["interval_low"], pair["interval_high"]) == pytest.approx(law.interval(1 - 0.05 / 2), abs=1e-12)


def test_means_over_runs_are_welchs():
    """Equal deviations s over k runs: the error s sqrt(2 / k), 2 k - 2 degrees of freedom."""
    table = pd.DataFrame({"model": ["a", "b"], "f1": [0.8831, 0.8612], "f1_std": [0.0101, 0.0101]})
    pair = tb.compare(table, cv=5, rows="seeds").pairs.iloc[0]
    deviation = np.sqrt(5 / 4) * (0.0101 + 5e-5)
    assert pair["standard_error"] == pytest.approx(deviation * np.sqrt(2 / 5))
    assert pair["df"] == pytest.approx(8)


def test_areas_add_the_errors_of_hanley_and_mcneil():
    """With the items of the rarer class less one as degrees of freedom."""
    table = pd.DataFrame({"model": ["a", "b"], "auc": [0.912, 0.874]})
    pair = tb.compare(table, n_test=(40, 960)).pairs.iloc[0]
    assert pair["standard_error"] == pytest.approx(hanley_mcneil(0.912, 40, 960) + hanley_mcneil(0.874, 40, 960))
    assert pair["df"] == 39


def test_the_overlap_that_is_said_settles_the_pair_and_less_does_not():
    """By the law with that share of the better one's mistakes, at the level of the family; a whole percent less is undecided."""
    answer = tb.compare(RATES, n_test=1000)
    found = {test.models: test.statistic for test in answer.supplementary_tests if test.name == "overlap"}
    assert set(found) == {("a", "b")}
    for (first, second), share in found.items():
        rates = [float(RATES.accuracy[RATES.model == name].iloc[0]) for name in (first, second)]
        for shared, verdict in ((share, "better"), (share - 0.01, "undecided")):
            assert summary_rates(*rates, 1000, rounding=0.0005, shared=shared).verdict(alpha=0.05 / 6) == verdict


@pytest.mark.parametrize(
    "settings", [{}, {"correction": "none"}, {"rope": "1%"}, {"baseline": "b"}, {"correction": "holm"}, {"family": "best"}]
)
def test_only_pairs_that_are_undecided_depend_on_the_overlap(settings):
    """At the level of the family, whatever sets it; where that changes with the data, or no pair is judged, nothing is said."""
    for table, asked in ((RATES, {"n_test": 1000}), (FOLDS, {"cv": 5})):
        answer = tb.compare(table, **asked, **settings)
        said = {frozenset(test.models) for test in answer.supplementary_tests}
        leader = settings.get("baseline", answer.models[0])
        pairs = answer.pairs[(answer.pairs["first"] == leader) | (answer.pairs["second"] == leader)]
        undecided = {frozenset((row.first, row.second)) for row in pairs.itertuples() if row.verdict == "undecided"}
        assert said == (set() if {"holm", "best"} & set(settings.values()) else undecided)


def test_models_beyond_the_third_that_depend_on_the_overlap_are_counted():
    """Of forty models a tenth of a percent apart."""
    table = pd.DataFrame({"model": [f"m{k}" for k in range(40)], "accuracy": [0.9 - 0.001 * k for k in range(40)]})
    assert " more models)" in " ".join(str(tb.compare(table, n_test=1000)).split())


def test_the_page_says_which_overlap_would_do_and_three_lines_that_settle_it():
    """Of 1,000 examples d is worse whatever the overlap; at most 120 words."""
    page = str(tb.compare(RATES, n_test=1000))
    assert "1,000 test examples, whatever the overlap" in page
    assert "Depends on the overlap: decided if " in page
    assert "tiebreak compare predictions.csv --metric accuracy" in page
    assert len(page.split()) <= 120


def test_a_pair_that_no_overlap_settles_is_said_to_be_so():
    """With 20 examples a difference of one is chance whatever is shared."""
    page = str(tb.compare(pd.DataFrame({"model": ["a", "b"], "accuracy": [0.95, 0.9]}), n_test=20))
    assert "Not shown, whatever the overlap: b." in page


def test_the_report_and_the_notebook_have_the_lines_as_code():
    """As they are, with their quotes escaped; plots are drawn."""
    answer = tb.compare(RATES, n_test=1000)
    for page in (answer.to_html(), answer._repr_html_()):
        lines = page.replace("\\n", "\n").split("<pre><code>")[1].split("</code>")[0].strip().splitlines()
        assert [line.split("(")[0] for line in lines[:2]] == ["table = pd.DataFrame", "table.assign"]
        assert len(lines) == 3
    assert answer.plot.ranking().data["model"].tolist() == ["a", "b", "c", "d"]


def test_lines_to_copy_measure_the_metric_of_the_table_and_hold_no_text_from_it():
    """The lines are run: f1 of two models by scikit-learn's scorer; a loss is asked for as its negative; a name stays a text."""
    from sklearn.datasets import make_classification
    from sklearn.model_selection import cross_validate
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = make_classification(random_state=0)
    names = {
        "X": X,
        "y": y,
        "models": {"a": GaussianNB(), "b": DecisionTreeClassifier()},
        "tb": tb,
        "cross_validate": cross_validate,
    }
    for metric in ("f1", "log_loss"):
        table = pd.DataFrame({"model": ["a", "b"], metric: [0.88, 0.87], f"{metric}_std": [0.02, 0.01]})
        lines = lines_to_keep(tb.compare(table, cv=5))
        exec("\n".join([*lines, lines[-1].replace("print(", "answer = (")]), names)
        assert names["answer"].metric.name == metric
    hostile = pd.DataFrame({"model": ["a", "b"], "x';import os;'": [0.88, 0.87], "x';import os;'_std": [0.02, 0.01]})
    answer = tb.compare(hostile, metric="x';import os;'", lower_is_better=False, cv=5)
    assert lines_to_keep(answer)[0] == """how = dict(cv=5, scoring="x';import os;'")"""


def test_what_is_shown_needs_no_lines():
    """Two runs far apart."""
    table = pd.DataFrame({"model": ["a", "b"], "accuracy": [0.95, 0.5]})
    assert "predictions.csv" not in str(tb.compare(table, n_test=1000))


@pytest.mark.parametrize(
    ("tool", "columns", "n_test", "words"),
    [
        ("pycaret", {"accuracy": [0.9, 0.89], "TT (Sec)": [1, 2]}, 1000, '["prediction_label"]'),
        ("pycaret", {"auc": [0.9, 0.89], "TT (Sec)": [1, 2]}, (100, 900), "raw_score=True"),
        ("autogluon", {"accuracy": [0.9, 0.89], "fit_order": [1, 2]}, 1000, "predict_multi"),
        ("autogluon", {"auc": [0.9, 0.89], "fit_order": [1, 2]}, (100, 900), "predict_proba_multi"),
        ("lm-eval", {"accuracy": [0.9, 0.89], "Stderr": [0.01, 0.01]}, 1000, "--log_samples"),
    ],
)
def test_lines_are_those_of_the_tool_that_made_the_table(tool, columns, n_test, words):
    """Known by a column that only its leaderboard has; an area needs probabilities, of labels it would be another one."""
    answer = tb.compare(pd.DataFrame({"model": ["a", "b"], **columns}), n_test=n_test)
    assert answer.matrix.summary.tool == tool
    assert words in str(answer)


def test_an_answer_is_written_and_read_back(tmp_path):
    """With all that is known of the means."""
    for number, (table, asked) in enumerate(((RATES, {"n_test": 1000}), (FOLDS, {"cv": 5}))):
        answer = tb.compare(table, **asked, rope=0.001)
        path = tmp_path / f"{number}.json"
        answer.to_json(path)
        again = tb.compare(path)
        assert again.pairs.equals(answer.pairs)
        assert str(again) == str(answer)


def test_the_command_line_takes_sizes_folds_and_seeds(capsys, tmp_path):
    """--n-test of one number or of both classes, --folds, --seeds; not two of the last."""
    RATES.to_csv(tmp_path / "rates.csv", index=False)
    FOLDS.to_csv(tmp_path / "folds.csv", index=False)
    for options, words in (
        (("rates.csv", "--n-test", "1000"), "summary-rates"),
        (("rates.csv", "--n-test", "400,600"), "1,000 test examples"),
        (("folds.csv", "--folds", "5"), "summary-folds"),
        (("folds.csv", "--seeds", "5"), "summary-runs"),
    ):
        code, out, _ = run_compare(capsys, str(tmp_path / options[0]), *options[1:])
        assert code == 0
        assert words in out.replace("\n  ", " ")
    for options, words in (
        (("--seeds", "5", "--folds", "5"), "over training runs, or over folds"),
        (("--n-test", "x"), "is no number"),
    ):
        code, _, err = run_compare(capsys, str(tmp_path / "rates.csv"), *options)
        assert code == 2
        assert words in err


def test_what_a_table_of_means_needs_is_said_in_options_that_work(capsys, tmp_path):
    """The refusal of the command names options as they are typed; pasted, they answer."""
    FOLDS.to_csv(tmp_path / "folds.csv", index=False)
    pd.DataFrame({"model": ["a", "b"], "auc": [0.9, 0.8]}).to_csv(tmp_path / "areas.csv", index=False)
    for name, options in (("folds.csv", (("--cv", "10"), ("--seeds", "5"))), ("areas.csv", (("--n-test", "40,960"),))):
        code, _, err = run_compare(capsys, str(tmp_path / name))
        assert code == 2
        for option in options:
            assert " ".join(option) in err
            assert run_compare(capsys, str(tmp_path / name), *option)[0] == 0


def test_a_method_for_other_means_is_refused():
    """Rates are no means over folds; the error names the procedure for them."""
    with pytest.raises(tb.TiebreakError, match="take 'summary-rates'"):
        tb.compare(RATES, n_test=1000, method="summary-folds")
    with pytest.raises(tb.TiebreakError, match="means of which the single scores are not known"):
        tb.compare(RATES, n_test=1000, method="corrected-t")
