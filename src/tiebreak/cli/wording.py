"""Messages of the library, said in the words of the command line."""

from __future__ import annotations

import re
import shlex

_PARAMETERS = {
    "alpha": "--alpha",
    "alternative": "--alternative",
    "baseline": "--baseline",
    "correction": "--correction",
    "dataset": "--dataset",
    "method": "--method",
    "metric": "--metric",
    "missing": "--missing",
    "models": "--models",
    "n_test": "--n-test",
    "n_train": "--n-train",
    "order": "--order",
    "probability": "--probability",
    "rng": "--seed",
    "rope": "--rope",
}
_DIRECTION = {"True": "--lower-is-better", "False": "--higher-is-better", None: "--lower-is-better or --higher-is-better"}

# 'alpha=0.1' may well be a model and runs/alpha=0.1/scores.csv a file, so what is quoted or part of a path is passed over.
_PART = re.compile(
    r"""(?P<aside>;\ for\ a\ search,[^.]*(?=\.))
      | (?P<quoted>(?<![\w=])(?:'[^'\n]*'|"[^"\n]*")(?!\w))
      | (?P<both>\blower_is_better=True\ or\ lower_is_better=False\b)
      | \blower_is_better=(?P<direction>True|False)?
      | (?<![^\s(])(?P<name>{names})=(?P<value>(?>\[\w+\]|'[^'\n]*'|"[^"\n]*"|-?\d+(?:\.\d+)?%?))?(?![\w(/\\])
    """.replace("{names}", "|".join(_PARAMETERS)),
    re.VERBOSE,
)


def as_typed(message: str) -> str:
    """A message with Python's spelling of parameters turned into options, e.g. ``n_train=`` into ``--n-train``.

    Parameters
    ----------
    message : str
        Text of a `TiebreakError`.

    Examples
    --------
    >>> as_typed("pass missing='pairwise', or n_train= for the model 'alpha=1'")
    "pass --missing pairwise, or --n-train for the model 'alpha=1'"
    """
    return _PART.sub(_option, message)


def _option(part: re.Match[str]) -> str:
    if part["aside"]:  # of no use on the command line
        return ""
    if part["quoted"]:
        return part["quoted"]
    if part["both"]:
        return _DIRECTION[None]
    if part["name"] is None:
        return _DIRECTION[part["direction"]]
    option, value = _PARAMETERS[part["name"]], part["value"]
    if value is None:
        return option
    if value.startswith("["):  # order=[names]
        return f"{option} NAME once for each"
    return f"{option} {shlex.quote(value.strip(chr(39) + chr(34)))}"
