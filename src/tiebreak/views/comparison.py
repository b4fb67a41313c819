"""A comparison and its pairs: the page, details when asked for, columns of the frames, facts of the JSON, tables in LaTeX."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tiebreak.comparison.comparison import Comparison, PairComparison
from tiebreak.comparison.family import REASONS, UNSETTLED
from tiebreak.comparison.next_step import detectable
from tiebreak.comparison.ranking import NOT_BEST, STANDINGS
from tiebreak.errors import DataError
from tiebreak.numerics import BEHIND, VERDICTS, WORSE, IntArray, refuse_unless
from tiebreak.scores.items import Items
from tiebreak.scores.means import dataset_means, model_correlation
from tiebreak.scores.scores import ScoreMatrix
from tiebreak.views.answer import (
    NEEDED_OVERLAP,
    STEPS,
    flips_line,
    headline,
    interval_name,
    interval_text,
    lines_to_keep,
    next_step,
    notices,
    only_pair,
    overlap_notes,
    pair_sentence,
    pair_step,
    reason_notes,
    sizes_line,
    small_print,
    table_decimals,
    value_name,
    value_text,
)
from tiebreak.views.page import ROWS, Page, Paragraph, Section, Table
from tiebreak.views.view import Coded, View, document, named, plain, records_of
from tiebreak.views.words import (
    count,
    decimals_for,
    format_bound,
    format_percent,
    format_probability,
    format_score,
    left_out,
    listed,
    model_names,
    printable,
    quoted_names,
)

if TYPE_CHECKING:
    from tiebreak.comparison.requirements import Requirements

MOST_WHOLE = 12
"""Lines up to which the table of models is shown whole; of more those that may be best, and the rest is counted."""

FEWEST = 5
"""Lines of the table of models that are shown in any case."""

MOST_PAIRS = 200
"""Pairs that the details show."""

WIDE_NAME = 12
"""Characters of a name that are too many for a header."""


def page(
    comparison: Comparison, requirements: Requirements | None = None, *, columns: Literal["default", "all"] = "default"
) -> Page:
    """The page; with all columns the details below it."""
    refuse_unless(columns in ("default", "all"), "columns", "be 'default' or 'all'", columns)
    said, step, pair = headline(comparison), next_step(comparison), only_pair(comparison)
    is_said = step.startswith(("Take ", "Keep ")) and step[5:-1] in said
    lines_to_copy = lines_to_keep(comparison) if step == STEPS["keep scores"] else ()
    gates, at_look, parts = [], "", []  # the views of what most answers have none of are imported where there is some
    if requirements is not None:
        from tiebreak.views.requirements import section

        gates = [section(requirements, comparison.looks)]
    if comparison.looks is not None:
        from tiebreak.views.looks import sentence

        at_look = sentence(comparison)
    if comparison.by is not None:
        from tiebreak.views.slices import table

        parts = [table(comparison.slices())]
    return Page(
        (
            *gates,
            Paragraph((said, at_look), n_strong=1),
            models_table(comparison),
            *parts,
            Paragraph(("" if pair is None else flips_line(comparison.pair(*comparison.models)), "" if is_said else step)),
            Paragraph(lines_to_copy, is_code=True),
            Paragraph(tuple(small_print(comparison)), is_small=True),
            *(details(comparison).parts if columns == "all" else ()),
        )
    )


def details(comparison: Comparison) -> Page:
    """The rest that is known: all columns of models and pairs, other notices, and how the answer was made."""
    from tiebreak.views.looks import unplanned

    m, sizes = comparison.method, sizes_line(comparison)
    method = [
        *(f"Read: {text}." for text in comparison.scores.roles),
        *([f"{sizes[:1].upper()}{sizes[1:]}."] if sizes else []),
        f"{m.name}: {m.reason}. The answer is about {m.generalises_to}.",
        f"It assumes: {'; '.join(m.assumptions)}.",
        *(f"Beside it: {test.text}" for test in comparison.supplementary_tests),
        unplanned(comparison),
    ]
    table = comparison.pair_table
    cited = [CITED[each] for each in (table.correction, table.family, "looks" * (comparison.looks is not None)) if each in CITED]
    return Page(
        (
            ranking_table(comparison),
            pair_table(comparison),
            Section("Notices", notices(comparison, is_reading=False)),
            Section("Method", method, has_bullets=False),
            Section("References", (*comparison.method.references, *cited)),
        )
    )


CITED = {
    "holm": "S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 1979.",
    "shaffer": "J. Shaffer. Modified sequentially rejective multiple test procedures. JASA 81, 1986.",
    "bh": "Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. Journal of the Royal Statistical Society B 57, 1995.",
    "best": "J. Hsu. Constrained simultaneous confidence intervals for multiple comparisons with the best. Annals of Statistics "
    "12, 1984.",
    "looks": "I. K. Hwang, W. J. Shih, J. S. DeCani. Group sequential designs using a family of type I error probability "
    "spending functions. Statistics in Medicine 9, 1990.",
}
"""Behind a correction, a family and looks."""


# --- tables -----------------------------------------------------------------------------------------------------------------


def models_table(comparison: Comparison) -> Table:
    """Models from best to worst: value, difference to the first or the baseline with its interval, and verdict.

    Compared with the best, no pair is judged: then it is the bound on how far each falls short of it. Of many models those that
    may be the best, or are not worse than the baseline, have a line, and the others are counted below.
    """
    t, lines = comparison.ranking_table, ranking_lines(comparison)
    rows = list(lines) if len(lines) <= MOST_WHOLE else _foremost(comparison, list(lines))
    is_out = np.zeros(len(comparison.models), dtype=bool) if t.may_be_best is None else ~t.may_be_best
    rows = sorted(rows, key=lambda row: (bool(is_out[row]), row))
    columns, n_in = answer_columns(comparison, rows), int(np.sum(~is_out[rows]))
    what = "not the best" if comparison.pair_table.is_family else "not ahead of all others"  # which equal ones are not either
    rule = f"{what}, shown with {format_percent(1 - comparison.settings.alpha)} confidence"
    names = list(quoted_names(comparison.models).values())
    shared = [[names[each] for each in (row, *lines[row])] for row in rows if lines[row]]
    own, codes = (comparison.against_reference.verdict, VERDICTS) if t.standing is None else (t.standing, STANDINGS)
    counts = Counter[str]()
    for row in sorted({*lines} - {*rows}):
        counts[codes[own[row]]] += 1 + len(lines[row])
    rest = [f"and {counts.total()} more: {', '.join(f'{n} {name}' for name, n in counts.items())}"] if counts else []
    notes = (*rest, *(f"Identical scores: {listed(same)}." for same in shared))
    if comparison.pair_table.is_family:
        is_open = comparison.against_reference.verdict == VERDICTS.index("undecided")
        by_another = [names[row] for row in rows if is_out[row] and is_open[row] and t.standing is not None]
        if by_another:
            notes += (f"Not the best, as another model than the first is shown to be ahead: {listed(by_another, 3)}.",)
        notes += overlap_notes(comparison) if comparison.method.name in NEEDED_OVERLAP else ()
        notes += reason_notes(comparison, [names[row] for row in rows], comparison.against_reference.reason[rows].tolist())
    return Table.of(
        "",
        columns.items(),
        LEFT,
        notes=notes,
        spare=("", "n", tuple(columns)[2]),
        rule=(n_in, rule) if n_in < len(rows) and len(comparison.models) > 2 else None,
    )


def answer_columns(comparison: Comparison, rows: Sequence[int]) -> dict[str, list[str]]:
    """Cells of some models by header: place, name, value, and how they stand to the first one, the baseline or the best."""
    names, value = model_names(comparison.models), value_name(comparison)
    others = _against_columns(comparison, rows) if comparison.pair_table.is_family else _shortfall_column(comparison, rows)
    return {
        "": [str(rank) for rank in comparison.ranking_table.rank[rows].tolist()],
        "model": [names[row] for row in rows],
        f"the metric {value}" if value in ("", "model", *others) else value: [value_text(comparison, row) for row in rows],
        **others,
    }


LEFT = ("model", "verdict", "standing", "letters", "first", "second", "reason")
"""Headers of columns of words."""


def ranking_lines(comparison: Comparison) -> dict[int, list[int]]:
    """Rows of the models that have a line of their own, each with those of its copies, which share it.

    Where each is judged against a baseline, copies have lines too.
    """
    lines: dict[int, list[int]] = {}
    for row, entry in enumerate(comparison.ranking_table.entry.tolist()):
        if row == entry or comparison.settings.baseline is not None:
            lines[row] = []
        else:
            lines[entry].append(row)
    return lines


def _foremost(comparison: Comparison, lines: Sequence[int]) -> list[int]:
    """Lines that are shown of many, in order: the baseline, those that may win, and the next ones if these are few."""
    table, reference = comparison.ranking_table, comparison.reference_row
    if table.standing is None:
        is_behind = np.isin(comparison.against_reference.verdict, (WORSE, BEHIND))
    else:
        is_behind = table.standing == NOT_BEST
    first = sorted(lines, key=lambda row: (row != reference, bool(is_behind[row]), row))
    return sorted(first[: max(min(int(np.sum(~is_behind[list(lines)])), ROWS), FEWEST)])


def _against_columns(comparison: Comparison, rows: Sequence[int]) -> dict[str, list[str]]:
    """Difference to the baseline or the first model, its interval and the verdict."""
    against, reference = comparison.against_reference, comparison.reference_row
    name = model_names(comparison.models)[reference]
    is_baseline, decimals = comparison.settings.baseline is not None, table_decimals(comparison)
    whom = name if len(name) <= WIDE_NAME else "baseline" if is_baseline else "first"
    header = "typical difference" if comparison.method.is_centre else f"against {whom}"
    cells = {
        row: (
            format_score(float(against.difference[row]), decimals, signed=True),
            interval_text(comparison, against.interval.low[row], against.interval.high[row]),
            VERDICTS[against.verdict[row]],
        )
        for row in rows
    } | {reference: ("", "", "baseline" if is_baseline else "first")}
    headers = (header, interval_name(comparison, is_header=True), "verdict")
    return {
        **_unit_counts(comparison, comparison.pair_table.rows_with(reference), rows),
        **{name: [cells[row][place] for row in rows] for place, name in enumerate(headers)},
    }


def _unit_counts(comparison: Comparison, pairs: IntArray, rows: Sequence[int] | None = None) -> dict[str, list[str]]:
    """Looks and numbers of units of pairs where they differ; for `rows` of models those of the pair with the reference.

    Models that have units of their own have the number of these.
    """
    t = comparison.pair_table
    look, n_units = t.judged.beside.get("look"), np.broadcast_to(t.law.n_units, t.first.shape)
    given = {"look": look, "n": n_units}
    shown = {name: held[pairs].tolist() for name, held in given.items() if held is not None and np.ptp(held) > 0}
    if rows is None:
        return {name: list(map(str, held)) for name, held in shown.items()}
    if not comparison.method.is_paired and "n" in shown:
        return {"n": [str(comparison.ranking_table.n_units[row]) for row in rows]}
    model = np.where(t.first[pairs] == comparison.reference_row, t.second[pairs], t.first[pairs]).tolist()
    return {name: [str(dict(zip(model, held, strict=True)).get(row, "")) for row in rows] for name, held in shown.items()}


def _shortfall_column(comparison: Comparison, rows: Sequence[int]) -> dict[str, list[str]]:
    """Bounds on how far some models fall short of the best."""
    bounds, decimals = np.asarray(comparison.ranking_table.shortfall_high), table_decimals(comparison)
    return {"short by at most": [format_bound(float(bounds[row]), decimals, (comparison.rope,)) for row in rows]}


# --- details ----------------------------------------------------------------------------------------------------------------


def ranking_table(comparison: Comparison) -> Table:
    """All that is known of each model; beside its place the places that the intervals leave open: "2 (1-3)"."""
    t, lines, decimals = comparison.ranking_table, list(ranking_lines(comparison)), table_decimals(comparison)
    rows, names = lines[:MOST_PAIRS], model_names(comparison.models)

    places, has_places = [str(rank) for rank in t.rank[rows].tolist()], len(comparison.models) > 2
    if t.rank_low is not None and t.rank_high is not None and has_places:
        ranges = zip(places, t.rank_low[rows].tolist(), t.rank_high[rows].tolist(), strict=True)
        places = [f"{rank} ({low}-{high})" if low != high else f"{rank} ({low})" for rank, low, high in ranges]
    numbers = (
        (t.value_name, t.mean, decimals),
        ("adjusted", t.adjusted, decimals),
        ("std. error", t.standard_error, decimals),
        ("average rank", t.average_rank if t.value_name != "average rank" else None, 3),
    )
    columns = {"place": places, "model": [names[row] for row in rows]}
    for name, held, digits in numbers:
        if held is not None:
            columns[name] = [format_score(float(value), digits) for value in held[rows]]
    if t.standing is not None:
        columns |= {**_shortfall_column(comparison, rows), "standing": [STANDINGS[code] for code in t.standing[rows]]}
    letters = t.letters
    if letters is not None and len(comparison.models) > 2:
        columns["letters"] = [letters[row] for row in rows]
    more = f"; {len(lines) - len(rows)} more in answer.ranking" if len(lines) > len(rows) else ""
    ranged = " (and the places that the intervals leave open)" if t.rank_low is not None and has_places else ""
    return Table.of(f"Models by place{ranged}{more}", columns.items(), LEFT)


def pair_table(comparison: Comparison) -> Table:
    """All pairs of the family, and tests and posterior; of very many those of the reference."""
    t, names, decimals = comparison.pair_table, model_names(comparison.models), table_decimals(comparison)
    of_reference = t.rows_with(comparison.reference_row)[:MOST_PAIRS]
    chosen = np.arange(t.n_pairs) if t.n_pairs <= MOST_PAIRS else of_reference
    part = t.part(chosen)
    columns = {
        "first": [names[code] for code in part.first],
        "second": [names[code] for code in part.second],
        **_unit_counts(comparison, chosen),
        "difference": [format_score(float(value), decimals, signed=True) for value in part.law.estimate],
        interval_name(comparison, is_header=True): [
            interval_text(comparison, low, high) for low, high in zip(*part.interval, strict=True)
        ],
        "p": [format_probability(float(p)) for p in part.pvalue],
    }
    if t.is_family and t.n_pairs > 1:
        columns["adj. p"] = [format_probability(float(p)) for p in part.adjusted_pvalue]
    if part.law.is_posterior and part.probabilities is not None:
        for name, column in zip(("P(better)", "P(equiv.)", "P(worse)"), part.probabilities, strict=True):
            columns[name] = [format_probability(float(p)) for p in column]
    if t.is_family:
        columns["verdict"] = [VERDICTS[code] for code in part.verdict]
    if np.any((part.reason > 0) & (part.reason != UNSETTLED)):
        columns["reason"] = [REASONS[code] for code in part.reason]
    rest = f"; {chosen.size} of {t.n_pairs}, all are in answer.pairs" if chosen.size < t.n_pairs else ""
    title = f"{'Pairs' if t.is_family else 'Pairs, not judged'}; a positive difference favours the first{rest}"
    note = f"adj. p is adjusted over the pairs ({comparison.correction})." if "adj. p" in columns else ""
    return Table.of(title, columns.items(), LEFT, notes=(note,))


# --- columns ----------------------------------------------------------------------------------------------------------------


MOST_WRITTEN, FIRST_MODELS = 80_000, 60
"""Pairs up to which an answer is written with all of them; of more those of the first models, and of the leader or baseline."""


def pair_columns(comparison: Comparison, rows: IntArray | None = None) -> dict[str, Any]:
    """Columns of the pairs, or of some, named and ordered as documented; without those that the procedure cannot give."""
    t, models = comparison.pair_table, comparison.models
    if rows is not None:
        t = t.part(rows)
    return named(
        {
            "first": Coded(t.first, models),
            "second": Coded(t.second, models),
            "look": t.judged.beside.get("look"),
            **t.columns(),
            "verdict": Coded(t.verdict, VERDICTS),
            "reason": Coded(t.reason, REASONS),
        }
    )


def ranking_columns(comparison: Comparison) -> dict[str, Any]:
    """Columns of the ranking, named and ordered as documented; without those that cannot be given, or were not asked for."""
    t, models = comparison.ranking_table, comparison.models
    columns: dict[str, Any] = {
        "rank": t.rank,
        "rank_low": t.rank_low,
        "rank_high": t.rank_high,
        "model": Coded(np.arange(len(models)), models),
        "mean": t.mean,
        "standard_error": t.standard_error,
        "mean_low": None if t.mean_interval is None else t.mean_interval.low,
        "mean_high": None if t.mean_interval is None else t.mean_interval.high,
        "adjusted": t.adjusted,
        "n_units": t.n_units,
        "shortfall_high": t.shortfall_high,
        "may_be_best": t.may_be_best,
        "standing": None if t.standing is None else Coded(t.standing, STANDINGS),
        "average_rank": t.average_rank,
        "letters": None if t.differs is None else np.array(t.letters, dtype=object),
    }
    if comparison.settings.baseline is not None:
        against = comparison.against_reference
        columns |= {
            "difference": against.difference,
            "interval_low": against.interval.low,
            "interval_high": against.interval.high,
            "verdict": Coded(against.verdict, VERDICTS),
        }
    return named(columns)


def correlation_frame(comparison: Comparison) -> Any:
    """Models by models, in ranking order."""
    import pandas as pd

    models, items = list(comparison.models), comparison.items
    # numbers of classes are names
    score = comparison.matrix.score if items is None or not items.classes else items.take(models).merits()
    return pd.DataFrame(model_correlation(score), index=models, columns=models)


def shrinkage_columns(comparison: Comparison) -> dict[str, Any]:
    """One row for each pair of the family and dataset."""
    table, models = comparison.pair_table, comparison.models
    beside = table.judged.beside
    if "posteriors" not in beside:
        raise DataError(f"{comparison.method.name} takes datasets as they are; method='hierarchical' gives shrunken estimates.")
    rows = [
        (models[first], models[second], *row)
        for first, second, posterior, datasets in zip(
            table.first, table.second, beside["posteriors"], beside["datasets"], strict=True
        )
        if posterior is not None
        for row in zip(datasets, *(each.tolist() for each in posterior.datasets()), strict=True)
    ]
    names = ("first", "second", "dataset", "raw", "shrunken", "sd")
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {name: [] for name in names}


# --- JSON -------------------------------------------------------------------------------------------------------------------


def scores_of(matrix: ScoreMatrix) -> dict[str, Any]:
    """Scores of one dataset."""
    return {
        "dataset": matrix.dataset,
        **named({"metric": matrix.metric}),
        **{name: getattr(matrix, name) for name in ("models", "repeat", "fold")},
        "n_train": matrix.n_train if matrix.has_sizes else None,
        "n_test": matrix.n_test if np.all(matrix.n_test > 0) else None,
        **named({name: getattr(matrix, name) or None for name in ("n_folds", "columns", "summary")}),
        "score": map(plain, matrix.score),
    }


MOST_INLINE = 1_000_000
"""Scores of single items that are written into the answer; of more only a reference, which is the hash of the table."""


def items_of(items: Items) -> dict[str, Any]:
    """Scores of single items, or where there are too many what tells them from others."""
    known = {
        "unit": items.unit,
        "n_models": len(items.models),
        "n_runs": len(items.runs),
        "n_items": len(items.items),
        "hash": items.hash(),
        "models": items.models,
        "inline": items.score.size <= MOST_INLINE,
    }
    if not known["inline"]:
        return known
    names = ("runs", "items", "clusters", "weights", "is_positive", "truth", "classes", "columns", "sources")
    return {
        **known,
        **{name: getattr(items, name) for name in names},
        **named({"labels": items.labels}),
        "score": map(plain, items.score),
    }


OF_METHOD = "name reason question unit generalises_to not_covered assumptions references".split()


def facts(comparison: Comparison, requirements: Requirements | None = None, *, has_tables: bool = True) -> dict[str, Any]:
    """Facts for JSON, the long lists as iterators; nothing depends on the clock.

    The tables of models, pairs and slices follow from the scores, and may be left out.
    """
    from tiebreak.views import requirements as gate
    from tiebreak.views import slices

    settings, design, method, table = comparison.settings, comparison.scores.design, comparison.method, comparison.pair_table
    written = None
    if table.n_pairs > MOST_WRITTEN:  # all others follow from the scores when the answer is read again
        is_early = (table.first < FIRST_MODELS) & (table.second < FIRST_MODELS)
        written = np.union1d(np.flatnonzero(is_early), table.rows_with(comparison.reference_row))
    return document(
        schema=2,
        metric=comparison.scores.metric,
        settings={**vars(settings), "looks": None if settings.looks is None else settings.looks.as_dict()},
        resolved={
            "rope": comparison.rope,
            "measure": comparison.metric,
            "family": table.family,
            "correction": comparison.correction,
            "method": method.name,
            "interval_alpha": table.interval_alpha if table.is_family else None,
        },
        method={name: getattr(method, name) for name in OF_METHOD},
        headline=headline(comparison),
        next_step=next_step(comparison),
        detectable=detectable(comparison),
        ranking=records_of(ranking_columns(comparison)) if has_tables else [],
        pairs=records_of(pair_columns(comparison, written)) if has_tables else [],
        **({} if written is None else {"n_pairs_omitted": table.n_pairs - written.size}),
        slices=records_of(slices.columns(comparison.slices())) if has_tables and comparison.by is not None else [],
        scores=[] if comparison.items is not None else [scores_of(matrix) for matrix in comparison.scores.matrices],
        items=None if comparison.items is None else items_of(comparison.items),
        warnings=comparison.notices,
        requirements=[] if requirements is None else gate.records(requirements),
        provenance={
            "splits": design.hash,
            "design": {name: getattr(design, name) for name in ("kind", "ordered", "pairing", "sizes")},
        },
    )


# --- LaTeX ------------------------------------------------------------------------------------------------------------------


def latex(comparison: Comparison, table: str | None = None) -> str:
    """Ranking and pairs as on the page, and scores by dataset, or one of them, as tables with the rules of booktabs."""
    has_datasets = comparison.method.unit == "dataset"
    refuse_unless(table in (None, "ranking", "pairs", "scores"), "table", "be 'ranking', 'pairs' or 'scores'", table)
    if table == "scores" and not has_datasets:
        raise DataError("there is a table of scores by dataset where there are several datasets; these scores are of one.")
    texts, side = [], "higher" if comparison.metric.higher_is_better else "lower"
    if table in (None, "ranking"):
        shown = models_table(comparison)
        notes = (*shown.notes, *small_print(comparison)[:1])
        texts.append(replace(shown, title=f"Models by {value_name(comparison)}, {side} is better", notes=notes).as_latex())
    if table in (None, "pairs"):
        texts.append(pair_table(comparison).as_latex())
    if has_datasets and table in (None, "scores"):
        scores, best = _scores_by_dataset(comparison)
        texts.append(scores.as_latex(best))
    return "% needs \\usepackage{booktabs}\n" + "\n\n".join(texts) + "\n"


def _scores_by_dataset(comparison: Comparison) -> tuple[Table, set[tuple[int, int]]]:
    """A row for each dataset, and the average ranks below a rule; and which cells are the best of their row."""
    scores, is_mixed = comparison.scores, comparison.scores.is_mixed
    matrix, notes = dataset_means(scores).matrix(), [left_out(comparison.models)]
    spread = np.nanstd(np.where(np.isnan(matrix.score).all(axis=0), 0.0, matrix.score), axis=0)
    lines: list[tuple[tuple[str, ...], list[str], bool]] = []
    for name, of, column, own in zip(matrix.columns, scores.matrices, matrix.score.T, spread.tolist(), strict=True):
        metric = scores.metric_of(of)
        raw = metric.sign * column if is_mixed else column  # of mixed metrics they are turned so that higher is better
        decimals = min(decimals_for(own if is_mixed else float(np.median(spread))), DECIMALS_IN_ROWS)
        lines.append(((name, metric.name), [format_score(float(value), decimals) for value in raw], metric.higher_is_better))
    ranks = comparison.ranking_table.average_rank
    has_ranks = ranks is not None and bool(np.isfinite(ranks).any())
    if has_ranks:
        lines.append((("average rank", ""), [format_score(float(rank), 2) for rank in np.asarray(ranks)], False))
        notes.insert(0, "Average ranks depend on which models are in the table.")
    side = "" if is_mixed else f"; {'higher' if scores.metric.higher_is_better else 'lower'} is better"
    title = f"{printable(scores.metric.name)} on {count(matrix.n_splits, 'dataset')}{side}; the best in bold"
    n_names = 2 if is_mixed else 1
    rows = tuple((*names[:n_names], *texts) for names, texts, _ in lines)
    best = {(n, n_names + k) for n, (_, texts, higher) in enumerate(lines) for k in _best(texts, higher)}
    headers = (*("dataset", "metric")[:n_names], *model_names(comparison.models))
    right = (*(False,) * n_names, *(True,) * len(comparison.models))
    return Table(title, headers, rows, right, tuple(notes), rule=(matrix.n_splits, "") if has_ranks else None), best


DECIMALS_IN_ROWS = 4
"""Decimals of scores in a table that is read across."""


def _best(texts: Sequence[str], higher_is_better: bool) -> list[int]:
    """Places of the cells of a row that print the same as the best; a missing one is none."""
    values = [np.nan if text == "-" else float(text) for text in texts]
    known = [value for value in values if np.isfinite(value)]
    best = (max(known) if higher_is_better else min(known)) if known else np.nan
    return [place for place, value in enumerate(values) if value == best]


# --- one pair ---------------------------------------------------------------------------------------------------------------


def pair_page(pair: PairComparison) -> Page:
    """The sentence, flips, the next step, and the numbers that the sentence rests on."""
    c = pair.comparison
    regions = {"P(better)": pair.p_better, "P(equiv.)": pair.p_equivalent, "P(worse)": pair.p_worse}
    numbers = {
        f"{c.method.unit}s": str(pair.n_units),
        "std. error": format_score(pair.standard_error, table_decimals(c)),
        **{name: format_probability(p) for name, p in regions.items() if pair.law.is_posterior},
        "p": format_probability(pair.pvalue),
        **({"adj. p": format_probability(pair.adjusted_pvalue)} if pair.is_in_family and c.pair_table.n_pairs > 1 else {}),
    }
    first, second = (quoted_names(c.models)[name] for name in (pair.first, pair.second))
    step = pair_step(pair)
    return Page.of(
        pair_sentence(pair),
        flips_line(pair),
        "" if step.startswith("Take ") and pair.verdict == "better" else step,
        Table(f"{first} against {second}", tuple(numbers), (tuple(numbers.values()),), (True,) * len(numbers)),
        Paragraph((left_out(c.models),), is_small=True),
    )


def pair_row(pair: PairComparison) -> dict[str, Any]:
    """The pair's row of `Comparison.pairs`, without the columns that the procedure cannot give."""
    given = pair_columns(pair.comparison, np.arange(1))
    return {name: [getattr(pair, name)] for name in given if name != "look"}


def pair_facts(pair: PairComparison) -> dict[str, Any]:
    """The row, the sentence and the differences."""
    return document(
        schema=2,
        metric=pair.comparison.metric,
        rope=pair.rope,
        sentence=pair_sentence(pair),
        **{name: values[0] for name, values in pair_row(pair).items()},
        differences=pair.differences,
    )


PAIR = View(pair_page, pair_row, pair_facts, "tiebreak.views.plots.comparison:PAIR", sentence=pair_sentence)
VIEW = View(
    page,
    pair_columns,
    facts,
    "tiebreak.views.plots.comparison:PLOTS",
    report="tiebreak.views.report.comparison:report",
    frames={"ranking": ranking_columns, "correlation": correlation_frame, "shrinkage": shrinkage_columns},
    sentence=headline,
    texts={"next_step": next_step, "details": lambda comparison: details(comparison).as_text(), "latex": latex},
)
