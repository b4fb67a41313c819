"""Plot of ratings: their intervals, and the ranks that each model may have."""

from tiebreak.comparison.ratings import Ratings
from tiebreak.views.plots.draw import MOST_ROWS, Drawing, Plot, labels, minus, of_all, rows
from tiebreak.views.ratings import best, columns, rank_text, rating_text
from tiebreak.views.view import as_frame
from tiebreak.views.words import format_percent


def ratings(result: Ratings) -> Drawing:
    """Rating of each model with its interval, and its ranks to the right."""
    data, may = as_frame(columns(result)).head(MOST_ROWS), best(result)
    first = labels(list(data["model"]))[0]
    level = format_percent(result.level)
    return rows(
        data,
        title=f"{first} is shown better than all others"
        if len(may) == 1
        else f"{first} leads; {len(may)} models may be the best",
        note=f"Lines: {level} intervals over further {result.unit}s, an arrow where open. Right: rating, and the ranks "
        f"that hold for "
        f"all models at once. 400 points are odds of 10 to 1.{of_all(len(data), len(result.models))}",
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


PLOTS = {"ratings": Plot(ratings)}
