"""Contents of the folds: classes that are missing or rare, test sets that are too small, and folds that are unlike the whole.

What a test set holds is compared with a draw without replacement. For classes that is a hypergeometric count, exactly; for
numbers the mean of ranks, which heavy tails do not disturb, is close to normal. Where whole groups go to one side, a fold is a
draw of groups, not of rows, so the spread between groups is what chance has to be measured by.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiebreak.audits.findings import AuditInput, Finding, Found, Severity, codes_of, found, percent
from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, IntArray, mid_ranks, student_pvalue
from tiebreak.plan.data import Dataset, as_column
from tiebreak.scores.vocabulary import count, span

SURE = 10.0
"""Expected number of a class in a test set from which on chance hardly leaves none there (e^-10 of the time)."""

FEW_TRAINED, FEW_TESTED = 3, 5.0
"""Training examples of a class below which it cannot be learnt; test examples below which one decides its score."""


def find_class_gaps(audit_input: AuditInput) -> Iterator[Finding]:
    """Classes that are missing from a training set or a test set, or have few examples there."""
    if len(audit_input.classes) < 2:
        yield found(
            "one-class",
            "error",
            f"y has a single class, {audit_input.classes[0]!r}: nothing is to be learnt, and most metrics are undefined.",
            "Check what was passed as y.",
            n_classes=1,
        )
        return
    train, test = (class_counts(audit_input, side) for side in ("train", "test"))
    yield from _missing_in_training(audit_input, train)
    yield from _missing_in_test(audit_input, test)
    yield from _rare(audit_input, train, test)


def class_counts(audit_input: AuditInput, side: str) -> IntArray:
    """Examples of each class on a side of each split; splits by classes."""
    held = (audit_input.target[getattr(split, side)] for split in audit_input.splits)
    return np.array([np.bincount(target, minlength=len(audit_input.classes)) for target in held])


def _missing_in_training(audit_input: AuditInput, train: IntArray) -> Iterator[Finding]:
    missing = train == 0
    splits = np.flatnonzero(missing.any(axis=1))
    if splits.size:
        yield found(
            "class-missing-in-training",
            "error",
            f"{_named(audit_input, missing)} absent from the training rows {audit_input.where(splits.size)}, so no "
            "model can learn it there.",
            'Use stratified splits (cv="stratified"), fewer folds, or leave rare classes out. tb.evaluate refuses such splits.',
            splits=splits,
            n_classes=int(missing.any(axis=0).sum()),
            n_splits=splits.size,
        )


def _missing_in_test(audit_input: AuditInput, test: IntArray) -> Iterator[Finding]:
    """Test sets smaller than the number of classes cannot have them all; they are a finding of their own."""
    missing = (test == 0) & (test.sum(axis=1) >= len(audit_input.classes))[:, None]
    if not missing.any():
        return
    share = np.bincount(audit_input.target) / audit_input.data.n_samples
    expected = test.sum(axis=1)[:, None] * share
    splits = np.flatnonzero(missing.any(axis=1))
    severity: Severity = "warning" if bool((expected[missing] >= SURE).any()) else "note"
    yield found(
        "class-missing-in-test",
        severity,
        f"{_named(audit_input, missing)} absent from the test rows {audit_input.where(splits.size)}"
        + (", where chance would hardly leave it out. " if severity == "warning" else ". ")
        + "What is said of each class, and ROC curves, is undefined there.",
        'Use stratified splits: cv="stratified", or "stratified-group" with groups.',
        splits=splits,
        n_splits=splits.size,
        most_expected=expected[missing].max(),
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
    whose = f"Class {label} has" if n_rare == 1 else f"{n_rare} classes are rare; {label} has"
    severity: Severity = "warning" if unlearnt.any() else "note"
    yield found(
        "rare-class",
        severity,
        f"{whose} {count(int(fewest[rarest]), 'example')} in the smallest training set and {usual[rarest]:g} in the usual "
        "test set"
        + (": too few to be learnt." if severity == "warning" else ": what is said of it alone rests on single examples."),
        "Use fewer folds, or more repeats of holdout with larger test sets; collect more examples, or merge classes.",
        rows=np.flatnonzero(rare[audit_input.target]),
        splits=np.flatnonzero(train[:, rarest] == fewest[rarest]) if severity == "warning" else (),
        n_classes=n_rare,
        n_train=fewest[rarest],
        n_test=usual[rarest],
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
    n_test = audit_input.n_test
    findings = [finding for metric in audit_input.metrics for finding in _for_metric(audit_input, metric)]
    yield from findings
    small = np.flatnonzero(n_test < FEW)
    if small.size and not findings:
        yield found(
            "small-test-sets",
            "note",
            f"Test sets have as few as {count(int(n_test.min()), 'example')} {audit_input.where(small.size)}. "
            "Accuracy and errors can be averaged over them; ROC AUC, R2 and what is said of each class need more than "
            "that.",
            'Use fewer folds, or name the metric: metric="roc_auc" is checked against these sizes.',
            splits=small,
            n_test=n_test.min(),
        )


def _for_metric(audit_input: AuditInput, metric: str) -> Iterator[Finding]:
    """An error where a metric has less to rest on than it needs, a warning where that is little in most splits."""
    name, is_classification = metric.removeprefix("neg_"), audit_input.task == "classification"
    if name.startswith(_VARIANCE) and not is_classification:
        n, needed, what = audit_input.n_test, 2, "test examples"
    elif name.startswith(_PER_CLASS) and is_classification and len(audit_input.classes) > 1:
        n, what = class_counts(audit_input, "test").min(axis=1), "test examples of the rarest class"
        needed = 1 if name.startswith(_RANKING) else 0
    else:
        return
    undefined, few = np.flatnonzero(n < needed), np.flatnonzero(n < FEW)
    if undefined.size:
        yield found(
            "metric-undefined",
            "error",
            f"{metric} is undefined {audit_input.where(undefined.size)}: it needs at least {needed} {what}, and "
            f"there are {int(n.min())}.",
            "Use fewer folds or stratified ones, or a metric that is defined on each example.",
            splits=undefined,
            n_splits=undefined.size,
            n=n.min(),
        )
    elif few.size * 2 > len(audit_input.splits):
        yield found(
            "small-test-sets",
            "warning",
            f"{metric} rests on as few as {int(n.min())} {what} {audit_input.where(few.size)}: single examples decide it.",
            "Use fewer folds, so that test sets are larger, and repeat them.",
            splits=few,
            n=n.min(),
        )


def find_unequal_sizes(audit_input: AuditInput) -> Iterator[Finding]:
    """Folds so unequal that the correction for shared training data is not what equal folds would have."""
    n_train, n_test = (np.asarray(n, dtype=float) for n in (audit_input.n_train, audit_input.n_test))
    ratio, equal = float(np.mean(n_test / n_train)), float(n_test.mean() / n_train.mean())
    own = 1 / len(audit_input.splits)
    shift = np.sqrt((own + ratio) / (own + equal)) - 1
    if shift < NOTED_SHIFT:
        return
    # training sets of time splits grow by design
    severity: Severity = "warning" if shift >= WARNED_SHIFT and not audit_input.ordered else "note"
    yield found(
        "unequal-sizes",
        severity,
        f"Test sets have {span(n_test)} examples, training sets {span(n_train)}: "
        f"n_test / n_train is {ratio:.3g} on average, and would be {equal:.3g} with equal folds. "
        f"Corrected standard errors are {percent(shift)} larger for it, and scores of small folds count as much as those of "
        "large ones.",
        "Nothing needs to be done: training sets of time splits grow, or a window= keeps them equal."
        if audit_input.ordered
        else "Use folds of about equal size; with groups of very different size, use fewer folds.",
        splits=np.flatnonzero(n_test / n_train > 2 * equal),
        ratio=ratio,
        equal_ratio=equal,
        shift=shift,
    )


ALPHA = 0.001
"""Rate of false alarms over all splits and classes together (Bonferroni)."""

LEAST_JUDGED = 5
"""Test rows, or test groups, below which a fold is not judged."""


def find_departures(audit_input: AuditInput) -> Iterator[Finding]:
    """Test sets whose classes or target depart from the whole by more than chance."""
    pvalue = _pvalues(audit_input)
    adjusted = np.where(np.isnan(pvalue), np.inf, pvalue * np.count_nonzero(~np.isnan(pvalue)))
    departing = np.flatnonzero((adjusted <= ALPHA).any(axis=1))
    if departing.size == 0:
        return
    split, column = np.unravel_index(int(np.argmin(adjusted)), adjusted.shape)
    # times change what is measured; a fold of the future is not meant to look like the past
    severity: Severity = "note" if audit_input.ordered else "warning"
    yield found(
        "unrepresentative-folds",
        severity,
        f"Test rows differ from the whole by more than chance {audit_input.where(departing.size)}: "
        f"{_how(audit_input, int(split), int(column))}.",
        "What is measured changes with time, which is what such splits are for; look at the scores in their order."
        if audit_input.ordered
        else "Shuffle or stratify the folds if rows are in no order that matters: unshuffled folds of sorted rows are not "
        "like the data. If the order does matter, this is what new data may do to a model.",
        splits=departing,
        n_splits=departing.size,
        adjusted_pvalue=min(adjusted.min(), 1.0),
    )


def _pvalues(audit_input: AuditInput) -> FloatArray:
    """Two-sided p-values of each split and class, or of each split; groups are what is drawn where no split tears one apart."""
    if audit_input.data.groups is not None:
        codes = codes_of(audit_input.data.groups)
        if not any(np.isin(codes[test], codes[train]).any() for train, test in audit_input.splits):
            return _of_draws(audit_input, codes, df=codes.max())
    if audit_input.task == "classification":
        return _of_counts(audit_input)
    return _of_draws(audit_input, np.arange(audit_input.data.n_samples), df=np.inf)


def _of_counts(audit_input: AuditInput) -> FloatArray:
    from scipy.stats import hypergeom

    test = class_counts(audit_input, "test")
    n_test = test.sum(axis=1, keepdims=True)
    drawn_from = audit_input.target.size, np.bincount(audit_input.target, minlength=len(audit_input.classes)), n_test
    lower, upper = hypergeom.cdf(test, *drawn_from), hypergeom.sf(test - 1, *drawn_from)
    return np.where(n_test >= LEAST_JUDGED, np.minimum(1.0, 2 * np.minimum(lower, upper)), np.nan)


def _of_draws(audit_input: AuditInput, codes: IntArray, df: float) -> FloatArray:
    """p-values by the sum of the residuals of what was drawn, groups or rows, given as a code of each row."""
    n_groups = int(codes.max()) + 1
    by_group = np.stack([np.bincount(codes, weights=column, minlength=n_groups) for column in _residuals(audit_input).T], axis=1)
    tested = [np.unique(codes[split.test]) for split in audit_input.splits]
    m = np.array([groups.size for groups in tested], dtype=float)[:, None]
    sums = np.array([by_group[groups].sum(axis=0) for groups in tested])
    variance = m * (1 - m / n_groups) * by_group.var(axis=0, ddof=1)
    z = np.divide(sums, np.sqrt(variance), out=np.zeros_like(sums), where=variance > 0)
    return np.where((m >= LEAST_JUDGED) & (variance > 0), student_pvalue(z, df), np.nan)


def _residuals(audit_input: AuditInput) -> FloatArray:
    """Excess of each row over the average row: of each class, or of the rank of its target."""
    is_of_classes = audit_input.task == "classification"
    held = np.eye(len(audit_input.classes))[audit_input.target] if is_of_classes else mid_ranks(audit_input.target)[:, None]
    return np.asarray(held - held.mean(axis=0))


def _how(audit_input: AuditInput, split: int, column: int) -> str:
    """The gravest departure in words."""
    name, target, test = audit_input.split_name(split), audit_input.target, audit_input.splits[split].test
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
    late = Found.of([train[time[train] > time[test].min()] for train, test in audit_input.splits])
    if not late.splits:
        return
    n_late, n_train = late.rows.size, sum(audit_input.splits[number].train.size for number in late.splits)
    advice = 'Use cv="time", which trains on the past only; a gap= keeps what is known only later out of training.'
    if not bool((np.diff(time) >= 0).all()):
        advice += " Sort the rows by time first: such splits go by the order of rows."
    yield found(
        "future-in-training",
        "error",
        f"{audit_input.where(len(late.splits)).capitalize()} models are trained on what came later than test rows: "
        f"{n_late} of {n_train} training rows ({percent(n_late / n_train)}). In real use the future is not known.",
        advice,
        **late._asdict(),
        n_rows=n_late,
        share=n_late / n_train,
    )


def find_scattered_folds(audit_input: AuditInput) -> Iterator[Finding]:
    """Test rows that lie between training rows in time, as shuffled and stratified folds of ordered data do."""
    order = np.argsort(np.asarray(audit_input.time), kind="stable")
    side = np.zeros(audit_input.data.n_samples, dtype=np.int8)
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
    if n_tested and n_between > SCATTERED * expected:
        yield found(
            "folds-ignore-time",
            "warning",
            f"Times were given, but the folds are scattered over them ({audit_input.kind}): the next row in time of "
            f"{percent(n_between / n_tested)} of test rows is in training. Where neighbours in time are alike, such scores say "
            "how well gaps can be filled, not how well the future can be told.",
            'Use cv="time", or blocks of consecutive rows if the order of training and test does not matter in use.',
            splits=scattered,
            share=n_between / n_tested,
        )


_HOW = "Pass numbers, dates, or texts such as '2024-03-01' or '2024-03-01T12:00', one for each row."


def time_ranks(time: Any, dataset: Dataset) -> FloatArray:
    """The place of each row in time, ties alike; `time` holds numbers, dates, times or periods, or texts in ISO 8601.

    Raises `DataError` where a value is missing or cannot be put in order, or there is not one for each row.
    """
    values = as_column(time, "time", "time is not known")
    if values.size != dataset.n_samples:
        raise DataError(f"X has {dataset.n_samples} rows, but time has {values.size}. {_HOW}")
    kinds = sorted({type(value).__name__ for value in values.tolist()})
    try:
        # objects are compared themselves: dates, times of day, periods, Decimal numbers
        return np.unique(_dates(values) if kinds == ["str"] else values, return_inverse=True)[1].astype(float)
    except TypeError as error:
        raise DataError(f"time cannot be sorted: it holds {' and '.join(kinds)} ({error}). {_HOW}", about="time") from None


def _dates(texts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    import pandas as pd

    parsed = pd.to_datetime(pd.Series(texts.astype(object)), format="ISO8601", errors="coerce", utc=True)
    wrong = np.flatnonzero(parsed.isna().to_numpy())
    if wrong.size:
        raise DataError(
            f"time cannot be sorted: {str(texts[wrong[0]])!r} in row {wrong[0]} is text that is no date in ISO 8601. {_HOW} "
            "pandas.to_datetime(..., format=...) reads other ways to write dates.",
            about="time",
        )
    return parsed.dt.tz_localize(None).to_numpy()
