"""Requirements in words and as files: every form says the same as the outcomes, whatever the models are called."""

import html
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.comparison.tables import RMSE, compared, noisy, pair_with
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


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ({"better": ("a", "b")}, "Requirement met"),
        ({"better": ("b", "a")}, "Requirement broken"),
        ({"better": [("a", "b"), ("a", "c")]}, "Both requirements met"),
        ({"better": [("b", "a")], "not_worse": [("b", "c"), ("a", "c")]}, "Of 3 requirements 1 met, 1 broken, 1 inconclusive"),
    ],
)
def test_headline_counts(asked: dict[str, object], title: str) -> None:
    """How many are met, broken and inconclusive."""
    judged = compared(noisy(0.90, 0.80, 0.80)).meets(**asked)
    assert str(judged).startswith(title)
    assert repr(judged) == f"<Requirements: {title}>"


@pytest.mark.parametrize(
    ("gate", "mean", "words"),
    [
        (
            "better",
            0.05,
            "'a' is better than 'b' by more than 0.01: difference in accuracy +0.050 (positive favours 'a'), 95% interval",
        ),
        ("better", -0.05, "'a' is not better than 'b' by more than 0.01: "),
        ("better", 0.01, "it is not settled whether 'a' is better than 'b' by more than 0.01: "),
        ("not_worse", 0.05, "'a' is not worse than 'b' by more than 0.01: "),
        ("not_worse", -0.05, "'a' is worse than 'b' by more than 0.01: "),
        ("not_worse", -0.01, "it is not settled whether 'a' is worse than 'b' by more than 0.01: "),
    ],
)
def test_sentences_of_pairs(gate: str, mean: float, words: str) -> None:
    """Each states what is shown, and nothing that is not."""
    (each,) = compared(pair_with(mean, 0.02), rope=0.01).meets(**{gate: ("a", "b")})
    assert each.sentence.startswith(words)


def test_differences_of_losses_are_positive_for_the_better_model() -> None:
    """As in the table of pairs and in the frame."""
    (each,) = compared(pair_with(0.05, 0.02)[::-1], metric=RMSE, rope=0.01).meets(not_worse=("a", "b"))
    assert each.difference == pytest.approx(0.05)
    found = re.fullmatch(
        r"'a' is not worse than 'b' by more than 0.01: difference in rmse \+0.050 \(positive favours 'a'\), 95% interval "
        r"0.029 to 0.071, none of it below -0.01; the one question asked beforehand",
        each.sentence,
    )
    assert found, each.sentence


def test_sentences_without_a_rope() -> None:
    """No "by more than 0"."""
    better, worse, near = compared(noisy(0.90, 0.80, 0.80)).meets(better=("a", "b"), not_worse=("c", "a"), near_best="b")
    assert better.sentence.startswith("'a' is better than 'b': ")
    assert worse.sentence.startswith("'c' is worse than 'a': ")
    assert near.sentence.startswith("'b' falls short of the best model: its accuracy is 0.10")
    best = compared(noisy(0.90, 0.80)).meets(near_best="a")[0]
    assert best.sentence.startswith("'a' is the best model: its accuracy is the best, 95% bounds of the shortfall 0.0")


def test_sentences_of_near_best() -> None:
    """How much at most, or at least, or neither."""
    answer = compared(noisy(0.850, 0.849, 0.838, 0.80, noise=0.004), rope=0.012)
    first, near, between, far = answer.meets(near_best=list(answer.models))
    assert first.sentence.startswith(
        "'a' falls short of the best model by 0.012 at most: its accuracy is the best, 98.8% bounds of the"
    )
    assert near.outcome == "met"
    assert between.sentence.startswith("it is not settled whether 'c' falls short of the best model by more than 0.012: ")
    assert far.sentence.startswith("'d' falls short of the best model by more than 0.012: its accuracy is 0.05")


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
