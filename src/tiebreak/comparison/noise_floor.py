"""Noise floor of a suite: how large a difference it shows between two runs of one and the same model."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tiebreak.comparison.procedures.procedure import numbers_of
from tiebreak.errors import (
    DataError,
    InvalidParameterError,
    SourceNotFoundError,
)
from tiebreak.numerics import FloatArray, check_count, check_probability, refuse_unless
from tiebreak.printable import printable
from tiebreak.result import Result
from tiebreak.scores.items import Items
from tiebreak.scores.metric import Metric
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import quoted
from tiebreak.statistics.noise import run_noise, run_spread


@dataclass(frozen=True, slots=True, repr=False)
class NoiseFloor(Result):
    """Difference that two runs of one model keep with a probability of `level`, from `tiebreak.noise_floor`.

    Attributes
    ----------
    metric : Metric
    floor : float
        In the metric's unit.
    level : float
        Coverage: probability that the difference of two runs stays within the floor.
    kind : {"runs", "epochs", "seeds"}
        What was repeated: whole runs on the same items, the answers to each item by themselves, or trainings on one test set.
    models : tuple of str
        Those that were run several times.
    n_runs : int
        Of the model that has fewest.
    n_averaged : int
        Runs, or epochs, of which the mean counts as the score of a model.
    n_items, n_left_out : int
        Items, and those left out for lack of a run; 0 items of seeds.
    unit : str
        Noun for an item.
    largest : float
        Largest difference of two single runs that was seen.
    differs_as_whole : bool
        True where the floor comes from the runs' means: they differ by more than single answers explain, or there are enough of
        them: four of one model, or three of each of two.
    """

    metric: Metric
    floor: float
    level: float
    kind: str
    models: tuple[str, ...]
    n_runs: int
    n_averaged: int
    n_items: int
    n_left_out: int
    unit: str
    largest: float
    differs_as_whole: bool


def noise_floor_of(
    read: Items | Scores, kind: str = "seeds", *, n_averaged: int | None = None, level: float = 0.95
) -> NoiseFloor:
    """Noise floor from items of which models have several runs, or from scores of trainings on the same test set.

    Of epochs, the mean of as many as there are counts unless `n_averaged` says otherwise.

    Raises
    ------
    DataError
        No model was run twice, the metric is no mean over items, or scores are of splits or datasets: these differ by their data.
    """
    check_probability(level, "level")
    runs: dict[str, FloatArray]
    if isinstance(read, Scores):
        if read.design.kind != "seeds":
            raise DataError(
                "these scores are of splits or datasets, which differ by their data and are no runs of the same. Pass single "
                "items with a column run, seed or epoch, or a table with a row for each seed on one test set (columns seed and "
                "the model)."
            )
        unit, noun = "item", "test set"
        runs = {name: row[~np.isnan(row)] for name, row in zip(read.matrix().models, read.matrix().score, strict=True)}
    else:
        if not read.is_mean:
            raise DataError(
                f"{read.metric.name} is of all {read.unit}s together, and its noise shows in the scores of whole runs only. Pass "
                "a table with a row for each run: the columns run and the model's name."
            )
        unit = noun = read.unit
        runs = {name: _runs_of(table, kind) for name, table in zip(read.models, read.score, strict=True)}
    several = {name: each for name, each in runs.items() if len(each) > 1}
    if not several:
        raise DataError(
            f"noise is what runs of one model differ by, and each of {quoted(list(runs))} was run once. Run a model twice on the "
            f"same {noun}s, and mark the runs in a column 'run' ('epoch' where each {noun} was asked anew); or, if all of these "
            "are the same model, say so with same=True (--same)."
        )
    if isinstance(read, Scores):
        found, present = run_spread(list(several.values())), np.concatenate(list(several.values()))
    else:
        present = read.score[~np.isnan(read.score)]
        try:
            found = run_noise(
                list(several.values()),
                None if read.tasks is None else numbers_of(read.tasks),
                read.clusters,
                weights=read.weights,
                span=float(np.ptp(present)) if not read.is_binary else 1.0,
                share_runs=kind != "epochs",
            )
        except DataError as error:
            raise DataError(f"{quoted(list(several))}: {error}") from None
    averaged = (found.n_runs if kind == "epochs" else 1) if n_averaged is None else check_count(n_averaged, "n_averaged")
    low, high = read.metric.bounds_of(float(present.min()), float(present.max()))
    return NoiseFloor(
        metric=read.metric,
        floor=min(found.bound(level, averaged), high - low),
        level=level,
        kind=kind,
        models=tuple(several),
        n_runs=found.n_runs,
        n_averaged=averaged,
        n_items=found.n_examples,
        n_left_out=found.n_left_out,
        unit=unit,
        largest=found.largest,
        differs_as_whole=found.differs_as_whole,
    )


def _runs_of(table: FloatArray, kind: str) -> FloatArray:
    """Runs of a model that have answers; of epochs as many as each item has that was asked at least twice, whichever they are."""
    if kind != "epochs":
        return table[~np.isnan(table).all(axis=1)]
    number = (~np.isnan(table)).sum(axis=0)
    if not (number > 1).any():
        return table[:1]
    answers_first = np.argsort(np.isnan(table), axis=0, kind="stable")
    return np.asarray(np.take_along_axis(table, answers_first, axis=0)[: number[number > 1].min()])


# --- beside gates -------------------------------------------------------------------------------------------------------------


def read_noise_floor(path: str | os.PathLike[str]) -> NoiseFloor:
    """Read a noise floor that `NoiseFloor.to_json` or ``tiebreak noise-floor --output`` wrote.

    Parameters
    ----------
    path : path

    Raises
    ------
    SourceNotFoundError, DataError
        No such file, or none of that kind.
    """
    import msgspec  # slow to import, and most answers have no use for it

    name = printable(str(path))
    try:
        held = json.loads(Path(path).read_text(encoding="utf-8"))
        floor = msgspec.convert({**held, "floor": held["noise_floor"]}, NoiseFloor, strict=False)
    except OSError as error:
        raise SourceNotFoundError(f"the noise floor {name} cannot be read: {error.strerror or error}.") from None
    except (ValueError, KeyError, TypeError):  # no JSON, or of something else
        raise DataError(
            f"{name} holds no noise floor. Write one with tb.noise_floor(...).to_json(path), or 'tiebreak noise-floor ... "
            "--output FILE'."
        ) from None
    if not 0 <= floor.floor < math.inf:
        raise DataError(f"{name} gives {floor.floor!r} as its noise floor, which must be a number of 0 or more.")
    return floor


def floors_of(given: Any, n_items: Mapping[Metric, int]) -> dict[Metric, float]:
    """Floors of metrics, each over so many items: a number is of the first one, a `NoiseFloor` or its file of its own metric.

    Raises
    ------
    InvalidParameterError
        Neither of these, a number below 0, or a floor of none of the metrics.
    """
    is_one = isinstance(given, int | float | str | os.PathLike | NoiseFloor) and not isinstance(given, bool)
    refuse_unless(is_one, "noise_floor", "be a NoiseFloor, the path of one, or a number in the metric's unit", given)
    if isinstance(given, int | float):
        refuse_unless(0 <= given < math.inf, "noise_floor", "be 0 or more", given)
        return {next(iter(n_items)): float(given)}
    floor = given if isinstance(given, NoiseFloor) else read_noise_floor(given)
    if floor.metric not in n_items:
        raise InvalidParameterError(
            f"the noise floor is of {floor.metric.name!r}, and the gate is of {next(iter(n_items)).name!r}. Measure the floor in "
            "that metric.",
            about="noise_floor",
        )
    n = n_items[floor.metric]  # the floor of fewer items is as much larger as a standard error is
    return {floor.metric: floor.floor * math.sqrt(max(1.0, floor.n_items / n)) if floor.n_items and n else floor.floor}
