"""What a benchmark measured against what it is to reach."""

import sys
from collections.abc import Sequence
from typing import Literal, NamedTuple


class Goal(NamedTuple):
    """A figure and its limit."""

    text: str
    value: float
    sense: Literal["at least", "at most"]
    limit: float

    @property
    def is_met(self) -> bool:
        """Whether the figure is on the right side of the limit."""
        return self.value >= self.limit if self.sense == "at least" else self.value <= self.limit


def report(goals: Sequence[Goal]) -> int:
    """Print each goal in a line; the exit code is 1 if one is missed."""
    width = max(len(goal.text) for goal in goals)
    for goal in goals:
        print(f"  {goal.text:{width}} {goal.value:10.4g}   {goal.sense} {goal.limit:g}   {'met' if goal.is_met else 'MISSED'}")
    return 0 if all(goal.is_met for goal in goals) else 1


def peak_memory() -> float:
    """MB of this process at its largest; nan where the system does not say."""
    try:
        import resource
    except ImportError:
        return float("nan")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
