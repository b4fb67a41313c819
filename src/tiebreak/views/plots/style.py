"""Look of all displays: colours, marks, fonts, and text that is measured before it is placed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tiebreak.views.page import NAME_WIDTH
from tiebreak.views.words import printable, short_names, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
"""Fonts that people have for what matplotlib's own font lacks; bitmap emoji are left out, as Agg cannot draw them."""


@cache
def font_families() -> tuple[str, ...]:
    """Matplotlib's own font, then the fallbacks that are installed."""
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in installed))


@cache
def _drawable() -> frozenset[int]:
    """Code points for which one of the fonts has a glyph."""
    from matplotlib.font_manager import FontProperties, fontManager, get_font

    paths = [fontManager.findfont(FontProperties(family=[name])) for name in font_families()]
    return frozenset(code for path in paths for code in get_font(str(path)).get_charmap())


def readable(text: str) -> str:
    """Text on one line in which every character can be drawn; � stands for one that no installed font has."""
    text = printable(text) if text.strip() else repr(text)
    if text.isascii():
        return text
    glyphs = _drawable()
    return "".join(character if ord(character) in glyphs else "\N{REPLACEMENT CHARACTER}" for character in text)


def literal(text: str) -> str:
    """Text for matplotlib, in which a dollar sign is a dollar sign and never the start of mathtext."""
    return text.replace("$", r"\$")


def short(text: str, width: int = 40) -> str:
    """Text for a figure that need not differ from others, such as the name of a metric."""
    return shorten(readable(text), width)


def short_labels(names: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    """Names of at most `width` characters, all different, in which every character can be drawn."""
    return short_names([readable(name) for name in names], width)


def numbered_labels(names: Sequence[str]) -> list[str]:
    """Short names followed by their number, for rows: the numbers stand in line where labels end at an axis."""
    return [f"{name}  {number}" for number, name in enumerate(short_labels(names), 1)]


INK, QUIET, BAND, PAPER = "#1a1a1a", "#5f5f5f", "#e4e4e4", "#ffffff"
SIZE, SMALL, TITLE = 9.0, 8.0, 11.5
"""Font sizes in points."""

PAD = 0.12
"""Inches between the edge of a figure and what it shows."""

PLOT_WIDTH = 4.6
"""Inches that the numbers themselves get in a figure with models as rows."""

DPI = 144


class Mark(NamedTuple):
    """Mark of a verdict: the shape tells it apart without colour, the colour (Okabe and Ito's) also for the colour-blind."""

    symbol: str
    marker: str
    colour: str
    tint: str
    hatch: str


NOT_ASKED = "not asked"
"""Stands for the verdict on a pair that is not in the family."""

MARKS = {
    "better": Mark("▲", "^", "#0072B2", "#cfe4f2", "///"),
    "ahead": Mark("△", "^", "#0072B2", "#e6f1f9", "//"),
    "equivalent": Mark("■", "s", "#009E73", "#cfeee3", "..."),
    "behind": Mark("▽", "v", "#D55E00", "#fdeee4", "\\\\"),
    "worse": Mark("▼", "v", "#D55E00", "#fbdfcd", "\\\\\\"),
    "undecided": Mark("○", "o", "#707070", "#f4f4f4", ""),
    NOT_ASKED: Mark("□", "s", "#a0a0a0", PAPER, ""),
}


@contextmanager
def house_style(*, own_figure: bool) -> Iterator[None]:
    """Matplotlib's settings while a display draws or saves.

    A figure of our own looks the same whatever the caller's style sheet says; on the caller's axes only what names need is set:
    a font with their glyphs, and no LaTeX, which would stumble over an underscore.
    """
    import matplotlib

    families = list(font_families())
    with matplotlib.rc_context():
        if own_figure:
            matplotlib.rcdefaults()
        else:
            families = [*matplotlib.rcParams["font.family"], *families]
        matplotlib.rcParams.update(
            {"font.family": families, "text.usetex": False, "text.parse_math": True, "hatch.linewidth": 0.6}
        )
        yield


def new_axes(width: float, height: float) -> Axes:
    """Axes on a figure of the given size in inches that is not registered with pyplot, so that nobody has to close it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=DPI, facecolor=PAPER, layout="constrained")
    FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(w_pad=PAD, h_pad=PAD)  # type: ignore[call-arg]
    return figure.add_subplot()


def headline(axes: Axes, title: str, note: str, *, own_figure: bool) -> None:
    """Write the finding above and how to read the figure below; on the caller's axes both go above, as an axes title."""
    figure: Figure = axes.get_figure(root=True)  # type: ignore[assignment]
    if own_figure:
        room = figure.get_figwidth() - 2 * PAD
        left = PAD / figure.get_figwidth()
        figure.suptitle(literal(wrap(title, room, TITLE)), x=left, ha="left", fontsize=TITLE, fontweight="bold", color=INK)
        figure.supxlabel(literal(wrap(note, room, SMALL)), x=left, ha="left", fontsize=SMALL, color=QUIET)
        return
    room = 0.85 * axes.get_position().width * figure.get_figwidth()  # a layout engine may still make them narrower
    axes.set_title(literal(wrap(title, room, SIZE) + "\n" + wrap(note, room, SIZE)), loc="left", fontsize=SIZE)


def plain_axes(axes: Axes, *spines: str) -> None:
    """Take away the frame except for the named sides."""
    axes.spines[["left", "right", "top", "bottom"]].set_visible(False)
    if spines:
        axes.spines[list(spines)].set_visible(True)
    axes.tick_params(labelsize=SIZE)


def number_axis(axes: Axes) -> None:
    """A horizontal axis of numbers: few ticks, written out in full, as an offset in a corner is overlooked."""
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(ScalarFormatter(useOffset=False))
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def x_label(axes: Axes, *lines: str, room: float = PLOT_WIDTH) -> None:
    """Quantity and unit below a horizontal axis; each line at most `room` inches wide."""
    axes.set_xlabel(literal("\n".join(wrap(line, room, SIZE) for line in lines)), fontsize=SIZE)


def model_axis(axes: Axes, names: Sequence[str]) -> None:
    """Models as rows, the first on top."""
    axes.set_yticks(range(len(names)), labels=[literal(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def row_note(axes: Axes, row: float, text: str, *, colour: str = INK, size: float = SIZE) -> None:
    """Text to the right of a row of the figure."""
    axes.annotate(
        literal(text), xy=(1.0, row), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points",
        va="center_baseline", fontsize=size, color=colour, annotation_clip=False,
    )  # fmt: skip


def row_axes(axes: Axes, names: Sequence[str], notes: Sequence[str], *x_lines: str, room: float = PLOT_WIDTH) -> None:
    """Models as rows with a note on each to the right, above a labelled axis of numbers."""
    for row, note in enumerate(notes):
        row_note(axes, row, note)
    model_axis(axes, names)
    number_axis(axes)
    plain_axes(axes, "bottom")
    x_label(axes, *x_lines, room=room)


def minus(text: str) -> str:
    """A formatted number with the minus sign that matplotlib writes on its axes, or n/a where it is undefined."""
    return "n/a" if text == "-" else text.replace("-", "−")


# --- Measured text --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)  # measuring takes a millisecond
def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width in inches of one line of text."""
    from matplotlib.font_manager import FontProperties

    font = FontProperties(family=list(font_families()), size=size, weight="bold" if bold else "normal")
    width, _, _ = _renderer().get_text_width_height_descent(text, font, False)  # type: ignore[no-untyped-call]
    return float(width) / DPI


@cache
def _renderer() -> RendererAgg:
    from matplotlib.backends.backend_agg import RendererAgg

    return RendererAgg(1, 1, DPI)  # type: ignore[no-untyped-call]


def widest(texts: Sequence[str], size: float = SIZE) -> float:
    """Width in inches of the widest of some lines; 0 for none."""
    return max((text_width(text, size) for text in texts), default=0.0)


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


def _pieces(word: str, room: float, size: float, bold: bool) -> list[str]:
    """A word cut into pieces that fit."""
    pieces = [""]
    for character in word:
        if pieces[-1] and text_width(pieces[-1] + character, size, bold=bold) > room:
            # a sign near the end of a line is a better place to break than the middle of a syllable
            place = max(pieces[-1].rfind(sign) for sign in "_-=+/.,;:)") + 1
            place = place if place > len(pieces[-1]) // 2 else len(pieces[-1])
            pieces[-1:] = [pieces[-1][:place], pieces[-1][place:]]
        pieces[-1] += character
    return pieces
