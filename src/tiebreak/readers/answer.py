"""Answers as tiebreak has written them, whose scores are read back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, TypedDict, get_args

import numpy as np

import tiebreak
from tiebreak.errors import DataError, TiebreakError
from tiebreak.readers.files import content_of, parse_json, refuse, text_of
from tiebreak.readers.source import ReadOptions, scores_of
from tiebreak.scores.items import Items, check_items
from tiebreak.scores.metric import Metric, NamedMetric
from tiebreak.scores.scores import SavedSettings, ScoreMatrix, Scores, SplitDesign

SCHEMA = 2
"""Schema that is read, the one of `views.comparison`."""

_Settings = TypedDict(  # noqa: UP013  (a table of types)
    "_Settings",
    {
        "rope": int | float | str | None,
        "alpha": float | None,
        "baseline": str | None,
        "correction": str | None,
        "family": str | None,
        "method": str | None,
        "missing": str | None,
        "rng": int | None,
        "by": str | None,
        "looks": dict[str, Any] | None,
    },
    total=False,
)
"""Settings of a comparison as they were asked for; null is a value too."""


@dataclass
class _Provenance:
    """Design of the splits, and their hash."""

    splits: str | None = None
    design: SplitDesign = field(default_factory=SplitDesign)


@dataclass
class _Answer:
    """The keys of an answer that are read back, as the records that a comparison holds; all else follows from them."""

    metric: Metric
    scores: list[ScoreMatrix]
    items: Items | None = None
    settings: _Settings | None = None
    provenance: _Provenance = field(default_factory=_Provenance)


def read_answer(source: Any, name: str) -> Scores:
    """Scores and settings of an answer: the path of a JSON file, or a dict, which messages call by the name.

    Raises
    ------
    DataError
        It is not as tiebreak writes answers, or of another schema; the text names the key and what stands there.
    """
    held = (
        source if isinstance(source, Mapping) else parse_json(text_of(content_of(Path(source), name), name), name, is_table=True)
    )
    answer = _answer(dict(held), name)
    if answer.items is not None:
        scores = _checked_items(answer.items, name).as_scores()
    elif answer.scores:
        matrices = [_checked_matrix(each, f"scores[{place}]", name) for place, each in enumerate(answer.scores)]
        metrics = [NamedMetric(each.metric or answer.metric, 1) for each in matrices]
        design = replace(answer.provenance.design, hash=answer.provenance.splits)
        scores = scores_of(matrices, metrics, design, ReadOptions(), name)
    else:
        raise _wrong(name, "scores and items are empty")
    if answer.settings is not None:
        scores = replace(scores, saved_settings=(SavedSettings(name, answer.settings),))
    return scores


# --- from the file to its keys --------------------------------------------------------------------------------------------


def _answer(held: Any, name: str) -> _Answer:
    """The records in an answer of the schema that is read."""
    import msgspec

    if held.get("schema") != SCHEMA:
        raise DataError(
            f"{name} was written by tiebreak {held.get('tiebreak', '?')!s:.20} with schema {held.get('schema', '?')!s:.20}; "
            f"tiebreak {tiebreak.__version__} reads comparisons, of schema {SCHEMA}. Compare anew, or update tiebreak."
        )
    if isinstance(items := held.get("items"), Mapping):
        if items.get("inline") is False:
            raise DataError(f"{name} holds its many scores of items by reference only. Compare the table that they came from.")
        held["items"] = {"metric": held.get("metric"), **items}
    try:
        return msgspec.convert(held, _Answer, dec_hook=_array)
    except (msgspec.ValidationError, OverflowError) as error:
        what, _, path = str(error).partition(" - at `$")
        # [...] stands for a key of a dict, which msgspec does not name
        keys = re.findall(r"\w+", path.partition("[...]")[0])
        met = reduce(lambda inside, key: inside[int(key) if isinstance(inside, list) else key], keys, held)
        raise _wrong(name, f"{path.strip('.`')}: {what}; met {shortened(met)}".removeprefix(": ")) from None


def _array(kind: Any, values: Any) -> Any:
    """Numbers in lists as an array of the type that a record has there; null is nan among them, and none in their place."""
    dtype, types = _WRITTEN[get_args(get_args(kind)[1])[0]]
    array = np.array(values or [], dtype=object, ndmin=1)  # of lists that differ in length it holds lists
    if not set(map(type, array.ravel())) <= types:
        raise ValueError("Expected numbers")
    return array.astype(dtype)


_WRITTEN: dict[type, tuple[type, set[type]]] = {
    np.float64: (np.float64, {int, float, type(None)}),
    np.integer: (np.int64, {int}),
    np.bool_: (np.bool_, {bool}),
}
"""Type of an array and types of what JSON holds in its place, by the type in the annotation of a record."""


def _wrong(name: str, what: str) -> TiebreakError:
    return refuse(name, f"{what}.", "tiebreak writes no such comparison. Was it changed or cut short, or is it something else?")


# --- from the keys to scores ----------------------------------------------------------------------------------------------


_APART = "its columns do not go together: a name or a split stands twice, or lengths differ"


def _checked_matrix(matrix: ScoreMatrix, path: str, name: str) -> ScoreMatrix:
    """Scores of one dataset whose columns go together, with sizes of 0 where none are known."""
    n, m = matrix.repeat.size, len(set(matrix.models))
    n_train, n_test = (each if each.size else np.zeros(n, np.int64) for each in (matrix.n_train, matrix.n_test))
    splits = list(zip(matrix.repeat.tolist(), matrix.fold.tolist(), strict=False))
    beside = (splits, matrix.fold, n_train, n_test, matrix.columns or n_test)
    of_models = () if matrix.summary is None else (matrix.summary.rounding, matrix.summary.deviation)
    is_whole = matrix.score.shape == (m, n) and {n} == {*map(len, beside)} and {m} == {m, *map(len, of_models)}
    if not is_whole or splits != sorted(set(splits)):
        raise _wrong(name, f"{path}: {_APART}")
    return replace(matrix, n_train=n_train, n_test=n_test)


def _checked_items(items: Items, name: str) -> Items:
    """Scores of single items whose columns go together."""
    shape = tuple(len(set(each)) for each in (items.models, items.runs, items.items))
    beside = (items.clusters, items.weights, items.is_positive, items.truth, *items.columns.values())
    is_whole = items.score.shape == shape and {shape[2]} == {shape[2], *(len(each) for each in beside if each is not None)}
    truth, places = -1.0 if items.truth is None else items.truth, range(len(items.classes))
    is_whole &= not items.classes or bool(np.isin(np.append(items.score, truth), places).all())
    if not is_whole or (items.labels is not None and items.labels.shape != shape[::2]):
        raise _wrong(name, f"items: {_APART}")
    return check_items(items)
