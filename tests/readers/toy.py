"""Reader of scores written as "model: score score ...", which is what a new reader consists of: two functions."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from tiebreak.readers.metric import table_metric
from tiebreak.readers.source import ReadOptions, Source, source_of
from tiebreak.scores.scores import ScoreMatrix, SplitDesign


def reads(source: Any) -> bool:
    """True for an open text file."""
    return isinstance(source, io.TextIOBase)


def read(source: Any, name: str, options: ReadOptions) -> Source:
    """Scores of an open text file with a line for each model."""
    lines = dict(line.split(":") for line in source)
    score = np.array([[float(word) for word in words.split()] for words in lines.values()])
    zeros, fold = np.zeros(score.shape[1], dtype=np.int64), np.arange(score.shape[1])
    matrix = ScoreMatrix("", tuple(lines), zeros, fold, zeros, zeros, score)
    return source_of([matrix], table_metric(None, options, name), SplitDesign(), options, name)
