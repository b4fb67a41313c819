"""Global generators and threads of numerical libraries, which belong to the process, shared by the runs of its threads."""

import os
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np


@dataclass
class _Shared:
    """Locks, and who measures at the moment, of all runs in the threads of this process."""

    generators: Any = field(default_factory=threading.RLock)
    pools: threading.Condition = field(default_factory=threading.Condition)
    holders: list[int] = field(default_factory=list)
    limit: int | None = None
    blas: Any = None


_shared = _Shared()


def _renew() -> None:
    """Begin anew in a forked process, where the other threads are gone, and their locks would be held for ever."""
    global _shared
    _shared = _Shared()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


@contextmanager
def seeded_globals(seed: int) -> Iterator[None]:
    """Seed the generators of `random` and `numpy.random`, and put them back afterwards.

    They are the process's, so models that may draw from them are fitted one at a time, whatever the threads; others do not wait.
    """
    with _shared.generators:
        before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002 - it is the global one that models use
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        try:
            yield
        finally:
            random.setstate(before)
            np.random.set_state(numpy_before)  # noqa: NPY002


@contextmanager
def restored_state() -> Iterator[None]:
    """Put back scikit-learn's settings, numpy's handling of floating-point errors and the working folder, as a model found them.

    The next model must not be measured under what this one has set. A child process that a model has left here ends, or it would
    go on with the run as well.
    """
    from sklearn import config_context

    folder, pid = _folder(), os.getpid()
    with config_context(), np.errstate():
        try:
            yield
        finally:
            if os.getpid() != pid:
                os._exit(0)
            if folder and _folder() != folder:
                os.chdir(folder)


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  (a tenth of the time of a path)
    except OSError:  # it was removed
        return ""


@contextmanager
def limited_threads(threads: int | None) -> Iterator[None]:
    """Let numerical libraries use so many threads; None leaves them alone.

    BLAS has one limit for the process, so runs with another limit wait until those in other threads have ended: its sums may come
    out otherwise with another number. OpenMP has one for each thread. OpenBLAS was seen to take no limit of any thread but the
    first, once many threads had set one.
    """
    me = threading.get_ident()
    with _shared.pools:
        while _shared.holders and _shared.limit != threads and me not in _shared.holders:
            _shared.pools.wait()
        is_within = bool(_shared.holders) and _shared.limit != threads  # of a run in this very thread
        pools: Any = None if threads is None else _thread_pools(len(sys.modules))
        if not _shared.holders:
            _shared.limit = threads
            _shared.blas = None if pools is None else pools.select(user_api="blas").limit(limits=threads)
        _shared.holders.append(me)
    apis = [] if pools is None else ["openmp", "blas"] if is_within else ["openmp"]
    own = [pools.select(user_api=api).limit(limits=threads) for api in apis]
    try:
        yield
    finally:
        for each in reversed(own):
            each.restore_original_limits()
        with _shared.pools:
            _shared.holders.remove(me)
            if not _shared.holders:
                if _shared.blas is not None:
                    _shared.blas.restore_original_limits()
                _shared.blas = None
                _shared.pools.notify_all()


@lru_cache(maxsize=1)
def _thread_pools(n_modules: int) -> Any:
    """The thread pools of this process. Finding them takes as long as some fits; new ones come with newly imported modules."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
