"""A comparison in words, tables, frames and JSON: who is better, who ties, and what is undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tiebreak.comparison.family import REASONS
from tiebreak.comparison.letters import MOST_LETTERED
from tiebreak.comparison.measured import nearest_words
from tiebreak.comparison.next_step import detectable
from tiebreak.comparison.ranking import BEST, MAY_BE_BEST, NEAR_BEST, NOT_BEST, STANDINGS
from tiebreak.errors import InvalidParameterError
from tiebreak.numerics import RELATIVE_TOLERANCE, FloatArray, IntArray, Interval
from tiebreak.numerics.law import BEHIND, VERDICTS, WORSE
from tiebreak.views import looks, slices
from tiebreak.views.comparison_columns import (
    correlation_frame,
    items_of,
    metric_record,
    pair_columns,
    pair_frame,
    ranking_columns,
    ranking_frame,
    records_of,
    scores_of,
    shrinkage_frame,
    written_pairs,
)
from tiebreak.views.design import design_line
from tiebreak.views.headline import headline
from tiebreak.views.json import document, plain
from tiebreak.views.names import classes_of, entry_labels, left_out, model_names, quoted_names
from tiebreak.views.next_step import could_not_see, next_step
from tiebreak.views.page import NAME_WIDTH, ROWS, Page, Paragraph, Section, Table
from tiebreak.views.pair import (
    favours,
    interval_name,
    level_words,
    limits,
    measure_note,
    minus_word,
    pair_sentence,
    rope_number,
    rope_words,
)
from tiebreak.views.requirements import records, section
from tiebreak.views.view import View
from tiebreak.views.words import (
    count,
    decimals_for,
    format_bound,
    format_interval,
    format_percent,
    format_pvalue,
    format_score,
    listed,
    printable,
)

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.family import Family
    from tiebreak.comparison.requirements import Requirements
    from tiebreak.scores.vocabulary import Notice

SCHEMA = 2

MOST_NAMES = 5
"""Models that one sentence names."""

CHANGES_READING = (
    "failed-models",
    "failed-splits",
    "survivors-only",
    "undefined-metric",
    "few-positives",
    "few-periods",
    "rare-events",
    "lasting-autocorrelation",
)
"""Codes of notices that stand in the answer itself, as they change how it is read: who is missing, and where 5 % are not kept."""

ALL_PAIRS_UP_TO = 10
"""Families up to this size are shown whole; larger ones by the reference's pairs, the rest counted."""

MOST_WHOLE = 12
"""Lines up to which the table of models is shown whole; of more the foremost, and the rest is counted."""

FEWEST = 5
"""Lines of the table of models that are shown in any case."""

MOST_WITH_PAIRS = 4
"""Lines up to which the pairs without the first model are shown, too."""

ColumnChoice = Literal["default", "all"]


def page(
    comparison: Comparison,
    requirements: Requirements | None = None,
    *,
    columns: ColumnChoice = "default",
    with_method: bool = True,
    name_width: int = NAME_WIDTH,
) -> Page:
    """Headline, sentence, models, warnings, method and the judgement of requirements; with all columns ranking and pairs."""
    if columns not in ("default", "all"):
        raise InvalidParameterError(f"columns must be 'default' or 'all'; got {columns!r}.")
    if columns == "all":
        tables = [ranking_table(comparison, name_width), pair_table(comparison, name_width)]
    else:
        tables = [models_table(comparison, name_width), *other_pairs(comparison, name_width)]
    tables[1:1] = classes_table(comparison, name_width)
    return Page(
        (
            *((section(requirements, comparison),) if requirements is not None else ()),
            Paragraph((headline(comparison),), n_strong=1),
            Paragraph((sentence(comparison),)),
            Paragraph(tuple(extra_sentences(comparison))),
            *tables,
            *((slices.table(comparison.slices(), name_width),) if comparison.by is not None else ()),
            Section("Warnings", other_notices(comparison)),
            Section("Method", method_lines(comparison) if with_method else (), has_bullets=False),
        )
    )


def facts(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """Facts for JSON, the long lists as iterators; nothing depends on the clock."""
    settings, design, method, written = comparison.settings, comparison.design, comparison.method, written_pairs(comparison)
    return document(
        schema=SCHEMA,
        metric=metric_record(comparison.scores.metric),
        settings={
            "rope": settings.rope,
            "alpha": settings.alpha,
            "baseline": settings.baseline,
            "family": settings.family,
            "correction": settings.correction,
            "method": settings.method,
            "missing": settings.missing,
            "rng": settings.rng,
            "by": settings.by,
            "looks": None if settings.looks is None else settings.looks.as_dict(),
        },
        resolved={
            "rope": comparison.rope,
            "measure": metric_record(comparison.metric),
            "family": comparison.pair_table.family,
            "correction": comparison.correction,
            "method": method.name,
            "interval_alpha": comparison.pair_table.interval_alpha if comparison.pair_table.is_family else None,
            **({} if comparison.p_contenders_stay is None else {"p_contenders_stay": plain(comparison.p_contenders_stay)}),
        },
        method={
            "name": method.name,
            "reason": method.reason,
            "question": method.question,
            "unit": method.unit,
            "generalises_to": method.generalises_to,
            "not_covered": method.not_covered,
            "assumptions": list(method.assumptions),
            "references": list(method.references),
        },
        sentence=sentence(comparison),
        detectable=plain(detectable(comparison)),
        ranking=records_of(ranking_columns(comparison)),
        pairs=records_of(pair_columns(comparison, written)),
        **({} if written is None else {"n_pairs_omitted": comparison.pair_table.n_pairs - written.size}),
        slices=[] if comparison.by is None else slices.records(comparison.slices()),
        scores=[] if comparison.items is not None else [scores_of(matrix) for matrix in comparison.scores.matrices],
        items=None if comparison.items is None else items_of(comparison.items),
        warnings=[{"code": notice.code, "text": notice.text} for notice in comparison.notices],
        requirements=records(requirements),
        provenance={
            "splits": design.hash,
            "design": {"kind": design.kind, "ordered": design.ordered, "pairing": design.pairing, "sizes": design.sizes},
        },
    )


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
        could_not_see(comparison),
        _about(comparison),
    ]
    return [line for line in lines if line]


def other_notices(comparison: Comparison) -> list[Notice]:
    """Notices that stand below the answer."""
    return [notice for notice in comparison.notices if notice.code not in CHANGES_READING]


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


def ranking_rows(comparison: Comparison) -> list[int]:
    """Rows of the models that have a line of their own: copies share one, but where each is judged against a baseline."""
    table = comparison.ranking_table
    if comparison.settings.baseline is not None:
        return list(range(len(comparison.models)))
    return [int(row) for row in np.unique(table.entry)]


def entry_names(comparison: Comparison, rows: Sequence[int], width: int) -> list[str]:
    """Names of the lines of the ranking, with copies."""
    names = model_names(comparison.models, width)
    copies = [[names[copy] for copy in folded_copies(comparison, row)] for row in rows]
    return entry_labels([names[row] for row in rows], copies, width)


def folded_copies(comparison: Comparison, row: int) -> list[int]:
    """Rows of the other models that share the line of a model; none where each is judged against a baseline."""
    if comparison.settings.baseline is not None:
        return []
    return [copy for copy in comparison.ranking_table.copies(row).tolist() if copy != row]


def models_table(comparison: Comparison, name_width: int = NAME_WIDTH, most: int = ROWS, *, with_notes: bool = True) -> Table:
    """Models from best to worst: value, difference to the first or the baseline with its interval and verdict, standing.

    Compared with the best, no pair is judged: then it is the bound on how far each falls short of it. Of many models those that
    may be the best, or are not worse than the baseline, have a line, at most `most`, and the others are counted below.
    """
    t, lines = comparison.ranking_table, ranking_rows(comparison)
    rows = lines if len(lines) <= min(most, MOST_WHOLE) else _foremost(comparison, lines, most)
    decimals = table_decimals(comparison)
    value, values = (t.value_name, t.mean) if t.adjusted is None else ("adjusted", t.adjusted)
    columns = {
        "place": [str(rank) for rank in t.rank[rows].tolist()],
        "model": entry_names(comparison, rows, name_width),
        value: [format_score(float(each), decimals) for each in values[rows]],
    }
    if comparison.pair_table.is_family:
        columns |= {**_unit_counts_against(comparison, rows), **against_columns(comparison, rows, decimals)}
    else:
        columns |= _shortfall_column(comparison, rows)
    if _has_standings(comparison) and t.standing is not None:
        columns["standing"] = [STANDINGS[code] for code in t.standing[rows]]
    left_aligned = ("model", "verdict", "standing")
    rest = _rest(comparison, lines, rows)
    return Table(
        _ranking_title(comparison),
        tuple(columns),
        tuple(zip(*columns.values(), strict=True)),
        tuple(header not in left_aligned for header in columns),
        notes=tuple(filter(None, (rest, *(models_notes(comparison) if with_notes else ())))),
        spare=(("difference",), ("place",), ("standing",), (value,)),
    )


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


def _foremost(comparison: Comparison, lines: Sequence[int], most: int) -> list[int]:
    """Lines that are shown of many, in order: the baseline, those that may win, and the next ones if these are few."""
    table, reference = comparison.ranking_table, comparison.models.index(comparison.reference)
    if table.standing is None:
        is_behind = np.isin(comparison.against_reference.verdict, (WORSE, BEHIND))
    else:
        is_behind = table.standing == NOT_BEST
    first = sorted(lines, key=lambda row: (row != reference, bool(is_behind[row]), row))
    return sorted(first[: max(min(int(np.sum(~is_behind[list(lines)])), most), FEWEST)])


def _rest(comparison: Comparison, lines: Sequence[int], rows: Sequence[int]) -> str:
    """Number of models without a line, by what they are: "and 28 that are worse"; "" where each has one."""
    table, verdict = comparison.ranking_table, comparison.against_reference.verdict
    own, names = (verdict, VERDICTS) if table.standing is None else (table.standing, STANDINGS)
    counts, n_worse = Counter[str](), 0
    for row in sorted({*lines} - {*rows}):
        n = 1 if comparison.settings.baseline is not None else table.copies(row).size
        counts[names[own[row]]] += n
        n_worse += n if table.standing is not None and own[row] == NOT_BEST and verdict[row] == WORSE else 0
    words = {name: f"that {'may be best' if name == 'may be best' else f'are {name}'}" for name in counts}
    if n_worse:
        are_all = n_worse == counts["not best"]
        words["not best"] = "that are worse" if are_all else f"that are not best ({n_worse} of them worse than the first)"
    return f"and {', '.join(f'{counts[name]} {words[name]}' for name in counts)}" if counts else ""


def _unit_counts_against(comparison: Comparison, rows: Sequence[int]) -> dict[str, list[str]]:
    """Column of the numbers of units that models share with the first or the baseline, where pairs differ in them."""
    t, reference = comparison.pair_table, comparison.models.index(comparison.reference)
    pairs = t.rows_with(reference)
    model = np.where(t.first[pairs] == reference, t.second[pairs], t.first[pairs])
    counts = dict(zip(model.tolist(), _unit_counts(comparison, pairs).get("n", ()), strict=False))
    return {"n": [counts.get(row, "") for row in rows]} if counts else {}


def models_notes(comparison: Comparison) -> Iterator[str]:
    """Notes on reading the table of models."""
    pairs = comparison.pair_table
    yield _difference_note(comparison) if pairs.is_family else design_line(comparison)
    yield left_out(comparison.models)
    yield "" if comparison.metric == comparison.scores.metric else measure_note(comparison)
    if pairs.is_family and comparison.method.is_centre:
        yield f"differences are those of a typical {comparison.method.unit}, and need not be the differences of the values"
    if pairs.is_family:
        yield family_note(comparison)
        if _has_standings(comparison):
            yield f"standing: by the intervals of all {pairs.n_pairs} pairs"
    else:
        yield _rope_note(comparison)
        yield _best_note(comparison)
    yield _adjusted_note(comparison)
    yield "columns='all' (on the command line --columns all) shows what else is known of models and pairs"


def _difference_note(comparison: Comparison) -> str:
    """Words on how scores were taken and what differences are."""
    reference = quoted_names(comparison.models)[comparison.reference]
    side = favours(comparison, "the model")
    return f"{design_line(comparison)}; difference = model {minus_word(comparison)} {reference}, {side}"


def _best_note(comparison: Comparison) -> str:
    """Words on what comparisons with the best hold together."""
    kind = "with the best" if not comparison.pair_table.judged.credible else "with the best, credible"
    return WORDS[kind].format(level=format_percent(1 - comparison.settings.alpha))


def _adjusted_note(comparison: Comparison) -> str:
    """Meaning of adjusted values; "" where there are none."""
    table, unit = comparison.ranking_table, comparison.method.unit
    if table.adjusted is None:
        return ""
    groups = "" if table.is_linked else f" that shared {unit}s link it with; values of two groups cannot be compared"
    return f"adjusted: as if every model had been measured on all {unit}s{groups}; models are ordered by it"


FEWEST_BY_CLASS, MOST_CLASSES = 6, 12
"""Models from which, and classes up to which, candidates are counted by class."""


def classes_table(comparison: Comparison, name_width: int = NAME_WIDTH) -> list[Table]:
    """Candidates by class, where several classes have several: how many of each may be best, and the first of each."""
    t, classes = comparison.ranking_table, classes_of(comparison.models)
    members = {name: [row for row, own in enumerate(classes) if own == name] for name in dict.fromkeys(classes)}
    n_several = sum(len(rows) > 1 for rows in members.values())
    if len(classes) < FEWEST_BY_CLASS or "" in members or n_several < 2 or len(members) > MOST_CLASSES or t.standing is None:
        return []
    names, contenders = model_names(comparison.models, name_width), set(t.contenders.tolist())
    value, values = (t.value_name, t.mean) if t.adjusted is None else ("adjusted", t.adjusted)
    decimals = table_decimals(comparison)
    shown = [names[rows[0]].partition("(")[0] for rows in members.values()]  # as the names have it, without a shared ending
    labels = shown if len({*shown}) == len(shown) else [*members]
    lines = tuple(
        (
            name,
            str(len(rows)),
            str(len(contenders & {*rows})),
            names[rows[0]],
            format_score(float(values[rows[0]]), decimals),
            str(int(t.rank[rows[0]])),
        )
        for name, rows in zip(labels, members.values(), strict=True)
    )
    headers = ("class", "candidates", "may be best", "first of them", value, "place")
    right = tuple(header not in ("class", "first of them") for header in headers)
    return [Table("Candidates by class", headers, lines, right, spare=(("place",), (value,), ("first of them",)))]


def other_pairs(comparison: Comparison, name_width: int = NAME_WIDTH) -> list[Table]:
    """Table of the pairs without the first model, of a few models that were all judged against each other; else none."""
    lines, t, n_models = ranking_rows(comparison), comparison.pair_table, len(comparison.models)
    if t.family != "pairs" or not 2 < len(lines) <= MOST_WITH_PAIRS:
        return []
    names = dict(zip(lines, entry_names(comparison, lines, name_width), strict=True))
    decimals = table_decimals(comparison)
    against = {row: t.against(row, n_models) for row in lines[1:-1]}
    rows = [
        (
            names[model],
            names[other],
            format_score(float(against[other].difference[model]), decimals, signed=True),
            _interval(comparison, against[other].interval, model),
            _verdict(against[other].verdict[model], against[other].reason[model]),
        )
        for other, model in combinations(lines[1:], 2)
    ]
    headers = ("model", minus_word(comparison), "difference", interval_name(comparison, is_header=True), "verdict")
    right = tuple(header not in ("model", "minus", "verdict") for header in headers)
    ranks = {printable(name): rank for rank, name in enumerate(comparison.models, 1)}
    return [Table("Other pairs", headers, tuple(rows), right, spare=(("difference",),), ranks=ranks)]


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
        spare=(("letters",), ("std. error",), ("difference",)),
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
        folded="Pairs",
        spare=(("adj. p",), ("difference",)),
        ranks={printable(name): rank for rank, name in enumerate(models, 1)},
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
    yield from filter(None, (_adjusted_note(comparison),))
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


def method_lines(comparison: Comparison) -> list[str]:
    """Columns that were read, the procedure, why it was chosen, its assumptions, its measured error rate, and tests beside it."""
    m = comparison.method
    lines = [f"read: {text}." for text in comparison.scores.roles]
    lines += [f"{m.name}: {m.reason}.", "It assumes: " + "; ".join(m.assumptions) + "."]
    measured = nearest_words(comparison)
    return [*lines, *([measured] if measured else []), *(f"Beside it: {test.text}" for test in comparison.supplementary_tests)]


def table_decimals(comparison: Comparison) -> int:
    """Decimals of a table: those of the median standard error, so that one odd pair does not set them."""
    return decimals_for(comparison.pair_table.typical_resolution)


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


VIEW = View(
    page,
    pair_frame,
    facts,
    "tiebreak.views.plots.comparison:ComparisonPlots",
    report="tiebreak.views.report.comparison:report",
    frames={"ranking": ranking_frame, "correlation": correlation_frame, "shrinkage": shrinkage_frame},
    sentence=sentence,
    texts={
        "headline": "tiebreak.views.headline:headline",
        "next_step": "tiebreak.views.next_step:next_step",
        "latex": "tiebreak.views.paper:latex",
        "methods": "tiebreak.views.paper:methods_paragraph",
    },
)
