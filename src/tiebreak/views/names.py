"""Short names of models: parameters that all share are left out and stated once, what differs stays."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from tiebreak.views.page import NAME_WIDTH
from tiebreak.views.words import QUOTE_WIDTH, printable, shorten


def model_names(models: Sequence[str], width: int) -> list[str]:
    """Names of at most `width` characters, all different, of all models of a page, for which `left_out` is said once.

    Where a name is long, parameters that models share go; what is too long all the same is shortened as by `short_names`.
    """
    full = tuple(printable(name) for name in models)
    return short_names(full if max(map(len, full), default=0) <= NAME_WIDTH else _without_shared(full).labels, width)


def quoted_names(models: Sequence[str]) -> dict[str, str]:
    """Each model's name as sentences quote it: on one line, not long, and no two alike."""
    return {model: f"'{name}'" for model, name in zip(models, model_names(models, QUOTE_WIDTH), strict=True)}


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Names of at most `width` characters, all different.

    The names given are all different, and control characters become visible escapes; the width is at least 10. Of long names
    of classes with arguments the middle of the class goes, as the arguments differ; of others the words that all of them
    share, or the middle, or what stands between the beginning and the first difference, whichever keeps more names apart.
    Names that still look the same get their number, counted from 1.
    """
    full = [printable(name) for name in names]
    if max(map(len, full), default=0) <= width and len(set(full)) == len(full):
        return full
    long = [name for name in full if len(name) > width]
    shared, start = _shared_words(long), _where_names_differ(long)
    ways = (
        *([[_with_short_kind(name, width) for name in full]] if all(re.fullmatch(_CALL, name) for name in long) else []),
        [name if len(name) <= width else _without(name, shared, width) for name in full],
        [shorten(name, width) for name in full],
        [name if len(name) <= width else _from(name, start, width) for name in full],
    )
    labels = max(ways, key=lambda way: len(set(way)))  # the first of equally good ones
    count = Counter(labels)
    labels = [
        _numbered(name, n, width) if count[label] > 1 else label
        for n, (label, name) in enumerate(zip(labels, full, strict=True), 1)
    ]
    if len(set(labels)) < len(labels):  # some name looks as if it had been numbered here
        labels = [_numbered(label, n, width) for n, label in enumerate(labels, 1)]
    return labels


def left_out(models: Sequence[str]) -> str:
    """Note on what `model_names` leaves out; "" where that is nothing."""
    full = tuple(printable(name) for name in models)
    if max(map(len, full), default=0) <= NAME_WIDTH:
        return ""
    stated = _without_shared(full).stated
    return f"names leave out what models share: {stated}" if stated else ""


def classes_of(models: Sequence[str]) -> list[str]:
    """Class of each model by its name, "SVC" of "SVC(C=1)"; "" where the name is no class with arguments."""
    parts = [_parts(printable(name)) for name in models]
    return [part.kind if part.is_call else "" for part in parts]


def entry_labels(labels: Sequence[str], copies: Sequence[Sequence[str]], width: int) -> list[str]:
    """Labels of models with those of their copies: one by its name where there is room, "a (and b)", else "a (and 2 copies)"."""
    found = []
    for label, others in zip(labels, copies, strict=True):
        together = f"{label} (and {others[0]})" if len(others) == 1 else ""
        found.append(together if together and len(together) <= width else with_copies(label, len(others)))
    return found


def with_copies(name: str, n_copies: int) -> str:
    """A name with the number of models that have the same scores: "forest (and 2 copies)"."""
    return f"{name} (and {n_copies} {'copy' if n_copies == 1 else 'copies'})" if n_copies else name


# --- shared parameters ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Labels:
    """Names without what is shared, all different, and words on what that is."""

    labels: tuple[str, ...]
    stated: str = ""


@dataclass(frozen=True, slots=True)
class _Name:
    """Parts of a name: `kind` is its class or what else has no value, `pieces` are in order ("C=1")."""

    kind: str
    pieces: tuple[str, ...]
    is_call: bool

    @property
    def parameters(self) -> set[str]:
        """Pieces with a value."""
        return {piece for piece in self.pieces if "=" in piece}

    def without(self, shared: set[str], kind: str = "", ending: str = "") -> str:
        """The name without some pieces, and without its kind where that is the one given, else without the ending of it."""
        if self.is_call:
            kept = ", ".join(piece for piece in self.pieces if piece not in shared)
            own = self.kind.removesuffix(ending)
            return kept if self.kind == kind else f"{own}({kept})" if kept else own
        return ", ".join(piece for piece in self.pieces if piece not in shared and (not kind or "=" in piece))


@lru_cache(maxsize=16)
def _without_shared(names: tuple[str, ...]) -> _Labels:
    """Names without the parameters that all have, or all of one kind, and without the kind where there is but one."""
    parts = [_parts(name) for name in names]
    members: dict[str, list[_Name]] = {}
    for part in parts:
        members.setdefault(part.kind, []).append(part)
    everywhere = set.intersection(*(part.parameters for part in parts)) if len(parts) > 1 else set()
    shared = {
        kind: set.intersection(*(part.parameters for part in group)) if len(group) > 1 else everywhere
        for kind, group in members.items()
    }
    only = next(iter(members)) if len(members) == 1 and len(parts) > 1 else ""
    ending = _ending(parts) if len(members) > 1 else ""
    for kind in dict.fromkeys((only, "")):  # a name may have nothing but its kind
        labels = tuple(re.sub(_QUOTED, r"=\2", part.without(shared[part.kind], kind, ending)) for part in parts)
        stated = "; ".join(filter(None, (_stated(parts, shared, everywhere, kind), ending and f"the ending {ending}")))
        if stated and all(labels) and len(set(labels)) == len(labels):
            return _Labels(labels, stated)
    return _without_shared_words(names)


_ID = r"[^\s(),=…]+"
"""A name without spaces and arguments, as hubs of models give them: "vendor/llama-3.1-70b-instruct"."""


def _without_shared_words(names: tuple[str, ...]) -> _Labels:
    """Names of words between "/", "-" and "_" without words that all have in one place, of which as few go as it takes.

    First goes what stands before a "/", then the end, then the longest part in the middle, for which "…" stands, then the rest
    of the beginning. Names of another form stay as they are.
    """
    if len(names) < 2 or not all(re.fullmatch(_ID, name) for name in names):
        return _Labels(names)
    words = [re.findall(r"[^-/_]*[-/_]|[^-/_]+$", name) for name in names]
    head = _n_alike(words)
    tail = _n_alike([each[head:][::-1] for each in words])
    inner = [each[head : len(each) - tail] for each in words]
    start, stop = _longest_alike(inner)
    owner = max((place for place, word in enumerate(words[0][:head], 1) if word.endswith("/")), default=0)
    ways = ((owner, 0, 0, 0), (owner, tail, 0, 0), (owner, tail, start, stop), (head, tail, start, stop))
    for gone, n_ending, low, high in ways:
        labels = tuple(_joined(each, gone, head + low, head + high, len(each) - n_ending) for each in words)
        if max(map(len, labels)) <= NAME_WIDTH:
            break
    if not all(labels) or len(set(labels)) < len(labels):
        return _Labels(names)
    first = words[0]
    parts = (first[:gone], first[head + low : head + high], first[len(first) - n_ending :])
    return _Labels(labels, ", ".join(filter(None, ("".join(part).strip("-_") for part in parts))))


def _n_alike(words: Sequence[Sequence[str]]) -> int:
    """Number of leading words that all names share; the last word of the shortest name does not count."""
    at_most = min(map(len, words)) - 1
    return next((place for place in range(at_most) if len({each[place] for each in words}) > 1), at_most)


def _longest_alike(words: Sequence[Sequence[str]]) -> tuple[int, int]:
    """First and last place of the longest run of words that all names have, where all have equally many; (0, 0) without."""
    if len({len(each) for each in words}) > 1:
        return 0, 0
    alike = [len(set(column)) == 1 for column in zip(*words, strict=True)]
    groups = [list(run) for is_alike, run in groupby(range(len(alike)), alike.__getitem__) if is_alike]
    runs = [(run[0], run[-1] + 1) for run in groups]
    return max(runs, key=lambda run: sum(map(len, words[0][run[0] : run[1]])), default=(0, 0))


def _joined(words: Sequence[str], start: int, low: int, high: int, stop: int) -> str:
    """The words from `start` to `stop`, with "…" for those from `low` to `high`."""
    before, after = "".join(words[start : max(low, start)] if high > low else words[start:stop]), "".join(words[high:stop])
    return f"{before.rstrip('-_/')}…{after.rstrip('-_/')}" if high > low else before.rstrip("-_/")


ENDINGS = ("Classifier", "Regressor")
"""Endings of classes that say nothing where all have them."""


def _ending(parts: list[_Name]) -> str:
    """The ending that all classes have, each after something else; "" where they have none."""
    shared = (
        each for each in ENDINGS if all(part.is_call and part.kind.removesuffix(each) not in ("", part.kind) for part in parts)
    )
    return next(shared, "")


def _stated(parts: list[_Name], shared: dict[str, set[str]], everywhere: set[str], kind: str) -> str:
    """Words on what is shared by all, and by all of a kind, in the order of the names."""
    if kind:
        first = next(part for part in parts if part.kind == kind)
        rest = ", ".join(piece for piece in first.pieces if piece in shared[kind])
        if first.is_call:
            return f"{kind}({rest})"
        return ", ".join(part for part in (kind, rest) if part)
    found = []
    for part in {part.kind: part for part in reversed(parts)}.values():
        own = [piece for piece in part.pieces if piece in shared[part.kind] - everywhere]
        found += [f"{', '.join(own)} (every {part.kind})" if part.kind else ", ".join(own)] if own else []
    common = [piece for piece in parts[0].pieces if piece in everywhere]
    return "; ".join([*([f"{', '.join(common)} (all)" if found else ", ".join(common)] if common else []), *reversed(found)])


_CALL = r"(?s)([^\s(),=]+)\((.+)\)"
_QUOTED = r"=(['\"])([^'\"\s,()=]+)\1"


def _parts(name: str) -> _Name:
    """Class and arguments of "SVC(C=1, kernel='rbf')", or pieces of "svc, C=1, kernel=rbf"."""
    call = re.fullmatch(_CALL, name)
    if call:
        arguments = _pieces(call[2])
        if arguments and all("=" in piece for piece in arguments):
            return _Name(call[1], arguments, is_call=True)
    pieces = _pieces(name) or (name,)
    return _Name(", ".join(piece for piece in pieces if "=" not in piece), pieces, is_call=False)


def _pieces(text: str) -> tuple[str, ...]:
    """Text between commas that stand in no bracket; nothing where brackets do not match."""
    found, start, depth = [], 0, 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            return ()
        if depth == 0 and text.startswith(", ", place):
            found.append(text[start:place])
            start = place + 2
    found.append(text[start:])
    return tuple(found) if depth == 0 and all(found) and len(set(found)) == len(found) else ()


# --- names that are too long all the same -----------------------------------------------------------------------------------


FEWEST_OF_KIND = 8
"""Characters of a class by which people still know it."""


def _with_short_kind(name: str, width: int) -> str:
    """A name of at most `width` characters; of a long class with few arguments the class is what is shortened."""
    call = re.fullmatch(_CALL, name)
    if len(name) <= width or call is None or len(call[2]) + 2 > width - FEWEST_OF_KIND:
        return shorten(name, width)
    return f"{_short_kind(call[1], width - len(call[2]) - 2)}({call[2]})"


def _short_kind(kind: str, width: int) -> str:
    """A class by its first words and its last one, where they fit: "HistGradient…Classifier"."""
    if len(kind) <= width:
        return kind
    *first, last = re.findall(r"[A-Z]?[^A-Z]+|[A-Z]+", kind) or [kind]
    room = width - 1 - len(last)
    if room < FEWEST_OF_KIND or not first:
        return shorten(kind, width)
    while sum(map(len, first)) > room:
        first.pop()
    kept = "".join(first)
    return f"{kept if len(kept) >= FEWEST_OF_KIND else kind[:room]}…{last}"


def _words(name: str) -> list[str]:
    return re.findall(r"[^ _/]*[ _/]|[^ _/]+$", name)


def _shared_words(names: Sequence[str]) -> set[str]:
    """Words that stand in all names, of which there are to be at least two."""
    return set.intersection(*(set(_words(name)) for name in names)) if len(names) > 1 else set()


def _without(name: str, shared: set[str], width: int) -> str:
    """A long name with … for words that tell nothing; its first word stays if there is room."""
    if "…" in name:
        return shorten(name, width)
    words = _words(name)
    first = words[0] if words[0] in shared else ""
    before, gap, after = re.sub("…+", "…", "".join("…" if word in shared else word for word in words)).partition("…")
    kept = before + gap + re.sub("[ ,_/]*…$", "", after).replace("…", "")  # one ellipsis, where the first words are missing
    if first and len(first + kept) <= width:
        return first + kept
    return kept if len(kept) <= width else shorten(kept.replace("…", ""), width)


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
