"""Names that a package loads when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module


def lazy_names(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Its public names stand in the stub beside its file, a line each, where type checkers find them too:
    ``from module import name as name``.

    Parameters
    ----------
    package : str
    file : str
        Path of the package's ``__init__.py``.

    Notes
    -----
    The package lazy_loader does the same. It parses stubs with `ast`, whose import would make ``tiebreak --help`` a tenth slower.
    """
    with open(f"{file.removesuffix('.py')}.pyi", encoding="utf-8") as stub:  # noqa: PTH123  (pathlib would make importing slower)
        lines = [line.split() for line in stub if line.startswith("from ")]
    homes = {name: module for _, module, _, name, *_ in lines}

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = import_module(f"{package}.{name}") if homes[name] == package else getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(homes), sorted(homes)
