"""Looks at data that are still coming in: the plan, the looks taken, and the alphas that they leave to each pair."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args

import numpy as np

from tiebreak.comparison.family import best_alpha
from tiebreak.comparison.look_order import refuse_order
from tiebreak.comparison.procedures.procedure import Method, units_of
from tiebreak.errors import ChangedLooksError, InvalidParameterError, Setting, UnreadableSourceError, UnsuitableDesignError
from tiebreak.numerics import FloatArray, IntArray, divide, set_checked
from tiebreak.scores.items import Items
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.family import shared_alpha
from tiebreak.statistics.looks import (
    CLOSEST_LOOKS,
    MOST_LOOKS,
    GroupSequentialDesign,
    SpendingName,
    alpha_spent,
    group_sequential_design,
    split_information,
)

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

SCHEMA = 1
"""Of a file of looks."""

GAMMA = -4.0
"""Spending parameter of Hwang, Shih and DeCani."""

GAMMAS = {"splits": -8.0}
"""Spending parameters by question, where it is another one: repeats of folds begin with more than half of the information."""

FUTILE = 0.99
"""Forecast probability from which a pair that stays what it is counts as one that the rest of the plan will not decide."""

FEWEST_OF_A_CLASS = 20
"""Items of the rarer class from which areas under ROC curves are looked at."""

MOST_SKEW = 0.6
"""Share by which a tail may be wrong to first order: up to it the error over looks was measured to be kept."""

MOST_HISTORIES = 50
"""Different gaps of pairs beyond which all have the shares of the table: each costs a calibration."""


class TakenLook(NamedTuple):
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
    spending : {"hwang-shih-decani", "obrien-fleming", "pocock"}
        Spending function of alpha.
    gamma : float or None
        Parameter of Hwang, Shih and DeCani; None until the first look: -4, and -8 for repeats.
    unit : str
        Noun for one unit of the plan, "" until the first look.
    terms : mapping
        Settings that all looks share; empty until the first look.
    taken : tuple of TakenLook
        In the order taken.
    """

    n_total: int
    spending: SpendingName = "hwang-shih-decani"
    gamma: float | None = None
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
        if self.spending not in get_args(SpendingName):
            names = ", ".join(map(repr, get_args(SpendingName)))
            raise InvalidParameterError(f"spending must be one of {names}; got {self.spending!r:.60}.", about="spending")
        if self.gamma is not None:
            if isinstance(self.gamma, bool) or not isinstance(self.gamma, Real):
                raise InvalidParameterError(f"gamma must be a number; got {self.gamma!r:.60}.", about="gamma")
            alpha_spent([1.0], gamma=float(self.gamma))
        if len(self.taken) > MOST_LOOKS:
            raise InvalidParameterError(
                f"{len(self.taken):,} looks, and a plan has at most {MOST_LOOKS:,}: more than about 20 save next to nothing. "
                "Begin another plan, on new data.",
                about="looks",
            )
        for before, after in pairwise(self.taken):
            if after.n <= before.n or after.fraction < before.fraction:
                raise InvalidParameterError(
                    f"looks at {before.n:,} and then at {after.n:,} {self.unit or 'unit'}s, as {before.fraction:.3g} and "
                    f"{after.fraction:.3g} of the plan: each look needs more data than the one before.",
                    about="looks",
                )

    @property
    def n(self) -> int:
        """Units at the last look; 0 before the first."""
        return self.taken[-1].n if self.taken else 0

    @property
    def n_left(self) -> int:
        """Units of the plan that are still to come."""
        return max(0, self.n_total - self.n)

    @property
    def decided(self) -> tuple[tuple[str, str, str], ...]:
        """Pairs that are decided, by whichever look."""
        return tuple(pair for look in self.taken for pair in look.decided)

    def as_dict(self) -> dict[str, Any]:
        """The plan and its looks as JSON knows them."""
        return {
            "kind": "looks",
            "schema": SCHEMA,
            "n_total": self.n_total,
            "unit": self.unit,
            "spending": self.spending,
            "gamma": self.gamma,
            "terms": dict(self.terms),
            "taken": [{**look._asdict(), "decided": [list(pair) for pair in look.decided]} for look in self.taken],
        }

    @classmethod
    def from_dict(cls, content: Any, name: str = "looks") -> Self:
        """Looks as `as_dict` writes them.

        Raises
        ------
        UnreadableSourceError
            Something else, or the file of a newer version.
        """
        if not isinstance(content, Mapping) or content.get("kind") != "looks":
            raise UnreadableSourceError(
                f"{name} holds no looks. Name a new file, which the first look writes, or an answer that was given with n_total."
            )
        if content.get("schema") != SCHEMA:
            raise UnreadableSourceError(
                f"{name} has looks of schema {content.get('schema')!r:.20}, and this tiebreak reads schema {SCHEMA}. Update "
                "tiebreak."
            )
        try:
            taken = tuple(_taken_look(each, number) for number, each in enumerate(content["taken"], 1))
            facts = {key: content[key] for key in ("n_total", "spending", "gamma", "unit")}
            terms = dict(content["terms"])
            if not isinstance(facts["unit"], str):
                raise ValueError("its unit is no word")
        except (KeyError, TypeError, ValueError) as error:
            what = {KeyError: f"it lacks {error}", ValueError: str(error)}.get(type(error), "an entry is not of its kind")
            raise UnreadableSourceError(
                f"{name} is no whole record of looks: {what}. Was it changed or cut short? Go on from another copy, or from the "
                "saved answer of the last look."
            ) from None
        return cls(**facts, terms=terms, taken=taken)


def _taken_look(content: Mapping[str, Any], number: int) -> TakenLook:
    n, decided = content["n"], content["decided"]
    fraction, alpha = float(content["fraction"]), float(content["interval_alpha"])
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"look {number} has n {n!r:.20}, which is no number of units")
    if not 0 < fraction <= 1:
        raise ValueError(f"look {number} has the fraction {fraction:g}, which is no share of a plan")
    if not all(isinstance(pair, (list, tuple)) and len(pair) == 3 for pair in decided):
        raise ValueError(f"look {number} has decided pairs that are not two models and a verdict")
    return TakenLook(n, fraction, alpha, str(content["digest"]), tuple((str(a), str(b), str(c)) for a, b, c in decided))


# --- the plan and the data ----------------------------------------------------------------------------------------------------


class Process(NamedTuple):
    """Looks of a procedure: the distribution of its statistic from look to look, and where looking begins.

    Attributes
    ----------
    is_student : bool
        Student's, with the variance estimated anew at each look; else the normal one.
    fewest : int
        Units of the plan from which looks were measured to keep their level.
    """

    is_student: bool
    fewest: int


PROCESSES = {
    "corrected-t": Process(is_student=True, fewest=1),
    "tango": Process(is_student=False, fewest=20),
    "clustered-t": Process(is_student=True, fewest=20),
    "delong": Process(is_student=False, fewest=50),
    "wilcoxon": Process(is_student=False, fewest=8),
}
"""Procedures whose error over all looks was measured, in benchmarks/validity/looks.py."""


class Cut(NamedTuple):
    """The data up to a look, with the number of units of the plan in them."""

    data: Scores
    n: int


def plan_unit(method: Method, data: Scores) -> str:
    """Noun for the unit that a plan counts."""
    if method.question == "splits":
        return "repeat"
    if data.items is not None and data.items.clusters is not None:
        return "cluster"
    return method.unit


def cut(method: Method, data: Scores, n: int | None = None) -> Cut:
    """The first n units, all if not given, in the order in which the table has them."""
    if method.question == "splits":
        matrix = data.matrix()
        repeats = np.unique(matrix.repeat)
        n = repeats.size if n is None else n
        chosen = np.isin(matrix.repeat, repeats[:n])
        if chosen.all():
            return Cut(data, n)
        part = replace(
            matrix,
            repeat=matrix.repeat[chosen],
            fold=matrix.fold[chosen],
            n_train=matrix.n_train[chosen],
            n_test=matrix.n_test[chosen],
            score=matrix.score[:, chosen],
            columns=tuple(np.array(matrix.columns, dtype=object)[chosen]) if matrix.columns else (),
        )
        return Cut(replace(data, matrices=(part,)), n)
    if data.items is None:
        n = len(data.matrices) if n is None else n
        return Cut(data if n >= len(data.matrices) else replace(data, matrices=data.matrices[:n]), n)
    items = data.items
    n_rows = len(items.items)
    if items.clusters is not None:
        codes = _first_seen(items.clusters)
        n = int(codes.max()) + 1 if n is None else n
        n_rows = int(np.count_nonzero(codes < n))
        if np.any(codes[:n_rows] >= n):
            late = items.clusters[int(np.flatnonzero(codes[:n_rows] >= n)[0])]
            raise UnsuitableDesignError(
                f"{items.unit}s of a cluster that was looked at came after the cluster {late!r} had begun: a look takes whole "
                "clusters, so all items of a cluster belong together in the table."
            )
    elif n is None or n >= n_rows:
        n = n_rows
    else:
        n_rows = n
    if n_rows == len(items.items):
        return Cut(data, n)
    part_of = items.at(np.arange(n_rows)).as_scores()
    return Cut(replace(data, matrices=part_of.matrices, items=part_of.items), n)


def _first_seen(names: tuple[str, ...]) -> IntArray:
    """Number of each name, in the order in which they come."""
    number: dict[str, int] = {}
    return np.array([number.setdefault(name, len(number)) for name in names], dtype=np.intp)


def digest_of(data: Scores) -> str:
    """Hash of the units and their scores in order, whatever the order of the models."""
    found = hashlib.blake2b(digest_size=12)

    def add(*values: Any) -> None:
        for value in values:
            if isinstance(value, np.ndarray):
                numbers = np.round(np.asarray(value, dtype=float), 10) + 0.0  # no -0.0
                found.update(np.ascontiguousarray(numbers, dtype="<f8").tobytes())
            elif value is not None:
                found.update(json.dumps(value).encode())

    models = sorted(data.models)
    ordered = data.take(models)
    items: Items | None = ordered.items
    if items is not None:
        add(list(items.items), items.clusters, items.weights, items.is_positive, items.truth, items.score)
    else:
        for matrix in ordered.matrices:
            add(matrix.dataset, matrix.repeat, matrix.fold, matrix.n_train, matrix.n_test, matrix.score)
    return found.hexdigest()


def terms_of(data: Scores, settings: Settings, method: Method, rope: float) -> dict[str, Any]:
    """Settings that no look may change, with the models."""
    return {
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


def check_suitable(data: Scores, settings: Settings, method: Method) -> None:
    """Refuse looks that cannot be taken with these settings, by this procedure, at data of this kind, and say why."""
    if method.name not in PROCESSES:
        why = {
            "time": "periods depend on each other, so looks at a series that grows have no known level",
            "seeds": "seeds are compared at once",
        }.get(method.question, "its error over several looks was not measured")
        raise UnsuitableDesignError(
            f"{method.name} takes no looks: {why}. Looks are for {quoted(list(PROCESSES))}. Compare once, when all data are in, "
            "without ",
            Setting("n_total"),
            ".",
        )
    if method.unit == "split" and not data.can_be_repeated:
        raise UnsuitableDesignError(
            "these splits cannot be repeated, so there are no further ones to look at. Compare once, without ",
            Setting("n_total"),
            ".",
        )
    items = data.items
    if items is not None and (len(items.runs) > 1 or items.weights is not None):
        what = "several runs" if len(items.runs) > 1 else "weights"
        raise UnsuitableDesignError(
            f"the {items.unit}s have {what}, and looks at such data were not measured. Compare once, when all are in."
        )
    wrong = (
        ("correction", settings.correction not in (None, "bonferroni", "none"), "its steps go over all p-values"),
        ("rope", isinstance(settings.rope, str), "a share of the best mean is another number at each look"),
        ("by", settings.by is not None, "slices are a family of their own, which the plan does not know"),
    )
    for name, is_given, why in wrong:
        if is_given:
            value = getattr(settings, name)
            raise InvalidParameterError(
                Setting(name, repr(value)), f" does not go with looks: {why}. Leave it out", *_instead(name), ".", about=name
            )


def _instead(name: str) -> tuple[str, ...]:
    return {"rope": (", or give it in the metric's unit",), "correction": (", or take 'bonferroni'",)}.get(name, ())


def next_look(plan: Looks, data: Scores, settings: Settings, method: Method, rope: float) -> Looks:
    """The plan with a look at these data added, without its level and verdicts; as it is where its last look was at them.

    Raises
    ------
    ChangedLooksError
        The earlier looks were at other data, or had other settings.
    InvalidParameterError
        The plan is over, or has fewer units than are there, at the first look.
    UnsuitableDesignError
        No looks by this procedure, or too few units.
    """
    check_suitable(data, settings, method)
    terms, now = terms_of(data, settings, method, rope), cut(method, data)
    unit = plan_unit(method, data)
    if not plan.taken:
        gamma = GAMMAS.get(method.question, GAMMA) if plan.gamma is None else plan.gamma
        plan = replace(plan, gamma=float(gamma), unit=unit, terms=terms)
        refuse_too_many(plan, now.n)
    plan = replace(plan, unit=unit)
    refuse_changes(plan, terms)
    refuse_fewer(plan, now.n)
    if plan.taken:  # the last look holds all units of those before it
        refuse_other_data(plan, digest_of(cut(method, data, plan.n).data))
    if plan.taken and plan.n == now.n:
        return plan
    refuse_full_plan(plan)
    process = PROCESSES[method.name]
    if now.n < min(process.fewest, plan.n_total):
        raise UnsuitableDesignError(
            f"{now.n:,} {unit}s are too few for a look: {method.name} was measured to keep its level over looks from "
            f"{process.fewest} on. Look again then; nothing is spent."
        )
    n_rarest = None if data.items is None else data.items.n_rarest
    if n_rarest is not None and n_rarest < FEWEST_OF_A_CLASS and now.n < plan.n_total:
        raise UnsuitableDesignError(
            f"{n_rarest} items of the rarer class are too few for a look: areas under ROC curves were measured from "
            f"{FEWEST_OF_A_CLASS} on. Look again then; nothing is spent."
        )
    refuse_order(method, now.data, unit, number=len(plan.taken) + 1)
    fraction = fraction_of(plan, method, now)
    if now.n < plan.n_total:
        _refuse_skew(plan, method, now.data, settings, fraction)
    look = TakenLook(now.n, fraction, float("nan"), digest_of(now.data), ())
    return replace(plan, taken=(*plan.taken, look))


def _refuse_skew(plan: Looks, method: Method, data: Scores, settings: Settings, fraction: float) -> None:
    """Refuse graded scores with differences so skewed that their t statistic has no known level so far out in its tail.

    Its one-sided tails are wrong by a share of about g z^3 / 3, with g the skewness of the mean and z the bound of the look (the
    leading term of the Edgeworth expansion); the two sides balance to first order only. Johnson's correction, which the intervals
    have too, takes part of that.
    """
    if method.name != "clustered-t":
        return
    from scipy.special import ndtri

    n_models = len(data.models)
    first, second = np.triu_indices(n_models, 1)
    skewness = method.judge(data, first, second, settings).beside.get("skewness")
    if skewness is None:
        return
    alpha = family_alpha(settings, method, first.size if settings.baseline is None else n_models - 1, n_models)
    before = plan.taken[-1].fraction if plan.taken else 0.0
    spent = alpha_spent([fraction], alpha=alpha, spending=plan.spending, gamma=plan.gamma or 0.0)[0]
    already = alpha_spent([before], alpha=alpha, spending=plan.spending, gamma=plan.gamma or 0.0)[0] if before else 0.0
    z = -float(ndtri(max(spent - already, 1e-12) / 2))
    n = data.items.n_clusters if data.items is not None else data.matrix().n_splits
    known = np.abs(skewness[np.isfinite(skewness)])
    worst = float(known.max()) if known.size else 0.0
    needed = n * (worst * z**3 / (3 * MOST_SKEW)) ** 2  # the skewness of a mean falls with sqrt(n)
    if needed > n:
        raise UnsuitableDesignError(
            f"the differences of two models are skewed ({worst * np.sqrt(n):.1f}), and with {n:,} {plan.unit}s a t statistic has "
            f"no known level as far out as this look asks for: about {needed:,.0f} would be enough. Look again then; nothing is "
            "spent."
        )


def refuse_changes(plan: Looks, terms: Mapping[str, Any]) -> None:
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
        raise ChangedLooksError(
            f"{text}. What a plan compares is fixed before its first look; for another question begin another plan, on new data."
        )


def refuse_too_many(plan: Looks, n: int) -> None:
    """Refuse a plan of fewer units than are there at its first look."""
    if n > plan.n_total:
        raise InvalidParameterError(
            Setting("n_total", str(plan.n_total)),
            f" is fewer than the {n:,} {plan.unit}s that are there already. It names the whole plan, before the first look.",
            about="n_total",
        )


def refuse_fewer(plan: Looks, n: int) -> None:
    """Refuse fewer units than a look before was at."""
    for number, look in enumerate(plan.taken, 1):
        if look.n > n:
            raise ChangedLooksError(
                f"look {number} was at {look.n:,} {plan.unit}s, and here are only {n:,}. A look needs all units of the looks "
                "before, and new ones after them."
            )


def refuse_other_data(plan: Looks, digest: str) -> None:
    """Refuse data that do not begin with the units of the last look, with the same scores; `digest` is of as many units."""
    if digest != plan.taken[-1].digest:
        raise ChangedLooksError(
            f"the first {plan.n:,} {plan.unit}s are not those of look {len(plan.taken)}: other {plan.unit}s, another order, or "
            "other scores. Keep the rows of the looks before as they were, and add new ones below them."
        )


def refuse_full_plan(plan: Looks) -> None:
    """Refuse a further look where all of alpha is spent."""
    if plan.n >= plan.n_total:
        raise InvalidParameterError(
            f"the plan of {plan.n_total:,} {plan.unit}s is over: look {len(plan.taken)} was at {plan.n:,}, and all of alpha is "
            "spent. Further data need a new plan, on new units alone.",
            about="looks",
        )


def refuse_same_units(plan: Looks) -> None:
    """Refuse a second look at the units of the last one."""
    raise ChangedLooksError(
        f"look {len(plan.taken)} was at these same {plan.n:,} {plan.unit}s, and said what there is to say of them. Look "
        "again when there are more; what that look answered stands in its own answer, which to_json keeps."
    )


def fraction_of(plan: Looks, method: Method, now: Cut) -> float:
    """Share of the plan at which its spending function is asked; all of it once the plan is full."""
    if now.n >= plan.n_total:
        return 1.0
    if method.question != "splits":
        return now.n / plan.n_total
    matrix = now.data.matrix()
    folds = matrix.n_splits / now.n
    ratio = float(matrix.ratio.mean()) if matrix.has_ratio else 0.0
    return float(split_information(matrix.n_splits, round(plan.n_total * folds), test_train_ratio=ratio))


# --- alphas -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class GrantedAlphas:
    """Parts of an alpha that the looks of a plan grant, for any alpha that is shared among them.

    Attributes
    ----------
    plan : Looks
    information : ndarray of shape (n_looks, n_histories)
        Of the pairs; proportional is enough.
    df : ndarray of the same shape, or None
        None where the statistic is normal.
    has_grown : ndarray of bool, of the same shape
        False at a look that brought nothing new for the pair.
    """

    plan: Looks
    information: FloatArray
    df: FloatArray | None
    has_grown: np.ndarray[Any, np.dtype[np.bool_]]
    known: dict[float, FloatArray] = field(default_factory=dict, init=False, repr=False)

    def granted(self, alpha: float) -> FloatArray:
        """Part of a two-sided alpha that each look grants, of shape (n_looks, n_histories); 0 where nothing has grown."""
        if alpha not in self.known:
            columns = [self._granted(alpha, column) for column in range(self.information.shape[1])]
            self.known[alpha] = np.stack(columns, axis=1)
        return self.known[alpha]

    def _granted(self, alpha: float, column: int) -> FloatArray:
        at = np.flatnonzero(self.has_grown[:, column])
        found = np.zeros(self.information.shape[0])
        if at.size == 0:
            return found
        time = np.array([self.plan.taken[k].fraction for k in at])
        df = None if self.df is None else self.df[at, column]
        found[at] = self._design(alpha, time, self.information[at, column], df).alphas
        return found

    def at_the_end(self, alpha: float, column: int) -> tuple[float, float]:
        """Part of an alpha that a single further look at the whole plan would grant, and its degrees of freedom."""
        at = np.flatnonzero(self.has_grown[:, column])
        if at.size == 0:
            return float("nan"), float("inf")
        time = np.array([self.plan.taken[k].fraction for k in at])
        information, n = self.information[at, column], self.plan.taken[int(at[-1])].n
        df = None
        if self.df is not None:
            df = self.df[at, column]
            df = np.append(df, (df[-1] + 1) * self.plan.n_total / n - 1)
        design = self._design(alpha, np.append(time, 1.0), np.append(information, information[-1] / time[-1]), df)
        return float(design.alphas[-1]), float(np.inf if df is None else df[-1])

    def _design(self, alpha: float, time: FloatArray, information: FloatArray, df: FloatArray | None) -> GroupSequentialDesign:
        # the spending function is asked at the shares of the plan; the correlation of two looks is that of their information
        fractions = information / information[-1] * min(1.0, time[-1])
        spent = alpha_spent(time, alpha=alpha, spending=self.plan.spending, gamma=self.plan.gamma or 0.0)
        return group_sequential_design(fractions, alpha=alpha, spent=spent, df=df)


def family_alpha(settings: Settings, method: Method, n_pairs: int, n_models: int) -> float:
    """Two-sided alpha of each pair, over all looks, at which it is over: that of the family, or of comparisons with the best."""
    if settings.family == "best" and settings.baseline is None:
        return 2 * best_alpha(settings.alpha, n_models)
    return shared_alpha(np.full(n_pairs, np.nan), settings.correction or "bonferroni", settings.alpha)


def granted_alphas(
    plan: Looks, method: Method, cuts: list[Cut], first: IntArray, second: IntArray
) -> tuple[GrantedAlphas, IntArray]:
    """Alphas of pairs at the looks of a plan, and the column of each pair in them."""
    is_student = PROCESSES[method.name].is_student
    units, information = zip(*(_information(method, each.data, first, second) for each in cuts), strict=True)
    shape = (len(cuts), int(np.size(first)))
    table = np.stack([np.broadcast_to(each, shape[1:]) for each in information])
    counted = np.stack([np.broadcast_to(each, shape[1:]) for each in units])
    both, of_pair = np.unique(np.concatenate([table, counted]), axis=1, return_inverse=True)
    if both.shape[1] > MOST_HISTORIES:
        both = both[:, [int(np.argmax(both[len(cuts) - 1]))]]
        of_pair = np.zeros(shape[1], dtype=np.intp)
    table, counted = np.split(both, 2)
    growth = np.vstack([np.ones((1, table.shape[1])), divide(np.diff(table, axis=0), table[1:])])
    has_grown = (growth > CLOSEST_LOOKS) & (counted >= 2)
    return GrantedAlphas(plan, table, counted - 1.0 if is_student else None, has_grown), np.reshape(of_pair, np.shape(first))


def _information(method: Method, data: Scores, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
    """Units of each pair, and the information in them, of which 1 / variance is a multiple."""
    items = data.items
    if items is not None and items.clusters is not None:
        n = np.full(np.shape(first), float(items.n_clusters))
        return n, n
    if items is not None and items.is_positive is not None:
        n_positive = float(np.count_nonzero(items.is_positive))
        n = np.full(np.shape(first), float(items.is_positive.size))
        return n, n_positive * (n - n_positive) / n
    matrix = units_of(data).matrix()
    there = ~np.isnan(matrix.score)
    n = np.full(np.shape(first), float(matrix.n_splits))
    if not there.all():
        n = np.asarray((there.astype(float) @ there.T.astype(float))[first, second])
    if method.question != "splits":
        return n, n
    ratio = float(matrix.ratio.mean()) if matrix.has_ratio else 0.0
    return n, 1.0 / (1.0 / np.maximum(n, 1.0) + ratio)
