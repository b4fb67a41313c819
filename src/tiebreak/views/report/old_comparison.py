"""A comparison in words, tables, frames and JSON: who is better, who ties, and what is undecided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.family import REASONS
from tiebreak.comparison.letters import MOST_LETTERED
from tiebreak.comparison.ranking import BEST, MAY_BE_BEST, NEAR_BEST, NOT_BEST, STANDINGS
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray, Interval
from tiebreak.numerics.law import VERDICTS
from tiebreak.views import looks, slices
from tiebreak.views.answer import (
    CHANGES_READING,
    adjusted_note,
    interval_name,
    limits,
    next_step,
    pair_sentence,
    table_decimals,
)
from tiebreak.views.comparison import folded_copies, ranking_rows
from tiebreak.views.design import design_line
from tiebreak.views.names import entry_labels, left_out, model_names, quoted_names
from tiebreak.views.page import NAME_WIDTH, ROWS, Table
from tiebreak.views.report.old_pair import favours, measure_note, minus_word, rope_number, rope_words
from tiebreak.views.words import (
    count,
    format_bound,
    format_interval,
    format_percent,
    format_pvalue,
    format_score,
    level_words,
    listed,
    printable,
)

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.family import Family


MOST_NAMES = 5
"""Models that one sentence names."""


ALL_PAIRS_UP_TO = 10
"""Families up to this size are shown whole; larger ones by the reference's pairs, the rest counted."""


# --- sentences --------------------------------------------------------------------------------------------------------------


def sentence(comparison: Comparison) -> str:
    """The answer: of two models their pair, against a baseline the verdicts, else who may be the best."""
    if comparison.settings.baseline is not None and comparison.pair_table.n_pairs > 1:
        return _against_baseline(comparison)
    if comparison.pair_table.n_pairs == 1 and comparison.pair_table.is_family:
        first, second = comparison.pair_table.first[0], comparison.pair_table.second[0]
        return pair_sentence(comparison.pair(comparison.models[first], comparison.models[second]))
    return " ".join(standing_sentences(comparison))


def extra_sentences(comparison: Comparison) -> list[str]:
    """The next step, what changes how the answer is read, what the table could not see, what it is about."""
    by = "" if comparison.by is None else slices.sentence(comparison.slices())
    minded = [f"Mind: {notice.text}." for notice in comparison.notices if notice.code in CHANGES_READING]
    lines = [
        looks.sentence(comparison),
        by,
        next_step(comparison),
        looks.unplanned(comparison),
        *minded,
        _about(comparison),
    ]
    return [line for line in lines if line]


def _about(comparison: Comparison) -> str:
    """To what the answer generalises, and to what it does not, where the procedure names the latter."""
    method = comparison.method
    if not method.not_covered:
        return ""
    return f"This holds for {method.generalises_to}. It does not cover {method.not_covered}."


WORDS = {
    "highest": "{name} has the highest {value} ({mean})",
    "lowest": "{name} has the lowest {value} ({mean})",
    "share the highest": "{name} share the highest {value} ({mean})",
    "share the lowest": "{name} share the lowest {value} ({mean})",
    "adjusted": "{mean}, gaps adjusted",
    "not linked": "{mean}, on {unit}s that others lack",
    "all copies": "All {n} models have identical scores: nothing tells them apart here.",
    "best": "{opening} and is the best of the {n} ({level} confidence).",
    "copies are best": "{opening}; their scores are identical, and no other of the {n} may be the best ({level} confidence).",
    "another is best": "{opening}, but {best} is shown to be the best of the {n} ({level} confidence).",
    "any": "{opening}, but any of the {n} may be the best ({level} confidence).",
    "either": "{opening}, but either of the {n} may be the best ({level} confidence).",
    "some": "{opening}, but {k} of the {n} may be the best ({level} confidence): {best}.",
    "all near": "All are near best: short by at most {bound}, within the rope of {rope}.",
    "one near": "{near} is near best: short by at most {bound}, within the rope of {rope}.",
    "some near": "{near} are near best: short by at most {bound}, within the rope of {rope}.",
    "none near": "No model is shown to be within {rope} of the best.",
    "first may fall short": "{name} may fall short by up to {bound}.",
    "one falls short": "{name} falls short by at most {bound}.",
    "others fall short": "The others fall short by at most {bound}.",
    "not known": "How far {names} may fall short is not known, as some pairs lack an interval.",
    "against": "Against the baseline {baseline} ({metric} {mean}): {verdicts}.",
    "is": "{names} is {verdict}",
    "are": "{names} are {verdict}",
    "no rope": "no smallest difference that matters was given (rope 0)",
    "rope": "smallest difference that matters: {rope} {metric} (rope)",
    "lies": "{rope}; the verdict is where the interval lies",
    "together": "{lies}; all {n} intervals hold at once with {percent} confidence ({correction}: each is at {level})",
    "each for itself": "{lies}; each interval is for itself, and with many pairs some will be wrong",
    "at a level": "{lies}; intervals at the level of {correction}, {level} each, not simultaneous",
    "from the pairs": "places, standings and shortfalls are read off the intervals of the pairs below: all hold at once with "
    "{level} confidence",
    "from pairs each for itself": "places, standings and shortfalls are read off the intervals of the pairs below, which do not "
    "hold at once: with many models some will be wrong",
    "with the best": "with {level} confidence the best is among those that may be, and each falls short of it by no more than is "
    "said: all models were compared with the best (Hsu), whichever it is, and no two of them with each other",
    "with the best, credible": "standings and shortfalls: all models were compared with the best (Hsu), whichever it is, by "
    "posterior probabilities, which do not hold at once: with many models some will be wrong",
    "outside": "{rope}; each interval is its pair's own, at {level}: models were compared with the best, so no pair was judged",
}
"""Sentences and notes that depend on rope and level; the script of a report fills in the same ones."""


def standing_sentences(comparison: Comparison) -> Iterator[str]:
    """The highest mean, the models that may be the best, those near it, and by how much at most others fall short."""
    table, names, n_models = comparison.ranking_table, quoted_names(comparison.models), len(comparison.models)
    if table.are_all_copies:
        yield WORDS["all copies"].format(n=n_models)
        return
    rows = table.contenders
    best = [names[comparison.models[row]] for row in rows]
    top = top_rows(comparison)
    if len(best) == n_models:
        words = WORDS["any" if n_models > 2 else "either"]
    elif table.standing is None or not np.all(table.standing[rows] == BEST):
        words = WORDS["some"]
    elif not np.isin(top, rows).all():
        words = WORDS["another is best"]
    else:
        words = WORDS["best" if len(best) == 1 else "copies are best"]
    level = format_percent(1 - comparison.settings.alpha)
    yield words.format(opening=opening(comparison), best=listed(best, MOST_NAMES - 2), k=len(best), n=n_models, level=level)
    yield from _shortfall_sentences(comparison, names)


def top_rows(comparison: Comparison) -> IntArray:
    """Rows of the models with the best value, which need not be first: a model may be shown above one of a higher value."""
    value = comparison.metric.sign * comparison.ranking_table.ordering_value
    best = np.fmax.reduce(value)
    return np.flatnonzero(value >= best - RELATIVE_TOLERANCE * np.abs(best))


def opening(comparison: Comparison, mean: str = "") -> str:
    """The models of the highest value, which no rope and no level changes; the value in so many words where these are given."""
    table, names = comparison.ranking_table, quoted_names(comparison.models)
    rows = top_rows(comparison)
    top = [names[comparison.models[row]] for row in rows]
    extreme = "highest" if comparison.metric.higher_is_better else "lowest"
    shown = mean or format_score(float(table.ordering_value[rows[0]]), table_decimals(comparison))
    return WORDS[extreme if len(top) == 1 else f"share the {extreme}"].format(
        name=listed(top) if len(top) <= 2 else f"{top[0]} and {len(top) - 1} others",
        value=printable(table.value_label),
        mean=shown
        if table.adjusted is None
        else WORDS["adjusted" if table.is_linked else "not linked"].format(mean=shown, unit=comparison.method.unit),
    )


def _shortfall_sentences(comparison: Comparison, names: dict[str, str]) -> Iterator[str]:
    """Which models are near the best; where none is, by how much at most the first falls short, or all others than the best."""
    table, models = comparison.ranking_table, comparison.models
    near = np.flatnonzero(table.standing == NEAR_BEST)
    rope = rope_words(comparison)
    if near.size:
        words = WORDS["all near" if near.size == len(models) else "one near" if near.size == 1 else "some near"]
        named = listed([names[models[row]] for row in near], MOST_NAMES - 2)
        yield words.format(near=named, bound=_bound(comparison, near), rope=rope)
        return
    is_open = table.standing is not None and np.any(table.standing == MAY_BE_BEST)
    others = np.flatnonzero((table.standing == MAY_BE_BEST) | (table.standing == NOT_BEST))
    shown = others[:1] if is_open else others
    without = shown[~np.isfinite(_shortfall(comparison)[shown])]
    if without.size:
        yield WORDS["not known"].format(names=listed([names[models[row]] for row in without], MOST_NAMES - 2))
    elif shown.size:
        if comparison.rope and is_open:
            yield WORDS["none near"].format(rope=rope)
        words = WORDS["first may fall short" if is_open else "one falls short" if shown.size == 1 else "others fall short"]
        yield words.format(name=names[models[shown[0]]], bound=_bound(comparison, shown))


def _bound(comparison: Comparison, rows: IntArray) -> str:
    """The largest bound of some models on how far they fall short."""
    largest = float(_shortfall(comparison)[rows].max())
    return format_bound(largest, table_decimals(comparison), (float(rope_number(comparison)),))


def _shortfall(comparison: Comparison) -> FloatArray:
    """Bounds on how far each model falls short of the best; nan where the family has none."""
    bounds = comparison.ranking_table.shortfall_high
    return np.full(len(comparison.models), np.nan) if bounds is None else bounds


AGAINST = {
    "better": "better",
    "ahead": "ahead, perhaps by too little to matter",
    "equivalent": "practically equivalent",
    "behind": "behind, perhaps by too little to matter",
    "worse": "worse",
    "undecided": "undecided",
}


def _against_baseline(comparison: Comparison) -> str:
    """Verdicts on all models against the baseline."""
    table, against, names = comparison.ranking_table, comparison.against_reference, quoted_names(comparison.models)
    groups: dict[str, list[str]] = {verdict: [] for verdict in VERDICTS}
    for model, code in zip(comparison.models, against.verdict.tolist(), strict=True):
        groups[VERDICTS[code]].append(names[model])
    shown = _within_budget(groups)
    parts = [
        WORDS["is" if len(groups[verdict]) == 1 else "are"].format(names=shown[verdict], verdict=words)
        for verdict, words in AGAINST.items()
        if groups[verdict]
    ]
    reference = comparison.reference
    mean = format_score(float(table.mean[comparison.models.index(reference)]), table_decimals(comparison))
    metric = value_of_baseline(comparison)
    return WORDS["against"].format(baseline=names[reference], metric=metric, mean=mean, verdicts="; ".join(parts))


def value_of_baseline(comparison: Comparison) -> str:
    """Name of the value of the baseline that its sentence gives."""
    table = comparison.ranking_table
    return printable(comparison.metric.name if table.value_name == "mean" else table.value_label)


def _within_budget(groups: dict[str, list[str]]) -> dict[str, str]:
    """Each group in words, no more than four names in all (the baseline is the fifth); decided ones come before others."""
    left, shown = MOST_NAMES - 1, {}
    for verdict in ("better", "ahead", "equivalent", "undecided", "behind", "worse"):
        names = groups[verdict]
        if left == 0 or not names:
            shown[verdict] = count(len(names), "other model")
            continue
        shown[verdict] = listed(names, left if len(names) <= left else left + 1)
        left -= min(len(names), left)
    return shown


# --- tables -----------------------------------------------------------------------------------------------------------------


def entry_names(comparison: Comparison, rows: Sequence[int], width: int) -> list[str]:
    """Names of the lines of the ranking, with copies."""
    names = model_names(comparison.models, width)
    copies = [[names[copy] for copy in folded_copies(comparison, row)] for row in rows]
    return entry_labels([names[row] for row in rows], copies, width)


def _has_standings(comparison: Comparison) -> bool:
    """True where models have a standing that says more than the one pair of two models."""
    has_more = len(comparison.models) > 2 or not comparison.pair_table.is_family
    return comparison.ranking_table.standing is not None and has_more


def _ranking_title(comparison: Comparison) -> str:
    direction = "higher" if comparison.metric.higher_is_better else "lower"
    return f"Ranking by {printable(comparison.ranking_table.value_label)}, {direction} is better"


def _shortfall_column(comparison: Comparison, rows: Sequence[int]) -> dict[str, list[str]]:
    """Bounds on how far some models fall short of the best."""
    decimals, limit = table_decimals(comparison), (float(rope_number(comparison)),)
    return {"short by at most": [format_bound(float(bound), decimals, limit) for bound in _shortfall(comparison)[rows]]}


def _difference_note(comparison: Comparison) -> str:
    """Words on how scores were taken and what differences are."""
    reference = quoted_names(comparison.models)[comparison.reference]
    side = favours(comparison, "the model")
    return f"{design_line(comparison)}; difference = model {minus_word(comparison)} {reference}, {side}"


def _best_note(comparison: Comparison) -> str:
    """Words on what comparisons with the best hold together."""
    kind = "with the best" if not comparison.pair_table.judged.credible else "with the best, credible"
    return WORDS[kind].format(level=format_percent(1 - comparison.settings.alpha))


def ranking_table(comparison: Comparison, name_width: int = NAME_WIDTH, most: int = ROWS) -> Table:
    """Models from best to worst, no more than `most` lines; their standing, or the verdict against the baseline."""
    t, lines = comparison.ranking_table, ranking_rows(comparison)
    rows, decimals = lines[:most], table_decimals(comparison)
    columns = {
        "place": _ranks(comparison, rows),
        "model": entry_names(comparison, rows, name_width),
        t.value_name: [format_score(float(value), decimals) for value in t.mean[rows]],
    }
    if t.adjusted is not None:
        columns["adjusted"] = [format_score(float(value), decimals) for value in t.adjusted[rows]]
    if t.standard_error is not None:
        columns["std. error"] = [format_score(float(value), decimals) for value in t.standard_error[rows]]
    if t.average_rank is not None and t.value_name != "average rank":
        columns["average rank"] = ["" if np.isnan(value) else f"{value:.3f}" for value in t.average_rank[rows].tolist()]
    if t.standing is None:
        columns |= against_columns(comparison, rows, decimals)
    elif _has_standings(comparison):
        columns |= _shortfall_column(comparison, rows)
        columns["standing"] = [STANDINGS[code] for code in t.standing[rows]]
        if t.letters is not None:
            columns["letters"] = [t.letters[row] for row in rows]
    left_out = len(comparison.models) - sum(t.copies(row).size if len(lines) < len(comparison.models) else 1 for row in rows)
    more = f"; {left_out} more below these" if left_out else ""
    left_aligned = ("model", "verdict", "standing", "letters")
    return Table(
        f"{_ranking_title(comparison)}{more}",
        tuple(columns),
        tuple(zip(*columns.values(), strict=True)),
        tuple(header not in left_aligned for header in columns),
        notes=tuple(ranking_notes(comparison)),
    )


def _ranks(comparison: Comparison, rows: Sequence[int]) -> list[str]:
    """Rank, and the ranks that the intervals leave open: "2 (1-3)"."""
    table = comparison.ranking_table
    ranks = [str(rank) for rank in table.rank[rows].tolist()]
    if table.rank_low is None or table.rank_high is None or len(comparison.models) < 3:
        return ranks
    ranges = zip(ranks, table.rank_low[rows].tolist(), table.rank_high[rows].tolist(), strict=True)
    return [f"{rank} ({low}-{high})" if low != high else f"{rank} ({low})" for rank, low, high in ranges]


def against_columns(comparison: Comparison, rows: Sequence[int], decimals: int) -> dict[str, list[str]]:
    """Difference to the baseline or the first model, interval and verdict of some models."""
    against = comparison.against_reference
    reference = comparison.models.index(comparison.reference)
    return {
        "difference": [
            ("first" if comparison.settings.baseline is None else "baseline")
            if row == reference
            else format_score(float(against.difference[row]), decimals, signed=True)
            for row in rows
        ],
        interval_name(comparison, is_header=True): [
            "" if row == reference else _interval(comparison, against.interval, row) for row in rows
        ],
        "verdict": [_verdict(against.verdict[row], against.reason[row]) for row in rows],
    }


def _interval(comparison: Comparison, interval: Interval, row: int | np.integer[Any]) -> str:
    low, high = (float(end[row]) for end in interval)
    return format_interval(low, high, table_decimals(comparison), limits(comparison))


def _verdict(verdict: int, reason: int) -> str:
    """The verdict, with its reason where that is more than an interval that leaves it open."""
    why = REASONS[reason]
    return VERDICTS[verdict] + (f" ({why})" if why and why != "unsettled" else "")


def pair_table(comparison: Comparison, name_width: int = NAME_WIDTH) -> Table:
    """The family's pairs, or for a large family those of the reference; a model that stands in all rows moves to the title."""
    t, models = comparison.pair_table, comparison.models
    everything = t.n_pairs <= ALL_PAIRS_UP_TO
    chosen = np.arange(t.n_pairs) if everything else t.rows_with(models.index(comparison.reference))[:ROWS]
    decimals = table_decimals(comparison)
    part = t.part(chosen)
    interval = part.interval
    shown = _shown_names(models, part.first, part.second, name_width)
    columns = {
        "first": [shown[code] for code in part.first],
        "second": [shown[code] for code in part.second],
        **_unit_counts(comparison, chosen),
        "difference": [format_score(float(value), decimals, signed=True) for value in part.difference],
        interval_name(comparison, is_header=True): [_interval(comparison, interval, row) for row in range(len(chosen))],
    }
    if t.is_family:
        columns["adj. p"] = [format_pvalue(float(p)) for p in part.adjusted_pvalue]
        columns["verdict"] = [_verdict(*codes) for codes in zip(part.verdict, part.reason, strict=True)]
    elif part.reason.any():
        columns["remark"] = [REASONS[code] for code in part.reason]
    word = minus_word(comparison)
    title = f"Pairs, first {word} second; {favours(comparison, 'the first')}"
    if len(chosen) > 1:
        for side, text, whom in (
            ("first", "{name} {word} each of these", "{name}"),
            ("second", "each of these {word} {name}", "these"),
        ):
            if len(set(getattr(t, side)[chosen])) == 1:
                name = quoted_names(comparison.models)[models[getattr(t, side)[chosen[0]]]]
                title = f"Pairs: {text.format(name=name, word=word)}; {favours(comparison, whom.format(name=name))}"
                del columns[side]
                break
    rest = "" if len(chosen) == t.n_pairs else f"; {_counted(comparison, part)}"
    left_aligned = ("first", "second", "verdict", "remark")
    return Table(
        title + rest,
        tuple(columns),
        tuple(zip(*columns.values(), strict=True)),
        tuple(header not in left_aligned for header in columns),
        notes=tuple(footnotes(comparison)),
    )


def _unit_counts(comparison: Comparison, chosen: IntArray) -> dict[str, list[str]]:
    """Column of the numbers of units that pairs share, where they differ."""
    n_units = np.broadcast_to(comparison.pair_table.law.n_units, comparison.pair_table.first.shape)
    look = comparison.pair_table.judged.beside.get("look")
    looked = {} if look is None else {"look": [str(k) for k in look[chosen].tolist()]}
    if np.all(n_units == comparison.matrix.n_splits):
        return looked
    return {**looked, "n": [str(n) for n in n_units[chosen].tolist()]}


def ranking_notes(comparison: Comparison) -> Iterator[str]:
    """Notes on reading the ranking."""
    table = comparison.ranking_table
    if comparison.settings.baseline is not None:
        yield _difference_note(comparison)
        yield from filter(None, (left_out(comparison.models),))
        return
    yield design_line(comparison)
    yield from filter(None, (left_out(comparison.models),))
    if len(comparison.models) < 3:
        return
    if table.standard_error is not None:
        yield (
            f"std. error: of that {'mean' if comparison.method.is_mean else 'value'} by itself; two models met the same "
            f"{comparison.method.unit}s, so theirs say little about the difference of the two: the pairs do"
        )
    pairs = comparison.pair_table
    if pairs.is_family:
        read_off = "from the pairs" if pairs.is_simultaneous else "from pairs each for itself"
        yield WORDS[read_off].format(level=format_percent(1 - comparison.settings.alpha))
    else:
        yield _best_note(comparison)
    yield from filter(None, (adjusted_note(comparison),))
    if table.average_rank is not None and table.value_name != "average rank":
        filled = "; a missing score ranks where the others let it be expected" if table.adjusted is not None else ""
        yield (
            "average ranks are for reading only: they depend on which other models are in the table, the verdicts do not" + filled
        )
    if not pairs.is_family:
        return
    if table.letters is not None:
        yield "in brackets the ranks that the pairs leave open; models that share a letter are not told apart by their pair"
    else:
        yield f"in brackets the ranks that the pairs leave open; letters are given up to {MOST_LETTERED} models"
    if len(comparison.models) > ROWS:
        yield _neighbours_line(comparison)


def _neighbours_line(comparison: Comparison) -> str:
    """Neighbours in the ranking that are told apart, beside what tests of each pair by itself would say."""
    table = comparison.pair_table
    neighbours = table.part(np.flatnonzero(np.abs(table.first - table.second) == 1))
    told, alpha = int(np.count_nonzero(neighbours.shown_direction)), comparison.settings.alpha
    single = int(np.count_nonzero(neighbours.pvalue <= alpha))
    return (
        f"of the {neighbours.n_pairs} pairs of neighbours {told} are told apart; tests of each by itself at "
        f"{format_percent(alpha)}, uncorrected, would say {single}"
    )


def footnotes(comparison: Comparison) -> list[str]:
    """Notes on reading the table of pairs."""
    table = comparison.pair_table
    lines = [] if comparison.metric == comparison.scores.metric else [measure_note(comparison)]
    lines.append(family_note(comparison))
    if not table.is_family:
        return lines
    if comparison.looks is not None:
        lines.append(looks.NOTE)
    if comparison.correction == "none" or table.n_pairs == 1:
        lines.append("adj. p tests no difference at all, not adjusted")
    else:
        lines.append(f"adj. p tests no difference at all, adjusted over the {table.n_pairs} pairs ({comparison.correction})")
    return lines


def family_note(comparison: Comparison) -> str:
    """Note on the rope, and on what the intervals of the family hold together."""
    table, rope = comparison.pair_table, _rope_note(comparison)
    if not table.is_family:
        return WORDS["outside"].format(rope=rope, level=format_percent(1 - comparison.settings.alpha))
    lies = WORDS["lies"].format(rope=rope)
    if table.n_pairs == 1:
        return lies
    each_by_itself = "each for itself" if comparison.correction == "none" else "at a level"
    return WORDS["together" if table.is_simultaneous else each_by_itself].format(
        lies=lies,
        n=table.n_pairs,
        percent=format_percent(1 - comparison.settings.alpha),
        correction=comparison.correction,
        level=level_words(table.interval_alpha),
    )


def _rope_note(comparison: Comparison) -> str:
    """Words on the rope, or that there is none."""
    words = WORDS["rope" if comparison.rope else "no rope"]
    return words.format(rope=rope_words(comparison), metric=printable(comparison.metric.name))


def _shown_names(models: Sequence[str], first: IntArray, second: IntArray, width: int) -> dict[int, str]:
    """Short names of the models that stand in these pairs, by their code."""
    codes = sorted({*first.tolist(), *second.tolist()})
    names = model_names(models, width)
    return {code: names[code] for code in codes}


def _counted(comparison: Comparison, shown: Family) -> str:
    """Number of pairs that are shown, and the verdicts of the others: 9 of 780 shown (the others: ...)."""
    if not comparison.pair_table.is_family:
        return f"{shown.n_pairs} of {comparison.pair_table.n_pairs} shown"
    counts = comparison.pair_table.count_verdicts() - shown.count_verdicts()
    n = dict(zip(VERDICTS, counts.tolist(), strict=True))
    parts = [(n["better"] + n["worse"], "better or worse"), (n["ahead"] + n["behind"], "ahead or behind")]
    parts += [(n["equivalent"], "equivalent"), (n["undecided"], "undecided")]
    words = ", ".join(f"{number} {what}" for number, what in parts if number)
    return f"{shown.n_pairs} of {comparison.pair_table.n_pairs} shown (the others: {words})"
