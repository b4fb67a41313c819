"""Tables of means: one row for each model, with its score on one test set, or mean and deviation over folds or training runs."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import (
    Advice,
    DataError,
    InvalidParameterError,
    Setting,
    TiebreakError,
    UnclearSourceError,
)
from tiebreak.numerics import FloatArray
from tiebreak.readers.files import refuse
from tiebreak.readers.header import MEANS, PARTS, SPREADS, is_no_score
from tiebreak.readers.metric import metric_among, table_metric
from tiebreak.readers.source import ReadOptions, Source
from tiebreak.readers.tables import SourceTable, number_of
from tiebreak.scores.metric import Metric, full_name, has_direction, plain_name
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign, Summary, SummaryKind
from tiebreak.scores.vocabulary import Notice, quoted

_SCORE = ("score", "result", "value", "estimate", "")
"""Names of columns that leave the metric to others; of one called "CV mean" nothing is left."""

_CELL = re.compile(r"\s*([^\s(±+]+)\s*\(?\s*(?:±|\+/-|\+-|\()?\s*([^\s()±]+)?\s*\)?\s*")
"""A mean, and what may stand beside it in the same cell: 0.91 ± 0.02, 0.91 (0.02), 0.91(+/-0.02)."""

_RATES = frozenset(
    """accuracy acc exactmatch em passrate pass pass1 successrate solverate hitrate winrate top1 top1accuracy top1acc top5
    top5accuracy top5acc top10accuracy topkaccuracy top1err top1error top5err top5error errorrate misclassificationrate
    zerooneloss match""".split()
)
"""Metrics, as `plain_name` writes them, that are shares of all examples of a test set."""

_OF_CLASSES = {
    **dict.fromkeys(("recall", "sensitivity", "tpr", "falsenegativerate", "fnr"), 0),
    **dict.fromkeys(("specificity", "tnr", "falsepositiverate", "fpr"), 1),
    "rocauc": None,
}
"""Metrics that are shares of the positive examples (0), or of the negative ones (1), or an area over both."""

_CLASSES = Advice("n_test=(40, 960)", typed="--n-test 40,960")

_TOOLS = {"pycaret": "TT (Sec)", "autogluon": "fit_order", "lm-eval": "Stderr"}
"""A column that only the leaderboard of a tool has."""

_COUNTS = (("n", "n_test", "n_examples", "support"), ("n_folds", "folds"), ("n_seeds", "seeds", "n_runs", "runs"))
"""Names of columns of what the means are of: test examples, folds, training runs."""

KEEP = (
    "Surer: keep the single scores, those of each model on each split (columns 'model', 'fold' and the metric), or the "
    "predictions of all models in one table, and compare these."
)


class _Column(NamedTuple):
    """Parts of the name of a column: the metric, a part of the data, and a kind of spread, of which it may have the mean too."""

    name: str
    metric: str
    part: str
    spread: str
    is_mean: bool


def source_of_means(table: SourceTable, models: Sequence[str], names: Sequence[str], options: ReadOptions) -> Source:
    """Scores of a table with one row for each model, of which the caller says what they are means of.

    Parameters
    ----------
    table : SourceTable
    models : sequence of str
        Of its rows.
    names : sequence of str
        Columns that may hold scores.
    options : ReadOptions
        `n_test` says that scores are of one test set, `cv` that they are means over folds, and with ``rows="seeds"`` over so many
        training runs.

    Raises
    ------
    TiebreakError
        Nothing says what the means are of, or the numbers cannot be what they are said to be; the text has the way on.
    """
    chosen, beside = _chosen(table, [each for name in names if (each := _column(table, name)) is not None], options)
    cells = _cells(table, chosen.name)
    inside = [spread for _, spread in cells] if beside is None else table.words(beside.name).texts()
    name: str | None = chosen.metric
    if chosen.metric.casefold() in _SCORE:  # AutoGluon's column eval_metric may say it
        own = table.words("eval_metric").names if "eval_metric" in table.columns else ()
        name = options.metric if options.metric not in (None, chosen.name) else own[0] if len(own) == 1 else None
    kind, n = _kind_of(table, chosen, name or "score", options, has_spread=all(inside))
    metric = table_metric(name, options, table.name).metric
    value, rounding = _numbers(table, chosen.name, [text for text, _ in cells])
    scale = _scale(table, chosen, metric, value)
    value, rounding, (low, high) = value / scale, rounding / scale, metric.bounds
    for row in np.flatnonzero(~((value >= low) & (value <= high))).tolist():
        what = f"{cells[row][0]} is no value of {metric.name}, which lies between {low:g} and {high:g}."
        raise _wrong(table, chosen.name, row, what)
    deviation, said, notices = np.full(value.size, np.nan), "", []
    if scale != 1.0:
        text = f"{metric.name} is in per cent and read as a fraction: a rope of 0.01 is one percentage point"
        notices.append(Notice("percent-or-fraction", text))
    if kind in ("folds", "runs"):
        spread, half = _numbers(table, (beside or chosen).name, inside)
        deviation, said = _deviations(table, beside or chosen, value, (spread / scale, half / scale), n[0], metric)
    from tiebreak.statistics.summary import possible_counts  # scipy is slow to import

    for row in range(value.size) if kind == "rates" else ():
        try:
            possible_counts(value[row], np.array(float(n[0])), np.array(rounding))
        except DataError as error:
            raise _wrong(table, chosen.name, row, str(error)) from None
    zero = np.zeros(1, dtype=np.int64)
    tool = next((tool for tool, mark in _TOOLS.items() if mark in table.columns), "")
    means = Summary(kind, n, np.full(value.size, rounding), deviation, tool, said)
    n_test = np.array([sum(n) if kind in ("rates", "areas") else 0])
    matrix = ScoreMatrix("", tuple(models), zero, zero, zero, n_test, value[:, None], summary=means)
    return Source(Scores(metric, (matrix,), SplitDesign("means"), tuple(notices)), table.name)


# --- columns --------------------------------------------------------------------------------------------------------------


def _column(table: SourceTable, name: str) -> _Column | None:
    """A column that may hold means or what stands beside them; None for one of times, counts or scores of training data."""
    short = re.sub(r"(?i)(standard|std)[\s_.-]*(dev(iation)?|(err)(or)?)", lambda found: "se" if found[4] else "sd", name)
    typed = [word for word in re.split(r"[\s_.,()\[\]%/-]+", short) if word]
    words = [word.casefold() for word in typed]
    spread = next((SPREADS[word] for word in words if word in SPREADS), "")
    part = next((word for word in words if word in PARTS), "")
    rest = [each for each, word in zip(typed, words, strict=True) if word not in {*MEANS, *SPREADS, part, "none", "95"}]
    if part.startswith("train") or is_no_score(" ".join(rest)):
        return None
    is_mean = not spread or all(inside for _, inside in _cells(table, name))
    return _Column(name, ("_" if "_" in name else " ").join(rest), part, spread, is_mean)


def _cells(table: SourceTable, column: str) -> list[tuple[str, str | None]]:
    """The mean in each cell, and what stands beside it there."""
    texts = table.words(column).texts()
    return [(match[1], match[2]) if (match := _CELL.fullmatch(text)) else (text, None) for text in texts]


def _chosen(table: SourceTable, columns: Sequence[_Column], options: ReadOptions) -> tuple[_Column, _Column | None]:
    """Column of the metric that is asked for, or the only one whose name is known, and that of its spread.

    With a number of folds it is the one that has a spread; else that of test data.
    """
    means, asked = [each for each in columns if each.is_mean], options.metric
    beside = {
        mean: next(
            (each for each in columns if not each.is_mean and each.part == mean.part and _plain(each) in ("", _plain(mean))), None
        )
        for mean in means
    }
    plain = {_plain(each): each.metric for each in means}
    scores = {name for name, metric in plain.items() if metric.casefold() in _SCORE}
    known = {name for name, metric in plain.items() if has_direction(metric)}
    wanted = scores
    if asked is not None:
        found = metric_among(asked, [metric for name, metric in plain.items() if name not in scores], table.name)
        wanted = scores if found is None else {plain_name(full_name(found))} | (scores if options.cv is not None else set())
    elif len(known) == 1:
        wanted = known
    held = [each for each in means if each.name == asked] or [each for each in means if _plain(each) in wanted]
    if options.cv is not None:
        held = [each for each in held if beside[each] or each.spread] or held
    if len({_plain(each) for each in held}) != 1:
        what = f"it has one row for each model, and means or single scores in {quoted([each.name for each in means], 12)}."
        raise refuse(table.name, what, "Say which of them with ", Setting("metric"), ".", kind=UnclearSourceError)
    order = ("test", "", *PARTS)
    chosen = min(held, key=lambda each: order.index(each.part))
    return chosen, beside[chosen]


def _plain(column: _Column) -> str:
    return plain_name(full_name(column.metric))


# --- numbers --------------------------------------------------------------------------------------------------------------


def _numbers(table: SourceTable, column: str, texts: Sequence[str | None]) -> tuple[FloatArray, float]:
    """Numbers of a column, and half of the last digit that any of them is printed with; a share of 1.0 has one decimal."""
    values = [number_of(text or "") for text in texts]
    for row, (value, text) in enumerate(zip(values, texts, strict=True)):
        if value is None or not np.isfinite(value):
            raise _wrong(table, column, row, f"{text or ''!r:.60} is no number.")
    found = np.array(values, dtype=float)
    decimals = max(len(f"{value:.12f}".rstrip("0").partition(".")[2]) for value in values)
    return found, 0.5 * 10.0 ** -max(decimals, bool(np.all(np.abs(found) <= 1)))


def _scale(table: SourceTable, chosen: _Column, metric: Metric, value: FloatArray) -> float:
    """100 for shares in per cent; an error where some are and others are not."""
    percent = value > 1.5
    if (metric.bounds[1] != 1.0 and plain_name(metric.name) not in _RATES) or not percent.any():
        return 1.0
    if not percent.all():
        row = int(np.argmin(percent))
        what = f"{value[row]:g} is a fraction, and other rows are in per cent."
        raise _wrong(table, chosen.name, row, what, "Write all in one unit.")
    return 100.0


def _deviations(
    table: SourceTable, column: _Column, value: FloatArray, printed: tuple[FloatArray, float], n: int, metric: Metric
) -> tuple[FloatArray, str]:
    """Standard deviations with n - 1, at most, and how they were read; `printed` are the numbers and half of their last digit."""
    spread, half = printed
    bare = column.metric or "score"
    named = f"call the column {bare + '_se'!r} or {bare + '_ci'!r}"
    raised = np.sqrt(n / (n - 1.0))
    what, factor = {
        "se": ("standard errors", np.sqrt(n)),
        "ci": ("halves of 95 % intervals", np.sqrt(n) / 1.96),
    }.get(column.spread, ("standard deviations", raised))
    low, high = metric.bounds
    most = raised * np.sqrt(np.maximum((high - value) * (value - low), 0.0)) if np.isfinite(high - low) else np.inf
    for row in np.flatnonzero((spread <= 0) | (factor * (spread - half) > most)).tolist():
        why = "scores that do not vary are no sample" if spread[row] <= 0 else f"scores around {value[row]:g} cannot vary so much"
        fix = f"If it is a standard error, or half of a 95 % interval, {named}."
        raise _wrong(table, column.name, row, f"{spread[row]:g} is no standard deviation: {why}.", fix)
    said = f"{column.name!r} is taken for {what}"
    if what == "standard deviations":
        said += f" as numpy computes them (divided by {n}, so raised by {raised - 1:.0%}); of standard errors {named}"
    return factor * (spread + half), said


def _wrong(table: SourceTable, column: str, row: int, what: str, *fix: str) -> TiebreakError:
    return refuse(table.name, what, *fix, column=column, row=table.where(row))


# --- what the means are of ------------------------------------------------------------------------------------------------


def _kind_of(
    table: SourceTable, chosen: _Column, metric: str, options: ReadOptions, *, has_spread: bool
) -> tuple[SummaryKind, tuple[int, ...]]:
    """Kind of the means, and of how many they are, as `Summary` has it."""
    name, both, cv = plain_name(full_name(metric)), options.n_classes, options.cv
    is_of_runs, n_test = options.rows == "seeds", options.n_test if options.n_train is None else None
    if n_test is None and cv is None and options.n_train is None:
        n_test, n_folds, n_runs = (_n_of(table, held) for held in _COUNTS)
        cv, is_of_runs = (n_folds, is_of_runs) if n_runs is None else (n_runs, True)

    def ask(what: str, *fix: str | Setting | Advice, kind: type[TiebreakError] = UnclearSourceError) -> TiebreakError:
        return refuse(table.name, what, *fix, column=chosen.name, kind=kind)

    if n_test is None and cv is None:
        folds: tuple[Any, ...] = ("Of how many folds? ", Setting("cv", "10"), ". Training runs? ")
        folds += (Advice("rows='seeds', cv=5", typed="--seeds 5"), ". ")
        size = _CLASSES if name in _OF_CLASSES else Setting("n_test", "1000")
        raise refuse(
            table.name,
            f"it has one row for each model, a single score or a mean ({chosen.name!r}), which says nothing of how it varies.",
            *(folds if has_spread else ()),
            "Of how many test examples? ",
            size,
            f". The answer then holds whatever the overlap of the models' mistakes. {KEEP}",
            kind=UnclearSourceError,
        )
    if n_test is None:
        n = cv.get_n_splits() if hasattr(cv, "get_n_splits") else cv
        if isinstance(n, bool) or not isinstance(n, int) or n < 2:
            raise InvalidParameterError(Setting("cv", f"{cv!r:.40}"), ": means are of two folds or runs at least.", about="cv")
        if not has_spread:
            what = (
                f"it has no deviation beside {chosen.name!r}, as in a column {chosen.metric + '_std'!r}, to say how scores vary."
            )
            raise refuse(table.name, what, "If they are of one test set, pass ", Setting("n_test"), ".")
        return ("runs", (n,)) if is_of_runs else ("folds", (n, n // getattr(cv, "n_repeats", 1)))
    if name in _OF_CLASSES:
        if both is None:
            what = f"{full_name(metric)} is about positive and negative examples apart."
            raise ask(what, "Say how many there are of each: ", _CLASSES, ".")
        place = _OF_CLASSES[name]
        return ("areas", both) if place is None else ("rates", (both[place],))
    if name not in _RATES:
        what = f"how far two models may differ by chance in {full_name(metric)} on one test set does not follow from the values."
        keep = "Keep the predictions of all models in one table, with a column of the truth, and compare that."
        raise ask(what, keep)
    return "rates", (n_test,)


def _n_of(table: SourceTable, names: Sequence[str]) -> int | None:
    """Number of what the means are of from a column of its own, the same for all models."""
    column = next((name for name in table.columns if name.casefold() in names), None)
    if column is None:
        return None
    sizes = table.numbers(column)
    wrong = (sizes != sizes[0]) | ~(sizes >= 1) | (sizes % 1 != 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = f"{sizes[row]:g} beside {sizes[0]:g}: a table of means is about models that were tested alike."
        raise _wrong(table, column, row, what, "Of a test set of each model's own give columns 'model', 'correct' and 'n'.")
    return int(sizes[0])
