"""``tiebreak demo``: the example of scikit-learn's gallery on comparing models, with the answer that it leaves to the reader."""

from pathlib import Path

import click

from tiebreak.cli.options import Output, help_option
from tiebreak.cli.process import emit

FIGURES = """\
Two moons: which kernel for a support vector machine? 100 examples, 10 x 10-fold
cross-validation, as in scikit-learn's example "Statistical comparison of models
using grid search". Its figures for {first} and {second}:

  corrected t {t:.3f}, right tail {right:.3f}; uncorrected t {plain_t:.3f}, right tail {plain_right:.3f}
  P({first} better) {better:.3f}, P(practically equivalent) {equivalent:.3f}

It looks who is ahead, and then asks one-sidedly whether that one is better,
which errs twice as often as it says. tiebreak asks both ways, of all pairs at
once:

"""


@click.command(
    "demo",
    params=[
        click.Option(
            ["--out"],
            type=click.Path(path_type=Path),
            default=Path("demo-output"),
            show_default=True,
            metavar="DIR",
            help="Folder for plots, report and JSON; files of the same names are replaced.",
        )
    ],
)
@help_option
def demo_command(out: Path) -> None:
    """Run a worked example and explain the answer.

    It repeats scikit-learn's gallery example on comparing models, to the digit, and says what an honest test makes of it.
    """
    output = Output.of({"plots": out, "html": out / "moons.html"})

    from sklearn.datasets import make_moons
    from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
    from sklearn.svm import SVC

    import tiebreak as tb

    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    kernels = [{"kernel": ["linear", "rbf"]}, {"kernel": ["poly"], "degree": [2, 3]}]
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    search = GridSearchCV(SVC(random_state=0), kernels, scoring="roc_auc", cv=cv).fit(X, y)
    answer = tb.compare(search, X=X, y=y, rope=0.01)
    pair = answer.pair(*answer.models[:2])
    emit(
        FIGURES.format(
            first=pair.first,
            second=pair.second,
            t=pair.law.statistic,
            right=pair.law.pvalue("greater"),
            plain_t=pair.uncorrected.statistic,
            plain_right=pair.uncorrected.pvalue("greater"),
            better=pair.law.probabilities(0.0).better,
            equivalent=pair.p_equivalent,
        )
    )
    output.write(answer)
    answer.to_json(out / "moons.json")
