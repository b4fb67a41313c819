"""Type everyday words into the site's own search, in a browser: the page that explains them is to come among the first.

    python docs/check_search.py [FOLDER]    docs/_build if none is given; `make docs` does it where Chromium is installed

Ends with exit code 1 and a line for each word whose page is not among the first three pages found.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from urllib.parse import quote_plus

FIRST = 3
PAGES = {
    "elo": "questions/judge",
    "undecided": "primer",
    "judge": "questions/judge",
    "optuna": "tools",
    "xgboost": "tools",
    "pytorch": "tools",
    "mlflow": "tools",
    "slurm": "tools",
    "language model": "questions/language-models",
    "standard error": "primer",
    "p-value": "primer",
    "confidence interval": "primer",
    "sample size": "questions/how-many",
    "rope": "questions/rope",
    "latex": "questions/paper",
    "resume": "questions/died",
    "release gate": "gates",
    "leakage": "audit",
    "calibration": "metrics",
    "learning curve": "questions/more-data",
    "nested": "questions/candidates",
    "wilcoxon": "generated/methods",
    "json": "api",
}
"""Words, and the page that each is to lead to."""

IS_DONE = """() => {
  const found = document.querySelector("#search-results"), summary = found.querySelector("p.search-summary");
  return summary && /\\S/.test(summary.textContent) && !/Searching|Preparing/.test(found.textContent);
}"""
FOUND = "links => links.map((link) => link.getAttribute('href').split(/[?#]/)[0])"


def main(site: Path) -> int:
    """Print what is not found."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("THE SEARCH OF THE SITE IS NOT TRIED: that needs playwright and Chromium.", file=sys.stderr)
        return 0
    n_missed = 0
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--allow-file-access-from-files"])
        page = browser.new_page()
        for words, wanted in PAGES.items():
            page.goto(f"{(site / 'search.html').resolve().as_uri()}?q={quote_plus(words)}")
            page.wait_for_function(IS_DONE)
            links = page.eval_on_selector_all("#search-results ul.search li a", FOUND)
            first = [link.removesuffix(".html") for link in dict.fromkeys(links)][:FIRST]
            if wanted not in first:
                n_missed += 1
                print(f"{words!r} should lead to {wanted}, and leads to {', '.join(first) or 'nothing'}", file=sys.stderr)
        browser.close()
    print(f"{len(PAGES) - n_missed} of {len(PAGES)} words lead to their page among the first {FIRST}.")
    return 1 if n_missed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "_build"))
