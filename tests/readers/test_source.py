"""A metric behind the name that a source or a caller gives it."""

import pytest
from sklearn.metrics import get_scorer, get_scorer_names

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


def test_plain_loss_is_taken_at_its_word() -> None:
    """'log_loss' without neg_ is the loss itself."""
    assert name_metric("log_loss") == (Metric("log_loss", False), 1)
    assert name_metric("neg_log_loss") == (Metric("log_loss", False), -1)
    assert name_metric("neg_log_loss", True) == name_metric("neg_log_loss", False) == name_metric("neg_log_loss")


def test_other_names_need_a_direction() -> None:
    """The direction is named, never read off the data; a misspelling leads to the name whose direction is known."""
    assert name_metric("utility", lower_is_better=False).metric == Metric("utility", True)
    assert name_metric("regret", lower_is_better=True).metric == Metric("regret", False)
    with pytest.raises(UnclearSourceError, match=r"higher or lower better for the metric 'regret'\? Pass lower_is_better="):
        name_metric("regret")
    with pytest.raises(UnclearSourceError, match="scikit-learn's name 'accuracy'"):
        name_metric("acuracy")
    with pytest.raises(UnclearSourceError, match="'neg_accuracy'"):
        name_metric("neg_accuracy")


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("AUC", "roc_auc"),
        ("Accuracy", "accuracy"),
        ("Log loss", "log_loss"),
        ("RMSE", "root_mean_squared_error"),
        ("neg_rmse", "neg_root_mean_squared_error"),
        ("F1-macro", "f1_macro"),
    ],
)
def test_scikit_learns_metrics_are_known_as_people_write_them(name: str, full: str) -> None:
    """Capitals, blanks and short names ask for no direction."""
    assert name_metric(name) == name_metric(full)


def test_the_part_of_the_data_changes_no_direction() -> None:
    """Names as trackers of experiments write them stay as they are; scores of training data are compared only when asked for."""
    assert name_metric("val_acc").metric == Metric("val_acc", True)
    assert name_metric("eval/loss").metric == Metric("eval/loss", False)
    with pytest.raises(UnclearSourceError, match="'train_acc'"):
        name_metric("train_acc")


def test_a_held_metric_is_found_however_it_is_written() -> None:
    """Unless two of them are the same one."""
    assert choose_metric(["roc_auc", "Log loss"], "AUC", "the table") == "roc_auc"
    assert choose_metric(["NDCG@10", "ndcg"], "ndcg@10", "the table") == "NDCG@10"
    with pytest.raises(UnclearSourceError, match=r"^the table has 'AUC' and 'auc', and each may be the metric 'Auc'\."):
        choose_metric(["AUC", "auc"], "Auc", "the table")
    with pytest.raises(UnknownNameError, match="no metric is called 'f1'"):
        choose_metric(["AUC", "auc"], "f1", "the table")


@pytest.mark.parametrize("name", ["AUC", "score", "match"])
def test_a_usual_direction_yields_to_the_caller(name: str) -> None:
    """An AUC of which less is better, as of a concentration over time, is not the area under the ROC curve."""
    assert name_metric(name).metric.higher_is_better
    assert name_metric(name, lower_is_better=True) == (Metric(name, False), 1)
    assert name_metric("loss", lower_is_better=False) == (Metric("loss", True), 1)


@pytest.mark.parametrize("name", ["exact_match", "rougeL", "BLEU", "win_rate", "NDCG@10", "mAP50"])
def test_metrics_that_scikit_learn_does_not_have_keep_their_name(name: str) -> None:
    """As it was typed; a direction that contradicts what it means is a mistake."""
    assert name_metric(name) == name_metric(name, lower_is_better=False) == (Metric(name, True), 1)
    with pytest.raises(InvalidParameterError, match=f"lower_is_better=True contradicts the metric '{name}', of which higher"):
        name_metric(name, lower_is_better=True)


def test_negated_losses_of_others() -> None:
    """They are turned, as scikit-learn's are."""
    assert name_metric("neg_crps") == (Metric("crps", False), -1)
    assert name_metric("Neg RMSE") == (Metric("root_mean_squared_error", False), -1)


def test_direction_against_the_list_is_refused() -> None:
    """Saying that lower accuracy is better is a mistake, and so is a direction that is none."""
    with pytest.raises(InvalidParameterError, match="lower_is_better=True contradicts the metric 'accuracy', of which higher"):
        name_metric("accuracy", lower_is_better=True)
    with pytest.raises(InvalidParameterError, match="lower_is_better=False contradicts the metric 'log_loss', of which lower"):
        name_metric("log_loss", lower_is_better=False)
    with pytest.raises(InvalidParameterError, match="must be True, False or None; got 'yes'"):
        name_metric("regret", lower_is_better="yes")  # type: ignore[arg-type]


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
    with pytest.raises(UnclearSourceError) as caught:
        read_scores({"a": [0.1, 0.2], "b": [0.2, 0.4]}, **given, cv=2)
    assert "All together" not in str(caught.value)
