"""A reader who was not there finds the answers: thirteen questions to the report alone, eight to the page for beginners."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC

import tiebreak as tb

START = Path(__file__).parents[1] / "docs" / "start.md"

pytestmark = pytest.mark.slow


class _Words(HTMLParser):
    """Text of a page that is seen, table cells apart by a bar."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.hidden = 0
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.hidden += tag in ("script", "style", "template")
        self.words += [" | "] * (tag in ("td", "th", "tr", "p", "li", "h1", "h2", "h3", "dd", "dt"))

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style", "template")

    def handle_data(self, data: str) -> None:
        self.words += [] if self.hidden else [data]


def plain(words: str) -> str:
    """Text on one line, with single spaces."""
    return " ".join(words.split())


@pytest.fixture(scope="module")
def moons() -> tb.Comparison:
    """The grid search of scikit-learn's gallery."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    grid = [{"kernel": ["linear", "rbf"]}, {"kernel": ["poly"], "degree": [2, 3]}]
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv).fit(X, y)
    return tb.compare(search, X=X, y=y, rope=0.01)


@pytest.fixture(scope="module")
def report(moons: tb.Comparison, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a reader of the report sees."""
    path = tmp_path_factory.mktemp("report") / "moons.html"
    moons.to_html(path)
    return plain("".join(_Words(path.read_text(encoding="utf-8")).words))


def answers_of_moons(moons: tb.Comparison) -> dict[str, str]:
    """Thirteen questions to the report, with the answers as the library has them."""
    first = moons.ranking.iloc[0]
    pair = moons.pair("rbf", "linear")
    matrix = moons.matrix
    sizes = f"{matrix.n_train[0]} training and {matrix.n_test[0]} test examples"
    last = moons.ranking.iloc[-1]
    names = "linear and 'poly, degree=3'"
    asked = {
        "Which model has the highest mean?": f"{first['model']} leads (roc_auc {first['mean']:.3f})",
        "Is it shown to be the best?": "No winner yet",
        "Which models may be the best?": f"but {names} may be as good",
        "Which model is out?": f"{last['model']} | {last['mean']:.3f}",
        "What do I lose at most by taking the first?": f"| rbf | {first['mean']:.3f} | {first['shortfall_high']:.3f}",
        "By how much do the first two differ?": f"rbf | linear | {pair.difference:+.3f}",
        "Between which limits does that difference lie?": f"{pair.interval_low:.3f} to {pair.interval_high:.3f} |",
        "Is there a difference between them?": f"| {pair.verdict} |",
        "Which difference was too small to matter?": f"differences up to {moons.rope} do not matter",
        "On how many splits of which sizes was it measured?": f"{matrix.n_splits} splits (10 x 10-fold)",
        "How large were they?": f"{sizes} in each split",
        "What would settle it?": "about 13 times as many examples",
        "What can the answer not know?": "its own luck cannot be seen from inside",
    }
    assert last["standing"] == "not best"
    return asked


def test_the_report_answers_thirteen_questions(moons: tb.Comparison, report: str) -> None:
    """Each answer stands in the text of the page, as words and numbers, not only in a figure."""
    asked = answers_of_moons(moons)
    assert len(asked) == 13
    assert [question for question, answer in asked.items() if answer not in report] == []
    assert moons.headline in report  # the answer in words, whole


def test_an_answer_that_is_not_there_is_not_found(report: str) -> None:
    """The text is that of the page: a model, a number and a verdict that are not in it are missed."""
    assert not any(wrong in report for wrong in ("forest leads", "| rbf | 0.941", "differences up to 0.02 do not matter"))


QUESTIONS_OF_BEGINNERS = {
    "How do I install it?": r"pip install",
    "How do I measure my models?": r"tb\.evaluate\(models, X, y",
    "What if the program is stopped?": r"run the same lines again: only what is missing is measured",
    "What is a rope?": r"Decide which difference would not matter to you.*That is the rope",
    "Which of these models do I take?": r"Take logistic: shown to be within 0\.01 of the best of the 3",
    "What does undecided mean?": r"Undecided is not equal: it means that you do not know yet",
    "How do I show it to others?": r"The report is one file that opens in any browser, offline",
    "How do I do it without Python?": r"tiebreak run examples/questions/best\.toml",
}


def test_the_page_for_beginners_answers_eight_questions() -> None:
    """Each answer is a sentence or a line on the page."""
    text = START.read_text(encoding="utf-8")
    text = plain(re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).replace("**", "").replace("*", ""))
    assert len(QUESTIONS_OF_BEGINNERS) == 8
    assert [question for question, answer in QUESTIONS_OF_BEGINNERS.items() if not re.search(answer, text)] == []
