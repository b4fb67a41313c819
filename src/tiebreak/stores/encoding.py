"""Encoding of rows: texts as JSON, scores as packed floats, arrays as .npy, and a hash of each. Nothing is pickled.

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
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tiebreak.errors import InvalidParameterError
from tiebreak.plan.record import STATES, Cell, Outcome
from tiebreak.stores.damage import MISMATCH

if TYPE_CHECKING:
    import numpy as np

    from tiebreak.numerics import FloatArray

    BoolTable: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.bool_]]"
    NumericArray: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)
"""What reading a row raises whose content is not what was written, or whose hash is right and whose content is not a store's."""


def require(is_so: bool, what: str) -> None:
    """Raise `ValueError` for content that no store has."""
    if not is_so:
        raise ValueError(what)


def fault_text(error: Exception) -> str:
    """Words for a row that raised one of `MALFORMED`."""
    said = " ".join(str(error).split())
    if said == MISMATCH:
        return said
    return f"its hash matches, but its content is none ({said[:200] if isinstance(error, ValueError) else type(error).__name__})"


# --- texts ----------------------------------------------------------------------------------------------------------------

MOST_VALUES = 500_000
"""Values in a text of JSON; each takes up to 100 bytes of memory, whatever it takes in the file."""


def to_json(value: Any) -> bytes:
    """Write JSON of texts, numbers, lists and dicts; `from_json` makes the same of it, lone surrogates included."""
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


def from_json(content: bytes) -> Any:
    """Read what `to_json` wrote; a ValueError for more values than `MOST_VALUES`."""
    if len(content) > MOST_VALUES and sum(map(content.count, b"{[,:")) > MOST_VALUES + len(content) // 16:  # prose has marks too
        raise ValueError("more values than there can be")
    return json.loads(content.decode("utf-8", "surrogatepass"))


def _plain(value: Any) -> Any:
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


_ENCODER = json.JSONEncoder(default=_plain, ensure_ascii=False, separators=(",", ":"))


# --- hashes ---------------------------------------------------------------------------------------------------------------


def sealed(content: bytes, kind: str, *place: int) -> bytes:
    """Content behind a hash of itself and of its place, so that it passes for nothing else."""
    return _seal(content, kind, place) + content


def unsealed(blob: Any, kind: str, *place: int) -> bytes:
    """Content of what `sealed` made; a ValueError where it is not as it was written."""
    content = bytes(blob[8:]) if isinstance(blob, bytes) else b""
    require(content != b"" and blob[:8] == _seal(content, kind, place), MISMATCH)
    return content


def _seal(content: bytes, kind: str, place: Sequence[int]) -> bytes:
    return blake2b(content, digest_size=8, key=struct.pack(f"<{len(place)}q", *place), person=kind.encode()).digest()


class CellRow(NamedTuple):
    """A recorded cell; `noted` has a bit for each of `NOTES`, and `outputs` is the number of bytes of its outputs."""

    run: int
    dataset: int
    split: int
    model: int
    state: int
    environment: int
    noted: int
    outputs: int
    facts: bytes
    numbers: bytes
    train: bytes
    hash: int = 0

    @property
    def cell(self) -> Cell:
        """The cell, by its stored positions."""
        return Cell(*self[1:4])


_HEAD = struct.Struct("<10q")


def hashes(rows: Sequence[CellRow]) -> list[int]:
    """Hash of each row; raises one of `MALFORMED` where a value is of another type than was written."""
    digests = []
    for row in rows:
        facts, numbers, train = row[8:11]
        head = _HEAD.pack(*row[:8], len(facts), len(numbers))
        digests.append(blake2b(b"".join((head, facts, numbers, train)), digest_size=8).digest())
    return list(struct.unpack(f"<{len(rows)}q", b"".join(digests)))


def damaged(rows: Sequence[CellRow]) -> list[int]:
    """Find those of the rows that are not as they were written."""
    try:
        if hashes(rows) == [row[11] for row in rows]:
            return []
    except MALFORMED:
        pass
    return [i for i, row in enumerate(rows) if len(rows) == 1 or damaged([row])]


# --- cells ----------------------------------------------------------------------------------------------------------------

NOTES = {"warnings": 1, "undefined": 2}
_USUAL: Mapping[str, Any] = {
    "warnings": (),
    "message": "",
    "traceback": "",
    "attempts": 1,
    "seed": None,
    "chosen": "",
    "best_score": {},
}
_SECONDS = struct.Struct("<2d")


def cell_row(
    place: tuple[int, int, int, int], outcome: Outcome, environment: int, outputs: int, metrics: Mapping[str, int]
) -> CellRow:
    """Make the row of an outcome without its hash; `place` is its run and stored cell, `metrics` has every metric of the run."""
    facts = {name: value for name, usual in _USUAL.items() if (value := getattr(outcome, name)) != usual}
    if outcome.undefined:
        facts["undefined"] = {str(metrics[name]): why for name, why in outcome.undefined.items()}
    return CellRow(
        *place,
        STATES.index(outcome.state),
        environment,
        sum(bit for name, bit in NOTES.items() if name in facts),
        outputs,
        to_json(facts) if facts else b"",
        _SECONDS.pack(outcome.fit_seconds, outcome.predict_seconds) + _pack_scores(outcome.scores, metrics),
        _pack_scores(outcome.train_scores, metrics),
    )


def read_outcome(row: CellRow, metrics: Sequence[str]) -> Outcome:
    """Read the outcome in a row, without its outputs; raises one of `MALFORMED`."""
    facts = _facts(row.facts) if row.facts else {}
    undefined = facts.pop("undefined", {}).items()
    require(0 <= row.state < len(STATES) and row.environment >= 0 <= row.outputs, f"state {row.state}")
    fit_seconds, predict_seconds = _SECONDS.unpack_from(row.numbers)
    return Outcome(
        row.cell,
        STATES[row.state],
        _unpack_scores(row.numbers[_SECONDS.size :], metrics),
        {metrics[int(place)]: why for place, why in undefined if int(place) < len(metrics)},
        _unpack_scores(row.train, metrics),
        fit_seconds,
        predict_seconds,
        **facts,
    )


_KINDS = {
    "undefined": dict,
    "warnings": list,
    "message": str,
    "traceback": str,
    "attempts": int,
    "seed": int,
    "chosen": str,
    "best_score": dict,
}


def _facts(content: bytes) -> dict[str, Any]:
    facts: dict[str, Any] = from_json(content)
    require(all(type(value) is _KINDS.get(name) for name, value in facts.items()), "facts that no cell has")
    if facts.keys() & {"warnings", "undefined", "best_score"}:
        texts = (*facts.get("warnings", ()), *facts.get("undefined", {}).values())
        require(all(isinstance(text, str) for text in texts), "a warning or a reason that is no text")
        require(all(isinstance(score, float) for score in facts.get("best_score", {}).values()), "a score that is no number")
        facts["warnings"] = tuple(facts.get("warnings", ()))
    return facts


def _pack_scores(scores: Mapping[str, float], metrics: Mapping[str, int]) -> bytes:
    """Little-endian float64 in the order of the metrics, then a byte for each, 1 where measured; or nothing."""
    if not scores:
        return b""
    n_metrics = len(metrics)
    values, measured = [math.nan] * n_metrics, bytearray(n_metrics)
    for name, score in scores.items():
        values[metrics[name]] = float(score)
        measured[metrics[name]] = 1
    return struct.pack(f"<{n_metrics}d", *values) + measured


def _unpack_scores(packed: bytes, metrics: Sequence[str]) -> dict[str, float]:
    """Scores by metric. The run may have got some of the metrics after this was packed, or after they were read."""
    n_metrics = len(packed) // 9
    numbers = struct.unpack(f"<{n_metrics}d{n_metrics}B", packed)
    return {name: numbers[i] for i, name in enumerate(metrics[:n_metrics]) if numbers[n_metrics + i]}


def read_numbers(packed: Sequence[bytes], n_metrics: int) -> tuple[FloatArray, FloatArray, BoolTable]:
    """Read seconds, scores, and which of them were measured, of many cells; a column for each metric."""
    import numpy as np

    seconds = np.empty((len(packed), 2))
    score = np.full((len(packed), n_metrics), np.nan)
    measured = np.zeros((len(packed), n_metrics), dtype=np.bool_)
    lengths = np.array([len(each) for each in packed], dtype=np.int64)
    for length in np.unique(lengths).tolist():
        n_stored, rest = divmod(length - _SECONDS.size, 9)
        require(n_stored >= 0 == rest, f"{length} bytes of numbers")
        rows = np.flatnonzero(lengths == length)
        table = np.frombuffer(b"".join([packed[i] for i in rows.tolist()]), np.uint8).reshape(rows.size, length)
        n_known = min(n_stored, n_metrics)
        values = np.ascontiguousarray(table[:, : 16 + 8 * n_stored]).view("<f8")
        seconds[rows] = values[:, :2]
        score[rows, :n_known] = values[:, 2 : 2 + n_known]
        measured[rows, :n_known] = table[:, 16 + 8 * n_stored :][:, :n_known] != 0
    return seconds, score, measured


# --- arrays ---------------------------------------------------------------------------------------------------------------

_NPY = b"\x93NUMPY\x01\x00"
_NPY_HEADER = re.compile(rb"\{'descr': '([<>|=][biufc]\d{1,3})', 'fortran_order': False, 'shape': \(((?:\d+, ?)*\d*)\), ?\} *\n?")


def pack_arrays(arrays: Mapping[str, Any], what: str = "the array {!r}") -> bytes:
    """Arrays by name as .npy files behind a list of their names and sizes; raises for texts and objects."""
    blobs = {name: _to_npy(array, what.format(name)) for name, array in arrays.items()}
    head = to_json([[name, len(blob)] for name, blob in blobs.items()])
    return b"".join((struct.pack("<q", len(head)), head, *blobs.values()))


def unpack_arrays(content: bytes) -> dict[str, NumericArray]:
    """Arrays, not to be written to, of what `pack_arrays` made; raises one of `MALFORMED`."""
    start = 8 + struct.unpack_from("<q", content)[0]
    arrays = {}
    for name, size in from_json(content[8:start]):
        require(isinstance(name, str) and isinstance(size, int) and size >= 0, "the sizes of the arrays")
        arrays[name] = _from_npy(content[start : start + size])
        start += size
    require(start == len(content), "arrays of another size than they say")
    return arrays


def _to_npy(value: Any, what: str) -> bytes:
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise InvalidParameterError(
            f"{what} is an array of {array.dtype}, and a store keeps numbers and bools only. Turn labels into their positions "
            "among the classes."
        )
    return _npy_header(array.dtype.str, array.shape) + array.tobytes()


def _from_npy(content: bytes) -> NumericArray:
    import numpy as np

    start = 10 + int.from_bytes(content[8:10], "little")
    shape, dtype = _npy_layout(content[:start])
    require(len(content) - start == math.prod(shape) * dtype.itemsize, "an array of another size than it says")
    # the offset lies behind the end of an array without values
    return np.frombuffer(content, dtype, count=math.prod(shape), offset=start * bool(math.prod(shape))).reshape(shape)


@lru_cache(maxsize=256)
def _npy_header(descr: str, shape: tuple[int, ...]) -> bytes:
    import numpy as np

    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": descr, "fortran_order": False, "shape": shape})
    return stream.getvalue()


@lru_cache(maxsize=256)
def _npy_layout(header: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type in a header as `_npy_header` writes it. numpy itself would have the text parsed as Python."""
    import numpy as np

    found = _NPY_HEADER.fullmatch(header[10:]) if header.startswith(_NPY) else None
    if found is None:
        raise ValueError("no array of numbers")
    return tuple(int(size) for size in found[2].split(b",") if size.strip()), np.dtype(found[1].decode())
