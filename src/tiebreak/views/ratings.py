"""Ratings, in words and as JSON."""

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from tiebreak.comparison.ratings import Ratings
from tiebreak.views.page import Page, Paragraph, Section, Table
from tiebreak.views.plots.draw import MOST_ROWS, Drawing, Plot, minus, of_all, rows
from tiebreak.views.view import View, as_frame, document, finite, rows_of
from tiebreak.views.words import (
    count,
    format_interval,
    format_percent,
    format_score,
    left_out,
    listed,
    model_names,
    more_below,
    quote,
    quoted_names,
)

IN_ROW = 3.0
"""Likeness of battles to those before them above which they are not independent."""

ROWS = 50
"""Rows of the table that are shown; the rest is counted."""

COLUMNS = "rank rank_low rank_high model rating rating_low rating_high wins ties losses".split()


FACTS = (
    "metric unit n_units level anchor position position_probability position_low position_high n_both n_kept sources judges"
).split()
"""Of the JSON, as the ratings have them."""


def page(ratings: Ratings) -> Page:
    """Who may be the best, the table, warnings, and what was done."""
    names = listed([quote(name) for name in ratings.sources], 3) if ratings.sources else ""
    battles = f"battles in {len(ratings.sources)} tables ({names})" if names else "battles"
    of = f"the {ratings.metric} of each dataset" if ratings.metric else battles
    at = f"{quoted_names(ratings.models)[ratings.anchor]} is at 1000" if ratings.anchor else "their mean is 1000"
    robust = "" if ratings.unit == "battle" else f", which allow for what battles of a {ratings.unit} share"
    how = (
        f"Bradley-Terry by maximum likelihood from {of}; ties count half a win for either. Ratings are on Elo's scale: 400 "
        f"points are odds of 10 to 1, and {at}. Intervals are Student's, from sandwich errors over {ratings.unit}s{robust}; on a "
        f"further {ratings.unit} of this kind the better model need not win."
    )
    return Page(
        (
            Paragraph((_sentence(ratings), *position_sentences(ratings)), n_strong=1),
            _table(ratings),
            Section("Warnings", warnings(ratings)),
            Paragraph((how,), is_small=True),
        )
    )


def columns(ratings: Ratings) -> dict[str, Any]:
    """A row for each model, best first."""
    own = {"rank": range(1, len(ratings.models) + 1), "model": ratings.models}
    return {name: own[name] if name in own else getattr(ratings, name) for name in COLUMNS}


def facts(ratings: Ratings) -> dict[str, Any]:
    """The answer in schema 1; infinite ratings are "inf" and "-inf", nan is None."""
    held = {name: getattr(ratings, name) for name in FACTS}
    return document(
        **{name: None if value == "" else value for name, value in held.items()},
        models=[dict(zip(COLUMNS, map(_number, row), strict=True)) for row in rows_of(columns(ratings))],
        warnings=[{"code": code, "text": text} for code, text in warnings(ratings)],
    )


def _number(value: Any) -> Any:
    if isinstance(value, float) and np.isinf(value):
        return "inf" if value > 0 else "-inf"
    return finite(value)


WARNINGS = {
    "no-finite-rating": "no model has a finite rating, as no weaker model ever won, directly or through others. The ranks are "
    "read off the battles of each two models.",
    "never-lost": "{never_lost} never lost to {finite}",
    "never-won": "{never_won} never beat {finite}",
    "not-placed": "the results put {not_placed} neither above nor below the others; add battles that do.",
    "several-judges": "the battles are of {n_judges} judges ({judges}), who may have different biases for a position and for "
    "models; one number is fitted for all of them. Rate the battles of each judge by themselves.",
    "one-order": "every two models met in one order only, so whether the judge favours the answer that stands first cannot be "
    "told from which model is better. Let it judge both orders.",
    "always-one-side": "the same side won wherever there was a winner. A judge that always says so knows nothing of the models; "
    "where the table lists the winner first, say so: position=False (--ignore-position).",
    "few-orders": "these battles are too few to tell whether the judge favours the answer that stands first; the ratings take it "
    "for one that does not. Let it judge more of them in both orders.",
    "few-turned": "few battles have their two models in the rarer order, on which the judge's bias rests: with 6 of 300 "
    "equal models were told apart in 21 % of tables. Let it judge both orders.",
    "does-not-fit": "win rates of pairs are not those that one rating for each model gives, as of models that win in a circle: "
    "they are given as they were counted, and ratings average over opponents.",
    "orders-disagree": "of {both} judged in both orders none kept its winner: the judge went by the order, and these battles say "
    "nothing of the models.",
    "repeated-questions": "several battles are on one {repeated} and are taken for independent, as there are too few to draw "
    "from: where battles of one agree, the intervals are too narrow. Ask more questions.",
    "in-a-row": "battles say the same of a model as the battle before them, more often than independent ones do, as of one "
    "question, or of a judge whose taste changes: the intervals are too narrow. Name what they share in a column 'cluster'.",
}
"""What a reader should know, by code."""


def warnings(ratings: Ratings) -> list[tuple[str, str]]:
    """Codes and texts of what a reader should know."""
    quoted, rating = quoted_names(ratings.models), ratings.rating
    has_ratings = bool(np.isfinite(rating).any())

    def who(which: Any) -> str:
        names = [quoted[name] for name, is_one in zip(ratings.models, which, strict=True) if is_one and has_ratings]
        return listed(names) if names else ""

    said = {
        "never_lost": who(rating == np.inf),
        "never_won": who(rating == -np.inf),
        "not_placed": who(np.isnan(rating)),
        "finite": "the models with a finite rating, so no finite rating fits: the interval is open, and its other end is where "
        "such a record becomes improbable.",
        "n_judges": len(ratings.judges),
        "judges": listed([quote(name) for name in ratings.judges], 3) if ratings.judges else "",
        "both": count(ratings.n_both, "question"),
        "repeated": quote(ratings.repeated),
    }
    holds = {
        "no-finite-rating": not has_ratings,
        "never-lost": said["never_lost"],
        "never-won": said["never_won"],
        "not-placed": said["not_placed"],
        "several-judges": len(ratings.judges) > 1,
        "one-order": ratings.position == "one order",
        "always-one-side": ratings.position == "always",
        "few-orders": ratings.position == "too few",
        "few-turned": ratings.few_turned,
        "does-not-fit": not ratings.fits,
        "orders-disagree": ratings.n_both and not ratings.n_kept,
        "repeated-questions": ratings.repeated,
        "in-a-row": ratings.counted is not None and ratings.counted.likeness > IN_ROW,
    }
    return [(code, WARNINGS[code].format(**said)) for code, is_so in holds.items() if is_so]


def best(ratings: Ratings) -> list[str]:
    """Models that none is shown to be better than."""
    return [name for name, low in zip(ratings.models, ratings.rank_low.tolist(), strict=True) if low == 1]


def _sentence(ratings: Ratings) -> str:
    may, quoted = best(ratings), quoted_names(ratings.models)
    units = count(ratings.n_units, ratings.unit)
    if len(may) == 1:
        return f"{quoted[may[0]]} is shown better than all others ({units}, {count(len(ratings.models), 'model')})."
    who = f"Any of the {len(may)}" if len(may) == len(ratings.models) else f"{len(may)} of the {len(ratings.models)}"
    return f"{who} models may be the best: {listed([quoted[name] for name in may])} ({units})."


def position_sentences(ratings: Ratings) -> Iterator[str]:
    """Bias of the judge for the answer that stands first, and how often two orders agree; nothing where it is not known."""
    if ratings.position == "taken out":
        low, high, level = ratings.position_low, ratings.position_high, format_percent(ratings.level)
        side = "first" if ratings.position_probability >= 0.5 else "second"
        shown = low > 0.5 or high < 0.5
        chance = f"{100 * ratings.position_probability:.1f}% of the time ({level} interval {100 * low:.1f}% to {100 * high:.1f}%)"
        what = f"The judge favours the answer that stands {side}" if shown else "No bias of the judge for a position is shown"
        out = ", which is" if shown else "; what there may be is"
        yield f"{what}: of two equal models it prefers the first {chance}{out} taken out of the ratings."
    if ratings.n_both:
        yield f"Of {count(ratings.n_both, 'question')} judged in both orders {ratings.n_kept} kept the outcome."


def _table(ratings: Ratings) -> Table:
    names = dict(zip(ratings.models, model_names(ratings.models), strict=True))
    shown = tuple(
        (
            str(rank),
            rank_text(low, high),
            names[model],
            rating_text(rating),
            "fixed" if model == ratings.anchor else _span(rating_low, rating_high),
            *(f"{value:.6g}" for value in record),
            *([_wins_over_anchor(ratings, model)] if ratings.anchor else []),
        )
        for rank, low, high, model, rating, rating_low, rating_high, *record in islice(rows_of(columns(ratings)), ROWS)
    )
    level, wins = format_percent(ratings.level), [f"preferred to {names[ratings.anchor]}"] if ratings.anchor else []
    headers = ("rank", "ranks", "model", "rating", f"{level} interval", "won", "tied", "lost", *wins)
    right = (True, False, False, True, False, True, True, True, *(False for _ in wins))
    title = f"Ratings, best first; the ranks hold for all models at once with {level}{more_below(len(names), ROWS)}"
    return Table(title, headers, shown, right, notes=(left_out(ratings.models),))


def _wins_over_anchor(ratings: Ratings, model: str) -> str:
    """Chance to be preferred to the anchor, with its interval; "-" for the anchor itself."""
    if model == ratings.anchor:
        return "-"
    found = ratings.win_rate(model, ratings.anchor)
    if math.isnan(found.low):
        return "-" if math.isnan(found.probability) else f"{100 * found.probability:.1f}%"
    return f"{100 * found.probability:.1f}% ({100 * found.low:.1f}% to {100 * found.high:.1f}%)"


def rank_text(low: int, high: int) -> str:
    """Ranks from the best to the worst that a model may have."""
    return str(low) if low == high else f"{low} to {high}"


def _span(low: float, high: float) -> str:
    """Interval of a rating in whole points, whose ends may be open."""
    return "open" if np.isinf([low, high]).all() else format_interval(low, high, 0)


def rating_text(value: float) -> str:
    """A rating in whole points; an infinite one is open."""
    return "open" if np.isinf(value) else format_score(value, 0)


# --- plots ------------------------------------------------------------------------------------------------------------------


def ratings(result: Ratings) -> Drawing:
    """Rating of each model with its interval, and its ranks to the right."""
    data, may = as_frame(columns(result)).head(MOST_ROWS), best(result)
    return rows(
        data,
        title=_sentence(result),
        note=f"Lines: {format_percent(result.level)} intervals over further {result.unit}s, an arrow where open. Right: rating, "
        "and the ranks that hold for all models at once. 400 points are odds of 10 to 1."
        f"{of_all(len(data), len(result.models))}",
        x_label="rating (higher is better)",
        names=list(data["model"]),
        middle=data["rating"],
        low=data["rating_low"],
        high=data["rating_high"],
        verdicts=["better" if name in may else "undecided" for name in data["model"]],
        notes=[
            f"{minus(rating_text(rating))}  rank {rank_text(low, high)}"
            for rating, low, high in zip(data["rating"], data["rank_low"], data["rank_high"], strict=True)
        ],
        zero=False,
    )


VIEW = View(page, columns, facts, {"ratings": Plot(ratings)})
