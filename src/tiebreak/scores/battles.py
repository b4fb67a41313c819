"""Battles: of two models each, one was preferred to the other, or neither."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tiebreak.numerics import FloatArray, IntArray

BattleUnit = Literal["battle", "cluster", "judge", "question"]


@dataclass(frozen=True, slots=True, eq=False)
class Battles:
    """Battles of two models each.

    Attributes
    ----------
    models : tuple of str
        In order of their names.
    model_a, model_b : ndarray of shape (n_battles,)
        Numbers of the models.
    outcome : ndarray of shape (n_battles,)
        1 where the first won, -1 where the second did, 0 for a tie.
    cluster : ndarray of shape (n_battles,) or None
        Number of the cluster of each battle, where the source names clusters, judges of several battles each, whose tastes are
        their own, or enough questions of which some stand in several battles: what is said of one question is alike.
    weight : ndarray of shape (n_battles,) or None
    question : ndarray of shape (n_battles,) or None
        Number of what was asked in each battle, where a column says it.
    question_column : str
        Name of that column.
    unit : {"battle", "cluster", "judge", "question"}
        Noun for what is independent.
    sources : tuple of str
        Names of the tables that were joined.
    judges : tuple of str
        Who judged, where each table has one judge and says which.
    position : bool
        False where `model_a` is not who stood first, as the table lists the winner first or counts wins.
    """

    models: tuple[str, ...]
    model_a: IntArray
    model_b: IntArray
    outcome: IntArray
    cluster: IntArray | None
    weight: FloatArray | None
    question: IntArray | None = None
    question_column: str = ""
    unit: BattleUnit = "battle"
    sources: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    position: bool = True

    @property
    def repeated(self) -> str:
        """Column of questions of which some stand in several battles that are taken for independent; "" where there is none."""
        if self.unit != "battle" or self.question is None or int(self.question.max()) + 1 == self.question.size:
            return ""
        return self.question_column

    def both_orders(self) -> tuple[int, int]:
        """Questions on which two models were judged in both orders, and how many of these had the same outcome in both."""
        if self.question is None:
            return 0, 0
        low, high = np.minimum(self.model_a, self.model_b), np.maximum(self.model_a, self.model_b)
        n = len(self.models)
        key = np.unique((self.question * n + low) * n + high, return_inverse=True)[1]
        sign = np.where(self.model_a < self.model_b, self.outcome, -self.outcome)
        orders = [self.model_a == low, self.model_a == high]
        counts = [np.bincount(key[order], minlength=key.max() + 1) for order in orders]
        sums = [np.sign(np.bincount(key[order], sign[order], minlength=key.max() + 1)) for order in orders]
        both = (counts[0] > 0) & (counts[1] > 0)
        return int(both.sum()), int((both & (sums[0] == sums[1])).sum())
