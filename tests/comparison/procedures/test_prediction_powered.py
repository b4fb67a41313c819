"""Judged answers with labels by people of some of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.errors import DataError
from tiebreak.statistics import prediction_powered_mean


def table(seed: int = 0, n: int = 300, n_labels: int = 60, models: str = "ab", favour: float = 0.2) -> pd.DataFrame:
    """Answers that a judge scored, of whom it favours those of the first model; people labelled both answers to some."""
    rng = np.random.default_rng(seed)
    skill, drawn = rng.normal(size=n), rng.permutation(n)[:n_labels]
    frames = []
    for place, model in enumerate(models):
        truth = (skill + 0.7 * rng.normal(size=n) > 0.1 * place).astype(float)
        judge = np.where(rng.random(n) < 0.1, 1 - truth, truth)
        judge = np.where(rng.random(n) < (favour if place == 0 else 0), 1.0, judge)
        human = np.full(n, np.nan)
        human[drawn] = truth[drawn]
        frames.append(pd.DataFrame({"question": range(n), "model": model, "judge": judge, "human": human}))
    return pd.concat(frames, ignore_index=True)


def rows(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, judgements of the same, and the others, models by items."""
    wide = {name: frame.pivot(index="model", columns="question", values=name) for name in ("judge", "human")}
    has = wide["human"].notna().all()
    return wide["human"].loc[:, has].to_numpy(), wide["judge"].loc[:, has].to_numpy(), wide["judge"].loc[:, ~has].to_numpy()


def test_the_pair_is_the_prediction_powered_mean_of_its_differences() -> None:
    """Of two models the weight is that of their differences, so the function on arrays gives the same to 1e-12."""
    frame = table()
    y, f, g = rows(frame)
    expected = prediction_powered_mean(y[0] - y[1], f[0] - f[1], g[0] - g[1])
    found = tb.compare(frame)
    pair = found.pair("a", "b")
    assert (found.method.name, pair.df, pair.n_units) == ("prediction-powered", 58, 300)
    numbers = [pair.difference, pair.standard_error, pair.interval_low, pair.interval_high]
    assert_allclose(numbers, [expected.estimate, expected.se, *expected.interval()], rtol=1e-12)


def test_values_subtract_to_the_differences() -> None:
    """One weight for all models: no page whose means say otherwise than its pairs."""
    found = tb.compare(table(models="abc"))
    means = found.ranking.set_index("model")["mean"]
    for row in found.pairs.itertuples():
        assert row.difference == pytest.approx(means[row.first] - means[row.second], abs=1e-12)


def test_a_judge_who_favours_a_model_is_corrected() -> None:
    """By the judge alone the first model is better; people find the second one no worse."""
    frame = table(favour=0.4)
    assert tb.compare(frame.drop(columns="human")).pair("a", "b").verdict == "better"
    assert tb.compare(frame).pair("a", "b").interval_low < 0


def test_a_judge_that_was_never_wrong_on_few_labels_is_not_taken_for_perfect() -> None:
    """One label more that could have differed is added, of 1/15, with two degrees of freedom."""
    frame = table(n_labels=15, favour=0.0)
    frame["human"] = frame["judge"].where(frame["human"].notna())
    y, f, g = rows(frame)
    low, high = prediction_powered_mean(y[0] - y[1], f[0] - f[1], g[0] - g[1]).interval()
    pair = tb.compare(frame).pair("a", "b")
    assert pair.interval_high - pair.interval_low > 1.2 * (high - low)


def test_everything_labelled_is_the_labels(rng: np.random.Generator) -> None:
    """The judge has nothing to add: the paired t-test of people's labels."""
    frame = table(n=40, n_labels=40)
    pair, d = tb.compare(frame).pair("a", "b"), np.subtract(*rows(frame)[0])
    assert_allclose([pair.difference, pair.standard_error], [d.mean(), d.std(ddof=1) / np.sqrt(40)], atol=1e-12)


def test_swapped_models_mirror_the_answer_and_losses_change_the_sign() -> None:
    """Positive favours the first; of a loss less is better."""
    frame = table()
    one, two = tb.compare(frame, baseline="b").pair("a", "b"), tb.compare(frame, baseline="a").pair("b", "a")
    assert (one.interval_low, one.interval_high) == pytest.approx((-two.interval_high, -two.interval_low))
    assert tb.compare(frame, metric="harm", lower_is_better=True).pair("a", "b").difference == pytest.approx(-one.difference)


def test_the_page_says_how_judge_and_people_agree() -> None:
    """Agreement and bias over the labelled answers, counted here by hand, and what either says alone."""
    frame = table()
    text = " ".join(tb.compare(frame).details.split())
    own = frame.dropna()
    share, bias = (own.judge == own.human).mean(), (own.judge - own.human).mean()
    assert f"judge and people agree on {share:.0%} over 120 labelled answers; the judge scores them {bias:+.3g} against" in text
    assert "by the 60 labels alone" in text


def test_clusters_and_weights_count() -> None:
    """Questions on one text: the numbers of the function on arrays, to 1e-12."""
    frame = table()
    frame = frame.assign(cluster=frame.question // 3, weight=1 + frame.question % 2)
    wide = {name: frame.pivot(index="model", columns="question", values=name) for name in ("judge", "human", "cluster", "weight")}
    order = np.argsort(wide["human"].isna().any().to_numpy(), kind="stable")
    y, f, g = (np.subtract(*each) for each in rows(frame))
    more = {f"{name}s": wide[name].to_numpy()[0][order] for name in ("cluster", "weight")}
    expected = prediction_powered_mean(y, f, g, **more)
    answer = tb.compare(frame)
    pair, means = answer.pair("a", "b"), answer.ranking.set_index("model")["mean"]
    assert_allclose([pair.difference, pair.standard_error, pair.df], [expected.estimate, expected.se, expected.df], rtol=1e-12)
    assert pair.difference == pytest.approx(means["a"] - means["b"], abs=1e-12)


FEW = table().dropna().question.unique()[:2]


@pytest.mark.parametrize(
    ("change", "instead", "text"),
    [
        ({"task": lambda frame: frame.question % 2}, "macro-average", "but the questions are of several tasks"),
        ({"human": np.nan}, "tango", "in a column 'human' beside the scores"),
        (
            {"human": lambda frame: frame.human.where(frame.question.isin(FEW))},
            "tango",
            "people labelled 2 questions for all models, and 3 or more are needed",
        ),
        (
            {"cluster": lambda frame: frame.question // 150},
            "clustered-t",
            "people labelled 60 questions of 2 clusters for all models, and 3 or more of 3",
        ),
        (
            {"weight": lambda frame: frame.human.isna().astype(float)},
            "clustered-t",
            "people labelled 0 questions for all models, and 3 or more",
        ),
    ],
)
def test_labels_that_cannot_be_used_are_named(change: dict[str, Any], instead: str, text: str) -> None:
    """Tasks, no labels, few ones, of few clusters, without weight: the judge's scores alone are compared."""
    frame = table().assign(**change)
    assert tb.compare(frame).method.name == instead
    with pytest.raises(DataError, match=text):
        tb.compare(frame, method="prediction-powered")


def test_picked_labels_are_remarked() -> None:
    """Answers that the judge scores unlike the others."""
    frame = table()
    picked = frame.assign(human=frame.judge.where(frame.question.isin(frame[frame.judge == 1].question.unique()[:50])))
    codes = {notice.code: notice.text for notice in tb.compare(picked).notices}
    assert "labels have to be of a random choice" in codes["labels-not-random"]
    assert "labels-not-random" not in {notice.code for notice in tb.compare(frame).notices}


def test_files_and_saved_answers_keep_the_labels(tmp_path: Path) -> None:
    """CSV with empty cells; JSON and back; a model less."""
    frame = table(models="abc")
    frame.to_csv(tmp_path / "judged.csv", index=False)
    answer = tb.compare(tmp_path / "judged.csv")
    assert answer.pairs.equals(tb.compare(frame).pairs)
    answer.to_json(tmp_path / "answer.json")
    assert tb.compare(tmp_path / "answer.json").pairs.equals(answer.pairs)
    assert tb.compare(tmp_path / "answer.json", models=["a", "b"]).method.name == "prediction-powered"
    items = tb.read_items(frame)
    again, without = tb.read_items(items.to_frame().drop(columns="run")), tb.read_items(frame.drop(columns="human"))
    assert again.hash() == items.hash() != without.hash()


def test_a_model_called_human_stays_a_model() -> None:
    """In a wide table every column of numbers is one."""
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({"question": range(40), "gpt": rng.integers(0, 2, 40), "human": rng.integers(0, 2, 40)})
    assert set(tb.compare(wide).models) == {"gpt", "human"}
