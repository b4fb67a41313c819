"""Look of all displays: colours, marks, fonts, and text that is measured before it is placed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.views.names import entry_labels, model_names
from tiebreak.views.page import NAME_WIDTH
from tiebreak.views.words import printable, seconds, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.figure import Figure


_FALLBACKS = (
    "Noto Sans CJK SC",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Emoji",
    "WenQuanYi Micro Hei",
    "Droid Sans Fallback",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Segoe UI Emoji",
    "Segoe UI Symbol",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
)
"""Fonts that people have for what the first font lacks; bitmap emoji are left out, as Agg cannot draw them."""


@cache
def _installed() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in installed))


def font_families() -> tuple[str, ...]:
    """Families that the caller's style names, then matplotlib's own, then the fallbacks that are installed."""
    from matplotlib import rcParams

    return tuple(dict.fromkeys([*rcParams["font.family"], *_installed()]))


@cache
def _drawable(families: tuple[str, ...]) -> frozenset[int]:
    """Code points for which one of the fonts has a glyph."""
    from matplotlib.font_manager import FontProperties, fontManager, get_font

    paths = [fontManager.findfont(FontProperties(family=[name])) for name in families]
    return frozenset(code for path in paths for code in get_font(str(path)).get_charmap())


def readable(text: str) -> str:
    """Text on one line in which every character can be drawn; � stands for one that no installed font has."""
    text = printable(text) if text.strip() else repr(text)
    if text.isascii():
        return text
    glyphs = _drawable(font_families())
    return "".join(character if ord(character) in glyphs else "\N{REPLACEMENT CHARACTER}" for character in text)


def literal(text: str) -> str:
    """Text for matplotlib, in which a dollar sign is a dollar sign and never the start of mathtext."""
    return text.replace("$", r"\$")


def short(text: str, width: int = 40) -> str:
    """Text for a figure that need not differ from others, such as the name of a metric."""
    return shorten(readable(text), width)


Copies = Sequence[Sequence[str]]
"""Names of the other models that share the row of each model; an empty sequence where none does."""


def short_labels(names: Sequence[str], width: int = NAME_WIDTH, copies: Copies = ()) -> list[str]:
    """Names of at most `width` characters, all different, in which every character can be drawn; copies stand behind them."""
    every = [*names, *(copy for row in copies for copy in row)]
    labels = model_names([readable(name) for name in every], width)
    if len(every) == len(names):
        return labels
    rest = iter(labels[len(names) :])
    return entry_labels(labels[: len(names)], [[next(rest) for _ in row] for row in copies], max(width, NAME_WIDTH))


# --- Colours --------------------------------------------------------------------------------------------------------


def foreground() -> str:
    """Colour of text and lines."""
    return _mixed(1.0)


def muted() -> str:
    """Colour of what is said in passing."""
    return _mixed(0.63)


def faded() -> str:
    """Colour of lines and marks that stay in the background."""
    return _mixed(0.3)


def band() -> str:
    """Colour of areas and of the grid."""
    return _mixed(0.12)


def background() -> str:
    """Colour that everything is drawn on."""
    return _mixed(0.0)


def tint(colour: str, share: float = 0.2) -> str:
    """Colour mixed with that of the paper."""
    return _mixed(share, colour)


def _mixed(share: float, colour: Any = None) -> str:
    """Mixture of a share of a colour, the ink's if none is named, and paper, as the style sheet has them."""
    from matplotlib import rcParams
    from matplotlib.colors import to_hex, to_rgb

    above = to_rgb(rcParams["text.color"] if colour is None else colour)
    below = to_rgb(rcParams["axes.facecolor"])
    red, green, blue = (share * one + (1 - share) * other for one, other in zip(above, below, strict=True))
    return str(to_hex((red, green, blue)))


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B58900", "#56B4E9", "#8C564B")
"""Okabe and Ito's, which the colour-blind tell apart; for yellow and black, which are lost on white or black, two browns."""

DASHES = ("-", "--", "-.", (0, (1, 1)), (0, (5, 1)), (0, (8, 2)), (0, (3, 1, 1, 1)), (0, (1, 2)))
"""Tell lines apart without colour."""


def line_colours() -> list[str]:
    """Eight colours for lines that stand side by side: those of the caller's style sheet if it has any of its own, else ours."""
    from itertools import cycle, islice

    from matplotlib import rcParams, rcParamsDefault

    theirs = rcParams["axes.prop_cycle"].by_key().get("color", [])
    ours = rcParamsDefault["axes.prop_cycle"].by_key()["color"]
    return list(islice(cycle(theirs), 8)) if theirs and theirs != ours else [*COLOURS, foreground()]


class Mark(NamedTuple):
    """Mark of a verdict: the shape tells it apart without colour, the colour (Okabe and Ito's) also for the colour-blind."""

    symbol: str
    marker: str
    colour: str
    is_filled: bool
    hatch: str = ""

    @property
    def tint(self) -> str:
        """Colour of areas."""
        return tint(self.colour) if self.is_filled else background()

    @property
    def face(self) -> str:
        """Colour inside the mark."""
        return self.colour if self.is_filled else background()


NOT_ASKED = "not asked"
"""Stands for the verdict on a pair that is not in the family."""

MARKS = {
    "better": Mark("▲", "^", "#0072B2", True, "///"),
    "ahead": Mark("△", "^", "#56B4E9", False),
    "equivalent": Mark("■", "s", "#009E73", True, "..."),
    "undecided": Mark("○", "o", "#808080", False),
    "behind": Mark("▽", "v", "#E69F00", False),
    "worse": Mark("▼", "v", "#D55E00", True, "\\\\\\"),
    NOT_ASKED: Mark("□", "s", "#a0a0a0", False),
}

SIZE, SMALL, TITLE = 9.0, 8.0, 11.5
"""Font sizes in points, where the caller's ``font.size`` is matplotlib's default of 10."""

PAD = 0.12
"""Inches between the edge of a figure and what it shows."""

PLOT_WIDTH = 4.6
"""Inches that the numbers themselves get in a figure with models as rows."""

DPI = 144


@contextmanager
def house_style(axes: Axes | None = None) -> Iterator[None]:
    """Matplotlib's settings while a display draws: the caller's colours and fonts, and what our texts need besides.

    No LaTeX, which would stumble over an underscore; fonts with the glyphs that names need; on axes whose ground does not go
    with the ink of the style sheet, black or white instead.
    """
    import matplotlib
    from matplotlib.colors import to_hex, to_rgba

    with matplotlib.rc_context():
        settings: Any = matplotlib.rcParams
        grounds = [
            axes.get_facecolor() if axes is not None else settings["axes.facecolor"],
            settings["figure.facecolor"],
            "white",
        ]
        ground = to_hex(next(each for each in grounds if to_rgba(each)[3] > 0.5))
        text = to_hex(settings["text.color"])
        if contrast(text, ground) < 4.5:  # the least of the Web Content Accessibility Guidelines for text
            text = max("#000000", "#ffffff", key=lambda each: contrast(each, ground))
        colours = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        settings.update(dict.fromkeys(colours, text))
        settings.update(dict.fromkeys(("axes.facecolor", "legend.facecolor"), ground))
        settings.update(dict.fromkeys(("axes.titlecolor", "xtick.labelcolor", "ytick.labelcolor"), text))
        settings.update({"font.family": list(font_families()), "text.usetex": False, "text.parse_math": True})
        settings.update({"hatch.linewidth": 0.6, "axes.grid": False, "axes.unicode_minus": True, "legend.edgecolor": ground})
        settings.update({"figure.autolayout": False, "figure.constrained_layout.use": False, "image.interpolation": "nearest"})
        yield


def contrast(one: str, other: str) -> float:
    """Contrast of two colours by the Web Content Accessibility Guidelines 2: 1 for the same, 21 for black on white."""
    from matplotlib.colors import to_rgb

    def luminance(colour: str) -> float:
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


# --- Figures and their texts ----------------------------------------------------------------------------------------


def new_figure(width: float, height: float, *, is_registered: bool) -> Figure:
    """A figure of the given size in inches; registered, pyplot knows it, shows it and keeps it until it is closed."""
    if is_registered:
        import matplotlib.pyplot as plt

        figure: Figure = plt.figure(figsize=(width, height), layout="constrained")
    else:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), dpi=DPI, layout="constrained")
        FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=PAD, h_pad=PAD)  # type: ignore[call-arg]
    return figure


def headline(figure: Figure, title: str, caption: str) -> None:
    """Write the finding above and how to read the figure below it, in a figure of our own."""
    room = figure.get_figwidth() - 2 * PAD
    left = PAD / figure.get_figwidth()
    if title:
        figure.suptitle(literal(wrap(title, room, TITLE)), x=left, ha="left", fontsize=TITLE, fontweight="bold")
    if caption:
        figure.supxlabel(literal(wrap(caption, room, SMALL)), x=left, ha="left", fontsize=SMALL, color=muted())


def text_height(title: str, caption: str, width: float) -> float:
    """Inches that a title of more than one line and a caption of more than two need in a figure of that width."""
    room = width - 2 * PAD
    n_title, n_caption = wrap(title, room, TITLE).count("\n"), wrap(caption, room, SMALL).count("\n") - 1
    return (1.25 * TITLE * n_title + 1.3 * SMALL * max(n_caption, 0)) / 72


def rescale(figure: Figure, factor: float) -> None:
    """Make a figure and all its text larger or smaller."""
    from matplotlib.text import Annotation, Text

    figure.set_size_inches(*(factor * figure.get_size_inches()))
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_tick_params(labelsize=factor * float(axis.get_major_ticks(1)[0].label1.get_fontsize()))
    ticks = {id(label) for axes in figure.axes for label in (*axes.get_xticklabels(), *axes.get_yticklabels())}
    for text in figure.findobj(Text):
        if id(text) not in ticks:
            text.set_fontsize(factor * float(text.get_fontsize()))
        if isinstance(text, Annotation):
            x, y = text.xyann
            text.xyann = factor * x, factor * y


class Room(NamedTuple):
    """Inches of some axes: their width and height, and what is free to the left and to the right of them."""

    width: float
    height: float
    left: float
    right: float


OWN_ROOM = Room(PLOT_WIDTH, 40.0, 40.0, 40.0)
"""Room of axes in a figure of our own, which is as large as the texts need."""


def room_of(axes: Axes) -> Room:
    """Room of the caller's axes; where a layout engine moves axes, labels may take a part of their width."""
    figure: Figure = axes.get_figure(root=True)  # type: ignore[assignment]
    scale = 1 / figure.dpi
    box = axes.get_window_extent()
    width, height = box.width * scale, box.height * scale
    if figure.get_layout_engine() is not None:
        return Room(0.55 * width, 0.85 * height, 0.42 * width, 0.2 * width)
    left, right = box.x0, figure.bbox.width - box.x1
    for other in figure.axes:
        near = other.get_window_extent()
        if other is not axes and near.y0 < box.y1 and box.y0 < near.y1:
            if near.x1 <= box.x0:
                left = min(left, 0.65 * (box.x0 - near.x1))
            if near.x0 >= box.x1:
                right = min(right, 0.3 * (near.x0 - box.x1))
    return Room(width, height, left * scale, right * scale)


def make_room(axes: Axes, *, left: float = 0.0, top: float = 0.0, bottom: float = 0.0) -> None:
    """Take room for labels from the caller's axes, in inches, where no layout engine does: labels are else cut or covered."""
    figure: Figure = axes.get_figure(root=True)  # type: ignore[assignment]
    if figure.get_layout_engine() is not None:
        return
    width, height = figure.get_size_inches()
    box = axes.get_position()
    left = min(max(left, 0.0), 0.4 * box.width * width)
    axes.set_position(
        (box.x0 + left / width, box.y0 + bottom / height, box.width - left / width, box.height - (top + bottom) / height)
    )


def plain_axes(axes: Axes, *spines: str) -> None:
    """Take away the frame except for the named sides."""
    axes.spines[["left", "right", "top", "bottom"]].set_visible(False)
    if spines:
        axes.spines[list(spines)].set_visible(True)
    axes.tick_params(labelsize=SIZE, color=muted(), labelcolor=foreground())


def number_axis(axes: Axes) -> None:
    """A horizontal axis of numbers: few ticks, written out in full, as an offset in a corner is overlooked."""
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(ScalarFormatter(useOffset=False))
    axes.grid(axis="x", color=band(), linewidth=0.6)
    axes.set_axisbelow(True)


LOG_FROM = 10.0
"""Ratio of the largest to the smallest from which an axis is logarithmic."""


def time_axis(axis: Axis, values: NDArray[np.floating[Any]]) -> bool:
    """Seconds as people say them, on a logarithmic axis where they differ much; true where it is one."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    known = values[np.isfinite(values) & (values > 0)]
    is_log = bool(known.size and known.max() / known.min() >= LOG_FROM)
    axes: Any = axis.axes
    if is_log:
        (axes.set_yscale if axis is axes.yaxis else axes.set_xscale)("log")
        subs = (1.0,) if known.max() / known.min() >= LOG_FROM**2 else (1.0, 2.0, 5.0)
        axis.set_major_locator(LogLocator(subs=subs, numticks=8))
        axis.set_minor_locator(NullLocator())
        axis.set_minor_formatter(NullFormatter())
    else:
        (axes.set_ylim if axis is axes.yaxis else axes.set_xlim)(0, 1.15 * known.max() if known.size else 1.0)
        axis.set_major_locator(MaxNLocator(nbins=5))
    axis.set_major_formatter(FuncFormatter(lambda value, _: "0" if value == 0 else seconds(value)))
    return is_log


def x_label(axes: Axes, *lines: str, room: Room = OWN_ROOM) -> None:
    """Quantity and unit below a horizontal axis; on the caller's axes on one line, as there may be no room for more."""
    if room is OWN_ROOM:
        text = "\n".join(wrap(line, room.width + 0.6, SIZE) for line in lines)
    else:
        ways = ("; ".join(lines), lines[0], lines[0].partition(" to ")[0])
        text = next((way for way in ways if text_width(way, SIZE) <= room.width), fitted(ways[-1], room.width, SIZE))
    axes.set_xlabel(literal(text), fontsize=SIZE, color=foreground())


def model_axis(
    axes: Axes, names: Sequence[str], *, room: Room = OWN_ROOM, numbers: Sequence[int] = (), copies: Copies = ()
) -> float:
    """Models as rows, the first on top, where asked for with their numbers in grey before the names; the size of the text."""
    size = float(min(SIZE, max(4.0, 72 * room.height / len(names) / 1.2))) if names else SIZE
    texts = [str(number) for number in numbers] or [""]
    beside = 0.14 + widest(texts, size) + 0.03 * bool(numbers)
    loose = 1.07 if size > 7 else 1.12  # small text is drawn wider than it measures, as letters end at whole pixels
    if room is not OWN_ROOM:
        make_room(axes, left=loose * min(widest(short_labels(names, copies=copies), size), 1.9) + beside - room.left)
        room = room_of(axes)
    labels = fitted_labels(names, (room.left - beside) / loose, size, copies=copies)
    axes.set_yticks(range(len(names)), labels=[literal(label) for label in labels])
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0, labelsize=size, labelcolor=foreground(), pad=4)
    axes.yaxis.labelpad = 4 + 72 * widest(texts, size) + 9 * bool(numbers)  # matplotlib does not see the numbers
    for row, number in enumerate(numbers):
        axes.annotate(
            str(number),
            xy=(0.0, row),
            xycoords=("axes fraction", "data"),
            xytext=(-72 * loose * widest(labels, size) - 10, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize=size,
            color=muted(),
            annotation_clip=False,
        )
    return size


def row_note(axes: Axes, row: float, text: str, *, colour: str = "", size: float = SIZE) -> None:
    """Text to the right of a row of the figure."""
    axes.annotate(
        literal(text),
        xy=(1.0, row),
        xycoords=("axes fraction", "data"),
        xytext=(6, 0),
        textcoords="offset points",
        va="center_baseline",
        fontsize=size,
        color=colour or foreground(),
        annotation_clip=False,
    )


def row_axes(
    axes: Axes,
    names: Sequence[str],
    notes: Sequence[str],
    *x_lines: str,
    room: Room = OWN_ROOM,
    numbers: Sequence[int] = (),
    copies: Copies = (),
) -> bool:
    """Models as rows with a note on each to the right, above a labelled axis of numbers; false where notes find no room."""
    number_axis(axes)
    plain_axes(axes, "bottom")
    size = model_axis(axes, names, room=room, numbers=numbers, copies=copies)
    room = room if room is OWN_ROOM else room_of(axes)
    x_label(axes, *x_lines, room=room)
    if widest([line for note in notes for line in note.split("\n")], size) + 0.15 > room.right:
        return False
    for row, note in enumerate(notes):
        row_note(axes, row, note, size=size)
    return True


def rows_width(names: Sequence[str], notes: Sequence[str], *, is_numbered: bool = False, copies: Copies = ()) -> float:
    """Width in inches of a figure of our own with such rows."""
    number = 0.2 + widest([str(len(names))]) if is_numbered else 0.0
    labels, lines = short_labels(names, copies=copies), [line for note in notes for line in note.split("\n")]
    return PLOT_WIDTH + 0.5 + widest(labels) + number + widest(lines)


def minus(text: str) -> str:
    """A formatted number with the minus sign that matplotlib writes on its axes, or n/a where it is undefined."""
    return "n/a" if text == "-" else text.replace("-", "−")


def n_columns_of(n: int, room: Room, width: float) -> int:
    """Columns for some panels: two or three in a figure of our own, as many as fit with that width in inches elsewhere."""
    if room is OWN_ROOM:
        return min(n, 2 if n in (2, 4) else 3)
    return min(n, max(1, int(room.width / width)))


def panel_names(panel: Axes, names: Sequence[str], n_columns: int, *, own_figure: bool) -> list[str]:
    """Names that fit above panels."""
    figure: Figure = panel.get_figure(root=True)  # type: ignore[assignment]
    width = 0.82 * figure.get_figwidth() / (n_columns + 0.3) if own_figure else room_of(panel).width
    return fitted_labels(names, max(0.9, width), SMALL)


def panels(axes: Axes, n: int, n_columns: int, *, heights: Sequence[float] | None = None) -> list[Axes]:
    """Axes side by side in the place of some axes, which then draw nothing themselves; `heights` are those of the rows."""
    figure: Figure = axes.get_figure(root=True)  # type: ignore[assignment]
    n_rows = -(-n // n_columns)
    axes.set_axis_off()
    place = axes.get_subplotspec()
    if place is None:
        width, height = 1 / n_columns, 1 / n_rows
        corners = [((k % n_columns) * width, 1 - (k // n_columns + 1) * height) for k in range(n)]
        return [axes.inset_axes((x + 0.12 * width, y + 0.12 * height, 0.8 * width, 0.7 * height)) for x, y in corners]
    gaps = {} if figure.get_layout_engine() is not None else {"wspace": 0.35, "hspace": 0.1 if heights else 0.55}
    grid = place.subgridspec(n_rows, n_columns, height_ratios=heights, **gaps)
    return [figure.add_subplot(grid[k // n_columns, k % n_columns]) for k in range(n)]


# --- Measured text --------------------------------------------------------------------------------------------------


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width in inches of one line of text."""
    return _measured(text, size, bold, font_families())


@lru_cache(maxsize=4096)  # measuring takes a millisecond
def _measured(text: str, size: float, bold: bool, families: tuple[str, ...]) -> float:
    from matplotlib.font_manager import FontProperties

    font = FontProperties(family=list(families), size=size, weight="bold" if bold else "normal")
    width, _, _ = _renderer().get_text_width_height_descent(text, font, False)  # type: ignore[no-untyped-call]
    return float(width) / DPI


@cache
def _renderer() -> RendererAgg:
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, DPI)  # type: ignore[no-untyped-call]


def in_columns(rows: Sequence[tuple[str, ...]], size: float = SIZE) -> list[str]:
    """Lines of texts that begin below each other, for which blanks are put in: to within half of a blank."""
    blank = text_width("x x", size) - text_width("xx", size)
    *columns, last = zip(*rows, strict=True)
    lines, missing = [""] * len(rows), [0.0] * len(rows)
    for column in columns:
        own = [text_width(re.sub(r"\d", "0", text), size) for text in column]  # digits are equally wide, and so measured once
        gaps = [max(own) - width + short for width, short in zip(own, missing, strict=True)]
        n_blanks = [round(gap / blank) for gap in gaps]
        missing = [gap - n * blank for gap, n in zip(gaps, n_blanks, strict=True)]
        lines = [line + text + " " * (n + 2) for line, text, n in zip(lines, column, n_blanks, strict=True)]
    return [line + text for line, text in zip(lines, last, strict=True)]


def widest(texts: Sequence[str], size: float = SIZE) -> float:
    """Width in inches of the widest of some lines; 0 for none."""
    return max((text_width(text, size) for text in texts), default=0.0)


def fitted(text: str, room: float, size: float) -> str:
    """Text without its middle, where it is wider than the room."""
    return fitted_labels([text], room, size)[0]


def fitted_labels(names: Sequence[str], room: float, size: float, width: int = NAME_WIDTH, *, copies: Copies = ()) -> list[str]:
    """Names all different and at most so wide, in inches and characters, but not below ten characters, copies left out then."""
    labels = short_labels(names, width, copies)
    if any(copies) and widest(labels, size) > room:
        return fitted_labels(names, room, size, width)
    while width > 10 and widest(labels, size) > room:
        width = max(10, min(width - 1, int(width * room / widest(labels, size))))
        labels = short_labels(names, width)
    return labels


def wrap(text: str, room: float, size: float) -> str:
    """Text broken into lines of at most `room` inches, inside a word only where the word alone is wider."""
    room *= 0.96  # a bold face, another resolution, hinting and kerning move widths a little
    bold = size == TITLE
    blank = text_width(" ", size, bold=bold)
    lines: list[str] = []
    used = room
    for word in text.split(" "):
        pieces = [word] if text_width(word, size, bold=bold) <= room else _pieces(word, room, size, bold)
        for place, piece in enumerate(pieces):
            width = text_width(piece, size, bold=bold)
            if place == 0 and used + blank + width <= room:
                lines[-1] += " " + piece
                used += blank + width
            else:
                lines.append(piece)
                used = width
    return "\n".join(lines)


_BREAKS = re.compile(r"(?<=[-_=+/.,;:)])|(?<=.)(?=\()|(?<=[a-z0-9])(?=[A-Z])")


def _pieces(word: str, room: float, size: float, bold: bool) -> list[str]:
    """A word cut into pieces that fit."""
    pieces = [""]
    for character in word:
        if pieces[-1] and text_width(pieces[-1] + character, size, bold=bold) > room:
            # a sign or a capital near the end of a line is a better place to break than the middle of a syllable
            place = max((found.start() for found in _BREAKS.finditer(pieces[-1])), default=0)
            place = place if place > len(pieces[-1]) // 2 else len(pieces[-1])
            pieces[-1:] = [pieces[-1][:place], pieces[-1][place:]]
        pieces[-1] += character
    return pieces
