"""``tiebreak demo``, end to end."""

from pathlib import Path

import pytest

import tiebreak as tb
from tests import golden
from tests.cli.conftest import printed

pytestmark = pytest.mark.slow


def test_the_example_prints_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures that scikit-learn's gallery prints ('Statistical comparison of models using grid search'), then the answer."""
    monkeypatch.chdir(tmp_path)
    text = printed(capsys, "demo", "--out", "out")
    assert "corrected t 0.750, right tail 0.227; uncorrected t 2.611, right tail 0.005\n" in text
    assert "P(rbf better) 0.773, P(practically equivalent) 0.432\n" in text
    golden.check(Path(__file__).parent / "golden" / "demo.txt", text)
    answer = tb.compare(tmp_path / "out" / "moons.json")
    assert answer.headline[:20] in (tmp_path / "out" / "moons.html").read_text()
    assert len(list((tmp_path / "out").glob("*.png"))) == 5
