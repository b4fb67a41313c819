"""Verdicts and how often they occur, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def pair_sentence(first: str, second: str, verdict: str) -> str:
    """The verdict on one pair as a sentence."""
    return {
        "better": f"{first} is better than {second}",
        "worse": f"{second} is better than {first}",
        "equivalent": f"{first} and {second} are practically equivalent",
    }.get(verdict, f"Undecided: {first} against {second}")


def counted_verdicts(counts: Mapping[str, int], what: str) -> str:
    """How many there are with each verdict: "of 3 models, 1 is worse and 2 are undecided", "all 3 models are worse"."""
    order = ("better", "equivalent", "worse", "undecided")
    return counted([(counts[name], f"is {name}", f"are {name}") for name in order], what)


def counted(parts: Sequence[tuple[int, str, str]], what: str) -> str:
    """Counts with their singular and plural; what does not occur is left out."""
    total = sum(n for n, _, _ in parts)
    texts = [f"{n} {one if n == 1 else many}" for n, one, many in parts if n]
    if len(texts) == 1:
        return f"{'both' if total == 2 else f'all {total}'} {what} {texts[0].partition(' ')[2]}"
    return f"of {total} {what}, {', '.join(texts[:-1])} and {texts[-1]}"
