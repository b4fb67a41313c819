"""Outside results in: searches, `cross_validate`, tables and files become `Scores`."""

from tiebreak.readers.read import read_scores

__all__ = ["read_scores"]
