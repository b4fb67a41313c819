"""A plan and the stored run that it is part of: what it adds, what must not have changed, and which position is which."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tiebreak.errors import Advice, ChangedRunError, DataError, InvalidParameterError, Setting
from tiebreak.numerics import IntArray
from tiebreak.plan.record import STATES, Cell, DatasetRecord, MetricRecord, ModelRecord, Outcome, RunRecord
from tiebreak.scores.vocabulary import look_up, quoted
from tiebreak.stores.contract import is_planned
from tiebreak.stores.encoding import to_json

# --- positions ------------------------------------------------------------------------------------------------------------

ABSENT = -1


@dataclass(frozen=True, slots=True, eq=False)
class PlanMapping:
    """Positions of a plan in the stored run that holds it, which may have more models, splits and metrics in another order.

    The record is the plan; `datasets`, `models` and, for each dataset of the plan, `splits` hold the stored position of each of
    its own, `metrics` those by name. `metric_position` has every metric of the run, those that the plan lacks included.
    """

    record: RunRecord
    datasets: IntArray
    models: IntArray
    metrics: Mapping[str, int]
    splits: tuple[IntArray, ...]
    metric_position: Mapping[str, int]

    def stored(self, cell: Cell) -> Cell:
        """The cell by its stored positions."""
        dataset, split, model = cell
        return Cell(self.datasets.item(dataset), self.splits[dataset].item(split), self.models.item(model))

    def planned(self, dataset: IntArray, split: IntArray, model: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Positions in the plan of cells given by their stored ones; `ABSENT` in the first where the plan lacks the cell."""
        own_dataset = _planned(self.datasets, dataset)
        own_model = _planned(self.models, model)
        own_split = np.full(split.shape, ABSENT)
        for i, stored in enumerate(self.splits):
            rows = own_dataset == i
            own_split[rows] = _planned(stored, split[rows])
        absent = (own_split == ABSENT) | (own_model == ABSENT)
        return np.where(absent, ABSENT, own_dataset), own_split, own_model

    def check(self, outcome: Outcome) -> None:
        """Refuse an outcome of a cell, a state or a metric that there is not, as it could not be told apart later."""
        if not is_planned(self.record, outcome.cell):
            raise InvalidParameterError(
                f"there is no {outcome.cell} in the plan of run {self.record.name!r}; cells are meant by their positions in its "
                "record."
            )
        if outcome.state not in STATES:
            raise InvalidParameterError(f"a cell is one of {', '.join(STATES)}; got {outcome.state!r}.")
        for scores in (outcome.scores, outcome.undefined, outcome.train_scores):
            for name in scores:
                if name not in self.metric_position:
                    look_up(name, list(self.metric_position), "metric")


def map_plan(record: RunRecord, stored: RunRecord) -> PlanMapping:
    """Find the positions of a plan in a stored run that has all of it, as one from `merge_records` has."""
    places = [_places(getattr(record, part), getattr(stored, part)) for part in ("datasets", "models", "metrics")]
    splits = []
    for dataset, place in zip(record.datasets, places[0], strict=True):
        known = split_keys(stored.datasets[place])
        splits.append(np.array([known[key] for key in split_keys(dataset)], dtype=np.int64))
    datasets, models = (np.array(each, dtype=np.int64) for each in places[:2])
    metrics = dict(zip([metric.name for metric in record.metrics], places[2], strict=True))
    every = {metric.name: i for i, metric in enumerate(stored.metrics)}
    return PlanMapping(record, datasets, models, metrics, tuple(splits), every)


def _places(own: Sequence[Any], stored: Sequence[Any]) -> list[int]:
    known = {each.name: i for i, each in enumerate(stored)}
    return [known[each.name] for each in own]


def _planned(stored: IntArray, positions: IntArray) -> IntArray:
    """Positions in the plan of stored ones; `ABSENT` for those that the run has for other plans only."""
    last = int(stored.max(initial=ABSENT)) + 1
    inverse = np.full(last + 1, ABSENT)
    inverse[stored] = np.arange(stored.size)
    own: IntArray = inverse[np.where((positions < 0) | (positions > last), last, positions)]
    return own


# --- what a plan adds -----------------------------------------------------------------------------------------------------

_OTHER_RUN = ("begin another run with ", Setting("name"))
_MODEL = "class, parameters or code are not those that were measured under that name"
_METRIC = "it is computed in another way than in this run so far"
Each = TypeVar("Each", ModelRecord, MetricRecord)


def check_record(record: RunRecord) -> None:
    """Refuse names or split keys that stand for two things, as cells are told apart by them, and settings that are not plain."""
    to_json(record.settings)
    lists: tuple[tuple[str, Sequence[ModelRecord | DatasetRecord | MetricRecord]], ...] = (
        ("models", record.models),
        ("datasets", record.datasets),
        ("metrics", record.metrics),
    )
    for what, items in lists:
        names = [item.name for item in items]
        doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1] if len(set(names)) < len(names) else []
        if doubled:
            raise DataError(f"run {record.name!r}: several {what} are called {quoted(doubled)}. Give each its own name.")
    for dataset in record.datasets:
        if len(split_keys(dataset)) < dataset.n_splits:
            raise DataError(
                f"run {record.name!r}: several splits of dataset {dataset.name!r} have the same repeat and fold. "
                "Number them apart."
            )


def split_keys(dataset: DatasetRecord) -> dict[tuple[int, int], int]:
    """Position of each split, by repeat and fold."""
    return {key: i for i, key in enumerate(zip(dataset.repeat.tolist(), dataset.fold.tolist(), strict=True))}


def merge_records(stored: RunRecord, record: RunRecord) -> RunRecord:
    """Add to the stored run what a plan has beyond it; raises `ChangedRunError` where they contradict."""
    if stored.rng != record.rng:
        raise ChangedRunError(
            f"run {stored.name!r} was made with ",
            Setting("rng", repr(stored.rng)),
            ", and now ",
            Advice(f"rng is {record.rng}", study=f"seed is {record.rng}"),
            ". Pass ",
            Setting("rng", repr(stored.rng)),
            ", or ",
            *_OTHER_RUN,
            ".",
        )
    given, known = {dataset.name: dataset for dataset in record.datasets}, {dataset.name for dataset in stored.datasets}
    merged = [_merged_dataset(stored.name, each, given[each.name]) if each.name in given else each for each in stored.datasets]
    return dataclasses.replace(
        stored,
        models=(*stored.models, *_new("model", stored.models, record.models, stored.name, _MODEL)),
        datasets=(*merged, *(dataset for dataset in record.datasets if dataset.name not in known)),
        metrics=(*stored.metrics, *_new("metric", stored.metrics, record.metrics, stored.name, _METRIC)),
        settings={**stored.settings, **record.settings},
    )


def environment_of(name: str, known: Sequence[Mapping[str, str]], versions: Mapping[str, str], accepted: bool) -> int:
    """Position of these versions among those that a run was made with; behind them where they are new and accepted."""
    given = dict(versions)
    for i, each in enumerate(known):
        if dict(each) == given:
            return i
    if not accepted:
        raise ChangedRunError(
            f"run {name!r} was made with other versions: {', '.join(_version_changes(known[-1], given))}. Its scores may differ "
            "for that reason alone. Go back to those versions, ",
            *_OTHER_RUN,
            ", or pass ",
            Setting("accept_versions", "True"),
            " to go on: every cell then says which versions it was measured with.",
        )
    return len(known)


def _version_changes(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    changed = [package for package in sorted({*then, *now}) if then.get(package) != now.get(package)]
    return [f"{package} {then.get(package, 'not there')} -> {now.get(package, 'not there')}" for package in changed]


def _new(what: str, stored: Sequence[Each], given: Sequence[Each], run: str, how: str) -> list[Each]:
    """Models or metrics that the stored run lacks; `how` says in what way one changed that it has."""
    known = {each.name: each for each in stored}
    if changed := [each for each in given if each.name in known and each != known[each.name]]:
        then, now = (getattr(each, "text", "") for each in (known[changed[0].name], changed[0]))
        texts = f" ({_short(then)} then, {_short(now)} now)" if then != now else ""
        raise ChangedRunError(
            f"run {run!r}: the {what} {changed[0].name!r}{_more(changed)} changed: {how}{texts}. Give it another name, put the "
            "old one back, or ",
            *_OTHER_RUN,
            ".",
        )
    return [each for each in given if each.name not in known]


def _more(changed: Sequence[object]) -> str:
    return f" and {len(changed) - 1} more" if len(changed) > 1 else ""


def _merged_dataset(run: str, stored: DatasetRecord, given: DatasetRecord) -> DatasetRecord:
    where = f"run {run!r}: the data of dataset {stored.name!r} changed" if stored.name else f"run {run!r}: the data changed"
    if stored.fingerprint != given.fingerprint:
        raise ChangedRunError(
            f"{where} since the run was begun. Bring the old data back, give the new data another dataset name, or ",
            *_OTHER_RUN,
            ".",
        )
    known = split_keys(stored)
    keys = split_keys(given)
    changed = [i for key, i in keys.items() if key in known and stored.split_hashes[known[key]] != given.split_hashes[i]]
    if changed:
        of = f" of dataset {stored.name!r}" if stored.name else ""
        raise ChangedRunError(
            f"run {run!r}: the splits{of} changed: {given.split_name(changed[0])}{_more(changed)} had other training or test "
            "examples. Use the same cv, with the same random_state, or ",
            *_OTHER_RUN,
            ".",
        )
    new = [i for key, i in keys.items() if key not in known]
    covers = len(keys) - len(new) == len(known)  # then it is the given one that says how all splits were made
    return dataclasses.replace(
        stored,
        kind=given.kind if covers else stored.kind,
        ordered=given.ordered if covers else stored.ordered,
        repeat=np.concatenate([stored.repeat, given.repeat[new]]),
        fold=np.concatenate([stored.fold, given.fold[new]]),
        n_train=np.concatenate([stored.n_train, given.n_train[new]]),
        n_test=np.concatenate([stored.n_test, given.n_test[new]]),
        split_hashes=(*stored.split_hashes, *(given.split_hashes[i] for i in new)),
        test_rows=(*stored.test_rows, *(given.test_rows[i] for i in new)),
    )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
