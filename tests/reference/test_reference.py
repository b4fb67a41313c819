"""Published and independently computed cases, through adapters that only rename; README.md says where they come from."""

import ast
import csv
import json
import math
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tiebreak.errors import TiebreakError
from tiebreak.statistics import corrected_t

HERE = Path(__file__).parent
NOT_OURS = ("p_abs_t_", "with_2_26_", "as_coded_in_slide", "_WRONG")
"""Names in `expected` that hold a source's mistake."""


def _cases() -> list[dict[str, Any]]:
    return [case for path in sorted(HERE.glob("*.json")) for case in json.loads(path.read_text(encoding="utf-8"))["cases"]]


def _load(file: str) -> dict[str, list[str]]:
    with (HERE / file).open(encoding="utf-8", newline="") as rows:
        names, *cells = csv.reader(rows)
    return dict(zip(names, map(list, zip(*cells, strict=True)), strict=True))


@pytest.fixture(scope="module")
def adapters() -> SimpleNamespace:
    """The module, loaded by its path as another checker would."""
    return SimpleNamespace(**runpy.run_path(str(HERE / "adapters.py")))


def _entries(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """The single values in a nested one, each with the way to it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _entries(item, f"{where}.{key}")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _entries(item, f"{where}[{i}]")
    else:
        yield where, value


def _disagreements(name: str, got: Any, expected: Any, absolute: float, relative: float, may_be_infinite: bool) -> list[str]:
    pairs = dict(_entries(got, name))
    assert pairs.keys() == dict(_entries(expected, name)).keys(), f"{name}: {got!r} has another shape than {expected!r}"
    return [
        f"{where}: got {pairs[where]!r}, expected {value!r}"
        for where, value in _entries(expected, name)
        if not _agrees(pairs[where], value, absolute, relative, may_be_infinite)
    ]


def _agrees(got: Any, expected: Any, absolute: float, relative: float, may_be_infinite: bool) -> bool:
    if expected is None:
        return got is None or math.isnan(got) or (may_be_infinite and math.isinf(got))
    if isinstance(expected, str) and expected.lstrip("-") != "inf":
        return bool(got == expected)
    return float(got) == float(expected) or abs(float(got) - float(expected)) <= absolute + relative * abs(float(expected))


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_case(case: dict[str, Any], adapters: SimpleNamespace) -> None:
    """Every expected value within the case's tolerance, every printed one within its rounding, or an error the case allows."""
    acceptable = " ".join(case.get("acceptable", []))
    try:
        got = adapters.ADAPTERS[case["procedure"]](case["inputs"], case["options"], _load)
    except TiebreakError:
        assert "error" in acceptable
        return
    assert case["expected"] or acceptable != "an error", "only an error is acceptable"
    tolerance = case["tolerance"]
    wrong = []
    for name, expected in case["expected"].items():
        if not any(mark in name for mark in NOT_OURS):
            limits = tolerance.get(name, tolerance["default"])
            wrong += _disagreements(name, got[name], expected, limits["abs"], limits["rel"], "infinite" in acceptable)
    for name, figure in case.get("published", {}).items():
        if any(mark in name for mark in NOT_OURS):
            continue
        printed, full, ours = figure["value"], case["expected"][name], got[name]
        if isinstance(full, list):  # what is undefined is printed as some number
            printed, ours = ([v for v, e in zip(values, full, strict=True) if e is not None] for values in (printed, ours))
        wrong += _disagreements(f"published {name}", ours, printed, figure["abs_tol"], 0.0, False)
    assert not wrong, "\n".join(wrong)


def test_adapters_compute_nothing(adapters: SimpleNamespace) -> None:
    """They import tiebreak and numpy alone, so that no statistic of another library can slip in."""
    tree = ast.parse((HERE / "adapters.py").read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported_from = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"numpy", "tiebreak"}
    assert not imported_from
    assert adapters.ADAPTERS.keys() == {case["procedure"] for case in _cases()}


MOONS = "data/moons_svc_auc_10x10.csv"
SHAPES: dict[str, Callable[[str, dict[str, list[str]]], Any]] = {
    "text": lambda text, columns: text,
    "path": lambda text, columns: HERE / MOONS,
    "bytes": lambda text, columns: text.encode(),
    "lists": lambda text, columns: [list(columns), *zip(*columns.values(), strict=True)],
    "mappings": lambda text, columns: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
    "arrays": lambda text, columns: {name: np.array(values, dtype=float) for name, values in columns.items()},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_load_may_return_any_shape_of_table(shape: str, adapters: SimpleNamespace) -> None:
    """Whoever runs the adapters reads files their own way; rbf against linear on the first repeat has mean -0.004."""
    table = SHAPES[shape]((HERE / MOONS).read_text(encoding="utf-8"), _load(MOONS))
    inputs = {"file": "moons", "model_1": "rbf", "model_2": "linear", "rows": "repeat == 1 and fold <= 10"}
    got = adapters.corrected_resampled_t_test(inputs, {"n_train": 90, "n_test": 10}, lambda file: table)
    assert (got["n"], got["mean_difference"]) == (10, pytest.approx(-0.004))


@pytest.mark.parametrize(
    "said",
    [
        {"n_test_over_n_train": 1 / 9},
        {"n_train": 90, "n_test": 10},
        {"n_samples": 100, "n_test": [10] * 10},
        {"rho": 0.1},
        {"k": 10},
        {"runs": 1},
        {},
    ],
    ids=str,
)
def test_ratio_is_understood_however_a_case_says_it(said: dict[str, Any], adapters: SimpleNamespace) -> None:
    """Ten folds, n_test / n_train = 1/9, in seven notations."""
    d = [0.012, 0.034, -0.021, 0.015, 0.008, 0.027, -0.004, 0.019, 0.03, -0.011]
    expected = float(corrected_t(d, test_train_ratio=1 / 9).statistic)
    for inputs, options in (({"differences": d}, said), ({"differences": d, **said}, {})):
        assert adapters.corrected_resampled_t_test(inputs, options, _load)["t"] == pytest.approx(expected, rel=1e-14)


def test_point_masses_name_the_better_model(adapters: SimpleNamespace) -> None:
    """A difference of 42 is beyond a rope of 2, so the first model is better; -2 is on the limit, which is inside."""
    inputs = {"cases": [{"mean": 42, "rope": 2}, {"mean": -2, "rope": 2}], "model_1": "svm", "model_2": "tree"}
    got = adapters.bayesian_point_mass_regions(inputs, {}, _load)
    assert (got["p_svm_better"], got["p_tree_better"], got["p_in_rope"]) == ([1, 0], [0, 0], [0, 1])


@pytest.mark.parametrize(
    ("procedure", "one", "other"),
    [
        (
            "cochran_q",
            {"correct": [[1, 0, 1], [1, 1, 1], [1, 0, 0]]},
            {"correct": {"a": [1, 1, 1], "b": [0, 1, 0], "c": [1, 1, 0]}},
        ),
        (
            "5x2cv_t_and_F",
            {"differences": [[1, 2], [3, 1], [0, 2], [1, 1], [2, 5]]},
            {"differences": [1, 2, 3, 1, 0, 2, 1, 1, 2, 5]},
        ),
        ("bradley_terry_mle", {"wins": [[0, 3, 2], [1, 0, 2], [2, 1, 0]]}, {"wins": [[None, 3, 2], [1, None, 2], [2, 1, None]]}),
        (
            "model_confidence_set",
            {"losses": {"a": [1, 2, 3, 5], "b": [1, 3, 2, 6]}},
            {"losses": [[1, 1], [2, 3], [3, 2], [5, 6]], "models": ["a", "b"]},
        ),
        ("sign_test_critical_values", {"n": [5, 14]}, {"n_datasets": [5, 14]}),
        ("5x2cv_critical_values", {"alpha": 0.05}, {}),
    ],
)
def test_inputs_mean_the_same_however_they_are_written(
    procedure: str, one: dict[str, Any], other: dict[str, Any], adapters: SimpleNamespace
) -> None:
    """Lists for mappings, flat lists for nested ones, null for nothing, other names."""
    first, second = (adapters.ADAPTERS[procedure](inputs, {}, _load) for inputs in (one, other))
    assert dict(_entries(first)) == pytest.approx(dict(_entries(second)), nan_ok=True)
