"""What the columns of a table mean, told by their names alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tiebreak.errors import AmbiguousSourceError, UnreadableSourceError
from tiebreak.scores.names import quoted

RESERVED = ("dataset", "model", "metric", "repeat", "fold", "split", "seed", "score", "n_train", "n_test")
WORDS = ("dataset", "model", "metric")
"""Reserved columns that hold names, even where these look like numbers."""

COLUMNS_ARE_MODELS = (
    " In a table with one column per model, every column but dataset, metric, repeat, fold, split, seed, n_train and n_test "
    "holds the scores of a model: correct the cell, remove the column, or call it 'dataset' or 'split' if it names those."
)

Form = Literal["long", "metrics", "wide"]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is laid out.

    Attributes
    ----------
    form : {"long", "metrics", "wide"}
        One row for each score; one row for each model and split with a column for each metric; one column for each model.
    reserved : dict
        Reserved word to the name of its column.
    others : tuple of str
        Names of the remaining columns: models of a wide table, metrics of a "metrics" one.
    """

    form: Form
    reserved: dict[str, str]
    others: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Which of repeat, fold and split are there."""
        return tuple(word for word in ("repeat", "fold", "split") if word in self.reserved)


def find_layout(names: Sequence[str], source: str) -> Layout:
    """The layout of a table with these column names.

    Raises
    ------
    UnreadableSourceError
        A name appears twice, or a column that should hold scores has none.
    AmbiguousSourceError
        Two columns for one reserved word, or a score column without models.
    """
    if not names:
        raise UnreadableSourceError(f"{source} has no columns, so there are no scores in it.")
    _refuse_doubled(names, source)
    reserved = _find_reserved(names, source)
    taken = set(reserved.values())
    others = tuple(name for name in names if name not in taken)
    if "model" in reserved:
        form: Form = "long" if "score" in reserved else "metrics"
        return Layout(form, reserved, tuple(name for name in others if not _is_unnamed(name)))
    if "score" in reserved:
        raise AmbiguousSourceError(
            f"{source} has a column {reserved['score']!r} but none called 'model', so it does not say whose scores they are. "
            "Add a 'model' column, or give each model a column of its own."
        )
    _refuse_search_results(others, source)
    _refuse_unnamed(names, others, source)
    if not others:
        raise UnreadableSourceError(
            f"{source} has no column of scores, only {quoted(names, 10)}. Use columns 'model' and 'score', or one column per "
            "model."
        )
    return Layout("wide", reserved, others)


def _refuse_doubled(names: Sequence[str], source: str) -> None:
    for position, name in enumerate(names):
        if name and name in names[:position]:
            raise UnreadableSourceError(
                f"{source} has two columns called {name!r} (columns {list(names).index(name) + 1} and {position + 1}). Give "
                "each model a name of its own."
            )


def _find_reserved(names: Sequence[str], source: str) -> dict[str, str]:
    reserved = {word: word for word in RESERVED if word in names}
    for word in RESERVED:
        alike = [name for name in names if name.casefold() == word and name != word]
        if word in reserved or not alike:
            continue
        if len(alike) > 1:
            raise AmbiguousSourceError(f"{source} has the columns {quoted(alike)}; which one is the {word}? Call it {word!r}.")
        reserved[word] = alike[0]
    return reserved


def _is_unnamed(name: str) -> bool:
    return not name or name.startswith("Unnamed: ")


def _refuse_unnamed(names: Sequence[str], others: Sequence[str], source: str) -> None:
    unnamed = [name for name in others if _is_unnamed(name)]
    if unnamed:
        position = list(names).index(unnamed[0]) + 1
        called = f"is called {unnamed[0]!r}" if unnamed[0] else "has no name"
        raise UnreadableSourceError(
            f"column {position} of {source} {called}. It is probably a running number that pandas or R wrote beside the "
            "table: drop it (index=False in pandas, row.names=FALSE in R), or call it 'split' if it numbers the splits."
        )


def _refuse_search_results(others: Sequence[str], source: str) -> None:
    if "fit_time" in others and any(name.startswith("test_") for name in others):
        raise UnreadableSourceError(
            f"{source} looks like the result of one call of cross_validate, which scores a single model. Pass {{name: result}} "
            "with one result for each model."
        )
    if any(name.startswith("split0_test_") for name in others):
        raise UnreadableSourceError(
            f"{source} looks like the cv_results_ of a search, with a row for each candidate. Pass search.cv_results_ itself, "
            "or better the fitted search."
        )


def wanted_columns(names: tuple[str, ...], layout: Layout) -> dict[str, str]:
    """The columns to read, and as what: "words", "key" (whole numbers or words) or "numbers".

    The unreserved columns of a long table are not read at all.
    """
    kinds = {
        name: "words" if word in WORDS else "key" if word in ("repeat", "fold", "split", "seed") else "numbers"
        for word, name in layout.reserved.items()
    }
    if layout.form != "long":
        kinds |= dict.fromkeys(layout.others, "numbers")
    return {name: kinds[name] for name in names if name in kinds}
