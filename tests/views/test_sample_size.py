"""Sample sizes in words: each goal, costs, looks, floors, and what cannot be shown."""

import json
import re
from typing import Any

import pytest

import tiebreak as tb

SENTENCES: list[tuple[dict[str, Any], str]] = [
    ({"n": 200, "sd": 0.5}, "200 items show a true difference of 0."),
    ({"n": 1, "sd": 0.03, "question": "splits"}, "1 repeat shows a true difference of 0.04"),
    ({"n": 9, "difference": 1.0, "sd": 1.0, "question": "seeds"}, "9 seeds of each model show a true difference of 1 with 5"),
    ({"difference": 0.3, "rope": 0.1, "sd": 0.5}, "items show a true difference of 0.3 to be more than the rope of 0.1"),
    ({"rope": 0.1, "sd": 0.5, "goal": "equivalent"}, "models that differ by 0 to be equivalent, within 0.1 with 80%"),
    ({"rope": 0.1, "sd": 0.5, "difference": 0.02, "goal": "equivalent"}, "two models that differ by 0.02 to be equivalent"),
    ({"rope": 0.1, "sd": 0.5, "goal": "not worse"}, "a model with a true difference of 0 is not worse by more than 0.1"),
    ({"rope": 0.1, "sd": 0.5, "difference": -0.02, "goal": "not worse"}, "a model with a true difference of -0.02 is not worse"),
    ({"rates": (0.9, 0.7), "question": "test-sets"}, "items for each model shows a true difference of 0.2 with 80% power."),
    ({"n": 5, "question": "datasets", "sd": 1.0}, "With 5 datasets no true difference is large enough to be shown"),
    ({"difference": 0.01, "question": "splits", "sd": 0.03}, "No number of repeats would show a true difference of 0.01"),
    ({"n": 50, "sd": 1.0, "cluster_size": 5, "intraclass_correlation": 0.1}, "50 items in 10 clusters show"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "text"), SENTENCES)
def test_the_first_sentence(arguments: dict[str, Any], text: str) -> None:
    """It names the units, what they show, and the power; the text and the one-line repr begin with it."""
    size = tb.sample_size(**arguments)
    said = " ".join(str(size).split())
    assert text.lower() in said.lower()
    assert repr(size).startswith(f"<SampleSize: {said.split('.')[0][:20]}")


@pytest.mark.slow
def test_what_follows_is_true_of_the_numbers() -> None:
    """Costs, looks, floor and the error of the draws, as the attributes have them."""
    size = tb.sample_size(difference=0.02, discordant=0.1, looks=4)
    looks, said = size.looks, " ".join(str(size).split())
    assert looks is not None
    assert f"With 4 looks, after {looks.n[0]:,}, {looks.n[1]:,}, {looks.n[2]:,} and {looks.n[3]:,} items, it takes" in said
    assert f"{looks.expected:,.0f} on average if the difference is as assumed, {looks.expected_if_equal:,.0f} on" in said
    assert "4,000 data sets were drawn, so the power is known to 0.6 points (standard error)" in said
    rows = re.findall(r"^ +[\d,]+  .*", str(size), re.MULTILINE)
    assert len({len(row) for row in rows}) == 1 < len(rows)  # numbers end below one another
    clusters = tb.sample_size(difference=0.1, sd=0.3, cluster_size=5, intraclass_correlation=0.2)
    assert "a standard deviation of 0.3, in clusters of 5 with a correlation of 0.2." in " ".join(str(clusters).split())
    far = tb.sample_size(difference=0.01, question="splits", sd=0.03, n_models=3)
    said = " ".join(str(far).split())
    assert f"(to show 0.01, about {(far.floor / 0.01) ** 2:.2g} times as much)" in said
    assert "98.333% interval of the method 'corrected-t', so that 3 pairs share 5%" in said
    assert "For 3 models that is 300 fits." in str(tb.sample_size(n=10, sd=0.03, question="splits", n_models=3))


def test_frame_and_json_have_the_same_rows() -> None:
    """Every step with its numbers, fewer units showing less; what is undefined is None in JSON."""
    size = tb.sample_size(n=5, question="datasets", sd=1.0)
    told = json.loads(size.to_json())
    assert [row["n"] for row in told["steps"]] == size.to_frame()["n"].tolist() == [n for n, *_ in size.steps]
    assert (told["difference"], told["steps"][0]["smallest"], told["looks"]) == (None, None, None)
    assert (told["procedure"], told["unit"], told["assumed"]["sd"]) == ("wilcoxon", "dataset", [1.0])
    steps = tb.sample_size(difference=0.1, sd=0.5, n_models=3).to_frame()
    assert steps["smallest"].is_monotonic_decreasing
    assert steps["power"].is_monotonic_increasing
    assert (steps["cost"] == 3 * steps["n"]).all()


@pytest.mark.slow
def test_powers_are_drawn_for_three_differences() -> None:
    """The one that is asked about, a smaller and a larger one, over the number of units; none that cannot be."""
    size = tb.sample_size(difference=0.1, sd=0.5)
    display = size.plot.power()
    assert all(row["power"] == size.power_at(int(row["n"]), row["effect"]) for row in display.data.iloc[::10].to_dict("records"))
    assert display.data["effect"].unique().tolist() == pytest.approx([0.1 / 1.5, 0.1, 0.15])
    assert display.data[display.data["effect"] == 0.1]["power"].is_monotonic_increasing
    assert len(tb.sample_size(difference=0.19, rates=0.8).plot.power().data["effect"].unique()) == 2
    assert display.title == "195 items show a true difference of 0.1 with 80% power"
