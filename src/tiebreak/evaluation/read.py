"""Runs out of stores."""

from __future__ import annotations

from typing import Any

from tiebreak.errors import AmbiguousSourceError, InvalidParameterError, UnknownNameError
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.scores.names import quoted
from tiebreak.stores.sources import open_store


def read_evaluation(store: Any, name: str | None = None) -> Evaluation:
    """A run as far as it has come; `tiebreak.read_evaluation` describes the parameters."""
    if isinstance(store, str) and "#" in store:
        store, _, fragment = store.partition("#")
        if name is not None and name != fragment:
            raise InvalidParameterError(f"two runs are named: {fragment!r} behind the # of the store, and name={name!r}.")
        name = fragment or name
    opened = open_store(store)
    try:
        return Evaluation.of(opened.read(name if name is not None else _only_run(opened)), opened.url)
    finally:
        opened.close()


def _only_run(store: Any) -> str:
    runs = store.runs()
    if not runs:
        raise UnknownNameError(f"there are no runs in {store.url or 'the store'}.")
    if len(runs) > 1:
        names = quoted([run.name for run in runs])
        raise AmbiguousSourceError(f"{store.url or 'the store'} holds {len(runs)} runs: {names}. Name one: ...#NAME, or name=.")
    return str(runs[0].name)
