"""Battles out of any table of two models that meet and who won, however it says so."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import DataError, InvalidParameterError, SourceNotFoundError, UnclearSourceError, UnsupportedSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import printable
from tiebreak.readers.files import refuse
from tiebreak.readers.header import FLAGS, JUDGED, MARKS, PAIRS, SIDES, WON, by_word, column_advice, plain, sides_of
from tiebreak.readers.tables import (
    SourceTable,
    Words,
    concatenated,
    is_numeric,
    ranked,
    read_table,
    refuse_nested,
    words_of,
)
from tiebreak.scores.battles import Battles, BattleUnit
from tiebreak.scores.vocabulary import look_up, quoted

QUESTIONS = ("question_id", "question", "prompt_id", "instance_id", "item", "prompt", "instruction")
JUDGES = tuple(
    f"{who}{end}"
    for end in ("", "_id")
    for who in (
        "annotator judge judge_model user rater voter worker reviewer evaluator labeler labeller assessor grader expert "
        "participant session"
    ).split()
)
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
    **{
        f"{before}{mark}": sign
        for before in ("", "model", "model_")
        for marks in MARKS[:4]  # x and y where the columns are called so
        for mark, sign in zip(marks, (1, -1), strict=True)
    },
    **dict.fromkeys(("1.0", "a>b", "a>>b", "[[a]]", "1-0"), 1),
    **dict.fromkeys(("2.0", "b>a", "b>>a", "[[b]]", "0-1"), -1),
    **dict.fromkeys("tie tied draw both none 0 0.0 both_bad bothbad equal same neither a=b [[c]] 1/2-1/2".split(), 0),
    **dict.fromkeys(("tie (bothbad)", "both bad"), 0),
}
"""Words for who won: 1 for the first, -1 for the second, 0 for a tie."""

_BESIDE: dict[str, Sequence[str]] = {"cluster": ("cluster",), "weight": ("weight",), "question": QUESTIONS, "judge": JUDGES}
"""Names of the columns that battles may have beside their sides, by what they hold."""

HELD = frozenset((*SIDES, *_BESIDE))
"""What a column of battles may hold."""

_ANNOTATED = ("generator1", "preference")
"""Plain names of columns of AlpacaEval's annotations, where a preference is 1 for the first and 2 for the second."""

_TIES = ("tie", "draw", "istie", "isdraw")
"""Plain names of a column that says of a row with a winner that it is a tie, or counts ties."""

MOST_COUNTED = 10_000_000
"""Battles that a table of counts may stand for."""


class _Part(NamedTuple):
    """Battles of one source; `words` has the columns of names and keys in which no row is empty, by what they hold."""

    name: str
    words: dict[str, Words]
    outcome: IntArray
    weight: FloatArray | None
    question_column: str
    position: bool


def read_battles(
    *sources: Any,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
) -> Battles | None:
    """Battles in files, frames, records or columns; None where the columns are not those of battles.

    Several sources are joined on the names of models, clusters and questions. `cluster` names the column of battles that belong
    together, "cluster" if not given; `columns` and `where` are as for `tiebreak.read_battles`.
    """
    named = {**(columns or {}), **({} if cluster is None else {"cluster": cluster})}
    for part in named.keys() - HELD:
        raise InvalidParameterError(f"a column of battles holds one of {quoted(sorted(HELD), 9)}; got {part!r}.", about="columns")
    parts, others = [], []
    for place, source in enumerate(sources, start=1):
        name = "the battles" if len(sources) == 1 else f"table {place} of the battles"
        name = printable(str(source)) if isinstance(source, str | os.PathLike) else name
        try:
            table = read_table(source, name, is_name=lambda column: plain(column) not in ("weight", "preference"))
            table, position = _a_row_each(table.kept(where or {}))
            held = _columns(table, named)
        except (SourceNotFoundError, UnsupportedSourceError):  # whoever reads scores says why
            held = {}
        if held:
            parts.append(_part(table, held, position=position))
        else:
            others.append(name)
    if parts and others:
        raise DataError(
            f"{parts[0].name} holds battles, and {quoted(others, 3)} none: these have the columns model_a, model_b and winner. "
            "Rate the files of battles by themselves."
        )
    return _joined(parts) if parts else None


# --- one source -----------------------------------------------------------------------------------------------------------


def _a_row_each(table: SourceTable) -> tuple[SourceTable, bool]:
    """The table with a row for each battle and a column winner; False where the first model is not who stood first."""
    own = {plain(name): name for name in table.columns}
    sides = list(sides_of(table.columns).values())[:2]
    pair = tuple(map(plain, sides))
    tie = next((own[word] for word in _TIES if word in own), "")
    if own.keys() >= {*FLAGS} and "winner" not in own:
        flags = [own[flag] for flag in FLAGS]
        values = np.stack([table.numbers(flag) for flag in flags])
        _refuse_rows(
            table,
            (np.sum(values == 1, axis=0) != 1) | (np.sum(values == 0, axis=0) != 2),
            lambda row: f"one of {quoted(flags)} must be 1 and the others 0",
        )
        return _with(table, values.argmax(axis=0)), True
    if pair in WON:  # the winner is listed first, wherever it stood
        ties = table.numbers(tie) if tie else np.zeros(table.n_rows)
        _refuse_rows(table, ~np.isin(np.nan_to_num(ties), (0, 1)), lambda row: f"{tie!r} is {ties[row]:g}, and not 0 or 1")
        return _with(table, 2 * (ties == 1), sides), False
    counts = [
        next((own[word] for word in (f"wins{mark}", f"{mark}win", f"win{mark}", f"wins{side}", f"{side}win") if word in own), "")
        for side, mark in zip(pair, PAIRS.get(pair, ()), strict=False)
    ]
    if not counts or "" in counts:
        return table, pair != ("model", "opponent")
    numbers = np.stack([table.numbers(name) for name in (*counts, *([tie] if tie else []))])
    _refuse_rows(
        table,
        ~((numbers >= 0) & (numbers == np.floor(numbers)) & (np.minimum(numbers, 2 * MOST_COUNTED).sum() <= MOST_COUNTED)).all(
            axis=0
        ),
        lambda row: f"counts of battles are whole numbers, of {MOST_COUNTED:,} battles at most; got {numbers[:, row].tolist()}",
    )
    if not numbers.any():
        raise table.refuse(f"it counts no battles: all of {quoted(counts)} are 0.")
    outcome, row = np.indices(numbers.shape).reshape(2, -1).repeat(numbers.astype(int).ravel(), axis=1)
    return _with(table.take(row), outcome, sides), False


def _with(table: SourceTable, outcome: IntArray, sides: Sequence[str] = ()) -> SourceTable:
    """The table with a column winner: 0 where the first of two columns names it, 1 for the second, 2 for a tie."""
    winner = Words(("model_a", "model_b", "tie"), outcome.astype(np.int32))
    own = {part: table.columns[name] for part, name in zip(SIDES, sides, strict=False)}
    return replace(table, columns={**table.columns, **own, "winner": winner})


def _columns(table: SourceTable, named: Mapping[str, str]) -> dict[str, str]:
    """Columns of battles by what they hold; none of another table."""
    names = [*table.columns, *table.nested]
    columns = by_word(names)
    if judged := next((each for each in JUDGED if columns.keys() >= {*each}), ()):
        raise refuse(
            table.name,
            f"a row holds several games ({quoted([columns[each] for each in judged])}).",
            "Write a row for each game, with model_a, model_b (the sides in their order), winner and question_id.",
            kind=UnclearSourceError,
        )
    known = {part: columns[plain(word)] for part, words in _BESIDE.items() for word in words[::-1] if plain(word) in columns}
    found = {**sides_of(names), **known}
    if not (named.keys() & {*SIDES} or columns.keys() >= {*FLAGS}):
        of_sides = [table.columns.get(found[part]) for part in SIDES[:2] if part in found]
        if "winner" not in found and all(column is not None and is_numeric(column) for column in of_sides):
            return {}  # scores of models that are called model_1 and model_2, or of others
    found |= {part: names[look_up(name, names, "column of the battles")] for part, name in named.items()}
    for word in [each for each in ("winner", "result", "outcome", "label") if each in columns]:
        found.setdefault("winner", columns[word])  # of battles they say who won, and else scores or the truth
    if twice := [each for each in names if each not in found.values() and {plain(each)} & {*map(plain, found.values())}]:
        raise UnclearSourceError(
            f"{table.name} has other columns that are called {quoted(twice)} but for case, blanks and the like. Rename one."
        )
    if lacking := [part for part in SIDES if part not in found]:
        raise DataError(
            f"{table.name}: the column {' and '.join(map(repr, lacking))} is lacking. Battles have model_a, model_b and winner "
            f"(a, b or tie), and may have cluster and weight; found: {', '.join(map(repr, names))}. Say which it is: ",
            column_advice(lacking[0], "NAME", "read_battles"),
            ".",
        )
    return found


def _part(table: SourceTable, held: Mapping[str, str], *, position: bool) -> _Part:
    """The battles in these columns of a table; a bad row is named."""
    refuse_nested(table, [column for key, column in held.items() if key not in ("question", "judge")])
    given = table.columns.get(held["winner"])
    is_annotated = isinstance(given, np.ndarray) and (plain(held["model_a"]), plain(held["winner"])) == _ANNOTATED
    named = {
        key: words_of(map(str, table.nested[column])) if column in table.nested else table.words(column)
        for key, column in held.items()
        if key != "weight" and not (is_annotated and key == "winner")
    }
    words = {key: each.renamed(map(str.strip, each.names)) for key, each in named.items()}
    for key in [each for each in (*SIDES, "cluster") if each in words]:
        _refuse_rows(table, words[key].code < 0, lambda _, key=key: f"{key} is empty")  # type: ignore[misc]
    models, codes = _sorted([words["model_a"], words["model_b"]])
    a, b = np.split(codes, 2)
    _refuse_rows(table, a == b, lambda row: f"{models[a[row]]!r} meets itself")
    if "winner" in words:
        outcome = _outcomes(table, held, words["winner"], models, a, b)
    else:  # from 1 to 2, which may be a judge's probabilities plus 1; older annotations write a tie as 0
        given = table.numbers(held["winner"])
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
    own, turned = (np.sort((one * len(models) + two) * 3 + sign) for one, two, sign in ((a, b, outcome), (b, a, -outcome)))
    if not position and np.array_equal(own, turned):
        raise table.refuse(
            "each battle stands there twice, once for each of its two models, and would count twice.",
            "Keep one row for each battle; if they are different battles, call the two columns model_a and model_b.",
        )
    whole = {key: each for key, each in words.items() if (each.code >= 0).all()}
    return _Part(table.name, whole, outcome, weight, held["question"] if "question" in whole else "", position)


def _refuse_rows(table: SourceTable, is_wrong: Any, what: Callable[[int], str]) -> None:
    """Refuse rows, of which the first is named."""
    table.refuse_rows(is_wrong, lambda row: f"{what(row)}; it is so in {np.sum(is_wrong)} row(s).")


def _outcomes(
    table: SourceTable, held: Mapping[str, str], winner: Words, models: tuple[str, ...], a: IntArray, b: IntArray
) -> IntArray:
    """1, -1 and 0; the names of the models count before words such as a and b, but in a column that can only hold sides."""
    sides = tuple(plain(held[part]) for part in SIDES[:2])
    firsts, seconds = zip(sides, PAIRS.get(sides, sides), strict=True)
    words = {**_WINNERS, **dict.fromkeys(firsts, 1), **dict.fromkeys(seconds, -1)}
    if {word.removesuffix(".0") for word in winner.names} - {*models} == {"0", "1"}:  # beside 2 a tie and the first
        raise table.refuse(
            "it says 0 and 1: is 1 the first model, or the second one?",
            "Write a, b or tie, or the name of the model that won.",
            column=held["winner"],
            kind=UnclearSourceError,
        )
    number = {model: place for place, model in enumerate(models)}
    named = np.array([number.get(word, -1) for word in winner.names])[winner.code]
    side = np.array([words.get(word.casefold(), words.get(plain(word), 2)) for word in winner.names])[winner.code]
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
            f"{models[b[row]]!r}: write one of these"
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
    models, codes = _sorted([part.words[key] for key in ("model_a", "model_b") for part in parts])
    first, second = np.split(codes, 2)
    if len(models) > MOST_RATED:
        raise DataError(
            f"{named} has {len(models):,} models, and at most {MOST_RATED:,} can be rated together, as memory grows with their "
            "square. Keep the battles between those that matter."
        )
    coded = {
        key: _sorted([part.words[key].ordered() for part in parts]).code
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
        first,
        second,
        np.concatenate([part.outcome for part in parts]),
        coded.get(unit),
        np.concatenate(weights) if weights else None,
        question,
        parts[0].question_column if question is not None else "",
        unit,
        tuple(part.name for part in parts),
        tuple(sorted(known)),
        all(part.position for part in parts),
    )


def _sorted(columns: Sequence[Words]) -> Words:
    """Rows of all columns as one, their names sorted."""
    words = concatenated(columns)
    return ranked(words, words.names)
