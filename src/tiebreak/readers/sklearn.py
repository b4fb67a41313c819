"""Scores that scikit-learn and its like return: fitted searches, results of cross_validate, arrays by model, trials of Optuna.

A table that none of these made comes through here too, so what plans a run is imported where it is needed.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import (
    DataError,
    Setting,
    UnclearSourceError,
    UnsupportedSourceError,
)
from tiebreak.numerics import FloatArray
from tiebreak.readers.header import is_metric, role_of
from tiebreak.readers.source import (
    ReadOptions,
    Source,
    choose_metric,
    refuse_items,
    scorer_of,
    scores_of,
    sklearn_metric,
    table_metric,
)
from tiebreak.readers.splits import MOST_FOLDS
from tiebreak.readers.tables import SourceTable, Words, column_of
from tiebreak.scores.items import Items
from tiebreak.scores.metric import has_direction
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign, typical_time
from tiebreak.scores.vocabulary import Notice

if TYPE_CHECKING:
    from tiebreak.plan.splits import Splits

_SPLIT = re.compile(r"split(?P<number>\d+)_test_(?P<metric>.+)")
"""Name of the scores of one split of a search."""

_FOLD_OF_TRIAL = re.compile(r"user_attrs_(?P<metric>.*?)_?(fold|split|cv)_?(?P<number>\d+)", re.IGNORECASE)
"""Name of the scores of one fold that the trials of a study keep, alone or after a metric."""


# --- what is read -------------------------------------------------------------------------------------------------------


def is_of_sources(source: Mapping[Any, Any]) -> bool:
    """True for a dict with what may be a table of its own for each model, which no result of cross_validate is."""
    values = source.values()
    are_sources = all(
        isinstance(each, str | os.PathLike | Mapping | Items | Scores)
        or hasattr(type(each), "columns")
        or hasattr(each, "__tiebreak_scores__")
        for each in values
    )
    return len(source) > 0 and are_sources and not all(map(_result_of, values))


def is_cv_results(names: Iterable[Any]) -> bool:
    """True for the names of what ``cv_results_`` of a search holds, also as columns of a file."""
    return any(isinstance(name, str) and _SPLIT.fullmatch(name) for name in names)


def is_trials(names: Iterable[Any]) -> bool:
    """True for the names of columns of a study's trials that keep the score of each fold."""
    texts = list(map(str, names))
    is_numbered = any(text == "number" or text.startswith("params_") for text in texts)
    return is_numbered and sum(map(len, _by_metric(texts, _FOLD_OF_TRIAL).values())) > 1


def _by_metric(names: Iterable[Any], pattern: re.Pattern[str]) -> dict[str, dict[int, str]]:
    """Names of columns of scores by their metric, and by the number of the split."""
    found: dict[str, dict[int, str]] = {}
    for match in filter(None, map(pattern.fullmatch, map(str, names))):
        found.setdefault(match["metric"], {})[int(match["number"])] = match[0]
    return found


def _is_column(name: Any) -> bool:
    """True for a name that says what a column of a table holds, so that it is no model."""
    text = str(name).strip()
    return text in ("", "#") or text.startswith("Unnamed: ") or role_of(text) not in ("", "cluster", "weight", "judge", "human")


def _result_of(value: Any) -> dict[str, Any]:
    """Result of cross_validate as a dict, whether it is one or a frame; empty for anything else."""
    names: Iterable[Any] = value if isinstance(value, Mapping) else ()
    if hasattr(type(value), "columns") and not hasattr(type(value), "collect"):
        names = getattr(value, "column_names", value.columns)
    return {str(name): value[name] for name in names} if any(str(name).startswith("test_") for name in names) else {}


def is_by_model_and_metric(source: Any) -> bool:
    """True for a dict of models with a dict of the same metrics or splits for each, as people keep what they measured."""
    values = list(source.values()) if isinstance(source, Mapping) else []
    is_of_dicts = len(values) > 0 and all(isinstance(each, Mapping) for each in values) and not any(map(_result_of, values))
    names = {frozenset(each) for each in values} if is_of_dicts else set()
    return len(names) == 1 and not any(map(_is_column, *names)) and not is_cv_results(*names)


def is_one_result(source: Any) -> bool:
    """True for what one call of cross_validate returns, and nothing beside it, such as a column of models."""
    return "fit_time" in (names := _result_of(source)) and all(
        re.fullmatch(r"(fit|score)_time|estimator|indices|(test|train)_.+", each) for each in names
    )


def read(source: Any, name: str, options: ReadOptions) -> Source | None:
    """Scores of a fitted search, of a study, of results of cross_validate or of one score for each split by model.

    None of anything else, such as a table. Of a successive-halving search those of its last iteration, since earlier ones saw
    other samples. Models are paired by position unless ``return_indices=True``, or the index of pandas' Series, shows the splits,
    which must be the same for all.
    """
    kind, by_model = type(source).__name__, source if isinstance(source, Mapping) else {}
    if isinstance(getattr(source, "cv_results_", None), Mapping):
        return Source(read_cv_results(source.cv_results_, f"the {kind}", options, source), f"the {kind}")
    if isinstance(getattr(source, "trials", None), list):
        return Source(read_trials(_columns_of(source.trials), f"the {kind}", options), f"the {kind}")
    inside = by_model.values() if by_model else source[:1] if isinstance(source, list | tuple) else [source]
    # asked of the class: the columns of a frame are attributes too
    models = [each for each in inside if hasattr(type(each), "fit") and {"predict", "get_params"} & {*dir(type(each))}]
    if models and any(hasattr(source, name) for name in ("param_grid", "param_distributions", "search_spaces")):
        raise DataError(f"this {kind} has not been fitted, so it has no scores. Call its fit(X, y) first.")
    if models:
        raise UnsupportedSourceError(
            f"these are models (such as {type(models[0]).__name__}), not scores: tb.evaluate(models, X, y, cv=10).compare() "
            "measures and compares them."
            + " The best score of a search flatters, so each is searched anew within every training set; tb.compare(search) "
            "compares the candidates of one." * hasattr(models[0], "cv_results_")
        )
    is_of_several = getattr(getattr(source, "index", None), "nlevels", 1) > 1  # a frame of the results of each model
    if is_one_result(source) and not is_of_several:
        raise DataError(f"{name} is the result of one call of cross_validate. Pass {{name: result}} with one for each model.")
    if is_cv_results(by_model):
        return Source(read_cv_results(by_model, "cv_results_", options), "cv_results_")
    are_columns = (
        any(map(_is_column, by_model))
        or all(map(is_metric, map(str, by_model)))  # the history of a training
        or is_trials(by_model)
        or len(set(map(str, by_model))) < len(by_model)
    )
    if not by_model or is_of_sources(by_model) or (are_columns and not all(map(_result_of, by_model.values()))):
        return None
    return Source(read_by_model({str(model): values for model, values in by_model.items()}, name, options), name)


# --- searches -----------------------------------------------------------------------------------------------------------


def read_cv_results(results: Mapping[str, Any], name: str, options: ReadOptions, search: Any = None) -> Scores:
    """Scores of all candidates in the ``cv_results_`` of a search, whose cells may be the texts of a file."""
    from tiebreak.plan.candidates import name_candidates

    params = _params(results, name)
    key, score = _scored(results, _SPLIT, options.metric, len(params), name)
    scorers = getattr(search, "scorer_", None)
    scorer, sign = key, getattr(scorers.get(key), "_sign", None) if isinstance(scorers, Mapping) else None
    if search is not None and key == "score":
        scorer, sign = scorer_of(search, options)
    iteration = _numbers(results["iter"], name, "iter") if "iter" in results else np.zeros(len(params))
    kept, n_all = np.flatnonzero(iteration == iteration.max()), int(np.sum(iteration == iteration.min()))
    models, _ = name_candidates([params[row] for row in kept.tolist()])
    mean, spread = (_seconds(results.get(f"{each}_fit_time")) for each in ("mean", "std"))
    times: dict[str, tuple[float, float]] = {}
    if mean.size == spread.size == len(params):
        errors = spread / np.sqrt(max(score.shape[1] - 1, 1))  # of the deviation with n, as scikit-learn keeps it
        times = dict(zip(models, zip(mean[kept].tolist(), errors[kept].tolist(), strict=True), strict=True))
    left_out = Notice(
        "left-out",
        f"{kept.size} of {n_all} candidates of {name} were measured to the end; only these are compared. They came "
        "through on scores of the same data, so their means are likely a little too good, and nothing is said of the others",
    )
    matrix, design = _with_splits(_matrix(models, score[kept]), SplitDesign(), options, search)
    return scores_of(
        [matrix],
        [sklearn_metric(scorer, options, sign)],
        design,
        options,
        name,
        notices=(left_out,) if kept.size < n_all else (),
        by_sklearn=True,
        fit_times=times,
    )


def scores_of_candidates(results: Mapping[str, Any], metric: str | None = None) -> FloatArray:
    """Scores of a ``cv_results_`` as they are stored, higher being better, of shape (n_candidates, n_splits).

    `metric` says which of several; nan stands for a fit or a score that failed.
    """
    return _scored(results, _SPLIT, metric, len(_params(results, "cv_results_")), "cv_results_")[1]


def _scored(
    columns: Mapping[str, Any], pattern: re.Pattern[str], metric: str | None, n_rows: int, name: str
) -> tuple[str, FloatArray]:
    """The metric asked for, or the only one, whatever it is called, and its scores with a row for each candidate."""
    by_metric = _by_metric(columns, pattern)
    if not by_metric:
        raise DataError(f"{name} holds no scores of splits (split0_test_score and so on).")
    key = choose_metric(list(by_metric), None if len(by_metric) == 1 and {*by_metric} & {"score", ""} else metric, name)
    numbered = dict(sorted(by_metric[key].items()))
    if [*numbered] not in [list(range(first, first + len(numbered))) for first in (0, 1)]:
        raise DataError(f"{name} lacks the scores of some splits: it has {[*numbered]}. Pass it whole.")
    held = {column: _numbers(columns[column], name, column) for column in numbered.values()}
    for column, n in [(column, values.size) for column, values in held.items() if values.size != n_rows][:1]:
        raise DataError(f"{name}: {column!r} holds {n} scores for {n_rows} candidates. Pass it whole.")
    return key, np.array(list(held.values())).T.copy()


def _params(results: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Parameters of each candidate, of the column of dicts that a search writes, or of a column for each parameter."""
    params = [each for each in results.get("params", ()) if isinstance(each, Mapping)] or _rows_of(results, "param_")
    if not params:
        raise DataError(
            f"{name} has scores of splits but neither 'params' with a dict for each candidate nor columns 'param_...', so the "
            "candidates cannot be named. Pass cv_results_ whole, or {name: scores}."
        )
    return params


def _rows_of(columns: Mapping[str, Any], prefix: str) -> list[Mapping[str, Any]]:
    """Parameters of each row, without those whose cell is empty."""
    named = {
        name.removeprefix(prefix): each
        for name, each in columns.items()
        if str(name).startswith(prefix) and hasattr(each, "__len__")
    }
    return [
        {name: value for name, value in zip(named, row, strict=True) if value is not None}
        for row in zip(*(map(_value, cells) for cells in named.values()), strict=False)
    ]


def _value(cell: Any) -> Any:
    """Value of a parameter: text that spells a number is the number, None where the cell is empty."""
    if isinstance(cell, str):
        return float(cell) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", cell, re.ASCII) else cell or None
    is_empty = type(cell).__name__ in ("NAType", "NaTType", "MaskedConstant")
    return None if is_empty or (isinstance(cell, float) and np.isnan(cell)) else cell


def _seconds(values: Any) -> FloatArray:
    """Times of fits as they are kept; a nan where they are no numbers."""
    column = column_of(values) if hasattr(values, "__iter__") else None
    return column if isinstance(column, np.ndarray) and column.size else np.array([np.nan])


# --- studies ------------------------------------------------------------------------------------------------------------


def _columns_of(trials: Sequence[Any]) -> dict[str, list[Any]]:
    """Columns of the trials of a study, named as in its frame; a list of scores is a column for each split."""
    rows = [
        {
            "number": trial.number,
            "state": getattr(trial.state, "name", trial.state),
            **{f"params_{name}": value for name, value in trial.params.items()},
            **{
                f"user_attrs_{name}{end}": each
                for name, value in trial.user_attrs.items()
                for end, each in (
                    [(f"_split{k}", each) for k, each in enumerate(value)] if isinstance(value, list | tuple) else [("", value)]
                )
            },
        }
        for trial in trials
    ]
    return {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}


def read_trials(columns: Mapping[str, Sequence[Any]], name: str, options: ReadOptions) -> Scores:
    """Scores of the complete trials of a study that keep one for each fold."""
    from tiebreak.plan.candidates import name_candidates

    n_trials = max(map(len, columns.values()), default=0)
    kept = np.flatnonzero([str(state) == "COMPLETE" for state in columns.get("state", ["COMPLETE"] * n_trials)])
    groups = _by_metric(columns, _FOLD_OF_TRIAL)
    if not groups or not kept.size:
        raise DataError(
            f"{name} has no complete trials that keep the scores of their folds. Store them in the objective: "
            "trial.set_user_attr('fold0', score) and so on."
        )
    metric, score = _scored(columns, _FOLD_OF_TRIAL, options.metric if len(groups) > 1 else None, n_trials, name)
    rows = _rows_of(columns, "params_") or [{"trial": number} for number in columns["number"]]
    models, _ = name_candidates([rows[row] for row in kept.tolist()])
    matrix, design = _with_splits(_matrix(models, score[kept]), SplitDesign(), options)
    are_folds = not any("split" in column.casefold() for column in groups[metric].values()) and matrix.n_splits <= MOST_FOLDS
    if are_folds and not options.has_sizes:
        matrix = dataclasses.replace(matrix, n_folds=matrix.n_folds or matrix.n_splits)
    return scores_of(
        [matrix],
        [table_metric(metric if options.metric is None and has_direction(metric) else None, options, name)],
        design,
        options,
        name,
    )


# --- scores by model ----------------------------------------------------------------------------------------------------


def read_by_model(by_model: Mapping[str, Any], name: str, options: ReadOptions) -> Scores:
    """Scores of results of cross_validate, or of one score for each split, by model."""
    from tiebreak.plan.splits import shared_splits

    results, chosen = {model: _result_of(values) for model, values in by_model.items()}, ""
    are_results = all(results.values())
    if are_results:
        held = tuple(dict.fromkeys(key[5:] for result in results.values() for key in result if key.startswith("test_")))
        chosen = choose_metric(held, None if held == ("score",) else options.metric, name)
        by_model = {model: result.get(f"test_{chosen}", f"no scores for {chosen!r}") for model, result in results.items()}
    matrix, design = _paired(by_model, name)
    splits = shared_splits({model: result.get("indices") for model, result in results.items()}, matrix.n_splits, name)
    matrix, design = _with_splits(matrix, design, options) if splits is None else splits.applied_to(matrix)
    refuse_items(matrix, options, name)
    times = {model: typical_time(_seconds(result.get("fit_time"))) for model, result in results.items() if result}
    own = sklearn_metric(chosen, options) if are_results else table_metric(None, options, name, has_sizes=matrix.has_ratio)
    return scores_of([matrix], [own], design, options, name, by_sklearn=are_results, fit_times=times)


def _matrix(models: Sequence[str], score: FloatArray) -> ScoreMatrix:
    """Scores on splits that are numbered from 0 on."""
    fold = np.arange(score.shape[1])
    return ScoreMatrix("", tuple(models), 0 * fold, fold, 0 * fold, 0 * fold, score)


def _paired(scores: Mapping[str, Any], name: str) -> tuple[ScoreMatrix, SplitDesign]:
    """Scores of models in one order of their splits: that of the index of pandas' Series, where it names them."""
    series = {model: list(values.index) for model, values in scores.items() if hasattr(values, "reindex")}
    labels = next((index for index in series.values() if index != list(range(len(index)))), None)
    if labels is not None:
        odd = next((model for model in scores if Counter(series.get(model, ())) != Counter({*labels})), None)
        if odd is not None:
            raise DataError(
                f"{name}: scores are paired by the index of their Series, whose labels each model must have once, and those of "
                f"{odd!r} are others, or stand twice. Score all on the same splits; if the indexes mean nothing, pass arrays: "
                "scores.to_numpy()."
            )
        scores = {model: values.reindex(labels) for model, values in scores.items()}
    arrays = {model: _numbers(values, name, model) for model, values in scores.items()}
    n_scores = {model: values.size for model, values in arrays.items()}
    if len({*n_scores.values()}) > 1:
        most, least = (pick(n_scores, key=n_scores.__getitem__) for pick in (max, min))
        raise DataError(
            f"{name}: model {most!r} has {n_scores[most]} scores and {least!r} has {n_scores[least]}, so they cannot be paired "
            "by their order. Score all models on the same splits."
        )
    return _matrix(tuple(arrays), np.array(list(arrays.values()))), SplitDesign(pairing="position" if labels is None else "key")


def _numbers(values: Any, name: str, column: str) -> FloatArray:
    """Scores as floats, a copy, nan where there is none; texts that spell numbers are numbers, as in a table."""
    found = column_of(values) if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping) else None
    if not isinstance(found, np.ndarray | Words) or not len(values):
        raise DataError(
            f"{name}: the scores of {column!r} must be numbers in one list, one for each split; got "
            f"{' '.join(repr(values)[:60].split())}. For repeats by folds, use a table with columns 'repeat' and 'fold'."
        )
    return SourceTable(name, {column: found}, lambda row: f"score {row + 1}", len(values), {}).numbers(column)


# --- splits -------------------------------------------------------------------------------------------------------------


def _with_splits(
    matrix: ScoreMatrix, design: SplitDesign, options: ReadOptions, search: Any = None
) -> tuple[ScoreMatrix, SplitDesign]:
    """The matrix with the keys and sizes of the splits that the `cv` of a search, or the caller's, makes; and the design.

    Sizes are exact where X and y are given, or where ``cv`` is a list of splits; of k-fold their ratio follows from k.
    """
    from tiebreak.plan.splits import split_again, splits_unseen

    cv = getattr(search, "cv", options.cv)
    if cv is None and not hasattr(search, "cv"):
        return matrix, design
    is_given = isinstance(cv, list | tuple) or any(base.__name__ == "PredefinedSplit" for base in type(cv).__mro__)
    if options.X is not None or options.y is not None or is_given:
        try:
            splits = split_again(cv, options.X, options.y, options.groups, matrix.n_splits, getattr(search, "estimator", None))
            return _of_subsample(search, splits).applied_to(matrix)
        except UnclearSourceError:
            if not options.has_sizes:
                raise
    splits = splits_unseen(cv, matrix.n_splits)
    if not splits.n_folds and not options.has_sizes:
        raise UnclearSourceError(
            "the correction needs to know how large a test set is beside its training set, which a cv of type "
            f"{type(cv).__name__!r} does not say by itself. Pass X= and y= (and groups=) as they were given, and the examples "
            "are counted by splitting again; or ",
            Setting("n_train"),
            " and ",
            Setting("n_test"),
            " (examples per split).",
        )
    matrix, made = dataclasses.replace(splits, n_folds=0 if options.has_sizes else splits.n_folds).applied_to(matrix)
    return matrix, dataclasses.replace(made, pairing=design.pairing)


def _of_subsample(search: Any, splits: Splits) -> Splits:
    """Sizes of the last iteration of a successive-halving search, which may see part of the examples of each split."""
    if getattr(search, "resource", None) != "n_samples" or "iter" not in search.cv_results_:
        return splits
    fraction = float(np.asarray(search.cv_results_["n_resources"])[-1]) / int((splits.n_train + splits.n_test).max())
    n_train, n_test = (np.floor(min(fraction, 1.0) * sizes).astype(np.int64) for sizes in (splits.n_train, splits.n_test))
    return dataclasses.replace(splits, n_train=n_train, n_test=n_test, hash=splits.hash if fraction >= 1.0 else None)
