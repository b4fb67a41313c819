"""Encoding of what is kept: texts as JSON, scores as floats, arrays as their bytes, and a hash of each. Nothing is pickled."""

import json
import re
import struct
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np

from tiebreak.errors import InvalidParameterError
from tiebreak.plan.record import STATES, Cell, Outcome, Outputs, RunRecord
from tiebreak.plan.splits import fields_of
from tiebreak.scores.vocabulary import look_up
from tiebreak.stores.contract import MISMATCH, NOTES, Count

MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error)
"""What reading a row raises whose content is not what was written, or whose hash is right and whose content is not a store's."""


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


_PLACES = [struct.Struct(f"<{n}q") for n in range(5)]
"""Up to four numbers in little-endian bytes."""

read_hash = struct.Struct("<Q").unpack_from
"""Hash that the content of a row begins with, as the one number of a tuple."""


def sealed(content: bytes, kind: bytes, *place: int) -> bytes:
    """Content behind a hash of itself and of its place, so that it passes for nothing else."""
    return blake2b(content, digest_size=8, key=_PLACES[len(place)].pack(*place), person=kind).digest() + content


def unsealed(blob: Any, kind: bytes, *place: int) -> bytes:
    """Content of what `sealed` made; a ValueError where it is not as it was written."""
    content: bytes = blob[8:]
    # as `sealed` has it, which would be a call and a copy for each row of a table
    if blake2b(content, digest_size=8, key=_PLACES[len(place)].pack(*place), person=kind).digest() != blob[:8]:
        raise ValueError(MISMATCH)
    return content


# --- cells ----------------------------------------------------------------------------------------------------------------

Scores: TypeAlias = Annotated[dict[Count, float], msgspec.Meta(max_length=MOST_VALUES)]


class CellContent(msgspec.Struct, array_like=True, frozen=True, gc=False, forbid_unknown_fields=True):
    """A recorded cell, its scores by the stored position of their metric.

    `environment` is the position of the versions, `noted` has a bit for each of `NOTES`.
    """

    state: Annotated[int, msgspec.Meta(ge=0, lt=len(STATES))]
    environment: Count
    noted: Count
    seed: Count | None
    fit_seconds: float
    predict_seconds: float
    scores: Scores
    train_scores: Scores
    facts: bytes


_USUAL: dict[str, Any] = {
    "warnings": (),
    "message": "",
    "traceback": "",
    "attempts": 1,
    "chosen": "",
    "best_score": {},
    "undefined": {},
}
"""Facts of a cell beside its numbers, kept as far as they are not as usual; reasons by the position of their metric."""

to_msgpack = msgspec.msgpack.Encoder().encode
read_cell = msgspec.msgpack.Decoder(CellContent).decode


def cell_content(outcome: Outcome, environment: int, metrics: Mapping[str, int]) -> CellContent:
    """Content of an outcome; `metrics` has the position of every metric of the run.

    An outcome whose state or metric is none is refused, as it could not be told apart later.
    """
    if outcome.state not in STATES:
        raise InvalidParameterError(f"a cell is one of {', '.join(STATES)}; got {outcome.state!r}.")
    for name in chain(outcome.scores, outcome.undefined, outcome.train_scores):
        if name not in metrics:
            look_up(name, list(metrics), "metric")
    facts = {name: value for name, usual in _USUAL.items() if (value := getattr(outcome, name)) != usual}
    if outcome.undefined:
        facts["undefined"] = {str(metrics[name]): why for name, why in outcome.undefined.items()}
    scores, train = ({metrics[name]: float(x) for name, x in each.items()} for each in (outcome.scores, outcome.train_scores))
    noted = sum(NOTES.get(name, 0) for name in facts)
    times = float(outcome.fit_seconds), float(outcome.predict_seconds)
    packed = to_json(facts) if facts else b""
    return CellContent(STATES.index(outcome.state), environment, noted, outcome.seed, *times, scores, train, packed)


def read_outcome(content: CellContent, metrics: Mapping[str, int], cell: Cell, outputs: Outputs) -> Outcome:
    """Outcome of a cell, with its outputs, in metrics given with their positions; raises one of `MALFORMED`."""
    facts = from_json(content.facts) if content.facts else {}
    if not facts.keys() <= _USUAL.keys():
        raise ValueError("facts of no cell")
    reasons = {int(place): why for place, why in facts.get("undefined", {}).items()}
    parts: list[Mapping[int, Any]] = [content.scores, reasons, content.train_scores]
    scores, undefined, train = ({name: part[i] for name, i in metrics.items() if i in part} for part in parts)
    own = {
        "cell": cell,
        "state": STATES[content.state],
        "seed": content.seed,
        "scores": scores,
        "undefined": undefined,
        "train_scores": train,
        "fit_seconds": content.fit_seconds,
        "predict_seconds": content.predict_seconds,
        "outputs": outputs,
    }
    return msgspec.convert({**facts, **own}, Outcome)


# --- arrays ---------------------------------------------------------------------------------------------------------------

_TYPE = re.compile(r"[<>|=][biufc]\d{1,2}")
_Shape: TypeAlias = Annotated[list[Count], msgspec.Meta(max_length=64)]
_ARRAYS = msgspec.msgpack.Decoder(Annotated[list[tuple[bytes, str, _Shape, bytes]], msgspec.Meta(max_length=MOST_VALUES)])


def pack_arrays(arrays: Mapping[str, Any], what: str = "the array {!r}") -> bytes:
    """Bytes of arrays by name; raises for texts and objects."""
    found = [(name, np.asarray(value)) for name, value in arrays.items()]
    for name, array in found:
        if array.dtype.kind not in "biufc":
            raise InvalidParameterError(
                f"{what.format(name)} is an array of {array.dtype}, and a store keeps numbers and bools only. Turn labels into "
                "their positions among the classes."
            )
    return to_msgpack([(to_json(name), array.dtype.str, array.shape, array.tobytes()) for name, array in found])


def unpack_arrays(content: bytes) -> dict[str, np.ndarray[Any, np.dtype[Any]]]:
    """Arrays, not to be written to, of what `pack_arrays` made; raises one of `MALFORMED`."""
    arrays = {}
    for name, kind, shape, data in _ARRAYS.decode(content):
        if _TYPE.fullmatch(kind) is None:
            raise ValueError("no array of numbers")
        arrays[from_json(name)] = np.frombuffer(data, kind).reshape(shape)
    return arrays


# --- plans ----------------------------------------------------------------------------------------------------------------

_OF_SPLITS = ("repeat", "fold", "n_train", "n_test")
_Environments: TypeAlias = Annotated[list[dict[str, str]], msgspec.Meta(min_length=1)]


def pack_plan(record: RunRecord, environments: Sequence[Mapping[str, str]]) -> bytes:
    """Pack a plan with the versions that it was measured with so far; the same plan gives the same bytes."""
    arrays: dict[str, Any] = {}
    for i, dataset in enumerate(record.datasets):
        arrays |= {f"{i} {name}": getattr(dataset, name) for name in _OF_SPLITS}
        arrays |= {} if dataset.target is None else {f"{i} target": dataset.target}
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *dataset.test_rows])
        # the smallest type that holds them
        arrays[f"{i} rows"] = rows.astype(np.min_scalar_type(rows.max(initial=0))) if rows.min(initial=0) >= 0 else rows
    document = fields_of(record) | {
        "models": [fields_of(model) for model in record.models],
        "datasets": [fields_of(dataset) | dict.fromkeys((*_OF_SPLITS, "target", "test_rows")) for dataset in record.datasets],
        "metrics": [fields_of(metric) | {"metric": fields_of(metric.metric)} for metric in record.metrics],
        "versions": environments,
    }
    return pack_arrays({**arrays, "document": np.frombuffer(to_json(document), np.uint8)}, "the part {!r} of the plan")


def read_plan(content: bytes) -> tuple[RunRecord, tuple[Mapping[str, str], ...]]:
    """Read what `pack_plan` made; raises one of `MALFORMED` for a plan that no store has."""
    arrays = unpack_arrays(content)
    document = from_json(arrays["document"].tobytes())
    environments = tuple(msgspec.convert(document["versions"], _Environments))
    for i, dataset in enumerate(document["datasets"]):
        dataset.update({name: arrays[f"{i} {name}"].astype("int64") for name in _OF_SPLITS}, target=arrays.get(f"{i} target"))
        dataset["test_rows"] = np.split(arrays[f"{i} rows"].astype("int64"), np.cumsum(dataset["n_test"]))[:-1]
    return msgspec.convert({**document, "versions": environments[-1]}, RunRecord), environments
