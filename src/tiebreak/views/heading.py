"""Heading of a report, as whoever has it written wants it: it holds for all reports that are made within a block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from tiebreak.errors import InvalidParameterError


@dataclass(frozen=True, slots=True)
class Heading:
    """Title, note and facts that a report bears, and the command that wrote it.

    Attributes
    ----------
    title : str
        Instead of the report's own.
    note : str
        A paragraph under the title, such as who asks and why.
    data : mapping of str to str or number
        Facts about the data: what, when, rows, positives.
    command : str
        The command that wrote it.
    """

    title: str = ""
    note: str = ""
    data: Mapping[str, str | float] = field(default_factory=dict)
    command: str = ""

    def __post_init__(self) -> None:
        """Refuse what is no text, and data without names."""
        for name in ("title", "note"):
            if not isinstance(getattr(self, name), str):
                raise InvalidParameterError(f"{name}={getattr(self, name)!r} is no text.", about=name)
        given: Any = self.data
        if not isinstance(given, Mapping) or not all(map(_is_fact, given.items())):
            example = "{'rows': 12400, 'positives': 310, 'taken': '2026-10-01'}"
            raise InvalidParameterError(
                f"data={given!r} is no dict of names with texts or numbers, such as {example}.", about="data"
            )


def _is_fact(item: tuple[Any, Any]) -> bool:
    name, value = item
    return isinstance(name, str) and isinstance(value, str | int | float)


_heading: ContextVar[Heading] = ContextVar("heading", default=Heading())  # noqa: B039  (it is frozen)


@contextmanager
def headed(**parts: Any) -> Iterator[None]:
    """Reports made here have these parts of a heading, beside those that were set before."""
    token = _heading.set(replace(_heading.get(), **parts))
    try:
        yield
    finally:
        _heading.reset(token)


def current_heading() -> Heading:
    """The heading of reports that are made now."""
    return _heading.get()
