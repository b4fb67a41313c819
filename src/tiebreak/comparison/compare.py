"""The answer from checked scores and settings."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.family import Family, every_pair
from tiebreak.comparison.procedures import METHODS, choose_method
from tiebreak.comparison.procedures.procedure import Method, ModelValues, units_of
from tiebreak.comparison.ranking import order_by_value, rank_models
from tiebreak.comparison.settings import Settings
from tiebreak.errors import DataError, InvalidParameterError, Problems, Setting
from tiebreak.numerics import IntArray, Missing, rope_share
from tiebreak.scores.scores import ScoreMatrix, Scores, percent_notices
from tiebreak.scores.vocabulary import look_up, quoted

LARGEST_SCORE = 1e300
"""Beyond it the difference of two scores may be infinite."""

SMALLEST_SCORE = 1e-280
"""Where all scores are smaller, differences reach down to 1e-300, where they count as rounding."""


MOST_MODELS = 10_000
"""Of that many the 50 million pairs take 2.5 GB, and a page of them as much again."""


def compare_scores(scores: Scores, settings: Settings) -> Comparison:
    """Compare all models of scores; each error says what is wrong and how to go on."""
    given = scores
    _check_models(scores.models, settings.baseline)
    scores = _in_question(scores, settings)
    method = choose_method(settings.method, scores)
    units = units_of(scores)
    _check_scores(units.matrix(), settings.missing or method.missing, method)
    percent = percent_notices(units.matrix(), units.metric) if method.is_mean else ()
    values = method.procedure.values(scores)
    order = order_by_value(scores, method, values)
    rope = _rope_in_units(settings, scores, values, order)
    scores = _in_order(scores, order)
    if settings.looks is not None:
        from tiebreak.comparison.looks import next_look

        settings = replace(settings, looks=next_look(settings.looks, scores, settings, method, rope))
    resolved = replace(settings, rope=rope)
    table = _judged(scores, resolved, method)
    ranking = rank_models(scores, method, table)
    if (np.diff(ranking.order) < 0).any():  # one is shown above one whose value is higher: pairs say more than values
        scores = _in_order(scores, np.array(scores.models, dtype=object)[ranking.order].tolist())
        table = _judged(scores, resolved, method)
        ranking = rank_models(scores, method, table)
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
        resolved=resolved,
        method=method,
        pair_table=table,
        ranking_table=ranking,
        anew=partial(compare_scores, given),
        reading_notices=tuple(dict.fromkeys((*units.notices, *percent))),
    )
    if settings.by is not None:
        comparison.slices()  # refuses a column that makes none
    return comparison


def _check_models(models: tuple[str, ...], baseline: str | None) -> None:
    """Refuse a single model, more than memory holds the pairs of, and a baseline that is none of them."""
    problems, n = Problems(), len(models)
    with problems.noted():
        if n < 2:
            raise DataError(f"a comparison needs at least two models; there is only {quoted(models)}.")
        if n > MOST_MODELS:
            raise DataError(
                f"{n:,} models make {n * (n - 1) // 2:,} pairs, for which memory would be short; at most {MOST_MODELS:,} models "
                "can be compared. Choose some of them with ",
                Setting("models"),
                ".",
            )
    with problems.noted():
        if baseline is not None:
            look_up(baseline, models, "model (given as baseline)")
    problems.stop()


def _in_question(scores: Scores, settings: Settings) -> Scores:
    """Scores as the method that was asked for takes them: tasks of items are datasets for one that is about further datasets."""
    items = scores.items
    if settings.method == "auto" or items is None or items.tasks is None or not items.is_mean:
        return scores
    if METHODS[settings.method].question != "datasets":
        return scores
    return replace(items.as_datasets(), saved_settings=scores.saved_settings)


def _judged(scores: Scores, settings: Settings, method: Method) -> Family:
    """The pairs of scores whose models stand in ranking order."""
    n_models = len(scores.models)
    if settings.baseline is None:
        first, second = every_pair(n_models)
    else:
        place = scores.models.index(settings.baseline)
        first = np.delete(np.arange(n_models, dtype=np.int32), place)
        second = np.full(first.size, place, dtype=np.int32)
    if settings.looks is None:
        judged = method.judge(scores, first, second, settings)
    else:
        from tiebreak.comparison.looks import looked

        judged = looked(settings.looks, method, scores, first, second, settings)
    name = "baseline" if settings.baseline is not None else settings.family
    return Family(first, second, judged, float(settings.rope), settings.alpha, settings.correction or "bonferroni", family=name)


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


def _check_scores(matrix: ScoreMatrix, missing: Missing, method: Method) -> None:
    """Refuse missing scores unless pairs may differ in their units; a model without any, or vast scores, in any case."""
    unit, problems = method.unit, Problems()
    absent = np.isnan(matrix.score)
    largest = np.array([np.fmax.reduce(np.abs(row), initial=0.0) for row in matrix.score])  # by row, as a table may be large

    def named(rows: IntArray) -> str:
        return quoted([matrix.models[row] for row in rows])

    vast, empty = np.flatnonzero(largest > LARGEST_SCORE), np.flatnonzero(absent.all(axis=1))
    if vast.size:
        problems.append(
            DataError(
                f"the scores of {named(vast)} reach beyond {LARGEST_SCORE:g}, where differences leave the "
                "range of numbers. Give the metric in a larger unit, or leave the model out with ",
                Setting("models"),
                ".",
            )
        )
    if 0 < largest.max() < SMALLEST_SCORE:
        problems.append(
            DataError(
                f"no score is larger than {largest.max():g}, where differences leave the range of numbers. Give the metric in a "
                "smaller unit: multiply all scores by the same number."
            )
        )
    if empty.size:
        has, it = ("has", "it") if empty.size == 1 else ("have", "them")
        problems.append(DataError(f"{named(empty)} {has} no score on any {unit}. Leave {it} out with ", Setting("models"), "."))
    incomplete = np.flatnonzero(absent.any(axis=1) & ~absent.all(axis=1))
    if incomplete.size and missing == "raise" and method.is_paired:
        row = incomplete[0]
        lacking = np.flatnonzero(absent[row])
        shown = ", ".join(matrix.split_name(split) for split in lacking[:3])
        more = f" and {lacking.size - 3} more" if lacking.size > 3 else ""
        others = f" (so do {incomplete.size - 1} other model(s))" if incomplete.size > 1 else ""
        problems.append(
            DataError(
                f"{matrix.models[row]!r} lacks {lacking.size} of the {matrix.n_splits} {unit}s: {shown}{more}{others}; a score "
                "that is undefined (nan) counts as missing. Evaluate those, leave the model out with ",
                Setting("models"),
                ", or pass ",
                Setting("missing", '"pairwise"'),
                f" to compare each pair on the {unit}s it shares.",
            )
        )
    problems.stop()


def _rope_in_units(settings: Settings, scores: Scores, values: ModelValues, order: Sequence[str]) -> float:
    """The rope in the unit of differences; a percentage is of the best value, or of the baseline's.

    One within which all differences of the metric lie, such as 1 for an accuracy, meant for one per cent, is refused.
    """
    matrix, metric = units_of(scores).matrix(), units_of(scores).metric
    rope = rope_share(settings.rope) if isinstance(settings.rope, str) else float(settings.rope)
    if isinstance(settings.rope, str) and not scores.is_mixed:  # of several metrics it is refused, as differences have no unit
        of = order[0] if settings.baseline is None else settings.baseline
        row = matrix.models.index(of)
        mean = abs(float(values.ordering[row]))
        if mean <= float(values.tolerance[row]):
            whose = "best mean" if settings.baseline is None else "baseline's mean"
            raise InvalidParameterError(
                Setting("rope", repr(settings.rope)),
                f" is a share of the {whose}, but the mean {metric.name} of {of!r} is 0. Give the rope in the metric's unit.",
                about="rope",
            )
        rope *= mean
    low, high = metric.bounds_of(np.fmin.reduce(matrix.score, axis=None), np.fmax.reduce(matrix.score, axis=None))
    if rope and rope >= high - low:
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
    return rope
