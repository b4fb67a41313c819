"""A metric behind the name that a source or a caller gives it."""

import pytest
from sklearn.metrics import get_scorer, get_scorer_names

from tests.guarded import told
from tiebreak.api import read_scores
from tiebreak.cli.process import as_typed
from tiebreak.errors import InvalidParameterError, UnclearSourceError, UnknownNameError
from tiebreak.readers.source import ReadOptions, choose_metric, mixed_metrics, name_metric, table_metric
from tiebreak.scores.metric import Metric


@pytest.mark.parametrize("name", sorted(get_scorer_names()))
def test_direction_and_factor_follow_scikit_learns_sign(name: str) -> None:
    """Stored value times factor is the metric itself, whose direction is the scorer's sign."""
    sign = get_scorer(name)._sign
    metric, factor = name_metric(name)
    assert (metric.sign, factor) == (sign, sign)
    assert metric.name == name.removeprefix("neg_")


@pytest.mark.parametrize(
    ("name", "said", "metric", "factor"),
    [
        *(("log_loss", said, Metric("log_loss", False), 1) for said in (None, True)),  # taken at its word
        *(("neg_log_loss", said, Metric("log_loss", False), -1) for said in (None, True, False)),
        ("neg_crps", None, Metric("crps", False), -1),
        ("Neg RMSE", None, Metric("root_mean_squared_error", False), -1),
        ("RMSE", None, Metric("root_mean_squared_error", False), 1),
        ("Log loss", None, Metric("log_loss", False), 1),
        ("Accuracy", None, Metric("accuracy", True), 1),
        ("F1-macro", None, Metric("f1_macro", True), 1),
        # an AUC of which less is better, as of a concentration over time, is not the area under the ROC curve
        *(("AUC", said, Metric("AUC" if said else "roc_auc", not said), 1) for said in (None, True)),
        *((name, said, Metric(name, not said), 1) for name in ("score", "match") for said in (None, True)),
        ("loss", False, Metric("loss", True), 1),
        # those that scikit-learn does not have, as typed
        *(
            (name, said, Metric(name, True), 1)
            for name in ("exact_match", "rougeL", "win_rate", "mAP50")
            for said in (None, False)
        ),
        ("utility", False, Metric("utility", True), 1),
        ("regret", True, Metric("regret", False), 1),
        # with the part of the data, as trackers of experiments write them
        ("val_acc", None, Metric("val_acc", True), 1),
        ("eval/loss", None, Metric("eval/loss", False), 1),
    ],
)
def test_a_name_is_a_metric_with_a_direction(name: str, said: bool | None, metric: Metric, factor: int) -> None:
    """However people write it; negated losses are turned, and the caller is obeyed where the name leaves it open."""
    assert name_metric(name, said) == (metric, factor)


@pytest.mark.parametrize(
    ("name", "said", "error", "text"),
    [
        ("regret", None, UnclearSourceError, r"higher or lower better for the metric 'regret'\? Pass lower_is_better="),
        ("acuracy", None, UnclearSourceError, "scikit-learn's name 'accuracy'"),
        ("neg_accuracy", None, UnclearSourceError, "'neg_accuracy'"),
        ("train_acc", None, UnclearSourceError, "'train_acc'"),
        ("accuracy", True, InvalidParameterError, "lower_is_better=True contradicts the metric 'accuracy', of which higher"),
        ("NDCG@10", True, InvalidParameterError, "lower_is_better=True contradicts the metric 'NDCG@10', of which higher"),
        ("log_loss", False, InvalidParameterError, "lower_is_better=False contradicts the metric 'log_loss', of which lower"),
    ],
)
def test_a_direction_is_asked_for_or_contradicts(name: str, said: bool | None, error: type[Exception], text: str) -> None:
    """It is never read off the data; a misspelling leads to the name whose direction is known."""
    with pytest.raises(error, match=text):
        name_metric(name, said)


def test_a_held_metric_is_found_however_it_is_written() -> None:
    """Unless two of them are the same one."""
    assert choose_metric(["roc_auc", "Log loss"], "AUC", "the table") == "roc_auc"
    assert choose_metric(["NDCG@10", "ndcg"], "ndcg@10", "the table") == "NDCG@10"
    with pytest.raises(UnclearSourceError, match=r"^the table has 'AUC' and 'auc', and each may be the metric 'Auc'\."):
        choose_metric(["AUC", "auc"], "Auc", "the table")
    with pytest.raises(UnknownNameError, match="no metric is called 'f1'"):
        choose_metric(["AUC", "auc"], "f1", "the table")


def test_direction_of_a_column_is_obeyed_or_refused() -> None:
    """Whether its name is known or not; one called x of which the caller says neg_x holds negated losses."""
    assert table_metric("regret", ReadOptions(lower_is_better=True), "the table").metric == Metric("regret", False)
    assert table_metric("brier", ReadOptions(metric="neg_brier"), "the table") == (Metric("brier_score", False), -1)
    with pytest.raises(InvalidParameterError, match="contradicts the metric 'accuracy'"):
        table_metric("accuracy", ReadOptions(lower_is_better=True), "the table")
    with pytest.raises(UnknownNameError, match="no metric 'f1' in the table, which has 'regret'"):
        table_metric("regret", ReadOptions(lower_is_better={"f1": True}), "the table")


def test_datasets_in_several_metrics() -> None:
    """What the caller says counts for each, so that errors under the name of an AUC are refused and not taken for it."""
    held = ["roc_auc", "log_loss", "regret"]
    said = ReadOptions(lower_is_better={"regret": True})
    assert [each.metric.higher_is_better for each in mixed_metrics(held, said, "the table")] == [True, False, False]
    with pytest.raises(
        UnclearSourceError, match=r"for 'regret'\? Say it by metric, for example lower_is_better={'regret': True}"
    ):
        mixed_metrics(held, ReadOptions(), "the table")
    with pytest.raises(InvalidParameterError, match="lower_is_better=True contradicts the metric 'roc_auc'"):
        mixed_metrics(held, ReadOptions(lower_is_better=True), "the table")


@pytest.mark.parametrize(
    ("given", "call", "typed"),
    [
        ({}, "metric='accuracy', cv=10", "--metric accuracy --cv 10"),
        ({"metric": "my_gain"}, "metric='my_gain', lower_is_better=False, cv=10", "--metric my_gain --higher-is-better --cv 10"),
    ],
)
def test_all_that_is_lacking_is_said_at_once(given: dict[str, str], call: str, typed: str) -> None:
    """With the call that works, instead of one error after the other, and with names as they were typed."""
    with pytest.raises(UnclearSourceError) as caught:
        read_scores({"a": [0.1, 0.2], "b": [0.2, 0.4]}, **given)
    assert str(caught.value).endswith(f"All together, for example: compare(..., {call}).")
    assert as_typed(caught.value).endswith(f"All together, for example: {typed}.")
    assert "All together" not in told(UnclearSourceError, read_scores, {"a": [0.1, 0.2], "b": [0.2, 0.4]}, **given, cv=2)
