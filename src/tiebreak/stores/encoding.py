"""Encoding of what is kept: texts as JSON, scores as floats, arrays as their bytes, and a hash of each. Nothing is pickled."""

import json
import math
import re
import struct
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import FloatArray
from tiebreak.plan.record import STATES, Cell, DatasetRecord, MetricRecord, ModelRecord, Outcome, Outputs, RunRecord
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import SplitKind
from tiebreak.stores.contract import MISMATCH, NOTES

BoolTable: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
NumericArray: TypeAlias = np.ndarray[Any, np.dtype[Any]]

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

_SECONDS = struct.Struct("<2d")


class _Facts(msgspec.Struct, forbid_unknown_fields=True):
    """Facts of a cell beside its numbers, as far as they are not as usual; reasons by the position of their metric."""

    warnings: tuple[str, ...] = ()
    message: str = ""
    traceback: str = ""
    attempts: int = 1
    seed: int | None = None
    chosen: str = ""
    best_score: dict[str, float] = {}
    undefined: dict[str, str] = {}


_USUAL = msgspec.structs.asdict(_Facts())


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


def read_outcome(row: CellRow, metrics: Sequence[str], cell: Cell, outputs: Outputs) -> Outcome:
    """Outcome in a row, of a cell, with its outputs; raises one of `MALFORMED`."""
    facts = msgspec.structs.asdict(msgspec.convert(from_json(row.facts), _Facts)) if row.facts else {}
    undefined = facts.pop("undefined", {}).items()
    require(0 <= row.state < len(STATES) and row.environment >= 0 <= row.outputs, f"state {row.state}")
    fit_seconds, predict_seconds = _SECONDS.unpack_from(row.numbers)
    return Outcome(
        cell,
        STATES[row.state],
        _unpack_scores(row.numbers[_SECONDS.size :], metrics),
        {metrics[int(place)]: why for place, why in undefined if int(place) < len(metrics)},
        _unpack_scores(row.train, metrics),
        fit_seconds,
        predict_seconds,
        outputs=outputs,
        **facts,
    )


def _pack_scores(scores: Mapping[str, float], metrics: Mapping[str, int]) -> bytes:
    """Little-endian float64 in the order of the metrics, then a byte for each, 1 where measured; or nothing."""
    if not scores:
        return b""
    values, measured = [math.nan] * len(metrics), bytearray(len(metrics))
    for name, score in scores.items():
        values[metrics[name]] = float(score)
        measured[metrics[name]] = 1
    return struct.pack(f"<{len(metrics)}d", *values) + measured


def _unpack_scores(packed: bytes, metrics: Sequence[str]) -> dict[str, float]:
    """Scores by metric. The run may have got some of the metrics after this was packed, or after they were read."""
    n_metrics = len(packed) // 9
    numbers = struct.unpack(f"<{n_metrics}d{n_metrics}B", packed)
    return {name: numbers[i] for i, name in enumerate(metrics[:n_metrics]) if numbers[n_metrics + i]}


def read_numbers(packed: Sequence[bytes], n_metrics: int) -> tuple[FloatArray, FloatArray, BoolTable]:
    """Read seconds, scores, and which of them were measured, of many cells; a column for each metric."""
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

_TYPE = re.compile(r"[<>|=][biufc]\d{1,2}")


def pack_arrays(arrays: Mapping[str, Any], what: str = "the array {!r}") -> bytes:
    """Bytes of arrays behind a list of their names, types and shapes; raises for texts and objects."""
    found = {name: np.asarray(value) for name, value in arrays.items()}
    for name, array in found.items():
        if array.dtype.kind not in "biufc":
            raise InvalidParameterError(
                f"{what.format(name)} is an array of {array.dtype}, and a store keeps numbers and bools only. Turn labels into "
                "their positions among the classes."
            )
    head = to_json([[name, array.dtype.str, array.shape] for name, array in found.items()])
    return b"".join((struct.pack("<q", len(head)), head, *(array.tobytes() for array in found.values())))


def unpack_arrays(content: bytes) -> dict[str, NumericArray]:
    """Arrays, not to be written to, of what `pack_arrays` made; raises one of `MALFORMED`."""
    start = 8 + struct.unpack_from("<q", content)[0]
    arrays = {}
    for name, dtype, shape, n in _layout(content[8:start]):
        require(n * dtype.itemsize <= len(content) - start, "an array of another size than it says")
        arrays[name] = np.frombuffer(content, dtype, n, start).reshape(shape)
        start += n * dtype.itemsize
    require(start == len(content), "arrays of another size than they say")
    return arrays


@lru_cache(maxsize=256)
def _layout(head: bytes) -> list[tuple[str, np.dtype[Any], list[int], int]]:
    """Name, type, shape and number of values of each array."""
    found = msgspec.convert(from_json(head), list[tuple[str, str, list[int]]])
    is_right = all(_TYPE.fullmatch(kind) and min(shape, default=0) >= 0 for _, kind, shape in found)
    require(is_right, "no array of numbers")
    return [(name, np.dtype(kind), shape, math.prod(shape)) for name, kind, shape in found]


# --- plans ----------------------------------------------------------------------------------------------------------------

_OF_SPLITS = ("repeat", "fold", "n_train", "n_test")


class _Dataset(msgspec.Struct):
    name: str
    fingerprint: str
    n_samples: int
    n_features: int
    classes: tuple[str | bool | int | float, ...] | None
    kind: SplitKind
    ordered: bool
    split_hashes: tuple[str, ...]


class _Plan(msgspec.Struct):
    name: str
    models: list[tuple[str, str, str]]
    datasets: list[_Dataset]
    metrics: list[tuple[str, bool, str]]
    rng: int | None
    threads: int | None
    settings: dict[str, Any]
    environments: list[dict[str, str]]


def pack_plan(record: RunRecord, environments: Sequence[Mapping[str, str]]) -> bytes:
    """Pack a plan with the versions that it was measured with so far; the same plan gives the same bytes."""
    arrays: dict[str, Any] = {}
    for i, dataset in enumerate(record.datasets):
        arrays |= {f"{i} {name}": getattr(dataset, name) for name in _OF_SPLITS}
        arrays |= {} if dataset.target is None else {f"{i} target": dataset.target}
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *dataset.test_rows])
        # the smallest type that holds them
        arrays[f"{i} rows"] = rows.astype(np.min_scalar_type(rows.max(initial=0))) if rows.min(initial=0) >= 0 else rows
    document = {
        "name": record.name,
        "models": [[model.name, model.fingerprint, model.text] for model in record.models],
        "datasets": [{name: getattr(dataset, name) for name in _Dataset.__struct_fields__} for dataset in record.datasets],
        "metrics": [[metric.name, bool(metric.metric.higher_is_better), metric.fingerprint] for metric in record.metrics],
        "rng": record.rng,
        "threads": record.threads,
        "settings": record.settings,
        "environments": environments,
    }
    return pack_arrays({**arrays, "document": np.frombuffer(to_json(document), np.uint8)}, "the part {!r} of the plan")


def unpack_plan(content: bytes) -> tuple[RunRecord, tuple[Mapping[str, str], ...]]:
    """Read what `pack_plan` made; raises one of `MALFORMED` for a plan that no store has."""
    arrays = unpack_arrays(content)
    plan = msgspec.convert(from_json(arrays["document"].tobytes()), _Plan)
    require(bool(plan.environments), "no versions")
    require(plan.threads is None or 0 < plan.threads < 2**20, "threads that are no number")
    return RunRecord(
        plan.name,
        tuple(ModelRecord(*each) for each in plan.models),
        tuple(_dataset(each, arrays, f"{i} ") for i, each in enumerate(plan.datasets)),
        tuple(MetricRecord(Metric(name, higher), fingerprint) for name, higher, fingerprint in plan.metrics),
        plan.rng,
        plan.threads,
        plan.environments[-1],
        plan.settings,
    ), tuple(plan.environments)


def _dataset(facts: _Dataset, arrays: Mapping[str, NumericArray], prefix: str) -> DatasetRecord:
    columns: dict[str, Any] = {name: _positions(arrays[prefix + name], 2**53) for name in _OF_SPLITS}
    rows, target = _positions(arrays[f"{prefix}rows"], facts.n_samples), arrays.get(f"{prefix}target")
    require(len({len(facts.split_hashes), *(column.size for column in columns.values())}) == 1, "splits that are none")
    require(0 <= facts.n_features < 2**53, "sizes that no data have")
    require(target is None or target.shape[:1] == (facts.n_samples,), "a target of another length")
    if target is not None and facts.classes is not None:
        _positions(target, len(facts.classes))
    ends = np.cumsum(columns["n_test"])
    require(columns["n_test"].max(initial=0) <= rows.size == ends[-1:].sum(), "splits that are none")
    return DatasetRecord(**msgspec.structs.asdict(facts), **columns, target=target, test_rows=tuple(np.split(rows, ends)[:-1]))


def _positions(values: NumericArray, below: int) -> NumericArray:
    """The values as positions; a ValueError for others."""
    is_so = values.ndim == 1 and values.dtype.kind in "iu" and 0 <= values.min(initial=0) <= values.max(initial=0) < max(below, 1)
    require(is_so, "numbers that are no positions")
    return values.astype("int64")
