"""Decisions that the caller makes before looking at the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

from tiebreak.comparison.methods import METHODS, known_methods
from tiebreak.errors import InvalidParameterError, Problems, Setting
from tiebreak.numerics import (
    Missing,
    check_probability,
    check_seed,
    rope_number,
    set_checked,
)
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.family import Correction

if TYPE_CHECKING:
    from tiebreak.comparison.looks import Looks

_KNOWN: dict[str, tuple[Any, ...]] = {
    "correction": (None, *get_args(Correction)),
    "family": ("pairs", "best"),
    "missing": (None, *get_args(Missing)),
}
"""Values that settings of a few words can have; methods are those of the registry."""


@dataclass(frozen=True)
class Settings:
    """Choices of one comparison, checked; meanings as in `tiebreak.compare`.

    They are as asked: a rope of "1%" stays one, and a correction of None is the procedure's own, which the comparison knows. Of a
    generator given as `rng` the seed that it draws is kept.
    """

    rope: float | str = 0.0
    alpha: float = 0.05
    baseline: str | None = None
    family: Literal["pairs", "best"] = "pairs"
    correction: Correction | None = None
    method: str = "auto"
    missing: Missing | None = None
    rng: Any = 0  # a whole number once it is checked
    by: str | None = None
    looks: Looks | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        """Refuse all that no data could make sense of at once; numpy's numbers become Python's, as JSON knows no others."""
        problems = Problems()
        checks: dict[str, Callable[..., Any]] = {
            "rope": rope_number,
            "alpha": partial(check_probability, name="alpha"),
            "rng": check_seed,
        }
        for name, check in checks.items():
            with problems.noted():
                given, value = getattr(self, name), check(getattr(self, name))
                set_checked(self, **{name: given if isinstance(given, str) else value})  # a percentage stays one
        methods = ("auto", *METHODS) if self.method in ("auto", *METHODS) else ("auto", *known_methods())  # of other packages too
        for name, allowed in {**_KNOWN, "method": methods}.items():
            if (value := getattr(self, name)) not in allowed:
                choices = ", ".join(repr(each) for each in allowed if each is not None)
                problems.append(InvalidParameterError(f"unknown {name} {value!r:.60}; choose one of {choices}.", about=name))
        if self.by is not None and not isinstance(self.by, str):
            problems.append(
                InvalidParameterError(f"by must be the name of a column of the items; got {self.by!r:.60}.", about="by")
            )
        problems.stop()
        problems.extend(self._contradictions())
        problems.stop()

    def _contradictions(self) -> Iterator[InvalidParameterError]:
        """Corrections that cannot keep what their level promises, and what comparisons with the best do not answer."""
        if self.correction == "shaffer" and self.baseline is not None:
            yield InvalidParameterError(
                "the correction 'shaffer' is for all pairs; against a baseline, whose pairs can all be alike or not, use 'holm'.",
                about="correction",
            )
        if self.correction not in SINGLE_STEP and rope_number(self.rope) > 0:
            yield InvalidParameterError(
                f"the correction {self.correction!r} goes step by step, which is right for 'no difference' only: with a rope "
                "every pair lies above, inside or below it, none of these can be ruled out for free, and such intervals were "
                "measured to be wrong in 11 to 22 of 100 families. With a rope choose 'bonferroni' (the default) or 'none', or "
                "compare with a rope of 0.",
                about="correction",
            )
        for name, (reason, *harmless) in _NOT_OF_BEST.items():
            if self.family == "best" and getattr(self, name) not in harmless:
                yield InvalidParameterError(
                    Setting("family", '"best"'),
                    f" {reason}, so it does not go with ",
                    Setting(name),
                    ". Leave one of the two out.",
                    about="family",
                )


def check_names(given: Mapping[str, Any]) -> None:
    """Refuse what is no setting of a comparison."""
    known = [each.name for each in fields(Settings)]
    if unknown := sorted(set(given) - set(known)):
        raise InvalidParameterError(f"no setting of a comparison is called {quoted(unknown)}; there are {quoted(known)}.")


def settings_for(scores: Scores, given: Mapping[str, Any]) -> Settings:
    """Settings of a comparison: the caller's, then those that came with the sources, then the defaults.

    Parameters
    ----------
    scores : Scores
        `saved_settings` holds the settings of the sources; a baseline counts only where it is one of the models.
    given : mapping
        By the names of `Settings`; None is not given.

    Raises
    ------
    InvalidParameterError
        Two sources with different settings, of which the caller gave none.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    replaced = set(_NOT_OF_BEST) if chosen.get("family") == "best" else {"family"} if "baseline" in chosen else set()
    names = {each.name for each in fields(Settings)} - set(chosen) - replaced
    found: dict[str, tuple[str, Any]] = {}
    problems = Problems()
    for each in scores.saved_settings:
        for name, value in each.settings.items():
            if name not in names or (name == "baseline" and value not in (None, *scores.models)):
                continue
            source, first = found.setdefault(name, (each.source, value))
            if first != value and name != "rng":
                problems.append(
                    InvalidParameterError(
                        f"{source} was compared with {name} {first!r} and {each.source} with {value!r}. Say which one with ",
                        Setting(name),
                        ".",
                        about=name,
                    )
                )
    problems.stop()
    return Settings(**chosen, **{name: value for name, (_, value) in found.items()})


SINGLE_STEP = (None, "bonferroni", "none")
"""Corrections (None is the default) whose level does not depend on the p-values, nor an adjusted p-value on the others.

Their intervals say more than "no difference", and so take a rope.
"""

_NOT_OF_BEST = {
    "baseline": ("compares every model with the best one, whichever it is", None),
    "correction": ("shares alpha among the rivals of a model at a level of its own", None, "bonferroni"),
    "by": ("judges models, and slices judge pairs", None),
}
"""Reasons why settings do not go with comparisons with the best, and values that do."""
