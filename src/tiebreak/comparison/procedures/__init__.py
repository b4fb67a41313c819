"""Procedures by name, one file each, and the choice between them."""

from __future__ import annotations

from dataclasses import replace

from tiebreak.comparison.procedures.bayes_bootstrap import BAYES_BOOTSTRAP
from tiebreak.comparison.procedures.bayes_signed_rank import BAYES_SIGN, BAYES_SIGNED_RANK
from tiebreak.comparison.procedures.bootstrap import BOOTSTRAP
from tiebreak.comparison.procedures.clustered_t import CLUSTERED_T
from tiebreak.comparison.procedures.corrected_t import CORRECTED_T
from tiebreak.comparison.procedures.datasets import OverDatasets
from tiebreak.comparison.procedures.delong import DELONG
from tiebreak.comparison.procedures.diebold_mariano import DIEBOLD_MARIANO
from tiebreak.comparison.procedures.five_by_two import FIVE_BY_TWO
from tiebreak.comparison.procedures.hierarchical import HIERARCHICAL
from tiebreak.comparison.procedures.nemenyi import NEMENYI
from tiebreak.comparison.procedures.paired_t import PAIRED_T
from tiebreak.comparison.procedures.permutation import PERMUTATION
from tiebreak.comparison.procedures.procedure import Procedure, Question
from tiebreak.comparison.procedures.proportions import AGRESTI_CAFFO, NEWCOMBE, UNPOOLED_Z
from tiebreak.comparison.procedures.tango import NEWCOMBE_PAIRED, TANGO
from tiebreak.comparison.procedures.test_sets import has_own_sets
from tiebreak.comparison.procedures.welch import WELCH
from tiebreak.comparison.procedures.wilcoxon import SIGN, WILCOXON
from tiebreak.errors import InvalidParameterError, Setting, UnsuitableDesignError
from tiebreak.scores.dataset_means import Scale
from tiebreak.scores.scores import Scores

METHODS: dict[str, Procedure] = {
    procedure.name: procedure
    for procedure in (
        CORRECTED_T,
        PAIRED_T,
        FIVE_BY_TWO,
        WILCOXON,
        SIGN,
        HIERARCHICAL,
        BAYES_SIGNED_RANK,
        BAYES_SIGN,
        NEMENYI,
        WELCH,
        NEWCOMBE,
        AGRESTI_CAFFO,
        UNPOOLED_Z,
        DIEBOLD_MARIANO,
        TANGO,
        NEWCOMBE_PAIRED,
        CLUSTERED_T,
        DELONG,
        BOOTSTRAP,
        PERMUTATION,
        BAYES_BOOTSTRAP,
    )
}
"""All procedures; a new one is a file and a line here."""


class Methods(dict[str, Procedure]):
    """Procedures by name; shown, a line on each."""

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"  {name:<{width}}  by {each.unit}: {each.generalises_to}" for name, each in self.items()]
        return "\n".join([f"{len(self)} methods, and what their answers are about", *lines])


def methods() -> Methods:
    """Procedures that `compare` knows, by name: what each takes for granted and where it comes from."""
    return Methods(METHODS)


def choose_method(name: str, data: Scores, scale: Scale = "absolute") -> Procedure:
    """The procedure that fits the data, with the reason, or the one asked for.

    Raises a `TiebreakError` where the procedure does not apply to these data, which says why and how to go on.
    """
    by_shape = _by_shape(data, scale)
    chosen = by_shape if name == "auto" else METHODS[name]
    if isinstance(chosen, OverDatasets):
        chosen = chosen.on_scale(scale)
    elif scale != "absolute":
        raise InvalidParameterError(
            f"{chosen.name} compares scores of one dataset, in the metric's unit; ",
            Setting("scale", repr(scale)),
            " is for scores of several datasets, whose sizes differ. Leave it out.",
        )
    chosen = chosen.for_data(data)
    refusal = _other_question(chosen, by_shape, data) or chosen.applies(data)
    if refusal is not None:
        raise refusal
    return replace(chosen, reason=chosen.reason_for(data)) if name == "auto" else chosen


def question_of(data: Scores) -> Question:
    """Key of what scores can be asked, by how they were made."""
    if data.items is not None:
        return "test-sets" if has_own_sets(data) else "examples"
    questions: dict[str, Question] = {"seeds": "seeds", "periods": "time", "test-sets": "test-sets"}
    return questions.get(data.design.kind, "splits" if len(data.matrices) == 1 else "datasets")


def _by_shape(data: Scores, scale: Scale) -> Procedure:
    """The procedure for scores that were made in this way."""
    question = question_of(data)
    if question == "test-sets":
        return NEWCOMBE if NEWCOMBE.applies(data) is None else WELCH
    if data.items is not None and not data.items.is_mean:
        return DELONG if data.items.is_positive is not None and data.items.clusters is None else BOOTSTRAP
    if question == "examples":
        return TANGO if TANGO.applies(data) is None else CLUSTERED_T
    if question == "seeds":
        return PAIRED_T if data.matrix().is_complete else WELCH
    if question == "datasets" and data.is_mixed and scale == "absolute":
        return SIGN
    return {"splits": CORRECTED_T, "datasets": WILCOXON, "time": DIEBOLD_MARIANO}[question]


_MADE = {
    "splits": "scores on splits of one dataset",
    "datasets": "scores of several datasets",
    "seeds": "scores on one test set that differ by training seed only",
    "time": "losses of forecasts in order of time",
    "test-sets": "scores on a test set of each model's own",
    "examples": "scores of single items (examples, questions) of one test set",
}
"""Scores by the question that they can be asked."""


def _other_question(chosen: Procedure, by_shape: Procedure, data: Scores) -> UnsuitableDesignError | None:
    """The error for a procedure that answers another question than these scores can be asked; None where it is theirs."""
    question = question_of(data)
    if chosen.question == question or {chosen.question, question} == {"splits", "datasets"}:
        return None  # these two refuse each other in words of their own
    return UnsuitableDesignError(
        f"{chosen.name} is for {_MADE.get(chosen.question, chosen.question)}, and these are {_MADE[question]}. Leave ",
        Setting("method"),
        f" out for the one that suits them, {by_shape.name!r}{_COLUMNS.get(chosen.question, '') if data.items is None else ''}.",
    )


_COLUMNS = {
    "seeds": ", or if they do differ by seed only, name the seeds in a column 'seed'",
    "time": ", or if they are in order of time, name the periods in a column 'time'",
    "test-sets": ", or if each is of a test set of its own, pass the columns 'model', 'correct' and 'n'",
    "examples": ", or give the scores of single items: a column 'item', or rows='items'",
}
"""What makes scores such as a procedure needs, by its question."""
