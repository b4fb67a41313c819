"""Contract of stores: what each of them promises, and what they share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, Self

from tiebreak.errors import ConflictingScoreError, DamagedStoreError, Setting
from tiebreak.plan.record import Cell, Outcome, RunRecord

if TYPE_CHECKING:
    import numpy as np

    from tiebreak.numerics import FloatArray, IntArray


Note = Literal["warnings", "undefined"]
"""What an outcome may have to tell in words, by the name of its field."""


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


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """The recorded cells of a run as columns, in the order of the plan (dataset, split, model).

    Attributes
    ----------
    dataset, split, model : ndarray of shape (n_recorded,)
        Positions in the record.
    state : ndarray of shape (n_recorded,)
        Positions in `STATES`; 0 is "done".
    score : ndarray of shape (n_recorded, n_metrics)
        In the order of the record's metrics; nan where undefined, not measured or failed.
    has_score : ndarray of bool, same shape
        Whether the metric was measured there, undefined included.
    fit_seconds, predict_seconds : ndarray of shape (n_recorded,)
    environment : ndarray of shape (n_recorded,)
        The versions that each was measured with: positions in `RunLog.environments`.
    """

    dataset: IntArray
    split: IntArray
    model: IntArray
    state: IntArray
    score: FloatArray
    has_score: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
    fit_seconds: FloatArray
    predict_seconds: FloatArray
    environment: IntArray


class Claim(NamedTuple):
    """Answer to asking for cells. Each of those asked for is in one of the three.

    Attributes
    ----------
    granted : list of Cell
        To be measured by whoever asked, and by nobody else as long as it lives.
    held : list of Cell
        Taken on by somebody else who has not lost them yet.
    settled : list of Outcome
        There is nothing left to do for these; their outputs are left out.
    """

    granted: list[Cell]
    held: list[Cell]
    settled: list[Outcome]


class Lease(Protocol):
    """Share of one process in a run that several may measure at once.

    A lease lasts as long as its holder shows that it lives, which it does by itself. One that has not done so for a while (its
    machine is gone, the process hangs) loses its cells to whoever asks for them next; what it hands in later is refused.
    No clock is compared with another: who asks measures for how long a holder has shown nothing.
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
        ConflictingScoreError
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

    def noted(self, what: Note) -> Iterator[Outcome]:
        """The recorded outcomes that have warnings, or reasons of undefined scores, in the order of the plan, without outputs.

        The others are passed over unread, so that this is quick for a run of a million cells; what was damaged or lost among
        them is noticed by `table`.

        Parameters
        ----------
        what : {"warnings", "undefined"}

        Raises
        ------
        DamagedStoreError
        """


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
        ChangedVersionsError
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
    """True where the record has the positions."""
    return (
        0 <= cell.dataset < len(record.datasets)
        and 0 <= cell.split < record.datasets[cell.dataset].n_splits
        and 0 <= cell.model < len(record.models)
    )


def deleted_text(name: str) -> str:
    """Message about a run that was deleted while somebody was at work on it."""
    return f"run {name!r} was deleted while it was open, so nothing more can be read or kept. Begin it again to measure it anew."


def refuse(damage: Damage) -> None:
    """Raise what is wrong as a `DamagedStoreError`."""
    raise DamagedStoreError(damage_text(damage))


def damage_text(damage: Damage) -> str:
    """Message that says what is damaged, and how to go on."""
    run = f"run {damage.run!r}: " if damage.run else ""
    remedy = "delete the run and measure it again" if damage.run else "delete the store and measure its runs again"
    return f"{run}{damage.where} is not what was written: {damage.what}. Put a copy of the store in its place, or {remedy}."


def settle(stored: RunRecord, old: Outcome | None, kept_outputs: Collection[str], new: Outcome) -> Outcome | None:
    """Find out what a cell becomes when an outcome is written over what is kept of it; None where nothing changes.

    The outputs of the answer are those that are to be written; where the cell was done before, those kept stay beside them.

    The cells of both outcomes are positions in the stored run; `kept_outputs` are the methods whose outputs are kept. Raises
    `ConflictingScoreError` where a metric was measured before and has another score now, in a run that can be reproduced.
    """
    if old is None or not old.is_done:
        return new
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
    return dataclasses.replace(
        old,
        scores={**old.scores, **scores},
        undefined={**old.undefined, **undefined},
        train_scores={**old.train_scores, **train_scores},
        warnings=tuple(dict.fromkeys((*old.warnings, *new.warnings))),
        outputs=outputs,
    )


def is_settled(outcome: Outcome, metrics: Collection[str], *, is_again: bool) -> bool:
    """True where nothing is left to do for a cell that somebody has measured.

    The outcome is what is kept of it, the metrics those that it is to have; `is_again` where it is to be measured even though it
    has failed.
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
                    "with ",
                    Setting("name"),
                    ", or one with rng=None, which keeps first scores.",
                )


def _same(then: float, now: float) -> bool:
    return then == now or (then != then and now != now)
