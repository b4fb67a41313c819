"""The answer as JSON, schema 1; docs/json.md describes it for its readers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tiebreak
from tiebreak.views.files import write_whole
from tiebreak.views.plain import finite
from tiebreak.views.tables import Columns, pair_columns, ranking_columns

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirements

SCHEMA = 1


def to_dict(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """The answer as plain lists, dicts, strings and numbers; nan and infinite are None, and nothing depends on the clock."""
    document = _document(comparison, requirements)
    document["scores"]["score"] = list(document["scores"]["score"])
    return {key: list(value) if isinstance(value, Iterator) else value for key, value in document.items()}


def to_json(comparison: Comparison, path: str | os.PathLike[str] | None = None, requirements: Requirements | None = None) -> str:
    """The answer as text, also written to `path` if given: whole or not at all."""
    text = "".join(json_pieces(comparison, requirements))
    if path is not None:
        write_whole(Path(path), f"{text}\n".encode())
    return text


def json_pieces(comparison: Comparison, requirements: Requirements | None = None) -> Iterator[str]:
    """The text of `to_json` in pieces, so that a large table is never held as Python objects or as one text."""
    return _object(_document(comparison, requirements))


def _object(document: dict[str, Any]) -> Iterator[str]:
    """A key on each line; an entry on each line of what is a long list."""
    opening = "{\n"
    for key, value in document.items():
        yield f"{opening}{_encoded(key)}: "
        opening = ",\n"
        if isinstance(value, Iterator):
            yield from _array(value)
        elif isinstance(value, dict) and any(isinstance(entry, Iterator) for entry in value.values()):
            yield from _object(value)
        else:
            yield _encoded(value)
    yield "\n}"


def _array(entries: Iterator[Any]) -> Iterator[str]:
    opening = "[\n"
    for entry in entries:
        yield f"{opening}{_encoded(entry)}"
        opening = ",\n"
    yield "[]" if opening == "[\n" else "\n]"


def _encoded(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _document(comparison: Comparison, requirements: Requirements | None) -> dict[str, Any]:
    """What is written, the long lists as iterators."""
    settings, design, method, matrix = comparison.settings, comparison.design, comparison.method, comparison.matrix
    return {
        "schema": SCHEMA,
        "tiebreak": tiebreak.__version__,
        "metric": {"name": comparison.metric.name, "higher_is_better": comparison.metric.higher_is_better},
        "settings": {
            "rope": comparison.rope,
            "rope_given": settings.rope,
            "alpha": settings.alpha,
            "probability": settings.probability,
            "baseline": settings.baseline,
            "correction": settings.correction,
            "alternative": settings.alternative,
            "order": None if settings.order is None else list(settings.order),
            "method": settings.method,
            "missing": settings.missing,
            "rng": settings.rng,
        },
        "method": {
            "name": method.name,
            "reason": method.reason,
            "assumptions": list(method.assumptions),
            "references": list(method.references),
        },
        "sentence": comparison.sentence,
        "ranking": _records(ranking_columns(comparison)),
        "pairs": _records(pair_columns(comparison)),
        "scores": {
            "dataset": matrix.dataset,
            "models": list(matrix.models),
            "repeat": matrix.repeat.tolist(),
            "fold": matrix.fold.tolist(),
            "n_train": matrix.n_train.tolist() if matrix.has_sizes else None,
            "n_test": matrix.n_test.tolist() if matrix.has_sizes else None,
            "score": ([finite(value) for value in row.tolist()] for row in matrix.score),
        },
        "warnings": [{"code": notice.code, "text": notice.text} for notice in comparison.warnings],
        "requirements": [
            {"claim": r.claim, "met": r.met, "reason": r.reason} for r in (() if requirements is None else requirements)
        ],
        "provenance": {
            "splits": design.hash,
            "design": {
                "kind": design.kind,
                "ordered": design.ordered,
                "pairing": design.pairing,
                "sizes": design.sizes,
            },
        },
    }


def _records(columns: Columns) -> Iterator[dict[str, Any]]:
    n_rows = len(next(iter(columns.values())))
    for start in range(0, n_rows, _RECORDS):
        block = (column[start : start + _RECORDS].tolist() for column in columns.values())
        for row in zip(*block, strict=True):
            yield dict(zip(columns, map(finite, row), strict=True))


_RECORDS = 4096
"""Records that are Python objects at a time."""
