"""Public names, which packages load when they are first used."""

import compileall
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from shutil import copytree, ignore_patterns
from types import ModuleType

import pytest

import tiebreak as tb

PACKAGES = ["tiebreak", "tiebreak.statistics", "tiebreak.metrics"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_shown_and_loads(package: str) -> None:
    """A name of the stub is in ``__all__`` and `dir`, and is what its module calls so; another is refused in Python's words."""
    module = import_module(package)
    assert dir(module) == sorted(module.__all__) == sorted(set(module.__all__))
    for name in module.__all__:
        loaded = getattr(module, name)
        assert isinstance(loaded, ModuleType) or loaded.__name__ == name
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'anova'"):
        module.anova  # noqa: B018


@pytest.mark.slow
def test_a_function_is_not_hidden_by_the_module_of_its_name() -> None:
    """Python sets the name of a module that was imported in its package, which is a function's here."""
    code = "import tiebreak.statistics.posterior.joint as _, tiebreak as tb; print(callable(tb.statistics.joint_posterior))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "True\n"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_stub_says_the_same(package: str) -> None:
    """Type checkers find every name in the module that it is loaded from."""
    module = import_module(package)
    lines = Path(str(module.__file__)).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
    stub = {words[3]: words[1] for words in map(str.split, lines) if words[:1] == ["from"]}
    assert stub == {name: home for home, names in module._HOMES.items() for name in names.split()}


USE = """import tiebreak as tb
print(tb.compare({'a': [.8, .7, .9], 'b': [.5, .6, .4]}, metric='accuracy', n_train=9, n_test=1))
"""


def _answer(place: Path) -> str:
    """The page of a comparison, by the package in a folder or an archive."""
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(place)!r}); {USE}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_it_loads_from_an_archive_and_without_its_sources(tmp_path: Path) -> None:
    """From a zip, and from a folder of compiled files alone, a comparison is made and printed as from its sources."""
    source = Path(str(tb.__file__)).parent
    expected = _answer(source.parent)
    assert "accuracy" in expected
    copytree(source, tmp_path / "plain" / "tiebreak", ignore=ignore_patterns("__pycache__"))
    with zipfile.ZipFile(tmp_path / "tiebreak.zip", "w") as archive:
        for file in (tmp_path / "plain").rglob("*"):
            archive.write(file, file.relative_to(tmp_path / "plain"))
    assert _answer(tmp_path / "tiebreak.zip") == expected
    compileall.compile_dir(tmp_path / "plain", quiet=1, legacy=True)
    for file in [*(tmp_path / "plain").rglob("*.py"), *(tmp_path / "plain").rglob("*.pyi")]:
        file.unlink()
    assert _answer(tmp_path / "plain") == expected
