"""Among which candidates one is to be chosen, and by what: searches, grids and dicts of models, by name."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiebreak.errors import InvalidPlanError, UnknownNameError
from tiebreak.plan.grid import grid, with_parameters
from tiebreak.plan.models import is_function, name_models
from tiebreak.plan.seeds import derive_seed
from tiebreak.scores.names import quoted

SEARCH_FOLDS = 5
"""What scikit-learn's searches mean by ``cv=None``."""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Candidates of which one is chosen on each training set.

    Attributes
    ----------
    name : str
    candidates : mapping of str to model
        In the order in which ties are broken: the first one wins.
    is_model : bool
        Whether it is a single model that was given as it is, so that its candidate needs no name of its own.
    inner : None, int, str, dict or splitter
        The search's own splits; None where it has none.
    scoring : str, callable, dict of one, or None
        The metric that the search chooses by; None where it names none.
    """

    name: str
    candidates: Mapping[str, Any]
    is_model: bool = False
    inner: Any = None
    scoring: Any = None


def read_selections(models: Any, rng: int | None) -> tuple[Selection, ...]:
    """What `tiebreak.nested_cross_validate` is given, as selections by name.

    Parameters
    ----------
    models : search, dict or list
        A search of scikit-learn; candidates by name, such as the result of `grid`, or as a list; or a dict with at least one
        search or dict of candidates in it, each entry of which is a selection of its own.
    rng : int or None
        Seeds the candidates of a random search that has no seed of its own.

    Raises
    ------
    InvalidPlanError
        Something that cannot be chosen from, or a search whose candidates are not known before it runs.
    UnknownNameError
        A parameter that the model does not have, with the nearest names.
    """
    if is_search(models):
        return (_of_search(_class_name(models.estimator), models, rng),)
    if isinstance(models, Mapping) and any(is_search(each) or isinstance(each, Mapping) for each in models.values()):
        return tuple(_entry(name, each, rng) for name, each in models.items())
    if isinstance(models, list | tuple) and any(is_search(each) or isinstance(each, Mapping) for each in models):
        raise InvalidPlanError("several searches or grids need names. Pass them as a dict: {name: search}.")
    candidates = name_models(models)
    return (Selection(_shared_name(candidates), candidates, is_model=not isinstance(models, Mapping | list | tuple)),)


def is_search(model: Any) -> bool:
    """Whether a model is a search of scikit-learn, or one that is made like them."""
    return any(base.__name__ == "BaseSearchCV" for base in type(model).__mro__)


def all_models(selections: Sequence[Selection]) -> tuple[dict[str, Any], tuple[range, ...]]:
    """The candidates of all selections under names of their own, and where those of each stand."""
    named: list[tuple[str, Any]] = []
    places = []
    for each in selections:
        start = len(named)
        alone = len(selections) == 1
        for name, model in each.candidates.items():
            named.append((name if alone else each.name if each.is_model else f"{each.name}, {name}", model))
        places.append(range(start, len(named)))
    names = [name for name, _ in named]
    doubled = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if doubled:
        raise InvalidPlanError(f"more than one candidate is called {quoted(doubled)}. Give the searches other names.")
    return dict(named), tuple(places)


def _entry(name: Any, given: Any, rng: int | None) -> Selection:
    if not isinstance(name, str):
        raise InvalidPlanError(f"models has the key {name!r} of type {type(name).__name__}; names must be text.")
    if is_search(given):
        return _of_search(name, given, rng)
    if isinstance(given, Mapping):
        inside = [key for key, each in given.items() if is_search(each)]
        if inside:
            raise InvalidPlanError(
                f"{name!r} holds the search {inside[0]!r} among its candidates. Pass its candidates (tb.grid makes "
                "them), or the search beside it, with a name of its own."
            )
        return Selection(name, name_models(given))
    return Selection(name, name_models({name: given}), is_model=True)


# --- searches ---------------------------------------------------------------------------------------------------------------


def _of_search(name: str, search: Any, rng: int | None) -> Selection:
    """The candidates of a search, which are the same on every training set."""
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

    if isinstance(search, GridSearchCV):
        candidates = grid(search.estimator, search.param_grid)
    elif isinstance(search, RandomizedSearchCV):
        candidates = _drawn(name, search, rng)
    else:
        raise InvalidPlanError(
            f"{type(search).__name__} decides which candidates it measures as it goes along, so there are no inner results to "
            "keep. Use GridSearchCV, RandomizedSearchCV or tb.grid; or pass the search to tb.evaluate as a model, which fits it "
            "on the training rows of each split only, and so gives its nested score without the inner results."
        )
    inner = SEARCH_FOLDS if search.cv is None else search.cv
    return Selection(name, candidates, inner=inner, scoring=_scoring(name, search))


def _drawn(name: str, search: Any, rng: int | None) -> dict[str, Any]:
    """The candidates that a random search draws; those drawn twice stand once."""
    from sklearn.model_selection import ParameterSampler

    seed = copy.deepcopy(search.random_state)  # a generator of the caller's must not move on
    if seed is None:
        seed = derive_seed(0 if rng is None else rng, "candidates", name)
    try:
        drawn = list(ParameterSampler(search.param_distributions, search.n_iter, random_state=seed))
    except (TypeError, ValueError) as error:
        raise InvalidPlanError(f"the distributions of {name!r} cannot be drawn from: {error}") from None
    seen = {repr(sorted(each.items())): each for each in reversed(drawn)}
    return with_parameters(search.estimator, list(reversed(seen.values())))


def _scoring(name: str, search: Any) -> Any:
    """The one metric that a search chooses by."""
    scoring, refit = search.scoring, search.refit
    if callable(refit) and not isinstance(refit, bool):
        raise InvalidPlanError(
            f"{name!r} chooses by a function (refit={getattr(refit, '__name__', refit)!r}), which needs scikit-learn's own "
            "results. Name a metric in refit, or pass the search to tb.evaluate as a model."
        )
    if not isinstance(scoring, Mapping | list | tuple | set):
        return scoring
    if not isinstance(refit, str):
        raise InvalidPlanError(f"{name!r} has several metrics and refit={refit!r}. Say by which it chooses: refit='accuracy'.")
    if refit not in scoring:
        raise UnknownNameError(f"{name!r} chooses by {refit!r}, but its metrics are {quoted(sorted(map(str, scoring)))}.")
    return {refit: scoring[refit]} if isinstance(scoring, Mapping) else refit


# --- names ------------------------------------------------------------------------------------------------------------------


def _class_name(model: Any) -> str:
    return next(iter(name_models([model])))


def _shared_name(candidates: Mapping[str, Any]) -> str:
    """The name of the only candidate, or the class that all have; else how many there are to choose from."""
    if len(candidates) == 1:
        return next(iter(candidates))
    names = {"" if is_function(model) else _class_name(model) for model in candidates.values()}
    return names.pop() if len(names) == 1 and "" not in names else f"best of {len(candidates)}"
