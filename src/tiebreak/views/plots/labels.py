"""Names as they stand in a figure: one line, short, told apart, with glyphs for every character and no mathtext."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from tiebreak.views.page import NAME_WIDTH
from tiebreak.views.words import printable, short_names, shorten

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


def short_labels(names: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    """Names of at most `width` characters, all different, in which every character can be drawn."""
    return short_names([readable(name) for name in names], width)


def numbered_labels(names: Sequence[str]) -> list[str]:
    """Short names followed by their number, for rows: the numbers stand in line where labels end at an axis."""
    return [f"{name}  {number}" for number, name in enumerate(short_labels(names), 1)]
