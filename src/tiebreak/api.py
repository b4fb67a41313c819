"""The public functions: turn any source into scores and ask the room that answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tiebreak.comparison.choose import Method
from tiebreak.comparison.choose import methods as _methods
from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.settings import MethodName, Settings
from tiebreak.frequentist.adjustment import Correction
from tiebreak.numerics import Alternative, Missing
from tiebreak.readers import read_scores as _read
from tiebreak.scores.scores import Scores


def read_scores(
    *sources: Any,
    metric: str | None = None,
    models: Sequence[str] | None = None,
    dataset: str | None = None,
    lower_is_better: bool | None = None,
    X: Any = None,
    y: Any = None,
    groups: Any = None,
    n_samples: int | None = None,
    n_train: int | None = None,
    n_test: int | None = None,
) -> Scores:
    """Read scores from anything that `compare` accepts; the parameters are those of `compare`."""
    return _read(
        *(source.scores if isinstance(source, Comparison) else source for source in sources),
        metric=metric,
        models=models,
        dataset=dataset,
        lower_is_better=lower_is_better,
        X=X,
        y=y,
        groups=groups,
        n_samples=n_samples,
        n_train=n_train,
        n_test=n_test,
    )


def compare(
    *sources: Any,
    metric: str | None = None,
    models: Sequence[str] | None = None,
    dataset: str | None = None,
    rope: float | str = 0.0,
    alpha: float = 0.05,
    probability: float = 0.95,
    baseline: str | None = None,
    correction: Correction = "holm",
    alternative: Alternative = "two-sided",
    order: Sequence[str] | None = None,
    method: MethodName = "auto",
    missing: Missing = "raise",
    lower_is_better: bool | None = None,
    X: Any = None,
    y: Any = None,
    groups: Any = None,
    n_samples: int | None = None,
    n_train: int | None = None,
    n_test: int | None = None,
    rng: int | np.random.Generator = 0,
) -> Comparison:
    """Say which models are better, which are practically equivalent, and which cannot be told apart yet.

    Parameters
    ----------
    *sources
        What was measured: a fitted `GridSearchCV` or `RandomizedSearchCV`, a `cv_results_` dict,
        ``{name: cross_validate(...)}``, ``{name: array of scores, one per split}``, a long or wide frame (pandas, polars,
        pyarrow, anything narwhals reads), a path to CSV, JSON or Parquet, `Scores`, or another `Comparison`. Several are
        joined on the split key.
    metric : str, optional
        Selects where a source holds several metrics, names it where a source holds none. A scikit-learn scorer name knows
        its direction; any other needs `lower_is_better`.
    models : sequence of str, optional
        Compare only these.
    dataset : str, optional
        Which dataset, where a table holds several.
    rope : float or str, default 0
        Largest difference that does not matter to you, in the metric's unit, or a percentage of the best mean ("1%").
    alpha : float, default 0.05
        Accepted rate of wrong claims over the family, and 1 - coverage of intervals.
    probability : float, default 0.95
        Posterior probability that a region must hold for a Bayesian verdict.
    baseline : str, optional
        Judge every other model against this one only, instead of all pairs.
    correction : {"holm", "bonferroni", "sidak", "hochberg", "hommel", "bh", "by", "none"}
        Adjustment of p-values over the family.
    alternative : {"two-sided", "greater", "less"}
        Direction of `pvalue` and `adjusted_pvalue`; "greater" and "less" need `order` or `baseline`. Intervals, posteriors
        and verdicts do not depend on it.
    order : sequence of str, optional
        Order of rows and orientation of pairs, chosen before looking at the scores. The ranking is by mean all the same.
    method : {"auto", "corrected-t", "paired-t"}
        "auto" picks what fits how the splits were made.
    missing : {"raise", "pairwise"}
        Whether a missing or undefined score is an error, or leaves its split out of the pairs it is in.
    lower_is_better : bool, optional
        Direction of a metric that scikit-learn does not know.
    X, y, groups : array_like, optional
        For a search: the data as given to ``fit``, to know the sizes of its splits.
    n_samples : int, optional
        For a search: the number of examples, if the data are not at hand; sizes are then approximate.
    n_train, n_test : int, optional
        Training and test examples of each split, where the source does not hold them.
    rng : int or Generator, default 0
        Seed, or where to draw one from, of the draws behind `p_best` with three models or more.

    Returns
    -------
    Comparison
        Print it for the answer; `.ranking`, `.pairs`, `.pair(a, b)`, `.shortlist()`, `.plot`, `.to_json()` for the rest.

    Raises
    ------
    TiebreakError
        The source or a setting cannot be used; the text says why and how to go on.

    Examples
    --------
    >>> import tiebreak as tb
    >>> scores = {"a": [0.81, 0.84, 0.79, 0.86, 0.83], "b": [0.72, 0.74, 0.71, 0.77, 0.72]}
    >>> answer = tb.compare(scores, metric="accuracy", rope=0.01, n_train=160, n_test=40)
    >>> answer.pair("a", "b").verdict
    'better'
    """
    settings = Settings(
        rope=rope,
        alpha=alpha,
        probability=probability,
        baseline=baseline,
        correction=correction,
        alternative=alternative,
        order=order if order is None or isinstance(order, str) else tuple(order),  # type: ignore[arg-type]
        method=method,
        missing=missing,
        rng=int(rng.integers(2**32)) if isinstance(rng, np.random.Generator) else rng,
    )
    scores = read_scores(
        *sources,
        metric=metric,
        models=models,
        dataset=dataset,
        lower_is_better=lower_is_better,
        X=X,
        y=y,
        groups=groups,
        n_samples=n_samples,
        n_train=n_train,
        n_test=n_test,
    )
    return compare_scores(scores, settings)


def methods() -> dict[str, Method]:
    """Procedures that `compare` can use, by name: what each takes for granted and where it comes from."""
    return _methods()
