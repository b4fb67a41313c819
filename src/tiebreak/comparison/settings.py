"""Decisions that the caller makes before looking at the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from tiebreak.comparison.procedures import METHODS
from tiebreak.errors import InvalidParameterError, Setting
from tiebreak.numerics import (
    Missing,
    check_probability,
    check_rope,
    check_seed,
    rope_share,
    set_checked,
)
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import look_up
from tiebreak.statistics.family import Correction

if TYPE_CHECKING:
    from tiebreak.comparison.looks import Looks

_KNOWN: dict[str, tuple[Any, ...]] = {
    "correction": (None, *get_args(Correction)),
    "family": ("pairs", "best"),
    "missing": (None, *get_args(Missing)),
}
"""Values that settings of a few words can have; methods are those of the registry."""


@dataclass(frozen=True, slots=True)
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
    rng: int | np.random.Generator = 0
    by: str | None = None
    looks: Looks | None = field(default=None, hash=False)

    @property
    def seed(self) -> int:
        """`rng` as the number that it is kept as."""
        return cast("int", self.rng)

    def __post_init__(self) -> None:
        """Refuse what no data could make sense of; numpy's numbers become Python's, as JSON knows no others."""
        if isinstance(self.rope, str):
            rope_share(self.rope)
        else:
            set_checked(self, rope=check_rope(self.rope))
        set_checked(self, alpha=check_probability(self.alpha, "alpha"))
        set_checked(
            self, rng=int(self.rng.integers(2**32)) if isinstance(self.rng, np.random.Generator) else check_seed(self.rng)
        )
        is_known = self.method == "auto" or self.method in METHODS  # asked first for "auto": others may stand in other packages
        known = {**_KNOWN, "method": (self.method,) if is_known else ("auto", *METHODS)}
        for name, allowed in known.items():
            value = getattr(self, name)
            if value not in allowed:
                raise InvalidParameterError(
                    f"unknown {name} {value!r}; choose one of {', '.join(repr(each) for each in allowed if each is not None)}."
                )
        if self.correction == "shaffer" and self.baseline is not None:
            raise InvalidParameterError(
                "the correction 'shaffer' is for all pairs; against a baseline, whose pairs can all be alike or not, use 'holm'."
            )
        self._check_family()
        if self.looks is not None:
            from tiebreak.comparison.looks import Looks

            if not isinstance(self.looks, Looks):
                set_checked(self, looks=Looks.from_dict(self.looks))
        if self.by is not None and not isinstance(self.by, str):
            raise InvalidParameterError(f"by must be the name of a column of the items; got {self.by!r:.60}.", about="by")

    def _check_family(self) -> None:
        """Refuse corrections that cannot keep what their level promises, and what comparisons with the best do not answer."""
        if self.correction not in ROPE_CORRECTIONS and self.has_rope:
            raise InvalidParameterError(stepwise_refusal(str(self.correction)), about="correction")
        if self.family != "best":
            return
        given = {
            "baseline": self.baseline is not None,
            "correction": self.correction not in (None, "bonferroni"),
            "by": self.by is not None,
        }
        for name, is_given in given.items():
            if is_given:
                raise InvalidParameterError(
                    Setting("family", '"best"'),
                    f" {_NOT_OF_BEST[name]}, so it does not go with ",
                    Setting(name),
                    ". Leave one of the two out.",
                    about="family",
                )

    @property
    def has_rope(self) -> bool:
        """True where a rope was asked for that is not 0."""
        return rope_share(self.rope) > 0 if isinstance(self.rope, str) else self.rope > 0

    def as_dict(self) -> dict[str, Any]:
        """All of them by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def check_names(self, models: Sequence[str]) -> None:
        """Refuse a baseline that is none of the models."""
        if self.baseline is not None:
            look_up(self.baseline, models, "model (given as baseline)")


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
    asked = [(each.source, dict(each.settings)) for each in scores.saved_settings]
    for _, settings in asked:
        if chosen.get("family") == "best":
            for name in _NOT_OF_BEST:
                settings.pop(name, None)
        elif "baseline" in chosen:
            settings.pop("family", None)
        if settings.get("baseline") not in (None, *scores.models):
            settings.pop("baseline", None)
    for name in (each.name for each in fields(Settings)):
        found = [(source, settings[name]) for source, settings in asked if name in settings]
        if name in chosen or not found:
            continue
        other = next((each for each in found if each[1] != found[0][1]), None)
        if other is not None and name != "rng":
            raise InvalidParameterError(
                f"{found[0][0]} was compared with {name} {found[0][1]!r} and {other[0]} with {other[1]!r}. Say which one with ",
                Setting(name),
                ".",
                about=name,
            )
        chosen[name] = found[0][1]
    _refuse_saved_steps(scores, given, chosen)
    return Settings(**chosen)


def _refuse_saved_steps(scores: Scores, given: Mapping[str, Any], chosen: Mapping[str, Any]) -> None:
    """Say how to compare a saved answer again that has both a stepwise correction and a rope."""
    correction = chosen.get("correction")
    if given.get("correction") is not None or correction in ROPE_CORRECTIONS:
        return
    saved = next((each for each in scores.saved_settings if each.settings.get("correction") == correction), None)
    if saved is None or not Settings(rope=chosen.get("rope", 0.0)).has_rope:
        return
    raise InvalidParameterError(
        f"{saved.source or 'the saved answer'} was compared with the correction {correction!r} and a rope of "
        f"{chosen['rope']}. To compare it again, say with which ",
        Setting("correction"),
        f": {stepwise_refusal(str(correction))}",
        about="correction",
    )


ROPE_CORRECTIONS = (None, "bonferroni", "none")
"""Corrections whose intervals say more than "no difference", and so take a rope."""

_NOT_OF_BEST = {
    "baseline": "compares every model with the best one, whichever it is",
    "correction": "shares alpha among the rivals of a model at a level of its own",
    "by": "judges models, and slices judge pairs",
}
"""Reasons why settings do not go with comparisons with the best."""


def stepwise_refusal(correction: str) -> str:
    """Words on why a stepwise correction takes no rope."""
    return (
        f"the correction {correction!r} goes step by step, which is right for 'no difference' only: with a rope every pair lies "
        "above, inside or below it, none of these can be ruled out for free, and such intervals were measured to be wrong in "
        "11 to 22 of 100 families. With a rope choose 'bonferroni' (the default) or 'none', or compare with a rope of 0."
    )
