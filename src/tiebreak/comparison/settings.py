"""What the caller decided before looking at the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from tiebreak.errors import InvalidParameterError
from tiebreak.frequentist.adjustment import Correction
from tiebreak.numerics import Alternative, Missing, check_alternative, check_probability, check_rope, check_seed, rope_share
from tiebreak.scores.scores import look_up, quoted

MethodName = Literal["auto", "corrected-t", "paired-t"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Choices of one comparison, checked; meanings as in `tiebreak.compare`."""

    rope: float | str = 0.0
    alpha: float = 0.05
    probability: float = 0.95
    baseline: str | None = None
    correction: Correction = "holm"
    alternative: Alternative = "two-sided"
    order: tuple[str, ...] | None = None
    method: MethodName = "auto"
    missing: Missing = "raise"
    rng: int = 0

    def __post_init__(self) -> None:
        """Refuse what no data could make sense of; numpy's numbers become Python's, as JSON knows no others."""
        if isinstance(self.rope, str):
            rope_share(self.rope)
        else:
            self._set("rope", check_rope(self.rope))
        self._set("alpha", check_probability(self.alpha, "alpha"))
        self._set("probability", check_probability(self.probability, "probability", low=0.5))
        self._set("rng", check_seed(self.rng))
        check_alternative(self.alternative)
        for name, allowed in (("correction", Correction), ("method", MethodName), ("missing", Missing)):
            value = getattr(self, name)
            if value not in get_args(allowed):
                raise InvalidParameterError(f"unknown {name} {value!r}; choose one of {', '.join(map(repr, get_args(allowed)))}.")
        if isinstance(self.order, str):
            raise InvalidParameterError(f"order must be a list of model names; got the single name {self.order!r}.")
        if self.alternative != "two-sided" and self.order is None and self.baseline is None:
            raise InvalidParameterError(
                f"alternative={self.alternative!r} tests in one direction, so it needs an order that you chose before looking "
                "at the scores: pass order=[names] (each is tested against those after it), or baseline=. Sorting the models by "
                "these scores and then testing one-sided would reject twice too often."
            )

    def _set(self, name: str, value: float) -> None:
        object.__setattr__(self, name, value)

    def check_names(self, models: Sequence[str]) -> None:
        """Refuse a baseline or an order that does not fit the models."""
        if self.baseline is not None:
            look_up(self.baseline, models, "model (given as baseline)")
        if self.order is None:
            return
        for name in self.order:
            look_up(name, models, "model (given in order)")
        expected = [name for name in models if name != self.baseline]
        doubled = [name for name in dict.fromkeys(self.order) if self.order.count(name) > 1]
        lacking = [name for name in expected if name not in self.order]
        if doubled or lacking or self.baseline in self.order:
            problem = (
                f"{quoted(doubled)} stands twice"
                if doubled
                else f"{quoted(lacking)} is not in it"
                if lacking
                else f"the baseline {self.baseline!r} is in it"
            )
            raise InvalidParameterError(
                f"order must name each model{' but the baseline' if self.baseline is not None else ''} once: {problem}. "
                "To compare fewer models, pass models=."
            )
