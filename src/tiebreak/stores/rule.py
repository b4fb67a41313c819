"""The rule of writing: what becomes of a cell that is written again."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import NamedTuple

from tiebreak.errors import ConflictingScoreError
from tiebreak.plan.outcome import Outcome
from tiebreak.plan.record import RunRecord
from tiebreak.stores.wording import cell_text


class Settled(NamedTuple):
    """What is to be kept of a cell, and which outputs are to be written for it.

    Attributes
    ----------
    outcome : Outcome
        Its outputs are those to be written.
    amends : bool
        Whether outputs that were kept before stay beside them.
    """

    outcome: Outcome
    amends: bool


def settle(stored: RunRecord, old: Outcome | None, kept_outputs: Collection[str], new: Outcome) -> Settled | None:
    """What a cell becomes when an outcome is written over what is kept of it; None where nothing changes.

    Parameters
    ----------
    stored : RunRecord
        The run; the cells of both outcomes are positions in it.
    old : Outcome or None
    kept_outputs : collection of str
        The methods whose outputs are kept.
    new : Outcome

    Raises
    ------
    ConflictingScoreError
        A metric was measured before and has another score now, in a run that can be reproduced.
    """
    if old is None or not old.is_done:
        return Settled(new, amends=False)
    if not new.is_done:
        return None
    if stored.rng is not None:
        _check_agreement(stored, old, new)
    scores = {name: score for name, score in new.scores.items() if name not in old.scores}
    train_scores = {name: score for name, score in new.train_scores.items() if name not in old.train_scores}
    outputs = {method: output for method, output in new.outputs.items() if method not in kept_outputs}
    if not scores and not train_scores and not outputs:
        return None
    undefined = {name: why for name, why in new.undefined.items() if name in scores}
    amended = dataclasses.replace(
        old,
        scores={**old.scores, **scores},
        undefined={**old.undefined, **undefined},
        train_scores={**old.train_scores, **train_scores},
        warnings=tuple(dict.fromkeys((*old.warnings, *new.warnings))),
        outputs=outputs,
    )
    return Settled(amended, amends=True)


def is_settled(outcome: Outcome, metrics: Collection[str], *, is_again: bool) -> bool:
    """Whether nothing is left to do for a cell that somebody has measured.

    Parameters
    ----------
    outcome : Outcome
        What is kept of it.
    metrics : collection of str
        That it is to have.
    is_again : bool
        Whether it is to be measured even though it has failed.
    """
    if not outcome.is_done:
        return not is_again
    return all(name in outcome.scores for name in metrics)


def _check_agreement(stored: RunRecord, old: Outcome, new: Outcome) -> None:
    for rows, then, now in (("", old.scores, new.scores), (" on the training rows", old.train_scores, new.train_scores)):
        for name, score in now.items():
            if name in then and not _same(then[name], score):
                raise ConflictingScoreError(
                    f"run {stored.name!r}: {cell_text(stored, new.cell)} was measured before with {name!r} "
                    f"{float(then[name])!r}{rows}, and now with {float(score)!r}. The first score stays. Something in the model "
                    "is not settled by its random_state (threads, a clock, a global generator). Settle it and begin another run "
                    "with name=, or one with rng=None, which keeps first scores."
                )


def _same(then: float, now: float) -> bool:
    return then == now or (then != then and now != now)
