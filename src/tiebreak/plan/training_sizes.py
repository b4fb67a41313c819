"""The training sizes of a learning curve, as datasets of one plan: the same test rows, and ever more of the training rows."""

import dataclasses
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from tiebreak.errors import DataError, InvalidParameterError
from tiebreak.numerics import IntArray, refuse_unless
from tiebreak.plan.plan import Plan
from tiebreak.plan.seeds import derive_seed
from tiebreak.plan.splits import PlannedDataset, Split, check_amount

N_HALVINGS = 4
"""By default the smallest size is the full one halved so often, where the data allow."""

FEWEST = 8
"""Training examples below which the default sizes do not go, but for what the question of doubling needs."""


def with_sizes(plan: Plan, sizes: Any = None) -> tuple[Plan, tuple[int, ...]]:
    """The plan of a learning curve, made of the plan of an evaluation.

    Each size is a dataset of its own that shares the arrays of the one given, so that scores, failures, times and an interrupted
    run are what they are in any plan. Of each split, the training rows of a size are among those of the next larger one. Sizes
    are numbers of training examples, or shares of the largest possible one; a ladder of halves if not given. The datasets are
    called "45 training examples", the smallest first. Raises `InvalidParameterError` for a size that is no number of examples,
    or more than there are, and `DataError` where a class is absent from the training rows of a size.
    """
    planned = plan.datasets[0]
    full = int(planned.n_train.min())
    classes = [] if planned.truth.classes is None else planned.truth.classes.tolist()
    if sizes is None:  # n/16, n/8, n/4, n/2 and n; the last three, which tell what doubling brought, wherever they are possible
        fewest = [max(1, len(classes))] * 3 + [max(FEWEST, 2 * len(classes))] * (N_HALVINGS - 2)
        chosen = tuple(full // 2**power for power in range(N_HALVINGS, -1, -1) if full // 2**power >= fewest[power])
    else:
        chosen = check_sizes(sizes, full)
    check_amount(len(chosen) * len(planned.splits), planned.data)
    orders = [_order(planned, split, plan.rng) for split in range(len(planned.splits))]
    datasets = []
    for size in chosen:
        data = dataclasses.replace(planned.data, name=f"{size} training example{'' if size == 1 else 's'}")
        # in the order of the data, so that the largest size is the training set of an evaluation, and models see the rows alike
        splits = tuple(Split(np.sort(order[:size]), split.test) for order, split in zip(orders, planned.splits, strict=True))
        n_train = np.full(len(splits), size, dtype=np.int64)
        datasets.append(dataclasses.replace(planned, data=data, splits=splits, n_train=n_train))
        for position, split in enumerate(splits if classes else ()):
            absent = np.flatnonzero(np.bincount(planned.truth.code[split.train], minlength=len(classes)) == 0)
            if absent.size:
                raise DataError(
                    f"sizes: with {size} training examples class {classes[absent[0]]!r} is absent from the training rows "
                    f"of {planned.split_name(position)}, so no model could learn it there. Use larger sizes; there are "
                    f"{len(classes)} classes."
                )
    return dataclasses.replace(plan, datasets=tuple(datasets)), chosen


def check_sizes(sizes: Any, full: int) -> tuple[int, ...]:
    """Numbers of training examples, in ascending order, each once.

    Sizes are whole numbers, or shares above 0 and up to 1 of the `full` training examples that every split has.
    """
    how = f"Pass whole numbers from 1 to {full}, or shares such as 0.5 of the {full} training examples that every split has."
    entries: Any = [sizes] if isinstance(sizes, numbers.Real) else sizes
    is_list = isinstance(entries, Sequence | np.ndarray) and not isinstance(entries, str) and len(entries) > 0
    refuse_unless(is_list, "sizes", "be a list of training sizes", sizes, f" {how}")
    counts = set()
    for size in entries:
        is_number = isinstance(size, numbers.Real) and not isinstance(size, bool | np.bool_)
        is_share = is_number and not isinstance(size, numbers.Integral) and 0 < size <= 1
        count = max(1, int(float(size) * full + 1e-9)) if is_share else size
        if not is_share and not (is_number and isinstance(size, numbers.Integral) and int(size) >= 1):
            raise InvalidParameterError(f"sizes: {size!r} is no number or share of training examples. {how}", about="sizes")
        if count > full:
            raise InvalidParameterError(
                f"sizes: {count} training examples are more than the {full} that every split has. {how} More folds make larger "
                "training sets.",
                about="sizes",
            )
        counts.add(int(count))
    return tuple(sorted(counts))


# --- which rows -----------------------------------------------------------------------------------------------------------


def _order(planned: PlannedDataset, split: int, rng: int | None) -> IntArray:
    """The training rows of a split in the order in which a growing training set takes them up."""
    train = planned.splits[split].train
    if planned.ordered:
        return train[::-1]  # the most recent first, as nobody trains on a past with a gap before what is to be foretold
    key = (planned.data.name, int(planned.repeat[split]), int(planned.fold[split]))
    generator = np.random.default_rng(derive_seed(0 if rng is None else rng, "training sizes", *key))
    shuffled = generator.permutation(train)
    if planned.data.groups is not None:
        # whole groups one after the other, as more data means more groups, numbered as they come in the shuffled rows
        _, first, place = np.unique(planned.data.groups[shuffled], return_index=True, return_inverse=True)
        return shuffled[np.argsort(first[place], kind="stable")]
    return shuffled if planned.truth.classes is None else _in_proportion(shuffled, planned.truth.code[shuffled])


def _in_proportion(rows: IntArray, code: IntArray) -> IntArray:
    """One row of each class first, then all classes in proportion: any first rows are stratified."""
    count = np.bincount(code)
    by_class = np.argsort(code, kind="stable")
    rank = np.empty(rows.size, dtype=np.int64)
    rank[by_class] = np.arange(rows.size) - np.repeat(np.cumsum(count) - count, count)
    due = (rank + 0.5) / count[code]
    return rows[np.argsort(np.where(rank == 0, 0.0, due), kind="stable")]
