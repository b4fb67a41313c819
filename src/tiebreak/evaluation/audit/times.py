"""Times as ranks, whatever they are given as; refused where nobody can say which came first."""

from __future__ import annotations

from typing import Any

import numpy as np

from tiebreak.errors import UnsortableTimeError
from tiebreak.numerics import FloatArray
from tiebreak.plan.data import Dataset

_HOW = "Pass numbers, dates, or texts such as '2024-03-01' or '2024-03-01T12:00', one for each row."


def time_ranks(time: Any, dataset: Dataset) -> FloatArray:
    """The place of each row in time, ties alike.

    Parameters
    ----------
    time : array_like of shape (n_samples,)
        Numbers, dates, times or periods, or texts in ISO 8601.
    dataset : Dataset

    Raises
    ------
    UnsortableTimeError
        A value is missing, or cannot be put before or after the others; or there is not one value for each row.
    """
    values = time.to_numpy() if hasattr(time, "to_numpy") else time
    try:
        values = np.asarray(values)
    except ValueError as error:
        raise UnsortableTimeError(f"time is no column: {error}. {_HOW}") from None
    if values.ndim != 1:
        raise UnsortableTimeError(f"time has shape {values.shape}. {_HOW}")
    if values.size != dataset.n_samples:
        raise UnsortableTimeError(f"X has {dataset.n_samples} rows, but time has {values.size}. {_HOW}")
    if values.dtype.kind in "OUS":
        values = _of_objects(values)
    if values.dtype.kind not in "iufmM":
        raise UnsortableTimeError(f"time is of type {values.dtype}, which has no order in time. {_HOW}")
    missing = np.isnat(values) if values.dtype.kind in "mM" else ~np.isfinite(values)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise UnsortableTimeError(
            f"time is missing or not finite in {int(missing.sum())} of {values.size} rows, the first is row {row} "
            f"({values[row]}). Leave these rows out, or fill in when they were known."
        )
    return np.unique(values, return_inverse=True)[1].astype(float)


def _of_objects(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Python's objects as an array that has an order; texts as dates."""
    import pandas as pd

    given = values.tolist()
    missing = np.flatnonzero(pd.isna(values.astype(object)))
    if missing.size:
        raise UnsortableTimeError(
            f"time is missing in {missing.size} of {len(given)} rows, the first is row {missing[0]}. Leave these rows out, or "
            "fill in when they were known."
        )
    kinds = {type(value) for value in given}
    if kinds <= {int, float, np.int64, np.float64}:
        return np.array(given, dtype=float)
    texts = [row for row, value in enumerate(given) if isinstance(value, str | bytes)]
    if texts and len(texts) < len(given):
        other = next(value for value in given if not isinstance(value, str | bytes))
        raise UnsortableTimeError(
            f"time holds texts ({given[texts[0]]!r}) and values of type {type(other).__name__} ({other!r}), which cannot be "
            f"sorted together. {_HOW}"
        )
    return _texts(given) if texts else _dates(given)


def _texts(given: list[Any]) -> np.ndarray[Any, Any]:
    import pandas as pd

    parsed = pd.to_datetime(pd.Series([str(value) for value in given]), format="ISO8601", errors="coerce", utc=True)
    wrong = np.flatnonzero(parsed.isna().to_numpy())
    if wrong.size:
        raise UnsortableTimeError(
            f"time cannot be sorted: {given[wrong[0]]!r} in row {wrong[0]} is text that is no date in ISO 8601. {_HOW} "
            "pandas.to_datetime(..., format=...) reads other ways to write dates."
        )
    return parsed.dt.tz_localize(None).to_numpy()


def _dates(given: list[Any]) -> np.ndarray[Any, Any]:
    """Ranks by comparing the objects themselves: dates, times of day, periods, Decimal numbers."""
    try:
        ordered = sorted(given)
        ranks = {value: float(rank) for rank, value in reversed(list(enumerate(ordered)))}
        return np.array([ranks[value] for value in given])
    except TypeError as error:
        names = " and ".join(sorted({type(value).__name__ for value in given}))
        raise UnsortableTimeError(f"time cannot be sorted: it holds {names} ({error}). {_HOW}") from None
