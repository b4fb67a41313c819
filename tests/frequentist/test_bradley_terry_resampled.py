"""Fits of many resamples of a dense table, against the general method."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tiebreak.frequentist import bradley_terry_bootstrap, outcomes_of_battles, outcomes_of_scores
from tiebreak.frequentist.bradley_terry_fit import PairGraph, fit_abilities
from tiebreak.frequentist.bradley_terry_resampled import DenseFit
from tiebreak.frequentist.pair_outcomes import PairOutcomes

N_MODELS = 70


def battles(
    n: int, *, is_ordered: bool, seed: int = 0, weight: NDArray[np.float64] | None = None, unit: NDArray[np.int64] | None = None
) -> PairOutcomes:
    """Battles of 70 models from the Bradley-Terry model with a judge that favours the first, a sixth of them ties."""
    rng = np.random.default_rng(seed)
    ability = np.sort(rng.normal(0, 1, N_MODELS))
    a = rng.integers(0, N_MODELS, n)
    b = (a + rng.integers(1, N_MODELS, n)) % N_MODELS
    won = rng.random(n) < 1 / (1 + np.exp(ability[b] - ability[a] - 0.3))
    outcome = np.where(rng.random(n) < 1 / 6, 0, np.where(won, 1, -1))
    return outcomes_of_battles(a, b, outcome, n_models=N_MODELS, is_ordered=is_ordered, weight=weight, unit=unit)


def fitted(outcomes: PairOutcomes) -> tuple[PairGraph, NDArray[np.float64], float | None, DenseFit]:
    graph = PairGraph.of(N_MODELS, outcomes.first, outcomes.second, has_position=outcomes.is_ordered)
    sums = outcomes.sums(outcomes.once)
    ability, side, _ = fit_abilities(graph, sums, "half", start_nu=0.0 if outcomes.is_ordered else 1.0)
    position = float(side[0]) if outcomes.is_ordered else None
    played = np.zeros((N_MODELS, N_MODELS))
    played[outcomes.first, outcomes.second] = sum(sums)[0]
    return graph, ability[0], position, DenseFit(played, ability[0], position)


@pytest.mark.parametrize("is_ordered", [False, True])
@pytest.mark.parametrize("kind", ["battles", "weights", "clusters"])
def test_each_resample_has_the_abilities_of_the_general_method(is_ordered: bool, kind: str) -> None:
    """The likelihood has one maximum, so both methods must find it, to 1e-7 of log-odds, with a position and without."""
    n = 12_000
    rng = np.random.default_rng(5)
    outcomes = battles(
        n,
        is_ordered=is_ordered,
        weight=rng.uniform(0.2, 2, n) if kind == "weights" else None,
        unit=rng.integers(0, 3_000, n) if kind == "clusters" else None,
    )
    graph, ability, position, dense = fitted(outcomes)
    for table in outcomes.resampled_tables(12, rng=3):
        found = dense.fit(table)
        assert found is not None
        sums = tuple(kind[None, outcomes.first, outcomes.second] for kind in table)
        again, side, _ = fit_abilities(graph, sums, "half", ability, 1.0 if position is None else position, 1e-9)
        assert np.abs(found[0] - found[0].mean() - again[0]).max() < 1e-7
        if is_ordered:
            assert found[1] == pytest.approx(float(side[0]), abs=1e-7)


def test_a_model_without_a_finite_ability_is_left_to_the_general_method() -> None:
    """A model that never won has no finite ability, so that steps come to no end and it is left to the general method."""
    outcomes = battles(12_000, is_ordered=True)
    _, _, _, dense = fitted(outcomes)
    (table,) = outcomes.resampled_tables(1, rng=0)
    table[0, 5], table[2, 5], table[1, :, 5], table[2, :, 5] = 0, 0, 0, 0  # never won, never tied
    assert dense.fit(table) is None


def test_resamples_are_those_of_the_general_method() -> None:
    """The tables are drawn as `resamples` draws, so with one seed both are the same battles, whatever the kind of unit."""
    scores = np.random.default_rng(1).normal(size=(N_MODELS, 30))
    unit = np.random.default_rng(2).integers(0, 500, 3_000)
    for outcomes in (battles(3_000, is_ordered=True), battles(3_000, is_ordered=False, unit=unit), outcomes_of_scores(scores)):
        tables = np.array(list(outcomes.resampled_tables(5, rng=7)))
        blocks = list(outcomes.resamples(5, 7, N_MODELS**2))
        sums = [np.concatenate([block[kind] for block in blocks]) for kind in range(3)]
        np.testing.assert_array_equal(tables[:, :, outcomes.first, outcomes.second], np.stack(sums, axis=1))
        assert tables.sum() == sum(each.sum() for each in sums)


def test_many_battles_are_drawn_by_the_same_law() -> None:
    """Each resample of 30,100 battles has as many, each drawn once on average with variance 1 - 1/n (multinomial).

    Seed 0 is fixed; over 40 resamples the mean square deviation of 30,100 counts has the standard error sqrt(3 / 1.2e6) = 0.0016
    (the fourth central moment of a Poisson variable of mean 1 is 4, so that of the square is 3), and 4 of them are allowed.
    """
    from tiebreak.frequentist.pair_outcomes import _drawn

    one, two = np.ones(30_100, dtype=np.int64), np.full(15_050, 2)
    counts = _drawn(np.random.default_rng(0), one, 40)
    assert (counts.sum(axis=1) == 30_100).all()
    assert np.square(counts - 1.0).mean() == pytest.approx(1, abs=0.0064)
    assert counts[:, -20:].mean() == pytest.approx(1, abs=4 / np.sqrt(800))  # the last stretch is shorter than the others
    doubled = _drawn(np.random.default_rng(0), two, 40)
    assert (doubled.sum(axis=1) == 30_100).all()
    assert np.square(doubled - 2.0).mean() == pytest.approx(2, abs=4 * np.sqrt(10 / doubled.size))  # Poisson 2: fourth moment 14


def test_bootstrap_of_a_dense_table_agrees_with_the_general_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same resamples fitted either way give the same draws to 1e-7, and the same intervals of ranks."""
    outcomes = battles(9_000, is_ordered=True, seed=4)
    fast = bradley_terry_bootstrap(outcomes, n_resamples=40, rng=1)
    monkeypatch.setattr(PairGraph, "is_dense", property(lambda _: False))
    slow = bradley_terry_bootstrap(outcomes, n_resamples=40, rng=1)
    np.testing.assert_allclose(fast.draws, slow.draws, atol=1e-6)  # the general method stops at about 1e-6
    np.testing.assert_allclose(fast.position_draws, slow.position_draws, atol=1e-6)
    np.testing.assert_array_equal(fast.rank_intervals(), slow.rank_intervals())
