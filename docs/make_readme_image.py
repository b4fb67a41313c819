"""Draw the README's picture, docs/images/readme.png: its own example, as a posterior and as a ranking side by side.

python docs/make_readme_image.py [FILE]
"""

import io
import sys
from pathlib import Path

from PIL import Image
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC

import tiebreak as tb

TARGET = Path(__file__).parent / "images" / "readme.png"
WIDTH, GAP, N_COLOURS = 1400, 30, 64


def readme_image() -> Image.Image:
    """Both figures side by side, in the size they are drawn in."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    grid = [{"kernel": ["linear", "rbf"]}, {"kernel": ["poly"], "degree": [2, 3]}]
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv).fit(X, y)
    plot = tb.compare(search, X=X, y=y, rope=0.01).plot
    pictures = [Image.open(io.BytesIO(d.to_png())).convert("RGB") for d in (plot.posterior("rbf", "linear"), plot.ranking())]
    size = (sum(picture.width for picture in pictures) + GAP, max(picture.height for picture in pictures))
    sheet = Image.new("RGB", size, "white")
    sheet.paste(pictures[0], (0, 0))
    sheet.paste(pictures[1], (pictures[0].width + GAP, 0))
    return sheet.resize((WIDTH, round(sheet.height * WIDTH / sheet.width)), Image.Resampling.LANCZOS)


def main(target: Path) -> None:
    """Write the picture with few colours, which keeps the file small."""
    target.parent.mkdir(parents=True, exist_ok=True)
    readme_image().quantize(N_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
