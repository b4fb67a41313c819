"""One HTML file with all that it needs inside: its style, its script, its data, and a policy that lets nothing else in."""

import base64
import functools
import hashlib
import pkgutil
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

import tiebreak
from tiebreak.errors import InvalidParameterError
from tiebreak.printable import printable
from tiebreak.result import view_of
from tiebreak.views.plots.draw import Drawing
from tiebreak.views.view import encoded


def report(*results: Any, **heading: Any) -> str:
    """The report of results of one kind, one below the other: their pages, their figures and their data."""
    facts = [view_of(result).facts(result) for result in results]
    blocks = [
        (f"Dataset {n}: {result.dataset}" if len(results) > 1 else "", (*view_of(result).page(result).parts, *pictures(result)))
        for n, result in enumerate(results, 1)
    ]
    name = type(results[0]).__name__
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()  # such as "Learning curve"
    return html_of(_KINDS.get(name, words), facts, blocks=blocks, **heading)


_KINDS = {
    "RocCurve": "ROC curve",
    "Rocs": "ROC curves",
    "PrecisionRecallCurve": "Precision and recall",
    "PrecisionRecalls": "Precision and recall",
    "Calibrations": "Calibration",
    "Confusions": "Confusion matrices",
    "BiasVariance": "Bias and variance",
    "PairComparison": "Two models",
}
"""Types whose names are no words."""


def pictures(result: Any, names: Sequence[str] | None = None) -> tuple[dict[str, Any], ...]:
    """Plots of a result, all or some."""
    return tuple(picture(result.plot.drawing(name)) for name in (result.plot.names if names is None else names))


PIXELS = 88
"""Of the page for an inch of a drawing, so that its labels are as large as small print."""


_NOT_NEEDED = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->|font-family: [^;\"]*;?|"
    r"(?<=<g) id=\"[^\"]*\"|transform=\"rotate\(-0 [^\"]*\"|stroke-linejoin: miter;?",
    re.DOTALL,
)
"""Parts of matplotlib's SVG that a browser has no use for."""

_SHORTER: tuple[tuple[str, Any], ...] = (
    (r"(?<![#\w])-?\d+\.\d{2,}(?:e-?\d+)?", lambda number: f"{float(number[0]):.1f}".removesuffix(".0")),
    (r"\s+", " "),
    (r"M (\S+) (\S+) L \1 \2 (?=M|\")", r"M\1 \2h.1"),  # dots
    (r" ?([MLQCz]) ?(?=[-\d\"])", r"\1"),
    ('"', "'"),
)
"""Patterns in its tags, and what is shorter and draws the same."""


def picture(drawing: Drawing) -> dict[str, Any]:
    """A drawing as the template has it, with the address of an image: SVG without ground, whose text is text.

    Its numbers have one decimal, and its font is the reader's.
    """
    svg = _NOT_NEEDED.sub("", drawing.to_bytes("svg", is_bare=True).decode())
    parts = re.split(r"(<[^>]*>)", svg)  # every other one is a tag; texts stay as they are
    for pattern, shorter in _SHORTER:
        parts[1::2] = [re.sub(pattern, shorter, tag) for tag in parts[1::2]]
    svg = re.sub(r">\s+<", "><", "".join(parts))
    svg = (
        re.sub(r"<g ?/>|<g ?></g>|<defs></defs>", "", svg)
        .strip()
        .replace(" version='1.1'>", " font-family='DejaVu Sans,Verdana,sans-serif'>", 1)
    )
    source = Markup("data:image/svg+xml," + quote(svg, safe=" =:/'<>;,()!*?@+$-._~"))  # noqa: S704  (it has no quotes)
    return {
        "title": printable(drawing.title),
        "note": printable(drawing.note),
        "width": round(PIXELS * drawing.size[0]),
        "source": source,
    }


def html_of(
    kind: str,
    facts: Sequence[Mapping[str, Any]],
    *,
    answers: Sequence[Mapping[str, Any]] = (),
    blocks: Sequence[tuple[str, Sequence[Any]]] = (),
    title: str = "",
    command: str = "",
) -> str:
    """The file as text.

    Parameters
    ----------
    kind : str
        Title of the file and its first heading, where there is no other `title`.
    facts : sequence of mapping
        What can be downloaded, of each result.
    answers : sequence of mapping
        Comparisons, between which one switch chooses.
    blocks : sequence of (str, sequence)
        Sections below the answers: a heading, which may be empty, and under it parts of a page and pictures.
    title, command : str
        Title that the caller wants, and the command that wrote the file.
    """
    if not isinstance(title, str):
        raise InvalidParameterError(f"title={title!r} is no text.", about="title")
    style, script = _asset("style.css"), _asset("page.js")
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii") for text in (style, script))
    # this very style and this very script, images that are in the file, nothing else
    allowed = "style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:".format(*digests)
    page = _environment().get_template("report.html")
    return str(
        page.render(
            kind=kind,
            answers=answers,
            blocks=blocks,
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            policy=f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'",
            data=Markup(script_json(facts[0] if len(facts) == 1 else facts)),  # noqa: S704
            version=tiebreak.__version__,
            title=title,
            command=command,
        )
    )


def fragment(parts: Sequence[Any]) -> str:
    """Parts of a page for a notebook: no script, no outside resource, colours left to the notebook."""
    return str(_environment().get_template("fragment.html").render(parts=parts)).strip()


def script_json(data: Any) -> str:
    """JSON that can stand inside a script element: ASCII in which no markup begins."""
    escapes = str.maketrans({"<": r"\u003c", ">": r"\u003e", "&": r"\u0026"})
    return encoded(data, is_tight=True).translate(escapes)  # U+2028 and 2029 are escaped already, as all beyond ASCII


@functools.cache
def _asset(name: str) -> str:
    return (pkgutil.get_data("tiebreak.views.report", name) or b"").decode()


@functools.cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("tiebreak.views", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
