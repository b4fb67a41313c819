"""Sample sizes in words: each goal, costs, looks, floors, and what cannot be shown."""

import json

import pytest

import tiebreak as tb


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
