"""Procedures by name, families of them in a file, and the choice between them."""

from pkgutil import resolve_name
from typing import cast

from tiebreak.comparison.methods import METHODS, known_methods
from tiebreak.comparison.procedures.procedure import Method, Procedure, Question, method_for, question_of
from tiebreak.errors import DataError, Setting
from tiebreak.scores.scores import Scores, Summary


class MethodList(dict[str, Method]):
    """Methods by name, with their facts in words; shown, a line on each."""

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"  {name:<{width}}  by {each.unit}: {each.generalises_to}" for name, each in self.items()]
        return "\n".join([f"{len(self)} methods, and what their answers are about", *lines])


def procedures_named(name: str, question: str = "") -> list[Procedure]:
    """All procedures of this name, one for each question, that of this question first; imported when they are asked for."""
    held = METHODS[name] if name in METHODS else resolve_name(known_methods()[name])
    found = [resolve_name(f"{__name__}.{each}") for each in held.split()] if isinstance(held, str) else [held]
    return sorted(found, key=lambda each: each.question != question)


def methods() -> MethodList:
    """Procedures that `compare` knows, by name: what each takes for granted and where it comes from."""
    return MethodList({name: method_for(procedures_named(name)[0]) for name in known_methods()})


def choose_method(name: str, data: Scores) -> Method:
    """The procedure that fits the data, with the reason, or the one asked for.

    Raises a `TiebreakError` where the procedure does not apply to these data, which says why and how to go on.
    """
    question = question_of(data)
    by_shape = procedures_named(_by_shape(data, question), question)[0]
    chosen = by_shape if name == "auto" else procedures_named(name, question)[0]
    if chosen.question == question or {chosen.question, question} == {"splits", "datasets"}:
        refusal = chosen.refuse(data)  # these two refuse each other in words of their own
    else:
        refusal = DataError(
            f"{chosen.name} is for {_MADE.get(chosen.question, chosen.question)}, and these are {_MADE[question]}. Leave ",
            Setting("method"),
            f" out for the one that suits them, {by_shape.name!r}",
            f"{_COLUMNS.get(chosen.question, '') if data.items is None else ''}.",
        )
    if refusal is not None:
        raise refusal
    return method_for(chosen, data, asked=chosen is not by_shape)


def _by_shape(data: Scores, question: Question) -> str:
    """Name of the procedure for scores that were made in this way."""
    items = data.items
    if question == "summary":
        return f"summary-{cast('Summary', data.matrix().summary).kind}"
    if question == "examples" and items is not None:
        if not items.is_mean:
            return "delong" if items.is_positive is not None and items.clusters is None else "jackknife-t"
        if items.tasks is not None:
            return "macro-average"
        if items.labels is not None and procedures_named("prediction-powered")[0].refuse(data) is None:
            return "prediction-powered"
    if question == "seeds":
        return "paired-t" if data.matrix().is_complete else "welch"
    if question == "datasets" and not data.is_mixed:
        return "paired-t" if resolve_name(f"{__name__}.datasets:has_many_ties")(data) else "wilcoxon"
    *tried, last = _FIRST_THAT_FITS[question]
    return next((each for each in tried if procedures_named(each)[0].refuse(data) is None), last)


_FIRST_THAT_FITS: dict[Question, tuple[str, ...]] = {
    "splits": ("corrected-t",),
    "datasets": ("sign",),
    "examples": ("tango", "clustered-t"),
    "test-sets": ("newcombe", "welch"),
    "time": ("diebold-mariano",),
}
"""Names of procedures by the question, of which the first counts that does not refuse the scores; the last one in any case."""


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
