"""Tables of means: one row for each model, with its score on one test set, or mean and deviation over folds or training runs."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import Advice, InvalidParameterError, Setting, UnclearSourceError
from tiebreak.numerics import FloatArray
from tiebreak.readers.files import refuse
from tiebreak.readers.header import MEANS, SPREADS, column_advice, is_no_score, metric_in
from tiebreak.readers.source import ReadOptions, metric_among, table_metric
from tiebreak.readers.tables import SourceTable, number_of
from tiebreak.scores.metric import PARTS, RATES, Metric, bare_name, full_name, has_direction, plain_name
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign, Summary, SummaryKind
from tiebreak.scores.vocabulary import Notice, quoted

_SCORE = ("score", "result", "value", "estimate", "")
"""Names of columns that leave the metric to others; of one called "CV mean" nothing is left."""

_CELL = re.compile(r"([^\s(±+]+) ?\(? ?(?:±|\+/-|\+-|\()? ?([^\s()±]+)? ?\)?")
"""A mean, and what may stand beside it in the same cell: 0.91 ± 0.02, 0.91 (0.02), 0.91(+/-0.02)."""

_CLASSES, _RUNS = Advice("n_test=(40, 1960)", typed="--n-test 40,1960"), Advice("rows='seeds', cv=5", typed="--seeds 5")

_TOOLS = {"TT (Sec)": "pycaret", "fit_order": "autogluon", "Stderr": "lm-eval"}
"""A column that only the leaderboard of a tool has."""


class _Column(NamedTuple):
    """Parts of the name of a column: the metric, a part of the data, a kind of spread; of each cell the mean and its spread."""

    name: str
    metric: str
    plain: str
    part: str
    spread: str
    cells: list[tuple[str, str | None]]


def scores_of_means(
    table: SourceTable, models: Sequence[str], names: Sequence[str], options: ReadOptions, more: Sequence[Any] = ()
) -> Scores:
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
    more : sequence
        Further advice where nothing says what the means are of.

    Raises
    ------
    TiebreakError
        Nothing says what the means are of, or the numbers cannot be what they are said to be; the text has the way on.
    """
    chosen, beside = _chosen(table, [each for name in names if (each := _column(table, name))], options)
    texts, inside = zip(*chosen.cells, strict=True)
    spreads = inside if beside is None else table.words(beside.name).texts()
    name: str | None = chosen.metric
    if chosen.metric.casefold() in _SCORE:  # AutoGluon's column eval_metric may say it
        own = table.words("eval_metric").names if "eval_metric" in table.columns else ()
        name = options.metric if options.metric not in (None, chosen.name) else own[0] if len(own) == 1 else None
    kind, n = _kind_of(table, chosen, name or "score", options, more, has_spread=all(spreads))
    metric = table_metric(name, options, table.name).metric
    value, half = _numbers(table, chosen.name, texts)
    are_percent, is_share = value > 1.5, metric.bounds[1] == 1.0 or plain_name(metric.name) in RATES
    scale = 100.0 if is_share and are_percent.any() else 1.0
    table.refuse_rows(
        ~are_percent & (scale == 100.0),
        lambda row: f"{texts[row]} is a fraction, and other rows are in per cent.",
        "Write all in one unit.",
        column=chosen.name,
    )
    value, half, (low, high) = value / scale, half / scale, metric.bounds
    table.refuse_rows(
        ~((value >= low) & (value <= high)),
        lambda row: f"{texts[row]} is no value of {metric.name}, which lies between {low:g} and {high:g}.",
        column=chosen.name,
    )
    deviation, said = np.full(value.size, np.nan), ""
    if kind in ("folds", "runs"):
        spread, half_spread = _numbers(table, (beside or chosen).name, spreads)
        deviation, said = _deviations(table, beside or chosen, value, spread / scale, half_spread / scale, n[0], metric)
    elif kind == "rates":
        from tiebreak.statistics.summary import no_such_count, possible_counts  # scipy is slow to import

        table.refuse_rows(
            ~np.less_equal(*possible_counts(value, np.array(float(n[0])), np.array(half))),
            lambda row: no_such_count(value[row], n[0]),
            column=chosen.name,
        )
    zero, n_test = np.zeros(1, dtype=np.int64), np.array([sum(n) if kind in ("rates", "areas") else 0])
    means = Summary(
        kind,
        n,
        np.full(value.size, half),
        deviation,
        next((tool for mark, tool in _TOOLS.items() if mark in table.columns), ""),
        said,
    )
    matrix = ScoreMatrix("", tuple(models), zero, zero, zero, n_test, value[:, None], summary=means)
    in_percent = Notice("read-as", f"{metric.name} is in per cent and read as a fraction: a rope of 0.01 is one percentage point")
    return Scores(metric, (matrix,), SplitDesign("means"), () if scale == 1.0 else (in_percent,))


# --- columns --------------------------------------------------------------------------------------------------------------


def _column(table: SourceTable, name: str) -> _Column | None:
    """A column that may hold means or what stands beside them; None for one of times, counts or scores of training data."""
    short = re.sub(
        r"(?i)(standard|std)[\s_.-]*(dev(iation)?|(err)(or)?)", lambda found: "se" if found[4] else "sd", bare_name(name)
    )
    typed = {word: word.casefold() for word in re.split(r"[\s_.,()\[\]%/-]+", short) if word}
    spread = next((SPREADS[word] for word in typed.values() if word in SPREADS), "")
    part = next((word for word in typed.values() if word in PARTS), "")
    words = [each for each, word in typed.items() if word not in {*SPREADS, part, "none", "95"}]
    whole = words[:-1] if words and words[-1].casefold() in MEANS else words
    bare = [each for each in words if each.casefold() not in MEANS]
    # an average precision is no mean of precisions, and a mean squared error no squared error
    is_whole = has_direction(" ".join(whole)) and (
        [*map(str.casefold, bare)] == ["precision"] or not has_direction(" ".join(bare))
    )
    metric = ("_" if "_" in name else " ").join(whole if is_whole else bare)
    if part.startswith("train") or (is_no_score(metric.replace("_", " ")) and not has_direction(metric)):
        return None
    cells = [
        (match[1], match[2]) if (match := _CELL.fullmatch(" ".join(text.split()))) else (text, None)
        for text in table.words(name).texts()
    ]
    return _Column(name, metric, plain_name(full_name(metric)), part, spread, cells)


def _chosen(table: SourceTable, columns: Sequence[_Column], options: ReadOptions) -> tuple[_Column, _Column | None]:
    """Column of the metric that is asked for, or the only one whose name is known, and that of its spread.

    With a number of folds it is the one that has a spread; else that of test data.
    """
    means = [each for each in columns if not each.spread or all(inside for _, inside in each.cells)]
    beside = {
        mean.name: next(
            (each for each in columns if each not in means and each.part == mean.part and each.plain in ("", mean.plain)), None
        )
        for mean in means
    }
    asked, metrics = options.metric, {each.plain: each.metric for each in means}
    unnamed = {name for name, metric in metrics.items() if metric.casefold() in _SCORE}
    found = metric_among(asked or "", [metric for name, metric in metrics.items() if name not in unnamed], table.name)
    wanted = {name for name, metric in metrics.items() if (metric == found if asked else has_direction(metric))}
    if not wanted or (len(wanted) > 1 and asked is None):
        wanted = unnamed
    elif asked is not None and options.cv is not None:
        wanted |= unnamed
    held = [each for each in means if each.name == asked] or [each for each in means if each.plain in wanted]
    if options.cv is not None:
        held = [each for each in held if beside[each.name] or each.spread] or held
    if len({each.plain for each in held}) != 1:
        numeric = [each.name for each in means if number_of(next((cell for cell, _ in each.cells if cell), "?")) is not None]
        names = numeric or list(beside)
        own = [each for each in numeric if asked and plain_name(metric_in(each)) == plain_name(full_name(asked))]
        of_datasets = (" If they are of datasets: ", column_advice("datasets", ",".join(own)), ".") if len(own) > 1 else ()
        raise refuse(
            table.name,
            f"it has one row for each model, and {f'means or single scores in {quoted(names, 12)}' if names else 'no scores'}.",
            *(("Say which of them with ", Setting("metric"), ".") if names else ("Add a column of them, such as 'accuracy'.",)),
            *of_datasets,
            kind=UnclearSourceError,
        )
    chosen = min(held, key=lambda each: ("test", "", *PARTS).index(each.part))
    return chosen, beside[chosen.name]


# --- numbers --------------------------------------------------------------------------------------------------------------


def _numbers(table: SourceTable, column: str, texts: Sequence[str | None]) -> tuple[FloatArray, float]:
    """Numbers of a column, and half of the last digit that any of them is printed with; a share of 1.0 has one decimal."""
    found = np.array([number_of(text or "") for text in texts], dtype=float)
    table.refuse_rows(~np.isfinite(found), lambda row: f"{texts[row] or ''!r:.60} is no number.", column=column)
    decimals = max(len(f"{value:.12f}".rstrip("0").partition(".")[2]) for value in found.tolist())
    return found, 0.5 * 10.0 ** -max(decimals, bool(np.all(np.abs(found) <= 1)))


def _deviations(
    table: SourceTable, column: _Column, value: FloatArray, spread: FloatArray, half: float, n: int, metric: Metric
) -> tuple[FloatArray, str]:
    """Standard deviations with n - 1, at most, and how they were read; `half` is that of the last digit of `spread`."""
    bare, raised, (low, high) = column.metric or "score", np.sqrt(n / (n - 1.0)), metric.bounds
    named = f"call the column {bare + '_se'!r} or {bare + '_ci'!r}"
    what, factor = {
        "se": ("standard errors", np.sqrt(n)),
        "ci": ("halves of 95 % intervals", np.sqrt(n) / 1.96),
        "sd": (
            (
                f"standard deviations as numpy computes them (divided by {n}, so raised by {raised - 1:.0%}); of standard errors "
                f"{named}"
            ),
            raised,
        ),
    }[column.spread or "sd"]
    most = raised * np.sqrt(np.maximum((high - value) * (value - low), 0.0)) if np.isfinite(high - low) else np.inf
    table.refuse_rows(
        ~((spread > 0) & (factor * (spread - half) <= most)),
        lambda row: (
            f"{spread[row]:g} is no standard deviation: "
            + (
                f"scores around {value[row]:g} cannot vary so much."
                if spread[row] > 0
                else "scores that do not vary are no sample."
            )
        ),
        f"If it is a standard error, or half of a 95 % interval, {named}.",
        column=column.name,
    )
    return factor * (spread + half), f"{column.name!r} is taken for {what}"


# --- what the means are of ------------------------------------------------------------------------------------------------


def _kind_of(
    table: SourceTable, chosen: _Column, metric: str, options: ReadOptions, more: Sequence[Any], *, has_spread: bool
) -> tuple[SummaryKind, tuple[int, ...]]:
    """Kind of the means, and of how many they are, as `Summary` has it."""
    named, cv, both = full_name(metric), options.cv, options.n_classes or ()
    of, n_test = RATES.get(plain_name(named), ""), options.n_test if options.n_train is None else None
    unclear = partial(refuse, table.name, column=chosen.name, kind=UnclearSourceError)
    if n_test is None and cv is not None:
        n = cv.get_n_splits() if hasattr(cv, "get_n_splits") else cv
        if isinstance(n, bool) or not isinstance(n, int) or n < 2:
            raise InvalidParameterError(Setting("cv", f"{cv!r:.40}"), ": means are of two folds or runs at least.", about="cv")
        if not has_spread:
            raise refuse(
                table.name,
                f"it has no deviation beside {chosen.name!r}, as in a column {chosen.metric + '_std'!r}, to say how scores vary.",
                "If they are of one test set, pass ",
                Setting("n_test"),
                ".",
            )
        return ("runs", (n,)) if options.rows == "seeds" else ("folds", (n, n // getattr(cv, "n_repeats", 1)))
    sizes = {"examples": () if n_test is None else (n_test,), "positives": both[:1], "negatives": both[1:], "both": both}
    if n_examples := sizes.get(of, ()):
        return "areas" if of == "both" else "rates", n_examples
    if n_test is not None:
        raise unclear(
            *(f"{named} is about positive and negative examples apart.", "Say how many there are of each: ", _CLASSES, ".")
            if of
            else (
                f"how far two models may differ by chance in {named} on one test set does not follow from the values.",
                "Keep the predictions of all models in one table, with a column of the truth, and compare that.",
            )
        )
    asked: list[Any] = [
        *(["Of how many folds? ", Setting("cv", "10"), ". Training runs? ", _RUNS, ". "] if has_spread else []),
        *(["Of how many test examples? ", Setting("n_test", "1000"), ". "] if of == "examples" else []),
        *(["Of how many positive and negative test examples? ", _CLASSES, ". "] if of not in ("", "examples") else []),
    ]
    keep = "The answer then holds whatever the overlap of the models' mistakes. Surer: keep" if asked else "Keep"
    raise unclear(
        "it has one row for each model, a single score or a mean, which says nothing of how it varies.",
        *asked,
        f"{keep} the single scores, those of each model on each split (columns 'model', 'fold' and the metric), or the "
        "predictions of all models in one table, and compare these.",
        *more,
    )
