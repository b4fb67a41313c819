"""Bias and variance of models over resampled training sets, on one fixed test set."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tiebreak.errors import DataError
from tiebreak.evaluation.evaluate import find_scorers, measure_plan
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.evaluation.predictions import outcomes_with_outputs
from tiebreak.evaluation.run_options import Run
from tiebreak.numerics import FloatArray, IntArray, check_count
from tiebreak.plan.plan import make_plan
from tiebreak.plan.record import Cell
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.splits import PlannedDataset, Split, check_amount
from tiebreak.result import Result
from tiebreak.studies.curves import run_of_study


def squared_parts(predictions: FloatArray, target: FloatArray) -> FloatArray:
    """Loss, bias and variance of the squared loss, shape (3, n_test); ``loss = bias + variance`` exactly.

    Predictions have shape (n_training_sets, n_test), the target (n_test,). The bias is the squared difference of the mean
    prediction to the target, with the noise of the target in it.

    Notes
    -----
    The variance comes out too small and the squared bias too large, each by about the variance / n_training_sets.

    References
    ----------
    .. [GBD92] S. Geman, E. Bienenstock, R. Doursat. Neural networks and the bias/variance dilemma. Neural Computation 4, 1992.
    """
    mean = predictions.mean(axis=0)
    loss, variance = (np.square(predictions - at).mean(axis=0) for at in (target, mean))
    return np.stack([loss, np.square(mean - target), variance])


def zero_one_parts(predictions: IntArray, target: IntArray) -> FloatArray:
    """Loss, bias, variance, and what the variance costs and helps, after Domingos, without noise: labels are taken to be right.

    Shape (5, n_test); ``loss = bias + variance`` and ``variance = costs - helps`` exactly. Predicted labels have shape
    (n_training_sets, n_test); the main prediction of an example is the most frequent one, of equally frequent ones the first in
    sorted order. The bias is 1 where that is wrong. Where it is right, variance costs as often as a prediction departs from it;
    where it is wrong, it helps as often as a prediction is right all the same.

    References
    ----------
    .. [D00] P. Domingos. A unified bias-variance decomposition and its applications. ICML 2000, theorem 2 and its extension to
       several classes.
    """
    labels = np.unique(predictions)
    main = labels[np.argmax([(predictions == label).sum(axis=0) for label in labels], axis=0)]
    is_biased, right, departs = main != target, (predictions == target).mean(axis=0), (predictions != main).mean(axis=0)
    costs, helps = np.where(is_biased, 0.0, departs), np.where(is_biased, right, 0.0)
    return np.stack([(predictions != target).mean(axis=0), is_biased, costs - helps, costs, helps])


Loss = Literal["squared", "zero-one"]


@dataclass(frozen=True, slots=True)
class LossParts:
    """The loss of one model and its parts, means over the test examples.

    Attributes
    ----------
    model : str
    n_rounds : int
        Training sets on which the model was fitted; the others failed.
    loss : float
        Mean squared error or error rate; ``bias + variance``.
    bias : float
        Squared bias with the noise of the target in it, or the share of examples whose main prediction is wrong.
    variance : float
        Of predictions, or net variance: `unbiased` less `biased`.
    unbiased, biased : float
        For the 0-1 loss: what variance costs where the main prediction is right, and what it helps where that is wrong. nan for
        the squared loss.
    """

    model: str
    n_rounds: int
    loss: float
    bias: float
    variance: float
    unbiased: float
    biased: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BiasVariance(Result):
    """Bias and variance of models.

    Print it for the table; `plot` draws it.

    Attributes
    ----------
    loss : {"squared", "zero-one"}
    parts : tuple of LossParts
        One for each model.
    n_rounds : int
        Training sets drawn.
    n_train, n_test : int
        Examples in each training set, with repetition, and in the one test set.
    evaluation : Evaluation
        Failures, times and predictions.
    """

    loss: Loss
    parts: tuple[LossParts, ...]
    n_rounds: int
    n_train: int
    n_test: int
    evaluation: Evaluation

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return tuple(each.model for each in self.parts)


def bias_variance(models: Any, X: Any, y: Any, run: Run, *, n_rounds: Any, test_size: Any, rng: Any) -> BiasVariance:
    """Decompose the loss of models; `tiebreak.bias_variance` describes the parameters."""
    n_rounds = check_count(n_rounds, "n_rounds", 2)
    whole = make_plan(models, X, y, cv={"kind": "holdout", "test_size": test_size}, rng=rng)
    planned = whole.datasets[0]
    if planned.data.y.ndim != 1 or planned.task == "other":
        raise DataError("bias and variance are computed for one target: y must hold one class or one number for each row.")
    check_amount(n_rounds, planned.data)
    train, test = planned.splits[0]
    code = planned.truth.code  # of no rows where there are no classes, which keep their shares
    strata = [train[code[train] == label] for label in np.unique(code[train])] if code.size else [train]
    splits = []
    for number in range(n_rounds):
        generator = np.random.default_rng(derive_seed(0 if whole.rng is None else whole.rng, "bootstrap", number))
        drawn = np.sort(np.concatenate([generator.choice(rows, rows.size) for rows in strata]))
        splits.append(Split(drawn, test))
    rounds = np.arange(n_rounds, dtype=np.int64)
    resampled = dataclasses.replace(
        planned,
        splits=tuple(splits),
        kind="unknown",
        repeat=rounds,
        fold=np.zeros_like(rounds),
        n_train=np.full(n_rounds, train.size),
        n_test=np.full(n_rounds, test.size),
    )
    plan = dataclasses.replace(whole, datasets=(resampled,))
    loss: Loss = "zero-one" if planned.task == "classification" else "squared"
    scorers = find_scorers(plan, "accuracy" if loss == "zero-one" else "neg_mean_squared_error")
    evaluation = measure_plan(plan, scorers, **run_of_study(run, "bias-variance"))
    parts = tuple(_parts(evaluation, position, planned, loss) for position in range(len(evaluation.models)))
    return BiasVariance(loss, parts, n_rounds, train.size, test.size, evaluation)


def _parts(evaluation: Evaluation, model: int, planned: PlannedDataset, loss: Loss) -> LossParts:
    cells = [Cell(0, split, model) for split in range(evaluation.record.datasets[0].n_splits)]
    said = [each.outputs["predict"] for each in outcomes_with_outputs(evaluation, cells) if "predict" in each.outputs]
    truth, numbers = planned.truth.take(planned.splits[0].test), np.full(5, np.nan)
    if said and loss == "squared":
        numbers[:3] = squared_parts(np.stack(said).astype(float), truth.values.astype(float)).mean(axis=1)
    elif said:  # predictions are kept as codes
        numbers = zero_one_parts(np.stack(said), truth.code).mean(axis=1)
    return LossParts(evaluation.models[model], len(said), *numbers.tolist())
