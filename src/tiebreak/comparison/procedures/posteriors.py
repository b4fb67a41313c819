"""Posteriors over datasets: the hierarchical one, which reads the scores of all splits, and that of the signed ranks."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil

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
from tiebreak.comparison.procedures.procedure import Judged, Procedure, TestOnly, pairs_of_reference, refusal
from tiebreak.comparison.settings import Settings
from tiebreak.errors import Setting, TiebreakError, UnclearSourceError
from tiebreak.numerics import (
    CONSTANT,
    DRAWS_BEYOND,
    IDENTICAL,
    RELATIVE_TOLERANCE,
    SPREAD,
    TABULATED,
    UNDEFINED,
    FloatArray,
    IntArray,
    Law,
)
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.posterior.hierarchical import N_POINTS, hierarchical_posterior
from tiebreak.statistics.posterior.signed_rank import signed_rank_centre, signed_rank_posterior

MOST_DRAWS = 100_000

MOST_MODELS = 40
"""Models up to which the draws of all pairs are held."""


# --- hierarchical -----------------------------------------------------------------------------------------------------------


def _refuse(data: Scores) -> TiebreakError | None:
    """A dataset with one split, or of unknown sizes."""
    few = [matrix.dataset for matrix in data.matrices if matrix.n_splits < 2]
    refused = refuse_datasets("hierarchical", data) or refusal(
        (
            bool(few),
            (
                f"the hierarchical method reads how scores vary from split to split, and {quoted(few)} "
                f"{'has' if len(few) == 1 else 'have'} one split only. Use the method 'wilcoxon', which takes one score for "
                "each dataset."
            ),
        )
    )
    if refused is not None or all(matrix.has_ratio for matrix in data.matrices):
        return refused
    return UnclearSourceError(
        "the hierarchical method allows for training data that splits share, so it needs their sizes. Pass ",
        Setting("n_train"),
        " and ",
        Setting("n_test"),
        " (examples per split), or add columns of these names.",
    )


def _judge(data: Scores, first: IntArray, second: IntArray, rope: float) -> Judged:
    """The posterior of each pair; its table is nan where there is none."""
    shape = np.shape(first)
    posteriors, datasets = (np.empty(shape, dtype=object) for _ in range(2))
    n_units, means, tables = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan), np.full((*shape, 2, N_POINTS), np.nan)
    for at in np.ndindex(shape):
        datasets[at], rows, ratios = _differences(data, int(first[at]), int(second[at]))
        n_units[at] = len(rows)
        if len(rows) > 1 and any(np.ptp(row) > 0 for row in rows):
            posterior = hierarchical_posterior(rows, test_train_ratio=ratios, rope=rope)
            posteriors[at], means[at], tables[at] = posterior, posterior.law.estimate, posterior.law.parts
    difference, scale = differences_of(data, first, second)
    tolerance = RELATIVE_TOLERANCE * scale
    # without spread on any dataset there is no posterior: only the dataset means say whether the scores are the same
    flat = np.where(kinds_of(difference, tolerance) == IDENTICAL, IDENTICAL, CONSTANT)
    kind = np.where(~np.isnan(means), SPREAD, np.where(n_units > 1, flat, UNDEFINED)).astype(np.int8)
    law = Law(
        estimate=np.where(kind == IDENTICAL, 0.0, means),
        n_units=n_units,
        kind=kind,
        tolerance=tolerance,
        shape=TABULATED,
        parts=(tables[..., 0, :], tables[..., 1, :]),
        is_posterior=True,
    )
    return Judged(law=law, credible="curve", beside={"posteriors": posteriors, "datasets": datasets})


def _differences(data: Scores, first: int, second: int) -> tuple[tuple[str, ...], list[FloatArray], list[float]]:
    """Differences on the splits that two models share, of each dataset where these are two or more; and their size ratios."""
    names, rows, ratios = [], [], []
    for matrix in data.matrices:
        difference = data.metric_of(matrix).sign * (matrix.score[first] - matrix.score[second])
        shared = ~np.isnan(difference)
        if np.count_nonzero(shared) >= 2:
            names.append(matrix.dataset)
            rows.append(np.asarray(difference[shared]))
            ratios.append(float(matrix.ratio[shared].mean()))
    return tuple(names), rows, ratios


def _beside(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """The omnibus tests, and what a further dataset's difference is likely to be, of the first pairs of the ranking."""
    yield from omnibus(data, settings)
    first, second = (rows[:MOST_PAIRS] for rows in pairs_of_reference(data.models, settings))
    rope, alpha = float(settings.rope), settings.alpha
    for one, other, posterior in zip(first, second, _judge(data, first, second, rope).beside["posteriors"].tolist(), strict=True):
        if posterior is None:
            continue
        pair, law = (data.models[one], data.models[other]), posterior.next_dataset()
        chances = law.probabilities(rope)
        low, high = map(float, law.interval_at(alpha))
        names = (f"better by more than {rope:.3g}", f"within {rope:.3g}", f"worse by more than {rope:.3g}")
        words = names if rope else ("better", "", "worse")
        shown = [f"{word} ({float(p):.3f})" for word, p in zip(words, chances, strict=True) if word]
        yield TestOnly(
            name="next-dataset",
            models=pair,
            probabilities={name: float(p) for name, p in zip(("better", "equivalent", "worse"), chances, strict=True)},
            text=f"the next dataset: the difference of {quoted(pair)} (positive favours {quoted(pair[:1])}) lies between "
            f"{low:.3g} and {high:.3g} with probability {1.0 - alpha:.3g}; {quoted(pair[:1])} is {', '.join(shown)}",
        )


HIERARCHICAL = Procedure(
    name="hierarchical",
    question="datasets",
    reason="it reads all scores of all datasets, and answers with few datasets too",
    generalises_to=FURTHER_DATASET,
    assumptions=(
        PAIRED_ON_DATASETS,
        INDEPENDENT_DATASETS,
        "differences of datasets follow a Student distribution, whose centre the interval is of",
        "splits of a dataset overlap as random ones do",
    ),
    references=(
        "G. Corani et al. Statistical comparison of classifiers through Bayesian hierarchical modelling. Mach. Learn. 106, 2017.",
    ),
    traits=frozenset(("pairwise",)),
    judge=lambda data, first, second, rope, alpha, seed: _judge(data, first, second, rope),
    values=values_of_datasets,
    refuse=_refuse,
    remarks=remarks_on_datasets,
    beside=_beside,
)


# --- signed ranks ------------------------------------------------------------------------------------------------------------


def _judge_centres(data: Scores, first: IntArray, second: IntArray, alpha: float, seed: int) -> Judged:
    """Draws of each pair's centre, enough for the intervals of all pairs at once: 9,999 to 100,000."""
    difference, scale = differences_of(data, first, second)
    n_models = len(data.models)
    n_draws = min(max(9_999, ceil(2 * DRAWS_BEYOND * n_models * (n_models - 1) / 2 / alpha)), MOST_DRAWS)
    law = signed_rank_centre(difference, scale=scale, omit_missing=True, n_draws=n_draws, rng=seed)
    kind = kinds_of(difference, RELATIVE_TOLERANCE * scale)
    # the prior lies beside differences that are the same
    law = replace(law, kind=np.where(kind == CONSTANT, SPREAD, kind).astype(np.int8), is_posterior=True)
    return Judged(law=law, credible="points")


def _as_published(data: Scores, settings: Settings) -> Iterator[TestOnly]:
    """The omnibus tests, and the test as it was published, of the first pairs of the ranking.

    Its probabilities are those that a region is the most probable one for further datasets, counted over draws: the standard
    error is 0.002 at most.
    """
    yield from omnibus(data, settings)
    models, rope = data.models, float(settings.rope)
    for one, other in list(zip(*pairs_of_reference(models, settings), strict=True))[:MOST_PAIRS]:
        difference, scale = differences_of(data, one, other)
        if np.isnan(difference).all():
            continue
        posterior = signed_rank_posterior(difference, rope=rope, scale=scale, omit_missing=True, rng=settings.rng)
        better, equivalent, worse = map(float, posterior.probabilities)
        by = f" by more than {rope:.3g}" if rope else ""
        inside = f" within {rope:.3g} {equivalent:.3f}," if rope else ""
        yield TestOnly(
            name="bayes-signed-rank",
            models=(models[one], models[other]),
            probabilities={"better": better, "equivalent": equivalent, "worse": worse},
            text=f"the test as published, of which outcome is the most probable for {quoted([models[one]])} against "
            f"{quoted([models[other]])} on further datasets: better{by} {better:.3f},{inside} worse{by} {worse:.3f}",
        )


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
    judge=lambda data, first, second, rope, alpha, seed: _judge_centres(data, first, second, alpha, seed),
    values=values_of_datasets,
    refuse=lambda data: (
        refusal(
            (
                len(data.models) > MOST_MODELS,
                f"bayes-signed-rank holds the draws of all pairs, for up to {MOST_MODELS} models; there are {len(data.models)}",
                ". Choose some with ",
                Setting("models"),
                ", or leave ",
                Setting("method"),
                " out: pairs of any number of models are tested by ranks.",
            )
        )
        or refuse_datasets("bayes-signed-rank", data)
    ),
    remarks=remarks_on_datasets,
    beside=_as_published,
)
