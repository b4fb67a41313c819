"""The public function `sample_size`: what it takes to see a difference, before anything is measured or from a pilot."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite, nan
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from tiebreak.api import compare
from tiebreak.comparison.comparison import Comparison, PairComparison
from tiebreak.comparison.looks import PROCESSES
from tiebreak.comparison.pilot import Pilot, pilot_of
from tiebreak.comparison.planned_data import (
    PlannedAreas,
    PlannedData,
    PlannedDatasets,
    PlannedGrades,
    PlannedItems,
    PlannedRates,
    PlannedSeeds,
    PlannedSplits,
)
from tiebreak.comparison.sample_size import (
    Goal,
    SampleSize,
    Solved,
    Target,
    fewest_units,
    first_look,
    power_of,
    smallest_effect,
    takes_looks,
    units_for,
    whole,
)
from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.family import shared_alpha

SizedQuestion = Literal["examples", "splits", "datasets", "seeds", "test-sets"]

MOST_LOOKS = 100
"""Looks of a plan; more than about 20 save next to nothing."""


def sample_size(
    pilot: Any = None,
    *,
    difference: float | None = None,
    n: int | None = None,
    rope: float | None = None,
    power: float | None = None,
    goal: Goal | None = None,
    question: SizedQuestion | None = None,
    discordant: float | None = None,
    rates: float | tuple[float, float] | None = None,
    areas: float | tuple[float, float] | None = None,
    sd: float | tuple[float, float] | None = None,
    correlation: float | None = None,
    positives: float | None = None,
    cluster_size: float | None = None,
    intraclass_correlation: float | None = None,
    n_runs: int | None = None,
    run_sd: float | None = None,
    shared_run_sd: float | None = None,
    n_folds: int | None = None,
    n_train: int | None = None,
    n_test: int | None = None,
    paired: bool | None = None,
    n_models: int | None = None,
    baseline: bool | None = None,
    n_questions: int | None = None,
    alpha: float | None = None,
    correction: Literal["bonferroni", "none"] | None = None,
    looks: int = 1,
    seconds: float | None = None,
    pair: tuple[str, str] | None = None,
    metric: str | None = None,
    lower_is_better: bool | Mapping[str, bool] | None = None,
    method: str | None = None,
) -> SampleSize:
    """Say how many items, repeats, datasets, seeds or test examples show a difference, or which difference they show.

    Of `difference` (or `rope`), `n` and `power` the one that is not given is worked out, for the procedure that `compare` takes.
    How much differences vary is said by a pilot, or by you.

    Parameters
    ----------
    pilot : optional
        An answer of `compare`, one of its pairs, or anything that `compare` reads; a few units of the data that are planned.
    difference : float, optional
        True difference of two models, in the metric's unit, positive: the smallest one worth seeing. For the goals within a rope
        the one that there is, 0 if not given.
    n : int, optional
        Units: items (in all clusters together), repeats of splits, datasets, seeds of each model, items of each test set.
    rope : float, default 0
        Largest difference that does not matter.
    power : float, default 0.8
        Chance that the answer is what was asked for.
    goal : {"better", "ahead", "equivalent", "not worse", "near best"}, default "better"
        "better": the interval lies above the rope. "ahead": it lies above 0, whatever the rope. "equivalent": it lies within the
        rope. "not worse": it lies above minus the rope. "near best": so it does against each of the other models.
    question : {"examples", "splits", "datasets", "seeds", "test-sets"}, default "examples"
        To what the answer generalises, as for `compare`: the same items for all models; splits of one dataset; several datasets;
        training seeds on one test set; a test set for each model.
    discordant : float, optional
        Share of items on which exactly one of the two models is right: 1 less the share on which both are right or both wrong.
    rates : float or (float, float), optional
        Share that the second model has right, or that both have, which is then the difference as well.
    areas : float or (float, float), optional
        Area under the ROC curve, likewise.
    sd : float or (float, float), optional
        Standard deviation: of the differences over items (in one run), splits, datasets or paired seeds; of one model's scores
        over seeds that are not paired, or over items of its own test set, where two numbers are those of both models.
    correlation : float, default 0
        Of both models' being right over items, with `rates` (models that fail on the same items have 0.3 to 0.7); or of their
        scores within a class, with `areas`.
    positives : float, default 0.5
        Share of items of the class that is to be found, with `areas`.
    cluster_size, intraclass_correlation : float, default 1 and 0
        Items of a cluster, and the correlation of their differences.
    n_runs : int, default 1
        Runs that each item is answered in.
    run_sd, shared_run_sd : float, default 0
        Standard deviation of a difference from run to run of one item, a part of `sd`; and of the mean over all items.
    n_folds : int, default 10
        Splits of a repeat.
    n_train, n_test : int, optional
        Examples of a split, of which only the ratio counts; 1 / (n_folds - 1) if not given.
    paired : bool, default False
        Whether seeds are the same for both models.
    n_models, baseline : int and bool, default 2 and False
        Models that are compared, and whether with a baseline only: the pairs share alpha.
    n_questions : int, default 1
        Requirements that share alpha, for "not worse" and "near best"; for the other goals in the place of pairs.
    alpha, correction : float and str, default 0.05 and "bonferroni"
        As for `compare`.
    looks : int, default 1
        Looks at data that are still coming in, after equally many units each.
    seconds : float, optional
        Time of one fit or answer.
    pair : (str, str), optional
        Which pair of the pilot; the one with the widest interval if not given.
    metric, lower_is_better, method : optional
        Of the pilot, as for `compare`.

    Returns
    -------
    SampleSize
        Print it for the answer; `.n`, `.difference`, `.power`, `.smallest(n)`, `.power_at(n)`, `.write_order(path)`, `.plot()`,
        `.to_frame()` and `.to_json()` for the rest.

    Raises
    ------
    TiebreakError
        Something is missing, contradicts itself or cannot be: the message names all of it.

    Notes
    -----
    Powers are those of the very intervals that `compare` shows, with estimated variances: noncentral t for Student's, sums over
    all counts for Tango's and Newcombe's, three mean squares for items and runs, draws for Wilcoxon's; clusters by their
    design effect [K65]_, looks by the spending function of Hwang, Shih and DeCani.

    References
    ----------
    .. [C87] R. J. Connor. Sample size for testing differences in proportions for the paired-sample design. Biometrics 43, 1987.
    .. [O65] D. B. Owen. A special case of a bivariate non-central t-distribution. Biometrika 52, 1965.
    .. [K65] L. Kish. Survey sampling. Wiley, 1965.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.sample_size(difference=0.02, discordant=0.1).n
    1945
    >>> round(tb.sample_size(n=10, question="splits", sd=0.03).difference, 4)
    0.0295
    """
    given: dict[str, Any] = {
        "question": question,
        "discordant": discordant,
        "rates": rates,
        "areas": areas,
        "sd": sd,
        "correlation": correlation,
        "positives": positives,
        "cluster_size": cluster_size,
        "intraclass_correlation": intraclass_correlation,
        "run_sd": run_sd,
        "shared_run_sd": shared_run_sd,
        "n_folds": n_folds,
        "n_train": n_train,
        "n_test": n_test,
        "paired": paired,
    }
    given = {name: value for name, value in given.items() if value is not None}
    checks = _Problems()
    checks.numbers(
        {
            "difference": difference,
            "n": n,
            "rope": rope,
            "power": power,
            "alpha": alpha,
            "n_models": n_models,
            "looks": looks,
            "n_questions": n_questions,
            "seconds": seconds,
            "n_runs": n_runs,
        }
        | given
    )
    checks.choices(
        goal=(goal, get_args(Goal)), correction=(correction, _CORRECTIONS), question=(question, get_args(SizedQuestion))
    )
    checks.stop()
    if pilot is None:
        if pair is not None or metric is not None or method is not None or lower_is_better is not None:
            raise InvalidParameterError("pair, metric, lower_is_better and method are of a pilot, and there is none.")
        data, implied = _planned(given, None if n_runs is None else int(n_runs), checks)
        found, settings = None, None
    else:
        found, settings = _pilot(pilot, pair, given, {"metric": metric, "lower_is_better": lower_is_better, "method": method})
        data, implied = _with_runs(found.data, n_runs), None
    if settings is not None:
        taken = settings.settings
        alpha = taken.alpha if alpha is None else alpha
        rope = settings.rope if rope is None else rope
        correction = correction or _single_step(settings.correction)
        n_models = len(settings.models) if n_models is None else n_models
        baseline = taken.baseline is not None if baseline is None else baseline
    goal, rope = goal or "better", 0.0 if rope is None else float(rope)
    if difference is not None and implied is not None and abs(difference - implied) > 1e-9:
        checks.add(f"the difference is {difference:g}, but the two numbers given differ by {implied:g}: give one of both")
    difference = implied if difference is None else difference
    asked = _target(goal, alpha, correction, n_models, baseline, n_questions, looks)
    rope_given = rope > 0
    if (
        found is not None
        and data is not None
        and n is None
        and not (rope_given if goal not in _BY_DIFFERENCE else difference is not None)
    ):
        n = max(whole(found.n, data.step), fewest_units(data))
    solved = _solved(asked, difference, n, rope, power, checks)
    _check_effect(asked, data, difference, rope, n, checks)
    checks.stop()
    if data is None:
        raise AssertionError("what was missing has been said")
    time = nan if seconds is None else float(seconds)
    if found is not None and seconds is None and settings is not None and data.question == "splits":
        each = [settings.scores.fit_seconds.get(name, nan) for name in (found.first, found.second)]
        time = float(np.mean(each))
    numbers = _solve(data, asked, solved, difference, n, rope, power)
    said = "" if found is None else f"{found.n:,} {data.unit}s of {quoted([found.first, found.second])}"
    cautious = None if found is None else _with_runs(found.cautious, n_runs)
    return SampleSize(data=data, target=asked, solved=solved, **numbers, seconds=time, pilot=said, cautious=cautious)


_BY_DIFFERENCE = ("better", "ahead")
_CORRECTIONS = ("bonferroni", "none")


def _single_step(correction: str) -> Literal["bonferroni", "none"]:
    """The correction of a pilot; Bonferroni's for those that go step by step, whose level depends on the p-values."""
    return "none" if correction == "none" else "bonferroni"


# --- what is asked ------------------------------------------------------------------------------------------------------------


def _target(
    goal: Goal,
    alpha: float | None,
    correction: str | None,
    n_models: int | None,
    baseline: bool | None,
    n_questions: int | None,
    looks: int,
) -> Target:
    """The goal, with the alpha that its family leaves to one pair."""
    alpha, n_models = 0.05 if alpha is None else float(alpha), 2 if n_models is None else int(n_models)
    if n_questions is not None or goal in ("not worse", "near best"):
        m = n_questions or 1
        each = alpha / m
    else:
        m = n_models - 1 if baseline else n_models * (n_models - 1) // 2
        each = shared_alpha(np.zeros(m), correction or "bonferroni", alpha)  # type: ignore[arg-type]
    return Target(goal, alpha, each, m, n_models, int(looks))


def _solved(
    asked: Target, difference: float | None, n: int | None, rope: float, power: float | None, checks: _Problems
) -> Solved:
    """Which of the numbers is worked out."""
    by_difference = asked.is_by_difference
    effect = "difference" if by_difference else "rope"
    has_effect = difference is not None if by_difference else rope > 0
    if has_effect and n is not None:
        if power is not None:
            checks.add(f"{effect}, n and power are all given, so nothing is left to be worked out: leave one of them out")
        return "power"
    if not has_effect and n is None:
        what = "the smallest difference that is worth seeing" if by_difference else "the largest difference that does not matter"
        checks.add(f"{effect}= ({what}) or n= (the number of units) is missing")
    return "n" if n is None else effect  # type: ignore[return-value]


def _check_effect(
    asked: Target, data: PlannedData | None, difference: float | None, rope: float, n: int | None, checks: _Problems
) -> None:
    """Differences that contradict the goal, and numbers of units that have no interval."""
    d = difference
    if asked.is_by_difference and d is not None:
        if d <= 0:
            checks.add(f"a difference of {d:g} is none of a first model that is {asked.goal}: give it as a positive number")
        elif asked.goal == "better" and d <= rope:
            checks.add(
                f"a difference of {d:g} lies within the rope of {rope:g}, so no number of units shows the first model to be "
                "better by more than it: give a larger difference, a smaller rope, or goal='ahead', 'not worse' or 'equivalent'"
            )
    if asked.goal == "equivalent" and d is not None and rope > 0 and abs(d) >= rope:
        checks.add(f"a difference of {d:g} does not lie within the rope of {rope:g}: such models are not equivalent")
    if asked.goal in ("not worse", "near best") and d is not None and rope > 0 and d <= -rope:
        checks.add(f"a model that is behind by {-d:g} is worse by more than the rope of {rope:g}")
    if asked.goal == "near best" and d:
        checks.add("for 'near best' all models are taken to be equally good: leave the difference out")
    if asked.goal == "ahead" and rope > 0:
        checks.add("the goal 'ahead' takes no notice of the rope: leave rope= out, or ask for goal='better'")
    if data is None:
        return
    if asked.is_by_difference and d is not None:
        is_beyond = isinstance(data, PlannedItems) and data.is_binary and d > data.discordant_at(d)
        if is_beyond or d > data.largest * (1 + 1e-9):
            checks.add(f"a difference of {d:g} is larger than there can be, {data.largest:g}, by what was given of the models")
    fewest = fewest_units(data)
    if n is not None and n < fewest:
        checks.add(f"n={n} is too few: an interval needs at least {fewest} {data.unit}s")
    if asked.n_looks > 1 and not takes_looks(data):
        why = "at several runs" if data.procedure in PROCESSES else f"by the method {data.procedure!r}"
        checks.add(f"looks {why} were not measured to keep their level, so none are planned: leave looks= out")
    elif asked.n_looks > 1 and n is not None and n <= first_look(data):
        checks.add(f"n={n} leaves no room for looks, which begin at {first_look(data)} {data.unit}s")


def _solve(
    data: PlannedData, asked: Target, solved: Solved, difference: float | None, n: int | None, rope: float, power: float | None
) -> dict[str, Any]:
    """All four numbers."""
    d, wanted = 0.0 if difference is None else float(difference), 0.8 if power is None else float(power)
    if n is not None:
        n = whole(n, data.step)
    if solved == "power":
        wanted = power_of(data, asked, n or 0, d, rope)
    elif solved == "n":
        n = units_for(data, asked, d, rope, wanted)
    else:
        found = smallest_effect(data, asked, n or 0, difference=d, rope=rope, power=wanted)
        d, rope = (found, rope) if asked.is_by_difference else (d, found)
    return {"n": n, "difference": d, "rope": rope, "power": wanted}


# --- what is known ------------------------------------------------------------------------------------------------------------


def _planned(given: dict[str, Any], n_runs: int | None, checks: _Problems) -> tuple[PlannedData | None, float | None]:
    """Data as they were described, and the difference if two rates or areas say it; None where something is missing."""
    question = given.get("question", "examples")
    known = {name for name in given if name != "question"} | ({"n_runs"} if n_runs not in (None, 1) else set())
    make, takes = _MAKERS[question]
    foreign = sorted(known - set(takes))
    if foreign:
        names = ", ".join(f"{name}=" for name in foreign)
        verb = "is" if len(foreign) == 1 else "are"
        checks.add(f"{names} {verb} not of the question {question!r}, which takes {', '.join(takes)}")
    return make(given | {"n_runs": n_runs or 1}, checks) or (None, None)


def _pilot(pilot: Any, pair: Any, given: dict[str, Any], reading: dict[str, Any]) -> tuple[Pilot, Comparison]:
    """A pair of an answer, or of what `compare` makes of anything else."""
    if given:
        names = ", ".join(f"{name}=" for name in given)
        raise InvalidParameterError(*_parts(f"a pilot says itself how much differences vary: leave {names} out."))
    if isinstance(pilot, PairComparison):
        pair = pair or (pilot.first, pilot.second)
        pilot = pilot.comparison
    asked = {name: value for name, value in reading.items() if value is not None}
    comparison = pilot if isinstance(pilot, Comparison) and not asked else compare(pilot, **asked)
    if pair is not None and (isinstance(pair, str) or len(pair) != 2):
        raise InvalidParameterError(f"pair names two models of the pilot, (a, b); got {pair!r:.80}.", about="pair")
    return pilot_of(comparison, pair), comparison


def _with_runs(data: PlannedData, n_runs: int | None) -> PlannedData:
    """The data of a pilot in another number of runs."""
    if n_runs is None:
        return data
    if not isinstance(data, PlannedItems) or not (data.run_sd or n_runs == data.n_runs):
        raise InvalidParameterError(
            "the pilot has one run only, or none that can be told apart, so it does not show what more runs would bring. Leave ",
            Setting("n_runs"),
            " out, or give a pilot with two runs or more.",
            about="n_runs",
        )
    return replace(data, n_runs=int(n_runs))


def _of_items(given: dict[str, Any], checks: _Problems) -> tuple[PlannedData, float | None] | None:
    ways = [name for name in ("discordant", "rates", "areas", "sd") if name in given]
    if len(ways) != 1:
        said = f"{' and '.join(f'{name}=' for name in ways)} are given" if ways else "nothing is"
        checks.add(
            f"how much two models differ from item to item is said in one way, and {said}: discordant= (the share of items on "
            "which exactly one is right), rates= (with correlation=), areas= for AUC, or sd= for grades"
        )
        return None
    if "areas" in given:
        return _of_areas(given, checks)
    if "positives" in given:
        checks.add("positives= goes with areas=")
    if "correlation" in given and "rates" not in given:
        checks.add("correlation= goes with rates= or areas=; that of clusters is intraclass_correlation=")
    sd = _single(given, "sd", "the differences of items have one standard deviation", checks)
    second, implied = _both(given.get("rates"))
    names = ("cluster_size", "intraclass_correlation", "n_runs", "run_sd", "shared_run_sd", "correlation", "discordant")
    data = PlannedItems(rate=second, sd=sd, **{name: given[name] for name in names if name in given})
    if data.intraclass_correlation and not data.has_clusters:
        checks.add("intraclass_correlation= needs the cluster_size= of the items")
    if data.has_clusters and "intraclass_correlation" not in given:
        checks.add("clusters need the intraclass_correlation= of the differences of their items")
    if data.shared_run_sd and data.n_runs == 1:
        checks.add("what runs share (shared_run_sd=) is seen in n_runs= of 2 or more only; one run answers for itself alone")
    if data.n_runs > 1 and not data.run_sd and not data.shared_run_sd:
        checks.add("several runs need run_sd=, the standard deviation of a difference from run to run (or shared_run_sd=)")
    spread = data.sd_at(implied or 0.0)
    if data.run_sd > spread:
        checks.add(f"run_sd= is a part of how much differences vary in one run, {spread:.4g}, and cannot be {data.run_sd:g}")
    if implied is not None and data.rate is not None:
        p, q = data.rate + implied, data.rate
        highest = (min(p, q) - p * q) / np.sqrt(p * (1 - p) * q * (1 - q))
        if data.correlation > highest + 1e-9:
            checks.add(f"rates of {p:g} and {q:g} cannot correlate by more than {highest:.3g}; got {data.correlation:g}")
    return data, implied


def _of_areas(given: dict[str, Any], checks: _Problems) -> tuple[PlannedData, float | None]:
    second, implied = _both(given["areas"])
    foreign = [name for name in ("cluster_size", "intraclass_correlation", "run_sd", "shared_run_sd") if name in given]
    if foreign or given["n_runs"] > 1:
        checks.add("areas under ROC curves are planned for items that are independent, each once: leave clusters and runs out")
    if second is not None and second < 0.5:
        checks.add(f"an area of {second:g} is below that of guessing, 0.5: turn the scores round")
    return (
        PlannedAreas(area=second or 0.5, correlation=given.get("correlation", 0.0), positives=given.get("positives", 0.5)),
        implied,
    )


def _of_splits(given: dict[str, Any], checks: _Problems) -> tuple[PlannedData, None] | None:
    sd = _single(given, "sd", "the differences over splits have one standard deviation", checks)
    n_folds, n_train, n_test = given.get("n_folds", 10), given.get("n_train"), given.get("n_test")
    if (n_train is None) != (n_test is None):
        checks.add("n_train= and n_test= go together, as only their ratio counts")
        return None
    if n_train is None and n_folds < 2:
        checks.add("a repeat of one split needs n_train= and n_test=")
        return None
    if sd is None:
        checks.add("sd=, the standard deviation of the differences over splits, is missing; or give a pilot")
        return None
    ratio = 1.0 / (n_folds - 1) if n_train is None else n_test / n_train
    return PlannedSplits(sd=sd, n_folds=int(n_folds), test_train_ratio=ratio), None


def _of_datasets(given: dict[str, Any], checks: _Problems) -> tuple[PlannedData, None] | None:
    sd = _single(given, "sd", "the differences over datasets have one standard deviation", checks)
    if sd is None:
        checks.add("sd=, the standard deviation of the differences over datasets, is missing; or give a pilot")
        return None
    return PlannedDatasets(sd=sd), None


def _of_seeds(given: dict[str, Any], checks: _Problems) -> tuple[PlannedData, None] | None:
    is_paired = bool(given.get("paired", False))
    if "sd" not in given:
        what = "the differences over seeds" if is_paired else "a model's scores over seeds"
        checks.add(f"sd=, the standard deviation of {what}, is missing; or give a pilot")
        return None
    if is_paired:
        _single(given, "sd", "the differences over paired seeds have one standard deviation", checks)
    return PlannedSeeds(sd=_two(given["sd"]), is_paired=is_paired), None


def _of_test_sets(given: dict[str, Any], checks: _Problems) -> tuple[PlannedData, float | None] | None:
    if ("rates" in given) == ("sd" in given):
        checks.add("for two test sets give rates= (right and wrong) or sd= (of the grades of one model), one of both")
        return None
    if "sd" in given:
        return PlannedGrades(sd=_two(given["sd"])), None
    second, implied = _both(given["rates"])
    return PlannedRates(rate=second or 0.0), implied


_ITEM_FACTS = (
    "discordant",
    "rates",
    "areas",
    "sd",
    "correlation",
    "positives",
    "cluster_size",
    "intraclass_correlation",
    "n_runs",
    "run_sd",
    "shared_run_sd",
)

_MAKERS: dict[str, tuple[Callable[[dict[str, Any], _Problems], tuple[PlannedData, float | None] | None], tuple[str, ...]]] = {
    "examples": (_of_items, _ITEM_FACTS),
    "splits": (_of_splits, ("sd", "n_folds", "n_train", "n_test")),
    "datasets": (_of_datasets, ("sd",)),
    "seeds": (_of_seeds, ("sd", "paired")),
    "test-sets": (_of_test_sets, ("rates", "sd")),
}
"""For each question what makes its data, and the facts that it takes."""


def _both(given: float | tuple[float, float] | None) -> tuple[float | None, float | None]:
    """Number of the second model, and the difference where there are two."""
    if given is None or not isinstance(given, (tuple, list)):
        return given, None
    return float(given[1]), float(given[0]) - float(given[1])


def _two(sd: float | tuple[float, float]) -> tuple[float, float]:
    return (float(sd[0]), float(sd[1])) if isinstance(sd, (tuple, list)) else (float(sd), float(sd))


def _single(given: dict[str, Any], name: str, why: str, checks: _Problems) -> float | None:
    value = given.get(name)
    if isinstance(value, (tuple, list)):
        checks.add(f"{why}; got two, {value!r}")
        return float(value[0])
    return value


# --- checks -------------------------------------------------------------------------------------------------------------------


class _Range(NamedTuple):
    """Numbers that a parameter takes."""

    low: float
    high: float
    ends: Literal["both", "low", "high", "none"]
    is_whole: bool = False
    may_be_two: bool = False

    def holds(self, value: Any) -> bool:
        is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))
        if not is_number or not isfinite(value):
            return False
        above = value >= self.low if self.ends in ("both", "low") else value > self.low
        below = value <= self.high if self.ends in ("both", "high") else value < self.high
        return bool(above and below and (not self.is_whole or float(value).is_integer()))

    def __str__(self) -> str:
        what = "a whole number" if self.is_whole else "a number"
        low = f"of at least {self.low:g}" if self.ends in ("both", "low") else f"above {self.low:g}"
        if self.high == np.inf:
            where = "" if self.low == -np.inf else f" {low}"
        else:
            where = f" {low} and {'at most' if self.ends in ('both', 'high') else 'below'} {self.high:,g}"
        return f"{what}{where}{', or two of them' if self.may_be_two else ''}"


_RANGES = {
    **dict.fromkeys(("power", "alpha", "positives"), _Range(0, 1, "none")),
    **dict.fromkeys(("rates", "areas"), _Range(0, 1, "none", may_be_two=True)),
    **dict.fromkeys(("n", "n_questions", "n_runs", "n_folds", "n_train", "n_test"), _Range(1, 1e8, "both", is_whole=True)),
    **dict.fromkeys(("rope", "run_sd", "shared_run_sd", "seconds"), _Range(0, np.inf, "low")),
    "difference": _Range(-np.inf, np.inf, "none"),
    "n_models": _Range(2, 1e5, "both", is_whole=True),
    "looks": _Range(1, MOST_LOOKS, "both", is_whole=True),
    "discordant": _Range(0, 1, "high"),
    "sd": _Range(0, np.inf, "none", may_be_two=True),
    "correlation": _Range(0, 1, "low"),
    "cluster_size": _Range(1, 1e6, "both"),
    "intraclass_correlation": _Range(0, 1, "both"),
}
"""Numbers that each parameter takes."""


class _Problems:
    """All that is missing or wrong, so that one message can name it."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, text: str) -> None:
        self.found.append(text)

    def numbers(self, given: dict[str, Any]) -> None:
        """Numbers outside of their ranges."""
        for name, value in given.items():
            if value is None or name not in _RANGES:
                continue
            allowed = _RANGES[name]
            is_two = allowed.may_be_two and isinstance(value, (tuple, list)) and len(value) == 2
            if not all(map(allowed.holds, value)) if is_two else not allowed.holds(value):
                self.add(f"{name}= must be {allowed}; got {value!r:.60}")

    def choices(self, **given: tuple[Any, tuple[str, ...]]) -> None:
        """Words that are none of those known."""
        for name, (value, known) in given.items():
            if value is not None and value not in known:
                self.add(f"{name}= must be one of {', '.join(map(repr, known))}; got {value!r:.60}")

    def stop(self) -> None:
        """Raise one error about everything."""
        if len(self.found) == 1:
            raise InvalidParameterError(*_parts(f"{self.found[0]}."))
        if self.found:
            numbered = "; ".join(f"({k}) {text}" for k, text in enumerate(self.found, start=1))
            raise InvalidParameterError(*_parts(f"{len(self.found)} things are missing or wrong: {numbered}."))


_SETTING = re.compile(r"\b([a-z_]+)=('[^']*')?")


def _parts(text: str) -> list[str | Setting]:
    """A message with its parameters as settings, which the command line says in its own way."""
    parts: list[str | Setting] = []
    end = 0
    for match in _SETTING.finditer(text):
        parts += [text[end : match.start()], Setting(match[1], match[2] or "")]
        end = match.end()
    return [*parts, text[end:]]
