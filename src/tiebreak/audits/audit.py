"""All checks, on data and splits as they are before any model is fitted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tiebreak.audits.adversarial import find_recognisable_folds
from tiebreak.audits.findings import SEVERITIES, Audit, Checked, Finding, Folds
from tiebreak.audits.folds import find_class_gaps, find_departures, find_small_tests, find_unequal_sizes
from tiebreak.audits.leak import LEAST_ROWS, find_leaks
from tiebreak.audits.material import Check, Columns, Material
from tiebreak.audits.overlap import find_duplicates, find_near_duplicates, find_shared_rows, find_torn_groups
from tiebreak.audits.time_order import find_constant_time, find_future, find_scattered_folds, time_ranks
from tiebreak.errors import InvalidParameterError
from tiebreak.metrics.resolve import resolve_scorers
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.data import Dataset, Task, check_dataset
from tiebreak.plan.plan import check_rng
from tiebreak.plan.split_design import describe_splits
from tiebreak.plan.splits import draft_splits

TASKS: tuple[Task, ...] = ("classification", "regression", "other")
FEW_LABELS = 20
"""Different whole numbers up to which a target without models to ask is taken for classes; beyond, their share decides."""


class _Planned(NamedTuple):
    """A check, what it looks at, and why it is not done where it is not."""

    what: str
    check: Check
    needs: str = ""


_CHECKS = (
    _Planned("rows on both sides", find_shared_rows),
    _Planned("equal rows on both sides", find_duplicates),
    _Planned("groups on both sides", find_torn_groups, "groups"),
    _Planned("training on the future", find_future, "time"),
    _Planned("folds against time", find_scattered_folds, "time"),
    _Planned("times that differ", find_constant_time, "time"),
    _Planned("classes in every fold", find_class_gaps, "classes"),
    _Planned("test sets large enough", find_small_tests),
    _Planned("folds of equal size", find_unequal_sizes),
    _Planned("folds like the whole", find_departures, "target"),
    _Planned("single columns that tell the target", find_leaks, "leak"),
    _Planned("folds that a classifier recognises", find_recognisable_folds, "deep"),
    _Planned("near copies on both sides", find_near_duplicates, "deep"),
)


def audit(
    X: Any,
    y: Any,
    cv: Any = None,
    *,
    groups: Any = None,
    time: Any = None,
    metric: Any = None,
    task: Task | None = None,
    deep: bool = False,
    rng: Any = 0,
    name: str = "",
) -> Audit:
    """As `tiebreak.audit`, with the name of the dataset for messages."""
    dataset = check_dataset(X, y, name=name, groups=groups)
    material = _material(dataset, cv, time, metric, task, check_rng(rng))
    findings: list[Finding] = []
    checked = []
    for planned in _CHECKS:
        why_not = _why_not(material, planned.needs, deep)
        found = [] if why_not else list(planned.check(material))
        findings += found
        checked.append(Checked(planned.what, tuple(each.code for each in found), why_not))
    findings.sort(key=lambda finding: -SEVERITIES.index(finding.severity))  # the checks' own order among those as grave
    return Audit(
        findings=tuple(findings),
        checks=tuple(checked),
        dataset=name,
        n_samples=material.n_samples,
        n_features=dataset.n_features,
        task=material.task,
        folds=_folds(material),
    )


def _why_not(material: Material, needs: str, deep: bool) -> str:
    """Why a check cannot be done or was not asked for; "" where it is done."""
    is_classification = material.task == "classification"
    reasons = {
        "groups": "" if material.data.groups is not None else "no groups were given",
        "time": "" if material.time is not None else "no time was given",
        "classes": "" if is_classification and material.target is not None else "the target is not one class for each row",
        "target": "" if material.target is not None else "the target is not one class or number for each row",
        "deep": "" if deep else "only with deep=True (--deep)",
    }
    reasons["leak"] = reasons["target"] or (f"there are fewer than {LEAST_ROWS} rows" if material.n_samples < LEAST_ROWS else "")
    return reasons.get(needs, "")


# --- what is looked at ------------------------------------------------------------------------------------------------------


def _material(dataset: Dataset, cv: Any, time: Any, metric: Any, task: Task | None, seed: int | None) -> Material:
    if task is not None and task not in TASKS:
        raise InvalidParameterError(f"task={task!r} is not known. Pass 'classification', 'regression' or nothing.")
    known = task if task is not None else _task_of(dataset.y)
    classes, target = _target(dataset.y, known)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)  # it is a finding where it matters
        splits, scheme = draft_splits(cv, dataset, known, seed)
    return Material(
        data=dataset,
        columns=Columns.of(dataset.X),
        task=known,
        splits=splits,
        described=describe_splits(splits, scheme),
        time=None if time is None else time_ranks(time, dataset),
        metrics=_metric_names(metric, known, len(classes)),
        classes=classes,
        target=target,
        seed=seed or 0,
    )


def _task_of(y: np.ndarray[Any, Any]) -> Task:
    """By the target alone: texts and few whole numbers are classes. Models, which could be asked, are not there."""
    if y.ndim > 1:
        return "regression" if y.dtype.kind == "f" else "other"
    if y.dtype.kind not in "iuf":
        return "classification"
    labels = np.unique(y)
    is_whole = y.dtype.kind in "iu" or bool((labels == np.round(labels)).all())
    return "classification" if is_whole and labels.size <= max(FEW_LABELS, y.size**0.5 / 2) else "regression"


def _target(y: np.ndarray[Any, Any], task: Task) -> tuple[tuple[object, ...], FloatArray | IntArray | None]:
    if y.ndim != 1 or task == "other":
        return (), None
    if task == "classification":
        labels, codes = np.unique(y, return_inverse=True)
        return tuple(labels.tolist()), codes
    return ((), y.astype(float)) if y.dtype.kind in "biuf" else ((), None)


def _metric_names(metric: Any, task: Task, n_classes: int) -> tuple[str, ...]:
    """Names that are known; of metrics that are functions nothing is known."""
    given: Sequence[Any] = () if metric is None else [metric] if isinstance(metric, str) or callable(metric) else list(metric)
    names = [each for each in given if isinstance(each, str)]
    if names:
        resolve_scorers(names, classifier=task == "classification", n_classes=n_classes if n_classes > 1 else None)
    return tuple(names)


def _folds(material: Material) -> Folds:
    """Contents of each test set, for tables and figures."""
    described = material.described
    target, splits, classes = material.target, material.splits, material.classes
    counts = quartiles = None
    if target is not None and material.task == "classification":
        counts = np.array([np.bincount(rows, minlength=len(classes)) for rows in (*(target[s.test] for s in splits), target)])
    elif target is not None:
        levels = (0.0, 0.25, 0.5, 0.75, 1.0)
        quartiles = np.array([np.quantile(rows, levels) for rows in (*(target[s.test] for s in splits), target)])
    return Folds(
        kind=described.kind,
        repeat=described.repeat,
        fold=described.fold,
        n_train=described.n_train,
        n_test=described.n_test,
        classes=tuple(str(label) for label in classes),
        counts=counts,
        quartiles=quartiles,
    )
