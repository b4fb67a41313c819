"""Looks at data that are still coming in: the plan, the looks taken, and the pairs as their looks leave them."""

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, Self

import numpy as np

from tiebreak.comparison.family import OVER, Family, family_alpha
from tiebreak.comparison.procedures.procedure import Judged, Method, numbers_of, refusal, units_of
from tiebreak.comparison.settings import SINGLE_STEP, Settings
from tiebreak.errors import (
    Advice,
    ChangedRunError,
    DataError,
    InvalidParameterError,
    Setting,
)
from tiebreak.numerics import (
    UNDECIDED,
    VERDICTS,
    Alternative,
    FloatArray,
    IntArray,
    Law,
    Shape,
    mid_ranks,
    set_checked,
    student_multiplier,
    student_tail,
    verdict_codes,
)
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.looks import MOST_LOOKS, alpha_spent, group_sequential_design, split_information

SCHEMA = 1
"""Of a file of looks."""

GAMMA = -4.0
"""Spending parameter of Hwang, Shih and DeCani."""

GAMMAS = {"repeat": -8.0}
"""Spending parameters of other units: repeats of folds begin with more than half of the information."""

FEWEST_OF_A_CLASS = 20
"""Items of the rarer class from which areas under ROC curves are looked at."""

MOST_SKEW = 1.2
"""Share by which a tail of Student's t may be wrong to first order: up to it the error over looks was measured to be kept."""

CHANCE_SKEW = 0.01
"""Share of tables of normal scores in which some pair looks more skewed than chance is taken to make it."""


@dataclass(frozen=True, slots=True)
class TakenLook:
    """One look.

    Attributes
    ----------
    n : int
        Units of the plan that were there.
    fraction : float
        Share of the plan that they count as: what the spending function is asked about.
    interval_alpha : float
        1 - coverage of the intervals of this look, if it were the only one: its part of what each pair may spend.
    digest : str
        Of the units with their scores, so that other data are noticed.
    decided : tuple of (str, str, str)
        Pairs that this look decided: first, second, verdict.
    """

    n: int
    fraction: float
    interval_alpha: float
    digest: str
    decided: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """A plan of looks at data that are still coming in, and the looks that were taken.

    `compare(..., n_total=2000)` makes one, and the answer holds it with its own look: `answer.looks`.

    Attributes
    ----------
    n_total : int
        Units of the whole plan: items (where these come in clusters, clusters), datasets, or repeats of the folds.
    unit : str
        Noun for one unit of the plan, "" until the first look.
    terms : mapping
        Settings that all looks share; empty until the first look.
    taken : tuple of TakenLook
        In the order taken.
    check_order : bool, default True
        Units that come in an order which says something of them are refused; False where you know that it is random, which 1 %
        of random orders do not look like.
    """

    n_total: int
    check_order: bool = True
    unit: str = ""
    terms: Mapping[str, Any] = field(default_factory=dict)
    taken: tuple[TakenLook, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no plan."""
        if isinstance(self.n_total, bool) or not isinstance(self.n_total, Integral) or self.n_total < 1:
            raise InvalidParameterError(
                f"n_total is the number of units that are planned in all, a whole number above 0; got {self.n_total!r:.60}.",
                about="n_total",
            )
        set_checked(self, n_total=int(self.n_total))
        if len(self.taken) > MOST_LOOKS:
            raise InvalidParameterError(
                f"{len(self.taken):,} looks, and a plan has at most {MOST_LOOKS:,}: more than about 20 save next to nothing. "
                "Begin another plan, on new data.",
                about="looks",
            )
        n, fraction = 0, 0.0
        for look in self.taken:
            if not (look.n > n and fraction <= look.fraction <= 1 and look.fraction > 0):
                raise InvalidParameterError(
                    f"looks at {n:,} and then at {look.n:,} {self.unit or 'unit'}s, as {fraction:.3g} and {look.fraction:.3g} of "
                    "the plan: each look needs more data than the one before, and is at most all of the plan.",
                    about="looks",
                )
            n, fraction = look.n, look.fraction

    @property
    def gamma(self) -> float:
        """Parameter of the spending function of Hwang, Shih and DeCani."""
        return GAMMAS.get(self.unit, GAMMA)

    @property
    def n(self) -> int:
        """Units at the last look; 0 before the first."""
        return self.taken[-1].n if self.taken else 0

    @property
    def n_left(self) -> int:
        """Units of the plan that are still to come."""
        return max(0, self.n_total - self.n)

    def as_dict(self) -> dict[str, Any]:
        """The plan and its looks as JSON knows them."""
        from msgspec import to_builtins

        return {"kind": "looks", "schema": SCHEMA, **to_builtins(self)}

    @classmethod
    def from_dict(cls, content: Any, name: str = "looks") -> Self:
        """Looks as `as_dict` writes them.

        Raises
        ------
        DataError
            Something else, or the file of a newer version.
        """
        from msgspec import ValidationError, convert

        if not isinstance(content, Mapping) or content.get("kind") != "looks" or content.get("schema") != SCHEMA:
            raise DataError(
                f"{name} holds no looks that this tiebreak reads, which are of schema {SCHEMA}. Name a new file, which the first "
                "look writes, or an answer that was given with n_total; for the file of a newer tiebreak, update this one."
            )
        try:
            return convert(dict(content), cls)
        except ValidationError as error:
            if isinstance(error.__cause__, InvalidParameterError):
                raise error.__cause__ from None
            what = str(error).replace(" - at `$.", " at `")
            raise DataError(
                f"{name} is no whole record of looks: {what}. Was it changed or cut short? Go on from another copy, or from the "
                "saved answer of the last look."
            ) from None


# --- the plan and the data ----------------------------------------------------------------------------------------------------


LOOKED_FROM = {"corrected-t": 1, "tango": 20, "clustered-t": 20, "delong": 50, "wilcoxon": 8}
"""Procedures whose error over all looks was measured, in benchmarks/validity/looks.py, and the units from which it is kept."""

STUDENTS = ("corrected-t", "clustered-t")
"""Those of which the statistic is Student's, with the variance estimated anew at each look; else it is normal."""


def plan_unit(method: Method, data: Scores) -> str:
    """Noun for the unit that a plan counts."""
    if method.question == "splits":
        return "repeat"
    return "cluster" if data.items is not None and data.items.clusters is not None else method.unit


def units_in(method: Method, data: Scores) -> IntArray:
    """Number of the plan's unit that each split, dataset or item belongs to, in the order in which units come."""
    if method.question == "splits":
        return np.unique(data.matrix().repeat, return_inverse=True)[1]
    if data.items is None or data.items.clusters is None:
        return np.arange(len(data.matrices) if data.items is None else len(data.items.items))
    return numbers_of(data.items.clusters)


def cut(method: Method, data: Scores, n: int) -> Scores:
    """The first n units, in the order in which the table has them."""
    chosen = units_in(method, data) < n
    if method.question == "splits":
        matrix = data.matrix()
        held = {name: getattr(matrix, name)[chosen] for name in ("repeat", "fold", "n_train", "n_test")}
        return replace(data, matrices=(replace(matrix, **held, score=matrix.score[:, chosen]),))
    if data.items is None:
        return replace(data, matrices=data.matrices[:n])
    n_rows = int(np.count_nonzero(chosen))
    if not chosen[:n_rows].all():
        raise DataError(
            f"{data.items.unit}s of a cluster that was looked at came after another cluster had begun: a look takes whole "
            "clusters, so all items of a cluster belong together in the table."
        )
    part = data if n_rows == chosen.size else data.items.at(np.arange(n_rows)).as_scores()
    return replace(data, matrices=part.matrices, items=part.items)


def digest_of(data: Scores) -> str:
    """Hash of the units and their scores in order, whatever the order of the models."""
    ordered = data.take(sorted(data.models))
    items = ordered.items
    if items is not None:
        held: list[Any] = [list(items.items), items.clusters, items.weights, items.is_positive, items.truth, items.score]
    else:
        names = ("dataset", "repeat", "fold", "n_train", "n_test", "score")
        held = [getattr(matrix, name) for matrix in ordered.matrices for name in names]
    parts = (
        (np.nan_to_num(np.round(np.asarray(value, dtype="<f8"), 10), nan=np.inf) + 0.0).tobytes()  # no -0.0, and one nan
        if isinstance(value, np.ndarray)
        else json.dumps(value).encode()
        for value in held
        if value is not None
    )
    return hashlib.blake2b(b"".join(parts), digest_size=12).hexdigest()


def check_suitable(data: Scores, settings: Settings, method: Method) -> None:
    """Refuse looks that cannot be taken with these settings, by this procedure, at data of this kind, and say why."""
    why = {
        "time": "periods depend on each other, so looks at a series that grows have no known level",
        "seeds": "seeds are compared at once",
        "datasets": "of methods for datasets only the error of 'wilcoxon' over several looks was measured",
    }.get(method.question, "its error over several looks was not measured")
    has_runs = data.items is not None and len(data.items.runs) > 1
    refused = refusal(
        (
            method.name not in LOOKED_FROM,
            (
                f"{method.name} takes no looks: {why}. Looks are for {quoted(list(LOOKED_FROM))}. Compare once, when all data "
                "are in, without "
            ),
            Setting("n_total"),
            ".",
        ),
        (
            method.unit == "split" and not data.can_be_repeated,
            "these splits cannot be repeated, so there are no further ones to look at. Compare once, without ",
            Setting("n_total"),
            ".",
        ),
        (
            has_runs or (data.items is not None and data.items.weights is not None),
            (
                f"the {method.unit}s have {'several runs' if has_runs else 'weights'}, and looks at such data were not measured. "
                "Compare once, when all are in."
            ),
        ),
    )
    if refused is not None:
        raise refused
    for name, is_given, why, instead in (
        (
            "correction",
            settings.correction not in SINGLE_STEP,
            "its steps go over all p-values",
            "take 'bonferroni'",
        ),
        (
            "rope",
            isinstance(settings.rope, str),
            "a share of the best mean is another one each time",
            "give it in the metric's unit",
        ),
        (
            "by",
            settings.by is not None,
            "slices are a family of their own, which the plan does not know",
            "slice a single answer",
        ),
    ):
        if is_given:
            raise InvalidParameterError(
                Setting(name, repr(getattr(settings, name))),
                f" does not go with looks: {why}. Leave it out, or {instead}.",
                about=name,
            )


def next_look(plan: Looks | Mapping[str, Any], data: Scores, settings: Settings, method: Method, rope: float) -> Looks:
    """The plan with a look at these data added, without its level and verdicts; as it is where its last look was at them.

    Raises
    ------
    ChangedRunError
        The earlier looks were at other data, or had other settings.
    InvalidParameterError
        The plan is over, or has fewer units than are there, at the first look.
    DataError
        No looks by this procedure, or too few units, or an order that says something of them.
    """
    plan = plan if isinstance(plan, Looks) else Looks.from_dict(plan)  # as a saved answer has it
    check_suitable(data, settings, method)
    unit, n = plan_unit(method, data), int(units_in(method, data).max()) + 1
    terms = {  # which no look may change
        "metric": data.metric.name,
        "models": sorted(data.models),
        "method": method.name,
        "rope": rope,
        "alpha": settings.alpha,
        "family": settings.family,
        "baseline": settings.baseline,
        "correction": settings.correction or "bonferroni",
        "missing": settings.missing,
    }
    plan = replace(plan, unit=unit, terms=plan.terms if plan.taken else terms)
    if not plan.taken and n > plan.n_total:
        raise InvalidParameterError(
            Setting("n_total", str(plan.n_total)),
            f" is fewer than the {n:,} {unit}s that are there already. It names the whole plan, before the first look.",
            about="n_total",
        )
    _refuse_changes(plan, terms)
    if plan.n > n:
        raise ChangedRunError(
            f"look {len(plan.taken)} was at {plan.n:,} {unit}s, and here are only {n:,}. A look needs all units of the looks "
            "before, and new ones after them."
        )
    if plan.taken and digest_of(cut(method, data, plan.n)) != plan.taken[-1].digest:  # which holds all units of those before it
        raise ChangedRunError(
            f"the first {plan.n:,} {unit}s are not those of look {len(plan.taken)}: other {unit}s, another order, or other "
            "scores. Keep the rows of the looks before as they were, and add new ones below them."
        )
    if plan.taken and plan.n == n:
        return plan
    if plan.n >= plan.n_total:
        raise InvalidParameterError(
            f"the plan of {plan.n_total:,} {unit}s is over: look {len(plan.taken)} was at {plan.n:,}, and all of alpha is "
            "spent. Further data need a new plan, on new units alone.",
            about="looks",
        )
    look = TakenLook(n, fraction_of(plan, method, data, n), float("nan"), digest_of(data), ())
    fewest, rarest = LOOKED_FROM[method.name], None if data.items is None else data.items.n_rarest
    is_few = rarest is not None and rarest < FEWEST_OF_A_CLASS and n < plan.n_total
    if is_few or n < min(fewest, plan.n_total):
        what = f"{rarest} items of the rarer class" if is_few else f"{n:,} {unit}s"
        raise DataError(
            f"{what} are too few for a look: {method.name} was measured to keep its level over looks from "
            f"{FEWEST_OF_A_CLASS if is_few else fewest} on. Look again then; nothing is spent."
        )
    if plan.check_order:
        refuse_order(method, data, unit, number=len(plan.taken) + 1)
    if n < plan.n_total and method.name == "clustered-t":
        _refuse_skew(plan, method, data, settings, look)
    return replace(plan, taken=(*plan.taken, look))


def _refuse_skew(plan: Looks, method: Method, data: Scores, settings: Settings, look: TakenLook) -> None:
    """Refuse graded scores with differences so skewed that their t statistic has no known level so far out in its tail.

    Its one-sided tails are wrong by a share of about g z^3 / 3, with g the skewness of the mean and z the bound of the look (the
    leading term of the Edgeworth expansion). Hall's correction, which the intervals have too, takes most of that. Of the
    skewness counts what is beyond the largest of so many pairs in 99 % of tables of normal scores.
    """
    first, second = np.triu_indices(len(data.models), 1)
    skewness = method.judged(data, first, second, settings).beside["skewness"]
    n, at = look.n, [each.fraction for each in (*plan.taken[-1:], look)]
    spent = np.diff(alpha_spent(at, alpha=family_alpha(settings, len(data.models)), gamma=plan.gamma), prepend=0.0)[-1]
    z = float(student_multiplier(max(spent, 1e-12), np.inf))
    noise = float(student_multiplier(CHANCE_SKEW / first.size, np.inf)) * np.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
    worst = float(np.nanmax(np.abs(skewness), initial=0.0)) * np.sqrt(n)
    needed = (max(0.0, worst - noise) * z**3 / (3 * MOST_SKEW)) ** 2  # the skewness of a mean falls with sqrt(n)
    if needed > n:
        raise DataError(
            f"the differences of two models are skewed ({worst:.1f}), and with {n:,} {plan.unit}s a t statistic has "
            f"no known level as far out as this look asks for: about {needed:,.0f} would be enough. Look again then; nothing is "
            "spent."
        )


def _refuse_changes(plan: Looks, terms: Mapping[str, Any]) -> None:
    """Refuse another metric, family, procedure or other models than at the looks before."""
    for name, now in terms.items():
        before = plan.terms.get(name)
        if before == now:
            continue
        if name == "models" and isinstance(before, list):
            added, gone = [m for m in now if m not in before], [m for m in before if m not in now]
            changes = [f"{quoted(names)} {what}" for names, what in ((added, "came in"), (gone, "left")) if names]
            text = f"the earlier looks were at other models: {' and '.join(changes)}"
        else:
            text = f"the earlier looks had {name} {before!r}, and this one has {now!r}"
        raise ChangedRunError(
            f"{text}. What a plan compares is fixed before its first look; for another question begin another plan, on new data."
        )


def fraction_of(plan: Looks, method: Method, data: Scores, n: int) -> float:
    """Share of the plan at which its spending function is asked at n units; all of it once the plan is full."""
    if n >= plan.n_total:
        return 1.0
    if method.question != "splits":
        return n / plan.n_total
    matrix = data.matrix()
    ratio = float(matrix.ratio.mean()) if matrix.has_ratio else 0.0
    return float(split_information(matrix.n_splits, round(plan.n_total * matrix.n_splits / n), test_train_ratio=ratio))


# --- order --------------------------------------------------------------------------------------------------------------------

ORDER_ALPHA, FIRST = 0.01, 0.7
"""Chance, at most, that a random order is refused at any look, and the share of it that the first look has."""

FEWEST = 8
"""Units below which no order can be told from a random one."""

OF_THE_ORDER = re.compile(
    r"(^|[_\W])(time|timestamp|date|index|idx|id|order|position|row|number|no|line|seed)s?([_\W]|$)", re.IGNORECASE
)
"""Names of columns that say when or where an item came, and so go with any order."""

OF_GROUPS = re.compile("subject|topic|category|domain|group|section|chapter|level|difficulty|language", re.IGNORECASE)
"""Names of columns by which tables are sorted; a look at one group alone is none at the plan."""


def refuse_order(method: Method, data: Scores, unit: str, *, number: int = 1) -> None:
    """Refuse an order of the units that says something of them, at the look of this number, from 1.

    The mean score over models and every column of numbers are tested for a trend along the table and for likeness of neighbours,
    every column of texts by how many neighbours share one. Repeats of folds are drawn anew each, and are not tested.

    Raises
    ------
    DataError
        Some test finds so few random orders like this one that all tests of all looks together refuse at most 1 % of them; or all
        units are of one group.
    """
    if method.question == "splits":
        return
    score, columns = _by_unit(method, data)
    one = next((name for name, values in columns.items() if OF_GROUPS.fullmatch(name) and len(set(values)) == 1), None)
    if one is not None:
        raise DataError(
            f"all {score.size:,} {unit}s have the {one} {columns[one][0]!r}. If others follow, the order is not random: shuffle "
            f"the {unit}s before any of them is run. If the whole plan has only this one, leave the column {one!r} out."
        )
    signs = list(_signs(score, columns, unit))
    pvalue, found = min(signs, default=(1.0, ""))
    if signs and pvalue * len(signs) < alpha_of_look(number):
        raise DataError(
            f"the {unit}s do not come in random order: {found}. The first part of such a table is no sample of the whole, so a "
            f"look at it would be wrong far more often than alpha says. Shuffle the {unit}s before any of them is run, or "
            "compare once, when all are in, without a plan. If they were shuffled (1 % of random orders look like this), go on "
            "with ",
            Advice("looks=tb.Looks(n_total=..., check_order=False)", typed="--random-order"),
            ".",
        )


def alpha_of_look(number: int) -> float:
    """Chance, at most, that the look of this number, from 1, refuses a random order."""
    return ORDER_ALPHA * (FIRST if number == 1 else (1 - FIRST) / (number * (number - 1)))


def _by_unit(method: Method, data: Scores) -> tuple[FloatArray, dict[str, tuple[str, ...]]]:
    """Mean score of each unit over models, or its class, and the columns that say something of units."""
    score, items = units_of(data).matrix().score, data.items
    if items is not None and (items.truth is not None or items.is_positive is not None):  # what models say is no score
        score = np.asarray(items.is_positive if items.is_positive is not None else items.truth, dtype=float)[None]
    there = ~np.isnan(score)
    code = units_in(method, data)
    _, first = np.unique(code, return_index=True)
    held = {name: np.array(values, dtype=object) for name, values in ({} if items is None else items.columns).items()}
    columns = {name: tuple(values[first]) for name, values in held.items() if (values[first][code] == values).all()}
    total, count = np.bincount(code, np.where(there, score, 0.0).sum(axis=0)), np.bincount(code, there.sum(axis=0))
    return np.where(count > 0, total / np.maximum(count, 1), np.nan), columns


def _signs(score: FloatArray, columns: Mapping[str, tuple[str, ...]], unit: str) -> Iterator[tuple[float, str]]:
    """Tests of the order: p-value, and what was found in words."""
    if score.size < FEWEST:
        return
    yield from _of_numbers(score, f"the mean score by {unit}")
    for name, values in columns.items():
        try:
            numbers = np.array([float(value) if value else np.nan for value in values])
            is_number = np.unique(numbers[~np.isnan(numbers)]).size > 2
        except ValueError:
            is_number = False
        if not is_number:
            yield from _of_texts(values, name, unit)
        elif not OF_THE_ORDER.search(name):
            yield from _of_numbers(numbers, repr(name))


def _of_numbers(values: FloatArray, what: str) -> Iterator[tuple[float, str]]:
    """Trend by the rank correlation with the place, and likeness of neighbours by that of each with the next."""
    values = values[~np.isnan(values)]
    if values.size < FEWEST or np.ptp(values) <= 1e-12 * np.abs(values).max():
        return
    ranks = mid_ranks(values)
    trend = float(np.corrcoef(ranks, np.arange(values.size))[0, 1])
    way = "rises" if trend > 0 else "falls"
    yield 2 * _correlation_tail(abs(trend), values.size), f"{what} {way} along the table (rank correlation {trend:.2f})"
    before, after = ranks[:-1], ranks[1:]
    if np.ptp(before) and np.ptp(after):
        alike = float(np.corrcoef(before, after)[0, 1]) + 1.0 / values.size  # the expected correlation of neighbours is -1 / n
        yield (
            _correlation_tail(min(alike, 1.0), values.size - 1),
            f"{what} is like that of its neighbours (rank correlation {alike:.2f})",
        )


def _of_texts(values: tuple[str, ...], name: str, unit: str) -> Iterator[tuple[float, str]]:
    """Neighbours that share a text: under a random order nearly Poisson, and less spread than that where texts are few."""
    from scipy.special import pdtrc

    _, counts = np.unique(np.array(values), return_counts=True)
    n, expected = len(values), float((counts * (counts - 1.0)).sum() / len(values))
    if counts.size not in (1, n):
        shared = sum(one == two for one, two in itertools.pairwise(values))
        blocks = f"{shared:,} of {n - 1:,} neighbouring {unit}s share it, {expected:,.0f} in random order"
        yield (float(pdtrc(shared - 1, expected)) if shared else 1.0), f"{name!r} comes in blocks ({blocks})"


def _correlation_tail(correlation: float, n: int) -> float:
    """One-sided p-value of a correlation of n pairs, by Student's t."""
    return float(student_tail(correlation * np.sqrt((n - 2) / max(1e-300, 1.0 - correlation**2)), n - 2.0))


# --- levels and pairs ---------------------------------------------------------------------------------------------------------


def granted_alphas(plan: Looks, method: Method, cuts: Sequence[Scores]) -> Callable[[float], FloatArray]:
    """Function of a two-sided alpha, of any that is shared among looks: the part of it that each look grants to all pairs."""
    numbers, information = map(np.array, zip(*map(_information, cuts), strict=True))
    df = numbers - 1.0 if method.name in STUDENTS else None
    # the spending function is asked at the shares of the plan; the correlation of two looks is that of their information
    time = np.array([look.fraction for look in plan.taken])
    fractions = information / information[-1] * min(1.0, time[-1])

    def granted(alpha: float) -> FloatArray:
        spent = alpha_spent(time, alpha=alpha, gamma=plan.gamma)
        return group_sequential_design(fractions, alpha=alpha, spent=spent, df=df).alphas

    return granted


def _information(data: Scores) -> tuple[float, float]:
    """Units of a look, and the information in them, of which 1 / variance is a multiple."""
    items = data.items
    if items is None:
        matrix = units_of(data).matrix()
        ratio = float(matrix.ratio.mean()) if matrix.has_ratio and len(data.matrices) == 1 else 0.0
        return float(matrix.n_splits), 1.0 / (1.0 / matrix.n_splits + ratio)
    if items.is_positive is not None and items.clusters is None:
        n, n_positive = items.is_positive.size, int(np.count_nonzero(items.is_positive))
        return float(n), n_positive * (n - n_positive) / n
    return float(items.n_clusters), float(items.n_clusters)


def looked(
    plan: Looks, method: Method, data: Scores, first: IntArray, second: IntArray, settings: Settings, at: int | None = None
) -> Judged:
    """Differences of pairs at the looks of a plan: each at the look that decided it, else at the last; or all at one look.

    `settings` have the rope in the metric's unit, and `at` is the place of a look in the plan, from 0 or back from -1. In
    comparisons with the best a pair is over where their bounds decide it. Beside the law are the look of each pair, from 1, the
    verdict code with which it is over, UNDECIDED where it is open, and the alphas, 1 - coverage of the intervals that each look
    decides by.
    """
    alpha = family_alpha(settings, len(data.models))
    is_single, first, second = not np.ndim(first), np.atleast_1d(first), np.atleast_1d(second)
    cuts = [cut(method, data, look.n) for look in plan.taken]
    granted = granted_alphas(plan, method, cuts)
    alphas = granted(alpha)
    judged = [method.judged(each, first, second, settings) for each in cuts]
    laws = [each.law for each in judged]
    found = np.stack(
        [
            verdict_codes(law.interval_at(own), float(settings.rope), law.tolerance)
            for law, own in zip(laws, alphas.tolist(), strict=True)
        ]
    )
    is_over = np.isin(found, OVER)
    look = np.where(is_over.any(axis=0), is_over.argmax(axis=0), len(cuts) - 1)
    if at is not None:
        look[:] = at % len(cuts)
    over = np.where(is_over, found, UNDECIDED)[look, np.arange(look.size)]
    law = _joined(laws, look, granted, settings.alpha if settings.family == "best" else alpha)
    return Judged(
        law=law.take(0) if is_single else law,  # type: ignore[arg-type]
        unit=judged[0].unit,
        beside={"look": look + 1, "over": over, "alphas": alphas},
    )


def _joined(laws: Sequence[Law], look: IntArray, granted: Callable[[float], FloatArray], home: float) -> Law:
    """One law of pairs of which each has that of its look.

    An interval at 1 - alpha is that of the pair's look at the part of `alpha` that the plan grants it. So the intervals of all
    looks cover at once. Tails are scaled so that they agree with the intervals at `home`, the alpha of the intervals that are
    shown.
    """
    rows = np.arange(look.size)

    def column(name: str) -> Any:
        held = [getattr(law, name) for law in laws]
        return None if held[0] is None else np.stack([np.broadcast_to(each, look.shape) for each in held])[look, rows]

    def share(law: Law, alpha: float) -> FloatArray:
        return np.asarray(granted(alpha)[law.parts[-1]] / alpha)

    def each(law: Law, ask: Callable[[Law], Any]) -> FloatArray:
        *held, of_pair = law.parts
        return np.select([of_pair == k for k in range(len(held))], [ask(own) for own in held], np.nan)

    def at_home(law: Law, tail: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.minimum(1.0, tail / share(law, home))

    def tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
        return at_home(law, each(law, lambda own: own.tail(at, upper=upper)))

    def end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
        given = p
        for one in np.unique(p).tolist():
            given = np.where(p == one, one * share(law, 2.0 * one), given)
        return each(law, lambda own: own.end(given, upper=upper))

    def pvalue(law: Law, side: Alternative) -> FloatArray:
        return at_home(law, each(law, lambda own: own.pvalue(side)))

    columns = {name: column(name) for name in ("estimate", "se", "df", "tolerance", "n_units", "kind")}
    return Law(**columns, shape=Shape(tail, end, pvalue), parts=(*laws, look))


def decided_at(plan: Looks, table: Family, models: tuple[str, ...]) -> Looks:
    """The plan with what its looks granted and decided: of each pair the better model first, else in order of name.

    Raises
    ------
    ChangedRunError
        An earlier look said otherwise than its data say now.
    """
    beside, looks = table.judged.beside, []
    for k, look in enumerate(plan.taken):
        named, alpha = [], float(beside["alphas"][k])
        for row in np.flatnonzero((beside["look"] == k + 1) & (beside["over"] != UNDECIDED)).tolist():
            first, second, verdict = models[table.first[row]], models[table.second[row]], VERDICTS[beside["over"][row]]
            is_turned = verdict == "worse" or (verdict != "better" and second < first)
            pair = (second, first) if is_turned else (first, second)
            named.append((*pair, "better" if verdict == "worse" else verdict))
        decided = tuple(sorted(named))
        if np.isfinite(look.interval_alpha) and (look.decided != decided or abs(look.interval_alpha - alpha) > 1e-6 * alpha):
            before, now = (
                f"{'; '.join(f'{one!r} {word} {two!r}' for one, two, word in pairs[:3]) or 'nothing decided'} at alpha {own:.6g}"
                for pairs, own in ((look.decided, look.interval_alpha), (decided, alpha))
            )
            raise ChangedRunError(
                f"look {k + 1} does not say what its {look.n:,} {plan.unit}s say: {before} stands there, and they give {now}. "
                "Was it changed, or written by another version? Go on from another copy."
            )
        looks.append(replace(look, interval_alpha=alpha, decided=decided))
    return replace(plan, taken=tuple(looks))
