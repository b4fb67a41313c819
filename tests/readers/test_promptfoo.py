"""Results of promptfoo, written here from the fields that its EvaluateResult has (promptfoo 0.11x, results of version 3)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import AmbiguousSourceError, InvalidScoresError, UnreadableSourceError
from tiebreak.readers import logs


def outcome(provider: str, test: int, success: bool, **more: Any) -> dict[str, Any]:
    """Outcome of one test, without what was said."""
    return {
        "promptIdx": 0,
        "testIdx": test,
        "testCase": {"vars": {"question": f"q{test}"}, "metadata": {"topic": "even" if test % 2 == 0 else "odd"}},
        "prompt": {"raw": "Answer: {{question}}", "label": "Answer: {{question}}"},
        "provider": {"id": provider, "label": ""},
        "vars": {"question": f"q{test}"},
        "success": success,
        "score": float(success),
        "failureReason": 0 if success else 1,
        "gradingResult": {"pass": success, "score": float(success)},
        "namedScores": {},
        **more,
    }


def written(path: Path, outcomes: list[dict[str, Any]]) -> Path:
    """A file as `promptfoo eval --output` writes it."""
    results = {"version": 3, "timestamp": "2026-11-01T10:00:00.000Z", "prompts": [], "results": outcomes, "stats": {}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"evalId": "eval-1", "results": results, "config": {}, "shareableUrl": None}, indent=2))
    return path


def passed(seed: int, n: int = 40, share: float = 0.6) -> list[bool]:
    """Made-up outcomes."""
    return (np.random.default_rng(seed).random(n) < share).tolist()


def _two(n: int = 40) -> list[dict[str, Any]]:
    return [outcome(who, k, ok) for seed, who in enumerate(("openai:a", "openai:b")) for k, ok in enumerate(passed(seed, n))]


def test_providers_are_compared(tmp_path: Path) -> None:
    """One file with two providers, by the folder, by the file and as JSON lines: the pass rates are those of the outcomes."""
    path = written(tmp_path / "output.json", _two())
    lines = tmp_path / "lines" / "output.jsonl"
    lines.parent.mkdir()
    lines.write_text("".join(json.dumps(each) + "\n" for each in _two()))
    for source in (path, lines, lines.parent):
        items = tb.read_items(source) if source != lines.parent else tb.compare(source).items
        means = dict(zip(items.models, np.nanmean(items.score, axis=(1, 2)).tolist(), strict=True))
        assert means == pytest.approx({"openai:a": np.mean(passed(0)), "openai:b": np.mean(passed(1))})
        assert set(items.columns["topic"]) == {"even", "odd"}
    text = tb.compare(path).to_text()
    assert "openai:a" in text


def test_several_prompts_of_a_provider_are_models(tmp_path: Path) -> None:
    """A short label names the prompt, a long one is replaced by its number."""
    label = {"label": "terse", "raw": "..."}, {"label": "long " * 20, "raw": "..."}
    outcomes = [outcome("a", k, ok, promptIdx=p, prompt=label[p]) for p in (0, 1) for k, ok in enumerate(passed(p))]
    assert tb.read_items(written(tmp_path / "o.json", outcomes)).models == ("a terse", "a prompt 2")


def test_repeats_are_epochs(tmp_path: Path) -> None:
    """`--repeat 2`: the answers to one test are averaged."""
    outcomes = [outcome(who, k, ok) for who in "ab" for seed in (0, 1) for k, ok in enumerate(passed(seed + ord(who)))]
    items = tb.read_items(written(tmp_path / "o.json", outcomes))
    assert items.score.shape == (2, 1, 40)
    assert set(np.unique(items.score)) == {0.0, 0.5, 1.0}


def test_errors_are_missing_and_not_wrong(tmp_path: Path) -> None:
    """What a provider did not answer says nothing of its answers; the remark counts it."""
    outcomes = _two()
    outcomes[3] |= {"success": False, "score": 0, "failureReason": 2, "error": "429", "gradingResult": None}
    table = logs.read_log(written(tmp_path / "o.json", outcomes), "o.json", is_main=True)
    assert math.isnan(table.columns["score"][3])
    assert table.remark == "o.json: 1 of 80 outcomes are errors of a provider: they are missing, not wrong"


def test_graded_and_named_scores_by_name(tmp_path: Path) -> None:
    """Whether a test passed is the main metric; the weighted score and named ones by name."""
    outcomes = [{**each, "score": 0.25 + k % 2 / 2, "namedScores": {"tone": k % 5}} for k, each in enumerate(_two())]
    path = written(tmp_path / "o.json", outcomes)
    assert tb.read_items(path, metric="score").score.max() == 0.75
    assert tb.read_items(path, metric="tone", lower_is_better=False).score.max() == 4
    table = logs.read_log(path, "o.json", is_main=True)
    assert table.metric is None
    assert table.remark == "o: 'passed' is taken, and 'score' and 'tone' are there too (metric)"
    with pytest.raises(AmbiguousSourceError, match="holds no metric 'grace', but 'passed', 'score' and 'tone'"):
        tb.read_items(path, metric="grace")


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ({"version": 3, "results": []}, "holds no outcome of a test"),
        ({"version": 3}, "is not as its tool writes a log"),
        ({"results": [{"testIdx": 1}]}, "is not as its tool writes a log"),
        ({"results": [outcome("a", 1, success=True, score="much")]}, "'much' is a word and no score"),
        ({"results": [7]}, "is not as its tool writes a log"),
    ],
)
def test_other_content_is_refused(results: dict[str, Any], message: str, tmp_path: Path) -> None:
    """In words, with the name of the file."""
    path = tmp_path / "o.json"
    path.write_text(json.dumps({"evalId": "e", "results": results}))
    with pytest.raises((UnreadableSourceError, InvalidScoresError), match=message):
        tb.read_items(path)
