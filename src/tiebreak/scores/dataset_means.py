"""Scores of several datasets with the mean over each dataset's splits as the unit."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from tiebreak.numerics import FloatArray
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Notice, quoted


@lru_cache(maxsize=2)
def dataset_means(scores: Scores) -> Scores:
    """Models by datasets as one table, each cell the mean of a model over the splits of one dataset; nan where it has none.

    Means of mixed metrics are turned so that higher is better, each in its own unit. Where models of a dataset lack some splits,
    the mean is over the splits that all of them have, so that it compares like with like; a model that lacks all of these has no
    mean.
    """
    models, datasets = scores.models, scores.datasets
    row_of = {name: row for row, name in enumerate(models)}
    means = np.full((len(models), len(datasets)), np.nan)
    for column, (matrix, sign) in enumerate(zip(scores.matrices, _signs(scores), strict=True)):
        means[[row_of[name] for name in matrix.models], column] = sign * _means(matrix)
    nothing = np.zeros(len(datasets), dtype=np.int64)
    table = ScoreMatrix("", models, nothing, np.arange(len(datasets)), nothing, nothing, means, datasets)
    return Scores(scores.metric, (table,), SplitDesign(), (*scores.notices, *_notices(scores, means)))


def _signs(scores: Scores) -> FloatArray:
    """Sign that turns each dataset of mixed metrics so that higher is better; 1 where all are of one metric."""
    signs = [scores.metric_of(matrix).sign for matrix in scores.matrices] if scores.is_mixed else [1] * len(scores.matrices)
    return np.array(signs, dtype=float)


def _means(matrix: ScoreMatrix) -> FloatArray:
    present = ~np.isnan(matrix.score)
    has_any = present.any(axis=1)
    shared = present[has_any].all(axis=0)
    if not shared.any():
        return np.full(has_any.size, np.nan)
    return np.asarray(matrix.score[:, shared].mean(axis=1))


def _notices(scores: Scores, means: FloatArray) -> Iterator[Notice]:
    """Remarks on datasets that look like one, on splits that not all models have, and on the numbers of splits."""
    alike: dict[str, list[str]] = {}
    for name in scores.datasets:
        alike.setdefault("".join(name.split()).casefold(), []).append(name)
    doubled = next((names for names in alike.values() if len(names) > 1), None)
    if doubled is not None:
        yield Notice("copied-units", f"the datasets {quoted(doubled)} differ by case or blanks only: are they one?")
    is_empty = np.asarray(np.isnan(means).all(axis=0)).tolist()
    uneven = [m.dataset for m, is_void in zip(scores.matrices, is_empty, strict=True) if _lacks_splits(m) and not is_void]
    if uneven:
        yield Notice(
            "missing-splits",
            f"on {quoted(uneven)} not every model has every split; the means are over the splits that all models there have",
        )
    empty = [matrix.dataset for matrix, is_void in zip(scores.matrices, is_empty, strict=True) if is_void]
    if empty:
        yield Notice("missing-splits", f"{quoted(empty)} tells nothing, as no split there has a score of each of its models")


def _lacks_splits(matrix: ScoreMatrix) -> bool:
    present = ~np.isnan(matrix.score)
    return not bool(present[present.any(axis=1)].all())
