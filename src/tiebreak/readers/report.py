"""Reports: the HTML files that tiebreak writes, which hold their data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tiebreak.errors import AmbiguousSourceError, Setting, UnreadableSourceError
from tiebreak.readers.json import read_answer
from tiebreak.readers.source import ReadOptions, Source, check_whole, is_path, read_file
from tiebreak.scores.vocabulary import quoted


def reads(source: Any) -> bool:
    """True for the path of an HTML file."""
    return is_path(source, ".html", ".htm")


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores of the comparisons in a report: those of one metric, of all its datasets."""
    return read_file(source, lambda path, name: _read(path, name, options))


def _read(path: Path, name: str, options: ReadOptions) -> Source:
    views = _views(path, name, with_others=bool(options.metric))
    metrics = list(dict.fromkeys(_metric(view) for view in views))
    asked = options.metric.removeprefix("neg_") if options.metric else None
    if asked is None and len(metrics) > 1:
        raise AmbiguousSourceError(
            f"{name} holds {len(metrics)} metrics: {quoted(metrics)}. Say which one with ", Setting("metric"), "."
        )
    chosen = [view for view in views if asked in (None, _metric(view))] or views
    scores = {str(each.get("dataset")): each for view in chosen for each in view["scores"]}
    return read_answer({**chosen[0], "scores": list(scores.values())}, name, options)


def _metric(view: Mapping[str, Any]) -> str:
    return str(view["metric"]["name"])


def _views(path: Path, name: str, *, with_others: bool) -> list[dict[str, Any]]:
    """JSON views of the comparisons, those in other metrics than the one that was compared only where a metric is named."""
    check_whole(path, name)
    found = _Data()
    try:
        found.feed(path.read_text(encoding="utf-8"))
        answers = json.loads("".join(found.texts)).get("answers") or []
        views = [answer["view"] for answer in answers if with_others or not answer.get("is_other")]
        if views and all(isinstance(each, dict) for view in views for each in (view, view["metric"], *view["scores"])):
            return views
    except (UnicodeDecodeError, ValueError, AttributeError, KeyError, TypeError, RecursionError):
        pass
    raise UnreadableSourceError(
        f"{name} is no report with a comparison in it, as result.to_html(path) and 'tiebreak report' write them. Was it changed, "
        "or is it another page?"
    )


class _Data(HTMLParser):
    """The text of the element script with the id "data"."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.texts: list[str] = []
        self._is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_inside = tag == "script" and ("id", "data") in attrs and not self.texts

    def handle_endtag(self, tag: str) -> None:
        self._is_inside = False

    def handle_data(self, data: str) -> None:
        if self._is_inside:
            self.texts.append(data)
