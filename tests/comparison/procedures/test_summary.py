"""Tables of means as questions: the verdicts, the overlap that would settle a pair, files, the command line and the page."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.cli.conftest import run_compare
from tiebreak.statistics.summary import hanley_mcneil, summary_means, summary_rates
from tiebreak.views.answer import lines_to_keep

RATE = {"a": 0.952, "b": 0.941, "c": 0.92, "d": 0.884}
RATES = pd.DataFrame({"model": RATE.keys(), "accuracy": RATE.values()})
FOLDS = pd.DataFrame({"model": ["a", "b", "c"], "f1_mean": [0.88, 0.86, 0.7], "f1_std": [0.02, 0.01, 0.03]})


def test_rates_are_judged_by_the_widest_interval_of_their_margins():
    """Each pair at Bonferroni's level of six, by the function on arrays."""
    answer = tb.compare(RATES, n_test=1000)
    assert (answer.method.name, answer.method.question) == ("summary-rates", "summary")
    for pair in answer.pairs.itertuples():
        law = summary_rates(RATE[pair.first], RATE[pair.second], 1000, rounding=0.0005)
        expected = [*law.interval(1 - 0.05 / 6), 1000]
        assert [pair.interval_low, pair.interval_high, pair.n_units] == pytest.approx(expected, abs=1e-12)


def test_errors_mirror_the_accuracies():
    """1 - accuracy, of which less is better, has the same intervals of the difference that favours a model."""
    errors = RATES.assign(error_rate=1 - RATES.accuracy).drop(columns="accuracy")
    one, other = (tb.compare(table, n_test=1000).pairs for table in (RATES, errors))
    assert one["interval_low"].tolist() == pytest.approx(other["interval_low"].tolist(), abs=1e-9)
    assert one["verdict"].tolist() == other["verdict"].tolist()


def test_means_over_folds_take_the_sum_of_both_deviations():
    """The corrected t with sqrt(5/4) times numpy's deviations and half a digit, one pair by hand."""
    pair = tb.compare(FOLDS, cv=5, baseline="b").pairs.iloc[0]
    error = np.sqrt(5 / 4) * np.array([0.025, 0.015]) * np.sqrt(1 / 5 + 1 / 4)
    law = summary_means(0.88, 0.86, *error, df=4, rounding=0.01)
    assert (pair["interval_low"], pair["interval_high"]) == pytest.approx(law.interval(1 - 0.05 / 2), abs=1e-12)


def test_means_over_runs_are_welchs():
    """Equal deviations s over k runs: the error s sqrt(2 / k), 2 k - 2 degrees of freedom."""
    table = pd.DataFrame({"model": ["a", "b"], "f1": [0.8831, 0.8612], "f1_std": [0.0101, 0.0101]})
    pair = tb.compare(table, cv=5, rows="seeds").pairs.iloc[0]
    deviation = np.sqrt(5 / 4) * (0.0101 + 5e-5)
    assert [pair["standard_error"], pair["df"]] == pytest.approx([deviation * np.sqrt(2 / 5), 8])


def test_areas_add_the_errors_of_hanley_and_mcneil():
    """With the items of the rarer class less one as degrees of freedom."""
    table = pd.DataFrame({"model": ["a", "b"], "auc": [0.912, 0.874]})
    pair = tb.compare(table, n_test=(40, 960)).pairs.iloc[0]
    error = hanley_mcneil(0.912, 40, 960) + hanley_mcneil(0.874, 40, 960)
    assert [pair["standard_error"], pair["df"]] == pytest.approx([error, 39])


def test_the_overlap_that_is_said_settles_the_pair_and_less_does_not():
    """By the law with that share of the better one's mistakes, at the level of the family; a whole percent less is undecided."""
    answer = tb.compare(RATES, n_test=1000)
    (test,) = (test for test in answer.supplementary_tests if test.name == "overlap")
    assert test.models == ("a", "b")
    for shared, verdict in ((test.statistic, "better"), (test.statistic - 0.01, "undecided")):
        assert summary_rates(RATE["a"], RATE["b"], 1000, rounding=0.0005, shared=shared).verdict(alpha=0.05 / 6) == verdict


@pytest.mark.parametrize(
    "settings", [{}, {"correction": "none"}, {"rope": "1%"}, {"baseline": "b"}, {"correction": "holm"}, {"family": "best"}]
)
@pytest.mark.parametrize(("table", "asked"), [(RATES, {"n_test": 1000}), (FOLDS, {"cv": 5})])
def test_only_pairs_that_are_undecided_depend_on_the_overlap(table, asked, settings):
    """At the level of the family, whatever sets it; where that changes with the data, or no pair is judged, nothing is said."""
    answer = tb.compare(table, **asked, **settings)
    leader = settings.get("baseline", answer.models[0])
    pairs = {frozenset((row.first, row.second)): row.verdict for row in answer.pairs.itertuples()}
    undecided = {models for models, verdict in pairs.items() if leader in models and verdict == "undecided"}
    expected = set() if {"holm", "best"} & set(settings.values()) else undecided
    assert {frozenset(test.models) for test in answer.supplementary_tests} == expected


def test_models_beyond_the_third_that_depend_on_the_overlap_are_counted():
    """Of forty models a tenth of a percent apart."""
    table = pd.DataFrame({"model": [f"m{k}" for k in range(40)], "accuracy": [0.9 - 0.001 * k for k in range(40)]})
    assert " more models)" in " ".join(str(tb.compare(table, n_test=1000)).split())


def test_the_page_says_which_overlap_would_do_and_three_lines_that_settle_it():
    """Of 1,000 examples d is worse whatever the overlap; at most 120 words. With 20 no overlap settles it, and what is shown
    needs no lines."""
    page = str(tb.compare(RATES, n_test=1000))
    assert "1,000 test examples, whatever the overlap" in page
    assert "Depends on the overlap: decided if " in page
    assert "tiebreak compare predictions.csv --metric accuracy" in page
    assert len(page.split()) <= 120
    pairs = ({"model": ["a", "b"], "accuracy": [0.95, 0.9]}, 20), ({"model": ["a", "b"], "accuracy": [0.95, 0.5]}, 1000)
    chance, shown = (tb.compare(table, n_test=n) for table, n in pairs)
    assert "Not shown, whatever the overlap: b." in str(chance)
    assert "predictions.csv" not in str(shown)


@pytest.mark.slow
def test_the_report_and_the_notebook_have_the_lines_as_code():
    """As they are, with their quotes escaped; plots are drawn."""
    answer = tb.compare(RATES, n_test=1000)
    for page in (answer.to_html(), answer._repr_html_()):
        lines = page.replace("\\n", "\n").split("<pre><code>")[1].split("</code>")[0].strip().splitlines()
        assert [line.split("(")[0] for line in lines[:2]] == ["table = pd.DataFrame", "table.assign"]
        assert len(lines) == 3
    assert answer.plot.ranking().data["model"].tolist() == ["a", "b", "c", "d"]


def test_lines_to_copy_measure_the_metric_of_the_table():
    """The lines are run: f1 of two models by scikit-learn's scorer; a loss is asked for as its negative."""
    X, y = make_classification(random_state=0)
    models = {"a": GaussianNB(), "b": DecisionTreeClassifier()}
    names = {"X": X, "y": y, "models": models, "tb": tb, "cross_validate": cross_validate}
    for metric in ("f1", "log_loss"):
        table = pd.DataFrame({"model": ["a", "b"], metric: [0.88, 0.87], f"{metric}_std": [0.02, 0.01]})
        lines = lines_to_keep(tb.compare(table, cv=5))
        exec("\n".join([*lines, lines[-1].replace("print(", "answer = (")]), names)
        assert names["answer"].metric.name == metric


def test_a_name_in_lines_to_copy_stays_a_text():
    """A metric's name that would be code is quoted."""
    hostile = pd.DataFrame({"model": ["a", "b"], "x';import os;'": [0.88, 0.87], "x';import os;'_std": [0.02, 0.01]})
    answer = tb.compare(hostile, metric="x';import os;'", lower_is_better=False, cv=5)
    assert lines_to_keep(answer)[0] == """how = dict(cv=5, scoring="x';import os;'")"""


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


@pytest.mark.parametrize(("table", "asked"), [(RATES, {"n_test": 1000}), (FOLDS, {"cv": 5})])
def test_an_answer_is_written_and_read_back(table, asked, tmp_path):
    """With all that is known of the means."""
    answer = tb.compare(table, **asked, rope=0.001)
    answer.to_json(tmp_path / "answer.json")
    assert str(tb.compare(tmp_path / "answer.json")) == str(answer)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("rates.csv", "--n-test", "1000"), 0, "summary-rates"),
        (("rates.csv", "--n-test", "400,600"), 0, "1,000 test examples"),
        (("folds.csv", "--folds", "5"), 0, "summary-folds"),
        (("folds.csv", "--seeds", "5"), 0, "summary-runs"),
        (("rates.csv", "--seeds", "5", "--folds", "5"), 2, "over training runs, or over folds"),
        (("rates.csv", "--n-test", "x"), 2, "is no number"),
    ],
)
def test_the_command_line_takes_sizes_folds_and_seeds(options, code, words, capsys, tmp_path, monkeypatch):
    """--n-test of one number or of both classes, --folds, --seeds; not two of the last."""
    monkeypatch.chdir(tmp_path)
    RATES.to_csv("rates.csv", index=False)
    FOLDS.to_csv("folds.csv", index=False)
    got, out, err = run_compare(capsys, *options)
    assert got == code
    assert words in (out + err).replace("\n  ", " ")


def test_what_a_table_of_means_needs_is_said_in_options_that_work(capsys, tmp_path):
    """The refusal of the command names options as they are typed; pasted, they answer."""
    (tmp_path / "folds.csv").write_text(FOLDS.to_csv(index=False))
    (tmp_path / "areas.csv").write_text("model,auc\na,0.9\nb,0.8\n")
    for name, option in (("folds.csv", ("--cv", "10")), ("folds.csv", ("--seeds", "5")), ("areas.csv", ("--n-test", "40,1960"))):
        code, _, err = run_compare(capsys, str(tmp_path / name))
        assert (code, " ".join(option) in err) == (2, True)
        assert run_compare(capsys, str(tmp_path / name), *option)[0] == 0


def test_a_method_for_other_means_is_refused():
    """Rates are no means over folds; the error names the procedure for them."""
    with pytest.raises(tb.TiebreakError, match="take 'summary-rates'"):
        tb.compare(RATES, n_test=1000, method="summary-folds")
    with pytest.raises(tb.TiebreakError, match="means of which the single scores are not known"):
        tb.compare(RATES, n_test=1000, method="corrected-t")
