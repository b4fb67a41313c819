"""``tiebreak demo``: two worked examples on real fits, from the library's public face only."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import help_option
from tiebreak.cli.output import Output, emit_page, writing
from tiebreak.cli.process import emit, say

if TYPE_CHECKING:
    from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.numerics import FloatArray, IntArray

ROPE = 0.01

_MOONS = "1. Two moons: which kernel for a support vector machine?"
_MOONS_HOW = "100 examples, {splits}, area under the ROC curve. A difference of 0.01 does not matter (the rope)."
_FLAW = (
    "What is wrong with these tests: the order of the models was read off the scores, and then a one-sided test asks whether "
    "the winner wins. Two equally good models are so told apart twice as often as the test says, 10% of the time at 0.05. "
    "tiebreak tests both directions unless you name an order beforehand, asks for a difference beyond the rope, and adjusts "
    "over all pairs:"
)
_CANCER = "2. Breast cancer: five pipelines that people would try"
_CANCER_HOW = (
    "569 examples, {splits}, the same for all, area under the ROC curve. A difference of 0.01 does not matter (the rope)."
)


@click.command("demo", short_help="Run two worked examples and explain the answers.")
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
    """Run two worked examples and explain the answers.

    The first repeats scikit-learn's gallery example on comparing models, to the digit, and says what an honest test makes of it.
    The second compares five pipelines on the breast cancer data. Together they take about a minute.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")  # before numpy is loaded: on small data threads cost ten times what they bring
    run_demo(out)


def run_demo(out: Path, *, n_repeats: tuple[int, int] = (10, 5)) -> None:
    """Fit both examples, print the answers, and leave plots and JSON in a folder.

    Parameters
    ----------
    out : Path
        Made if it is not there.
    n_repeats : tuple of int
        Repeats of 10-fold cross-validation in the first and in the second example.
    """
    import tiebreak as tb

    Output(plots=out).prepare()
    search, X, y = moons_search(n_repeats[0])
    as_in_gallery = tb.compare(search, X=X, y=y, rope=ROPE)
    emit(_paragraph(_MOONS, _MOONS_HOW.format(splits=f"{n_repeats[0]} times 10-fold cross-validation")))
    emit("\n".join(gallery_lines(as_in_gallery)) + "\n\n" + _paragraph(_FLAW))
    _present(tb.compare(search, X=X, y=y, rope=ROPE), out, "moons")
    say(f"Fitting five pipelines on {10 * n_repeats[1]} splits; this takes about half a minute ...")
    results = breast_cancer_results(n_repeats[1])
    emit(_paragraph(_CANCER, _CANCER_HOW.format(splits=f"{n_repeats[1]} times 10-fold cross-validation")))
    _present(tb.compare(results, metric="roc_auc", rope=ROPE), out, "breast_cancer")
    emit(f"Plots and JSON are in {out}: moons/, moons.json, breast_cancer/, breast_cancer.json\n")


def _paragraph(*lines: str) -> str:
    """Lines wrapped for a window of 80 columns, and an empty one."""
    return "\n".join(textwrap.fill(line, 78) for line in lines) + "\n\n"


def gallery_lines(comparison: Comparison) -> Iterator[str]:
    """The figures of the gallery, as it prints them: pairs in the order of the means, and one-sided p-values.

    Parameters
    ----------
    comparison : Comparison
        Of its four kernels.
    """
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
    yield ""
    yield from _gallery_pairs(comparison)
    yield "  P(best): " + ", ".join(f"{name} {p:.3f}" for name, p in comparison.p_best().items())


def _gallery_pairs(comparison: Comparison) -> Iterator[str]:
    """Statistic, Bonferroni's p-value and the three probabilities of each pair."""
    from tiebreak.statistics import adjust_pvalues

    yield f"  {'first':<15}{'second':<15}{'t':>6}{'adj. p':>9}{'P(better)':>11}{'P(worse)':>10}{'P(equiv.)':>11}"
    rows = list(comparison.pairs.itertuples())
    right = [float(comparison.pair(str(row.first), str(row.second)).law.pvalue("greater")) for row in rows]
    for row, p in zip(rows, adjust_pvalues(right, "bonferroni"), strict=True):
        yield (
            f"  {row.first:<15}{row.second:<15}{row.statistic:6.3f}{p:9.3f}"
            f"{row.p_better:11.3f}{row.p_worse:10.3f}{row.p_equivalent:11.3f}"
        )


def _present(comparison: Comparison, out: Path, name: str) -> None:
    """Print the answer; plots and JSON go to the folder."""
    from tiebreak.views.comparison import page

    emit_page(page(comparison), end="\n")
    with writing("the results", out):
        comparison.to_json(out / f"{name}.json")
        comparison.plot.save_all(out / name)


# --- the two experiments ----------------------------------------------------------------------------------------------------


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
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    kernels = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]
    search = GridSearchCV(SVC(random_state=0), kernels, scoring="roc_auc", cv=_splits(n_repeats))
    return search.fit(X, y), X, y


def breast_cancer_results(n_repeats: int) -> dict[str, dict[str, Any]]:
    """Scores of `cross_validate` for five pipelines that people would try, all on the same splits.

    Parameters
    ----------
    n_repeats : int
        Of 10-fold cross-validation.
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_validate
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X, y = load_breast_cancer(return_X_y=True)
    pipelines = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "support vectors": make_pipeline(StandardScaler(), SVC(random_state=0)),
        "random forest": RandomForestClassifier(random_state=0),
        "gradient boosting": HistGradientBoostingClassifier(random_state=0),
        "nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    }
    return {
        name: cross_validate(pipeline, X, y, cv=_splits(n_repeats), scoring="roc_auc", return_indices=True)
        for name, pipeline in pipelines.items()
    }


def _splits(n_repeats: int) -> RepeatedStratifiedKFold:
    from sklearn.model_selection import RepeatedStratifiedKFold

    return RepeatedStratifiedKFold(n_splits=10, n_repeats=n_repeats, random_state=0)
