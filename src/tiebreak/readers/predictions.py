"""Predictions of several models for the same examples, beside the truth: scores of single items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import AmbiguousSourceError, InvalidParameterError, InvalidScoresError, Setting, TooFewModelsError
from tiebreak.numerics import FloatArray
from tiebreak.readers.files import refuse
from tiebreak.readers.header import find_roles, plain
from tiebreak.readers.metric import name_metric
from tiebreak.readers.source import ReadOptions
from tiebreak.readers.tables import SourceTable, Words, is_varied
from tiebreak.scores.items import Items, check_items
from tiebreak.scores.metric import full_name
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.statistics.influence import METRICS_OF_CLASSES, METRICS_OF_NUMBERS

OF_LABELS = ("accuracy",)
OF_PROBABILITIES = ("roc_auc", "log_loss", "brier_score")
OF_NUMBERS = ("mean_absolute_error", "mean_squared_error")
"""Metrics that are means over examples, and the area under the ROC curve; others are `statistics.influence`'s."""


def read_predictions(
    y_true: ArrayLike,
    predictions: Mapping[str, ArrayLike],
    *,
    metric: str | None = None,
    positive: Any = None,
    items: Sequence[object] | None = None,
    clusters: Sequence[object] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Items:
    """Scores of single items from the truth and what each model predicted.

    Parameters
    ----------
    y_true : array_like of shape (n_examples,)
        Classes, or numbers for regression.
    predictions : mapping of str to array_like
        Of each model: classes, or numbers for regression, of shape (n_examples,); or the probability of the `positive` class, of
        the same shape; or probabilities of all classes in sorted order, of shape (n_examples, n_classes).
    metric : str, optional
        "accuracy" of classes; "roc_auc", "log_loss" or "brier_score" of probabilities; "mean_absolute_error" or
        "mean_squared_error" of numbers. Or one that is no mean over examples, for which `compare` takes the jackknife: of
        classes "f1", "precision", "recall" or "jaccard", alone or with "_macro", "_micro" or "_weighted", "balanced_accuracy"
        and "matthews_corrcoef"; of numbers "root_mean_squared_error", "r2" and "explained_variance". Unless given it is
        accuracy for classes and roc_auc for probabilities of two classes.
    positive : optional
        Class that probabilities of one column are of, or that "f1" and the like are of. Of 0 and 1, and of -1 and 1, it is 1
        unless given; of any other two it must be named.
    items, clusters, weights : sequence, optional
        Name, cluster and weight of each example.

    Returns
    -------
    Items

    Raises
    ------
    InvalidScoresError
        Other lengths, classes that are not in `y_true`, probabilities outside 0 to 1, nan.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.read_predictions(["cat", "dog", "dog"], {"a": ["cat", "dog", "cat"], "b": ["cat", "dog", "dog"]})
    <Items of accuracy: 2 models, 3 examples>
    """
    truth = np.asarray(y_true)
    if truth.ndim != 1 or truth.size == 0:
        raise InvalidScoresError(f"y_true needs one value for each example; got the shape {truth.shape}.")
    if _n_missing(truth):
        raise InvalidScoresError(f"{_n_missing(truth)} values of y_true are missing; leave these examples out.")
    if not predictions:
        raise TooFewModelsError("predictions is a dict with what each model predicted: {name: classes or probabilities}.")
    arrays = {str(name): _checked(name, values, truth.size) for name, values in predictions.items()}
    chosen = _metric(truth, arrays, metric)
    name = name_metric(chosen).metric
    classes = np.unique(truth)
    if positive is None and chosen in OF_PROBABILITIES and classes.size == 2 and all(a.ndim == 2 for a in arrays.values()):
        positive = classes[1]  # either gives the same
    is_positive, actual = None, None
    names: tuple[str, ...] = ()
    if chosen in METRICS_OF_CLASSES:
        names, actual, rows = _of_classes(truth, arrays, classes, positive, chosen)
    elif chosen in METRICS_OF_NUMBERS:
        rows = [_numbers(truth, values, model, chosen) for model, values in arrays.items()]
        actual = truth.astype(float)
    elif chosen in OF_NUMBERS:
        rows = [_error_of_numbers(truth, values, model, chosen) for model, values in arrays.items()]
    elif chosen in OF_LABELS:
        rows = [_is_right(truth, values, model, classes) for model, values in arrays.items()]
    elif chosen == "roc_auc":
        is_positive = truth == _positive(classes, positive)
        rows = [_of_positive(values, classes, positive, model, bounded=False) for model, values in arrays.items()]
    else:
        rows = [_loss(truth, values, classes, positive, model, chosen) for model, values in arrays.items()]
    number = tuple(str(each) for each in (items if items is not None else range(1, truth.size + 1)))
    return check_items(
        Items(
            name,
            tuple(arrays),
            ("1",),
            _of_examples(number, truth.size, "items"),
            np.stack(rows)[:, None, :].astype(float),
            None if clusters is None else _of_examples(tuple(map(str, np.asarray(clusters).tolist())), truth.size, "clusters"),
            None if weights is None else np.asarray(weights, dtype=float),
            is_positive,
            actual,
            names,
            columns={"y_true": tuple(map(str, truth.tolist()))} if chosen not in (*OF_NUMBERS, *METRICS_OF_NUMBERS) else {},
            unit="example",
        )
    )


def _of_examples(values: tuple[str, ...], n: int, what: str) -> tuple[str, ...]:
    if len(values) != n:
        raise InvalidScoresError(f"{what} has {len(values)} entries for {n} examples.")
    if what == "items" and len(set(values)) < n:
        raise InvalidScoresError(f"{n - len(set(values))} names of items stand twice or more.")
    return values


def _n_missing(values: NDArray[Any]) -> int:
    if values.dtype.kind == "f":
        return int(np.isnan(values).sum())
    return sum(value is None or value != value for value in values.ravel().tolist()) if values.dtype == object else 0


def _checked(name: Any, values: ArrayLike, n: int) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim not in (1, 2) or array.shape[0] != n:
        raise InvalidScoresError(
            f"{name!r} has predictions of the shape {array.shape} for {n} examples; one row is needed for each."
        )
    if _n_missing(array):
        raise InvalidScoresError(
            f"{_n_missing(array)} predictions of {name!r} are missing; leave these examples out for all models."
        )
    return array


def _metric(truth: NDArray[Any], arrays: Mapping[str, NDArray[Any]], asked: str | None) -> str:
    if asked is not None:
        known = (*OF_LABELS, *OF_PROBABILITIES, *OF_NUMBERS, *METRICS_OF_CLASSES, *METRICS_OF_NUMBERS)
        name = full_name(asked).removeprefix("neg_")
        if name not in known:
            raise InvalidParameterError(
                f"{asked!r} is no metric of predictions that tiebreak knows: {', '.join(known)}. For any other take "
                "tb.frequentist.bootstrap_metric with bootstrap_function.",
                about="metric",
            )
        return name
    classes = set(np.unique(truth).tolist())
    labels = [model for model, values in arrays.items() if values.ndim == 1 and set(np.unique(values).tolist()) <= classes]
    if len(labels) == len(arrays):
        return "accuracy"
    if labels and len(labels) < len(arrays) and len(classes) <= 2:
        others = [model for model, values in arrays.items() if values.ndim == 2 or _is_fractional(values)]
        if others:
            raise AmbiguousSourceError(
                f"{quoted(labels)} predicts classes, {quoted(others)} does not. Give classes of all models, or probabilities of "
                "all."
            )
    if len(classes) == 2 and all(_is_fractional(values) for values in arrays.values()):
        return "roc_auc"
    if truth.dtype.kind == "f" and len(classes) > 2:
        raise AmbiguousSourceError(
            "numbers are compared by their errors. Pass ", Setting("metric", "'mean_absolute_error'"), " or another."
        )
    if all(values.ndim == 2 for values in arrays.values()):
        return "log_loss"
    return "accuracy"  # whose check names the classes that are not there


def _is_fractional(values: NDArray[Any]) -> bool:
    """True for numbers that are no classes written as numbers."""
    return values.dtype.kind == "f" and bool((values != np.rint(values)).any())


def _of_classes(
    truth: NDArray[Any], arrays: Mapping[str, NDArray[Any]], classes: NDArray[Any], positive: Any, metric: str
) -> tuple[tuple[str, ...], FloatArray, list[FloatArray]]:
    """Names of the classes, the positive one last, and the places in them of the truth and of what each model predicts."""
    if classes.size < 2:
        raise InvalidScoresError(f"{metric} tells classes apart, and y_true has only {str(classes[0])!r}.")
    if metric in ("f1", "precision", "recall", "jaccard"):
        if classes.size > 2:
            raise InvalidParameterError(
                f"{metric} is of the positive one of two classes, and y_true has {classes.size}. Pass ",
                Setting("metric", f"'{metric}_macro'"),
                f", or {metric}_weighted.",
                about="metric",
            )
        if _positive(classes, positive) == classes[0]:
            classes = classes[::-1]
    names = tuple(str(each) for each in classes.tolist())
    place = {name: float(at) for at, name in enumerate(names)}

    def places(values: NDArray[Any]) -> FloatArray:
        found, codes = np.unique(values, return_inverse=True)
        return np.array([place[str(each)] for each in found.tolist()])[codes]

    predicted = [_known_classes(values, model, classes) for model, values in arrays.items()]
    return names, places(truth), [places(values) for values in predicted]


def _is_right(truth: NDArray[Any], values: NDArray[Any], model: str, classes: NDArray[Any]) -> FloatArray:
    values = _known_classes(values, model, classes)
    if values.dtype.kind != truth.dtype.kind:
        return np.asarray(values.astype(str) == truth.astype(str), dtype=float)
    return np.asarray(values == truth, dtype=float)


def _known_classes(values: NDArray[Any], model: str, classes: NDArray[Any]) -> NDArray[Any]:
    """Classes that a model predicts, or the likeliest ones, all of which the truth has."""
    if values.ndim == 2:
        classes = np.sort(classes)
        values = classes[_probabilities(values, classes, model).argmax(axis=1)]
    foreign = sorted({str(value) for value in np.unique(values).tolist()} - {str(each) for each in classes.tolist()})
    if foreign:
        raise InvalidScoresError(
            f"{model!r} predicts {quoted(foreign, 3)}, which y_true does not have; its classes are "
            f"{quoted([str(c) for c in classes])}. "
            "If these are probabilities, pass metric='roc_auc'."
        )
    return values


def _positive(classes: NDArray[Any], positive: Any) -> Any:
    if classes.size != 2:
        raise InvalidScoresError(
            f"probabilities of one class are for two classes; y_true has {classes.size}. Give a column for each."
        )
    if positive is None and set(classes.tolist()) not in ({0, 1}, {-1, 1}):
        raise InvalidParameterError(
            f"which of the classes {quoted([str(c) for c in classes])} is the positive one? Pass ",
            Setting("positive", repr(str(classes[1]))),
            " or the other; their order does not say it.",
            about="positive",
        )
    if positive is None:
        return classes[1]
    if positive not in classes.tolist():
        raise InvalidParameterError(
            f"positive={positive!r} is no class of y_true; there are {quoted([str(c) for c in classes])}."
        )
    return positive


def _of_positive(values: NDArray[Any], classes: NDArray[Any], positive: Any, model: str, *, bounded: bool) -> FloatArray:
    """Score or probability of the positive class; a ranking takes any number, a loss probabilities."""
    which = _positive(classes, positive)
    if values.ndim == 2:
        return np.asarray(_probabilities(values, classes, model)[:, classes.tolist().index(which)])
    if values.dtype.kind not in "biuf" or not np.isfinite(values.astype(float)).all():
        raise InvalidScoresError(f"{model!r} needs a finite number for each example: how much it is for {which!r}.")
    scores = values.astype(float)
    if bounded and ((scores < 0) | (scores > 1)).any():
        at = int(np.flatnonzero((scores < 0) | (scores > 1))[0])
        raise InvalidScoresError(f"probabilities lie between 0 and 1; {model!r} has {scores[at]:g} for example {at + 1}.")
    return scores


def _probabilities(values: NDArray[Any], classes: NDArray[Any], model: str) -> FloatArray:
    table = values.astype(float)
    if table.shape[1] != classes.size:
        raise InvalidScoresError(f"{model!r} has {table.shape[1]} columns of probabilities, y_true {classes.size} classes.")
    wrong = ~np.isfinite(table) | (table < 0) | (table > 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InvalidScoresError(
            f"probabilities lie between 0 and 1; {model!r} has {table[row, column]:g} for example {row + 1}."
        )
    sums = table.sum(axis=1)
    if (np.abs(sums - 1) > 1e-4).any():
        row = int(np.abs(sums - 1).argmax())
        raise InvalidScoresError(f"the probabilities of {model!r} for example {row + 1} sum to {sums[row]:g}, not 1.")
    return np.asarray(table)


def _loss(truth: NDArray[Any], values: NDArray[Any], classes: NDArray[Any], positive: Any, model: str, metric: str) -> FloatArray:
    """Log loss or Brier score of each example, over all classes; that of two classes is of the positive one."""
    if values.ndim == 1 or classes.size == 2:
        probability = _of_positive(values, classes, positive, model, bounded=True)
        hit = truth == _positive(classes, positive)
        if metric == "brier_score":
            return np.asarray(np.square(probability - hit))
        own = np.where(hit, probability, 1 - probability)
    else:
        table = _probabilities(values, classes, model)
        one_hot = truth[:, None] == classes
        if metric == "brier_score":
            return np.asarray(np.square(table - one_hot).sum(axis=1))
        own = table[one_hot]
    return np.asarray(-np.log(np.maximum(own, np.finfo(float).eps)))


def _error_of_numbers(truth: NDArray[Any], values: NDArray[Any], model: str, metric: str) -> FloatArray:
    error = _numbers(truth, values, model, metric) - truth.astype(float)
    return np.asarray(np.abs(error) if metric == "mean_absolute_error" else np.square(error))


def _numbers(truth: NDArray[Any], values: NDArray[Any], model: str, metric: str) -> FloatArray:
    """Numbers that a model predicts for numbers."""
    if truth.dtype.kind not in "biuf" or values.dtype.kind not in "biuf" or values.ndim != 1:
        raise InvalidScoresError(f"{metric} needs numbers in y_true and of {model!r}.")
    if not np.isfinite(values.astype(float) - truth.astype(float)).all():
        raise InvalidScoresError(f"the predictions of {model!r} must be finite.")
    if metric in ("r2", "explained_variance") and np.ptp(truth) == 0:
        raise InvalidScoresError(f"{metric} needs numbers that differ in y_true; all are {truth[0]:g}.")
    return np.asarray(values, dtype=float)


# --- predictions in tables ------------------------------------------------------------------------------------------------


def holds_predictions(table: SourceTable, options: ReadOptions) -> bool:
    """True for a table with a column of the truth and none of models, so that the others are predictions."""
    return _roles(table, options) is not None


def _roles(table: SourceTable, options: ReadOptions) -> dict[str, list[str]] | None:
    given = options.named_columns
    says = {name: is_varied(column) for name, column in table.columns.items()}
    given.pop("datasets", None)
    roles = find_roles(list(table.columns), table.name, given, options.metric, says)
    # a model may be called y, unless periods or predictions stand beside it
    is_weak_truth = "truth" in roles and plain(roles["truth"][0]) == "y" and not {"prediction", "time"} & roles.keys()
    if "truth" not in roles or "model" in roles or (is_weak_truth and "truth" not in given):
        return None
    return roles


def items_of_predictions(tables: Sequence[SourceTable], names: Sequence[str], options: ReadOptions) -> Items:
    """Scores of single items from tables of the truth and predictions: a column for each model, or a table for each model.

    `names` are those of the models of tables with one column of predictions.
    """
    found: dict[str, NDArray[Any]] = {}
    truth: NDArray[Any] = np.empty(0)
    keys: list[str] = []
    clusters: list[str] | None = None
    for table, name in zip(tables, names, strict=True):
        roles = _roles(table, options) or {}
        own_truth = _values(table, roles["truth"][0])
        own_keys = _keys_of(table, roles, own_truth.size)
        models = _model_columns(table, roles, options, name, is_one=len(tables) > 1)
        if not found:
            truth, keys = own_truth, own_keys
            clusters = table.words(roles["cluster"][0]).texts() if "cluster" in roles else None
        order = _aligned(keys, own_keys, truth, own_truth, table.name)
        for model, column in models.items():
            if model in found:
                raise AmbiguousSourceError(f"two sources hold predictions of {model!r}. Name each file after its model.")
            found[model] = _values(table, column)[order]
    if options.models is not None:
        found = {model: found[list(found)[look_up(model, list(found), "model")]] for model in options.models}
    positive: Any = options.positive
    if positive is not None:
        positive = next((each for each in np.unique(truth).tolist() if str(each) == str(positive)), positive)
    items = read_predictions(truth, found, metric=options.metric, positive=positive, items=keys, clusters=clusters)
    name_metric(items.metric.name, options.direction_of(items.metric.name))  # what the caller says must agree
    return items


def _model_columns(
    table: SourceTable, roles: Mapping[str, list[str]], options: ReadOptions, model: str, *, is_one: bool
) -> dict[str, str]:
    """Column of the predictions of each model."""
    if options.models is not None and set(options.models) <= set(table.columns):
        return {name: name for name in options.models}
    if "prediction" in roles:
        return {model: roles["prediction"][0]}
    taken = {
        column
        for role in ("truth", "item", "cluster", "fold", "split", "repeat", "dataset", "time", "weight", "seed", "run", "epoch")
        for column in roles.get(role, ())
    }
    rest = [name for name in table.columns if name not in taken and name != "column 1" and not re.search(r"-(lo|hi)-\d", name)]
    if "score" in roles:
        what = "is it what a model predicts, or a score?"
        raise refuse(table.name, roles["score"][0], None, what, "Name the columns of predictions with ", Setting("models"), ".")
    if not rest:
        raise refuse(
            table.name,
            None,
            None,
            "it has the truth, but no column of predictions.",
            "Give a column for each model, or a file for each model.",
        )
    return {model: rest[0]} if is_one and len(rest) == 1 else {name: name for name in rest}


def _values(table: SourceTable, name: str) -> NDArray[Any]:
    """Classes as words or whole numbers, or numbers."""
    column = table.columns[name]
    missing = column.code < 0 if isinstance(column, Words) else np.isnan(column)
    if missing.any():
        row = int(np.argmax(missing))
        raise refuse(
            table.name,
            name,
            table.where(row),
            f"no value is given ({int(missing.sum())} such row(s) in all).",
            "Leave these examples out for all models.",
            kind=InvalidScoresError,
        )
    if isinstance(column, Words):
        return np.array(column.names, dtype=str)[column.code]
    return column.astype(np.int64) if bool(np.all(column == np.floor(column)) and np.all(np.abs(column) < 2**53)) else column


def _keys_of(table: SourceTable, roles: Mapping[str, list[str]], n: int) -> list[str]:
    """Names of the examples: of their column, of series and period, or by their order."""
    columns = [roles[role][0] for role in ("dataset", "item", "time") if role in roles]
    if not {"item", "time"} & roles.keys():  # a number of the sample, or the index of a frame
        numbered = roles.get("epoch", ["column 1"] if "column 1" in table.columns else [])
        columns += [name for name in numbered if len(set(table.words(name).texts())) == n]
    named = [table.words(column).texts() for column in columns]
    keys = [" ".join(each) for each in zip(*named, strict=True)] if named else [str(number) for number in range(1, n + 1)]
    doubled = next((key for key, count in Counter(keys).items() if count > 1), None)
    if doubled is not None:
        raise refuse(
            table.name,
            None,
            None,
            f"example {doubled!r} stands twice or more.",
            "Keep one row for each example.",
            kind=InvalidScoresError,
        )
    return keys


def _aligned(keys: Sequence[str], own: Sequence[str], truth: NDArray[Any], own_truth: NDArray[Any], name: str) -> list[int]:
    """Rows of a table in the order of the first one's examples, of which the truth must be the same."""
    place = {key: row for row, key in enumerate(own)}
    lacking = [key for key in keys if key not in place]
    if lacking or len(own) != len(keys):
        more = [key for key in own if key not in set(keys)]
        raise InvalidScoresError(
            f"{name} is of other examples than the first source: it lacks {len(lacking)} ({quoted(lacking, 3)}) and "
            f"has {len(more)} more "
            f"({quoted(more, 3)}). Give predictions of the same examples."
        )
    order = [place[key] for key in keys]
    wrong = next(
        (key for key, one, two in zip(keys, truth.tolist(), own_truth[order].tolist(), strict=True) if str(one) != str(two)), None
    )
    if wrong is not None:
        raise InvalidScoresError(
            f"{name} has another truth for example {wrong!r} than the first source. Are they of one test set?"
        )
    return order
