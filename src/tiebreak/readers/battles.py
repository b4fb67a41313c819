"""Battles out of any table with model_a, model_b and winner."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import DataError, SourceNotFoundError, UnclearSourceError, UnsupportedSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.readers.files import refuse
from tiebreak.readers.header import ANNOTATIONS, FLAGS, JUDGED, NUMBERED, SIDES
from tiebreak.readers.tables import SourceTable, Words, is_numeric, read_table, refuse_nested, united, words_of
from tiebreak.scores.battles import Battles, BattleUnit
from tiebreak.scores.vocabulary import look_up, quoted

_OTHER_SIDES = {"model_a": NUMBERED[:1], "model_b": NUMBERED[1:], "winner": ("preference", "preferred")}
"""What people call these columns too."""

QUESTIONS = ("question_id", "question", "prompt_id", "instance_id", "item", "prompt", "instruction")
JUDGES = tuple("annotator judge judge_model user rater voter annotator_id judge_id user_id rater_id voter_id".split())
"""Columns that say what was asked, and who judged: the first that is there."""

FEWEST_JUDGES = 5
"""Judges from which on each counts as one; fewer are those that the ratings are of, which is said."""

FEWEST_QUESTIONS = 20
"""Questions from which on each counts as one, where battles repeat them; fewer say too little of their own spread."""

MOST_RATED = 2_000
"""Models: what is counted of each two of them takes 200 bytes and more."""

SMALLEST_WEIGHT = 1e-9
"""Share of the largest weight below which another is lost in rounding."""

_WINNERS = {
    **dict.fromkeys(("a", "model_a", "model_1", "1", "1.0", "left", "first", "a>b", "a>>b"), 1),
    **dict.fromkeys(("b", "model_b", "model_2", "2", "2.0", "right", "second", "b>a", "b>>a"), -1),
    **dict.fromkeys(
        ("tie", "tied", "draw", "both", "none", "0", "0.0", "tie (bothbad)", "both_bad", "bothbad", "equal", "a=b"), 0
    ),
}


class _Part(NamedTuple):
    """Battles of one source; `words` has the columns of names and keys in which no row is empty, by what they hold."""

    name: str
    words: dict[str, Words]
    outcome: IntArray
    weight: FloatArray | None
    question_column: str


def read_battles(*sources: Any, cluster: str | None = None) -> Battles | None:
    """Battles in files, frames, records or columns; None where the columns are not those of battles.

    Several sources are joined on the names of models, clusters and questions. `cluster` names the column of battles that belong
    together, "cluster" if not given.
    """
    parts, others = [], []
    for place, source in enumerate(sources, start=1):
        name = "the battles" if len(sources) == 1 else f"table {place} of the battles"
        name = printable(str(source)) if isinstance(source, str | os.PathLike) else name
        try:
            table = read_table(source, name, is_name=lambda column: column.strip().casefold() not in ("weight", "preference"))
            table = _with_winner(table)
            held = _columns(table, cluster)
        except (SourceNotFoundError, UnsupportedSourceError):  # whoever reads scores says why
            held = {}
        if held:
            parts.append(_part(table, held))
        else:
            others.append(name)
    if parts and others:
        raise DataError(
            f"{parts[0].name} holds battles, and {quoted(others, 3)} none: these have the columns model_a, model_b and winner. "
            "Rate the files of battles by themselves."
        )
    return _joined(parts) if parts else None


# --- one source -----------------------------------------------------------------------------------------------------------


def _with_winner(table: SourceTable) -> SourceTable:
    """The table with a column winner, where three columns say it."""
    if not table.columns.keys() >= {*FLAGS} or "winner" in table.columns:
        return table
    values = np.stack([table.numbers(flag) for flag in FLAGS])
    _refuse_rows(
        table,
        (np.sum(values == 1, axis=0) != 1) | (np.sum(values == 0, axis=0) != 2),
        lambda row: f"one of {quoted(FLAGS)} must be 1 and the others 0",
    )
    return replace(table, columns={**table.columns, "winner": Words(("a", "b", "tie"), values.argmax(axis=0).astype(np.int32))})


def _columns(table: SourceTable, cluster: str | None) -> dict[str, str]:
    """Columns of battles by what they hold; none of another table."""
    names = [*table.columns, *table.nested]
    columns = {each.strip().casefold(): each for each in names}
    if judged := next((each for each in JUDGED if columns.keys() >= {*each}), ()):
        raise refuse(
            table.name,
            f"a row holds several games ({quoted(judged)}).",
            "Write a row for each game, with model_a, model_b (the sides in their order), winner and question_id.",
            kind=UnclearSourceError,
        )
    is_annotated = columns.keys() >= {*ANNOTATIONS.values()} and columns.keys().isdisjoint(SIDES)
    sides = ANNOTATIONS if is_annotated else {key: key for key in SIDES}
    words: dict[str, tuple[str, ...]] = {
        **{key: (word, *([] if is_annotated else _OTHER_SIDES[key])) for key, word in sides.items()},
        "cluster": ("cluster",),
        "weight": ("weight",),
        "question": QUESTIONS,
        "judge": JUDGES,
    }
    found = {key: columns[word] for key, each in words.items() for word in each[::-1] if word in columns}
    of_sides = [table.columns.get(found[key]) for key in SIDES[:2] if key in found]
    if "winner" not in found and all(column is not None and is_numeric(column) for column in of_sides):
        return {}  # scores of models that are called model_1 and model_2, or of others
    if len(columns) < len(names):
        raise UnclearSourceError(
            f"{table.name} has other columns that are called {quoted([each for each in names if each not in columns.values()])} "
            "but for the case of letters. Rename one."
        )
    if lacking := [key for key in sides if key not in found]:
        raise DataError(
            f"{table.name}: the column {' and '.join(map(repr, lacking))} is lacking. Battles have model_a, model_b and winner "
            f"(a, b or tie), and may have cluster and weight; found: {', '.join(map(repr, names))}."
        )
    if cluster is not None:
        found["cluster"] = names[look_up(cluster.strip().casefold(), list(columns), "column of the battles")]
    return found


def _part(table: SourceTable, held: Mapping[str, str]) -> _Part:
    """The battles in these columns of a table; a bad row is named."""
    refuse_nested(table, [column for key, column in held.items() if key not in ("question", "judge")])
    named = {
        key: words_of(map(str, table.nested[column])) if column in table.nested else table.words(column)
        for key, column in held.items()
        if key not in ("weight", "preference")
    }
    words = {key: each.renamed(map(str.strip, each.names)) for key, each in named.items()}
    for key in [each for each in (*SIDES, "cluster") if each in words]:
        _refuse_rows(table, words[key].code < 0, lambda _, key=key: f"{key} is empty")  # type: ignore[misc]
    models, (a, b) = _united([words["model_a"], words["model_b"]])
    _refuse_rows(table, a == b, lambda row: f"{models[a[row]]!r} meets itself")
    if "winner" in words:
        outcome = _outcomes(table, words["winner"], models, a, b)
    else:  # from 1 to 2, which may be a judge's probabilities plus 1; older annotations write a tie as 0
        given = table.numbers(held["preference"])
        values = np.where(given == 0, 1.5, given)
        _refuse_rows(
            table,
            ~((values >= 1) & (values <= 2)),
            lambda row: f"preference is {given[row]:g}; it lies from 1, for the first, to 2, for the second, or is 0 for a tie",
        )
        outcome = np.sign(1.5 - values).astype(int)
    weight = table.numbers(held["weight"]) if "weight" in held else None
    if weight is not None:
        _refuse_rows(
            table,
            ~((weight >= 0) & np.isfinite(weight)),
            lambda row: f"weight must be a number of at least 0; got {weight[row]:g}",
        )
    whole = {key: each for key, each in words.items() if (each.code >= 0).all()}
    return _Part(table.name, whole, outcome, weight, held["question"] if "question" in whole else "")


def _refuse_rows(table: SourceTable, is_wrong: Any, what: Callable[[int], str]) -> None:
    """Refuse rows, of which the first is named."""
    table.refuse_rows(is_wrong, lambda row: f"{what(row)}; it is so in {np.sum(is_wrong)} row(s).")


def _outcomes(table: SourceTable, winner: Words, models: tuple[str, ...], a: IntArray, b: IntArray) -> IntArray:
    """1, -1 and 0; the names of the models count before words such as a and b, but in a column that can only hold sides."""
    if {word.removesuffix(".0") for word in winner.names} - {*models} == {"0", "1"}:  # beside 2 a tie and the first
        raise table.refuse(
            "it says 0 and 1: is 1 the first model, or the second one?",
            "Write a, b or tie, or the name of the model that won.",
            column="winner",
            kind=UnclearSourceError,
        )
    number = {model: place for place, model in enumerate(models)}
    named = np.array([number.get(word, -1) for word in winner.names])[winner.code]
    side = np.array([_WINNERS.get(word.casefold(), 2) for word in winner.names])[winner.code]
    outcome = np.where(named == a, 1, np.where(named == b, -1, side))
    is_side = abs(side) == 1
    turned = is_side & (outcome != side)  # a model is called "b", and stands as model_a
    if turned.any() and (is_side & (named != a) & (named != b)).any():
        other = (
            "the name of a model that stands on the other side, while other rows can only name a side: write names in every row"
        )
        _refuse_rows(
            table,
            turned & (side == 2).any(),
            lambda row: f"winner is {winner.names[winner.code[row]]!r}, {other}, or model_a and model_b",
        )
        outcome = side
    _refuse_rows(
        table,
        outcome == 2,
        lambda row: (
            f"winner is {winner.names[winner.code[row]]!r}, which is neither a, b or tie, nor {models[a[row]]!r} or "
            f"{models[b[row]]!r}"
        ),
    )
    return outcome


# --- all sources ----------------------------------------------------------------------------------------------------------


def _joined(parts: Sequence[_Part]) -> Battles:
    """Battles of all parts, of which each has the columns that another has."""
    named = parts[0].name if len(parts) == 1 else f"{len(parts)} tables"
    seen: dict[Any, str] = {}
    for part in parts:
        columns = [part.words[key].ordered() for key in ("model_a", "model_b", "question", "judge") if key in part.words]
        content = (part.outcome.tobytes(), *((each.names, each.code.astype(int).tobytes()) for each in columns))
        if content in seen and part.question_column:  # else nothing says on which questions they are
            raise DataError(
                f"{part.name} {'stands there twice' if seen[content] == part.name else f'holds the battles of {seen[content]}'}"
                ", and would count twice. Leave one of the two out."
            )
        seen[content] = part.name
    for column in ("cluster", "weight"):
        has = [part.weight is not None if column == "weight" else column in part.words for part in parts]
        if any(has) and not all(has):
            raise DataError(
                f"{parts[has.index(True)].name} has a column {column}, and {parts[has.index(False)].name} has none. Give it to "
                "all battles, or leave it out of all."
            )
    models, codes = _united([part.words[key] for key in ("model_a", "model_b") for part in parts])
    if len(models) > MOST_RATED:
        raise DataError(
            f"{named} has {len(models):,} models, and at most {MOST_RATED:,} can be rated together, as memory grows with their "
            "square. Keep the battles between those that matter."
        )
    coded = {
        key: np.unique(np.concatenate(_united([part.words[key] for part in parts])[1]), return_inverse=True)[1]
        for key in ("cluster", "question", "judge")
        if all(key in part.words for part in parts)
    }
    judges = [part.words["judge"].names for part in parts if "judge" in part.words]
    # few judges, or one of each table, are named; where each battle has its own, none says what they share
    n_judges = int(coded["judge"].max()) + 1 if "judge" in coded else 0
    is_told = [*map(len, judges)] == [1] * len(parts)
    of_judges = not is_told and FEWEST_JUDGES <= n_judges < sum(part.outcome.size for part in parts)
    known = {name for each in judges for name in each} if is_told or 0 < n_judges < FEWEST_JUDGES else set()
    question = coded.get("question") if len({part.question_column for part in parts}) == 1 else None
    is_repeated = question is not None and FEWEST_QUESTIONS <= int(question.max()) + 1 < question.size
    unit: BattleUnit = "cluster" if "cluster" in coded else "judge" if of_judges else "question" if is_repeated else "battle"
    weights = [part.weight for part in parts if part.weight is not None]
    positive = np.concatenate([each[each > 0] for each in weights] or [np.empty(0)])
    if positive.size and positive.min() < SMALLEST_WEIGHT * positive.max():
        raise DataError(
            f"{named}: weights lie between {positive.min():.3g} and {positive.max():.3g}, too far apart for one fit. Leave "
            "out the battles that hardly count."
        )
    return Battles(
        models,
        np.concatenate(codes[: len(parts)]),
        np.concatenate(codes[len(parts) :]),
        np.concatenate([part.outcome for part in parts]),
        coded.get(unit),
        np.concatenate(weights) if weights else None,
        question,
        parts[0].question_column if question is not None else "",
        unit,
        tuple(part.name for part in parts),
        tuple(sorted(known)),
    )


def _united(columns: Sequence[Words]) -> tuple[tuple[str, ...], list[IntArray]]:
    """Names of all columns, sorted, and the number of its name for each row of each column, -1 where there is none."""
    names = sorted({name for column in columns for name in column.names})
    found, (_, *codes) = united([Words(tuple(names), np.empty(0, int)), *columns])
    return found, [code.astype(np.int64) for code in codes]  # they are multiplied by numbers of models and of battles
