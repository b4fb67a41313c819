"""The answer to "would more data help?" against generators of known truth: a few runs of the benchmark, which does 100."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "validity" / "learning_curve.py"


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("validity_of_learning_curves", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("position", range(6))
def test_no_answer_is_wrong_and_there_is_one_where_the_data_suffice(benchmark: ModuleType, position: int) -> None:
    """Of 100 runs of the script none was wrong, so none of three may be here."""
    generator = benchmark.GENERATORS[position]
    n_runs = 3 if generator.n_samples <= 600 else 1
    tally = benchmark.ask(generator, benchmark.find_truth(generator, n_draws=30), n_runs, seed=1)
    assert tally.n_wrong == 0
    assert tally.n_outside == 0
    if generator.is_precise:
        assert tally.n_answered == n_runs
