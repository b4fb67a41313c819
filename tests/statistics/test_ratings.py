"""Bradley-Terry by maximum likelihood: against scipy's minimiser, without a finite answer, and its errors."""

import numpy as np
import pytest
from scipy import optimize, special, stats

import tiebreak as tb
from tiebreak.errors import DataError
from tiebreak.statistics.ratings import pair_fit

bradley_terry, of_scores = tb.statistics.bradley_terry, tb.statistics.battles_of_scores


def _of_tables(wins, ties=None):
    """Fit of tables of wins and ties: a battle for each entry, with its number as the weight."""
    wins = np.asarray(wins, dtype=float)
    ties = np.zeros_like(wins) if ties is None else np.asarray(ties, dtype=float)
    parts = [np.nonzero(wins), np.nonzero(np.triu(ties))]
    first, second = np.concatenate([np.stack(part) for part in parts], axis=1)
    score = np.repeat([1.0, 0.5], [parts[0][0].size, parts[1][0].size])
    weight = np.concatenate([wins[parts[0]], ties[parts[1]]])
    return bradley_terry(first, second, score, weight=weight, n_models=len(wins))


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
    """With 30 wins of 40 the odds are 3 to 1; the error of the difference is sqrt(1/30 + 1/10), times sqrt(40/39)."""
    found = bradley_terry([0] * 40, [1] * 40, [1.0] * 30 + [0.0] * 10)
    assert found.log_ability == pytest.approx([np.log(3) / 2, -np.log(3) / 2], abs=1e-12)
    assert found.error[0, 1] == pytest.approx(np.sqrt((1 / 30 + 1 / 10) * 40 / 39))
    half = stats.t.isf(0.025, 39) * found.error[0, 1]
    assert found.difference_interval(0, 1) == pytest.approx((np.log(3) - half, np.log(3) + half))
    assert float(found.law(0, 1).pvalue()) == pytest.approx(2 * stats.t.sf(np.log(3) / found.error[0, 1], 39))


@pytest.mark.slow
def test_incomplete_tables_agree_with_scipy():
    """Forty random tables of three to seven models, of which not all pairs met; ties are half wins."""
    rng, n_compared = np.random.default_rng(0), 0
    while n_compared < 40:
        m = int(rng.integers(3, 8))
        wins = rng.poisson(3, (m, m)).astype(float) * (rng.random((m, m)) < 0.6)
        ties = np.triu(rng.poisson(1, (m, m)), 1).astype(float)
        np.fill_diagonal(wins, 0)
        try:
            ability = _of_tables(wins, ties).log_ability
        except DataError:
            continue
        if np.all(np.isfinite(ability)):
            assert ability == pytest.approx(_by_scipy(wins + (ties + ties.T) / 2), abs=1e-6)
            n_compared += 1


def test_wide_ranges_converge():
    """A chain in which each beats the next 10,000 to 1: nine times log(10000), by the product of odds, as only neighbours met."""
    wins = np.diag(np.full(9, 1e4), 1) + np.diag(np.ones(9), -1)
    assert -np.diff(_of_tables(wins).log_ability) == pytest.approx(np.full(9, np.log(1e4)), abs=1e-9)


@pytest.mark.slow
def test_a_chain_of_500_models_is_the_sum_of_its_log_odds():
    """Only neighbours met, so each pair's odds are its own; two that lost all or won all stand open."""
    (up, down), i = np.random.default_rng(3).integers(1, 30, (2, 499)), np.arange(499)
    wins = np.diag(up, 1) + np.diag(down, -1)
    assert -np.diff(_of_tables(wins).log_ability) == pytest.approx(np.log(wins[i, i + 1] / wins[i + 1, i]), abs=1e-9)
    wins[1, 0] = wins[499, 498] = 0
    assert _of_tables(wins).log_ability[[0, 499]].tolist() == [np.inf, -np.inf]


def test_models_that_only_won_or_lost_are_infinitely_far():
    """The first never lost and the last never won; between the two in the middle it is 6 to 4. A swap of signs mirrors it."""
    wins = np.array([[0, 10, 10, 1], [0, 0, 6, 3], [0, 4, 0, 2], [0, 0, 0, 0.0]])
    expected = [np.inf, np.log(1.5) / 2, -np.log(1.5) / 2, -np.inf]
    assert _of_tables(wins).log_ability == pytest.approx(expected)
    assert _of_tables(wins.T).log_ability == pytest.approx([-x for x in expected])


def test_models_that_the_results_do_not_order_are_nan():
    """Two models both beat the rest and never met each other or lost: inf; one that beat a third group only cannot be placed."""
    wins = np.zeros((4, 4))
    wins[0, 1], wins[1, 0], wins[0, 2], wins[3, 2] = 3, 2, 5, 4  # 0 and 1 are even; 2 lost to 0 and to 3
    found = _of_tables(wins)
    assert found.log_ability == pytest.approx([np.log(1.5) / 2, -np.log(1.5) / 2, -np.inf, np.nan], nan_ok=True)
    assert (found.interval().low[3], found.interval().high[3]) == (-np.inf, np.inf)


def test_models_are_in_no_order():
    """Numbered otherwise they have the same abilities and errors; those without a finite one too."""
    rng, order = np.random.default_rng(1), np.array([2, 0, 3, 1])
    for lost in (False, True):
        wins = rng.integers(1, 9, (4, 4)) * (1.0 - np.eye(4))
        wins[0] *= not lost
        one, other = _of_tables(wins), _of_tables(wins[np.ix_(order, order)])
        assert other.log_ability == pytest.approx(one.log_ability[order], abs=1e-10)
        assert other.error == pytest.approx(one.error[np.ix_(order, order)], abs=1e-10, nan_ok=True)


def test_swapped_outcomes_mirror_the_answer():
    """If every win is a loss, abilities change their sign and errors stay, in clusters and with a position."""
    one, two, score, judge = _judged(300, 15, seed=2)
    here, there = (bradley_terry(one, two, each, cluster=judge, position=True) for each in (score, 1 - score))
    assert there.log_ability == pytest.approx(-here.log_ability, abs=1e-8)
    assert there.position == pytest.approx(-here.position, abs=1e-8)
    assert there.error == pytest.approx(here.error, abs=1e-8)
    assert there.shown_better(0.5).tolist() == here.shown_better(0.5).T.tolist()


def _judged(n, n_judges, *, bias=0.4, taste=0.5, ties=0.2, seed=0):
    """Battles of four models before judges with tastes of their own, who favour the first; a fifth of them ties."""
    rng, ability = np.random.default_rng(seed), np.array([0.6, 0.2, -0.2, -0.6])
    one, judge = rng.integers(0, 4, n), rng.integers(0, n_judges, n)
    two = (one + rng.integers(1, 4, n)) % 4
    liked = ability + taste * rng.normal(size=(n_judges, 4))
    won = rng.random(n) < special.expit(liked[judge, one] - liked[judge, two] + bias)
    return one, two, np.where(rng.random(n) < ties, 0.5, won), judge


def test_errors_of_single_battles_are_the_sandwich_written_out():
    """Inverse information, products of slopes, inverse information, from a design matrix of every battle [White 1980]."""
    one, two, score, _ = _judged(400, 1)
    found = bradley_terry(one, two, score, position=True)
    design = np.concatenate([np.eye(4)[one] - np.eye(4)[two], np.ones((400, 1))], axis=1)
    p = special.expit(design @ np.append(found.log_ability, found.position))
    bread = np.linalg.pinv(design.T * (p * (1 - p)) @ design)
    slopes = design * (score - p)[:, None]
    sandwich = bread @ slopes.T @ slopes @ bread * 400 / 399
    tied = bread @ (design.T * (p * (1 - p) - (score == 0.5) / 4)) @ design @ bread
    variance = [each[0, 0] + each[3, 3] - 2 * each[0, 3] for each in (sandwich, tied)]
    assert found.error[0, 3] == pytest.approx(np.sqrt(max(variance)), rel=1e-6)
    assert found.own_error[1] == pytest.approx(np.sqrt(max(sandwich[1, 1], tied[1, 1])), rel=1e-6)
    assert found.position_error == pytest.approx(np.sqrt(max(sandwich[4, 4], tied[4, 4])), rel=1e-6)
    assert max(variance) < bread[0, 0] + bread[3, 3] - 2 * bread[0, 3]  # ties vary less than wins and losses


def test_clusters_of_two_models_are_a_weighted_mean_of_clusters():
    """By hand: shares h of the battles, parts of the slopes over all information, each square over 1 - h (CR2)."""
    n_of, rng = np.array([200, *[10] * 20]), np.random.default_rng(0)
    judge = np.repeat(np.arange(21), n_of)
    score = (rng.random(400) < rng.uniform(0.3, 0.8, 21)[judge]).astype(float)
    found = bradley_terry(np.zeros(400, int), np.ones(400, int), score, cluster=judge)
    p, h = score.mean(), n_of / 400
    part = np.array([(score[judge == k] - p).sum() for k in range(21)]) / (400 * p * (1 - p))
    square = part**2 / (1 - h)
    assert found.error[0, 1] == pytest.approx(np.sqrt(square.sum()))
    assert found.df[0] == pytest.approx(min(1 / (h**2).sum() - 1, 3 * square.sum() ** 2 / (square**2).sum()))


def test_degrees_of_freedom_are_those_that_sizes_and_parts_of_clusters_show():
    """Ten alike judges: 9, as parts of +-5 each would allow 30; one of twelve apart: 3 (sum u^2)^2 / sum u^4 of the parts."""
    alike = np.concatenate([np.repeat([1.0, 0.0], [n, 20 - n]) for n in (15, 5) * 5])
    columns = np.zeros(200, int), np.ones(200, int)
    assert bradley_terry(*columns, alike, cluster=np.repeat(np.arange(10), 20)).df == pytest.approx([9, 9])
    apart = np.concatenate([np.repeat([1.0, 0.0], [n, 20 - n]) for n in (20, *[10] * 11)])
    fit = bradley_terry(np.zeros(240, int), np.ones(240, int), apart, cluster=np.repeat(np.arange(12), 20))
    u = np.array([20, *[10] * 11]) - apart.sum() / 12
    assert fit.df[0] == pytest.approx(3 * (u**2).sum() ** 2 / (u**4).sum())
    assert fit.df[0] < 4


def test_many_small_clusters_have_the_error_of_all_alike():
    """A thousand judges of two battles each: 1 / (1 - h) is bounded by what each knows at most, here 0.2 %."""
    rng = np.random.default_rng(3)
    judge, score = np.repeat(np.arange(1000), 2), np.repeat(rng.random(1000) < 0.6, 2).astype(float)
    found = bradley_terry(np.zeros(2000, int), np.ones(2000, int), score, cluster=judge)
    p = score.mean()
    assert found.error[0, 1] == pytest.approx(np.sqrt(1000 / 999 / (1000 * p * (1 - p))), rel=1e-3)
    assert found.df[0] == pytest.approx(999, rel=1e-9)


def test_what_one_cluster_alone_knows_is_hardly_known():
    """Only one judge of 30 ever met the last model: its error is that of independent battles, with one degree of freedom."""
    one, two, score, judge = _judged(600, 30, bias=0)
    one, two, judge = np.append(one, [4] * 12), np.append(two, [0, 1, 2, 3] * 3), np.append(judge, [0] * 12)
    fit = bradley_terry(one, two, np.append(score, [1] * 8 + [0] * 4), cluster=judge)
    assert fit.df[4] == 1.0
    assert fit.df[:4].min() > 10
    assert not fit.shown_better()[4].any()


def test_one_cluster_alone_shows_nothing():
    """All battles before one judge: there is no error."""
    fit = bradley_terry([0] * 40, [1] * 40, [1.0] * 35 + [0.0] * 5, cluster=["me"] * 40)
    assert np.isnan(fit.error[0, 1])
    assert np.isnan(float(fit.law(0, 1).pvalue()))
    assert (fit.interval().low[0], fit.interval().high[0]) == (-np.inf, np.inf)
    assert fit.rank_interval().high.tolist() == [2, 2]


def test_outcomes_that_cancel_within_clusters_are_no_certainty():
    """Every judge prefers the first in both orders: a pair of battles is one win of either; the error is that of 80 battles."""
    one, judge = np.tile([0, 1], 40), np.repeat(np.arange(40), 2)
    fit = bradley_terry(one, 1 - one, np.repeat([0.0, 1.0], 40), cluster=judge)
    assert fit.error[0, 1] == pytest.approx(np.sqrt(4 / 80))


def test_few_sure_outcomes_are_no_certainty():
    """One between two strong and two weak models, that beat all of the weak and lost to all of the strong: no upset was seen.

    The slopes are small as is the information, so that only the inverse information tells how little is known.
    """
    rows = [(0, 1, 10, 10), (2, 3, 10, 10), (0, 4, 12, 1), (4, 2, 12, 1), (0, 2, 20, 1)]
    first, second, *numbers = np.array(rows).T
    one, two = (np.repeat(each, sum(numbers)) for each in (first, second))
    score = np.concatenate([np.repeat([1.0, 0.0], each) for each in zip(*numbers, strict=True)])
    fit = bradley_terry(one, two, score)
    p = special.expit(fit.log_ability[one] - fit.log_ability[two])
    design = np.eye(5)[one] - np.eye(5)[two]
    bread = np.linalg.pinv(design.T * (p * (1 - p)) @ design)
    assert fit.error[0, 4] >= np.sqrt(bread[0, 0] + bread[4, 4] - 2 * bread[0, 4]) - 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("taste", [0.0, 0.5])
def test_intervals_cover_the_truth(taste):
    """300 tables of 400 battles, alone and before 30 judges: 95 % of 6 pairs, within what tables allow (standard error 0.7 %).

    Tastes of judges make the mean judge's odds flatter, by 1 / sqrt(1 + 0.346 var) of the difference of two tastes.
    """
    held, truth = 0, np.array([0.6, 0.2, -0.2, -0.6]) / np.sqrt(1 + 0.346 * 2 * taste**2)
    for seed in range(300):
        one, two, score, judge = _judged(400, 30, bias=0, taste=taste, ties=0, seed=seed)
        fit = bradley_terry(one, two, score, cluster=judge if taste else None)
        for i in range(3):
            (low, high), gap = fit.interval(against=i), truth - truth[i]
            held += int(((low <= gap) & (gap <= high))[i + 1 :].sum())
    assert 0.93 < held / 1800 < 0.97


def test_a_model_that_never_lost_has_an_open_interval():
    """It won 20 of 20 datasets against an equal pair: its lower end is where 40 wins, counted as 20, have the chance 1/40."""
    rng = np.random.default_rng(5)
    columns = of_scores(np.vstack([np.full(20, 9.0), rng.normal(size=(2, 20))]))
    fit = bradley_terry(*columns[:3], cluster=columns[3])
    low, high = fit.interval()
    assert (fit.log_ability[0], high[0]) == (np.inf, np.inf)
    assert np.prod(special.expit(low[0] - fit.log_ability[1:]) ** 10) == pytest.approx(0.025, rel=1e-6)
    ranks = fit.rank_interval()
    assert (ranks.low[0], ranks.high[0]) == (1, 1)


def test_two_that_never_won_are_told_apart_by_their_battles():
    """The first of the two won 20 of 20 between them: at least 0.025^(1/20) (Clopper and Pearson)."""
    one, two = np.repeat([0, 1, 0, 1], [20, 20, 1, 1]), np.repeat([1, 0, 2, 2], [20, 20, 1, 1])
    one, two = np.append(one, [2] * 20), np.append(two, [3] * 20)
    fit = bradley_terry(one, two, np.r_[np.tile([1.0, 0.0], 20), [1.0, 1.0], [1.0] * 20])
    assert fit.log_ability[2:].tolist() == [-np.inf, -np.inf]
    low, high = fit.difference_interval(2, 3)
    assert (special.expit(low), high) == (pytest.approx(0.025 ** (1 / 20)), np.inf)
    assert fit.difference_interval(3, 2) == (-high, -low)
    assert fit.shown_better()[2, 3]
    # five judges who saw the two in both orders are five units, in whichever order the model won
    score, judge = np.r_[np.tile([1.0, 0.0], 20), [1.0, 1.0], np.tile([1.0, 0.0], 10)], np.r_[range(42), np.arange(20) // 4 + 42]
    one[42:], two[42:] = np.tile([2, 3], 10), np.tile([3, 2], 10)
    fit = bradley_terry(one, two, score, cluster=judge)
    assert special.expit(fit.difference_interval(2, 3)[0]) == pytest.approx(0.025 ** (1 / 5))


def test_rank_intervals_hold_the_true_ranks():
    """Six models on 200 datasets, Gumbel noise around abilities (Bradley-Terry's model): clear gaps are seen, others not."""
    ability = np.array([0.9, 0.5, 0.4, -0.2, -0.6, -1.0])
    columns = of_scores(ability[:, None] + np.random.default_rng(3).gumbel(size=(6, 200)))
    fit = bradley_terry(*columns[:3], cluster=columns[3])
    low, high = fit.rank_interval()
    assert np.all((low <= np.arange(1, 7)) & (np.arange(1, 7) <= high))
    assert low[1] <= 3 <= high[2]
    assert max(high[:3]) == 3
    assert min(low[3:]) == 4
    ends = fit.interval()
    assert np.all((ends.low < ability) & (ability < ends.high))


def test_pairs_share_the_level_of_the_ranks():
    """Three pairs at 5 % are one each at 5/3 %: a difference is shown where its own interval at that level leaves 0 out."""
    one, two, score, judge = _judged(900, 40, seed=4)
    fit = bradley_terry(one, two, score, cluster=judge)
    shown = fit.shown_better(0.95)
    for i, j in ((0, 1), (1, 2), (0, 2), (3, 1)):
        assert shown[i, j] == (fit.difference_interval(i, j, 1 - 0.05 / 6)[0] > 0)


def test_a_position_that_cannot_be_told_has_no_error():
    """Two models in one order only: any bias is as good as an ability; one that always wins first has the largest bias."""
    fit = bradley_terry([0] * 10, [1] * 10, [1.0, 0.0] * 5, position=True)
    assert (fit.position, np.isnan(fit.position_error)) == (0.0, True)
    always = bradley_terry([0, 1] * 10, [1, 0] * 10, [1.0] * 20, position=True)
    assert always.position == tb.statistics.ratings.MOST_BIAS


def test_a_circle_does_not_fit_by_pearsons_chi_squared():
    """Each of three wins 70 of 100 against the next: ratings expect 50, so 3 times 20^2 / 25, with 3 pairs less 2 abilities.

    Where two battles at a time are one and the same, half of that.
    """
    first, second = np.repeat([0, 1, 2], 100), np.repeat([1, 2, 0], 100)
    score = np.tile(np.repeat([1.0, 0.0], [70, 30]), 3)
    for cluster, statistic in ((np.arange(300) // 2, 24), (None, 48)):
        fit = pair_fit(bradley_terry(first, second, score, cluster=cluster), first, second, score, None, cluster)
        assert fit.pvalue == pytest.approx(stats.chi2.sf(statistic, 1), rel=1e-6)
    assert (fit.share[0, 1], fit.share[0, 2], fit.n_effective[0, 1]) == pytest.approx((0.7, 0.3, 100))


def test_ratings_fit_where_few_pairs_met_often(rng):
    """Equal models, two of them in most battles: rare pairs had part in the ratings too, and 11 % of tables did not fit."""
    shares, pvalues = np.r_[0.5, 0.2, np.full(8, 0.3 / 8)], []
    for _ in range(60):
        first, step, score = rng.choice(10, 300, p=shares), rng.integers(1, 10, 300), rng.integers(0, 2, 300).astype(float)
        second = (first + step) % 10
        pvalues.append(pair_fit(bradley_terry(first, second, score), first, second, score, None, None).pvalue)
    assert np.count_nonzero(np.array(pvalues) < 0.01) <= 3


def test_a_chain_has_a_top_and_a_bottom_and_nothing_between():
    """The first beat the second, which beat the third: no two have beaten each other, so no ability is finite."""
    assert _of_tables([[0, 3, 0], [0, 0, 3], [0, 0, 0]]).log_ability.tolist() == pytest.approx(
        [np.inf, np.nan, -np.inf], nan_ok=True
    )
    assert _of_tables([[0, 5], [0, 0]]).log_ability.tolist() == [np.inf, -np.inf]


def test_battles_without_weight_do_not_count():
    """A battle of weight 0 is none: neither does it connect models, nor is it a unit."""
    columns = [0, 0, 1, 0], [1, 1, 0, 1], [1.0, 0.0, 1.0, 1.0]
    found, alone = bradley_terry(*columns, weight=[1, 1, 1, 0]), bradley_terry(*(each[:3] for each in columns))
    assert found.log_ability == pytest.approx(alone.log_ability)
    assert (found.n_units, found.error.tolist()) == (3, alone.error.tolist())
    with pytest.raises(DataError, match="2 groups that never met"):
        bradley_terry([0, 0, 2], [1, 1, 1], [1.0, 0.0, 1.0], weight=[1, 1, 0])


def test_scores_win_tie_and_are_missing():
    """A missing score meets nobody; 0.3 - 0.2 is a tie at a margin of 0.1, however it is rounded."""
    columns = of_scores([[0.3, 0.5, np.nan], [0.2, 0.4999, 0.1]], margin=0.1)
    assert [each.tolist() for each in columns] == [[0, 0], [1, 1], [0.5, 0.5], [0, 1]]
    assert of_scores([[0.3, 0.5], [0.2, 0.6]])[2].tolist() == [1.0, 0.0]
