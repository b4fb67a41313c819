"""Requirements named beforehand, in one metric or several: a family of their own, each met, broken or inconclusive."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tiebreak.comparison.family import REASONS, best_alpha, reasons_of
from tiebreak.errors import InvalidParameterError, Problems, UnknownNameError
from tiebreak.result import Result, view_of
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import look_up, quoted

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.noise_floor import NoiseFloor

Gate = Literal["better", "not worse", "near best"]
Outcome = Literal["met", "broken", "inconclusive"]

Found = tuple[bool, bool, dict[str, Any]]
"""True where a requirement is met, and where it is broken; and the numbers."""

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

    @property
    def words(self) -> str:
        """Claim with quoted names."""
        return f"{self.first!r} {self.gate} than {self.second!r}" if self.second else f"{self.first!r} near the best"


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
    def claim(self) -> str:
        """Claim in words: "new better than old", "new not worse than old", "new near the best"."""
        return f"{self.first} near the best" if self.gate == "near best" else f"{self.first} {self.gate} than {self.second}"

    @property
    def sentence(self) -> str:
        """Outcome, claim, interval and limit in plain words."""
        return view_of(Requirements((self,))).texts["sentence"](self)


class Requirements(Result, tuple[Requirement, ...]):
    """Requirements of one call, in the order asked; true when all of them are met."""

    __slots__ = ()

    def __bool__(self) -> bool:
        """True where every requirement is met."""
        return self.outcome == "met"

    @property
    def outcome(self) -> Outcome:
        """Met where all are, broken where any is, else inconclusive."""
        outcomes = {requirement.outcome for requirement in self}
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
        None at all, something else than pairs and names, two metrics in one, one twice, or two that exclude each other.
    """
    asked: list[AskedRequirement] = []
    problems = Problems()
    gates: dict[Gate, Any] = {"better": better, "not worse": not_worse, "near best": near_best}
    for gate, given in gates.items():
        each_given = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
        if gate != "near best" and len(each_given) == 2 and all(isinstance(each, str) for each in each_given):
            each_given = [each_given]
        for names in each_given:
            with problems.noted():
                asked.append(_ask(gate, names, models, metric))
    if not asked and not problems:
        raise InvalidParameterError("no requirement was given; pass better=(a, b), not_worse=(a, b) or near_best=a.")
    for each in dict.fromkeys(each for each in asked if asked.count(each) > 1):
        problems.append(
            InvalidParameterError(f"the requirement {each.words} is given twice, which would only make it harder. Give it once.")
        )
    for each in dict.fromkeys(asked):
        for gate in ("not worse", "better"):
            other = AskedRequirement(gate, each.second, each.first, each.metric)
            if each.gate == "better" and other in asked and (gate == "not worse" or each.first < each.second):
                problems.append(
                    InvalidParameterError(
                        f"the requirements {each.words} and {other.words} cannot both be met. Leave one of them out."
                    )
                )
    problems.stop()
    return asked


def _ask(gate: Gate, given: Any, models: Sequence[str], own: str) -> AskedRequirement:
    """One requirement from its names, "accuracy:new" or "new"."""
    names = [given] if gate == "near best" else list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
    if len(names) != (1 if gate == "near best" else 2) or not all(isinstance(name, str) for name in names):
        what = (
            "near_best takes the name of a model, or several" if gate == "near best" else "a requirement names two models, (a, b)"
        )
        raise InvalidParameterError(f"{what}; got {given!r}.")
    parts = [("", "", name) if name in models else name.partition(":") for name in names]
    bare = [model if metric and model else name for (metric, _, model), name in zip(parts, names, strict=True)]
    metrics = {metric.removeprefix("neg_") for metric, _, model in parts if metric and model}
    if len(metrics) > 1:
        raise InvalidParameterError(f"the requirement {' '.join(names)} names two metrics; give one of them.")
    first, second = (*bare, "")[:2]
    return AskedRequirement(gate, first, second, "".join(metrics - {own}))


# --- judging ----------------------------------------------------------------------------------------------------------------


def judge_requirements(
    comparison: Comparison,
    asked: Sequence[AskedRequirement],
    others: Comparison | Sequence[Comparison] | Callable[[str], Comparison] = (),
    n_questions: int | None = None,
    noise_floor: NoiseFloor | str | os.PathLike[str] | float | None = None,
) -> Requirements:
    """Judge requirements in the order asked, each by the comparison in its metric; meanings as in `Comparison.meets`."""
    n = len(asked) if n_questions is None else n_questions
    if isinstance(n, bool) or not isinstance(n, Integral) or n < len(asked):
        raise InvalidParameterError(
            f"n_questions counts all questions asked beforehand, the {len(asked)} given here included; got {n_questions!r}."
        )
    answers, problems = {"": comparison}, Problems()
    for each in asked:
        with problems.noted():
            answers[each.metric] = answer = answers.get(each.metric) or _in_metric(each, others)
            if each.gate == "near best":
                look_up(each.first, answer.models, "model")
            else:
                answer._rows(each.first, each.second)
    problems.stop()
    floors: dict[Metric, float] = {}
    if noise_floor is not None:
        from tiebreak.comparison.noise_floor import floors_of

        floors = floors_of(
            noise_floor, {each.metric: 0 if each.items is None else len(each.items.items) for each in answers.values()}
        )
    return Requirements(tuple(_judged(each, answers[each.metric], int(n), floors) for each in asked))


def _in_metric(asked: AskedRequirement, others: Comparison | Sequence[Comparison] | Callable[[str], Comparison]) -> Comparison:
    """Comparison in the metric that a requirement names."""
    if callable(others):
        return others(asked.metric)
    given: list[Any] = list(others) if isinstance(others, Sequence) else [others]
    if not all(hasattr(each, "pair_table") for each in given):
        raise InvalidParameterError(f"others= takes comparisons in other metrics; got {others!r:.60}.", about="others")
    found = next((each for each in given if each.metric.name == asked.metric), None)
    if found is None:
        given_ones = f"; others= has {quoted([each.metric.name for each in given])}" if given else ""
        raise UnknownNameError(
            f"a requirement names the metric {asked.metric!r} in front of {asked.first!r}, and no comparison in it was given"
            f"{given_ones}. Pass others=[...], or the whole name of a model of this comparison."
        )
    return found  # type: ignore[no-any-return]


def _judged(asked: AskedRequirement, answer: Comparison, n_questions: int, floors: dict[Metric, float]) -> Requirement:
    """A requirement as the first look says that meets or breaks it, else as the last one does.

    All looks share the error rate of a requirement, so what one of them says stays.
    """
    alpha, floor = answer.settings.alpha / n_questions, floors.get(answer.metric)
    outcome: Outcome = "inconclusive"
    for look in range(1 if answer.looks is None else len(answer.looks.taken)):
        is_met, is_broken, found = (_near_best if asked.gate == "near best" else _of_pair)(asked, answer, alpha, look)
        if floor is not None and (reason := _noise_reason(asked, found, answer.rope, alpha, floor)):
            found |= {"reason": reason}
        elif is_met or is_broken:
            outcome = "met" if is_met else "broken"
            break
    return Requirement(
        **(asked._asdict() | {"metric": answer.metric} | found),
        outcome=outcome,
        rope=answer.rope,
        alpha=answer.settings.alpha,
        n_questions=n_questions,
        unit=answer.method.unit,
        noise_floor=floor,
    )


def _noise_reason(asked: AskedRequirement, found: dict[str, Any], rope: float, alpha: float, floor: float) -> str:
    """Reason why a noise floor leaves a requirement open; "" where it does not, or where nothing was shown anyhow."""
    if found["reason"]:
        return ""
    if 2.0 ** (1 - found["n_units"]) > alpha:  # chance gives all differences one sign more often
        return FEW_UNITS
    if asked.gate == "better" and rope == 0:
        return WITHIN_NOISE if abs(found["difference"]) <= floor else ""
    return BELOW_NOISE if rope < floor else ""


def _of_pair(asked: AskedRequirement, answer: Comparison, alpha: float, look: int) -> Found:
    """Outcome of "better" or "not worse": where the interval of the difference lies, against the rope or minus the rope."""
    first, second = (np.array([answer.models.index(name)]) for name in (asked.first, asked.second))
    law = answer._judged(first, second, look).law
    ends = law.interval_at(alpha)
    low, high = (float(end[0]) for end in ends)
    noise, reason = float(np.max(law.tolerance)), REASONS[int(reasons_of(law, ends)[0])]
    is_met, is_broken = low > answer.rope + noise, high <= answer.rope + noise
    if asked.gate == "not worse":
        is_met, is_broken = low >= -answer.rope - noise, high < -answer.rope - noise
        if np.isnan(low) and _predict_the_same(answer, asked.first, asked.second):
            is_met, reason = True, SAME_PREDICTIONS
    return (
        is_met,
        is_broken,
        {
            "difference": 0.0 if reason == SAME_PREDICTIONS else float(np.max(law.estimate)),
            "interval_low": low,
            "interval_high": high,
            "n_units": int(np.max(law.n_units)),
            "reason": reason,
        },
    )


def _near_best(asked: AskedRequirement, answer: Comparison, alpha: float, look: int) -> Found:
    """Outcome of "near best": where the bounds of what the model falls short of the best by lie, against the rope.

    It is met where every other model is shown to be above by the rope at most. As all of these have to be shown, each is asked at
    the whole level [1]_. Some other is shown to be above by more at the level that allows for the choice among them. Copies of
    the model are no others, unless the procedure has an interval for identical scores.

    References
    ----------
    .. [1] R. Berger. Multiparameter hypothesis testing and acceptance sampling. Technometrics 24, 1982.
    """
    row, n_models, entry = answer.models.index(asked.first), len(answer.models), answer.ranking_table.entry
    others = np.delete(np.arange(n_models), row)
    law, p = answer._judged(others, np.full(n_models - 1, row), look).law, alpha / 2
    upper = np.asarray(law.end(p, upper=True))
    lower = np.asarray(law.end(best_alpha(alpha, n_models)))
    is_rival = np.isfinite(upper) | (entry[others] != entry[row])
    if not is_rival.any():  # all models are copies
        is_rival[:] = True
    high = max(0.0, float(np.where(np.isnan(upper), np.inf, upper)[is_rival].max()))
    low = max(0.0, float(np.where(np.isnan(lower), -np.inf, lower).max()))
    limit = answer.rope + float(np.max(law.tolerance))
    return (
        high <= limit,
        low > limit,
        {
            "difference": max(0.0, float(np.fmax.reduce(law.estimate))),
            "interval_low": low,
            "interval_high": high,
            "n_units": int(np.min(law.n_units)),
            "reason": "" if np.isfinite(high) else REASONS[int(np.max(reasons_of(law, law.interval_at(2.0 * p))))],
        },
    )


def _predict_the_same(answer: Comparison, first: str, second: str) -> bool:
    """True where the predictions of two models are known to be the same."""
    items = answer.items
    if items is None or (items.truth is None and items.is_positive is None):
        return any({first, second} <= set(names) for names in answer.scores.same_predictions)
    one, two = (items.score[items.models.index(name)] for name in (first, second))
    return np.array_equal(one, two, equal_nan=True)
