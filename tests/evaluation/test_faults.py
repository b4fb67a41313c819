"""Models that raise, hang, eat memory or kill their process, beside good ones."""

import os
import signal
import subprocess
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
from tests.guarded import HANGS

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
    reasons = {
        group.models: (group.state, group.n_cells, group.message, group.attempts) for group in evaluation.failures.itertuples()
    }
    assert reasons == {
        ("raises",): ("raised", 2, "ValueError: a fault in the code", 1),
        ("hangs",): ("timed-out", 2, "no result after 2 s", 1),
        ("eats",): ("out-of-memory", 2, "MemoryError", 1),
        ("kills",): ("killed", 2, reasons["kills",][2], 2),
    }
    assert "SIGKILL" in reasons["kills",][2]
    alone = tb.evaluate(GOOD, X, Y, cv=2)
    with_bad, without = evaluation.compare(rope=0.01), alone.compare(rope=0.01)
    assert with_bad.pairs.equals(without.pairs)
    assert [notice.code for notice in with_bad.notices if notice not in without.notices] == ["left-out"]
    assert tb.read_evaluation(url).failures.equals(evaluation.failures)


def test_what_a_handler_of_signals_raises_goes_through() -> None:
    """As the command line does with SIGTERM: it is no fault of the model that it came in between."""

    class Signalled:
        def fit(self, X, y):
            os.kill(os.getpid(), signal.SIGUSR1)
            return self

        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    class OwnEnd(BaseException):
        """No exception of Python's own."""

    def handler(*arguments: object) -> None:
        raise OwnEnd("terminated")

    before = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(OwnEnd):
            tb.evaluate(Signalled(), np.zeros((12, 1)), np.arange(12) % 2, cv=3, scoring="accuracy", progress=False)
    finally:
        signal.signal(signal.SIGUSR1, before)


FORKING = """
import os, sys
import numpy as np
import tiebreak as tb
from tests.guarded import HANGS

class Forks:
    def fit(self, X, y):
        os.fork()
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)

print(tb.evaluate(Forks(), np.zeros((12, 1)), np.arange(12) % 2, cv=3, scoring="accuracy").n_done, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied there")
def test_a_copy_of_the_process_that_a_model_makes_does_not_go_on_with_the_run() -> None:
    """Each of three fits forks; only the process that was there before goes on, and the others end without a word."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKING], capture_output=True, text=True, timeout=HANGS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
