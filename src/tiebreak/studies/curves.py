"""Points of learning and validation curves, and intervals of their means."""

import itertools
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self, cast

import numpy as np

from tiebreak.errors import DataError, InvalidParameterError, TiebreakError, UnknownNameError
from tiebreak.evaluation.evaluate import find_scorers, measure_plan
from tiebreak.evaluation.evaluation import Evaluation, mean_interval
from tiebreak.evaluation.run_options import Run
from tiebreak.numerics import (
    CONSTANT,
    IDENTICAL,
    SPREAD,
    UNDEFINED,
    VERDICTS,
    FloatArray,
    IntArray,
    check_probability,
    refuse_unless,
    rope_number,
    share_in_units,
)
from tiebreak.plan.candidates import MOST_CANDIDATES, grid
from tiebreak.plan.models import is_function, name_models
from tiebreak.plan.plan import Plan, make_plan
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.splits import PlannedDataset, Split, check_amount
from tiebreak.result import Result
from tiebreak.scores.means import mean_ratio
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.statistics.splits import ANSWERS, doubling_gain


@dataclass(frozen=True, slots=True, eq=False)
class CurvePoints:
    """Means over splits, of shape (n_models, n_points), in the metric's unit.

    Intervals are two-sided corrected t intervals of the mean, with n_test / n_train of the whole training sets of the splits, cut
    off at bounds of the metric that are known (an accuracy is at most 1).
    A mean is nan where no split has a score, an interval where fewer than two have, or where all scores are the same.

    Attributes
    ----------
    test_mean, test_low, test_high : ndarray
    train_mean, train_low, train_high : ndarray
        nan where models leave nothing to ask about the training rows, as functions do.
    n_splits : ndarray of int
        Splits with a test score.
    fit_seconds : ndarray
        Median time of a fit.
    """

    test_mean: FloatArray
    test_low: FloatArray
    test_high: FloatArray
    train_mean: FloatArray
    train_low: FloatArray
    train_high: FloatArray
    n_splits: IntArray
    fit_seconds: FloatArray


def run_of_study(run: Run, study: str, about: str = "") -> dict[str, Any]:
    """The run of a study: which study made it is kept, and in a store its name says so."""
    return {**run, "kind": study + about, "settings": {"made_by": study}}


def measure_curve(plan: Plan, run: Mapping[str, Any], scoring: Any, rope: float | str, alpha: float) -> Evaluation:
    """Scores of a plan on test and training rows; a rope or alpha that is none is refused first."""
    rope_number(rope)  # refused before anything is measured
    check_probability(alpha, "alpha")
    return measure_plan(plan, find_scorers(plan, scoring), keep_predictions=False, train_scores=True, **run)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveOfMeans(Result):
    """Scores of models at several points of an axis, in the first metric that was measured."""

    metric: Metric
    models: tuple[str, ...]
    points: CurvePoints
    rope: Any
    alpha: float
    n_splits: int
    evaluation: Evaluation
    _of: Callable[[str], Any]

    def for_metric(self, metric: str) -> Self:
        """The curve in another of the metrics that were measured."""
        return cast(Self, self._of(metric))


def points_of(
    evaluation: Evaluation, name: str | None, arranged: Callable[[FloatArray], FloatArray], ratio: FloatArray, alpha: float
) -> tuple[Metric, FloatArray, CurvePoints]:
    """The metric of a name, test scores of all splits, of shape (n_models, n_points, n_splits), and the points of the curves.

    All datasets have the same splits. `arranged` makes an array of shape (n_models, n_points, ...) of one of shape (n_datasets,
    n_models, ...); `ratio`, of shape (n_splits,), is n_test / n_train of each split, n_train being all its training rows; `alpha`
    is 1 - coverage.
    """
    n_datasets, position = len(evaluation.datasets), evaluation.metric_position(name)
    metric = evaluation.record.metrics[position].metric
    test = arranged(np.stack([evaluation.grid(dataset, position) for dataset in range(n_datasets)]))
    train = np.full((n_datasets, len(evaluation.models), evaluation.record.datasets[0].n_splits), np.nan)
    for outcome in evaluation.log.outcomes():
        dataset, split, model = outcome.cell
        train[dataset, model, split] = outcome.train_scores.get(metric.name, np.nan)
    fit_seconds = arranged(np.stack([evaluation.fit_times(dataset)[0] for dataset in range(n_datasets)]))
    test_mean, test_interval = mean_interval(test, ratio, alpha, metric)
    train_mean, train_interval = mean_interval(arranged(train), ratio, alpha, metric)
    n_splits = np.count_nonzero(~np.isnan(test), axis=-1)
    return metric, test, CurvePoints(test_mean, *test_interval, train_mean, *train_interval, n_splits, fit_seconds)


def rope_in_units(rope: float | str, means: Sequence[float] | FloatArray, sign: int, metric: str) -> float:
    """A rope in the unit of the named metric; a percentage is of the best of some means.

    A mean is nan where there is none; `sign` is +1 where higher is better, else -1.
    """
    number = rope_number(rope)
    if not isinstance(rope, str):
        return number
    oriented = sign * np.asarray(means, dtype=float)
    if np.isnan(oriented).all():
        return float("nan")
    return share_in_units(rope, float(np.nanmax(oriented)), 1e-12, f"best mean, but the best mean {metric}")


# --- training sizes: datasets of one plan, with the same test rows, and ever more of the training rows -------------------------

N_HALVINGS = 4
"""By default the smallest size is the full one halved so often, where the data allow."""

FEWEST = 8
"""Training examples below which the default sizes do not go, but for what the question of doubling needs."""


def with_sizes(plan: Plan, sizes: Any = None) -> tuple[Plan, tuple[int, ...]]:
    """The plan of a learning curve, made of the plan of an evaluation.

    Each size is a dataset of its own that shares the arrays of the one given, so that scores, failures, times and an interrupted
    run are what they are in any plan. Of each split, the training rows of a size are among those of the next larger one. Sizes
    are numbers of training examples, or shares of the largest possible one; a ladder of halves if not given. The datasets are
    called "45 training examples", the smallest first. Raises `InvalidParameterError` for a size that is no number of examples,
    or more than there are, and `DataError` where a class is absent from the training rows of a size.
    """
    planned = plan.datasets[0]
    full = int(planned.n_train.min())
    classes = [] if planned.truth.classes is None else planned.truth.classes.tolist()
    if sizes is None:  # n/16, n/8, n/4, n/2 and n; the last three, which tell what doubling brought, wherever they are possible
        fewest = [max(1, len(classes))] * 3 + [max(FEWEST, 2 * len(classes))] * (N_HALVINGS - 2)
        chosen = tuple(full // 2**power for power in range(N_HALVINGS, -1, -1) if full // 2**power >= fewest[power])
    else:
        chosen = check_sizes(sizes, full)
    check_amount(len(chosen) * len(planned.splits), planned.data)
    orders = [_order(planned, split, plan.rng) for split in range(len(planned.splits))]
    datasets = []
    for size in chosen:
        data = replace(planned.data, name=f"{size} training example{'' if size == 1 else 's'}")
        # in the order of the data, so that the largest size is the training set of an evaluation, and models see the rows alike
        splits = tuple(Split(np.sort(order[:size]), split.test) for order, split in zip(orders, planned.splits, strict=True))
        n_train = np.full(len(splits), size, dtype=np.int64)
        datasets.append(replace(planned, data=data, splits=splits, n_train=n_train))
        for position, split in enumerate(splits if classes else ()):
            absent = np.flatnonzero(np.bincount(planned.truth.code[split.train], minlength=len(classes)) == 0)
            if absent.size:
                raise DataError(
                    f"sizes: with {size} training examples class {classes[absent[0]]!r} is absent from the training rows "
                    f"of {planned.split_name(position)}, so no model could learn it there. Use larger sizes; there are "
                    f"{len(classes)} classes."
                )
    return replace(plan, datasets=tuple(datasets)), chosen


def check_sizes(sizes: Any, full: int) -> tuple[int, ...]:
    """Numbers of training examples, in ascending order, each once.

    Sizes are whole numbers, or shares above 0 and up to 1 of the `full` training examples that every split has.
    """
    how = f"Pass whole numbers from 1 to {full}, or shares such as 0.5 of the {full} training examples that every split has."
    entries: Any = [sizes] if isinstance(sizes, numbers.Real) else sizes
    is_list = isinstance(entries, Sequence | np.ndarray) and not isinstance(entries, str) and len(entries) > 0
    refuse_unless(is_list, "sizes", "be a list of training sizes", sizes, f" {how}")
    counts = set()
    for size in entries:
        is_number = isinstance(size, numbers.Real) and not isinstance(size, bool | np.bool_)
        is_share = is_number and not isinstance(size, numbers.Integral) and 0 < size <= 1
        count = max(1, int(float(size) * full + 1e-9)) if is_share else size
        if not is_share and not (is_number and isinstance(size, numbers.Integral) and int(size) >= 1):
            raise InvalidParameterError(f"sizes: {size!r} is no number or share of training examples. {how}", about="sizes")
        if count > full:
            raise InvalidParameterError(
                f"sizes: {count} training examples are more than the {full} that every split has. {how} More folds make larger "
                "training sets.",
                about="sizes",
            )
        counts.add(int(count))
    return tuple(sorted(counts))


def _order(planned: PlannedDataset, split: int, rng: int | None) -> IntArray:
    """The training rows of a split in the order in which a growing training set takes them up."""
    train = planned.splits[split].train
    if planned.ordered:
        return train[::-1]  # the most recent first, as nobody trains on a past with a gap before what is to be foretold
    key = (planned.data.name, int(planned.repeat[split]), int(planned.fold[split]))
    generator = np.random.default_rng(derive_seed(0 if rng is None else rng, "training sizes", *key))
    shuffled = generator.permutation(train)
    if planned.data.groups is not None:
        # whole groups one after the other, as more data means more groups, numbered as they come in the shuffled rows
        _, first, place = np.unique(planned.data.groups[shuffled], return_index=True, return_inverse=True)
        return shuffled[np.argsort(first[place], kind="stable")]
    return shuffled if planned.truth.classes is None else _in_proportion(shuffled, planned.truth.code[shuffled])


def _in_proportion(rows: IntArray, code: IntArray) -> IntArray:
    """One row of each class first, then all classes in proportion: any first rows are stratified."""
    count = np.bincount(code)
    by_class = np.argsort(code, kind="stable")
    rank = np.empty(rows.size, dtype=np.int64)
    rank[by_class] = np.arange(rows.size) - np.repeat(np.cumsum(count) - count, count)
    due = (rank + 0.5) / count[code]
    return rows[np.argsort(np.where(rank == 0, 0.0, due), kind="stable")]


# --- learning curves --------------------------------------------------------------------------------------------------------


NEAR_ENOUGH = 0.05
"""Share by which a size may miss half of another one and still stand for it."""

_REASONS = {SPREAD: "", IDENTICAL: "identical-scores", CONSTANT: "no-spread", UNDEFINED: "too-few-splits"}


class DoublingAnswer(NamedTuple):
    """Answer to whether more data would help a model.

    Attributes
    ----------
    model : str
    answer : str
        "yes": twice the training data bring more than the rope. "less than the rope on doubling". "cannot be told".
    last_gain, last_low, last_high : float
        What the last doubling brought, and its interval; positive is a gain whatever the metric's direction.
    next_low, next_high : float
        Limits of what the next one brings.
    n_splits : int
        Splits on which the model has all three scores.
    reason : str
        Why nothing can be told where there are no numbers: "identical-scores" (the same with half of the data, on all splits),
        "no-spread" (the same gain on all splits), "too-few-splits" (fewer than two), "no-halves" (a half and a quarter of the
        largest size were not measured); else "".
    """

    model: str
    answer: str
    last_gain: float
    last_low: float
    last_high: float
    next_low: float
    next_high: float
    n_splits: int
    reason: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearningCurve(CurveOfMeans):
    """Scores of models by the number of training examples.

    Print it for the answer; `plot` draws it.

    Attributes
    ----------
    metric : Metric
    models : tuple of str
    sizes : tuple of int
        Training examples, ascending.
    points : CurvePoints
        Of shape (n_models, n_sizes).
    answers : tuple of DoublingAnswer
        Would more data help? One for each model.
    rope : float
        Smallest gain that matters, in the metric's unit.
    alpha : float
        1 - coverage of all intervals.
    n_splits : int
        Of each size; all sizes have the same test rows.
    evaluation : Evaluation
        Failures, times and the rest; its datasets are the sizes.
    """

    sizes: tuple[int, ...]
    answers: tuple[DoublingAnswer, ...]

    def answer(self, model: str | None = None) -> str:
        """Would more data help? "yes", "less than the rope on doubling" or "cannot be told".

        Parameters
        ----------
        model : str, optional
            The first one if not given.
        """
        position = 0 if model is None else look_up(model, self.models, "model")
        return self.answers[position].answer


def learning_curve(
    models: Any, X: Any, y: Any, run: Run, *, sizes: Any, scoring: Any, rope: float | str, alpha: float, **data: Any
) -> LearningCurve:
    """Measure models on growing training sets; `tiebreak.learning_curve` describes the parameters."""
    whole = make_plan(models, X, y, **data)
    plan, chosen = with_sizes(whole, sizes)
    [splits] = whole.datasets
    evaluation = measure_curve(plan, run_of_study(run, "learning-curve"), scoring, rope, alpha)
    return learning_curve_of(evaluation, chosen, splits.n_test / splits.n_train, rope, alpha)


def learning_curve_of(
    evaluation: Evaluation,
    sizes: tuple[int, ...],
    ratio: FloatArray,
    rope: float | str,
    alpha: float,
    metric: str | None = None,
) -> LearningCurve:
    """The curve that an evaluation holds whose datasets are several sizes; of the first metric if none is given.

    `ratio`, of shape (n_splits,), is n_test / n_train of each split, n_train being all its training rows.
    """
    measured, test, points = points_of(evaluation, metric, lambda scores: scores.swapaxes(0, 1), ratio, alpha)
    width = rope_in_units(rope, points.test_mean[:, -1], measured.sign, measured.name)
    return LearningCurve(
        metric=measured,
        models=evaluation.models,
        sizes=sizes,
        points=points,
        answers=_doublings(evaluation.models, sizes, measured.sign * test, ratio, width, alpha),
        rope=width,
        alpha=alpha,
        n_splits=int(ratio.size),
        evaluation=evaluation,
        _of=partial(learning_curve_of, evaluation, sizes, ratio, rope, alpha),
    )


# --- would more data help? ------------------------------------------------------------------------------------------------


def halves(sizes: Sequence[int]) -> tuple[int, int, int] | None:
    """Positions of a quarter of the largest size, of half of it, and of itself; None where one of them is not there."""
    wanted = sizes[-1] * np.array([0.25, 0.5, 1.0])
    missed = np.abs(np.asarray(sizes)[:, None] - wanted)
    quarter, half, full = missed.argmin(axis=0).tolist()
    are_near = bool(np.all(missed.min(axis=0) <= np.maximum(0.5, NEAR_ENOUGH * wanted)))
    return (quarter, half, full) if are_near and quarter < half < full else None


def _doublings(
    models: Sequence[str], sizes: tuple[int, ...], oriented: FloatArray, ratio: FloatArray, rope: float, alpha: float
) -> tuple[DoublingAnswer, ...]:
    """For each model; scores of shape (n_models, n_sizes, n_splits), larger is better."""
    nan = float("nan")
    places = halves(sizes)
    if places is None or ratio.size < 2 or rope != rope:
        reason = "no-halves" if places is None else "too-few-splits"
        return tuple(DoublingAnswer(model, ANSWERS[0], nan, nan, nan, nan, nan, 0, reason) for model in models)
    quarter, half, full = (oriented[:, place] for place in places)
    last, previous = full - half, half - quarter
    scale = np.nan_to_num(np.abs(oriented[:, list(places)])).max(axis=(1, 2))
    gain, (low, high), answer = doubling_gain(
        last,
        previous,
        test_train_ratio=mean_ratio(last + previous, ratio),  # of the splits that have all three scores
        rope=rope,
        alpha=alpha,
        scale=scale,
        omit_missing=True,
    )
    columns = (gain.estimate, *gain.interval_at(alpha), low, high, gain.n_units)
    rows = zip(models, answer, *(np.asarray(column).tolist() for column in columns), gain.kind, strict=True)
    return tuple(
        DoublingAnswer(model, ANSWERS[code], last, last_low, last_high, low, high, n, _REASONS[int(kind)])
        for model, code, last, last_low, last_high, low, high, n, kind in rows
    )


# --- validation curves ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ValueGrid:
    """Models with each of several values of a parameter.

    `labels` are the values as they are written, `models` those that are varied, `names` the name of each with each value, and
    `candidates` stand by these names.
    """

    parameter: str
    values: tuple[Any, ...]
    labels: tuple[str, ...]
    models: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    candidates: Mapping[str, Any]


def vary(models: Any, parameter: Any, values: Any) -> ValueGrid:
    """Models with each of the values of a parameter."""
    is_list = hasattr(values, "__iter__") and not isinstance(values, str | bytes | Mapping)
    refuse_unless(is_list, "values", "be a list of values of the parameter", values)
    first = list(itertools.islice(values, MOST_CANDIDATES + 1))
    refuse_unless(0 < len(first) <= MOST_CANDIDATES, "values", f"hold 1 to {MOST_CANDIDATES:,} values of the parameter", values)
    chosen = tuple(value.item() if isinstance(value, np.generic) else value for value in first)
    bases = name_models(models)
    candidates: dict[str, Any] = {}
    names: list[tuple[str, ...]] = []
    labels: tuple[str, ...] = ()
    for base, model in bases.items():
        _check_parameter(base, model, parameter)
        made = grid(model, {parameter: list(chosen)})
        named = made if not isinstance(models, Mapping | list | tuple) else {f"{base}, {inner}": made[inner] for inner in made}
        # the value out of "C=0.1"; a text stands for itself
        labels = labels or tuple(inner.removeprefix(f"{parameter.rsplit('__', 1)[-1]}=") for inner in made)
        names.append(tuple(named))
        candidates |= named
    return ValueGrid(parameter, chosen, labels, tuple(bases), tuple(names), candidates)


def _check_parameter(base: str, model: Any, parameter: str) -> None:
    """Refuse a parameter that the model does not have."""
    if is_function(model) or not hasattr(model, "get_params"):
        raise DataError(f"model {base!r} has no parameters that could be set: it has no get_params and set_params.")
    known = list(model.get_params(deep=True))
    inside = [name for name in known if name.endswith(f"__{parameter}")]
    if parameter not in known and inside:
        raise UnknownNameError(
            f"no parameter of model {base!r} is called {parameter!r}, but a part of it has one: give {quoted(inside)}.",
            about="parameter",
        )
    look_up(parameter, known, f"parameter of model {base!r}")


@dataclass(frozen=True, slots=True, eq=False)
class SweetSpot:
    """The best value of a parameter for one model, and how the others stand to it.

    Attributes
    ----------
    model : str
    position : int or None
        Of the value that ranks first, by the mean test score, adjusted where values lack scores on some splits; None where there
        is no score.
    verdicts : tuple of str
        Of each value against the sweet spot, by the pairs that `tiebreak.compare` judges: "equivalent", "behind", "worse",
        "undecided"; "" for the sweet spot itself, and where none could be reached.
    reason : str
        Why there are no verdicts; "" where there are.
    """

    model: str
    position: int | None
    verdicts: tuple[str, ...]
    reason: str = ""

    def where(self, verdict: str) -> list[int]:
        """Positions of the values with a verdict."""
        return [place for place, each in enumerate(self.verdicts) if each == verdict]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValidationCurve(CurveOfMeans):
    """Scores of models by the value of one of their parameters.

    Print it for the answer; `plot` draws it.

    Attributes
    ----------
    metric : Metric
    parameter : str
    values : tuple
        As given.
    labels : tuple of str
        The values as they are written.
    models : tuple of str
    points : CurvePoints
        Of shape (n_models, n_values).
    sweet_spots : tuple of SweetSpot
        One for each model. The mean of the best of many values is a little too good; nested cross-validation gives an honest one.
    rope : float or str
        As given.
    alpha : float
        1 - coverage of all intervals, and level of the verdicts.
    n_splits : int
    evaluation : Evaluation
        Failures, times and the rest; its models are the values.
    """

    parameter: str
    values: tuple[Any, ...]
    labels: tuple[str, ...]
    sweet_spots: tuple[SweetSpot, ...]

    def sweet_spot(self, model: str | None = None) -> Any:
        """The value with the best mean test score, None where there is no score.

        Parameters
        ----------
        model : str, optional
            The first one if not given.
        """
        found = self._spot(model)
        return None if found.position is None else self.values[found.position]

    def equivalent(self, model: str | None = None) -> list[Any]:
        """Values that are practically equivalent to the sweet spot of a model; none without a rope."""
        return [self.values[place] for place in self._spot(model).where("equivalent")]

    def undecided(self, model: str | None = None) -> list[Any]:
        """Values of which it cannot be told yet how they stand to the sweet spot of a model."""
        return [self.values[place] for place in self._spot(model).where("undecided")]

    def _spot(self, model: str | None) -> SweetSpot:
        return self.sweet_spots[0 if model is None else look_up(model, self.models, "model")]


def validation_curve(
    models: Any,
    X: Any,
    y: Any,
    run: Run,
    *,
    parameter: Any,
    values: Any,
    scoring: Any,
    rope: float | str,
    alpha: float,
    **data: Any,
) -> ValidationCurve:
    """Measure models for several values of a parameter; `tiebreak.validation_curve` describes the parameters."""
    grids = vary(models, parameter, values)
    plan = make_plan(grids.candidates, X, y, **data)
    named = run_of_study(run, "validation-curve", f"-{parameter}")
    return validation_curve_of(measure_curve(plan, named, scoring, rope, alpha), grids, rope, alpha)


def validation_curve_of(
    evaluation: Evaluation, grids: ValueGrid, rope: float | str, alpha: float, metric: str | None = None
) -> ValidationCurve:
    """The curve that an evaluation holds whose models are several values; of the first metric if none is given."""
    record = evaluation.record.datasets[0]
    rows = np.array([[evaluation.models.index(name) for name in row] for row in grids.names])
    ratio = record.n_test / record.n_train
    measured, test, points = points_of(evaluation, metric, lambda scores: scores[0][rows], ratio, alpha)
    return ValidationCurve(
        metric=measured,
        parameter=grids.parameter,
        values=grids.values,
        labels=grids.labels,
        models=grids.models,
        points=points,
        sweet_spots=tuple(
            _sweet_spot(evaluation, measured, model, row, test[i], rope, alpha)
            for i, (model, row) in enumerate(zip(grids.models, grids.names, strict=True))
        ),
        rope=rope,
        alpha=alpha,
        n_splits=record.n_splits,
        evaluation=evaluation,
        _of=partial(validation_curve_of, evaluation, grids, rope, alpha),
    )


def _sweet_spot(
    evaluation: Evaluation, metric: Metric, model: str, names: Sequence[str], test: FloatArray, rope: float | str, alpha: float
) -> SweetSpot:
    """The first of the ranking of a model's values, and the verdicts of the others against it."""
    scored = [name for name, row in zip(names, test, strict=True) if not np.isnan(row).all()]
    none, too_few = ("",) * len(names), {0: "no value has a score", 1: "only one value has a score"}
    if len(scored) in too_few:
        return SweetSpot(model, names.index(scored[0]) if scored else None, none, too_few[len(scored)])
    try:
        comparison = evaluation.compare(metric.name, models=scored, rope=rope, alpha=alpha, missing="pairwise")
    except TiebreakError as error:
        return SweetSpot(model, _best(metric.sign * test), none, str(error))
    codes = comparison.against_reference.verdict.tolist()
    verdicts = {name: VERDICTS[code] for name, code in zip(comparison.models, codes, strict=True)}
    return SweetSpot(model, names.index(comparison.reference), tuple(verdicts.get(name, "") for name in names))


def _best(oriented: FloatArray) -> int:
    """Row with the best mean, complete rows before others."""
    lacking = np.isnan(oriented).sum(axis=1)
    means = [float(np.nanmean(row)) if n < row.size else -np.inf for row, n in zip(oriented, lacking, strict=True)]
    return max(range(len(means)), key=lambda place: (lacking[place] == 0, means[place]))
