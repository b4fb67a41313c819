"""Plots of a comparison: ranking, differences, scores and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.family import MIRRORED, REASONS
from tiebreak.comparison.ranking import STANDINGS
from tiebreak.errors import DataError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.answer import interval_name, table_decimals
from tiebreak.views.plots.datasets import diagram, has_datasets, has_ranks, paired
from tiebreak.views.plots.draw import (
    MARKS,
    MOST_CELLS,
    MOST_ROWS,
    Drawing,
    labels,
    marked,
    minus,
    of_all,
    rows,
    short,
    square,
)
from tiebreak.views.plots.menu import Plot
from tiebreak.views.plots.pair import decided, default_pair, has_curve, posterior_of, rope_note
from tiebreak.views.words import count, format_score

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison

MOST_DOTS = 5000
"""Splits or items up to which each is drawn as a dot."""


def ranking(comparison: Comparison) -> Drawing:
    """Every model's difference to the first, or to the baseline, with the interval that decides its verdict."""
    data = against_reference(comparison)
    return rows(data, **_against(comparison, data), note=_about_intervals(comparison, data))


def differences(comparison: Comparison) -> Drawing:
    """Difference of every model to the first, or to the baseline, on every split, with its mean and interval."""
    unit = comparison.method.unit
    if not comparison.method.is_mean:
        raise _of_all_together(comparison, "differences")
    if not comparison.method.is_paired:
        raise DataError(
            f"there is no plot of differences, as the models were not measured on the same {unit}s; plot.scores() draws the "
            "scores of each."
        )
    table = against_reference(comparison)
    shown = _shown(comparison)
    reference = comparison.models.index(comparison.reference)
    score = comparison.metric.sign * comparison.matrix.score
    difference = score[shown] - score[reference]
    difference[shown == reference] = np.nan
    data, dots = _of_units(comparison, shown, difference, "difference")
    n = count(comparison.matrix.n_splits, unit)
    note = f"Dots: the difference on each of {n}. {_about_intervals(comparison, table)}"
    return rows(data, **_against(comparison, table), note=note, dots=dots)


def scores(comparison: Comparison) -> Drawing:
    """Score of every model on every split, dataset, or what else was counted, and its mean."""
    if not comparison.method.is_mean:
        raise _of_all_together(comparison, "scores")
    shown, table, unit = _shown(comparison), comparison.ranking_table, comparison.method.unit
    data, dots = _of_units(comparison, shown, comparison.matrix.score[shown], "score")
    means = [format_score(float(mean), table_decimals(comparison)) for mean in table.mean[shown]]
    return rows(
        data,
        title=f"{labels(comparison.models)[0]} ranks first of {len(comparison.models)}, {short(table.value_label)} "
        f"{minus(means[0])}",
        note=f"Dots: {count(comparison.matrix.n_splits, unit)}. Marks, and on the right: {short(table.value_label)}. "
        f"Whether means "
        f"differ by more than chance is not shown here.{of_all(len(shown), len(comparison.models))}",
        x_label=f"{short(comparison.metric.name)} of each {unit} ({better_is(comparison)} is better)",
        names=[comparison.models[row] for row in shown],
        middle=table.mean[shown],
        notes=[minus(mean) for mean in means],
        zero=False,
        dots=dots,
    )


def verdicts(comparison: Comparison) -> Drawing:
    """Difference and verdict of every model against every other."""
    import pandas as pd

    table, n = comparison.pair_table, len(comparison.models)
    verdict, difference, pvalue = np.zeros((n, n), dtype=np.int8), np.full((n, n), np.nan), np.full((n, n), np.nan)
    one, other = table.first, table.second
    verdict[one, other], verdict[other, one] = table.verdict, MIRRORED[table.verdict]
    difference[one, other], difference[other, one] = table.law.estimate, 0.0 - table.law.estimate
    pvalue[one, other] = pvalue[other, one] = table.adjusted_pvalue
    names, decimals = comparison.models[:MOST_CELLS], table_decimals(comparison)
    row, column = np.nonzero(~np.eye(len(names), dtype=bool))
    words = [["" for _ in names] for _ in names]
    for i, j in zip(row, column, strict=True):
        kind = VERDICTS[verdict[i, j]]
        number = minus(format_score(float(difference[i, j]), decimals, signed=True))
        words[i][j] = MARKS[kind].symbol if len(names) > 6 else f"{marked(kind)}\n{number}" if kind else ""
    data = pd.DataFrame(
        {
            "row": np.array(names, dtype=object)[row],
            "column": np.array(names, dtype=object)[column],
            "difference": difference[row, column],
            "adjusted_pvalue": pvalue[row, column],
            "verdict": np.array(VERDICTS, dtype=object)[verdict[row, column]],
        }
    )
    metric, counts = short(comparison.metric.name), dict(zip(VERDICTS, table.count_verdicts().tolist(), strict=True))
    marks = ", ".join(marked(name) for name in MARKS if name and (data["verdict"] == name).any())
    return square(
        data,
        np.where(np.eye(len(names), dtype=bool), np.nan, difference[: len(names), : len(names)]),
        words,
        names=names,
        title=decided(counts, table.n_pairs, "pair") if table.n_pairs > 1 else comparison.headline,
        note=f"The model of the row against that of the column: {marks}; {_rope_words(comparison)}; {interval_name(comparison)}s "
        f"({comparison.correction}). Colour: difference in {metric}, positive favours the row."
        f"{of_all(len(names), n, 'models; answer.pairs has all pairs')}",
        bar=f"difference in {metric}",
    )


def posterior(comparison: Comparison, a: str | None = None, b: str | None = None) -> Drawing:
    """Posterior of the difference of two models, of the first two if none are named; positive favours `a`."""
    return posterior_of(comparison.pair(*default_pair(comparison, a, b)))


# --- What they share ------------------------------------------------------------------------------------------------


def against_reference(comparison: Comparison) -> pd.DataFrame:
    """Models that are drawn against the first one or the baseline."""
    import pandas as pd

    table, against, shown = comparison.ranking_table, comparison.against_reference, _shown(comparison)
    standing = np.full(len(comparison.models), "", dtype=object)
    if table.standing is not None:
        standing = np.array(STANDINGS, dtype=object)[table.standing]
    return (
        pd.DataFrame(
            {
                "rank": table.rank,
                "model": comparison.models,
                "mean": table.mean,
                "n_units": table.n_units,
                "difference": against.difference,
                "interval_low": against.interval.low,
                "interval_high": against.interval.high,
                "verdict": np.array(VERDICTS, dtype=object)[against.verdict],
                "reason": np.array(REASONS, dtype=object)[against.reason],
                "standing": standing,
            }
        )
        .iloc[shown]
        .reset_index(drop=True)
    )


def _shown(comparison: Comparison) -> IntArray:
    """Rows of the ranking that are drawn: of very many the first and the reference."""
    shown = np.arange(len(comparison.models))[:MOST_ROWS]
    reference = comparison.models.index(comparison.reference)
    shown[-1] = max(shown[-1], reference)
    return shown


def _against(comparison: Comparison, table: pd.DataFrame) -> dict[str, Any]:
    """Arguments of rows of models against the reference."""
    decimals, is_family = table_decimals(comparison), comparison.pair_table.is_family
    reference = labels([*table["model"]])[list(table["model"]).index(comparison.reference)]
    is_reference = table["model"] == comparison.reference
    words = [
        marked(verdict) if is_family else standing for verdict, standing in zip(table["verdict"], table["standing"], strict=True)
    ]
    role = "first" if comparison.settings.baseline is None else "baseline"
    ends = table[["interval_low", "interval_high"]].mask(is_reference)
    return {
        "title": comparison.headline,
        "x_label": f"difference in {short(comparison.metric.name)} to {reference}: positive favours the row",
        "names": list(table["model"]),
        "middle": table["difference"],
        "low": ends["interval_low"],
        "high": ends["interval_high"],
        "verdicts": ["" if own else verdict or "undecided" for own, verdict in zip(is_reference, table["verdict"], strict=True)],
        "notes": [
            f"{minus(format_score(float(mean), decimals))}  {role if own and is_family else word}".rstrip()
            for mean, own, word in zip(table["mean"], is_reference, words, strict=True)
        ],
        "band": comparison.rope,
    }


def _about_intervals(comparison: Comparison, table: pd.DataFrame) -> str:
    value, name = short(comparison.ranking_table.value_label), interval_name(comparison)
    judged = "the verdict is where the line lies" if comparison.pair_table.is_family else "no pair was judged"
    arrows = " Arrow: no limit on that side." if np.isinf(table[["interval_low", "interval_high"]].to_numpy()).any() else ""
    right = "verdict" if comparison.pair_table.is_family else "standing"
    return (
        f"Lines: {name}s of the difference ({comparison.correction}); {judged}.{arrows} {rope_note(comparison.rope)} Right: "
        f"{value} and {right}.{of_all(len(table), len(comparison.models))}"
    )


def _of_all_together(comparison: Comparison, plot: str) -> DataError:
    return DataError(
        f"there is no plot of {plot}, as {comparison.metric.name} is of all {comparison.method.unit}s together; plot.ranking() "
        "draws the differences."
    )


def _rope_words(comparison: Comparison) -> str:
    return f"rope ±{comparison.rope:.4g}" if comparison.rope else "no rope, so none is equivalent"


def _of_units(comparison: Comparison, shown: IntArray, values: FloatArray, name: str) -> tuple[pd.DataFrame, tuple[Any, Any]]:
    """A row for each value that is there, and where its dot stands: a little apart, so that equal values stay visible."""
    import pandas as pd

    matrix = comparison.matrix
    row, unit = np.nonzero(~np.isnan(values))
    data = pd.DataFrame(
        {
            "model": np.array(comparison.models, dtype=object)[shown[row]],
            "repeat": matrix.repeat[unit],
            "fold": matrix.fold[unit],
            name: values[row, unit],
        }
    )
    return data, (values[row, unit], row + 0.3 * ((unit * 0.618034) % 1 - 0.5))


def better_is(comparison: Any) -> str:
    """The direction of a result's metric in a word."""
    return "higher" if comparison.metric.higher_is_better else "lower"


def _has_dots(comparison: Comparison) -> bool:
    """True where each unit has a score with more than two values, in one unit of measurement, and there are not too many."""
    items = comparison.items
    is_binary = items is not None and items.is_binary
    return (
        not is_binary and comparison.matrix.n_splits <= MOST_DOTS and comparison.method.is_mean and not comparison.scores.is_mixed
    )


PLOTS = {
    "ranking": Plot(ranking),
    "differences": Plot(differences, lambda answer: answer.method.is_paired and _has_dots(answer)),
    "scores": Plot(scores, lambda answer: answer.method.question != "test-sets" and _has_dots(answer)),
    "verdicts": Plot(verdicts, lambda answer: answer.pair_table.is_family),
    "diagram": Plot(diagram, has_ranks),
    "paired": Plot(paired, lambda answer: has_datasets(answer) and not answer.scores.is_mixed),
    "posterior": Plot(posterior, lambda answer: has_curve(answer.pair(*default_pair(answer, None, None)))),
}
