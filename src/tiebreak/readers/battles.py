"""Battles out of any table with model_a, model_b and winner, and out of the records of judges."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from tiebreak.errors import (
    DataError,
    SourceNotFoundError,
    UnclearSourceError,
    UnsupportedSourceError,
)
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.readers.files import refuse
from tiebreak.readers.tables import SourceTable, Words, as_words, column_of, read_table, refuse_nested, united
from tiebreak.scores.battles import Battles, BattleUnit
from tiebreak.scores.vocabulary import look_up, quoted

SIDES = ("model_a", "model_b", "winner")

ANNOTATIONS = {"model_a": "generator_1", "model_b": "generator_2", "preference": "preference"}
"""Columns by what AlpacaEval's annotations call them; a preference is 1 for the first and 2 for the second."""

FASTCHAT = ("model_1", "model_2", "g1_winner", "g2_winner")
ARENA_HARD = ("model", "judge", "games")
"""Columns of answers that were judged in both orders, as FastChat (MT-Bench) and Arena-Hard write them: a row for each pair."""

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
    **dict.fromkeys(("a", "model_a", "1", "1.0", "left", "first"), 1),
    **dict.fromkeys(("b", "model_b", "2", "2.0", "right", "second"), -1),
    **dict.fromkeys(("tie", "tied", "draw", "both", "none", "0", "0.0", "tie (bothbad)", "both_bad", "bothbad", "equal"), 0),
}

_VERDICTS: dict[str, int | None] = {
    **dict.fromkeys(("model_1", "A>B", "A>>B", "B<A", "B<<A"), 1),
    **dict.fromkeys(("model_2", "B>A", "B>>A", "A<B", "A<<B"), -1),
    **dict.fromkeys(("tie", "A=B", "B=A"), 0),
    **dict.fromkeys(("error", "", "None")),
}
"""What judges say: names of FastChat, "error" or nothing where they do not, and scores of Arena-Hard: a clear win is a win."""


_TABLES = (SIDES, tuple(ANNOTATIONS.values()), FASTCHAT, ARENA_HARD)
"""Columns of a table of battles, each of which is enough to tell one."""


def battle_columns(names: Iterable[object]) -> tuple[str, ...]:
    """Columns by which a table is one of battles; empty for others."""
    words = {_folded(str(name)) for name in names}
    return next((battle for battle in _TABLES if words >= set(battle)), ())


def refuse_battles(names: Iterable[object], source: str) -> None:
    """Refuse a table whose rows say which of two models was preferred, where scores are read."""
    words = {_folded(str(name)) for name in names}
    if battle := battle_columns(words) or (SIDES[:2] if words.issuperset(SIDES[:2]) else ()):
        raise refuse(
            source,
            f"it has the columns {quoted(battle)}, so its rows are battles, not scores.",
            "Rate the models: tiebreak rate FILE, or tb.rate(source).",
        )


class _Part(NamedTuple):
    """Battles of one source; `words` has the columns of names and keys in which no row is empty, by what they hold."""

    name: str
    words: dict[str, Words]
    outcome: IntArray
    weight: FloatArray | None
    question_column: str
    n_without_verdict: int


def read_battles(*sources: Any, cluster: str | None = None) -> Battles | None:
    """Battles in files, frames, records or columns; None where the columns are not those of battles.

    Several sources are joined on the names of models, clusters and questions. `cluster` names the column of battles that belong
    together, "cluster" if not given.
    """
    names = [
        printable(str(each))
        if isinstance(each, str | os.PathLike)
        else ("the battles" if len(sources) == 1 else f"table {place} of the battles")
        for place, each in enumerate(sources, start=1)
    ]
    found = [_battles_in(source, name, cluster) for source, name in zip(sources, names, strict=True)]
    parts = [each for each in found if each is not None]
    others = [name for name, each in zip(names, found, strict=True) if each is None]
    if parts and others:
        raise DataError(
            f"{parts[0].name} holds battles, and {quoted(others, 3)} none: these have the columns model_a, model_b and winner. "
            "Rate the files of battles by themselves."
        )
    return _joined(parts) if parts else None


# --- one source -----------------------------------------------------------------------------------------------------------


def _battles_in(source: Any, name: str, cluster: str | None) -> _Part | None:
    """The battles of one source, checked; None for what holds none."""
    try:
        table = read_table(source, name, is_name=lambda column: _folded(column) not in ("weight", "preference"))
    except (SourceNotFoundError, UnsupportedSourceError):  # whoever reads scores says why
        return None
    judged = next((each for each in (FASTCHAT, ARENA_HARD) if {*each} <= {*table.columns, *table.nested}), None)
    table, n_without_verdict = (table, 0) if judged is None else _unfolded(table, judged)
    held = _columns(table, cluster)
    return None if held is None else _part(table, held, n_without_verdict)


def _folded(name: str) -> str:
    return name.strip().casefold()


def _unfolded(table: SourceTable, columns: Sequence[str]) -> tuple[SourceTable, int]:
    """A row for each judged game with a winner, and how many have none; every other game of a pair has the sides turned."""
    if columns == FASTCHAT:
        first, second = _texts(table, "model_1"), _texts(table, "model_2")
        said: list[Any] = list(zip(table.words("g1_winner").texts(), table.words("g2_winner").texts(), strict=True))
    else:
        baseline = _texts(table, "baseline").texts() if "baseline" in table.columns else [""] * table.n_rows
        first, second = cast(Words, column_of([each or "baseline" for each in baseline])), _texts(table, "model")
        said = table.nested.get("games") or table.words("games").texts()
    _refuse_rows(table, (first.code < 0) | (second.code < 0), "a model has no name")
    games = []
    for row, each in enumerate(said):
        if not isinstance(each, list | tuple | np.ndarray):
            raise refuse(
                table.name, f"games is {printable(f'{each!r:.60}')}, and should be a list of judgements.", row=table.where(row)
            )
        for number, game in enumerate(each):
            word = game.get("score") if isinstance(game, Mapping) else game
            if str(word).replace(" ", "") not in _VERDICTS:
                raise refuse(
                    table.name,
                    f"a judgement is {printable(f'{word!r:.60}')}, which is neither model_1, model_2, tie or error nor such as "
                    "A>B, A=B or B>>A.",
                    row=table.where(row),
                )
            games.append((row, number % 2, _VERDICTS[str(word).replace(" ", "")]))
    decided = np.array([game for game in games if game[2] is not None], dtype=int).reshape(-1, 3)
    if not decided.size:
        raise refuse(table.name, f"no winner can be read from any of {len(games)} judgements.")
    rows, turned, won = decided.T
    names, (one, two) = _united([first, second])
    won = np.where(turned == 1, -won, won) if columns == FASTCHAT else won  # it names the winner, not the side
    found = {
        "model_a": Words(names, np.where(turned, two[rows], one[rows])).ordered(),
        "model_b": Words(names, np.where(turned, one[rows], two[rows])).ordered(),
        "winner": Words(("tie", "a", "b"), won % 3),
    }
    for column in [each for each in ("uid", "question_id", "judge") if each in table.columns or each in table.nested]:
        found["question_id" if column == "uid" else column] = _texts(table, column).take(rows).ordered()
    return SourceTable(table.name, {**found}, lambda row: table.where(int(rows[row])), rows.size, {}), len(games) - rows.size


def _columns(table: SourceTable, cluster: str | None) -> dict[str, str] | None:
    """Columns of battles by what they hold; None for another table."""
    names = [*table.columns, *table.nested]
    columns = {_folded(each): each for each in names}
    is_annotated = columns.keys() >= {*ANNOTATIONS.values()} and columns.keys().isdisjoint(SIDES)
    sides = ANNOTATIONS if is_annotated else {key: key for key in SIDES}
    words: dict[str, tuple[str, ...]] = {
        **{key: (word,) for key, word in sides.items()},
        "cluster": ("cluster",),
        "weight": ("weight",),
        "question": QUESTIONS,
        "judge": JUDGES,
    }
    found = {key: columns[word] for key, each in words.items() for word in each[::-1] if word in columns}
    if found.keys().isdisjoint(SIDES[:2]):
        return None
    if len(columns) < len(names):
        raise UnclearSourceError(
            f"{table.name} has other columns that are called {quoted([each for each in names if each not in columns.values()])} "
            "but for the case of letters. Rename one."
        )
    if lacking := [key for key in sides if key not in found]:
        raise DataError(
            f"{table.name} lacks the column {' and '.join(map(repr, lacking))}. Battles have model_a, model_b and winner (a, b "
            f"or tie), and may have cluster and weight; found: {', '.join(map(repr, names))}."
        )
    if cluster is not None:
        found["cluster"] = names[look_up(_folded(cluster), list(columns), "column of the battles")]
    return found


def _part(table: SourceTable, held: Mapping[str, str], n_without_verdict: int) -> _Part:
    """The battles in these columns of a table; a bad row is named."""
    refuse_nested(table, [column for key, column in held.items() if key not in ("question", "judge")])
    words = {key: _texts(table, column) for key, column in held.items() if key not in ("weight", "preference")}
    for key in [each for each in (*SIDES, "cluster") if each in words]:
        _refuse_rows(table, words[key].code < 0, f"{key} is empty")
    models, (a, b) = _united([words["model_a"], words["model_b"]])
    _refuse_rows(table, a == b, lambda row: f"{models[a[row]]!r} meets itself")
    outcome = _outcomes(table, words["winner"], models, a, b) if "winner" in words else _preferred(table, held["preference"])
    weight = table.numbers(held["weight"]) if "weight" in held else None
    if weight is not None:
        _refuse_rows(
            table,
            ~((weight >= 0) & np.isfinite(weight)),
            lambda row: f"weight must be a number of at least 0; got {weight[row]:g}",
        )
    whole = {key: each for key, each in words.items() if (each.code >= 0).all()}
    return _Part(table.name, whole, outcome, weight, held["question"] if "question" in whole else "", n_without_verdict)


def _texts(table: SourceTable, column: str) -> Words:
    """The words in a column, without blanks around them; of lists their text, and of lists of judges the first."""
    cells = [
        each if each is None else str(each[0] if column == "judge" and isinstance(each, list | tuple) and each else each)
        for each in table.nested.get(column, ())
    ]
    words = table.words(column).ordered() if column in table.columns else as_words(cast(Words, column_of(cells)))
    stripped = as_words(cast(Words, column_of([name.strip() for name in words.names])))
    return Words(stripped.names, np.append(stripped.code, -1)[words.code])


def _refuse_rows(table: SourceTable, is_wrong: Any, what: str | Callable[[int], str]) -> None:
    """Refuse rows, of which the first is named."""
    rows = np.flatnonzero(is_wrong).tolist()
    if rows:
        said = f"{what if isinstance(what, str) else what(rows[0])}; it is so in {len(rows)} row(s)."
        raise refuse(table.name, said, row=table.where(rows[0]))


def _outcomes(table: SourceTable, winner: Words, models: tuple[str, ...], a: IntArray, b: IntArray) -> IntArray:
    """1, -1 and 0; the names of the models count before words such as a and b, but in a column that can only hold sides."""
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
    what = "winner is {!r}, which is neither a, b or tie, nor {!r} or {!r}"
    _refuse_rows(table, outcome == 2, lambda row: what.format(winner.names[winner.code[row]], models[a[row]], models[b[row]]))
    return outcome


def _preferred(table: SourceTable, column: str) -> IntArray:
    """1, -1 and 0 of preferences from 1 to 2, which may be a judge's probabilities plus 1; older annotations write a tie as 0."""
    given = table.numbers(column)
    values = np.where(given == 0, 1.5, given)
    _refuse_rows(
        table,
        ~((values >= 1) & (values <= 2)),
        lambda row: f"preference is {given[row]:g}; it lies from 1, for the first, to 2, for the second, or is 0 for a tie",
    )
    return np.sign(1.5 - values).astype(int)


# --- all sources ----------------------------------------------------------------------------------------------------------


def _joined(parts: Sequence[_Part]) -> Battles:
    """Battles of all parts, of which each has the columns that another has."""
    named = parts[0].name if len(parts) == 1 else f"{len(parts)} tables"
    _refuse_copies(parts)
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
        sum(part.n_without_verdict for part in parts),
    )


def _refuse_copies(parts: Sequence[_Part]) -> None:
    """Refuse parts that hold the very same battles, as far as a column says on which questions they are."""
    seen: dict[Any, str] = {}
    for part in parts:
        columns = [part.words[key].ordered() for key in ("model_a", "model_b", "question", "judge") if key in part.words]
        key = (part.outcome.tobytes(), *((each.names, each.code.astype(int).tobytes()) for each in columns))
        if key in seen and part.question_column:
            raise DataError(
                f"{part.name} {'stands there twice' if seen[key] == part.name else f'holds the very battles of {seen[key]}'}, "
                "and would count twice. Leave one of the two out."
            )
        seen[key] = part.name


def _united(columns: Sequence[Words]) -> tuple[tuple[str, ...], list[IntArray]]:
    """Names of all columns, sorted, and the number of its name for each row of each column, -1 where there is none."""
    names = sorted({name for column in columns for name in column.names})
    found, (_, *codes) = united([Words(tuple(names), np.empty(0, int)), *columns])
    return found, codes
