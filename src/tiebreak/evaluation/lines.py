"""What ROC, precision-recall and calibration curves of several models have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from tiebreak import _facade
from tiebreak.errors import AmbiguousSourceError, UnknownNameError
from tiebreak.scores.names import look_up, quoted


class Line(Protocol):
    """Curves of one model for one class."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def positive(self) -> Any:
        """Label of the class."""


L = TypeVar("L", bound=Line)


@dataclass(frozen=True, slots=True, eq=False)
class Lines(Generic[L]):
    """Curves of several models; with more than two classes, of each class against the rest.

    Attributes
    ----------
    dataset : str
    lines : tuple
        Models in the order of the evaluation, and for each the classes in theirs.
    alpha : float
        1 - coverage of intervals and bands.
    n_copies : float
        How often each example was predicted: once for each repeat.
    ratio : float
        Mean n_test / n_train of the splits, by which intervals are corrected.
    """

    dataset: str
    lines: tuple[L, ...]
    alpha: float
    n_copies: float
    ratio: float

    @property
    def models(self) -> tuple[str, ...]:
        """Names."""
        return tuple(dict.fromkeys(line.model for line in self.lines))

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes that there are curves for."""
        return tuple(dict.fromkeys(line.positive for line in self.lines))

    def line(self, model: str, positive: Any = None) -> L:
        """The curves of a model.

        Parameters
        ----------
        model : str
        positive : label, optional
            Needed where there are curves of several classes.

        Raises
        ------
        UnknownNameError, AmbiguousSourceError
        """
        name = self.models[look_up(model, self.models, "model")]
        found = [line for line in self.lines if line.model == name and positive in (None, line.positive)]
        if not found:
            raise UnknownNameError(f"there is no curve of the class {positive!r}; there are {quoted(self.classes)}.")
        if len(found) > 1:
            raise AmbiguousSourceError(f"there are curves of {len(found)} classes: {quoted(self.classes)}. Name one, positive=.")
        return found[0]

    def __getitem__(self, key: str | tuple[str, Any]) -> L:
        return self.line(*key) if isinstance(key, tuple) else self.line(key)

    def __iter__(self) -> Iterator[L]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain lists, texts and numbers for JSON; undefined is None."""
        return _facade.result_dict(self)

    def __str__(self) -> str:
        return _facade.result_text(self)

    def __repr__(self) -> str:
        return _facade.result_text(self)

    def _repr_html_(self) -> str:
        return _facade.result_html(self)
