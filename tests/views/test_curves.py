"""Curves in words, frames, JSON and HTML."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve
from tiebreak.scores.metric import Metric
from tiebreak.views.curves import sentence

THREE = ("first", "second", "third")


def test_frames_have_a_row_for_each_point():
    """With the columns that the documentation names."""
    frame = drawn_learning_curve(THREE).to_frame()
    assert len(frame) == 15
    assert list(frame.columns) == [
        "model",
        "size",
        "test_mean",
        "test_low",
        "test_high",
        "train_mean",
        "train_low",
        "train_high",
        "n_splits",
        "fit_seconds",
    ]
    frame = drawn_validation_curve(THREE).to_frame()
    assert list(frame.columns[:3]) == ["model", "value", "label"]
    assert list(frame.columns[-2:]) == ["is_best", "verdict"]
    assert frame.groupby("model")["is_best"].sum().tolist() == [1, 1, 1]


def test_json_holds_the_same_numbers(tmp_path: Path):
    """Undefined is null; nothing depends on the clock but the times that were measured."""
    curve = drawn_learning_curve(THREE)
    document = json.loads(curve.to_json(tmp_path / "curve.json"))
    assert json.loads((tmp_path / "curve.json").read_text()) == document
    assert (document["schema"], document["kind"], document["sizes"]) == (1, "learning-curve", [20, 40, 80, 160, 320])
    assert document["answers"][0]["answer"] == curve.answers[0].answer
    assert document["answers"][0]["next_high"] == curve.answers[0].next_high
    means = [point["test_mean"] for point in document["points"]]
    assert means.count(None) == 1  # the one that failed
    np.testing.assert_array_equal(np.array(means, dtype=float), curve.points.test_mean.ravel())
    spots = json.loads(drawn_validation_curve(THREE).to_json())["sweet_spots"]
    assert spots[0] == {"model": "first", "value": 0.1, "equivalent": [], "undecided": [], "reason": ""}
    parts = json.loads(drawn_bias_variance(THREE, loss="squared").to_json())
    assert (parts["kind"], parts["points"][0]["unbiased"]) == ("bias-variance", None)


def test_a_loss_that_grew_is_not_lower_by_a_negative_number():
    """The word and the number agree with the sign of the gain, and 0.000 is no change; the interval is that of the gain."""
    curve = drawn_learning_curve(THREE)
    answer = next(answer for answer in curve.answers if not answer.reason)
    for better, gain, words in (
        (True, -0.09, "made score lower by 0.09"),
        (False, -0.09, "made score higher by 0.09"),
        (False, 0.09, "made score lower by 0.09"),
        (True, -0.0004, "left score as it was"),
    ):
        turned = replace(curve, metric=Metric("score", higher_is_better=better))
        text = sentence(turned, answer._replace(last_gain=gain, last_low=gain - 0.1, last_high=gain + 0.1))
        assert words in text
        assert "interval of the gain" in text
        assert "by -" not in text


def test_ends_at_a_bound_of_the_metric_are_said_to_be_cut_off():
    """An accuracy cannot exceed 1; of a metric without bounds nothing is said."""
    cut = "Intervals are cut off at the smallest and largest possible accuracy."
    for drawn in (drawn_learning_curve(("one",)), drawn_validation_curve(("one",))):
        high = drawn.points.test_high.copy()
        assert cut not in " ".join(str(drawn).split())
        high[0, 0] = 1.0
        at_bound = replace(drawn, points=replace(drawn.points, test_high=high))
        assert cut in " ".join(str(at_bound).split())
        assert "cut off" not in str(replace(at_bound, metric=Metric("gain", higher_is_better=True)))
