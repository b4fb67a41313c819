"""A file of what a model predicted on one resample of a dataset, as aeon and tsml write it: read as the score it has there."""

import math
import re
from contextlib import suppress
from pathlib import Path

from tiebreak.readers.files import content_of, refuse, text_of

RESAMPLE = rb"(?i)\A[^,\r\n]+,[^,\r\n]+,(test|train),\d+,"
"""How such a file begins: the dataset, the model, the part of the data, the number of the resample."""


def is_resample(path: Path) -> bool:
    """True for such a file, by its beginning."""
    with suppress(OSError), path.open("rb") as file:
        return bool(re.match(RESAMPLE, file.read(1000)))
    return False  # what cannot be opened its reader says


def score_of_resample(path: Path, name: str) -> dict[str, str | float]:
    """The row of a table that says how well the model predicts: its accuracy, or mean squared error.

    Raises
    ------
    DataError
        The file is of training data or is cut off, or its predictions are no classes of the truth.
    """
    lines = text_of(content_of(path, name), name).splitlines()
    dataset, model, part, resample = lines[0].split(",")[:4]
    if part.casefold() == "train":
        raise refuse(name, "it is of the data that the model was trained on.", "Pass the files called testResample.")
    rows = [line.split(",") for line in lines[3:] if line.strip()]
    try:
        said = float(lines[2].partition(",")[0])
        if len(rows[0]) > 3:  # with a probability of each class
            metric, score = "accuracy", sum(row[0] == row[1] for row in rows) / len(rows)
        else:
            metric, score = "mean_squared_error", sum((float(row[0]) - float(row[1])) ** 2 for row in rows) / len(rows)
    except (IndexError, ValueError):
        raise refuse(name, "it is not as aeon and tsml write a result.", "Was it cut off, or written by hand?") from None
    if metric == "accuracy" and not math.isclose(said, score, abs_tol=1e-4):
        raise refuse(
            name,
            f"its third line says {said:g}, and {score:g} of its predictions are the truth, so they may be clusters.",
            "Put the scores of all models into one table, with a column of datasets.",
        )
    return {"model": model, "dataset": dataset, "resample": resample, metric: score}
