"""Plots of a result, listed when shown and drawn by name, and the base class of their displays: numbers first, then drawing."""

from __future__ import annotations

import inspect
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypedDict, TypeVar, get_args, get_type_hints
from xml.sax.saxutils import escape

import numpy as np

from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import IntArray, check_count, set_checked
from tiebreak.printable import printable
from tiebreak.views.comparison import folded_copies, ranking_rows
from tiebreak.views.json import make_folder, write_whole
from tiebreak.views.names import left_out
from tiebreak.views.pair import interval_name
from tiebreak.views.plots.style import (
    DPI,
    OWN_ROOM,
    SIZE,
    SMALL,
    Copies,
    Room,
    band,
    headline,
    house_style,
    literal,
    muted,
    new_figure,
    readable,
    rescale,
    room_of,
    short,
    short_labels,
    text_height,
    wrap,
)
from tiebreak.views.words import count

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tiebreak.comparison.comparison import Comparison, PairComparison
    from tiebreak.scores.metric import Metric

MOST_MODELS = 60
"""Models that one figure can show legibly; of more, the first ones are drawn."""

MOST_GROUPS = 4
"""Groups of models with identical scores that a caption names."""

MOST_EQUAL = 5
"""Models of such a group that it names; one more if that is the last."""

FORMATS = ("png", "svg", "pdf")

_uses_pyplot: ContextVar[bool] = ContextVar("uses_pyplot", default=True)


@contextmanager
def without_pyplot() -> Iterator[None]:
    """Figures made here are unknown to pyplot, so that nobody has to close them: for commands, files and reports."""
    token = _uses_pyplot.set(False)
    try:
        yield
    finally:
        _uses_pyplot.reset(token)


class Look(TypedDict, total=False):
    """Choices that every plot takes.

    Attributes
    ----------
    title : str
        Instead of the finding; "" for none.
    caption : str
        Instead of the remarks on reading the figure; "" for none.
    figsize : tuple of float
        Width and height in inches, instead of a fitting size.
    """

    title: str | None
    caption: str | None
    figsize: tuple[float, float] | None


class TopLook(Look, total=False):
    """Choices of a plot that has a row, column or line for each of several models.

    Attributes
    ----------
    top : int
        Models to draw, the best or first ones; as many as are legible if not given.
    """

    top: int | None


_LOOK = """
ax : matplotlib Axes, optional
    Where to draw. If not given, pyplot makes a figure of fitting size, which ``plt.show()`` shows. On axes that are given there
    is no title and no caption unless asked for; the display has what would be written as `title` and `caption`.
title, caption : str, optional
    Instead of the finding, and of the remarks on reading the figure; "" for none.
figsize : tuple of float, optional
    Width and height of the figure in inches.
"""
_TOP = """top : int, optional
    Models to draw, the best or first ones; as many as are legible if not given.
"""

R = TypeVar("R")
D = TypeVar("D", bound="Display")


def _choices(annotation: str, known: dict[str, Any]) -> tuple[str, ...]:
    """Keywords of an annotation ``Unpack[Look]`` or ``Unpack[TopLook]``, which stands in a file that has these names."""
    hints = get_type_hints(SimpleNamespace(__annotations__={"look": annotation}), known)
    return tuple(get_args(hints["look"])[0].__annotations__)


class Plots(Generic[R]):
    """Plots of one result, reached as ``result.plot``.

    Shown, it lists them. Each method draws one and returns its Display, with ``data``, ``ax_`` and ``figure_``. Where there is
    only one plot, ``result.plot(...)`` draws it.
    """

    __slots__ = ("result",)

    def __init__(self, result: R) -> None:
        self.result = result

    def __init_subclass__(cls) -> None:
        """Write the choices that all plots take into the signature and the docstring of each, where people look for them."""
        for name, method in list(vars(cls).items()):
            if name.startswith("_") or not inspect.isfunction(method):
                continue
            signature = inspect.signature(method)
            *kept, look = signature.parameters.values()
            if look.kind is not look.VAR_KEYWORD:
                continue
            choices = _choices(look.annotation, method.__globals__)
            added = [inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, default=None) for each in choices]
            method.__signature__ = signature.replace(parameters=[*kept, *added])  # type: ignore[attr-defined]
            doc = inspect.getdoc(method) or ""
            head = "" if "Parameters\n----" in doc else "\n\nParameters\n----------"
            method.__doc__ = f"{doc}{head}{_LOOK}{_TOP if 'top' in choices else ''}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots that can be drawn without further choices."""
        return tuple(name for name in self._methods() if not _required(getattr(type(self), name)))

    def _methods(self) -> list[str]:
        own = {} if type(self) is Plots else vars(type(self))
        return [name for name, each in own.items() if not name.startswith("_") and inspect.isfunction(each)]

    def save(self, path: str | os.PathLike[str], name: str | None = None) -> Path:
        """Write one of them, the first if none is named, as PNG, SVG or PDF by the suffix; pyplot is not touched."""
        check_format(path)
        with without_pyplot():
            display: Display = getattr(self, name or self.names[0])()
        return display.save(path)

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
        return [self.save(folder / f"{name}.{format}", name) for name in self.names]

    def _draw(self, make: Callable[..., D], *choices: Any, ax: Axes | None, look: Look) -> D:
        """Collect the numbers of one plot, for as many models as there is room for, and draw it."""
        options: dict[str, Any] = dict(look)
        top = options.pop("top", None)
        if top is not None:
            top = check_count(top, "top")
        kind: type[Display] = make.__self__  # type: ignore[attr-defined]
        if ax is not None:
            room, (width, height) = room_of(ax), kind.panel_size
            if kind.row_height:
                top = min(max(2, int(room.height / kind.row_height)), top or MOST_MODELS)
            elif width:
                top = min(max(1, int(room.width / width)) * max(1, int(room.height / height)), top or MOST_MODELS)
        limit = {"top": int(top)} if top is not None else {}
        return make(self.result, *choices, **limit).plot(ax, **options)

    def __repr__(self) -> str:
        calls = {}
        for name in self._methods():
            if name not in self.names and not _required(getattr(type(self), name)):
                continue  # not for this result
            method = getattr(type(self), name)
            parameters = [
                each for each in inspect.signature(method).parameters if each not in ("self", "ax", *Look.__annotations__)
            ]
            calls[f".plot.{name}({', '.join(parameters)})"] = (inspect.getdoc(method) or "").partition("\n")[0]
        width = max(map(len, calls), default=0)
        title = f"{len(calls)} plot{'' if len(calls) == 1 else 's'} of {type(self.result).__name__}"
        has_look = any("figsize" in inspect.signature(getattr(type(self), name)).parameters for name in self._methods())
        shared = ["  each also takes ax, title, caption and figsize"] if has_look else []
        return "\n".join([title, *(f"  {call:<{width}}  {what}" for call, what in calls.items()), *shared])


def _required(method: Callable[..., Any]) -> list[str]:
    """Parameters that have to be given."""
    parameters = [each for each in inspect.signature(method).parameters.values() if each.kind is not each.VAR_KEYWORD]
    return [each.name for each in parameters if each.default is each.empty and each.name != "self"]


def check_format(path: str | os.PathLike[str]) -> str:
    """The format that the suffix of a file name stands for.

    Raises
    ------
    InvalidParameterError
        Another suffix than those of `FORMATS`, or none.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        found = f"ends in .{suffix}" if suffix else "has no suffix"
        raise InvalidParameterError(
            f"a figure is written as .png, .svg or .pdf, and the file name {str(Path(path).name)!r} {found}. For other formats "
            "use display.figure_.savefig(path)."
        )
    return suffix


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Display(ABC):
    """A figure about a result, in scikit-learn's manner.

    Attributes
    ----------
    data : DataFrame
        Every number that is drawn, with full names.
    ax_ : Axes
        Set by `plot`.
    figure_ : Figure
        Set by `plot`.
    owns_figure_ : bool
        True where `plot` made the figure, at a size that fits; on the caller's axes less is written.
    """

    row_height: ClassVar[float] = 0.0
    """Inches that a row needs at least on axes that are given; 0 for a plot without rows."""

    panel_size: ClassVar[tuple[float, float]] = (0.0, 0.0)
    """Inches that a panel needs at least on axes that are given; 0 for a plot without panels."""

    data: pd.DataFrame = field(repr=False)
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)
    owns_figure_: bool = field(init=False, repr=False, default=True)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        title: str | None = None,
        caption: str | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. If not given, pyplot makes a figure of fitting size, which ``plt.show()`` shows.
        title, caption : str, optional
            Instead of the finding, and of the remarks on reading the figure; "" for none. On axes that are given there are none
            unless asked for here.
        figsize : tuple of float, optional
            Width and height of the figure in inches.

        Raises
        ------
        InvalidParameterError
            `figsize` beside `ax`, or one that is no pair of positive numbers.
        """
        set_checked(self, owns_figure_=ax is None)
        if ax is not None and figsize is not None:
            raise InvalidParameterError("figsize is for a figure that is made here; the axes given as ax= have theirs.")
        # made outside of the style: the first figure lets pyplot choose its backend, which may change settings for good
        head, foot = self.title if title is None else title, self.caption if caption is None else caption
        figure: Any = self._new_figure(figsize, head, foot) if ax is None else ax.get_figure(root=True)
        with house_style(ax):
            axes = figure.add_subplot() if ax is None else ax
            if ax is None:
                headline(figure, head, foot)  # takes room of the axes, which a drawing that places its words looks at
            self._draw(axes)
            if ax is None:
                self._rescale(figure, figsize)
            else:
                self._write_beside(axes, title, caption)
        set_checked(self, ax_=axes)
        set_checked(self, figure_=figure)
        return self

    @property
    def title(self) -> str:
        """Finding that the figure shows."""
        return self._title()

    @property
    def caption(self) -> str:
        """Remarks on reading the figure, and what its names leave out."""
        shared = left_out([readable(str(name)) for name in self._labelled])
        return f"{self._note()} {shared[:1].upper()}{shared[1:]}." if shared else self._note()

    @property
    def _labelled(self) -> Sequence[str]:
        """Full names of the models that are drawn."""
        return list(dict.fromkeys(self.data["model"])) if "model" in self.data else []

    @property
    def full_names(self) -> dict[str, str]:
        """Names by their labels, where a label is shorter than its name; they are tooltips of an SVG."""
        return {}

    def save(self, path: str | os.PathLike[str], *, dpi: float | None = None) -> Path:
        """Write the drawing as PNG, SVG or PDF; a file of that name is replaced at once, never left half written.

        Parameters
        ----------
        path : path
            In a folder that exists; its suffix names the format.
        dpi : float, optional
            Dots per inch of a PNG; 144 if not given, or those of the style sheet.

        Raises
        ------
        InvalidParameterError
            Another suffix.
        UnwrittenFileError
            No such folder, no permission, a full disk; no part of the file is kept.
        """
        target = Path(path)
        content = self.to_bytes(check_format(target), dpi=dpi)
        write_whole(target, content)
        return target

    def to_bytes(self, format: str, *, dpi: float | None = None) -> bytes:
        """The figure as "png", "svg" or "pdf", drawn if it was not yet; the same figure gives the same bytes."""
        import matplotlib

        kind = check_format(f"figure.{format}")
        if not hasattr(self, "figure_"):
            with without_pyplot():
                self.plot()
        theirs = matplotlib.rcParams["savefig.dpi"]
        dots = dpi or (DPI if theirs == "figure" else theirs)
        dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]  # no clock gets into the file
        buffer = io.BytesIO()
        with house_style(self.ax_), matplotlib.rc_context({"svg.hashsalt": "tiebreak", "savefig.facecolor": "auto"}):
            self.figure_.savefig(buffer, format=kind, dpi=dots, metadata=dates)
        return with_tooltips(buffer.getvalue(), self.full_names) if kind == "svg" else buffer.getvalue()

    def to_png(self) -> bytes:
        """The figure as PNG, drawn if it was not yet."""
        return self.to_bytes("png")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    def _new_figure(self, figsize: tuple[float, float] | None, title: str, caption: str) -> Figure:
        if figsize is None:
            width, height = self._size()
            height += text_height(title, caption, width)
        else:
            try:
                width, height = (float(side) for side in figsize)
            except (TypeError, ValueError):
                raise InvalidParameterError(f"figsize must be a width and a height in inches; got {figsize!r}.") from None
            if not (0 < width < np.inf and 0 < height < np.inf):
                raise InvalidParameterError(f"figsize must be a width and a height in inches; got {figsize!r}.")
        return new_figure(width, height, is_registered=_uses_pyplot.get())

    def _rescale(self, figure: Figure, figsize: tuple[float, float] | None) -> None:
        """Larger or smaller as a whole where the style sheet has another ``font.size``, unless the size was named."""
        from matplotlib import rcParams

        factor = float(rcParams["font.size"]) / 10.0
        if factor != 1.0 and figsize is None:
            rescale(figure, factor)

    def _write_beside(self, axes: Axes, title: str | None, caption: str | None) -> None:
        """On the caller's axes: the title as theirs, so that another one replaces it, and the caption below the label."""
        width = room_of(axes).width
        if title:
            axes.set_title(literal(wrap(title, width, SIZE + 1)), fontsize=SIZE + 1)
        if caption:
            label = axes.get_xlabel()
            axes.set_xlabel(f"{label}\n{literal(wrap(caption, width, SMALL))}", fontsize=SMALL)

    def _room(self, axes: Axes) -> Room:
        """Room for labels and notes."""
        return OWN_ROOM if self.owns_figure_ else room_of(axes)

    @abstractmethod
    def _size(self) -> tuple[float, float]:
        """Width and height in inches."""

    @abstractmethod
    def _title(self) -> str:
        """Finding that the figure shows."""

    @abstractmethod
    def _note(self) -> str:
        """Remarks on reading it."""

    @abstractmethod
    def _draw(self, axes: Axes) -> None: ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparisonDisplay(Display):
    """A figure about a comparison, which it holds: settings, metric and verdicts are read from there."""

    folds_copies: ClassVar[bool] = True
    """True where models with identical scores are drawn once; not in the picture of a pair that was asked for."""

    entry_word: ClassVar[str] = "row"

    comparison: Comparison = field(repr=False)
    top: int | None = field(repr=False)

    @property
    def _models(self) -> list[str]:
        """Names of the models that are drawn, best first."""
        return [self.comparison.models[row] for row in shown_models(self.comparison, self.top)]

    @property
    def _copies(self) -> Copies:
        """Names of the models that share the row of each model that is drawn, as their scores are identical."""
        models, drawn = self.comparison.models, self._models
        if not self.folds_copies:
            return [[] for _ in drawn]
        copies = [[models[row] for row in folded_copies(self.comparison, models.index(name))] for name in drawn]
        return [[name for name in row if name not in drawn] for row in copies]

    @property
    def _ranks(self) -> list[int]:
        """Places of the models that are drawn; copies share one."""
        return [int(rank) for rank in self.comparison.ranking_table.rank[shown_models(self.comparison, self.top)]]

    @property
    def _labelled(self) -> Sequence[str]:
        return [*self._models, *(copy for row in self._copies for copy in row)]

    @property
    def _names(self) -> list[str]:
        return short_labels(self._labelled)[: len(self._models)]

    @property
    def full_names(self) -> dict[str, str]:
        """Names of models, and of those that share their row, by their labels, where these are shorter."""
        entries = zip(self._models, self._copies, strict=True)
        full = [f"{name} (and {', '.join(copies)})" if copies else name for name, copies in entries]
        ways = (self._names, short_labels(self._models, copies=self._copies))
        return {label: name for labels in ways for label, name in zip(labels, full, strict=True) if label != name}

    @property
    def _remark(self) -> str:
        """A remark for the note on models that share a row, and when not all models are drawn; else nothing."""
        return self._about_copies + of_all(len(self._labelled), len(self.comparison.models))

    @property
    def _about_copies(self) -> str:
        """A remark for the note on models that share a row or line, else nothing."""
        groups = [[name, *copies] for name, copies in zip(self._models, self._copies, strict=True) if copies]
        if not groups:
            return ""
        labels = dict(zip(self._labelled, short_labels(self._labelled), strict=True))
        equal = [_equal([labels[name] for name in group]) for group in groups]
        more = f"; {len(equal) - MOST_GROUPS} more" if len(equal) > MOST_GROUPS else ""
        return f" Identical scores have one {self.entry_word}: {'; '.join(equal[:MOST_GROUPS])}{more}."

    @property
    def _metric(self) -> str:
        return short(self.comparison.metric.name)

    @property
    def _value(self) -> str:
        """The value by which models are ranked, such as "mean accuracy"."""
        return short(self.comparison.ranking_table.value_label)

    @property
    def _unit(self) -> str:
        """The unit of repetition: "split", "dataset", "example"."""
        return self.comparison.method.unit

    @property
    def _units(self) -> str:
        """Their number in the comparison, and what they are."""
        return count(self.comparison.matrix.n_splits, self._unit)

    @property
    def _adjusted(self) -> str:
        correction = self.comparison.correction
        return "not adjusted" if correction == "none" else correction

    def _favours(self, whom: str) -> str:
        return f"positive favours {whom} ({better_is(self.comparison.metric)} {self._metric})"

    def _rests_on(self, pair: PairComparison) -> str:
        """The interval that decides the verdict on a pair; of a pair outside the family, which has none, its own."""
        name = interval_name(self.comparison, in_family=pair.is_in_family)
        if not pair.is_in_family:
            return f"this pair was not judged, and has {name} ({self.comparison.method.name})"
        return f"the verdict rests on the {name} ({self.comparison.method.name})"

    def _draw_rope(self, axes: Axes, top: float = 1.0) -> None:
        """A band up to a share of the height, and a line at zero."""
        rope = self.comparison.rope
        if rope:
            axes.axvspan(-rope, rope, ymax=top, color=band(), linewidth=0, zorder=0)
        axes.axvline(0.0, ymax=top, color=muted(), linewidth=0.8, zorder=1)


def _equal(names: Sequence[str]) -> str:
    """Names of models with the same scores: "a = b", "a = b = c and 4 more"."""
    left = len(names) - MOST_EQUAL
    return f"{' = '.join(names[:MOST_EQUAL])} and {left} more" if left > 1 else " = ".join(names)


def with_tooltips(svg: bytes, full_names: Mapping[str, str]) -> bytes:
    """An SVG of matplotlib in which each label has the full name as its title: after its comment, or inside of its text."""
    text = svg.decode()
    for label, name in full_names.items():
        title = f"<title>{escape(printable(name))}</title>"
        text = text.replace(f"<!-- {escape(label)} -->", f"<!-- {escape(label)} -->{title}")
        text = text.replace(f">{escape(label)}</text>", f">{escape(label)}{title}</text>")
    return text.encode()


def shown_models(comparison: Comparison, top: int | None = None) -> IntArray:
    """Rows of the ranking that are drawn: all, or of very many the first and the reference; copies share one.

    Where all models are copies of each other, each has its own, as a plot compares.
    """
    lines = ranking_rows(comparison)
    rows = np.array(lines if len(lines) > 1 else range(len(comparison.models)))[: top or MOST_MODELS]
    reference = comparison.models.index(comparison.reference)
    if reference not in rows:
        rows[-1] = reference
    return rows


def default_pair(comparison: Comparison, a: str | None, b: str | None) -> tuple[str, str]:
    """Names of a pair; what is not given is the best-ranked other model or, when a baseline was named, for `b` the baseline.

    A copy of the other model is taken only where there is nothing else.
    """
    baseline = comparison.settings.baseline
    if b is None and baseline is not None and a != baseline:
        b = baseline
    a = _first_beside(comparison, b) if a is None else a
    return a, _first_beside(comparison, a) if b is None else b


def _first_beside(comparison: Comparison, name: str | None) -> str:
    """The best-ranked model that is neither a model nor a copy of it; a copy where there are no others."""
    models, entry = comparison.models, comparison.ranking_table.entry
    if name not in models:
        return models[0]
    others = [row for row, model in enumerate(models) if model != name]
    return models[next((row for row in others if entry[row] != entry[models.index(name)]), others[0])]


def of_all(n_drawn: int, n_all: int, what: str = "models, best first") -> str:
    """A remark for the note when not all are drawn, else nothing."""
    return f" Drawn: {n_drawn} of {n_all} {what}." if n_drawn < n_all else ""


def better_is(metric: Metric) -> str:
    """The direction of a metric in a word."""
    return "higher" if metric.higher_is_better else "lower"
