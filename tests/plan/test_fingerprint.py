"""Hashes of data, models and functions."""

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from tiebreak.plan.fingerprint import fingerprint

A = np.arange(6.0).reshape(2, 3)

DIFFERENT: list[Any] = [
    None,
    True,
    1,
    1.0,
    1.5,
    "1",
    b"1",
    "",
    [],
    [1],
    (1,),
    [[1]],
    {},
    {"a": 1},
    {"a": 2},
    {"b": 1},
    {1, 2},
    ["ab", "c"],
    ["a", "bc"],
    A,
    A.T,
    A.reshape(3, 2),
    A.astype("float32"),
    A.astype(int),
    A + 1e-12,
    np.array(["a"]),
    np.array(["b"]),
    np.array([None, "a"], dtype=object),
    sparse.csr_matrix(A),
    sparse.csr_matrix(A + 1),
    pd.DataFrame(A),
    pd.DataFrame(A, columns=list("abc")),
    pd.DataFrame(A + 1),
    pl.DataFrame(A + 2),
    SVC(),
    SVC(C=2),
    SVC(C=2.0),
    LogisticRegression(C=2),
    make_pipeline(StandardScaler(), SVC()),
    make_pipeline(StandardScaler(), SVC(C=2)),
    FunctionTransformer(np.log),
    FunctionTransformer(np.exp),
    np.random.default_rng(0),
    np.random.default_rng(1),
    np.random.RandomState(0),
    functools.partial(max, 1),
    functools.partial(max, 2),
    SVC,
    len,
    max,
    get_scorer("roc_auc"),
    get_scorer("accuracy"),
    make_scorer(f1_score, average="macro"),
    make_scorer(f1_score, average="micro"),
    float("nan"),
    float("inf"),
    "\ud800",
]


def test_things_that_differ_have_different_hashes():
    """By value, type, shape, name or parameter."""
    hashes = [fingerprint(thing) for thing in DIFFERENT]
    doubled = [DIFFERENT[i] for i, each in enumerate(hashes) if hashes.index(each) != i]
    assert doubled == []


@given(hnp.arrays(st.sampled_from(["f8", "i4", "?", "U3"]), hnp.array_shapes(max_dims=3)))
def test_copies_have_the_same_hash(array: Any):
    """Whatever the layout in memory, and whether it may be written."""
    copy = np.asfortranarray(array.copy())
    copy.flags.writeable = False
    assert fingerprint(array) == fingerprint(copy) == fingerprint(array.copy())


def test_the_index_of_a_frame_and_the_form_of_a_sparse_matrix_do_not_count():
    """Models do not see them."""
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    assert fingerprint(frame) == fingerprint(frame.set_axis([7, 9]))
    assert fingerprint(sparse.csr_matrix(A)) == fingerprint(sparse.coo_matrix(A))


def test_a_fitted_model_is_the_same_model():
    """Fitting changes attributes, not parameters."""
    assert fingerprint(SVC().fit([[0.0], [1.0]], [0, 1])) == fingerprint(SVC())


def module(path: Path, source: str) -> Any:
    """A module out of a file that is no installed package."""
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("homemade", path)
    made = importlib.util.module_from_spec(spec)
    sys.modules["homemade"] = made
    spec.loader.exec_module(made)
    return made


CLASS = """
class Mine:
    def __init__(self, rate): self.rate = rate
    def fit(self, X, y): self.mean = {mean}; return self
    def predict(self, X): return [self.mean] * len(X)
def scale(X): return X * {factor}
"""


def test_code_of_your_own_counts_by_its_source(tmp_path: Path):
    """A class or function that is no installed package changes its hash with its source, and with its attributes."""
    first = module(tmp_path / "a.py", CLASS.format(mean="y.mean()", factor=2))
    hashes = [fingerprint(first.Mine(1)), fingerprint(first.Mine(2)), fingerprint(first.scale)]
    second = module(tmp_path / "b.py", CLASS.format(mean="y.max()", factor=3))
    hashes += [fingerprint(second.Mine(1)), fingerprint(second.scale)]
    third = module(tmp_path / "c.py", CLASS.format(mean="y.mean()", factor=2))
    assert len(set(hashes)) == 5
    assert [fingerprint(third.Mine(1)), fingerprint(third.Mine(2)), fingerprint(third.scale)] == hashes[:3]
    del sys.modules["homemade"]


def test_a_function_counts_with_what_it_closes_over():
    """Two functions of the same source, with another number inside."""

    def adder(n: int) -> Any:
        return lambda x: x + n

    assert fingerprint(adder(1)) == fingerprint(adder(1))
    assert fingerprint(adder(1)) != fingerprint(adder(2))


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_hash_is_the_same_in_another_process(hash_seed: str):
    """Python's own hashes of texts are not; sets and dicts of them must not matter."""
    code = (
        "from sklearn.svm import SVC; from sklearn.metrics import get_scorer; from tiebreak.plan.fingerprint import fingerprint;"
        "print(fingerprint([{'b', 'a', 'c'}, {'x': 1, 'y': 2}, SVC(class_weight={'u': 1, 'v': 2}), get_scorer('f1')]))"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert there == fingerprint([{"c", "b", "a"}, {"y": 2, "x": 1}, SVC(class_weight={"v": 2, "u": 1}), get_scorer("f1")])


MODEL = """
class Model:
    def __init__(self, rate=1): self.rate = rate
    def get_params(self, deep=True): return {'rate': self.rate}
"""
HASHES = "import toolbox; from tiebreak.plan.fingerprint import fingerprint; print(fingerprint(toolbox.Model()))"


@pytest.mark.slow
def test_an_installed_library_counts_by_its_name(tmp_path: Path):
    """Its version tells a change; what lies elsewhere, or is edited in place, counts by its source."""
    hashes = []
    for folder in ("site-packages", "dist-packages", "sources"):
        for source in (MODEL, MODEL.replace("rate=1", "rate=2")):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "toolbox.py").write_text(source)
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / folder), *sys.path])}
            command = [sys.executable, "-B", "-c", HASHES.replace("toolbox.Model()", "toolbox.Model(1)")]
            hashes.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(set(hashes[:4])) == 1
    assert len(set(hashes)) == 3
