"""How stores tell people of cells and of damage."""

from __future__ import annotations

from collections.abc import Callable

from tiebreak.errors import DamagedStoreError, InvalidParameterError
from tiebreak.plan.outcome import STATES, Cell, Outcome
from tiebreak.plan.record import RunRecord
from tiebreak.stores.store import Damage

MISMATCH = "its hash does not match"
Report = Callable[[Damage], None]
"""What is done about damage: `refuse` it, or keep it for a list."""


def cell_text(record: RunRecord, cell: Cell) -> str:
    """A cell as people are told of it: "the cell of model 'svm' on repeat 0 fold 3 of dataset 'iris'"."""
    if not all(isinstance(position, int) for position in cell) or not is_planned(record, cell):  # from a damaged row
        return f"a cell outside the plan (dataset {cell.dataset}, split {cell.split}, model {cell.model})"
    dataset = record.datasets[cell.dataset]
    of = f" of dataset {dataset.name!r}" if dataset.name else ""
    return f"the cell of model {record.models[cell.model].name!r} on {dataset.split_name(cell.split)}{of}"


def is_planned(record: RunRecord, cell: Cell) -> bool:
    """Whether the record has the positions."""
    return (
        0 <= cell.dataset < len(record.datasets)
        and 0 <= cell.split < record.datasets[cell.dataset].n_splits
        and 0 <= cell.model < len(record.models)
    )


def check_outcome(record: RunRecord, outcome: Outcome) -> None:
    """A cell that the plan lacks and a state that there is not could not be told apart later."""
    if not is_planned(record, outcome.cell):
        raise InvalidParameterError(
            f"there is no {outcome.cell} in the plan of run {record.name!r}; cells are meant by their positions in its record."
        )
    if outcome.state not in STATES:
        raise InvalidParameterError(f"a cell is one of {', '.join(STATES)}; got {outcome.state!r}.")


def deleted_text(name: str) -> str:
    """What is said of a run that was deleted while somebody was at work on it."""
    return f"run {name!r} was deleted while it was open, so nothing more can be read or kept. Begin it again to measure it anew."


def refuse(damage: Damage) -> None:
    """Raise what is wrong as a `DamagedStoreError`."""
    raise DamagedStoreError(damage_text(damage))


def damage_text(damage: Damage) -> str:
    """What is damaged, and how to go on."""
    run = f"run {damage.run!r}: " if damage.run else ""
    remedy = "delete the run and measure it again" if damage.run else "delete the store and measure its runs again"
    return f"{run}{damage.where} is not what was written: {damage.what}. Put a copy of the store in its place, or {remedy}."
