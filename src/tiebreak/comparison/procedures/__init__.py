"""Procedures by name, one file each, and the choice between them."""

from __future__ import annotations

from collections import UserDict
from dataclasses import replace
from pkgutil import resolve_name
from typing import Any

from tiebreak.comparison.procedures.procedure import Procedure, Question
from tiebreak.errors import Setting, UnsuitableDesignError
from tiebreak.scores.scores import Scores


class Methods(UserDict[str, Any]):  # not a dict, whose values() and get() would not import
    """Procedures by name, each of which is imported when it is first asked for; shown, a line on each."""

    def __getitem__(self, name: str) -> Procedure:
        if isinstance(self.data[name], str):
            self.data[name] = resolve_name(self.data[name])
        found: Procedure = self.data[name]
        return found

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"  {name:<{width}}  by {self[name].unit}: {self[name].generalises_to}" for name in self]
        return "\n".join([f"{len(self)} methods, and what their answers are about", *lines])


METHODS = Methods(
    {
        "corrected-t": "tiebreak.comparison.procedures.corrected_t:CORRECTED_T",
        "paired-t": "tiebreak.comparison.procedures.paired_t:PAIRED_T",
        "wilcoxon": "tiebreak.comparison.procedures.wilcoxon:WILCOXON",
        "sign": "tiebreak.comparison.procedures.wilcoxon:SIGN",
        "hierarchical": "tiebreak.comparison.procedures.hierarchical:HIERARCHICAL",
        "bayes-signed-rank": "tiebreak.comparison.procedures.bayes_signed_rank:BAYES_SIGNED_RANK",
        "welch": "tiebreak.comparison.procedures.welch:WELCH",
        "newcombe": "tiebreak.comparison.procedures.proportions:NEWCOMBE",
        "diebold-mariano": "tiebreak.comparison.procedures.diebold_mariano:DIEBOLD_MARIANO",
        "tango": "tiebreak.comparison.procedures.tango:TANGO",
        "clustered-t": "tiebreak.comparison.procedures.clustered_t:CLUSTERED_T",
        "macro-average": "tiebreak.comparison.procedures.macro_average:MACRO_AVERAGE",
        "prediction-powered": "tiebreak.comparison.procedures.prediction_powered:PREDICTION_POWERED",
        "delong": "tiebreak.comparison.procedures.delong:DELONG",
        "jackknife-t": "tiebreak.comparison.procedures.jackknife_t:JACKKNIFE_T",
    }
)
"""All procedures, as "module:object"; a new one is a file and a line here."""


def methods() -> Methods:
    """Procedures that `compare` knows, by name: what each takes for granted and where it comes from."""
    return Methods(METHODS)


def choose_method(name: str, data: Scores) -> Procedure:
    """The procedure that fits the data, with the reason, or the one asked for.

    Raises a `TiebreakError` where the procedure does not apply to these data, which says why and how to go on.
    """
    question = question_of(data)
    by_shape = _by_shape(data, question)
    chosen = (by_shape if name == "auto" else METHODS[name]).for_data(data)
    refusal = _other_question(chosen, by_shape, data, question) or chosen.applies(data)
    if refusal is not None:
        raise refusal
    return replace(chosen, reason=chosen.reason_for(data)) if name == "auto" else chosen


def question_of(data: Scores) -> Question:
    """Key of what scores can be asked, by how they were made."""
    if data.items is not None:
        from tiebreak.comparison.procedures.test_sets import has_own_sets

        return "test-sets" if has_own_sets(data) else "examples"
    questions: dict[str, Question] = {"seeds": "seeds", "periods": "time", "test-sets": "test-sets"}
    return questions.get(data.design.kind, "splits" if len(data.matrices) == 1 else "datasets")


def _by_shape(data: Scores, question: Question) -> Procedure:
    """The procedure for scores that were made in this way."""
    if question == "test-sets":
        return METHODS["newcombe" if METHODS["newcombe"].applies(data) is None else "welch"]
    if data.items is not None and not data.items.is_mean:
        return METHODS["delong" if data.items.is_positive is not None and data.items.clusters is None else "jackknife-t"]
    if question == "examples" and data.items is not None and data.items.tasks is not None:
        return METHODS["macro-average"]
    if question == "examples" and METHODS["prediction-powered"].applies(data) is None:
        return METHODS["prediction-powered"]
    if question == "examples":
        return METHODS["tango" if METHODS["tango"].applies(data) is None else "clustered-t"]
    if question == "seeds":
        return METHODS["paired-t" if data.matrix().is_complete else "welch"]
    if question == "datasets" and data.is_mixed:
        return METHODS["sign"]
    return METHODS[{"splits": "corrected-t", "datasets": "wilcoxon", "time": "diebold-mariano"}[question]]


_MADE = {
    "splits": "scores on splits of one dataset",
    "datasets": "scores of several datasets",
    "seeds": "scores on one test set that differ by training seed only",
    "time": "losses of forecasts in order of time",
    "test-sets": "scores on a test set of each model's own",
    "examples": "scores of single items (examples, questions) of one test set",
}
"""Scores by the question that they can be asked."""


def _other_question(chosen: Procedure, by_shape: Procedure, data: Scores, question: Question) -> UnsuitableDesignError | None:
    """The error for a procedure that answers another question than these scores can be asked; None where it is theirs."""
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
