"""Plot of slices of the items: the difference of two models on each."""

from collections import Counter
from typing import cast

from tiebreak.comparison.slices import Slices
from tiebreak.errors import DataError
from tiebreak.scores.items import Items
from tiebreak.views.plots.comparison import decided, default_pair, pair_title, rope_note
from tiebreak.views.plots.draw import Drawing, Plot, labels, marked, of_all, rows, short
from tiebreak.views.words import level_words

MOST_SLICES = 50


def differences(slices: Slices, a: str | None = None, b: str | None = None) -> Drawing:
    """Difference of two models on each slice, with its interval, all items on top; of the first two if none are named."""
    import pandas as pd

    comparison = slices.comparison
    first, second = default_pair(comparison, a, b)
    whole = comparison.pair(first, second)
    place = slices.tables[0].row_of(comparison.models.index(first), comparison.models.index(second))
    if place is None:
        raise DataError(f"the slices judge every model against the baseline only, not {first!r} against {second!r}.")
    columns = ["difference", "interval_low", "interval_high", "verdict", "reason"]
    n_all, unit = len(cast("Items", comparison.items).items), comparison.method.unit
    found = [(f"all {unit}s", n_all, *(getattr(whole, name) for name in columns))]
    for name, n, table in list(zip(slices.names, slices.n_items, slices.tables, strict=True))[:MOST_SLICES]:
        values = table.row_values(*place)
        found.append((name, n, *(values[each] for each in columns)))
    data = pd.DataFrame(found, columns=["slice", "n_items", *columns])
    one, other = labels([first, second])
    said = decided(Counter(data["verdict"].iloc[1:]), len(slices.names), "slice")
    return rows(
        data,
        title=f"{pair_title(one, other, whole.verdict)}; by {short(slices.by)}, {said}",
        note=f"Lines: {level_words(slices.interval_alpha)} intervals on each slice ({slices.correction} over all slices and "
        f"pairs); of all {unit}s at their own level. Right: {unit}s and verdict. A small slice is mostly undecided, not shown to "
        f"be the same. {rope_note(comparison.rope)}{of_all(len(data) - 1, len(slices.names), 'slices')}",
        x_label=f"difference in {short(comparison.metric.name)}: positive favours {one}",
        names=list(data["slice"]),
        middle=data["difference"],
        low=data["interval_low"],
        high=data["interval_high"],
        verdicts=[verdict or "undecided" for verdict in data["verdict"]],
        notes=[f"{n:,}  {marked(verdict)}" for n, verdict in zip(data["n_items"], data["verdict"], strict=True)],
        band=comparison.rope,
    )


PLOTS = {"differences": Plot(differences)}
