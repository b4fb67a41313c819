"""JSON: what tiebreak itself has written, or a table as records or columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

import tiebreak
from tiebreak.errors import UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.readers.columns import MOST_COLUMNS, to_float
from tiebreak.readers.metric import check_held, of_asked_metric
from tiebreak.readers.score_tables import read_columns
from tiebreak.readers.source import (
    ReadOptions,
    Source,
    approximate_sizes,
    assumed_paired,
    check_finite,
    check_objects,
    check_whole,
    is_path,
    known_sizes,
    read_file,
    strict_json,
    with_sizes,
)
from tiebreak.scores.items import Items, check_items
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import SavedSettings, ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Kind, Notice

SCHEMAS = (1, 2)
"""Schemas that are read: in the first one, "scores" is that of one dataset, and the rope as it was asked "rope_given"."""


def reads(source: Any) -> bool:
    """True for the path of a JSON file, for a dict that was read from an answer of tiebreak, and for a list of records."""
    return is_path(source, ".json") or (isinstance(source, Mapping) and _is_answer(source)) or _is_records(source)


def _is_records(source: Any) -> bool:
    return isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping)


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores of an answer of tiebreak, or of a table in a JSON file."""
    if isinstance(source, Mapping):
        return read_answer(source, name, options)
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
    if isinstance(content, dict) and _is_answer(content):
        return read_answer(content, name, options)
    if isinstance(content, list):
        return read_columns(_columns_of_records(content, name), name, options)
    if isinstance(content, dict) and content:
        return read_columns(_columns(content), name, options)
    raise UnreadableSourceError(
        f"{name} is neither an answer of tiebreak nor a table. A table is a list of records, "
        '[{"model": ..., "fold": ..., "score": ...}, ...], or a dict of columns, {"model": [...], "fold": [...], "score": [...]}.'
    )


class ItemReference(NamedTuple):
    """Hash of items that were too many to write into an answer, and its settings."""

    hash: str
    saved_settings: SavedSettings


def holds_answered_items(source: Any) -> bool:
    """True for an answer of tiebreak about single items, a JSON file or what was read from one."""
    return _items_in(source) is not None


def reference_of(source: Any) -> ItemReference | None:
    """The reference in an answer that holds its items by reference only; None for anything else."""
    items = _items_in(source)
    if items is None or items.get("inline"):
        return None
    name = printable(str(source)) if is_path(source, ".json") else "the answer"
    reader = _Reader(source if isinstance(source, Mapping) else _parse(Path(source), name), name)
    asked = _saved_settings(reader, _check_schema(reader))
    return ItemReference(reader.get("items", "hash", kind=str), asked[0] if asked else SavedSettings(name, {}))


def _items_in(source: Any) -> Mapping[str, Any] | None:
    if is_path(source, ".json") and Path(source).is_file():
        with Path(source).open(encoding="utf-8-sig", errors="replace") as file:
            if '"schema"' not in file.read(100):
                return None
        source = _parse(Path(source), printable(str(source)))
    if not isinstance(source, Mapping) or not _is_answer(source):
        return None
    items = source.get("items")
    return items if isinstance(items, Mapping) else None


def _is_answer(content: Mapping[Any, Any]) -> bool:
    return "schema" in content and ("scores" in content or "tiebreak" in content)


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


# --- our own ------------------------------------------------------------------------------------------------------------


class _Reader:
    """Values of a parsed answer, with an error that says where something else is found."""

    def __init__(self, content: Mapping[str, Any], name: str) -> None:
        self.content = content
        self.name = name

    def get(self, *keys: str, kind: type | tuple[type, ...], optional: bool = False) -> Any:
        """The value under nested keys; None if it is optional and absent or null."""
        value: Any = self.content
        for key in keys:
            value = value.get(key) if isinstance(value, Mapping) else None
        if (value is None and optional) or isinstance(value, kind):
            return value
        raise self.wrong(keys, "missing" if value is None else f"{value!r:.60}")

    def wrong(self, keys: Sequence[str], found: str) -> UnreadableSourceError:
        """The error for a value that should be something else."""
        return UnreadableSourceError(
            f"{self.name}: {'.'.join(keys)} is {found}, which tiebreak does not write. Was the file changed or cut short?"
        )

    def with_scores(self, scores: Any) -> _Reader:
        """Reader of the answer with the scores of one of its datasets."""
        if not isinstance(scores, Mapping):
            raise self.wrong(["scores"], f"a list with {scores!r:.60}")
        return _Reader({**self.content, "scores": scores}, self.name)

    def whole_numbers(self, key: str, length: int | None) -> IntArray | None:
        """A list of whole numbers in "scores", None where it is null."""
        values = self.get("scores", key, kind=list, optional=True)
        if values is None:
            return None
        if not all(isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62 for value in values):
            raise self.wrong(["scores", key], f"{values!r:.60}")
        if length is not None and len(values) != length:
            raise self.wrong(["scores", key], f"of length {len(values)}, where {length} splits are")
        return np.array(values, dtype=np.int64)


def read_answer(content: Mapping[str, Any], name: str, options: ReadOptions) -> Source:
    """Scores of a parsed answer, with the settings of its comparison; `name` is what messages call it."""
    reader = _Reader(content, name)
    schema = _check_schema(reader)
    metric = Metric(reader.get("metric", "name", kind=str), reader.get("metric", "higher_is_better", kind=bool))
    if schema > 1 and reader.get("items", kind=dict, optional=True) is not None:
        check_held(metric, options, reader.name)
        scores = _answered_items(reader, metric).as_scores()
        return Source(replace(scores, saved_settings=_saved_settings(reader, schema)), reader.name)
    each = [reader] if schema == 1 else [reader.with_scores(one) for one in reader.get("scores", kind=list)]
    if not each:
        raise reader.wrong(["scores"], "empty")
    matrices = tuple(with_sizes(_matrix(one), options, reader.name) for one in each)
    for matrix in matrices:
        check_finite(matrix, reader.name)
    design, notices = _design(reader, matrices)
    scores = Scores(metric, matrices, design, notices, _saved_settings(reader, schema))
    return Source(of_asked_metric(scores.with_matrices(matrices), options, reader.name), reader.name)


_KINDS: dict[str, type | tuple[type, ...]] = {
    "rope": (int, float, str),
    "alpha": float,
    "baseline": str,
    "correction": str,
    "alternative": str,
    "order": list,
    "family": str,
    "method": str,
    "missing": str,
    "rng": int,
    "p_best": bool,
    "options": dict,
    "scale": str,
    "by": str,
    "looks": dict,
}
"""Settings of a comparison, each with the kinds of its values; null is a value too."""


def _saved_settings(reader: _Reader, schema: int) -> tuple[SavedSettings, ...]:
    """Settings of the comparison as they were asked for."""
    if reader.get("settings", kind=dict, optional=True) is None:
        return ()
    key = {"rope": "rope_given"} if schema == 1 else {}
    held = [name for name in _KINDS if key.get(name, name) in reader.content["settings"]]
    settings = {name: reader.get("settings", key.get(name, name), kind=_KINDS[name], optional=True) for name in held}
    if settings.get("order") is not None:
        settings["order"] = tuple(settings["order"])
    used = reader.get("resolved", "correction", kind=str, optional=True) or ""
    return (SavedSettings(reader.name, settings, used, reader.get("sentence", kind=str, optional=True) or ""),)


def _check_schema(reader: _Reader) -> int:
    schema = reader.get("schema", kind=(int, float, str))
    if schema not in SCHEMAS:
        writer = reader.get("tiebreak", kind=str, optional=True)
        by = f"tiebreak {writer}" if writer else "another tiebreak"
        raise UnreadableSourceError(
            f"{reader.name} was written by {by} with schema {schema}; tiebreak {tiebreak.__version__} reads schemas 1 and 2. "
            "Update tiebreak, or write the file anew with this version."
        )
    return int(schema)


def _answered_items(reader: _Reader, metric: Metric) -> Items:
    """Scores of single items, as `views.comparison` writes them."""

    def texts(*keys: str) -> tuple[str, ...]:
        values = reader.get("items", *keys, kind=list)
        if not all(isinstance(value, str) for value in values):
            raise reader.wrong(["items", *keys], f"{values!r:.60}")
        return tuple(values)

    def numbers(key: str) -> FloatArray | None:
        values = reader.get("items", key, kind=list, optional=True)
        if values is None:
            return None
        try:
            return np.array(values, dtype=float)
        except (TypeError, ValueError):
            raise reader.wrong(["items", key], f"{values!r:.60}") from None

    models, runs, items = texts("models"), texts("runs"), texts("items")
    score, weights, is_positive, actual = map(numbers, ("score", "weights", "is_positive", "truth"))
    if score is None or score.shape != (len(models), len(runs), len(items)):
        raise reader.wrong(["items", "score"], f"of shape {None if score is None else score.shape}")
    has_clusters = reader.get("items", "clusters", kind=list, optional=True) is not None
    clusters = texts("clusters") if has_clusters else None
    columns = {name: texts("columns", name) for name in reader.get("items", "columns", kind=dict, optional=True) or {}}
    for key, values in {"clusters": clusters, "weights": weights, "is_positive": is_positive, "truth": actual, **columns}.items():
        if values is not None and len(values) != len(items):
            raise reader.wrong(["items", key], f"of length {len(values)}, where {len(items)} items are")
    for key, names in (("models", models), ("runs", runs), ("items", items)):
        if not names or len(set(names)) < len(names):
            raise reader.wrong(["items", key], "empty or with doubles")
    labels = numbers("labels")
    if labels is not None and labels.shape != (len(models), len(items)):
        raise reader.wrong(["items", "labels"], f"of shape {labels.shape}")
    unit = reader.get("items", "unit", kind=str)
    positive = None if is_positive is None else is_positive.astype(bool)
    classes = texts("classes") if reader.get("items", "classes", kind=list, optional=True) else ()
    if classes and (actual is None or not np.isin(np.concatenate([actual, score.ravel()]), np.arange(len(classes))).all()):
        raise reader.wrong(["items", "truth"], f"no places in the {len(classes)} classes")
    told = (clusters, weights, positive, actual, classes, columns, texts("sources"), unit, labels)
    return check_items(Items(metric, models, runs, items, score, *told))


def _matrix(reader: _Reader) -> ScoreMatrix:
    models = reader.get("scores", "models", kind=list)
    if not models or not all(isinstance(model, str) for model in models) or len(set(models)) < len(models):
        raise reader.wrong(["scores", "models"], f"{models!r:.60}")
    repeat = reader.whole_numbers("repeat", None)
    if repeat is None:
        raise reader.wrong(["scores", "repeat"], "missing")
    fold, n_train, n_test = (reader.whole_numbers(key, repeat.size) for key in ("fold", "n_train", "n_test"))
    if fold is None:
        raise reader.wrong(["scores", "fold"], "missing")
    order = np.lexsort([fold, repeat])
    repeat, fold = repeat[order], fold[order]
    same = (np.diff(repeat) == 0) & (np.diff(fold) == 0)
    if same.any():
        split = int(np.argmax(same))
        raise reader.wrong(["scores", "fold"], f"twice {fold[split]} in repeat {repeat[split]}")
    nothing = np.zeros(repeat.size, dtype=np.int64)
    n_train, n_test = (nothing if sizes is None else np.maximum(sizes[order], 0) for sizes in (n_train, n_test))
    dataset = reader.get("scores", "dataset", kind=str, optional=True) or ""
    score = _score(reader, models, repeat.size)[:, order]
    columns, metric = _columns_of(reader, order), _metric_of(reader)
    return ScoreMatrix(dataset, tuple(models), repeat, fold, n_train, n_test, score, columns, metric)


def _metric_of(reader: _Reader) -> Metric | None:
    """Metric of one dataset, where datasets are scored in several."""
    if reader.get("scores", "metric", kind=dict, optional=True) is None:
        return None
    return Metric(reader.get("scores", "metric", "name", kind=str), reader.get("scores", "metric", "higher_is_better", kind=bool))


def _columns_of(reader: _Reader, order: IntArray) -> tuple[str, ...]:
    """Names of the columns, where they are no splits."""
    names = reader.get("scores", "columns", kind=list, optional=True)
    if names is None:
        return ()
    if len(names) != order.size or not all(isinstance(name, str) for name in names):
        raise reader.wrong(["scores", "columns"], f"{names!r:.60}")
    return tuple(names[position] for position in order.tolist())


def _score(reader: _Reader, models: list[str], n_splits: int) -> FloatArray:
    rows = reader.get("scores", "score", kind=list)
    if len(rows) != len(models):
        raise reader.wrong(["scores", "score"], f"{len(rows)} lists, where {len(models)} models are")
    score = np.empty((len(models), n_splits))
    for position, (model, row) in enumerate(zip(models, rows, strict=True)):
        keys = ["scores", "score", model]
        if not isinstance(row, list) or len(row) != n_splits:
            raise reader.wrong(
                keys, f"of length {len(row)}, where {n_splits} splits are" if isinstance(row, list) else f"{row!r:.60}"
            )
        strange = next((v for v in row if v is not None and (isinstance(v, bool) or not isinstance(v, (int, float)))), None)
        if strange is not None:
            raise reader.wrong(keys, f"{strange!r:.60}")
        score[position] = [np.nan if value is None else to_float(value) for value in row]
    return score


def _design(reader: _Reader, matrices: Sequence[ScoreMatrix]) -> tuple[SplitDesign, tuple[Notice, ...]]:
    get, under = reader.get, ("provenance", "design")
    reader.get("provenance", kind=dict, optional=True)
    kind = get(*under, "kind", kind=str, optional=True)
    pairing = get(*under, "pairing", kind=str, optional=True)
    is_approximate = (
        all(matrix.has_sizes for matrix in matrices) and get(*under, "sizes", kind=str, optional=True) == "approximate"
    )
    design = SplitDesign(
        kind=kind if kind in get_args(Kind) else "unknown",
        ordered=bool(get(*under, "ordered", kind=bool, optional=True)),
        pairing="position" if pairing == "position" else "key",
        sizes="approximate" if is_approximate else known_sizes(matrices),
        hash=get("provenance", "splits", kind=str, optional=True),
    )
    notices = (assumed_paired(reader.name),) if design.pairing == "position" else ()
    return design, (*notices, *([approximate_sizes(reader.name)] if is_approximate else []))
