"""Open pages of the built site in a browser, light and dark: axe-core is to find nothing that keeps a reader from them.

    python docs/check_axe.py [FOLDER] [PAGE ...]    docs/_build if none is given; `make docs` does it where Chromium is installed

Ends with exit code 1 and a line for each rule that a page breaks, with the first place.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

PAGES = ("index", "start", "primer", "tools", "metrics", "plots", "examples-run/index", "generated/methods", "search")
"""Pages that are tried, with all under questions/."""
SCHEMES = ("light", "dark")


def broken(browser: Any, file: Path) -> Iterator[str]:
    """A line for each rule that a page breaks."""
    from axe_playwright_python.sync_playwright import Axe

    for scheme in SCHEMES:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.goto(file.resolve().as_uri())
        for found in Axe().run(page).response["violations"]:
            first = found["nodes"][0]
            yield f"{found['id']} ({scheme}, {len(found['nodes'])} places): {first['html'][:120]} at {first['target'][0]}"
        context.close()


def main(site: Path, names: Sequence[str] = ()) -> int:
    """Print what is broken."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("AXE IS NOT ASKED: that needs playwright and Chromium.", file=sys.stderr)
        return 0
    names = names or [*PAGES, *(f"questions/{path.stem}" for path in sorted((site / "questions").glob("*.html")))]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--allow-file-access-from-files"])
        found = [f"{name}: {line}" for name in names for line in broken(browser, site / f"{name}.html")]
        browser.close()
    print(*found, sep="\n", file=sys.stderr, end="\n" if found else "")
    print(f"axe-core finds {len(found)} faults on {len(names)} pages, light and dark.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "_build", sys.argv[2:]))
