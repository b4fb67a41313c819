"""Bayesian signed-rank test over datasets: the posterior of the centre of the differences, in draws of their distribution."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.bayesian.signed_rank import signed_rank_posterior
from tiebreak.comparison.procedures.datasets import (
    FURTHER_DATASET,
    INDEPENDENT_DATASETS,
    MOST_PAIRS,
    PAIRED_DATASETS,
    differences_of,
    kinds_of,
    omnibus,
    refuse_datasets,
    remarks_on_datasets,
    values_of_datasets,
)
from tiebreak.comparison.procedures.procedure import Judged, Procedure, TestOnly, tolerance_of
from tiebreak.errors import Setting, TiebreakError, TooFewModelsError
from tiebreak.numerics import CONSTANT, SPREAD, Alternative, FloatArray, IntArray
from tiebreak.numerics.law import Law, Shape
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.ranks import hodges_lehmann

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

DRAWS_PER_TAIL = 20
"""Draws that an interval needs: this over its level."""

MOST_DRAWS = 100_000

MOST_MODELS = 40
"""Models up to which the draws of all pairs are held."""

ENOUGH_DATASETS = 30
"""Datasets from which the chance of a false order was measured to be small: `benchmarks/validity/one_family.py`."""


def _tail(law: Law, at: FloatArray, upper: bool) -> FloatArray:
    """Share of the draws of at least, or at most, `at`; those equal to it but for rounding count."""
    drawn, estimate = law.parts[0], np.asarray(law.estimate)
    n_draws = drawn.shape[-1]
    points = np.broadcast_to(at, np.broadcast_shapes(at.shape, estimate.shape))
    slack = np.broadcast_to(law.tolerance, estimate.shape)
    found = np.zeros(points.shape)
    for pair in np.ndindex(estimate.shape):
        own, where = drawn[pair], (..., *pair)
        if upper:
            found[where] = 1.0 - own.searchsorted(points[where] - slack[pair], "left") / n_draws
        else:
            found[where] = own.searchsorted(points[where] + slack[pair], "right") / n_draws
    return found


def _end(law: Law, p: FloatArray, upper: bool) -> FloatArray:
    """Quantiles of the draws, between two of them where the place is none; nan where there are too few draws for it."""
    drawn = law.parts[0]
    n_draws, last = drawn.shape[-1], drawn.shape[-1] - 1
    place = (1.0 - p if upper else p) * last
    low = np.floor(place).astype(np.int64)
    pairs = np.indices(np.shape(law.estimate), sparse=True)
    one, two = (drawn[(*pairs, np.clip(each, 0, last))] for each in (low, low + 1))
    return np.where(n_draws * 2.0 * p < DRAWS_PER_TAIL * (1 - 1e-9), np.nan, one + (place - low) * (two - one))


def _pvalue(law: Law, side: Alternative) -> FloatArray:
    """The tail at 0, or the smaller one twice; of draws that are all on one side no less than one in their number."""
    below, above = (_tail(law, np.zeros(()), upper) for upper in (False, True))
    found = {"greater": below, "less": above}.get(side, 2.0 * np.minimum(below, above))
    return np.asarray(np.clip(found, 1.0 / law.parts[0].shape[-1], 1.0))


DRAWS = Shape(_tail, _end, _pvalue)
"""Draws in ascending order, of shape (..., n_draws), which are the part; their shares are posterior probabilities."""


def _judge(data: Scores, first: IntArray, second: IntArray, alpha: float, seed: int) -> Judged:
    """Draws of each pair's centre, enough for the intervals of all pairs at once: 9,999 to 100,000."""
    difference, scale = differences_of(data, first, second)
    posterior = signed_rank_posterior(difference, scale=scale, omit_missing=True)
    n_models = len(data.models)
    wanted = ceil(DRAWS_PER_TAIL * n_models * (n_models - 1) / 2 / alpha)
    drawn = np.sort(posterior.centres(min(max(9_999, wanted), MOST_DRAWS), seed), axis=-1)
    tolerance = tolerance_of(scale)
    kind = kinds_of(difference, tolerance)
    law = Law(
        estimate=np.asarray(hodges_lehmann(difference)),
        n_units=np.count_nonzero(~np.isnan(difference), axis=-1),
        kind=np.where(kind == CONSTANT, SPREAD, kind).astype(np.int8),  # the prior lies beside differences that are the same
        tolerance=tolerance,
        shape=DRAWS,
        parts=(drawn,),
        is_posterior=True,
    )
    return Judged(law=law, credible="points")


def _refuse(data: Scores) -> TiebreakError | None:
    """Too many models, as the draws of all pairs are held."""
    if len(data.models) <= MOST_MODELS:
        return refuse_datasets("bayes-signed-rank", data)
    return TooFewModelsError(
        f"bayes-signed-rank holds the draws of all pairs, for up to {MOST_MODELS} models; there are {len(data.models)}. Choose "
        "some with ",
        Setting("models"),
        ", or leave ",
        Setting("method"),
        " out: pairs of any number of models are tested by ranks.",
    )


def _remarks(data: Scores) -> Iterator[Notice]:
    """Few datasets for an order of several models."""
    yield from remarks_on_datasets(data, has_prior="bayes-signed-rank")
    n = len(data.matrices)
    if len(data.models) > 2 and n < ENOUGH_DATASETS:
        yield Notice(
            "credible-pairs",
            f"intervals are credible pair by pair, and {n} datasets are few: in trials with 10, some model was wrongly shown "
            "above another in 10% of tables of 3 equal models and in 16% of 5, with 30 datasets in 4% of 3",
        )


def _beside(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """The omnibus tests, and the test as it was published, of the first pairs of the ranking.

    Its probabilities are those that a region is the most probable one for further datasets, counted over draws: the standard
    error is 0.002 at most.
    """
    yield from omnibus(data, settings)
    models, rope = data.models, float(settings.rope)
    one = 0 if settings.baseline is None else models.index(settings.baseline)
    for other in np.delete(np.arange(len(models)), one)[:MOST_PAIRS].tolist():
        difference, scale = differences_of(data, np.asarray(one), np.asarray(other))
        if np.isnan(difference).all():
            continue
        posterior = signed_rank_posterior(difference, rope=rope, scale=scale, omit_missing=True)
        better, equivalent, worse = map(float, posterior.probabilities(rng=settings.seed))
        by = f" by more than {rope:.3g}" if rope else ""
        inside = f" within {rope:.3g} {equivalent:.3f}," if rope else ""
        text = (
            f"the test as published, of which outcome is the most probable for {quoted([models[one]])} against "
            f"{quoted([models[other]])} on further datasets: better{by} {better:.3f},{inside} worse{by} {worse:.3f}"
        )
        chances = {"better": better, "equivalent": equivalent, "worse": worse}
        yield TestOnly(name="bayes-signed-rank", models=(models[one], models[other]), probabilities=chances, text=text)


BAYES_SIGNED_RANK = Procedure(
    name="bayes-signed-rank",
    question="datasets",
    reason="posterior probabilities of the regions around the rope, from the mean of each dataset alone",
    generalises_to=FURTHER_DATASET,
    assumptions=(
        PAIRED_DATASETS,
        INDEPENDENT_DATASETS,
        "the prior is worth half a dataset without a difference",
        "differences that were not seen do not exist: with few datasets it is too sure",
        "the interval is of the centre of the differences, the median of the means of two datasets",
    ),
    references=(
        "A. Benavoli et al. A Bayesian Wilcoxon signed-rank test based on the Dirichlet process. ICML 2014.",
        "A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017.",
    ),
    traits=frozenset(("pairwise",)),
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second, alpha, seed),
    values=values_of_datasets,
    refuse=_refuse,
    remarks=_remarks,
    beside=_beside,
)
