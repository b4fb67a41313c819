"""Which procedure fits how the scores were made, and what to say about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tiebreak.comparison.settings import MethodName
from tiebreak.errors import MissingSizesError, TooFewSplitsError
from tiebreak.scores.scores import Notice, ScoreMatrix, SplitDesign

NADEAU_BENGIO = "C. Nadeau, Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003."
BOUCKAERT_FRANK = "R. Bouckaert, E. Frank. Evaluating the replicability of significance tests. PAKDD 2004."
CORANI_BENAVOLI = (
    "G. Corani, A. Benavoli. A Bayesian approach for comparing cross-validated algorithms. Machine Learning 100, 2015."
)
BENAVOLI = "A. Benavoli, G. Corani, J. Demsar, M. Zaffalon. Time for a change. JMLR 18(77), 2017."

SMALL_TEST_SET = 5
"""Below this many test examples per split, scores are too coarse for a t distribution (design section 4)."""


@dataclass(frozen=True, slots=True)
class Method:
    """A procedure: its name, why it was chosen, what it takes for granted, and where it comes from."""

    name: str
    reason: str
    assumptions: tuple[str, ...]
    references: tuple[str, ...]


_PAIRED = "both models were scored on the same splits"
_NORMAL = "the differences over splits are roughly normal"
_ONE_DATASET = "the answer is about models trained on samples like this dataset; its own luck cannot be seen from inside"

METHODS: dict[str, Method] = {
    "corrected-t": Method(
        "corrected-t",
        "resampled splits of one dataset share training data, which the corrected variance allows for",
        (
            _PAIRED,
            "the splits overlap as random ones do: their differences correlate by n_test / (n_train + n_test)",
            _NORMAL,
            _ONE_DATASET,
        ),
        (NADEAU_BENGIO, BOUCKAERT_FRANK, CORANI_BENAVOLI, BENAVOLI),
    ),
    "paired-t": Method(
        "paired-t",
        "asked for by name, for contrast: it treats the splits as independent, which is too confident when they share data",
        (_PAIRED, "the splits are independent: no training or test example is shared", _NORMAL),
        ("Student. The probable error of a mean. Biometrika 6, 1908.",),
    ),
}


def methods() -> dict[str, Method]:
    """Procedures that `compare` knows, by name."""
    return dict(METHODS)


def choose_method(name: MethodName, design: SplitDesign, matrix: ScoreMatrix) -> Method:
    """The method that fits the design, or the one asked for.

    Raises
    ------
    TooFewSplitsError
        A single split.
    MissingSizesError
        The correction needs the sizes of the splits and they are not known.
    """
    if matrix.n_splits < 2:
        raise TooFewSplitsError(
            "there is only one split, so nothing shows how much the difference varies from split to split. Either evaluate on "
            "more splits (repeated k-fold is best), or compare the models example by example on that test set (McNemar's test "
            "for right and wrong, a paired bootstrap for other scores), for which this version has no procedure."
        )
    chosen = METHODS["corrected-t" if name == "auto" else name]
    if chosen.name == "corrected-t" and not matrix.has_sizes:
        raise MissingSizesError(
            "the correction for shared training data needs the numbers of training and test examples, which this source does "
            "not hold. Pass n_train= and n_test= (examples per split), or add columns of these names; for a search, pass X and y."
        )
    if name != "auto":
        return chosen
    reason = {
        "loo": "leave-one-out splits share nearly all training data, which the corrected variance allows for",
        "time": "time splits share training data; the corrected variance allows for it, if not for drift",
    }.get(design.kind, chosen.reason)
    return Method(chosen.name, reason, chosen.assumptions, chosen.references)


def design_notices(design: SplitDesign, matrix: ScoreMatrix) -> Iterator[Notice]:
    """What to say about the splits themselves."""
    if design.ordered:
        yield Notice(
            "ordered-splits",
            "the splits follow time: later models see more data, and drift between splits is not part of the interval",
        )
    n_train, n_test = matrix.n_train, matrix.n_test
    if not matrix.has_sizes:
        return
    if n_test.min() < SMALL_TEST_SET:
        yield Notice(
            "small-test-sets",
            f"some test sets hold only {n_test.min()} example(s), so scores on them are coarse and the t distribution is a rough "
            "fit; comparing predictions example by example would be better, or fewer and larger folds",
        )
    if n_test.max() - n_test.min() > 1 and n_test.max() > 1.2 * n_test.min():
        yield Notice(
            "unequal-sizes",
            f"test sets hold {n_test.min()} to {n_test.max()} examples; each split counts the same, and the correction uses "
            f"the mean ratio {matrix.ratio.mean():.4g}",
        )
    n_examples = n_train + n_test
    is_one_partition = abs(int(n_test.sum()) - int(n_examples.max())) <= 1 and np.unique(matrix.repeat).size == 1
    if is_one_partition and design.kind not in ("loo", "time", "holdout", "repeated-holdout"):
        yield Notice(
            "single-repeat",
            f"one repeat of {matrix.n_splits}-fold: the answer may change with another shuffling; repeats (10 x 10-fold) "
            "steady it",
        )
