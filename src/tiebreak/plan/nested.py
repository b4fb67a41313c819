"""A nested plan: candidates on outer splits, and on inner splits of each outer training set, which alone decide."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import InvalidPlanError
from tiebreak.numerics import IntArray
from tiebreak.plan.cv import make_splits, plain_kind
from tiebreak.plan.data import Dataset, Task, check_dataset, find_task, take_rows
from tiebreak.plan.plan import Plan, PlannedDataset, check_rng
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.selections import Selection, all_models, read_selections
from tiebreak.plan.split import Split, Splits, describe_splits, split_hash
from tiebreak.scores.names import quoted
from tiebreak.scores.notice import Notice

OUTER_FOLDS, INNER_FOLDS = 10, 5
"""Of the splits that nobody asked for otherwise."""


class InnerPlan(NamedTuple):
    """What decides which candidate of a selection is chosen.

    Attributes
    ----------
    plan : Plan
        The candidates on the inner splits of all outer training sets; a split's `repeat` is the position of its outer split.
    outer : ndarray of shape (n_inner_splits,)
        That position.
    """

    plan: Plan
    outer: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class NestedPlan:
    """Everything that is decided before the first fit.

    Attributes
    ----------
    outer : Plan
        All candidates of all selections on the outer splits.
    selections : tuple of Selection
    places : tuple of range
        Where the candidates of each selection stand among the outer plan's models.
    inner : tuple of InnerPlan or None
        None where there is one candidate only, so that nothing is chosen.
    notices : tuple of Notice
    """

    outer: Plan
    selections: tuple[Selection, ...]
    places: tuple[range, ...]
    inner: tuple[InnerPlan | None, ...]
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

    The parameters are those of `tiebreak.nested_cross_validate`.

    Raises
    ------
    InvalidPlanError
        Models, data or splits that cannot be used as they stand; of inner splits the text names the outer one.
    """
    seed = check_rng(rng)
    selections = read_selections(models, seed)
    named, places = all_models(selections)
    data = check_dataset(X, y, groups=groups, sample_weight=sample_weight, fit_params=fit_params)
    task = find_task(named, data.y)
    splits, scheme = make_splits(_folds(OUTER_FOLDS, data, task) if outer is None else outer, data, task, seed)
    planned = PlannedDataset(data, task, splits, describe_splits(splits, scheme))
    plans: list[InnerPlan | None] = []
    notices: list[Notice] = []
    for each in selections:
        if len(each.candidates) == 1:
            plans.append(None)
            continue
        made = _inner_dataset(planned, inner if inner is not None else each.inner, seed)
        plans.append(InnerPlan(Plan(each.candidates, (made,), seed), made.described.repeat))
        notices += _inner_notices(planned, made, each.name)
    notices += _alone([each.name for each in selections if len(each.candidates) == 1], len(selections))
    return NestedPlan(Plan(named, (planned,), seed), selections, places, tuple(plans), tuple(notices))


def _folds(n_folds: int, data: Dataset, task: Task) -> dict[str, Any]:
    """Shuffled folds as they suit the data: classes stratified, groups kept together."""
    most = n_folds if data.groups is None else min(n_folds, len(set(data.groups.tolist())))
    return {"kind": plain_kind(data, task), "n_folds": most}


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
    kinds: list[Splits] = []
    for position, (train, _) in enumerate(outer.splits):
        made, described = _inner_splits(outer, position, inner, rng)
        # the rows of a part are counted from its own beginning
        splits += [Split(train[split.train], train[split.test]) for split in made]
        owner += [position] * len(made)
        fold += range(len(made))
        kinds.append(described)
    n_train, n_test = (np.array([rows.size for rows in part], dtype=np.int64) for part in zip(*splits, strict=True))
    described = Splits(
        np.array(owner, dtype=np.int64),
        np.array(fold, dtype=np.int64),
        n_train,
        n_test,
        kinds[0].kind,
        kinds[0].ordered,
        hash=split_hash([split.test for split in splits]),
    )
    return PlannedDataset(outer.data, outer.task, tuple(splits), described)


def _inner_splits(outer: PlannedDataset, position: int, inner: Any, rng: int | None) -> tuple[Sequence[Split], Splits]:
    """Splits of one outer training set, with rows counted from its beginning."""
    data, train = outer.data, outer.splits[position].train
    part = Dataset("", take_rows(data.X, train), data.y[train], None if data.groups is None else data.groups[train])
    if inner is None:
        inner = {"kind": "time", "n_folds": INNER_FOLDS} if outer.described.ordered else _folds(INNER_FOLDS, part, outer.task)
    seed = None if rng is None else derive_seed(rng, "inner", position)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)  # a notice of ours says it
            splits, scheme = make_splits(inner, part, outer.task, seed)
    except InvalidPlanError as error:
        text = str(error).removeprefix("cv: ")
        raise InvalidPlanError(f"inner, within the training rows of {outer.split_name(position)}: {text}") from error
    return splits, describe_splits(splits, scheme)


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


def _alone(names: Sequence[str], n_selections: int) -> list[Notice]:
    """Selections of one candidate, which may be meant where there are others to compare with."""
    if not names:
        return []
    advice = "" if n_selections > 1 else ". Plain cross-validation (tb.evaluate) gives the same score"
    return [Notice("one-candidate", f"{quoted(names)} has one candidate, so nothing is chosen there{advice}")]
