"""Names, directions and bounds, held equal to scikit-learn's own list of scorers."""

import numpy as np
import pytest
from sklearn.metrics import get_scorer, get_scorer_names

from tiebreak.scores.metric import HIGHER_IS_BETTER, LOWER_IS_BETTER, SHARES, Metric, direction_of, full_name, names_loss

NEGATED = {name for name in get_scorer_names() if get_scorer(name)._sign == -1}


def test_higher_is_better_is_scikit_learns_list() -> None:
    """Every scorer that is not negated, and nothing else."""
    assert set(get_scorer_names()) - NEGATED == HIGHER_IS_BETTER


def test_lower_is_better_is_scikit_learns_list() -> None:
    """Every negated scorer under its plain name; a few of scikit-learn's are negated without saying neg_."""
    assert {name.removeprefix("neg_") for name in NEGATED} == LOWER_IS_BETTER


def test_every_negated_scorer_says_so_in_its_name() -> None:
    """The rule 'neg_x is x, lower is better' relies on it."""
    assert all(name.startswith("neg_") for name in NEGATED)


@pytest.mark.parametrize("name", sorted(LOWER_IS_BETTER))
def test_no_known_loss_is_ever_negative(name: str) -> None:
    """A negative value of one of these contradicts its name, so none may be negative by definition: all are zero at best."""
    function = get_scorer(f"neg_{name}")._score_func
    truth = np.array([1.0, 2.0, 3.0])
    best = {
        "log_loss": (np.array([0, 1, 1]), np.array([0.0, 1.0, 1.0])),
        "brier_score": (np.array([0, 1, 1]), np.array([0.0, 1.0, 1.0])),
        "negative_likelihood_ratio": (np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1])),  # no positive is missed
    }.get(name, (truth, truth))
    assert function(*best) == pytest.approx(0, abs=1e-12)


def test_shares_lie_between_zero_and_one() -> None:
    """Metrics that people also write in percent; a correlation or R2 is none."""
    assert {"accuracy", "roc_auc", "f1_macro", "roc_auc_ovr_weighted"} <= SHARES <= HIGHER_IS_BETTER
    assert not {"r2", "matthews_corrcoef", "positive_likelihood_ratio"} & SHARES
    assert Metric("accuracy", True).is_share
    assert not Metric("log_loss", False).is_share


def test_bounds_are_those_of_the_definition():
    """A share is between 0 and 1 unless it is in per cent; R2 is at most 1, an error at least 0; of others nothing is known."""
    infinite = float("inf")
    assert Metric("accuracy", True).bounds_of(0.2, 0.9) == (0, 1)
    assert Metric("accuracy", True).bounds_of(20, 90) == (-infinite, infinite)
    assert Metric("r2", True).bounds_of(-3.0, 0.9) == (-infinite, 1)
    assert Metric("log_loss", False).bounds_of(0.1, 2.0) == (0, infinite)
    assert Metric("matthews_corrcoef", True).bounds_of(0.1, 0.2) == (-1, 1)
    assert Metric("profit", True).bounds_of(0.1, 0.2) == (-infinite, infinite)
    assert Metric("mAP50", True).bounds == Metric("mean IoU", True).bounds == (0, 1)
    assert Metric("WER", False).bounds == (0, infinite)
    assert Metric("nll", False).bounds == (-infinite, infinite)


MORE = """ndcg map mrr dice iou jaccard mAP mAP50 mAP@50-95 kappa cohen_kappa pr_auc auprc pass_rate pass@k bleu BLEU-4 rouge-l
    Rouge2 meteor chrf bertscore psnr ssim is top1 top-5 top5_accuracy hit@10 hits@10 recall@k ndcg@10 precision@k f1-score
    F1-scores macro-f1 weighted_kappa macro_auc sensitivity specificity npv ppv balanced_acc bacc c-index concordance_index
    r2_score adjusted_r2 explained_variance roc_auc_score mean_iou"""
LESS = """wer cer perplexity ppl nll cross_entropy crps pinball smape mase wape rmsse ter lpips fid eer medae max_error
    hamming_loss hinge_loss zero_one_loss error_rate brier ece logloss deviance RMSEs top5_error val_loss"""


@pytest.mark.parametrize("name", [*MORE.split(), *LESS.split()])
def test_names_that_people_use_tell_their_direction(name: str) -> None:
    """Those that the documentation of their fields defines; compared without case, blanks, hyphens and a plural s."""
    assert direction_of(name) is (name in MORE.split())
    assert direction_of(name.upper().replace("-", " ").replace("_", " ")) is (name in MORE.split())


@pytest.mark.parametrize(
    "name", ["gini", "ks", "lift", "err", "mean_rank", "regret", "cost", "latency", "", "neg_rmse", "s", "42"]
)
def test_names_of_either_direction_tell_none(name: str) -> None:
    """A Gini of scores and one of samples, an error and an expected reciprocal rank; a rank is no metric."""
    assert direction_of(name) is None


def test_names_in_full() -> None:
    """Other names of scikit-learn's metrics and of nothing else; a loss that may be negative is not known to be none."""
    for name, full in (("Log loss", "log_loss"), ("r2_score", "r2"), ("F1-Score", "f1"), ("BACC", "balanced_accuracy")):
        assert full_name(name) == full
    assert [full_name(name) for name in ("neg_rmse", "neg_acc", "ndcg")] == ["neg_root_mean_squared_error", "neg_acc", "ndcg"]
    assert [names_loss(name) for name in ("rmse", "wer", "nll", "loss", "accuracy")] == [True, True, False, False, False]
