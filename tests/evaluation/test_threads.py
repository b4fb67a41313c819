"""Evaluations in threads of one process: the same bits as alone, and the process as it was."""

import random
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_info

import tiebreak as tb
from tests.guarded import HANGS
from tiebreak.caught import caught_warnings

X, y = make_classification(60, random_state=0)
N_THREADS, N_EACH = 8, 5


class Drawing:
    """Draws from both global generators, and lets other threads run in the middle of it."""

    def fit(self, X: Any, y: Any) -> Self:
        time.sleep(0.001)
        self.shift = np.random.normal() + random.random()  # noqa: NPY002
        time.sleep(0.001)
        warnings.warn(f"drew {self.shift!r}", UserWarning, stacklevel=2)
        return self

    def predict(self, X: Any) -> Any:
        return (X[:, 0] > self.shift - 0.5).astype(int)


class Plain(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Draws nothing, and switches warnings off in the meantime, as many libraries do."""

    def fit(self, X: Any, y: Any) -> Self:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            time.sleep(0.001)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return (X[:, 1] > 0).astype(int)


def evaluate(seed: int) -> tuple[bytes, Any]:
    """Scores to the bit, and the warnings of the model that draws."""
    models = {
        "drawing": Drawing(),
        "plain": Plain(),
        "forest": RandomForestClassifier(3, max_depth=2, random_state=seed),
        "forest without a seed": RandomForestClassifier(3, max_depth=2),
    }
    cv = {"kind": "stratified", "n_folds": 3}
    evaluation = tb.evaluate(models, X, y, cv=cv, scoring="accuracy", rng=seed, progress=False)
    assert evaluation.n_failed == 0
    drew = [text for text in evaluation.fit_warnings["warning"] if "drew" in text]
    return evaluation.grid(0, 0).tobytes(), sorted(drew)


def state() -> Any:
    """What belongs to the process."""
    pools = sorted((pool["filepath"], pool["num_threads"]) for pool in threadpool_info() if pool["user_api"] == "blas")
    numpy_state = np.random.get_state()  # noqa: NPY002
    shows = warnings.showwarning, warnings._showwarnmsg_impl  # type: ignore[attr-defined]
    return random.getstate(), numpy_state[1].tobytes(), numpy_state[2:], list(warnings.filters), shows, pools


def in_threads(work: Callable[[int], Any], n_threads: int, n_calls: int) -> list[Any]:
    """What calls with the numbers from 0 on return."""
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, range(n_calls)))


@pytest.mark.slow
def test_threads_give_the_bits_of_one_alone() -> None:
    """8 threads x 5 evaluations, of models that draw from the global generators and of others; then all is as before."""
    alone = {seed: evaluate(seed) for seed in range(N_EACH)}
    assert len({scores for scores, _ in alone.values()}) > 1
    before = state()
    found = in_threads(lambda number: evaluate(number % N_EACH), N_THREADS, N_THREADS * N_EACH)
    for now, then in zip(state(), before, strict=True):
        assert now == then
    differing = [number for number, (scores, _) in enumerate(found) if scores != alone[number % N_EACH][0]]
    assert not differing, f"{len(differing)} of {len(found)} have other scores"


def test_any_thread_can_limit_those_of_libraries() -> None:
    """threadpoolctl obeys the thread alone that has set a limit first, until that lets go."""
    seen: list[int] = []

    def model(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        seen.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return np.zeros(len(X_test), dtype=int)

    tb.evaluate({"m": model}, X, y, cv=2, threads_per_fit=3)
    in_threads(lambda _: tb.evaluate({"m": model}, X, y, cv=2, threads_per_fit=4), 1, 1)
    assert sorted(seen) == [3] * (len(seen) // 2) + [4] * (len(seen) // 2)


def test_warnings_go_to_the_thread_that_gave_them() -> None:
    """Each list has its own ones, and filters are put back as they were by whoever ends last."""
    before = list(warnings.filters), warnings.showwarning
    both = threading.Barrier(2)

    def warn(number: int) -> list[str]:
        with caught_warnings() as caught:
            both.wait(HANGS)
            warnings.warn(f"of {number}", UserWarning, stacklevel=1)
            both.wait(HANGS)
        return [str(each.message) for each in caught]

    assert in_threads(warn, 2, 2) == [["of 0"], ["of 1"]]
    assert (list(warnings.filters), warnings.showwarning) == before
