"""A comparison in words, tables, frames and JSON: who is better, who ties, and what is undecided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.verdict import CLAIMS, NONE, REASONS, VERDICTS
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.views.json import document, finite
from tiebreak.views.page import NAME_WIDTH, ROWS, Page, Paragraph, Section, Table, notice_section
from tiebreak.views.pair import names_in_sentences, pair_sentence, rope_words
from tiebreak.views.view import View
from tiebreak.views.words import (
    decimals_for,
    format_interval,
    format_percent,
    format_probability,
    format_pvalue,
    format_score,
    judgements,
    listed,
    printable,
    quote,
    short_names,
    span,
)

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirements

MOST_NAMES = 5
"""Models that one sentence names."""

REGIONS = ("better", "equiv.", "worse")

ALL_PAIRS_UP_TO = 10
"""Families up to this size are shown whole; larger ones by the reference's pairs, the rest counted."""


def page(
    comparison: Comparison,
    requirements: Requirements | None = None,
    *,
    with_method: bool = True,
    name_width: int = NAME_WIDTH,
) -> Page:
    """Sentence, ranking, pairs, warnings, method and the judgement of requirements."""
    return Page(
        (
            Paragraph((sentence(comparison),), n_strong=1),
            Paragraph(tuple(extra_sentences(comparison))),
            ranking_table(comparison, name_width),
            pair_table(comparison, name_width),
            notice_section("Warnings", comparison.notices),
            Section("Method", tuple(method_lines(comparison)) if with_method else (), has_bullets=False),
            Section("Requirements", tuple(judgements(requirements)) if requirements is not None else ()),
        )
    )


def frame(comparison: Comparison) -> pd.DataFrame:
    """One row for each pair of the family."""
    return _frame(pair_columns(comparison))


def facts(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """Facts for JSON, the long lists as iterators; nothing depends on the clock."""
    settings, design, method, matrix = comparison.settings, comparison.design, comparison.method, comparison.matrix
    return document(
        metric={"name": comparison.metric.name, "higher_is_better": comparison.metric.higher_is_better},
        settings={
            "rope": comparison.rope,
            "rope_given": settings.rope,
            "alpha": settings.alpha,
            "probability": settings.probability,
            "baseline": settings.baseline,
            "correction": settings.correction,
            "alternative": settings.alternative,
            "order": None if settings.order is None else list(settings.order),
            "method": settings.method,
            "missing": settings.missing,
            "rng": settings.rng,
        },
        method={
            "name": method.name,
            "reason": method.reason,
            "assumptions": list(method.assumptions),
            "references": list(method.references),
        },
        sentence=sentence(comparison),
        ranking=_records(ranking_columns(comparison)),
        pairs=_records(pair_columns(comparison)),
        scores={
            "dataset": matrix.dataset,
            "models": list(matrix.models),
            "repeat": matrix.repeat.tolist(),
            "fold": matrix.fold.tolist(),
            "n_train": matrix.n_train.tolist() if matrix.has_sizes else None,
            "n_test": matrix.n_test.tolist() if matrix.has_sizes else None,
            "score": ([finite(value) for value in row.tolist()] for row in matrix.score),
        },
        warnings=[{"code": notice.code, "text": notice.text} for notice in comparison.notices],
        requirements=[
            {"claim": r.claim, "met": r.met, "reason": r.reason} for r in (() if requirements is None else requirements)
        ],
        provenance={
            "splits": design.hash,
            "design": {"kind": design.kind, "ordered": design.ordered, "pairing": design.pairing, "sizes": design.sizes},
        },
    )


_RECORDS = 4096
"""Records that are Python objects at a time."""


def _records(columns: Columns) -> Iterator[dict[str, Any]]:
    n_rows = len(next(iter(columns.values())))
    for start in range(0, n_rows, _RECORDS):
        block = (column[start : start + _RECORDS].tolist() for column in columns.values())
        for row in zip(*block, strict=True):
            yield dict(zip(columns, map(finite, row), strict=True))


# --- sentences --------------------------------------------------------------------------------------------------------------


def sentence(comparison: Comparison) -> str:
    """Best model, ties, and what is undecided and why; never more than five names in a list."""
    if len(comparison.models) == 2 and comparison.settings.baseline is None:
        return pair_sentence(comparison.pair(*_as_ordered(comparison)))
    return _many(comparison)


def extra_sentences(comparison: Comparison) -> list[str]:
    """Models that may be best, what it would take to know, and where two analyses disagree."""
    lines = [_shortlist_line(comparison), _what_it_takes(comparison), _disagreement(comparison)]
    return [line for line in lines if line]


def _as_ordered(comparison: Comparison) -> tuple[str, str]:
    table = comparison.pair_table
    return comparison.models[table.first[0]], comparison.models[table.second[0]]


def _many(comparison: Comparison) -> str:
    """The reference's pairs: how many models it beats, ties with, or cannot be told apart from."""
    table, reference = comparison.ranking_table, names_in_sentences(comparison)[comparison.reference]
    groups = _groups(comparison)
    metric = comparison.metric.name
    decimals = table_decimals(comparison)
    mean = format_score(float(table.mean[table.reference]), decimals)
    if comparison.settings.baseline is not None:
        return _against_baseline(reference, f"{metric} {mean}", groups)
    side = "highest" if comparison.metric.higher_is_better else "lowest"
    opening = f"{reference} has the {side} {table.value_name} {metric} ({mean})"
    if table.n_splits[0] < comparison.matrix.n_splits:
        opening += ", though every model lacks some scores"
    shown = _within_budget(groups)
    every = "every other model, " if len(groups["worse"]) == len(comparison.models) - 1 else ""
    clauses = [
        words.format(shown[verdict])
        for verdict, words in (
            ("worse", f"is better than {every}{{}}"),
            ("equivalent", "is practically equivalent to {}"),
            ("better", "is worse than {}, which lacks some scores"),
            (
                "unclear",
                f"is measurably better than {{}}, though whether by more than the rope of {rope_words(comparison)} is undecided",
            ),
            ("undecided", "cannot be told apart yet from {}, as the difference varies too much from split to split"),
        )
        if groups[verdict]
    ]
    return f"{opening}. It {_joined(clauses)}."


def _groups(comparison: Comparison) -> dict[str, list[str]]:
    """Quoted models by their verdict against the reference; "unclear" are undecided ones that it measurably beats."""
    table, pairs = comparison.ranking_table, comparison.pair_table
    groups: dict[str, list[str]] = {name: [] for name in (*VERDICTS, "unclear")}
    beaten: set[int] = set()
    if comparison.rope and comparison.settings.baseline is None and comparison.settings.alternative == "two-sided":
        rows = pairs.rows_with(table.reference)
        rows = rows[pairs.adjusted_pvalue[rows] <= comparison.settings.alpha]
        beaten = {*pairs.first[rows].tolist(), *pairs.second[rows].tolist()}
    names = names_in_sentences(comparison)
    for row, model in enumerate(comparison.models):
        if row == table.reference:
            continue
        verdict = VERDICTS[table.verdict[row]]
        is_unclear = verdict == "undecided" and row in beaten and table.difference[row] < 0
        groups["unclear" if is_unclear else verdict].append(names[model])
    return groups


def _within_budget(groups: dict[str, list[str]]) -> dict[str, str]:
    """Each group in words, no more than four names in all (the reference is the fifth); ties come before losers."""
    left, shown = MOST_NAMES - 1, {}
    for verdict in ("better", "equivalent", "undecided", "unclear", "worse"):
        names = groups[verdict]
        if left == 0 or not names:
            shown[verdict] = f"{len(names)} other model{'s' if len(names) != 1 else ''}"
            continue
        shown[verdict] = listed(names, left if len(names) <= left else left + 1)
        left -= min(len(names), left)
    return shown


def _against_baseline(baseline: str, score: str, groups: dict[str, list[str]]) -> str:
    shown = _within_budget(groups)
    parts = [
        f"{shown[verdict]} {'is' if len(groups[verdict]) == 1 else 'are'} {words}"
        for verdict, words in (
            ("better", "better"),
            ("equivalent", "practically equivalent"),
            ("worse", "worse"),
            ("undecided", "undecided, as the difference varies too much from split to split"),
        )
        if groups[verdict]
    ]
    return f"Against the baseline {baseline} ({score}): {'; '.join(parts)}."


def _joined(clauses: list[str]) -> str:
    return clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])}, and {clauses[-1]}"


def _shortlist_line(comparison: Comparison) -> str:
    """Models that may be best, when there is more than one pair to ask about."""
    if len(comparison.models) < 3:
        return ""
    quoted = names_in_sentences(comparison)
    names = list(comparison.shortlist())
    confidence = format_percent(1 - comparison.settings.alpha)
    if len(names) == 1:
        return (
            f"Only {quoted[names[0]]} may be the best: every other model is shown to be worse than some model "
            f"({confidence} confidence)."
        )
    among = f"{len(names)} of {len(comparison.models)} with {confidence} confidence"
    text = f"The best model is among {among}: {listed([quoted[name] for name in names])}."
    table = comparison.ranking_table
    if comparison.settings.baseline is None:
        verdicts = {name: VERDICTS[table.verdict[row]] for row, name in enumerate(comparison.models)}
        odd = [name for name in comparison.models[1:] if (verdicts[name] == "worse") == (name in names)]
        if odd:
            about = quoted[odd[0]] if len(odd) == 1 else f"{len(odd)} models"
            why = "they ask different questions, each with its own error rate"
            text += f" For {about} this list and the verdict seem to differ: {why}."
    return text


def _what_it_takes(comparison: Comparison) -> str:
    """For the most interesting undecided pair: how far more repeats could narrow its interval."""
    table, reference = comparison.ranking_table, comparison.reference
    undecided = [n for row, n in enumerate(comparison.models) if n != reference and VERDICTS[table.verdict[row]] == "undecided"]
    if not undecided:
        return ""
    pair = comparison.pair(undecided[0], reference)
    reachable = pair.distribution.half_width_floor(comparison.settings.alpha)
    if pair.reason or not reachable:  # not known, or no floor
        return ""
    names = names_in_sentences(comparison)
    decimals = decimals_for(pair.resolution)
    now = format_score((pair.interval_high - pair.interval_low) / 2, decimals)
    floor = format_score(float(reachable), decimals)
    return (
        f"To know more about {names[pair.first]} and {names[pair.second]}: their interval is ±{now}; more repeats of the same "
        f"splits can bring it down to about ±{floor}, below that only more data can."
    )


def _disagreement(comparison: Comparison) -> str:
    """Pairs for which test and posterior name different regions; undecided is no region."""
    table = comparison.pair_table
    verdict, bayesian = table.verdict, table.bayesian_verdict
    if bayesian is None:
        return ""
    rows = np.flatnonzero((verdict != NONE) & (bayesian != NONE) & (verdict != bayesian))
    if rows.size == 0:
        return ""
    row = rows[0]
    names = names_in_sentences(comparison)
    first, second = (names[comparison.models[code]] for code in (table.first[row], table.second[row]))
    more = f" (and {len(rows) - 1} more pair(s))" if len(rows) > 1 else ""
    return (
        f"Test and posterior disagree on {first} against {second}{more}: the verdict is {VERDICTS[verdict[row]]} (adjusted p "
        f"{format_pvalue(float(table.adjusted_claim_pvalue[row]))}), the posterior says {VERDICTS[bayesian[row]]}."
    )


# --- tables -----------------------------------------------------------------------------------------------------------------


def ranking_table(comparison: Comparison, name_width: int = NAME_WIDTH) -> Table:
    """Models from best to worst with their difference to the reference."""
    t = comparison.ranking_table
    shown = short_names(comparison.models[:ROWS], name_width)
    decimals = table_decimals(comparison)
    level = format_percent(1 - comparison.settings.alpha)
    rows = []
    for row in range(len(shown)):
        is_reference = row == t.reference
        rows.append(
            (
                str(row + 1),
                shown[row],
                format_score(float(t.mean[row]), decimals),
                "reference" if is_reference else format_score(float(t.difference[row]), decimals, signed=True),
                "" if is_reference else format_interval(float(t.interval.low[row]), float(t.interval.high[row]), decimals),
                "" if is_reference else VERDICTS[t.verdict[row]],
                # a share of draws: 0 means rare
                *([] if t.p_best is None else [format_probability(max(float(t.p_best[row]), 1e-9))]),
                "yes" if t.in_shortlist[row] else "no",
            )
        )
    p_best = () if t.p_best is None else ("P(best)",)
    direction = "higher" if comparison.metric.higher_is_better else "lower"
    left_out = len(comparison.models) - len(rows)
    more = f"; {left_out} more below these" if left_out else ""
    return Table(
        f"Ranking by {t.value_name} {printable(comparison.metric.name)}, {direction} is better{more}",
        ("rank", "model", t.value_name, "difference", f"{level} interval", "verdict", *p_best, "may be best"),
        tuple(rows),
        (True, False, True, True, True, False, *(True for _ in p_best), False),
        notes=(design_line(comparison),),
        spare=(("interval",), p_best),
    )


def pair_table(comparison: Comparison, name_width: int = NAME_WIDTH) -> Table:
    """The family's pairs, or for a large family those of the reference; a model that stands in all rows moves to the title."""
    t, models = comparison.pair_table, comparison.models
    everything = t.n_pairs <= ALL_PAIRS_UP_TO
    chosen = np.arange(t.n_pairs) if everything else t.rows_with(models.index(comparison.reference))[:ROWS]
    decimals = table_decimals(comparison)
    interval, verdict = t.interval, t.verdict
    shown = _shown_names(models, t.first[chosen], t.second[chosen], name_width)
    columns = {
        "first": [shown[code] for code in t.first[chosen]],
        "second": [shown[code] for code in t.second[chosen]],
        "difference": [format_score(float(value), decimals, signed=True) for value in t.difference[chosen]],
        f"{format_percent(1 - comparison.settings.alpha)} interval": [
            format_interval(float(interval.low[row]), float(interval.high[row]), decimals) for row in chosen
        ],
        **{
            f"P({region})": [format_probability(float(p)) for p in column[chosen]]
            for region, column in zip(REGIONS, t.probabilities or (), strict=False)
        },
        f"p {comparison.settings.alternative}": [format_pvalue(float(p)) for p in t.adjusted_pvalue[chosen]],
        "adj. p": [format_pvalue(float(p)) for p in t.adjusted_claim_pvalue[chosen]],
        "verdict": [VERDICTS[verdict[row]] + (f" ({REASONS[t.kind[row]]})" if t.kind[row] else "") for row in chosen],
    }
    if comparison.settings.alternative == "two-sided":
        del columns["p two-sided"]
    title = "Pairs, first against second; positive favours the first"
    if len(chosen) > 1:
        for side, text in (("first", "{} against each of these"), ("second", "each of these against {}")):
            if len(set(getattr(t, side)[chosen])) == 1:
                title = f"Pairs: {text.format(names_in_sentences(comparison)[models[getattr(t, side)[chosen[0]]]])}"
                del columns[side]
                break
    rest = "" if everything else f"; {_counted(comparison, chosen)}"
    left_aligned = ("first", "second", "verdict")
    return Table(
        title + rest,
        tuple(columns),
        tuple(zip(*columns.values(), strict=True)),
        tuple(header not in left_aligned for header in columns),
        notes=tuple(footnotes(comparison)),
        folded="Pairs",
        spare=(tuple(f"P({region})" for region in REGIONS), ("interval",)),
        ranks={printable(name): rank for rank, name in enumerate(models, 1)},
    )


def design_line(comparison: Comparison) -> str:
    """Splits, sizes and orientation of the scores, in one line."""
    matrix, design = comparison.matrix, comparison.design
    n_repeats = int(np.unique(matrix.repeat).size)
    folds = f" ({n_repeats} repeats)" if n_repeats > 1 and design.pairing == "key" else ""
    sizes = ""
    if matrix.has_sizes:
        about = "about " if design.sizes == "approximate" else ""
        sizes = f", {about}{span(matrix.n_train)} training and {about}{span(matrix.n_test)} test examples each"
    dataset = f" of {quote(matrix.dataset)}" if matrix.dataset else ""
    difference = "difference = model minus " + names_in_sentences(comparison)[comparison.reference]
    oriented = "" if comparison.metric.higher_is_better else ", turned so that positive is better"
    return f"{matrix.n_splits} splits{dataset}{folds}{sizes}; {difference}{oriented}"


def footnotes(comparison: Comparison) -> list[str]:
    """Notes on reading the tables."""
    s = comparison.settings
    rope = f"rope ±{comparison.rope:g} {printable(comparison.metric.name)}" if comparison.rope else "no rope"
    family = f"{s.correction} over {comparison.pair_table.n_pairs} pair{'s' if comparison.pair_table.n_pairs > 1 else ''}"
    claim = "adj. p is that of the strongest claim about a pair (better, equivalent or worse)"
    lines = [f"{rope}; each interval is for one difference; {claim}, {family}, and decides the verdict at {s.alpha:g}"]
    if s.alternative != "two-sided":
        lines.append(f"p {s.alternative}: one-sided test of no difference at all in the order given, {family}")
    return lines


def method_lines(comparison: Comparison) -> list[str]:
    """Name of the procedure, why it was chosen, and its assumptions."""
    m = comparison.method
    return [f"{m.name}: {m.reason}.", "It assumes: " + "; ".join(m.assumptions) + "."]


def table_decimals(comparison: Comparison) -> int:
    """Decimals of a table: those of the median standard error, so that one odd pair does not set them."""
    errors = comparison.pair_table.resolution
    errors = errors[errors > 0]
    return decimals_for(float(np.median(errors)) if errors.size else float("nan"))


def _shown_names(models: Sequence[str], first: IntArray, second: IntArray, width: int) -> dict[int, str]:
    """Short names of the models that stand in these pairs, by their code."""
    codes = sorted({*first.tolist(), *second.tolist()})
    return dict(zip(codes, short_names([models[code] for code in codes], width), strict=True))


def _counted(comparison: Comparison, shown: np.ndarray) -> str:
    """Number of pairs that are shown, and the verdicts of the others: 9 of 780 shown (the others: ...)."""
    verdict = np.delete(comparison.pair_table.verdict, shown)
    counts = np.bincount(verdict, minlength=len(VERDICTS))
    parts = f"{counts[1] + counts[3]} better or worse, {counts[2]} equivalent, {counts[0]} undecided"
    return f"{len(shown)} of {comparison.pair_table.n_pairs} shown (the others: {parts})"


# --- columns ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of names as codes into `names`."""

    codes: IntArray
    names: tuple[str, ...]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    def __getitem__(self, rows: slice) -> Coded:
        """Some of the rows."""
        return Coded(self.codes[rows], self.names)

    def tolist(self) -> list[str]:
        """The names themselves."""
        return [self.names[code] for code in self.codes.tolist()]


Column = FloatArray | IntArray | np.ndarray[Any, Any] | Coded
Columns = dict[str, Column]


def pair_columns(comparison: Comparison) -> Columns:
    """Columns of the pairs, named and ordered as documented; without those that the procedure cannot give."""
    t, models = comparison.pair_table, comparison.models
    d, bayesian = t.differences, t.bayesian_verdict
    better, equivalent, worse = (None, None, None) if t.probabilities is None else t.probabilities
    columns: dict[str, Column | None] = {
        "first": Coded(t.first, models),
        "second": Coded(t.second, models),
        "n_splits": np.broadcast_to(d.n_units, t.first.shape),
        "difference": d.estimate,
        "standard_error": d.standard_error,
        "df": None if d.df is None else np.broadcast_to(d.df, t.first.shape),
        "statistic": d.statistic,
        "pvalue": t.pvalue,
        "adjusted_pvalue": t.adjusted_pvalue,
        "interval_low": t.interval.low,
        "interval_high": t.interval.high,
        "simultaneous_low": t.simultaneous.low,
        "simultaneous_high": t.simultaneous.high,
        "p_better": better,
        "p_equivalent": equivalent,
        "p_worse": worse,
        "claim": Coded(t.claim, CLAIMS),
        "claim_pvalue": t.claim_pvalue,
        "adjusted_claim_pvalue": t.adjusted_claim_pvalue,
        "verdict": Coded(t.verdict, VERDICTS),
        "bayesian_verdict": None if bayesian is None else Coded(bayesian, VERDICTS),
        "reason": Coded(t.kind, REASONS),
    }
    return {name: column for name, column in columns.items() if column is not None}


def ranking_columns(comparison: Comparison) -> Columns:
    """Columns of the ranking, named and ordered as documented; without those that the procedure cannot give."""
    t, models = comparison.ranking_table, comparison.models
    columns: dict[str, Column | None] = {
        "rank": np.arange(1, len(models) + 1),
        "model": Coded(np.arange(len(models)), models),
        "mean": t.mean,
        "mean_low": t.mean_interval.low,
        "mean_high": t.mean_interval.high,
        "n_splits": t.n_splits,
        "difference": t.difference,
        "interval_low": t.interval.low,
        "interval_high": t.interval.high,
        "verdict": Coded(_verdict_or_none(t.verdict, t.reference), ("", *VERDICTS)),
        "p_best": t.p_best,
        "expected_rank": t.expected_rank,
        "in_shortlist": t.in_shortlist,
    }
    return {name: column for name, column in columns.items() if column is not None}


def _verdict_or_none(verdict: np.ndarray[Any, Any], reference: int) -> IntArray:
    """Codes into ("", *VERDICTS); the reference has no verdict against itself."""
    codes = verdict.astype(np.int64) + 1
    codes[reference] = 0
    return codes


def ranking_frame(comparison: Comparison) -> pd.DataFrame:
    """One row for each model, best first."""
    return _frame(ranking_columns(comparison))


def correlation_frame(comparison: Comparison) -> pd.DataFrame:
    """Models by models, in ranking order."""
    import pandas as pd

    return pd.DataFrame(comparison.correlation_matrix, index=list(comparison.models), columns=list(comparison.models))


def _frame(columns: Columns) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {
            name: pd.Categorical.from_codes(column.codes, pd.Index(column.names)) if isinstance(column, Coded) else column
            for name, column in columns.items()
        }
    )


VIEW = View(
    page,
    frame,
    facts,
    "tiebreak.views.plots.comparison:ComparisonPlots",
    frames={"ranking": ranking_frame, "correlation": correlation_frame},
    sentence=sentence,
)
