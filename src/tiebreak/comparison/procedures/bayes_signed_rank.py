"""Bayesian signed-rank test over datasets: the posterior of the centre of the differences, in draws of their distribution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.procedures.datasets import (
    FURTHER_DATASET,
    INDEPENDENT_DATASETS,
    MOST_PAIRS,
    PAIRED_ON_DATASETS,
    differences_of,
    kinds_of,
    omnibus,
    refuse_datasets,
    remarks_on_datasets,
    values_of_datasets,
)
from tiebreak.comparison.procedures.procedure import Judged, Procedure, TestOnly, tolerance_of
from tiebreak.errors import DataError, Setting, TiebreakError
from tiebreak.numerics import CONSTANT, SPREAD, IntArray
from tiebreak.numerics.law import DRAWS_BEYOND
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice, quoted
from tiebreak.statistics.posterior.signed_rank import signed_rank_centre, signed_rank_posterior

if TYPE_CHECKING:
    from tiebreak.comparison.settings import Settings

MOST_DRAWS = 100_000

MOST_MODELS = 40
"""Models up to which the draws of all pairs are held."""

ENOUGH_DATASETS = 30
"""Datasets from which the chance of a false order was measured to be small: `benchmarks/validity/one_family.py`."""


def _judge(data: Scores, first: IntArray, second: IntArray, alpha: float, seed: int) -> Judged:
    """Draws of each pair's centre, enough for the intervals of all pairs at once: 9,999 to 100,000."""
    difference, scale = differences_of(data, first, second)
    n_models = len(data.models)
    n_draws = ceil(2 * DRAWS_BEYOND * n_models * (n_models - 1) / 2 / alpha)
    n_draws = min(max(9_999, n_draws), MOST_DRAWS)
    law = signed_rank_centre(difference, scale=scale, omit_missing=True, n_draws=n_draws, rng=seed)
    kind = kinds_of(difference, tolerance_of(scale))
    # the prior lies beside differences that are the same
    law = replace(law, kind=np.where(kind == CONSTANT, SPREAD, kind).astype(np.int8), is_posterior=True)
    return Judged(law=law, credible="points")


def _refuse(data: Scores) -> TiebreakError | None:
    """Too many models, as the draws of all pairs are held."""
    if len(data.models) <= MOST_MODELS:
        return refuse_datasets("bayes-signed-rank", data)
    return DataError(
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
            "few-units",
            f"intervals are credible pair by pair, and {n} datasets are few for an order of {len(data.models)} models, of which "
            "one may be shown above another wrongly",
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
        posterior = signed_rank_posterior(difference, rope=rope, scale=scale, omit_missing=True, rng=settings.rng)
        better, equivalent, worse = map(float, posterior.probabilities)
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
        PAIRED_ON_DATASETS,
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
