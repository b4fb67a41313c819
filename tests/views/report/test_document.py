"""The file itself: its policy, its data, and that every result has one."""

import base64
import hashlib
import html
import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.views.answers import splits
from tiebreak.errors import InvalidParameterError
from tiebreak.views.report.document import picture, script_json

FOUR = splits(0.90, 0.895, 0.85, 0.84, n=20, rope=0.01)
PAGE = FOUR.to_html()


def test_the_policy_allows_its_style_and_its_script_and_nothing_else() -> None:
    """The hashes are those of the two elements as they stand in the file; a browser refuses whatever has another one."""
    policy = html.unescape(re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', PAGE)[0])
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", PAGE, re.S)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert rules.pop(rule) == f"'sha256-{digest}'"
    assert rules == {"default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}


def test_ids_are_unique_and_labels_point_to_them() -> None:
    """So that screen readers find what belongs together."""
    markup = re.sub(r"<(style|script)\b.*?</\1>", "", PAGE, flags=re.S)
    ids = Counter(re.findall(r'\sid="([^"]*)"', markup))
    assert max(ids.values()) == 1
    referred = {each for group in re.findall(r'\s(?:aria-labelledby|for)="([^"]*)"', markup) for each in group.split()}
    assert referred <= set(ids)


def test_headings_and_tables_are_for_those_who_listen() -> None:
    """One h1, no level left out, a language, a caption for every table and a scope for every header."""
    levels = [int(level) for level in re.findall(r"<h(\d)", PAGE)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert '<html lang="en">' in PAGE
    assert len(re.findall(r"<table", PAGE)) == len(re.findall(r"<caption>[^<]|<table [^>]*aria-labelledby=", PAGE))
    assert all('scope="' in header for header in re.findall(r"<th\b[^>]*>", PAGE))
    drawings = re.findall(r"<svg\b[^>]*>", re.sub(r'src="[^"]*"', "", PAGE))
    assert all('aria-hidden="true"' in each for each in drawings)
    assert all(re.search(r'alt="[^"]+"', each) for each in re.findall(r"<img\b[^>]*>", PAGE))


@pytest.mark.parametrize("text", ["</script><script>", "<!--", "]]>", "&amp;", "a\u2028b\u2029c", "\ud800", "\x00"])
def test_data_cannot_end_their_element(text: str) -> None:
    """All that begins markup is an escape of JSON, which gives the text back."""
    written = script_json({text: [text, {"a": text}]})
    assert not set("<>&\u2028\u2029") & set(written)
    assert written.isascii()
    assert json.loads(written) == {text: [text, {"a": text}]}


def test_a_title_stands_above_the_answer() -> None:
    """As text, whatever stands in it, and nothing but text; the report's own title goes below, and the next has none of it."""
    own = html.unescape(re.search("<h1>(.*?)</h1>", PAGE)[1])
    page = FOUR.to_html(title="Churn <v3>\u202e")
    head = page[page.index("<title>") : page.index("</header>")]
    assert r"<title>Churn &lt;v3&gt;\u202e</title>" in head
    assert r"<h1>Churn &lt;v3&gt;\u202e</h1>" in head
    assert f'<p class="small">{html.escape(own)}</p>' in head
    assert FOUR.to_html() == PAGE
    with pytest.raises(InvalidParameterError, match="title=3 is no text"):
        FOUR.to_html(title=3)  # type: ignore[arg-type]


def test_the_same_answer_is_the_same_file(tmp_path: Path) -> None:
    """No clock and no order of a set gets in; what is written is what is returned."""
    path = tmp_path / "report.html"
    assert FOUR.to_html(path) == PAGE == path.read_text(encoding="utf-8")


def test_sizes() -> None:
    """At most 60 kB for 4 models on 100 splits, 200 kB for 40 with long names; one style, one script of at most 200 lines."""
    hundred = splits(0.90, 0.895, 0.85, 0.84, rope=0.01)
    names = [f"candidate {n:02d} of the search over its depth, leaves and rates"[:60] for n in range(40)]
    forty = splits(*(0.9 - 0.003 * np.arange(40)), noise=0.012, names=names, rope=0.01)
    asked = hundred.meets(better=[hundred.models[:2]], near_best=hundred.models[0])
    assert len(hundred.to_html(requirements=asked).encode()) < 60_000
    assert len(forty.to_html().encode()) < 200_000
    assert PAGE.count("<style>") == 1
    assert re.findall(r"<script>(.*?)</script>", PAGE, re.S)[0].count("\n") <= 200


def test_a_picture_is_an_image_with_text_and_without_ground() -> None:
    """Names stand in it as text, whatever they hold; nothing of it ends the attribute that it stands in."""
    plots = splits(0.9, 0.8, n=10, names=('a"><script>', "b&amp;'c'"), rope=0.01).plot
    source = str(picture(plots.drawing("scores"))["source"])
    assert source.startswith("data:image/svg+xml,<svg ")
    assert not set('"&#') & set(source)
    svg = unquote(source.partition(",")[2])
    texts = [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert {'a"><script>', "b&amp;'c'"} <= set(texts)
    assert "fill: #ffffff" not in svg
    assert f"{plots.result.ranking['mean'][0]:.4f}"[:5] in " ".join(filter(None, texts))
