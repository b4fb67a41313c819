"""A measured evaluation in the report: a comparison for each metric and dataset, what was measured, and kept predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tiebreak.errors import TiebreakError
from tiebreak.printable import printable
from tiebreak.views.evaluation import page
from tiebreak.views.json import plain
from tiebreak.views.page import Paragraph, Section, Table
from tiebreak.views.report.comparison import answer_of, answers_data
from tiebreak.views.report.document import Block, Document, drawings, html_of
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


def report(evaluation: Evaluation, metrics: Sequence[str] = (), **settings: Any) -> str:
    """The report of an evaluation: all metrics, or some; settings are those of `Evaluation.compare`."""
    comparisons, reasons = _compared(evaluation, metrics or evaluation.metrics, settings)
    shown = page(evaluation)
    tables = tuple(part for part in shown.parts if isinstance(part, Table | Section))
    head = tuple(part for part in shown.parts if isinstance(part, Paragraph))[:1]
    blocks = [Block("measured", "What was measured", (*head, *tables))]
    drawn = [name for name in evaluation.plot.names if name != "times"]  # which stands with the scores
    blocks += [Block("predicted", "Predictions", drawings(evaluation, drawn))] if drawn else []
    blocks += _predictions(evaluation)
    if reasons:
        blocks.append(Block("left-out", "What was left out", (Section("Not compared", reasons, is_folded=False),)))
    blocks.append(Block("run", "How it was run", (_run(evaluation),)))
    document = Document(
        title=f"{printable(evaluation.name)}: {len(evaluation.models)} models",
        answers=[answer_of(each, None, n) for n, each in enumerate(comparisons)],
        blocks=blocks,
        data=answers_data(comparisons),
    )
    return html_of(document)


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
    made: tuple[tuple[str, str, Callable[..., Any]], ...] = (
        ("roc", "ROC curves", evaluation.roc),
        ("precision-recall", "Precision and recall", evaluation.precision_recall),
        ("calibration", "Calibration", evaluation.calibration),
        ("confusion", "Confusion", evaluation.confusion),
    )
    datasets = evaluation.datasets[:MOST_DRAWN]
    for id, title, make in made:
        parts: list[Any] = []
        for dataset in datasets:
            try:
                result = make(dataset=dataset if len(evaluation.datasets) > 1 else None)
                parts += drawings(result)
            except TiebreakError:
                continue  # nothing of that kind was kept, or there is none of a regression
        if parts:
            yield Block(id, title, tuple(parts))


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
