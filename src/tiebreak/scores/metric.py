"""A metric: its name as users say it, and its direction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

HIGHER_IS_BETTER = frozenset(
    """accuracy adjusted_mutual_info_score adjusted_rand_score average_precision balanced_accuracy completeness_score
    d2_absolute_error_score d2_brier_score d2_log_loss_score explained_variance f1 f1_macro f1_micro f1_samples f1_weighted
    fowlkes_mallows_score homogeneity_score jaccard jaccard_macro jaccard_micro jaccard_samples jaccard_weighted
    matthews_corrcoef mutual_info_score normalized_mutual_info_score positive_likelihood_ratio precision precision_macro
    precision_micro precision_samples precision_weighted r2 rand_score recall recall_macro recall_micro recall_samples
    recall_weighted roc_auc roc_auc_ovo roc_auc_ovo_weighted roc_auc_ovr roc_auc_ovr_weighted top_k_accuracy
    v_measure_score""".split()
)
"""scikit-learn's scorers whose own value is the score; a test holds the list equal to scikit-learn's."""

LOWER_IS_BETTER = frozenset(
    """brier_score log_loss max_error mean_absolute_error mean_absolute_percentage_error mean_gamma_deviance
    mean_poisson_deviance mean_squared_error mean_squared_log_error median_absolute_error negative_likelihood_ratio
    root_mean_squared_error root_mean_squared_log_error""".split()
)
"""Losses that scikit-learn offers with the prefix ``neg_``; none of them is ever negative."""

SHARES = frozenset(
    name
    for name in HIGHER_IS_BETTER
    if name in {"accuracy", "average_precision", "balanced_accuracy", "top_k_accuracy", "rand_score"}
    or name.split("_")[0] in {"f1", "jaccard", "precision", "recall", "roc"}
)
"""Metrics between 0 and 1, which people also write in percent."""

UP_TO_ONE = frozenset(
    """adjusted_mutual_info_score adjusted_rand_score d2_absolute_error_score d2_brier_score d2_log_loss_score explained_variance
    r2""".split()
)
"""Metrics that are at most 1, and may be as bad as can be."""

ZERO_TO_ONE = SHARES | {
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "normalized_mutual_info_score",
    "v_measure_score",
}

ABBREVIATIONS = {
    "acc": "accuracy",
    "auc": "roc_auc",
    "auroc": "roc_auc",
    "ap": "average_precision",
    "brier": "brier_score",
    "logloss": "log_loss",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "mcc": "matthews_corrcoef",
    "mse": "mean_squared_error",
    "rmse": "root_mean_squared_error",
    "rmsle": "root_mean_squared_log_error",
}
"""Short names of scikit-learn's metrics, in lower case."""

MORE_IS_BETTER = frozenset(
    """acc_norm bleu choice correct em exact_match includes match model_graded_fact model_graded_qa pass pass@1 pattern preference
    rouge1 rouge2 rougel score win win_rate""".split()
)
"""Names of further scores, in lower case, of which more is better unless the caller says otherwise."""


def full_name(name: str) -> str:
    """Name in scikit-learn of a metric as people write it ("AUC", "Log loss"); the name itself where it has none."""
    word = re.sub(r"[\s-]+", "_", name.strip().casefold())
    own = ABBREVIATIONS.get(word.removeprefix("neg_"), word.removeprefix("neg_"))
    if own in LOWER_IS_BETTER:
        return f"neg_{own}" if word.startswith("neg_") else own
    return own if own in HIGHER_IS_BETTER and not word.startswith("neg_") else name


@dataclass(frozen=True, slots=True)
class Metric:
    """Name and direction of what was measured.

    Attributes
    ----------
    name : str
        As its users call it: scikit-learn's ``neg_log_loss`` is ``log_loss``.
    higher_is_better : bool
    """

    name: str
    higher_is_better: bool

    @property
    def sign(self) -> int:
        """+1 or -1: what turns a raw difference into one where positive favours the first model."""
        return 1 if self.higher_is_better else -1

    @property
    def is_share(self) -> bool:
        """True for a metric that lies between 0 and 1 by definition."""
        return self.name in SHARES

    def bounds_of(self, lowest: float, highest: float) -> tuple[float, float]:
        """Smallest and largest value that the metric can have, for scores between `lowest` and `highest`; infinite where unknown.

        Scores that lie outside are in another unit, such as per cent, and have no known bounds.
        """
        if self.name == "matthews_corrcoef":
            low, high = -1.0, 1.0
        elif self.name in ZERO_TO_ONE:
            low, high = 0.0, 1.0
        else:
            is_never_negative = self.name in LOWER_IS_BETTER or self.name in {"mutual_info_score", "positive_likelihood_ratio"}
            low = 0.0 if is_never_negative else -float("inf")
            high = 1.0 if self.name in UP_TO_ONE else float("inf")
        return (-float("inf"), float("inf")) if lowest < low or highest > high else (low, high)


def joint_metric(metrics: Sequence[Metric]) -> Metric:
    """Stand-in for metrics that differ by dataset: their names, and higher is better, as scores are turned to compare them."""
    names = list(dict.fromkeys(metric.name for metric in metrics))
    few = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return Metric(few if len(names) <= _MOST_NAMED else f"{len(names)} metrics", higher_is_better=True)


_MOST_NAMED = 3
"""Metrics that are named where they stand for one."""
