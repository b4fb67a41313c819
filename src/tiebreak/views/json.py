"""The answer as JSON, schema 1; docs/json.md describes it for its readers."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tiebreak
from tiebreak.views.tables import Columns, pair_columns, ranking_columns

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirements

SCHEMA = 1


def to_dict(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """The answer as plain lists, dicts, strings and numbers; nan and infinite are None, and nothing depends on the clock."""
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
            "score": [[_finite(value) for value in row] for row in matrix.score.tolist()],
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


def to_json(comparison: Comparison, path: str | os.PathLike[str] | None = None, requirements: Requirements | None = None) -> str:
    """The answer as text, also written to `path` if given: whole or not at all."""
    text = json.dumps(to_dict(comparison, requirements), ensure_ascii=True, allow_nan=False, indent=1)
    if path is not None:
        write_whole(Path(path), text + "\n")
    return text


def write_whole(path: Path, text: str) -> None:
    """Write a text file through a temporary one in the same folder, so that nobody ever sees half of it."""
    temporary = path.with_name(f".{path.name[:40]}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _records(columns: Columns) -> list[dict[str, Any]]:
    values = [[_finite(value) for value in column.tolist()] for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
