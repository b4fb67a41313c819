"""Models that raise, hang, eat memory or kill their process, beside good ones."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tiebreak.errors import TiebreakWarning
from tiebreak.runners.local import LocalRunner

pytestmark = pytest.mark.slow

X, Y = make_classification(n_samples=80, n_features=5, flip_y=0.2, random_state=3)
GOOD = {"bayes": GaussianNB(), "logistic": LogisticRegression()}


class Raising(GaussianNB):
    """Has a fault in its code."""

    def fit(self, X: Any, y: Any) -> Any:
        raise ValueError("a fault in the code")


class Hanging(GaussianNB):
    """Never ends."""

    def fit(self, X: Any, y: Any) -> Any:
        time.sleep(1e6)


class Greedy(GaussianNB):
    """Takes more memory than the system lets it have (here: 256 MB more than there is now), at once: no page of it is written."""

    def fit(self, X: Any, y: Any) -> Any:
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + 2**28, before[1]))
        try:
            bytearray(2**30)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)


class Deadly(GaussianNB):
    """Ends its process as a fault in compiled code or the system out of memory would."""

    def fit(self, X: Any, y: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


BAD = {"raises": Raising(), "hangs": Hanging(), "eats": Greedy(), "kills": Deadly()}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are set as Linux has them")
def test_four_bad_models_do_not_touch_two_good_ones(tmp_path: Path):
    """The good ones complete, the failures are named with their reasons, and the comparison is that of the good ones alone."""
    url = f"sqlite:///{tmp_path / 'runs.db'}"
    evaluation = tb.evaluate({**BAD, **GOOD}, X, Y, cv=2, n_jobs=2, timeout=2, store=url)
    reasons = {group.models: (group.state, group.n_cells, group.message, group.attempts) for group in evaluation.failure_groups()}
    assert reasons == {
        ("raises",): ("raised", 2, "ValueError: a fault in the code", 1),
        ("hangs",): ("timed-out", 2, "no result after 2 s", 1),
        ("eats",): ("out-of-memory", 2, "MemoryError", 1),
        ("kills",): ("killed", 2, reasons["kills",][2], 2),
    }
    assert "SIGKILL" in reasons["kills",][2]
    alone = tb.evaluate(GOOD, X, Y, cv=2)
    assert evaluation.compare(rope=0.01).pairs.equals(alone.compare(rope=0.01).pairs)
    assert tb.read_evaluation(url).failures.equals(evaluation.failures)


class OwnEnd(BaseException):
    """What a library may raise beside exceptions."""


class Raises:
    """Raises in the second of three splits."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def fit(self, X, y):
        if 0 in X[:, 0] and 1 not in X[:, 0]:
            raise self.error
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def _facts(errors: list[BaseException], n_jobs: int) -> list[tuple[str, str]]:
    """State and message of each cell of models that raise, worked on by so many processes from the first cell on."""
    X, y = np.arange(12.0)[:, None] % 3, np.arange(12) % 2
    cv = [(np.flatnonzero(X[:, 0] != i), np.flatnonzero(X[:, 0] == i)) for i in range(3)]
    runner = LocalRunner(n_jobs)
    models = {repr(each): Raises(each) for each in errors}
    evaluation = tb.evaluate(models, X, y, cv=cv, scoring="accuracy", runner=runner, progress=False)
    return [(o.state, o.message) for o in evaluation.log.outcomes()]


def test_what_is_no_exception_is_the_same_in_workers() -> None:
    """A model's own BaseException is the outcome of its cell, here and in another process; nobody is killed for it."""
    errors = [OwnEnd("no"), SystemExit(3), GeneratorExit("done"), ValueError("x")]
    here = sorted(_facts(errors, 1))
    raised = [message for state, message in here if state == "raised"]
    assert [message.split(":")[0] for message in raised] == ["GeneratorExit", "OwnEnd", "SystemExit", "ValueError"]
    assert [state for state, _ in here].count("done") == 8
    assert sorted(_facts(errors, 2)) == here


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_of_a_model_ends_the_run(n_jobs: int) -> None:
    """In worker processes as in this one, where nobody can tell it from Ctrl-C."""
    with pytest.raises(KeyboardInterrupt):
        _facts([KeyboardInterrupt("stop")], n_jobs)


def test_what_a_handler_of_signals_raises_goes_through() -> None:
    """As the command line does with SIGTERM: it is no fault of the model that it came in between."""

    class Signalled:
        def fit(self, X, y):
            os.kill(os.getpid(), signal.SIGUSR1)
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    def handler(*arguments: object) -> None:
        raise OwnEnd("terminated")

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(OwnEnd):
            tb.evaluate(Signalled(), np.zeros((12, 1)), np.arange(12) % 2, cv=3, scoring="accuracy", progress=False)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_model_that_holds_an_open_file(tmp_path: Path) -> None:
    """It cannot be sent to another process, so all is measured in this one, with a warning, and comes out as with one."""
    with (tmp_path / "log").open("w") as file:

        def model(X_train, y_train, X_test, rng):
            file.write("fitted\n")
            return np.zeros(len(X_test), dtype=int)

        class Holds(Raises):
            def __deepcopy__(self, memo):
                return self

        holds = Holds(ValueError("no"))
        holds.file = file
        X, y = np.arange(12.0)[:, None], np.arange(12) % 2
        models = {"function": model, "object": holds}
        alone = tb.evaluate(models, X, y, cv=3, scoring="accuracy", progress=False)
        with pytest.warns(TiebreakWarning, match="cannot be sent to worker processes.*measured in this process instead"):
            both = tb.evaluate(models, X, y, cv=3, scoring="accuracy", progress=False, n_jobs=2)
        assert alone.n_failed == both.n_failed == 0
        assert alone.grid(0, 0).tobytes() == both.grid(0, 0).tobytes()
