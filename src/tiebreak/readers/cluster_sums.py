"""Sums by cluster of item tables that are larger than memory: Parquet read in batches, so that only the sums are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

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
from tiebreak.printable import printable, without_password
from tiebreak.scores.scores import look_up, nearest_file, quoted


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
    path: str | os.PathLike[str], *, cluster: str = "cluster", models: Sequence[str] | None = None, batch_size: int = 100_000
) -> ItemSums:
    """Read sums by cluster from a wide Parquet file: a row for each item, in any order, and a column for each model.

    Ten models on ten million items take about a second and no more memory than a batch; all that the cluster-robust interval of
    any mean or paired difference needs is kept.

    Parameters
    ----------
    path : path of a Parquet file
    cluster : str, default "cluster"
        Column of whole numbers or texts that says which items go together.
    models : sequence of str, optional
        Columns of scores; all numeric ones but `cluster` unless given.
    batch_size : int, default 500,000
        Rows read at a time.

    Returns
    -------
    ItemSums

    Raises
    ------
    InvalidScoresError
        Missing scores: which pair lacks which items cannot be said from sums. Use `read_items` for such tables.
    UnreadableSourceError
        No Parquet file, or one without these columns.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingDependencyError("Parquet files are read with pyarrow: pip install 'tiebreak[parquet]'.") from None
    place, name = Path(path), printable(os.fspath(path))
    if not place.is_file():
        raise SourceNotFoundError(f"there is no file {without_password(name)!r} (looked in {Path.cwd()}).{nearest_file(place)}")
    try:
        file = parquet.ParquetFile(place)
    except (pa.ArrowException, ValueError) as error:
        raise UnreadableSourceError(f"{name} cannot be read as Parquet: {error}.") from None
    schema = file.schema_arrow
    columns = list(schema.names)
    if cluster not in columns:
        raise UnreadableSourceError(f"{name} has no column {cluster!r}; its columns are {quoted(columns)}.")
    numeric = [each.name for each in schema if _is_numeric(pa, each.type) and each.name != cluster]
    chosen = tuple(numeric if models is None else [columns[look_up(model, columns, "column")] for model in models])
    if not chosen or set(chosen) - set(numeric):
        wrong = quoted(sorted(set(chosen) - set(numeric)))
        raise UnreadableSourceError(f"{name} needs columns of numbers, one for each model; not numeric: {wrong}.")
    codes = _Codes()
    totals, counts = np.zeros((len(chosen), 0)), np.zeros(0)
    for batch in _ahead(file.iter_batches(batch_size, columns=[cluster, *chosen])):
        code = codes.of(batch.column(0), name, cluster)
        size = max(int(code.max(initial=-1)) + 1, counts.size)
        if size > counts.size:
            more = max(size, 2 * counts.size) - counts.size
            counts, totals = np.pad(counts, (0, more)), np.pad(totals, ((0, 0), (0, more)))
        counts += np.bincount(code, minlength=counts.size)
        for row, column in enumerate(batch.columns[1:]):
            totals[row] += np.bincount(code, weights=_scores(column, name, chosen[row]), minlength=counts.size)
    there = counts > 0
    return ItemSums(chosen, ClusterSums(np.ascontiguousarray(totals[:, there]), counts[there], counts[there], int(counts.sum())))


def _ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """The same batches, of which the next is decoded in a thread while one is summed."""
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = thread.submit(next, batches, None)
            yield batch


def _is_numeric(pa: Any, kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _scores(column: Any, name: str, model: str) -> FloatArray:
    values = np.asarray(column.to_numpy(zero_copy_only=False))
    if column.null_count or (values.dtype.kind == "f" and not np.isfinite(values).all()):
        raise InvalidScoresError(
            f"{name} lacks scores of {model!r}, or has infinite ones. Sums cannot say which items a pair shares: leave out items "
            "that some model lacks, or read the table with tb.read_items."
        )
    return values


class _Codes:
    """Numbers of the clusters: small whole numbers stand for themselves, anything else is counted as it is met."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def of(self, column: Any, name: str, title: str) -> IntArray:
        """Number of each row's cluster."""
        if column.null_count:
            raise InvalidScoresError(
                f"{name} has {column.null_count} rows or more without a {title!r}; give each item a cluster."
            )
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
