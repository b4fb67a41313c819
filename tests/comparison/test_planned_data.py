"""Planned data: standard errors, degrees of freedom and costs of each kind, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.comparison.planned_data import (
    PlannedAreas,
    PlannedData,
    PlannedDatasets,
    PlannedGrades,
    PlannedItems,
    PlannedLikePilot,
    PlannedRates,
    PlannedSeeds,
    PlannedSplits,
    discordant_share,
)

KINDS: list[tuple[PlannedData, str, float, float]] = [
    (PlannedItems(discordant=0.2), "tango", np.sqrt((0.2 - 0.01) / 50), np.inf),
    (PlannedItems(sd=2.0), "clustered-t", 2 / np.sqrt(50), 49),
    (PlannedItems(sd=2.0, cluster_size=5, intraclass_correlation=0.5), "clustered-t", np.sqrt(4 * 3 / 50), 9),
    (PlannedItems(sd=2.0, n_runs=4, run_sd=1.0, shared_run_sd=0.2), "clustered-t", np.sqrt(3 / 50 + 0.01 + 1 / 200), 49),
    (PlannedDatasets(sd=2.0), "wilcoxon", 2 * np.sqrt(np.pi / 150), np.inf),
    (PlannedSplits(sd=2.0, n_folds=10, test_train_ratio=0.1), "corrected-t", 2 * np.sqrt(1 / 500 + 0.1), 499),
    (PlannedSeeds(sd=(1.0, 1.0), is_paired=False), "welch", np.sqrt(2 / 50), 98),
    (PlannedSeeds(sd=(3.0, 3.0), is_paired=True), "paired-t", 3 / np.sqrt(50), 49),
    (PlannedGrades(sd=(3.0, 4.0)), "welch", 5 / np.sqrt(50), 25**2 / (81 + 256) * 49),
    (PlannedRates(rate=0.5), "newcombe", np.sqrt((0.6 * 0.4 + 0.25) / 50), np.inf),
    (
        PlannedLikePilot(unit="item", question="examples", method="jackknife-t", pilot_error=0.2, pilot_df=9, pilot_n=10),
        "jackknife-t",
        0.2 / np.sqrt(5),
        45,
    ),
]


@pytest.mark.parametrize(("data", "procedure", "error", "df"), KINDS, ids=lambda each: getattr(each, "question", None))
def test_errors_and_degrees_of_freedom(data: PlannedData, procedure: str, error: float, df: float) -> None:
    """Of 50 units and a difference of 0.1, as the formula of each procedure has them."""
    assert data.procedure == procedure
    assert data.standard_error(50, 0.1) == pytest.approx(error)
    assert data.df(50) == pytest.approx(df)


@pytest.mark.parametrize(("data", "_procedure", "_error", "_df"), KINDS, ids=lambda each: getattr(each, "question", None))
def test_a_larger_spread_is_a_larger_error(data: PlannedData, _procedure: str, _error: float, _df: float) -> None:
    """Twice the spread doubles the error, but for rates, which say themselves how much they vary."""
    ratio = data.scaled(2.0).standard_error(50, 0.0) / data.standard_error(50, 0.0)
    assert ratio == pytest.approx(1.0 if isinstance(data, PlannedRates) else 2.0)


def test_areas_have_the_error_of_both_classes() -> None:
    """Without correlation the squared error is the sum of both models', and equal classes have n - 2 degrees of freedom."""
    data = PlannedAreas(area=0.8, correlation=0.0, positives=0.5)
    one, other = (PlannedAreas(area=a, correlation=0.0, positives=0.5).standard_error(200, 0.0) ** 2 for a in (0.8, 0.9))
    assert data.standard_error(200, 0.1) == pytest.approx(np.sqrt((one + other) / 2))
    assert data.df(200) == pytest.approx(198)
    assert data.scaled(2.0).standard_error(200, 0.0) == pytest.approx(2 * data.standard_error(200, 0.0))


def test_discordant_share_of_two_rates() -> None:
    """Independent answers of 0.8 and 0.6 disagree on 0.8 x 0.4 + 0.2 x 0.6 = 0.44; at their closest on 0.2."""
    assert discordant_share(0.8, 0.6, 0.0) == pytest.approx(0.44)
    assert discordant_share(0.8, 0.6, 1.0) == pytest.approx(0.2)
