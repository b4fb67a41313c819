"""Parquet through pyarrow, which is imported for nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from tests.readers.conftest import Write
from tests.readers.helpers import LONG_FRAME, SCORE, WIDE_FRAME, read
from tiebreak.errors import MissingDependencyError, UnreadableSourceError

pytest.importorskip("pyarrow")


@pytest.mark.parametrize("name", ["scores.parquet", "scores.pq"])
def test_wide_and_long(name: str, tmp_path: Path) -> None:
    """As pandas writes them."""
    for frame in (WIDE_FRAME, LONG_FRAME):
        frame.to_parquet(tmp_path / name)
        assert_array_equal(read(tmp_path / name).matrix().score, SCORE)


def test_no_parquet(write: Write) -> None:
    """Only called so."""
    with pytest.raises(UnreadableSourceError, match=r"^scores\.parquet cannot be read as Parquet: "):
        read(write("svm,rf\n", "scores.parquet"))


def test_without_pyarrow(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that installs it."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError) as caught:
        read(write(b"PAR1", "scores.parquet"))
    assert str(caught.value) == "reading scores.parquet needs pyarrow: pip install 'tiebreak[parquet]'."
