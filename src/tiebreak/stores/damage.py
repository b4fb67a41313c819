"""Damage: what in a store is not as it was written, and what is said of it."""

from collections.abc import Callable
from dataclasses import dataclass

from tiebreak.errors import DamagedStoreError

MISMATCH = "its hash does not match"


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in a store that is not what was written.

    Attributes
    ----------
    run : str
        "" where it cannot be told.
    where : str
        "the cell of model 'svm' on repeat 0 fold 3", "the list of models", "the file", ...
    what : str
        "its hash does not match", "1 of 40 is gone", ...
    """

    run: str
    where: str
    what: str


Report = Callable[[Damage], None]
"""What is done about damage: `refuse` it, or keep it for a list."""


class FoundDamageError(DamagedStoreError):
    """Damage that was met while something was read."""

    damage: Damage


def refuse(damage: Damage) -> None:
    """Raise what is wrong as a `DamagedStoreError`."""
    run = f"run {damage.run!r}: " if damage.run else ""
    remedy = "delete the run and measure it again" if damage.run else "delete the store and measure its runs again"
    error = FoundDamageError(
        f"{run}{damage.where} is not what was written: {damage.what}. Put a copy of the store in its place, or {remedy}."
    )
    error.damage = damage
    raise error
