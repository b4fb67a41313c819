"""Nothing on a page contradicts anything else: text, Markdown, HTML and JSON of random comparisons, read back.

A hundred and fifty of them as a rule; ``TRUTH=2000 pytest tests/views/test_truth.py`` reads two thousand.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from tests.views.truth import (
    Read,
    comparison_of_predictions,
    comparison_of_runs,
    end_of,
    place,
    random_comparison,
    random_dataset_comparison,
    random_item_comparison,
    read_html,
    read_markdown,
    records,
    rows_of_text,
)
from tiebreak.comparison.comparison import Comparison

pytestmark = pytest.mark.slow

N = int(os.environ.get("TRUTH", "150"))
STEP = 10
MIRROR = {"better": "worse", "ahead": "behind", "behind": "ahead", "worse": "better"}
NAME = r"'([^']+)'"


@pytest.mark.parametrize("start", range(0, N, STEP))
def test_every_page_is_true(start: int) -> None:
    """Ten comparisons at a time."""
    for seed in range(start, min(start + STEP, N)):
        comparison = random_comparison(seed)
        with page_in_errors(seed, comparison):
            check_page(comparison)


@pytest.mark.parametrize("start", range(0, N // 5, STEP))
def test_every_page_of_runs_is_true(start: int) -> None:
    """Seeds, paired or not, and 5x2cv, whose procedures have intervals of their own."""
    for seed in range(start, min(start + STEP, N // 5)):
        comparison = comparison_of_runs(seed)
        with page_in_errors(seed, comparison):
            check_page(comparison)


@pytest.mark.parametrize("start", sorted({*range(0, N // 4, STEP), 250}))  # 250: a failure that was found by chance
def test_every_page_of_items_is_true(start: int) -> None:
    """Ten comparisons of items at a time; and the noun of the table stands for every unit."""
    for seed in range(start, start + STEP):
        comparison = random_item_comparison(seed)
        with page_in_errors(seed, comparison):
            check_page(comparison)
            text = comparison.to_text()
            assert "split" not in text.replace("missing-splits", "")
            if comparison.method.unit != "item":
                assert not re.search(r"\bitems?\b", text)


@pytest.mark.parametrize("start", range(0, N // 5, STEP))
def test_every_page_of_datasets_is_true(start: int) -> None:
    """Ten comparisons over datasets at a time, by tests and posteriors, whose probabilities add up and suit the interval."""
    for seed in range(start, start + STEP):
        comparison = random_dataset_comparison(seed)
        with page_in_errors(seed, comparison):
            check_page(comparison)
            if comparison.method.name.startswith("bayes"):
                pairs = comparison.pairs[comparison.pairs["reason"].isin(["", "unsettled"])]
                regions = pairs[["p_better", "p_equivalent", "p_worse"]].to_numpy()
                assert np.allclose(regions.sum(axis=1), 1.0)
                known = 1.0 - pairs["interval_alpha"].to_numpy()
                for verdict, column in (("better", 0), ("equivalent", 1), ("worse", 2)):
                    is_so = (pairs["verdict"] == verdict).to_numpy()
                    assert (regions[is_so, column] >= known[is_so] - 1e-9).all()


@pytest.mark.parametrize("start", range(0, N // 6, STEP))
def test_every_page_of_predictions_is_true(start: int) -> None:
    """Test sets of each model's own, areas under ROC curves, F1 and other metrics of all examples, and resampled means."""
    for seed in range(start, start + STEP):
        comparison = comparison_of_predictions(seed)
        with page_in_errors(seed, comparison):
            check_page(comparison)
            text = comparison.to_text()
            assert "split" not in text
            assert not re.search(r"\bitems?\b", text)
            assert ("questions" in text) == (comparison.method.question == "test-sets")
            assert (f" mean {comparison.metric.name}" in text) <= comparison.method.is_mean


def test_the_comparisons_are_of_all_kinds() -> None:
    """So that the checks above are no checks of blanks."""
    verdicts, reasons, standings = set(), set(), set()
    for seed in range(150):
        comparison = random_comparison(seed)
        verdicts |= set(comparison.pairs["verdict"])
        reasons |= set(comparison.pairs["reason"])
        standings |= set(comparison.ranking["standing"])
    assert verdicts == {"better", "ahead", "equivalent", "undecided", "behind", "worse"}
    assert reasons >= {"", "unsettled", "identical-scores", "no-spread"}
    assert standings == {"best", "near best", "may be best", "not best"}


@contextmanager
def page_in_errors(seed: int, comparison: Comparison) -> Iterator[None]:
    """The seed and the text of a comparison stand in what is said of a check that failed."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"seed {seed}:\n{comparison.to_text()}\n{error}") from error


def check_page(comparison: Comparison) -> None:
    text, markdown, page = comparison.to_text(), comparison.to_markdown(), comparison._repr_html_()
    for form in (text, markdown, page):
        for word in ("nan", "None", " inf", "varies too much", "claim", "among 0", "by -"):
            assert word not in form.replace("-inf to inf", "").replace("−inf to inf", ""), word
    read = read_markdown(markdown)
    other = read_html(page)
    assert (read.paragraphs, read.ranking, read.pairs) == (other.paragraphs, other.ranking, other.pairs)
    rows = rows_of_text(text)
    for table in (read.ranking, read.pairs):
        for row in table:
            assert [cell for cell in row.values() if cell] in rows, row
    flat = " ".join(text.split())
    for paragraph in read.paragraphs:
        assert paragraph in flat
    answer = records(comparison.to_json())
    assert answer["sentence"] == comparison.sentence == read.paragraphs[0]
    assert [pair["verdict"] for pair in answer["pairs"]] == list(comparison.pairs["verdict"])
    assert [row["standing"] for row in answer["ranking"]] == list(comparison.ranking["standing"])
    rope = _rope_as_printed(comparison, read)
    check_pairs(comparison, read, rope)
    check_ranking(comparison, read, rope)
    check_headline(comparison, rope)
    check_next_step(comparison, read)
    check_gates(comparison)


def _rope_as_printed(comparison: Comparison, read: Read) -> float:
    found = re.search(r"rope ±([^ ]+)", read.notes)
    assert (found is None) == (comparison.rope == 0)
    return 0.0 if found is None else float(found.group(1))


def check_pairs(comparison: Comparison, read: Read, rope: float) -> None:
    """Each printed interval lies where the verdict says, and is the frame's to the digits shown."""
    frame = comparison.pairs.set_index(["first", "second"])
    title = re.search(NAME, read.pair_title) if ":" in read.pair_title else None
    for row in read.pairs:
        first = row.get("first") or title.group(1)  # type: ignore[union-attr]
        second = row.get("second") or title.group(1)  # type: ignore[union-attr]
        pair = comparison.pair(first, second)
        expected = frame.loc[(first, second)] if (first, second) in frame.index else None
        verdict, _, reason = row["verdict"].partition(" (")
        assert verdict == pair.verdict
        assert reason.rstrip(")") == ("" if pair.reason == "unsettled" else pair.reason)
        if expected is not None:
            assert expected["verdict"] == verdict
        interval = next(row[name] for name in row if name.endswith("interval"))
        check_interval(comparison, interval, pair.interval_low, pair.interval_high, verdict, rope)


def check_interval(comparison: Comparison, shown: str, low: float, high: float, verdict: str, rope: float) -> None:
    if np.isnan(low):
        assert shown == "-"
        assert verdict == "undecided"
        return
    ends = end_of(shown)
    sign = comparison.metric.sign
    printed = sorted(sign * end for end in ends)
    assert place(*printed, rope) == verdict, f"{shown} is not {verdict} at a rope of {rope}"
    digits = 10.0 ** -len(shown.split(" to ")[0].partition(".")[2].partition("e")[0])
    assert np.allclose(printed, [low, high], atol=0.51 * digits, rtol=1e-3 if "e" in shown else 0)


def check_ranking(comparison: Comparison, read: Read, rope: float) -> None:
    frame = comparison.ranking.set_index("model")
    for rank, row in enumerate(read.ranking, 1):
        entry = frame.loc[row["model"]]
        assert row["rank"].split()[0] == str(rank) == str(entry["rank"])
        if "(" in row["rank"]:
            low, _, high = row["rank"].partition("(")[2].rstrip(")").partition("-")
            assert (int(low), int(high or low)) == (entry["rank_low"], entry["rank_high"])
        if "standing" in row:
            assert row["standing"] == entry["standing"]
            bound, shown = entry["shortfall_high"], row["short by at most"]
            assert (shown == "-") == bool(np.isnan(bound))
            if shown != "-":
                assert float(shown) >= bound * (1 - 1e-9)
                is_near = bool(rope) and float(shown) <= rope
                assert is_near == (row["standing"] == "near best") or row["standing"] == "best"
            assert row["letters"] == entry["letters"]
        if row.get("verdict"):
            verdict = row["verdict"].partition(" (")[0]
            assert verdict == entry["verdict"] == comparison.pair(row["model"], comparison.reference).verdict
            interval = next(row[name] for name in row if name.endswith("interval"))
            check_interval(comparison, interval, entry["interval_low"], entry["interval_high"], verdict, rope)


def check_headline(comparison: Comparison, rope: float) -> None:
    sentence = comparison.sentence
    if comparison.pair_table.n_pairs == 1:
        check_pair_sentence(comparison, sentence, rope)
    elif comparison.settings.baseline is not None:
        check_against_baseline(comparison, sentence)
    else:
        check_standings(comparison, sentence)


def check_pair_sentence(comparison: Comparison, sentence: str, rope: float) -> None:
    names = re.findall(NAME, sentence)
    pair = comparison.pair(names[0], names[1])
    words = {"better": "is better than", "ahead": "is ahead of", "equivalent": "practically equivalent"}
    for verdict, said in words.items():
        assert (said in sentence) == (pair.verdict == verdict)
    assert ("cannot be told apart" in sentence) == (pair.reason in ("unsettled", "discrete"))
    assert ("identical scores" in sentence) == (pair.reason == "identical-scores")
    assert ("by the same amount" in sentence) == (pair.reason == "no-spread")
    assert ("measurably ahead" in sentence) == (
        pair.verdict == "equivalent" and (pair.interval_low > 0 or pair.interval_high < 0)
    )
    found = re.search(r"interval(?: of the difference)?,? (-?[\d.e+-]+ to -?[\d.e+-]*\d)", sentence)
    assert (found is not None) == pair.has_interval
    if found is not None:
        check_interval(comparison, found.group(1), pair.interval_low, pair.interval_high, pair.verdict, rope)
        size = re.search(r"(?:(?:higher|lower) by|difference in \S+ of) ([\d.e+-]*\d)", sentence).group(1)  # type: ignore[union-attr]
        assert float(size) >= 0
        assert ("difference in" in sentence) == (abs(pair.difference) <= float(pair.distribution.tolerance))
        assert np.isclose(float(size), abs(pair.difference), rtol=1e-3, atol=0.51 * 10.0 ** -len(size.partition(".")[2]))


def check_against_baseline(comparison: Comparison, sentence: str) -> None:
    baseline = comparison.settings.baseline
    assert sentence.startswith(f"Against the baseline '{baseline}'")
    counted = 0
    for part in sentence.partition("): ")[2].rstrip(".").replace("; that", ", that").split("; "):
        who, verb, rest = re.split(r" (is|are) ", part, maxsplit=1)
        said = "equivalent" if rest.startswith("practically") else rest.split()[0]
        for name in re.findall(NAME, who):
            assert comparison.pair(name, str(baseline)).verdict == said
        more = re.search(r"(\d+) (?:more|other model)", who)
        n = len(re.findall(NAME, who)) + (int(more.group(1)) if more else 0)
        assert (n == 1) == (verb == "is")
        assert n == sum(comparison.pair(name, str(baseline)).verdict == said for name in comparison.models if name != baseline)
        counted += n
    assert counted == len(comparison.models) - 1


def check_standings(comparison: Comparison, sentence: str) -> None:
    ranking = comparison.ranking.set_index("model")
    top = ranking["mean"].to_numpy()[:2]
    said = sentence.removeprefix("Of the models that have all scores, ")
    assert said.startswith((f"'{comparison.models[0]}' has the", f"'{comparison.models[0]}' and "))
    assert (" share the " in said) <= bool(np.isclose(top[0], top[1], rtol=1e-12, atol=0.0))
    best = [name for name in comparison.models if ranking.loc[name, "may_be_best"]]
    assert tuple(best) == comparison.shortlist()
    n = len(comparison.models)
    if " is the best of the" in sentence:
        assert [re.findall(NAME, sentence.partition(" is the best of")[0])[-1]] == best
    elif f"any of the {n} may be the best" in sentence:
        assert len(best) == n
    else:
        found = re.search(rf"but (\d+) of the {n} may be the best \(\d+% confidence\): (.*?)\.(?: |$)", sentence)
        assert found is not None
        assert int(found.group(1)) == len(best)
        assert re.findall(NAME, found.group(2)) == best[: len(re.findall(NAME, found.group(2)))]
    near = [name for name in comparison.models if ranking.loc[name, "standing"] == "near best"]
    said = re.search(r"((?:(?:'[^']+'|\d+ more)(?:, | and )?)+) (?:is|are) near best", sentence)
    if "All are near best" in sentence:
        assert len(near) == n
    elif said is not None:
        assert set(re.findall(NAME, said.group(1))) <= set(near)
    else:
        assert not near
    assert ("No model is shown to be near the best" in sentence) == (not near and len(best) > 1 and comparison.rope > 0)
    largest = ranking["shortfall_high"].max()
    bounds = [float(text) for text in re.findall(r"at most ([\d.e+-]*\d)", sentence)]
    if np.isfinite(largest) and bounds:
        assert max(bounds) >= largest * (1 - 1e-9)


def check_next_step(comparison: Comparison, read: Read) -> None:
    steps = [paragraph for paragraph in read.paragraphs if paragraph.startswith("Next step")]
    assert len(steps) <= 1
    if not steps:
        return
    step = steps[0]
    names = re.findall(NAME, step)
    if comparison.design.kind in ("loo", "time"):
        assert "of these splits" not in step
    took = re.match(rf"Next step: take {NAME}", step)
    if took is not None and comparison.settings.baseline is not None and comparison.pair_table.n_pairs > 1:
        assert comparison.pair(took.group(1), comparison.settings.baseline).verdict == "better"
    elif took is not None and comparison.pair_table.n_pairs == 1:
        other = next(name for name in comparison.models if name != took.group(1))
        assert comparison.pair(took.group(1), other).verdict in ("better", "equivalent")
    elif took is not None:
        assert comparison.ranking.set_index("model").loc[took.group(1), "standing"] in ("best", "near best")
    elif "equivalent, " in step or "is ahead, " in step or "exceeds the rope" in step:
        other = names[1] if len(names) > 1 else str(comparison.settings.baseline)
        assert comparison.pair(names[0], other).verdict in ("undecided", "ahead", "behind")


def check_gates(comparison: Comparison) -> None:
    """A gate that is met stands beside no verdict that is its opposite, a broken one beside none that it asks for."""
    for first in comparison.models[:3]:
        for second in comparison.models[-2:]:
            if first == second:
                continue
            verdict = comparison.pair(first, second).verdict
            better, not_worse = comparison.meets(better=(first, second), not_worse=(first, second))
            assert not (better.outcome == "met" and verdict in ("worse", "behind", "equivalent"))
            assert not (not_worse.outcome == "met" and verdict == "worse")
            assert not (better.outcome == "broken" and verdict == "better")
            assert not (not_worse.outcome == "broken" and verdict in ("better", "ahead", "equivalent"))
