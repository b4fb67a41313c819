"""Bad input of functions of arrays: a `TiebreakError` that is the fitting built-in, nan, or the value of the right call.

Each function is called with an argument that fits, and then with it made unfit in the ways that callers' mistakes take.
"""

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tiebreak import TiebreakError

_RNG = np.random.default_rng(7)
ROW, TABLE = _RNG.normal(0.1, 1, 12), _RNG.random((3, 12))
TRUTH, RIGHT = np.array([0, 1] * 6), (_RNG.random((3, 12)) < 0.6).astype(float)
RANKS = [1.2, 2.0, 2.8]

FITTING: dict[str, dict[str, Any]] = {
    "statistics.battles_of_scores": {"scores": TABLE, "margin": 0.0},
    "statistics.bradley_terry": {
        "first": np.tile([0, 1, 2], 4),
        "second": np.tile([1, 2, 0], 4),
        "score": RIGHT[0],
        "n_models": 3,
        "weight": TABLE[0],
        "cluster": np.repeat(np.arange(4), 3),
        "position": False,
    },
    "statistics.hanley_mcneil": {"area": 0.8, "n_positive": 40, "n_negative": 60},
    "statistics.summary_means": {
        "first": 0.9,
        "second": 0.8,
        "se_first": 0.01,
        "se_second": 0.02,
        "df": 4,
        "correlation": 0.0,
        "rounding": 0.001,
        "n_units": 5,
    },
    "statistics.summary_rates": {"first": 0.9, "second": 0.8, "n": 100, "rounding": 0.01, "shared": 0.0},
    "statistics.corrected_t": {"differences": ROW, "test_train_ratio": 0.1, "scale": 1.0},
    "statistics.paired_t": {"differences": ROW},
    "statistics.student": {"estimate": ROW, "se": TABLE[0], "df": TABLE[1]},
    "statistics.adjust_pvalues": {"pvalues": [0.01, 0.2, 0.3], "correction": "holm"},
    "statistics.alpha_spent": {"fractions": [0.5, 1.0], "alpha": 0.05, "gamma": -4.0},
    "statistics.bootstrap_winner": {"values": TABLE, "higher_is_better": True, "n_resamples": 50, "alpha": 0.05, "rng": 0},
    "statistics.clustered_mean": {"values": ROW, "clusters": np.repeat(np.arange(4), 3), "weights": TABLE[0]},
    "statistics.crossed_mean": {"values": _RNG.normal(size=(4, 12)), "weights": TABLE[0]},
    "statistics.doubling_gain": {"last": ROW, "previous": ROW - 0.1 * TABLE[0], "test_train_ratio": 0.1, "rope": 0.0},
    "statistics.five_by_two_cv_test": {"differences": _RNG.normal(size=(5, 2))},
    "statistics.five_by_two_cv_critical_value": {"alpha": 0.05},
    "statistics.group_sequential_design": {"fractions": [0.5, 1.0], "gamma": -4.0, "df": [4, 9], "spent": [0.01, 0.05]},
    "statistics.metric_of_classes": {"actual": TRUTH, "predicted": RIGHT, "metric": "f1"},
    "statistics.metric_of_numbers": {"actual": ROW, "predicted": TABLE, "metric": "r2"},
    "statistics.roc_areas": {"is_positive": TRUTH, "scores": TABLE},
    "statistics.permutation_test_paired": {"differences": ROW, "n_permutations": 100, "rng": 0},
    "statistics.permutation_test_unpaired": {"first": ROW, "second": TABLE[0], "n_permutations": 100, "rng": 0},
    "statistics.prediction_powered_mean": {"labels": ROW[:6], "judged_labelled": ROW[:6] + TABLE[0, :6], "judged": TABLE[0]},
    "statistics.run_noise": {"values": [TABLE, TABLE + RIGHT]},
    "statistics.shaffer_sets": {"n_models": 4},
    "statistics.split_information": {"n_splits": [5, 10], "n_total": 10, "test_train_ratio": 0.1},
    "statistics.stratified_mean": {"values": ROW, "strata": np.repeat(np.arange(4), 3), "scale": 1.0},
    "statistics.student_quantile": {"probability": 0.9, "df": 5},
    "statistics.welch_ttest": {"first": ROW, "second": TABLE[0]},
    "statistics.average_ranks": {"scores": TABLE, "scale": 1.0},
    "statistics.cochran_q": {"correct": RIGHT},
    "statistics.critical_difference": {"n_models": 3, "n_datasets": 10, "alpha": 0.05},
    "statistics.diebold_mariano": {"differences": ROW, "scale": 1.0},
    "statistics.friedman_from_ranks": {"average_ranks": RANKS, "n_datasets": 10},
    "statistics.friedman_test": {"scores": TABLE, "scale": 1.0},
    "statistics.hodges_lehmann": {"differences": ROW},
    "statistics.mcnemar": {"only_first": 5, "only_second": 2},
    "statistics.model_confidence_set": {"losses": TABLE, "block_length": 1, "n_resamples": 50, "rng": 0},
    "statistics.nemenyi": {"average_ranks": RANKS, "n_datasets": 10},
    "statistics.newcombe": {"first": 5, "n_first": 10, "second": 3, "n_second": 12},
    "statistics.paired_counts": {"correct": RIGHT, "first": 0},
    "statistics.proportion_interval": {"successes": 3, "n": 10, "level": 0.95},
    "statistics.rank_cliques": {"average_ranks": RANKS, "span": 1.0},
    "statistics.rank_differences": {"average_ranks": RANKS, "n_datasets": 10, "control": 0},
    "statistics.rank_models": {"scores": TABLE, "scale": 1.0},
    "statistics.rank_quantile": {"n_models": 3, "alpha": 0.05, "df": 30.0},
    "statistics.sign_counts": {"differences": ROW, "scale": 1.0},
    "statistics.sign_test": {"differences": ROW, "scale": 1.0},
    "statistics.sign_test_critical_value": {"n": 10, "alpha": 0.05},
    "statistics.signed_ranks": {"differences": ROW, "scale": 1.0},
    "statistics.skillings_mack": {"scores": TABLE, "scale": 1.0},
    "statistics.tango": {"both": 5, "only_first": 3, "only_second": 2, "neither": 4},
    "statistics.wilcoxon": {"differences": ROW, "scale": 1.0},
    "statistics.wilcoxon_critical_value": {"n": 10, "alpha": 0.05},
    "statistics.z_test": {"first": 5, "n_first": 10, "second": 3, "n_second": 12},
    "statistics.hierarchical_posterior": {"differences": _RNG.normal(size=(4, 10)), "test_train_ratio": 0.1, "rope": 0.0},
    "statistics.joint_posterior": {"scores": TABLE, "test_train_ratio": 0.1, "rng": 0, "n_draws": 100},
    "statistics.sign_posterior": {"differences": ROW, "rope": 0.0, "prior_strength": 1.0},
    "statistics.signed_rank_posterior": {"differences": ROW, "rope": 0.0, "prior_strength": 0.5, "n_draws": 100},
    "statistics.signed_rank_centre": {"differences": ROW, "n_draws": 400},
    "metrics.calibration_curve": {"y_true": TRUTH, "probabilities": TABLE[0], "n_bins": 3, "alpha": 0.05},
    "metrics.confusion_matrix": {"y_true": TRUTH, "y_pred": 1 - TRUTH},
    "metrics.precision_recall_curve": {"y_true": TRUTH, "scores": ROW},
    "metrics.roc_curve": {"y_true": TRUTH, "scores": ROW},
}
"""By module and function: arguments that fit."""

ANYTHING: tuple[Any, ...] = (None, "text", [], [[1.0, 2.0], [3.0]], 1j, np.array(["a", "b"]), np.datetime64("2024-01-01"))


def call(name: str, arguments: dict[str, Any]) -> Any:
    """The function's answer, and what is asked of it first."""
    module, function = name.split(".")
    found = getattr(getattr(tb, module), function)(**arguments)
    for asked in ("pvalue", "confidence_interval", "interval", "auc_interval", "ztest"):
        if callable(getattr(found, asked, None)):
            getattr(found, asked)()
    return found


def numbers_of(found: Any) -> list[Any]:
    """All numbers in an answer."""
    if isinstance(found, tuple | list):
        return [number for each in found for number in numbers_of(each)]
    if hasattr(found, "__dataclass_fields__"):
        return [number for name in found.__dataclass_fields__ for number in numbers_of(getattr(found, name))]
    return np.ravel(found).tolist() if isinstance(found, np.ndarray | float | int | np.generic) else []


def unfit(name: str, value: Any) -> Iterator[Any]:
    """Values of an argument as mistakes make them."""
    if isinstance(value, str | bool):
        yield from (None, "text", 5)
        return
    yield from ANYTHING
    if name == "rng":
        yield from (-1, 1.5, True)
    elif isinstance(value, int | float):
        yield from (-1, 0, 1, 1.5, 95, 10**400, np.nan, np.inf, -np.inf, True, [1, 2])
    else:
        array = np.array(value, dtype=float)
        for one in (np.nan, np.inf, -np.inf, 7.0):
            changed = array.copy()
            changed.flat[1] = one
            yield changed
        some = np.arange(array.size).reshape(array.shape) == 1
        yield from (array[..., :0], array[..., :1], array[..., :-1], np.full_like(array, 0.5), np.zeros_like(array), -array, 0.5)
        yield from (np.where(some, None, array.astype(object)), np.where(some, "u", array.astype(object)), array + 1j)
        yield np.ma.masked_array(array, mask=some)
        yield np.clip(np.rint(100 * array), -128, 127).astype(np.int8)


@pytest.mark.parametrize("name", FITTING)
def test_bad_input_is_refused_in_words_or_has_no_value(name: str) -> None:
    """A mistake in any argument gives an answer or a `TiebreakError` that is a built-in too; nothing warns or fails otherwise."""
    call(name, FITTING[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for argument, fitting in FITTING[name].items():
            for value in unfit(argument, fitting):
                try:
                    call(name, {**FITTING[name], argument: value})
                except TiebreakError as error:
                    assert isinstance(error, ValueError | KeyError), (argument, value)  # noqa: PT017
                    assert len(str(error)) > 20, (argument, value)  # noqa: PT017


def test_each_function_of_arrays_is_tried() -> None:
    """The table above has every public function whose arguments are arrays and settings."""
    takes_results = {"independent_areas", "skewed"}
    takes_functions = {"bootstrap", "bootstrap_winner_by"}
    public = {
        f"{module}.{name}"
        for module in ("metrics", "statistics")
        for name in getattr(tb, module).__all__
        if inspect.isfunction(getattr(getattr(tb, module), name))
    }
    untried = {name for name in public - set(FITTING) if name.split(".")[1] not in takes_results | takes_functions}
    assert untried == set()


@pytest.mark.parametrize(
    ("name", "argument", "value", "text"),
    [
        ("bootstrap_winner", "n_resamples", np.nan, "n_resamples must be a whole number of at least 1; got nan."),
        ("bootstrap_winner", "rng", -1, "rng must be a whole number of at least 0, or a numpy Generator; got -1."),
        ("bootstrap_winner", "n_resamples", 10**10, "n_resamples must be at most 1,000,000,000; got 10000000000."),
        ("friedman_from_ranks", "n_datasets", np.inf, "n_datasets must be a whole number of at least 2; got inf."),
        ("rank_differences", "control", 3, "control must be the position of a model, 0 to 2; got 3."),
        ("shaffer_sets", "n_models", None, "n_models must be a whole number of at least 0; got None."),
        ("model_confidence_set", "block_length", 1.5, "block_length must be a whole number of at least 1; got 1.5."),
        ("tango", "both", 1e308, "both must lie between 0 and 1e+15; got 1e+308."),
        ("student", "se", -1, "se must be at least 0; got -1."),
        ("paired_counts", "first", 3, "first must be the position of a model, 0 to 2; got 3."),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(name: str, argument: str, value: object, text: str) -> None:
    """The text names the argument, what it may be, and what it is."""
    with pytest.raises(ValueError, match=r"must|need") as caught:
        call(f"statistics.{name}", {**FITTING[f"statistics.{name}"], argument: value})
    assert isinstance(caught.value, TiebreakError)
    assert str(caught.value) == text


def _of_array(name: str) -> list[tuple[str, str]]:
    return [
        (name, argument) for argument, value in FITTING[name].items() if isinstance(value, np.ndarray) and value.dtype == float
    ]


def as_small_integers(values: np.ndarray) -> tuple[Any, Any]:
    """Integers of 8 bits, whose sums overflow, and the same floats."""
    whole = np.clip(np.rint(100 * values), -128, 127)
    return whole.astype(np.int8), whole


def as_masked(values: np.ndarray) -> tuple[Any, Any]:
    """A masked value, and nan in its place: what lies below the mask has no part in the answer."""
    some = np.arange(values.size).reshape(values.shape) == 1
    return np.ma.masked_array(np.where(some, 1e9, values), mask=some), np.where(some, np.nan, values)


@pytest.mark.parametrize("way", [as_small_integers, as_masked])
@pytest.mark.parametrize(("name", "argument"), [pair for name in FITTING for pair in _of_array(name)])
def test_the_same_numbers_give_the_same_answer(name: str, argument: str, way: Callable[[np.ndarray], tuple[Any, Any]]) -> None:
    """In whatever kind of array they stand."""
    found = []
    for values in way(FITTING[name][argument]):
        try:
            found.append(str(numbers_of(call(name, {**FITTING[name], argument: values}))))
        except TiebreakError as error:
            found.append(str(error))
    assert found[0] == found[1]


AREAS: dict[str, Callable[[Any], float]] = {
    "roc_areas": lambda labels: float(tb.statistics.roc_areas(labels, [ROW, -ROW]).estimate[0]),
    "roc_curve": lambda labels: tb.metrics.roc_curve(labels, ROW).auc,
    "calibration_curve": lambda labels: tb.metrics.calibration_curve(labels, TABLE[0]).brier_score,
    "precision_recall_curve": lambda labels: tb.metrics.precision_recall_curve(labels, ROW).average_precision,
}


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize(
    "labels",
    [TRUTH == 1, 2 * TRUTH - 1, TRUTH.astype(np.int8), TRUTH.astype(float), (TRUTH == 1).astype(object), TRUTH.tolist()],
    ids=["booleans", "-1 and 1", "int8", "floats", "objects", "list"],
)
def test_the_label_1_or_true_is_the_positive_one(name: str, labels: Any) -> None:
    """Labels that tell which one is positive all mean the same."""
    assert AREAS[name](labels) == AREAS[name](TRUTH)


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize(
    "labels",
    [
        TRUTH + 1,
        np.where(TRUTH == 1, "yes", "no"),
        np.where(TRUTH == 1, "1", "0"),
        np.where(np.arange(12) == 3, np.nan, TRUTH),
        np.where(np.arange(12) == 3, None, TRUTH == 1),
        np.array([float("nan") if place == 3 else bool(label) for place, label in enumerate(TRUTH)], dtype=object),
        np.ma.masked_array(TRUTH, mask=np.arange(12) == 3),
        [0, [1]],
    ],
    ids=["1 and 2", "texts", "digits", "nan", "None", "booleans with nan", "masked", "ragged"],
)
def test_labels_that_do_not_tell_are_refused(name: str, labels: Any) -> None:
    """Labels that do not say which is positive, or are missing, give an error that names them: no nan, and nan is no positive."""
    with pytest.raises(TiebreakError, match=r"label|is_positive"):
        AREAS[name](labels)


def test_seeds_may_be_generators() -> None:
    """A numpy Generator is taken wherever a seed is, and gives the same answer as one in the same state."""
    for name, arguments in FITTING.items():
        if "rng" in arguments:
            found = [numbers_of(call(name, {**arguments, "rng": np.random.default_rng(5)})) for _ in range(2)]
            assert str(found[0]) == str(found[1])
