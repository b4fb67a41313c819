"""The public function `sample_size`: what it takes to see a difference, before anything is measured or from a pilot."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import sqrt
from typing import Any, Literal, get_args

from tiebreak.api import compare
from tiebreak.comparison.comparison import Comparison, PairComparison
from tiebreak.comparison.sample_size import MOST_UNITS, Goal, SampleSize, Solved, pilot_of, whole
from tiebreak.errors import InvalidParameterError, Problems, Setting
from tiebreak.numerics import check_number, check_probability
from tiebreak.statistics.power import Population

SizedQuestion = Literal["examples", "splits", "datasets", "seeds", "test-sets"]


def sample_size(
    pilot: Any = None,
    *,
    difference: float | None = None,
    n: int | None = None,
    rope: float | None = None,
    power: float | None = None,
    goal: Goal = "better",
    question: SizedQuestion | None = None,
    discordant: float | None = None,
    rates: float | tuple[float, float] | None = None,
    sd: float | tuple[float, float] | None = None,
    correlation: float | None = None,
    cluster_size: float | None = None,
    intraclass_correlation: float | None = None,
    n_folds: int | None = None,
    n_models: int | None = None,
    alpha: float | None = None,
    looks: int = 1,
    metric: str | None = None,
    lower_is_better: bool | Mapping[str, bool] | None = None,
    rng: int = 0,
) -> SampleSize:
    """Say how many items, repeats, datasets, seeds or test examples show a difference, or which difference they show.

    Of `difference` (or `rope`), `n` and `power` the one that is not given is worked out, by drawing data and judging them as
    `compare` does. How much differences vary is said by a pilot, or by you.

    Parameters
    ----------
    pilot : optional
        An answer of `compare`, one of its pairs, or anything that `compare` reads; a few units of the data that are planned.
        Of several models the pair with the widest interval counts.
    difference : float, optional
        True difference of two models, in the metric's unit, positive: the smallest one worth seeing. For the goals within a rope
        the one that there is, 0 if not given.
    n : int, optional
        Units: items (in all clusters together), repeats of splits, datasets, seeds of each model, items of each test set.
    rope : float, default 0
        Largest difference that does not matter.
    power : float, default 0.8
        Chance that the answer is what was asked for.
    goal : {"better", "equivalent", "not worse"}, default "better"
        "better": the interval lies above the rope. "equivalent": it lies within the rope. "not worse": it lies above minus the
        rope; requirements share no alpha with other pairs.
    question : {"examples", "splits", "datasets", "seeds", "test-sets"}, default "examples"
        To what the answer generalises, as for `compare`: the same items for all models; splits of one dataset; several datasets;
        training seeds on one test set; a test set for each model.
    discordant : float, optional
        Share of items on which exactly one of the two models is right: 1 less the share on which both are right or both wrong.
    rates : float or (float, float), optional
        Share that the second model has right, or that both have, which is then the difference as well.
    sd : float or (float, float), optional
        Standard deviation: of the differences over items, splits or datasets, or with a `correlation` of one model's scores over
        them; of one model's scores over seeds, or over items of its own test set. Two numbers are those of both models.
    correlation : float, optional
        Of both models' scores over the same units: of their being right with `rates`, 0 unless given (models that fail on the
        same items have 0.3 to 0.7). Seeds for which it is given are the same ones for both models.
    cluster_size, intraclass_correlation : float, default 1 and 0
        Items of a cluster, and the correlation of their differences.
    n_folds : int, default 10
        Splits of a repeat, of which each tests an equal share of the data.
    n_models : int, default 2
        Models that are compared: their pairs share alpha.
    alpha : float, default 0.05
        Error rate of all pairs together.
    looks : int, default 1
        Looks at data that are still coming in, after equally many units each.
    metric, lower_is_better : optional
        Of the pilot, as for `compare`.
    rng : int, default 0
        Seed of the draws: the same one gives the same answer.

    Returns
    -------
    SampleSize
        Print it for the answer; `.n`, `.difference`, `.power`, `.power_error`, `.smallest(n)`, `.power_at(n)`, `.plot()`,
        `.to_frame()` and `.to_json()` for the rest.

    Raises
    ------
    TiebreakError
        Something is missing, contradicts itself or cannot be: the message names all of it.

    Notes
    -----
    A power is the share of 4,000 drawn data sets whose interval, made as `compare` makes it, shows what was asked; its standard
    error is .006 at .8. Scores are drawn as normal ones, right and wrong as counts, clusters of one size by their means [K65]_,
    splits with the correlation that the corrected variance has; looks see the first part of the same data.

    References
    ----------
    .. [K65] L. Kish. Survey sampling. Wiley, 1965.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.sample_size(difference=0.02, discordant=0.1).n  # 1,960 by a formula for many items
    1940
    >>> round(tb.sample_size(n=10, question="splits", sd=0.03).difference, 3)
    0.029
    """
    facts: dict[str, Any] = {
        "discordant": discordant,
        "rates": rates,
        "sd": sd,
        "correlation": correlation,
        "cluster_size": cluster_size,
        "intraclass_correlation": intraclass_correlation,
        "n_folds": n_folds,
    }
    facts = {name: value for name, value in facts.items() if value is not None}
    given = {"difference": difference, "n": n, "rope": rope, "power": power, "alpha": alpha, "n_models": n_models, "looks": looks}
    problems = [text for name, value in (given | facts | {"rng": rng}).items() if (text := _unusable(name, value))]
    for name, word, known in (("goal", goal, get_args(Goal)), ("question", question or "examples", tuple(_TAKES))):
        if word not in known:
            problems.append(f"{name}= must be one of {', '.join(map(repr, known))}; got {word!r:.60}")
    _stop(problems)
    implied = None
    if pilot is None:
        if metric is not None or lower_is_better is not None:
            problems.append("metric= and lower_is_better= are of a pilot, and there is none")
        question = question or "examples"
        population, implied = _described(question, facts, problems)
        size = SampleSize(
            population=population,
            question=question,
            unit={"splits": "repeat", "datasets": "dataset", "seeds": "seed"}.get(question, "item"),
        )
    else:
        facts |= {} if question is None else {"question": question}
        size = _piloted(pilot, facts, {"metric": metric, "lower_is_better": lower_is_better})
    if difference is not None and implied is not None and abs(difference - implied) > 1e-9:
        problems.append(f"the difference is {difference:g}, but the two numbers given differ by {implied:g}: give one of both")
    difference = implied if difference is None else difference
    n_pairs = round(size.alpha / size.interval_alpha) if n_models is None else int(n_models) * (int(n_models) - 1) // 2
    alpha = size.alpha if alpha is None else float(alpha)
    size = replace(
        size,
        population=replace(size.population, seed=int(rng)),
        goal=goal,
        alpha=alpha,
        interval_alpha=alpha / (1 if goal == "not worse" else n_pairs),
        n_models=size.n_models if n_models is None else int(n_models),
        n_looks=int(looks),
        rope=size.rope if rope is None else float(rope),
        power=0.8 if power is None else float(power),
    )
    has_effect = difference is not None if goal == "better" else size.rope > 0
    if size.n is not None and n is None and not has_effect:  # as many units as the pilot has
        n = max(whole(size.n, size.step), size.fewest)
    effect: Solved = "difference" if goal == "better" else "rope"
    problems += _contradictions(size, difference, n)
    if not has_effect and n is None:
        what = "smallest difference that is worth seeing" if goal == "better" else "largest difference that does not matter"
        problems.append(f"{effect}= (the {what}) or n= (the number of units) is missing")
    if has_effect and n is not None and power is not None:
        problems.append(f"{effect}, n and power are all given, so nothing is left to be worked out: leave one of them out")
    _stop(problems)
    solved = "n" if n is None else "power" if has_effect else effect
    n = None if n is None else whole(int(n), size.step)
    return replace(size, difference=float(difference or 0.0), n=n, solved=solved).solve()


def _contradictions(size: SampleSize, d: float | None, n: int | None) -> Iterator[str]:
    """Differences that contradict the goal, and numbers of units that have no interval, or no looks."""
    rope, goal = size.rope, size.goal
    if d is not None and goal == "better":
        if d <= 0:
            yield (
                f"a difference of {d:g} is none of a first model that is better: give it as a positive number, or of two rates "
                "the higher one first"
            )
        elif d <= rope:
            yield (
                f"a difference of {d:g} lies within the rope of {rope:g}, so no number of units shows the first model to be "
                "better by more than it: give a larger difference, a smaller rope, or goal='not worse' or 'equivalent'"
            )
        if d > size.largest * (1 + 1e-9) or 0 < size.population.discordant_at(d) < d:
            yield f"a difference of {d:g} is larger than there can be, {size.largest:g}, by what was given of the models"
    elif d is not None and rope > 0 and (d <= -rope or (goal == "equivalent" and d >= rope)):
        what = "not equivalent" if goal == "equivalent" else "worse by more than that"
        yield f"a difference of {d:g} does not lie within the rope of {rope:g}: such models are {what}"
    if n is not None and n < size.fewest:
        yield f"n={n} is too few: an interval needs at least {size.fewest} {size.unit}s"
    if size.n_looks > 1 and size.first_look > MOST_UNITS:
        how = f"by the method {size.population.procedure!r} were not measured to keep their level"
        yield f"looks {how}, so none are planned: leave looks= out"
    elif size.n_looks > 1 and n is not None and n <= size.first_look:
        yield f"n={n} leaves no room for looks, which begin at {size.first_look} {size.unit}s"


# --- what is known --------------------------------------------------------------------------------------------------------

_TAKES = {
    "examples": ("discordant", "rates", "sd", "correlation", "cluster_size", "intraclass_correlation"),
    "splits": ("sd", "correlation", "n_folds"),
    "datasets": ("sd", "correlation"),
    "seeds": ("sd", "correlation"),
    "test-sets": ("rates", "sd"),
}
"""For each question the facts that it takes."""

_SPREAD = {
    "discordant": "discordant= (the share of items on which exactly one is right)",
    "rates": "rates= (the share that is right)",
    "sd": "sd= (the standard deviation of differences, or of one model's scores)",
}
"""Ways to say how much two models differ."""


def _described(question: str, facts: dict[str, Any], problems: list[str]) -> tuple[Population, float | None]:
    """Population as it was described, and the difference where two rates say it."""
    takes, foreign = _TAKES[question], [f"{name}=" for name in facts if name not in _TAKES[question]]
    if foreign:
        verb = "is" if len(foreign) == 1 else "are"
        problems.append(f"{', '.join(foreign)} {verb} not of the question {question!r}, which takes {', '.join(takes)}")
    ways = [f"{name}=" for name in _SPREAD if name in facts and name in takes]
    if len(ways) != 1:
        said, known = " and ".join(ways) or "nothing", " or ".join(text for name, text in _SPREAD.items() if name in takes)
        problems.append(f"how much two models differ is said in one way, and {said} was given: {known}; or by a pilot")
    rate: Any = facts.get("rates")
    r, implied = facts.get("correlation"), None
    if isinstance(rate, tuple | list):
        rate, implied = float(rate[1]), float(rate[0]) - float(rate[1])
        p, q = rate + implied, rate
        highest = (min(p, q) - p * q) / sqrt(p * (1 - p) * q * (1 - q))
        if r is not None and r > highest + 1e-9:
            problems.append(f"rates of {p:g} and {q:g} cannot correlate by more than {highest:.3g}; got {r:g}")
    size, inside = facts.get("cluster_size", 1.0), facts.get("intraclass_correlation")
    if (size > 1) != (inside is not None):
        problems.append("cluster_size= and intraclass_correlation= (of the differences of a cluster's items) go together")
    if r is not None and "discordant" in facts:
        problems.append("correlation= goes with rates= or sd=; discordant= says it already")
    procedure = {
        "examples": "clustered-t" if "sd" in facts or size > 1 else "tango",
        "splits": "corrected-t",
        "datasets": "wilcoxon",
        "seeds": "welch" if r is None else "paired-t",
        "test-sets": "welch" if "sd" in facts else "newcombe",
    }[question]
    n_folds = int(facts.get("n_folds", 10)) if question == "splits" else 1
    return Population(
        procedure=procedure,
        sd=_deviations(procedure, facts.get("sd"), r, problems),
        discordant=facts.get("discordant"),
        rate=rate,
        correlation=float(r or 0.0),
        cluster_size=size,
        intraclass_correlation=inside or 0.0,
        n_folds=n_folds,
        ratio=1.0 / (n_folds - 1) if n_folds > 1 else 0.0,
    ), implied


def _deviations(procedure: str, given: Any, r: float | None, problems: list[str]) -> tuple[float, ...]:
    """Standard deviation of the differences, or of both models' scores where these are not of the same units."""
    if given is None:
        return ()
    one, two = map(float, given if isinstance(given, tuple | list) else [given] * 2)
    if procedure == "welch":
        return one, two
    if r is not None:
        return (sqrt(one**2 + two**2 - 2 * r * one * two),)
    if one != two:
        problems.append(f"differences have one standard deviation, and two scores a correlation=; got sd={given!r}")
    return (one,)


def _piloted(pilot: Any, facts: dict[str, Any], reading: dict[str, Any]) -> SampleSize:
    """Plan with what a pair of an answer says, or what `compare` makes of anything else."""
    _stop(
        [f"a pilot says itself how much differences vary: leave {', '.join(f'{name}=' for name in facts)} out"] if facts else []
    )
    pair = None
    if isinstance(pilot, PairComparison):
        pair, pilot = (pilot.first, pilot.second), pilot.comparison
    is_read = isinstance(pilot, Comparison) and all(value is None for value in reading.values())
    return pilot_of(pilot if is_read else compare(pilot, **reading), pair)


# --- checks ---------------------------------------------------------------------------------------------------------------

_SHARES = ("power", "alpha", "rates")
_NUMBERS = {
    "difference": (-1e300, 1e300),
    "rope": (0, 1e300),
    "discordant": (1e-12, 1),
    "sd": (1e-300, 1e300),
    "correlation": (0, 1 - 1e-9),
    "cluster_size": (1, 1e6),
    "intraclass_correlation": (0, 1),
}
_COUNTS = {"n": (1, MOST_UNITS), "n_models": (2, 10**5), "looks": (1, 100), "n_folds": (2, 10**5), "rng": (0, 2**62)}
"""Numbers between 0 and 1, other numbers, and whole numbers, with the range of each."""


def _unusable(name: str, value: Any) -> str:
    """Words on a value outside of its range; "" where it can be used."""
    each = value if name in ("rates", "sd") and isinstance(value, tuple | list) and len(value) == 2 else (value,)
    try:
        for one in each if value is not None else ():
            if name in _SHARES:
                check_probability(one, f"{name}=")
            elif name in _NUMBERS:
                check_number(one, f"{name}=", *_NUMBERS[name])
            elif int(check_number(one, f"{name}=", *_COUNTS[name])) != one:
                return f"{name}= must be a whole number; got {one!r:.60}"
    except InvalidParameterError as error:
        return str(error).rstrip(".")
    return ""


def _stop(problems: list[str]) -> None:
    """Raise one error about everything that is missing or wrong."""
    Problems(InvalidParameterError(*_parts(text if text.endswith("?") else f"{text}.")) for text in problems).stop()


_SETTING = re.compile(r"\b([a-z_]+)=('[^']*')?")


def _parts(text: str) -> list[str | Setting]:
    """A message with its parameters as settings, which the command line says in its own way."""
    pieces = _SETTING.split(text)
    parts: list[str | Setting] = [pieces[0]]
    for name, value, rest in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        parts += [Setting(name, value or ""), rest]
    return parts
