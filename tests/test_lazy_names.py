"""Public names, which packages load when they are first used."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

PACKAGES = ["tiebreak", "tiebreak.statistics", "tiebreak.metrics"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_shown_and_loads(package: str) -> None:
    """A name of the stub is in ``__all__`` and `dir`, and is what its module calls so."""
    module = import_module(package)
    assert dir(module) == sorted(module.__all__) == sorted(set(module.__all__))
    for name in module.__all__:
        loaded = getattr(module, name)
        assert isinstance(loaded, ModuleType) or loaded.__name__ == name


@pytest.mark.parametrize("package", PACKAGES)
def test_another_name_is_refused_in_pythons_words(package: str) -> None:
    """`hasattr` and completion rely on the error."""
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'anova'"):
        import_module(package).anova  # noqa: B018


def test_a_function_is_not_hidden_by_the_module_of_its_name() -> None:
    """Python sets the name of a module that was imported in its package, which is a function's here."""
    code = "import tiebreak.statistics.posterior.joint as _, tiebreak as tb; print(callable(tb.statistics.joint_posterior))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "True\n"
