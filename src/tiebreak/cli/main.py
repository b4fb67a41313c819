"""The entry point: the commands of `group`, run as `process` says."""

import gc
import os
import sys
from collections.abc import Sequence


def main() -> None:
    """Run the command line with the process's arguments and leave with its exit code."""
    from tiebreak.cli.process import prepare  # not at the top: an interrupt should meet as little bare code as possible

    gc.set_threshold(200_000)  # what is imported makes no cycles: looking for them took a tenth of a short command
    prepare()
    code = run(sys.argv[1:])
    gc.freeze()  # nor need what is left be looked through when the process ends
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command line inside this process, and turn whatever it raises into a message and an exit code.

    Parameters
    ----------
    arguments : sequence of str
        As typed after ``tiebreak``.

    Returns
    -------
    int
        0 fine, 1 a requirement is broken or a store is damaged, 2 wrong use or bad input, 3 a requirement is inconclusive, 70
        internal error, 130 and 143 for signals, 141 where nobody read the answer to its end.
    """
    from tiebreak import cli
    from tiebreak.cli import process

    process.typed_arguments[:] = arguments
    process.unread.clear()
    pages = {"--help": cli.help_page, "-h": cli.help_page, "--version": cli.version_page}
    code = process.EXIT_OK
    try:
        if instruction := os.environ.get("_TIEBREAK_COMPLETE"):
            from click.shell_completion import shell_complete

            from tiebreak.cli.group import tiebreak

            code = shell_complete(tiebreak, {}, "tiebreak", "_TIEBREAK_COMPLETE", instruction)
        elif len(arguments) == 1 and arguments[0] in pages:  # needs no click
            process.emit(pages[arguments[0]]() + "\n")
        else:
            from tiebreak.cli.group import invoke

            code = invoke(arguments)
        process.emit("")  # what is still buffered has to go out while errors can be handled
    except KeyboardInterrupt:
        return process.EXIT_INTERRUPTED
    except process.Terminated:
        return process.EXIT_TERMINATED
    except Exception as error:
        return process.failed(error, arguments)
    return process.EXIT_PIPE if process.unread and code == process.EXIT_OK else code
