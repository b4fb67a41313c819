"""Requirements in words and as files: every form says the same as the outcomes, whatever the models are called."""

import html
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.comparison.tables import RMSE, compared, noisy
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.requirements import Requirements
from tiebreak.views.requirements import junit_xml

SHOWN = re.compile(
    r"(?:interval|bounds of the shortfall) (\S+) to (\S+), "
    r"(.*) (-?[\d.e-]+); (the one question|one of (\d+) questions) asked beforehand$"
)


def random_gate(seed: int) -> tuple[Comparison, Requirements]:
    """A comparison of 2 to 5 models, and one to five requirements of all kinds."""
    rng = np.random.default_rng(seed)
    n_models = int(rng.integers(2, 6))
    means = 0.8 + rng.choice([0, 0.003, 0.01, 0.04], n_models)
    table = noisy(*means, noise=rng.choice([0.002, 0.01, 0.03]), seed=seed)
    rope = float(rng.choice([0, 0.005, 0.0123456789, 0.03]))
    answer = compared(table, rope=rope, **({"metric": RMSE} if seed % 3 == 0 else {}))
    pairs = [tuple(rng.choice(answer.models, 2, replace=False)) for _ in range(4)]
    better = [pair for pair in dict.fromkeys(pairs[:2]) if pair != pairs[0][::-1]]
    not_worse = [pair for pair in dict.fromkeys(pairs[2:]) if pair[::-1] not in better]  # else they exclude each other
    return answer, answer.meets(better=better, not_worse=not_worse, near_best=answer.models[-1])


def read_back(sentence: str) -> tuple[float, float, float, int]:
    """Ends, limit and number of questions as a reader sees them."""
    shown = SHOWN.search(sentence)
    assert shown is not None, sentence
    return float(shown[1]), float(shown[2]), float(shown[4]), int(shown[6] or 1)


@pytest.mark.parametrize("seed", range(40))
def test_printed_intervals_give_the_outcome(seed: int) -> None:
    """Whoever holds the printed ends against the printed limit comes to the outcome that stands in front."""
    _, judged = random_gate(seed)
    for each in judged:
        low, high, limit, n = read_back(each.sentence)
        if each.gate != "near best" and not each.metric.higher_is_better:
            assert f"(positive favours '{each.first}')" in each.sentence
        assert n == len(judged)
        if each.gate == "better":
            expected = "met" if low > limit else "broken" if high <= limit else "inconclusive"
        elif each.gate == "not worse":
            expected = "met" if low >= limit else "broken" if high < limit else "inconclusive"
        else:
            expected = "met" if high <= limit else "broken" if low > limit else "inconclusive"
        assert expected == each.outcome, each.sentence


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_every_form_says_the_same(seed: int) -> None:
    """Text, Markdown, HTML, frame, JSON, JUnit's XML and the sentence of each, read back."""
    answer, judged = random_gate(seed)
    outcomes = [each.outcome for each in judged]
    text = answer.to_text(judged)
    assert re.findall(r"^  - (met|broken|inconclusive): ", text, re.M) == outcomes
    assert re.findall(r"^- (met|broken|inconclusive): ", answer.to_markdown(judged), re.M) == outcomes
    assert re.findall(r"<li[^>]*>(met|broken|inconclusive): ", answer.to_html(requirements=judged)) == outcomes
    records = json.loads(answer.to_json(requirements=judged))["requirements"]
    assert [record["outcome"] for record in records] == outcomes
    assert [record["met"] for record in records] == [outcome == "met" for outcome in outcomes]
    assert judged.to_frame()["outcome"].tolist() == outcomes
    unwrapped = re.sub(r"\s+", " ", text)
    for each, record in zip(judged, records, strict=True):
        assert f"{each.outcome}: {each.sentence}." in unwrapped
        assert record["sentence"] == each.sentence
        assert (record["first"], record["second"], record["rope"]) == (each.first, each.second or None, each.rope)
        assert (record["interval_low"], record["interval_high"]) == (each.interval_low, each.interval_high)
    cases = ElementTree.fromstring(junit_xml(judged)).findall(".//testcase")
    kinds = {"met": None, "broken": "broken", "inconclusive": "inconclusive"}
    found = [None if case.find("failure") is None else case.find("failure").get("type") for case in cases]  # type: ignore[union-attr]
    assert found == [kinds[outcome] for outcome in outcomes]


def test_an_interval_with_one_end_still_decides() -> None:
    """No upper bound is known beside a model that was never scored together with it; the lower bound breaks it all the same."""
    high, low = noisy(0.90, 0.80, n_splits=20)
    table = np.array([high, low, np.where(np.arange(20) < 10, high + 0.01 * np.sin(np.arange(20)), np.nan)])
    table[1, :9] = np.nan
    (each,) = compared(table, rope=0.01, missing="pairwise").meets(near_best="b")
    assert (each.outcome, each.interval_high) == ("broken", np.inf)
    assert each.sentence.startswith("'b' falls short of the best model by more than 0.01: its accuracy is 0.")
    assert re.search(r"95% bounds of the shortfall from 0\.\d+, all of it above 0.01; ", each.sentence)


NASTY = ("a<b>&\"'|`*_ \x00\x07\x1b[31m\ufffe", "line\nbreak ]]> \U0001f600 $x$")


@pytest.mark.slow
def test_names_do_no_harm() -> None:
    """Names with markup, control characters and what XML cannot hold: every form is still what it is, and shows the rest."""
    answer = compared(noisy(0.90, 0.80), NASTY)
    judged = answer.meets(better=NASTY, near_best=NASTY[1])
    for written in (answer.to_text(judged), answer.to_markdown(judged), answer.to_html(requirements=judged), str(judged)):
        assert not re.search("[\x00-\x09\x0b-\x1f]", written)
    assert "<b>" not in answer.to_html(requirements=judged) + answer.to_markdown(judged)
    assert "a<b>&\"'|`*_ \\x00\\x07\\x1b[31m" in html.unescape(answer.to_html(requirements=judged))
    tree = ElementTree.fromstring(junit_xml(judged))
    (first, second) = tree.findall(".//testcase")
    assert first.get("name") == "a<b>&\"'|`*_ \\x00\\x07\\x1b[31m\\ufffe better than line\\nbreak ]]> \U0001f600 $x$"
    assert second.find("failure").get("message").startswith("broken: 'line\\nbreak ]]>")  # type: ignore[union-attr]
    assert json.loads(answer.to_json(requirements=judged))["requirements"][0]["first"] == NASTY[0]


def test_junit_counts() -> None:
    """Inconclusive is a failure of its own type, unless it is allowed: then it is skipped."""
    judged = compared(noisy(0.90, 0.80, 0.80)).meets(better=[("a", "b"), ("c", "a"), ("b", "c")])
    for allowed, failures, skipped in ((False, "2", "0"), (True, "1", "1")):
        root = ElementTree.fromstring(junit_xml(judged, allow_inconclusive=allowed))
        (suite,) = root
        for element in (root, suite):
            assert [element.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["3", failures, "0", skipped]
        met, broken, open_ = suite
        assert met.find("system-out").text == f"met: {judged[0].sentence}"  # type: ignore[union-attr]
        assert (met.get("classname"), met.get("name")) == ("tiebreak.accuracy", "a better than b")
        assert [child.tag for child in broken] == ["failure"]
        assert [(child.tag, child.get("type")) for child in open_] == [
            ("skipped", None) if allowed else ("failure", "inconclusive")
        ]
        assert open_[0].get("message") == f"inconclusive: {judged[2].sentence}"
