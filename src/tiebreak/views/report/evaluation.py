"""A measured evaluation in the report: a comparison for each metric and dataset, what was measured, and kept predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import TiebreakError
from tiebreak.printable import printable
from tiebreak.views.evaluation import page
from tiebreak.views.page import Paragraph, Section, Table
from tiebreak.views.report.comparison import answer_of, answers_data
from tiebreak.views.report.document import Block, Document, html_of, pictures
from tiebreak.views.view import plain
from tiebreak.views.words import quote

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.evaluation.evaluation import Evaluation

MOST_ANSWERS = 12
"""Comparisons that one report holds."""

MOST_DRAWN = 6
"""Datasets of which predictions are drawn."""

MOST_FACTS = 1000
"""Facts of a run that are told: there are a few dozen, and millions in a store that was made to harm."""


def report(evaluation: Evaluation, metrics: Sequence[str] = (), settings: Mapping[str, Any] | None = None, **heading: Any) -> str:
    """The report of an evaluation: all metrics, or some; settings are those of `Evaluation.compare`."""
    comparisons, reasons = _compared(evaluation, metrics or evaluation.metrics, dict(settings or {}))
    shown = page(evaluation)
    tables = tuple(part for part in shown.parts if isinstance(part, Table | Section))
    head = tuple(part for part in shown.parts if isinstance(part, Paragraph))[:1]
    blocks = [Block("What was measured", (*head, *tables))]
    blocks += _predictions(evaluation)
    if reasons:
        blocks.append(Block("What was left out", (Section("Not compared", reasons, is_folded=False),)))
    blocks.append(Block("How it was run", (_run(evaluation),)))
    document = Document(
        title=f"{printable(evaluation.name)}: {len(evaluation.models)} models",
        answers=list(map(answer_of, comparisons)),
        blocks=blocks,
        data=answers_data(comparisons),
    )
    return html_of(document, **heading)


def _compared(evaluation: Evaluation, metrics: Sequence[str], settings: dict[str, Any]) -> tuple[list[Comparison], list[str]]:
    """Comparisons in each metric, over all datasets and on each, and why some are not there."""
    several = len(evaluation.datasets) > 1
    asked = [(metric, dataset) for metric in metrics for dataset in ((None,) if several else ()) + tuple(evaluation.datasets)]
    found, reasons = [], []
    for metric, dataset in asked[:MOST_ANSWERS]:
        lacks = any(bool(np.isnan(evaluation.grid(n, 0)).any()) for n in range(len(evaluation.datasets)))
        given = {"missing": "pairwise", **settings} if lacks else settings
        try:
            found.append(evaluation.compare(metric, dataset=dataset if several else None, **given))
        except TiebreakError as error:
            where = f" on {quote(dataset)}" if dataset else ""
            reasons.append(f"{printable(metric)}{where}: {printable(str(error))}")
    if len(asked) > MOST_ANSWERS:
        reasons.append(f"{len(asked) - MOST_ANSWERS} further comparisons: a report holds {MOST_ANSWERS} of them")
    return found, reasons


def _predictions(evaluation: Evaluation) -> Iterator[Block]:
    """Curves and matrices of the predictions that were kept, by dataset; what was not kept has none."""
    made: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("ROC curves", evaluation.roc),
        ("Precision and recall", evaluation.precision_recall),
        ("Calibration", evaluation.calibration),
        ("Confusion", evaluation.confusion),
    )
    for title, make in made:
        parts: list[Any] = []
        for dataset in evaluation.datasets[:MOST_DRAWN]:
            # nothing of that kind may be kept, or there is none of a regression
            with suppress(TiebreakError):
                parts += pictures(make(dataset=dataset if len(evaluation.datasets) > 1 else None))
        if parts:
            yield Block(title, tuple(parts))


def _run(evaluation: Evaluation) -> Table:
    """Versions, seeds and splits of the run."""
    rows = tuple(islice(_facts(evaluation), MOST_FACTS))
    return Table("Facts of the run", ("what", "value"), rows, (False, False))


def _facts(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    record = evaluation.record
    yield "run", evaluation.name
    yield "store", evaluation.url or "none, in memory"
    yield "seed", str(record.rng)
    for each in record.datasets:
        name = f"data of {each.name}" if each.name else "data"
        yield name, ", ".join(part for part in (f"{each.n_samples} examples", each.fingerprint) if part)
    for name, version in record.versions.items():
        yield f"version of {name}", str(version)
    for name, value in record.settings.items():
        yield name, str(plain(value))
