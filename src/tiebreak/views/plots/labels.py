"""Names as they stand in a figure: one line, short, told apart, with glyphs for every character and no mathtext."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from tiebreak.views.format import printable, shorten
from tiebreak.views.summary import NAME_WIDTH

_FALLBACKS = (
    "Noto Sans CJK SC",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Emoji",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Segoe UI Emoji",
    "Segoe UI Symbol",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
)
"""Fonts that people have for what matplotlib's own font lacks; bitmap emoji are left out, as Agg cannot draw them."""


@cache
def font_families() -> tuple[str, ...]:
    """Matplotlib's own font, then the fallbacks that are installed."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in installed))


@cache
def _drawable() -> frozenset[int]:
    """Code points for which one of the fonts has a glyph."""
    from matplotlib.font_manager import FontProperties, fontManager, get_font

    paths = [fontManager.findfont(FontProperties(family=[name])) for name in font_families()]
    return frozenset(code for path in paths for code in get_font(str(path)).get_charmap())


def readable(text: str) -> str:
    """Text on one line in which every character can be drawn; � stands for one that no installed font has."""
    text = printable(text) if text.strip() else repr(text)
    if text.isascii():
        return text
    glyphs = _drawable()
    return "".join(character if ord(character) in glyphs else "\N{REPLACEMENT CHARACTER}" for character in text)


def literal(text: str) -> str:
    """Text for matplotlib, in which a dollar sign is a dollar sign and never the start of mathtext."""
    return text.replace("$", r"\$")


def short(text: str, width: int = 40) -> str:
    """Text for a figure that need not differ from others, such as the name of a metric."""
    return shorten(readable(text), width)


def short_names(names: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    """Names of at most `width` characters, all different.

    Parameters
    ----------
    names : sequence of str
        All different.
    width : int
        At least 10.

    Returns
    -------
    list of str
        Of long names go the words that all of them share, or the middle, or what stands between the beginning and the first
        difference, whichever keeps more names apart. Names that still look the same get their number, counted from 1.
    """
    full = [readable(name) for name in names]
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


def numbered_names(names: Sequence[str]) -> list[str]:
    """Short names followed by their number, for rows: the numbers stand in line where labels end at an axis."""
    return [f"{name}  {number}" for number, name in enumerate(short_names(names), 1)]


def _numbered(label: str, number: int, width: int) -> str:
    suffix = f" ({number})"
    return shorten(label, width - len(suffix)) + suffix
