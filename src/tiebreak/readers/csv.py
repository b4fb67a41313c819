"""Scores of splits, datasets, seeds, periods and counts in a text file with a row in each line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tiebreak.readers.columns import COLUMNS_ARE_MODELS, Header, ScoreTable, Wanted, read_header
from tiebreak.readers.score_tables import read_table
from tiebreak.readers.source import ReadOptions, Source, is_path, read_file
from tiebreak.readers.table import TEXT, is_text, read_text


def reads(source: Any) -> bool:
    """True for the path of a text file of rows."""
    return is_path(source, *TEXT)


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores in the file, however its text is encoded and its cells are separated."""
    return read_file(source, lambda path, name: read_table(_score_table(path, name), options))


def _score_table(path: Path, name: str) -> ScoreTable:
    headers: list[Header] = []

    def wanted(names: Sequence[str], first: Sequence[str]) -> dict[str, Wanted]:
        texts = {each for each, cell in zip(names, first, strict=False) if is_text(cell)}
        header = read_header(names, name, texts.__contains__)
        headers.append(header)
        free = frozenset(header.others if header.form == "metrics" else ())
        models = frozenset(header.others if header.form == "wide" else ())
        return {
            each: Wanted(kind, each in free, COLUMNS_ARE_MODELS if each in models else "") for each, kind in header.wanted.items()
        }

    table = read_text(path, name, wanted)
    return ScoreTable(name, table.n_rows, table.columns, table.where, headers[-1])
