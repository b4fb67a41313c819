"""The report of a comparison: the same answer as everywhere, in order, and its data."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.views.report.answers import items
from tests.views.situations import ACCURACY, around, compared, named, table
from tiebreak.comparison.comparison import Comparison
from tiebreak.scores.metric import Metric

LOSS = Metric("root_mean_squared_error", higher_is_better=False)


def rows(n_models: int, **more: Any) -> dict[str, np.ndarray]:
    """Scores of some models."""
    names = tuple(f"model {n}" for n in range(n_models))
    return named(*around(*0.85 - 0.01 * np.arange(n_models), noise=0.02, n_splits=20, **more), names=names)


def with_gaps() -> Comparison:
    """Two scores that are undefined."""
    scores = rows(3)
    scores["model 1"][[3, 11]] = np.nan
    return compared(table(scores), rope=0.01, missing="pairwise")


def on_datasets() -> Comparison:
    """Eight datasets of three folds."""
    rng = np.random.default_rng(2)
    made = [(f"data {d}", name, fold, mean + rng.normal(0, 0.01)) for d in range(8) for name, mean in MEANS for fold in range(3)]
    frame = pd.DataFrame(made, columns=["dataset", "model", "fold", "score"])
    return tb.compare(frame, metric="accuracy", rope=0.005, n_train=80, n_test=20)


MEANS = (("a", 0.90), ("b", 0.89), ("c", 0.80))

CASES = {
    "two": lambda: compared(table(rows(2)), rope=0.01),
    "five": lambda: compared(table(rows(5)), rope=0.01),
    "without a rope": lambda: compared(table(rows(4))),
    "loss": lambda: compared(table(rows(4), LOSS), rope="1%"),
    "baseline": lambda: compared(table(rows(4)), rope=0.01, baseline="model 1"),
    "holm": lambda: compared(table(rows(4)), correction="holm"),
    "best": lambda: compared(table(rows(4)), rope=0.01, family="best"),
    "gaps": with_gaps,
    "identical": lambda: compared(table({"x": rows(1)["model 0"], "y": rows(1)["model 0"], "z": rows(2)["model 1"]}), rope=0.01),
    "datasets": on_datasets,
}


@pytest.fixture(params=list(CASES), scope="module")
def answer(request: pytest.FixtureRequest) -> Comparison:
    """A comparison of each kind."""
    return CASES[request.param]()


def visible(page: str) -> str:
    """Text of a page, as it is read: no style, no script, no tags."""
    return " ".join(
        html.unescape(re.sub("<[^>]+>", " ", re.sub(r"<(style|script)\b.*?</\1>|<wbr>", "", page, flags=re.S))).split()
    )


def data_of(page: str) -> dict[str, Any]:
    """Data inside a page."""
    found: dict[str, Any] = json.loads(re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[0])
    return found


def lines(page: str) -> list[int]:
    """Models that have a line of the ranking: of copies the first."""
    return [int(row) for row in re.findall(r'<tr data-model="(\d+)"', page)]


def cells(page: str, model: int) -> dict[str, str]:
    """Texts of one row of the ranking, by column."""
    row = re.findall(rf'<tr data-model="{model}"[^>]*>(.*?)</tr>', page, re.S)[0]
    found = re.findall(r'<td data-col="(\w+)"[^>]*>(.*?)</td>', row, re.S)
    return {name: html.unescape(re.sub("<[^>]+>", "", text)) for name, text in found}


@pytest.mark.slow
def test_it_says_what_text_says(answer: Comparison) -> None:
    """Sentence, next step, every cell of the ranking and of the pairs, notices and method stand in the terminal's page too."""
    page, text = answer.to_html(), " ".join(answer.to_text(columns="all").split())
    shown = visible(page)
    assert answer.sentence in shown
    assert answer.method.name in shown
    for notice in answer.notices:
        assert " ".join(notice.text.split()) in shown
    for line in answer.to_text().split("\n\n")[1].split("\n"):
        assert line.strip() in shown or not line.startswith("Next step")
    for model in lines(page):
        for name in ("mean", "adjusted", "rank", "shortfall_high", "standing", "letters"):
            if name in cells(page, model):
                assert cells(page, model)[name] in text, name


@pytest.mark.slow
def test_nothing_undefined_is_shown(answer: Comparison) -> None:
    """Never nan, None or inf as a word, and no number with a dozen digits."""
    words = visible(answer.to_html()).split()
    assert not {"nan", "None", "inf", "-inf", "NaN"} & set(words)
    assert not [word for word in words if re.fullmatch(r"[-+]?\d*\.\d{12,}", word)]


def test_n_stands_beside_every_interval(answer: Comparison) -> None:
    """The number of units that the pair shares: those that neither model lacks."""
    page, score = answer.to_html(), answer.matrix.score
    reference = answer.models.index(answer.reference)
    for model in lines(page):
        shared = int(np.count_nonzero(~np.isnan(score[model] + score[reference])))
        assert cells(page, model)["n"] == str(shared)


def test_the_matrix_is_that_of_the_pairs(answer: Comparison) -> None:
    """Each cell has the verdict of its row on its column, mirrored where the pair stands the other way round."""
    page = answer.to_html()
    found = re.findall(r'data-is="matrix" data-columns="([^"]*)">(.*?)</table>', page, re.S)
    if len(answer.models) < 3 or answer.settings.family == "best":
        assert not found
        return
    columns = [int(column) for column in found[0][0].split()]
    body = found[0][1].partition("<tbody>")[2]
    for r, line in enumerate(re.findall(r"<tr>(.*?)</tr>", body, re.S)):
        for c, verdict in zip(columns, re.findall(r'<td(?: class="(\w+)")?>', line), strict=True):
            verdict = verdict or "undecided"  # has no mark
            expected = "self" if r == c else answer.pair(answer.models[r], answer.models[c]).verdict
            assert verdict == expected


def test_the_data_are_the_view(answer: Comparison) -> None:
    """Columns of pairs and ranking as rows again, with names for numbers of models, are the JSON of the answer."""
    view = data_of(answer.to_html())["answers"][0]["view"]
    names = view["scores"][0]["models"]
    for part in ("pairs", "ranking"):
        n = max(len(column) for column in view[part].values() if isinstance(column, list))
        columns = {name: column if isinstance(column, list) else [column] * n for name, column in view[part].items()}
        for name in ("first", "second", "model"):
            if name in columns:
                columns[name] = [names[row] for row in columns[name]]
        view[part] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert view == json.loads(answer.to_json())


def test_requirements_come_first() -> None:
    """Before the sentence, with their outcome as class and first word; without any there is nothing of them."""
    comparison = compared(table(rows(3)), rope=0.01)
    judged = comparison.meets(better=("model 0", "model 2"), near_best="model 0")
    page = comparison.to_html(requirements=judged)
    outcomes = [each.outcome for each in judged]
    assert re.findall(r'<li data-row="\d" class="(\w+)">', page) == outcomes
    assert page.index('data-is="requirements"') < page.index('data-is="sentence"')
    assert 'data-is="requirements"' not in re.sub(r"<script.*?</script>", "", comparison.to_html(), flags=re.S)


def test_drawn_intervals_lie_where_the_numbers_are() -> None:
    """Ends in percent of the width are one linear function of the numbers in the text, to the rounding of both."""
    comparison = compared(table(rows(4)), rope=0.01)
    page, places, values = comparison.to_html(), [], []
    for model in range(1, 4):
        row = re.findall(rf'<tr data-model="{model}"[^>]*>(.*?)</tr>', page, re.S)[0]
        places += map(float, re.findall(r'class="range" x1="([\d.]+)%" x2="([\d.]+)%"', row)[0])
        values += map(float, cells(page, model)["interval"].split(" to "))
    slope, start = np.polyfit(values, places, 1)
    assert slope > 0
    assert np.abs(np.array(places) - start - slope * np.array(values)).max() < 0.3


def test_many_models_collapse() -> None:
    """Of 61 models no matrix, the first 25 rows at once, all pairs in the data."""
    names = tuple(f"m{n}" for n in range(61))
    many = compared(table(named(*around(*0.85 - 0.001 * np.arange(61), noise=0.01, n_splits=10), names=names)), rope=0.01)
    page = many.to_html()
    assert 'data-is="matrix"' not in re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert len(re.findall(r'<tr data-model="\d+" class="more">', page)) == 61 - 25


def test_a_model_far_off_is_an_arrow_and_does_not_press_the_others_together() -> None:
    """Without it the same models take as much of the width; the page says what an arrow is."""
    scores = named(*around(0.85, 0.84, 0.83, 0.82, noise=0.012, n_splits=20), names=tuple("abcd"))
    near, far = compared(table(scores), rope=0.01), compared(table(scores | {"z": scores["d"] - 0.4}), rope=0.01)
    circles = [
        [float(at) for at in re.findall(r'<circle cx="([\d.]+)%" cy="11"', page[: page.index("</table>", page.index("ranking"))])]
        for page in (near.to_html(), far.to_html())
    ]
    spans = [max(row) - min(row) for row in circles]
    assert [len(row) for row in circles] == [4, 4]
    assert spans[1] > 0.3 * spans[0]
    assert re.findall("[◀▶](?=</text>)", far.to_html()) == ["◀"]
    assert "An arrow stands for a model further off." in far.to_html()
    assert "An arrow" not in near.to_html()


def test_the_axis_of_many_models_fits_those_that_are_shown_first() -> None:
    """Two hundred models in even steps: none is far off its neighbours; the last ones are arrows, and the first 25 are not."""
    names = tuple(f"model {n}" for n in range(200))
    page = compared(table(named(*around(*(0.9 - 0.004 * np.arange(200)), noise=0.012, n_splits=20), names=names))).to_html()
    drawn = re.findall(r'<td data-col="drawn">(.*?)</td>', page, re.S)[:200]
    assert not any("beyond" in row for row in drawn[:25])
    assert all("beyond" in row for row in drawn[150:])


def test_long_names_are_told_apart_and_whole() -> None:
    """Shortened in the rows, whole under the pointer and in the data."""
    long = tuple(f"a very long name of a model with many words and a number {n} at its end" for n in range(3))
    page = compared(table(named(*around(0.9, 0.89, 0.88, noise=0.02, n_splits=20), names=long)), rope=0.01).to_html()
    headers = re.findall(r'<th scope="row" title="([^"]*)">([^<]*)</th>', page)
    assert {title for title, _ in headers} == set(long)
    assert len({text for _, text in headers}) == 3
    assert data_of(page)["answers"][0]["view"]["scores"][0]["models"] == list(long)


def test_score_against_time_where_times_are_known() -> None:
    """A point for each model, under its name."""
    import dataclasses

    scores = table(rows(3), ACCURACY)
    assert "Score and time" not in visible(compared(scores).to_html())
    timed = dataclasses.replace(scores, fit_seconds={"model 0": 0.5, "model 1": 0.01, "model 2": 2.0})
    page = compared(timed).to_html()
    drawn = re.findall(r'<svg class="scatter".*?</svg>', page, re.S)[0]
    assert drawn.count("<circle") == 3
    assert "model 1 is the fastest to fit" in visible(drawn)


@pytest.mark.slow
def test_a_metric_of_all_items_together_has_no_score_on_each() -> None:
    """Classes that models predict, and what they say of each example, are no scores: nothing draws or offers them as such."""
    truth = np.arange(60) % 3
    predicted = {name: np.where(np.arange(60) % k, truth, 0) for name, k in (("a", 7), ("b", 5), ("c", 3))}
    areas = {name: 0.3 * (truth == 1) + np.arange(60) % k / 10 for name, k in (("a", 7), ("b", 5), ("c", 3))}
    for read in (tb.read_predictions(truth, predicted, metric="f1_macro"), tb.read_predictions(truth == 1, areas)):
        page = tb.compare(read).to_html()
        shown = visible(page)
        assert "Interval" in page
        for words in ("every dot is one of them", "Scores on each", "Correlation of the scores"):
            assert words not in shown
        assert "units" not in data_of(page)["answers"][0]


@pytest.mark.slow
def test_answers_that_are_right_or_wrong() -> None:
    """The means with their standard errors, as the note on these says."""
    answer = items()
    page = answer.to_html()
    shown = [float(cells(page, model)["standard_error"]) for model in range(4)]
    means = answer.ranking["mean"].to_numpy()
    assert shown == pytest.approx(np.sqrt(means * (1 - means) / 199), abs=6e-4)  # of 200 items that are right or wrong


@pytest.mark.slow
def test_scores_of_items_stand_in_the_page_once() -> None:
    """Those of one run are in the JSON view; means over runs, which are not, stand beside it."""
    assert data_of(items().to_html())["answers"][0]["units"] == "items"
    made = [(i, m, r, float((i * 7 + r) % 3 == k)) for i in range(40) for k, m in enumerate("ab") for r in (1, 2)]
    frame = pd.DataFrame(made, columns=["item", "model", "run", "score"])
    (answer,) = data_of(tb.compare(tb.read_items(frame)).to_html())["answers"]
    assert set(np.ravel(answer["units"]["score"])) == {0.0, 0.5}


@pytest.mark.slow
def test_what_is_said_of_the_method_is_said_once() -> None:
    """Notes on columns stand below the table that has them; an assumption that says what the answer is about is enough."""
    shown = visible(compared(table(rows(4)), rope=0.01).to_html())
    assert shown.count("adj. p tests no difference") == 1
    assert shown.count("about models trained on samples like this dataset") == 1
    assert "The answer is about further items like these" in visible(items().to_html())


@pytest.mark.parametrize(("name", "is_whole"), [("H-InceptionTime", True), ("a" * 19, False)])
def test_names_of_ordinary_length_are_not_broken(name: str, is_whole: bool) -> None:
    """A line of the ranking breaks inside of a word only where the word is long."""
    scores = named(*around(0.9, 0.8, noise=0.02, n_splits=20), names=(name, "b"))
    assert ('class="ranking whole' in compared(table(scores)).to_html()) is is_whole
