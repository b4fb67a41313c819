"""Calls of a model: its copies and their seeds, and its answers for the test rows, in the order of the known classes."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import random
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import InvalidPlanError
from tiebreak.metrics.scorer import Scorer
from tiebreak.metrics.targets import Truth
from tiebreak.plan.data import Dataset
from tiebreak.plan.models import is_function, module_of, parts_of
from tiebreak.plan.seeds import open_random_states, seeded_parameters

Array = np.ndarray[Any, Any]


MakeCopy = Callable[[int | None], Any]


class PreparedModel(NamedTuple):
    """Facts that all fits of a model share.

    `copy` makes a copy of it out of a seed. `is_open` says that something in it may draw from the global generators, or otherwise
    differ from fit to fit. `methods` are those that it is asked by: for each scorer the first of those it can use that the model
    has.
    """

    name: str
    model: Any
    is_function: bool
    copy: MakeCopy
    is_open: bool
    methods: tuple[str, ...]
    n_parts: int


def prepare_model(name: str, model: Any, scorers: Sequence[Scorer], *, seeded: bool) -> PreparedModel:
    """Look at a model once for all of its fits; `seeded` is that of `copies_of`."""
    # scikit-learn's own estimators draw from their random state alone, which is set; nothing sets that of a splitter
    # (cv=KFold(shuffle=True)) or of a search's candidates
    drawing = ("get_n_splits", "param_grid", "param_distributions")
    parts = parts_of(model)
    is_open = any(not module_of(part).startswith("sklearn.") or any(hasattr(part, name) for name in drawing) for part in parts)
    copy_ = copies_of(model, seeded=seeded, is_known=not is_open)
    wanted = [next((method for method in scorer.needs if hasattr(model, method)), None) for scorer in scorers]
    methods = dict.fromkeys(method for method in wanted if method is not None)
    if not methods and hasattr(model, "predict"):
        methods = {"predict": None}
    return PreparedModel(name, model, is_function(model), copy_, is_open, tuple(methods), len(parts))


def ask(model: Any, methods: Sequence[str], X: Any, truth: Truth) -> dict[str, Array]:
    """The model's answers by method, one row for each row of X; columns in the order of the classes.

    Refuses an answer of another length.
    """
    outputs: dict[str, Array] = {}
    for method in methods:
        answer = np.asarray(getattr(model, method)(X))
        _check_length(answer, truth, method)
        outputs[method] = answer if method == "predict" else _in_class_order(answer, model, truth)
    return outputs


def ask_function(answer: Any, truth: Truth) -> dict[str, Array]:
    """Answers of a function: predictions, or for classes a table of probabilities, a column for each."""
    if isinstance(answer, tuple):
        raise InvalidPlanError("the function returned a tuple; predictions for the test rows are needed, one for each.")
    predictions = np.asarray(answer.to_numpy() if hasattr(answer, "to_numpy") else answer)
    _check_length(predictions, truth, "the function")
    if truth.classes is not None and predictions.ndim == 2 and predictions.shape[1] == len(truth.classes):
        return {"predict_proba": predictions, "predict": truth.classes[np.argmax(predictions, axis=1)]}
    if predictions.ndim == 2 and predictions.shape[1] == 1:
        predictions = predictions.ravel()
    return {"predict": predictions}


def as_stored(outputs: Mapping[str, Array], truth: Truth) -> dict[str, Array]:
    """The answers as plain numbers: labels by their position among the classes, -1 for one that is no class."""
    stored = {}
    for method, answer in outputs.items():
        if method == "predict" and truth.labels is not None:
            answer = truth.labels.find(answer)[0].astype(np.int32)
        if answer.dtype.kind in "biuf":
            stored[method] = answer
    return stored


def as_answered(stored: Mapping[str, Array], classes: Array | None) -> dict[str, Array]:
    """The answers of a model out of what was stored: labels again instead of positions."""
    answers = dict(stored)
    if classes is not None and "predict" in answers:
        position = answers["predict"]
        labels = classes[np.maximum(position, 0)]
        if np.any(position < 0):
            labels = labels.astype(object)
            labels[position < 0] = None
        answers["predict"] = labels
    return answers


def _check_length(answer: Array, truth: Truth, source: str) -> None:
    if answer.ndim == 0 or answer.shape[0] != len(truth.values):
        got = "a single value" if answer.ndim == 0 else f"{answer.shape[0]} predictions"
        raise InvalidPlanError(f"{source} gave {got} for {len(truth.values)} test rows; one for each is needed.")


def _in_class_order(answer: Array, model: Any, truth: Truth) -> Array:
    """Columns, or the sign of a decision, as if the model had the classes in sorted order; a class it lacks gets 0."""
    own = getattr(model, "classes_", None)
    if truth.classes is None or not isinstance(own, np.ndarray) or own.ndim != 1 or _are_equal(own, truth.classes):
        return answer
    place, _ = truth.known_labels.find(own)
    if np.any(place < 0) or answer.ndim > 2:
        return answer
    if answer.ndim == 1:
        return -answer if own.size == 2 and place[0] > place[1] else answer
    ordered = np.zeros((answer.shape[0], len(truth.classes)), dtype=answer.dtype)
    if answer.shape[1] != own.size:
        return answer
    ordered[:, place] = answer
    return ordered


def _are_equal(one: Array, other: Array) -> bool:
    """As `numpy.array_equal` has it, which takes as long as a short metric."""
    return one.shape == other.shape and (one is other or (one == other).tolist() == [True] * one.size)


def copies_of(model: Any, *, seeded: bool, is_known: bool) -> MakeCopy:
    """Maker of copies of a model: called with a seed, or None, it gives one.

    With `seeded`, parameters named random_state that are None are set, each to a value that comes of the seed. With `is_known`,
    the model is made of scikit-learn's own parts, which may be copied by pickle.
    """
    names = open_random_states(model) if seeded else ()
    # callbacks are shared by all copies
    if is_known and not any(getattr(part, "_skl_callbacks", None) for part in parts_of(model)):
        # a parameter may not be pickled, or not take what stands for a seed
        with contextlib.suppress(Exception):
            return _from_bytes(model, names)
    return lambda seed: _set(_copy(model), seeded_parameters(names, seed))


def _from_bytes(model: Any, names: tuple[str, ...]) -> MakeCopy:
    """Copies out of bytes, which name the parts of the copy that take a seed.

    To set parameters of a pipeline takes a twentieth of the time of a small fit; attributes of its parts take none.
    """
    from sklearn.base import clone

    whole = clone(model)
    parts = {"": whole, **whole.get_params(deep=True)}
    drawing = [parts[name.removesuffix("random_state").removesuffix("__")] for name in names]
    copied = pickle.dumps((whole, drawing), protocol=pickle.HIGHEST_PROTOCOL)

    def make(seed: int | None) -> Any:
        made, drawing = pickle.loads(copied)  # noqa: S301  (written above)
        if seed is not None:
            for part, value in zip(drawing, seeded_parameters(names, seed).values(), strict=True):
                part.random_state = value
        return made

    return make


def _set(model: Any, values: Mapping[str, Any]) -> Any:
    return model.set_params(**values) if values else model


def _copy(model: Any) -> Any:
    """An unfitted copy; an object that scikit-learn cannot clone is copied as it is."""
    if hasattr(model, "get_params"):
        from sklearn.base import clone

        try:
            return clone(model)
        except (TypeError, RuntimeError):
            pass
    return copy.deepcopy(model)


# --- what belongs to the process, and not to a thread ---------------------------------------------------------------------


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


def settings_after_success(prepared: PreparedModel, dataset: Dataset) -> dict[str, bool]:
    """Settings of scikit-learn under which a model that was fitted once is fitted again on other rows of the same data.

    Its parameters were found valid then, and do not change; a search makes up new ones for each fit, and is checked each time.
    That the data are finite is seen once for all rows; a model with parts may compute something else from them, whose check
    stays. Of an open one, some part is not scikit-learn's own, of which nothing is known, or a search.
    """
    if prepared.is_open:
        return {}
    settings = {"skip_parameter_validation": True}
    values = dataset.X.data if hasattr(dataset.X, "tocsr") else dataset.X
    is_numeric = isinstance(values, np.ndarray) and values.dtype.kind in "biuf"  # a data frame is not looked into
    if is_numeric and prepared.n_parts == 1 and not dataset.fit_params and np.isfinite(values).all():
        settings["assume_finite"] = True
    return settings
