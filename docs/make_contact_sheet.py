"""Draw every display for 2, 4 and 40 models on one sheet, docs/images/contact-sheet.png, to be looked at before a release.

python docs/make_contact_sheet.py [FILE]
"""

import io
import sys
from itertools import product
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier

import tiebreak as tb
from tiebreak.audits.audit import audit
from tiebreak.comparison.compare import compare_scores
from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.settings import Settings
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign

TARGET = Path(__file__).parent / "images" / "contact-sheet.png"
WIDTH, HEIGHT, GAP, N_COLOURS = 640, 900, 24, 80
DISPLAYS = ("scores", "correlation", "posterior", "ranking", "verdicts")


def example(names: list[str], metric: Metric, *, step: float, rope: float, noise: float) -> Comparison:
    """Models of which each is worse than the one before by `step`, measured by 10 x 10-fold cross-validation."""
    rng = np.random.default_rng(0)
    repeat, fold = (column.ravel() for column in np.indices((10, 10)))
    difficulty = rng.normal(0.0, 0.03, repeat.size)
    quality = 0.9 - step * np.arange(len(names))[:, None] + difficulty + rng.normal(0.0, noise, (len(names), repeat.size))
    score = quality if metric.higher_is_better else 1.2 - quality
    sizes = (np.full(repeat.size, 180), np.full(repeat.size, 20))
    matrix = ScoreMatrix("", tuple(names), repeat, fold, *sizes, score)
    scores = Scores(metric, (matrix,), SplitDesign("repeated-kfold", sizes="exact"))
    return compare_scores(scores, Settings(rope=rope))


def long_names(n_models: int) -> list[str]:
    """Names of more than 60 characters, as a grid search over a pipeline makes them."""
    grid = product(("rbf", "sigmoid"), (0.001, 0.01, 0.1, 1), (0.1, 1, 10, 100, 1000))
    names = [f"scaler+svc, kernel={kernel}, gamma={gamma}, C={C}, class_weight=balanced" for kernel, gamma, C in grid]
    return names[:n_models]


def audit_figures() -> list[bytes]:
    """Two classes without a finding, eight of which chance leaves some out, and a sorted regression with all that goes wrong."""
    rng = np.random.default_rng(0)
    X, y, many = rng.normal(size=(240, 4)), rng.normal(size=240), rng.integers(0, 8, 240)
    few = {"kind": "stratified", "n_folds": 5}
    audits = (
        audit(X, np.where(y > 0.5, "ill", "well"), few),
        audit(X, np.array([f"a class with quite a long name {i}" for i in range(8)])[many], {"kind": "kfold", "n_folds": 12}),
        audit(X, np.sort(y), KFold(40), groups=np.repeat(np.arange(40), 6)[::-1] % 30, time=np.arange(240)),
    )
    return [each.plot().to_png() for each in audits]


def contact_sheet() -> Image.Image:
    """For each display: two models and four on the left, one above the other, and forty on the right; last nested ones."""
    rmse = Metric("root_mean_squared_error", higher_is_better=False)
    comparisons = (
        example(
            ["random forest", "gradient boosting"], Metric("roc_auc", higher_is_better=True), step=0.003, rope=0.01, noise=0.015
        ),
        example(long_names(4), rmse, step=0.012, rope=0.02, noise=0.006),
        example(long_names(40), Metric("accuracy", higher_is_better=True), step=0.003, rope=0.02, noise=0.008),
    )
    pictures = [[thumbnail(getattr(comparison.plot, name)().to_png()) for comparison in comparisons] for name in DISPLAYS]
    pictures.append([thumbnail(png) for png in audit_figures()])
    blocks = [block(*row) for row in pictures]
    blocks.append(stacked([thumbnail(nested(n).plot().to_png()) for n in (2, 8)]))
    left, right = stacked(blocks[:3]), stacked(blocks[3:])
    sheet = Image.new("RGB", (left.width + right.width + 3 * GAP, max(left.height, right.height) + 2 * GAP), "white")
    sheet.paste(left, (GAP, GAP))
    sheet.paste(right, (2 * GAP + left.width, GAP))
    return sheet


def nested(n_searches: int) -> tb.NestedEvaluation:
    """Grids on data with a little signal, with long names where there are many; the last of many fails throughout."""
    X, y = make_classification(n_samples=150, n_features=8, n_informative=2, flip_y=0.3, random_state=0)
    names = ["nearest neighbours", "again"] if n_searches == 2 else [name[:48] for name in long_names(n_searches)]
    models = {name: tb.grid(KNeighborsClassifier(), {"n_neighbors": [k + 1, k + 5, k + 15]}) for k, name in enumerate(names)}
    if n_searches > 2:
        models[names[-1]] = {"a": _fails, "b": _fails}
    return tb.nested_cross_validate(models, X, y, outer=10, inner=3)


def _fails(X_train: np.ndarray, y_train: np.ndarray, X_test: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    raise ValueError("never")


def block(two: Image.Image, four: Image.Image, forty: Image.Image) -> Image.Image:
    """One display."""
    few = stacked([two, four])
    whole = Image.new("RGB", (2 * WIDTH + GAP, max(few.height, forty.height)), "white")
    whole.paste(few, (0, 0))
    whole.paste(forty, (WIDTH + GAP, 0))
    return whole


def stacked(pictures: list[Image.Image]) -> Image.Image:
    """Pictures one above the other."""
    whole = Image.new("RGB", (max(p.width for p in pictures), sum(p.height + GAP for p in pictures) - GAP), "white")
    top = 0
    for picture in pictures:
        whole.paste(picture, (0, top))
        top += picture.height + GAP
    return whole


def thumbnail(png: bytes) -> Image.Image:
    """A figure scaled down to its place on the sheet, never up."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    scale = min(1.0, WIDTH / picture.width, HEIGHT / picture.height)
    return picture.resize((round(picture.width * scale), round(picture.height * scale)), Image.Resampling.LANCZOS)


def main(target: Path) -> None:
    """Write the sheet with few colours, which keeps the file small."""
    target.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet().quantize(N_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
