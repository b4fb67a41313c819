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
    "n_jobs": "--n-jobs",
    "n_test": "--n-test",
    "n_train": "--n-train",
    "name": "--name",
    "order": "--order",
    "probability": "--probability",
    "rng": "--seed",
    "parameter": "--parameter",
    "rope": "--rope",
    "sizes": "--sizes",
    "store": "--store",
    "timeout": "--timeout",
    "values": "--values",
}
_FLAGS = {
    "accept_versions": "--accept-versions",
    "even_damaged": "--even-damaged",
    "overwrite": "--force",
    "retry_failed": "--retry-failed",
}
_DIRECTION = {"True": "--lower-is-better", "False": "--higher-is-better", None: "--lower-is-better or --higher-is-better"}

# 'alpha=0.1' may well be a model and runs/alpha=0.1/scores.csv a file, so what is quoted or part of a path is passed over.
_PART = re.compile(
    r"""(?P<aside>;\ for\ a\ search,[^.]*(?=\.)|,\ or\ name=(?=\.))
      | (?P<failures>\bSee\ evaluation\.failures\b)
      | (?P<quoted>(?<![\w=])(?:'[^'\n]*'|"[^"\n]*")(?!\w))
      | (?P<both>\blower_is_better=True\ or\ lower_is_better=False\b)
      | \blower_is_better=(?P<direction>True|False)?
      | \b(?P<flag>{flags})=(?:True)?
      | \bkeep_predictions=(?P<keep>True|False)
      | (?<![^\s(])(?P<name>{names})=(?P<value>(?>\[\w+\]|'[^'\n]*'|"[^"\n]*"|-?\d+(?:\.\d+)?%?))?(?![\w(/\\])
    """.replace("{names}", "|".join(_PARAMETERS)).replace("{flags}", "|".join(_FLAGS)),
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


_IN_STUDY = {
    r"Pass groups=, one value for each row of X\.": 'Name the column: groups = "..." under [data].',
    r"\bsample_weight\b": "weights",
    r"\brng=(?P<seed>\d+)": "seed = {seed}",
    r"\brng is (?P<now>\d+)": "seed is {now}",
    r"\bscoring=": "metrics = ",
}
_STUDY_PART = re.compile("|".join([r"(?<![\w=])(?:'[^'\n]*'|\"[^\"\n]*\")(?!\w)", *(f"(?:{pattern})" for pattern in _IN_STUDY)]))


def in_study(message: str) -> str:
    """A message with Python's spelling of parameters as a study file has them, e.g. ``rng=1`` as ``seed = 1``.

    Parameters
    ----------
    message : str
        Text of a `TiebreakError`.

    Examples
    --------
    >>> in_study("the run was made with rng=0, and now rng is 1")
    'the run was made with seed = 0, and now seed is 1'
    """
    return _STUDY_PART.sub(_as_written, message)


def _as_written(part: re.Match[str]) -> str:
    for pattern, words in _IN_STUDY.items():
        if re.fullmatch(pattern, part.group()):
            return words.format(**{name: value.lower() for name, value in part.groupdict().items() if value})
    return part.group()  # what is quoted


def _option(part: re.Match[str]) -> str:
    if part["aside"]:  # of no use on the command line
        return ""
    if part["quoted"]:
        return part["quoted"]
    if part["failures"]:
        return "'tiebreak show' lists them"
    if part["both"]:
        return _DIRECTION[None]
    if part["keep"]:
        return f"keep_predictions = {part['keep'].lower()} in the study"
    if part["flag"]:
        return _FLAGS[part["flag"]]
    if part["name"] is None:
        return _DIRECTION[part["direction"]]
    option, value = _PARAMETERS[part["name"]], part["value"]
    if value is None:
        return option
    if value.startswith("["):  # order=[names]
        return f"{option} NAME once for each"
    return f"{option} {shlex.quote(value.strip(chr(39) + chr(34)))}"
