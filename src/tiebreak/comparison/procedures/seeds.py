"""Training seeds on one test set: the facts that all procedures for them share."""

from __future__ import annotations

from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import Notice

FURTHER_RUNS = "further training runs on this very test set"

TEST_SET_AS_IS = "the test set is what it is: nothing is said of other data"

SEED_REFERENCE = "X. Bouthillier et al. Accounting for variance in machine learning benchmarks. MLSys 2021."


def seeds_only(data: Scores) -> Notice:
    """Remark on the reach of an answer from seeds."""
    n_test = int(data.matrix().n_test.max(initial=0))
    size = f" of {n_test:,} examples" if n_test else ""
    return Notice(
        "seeds-only",
        "the scores differ by training seed only, so the answer is about further training runs on this very test set"
        f"{size}: it says nothing about other data. Several splits, or the predictions example by example, would. Scores that "
        "are roughly normal over seeds hold the level; where those of one model are skewed and the other's hardly vary, equal "
        "models were called different in 8 to 12 % (exponential) and 10 to 20 % (lognormal) of trials of 2 to 20 seeds instead "
        "of 5 %",
    )
