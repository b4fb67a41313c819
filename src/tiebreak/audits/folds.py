"""Contents of the folds: classes that are missing or rare, test sets that are too small, and folds that are unlike the whole.

What a test set holds is compared with a draw without replacement. For classes that is a hypergeometric count, exactly; for
numbers the mean of ranks, which heavy tails do not disturb, is close to normal. Where whole groups go to one side, a fold is a
draw of groups, not of rows, so the spread between groups is what chance has to be measured by.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiebreak.audits.audit_input import AuditInput
from tiebreak.audits.findings import Finding, Severity, count, evidence, evidence_of, percent
from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, IntArray, is_missing, student_pvalue
from tiebreak.plan.data import Dataset

SURE = 10.0
"""Expected number of a class in a test set from which on chance hardly leaves none there (e^-10 of the time)."""

FEW_TRAINED, FEW_TESTED = 3, 5.0
"""Training examples of a class below which it cannot be learnt; test examples below which one decides its score."""


def find_class_gaps(audit_input: AuditInput) -> Iterator[Finding]:
    """Classes that are missing from a training set or a test set, or have few examples there."""
    if len(audit_input.classes) < 2:
        yield Finding(
            "one-class",
            "error",
            f"y has a single class, {audit_input.classes[0]!r}: nothing is to be learnt, and most metrics are undefined.",
            evidence(numbers={"n_classes": 1}),
            "Check what was passed as y.",
        )
        return
    train, test = (class_counts(audit_input, side) for side in ("train", "test"))
    yield from _missing_in_training(audit_input, train)
    yield from _missing_in_test(audit_input, test)
    yield from _rare(audit_input, train, test)


def class_counts(audit_input: AuditInput, side: str) -> IntArray:
    """Examples of each class on a side of each split; splits by classes."""
    target = np.asarray(audit_input.target, dtype=np.intp)
    n_classes = len(audit_input.classes)
    return np.array([np.bincount(target[getattr(split, side)], minlength=n_classes) for split in audit_input.splits])


def _missing_in_training(audit_input: AuditInput, train: IntArray) -> Iterator[Finding]:
    missing = train == 0
    if not missing.any():
        return
    splits = np.flatnonzero(missing.any(axis=1))
    yield Finding(
        "class-missing-in-training",
        "error",
        f"{_named(audit_input, missing)} absent from the training rows {audit_input.where(splits.size)}, so no "
        "model can learn it there.",
        evidence(splits=splits, numbers={"n_classes": int(missing.any(axis=0).sum()), "n_splits": splits.size}),
        'Use stratified splits (cv="stratified"), fewer folds, or leave rare classes out. tb.evaluate refuses such splits.',
    )


def _missing_in_test(audit_input: AuditInput, test: IntArray) -> Iterator[Finding]:
    """Test sets smaller than the number of classes cannot have them all; they are a finding of their own."""
    missing = (test == 0) & (test.sum(axis=1) >= len(audit_input.classes))[:, None]
    if not missing.any():
        return
    share = np.bincount(np.asarray(audit_input.target, dtype=np.intp)) / audit_input.n_samples
    expected = test.sum(axis=1)[:, None] * share
    splits = np.flatnonzero(missing.any(axis=1))
    severity: Severity = "warning" if bool((expected[missing] >= SURE).any()) else "note"
    yield Finding(
        "class-missing-in-test",
        severity,
        f"{_named(audit_input, missing)} absent from the test rows {audit_input.where(splits.size)}"
        + (", where chance would hardly leave it out. " if severity == "warning" else ". ")
        + "What is said of each class, and ROC curves, is undefined there.",
        evidence(splits=splits, numbers={"n_splits": splits.size, "most_expected": expected[missing].max()}),
        'Use stratified splits: cv="stratified", or "stratified-group" with groups.',
    )


def _rare(audit_input: AuditInput, train: IntArray, test: IntArray) -> Iterator[Finding]:
    """By the smallest training set, and by the median test set; those without any are told above."""
    fewest, usual = train.min(axis=0), np.median(test, axis=0)
    enough_tested = np.median(test.sum(axis=1)) >= FEW_TESTED * len(audit_input.classes)
    unlearnt = (fewest > 0) & (fewest < FEW_TRAINED)
    rare = unlearnt | (enough_tested & (usual < FEW_TESTED) & (fewest > 0) & (usual > 0))
    if not rare.any():
        return
    rarest = int(np.flatnonzero(rare)[np.argmin(fewest[rare])])
    n_rare = int(rare.sum())
    label = repr(audit_input.classes[rarest])
    whose = f"Class {label} has" if n_rare == 1 else f"{count(n_rare, 'class')} are rare; {label} has"
    severity: Severity = "warning" if unlearnt.any() else "note"
    yield Finding(
        "rare-class",
        severity,
        f"{whose} {count(int(fewest[rarest]), 'example')} in the smallest training set and {usual[rarest]:g} in the usual "
        "test set"
        + (": too few to be learnt." if severity == "warning" else ": what is said of it alone rests on single examples."),
        evidence(
            np.flatnonzero(rare[np.asarray(audit_input.target, dtype=np.intp)]),
            splits=np.flatnonzero(train[:, rarest] == fewest[rarest]) if severity == "warning" else (),
            numbers={"n_classes": n_rare, "n_train": fewest[rarest], "n_test": usual[rarest]},
        ),
        "Use fewer folds, or more repeats of holdout with larger test sets; collect more examples, or merge classes.",
    )


def _named(audit_input: AuditInput, missing: IntArray) -> str:
    """The classes that it concerns, as the subject of a sentence."""
    which = np.flatnonzero(missing.any(axis=0))
    if which.size == 1:
        return f"Class {audit_input.classes[which[0]]!r} is"
    labels = ", ".join(repr(audit_input.classes[code]) for code in which[:3])
    return f"{which.size} classes ({labels}{', ...' if which.size > 3 else ''}) are"


FEW = 5
"""Test examples below which a score is little but noise; the corrected t-test warns there too."""

NOTED_SHIFT, WARNED_SHIFT = 0.02, 0.05
"""Relative change of the corrected standard error by unequal folds, from which on it is noted, and is a warning."""

_RANKING = ("roc_auc", "average_precision")
_PER_CLASS = ("f1", "precision", "recall", "jaccard", "balanced_accuracy", "matthews", *_RANKING)
_VARIANCE = ("r2", "explained_variance", "d2_")


def find_small_tests(audit_input: AuditInput) -> Iterator[Finding]:
    """Test sets that are too small for what is to be computed on them."""
    n_test = audit_input.described.n_test
    found = [finding for metric in audit_input.metrics for finding in _for_metric(audit_input, metric)]
    yield from found
    if found or n_test.min() >= FEW:
        return
    small = np.flatnonzero(n_test < FEW)
    yield Finding(
        "small-test-sets",
        "note",
        f"Test sets have as few as {count(int(n_test.min()), 'example')} {audit_input.where(small.size)}. "
        "Accuracy and errors can be averaged over them; ROC AUC, R2 and what is said of each class need more than "
        "that.",
        evidence(splits=small, numbers={"n_test": n_test.min()}),
        'Use fewer folds, or name the metric: metric="roc_auc" is checked against these sizes.',
    )


def _for_metric(audit_input: AuditInput, metric: str) -> Iterator[Finding]:
    """Finding on what a metric cannot do on these test sets."""
    name = metric.removeprefix("neg_")
    if name.startswith(_VARIANCE) and audit_input.task != "classification":
        yield from _undefined_or_small(audit_input, metric, np.asarray(audit_input.described.n_test), 2, "test examples")
    elif name.startswith(_PER_CLASS) and audit_input.task == "classification" and len(audit_input.classes) > 1:
        least = class_counts(audit_input, "test").min(axis=1)
        needed = 1 if name.startswith(_RANKING) else 0
        yield from _undefined_or_small(audit_input, metric, least, needed, "test examples of the rarest class")


def _undefined_or_small(audit_input: AuditInput, metric: str, n: np.ndarray, needed: int, what: str) -> Iterator[Finding]:
    """An error where there are fewer than needed, a warning where there are few in most splits."""
    undefined, few = np.flatnonzero(n < needed), np.flatnonzero(n < FEW)
    if undefined.size:
        yield Finding(
            "metric-undefined",
            "error",
            f"{metric} is undefined {audit_input.where(undefined.size)}: it needs at least {needed} {what}, and "
            f"there are {int(n.min())}.",
            evidence(splits=undefined, numbers={"n_splits": undefined.size, "n": n.min()}),
            "Use fewer folds or stratified ones, or a metric that is defined on each example.",
        )
        return
    if few.size * 2 <= len(audit_input.splits):
        return
    yield Finding(
        "small-test-sets",
        "warning",
        f"{metric} rests on as few as {int(n.min())} {what} {audit_input.where(few.size)}: single examples decide it.",
        evidence(splits=few, numbers={"n": n.min()}),
        "Use fewer folds, so that test sets are larger, and repeat them.",
    )


def find_unequal_sizes(audit_input: AuditInput) -> Iterator[Finding]:
    """Folds so unequal that the correction for shared training data is not what equal folds would have."""
    n_train, n_test = (np.asarray(n, dtype=float) for n in (audit_input.described.n_train, audit_input.described.n_test))
    ratio, equal = float(np.mean(n_test / n_train)), float(n_test.mean() / n_train.mean())
    own = 1 / len(audit_input.splits)
    shift = np.sqrt((own + ratio) / (own + equal)) - 1
    if shift < NOTED_SHIFT:
        return
    # training sets of time splits grow by design
    severity: Severity = "warning" if shift >= WARNED_SHIFT and not audit_input.described.ordered else "note"
    largest = np.flatnonzero(n_test / n_train > 2 * equal)
    yield Finding(
        "unequal-sizes",
        severity,
        f"Test sets have {int(n_test.min())} to {int(n_test.max())} examples, training sets {int(n_train.min())} to "
        f"{int(n_train.max())}: n_test / n_train is {ratio:.3g} on average, and would be {equal:.3g} with equal folds. "
        f"Corrected standard errors are {percent(shift)} larger for it, and scores of small folds count as much as those of "
        "large ones.",
        evidence(splits=largest, numbers={"ratio": ratio, "equal_ratio": equal, "shift": shift}),
        "Nothing needs to be done: training sets of time splits grow, or a window= keeps them equal."
        if audit_input.described.ordered
        else "Use folds of about equal size; with groups of very different size, use fewer folds.",
    )


ALPHA = 0.001
"""Rate of false alarms over all splits and classes together (Bonferroni)."""

LEAST_JUDGED = 5
"""Test rows, or test groups, below which a fold is not judged."""


def find_departures(audit_input: AuditInput) -> Iterator[Finding]:
    """Test sets whose classes or target depart from the whole by more than chance."""
    if audit_input.task == "classification" and len(audit_input.classes) < 2:
        return
    pvalue = _by_groups(audit_input) if audit_input.has_whole_groups else _by_rows(audit_input)
    if pvalue.size == 0 or np.isnan(pvalue).all():
        return
    adjusted = np.where(np.isnan(pvalue), 1.0, pvalue) * np.count_nonzero(~np.isnan(pvalue))
    departing = np.flatnonzero((adjusted <= ALPHA).any(axis=1))
    if departing.size == 0:
        return
    split, column = np.unravel_index(int(np.argmin(adjusted)), adjusted.shape)
    # times change what is measured; a fold of the future is not meant to look like the past
    severity: Severity = "note" if audit_input.described.ordered else "warning"
    where = audit_input.where(departing.size)
    yield Finding(
        "unrepresentative-folds",
        severity,
        f"Test rows differ from the whole by more than chance {where}: {_how(audit_input, int(split), int(column))}.",
        evidence(
            splits=departing,
            numbers={"n_splits": departing.size, "adjusted_pvalue": min(float(adjusted.min()), 1.0)},
        ),
        "What is measured changes with time, which is what such splits are for; look at the scores in their order."
        if audit_input.described.ordered
        else "Shuffle or stratify the folds if rows are in no order that matters: unshuffled folds of sorted rows are not "
        "like the data. If the order does matter, this is what new data may do to a model.",
    )


def _by_rows(audit_input: AuditInput) -> FloatArray:
    """Two-sided p-values of each split and class, or of each split."""
    from scipy.special import ndtr

    if audit_input.task == "classification":
        return _of_counts(audit_input)
    centred = _centred_ranks(audit_input)
    n_test = np.asarray(audit_input.described.n_test, dtype=float)
    n = audit_input.n_samples
    sums = np.array([centred[split.test].sum() for split in audit_input.splits])
    variance = n_test * centred.var(ddof=1) * (1 - n_test / n)
    z = sums / np.sqrt(np.maximum(variance, 1e-300))
    is_judged = (n_test >= LEAST_JUDGED) & (variance > 0)
    return np.where(is_judged, 2 * ndtr(-np.abs(z)), np.nan)[:, None]


def _of_counts(audit_input: AuditInput) -> FloatArray:
    from scipy.stats import hypergeom

    test = class_counts(audit_input, "test")
    n_test = test.sum(axis=1)
    whole = np.bincount(np.asarray(audit_input.target, dtype=np.intp), minlength=len(audit_input.classes))
    lower = hypergeom.cdf(test, audit_input.n_samples, whole[None, :], n_test[:, None])
    upper = hypergeom.sf(test - 1, audit_input.n_samples, whole[None, :], n_test[:, None])
    pvalue = np.minimum(1.0, 2 * np.minimum(lower, upper))
    return np.where((n_test >= LEAST_JUDGED)[:, None], pvalue, np.nan)


def _by_groups(audit_input: AuditInput) -> FloatArray:
    """Two-sided p-values with groups as what is drawn: residuals of whole groups, and Student's t with their df."""
    codes = audit_input.group_codes
    columns = _residuals(audit_input)
    n_groups = int(codes.max()) + 1
    by_group = np.stack([np.bincount(codes, weights=column, minlength=n_groups) for column in columns.T], axis=1)
    tested = [np.unique(codes[split.test]) for split in audit_input.splits]
    m = np.array([groups.size for groups in tested], dtype=float)[:, None]
    sums = np.array([by_group[groups].sum(axis=0) for groups in tested])
    variance = m * (1 - m / n_groups) * by_group.var(axis=0, ddof=1) if n_groups > 1 else np.zeros_like(sums)
    z = np.divide(sums, np.sqrt(variance), out=np.zeros_like(sums), where=variance > 0)
    pvalue = student_pvalue(z, n_groups - 1) if n_groups > 1 else np.ones_like(z)
    return np.where((m >= LEAST_JUDGED) & (variance > 0), pvalue, np.nan)


def _residuals(audit_input: AuditInput) -> FloatArray:
    """Excess of each row over the average row: of each class, or of the rank of its target."""
    if audit_input.task != "classification":
        return _centred_ranks(audit_input)[:, None]
    target = np.asarray(audit_input.target, dtype=np.intp)
    indicator = np.eye(len(audit_input.classes))[target]
    return np.asarray(indicator - indicator.mean(axis=0))


def _centred_ranks(audit_input: AuditInput) -> FloatArray:
    from scipy.stats import rankdata

    ranks = rankdata(np.asarray(audit_input.target, dtype=float))
    return np.asarray(ranks - ranks.mean())


def _how(audit_input: AuditInput, split: int, column: int) -> str:
    """The gravest departure in words."""
    described = audit_input.described
    name = f"repeat {described.repeat[split]} fold {described.fold[split]}"
    test: IntArray = audit_input.splits[split].test
    target = np.asarray(audit_input.target)
    if audit_input.task == "classification":
        here, whole = float(np.mean(target[test] == column)), float(np.mean(target == column))
        return f"class {audit_input.classes[column]!r} makes up {100 * here:.3g}% of {name}, and {100 * whole:.3g}% of all rows"
    return f"the mean target of {name} is {target[test].mean():.4g}, and {target.mean():.4g} over all rows"


# --- folds and time ---------------------------------------------------------------------------------------------------------


SCATTERED = 0.5
"""Share of what shuffling would give of test rows whose next row in time is in training, from which on folds are scattered."""


def find_future(audit_input: AuditInput) -> Iterator[Finding]:
    """Training rows that are later than the first test row."""
    time = np.asarray(audit_input.time)
    found = audit_input.by_split(lambda train, test: train[time[train] > time[test].min()])
    if not found:
        return
    late, n_train = sum(map(len, found.values())), sum(audit_input.splits[number].train.size for number in found)
    advice = 'Use cv="time", which trains on the past only; a gap= keeps what is known only later out of training.'
    if not bool((np.diff(time) >= 0).all()):
        advice += " Sort the rows by time first: such splits go by the order of rows."
    yield Finding(
        "future-in-training",
        "error",
        f"{audit_input.where(len(found)).capitalize()} models are trained on what came later than test rows: "
        f"{late} of {n_train} training rows ({percent(late / n_train)}). In real use the future is not known.",
        evidence_of(found, numbers={"n_rows": late, "share": late / n_train}),
        advice,
    )


def find_scattered_folds(audit_input: AuditInput) -> Iterator[Finding]:
    """Test rows that lie between training rows in time, as shuffled and stratified folds of ordered data do."""
    time = np.asarray(audit_input.time)
    order = np.argsort(time, kind="stable")
    side = np.zeros(audit_input.n_samples, dtype=np.int8)
    n_tested, n_between, expected, scattered = 0, 0, 0.0, []
    for number, (train, test) in enumerate(audit_input.splits):
        side[:] = 0
        side[train], side[test] = 1, 2
        line = side[order]
        line = line[line > 0]  # rows that the split leaves out tell nothing
        is_test = line[:-1] == 2
        between, tested = int((is_test & (line[1:] == 1)).sum()), int(is_test.sum())
        by_shuffling = tested * train.size / max(line.size - 1, 1)
        n_between, n_tested, expected = n_between + between, n_tested + tested, expected + by_shuffling
        if tested and between > SCATTERED * by_shuffling:
            scattered.append(number)
    if not n_tested or n_between <= SCATTERED * expected:
        return
    yield Finding(
        "folds-ignore-time",
        "warning",
        f"Times were given, but the folds are scattered over them ({audit_input.described.kind}): the next row in time of "
        f"{percent(n_between / n_tested)} of test rows is in training. Where neighbours in time are alike, such scores say "
        "how well gaps can be filled, not how well the future can be told.",
        evidence(splits=scattered, numbers={"share": n_between / n_tested}),
        'Use cv="time", or blocks of consecutive rows if the order of training and test does not matter in use.',
    )


_HOW = "Pass numbers, dates, or texts such as '2024-03-01' or '2024-03-01T12:00', one for each row."


def time_ranks(time: Any, dataset: Dataset) -> FloatArray:
    """The place of each row in time, ties alike; `time` holds numbers, dates, times or periods, or texts in ISO 8601.

    Raises `DataError` where a value is missing or cannot be put in order, or there is not one for each row.
    """
    try:
        values = np.asarray(time.to_numpy() if hasattr(time, "to_numpy") else time)
    except ValueError as error:
        raise _refusal(f"time is no column: {error}. {_HOW}") from None
    if values.shape != (dataset.n_samples,) or values.dtype.kind not in "iufmMOUS":
        raise _refusal(f"time has shape {values.shape} and type {values.dtype}, and X has {dataset.n_samples} rows. {_HOW}")
    missing = np.flatnonzero(~np.isfinite(values) if values.dtype.kind in "fmM" else [is_missing(each) for each in values])
    if missing.size:
        raise _refusal(
            f"time is missing or not finite in {missing.size} of {values.size} rows, the first is row {missing[0]} "
            f"({values[missing[0]]}). Leave these rows out, or fill in when they were known."
        )
    kinds = sorted({type(value).__name__ for value in values.tolist()})
    try:
        # objects are compared themselves: dates, times of day, periods, Decimal numbers
        return np.unique(_dates(values) if kinds == ["str"] else values, return_inverse=True)[1].astype(float)
    except TypeError as error:
        raise _refusal(f"time cannot be sorted: it holds {' and '.join(kinds)} ({error}). {_HOW}") from None


def _dates(texts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    import pandas as pd

    parsed = pd.to_datetime(pd.Series(texts.astype(object)), format="ISO8601", errors="coerce", utc=True)
    wrong = np.flatnonzero(parsed.isna().to_numpy())
    if wrong.size:
        raise _refusal(
            f"time cannot be sorted: {str(texts[wrong[0]])!r} in row {wrong[0]} is text that is no date in ISO 8601. {_HOW} "
            "pandas.to_datetime(..., format=...) reads other ways to write dates."
        )
    return parsed.dt.tz_localize(None).to_numpy()


def _refusal(text: str) -> DataError:
    return DataError(text, about="time")
