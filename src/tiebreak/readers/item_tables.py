"""Scores of single items from tables: long (item, model, score) or wide (one column for each model), from files and frames."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tiebreak.errors import (
    AmbiguousSourceError,
    InvalidParameterError,
    InvalidScoresError,
    MissingDependencyError,
    Setting,
    UnreadableSourceError,
    UnsupportedSourceError,
)
from tiebreak.numerics import FloatArray, IntArray, Missing, divide
from tiebreak.printable import fault_of_name, printable
from tiebreak.readers.columns import (
    CLUSTER,
    EPOCH,
    HUMAN,
    ITEM,
    JUDGE,
    JUDGED_PAIRS,
    MODEL,
    RUN,
    SCORE,
    TASKS,
    WEIGHT,
    Where,
    Words,
    advice_on_doubles,
    battle_columns,
    find_column,
    find_model,
    is_number,
    not_a_number,
    numbered_rows,
    refuse_battles,
    refuse_doubled_names,
)
from tiebreak.readers.folder_names import named_by_folder, stem
from tiebreak.readers.logs import Log, is_log, read_log
from tiebreak.readers.metric import NamedMetric, is_known, name_metric
from tiebreak.readers.source import check_extent, check_path, lines_of, parse_table, pipes_as_files
from tiebreak.readers.table import LARGE, TEXT, give_back_memory, json_lines_by_arrow, read_frame
from tiebreak.scores.items import TASK, Items, check_items
from tiebreak.scores.metric import full_name
from tiebreak.scores.vocabulary import look_up, quoted

if TYPE_CHECKING:
    import pandas as pd

_NAMES = frozenset((*ITEM, *MODEL, *CLUSTER))

_NOUNS = frozenset(("example", "question", "sample", "instance", "task", "prompt", "instruction"))
"""What an item is called where its column is."""

MOST_COLUMNS = 100_000
"""Of a table of items, each of which may have a column."""

class LongTable(NamedTuple):
    """A long table of items, and what its scores are called."""

    frame: pd.DataFrame
    """Columns item, model, score, and run, epoch, cluster, weight and further ones where there are."""
    metric: str | None
    remark: str = ""
    unit: str = "item"
    lower_is_better: bool | None = None
    """Direction of the metric, where the source says it."""
    time: str = ""
    """Time at which a log was begun, which sorts as text; "" where it does not say."""
    settings: tuple[tuple[str, str], ...] = ()
    """Names and values by which two runs of one model on one task may differ."""
    is_whole: bool = True
    """False for the log of an evaluation that was not finished."""
    is_mean_of_tasks: bool = False
    """True where the tool takes the mean of the tasks of a group, False where it takes that of all their items."""
    is_named_by_file: bool = False
    """True where the source names no model, which is called after the file."""


class WideTable(NamedTuple):
    """A table with a row for each item and a column for each model."""

    frame: pd.DataFrame
    """Columns of the items: item, and run, epoch, cluster, weight and further ones where there are."""
    scores: dict[Any, pd.Series[Any]]
    remark: str
    unit: str

    def long(self) -> LongTable:
        """The table with a row for each item and model."""
        import pandas as pd

        # not by melt, which refuses a model that is called score
        long = pd.concat([self.frame] * len(self.scores), ignore_index=True)
        long["model"] = np.repeat(list(map(str, self.scores)), len(self.frame))
        long["score"] = np.concatenate([of_model.to_numpy(dtype=float) for of_model in self.scores.values()])
        return LongTable(long, None, self.remark, self.unit)

    def items(self, metric: str | None, lower_is_better: bool | None) -> Items | None:
        """Items of the table, whose scores are taken out of it; None where rows have to be brought together first."""
        if not {"run", "epoch", "item_hash", TASK}.isdisjoint(self.frame):
            return None
        names = _plain_names(self.frame["item"])
        models = list(map(str, self.scores))
        if names is None or len({model.strip() for model in models}) < len(models) or any(map(fault_of_name, models)):
            return None
        frame = self.frame if "weight" not in self.frame else self.frame.assign(weight=_weights_of(self.frame))
        first = frame.groupby(np.arange(len(frame)), sort=True)
        score = np.empty((len(models), 1, len(names)))
        for row, of_model in enumerate(list(self.scores)):
            score[row, 0] = self.scores.pop(of_model).to_numpy(dtype=float)
        named = _named_metric(score, metric, lower_is_better)
        if named.factor != 1:
            score *= named.factor
        return Items(
            named.metric,
            tuple(map(_text, models)),
            ("1",),
            names,
            score,
            *_of_items(frame, first, None, names),
            columns=_slices_of(frame, first),
            sources=(self.remark,) if self.remark else (),
            unit=self.unit,
        )


def _plain_names(column: pd.Series[Any]) -> tuple[str, ...] | None:
    """Names of items that are all different and there; None for others."""
    names = column.tolist()
    if set(map(type, names)) <= {str} and (text := "".join(names)).isprintable():
        if len(text) != sum(map(len, text.split())):  # there are blanks
            names = [name.strip() for name in names]
    else:
        if column.isna().any():
            return None
        names = list(map(_text, names))
    different = set(names)
    return tuple(names) if "" not in different and len(different) == len(names) else None


def read_items(
    *sources: Any,
    metric: str | None = None,
    lower_is_better: bool | None = None,
    models: Sequence[str] | None = None,
    item: str | None = None,
    rows: Literal["auto", "items"] = "auto",
    missing: Missing = "raise",
    cluster: str | None = None,
) -> Items:
    """Read scores of single items: of examples of one test set, of questions, of documents.

    Parameters
    ----------
    *sources
        Tables, long or wide: CSV, TSV, JSON lines, JSON and Parquet files, frames of pandas, polars and pyarrow, dicts of
        columns; or logs: samples_*.jsonl of lm-evaluation-harness, .eval and .json logs of Inspect, JSON lines of Every Eval
        Ever; or `Items`. Several are joined on their items, and so is a dict ``{model: source}``, which names a model that the
        source does not. Several answers of a model to an item stand in a column "run" or "seed" where each run answered all
        items, and stay apart; in a column "epoch", "attempt" or "sample" where each item was asked anew, and are averaged.
    metric : str, optional
        Name of the scores, or which of several to read; "accuracy" for scores that are all 0 or 1 unless given.
    lower_is_better : bool, optional
        For a metric whose direction is not known.
    models : sequence of str, optional
        Keep only these, in this order.
    item : str, optional
        Column that names the items, where it is not called item, example, question, doc_id or the like.
    rows : {"auto", "items"}
        "items" reads each row of a wide table without such a column as an item.
    missing : {"raise", "pairwise"}
        Items that some model lacks are an error that names them, or stay as nan.
    cluster : str, optional
        Column, or field that a log keeps of its samples, that names what items belong together: a text, a template, a user. A
        column called cluster, document, passage or the like is taken without.

    Returns
    -------
    Items

    Raises
    ------
    TiebreakError
        A source cannot be read; the text says where, and how to go on.

    Examples
    --------
    >>> import tiebreak as tb
    >>> items = tb.read_items({"question": ["q1", "q2", "q3", "q4"], "small": [0, 1, 0, 1], "large": [1, 1, 0, 1]})
    >>> items
    <Items of accuracy: 2 models, 4 questions>
    >>> items.disagreements("large", "small")["item"].tolist()
    ['q1']
    """
    if rows not in ("auto", "items"):
        raise InvalidParameterError(f"rows must be 'auto' or 'items'; got {rows!r}.", about="rows")
    if not sources:
        raise UnsupportedSourceError("nothing to read: pass a table with a row for each item, or the log of an evaluation.")
    if len(sources) == 1 and isinstance(sources[0], Items) and cluster is None:
        given = sources[0] if models is None else sources[0].take(models)
        return check_items(given).complete(missing)
    with pipes_as_files(sources) as held:
        named = [pair for source in held for pair in named_sources(source)]
        is_one = len(named) == 1 and named[0][0] is None
        items = _of_one(named[0][1], metric, lower_is_better, item, rows, cluster) if is_one else None
        if items is None:
            tables = named_by_folder(tables_of(named, metric, item, rows, cluster), [source for _, source in named])
            items = items_of_tables(tables, [stem(source) for _, source in named], metric, lower_is_better, cluster)
    give_back_memory()
    return check_items(items.take(models) if models is not None else items).complete(missing)


def _of_one(
    source: Any, metric: str | None, lower_is_better: bool | None, item: str | None, rows: str, cluster: str | None
) -> Items:
    """Items of a single source; a wide table stays one where it can."""
    table = _table_of(source, metric, item, rows, cluster, is_main=False)
    if isinstance(table, WideTable):
        items = table.items(metric, lower_is_better)
        if items is not None:
            return items
        table = table.long()
    return items_of_tables([table], [stem(source)], metric, lower_is_better, cluster)


def items_of_tables(
    tables: Sequence[LongTable],
    stems: Sequence[str],
    metric: str | None,
    lower_is_better: bool | None,
    cluster: str | None = None,
) -> Items:
    """Items of long tables, joined; models of one name in several of them are called after the stems."""
    held, by_task = _held_metric(tables, lower_is_better)
    frame, of_groups = _grouped(_joined([table.frame for table in tables], list(stems)), tables)
    remarks = (*_once([table.remark for table in tables if table.remark]), *by_task, *of_groups)
    units = {table.unit for table in tables}
    unit = units.pop() if len(units) == 1 else "item"
    if cluster is not None:
        frame = _clustered(frame, cluster)
    directions = {table.lower_is_better for table in tables if table.lower_is_better is not None}
    called = held or metric
    if lower_is_better is None and len(directions) == 1 and not is_known(str(called)):
        lower_is_better = directions.pop()
    return items_of_long(frame, called, False if by_task else lower_is_better, remarks, unit)


def _once(remarks: Sequence[str]) -> list[str]:
    """Remarks, of which those that say the same of four tasks or files and more are one."""
    about: dict[str, dict[str, None]] = {}
    for remark in dict.fromkeys(remarks):
        subject, mark, said = remark.partition(": ")
        about.setdefault(said if mark else remark, {})[subject if mark else ""] = None
    found = []
    for said, subjects in about.items():
        if len(subjects) > _MOST_ALIKE and "" not in subjects:
            found.append(f"{quoted(list(subjects), 2)}: {said}")
        else:
            found += [f"{subject}: {said}" if subject else said for subject in subjects]
    return found


_MOST_ALIKE = 3
"""Tasks or files of which a remark says the same one by one."""


def tables_of(
    named: Sequence[tuple[str | None, Any]], metric: str | None, item: str | None, rows: str, cluster: str | None = None
) -> list[LongTable]:
    """Long table of each source; one of a task that does not hold the metric asked for gives its own main one."""
    is_main = len(named) > 1

    def reading(name: str | None, source: Any) -> Callable[[str | None], LongTable]:
        return lambda asked: _long(source, name, asked, item, rows, cluster, is_main=is_main)

    return with_main_metric([reading(name, source) for name, source in named], metric)


def with_main_metric(reads: Sequence[Callable[[str | None], LongTable]], metric: str | None) -> list[LongTable]:
    """Tables as each function reads them for a metric; one of a task that does not hold it is read for its own main one."""
    tables: dict[int, LongTable] = {}
    lacking: dict[int, AmbiguousSourceError] = {}
    for place, read in enumerate(reads):
        try:
            tables[place] = read(metric)
        except AmbiguousSourceError as error:
            if metric is None or len(reads) < 2:
                raise
            lacking[place] = error
    for place, refusal in lacking.items():
        if not tables:
            raise refusal
        table = reads[place](None)
        tasks = _tasks_of(table)
        if "" in tasks or any(tasks & _tasks_of(tables[other]) for other in tables if other not in lacking):
            raise refusal
        remark = f"{quoted(sorted(tasks))} has no {metric!r}: its own {table.metric or 'accuracy'!r} is taken"
        tables[place] = table._replace(remark="; ".join(filter(None, (table.remark, remark))))
    return [tables[place] for place in range(len(reads))]


def _tasks_of(table: LongTable) -> set[str]:
    return set(task_of(table.frame)) if TASK in table.frame else {""}


def task_of(frame: pd.DataFrame) -> pd.Series[Any]:
    """Task of each row as a text, "" where none is named; a column of any type may name them."""
    import pandas as pd

    if TASK not in frame:
        return pd.Series("", index=frame.index)
    return frame[TASK].astype(object).where(frame[TASK].notna(), "").astype(str)


def _held_metric(tables: Sequence[LongTable], lower_is_better: bool | None) -> tuple[str | None, list[str]]:
    """Name of the metric that the sources hold, and where each task has its own a remark that says which."""
    held = {table.metric for table in tables if table.metric is not None}
    if len(held) < 2:
        return next(iter(held), None), []
    own: dict[str, set[str]] = {}
    for table in tables:
        for task in _tasks_of(table):
            own.setdefault(task, set()).add(table.metric or "accuracy")
    if "" in own or any(len(names) > 1 for names in own.values()):
        raise AmbiguousSourceError(
            f"the sources hold different metrics: {quoted(sorted(held))}. Say which with ", Setting("metric"), "."
        )
    is_binary = True
    for table in tables:
        score = table.frame["score"].to_numpy(dtype=float)
        score = score[~np.isnan(score)]
        own_direction = table.lower_is_better if lower_is_better is None and not is_known(table.metric or "") else lower_is_better
        name = _named_metric(score[None], table.metric, own_direction).metric
        if not name.higher_is_better or (score.size and not 0 <= score.min() <= score.max() <= 1):
            task = quoted(sorted(_tasks_of(table)))
            why = f"reaches {score.max():g}" if name.higher_is_better else "is better the lower it is"
            raise AmbiguousSourceError(
                f"the tasks have metrics of different units, which have no mean: the {name.name!r} of {task} {why}. Compare such "
                "tasks by themselves, or name a metric that all of them hold with ",
                Setting("metric"),
                ".",
            )
        is_binary = is_binary and bool(((score == 0) | (score == 1)).all())
    said = ", ".join(f"{task} by {names.pop()}" for task, names in own.items())
    return "accuracy" if is_binary else "score", [f"each task counts by its own metric: {said}"]


def _joined(frames: list[pd.DataFrame], stems: list[str]) -> pd.DataFrame:
    """All rows; models of one name in several files are called after the files, and items of several tasks after their task."""
    import pandas as pd

    for each in frames:
        _refuse_nested(each, ("item", "model", "run", "epoch", "cluster", "weight", "item_hash", "task"))
    # categories add up to no texts, and take no value that is not one of them
    frames = [each.astype(dict.fromkeys(each.columns[each.dtypes == "category"], object)) for each in frames]
    if len(frames) == 1:
        frame = frames[0]
    else:
        seen: dict[str, set[Any]] = {}
        clash: set[str] = set()
        for each in frames:
            for model, rows in each.groupby("model"):
                columns = (rows.get(each, rows["item"]) for each in ("item", "task", "run", "epoch"))
                keys = set(zip(*columns, strict=True))
                if keys & seen.setdefault(str(model), set()):
                    clash.add(str(model))
                seen[str(model)] |= keys
        names = [dict.fromkeys(clash, stem) if stem else {} for stem in stems]
        frames = [each.assign(model=each["model"].replace(new)) for each, new in zip(frames, names, strict=True)]
        frame = pd.concat(frames, ignore_index=True)
        for what in {"run", "epoch"} & set(frame):
            frame = frame.assign(**{what: frame[what].where(frame[what].notna(), "1")})
    if TASK in frame and frame[TASK].nunique(dropna=False) > 1:
        frame = frame.assign(task=task_of(frame))
        frame = frame.assign(item=frame[TASK] + "/" + frame["item"].map(_text))
    if "item_hash" in frame:
        hashes = frame.groupby("item")["item_hash"].nunique()
        if (hashes > 1).any():
            which = [str(item) for item in hashes.index[hashes > 1]]
            raise InvalidScoresError(
                f"{len(which)} items of one number are not the same sample in all files: {quoted(which, 3)}. Were they drawn or "
                "ordered in another way? Evaluate both models on the same samples."
            )
        frame = frame.drop(columns="item_hash")
    return frame


def _grouped(frame: pd.DataFrame, tables: Sequence[LongTable]) -> tuple[pd.DataFrame, list[str]]:
    """The table in which a group of tasks counts as one, as the tool that wrote it takes its mean, and remarks that say so."""
    if "group" not in frame or TASK not in frame:
        return frame.drop(columns="group", errors="ignore"), []
    named = frame[[TASK, "group"]].dropna().drop_duplicates(TASK)
    above = {task: group for task, group in named.itertuples(index=False) if group}
    frame = frame.drop(columns="group")
    means = {group for table in tables if table.is_mean_of_tasks for group in set(table.frame.get("group", ()))}
    tasks = list(dict.fromkeys(frame[TASK]))
    members = {group: [task for task in tasks if above.get(task) == group] for group in dict.fromkeys(above.values())}
    members = {group: own for group, own in members.items() if len(own) > 1}
    is_all = len(members) == 1 and len(tasks) == len(next(iter(members.values())))
    if not members or (is_all and means.issuperset(members)):
        return frame, []  # the mean over the tasks is that of the group
    frame = frame.assign(subtask=frame[TASK], task=[above[each] if above.get(each) in members else each for each in frame[TASK]])
    remarks = []
    for group, own in members.items():
        how = "the mean of its tasks" if group in means else "the mean over all their items"
        remarks.append(f"group {group!r} of {len(own)} tasks counts as one task, by {how}, as in its tool (each: by subtask)")
        sizes = frame[frame["subtask"].isin(own)].groupby("subtask")["item"].nunique()
        if group in means and sizes.nunique() > 1:
            shares = frame["subtask"].map(sizes.mean() / sizes).fillna(1.0)
            frame = frame.assign(weight=shares * frame.get("weight", 1.0))
    return frame, remarks


def _clustered(frame: pd.DataFrame, cluster: str) -> pd.DataFrame:
    """The table with the clusters that a field of its samples names; in each task names are its own."""
    named = [str(each) for each in frame.columns if each not in ("model", "score", "run", "epoch", "weight", "item_hash")]
    if cluster not in named and "cluster" in named:
        return frame  # a table renames its column when it is read
    column = named[look_up(cluster, named, "column of the items")]
    values = frame[column].map(_text, na_action="ignore")
    of_task = frame.get("subtask", frame.get(TASK))
    if of_task is not None and column not in (TASK, "subtask") and of_task.nunique() > 1:
        values = (of_task.astype(str) + "/" + values).where(values.notna())
    return frame.assign(cluster=values)


def _refuse_nested(frame: pd.DataFrame, columns: Sequence[Any]) -> None:
    """Refuse lists and objects where a name or a number is to be."""
    for what in columns:
        if what in frame and frame[what].dtype == object:
            nested = frame[what].map(lambda value: isinstance(value, list | tuple | set | dict | np.ndarray)).to_numpy(dtype=bool)
            if nested.any():
                row = int(np.flatnonzero(nested)[0])
                shown = printable(f"{frame[what].iloc[row]!r:.60}")
                raise UnreadableSourceError(f"row {row + 1}: {what} is {shown}; it must be a single text or number.")


def named_sources(source: Any) -> list[tuple[str | None, Any]]:
    """The source, or the sources in a dict, each with the name of its model if that says it."""
    if isinstance(source, Mapping) and source and all(is_source(value) for value in source.values()):
        return [(str(name), value) for name, value in source.items()]
    return [(None, source)]


def is_source(value: Any) -> bool:
    """True for what may be a table of its own in a dict of them, one for each model."""
    return isinstance(value, str | os.PathLike | Mapping | Items) or hasattr(type(value), "columns")


def _long(
    source: Any, model: str | None, metric: str | None, item: str | None, rows: str, cluster: str | None, *, is_main: bool
) -> LongTable:
    """Long table of any source; of a log with several metrics its main one, if `is_main` and none is named."""
    table = _table_of(source, metric, item, rows, cluster, is_main=is_main)
    return _with_model(table.long() if isinstance(table, WideTable) else table, model)


def _table_of(
    source: Any, metric: str | None, item: str | None, rows: str, cluster: str | None, *, is_main: bool
) -> LongTable | WideTable:
    if isinstance(source, Items):
        if not source.is_mean:
            raise UnsupportedSourceError(
                f"{source.metric.name} is of all predictions together, so tables of it are not joined. Give the predictions of "
                "all models to one call of tb.read_predictions."
            )
        remark = "; ".join(source.sources)
        frame = source.to_frame() if len(source.runs) > 1 else source.to_frame().drop(columns="run")
        return LongTable(frame, source.metric.name, remark, source.unit)
    if isinstance(source, str | os.PathLike):
        path, name = Path(source), printable(os.fspath(source))
        check_path(path, name)
        if is_log(path):
            return _of_log(read_log(path, name, metric, is_main=is_main))
        (frame, where), stem = read_table_file(path, name, item), path.stem
    else:
        frame, name, stem = _as_pandas(source), "the table", ""
        where = numbered_rows(name)
    return _long_of_table(frame, name, stem, metric, item, rows, cluster, where)


def long_of_file(path: Path, name: str, metric: str | None) -> LongTable:
    """Long table of the log of an evaluation; of several metrics its main one, if none is named."""
    return _of_log(read_log(path, name, metric, is_main=True))


def _of_log(log: Log) -> LongTable:
    import pandas as pd

    return LongTable(pd.DataFrame(log.columns), *log[1:])


def names_items(names: Sequence[Any]) -> bool:
    """True for columns of a table of items: one of them names the items, and none a fold."""
    known = {name.strip().strip("\"'").casefold() for name in names if isinstance(name, str)}
    return bool(known & _SURE) and not known & {"fold", "split"}


_SURE = frozenset(ITEM) - {"id", "task_id"}
"""Names of columns that no table of splits has: a table with one of them is of items, unless it has a column of folds too."""


def _with_model(table: LongTable, model: str | None) -> LongTable:
    if model is None:
        return table
    if table.frame["model"].nunique() > 1:
        raise AmbiguousSourceError(f"the source given for {model!r} holds {table.frame['model'].nunique()} models.")
    return table._replace(frame=table.frame.assign(model=model), is_named_by_file=False)


def read_table_file(path: Path, name: str, item: str | None) -> tuple[pd.DataFrame, Where]:
    """File as a frame of texts and numbers as they stand, and the places of its rows: an item called 007 or NA keeps its name."""
    if path.suffix.lower() in TEXT:
        check_extent(path, name)
        return read_frame(path, name, is_name=lambda each: each == item or each.casefold() in _NAMES, is_small=True)
    import pandas as pd

    def read_json_lines() -> pd.DataFrame:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            numbered = ((number, line) for number, line in lines_of(file, name) if line.strip())
            return pd.DataFrame([parse_table(line, f"{name}, line {number}") for number, line in numbered])

    endings: dict[str, Callable[[], pd.DataFrame]] = {
        ".jsonl": read_json_lines,
        ".json": lambda: pd.DataFrame(parse_table(path.read_text(encoding="utf-8-sig"), name)),
        ".parquet": lambda: pd.read_parquet(path),
    }
    read = endings.get(path.suffix.lower())
    if read is None:
        raise UnsupportedSourceError(
            f"{name} ends in {path.suffix!r}; item tables can be .csv, .tsv, .txt, .jsonl, .json and .parquet, and logs "
            ".jsonl, .json and .eval."
        )
    try:
        check_extent(path, name)
        columns = json_lines_by_arrow(path) if path.suffix.lower() == ".jsonl" and path.stat().st_size >= LARGE else None
        return read() if columns is None else pd.DataFrame(columns, copy=False), numbered_rows(name)
    except ImportError:
        raise MissingDependencyError(f"reading {name} needs pyarrow: pip install 'pyarrow>=17'.") from None
    except UnreadableSourceError:
        raise
    except (ValueError, TypeError, OSError) as error:  # pandas' errors of parsing are ValueErrors
        said = " ".join(str(error).split()).rstrip(".")
        raise UnreadableSourceError(f"{name} cannot be read as {path.suffix[1:].upper()}: {said}.") from None


def _as_pandas(source: Any) -> pd.DataFrame:
    import narwhals as nw
    import pandas as pd

    if isinstance(source, pd.DataFrame):
        known = {*ITEM, *MODEL}
        indexed = any(isinstance(each, str) and each.casefold() in known for each in source.index.names)
        return source.reset_index() if indexed else source
    if isinstance(source, Mapping):
        sizes = {str(key): _length(values) for key, values in source.items()}
        if len(set(sizes.values())) != 1 or None in sizes.values():
            raise InvalidScoresError(f"the columns of the dict need one value for each item; their lengths are {sizes}.")
        return pd.DataFrame(dict(source))
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise UnsupportedSourceError(
            f"an object of type {type(source).__name__} holds no table of items. Pass a frame, a dict of columns, or "
            "the path of a file."
        )
    return frame.to_pandas()


# --- columns ----------------------------------------------------------------------------------------------------------------


def _length(values: Any) -> int | None:
    """Number of values of a column; None for what is none."""
    return None if isinstance(values, str | bytes) or not hasattr(values, "__len__") else len(values)


def find(frame: pd.DataFrame, names: Sequence[str], source: str = "the table") -> Any:
    """First column whose name is one of these."""
    return find_column(list(frame.columns), names, source)


def model_column(frame: pd.DataFrame, source: str = "the table") -> Any:
    """Column of the names of the models."""
    columns = list(frame.columns)
    is_long = sum(str(column).casefold() in SCORE for column in columns) > 0
    return find_model(columns, source, lambda column: is_long or frame[column].dtype.kind not in "iufb")


def _check_width(n_columns: int, name: str) -> None:
    if n_columns > MOST_COLUMNS:
        raise UnreadableSourceError(f"{name} has {n_columns:,} columns, and at most {MOST_COLUMNS:,} are read. Is it a table?")


def _long_of_table(
    frame: pd.DataFrame,
    name: str,
    stem: str,
    metric: str | None,
    item: str | None,
    rows: str,
    cluster: str | None,
    where: Where,
) -> LongTable | WideTable:
    _check_width(len(frame.columns), name)
    if battle_columns(frame.columns) in JUDGED_PAIRS:
        refuse_battles(list(frame.columns), name)
    if frame.columns.duplicated().any():
        refuse_doubled_names(list(map(str, frame.columns)), name)
    if not len(frame):
        raise UnreadableSourceError(f"{name} has column names but no rows.")
    frame = _with_task(_unpacked(frame), item)
    key = item if item is not None else find(frame, ITEM)
    if item is not None:
        key = list(frame.columns)[look_up(item, [str(column) for column in frame.columns], "column")]
    words = {*ITEM, *MODEL, *RUN, *EPOCH, *CLUSTER, *WEIGHT, *_NUMBERS}
    _refuse_nested(frame, [each for each in frame.columns if each == key or str(each).casefold() in words])
    if key is None and rows == "items":
        frame = _turned(frame)
        key = find(frame, ITEM)
    if key is None:
        if rows != "items":
            columns = quoted([str(column) for column in frame.columns])
            raise UnreadableSourceError(
                f"{name} has no column that names the items, such as 'item', 'question' or 'doc_id'; its columns are {columns}. "
                "Pass ",
                Setting("item", "'COLUMN'"),
                ", or ",
                Setting("rows", "'items'"),
                " if each row is an item.",
            )
        frame, key = _numbered(frame, name)
    model = model_column(frame, name)
    meaning = {"item": key, "run": find(frame, RUN), "cluster": find(frame, CLUSTER), "weight": find(frame, WEIGHT)}
    if cluster is not None and cluster != key:
        meaning["cluster"] = list(frame.columns)[look_up(cluster, [str(column) for column in frame.columns], "column")]
    meaning |= {"epoch": epoch} if (epoch := find(frame, EPOCH)) != key else {}
    own = {column for column in meaning.values() if column is not None} | ({model} if model is not None else set())
    renamed = {column: word for word, column in meaning.items() if column is not None}
    rest = [column for column in frame.columns if column not in own]
    unit = noun if (noun := str(key).casefold().removesuffix("_id")) in _NOUNS else "item"
    has_sizes = not {"n_train", "n_test"}.isdisjoint(map(str, rest))
    remark = f"{name}: n_train or n_test are of splits and were left out; repeats count as runs." if has_sizes else ""
    if model is None and not _is_of_one_model(rest):
        return _of_wide(frame.rename(columns=renamed), name, where, rest)._replace(unit=unit, remark=remark)
    human = find(frame, HUMAN) if model is not None else None
    if human in rest and human != metric:
        rest.remove(human)
    else:
        human = None
    judge = find(frame, JUDGE) if human is not None and metric not in [str(column) for column in rest] else None
    score = judge if judge in rest else score_column(frame, rest, metric, name)
    table = frame.rename(columns=renamed | {score: "score"} | ({model: "model"} if model is not None else {}))
    table = table if model is not None else table.assign(model=stem or "model")
    held = metric or (None if str(score).casefold() in ("score", "value", "correct", "is_correct", *JUDGE) else str(score))
    table = table.assign(score=numbers(table["score"], where, str(score)))
    if human is not None:
        table = table.rename(columns={human: "human"}).assign(human=numbers(frame[human], where, str(human)))
    return LongTable(table, held, remark, unit, is_named_by_file=model is None)


def _unpacked(frame: pd.DataFrame) -> pd.DataFrame:
    """The table in which a column of objects of numbers, such as {"em": 0, "f1": 0.5}, is a column for each."""
    for column in [name for name, dtype in frame.dtypes.items() if str(dtype) == "object"]:
        if not isinstance(next(iter(frame[column].dropna()), None), dict):
            continue
        objects = [value if isinstance(value, dict) else {} for value in frame[column]]
        names = list(dict.fromkeys(name for each in objects for name in each))
        if len(names) <= _MOST_NUMBERS and all(is_number(value) for each in objects for value in each.values()):
            own = [f"{column}.{name}" if name in frame.columns else name for name in names]
            parts = {new: [each.get(name, np.nan) for each in objects] for new, name in zip(own, names, strict=True)}
            frame = frame.drop(columns=column).assign(**{name: np.array(part, dtype=float) for name, part in parts.items()})
    return frame


_MOST_NUMBERS = 100
"""Numbers in an object that are taken for scores."""


def _with_task(frame: pd.DataFrame, item: str | None) -> pd.DataFrame:
    """The table with a column "task", where one of another name tells the tasks of its items."""
    named = find(frame, TASKS)
    if named is None or named in (TASK, item) or frame[named].dtype.kind in "fc":
        return frame
    if model_column(frame) is None and (frame[named].dtype.kind in "iub" or looks_numeric(frame[named])):
        return frame  # a column of numbers is one of scores there, whatever type it is kept as
    return frame.assign(**{TASK: frame[named]})


def _turned(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with a row for each model and a column for each item as one with a row for each item; any other as it is."""
    model = model_column(frame)
    rest = [column for column in frame.columns if column != model]
    if model is None or len(rest) < 2 or not frame[model].is_unique:
        return frame
    words = {*SCORE, *RUN, *EPOCH, *CLUSTER, *WEIGHT, *_NUMBERS, "n_train", "n_test"}
    if any(frame[each].dtype.kind not in "iufb" or str(each).casefold() in words or is_known(str(each)) for each in rest):
        return frame
    return frame.set_index(model).T.rename_axis("item").reset_index().rename_axis(columns=None)


def _numbered(frame: pd.DataFrame, name: str) -> tuple[pd.DataFrame, Any]:
    """The table with names of its items, where each row is one: those of a column that numbers them, or by their order."""
    model, known = model_column(frame), find(frame, _NUMBERS)
    if known is not None and not frame.duplicated([known] if model is None else [known, model]).any():
        return frame, known
    if model is None:
        return frame.assign(item=np.arange(1, len(frame) + 1).astype(str)), "item"
    counts = frame.groupby(model, sort=False).size()
    if counts.nunique() > 1:
        raise UnreadableSourceError(
            f"{name} has no column that names the items, and its models have different numbers of rows: {counts.to_dict()}. Name "
            "the items in a column 'item'."
        )
    return frame.assign(item=(frame.groupby(model).cumcount() + 1).astype(str)), "item"


_NUMBERS = ("row", "index", "number", "nr", "no", "split", "fold", "unnamed: 0", "")
"""Names of columns that number the rows of a table of items."""


def _is_of_one_model(rest: Sequence[Any]) -> bool:
    """True for a table of one model: the only column of scores is called score or the like."""
    return sum(str(column).casefold() in SCORE for column in rest) == 1


def score_column(frame: pd.DataFrame, rest: Sequence[Any], metric: str | None, name: str) -> Any:
    """Column of the scores: the one called `metric`, or score or the like, or the only one of numbers."""
    texts = {str(column): column for column in rest}
    if metric is not None and metric in texts:
        return texts[metric]
    known = [column for column in rest if str(column).casefold() in SCORE]
    if len(known) == 1:
        return known[0]
    numeric = known or [column for column in rest if frame[column].dtype.kind in "iufb"]
    if len(numeric) == 1:
        return numeric[0]
    what = (
        f"{len(numeric)} columns that may be the scores: {quoted([str(column) for column in numeric])}"
        if numeric
        else "no column of scores"
    )
    raise AmbiguousSourceError(f"{name} has {what}. Say which one with ", Setting("metric", "'COLUMN'"), ".")


def _of_wide(frame: pd.DataFrame, name: str, where: Where, rest: Sequence[Any]) -> WideTable:
    """A wide table, in which columns of numbers are models and columns of texts describe the items."""
    values: dict[Any, pd.Series[Any]] = {}
    for column in rest:
        called_so = str(column).casefold() in (*ITEM, *_NUMBERS) or str(column).startswith("Unnamed: ")
        is_name = (
            called_so and frame[column].dtype.kind != "f" and frame[column].nunique() in (len(frame), frame["item"].nunique())
        )
        if is_name or str(column) in ("n_train", "n_test"):
            continue  # of splits, which items have none of; or a second name of the items
        if frame[column].dtype.kind in "iufb":
            values[column] = frame[column]
        elif looks_numeric(frame[column]):
            values[column] = numbers(frame[column], where, str(column))
    if not values:
        refuse_battles(rest, name)
        raise UnreadableSourceError(
            f"{name} has no column of numbers, one for each model; it has {quoted(list(map(str, rest)))}."
        )
    for column in frame.columns:
        if column not in values and str(column) in ("score", "model"):  # which the long table has of its own
            numbers(frame[column], where, str(column))
            frame = frame.drop(columns=column)
    kept = [column for column in frame.columns if column not in values]
    return WideTable(frame[kept], values, "", "item")


def looks_numeric(column: pd.Series[Any]) -> bool:
    """True for texts most of which are numbers, booleans or per cent: scores, some of which cannot be read."""
    texts = column.dropna().astype(str).str.strip().str.rstrip("%").str.replace(",", ".", regex=False).str.casefold()
    if not len(texts):
        return False
    import pandas as pd

    readable = pd.to_numeric(texts, errors="coerce").notna() | texts.isin(list(_WORDS))
    return bool(readable.mean() > 0.5)


_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "correct": 1.0, "incorrect": 0.0}


def numbers(column: pd.Series[Any], where: Where, title: str) -> pd.Series[Any]:
    """Scores as floats: 0/1 as text and booleans are numbers too; per cent and words are errors that say where."""
    import pandas as pd

    if column.dtype.kind in "iufb":
        return column.astype(float)
    texts = column.astype("string").str.strip()
    folded = texts.str.casefold()
    readable = pd.to_numeric(folded.replace({word: str(value) for word, value in _WORDS.items()}), errors="coerce").astype(float)
    # those of pandas before 3.1 may be off in the last bit
    exact = [
        (_WORDS[text] if text in _WORDS else float(text)) if there else np.nan
        for text, there in zip(folded, readable.notna(), strict=True)
    ]
    values = pd.Series(exact, index=column.index, dtype=float)
    wrong = values.isna() & texts.notna() & ~folded.isin(["", "nan", "na", "null", "none"]).fillna(value=False)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        hint = " Scores are numbers, or true and false."
        raise not_a_number(where(row), title, str(texts.iloc[row]), hint)
    return values


# --- a long table as Items --------------------------------------------------------------------------------------------------


def items_of_long(
    frame: pd.DataFrame,
    metric: str | None,
    lower_is_better: bool | None,
    remarks: tuple[str, ...] = (),
    unit: str = "item",
) -> Items:
    """Items of a long table as `LongTable` has it; the scores of epochs are averaged."""
    import pandas as pd

    for what in ("item", "model"):
        blank = frame[what].isna() | (frame[what].astype(str) == "")
        if blank.any():
            row = int(np.flatnonzero(blank)[0]) + 1
            raise UnreadableSourceError(f"row {row} has no {what}; {int(blank.sum())} rows in all have none.")
    if "weight" in frame:
        frame = frame.assign(weight=_weights_of(frame))
    codes, labels = {}, {}
    for what in ("item", "model", "run", "epoch"):
        column = frame[what] if what in frame else pd.Series("1", index=frame.index)
        codes[what], found = pd.factorize(column.map(_text), sort=what == "run" and column.dtype.kind not in "iuf")
        labels[what] = tuple(str(each) for each in found)
    for name in labels["model"]:
        if fault := fault_of_name(name):
            raise UnreadableSourceError(f"the name {name!r} of a model {fault}")
    _refuse_doubles(frame, codes, labels)
    score = frame["score"].to_numpy(dtype=float)
    named = _named_metric(score[None], metric, lower_is_better)
    shape = tuple(len(labels[what]) for what in ("model", "run", "item"))
    table, averaged = _over_epochs(
        score, np.ravel_multi_index([codes[what] for what in ("model", "run", "item")], shape), shape, unit
    )
    first = frame.groupby(codes["item"], sort=True)
    return Items(
        named.metric,
        labels["model"],
        labels["run"],
        labels["item"],
        table * named.factor,
        *_of_items(frame, first, codes["item"], labels["item"]),
        columns=_slices_of(frame, first),
        sources=(*remarks, *averaged),
        unit=unit,
        labels=_labels_of(frame, codes, shape, named.factor),
    )


def _labels_of(frame: pd.DataFrame, codes: Mapping[str, Any], shape: tuple[int, ...], factor: int) -> FloatArray | None:
    """Labels by people of the answers of each model to each item, the mean where there are several; None where there are none."""
    if "human" not in frame or frame["human"].isna().all():
        return None
    n_models, _, n_items = shape
    place = np.ravel_multi_index([codes["model"], codes["item"]], (n_models, n_items))
    label = frame["human"].to_numpy(dtype=float)
    return _over_epochs(label, place, (n_models, n_items), "item")[0] * factor


def _weights_of(frame: pd.DataFrame) -> pd.Series[Any]:
    return numbers(frame["weight"], numbered_rows("the table"), "weight")


def _of_items(
    frame: pd.DataFrame, groups: Any, codes: Any, items: Sequence[str]
) -> tuple[tuple[str, ...] | None, FloatArray | None]:
    """Clusters and weights of the items, where the table has them."""
    clusters, weights = (_of_item(frame, groups, name, codes, items) for name in ("cluster", "weight"))
    return (
        None if clusters is None else tuple(map(_text, clusters)),
        None if weights is None else np.asarray(weights, dtype=float),
    )


def _slices_of(frame: pd.DataFrame, groups: Any) -> dict[str, tuple[str, ...]]:
    """Texts of further columns that say the same of an item in all its rows."""
    known = {"item", "model", "run", "epoch", "score", "cluster", "weight", "human"}
    found: dict[str, tuple[str, ...]] = {}
    for title in frame.columns:
        if title not in known and _is_slice(frame[title], groups[title]):
            values = groups[title].first()
            found[title] = tuple(map(_text, values.astype(object).mask(values.isna(), "")))
    return found


def _over_epochs(score: FloatArray, place: IntArray, shape: tuple[int, ...], unit: str) -> tuple[FloatArray, list[str]]:
    """Mean score at each place of an array, nan where there is none, and a remark where epochs are averaged."""
    has = ~np.isnan(score)
    size = int(np.prod(shape))
    n = np.bincount(place[has], minlength=size)
    table = divide(np.bincount(place[has], score[has], minlength=size), np.where(n > 0, n, np.nan)).reshape(shape)
    if n.max(initial=0) <= 1:
        return table, []
    fewest = n[n > 0].min()
    how_many = f"{n.max()}" if fewest == n.max() else f"{fewest} to {n.max()}"
    return table, [f"{how_many} epochs of each {unit} are averaged: answers to one {unit} are no further {unit}s"]


def _named_metric(score: FloatArray, metric: str | None, lower_is_better: bool | None) -> NamedMetric:
    """The metric asked for, or accuracy for scores that are all 0 or 1; nan are passed by."""
    binary = all(bool(((row == 0) | (row == 1) | np.isnan(row)).all()) for row in score)
    if metric is None and not binary and set(np.unique(score[~np.isnan(score)]).tolist()) <= {0.0, 1.0, 100.0}:
        raise InvalidScoresError("the scores are 0 and 100, which looks like per cent. Divide them by 100, or name their metric.")
    called = metric or ("accuracy" if binary else None)
    if called is None:
        raise AmbiguousSourceError(
            "the scores are not all 0 or 1, and nothing says what they are. Pass ",
            Setting("metric", "'NAME'"),
            " and, unless it is one of scikit-learn's, ",
            Setting("lower_is_better", "False"),
            ".",
        )
    return name_metric(full_name(called), lower_is_better)


def _text(value: Any) -> str:
    """Name of an item, run or cluster: whole numbers without a fraction, so that 1 and 1.0 are the same."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return printable(str(value).strip())


def _refuse_doubles(frame: pd.DataFrame, codes: Mapping[str, Any], labels: Mapping[str, tuple[str, ...]]) -> None:
    axes = ("model", "run", "epoch", "item")
    sizes = [len(labels[what]) for what in axes]
    cell = np.ravel_multi_index([codes[what] for what in axes], sizes)
    found, counts = np.unique(cell, return_counts=True)
    doubled = found[counts > 1]
    if doubled.size:
        models, _, _, items = np.unravel_index(doubled, sizes)
        names = [labels["item"][i] for i in dict.fromkeys(items.tolist())]
        model = labels["model"][models[0]]
        hint = advice_on_doubles(cell, _unused_words(frame), Words(labels["model"], codes["model"]))
        if not {"run", "epoch"} & set(frame):
            hint += (
                " If they are several answers of one model, number them in a column 'epoch', or 'run' where a run answers all."
            )
        if TASK not in frame:
            hint += " If they are of several tasks, name these in a column 'task'."
        other = next((str(column) for column in frame.columns if column != "item" and str(column).casefold() in ITEM), None)
        advice = () if other is None else (f" If {other!r} names the items, pass ", Setting("item", repr(other)), ".")
        raise InvalidScoresError(
            f"{doubled.size} scores stand twice or more, such as that of {model!r} on item {names[0]!r}; items: "
            f"{quoted(names, 3)}.{hint}",
            *advice,
        )


def _unused_words(frame: pd.DataFrame) -> dict[str, Words]:
    """Columns that say nothing of the scores, as words: they explain scores that stand twice."""
    unused = [column for column in frame.columns if column not in ("item", "model", "run", "epoch", "score", "human", "weight")]
    factors = {str(column): frame[column].map(_text, na_action="ignore").factorize() for column in unused}
    return {name: Words(tuple(map(str, found)), codes) for name, (codes, found) in factors.items()}


def _of_item(frame: pd.DataFrame, groups: Any, name: str, codes: Any, items: Sequence[str]) -> FloatArray | None:
    """The one value of a column for each item."""
    if name not in frame:
        return None
    differs = groups[name].nunique() > 1
    if differs.any():
        raise InvalidScoresError(f"item {items[int(np.flatnonzero(differs)[0])]!r} has more than one {name}.")
    values = groups[name].first()
    if values.isna().any():
        which = [items[int(i)] for i in np.flatnonzero(values.isna())]
        raise InvalidScoresError(f"{len(which)} items have no {name}: {quoted(which, 3)}.")
    return np.asarray(values)


def _is_slice(column: pd.Series[Any], groups: Any) -> bool:
    """True for a column of texts or whole numbers that says the same of an item in all its rows."""
    if column.dtype.kind in "fc":
        return False
    try:
        return bool((groups.nunique() <= 1).all())
    except TypeError:  # lists and dicts
        return False
