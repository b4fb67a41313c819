"""Types of arrays, arithmetic on them that never warns, and checks of what callers pass, one for each kind of input."""

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import DataError, InvalidParameterError, Setting, TiebreakError

Alternative = Literal["two-sided", "greater", "less"]
Missing = Literal["raise", "pairwise"]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer]
Array = TypeVar("Array", bound=NDArray[Any])

SMALLEST_PVALUE = 5e-324
"""A p-value is never 0: where it is smaller than any float, it is the smallest one."""


BLOCK = 500_000
"""Numbers handled at a time (4 MB)."""


def blocks(n: int, width: int = 1, *, most: int | None = None, least: int = 1) -> Iterator[slice]:
    """Parts of n rows of some width, `BLOCK` or `most` numbers each, or `least` rows, so that large tables take little room."""
    step = max(least, (BLOCK if most is None else most) // max(1, width))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


class Interval(NamedTuple):
    """Lower and upper end, in the unit of the quantity; floats for a single row."""

    low: FloatArray
    high: FloatArray


def plain(values: Array) -> Array:
    """A single number as one of Python, which prints as one; anything else as it is."""
    return values if np.ndim(values) else np.asarray(values).item()


def divide(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Quotient without warnings: 0/0 is nan; x/0, and what is too large for a float, is infinite with the sign of x."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.divide(np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)))


@cache
def legendre(n: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of the Gauss-Legendre rule between -1 and 1."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return np.asarray(nodes), np.asarray(weights)


def mean_present(values: FloatArray, axis: int) -> FloatArray:
    """Mean along an axis of what is not nan; nan of nothing."""
    present = ~np.isnan(values)
    return divide(np.where(present, values, 0.0).sum(axis=axis), np.count_nonzero(present, axis=axis))


def mid_ranks(values: FloatArray, tolerance: FloatArray | float = 0.0) -> FloatArray:
    """Ranks along the last axis from 1 on, values within the tolerance of the next at the mean of theirs; nan comes last.

    `scipy.stats` has them too, and takes a second.
    """
    order, ranks = np.argsort(values, axis=-1, kind="stable"), np.empty(values.shape)
    first, last = tie_groups(np.take_along_axis(values, order, axis=-1), tolerance)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def tie_groups(ordered: FloatArray, tolerance: FloatArray | float) -> tuple[IntArray, IntArray]:
    """First and last position of the group of tied values that each one is in; values rise along the last axis, nan is last."""
    place, noise = np.arange(ordered.shape[-1]), np.asarray(tolerance)[..., None]
    with np.errstate(invalid="ignore"):  # inf - inf
        is_first = ~(np.diff(ordered, axis=-1, prepend=np.nan) <= noise)
        is_last = ~(np.diff(ordered, axis=-1, append=np.nan) <= noise)
    first = np.maximum.accumulate(np.where(is_first, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(is_last, place, place.size)[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def median_present(values: FloatArray) -> FloatArray:
    """Median along the last axis of what is not nan, of shape (..., 1); nan of nothing."""
    ordered, last = np.sort(values, axis=-1), np.count_nonzero(~np.isnan(values), axis=-1)[..., None] - 1  # nan comes last
    low, high = (np.take_along_axis(ordered, np.maximum(each, 0), axis=-1) for each in (last // 2, (last + 1) // 2))
    return np.asarray((low + high) / 2)


def floats(values: ArrayLike, name: str = "the scores", error: type[TiebreakError] = DataError) -> FloatArray:
    """Array of floats in which masked values are nan, as their data mean nothing; raises where values are no numbers."""
    given: Any = values
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers have no order")
        found = np.asarray(given.astype(float).filled(np.nan) if hasattr(given, "filled") else given)
        if given is None or found.dtype.kind in "mM":
            raise TypeError(f"got {values!r:.60}")
        return np.asarray(given if found.dtype.kind == "U" else found, dtype=float)  # whose error has the text as it was given
    except (TypeError, ValueError, OverflowError) as reason:
        raise error(f"{name} must be numbers in rows of equal length; {reason}.") from None


def check_array(
    values: ArrayLike,
    name: str,
    axes: str,
    least: tuple[int, ...] = (1,),
    *,
    can_lack: bool = False,
) -> FloatArray:
    """Array of finite floats by the names of its axes, such as "n_models, n_examples", after any others with "...".

    `least` has the fewest of each of the last axes; nan may stand for what is missing where the array `can_lack` numbers.
    """
    found, n_axes = floats(values, name), len(axes.removeprefix("..., ").split(", "))
    fits = found.ndim >= n_axes if axes.startswith("...") else found.ndim == n_axes
    n_wrong = np.count_nonzero(np.isinf(found) if can_lack else ~np.isfinite(found))
    if not fits or n_wrong or any(n < fewest for n, fewest in zip(found.shape[::-1], least[::-1], strict=False)):
        met = f"; {n_wrong} are {'infinite' if can_lack else 'nan or infinite'}" if n_wrong else ""
        raise DataError(
            f"{name} must be finite numbers{', or nan where they are missing,' if can_lack else ''} of the shape ({axes}), "
            f"{' by '.join(map(str, least))} or more; got the shape {found.shape}{met}."
        )
    return found


def floats_together(**given: ArrayLike) -> tuple[FloatArray, ...]:
    """Arrays of floats of one shape, by the names of the arguments; raises where their shapes do not go together."""
    found = [floats(values, name) for name, values in given.items()]
    try:
        return tuple(np.broadcast_arrays(*found))
    except ValueError:
        shapes = " and ".join(str(values.shape) for values in found)
        raise DataError(f"{' and '.join(given)} need shapes that go together; got {shapes}.") from None


def within(**given: tuple[ArrayLike, float, float]) -> tuple[FloatArray, ...]:
    """Arrays of floats of one shape, by the names of the arguments; raises where one is not within the limits beside it."""
    found = floats_together(**{name: values for name, (values, _, _) in given.items()})
    for values, (name, (_, low, high)) in zip(found, given.items(), strict=True):
        for value in values[~((values >= low) & (values <= high))].flat:
            raise DataError(f"{name} must lie between {low:g} and {high:g}; got {value:g}.")
    return found


def check_weights(weights: ArrayLike | None, n: int) -> FloatArray:
    """Weights of examples, 1 where there are none."""
    if weights is None:
        return np.ones(n)
    values = floats(weights, "weights")
    if values.shape != (n,):
        raise DataError(f"weights needs one number for each of the {n} examples; got the shape {values.shape}.")
    if not np.all(np.isfinite(values)) or np.any(values < 0) or values.sum() == 0:
        raise DataError(
            f"weights must be finite, not negative and not all 0; the smallest is {np.fmin.reduce(values):g}, "
            f"{np.isnan(values).sum()} are missing, and they sum to {np.nansum(values):g}."
        )
    return values


def refuse_unless(fits: object, name: str, must: str, value: object, hint: str = "") -> None:
    """Raise unless an argument fits: what it must be, and what was given."""
    if not fits:
        raise InvalidParameterError(f"{name} must {must}; got {value!r:.60}.{hint}", about=name)


def check_rows(given: ArrayLike, n_rows: int, name: str) -> IntArray:
    """Positions of rows, such as those of models: whole numbers from 0."""
    rows = floats(given, name, InvalidParameterError)
    are_rows = np.all((rows >= 0) & (rows < n_rows) & (rows == np.rint(rows)))
    refuse_unless(are_rows, name, f"be the position of a model, 0 to {n_rows - 1}", given)
    return rows.astype(np.intp)


def check_differences(differences: ArrayLike, *, min_splits: int = 2, unit: str = "split") -> FloatArray:
    """Array of floats with the splits, or another unit, on the last axis; raises where that cannot be."""
    d = floats(differences, "the differences")
    if d.ndim == 0:
        raise DataError(f"the differences must be a sequence, one per {unit}; got the single value {d!s}.")
    if d.shape[-1] < min_splits:
        advice = " to estimate how much a difference varies. Evaluate on more splits, for example repeated k-fold"
        raise DataError(f"{d.shape[-1]} {unit}(s), but at least {min_splits} are needed{advice if unit == 'split' else ''}.")
    return d


MOST_EXAMPLES = 1e15
"""Largest number of examples, up to which floats count one by one."""

LARGEST = 1e300
"""Scores and ropes are smaller: beyond it the difference of two numbers may be infinite."""

_SIZES = {
    "test_train_ratio": ("n_test / n_train", "the mean over the splits", MOST_EXAMPLES),
    "scale": ("the largest |score|", "the largest over the splits", LARGEST),
}


def check_sizes(given: ArrayLike, rows: tuple[int, ...] = (), name: str = "test_train_ratio") -> FloatArray:
    """Ratios n_test / n_train, or the `scale` of scores, not negative: one, or one for each row of differences.

    One for each split would silently be taken for rows of its own.
    """
    values, (what, each, most) = floats(given, name, InvalidParameterError), _SIZES[name]
    if values.ndim > len(rows) or any(n not in (1, m) for n, m in zip(values.shape[::-1], rows[::-1], strict=False)):
        raise InvalidParameterError(
            f"{name} is one number, or one for each row of differences, {each}; got the shape {values.shape} for rows of the "
            f"shape {rows}."
        )
    fits = np.all((values >= 0) & (values <= most))
    refuse_unless(fits, name, f"be {what}, a finite number of at least 0, and at most {most:g}", given)
    return values


def check_rope(rope: float) -> float:
    """Half-width of the region of practical equivalence, finite and not negative."""
    hint = " It is the smallest difference that matters to you, e.g. 0.01 for one point of accuracy."
    number = rope.item() if isinstance(rope, np.generic) else rope  # one of numpy with fewer digits overflows beside 1e300
    fits = _is_number(rope) and 0 <= number <= LARGEST
    refuse_unless(fits, "rope", "be a finite half-width of at least 0, in the metric's unit", rope, hint)
    return float(rope)


def share_in_units(rope: str, mean: float, tolerance: float, whose: str) -> float:
    """A rope that is a share of a mean, in the metric's unit; a mean of 0 is refused, with words on `whose` it is."""
    if abs(mean) <= tolerance:
        raise InvalidParameterError(
            Setting("rope", repr(rope)), f" is a share of the {whose} is 0. Give the rope in the metric's unit.", about="rope"
        )
    return rope_number(rope) * abs(mean)


def rope_number(rope: float | str) -> float:
    """A rope in the metric's unit, or the share behind one such as "1%" (0.01)."""
    if not isinstance(rope, str):
        return check_rope(rope)
    text = rope.strip()
    try:
        share = float(text.removesuffix("%")) / 100.0
    except ValueError:
        share = float("nan")
    fits = text.endswith("%") and 0 <= share < float("inf")
    refuse_unless(fits, "rope", "be a number in the metric's unit, or a percentage of the best mean such as '1%'", rope)
    return share


def check_probability(value: float, name: str) -> float:
    """A number strictly between 0 and 1."""
    hint = ""
    if _is_number(value) and 1 <= value < 100:
        # an alpha of 95 is the confidence that goes with 0.05
        meant = 1.0 - value / 100 if name == "alpha" and value > 50 else value / 100
        hint = f" Did you mean {meant:g}?"
    refuse_unless(_is_number(value) and 0 < 1 - value < 1, name, "lie between 0 and 1, ends excluded", value, hint)
    return float(value)


def alpha_of_level(level: ArrayLike) -> FloatArray:
    """Error rate of intervals of this coverage, one level for all or one for each."""
    for each in np.ravel(level).tolist():
        check_probability(each, "level")
    return 1.0 - np.asarray(level, dtype=float)


def check_seed(rng: Any) -> int:
    """A whole number that is not negative; a generator is asked for one."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    fits = isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0
    refuse_unless(fits, "rng", "be a whole number of at least 0, or a numpy Generator", rng)
    return int(rng)


def generator_of(rng: object, bits: type[np.random.BitGenerator] = np.random.SFC64) -> np.random.Generator:
    """The generator that was given, or one that starts from a seed: by default the fastest of numpy's."""
    return rng if isinstance(rng, np.random.Generator) else np.random.Generator(bits(check_seed(rng)))


LARGEST_COUNT = 10**9
"""More draws would take days, if they ended at all."""


def check_count(value: Any, name: str, least: int = 1, most: int = LARGEST_COUNT) -> int:
    """A whole number of at least 1, such as a number of draws; 100.0 is one too."""
    fits = _is_number(value) and value >= least and value % 1 == 0
    refuse_unless(fits, name, f"be a whole number of at least {least}", value)
    refuse_unless(value <= most, name, f"be at most {most:,}", value)
    return int(value)


def check_number(value: Any, name: str, low: float, high: float = np.inf) -> float:
    """A number from `low` to `high`."""
    allowed = f"of at least {low:g}" if high == np.inf else f"from {low:g} to {high:g}"
    is_a_float = _is_number(value) and not sys.float_info.max < abs(value) < math.inf  # as a whole number may be larger
    refuse_unless(is_a_float and low <= value <= high, name, f"be a number {allowed}", value)
    return float(value)


def row_counts(numbers: IntArray, n: int) -> IntArray:
    """Number of times that each of 0, ..., n - 1 stands in each row."""
    apart = numbers + n * np.arange(len(numbers))[:, None]
    return np.bincount(apart.ravel(), minlength=n * len(numbers)).reshape(len(numbers), n)


def group_codes(names: Sequence[object] | ArrayLike, n: int, what: str) -> tuple[IntArray, int]:
    """Number of each example's group, such as its cluster, and how many groups there are; names are numbers or texts."""
    try:
        given = np.asarray(names)
    except ValueError as reason:
        raise DataError(f"{what} needs one name for each of the {n} examples; {reason}.") from None
    if given.shape != (n,):
        raise DataError(f"{what} needs one name for each of the {n} examples; got the shape {given.shape}.")
    if given.dtype.kind == "f" and np.isnan(given).any():
        raise DataError(f"{int(np.isnan(given).sum())} of the {what} are nan; give each example one.")
    found, codes = np.unique(given.astype(str) if given.dtype == object else given, return_inverse=True)
    return codes, found.size


def positive_label(labels: Iterable[Any]) -> Any:
    """The label that is the positive class by itself: 1 of 0 and 1 or of -1 and 1, True of False and True; None for others."""
    found = set(labels)
    return next((label for label in found if label == 1), 1) if found <= {0, 1} or found <= {-1, 1} else None


def label_column(values: ArrayLike, name: str) -> NDArray[Any]:
    """Labels of examples as an array of one dimension, at least one; refuses nan and None. Messages call it `name`."""
    masked: Any = values if hasattr(values, "filled") else None
    try:
        column = np.asarray(values if masked is None else masked.astype(object).filled(None))
    except ValueError as error:
        raise InvalidParameterError(f"{name} must hold one label for each example; {error}.") from None
    if column.ndim == 2 and column.shape[1] == 1:
        column = column.ravel()
    if column.ndim != 1 or not column.size:
        got = "none" if column.ndim == 1 else f"an array of shape {column.shape}"
        raise InvalidParameterError(f"{name} must hold one label for each example; got {got}.")
    missing = [is_missing(each) for each in column.tolist()] if column.dtype.kind == "O" else column != column
    if np.any(missing):
        raise InvalidParameterError(
            f"{name}[{int(np.argmax(missing))}] is missing ({column[np.argmax(missing)]!s}). Leave out examples without a label."
        )
    return column


def is_missing(label: Any) -> bool:
    """True for None, nan and what else stands for no label."""
    return label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, float) and math.isnan(label))


def positive_examples(labels: ArrayLike) -> NDArray[np.bool_]:
    """True for each example of the positive class, by `positive_label`; refuses labels that do not tell, and missing ones."""
    column = label_column(labels, "is_positive")
    found = set(np.unique(column).tolist() if column.dtype.kind in "biuf" else column.tolist())
    chosen = positive_label(found)
    if chosen is None:
        some = ", ".join(sorted(map(repr, found))[:3])
        raise DataError(
            f"is_positive must be True or False, 1 or 0, or 1 or -1 for each example; it holds {some}. Of other labels say which "
            "one is positive, such as y == 'yes'."
        )
    return np.asarray(column == chosen, dtype=bool)


def check_choice(value: Any, choices: Iterable[str], name: str) -> None:
    """One of some words."""
    refuse_unless(isinstance(value, str) and value in choices, name, f"be one of {', '.join(map(repr, choices))}", value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))


def set_checked(instance: object, **values: object) -> None:
    """Put values into a frozen dataclass while it is made; nothing else writes into one."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)
