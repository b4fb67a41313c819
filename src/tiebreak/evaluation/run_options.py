"""Options that all measuring functions share: where a run is kept, and how its cells are measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tiebreak.errors import InvalidParameterError

if TYPE_CHECKING:
    from tiebreak.evaluation.progress import Progress

ThreadsPerFit = int | Literal["auto"] | None


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run, described under `tiebreak.evaluate`; they do not touch what is measured.

    `progress` is given a `Progress`; `settings` are facts that are kept with the run, by name.
    """

    store: Any = None
    name: str | None = None
    n_jobs: int = 1
    runner: Any = None
    threads_per_fit: ThreadsPerFit = "auto"
    share_steps: bool = True
    timeout: float | None = None
    retry_failed: bool = False
    accept_versions: bool = False
    progress: Callable[[Progress], object] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        check_flags(retry_failed=self.retry_failed, accept_versions=self.accept_versions, share_steps=self.share_steps)
        name: Any = self.name
        if name is not None and not (isinstance(name, str) and name):
            raise InvalidParameterError(f"name must be a text that is not empty; got {name!r}.")


def check_flags(**flags: Any) -> None:
    """Refuse settings that are neither True nor False, by name."""
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise InvalidParameterError(f"{name} must be True or False; got {value!r}.")
