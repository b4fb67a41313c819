"""A study file as TOML: values that know where they stand, so that every message names file, key and value."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tiebreak.errors import InvalidStudyError, SourceNotFoundError, TiebreakError
from tiebreak.scores.vocabulary import nearest_file, quoted

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_KINDS = {
    bool: "true or false",
    str: "a text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A value in a study file, which messages call `file`.

    The keys lead to the value; numbers are places in lists, and the whole file has none.
    """

    file: str
    keys: tuple[str | int, ...]
    value: Any

    def error(self, text: str) -> InvalidStudyError:
        """The error that says where the value stands, what it is, and what is wrong with it."""
        value = "" if isinstance(self.value, dict) else f" = {shown(self.value)}"
        where = f"{self.path}{value}: " if self.keys else ""
        return InvalidStudyError(f"{self.file}: {where}{text}")

    def about(self, error: TiebreakError) -> TiebreakError:
        """An error of what the value names, with the place of the value before it."""
        place = f"{self.file}: {self.path} = {shown(self.value)}: "
        return error if str(error).startswith(place) else type(error)(f"{place}{error}")

    @property
    def path(self) -> str:
        """The keys as TOML writes them: models.svm.steps[0].params."""
        text = ""
        for key in self.keys:
            if isinstance(key, int):
                text += f"[{key}]"
            else:
                text += ("." if text else "") + (key if _BARE_KEY.fullmatch(key) else _shortened(json.dumps(key)))
        return text

    def at(self, key: str | int) -> Entry:
        """The value under a key of a table, or at a place of a list."""
        return Entry(self.file, (*self.keys, key), self.value[key])

    def table(self, known: Sequence[str] | None = None) -> dict[str, Entry]:
        """The entries of a table, whose keys must be among the `known` ones, if given."""
        if not isinstance(self.value, dict):
            raise self.error(f"must be a table; got {kind_of(self.value)}.")
        entries = {key: self.at(key) for key in self.value}
        for key, entry in entries.items():
            if known is not None and key not in known:
                raise entry.error(f"there is no key {key!r} here; {nearest(key, known, 'the keys are')}")
        return entries

    def items(self) -> list[Entry]:
        """The entries of a list that holds something."""
        if not isinstance(self.value, list) or not self.value:
            got = "an empty one" if isinstance(self.value, list) else kind_of(self.value)
            raise self.error(f"must be a list; got {got}.")
        return [self.at(place) for place in range(len(self.value))]

    def text(self) -> str:
        """A text that is not empty."""
        if not isinstance(self.value, str) or not self.value:
            raise self.error(f"must be a text; got {'an empty one' if self.value == '' else kind_of(self.value)}.")
        return self.value

    def texts(self) -> list[str]:
        """A list of different texts, or a single one."""
        if isinstance(self.value, str):
            return [self.text()]
        texts = []
        for entry in self.items():
            if entry.value in texts:
                raise entry.error("stands twice.")
            texts.append(entry.text())
        return texts

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.error(f"must be true or false; got {kind_of(self.value)}.")
        return self.value

    def count(self, least: int) -> int:
        """A whole number of at least so many."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < least:
            raise self.error(f"must be a whole number of at least {least}.")
        return self.value

    def seconds(self) -> float:
        """A time."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not 0 < self.value <= sys.float_info.max:
            raise self.error("must be a number of seconds above 0.")
        return float(self.value)


def read_toml(path: Path) -> Entry:
    """The whole of a study file; one that is no TOML is refused with the line."""
    name = plain(str(path))
    if "\0" in str(path):
        raise SourceNotFoundError(f"{name} is no path: it holds a NUL character.")
    try:
        is_there = path.exists()
    except OSError as error:  # a name that is too long
        raise SourceNotFoundError(f"{name:.100} cannot be opened: {error.strerror or error}.") from None
    if path.is_dir():
        raise SourceNotFoundError(f"{name} is a directory. Pass the study file in it.")
    if is_there and not path.is_file() and not path.is_fifo():
        raise SourceNotFoundError(f"{name} is a device and no file.")
    if not is_there:
        raise SourceNotFoundError(f"there is no study file {str(path)!r} (looked in {Path.cwd()}).{nearest_file(path)}")
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise InvalidStudyError(f"{name} takes {size / 1e6:,.0f} MB, which no study file does. Is it a table?")
        content = path.read_bytes()
    except OSError as error:
        raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None
    try:
        return Entry(name, (), tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n")))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InvalidStudyError(
            f"{name}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8. Save it as UTF-8."
        ) from None
    except RecursionError:
        raise InvalidStudyError(f"{name} is nested too deeply to be read.") from None
    except ValueError as error:
        raise InvalidStudyError(f"{name} is not valid TOML: {error}.") from None


_LARGEST = 2**24
"""Bytes of a study file."""


def kind_of(value: Any) -> str:
    """Kind of a value, in TOML's words."""
    return _KINDS.get(type(value), "a date or time")


def shown(value: Any) -> str:
    """A value in a message, in brief."""
    if isinstance(value, dict):
        return "{...}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _shortened(json.dumps(value, ensure_ascii=not value.isprintable()))
    if isinstance(value, list):
        return _shortened(f"[{', '.join(shown(each) for each in value[:20])}]")
    return _shortened(str(value)) if not isinstance(value, int) or abs(value) < 10**40 else "a very large number"


def nearest(name: str, known: Sequence[str], otherwise: str) -> str:
    """The end of a message about a name that is not known: those that are near, or all if they are few."""
    near = get_close_matches(name, known, 3, 0.6)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    return f"{otherwise} {quoted(list(known), 12)}."


def plain(text: str) -> str:
    """A text on one line: as it is where it can be printed, else with escapes and in quotes."""
    return text if text.isprintable() else repr(text)


def one_line(error: BaseException) -> str:
    """An exception in brief: its type and the beginning of its text."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
