"""Items from every kind of source, compared and read back."""

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.comparison.procedures.test_items import answers
from tiebreak.errors import (
    DataError,
    UnclearSourceError,
)

FRAME = pd.DataFrame(
    {"question": [f"q{i}" for i in range(200)], **dict(zip("abcd", answers().score[:, 0].astype(int), strict=True))}
)


def test_every_form_of_a_table_gives_one_answer(tmp_path: Path) -> None:
    """Frames, files, long and wide, with rows="items" and without a column of items: the same pairs."""
    FRAME.to_csv(tmp_path / "wide.csv", index=False)
    FRAME.drop(columns="question").to_csv(tmp_path / "bare.csv", index=False)
    long = FRAME.melt(id_vars="question", var_name="model", value_name="correct")
    long.to_json(tmp_path / "long.jsonl", orient="records", lines=True)
    long.to_parquet(tmp_path / "long.parquet")
    expected = tb.compare(answers(), rope=0.02).pairs
    named = [tmp_path / name for name in ("wide.csv", "long.jsonl", "long.parquet")]
    for source in (FRAME, pl.from_pandas(FRAME), pl.from_pandas(long).lazy(), FRAME.to_dict("list"), *named):
        assert tb.compare(source, rope=0.02).pairs.equals(expected)
    assert tb.compare(tmp_path / "bare.csv", rope=0.02, rows="items").pairs.equals(expected)
    assert tb.compare(FRAME.rename(columns={"question": "key"}), rope=0.02, item="key").pairs.equals(expected)


def test_flips_of_a_pair_are_those_of_its_items() -> None:
    """By the models of the pair, each with the items that only it gets."""
    only_a, only_b = (FRAME["question"][FRAME[one] > FRAME[other]].tolist() for one, other in ("ab", "ba"))
    assert tb.compare(FRAME).pair("a", "b").flips() == {"a": tuple(only_a), "b": tuple(only_b)}


def test_several_sources_are_joined_on_their_items(tmp_path: Path) -> None:
    """Last release's saved answer, and today's table with its rows in another order."""
    old = tb.compare(FRAME[["question", "a", "b"]], rope=0.02)
    old.to_json(tmp_path / "last.json")
    today = FRAME[["question", "c", "d"]].sample(frac=1, random_state=0)
    joined = tb.compare(tmp_path / "last.json", today)
    whole = tb.compare(FRAME, rope=0.02)
    assert joined.rope == 0.02
    assert joined.pairs.equals(whole.pairs)
    assert tb.compare(old, today).pairs.equals(whole.pairs)
    with pytest.raises(DataError, match=r"lacks 50 of the 200 questions"):
        tb.compare(old, today.iloc[:150])
    splits = {"x": [0.8, 0.7, 0.9], "y": [0.7, 0.7, 0.8]}
    other = tb.compare(splits, metric="accuracy", n_train=90, n_test=10)
    with pytest.raises(UnclearSourceError, match="holds scores of splits, and other sources those of single items"):
        tb.compare(old, other)


def test_many_items_are_saved_by_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash stands in the place of the table, which is to be compared itself."""
    monkeypatch.setattr("tiebreak.views.comparison.MOST_INLINE", 100)
    content = json.loads(tb.compare(FRAME, rope=0.02).to_json(tmp_path / "answer.json"))
    assert not content["items"]["inline"]
    assert "score" not in content["items"]
    with pytest.raises(DataError, match=r"answer\.json holds its many scores of items by reference only"):
        tb.compare(tmp_path / "answer.json")


def test_predictions_of_an_evaluation_are_items() -> None:
    """Those of one repeat, joined with their fold as cluster; the answer says so."""
    X, y = make_classification(n_samples=120, flip_y=0.2, random_state=0)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    evaluation = tb.evaluate(models, X, y, cv=10, scoring="accuracy")
    answer = tb.compare(evaluation.items("accuracy"))
    assert answer.method.name == "clustered-t"
    text = " ".join(answer.to_text(columns="all").split())
    assert "120 examples in 10 clusters" in text
    assert "predictions of 10 models each, fitted on the other folds of repeat 0" in text


@pytest.mark.parametrize(("weight", "text"), [(-1.0, "weights must be finite, not negative"), (0.0, "and not all 0")])
def test_weights_that_weigh_nothing_are_refused(weight: float, text: str) -> None:
    """Before anything is compared."""
    with pytest.raises(DataError, match=text):
        tb.compare(FRAME.assign(weight=weight))


def test_changed_answers_are_refused(tmp_path: Path) -> None:
    """Scores of another shape, doubled models, clusters of too few items."""
    content = json.loads(tb.compare(FRAME).to_json())
    apart = "items: its columns do not go together: a name or a split stands twice, or lengths differ"
    for key, value, why in (
        ("score", content["items"]["score"][:2], apart),
        ("models", ["a", "a", "b", "c"], apart),
        ("clusters", ["x"], apart),
        ("columns", {"topic": [1]}, r"items.columns\[...\]\[0\]: Expected `str`, got `int`; met {'topic': \[1\]}"),
    ):
        changed = {**content, "items": {**content["items"], key: value}}
        with pytest.raises(DataError, match=why):
            tb.compare(changed)
