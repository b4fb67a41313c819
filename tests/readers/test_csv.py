"""Scores of splits in text files: which files are read, and as which columns."""

from __future__ import annotations

from numpy.testing import assert_array_equal

from tests.readers.conftest import Write
from tests.readers.helpers import SCORE, WIDE, read
from tiebreak.readers import csv


def test_text_files_are_read_by_their_ending(write: Write) -> None:
    """Whatever its case, and none where a file may be a download; other kinds have readers of their own."""
    for name in ("scores.csv", "scores.TSV", "scores.txt", "scores"):
        assert csv.reads(name)
        assert_array_equal(read(write(WIDE, name)).matrix().score, SCORE)
    assert not any(map(csv.reads, ("scores.json", "scores.parquet", "scores.csv.gz", 3)))
