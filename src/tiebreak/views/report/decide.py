"""Data of decide.js: the numbers on which a rope and a level decide, and the words in which it says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.pairs import every_pair
from tiebreak.comparison.verdict import REASONS
from tiebreak.frequentist.shaffer import shaffer_sets
from tiebreak.numerics import IntArray, student_quantile
from tiebreak.views import comparison as comparison_words
from tiebreak.views import pair as pair_words
from tiebreak.views import requirements as requirement_words
from tiebreak.views.json import plain
from tiebreak.views.pair import names_in_sentences
from tiebreak.views.words import printable, short_names

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.procedures.procedure import Differences
    from tiebreak.comparison.requirements import Requirement, Requirements

ALPHAS = (0.2, 0.1, 0.05, 0.01, 0.001)
"""Levels whose ends are given where the script cannot compute them."""

MEAN = "\0"
"""A mark for the mean in the opening of the answer, whose digits the script finds; names have no such character."""

WORDS = {
    "pair": pair_words.WORDS,
    "without": pair_words.WITHOUT_INTERVAL,
    "comparison": comparison_words.WORDS,
    "against": comparison_words.AGAINST,
    "requirements": {
        "words": requirement_words.WORDS,
        "stated": {", ".join(key): words for key, words in requirement_words.AS_STATED.items()},
        "where": {", ".join(key): words for key, words in requirement_words.WHERE.items()},
        "reasons": requirement_words.REASONS,
    },
}
"""Templates of sentences, as the views of Python fill them in; once for all answers of a page."""


def decide_data(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """Everything from which decide.js answers for another rope or level.

    Pairs are all pairs of the models, in ranking order or in the order given, whatever the family. Of Student answers their
    estimates, standard errors and degrees of freedom are enough for any level; of others the ends at a choice of levels are
    given, in `levels`.
    """
    table, settings, names = comparison.pair_table, comparison.settings, names_in_sentences(comparison)
    order = None if settings.order is None else [comparison.models.index(name) for name in settings.order]
    first, second = _all_pairs(comparison, order)
    has_all = settings.baseline is None
    differences = table.differences if has_all else comparison.method.judge(comparison.scores, first, second, comparison.resolved)
    data = {
        "names": [names[model] for model in comparison.models],
        "metric": printable(comparison.metric.name),
        "higher_is_better": comparison.metric.higher_is_better,
        "opening": comparison_words.opening(comparison, MEAN),
        "value": comparison_words.value_of_baseline(comparison),
        "means": plain(comparison.ranking_table.mean),
        "lacking": _packed([comparison_words.lacks_units(comparison, row) for row in range(len(names))]),
        "unit": comparison.method.unit,
        "asked": {
            "rope": comparison.rope,
            "alpha": settings.alpha,
            "given": settings.rope if isinstance(settings.rope, str) else None,
        },
        "correction": comparison.correction,
        "is_posterior": differences.is_posterior,
        "takes_rope": differences.unit == "metric",
        "widest": _width(comparison),
        "pairs": _pair_columns(differences),
        "requirements": [] if requirements is None else [_requirement(each, comparison) for each in requirements],
    }
    if order is not None:
        data["order"] = order
    if differences.is_simultaneous:
        data["by_itself"] = comparison.method.name
    if not has_all:
        data["baseline"] = comparison.models.index(comparison.reference)
    if comparison.correction == "shaffer":
        data["sets"] = list(shaffer_sets(len(comparison.models)))
    if not is_student(differences):
        alphas = sorted({*ALPHAS, settings.alpha}, reverse=True)
        data["levels"] = [_at_alpha(comparison, requirements, (first, second, differences), alpha) for alpha in alphas]
        probabilities = replace(table, first=first, second=second, differences=differences).probabilities
        if probabilities is not None:
            data["regions"] = [_packed(column) for column in probabilities]
    return data


def _width(comparison: Comparison) -> float | None:
    """Width of the metric's range, as much as which no rope may be; None where it has no bounds."""
    score = comparison.matrix.score
    low, high = comparison.metric.bounds_of(np.fmin.reduce(score, axis=None), np.fmax.reduce(score, axis=None))
    return high - low if np.isfinite(high - low) else None


def is_student(differences: Differences) -> bool:
    """True where the intervals are Student's at any level, which the script computes by itself."""
    se, df = differences.standard_error, differences.df
    if se is None or df is None or differences.pvalue("two-sided") is not None:
        return False
    for level in (0.3, 1e-4):
        high = differences.interval(level).high
        expected = np.where(
            differences.kind == 0, differences.estimate - student_quantile(level / 2.0, np.maximum(df, 1)) * se, np.nan
        )
        if not np.allclose(high, expected, rtol=1e-12, atol=0.0, equal_nan=True):
            return False
    return True


def _all_pairs(comparison: Comparison, order: list[int] | None) -> tuple[IntArray, IntArray]:
    """All pairs, those of the family as they stand there."""
    first, second = every_pair(len(comparison.models))
    if order is None or comparison.settings.baseline is not None:
        return first, second
    rows = np.array(order, dtype=np.int32)
    return rows[first], rows[second]


def _pair_columns(differences: Differences) -> dict[str, Any]:
    """Columns over all pairs, without those that the procedure does not give."""
    columns = {
        "difference": differences.estimate,
        "standard_error": differences.standard_error,
        "df": differences.df,
        "n_units": differences.n_units,
        "kind": differences.kind,
    }
    packed = {name: _packed(column) for name, column in columns.items() if column is not None}
    # the size of rounding noise itself needs no digits
    tolerance = [float(f"{value:.3g}") for value in np.ravel(differences.tolerance).tolist()]
    return packed | {"tolerance": _packed(tolerance)}


def _packed(column: ArrayLike) -> Any:
    """A column as a list, what is the same in all rows once; infinite ends as words, which JSON knows as texts only."""
    values = np.ravel(column).tolist()
    values = [str(value) if value in (np.inf, -np.inf) else plain(value) for value in values]
    return values[0] if values and all(value == values[0] for value in values) else values


def _at_alpha(
    comparison: Comparison,
    requirements: Requirements | None,
    all_pairs: tuple[IntArray, IntArray, Differences],
    alpha: float,
) -> dict[str, Any]:
    """Ends at one alpha: those of the family, against the best, and of requirements; nothing that depends on a rope."""
    family = replace(comparison.pair_table, rope=0.0, alpha=alpha)  # without a rope every pair that can be is undecided
    differences = all_pairs[2]
    ranking = comparison.at_alpha(alpha).ranking_table
    found = {
        "alpha": alpha,
        "level": family.interval_alpha,
        "low": _packed(family.interval.low),
        "high": _packed(family.interval.high),
        "why": _packed(family.reason),
        "may_be_best": None if ranking.may_be_best is None else _packed(ranking.may_be_best),
        "shortfall_high": None if ranking.shortfall_high is None else _packed(ranking.shortfall_high),
    }
    if comparison.settings.baseline is not None:
        own = differences.interval(alpha)
        found |= {"own_low": _packed(own.low), "own_high": _packed(own.high)}
    if requirements is not None:
        found["requirements"] = [_requirement_at(comparison, each, all_pairs, alpha) for each in requirements]
    return found


def _requirement_at(
    comparison: Comparison, requirement: Requirement, all_pairs: tuple[IntArray, IntArray, Differences], alpha: float
) -> dict[str, Any]:
    """Ends of one requirement at an alpha."""
    models, (first, second, differences) = comparison.models, all_pairs
    row = models.index(requirement.first)
    if requirement.gate == "near best":
        (judged_there,) = comparison.at_alpha(alpha).meets(near_best=requirement.first, n_questions=requirement.n_questions)
        low, high = judged_there.interval_low, judged_there.interval_high
        reason = REASONS.index(judged_there.reason)
    else:
        asked = {row, models.index(requirement.second)}
        pair = [at for at, names in enumerate(zip(first.tolist(), second.tolist(), strict=True)) if {*names} == asked]
        level, judged = alpha / requirement.n_questions, differences.take(np.array(pair))
        low, high = (float(end[0]) for end in judged.interval(level))
        low, high = (low, high) if first[pair[0]] == row else (-high, -low)
        reason = int(judged.reasons(level)[0])
    ends = {"interval_low": _packed(low), "interval_high": _packed(high)}
    return {"difference": plain(requirement.difference), **ends, "n_units": requirement.n_units, "reason": REASONS[reason]}


def _requirement(requirement: Requirement, comparison: Comparison) -> dict[str, Any]:
    """A question: models by their rows, and as its sentence quotes them."""
    asked = [name for name in (requirement.first, requirement.second) if name]
    quoted = [f"'{name}'" for name in short_names(asked, requirement_words.QUOTE_WIDTH)]
    rows = [comparison.models.index(name) for name in asked]
    sides = dict(zip(("first", "second"), rows, strict=False)) | dict(zip(("a", "b"), quoted, strict=False))
    return {"gate": requirement.gate, "n_questions": requirement.n_questions, "b": "", **sides}
