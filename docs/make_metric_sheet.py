"""Draw the displays of matrices and curves for 2 and 8 models (or classes) on one sheet, to be looked at before a release.

python docs/make_metric_sheet.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np
from make_contact_sheet import GAP, N_COLOURS, stacked, thumbnail
from PIL import Image
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tiebreak.views.plots import IntervalsDisplay

TARGET = Path(__file__).parent / "images" / "contact-sheet-metrics.png"
SCORING = ["accuracy", "roc_auc", "neg_log_loss"]


def evaluations() -> tuple[tb.Evaluation, tb.Evaluation]:
    """Two models, and eight with long names, ties and one that learns nothing, on data that are not too easy."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :4] + np.random.default_rng(0).normal(0, 0.8 * X[:, :4].std(axis=0), (len(X), 4))
    two = {"naive Bayes": GaussianNB(), "decision tree": DecisionTreeClassifier(max_depth=3)}
    eight = {
        f"scaler+tree, max_depth={depth}, min_samples_leaf={leaf}, class_weight=balanced": DecisionTreeClassifier(
            max_depth=depth, min_samples_leaf=leaf
        )
        for depth in (1, 2, 4)
        for leaf in (1, 20)
    }
    eight |= {"always the same": DummyClassifier(), "5 nearest neighbours": KNeighborsClassifier()}
    return (
        tb.evaluate(two, X, y, cv={"kind": "repeated-stratified", "n_folds": 10, "n_repeats": 3}, scoring=SCORING),
        tb.evaluate(eight, X, y, cv=10, scoring=SCORING),
    )


def matrices() -> list[tb.metrics.ConfusionMatrix]:
    """Two classes, three, and eight with long names of which one is never predicted."""
    X, y = load_iris(return_X_y=True)
    flowers = tb.evaluate({"naive Bayes": GaussianNB()}, X[:, :2], np.array(["setosa", "versicolor", "virginica"])[y], cv=10)
    counts = np.random.default_rng(0).integers(0, 9, (8, 8)) + 90 * np.eye(8, dtype=int)
    counts[:, -1] = 0
    names = tuple(f"department {number} of the ministry of long names" for number in range(8))
    return [
        tb.metrics.confusion_matrix([0] * 9990 + [1] * 10, [0] * 10000),
        flowers.confusion()["naive Bayes"],
        tb.metrics.ConfusionMatrix(names, counts),
    ]


def intervals() -> list[IntervalsDisplay]:
    """The lecture's two test sets, and ten folds."""
    rates = tb.frequentist.independent_proportions(0.15, 30, 0.25, 5000, given="rates", higher_is_better=False)
    folds = tb.frequentist.kfold_ttest([0.02, 0.03, 0.01, 0.05, -0.01, 0.03, 0.02, -0.01, 0.03, 0.0])
    return [IntervalsDisplay.from_rates(rates), IntervalsDisplay.from_kfold(folds, metric="accuracy")]


def metric_sheet() -> Image.Image:
    """Two models on the left, eight on the right."""
    columns = [
        [thumbnail(getattr(each, kind)().plot().to_png()) for kind in ("roc", "precision_recall", "calibration")]
        for each in evaluations()
    ]
    squares = [thumbnail(display.to_png()) for display in (*(matrix.plot() for matrix in matrices()), *intervals())]
    pictures = [stacked(column) for column in (columns[0], columns[1], squares)]
    width = sum(picture.width for picture in pictures) + 4 * GAP
    sheet = Image.new("RGB", (width, max(picture.height for picture in pictures) + 2 * GAP), "white")
    left = GAP
    for picture in pictures:
        sheet.paste(picture, (left, GAP))
        left += picture.width + GAP
    return sheet


def main(target: Path) -> None:
    """Write the sheet with few colours, which keeps the file small."""
    metric_sheet().quantize(N_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
