"""Numbers and names as people read them."""

from __future__ import annotations

import math
import re
import unicodedata

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def decimals_for(standard_error: float) -> int:
    """Decimals that show two significant digits of a standard error; four where there is none."""
    if not math.isfinite(standard_error) or standard_error <= 0:
        return 4
    return min(max(1 - math.floor(math.log10(standard_error)), 0), 12)


def format_score(value: float, decimals: int, *, signed: bool = False) -> str:
    """A score or difference with a fixed number of decimals; "-" where it is undefined, never "-0.00"."""
    if not math.isfinite(value):
        return "-" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    rounded = round(value, decimals) + 0.0
    if rounded != 0 and not 1e-9 < abs(rounded) < 1e7:
        return f"{value:{'+' if signed else ''}.3e}"
    return f"{rounded:{'+' if signed and rounded != 0 else ''}.{decimals}f}"


def format_interval(low: float, high: float, decimals: int) -> str:
    """An interval as "-0.016 to 0.036"; "-" where it is undefined."""
    if math.isnan(low) or math.isnan(high):
        return "-"
    return f"{format_score(low, decimals)} to {format_score(high, decimals)}"


def format_pvalue(pvalue: float) -> str:
    """A p-value with three decimals, or as a bound where it is smaller."""
    if math.isnan(pvalue):
        return "-"
    return "<0.001" if pvalue < 0.001 else f"{pvalue:.3f}"


def format_probability(probability: float) -> str:
    """A probability with three decimals; never 0 or 1 unless it is."""
    if math.isnan(probability):
        return "-"
    if 0 < probability < 0.0005:
        return "<0.001"
    return ">0.999" if 0.9995 <= probability < 1 else f"{probability:.3f}"


def format_percent(share: float) -> str:
    """A level such as 0.95 as "95%"."""
    return f"{100 * share:.6g}%"


def printable(name: str) -> str:
    """A name on one line: control characters and broken surrogates become visible escapes."""
    return _UNPRINTABLE.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), name)


def columns(text: str) -> int:
    """Columns that text on one line takes on a screen: Chinese or Japanese characters two, accents on their own none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def shorten(name: str, width: int) -> str:
    """A name of at most `width` characters: the middle goes, as names often differ at their ends."""
    name = printable(name)
    if len(name) <= width:
        return name
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}…{name[len(name) - tail :]}"


def quote(name: str, width: int = 60) -> str:
    """A name in a sentence."""
    return f"'{shorten(name, width)}'"


def listed(names: list[str], most: int = 5) -> str:
    """Quoted names in a sentence, at most `most` of them: 'a', 'b' and 'c'; 'a', 'b' and 7 more."""
    shown = [*names[: most - 1], f"{len(names) - most + 1} more"] if len(names) > most else names
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
