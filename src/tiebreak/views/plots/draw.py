"""A drawing, the five primitives that make one (rows, lines, a square of cells, bars, panels of these), and plots by name.

Each primitive takes numbers and words and gives a `Drawing`, which loads matplotlib when it is drawn. Nothing measures text:
matplotlib's constrained layout makes room for names, notes, legends and titles.
"""

from __future__ import annotations

import inspect
import io
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError
from tiebreak.views.view import make_folder, write_whole
from tiebreak.views.words import NAME_WIDTH, left_out, model_names, printable, seconds, shorten

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ROWS = 60
"""Models that rows show legibly; of more, the first ones are drawn."""

MOST_CELLS = 20
"""Models or classes of a square, and models on one scale of ranks."""

MOST_LINES = 8
"""Lines with a colour of their own; of more, the others are grey."""

MOST_PANELS = 9
"""Panels of one figure."""

FORMATS = ("png", "svg", "pdf")

SIZE, SMALL, TITLE = 9.0, 8.0, 11.5
"""Font sizes in points."""

DPI = 144

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B58900", "#56B4E9", "#8C564B", "#7F7F7F")
"""Okabe and Ito's, which the colour-blind tell apart; for yellow and black, which are lost on white or black, others."""

DASHES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1)), (0, (8, 2)), (0, (3, 1, 1, 1)), (0, (1, 2)))
"""Tell lines apart without colour."""

_FALLBACKS = (
    "Noto Sans CJK SC",
    "Noto Sans Arabic",
    "Noto Emoji",
    "WenQuanYi Micro Hei",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Segoe UI Symbol",
    "PingFang SC",
    "Arial Unicode MS",
)
"""Fonts that people have for what the first font lacks."""


class Mark(NamedTuple):
    """Mark of a verdict: the shape tells it apart without colour."""

    symbol: str
    marker: str
    colour: str
    is_filled: bool = True


MARKS = {
    "better": Mark("▲", "^", "#0072B2"),
    "ahead": Mark("△", "^", "#56B4E9", False),
    "equivalent": Mark("■", "s", "#009E73"),
    "undecided": Mark("○", "o", "#808080", False),
    "behind": Mark("▽", "v", "#E69F00", False),
    "worse": Mark("▼", "v", "#D55E00"),
    "": Mark("", "|", "#808080"),
}


def marked(verdict: str) -> str:
    """A verdict with its mark."""
    return f"{MARKS[verdict].symbol} {verdict}" if verdict else ""


# --- Text -----------------------------------------------------------------------------------------------------------


@cache
def _families() -> tuple[tuple[str, ...], frozenset[int]]:
    """Families in the order in which a glyph is looked for, and the code points that one of them has."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties, fontManager, get_font

    installed = set(fontManager.get_font_names())
    names = (*rcParams["font.family"], "DejaVu Sans", *(name for name in _FALLBACKS if name in installed))
    paths = [fontManager.findfont(FontProperties(family=[name])) for name in names]
    return names, frozenset(code for path in paths for code in get_font(str(path)).get_charmap())


def readable(text: str) -> str:
    """Text on one line in which every character can be drawn; � stands for one that no installed font has."""
    text = printable(text) if text.strip() else repr(text)
    return (
        text if text.isascii() else "".join(each if ord(each) in _families()[1] else "\N{REPLACEMENT CHARACTER}" for each in text)
    )


def short(text: object, width: int = 40) -> str:
    """Text that need not differ from others, such as the name of a metric."""
    return shorten(readable(str(text)), width)


def labels(names: Sequence[object], width: int = NAME_WIDTH) -> list[str]:
    """Names of at most `width` characters, all different."""
    return model_names([readable(str(name)) for name in names], width)


def minus(text: str) -> str:
    """A formatted number with the minus sign of matplotlib's axes, or n/a where it is undefined."""
    return "n/a" if text == "-" else text.replace("-", "−")


def of_all(n_drawn: int, n_all: int, what: str = "models") -> str:
    """A remark for the note when not all are drawn, else nothing."""
    return f" Drawn: the first {n_drawn} of {n_all} {what}." if n_drawn < n_all else ""


def text_colour(strength: float = 1.0) -> Any:
    """Colour of text and lines as the caller's style sheet has it, strong or faint."""
    from matplotlib import rcParams

    return rcParams["text.color"], strength


def style() -> AbstractContextManager[None]:
    """Settings of matplotlib that our texts need: no LaTeX and no mathtext in names, fonts with the glyphs, text as text."""
    import matplotlib

    settings: Any = {
        "font.family": list(_families()[0]),
        "text.usetex": False,
        "text.parse_math": False,
        "axes.grid": False,
        "axes.unicode_minus": True,
        "font.size": SIZE,
        "svg.hashsalt": "tiebreak",
        "path.simplify": False,
    }
    return matplotlib.rc_context(settings)


# --- The drawing ----------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class Drawing:
    """A figure about a result, in scikit-learn's manner: numbers first, drawn when asked to.

    Attributes
    ----------
    data : DataFrame
        Every number that is drawn, with full names.
    title : str
        The finding.
    note : str
        Remarks on reading the figure.
    paint : callable
        Draws on axes; its second argument is True where the figure is our own.
    size : tuple of float
        Width and height of a figure of our own, in inches, without title and note.
    ax_ : Axes
        Set by `plot`.
    figure_ : Figure
        Set by `plot`.
    """

    data: pd.DataFrame
    title: str
    note: str
    paint: Callable[[Axes, bool], None]
    size: tuple[float, float]
    ax_: Axes = field(init=False)
    figure_: Figure = field(init=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, without title and note. If not given, pyplot makes a figure of fitting size, which ``plt.show()``
            shows.
        """
        if ax is None:
            import matplotlib.pyplot as plt

            return self._framed(plt.figure(layout="constrained"))
        with style():
            self.paint(ax, False)
        self.ax_, self.figure_ = ax, ax.get_figure(root=True)  # type: ignore[assignment]
        return self

    def _framed(self, figure: Figure, *, is_bare: bool = False) -> Self:
        """Draw in a figure of our own, under the title and above the note."""
        width, height = self.size
        texts = (self.title, int(9 * width)), (self.note, int(15.5 * width))  # which have names as they are
        title, note = ("" if is_bare or not text else fill(readable(text), n) for text, n in texts)
        with style():
            if not is_bare:
                left: dict[str, Any] = {"x": 0.12 / width, "ha": "left", "wrap": True}
                figure.suptitle(title, fontsize=TITLE, fontweight="bold", **left)
                figure.supxlabel(note, fontsize=SMALL, color=text_colour(0.65), **left)
                height += 0.35 + (1.3 * TITLE * title.count("\n") + 1.3 * SMALL * (1 + note.count("\n"))) / 72
            figure.set_size_inches(width, height)
            figure.get_layout_engine().set(w_pad=0.1, h_pad=0.1)  # type: ignore[union-attr,call-arg]
            self.ax_, self.figure_ = figure.add_subplot(), figure
            self.paint(self.ax_, True)
        return self

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the drawing as PNG, SVG or PDF; a file of that name is replaced at once, never left half written.

        Parameters
        ----------
        path : path
            In a folder that exists; its suffix names the format.

        Raises
        ------
        InvalidParameterError
            Another suffix.
        StoreError
            No such folder, no permission, a full disk; no part of the file is kept.
        """
        target = Path(path)
        write_whole(target, self.to_bytes(check_format(target)))
        return target

    def to_bytes(self, format: str, *, is_bare: bool = False) -> bytes:
        """The figure as "png", "svg" or "pdf"; the same numbers give the same bytes, and pyplot is not touched.

        `is_bare` leaves out title and note, and what is drawn already.
        """
        from matplotlib import rcParams
        from matplotlib.figure import Figure

        if is_bare or not hasattr(self, "figure_"):
            self._framed(Figure(layout="constrained"), is_bare=is_bare)
        dates: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # no clock gets into the file
        buffer = io.BytesIO()
        with style():
            rcParams["svg.fonttype"] = "none" if is_bare else "path"
            self.figure_.savefig(buffer, format=format, dpi=DPI, metadata=dates.get(format), transparent=is_bare)
        return buffer.getvalue()

    def __repr__(self) -> str:
        return f"<Drawing: {self.title}>"


def check_format(path: str | os.PathLike[str]) -> str:
    """The format that the suffix of a file name stands for.

    Raises
    ------
    InvalidParameterError
        Another suffix than those of `FORMATS`, or none.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InvalidParameterError(
            f"a figure is written as .png, .svg or .pdf, and the file name {str(Path(path).name)!r} "
            f"{f'ends in .{suffix}' if suffix else 'has no suffix'}. For other formats use drawing.figure_.savefig(path)."
        )
    return suffix


# --- What primitives share ------------------------------------------------------------------------------------------


def _plain(ax: Axes, *spines: str, x: str, y: str = "") -> None:
    """Take away the frame except for the named sides, lay a grid across them, and name the axes."""
    ax.set_xlabel(x, fontsize=SIZE)
    ax.set_ylabel(y, fontsize=SIZE)
    ax.spines[["left", "right", "top", "bottom"]].set_visible(False)
    if spines:
        ax.spines[list(spines)].set_visible(True)
        ax.grid(axis="both" if "left" in spines else "x", color=text_colour(0.1), linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=SIZE)


def _words(axis: Any, places: Sequence[float], texts: Sequence[str], size: float) -> None:
    """Words as ticks of an axis, literally: a dollar sign is a dollar sign."""
    axis.set_ticks(places, labels=texts)
    axis.set_tick_params(length=0, labelsize=size)
    for label in axis.get_ticklabels():
        label.set_parse_math(False)


def _row_labels(ax: Axes, names: Sequence[str], notes: Sequence[str] = ()) -> None:
    """Names as rows, the first on top, and notes to their right."""
    inches = ax.get_window_extent().height / ax.figure.dpi
    size = min(SIZE, max(4.0, 72 * inches / max(len(names), 1) / 1.15))
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    words_beside(ax, range(len(names)), names, notes, size)


def words_beside(ax: Axes, heights: Sequence[float], left: Sequence[str], right: Sequence[str], size: float = SIZE) -> None:
    """Words to the left and to the right, where there are any."""
    _words(ax.yaxis, heights, left, size)
    if len(right):
        second = ax.secondary_yaxis("right")
        _words(second.yaxis, heights, right, size)
        second.spines["right"].set_visible(False)


def number_axis(axis: Any, values: ArrayLike = (), *, unit: str = "") -> None:
    """Few ticks, written out in full; logarithmic where positive values span a factor of ten; seconds as people say them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator, ScalarFormatter

    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    numbers = FuncFormatter(lambda value, _: "0" if value == 0 else seconds(value) if unit == "s" else f"{value:,.6g}")
    if known.size > 2 and known.min() > 0 and known.max() / known.min() >= 10:
        axis._set_axes_scale("log")
        wide = known.max() / known.min() >= 1000
        axis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0), numticks=9))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(numbers)
        return
    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(numbers if unit else ScalarFormatter(useOffset=False))


# --- The five primitives --------------------------------------------------------------------------------------------


def rows(
    data: pd.DataFrame,
    *,
    title: str,
    note: str,
    x_label: str,
    names: Sequence[object],
    middle: ArrayLike,
    low: ArrayLike | None = None,
    high: ArrayLike | None = None,
    verdicts: Sequence[str] = (),
    notes: Sequence[str] = (),
    band: float = 0.0,
    zero: bool = True,
    dots: tuple[ArrayLike, ArrayLike] | None = None,
    unit: str = "",
) -> Drawing:
    """Rows with a mark and an interval each: names on the left, notes on the right, the first on top.

    `verdicts` give marks and colours, `band` is a grey region about 0, `dots` are the x and the rows of small dots. An interval
    without an end is drawn to the edge, with an arrow.
    """
    centre = np.asarray(middle, dtype=float)
    ends = np.full((2, centre.size), np.nan) if low is None or high is None else np.array([low, high], dtype=float)
    scattered = np.array([], dtype=float) if dots is None else np.asarray(dots[0], dtype=float)
    drawn = np.concatenate([centre, ends.ravel(), scattered])
    kinds = list(verdicts) or ["better"] * centre.size
    texts = labels(names)
    shared = left_out([readable(str(name)) for name in names])

    def paint(ax: Axes, own: bool) -> None:
        known = drawn[np.isfinite(drawn)]
        reach = 0.08 * float(np.ptp(known) or 1.0) if known.size else 1.0
        edges = (known.min() - reach, known.max() + reach) if known.size else (-1.0, 1.0)
        shift = 0.0 if dots is None else 0.17
        if band:
            ax.axvspan(-band, band, color=text_colour(0.1), linewidth=0, zorder=0)
        if zero:
            ax.axvline(0.0, color=text_colour(0.5), linewidth=0.8, zorder=1)
        if dots is not None:
            strength = float(np.clip(30 * centre.size / max(scattered.size, 1), 0.2, 0.5))
            # one path of short lines with round ends, which takes a tenth of the room of as many marks in an SVG
            across = np.stack([scattered, scattered + 1e-6 * reach, np.full(scattered.size, np.nan)], axis=1).ravel()
            down = np.repeat(np.asarray(dots[1], dtype=float) + shift, 3)
            ax.plot(across, down, color=text_colour(strength), linewidth=3.2, solid_capstyle="round", snap=False, zorder=2)
        for row, (left, x, right, kind) in enumerate(zip(ends[0], centre, ends[1], kinds, strict=True)):
            mark, y = MARKS[kind], row - shift
            shown = np.clip([left, right], *edges)
            ax.plot(shown, [y, y], color=mark.colour, linewidth=1.6, solid_capstyle="butt", zorder=3)
            for end, place, arrow in ((left, shown[0], "<"), (right, shown[1], ">")):
                if np.isinf(end):
                    ax.scatter(place, y, marker=arrow, s=26, color=mark.colour, linewidths=0, zorder=3)
            face = mark.colour if mark.is_filled else ax.get_facecolor()
            look: dict[str, Any] = {"markerfacecolor": face, "markeredgecolor": mark.colour, "markersize": 6 if kind else 9}
            ax.plot(x, y, marker=mark.marker, zorder=4, **look)
        _plain(ax, "bottom", x=x_label)
        number_axis(ax.xaxis, centre if unit == "s" else (), unit=unit)
        _row_labels(ax, texts, notes)

    height = 0.9 + (0.25 if dots is None else 0.34) * max(centre.size, 2)
    return Drawing(data, title, f"{note} {shared}".rstrip(), paint, (8.4, height))


class Curve(NamedTuple):
    """A line of a figure: where it goes, its name in the legend ("" for none), and what surrounds it."""

    x: ArrayLike
    y: ArrayLike
    name: str = ""
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    faint: Sequence[tuple[ArrayLike, ArrayLike]] = ()
    marks: Sequence[str] = ()
    train: ArrayLike | None = None


def lines(
    data: pd.DataFrame,
    curves: Sequence[Curve],
    *,
    title: str,
    note: str,
    x_label: str,
    y_label: str,
    dotted: Sequence[tuple[ArrayLike, ArrayLike]] = (),
    shares: bool = False,
    has_marks: bool = False,
    ticks: tuple[Sequence[float], Sequence[str]] | None = None,
    log: bool = False,
    points: Sequence[tuple[float, float]] = (),
    size: tuple[float, float] = (7.6, 4.4),
) -> Drawing:
    """Lines told apart by colour and dashes; those without a name are grey, beyond `MOST_LINES` all others are.

    Bands or whiskers are drawn from `low` to `high` of up to three lines; `shares` makes a unit square of both axes, `dotted` are
    lines of reference, `points` are marked.
    """

    def paint(ax: Axes, own: bool) -> None:
        for x, y in dotted:
            ax.plot(x, y, color=text_colour(0.6), linewidth=0.9, linestyle=(0, (2, 3)), zorder=1)
        is_detailed = sum(bool(curve.name) for curve in curves) <= 3
        grey = text_colour(float(np.clip(4 / max(len(curves), 1), 0.03, 0.3)))  # many that overlap do not hide the coloured ones
        for number, curve in enumerate(curves):
            if not curve.name or number >= MOST_LINES:
                ax.plot(curve.x, curve.y, color=grey, linewidth=0.7, zorder=1.2)
                continue
            colour = COLOURS[number]
            for x, y in curve.faint if is_detailed else ():
                ax.plot(x, y, color=colour, linewidth=0.7, alpha=float(np.clip(4 / len(curve.faint), 0.08, 0.35)), zorder=2)
            if curve.low is not None and curve.high is not None:
                if has_marks:
                    ax.vlines(curve.x, curve.low, curve.high, color=colour, linewidth=0.9, alpha=0.6, zorder=2)
                elif is_detailed:
                    ax.fill_between(np.asarray(curve.x), curve.low, curve.high, color=colour, alpha=0.16, linewidth=0, zorder=1.5)
            if curve.train is not None:
                ax.plot(curve.x, curve.train, color=colour, linewidth=1.0, linestyle=(0, (4, 2)), zorder=3)
            dashes = "-" if curve.train is not None else DASHES[number]
            ax.plot(curve.x, curve.y, color=colour, linewidth=1.8, linestyle=dashes, label=curve.name, zorder=4)
            marks = (curve.marks or ["o"] * np.size(curve.x)) if has_marks else ()
            for x, y, mark in zip(np.ravel(curve.x), np.ravel(curve.y), marks, strict=False):
                edge, area = (text_colour(), 120) if mark == "*" else (colour, 22)
                ax.scatter(x, y, marker=mark, s=area, color=colour, edgecolors=edge, linewidths=0.7, zorder=5)
        for number, (x, y) in enumerate(points):
            ax.scatter(x, y, s=40, color=COLOURS[number % MOST_LINES], edgecolors=text_colour(), linewidths=0.7, zorder=6)
        _plain(ax, "left", "bottom", x=x_label, y=y_label)
        every = np.concatenate([np.ravel(curve.x) for curve in curves]) if curves else ()
        number_axis(ax.xaxis, every if log else ())
        number_axis(ax.yaxis)
        if shares:
            ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xticks=np.linspace(0, 1, 6), yticks=np.linspace(0, 1, 6))
            ax.set_box_aspect(1)
        if ticks is not None:
            _words(ax.xaxis, ticks[0], ticks[1], SIZE)
        if any(curve.name for curve in curves):
            beside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0}
            place: dict[str, Any] = beside if own else {"loc": "best"}
            ax.legend(fontsize=SIZE if own else SMALL, frameon=False, labelspacing=0.7, handlelength=2.6, **place)

    return Drawing(data, title, note, paint, size)


def square(
    data: pd.DataFrame,
    values: ArrayLike,
    words: Sequence[Sequence[str]],
    *,
    names: Sequence[object],
    title: str,
    note: str,
    bar: str,
    x_label: str = "",
    y_label: str = "",
) -> Drawing:
    """A square of coloured cells with words, the first row on top; columns bear the numbers of the rows, or short names.

    Values that are all shares go from white to blue, others from orange over white to blue.
    """
    share = np.asarray(values, dtype=float)
    texts = labels(names)
    is_signed, is_short = bool(np.nanmin(share, initial=0.0) < 0), max(map(len, texts), default=0) <= 4
    most = float(np.nanmax(np.abs(share), initial=0.0)) or 1.0
    cell = (1.1, 0.5) if any("\n" in word for row in words for word in row) else (0.42, 0.32)

    def paint(ax: Axes, own: bool) -> None:
        from matplotlib.colors import LinearSegmentedColormap, to_rgb

        ground = to_rgb(ax.get_facecolor())
        ends: Any = [MARKS["worse"].colour, ground, MARKS["better"].colour][0 if is_signed else 1 :]
        colours = LinearSegmentedColormap.from_list("values", ends)
        limits: dict[str, Any] = {"vmin": -1.6 * most if is_signed else 0.0, "vmax": (1.6 if is_signed else 1.2) * most}
        image: Any = ax.imshow(np.ma.masked_invalid(share), cmap=colours, aspect="auto", interpolation="nearest", **limits)
        size = min(SIZE, 72 * ax.get_window_extent().height / ax.figure.dpi / max(len(texts), 1) / 1.3)
        for (row, column), value in np.ndenumerate(share):
            red, green, blue = to_rgb(ground) if np.isnan(value) else image.cmap(float(image.norm(value)))[:3]
            colour = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"
            ax.text(column, row, words[row][column], ha="center", va="center", fontsize=size, color=colour)
        _plain(ax, x=x_label, y=y_label)
        numbers = [str(place + 1) for place in range(len(texts))]
        _row_labels(ax, texts if is_short else [f"{name}  {number}" for name, number in zip(texts, numbers, strict=True)])
        ax.xaxis.tick_top()
        _words(ax.xaxis, range(len(texts)), texts if is_short else numbers, size)
        ax.xaxis.set_label_position("top")
        if own:
            scale = ax.figure.colorbar(image, ax=ax, shrink=0.8, aspect=25, pad=0.02)
            scale.outline.set_visible(False)
            scale.set_label(bar, fontsize=SMALL)
            scale.ax.set_ylim(-most if is_signed else 0.0, most)
            number_axis(scale.ax.yaxis)

    width, height = cell[0] * len(texts) + 3.6, cell[1] * len(texts) + 0.9
    return Drawing(data, title, note, paint, (max(width, 6.4), max(height, 2.4)))


def bars(
    data: pd.DataFrame,
    parts: Mapping[str, ArrayLike],
    *,
    names: Sequence[object],
    title: str,
    note: str,
    x_label: str,
    notes: Sequence[str] = (),
    colours: Sequence[str] = COLOURS,
    lines_at: Sequence[float] = (),
    outlined: tuple[str, ArrayLike, ArrayLike] | None = None,
) -> Drawing:
    """Rows of stacked bars, the parts in the legend above; `lines_at` are dashed, `outlined` is (name, start, width)."""
    texts = labels(names)

    def paint(ax: Axes, own: bool) -> None:
        places, start = np.arange(len(texts)), np.zeros(len(texts))
        for colour, (name, width) in zip(colours, parts.items(), strict=False):
            ax.barh(places, width, left=start, height=0.7, color=colour, label=name, zorder=2)
            start = start + np.asarray(width)
        if outlined is not None:
            look = {"facecolor": "none", "edgecolor": text_colour(), "hatch": "////", "linewidth": 0.6}
            ax.barh(places, outlined[2], left=np.asarray(outlined[1]), height=0.7, label=outlined[0], zorder=3, **look)
        for at in lines_at:
            ax.axvline(at, color=text_colour(0.8), linewidth=0.8, linestyle=(0, (3, 3)), zorder=4)
        _plain(ax, "bottom", x=x_label)
        number_axis(ax.xaxis)
        _row_labels(ax, texts, notes)
        ax.margins(x=0)
        ax.set_xlim(left=0)
        if len(parts) > 1:
            above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1.0), "ncols": 4, "borderaxespad": 0.2}
            ax.legend(fontsize=SMALL, frameon=False, handlelength=1.2, columnspacing=1.2, **above)

    return Drawing(data, title, note, paint, (8.0, 1.2 + 0.1 * len(parts) + 0.26 * max(len(texts), 2)))


def panels(
    data: pd.DataFrame,
    parts: Sequence[tuple[str, Drawing]],
    *,
    title: str,
    note: str,
    size: tuple[float, float] = (2.9, 3.1),
) -> Drawing:
    """Drawings side by side, each under a title of its own."""
    n_columns = min(len(parts), 2 if len(parts) in (2, 4) else 3)
    n_rows = -(-len(parts) // n_columns)

    def paint(ax: Axes, own: bool) -> None:
        ax.set_axis_off()
        place = ax.get_subplotspec()
        if place is None:
            raise InvalidParameterError("a plot of several panels takes axes of a grid, such as those of plt.subplots().")
        grid = place.subgridspec(n_rows, n_columns)
        cells = [ax.figure.add_subplot(grid[k // n_columns, k % n_columns]) for k in range(len(parts))]
        for number, (cell, (name, part)) in enumerate(zip(cells, parts, strict=True)):
            is_right = number % n_columns == n_columns - 1 or number == len(parts) - 1
            has_legend = is_right and number < n_columns
            part.paint(cell, own and has_legend)
            if cell.get_legend() is not None and not has_legend:
                cell.get_legend().remove()  # type: ignore[union-attr]
            cell.set_title(name, fontsize=SMALL)

    return Drawing(data, title, note, paint, (size[0] * n_columns + 1.6, size[1] * n_rows))


class Plot(NamedTuple):
    """A plot: what collects its numbers, and for which results of its type there are any (all, if it does not say)."""

    draw: Callable[..., Drawing]
    fits: Callable[[Any], bool] = lambda result: True

    @property
    def choices(self) -> list[inspect.Parameter]:
        """Parameters beside the result."""
        return list(inspect.signature(self.draw).parameters.values())[1:]


class Plots:
    """Plots of one result, reached as ``result.plot``.

    Shown, it lists them. ``result.plot.name(ax=None)`` draws one and returns its `Drawing`, with ``data``, ``title``, ``note``,
    ``ax_`` and ``figure_``; ``result.plot()`` draws the first.
    """

    __slots__ = ("_kinds", "result")

    def __init__(self, result: Any, kinds: Mapping[str, Plot]) -> None:
        self.result = result
        self._kinds = kinds

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots that this result has without further choices."""
        return tuple(name for name, each in self._fitting() if all(choice.default is not choice.empty for choice in each.choices))

    def _fitting(self) -> list[tuple[str, Plot]]:
        return [(name, each) for name, each in self._kinds.items() if each.fits(self.result)]

    def __getattr__(self, name: str) -> Callable[..., Drawing]:
        if name.startswith("_") or name not in self._kinds:
            raise AttributeError(f"there is no plot {name!r}; there are {', '.join(self._kinds) or 'none'}.")
        draw = self._kinds[name].draw

        @wraps(draw)
        def plot(*choices: Any, ax: Axes | None = None, **named: Any) -> Drawing:
            return draw(self.result, *choices, **named).plot(ax)

        where = inspect.Parameter("ax", inspect.Parameter.KEYWORD_ONLY, default=None)
        plot.__signature__ = inspect.Signature([*self._kinds[name].choices, where])  # type: ignore[attr-defined]
        return plot

    def __call__(self, *choices: Any, ax: Axes | None = None, **named: Any) -> Drawing:
        """Draw the first."""
        return getattr(self, next(iter(self._kinds), "plot"))(*choices, ax=ax, **named)  # type: ignore[no-any-return]

    def __dir__(self) -> list[str]:
        return [*self._kinds, "names", "drawing", "save_all"]

    def drawing(self, name: str | None = None) -> Drawing:
        """One of them, the first if none is named, with its numbers but not drawn yet."""
        return self._kinds[name or self.names[0]].draw(self.result)

    def save_all(self, directory: str | os.PathLike[str], *, format: str = "png") -> list[Path]:
        """Write all of them, each under its name.

        Parameters
        ----------
        directory : path
            Made if it is not there. Files of the same names are replaced.
        format : {"png", "svg", "pdf"}
        """
        check_format(f"plot.{format}")
        folder = Path(directory)
        make_folder(folder)
        return [self.drawing(name).save(folder / f"{name}.{format}") for name in self.names]

    def __repr__(self) -> str:
        calls = {
            f".plot.{name}({', '.join(choice.name for choice in each.choices)})": (inspect.getdoc(each.draw) or "").split("\n")[0]
            for name, each in self._fitting()
        }
        width = max(map(len, calls), default=0)
        title = f"{len(calls)} plot{'' if len(calls) == 1 else 's'} of {type(self.result).__name__}"
        return "\n".join([title, *(f"  {call:<{width}}  {what}" for call, what in calls.items())])
