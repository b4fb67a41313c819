"""A warning that travels with the numbers it is about."""

from __future__ import annotations

from typing import Literal, NamedTuple

NoticeCode = Literal[
    "assumed-paired",
    "approximate-sizes",
    "unequal-sizes",
    "small-test-sets",
    "ordered-splits",
    "single-repeat",
    "missing-splits",
    "identical-scores",
    "no-spread",
    "no-rope",
    "selected-best",
    "percent-or-fraction",
    "duplicate-candidates",
    "failed-models",
    "majority-class",
    "undefined-metric",
    "failed-splits",
    "one-candidate",
    "unstable-choice",
    "groups-torn",
    "future-training",
    "grouped-examples",
    "incomplete-models",
]


class Notice(NamedTuple):
    """What a reader of the answer should know.

    The code is stable, so that a program can look for it or ignore it; the text is for people.
    """

    code: NoticeCode
    text: str
