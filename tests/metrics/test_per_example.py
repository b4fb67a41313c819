"""What each row contributes to a metric that is a mean over rows."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.metrics.per_example import is_mean_of_rows, values_by_row
from tiebreak.metrics.resolve import resolve_scorers
from tiebreak.metrics.targets import UndefinedScore, make_truth

OF_CLASSES = ["accuracy", "f1_micro", "neg_log_loss", "neg_brier_score"]
OF_NUMBERS = ["neg_mean_absolute_error", "neg_mean_squared_error"]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_the_mean_is_the_metric_of_classes(name: str, n_classes: int, rng: np.random.Generator) -> None:
    """The scorer itself, which other tests hold equal to scikit-learn's; labels are texts."""
    labels = np.array(["no", "perhaps", "yes"])[:n_classes]
    y = labels[rng.integers(0, n_classes, 50)]
    truth = make_truth(y, classifier=True)
    outputs = {"predict": labels[rng.integers(0, n_classes, 50)], "predict_proba": rng.dirichlet(np.ones(n_classes), 50)}
    (scorer,) = resolve_scorers(name, classifier=True, n_classes=n_classes)
    assert is_mean_of_rows(scorer, truth)
    values = values_by_row(scorer, truth, outputs)
    assert values.shape == (50,)
    assert values.mean() == pytest.approx(scorer.score(truth, outputs, truth.classes), abs=1e-12)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_the_mean_is_the_metric_of_numbers(name: str, rng: np.random.Generator) -> None:
    """Likewise."""
    truth, outputs = make_truth(rng.normal(size=30), classifier=False), {"predict": rng.normal(size=30)}
    (scorer,) = resolve_scorers(name, classifier=False, n_classes=None)
    assert values_by_row(scorer, truth, outputs).mean() == pytest.approx(scorer.score(truth, outputs, None), abs=1e-12)


@pytest.mark.parametrize("name", ["roc_auc", "f1", "balanced_accuracy"])
def test_other_metrics_are_not_taken_for_means(name: str) -> None:
    """What they are worth depends on all rows at once."""
    (scorer,) = resolve_scorers(name, classifier=True, n_classes=2)
    assert not is_mean_of_rows(scorer, make_truth([0, 1], classifier=True))


def test_what_is_not_finite_is_undefined() -> None:
    """A prediction that is nan has no error."""
    (scorer,) = resolve_scorers("neg_mean_absolute_error", classifier=False, n_classes=None)
    with pytest.raises(UndefinedScore, match=r"^predict is not finite on 1 row\(s\)$"):
        values_by_row(scorer, make_truth([1.0, 2.0], classifier=False), {"predict": np.array([np.nan, 1.0])})
