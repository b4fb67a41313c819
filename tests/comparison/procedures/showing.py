"""Every way in which an answer is shown, for the tests of each procedure."""

import json
import re
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.numerics import SPREAD


def check_shown(answer: tb.Comparison, tmp_path: Path, *, plots: set[str]) -> None:
    """Text, frames, JSON read back, a pair both ways round, gates, plots and the paragraph for a paper."""
    tmp_path.mkdir(exist_ok=True)
    assert answer.headline.split(" ")[0] in answer.to_html().replace("&#x27;", "'").replace("&#39;", "'")
    for text in (answer.to_text(), answer.to_markdown(), answer.methods_paragraph(), answer.to_latex()):
        assert answer.method.name in text or "tabular" in text
        assert re.search(r"\b(nan|inf|None)\b", text) is None
    again = tb.compare(answer.to_json(tmp_path / "answer.json") and tmp_path / "answer.json")
    assert again.method == answer.method
    assert again.pairs.equals(answer.pairs)
    assert again.ranking.equals(answer.ranking)
    assert [notice.code for notice in again.notices] == [notice.code for notice in answer.notices]
    assert json.loads(again.to_json()) == json.loads(answer.to_json())
    first, second = answer.pairs["first"][0], answer.pairs["second"][0]
    there, back = answer.pair(first, second), answer.pair(second, first)
    assert (there.difference, there.interval_low, there.pvalue) == (-back.difference, -back.interval_high, back.pvalue)
    for pair in (there, back):
        assert pair.to_json()
        assert pair.sentence in pair.to_text().replace("\n", " ")
    gate = answer.meets(not_worse=[(first, second), (second, first)])
    assert {requirement.outcome for requirement in gate} <= {"met", "broken", "inconclusive"}
    assert set(answer.plot.names) == plots
    assert all(answer.plot.drawing(name).to_bytes("png") for name in answer.plot.names)


def check_tails(answer: tb.Comparison) -> None:
    """Tails rise and fall, add up to 1 or more, and are at half the level where the interval of that level ends."""
    d = answer.pair_table.law
    for alpha in (0.5, 0.05, 0.001):
        low, high = d.interval_at(alpha)
        has_ends = (d.kind == SPREAD) & np.isfinite(low) & np.isfinite(high)
        assert_allclose(d.tail(low)[has_ends], alpha / 2, rtol=1e-9)
        assert_allclose(d.tail(high, upper=True)[has_ends], alpha / 2, rtol=1e-9)
    ends = np.abs(np.concatenate(d.interval_at(0.01)))
    spread = float(ends[np.isfinite(ends)].max())
    steps = np.linspace(-2 * spread, 2 * spread, 101)
    below = np.array([d.tail(at) for at in steps])
    above = np.array([d.tail(at, upper=True) for at in steps])
    rows = d.kind == SPREAD
    assert np.all(np.diff(below[:, rows], axis=0) >= 0)
    assert np.all(np.diff(above[:, rows], axis=0) <= 0)
    assert np.all((below + above)[:, rows] >= 1 - 1e-12)
