"""The answer from checked scores and settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.family import Family, every_pair
from tiebreak.comparison.procedures import METHODS, choose_method
from tiebreak.comparison.procedures.procedure import Method, ModelValues, units_of
from tiebreak.comparison.ranking import order_by_value, order_of_family
from tiebreak.comparison.settings import Settings
from tiebreak.errors import DataError, InvalidParameterError, Setting
from tiebreak.numerics import IntArray, Missing, rope_share
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, percent_notices
from tiebreak.scores.vocabulary import quoted

LARGEST_SCORE = 1e300
"""Beyond it the difference of two scores may be infinite."""

SMALLEST_SCORE = 1e-280
"""Where all scores are smaller, differences reach down to 1e-300, where they count as rounding."""


MOST_MODELS = 10_000
"""Of that many the 50 million pairs take 2.5 GB, and a page of them as much again."""


def compare_scores(scores: Scores, settings: Settings) -> Comparison:
    """Compare all models of scores; each error says what is wrong and how to go on."""
    _check_number(scores.models)
    settings.check_names(scores.models)
    given, scores = scores, _in_question(scores, settings)
    method = choose_method(settings.method, scores)
    units = units_of(scores)
    _require_scores(units.matrix(), settings.missing or method.missing, method)
    percent = percent_notices(units.matrix(), units.metric) if method.is_mean else ()
    values = method.procedure.values(scores)
    order = order_by_value(scores, method, values)
    rope = _rope_in_units(settings, scores, values, order)
    _refuse_wide(rope, units.matrix(), units.metric)
    scores = _in_order(scores, order)
    if settings.looks is not None:
        from tiebreak.comparison.looks import next_look

        settings = replace(settings, looks=next_look(settings.looks, scores, settings, method, rope))
    table = _judged(scores, settings, method, rope)
    order = order_of_family(scores, method, table)
    if order != list(scores.models):  # some model is shown above one whose value is higher: their pair says more than values do
        scores = _in_order(scores, order)
        table = _judged(scores, settings, method, rope)
    if rope and table.judged.unit != "metric":
        raise InvalidParameterError(
            f"{method.name} judges differences of {units.metric.name}, in another unit than the metric's, so it takes no rope. "
            "Leave out ",
            Setting("rope"),
            ".",
            about="rope",
        )
    if settings.looks is not None:
        from tiebreak.comparison.looks import decided_at

        settings = replace(settings, looks=decided_at(settings.looks, table, scores.models))
    comparison = Comparison(
        scores=replace(scores, notices=(), saved_settings=()),  # those of reading are among the comparison's
        settings=settings,
        rope=rope,
        method=method,
        pair_table=table,
        anew=partial(compare_scores, given),
        reading_notices=tuple(dict.fromkeys((*units.notices, *percent))),
    )
    if settings.by is not None:
        comparison.slices()  # refuses a column that makes none
    return comparison


def _in_question(scores: Scores, settings: Settings) -> Scores:
    """Scores as the method that was asked for takes them: tasks of items are datasets for one that is about further datasets."""
    items = scores.items
    if settings.method == "auto" or items is None or items.tasks is None or not items.is_mean:
        return scores
    if METHODS[settings.method].question != "datasets":
        return scores
    return replace(items.as_datasets(), saved_settings=scores.saved_settings)


def _judged(scores: Scores, settings: Settings, method: Method, rope: float) -> Family:
    """The pairs of scores whose models stand in ranking order."""
    first, second = pairs_of(scores.models, settings)
    resolved = replace(settings, rope=rope)
    if settings.looks is None:
        judged = method.judge(scores, first, second, resolved)
    else:
        from tiebreak.comparison.looks import looked

        judged = looked(settings.looks, method, scores, first, second, resolved)
    name = "baseline" if settings.baseline is not None else settings.family
    return Family(first, second, judged, rope, settings.alpha, settings.correction or "bonferroni", family=name)


def _in_order(scores: Scores, models: Sequence[str]) -> Scores:
    """The models in this order in every dataset; one that was not measured there has no scores."""
    taken = scores.take(models)
    if len(scores.matrices) == 1:
        return taken
    matrices = []
    for matrix in taken.matrices:
        score = np.full((len(models), matrix.n_splits), np.nan)
        score[[models.index(name) for name in matrix.models]] = matrix.score
        matrices.append(replace(matrix, models=tuple(models), score=score))
    return replace(taken, matrices=tuple(matrices))


def pairs_of(models: tuple[str, ...], settings: Settings) -> tuple[IntArray, IntArray]:
    """Rows of the first and second model of each pair that is judged: every other model against the baseline, or all pairs.

    Both in ranking order, in which `models` are.
    """
    if settings.baseline is None:
        return every_pair(len(models))
    place = models.index(settings.baseline)
    others = np.delete(np.arange(len(models), dtype=np.int32), place)
    return others, np.full(others.size, place, dtype=np.int32)


def _check_number(models: tuple[str, ...]) -> None:
    """Refuse a single model, and more than memory holds the pairs of."""
    n_models = len(models)
    if n_models < 2:
        raise DataError(f"a comparison needs at least two models; there is only {quoted(models)}.")
    if n_models > MOST_MODELS:
        raise DataError(
            f"{n_models:,} models make {n_models * (n_models - 1) // 2:,} pairs, for which memory would be short; at most "
            f"{MOST_MODELS:,} models can be compared. Choose some of them with ",
            Setting("models"),
            ".",
        )


def _require_scores(matrix: ScoreMatrix, missing: Missing, method: Method) -> None:
    """Refuse missing scores unless pairs may differ in their units; a model without any, or vast scores, in any case."""
    unit = method.unit
    absent = [np.isnan(row) for row in matrix.score]
    empty = [name for name, row in zip(matrix.models, absent, strict=True) if row.all()]
    vast = [name for name, row in zip(matrix.models, matrix.score, strict=True) if np.fmax.reduce(np.abs(row)) > LARGEST_SCORE]
    if vast:
        raise DataError(
            f"the scores of {quoted(vast)} reach beyond {LARGEST_SCORE:g}, where differences leave the range of numbers. "
            "Give the metric in a larger unit, or leave the model out with ",
            Setting("models"),
            ".",
        )
    largest = max((float(np.fmax.reduce(np.abs(row), initial=0.0)) for row in matrix.score), default=0.0)
    if 0 < largest < SMALLEST_SCORE:
        raise DataError(
            f"no score is larger than {largest:g}, where differences leave the range of numbers. Give the metric in a smaller "
            "unit: multiply all scores by the same number."
        )
    if empty:
        raise DataError(f"{quoted(empty)} has no score on any {unit}. Leave it out with ", Setting("models"), ".")
    incomplete = [(name, row) for name, row in zip(matrix.models, absent, strict=True) if row.any()]
    if not incomplete or missing == "pairwise" or not method.is_paired:
        return
    name, row = incomplete[0]
    lacking = np.flatnonzero(row)
    shown = ", ".join(matrix.split_name(split) for split in lacking[:3]) + (
        f" and {lacking.size - 3} more" if lacking.size > 3 else ""
    )
    others = f" (so do {len(incomplete) - 1} other model(s))" if len(incomplete) > 1 else ""
    raise DataError(
        f"{name!r} lacks {lacking.size} of the {matrix.n_splits} {unit}s: {shown}{others}; a score that is undefined (nan) "
        "counts as missing. Evaluate those, leave the model out with ",
        Setting("models"),
        ", or pass ",
        Setting("missing", '"pairwise"'),
        f" to compare each pair on the {unit}s it shares.",
    )


def _rope_in_units(settings: Settings, scores: Scores, values: ModelValues, order: Sequence[str]) -> float:
    """The rope in the unit of differences; a percentage is of the best value, or of the baseline's."""
    if not isinstance(settings.rope, str):
        return float(settings.rope)
    if scores.is_mixed:
        return rope_share(settings.rope)  # refused, as differences have no unit
    of = order[0] if settings.baseline is None else settings.baseline
    row = units_of(scores).matrix().models.index(of)
    mean = abs(float(values.ordering[row]))
    if mean <= float(values.tolerance[row]):
        whose = "best mean" if settings.baseline is None else "baseline's mean"
        raise InvalidParameterError(
            Setting("rope", repr(settings.rope)),
            f" is a share of the {whose}, but the mean {scores.metric.name} of {of!r} is 0. Give the rope in the metric's unit.",
            about="rope",
        )
    return rope_share(settings.rope) * mean


def _refuse_wide(rope: float, matrix: ScoreMatrix, metric: Metric) -> None:
    """Refuse a rope within which all differences of the metric lie, such as 1 for an accuracy, meant for one per cent."""
    if not rope:
        return
    low, high = metric.bounds_of(np.fmin.reduce(matrix.score, axis=None), np.fmax.reduce(matrix.score, axis=None))
    if rope >= high - low:
        raise InvalidParameterError(
            Setting("rope", f"{rope:g}"),
            f" is as wide as {metric.name} itself, which lies between {low:g} and {high:g}: all models would be equivalent. "
            "Give the smallest difference that matters to you, such as ",
            Setting("rope", "0.01"),
            ", or ",
            Setting("rope", "'1%'"),
            " of the best mean.",
            about="rope",
        )
