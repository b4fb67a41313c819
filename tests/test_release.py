"""What a release is made of."""

import re
from pathlib import Path

from tiebreak import __version__

ROOT = Path(__file__).parents[1]


def test_a_release_is_built_by_what_is_named_to_the_commit() -> None:
    """A tag can be moved to other code, which would then be published under the name of this project."""
    used = re.findall(r"uses: (\S+)", (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []


def test_the_citation_names_the_version() -> None:
    """Who cites what is installed cites what is meant."""
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
