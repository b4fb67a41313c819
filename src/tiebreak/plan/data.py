"""A dataset as models are given it: checked once, then cut into rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tiebreak.errors import DataError
from tiebreak.numerics import IntArray, is_missing
from tiebreak.printable import fault_of_name

Task = Literal["classification", "regression", "other"]


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Examples, what is to be predicted of them, and what goes along with each.

    The name is "" where there is only one and it was not named. `X` (ndarray, CSR matrix or data frame) has n_samples rows, `y`
    shape (n_samples,) or (n_samples, n_outputs), `groups` shape (n_samples,). `fit_params` is what `fit` is given besides; what
    has n_samples rows of it is cut along with X.
    """

    name: str
    X: Any
    y: np.ndarray[Any, Any]
    groups: np.ndarray[Any, Any] | None = None
    fit_params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Number of examples."""
        return int(self.y.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns of X; 1 for a list of texts."""
        return int(self.X.shape[1]) if len(self.X.shape) > 1 else 1


def take_rows(table: Any, rows: IntArray) -> Any:
    """Some rows of an array, sparse matrix or data frame, as the same kind of thing."""
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def cut(value: Any, n_samples: int, rows: IntArray) -> Any:
    """The rows of something that goes along with the examples; anything else as it is."""
    shape = getattr(value, "shape", None)
    return take_rows(value, rows) if shape and shape[0] == n_samples else value


def check_dataset(
    X: Any, y: Any, *, name: str = "", groups: Any = None, sample_weight: Any = None, fit_params: Any = None
) -> Dataset:
    """The data in forms whose rows can be taken.

    `X` may be array_like, sparse or a data frame of pandas or polars; `y` has shape (n_samples,) or (n_samples, n_outputs).
    Raises `DataError` where something is missing, has another length, or is not what can be learnt from.
    """
    of = f" of dataset {name!r}" if name else ""
    for what, given in (("X", X), ("y", y)):
        if given is None:
            raise DataError(f"{what}{of} is missing. Pass X and y, or datasets={{name: (X, y)}} for several datasets.")
    if fit_params is not None and not (isinstance(fit_params, Mapping) and all(isinstance(name, str) for name in fit_params)):
        raise DataError(f"fit_params={fit_params!r:.60} is no dict of what fit is given besides, by name.")
    along = dict(fit_params or {})
    if sample_weight is not None and "sample_weight" in along:
        raise DataError("sample_weight is given twice: as sample_weight= and in fit_params=. Give it once.")
    table, target = _as_rows(X, f"X{of}"), _as_target(y, f"y{of}")
    columns = {"y": target}
    if sample_weight is not None:
        columns["sample_weight"] = along["sample_weight"] = weights = as_column(
            sample_weight, "sample_weight", "weight is not known"
        )
        if weights.dtype.kind not in "biuf":
            raise DataError(f"sample_weight is of type {weights.dtype}; one number for each example is needed.")
    if groups is not None:
        how = "group is not known, or give each a group of its own"
        columns["groups"] = groups = as_column(groups, "groups", how)
        try:
            np.unique(groups)
        except TypeError as error:
            raise DataError(f"groups cannot be put in order: {error}. Make them all text or all numbers.") from None
    n_rows = table.shape[0]
    for what, column in columns.items():
        if column.shape[0] != n_rows:
            raise DataError(f"X{of} has {n_rows} rows, but {what} has {column.shape[0]}. Each example needs one value.")
    if n_rows < 2:
        raise DataError(f"X{of} has {n_rows} row(s). At least 2 are needed: one to train on and one to test.")
    # rows can be taken of a list once it is an array
    sliceable = {key: np.asarray(value) if isinstance(value, list | tuple) else value for key, value in along.items()}
    return Dataset(name, table, target, groups, sliceable)


def check_datasets(datasets: Any) -> tuple[Dataset, ...]:
    """Several datasets, given as ``{name: (X, y)}`` or ``{name: (X, y, groups)}``.

    Raises `DataError` where it is no such mapping, or one of the datasets cannot be used.
    """
    how = "Pass datasets={name: (X, y)} or {name: (X, y, groups)}."
    if not isinstance(datasets, Mapping) or not datasets:
        what = "is empty" if isinstance(datasets, Mapping) else f"must be a dict; got {type(datasets).__name__}"
        raise DataError(f"datasets {what}. {how}")
    checked = []
    for name, parts in datasets.items():
        if not isinstance(name, str):
            raise DataError(f"datasets has the key {name!r} of type {type(name).__name__}; names must be text.")
        if fault := name and fault_of_name(name):
            raise DataError(f"the name {name!r} of a dataset {fault}")
        if not isinstance(parts, tuple | list) or len(parts) not in (2, 3):
            what = f"{len(parts)} parts" if isinstance(parts, tuple | list) else type(parts).__name__
            raise DataError(f"dataset {name!r} is given as {what}. {how}")
        checked.append(check_dataset(*parts[:2], name=name, groups=[*parts, None][2]))
    return tuple(checked)


def find_task(models: Mapping[str, Any], target: np.ndarray[Any, Any]) -> Task:
    """Classification or regression, by what the models say they are, else by the target.

    Refuses models of which some are classifiers and some are regressors.
    """
    from sklearn.base import is_classifier, is_regressor
    from sklearn.utils.multiclass import type_of_target

    named: dict[Any, str] = {}
    for name, model in models.items():
        try:
            said = "classifier" if is_classifier(model) else "regressor" if is_regressor(model) else None
        except Exception:  # an object that is no estimator of scikit-learn, of which nothing can be asked
            said = getattr(model, "_estimator_type", None)
        named[said] = name
    if {"classifier", "regressor"} <= named.keys():
        raise DataError(
            f"model {named['classifier']!r} is a classifier and model {named['regressor']!r} a regressor; their scores cannot be "
            "compared. Evaluate them in two calls."
        )
    if "classifier" in named:
        if target.dtype.kind == "f" and (fractions := target.ravel()[target.ravel() % 1 != 0]).size:
            raise DataError(
                f"model {named['classifier']!r} is a classifier, and y holds numbers that are no classes, such as "
                f"{fractions[0]:g}. Use regressors, or make classes of them."
            )
        return "classification"
    if "regressor" in named:
        return "regression"
    kind = type_of_target(target, input_name="y")
    if kind in ("binary", "multiclass"):
        return "classification"
    return "regression" if kind.startswith("continuous") else "other"


# --- forms ------------------------------------------------------------------------------------------------------------------


def _as_array(values: Any, what: str) -> np.ndarray[Any, Any]:
    if np.ma.is_masked(values):
        row = int(np.argwhere(np.ma.getmaskarray(values))[0][0])
        raise DataError(
            f"{what} is masked in row {row}. Leave such examples out, or fill what is masked (values.filled(...)) with what your "
            "models take for missing."
        )
    try:
        return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    except ValueError as error:
        raise DataError(f"{what} is no array: {error}.") from None


def _as_rows(X: Any, what: str) -> Any:
    if hasattr(X, "tocsr"):  # only these have rows that can be taken
        return X.tocsr()
    if hasattr(X, "collect"):
        raise DataError(f"{what} is lazy ({type(X).__name__}). Pass the result of its collect().")
    if hasattr(X, "iloc") or (hasattr(X, "columns") and hasattr(X, "__getitem__")):
        return X
    table = _as_array(X, what)
    if table.ndim == 0:
        raise DataError(f"{what} is of type {type(X).__name__}; an array, sparse matrix or data frame is needed.")
    return table


def _as_target(y: Any, what: str) -> np.ndarray[Any, Any]:
    target = as_column(y, what, "target is not known", is_target=True)
    if target.dtype.kind == "O":  # labels as text or numbers where all are of one kind
        kinds = {type(label) for label in target.ravel().tolist()}
        if not kinds <= {str} and not kinds <= {bool, int, float}:
            names = " and ".join(sorted(kind.__name__ for kind in kinds))
            raise DataError(f"{what} holds labels of type {names}. Make them all text or all numbers.")
        target = target if str in kinds else np.array(target.tolist())
    if target.dtype.kind not in "biufOU":
        raise DataError(f"{what} is of type {target.dtype}; classes as texts or whole numbers, or numbers, are needed.")
    return target


def as_column(values: Any, what: str, lacking: str, is_target: bool = False) -> np.ndarray[Any, Any]:
    """Values that go along with the examples, none missing or infinite; those whose value is `lacking` may be left out."""
    column = _as_array(values, what)
    if is_target and column.ndim == 2 and column.shape[1] == 1:
        column = column.ravel()
    if column.ndim != 1 and not (is_target and column.ndim == 2):
        raise DataError(f"{what} has shape {column.shape}; one value for each example is needed.")
    if column.dtype.kind == "O":
        missing = np.vectorize(is_missing, otypes=[bool])(column)
    else:
        missing = ~np.isfinite(column) if column.dtype.kind in "fmM" else np.zeros(column.shape, dtype=bool)
    if missing.any():
        row = int(np.argwhere(missing)[0][0])
        raise DataError(f"{what} is {column[row]} in row {row}. Leave out examples whose {lacking}.")
    return column
