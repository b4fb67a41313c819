"""The entry point: the commands of `group`, run as `process` says."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line with the process's arguments and leave with its exit code."""
    from tiebreak.cli.process import prepare  # not at the top: an interrupt should meet as little bare code as possible

    prepare()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line inside this process and return its exit code.

    Parameters
    ----------
    arguments : sequence of str
        As typed after ``tiebreak``.
    """
    from tiebreak.cli.process import guarded

    return guarded(_invoke, arguments)


def _invoke(arguments: Sequence[str]) -> int:
    import os

    from tiebreak import cli
    from tiebreak.cli.process import EXIT_OK, emit

    if instruction := os.environ.get("_TIEBREAK_COMPLETE"):
        from tiebreak.cli.completion import complete

        return complete(instruction)

    pages = {"--help": cli.help_page, "-h": cli.help_page, "--version": cli.version_line}
    if len(arguments) == 1 and arguments[0] in pages:  # needs no click
        emit(pages[arguments[0]]() + "\n")
        return EXIT_OK
    from tiebreak.cli.group import invoke

    return invoke(arguments)
