"""Drawings of the report as inline SVG: rows whose width follows the page, with real text and no style of their own."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import ArrayLike

from tiebreak.printable import printable

if TYPE_CHECKING:
    from tiebreak.views.plots.draw import Drawing

HEIGHT = 22
"""Pixels of a row."""


class Scale(NamedTuple):
    """Range of numbers that takes the width of a drawing."""

    low: float
    high: float

    @classmethod
    def around(cls, *values: ArrayLike) -> Scale:
        """Range of all finite values, with a margin."""
        known = np.concatenate([np.ravel(np.asarray(each, dtype=float)) for each in values])
        known = known[np.isfinite(known)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        margin = 0.04 * (high - low) or abs(high) * 0.1 or 1.0
        return cls(low - margin, high + margin)

    def at(self, value: float) -> str:
        """Place of a number in percent of the width, cut off at the edges."""
        share = (value - self.low) / (self.high - self.low)
        return f"{100 * min(max(share, 0.0), 1.0):.1f}".removesuffix(".0")

    def ticks(self, most: int = 5) -> list[str]:
        """Round numbers inside, as texts."""
        step = round_step((self.high - self.low) / most)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        numbers = [step * n for n in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]
        return [f"{number:.{decimals}f}" if abs(number) < 1e7 else f"{number:g}" for number in numbers]


FOREMOST = 25
"""Rows whose intervals the axis fits, of however many there are: those that the report shows first."""

OUTLIER = 3
"""Times the median of how far rows reach; if one goes half as far again, the scale ends there and an arrow stands for it."""


def largest_drawn(*values: ArrayLike) -> float:
    """Largest number that is drawn, so that a few rows far off do not press the others together; infinite where all fit."""
    reach = np.fmax.reduce(np.abs(np.nan_to_num(np.asarray(values, dtype=float), posinf=0.0, neginf=0.0)))
    foremost = reach[:FOREMOST]
    if not np.any(foremost > 0):
        return np.inf
    most = min(OUTLIER * float(np.median(foremost[foremost > 0])), float(foremost.max()))
    return most if reach.max(initial=0.0) > 1.5 * most else np.inf


def round_step(least: float) -> float:
    """The next number of 1, 2, 5, 10, 20, ..."""
    size = 10.0 ** math.floor(math.log10(least))
    return next(size * each for each in (1, 2, 5, 10) if size * each >= least * 0.999)


def interval_row(scale: Scale, low: float, middle: float, high: float, rope: float, verdict: str) -> Markup:
    """An interval with its estimate over the rope and a line at 0; a mark alone where there is no interval."""
    parts = [_rope(scale, rope), _line(scale, 0.0, "zero")]
    if math.isfinite(low) or math.isfinite(high):
        ends = scale.at(max(low, scale.low)), scale.at(min(high, scale.high))
        parts.append(Markup('<line class="range" x1="{}%" x2="{}%" y1="11" y2="11"/>').format(*ends))
    if scale.low <= middle <= scale.high:
        parts.append(Markup('<circle cx="{}%" cy="11" r="4.5"/>').format(scale.at(middle)))
    elif math.isfinite(middle):
        parts.append(Markup('<text class="beyond" x="{}%" y="15">{}</text>').format(scale.at(middle), "◀" if middle < 0 else "▶"))
    return _row(Markup("").join(parts), f"row {verdict}".rstrip())


def axis(scale: Scale, label: str = "") -> Markup:
    """Ticks with their numbers, and a label below."""
    parts = []
    for text in scale.ticks():
        at = scale.at(float(text))
        parts.append(
            Markup('<line x1="{0}%" x2="{0}%" y2="4"/><text x="{0}%" y="16">{1}</text>').format(at, text.replace("-", "−"))
        )
    name = Markup('<text x="50%" y="33" class="label">{}</text>').format(label) if label else ""
    return _row(Markup("").join(parts) + name, "axis", 38 if label else 20)


def dots_row(scale: Scale, values: Iterable[float], mean: float) -> Markup:
    """A dot for each value, a little apart in height so that equal ones stay visible, and a mark at their mean.

    A dot is a line of length 1, as a point is lost in a PDF; each begins where the one before it ends, from left to right.
    """
    places, at = [], (0, 0)
    for value, n in sorted((value, n) for n, value in enumerate(values) if math.isfinite(value)):
        x, y = (round(1000 * (value - scale.low) / (scale.high - scale.low)), round(11 + 14 * ((n * 0.618034) % 1 - 0.5)))
        across, down = x - at[0], y - at[1]
        places.append(f"m{across}{'' if down < 0 else ' '}{down}h1")
        at = (x + 1, y)
    dots = Markup('<svg viewBox="0 0 1000 22" preserveAspectRatio="none"><path class="dots" d="{}"/></svg>').format(
        "".join(places)
    )
    mark = _line(scale, mean, "mean") if math.isfinite(mean) else Markup("")
    return _row(dots + mark, "row")


class Point(NamedTuple):
    """A labelled point of a scatter plot."""

    x: float
    y: float
    label: str


def scatter(points: Sequence[Point], title: str, description: str, labels: tuple[str, str], id: str) -> Markup:
    """Points with their labels over two axes, the horizontal one logarithmic; labels are those of the axes."""
    x_scale = Scale.around([math.log10(point.x) for point in points])
    y_scale = Scale.around([point.y for point in points])

    def top(value: float) -> str:
        return f"{_FLOOR * (1 - (value - y_scale.low) / (y_scale.high - y_scale.low)) + 4:.1f}"

    parts = [_across(top(float(text)), text.replace("-", "−")) for text in y_scale.ticks()]
    parts += [_column(_inner(x_scale, math.log10(value)), _seconds(value)) for value in _steps(x_scale)]
    taken: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda point: -point.y):
        at, height = _inner(x_scale, math.log10(point.x)), top(point.y)
        side, shift = ("left", -8) if float(at) > 60 else ("right", 8)
        line = float(height)
        while any(abs(x - float(at)) < LABEL_SHARE and abs(y - line) < LINE for x, y in taken):
            line += LINE
        taken.append((float(at), line))
        mark = Markup('<circle cx="{0}%" cy="{1}" r="4.5"/><text class="{2}" x="{0}%" y="{3:.1f}" dx="{4}" dy="4">{5}</text>')
        parts.append(mark.format(at, height, side, line, shift, point.label))
    parts.append(Markup('<text class="label" x="56%" y="{}">{}</text>').format(_FLOOR + 36, labels[0]))
    parts.append(Markup('<text class="label right" x="0" y="-8">{}</text>').format(labels[1]))
    head = Markup('<title id="{0}-t">{1}</title><desc id="{0}-d">{2}</desc>').format(id, title, description)
    return Markup('<svg class="scatter" width="100%" height="{0}" role="img" aria-labelledby="{1}-t {1}-d">{2}{3}</svg>').format(
        _FLOOR + 40, id, head, Markup("").join(parts)
    )


LINE = 13.0
"""Pixels between the lines of two labels."""

LABEL_SHARE = 25.0
"""Percent of the width within which a label keeps others from its line."""


def _steps(scale: Scale) -> list[float]:
    """Round numbers on a logarithmic axis: 1, 2, 5, 10, ..., or evenly spaced ones where fewer than two of these are inside."""
    powers = range(math.floor(scale.low), math.ceil(scale.high) + 1)
    steps = [each * 10.0**power for power in powers for each in (1, 2, 5) if scale.low <= power + math.log10(each) <= scale.high]
    return steps if len(steps) > 1 else [float(text) for text in Scale(10**scale.low, 10**scale.high).ticks(4)]


_FLOOR = 220
"""Pixels above the horizontal axis of a scatter plot."""


def _across(y: str, text: str) -> Markup:
    line = Markup('<line class="grid" x1="12%" x2="100%" y1="{0}" y2="{0}"/>').format(y)
    return line + Markup('<text class="left" x="11%" y="{}" dy="4">{}</text>').format(y, text)


def _column(x: str, text: str) -> Markup:
    line = Markup('<line class="grid" x1="{0}%" x2="{0}%" y1="4" y2="{1}"/>').format(x, _FLOOR + 4)
    return line + Markup('<text x="{}%" y="{}">{}</text>').format(x, _FLOOR + 18, text)


def _inner(scale: Scale, value: float) -> str:
    return f"{15 + 0.8 * 100 * (value - scale.low) / (scale.high - scale.low):.1f}"


def _seconds(value: float) -> str:
    return f"{value:.0f} s" if value >= 1 else f"{1000 * value:.3g} ms"


def _rope(scale: Scale, rope: float) -> Markup:
    if not rope:
        return Markup("")
    low, high = scale.at(-rope), scale.at(rope)
    return Markup('<rect class="rope" x="{}%" width="{:.1f}%" height="100%"/>').format(low, float(high) - float(low))


def _line(scale: Scale, value: float, kind: str) -> Markup:
    return Markup('<line class="{0}" x1="{1}%" x2="{1}%" y2="100%"/>').format(kind, scale.at(value))


def _row(inside: Markup | str, kind: str, height: int = HEIGHT) -> Markup:
    """A drawing beside its numbers in text, so that it need not be read out."""
    return Markup('<svg class="{}" width="100%" height="{}" aria-hidden="true">{}</svg>').format(kind, height, inside)


# --- plots ------------------------------------------------------------------------------------------------------------------


def drawing(plot: Drawing) -> Markup:
    """A plot as an image, under its title and above its note; its text is text, and its ground is the page's."""
    svg = plot.to_bytes("svg", is_bare=True)
    svg = re.sub(rb"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->|\n\s*", b" ", svg, flags=re.DOTALL)
    return Markup(
        '<figure class="plot"><figcaption><strong>{0}</strong></figcaption><div class="wide" tabindex="0" role="region" '
        'aria-label="{0}"><img alt="{0}" width="{1:.0f}" src="data:image/svg+xml;base64,{2}"></div>'
        '<p class="small">{3}</p></figure>'
    ).format(printable(plot.title), 96 * plot.size[0], base64.b64encode(svg).decode(), printable(plot.note))
