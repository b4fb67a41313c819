"""Leading steps of pipelines that several models have in common: fitted once on each split, for all of them.

Two heads are equal where their steps are scikit-learn's own, seeded, and of equal parameters; nothing else is shared. A memo
stands where a pipeline has its cache (``memory=``): it keeps what came out of such steps, and every model gets a copy.
"""

import io
import pickle
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import isfunction, signature
from typing import Any, NamedTuple
from warnings import WarningMessage

import numpy as np

from tiebreak.caught import give_again
from tiebreak.plan.fingerprint import fingerprint
from tiebreak.plan.models import parts_of

FIT, TEST, TRAIN = "fit", "test", "train"
"""What a model is doing: it is fitted, asked about the test rows, or about the training rows."""

MOST_BYTES = 256_000_000
"""Tables of a split that are kept at a time take at most this much memory."""

SPARSE = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")


# --- which heads are equal ------------------------------------------------------------------------------------------------------


def shared_heads(models: Sequence[Any]) -> tuple[tuple[str, ...], ...]:
    """For each model the keys of its leading steps, one by one, as far as other models have the same."""
    heads = [_keys_of_head(model) for model in models]
    counts = Counter(key for head in heads for key in head)
    return tuple(tuple(key for key in head if counts[key] > 1) for head in heads)


def in_order(heads: Sequence[tuple[str, ...]]) -> list[int]:
    """Positions of all models, those of equal heads next to each other."""
    first: dict[str, int] = {}
    for model, head in enumerate(heads):
        for key in head:
            first.setdefault(key, model)
    return sorted(range(len(heads)), key=lambda model: [*(first[key] for key in heads[model]), model])


def _keys_of_head(model: Any) -> tuple[str, ...]:
    """Key of each leading step of a pipeline together with those before it, up to the first that is not known to be pure."""
    from sklearn.pipeline import Pipeline

    is_plain = type(model) is Pipeline and model.memory is None and not model.verbose and isinstance(model.steps, list)
    if not is_plain or getattr(model, "transform_input", None) is not None:
        return ()
    keys: list[str] = []
    for _, step in model.steps[:-1]:
        if step is None or (isinstance(step, str) and step == "passthrough"):
            continue
        try:
            if not (hasattr(step, "fit") and hasattr(step, "transform") and _is_pure(step)):
                break
            keys.append(f"{keys[-1] if keys else ''}/{fingerprint(step)}")
        except Exception:  # what its parameters raise: then nothing is known of it
            break
    return tuple(keys)


class _OwnNames(pickle.Unpickler):
    """Reads objects of scikit-learn and numpy; whatever else stands in a pickle is refused, and what draws."""

    def find_class(self, module: str, name: str) -> Any:
        """The class or function that a pickle names."""
        found = super().find_class(module, name)
        draws = module.startswith("numpy.random") or (isfunction(found) and "random_state" in signature(found).parameters)
        if draws or module.partition(".")[0] not in ("builtins", "copyreg", "numpy", "sklearn"):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return found


def _is_pure(step: Any) -> bool:
    """True for a step that makes the same of the same data each time, and changes nothing; raises where that is not known."""
    _OwnNames(io.BytesIO(pickle.dumps(step))).load()
    parts = parts_of(step)
    # searches and splitters draw from generators that nobody has set
    if any(hasattr(part, "param_grid") or hasattr(part, "get_n_splits") for part in parts):
        return False
    # callbacks, requests of metadata, `set_output`
    own = [part for part in parts if hasattr(part, "get_params") and not isinstance(part, type)]
    if any(vars(part).keys() - part.get_params(deep=False).keys() for part in own):
        return False
    return all(_is_harmless(name.rpartition("__")[-1], value) for name, value in step.get_params().items())


def _is_harmless(name: str, value: Any) -> bool:
    if name == "random_state":
        return isinstance(value, int | np.integer) and not isinstance(value, bool)
    if name in ("copy", "copy_X", "copy_x"):  # else it may write into what it is given
        return value is True or value == "auto"
    return name not in ("memory", "verbose") or not value


# --- what came out of them ---------------------------------------------------------------------------------------------------


class _Kept(NamedTuple):
    """Table that came out of a step, the fitted step, the warnings and seconds of that, and the size of the table."""

    table: Any
    fitted: Any
    warnings: list[WarningMessage]
    seconds: float
    n_bytes: int


@dataclass(eq=False, repr=False, slots=True)
class Memo:
    """Tables that leading steps made of the rows of one split. It has the one method of `joblib.Memory` that scikit-learn calls.

    `head` are the keys of the leading steps of the model at work, `caught` the warnings of its cell so far. `is_shared` says that
    it takes a step that another model had fitted; `reached` by how many leading steps a table was made, by its id, and keeps the
    table, so that no other one gets that id.
    """

    _kept: dict[tuple[str, str], _Kept] = field(default_factory=dict)
    head: tuple[str, ...] = ()
    caught: Sequence[WarningMessage] = ()
    _stage: str = FIT
    reached: dict[int, tuple[int, Any]] = field(default_factory=dict)
    _credit: float = 0.0
    is_shared: bool = False

    def timed(self, stage: str, X: Any, call: Callable[[], Any]) -> tuple[Any, float]:
        """Result of what a model does with rows, and the seconds that it would take alone; it begins with a fit."""
        if stage == FIT:  # as cells are ordered, nobody needs other tables now
            self._kept = {key: kept for key, kept in self._kept.items() if key[1] in self.head}
            self.is_shared = bool(self._kept)
        self._stage, self._credit = stage, 0.0
        self.reached = {id(X): (0, X)}
        before = time.perf_counter()
        answer = call()
        return answer, time.perf_counter() - before + self._credit

    def cache(self, function: Callable[..., tuple[Any, Any]], **_: Any) -> Callable[..., tuple[Any, Any]]:
        """Function that fits a step, or hands out what another model's equal step has made."""

        def fitted(transformer: Any, X: Any, y: Any, *rest: Any, **options: Any) -> tuple[Any, Any]:
            position, _ = self.reached.get(id(X), (len(self.head), None))
            if position >= len(self.head) or any(map(bool, (options.get("params") or {}).values())):
                return function(transformer, X, y, *rest, **options)
            table, step = self.take(position, X, lambda: function(transformer, X, y, *rest, **options))
            return table, _Step(self, position, step)

        return fitted

    def take(self, position: int, X: Any, make: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
        """Take the table and fitted step at a position of the head, made now or before."""
        key = self._stage, self.head[position]
        began = time.perf_counter()
        kept = self._kept.get(key)
        if kept is not None:
            give_again(kept.warnings)
            self._credit += kept.seconds
        else:
            mark = len(self.caught)
            table, step = make()
            kept = _Kept(table, step, list(self.caught[mark:]), time.perf_counter() - began, _n_bytes(table))
            began = time.perf_counter()
            if kept.n_bytes == 0 or _draws(step) or sum(each.n_bytes for each in self._kept.values()) + kept.n_bytes > MOST_BYTES:
                return kept.table, kept.fitted
            self._kept[key] = kept
        # the next step of the head changes nothing; whoever else comes next has a table of its own
        table = kept.table if position + 1 < len(self.head) else own_copy(kept.table)
        self.reached[id(table)] = position + 1, table
        self._credit -= time.perf_counter() - began
        return table, kept.fitted


class _Step:
    """Fitted step of a head in a pipeline, which hands out what was made of the same rows before."""

    def __init__(self, memo: Memo, position: int, fitted: Any) -> None:
        self._memo, self._position, self._fitted = memo, position, fitted

    def transform(self, X: Any, **params: Any) -> Any:
        """Table that the step makes of rows."""
        if params or id(X) not in self._memo.reached or self._memo.reached[id(X)][0] != self._position:
            return self._fitted.transform(X, **params)
        return self._memo.take(self._position, X, lambda: (self._fitted.transform(X), self._fitted))[0]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fitted, name)


def _draws(step: Any) -> bool:
    """True for a fitted step that holds a generator, from which each transform may draw; its pickle names where that is from."""
    try:
        return b"numpy.random" in pickle.dumps(step)
    except Exception:  # then nothing is known of it
        return True


def _n_bytes(table: Any) -> int:
    """Bytes of a table that can be copied with the same layout in memory, on which sums depend; 0 for others."""
    if type(table) is np.ndarray:
        is_plain = table.dtype.kind in "biufc" and (table.flags.c_contiguous or table.flags.f_contiguous)
        return int(table.nbytes) if is_plain else 0
    if type(table).__name__ in SPARSE and type(table).__module__.startswith("scipy.sparse"):
        return sum(int(part.nbytes) for part in (table.data, table.indices, table.indptr))
    return 0


def own_copy(table: Any) -> Any:
    """A copy of some rows, in the same layout in memory, so that sums come out the same."""
    if isinstance(table, np.ndarray):
        return table.copy(order="K")
    return table.clone() if hasattr(table, "clone") else table.copy()
