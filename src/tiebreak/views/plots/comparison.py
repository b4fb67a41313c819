"""Plots of a comparison and of its pairs: ranking, differences, scores, verdicts, posterior, and scores by dataset."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from tiebreak.comparison.comparison import Comparison, PairComparison
from tiebreak.comparison.family import MIRRORED, REASONS
from tiebreak.comparison.ranking import STANDINGS
from tiebreak.comparison.slices import Slices
from tiebreak.errors import DataError
from tiebreak.numerics import RELATIVE_TOLERANCE, VERDICTS, FloatArray, IntArray, Law
from tiebreak.scores.items import Items
from tiebreak.views.answer import interval_name, table_decimals
from tiebreak.views.plots.draw import (
    COLOURS,
    MARKS,
    MOST_CELLS,
    MOST_ROWS,
    SIZE,
    Drawing,
    Plot,
    labels,
    marked,
    minus,
    number_axis,
    of_all,
    rows,
    short,
    square,
    text_colour,
    words_beside,
)
from tiebreak.views.view import as_frame
from tiebreak.views.words import (
    count,
    format_interval,
    format_percent,
    format_probability,
    format_score,
    level_words,
)

MOST_DOTS = 5000
"""Splits or items up to which each is drawn as a dot."""


def ranking(comparison: Comparison) -> Drawing:
    """Every model's difference to the first, or to the baseline, with the interval that decides its verdict."""
    return _against(comparison)


def differences(comparison: Comparison) -> Drawing:
    """Difference of every model to the first, or to the baseline, on every split, with its mean and interval."""
    unit = comparison.method.unit
    if not comparison.method.is_paired:
        raise DataError(
            f"there is no plot of differences, as the models were not measured on the same {unit}s; plot.scores() draws the "
            "scores of each."
        )
    shown, reference = _shown(comparison), comparison.reference_row
    score = comparison.metric.sign * comparison.matrix.score
    difference = score[shown] - score[reference]
    difference[shown == reference] = np.nan
    data, dots = _of_units(comparison, shown, difference, "difference")
    return _against(comparison, f"Dots: the difference on each of {count(comparison.matrix.n_splits, unit)}. ", data, dots)


def scores(comparison: Comparison) -> Drawing:
    """Score of every model on every split, dataset, or what else was counted, and its mean."""
    shown, models, unit = _shown(comparison), comparison.models, comparison.method.unit
    data, dots = _of_units(comparison, shown, comparison.matrix.score[shown], "score")
    mean, value = comparison.ranking_table.mean[shown], short(comparison.ranking_table.value_label)
    means = [minus(format_score(float(each), table_decimals(comparison))) for each in mean]
    side = "higher" if comparison.metric.higher_is_better else "lower"
    return rows(
        data,
        title=f"{labels(models)[0]} ranks first of {len(models)}, {value} {means[0]}",
        note=f"Dots: {count(comparison.matrix.n_splits, unit)}. Marks, and on the right: {value}. Whether means differ by more "
        f"than chance is not shown here.{of_all(len(shown), len(models))}",
        x_label=f"{short(comparison.metric.name)} of each {unit} ({side} is better)",
        names=[models[row] for row in shown],
        middle=mean,
        notes=means,
        zero=False,
        dots=dots,
    )


def verdicts(comparison: Comparison) -> Drawing:
    """Difference and verdict of every model against every other."""
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
    data = as_frame(
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
    rope = f"rope ±{comparison.rope:.4g}" if comparison.rope else "no rope, so none is equivalent"
    return square(
        data,
        np.where(np.eye(len(names), dtype=bool), np.nan, difference[: len(names), : len(names)]),
        words,
        names=names,
        title=decided(counts, table.n_pairs, "pair") if table.n_pairs > 1 else comparison.headline,
        note=f"The model of the row against that of the column: {marks}; {rope}; {interval_name(comparison)}s"
        f"{f' ({comparison.correction})' if table.n_pairs > 1 else ''}. Colour: difference in {metric}, positive favours the row."
        f"{of_all(len(names), n, 'models; answer.pairs has all pairs')}",
        bar=f"difference in {metric}",
    )


def posterior(comparison: Comparison, a: str | None = None, b: str | None = None) -> Drawing:
    """Posterior of the difference of two models, of the first two if none are named; positive favours `a`."""
    return posterior_of(comparison.pair(*default_pair(comparison, a, b)))


# --- What they share ------------------------------------------------------------------------------------------------


def _shown(comparison: Comparison) -> IntArray:
    """Rows of the ranking that are drawn: of very many the first and the reference."""
    shown = np.arange(len(comparison.models))[:MOST_ROWS]
    shown[-1] = max(shown[-1], comparison.reference_row)
    return shown


def _against(comparison: Comparison, about: str = "", data: Any = None, dots: Any = None) -> Drawing:
    """Rows of models against the reference, on dots where there are data of them."""
    t, against, shown = comparison.ranking_table, comparison.against_reference, _shown(comparison)
    every = {
        "rank": t.rank,
        "model": comparison.models,
        "mean": t.mean,
        "n_units": t.n_units,
        "difference": against.difference,
        "interval_low": against.interval.low,
        "interval_high": against.interval.high,
        "verdict": np.array(VERDICTS, dtype=object)[against.verdict],
        "reason": np.array(REASONS, dtype=object)[against.reason],
        "standing": "" if t.standing is None else np.array(STANDINGS, dtype=object)[t.standing],
    }
    table, decimals, is_family = as_frame(every).iloc[shown], table_decimals(comparison), comparison.pair_table.is_family
    names, ends = list(table["model"]), table[["interval_low", "interval_high"]]
    is_reference = table["model"] == comparison.reference
    reference = labels(names)[names.index(comparison.reference)]
    words = [marked(verdict) for verdict in table["verdict"]] if is_family else table["standing"]
    role = "first" if comparison.settings.baseline is None else "baseline"
    name, by = interval_name(comparison), f" ({comparison.correction})" if comparison.pair_table.n_pairs > 1 else ""
    how, right = (
        (f"{name}s of the difference{by}; the verdict is where the line lies", "verdict")
        if is_family
        else (f"each difference with {name}; no pair was judged", "standing")
    )
    arrows = " Arrow: no limit on that side." if np.isinf(ends.to_numpy()).any() else ""
    return rows(
        table.reset_index(drop=True) if data is None else data,
        title=comparison.headline,
        note=f"{about}Lines: {how}.{arrows} "
        f"{rope_note(comparison.rope)} Right: {short(comparison.ranking_table.value_label)} and {right}."
        f"{of_all(len(table), len(comparison.models))}",
        x_label=f"difference in {short(comparison.metric.name)} to {reference}: positive favours the row",
        names=names,
        middle=table["difference"],
        low=ends["interval_low"].mask(is_reference),
        high=ends["interval_high"].mask(is_reference),
        verdicts=["" if own else verdict or "undecided" for own, verdict in zip(is_reference, table["verdict"], strict=True)],
        notes=[
            f"{minus(format_score(float(mean), decimals))}  {role if own and is_family else word}".rstrip()
            for mean, own, word in zip(table["mean"], is_reference, words, strict=True)
        ],
        band=comparison.rope,
        dots=dots,
    )


def _of_units(comparison: Comparison, shown: IntArray, values: FloatArray, name: str) -> tuple[Any, tuple[Any, Any]]:
    """A row for each value that is there, and where its dot stands: a little apart, so that equal values stay visible."""
    matrix = comparison.matrix
    if not comparison.method.is_mean:
        raise DataError(
            f"there is no plot of {name}s, as {comparison.metric.name} is of all {comparison.method.unit}s together; "
            "plot.ranking() draws the differences."
        )
    row, unit = np.nonzero(~np.isnan(values))
    data = as_frame(
        {
            "model": np.array(comparison.models, dtype=object)[shown[row]],
            "repeat": matrix.repeat[unit],
            "fold": matrix.fold[unit],
            name: values[row, unit],
        }
    )
    return data, (values[row, unit], row + 0.3 * ((unit * 0.618034) % 1 - 0.5))


def _has_dots(comparison: Comparison) -> bool:
    """True where each unit has a score with more than two values, in one unit of measurement, and there are not too many."""
    items = comparison.items
    is_binary = items is not None and items.is_binary
    return (
        not is_binary and comparison.matrix.n_splits <= MOST_DOTS and comparison.method.is_mean and not comparison.scores.is_mixed
    )


LEVELS = (0.5, 0.75, 0.95)
"""Levels of the credible intervals under a posterior."""


def posterior_of(pair: PairComparison) -> Drawing:
    """Posterior density of the difference, with the rope, three probabilities and three credible intervals."""
    comparison, posterior = pair.comparison, pair.law
    if not has_curve(pair):
        why = pair.reason or f"of the method {comparison.method.name}"
        raise DataError(f"there is no posterior with a curve here ({why}); plot.ranking() draws intervals.")
    first, second = _labels_of(comparison, pair.first, pair.second)
    grid, (low, high) = _grid(posterior, pair.rope), posterior.interval(0.5)
    step = (high - low) * 1e-3  # the density by differences of the tail
    below = np.array([[float(posterior.tail(x + side)) for x in grid] for side in (-step, step)])
    data = as_frame({"difference": grid, "density": (below[1] - below[0]) / (2.0 * step)})
    chances = {"worse": pair.p_worse, "equivalent": pair.p_equivalent, "better": pair.p_better}
    likely = max(chances, key=lambda name: chances[name])
    whose = f"for {first} " if likely == "worse" else ""  # where the sentence is about the other
    title = f"{pair_title(first, second, pair.verdict)}; {whose}P({likely}) is {format_probability(chances[likely])}"
    note = (
        f"Posterior from {count(pair.n_units, comparison.method.unit)}, for this pair alone; bars: credible intervals. "
        f"{rope_note(pair.rope)}"
    )

    def paint(ax: Any, own: bool) -> None:
        ax.set_xlabel(f"difference in {short(comparison.metric.name)}: positive favours {first}", fontsize=SIZE)
        ax.spines[["left", "right", "top"]].set_visible(False)
        ax.axvline(0.0, color=text_colour(0.5), linewidth=0.8, zorder=1)
        ax.axvspan(-pair.rope, pair.rope, color=text_colour(0.1), linewidth=0, zorder=0)
        x, y = data["difference"].to_numpy(), data["density"].to_numpy()
        peak = float(y.max())
        inside = {"worse": x <= -pair.rope, "equivalent": np.abs(x) <= pair.rope, "better": x >= pair.rope}
        for name, where in inside.items():
            label = f"{marked(name)} {format_probability(chances[name])}"
            if pair.rope or name != "equivalent":
                ax.fill_between(x, y, where=where, color=MARKS[name].colour, alpha=0.35, linewidth=0, label=label, zorder=2)
        ax.plot(x, y, color=text_colour(), linewidth=1.4, zorder=3)
        heights = [-peak * (0.09 + 0.1 * place) for place in range(len(LEVELS))]
        ends = [posterior.interval(level) for level in LEVELS]
        for height, (low, high) in zip(heights, ends, strict=True):
            ax.plot([low, high], [height, height], color=text_colour(), linewidth=5, solid_capstyle="butt", zorder=3)
        intervals = [minus(format_interval(float(low), float(high), table_decimals(comparison))) for low, high in ends]
        words_beside(ax, heights, [format_percent(level) for level in LEVELS], intervals)
        ax.axhline(0.0, color=text_colour(), linewidth=0.8, zorder=3)
        ax.set_xlim(x[0], x[-1])
        number_axis(ax.xaxis)
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=SIZE)

    return Drawing(data, title, note, paint, (7.4, 3.9))


def _labels_of(comparison: Comparison, *models: str) -> list[str]:
    """Labels of some models, as where all of them stand."""
    known = labels(comparison.models)
    return [known[comparison.models.index(model)] for model in models]


def rope_note(rope: float) -> str:
    """Remark on the grey band."""
    band = f"Grey band: the rope, ±{rope:.4g}, differences too small to matter."
    return band if rope else "There is no rope, so none can be called equivalent."


def pair_title(first: str, second: str, verdict: str) -> str:
    """The verdict on one pair as a sentence; of a pair outside the family only its names."""
    return {
        "better": f"{first} is better than {second}",
        "worse": f"{second} is better than {first}",
        "ahead": f"{first} is ahead of {second}",
        "behind": f"{second} is ahead of {first}",
        "equivalent": f"{first} and {second} are practically equivalent",
        "undecided": f"Undecided: {first} against {second}",
    }.get(verdict, f"{first} against {second}")


def decided(counts: Mapping[str, int], n: int, what: str) -> str:
    """Numbers of what is decided, and of what is shown in its direction only: "1 of 3 pairs is decided, 1 more is ahead"."""
    settled, ahead = counts["better"] + counts["worse"] + counts["equivalent"], counts["ahead"] + counts["behind"]
    more = f", in {ahead:,}{' more' if settled else ''} one model is ahead" if ahead else ""
    return f"{settled:,} of {count(n, what)} {'is' if settled == 1 else 'are'} decided{more}"


def default_pair(comparison: Comparison, a: str | None, b: str | None) -> tuple[str, str]:
    """Names of a pair; what is not given is the best-ranked other model or, when a baseline was named, for `b` the baseline."""
    baseline = comparison.settings.baseline
    b = baseline if b is None and a != baseline else b
    first = a if a is not None else next(name for name in comparison.models if name != b)
    return first, b if b is not None else next(name for name in comparison.models if name != first)


def _grid(posterior: Law, rope: float) -> FloatArray:
    """Differences at which the curve is drawn, with 0 and the rope among them, and close together where the mass is."""
    low, high = (float(end) for end in posterior.interval(0.95))
    reach = high - low
    left, right = min(low - 0.4 * reach, -1.2 * rope), max(high + 0.4 * reach, 1.2 * rope)
    near = np.linspace(low - reach, high + reach, 201).clip(left, right)
    return np.unique([*near, left, right, -rope, 0.0, rope])


def has_curve(pair: PairComparison) -> bool:
    """True where a pair has a posterior with a density."""
    judged = pair.comparison.pair_table.judged
    return bool(pair.has_interval and judged.law.is_posterior and judged.credible != "points")


_OUTCOMES = {"won": "better", "tied": "equivalent", "lost": "worse"}
"""Outcomes on one dataset, which are no verdicts, with the verdict whose mark and colour they have."""


def has_ranks(comparison: Comparison) -> bool:
    """True where there are average ranks, and pairs or a baseline that say who is told apart."""
    rank = comparison.ranking_table.average_rank
    return comparison.pair_table.is_family and rank is not None and bool(np.isfinite(rank).any())


def paired(comparison: Comparison, a: str | None = None, b: str | None = None) -> Drawing:
    """Difference of two models on each dataset, the largest on top; of the first two if none are named."""
    pair, score, names = comparison.pair(*default_pair(comparison, a, b)), comparison.matrix.score, comparison.matrix.columns
    one, other = (score[comparison.models.index(name)] for name in (pair.first, pair.second))
    difference = comparison.metric.sign * (one - other)
    limit = comparison.rope + RELATIVE_TOLERANCE * np.fmax(np.abs(one), np.abs(other))
    outcome = np.where(difference > limit, "won", np.where(difference < -limit, "lost", "tied"))
    keys = names or [f"repeat {r}, fold {f}" for r, f in zip(comparison.matrix.repeat, comparison.matrix.fold, strict=True)]
    data = as_frame({"dataset": keys, "first": one, "second": other, "difference": difference, "outcome": outcome})
    data = data[~np.isnan(difference)].sort_values("difference", ascending=False, kind="stable").reset_index(drop=True)
    first, second = _labels_of(comparison, pair.first, pair.second)
    wins, losses = (int((data["outcome"] == name).sum()) for name in ("won", "lost"))
    half = MOST_ROWS // 2
    shown = data if len(data) <= MOST_ROWS else data.iloc[[*range(half), *range(-half, 0)]]
    decimals, metric = table_decimals(comparison), short(comparison.metric.name)
    left_out = comparison.matrix.n_splits - len(data)
    ties = f"scores within the rope of ±{comparison.rope:.4g}" if comparison.rope else "scores that differ by rounding noise"
    return rows(
        data,
        title=f"{pair_title(first, second, pair.verdict)}; {first} wins {wins} of {count(len(data), 'dataset')}, loses {losses}",
        note=f"Right: {metric} of {first} and of {second}; {ties} count as equal. The verdict rests on the differences "
        f"together, not on "
        "the counts."
        + (f" Without {count(left_out, 'dataset')} that one of the two lacks." if left_out else "")
        + (f" Drawn: the {len(shown)} largest differences either way." if len(shown) < len(data) else ""),
        x_label=f"difference in {metric}: positive favours {first}",
        names=list(shown["dataset"]),
        middle=shown["difference"],
        low=np.minimum(shown["difference"], 0.0),
        high=np.maximum(shown["difference"], 0.0),
        verdicts=[_OUTCOMES[each] for each in shown["outcome"]],
        notes=[
            f"{minus(format_score(x, decimals))}  {minus(format_score(y, decimals))}"
            for x, y in zip(shown["first"], shown["second"], strict=True)
        ],
        band=comparison.rope,
    )


def diagram(comparison: Comparison) -> Drawing:
    """Average ranks over datasets with bars that join models which are not told apart.

    The critical-difference diagram of Demšar (2006), its bars from the comparison's own verdicts, which do not change with the
    other models in the table. A model that lies within a bar but is told apart from one of its models leaves a gap in it. With a
    baseline there is one bar: of the baseline and the models that are not told apart from it.
    """
    if not has_ranks(comparison):
        raise DataError("a diagram of ranks needs scores of several datasets, judged as pairs or against a baseline.")
    table, baseline = comparison.ranking_table, comparison.settings.baseline
    ranks = np.asarray(table.average_rank)
    order = [row for row in np.argsort(ranks, kind="stable") if np.isfinite(ranks[row])]
    whose = baseline or comparison.models[order[0]]
    row = comparison.models.index(whose)
    if row not in order:
        raise DataError(f"{whose!r} has no average rank, as no other model shares its datasets.")
    place = order.index(row)
    order = order if len(order) <= MOST_CELLS else [*order[: MOST_CELLS - 1], order[max(place, MOST_CELLS - 1)]]
    n_ranked = int(np.isfinite(ranks).sum())
    names, ranks = [comparison.models[row] for row in order], ranks[order]
    held = table.letters
    letters = ["" if held is None else held[row] for row in order]
    groups = _groups(comparison, names, letters)
    data = as_frame({"model": names, "average_rank": ranks, "letters": letters})
    texts = [f"{name}  {rank:.2f}" for name, rank in zip(labels(names, 32), ranks, strict=True)]
    n_left, last = -(-len(names) // 2), max(int(np.ceil(ranks.max())), 2)
    n_alike = len(_alike(comparison, row))
    said = "has the best average rank" if place == 0 else f"is number {place + 1} of {n_ranked} by average rank"

    def paint(ax: Any, own_figure: bool) -> None:
        ax.set_axis_off()
        ax.set_xlim(1 - 0.06 * (last - 1), last + 0.06 * (last - 1))
        depth = 0.5 * len(groups) + 0.7
        ax.set_ylim(depth + n_left, -1.0)
        ax.plot([1, last], [0, 0], color=text_colour(), linewidth=1.0)
        for rank in range(1, last + 1, max(1, last // 8)):
            ax.plot([rank, rank], [-0.25, 0], color=text_colour(), linewidth=0.8)
            ax.text(rank, -0.35, str(rank), ha="center", va="bottom", fontsize=SIZE)
        for number, group in enumerate(groups, 1):
            within = [names.index(name) for name in group]
            ax.plot(ranks[[within[0], within[-1]]], [0.5 * number] * 2, color=text_colour(0.6), linewidth=0.8, linestyle=":")
            for run in np.split(within, np.flatnonzero(np.diff(within) > 1) + 1):
                reach = [ranks[run[0]] - 0.008 * last, ranks[run[-1]] + 0.008 * last]
                ax.plot(reach, [0.5 * number] * 2, color=text_colour(), linewidth=2.8, solid_capstyle="butt")
        for row, text in enumerate(texts):
            is_left = row < n_left
            y = depth + (row if is_left else len(names) - 1 - row)
            end = ax.get_xlim()[0 if is_left else 1]
            ax.plot([ranks[row], ranks[row], end], [0, y, y], color=text_colour(0.5), linewidth=0.7, zorder=1)
            ax.plot([ranks[row]], [0], marker="o", markersize=5, color=COLOURS[0], zorder=4)
            side: dict[str, Any] = {"ha": "right" if is_left else "left", "va": "center", "fontsize": SIZE}
            ax.annotate(text, (end, y), (-4 if is_left else 4, 0), textcoords="offset points", **side)

    note = (
        f"Dots: average rank over {comparison.matrix.n_splits} datasets, 1 is best. Bars join models that are not told apart"
        f"{' from the baseline' if baseline is not None else ''} ({comparison.method.name}, {comparison.correction}); a "
        f"gap is a model "
        "that is. Ranks depend on which other models are in the table, the bars do not."
        f"{of_all(len(names), n_ranked)}"
    )
    title = f"{labels(names)[names.index(whose)]} {said}; {n_alike} of {n_ranked - 1} others are not told apart from it"
    return Drawing(data, title, note, paint, (10.6, 0.8 + 0.11 * len(groups) + 0.21 * n_left))


def _alike(comparison: Comparison, model: int) -> list[int]:
    """Numbers of the models that were compared with a model and not told apart from it, drawn or not."""
    table = comparison.pair_table
    pairs = zip(table.first[table.shown_direction == 0], table.second[table.shown_direction == 0], strict=True)
    return [int(second if first == model else first) for first, second in pairs if model in (first, second)]


def _groups(comparison: Comparison, names: list[str], letters: list[str]) -> list[tuple[str, ...]]:
    """Models of each bar, in the order of their ranks: those with a letter in common, or not told apart from the baseline."""
    baseline = comparison.settings.baseline
    if baseline is not None or not any(letters):
        centre = comparison.models.index(baseline or names[0])
        both = {comparison.models[i] for i in (centre, *_alike(comparison, centre))}
        found = [tuple(name for name in names if name in both)]
    else:
        every = dict.fromkeys("".join(letters))
        found = [tuple(name for name, its in zip(names, letters, strict=True) if letter in its) for letter in every]
    kept = [group for group in dict.fromkeys(found) if len(group) > 1]
    return [group for group in kept if not any(set(group) < set(other) for other in kept)]


PLOTS = {
    "ranking": Plot(ranking),
    "differences": Plot(differences, lambda answer: answer.method.is_paired and _has_dots(answer)),
    "scores": Plot(scores, lambda answer: answer.method.question != "test-sets" and _has_dots(answer)),
    "verdicts": Plot(verdicts, lambda answer: answer.pair_table.is_family),
    "diagram": Plot(diagram, has_ranks),
    "paired": Plot(paired, lambda answer: answer.method.unit == "dataset" and not answer.scores.is_mixed),
    "posterior": Plot(posterior, lambda answer: has_curve(answer.pair(*default_pair(answer, None, None)))),
}
PAIR = {"posterior": Plot(posterior_of, has_curve)}


# --- slices -----------------------------------------------------------------------------------------------------------------

MOST_SLICES = 50


def of_slices(slices: Slices, a: str | None = None, b: str | None = None) -> Drawing:
    """Difference of two models on each slice, with its interval, all items on top; of the first two if none are named."""
    comparison = slices.comparison
    first, second = default_pair(comparison, a, b)
    whole = comparison.pair(first, second)
    place = slices.tables[0].row_of(comparison.models.index(first), comparison.models.index(second))
    if place is None:
        raise DataError(f"the slices judge every model against the baseline only, not {first!r} against {second!r}.")
    columns = ["difference", "interval_low", "interval_high", "verdict", "reason"]
    n_all, unit = len(cast("Items", comparison.items).items), comparison.method.unit
    found = [(f"all {unit}s", n_all, *(getattr(whole, name) for name in columns))]
    for name, n, table in list(zip(slices.names, slices.n_items, slices.tables, strict=True))[:MOST_SLICES]:
        values = table.row_values(*place)
        found.append((name, n, *(values[each] for each in columns)))
    data = as_frame(dict(zip(("slice", "n_items", *columns), zip(*found, strict=True), strict=True)))
    one, other = _labels_of(comparison, first, second)
    said = decided(Counter(data["verdict"].iloc[1:]), len(slices.names), "slice")
    return rows(
        data,
        title=f"{pair_title(one, other, whole.verdict)}; by {short(slices.by)}, {said}",
        note=f"Lines: {level_words(slices.interval_alpha)} intervals on each slice ({slices.correction} over all slices and "
        f"pairs); of all {unit}s at their own level. Right: {unit}s and verdict. A small slice is mostly undecided, not shown to "
        f"be the same. {rope_note(comparison.rope)}{of_all(len(data) - 1, len(slices.names), 'slices')}",
        x_label=f"difference in {short(comparison.metric.name)}: positive favours {one}",
        names=list(data["slice"]),
        middle=data["difference"],
        low=data["interval_low"],
        high=data["interval_high"],
        verdicts=[verdict or "undecided" for verdict in data["verdict"]],
        notes=[f"{n:,}  {marked(verdict)}" for n, verdict in zip(data["n_items"], data["verdict"], strict=True)],
        band=comparison.rope,
    )


SLICES = {"differences": Plot(of_slices)}
