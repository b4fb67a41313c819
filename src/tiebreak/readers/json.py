"""Tables in JSON, as records or columns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tiebreak.errors import UnreadableSourceError
from tiebreak.readers.answer import is_answer, read_answer
from tiebreak.readers.columns import MOST_COLUMNS
from tiebreak.readers.score_tables import read_columns
from tiebreak.readers.source import (
    ReadOptions,
    Source,
    check_objects,
    check_whole,
    is_path,
    read_file,
    strict_json,
)


def reads(source: Any) -> bool:
    """True for the path of a JSON file, and for a list of records."""
    return is_path(source, ".json") or _is_records(source)


def _is_records(source: Any) -> bool:
    return isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping)


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores of records, or of a table in a JSON file."""
    if _is_records(source):
        return read_columns(_columns_of_records(list(source), name), "the list" if name == "the source" else name, options)
    return read_file(source, lambda path, name: _read_content(_parse(path, name), name, options))


def _parse(path: Path, name: str) -> Any:
    check_whole(path, name)
    try:
        text = path.read_text(encoding="utf-8-sig")
        check_objects(text, name)
        return strict_json(text)
    except json.JSONDecodeError as error:
        raise UnreadableSourceError(
            f"{name}, line {error.lineno}, column {error.colno}: {error.msg}. Is the file complete?"
        ) from None
    except UnicodeDecodeError as error:
        raise UnreadableSourceError(f"{name} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    except UnreadableSourceError:
        raise
    except ValueError as error:  # a key that stands twice, NaN, whole numbers of thousands of digits
        raise UnreadableSourceError(f"{name}: {error}.") from None
    except RecursionError:
        raise UnreadableSourceError(f"{name} is nested too deeply to be a table of scores.") from None


def _read_content(content: Any, name: str, options: ReadOptions) -> Source:
    if isinstance(content, dict) and is_answer(content):
        return read_answer(content, name, options)
    if isinstance(content, list):
        return read_columns(_columns_of_records(content, name), name, options)
    if isinstance(content, dict) and content:
        return read_columns(_columns(content), name, options)
    raise UnreadableSourceError(
        f"{name} is neither an answer of tiebreak nor a table. A table is a list of records, "
        '[{"model": ..., "fold": ..., "score": ...}, ...], or a dict of columns, {"model": [...], "fold": [...], "score": [...]}.'
    )


# --- tables -------------------------------------------------------------------------------------------------------------


def _columns_of_records(records: list[Any], name: str) -> dict[str, list[Any]]:
    if not records:
        raise UnreadableSourceError(f"{name} is an empty list, so there are no scores in it.")
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise UnreadableSourceError(
                f'{name}, row {number + 1}: a record such as {{"model": ..., "fold": ..., "score": ...}} is expected; '
                f"got {record!r:.60}."
            )
    names = dict.fromkeys(key for record in records for key in record)
    if len(names) > MOST_COLUMNS:
        raise UnreadableSourceError(f"{name} has records with {len(names)} different keys, so it is no table of scores.")
    return {key: [record.get(key) for record in records] for key in names}


def _columns(content: dict[str, Any]) -> dict[str, Any]:
    """Columns as lists; pandas writes each as a dict of row to value."""
    if not all(isinstance(column, dict) for column in content.values()):
        return content
    rows = list(dict.fromkeys(row for column in content.values() for row in column))
    return {key: [column.get(row) for row in rows] for key, column in content.items()}
