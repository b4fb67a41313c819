"""A figure as text: what is drawn, where in the units of the data, how large, in which colour; nothing that a layout decides."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba

from tiebreak.views.plots.draw import Drawing


def written(drawing: Drawing) -> str:
    """Title and note, names of the numbers behind it, and all axes, of a drawing that is plotted."""
    figure, data = drawing.figure_, drawing.data
    figure.draw_without_rendering()
    heads = [f"{' '.join(text.get_text().split())}  [{look(text)}]" for text in figure.texts]
    pads = {name: figure.get_layout_engine().get()[name] for name in ("w_pad", "h_pad")}  # type: ignore[union-attr]
    columns = f"{len(data)} x {', '.join(map(str, data))}"
    drawn = (line for axes in figure.axes for line in parts(axes))
    return "\n".join([*heads, f"{numbers(figure.get_size_inches())} inches, {pads}", columns, *drawn, ""])


def parts(axes: Axes, indent: str = "") -> Iterator[str]:
    """Names, limits and ticks of axes, then what is drawn on them; what looks alike stands on one line."""
    sides = " ".join(name for name, spine in axes.spines.items() if spine.get_visible())
    how = f"{sides}, aspect {axes.get_box_aspect()}, below {axes.get_axisbelow()}" if axes.axison else "without a frame"
    yield f"{indent}axes {getattr(axes, 'get_title', str)()!r} {how}"
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high and axes.axison]
        name = f"{axis.get_label().get_text()!r} {look(axis.get_label())}"
        for tick in ticks[:1]:
            grid = f"grid {ink(tick.gridline)} " if tick.gridline.get_visible() else ""
            at = f"{numbers(axis.get_view_interval())} {axis.get_scale()} {axis.get_ticks_position()}"
            texts = " | ".join(each.label1.get_text() or each.label2.get_text() for each in ticks)
            yield f"{indent}  {at} {name}: {grid}{tick.label1.get_fontsize():.3g} pt, {texts}"
    found: dict[str, list[str]] = {}
    for kind, artists in (
        ("line", axes.lines),
        ("marks", axes.collections),
        ("area", axes.patches),
        ("text", axes.texts),
        ("image", axes.images),
    ):
        for each in artists:
            how, where = LOOKS[kind](each)
            found.setdefault(f"{kind} {each.zorder:g} {how}", []).append(where)
    yield from (f"{indent}  {how}: {' | '.join(where)}" for how, where in found.items())
    if legend := axes.get_legend():
        corner = axes.transAxes.inverted().transform(legend.get_bbox_to_anchor().min)
        texts = [text.get_text() for text in legend.get_texts()]
        yield f"{indent}  legend {numbers(corner)} {legend._ncols} {legend.get_frame_on()} {look(legend.get_texts()[0])}: {texts}"
    for child in axes.child_axes:
        yield from parts(child, indent + "  ")


def line(each: Any) -> tuple[str, str]:
    """Width and dashes, or the mark; of many points some."""
    x, y = (np.asarray(values, dtype=float) for values in each.get_data())
    few = slice(None, None, max(1, x.size // 4))
    dashes = [round(length, 1) for length in each._dash_pattern[1] or ()] or each.get_solid_capstyle()
    mark = f"{each.get_marker()} {each.get_markersize():.3g} {hue(each.get_markerfacecolor())} {hue(each.get_markeredgecolor())}"
    look = f"{ink(each)} {dashes}" if each.get_marker() == "None" else mark
    return look, f"{x.size * (x.size > 4) or ''} {numbers(x[few])}, {numbers(y[few])}".strip()


def marks(each: Any) -> tuple[str, str]:
    """Points at their places, or the extent of an area."""
    colours = " ".join(map(hue, [*each.get_facecolor(), *each.get_edgecolor()][:2]))
    sizes = getattr(each, "get_sizes", list)()
    where = each.get_offsets() if len(sizes) else each.get_datalim(each.axes.transData).extents
    return f"{colours} {numbers(each.get_linewidth())} {numbers(sizes)}".strip(), numbers(where)


def area(each: Any) -> tuple[str, str]:
    """The extent of a bar."""
    box = each.get_path().get_extents(each.get_patch_transform())
    return f"{hue(each.get_facecolor())} {each.get_hatch() or ''} {each.get_linewidth():.3g}", numbers(box.extents)


LOOKS: dict[str, Any] = {
    "line": line,
    "marks": marks,
    "area": area,
    "text": lambda text: (
        look(text),
        f"{text.get_text()!r} {numbers(getattr(text, 'xy', text.get_position()))} {text.get_ha()} {text.get_va()}",
    ),
    "image": lambda image: (
        f"{numbers(image.get_clim())} {[to_hex(image.cmap(at)) for at in (0.0, 0.5, 1.0)]}",
        numbers(image.get_array()),
    ),
}


def ink(each: Any) -> str:
    """Colour and width of a line."""
    return f"{hue(each.get_color(), each.get_alpha())} {each.get_linewidth():.3g}"


def look(text: Any) -> str:
    """Colour and size of a text."""
    return f"{hue(text.get_color())} {text.get_fontsize():.3g}{' bold' * (text.get_fontweight() == 'bold')}"


def hue(colour: Any, alpha: float | None = None) -> str:
    """A colour as in a style sheet, with its strength where it is not whole."""
    return to_hex(to_rgba(colour, alpha), keep_alpha=True).removesuffix("ff")


def numbers(values: Any) -> str:
    """Three digits of each, and 0 for noise about it."""
    return " ".join(f"{round(value, 6) + 0.0:.3g}" for value in np.ma.filled(np.ma.asarray(values, dtype=float), np.nan).ravel())
