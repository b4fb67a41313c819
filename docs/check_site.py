"""Look through the built site: links lead somewhere, and nothing comes from elsewhere.

    python docs/check_site.py [FOLDER]      docs/_build if none is given; `make docs` does it at its end

Ends with exit code 1 and a line for each fault. Links to other sites are left alone: a reader follows them, a page does not.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FOLLOWED = {"a", "area"}
"""Tags whose address a reader follows; all other addresses are loaded with the page."""
ADDRESSES = {"src", "href", "srcset", "poster", "data", "action", "xlink:href"}
IN_CSS = re.compile(r"""url\(\s*['"]?([^'")]+)|@import\s+['"]([^'"]+)""")
STATES = {"canonical", "author", "license", "next", "prev", "index", "search", "help", "up", "first", "last"}
"""Kinds of <link> that say something and load nothing."""


class Page(HTMLParser):
    """Addresses and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self._in_style = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self._in_style = tag == "style"
        self.loaded += _in_css(values.get("style", ""))
        says_only = tag == "link" and set(values.get("rel", "").split()) <= STATES
        for name in ADDRESSES & values.keys():
            addresses = (
                [part.split()[0] for part in values[name].split(",") if part.split()] if name == "srcset" else [values[name]]
            )
            (self.links if tag in FOLLOWED or says_only else self.loaded).extend(addresses)

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loaded += _in_css(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_style = False


def _in_css(text: str) -> list[str]:
    return [first or second for first, second in IN_CSS.findall(text)]


def faults(site: Path) -> Iterator[str]:
    """A line for each fault, of pages and style sheets."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts}
    for path, page in pages.items():
        here = path.relative_to(site)
        for address in page.loaded:
            if _is_elsewhere(address):
                yield f"{here} loads {address}"
        for address in dict.fromkeys([*page.links, *page.loaded]):
            yield from (f"{here}: {fault}" for fault in _dead(address, path, pages))
    for sheet in sorted(site.rglob("*.css")):
        for address in _in_css(sheet.read_text(encoding="utf-8")):
            if _is_elsewhere(address):
                yield f"{sheet.relative_to(site)} loads {address}"


def _is_elsewhere(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def _dead(address: str, path: Path, pages: dict[Path, Page]) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        yield f"no file for {address}"
    elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        yield f"no place for {address}"


def main(site: Path) -> int:
    """Print the faults."""
    if not (site / "index.html").exists():
        print(f"{site} holds no site; 'make docs' builds it.", file=sys.stderr)
        return 1
    found = [*faults(site.resolve())]
    print(*found, sep="\n", file=sys.stderr, end="\n" if found else "")
    n_pages = sum(1 for _ in site.rglob("*.html"))
    well = "every link within the site leads somewhere, and nothing is loaded from elsewhere"
    print(f"{n_pages} pages: {f'{len(found)} faults' if found else well}.")
    return bool(found)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "_build"))
