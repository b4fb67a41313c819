"""Sums by cluster from Parquet files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tiebreak.errors import (
    InvalidParameterError,
    InvalidScoresError,
    SourceNotFoundError,
    UnknownNameError,
    UnreadableSourceError,
)
from tiebreak.numerics import IDENTICAL

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "cluster": RNG.integers(0, 40, 1000),
        "a": RNG.random(1000) < 0.7,
        "b": (RNG.random(1000) < 0.6).astype(np.int8),
        "c": RNG.normal(size=1000),
    }
)


@pytest.mark.parametrize("kind", ["numbers", "texts"])
@pytest.mark.parametrize("batch_size", [7, 1000])
def test_sums_give_the_intervals_of_the_whole_table(tmp_path: Path, kind: str, batch_size: int) -> None:
    """However the file is cut into batches, and whatever clusters are called."""
    frame = FRAME.assign(cluster="text " + FRAME["cluster"].astype(str)) if kind == "texts" else FRAME
    frame.to_parquet(tmp_path / "items.parquet")
    found = tb.read_item_sums(tmp_path / "items.parquet", batch_size=batch_size)
    assert found.models == ("a", "b", "c")
    direct = tb.frequentist.clustered_mean(FRAME[["a", "b", "c"]].to_numpy(dtype=float).T, FRAME["cluster"])
    np.testing.assert_allclose(found.means().estimate, direct.estimate)
    np.testing.assert_allclose(found.means().standard_error, direct.standard_error)
    pair = found.differences(["a", "a"], ["b", "c"])
    alone = tb.frequentist.clustered_mean(FRAME["a"].astype(float) - FRAME["c"], FRAME["cluster"])
    assert pair.estimate[1] == pytest.approx(alone.estimate)
    assert pair.confidence_interval().low[1] == pytest.approx(alone.confidence_interval().low)
    assert pair.n_clusters.tolist() == [40, 40]


def test_pairs_in_blocks_are_those_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pairs are taken at once; and a pair has two models."""
    FRAME.to_parquet(tmp_path / "items.parquet")
    found = tb.read_item_sums(tmp_path / "items.parquet")
    pairs = ["a", "a", "b", "a"], ["b", "c", "c", "a"]
    whole = found.differences(*pairs)
    monkeypatch.setattr("tiebreak.readers.cluster_sums.AT_ONCE", 1)
    for name in ("estimate", "standard_error", "df", "n_examples", "n_clusters", "kind"):
        np.testing.assert_allclose(getattr(found.differences(*pairs), name), getattr(whole, name), rtol=1e-12)
    assert whole.kind[3] == IDENTICAL
    with pytest.raises(InvalidParameterError, match="first names 2 models and second 1; a pair has one of each"):
        found.differences(["a", "b"], ["c"])


def test_what_sums_cannot_say_is_refused(tmp_path: Path) -> None:
    """Missing scores and clusters, other columns, no file."""
    path = tmp_path / "items.parquet"
    FRAME.assign(c=FRAME["c"].where(FRAME["c"] > 0)).to_parquet(path)
    with pytest.raises(InvalidScoresError, match=r"lacks scores of 'c', or has infinite ones.*tb\.read_items"):
        tb.read_item_sums(path)
    assert tb.read_item_sums(path, models=["b", "a"]).models == ("b", "a")
    with pytest.raises(UnknownNameError, match="no column is called 'd'"):
        tb.read_item_sums(path, models=["d"])
    with pytest.raises(UnreadableSourceError, match="has no column 'text'; its columns are 'cluster', 'a', 'b' and 'c'"):
        tb.read_item_sums(path, cluster="text")
    FRAME.assign(cluster=-1).to_parquet(path)
    with pytest.raises(InvalidScoresError, match="are not between 0 and 50,000,000"):
        tb.read_item_sums(path)
    FRAME.assign(cluster=None).to_parquet(path)
    with pytest.raises(InvalidScoresError, match="1000 rows or more without a 'cluster'"):
        tb.read_item_sums(path)
    with pytest.raises(SourceNotFoundError, match="there is no file"):
        tb.read_item_sums(tmp_path / "gone.parquet")
    (tmp_path / "no.parquet").write_text("no")
    with pytest.raises(UnreadableSourceError, match="cannot be read as Parquet"):
        tb.read_item_sums(tmp_path / "no.parquet")
