"""Answers that are wrong in one place, so that it can be seen whether a reader finds it."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from tests.views.walker import Shown, shown_by
from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.settings import Settings
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

NAMES = ("ada", "ben", "cleo", "dora", "emil", "fay")
MEANS = (0.900, 0.897, 0.880, 0.860, 0.859, 0.800)


def graded(**settings: Any) -> Comparison:
    """Six models on forty datasets: two near the top, a gap, two in the middle, one far below, and a copy of the first."""
    rng = np.random.default_rng(5)
    score = np.array(MEANS)[:, None] + rng.normal(0, 0.05, 40) + rng.normal(0, 0.01, (6, 40))
    score, names = np.vstack([score, score[0]]), (*NAMES, "gus")
    fold, nothing = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    matrices = tuple(ScoreMatrix(f"d{i:02}", names, nothing, fold, nothing, nothing, of[:, None]) for i, of in enumerate(score.T))
    scores = Scores(Metric("accuracy", True), matrices, SplitDesign("kfold", sizes="exact"))
    return compare_scores(scores, Settings(**{"rope": 0.01} | settings))


@cache
def base(family: str) -> Shown:
    """The answer before it is corrupted."""
    settings: dict[str, Any] = {
        "best": {"family": "best"},
        "baseline": {"baseline": "dora"},
        "holm": {"rope": 0.0, "correction": "holm"},
    }
    return shown_by(graded(**settings.get(family, {})))


def _fresh(family: str = "pairs") -> Shown:
    return copy.copy(dataclasses.replace(base(family), answer=copy.deepcopy(base(family).answer)))


def _row(shown: Shown, model: str) -> dict[str, Any]:
    row: dict[str, Any] = next(row for row in shown.answer["ranking"] if row["model"] == model)
    return row


def _pair(shown: Shown, first: str, second: str) -> dict[str, Any]:
    pair: dict[str, Any] = next(pair for pair in shown.answer["pairs"] if {pair["first"], pair["second"]} == {first, second})
    return pair


def letter() -> Shown:
    """Two models exchange their letters."""
    shown = _fresh()
    first, last = _row(shown, "ada"), _row(shown, "fay")
    first["letters"], last["letters"] = last["letters"], first["letters"]
    return shown


def place() -> Shown:
    """A printed place lies outside its range."""
    shown = _fresh()
    return _everywhere(shown, "6 (5-6)" if "6 (5-6)" in shown.text else "7 (7)", "2 (5-7)")


def ranks() -> Shown:
    """The ranks that pairs leave open are narrower than they are."""
    shown = _fresh()
    _row(shown, "ben")["rank_high"] -= 1
    return shown


def rope() -> Shown:
    """The rope that verdicts are of is another one than the page says."""
    shown = _fresh()
    shown.answer["resolved"]["rope"] = 0.02
    return shown


def printed_rope() -> Shown:
    """The note says another rope."""
    shown = _fresh()
    return _everywhere(shown, "that matters: 0.01", "that matters: 0.03")


def bound() -> Shown:
    """Shortfalls are those of comparisons with the best, beside the pairs."""
    shown, other = _fresh(), base("best").answer
    for row in other["ranking"]:
        _row(shown, row["model"])["shortfall_high"] = row["shortfall_high"]
    return shown


def interval() -> Shown:
    """One interval is its pair's own, not that of the family, on the same side of everything."""
    shown = _fresh()
    own = graded().pair("ada", "fay").law.interval_at(0.05)
    pair, sign = _pair(shown, "ada", "fay"), 1 if _pair(shown, "ada", "fay")["first"] == "ada" else -1
    pair["interval_low"], pair["interval_high"] = sorted(sign * float(end) for end in own)
    frame = shown.pairs.copy()
    at = frame.index[(frame["first"] == pair["first"]) & (frame["second"] == pair["second"])]
    frame.loc[at, ["interval_low", "interval_high"]] = pair["interval_low"], pair["interval_high"]
    return dataclasses.replace(shown, pairs=frame)


def level() -> Shown:
    """The level is that of a single pair."""
    shown = _fresh()
    for pair in shown.answer["pairs"]:
        pair["interval_alpha"] = 0.05
    shown.answer["resolved"]["interval_alpha"] = 0.05
    return shown


def standing() -> Shown:
    """A model that is near best, as is another one, is called the best."""
    shown = _fresh()
    _row(shown, "ada")["standing"] = "best"
    return shown


def standing_cell() -> Shown:
    """The report's ranking calls the worst model near best."""
    shown = _fresh()
    return dataclasses.replace(shown, report=shown.report.replace(">not best<", ">near best<", 1))


def verdict() -> Shown:
    """A verdict is turned round."""
    shown = _fresh()
    pair = _pair(shown, "ada", "fay")
    pair["verdict"] = "worse" if pair["verdict"] == "better" else "better"
    return shown


def order() -> Shown:
    """Two rows of the ranking change places, against what their pair shows."""
    shown = _fresh()
    rows = shown.answer["ranking"]
    rows[0], rows[-1] = rows[-1], rows[0]
    return shown


def copies() -> Shown:
    """A copy has a rank of its own."""
    shown = _fresh()
    _row(shown, "gus")["rank"] += 1
    return shown


def headline() -> Shown:
    """The first sentence counts other models among those that may be the best."""
    shown = _fresh()
    number = re.search(r"but (\d) of the 7 may be the best", shown.markdown)
    assert number is not None
    return _everywhere(shown, number.group(0), f"but {int(number.group(1)) - 1} of the 7 may be the best")


def falls_short() -> Shown:
    """The first sentence gives a bound that is too small."""
    shown = _fresh()
    bounds = re.findall(r"at most (0\.\d+)", shown.answer["sentence"])
    return _everywhere(shown, f"at most {bounds[-1]}", f"at most {float(bounds[-1]) / 2:.4f}")


def digits() -> Shown:
    """An interval is printed on the other side of 0."""
    shown = _fresh()
    ends = re.search(r"0\.\d+ to 0\.\d+", shown.markdown.partition("**Pairs")[2])
    assert ends is not None
    return _everywhere(shown, ends.group(0), f"-{ends.group(0)}")


def latex() -> Shown:
    """A table in LaTeX has another standing."""
    shown = _fresh()
    return dataclasses.replace(shown, latex=shown.latex.replace("& not best &", "& may be best &", 1))


def best() -> Shown:
    """Comparisons with the best give the shortfalls of the pairs."""
    shown, other = _fresh("best"), base("pairs").answer
    for row in other["ranking"]:
        _row(shown, row["model"])["shortfall_high"] = row["shortfall_high"]
    return shown


def judged() -> Shown:
    """Comparisons with the best judge a pair."""
    shown = _fresh("best")
    shown.answer["pairs"][-1]["verdict"] = "better"
    return shown


def baseline() -> Shown:
    """The sentence against the baseline says better of a model that is worse."""
    shown = _fresh("baseline")
    return (
        _everywhere(shown, "is worse", "is better")
        if "is worse" in shown.answer["sentence"]
        else _everywhere(shown, "are worse", "are better")
    )


def at_once() -> Shown:
    """Intervals at Holm's level are said to hold at once."""
    shown = _fresh("holm")
    return _everywhere(
        shown, ", which do not hold at once: with many models some will be wrong", ": all hold at once with 95% confidence"
    )


def advice() -> Shown:
    """The next step is to take a model that is not best."""
    shown = _fresh()
    step = re.search(r"Next step: take '\w+'", shown.markdown)
    assert step is not None
    return _everywhere(shown, step.group(0), "Next step: take 'fay'")


def default_verdict() -> Shown:
    """The one table says that a model is undecided which its interval says is worse."""
    shown = _fresh()
    brief = {name: re.sub(r"worse(?=\W+(td\W+td [^>]*>)?not best)", "undecided", form) for name, form in shown.brief.items()}
    return _by_default(shown, brief)


def default_place() -> Shown:
    """The one table gives the third model the first place."""
    shown = _fresh()
    brief = {name: re.sub(r"3(?=\W+(td\W+td [^>]*>)?ben\b)", "1", form) for name, form in shown.brief.items()}
    return _by_default(shown, brief)


def _by_default(shown: Shown, brief: dict[str, str]) -> Shown:
    """The answer with other pages as they are by default, each of which differs from the right one."""
    assert all(brief[name] != form for name, form in shown.brief.items())
    return dataclasses.replace(shown, brief=brief)


def requirement() -> Shown:
    """A requirement is met whose interval says that it is broken."""
    shown = _fresh()
    assert shown.gates is not None
    answer = copy.deepcopy(shown.gates[0])
    broken = next(row for row in answer["requirements"] if row["outcome"] == "broken")
    broken["outcome"], broken["met"] = "met", True
    return dataclasses.replace(shown, gates=(answer, shown.gates[1]))


def _everywhere(shown: Shown, words: str, instead: str) -> Shown:
    """The same change in every form of the page, so that no two of them differ."""
    answer = copy.deepcopy(shown.answer)
    answer["sentence"] = answer["sentence"].replace(words, instead)
    forms = {}
    for name in ("markdown", "fragment", "report"):
        form = getattr(shown, name)
        escaped = words.replace("'", "&#x27;" if "&#x27;" in form else "&#39;" if "&#39;" in form else "'")
        forms[name] = form.replace(words if words in form else escaped, instead, 1)
    assert forms["markdown"] != shown.markdown
    spaced = r"\s+".join(map(re.escape, words.split(" ")))
    return dataclasses.replace(shown, answer=answer, text=re.sub(spaced, instead, shown.text, count=1), **forms)


CORRUPTIONS: tuple[Callable[[], Shown], ...] = (
    letter,
    place,
    ranks,
    rope,
    printed_rope,
    bound,
    interval,
    level,
    standing,
    standing_cell,
    verdict,
    order,
    copies,
    headline,
    falls_short,
    digits,
    latex,
    best,
    judged,
    baseline,
    at_once,
    advice,
    requirement,
    default_verdict,
    default_place,
)
