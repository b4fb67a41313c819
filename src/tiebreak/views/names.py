"""Long names made short, and still told apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tiebreak.views.format import printable, shorten


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Names of at most `width` characters, all different.

    Parameters
    ----------
    names : sequence of str
        All different; control characters become visible escapes.
    width : int
        At least 10.

    Returns
    -------
    list of str
        Of long names go the words that all of them share, or the middle, or what stands between the beginning and the first
        difference, whichever keeps more names apart. Names that still look the same get their number, counted from 1.
    """
    full = [printable(name) for name in names]
    if max(map(len, full), default=0) <= width and len(set(full)) == len(full):
        return full
    long = [name for name in full if len(name) > width]
    shared, start = _shared_words(long), _where_names_differ(long)
    ways = (
        [name if len(name) <= width else _without(name, shared, width) for name in full],
        [shorten(name, width) for name in full],
        [name if len(name) <= width else _from(name, start, width) for name in full],
    )
    labels = max(ways, key=lambda way: len(set(way)))  # the first of equally good ones
    count = Counter(labels)
    labels = [_numbered(label, n, width) if count[label] > 1 else label for n, label in enumerate(labels, 1)]
    if len(set(labels)) < len(labels):  # some name looks as if it had been numbered here
        labels = [_numbered(label, n, width) for n, label in enumerate(labels, 1)]
    return labels


def _words(name: str) -> list[str]:
    return re.findall(r"[^ _/]*[ _/]|[^ _/]+$", name)


def _shared_words(names: Sequence[str]) -> set[str]:
    """Words that stand in all names, of which there are to be at least two."""
    return set.intersection(*(set(_words(name)) for name in names)) if len(names) > 1 else set()


def _without(name: str, shared: set[str], width: int) -> str:
    """A long name with … for words that tell nothing; its first word stays if there is room."""
    words = _words(name)
    kept = re.sub("…+", "…", "".join("…" if word in shared else word for word in words))
    kept = re.sub("[ ,_/]+…$", "…", kept)
    if words[0] in shared and len(words[0] + kept) <= width:
        return words[0] + kept
    return shorten(kept, width)


def _where_names_differ(names: Sequence[str]) -> int:
    """Position of the word in which names begin to differ."""
    if not names:
        return 0
    lowest, highest = min(names), max(names)  # what these two share, all that stand between them share
    pairs = zip(lowest, highest, strict=False)
    position = next((i for i, (one, other) in enumerate(pairs) if one != other), len(lowest))
    return max(lowest.rfind(separator, 0, position) for separator in " _/") + 1 or position


def _from(name: str, start: int, width: int) -> str:
    """A long name by its first characters and what stands from `start` on."""
    head = width // 4
    if start <= head:
        return name[: width - 1] + "…"
    rest, room = name[start:], width - head - 1
    return f"{name[:head]}…{rest if len(rest) <= room else rest[: room - 1] + '…'}"


def _numbered(label: str, number: int, width: int) -> str:
    suffix = f" ({number})"
    return shorten(label, width - len(suffix)) + suffix
