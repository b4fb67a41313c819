"""Requirements named beforehand, in one metric or several: a family of their own, each met, broken or inconclusive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.comparison.family import REASONS, best_alpha, reasons_of
from tiebreak.comparison.procedures.procedure import Judged
from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import IntArray
from tiebreak.result import Result, view_of
from tiebreak.scores.metric import Metric

Gate = Literal["better", "not worse", "near best"]
Outcome = Literal["met", "broken", "inconclusive"]

Names = Sequence[str] | str
PairsOfNames = Sequence[tuple[str, str]] | tuple[str, str]


SAME_PREDICTIONS = "same-predictions"
"""Reason beside a requirement that is met without an interval: the two models predict the same."""

BELOW_NOISE, WITHIN_NOISE, FEW_UNITS = "below-noise", "within-noise", "few-units"
"""Reasons why a requirement is inconclusive whatever its interval: the margin, or without one the difference, is no larger than
the noise floor; or there are so few units that chance gives all their differences one sign more often than the level allows."""


class AskedRequirement(NamedTuple):
    """A requirement as it is asked; "near best" is about `first` alone, and the metric "" is that of the comparison."""

    gate: Gate
    first: str
    second: str = ""
    metric: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One requirement, and where its interval lies.

    Attributes
    ----------
    gate : {"better", "not worse", "near best"}
    first, second : str
        Models; `second` is "" for "near best".
    metric : Metric
    outcome : {"met", "broken", "inconclusive"}
        With the interval [L, H] of "first minus second": "better" is met if L > rope and broken if H <= rope; "not worse" is met
        if L >= -rope and broken if H < -rope. With bounds [L, H] of what `first` falls short of the best by: "near best" is met
        if H <= rope and broken if L > rope. Else, or without an interval, inconclusive. Of two models with identical scores
        "not worse" is met where their predictions are known to be identical too. Beside a noise floor it is inconclusive too
        where the rope is below the floor (of "better" without a rope, where the difference is within it), and of few units.
    rope : float
        Half-width of practical equivalence, in the metric's unit.
    alpha, n_questions : float, int
        Error rate, and number of requirements that share it.
    difference : float
        First minus second, positive favours the first; for "near best" what `first` falls short of the highest mean by.
    interval_low, interval_high : float
        Of a difference, two-sided at level ``1 - alpha / n_questions``; nan where there is none. For "near best" one-sided bounds
        of the shortfall: the upper one at ``1 - alpha / (2 n_questions)``, infinite where some pair has none, the lower one at
        ``1 - alpha / n_questions``.
    n_units, unit : int, str
        Splits (datasets, examples) that the interval rests on, and what they are.
    reason : str
        Why there is no interval, as in the `pairs` frame, or "same-predictions"; "" where there is one. Or why the noise floor
        leaves the question open: "below-noise", "within-noise" or "few-units".
    noise_floor : float or None
        Difference that this suite shows between two runs of one model, in the metric's unit; None where none was given.
    """

    gate: Gate
    first: str
    second: str
    metric: Metric
    outcome: Outcome
    rope: float
    alpha: float
    n_questions: int
    difference: float
    interval_low: float
    interval_high: float
    n_units: int
    unit: str
    reason: str
    noise_floor: float | None = None

    @property
    def is_met(self) -> bool:
        """True if the outcome is "met"."""
        return self.outcome == "met"

    @property
    def claim(self) -> str:
        """Claim in words: "new better than old", "new not worse than old", "new near the best"."""
        return f"{self.first} near the best" if self.gate == "near best" else f"{self.first} {self.gate} than {self.second}"

    @property
    def sentence(self) -> str:
        """Outcome, claim, interval and limit in plain words."""
        return view_of(Requirements((self,))).as_other("sentence", self)


@dataclass(frozen=True, slots=True, repr=False)
class Requirements(Result):
    """Requirements of one call, in the order asked; true when all of them are met."""

    requirements: tuple[Requirement, ...]

    def __bool__(self) -> bool:
        """True where every requirement is met."""
        return self.outcome == "met"

    def __iter__(self) -> Iterator[Requirement]:
        return iter(self.requirements)

    def __len__(self) -> int:
        return len(self.requirements)

    def __getitem__(self, position: int) -> Requirement:
        return self.requirements[position]

    @property
    def outcome(self) -> Outcome:
        """Met where all are, broken where any is, else inconclusive."""
        outcomes = {requirement.outcome for requirement in self.requirements}
        return "met" if outcomes == {"met"} else "broken" if "broken" in outcomes else "inconclusive"


def asked_requirements(
    better: PairsOfNames = (), not_worse: PairsOfNames = (), near_best: Names = (), *, models: Sequence[str], metric: str
) -> list[AskedRequirement]:
    """Requirements of one call, those of each gate together in the order given.

    A name may have a metric in front, "log_loss:new"; one that some of `models` bears is that model, colon or not. `metric` is
    that of names without one.

    Raises
    ------
    InvalidParameterError
        None at all, something else than pairs and names, two metrics in one requirement, or one requirement twice.
    """
    given: list[tuple[Gate, tuple[str, ...]]] = [("better", pair) for pair in _as_pairs(better)]
    given += [("not worse", pair) for pair in _as_pairs(not_worse)]
    given += [("near best", (name,)) for name in _as_names(near_best)]
    if not given:
        raise InvalidParameterError("no requirement was given; pass better=(a, b), not_worse=(a, b) or near_best=a.")
    asked = [_in_one_metric(gate, names, models, metric) for gate, names in given]
    doubled = next((each for each in asked if asked.count(each) > 1), None)
    if doubled is not None:
        about = (
            f"{doubled.first!r} {doubled.gate} than {doubled.second!r}" if doubled.second else f"{doubled.first!r} near the best"
        )
        raise InvalidParameterError(f"the requirement {about} is given twice, which would only make it harder. Give it once.")
    return asked


def _in_one_metric(gate: Gate, names: Sequence[str], models: Sequence[str], own: str) -> AskedRequirement:
    parts = [_metric_and_model(name, models) for name in names]
    metrics = {metric for metric, _ in parts if metric}
    if len(metrics) > 1:
        raise InvalidParameterError(f"the requirement {' '.join(names)} names two metrics; give one of them.")
    metric = metrics.pop() if metrics else ""
    return AskedRequirement(gate, parts[0][1], "" if len(parts) == 1 else parts[1][1], "" if metric == own else metric)


def _metric_and_model(name: str, models: Sequence[str]) -> tuple[str, str]:
    """Parts of "accuracy:new"; the metric is "" where the name has none."""
    metric, _, model = name.partition(":")
    return ("", name) if name in models or not (metric and model) else (metric.removeprefix("neg_"), model)


def check_n_questions(n_questions: int | None, n_asked: int) -> int:
    """Number of requirements that share the error rate: at least those that are asked here."""
    if n_questions is None:
        return n_asked
    if isinstance(n_questions, bool) or not isinstance(n_questions, Integral) or n_questions < n_asked:
        raise InvalidParameterError(
            f"n_questions counts all questions asked beforehand, the {n_asked} given here included; got {n_questions!r}."
        )
    return int(n_questions)


def _as_pairs(given: Any) -> list[tuple[str, str]]:
    items = [given] if isinstance(given, str) else list(given)
    if len(items) == 2 and all(isinstance(item, str) for item in items):
        return [(items[0], items[1])]
    for item in items:
        if isinstance(item, str) or not isinstance(item, Sequence) or len(item) != 2:
            raise InvalidParameterError(f"a requirement names two models, (a, b); got {item!r}.")
    return [(item[0], item[1]) for item in items]


def _as_names(given: Any) -> list[str]:
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if not isinstance(name, str):
            raise InvalidParameterError(f"near_best takes the name of a model, or several; got {name!r}.")
    return names


# --- judging ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Terms under which the requirements of one metric are judged, as in `Requirement`.

    `judge` gives the differences of pairs of rows of `models`; `entry` is the row of the first of a model's copies, and
    `is_same(first, second)` is True for two models whose predictions are known to be identical.
    """

    models: tuple[str, ...]
    metric: Metric
    judge: Callable[[IntArray, IntArray], Judged]
    entry: IntArray
    is_same: Callable[[str, str], bool]
    unit: str
    rope: float
    alpha: float
    n_questions: int
    noise_floor: float | None = None


def judge_requirements(asked: Sequence[AskedRequirement], terms: Terms) -> Requirements:
    """Judge requirements of one metric, in the order asked."""
    shared = {name: getattr(terms, name) for name in ("metric", "rope", "alpha", "n_questions", "unit", "noise_floor")}
    judged = []
    for each in asked:
        found = _near_best(each, terms) if each.gate == "near best" else _of_pair(each, terms)
        if terms.noise_floor is not None and (reason := _noise_reason(each, found, terms, terms.noise_floor)):
            found |= {"outcome": "inconclusive", "reason": reason}
        judged.append(Requirement(**(each._asdict() | shared | found)))
    return Requirements(tuple(judged))


def first_decided(by_look: Sequence[Requirements]) -> Requirements:
    """Each requirement as the first look says that meets or breaks it, else as the last one does.

    All looks share the error rate of a requirement, so what one of them says stays.
    """
    columns = zip(*by_look, strict=True)
    return Requirements(tuple(next((r for r in each if r.outcome != "inconclusive"), each[-1]) for each in columns))


def _noise_reason(asked: AskedRequirement, found: dict[str, Any], terms: Terms, floor: float) -> str:
    """Reason why a noise floor leaves a requirement open; "" where it does not, or where nothing was shown anyhow."""
    if found["reason"]:
        return ""
    if 2.0 ** (1 - found["n_units"]) > terms.alpha / terms.n_questions:  # chance gives all differences one sign more often
        return FEW_UNITS
    if asked.gate == "better" and terms.rope == 0:
        return WITHIN_NOISE if abs(found["difference"]) <= floor else ""
    return BELOW_NOISE if terms.rope < floor else ""


def _of_pair(asked: AskedRequirement, terms: Terms) -> dict[str, Any]:
    """Outcome of "better" or "not worse": where the interval of the difference lies, against the rope or minus the rope."""
    first, second = (np.array([terms.models.index(name)]) for name in (asked.first, asked.second))
    law, alpha = terms.judge(first, second).law, terms.alpha / terms.n_questions
    ends = law.interval_at(alpha)
    low, high = (float(end[0]) for end in ends)
    rope, tolerance = terms.rope, _first(law.tolerance)
    if asked.gate == "better":
        outcome = _outcome(low > rope + tolerance, high <= rope + tolerance)
    else:
        outcome = _outcome(low >= -rope - tolerance, high < -rope - tolerance)
        if np.isnan(low) and terms.is_same(asked.first, asked.second):
            return _found("met", 0.0, low, high, int(_first(law.n_units)), SAME_PREDICTIONS)
    reason = REASONS[int(reasons_of(law, ends)[0])]
    return _found(outcome, _first(law.estimate), low, high, int(_first(law.n_units)), reason)


def _near_best(asked: AskedRequirement, terms: Terms) -> dict[str, Any]:
    """Outcome of "near best": where the bounds of what the model falls short of the best by lie, against the rope.

    It is met where every other model is shown to be above by the rope at most. As all of these have to be shown, each is asked at
    the whole level [1]_. Some other is shown to be above by more at the level that allows for the choice among them. Copies of
    the model are no others, unless the procedure has an interval for identical scores.

    References
    ----------
    .. [1] R. Berger. Multiparameter hypothesis testing and acceptance sampling. Technometrics 24, 1982.
    """
    row, n_models = terms.models.index(asked.first), len(terms.models)
    others = np.delete(np.arange(n_models), row)
    law = terms.judge(others, np.full(n_models - 1, row)).law
    p = terms.alpha / (2 * terms.n_questions)
    upper = np.asarray(law.end(p, upper=True))
    lower = np.asarray(law.end(best_alpha(terms.alpha, n_models, terms.n_questions)))
    is_rival = np.isfinite(upper) | (terms.entry[others] != terms.entry[row])
    if not is_rival.any():  # all models are copies
        is_rival[:] = True
    high = max(0.0, float(np.where(np.isnan(upper), np.inf, upper)[is_rival].max()))
    low = max(0.0, float(np.where(np.isnan(lower), -np.inf, lower).max()))
    limit = terms.rope + float(np.max(law.tolerance))
    shortfall = max(0.0, float(np.fmax.reduce(law.estimate)))
    reason = "" if np.isfinite(high) else REASONS[int(np.max(reasons_of(law, law.interval_at(2.0 * p))))]
    return _found(_outcome(high <= limit, low > limit), shortfall, low, high, int(np.min(law.n_units)), reason)


def _found(outcome: Outcome, difference: float, low: float, high: float, n_units: int, reason: str) -> dict[str, Any]:
    ends = {"interval_low": low, "interval_high": high}
    return {"outcome": outcome, "difference": difference, **ends, "n_units": n_units, "reason": reason}


def _outcome(met: bool, broken: bool) -> Outcome:
    return "met" if met else "broken" if broken else "inconclusive"


def _first(column: ArrayLike) -> float:
    return float(np.ravel(column)[0])
