"""``tiebreak demo``: the gallery's figures to every printed digit, and the example end to end in small."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tiebreak as tb
from tests.cli.conftest import environment
from tiebreak.cli import demo
from tiebreak.cli.demo import moons_search

pytestmark = pytest.mark.slow

SMALL = """\
import sys
from pathlib import Path
from tiebreak.cli.demo import run_demo
run_demo(Path(sys.argv[1]), n_repeats=1)
"""


@pytest.fixture(scope="module")
def in_gallery() -> tb.Comparison:
    """The comparison as the gallery makes it."""
    search, X, y = moons_search(10)
    return tb.compare(search, X=X, y=y, rope=demo.ROPE)


def test_the_gallery_s_figures_to_every_printed_digit(in_gallery: tb.Comparison) -> None:
    """scikit-learn gallery, 'Statistical comparison of models using grid search': every number that it prints."""
    lines = "\n".join(demo.gallery_lines(in_gallery)).splitlines()
    assert "rbf against linear: corrected t 0.750, p 0.227" in lines[1]
    assert "t 2.611, p 0.005" in lines[2]
    assert "P(rbf better than linear) 0.773; P(practically equivalent) 0.432" in lines[3]
    assert "50% credible interval of the difference: (0.000977, 0.019023)" in lines[4]
    assert "75% credible interval of the difference: (-0.005422, 0.025422)" in lines[5]
    assert "95% credible interval of the difference: (-0.016445, 0.036445)" in lines[6]
    assert [" ".join(line.split()) for line in lines[9:15]] == [
        "rbf linear 0.750 1.000 0.500 0.068 0.432",
        "rbf poly, degree=3 1.657 0.302 0.882 0.018 0.100",
        "rbf poly, degree=2 4.565 0.000 1.000 0.000 0.000",
        "linear poly, degree=3 1.111 0.807 0.750 0.063 0.187",
        "linear poly, degree=2 4.276 0.000 1.000 0.000 0.000",
        "poly, degree=3 poly, degree=2 3.851 0.001 1.000 0.000 0.000",
    ]


def test_the_example_in_small(tmp_path: Path) -> None:
    """One repeat: the answer, sentence first, no warning of any library, plots and JSON that can be compared again."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "always", "-c", SMALL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment(**threads), timeout=300)
    assert (done.returncode, done.stderr) == (0, f"5 plots are in {tmp_path}\n")
    assert done.stdout.index("Two moons") < done.stdout.index("What is wrong")
    saved = json.loads((tmp_path / "moons.json").read_text(encoding="utf-8"))
    assert len(saved["ranking"]) == 4
    assert " ".join(saved["headline"].split()) in " ".join(done.stdout.split())
    assert len(list(tmp_path.glob("*.png"))) == 5
    assert tb.compare(tmp_path / "moons.json", rope=demo.ROPE).headline == saved["headline"]


def test_a_folder_that_cannot_be_made_is_said_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is fitted."""
    from tiebreak.cli.process import CommandError

    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError, match="cannot be used"):
        demo.run_demo(tmp_path / "file")
    assert capsys.readouterr().out == ""
