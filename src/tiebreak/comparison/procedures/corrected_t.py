"""Student's t of paired differences over splits, corrected for training data that they share, or over training seeds."""

from collections.abc import Iterator

import numpy as np

from tiebreak.comparison.procedures.procedure import (
    Judged,
    ModelValues,
    Procedure,
    adjusted_of,
    noted,
    reached,
    refusal,
)
from tiebreak.errors import Advice, Setting, TiebreakError, UnclearSourceError
from tiebreak.numerics import FloatArray, IntArray, student_multiplier
from tiebreak.scores.means import law_of_models, mean_ratio, pair_differences
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice
from tiebreak.statistics.splits import corrected_law


def judge_splits(data: Scores, first: IntArray, second: IntArray, split_ratio: FloatArray) -> Judged:
    """Student's t around the mean difference of each pair: confidence distribution and posterior at once.

    `split_ratio` is n_test / n_train of each split, zeros where nothing is corrected.
    """
    plain, ratio = pair_differences(data.matrix(), data.metric, split_ratio, first, second)
    law = corrected_law(plain, ratio)

    def floor(alpha: float) -> FloatArray:
        """As the corrected variance (1/n + n_test/n_train) s^2 tends to n_test/n_train s^2; s is taken as it is here."""
        width = float(student_multiplier(alpha, np.inf)) * np.sqrt(ratio * np.asarray(plain.n_units)) * np.asarray(plain.se)
        return np.where(np.asarray(law.se) > 0, width, np.nan)

    def draws(n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        from tiebreak.statistics.posterior.joint import joint_draws

        return joint_draws(data.metric.sign * data.matrix().score, float(split_ratio.mean()), rng, n)

    return Judged(
        law=law,
        reach_df=reached(law),
        floor=floor,
        draws=draws,
        beside={"ratio": ratio, "uncorrected": lambda: corrected_law(plain, 0.0)},
    )


def _values(data: Scores, split_ratio: FloatArray) -> ModelValues:
    """Mean score of each model, with its t interval."""
    matrix = data.matrix()
    law = corrected_law(law_of_models(matrix), mean_ratio(matrix.score, split_ratio))
    return ModelValues.of(law, adjusted=adjusted_of(matrix.score))


_SINGLE: tuple[str | Setting, ...] = (
    (
        "there is only one split, so nothing shows how much the difference varies from split to split. Either evaluate on more "
        "splits (repeated k-fold is best), or compare the models example by example on that test set: pass the scores of its "
        "examples, a row for each, with "
    ),
    Setting("rows", "'items'"),
    ", or tb.read_predictions(y_true, {name: predictions}).",
)


def _refuse(data: Scores) -> TiebreakError | None:
    """Fewer than two splits, or sizes that are not known."""
    if data.matrix().n_splits < 2 or data.matrix().has_ratio:
        return refusal((data.matrix().n_splits < 2, *_SINGLE))
    k = n_splits if 2 < (n_splits := data.matrix().n_splits) < 10 else 10  # the usual number
    return UnclearSourceError(
        "the correction for shared training data needs to know how large a test set is beside its training set. Pass ",
        Setting("cv", str(k)),
        f" for {k}-fold cross-validation, or ",
        Setting("n_train"),
        " and ",
        Setting("n_test"),
        " (examples per split), or add columns of these names",
        Advice("; or X=, y= and cv= as the splits were made", typed=""),
        ". If each row is a training of its own with another seed, not a fold, name the seeds in a column 'seed'.",
    )


def _remarks(data: Scores, *, is_plain: bool = False) -> Iterator[Notice]:
    """Order and groups of the splits, and that training data are shared where that is not allowed for."""
    matrix, design = data.matrix(), data.design
    return noted(
        (
            is_plain,
            Notice(
                "shared-training",
                "folds share training data, which paired-t takes for new data each time: of equal models it calls far more than "
                "5 % different (44 % over 5 repeats of 5 folds); leave the method out, and 'corrected-t' allows for it",
            ),
        ),
        (
            design.ordered,
            Notice(
                "ordered-splits",
                "the splits follow time: later models see more data, and drift between splits is not part of the interval",
            ),
        ),
        (
            design.n_torn > 0,
            Notice(
                "groups-torn",
                f"{design.n_torn} of {matrix.n_splits} splits train on examples of a group that they test on, so that equal "
                "models differ too often: keep groups together (GroupKFold), or compare over groups",
            ),
        ),
    )


PAIRED = "both models were scored on the same splits"
NORMAL = "the differences over splits are roughly normal"

CORRECTED_T = Procedure(
    name="corrected-t",
    question="splits",
    reason="splits of one dataset share training data, which the corrected variance allows for, if not for drift in time",
    generalises_to="models trained on samples like this dataset",
    assumptions=(
        PAIRED,
        "the splits overlap as random ones do: their differences correlate by n_test / (n_train + n_test)",
        NORMAL,
        "the answer is about models trained on samples like this dataset; its own luck cannot be seen from inside",
    ),
    references=(
        "C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.",
        "R. Bouckaert, E. Frank. Evaluating the replicability of significance tests. PAKDD 2004.",
        "G. Corani, A. Benavoli. A Bayesian approach for comparing cross-validated algorithms. Machine Learning 100, 2015.",
        "A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017.",
    ),
    judge=lambda data, first, second, rope, alpha, seed: judge_splits(data, first, second, data.matrix().ratio),
    values=lambda data: _values(data, data.matrix().ratio),
    refuse=_refuse,
    remarks=_remarks,
)

STUDENT = ("Student. The probable error of a mean. Biometrika 6, 1908.",)

PAIRED_T = Procedure(
    name="paired-t",
    question="splits",
    reason="for contrast: it treats the splits as independent, which is too confident when they share data",
    generalises_to="models trained on samples like this dataset, if splits shared no data",
    assumptions=(PAIRED, "the splits are independent: no training or test example is shared", NORMAL),
    references=STUDENT,
    judge=lambda data, first, second, rope, alpha, seed: judge_splits(data, first, second, np.zeros(data.matrix().n_splits)),
    values=lambda data: _values(data, np.zeros(data.matrix().n_splits)),
    refuse=lambda data: refusal((data.matrix().n_splits < 2, *_SINGLE)),
    remarks=lambda data: _remarks(data, is_plain=True),
)


# --- training seeds on one test set -----------------------------------------------------------------------------------------

FURTHER_RUNS = ("further training runs on this very test set", "other data")
TEST_SET_AS_IS = "the test set is what it is: nothing is said of other data"
SEED_REFERENCE = "X. Bouthillier et al. Accounting for variance in machine learning benchmarks. MLSys 2021."


PAIRED_SEEDS = Procedure(
    name="paired-t",
    question="seeds",
    reason="all models were trained with the same seeds on one test set: paired by seed, what a seed fixes for all of them "
    "cancels (where it fixes nothing, pairing costs width, not truth, and 'welch' by name does without)",
    generalises_to=FURTHER_RUNS,
    assumptions=(
        "the same seeds were used for both models, and runs with different seeds are independent",
        "the differences over seeds are roughly normal",
        TEST_SET_AS_IS,
    ),
    references=(*STUDENT, SEED_REFERENCE),
    judge=PAIRED_T.judge,
    values=PAIRED_T.values,
    refuse=lambda data: refusal(
        (
            data.matrix().n_splits < 2,
            ("there is only one seed, so nothing shows how much scores vary from run to run. Train with more."),
        )
    ),
)
