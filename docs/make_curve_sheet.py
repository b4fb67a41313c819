"""Draw the displays of curves for 2 and 8 models on one sheet, docs/images/contact-sheet-curves.png, to be looked at.

python docs/make_curve_sheet.py [FILE]
"""

import sys
from pathlib import Path

from make_contact_sheet import GAP, N_COLOURS, long_names, stacked, thumbnail
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.views.plots.curve_samples import drawn_bias_variance, drawn_learning_curve, drawn_validation_curve

TARGET = Path(__file__).parent / "images" / "contact-sheet-curves.png"
TWO = ["random forest", "ridge"]


def contact_sheet() -> Image.Image:
    """Two models on the left, eight with long names on the right; the last row has an error and words as values."""
    eight = long_names(8)
    left = [
        drawn_learning_curve(TWO),
        drawn_validation_curve(TWO),
        drawn_bias_variance(TWO, loss="squared"),
        drawn_learning_curve(["nearest neighbours"], scoring="neg_root_mean_squared_error"),
    ]
    right = [
        drawn_learning_curve(eight),
        drawn_validation_curve(eight),
        drawn_bias_variance(eight),
        drawn_validation_curve(["svm"], ("linear", "poly", "rbf", "sigmoid"), parameter="svc__kernel"),
    ]
    columns = [stacked([thumbnail(curve.plot().to_png()) for curve in curves]) for curves in (left, right)]
    sheet = Image.new("RGB", (sum(c.width for c in columns) + 3 * GAP, max(c.height for c in columns) + 2 * GAP), "white")
    sheet.paste(columns[0], (GAP, GAP))
    sheet.paste(columns[1], (2 * GAP + columns[0].width, GAP))
    return sheet


def main(target: Path) -> None:
    """Write the sheet with few colours, which keeps the file small."""
    contact_sheet().quantize(N_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
