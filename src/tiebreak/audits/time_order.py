"""Splits against time: training on the future, and folds that are scattered over it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiebreak.audits.audit_input import AuditInput
from tiebreak.audits.findings import Finding, evidence, of_splits, percent
from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, is_missing
from tiebreak.plan.data import Dataset

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
        f"{of_splits(len(found), audit_input.n_splits).capitalize()} models are trained on what came later than test rows: "
        f"{late} of {n_train} training rows ({percent(late / n_train)}). In real use the future is not known.",
        evidence(np.concatenate(list(found.values())), splits=list(found), numbers={"n_rows": late, "share": late / n_train}),
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
    if values.ndim != 1:
        raise _refusal(f"time has shape {values.shape}. {_HOW}")
    if values.size != dataset.n_samples:
        raise _refusal(f"X has {dataset.n_samples} rows, but time has {values.size}. {_HOW}")
    if values.dtype.kind not in "iufmMOUS":
        raise _refusal(f"time is of type {values.dtype}, which has no order in time. {_HOW}")
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
