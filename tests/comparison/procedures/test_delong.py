"""Areas under ROC curves of models on the same examples."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tiebreak as tb
from tiebreak.errors import DataError


def predictions(rng: np.random.Generator, n: int = 200, **more: Any) -> Any:
    """Probabilities of three models that agree in part."""
    y = (rng.random(n) < 0.4).astype(int)
    base = rng.normal(size=n)
    scores = {"a": base + 1.5 * y, "b": base + 1.2 * y + 0.4 * rng.normal(size=n), "c": rng.normal(size=n) + 0.5 * y}
    return tb.read_predictions(y, {name: 1 / (1 + np.exp(-score)) for name, score in scores.items()}, **more)


@pytest.mark.slow
def test_pairs_are_those_of_the_array_functions(rng: np.random.Generator) -> None:
    """Areas and limits at the level of the family, to 1e-12; the statistic is DeLong's z."""
    items = predictions(rng)
    answer = tb.compare(items, rope=0.01)
    assert answer.method.name == "delong"
    array = tb.statistics.roc_areas(items.is_positive, items.score[:, 0])
    row = {name: place for place, name in enumerate(items.models)}
    for pair in answer.pairs.itertuples():
        found = array.difference(row[pair.first], row[pair.second])
        assert_allclose([pair.difference, pair.standard_error], [found.estimate, found.se], rtol=1e-12)
        assert_allclose([pair.interval_low, pair.interval_high], found.interval(1 - 0.05 / 3), rtol=1e-12)
        assert_allclose([pair.pvalue, pair.statistic], [found.pvalue(), found.statistic], rtol=1e-12)
    for model in answer.ranking.itertuples():
        own = tb.statistics.roc_areas(items.is_positive, items.score[row[model.model], 0])
        assert_allclose(model.mean, own.estimate[0], rtol=1e-12)
        assert_allclose([model.mean_low, model.mean_high], [end[0] for end in own.interval()], rtol=1e-12)


def test_only_the_order_of_scores_counts(rng: np.random.Generator) -> None:
    """Logits, which are no shares, give the same answer as probabilities, and no warning of percent; nor does the row order."""
    items = predictions(rng)
    y, p = np.asarray(items.is_positive).astype(int), dict(zip(items.models, items.score[:, 0], strict=True))
    expected = tb.compare(items).pairs
    logits = tb.read_predictions(y, {name: 5 * np.log(each / (1 - each)) for name, each in p.items()}, metric="roc_auc")
    answer = tb.compare(logits)
    assert_allclose(answer.pairs["pvalue"], expected["pvalue"], rtol=1e-9)
    assert "read-as" not in [notice.code for notice in answer.notices]
    shuffled = rng.permutation(y.size)
    other = tb.compare(tb.read_predictions(y[shuffled], {name: each[shuffled] for name, each in reversed(p.items())}))
    assert_allclose(other.pairs["pvalue"], expected["pvalue"], rtol=1e-9)


def test_a_rope_in_percent_is_of_the_area(rng: np.random.Generator) -> None:
    """Not of the mean of the probabilities."""
    answer = tb.compare(predictions(rng), rope="1%")
    assert answer.rope == pytest.approx(0.01 * answer.ranking["mean"][0])


def test_models_that_separate_the_classes_have_an_interval() -> None:
    """Six examples show nothing, and DeLong's interval of no width does not say otherwise; identical order is said."""
    y, good = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.7, 0.8, 0.9]
    answer = tb.compare(tb.read_predictions(y, {"a": good, "b": good, "c": [0.1, 0.8, 0.3, 0.4, 0.8, 0.9]}))
    assert list(answer.pairs["verdict"]) == ["undecided"] * 3
    assert (answer.pairs["interval_high"] - answer.pairs["interval_low"] > 0.5).all()
    same = [0.1, 0.8, 0.3, 0.4, 0.85, 0.9]
    pair = tb.compare(tb.read_predictions(y, {"a": same, "b": [each**2 for each in same]})).pairs
    assert (pair["reason"][0], pair["pvalue"][0]) == ("identical-scores", 1.0)


def test_few_positives_are_counted_and_said(rng: np.random.Generator) -> None:
    """Both classes stand on the page; below 20 of the rarer one a notice says what that does."""
    y = np.arange(200) < 10
    few = tb.compare(tb.read_predictions(y.astype(int), {"a": rng.random(200), "b": rng.random(200)}))
    assert "200 examples, 10 positive and 190 negative" in str(few)
    (notice,) = [each for each in few.notices if each.code == "few-units"]
    assert "only 10 positive examples" in notice.text
    other = tb.compare(tb.read_predictions(1 - y, {"a": rng.random(200), "b": rng.random(200)}))
    assert any("only 10 negative examples" in each.text for each in other.notices)
    assert "few-units" not in [each.code for each in tb.compare(predictions(rng)).notices]


def test_there_are_no_differences_to_plot(rng: np.random.Generator) -> None:
    """There is no difference on a single example, and no plot of it."""
    answer = tb.compare(predictions(rng), rope=0.01)
    assert answer.pair("a", "b").differences.size == 0
    for plot in (answer.plot.scores, answer.plot.differences):
        with pytest.raises(DataError, match="as roc_auc is of all examples together"):
            plot()


def test_what_it_cannot_judge(rng: np.random.Generator) -> None:
    """Labels, one class only, and means of predictions."""
    labels = tb.read_predictions([0, 1, 1], {"a": [0, 1, 1], "b": [0, 0, 1]})
    with pytest.raises(DataError, match=r"delong compares areas under ROC curves .* scores of accuracy\. Leave"):
        tb.compare(labels, method="delong")
    with pytest.raises(DataError, match="'delong', which 'auto' takes for these"):
        tb.compare(predictions(rng), method="clustered-t")
    alone = tb.read_predictions([0, 1, 0, 0], {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.1, 0.2, 0.3, 0.1]})
    with pytest.raises(DataError, match="of the 4 examples 1 is positive, and two of each class"):
        tb.compare(alone)
