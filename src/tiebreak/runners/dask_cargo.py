"""A workload in the memory of Dask workers: its pickle and arrays as bytes, and what must be the same there as here."""

from __future__ import annotations

import os
import pickle
import platform
import sys
import sysconfig
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from tiebreak.runners.parcel import ALIGNMENT, pickled
from tiebreak.runners.runner import Workload

SAME_EVERYWHERE = ("tiebreak", "numpy", "scipy", "scikit-learn")
"""Packages whose version decides about the bits of a score, or about what workers and client say to each other."""


class Origin(NamedTuple):
    """The process that a workload comes from.

    Attributes
    ----------
    versions : mapping of str to str
        Of Python and of the packages in `SAME_EVERYWHERE`.
    sources : mapping of str to str
        A hash of the file of each imported module that is no installed package, and so has no version.
    folders : tuple of str
        Where such modules are found.
    """

    versions: Mapping[str, str]
    sources: Mapping[str, str]
    folders: tuple[str, ...]

    @classmethod
    def here(cls) -> Origin:
        """The process that this is called in."""
        return cls(versions_here(), sources_here(), folders_here())


class Cargo:
    """What is scattered to the workers, once for each run.

    Dask keeps it for as long as somebody needs it, sends it to workers that come later, and puts it on disk where memory is
    short; a worker holds the workload made of it only while the cargo is there (`dask_worker`).

    Parameters
    ----------
    token : str
        Unlike any other.
    origin : Origin
    pieces : sequence of bytes-like
        The pickle, and the arrays that it refers to.
    """

    def __init__(self, token: str, origin: Origin, pieces: Sequence[Any]) -> None:
        self.token = token
        self.origin = origin
        self._pieces = [memoryview(piece).toreadonly() for piece in pieces]

    @classmethod
    def of(cls, workload: Workload) -> Cargo:
        """A workload of this process; arrays are not copied.

        Raises
        ------
        InvalidPlanError
            It cannot be pickled.
        """
        return cls(_token(), Origin.here(), pickled(workload))

    def again(self) -> Cargo:
        """The same under another name: Dask may still be forgetting the first."""
        return Cargo(_token(), self.origin, self._pieces)

    def unpack(self) -> Workload:
        """The workload again; its arrays are read-only, and lie where the cargo's bytes do."""
        # as numpy has them; Dask puts what it receives anywhere. One by one, so that memory holds one array twice at most.
        for position, piece in enumerate(self._pieces):
            self._pieces[position] = _aligned(piece)
        stream, *buffers = self._pieces
        workload: Workload = pickle.loads(stream, buffers=buffers)  # noqa: S301  (a scheduler runs any code as it is)
        return workload

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        outside = protocol >= 5
        pieces = [pickle.PickleBuffer(piece) if outside else bytes(piece) for piece in self._pieces]
        return Cargo, (self.token, self.origin, pieces)

    def __sizeof__(self) -> int:
        """So that Dask knows what it takes up."""
        return object.__sizeof__(self) + sum(piece.nbytes for piece in self._pieces)


def _token() -> str:
    return f"tiebreak-workload-{uuid.uuid4().hex}"


def versions_here() -> dict[str, str]:
    """Of Python, without the last figure, and of the packages that matter."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2])}
    for name in SAME_EVERYWHERE:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def sources_here() -> dict[str, str]:
    """Hashes of the modules that are no installed packages."""
    installed = _installed_folders()
    return {
        name: source_hash(file)
        for name, module in list(sys.modules.items())
        if name not in ("__main__", "__mp_main__") and (file := source_file(module)) and not file.startswith(installed)
    }


def source_file(module: Any) -> str:
    """The Python file that a module was read from; "" where there is none."""
    file = getattr(module, "__dict__", {}).get("__file__")
    return file if isinstance(file, str) and file.endswith(".py") else ""


def source_hash(file: str) -> str:
    """A hash of a file's content; "" where it cannot be read."""
    try:
        return blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def folders_here() -> tuple[str, ...]:
    """The import path without what is installed, such as the folder of a study."""
    installed = _installed_folders()
    folders = dict.fromkeys(os.path.abspath(entry) for entry in sys.path)  # noqa: PTH100  (links stay as they are)
    return tuple(folder for folder in folders if not f"{folder}{os.sep}".startswith(installed) and Path(folder).is_dir())


def _installed_folders() -> tuple[str, ...]:
    """Where Python and packages with versions are, each with a separator at its end."""
    paths = {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib", "platstdlib")}
    return tuple(f"{each}{os.sep}" for path in paths for each in {path, os.path.realpath(path)})


def _aligned(piece: memoryview) -> memoryview:
    """The same bytes at an address that suits numpy and BLAS; a copy where they lie elsewhere."""
    import numpy as np

    found = np.frombuffer(piece, dtype=np.uint8)
    if found.ctypes.data % ALIGNMENT == 0 or not found.size:
        return piece
    room = np.empty(found.size + ALIGNMENT, dtype=np.uint8)
    start = -room.ctypes.data % ALIGNMENT
    copied = room[start : start + found.size]
    copied[:] = found
    return copied.data.toreadonly()
