"""Plots of a comparison hold the numbers of its frames, and their titles say what was found."""

import numpy as np
import pytest

import tiebreak as tb
from tests.comparison.tables import compared
from tests.views.plots.samples import RMSE, drawn_texts, graded, over_datasets, over_items
from tiebreak.errors import DataError
from tiebreak.views.plots.comparison import decided, differences, paired, posterior_of, ranking, scores, verdicts

NAMES = ("a", "b", "c", "d")


@pytest.mark.parametrize("settings", [{}, {"baseline": "c"}, {"family": "best"}])
def test_the_ranking_has_the_intervals_of_the_pairs(settings: dict[str, str]) -> None:
    """Each model against the first or the baseline, turned so that positive favours the row; the title is the headline."""
    answer = graded(NAMES, **settings)
    drawing = ranking(answer)
    assert drawing.title == answer.headline
    role = "baseline" if "baseline" in settings else "best" if settings else "first"
    assert any(each.get_text().endswith(f"  {role}") for each in drawn_texts(drawing.plot().figure_))
    assert list(drawing.data["model"]) == list(answer.models)
    for row in drawing.data.to_dict("records"):
        if row["model"] != answer.reference:
            pair = answer.pair(row["model"], answer.reference)
            ends = [row["difference"], row["interval_low"], row["interval_high"]]
            assert ends[0] == pytest.approx(pair.difference)
            if answer.pair_table.is_family:
                assert ends == pytest.approx([pair.difference, pair.interval_low, pair.interval_high])
                assert row["verdict"] == pair.verdict


@pytest.mark.parametrize("metric", [None, RMSE])
def test_differences_are_those_of_each_split(metric: object) -> None:
    """Positive where the row does better, also where lower is better; none of the reference to itself."""
    answer = graded(NAMES) if metric is None else graded(NAMES, RMSE)
    drawing = differences(answer)
    for name in answer.models[1:]:
        mine = drawing.data[drawing.data["model"] == name]["difference"]
        np.testing.assert_allclose(mine, answer.pair(name, answer.models[0]).differences)
    assert answer.models[0] not in set(drawing.data["model"])
    (axes,) = drawing.plot().figure_.axes
    assert [0.0, 0.0] in [list(line.get_xdata()) for line in axes.lines]  # where neither does better


def test_scores_are_those_that_were_given() -> None:
    """One for each model and split that there is."""
    answer = compared([[0.9, 0.8, np.nan], [0.7, 0.9, 0.8]], missing="pairwise")
    data = scores(answer).data
    assert sorted(data["score"]) == [0.7, 0.8, 0.8, 0.9, 0.9]
    assert data.groupby("model").size().to_dict() == {"a": 2, "b": 3}


def test_verdicts_have_every_pair_in_both_orientations() -> None:
    """With the verdict and the difference of the pair; a pair outside the family has neither."""
    answer = graded(NAMES)
    for row in verdicts(answer).data.to_dict("records"):
        pair = answer.pair(row["row"], row["column"])
        assert (row["verdict"], row["difference"]) == (pair.verdict, pytest.approx(pair.difference))
    found = answer.pairs["verdict"].value_counts()
    assert (found["better"], found["equivalent"], found["ahead"]) == (1, 3, 2)
    assert verdicts(answer).title == "4 of 6 pairs are decided, in 2 more one model is ahead"
    one = {"better": 1, "worse": 0, "equivalent": 0, "ahead": 0, "behind": 0}
    assert decided(one, 10, "pair") == "1 of 10 pairs is decided"
    data = verdicts(graded(NAMES, baseline="a")).data
    assert set(data[(data["row"] != "a") & (data["column"] != "a")]["verdict"]) == {""}


def test_a_posterior_has_mass_one_and_the_probabilities_of_its_pair() -> None:
    """By the trapezoidal rule over the drawn points; the title has the most probable region."""
    pair = graded(NAMES).pair("a", "c")
    drawing = posterior_of(pair)
    x, y = drawing.data["difference"].to_numpy(), drawing.data["density"].to_numpy()
    assert np.trapezoid(y, x) == pytest.approx(1, abs=0.01)
    inside = np.abs(x) <= pair.rope
    assert np.trapezoid(y[inside], x[inside]) == pytest.approx(pair.p_equivalent, abs=0.01)
    likely = max(("better", "equivalent", "worse"), key=lambda name: getattr(pair, f"p_{name}"))
    assert f"P({likely}) is" in drawing.title
    (axes,) = drawing.plot().figure_.axes
    assert axes.get_xlim() == (x[0], x[-1])


def test_a_pair_without_spread_has_no_posterior() -> None:
    """The error says why, and the plot is not among those of the answer."""
    answer = compared([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6]])
    with pytest.raises(DataError, match=r"no posterior with a curve here \(no-spread\)"):
        posterior_of(answer.pair("a", "b"))
    assert "posterior" not in answer.plot.names


def test_what_there_is_no_plot_of_is_refused_with_the_way_on() -> None:
    """Differences of models that share no units, ranks of one dataset, a posterior of a procedure without."""
    table = {"model": ["a", "a", "a", "b", "b", "b"], "seed": [0, 1, 2, 3, 4, 5], "accuracy": [0.9, 0.8, 0.7, 0.8, 0.6, 0.5]}
    unpaired = tb.compare(table, metric="accuracy", method="welch")
    with pytest.raises(DataError, match="not measured on the same seeds"):
        unpaired.plot.differences()
    with pytest.raises(DataError, match="several datasets"):
        graded(NAMES).plot.diagram()
    with pytest.raises(DataError, match="no posterior with a curve"):
        over_items(NAMES).plot.posterior()
    assert {"differences", "diagram", "posterior"}.isdisjoint(unpaired.plot.names)


def test_pairs_on_datasets_are_counted_as_they_lie_about_the_rope() -> None:
    """Won above it, lost below, tied inside; the largest difference first, and both scores are there."""
    answer = over_datasets(("a", "b"))
    drawing = paired(answer, "a", "b")
    data = drawing.data
    assert data["difference"].is_monotonic_decreasing
    assert set(data["dataset"]) == {f"data {k}" for k in range(24)}
    np.testing.assert_allclose(data["first"] - data["second"], data["difference"])
    won, lost = int((data["difference"] > 0.01).sum()), int((data["difference"] < -0.01).sum())
    assert data["outcome"].value_counts().to_dict() == {"won": won, "lost": lost, "tied": 24 - won - lost}
    assert f"wins {won} of 24 datasets, loses {lost}" in drawing.title


def test_slices_have_all_items_first_and_their_own_intervals() -> None:
    """As the frame of slices has them, turned to the pair that was asked for; models are called as on the page."""
    owned = over_items(("an-organisation/model-of-more-than-34-letters", "another/model-b"))
    assert owned.slices("topic").plot.drawing().title.startswith("Undecided: model-b against model-of-more-than-34-letters;")
    slices = over_items(("a", "b", "c")).slices("topic")
    data = slices.plot.drawing().data
    first, second = slices.comparison.models[:2]
    frame = slices.to_frame()
    mine = frame[(frame["first"] == first) & (frame["second"] == second)]
    assert data["slice"].tolist() == ["all questions", *mine["slice"]]
    np.testing.assert_allclose(data["interval_low"].iloc[1:], mine["interval_low"])
    turned = slices.plot.differences(second, first).data
    np.testing.assert_allclose(turned["difference"], -data["difference"])
