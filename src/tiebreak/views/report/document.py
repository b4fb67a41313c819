"""One HTML file with all that it needs inside: its style, its script, its data, and a policy that lets nothing else in."""

from __future__ import annotations

import base64
import functools
import hashlib
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import tiebreak
from tiebreak.printable import printable
from tiebreak.result import view_of
from tiebreak.views.heading import current_heading
from tiebreak.views.json import as_lists, encoded
from tiebreak.views.report.figures import drawing

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


SCRIPTS = ("decide.js", "page.js")
"""Files of the one script, in this order."""


@dataclass(frozen=True, slots=True)
class Block:
    """A section of a report: a heading, if it has one, and under it parts of a page and drawings."""

    id: str
    title: str
    parts: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """Contents of a report.

    Attributes
    ----------
    title : str
        Of the file and of its first heading.
    answers : sequence of dict
        Comparisons, between which one switch chooses.
    blocks : sequence of Block
        Sections below the answers.
    data : mapping
        What the script reads, and what can be downloaded.
    summary : str
        A line under the heading.
    """

    title: str
    answers: Sequence[Mapping[str, Any]] = ()
    blocks: Sequence[Block] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    summary: str = ""


def report(result: Any, *choices: Any) -> str:
    """The report of any result: its page, its figures and its data."""
    return report_of([result], *choices)


def report_of(results: Sequence[Any], *choices: Any) -> str:
    """The report of results of one kind, one below the other."""
    blocks: list[Block] = []
    for n, result in enumerate(results, 1):
        parts = (*view_of(result).page(result, *choices).parts, *drawings(result))
        blocks.append(Block(f"result-{n}", f"Dataset {n}: {result.dataset}" if len(results) > 1 else "", parts))
    facts = [view_of(result).as_dict(result, *choices) for result in results]
    data = {"result": facts[0]} if len(facts) == 1 else {"results": facts}
    return html_of(Document(title=kind_of(results[0]), blocks=blocks, data=data))


_KINDS = {
    "RocCurve": "ROC curve",
    "Rocs": "ROC curves",
    "RocDifference": "Difference of ROC curves",
    "PrecisionRecallCurve": "Precision and recall",
    "PrecisionRecalls": "Precision and recall",
    "Calibrations": "Calibration",
    "Confusions": "Confusion matrices",
    "BiasVariance": "Bias and variance",
    "PairComparison": "Two models",
}
"""Types whose names are no words."""


def kind_of(result: object) -> str:
    """Kind of a result in words, from the name of its type: "Learning curve"."""
    name = type(result).__name__
    return _KINDS.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()


def drawings(result: Any, names: Sequence[str] | None = None) -> tuple[Markup, ...]:
    """Plots of a result, all or some, as images."""
    return tuple(drawing(result.plot.drawing(name)) for name in (result.plot.names if names is None else names))


def html_of(document: Document) -> str:
    """The file as text."""
    style = _asset("style.css")
    script = "".join(without_comments(_asset(name)) for name in SCRIPTS if document.answers or name == "page.js")
    return (
        _environment()
        .get_template("report.html")
        .render(
            document=document,
            style=_trusted(style),
            script=_trusted(script),
            policy=policy(style, script),
            data=_trusted(script_json(document.data)),
            version=tiebreak.__version__,
            heading=current_heading(),
        )
    )


def policy(style: str, script: str) -> str:
    """Content Security Policy: this very style and this very script, images that are in the file, nothing else."""
    allowed = [f"style-src '{_hash(style)}'", f"script-src '{_hash(script)}'", "img-src data:"]
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def script_json(data: Mapping[str, Any]) -> str:
    """JSON that can stand inside a script element: ASCII in which no markup begins."""
    text = encoded(as_lists(dict(data)), is_tight=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text  # U+2028 and 2029 are escaped already, as all that is not ASCII


@functools.cache
def _asset(name: str) -> str:
    return (pkgutil.get_data("tiebreak.views.report", name) or b"").decode()


@functools.cache
def without_comments(script: str) -> str:
    """A script as the browser needs it: without indentation, comments, and blanks beside marks; no text of it spans lines."""
    lines = (_COMMENT.sub("", line).strip() for line in script.splitlines())
    return "".join(f"{_tight(line)}\n" for line in lines if line)


_COMMENT = re.compile(r"^\s*//.*$|\s+// [^\"'`]*$")
_TEXT = re.compile(r'("(?:\\.|[^"\\])*"|`[^`]*`)')
_BLANKS = re.compile(r" *([{}()\[\],;:?=<>&|*%]) *")


def _tight(line: str) -> str:
    """A line of a script without the blanks beside marks, outside of texts; one in which texts are not told for certain as it is.

    Those are lines with single quotes, with what may be a regular expression, or with a text inside of a text.
    """
    code, texts = (_TEXT.split(line)[start::2] for start in (0, 1))
    is_unsure = any(re.search("[`/'\"]", part) for part in code)
    if is_unsure or any(text.count("{") != text.count("}") for text in texts if text[0] == "`"):
        return line
    return "".join(_BLANKS.sub(r"\1", part) + text for part, text in zip(code, [*texts, ""], strict=True))


def _trusted(text: str) -> Markup:
    """Text of ours that goes into the page as it is."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("tiebreak.views", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_readable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = breakable
    return environment


LONGEST_WORD = 18
"""Characters of a word up to which it stands on one line."""


def breakable(text: Any) -> Any:
    """A text in which long words, such as names of classes with their arguments, may be broken between their parts only."""
    if not isinstance(text, str) or hasattr(text, "__html__") or max(map(len, text.split()), default=0) <= LONGEST_WORD:
        return text
    from markupsafe import escape

    return _trusted(
        "".join(
            _with_breaks(str(escape(printable(part)))) if len(part) > LONGEST_WORD else escape(printable(part))
            for part in re.split(r"(\s+)", text)
        )
    )


def _with_breaks(word: str) -> str:
    """A word as markup, with places to break after its brackets and commas, and inside of what is long all the same."""
    return "<wbr>".join(
        part if len(part) <= LONGEST_PART else re.sub(r"(?<=[=_/-])(?=\w)|(?<=[a-z0-9])(?=[A-Z])", "<wbr>", part)
        for part in re.split(r"(?<=,)(?=\w)|(?=\()", word)
    )


LONGEST_PART = 24
"""Characters of a class or an argument up to which it stands on one line."""


def _readable(value: Any) -> Any:
    """Texts from outside on one line, with what cannot be seen as escapes; markup of ours as it is."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
