"""A measured evaluation in the report: a comparison for each metric and dataset, what was measured, and kept predictions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.errors import TiebreakError
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.printable import printable
from tiebreak.views.comparison import facts
from tiebreak.views.evaluation import page
from tiebreak.views.page import Section, Table
from tiebreak.views.report.comparison import answer_of
from tiebreak.views.report.document import html_of, pictures
from tiebreak.views.view import plain
from tiebreak.views.words import quote

MOST_ANSWERS = 12
"""Comparisons that one report holds."""

MOST_DRAWN = 6
"""Datasets of which predictions are drawn."""

MOST_FACTS = 1000
"""Facts of a run that are told: there are a few dozen, and millions in a store that was made to harm."""


def report(evaluation: Evaluation, metrics: Sequence[str] = (), settings: Mapping[str, Any] | None = None, **heading: Any) -> str:
    """The report of an evaluation: all metrics, or some; settings are those of `Evaluation.compare`."""
    whole = (None,) if len(evaluation.datasets) > 1 else ()
    asked = [(metric, dataset) for metric in metrics or evaluation.metrics for dataset in (*whole, *evaluation.datasets)]
    found, failed = compared(evaluation, asked[:MOST_ANSWERS], settings or {})
    comparisons = [comparison for _, comparison in found]
    reasons = [
        f"{printable(str(metric))}{f' on {quote(dataset)}' if dataset else ''}: {printable(str(error))}"
        for metric, dataset, error in failed
    ]
    if len(asked) > MOST_ANSWERS:
        reasons.append(f"{len(asked) - MOST_ANSWERS} further comparisons: a report holds {MOST_ANSWERS} of them")
    run = tuple(islice(_facts(evaluation), MOST_FACTS))
    *measured, _ = page(evaluation).parts  # whose last part sends to the comparison
    blocks: list[tuple[str, Sequence[Any]]] = [("What was measured", measured), *_predictions(evaluation)]
    if reasons:
        blocks.append(("What was left out", (Section("Not compared", reasons),)))
    blocks.append(("How it was run", (Table("Facts of the run", ("what", "value"), run, (False, False)),)))
    title = f"{printable(evaluation.name)}: {len(evaluation.models)} models"
    held = [facts(comparison, has_tables=False) for comparison in comparisons]
    return html_of(title, held, answers=list(map(answer_of, comparisons)), blocks=blocks, **heading)


def compared(
    evaluation: Evaluation, asked: Sequence[tuple[str | None, str | None]], settings: Mapping[str, Any]
) -> tuple[list[tuple[str | None, Comparison]], list[tuple[str | None, str | None, TiebreakError]]]:
    """Comparisons in metrics on datasets (None is the first metric, or all datasets), each with its dataset; and failed ones.

    Models that lack scores are compared on those that they share, unless the settings say otherwise.
    """
    lacks = any(bool(np.isnan(evaluation.grid(n, 0)).any()) for n in range(len(evaluation.datasets)))
    given = {"missing": "pairwise", **settings} if lacks else settings
    found, failed = [], []
    for metric, dataset in asked:
        try:
            only = dataset if len(evaluation.datasets) > 1 else None
            found.append((dataset, evaluation.compare(metric, dataset=only, **given)))
        except TiebreakError as error:
            failed.append((metric, dataset, error))
    return found, failed


def _predictions(evaluation: Evaluation) -> Iterator[tuple[str, Sequence[Any]]]:
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
            yield title, parts


def _facts(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    """Versions, seeds and splits of the run."""
    record = evaluation.record
    return chain(
        (("run", evaluation.name), ("store", evaluation.url or "none, in memory"), ("seed", str(record.rng))),
        (
            (
                f"data of {each.name}" if each.name else "data",
                ", ".join(filter(None, (f"{each.n_samples} examples", each.fingerprint))),
            )
            for each in record.datasets
        ),
        ((f"version of {name}", str(version)) for name, version in record.versions.items()),
        ((name, str(plain(value))) for name, value in record.settings.items()),
    )
