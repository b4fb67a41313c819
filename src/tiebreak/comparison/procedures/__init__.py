"""Procedures by name, families of them in a file, and the choice between them."""

from collections import UserDict
from pkgutil import resolve_name
from typing import Any, cast

from tiebreak.comparison.procedures.procedure import Method, Procedure, Question, method_for, question_of
from tiebreak.errors import DataError, Setting, TiebreakError
from tiebreak.scores.scores import Scores, Summary

ENTRY_POINTS = "tiebreak.procedures"
"""Group of the entry points by which other packages bring procedures: a name, and ``module:object``."""


class Methods(UserDict[str, Any]):  # not a dict, whose values() and get() would not import
    """Procedures by name, each of which is imported when it is first asked for.

    One name may stand for several questions, of which the item is the first.
    """

    def __getitem__(self, name: str) -> Procedure:
        return self.of(name)[0]

    def of(self, name: str) -> tuple[Procedure, ...]:
        """All procedures of this name, one for each question."""
        held = self.data[name]
        if isinstance(held, str):
            self.data[name] = held = tuple(map(resolve_name, held.split()))
        return held if isinstance(held, tuple) else (held,)

    def names(self) -> list[str]:
        """Names of all, those of other packages too."""
        return list(dict.fromkeys((*self.data, *_brought())))

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self.data:
            self.data.update(_brought())
        return name in self.data


class MethodList(dict[str, Method]):
    """Methods by name, with their facts in words; shown, a line on each."""

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"  {name:<{width}}  by {each.unit}: {each.generalises_to}" for name, each in self.items()]
        return "\n".join([f"{len(self)} methods, and what their answers are about", *lines])


def _brought() -> dict[str, str]:
    """Procedures of other packages, by entry point."""
    from importlib.metadata import entry_points

    return {each.name: each.value for each in entry_points(group=ENTRY_POINTS)}


METHODS = Methods(
    {
        "corrected-t": "tiebreak.comparison.procedures.corrected_t:CORRECTED_T",
        "paired-t": "tiebreak.comparison.procedures.corrected_t:PAIRED_T tiebreak.comparison.procedures.corrected_t:PAIRED_SEEDS "
        "tiebreak.comparison.procedures.datasets:PAIRED_DATASETS",
        "wilcoxon": "tiebreak.comparison.procedures.datasets:WILCOXON",
        "sign": "tiebreak.comparison.procedures.datasets:SIGN",
        "hierarchical": "tiebreak.comparison.procedures.posteriors:HIERARCHICAL",
        "bayes-signed-rank": "tiebreak.comparison.procedures.posteriors:BAYES_SIGNED_RANK",
        "welch": "tiebreak.comparison.procedures.test_sets:WELCH_SEEDS tiebreak.comparison.procedures.test_sets:WELCH",
        "newcombe": "tiebreak.comparison.procedures.test_sets:NEWCOMBE",
        "diebold-mariano": "tiebreak.comparison.procedures.diebold_mariano:DIEBOLD_MARIANO",
        "tango": "tiebreak.comparison.procedures.items:TANGO",
        "clustered-t": "tiebreak.comparison.procedures.items:CLUSTERED_T",
        "macro-average": "tiebreak.comparison.procedures.items:MACRO_AVERAGE",
        "prediction-powered": "tiebreak.comparison.procedures.prediction_powered:PREDICTION_POWERED",
        "delong": "tiebreak.comparison.procedures.item_metrics:DELONG",
        "jackknife-t": "tiebreak.comparison.procedures.item_metrics:JACKKNIFE_T",
        "summary-rates": "tiebreak.comparison.procedures.summary:RATES",
        "summary-areas": "tiebreak.comparison.procedures.summary:AREAS",
        "summary-folds": "tiebreak.comparison.procedures.summary:FOLDS",
        "summary-runs": "tiebreak.comparison.procedures.summary:RUNS",
    }
)
"""All procedures, as "module:object", one for each question; a new one is a file and a line here, or an entry point."""


def methods() -> MethodList:
    """Procedures that `compare` knows, by name: what each takes for granted and where it comes from."""
    return MethodList({name: method_for(each) for name, each in Methods({**METHODS.data, **_brought()}).items()})


def choose_method(name: str, data: Scores) -> Method:
    """The procedure that fits the data, with the reason, or the one asked for.

    Raises a `TiebreakError` where the procedure does not apply to these data, which says why and how to go on.
    """
    question = question_of(data)
    by_shape = _for_question(_by_shape(data, question), question)
    chosen = by_shape if name == "auto" else _for_question(name, question)
    refusal = _refusal(chosen, by_shape, data, question)
    if refusal is not None:
        raise refusal
    return method_for(chosen, data, asked=chosen is not by_shape)


def _for_question(name: str, question: Question) -> Procedure:
    """The procedure of this name that answers the question, else the first."""
    found = METHODS.of(name)
    return next((each for each in found if each.question == question), found[0])


def _applies(name: str, data: Scores) -> bool:
    return METHODS[name].refuse(data) is None


def _by_shape(data: Scores, question: Question) -> str:
    """Name of the procedure for scores that were made in this way."""
    items = data.items
    if question == "summary":
        return f"summary-{cast('Summary', data.matrix().summary).kind}"
    if question == "test-sets":
        return "newcombe" if _applies("newcombe", data) else "welch"
    if items is not None and not items.is_mean:
        return "delong" if items.is_positive is not None and items.clusters is None else "jackknife-t"
    if items is not None:
        if items.tasks is not None:
            return "macro-average"
        return next((each for each in ("prediction-powered", "tango") if _applies(each, data)), "clustered-t")
    if question == "seeds":
        return "paired-t" if data.matrix().is_complete else "welch"
    if question == "datasets":
        if data.is_mixed:
            return "sign"
        return "paired-t" if resolve_name("tiebreak.comparison.procedures.datasets:has_many_ties")(data) else "wilcoxon"
    return "corrected-t" if question == "splits" else "diebold-mariano"


def _refusal(chosen: Procedure, by_shape: Procedure, data: Scores, question: Question) -> TiebreakError | None:
    """The error for a procedure that answers another question than these scores can be asked, or that they do not suit."""
    if chosen.question == question or {chosen.question, question} == {"splits", "datasets"}:
        return chosen.refuse(data)  # these two refuse each other in words of their own
    return DataError(
        f"{chosen.name} is for {_MADE.get(chosen.question, chosen.question)}, and these are {_MADE[question]}. Leave ",
        Setting("method"),
        f" out for the one that suits them, {by_shape.name!r}{_COLUMNS.get(chosen.question, '') if data.items is None else ''}.",
    )


_MADE = {
    "summary": "means of which the single scores are not known",
    "splits": "scores on splits of one dataset",
    "datasets": "scores of several datasets",
    "seeds": "scores on one test set that differ by training seed only",
    "time": "losses of forecasts in order of time",
    "test-sets": "scores on a test set of each model's own",
    "examples": "scores of single items (examples, questions) of one test set",
}
"""Scores by the question that they can be asked."""

_COLUMNS = {
    "seeds": ", or if they do differ by seed only, name the seeds in a column 'seed'",
    "time": ", or if they are in order of time, name the periods in a column 'time'",
    "test-sets": ", or if each is of a test set of its own, pass the columns 'model', 'correct' and 'n'",
    "examples": ", or give the scores of single items: a column 'item', or rows='items'",
}
"""What makes scores such as a procedure needs, by its question."""
