"""Numbers and names as people read them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tiebreak.printable import printable as printable
from tiebreak.views.names import cut

if TYPE_CHECKING:
    from tiebreak.numerics import IntArray


def decimals_for(standard_error: float) -> int:
    """Decimals that show two significant digits of a standard error; four where there is none."""
    if not math.isfinite(standard_error) or standard_error <= 0:
        return 4
    return min(max(1 - math.floor(math.log10(standard_error)), 0), MOST_DECIMALS)


MOST_DECIMALS = 12
"""Decimals that are written out."""


def format_score(value: float, decimals: int, *, signed: bool = False, more: int = 0) -> str:
    """A score or difference with a fixed number of decimals, and `more` of them; "-" where it is undefined, never "-0.00"."""
    if not math.isfinite(value):
        return "-" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    rounded = round(_settled(value, decimals + more), decimals + more) + 0.0
    is_tiny = decimals >= MOST_DECIMALS and 0 < abs(value) < 1e-9  # where everything is
    if is_tiny or (rounded != 0 and not 1e-9 < abs(rounded) < 1e7):
        return f"{value:{'+' if signed else ''}.{3 + more}e}"
    return f"{rounded:{'+' if signed and rounded != 0 else ''}.{decimals + more}f}"


def _settled(value: float, decimals: int) -> float:
    """The value by its first twelve digits where at most ten are shown.

    Those after them are rounding noise, which depends on the order of a sum: 0.7525 as 0.75249999999999995 would be 0.752, and as
    0.75250000000000006 it would be 0.753.
    """
    return float(f"{value:.12g}") if abs(value) < 10.0 ** (10 - decimals) else value


def format_interval(low: float, high: float, decimals: int, limits: Sequence[float] = ()) -> str:
    """An interval as "-0.016 to 0.036"; "-" where it is undefined.

    Digits grow until both ends lie, as printed, on their true side of the limits.
    """
    if math.isnan(low) or math.isnan(high):
        return "-"
    if math.isinf(low) or math.isinf(high):
        side, end = ("up to", high) if math.isinf(low) else ("from", low)
        return "-" if math.isinf(end) else f"{side} {format_score(end, decimals)}"
    for more in range(MOST_DIGITS):
        ends = [format_score(end, decimals, more=more) for end in (low, high)]
        if all(
            _side(float(text), limit) == _side(end, limit)
            for text, end in zip(ends, (low, high), strict=True)
            for limit in limits
        ):
            break
    return " to ".join(ends)


def cut_notes(ends: Iterable[float], bounds: Sequence[float], of: str) -> list[str]:
    """A sentence where ends of intervals stand at a bound of what they are about, else nothing."""
    return [f"Intervals are cut off at the smallest and largest possible {of}."] if any(end in bounds for end in ends) else []


def format_bound(value: float, decimals: int, limits: Sequence[float] = ()) -> str:
    """An upper bound, rounded up so that "at most" stays true, and on its true side of the limits as `format_interval`."""
    if not math.isfinite(value) or value == 0:
        return "-" if math.isnan(value) else format_score(value, 0)
    for more in range(MOST_DIGITS):
        tiny = 2 - math.floor(math.log10(abs(value))) if decimals >= MOST_DECIMALS else 0
        scale = 10.0 ** (max(decimals, tiny) + more)
        above = math.ceil(value * scale * (1 - 1e-12)) / scale
        text = format_score(above, decimals, more=more)
        if "e" in text and float(text) < value * (1 - 1e-12):  # the power of ten shows fewer digits than were rounded up
            text = format_score(above + 10.0 ** (math.floor(math.log10(above)) - 3 - more), decimals, more=more)
        if all(_side(float(text), limit) == _side(value, limit) for limit in limits):
            break
    return text


def _side(value: float, limit: float) -> int:
    """1 above, -1 below, 0 on the limit, which is meant up to rounding noise."""
    distance = value - limit
    return 0 if abs(distance) <= 1e-12 * abs(limit) else 1 if distance > 0 else -1


MOST_DIGITS = 13
"""Digits that are tried beyond those of the standard error."""


def format_probability(probability: float) -> str:
    """A probability, or a p-value, with three decimals; never 0 or 1 unless it is."""
    if math.isnan(probability):
        return "-"
    if 0 < probability < 0.0005:
        return "<0.001"
    return ">0.999" if 0.9995 <= probability < 1 else f"{probability:.3f}"


def format_percent(share: float) -> str:
    """A level such as 0.95 as "95%"."""
    return f"{100 * share:.6g}%"


def level_words(alpha: float) -> str:
    """Coverage of one interval, 1 - alpha: as many digits as tell it from 100%."""
    decimals = max(0, -math.floor(math.log10(alpha)) - 1)
    digits = f"{100 * (1 - alpha):.{decimals}f}"
    return f"{digits.removesuffix('.0')}%"


def seconds(value: float) -> str:
    """A time as people say it; "-" where there is none."""
    if math.isnan(value):
        return "-"
    if value < 0.1:
        return f"{1000 * value:.2g} ms" if value < 0.01 else f"{1000 * value:.0f} ms"
    return f"{value:.2g} s" if value < 100 else f"{value:.0f} s"


def duration(value: float) -> str:
    """A time to wait: "40 s", "3 min", "2 h 5 min"."""
    if value < 90:
        return f"{value:.0f} s" if value >= 1 else "less than a second"
    minutes = round(value / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def span(values: IntArray) -> str:
    """The smallest and the largest number, once where they are the same."""
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low}-{high}"


def count(n: int, noun: str) -> str:
    """A number and what is counted: "1 row", "2 rows"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def n_of(n: int, total: int) -> str:
    """A number, and of how many where it is not all: "8 of 10"."""
    return str(n) if n == total else f"{n} of {total}"


def first_few(texts: Sequence[str], most: int = 5) -> list[str]:
    """The first texts, and the number of the others."""
    more = len(texts) - most
    return [*texts[:most], f"and {more} more"] if more > 0 else list(texts)


def columns(text: str) -> int:
    """Columns that text on one line takes on a screen: Chinese or Japanese characters two, accents on their own none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def shorten(text: str, width: int) -> str:
    """A text of at most `width` characters on one line: its end goes."""
    return cut(printable(text), width)


QUOTE_WIDTH = 60
"""Characters of a name in a sentence."""


def quote(name: str, width: int = QUOTE_WIDTH) -> str:
    """A name in a sentence."""
    return f"'{shorten(name, width)}'"


def listed(names: list[str], most: int = 5, conjunction: str = "and") -> str:
    """Names in a sentence, at most `most` of them: 'a', 'b' and 'c'; 'a', 'b' and 7 more; a, b or c."""
    shown = [*names[: most - 1], f"{len(names) - most + 1} more"] if len(names) > most else names
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {conjunction} {shown[-1]}"
