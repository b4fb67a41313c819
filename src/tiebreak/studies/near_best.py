"""The cheapest candidate of a search that is shown to be near the best: what a search of scikit-learn refits."""

import numbers
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiebreak.comparison.comparison import compare_scores
from tiebreak.comparison.ranking import NEAR_BEST, STANDINGS
from tiebreak.comparison.settings import Settings
from tiebreak.errors import DataError, InvalidParameterError, TiebreakError, TiebreakWarning
from tiebreak.numerics import FloatArray, IntArray, refuse_unless
from tiebreak.plan.splits import K_FOLD
from tiebreak.readers.sklearn import scores_of_candidates
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores
from tiebreak.scores.vocabulary import quoted

FIT_TIME = "mean_fit_time"

MOST_ASSUMED = 10
"""Splits up to which a search that says nothing of its splits is taken for one of k-fold."""

_NOMINAL = 10**9
"""Training examples of a split, where only their ratio to test examples is known."""

Cost = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class NearBest:
    """Choice among the candidates of a search, made by `near_best`; called with ``cv_results_`` it returns an index."""

    rope: float | str
    prefer: str | Cost
    metric: str | None
    cv: Any
    test_fraction: float | None
    alpha: float

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Index of the candidate that is chosen."""
        score = scores_of_candidates(cv_results, self.metric)
        complete = np.flatnonzero(~np.isnan(score).any(axis=1))
        if complete.size == 0:
            raise DataError("no candidate of the search has a score on every split, so none can be chosen.")
        first = int(complete[np.argmax(score[complete].mean(axis=1))])
        try:
            near = complete[self._is_near(score[complete])]
            if near.size == 0:
                raise TiebreakError(
                    f"no candidate is shown to be within the rope of {self.rope} of the best; repeats or a wider rope may help"
                )
            costs = self._costs(near, cv_results, score.shape[1])
            try:  # of equally cheap ones the one with the best mean, then the first
                return int(min(zip(costs, -score[near].mean(axis=1), near.tolist(), strict=True))[-1])
            except TypeError as error:
                raise TiebreakError(f"the costs of candidates cannot be put in order: {error}") from error
        except TiebreakError as error:  # raised, it would lose all that was fitted
            warnings.warn(
                f"near_best takes the candidate with the best mean, number {first}: {str(error).rstrip('.')}.",
                TiebreakWarning,
                stacklevel=2,
            )
            return first

    def _is_near(self, score: FloatArray) -> Any:
        """True for candidates whose standing is "best" or "near best"; those with the same scores everywhere stand together."""
        distinct, which = np.unique(score, axis=0, return_inverse=True)
        if len(distinct) == 1:
            return np.ones(len(score), dtype=bool)
        n_splits = score.shape[1]
        zeros, n_train = np.zeros(n_splits, dtype=np.int64), np.full(n_splits, _NOMINAL)
        n_test = np.full(n_splits, max(1, round(_NOMINAL * self._ratio(n_splits))))
        names = tuple(map(str, range(len(distinct))))
        matrix = ScoreMatrix("", names, zeros, np.arange(n_splits), n_train, n_test, distinct)
        answer = compare_scores(
            Scores(Metric("score", higher_is_better=True), (matrix,)), Settings(rope=self.rope, alpha=self.alpha, family="best")
        )
        is_near = np.isin(answer.ranking["standing"], STANDINGS[NEAR_BEST:])
        near = {int(name) for name, is_one in zip(answer.models, is_near, strict=True) if is_one}
        return np.isin(which.ravel(), list(near))

    def _ratio(self, n_splits: int) -> float:
        """n_test / n_train of the splits."""
        if self.test_fraction is not None:
            return self.test_fraction / (1.0 - self.test_fraction)
        if self.cv is not None:
            return _ratio_of(self.cv, n_splits)
        if n_splits > MOST_ASSUMED:
            raise TiebreakError(
                f"a search does not say how its {n_splits} splits were made. Give near_best its cv=, or test_fraction="
            )
        warnings.warn(
            f"near_best takes the {n_splits} splits for those of {n_splits}-fold cross-validation. Give it the cv= of the "
            "search, or test_fraction=, so that it knows.",
            TiebreakWarning,
            stacklevel=4,
        )
        return 1.0 / (n_splits - 1)

    def _costs(self, near: IntArray, cv_results: Mapping[str, Any], n_splits: int) -> list[Any]:
        """Something to sort each of the candidates by, the cheapest first."""
        params = [cv_results["params"][index] for index in near.tolist()]
        if not isinstance(self.prefer, str):
            try:
                return [self.prefer(each) for each in params]
            except Exception as error:
                raise TiebreakError(f"prefer= failed on a candidate: {type(error).__name__}: {error}") from error
        if self.prefer == FIT_TIME:  # what differs by noise is a tie
            if FIT_TIME not in cv_results:
                raise TiebreakError("cv_results_ holds no mean_fit_time. Pass prefer= a parameter or a function")
            time, spread = (np.asarray(cv_results[name], dtype=float)[near] for name in (FIT_TIME, "std_fit_time"))
            quickest = int(np.argmin(time))
            return list(time - time[quickest] > 2.0 * np.hypot(spread, spread[quickest]) / np.sqrt(n_splits))
        name, sign = self.prefer.removeprefix("-"), -1.0 if self.prefer.startswith("-") else 1.0
        known = sorted({each for candidate in cv_results["params"] for each in candidate})
        if name not in known:
            raise TiebreakError(f"prefer={self.prefer!r} is no parameter of the search, which has {quoted(known)}")
        values = [each.get(name) for each in params]
        if strange := [value for value in values if value is not None and not isinstance(value, numbers.Real)]:
            raise TiebreakError(
                f"parameter {name!r} is {strange[0]!r} for some candidate, which is no number. Pass prefer= a function"
            )
        return [sign * (np.inf if value is None else float(value)) for value in values]  # None is no limit


def near_best(
    rope: float | str,
    *,
    prefer: str | Cost = FIT_TIME,
    metric: str | None = None,
    cv: Any = None,
    test_fraction: float | None = None,
    alpha: float = 0.05,
) -> NearBest:
    """Make a `refit` for a search: the cheapest candidate that is shown to be near the best.

    ``GridSearchCV(..., refit=tb.near_best(0.01, prefer="max_depth", cv=5))`` refits the cheapest candidate whose standing is
    "best" or "near best", as in the ranking of `tiebreak.compare`: with 1 - alpha confidence it falls short of the best
    candidate by at most the rope. If there is none, the candidate with the best mean is taken, with a warning.

    A search calls it when all is fitted, and would lose everything in an error. So what only shows then (a name that is no
    parameter, splits of another kind than `cv`) is a warning too, and the best mean is taken; calling
    ``near_best(...)(search.cv_results_)`` tries again without fitting.

    Parameters
    ----------
    rope : float or str
        Largest loss of score that does not matter to you, in the metric's unit, or a percentage of the best mean ("1%"); above 0.
    prefer : str or callable, default "mean_fit_time"
        Cost of a candidate. A name of a parameter, pipeline steps in front (``"clf__max_depth"``): small is cheap, None counts as
        no limit; ``"-alpha"``: large is cheap. A function of the dict of parameters that returns something to be sorted; a lambda
        cannot be pickled. By fit time, those within two standard errors of the quickest tie. Of candidates that tie the
        best mean is taken.
    metric : str, optional
        Which metric, where the search has several.
    cv : int or k-fold splitter, optional
        As given to the search, to know the share of test examples, which a search does not tell. Without it up to 10 splits are
        taken for those of k-fold, with a warning; with more the best mean is taken.
    test_fraction : float, optional
        n_test / (n_train + n_test) of each split, instead of `cv`, for splits that are not k-fold.
    alpha : float, default 0.05
        Error rate over all candidates.

    Returns
    -------
    NearBest
        To be called with ``cv_results_``; it can be cloned, copied and pickled.

    Raises
    ------
    InvalidParameterError
        A rope that is not above 0, an alpha or test_fraction outside (0, 1), cv and test_fraction both, a cv whose share of test
        examples cannot be known without the data, or a `prefer` that is neither a name nor a function.

    Notes
    -----
    Candidates that have the same score on every split are as good as one, and the cheapest of them stands for all.

    Examples
    --------
    >>> import tiebreak as tb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> refit = tb.near_best(0.05, prefer="max_depth", cv=10)
    >>> search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 4, 5]}, cv=10, refit=refit)
    >>> search.fit(X, y).best_params_
    {'max_depth': 3}
    """
    if Settings(rope=rope, alpha=alpha, family="best").rope in (0.0, "0%"):
        raise InvalidParameterError(f"near_best needs a rope above 0, the largest loss that does not matter; got {rope!r}.")
    refuse_unless(
        isinstance(prefer, str) or callable(prefer),
        "prefer",
        "be the name of a parameter, or a function of the parameters",
        prefer,
    )
    if cv is not None and test_fraction is not None:
        raise InvalidParameterError("both cv= and test_fraction= were given. Give one: each says how large the test sets are.")
    is_share = test_fraction is None or (isinstance(test_fraction, numbers.Real) and 0 < test_fraction < 1)
    refuse_unless(is_share, "test_fraction", "be between 0 and 1, a share of all examples", test_fraction)
    if cv is not None:
        _ratio_of(cv, None)
    return NearBest(rope, prefer, metric, cv, test_fraction, alpha)


def _ratio_of(cv: Any, n_splits: int | None) -> float:
    """n_test / n_train of k-fold cross-validation; without the number of splits only checked, as far as that goes."""
    is_number = isinstance(cv, numbers.Integral) and not isinstance(cv, bool)
    if not is_number and type(cv).__name__ not in K_FOLD:
        raise InvalidParameterError(
            f"the sizes of the test sets of cv={cv!r:.60} are not known without the data. Pass test_fraction= instead, the share "
            "of the examples that each test set holds."
        )
    n_made = int(cv) if is_number else cv.get_n_splits()
    n_folds = n_made // getattr(cv, "n_repeats", 1)
    refuse_unless(n_folds >= 2, "cv", "be at least 2 folds", cv)
    if n_splits not in (None, n_made):
        raise TiebreakError(f"the search has {n_splits} splits, and the cv= given to near_best has {n_made}")
    return 1.0 / (n_folds - 1)
