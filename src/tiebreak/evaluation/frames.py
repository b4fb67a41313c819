"""An evaluation as frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tiebreak.evaluation.predictions import as_answered, nothing_kept, outcomes_with_outputs
from tiebreak.numerics import FloatArray, Interval, row_moments
from tiebreak.plan.record import Cell, Outcome, State
from tiebreak.scores.metric import Metric
from tiebreak.statistics.splits import law_of_moments
from tiebreak.stores.cells import NOTES

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


_ABOUT = ("n_cells", "models", "first")


def failure_groups(evaluation: Evaluation) -> list[FailureGroup]:
    """Failed cells, the most frequent message first."""
    failed = _outcomes(evaluation, evaluation.table.state != 0)
    groups = _grouped(((outcome.state, outcome.message), outcome) for outcome in failed)
    return [
        FailureGroup(state, message, *_about(evaluation, found), max(each.attempts for each in found), found[0].traceback)
        for (state, message), found in groups
    ]


def failures_frame(evaluation: Evaluation) -> pd.DataFrame:
    """State, message, n_cells, models, first (dataset and split of the first such cell), attempts, traceback."""
    return _frame(evaluation, failure_groups(evaluation), FailureGroup._fields)


def warnings_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Text of the warning, n_cells, models, first; the most frequent first."""
    return _frame(evaluation, warnings(evaluation), ["warning", *_ABOUT])


def warnings(evaluation: Evaluation) -> list[tuple[str, int, tuple[str, ...], str]]:
    """Rows of the frame of warnings."""
    texts = ((text, outcome) for outcome in _noted(evaluation, "warnings") for text in outcome.warnings)
    return [(text, *_about(evaluation, found)) for text, found in _grouped(texts)]


def undefined_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Metric and reason, n_cells, models, first; the most frequent first."""
    noted = _noted(evaluation, "undefined")
    texts = ((f"{metric}: {reason}", outcome) for outcome in noted for metric, reason in outcome.undefined.items())
    rows = [(text, *_about(evaluation, found)) for text, found in _grouped(texts)]
    return _frame(evaluation, rows, ["reason", *_ABOUT])


def _grouped(keyed: Iterable[tuple[Any, Outcome]]) -> list[tuple[Any, list[Outcome]]]:
    """Outcomes of the same key together, the largest group first."""
    groups: dict[Any, list[Outcome]] = {}
    for key, outcome in keyed:
        groups.setdefault(key, []).append(outcome)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def _about(evaluation: Evaluation, outcomes: Sequence[Outcome]) -> tuple[int, tuple[str, ...], str]:
    """Number of cells, their models, and where the first one is."""
    cells = [outcome.cell for outcome in outcomes]
    models = tuple(evaluation.models[model] for model in sorted({cell.model for cell in cells}))
    dataset = evaluation.record.datasets[cells[0].dataset]
    of = f"{dataset.name}, " if dataset.name else ""
    return len(cells), models, f"{of}{dataset.split_name(cells[0].split)}"


def _outcomes(evaluation: Evaluation, rows: Any) -> Iterator[Outcome]:
    """The outcomes of some rows of the table."""
    table, chosen = evaluation.table, np.flatnonzero(rows)
    keys = zip(*(part[chosen].tolist() for part in (table.dataset, table.split, table.model)), strict=True)
    return evaluation.log.outcomes([Cell(*key) for key in keys]) if chosen.size else iter(())


def _noted(evaluation: Evaluation, what: str) -> Iterator[Outcome]:
    """The outcomes that have warnings, or reasons of undefined scores; the others are passed over unread."""
    return _outcomes(evaluation, evaluation.table.noted & NOTES[what] != 0)


def _frame(evaluation: Evaluation, data: Any, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Rows or columns as a frame, without a column for a dataset that has no name."""
    import pandas as pd

    frame = pd.DataFrame(data, columns=columns if columns is None else list(columns))
    return frame.drop(columns="dataset") if "dataset" in frame and evaluation.datasets == ("",) else frame


def choices_frame(evaluation: Evaluation) -> pd.DataFrame:
    """A row for each fit of a search: what it chose, its own best score, and the score on the rows that it was not given."""
    table = evaluation.table
    done = np.flatnonzero(table.state == 0)
    first = done[np.unique(table.model[done], return_index=True)[1]]  # which tells of each model if it is a search
    firsts = _outcomes(evaluation, np.isin(np.arange(table.state.size), first))
    searches = [outcome.cell.model for outcome in firsts if outcome.chosen]
    rows = []
    for outcome in _outcomes(evaluation, np.isin(table.model, searches) & (table.state == 0)):
        dataset, split, model = outcome.cell
        record = evaluation.record.datasets[dataset]
        metric, best = next(iter(outcome.best_score.items()), ("", np.nan))
        keys = record.name, evaluation.models[model], int(record.repeat[split]), int(record.fold[split])
        rows.append((*keys, outcome.chosen, metric, best, outcome.scores.get(metric, np.nan)))
    columns = ["dataset", "model", "repeat", "fold", "chosen", "metric", "best_score", "score"]
    return _frame(evaluation, rows, columns)


def scores_frame(evaluation: Evaluation) -> pd.DataFrame:
    """A row for each cell and metric."""
    import pandas as pd

    table, datasets = evaluation.table, evaluation.record.datasets
    n_cells, n_metrics = table.score.shape
    row = np.repeat(np.arange(n_cells), n_metrics)
    split = (np.cumsum([0, *(dataset.n_splits for dataset in datasets)])[table.dataset] + table.split)[row]
    named = {
        "dataset": (table.dataset[row], evaluation.datasets),
        "model": (table.model[row], evaluation.models),
        "metric": (np.tile(np.arange(n_metrics), n_cells), evaluation.metrics),
    }
    columns: dict[str, Any] = {
        name: pd.Categorical.from_codes(codes, pd.Index(list(names), dtype=object)) for name, (codes, names) in named.items()
    }
    for name in ("repeat", "fold", "n_train", "n_test"):
        columns[name] = np.concatenate([getattr(dataset, name) for dataset in datasets])[split]
    return _frame(evaluation, {**columns, "score": table.score.ravel()})


def times_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Medians and totals of seconds."""
    table, rows = evaluation.table, []
    for dataset, name in enumerate(evaluation.datasets):
        for model, model_name in enumerate(evaluation.models):
            mine = (table.dataset == dataset) & (table.model == model) & (table.state == 0)
            both = table.fit_seconds[mine], table.predict_seconds[mine]
            medians = [float(np.median(each)) if each.size else float("nan") for each in both]
            rows.append((name, model_name, int(mine.sum()), *medians, *(float(each.sum()) for each in both)))
    columns = ["dataset", "model", "n_fits", "fit_median", "predict_median", "fit_total", "predict_total"]
    return _frame(evaluation, rows, columns)


# --- one value for each model -----------------------------------------------------------------------------------------------

SUMMARY = ("dataset", "model", "metric", "value", "n_splits", "n_failed")


def folds_frame(evaluation: Evaluation, metrics: Sequence[int], alpha: float) -> pd.DataFrame:
    """Means over splits, their corrected intervals, and the standard deviation over splits."""
    rows = []
    for metric in metrics:
        named = evaluation.record.metrics[metric].metric
        for dataset, record in enumerate(evaluation.record.datasets):
            grid = evaluation.grid(dataset, metric)
            means, (low, high) = mean_interval(grid, record.n_test / record.n_train, alpha, named)
            n_splits = np.count_nonzero(~np.isnan(grid), axis=1)
            sd = np.where(n_splits > 1, row_moments(grid, omit_missing=True).sd, np.nan)
            for m in _best_first(means, named.higher_is_better):
                numbers = (float(each[m]) for each in (means, low, high, sd))
                counts = int(n_splits[m]), grid.shape[1] - int(n_splits[m])
                rows.append((record.name, evaluation.models[m], named.name, *numbers, *counts))
    return _frame(evaluation, rows, [*SUMMARY[:4], "interval_low", "interval_high", "std (not a test)", *SUMMARY[4:]])


def mean_interval(scores: FloatArray, ratio: FloatArray, alpha: float, metric: Metric) -> tuple[FloatArray, Interval]:
    """Mean of each row over the splits that have a score, and its corrected interval [NB03]_ within the metric's bounds.

    `scores` has shape (..., n_splits); `ratio`, of shape (n_splits,), is n_test / n_train of each split; `alpha` is 1 - coverage.
    """
    moments = row_moments(scores, omit_missing=True)
    low, high = law_of_moments(moments, split_ratio(scores, ratio)).interval_at(alpha)
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


# --- predictions ------------------------------------------------------------------------------------------------------------

_WORDS = {"predict": "prediction", "decision_function": "decision", "predict_proba": "probability"}


def predictions_frame(evaluation: Evaluation) -> pd.DataFrame:
    """A row for each model, split and test row; a column for each thing that the model said."""
    import pandas as pd

    frames = [_of_cell(evaluation, outcome) for outcome in outcomes_with_outputs(evaluation) if outcome.outputs]
    if not frames:
        raise nothing_kept()
    return pd.concat(frames, ignore_index=True)


def _of_cell(evaluation: Evaluation, outcome: Outcome) -> pd.DataFrame:
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
        word = _WORDS.get(method, method)
        if answer.ndim == 1:
            columns[word] = answer
            continue
        known = classes is not None and answer.shape[1] == classes.size
        names = list(record.classes or ()) if known else list(range(answer.shape[1]))
        columns |= {f"{word} {name}": answer[:, place] for place, name in enumerate(names)}
    return _frame(evaluation, columns)
