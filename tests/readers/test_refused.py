"""What no rule settles, and what cannot be right, is refused in words: the sources, the settings and the whole text as data."""

import json
from pathlib import Path
from typing import Any

import pytest

import tiebreak as tb
from tests.readers.conftest import Write
from tiebreak.api import read_scores
from tiebreak.errors import TiebreakError
from tiebreak.rating import read_battles

READ = {"scores": read_scores, "items": tb.read_items, "predictions": tb.read_predictions, "battles": read_battles}
CASES = [json.loads(line) for line in Path(__file__).with_name("data").joinpath("refused.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_what_is_refused_says_where_it_stands_and_how_to_go_on(case: dict[str, Any], write: Write) -> None:
    """Files are written as they stand there; tables go as dicts of columns."""
    sources = [
        write(each["text"], each["file"]) if isinstance(each, dict) and "file" in each else each for each in case["sources"]
    ]
    with pytest.raises(TiebreakError) as error:
        READ[case["call"]](*sources, **case["settings"])
    assert case["says"] in str(error.value)
