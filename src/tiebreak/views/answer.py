"""Sentences of an answer: the headline, a pair, the next step, and the small print. No text of an answer stands elsewhere."""

import re
from collections.abc import Sequence
from math import ceil, isnan, nan
from typing import Any

import numpy as np

from tiebreak.comparison.comparison import Comparison, PairComparison
from tiebreak.comparison.family import REASONS
from tiebreak.comparison.next_step import Need, cheapest, detectable, need_of
from tiebreak.comparison.procedures.procedure import MOST_TIMES
from tiebreak.comparison.ranking import BEST, NEAR_BEST
from tiebreak.numerics import RELATIVE_TOLERANCE, VERDICTS
from tiebreak.scores.items import Items
from tiebreak.scores.metric import HIGHER_IS_BETTER
from tiebreak.scores.scores import Summary
from tiebreak.scores.vocabulary import Notice
from tiebreak.views.words import (
    WHY_UNTESTED,
    count,
    decimals_for,
    duration,
    format_bound,
    format_interval,
    format_percent,
    format_score,
    left_out,
    level_words,
    listed,
    printable,
    quote,
    quoted_names,
    seconds,
    span,
)

HEADLINES = {
    "better": "{a} is better than {b}: {size}.",
    "ahead": "{a} is ahead of {b}: {size}, perhaps too little to matter.",
    "equivalent": "{a} and {b} are practically equivalent: {metric} within {rope}.",
    "undecided": "No winner yet: {a} leads {b} by {amount} {metric}, which may be chance.",
    "even": "No winner yet: {a} and {b} are even.",
    "identical-scores": "No winner: {names} have identical scores.",
    "missing-splits": "No winner yet: {a} and {b} share too few {units}.",
    "untested": "No winner yet: {a} leads {b}, with too little to test it.",
    "best": "{a} is the best of the {n}: {value}.",
    "copies": "{names} are the best of the {n}, with identical scores.",
    "near": "Take {a}: shown to be within {rope} of the best of the {n}.",
    "fastest": "Take {a}, the fastest of {k} shown to be within {rope} of the best.",
    "open": "No winner yet: {a} leads ({value}), but {others} may be as good.",
    "unknown": "No winner yet: {a} leads ({value}), by how much is not known.",
    "over": "{names} {are} {verdict} {b}.",
    "not over": "No winner over {b} yet: {a} leads, {k} of {n} undecided.",
    "none over": "None is shown to be better than {b}: {k} of {n} undecided.",
    "keep": "Keep {b}: none of the {n} others is better{by}.",
}
"""Headlines, at most 15 words each with a name or a number as one."""

PAIRS = {
    "better": "{a} is better than {b}: {how}{beyond}.",
    "ahead": "{a} is ahead of {b}: {how}; that it exceeds {rope} is not shown.",
    "equivalent": "{a} and {b} are practically equivalent: {how}, inside ±{rope}{though}.",
    "undecided": "{a} and {b} cannot be told apart yet: {how}, {why}.",
    "outside": "{a} against {b}: {how}; this pair is not in the family that was judged, so it has no verdict.",
    "untested": "{a} and {b} are undecided: {why}.",
}

STEPS = {
    "take": "Take {a}.",
    "typical": "Take {a} if a typical {unit} is what counts; by the {value} {b} is ahead.",
    "either": "Take whichever is cheaper or simpler.",
    "faster": "Take {a}, the {word} to fit ({time}).",
    "near": "Take whichever is cheaper or simpler of {names}.",
    "keep": "Keep {b}.",
    "ahead": "To settle {a} and {b}: {ways}; {odds}.",
    "equivalent": "To show {a} and {b} equivalent: {ways}; {odds}.",
    "better": "To show that {a} and {b} differ by more than {rope}: {ways}; {odds}.",
    "keep scores": "To settle it, keep the single scores:",
    "hopeless": "If {a} and {b} differ as they do here, no realistic number of {units} settles them.",
}

IN_DETAILS = ("read-as", "identical-scores", "copied-units", "few-items", "mixed-metrics", "ordered-splits", "fit-warnings")
"""Codes of notices that stand in the details, as the answer is read as it is; of tables of means only that of few items."""


# --- the headline -----------------------------------------------------------------------------------------------------------


def headline(comparison: Comparison) -> str:
    """The answer in at most 15 words, which names the leader or the model to take."""
    pair = only_pair(comparison)
    if pair is not None:
        return _of_pair(pair)
    return _of_standings(comparison) if comparison.settings.baseline is None else _against_baseline(comparison)


def only_pair(comparison: Comparison) -> PairComparison | None:
    """The pair of an answer that is about two models."""
    table = comparison.pair_table
    if table.n_pairs > 1 or not table.is_family:
        return None
    return comparison.pair(comparison.models[table.first[0]], comparison.models[table.second[0]])


def _of_pair(pair: PairComparison) -> str:
    comparison, pair = pair.comparison, _favourable(pair)
    names = quoted_names(comparison.models)
    words = pair.verdict if pair.has_interval else pair.reason
    if words == "undecided" and not float(_amount(pair)):
        words = "even"
    return HEADLINES.get(words, HEADLINES["untested"]).format(
        a=names[pair.first],
        b=names[pair.second],
        names=listed([names[pair.first], names[pair.second]]),
        size=_size(pair),
        amount=_amount(pair),
        metric=printable(comparison.metric.name),
        rope=rope_words(comparison),
        units=f"{comparison.method.unit}s",
    )


def _of_standings(comparison: Comparison) -> str:
    table, names = comparison.ranking_table, list(quoted_names(comparison.models).values())
    rows: list[int] = table.contenders.tolist()
    leader = rows[0]
    value = f"{value_name(comparison)} {value_text(comparison, leader)}"
    said: dict[str, Any] = {"n": len(names), "rope": rope_words(comparison), "a": names[leader], "value": value}
    if table.standing is not None and np.all(table.standing[rows] == BEST):
        few = listed([names[row] for row in rows], 3)
        return HEADLINES["best" if len(rows) == 1 else "copies"].format(names=few, **said)
    near = np.flatnonzero(table.standing == NEAR_BEST).tolist()
    if near:
        fastest = cheapest(comparison, [comparison.models[row] for row in near])
        chosen = near[0] if fastest is None else comparison.models.index(fastest)
        return HEADLINES["near" if fastest is None else "fastest"].format(**{**said, "a": names[chosen], "k": len(near)})
    rivals = [names[row] for row in rows if table.entry[row] != table.entry[leader]]
    if not rivals:
        return HEADLINES["identical-scores" if len(rows) == len(names) else "unknown"].format(names=listed(names, 3), **said)
    return HEADLINES["open"].format(others=listed(rivals) if len(rivals) < 3 else f"{len(rivals)} others", **said)


def _against_baseline(comparison: Comparison) -> str:
    against, names = comparison.against_reference, list(quoted_names(comparison.models).values())
    base, n = names[comparison.reference_row], len(names) - 1
    found = {word: np.flatnonzero(against.verdict == code).tolist() for code, word in enumerate(VERDICTS)}
    for word, said in (("better", "better than"), ("ahead", "ahead of")):
        if rows := found[word]:
            are = "is" if len(rows) == 1 else "are"
            return HEADLINES["over"].format(names=listed([names[row] for row in rows], 3), are=are, verdict=said, b=base)
    if rows := found["undecided"]:
        lead = np.nan_to_num(against.difference, nan=-np.inf)
        best = max(rows, key=lambda row: lead[row])
        is_ahead = lead[best] > float(np.max(comparison.pair_table.law.tolerance))
        return HEADLINES["not over" if is_ahead else "none over"].format(a=names[best], b=base, k=len(rows), n=n)
    by = f" by more than {rope_words(comparison)}" if found["equivalent"] else ""
    return HEADLINES["keep"].format(b=base, n=n, by=by)


# --- one pair ---------------------------------------------------------------------------------------------------------------


def pair_sentence(pair: PairComparison) -> str:
    """Meaning of the verdict on one pair, with the interval that it rests on, or the reason why there is none."""
    comparison = pair.comparison
    names, rope = quoted_names(comparison.models), rope_words(comparison)
    if not pair.has_interval:
        why = why_untested(comparison, pair.reason, pair.interval_alpha if pair.is_in_family else comparison.settings.alpha)
        return PAIRS["untested"].format(a=names[pair.first], b=names[pair.second], why=why)
    pair = _favourable(pair)
    a, ends = names[pair.first], interval_text(comparison, pair.interval_low, pair.interval_high)
    size = _size(pair, "" if pair.verdict in ("better", "ahead") else a)
    why = "which holds 0" + (f" and reaches beyond ±{rope}" if comparison.rope else "")
    return PAIRS[pair.verdict or "outside"].format(
        a=a,
        b=names[pair.second],
        how=f"{size} ({interval_name(comparison, in_family=pair.is_in_family)} {ends})",
        beyond=f", more than the {rope} that matters" if comparison.rope else "",
        though=f"; {a} is measurably ahead" if pair.interval_low > float(pair.law.tolerance) else "",
        why="which ends at 0 itself" if pair.reason == "discrete" else why,
        rope=rope,
    )


def _favourable(pair: PairComparison) -> PairComparison:
    """The pair in the orientation in which its difference is not negative."""
    return pair.comparison.pair(pair.second, pair.first) if pair.difference < 0 else pair


def _amount(pair: PairComparison) -> str:
    return format_score(abs(pair.difference), table_decimals(pair.comparison))


def _size(pair: PairComparison, whose: str = "") -> str:
    """Words on a difference: "accuracy 0.032 higher", "no difference in accuracy"."""
    comparison = pair.comparison
    metric = printable(comparison.metric.name)
    if abs(pair.difference) <= float(pair.law.tolerance):
        return f"no difference in {metric}"
    typically = "typically " if comparison.method.is_centre else ""
    side = "higher" if comparison.metric.higher_is_better else "lower"
    return f"{metric} {typically}{_amount(pair)} {side}{f' for {whose}' if whose else ''}"


def interval_text(comparison: Comparison, low: Any, high: Any, decimals: int | None = None) -> str:
    """An interval of a difference, its ends as printed on their true side of 0 and of the rope."""
    limits = (0.0, comparison.rope, -comparison.rope)
    return format_interval(float(low), float(high), table_decimals(comparison) if decimals is None else decimals, limits)


def flips_line(pair: PairComparison) -> str:
    """Items that only one of two models gets, of 0/1 items: "75 items only bf16 gets, 21 only int4."; "" of other scores."""
    c, names = pair.comparison, quoted_names(pair.comparison.models)
    found = None if c.items is None or not c.method.is_paired or c.looks is not None else c.items.flips(pair.first, pair.second)
    if found is None:
        return ""
    one, other = map(len, found.values())
    return f"{count(one, c.method.unit)} only {names[pair.first]} gets, {other} only {names[pair.second]}."


# --- the next step ----------------------------------------------------------------------------------------------------------


def next_step(comparison: Comparison) -> str:
    """Which model to take, or what would settle it; "" where neither can be said."""
    t, names = comparison.ranking_table, quoted_names(comparison.models)
    pair = only_pair(comparison)
    if pair is not None:
        return pair_step(pair)
    if comparison.settings.baseline is not None:
        return _step_from_baseline(comparison)
    standing = np.array([]) if t.standing is None else t.standing
    good = np.flatnonzero((standing == BEST) | (standing == NEAR_BEST)).tolist()
    if good:
        takes = [comparison.models[row] for row in good]
        fast = cheapest(comparison, takes)
        if fast is not None:
            return _faster(comparison, fast)
        if len(good) == 1 or np.all(standing[good] == BEST):
            return _take(comparison, takes[0], list(comparison.models))
        return STEPS["near"].format(names=listed([names[name] for name in takes], 6))
    rows = t.contenders.tolist()
    others = [row for row in rows if t.entry[row] != t.entry[rows[0]]]
    if not others:
        return ""
    pair = comparison.pair(comparison.models[rows[0]], comparison.models[others[0]])
    if need_of(pair) is None and comparison.looks is not None and not pair.is_in_family:
        from tiebreak.views.looks import what_is_left

        return what_is_left(comparison, f"{names[pair.first]} and {names[pair.second]}")
    return _settling(pair)


def pair_step(pair: PairComparison) -> str:
    """The next step for one pair."""
    comparison, pair = pair.comparison, _favourable(pair)
    if pair.verdict == "better":
        return _take(comparison, pair.first, [pair.second])
    if pair.verdict == "equivalent":
        fast = cheapest(comparison, [pair.first, pair.second])
        return STEPS["either"] if fast is None else _faster(comparison, fast, "faster")
    return _settling(pair)


def _faster(comparison: Comparison, name: str, word: str = "fastest") -> str:
    time = f"{seconds(comparison.scores.fit_times[name][0])} a fit"
    return STEPS["faster"].format(a=quoted_names(comparison.models)[name], word=word, time=time)


def _take(comparison: Comparison, chosen: str, rivals: Sequence[str]) -> str:
    """The model to take; where centres of differences were judged and a rival has the better value, on what that rests."""
    names, table, method = quoted_names(comparison.models), comparison.ranking_table, comparison.method
    value = dict(zip(comparison.models, np.nan_to_num(comparison.metric.sign * table.shown, nan=-np.inf), strict=True))
    ahead = max(rivals, key=lambda name: value[name])
    if not method.is_centre or value[ahead] - value[chosen] <= RELATIVE_TOLERANCE * abs(value[chosen]):
        return STEPS["take"].format(a=names[chosen])
    return STEPS["typical"].format(a=names[chosen], unit=method.unit, value=table.value_name, b=names[ahead])


def _step_from_baseline(comparison: Comparison) -> str:
    """A model that is better, or what would settle the open one that needs least."""
    codes, base = comparison.against_reference.verdict.tolist(), comparison.reference
    verdicts = {name: VERDICTS[code] for name, code in zip(comparison.models, codes, strict=True)}
    better = [name for name, verdict in verdicts.items() if verdict == "better"]
    if better:
        return _take(comparison, better[0], [base])
    open_ = [name for name, verdict in verdicts.items() if verdict in ("undecided", "ahead")]
    if not open_:
        return STEPS["keep"].format(b=quoted_names(comparison.models)[base])
    pairs = (comparison.pair(name, base) for name in open_[:MOST_WEIGHED])
    needs = [(need.n_units, need.times_data, _settling(pair)) for pair in pairs if (need := need_of(pair)) is not None]
    return min(needs)[-1] if needs else ""


MOST_WEIGHED = 20
"""Open pairs of which the units that would settle them are worked out."""


def _settling(pair: PairComparison) -> str:
    """Units that would settle a pair, or that no realistic number of them does; of looks, the rest of their plan."""
    pair = _favourable(pair)
    comparison = pair.comparison
    names = quoted_names(comparison.models)
    a, b = names[pair.first], names[pair.second]
    if lines_to_keep(comparison):
        return STEPS["keep scores"]
    need = need_of(pair)
    if need is None:
        return ""
    if comparison.looks is not None:
        from tiebreak.views.looks import what_is_left

        return what_is_left(comparison, f"{a} and {b}")
    ways = _ways(pair, need)
    units = "examples" if comparison.method.unit == "split" else f"{comparison.method.unit}s"
    words, method = STEPS[need.goal if ways else "hopeless"], comparison.method
    # the share of simulated continuations that fulfilled the advice (benchmarks/validity/advice.py): of repeats on the same data
    # 16 of 45, 6 of 18 and 139 of 300, of areas under ROC curves 40 % of 300, of test sets 43 %; of items, datasets, seeds and
    # periods 46 to 58 % of 300 each
    is_at_best = method.unit == "split" or method.question == "test-sets" or not method.is_mean
    odds = "even odds at best" if is_at_best else "about even odds"
    return words.format(a=a, b=b, ways=" or ".join(ways), odds=odds, units=units, rope=rope_words(comparison))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _ways(pair: PairComparison, need: Need) -> list[str]:
    """Numbers of repeats, units, examples or runs that would do."""
    unit, found = pair.comparison.method.unit, []
    if need.n_units <= MOST_TIMES * pair.n_units and need.can_repeat:
        found.append(_units(pair, need))
    if np.isfinite(need.runs_needed):
        found.append(f"about {need.runs_needed:.0f} runs instead of {need.n_runs}")
    if not found and unit == "split" and need.times_data <= MOST_TIMES:
        found.append(f"{_times(need.times_data)} as many examples{' (more repeats will not do)' if need.can_repeat else ''}")
    return found


def _units(pair: PairComparison, need: Need) -> str:
    """Number of units; of splits the repeats of the folds that make as many, with the fits of both models and their time."""
    comparison, unit, items = pair.comparison, pair.comparison.method.unit, pair.comparison.items
    if unit == "split":
        n_now, fits = np.unique(comparison.matrix.repeat).size, comparison.scores.fit_times
        n_folds = comparison.matrix.n_splits / n_now
        n_repeats = max(ceil(need.n_units / n_folds), n_now + 1)
        n_fits = 2 * (n_repeats - n_now) * n_folds
        seconds_in_all = n_fits * float(np.mean([fits.get(name, (nan, nan))[0] for name in (pair.first, pair.second)]))
        time = "" if isnan(seconds_in_all) else f", about {duration(seconds_in_all)}"
        return f"about {count(n_repeats, 'repeat')} of these splits instead of {n_now} ({n_fits:,.0f} more fits{time})"
    if comparison.method.question == "test-sets":  # each model's own, of sizes that may differ
        return f"{_times(need.n_units / pair.n_units)} as many {unit}s for each model"
    n_units = _rounded_up(max(need.n_units, pair.n_units + 1))
    if items is None or items.clusters is None or not comparison.method.is_paired:
        return f"about {n_units:,} {unit}s instead of {pair.n_units:,}"
    n_clusters = _rounded_up(max(need.n_units / pair.n_units * items.n_clusters, items.n_clusters + 1))
    return f"about {n_clusters:,} clusters like these ({n_units:,} {unit}s) instead of {items.n_clusters:,}"


def _times(factor: float) -> str:
    return f"about {factor:.2g} times" if factor < 10 else f"about {factor:.0f} times"


def _rounded_up(n_units: float) -> int:
    """Two digits, as the estimate behind the number is not known to more."""
    step: int = 10 ** max(0, int(np.log10(n_units)) - 1)
    return int(np.ceil(n_units / step)) * step


# --- the small print --------------------------------------------------------------------------------------------------------


def small_print(comparison: Comparison) -> list[str]:
    """Lines on how the numbers were made and what they cannot show, then the notices that change how they are read."""
    method, unit, table, t = comparison.method, comparison.method.unit, comparison.pair_table, comparison.ranking_table
    is_brief = comparison.matrix.summary is not None  # a table of means has its own lines on what it cannot show
    rope, adjusted = "", ""
    if comparison.rope:
        rope = f"differences up to {rope_words(comparison)} do not matter"
    elif not is_brief:
        rope = "no rope was given, so none can be shown equivalent"
    facts = (design_line(comparison), rope if table.judged.unit == "metric" else "", together(comparison))
    unseen = None if is_brief else detectable(comparison)
    can_flatter = len(comparison.models) > 2 and bool(np.any(t.entry))  # of copies none was picked
    is_picked = can_flatter and not is_brief and comparison.settings.baseline is None and method.question != "datasets"
    turned = "; a positive difference favours the model" if table.is_family else ""
    if t.adjusted is not None:
        whole = "" if t.is_linked else f" that shared {unit}s link it with; values of two groups cannot be compared"
        adjusted = f"The {value_name(comparison)} is adjusted: as if every model had been measured on all {unit}s{whole}."
    names, shared = list(quoted_names(comparison.models).values()), left_out(comparison.models)
    lines = [
        _sentence(re.sub(r"\) \(", ", ", f"{'; '.join(filter(None, facts))} ({method.name}).")),
        "" if comparison.metric.higher_is_better else f"Lower {printable(comparison.metric.name)} is better{turned}.",
        f"Differences below {format_bound(unseen['smallest'], table_decimals(comparison))} mostly go unseen." if unseen else "",
        f"{names[0]} was picked here: its {value_text(comparison, 0)} flatters." if is_picked else "",
        f"A typical difference is that of a typical {unit}, not of the means." if method.is_centre and table.is_family else "",
        adjusted,
        f"{shared}." if shared else "",
        f"Nothing is said of {method.not_covered}." if method.not_covered else "",
    ]
    zero = [name for name, row in zip(names, comparison.matrix.score, strict=True) if row.size and np.all(row == 0)]
    return [
        " ".join(filter(None, lines)),
        f"! All scores of {listed(zero)} are 0: see whether it was measured at all." if 0 < len(zero) < len(names) else "",
        *(f"! {_sentence(notice.text.rstrip('.'))}." for notice in notices(comparison, is_reading=True)),
    ]


def notices(comparison: Comparison, *, is_reading: bool) -> list[Notice]:
    """Notices that change how the answer is read, or the others that the page does not state in other words."""
    other = IN_DETAILS if comparison.matrix.summary is None else ("few-items",)
    return [each for each in comparison.notices if (each.code not in other) == is_reading]


def together(comparison: Comparison) -> str:
    """Words on what the intervals hold at once; "" of a single pair."""
    table = comparison.pair_table
    if not table.is_family:
        return f"each against the best, whichever it is (Hsu{', by posteriors' if table.judged.credible else ''})"
    if table.n_pairs == 1 or not np.any(comparison.ranking_table.entry):  # all are copies
        return ""
    if table.is_simultaneous:
        return f"{'both' if table.n_pairs == 2 else f'all {table.n_pairs}'} intervals hold together"
    how = "each interval holds by itself: of many pairs some are wrong"
    return how if table.correction == "none" else f"each interval at {level_words(table.interval_alpha)} ({table.correction})"


# --- parts of several sentences and of tables -------------------------------------------------------------------------------


def table_decimals(comparison: Comparison) -> int:
    """Decimals of a page: those of the median standard error, so that one odd pair does not set them."""
    return decimals_for(comparison.pair_table.typical_resolution)


def value_text(comparison: Comparison, row: int) -> str:
    """Value of a model."""
    return format_score(float(comparison.ranking_table.shown[row]), table_decimals(comparison))


def value_name(comparison: Comparison) -> str:
    """Name of the values: the metric's where they are its means."""
    table = comparison.ranking_table
    return printable(comparison.metric.name if table.value_name in ("mean", "measured") else table.value_label)


def why_untested(comparison: Comparison, reason: str, alpha: float) -> str:
    """Why a pair is undecided, where that is more than an interval that leaves it open; else ""."""
    is_broken = reason == "missing-splits" and comparison.method.question == "time"
    why = "a missing {unit} breaks the order of time" if is_broken else WHY_UNTESTED.get(reason, "")
    return why.format(unit=comparison.method.unit, level=level_words(alpha))


def reason_notes(comparison: Comparison, names: Sequence[str], reasons: Sequence[int]) -> tuple[str, ...]:
    """Notes on the pairs under these names that are undecided for want of an interval that could decide."""
    found = dict[str, list[str]]()
    for name, code in zip(names, reasons, strict=True):
        if why := why_untested(comparison, REASONS[code], comparison.pair_table.interval_alpha):
            found.setdefault(why, []).append(name)
    return tuple(f"Undecided ({listed(who)}): {why}." for why, who in found.items())


def interval_name(comparison: Comparison, *, in_family: bool = True, is_header: bool = False) -> str:
    """Name of the one interval of a pair: "95% interval", "simultaneous 95% interval", "98.3% interval"; a header is short."""
    table, alpha = comparison.pair_table, comparison.settings.alpha
    if not in_family or not table.is_family:
        return f"{'' if is_header else 'its own '}{format_percent(1 - alpha)} interval"
    if table.is_simultaneous:
        at_once = "simultaneous " if table.n_pairs > 1 and not is_header else ""
        return f"{at_once}{format_percent(1 - alpha)} interval"
    return f"{level_words(table.interval_alpha)} interval"


def rope_words(comparison: Comparison) -> str:
    """The rope in the metric's unit, and as it was given where that was a share."""
    given = comparison.settings.rope
    if not isinstance(given, str):
        return f"{comparison.rope:.15g}"
    return f"{comparison.rope:.3g} ({given.strip()})"


def design_line(comparison: Comparison) -> str:
    """Splits and sizes of the scores, in one line."""
    matrix, design, question = comparison.matrix, comparison.scores.design, comparison.method.question
    if comparison.items is not None and question != "test-sets":
        return _of_items(comparison.items)
    if matrix.summary is not None:
        return design_of_means(matrix.summary)
    if question == "seeds":
        n_test = int(matrix.n_test.max(initial=0))
        size = f" of {n_test:,} examples" if n_test else ""
        return f"{span(comparison.ranking_table.n_units)} seeds of each model, one test set{size}"
    if question == "time":
        return f"{count(matrix.n_splits, 'period')} in order of time, {matrix.columns[0]} to {matrix.columns[-1]}"
    if question == "test-sets":
        return f"a test set of each model's own, of {span(comparison.ranking_table.n_units)} {comparison.method.unit}s"
    if question == "datasets":
        n_splits = np.array([each.n_splits for each in comparison.scores.matrices])
        means = f", means over {span(n_splits)} splits each" if n_splits.max() > 1 else ""
        return f"{count(matrix.n_splits, 'dataset')}{means}"
    n_repeats = int(np.unique(matrix.repeat).size)
    n_folds, rest = divmod(matrix.n_splits, n_repeats)
    folds = f" ({n_repeats} x {n_folds}-fold)" if n_repeats > 1 and not rest and n_folds > 1 and design.pairing == "key" else ""
    if not folds and matrix.n_folds and not matrix.has_sizes:
        folds = f" ({matrix.n_folds}-fold)"
    dataset = f" of {quote(matrix.dataset)}" if matrix.dataset else ""
    return f"{count(matrix.n_splits, 'split')}{dataset}{folds}"


def sizes_line(comparison: Comparison) -> str:
    """Sizes of the splits; "" where they are not known, or the scores are of no splits."""
    matrix = comparison.matrix
    if comparison.method.unit != "split" or not (matrix.has_sizes or matrix.n_folds):
        return ""
    if not matrix.has_sizes:
        return f"splits are taken to be {matrix.n_folds}-fold cross-validation, so a test set is 1/{matrix.n_folds} of the data"
    about = "about " if comparison.scores.design.sizes == "approximate" else ""
    return f"{about}{span(matrix.n_train)} training and {about}{span(matrix.n_test)} test examples in each split"


def _of_items(items: Items) -> str:
    """Numbers of items, clusters and runs."""
    clusters = "" if items.clusters is None else f" in {count(items.n_clusters, 'cluster')}"
    runs = "" if len(items.runs) == 1 else f", {span(items.n_runs)} runs each"
    weights = "" if items.weights is None else ", weighted"
    n_positive = None if items.is_positive is None else int(np.count_nonzero(items.is_positive))
    classes = "" if n_positive is None else f", {n_positive:,} positive and {len(items.items) - n_positive:,} negative"
    return f"{count(len(items.items), items.unit)}{classes}{clusters}{runs}{weights}"


# --- tables of means --------------------------------------------------------------------------------------------------------

_SAVE = 'table.assign(y_true=y).to_csv("predictions.csv", index=False)'
_COMPARE = "tiebreak compare predictions.csv --metric {metric}"
_LINES = {
    "rates": ("table = pd.DataFrame({{n: m.predict(X) for n, m in models.items()}})", _SAVE, _COMPARE),
    "areas": ("table = pd.DataFrame({{n: m.predict_proba(X)[:, 1] for n, m in models.items()}})", _SAVE, _COMPARE),
    "folds": (
        "how = dict(cv={cv}, scoring={scorer!r})",
        "scores = {{n: cross_validate(m, X, y, **how) for n, m in models.items()}}",
        "print(tb.compare(scores, metric={scorer!r}, cv={cv}))",
    ),
    "pycaret rates": (
        'table = pd.DataFrame({{str(m): predict_model(m, X)["prediction_label"] for m in models}})',
        _SAVE,
        _COMPARE,
    ),
    "pycaret areas": (
        "table = pd.DataFrame({{str(m): predict_model(m, X, raw_score=True).iloc[:, -1] for m in models}})",
        _SAVE,
        _COMPARE,
    ),
    "autogluon rates": ("table = pd.DataFrame(predictor.predict_multi(X))", _SAVE, _COMPARE),
    "autogluon areas": (
        "table = pd.DataFrame({{n: p.iloc[:, -1] for n, p in predictor.predict_proba_multi(X).items()}})",
        _SAVE,
        _COMPARE,
    ),
    "lm-eval rates": (
        "lm_eval --model_args pretrained=MODEL_A ... --log_samples --output_path results",
        "lm_eval --model_args pretrained=MODEL_B ... --log_samples --output_path results",
        "tiebreak results",
    ),
}
"""Three lines to copy, by what the means are of, and the tool that made the table."""


def lines_to_keep(comparison: Comparison) -> tuple[str, ...]:
    """Lines that keep the single scores and compare them; none where these are known, or no overlap counts."""
    means, metric = comparison.matrix.summary, comparison.metric
    if means is None or means.kind == "runs":
        return ()
    lines = _LINES.get(f"{means.tool} {means.kind}", _LINES[means.kind])
    return tuple(
        line.format(
            # of predictions a rate under another name, such as exact match or an error rate, is an accuracy
            metric=metric.name if metric.name in HIGHER_IS_BETTER else "accuracy",
            scorer=metric.name if metric.higher_is_better else f"neg_{metric.name}",
            cv=means.n[-1],
        )
        for line in lines
    )


def design_of_means(means: Summary) -> str:
    """Description in a line of what means are of."""
    n, k = means.n[0], means.n[-1]
    return {
        "rates": f"{count(n, 'test example')}, whatever the overlap",
        "areas": f"{count(n + k, 'test example')} ({n:,} positive), whatever the overlap",
        "folds": f"means of {count(n, 'split')}{f' ({n // k} x {k}-fold)' if n > k else ''}, whatever their correlation",
        "runs": f"means of {count(n, 'run')} of each model",
    }[means.kind]


NEEDED_OVERLAP = {
    "summary-rates": ("{0:.0%}", "{} of the better one's mistakes are shared"),
    "summary-folds": ("{1:.2f}", "scores over folds correlate by {} or more"),
    "summary-areas": ("{1:.2f}", "areas correlate by {} or more"),
}
"""Overlap that settles a pair, by the method: a share of what it can be or a correlation, and the words around it."""


def overlap_notes(comparison: Comparison) -> tuple[str, ...]:
    """Models that are not told apart from the leader: with the overlap that would settle each, and those that none would.

    Of the methods in `NEEDED_OVERLAP`.
    """
    number, what = NEEDED_OVERLAP[comparison.method.name]
    names = quoted_names(comparison.models)
    shares = {names[test.models[1]]: test.statistic for test in comparison.supplementary_tests}
    never = [name for name, share in shares.items() if np.isnan(share)]
    parts = [f"{number.format(share, 2 * share - 1)} ({name})" for name, share in shares.items() if name not in never]
    more = f" (and {count(len(parts) - 3, 'more model')})" if len(parts) > 3 else ""
    return (
        *([f"Depends on the overlap: decided if {what.format(' or '.join(parts[:3]))}{more}."] if parts else []),
        *([f"Not shown, whatever the overlap: {listed(never, 5)}."] if never else []),
    )
