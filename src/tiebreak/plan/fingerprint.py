"""Hashes of data, models, metrics and splits, by which a change is noticed: the same in every process and on every machine."""

import functools
import hashlib
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tiebreak.numerics import IntArray

Result = TypeVar("Result")

_LENGTH = 16

PARSING = threading.RLock()
"""Held while Python parses source: where two threads do, one may end in "AST constructor recursion depth mismatch"."""


def fingerprint(thing: Any) -> str:
    """A hash of the content of anything that data, models and metrics are made of, in 32 hexadecimal digits.

    Arrays, sparse matrices and data frames count by their values, estimators by class and parameters, other objects by class and
    attributes, functions by their source. Classes and functions that are not installed packages, and so may change without a
    version telling it, also count by their source.
    """
    digest = hashlib.blake2b(digest_size=_LENGTH)
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


def rows_hash(train: IntArray, test: IntArray) -> str:
    """Hash of the training and test rows of one split, in their order."""
    digest = hashlib.blake2b(train.astype("<i8").tobytes(), digest_size=8)
    digest.update(b"|" + test.astype("<i8").tobytes())
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
    if isinstance(thing, np.ndarray | np.generic):
        yield from _array(np.asarray(thing), above)
    elif isinstance(thing, Mapping):
        yield b"mapping:%d" % len(thing)
        for key in sorted(thing, key=lambda key: (type(key).__name__, repr(key))):
            yield from _pieces(key, above)
            yield from _pieces(thing[key], above)
    elif isinstance(thing, list | tuple):
        yield b"%s:%d" % (type(thing).__name__.encode(), len(thing))
        for each in thing:
            yield from _pieces(each, above)
    elif isinstance(thing, set | frozenset):
        yield b"set:%d" % len(thing)
        yield from sorted(fingerprint(each).encode() for each in thing)
    elif isinstance(thing, type):
        yield from _object(thing, above)
    elif hasattr(thing, "tocsr"):
        matrix = thing.tocsr()
        yield b"sparse:" + repr(matrix.shape).encode()
        for part in (matrix.data, matrix.indices, matrix.indptr):
            yield from _array(part, above)
    elif hasattr(thing, "columns") and hasattr(thing, "shape"):
        yield from _frame(thing, above)
    elif isinstance(thing, functools.partial):
        yield b"partial"
        for part in (thing.func, thing.args, thing.keywords):
            yield from _pieces(part, above)
    elif isinstance(thing, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
        yield from _function(thing, above)
    else:
        yield from _object(thing, above)


def _array(array: np.ndarray[Any, Any], above: tuple[int, ...]) -> Iterator[Any]:
    yield f"array:{array.dtype.str}:{array.shape}".encode()
    if array.dtype.kind in "OV":
        for each in array.ravel().tolist():
            yield from _pieces(each, above)
    else:
        yield np.ascontiguousarray(array).view(np.uint8).reshape(-1).data if array.size else b""


def _frame(frame: Any, above: tuple[int, ...]) -> Iterator[Any]:
    """A data frame by the names and values of its columns; the index is no part of what models see."""
    yield f"frame:{frame.shape}".encode()
    for position, name in enumerate(frame.columns):
        yield from _pieces(name, above)
        column = frame.iloc[:, position] if hasattr(frame, "iloc") else frame[name]
        yield str(column.dtype).encode("utf-8", "surrogatepass")
        yield from _array(np.asarray(column.to_numpy()), above)


def _function(function: Any, above: tuple[int, ...]) -> Iterator[Any]:
    yield f"function:{getattr(function, '__module__', '')}.{function.__qualname__}".encode("utf-8", "surrogatepass")
    if isinstance(function, types.MethodType):
        yield from _pieces(function.__self__, above)
    if isinstance(function, types.BuiltinFunctionType) or is_installed(function.__module__):
        return
    inner = getattr(function, "__func__", function)
    yield _source(inner.__code__)
    yield from _pieces(inner.__defaults__, above)
    for cell in inner.__closure__ or ():
        with suppress(ValueError):  # a cell that is not filled yet
            yield from _pieces(cell.cell_contents, above)


def _object(thing: Any, above: tuple[int, ...]) -> Iterator[Any]:
    """A class by its name, and by its source where it is not installed; another object also by what it holds."""
    kind = thing if isinstance(thing, type) else type(thing)
    yield f"class:{kind.__module__}.{kind.__qualname__}".encode("utf-8", "surrogatepass")
    for base in kind.__mro__:
        if not is_installed(base.__module__):
            yield _source(base)
    if isinstance(thing, type):
        return
    if hasattr(thing, "get_params"):
        yield from _pieces(thing.get_params(deep=False), above)
        for name in ("_metadata_requests", "_metadata_request"):  # what set_fit_request has set
            if name in getattr(thing, "__dict__", {}):
                yield repr(getattr(thing, name)).encode()
    elif isinstance(thing, np.random.Generator | np.random.RandomState):
        state = thing.bit_generator.state if isinstance(thing, np.random.Generator) else thing.get_state(legacy=False)
        yield from _pieces(state, above)
    elif getattr(thing, "__dict__", None):
        yield from _pieces(vars(thing), above)
    elif not hasattr(type(thing), "__dict__") or " at 0x" not in (text := repr(thing)):
        yield repr(thing).encode("utf-8", "surrogatepass")
    else:
        yield text.split(" at 0x")[0].encode("utf-8", "surrogatepass")


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
