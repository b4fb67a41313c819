"""Candidates of a grid as models with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiebreak.errors import InvalidPlanError
from tiebreak.plan.candidates import name_candidates
from tiebreak.scores.names import look_up


def grid(estimator: Any, parameters: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]) -> dict[str, Any]:
    """Models for all combinations of parameters, named by what varies.

    Parameters
    ----------
    estimator : estimator or pipeline
        Is copied for each candidate, never changed.
    parameters : dict of lists, or list of such dicts
        As for scikit-learn's `GridSearchCV`.

    Returns
    -------
    dict of str to estimator
        Names as in the candidates of a search: a single varying text parameter by its value first ("rbf"), then
        ``name=value`` ("poly, degree=2"); prefixes of pipelines are dropped where names stay clear.

    Raises
    ------
    InvalidPlanError
        The estimator has no parameters, or the grid is empty or doubles a candidate.
    UnknownNameError
        A parameter that the estimator does not have, with the nearest names.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> list(grid(SVC(), [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}]))
    ['linear', 'poly, degree=2', 'poly, degree=3']
    """
    from sklearn.model_selection import ParameterGrid

    _check_estimator(estimator)
    try:
        combinations = list(ParameterGrid(parameters))
    except (TypeError, ValueError) as error:
        raise InvalidPlanError(
            f"the grid cannot be used: {error} Pass {{parameter: [values]}}, or a list of such dicts."
        ) from None
    return with_parameters(estimator, combinations)


def with_parameters(estimator: Any, combinations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Models for given combinations of parameters; names and errors are those of `grid`."""
    from sklearn.base import clone

    _check_estimator(estimator)
    known = list(estimator.get_params(deep=True))
    for each in combinations:
        for name in each:
            if not any(name.startswith(f"{part}__") for part in each):  # of a part that the grid itself sets
                look_up(name, known, f"parameter of {type(estimator).__name__}")
    names, notices = name_candidates(combinations)
    if notices:
        raise InvalidPlanError(f"the grid holds the same candidate more than once: {notices[0].text}. Leave the copies out.")
    return {name: _with(clone(estimator), each) for name, each in zip(names, combinations, strict=True)}


def _check_estimator(estimator: Any) -> None:
    if isinstance(estimator, type) or not hasattr(estimator, "set_params"):
        kind = f"the class {estimator.__name__}" if isinstance(estimator, type) else f"of type {type(estimator).__name__}"
        raise InvalidPlanError(f"grid needs an estimator with set_params, such as SVC(); got one {kind}.")


def _with(estimator: Any, parameters: Mapping[str, Any]) -> Any:
    """The estimator with these parameters, in an order in which a part is set before its own parameters."""
    from sklearn.base import clone

    try:
        return estimator.set_params(
            **{name: clone(value, safe=False) for name, value in sorted(parameters.items(), key=lambda item: item[0].count("__"))}
        )
    except ValueError as error:
        raise InvalidPlanError(f"the grid does not fit {type(estimator).__name__}: {error}") from None
