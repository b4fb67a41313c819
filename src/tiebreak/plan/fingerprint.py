"""Hashes of data, models, metrics and splits, by which a change is noticed: the same in every process and on every machine."""

import functools
import hashlib
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tiebreak.numerics import IntArray

Result = TypeVar("Result")

PARSING = threading.RLock()
"""Held while Python parses source: where two threads do, one may end in "AST constructor recursion depth mismatch"."""


def fingerprint(thing: Any) -> str:
    """A hash of the content of anything that data, models and metrics are made of, in 32 hexadecimal digits.

    Arrays, sparse matrices and data frames count by their values, estimators by class and parameters, other objects by class and
    attributes, functions by their source. Classes and functions that are not installed packages, and so may change without a
    version telling it, also count by their source.
    """
    digest = hashlib.blake2b(digest_size=16)
    for piece in _pieces(thing, ()):
        digest.update(len(piece).to_bytes(8, "little"))  # so that "ab", "c" is not "a", "bc"
        digest.update(piece)
    return digest.hexdigest()


def split_hash(tests: Sequence[IntArray]) -> str:
    """SHA-256 of the test examples of all splits, in split order; the order within a split does not matter."""
    digest = hashlib.sha256()
    for rows in tests:
        canonical = np.sort(rows).astype("<i8")
        digest.update(np.array([canonical.size], dtype="<i8").tobytes())  # so that {1, 2}, {3} is not {1}, {2, 3}
        digest.update(canonical.tobytes())
    return digest.hexdigest()


def _pieces(thing: Any, above: tuple[int, ...]) -> Iterator[Any]:
    """The content piece by piece, each kind with a mark of its own; `above` are the objects that this one is part of."""
    if thing is None or isinstance(thing, bool | int | float | complex | str | bytes):
        text = thing if isinstance(thing, str) else repr(thing)
        content = thing if isinstance(thing, bytes) else text.encode("utf-8", "surrogatepass")
        yield f"{type(thing).__name__}:".encode() + content
        return
    if id(thing) in above:
        yield b"cycle:%d" % above.index(id(thing))
        return
    above = (*above, id(thing))
    parts: Iterable[Any]
    if isinstance(thing, np.ndarray | np.generic):
        array = np.asarray(thing)
        yield f"array:{array.dtype.str}:{array.shape}".encode()
        if array.dtype.kind not in "OV":
            yield np.ascontiguousarray(array).view(np.uint8).reshape(-1).data if array.size else b""
            return
        mark, parts = None, array.ravel().tolist()
    elif isinstance(thing, Mapping):
        keys = sorted(thing, key=lambda key: (type(key).__name__, repr(key)))
        mark, parts = f"mapping:{len(thing)}", chain.from_iterable((key, thing[key]) for key in keys)
    elif isinstance(thing, list | tuple):
        mark, parts = f"{type(thing).__name__}:{len(thing)}", thing
    elif isinstance(thing, set | frozenset):
        mark, parts = f"set:{len(thing)}", sorted(map(fingerprint, thing))
    elif isinstance(thing, functools.partial):
        mark, parts = "partial", (thing.func, thing.args, thing.keywords)
    elif isinstance(thing, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
        mark, parts = _function(thing)
    elif hasattr(thing, "tocsr") and not isinstance(thing, type):
        matrix = thing.tocsr()
        mark, parts = f"sparse:{matrix.shape}", (matrix.data, matrix.indices, matrix.indptr)
    elif hasattr(thing, "columns") and hasattr(thing, "shape") and not isinstance(thing, type):
        columns = (thing.iloc[:, i] if hasattr(thing, "iloc") else thing[name] for i, name in enumerate(thing.columns))
        named = ((name, str(each.dtype), np.asarray(each.to_numpy())) for name, each in zip(thing.columns, columns, strict=True))
        mark, parts = f"frame:{thing.shape}", chain.from_iterable(named)  # the index is no part of what models see
    else:
        mark, parts = _object(thing)
    if mark is not None:
        yield mark.encode("utf-8", "surrogatepass")
    for part in parts:
        yield from _pieces(part, above)


def _function(function: Any) -> tuple[str, list[Any]]:
    """A function by its name, and by its source, defaults and what it closes over where it is not installed."""
    parts = [function.__self__] if isinstance(function, types.MethodType) else []
    if not isinstance(function, types.BuiltinFunctionType) and not is_installed(function.__module__):
        inner = getattr(function, "__func__", function)
        parts += [_source(inner.__code__), inner.__defaults__]
        for cell in inner.__closure__ or ():
            with suppress(ValueError):  # a cell that is not filled yet
                parts.append(cell.cell_contents)
    return f"function:{getattr(function, '__module__', '')}.{function.__qualname__}", parts


def _object(thing: Any) -> tuple[str, list[Any]]:
    """A class by its name, and by its source where it is not installed; another object also by what it holds."""
    kind = thing if isinstance(thing, type) else type(thing)
    parts: list[Any] = [_source(base) for base in kind.__mro__ if not is_installed(base.__module__)]
    if isinstance(thing, type):
        pass
    elif hasattr(thing, "get_params"):
        parts.append(thing.get_params(deep=False))
        held = getattr(thing, "__dict__", {})  # what set_fit_request has set
        parts += [repr(held[name]) for name in ("_metadata_requests", "_metadata_request") if name in held]
    elif isinstance(thing, np.random.Generator):
        parts.append(thing.bit_generator.state)
    elif isinstance(thing, np.random.RandomState):
        parts.append(thing.get_state(legacy=False))
    else:
        parts.append(getattr(thing, "__dict__", None) or repr(thing).split(" at 0x")[0])
    return f"class:{kind.__module__}.{kind.__qualname__}", parts


def parsed(parse: Callable[[Any], Result], thing: Any) -> Result:
    """Return what a function gives that has Python parse source: in one thread at a time, and again if another one disturbed."""
    with PARSING:
        for _ in range(5):
            with suppress(SystemError):
                return parse(thing)
        return parse(thing)


@functools.lru_cache(maxsize=256)
def _source(thing: Any) -> bytes:
    """Source text of a class or of code, or the compiled code where there is no text (a class typed in at a prompt).

    Functions are kept by their code, which does not hold what they close over.
    """
    try:
        return parsed(inspect.getsource, thing).encode("utf-8", "surrogatepass")
    except (OSError, TypeError):
        if isinstance(thing, types.CodeType):
            return _code(thing)
        functions = [each for _, each in sorted(vars(thing).items()) if isinstance(each, types.FunctionType)]
        return b"".join(_code(each.__code__) for each in functions)


def _code(code: types.CodeType) -> bytes:
    constants = b"".join(_code(each) if isinstance(each, types.CodeType) else repr(each).encode() for each in code.co_consts)
    return code.co_code + constants + repr(code.co_names).encode()


# --- what is installed ----------------------------------------------------------------------------------------------------

INSTALLED = {"site-packages", "dist-packages"}
"""Names of folders of installed packages."""


@functools.cache
def is_installed(module: str | None) -> bool:
    """True for a module of Python, of this package, or in a folder of installed packages, whose version is recorded.

    What lies elsewhere, or is installed in editable mode, may change without its version.
    """
    module = module or ""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top == "tiebreak":
        return True
    file = None if top == "__main__" else getattr(sys.modules.get(module), "__file__", None)
    return file is not None and not INSTALLED.isdisjoint(Path(file).parts)
