"""``tiebreak demo``: scikit-learn's example on comparing models, to the digit, and what an honest test makes of it."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tiebreak.cli.options import Output, help_option, writing
from tiebreak.cli.process import emit

if TYPE_CHECKING:
    from sklearn.model_selection import GridSearchCV

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.numerics import FloatArray, IntArray

ROPE = 0.01

_TITLE = "Two moons: which kernel for a support vector machine?"
_HOW = (
    "100 examples, {n} times 10-fold cross-validation, area under the ROC curve. Differences up to 0.01 do not matter (the rope)."
)
_FLAW = (
    "What is wrong with these tests: the order of the models was read off the scores, and then a one-sided test asks whether "
    "the winner wins. Two equally good models are so told apart twice as often as the test says, 10% of the time at 0.05. "
    "tiebreak tests both directions unless you name an order beforehand, asks for a difference beyond the rope, and adjusts "
    "over all pairs:"
)


@click.command("demo", short_help="Run a worked example and explain the answer.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("demo-output"),
    show_default=True,
    metavar="DIR",
    help="Folder for plots and JSON; files of the same names are replaced.",
)
@help_option
def demo_command(out: Path) -> None:
    """Run a worked example and explain the answer.

    It repeats scikit-learn's gallery example on comparing models, to the digit, and says what an honest test makes of it.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # before numpy is loaded: on small data threads cost ten times what they bring
    run_demo(out)


def run_demo(out: Path, *, n_repeats: int = 10) -> None:
    """Fit the example, print the answer, and leave plots and JSON in a folder.

    Parameters
    ----------
    out : Path
        Made if it is not there.
    n_repeats : int
        Repeats of 10-fold cross-validation.
    """
    import tiebreak as tb

    output = Output(plots=out)
    output.prepare()
    search, X, y = moons_search(n_repeats)
    answer = tb.compare(search, X=X, y=y, rope=ROPE)
    lines = [_TITLE, *textwrap.wrap(_HOW.format(n=n_repeats), 78), "", *gallery_lines(answer), "", *textwrap.wrap(_FLAW, 78)]
    emit("\n".join(lines) + "\n\n")
    output.show(answer)
    output.draw(answer)
    with writing("the answer", out):
        answer.to_json(out / "moons.json")


def gallery_lines(comparison: Comparison) -> Iterator[str]:
    """The figures of the gallery, as it prints them: pairs in the order of the means, and one-sided p-values.

    Parameters
    ----------
    comparison : Comparison
        Of its four kernels.
    """
    from tiebreak.statistics import adjust_pvalues

    first, second = comparison.models[:2]
    pair = comparison.pair(first, second)
    no_rope, plain = pair.law.probabilities(0.0), pair.uncorrected
    yield "The gallery's figures: one-sided in the order of the means, Bonferroni:"
    yield f"  {first} against {second}: corrected t {pair.law.statistic:.3f}, p {pair.law.pvalue('greater'):.3f}"
    yield f"  without the correction: t {plain.statistic:.3f}, p {plain.pvalue('greater'):.3f}, far too sure"
    yield f"  P({first} better than {second}) {no_rope.better:.3f}; P(practically equivalent) {pair.p_equivalent:.3f}"
    for level in (0.50, 0.75, 0.95):
        low, high = pair.law.interval(level)
        yield f"  {level:.0%} credible interval of the difference: ({low:.6f}, {high:.6f})"
    yield f"\n  {'first':<15}{'second':<15}{'t':>6}{'adj. p':>9}{'P(better)':>11}{'P(worse)':>10}{'P(equiv.)':>11}"
    rows = list(comparison.pairs.itertuples())
    right = [float(comparison.pair(str(row.first), str(row.second)).law.pvalue("greater")) for row in rows]
    for row, p in zip(rows, adjust_pvalues(right, "bonferroni"), strict=True):
        chances = f"{row.p_better:11.3f}{row.p_worse:10.3f}{row.p_equivalent:11.3f}"
        yield f"  {row.first:<15}{row.second:<15}{row.statistic:6.3f}{p:9.3f}{chances}"
    yield "  P(best): " + ", ".join(f"{name} {p:.3f}" for name, p in comparison.p_best().items())


def moons_search(n_repeats: int) -> tuple[GridSearchCV, FloatArray, IntArray]:
    """The search of scikit-learn's gallery, fitted, and its data.

    Parameters
    ----------
    n_repeats : int
        Of 10-fold cross-validation.

    References
    ----------
    .. [1] scikit-learn gallery: Statistical comparison of models using grid search.
    """
    from sklearn.datasets import make_moons
    from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
    from sklearn.svm import SVC

    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    kernels = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=n_repeats, random_state=0)
    search = GridSearchCV(SVC(random_state=0), kernels, scoring="roc_auc", cv=splits)
    return search.fit(X, y), X, y
