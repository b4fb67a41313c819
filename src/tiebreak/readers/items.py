"""Items of logs, for the time being by the functions that are there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tiebreak.readers import item_tables
from tiebreak.readers.item_tables import LongTable
from tiebreak.readers.logs import Log, log_of
from tiebreak.scores.items import Items

if TYPE_CHECKING:
    from tiebreak.readers.folder import FoundFile


def items_of(parts: Sequence[Log], metric: str | None, lower_is_better: bool | None, cluster: str | None) -> Items:
    """Items of logs, joined."""
    tables = [_table_of(each) for each in parts]
    return item_tables.items_of_tables(tables, [""] * len(tables), metric, lower_is_better, cluster)


def with_main_metric(runs: Sequence[tuple[FoundFile, Log]], metric: str | None) -> list[tuple[FoundFile, Log]]:
    """Logs of their main metrics by the one that is asked for; of a task that does not hold it they stay as they are."""
    if metric is None:
        return list(runs)
    tables = item_tables.with_main_metric([partial(_long_of, file) for file, _ in runs], metric)
    return [(file, log_of(table)) for (file, _), table in zip(runs, tables, strict=True)]


def _long_of(file: FoundFile, metric: str | None) -> LongTable:
    return item_tables.long_of_file(file.path, file.name, metric)


def _table_of(log: Log) -> LongTable:
    import pandas as pd

    return LongTable(pd.DataFrame(log.columns), *log[1:])
