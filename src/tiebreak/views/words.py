"""Numbers and names as people read them: what all names share is stated once, an owner goes first, then the end; no two alike."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate

from tiebreak.printable import printable as printable
from tiebreak.scores.vocabulary import count as count
from tiebreak.scores.vocabulary import span as span

NAME_WIDTH = 34
"""Characters of a name."""

_CALL = r"(?s)([^\s(),=]+)\((.+)\)"
_WORD = r"\d+(?:\.\d+)*(?:[eE][-+]?\d+)?[^\W\d_]*|[^\W_]+|."
"""A number with its exponent and unit ("24B"), a word, or a character between them."""


def model_names(models: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    """Names of at most `width` characters, no two alike, of all models of a page, for which `left_out` is said once."""
    return short_names(_without_shared(tuple(map(printable, models)), min(width, NAME_WIDTH))[0], width)


def short_names(names: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    """Names of at most `width` characters, no two alike, of which nothing is stated elsewhere.

    Names without their owners where one is too long, then cut; those that look alike all the same bear their number.
    """
    names = list(map(printable, names))
    if max(map(len, names), default=0) > width:
        without = [re.sub(r"^(?:[\w.-]+/)+(?=[\w.-])", "", name) for name in names]
        names = without if len(set(without)) == len(set(names)) else names
    labels = [name if len(name) <= width else cut(name, width) for name in names]
    counts = Counter(labels)
    ends = [_end(name, width) if counts[label] > 1 else label for name, label in zip(names, labels, strict=True)]
    labels = ends if len(set(ends)) == len(ends) else labels  # those that look alike differ at their ends
    for fewest in (2, 1):  # those that look alike; all, where one looks as if it had been numbered here
        counts = Counter(labels)
        if max(counts.values(), default=1) == 1:
            break
        numbered = [f"{cut(label, width - len(str(n)) - 2)} #{n}" for n, label in enumerate(labels, 1)]
        labels = [own if counts[label] >= fewest else label for own, label in zip(numbered, labels, strict=True)]
    return labels


def quoted_names(models: Sequence[str]) -> dict[str, str]:
    """Each model's name in a sentence: in quotes where a comma, an "and" or a full stop in it would read as part of that."""
    return {
        model: f"'{name}'" if re.search(r",|[.!?]$|\b(?:and|or|but|is|by)\b", name) else name
        for model, name in zip(models, model_names(models), strict=True)
    }


def left_out(models: Sequence[str]) -> str:
    """Note on what `model_names` leaves out of all names; "" where that is nothing."""
    stated = _without_shared(tuple(map(printable, models)), NAME_WIDTH)[1]
    return f"Names leave out what all share: {stated}" if stated else ""


def cut(name: str, width: int) -> str:
    """A name of at most `width` characters: whole words and numbers, and one ellipsis for the end."""
    if len(name) <= width:
        return name
    whole = "".join(_that_fit(re.findall(_WORD, name, re.DOTALL), width)).rstrip(" ,-_/(=.")
    return (whole if len(whole) > width // 3 else name[: width - 1]) + "…"


def _end(name: str, width: int) -> str:
    """The last words and numbers of a name, or its last characters, after one ellipsis."""
    last = _that_fit(re.findall(_WORD, name, re.DOTALL)[::-1], width)
    whole = "".join(reversed(last)).lstrip(" …,-_/)=.")
    return "…" + (whole if len(whole) > width // 3 else name[1 - width :])


def _that_fit(tokens: list[str], width: int) -> list[str]:
    """The first tokens for which, with an ellipsis, there is room."""
    return tokens[: sum(end < width for end in accumulate(map(len, tokens)))]


@lru_cache(maxsize=16)
def _without_shared(names: tuple[str, ...], width: int) -> tuple[tuple[str, ...], str]:
    """Names without the parameters, or else the first and last words, that all share, and these; all of what fits is kept."""
    if len(names) < 2 or (max(map(len, names)) <= width and len(set(names)) == len(names)):
        return names, ""
    for labels, stated in (_without_parameters(names), _without_words(names)):
        if stated and all(labels) and len(set(labels)) == len(labels):
            return labels, stated
    return names, ""


def _without_parameters(names: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Names such as "SVC(C=1, tol=0.1)" or "svc, C=1, tol=0.1" without the arguments that all have, or the one class."""
    calls = [re.fullmatch(_CALL, name) for name in names]
    kinds = [call[1] if call else "" for call in calls]
    pieces = [_pieces(call[2] if call else name) for call, name in zip(calls, names, strict=True)]
    shared = [piece for piece in pieces[0] if "=" in piece and all(piece in each for each in pieces)]
    own = [", ".join(piece for piece in each if piece not in shared) for each in pieces]
    if len(set(kinds)) == 1 and kinds[0] and all(own):
        return tuple(own), f"{kinds[0]}({', '.join(shared)})" if shared else kinds[0]
    labels = (f"{kind}({rest})" if kind and rest else kind or rest for kind, rest in zip(kinds, own, strict=True))
    return tuple(labels), ", ".join(shared)


def _without_words(names: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Names without the words that all begin with, and those that all end with."""
    words = [re.findall(r"[^-/_ ]*[-/_ ]|[^-/_ ]+$", name) for name in names]
    head = _n_alike(words)
    tail = _n_alike([each[head:][::-1] for each in words])
    owner = max((place for place, word in enumerate(words[0][:head], 1) if word.endswith("/")), default=0)
    for gone, end in ((owner, 0), (owner, tail), (head, tail)):  # as little as it takes
        labels = tuple("".join(each[gone : len(each) - end]).strip("-/_ ") for each in words)
        if max(map(len, labels)) <= NAME_WIDTH:
            break
    ends = ("".join(words[0][:gone]).rstrip("-/_ "), "".join(words[0][len(words[0]) - end :]))
    return labels, ", ".join(filter(None, ends))


def _n_alike(words: Sequence[Sequence[str]]) -> int:
    """Number of leading words that all names share; the last word of the shortest name does not count."""
    most = min(map(len, words)) - 1
    return next((place for place in range(most) if len({each[place] for each in words}) > 1), max(most, 0))


def _pieces(text: str) -> tuple[str, ...]:
    """Text between commas that stand in no bracket; the text itself where brackets do not match."""
    found, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return (text,)
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return tuple(piece.strip() for piece in found) if depth == 0 else (text,)


def decimals_for(standard_error: float) -> int:
    """Decimals that show two significant digits of a standard error; four where there is none."""
    if not math.isfinite(standard_error) or standard_error <= 0:
        return 4
    return min(max(1 - math.floor(math.log10(standard_error)), 0), MOST_DECIMALS)


MOST_DECIMALS = 12
"""Decimals that are written out."""

WHY_UNTESTED = {
    "identical-scores": "identical scores on all {unit}s",
    "no-spread": "the same difference on all {unit}s, so there is nothing to test it with",
    "missing-splits": "too few {unit}s that both have",
    "too-few-units": "too few {unit}s for an interval at {level}",
    "too-few-draws": "too few draws for an interval at {level}",
    "discrete": "the interval ends at 0 itself",
}
"""Why no interval decides a pair, where that is more than an interval that leaves it open."""


def format_score(value: float, decimals: int, *, signed: bool = False, more: int = 0) -> str:
    """A score or difference with a fixed number of decimals, and `more` of them; "-" where it is undefined, never "-0.00"."""
    if not math.isfinite(value):
        return "-" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    # by its first twelve digits where at most ten are shown: those after them are rounding noise, which depends on the order of a
    # sum (0.7525 as 0.75249999999999995 would be 0.752, and as 0.75250000000000006 it would be 0.753)
    settled = float(f"{value:.12g}") if abs(value) < 10.0 ** (10 - decimals - more) else value
    rounded = round(settled, decimals + more) + 0.0
    is_tiny = decimals >= MOST_DECIMALS and 0 < abs(value) < 1e-9  # where everything is
    if is_tiny or (rounded != 0 and not 1e-9 < abs(rounded) < 1e7):
        return f"{value:{'+' if signed else ''}.{3 + more}e}"
    return f"{rounded:{'+' if signed and rounded != 0 else ''}.{decimals + more}f}"


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
    """A level such as 0.95 as "95%", and one of 0.9999999 not as "100%"."""
    return f"{100 * share:.{6 if share <= 0.999999 else 15}g}%"


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
    """A time to wait: "40 s", "3 min", "2 h 5 min"; a second at least."""
    if value < 90:
        return f"{max(value, 1):.0f} s"
    minutes = round(value / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def n_of(n: int, total: int) -> str:
    """A number, and of how many where it is not all: "8 of 10"."""
    return str(n) if n == total else f"{n} of {total}"


def more_below(n: int, most: int) -> str:
    """End of a title where only so many of n rows are shown; "" where all are."""
    return f"; {n - most} more below these" if n > most else ""


def first_few(texts: Sequence[str]) -> list[str]:
    """The first texts, and the number of the others."""
    more = len(texts) - 5
    return [*texts[:5], f"and {more} more"] if more > 0 else list(texts)


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


def quote(name: str) -> str:
    """A name in a sentence."""
    return f"'{shorten(name, QUOTE_WIDTH)}'"


def listed(names: list[str], most: int = 5) -> str:
    """Names in a sentence, at most `most` of them: 'a', 'b' and 'c'; 'a', 'b' and 7 more."""
    shown = [*names[: most - 1], f"{len(names) - most + 1} more"] if len(names) > most else names
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
