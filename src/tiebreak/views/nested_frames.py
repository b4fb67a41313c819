"""A nested cross-validation as columns: for frames, for JSON and for CSV."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import tiebreak
from tiebreak.studies.nested_choice import NOTHING
from tiebreak.views.json import finite, write_whole

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.evaluation.bbc import BiasCorrectedScore
    from tiebreak.studies.nested import NestedEvaluation

SCHEMA = 1

Part = Literal["outer", "summary", "chosen", "inner"]

COLUMNS: dict[Part, tuple[str, ...]] = {
    "outer": ("search", "metric", "repeat", "fold", "n_train", "n_test", "score", "chosen", "inner_mean", "reason"),
    "summary": (
        "search", "metric", "score", "standard_error", "interval_low", "interval_high", "n_splits", "claim", "claimed_by",
        "optimism", "inner_claim", "n_candidates", "n_distinct", "favourite", "n_favourite", "reason",
    ),
    "chosen": ("search", "candidate", "n_chosen", "share", "inner_mean", "plain_mean"),
    "inner": ("search", "repeat", "fold", "candidate", "inner_fold", "metric", "n_train", "n_test", "score"),
}  # fmt: skip


def nested_rows(nested: NestedEvaluation, part: Part) -> list[tuple[Any, ...]]:
    """The rows of a table, in the order of `COLUMNS`."""
    return list({"outer": _outer, "summary": _summary, "chosen": _chosen, "inner": _inner}[part](nested))


def nested_frame(nested: NestedEvaluation, part: Part) -> pd.DataFrame:
    """One of the tables as a frame."""
    import pandas as pd

    return pd.DataFrame(nested_rows(nested, part), columns=list(COLUMNS[part]))


def nested_dict(nested: NestedEvaluation) -> dict[str, Any]:
    """The answer in schema 1; nan is None, and nothing depends on the clock."""
    record = nested.outer.record.datasets[0]
    return {
        "schema": SCHEMA,
        "tiebreak": tiebreak.__version__,
        "metrics": [
            {"name": each.name, "higher_is_better": each.metric.higher_is_better} for each in nested.outer.record.metrics
        ],
        "settings": {"rope": nested.rope, "alpha": nested.alpha, "plain": nested.is_plain, "rng": nested.outer.record.rng},
        "outer_splits": {"kind": record.kind, "n_splits": record.n_splits, "n_samples": record.n_samples},
        "searches": [
            {"name": each.name, "metric": each.metric.name, "candidates": list(each.candidates)} for each in nested.choices
        ],
        "summary": _records(nested, "summary"),
        "chosen": _records(nested, "chosen"),
        "outer": _records(nested, "outer"),
        "inner": _records(nested, "inner"),
        "warnings": [{"code": notice.code, "text": notice.text} for notice in nested.warnings],
    }


def nested_json(nested: NestedEvaluation, path: str | os.PathLike[str] | None = None) -> str:
    """The same as text, also written to a file if one is named: whole or not at all."""
    text = json.dumps(nested_dict(nested), indent=1, allow_nan=False)
    if path is not None:
        write_whole(Path(path), f"{text}\n".encode())
    return text


def bias_corrected_frame(score: BiasCorrectedScore) -> pd.DataFrame:
    """A row for each model."""
    import pandas as pd

    frame = pd.DataFrame({"model": score.models, "share_best": score.chosen})
    return frame.sort_values("share_best", ascending=False, kind="stable").reset_index(drop=True)


def bias_corrected_dict(score: BiasCorrectedScore) -> dict[str, Any]:
    """The answer in schema 1; nan is None."""
    return {
        "schema": SCHEMA,
        "tiebreak": tiebreak.__version__,
        "metric": {"name": score.metric.name, "higher_is_better": score.metric.higher_is_better},
        "score": finite(score.score),
        "interval_low": finite(score.low),
        "interval_high": finite(score.high),
        "alpha": score.alpha,
        "claim": finite(score.claim),
        "winner": score.winner,
        "optimism": finite(score.optimism),
        "share_best": dict(zip(score.models, score.chosen.tolist(), strict=True)),
        "n_bootstraps": score.n_bootstraps,
        "n_undefined": score.n_undefined,
        "n_examples": score.n_examples,
        "n_repeats": score.n_repeats,
        "warnings": [{"code": notice.code, "text": notice.text} for notice in score.warnings],
    }


# --- tables -----------------------------------------------------------------------------------------------------------------


def _outer(nested: NestedEvaluation) -> Iterator[tuple[Any, ...]]:
    record = nested.outer.record.datasets[0]
    sizes = [part.tolist() for part in (record.repeat, record.fold, record.n_train, record.n_test)]
    for choice in nested.choices:
        best = choice.best_inner().tolist()
        for metric in nested.metrics:
            scores = nested.outer_scores(choice.name, metric).tolist()
            reasons = nested.reasons(choice.name, metric)
            for split, chosen in enumerate(choice.chosen.tolist()):
                name = "" if chosen == NOTHING else choice.candidates[chosen]
                keys = (column[split] for column in sizes)
                yield choice.name, metric, *keys, scores[split], name, best[split], reasons[split]


def _summary(nested: NestedEvaluation) -> Iterator[tuple[Any, ...]]:
    for choice in nested.choices:
        favourite = "" if choice.favourite == NOTHING else choice.candidates[choice.favourite]
        n_favourite = int(choice.n_chosen.max(initial=0))
        for metric in nested.metrics:
            s = nested.honest(choice.name, metric)
            yield (
                choice.name, metric, s.mean, s.standard_error, s.low, s.high, s.n_splits, s.claim, s.claimed_by, s.optimism,
                s.inner_claim, len(choice.candidates), choice.n_distinct, favourite, n_favourite, s.reason,
            )  # fmt: skip


def _chosen(nested: NestedEvaluation) -> Iterator[tuple[Any, ...]]:
    for choice in nested.choices:
        counts = choice.n_chosen.tolist()
        plain = nested.plain_mean(choice.name, choice.metric.name).tolist()
        inner = _row_means(choice.inner_mean)
        for row, candidate in enumerate(choice.candidates):
            yield choice.name, candidate, counts[row], counts[row] / choice.chosen.size, inner[row], plain[row]


def _inner(nested: NestedEvaluation) -> Iterator[tuple[Any, ...]]:
    outer = nested.outer.record.datasets[0]
    for choice in nested.choices:
        if choice.inner is None:
            continue
        record, grid = choice.inner.record.datasets[0], choice.inner.grid(0, 0)
        for split, owner in enumerate(record.repeat.tolist()):
            for row, candidate in enumerate(choice.candidates):
                yield (
                    choice.name, int(outer.repeat[owner]), int(outer.fold[owner]), candidate, int(record.fold[split]),
                    choice.metric.name, int(record.n_train[split]), int(record.n_test[split]), float(grid[row, split]),
                )  # fmt: skip


def _row_means(table: np.ndarray[Any, Any]) -> list[float]:
    """Means over what is there; nan where nothing is."""
    return [float(row[~np.isnan(row)].mean()) if not np.isnan(row).all() else float("nan") for row in table]


def _records(nested: NestedEvaluation, part: Part) -> list[dict[str, Any]]:
    return [dict(zip(COLUMNS[part], map(finite, row), strict=True)) for row in nested_rows(nested, part)]


def candidate_order(counts: Sequence[int]) -> list[int]:
    """Candidates, those chosen most often first."""
    return sorted(range(len(counts)), key=lambda row: -counts[row])
