"""Data of decide.js: ends of intervals at a choice of alphas, what follows from them at any rope, and the words for it."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.comparison.family import UNSETTLED, Family, every_pair
from tiebreak.comparison.ranking import BEST, MAY_BE_BEST, NOT_BEST
from tiebreak.comparison.requirements import BELOW_NOISE, WITHIN_NOISE, Requirements
from tiebreak.comparison.settings import ROPE_CORRECTIONS
from tiebreak.numerics import SPREAD, FloatArray, IntArray, StudentDistribution, student_quantile
from tiebreak.numerics.law import NONE, UNDECIDED
from tiebreak.views import requirements as requirement_words
from tiebreak.views.answer import interval_name, table_decimals
from tiebreak.views.comparison import ranking_rows
from tiebreak.views.comparison_columns import FIRST_MODELS, written_pairs
from tiebreak.views.names import model_names, quoted_names, short_names
from tiebreak.views.report import old_comparison as comparison_words
from tiebreak.views.report import old_pair as pair_words
from tiebreak.views.report.figures import largest_drawn
from tiebreak.views.report.old_pair import rope_number, rope_words
from tiebreak.views.words import QUOTE_WIDTH, format_percent, format_score, level_words, printable

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirement

ALPHAS = (0.2, 0.1, 0.05, 0.01, 0.001)
"""Levels between which a reader may choose, besides the one that was asked for."""

MOST_WITH_ALPHAS = 60
"""Models up to which ends that are not Student's are given at all of them; of more, whose pairs are many, at the asked one."""

MOST_DF = 256
"""Different degrees of freedom up to which there is a multiplier for each; of more, ends are given pair by pair."""

RIGID = ("rank", "mean", "adjusted", "standard_error", "difference", "letters")
"""Columns of the ranking whose texts depend on alpha, or on digits that do, and not on the rope."""

MOST_CURVES = 8
"""Different degrees of freedom up to which the shape of their density is given, to be drawn."""

NAME_WIDTH = 40
"""Characters of a name in the tables of the report."""

WITH_ROPE = frozenset(
    (
        "all near",
        "one near",
        "some near",
        "none near",
        "first may fall short",
        "one falls short",
        "others fall short",
        "not known",
        "against",
        "is",
        "are",
        "rope",
        "no rope",
    )
)
"""Sentences on a comparison that depend on the rope, so that the script has to find them."""

WORDS = {
    "pair": pair_words.WORDS,
    "without": pair_words.WITHOUT_INTERVAL,
    "comparison": {name: words for name, words in comparison_words.WORDS.items() if name in WITH_ROPE},
    "against": comparison_words.AGAINST,
    "requirements": {
        "words": {name: words for name, words in requirement_words.WORDS.items() if name not in ("left", "over")},  # of looks
        "stated": {", ".join(key): words for key, words in requirement_words.AS_STATED.items()},
        "where": {", ".join(key): words for key, words in requirement_words.WHERE.items()},
        "reasons": requirement_words.REASONS,
    },
}
"""Templates of sentences, as the views of Python fill them in; once for all answers of a page."""


LEFT_OUT = "This pair is not on the page. It follows from the scores: tiebreak and tb.compare read this file again."
"""Said of a pair of very many models that is not on the page."""


@dataclass(frozen=True, eq=False)
class Answers:
    """A comparison as the page answers it, for any rope and some alphas; pairs are all pairs of its models, or of very many some.

    They stand in ranking order. With a baseline those against it are the family, and the others stand
    outside, with intervals of their own.
    """

    comparison: Comparison
    requirements: Requirements | None = None
    known: dict[float, tuple[FloatArray, FloatArray, FloatArray]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def all_pairs(self) -> Family:
        """All pairs, judged one by one where a baseline leaves some of them outside the family."""
        table, comparison = self.comparison.pair_table, self.comparison
        if table.family != "baseline":
            return table
        first, second = every_pair(len(comparison.models))
        judged = comparison.method.judge(comparison.scores, first, second, comparison.resolved)
        return Family(first, second, judged, 0.0, table.alpha, "none", family="best")

    @cached_property
    def models_asked_about(self) -> list[int]:
        """Rows of the models whose pairs are on the page whatever their number: the leading one, and those of requirements."""
        models, asked = self.comparison.models, () if self.requirements is None else tuple(self.requirements)
        named = {name for each in asked for name in (each.first, each.second) if name in models}
        return [models.index(self.comparison.reference), *(models.index(name) for name in sorted(named))]

    @cached_property
    def kept(self) -> IntArray | None:
        """Positions of the pairs that are on the page; None where all are."""
        return written_pairs(self.comparison, self.all_pairs, self.models_asked_about)

    @cached_property
    def table(self) -> Family:
        """The pairs that are on the page."""
        return self.all_pairs if self.kept is None else self.all_pairs.part(self.kept)

    def family(self, comparison: Comparison) -> Family:
        """The family at some alpha, as far as it is on the page."""
        table = comparison.pair_table
        return table if self.kept is None or table.family == "baseline" else table.part(self.kept)

    @cached_property
    def of_family(self) -> tuple[IntArray, IntArray]:
        """Positions of the pairs of the family among those of the page, and 1 where they stand the same way round, else -1."""
        family = self.comparison.pair_table
        if family.family != "baseline":
            return np.arange(self.table.n_pairs), np.ones(self.table.n_pairs, dtype=np.intp)
        n = len(self.comparison.models)
        low, high = (end(family.first, family.second).astype(np.int64) for end in (np.minimum, np.maximum))
        position = low * n - low * (low + 1) // 2 + high - low - 1
        return position if self.kept is None else np.searchsorted(self.kept, position), np.where(family.first == low, 1, -1)

    @cached_property
    def columns(self) -> dict[str, FloatArray]:
        """Numbers of all pairs that depend neither on the rope nor on alpha, those of the family as it has them."""
        own, family = self.table.law, self.family(self.comparison).law
        fields = {"standard_error": "se"} | {name: name for name in ("estimate", "df", "n_units", "kind", "tolerance")}
        found = {name: getattr(own, each) for name, each in fields.items() if getattr(own, each) is not None}
        columns = {name: np.array(np.broadcast_to(column, own.estimate.shape), dtype=float) for name, column in found.items()}
        at, sign = self.of_family
        for name, column in columns.items():
            turned = sign if name == "estimate" else 1
            column[at] = turned * np.broadcast_to(getattr(family, fields[name]), at.shape)
        return columns

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """Texts of the ranking as it was asked for."""
        return columns_of(self.comparison)

    def ends(self, alpha: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Both ends of the intervals of all pairs, and codes of why a pair is undecided as long as there is no rope."""
        if alpha not in self.known:
            self.known[alpha] = self._ends(alpha)
        return self.known[alpha]

    def _ends(self, alpha: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        family = self.family(self._at(alpha))
        own = replace(self.table, alpha=alpha) if family.family == "baseline" else family
        low, high, why = (np.array(column, dtype=float) for column in _judged(own))
        if own is not family:
            (at, sign), (below, above, reason) = self.of_family, _judged(family)
            low[at], high[at] = np.where(sign > 0, below, -above), np.where(sign > 0, above, -below)
            why[at] = reason
        return low, high, why

    def _at(self, alpha: float) -> Comparison:
        comparison = self.comparison
        if alpha == comparison.settings.alpha:
            return comparison
        table = replace(comparison.pair_table, alpha=alpha)
        return replace(comparison, settings=replace(comparison.settings, alpha=alpha), pair_table=table)

    @cached_property
    def alphas(self) -> tuple[float, ...]:
        """Alphas that the page offers, the largest first."""
        asked = self.comparison.settings.alpha
        is_large = len(self.comparison.models) > MOST_WITH_ALPHAS
        if self.comparison.looks is not None:  # whose levels are of one alpha
            return (asked,)
        if is_large and self.multipliers(asked, *self.ends(asked)[:2]) is None:
            return (asked,)
        return tuple(sorted({*ALPHAS, asked}, reverse=True))

    def multipliers(self, alpha: float, low: FloatArray, high: FloatArray) -> dict[str, FloatArray] | None:
        """Standard errors from an estimate to its ends, by degrees of freedom; None where these are not all Student's."""
        columns, family = self.columns, self._at(alpha).pair_table
        if "df" not in columns or "standard_error" not in columns:
            return None
        df, at = np.unique(columns["df"], return_inverse=True)
        if df.size > MOST_DF:
            return None
        found = {name: -student_quantile(each / 2, np.where(df > 0, df, 1.0)) for name, each in self._alphas(family, alpha)}
        by_pair = found["own_multiplier"][at]
        by_pair[self.of_family[0]] = found["multiplier"][at[self.of_family[0]]]
        half, is_point = by_pair * columns["standard_error"], columns["kind"] != SPREAD
        for sign, end in ((-1, low), (1, high)):
            there = columns["estimate"] + sign * half
            there = np.where(np.abs(there) <= columns["tolerance"], 0.0, there)
            if not np.array_equal(np.where(is_point, np.nan, there), end, equal_nan=True):
                return None
        return found if family.family == "baseline" else {"multiplier": found["multiplier"]}

    def _alphas(self, family: Family, alpha: float) -> Iterator[tuple[str, float]]:
        yield "multiplier", family.interval_alpha
        yield "own_multiplier", alpha

    def held(self, alpha: float, requirements: Requirements | None) -> dict[str, Any]:
        """Facts about one alpha for decide.js, of which none depends on the rope."""
        comparison, asked = self._at(alpha), self.comparison
        low, high, why = self.ends(alpha)
        multipliers = self.multipliers(alpha, low, high)
        ends = {"low": low, "high": high} if multipliers is None else multipliers
        found: dict[str, Any] = {
            "alpha": alpha,
            "level": level_words(comparison.pair_table.interval_alpha),
            "own_level": level_words(alpha),
            "interval": interval_name(comparison),
            "own_interval": interval_name(comparison, in_family=False),
            "header": interval_name(comparison, is_header=True),
            "decimals": table_decimals(comparison),
            "rope": rope_number(comparison),
            "family_note": _without_rope(comparison),
            "why": packed(why),
            **{each: packed(column) for each, column in ends.items()},
            **self._of_models(comparison),
        }
        if comparison is not asked:
            found["notes"] = notes_of(comparison)
            texts = columns_of(comparison)
            found["texts"] = {name: texts[name] for name in RIGID if texts.get(name) != self.texts.get(name)}
        if requirements is not None:
            found["requirements"] = list(_requirements_at(comparison, requirements))
        return found

    def _of_models(self, comparison: Comparison) -> dict[str, Any]:
        """Words and numbers about models, as far as the family says anything of them."""
        ranking = comparison.ranking_table
        if ranking.standing is None or ranking.shortfall_high is None or ranking.may_be_best is None:
            baseline = comparison.models.index(comparison.reference)
            decimals = table_decimals(comparison)
            return {"mean": format_score(float(ranking.mean[baseline]), decimals)}
        standing = np.where(ranking.standing == BEST, BEST, np.where(ranking.may_be_best, MAY_BE_BEST, NOT_BEST))
        return {
            "leading": next(comparison_words.standing_sentences(comparison)),
            "is_all": ranking.are_all_copies,
            "standing": "".join(map(str, standing.tolist())),
            "shortfall_high": packed(ranking.shortfall_high),
        }


def _judged(table: Family) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ends, and codes of why a pair is undecided without a rope; with one, no other pair is."""
    flat = replace(table, rope=0.0)
    reason = np.asarray(flat.reason, dtype=float)
    if table.is_family:
        reason = np.where((flat.verdict != UNDECIDED) | (flat.verdict == NONE), UNSETTLED, reason)
    return table.interval.low, table.interval.high, reason


def decide_data(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """Everything from which decide.js answers for another rope, or another of the alphas."""
    answers, settings, names = Answers(comparison, requirements), comparison.settings, quoted_names(comparison.models)
    columns = answers.columns
    if len(answers.alphas) == 1:  # of so many pairs, whose ends are given, degrees of freedom would fill a seventh of the page
        columns = {name: column for name, column in columns.items() if name != "df"}
    data: dict[str, Any] = {
        "names": [names[model] for model in comparison.models],
        "metric": printable(comparison.metric.name),
        "higher_is_better": comparison.metric.higher_is_better,
        "direction": pair_words.direction(comparison),
        "unit": comparison.method.unit,
        "family": comparison.pair_table.family,
        "asked": {
            "rope": comparison.rope,
            "alpha": settings.alpha,
            "given": settings.rope if isinstance(settings.rope, str) else None,
        },
        "takes_rope": takes_rope(comparison),
        "pairs": {
            "difference" if name == "estimate" else name: packed(column, is_coded=name == "df" and _has_few(column))
            for name, column in columns.items()
        },
        "densities": _densities(columns),
        "alphas": [answers.held(alpha, requirements) for alpha in answers.alphas],
        "requirements": [] if requirements is None else [_question(each, comparison) for each in requirements],
    }
    shown = model_names(comparison.models, NAME_WIDTH)
    if shown != list(comparison.models):
        data["shown"] = shown
    if answers.kept is not None:
        data["kept"] = {
            "first": FIRST_MODELS,
            "rows": answers.models_asked_about,
            "n": answers.all_pairs.n_pairs,
            "said": LEFT_OUT,
        }
    if settings.baseline is not None:
        data["baseline"] = comparison.models.index(comparison.reference)
        data["value"] = comparison_words.value_of_baseline(comparison)
    return _with_changes(data, notes_of(comparison))


def takes_rope(comparison: Comparison) -> bool:
    """True where differences are in the metric's unit, and intervals are of a level that a rope may be held against."""
    return comparison.pair_table.judged.unit == "metric" and comparison.correction in ROPE_CORRECTIONS


def packed(column: ArrayLike, *, is_coded: bool = False) -> Any:
    """Numbers as the script unpacks them: one for all rows, or in base64 each, or which of a few different ones each is.

    Those that are coded are told by their different values, in ascending order, even where that takes more.
    """
    numbers = np.ravel(np.asarray(column, dtype="<f8"))
    values, at = np.unique(numbers, return_inverse=True)
    if values.size == 1:
        value = float(values[0])
        return value if np.isfinite(value) else None if np.isnan(value) else str(value)
    places = at.astype("<u1" if values.size <= MOST_DF else "<u2")
    if is_coded or (values.size <= 2**16 and 8 * values.size + places.nbytes < numbers.nbytes):
        return {"values": _as_text(values), "at": _as_text(places)}
    return {"values": _as_text(numbers)}


def _has_few(df: FloatArray) -> bool:
    return bool(np.unique(df).size <= MOST_DF)


def _as_text(array: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _densities(columns: dict[str, FloatArray]) -> dict[str, list[int]]:
    """Heights of Student's density from -4 to 4 standard errors around its middle, by degrees of freedom, if these are few."""
    df = np.unique(columns.get("df", []))
    df = df[df > 0]
    if df.size > MOST_CURVES:
        return {}
    at = np.linspace(-4.0, 4.0, 81)
    shapes = (StudentDistribution(0.0, 1.0, each).density(at) for each in df)
    heights = [np.rint(1000 * shape / shape.max()).astype(int).tolist() for shape in shapes]
    return {repr(float(each)).removesuffix(".0"): shape for each, shape in zip(df, heights, strict=True)}


def notes_of(comparison: Comparison) -> list[str]:
    """Notes and headers that may name alpha or a level: with the ranking, with the pairs, and of the drawing."""
    notes = [*comparison_words.ranking_notes(comparison), *comparison_words.footnotes(comparison)]
    notes.remove(comparison_words.family_note(comparison))  # which names the rope, too
    return [*notes, interval_name(comparison, is_header=True), about_drawing(comparison)]


def _with_changes(data: dict[str, Any], before: list[str]) -> dict[str, Any]:
    """The data with notes as they were asked for, as far as they are others at another alpha, and these in the same order."""
    others = [each["notes"] for each in data["alphas"] if "notes" in each]
    changed = [n for n, note in enumerate(before) if any(notes[n] != note for notes in others)]
    for each in data["alphas"]:
        each["notes"] = [each["notes"][n] for n in changed] if "notes" in each else []
    return data | {"notes": [before[n] for n in changed]}


def _without_rope(comparison: Comparison) -> str:
    """The note on the family after its words on the rope."""
    words = comparison_words.WORDS["rope" if comparison.rope else "no rope"]
    rope = words.format(rope=rope_words(comparison), metric=printable(comparison.metric.name))
    return comparison_words.family_note(comparison).removeprefix(rope)


def about_drawing(comparison: Comparison) -> str:
    """Words on what is drawn beside the ranking."""
    metric = printable(comparison.metric.name)
    band = " A band around 0 is the rope." if takes_rope(comparison) else ""
    if comparison.pair_table.family == "best":
        level = format_percent(1 - comparison.settings.alpha)
        return f"Drawn: by how much at most each model falls short of the best in {metric} ({level} confidence).{band}"
    name, interval = quoted_names(comparison.models)[comparison.reference], interval_name(comparison, is_header=True)
    minus, side = pair_words.minus_word(comparison), pair_words.favours(comparison, "the model")
    arrow = " An arrow stands for a model further off." if math.isfinite(most_drawn(comparison)) else ""
    return f"Drawn: {metric} of each model {minus} that of {name} with its {interval}; {side}.{band}{arrow}"


def most_drawn(comparison: Comparison) -> float:
    """Largest difference to the reference that is drawn beside the ranking."""
    against, rows = comparison.against_reference, ranking_rows(comparison)
    return largest_drawn(against.interval.low[rows], against.difference[rows], against.interval.high[rows])


def columns_of(comparison: Comparison) -> dict[str, list[str]]:
    """Texts of the ranking by column, a row for each line of it; those that follow the rope as they were asked."""
    table = comparison_words.ranking_table(comparison, NAME_WIDTH, len(comparison.models))
    columns = dict(zip(table.headers, map(list, zip(*table.rows, strict=True)), strict=True))
    t, rows = comparison.ranking_table, ranking_rows(comparison)
    found = {
        "rank": columns["place"],
        "mean": columns[t.value_name],
        "adjusted": columns.get("adjusted"),
        "standard_error": columns.get("std. error"),
        "average_rank": columns.get("average rank"),
        "n": _n_units(comparison, rows),
        "shortfall_high": columns.get("short by at most"),
        "standing": columns.get("standing"),
        "letters": columns.get("letters"),
    }
    if comparison.pair_table.is_family:
        against = comparison_words.against_columns(comparison, rows, table_decimals(comparison))
        found["difference"], found["interval"] = against["difference"], against[interval_name(comparison, is_header=True)]
        found["verdict"] = against["verdict"] if "standing" not in columns else None
    return {name: texts for name in IN_ORDER if (texts := found.get(name)) is not None}


IN_ORDER = (
    "rank",
    "mean",
    "adjusted",
    "standard_error",
    "average_rank",
    "difference",
    "interval",
    "n",
    "shortfall_high",
    "standing",
    "letters",
    "verdict",
)
"""Columns of the ranking as they stand in the page."""


def _n_units(comparison: Comparison, lines: list[int]) -> list[str]:
    """Units that each model shares with the reference, in comparisons with the best its own; of the reference its own."""
    n_units = comparison.ranking_table.n_units.copy()
    table, reference = comparison.pair_table, comparison.models.index(comparison.reference)
    if table.is_family:
        rows = table.rows_with(reference)
        other = np.where(table.first[rows] == reference, table.second[rows], table.first[rows])
        n_units[other] = np.broadcast_to(table.law.n_units, table.first.shape)[rows]
    return [str(n) for n in n_units[lines].tolist()]


# --- requirements -----------------------------------------------------------------------------------------------------------


def _question(requirement: Requirement, comparison: Comparison) -> dict[str, Any]:
    """A question: models by their rows, and as its sentence quotes them; of another metric the sentence as it is."""
    if requirement.metric != comparison.metric:
        (line,) = requirement_words.judgements(Requirements((requirement,)), comparison)
        return {"outcome": requirement.outcome, "line": line}
    asked = [name for name in (requirement.first, requirement.second) if name]
    quoted = [f"'{name}'" for name in short_names(asked, QUOTE_WIDTH)]
    rows = [comparison.models.index(name) for name in asked]
    sides = dict(zip(("first", "second"), rows, strict=False)) | dict(zip(("a", "b"), quoted, strict=False))
    numbers = {"difference": packed(requirement.difference), "n_units": requirement.n_units}
    if requirement.noise_floor is not None:
        numbers |= {"floor": packed(requirement.noise_floor), "floorText": requirement_words.noise_text(requirement.noise_floor)}
    return {"gate": requirement.gate, "n_questions": requirement.n_questions, **numbers, "b": "", **sides}


def _requirements_at(comparison: Comparison, requirements: Requirements) -> Iterator[list[Any]]:
    """Level, ends and reason of each requirement at the alpha of a comparison; of another metric nothing."""
    for each in requirements:
        if each.metric != comparison.metric:
            yield []
            continue
        asked: Any = each.first if each.gate == "near best" else (each.first, each.second)
        floor = each.noise_floor
        question: dict[str, Any] = {each.gate.replace(" ", "_"): asked}
        (judged,) = comparison.meets(**question, n_questions=each.n_questions, noise_floor=floor)
        reason = "" if judged.reason in (BELOW_NOISE, WITHIN_NOISE) else judged.reason  # which depend on the rope
        yield [level_words(judged.alpha / judged.n_questions), packed(judged.interval_low), packed(judged.interval_high), reason]
