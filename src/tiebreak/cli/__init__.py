"""The command line: one line per command in `COMMANDS`, and a file, which some share.

The page of ``tiebreak --help`` is written here without click, which takes 40 ms to load.
"""

COMMANDS = {
    "compare": "Say which models are better, and which tie.",
    "rate": "Rate models by whom they beat, with ranks.",
    "noise-floor": "Say how far two runs of one model lie apart.",
    "sample-size": "Say how many items, repeats or datasets it takes.",
    "audit": "Check the data and splits of a study.",
    "run": "Measure the models of a study, and compare them.",
    "runs": "List the runs of a store.",
    "show": "Show how far a run has come, and write its report or scores.",
    "learning-curve": "Say whether more data would help the models of a study.",
    "validation-curve": "Find the best value of a parameter, and what ties.",
    "store": "Check or back up a store.",
    "demo": "Run a worked example and explain the answer.",
}
"""Name and help in one line."""

SHARED = {"learning-curve": "curves", "validation-curve": "curves", "runs": "store", "show": "store"}
"""Modules of commands that share one; any other has the name of its command, with _ for -."""

_PAGE = """\
Usage: tiebreak [OPTIONS] COMMAND [ARGS]...
       tiebreak FOLDER

  Is your best model really better, or is it a tie?

  Measures machine-learning models, and compares them with the statistics that
  fit how their scores were made. 'tiebreak COMMAND --help' says more, and
  'tiebreak FOLDER' compares the results that lie in a folder.

Options:
  --version    Show the versions of tiebreak and of what it stands on.
  --traceback  Show where an error comes from (or set TIEBREAK_TRACEBACK=1).
  -h, --help   Show this message and exit.

Commands:
{commands}

Exit codes: 0 fine, 1 a requirement is broken or a store is damaged, 2 wrong
use or bad input, 3 a requirement is inconclusive, 70 internal error, 130 and
143 interrupted."""


def help_page() -> str:
    """Page of ``tiebreak --help``, in 80 columns."""
    width = max(map(len, COMMANDS))
    return _PAGE.format(commands="\n".join(f"  {name:<{width}} {line}" for name, line in COMMANDS.items()))


def version_page() -> str:
    """Lines of ``tiebreak --version``: the package, Python, and what is installed of all that it stands on."""
    import re
    import sys
    from importlib import metadata

    from tiebreak import __version__

    lines = [f"tiebreak {__version__}", f"Python {sys.version.split()[0]}"]
    for requirement in metadata.requires("tiebreak") or ():
        name, extra = re.split(r"[^\w.-]", requirement)[0], requirement.partition("extra == ")[2].strip("'\"")
        found = next(iter(metadata.Distribution.discover(name=name)), None)
        if (found and extra in _EXTRAS) or not extra:
            lines.append(f"{name} {found.version if found else 'is missing'}")
    return "\n".join(lines)


_EXTRAS = ("dask", "postgres")
"""Extras that are for users, not for who works on tiebreak."""
