"""``tiebreak FOLDER``: what lies there, what of it is compared, and the verdict."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tiebreak.cli.process import emit, say

if TYPE_CHECKING:
    from tiebreak.readers.folder import Results


def as_command(arguments: Sequence[str], commands: Sequence[str]) -> list[str]:
    """The arguments with the command that a folder or a file in the place of one stands for."""
    first = arguments[0] if arguments else ""
    if first in commands or first.startswith("-") or not os.path.exists(first):  # noqa: PTH110
        return list(arguments)
    from tiebreak.readers.folder import with_folders

    kinds = {file.kind for found in found_in(with_folders([first])) for file in found.files}
    return ["rate" if "battles" in kinds and kinds.isdisjoint(("log", "items", "scores", "answer")) else "compare", *arguments]


def found_in(sources: Sequence[Any]) -> list[Results]:
    """Findings in folders, of the sources."""
    return [each for each in sources if hasattr(each, "left_out")]


def show_found(sources: Sequence[Any], *, on_stdout: bool) -> None:
    """Print what was found in folders: with the answer, or as a message where that is for programs."""
    for each in found_in(sources):
        if on_stdout:
            emit(f"{each!r}\n\n")
        else:
            say(repr(each), wrapped=False)
