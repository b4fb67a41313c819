"""Looks at battles that are still coming in: ratings of which each pair of models is judged at the first look that decides it."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tiebreak.comparison.look_order import Sign, of_a_change, of_numbers, of_texts, refuse_signs
from tiebreak.comparison.looks import (
    FUTILE,
    GAMMA,
    Looks,
    TakenLook,
    refuse_changes,
    refuse_fewer,
    refuse_full_plan,
    refuse_other_data,
    refuse_same_units,
    refuse_too_many,
)
from tiebreak.errors import ChangedLooksError, UnsuitableDesignError
from tiebreak.frequentist.bradley_terry_resampled import BradleyTerryBootstrap
from tiebreak.frequentist.group_sequential import group_sequential_design
from tiebreak.numerics import FloatArray, IntArray, StudentDistribution, student_tail

FEWEST = 50
"""Battles, or clusters of them, from which looks were measured to keep their level."""

FEWEST_EACH = 20
"""Battles of each model from which they were."""

MOST_PAIRS = 60
"""Pairs of models whose shares of the battles are followed one by one."""

MOST_RATED = 2_000
"""Battles, the first ones, along which ratings are followed; later each battle moves them less."""

N_ORDERS = 200
"""Other orders of the outcomes with which the ratings are followed again."""

RATING_STEP = 32.0
"""Most that a battle moves a rating, in points, as in chess."""

NEAR = 100.0
"""Points of rating that count as near: closeness falls by a factor of e over so many."""


@dataclass(frozen=True, slots=True, eq=False)
class BattleTable:
    """Battles in the order in which they came.

    Attributes
    ----------
    models : tuple of str
    first, second : ndarray of shape (n_battles,)
        Numbers of the models.
    outcome : ndarray of shape (n_battles,)
        1 where the first won, -1 where the second did, 0 for a tie.
    cluster : ndarray of shape (n_battles,) or None
        Number of the cluster of each battle, in any order.
    unit : str
        Noun for what a plan counts.
    """

    models: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    cluster: IntArray | None
    unit: str = "battle"

    @property
    def code(self) -> IntArray:
        """Number of the unit of each battle, in the order in which they come."""
        if self.cluster is None:
            return np.arange(self.first.size)
        number: dict[int, int] = {}
        return np.array([number.setdefault(each, len(number)) for each in self.cluster.tolist()], dtype=np.intp)

    @property
    def n(self) -> int:
        """Number of units."""
        return int(self.code.max()) + 1

    def rows_to(self, n: int) -> int:
        """Number of battles in the first n units.

        Raises
        ------
        UnsuitableDesignError
            A battle of these units comes after one of later units.
        """
        code = self.code
        n_rows = int(np.count_nonzero(code < n))
        if np.any(code[:n_rows] >= n):
            raise UnsuitableDesignError(
                f"battles of a {self.unit} that was looked at came after another {self.unit} had begun: a look takes whole "
                f"{self.unit}s, so all battles of a {self.unit} belong together in the table."
            )
        return n_rows

    def digest(self, n: int) -> str:
        """Hash of the battles of the first n units, in order."""
        rows = self.rows_to(n)
        columns = [[self.models[k] for k in side[:rows].tolist()] for side in (self.first, self.second)]
        held = [*columns, self.outcome[:rows].tolist(), self.code[:rows].tolist()]
        return hashlib.blake2b(json.dumps(held).encode(), digest_size=12).hexdigest()


def next_battle_look(plan: Looks, table: BattleTable, terms: dict[str, Any]) -> Looks:
    """The plan with a look at these battles added, without its level and what it decided.

    Raises
    ------
    ChangedLooksError
        The earlier looks were at other battles or models, or at these same ones.
    InvalidParameterError
        The plan is over, or has fewer units than are there, at the first look.
    UnsuitableDesignError
        Too few battles, or matchups that do not come from one fixed distribution.
    """
    n, unit = table.n, table.unit
    if not plan.taken:
        plan = replace(plan, gamma=GAMMA if plan.gamma is None else plan.gamma, unit=unit, terms=terms)
        refuse_too_many(plan, n)
    plan = replace(plan, unit=unit)
    refuse_changes(plan, terms)
    refuse_fewer(plan, n)
    if plan.taken:
        refuse_other_data(plan, table.digest(plan.n))
    if plan.taken and plan.n == n:
        refuse_same_units(plan)
    refuse_full_plan(plan)
    _refuse_few(plan, table)
    refuse_matchups(table, number=len(plan.taken) + 1)
    look = TakenLook(n, min(1.0, n / plan.n_total), float("nan"), table.digest(n), ())
    return replace(plan, taken=(*plan.taken, look))


def _refuse_few(plan: Looks, table: BattleTable) -> None:
    if table.n < min(FEWEST, plan.n_total):
        raise UnsuitableDesignError(
            f"{table.n:,} {plan.unit}s are too few for a look: ratings were measured to keep their level over looks from "
            f"{FEWEST} on. Look again then; nothing is spent."
        )
    met = np.bincount(np.concatenate([table.first, table.second]), minlength=len(table.models))
    few = int(np.argmin(met))
    if met[few] < FEWEST_EACH and table.n < plan.n_total:
        raise UnsuitableDesignError(
            f"{table.models[few]!r} has met others {met[few]:,} times, too few for a look: ratings were measured from "
            f"{FEWEST_EACH} battles of each model on. Look again then; nothing is spent."
        )


# --- matchups -----------------------------------------------------------------------------------------------------------------


def refuse_matchups(table: BattleTable, *, number: int = 1) -> None:
    """Refuse battles whose models were not drawn from one fixed distribution, at the look of this number, from 1.

    Raises
    ------
    UnsuitableDesignError
        Some test finds that who meets changes along the table, or depends on who won; all tests of all looks together refuse at
        most 1 % of the tables in which neither is so.
    """
    refuse_signs(
        list(_signs(table)),
        f"the {table.unit}s do not come from one fixed distribution of matchups",
        "Where a rating decides who meets next, or a model joined later, looks have no known level. "
        "Draw who meets at random, by shares that are fixed beforehand, or rate once, when all are in, without a plan.",
        number,
    )


def _signs(table: BattleTable) -> Iterator[Sign]:
    code, unit, n_models = table.code, table.unit, len(table.models)
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    pairs, pair = np.unique(low * n_models + high, return_inverse=True)
    size = np.bincount(code)
    outcome = np.where(table.first == low, table.outcome, -table.outcome)
    residual = outcome - (np.bincount(pair, outcome) / np.bincount(pair))[pair]

    def by_unit(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(code, values) / size)

    yield from of_numbers(by_unit(residual), f"the outcome of a {unit}")
    if n_models == 2:
        return
    there = np.stack([by_unit(((table.first == k) | (table.second == k)).astype(float)) for k in range(n_models)])
    yield from _of_latecomers(table, there > 0)
    yield from of_a_change(there, unit, "who meets changes")
    if pairs.size <= MOST_PAIRS:
        met = np.stack([by_unit((pair == k).astype(float)) for k in range(pairs.size)])
        yield from of_a_change(met, unit, "who meets whom changes")
    score = np.bincount(low, outcome, n_models) - np.bincount(high, outcome, n_models)
    share = score / np.maximum(np.bincount(np.concatenate([low, high]), minlength=n_models), 1)
    apart = of_numbers(by_unit(np.abs(share[low] - share[high])), f"how far apart the models of a {unit} are")
    yield from itertools.islice(apart, 1)  # its trend: a fixed schedule may repeat itself
    if table.cluster is None:
        names = tuple(f"{table.models[k // n_models]} against {table.models[k % n_models]}" for k in pairs[pair].tolist())
        yield from of_texts(names, "matchup", unit)
        yield from _of_those_who_go_on(low, high, pair, residual)
        yield from _of_near_ratings(low, high, outcome, n_models)


def _of_latecomers(table: BattleTable, there: np.ndarray[Any, np.dtype[np.bool_]]) -> Iterator[Sign]:
    """Model that is missing longest from the first units, or from the last, for one that is in so many: hypergeometric."""
    from scipy.special import gammaln

    n, met = there.shape[1], there.sum(axis=1)
    for rows, what in ((there, "joined after the first"), (there[:, ::-1], "met nobody in the last")):
        lacking = np.argmax(rows, axis=1)
        log_p = gammaln(n - lacking + 1) - gammaln(n - lacking - met + 1) - gammaln(n + 1) + gammaln(n - met + 1)
        k = int(np.argmin(log_p))
        p = min(1.0, there.shape[0] * float(np.exp(log_p[k])))
        yield Sign(p, f"{table.models[k]!r} {what} {lacking[k]:,} {table.unit}s")


def _of_those_who_go_on(low: IntArray, high: IntArray, pair: IntArray, residual: FloatArray) -> Iterator[Sign]:
    """Dependence of who is in the next battle on the outcome of this one, within battles of the same two models.

    The sum of products of two residuals, over its standard error: a schedule that is fixed beforehand makes none of it, whatever
    its order.
    """
    from scipy.special import ndtr

    goes_on = [((side[:-1] == low[1:]) | (side[:-1] == high[1:])).astype(float) for side in (low, high)]
    more = goes_on[0] - goes_on[1]
    pair, residual = pair[:-1], residual[:-1]
    counts = np.maximum(np.bincount(pair), 1)
    product = residual * (more - (np.bincount(pair, more) / counts)[pair])
    error = float(np.sqrt((product**2).sum()))
    if np.count_nonzero(np.abs(product) > 1e-9) < FEWEST_EACH:
        return
    excess = float(product.sum()) / error
    who = "winner" if excess > 0 else "loser"
    yield Sign(float(2 * ndtr(-abs(excess))), f"the {who} of a battle is in the next one more often than the other")


def _of_near_ratings(low: IntArray, high: IntArray, outcome: IntArray, n_models: int) -> Iterator[Sign]:
    """Closeness of the ratings of those who meet, as they stand before each battle, against other orders of the outcomes.

    Where who meets was fixed or drawn beforehand, the outcomes of each matchup might as well have come in any other order.
    Ratings are followed along the table with the outcomes as they came, and with those of each matchup shuffled; closeness is
    ``exp(-distance / 100)``, over its mean over pairs of models. Shuffled sums are nearly normal, and then the sum of the true
    order is a further draw of theirs, by Student's t.
    """
    low, high, outcome = low[:MOST_RATED], high[:MOST_RATED], outcome[:MOST_RATED]
    orders = _shuffled_within(low * n_models + high, outcome)
    one, two = np.triu_indices(n_models, 1)
    every = np.unique(np.linspace(0, one.size - 1, min(one.size, MOST_PAIRS)).astype(np.intp))
    one, two = one[every], two[every]
    rating = np.zeros((n_models, orders.shape[1]))
    nearness = np.zeros(orders.shape[1])
    for i, j, result in zip(low.tolist(), high.tolist(), (orders + 1) / 2, strict=True):
        ahead = rating[i] - rating[j]
        nearness += np.exp(-np.abs(ahead) / NEAR) / np.exp(-np.abs(rating[one] - rating[two]) / NEAR).mean(axis=0)
        moved = RATING_STEP * (result - 1 / (1 + 10 ** (-ahead / 400)))
        rating[i] += moved
        rating[j] -= moved
    others = nearness[1:]
    error = float(np.std(others, ddof=1)) * np.sqrt(1 + 1 / N_ORDERS)
    if error <= 1e-9 * float(np.abs(others).mean()):  # no matchup has two outcomes
        return
    p = float(student_tail((nearness[0] - others.mean()) / error, N_ORDERS - 1.0))
    yield Sign(p, "models whose ratings are near each other at the time meet more often than others", is_joint=True)


def _shuffled_within(group: IntArray, values: IntArray) -> FloatArray:
    """The values as they are, and so often in random order within their groups; of shape (n, 1 + N_ORDERS)."""
    _, code = np.unique(group, return_inverse=True)
    drawn = np.argsort(code + np.random.default_rng(0).random((N_ORDERS, code.size)), axis=1)
    found = np.empty((code.size, 1 + N_ORDERS))
    found[:, 0] = values
    found[np.argsort(code, kind="stable"), 1:] = values[drawn].T
    return found


# --- judging ------------------------------------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """Pairs as the looks of a plan say together.

    Attributes
    ----------
    plan : Looks
        With what each look granted and decided.
    shown : ndarray of bool, shape (n_models, n_models)
        True where the model of the row was shown better than that of the column, by whichever look.
    interval_alpha : float
        1 - coverage of the interval of one rating at the last look, so that those of all looks hold at once.
    n_futile : int
        Open pairs that stay open to the end of the plan with the forecast probability `FUTILE` or more; 0 where it is over.
    """

    plan: Looks
    shown: np.ndarray[Any, np.dtype[np.bool_]]
    interval_alpha: float
    n_futile: int


def judge_battle_looks(plan: Looks, models: Sequence[str], alpha: float, fit: Callable[[int], BradleyTerryBootstrap]) -> Judged:
    """Pairs as the first look says that shows one of the two better, each at alpha over their number, shared by all looks.

    `fit` gives the abilities of the battles in the first n units.

    Raises
    ------
    ChangedLooksError
        An earlier look said otherwise than its battles say now.
    """
    n_models = len(models)
    of_pair = alpha / (n_models * (n_models - 1) // 2)
    granted, of_one = (_alphas(plan, each) for each in (of_pair, alpha))
    shown = np.zeros((n_models, n_models), dtype=bool)
    looks = []
    for k, look in enumerate(plan.taken):
        found = fit(look.n)
        new = found.shown_better_alone(granted[k]) & ~shown & ~shown.T
        shown |= new
        named = tuple(sorted((models[i], models[j], "better") for i, j in np.argwhere(new).tolist()))
        if np.isfinite(look.interval_alpha) and (
            look.decided != named or abs(look.interval_alpha - granted[k]) > 1e-6 * granted[k]
        ):
            raise ChangedLooksError(
                f"look {k + 1} does not say what its {look.n:,} {plan.unit}s say: {len(look.decided)} decided pairs stand there, "
                f"and they give {len(named)} at alpha {granted[k]:.6g}. Was it changed, or written by another version? Go on "
                "from another copy."
            )
        looks.append(look._replace(interval_alpha=granted[k], decided=named))
    return Judged(replace(plan, taken=tuple(looks)), shown, of_one[-1], _n_futile(plan, of_pair, found, shown | shown.T))


def _n_futile(plan: Looks, alpha: float, found: BradleyTerryBootstrap, is_shown: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    """Pairs that are not shown yet and hardly will be: as `looked.forecast` has it, by one more look at the whole plan."""
    t = plan.taken[-1].fraction
    if t >= 1:
        return 0
    difference, error, df = found.difference_of(*np.nonzero(np.triu(~is_shown, 1)))
    end = _alphas(plan, alpha, (plan.n_total,))[-1]
    half = StudentDistribution(0.0, error * np.sqrt(t), (df + 1) / t - 1).interval(end).high  # freedom grows with the units
    last = StudentDistribution(difference, error * np.sqrt(1 - t), df)
    with np.errstate(invalid="ignore"):
        stays = last.tail_below(half) - last.tail_below(-half)
    return int(np.count_nonzero((error > 0) & (stays >= FUTILE)))  # an error of nan is not > 0


def _alphas(plan: Looks, alpha: float, further: tuple[int, ...] = ()) -> list[float]:
    """Two-sided alphas of the looks, and of further ones at so many units, by Student's process of the units."""
    n = np.array([*(look.n for look in plan.taken), *further], dtype=float)
    t = n / plan.n_total
    gamma = GAMMA if plan.gamma is None else plan.gamma
    design = group_sequential_design(t, alpha=alpha, spending=plan.spending, gamma=gamma, df=n - 1)
    return [float(each) for each in design.alphas]
