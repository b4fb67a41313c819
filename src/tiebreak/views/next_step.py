"""Next step in words: which model to take, or what would settle it and at what cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tiebreak.comparison.next_step import MOST_TIMES, Need, cheapest, detectable, need_of
from tiebreak.comparison.ranking import BEST, NEAR_BEST
from tiebreak.numerics import RELATIVE_TOLERANCE
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.looks import what_is_left
from tiebreak.views.names import quoted_names
from tiebreak.views.words import (
    count,
    decimals_for,
    format_bound,
    format_percent,
    listed,
    seconds,
)

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison, PairComparison

MANY_PAIRS = 20
"""Pairs from which it is said what a baseline would change."""


def next_step(comparison: Comparison) -> str:
    """One or two sentences that can be followed; "" where nothing is left to do."""
    if comparison.pair_table.n_pairs == 1 and comparison.pair_table.is_family:
        table = comparison.pair_table
        return pair_step(comparison.pair(comparison.models[table.first[0]], comparison.models[table.second[0]]))
    if comparison.settings.baseline is not None:
        return _against_baseline(comparison)
    if taken := _taken(comparison):
        return taken
    settling = _settling(comparison)
    return " ".join(filter(None, (settling, _fewer_pairs(comparison)))) if settling else ""


def could_not_see(comparison: Comparison) -> str:
    """The difference that tables like this one mostly show; "" where that is not known."""
    found = detectable(comparison)
    if found is None:
        return ""
    decimals = decimals_for(comparison.pair_table.typical_resolution)
    low, high = (format_bound(each, decimals) for each in (found.smallest, found.largest))
    true = f"A true difference of {low}" if low == high else f"Depending on the pair, a true difference of {low} to {high}"
    return f"{true} is seen in {format_percent(found.power)} of tables like this one, a smaller one less often."


def pair_step(pair: PairComparison) -> str:
    """The next step for one pair."""
    names = quoted_names(pair.comparison.models)
    if pair.difference < 0:
        pair = pair.comparison.pair(pair.second, pair.first)
    first, second = names[pair.first], names[pair.second]
    if pair.verdict == "better":
        return f"Next step: take {first}{_if_typical(pair.comparison, pair.first, [pair.second])}."
    if pair.verdict == "equivalent":
        cheap = cheapest(pair.comparison, [pair.first, pair.second])
        if cheap is None:
            return "Next step: take whichever of the two is cheaper or simpler."
        return f"Next step: take {names[cheap]}, the faster of the two to fit{_seconds_of(pair.comparison, cheap)}."
    need = need_of(pair)
    if need is None:
        return ""
    return f"Next step: {_how_to_settle(pair, need, f'{first} and {second}')}"


def _taken(comparison: Comparison) -> str:
    """The best model, or the cheapest of those that are near best; "" where none is."""
    table, names = comparison.ranking_table, quoted_names(comparison.models)
    alone = np.flatnonzero(table.standing == BEST)
    near = np.flatnonzero(table.standing == NEAR_BEST)
    good = [comparison.models[row] for row in sorted({*alone.tolist(), *near.tolist()})]
    if not good:
        return ""
    cheap = cheapest(comparison, good)
    chosen = cheap or good[0]
    if alone.size and len(good) == alone.size:
        others = [names[name] for name in good if name != chosen]
        either = f"{listed([names[chosen], *others], conjunction='or')}, which have the same scores" if others else names[chosen]
        return f"Next step: take {either}{_if_typical(comparison, chosen, list(comparison.models))}."
    bound = 0.0 if table.shortfall_high is None else float(table.shortfall_high[comparison.models.index(chosen)])
    decimals = decimals_for(comparison.pair_table.typical_resolution)
    far = f"no model is better by more than {format_bound(bound, decimals, (comparison.rope,))}" if bound else "it is the best"
    if cheap is None:
        also = f", or the cheapest of the {len(good)} that are near best" if len(good) > 1 else ""
        if not bound:
            return f"Next step: take {names[chosen]}, the best{also}."
        return f"Next step: take {names[chosen]}{also}; {far}."
    return f"Next step: take {names[chosen]}, the fastest to fit of those near best{_seconds_of(comparison, chosen)}; {far}."


def _if_typical(comparison: Comparison, chosen: str, rivals: list[str]) -> str:
    """The condition of a choice by the centre of differences where a rival has the better mean; "" elsewhere."""
    table, rows = comparison.ranking_table, [comparison.models.index(name) for name in rivals]
    if not comparison.method.is_centre:
        return ""
    value = np.nan_to_num(comparison.metric.sign * table.ordering_value, nan=-np.inf)
    ahead = max(rows, key=lambda row: value[row])
    own = value[comparison.models.index(chosen)]
    if value[ahead] - own <= RELATIVE_TOLERANCE * abs(own):
        return ""
    name = quoted_names(comparison.models)[comparison.models[ahead]]
    return f" if a typical {comparison.method.unit} is what counts; by the {table.value_name} {name} is ahead"


def _settling(comparison: Comparison) -> str:
    """Words on which of many that may be best to take, and on telling the first from the next one that may be best, too."""
    table = comparison.ranking_table
    rows = table.contenders.tolist()
    others = [comparison.models[row] for row in rows if table.entry[row] != table.entry[0]]  # nothing settles copies of the first
    if not others:
        return ""
    pair = comparison.pair(comparison.models[0], others[0])
    if pair.difference < 0:
        pair = comparison.pair(pair.second, pair.first)
    names, need = quoted_names(comparison.models), need_of(pair)
    which = f"{names[pair.first]} and {names[pair.second]}"
    if need is None:
        return "" if comparison.looks is None or pair.is_in_family else f"Next step: {what_is_left(comparison, which)}"
    taken = _one_of_many(comparison, rows)
    settled = _how_to_settle(pair, need, which, is_taken=bool(taken))
    return f"Next step: {taken} {settled[0].upper()}{settled[1:]}" if taken else f"Next step: {settled}"


MANY_CONTENDERS = 4
"""Models that may be best from which it is said that the cheapest of them will do, and what that may cost."""


def _one_of_many(comparison: Comparison, rows: list[int]) -> str:
    """The cheapest of the models that may be best, with the bound on how far it falls short; "" of few, or without a bound."""
    bounds = comparison.ranking_table.shortfall_high
    if len(rows) < MANY_CONTENDERS or bounds is None or comparison.looks is not None:
        return ""
    cheap = cheapest(comparison, [comparison.models[row] for row in rows])
    of = f"the {len(rows)} that may be best"
    chosen = rows if cheap is None else [comparison.models.index(cheap)]
    most = float(bounds[chosen].max())
    if not np.isfinite(most):
        return ""
    bound = format_bound(most, decimals_for(comparison.pair_table.typical_resolution), (comparison.rope,))
    if cheap is None:
        return f"if one must be taken now, the cheapest of {of} falls short by at most {bound}."
    fastest = f"{quoted_names(comparison.models)[cheap]}, the fastest to fit of {of}{_seconds_of(comparison, cheap)}"
    return f"if one must be taken now, {fastest}, falls short by at most {bound}."


def _against_baseline(comparison: Comparison) -> str:
    """A model that is better, or what would settle the open one that needs least."""
    codes = comparison.against_reference.verdict.tolist()
    verdicts = {name: VERDICTS[code] for name, code in zip(comparison.models, codes, strict=True)}
    better = [name for name, verdict in verdicts.items() if verdict == "better"]
    names = quoted_names(comparison.models)
    if better:
        only_if = _if_typical(comparison, better[0], [comparison.reference])
        return f"Next step: take {names[better[0]]} in the place of the baseline{only_if}."
    baseline = comparison.reference
    open_ones = [comparison.pair(name, baseline) for name in _nearest_to_settled(comparison)]
    needs = [(need, pair) for pair in open_ones if (need := need_of(pair)) is not None]
    if not needs:
        kept = all(verdict in ("worse", "behind", "equivalent", "") for verdict in verdicts.values())
        return f"Next step: keep the baseline {names[baseline]}." if kept else ""
    need, pair = min(needs, key=lambda each: each[0].n_units)
    return f"Next step: {_how_to_settle(pair, need, f'{names[pair.first]} and the baseline')}"


MOST_WEIGHED = 20
"""Open pairs of which the units that would settle them are worked out."""


def _nearest_to_settled(comparison: Comparison) -> list[str]:
    """Models that are undecided or ahead, those first whose intervals are shortest beside the distance that would decide."""
    against = comparison.against_reference
    is_open = np.isin(against.verdict, [VERDICTS.index("undecided"), VERDICTS.index("ahead")])
    size = np.abs(against.difference)
    ratio = (against.interval.high - against.interval.low) / np.maximum(np.maximum(size, comparison.rope - size), 1e-300)
    order = np.argsort(np.where(np.isfinite(ratio), ratio, np.inf), kind="stable")
    return [comparison.models[row] for row in order.tolist() if is_open[row]][:MOST_WEIGHED]


def _how_to_settle(pair: PairComparison, need: Need, which: str, *, is_taken: bool = False) -> str:
    """Units that would settle a pair, or that no realistic number of them does; of looks, the rest of their plan."""
    if pair.comparison.looks is not None:
        return what_is_left(pair.comparison, which)
    ways = [_units(pair, need)] if need.n_units <= MOST_TIMES * pair.n_units else []
    if np.isfinite(need.runs_needed):
        ways.append(f"about {need.runs_needed:.0f} runs instead of {need.n_runs}")
    if need.can_repeat and ways:
        return f"{', or '.join(ways)} would {_goal_words(need, which)}, {_odds(pair)}{_cost(need)}."
    cannot = "no realistic number of repeats" if need.can_repeat else "splits of this kind cannot be repeated;"
    if pair.comparison.method.unit == "split" and need.times_data <= MOST_TIMES:
        times = f"about {_times(need.times_data)} times as many examples"
        if need.can_repeat:
            return f"{cannot} would {_goal_words(need, which)}; {times} would, {_odds(pair)}."
        return f"{cannot} {times} would {_goal_words(need, which)}, {_odds(pair)}."
    more = "repeats or examples" if pair.comparison.method.unit == "split" else f"{pair.comparison.method.unit}s"
    more = f"{more} or of runs alone" if need.n_runs else more if need.can_repeat else "examples"
    advice = "" if pair.rope else " Say which differences do not matter (a rope), and equivalence can be shown."
    either = "" if is_taken else ": take either, by cost or simplicity"
    return f"no realistic number of {more} settles {which}{either}.{advice}"


def _odds(pair: PairComparison) -> str:
    """Condition of the advice, with its odds: the share of simulated continuations that fulfilled it.

    Of repeats on the same data 16 of 45, 6 of 18 and 139 of 300 did, of areas under ROC curves 40 % of 300, of test sets 43 %; of
    items, datasets, seeds and periods 46 to 58 % of 300 each (benchmarks/validity/advice.py).
    """
    method = pair.comparison.method
    is_at_best = method.unit == "split" or method.question == "test-sets" or not method.is_mean
    odds = "even odds at best" if is_at_best else "about even odds"
    return f"if the difference stays what it is, which has {odds}"


def _goal_words(need: Need, which: str) -> str:
    return {
        "equivalent": f"show {which} equivalent",
        "ahead": f"show which of {which} is ahead",
        "better": f"show whether the difference of {which} exceeds the rope",
    }[need.goal]


def _units(pair: PairComparison, need: Need) -> str:
    if not need.n_repeats:
        unit, items = pair.comparison.method.unit, pair.comparison.items
        n_units = _rounded_up(max(need.n_units, pair.n_units + 1))
        if items is None or items.clusters is None or not pair.comparison.method.is_paired:
            return f"about {n_units:,} {unit}s instead of {pair.n_units:,}"
        n_clusters = _rounded_up(max(need.n_units / pair.n_units * items.n_clusters, items.n_clusters + 1))
        return f"about {n_clusters:,} clusters like these ({n_units:,} {unit}s) instead of {items.n_clusters:,}"
    n_now = np.unique(pair.comparison.matrix.repeat).size
    return f"about {count(need.n_repeats, 'repeat')} of these splits instead of {n_now}"


def _rounded_up(n_units: float) -> int:
    """Two digits, as the estimate behind the number is not known to more."""
    step: int = 10 ** max(0, int(np.log10(n_units)) - 1)
    return int(np.ceil(n_units / step)) * step


def _cost(need: Need) -> str:
    if not need.n_repeats:
        return ""
    time = "" if np.isnan(need.seconds) else f", about {seconds(need.seconds)}"
    return f" ({need.n_fits:,.0f} more fits{time})"


def _times(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _seconds_of(comparison: Comparison, name: str) -> str:
    return f" ({seconds(comparison.scores.fit_seconds[name])} a fit)"


def _fewer_pairs(comparison: Comparison) -> str:
    """The change that a baseline would make where many pairs share the error rate."""
    n_pairs, n_models = comparison.pair_table.n_pairs, len(comparison.models)
    if n_pairs < MANY_PAIRS or comparison.looks is not None or not comparison.pair_table.is_simultaneous:
        return ""
    share = format_percent(comparison.settings.alpha)
    few = f"with a baseline named before looking, over {n_models - 1:,}"
    return f"The {share} chance of a false claim is split over {n_pairs:,} pairs; {few}."
