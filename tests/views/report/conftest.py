"""Reports, opened in a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Opens a page offline, from a file; in the end nothing was asked of any network and nothing went wrong."""
    contexts, wrong = [], []

    def open_page(html: str, **options: Any) -> Any:
        file = tmp_path / f"report-{len(contexts)}.html"
        file.write_text(html, encoding="utf-8")
        context = chromium.new_context(offline=True, **{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: wrong.append(f"request {request.url}") if request.url != file.as_uri() else None)
        page.on("console", lambda message: wrong.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error {error}"))
        page.goto(file.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [each for each in wrong if not each.startswith("request blob:")] == []
