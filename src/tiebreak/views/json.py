"""Results as JSON knows them: lists, texts and finite numbers; long lists are written piece by piece."""

from __future__ import annotations

import dataclasses
import errno
import json
import math
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tiebreak
from tiebreak.errors import StoreError

if TYPE_CHECKING:
    from tiebreak.plan.record import RunRecord
    from tiebreak.scores.metric import Metric

SCHEMA = 1
"""Of results but comparisons and their pairs, which are at 2."""


def metric_record(metric: Metric) -> dict[str, Any]:
    """Name and direction."""
    return {"name": metric.name, "higher_is_better": metric.higher_is_better}


def document(**content: Any) -> dict[str, Any]:
    """Content under the numbers of the schema and of this version; docs/api.md describes it for its readers."""
    return {"schema": SCHEMA, "tiebreak": tiebreak.__version__, **content}


def dataset_facts(record: RunRecord) -> list[dict[str, Any]]:
    """Sizes and splits of each dataset of a run."""
    return [
        {
            "name": each.name,
            "n_samples": each.n_samples,
            "n_features": each.n_features,
            "splits": each.kind,
            "n_splits": each.n_splits,
        }
        for each in record.datasets
    ]


def finite(value: Any) -> Any:
    """A number that is nan or infinite as None, which JSON can say; anything else as it is."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plain(value: Any) -> Any:
    """A value with all that it shows: arrays as lists, records as dicts, what is undefined as None, the rest by its repr."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value) if field.repr}
    if hasattr(value, "tolist") and not isinstance(value, type):
        return plain(value.tolist())
    return finite(value) if value is None or isinstance(value, bool | int | float | str) else repr(value)


def json_pieces(facts: Mapping[str, Any]) -> Iterator[str]:
    """Facts as text in pieces: a key on each line, and an entry on each line of what is an iterator.

    So a large table is never held as Python objects or as one text.
    """
    opening = "{\n"
    for key, value in facts.items():
        yield f"{opening}{encoded(key)}: "
        opening = ",\n"
        yield from _array(value) if isinstance(value, Iterator) else (encoded(value),)
    yield "\n}"


def _array(entries: Iterator[Any]) -> Iterator[str]:
    opening = "[\n"
    for entry in entries:
        yield f"{opening}{encoded(entry)}"
        opening = ",\n"
    yield "[]" if opening == "[\n" else "\n]"


def encoded(value: Any, indent: int | None = None, *, is_tight: bool = False) -> str:
    """A plain value as JSON in printable ASCII, whatever stands in its texts; an iterator within is a list."""
    how: dict[str, Any] = {"indent": indent, "separators": (",", ":") if is_tight else None}
    return json.dumps(value, ensure_ascii=True, allow_nan=False, default=list, **how).replace("\x7f", r"\u007f")


# --- files ----------------------------------------------------------------------------------------------------------------

_FILE_RIGHTS, _FOLDER_RIGHTS = 0o644, 0o755
"""At most; the umask takes from them."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file through a temporary one in the same folder, so that nobody ever sees half of it.

    A file is never written through a link, a device or pipe is written to as it is, and a file that is replaced keeps its rights.
    A failure is an `StoreError`, after which everything is as it was.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            _refuse_link(path)
            _replace(path, content)
    except OSError as error:
        raise _unwritten(path, error) from error


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        what = f"{path} is a link to {os.path.realpath(path)}, and no file is written through a link"
        raise StoreError(f"{what}. Name the file itself, or remove the link.")


def _replace(target: Path, content: bytes) -> None:
    temporary = target.with_name(f".{target.name[:40]}.{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "xb", opener=_opener) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _opener(name: str, flags: int) -> int:
    return os.open(name, flags, _FILE_RIGHTS)


def append_whole(path: Path, content: bytes) -> None:
    """Add to the end of a file that is no link, after a line of its own where something stands there; all of it or nothing."""
    _refuse_link(path)
    with open(path, "ab", buffering=0, opener=_opener) as file:
        end = file.seek(0, os.SEEK_END) if file.seekable() else 0
        text = b"\n" + content if end else content
        if file.write(text) < len(text):  # the next byte would raise
            file.truncate(end)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def make_folder(folder: Path) -> None:
    """Make a folder for output where there is none, its parents included."""
    try:
        for each in (*reversed(folder.parents), folder):
            each.mkdir(_FOLDER_RIGHTS, exist_ok=True)
    except OSError as error:
        raise _unwritten(folder, error) from error


def _unwritten(path: Path, error: OSError) -> StoreError:
    advice = " Free some space there, or name another place." if error.errno in _NO_ROOM else ""
    return StoreError(f"{path} could not be written: {error.strerror or error}. No part of it was kept.{advice}")
