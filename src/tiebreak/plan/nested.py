"""A nested plan: candidates on outer splits, and on inner splits of each outer training set, which alone decide."""

from __future__ import annotations

import copy
import dataclasses
import numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiebreak.caught import without_warnings
from tiebreak.errors import InvalidPlanError, UnknownNameError
from tiebreak.plan.candidates import grid, with_parameters
from tiebreak.plan.data import Dataset, check_dataset, find_task, take_rows
from tiebreak.plan.models import is_function, name_models
from tiebreak.plan.plan import Plan, check_rng
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.split_design import Split, Splits, describe_splits
from tiebreak.plan.splits import PlannedDataset, make_splits, plain_folds
from tiebreak.scores.vocabulary import Notice, quoted

SEARCH_FOLDS = 5
"""What scikit-learn's searches mean by ``cv=None``."""


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Candidates of which one is chosen on each training set.

    Candidates stand in the order in which ties are broken: the first one wins. With `is_model` it is a single model that was
    given as it is, so that its candidate needs no name of its own. `inner` and `scoring` are the search's own splits and metric;
    None where it has none.
    """

    name: str
    candidates: Mapping[str, Any]
    is_model: bool = False
    inner: Any = None
    scoring: Any = None


def read_selections(models: Any, rng: int | None) -> tuple[Selection, ...]:
    """Selections by name, from the models that `tiebreak.nested_cross_validate` is given.

    `models` is a search of scikit-learn; candidates by name, such as the result of `grid`, or as a list; or a dict with at least
    one search or dict of candidates in it, each entry of which is a selection of its own. `rng` seeds the candidates of a random
    search that has no seed of its own. Raises `InvalidPlanError` for what cannot be chosen from, or a search whose candidates
    are not known before it runs, and `UnknownNameError` for a parameter that the model does not have, with the nearest names.
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
    """True for a search of scikit-learn, or one that is made like them."""
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


OUTER_FOLDS, INNER_FOLDS = 10, 5
"""Of the splits that nobody asked for otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class NestedPlan:
    """Everything that is decided before the first fit.

    `outer` has all candidates of all selections on the outer splits, and `places` tells where those of each selection stand
    among its models. `inner` decides the candidate that is chosen: it has those of a selection on the inner splits of all outer
    training sets, and the `repeat` of a split is the position of its outer split. It is None for a selection of one candidate
    only, so that nothing is chosen.
    """

    outer: Plan
    selections: tuple[Selection, ...]
    places: tuple[range, ...]
    inner: tuple[Plan | None, ...]
    notices: tuple[Notice, ...]


def make_nested_plan(
    models: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    outer: Any = None,
    inner: Any = None,
    sample_weight: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    rng: Any = 0,
) -> NestedPlan:
    """Check everything that can be checked before the first fit, and make the splits.

    The parameters are those of `tiebreak.nested_cross_validate`. Raises `InvalidPlanError` for models, data or splits that
    cannot be used as they stand; of inner splits the text names the outer one.
    """
    seed = check_rng(rng)
    selections = read_selections(models, seed)
    named, places = all_models(selections)
    data = check_dataset(X, y, groups=groups, sample_weight=sample_weight, fit_params=fit_params)
    task = find_task(named, data.y)
    planned = make_splits(plain_folds(OUTER_FOLDS, data, task) if outer is None else outer, data, task, seed)
    plans: list[Plan | None] = []
    notices: list[Notice] = []
    for each in selections:
        if len(each.candidates) == 1:
            plans.append(None)
            continue
        made = _inner_dataset(planned, inner if inner is not None else each.inner, seed)
        plans.append(Plan(each.candidates, (made,), seed))
        notices += _inner_notices(planned, made, each.name)
    alone = [each.name for each in selections if len(each.candidates) == 1]
    if alone:  # which may be meant where there are others to compare with
        advice = "" if len(selections) > 1 else ". Plain cross-validation (tb.evaluate) gives the same score"
        notices.append(Notice("one-candidate", f"{quoted(alone)} has one candidate, so nothing is chosen there{advice}"))
    return NestedPlan(Plan(named, (planned,), seed), selections, places, tuple(plans), tuple(notices))


# --- inner splits -----------------------------------------------------------------------------------------------------------


def _inner_dataset(outer: PlannedDataset, inner: Any, rng: int | None) -> PlannedDataset:
    """The dataset with the inner splits of all outer training sets, by row numbers of the whole."""
    if inner is not None and not isinstance(inner, numbers.Number | str | Mapping) and not hasattr(inner, "split"):
        raise InvalidPlanError(
            f"inner is of type {type(inner).__name__}. Rows that are named once fit one training set only, and each outer split "
            "has its own: pass a number of folds, a name such as 'repeated-stratified', or a splitter of scikit-learn."
        )
    splits: list[Split] = []
    owner: list[int] = []
    fold: list[int] = []
    made: list[Splits] = []
    for position, (train, _) in enumerate(outer.splits):
        part = _inner_splits(outer, position, inner, rng)
        # the rows of a part are counted from its own beginning
        splits += [Split(train[split.train], train[split.test]) for split in part.splits]
        owner += [position] * len(part.splits)
        fold += range(len(part.splits))
        made.append(part.described)
    described = dataclasses.replace(
        describe_splits(splits, (made[0].kind, 1)),
        repeat=np.array(owner, dtype=np.int64),
        fold=np.array(fold, dtype=np.int64),
    )
    return PlannedDataset(outer.data, outer.task, tuple(splits), described)


def _inner_splits(outer: PlannedDataset, position: int, inner: Any, rng: int | None) -> PlannedDataset:
    """Splits of one outer training set, with rows counted from its beginning."""
    data, train = outer.data, outer.splits[position].train
    part = Dataset("", take_rows(data.X, train), data.y[train], None if data.groups is None else data.groups[train])
    if inner is None:
        inner = (
            {"kind": "time", "n_folds": INNER_FOLDS} if outer.described.ordered else plain_folds(INNER_FOLDS, part, outer.task)
        )
    seed = None if rng is None else derive_seed(rng, "inner", position)
    try:
        with without_warnings("The groups parameter is ignored"):  # a notice of ours says it
            return make_splits(inner, part, outer.task, seed)
    except InvalidPlanError as error:
        first, *others = error.parts
        where = f"inner, within the training rows of {outer.split_name(position)}: "
        raise InvalidPlanError(where, str(first).removeprefix("cv: "), *others) from error


# --- what should be known ---------------------------------------------------------------------------------------------------


def _inner_notices(outer: PlannedDataset, inner: PlannedDataset, name: str) -> Iterator[Notice]:
    """Inner splits that do not mirror the outer ones."""
    groups = outer.data.groups
    if groups is not None and any(np.isin(groups[test], groups[train]).any() for train, test in inner.splits):
        yield Notice(
            "groups-torn",
            f"the inner splits of {name!r} put examples of one group on both sides, so they choose by scores that are too good. "
            "Pass inner='group' or 'stratified-group'",
        )
    if outer.described.ordered and not inner.described.ordered:
        yield Notice(
            "future-training",
            f"the outer splits are in order of time, and the inner ones of {name!r} are not: what is chosen was trained on what "
            "came later. Pass inner='time'",
        )
