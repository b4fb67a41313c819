"""A metric behind the name that a source or a caller gives it."""

from __future__ import annotations

import pytest
from sklearn.metrics import get_scorer, get_scorer_names

from tiebreak.errors import InvalidParameterError, UnknownDirectionError, UnknownNameError
from tiebreak.readers.metric import choose_metric, name_metric
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


def test_other_names_need_a_direction() -> None:
    """The direction is named, never read off the data."""
    assert name_metric("utility", lower_is_better=False).metric == Metric("utility", True)
    assert name_metric("regret", lower_is_better=True).metric == Metric("regret", False)
    with pytest.raises(UnknownDirectionError, match=r"higher or lower better for the metric 'regret'\? Pass lower_is_better="):
        name_metric("regret")


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


def test_a_held_metric_is_found_however_it_is_written() -> None:
    """Unless two of them are the same one."""
    assert choose_metric(["roc_auc", "Log loss"], "AUC", "the table") == "roc_auc"
    assert choose_metric(["AUC", "accuracy"], "auc", "the table") == "AUC"
    with pytest.raises(UnknownNameError, match="no metric is called 'Auc'"):
        choose_metric(["AUC", "auc"], "Auc", "the table")


def test_an_abbreviation_with_the_other_direction_is_another_metric() -> None:
    """An AUC of which less is better, as of a concentration over time, is not the area under the ROC curve."""
    assert name_metric("AUC", lower_is_better=True) == (Metric("AUC", False), 1)


@pytest.mark.parametrize("name", ["exact_match", "rougeL", "BLEU", "win_rate"])
def test_more_of_a_usual_score_is_better(name: str) -> None:
    """Scores of answers that scikit-learn does not have, unless the caller says otherwise."""
    assert name_metric(name).metric == Metric(name, True)
    assert name_metric(name, lower_is_better=True).metric == Metric(name, False)


def test_unknown_name_suggests_scikit_learns() -> None:
    """Misspellings lead to the name whose direction is known."""
    with pytest.raises(UnknownDirectionError, match="scikit-learn's name 'accuracy'"):
        name_metric("acuracy")


def test_direction_against_the_list_is_refused() -> None:
    """Saying that lower accuracy is better is a mistake."""
    with pytest.raises(InvalidParameterError, match="lower_is_better=True contradicts the metric 'accuracy', of which higher"):
        name_metric("accuracy", lower_is_better=True)
    with pytest.raises(InvalidParameterError, match="lower_is_better=False contradicts the metric 'log_loss', of which lower"):
        name_metric("log_loss", lower_is_better=False)


def test_direction_must_be_a_bool() -> None:
    """0 and 'yes' are not accepted."""
    with pytest.raises(InvalidParameterError, match="must be True, False or None; got 'yes'"):
        name_metric("regret", lower_is_better="yes")  # type: ignore[arg-type]
