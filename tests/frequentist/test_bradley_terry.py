"""Bradley-Terry by maximum likelihood: against scipy's minimiser, without a finite answer, and its bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

import tiebreak as tb
from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError

bradley_terry_mle = tb.frequentist.bradley_terry_mle
bootstrap = tb.frequentist.bradley_terry_bootstrap
of_scores, of_battles = tb.frequentist.outcomes_of_scores, tb.frequentist.outcomes_of_battles


def _by_scipy(wins):
    """The maximum, by BFGS with the gradient."""
    played = wins + wins.T

    def loss(x):
        return (wins * np.logaddexp(0, x - x[:, None])).sum()

    def slope(x):
        return (played * special.expit(x[:, None] - x)).sum(axis=1) - wins.sum(axis=1)

    found = optimize.minimize(loss, np.zeros(len(wins)), jac=slope, method="BFGS", options={"gtol": 1e-10}).x
    return found - found.mean()


def test_two_models_have_the_log_odds():
    """With 30 wins of 40 the odds are 3 to 1."""
    assert bradley_terry_mle([[0, 30], [10, 0]]).log_ability == pytest.approx([np.log(3) / 2, -np.log(3) / 2], abs=1e-12)


def test_incomplete_tables_agree_with_scipy():
    """Forty random tables of three to seven models, of which not all pairs met; ties are half wins."""
    rng, n_compared = np.random.default_rng(0), 0
    while n_compared < 40:
        m = int(rng.integers(3, 8))
        wins = rng.poisson(3, (m, m)).astype(float) * (rng.random((m, m)) < 0.6)
        ties = np.triu(rng.poisson(1, (m, m)), 1).astype(float)
        np.fill_diagonal(wins, 0)
        try:
            ability = bradley_terry_mle(wins, ties=ties + ties.T).log_ability
        except InvalidScoresError:
            continue
        if np.all(np.isfinite(ability)):
            assert ability == pytest.approx(_by_scipy(wins + (ties + ties.T) / 2), abs=1e-6)
            n_compared += 1


def test_wide_ranges_converge():
    """A chain in which each beats the next 10,000 to 1: nine times log(10000), by the product of odds, as only neighbours met."""
    wins = np.diag(np.full(9, 1e4), 1) + np.diag(np.ones(9), -1)
    ability = bradley_terry_mle(wins).log_ability
    assert -np.diff(ability) == pytest.approx(np.full(9, np.log(1e4)), abs=1e-9)


def test_davidson_agrees_with_scipy():
    """Three models with a tie parameter, against BFGS on the likelihood written out."""
    wins, ties = np.array([[0, 5, 7], [3, 0, 4], [2, 3, 0.0]]), np.array([[0, 4, 2], [4, 0, 5], [2, 5, 0.0]])

    def loss(x):
        theta = np.append(x[:2], -x[:2].sum())
        d = theta[:, None] - theta
        total = np.log(2 * np.cosh(d / 2) + np.exp(x[2]))
        return -((wins * (d / 2 - total)).sum() + (ties * (x[2] - total)).sum() / 2)

    found = optimize.minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    fit = bradley_terry_mle(wins, ties=ties, tie_model="davidson")
    assert fit.log_ability[:2] == pytest.approx(found[:2], abs=1e-6)
    assert float(fit.tie_parameter) == pytest.approx(np.exp(found[2]), abs=1e-5)


def test_davidson_of_two_models_in_closed_form():
    """Of 8, 2 and 6: the odds are 4, and nu = ties / sqrt(wins losses) = 6 / 4."""
    fit = bradley_terry_mle([[0, 8], [2, 0]], ties=[[0, 6], [6, 0]], tie_model="davidson")
    assert fit.log_ability == pytest.approx([np.log(4) / 2, -np.log(4) / 2], abs=1e-9)
    assert float(fit.tie_parameter) == pytest.approx(1.5, abs=1e-9)


def test_davidson_without_a_circle_of_wins_has_no_finite_fit():
    """Eight wins and six ties: nu = ties / sqrt(8 * 0) is infinite, and the odds are too; the bootstrap says so."""
    fit = bradley_terry_mle([[0, 8], [0, 0]], ties=[[0, 6], [6, 0]], tie_model="davidson")
    assert np.isnan(fit.log_ability).all()
    outcomes = of_battles(np.zeros(14, int), np.ones(14, int), np.repeat([1, 0], [8, 6]), n_models=2)
    with pytest.raises(InvalidScoresError, match="no finite fit, as the wins form no circle, nor do wins with fewer ties"):
        bootstrap(outcomes, tie_model="davidson")


def test_davidson_with_a_circle_of_more_wins_than_ties_has_a_finite_fit():
    """First beats second, that the third, first and third tie: the maximum is BFGS's; without the second win there is none."""
    wins, ties = np.zeros((3, 3)), np.zeros((3, 3))
    wins[0, 1], wins[1, 2], ties[0, 2], ties[2, 0] = 1, 1, 1, 1

    def loss(x):
        d = np.array([x[0] - x[1], x[1] - x[2], x[0] - x[2]])
        return -(d[:2].sum() / 2 + x[3]) + np.logaddexp(np.logaddexp(d / 2, -d / 2), x[3]).sum() + x[:3].sum() ** 2

    found = optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    fit = bradley_terry_mle(wins, ties=ties, tie_model="davidson")
    assert fit.log_ability == pytest.approx(found[:3], abs=1e-5)
    assert np.log(float(fit.tie_parameter)) == pytest.approx(found[3], abs=1e-5)
    wins[1, 2], ties[1, 2], ties[2, 1] = 0, 1, 1
    assert np.isnan(bradley_terry_mle(wins, ties=ties, tie_model="davidson").log_ability).all()


def test_a_circle_outside_the_part_that_is_fitted_gives_davidson_no_finite_fit():
    """Three that beat each other in a circle say nothing of four that beat and tied in one direction, and lost to them."""
    wins, ties = np.zeros((7, 7)), np.zeros((7, 7))
    wins[0, 1], wins[1, 2], wins[2, 0], wins[0, 3] = 2, 2, 2, 9
    for i in (3, 4, 5):
        wins[i, i + 1] = ties[i, i + 1] = ties[i + 1, i] = 5
    assert np.isnan(bradley_terry_mle(wins, ties=ties, tie_model="davidson").log_ability).all()


def _sparse_table(kind, n_models):
    """Wins and ties of a chain, of a star around the first model, or of a circle with chords."""
    rng, i = np.random.default_rng(3), np.arange(n_models)
    pairs = {
        "chain": [i[:-1], i[1:]],
        "star": [np.zeros(n_models - 1, int), i[1:]],
        "circle": [np.append(i, i[: n_models // 6]), np.append((i + 1) % n_models, i[: n_models // 6] + n_models // 2)],
    }[kind]
    wins, ties = np.zeros((2, n_models, n_models))
    first, second = pairs
    wins[first, second], wins[second, first] = rng.integers(1, 30, (2, first.size))
    ties[first, second] = rng.integers(0, 9, first.size)
    return wins, ties + ties.T


@pytest.mark.parametrize("kind", ["chain", "star", "circle"])
@pytest.mark.parametrize("tie_model", ["half", "davidson"])
def test_many_models_of_which_few_met_fulfil_the_likelihood_equations(kind, tie_model):
    """At the maximum each model's expected wins and half ties are those that it has, and so is the number of ties [D70]."""
    wins, ties = _sparse_table(kind, 300)
    fit = bradley_terry_mle(wins, ties=ties, tie_model=tie_model)
    d, nu, n = fit.log_ability[:, None] - fit.log_ability, float(fit.tie_parameter), wins + wins.T + ties
    total = 2 * np.cosh(d / 2) + nu
    assert (n * (np.exp(d / 2) + nu / 2) / total).sum(axis=1) == pytest.approx((wins + ties / 2).sum(axis=1), abs=1e-8)
    assert fit.log_ability.sum() == pytest.approx(0, abs=1e-8)
    if tie_model == "davidson":
        assert (n * nu / total).sum() == pytest.approx(ties.sum(), abs=1e-8)


def test_a_chain_of_500_models_is_the_sum_of_its_log_odds():
    """Only neighbours met, so each pair's odds are its own; two that lost all or won all stand open."""
    wins, _ = _sparse_table("chain", 500)
    fit = bradley_terry_mle(wins)
    i = np.arange(499)
    assert -np.diff(fit.log_ability) == pytest.approx(np.log(wins[i, i + 1] / wins[i + 1, i]), abs=1e-9)
    wins[1, 0] = wins[499, 498] = 0
    assert bradley_terry_mle(wins).log_ability[[0, 499]].tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize("tie_model", ["half", "davidson"])
def test_resamples_of_few_battles_are_fitted_as_each_is_alone(tie_model):
    """A chain with a chord, of which resamples fall apart: each one's abilities are those of its own table, to a shift."""
    rng, i = np.random.default_rng(4), np.arange(69)
    a, b = (np.tile(values, 6) for values in (np.append(i, 0), np.append(i + 1, 40)))
    outcomes = of_battles(a, b, rng.choice([-1, 0, 1], a.size, p=[0.45, 0.1, 0.45]), n_models=70)
    draws = bootstrap(outcomes, tie_model=tie_model, n_resamples=25).draws
    generator, share = np.random.default_rng(0), outcomes.multiplicity / outcomes.multiplicity.sum()
    wins, ties = outcomes.tables(generator.multinomial(outcomes.n_units, share, size=25).T.astype(float))
    groups = np.full((70, 70), 1e-3) - 1e-3 * np.eye(70)  # so few that all met, which places nobody by themselves
    for draw, won, tied in zip(draws, wins, ties, strict=True):
        alone = bradley_terry_mle(np.stack([won, groups]), ties=np.stack([tied, 0 * groups]), tie_model=tie_model).log_ability[0]
        finite = np.isfinite(alone)
        assert np.array_equal(np.where(finite, 0, draw), np.where(finite, 0, alone), equal_nan=True)
        if finite.any():
            assert draw[finite] - draw[finite].mean() == pytest.approx(alone[finite] - alone[finite].mean(), abs=1e-5)


def test_only_ties():
    """Everyone is as good as anyone; Davidson's parameter has no finite value."""
    ties = 5 * (1 - np.eye(3))
    for model, nu in (("half", 0.0), ("davidson", np.inf)):
        fit = bradley_terry_mle(np.zeros((3, 3)), ties=ties, tie_model=model)
        assert fit.log_ability == pytest.approx(np.zeros(3), abs=1e-12)
        assert float(fit.tie_parameter) == nu


def test_models_that_only_won_or_lost_are_infinitely_far():
    """The first never lost and the last never won; between the two in the middle it is 6 to 4. A swap of signs mirrors it."""
    wins = np.array([[0, 10, 10, 1], [0, 0, 6, 3], [0, 4, 0, 2], [0, 0, 0, 0.0]])
    expected = [np.inf, np.log(1.5) / 2, -np.log(1.5) / 2, -np.inf]
    assert bradley_terry_mle(wins).log_ability == pytest.approx(expected)
    assert bradley_terry_mle(wins.T).log_ability == pytest.approx([-x for x in expected])


def test_models_that_the_results_do_not_order_are_nan():
    """Two models both beat the rest and never met each other or lost: inf; one that beat a third group only cannot be placed."""
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[0, 2], wins[3, 2] = 3, 2, 5, 4  # 0 and 1 are even; 2 lost to 0 and to 3
    assert bradley_terry_mle(wins).log_ability == pytest.approx([np.log(1.5) / 2, -np.log(1.5) / 2, -np.inf, np.nan], nan_ok=True)


def test_batch_and_order():
    """A table in a batch has the answer that it has alone, and models are in no order."""
    rng = np.random.default_rng(1)
    wins = rng.integers(1, 9, (5, 4, 4)).astype(float)
    wins[:, np.arange(4), np.arange(4)] = 0
    wins[2, 0, :], wins[2, :, 3] = 0, 0  # neither the first nor the last is finite in this one
    together = bradley_terry_mle(wins).log_ability
    for table, answer in zip(wins, together, strict=True):
        assert bradley_terry_mle(table).log_ability == pytest.approx(answer, abs=1e-10)
        order = np.array([2, 0, 3, 1])
        assert bradley_terry_mle(table[np.ix_(order, order)]).log_ability == pytest.approx(answer[order], abs=1e-10)


def test_units_of_battles_are_those_of_the_table():
    """Six battles in either order of their models, by themselves and in clusters: the same tables."""
    a, b = np.array([0, 1, 1, 2, 0, 0]), np.array([1, 0, 2, 0, 2, 1])
    outcome, unit = np.array([1, 1, 0, -1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    for clusters, n_units in ((None, 6), (unit, 3)):
        outcomes = of_battles(a, b, outcome, n_models=3, unit=clusters)
        wins, ties = outcomes.tables()
        assert wins[0].tolist() == [[0, 2, 2], [1, 0, 0], [0, 0, 0]]
        assert ties[0].tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
        assert outcomes.n_units == n_units


def test_scores_win_tie_and_are_missing():
    """A missing score meets nobody; 0.3 - 0.2 is a tie at a margin of 0.1, however it is rounded."""
    outcomes = of_scores([[0.3, 0.5, np.nan], [0.2, 0.5, 0.1]], tie_margin=0.1)
    wins, ties = outcomes.tables()
    assert wins[0].tolist() == [[0, 0], [0, 0]]
    assert ties[0].tolist() == [[0, 2], [2, 0]]


@pytest.fixture(scope="module")
def table():
    """Six models on 200 datasets, the scores Gumbel noise around abilities, which is the Bradley-Terry model."""
    ability = np.array([0.9, 0.5, 0.4, -0.2, -0.6, -1.0])
    return ability, ability[:, None] + np.random.default_rng(3).gumbel(size=(6, 200))


def test_bootstrap_agrees_with_the_sandwich(table):
    """Two ways to the same standard errors, within what 1,000 resamples allow (2 to 3 %)."""
    result = bootstrap(of_scores(table[1]))
    assert result.draws.std(axis=0) == pytest.approx(result.own_error, rel=0.12)
    d = result.draws[:, [0]] - result.draws
    assert d.std(axis=0)[1:] == pytest.approx(result.standard_error[0, 1:], rel=0.12)
    low, high = result.confidence_interval()
    assert np.all((low < table[0]) & (table[0] < high))


def test_rank_intervals_hold_the_true_ranks(table):
    """Clear gaps are seen with 200 datasets: the second and third are not told apart, the first and last three are."""
    low, high = bootstrap(of_scores(table[1])).rank_intervals()
    assert np.all((low <= np.arange(1, 7)) & (np.arange(1, 7) <= high))
    assert low[1] <= 3 <= high[2]
    assert max(high[:3]) == 3
    assert min(low[3:]) == 4


def test_same_seed_same_answer(table):
    """The bootstrap draws, from a fixed seed unless another is given."""
    one, again, other = (bootstrap(of_scores(table[1]), n_resamples=50, rng=rng) for rng in (0, 0, 1))
    assert np.array_equal(one.draws, again.draws)
    assert not np.array_equal(one.draws, other.draws)


@pytest.mark.slow
def test_a_model_that_never_lost_has_an_open_interval():
    """It won 20 of 20 datasets against an equal pair: its lower end is where 40 wins, counted as 20, have the chance 1/40."""
    rng = np.random.default_rng(5)
    scores = np.vstack([np.full(20, 9.0), rng.normal(size=(2, 20))])
    result = bootstrap(of_scores(scores))
    low, high = result.confidence_interval()
    assert (result.log_ability[0], high[0]) == (np.inf, np.inf)
    others = result.log_ability[1:]
    chance = np.prod(special.expit(low[0] - others) ** 10)
    assert chance == pytest.approx(0.025, rel=1e-6)
    ranks = result.rank_intervals()
    assert (ranks.low[0], ranks.high[0]) == (1, 1)


def test_resamples_that_place_a_model_nowhere_open_its_interval():
    """A model with one win and one loss is on one side only in many resamples, so neither end of its interval is finite."""
    a, b = np.r_[np.repeat([0, 1], 30), 2, 2], np.r_[np.repeat([1, 0], 30), 0, 0]
    outcome = np.r_[np.tile([1, 1, -1], 20), 1, -1]
    result = bootstrap(of_battles(a, b, outcome, n_models=3), n_resamples=400)
    assert result.n_unplaced[2] > 100
    low, high = result.confidence_interval()
    assert (low[2], high[2]) == (-np.inf, np.inf)
    assert np.all(np.isfinite(low[:2]) & np.isfinite(high[:2]))
    assert (result.rank_intervals().low[2], result.rank_intervals().high[2]) == (1, 3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: bradley_terry_mle([[0]]), TooFewModelsError, "at least 2"),
        (lambda: bradley_terry_mle([[0, -1], [1, 0]]), InvalidScoresError, "not negative"),
        (lambda: bradley_terry_mle([[0, np.nan], [1, 0]]), InvalidScoresError, "must be finite"),
        (lambda: bradley_terry_mle([[1, 1], [1, 0]]), InvalidScoresError, "meets itself"),
        (lambda: bradley_terry_mle([[0, 1, 2], [1, 0, 2]]), InvalidScoresError, "square tables"),
        (lambda: bradley_terry_mle([[0, 1], [1, 0]], ties=[[0, 1], [2, 0]]), InvalidScoresError, "symmetric"),
        (lambda: bradley_terry_mle([[0, 1], [1, 0]], tie_model="x"), InvalidParameterError, "'davidson'"),
        (
            lambda: bradley_terry_mle([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]),
            InvalidScoresError,
            "2 groups that never met.*: 0, 1; 2, 3",
        ),
        (lambda: of_battles(np.array([0]), np.array([0]), np.array([1]), n_models=2), InvalidScoresError, "with itself"),
        (lambda: of_scores([[1.0], [np.inf]]), InvalidScoresError, "finite"),
        (lambda: of_scores([[1.0], [2.0]], tie_margin=-1), InvalidParameterError, "tie_margin"),
        (lambda: bootstrap(of_scores([[1.0], [2.0]]), n_resamples=0), InvalidParameterError, "n_resamples must be"),
    ],
)
def test_wrong_use_says_how_to_go_on(call, error, text):
    """Each error is of the fitting type, and names what is wrong."""
    with pytest.raises(error, match=text):
        call()
