"""The runs of a store in a table and for programs."""

from tiebreak.stores.contract import RunSummary
from tiebreak.views import store as views

MOMENT = 1_700_000_000.0
"""2023-11-14 22:13:20 UTC, by ``date -u -d @1700000000``."""


def summary(name: str, n_done: int = 5, metrics: tuple[str, ...] = ("accuracy",)) -> RunSummary:
    """Two models on six splits."""
    return RunSummary(name, MOMENT, MOMENT + 60, 12, n_done, 1, 2, 1, 6, metrics)


def test_programs_get_utc_and_all_metrics() -> None:
    """Names as they are."""
    runs = [summary("a\nb", metrics=("f1", "roc_auc"))]
    document = views.runs_facts((runs, "sqlite:///r.db"))
    assert document["runs"] == [
        {
            "run": "a\nb",
            "n_cells": 12,
            "n_done": 5,
            "n_failed": 1,
            "n_models": 2,
            "n_datasets": 1,
            "n_splits": 6,
            "metrics": ["f1", "roc_auc"],
            "created": "2023-11-14T22:13:20Z",
            "updated": "2023-11-14T22:14:20Z",
        }
    ]
    assert (document["schema"], document["store"]) == (1, "sqlite:///r.db")
    assert views.runs_columns((runs, "sqlite:///r.db"))["metrics"] == ["f1; roc_auc"]
