"""The judgement of a release gate, one line for each requirement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.views.format import printable

if TYPE_CHECKING:
    from tiebreak.comparison.requirements import Requirements


def judgements(requirements: Requirements) -> list[str]:
    """Met or not, the claim, and why."""
    return [f"{'met' if r.met else 'NOT met'}: {printable(r.claim)} ({r.reason})" for r in requirements]
