"""What results become before they are written as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from tiebreak.views.json import finite, plain


class Pair(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Holder:
    name: str
    pair: Pair
    counts: np.ndarray


def test_everything_becomes_what_json_knows() -> None:
    """Records by name, arrays as lists, nan and infinite numbers as null, at any depth; strange things by their repr."""
    held = Holder("a", Pair(math.nan, 1.0), np.array([[1, 2]]))
    document = plain({1: held, "numbers": (np.float64("inf"), np.int64(3), True, None), "strange": 1j})
    assert json.loads(json.dumps(document, allow_nan=False)) == {
        "1": {"name": "a", "pair": {"low": None, "high": 1.0}, "counts": [[1, 2]]},
        "numbers": [None, 3, True, None],
        "strange": "1j",
    }


@pytest.mark.parametrize(("value", "expected"), [(math.nan, None), (-math.inf, None), (0.5, 0.5), ("nan", "nan"), (3, 3)])
def test_only_numbers_that_are_none_change(value: object, expected: object) -> None:
    """A text that says nan is a text."""
    assert finite(value) == expected
