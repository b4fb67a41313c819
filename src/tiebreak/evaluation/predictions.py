"""Kept predictions of the test rows: how they are kept and read again, and scores of single examples out of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tiebreak.errors import SEE_FAILURES, DataError, Setting, UnclearSourceError
from tiebreak.metrics.targets import Array, Truth, make_truth
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.fingerprint import fingerprint
from tiebreak.plan.record import Cell, DatasetRecord, Outcome
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.stores.contract import Damage, cell_text, refuse

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.scores.items import Items


def as_stored(outputs: Mapping[str, Array], truth: Truth) -> dict[str, Array]:
    """The answers as plain numbers: labels by their position among the classes, -1 for one that is no class."""
    answers = dict(outputs)
    if truth.classes is not None and "predict" in answers:
        answers["predict"] = truth.find(answers["predict"]).astype(np.int32)
    return {method: answer for method, answer in answers.items() if answer.dtype.kind in "biuf"}


def as_answered(stored: Mapping[str, Array], classes: Array | None) -> dict[str, Array]:
    """The answers of a model out of what was stored: labels again instead of positions."""
    answers = dict(stored)
    if classes is not None and "predict" in answers:
        position = answers["predict"]
        labels = classes if np.all(position >= 0) else np.array([*classes.tolist(), None], dtype=object)  # -1 is the last one
        answers["predict"] = labels[position]
    return answers


def outcomes_with_outputs(evaluation: Evaluation, cells: Iterable[Cell] | None = None) -> Iterator[Outcome]:
    """The recorded outcomes of some cells, or of all, with what the models said: a row for each test row.

    Raises `DamagedStoreError` for anything else, which only somebody who made the store can have put there.
    """
    record = evaluation.record
    for outcome in evaluation.log.outcomes(cells, outputs=True):
        dataset = record.datasets[outcome.cell.dataset]
        n_test, n_classes = len(dataset.test_rows[outcome.cell.split]), len(dataset.classes or ())
        for method, answer in outcome.outputs.items():
            is_table = answer.shape[:1] == (n_test,) and answer.ndim <= 3
            if method == "predict" and dataset.classes is not None:  # positions of labels; -1 is one that is none of them
                is_table = is_table and answer.dtype.kind in "iu" and bool(((answer >= -1) & (answer < n_classes)).all())
            if not is_table:
                refuse(Damage(record.name, f"an output of {cell_text(record, outcome.cell)}", f"no answers for {n_test} rows"))
        yield outcome


class Fold(NamedTuple):
    """Answers of one model for the test rows of one split, or of all splits of a repeat, by method; labels as they are in y."""

    splits: tuple[int, ...]
    rows: IntArray
    outputs: dict[str, Array]


class Kept:
    """The predictions that an evaluation kept on one dataset, which is named where there are several."""

    def __init__(self, evaluation: Evaluation, dataset: str | None = None) -> None:
        if dataset is None and len(evaluation.datasets) > 1:
            named = quoted(evaluation.datasets)
            raise UnclearSourceError(f"there are {len(evaluation.datasets)} datasets: {named}. Pass ", Setting("dataset"), ".")
        self.evaluation = evaluation
        self.dataset = 0 if dataset is None else look_up(dataset, evaluation.datasets, "dataset")
        self.record: DatasetRecord = evaluation.record.datasets[self.dataset]

    @cached_property
    def truth(self) -> Truth:
        """The target; `DataError` where it is not kept in a form that can be scored again."""
        target, classes = self.record.target, self.record.classes
        if target is None:
            raise DataError("the targets are not kept in a form that can be scored again: there are several a row.")
        return make_truth(target if classes is None else np.array(classes)[target], classifier=classes is not None)

    def models(self, names: str | Sequence[str] | None) -> list[int]:
        """Positions of some models, of all with a measured cell if none is named.

        Raises `DataError` where one of those named has none, or no model has.
        """
        evaluation = self.evaluation
        done = (evaluation.table.dataset == self.dataset) & (evaluation.table.state == 0)
        measured = set(evaluation.table.model[done].tolist())
        chosen = evaluation.models if names is None else (names,) if isinstance(names, str) else names
        wanted = [look_up(name, evaluation.models, "model") for name in chosen]
        lacking = [evaluation.models[model] for model in wanted if model not in measured]
        found = [model for model in wanted if model in measured]
        if lacking and (names is not None or not found):
            raise DataError(f"{quoted(lacking)} has no measured cell here. ", SEE_FAILURES, ".")
        return found

    def folds(self, model: int, methods: Sequence[str] = (), advice: str = "") -> Iterator[Fold]:
        """The measured splits of a model, in the order of the plan.

        Raises `DataError` where nothing was kept, or none of the methods, with the advice which metric keeps it.
        """
        classes = None if self.record.classes is None else np.array(self.record.classes)
        cells = [Cell(self.dataset, split, model) for split in range(self.record.n_splits)]
        for outcome in outcomes_with_outputs(self.evaluation, cells):
            if outcome.is_done and not outcome.outputs:
                raise nothing_kept()
            if outcome.is_done and methods and not any(method in outcome.outputs for method in methods):
                raise DataError(
                    f"{' or '.join(methods)} of the model {self.evaluation.models[model]!r} was not kept; what was kept is "
                    f"{quoted(list(outcome.outputs))}. What the metrics ask for is kept: evaluate with {advice} too. In a store "
                    "only what is missing is measured."
                )
            if outcome.is_done:
                split = outcome.cell.split
                yield Fold((split,), self.record.test_rows[split], as_answered(outcome.outputs, classes))

    def repeats(self, model: int) -> dict[int, Fold]:
        """The measured splits of each repeat together, by its number; methods that all of them have."""
        found: dict[int, list[Fold]] = {}
        for fold in self.folds(model):
            found.setdefault(int(self.record.repeat[fold.splits[0]]), []).append(fold)
        return {repeat: _together(folds) for repeat, folds in found.items()}


def nothing_kept() -> DataError:
    """Error where predictions are asked for and were not kept."""
    return DataError(
        "predictions were not kept. Evaluate with ",
        Setting("keep_predictions", "True"),
        ", under another ",
        Setting("name"),
        " where a store has the run already.",
    )


def _together(folds: Sequence[Fold]) -> Fold:
    methods = set.intersection(*(set(fold.outputs) for fold in folds))
    return Fold(
        tuple(split for fold in folds for split in fold.splits),
        np.concatenate([fold.rows for fold in folds]),
        {method: np.concatenate([fold.outputs[method] for fold in folds]) for method in sorted(methods)},
    )


def same_predictions(evaluation: Evaluation, models: Sequence[int], score: FloatArray) -> tuple[tuple[str, ...], ...]:
    """Groups of models whose kept predictions are the same, byte for byte, on all splits.

    `score` of shape (n_models, n_splits) is theirs; only the predictions of models with equal scores are read.
    """
    rows = [row.tobytes() for row in score]
    n_alike, datasets = Counter(rows), evaluation.record.datasets
    splits = [(dataset, split) for dataset, record in enumerate(datasets) for split in range(record.n_splits)]
    found: dict[str, list[str]] = {}
    for model in (model for model, row in zip(models, rows, strict=True) if n_alike[row] > 1):
        outcomes = list(outcomes_with_outputs(evaluation, [Cell(*split, model) for split in splits]))
        if all(outcome.outputs or not outcome.is_done for outcome in outcomes):
            said = fingerprint([(outcome.cell[:2], outcome.outputs) for outcome in outcomes])
            found.setdefault(said, []).append(evaluation.models[model])
    return tuple(tuple(names) for names in found.values() if len(names) > 1)


# --- single examples --------------------------------------------------------------------------------------------------------


def items_of(evaluation: Evaluation, metric: str, dataset: str | None, repeat: int) -> Items:
    """Scores of single examples from the predictions of one repeat, with the splits as clusters."""
    from tiebreak.readers.predictions import OF_PROBABILITIES, read_predictions

    kept = Kept(evaluation, dataset)
    if kept.truth.values.ndim > 1:
        raise DataError("the target has several columns a row, so that no metric of single examples is known.")
    by_model = {evaluation.models[model]: kept.repeats(model) for model in kept.models(None)}
    repeats = sorted({number for each in by_model.values() for number in each})
    folds = {model: each[repeat] for model, each in by_model.items() if repeat in each}
    if not folds:
        raise DataError(f"there are no predictions of repeat {repeat}; there are those of {quoted(list(map(str, repeats)))}.")
    first = max(folds.values(), key=lambda fold: fold.rows.size)
    for model, fold in folds.items():
        if not np.array_equal(fold.rows, first.rows):
            lacking = np.setdiff1d(first.rows, fold.rows).size
            raise DataError(f"{model!r} lacks predictions of {lacking} of the {first.rows.size} examples. ", SEE_FAILURES, ".")
    wants_scores = metric in OF_PROBABILITIES
    classes, n_splits = kept.truth.classes, len(first.splits)
    items = read_predictions(
        kept.truth.values[first.rows],
        {model: _answers(fold.outputs, model, metric, wants_scores=wants_scores) for model, fold in folds.items()},
        metric=metric,
        # of which scikit-learn keeps the probability
        positive=classes[1] if wants_scores and classes is not None and classes.size == 2 else None,
        items=first.rows.tolist(),
        clusters=[f"fold {kept.record.fold[split]}" for split in first.splits for _ in kept.record.test_rows[split]]
        if n_splits > 1
        else None,
    )
    remark = (
        f"predictions of {n_splits} models each, fitted on the other folds of repeat {repeat}: what is said holds for these "
        "training sets, and the folds are clusters"
    )
    return replace(items, sources=(remark,) if n_splits > 1 else ())


def _answers(outputs: Mapping[str, Array], model: str, metric: str, *, wants_scores: bool) -> Array:
    """Predicted classes or numbers of a model; probabilities or decision values where the metric is of these."""
    wanted = ["predict"] if not wants_scores else ["predict_proba", *(["decision_function"] if metric == "roc_auc" else [])]
    for method in wanted:
        if method in outputs:
            return outputs[method]
    what = "probabilities" if wants_scores else "predictions"
    raise DataError(f"no {what} of {model!r} were kept. Evaluate with a metric that asks for them too.")
