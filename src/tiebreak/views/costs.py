"""Costs of decisions in a table, as a frame and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.views.json import plain
from tiebreak.views.names import short_names
from tiebreak.views.page import Page, Table
from tiebreak.views.view import View
from tiebreak.views.words import printable

if TYPE_CHECKING:
    import pandas as pd

    from tiebreak.metrics.costs import CostMatrix


def page(costs: CostMatrix) -> Page:
    """The costs."""
    names = short_names([printable(str(label)) for label in costs.labels], 16)
    rows = tuple((name, *(f"{cost:g}" for cost in row)) for name, row in zip(names, costs.costs.tolist(), strict=True))
    title = f"Costs ({printable(costs.name)}): actual class in rows, predicted class in columns"
    return Page.of(Table(title, ("", *names), rows))


def frame(costs: CostMatrix) -> pd.DataFrame:
    """The costs, with actual classes as index and predicted ones as columns."""
    import pandas as pd

    index, columns = pd.Index(costs.labels, name="actual"), pd.Index(costs.labels, name="predicted")
    return pd.DataFrame(costs.costs, index=index, columns=columns)


def facts(costs: CostMatrix) -> dict[str, Any]:
    """Name, labels and costs."""
    return dict(plain({"name": costs.name, "labels": costs.labels, "costs": costs.costs}))


VIEW = View(page, frame, facts)
