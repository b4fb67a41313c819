"""Values of a study file that know where they stand: read by msgspec, and refused with file, path, value and what is allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from tiebreak.errors import InvalidParameterError, TiebreakError, UnknownNameError
from tiebreak.scores.vocabulary import look_up

_KINDS = {
    "array": "a list",
    "bool": "true or false",
    "date": "a date or time",
    "datetime": "a date or time",
    "float": "a number",
    "int": "a whole number",
    "null": "nothing",
    "object": "a table",
    "str": "a text",
    "time": "a date or time",
}
"""Kinds of values in words, by msgspec's."""


class Entry(NamedTuple):
    """A value in a study file, which messages call `file`; None where the file has none.

    The keys lead to the value; numbers are places in lists, and the whole file has none.
    """

    file: str
    keys: tuple[str | int, ...]
    value: Any

    def error(self, text: str, kind: type[TiebreakError] = InvalidParameterError) -> TiebreakError:
        """The error that says what is wrong, after file, path and value: "s.toml: models.svm.steps[0].name = 3: "."""
        keys = (key if re.fullmatch("[A-Za-z0-9_-]+", str(key)) else shown(key) for key in self.keys)
        path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")
        value = "" if self.value is None or isinstance(self.value, dict) else f" = {shown(self.value)}"
        return kind(f"{self.file}: {path}{value}: {text}" if self.keys else f"{self.file}: {text}")

    def require(self, is_fine: object, text: str) -> None:
        """Raise the error unless all is fine."""
        if not is_fine:
            raise self.error(text)

    def at(self, key: str | int) -> Entry:
        """The value under a key of a table, or at a place of a list."""
        return Entry(self.file, (*self.keys, key), self.value.get(key) if isinstance(self.value, dict) else self.value[key])

    def items(self) -> list[Entry]:
        """The entries of a list; of another value itself, if there is one."""
        entries = [self.at(place) for place in range(len(self.value))] if isinstance(self.value, list) else [self]
        return [each for each in entries if each.value is not None]

    def check_name(self, known: Sequence[str], what: str, name: Any = None) -> None:
        """Refuse a value, or a name that is a part of it, which is not known; with the nearest ones."""
        try:
            look_up(self.value if name is None else name, known, what)
        except UnknownNameError as error:
            raise self.error(str(error).replace("is called None:", "is named:")) from None

    def check_keys(self, known: Sequence[str], what: str = "key") -> None:
        """Refuse a key of a table that is not known."""
        for key in self.read(dict[str, Any] | None) or ():
            self.at(key).check_name(known, what, key)

    def read(self, kind: Any) -> Any:
        """The value as a type that msgspec knows."""
        try:
            return msgspec.convert(self.value, kind)
        except msgspec.ValidationError as error:
            text, _, path = str(error).partition(" - at `$")
        place = self
        for key, position in re.findall(r"\.(\w+)|\[(\d+)\]", path):
            place = place.at(key or int(position))
        words = re.sub(r"\w+", lambda word: _KINDS.get(word[0], word[0]), text.replace(" | null", "").replace(" | ", " or "))
        raise place.error(f"{words.replace('Expected', 'must be').replace('`', '')}.")


def shown(value: Any) -> str:
    """A value in a message, in brief."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
