"""Battles of answers judged in both orders, as FastChat (MT-Bench) and Arena-Hard write them: a record for each pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tiebreak.errors import UnreadableSourceError
from tiebreak.printable import printable
from tiebreak.readers.columns import ARENA_HARD, FASTCHAT

Record = Mapping[str, Any]


class JudgedPairs(NamedTuple):
    """Battles of judged pairs.

    Attributes
    ----------
    battles : list of dict
        One for each order in which a pair was judged, with question_id, model_a, which stood first, model_b, winner ("a", "b" or
        "tie") and judge.
    n_without_verdict : int
        Judgements from which no winner could be read.
    """

    battles: list[dict[str, Any]]
    n_without_verdict: int


def judged_pairs(records: Sequence[Record], name: str) -> JudgedPairs | None:
    """The battles in records of judged pairs; None for other records.

    Raises
    ------
    UnreadableSourceError
        A record is not like the first one, or a verdict is none that is known.
    """
    unfold = _reader_of(records[0]) if records else None
    if unfold is None:
        return None
    battles, n_without_verdict = [], 0
    for row, record in enumerate(records, start=1):
        where = f"{name}, record {row}"
        if _reader_of(record) is not unfold:
            raise UnreadableSourceError(f"{where} is no judged pair like the first one: it has {', '.join(map(repr, record))}.")
        judge = record.get("judge")
        said = {"judge": judge[0] if isinstance(judge, list | tuple) and judge else judge}
        said["question_id"] = next((record[key] for key in ("question_id", "uid") if key in record), None)
        for first, second, winner in unfold(record, where):
            if winner is None:
                n_without_verdict += 1
            else:
                battles.append({**said, "model_a": first, "model_b": second, "winner": winner})
    if not battles:
        raise UnreadableSourceError(f"{name}: no winner can be read from any of {n_without_verdict} judgements.")
    return JudgedPairs(battles, n_without_verdict)


Unfolded = Iterator[tuple[Any, Any, str | None]]


def _of_fastchat(record: Record, where: str) -> Unfolded:
    """Two games: model_1 stood first in the first, model_2 in the second; the winner is named model_1 or model_2."""
    one, two = record["model_1"], record["model_2"]
    for game, (first, second) in (("g1_winner", (one, two)), ("g2_winner", (two, one))):
        said = record[game]
        if said not in ("model_1", "model_2", "tie", "error", None):
            raise UnreadableSourceError(f"{where}: {game} is {_brief(said)}, which is neither model_1, model_2, tie nor error.")
        winner = one if said == "model_1" else two
        is_open = said in ("error", None)
        yield first, second, None if is_open else "tie" if said == "tie" else "a" if winner == first else "b"


def _of_arena_hard(record: Record, where: str) -> Unfolded:
    """Games in turn: the baseline stood first in the first, the model in the second; a score such as "A>>B" says who won."""
    games = record["games"]
    if not isinstance(games, list):
        raise UnreadableSourceError(f"{where}: games is {_brief(games)}, and should be a list of judgements.")
    sides = (record.get("baseline", "baseline"), record["model"])
    for number, game in enumerate(games):
        score = game.get("score") if isinstance(game, Mapping) else None
        first, second = sides if number % 2 == 0 else sides[::-1]
        if score is None:
            yield first, second, None
            continue
        verdict = _VERDICTS.get(score.replace(" ", "")) if isinstance(score, str) else None
        if verdict is None:
            raise UnreadableSourceError(
                f"{where}: the score of a game is {_brief(score)}, which is none such as A>B, A=B or B>>A."
            )
        yield first, second, verdict


_VERDICTS = {
    **dict.fromkeys(("A>B", "A>>B", "B<A", "B<<A"), "a"),
    **dict.fromkeys(("B>A", "B>>A", "A<B", "A<<B"), "b"),
    **dict.fromkeys(("A=B", "B=A"), "tie"),
}
"""Scores of Arena-Hard; a clear win counts as a win."""

_READERS: dict[frozenset[str], Callable[[Record, str], Unfolded]] = {
    frozenset(FASTCHAT): _of_fastchat,
    frozenset(ARENA_HARD): _of_arena_hard,
}
"""Readers by the keys that a record of the format has."""


def _reader_of(record: Record) -> Callable[[Record, str], Unfolded] | None:
    return next((reader for keys, reader in _READERS.items() if keys <= record.keys()), None)


def _brief(value: Any) -> str:
    return printable(f"{value!r:.60}")
