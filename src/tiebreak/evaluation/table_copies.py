"""Copies of tables that a model cannot tell from the first, their size, and what else in memory they may be part of."""

from __future__ import annotations

import copy
import os
import pickle
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from tiebreak.plan.leading_steps import SIMPLE

Array = np.ndarray[Any, Any]

SPARSE = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")

PLAIN = (*SIMPLE, type, slice, range, re.Pattern, np.dtype, np.generic, np.ufunc)
PLAIN_TYPES = frozenset({*SIMPLE, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType})

SHARE_OF_FREE = 0.25
"""Tables that are kept take at most this part of the memory that is free."""

SHARE_OF_PEAK = 0.25
"""What is needed because tables are kept is at most this part of the most that this process has ever needed."""

ALWAYS = 1_000_000
"""Bytes that are not worth a look at the memory."""

UNKNOWN_LIMIT = 64_000_000
"""Bytes that tables may take where a system does not say how much memory there is."""


class UnknownTable(Exception):
    """A table, or something that holds on to tables, of which it cannot be told what memory belongs to it."""


# --- copies -----------------------------------------------------------------------------------------------------------------


def maker_of_copies(table: Any) -> Callable[[Any], Any]:
    """Function that copies such tables: same values and types, and the same layout in memory, on which sums depend.

    Raises `UnknownTable` for one that cannot be copied like that.
    """
    kind = type(table)
    if kind is np.ndarray:
        _check_array(table)
        return _copy_array
    if kind.__name__ in SPARSE and kind.__module__.startswith("scipy.sparse"):
        for array in arrays_of(table):
            _check_array(array)
            if not array.flags.c_contiguous:
                raise UnknownTable
        return copy.deepcopy
    if kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas":
        if not all(isinstance(dtype, np.dtype) for dtype in table.dtypes):
            raise UnknownTable
        arrays = list(arrays_of(table))
        for array in arrays:
            _check_array(array, is_written=False)
        again = _copy_by_pickle(table)
        layouts = [[each.strides for each in (*arrays_of(frame), frame.to_numpy())] for frame in (table, again)]
        if layouts[0] != layouts[1] or getattr(table, "_is_copy", None) is not None:
            raise UnknownTable
        return _copy_by_pickle
    raise UnknownTable


def _check_array(array: Array, *, is_written: bool = True) -> None:
    """Refuse an array that is no plain one, or holds what may change."""
    is_plain = type(array) is np.ndarray and array.dtype.kind in "biufcUSO" and array.dtype.names is None and array.flags.aligned
    if not is_plain or (is_written and not array.flags.writeable) or any(stride < 0 for stride in array.strides):
        raise UnknownTable
    if array.dtype.kind == "O" and not set(map(type, array.ravel().tolist())) <= set(SIMPLE):
        raise UnknownTable


def _copy_array(array: Array) -> Array:
    """Copy of an array with the same strides, those of a view included."""
    copied = array.copy(order="K")
    if copied.strides == array.strides or array.dtype.kind == "O":
        return copied
    room = np.empty(-(-_extent(array) // array.itemsize), dtype=array.dtype)
    view: Array = np.lib.stride_tricks.as_strided(room, array.shape, array.strides)
    view[...] = array
    return view


def _copy_by_pickle(table: Any) -> Any:
    return pickle.loads(pickle.dumps(table, protocol=5))  # noqa: S301  (written here)


# --- what a table is made of ------------------------------------------------------------------------------------------------


def arrays_of(*things: Any) -> Iterator[Array]:
    """All arrays that things hold, at any depth.

    Raises `UnknownTable` where something holds memory of which nothing is known here.
    """
    seen: set[int] = set()
    ahead = list(things)
    while ahead:
        thing = ahead.pop()
        kind = type(thing)
        if kind in PLAIN_TYPES or isinstance(thing, PLAIN) or id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, np.ndarray):
            yield thing
            if thing.dtype.kind == "O":
                ahead += _not_simple(thing.ravel().tolist())
        elif isinstance(thing, dict):
            ahead += _not_simple(thing.values())
            ahead += _not_simple(thing)
        elif isinstance(thing, list | tuple | set | frozenset):
            ahead += _not_simple(thing)
        elif kind.__module__.partition(".")[0] == "pandas":
            yield from _arrays_of_pandas(thing)
        elif kind.__module__ == "sklearn.tree._tree" and kind.__name__ == "Tree":
            continue  # its memory is its own
        else:
            ahead += vars(thing).values() if _is_of_python(kind) else _refuse()


def _not_simple(values: Iterable[Any]) -> list[Any]:
    return [] if set(map(type, values)) <= PLAIN_TYPES else list(values)


def _refuse() -> list[Any]:
    raise UnknownTable


def _arrays_of_pandas(thing: Any) -> Iterator[Array]:
    """Columns of a frame, or a column; an index cannot be written to."""
    kind = type(thing).__name__
    if kind == "DataFrame":
        columns = [thing.iloc[:, position] for position in range(thing.shape[1])]
    elif kind == "Series":
        columns = [thing]
    elif kind.endswith("Index"):
        return
    else:
        raise UnknownTable
    for column in columns:
        if isinstance(column.dtype, np.dtype):
            yield column.to_numpy(copy=False)
            continue
        parts = [getattr(column.array, name, None) for name in ("_ndarray", "_data", "_mask")]
        arrays = [part for part in parts if isinstance(part, np.ndarray)]
        if not arrays and not hasattr(column.array, "_pa_array"):  # those of Arrow cannot be written to
            raise UnknownTable
        yield from arrays


def _is_of_python(kind: type) -> bool:
    """True for a class written in Python all the way down, whose objects hold what stands in their dictionary."""
    return all(
        base.__flags__ & (1 << 9) and not vars(base).get("__slots__") and "__reduce_cython__" not in vars(base)
        for base in kind.__mro__[:-1]
    )


def may_overlap(ones: Iterable[Array], others: Iterable[Array]) -> bool:
    """True if some array may lie where another one does."""
    others = list(others)
    return any(np.may_share_memory(one, other) for one in ones for other in others)


def have_same_values(one: Any, other: Any) -> bool:
    """True if two tables, one a copy of the other, are equal bit by bit; False too where that cannot be told."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return _are_same_arrays(one, other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if hasattr(one, "equals"):
        return bool(one.equals(other))
    if hasattr(one, "tocsr"):
        pairs = zip(arrays_of(one), arrays_of(other), strict=True)
        return one.shape == other.shape and all(_are_same_arrays(*pair) for pair in pairs)
    return False


def _are_same_arrays(one: Array, other: Array) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind == "O":
        return all(map(_is_same, one.ravel().tolist(), other.ravel().tolist()))
    if one.dtype.kind in "iufc" and one.itemsize in (1, 2, 4, 8):
        return bool(np.array_equal(one.view(f"u{one.itemsize}"), other.view(f"u{one.itemsize}")))  # nan is nan there
    return bool(np.array_equal(one, other))


def _is_same(one: Any, other: Any) -> bool:
    return one is other


# --- how much there is ------------------------------------------------------------------------------------------------------


def n_bytes(table: Any) -> int:
    """Bytes that a copy of a table takes; of a view, with what lies between its numbers."""
    if isinstance(table, np.ndarray) and table.size:
        return _extent(table)
    return sum(array.nbytes for array in arrays_of(table))


def _extent(array: Array) -> int:
    between = sum((size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True))
    return int(between + array.itemsize)


def is_too_much(kept: int, lent: int) -> bool:
    """True if tables of so many bytes, and a copy that a model works on, need too much of the memory that there is."""
    if kept + lent <= ALWAYS:
        return False
    free, peak = _free_memory(), _peak_memory()
    if free is not None and kept + lent > SHARE_OF_FREE * free:
        return True
    return kept > (SHARE_OF_PEAK * peak if peak is not None else UNKNOWN_LIMIT)


def _free_memory() -> int | None:
    """Bytes that this process could have without others being put on disk; None where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return min(int(line.split()[1]) * 1024, *_limits_of_group())
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _limits_of_group() -> list[int]:
    """Bytes that a container leaves, as far as it has a limit; a huge number otherwise."""
    left = [sys.maxsize]
    with suppress(OSError, ValueError):
        folder = Path("/sys/fs/cgroup")
        most, used = (int((folder / name).read_text(encoding="ascii")) for name in ("memory.max", "memory.current"))
        left.append(max(0, most - used))
    return left


def _peak_memory() -> int | None:
    """Most bytes that this process has ever had; None where the system does not say."""
    try:
        import resource
    except ImportError:  # on Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
