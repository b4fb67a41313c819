"""An evaluation as frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tiebreak.errors import DataError, Setting, UnknownNameError
from tiebreak.evaluation.cells import log_of, outcomes_with_outputs, scorers_of, table_of
from tiebreak.evaluation.model_calls import as_answered
from tiebreak.metrics.resolve import resolve_scorers
from tiebreak.metrics.scorer import Scorer
from tiebreak.metrics.targets import UndefinedScore, make_truth
from tiebreak.numerics import FloatArray, Interval, corrected_interval, row_moments
from tiebreak.plan.record import Cell, Outcome, State
from tiebreak.scores.metric import Metric
from tiebreak.scores.vocabulary import quoted

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.evaluation.evaluation import Evaluation


class FailureGroup(NamedTuple):
    """Failed cells of one state and message.

    Attributes
    ----------
    state, message : str
    n_cells : int
    models : tuple of str
        Names, in the order of the plan.
    first : str
        Dataset and split of the first such cell.
    attempts : int
        The most that was made.
    traceback : str
        Of the first.
    """

    state: State
    message: str
    n_cells: int
    models: tuple[str, ...]
    first: str
    attempts: int
    traceback: str


class TextGroup(NamedTuple):
    """Cells that share a text: a warning, or the reason why a score is undefined."""

    text: str
    n_cells: int
    models: tuple[str, ...]
    first: str


def failure_groups(evaluation: Evaluation) -> list[FailureGroup]:
    """Failed cells, the most frequent message first."""
    groups: dict[tuple[State, str], list[Outcome]] = {}
    for outcome in _outcomes(evaluation, table_of(evaluation).state != 0):
        groups.setdefault((outcome.state, outcome.message), []).append(outcome)
    return [
        FailureGroup(
            state,
            message,
            len(outcomes),
            _models(evaluation, [outcome.cell for outcome in outcomes]),
            _where(evaluation, outcomes[0].cell),
            max(outcome.attempts for outcome in outcomes),
            outcomes[0].traceback,
        )
        for (state, message), outcomes in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]


def warning_groups(evaluation: Evaluation) -> list[TextGroup]:
    """Warnings that fits gave, the most frequent first."""
    noted = log_of(evaluation).noted("warnings")
    return _by_text(evaluation, ((text, outcome.cell) for outcome in noted for text in outcome.warnings))


def undefined_groups(evaluation: Evaluation) -> list[TextGroup]:
    """Undefined scores as "metric: reason", the most frequent first."""
    if not np.any(table_of(evaluation).has_score & np.isnan(table_of(evaluation).score)):
        return []
    return _by_text(
        evaluation,
        (
            (f"{metric}: {reason}", outcome.cell)
            for outcome in log_of(evaluation).noted("undefined")
            for metric, reason in outcome.undefined.items()
        ),
    )


def _by_text(evaluation: Evaluation, texts: Iterable[tuple[str, Cell]]) -> list[TextGroup]:
    groups: dict[str, list[Cell]] = {}
    for text, cell in texts:
        groups.setdefault(text, []).append(cell)
    return [
        TextGroup(text, len(cells), _models(evaluation, cells), _where(evaluation, cells[0]))
        for text, cells in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]


def _models(evaluation: Evaluation, cells: Iterable[Cell]) -> tuple[str, ...]:
    return tuple(evaluation.models[model] for model in sorted({cell.model for cell in cells}))


def _where(evaluation: Evaluation, cell: Cell) -> str:
    dataset = evaluation.record.datasets[cell.dataset]
    return f"{dataset.name}, {dataset.split_name(cell.split)}" if dataset.name else dataset.split_name(cell.split)


def _outcomes(evaluation: Evaluation, rows: Any) -> Iterator[Outcome]:
    """The outcomes of some rows of the table."""
    table, chosen = table_of(evaluation), np.flatnonzero(rows)
    keys = zip(*(part[chosen].tolist() for part in (table.dataset, table.split, table.model)), strict=True)
    return log_of(evaluation).outcomes([Cell(*key) for key in keys]) if chosen.size else iter(())


def choices_frame(evaluation: Evaluation) -> pd.DataFrame:
    """A row for each fit of a search: what it chose, its own best score, and the score on the rows that it was not given."""
    import pandas as pd

    table = table_of(evaluation)
    done = np.flatnonzero(table.state == 0)
    first = done[np.unique(table.model[done], return_index=True)[1]]  # which tells of each model if it is a search
    searches = [
        outcome.cell.model for outcome in _outcomes(evaluation, np.isin(np.arange(table.state.size), first)) if outcome.chosen
    ]
    rows = []
    for outcome in _outcomes(evaluation, np.isin(table.model, searches) & (table.state == 0)):
        record = evaluation.record.datasets[outcome.cell.dataset]
        metric, best = next(iter(outcome.best_score.items()), ("", np.nan))
        split = outcome.cell.split
        keys = (record.name, evaluation.models[outcome.cell.model], int(record.repeat[split]), int(record.fold[split]))
        rows.append((*keys, outcome.chosen, metric, best, outcome.scores.get(metric, np.nan)))
    frame = pd.DataFrame(rows, columns=["dataset", "model", "repeat", "fold", "chosen", "metric", "best_score", "score"])
    return frame.drop(columns="dataset") if evaluation.datasets == ("",) else frame


def scores_frame(evaluation: Evaluation) -> pd.DataFrame:
    """A row for each cell and metric."""
    import pandas as pd

    table, record = table_of(evaluation), evaluation.record
    n_cells, n_metrics = table.score.shape
    row = np.repeat(np.arange(n_cells), n_metrics)
    keys = {
        name: np.concatenate([getattr(dataset, name) for dataset in record.datasets])
        for name in ("repeat", "fold", "n_train", "n_test")
    }
    first = np.cumsum([0, *(dataset.n_splits for dataset in record.datasets)])
    split = first[table.dataset] + table.split
    columns = {
        "dataset": pd.Categorical.from_codes(table.dataset[row], _index(evaluation.datasets)),
        "model": pd.Categorical.from_codes(table.model[row], _index(evaluation.models)),
        "metric": pd.Categorical.from_codes(np.tile(np.arange(n_metrics), n_cells), _index(evaluation.metrics)),
    }
    numbers = {name: values[split][row] for name, values in keys.items()}
    frame = pd.DataFrame({**columns, **numbers, "score": table.score.ravel()})
    return frame.drop(columns="dataset") if evaluation.datasets == ("",) else frame


def folds_frame(evaluation: Evaluation, metrics: Sequence[int], alpha: float) -> pd.DataFrame:
    """Means over splits, their corrected intervals, and the standard deviation over splits."""
    rows = []
    for metric in metrics:
        named = evaluation.record.metrics[metric].metric
        for dataset, record in enumerate(evaluation.record.datasets):
            grid = evaluation.grid(dataset, metric)
            means, (low, high) = mean_interval(grid, record.n_test / record.n_train, alpha, named)
            sd = row_moments(grid, omit_missing=True).sd
            n_splits = np.count_nonzero(~np.isnan(grid), axis=1)
            for m in _best_first(means, named.higher_is_better):
                n = int(n_splits[m])
                ends = float(low[m]), float(high[m]), float(sd[m]) if n > 1 else float("nan")
                rows.append((record.name, evaluation.models[m], named.name, float(means[m]), *ends, n, grid.shape[1] - n))
    return _summary(evaluation, rows, ["interval_low", "interval_high", "std (not a test)"])


def mean_interval(scores: FloatArray, ratio: FloatArray, alpha: float, metric: Metric) -> tuple[FloatArray, Interval]:
    """Mean of each row over the splits that have a score, and its corrected interval [NB03]_ within the metric's bounds.

    `scores` has shape (..., n_splits); `ratio`, of shape (n_splits,), is n_test / n_train of each split; `alpha` is 1 - coverage.
    """
    moments = row_moments(scores, omit_missing=True)
    _, (low, high) = corrected_interval(moments, split_ratio(scores, ratio), alpha)
    values = scores.ravel()
    bounds = metric.bounds_of(np.fmin.reduce(values, initial=np.nan), np.fmax.reduce(values, initial=np.nan))
    return moments.mean, Interval(np.clip(low, *bounds), np.clip(high, *bounds))


def split_ratio(scores: FloatArray, ratio: FloatArray) -> FloatArray:
    """Mean of n_test / n_train over the splits of each row that have a score; of all where none has."""
    present = ~np.isnan(scores)
    count = present.sum(axis=-1)
    return np.asarray(np.where(count > 0, (present * ratio).sum(axis=-1) / np.maximum(count, 1), ratio.mean()))


def _best_first(values: FloatArray, higher_is_better: bool) -> list[int]:
    """Positions, the best value first and undefined ones last; equally good ones in the order given."""
    order: list[int] = np.argsort(-values if higher_is_better else values, kind="stable").tolist()  # nan sorts last
    return order


def pooled_frame(evaluation: Evaluation, metrics: Sequence[int]) -> pd.DataFrame:
    """The metric of all predictions of a repeat together, averaged over repeats."""
    scorers = [scorer_of(evaluation, metric) for metric in metrics]
    found = []
    for dataset, name in enumerate(evaluation.datasets):
        for model, model_name in enumerate(evaluation.models):
            repeats = list(pooled_outputs(evaluation, dataset, model))
            n_missing = evaluation.record.datasets[dataset].n_splits - sum(n for _, _, n in repeats)
            for metric, scorer in zip(metrics, scorers, strict=True):
                values = [_pooled_score(evaluation, dataset, scorer, rows_, outputs) for rows_, outputs, _ in repeats]
                defined = [value for value in values if value == value]
                mean = float(np.mean(defined)) if defined else float("nan")
                found.append((metric, dataset, (name, model_name, evaluation.metrics[metric], mean, len(defined), n_missing)))
    rows = []
    for metric in metrics:
        for dataset in range(len(evaluation.datasets)):
            mine = [row for m, d, row in found if (m, d) == (metric, dataset)]
            means = np.array([row[3] for row in mine])
            rows += [mine[at] for at in _best_first(means, evaluation.record.metrics[metric].metric.higher_is_better)]
    return _summary(evaluation, rows)


def scorer_of(evaluation: Evaluation, metric: int) -> Scorer:
    """Scorer that computes a metric from predictions, also of a run that was read from a store."""
    named = evaluation.record.metrics[metric].metric
    for scorer in scorers_of(evaluation):
        if scorer.metric == named and scorer.needs:
            return scorer
    classes = evaluation.record.datasets[0].classes
    name = named.name if named.higher_is_better else f"neg_{named.name}"
    try:
        scorer = resolve_scorers([name], classifier=classes is not None, n_classes=len(classes) if classes else None)[0]
    except UnknownNameError:
        raise DataError(
            f"how {named.name!r} is computed is not kept with the run, only its scores are; it cannot be pooled. Call evaluate "
            "with the same metric and store, which measures nothing again, and pool what it returns."
        ) from None
    if not scorer.needs:
        raise DataError(f"{named.name!r} is computed from the fitted models, which are not kept; it cannot be pooled.")
    return scorer


def pooled_outputs(evaluation: Evaluation, dataset: int, model: int) -> Iterator[tuple[Any, dict[str, Any], int]]:
    """Test rows and outputs of the splits of each repeat, and how many splits they are."""
    record = evaluation.record.datasets[dataset]
    for repeat in np.unique(record.repeat).tolist():
        splits = np.flatnonzero(record.repeat == repeat).tolist()
        outcomes = [o for o in outcomes_with_outputs(evaluation, [Cell(dataset, s, model) for s in splits]) if o.is_done]
        if not outcomes:
            continue
        if any(not outcome.outputs for outcome in outcomes):
            raise DataError("predictions were not kept (", Setting("keep_predictions", "False"), "), so nothing can be pooled.")
        rows = np.concatenate([record.test_rows[outcome.cell.split] for outcome in outcomes])
        methods = set.intersection(*(set(outcome.outputs) for outcome in outcomes))
        pooled = {method: np.concatenate([outcome.outputs[method] for outcome in outcomes]) for method in methods}
        yield rows, pooled, len(outcomes)


def _pooled_score(evaluation: Evaluation, dataset: int, scorer: Scorer, rows: Any, outputs: dict[str, Any]) -> float:
    record = evaluation.record.datasets[dataset]
    if not any(method in outputs for method in scorer.needs):
        raise DataError(
            f"{scorer.metric.name!r} needs {' or '.join(scorer.needs)}, but what was kept of the models is "
            f"{quoted(list(outputs))}."
        )
    if record.target is None:
        raise DataError("the targets are not kept in a form that can be pooled.")
    classes = np.array(record.classes) if record.classes is not None else None
    truth = make_truth(record.target if classes is None else classes[record.target], classifier=classes is not None).take(rows)
    try:
        return scorer.score(truth, as_answered(outputs, truth.classes), truth.classes)
    except UndefinedScore:
        return float("nan")


def _summary(evaluation: Evaluation, rows: list[tuple[Any, ...]], spread: Sequence[str] = ()) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(rows, columns=["dataset", "model", "metric", "value", *spread, "n_splits", "n_failed"])
    return frame.drop(columns="dataset") if evaluation.datasets == ("",) else frame


def predictions_frame(evaluation: Evaluation) -> pd.DataFrame:
    """A row for each model, split and test row; a column for each thing that the model said."""
    import pandas as pd

    frames = [_cell_predictions(evaluation, outcome) for outcome in outcomes_with_outputs(evaluation) if outcome.outputs]
    if not frames:
        raise DataError("no predictions were kept. Evaluate with ", Setting("keep_predictions", "True"), ".")
    frame = pd.concat(frames, ignore_index=True)
    return frame.drop(columns="dataset") if evaluation.datasets == ("",) else frame


def _cell_predictions(evaluation: Evaluation, outcome: Outcome) -> pd.DataFrame:
    import pandas as pd

    dataset, split, model = outcome.cell
    record = evaluation.record.datasets[dataset]
    rows = record.test_rows[split]
    classes = np.array(record.classes) if record.classes is not None else None
    columns: dict[str, Any] = {
        "dataset": record.name,
        "model": evaluation.models[model],
        "repeat": record.repeat[split],
        "fold": record.fold[split],
        "row": rows,
    }
    if record.target is not None and record.target.ndim == 1:
        columns["target"] = record.target[rows] if classes is None else classes[record.target[rows]]
    for method, answer in as_answered(outcome.outputs, classes).items():
        if answer.ndim == 1:
            columns[_COLUMNS.get(method, method)] = answer
        else:
            known = classes is not None and answer.shape[1] == classes.size
            names = [str(label) for label in record.classes or ()] if known else [str(j) for j in range(answer.shape[1])]
            word = {"predict_proba": "probability", "decision_function": "decision"}.get(method, method)
            columns |= {f"{word} {name}": answer[:, j] for j, name in enumerate(names)}
    return pd.DataFrame(columns)


_COLUMNS = {"predict": "prediction", "decision_function": "decision", "predict_proba": "probability"}


def failures_frame(evaluation: Evaluation) -> pd.DataFrame:
    """State, message, n_cells, models, first (dataset and split of the first such cell), attempts, traceback."""
    import pandas as pd

    return pd.DataFrame(list(evaluation.failure_groups()), columns=list(FailureGroup._fields))


def warnings_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Text of the warning, n_cells, models, first."""
    return _text_frame(warning_groups(evaluation), "warning")


def undefined_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Metric and reason, n_cells, models, first."""
    return _text_frame(undefined_groups(evaluation), "reason")


def _text_frame(groups: list[TextGroup], column: str) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(groups, columns=[column, *TextGroup._fields[1:]])


def times_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Medians and totals of seconds."""
    import pandas as pd

    table = table_of(evaluation)
    rows = []
    for dataset, name in enumerate(evaluation.datasets):
        for model, model_name in enumerate(evaluation.models):
            mine = (table.dataset == dataset) & (table.model == model) & (table.state == 0)
            fit, predict = table.fit_seconds[mine], table.predict_seconds[mine]
            medians = [float(np.median(each)) if each.size else float("nan") for each in (fit, predict)]
            rows.append((name, model_name, fit.size, *medians, float(fit.sum()), float(predict.sum())))
    columns = ["dataset", "model", "n_fits", "fit_median", "predict_median", "fit_total", "predict_total"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.drop(columns="dataset") if evaluation.datasets == ("",) else frame


def _index(names: Sequence[str]) -> pd.Index[str]:
    import pandas as pd

    return pd.Index(list(names), dtype=object)
