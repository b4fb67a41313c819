"""Encoding of what a row holds: scores as packed floats, arrays as .npy, all else as JSON. Nothing is pickled.

Functions that need numpy import it: a list of runs is there before numpy would be loaded.
"""

from __future__ import annotations

import io
import json
import math
import re
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from tiebreak.errors import InvalidParameterError

if TYPE_CHECKING:
    import numpy as np

    from tiebreak.numerics import FloatArray

NumericArray: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)
"""What reading a row raises whose hash is right and whose content is not what a store has: somebody made both."""

_NUMERIC = frozenset("biufc")
_NPY_1 = 10  # magic, version and length of the header
_NPY_MAGIC = b"\x93NUMPY\x01\x00"
_NPY_HEADER = re.compile(r"\{'descr': '([<>|=][biufc]\d{1,3})', 'fortran_order': False, 'shape': \(((?:\d+, ?)*\d*)\), ?\} *\n?")


def require(is_so: bool, what: str) -> None:
    """Raise `ValueError` for content that no store has."""
    if not is_so:
        raise ValueError(what)


def unreadable_text(error: Exception) -> str:
    """Words for a row that raised one of `MALFORMED`."""
    said = " ".join(str(error).split())
    return f"its hash matches, but its content is none ({said[:200] if isinstance(error, ValueError) else type(error).__name__})"


# --- scores ---------------------------------------------------------------------------------------------------------------


def pack_scores(scores: Mapping[str, float], place: Mapping[str, int]) -> bytes:
    """Pack scores: little-endian float64 in the order of the metrics, then a byte for each, 1 where measured; or nothing.

    `place` has the position of every metric of the run.
    """
    if not scores:
        return b""
    n_metrics = len(place)
    values, measured = [math.nan] * n_metrics, [0] * n_metrics
    for name, score in scores.items():
        values[place[name]] = float(score)
        measured[place[name]] = 1
    return struct.pack(f"<{n_metrics}d{n_metrics}B", *values, *measured)


def unpack_scores(packed: bytes, metrics: Sequence[str]) -> dict[str, float]:
    """Unpack the scores by metric. The run may have got some of the metrics after this was packed, or after they were read."""
    n_metrics = len(packed) // 9
    numbers = struct.unpack(f"<{n_metrics}d{n_metrics}B", packed)
    return {name: numbers[i] for i, name in enumerate(metrics[:n_metrics]) if numbers[n_metrics + i]}


def unpack_table(packed: Sequence[bytes], n_metrics: int) -> tuple[FloatArray, np.ndarray[tuple[int, int], np.dtype[np.bool_]]]:
    """Unpack the scores of many cells, and which of them were measured, with a column for each metric of the run."""
    import numpy as np

    score = np.full((len(packed), n_metrics), np.nan)
    measured = np.zeros((len(packed), n_metrics), dtype=np.bool_)
    lengths = np.array([len(each) for each in packed], dtype=np.int64)
    for length in np.unique(lengths[lengths > 0]).tolist():
        if length % 9:
            raise ValueError(f"{length} bytes of scores")
        rows = np.flatnonzero(lengths == length)
        table = np.frombuffer(b"".join([packed[i] for i in rows.tolist()]), np.uint8).reshape(rows.size, length)
        n_known = min(length // 9, n_metrics)
        values = np.ascontiguousarray(table[:, : 8 * (length // 9)]).view("<f8")
        score[rows, :n_known] = values[:, :n_known]
        measured[rows, :n_known] = table[:, 8 * (length // 9) :][:, :n_known] != 0
    return score, measured


# --- arrays ---------------------------------------------------------------------------------------------------------------


def to_npy(value: Any, what: str = "the array") -> bytes:
    """Bytes of a .npy file, version 1.0; raises for texts and objects, which could only be pickled."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in _NUMERIC:
        raise InvalidParameterError(
            f"{what} is an array of {array.dtype}, and a store keeps numbers and bools only. Turn labels into their positions "
            "among the classes."
        )
    return _npy_header(array.dtype.str, array.shape) + array.tobytes()


def from_npy(content: bytes) -> NumericArray:
    """Array, not to be written to, of bytes made by `to_npy`."""
    import numpy as np

    start = _NPY_1 + int.from_bytes(content[_NPY_1 - 2 : _NPY_1], "little")
    shape, dtype = _npy_layout(content[:start])
    n_values = math.prod(shape)
    if len(content) - start != n_values * dtype.itemsize:
        raise ValueError("an array of another size than it says")
    return np.frombuffer(content, dtype, count=n_values, offset=start if n_values else 0).reshape(shape)


@lru_cache(maxsize=256)
def _npy_header(descr: str, shape: tuple[int, ...]) -> bytes:
    import numpy as np

    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue()


@lru_cache(maxsize=256)
def _npy_layout(header: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type in a header as `to_npy` writes it. numpy itself would have the text parsed as Python."""
    import numpy as np

    found = _NPY_HEADER.fullmatch(header[_NPY_1:].decode("ascii")) if header.startswith(_NPY_MAGIC) else None
    if found is None:
        raise ValueError("no array of numbers")
    return tuple(int(size) for size in found[2].split(",") if size.strip()), np.dtype(found[1])


# JSON reads two escaped surrogates in a row as one character: NULs between them, one more than there were, keep them two.
_PAIR = re.compile("([\ud800-\udbff])(\0*)([\udc00-\udfff])")


def to_json(value: Any) -> str:
    """Write ASCII JSON of texts, numbers, lists and dicts; `from_json` makes the same of it, lone surrogates included."""
    text = json.dumps(value, default=_plain_number)
    return json.dumps(_map_texts(value, _part), default=_plain_number) if "\\ud" in text else text


name_to_json = lru_cache(maxsize=256)(to_json)
"""`to_json` of a text that comes again and again, kept."""


MOST_VALUES = 500_000
"""Values in a text of JSON; each takes up to 100 bytes of memory, whatever it takes in the file."""


def from_json(text: str) -> Any:
    """Read what `to_json` wrote; a ValueError for more values than `MOST_VALUES`."""
    if len(text) > MOST_VALUES and sum(map(text.count, "{[,:")) > MOST_VALUES + len(text) // 16:  # prose has marks too
        raise ValueError("more values than there can be")
    value = json.loads(text)
    return _map_texts(value, _join) if "\\ud" in text else value


def text_from_json(text: str | None) -> str:
    """Read what `to_json` wrote of a text."""
    value = from_json(text) if text is not None else None
    if not isinstance(value, str):
        raise ValueError("no text")
    return value


def texts_from_json(text: str | None) -> dict[str, str]:
    """Read what `to_json` wrote of texts by name."""
    value = from_json(text) if text is not None else None
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError("no texts by name")
    return value


def _part(text: str) -> str:
    return _PAIR.sub("\\1\\2\0\\3", text)


def _join(text: str) -> str:
    return _PAIR.sub(lambda found: found[1] + found[2][1:] + found[3], text)


def _map_texts(value: Any, change: Any) -> Any:
    """Change every text of a structure, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {_map_texts(key, change): _map_texts(each, change) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_map_texts(each, change) for each in value]
    return value


def _plain_number(value: Any) -> Any:
    """Turn scalars of numpy into what they are in Python."""
    import numpy as np

    if isinstance(value, np.generic) and isinstance(value.item(), (bool, int, float, str)):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise InvalidParameterError(
        f"a store keeps texts, numbers, lists and dicts of them, and not {type(value).__name__}; got {value!r:.200}. "
        "Turn it into one of those."
    )
