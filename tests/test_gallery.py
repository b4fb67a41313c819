"""The gallery's search: scikit-learn's own example, to every digit that it prints."""

import runpy
from pathlib import Path

import pytest

FIGURES = """\
rbf against linear: t 0.750, right tail 0.227, both tails 0.455
uncorrected: t 2.611, right tail 0.005
50% credible interval: 0.000977 to 0.019023
75% credible interval: -0.005422 to 0.025422
95% credible interval: -0.016445 to 0.036445
"""

PAIRS = """\
rbf linear 0.750 0.500 0.068 0.432 1.000
rbf poly, degree=3 1.657 0.882 0.018 0.100 0.302
rbf poly, degree=2 4.565 1.000 0.000 0.000 0.000
linear poly, degree=3 1.111 0.750 0.063 0.187 0.807
linear poly, degree=2 4.276 1.000 0.000 0.000 0.000
poly, degree=3 poly, degree=2 3.851 1.000 0.000 0.000 0.001
"""


@pytest.mark.slow
def test_the_search_prints_what_the_example_prints(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """'Statistical comparison of models using grid search': the statistic, adjusted right tails, and the posterior."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    runpy.run_path(str(Path(__file__).parents[1] / "docs" / "gallery" / "plot_search.py"))
    printed = capsys.readouterr().out
    assert FIGURES in printed
    rows = [" ".join(line.split()[1:]) for line in printed.splitlines()[-6:]]
    assert rows == PAIRS.splitlines()
