"""Logs of evaluation tools for language models: Inspect and Every Eval Ever, and what the logs of all tools share.

A log holds an answer of one model to each sample. Each function here makes a long table of it: item, model, score, epoch, task,
and what the log says of the samples beside, for slices and clusters.
"""

from __future__ import annotations

import io
import lzma
import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from tiebreak.errors import AmbiguousSourceError, InvalidScoresError, MissingDependencyError, Setting, UnreadableSourceError
from tiebreak.printable import printable
from tiebreak.readers.item_tables import LongTable
from tiebreak.readers.source import lines_of, parse_json, parse_log
from tiebreak.scores.vocabulary import quoted

Record = dict[str, Any]


def reads(path: Path) -> bool:
    """True for a log of Inspect or Every Eval Ever, told by its ending and its first record."""
    if path.suffix.lower() == ".eval":
        return True
    if path.suffix.lower() == ".jsonl":
        return _is_every_eval(first_record(path))
    start = start_of_object(path)
    return '"eval"' in start or '"evaluation_results"' in start


def start_of_object(path: Path, length: int = 1 << 12) -> str:
    """First characters of a JSON file that holds an object, in which its first keys stand; "" for any other file."""
    if path.suffix.lower() != ".json":
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        start = file.read(length)
    return start if start.lstrip().startswith("{") else ""


def read(path: Path, name: str, metric: str | None, *, is_main: bool = False) -> LongTable:
    """Long table of a log; of several metrics the first, its main one, if `is_main` and none is asked for."""
    return as_written(_read, path, name, metric, is_main=is_main)


def as_written(read_log: Callable[..., LongTable], path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    """Long table of a log; what its tool would not have written is an error in words."""
    try:
        return read_log(path, name, metric, is_main=is_main)
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
    return _every_eval(list(records_of(path, name)), path, name, metric, is_main=is_main)


def first_record(path: Path) -> Record:
    """First object of a file of JSON lines; an empty one where there is none."""
    with path.open(encoding="utf-8", errors="replace") as file:
        line = next((line for _, line in lines_of(file, printable(str(path))) if line.strip()), "")
    try:
        found = parse_log(line, path.name)
    except UnreadableSourceError:  # whoever reads it says what is wrong
        return {}
    return found if isinstance(found, dict) else {}


def names_of_first(path: Path) -> list[str]:
    """Keys of the first record of a file of JSON lines."""
    return list(first_record(path))


def records_of(path: Path, name: str) -> Iterator[Record]:
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


def records_of_list(path: Path, name: str) -> list[Record]:
    """Objects of a file that is a list of them in JSON."""
    check_size(path, name, "Write a line for each sample.")
    found = parse_log(path.read_bytes(), name, "Was the file cut short?", share=16)
    if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
        raise UnreadableSourceError(f"{name} is no list of samples.")
    return found


def log_table(rows: Iterable[Record], held: str | None, name: str, remark: str = "", **more: Any) -> LongTable:
    """Long table of the samples of a log; fields beside the scores that tell every sample apart are left out."""
    import pandas as pd

    held_rows = list(rows)
    for row in held_rows:
        strange = next((key for key in _NAMED if isinstance(row.get(key), dict | list)), None)
        if strange is not None:
            shown = printable(repr(row[strange])[:60])
            raise UnreadableSourceError(f"{name} is not as its tool writes a log: {shown} is no name of {_NAMED[strange]}.")
    frame = pd.DataFrame(held_rows)
    if frame.empty or "score" not in frame or frame["score"].isna().all():
        raise UnreadableSourceError(f"{name} holds no scored sample.{remark.removeprefix(f'{name}:')}")
    if len(frame) > 1:
        n_items = frame["item"].nunique()
        frame = frame.drop(columns=[key for key in frame.columns if key not in _OWN and frame[key].nunique() in (0, n_items)])
    return LongTable(frame, held, remark, **more)


_NAMED = {"item": "a sample", "model": "a model", "epoch": "an epoch", "item_hash": "a sample's content", "task": "a task"}
"""Columns of names, and what has them."""

_OWN = frozenset((*_NAMED, "run", "score", "group", "subtask", "cluster", "weight"))
"""Columns of a log's table that have a meaning; fields of samples that are called so get a name of their own."""

_LONGEST_FIELD, _MOST_FIELDS = 80, 40
"""Characters of a text that may name a kind of sample, and fields that are kept."""


def fields_of(found: Any) -> Record:
    """Texts, whole numbers and truths that a log keeps of a sample, as texts, by which samples can be grouped."""
    if not isinstance(found, Mapping):
        return {}
    short = (
        (str(key), str(value))
        for key, value in found.items()
        if isinstance(value, str | int) and len(str(key)) <= _LONGEST_FIELD and _is_short(value)
    )
    return {f"{key} of the sample" if key in _OWN else key: value for key, value in islice(short, _MOST_FIELDS)}


def _is_short(value: str | int) -> bool:
    return len(value) <= _LONGEST_FIELD if isinstance(value, str) else abs(value) < 10**18


def choose_of(held: Iterable[str], asked: str | None, name: str, *, is_main: bool) -> str:
    """The metric asked for, or the only one, or the first if `is_main`."""
    found = list(dict.fromkeys(held))
    if asked in found:
        return str(asked)
    if asked is None and (len(found) == 1 or (found and is_main)):
        return found[0]
    what = f"holds {len(found)} metrics: {quoted(found)}" if asked is None else f"holds no metric {asked!r}, but {quoted(found)}"
    raise AmbiguousSourceError(f"{name} {what}. Say which one with ", Setting("metric"), ".")


def taken_of(task: str, chosen: str, held: Iterable[str]) -> str:
    """Remark on the metric that was taken of several; "" where there is one."""
    others = [each for each in dict.fromkeys(held) if each != chosen]
    return f"{printable(task)}: {quoted([chosen])} is taken, and {quoted(others, 6)} are there too (metric)" if others else ""


def score_of(value: Any, name: str, item: Any) -> float:
    """Score of a sample: a number, a truth, or one of Inspect's letters; nan where there is none."""
    if value is None:
        return math.nan
    if isinstance(value, str) and value in _LETTERS:
        return _LETTERS[value]
    try:
        if isinstance(value, bool | int | float | str):
            return float(value)
    except (OverflowError, ValueError):
        pass
    shown = printable(repr(value)[:60])
    if isinstance(value, str):
        raise InvalidScoresError(
            f"{name}, sample {item!r}: {shown} is a word and no score. Choose a scorer of numbers, of C and I, or of true and "
            "false as the metric, or write the words as numbers."
        )
    raise InvalidScoresError(f"{name}, sample {item!r}: {shown} is no score of a single item. Metrics of a whole task have none.")


def is_score(value: Any) -> bool:
    """True for what `score_of` takes."""
    try:
        score_of(value, "", "")
    except InvalidScoresError:
        return False
    return True


_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partial and no answer, as Inspect's scorers write them and its accuracy counts them."""


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
        with path.open("rb") as file:
            begins_well = file.read(4) == b"PK\3\4"
        why = (
            "begins as an .eval file and lacks its end. Was the evaluation or the copy stopped?"
            if begins_well
            else "is no log of Inspect: an .eval file is a zip of JSON files, and it is none."
        )
        raise UnreadableSourceError(f"{name} {why}") from None
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
    """Number, epoch, scores and short metadata of a sample: the rest is a whole conversation."""
    kept: Record = {key: sample[key] for key in ("id", "epoch") if key in sample}
    return {**kept, "error": bool(sample.get("error")), "fields": fields_of(sample.get("metadata")), "scores": _scores_of(sample)}


_MOST_JSON = 1_000_000_000
"""Bytes of a log in one JSON text, which is read as a whole and takes several times as much memory."""


def _inspect_json(path: Path, name: str) -> tuple[Record, list[Record]]:
    check_size(path, name, "Convert it: inspect log convert --to eval.")
    log = parse_log(path.read_bytes(), name, share=16)
    if "evaluation_results" in log:
        raise UnreadableSourceError(
            f"{name} holds the means of Every Eval Ever. Pass the file of its samples, the JSON lines that it names under "
            "'detailed_evaluation_results'."
        )
    return log, [_kept(sample) for sample in log.get("samples") or []]


def check_size(path: Path, name: str, advice: str) -> None:
    """Refuse a log in one JSON text that is too large to be read as a whole."""
    if (size := path.stat().st_size) > _MOST_JSON:
        raise UnreadableSourceError(
            f"{name} has {size / 1e6:,.0f} MB, and JSON of more than {_MOST_JSON / 1e6:,.0f} is not read as a whole. {advice}"
        )


def _inspect(log: tuple[Record, list[Record]], path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    header, samples = log
    version = header.get("version")
    if version != _INSPECT_VERSION:
        raise UnreadableSourceError(
            f"{name} is a log of Inspect of version {version!r}; tiebreak reads version {_INSPECT_VERSION}. Convert it with a "
            "current inspect: inspect log convert."
        )
    about = header.get("eval") or {}
    task = str(about.get("task") or "")
    scored = [sample for sample in samples if sample["scores"]]
    held = list(dict.fromkeys(key for sample in scored for key in sample["scores"]))
    if is_main and metric is None and len(held) > 1:  # one that gives words is no score
        held = [key for key in held if all(is_score(each["scores"].get(key, 0)) for each in scored)] or held
    scorer = choose_of(held, metric, name, is_main=is_main) if scored else ""
    rows = [
        {
            "item": sample["id"],
            "model": about.get("model") or path.stem,
            "score": score_of(sample["scores"].get(scorer), name, sample["id"]),
            "epoch": sample.get("epoch", 1),
            "task": task,
            **sample["fields"],
        }
        for sample in samples
    ]
    status = header.get("status", "success")
    several = "" if metric is not None else taken_of(task, scorer, held)
    remark = "; ".join(filter(None, (_of_lost(name, header, samples, scorer), several)))
    binary = all(row["score"] in (0.0, 1.0) for row in rows if not math.isnan(row["score"]))
    return log_table(
        rows,
        None if binary else scorer,
        name,
        remark,
        lower_is_better=False if any(each["scores"].get(scorer) in (*_LETTERS,) for each in samples) else None,
        time=str(about.get("created") or ""),
        settings=_settings_of(about),
        is_whole=status == "success",
    )


def _of_lost(name: str, header: Record, samples: list[Record], scorer: str) -> str:
    """Remark on samples without a score or an answer, on how the evaluation ended, and on epochs not averaged there."""
    lacking = [each for each in samples if each["scores"].get(scorer) is None]
    n_errors = sum(each["error"] for each in lacking)
    said = []
    if lacking:
        why = f", {n_errors} of them after an error" if n_errors else ""
        said.append(f"{len(lacking)} of {len(samples)} samples have no score{why}: they are missing, not wrong")
    n_silent = sum(each["scores"].get(scorer) == "N" for each in samples)
    if n_silent:
        said.append(f"{n_silent} of {len(samples)} samples have no answer (N) and count as wrong, as Inspect counts them")
    status = header.get("status", "success")
    if status != "success":
        said.append(f"The evaluation ended with {status!r}")
    reducers = [str(each) for each in ((header.get("eval") or {}).get("config") or {}).get("epochs_reducer") or []]
    if reducers and reducers != ["mean"] and any(each.get("epoch", 1) != 1 for each in samples):
        said.append(f"epochs are averaged here, and Inspect reports {quoted(reducers)} of them")
    return f"{name}: {'. '.join(said)}." if said else ""


def _settings_of(about: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Arguments of task, model and generation, by which two logs of one model and task may differ."""
    parts = (about.get(part) for part in ("task_args", "model_args", "model_generate_config", "solver_args"))
    found = {str(key): value for part in parts if isinstance(part, Mapping) for key, value in part.items()}
    if solver := about.get("solver"):
        found["solver"] = solver
    return tuple(sorted((key, str(value)) for key, value in found.items() if value is not None and len(str(value)) <= 200))


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


def _every_eval(records: list[Record], path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    for record in records:
        version = str(record.get("schema_version", "")).removeprefix("instance_level_eval_")
        if not version.startswith(_EVERY_EVAL_VERSIONS):
            raise UnreadableSourceError(
                f"{name} is of version {record.get('schema_version')!r} of the schema of Every Eval Ever; tiebreak reads "
                f"{' and '.join(_EVERY_EVAL_VERSIONS)}."
            )
    field = "is_correct" if metric in ("is_correct", "accuracy") else "score"
    records, several = _of_one_result(records, name, metric if field == "score" else None, is_main=is_main)
    attempts: dict[tuple[str, ...], int] = {}
    rows = []
    for record in records:
        key = tuple(str(record[part]) for part in ("model_id", "evaluation_name", "sample_id"))
        attempts[key] = attempts.get(key, 0) + 1
        score = None if record.get("error") else record["evaluation"][field]
        rows.append(
            {
                "item": record["sample_id"],
                "model": record["model_id"],
                "score": score_of(score, name, record["sample_id"]),
                "epoch": attempts[key],
                "item_hash": record.get("sample_hash"),
                "task": record["evaluation_name"],
                **fields_of(record.get("metadata")),
            }
        )
    n_errors = sum(bool(record.get("error")) for record in records)
    lost = f"{name}: {n_errors} of {len(records)} samples ended with an error: they are missing, not wrong." if n_errors else ""
    remark = "; ".join(filter(None, (lost, several)))
    times = [part for record in records[:1] if (part := str(record.get("evaluation_id", "")).rpartition("/")[2]).isdigit()]
    binary = all(row["score"] in (0.0, 1.0) for row in rows if not math.isnan(row["score"]))
    held = "accuracy" if field == "is_correct" else None if binary else metric or "score"
    direction = _direction_beside(path, records[0]) if field == "score" else None
    return log_table(rows, held, name, remark, time="".join(times), lower_is_better=direction)


def _direction_beside(path: Path, record: Record) -> bool:
    """Direction that the file of means beside says of a result; more is better where there is none."""
    beside = path.with_name(path.stem.removesuffix("_samples") + ".json")
    try:
        if not beside.is_file() or beside.is_symlink() or beside.stat().st_size > _MOST_UNPACKED:
            return False
        found = parse_json(beside.read_bytes(), beside.name)
        results = [each for each in found["evaluation_results"] if isinstance(each.get("metric_config"), dict)]
        keys = ("evaluation_result_id", "evaluation_name")
        own = [each for each in results if any(record.get(key) and each.get(key) == record.get(key) for key in keys)]
        return bool(own) and own[0]["metric_config"].get("lower_is_better") is True
    except (UnreadableSourceError, OSError, LookupError, TypeError, AttributeError):
        return False


def _of_one_result(records: list[Record], name: str, metric: str | None, *, is_main: bool) -> tuple[list[Record], str]:
    """Records of one metric where samples stand once for each: by the result that they are part of; and a remark."""
    results: dict[tuple[str, str], dict[str, None]] = {}
    for record in records:
        key = (str(record["model_id"]), str(record["evaluation_name"]))
        results.setdefault(key, {})[str(record.get("evaluation_result_id"))] = None
    if all(len(own) == 1 for own in results.values()):
        return records, ""
    held = [each for own in results.values() if len(own) > 1 for each in own]
    chosen = {
        choose_of(own, metric if metric in own else None, name, is_main=is_main or metric in held) for own in results.values()
    }
    task = next(key[1] for key, own in results.items() if len(own) > 1)
    kept = [record for record in records if str(record.get("evaluation_result_id")) in chosen]
    return kept, "" if metric in held else taken_of(task, next(each for each in held if each in chosen), held)
