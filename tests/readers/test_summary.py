"""Tables of means: what each is of, which column holds the scores, and numbers that cannot be."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import RepeatedKFold

import tiebreak as tb
from tiebreak.scores.scores import Summary

ONE = {"model": ["a", "b"], "accuracy": [0.912, 0.874]}


def means_of(table: dict[str, list[object]], **options: object) -> tuple[list[float], Summary]:
    """The means that are read, and what is known of them."""
    scores = tb.read_scores(pd.DataFrame(table), **options)
    assert scores.design.kind == "means"
    return scores.matrix().score[:, 0].tolist(), scores.matrix().summary


@pytest.mark.parametrize(
    ("columns", "options", "kind", "n"),
    [
        ({"accuracy": [0.912, 0.874]}, {"n_test": 1000}, "rates", (1000,)),
        ({"recall": [0.9, 0.8]}, {"n_test": (40, 960)}, "rates", (40,)),
        ({"specificity": [0.9, 0.8]}, {"n_test": (40, 960)}, "rates", (960,)),
        ({"accuracy": [0.912, 0.874]}, {"n_test": (40, 960)}, "rates", (1000,)),
        ({"AUC": [0.912, 0.874]}, {"n_test": (40, 960)}, "areas", (40, 960)),
        ({"f1_mean": [0.9, 0.8], "f1_std": [0.01, 0.02]}, {"cv": 5}, "folds", (5, 5)),
        ({"f1_mean": [0.9, 0.8], "f1_std": [0.01, 0.02]}, {"cv": RepeatedKFold(n_splits=5, n_repeats=10)}, "folds", (50, 5)),
        ({"f1 (mean)": [0.9, 0.8], "f1 (std)": [0.01, 0.02]}, {"cv": 5, "rows": "seeds"}, "runs", (5,)),
    ],
)
def test_the_caller_says_what_means_are_of(columns, options, kind, n):
    """Examples of a test set, of both classes where a metric tells them apart, folds in all and in a repeat, or runs."""
    _, means = means_of({"model": ["a", "b"], **columns}, **options)
    assert (means.kind, means.n) == (kind, n)


@pytest.mark.parametrize(
    ("columns", "options", "values"),
    [
        ({"Train Accuracy": [1, 1], "Test Accuracy": [0.9, 0.8], "fit_time": [3, 4]}, {}, [0.9, 0.8]),
        ({"val_acc": [0.95, 0.85], "test_acc": [0.9, 0.8], "test_f1": [0.7, 0.6]}, {"metric": "accuracy"}, [0.9, 0.8]),
        ({"val_acc": [0.95, 0.85], "test_acc": [0.9, 0.8]}, {"metric": "val_acc"}, [0.95, 0.85]),
        ({"Accuracy": ["91.2%", "87.4%"]}, {}, [0.912, 0.874]),
        ({"Accuracy": [91.2, 87.4]}, {}, [0.912, 0.874]),
        ({"acc": ["0.91 ± 0.02", "0.87 ± 0.03"]}, {}, [0.91, 0.87]),
        ({"acc": ["0.91(+/-0.02)", "0.87(+/-0.03)"]}, {}, [0.91, 0.87]),
        ({"acc": ["0.91 (0.02)", "0.87 (0.03)"]}, {}, [0.91, 0.87]),
        (
            {"score_test": [0.9, 0.8], "score_val": [0.91, 0.81], "eval_metric": ["accuracy"] * 2, "fit_order": [1, 2]},
            {},
            [0.9, 0.8],
        ),
        ({"AUC (95% CI)": ["0.91 (0.88-0.94)", "0.89 (0.85-0.92)"]}, {"n_test": (100, 200)}, [0.91, 0.89]),
        ({"Top-1 Acc.": [91.2, 87.4], "Top-5 Acc.": [99, 98], "FLOPs (G)": [1, 2]}, {"metric": "Top-1 Acc."}, [0.912, 0.874]),
        ({"acc,none": [0.9, 0.8], "acc_stderr,none": [0.01, 0.01]}, {}, [0.9, 0.8]),
        (
            {
                "average_precision_mean": [0.9, 0.8],
                "ap_std": [0.1, 0.1],
                "precision_mean": [0.6, 0.7],
                "precision_std": [0.1, 0.2],
            },
            {"metric": "precision", "n_test": None, "cv": 5},
            [0.6, 0.7],
        ),
        ({"mean_iou": [0.9, 0.8], "std_iou": [0.1, 0.1]}, {"metric": "iou", "n_test": None, "cv": 5}, [0.9, 0.8]),
    ],
)
def test_the_column_of_test_scores_is_found_by_its_name(columns, options, values):
    """Training scores, times and other metrics are left aside; percentages become fractions."""
    found, _ = means_of({"model": ["a", "b"], **columns}, **{"n_test": 1000, **options})
    assert found == pytest.approx(values)


@pytest.mark.parametrize(
    ("columns", "deviation"),
    [
        ({"f1": [0.9, 0.8], "f1 Std": [0.02, 0.03]}, np.sqrt(5 / 4) * np.array([0.025, 0.035])),
        ({"f1": ["0.9 ± 0.02", "0.8 ± 0.03"]}, np.sqrt(5 / 4) * np.array([0.025, 0.035])),
        ({"f1": [0.9, 0.8], "f1_sem": [0.02, 0.03]}, np.sqrt(5) * np.array([0.025, 0.035])),
        ({"f1": [0.9, 0.8], "f1 95-CI": [0.02, 0.03]}, np.sqrt(5) / 1.96 * np.array([0.025, 0.035])),
    ],
)
def test_what_stands_beside_a_mean_becomes_a_deviation_at_most(columns, deviation):
    """By hand, of five folds: half a digit more, times sqrt(5/4), of errors sqrt(5), of halves of intervals sqrt(5) / 1.96."""
    _, means = means_of({"model": ["a", "b"], **columns}, cv=5)
    assert means.deviation == pytest.approx(deviation)


@pytest.mark.parametrize("names", [("CV Mean", "CV Std"), ("Mean Accuracy", "Std Dev"), ("cv_accuracy", "cv_std")])
def test_with_a_number_of_folds_the_mean_that_has_a_deviation_is_taken(names):
    """A table may have the score of a test set beside it."""
    table = {"model": ["a", "b"], names[0]: [0.9, 0.8], names[1]: [0.01, 0.02], "test_accuracy": [0.7, 0.6]}
    assert means_of(table, metric="accuracy", cv=5)[0] == [0.9, 0.8]
    assert means_of(table, metric="accuracy", n_test=100)[0] == [0.7, 0.6]


@pytest.mark.parametrize(
    ("accuracy", "rounding"),
    [([0.9, 0.874], 5e-4), ([90.0, 87.4], 5e-4), ([1.0, 1.0], 0.05), ([100, 90], 0.005)],
    ids=str,
)
def test_rounding_is_that_of_the_most_digits_in_the_column(accuracy, rounding):
    """0.9 beside 0.874 was printed as 0.900; a share of 1.0 as 1.0, which are 950 to 1,000 of 1,000 examples; 100 % as 100."""
    assert means_of({"model": ["a", "b"], "accuracy": accuracy}, n_test=1000)[1].rounding.tolist() == pytest.approx(
        [rounding] * 2
    )
