"""Contract of stores: what each of them promises."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from tiebreak.errors import DamagedStoreError, StoreError

if TYPE_CHECKING:
    from tiebreak.plan.record import Cell, Outcome, RunRecord
    from tiebreak.stores.cells import CellTable, Claim


class NoStoreError(StoreError):
    """There is no store, and none was to be made."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in a line.

    Attributes
    ----------
    name : str
    created, updated : float
        Seconds since 1970, of the run's beginning and of the last cell recorded.
    n_cells, n_done, n_failed : int
        Planned, measured, and failed so far.
    n_models, n_datasets, n_splits : int
        n_splits over all datasets.
    metrics : tuple of str
    """

    name: str
    created: float
    updated: float
    n_cells: int
    n_done: int
    n_failed: int
    n_models: int
    n_datasets: int
    n_splits: int
    metrics: tuple[str, ...]


class Store(Protocol):
    """Finished cells of any number of runs, safe for several writers. A cell is recorded whole or not at all.

    Names of runs, models, datasets and metrics may be any text, quotes, newlines and lone surrogates included.
    """

    @property
    def url(self) -> str:
        """Address of the store, without passwords; "" for one in memory."""

    def runs(self) -> list[RunSummary]:
        """All runs, the last one updated first. The cells are not read for it."""

    def open(self, record: RunRecord, *, accept_versions: bool = False) -> RunLog:
        """Begin a run, or go on with the one of the same name.

        Models, datasets, splits and metrics that the stored run does not have are added to it; those that it has must be
        the same. What the stored run has beyond the record stays, and is not seen through this log. `threads` stays what it
        was; `settings` are added to those stored.

        Raises
        ------
        ChangedRunError
            A model, dataset, split or metric of that name (or key) was another one, or rng was.
            The run was made with other versions, and `accept_versions` is False.
        """

    def read(self, name: str) -> RunLog:
        """A stored run with everything that it has.

        Raises
        ------
        UnknownNameError
            With the nearest names.
        """

    def delete(self, name: str) -> None:
        """Forget a run."""

    def check(self) -> list[Damage]:
        """Read everything and say what is not as it was written; empty if all is well. Damage is never raised from here."""

    def close(self) -> None:
        """Let go of files and connections; the store may be used again afterwards."""


class RunLog(Protocol):
    """The cells of one run. Cells, models, datasets, splits and metrics are meant by their positions in `record`.

    Two logs of the same run may have different records, such as one with a model more; each sees its own part.
    """

    @property
    def record(self) -> RunRecord:
        """The plan that this log was opened with, or all that the run has where it was opened for reading.

        `threads` is what the run was begun with. `versions` of a log for reading are the last that were recorded.
        """

    @property
    def environments(self) -> tuple[Mapping[str, str], ...]:
        """The versions that the run was begun with, and all that were accepted later."""

    def write(self, outcomes: Sequence[Outcome]) -> None:
        """Keep the outcomes, all of them or none, before this returns.

        Only a call with very many (over 1,000, or with many MB of outputs) is kept in several pieces, one after the other, so
        that no other writer has to wait long.

        A cell is kept once. Of a cell that is done, the same scores again change nothing, further metrics are added, and
        a different score of the same metric is refused, unless the run is one that cannot be reproduced (rng None): then
        the first score stays. Outputs of further methods are added too; times and versions stay those of the first. A failure
        never replaces a cell that is done; anything replaces a failure.

        Raises
        ------
        ChangedRunError
            Naming run and cell.
        InvalidParameterError
            A cell or state that there is not, or outputs that are no array of numbers; `UnknownNameError` for a metric that
            the run does not have.
        StoreError
            The outcomes could not be kept; those written before are.
        """

    def lease(self) -> Lease:
        """A share in measuring the run, for one process among several."""

    def table(self) -> CellTable:
        """All recorded cells.

        Raises
        ------
        DamagedStoreError
            A cell is not what was written, or one that was written is gone.
        """

    def outcomes(self, cells: Iterable[Cell] | None = None, *, outputs: bool = False) -> Iterator[Outcome]:
        """The recorded outcomes of the given cells, or of all, in the order of the plan; cells without one are left out.

        Parameters
        ----------
        cells : iterable of Cell, optional
        outputs : bool
            Whether to load what the models said of the test rows; the arrays are not to be written to.

        Raises
        ------
        DamagedStoreError
        """


class Lease(Protocol):
    """Share of one process in a run that several may measure at once.

    A lease lasts as long as its holder shows that it lives, which it does by itself. One that has not done so for a while by the
    store's own clock (its machine is gone, the process hangs) loses its cells to whoever asks for them next; what it hands in
    later changes nothing that these have taken on or kept.
    """

    def claim(self, cells: Sequence[Cell], *, again: Collection[Cell] = ()) -> Claim:
        """Take on those of the cells that nobody else has.

        Parameters
        ----------
        cells : sequence of Cell
        again : collection of Cell
            Those that are to be measured although they have failed. Other cells that failed are settled, as are those that
            have all metrics of the record.
        """

    def write(
        self, outcomes: Sequence[Outcome], wanted: Sequence[Cell] = (), *, again: Collection[Cell] = ()
    ) -> tuple[list[Outcome], Claim]:
        """Keep outcomes of cells that were granted, as `RunLog.write` does, and take on others in the same breath.

        Returns
        -------
        list of Outcome
            Those that were refused, as their cells were lost to others.
        Claim
            On the cells wanted.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Give back what was taken on and not measured."""


# --- damage ---------------------------------------------------------------------------------------------------------------

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
