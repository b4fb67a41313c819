"""Long and wide tables become scores: the part that is the same whatever the table was read from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import InvalidScoresError, Setting, UnknownNameError, UnpairedScoresError, UnreadableSourceError
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.readers.columns import (
    COLUMNS_ARE_MODELS,
    COUNTS,
    ITEM,
    MEANS,
    RUN,
    Column,
    Header,
    NotNumbers,
    ScoreTable,
    Words,
    advice_on_doubles,
    column_of,
    in_order_of_appearance,
    numbered_rows,
    read_header,
    refuse_nested_models,
    refuse_running_number,
)
from tiebreak.readers.metric import choose_metric, mixed_metrics, table_metric
from tiebreak.readers.source import ReadOptions, Source, infinite_score, refuse_items, source_of
from tiebreak.readers.split_keys import (
    Rows,
    mean_per_cell,
    position_in_model,
    read_rows,
    read_words,
    refuse_doubled_seeds,
)
from tiebreak.scores.assemble import SplitKeys, assemble, number_splits, size_per_split
from tiebreak.scores.metric import Metric, NamedMetric, known_metric
from tiebreak.scores.scores import ScoreMatrix, SplitDesign
from tiebreak.scores.vocabulary import Kind, Notice, look_up, quoted


def read_table(table: ScoreTable, options: ReadOptions) -> Source:
    """Scores of a long or wide table, which is emptied on the way."""
    if table.n_rows == 0:
        raise UnreadableSourceError(f"{table.name} has column names but no rows.")
    table = _datasets_as_rows(table, options)
    header, name = table.header, table.name
    held, is_by_dataset, table = _of_one_metric(table, options)
    if header.form == "counts":
        return _read_counts(table, held, options)
    dataset, table = _of_one_dataset(table, options)
    by_dataset = _metrics_by_dataset(table, dataset) if is_by_dataset else ()
    held = by_dataset[0] if len(set(by_dataset)) == 1 else held
    rows = read_rows(table, dataset)
    if header.form == "wide":
        notices = tuple(_seed_notices(table, None, rows, by_dataset))
        matrices = _wide_matrices(table, rows)
    else:
        score_name, held = _score_column(table, options, held)
        notices = tuple(_seed_notices(table, score_name, rows, by_dataset))
        matrices = _long_matrices(table, score_name, rows)
    if "repeat" not in header.reserved and "fold" not in header.reserved:
        for matrix in matrices:
            refuse_items(matrix, options, name)
    if rows.kind != "unknown":
        matrices = [dataclasses.replace(matrix, columns=rows.unit_names(matrix)) for matrix in matrices]
    is_paired = rows.keys is not None or (len(matrices) > 1 and all(matrix.n_splits == 1 for matrix in matrices))
    design = SplitDesign(rows.kind, ordered=rows.kind == "periods", pairing="key" if is_paired else "position")
    # The scores of several datasets are averaged, not corrected for shared training data.
    needs_no_sizes = rows.kind != "unknown" or len(matrices) > 1 or all(each.has_sizes for each in matrices)
    if len(set(by_dataset)) > 1:
        named: NamedMetric | list[NamedMetric] = mixed_metrics(by_dataset, options, name)
    else:
        named = table_metric(held, options, name, has_sizes=needs_no_sizes)
    source = source_of(
        matrices,
        named,
        design,
        options,
        name,
        notices=notices,
    )
    if rows.keys is None:
        return source
    return dataclasses.replace(source, repeat_labels=rows.keys.repeat.labels, fold_labels=rows.keys.fold.labels)


def _read_counts(table: ScoreTable, held: str | None, options: ReadOptions) -> Source:
    """Rates of models on test sets of their own, from counts or rates and numbers of examples."""
    reserved, name = table.header.reserved, table.name
    models = in_order_of_appearance(read_words(table, reserved["model"], "model"))
    sets = read_words(table, reserved["test_set"], "test set") if "test_set" in reserved else None
    is_count = "count" in reserved
    column = reserved["count" if is_count else "score"]
    value, total = table.numbers(column), table.numbers(reserved["total"])
    most = total if is_count else np.ones(total.size)
    wrong = ~(total >= 1) | (total != np.floor(total)) | ~(value >= 0) | ~(value <= most)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = "between 0 and the number of examples" if is_count else "a rate between 0 and 1"
        raise InvalidScoresError(
            f"{table.where(row)}: {column} is {value[row]:g}, of {total[row]:g} examples; it must be {what}, and the number of "
            "examples a whole number of at least 1."
        )
    _refuse_shared_sets(models, sets, name)
    rows, nothing = np.arange(value.size), np.zeros(value.size, dtype=np.int64)
    score = np.full((len(models.names), value.size), np.nan)
    score[models.code, rows] = value / total if is_count else value
    own = [f"of {models.names[code]}" for code in models.code] if sets is None else [sets.names[code] for code in sets.code]
    matrix = ScoreMatrix("", models.names, nothing, rows, nothing, total.astype(np.int64), score, tuple(own))
    named = table_metric(held, options, name) if not is_count else None
    if named is None:
        higher = COUNTS[column.casefold()]
        named = NamedMetric(Metric(options.metric or held or ("accuracy" if higher else "error rate"), higher), 1)
    return source_of([matrix], named, SplitDesign("test-sets"), options, name)


def _refuse_shared_sets(models: Words, sets: Words | None, source: str) -> None:
    """Refuse two models on one test set, whose answers are paired, and two counts of one model on the same or an unnamed one."""
    keys = models.code if sets is None else sets.code
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    if not same.size:
        return
    one, two = (models.names[models.code[order[place]]] for place in (same[0], same[0] + 1))
    if sets is None or one == two:
        raise InvalidScoresError(
            f"{source} has two rows for model {one!r}{'' if sets is None else ' on one test set'}. Add them up, or name the test "
            "sets in a column 'test_set' if they share no example."
        )
    raise UnpairedScoresError(
        f"{source}: {one!r} and {two!r} were both scored on the test set {sets.names[keys[order[same[0]]]]!r}, so their answers "
        "go together, and counts do not say how. Compare them example by example: a column 'item' and one for each model."
    )


def read_columns(columns: Mapping[str, Any], name: str, options: ReadOptions) -> Source:
    """Scores of a dict of columns, given as lists or arrays."""
    lists: dict[str, list[Any]] = {}
    for column, values in columns.items():
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
            raise UnreadableSourceError(f"column {column!r} of {name} must be a list; got {_brief(values)}.")
        lists[str(column)] = list(values)
    header = read_header(tuple(map(str, columns)), name, lambda column: isinstance(next(iter(lists[column]), 0), str))
    lengths = {column: len(values) for column, values in lists.items()}
    first, *rest = lengths
    for other in rest:
        if lengths[other] != lengths[first]:
            raise UnreadableSourceError(
                f"the columns of {name} differ in length: {first!r} has {lengths[first]} values, {other!r} has {lengths[other]}."
            )
    where = numbered_rows(name)
    table = {column: column_of(lists[column], kind, where) for column, kind in header.wanted.items()}
    return read_table(ScoreTable(name, lengths[first], table, where, header), options)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


# --- which rows are meant ---------------------------------------------------------------------------------------------


def _datasets_as_rows(table: ScoreTable, options: ReadOptions) -> ScoreTable:
    """A table of a row for each model and a column for each dataset, turned; any other as it is.

    It is one where the metric that the caller names is none of its columns.
    """
    metric = options.metric
    if not _is_row_per_model(table) or metric is None or not {metric, f"neg_{metric}"}.isdisjoint(table.header.others):
        return table
    if known_metric(metric) is None and options.direction_of(metric) is None:
        return table
    datasets = table.header.others
    if mean := next((name for name in datasets if name.strip().casefold() in MEANS), None):
        raise UnreadableSourceError(
            f"{table.name}: column {mean!r} looks like the mean of the others, which are taken for datasets. Remove it, or give "
            "it another name."
        )
    models = read_words(table, table.header.reserved["model"], "model")
    hint = " Every column but 'model' is taken for a dataset: correct the cell, or remove the column."
    score = np.array([table.numbers(name, hint) for name in datasets])[:, np.argsort(models.code)]
    column = "dataset"
    while column in models.names:
        column += "_"
    columns: dict[str, Column] = {column: Words(datasets, np.arange(len(datasets), dtype=np.int32))}
    columns |= dict(zip(models.names, score.T, strict=True))
    where = table.name
    header = Header("wide", {"dataset": column}, models.names)
    return ScoreTable(where, len(datasets), columns, lambda row: f"{where}, column {datasets[row]!r}", header)


def _is_row_per_model(table: ScoreTable) -> bool:
    """True for a table of several columns, none of them called like a metric, in which each model has one row."""
    header = table.header
    if header.form != "metrics" or set(header.reserved) != {"model"} or len(header.others) < 2:
        return False
    if any(map(known_metric, header.others)):
        return False
    models = table.columns[header.reserved["model"]]
    return isinstance(models, Words) and 1 < len(models.names) == table.n_rows and bool(np.all(models.code >= 0))


def _of_one_metric(table: ScoreTable, options: ReadOptions) -> tuple[str | None, bool, ScoreTable]:
    """Name of the metric (None where the table names none, or several), True where each dataset may have its own; the rows."""
    if "metric" not in table.header.reserved:
        return None, False, table
    metrics = in_order_of_appearance(read_words(table, table.header.reserved["metric"], "metric"))
    if len(metrics.names) > 1 and options.metric is None and "dataset" in table.header.reserved:
        table.columns[table.header.reserved["metric"]] = metrics
        return None, True, table
    held = choose_metric(metrics.names, options.metric, table.name)
    return held, False, _take(table, metrics, metrics.names.index(held))


def _metrics_by_dataset(table: ScoreTable, dataset: Words | None) -> tuple[str, ...]:
    """Name of the metric of each dataset, in the order of these; several for one dataset are an error."""
    metrics = in_order_of_appearance(table.words(table.header.reserved["metric"]))
    n_datasets = 1 if dataset is None else len(dataset.names)
    of_row = np.zeros(table.n_rows, dtype=np.intp) if dataset is None else dataset.code
    held = np.zeros((n_datasets, len(metrics.names)), dtype=bool)
    held[of_row, metrics.code] = True
    if np.any(held.sum(axis=1) > 1):
        choose_metric(metrics.names, None, table.name)
    return tuple(metrics.names[code] for code in held.argmax(axis=1).tolist())


def _of_one_dataset(table: ScoreTable, options: ReadOptions) -> tuple[Words | None, ScoreTable]:
    datasets = None
    if "dataset" in table.header.reserved:
        name = table.header.reserved["dataset"]
        words = table.words(name)
        if np.any(words.code >= 0):
            table.columns[name] = words
            datasets = in_order_of_appearance(read_words(table, name, "dataset"))
    if options.dataset is None:
        return datasets, table
    if datasets is None:
        raise UnknownNameError(
            Setting("dataset", repr(options.dataset)), f" was given, but {table.name} does not name any datasets."
        )
    table = _take(table, datasets, look_up(options.dataset, datasets.names, "dataset"))
    return Words((options.dataset,), np.zeros(table.n_rows, dtype=np.int8)), table


def _take(table: ScoreTable, words: Words, code: int) -> ScoreTable:
    """Rows of a table that have one word in a column."""
    if len(words.names) == 1:
        return table
    rows = np.flatnonzero(words.code == code)
    columns: dict[str, Column] = {}
    for name in list(table.columns):
        column = table.columns.pop(name)
        if isinstance(column, NotNumbers):
            columns[name] = column
        else:
            columns[name] = column.take(rows) if isinstance(column, Words) else column[rows]
    where = table.where
    return ScoreTable(table.name, int(rows.size), columns, lambda row: where(int(rows[row])), table.header)


# --- long tables --------------------------------------------------------------------------------------------------------


def _score_column(table: ScoreTable, options: ReadOptions, held: str | None) -> tuple[str, str | None]:
    """Name of the column of scores, and of the metric in it."""
    if table.header.form == "long":
        return table.header.reserved["score"], held
    numeric = [name for name in table.header.others if isinstance(table.columns[name], np.ndarray)]
    if held is not None and len(numeric) == 1:
        return numeric[0], held
    if not numeric or held is not None:
        raise UnreadableSourceError(
            f"{table.name} has a column of models, but which column holds their scores? There are {quoted(table.header.others)}. "
            "Call it 'score', or name it after its metric."
        )
    asked = options.metric
    held_there = numeric if asked is None else table.header.others
    chosen = choose_metric(held_there, asked, table.name, tuple(_other_readings(table, numeric)))
    return chosen, chosen


def _other_readings(table: ScoreTable, numeric: Sequence[str]) -> Iterator[str | Setting]:
    """Advice on what columns of numbers may be beside metrics."""
    words = {name.strip().casefold(): name for name in numeric}
    item = next((words[word] for word in ITEM if word in words), None)
    run = next((words[word] for word in RUN if word in words), None)
    if _is_row_per_model(table):
        yield " If they are datasets, all of one metric, name that metric there."
    if item is not None:
        yield from (f" If {item!r} names the items of one test set, pass ", Setting("item", repr(item)), ".")
    if run is not None:
        yield f" If {run!r} numbers trainings with different seeds, call it 'seed'; if it numbers repeats of splits, 'repeat'."


def _long_matrices(table: ScoreTable, score_name: str, rows: Rows) -> list[ScoreMatrix]:
    models = in_order_of_appearance(read_words(table, table.header.reserved["model"], "model"))
    score = table.numbers(score_name)
    _refuse_infinite(table, models, score)
    unused = {name: column for name in table.header.others if isinstance(column := table.columns.get(name), Words)}
    matrices = []
    for number, dataset in enumerate(rows.datasets):
        chosen = rows.of_dataset(number)
        if chosen is None:
            return [_long_matrix(dataset, models, score, rows, table.name, unused)]
        part = in_order_of_appearance(models.take(chosen))
        of_part = {name: column.take(chosen) for name, column in unused.items()}
        matrices.append(_long_matrix(dataset, part, score[chosen], rows.take(chosen), table.name, of_part))
    return matrices


def _seed_notices(table: ScoreTable, score_name: str | None, rows: Rows, by_dataset: Sequence[str]) -> Iterator[Notice]:
    """Remark that the seeds of each of several datasets are averaged, with how far they differ where models are in one column.

    `by_dataset` names the metric of each dataset where they differ: the spread is then told of each metric by itself.
    """
    if rows.seed is None or len(rows.datasets) == 1:
        return
    spread = ""
    if score_name is not None and rows.dataset is not None:
        model, score = read_words(table, table.header.reserved["model"], "model"), table.columns[score_name]
        table.columns[table.header.reserved["model"]] = model
        if isinstance(score, np.ndarray):
            parts = np.lexsort([score, model.code, rows.dataset.code])
            cell = (rows.dataset.code.astype(np.int64) * len(model.names) + model.code)[parts]
            starts = np.flatnonzero(np.diff(cell, prepend=-1))
            groups = zip(np.split(score[parts], starts[1:]), rows.dataset.code[parts][starts].tolist(), strict=True)
            deviations: dict[str, list[float]] = {}
            for group, dataset in groups:
                if group.size > 1:
                    metric = f" in {by_dataset[dataset]}" if len(set(by_dataset)) > 1 else ""
                    deviations.setdefault(metric, []).append(float(np.std(group, ddof=1)))
            if deviations:
                each = " and".join(f" {np.median(sizes):.2g}{metric}" for metric, sizes in deviations.items())
                spread = f" (median standard deviation{each} within a model and dataset)"
    yield Notice(
        "averaged-seeds",
        f"scores that differ by seed are averaged within each dataset{spread}: seeds show the noise of training, not other data",
    )


def _refuse_infinite(table: ScoreTable, models: Words, score: FloatArray) -> None:
    infinite = np.isinf(score)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise infinite_score(f"{table.where(row)}: model {models.names[models.code[row]]!r}", score[row])


def _long_matrix(
    dataset: str, models: Words, score: FloatArray, rows: Rows, source: str, unused: Mapping[str, Words]
) -> ScoreMatrix:
    """Models by splits of one dataset; models must share splits, and rows not differ by their seed alone.

    `unused` are columns of words that say nothing of the scores: they explain rows that stand twice.
    """
    if rows.keys is None:
        refuse_nested_models(models, unused, source)
    repeat, fold = _split_of_row(models, rows, f"{source}, dataset {dataset!r}," if dataset else source)
    try:
        if rows.seed is not None or rows.kind == "seeds":
            keys, cell = _cells(models, repeat, fold)
            if np.unique(cell).size < cell.size:
                refuse_doubled_seeds(cell, rows, keys, models.names)
                return _mean_over_seeds(dataset, models, score, keys, cell, rows, source)
        matrix = assemble(dataset, models.names, models.code, repeat, fold, score, rows.n_train, rows.n_test)
    except InvalidScoresError as error:
        _, cell = _cells(models, repeat, fold)
        if rows.seed is not None:
            cell = cell * len(rows.seed.names) + rows.seed.code
        raise InvalidScoresError(*error.parts, advice_on_doubles(cell, unused, models)) from None
    if score.size < matrix.score.size and rows.kind != "seeds":
        _refuse_disjoint(models, number_splits(repeat, fold), source, rows.kind)
    return matrix


def _cells(models: Words, repeat: IntArray, fold: IntArray) -> tuple[SplitKeys, IntArray]:
    keys = number_splits(repeat, fold)
    return keys, models.code.astype(np.int64) * keys.n_splits + keys.code


def _split_of_row(models: Words, rows: Rows, source: str) -> tuple[IntArray, IntArray]:
    """Repeat and fold of each row; models without keys are paired by position, so they must have as many scores each."""
    if rows.keys is not None:
        return rows.keys.repeat.code, rows.keys.fold.code
    counts = np.bincount(models.code, minlength=len(models.names))
    if rows.seed is not None and counts.max() > 1:  # of one dataset among several, on its one split
        return np.zeros(models.code.size, dtype=np.int8), np.zeros(models.code.size, dtype=np.int8)
    other = np.flatnonzero(counts != counts[0])
    if other.size:
        raise UnpairedScoresError(
            f"{source} does not name its splits, so scores are paired by their order; but model {models.names[0]!r} has "
            f"{counts[0]} scores and {models.names[int(other[0])]!r} has {counts[other[0]]}. Give every model one score for each "
            "split, or name the splits in columns 'repeat' and 'fold' (or 'split')."
        )
    return np.zeros(models.code.size, dtype=np.int8), position_in_model(models.code)


def _mean_over_seeds(
    dataset: str, models: Words, score: FloatArray, keys: SplitKeys, cell: IntArray, rows: Rows, source: str
) -> ScoreMatrix:
    _refuse_disjoint(models, keys, source)
    sizes = (size_per_split(rows.n_train, keys, "n_train"), size_per_split(rows.n_test, keys, "n_test"))
    means = mean_per_cell(score, cell, len(models.names) * keys.n_splits).reshape(len(models.names), keys.n_splits)
    return ScoreMatrix(dataset, models.names, keys.repeat, keys.fold, *sizes, means)


def _refuse_disjoint(models: Words, keys: SplitKeys, source: str, kind: Kind = "unknown") -> None:
    """Refuse two models that have no split in common; those with some in common are for the comparison to judge."""
    there = np.zeros((len(models.names), keys.n_splits), dtype=np.float32)
    there[models.code, keys.code] = 1.0
    disjoint = np.argwhere(there @ there.T == 0)
    if disjoint.size:
        first, second = disjoint[0].tolist()
        if kind == "periods":
            raise UnpairedScoresError(
                f"{source}: models {models.names[first]!r} and {models.names[second]!r} have no period (column 'time') in "
                "common. Give both the losses of the same periods; if the column is how long something took, call it 'seconds'."
            )
        examples = " and ".join(_example(models.names[code], there[code], keys) for code in (first, second))
        raise UnpairedScoresError(
            f"{source}: models {models.names[first]!r} and {models.names[second]!r} have no split in common: {examples}. Score "
            "both on the same splits, or leave one out with ",
            Setting("models"),
            ".",
        )


def _example(model: str, there: NDArray[np.float32], keys: SplitKeys) -> str:
    return f"{model!r} has {int(there.sum())}, the first of them {keys.name(int(np.argmax(there)))}"


class _Block(NamedTuple):
    """Rows of one dataset and the split of each; `rows` in split order where every split has one row."""

    rows: IntArray | None
    keys: SplitKeys
    is_averaged: bool


def _wide_matrices(table: ScoreTable, rows: Rows) -> list[ScoreMatrix]:
    """Models by splits of each dataset; the table's columns are used up."""
    models = table.header.others
    blocks = [_block(rows, number, table) for number in range(len(rows.datasets))]
    scores = [np.empty((len(models), block.keys.n_splits)) for block in blocks]
    for position, model in enumerate(models):
        values = _model_column(table, model)
        for block, score in zip(blocks, scores, strict=True):
            mine = values if block.rows is None else values[block.rows]
            score[position] = mean_per_cell(mine, block.keys.code, block.keys.n_splits) if block.is_averaged else mine
    matrices = []
    for number, (block, score) in enumerate(zip(blocks, scores, strict=True)):
        keys, own = block.keys, rows.take(block.rows)
        sizes = (size_per_split(own.n_train, keys, "n_train"), size_per_split(own.n_test, keys, "n_test"))
        matrices.append(ScoreMatrix(rows.datasets[number], models, keys.repeat, keys.fold, *sizes, score))
    return matrices


def _model_column(table: ScoreTable, model: str) -> FloatArray:
    values = table.numbers(model, COLUMNS_ARE_MODELS)
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise infinite_score(f"{table.where(row)}: model {model!r}", values[row])
    has_key = not {"split", "repeat", "fold", "seed", "time", "dataset"}.isdisjoint(table.header.reserved)
    if not has_key:  # a table with a key column numbers its rows by that
        refuse_running_number(model, values, table.name)
    return values


def _block(rows: Rows, number: int, table: ScoreTable) -> _Block:
    chosen = rows.of_dataset(number)
    mine = rows.take(chosen)
    n_rows = table.n_rows if chosen is None else chosen.size
    if mine.keys is None:
        if mine.seed is not None and n_rows > 1:
            return _Block(chosen, number_splits(*np.zeros((2, n_rows), dtype=np.int64)), True)
        position = np.arange(n_rows)
        return _Block(chosen, SplitKeys(np.zeros(n_rows, dtype=np.int64), position, position), False)
    keys = number_splits(mine.keys.repeat.code, mine.keys.fold.code)
    if keys.n_splits == n_rows:
        order = np.argsort(keys.code)
        keys = keys._replace(code=np.arange(n_rows))
        if chosen is None and np.array_equal(order, keys.code):
            return _Block(None, keys, False)
        return _Block(order if chosen is None else chosen[order], keys, False)
    if mine.seed is None and mine.kind != "seeds":
        raise _doubled(keys, chosen, table, is_time=mine.kind == "periods")
    refuse_doubled_seeds(keys.code, mine, keys, ("every model",))
    return _Block(chosen, keys, True)


def _doubled(keys: SplitKeys, chosen: IntArray | None, table: ScoreTable, *, is_time: bool) -> InvalidScoresError:
    split = int(np.argmax(np.bincount(keys.code) > 1))
    lines = np.flatnonzero(keys.code == split)[:2]
    first, second = (int(line if chosen is None else chosen[line]) for line in lines)
    if is_time:
        return InvalidScoresError(
            f"{table.where(second)}: there is already a row for this period ({table.where(first)}). Keep one row for each; "
            "several series in one table are told apart by a column 'dataset'."
        )
    return InvalidScoresError(
        f"{table.where(second)}: there is already a row for {keys.name(split)} ({table.where(first)}). Keep one row for each "
        "split; if the rows differ by a random seed, name that column 'seed'; if by repeat, 'repeat'."
    )
