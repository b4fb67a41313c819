"""One cell: a copy of a model, fitted on the training rows of a split, asked about the test rows once, and scored.

This is the only place where a model is called. What it raises becomes the outcome of its cell.
"""

from __future__ import annotations

import copy
import inspect
import math
import os
import pickle
import random
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple
from warnings import WarningMessage

import numpy as np

from tiebreak.caught import caught_warnings
from tiebreak.errors import SAMPLE_WEIGHT, DataError
from tiebreak.evaluation.heads import FIT, TEST, TRAIN, Memo, own_copy, shared_heads
from tiebreak.evaluation.predictions import as_stored
from tiebreak.metrics.scorer import Scorer
from tiebreak.metrics.targets import Array, Truth, UndefinedScore
from tiebreak.plan.candidates import name_candidates
from tiebreak.plan.data import Dataset, cut, take_rows
from tiebreak.plan.models import is_function, module_of, parts_of
from tiebreak.plan.plan import Plan
from tiebreak.plan.record import Cell, Outcome
from tiebreak.plan.seeds import derive_seed
from tiebreak.runners.worker import LONGEST_MESSAGE, failed, in_one_line
from tiebreak.scores.vocabulary import quoted

MOST_WARNINGS = 20


class Rows(NamedTuple):
    """The rows of one split, which is told by the positions of dataset and split, and what leading steps made of them."""

    place: tuple[int, int]
    memo: Memo
    X_train: Any
    y_train: Any
    X_test: Any
    y_test: Any
    truth: Truth
    fit_params: Mapping[str, Any]


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
        may_share = share_steps and len(plan.models) > 1 and all(scorer.needs for scorer in self.scorers)
        self.heads = shared_heads(list(plan.models.values())) if may_share else ((),) * len(plan.models)
        self._are_usual = [_are_usual(each.data) for each in plan.datasets]
        self._models: dict[int, Prepared] = {}
        self._rows: Rows | None = None

    def group(self, cell: Cell) -> tuple[int, int, str] | None:
        """Key that cells have in common which share a fit; None for one that shares nothing."""
        head = self.heads[cell.model]
        return (cell.dataset, cell.split, head[0]) if head else None

    def measure(self, cell: Cell) -> Outcome:
        """Fit, predict and score one cell.

        Whatever a model raises becomes an outcome; KeyboardInterrupt, and what a handler of signals raises, go through.
        """
        from sklearn import config_context

        dataset, seed = self.plan.datasets[cell.dataset], None
        if cell.model not in self._models:
            name, model = list(self.plan.models.items())[cell.model]
            self._models[cell.model] = Prepared(name, model, self.scorers, seeded=self.plan.rng is not None)
        model = self._models[cell.model]
        # scikit-learn would look for nan and infinity at each fit and prediction, a tenth of the time of a small fit
        assured = {"assume_finite": True} if model.is_single and self._are_usual[cell.dataset] else {}
        if self.plan.rng is not None:
            repeat, fold = (int(each[cell.split]) for each in (dataset.repeat, dataset.fold))
            seed = derive_seed(self.plan.rng, model.name, dataset.data.name, repeat, fold)
        with _turn, _limited(self.threads, is_open=model.is_open), caught_warnings() as caught:
            try:
                with (
                    config_context(**self.config | model.settings | assured),
                    _restored(seed) if model.is_open else nullcontext(),
                ):
                    outcome = self._measure(cell, model, seed, caught)
                if not model.is_open:
                    model.settings = {"skip_parameter_validation": True}
            except BaseException as error:  # also SystemExit, or the panic of a library written in Rust
                if isinstance(error, KeyboardInterrupt) or (not isinstance(error, Exception) and _is_of_signal(error)):
                    raise
                if isinstance(error, MemoryError):
                    self._rows = None
                outcome = failed(cell, error, seed)
        if caught:
            texts = dict.fromkeys(f"{each.category.__name__}: {' '.join(str(each.message).split())}" for each in caught)
            outcome = replace(outcome, warnings=tuple(text[:LONGEST_MESSAGE] for text in list(texts)[:MOST_WARNINGS]))
        return outcome

    def _rows_of(self, cell: Cell) -> Rows:
        """The rows of a split; kept, as the next cell is likely to be of the same one."""
        place = (cell.dataset, cell.split)
        if self._rows is None or self._rows.place != place:
            self._rows = None  # room for the new ones
            planned = self.plan.datasets[cell.dataset]
            data, (train, test) = planned.data, planned.splits[cell.split]
            self._rows = Rows(
                place,
                Memo(),
                take_rows(data.X, train),
                data.y[train],
                take_rows(data.X, test),
                data.y[test],
                planned.truth.take(test),
                {name: cut(value, data.n_samples, train) for name, value in data.fit_params.items()},
            )
        return self._rows

    def _measure(self, cell: Cell, prepared: Prepared, seed: int | None, caught: list[WarningMessage]) -> Outcome:
        rows = self._rows_of(cell)
        memo = rows.memo
        # a model may change what it is given; the next one must not notice
        X_train, X_test, y_train = own_copy(rows.X_train), own_copy(rows.X_test), rows.y_train.copy()
        train_scores: dict[str, float] = {}
        memo.head, memo.caught = (), caught
        if prepared.is_function:
            model, predict_seconds = None, 0.0
            arguments = X_train, y_train, X_test, np.random.default_rng(seed)
            answer, fit_seconds = memo.timed(FIT, X_train, lambda: prepared.model(*arguments))
            outputs = outputs_of(answers_of_function(answer, rows.truth), None, rows.truth)
        else:
            model, methods, head = prepared.copy(seed), prepared.methods, self.heads[cell.model]
            given = fit_arguments(model, rows.fit_params) if rows.fit_params else {}
            if head and all(name.startswith(f"{model.steps[-1][0]}__") for name in given):
                memo.head, model.memory = head, memo  # else it is given something
            _, fit_seconds = memo.timed(FIT, X_train, lambda: model.fit(X_train, y_train, **given))
            answer, predict_seconds = memo.timed(TEST, X_test, lambda: {each: getattr(model, each)(X_test) for each in methods})
            outputs = outputs_of(answer, model, rows.truth)
            if self.train_scores:
                X_train = own_copy(rows.X_train)
                planned = self.plan.datasets[cell.dataset]
                truth = planned.truth.take(planned.splits[cell.split].train)
                answer, _ = memo.timed(TRAIN, X_train, lambda: {each: getattr(model, each)(X_train) for each in methods})
                said = outputs_of(answer, model, truth)
                train_scores, _ = scores_of(self.scorers, truth, said, model, rows.X_train, rows.y_train)
        scores, undefined = scores_of(self.scorers, rows.truth, outputs, model, rows.X_test, rows.y_test)
        is_of_classes = rows.truth.classes is not None
        chosen, best_score = choice_of(model, classifier=is_of_classes) if prepared.is_open else ("", {})  # as a search is
        return Outcome(
            cell,
            scores=scores,
            undefined=undefined,
            train_scores=train_scores,
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            seed=seed,
            outputs=as_stored(outputs, rows.truth) if self.keep_predictions else {},
            chosen=chosen,
            best_score=best_score,
            is_shared=memo.is_shared,
        )


def scores_of(
    scorers: Sequence[Scorer], truth: Truth, outputs: Mapping[str, Any], model: Any = None, X: Any = None, y: Any = None
) -> tuple[dict[str, float], dict[str, str]]:
    """Scores of what a model said, by name of the metric, and the reasons of those that are undefined.

    A scorer without formula asks the fitted model about `X` and `y`.
    """
    scores: dict[str, float] = {}
    undefined: dict[str, str] = {}
    for scorer in scorers:
        name, score = scorer.metric.name, float("nan")
        try:
            score = scorer.score(truth, outputs) if scorer.needs else scorer.score_model(model, X, y)
            if not math.isfinite(score):
                undefined[name] = f"the metric is {score}"
        except MemoryError:
            raise
        except Exception as error:
            undefined[name] = str(error) if isinstance(error, UndefinedScore) else in_one_line(error)
        scores[name] = float("nan") if name in undefined else score
    return scores, undefined


def method_for(scorer: Scorer, model: Any) -> str:
    """Method that a metric asks a model by: the first of its methods that the model has; "" where it asks the model itself."""
    return next((name for name in scorer.needs if hasattr(model, name)), next(iter(scorer.needs), ""))


def _is_of_signal(error: BaseException) -> bool:
    """True for what a handler of a signal has raised, wherever that came in between."""
    handlers = {getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()}
    return any(frame.f_code in handlers for frame, _ in traceback.walk_tb(error.__traceback__))


# --- what belongs to the process ---------------------------------------------------------------------------------------------

_turn = threading.RLock()
"""Runs in threads of one process measure a cell in turn: global generators and threads of BLAS are the process's."""


def _renew() -> None:
    """Begin anew in a forked process, where the thread that had its turn may be gone."""
    global _turn
    _turn = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


@lru_cache(maxsize=1)
def _thread_pools(n_modules: int) -> list[Any]:
    """The thread pools of this process. Finding them takes as long as some fits; new ones come with newly imported modules."""
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().lib_controllers)


@contextmanager
def _limited(threads: int | None, *, is_open: bool) -> Iterator[None]:
    """Limit the threads of numerical libraries, as threadpoolctl does, which looks up all about them each time; None: do not.

    Those that are limited so already are left alone, but for a model that may set them itself, as `is_open` says.
    """
    pools = _thread_pools(len(sys.modules)) if threads else []
    before = [(pool, n) for pool in pools if (n := pool.num_threads) != threads or is_open]
    for pool, _ in before:
        pool.set_num_threads(threads)
    try:
        yield
    finally:
        for pool, n in before:
            pool.set_num_threads(n)
            if hasattr(pool, "clear_controlling_thread"):  # of threadpoolctl 3.8, where else no other thread could set limits
                pool.clear_controlling_thread()


@contextmanager
def _restored(seed: int | None) -> Iterator[None]:
    """Seed the global generators; put them back, numpy's handling of errors, and the working folder.

    The next model must not be measured under what this one has set. A child process that a model has left here ends, or it would
    go on with the run as well.
    """
    folder, pid, drawn, numpy_drawn = _folder(), os.getpid(), random.getstate(), np.random.get_state()  # noqa: NPY002 - models do
    if seed is not None:
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
    try:
        with np.errstate():
            yield
    finally:
        if os.getpid() != pid:
            os._exit(0)
        if folder and _folder() != folder:
            os.chdir(folder)
        if seed is not None:
            random.setstate(drawn)
            np.random.set_state(numpy_drawn)  # noqa: NPY002


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  (a tenth of the time of a path)
    except OSError:  # it was removed
        return ""


# --- a model, and its copies ------------------------------------------------------------------------------------------------


class Prepared:
    """Facts about a model that all of its fits share.

    `is_open` says that something in it may draw from the global generators, or otherwise differ from fit to fit, `is_single`
    that it is scikit-learn's, without parts, which might compute something infinite and give it to one another. `methods` are
    those that it is asked by: for each scorer the first of those it can use that the model has. `settings` of scikit-learn
    are those of its next fit: parameters that were found valid by one are not checked again, but for those of an open model, as
    a search makes up new ones.
    """

    def __init__(self, name: str, model: Any, scorers: Sequence[Scorer], *, seeded: bool) -> None:
        # scikit-learn's own estimators draw from their random state alone, which is set; nothing sets that of a splitter
        # (cv=KFold(shuffle=True)) or of a search's candidates
        drawing = ("get_n_splits", "param_grid", "param_distributions")
        self.name, self.model, self.is_function = name, model, is_function(model)
        parts = parts_of(model)
        self.settings: dict[str, bool] = {}
        self.is_open = any(
            not module_of(part).startswith("sklearn.") or any(hasattr(part, each) for each in drawing) for part in parts
        )
        self.is_single = len(parts) == 1 and not self.is_open
        methods = tuple(dict.fromkeys(method_for(scorer, model) for scorer in scorers if scorer.needs))
        self.methods = methods or (("predict",) if hasattr(model, "predict") else ())
        parameters = model.get_params(deep=True) if seeded and hasattr(model, "get_params") else {}
        # those that would draw a new seed at each fit
        self._open = [name for name, value in parameters.items() if value is None and name.rpartition("__")[2] == "random_state"]
        self._copied: bytes | None = None
        # callbacks are shared by all copies, and a parameter may not be pickled
        if not self.is_open and not any(getattr(part, "_skl_callbacks", None) for part in parts):
            with suppress(Exception):
                whole = _unfitted(model)
                of_copy = {"": whole, **whole.get_params(deep=True)}
                places = [of_copy[name.removesuffix("random_state").removesuffix("__")] for name in self._open]
                self._copied = pickle.dumps((whole, places), protocol=pickle.HIGHEST_PROTOCOL)

    def copy(self, seed: int | None) -> Any:
        """An unfitted copy, whose parameters named random_state that are None get the seed, or of several each another one.

        To set parameters of a pipeline takes a twentieth of the time of a small fit; attributes of its parts take none.
        """
        several = len(self._open) > 1
        values = {} if seed is None else {name: derive_seed(seed, name) if several else seed for name in self._open}
        if self._copied is None:
            made = _unfitted(self.model)
            return made.set_params(**values) if values else made
        made, places = pickle.loads(self._copied)  # noqa: S301  (written above)
        for part, value in zip(places, values.values(), strict=False):  # no values without a seed
            part.random_state = value
        return made


def _are_usual(data: Dataset) -> bool:
    """True for data whose numbers are known to be finite, in single precision too; a data frame is not looked into."""
    values, limit = data.X.data if hasattr(data.X, "tocsr") else data.X, np.finfo(np.float32).max
    is_numeric = isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and not data.fit_params
    return is_numeric and bool(-limit <= values.min(initial=0) and values.max(initial=0) <= limit)


def _unfitted(model: Any) -> Any:
    """An unfitted copy; an object that scikit-learn cannot clone is copied as it is."""
    if hasattr(model, "get_params"):
        from sklearn.base import clone

        with suppress(TypeError, RuntimeError):
            return clone(model)
    return copy.deepcopy(model)


# --- what it is given besides -----------------------------------------------------------------------------------------------


def fit_arguments(model: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments for the model's `fit`; a pipeline that routes nothing is told which step takes the weights."""
    step = "" if _routes_metadata() else _last_step(model)[0]
    return {f"{step}__{name}" if step and name == "sample_weight" else name: value for name, value in parameters.items()}


def check_routing(scorer: Scorer) -> None:
    """Refuse a scorer that asks for weights or the like by metadata routing, and would not be given them."""
    call: Any = scorer.call
    if _routes_metadata() and hasattr(call, "get_metadata_routing"):
        wanted = [name for name, asks in call.get_metadata_routing().score.requests.items() if asks is True]
        if wanted:
            raise DataError(
                f"the metric {scorer.metric.name!r} asks for {quoted(wanted)}, and scores count each example once. Give a scorer "
                "without set_score_request."
            )


def check_weights(name: str, model: Any) -> None:
    """Refuse sample weights for a model that cannot use them, by its name."""
    if is_function(model):
        raise DataError(f"model {name!r} is a function, which is given no sample weights. Leave ", SAMPLE_WEIGHT, " out.")
    _, last = _last_step(model)
    taken = inspect.signature(last.fit).parameters if hasattr(last, "fit") else {}
    takes_any = any(each.kind is each.VAR_KEYWORD for each in taken.values())
    if not (_routes_metadata() or "sample_weight" in taken or takes_any):
        raise DataError(
            f"model {name!r} ({type(last).__name__}) cannot use sample weights: its fit takes none. Leave ",
            SAMPLE_WEIGHT,
            " out, or evaluate that model in a call of its own.",
        )


def _routes_metadata() -> bool:
    from sklearn import get_config

    return bool(get_config().get("enable_metadata_routing"))


def _last_step(model: Any) -> tuple[str, Any]:
    """Name and estimator of the last step of a pipeline; "" and the model for any other one."""
    from sklearn.pipeline import Pipeline

    return model.steps[-1] if isinstance(model, Pipeline) else ("", model)


# --- what it says -------------------------------------------------------------------------------------------------------------


def outputs_of(answers: Mapping[str, Any], model: Any, truth: Truth) -> dict[str, Array]:
    """The answers by method, columns in the order of the classes; refuses one that has not as many rows as the truth.

    The model is None where it was a function.
    """
    outputs = {method: np.asarray(answer) for method, answer in answers.items()}
    for method, answer in outputs.items():
        if answer.ndim == 0 or answer.shape[0] != len(truth.values):
            source = "the function" if model is None else method
            got = "a single value" if answer.ndim == 0 else f"{answer.shape[0]} predictions"
            raise DataError(f"{source} gave {got} for {len(truth.values)} test rows; one for each is needed.")
        outputs[method] = answer if method == "predict" else _in_class_order(answer, model, truth)
    return outputs


def answers_of_function(answer: Any, truth: Truth) -> dict[str, Array]:
    """Answers of a function by method: predictions, or for classes a table of probabilities, a column for each."""
    if isinstance(answer, tuple):
        raise DataError("the function returned a tuple; predictions for the test rows are needed, one for each.")
    predictions = np.asarray(answer.to_numpy() if hasattr(answer, "to_numpy") else answer)
    if truth.classes is not None and predictions.shape[1:] == (len(truth.classes),):
        return {"predict_proba": predictions, "predict": truth.classes[np.argmax(predictions, axis=1)]}
    return {"predict": predictions.ravel() if predictions.shape[1:] == (1,) else predictions}


def _in_class_order(answer: Array, model: Any, truth: Truth) -> Array:
    """Columns, or the sign of a decision, as if the model had the classes in sorted order; a class it lacks gets 0."""
    own = getattr(model, "classes_", None)
    if truth.classes is None or not isinstance(own, np.ndarray) or own.ndim != 1 or own.tolist() == truth.classes.tolist():
        return answer
    place = truth.find(own)
    if np.any(place < 0):
        return answer
    if answer.ndim == 1:
        return -answer if own.size == 2 and place[0] > place[1] else answer
    if answer.shape[1:] != (own.size,):
        return answer
    ordered = np.zeros((answer.shape[0], len(truth.classes)), dtype=answer.dtype)
    ordered[:, place] = answer
    return ordered


def choice_of(model: Any, *, classifier: bool) -> tuple[str, dict[str, float]]:
    """Parameters that a fitted search chose, as text, and its best score by the name of its metric, where that is known.

    There are none of another model.
    """
    _, search = _last_step(model)
    if not hasattr(search, "best_params_"):
        return "", {}
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
