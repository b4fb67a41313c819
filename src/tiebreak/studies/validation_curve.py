"""Scores by the value of a parameter: the sweet spot, and what is practically as good."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tiebreak.errors import DataError, InvalidParameterError, TiebreakError, UnknownNameError
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.evaluation.run_options import RunOptions
from tiebreak.numerics import FloatArray
from tiebreak.numerics.law import VERDICTS
from tiebreak.plan.candidates import MOST_CANDIDATES, grid
from tiebreak.plan.models import is_function, name_models
from tiebreak.plan.plan import Plan
from tiebreak.result import Result
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.studies import curves
from tiebreak.studies.curves import CurvePoints


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
    """Models with each of the values; `tiebreak.validation_curve` describes the parameters."""
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise InvalidParameterError(f"values must be a list of values of the parameter; got {values!r}.", about="values")
    first = list(itertools.islice(values, MOST_CANDIDATES + 1))
    if len(first) > MOST_CANDIDATES:
        n = f"{len(values):,}" if hasattr(values, "__len__") else "more"
        raise InvalidParameterError(
            f"values holds {n} values; at most {MOST_CANDIDATES:,} are measured at a time.", about="values"
        )
    if not first:
        raise InvalidParameterError("values is empty. Pass the values of the parameter to be tried.", about="values")
    if not isinstance(parameter, str) or not parameter:
        raise InvalidParameterError(f"parameter must be the name of a parameter; got {parameter!r}.", about="parameter")
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
class ValidationCurve(Result):
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

    metric: Metric
    parameter: str
    values: tuple[Any, ...]
    labels: tuple[str, ...]
    models: tuple[str, ...]
    points: CurvePoints
    sweet_spots: tuple[SweetSpot, ...]
    rope: float | str
    alpha: float
    n_splits: int
    evaluation: Evaluation
    _grid: ValueGrid = field()

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

    def for_metric(self, metric: str) -> ValidationCurve:
        """The curve in another of the metrics that were measured."""
        return curve_of(self.evaluation, self._grid, self.rope, self.alpha, metric)

    def _spot(self, model: str | None) -> SweetSpot:
        return self.sweet_spots[0 if model is None else look_up(model, self.models, "model")]


def validation_curve(
    grids: ValueGrid,
    plan: Plan,
    run: RunOptions,
    *,
    scoring: Any = None,
    rope: float | str = 0.0,
    alpha: float = 0.05,
    keep_predictions: bool = False,
) -> ValidationCurve:
    """Measure models for several values of a parameter; `tiebreak.validation_curve` describes the parameters.

    The plan is that of ``grids.candidates``.
    """
    run = curves.run_of_study(run, "validation-curve", plan, f"-{grids.parameter}")
    evaluation = curves.measure_curve(plan, run, scoring, rope, alpha, keep_predictions)
    return curve_of(evaluation, grids, rope, alpha)


def curve_of(
    evaluation: Evaluation, grids: ValueGrid, rope: float | str, alpha: float, metric: str | None = None
) -> ValidationCurve:
    """The curve that an evaluation holds whose models are several values; of the first metric if none is given."""
    position = evaluation.metric_position(metric)
    measured = evaluation.record.metrics[position].metric
    record = evaluation.record.datasets[0]
    rows = np.array([[evaluation.models.index(name) for name in row] for row in grids.names])
    ratio = record.n_test / record.n_train
    test, points = curves.points_of(evaluation, position, lambda scores: scores[0][rows], ratio, alpha)
    return ValidationCurve(
        metric=measured,
        parameter=grids.parameter,
        values=grids.values,
        labels=grids.labels,
        models=grids.models,
        points=points,
        sweet_spots=tuple(
            _sweet_spot(evaluation, measured.name, model, row, test[i], rope, alpha)
            for i, (model, row) in enumerate(zip(grids.models, grids.names, strict=True))
        ),
        rope=rope,
        alpha=alpha,
        n_splits=record.n_splits,
        evaluation=evaluation,
        _grid=grids,
    )


def _sweet_spot(
    evaluation: Evaluation, metric: str, model: str, names: Sequence[str], test: FloatArray, rope: float | str, alpha: float
) -> SweetSpot:
    """The first of the ranking of a model's values, and the verdicts of the others against it."""
    scored = [name for name, row in zip(names, test, strict=True) if not np.isnan(row).all()]
    none = ("",) * len(names)
    if not scored:
        return SweetSpot(model, None, none, "no value has a score")
    if len(scored) == 1:
        return SweetSpot(model, names.index(scored[0]), none, "only one value has a score")
    try:
        comparison = evaluation.compare(metric, models=scored, rope=rope, alpha=alpha, missing="pairwise")
    except TiebreakError as error:
        sign = evaluation.record.metrics[evaluation.metric_position(metric)].metric.sign
        return SweetSpot(model, _best(sign * test), none, str(error))
    codes = comparison.against_reference.verdict.tolist()
    verdicts = {name: VERDICTS[code] for name, code in zip(comparison.models, codes, strict=True)}
    return SweetSpot(model, names.index(comparison.reference), tuple(verdicts.get(name, "") for name in names))


def _best(oriented: FloatArray) -> int:
    """Row with the best mean, complete rows before others."""
    lacking = np.isnan(oriented).sum(axis=1)
    means = [float(np.nanmean(row)) if n < row.size else -np.inf for row, n in zip(oriented, lacking, strict=True)]
    return max(range(len(means)), key=lambda place: (lacking[place] == 0, means[place]))
