"""What a reader hands on: the scores of one source, and what joining it with others needs to know."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.scores.notice import Notice
from tiebreak.scores.scores import Scores


@dataclass(frozen=True, slots=True)
class Source:
    """Scores and where they came from.

    Attributes
    ----------
    scores : Scores
    name : str
        How messages call the source: "scores.csv", "the table".
    suffixes : tuple of str
        What tells its models from those of the same name in another source, best first: "last", "runs/last"; empty where
        there is no path.
    repeat_labels, fold_labels : tuple of str or None
        Where the source names its splits in words: the word behind each code.
    """

    scores: Scores
    name: str
    suffixes: tuple[str, ...] = ()
    repeat_labels: tuple[str, ...] | None = None
    fold_labels: tuple[str, ...] | None = None


def assumed_paired(source: str) -> Notice:
    """That models are paired by the order of their scores."""
    return Notice(
        "assumed-paired",
        f"{source} does not name its splits, so models are paired by the order of their scores; if they were not scored on the "
        "same splits in the same order, the answer is wrong",
    )


def approximate_sizes(source: str) -> Notice:
    """That the sizes of the splits are worked out, not counted."""
    return Notice(
        "approximate-sizes",
        f"the sizes of the splits of {source} are worked out from the number of examples, not counted",
    )
