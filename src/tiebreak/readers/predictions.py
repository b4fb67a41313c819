"""Predictions of several models for the same examples, beside the truth: scores of single items."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import (
    Advice,
    DataError,
    InvalidParameterError,
    Setting,
    UnclearSourceError,
)
from tiebreak.numerics import FloatArray
from tiebreak.printable import printable
from tiebreak.readers.header import (
    CHANCES,
    GRADES,
    MEANS,
    PREDICTED,
    column_advice,
    is_no_score,
    names_predictions,
    plain,
    role_of,
    where_advice,
    words_in,
)
from tiebreak.readers.item_scores import items_of, long_of_items
from tiebreak.readers.long import Long, is_unique, joined, refuse_doubles
from tiebreak.readers.shapes import OF_ERRORS, Reading
from tiebreak.readers.source import ReadOptions, name_metric
from tiebreak.readers.tables import Words, has_fractions, is_frame, words_of
from tiebreak.scores.items import Items, check_items
from tiebreak.scores.metric import meant_by
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.statistics.influence import METRICS_OF_CLASSES, METRICS_OF_NUMBERS

OF_PROBABILITIES = ("roc_auc", "log_loss", "brier_score")
"""Metrics of probabilities that are means over examples, and the area under the ROC curve."""

_MOST_SCORES = 100
"""Values of a model up to which they may be its scores on splits."""


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
    DataError
        Other lengths, classes that are not in `y_true`, probabilities outside 0 to 1, nan.

    Examples
    --------
    >>> import tiebreak as tb
    >>> tb.read_predictions(["cat", "dog", "dog"], {"a": ["cat", "dog", "cat"], "b": ["cat", "dog", "dog"]})
    <Items of accuracy: 2 models, 3 examples>
    """
    truth = np.asarray(y_true)
    arrays = {str(name): np.asarray(values) for name, values in dict(predictions or {}).items()}
    number = tuple(str(each) for each in (items if items is not None else range(1, truth.size + 1)))
    groups = None if clusters is None else tuple(map(str, np.asarray(clusters).tolist()))
    missing = {
        whose: sum(value is None or value != value for value in array.ravel().tolist()) if array.dtype.kind in "Of" else 0
        for whose, array in {"values of y_true": truth, **{f"predictions of {each!r}": arrays[each] for each in arrays}}.items()
    }
    wrong = {
        f"y_true needs one value for each example; got the shape {truth.shape}.": truth.ndim != 1 or truth.size == 0,
        "predictions is a dict with what each model predicted: {name: classes or probabilities}.": not arrays,
        **{
            f"{name!r} has predictions of the shape {array.shape} for {truth.size} examples; one row is needed for each.": (
                array.ndim not in (1, 2) or array.shape[0] != truth.size
            )
            for name, array in arrays.items()
        },
        **{f"{n} {whose} are missing; leave these examples out for all models.": n > 0 for whose, n in missing.items()},
        f"items has {len(number)} entries for {truth.size} examples.": len(number) != truth.size,
        f"clusters has {len(groups or ())} entries for {truth.size} examples.": groups is not None and len(groups) != truth.size,
        f"{truth.size - len(set(number))} names of items stand twice or more.": len(set(number)) < truth.size,
    }
    for what in [what for what, is_so in wrong.items() if is_so][:1]:
        raise DataError(what)
    chosen = _metric(truth, arrays, metric)
    classes, is_of_numbers = np.unique(truth), chosen in (*OF_ERRORS, *METRICS_OF_NUMBERS)
    held: dict[str, Any] = {} if is_of_numbers else {"columns": {"y_true": tuple(map(str, truth.tolist()))}}
    if is_of_numbers:
        actual = _finite(truth, "y_true", chosen)
        held |= {"truth": actual} if chosen in METRICS_OF_NUMBERS else {}
        rows = [_finite(values, model, chosen) for model, values in arrays.items()]
        largest = max(np.abs(row).max() for row in (actual, *rows))
        if chosen in ("r2", "explained_variance") and np.ptp(actual) <= 1e-20 * largest:
            raise DataError(
                f"{chosen} needs numbers that differ in y_true; they differ by {np.ptp(actual):g}, beside numbers up to "
                f"{largest:g}."
            )
        if chosen in OF_ERRORS:
            rows = [(np.abs if chosen == OF_ERRORS[0] else np.square)(row - actual) for row in rows]
    elif chosen == "accuracy":
        rows = [_places(_labels(values, model, classes), classes) == _places(truth, classes) for model, values in arrays.items()]
    elif chosen in METRICS_OF_CLASSES:
        turned = _turned(classes, positive, chosen)
        held |= {"classes": tuple(map(str, turned.tolist())), "truth": _places(truth, turned)}
        rows = [_places(_labels(values, model, classes), turned) for model, values in arrays.items()]
    elif chosen == "roc_auc":
        is_either = positive is None and classes.size == 2 and all(each.ndim == 2 for each in arrays.values())
        which = _positive(classes, classes[1] if is_either else positive)
        held |= {"is_positive": truth == which}
        rows = [
            _probabilities(values, classes, None, model)[:, classes.tolist().index(which)]
            if values.ndim == 2
            else _finite(values, model, f"how much it is for {which!r}")
            for model, values in arrays.items()
        ]
    else:
        tables = [_probabilities(values, classes, positive, model) for model, values in arrays.items()]
        is_own = truth[:, None] == classes
        rows = [
            -np.log(np.maximum(table[is_own], np.finfo(float).eps))
            if chosen == "log_loss"
            else np.square(table - is_own).sum(axis=1) / (2 if classes.size == 2 else 1)  # that of two classes is of one of them
            for table in tables
        ]
    score, weight = np.stack(rows)[:, None, :].astype(float), None if weights is None else np.asarray(weights, dtype=float)
    return check_items(
        Items(name_metric(chosen).metric, tuple(arrays), ("1",), number, score, groups, weight, unit="example", **held)
    )


def beside_truth(source: Any, y: Any, metric: str | None) -> Items | Mapping[str, Any] | None:
    """Predictions with `y` as their truth: a frame as a table with both, a dict, which names models only, as items.

    None of a source that has not a value of each model for each of `y`.
    """
    columns = {str(name): source[name] for name in source.columns} if is_frame(source) else source
    is_of_columns = isinstance(columns, Mapping) and not any(isinstance(each, str | Mapping) for each in columns.values())
    if not is_of_columns or not hasattr(y, "__len__"):
        return None
    lengths = {len(each) if hasattr(each, "__len__") else 0 for each in columns.values()}
    if len(lengths) == 1 and lengths != {len(y)} and max(lengths) > _MOST_SCORES:
        raise DataError(f"each model has {max(lengths)} values, and y has {len(y)}. Beside y= give one prediction for each.")
    if lengths != {len(y)}:
        return None
    return {"y_true": np.asarray(y), **columns} if is_frame(source) else read_predictions(y, columns, metric=metric)


def _metric(truth: NDArray[Any], arrays: Mapping[str, NDArray[Any]], asked: str | None) -> str:
    """The metric that is asked for, or the one that the form of the predictions says."""
    if asked is not None:
        known = ("accuracy", *OF_PROBABILITIES, *OF_ERRORS, *METRICS_OF_CLASSES, *METRICS_OF_NUMBERS)
        name = meant_by(asked).removeprefix("neg_")
        if name in known:
            return name
        raise InvalidParameterError(
            f"{asked!r} is no metric of predictions that tiebreak knows: {', '.join(known)}. For any other take "
            "tb.statistics.bootstrap.",
            about="metric",
        )
    classes = set(np.unique(truth).tolist())
    labels = [model for model, each in arrays.items() if each.ndim == 1 and set(np.unique(each).tolist()) <= classes]
    others = [model for model, each in arrays.items() if each.ndim == 2 or _is_fractional(each)]
    if labels and others and len(classes) <= 2:
        raise UnclearSourceError(
            f"classes stand in {quoted(labels)}, and none in {quoted(others)}. Give classes of all models, or probabilities of "
            "all: of several columns of a model name one with ",
            Setting("models"),
            ".",
        )
    if len(classes) == 2 and all(map(_is_fractional, arrays.values())):
        return "roc_auc"
    if truth.dtype.kind == "f" and len(classes) > 2 and len(labels) < len(arrays):
        raise UnclearSourceError(
            "numbers are compared by their errors. Pass ", Setting("metric", "'mean_absolute_error'"), " or another."
        )
    # the check of accuracy names the classes that are not there
    return "log_loss" if all(values.ndim == 2 for values in arrays.values()) else "accuracy"


def _is_fractional(values: NDArray[Any]) -> bool:
    """True for numbers that are no classes written as numbers."""
    return values.dtype.kind == "f" and bool((values != np.rint(values)).any())


def _turned(classes: NDArray[Any], positive: Any, metric: str) -> NDArray[Any]:
    """The classes that a metric tells apart, of two the positive one last."""
    if classes.size < 2:
        raise DataError(f"{metric} tells classes apart, and y_true has only {str(classes[0])!r}.")
    if metric not in ("f1", "precision", "recall", "jaccard"):
        return classes
    if classes.size > 2:
        raise InvalidParameterError(
            f"{metric} is of the positive one of two classes, and y_true has {classes.size}. Pass ",
            Setting("metric", f"'{metric}_macro'"),
            f", or {metric}_weighted.",
            about="metric",
        )
    return classes[::-1] if _positive(classes, positive) == classes[0] else classes


def _places(values: NDArray[Any], classes: NDArray[Any]) -> FloatArray:
    """Places in the classes, of which 1 and "1" are the same."""
    place = {str(name): float(at) for at, name in enumerate(classes.tolist())}
    found, codes = np.unique(values, return_inverse=True)
    return np.array([place[str(each)] for each in found.tolist()])[codes]


def _labels(values: NDArray[Any], model: str, classes: NDArray[Any]) -> NDArray[Any]:
    """Classes that a model predicts, or the likeliest ones, all of which the truth has."""
    if values.ndim == 2:
        return np.asarray(classes[_probabilities(values, classes, None, model).argmax(axis=1)])
    known = [str(each) for each in classes.tolist()]
    if foreign := sorted({str(value) for value in np.unique(values).tolist()} - {*known}):
        is_other_case = {each.casefold() for each in foreign} <= {each.casefold() for each in known}
        numbers = Setting("metric", "'roc_auc'"), "; if they are numbers, ", Setting("metric", "'mean_absolute_error'"), "."
        raise DataError(
            f"{model!r} predicts {quoted(foreign, 3)}, which the truth does not have; its classes are {quoted(known, 12)}. ",
            *(["Write them in one case."] if is_other_case else ["If these are probabilities, pass ", *numbers]),
        )
    return values


def _positive(classes: NDArray[Any], positive: Any) -> Any:
    """The positive class, which has to be named unless it is 1 beside 0 or -1."""
    known = quoted([str(each) for each in classes.tolist()])
    if classes.size != 2:
        raise DataError(
            f"the metric is of two classes, and y_true has {classes.size}. Give a probability of each, and pass log_loss."
        )
    if positive is None and set(classes.tolist()) not in ({0, 1}, {-1, 1}):
        raise InvalidParameterError(
            f"which of the classes {known} is the positive one? Pass ",
            Setting("positive", repr(str(classes[1]))),
            Advice(" or the other to read_predictions() or read_scores()", typed=" or the other"),
            "; their order does not say it.",
            about="positive",
        )
    if positive is not None and positive not in classes.tolist():
        raise InvalidParameterError(f"positive={positive!r} is no class of y_true; there are {known}.")
    return classes[1] if positive is None else positive


def _finite(values: NDArray[Any], whose: str, why: str) -> FloatArray:
    """Numbers without gaps."""
    if values.dtype.kind not in "biuf" or values.ndim != 1 or not (np.abs(values.astype(float)) <= _LARGEST).all():
        raise DataError(f"{whose!r} needs a finite number of at most {_LARGEST:g} in size for each example: {why}.")
    return values.astype(float)


_LARGEST = 1e40
"""Largest number that is predicted: beyond it the skewness of squared errors may be infinite."""


def _probabilities(values: NDArray[Any], classes: NDArray[Any], positive: Any, model: str) -> FloatArray:
    """Probabilities of all classes, in their order; of a single column those of the positive class and the other."""
    which = _positive(classes, positive) if values.ndim == 1 else None
    given = _finite(values, model, f"the probability of {which!r}")[:, None] if values.ndim == 1 else values.astype(float)
    if values.ndim == 2 and given.shape[1] != classes.size:
        raise DataError(f"{model!r} has {given.shape[1]} columns of probabilities, y_true {classes.size} classes.")
    for row, column in np.argwhere(~((given >= 0) & (given <= 1)))[:1]:
        raise DataError(f"probabilities lie between 0 and 1; {model!r} has {given[row, column]:g} for example {row + 1}.")
    table = np.where(classes == which, given, 1 - given) if values.ndim == 1 else given
    sums = table.sum(axis=1)
    for row in np.flatnonzero(np.abs(sums - 1) > 1e-4)[:1]:
        raise DataError(f"the probabilities of {model!r} for example {row + 1} sum to {sums[row]:g}, not 1.")
    return np.asarray(table)


# --- predictions in tables ------------------------------------------------------------------------------------------------


def losses_in_time(items: Items, reading: Reading) -> Long:
    """Losses by period of models' forecasts of one series."""
    model, period = np.indices((len(items.models), len(items.items)))
    return Long(
        {"model": Words(items.models, model.ravel()), "time": Words(items.items, period.ravel())},
        {"score": items.score.ravel()},
        reading.table.name,
        lambda row: f"period {items.items[row % len(items.items)]}",
        items.metric.name,
        roles=items.sources[0].removeprefix("read: "),
    )


def items_of_predictions(
    readings: Sequence[Reading], names: Sequence[str], options: ReadOptions, *, is_one_run: bool = False
) -> Items:
    """Scores of single items from tables of the truth and predictions: a column or rows for each model, or a table for each.

    `names` are those of the models of tables with one column of predictions. Examples of a series belong together. In
    `is_one_run` nothing tells rows of one example apart.
    """
    runs = [role for role in ("seed", "repeat", "run", "epoch") if readings[0].roles.keys() >= {role, "item"}]
    names_of = ({str(role): each.words(role) for role in ("item", "model", "dataset") if role in each.roles} for each in readings)
    if runs and not is_one_run and not all("item" not in its or is_unique(its["item"], its) for its in names_of):
        return _of_runs(readings, names, options, runs)
    parts = []
    for reading, name in zip(readings, names, strict=True):
        is_alone = "model" not in reading.roles
        models = Words((name,), np.zeros(reading.table.n_rows, int)) if is_alone else reading.key("model").ordered()
        roles = {role: columns for role, columns in reading.roles.items() if role != "model"}
        for code, model in enumerate(models.names):  # rows of each model, where a column names it
            own = reading.table.take(np.flatnonzero(models.code == code))
            parts.append((replace(reading, table=own, roles=roles), model))
    first, used = parts[0][0], set[str]()
    truth, keys, found = _values(first, first.roles["truth"][0]), _keys_of(first), dict[str, NDArray[Any]]()
    for reading, name in parts:
        reading.without_parts({role: reading.words(role) for role in ("split", "fold", "dataset") if role in reading.roles})
        order = _order(keys, _keys_of(reading), truth, _values(reading, reading.roles["truth"][0]), reading.table.name)
        for model, columns in _columns(reading, name, is_one=len(parts) > 1).items():
            if model in found:
                raise UnclearSourceError(
                    f"two sources hold predictions of {model!r}. Name each file after its model; if that is the column of what "
                    "each predicts, say so: ",
                    column_advice("prediction", model),
                    "; where a column holds scores, name it with ",
                    Setting("metric"),
                    ".",
                )
            values = [_values(reading, column)[order] for column in columns]
            found[model] = np.stack(values, axis=-1) if len(values) > 1 else values[0]
            used.update(columns)
    if options.models is not None:
        found = {model: found[list(found)[look_up(model, list(found), "model")]] for model in options.models}
    positive = next((each for each in np.unique(truth).tolist() if str(each) == str(options.positive)), options.positive)
    together = "cluster" if "cluster" in first.roles else "dataset" if {"dataset", "time"} <= first.roles.keys() else ""
    items = read_predictions(
        truth,
        found,
        metric=options.metric,
        positive=positive,
        items=keys,
        clusters=first.words(together).texts() if together else None,
    )
    name_metric(items.metric.name, options.direction_of(items.metric.name))  # what the caller says must agree
    unused = [name for name in first.others(*first.roles) if name not in {*used, "column 1"}]
    keys_in = [f"{role} = {first.roles[role][0]}" for role in ("truth", "prediction", "item", "time") if role in first.roles]
    said = f"; not used: {', '.join(unused[:8])}" if unused else ""
    return replace(items, sources=(printable(f"read: {', '.join(keys_in)}, models = {quoted(list(found), 4)}{said}"),))


def _of_runs(readings: Sequence[Reading], names: Sequence[str], options: ReadOptions, roles: Sequence[str]) -> Items:
    """Scores of single items where each run, seed or repeat of a model predicts all of them."""
    column, role = readings[0].roles[roles[0]][0], roles[0]
    held = [joined([each.words(part) for part in roles if part in each.roles]).texts() for each in readings]
    parts = []
    for run in dict.fromkeys(chain.from_iterable(held)):
        rows = [np.flatnonzero([text == run for text in texts]) for texts in held]
        own = [replace(each, table=each.table.take(at)) for each, at in zip(readings, rows, strict=True)]
        items = items_of_predictions(
            [each for each in own if each.table.n_rows],
            [name for each, name in zip(own, names, strict=True) if each.table.n_rows],
            options,
            is_one_run=True,
        )
        if not items.is_mean:
            raise readings[0].table.refuse(
                f"each {role} has predictions of the same examples, and {items.metric.name} is no mean over them.",
                "Keep one, ",
                where_advice(column, readings[0].table.words(column).names[0]),
                ", or name a metric that is one: ",
                Setting("metric", "'accuracy'"),
                ".",
                column=column,
                kind=UnclearSourceError,
            )
        part = long_of_items(items)
        part.words["epoch" if role == "epoch" else "run"] = Words((run,), np.zeros(part.numbers["score"].size, dtype=np.int32))
        parts.append(part)
    return items_of(parts)


_FORMS = PREDICTED | frozenset("class correct err error hat label resid residual score y".split())
"""Words of names that say in which form a column holds what a model predicts."""

_CHANCES = CHANCES | {"confidence", "score"}
"""Words of names of columns of probabilities, or of what stands for them."""

_MOST_CLASSES = 1000
"""Classes of which a probability may have a column."""


def _by_class(reading: Reading, columns: Sequence[str]) -> dict[str, list[str]]:
    """Columns of probabilities by whose they are, where there is one for each class: lr_0 and lr_1 are those of "lr".

    They stand in the order of the classes. Those that are not called as probabilities are, as prob_0, have to add up to 1.
    """
    truth = np.unique(_values(reading, reading.roles["truth"][0]))
    if not 2 <= truth.size <= _MOST_CLASSES:
        return {}
    classes = [str(each).casefold() for each in truth.tolist()]
    ends = "|".join(map(re.escape, sorted(classes, key=len, reverse=True)))
    found: dict[str, dict[str, str]] = {}
    for name in columns:
        if not reading.is_text[name] and (match := re.fullmatch(rf"(.*?)[\W_]*({ends})", name, re.IGNORECASE)):
            found.setdefault(match[1], {})[match[2].casefold()] = name
    return {
        stem: [own[each] for each in classes]
        for stem, own in found.items()
        if own.keys() == {*classes}
        and (_FORMS.issuperset(words_in(stem)) or np.allclose(sum(map(reading.table.numbers, own.values())), 1, 0, 1e-3))
    }


def _columns(reading: Reading, model: str = "", *, is_one: bool = False) -> dict[str, list[str]]:
    """Columns of predictions by model, several where it has one of each class; `model` is that of a table which is of one."""
    roles, models = reading.roles, reading.options.models
    if models is not None and set(models) <= set(reading.table.columns):
        return {name: [name] for name in models}
    rest = reading.others(*(roles.keys() - {"score", "judge", "human", "metric", "n_train", "n_test", "test_set"}))
    if "prediction" in roles:
        [own] = roles["prediction"]
        chances = [name for name in rest if not reading.is_text[name] and not _CHANCES.isdisjoint(words_in(name))]
        is_of_classes = reading.is_text[own] or not has_fractions(reading.table.columns[own])
        if chances and is_of_classes and meant_by(reading.options.metric or "").removeprefix("neg_") in OF_PROBABILITIES:
            if len(tables := _by_class(reading, chances)) == 1:
                return {model: next(iter(tables.values()))}
            raise reading.table.refuse(
                f"it holds classes, and {reading.options.metric} is of probabilities.",
                "Name those: ",
                column_advice("prediction", chances[0]),
                ".",
                column=own,
                kind=UnclearSourceError,
            )
        alike = [  # called like that of predictions and more, as y_pred2 or y_pred_new, and of the same kind
            name
            for name in rest
            if plain(name).startswith(plain(own))
            and _CHANCES.isdisjoint(words_in(name))
            and not is_no_score(name)
            and reading.is_text[own] == reading.is_text[name]
        ]
        return {name: [name] for name in (own, *alike)} if alike and not is_one else {model: [own]}
    rest = [name for name in rest if name != "column 1" and role_of(name) != "item" and not re.search(r"-(lo|hi)-\d", name)]
    named = [name for name in rest if names_predictions(name)]
    rest = named if is_one and len(named) == 1 else rest
    if reading.options.metric is not None:  # which is of classes or of probabilities, where a model has both
        is_of_chances = meant_by(reading.options.metric).removeprefix("neg_") in OF_PROBABILITIES
        fitting = [name for name in named if _CHANCES.isdisjoint(words_in(name)) != is_of_chances]
        rest = fitting if len(named) == len(rest) > len(fitting) > 0 else rest
    classes, n_rows = reading.table.words(roles["truth"][0]).names, reading.table.n_rows
    texts = {name: reading.table.words(name).names for name in rest if reading.is_text[name]}
    # sentences, most of which stand once, are no classes
    prose = [name for name, own in texts.items() if 2 * len(own) > n_rows > len(classes) and set(own).isdisjoint(classes)]
    rest = [name for name in rest if name not in prose]
    tables = _by_class(reading, rest)
    of_classes = [name for own in tables.values() for name in own]
    if is_one and len(tables) == 1:
        return {model: of_classes}
    if len(tables) > 1 and len(of_classes) == len(rest):
        return tables
    odd = [
        name
        for name in rest
        if not reading.is_text[name]
        and name not in (*named, *of_classes)
        and (
            len(named) > 1 or (len(rest) > 1 and is_no_score(name) and MEANS.isdisjoint(words_in(name)))
        )  # a mean may be predicted
    ]
    marks = [name for name in rest if not GRADES.isdisjoint((words_in(name) or [""])[:: max(len(words_in(name)) - 1, 1)])]
    whose = {name: " ".join(word for word in words_in(name) if word not in _FORMS) for name in rest}
    several = of_classes or [name for name in rest if whose[name] and list(whose.values()).count(whose[name]) > 1]
    wrong = {
        "it has the truth, but no column of predictions.": not rest,
        **{f"is {name!r} what a model predicts?": True for name in odd[:1]},
        f"{quoted(several, 6)} are several columns of a model.": several,
        **{f"is {name!r} what a model predicts, or a score?": True for name in roles.get("score", marks)[:1]},
    }
    for what in [what for what, is_so in wrong.items() if is_so][-1:]:
        beside = "A truth in a file of its own belongs beside the predictions: into one table with a column for each model. Else "
        raise reading.table.refuse(
            what,
            "Name" if rest else f"{beside}name",
            " the columns of predictions with ",
            Setting("models"),
            "; where they are scores, name the one to compare with ",
            Setting("metric"),
            ", or leave out the truth.",
        )
    return {model: rest} if is_one and len(rest) == 1 else {name: [name] for name in rest}


def _values(reading: Reading, name: str) -> NDArray[Any]:
    """Classes as words or whole numbers, or numbers."""
    column = reading.table.columns[name]
    missing = column.code < 0 if isinstance(column, Words) else np.isnan(column)
    reading.table.refuse_rows(
        missing,
        lambda _: f"no value is given ({missing.sum()} such row(s) in all).",
        "Leave these examples out for all models, or name the columns of predictions with ",
        Setting("models"),
        ".",
        column=name,
    )
    return np.array(column.names, dtype=str)[column.code] if isinstance(column, Words) else whole_numbers(column)


def whole_numbers(column: FloatArray) -> NDArray[Any]:
    """Numbers without gaps that are all whole as integers, so that classes keep their names; others as they are."""
    return column.astype(np.int64) if np.all((column == np.floor(column)) & (np.abs(column) < 2**53)) else column


def _keys_of(reading: Reading) -> list[str]:
    """Names of the examples: of their column, of series and period, or by their order."""
    table, roles = reading.table, reading.roles
    columns = [roles[role][0] for role in (("time",) if reading.is_in_time else ("dataset", "item", "time")) if role in roles]
    if not {"item", "time"} & roles.keys():  # a number of the sample, or the index of a frame, in the order of which they stand
        numbered = roles.get("epoch", ["column 1"] if "column 1" in table.columns else [])
        columns = [name for name in numbered if len(set(table.words(name).texts())) == table.n_rows]
    named = [table.words(column).texts() for column in columns] or [list(map(str, range(1, table.n_rows + 1)))]
    keys = [" ".join(each) for each in zip(*named, strict=True)]
    # columns of numbers beside none of predictions are of models
    beside = {name: table.columns[name] for name in reading.others(*roles) if reading.is_text[name] or "prediction" in roles}
    refuse_doubles(
        table,
        beside,
        Words(("",), np.zeros(table.n_rows, dtype=np.int32)),
        {"example": words_of(keys)},
        "",
        {""},
        hints=(" If they are of several series: ", column_advice("dataset", reading.named_in), "."),
    )
    return keys


def _order(keys: Sequence[str], own: Sequence[str], truth: NDArray[Any], own_truth: NDArray[Any], name: str) -> list[int]:
    """Rows of a table in the order of the first one's examples, of which the truth must be the same."""
    place, known = {key: row for row, key in enumerate(own)}, set(keys)
    lacking, more = [key for key in keys if key not in place], [key for key in place if key not in known]
    if lacking or more:
        raise DataError(
            f"{name} is of other examples than the first source: it lacks {len(lacking)} ({quoted(lacking, 3)}) and "
            f"has {len(more)} more ({quoted(more, 3)}). Give predictions of the same examples."
        )
    order = [place[key] for key in keys]
    both = zip(keys, truth.tolist(), own_truth[order].tolist(), strict=True)
    for key in [key for key, one, two in both if str(one) != str(two)][:1]:
        raise DataError(f"{name} has another truth for example {key!r} than the first source. Are they of one test set?")
    return order
