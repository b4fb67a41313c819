"""Small tables and what to ask of them."""

from typing import Any

import numpy as np
import pandas as pd

from tiebreak.api import read_scores
from tiebreak.scores.scores import Scores

WIDE = "repeat,fold,svm,forest\n0,0,0.91,0.88\n0,1,0.85,0.9\n1,0,0.8,0.82\n1,1,0.95,0.7\n"
LONG = (
    "model,repeat,fold,score\nsvm,0,0,0.91\nsvm,0,1,0.85\nsvm,1,0,0.8\nsvm,1,1,0.95\n"
    "forest,0,0,0.88\nforest,0,1,0.9\nforest,1,0,0.82\nforest,1,1,0.7\n"
)
SCORE = np.array([[0.91, 0.85, 0.8, 0.95], [0.88, 0.9, 0.82, 0.7]])
WIDE_FRAME = pd.DataFrame({"repeat": [0, 0, 1, 1], "fold": [0, 1, 0, 1], "svm": SCORE[0], "forest": SCORE[1]})
LONG_FRAME = WIDE_FRAME.melt(id_vars=["repeat", "fold"], var_name="model", value_name="score")


def read(*sources: Any, **settings: Any) -> Scores:
    """Read with accuracy as the metric of what has none."""
    return read_scores(*sources, **{"metric": "accuracy", **settings})


def codes(scores: Scores) -> list[str]:
    """Codes of its notices."""
    return [notice.code for notice in scores.notices]
