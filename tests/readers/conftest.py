"""Files and fitted searches for the readers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file into a folder of the test's own and returns its path, relative so that messages are the same everywhere."""
    monkeypatch.chdir(tmp_path)

    def write_file(content: str | bytes, name: str = "scores.csv") -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.fixture(scope="session")
def moons() -> tuple[np.ndarray, np.ndarray]:
    """61 examples, so that folds differ in size, and groups of them."""
    return make_moons(n_samples=61, noise=0.3, random_state=0)


@pytest.fixture(scope="session")
def fit(moons: tuple[np.ndarray, np.ndarray]) -> Callable[..., Any]:
    """Fits a small grid search of trees."""

    def fit_search(cv: Any = None, **settings: Any) -> Any:
        return GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}, cv=cv, refit=False, **settings).fit(
            *moons
        )

    return fit_search


collect_ignore = ["packages"]  # scripts for the interpreter of `make packages`, which has what they import
