"""Sums by cluster of item tables that are larger than memory: only the sums are kept.

Wide Parquet files are read in batches with pyarrow. Long tables, and CSV, go through DuckDB, which writes to disk what it cannot
hold: their rows have to be brought together by item, to see that none is missing or there twice.
"""

# Statements are put together from names of this module's own, c0 for the first column and the like; texts of others are values.
# ruff: noqa: S608

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tiebreak.errors import (
    InvalidParameterError,
    InvalidScoresError,
    MissingDependencyError,
    SourceNotFoundError,
    UnreadableSourceError,
)
from tiebreak.frequentist.clusters import ClusteredMeanResult, ClusterSums, mean_of_clusters
from tiebreak.numerics import FloatArray, IntArray
from tiebreak.printable import fault_of_name, printable, without_password
from tiebreak.readers.item_tables import (
    EPOCH,
    ITEM,
    MODEL,
    RUN,
    WEIGHT,
    find,
    looks_numeric,
    read_table_file,
    score_column,
)
from tiebreak.scores.vocabulary import look_up, nearest_file, quoted

if TYPE_CHECKING:
    import pandas as pd


class ItemSums(NamedTuple):
    """Sums of the scores of several models over the items of each cluster.

    Attributes
    ----------
    models : tuple of str
    sums : ClusterSums
        Its totals have the shape (n_models, n_clusters).
    """

    models: tuple[str, ...]
    sums: ClusterSums

    def means(self) -> ClusteredMeanResult:
        """Mean of each model, with its cluster-robust error."""
        return mean_of_clusters(self.sums)

    def differences(self, first: Sequence[str], second: Sequence[str]) -> ClusteredMeanResult:
        """Paired differences between models, by name; positive where the first has the higher mean.

        Parameters
        ----------
        first, second : sequence of str
            Of each pair.
        """
        i, j = (np.array([look_up(name, self.models, "model") for name in names], dtype=np.int64) for names in (first, second))
        if i.shape != j.shape:
            raise InvalidParameterError(
                f"first names {i.size} models and second {j.size}; a pair has one of each.", about="second"
            )
        totals = self.sums.totals
        step = max(1, AT_ONCE // max(totals.shape[1], 1))
        blocks = [slice(start, start + step) for start in range(0, max(i.size, 1), step)]
        results = [mean_of_clusters(self.sums._replace(totals=totals[i[rows]] - totals[j[rows]])) for rows in blocks]
        names = ("estimate", "standard_error", "df", "n_examples", "n_clusters", "kind")
        columns = [np.concatenate([getattr(result, name) for result in results]) for name in names]
        return ClusteredMeanResult("cr2", *columns)


AT_ONCE = 1_000_000
"""Differences of cluster sums that are held at a time."""


def read_item_sums(
    path: str | os.PathLike[str],
    *,
    cluster: str = "cluster",
    models: Sequence[str] | None = None,
    item: str | None = None,
    metric: str | None = None,
    batch_size: int = 100_000,
    memory_limit: str = "1 GB",
) -> ItemSums:
    """Read sums by cluster from a table of items of any length: wide or long, CSV or Parquet, its rows in any order.

    All that the cluster-robust interval of any mean or paired difference needs is kept, so that memory grows with the number of
    clusters, not of rows. Wide Parquet files (a row for each item, a column for each model) are read in batches: ten models on
    ten million items take about a second. Long tables (columns item, model and score) and CSV are summed by DuckDB (``pip
    install 'duckdb>=1.5'``), which writes what goes beyond `memory_limit` to the folder for temporary files.

    Parameters
    ----------
    path : path of a file
        CSV and TSV by their endings, Parquet by any other.
    cluster : str, default "cluster"
        Column of whole numbers or texts that says which items go together; that of the items where each stands by itself.
    models : sequence of str, optional
        Models to keep, in this order. Unless given, all: the numeric columns of a wide table that are not `cluster` and not
        called as items, runs or weights are, or the models of a long table by their names.
    item : str, optional
        Column that names the items, where it is not called item, example, question, doc_id or the like.
    metric : str, optional
        Column of the scores of a long table, where it is not called score, correct or the like.
    batch_size : int, default 100,000
        Rows of a wide Parquet file that are read at a time.
    memory_limit : str, default "1 GB"
        Memory that DuckDB may take, such as "500 MB"; a long table in which items are many and names long is quicker with more.

    Returns
    -------
    ItemSums

    Raises
    ------
    InvalidScoresError
        Scores that are missing, infinite or no numbers, since which pair lacks which items cannot be said from sums; items that
        stand twice (not looked for in wide Parquet files) or in two clusters; several runs, or weights. Use `read_items` for
        tables of the last three kinds.
    UnreadableSourceError
        No such table, or one without these columns.
    MissingDependencyError
        DuckDB, or pyarrow for Parquet, is not installed.
    """
    place, name = Path(path), printable(os.fspath(path))
    if not place.is_file():
        raise SourceNotFoundError(f"there is no file {without_password(name)!r} (looked in {Path.cwd()}).{nearest_file(place)}")
    is_text = _is_text(place)
    file = None if is_text else _open_parquet(place, name)
    head = read_table_file(place, name, item, _LOOKED_AT) if file is None else _without_rows(file)
    columns = [str(column) for column in head.columns]
    head = head.set_axis(columns, axis=1)
    if len(set(columns)) < len(columns):
        doubled = sorted({each for each in columns if columns.count(each) > 1})
        raise UnreadableSourceError(f"{name} has two columns called {quoted(doubled)}. Give each a name of its own.")
    if cluster not in columns:
        raise UnreadableSourceError(
            f"{name} has no column {cluster!r}; its columns are {quoted(columns)}. Say with cluster='COLUMN' which items go "
            "together, or name the column of the items if each stands by itself."
        )
    found = _Columns(
        find(head, ITEM) if item is None else columns[look_up(item, columns, "column")],
        find(head, MODEL),
        cluster,
        tuple(each for each in (find(head, RUN), find(head, EPOCH), find(head, WEIGHT)) if each is not None),
    )
    rest = [each for each in columns if each not in (found.item, found.model, cluster, *found.others)]
    if found.model is not None:
        score = score_column(head, rest, metric, name)
        with _database(place, name, len(columns), memory_limit) as database:
            return _sums_of_long(database, name, _Terms(head, is_text), found, score, models)
    numeric = [each for each in rest if head[each].dtype.kind in "iufb" or (is_text and looks_numeric(head[each]))]
    if models is not None:
        chosen = tuple(columns[look_up(model, columns, "column")] for model in models)
        numeric = [each for each in columns if head[each].dtype.kind in "iufb" or each in numeric]
    else:
        chosen = tuple(each for each in numeric if each not in _OF_SPLITS)
    if not chosen or set(chosen) - set(numeric):
        wrong = quoted(sorted(set(chosen) - set(numeric)))
        raise UnreadableSourceError(f"{name} needs columns of numbers, one for each model; not numeric: {wrong}.")
    found = found._replace(others=tuple(each for each in found.others if each not in chosen))
    if file is not None:
        return _sums_of_batches(file, name, found, chosen, batch_size)
    with _database(place, name, len(columns), memory_limit) as database:
        return _sums_of_wide(database, name, _Terms(head, is_text), found, chosen)


_LOOKED_AT = 10_000
"""First rows of a CSV file that tell which columns are numbers."""

_OF_SPLITS = ("n_train", "n_test")
"""Columns that `read_items` takes for no model either."""


class _Columns(NamedTuple):
    """Names of the columns of a table that are no scores."""

    item: str | None
    model: str | None
    cluster: str
    others: tuple[str, ...]
    """Those of runs and weights, which hold one value throughout, as sums count each row once."""


# --- wide Parquet, in batches -----------------------------------------------------------------------------------------------


def _open_parquet(path: Path, name: str) -> Any:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError("Parquet files are read with pyarrow: pip install 'pyarrow>=17'.") from None
    try:
        return parquet.ParquetFile(path)
    except (pa.ArrowException, ValueError) as error:
        raise UnreadableSourceError(f"{name} cannot be read as Parquet: {error}.") from None


def _without_rows(file: Any) -> pd.DataFrame:
    """Columns of the file, what pandas wrote as an index among them."""
    table: pd.DataFrame = file.schema_arrow.empty_table().to_pandas(ignore_metadata=True)
    return table


def _sums_of_batches(file: Any, name: str, found: _Columns, models: tuple[str, ...], batch_size: int) -> ItemSums:
    codes = _Codes()
    totals, counts = np.zeros((len(models), 0)), np.zeros(0)
    constant: dict[str, set[Any]] = {each: set() for each in found.others}
    for batch in _ahead(file.iter_batches(batch_size, columns=[found.cluster, *models, *found.others])):
        code = codes.of(batch[found.cluster], name, found.cluster)
        size = max(int(code.max(initial=-1)) + 1, counts.size)
        if size > counts.size:
            more = max(size, 2 * counts.size) - counts.size
            counts, totals = np.pad(counts, (0, more)), np.pad(totals, ((0, 0), (0, more)))
        counts += np.bincount(code, minlength=counts.size)
        for row, model in enumerate(models):
            totals[row] += np.bincount(code, weights=_scores(batch[model], name, model), minlength=counts.size)
        for each, values in constant.items():
            values.update(batch[each].unique().to_pylist())
            _check_constant(name, each, len(values) < 2)
    there = counts > 0
    return _item_sums(models, np.ascontiguousarray(totals[:, there]), counts[there])


def _item_sums(models: tuple[str, ...], totals: FloatArray, counts: FloatArray) -> ItemSums:
    return ItemSums(models, ClusterSums(totals, counts, counts, int(counts.sum())))


def _check_constant(name: str, column: str, is_constant: bool) -> None:
    if not is_constant:
        raise InvalidScoresError(
            f"{name} has different values in its column {column!r}, and sums count each row once, of one run. Take out the "
            "column and the rows of other runs, or read the table with tb.read_items, which knows runs and weights."
        )


def _ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """The same batches, of which the next is decoded in a thread while one is summed."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = thread.submit(next, batches, None)
            yield batch


def _scores(column: Any, name: str, model: str) -> FloatArray:
    values = np.asarray(column.to_numpy(zero_copy_only=False))
    if column.null_count or (values.dtype.kind == "f" and not np.isfinite(values).all()):
        raise _gaps(name, model)
    return values


def _gaps(name: str, model: str) -> InvalidScoresError:
    return InvalidScoresError(f"{name} lacks scores of {model!r}, or has infinite ones. {_LEAVE_OUT}")


_LEAVE_OUT = (
    "Sums cannot say which items a pair shares: leave out items that some model lacks, or read the table with tb.read_items."
)


def _no_cluster(name: str, number: int, title: str) -> InvalidScoresError:
    return InvalidScoresError(f"{name} has {number} rows or more without a {title!r}; give each item a cluster.")


class _Codes:
    """Numbers of the clusters: small whole numbers stand for themselves, anything else is counted as it is met."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def of(self, column: Any, name: str, title: str) -> IntArray:
        """Number of each row's cluster."""
        if column.null_count:
            raise _no_cluster(name, column.null_count, title)
        if not self._known:
            values = np.asarray(column.to_numpy(zero_copy_only=False))
            if values.dtype.kind in "iu":
                if values.size and (values.min() < 0 or values.max() >= _LARGEST):
                    raise InvalidScoresError(
                        f"the numbers in {title!r} of {name} are not between 0 and {_LARGEST:,}. Number the clusters, or "
                        "write them as texts."
                    )
                return values.astype(np.int64)
        encoded = column.dictionary_encode()
        names = encoded.dictionary.to_pylist()
        local = np.array([self._known.setdefault(each, len(self._known)) for each in names], dtype=np.int64)
        return np.asarray(local[encoded.indices.to_numpy(zero_copy_only=False)])


_LARGEST = 50_000_000
"""Number of a cluster up to which there is an array with a place for each."""


# --- long tables and CSV, through DuckDB ------------------------------------------------------------------------------------


@contextmanager
def _database(path: Path, name: str, n_columns: int, memory_limit: str) -> Iterator[Any]:
    """Connection to a database in memory that can read this file and no other.

    The table is called source and its columns c0, c1 and so on, so that no name of a column is ever part of a statement.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingDependencyError(
            f"{name} is a long table or CSV, the sums of which are made with DuckDB: pip install 'duckdb>=1.5'."
        ) from None
    place = str(path.resolve())
    if set(place) & set("*?["):
        raise UnreadableSourceError(f"DuckDB reads '*', '?' and '[' in {name} as a pattern. Rename the file, or its folder.")
    quoted_place = "'" + place.replace("'", "''") + "'"
    with TemporaryDirectory(prefix="tiebreak-") as folder:
        settings: Any = {
            "threads": min(_THREADS, os.cpu_count() or 1),
            "temp_directory": folder,
            "preserve_insertion_order": False,
        }
        settings |= {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
        try:
            connection = duckdb.connect(":memory:", config=settings | {"memory_limit": memory_limit})
        except (duckdb.Error, TypeError) as error:
            raise InvalidParameterError(
                f"memory_limit must be a size such as '500 MB' or '2 GB'; got {memory_limit!r:.60} ({_said(error)}).",
                about="memory_limit",
            ) from None
        try:
            connection.execute(f"SET allowed_paths = [{quoted_place}]")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET enable_progress_bar = false")
            connection.execute("SET lock_configuration = true")
            aliases = [f"c{i}" for i in range(n_columns)]
            reader = _csv_reader(path, quoted_place, aliases) if _is_text(path) else f"read_parquet({quoted_place})"
            connection.execute(f"CREATE TEMP VIEW source AS SELECT * FROM {reader} AS t({', '.join(aliases)})")
            yield connection
        except duckdb.OutOfMemoryException as error:
            raise UnreadableSourceError(
                f"the sums of {name} need more than memory_limit={memory_limit!r}, or more room in the folder for temporary "
                f"files ({_said(error)}). Give more."
            ) from None
        except duckdb.Error as error:
            raise UnreadableSourceError(f"{name} cannot be read: {_said(error)}.") from None
        finally:
            connection.close()


_THREADS = 4
"""Most threads of DuckDB: each of them has buffers of its own."""


def _is_text(path: Path) -> bool:
    return path.suffix.lower() in (".csv", ".tsv")


def _csv_reader(path: Path, quoted_place: str, aliases: Sequence[str]) -> str:
    """Call that reads all cells as texts, as DuckDB's guesses come from the beginning of a file."""
    separator = "\t" if path.suffix.lower() == ".tsv" else ","
    types = ", ".join(f"'{each}': 'VARCHAR'" for each in aliases)
    return (
        f"read_csv({quoted_place}, auto_detect = false, header = true, delim = '{separator}', quote = '\"', escape = '\"', "
        f"columns = {{{types}}})"
    )


def _said(error: Exception) -> str:
    """First part of an error of DuckDB, without its advice on options of its own."""
    return printable(" ".join(str(error).split("Possible ")[0].split()))[:300].rstrip(". ")


class _Terms:
    """Columns of the table as terms of SQL, by the rules of `read_items`."""

    def __init__(self, head: pd.DataFrame, is_text: bool) -> None:
        self._place = {str(column): place for place, column in enumerate(head.columns)}
        self._numeric = set() if is_text else {str(column) for column in head.columns if head[column].dtype.kind in "iufb"}

    def text(self, column: str | None) -> str:
        """Its texts without blanks around them; NULL for an empty one, and for no column."""
        return "NULL" if column is None else f"nullif(trim(CAST(c{self._place[column]} AS VARCHAR)), '')"

    def number(self, column: str) -> str:
        """Its numbers; NULL where there is none, or no finite one."""
        if column in self._numeric:
            value = f"CAST(c{self._place[column]} AS DOUBLE)"
        else:
            text = f"lower({self.text(column)})"
            value = (
                f"CASE WHEN {text} IN ('true', 'yes', 'correct') THEN 1.0 WHEN {text} IN ('false', 'no', 'incorrect') THEN 0.0 "
                f"WHEN NOT contains({text}, '_') THEN TRY_CAST({text} AS DOUBLE) END"  # it would read 1_000
            )
        return f"CASE WHEN isfinite({value}) THEN {value} END"

    def strange(self, column: str) -> str:
        """Its texts that are neither numbers nor words for a missing one."""
        if column in self._numeric:
            return "NULL"
        text = self.text(column)
        known = "('true', 'yes', 'correct', 'false', 'no', 'incorrect', 'nan', 'na', 'n/a', 'null', 'none')"
        is_number = f"(TRY_CAST({text} AS DOUBLE) IS NOT NULL AND NOT contains({text}, '_'))"
        return f"CASE WHEN NOT {is_number} AND lower({text}) NOT IN {known} THEN {text} END"


def _sums_of_long(database: Any, name: str, terms: _Terms, found: _Columns, score: str, models: Sequence[str] | None) -> ItemSums:
    """Sums of a table with a row for each item and model."""
    if found.item is None:
        raise UnreadableSourceError(f"{name} has no column that names the items, such as 'item'. Say which with item='COLUMN'.")
    database.execute(
        f"""CREATE TEMP VIEW cells AS SELECT {terms.text(found.item)} AS item, {terms.text(found.model)} AS model,
            {terms.text(found.cluster)} AS cluster, {terms.number(score)} AS value, {terms.strange(score)} AS strange
            FROM source"""
    )
    database.execute(
        """CREATE TEMP TABLE sums AS SELECT model, cluster, count(*) AS n, count(item) AS named, count(value) AS present,
           fsum(value) AS total, min(strange) AS strange FROM cells GROUP BY model, cluster"""
    )
    by_model = database.execute(
        """SELECT model, sum(n), sum(n - named), sum(n - present), min(strange), sum(n) FILTER (WHERE cluster IS NULL)
           FROM sums GROUP BY model ORDER BY model"""
    ).fetchall()
    names = [row[0] for row in by_model if row[0] is not None]
    for row in by_model:
        if row[0] is None:
            raise UnreadableSourceError(f"{name} has {row[1]} rows without a model.")
        if fault := fault_of_name(row[0]):
            raise UnreadableSourceError(f"the name {row[0]!r} of a model {fault}")
    chosen = tuple(names if models is None else [names[look_up(model, names, "model")] for model in models])
    for model, _, n_unnamed, n_missing, strange, n_alone in by_model:
        if model in chosen:
            _check_rows(name, found, n_unnamed, n_alone)
            _check_column(name, score, model, n_missing, strange)
    _check_others(database, name, terms, found)
    _check_items(database, name, chosen)
    # each model has each item once, and each item one cluster: so many rows for each cluster
    rows = database.execute(
        """SELECT total, n FROM sums WHERE list_contains($models, model) ORDER BY cluster, list_position($models, model)""",
        {"models": list(chosen)},
    ).fetchnumpy()
    totals, counts = (np.asarray(rows[each], dtype=float).reshape(-1, len(chosen)).T for each in ("total", "n"))
    return _item_sums(chosen, np.ascontiguousarray(totals), counts[0].copy())


def _sums_of_wide(database: Any, name: str, terms: _Terms, found: _Columns, models: tuple[str, ...]) -> ItemSums:
    """Sums of a table with a row for each item and a column for each model."""
    values = "".join(f", {terms.number(each)} AS v{i}, {terms.strange(each)} AS s{i}" for i, each in enumerate(models))
    sums = "".join(f", fsum(v{i}) AS v{i}, count(v{i}) AS p{i}, min(s{i}) AS s{i}" for i in range(len(models)))
    database.execute(
        f"""CREATE TEMP TABLE sums AS SELECT cluster, count(*) AS n, count(item) AS named{sums} FROM (
                SELECT {terms.text(found.item)} AS item, {terms.text(found.cluster)} AS cluster{values} FROM source)
            GROUP BY cluster"""
    )
    gaps = "".join(f", sum(n - p{i}), min(s{i})" for i in range(len(models)))
    n_unnamed, n_alone, *by_model = database.execute(
        f"SELECT sum(n - named), sum(n) FILTER (WHERE cluster IS NULL){gaps} FROM sums"
    ).fetchone()
    if n_unnamed is None:
        raise UnreadableSourceError(f"{name} has no rows.")
    _check_rows(name, found, n_unnamed if found.item is not None else 0, n_alone)
    for model, n_missing, strange in zip(models, by_model[::2], by_model[1::2], strict=True):
        _check_column(name, model, model, n_missing, strange)
    _check_others(database, name, terms, found)
    if found.item is not None:
        n_doubled, example = database.execute(
            f"""SELECT count(*), min(item) FROM (
                    SELECT {terms.text(found.item)} AS item FROM source GROUP BY 1 HAVING count(*) > 1)"""
        ).fetchone()
        _check_doubles(name, n_doubled, example)
    rows = database.execute("SELECT * EXCLUDE (cluster) FROM sums ORDER BY cluster").fetchnumpy()
    totals = np.stack([np.asarray(rows[f"v{i}"], dtype=float) for i in range(len(models))])
    return _item_sums(models, totals, np.asarray(rows["n"], dtype=float))


# --- their checks, as those of tables in memory -------------------------------------------------------------------------------


def _check_rows(name: str, found: _Columns, n_unnamed: int, n_alone: int | None) -> None:
    if n_unnamed:
        raise UnreadableSourceError(f"{name} has {n_unnamed} rows or more without a name in its column {found.item!r}.")
    if n_alone:
        raise _no_cluster(name, n_alone, found.cluster)


def _check_column(name: str, column: str, model: str, n_missing: int, strange: str | None) -> None:
    if strange is not None:
        hint = "Write per cent as shares, 0.85 for 85%." if strange.endswith("%") else "Scores are numbers, or true and false."
        raise InvalidScoresError(f"{name}, column {printable(column)!r}: {printable(strange)!r} is no score. {hint}")
    if n_missing:
        raise _gaps(name, model)


def _check_others(database: Any, name: str, terms: _Terms, found: _Columns) -> None:
    for each in found.others:
        low, high = database.execute(f"SELECT min({terms.text(each)}), max({terms.text(each)}) FROM source").fetchone()
        _check_constant(name, each, low == high)


def _check_doubles(name: str, number: int, example: str | None) -> None:
    if number:
        raise InvalidScoresError(
            f"{name}: the scores of {number} items stand twice or more, such as those of item {printable(str(example))!r}."
        )


def _check_items(database: Any, name: str, models: tuple[str, ...]) -> None:
    """Refuse long tables that have not exactly one row for each item and model, or several clusters for an item."""
    n, n_doubled, doubled, n_lacking, lacking, several = database.execute(
        """SELECT count(*), count(*) FILTER (WHERE times > 1), min(item) FILTER (WHERE times > 1),
           count(*) FILTER (WHERE n_models < len($models)), min(item) FILTER (WHERE n_models < len($models)),
           min(item) FILTER (WHERE low <> high) FROM (
               SELECT item, max(times) AS times, count(*) AS n_models, min(low) AS low, max(high) AS high FROM (
                   SELECT item, model, count(*) AS times, min(hash(cluster)) AS low, max(hash(cluster)) AS high
                   FROM cells WHERE list_contains($models, model) GROUP BY item, model) GROUP BY item)""",
        {"models": list(models)},
    ).fetchone()
    _check_doubles(name, n_doubled, doubled)
    if n_lacking:
        raise InvalidScoresError(
            f"{name} lacks the scores of some model on {n_lacking} of the {n} items, such as {printable(lacking)!r}. {_LEAVE_OUT}"
        )
    if several is not None:
        raise InvalidScoresError(f"{name}: item {printable(several)!r} is in more than one cluster.")
