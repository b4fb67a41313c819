"""One cell: a copy of a model, fitted on the training rows of a split, asked about the test rows once, and scored."""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple, Self
from warnings import WarningMessage

import numpy as np

from tiebreak.caught import caught_warnings
from tiebreak.errors import SAMPLE_WEIGHT, InvalidPlanError
from tiebreak.evaluation.heads import FIT, TEST, TRAIN, Memo, in_order, is_for_the_last_step, shared_heads
from tiebreak.evaluation.model_calls import (
    PreparedModel,
    as_stored,
    ask,
    ask_function,
    limited_threads,
    prepare_model,
    seeded_globals,
    settings_after_success,
)
from tiebreak.metrics.scorer import Scorer
from tiebreak.metrics.targets import Truth, UndefinedScore, make_truth
from tiebreak.plan.candidates import name_candidates
from tiebreak.plan.data import cut, take_rows
from tiebreak.plan.plan import Plan
from tiebreak.plan.record import Cell, Outcome
from tiebreak.plan.seeds import derive_seed
from tiebreak.runners.failures import LONGEST_MESSAGE, failed, in_one_line


def fit_arguments(model: Any, parameters: Mapping[str, Any], scorers: Iterable[Any] = ()) -> dict[str, Any]:
    """Keyword arguments for the model's `fit`, of parameters that are already cut to the training rows.

    Scorers of scikit-learn may ask for some of the parameters too.
    """
    if _is_routed(model):
        from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner="evaluate").add(estimator=model, method_mapping=mapping)
        for number, scorer in enumerate(scorers):  # so that what only a metric asks for is known to be wanted
            if _is_routed(scorer):
                router.add(**{f"scorer {number}": scorer}, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        return dict(process_routing(router, "fit", **parameters).estimator.fit)
    arguments = dict(parameters)
    weights = arguments.pop("sample_weight", None)
    if weights is not None:
        arguments[_weights_name(model)] = weights
    return arguments


def score_arguments(scorer: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments for a scorer of scikit-learn: what it asks for by metadata routing.

    The scorer is called ``(model, X, y, **kwargs) -> float``; the parameters are already cut to the rows that are scored.
    """
    if not _is_routed(scorer):
        return {}
    wanted = scorer.get_metadata_routing().score.requests
    return {name: value for name, value in parameters.items() if wanted.get(name) is True}


def _is_routed(consumer: Any) -> bool:
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing")) and hasattr(consumer, "get_metadata_routing")


def check_weights(name: str, model: Any) -> None:
    """Refuse sample weights for a model that cannot use them, by its name."""
    from sklearn import get_config
    from sklearn.utils.validation import has_fit_parameter

    if get_config().get("enable_metadata_routing"):
        return
    last = model.steps[-1][1] if _is_pipeline(model) else model
    if not hasattr(last, "fit") or not (has_fit_parameter(last, "sample_weight") or _takes_anything(last)):
        raise InvalidPlanError(
            f"model {name!r} ({type(last).__name__}) cannot use sample weights: its fit takes none. Leave ",
            SAMPLE_WEIGHT,
            " out, or evaluate that model in a call of its own.",
        )


def choice_of(search: Any, *, classifier: bool) -> tuple[str, dict[str, float]]:
    """Parameters that a fitted search chose, as text, and its best score by the name of its metric, where that is known."""
    chosen = name_candidates([search.best_params_])[0][0]
    scoring, refit = getattr(search, "scoring", None), getattr(search, "refit", True)
    if scoring is None:
        scoring = "accuracy" if classifier else "r2"
    elif isinstance(scoring, Mapping | list | tuple | set) and isinstance(refit, str):
        scoring = scoring[refit] if isinstance(scoring, Mapping) else refit
    best = float(getattr(search, "best_score_", np.nan))
    if not isinstance(scoring, str) or not np.isfinite(best):
        return chosen, {}
    return chosen, {scoring.removeprefix("neg_"): -best if scoring.startswith("neg_") else best}


def _weights_name(model: Any) -> str:
    return f"{model.steps[-1][0]}__sample_weight" if _is_pipeline(model) else "sample_weight"


def _is_pipeline(model: Any) -> bool:
    from sklearn.pipeline import Pipeline

    return isinstance(model, Pipeline)


def _takes_anything(model: Any) -> bool:
    """True if `fit` has ``**kwargs``."""
    import inspect

    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in inspect.signature(model.fit).parameters.values())


MOST_WARNINGS = 20


class _Slices(NamedTuple):
    """The rows of one split."""

    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any
    truth: Truth
    fit_params: Mapping[str, Any]
    test_params: Mapping[str, Any]


class Measurement:
    """The work of a run: measures cells, in this process or, sent there, in another.

    `threads` is what each fit may use; None leaves the libraries' own default. With `train_scores` the training rows are scored
    as well. With `share_steps`, leading steps that are equal are fitted once on each split.
    """

    def __init__(
        self,
        plan: Plan,
        scorers: Sequence[Scorer],
        *,
        threads: int | None,
        keep_predictions: bool = True,
        train_scores: bool = False,
        share_steps: bool = True,
    ) -> None:
        from sklearn import get_config

        self.plan = plan
        self.scorers = tuple(scorers)
        self.threads = threads
        self.keep_predictions = keep_predictions
        self.train_scores = train_scores
        self.config = dict(get_config())
        # a metric that asks the fitted model itself needs all of it
        may_share = share_steps and all(scorer.needs for scorer in self.scorers)
        models = list(plan.models.values())
        self.heads = shared_heads(models) if may_share and len(models) > 1 else ((),) * len(models)

    def cells(self) -> list[Cell]:
        """All cells of the plan, those that share a fit next to each other."""
        # without seeds a score may depend on what was drawn before it, so the order stays
        return self.plan.cells(None if self.plan.rng is None else in_order(self.heads))

    def group(self, cell: Cell) -> tuple[int, int, str] | None:
        """Key that cells have in common which share a fit; None for one that shares nothing."""
        head = self.heads[cell.model]
        return (cell.dataset, cell.split, head[0]) if head else None

    def __getstate__(self) -> dict[str, Any]:
        """All but what is only worth keeping within a process."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __enter__(self) -> Self:
        """Limit the threads of numerical libraries in this process, and set scikit-learn up as it was for the caller."""
        from sklearn import config_context

        self._prepared: dict[int, PreparedModel] = {}
        self._truths: dict[int, Truth] = {}
        self._slices: tuple[tuple[int, int], _Slices] | None = None
        self._memo = Memo()
        self._settings: dict[tuple[int, int], dict[str, bool]] = {}  # of models that were fitted on the data before
        self._stack = ExitStack()
        self._stack.enter_context(config_context(**self.config))
        self._stack.enter_context(limited_threads(self.threads))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Give the threads back and drop the slices."""
        self._stack.close()
        self._slices = None
        self._memo.drop()

    def measure(self, cell: Cell) -> Outcome:
        """Fit, predict and score one cell.

        Whatever a model raises becomes an outcome; KeyboardInterrupt, and what a handler of signals raises, go through.
        """
        from sklearn import config_context

        dataset = self.plan.datasets[cell.dataset]
        described = dataset.described
        prepared = self._prepared.get(cell.model)
        if prepared is None:
            name, model = list(self.plan.models.items())[cell.model]
            prepared = prepare_model(name, model, self.scorers, seeded=self.plan.rng is not None)
            self._prepared[cell.model] = prepared
        seed = None
        if self.plan.rng is not None:
            key = (int(described.repeat[cell.split]), int(described.fold[cell.split]))
            seed = derive_seed(self.plan.rng, prepared.name, dataset.data.name, *key)
        settings = self._settings.get((cell.dataset, cell.model))
        with caught_warnings() as caught:
            try:
                with ExitStack() as stack:
                    if prepared.is_open and seed is not None:
                        stack.enter_context(seeded_globals(seed))
                    if settings:
                        stack.enter_context(config_context(**settings))
                    outcome = self._measure(cell, prepared, seed, caught)
                if settings is None:
                    known = settings_after_success(prepared, dataset.data)
                    self._settings[cell.dataset, cell.model] = known
            except MemoryError as error:
                self._slices = None
                self._memo.drop()
                outcome = failed(cell, error, seed)
            except Exception as error:
                outcome = failed(cell, error, seed)
            except BaseException as error:  # SystemExit, or such as the panic of a library written in Rust
                if isinstance(error, KeyboardInterrupt) or _is_of_signal(error):
                    raise
                outcome = failed(cell, error, seed)
        if caught:
            texts = dict.fromkeys(f"{each.category.__name__}: {' '.join(str(each.message).split())}" for each in caught)
            outcome = replace(outcome, warnings=tuple(text[:LONGEST_MESSAGE] for text in list(texts)[:MOST_WARNINGS]))
        return outcome

    def _slice(self, cell: Cell) -> _Slices:
        """The rows of a split; kept, as the next cell is likely to be of the same one."""
        key = (cell.dataset, cell.split)
        if self._slices is not None and self._slices[0] == key:
            return self._slices[1]
        self._slices = None  # room for the new ones
        self._memo.drop()
        planned = self.plan.datasets[cell.dataset]
        if cell.dataset not in self._truths:
            self._truths[cell.dataset] = make_truth(planned.data.y, classifier=planned.task == "classification")
        data, split = planned.data, planned.splits[cell.split]
        slices = _Slices(
            take_rows(data.X, split.train),
            data.y[split.train],
            take_rows(data.X, split.test),
            data.y[split.test],
            self._truths[cell.dataset].take(split.test),
            {name: cut(value, data.n_samples, split.train) for name, value in data.fit_params.items()},
            {name: cut(value, data.n_samples, split.test) for name, value in data.fit_params.items()},
        )
        self._slices = (key, slices)
        return slices

    def _measure(self, cell: Cell, prepared: PreparedModel, seed: int | None, caught: list[WarningMessage]) -> Outcome:
        slices = self._slice(cell)
        y_train = slices.y_train.copy()  # a model may change what it is given; the next one must not notice
        if prepared.is_function:
            X_train, X_test = _own(slices.X_train), _own(slices.X_test)
            start = time.perf_counter()
            answer = prepared.model(X_train, y_train, X_test, np.random.default_rng(seed))
            seconds = time.perf_counter() - start, 0.0
            outputs = ask_function(answer, slices.truth)
            return self._outcome(cell, slices, outputs, None, {}, seconds, seed)
        model = prepared.copy(seed)
        calls = [scorer.call for scorer in self.scorers]
        arguments = fit_arguments(model, slices.fit_params, calls) if slices.fit_params else {}
        head, memo = self.heads[cell.model], self._memo
        if head and is_for_the_last_step(model, arguments):
            model.memory = memo
        X_train, X_test = _own(slices.X_train), _own(slices.X_test)
        memo.enter(head, caught)
        memo.begin(FIT, X_train)
        start = time.perf_counter()
        model.fit(X_train, y_train, **arguments)
        fit_seconds = time.perf_counter() - start + memo.credit
        saved = memo.credit
        memo.begin(TEST, X_test)
        start = time.perf_counter()
        outputs = ask(model, prepared.methods, X_test, slices.truth)
        seconds = fit_seconds, time.perf_counter() - start + memo.credit
        saved += memo.credit
        train_scores: Mapping[str, float] = {}
        if self.train_scores:
            truth = self._truths[cell.dataset].take(self.plan.datasets[cell.dataset].splits[cell.split].train)
            X_train = _own(slices.X_train)
            memo.begin(TRAIN, X_train)
            train_outputs = ask(model, prepared.methods, X_train, truth)
            train_scores, _ = self._score(train_outputs, truth, model, slices.X_train, slices.y_train, slices.fit_params)
        outcome = self._outcome(cell, slices, outputs, model, train_scores, seconds, seed)
        search = model.steps[-1][1] if _is_pipeline(model) else model
        if hasattr(search, "best_params_"):
            chosen, best_score = choice_of(search, classifier=slices.truth.classes is not None)
            outcome = replace(outcome, chosen=chosen, best_score=best_score)
        return replace(outcome, saved_seconds=saved) if memo.is_hit else outcome

    def _outcome(
        self,
        cell: Cell,
        slices: _Slices,
        outputs: Mapping[str, Any],
        model: Any,
        train_scores: Mapping[str, float],
        seconds: tuple[float, float],
        seed: int | None,
    ) -> Outcome:
        """Outcome of answers for the test rows; `seconds` are those of the fit and of the answers."""
        scores, undefined = self._score(outputs, slices.truth, model, slices.X_test, slices.y_test, slices.test_params)
        return Outcome(
            cell,
            scores=scores,
            undefined=undefined,
            train_scores=train_scores,
            fit_seconds=seconds[0],
            predict_seconds=seconds[1],
            seed=seed,
            outputs=as_stored(outputs, slices.truth) if self.keep_predictions else {},
        )

    def _score(
        self, outputs: Mapping[str, Any], truth: Truth, model: Any, X: Any, y: Any, along: Mapping[str, Any]
    ) -> tuple[dict[str, float], dict[str, str]]:
        scores: dict[str, float] = {}
        undefined: dict[str, str] = {}
        for scorer in self.scorers:
            name = scorer.metric.name
            try:
                if scorer.needs:
                    scores[name] = scorer.score(truth, outputs, truth.classes)
                elif model is None:
                    raise UndefinedScore("this metric asks the fitted model itself, and a function leaves none")
                else:
                    scores[name] = scorer.score_model(model, X, y, **(score_arguments(scorer.call, along) if along else {}))
            except UndefinedScore as error:
                undefined[name] = str(error)
            except MemoryError:
                raise
            except Exception as error:
                undefined[name] = in_one_line(error)
            else:
                if scores[name] != scores[name] or scores[name] in (float("inf"), float("-inf")):
                    undefined[name] = f"the metric is {scores[name]}"
            if name in undefined:
                scores[name] = float("nan")
        return scores, undefined


def _own(table: Any) -> Any:
    """A copy of the rows, in the same layout in memory, so that sums come out the same."""
    if isinstance(table, np.ndarray):
        return table.copy(order="K")
    return table.clone() if hasattr(table, "clone") else table.copy()


def _is_of_signal(error: BaseException) -> bool:
    """True for what a handler of a signal has raised, wherever that came in between."""
    handlers = {getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()}
    return any(frame.f_code in handlers for frame, _ in traceback.walk_tb(error.__traceback__))
