"""Diebold and Mariano's test of forecasts, with the small-sample factor, and the model confidence set beside it."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from tiebreak.comparison.procedures.procedure import ALLOWED_SHARE, MOST_CHECKED, Judged, Procedure, TestOnly, and_more, refusal
from tiebreak.comparison.settings import Settings
from tiebreak.numerics import RELATIVE_TOLERANCE, UNDEFINED, IntArray, Law, blocks, student
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, NoticeCode, quoted
from tiebreak.statistics.skew import skewed, skewness_of_mean
from tiebreak.statistics.time import diebold_mariano, lasting_autocorrelation, model_confidence_set

N_RESAMPLES = 9_999
"""Of the model confidence set."""

FEW_PERIODS, FEW_OF_LONG = 60, 1_000
"""Periods below which it is said that they are few, on the page and in the details."""

SEEN = 1.0
"""Skewness of the differences of a pair that periods without any rarely show: from there on Hall's t counts beside Student's.

Student's alone called equal forecasts whose losses are nearly all 0, or lognormal, different in 7 to 17 % of 15 to 200 periods.
"""


def _judge(data: Scores, first: IntArray, second: IntArray, memory: bool = False) -> Law:
    """The test of each pair; the same test of differences less any number has the same variance.

    It has no `Judged.reach_df`: the variance of losses that go together is too small on average, so tables show less than their
    width promises, 0.74 of tables instead of 0.8 at 60 periods with a correlation of 0.3 from one to the next
    (benchmarks/validity/detectable.py). `memory` allows for as much of it as the periods do not rule out.
    """
    score = data.matrix().score
    one, two = score[first], score[second]
    difference = data.metric.sign * (one - two)
    broken = np.asarray(np.isnan(difference).any(axis=-1))
    scale = np.fmax(np.abs(one), np.abs(two)).max(axis=-1, initial=0.0, where=~np.isnan(one + two))
    values = np.where(broken[..., None], 0.0, difference)
    law = diebold_mariano(values, scale=scale, memory=memory)
    skewness = skewness_of_mean(values - values.mean(axis=-1, keepdims=True))
    found = student(
        np.where(broken, np.nan, law.estimate),
        np.where(broken, np.nan, np.asarray(law.se)),
        np.full(np.shape(first), float(np.max(np.asarray(law.df, dtype=float)))),
        n_units=np.count_nonzero(~np.isnan(one + two), axis=-1),
        kind=np.where(broken, UNDEFINED, law.kind).astype(np.int8),
        tolerance=np.asarray(law.tolerance),
    )
    return skewed(found, np.where(np.abs(skewness) * np.sqrt(values.shape[-1]) > SEEN, skewness, 0.0))


def _by_memory(data: Scores, first: IntArray, second: IntArray) -> tuple[Law, NoticeCode, str]:
    """The law with as much long memory as may be, and the notice of what it does not show."""
    return (
        _judge(data, first, second, memory=True),
        "few-items",
        (
            f"does not hold if losses go together over very long spans, as much as {data.matrix().n_splits} periods do not rule "
            "out: more of them would show it"
        ),
    )


def _beside(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """The model confidence set of all models, by blocks of periods."""
    matrix = data.matrix()
    if len(matrix.models) > MOST_CHECKED or not matrix.is_complete or np.ptp(matrix.score, axis=0).max() == 0:
        return
    block = int(np.cbrt(matrix.n_splits) + 0.5)
    pvalues = model_confidence_set(
        matrix.score if not data.metric.higher_is_better else -matrix.score,
        block_length=block,
        n_resamples=N_RESAMPLES,
        rng=settings.rng,
    )
    inside = [name for name, is_in in zip(matrix.models, pvalues > settings.alpha, strict=True) if is_in]
    yield TestOnly(
        name="model-confidence-set",
        models=matrix.models,
        probabilities=dict(zip(matrix.models, pvalues.tolist(), strict=True)),
        text=f"model confidence set at {1 - settings.alpha:.0%}, which holds the best with that confidence: "
        f"{quoted(inside, 10)} ({len(inside)} of {len(matrix.models)}; statistic of the range, {N_RESAMPLES:,} "
        f"resamples by blocks of {block})",
    )


def _remarks(data: Scores) -> Iterator[Notice]:
    """Remarks on uneven and few periods, and on autocorrelation that lasts longer than the variance allows for."""
    matrix = data.matrix()
    try:
        steps = np.diff([float(name) for name in matrix.columns])
    except ValueError:  # they are no numbers
        steps = np.zeros(0)
    if steps.size and steps.max() > 1.5 * steps.min():
        yield Notice(
            "missing-splits",
            f"the periods are {steps.min():g} to {steps.max():g} apart, and the test takes them for evenly spaced: a period that "
            "no model has breaks the order of time",
        )
    n, n_models = matrix.n_splits, len(matrix.models)
    if n < FEW_OF_LONG:
        yield Notice(
            "few-units" if n < FEW_PERIODS else "few-items",
            f"{n} periods show little of how losses go together over long spans, and where they do equal forecasts differ too "
            "often; more periods show it",
        )
    if n_models > MOST_CHECKED or not matrix.is_complete:
        return
    second, first = np.tril_indices(n_models, -1)
    lasting = np.zeros(first.size, dtype=bool)
    for rows in blocks(first.size, n):
        difference = matrix.score[first[rows]] - matrix.score[second[rows]]
        varies = np.ptp(difference, axis=-1) > RELATIVE_TOLERANCE * np.abs(matrix.score).max()
        lasting[rows] = varies & lasting_autocorrelation(difference)
    found = np.flatnonzero(lasting)
    if found.size > np.ceil(ALLOWED_SHARE * (first.size - 1)):
        one, two = matrix.models[first[found[0]]], matrix.models[second[found[0]]]
        yield Notice(
            "lasting-autocorrelation",
            f"the differences of {quoted([one, two])}{and_more(found.size)} go together over many periods, longer than the "
            "interval allows for: compare over a longer stretch, losses that were differenced, or means of seasons",
        )


DIEBOLD_MARIANO = Procedure(
    name="diebold-mariano",
    reason="losses in order of time: those of neighbouring periods go together, which the variance, smoothed over the lowest "
    "frequencies, allows for without a stated horizon",
    question="time",
    generalises_to="further periods of this series, forecast by these models as they are",
    assumptions=(
        "both models forecast the same periods, evenly spaced and without gaps",
        "the differences of losses neither drift nor change their spread over time",
        (
            "autocorrelation of the differences dies out within a small part of the series; long memory does not, and a notice "
            "says where a difference would not stand as much of it as the periods do not rule out"
        ),
    ),
    references=(
        "F. Diebold, R. Mariano. Comparing predictive accuracy. Journal of Business & Economic Statistics 13, 1995.",
        (
            "D. Harvey, S. Leybourne, P. Newbold. Testing the equality of prediction mean squared errors. International Journal "
            "of Forecasting 13, 1997."
        ),
        (
            "E. Lazarus, D. Lewis, J. Stock, M. Watson. HAR inference: recommendations for practice. Journal of Business & "
            "Economic Statistics 36, 2018."
        ),
        (
            "L. Coroneo, F. Iacone. Comparing predictive accuracy in small samples using fixed-smoothing asymptotics. Journal of "
            "Applied Econometrics 35, 2020."
        ),
        "P. Hansen, A. Lunde, J. Nason. The model confidence set. Econometrica 79, 2011.",
    ),
    judge=lambda data, first, second, rope, alpha, seed: Judged(
        law=_judge(data, first, second), beside={"caution": partial(_by_memory, data)}
    ),
    refuse=lambda data: refusal(
        (
            data.matrix().n_splits < 3,
            f"there are only {data.matrix().n_splits} periods, and three are the fewest that show how losses vary. Give more.",
        )
    ),
    remarks=_remarks,
    beside=_beside,
)
