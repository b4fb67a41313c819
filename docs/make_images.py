"""Draw the picture of the README.

python docs/make_images.py [FOLDER]    (docs/images if none is given)
"""

import io
import sys
from pathlib import Path

from PIL import Image
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC

import tiebreak as tb

GAP, N_COLOURS = 20, 64


def readme_image() -> Image.Image:
    """The README's own example as a ranking and as a posterior, one below the other, as wide as a page of text."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    grid = [{"kernel": ["linear", "rbf"]}, {"kernel": ["poly"], "degree": [2, 3]}]
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv).fit(X, y)
    plot = tb.compare(search, X=X, y=y, rope=0.01).plot
    pictures = [Image.open(io.BytesIO(plot.drawing(name).to_bytes("png"))).convert("RGB") for name in ("ranking", "posterior")]
    size = (max(each.width for each in pictures), sum(each.height for each in pictures) + GAP)
    whole, top = Image.new("RGB", size, "white"), 0
    for each in pictures:
        whole.paste(each, (0, top))
        top += each.height + GAP
    return whole


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images"
    folder.mkdir(parents=True, exist_ok=True)
    few_colours = readme_image().quantize(N_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few_colours.save(folder / "readme.png", optimize=True)
