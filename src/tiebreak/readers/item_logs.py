"""Logs of evaluation tools for language models: lm-evaluation-harness, Inspect and Every Eval Ever.

A log holds an answer of one model to each sample. Each function here makes a long table of it: item, model, score, epoch, task.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tiebreak.errors import AmbiguousSourceError, InvalidScoresError, MissingDependencyError, Setting, UnreadableSourceError
from tiebreak.printable import printable
from tiebreak.readers.item_tables import LongTable
from tiebreak.readers.source import lines_of, parse_json, parse_log
from tiebreak.scores.vocabulary import quoted

Record = dict[str, Any]


def reads(path: Path) -> bool:
    """True for a log of one of the three tools, told by its ending and its first record."""
    if path.suffix.lower() == ".eval":
        return True
    if path.suffix.lower() == ".jsonl":
        first = _first_record(path)
        return _is_harness(first) or _is_every_eval(first)
    if path.suffix.lower() == ".json":
        with path.open(encoding="utf-8", errors="replace") as file:
            start = file.read(4096)
        return start.lstrip().startswith("{") and ('"eval"' in start or '"evaluation_results"' in start)
    return False


def read(path: Path, name: str, metric: str | None, *, is_main: bool = False) -> LongTable:
    """Long table of a log; of several metrics the first, its main one, if `is_main` and none is asked for."""
    try:
        return _read(path, name, metric, is_main=is_main)
    # a key is lacking, or holds something else or half of a character
    except (AttributeError, IndexError, KeyError, TypeError, UnicodeEncodeError) as error:
        said = f"{type(error).__name__}: {' '.join(str(error).split()):.100}"
        raise UnreadableSourceError(
            f"{name} is not as its tool writes a log, so no scores are found in it ({printable(said)}). Was it changed?"
        ) from None


def _read(path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    if path.suffix.lower() == ".eval":
        return _inspect(_inspect_archive(path, name), path, name, metric, is_main=is_main)
    if path.suffix.lower() == ".json":
        return _inspect(_inspect_json(path, name), path, name, metric, is_main=is_main)
    records = list(_records(path, name))
    if _is_harness(records[0]):
        return _harness(records, path, name, metric, is_main=is_main)
    return _every_eval(records, path, name, metric)


def _first_record(path: Path) -> Record:
    with path.open(encoding="utf-8", errors="replace") as file:
        line = next((line for _, line in lines_of(file, printable(str(path))) if line.strip()), "")
    try:
        found = parse_json(line, path.name)
    except UnreadableSourceError:  # whoever reads it says what is wrong
        return {}
    return found if isinstance(found, dict) else {}


def names_of_first(path: Path) -> list[str]:
    """Keys of the first record of a file of JSON lines."""
    return list(_first_record(path))


def is_plain_name(path: Path) -> bool:
    """True for samples of the harness whose name has no time in it, so that it says nothing of task and model."""
    return path.suffix.lower() == ".jsonl" and path.stem.startswith("samples_") and _SAMPLES.match(path.stem) is None


def _records(path: Path, name: str) -> Iterator[Record]:
    """Objects of a file of JSON lines."""
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in lines_of(file, name):
                if line.strip():
                    record = parse_log(line, f"{name}, line {number},", "Was the file cut short?")
                    if not isinstance(record, dict):
                        raise UnreadableSourceError(f"{name}, line {number} holds no object.")
                    yield record
    except UnicodeDecodeError as error:
        raise UnreadableSourceError(f"{name} is not UTF-8 text: {error.reason}.") from None


def _table(rows: Iterable[Record], held: str | None, name: str, remark: str = "") -> LongTable:
    import pandas as pd

    held_rows = list(rows)
    for row in held_rows:
        strange = next((key for key in _NAMED if isinstance(row.get(key), dict | list)), None)
        if strange is not None:
            shown = printable(repr(row[strange])[:60])
            raise UnreadableSourceError(f"{name} is not as its tool writes a log: {shown} is no name of {_NAMED[strange]}.")
    frame = pd.DataFrame(held_rows)
    if frame.empty:
        raise UnreadableSourceError(f"{name} holds no scored sample.{remark.removeprefix(f'{name}:')}")
    return LongTable(frame, held, remark)


_NAMED = {"item": "a sample", "model": "a model", "epoch": "an epoch", "item_hash": "a sample's content", "task": "a task"}
"""Columns of names, and what has them."""


def _choose(held: Iterable[str], asked: str | None, name: str, *, is_main: bool) -> str:
    """The metric asked for, or the only one, or the first if `is_main`."""
    found = list(dict.fromkeys(held))
    if asked in found:
        return str(asked)
    if asked is None and (len(found) == 1 or (found and is_main)):
        return found[0]
    what = f"holds {len(found)} metrics: {quoted(found)}" if asked is None else f"holds no metric {asked!r}, but {quoted(found)}"
    raise AmbiguousSourceError(f"{name} {what}. Say which one with ", Setting("metric"), ".")


def _number(value: Any, name: str, item: Any) -> float:
    """Score of a sample: a number, a truth, or one of Inspect's letters."""
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    try:
        if isinstance(value, bool | int | float | str):
            return float(value)
    except (OverflowError, ValueError):
        pass
    shown = printable(repr(value)[:60])
    raise InvalidScoresError(f"{name}, sample {item!r}: {shown} is no score of a single item. Metrics of a whole task have none.")


def _is_number(value: Any) -> bool:
    try:
        _number(value, "", "")
    except InvalidScoresError:
        return False
    return True


_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partial and no answer, as Inspect's scorers write them and its accuracy counts them."""


# --- lm-evaluation-harness: samples_TASK_TIME.jsonl in a folder called after the model ----------------------------------------

_SAMPLES = re.compile(r"samples_(?P<task>.+)_\d{4}-\d\d-\d\dT[\d.:-]+$")
_HARNESS_FIELDS = frozenset(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash target_hash task".split()
)


def _is_harness(record: Mapping[str, Any]) -> bool:
    return "doc_id" in record and ("filtered_resps" in record or "resps" in record)


def _harness(records: list[Record], path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    named = _SAMPLES.match(path.stem)
    # the harness makes a folder for each model, with / as __; a file elsewhere is called after itself
    model = path.resolve().parent.name.replace("__", "/") if named else path.stem.removeprefix("samples_")
    filters = list(dict.fromkeys(str(record.get("filter", "none")) for record in records))
    held: dict[str, tuple[str, str]] = {}
    for record in records:
        own = record.get("metrics") or [key for key in record if key not in _HARNESS_FIELDS]
        for each in own:
            kind = str(record.get("filter", "none"))
            held[each if len(filters) == 1 else f"{each},{kind}"] = (each, kind)
    chosen = _choose(held, metric if metric in held or len(filters) > 1 else _plain(metric), name, is_main=is_main)
    field, kind = held[chosen]
    rows = [
        {
            "item": record["doc_id"],
            "model": model,
            "score": _number(record.get(field), name, record["doc_id"]),
            "item_hash": record.get("doc_hash"),
            "task": named["task"] if named else "",
        }
        for record in records
        if str(record.get("filter", "none")) == kind
    ]
    several = "" if metric is not None else _of_several(named["task"] if named else path.stem, chosen, held)
    return _table(rows, field, name, several)


def _of_several(task: str, chosen: str, held: Iterable[str]) -> str:
    """Remark on the metric that was taken of several; "" where there is one."""
    others = [each for each in dict.fromkeys(held) if each != chosen]
    return f"{printable(task)}: {quoted([chosen])} is taken, and {quoted(others)} are there too (metric)" if others else ""


def _plain(metric: str | None) -> str | None:
    """Name of a metric without its filter, as the harness's results write it: "acc,none"."""
    return None if metric is None else metric.partition(",")[0]


# --- Inspect: a zip of JSON files, or one JSON file ---------------------------------------------------------------------------

_INSPECT_VERSION = 2

_MOST_UNPACKED, _MOST_PACKED = 10_000_000, 200
"""Bytes, and times the packed size, beyond both of which an archive was made to fill memory: texts pack to a tenth."""


def _inspect_archive(path: Path, name: str) -> tuple[Record, list[Record]]:
    """Header and samples of an .eval file."""
    _check_members(path, name)
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.namelist()
            start = next((each for each in ("header.json", "_journal/start.json") if each in members), None)
            if start is None:
                raise UnreadableSourceError(f"{name} is a zip file, but no log of Inspect: it has no header.json.")
            sizes = [(each.file_size, each.compress_size) for each in archive.infolist()]
            unpacked, packed = (sum(column) for column in zip(*sizes, strict=True))
            if unpacked > _MOST_UNPACKED and unpacked > _MOST_PACKED * packed:
                raise UnreadableSourceError(
                    f"{name} unpacks to {unpacked / 1e6:,.0f} MB from {packed / 1e6:,.1f} MB, which no log does. It is not read."
                )

            def content(member: str) -> Any:
                return parse_log(_unpacked(archive, member, path), f"{name}: {printable(member)}")

            header = content(start)
            samples = [_kept(content(each)) for each in members if re.fullmatch(r"samples/.+\.json", each)]
            if not samples and "summaries.json" in members:
                samples = [_kept(each) for each in content("summaries.json")]
    except zipfile.BadZipFile:
        raise UnreadableSourceError(
            f"{name} is no log of Inspect: an .eval file is a zip of JSON files, and it is none."
        ) from None
    except NotImplementedError:
        raise MissingDependencyError(
            f"{name} is compressed with Zstandard, which Python reads from 3.14 on, and before that with pyarrow: pip install "
            "'pyarrow>=17'. Use one of these, or write the log as JSON: inspect log convert --to json."
        ) from None
    except RuntimeError:
        raise UnreadableSourceError(
            f"{name} is encrypted, at least in part. Inspect writes no such logs; unpack it and pack it again without a password."
        ) from None
    except (zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        raise UnreadableSourceError(f"{name} cannot be unpacked: {error}. Was the file damaged?") from None
    return header, samples


_MOST_MEMBERS = 100_000
_DIRECTORY_ENTRY = b"PK\1\2"


def _check_members(path: Path, name: str) -> None:
    """Refuse an archive of more files than a log has samples before its directory is read, which takes as much memory."""
    n_members, before = 0, b""
    with path.open("rb") as file:
        while block := file.read(2**20):
            n_members += (before + block).count(_DIRECTORY_ENTRY)
            before = block[-3:]
    if n_members > _MOST_MEMBERS:
        raise UnreadableSourceError(f"{name} is a zip of {n_members:,} files, and no log has so many samples. It is not read.")


def _unpacked(archive: zipfile.ZipFile, member: str, path: Path) -> bytes:
    """A file of an archive, block by block: all at once, more would be unpacked than the archive says it is."""
    blocks = []
    try:
        with archive.open(member) as file:
            while block := file.read(2**20):
                blocks.append(block)
    except NotImplementedError:
        info = archive.getinfo(member)
        if info.compress_type != _ZSTANDARD or info.flag_bits & _ENCRYPTED:
            raise
        return _unpacked_zstandard(path, info)
    return b"".join(blocks)


_ZSTANDARD, _ENCRYPTED = 93, 1
"""Method of compression that Inspect writes, which zipfile knows from Python 3.14 on; and the flag of an encrypted member."""


def _unpacked_zstandard(path: Path, info: zipfile.ZipInfo) -> bytes:
    """A file of an archive that is compressed with Zstandard; no more of it than the archive says it is."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        local = file.read(_LOCAL_HEADER.size)
        if len(local) < _LOCAL_HEADER.size or not local.startswith(b"PK\3\4"):
            raise zipfile.BadZipFile
        file.seek(sum(_LOCAL_HEADER.unpack(local)), os.SEEK_CUR)
        packed = file.read(min(info.compress_size, path.stat().st_size))
    stream = _zstandard_stream(packed)
    blocks, n = [], 0
    try:
        while n <= info.file_size and (block := stream.read(2**20)):
            blocks.append(block)
            n += len(block)
    except Exception as error:  # each library has errors of its own
        raise zlib.error(str(error)) from None
    found = b"".join(blocks)
    if n != info.file_size or zlib.crc32(found) != info.CRC:
        raise zlib.error(f"{printable(info.filename)} does not unpack to what the archive says it is")
    return found


_LOCAL_HEADER = struct.Struct("<26xHH")
"""Lengths of the name and of the extra field, which stand between the header of a member and its data."""


def _zstandard_stream(packed: bytes) -> Any:
    """Stream of what is unpacked, by pyarrow or the package zstandard, which Inspect brings along."""
    try:
        import pyarrow as pa

        return pa.CompressedInputStream(pa.BufferReader(packed), "zstd")
    except ImportError:
        pass
    try:
        return import_module("zstandard").ZstdDecompressor().stream_reader(io.BytesIO(packed))
    except ImportError:
        raise NotImplementedError from None


def _kept(sample: Record) -> Record:
    """Number, epoch and scores of a sample: the rest is a whole conversation."""
    return {**{key: sample[key] for key in ("id", "epoch") if key in sample}, "scores": _scores_of(sample)}


def _inspect_json(path: Path, name: str) -> tuple[Record, list[Record]]:
    log = parse_log(path.read_bytes(), name, share=16)
    if "evaluation_results" in log:
        raise UnreadableSourceError(
            f"{name} holds the means of Every Eval Ever. Pass the file of its samples, the JSON lines that it names under "
            "'detailed_evaluation_results'."
        )
    return log, [_kept(sample) for sample in log.get("samples") or []]


def _inspect(log: tuple[Record, list[Record]], path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    header, samples = log
    version = header.get("version")
    if version != _INSPECT_VERSION:
        raise UnreadableSourceError(
            f"{name} is a log of Inspect of version {version!r}; tiebreak reads version {_INSPECT_VERSION}. Convert it with a "
            "current inspect: inspect log convert."
        )
    about = header.get("eval", {})
    scored = [sample for sample in samples if sample.get("scores")]
    held = list(dict.fromkeys(key for sample in scored for key in sample["scores"]))
    if is_main and metric is None and len(held) > 1:  # one that gives words is no score
        held = [key for key in held if all(_is_number(each["scores"].get(key, 0)) for each in scored)] or held
    scorer = _choose(held, metric, name, is_main=is_main) if scored else ""
    rows = [
        {
            "item": sample["id"],
            "model": about.get("model") or path.stem,
            "score": _number(sample["scores"][scorer], name, sample["id"]),
            "epoch": sample.get("epoch", 1),
            "task": str(about.get("task", "")),
        }
        for sample in scored
        if scorer in sample["scores"]
    ]
    lost = len(samples) - len(rows)
    status = header.get("status", "success")
    remark = f"{name}: {lost} of {len(samples)} samples have no score." if lost else ""
    remark += f" The evaluation ended with {status!r}." if status != "success" else ""
    binary = all(row["score"] in (0.0, 1.0) for row in rows)
    several = "" if metric is not None else _of_several(str(about.get("task", "")), scorer, held)
    return _table(rows, None if binary else scorer, name, "; ".join(filter(None, (remark.strip(), several))))


def _scores_of(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the name of their scorer; those of a scorer that gives several by its name and theirs."""
    found: dict[str, Any] = {}
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, Mapping) else score
        if isinstance(value, Mapping):
            found |= {f"{scorer}/{key}": each for key, each in value.items()}
        else:
            found[scorer] = value
    return found


# --- Every Eval Ever: JSON lines of samples -----------------------------------------------------------------------------------

_EVERY_EVAL_VERSIONS = ("0.2", "0.3")


def _is_every_eval(record: Mapping[str, Any]) -> bool:
    return "schema_version" in record and "sample_id" in record and "evaluation" in record


def _every_eval(records: list[Record], path: Path, name: str, metric: str | None) -> LongTable:
    for record in records:
        version = str(record.get("schema_version", "")).removeprefix("instance_level_eval_")
        if not version.startswith(_EVERY_EVAL_VERSIONS):
            raise UnreadableSourceError(
                f"{name} is of version {record.get('schema_version')!r} of the schema of Every Eval Ever; tiebreak reads "
                f"{' and '.join(_EVERY_EVAL_VERSIONS)}."
            )
    field = "is_correct" if metric in ("is_correct", "accuracy") else "score"
    attempts: dict[tuple[str, ...], int] = {}
    rows = []
    for record in records:
        key = tuple(str(record[part]) for part in ("model_id", "evaluation_name", "sample_id"))
        attempts[key] = attempts.get(key, 0) + 1
        rows.append(
            {
                "item": record["sample_id"],
                "model": record["model_id"],
                "score": _number(record["evaluation"][field], name, record["sample_id"]),
                "epoch": attempts[key],
                "item_hash": record.get("sample_hash"),
                "task": record["evaluation_name"],
            }
        )
    return _table(rows, "accuracy" if field == "is_correct" else None, name)
