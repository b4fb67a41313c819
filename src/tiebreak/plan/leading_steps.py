"""Leading steps of pipelines that several models have in common, so that they need be fitted only once on each split.

Two steps count as equal only where that can be shown: they are of scikit-learn, or of a class that declares that it may be
shared, and all that their fit depends on can be compared. Of everything else nothing is shared.
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

DECLARATION = "__tiebreak_share_steps__"
"""Attribute of a class of transformers, True where it may be shared.

The class then promises: a fit depends on parameters and data alone, and changes neither; `transform` changes neither the
transformer nor what it is given; nothing that is returned is held on to.
"""

SIMPLE = (type(None), bool, int, float, complex, str, bytes)
"""Types of values that cannot change."""

IN_PLACE = ("copy", "copy_X", "copy_x")
"""Parameters that are False where a transformer may write into what it is given."""


class SharedSteps(NamedTuple):
    """Leading steps that models of a plan have in common, by the models' positions.

    Attributes
    ----------
    points : tuple, one for each model
        Where its steps are those of other models: pairs of a number of leading steps, ascending, and a number that models with
        equal steps up to there share. Empty for a model that shares nothing.
    order : tuple of int
        All models, those with equal leading steps next to each other.
    lacking_seed : tuple of (str, int)
        Classes of steps that would be shared if their `random_state` were a number, and by how many models.
    with_declared : frozenset of int
        Models among whose leading steps are classes of others that declare that they may be shared.
    """

    points: tuple[tuple[tuple[int, int], ...], ...]
    order: tuple[int, ...]
    lacking_seed: tuple[tuple[str, int], ...] = ()
    with_declared: frozenset[int] = frozenset()

    @property
    def groups(self) -> tuple[int | None, ...]:
        """For each model the number of the first steps that it shares; None where it shares nothing."""
        return tuple(points[0][1] if points else None for points in self.points)


def find_shared_steps(models: Sequence[Any], *, share: bool = True) -> SharedSteps:
    """Leading steps that models have in common; none without `share`."""
    nothing = SharedSteps(((),) * len(models), tuple(range(len(models))))
    if not share or sum(1 for model in models if _is_plain_pipeline(model)) < 2:
        return nothing
    described = [_leading_steps(model, seeds_count=True) for model in models]
    root = _tree([each.steps for each in described])
    numbers = iter(range(len(models) * 100))
    points: list[list[tuple[int, int]]] = [[] for _ in models]
    for node in root.all():
        if node.is_shared:
            number = next(numbers)
            for model in node.models:
                points[model].append((described[model].ends[node.depth - 1], number))
    lacking = _lacking_seed(models, described, points)
    with_declared = frozenset(number for number, each in enumerate(described) if each.has_declared)
    return SharedSteps(tuple(map(tuple, points)), tuple(root.order()), lacking, with_declared)


class _Leading(NamedTuple):
    """The leading steps of a model as far as they can be compared, the position behind each, and the one that lacks a seed.

    `has_declared` is true where a class of somebody else is among them.
    """

    steps: tuple[Hashable, ...] = ()
    ends: tuple[int, ...] = ()
    unseeded: str = ""
    has_declared: bool = False


@dataclass
class _Node:
    """Models with the same leading steps, as many as `depth` says; `ending` are those whose steps end here."""

    depth: int = 0
    models: list[int] = field(default_factory=list)
    ending: list[int] = field(default_factory=list)
    children: dict[Hashable, _Node] = field(default_factory=dict)

    @property
    def is_shared(self) -> bool:
        """True where several models go on differently from here."""
        return self.depth > 0 and len(self.children) + len(self.ending) > 1

    def all(self) -> Iterator[_Node]:
        """Node itself and those below, each before its own."""
        yield self
        for child in self.children.values():
            yield from child.all()

    def order(self) -> Iterator[int]:
        """Models, those of a node together, by the first of each."""
        branches: list[tuple[int, Any]] = [(model, None) for model in self.ending]
        branches += [(child.models[0], child) for child in self.children.values()]
        for model, child in sorted(branches, key=lambda branch: branch[0]):
            yield from (model,) if child is None else child.order()


def _tree(steps: Sequence[tuple[Hashable, ...]]) -> _Node:
    root = _Node()
    for model, path in enumerate(steps):
        node = root
        for depth, step in enumerate(path, start=1):
            node = node.children.setdefault(step, _Node(depth))
            node.models.append(model)
        node.ending.append(model)
    return root


def _lacking_seed(
    models: Sequence[Any], described: Sequence[_Leading], points: Sequence[Sequence[tuple[int, int]]]
) -> tuple[tuple[str, int], ...]:
    """Classes of steps that would be shared if they had a seed, each with the number of models."""
    if not any(each.unseeded for each in described):
        return ()
    loose = [_leading_steps(model, seeds_count=False) for model in models]
    counts: dict[str, set[int]] = {}
    for node in _tree([each.steps for each in loose]).all():
        if node.is_shared:
            for model in node.models:
                reached = len(described[model].steps)
                if node.depth > reached and described[model].unseeded:
                    counts.setdefault(described[model].unseeded, set()).add(model)
    return tuple((name, len(found)) for name, found in counts.items() if len(found) > 1)


def _is_plain_pipeline(model: Any) -> bool:
    """True for a pipeline of scikit-learn itself that has steps before its last, and neither a cache nor callbacks."""
    if type(model).__name__ != "Pipeline" or "sklearn.pipeline" not in sys.modules:
        return False
    if type(model) is not sys.modules["sklearn.pipeline"].Pipeline:
        return False
    own = {"steps", "memory", "verbose", "transform_input", "_sklearn_output_config"}
    is_plain = model.memory is None and not model.verbose and getattr(model, "transform_input", None) is None
    return is_plain and isinstance(model.steps, list | tuple) and len(model.steps) > 1 and vars(model).keys() <= own


def _leading_steps(model: Any, *, seeds_count: bool) -> _Leading:
    from sklearn.base import clone

    if not _is_plain_pipeline(model):
        return _Leading()
    steps: list[Hashable] = []
    ends: list[int] = []
    identity = _Identity(seeds_count)
    for end, (_, step) in enumerate(model.steps[:-1], start=1):
        if step is None or (isinstance(step, str) and step == "passthrough"):
            continue
        try:
            if not (hasattr(step, "fit") and hasattr(step, "transform")):
                raise _NotComparable
            steps.append(identity.of(clone(step)))
        except _NoSeed as error:
            return _Leading(tuple(steps), tuple(ends), str(error), identity.has_declared)
        except Exception:  # what its parameters raise, or a clone of them: then nothing is known of it
            break
        ends.append(end)
    return _Leading(tuple(steps), tuple(ends), "", identity.has_declared)


# --- what a fit depends on --------------------------------------------------------------------------------------------------


class _NotComparable(Exception):
    """Something of which it cannot be told whether another one is equal to it."""


class _NoSeed(_NotComparable):
    """A step that draws anew at each fit; the text is its class."""


class _Identity:
    """Keys of steps, which are equal only where the steps are. Without `seeds_count`, all random states are taken for one."""

    def __init__(self, seeds_count: bool) -> None:
        self._seeds_count = seeds_count
        self.has_declared = False

    def of(self, value: Any) -> Hashable:
        """Key of an unfitted step, or of a value that it was given.

        Raises `_NotComparable`, or what a foreign object raises.
        """
        kind = type(value)
        if kind in SIMPLE:
            return kind, repr(value)
        if kind in (list, tuple):
            return kind, tuple(self.of(each) for each in value)
        if kind is dict:
            return kind, tuple((self.of(key), self.of(each)) for key, each in value.items())  # the order may matter
        if kind in (set, frozenset) and all(type(each) in SIMPLE for each in value):
            return kind, tuple(sorted(map(repr, value)))
        if kind in (slice, range, re.Pattern) or isinstance(value, np.dtype):
            return kind, repr(value) if kind is not re.Pattern else (value.pattern, value.flags)
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return kind, value.tobytes()
        if kind is np.ndarray:
            return self._of_array(value)
        if isinstance(value, type):
            return self._of_class(value)
        if kind in (types.FunctionType, np.ufunc, types.MethodDescriptorType):
            return _of_function(value)
        if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "Index":
            return kind, str(value.dtype), self.of(value.tolist())
        return self._of_object(value)

    def _of_array(self, array: np.ndarray[Any, Any]) -> Hashable:
        if array.dtype.kind == "O":
            return "array", array.shape, self.of(array.ravel().tolist())
        if array.dtype.kind not in "biufcUS":
            raise _NotComparable
        content = blake2b(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data if array.size else b"").digest()
        return "array", array.dtype.str, array.shape, array.strides, content

    def _of_class(self, kind: type) -> Hashable:
        if kind.__module__.partition(".")[0] not in ("builtins", "numpy"):
            raise _NotComparable
        return type, kind

    def _of_object(self, thing: Any) -> Hashable:
        """An estimator by its class and parameters, with what `set_output` has set; a selector of columns by what it holds."""
        from sklearn.base import BaseEstimator
        from sklearn.compose import make_column_selector

        kind = type(thing)
        if kind is make_column_selector:
            return kind, self.of(dict(vars(thing)))
        is_cloned_plainly = isinstance(thing, BaseEstimator) and kind.__sklearn_clone__ is BaseEstimator.__sklearn_clone__
        if not is_cloned_plainly or hasattr(kind, "__deepcopy__") or not (_is_of_sklearn(kind) or is_declared(kind)):
            raise _NotComparable
        self.has_declared |= not _is_of_sklearn(kind)
        parameters = thing.get_params(deep=False)
        beyond = vars(thing).keys() - parameters.keys() - {"_sklearn_output_config"}  # metadata requests, callbacks
        if beyond or any(hasattr(thing, name) for name in ("param_grid", "param_distributions", "get_n_splits")):
            raise _NotComparable
        values = [(name, self._of_parameter(kind, name, value)) for name, value in parameters.items()]
        return kind, tuple(values), self.of(dict(vars(thing).get("_sklearn_output_config", {})))

    def _of_parameter(self, kind: type, name: str, value: Any) -> Hashable:
        if name == "random_state" and (not isinstance(value, int | np.integer) or isinstance(value, bool)):
            if self._seeds_count:
                raise _NoSeed(kind.__name__)
            return "any"
        if (name == "memory" and value is not None) or (name in IN_PLACE and value is not True and value != "auto"):
            raise _NotComparable
        if name == "verbose" and value:  # everybody's own lines are printed
            raise _NotComparable
        return self.of(value)


def is_declared(kind: type) -> bool:
    """True for a class that itself declares that its transformers may be shared."""
    return vars(kind).get(DECLARATION) is True


def _is_of_sklearn(thing: Any) -> bool:
    """True for a class or function that is found in scikit-learn under its own name."""
    module = str(thing.__module__)
    return module.startswith("sklearn.") and getattr(sys.modules.get(module), thing.__qualname__, None) is thing


def _of_function(function: Callable[..., Any]) -> Hashable:
    """A function that gives the same for the same: of NumPy's universal ones, of text, and of scikit-learn without a seed."""
    if isinstance(function, np.ufunc):
        return np.ufunc, function
    if isinstance(function, types.MethodDescriptorType):
        if function.__objclass__ not in (str, bytes):
            raise _NotComparable
        return types.MethodDescriptorType, function
    if not _is_of_sklearn(function) or "random_state" in inspect.signature(function).parameters:
        raise _NotComparable
    return types.FunctionType, function
