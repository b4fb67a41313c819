"""Names of models as every page shows them: what all share is stated once, an owner goes first, then the end; no two alike."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from tiebreak.printable import printable

NAME_WIDTH = 34
"""Characters of a name."""

_CALL = r"(?s)([^\s(),=]+)\((.+)\)"
_WORD = r"\d+(?:\.\d+)*(?:[eE][-+]?\d+)?[^\W\d_]*|[^\W_]+|."
"""A number with its exponent and unit ("24B"), a word, or a character between them."""


def model_names(models: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    """Names of at most `width` characters, no two alike, of all models of a page, for which `left_out` is said once."""
    full = tuple(map(printable, models))
    return list(full) if _fit(full, NAME_WIDTH) and _fit(full, width) else _cut_all(_without_shared(full)[0], width)


def short_names(names: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    """Names of at most `width` characters, no two alike, of which nothing is stated elsewhere."""
    full = tuple(map(printable, names))
    return list(full) if _fit(full, width) else _cut_all(full, width)


def quoted_names(models: Sequence[str]) -> dict[str, str]:
    """Each model's name as sentences have it: quoted where it would not read as one name."""
    return {model: spoken(name) for model, name in zip(models, model_names(models), strict=True)}


def spoken(name: str) -> str:
    """A shown name in a sentence: in quotes where a comma, an "and" or a full stop in it would read as part of the sentence."""
    return f"'{name}'" if re.search(r",|[.!?]$|\b(?:and|or|but|is|by)\b", name) else name


def left_out(models: Sequence[str]) -> str:
    """Note on what `model_names` leaves out of all names; "" where that is nothing."""
    full = tuple(map(printable, models))
    stated = "" if _fit(full, NAME_WIDTH) else _without_shared(full)[1]
    return f"Names leave out what all share: {stated}" if stated else ""


def cut(name: str, width: int) -> str:
    """A name of at most `width` characters: whole words and numbers, and one ellipsis for the end."""
    if len(name) <= width:
        return name
    kept = ""
    for token in re.findall(_WORD, name, re.DOTALL):
        if len(kept + token) > width - 1:
            break
        kept += token
    whole = kept.rstrip(" ,-_/(=.")
    return (whole if len(whole) > width // 3 else name[: width - 1]) + "…"


def _end(name: str, width: int) -> str:
    """The last words and numbers of a name, after one ellipsis."""
    kept = ""
    for token in reversed(re.findall(_WORD, name, re.DOTALL)):
        if len(kept + token) > width - 1:
            break
        kept = token + kept
    return "…" + kept.lstrip(" …,-_/)=.")


def with_copies(name: str, n_copies: int) -> str:
    """A name with the number of models that have the same scores: "forest (and 2 copies)"."""
    return f"{name} (and {n_copies} {'copy' if n_copies == 1 else 'copies'})" if n_copies else name


def _fit(names: Sequence[str], width: int) -> bool:
    return max(map(len, names), default=0) <= width and len(set(names)) == len(names)


def _cut_all(names: Sequence[str], width: int) -> list[str]:
    """Names without their owners where one is too long, then cut; those that look alike all the same bear their number."""
    if max(map(len, names), default=0) > width:
        without = [re.sub(r"^(?:[\w.-]+/)+(?=[\w.-])", "", name) for name in names]
        names = without if len(set(without)) == len(set(names)) else names
    labels = [cut(name, width) for name in names]
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


@lru_cache(maxsize=16)
def _without_shared(names: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """Names without the parameters, or else the first and last words, that all share; and these."""
    if len(names) < 2:
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
