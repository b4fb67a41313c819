"""Assertions for tests: the requirement's sentence is the message, and inconclusive fails unless it is allowed."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tests.comparison.tables import compared, noisy
from tests.guarded import HANGS
from tiebreak.errors import InvalidParameterError, RequirementError, UnknownNameError

TABLE = noisy(0.90, 0.80, 0.80)
SCORES = dict(zip("abc", TABLE, strict=True))
SETTINGS: dict[str, Any] = {"metric": "accuracy", "rope": 0.01, "n_train": 90, "n_test": 10}


def test_met_passes_and_gives_the_requirement() -> None:
    """From a comparison, and from anything that compare takes."""
    comparison = compared(TABLE, rope=0.01)
    for source, settings in ((comparison, {}), (SCORES, SETTINGS)):
        for found, claim in (
            (tb.testing.assert_better(source, "a", "b", **settings), "a better than b"),
            (tb.testing.assert_not_worse(source, "a", "b", **settings), "a not worse than b"),
            (tb.testing.assert_near_best(source, "a", **settings), "a near the best"),
        ):
            assert (found.claim, found.outcome) == (claim, "met")


@pytest.mark.parametrize("allow_inconclusive", [True, False])
@pytest.mark.parametrize(
    ("assertion", "names", "asked"),
    [
        (tb.testing.assert_better, ("b", "a"), {"better": ("b", "a")}),
        (tb.testing.assert_not_worse, ("b", "a"), {"not_worse": ("b", "a")}),
        (tb.testing.assert_near_best, ("b",), {"near_best": "b"}),
    ],
)
def test_broken_fails_with_its_sentence(assertion: Any, names: Any, asked: dict[str, Any], allow_inconclusive: bool) -> None:
    """An AssertionError, which is also a TiebreakError, whatever is allowed."""
    comparison = compared(TABLE, rope=0.01)
    with pytest.raises(AssertionError) as caught:
        assertion(comparison, *names, allow_inconclusive=allow_inconclusive)
    assert isinstance(caught.value, RequirementError)
    assert str(caught.value) == f"broken: {comparison.meets(**asked)[0].sentence}."


def test_inconclusive_fails_unless_it_is_allowed() -> None:
    """What the scores do not settle is no proof."""
    with pytest.raises(AssertionError, match=r"^inconclusive: it is not settled whether 'b' is better than 'c' by more than"):
        tb.testing.assert_better(SCORES, "b", "c", **SETTINGS)
    assert tb.testing.assert_better(SCORES, "b", "c", allow_inconclusive=True, **SETTINGS).outcome == "inconclusive"


def test_several_assertions_can_share_the_error_rate() -> None:
    """As the questions of one call of `meets` do."""
    found, alone = (tb.testing.assert_better(SCORES, "a", "b", n_questions=n, **SETTINGS) for n in (4, 1))
    assert found.interval_low < alone.interval_low


@pytest.mark.parametrize(
    ("error", "assertion", "source", "names", "settings"),
    [
        (UnknownNameError, tb.testing.assert_better, SCORES, ("a", "z"), SETTINGS),
        (UnknownNameError, tb.testing.assert_near_best, SCORES, ("z",), SETTINGS),
        (InvalidParameterError, tb.testing.assert_not_worse, SCORES, ("a", "a"), SETTINGS),
        (InvalidParameterError, tb.testing.assert_not_worse, compared(TABLE), ("a", "b"), {"rope": 0.01, "alpha": 0.1}),
    ],
)
def test_wrong_use_is_no_assertion(error: type[Exception], assertion: Any, source: Any, names: Any, settings: Any) -> None:
    """A typing error must not look like a model that got worse; a comparison has its own settings."""
    with pytest.raises(error) as caught:
        assertion(source, *names, **settings)
    assert not isinstance(caught.value, AssertionError)


def test_all_assertions_take_the_same_options() -> None:
    """One line to learn."""
    for call in (tb.testing.assert_better, tb.testing.assert_not_worse, tb.testing.assert_near_best):
        names = list(inspect.signature(call).parameters)
        assert names[-4:] == ["allow_inconclusive", "n_questions", "noise_floor", "settings"]
    assert set(tb.testing.__all__) == {name for name in dir(tb.testing) if name.startswith("assert_")}


@pytest.mark.slow
def test_pytest_shows_the_sentence_and_not_our_code(tmp_path: Path) -> None:
    """The failing line is the caller's own."""
    values = {name: np.round(row, 4).tolist() for name, row in SCORES.items()}
    call = 'tb.testing.assert_not_worse(SCORES, "b", "a", metric="accuracy", rope=0.01, n_train=90, n_test=10)'
    test = tmp_path / "test_gate.py"
    test.write_text(f"import tiebreak as tb\n\nSCORES = {values}\n\n\ndef test_gate():\n    {call}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(test)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=tmp_path, timeout=HANGS)
    assert done.returncode == 1
    assert "'b' is worse than 'a' by more than 0.01" in done.stdout
    assert call in done.stdout
    assert Path(tb.testing.__file__).name not in done.stdout
