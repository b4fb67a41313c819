"""All checks, on data and splits as they are before any model is fitted."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from tiebreak.audits.findings import SEVERITIES, Audit, AuditInput, Check, Checked, Columns, Finding, Folds
from tiebreak.audits.folds import (
    find_class_gaps,
    find_departures,
    find_future,
    find_scattered_folds,
    find_small_tests,
    find_unequal_sizes,
    time_ranks,
)
from tiebreak.audits.leak import LEAST_ROWS, find_leaks
from tiebreak.audits.overlap import find_duplicates, find_near_duplicates, find_shared_rows, find_torn_groups
from tiebreak.caught import caught_warnings, give_again
from tiebreak.errors import InvalidParameterError
from tiebreak.metrics.scorer import resolve_scorers
from tiebreak.plan.data import Dataset, Task, check_dataset
from tiebreak.plan.plan import check_rng
from tiebreak.plan.splits import Splits, fields_of, make_splits

FEW_LABELS = 20
"""Different whole numbers up to which a target without models to ask is taken for classes; beyond, their share decides."""


_CHECKS: tuple[tuple[str, Check, str], ...] = (
    ("rows on both sides", find_shared_rows, ""),
    ("equal rows on both sides", find_duplicates, ""),
    ("groups on both sides", find_torn_groups, "groups"),
    ("training on the future", find_future, "time"),
    ("folds against time", find_scattered_folds, "time"),
    ("classes in every fold", find_class_gaps, "classes"),
    ("test sets large enough", find_small_tests, ""),
    ("folds of equal size", find_unequal_sizes, ""),
    ("folds like the whole", find_departures, "target"),
    ("single columns that tell the target", find_leaks, "leak"),
    ("near copies on both sides", find_near_duplicates, "deep"),
)
"""What each check looks at, and what it needs, for which `_reasons` has why it may not be done."""


def audit(
    X: Any,
    y: Any,
    cv: Any = None,
    *,
    groups: Any = None,
    time: Any = None,
    metric: str | Sequence[str] | None = None,
    task: Literal["classification", "regression"] | None = None,
    deep: bool = False,
    rng: int | np.random.Generator = 0,
) -> Audit:
    """Check, before any model is fitted, whether data and splits are plausible, representative, and like the real use.

    Looks for test rows that also stand in training, by number or as copies; groups on both sides; training on the future and
    folds that ignore time; classes that are missing or rare; test sets too small for the metric, and folds of unequal size; folds
    unlike the whole; single columns that give the target away. No model of yours is fitted.

    Parameters
    ----------
    X : array_like, sparse matrix, or data frame (pandas, polars) of shape (n_samples, n_features)
        Missing values and columns of text are fine.
    y : array_like of shape (n_samples,) or (n_samples, n_outputs)
    cv : None, int, str, dict, splitter, or iterable of (train, test)
        As for `evaluate`, and the same splits. Splits that `evaluate` refuses are audited if they can be made.
    groups : array_like of shape (n_samples,), optional
        Which examples belong together.
    time : array_like of shape (n_samples,), optional
        When each example was known: numbers, dates, or texts in ISO 8601.
    metric : str or sequence of str, optional
        What is to be computed on each test set, by scikit-learn's names, so that their sizes can be checked against it.
    task : {"classification", "regression"}, optional
        If not given: texts and few different whole numbers are classes.
    deep : bool, default False
        Look also for near copies of test rows in training, which takes seconds for a large table.
    rng : int or Generator, default 0
        Seeds splits that are shuffled and have no seed, and samples of large data.

    Returns
    -------
    Audit
        Print it for the findings; `.findings`, `.worst`, `.to_frame()`, `.plot()` for the rest.

    Raises
    ------
    TiebreakError
        Data or splits that cannot be used at all, or times that cannot be sorted; the text says how to go on.

    Examples
    --------
    >>> import tiebreak as tb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import KFold
    >>> X, y = load_iris(return_X_y=True)  # sorted by class
    >>> [finding.code for finding in tb.audit(X, y, KFold(3)).at_least("warning")]
    ['class-missing-in-training', 'class-missing-in-test', 'unrepresentative-folds']
    >>> tb.audit(X, y, "stratified").worst
    'note'
    """
    return audit_dataset(check_dataset(X, y, groups=groups), cv, time=time, metric=metric, task=task, deep=deep, rng=rng)


def audit_dataset(dataset: Dataset, cv: Any, *, time: Any, metric: Any, task: Task | None, deep: bool, rng: Any) -> Audit:
    """Check data that are known to be sound; the other parameters are those of `audit`."""
    audit_input = _audit_input(dataset, cv, time, metric, task, check_rng(rng))
    findings: list[Finding] = []
    checked = []
    reasons = _reasons(audit_input, deep)
    for what, check, needs in _CHECKS:
        why_not = reasons.get(needs, "")
        own = [] if why_not else list(check(audit_input))
        findings += own
        checked.append(Checked(what, tuple(each.code for each in own), why_not))
    findings.sort(key=lambda finding: -SEVERITIES.index(finding.severity))  # the checks' own order among those as grave
    return Audit(
        findings=tuple(findings),
        checks=tuple(checked),
        dataset=dataset.name,
        n_samples=dataset.n_samples,
        n_features=dataset.n_features,
        task=audit_input.task,
        folds=_folds(audit_input),
    )


def _reasons(audit_input: AuditInput, deep: bool) -> dict[str, str]:
    """By what checks need: why they cannot be done or were not asked for; "" where they are done."""
    time, has_target = audit_input.time, audit_input.target is not None
    has_classes, is_long = has_target and audit_input.task == "classification", audit_input.data.n_samples >= LEAST_ROWS
    of_target = "" if has_target else "the target is not one class or number for each row"
    return {
        "groups": "" if audit_input.data.groups is not None else "no groups were given",
        "time": "no time was given" if time is None else "" if time.any() else "all rows have the same time",
        "classes": "" if has_classes else "the target is not one class for each row",
        "target": of_target,
        "leak": of_target or ("" if is_long else f"there are fewer than {LEAST_ROWS} rows"),
        "deep": "" if deep else "only with deep=True (--deep)",
    }


# --- what is looked at ------------------------------------------------------------------------------------------------------


def _audit_input(dataset: Dataset, cv: Any, time: Any, metric: Any, task: Task | None, seed: int | None) -> AuditInput:
    if task is not None and task not in get_args(Task):
        raise InvalidParameterError(f"task={task!r} is not known. Pass 'classification', 'regression' or nothing.")
    known = task if task is not None else _task_of(dataset.y)
    with caught_warnings() as caught:
        planned = make_splits(cv, dataset, known, seed, check=False)
    # that groups are ignored is a finding where it matters
    give_again(each for each in caught if not str(each.message).startswith("The groups parameter is ignored"))
    truth, target = planned.truth, None
    classes = () if truth.classes is None else tuple(truth.classes.tolist())
    if classes or (known == "regression" and truth.values.dtype == float and truth.values.ndim == 1):
        target = truth.code if classes else truth.values
    given = list(metric) if isinstance(metric, Iterable) and not isinstance(metric, str) else [metric]
    metrics = [each for each in given if isinstance(each, str)]  # of metrics that are functions nothing is known
    if metrics:
        resolve_scorers(metrics, classifier=known == "classification", n_classes=len(classes) if len(classes) > 1 else None)
    return AuditInput(
        **fields_of(planned),
        columns=Columns.of(dataset.X),
        time=None if time is None else time_ranks(time, dataset),
        metrics=tuple(metrics),
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


def _folds(audit_input: AuditInput) -> Folds:
    """Contents of each test set, for tables and figures."""
    target, classes = audit_input.target, audit_input.classes
    counts = quartiles = None
    if target is not None:
        held = [*(target[split.test] for split in audit_input.splits), target]
        if audit_input.task == "classification":
            counts = np.array([np.bincount(rows, minlength=len(classes)) for rows in held])
        else:
            quartiles = np.array([np.quantile(rows, (0.0, 0.25, 0.5, 0.75, 1.0)) for rows in held])
    return Folds(**fields_of(audit_input, Splits), classes=tuple(map(str, classes)), counts=counts, quartiles=quartiles)
