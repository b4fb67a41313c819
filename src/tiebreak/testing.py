"""Assertions about models for tests: a release gate in pytest, or wherever an `AssertionError` is a failure."""

from typing import Any

from tiebreak import api
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.noise_floor import NoiseFloor
from tiebreak.comparison.requirements import Requirement
from tiebreak.errors import InvalidParameterError, RequirementError

__all__ = ["assert_better", "assert_near_best", "assert_not_worse"]


def assert_better(
    source: Any,
    first: str,
    second: str,
    *,
    allow_inconclusive: bool = False,
    n_questions: int = 1,
    noise_floor: NoiseFloor | str | float | None = None,
    **settings: Any,
) -> Requirement:
    """Assert that one model is better than another by more than the rope.

    Parameters
    ----------
    source
        A `Comparison`, or anything that `tiebreak.compare` takes.
    first, second : str
        Names; `first` is to be the better one.
    allow_inconclusive : bool, default False
        Pass where the interval lies on both sides of the limit, or there is none; only a broken requirement fails then.
    n_questions : int, default 1
        Number of assertions that share the error rate, if there are several: each is then asked at alpha / n_questions.
    noise_floor : NoiseFloor, path or float, optional
        As for `Comparison.meets`: a rope below it leaves the question open.
    **settings
        As for `tiebreak.compare`: ``rope``, ``metric``, ``alpha``, ``n_train`` ...; not beside a `Comparison`, which has its own.

    Returns
    -------
    Requirement
        The outcome and its interval, where it passes.

    Raises
    ------
    RequirementError
        An `AssertionError`: the requirement is broken or inconclusive, with the sentence as message.
    TiebreakError
        Anything that `tiebreak.compare` refuses, such as an unknown model.

    Examples
    --------
    >>> import tiebreak as tb
    >>> scores = {"new": [0.91, 0.93, 0.92, 0.94, 0.92], "old": [0.81, 0.82, 0.83, 0.82, 0.81]}
    >>> tb.testing.assert_better(scores, "new", "old", metric="accuracy", n_train=80, n_test=20, rope=0.01).outcome
    'met'
    """
    __tracebackhide__ = True
    return _assert(source, {"better": (first, second), "noise_floor": noise_floor}, allow_inconclusive, n_questions, settings)


def assert_not_worse(
    source: Any,
    first: str,
    second: str,
    *,
    allow_inconclusive: bool = False,
    n_questions: int = 1,
    noise_floor: NoiseFloor | str | float | None = None,
    **settings: Any,
) -> Requirement:
    """Assert that one model is not worse than another by more than the rope (non-inferiority).

    Parameters, result and errors are those of `assert_better`.

    Examples
    --------
    >>> import tiebreak as tb
    >>> scores = {"new": [0.81, 0.83, 0.82, 0.82, 0.82], "old": [0.81, 0.82, 0.83, 0.82, 0.81]}
    >>> tb.testing.assert_not_worse(scores, "new", "old", metric="accuracy", n_train=80, n_test=20, rope=0.02).outcome
    'met'
    """
    __tracebackhide__ = True
    return _assert(source, {"not_worse": (first, second), "noise_floor": noise_floor}, allow_inconclusive, n_questions, settings)


def assert_near_best(
    source: Any,
    model: str,
    *,
    allow_inconclusive: bool = False,
    n_questions: int = 1,
    noise_floor: NoiseFloor | str | float | None = None,
    **settings: Any,
) -> Requirement:
    """Assert that a model falls short of the best of all models compared by the rope at most.

    Parameters, result and errors are those of `assert_better`.
    """
    __tracebackhide__ = True
    return _assert(source, {"near_best": model, "noise_floor": noise_floor}, allow_inconclusive, n_questions, settings)


def _assert(
    source: Any, asked: dict[str, Any], allow_inconclusive: bool, n_questions: int, settings: dict[str, Any]
) -> Requirement:
    __tracebackhide__ = True
    if isinstance(source, Comparison) and settings:
        names = ", ".join(f"{name}=" for name in settings)
        raise InvalidParameterError(f"a Comparison has its own settings, and takes no {names} here; give them to compare.")
    comparison = source if isinstance(source, Comparison) else api.compare(source, **settings)
    (requirement,) = comparison.meets(**asked, n_questions=n_questions)
    if requirement.outcome == "broken" or (requirement.outcome == "inconclusive" and not allow_inconclusive):
        raise RequirementError(f"{requirement.outcome}: {requirement.sentence}.")
    return requirement
