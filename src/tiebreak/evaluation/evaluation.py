"""Result of a measurement: the answer of `tiebreak.evaluate`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import SEE_FAILURES, Advice, DataError
from tiebreak.evaluation.predictions import as_answered, items_of, nothing_kept, outcomes_with_outputs, same_predictions
from tiebreak.metrics.scorer import Scorer
from tiebreak.numerics import FloatArray, Interval, check_probability, law_of_rows
from tiebreak.plan.fingerprint import split_hash
from tiebreak.plan.record import Cell, DatasetRecord, Outcome, RunRecord
from tiebreak.result import Result
from tiebreak.scores.means import mean_ratio
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import SavedSettings, ScoreMatrix, Scores, SplitDesign, typical_time
from tiebreak.scores.vocabulary import Notice, look_up, look_up_metric, quoted
from tiebreak.statistics.splits import corrected_law
from tiebreak.stores.contract import NOTES, CellTable
from tiebreak.stores.log import CopiedLog, SqlLog

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.evaluation.bbc import BiasCorrectedScore
    from tiebreak.evaluation.class_curves import Calibrations, Confusions, PrecisionRecalls, Rocs
    from tiebreak.metrics.curves import Strategy
    from tiebreak.scores.items import Items

LONGEST_WARNING = 120
"""Characters of a fit's warning that a notice repeats."""

_ABOUT = ("n_cells", "models", "first")
_WORDS = {"predict": "prediction", "decision_function": "decision", "predict_proba": "probability"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Result):
    """Scores, predictions, times and failures of models on splits.

    Copied, pickled or sent to another process it takes its cells along, and can no longer be added to.
    Print it for an overview; `compare` says which models are better, and `to_frame` has a row for each cell and metric.

    Attributes
    ----------
    log : SqlLog or CopiedLog
        Where the cells are kept.
    table : CellTable
        Cells that were there when the evaluation was made.
    url : str
        Of the store; "" for one in memory.
    scorers : tuple of Scorer
        They computed the metrics; none for a run that was read from a store.
    n_shared : int
        Cells that took leading steps of a pipeline that another model had fitted, in the call that made this.
    """

    log: SqlLog | CopiedLog
    table: CellTable
    url: str = ""
    scorers: tuple[Scorer, ...] = ()
    n_shared: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or what is sent to another process, has the cells and not the store; scorers are found by name there."""
        copied = CopiedLog(self.record, self.log.environments, tuple(self.log.outcomes(outputs=True)))
        return type(self), (copied, self.table, self.url, (), self.n_shared)

    @property
    def record(self) -> RunRecord:
        """The plan that was measured: names, hashes, sizes, seeds and versions."""
        return self.log.record

    @property
    def name(self) -> str:
        """Name of the run in its store."""
        return self.record.name

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return tuple(model.name for model in self.record.models)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the datasets."""
        return tuple(dataset.name for dataset in self.record.datasets)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(metric.name for metric in self.record.metrics)

    @property
    def n_cells(self) -> int:
        """Number of cells planned: models times splits."""
        return self.record.n_cells

    @property
    def n_done(self) -> int:
        """Number of cells measured."""
        return int(np.count_nonzero(self.table.state == 0))

    @property
    def n_failed(self) -> int:
        """Number of cells that failed."""
        return int(np.count_nonzero(self.table.state))

    # --- scores -----------------------------------------------------------------------------------------------------------

    def scores(self, metric: str | None = None, *, models: Sequence[str] | None = None) -> Scores:
        """Models by splits in one metric, as `compare` takes them.

        Parameters
        ----------
        metric : str, optional
            The first one if not given; ``neg_log_loss`` finds ``log_loss``.
        models : sequence of str, optional
            Only these. If not given, models that have no score at all are left out, with a notice.

        Raises
        ------
        DataError
            No model has a score.
        UnknownNameError
            A metric or model that was not measured.
        """
        position, datasets = self.metric_position(metric), self.record.datasets
        wanted = [look_up(name, self.models, "model") for name in (self.models if models is None else models)]
        grids = [self.grid(dataset, position) for dataset in range(len(datasets))]
        empty = [m for m in wanted if all(np.isnan(grid[m]).all() for grid in grids)]
        if len(empty) == len(wanted):
            why: tuple[str | Advice, ...] = ("Every score is undefined." if self.n_done else "Nothing has been measured yet.",)
            if self.n_failed:
                message = self.failures["message"][0]
                failed = f"{self.n_failed} of {self.n_cells} cells failed, most often with: {message.rstrip('.')}. "
                why = failed, SEE_FAILURES, "."
            raise DataError(f"no model has a score in {self.metrics[position]!r}. ", *why)
        kept = [m for m in wanted if models is not None or m not in empty]
        names = [self.models[m] for m in kept]
        notices = self._warned(names)
        if left_out := [self.models[m] for m in empty if m not in kept]:
            them = "is left out: it has" if len(left_out) == 1 else "are left out: they have"
            text = f"{quoted(left_out)} {them} no score on any split. evaluation.failures and evaluation.undefined say why"
            notices.insert(0, Notice("left-out", text))
        rope, times = self.record.settings.get("rope"), self.fit_times(0)  # the rope of the study that asked for one
        return Scores(
            self.record.metrics[position].metric,
            tuple(_matrix(record, names, grid[kept]) for record, grid in zip(datasets, grids, strict=True)),
            SplitDesign(datasets[0].kind, datasets[0].ordered, "key", "exact", _hash(datasets)),
            tuple(notices),
            (SavedSettings("", {"rope": rope}),) if rope else (),
            {self.models[m]: (float(times[0, m]), float(times[1, m])) for m in kept if np.isfinite(times[0, m])},
            same_predictions=same_predictions(self, kept, np.concatenate([grid[kept] for grid in grids], axis=1)),
        )

    def metric_position(self, metric: str | None) -> int:
        """Position of a metric, of the first if none is named; `UnknownNameError` for one that was not measured."""
        return look_up_metric(metric, self.metrics)

    __tiebreak_scores__ = scores  # read by `tiebreak.compare`

    def compare(
        self, metric: str | None = None, *, models: Sequence[str] | None = None, dataset: str | None = None, **settings: Any
    ) -> Comparison:
        """Say which models are better, which are practically equivalent, and which cannot be told apart yet.

        Parameters
        ----------
        metric : str, optional
            The first one if not given.
        models : sequence of str, optional
            Compare only these. If not given, models that failed on all splits are left out, with a notice.
        dataset : str, optional
            Needed where there are several.
        **settings
            Of `tiebreak.compare`: rope, alpha, baseline, correction, missing and the rest. The rope of a study counts where none
            is given.
        """
        from tiebreak.comparison.comparison import compare_scores
        from tiebreak.comparison.settings import check_names, settings_for

        check_names(settings)
        scores = self.scores(metric, models=models)
        return compare_scores(scores if dataset is None else scores.of_dataset(dataset), settings_for(scores, settings))

    def bias_corrected(
        self,
        metric: str | None = None,
        *,
        models: Sequence[str] | None = None,
        dataset: str | None = None,
        n_resamples: int = 1000,
        alpha: float = 0.05,
        groups: Any = None,
        rng: Any = 0,
    ) -> BiasCorrectedScore:
        """Expected score of the best model, corrected for having picked it by the same predictions (BBC-CV).

        The picking is bootstrapped over the predictions that were kept; nothing is fitted again. A search that is measured as a
        model is the other way to an honest score.

        Parameters
        ----------
        metric : str, optional
            By which the best is picked and scored; the first one if not given.
        models : sequence of str, optional
            Among which it is picked; all if not given.
        dataset : str, optional
            Which, where there are several.
        n_resamples : int
            At most 100,000.
        alpha : float
            1 - coverage of the interval.
        groups : array_like of shape (n_samples,), optional
            Examples of one group are drawn together.
        rng : int or Generator

        Raises
        ------
        DataError
            Predictions were not kept, or no model has them on all splits.
        DataError
            Repeats test different examples, or one of them several times.
        """
        from tiebreak.evaluation.bbc import bias_corrected

        return bias_corrected(
            self, metric, models=models, dataset=dataset, n_resamples=n_resamples, alpha=alpha, groups=groups, rng=rng
        )

    def grid(self, dataset: int, metric: int) -> np.ndarray[Any, Any]:
        """Models by splits of one dataset in one metric, by their positions; nan where there is no score."""
        table = self.table
        grid = np.full((len(self.models), self.record.datasets[dataset].n_splits), np.nan)
        rows = (table.dataset == dataset) & (table.state == 0)
        grid[table.model[rows], table.split[rows]] = table.score[rows, metric]
        return grid

    def _warned(self, names: list[str]) -> list[Notice]:
        """Notice of the most frequent warning that fits of some models gave."""
        told = [row for row in self._warnings() if any(name in row[2] for name in names)]
        if not told:
            return []
        warning, n_cells, models, _ = told[0]
        more = f"; {len(told) - 1} more kind(s) of warnings" if len(told) > 1 else ""
        text = warning if len(warning) <= LONGEST_WARNING else f"{warning[: LONGEST_WARNING - 1]}…"
        return [Notice("fit-warnings", f"{n_cells} fits of {quoted(models)} warned: {text}{more}")]

    def fit_times(self, dataset: int) -> FloatArray:
        """Median seconds of a fit of each model on one dataset, and their standard errors: shape (2, n_models); nan for none."""
        table = self.table
        mine = (table.dataset == dataset) & (table.state == 0)
        return np.array([typical_time(table.fit_seconds[mine & (table.model == model)]) for model in range(len(self.models))]).T

    # --- predictions, looked at closely -----------------------------------------------------------------------------------

    def confusion(self, models: str | Sequence[str] | None = None, *, dataset: str | None = None) -> Confusions:
        """Confusion matrices of each model: ``[model]`` of all splits together, ``.matrices[model]`` of each.

        Together, each example counts once for each repeat. It needs predicted labels that were kept (``scoring="accuracy"``).
        Models without a measured cell are left out, unless they are named.

        Parameters
        ----------
        models : str or sequence of str, optional
            All if not given.
        dataset : str, optional
            Needed where there are several.
        """
        from tiebreak.evaluation.class_curves import confusions_of

        return confusions_of(self, models, dataset)

    def roc(
        self,
        models: str | Sequence[str] | None = None,
        *,
        positive: Any = None,
        dataset: str | None = None,
        alpha: float = 0.05,
    ) -> Rocs:
        """ROC curves of each model: of each fold, of all together, and their mean with a band.

        It needs probabilities or decision values that were kept (``scoring="roc_auc"``). Models without a measured cell are
        left out, unless they are named.

        Parameters
        ----------
        models : str or sequence of str, optional
            All if not given.
        positive : label, optional
            The class that curves are for. Of two the second in sorted order if not given, as for roc_auc; of several each of
            them against the rest.
        dataset : str, optional
            Needed where there are several.
        alpha : float, default 0.05
            1 - coverage of intervals and bands, which are corrected for shared training data.
        """
        from tiebreak.evaluation.class_curves import Rocs, lines_of

        return lines_of(Rocs, self, models, positive, dataset, alpha)

    def precision_recall(
        self,
        models: str | Sequence[str] | None = None,
        *,
        positive: Any = None,
        dataset: str | None = None,
        alpha: float = 0.05,
    ) -> PrecisionRecalls:
        """Precision-recall curves of each model; the parameters are those of `roc`."""
        from tiebreak.evaluation.class_curves import PrecisionRecalls, lines_of

        return lines_of(PrecisionRecalls, self, models, positive, dataset, alpha)

    def calibration(
        self,
        models: str | Sequence[str] | None = None,
        *,
        positive: Any = None,
        dataset: str | None = None,
        n_bins: int = 10,
        strategy: Strategy = "quantile",
        alpha: float = 0.05,
    ) -> Calibrations:
        """Calibration curves of each model, from probabilities that were kept (``scoring="neg_log_loss"``).

        Parameters
        ----------
        models, positive, dataset, alpha
            As for `roc`.
        n_bins : int, default 10
        strategy : {"quantile", "uniform"}
            Bins of about equally many examples, or of equal width.
        """
        from tiebreak.evaluation.class_curves import Calibrations, lines_of

        return lines_of(Calibrations, self, models, positive, dataset, alpha, n_bins=n_bins, strategy=strategy)

    # --- frames -----------------------------------------------------------------------------------------------------------

    def summary(self, metric: str | None = None, alpha: float = 0.05) -> pd.DataFrame:
        """One value for each model, dataset and metric; of each metric the best first.

        It describes each model on its own. Intervals of two models may overlap although one is shown to be better, and a
        standard deviation over splits is no test at all: `compare` judges the differences.

        Parameters
        ----------
        metric : str, optional
            All if not given.
        alpha : float, default 0.05
            1 - coverage of the intervals.

        Returns
        -------
        DataFrame
            dataset, model, metric, value (the mean over splits), n_splits, n_failed (cells without a score), and
            interval_low and interval_high, the corrected t interval of the expected score of a model trained on so many examples
            [NB03]_, cut off at bounds of the metric that are known, nan without spread; and "std (not a test)", the standard
            deviation over splits. pandas prints of wide frames what fits the window; ``print(evaluation)`` shows the
            means, and intervals of the first metric, and ``summary().to_string()`` all columns.

        References
        ----------
        .. [NB03] C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.
        """
        check_probability(alpha, "alpha")
        rows = []
        for metric_position in range(len(self.metrics)) if metric is None else [self.metric_position(metric)]:
            named = self.record.metrics[metric_position].metric
            for dataset, record in enumerate(self.record.datasets):
                grid = self.grid(dataset, metric_position)
                means, (low, high) = mean_interval(grid, record.n_test / record.n_train, alpha, named)
                n_splits = np.count_nonzero(~np.isnan(grid), axis=1)
                sd = np.where(n_splits > 1, law_of_rows(grid, omit_missing=True).se * np.sqrt(n_splits), np.nan)
                for m in np.argsort(-named.sign * means, kind="stable").tolist():  # nan sorts last
                    numbers = (float(each[m]) for each in (means, low, high, sd))
                    counts = int(n_splits[m]), grid.shape[1] - int(n_splits[m])
                    rows.append((record.name, self.models[m], named.name, *numbers, *counts))
        columns = "dataset model metric value interval_low interval_high".split()
        return self.framed(rows, [*columns, "std (not a test)", "n_splits", "n_failed"])

    @property
    def predictions(self) -> pd.DataFrame:
        """Answers of each model for each test row: dataset, model, repeat, fold, row, target, prediction and the like."""
        import pandas as pd

        frames = []
        for outcome in outcomes_with_outputs(self):
            dataset, split, model = outcome.cell
            record = self.record.datasets[dataset]
            rows, classes = record.test_rows[split], None if record.classes is None else np.array(record.classes)
            keys = record.name, self.models[model], record.repeat[split], record.fold[split], rows
            columns: dict[str, Any] = dict(zip(("dataset", "model", "repeat", "fold", "row"), keys, strict=True))
            if record.target is not None and record.target.ndim == 1:
                columns["target"] = record.target[rows] if classes is None else classes[record.target[rows]]
            for method, answer in as_answered(outcome.outputs, classes).items():
                word = _WORDS.get(method, method)
                table = answer.reshape(answer.shape[0], -1)
                known = classes is not None and table.shape[1] == classes.size
                heads = [f"{word} {name}" for name in (record.classes or () if known else range(table.shape[1]))]
                columns |= zip(heads if answer.ndim > 1 else [word], table.T, strict=True)
            if outcome.outputs:
                frames.append(self.framed(columns))
        if not frames:
            raise nothing_kept()
        return pd.concat(frames, ignore_index=True)

    def items(self, metric: str, *, dataset: str | None = None, repeat: int = 0) -> Items:
        """Scores of single examples, from the predictions that were kept of one repeat; the splits are their clusters.

        They are for the question how these fitted models do on further examples, which the scores of splits do not answer.

        Parameters
        ----------
        metric : str
            "accuracy", "f1", "balanced_accuracy", "roc_auc", "log_loss", "brier_score", "mean_absolute_error", "r2" and others,
            those of `read_predictions`.
        dataset : str, optional
            Needed where there are several.
        repeat : int, default 0
            Other repeats have the same examples again.
        """
        return items_of(self, metric, dataset, repeat)

    @property
    def failures(self) -> pd.DataFrame:
        """Failed cells, those of the same message together, the most frequent first.

        `attempts` is the most that was made, `traceback` that of the first.
        """
        failed = self._groups(self.table.state != 0, lambda outcome: [(outcome.state, outcome.message)])
        rows = [(*key, *about, max(each.attempts for each in outcomes), outcomes[0].traceback) for key, about, outcomes in failed]
        return self.framed(rows, ["state", "message", *_ABOUT, "attempts", "traceback"])

    @property
    def fit_warnings(self) -> pd.DataFrame:
        """Warnings that fits gave, those of the same text together, the most frequent first."""
        return self.framed(self._warnings(), ["warning", *_ABOUT])

    @property
    def choices(self) -> pd.DataFrame:
        """Choices of searches of scikit-learn, a row for each fit: parameters, own best score, score on rows that were not given.

        A search that is measured as a model is nested cross-validation: its score is honest, its own best score flatters.
        """
        rows = []
        for outcome in self._outcomes(self.table.noted & NOTES["chosen"] != 0):
            dataset, split, model = outcome.cell
            record = self.record.datasets[dataset]
            metric, best = next(iter(outcome.best_score.items()), ("", np.nan))
            keys = record.name, self.models[model], int(record.repeat[split]), int(record.fold[split])
            rows.append((*keys, outcome.chosen, metric, best, outcome.scores.get(metric, np.nan)))
        return self.framed(rows, "dataset model repeat fold chosen metric best_score score".split())

    @property
    def undefined(self) -> pd.DataFrame:
        """Scores that are undefined, with the reason, those of the same reason together."""
        noted = self.table.noted & NOTES["undefined"] != 0
        groups = self._groups(noted, lambda outcome: [": ".join(reason) for reason in outcome.undefined.items()])
        return self.framed([(text, *about) for text, about, _ in groups], ["reason", *_ABOUT])

    @property
    def times(self) -> pd.DataFrame:
        """Seconds for fitting and predicting: dataset, model, n_fits, median and total of each."""
        table, rows = self.table, []
        for dataset, name in enumerate(self.datasets):
            for model, model_name in enumerate(self.models):
                mine = (table.dataset == dataset) & (table.model == model) & (table.state == 0)
                both = table.fit_seconds[mine], table.predict_seconds[mine]
                medians = [float(np.median(each)) if each.size else float("nan") for each in both]
                rows.append((name, model_name, int(mine.sum()), *medians, *(float(each.sum()) for each in both)))
        return self.framed(rows, "dataset model n_fits fit_median predict_median fit_total predict_total".split())

    def framed(self, data: Any, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Rows or columns as a frame, without a column for a dataset that has no name."""
        import pandas as pd

        frame = pd.DataFrame(data, columns=columns if columns is None else list(columns))
        return frame.drop(columns="dataset") if "dataset" in frame and self.datasets == ("",) else frame

    def _outcomes(self, rows: Any) -> Iterator[Outcome]:
        """The outcomes of some rows of the table; the others are passed over unread."""
        table, chosen = self.table, np.flatnonzero(rows)
        keys = zip(*(part[chosen].tolist() for part in (table.dataset, table.split, table.model)), strict=True)
        return self.log.outcomes([Cell(*key) for key in keys]) if chosen.size else iter(())

    def _warnings(self) -> list[tuple[str, int, tuple[str, ...], str]]:
        """Text of each warning, number of cells, their models, and where the first one is."""
        groups = self._groups(self.table.noted & NOTES["warnings"] != 0, lambda outcome: outcome.warnings)
        return [(text, *about) for text, about, _ in groups]

    def _groups(
        self, rows: Any, keys: Callable[[Outcome], Iterable[Any]]
    ) -> list[tuple[Any, tuple[int, tuple[str, ...], str], list[Outcome]]]:
        """Outcomes of some rows of the table by what they have in common, the largest group first.

        Of each the key, the number of cells, their models and where the first one is, and the outcomes.
        """
        groups: dict[Any, list[Outcome]] = {}
        for outcome in self._outcomes(rows):
            for key in keys(outcome):
                groups.setdefault(key, []).append(outcome)
        found = []
        for key, outcomes in sorted(groups.items(), key=lambda group: -len(group[1])):
            first = outcomes[0].cell
            dataset = self.record.datasets[first.dataset]
            where = f"{dataset.name}, " if dataset.name else ""
            models = tuple(self.models[model] for model in sorted({outcome.cell.model for outcome in outcomes}))
            found.append((key, (len(outcomes), models, f"{where}{dataset.split_name(first.split)}"), outcomes))
        return found


def _matrix(record: DatasetRecord, names: Sequence[str], grid: np.ndarray[Any, Any]) -> ScoreMatrix:
    order = np.lexsort((record.fold, record.repeat))
    repeat, fold, n_train, n_test = (part[order] for part in (record.repeat, record.fold, record.n_train, record.n_test))
    return ScoreMatrix(record.name, tuple(names), repeat, fold, n_train, n_test, grid[:, order])


def _hash(datasets: Sequence[DatasetRecord]) -> str:
    """Hash of the test rows of all splits in key order; equal to a fitted search's with the same splits on one dataset."""
    orders = [np.lexsort((record.fold, record.repeat)) for record in datasets]
    digests = [split_hash([record.test_rows[at] for at in order]) for record, order in zip(datasets, orders, strict=True)]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


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
    return evaluation.framed({**columns, "score": table.score.ravel()})


def mean_interval(scores: FloatArray, ratio: FloatArray, alpha: float, metric: Metric) -> tuple[FloatArray, Interval]:
    """Mean of each row over the splits that have a score, and its corrected interval [NB03]_ within the metric's bounds.

    `scores` has shape (..., n_splits); `ratio`, of shape (n_splits,), is n_test / n_train of each split; `alpha` is 1 - coverage.
    """
    law = corrected_law(law_of_rows(scores, omit_missing=True), mean_ratio(scores, ratio))
    low, high = law.interval_at(alpha)
    values = scores.ravel()
    bounds = metric.bounds_of(np.fmin.reduce(values, initial=np.nan), np.fmax.reduce(values, initial=np.nan))
    return law.estimate, Interval(np.clip(low, *bounds), np.clip(high, *bounds))
