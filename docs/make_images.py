"""Draw the pictures of the README and the contact sheets of all plots, to be looked at before a release.

python docs/make_images.py [FOLDER]    (docs/images if none is given)
"""

import io
import sys
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, KFold, RepeatedStratifiedKFold
from sklearn.svm import SVC

import tiebreak as tb
from tiebreak.views.plots.display import Display, without_pyplot

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.views.plots.every import PLOTS
from tests.views.plots.samples import GRID

WIDTH, HEIGHT, GAP, N_COLOURS = 440, 560, 20, 64
CURVES = [f"{kind}, {n}" for kind, n in product(("roc", "precision_recall", "calibration", "confusion"), ("binary", "several"))]
STUDIES = ["learning curve", "validation curve", "bias and variance", "times", "predicted", "residuals", "costs"]
SHEETS = {
    "contact-sheet": ["ranking", "differences", "scores", "verdicts", "posterior"],
    "contact-sheet-metrics": CURVES,
    "contact-sheet-curves": STUDIES,
}
SHORT = ["random forest", "gradient boosting", "nearest neighbours", "ridge", "naive Bayes", "support vectors"]


def readme_image() -> Image.Image:
    """The README's own example as a ranking and as a posterior, one below the other, as wide as a page of text."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    grid = [{"kernel": ["linear", "rbf"]}, {"kernel": ["poly"], "degree": [2, 3]}]
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv).fit(X, y)
    plot = tb.compare(search, X=X, y=y, rope=0.01).plot
    ranking = plot.ranking(caption="", figsize=(7.4, 2.3))
    return below([picture(ranking), picture(plot.posterior("rbf", "linear", caption="", figsize=(7.4, 3.4)))])


def contact_sheet(plots: Iterable[str]) -> Image.Image:
    """A row for each plot: two models, six, and forty with long names."""
    rows = []
    for plot in plots:
        displays = [PLOTS[plot](names)() for names in (SHORT[:2], SHORT, GRID[:40])]
        rows.append(beside([thumbnail(picture(display)) for display in displays]))
    return below(rows)


def other_displays() -> Image.Image:
    """Audits, which are of no models."""
    rng = np.random.default_rng(0)
    X, y, many = rng.normal(size=(240, 4)), rng.normal(size=240), rng.integers(0, 8, 240)
    audits = (
        tb.audit(X, np.where(y > 0.5, "ill", "well"), {"kind": "stratified", "n_folds": 5}),
        tb.audit(X, np.array([f"a class with quite a long name {i}" for i in range(8)])[many], {"kind": "kfold", "n_folds": 12}),
        tb.audit(X, np.sort(y), KFold(20), groups=np.repeat(np.arange(40), 6)[::-1] % 30, time=np.arange(240)),
    )
    return beside([thumbnail(picture(audit.plot())) for audit in audits])


def picture(display: Display) -> Image.Image:
    """A display as a picture."""
    return Image.open(io.BytesIO(display.to_png())).convert("RGB")


def thumbnail(whole: Image.Image) -> Image.Image:
    """A figure scaled down to its place on the sheet, never up."""
    scale = min(1.0, WIDTH / whole.width, HEIGHT / whole.height)
    return whole.resize((round(whole.width * scale), round(whole.height * scale)), Image.Resampling.LANCZOS)


def beside(pictures: list[Image.Image]) -> Image.Image:
    """Pictures side by side."""
    size = (sum(each.width for each in pictures) + GAP * (len(pictures) - 1), max(each.height for each in pictures))
    whole, left = Image.new("RGB", size, "white"), 0
    for each in pictures:
        whole.paste(each, (left, 0))
        left += each.width + GAP
    return whole


def below(pictures: list[Image.Image]) -> Image.Image:
    """Pictures one below the other."""
    size = (max(each.width for each in pictures), sum(each.height for each in pictures) + GAP * (len(pictures) - 1))
    whole, top = Image.new("RGB", size, "white"), 0
    for each in pictures:
        whole.paste(each, (0, top))
        top += each.height + GAP
    return whole


def main(folder: Path) -> None:
    """Write all of them, with few colours, which keeps the files small."""
    folder.mkdir(parents=True, exist_ok=True)
    images = {"readme": readme_image()} | {name: contact_sheet(plots) for name, plots in SHEETS.items()}
    images["contact-sheet-curves"] = below([images["contact-sheet-curves"], other_displays()])
    for name, image in images.items():
        target = folder / f"{name}.png"
        image.quantize(N_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(target, optimize=True)
        print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    with without_pyplot():
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
