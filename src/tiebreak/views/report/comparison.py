"""A comparison in the report: the page of the answer, with a ranking whose verdicts follow the rope."""

import json
from typing import Any

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.ranking import BEST, STANDINGS
from tiebreak.comparison.requirements import Requirements
from tiebreak.comparison.settings import SINGLE_STEP
from tiebreak.views.answer import design_line, rope_words
from tiebreak.views.comparison import answer_columns, details, facts, page, ranking_lines
from tiebreak.views.report.document import html_of, pictures
from tiebreak.views.words import count, printable

MOST_MODELS = 200
"""Models in the ranking of a report."""

STEPS = 200
"""Steps of the slider."""

DRAWN = ("scores", "diagram", "paired", "posterior")
"""Plots that stand in the report; what the others show is in the ranking."""

MOST_DRAWN = 20
"""Models up to which scores are drawn."""


def report(comparison: Comparison, requirements: Requirements | None = None, **heading: Any) -> str:
    """The report of one comparison."""
    title = f"{count(len(comparison.models), 'model')} by {printable(comparison.metric.name)}"
    held = facts(comparison, requirements, has_tables=False)
    return html_of(title, [held], answers=[answer_of(comparison, requirements)], **heading)


def answer_of(comparison: Comparison, requirements: Requirements | None = None) -> dict[str, Any]:
    """Parts of one comparison, as the template wants them."""
    asked, *rest = page(comparison, requirements).parts if requirements is not None else (None, *page(comparison).parts)
    first, models, *after = rest
    ranking, pairs, *notes = details(comparison).parts
    datasets = [matrix.dataset for matrix in comparison.scores.matrices]
    dataset = f" on {datasets[0]}" if len(datasets) == 1 and datasets[0] else ""
    drawn = [name for name in comparison.plot.names if name in DRAWN] if len(comparison.models) <= MOST_DRAWN else []
    return {
        "label": f"{comparison.metric.name}{dataset}",
        "requirements": asked,
        "head": first,
        "ranking": _ranking(comparison, models),
        "after": after,
        "pictures": pictures(comparison, drawn),
        "tables": (ranking, pairs),
        "notes": notes,
        "slider": _slider(comparison),
        "provenance": [(name, text) for name, text in _provenance(comparison).items() if text],
    }


def _slider(comparison: Comparison) -> dict[str, Any]:
    """The rope as it was asked, how far it can be moved, and why not, where it cannot."""
    rope, metric = comparison.rope, comparison.metric.name
    ends = np.abs(np.concatenate([np.ravel(end) for end in comparison.pair_table.interval]))
    reach = float(ends[np.isfinite(ends)].max(initial=0.0))
    most = float(f"{max(1.05 * reach, 2.0 * rope) or 1.0:.2g}")
    stays = ""
    if comparison.pair_table.judged.unit != "metric":
        stays = f"The rope stays at 0, as {comparison.method.name} judges differences of the {metric}."
    elif comparison.correction not in SINGLE_STEP:
        stays = (
            f"The rope stays at 0, as the correction {comparison.correction} goes step by step: it is for 'no difference' only."
        )
    return {
        "rope": repr(rope).removesuffix(".0"),
        "words": rope_words(comparison),
        "metric": metric,
        "most": f"{most:g}",
        "step": f"{most / STEPS:g}",
        "tolerance": repr(float(np.max(comparison.pair_table.law.tolerance, initial=0.0))),
        "is_best": comparison.pair_table.family == "best",
        "stays": stays,
    }


def _ranking(comparison: Comparison, shown: Any) -> dict[str, Any]:
    """Rows of the ranking, the first ones of very many, with what the page notes below its table.

    Of models against the best the standing takes the place of the verdict. `ends` of a row are () where its verdict does not
    depend on the rope, `otherwise` is the standing of a model that is not near the best, and `x` are the places of the low end,
    the estimate and the high end in percent of the width.
    """
    t, lines = comparison.ranking_table, ranking_lines(comparison)
    is_out = np.zeros(len(comparison.models), dtype=bool) if t.may_be_best is None else ~t.may_be_best
    rows = sorted(lines, key=lambda row: (bool(is_out[row]), row))[:MOST_MODELS]
    columns = answer_columns(comparison, rows)
    if comparison.pair_table.family == "best":  # from 0 to the bound on how far each falls short
        bounds = np.asarray(t.shortfall_high)
        held = (np.zeros_like(bounds), np.full_like(bounds, np.nan), bounds)
    else:
        against = comparison.against_reference
        held = (against.interval.low, against.difference, against.interval.high)
    ends = np.array(held, dtype=float)[:, rows]
    near = ends[:, :FOREMOST]
    known, rope = np.append(near[np.isfinite(near)], [0.0]), comparison.rope
    low, high = float(known.min()), float(known.max())
    if rope < 4 * max(high, -low):
        low, high = min(low, -rope), max(high, rope)
    margin = 0.04 * ((high - low) or 1.0)
    low, high = low - margin, high + margin
    places, shown_rows = (100 * (ends - low) / (high - low)).clip(0.0, 100.0).round(1), []
    for place, row in enumerate(rows):
        cells, n_copies = {header: column[place] for header, column in columns.items()}, len(lines[row])
        first, _, last = ends[:, place].tolist()
        verdict, otherwise, is_open = cells.get("verdict", ""), "", not np.isnan([first, last]).any()
        if "verdict" not in columns:
            verdict = "" if t.standing is None else STANDINGS[t.standing[row]]
            otherwise = STANDINGS[int(t.may_be_best is not None and t.may_be_best[row])]
            is_open = verdict not in ("", STANDINGS[BEST])
        shown_rows.append(
            {
                "name": cells["model"] + (f" (and {n_copies} {'copy' if n_copies == 1 else 'copies'})" if n_copies else ""),
                "full_name": comparison.models[row],
                "texts": cells,
                "verdict": verdict,
                # of the interval that decides the verdict; "Infinity", as JavaScript has it
                "ends": (json.dumps(first), json.dumps(last)) if is_open else (),
                "otherwise": otherwise,
                "x": tuple(places[:, place].tolist()) if np.isfinite([first, last]).all() else (),
            }
        )
    return {
        "headers": [header for header in columns if header not in ("", "model", "verdict")],
        "rows": shown_rows,
        "scale": (low, high),
        "zero": f"{-100 * low / (high - low):.1f}",
        "notes": [note for note in shown.notes if not note.startswith("and ")],  # of models that have no line on the page
        "rule": {int(np.sum(~is_out[rows])): shown.rule[1]} if shown.rule else {},  # the row before which it stands
        "left": (
            f"The first {len(rows)} of {len(lines)} models; the data of this file have all." if len(lines) > len(rows) else ""
        ),
        "verdict": "verdict" if comparison.pair_table.is_family else "standing",
    }


FOREMOST = 25
"""Rows that the scale of the drawn intervals has to fit; what lies further off is cut."""


def _provenance(comparison: Comparison) -> dict[str, str]:
    """Facts from which the answer could be made again."""
    s, design = comparison.settings, comparison.scores.design
    kinds = f"; kind {design.kind}, sizes {design.sizes}" if comparison.method.unit == "split" else ""
    return {
        "Settings": f"rope {rope_words(comparison)}, alpha {s.alpha:g}, correction {comparison.correction}",
        "Procedure": f"{comparison.method.name} (asked: {s.method})",
        "Baseline": printable(s.baseline or ""),
        "Scores": f"{design_line(comparison)}; paired by {design.pairing}{kinds}",
        "Fingerprint of the splits": design.hash or "",
        "Seed of random draws": str(s.rng),
    }
