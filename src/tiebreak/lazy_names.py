"""Names and modules that are loaded when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module, util


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package : str
    homes : mapping
        Public names, in one text, by the module that they stand in; names of the package itself are its modules. The stub beside
        the package says the same to type checkers. No file is read, so that a package loads from an archive too.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = home_of[name]
        value = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(home_of), sorted(home_of)


def put_off_numpy_tools() -> None:
    """Load two modules of numpy when they are first used: SciPy imports both, they take a tenth of its time, and few use them."""
    import numpy as np

    for name in ("f2py", "testing"):
        spec = None if f"numpy.{name}" in sys.modules else util.find_spec(f"numpy.{name}")
        if spec is not None and spec.loader is not None:
            spec.loader = util.LazyLoader(spec.loader)
            module = sys.modules[spec.name] = util.module_from_spec(spec)
            spec.loader.exec_module(module)
            setattr(np, name, module)
