"""Bradley-Terry: abilities of models from who beat whom, with ties as half wins or by Davidson's model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError
from tiebreak.frequentist.bradley_terry_fit import PairGraph, TieModel, fit_abilities
from tiebreak.numerics import FloatArray


@dataclass(frozen=True, slots=True)
class BradleyTerryResult:
    """Maximum-likelihood abilities; arrays of one shape.

    Attributes
    ----------
    log_ability : ndarray of shape (..., n_models)
        In log-odds: a model beats another with the probability 1 / (1 + exp(-difference)). They add up to 0 over the models that
        can be placed; a model that beat these, directly or through others, and never lost to them is at inf, one that only
        lost at -inf, and one that the results do not place at nan. All are nan where Davidson's model has no finite fit, as there
        are ties, and no circle of pairs has more wins than ties.
    tie_parameter : ndarray of shape (...)
        Davidson's nu: two equal models tie with the probability nu / (2 + nu). 0 with ties as half wins.
    n_steps : int
        Newton steps that were made.
    """

    log_ability: FloatArray
    tie_parameter: FloatArray
    n_steps: int


def bradley_terry_mle(wins: ArrayLike, *, ties: ArrayLike | None = None, tie_model: TieModel = "half") -> BradleyTerryResult:
    """Abilities that make the results most probable, by Newton's method until nothing moves; no penalty is added.

    A finite answer exists where every two groups of models have beaten each other [F57]_, that is within a strongly connected
    part of the graph of wins. The largest such part is fitted, by number of models, then of battles; all others lie infinitely
    far above or below it, or cannot be placed.

    Parameters
    ----------
    wins : array_like of shape (..., n_models, n_models)
        How often the model of the row beat that of the column; not negative, need not be whole.
    ties : array_like of shape (..., n_models, n_models), optional
        How often they tied, symmetric.
    tie_model : {"half", "davidson"}
        A tie is half a win for either, or an outcome of its own [D70]_.

    Returns
    -------
    BradleyTerryResult

    Raises
    ------
    TooFewModelsError
        Fewer than two models.
    InvalidScoresError
        Numbers that are negative or not finite, a model that meets itself, or models in groups that never met.

    References
    ----------
    .. [BT52] R. Bradley, M. Terry. Rank analysis of incomplete block designs. Biometrika 39, 1952.
    .. [F57] L. Ford. Solution of a ranking problem from binary comparisons. American Mathematical Monthly 64, 1957.
    .. [D70] R. Davidson. On extending the Bradley-Terry model to accommodate ties. JASA 65, 1970.

    Examples
    --------
    >>> result = bradley_terry_mle([[0, 7, 8], [3, 0, 6], [2, 4, 0]])
    >>> [round(float(x), 4) for x in result.log_ability]
    [0.7406, -0.1491, -0.5915]
    """
    won, tied = _check_tables(wins, ties)
    check_tie_model(tie_model)
    all_won, all_tied = (table.reshape(-1, *won.shape[-2:]) for table in (won, tied))
    met = (all_won + all_tied).sum(axis=0)
    groups = unconnected_groups(met)
    if len(groups) > 1:
        named = "; ".join(", ".join(map(str, group)) for group in groups)
        raise InvalidScoresError(
            f"the models are in {len(groups)} groups that never met, so their abilities cannot be compared: {named}. Fit each "
            "group by itself, or add battles between them."
        )
    first, second = np.nonzero(np.triu(met + met.T))
    outcomes = all_won[:, first, second], all_won[:, second, first], all_tied[:, first, second]
    ability, nu, steps = fit_abilities(PairGraph.of(won.shape[-1], first, second), outcomes, tie_model)
    return BradleyTerryResult(ability.reshape(won.shape[:-1]), nu.reshape(won.shape[:-2]), steps)


def unconnected_groups(met: FloatArray) -> list[list[int]]:
    """Groups of models with no battle between them, as numbers; one group is as it should be."""
    from scipy.sparse import csgraph

    n, label = csgraph.connected_components(met > 0, directed=False)
    return [np.flatnonzero(label == group).tolist() for group in range(n)]


def check_tie_model(tie_model: str) -> None:
    """One of the two ways to count a tie."""
    if tie_model not in get_args(TieModel):
        raise InvalidParameterError(f"ties are counted as 'half' wins or by 'davidson'; got {tie_model!r}.", about="ties")


def _check_tables(wins: ArrayLike, ties: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    won = np.asarray(wins, dtype=float)
    tied = np.zeros_like(won) if ties is None else np.asarray(ties, dtype=float)
    if won.ndim < 2 or won.shape[-1] != won.shape[-2] or tied.shape != won.shape:
        raise InvalidScoresError(
            f"wins and ties are square tables of the same shape, one row and column for each model; got the shapes {won.shape} "
            f"and {tied.shape}."
        )
    if won.shape[-1] < 2:
        raise TooFewModelsError(f"{won.shape[-1]} model(s), but at least 2 are needed to compare.")
    for name, table in (("wins", won), ("ties", tied)):
        if not np.all(np.isfinite(table)) or np.any(table < 0):
            raise InvalidScoresError(f"the numbers of {name} must be finite and not negative.")
        if np.any(np.diagonal(table, axis1=-2, axis2=-1)):
            raise InvalidScoresError(f"the table of {name} has a model that meets itself; its diagonal must be 0.")
    if not np.array_equal(tied, np.swapaxes(tied, -1, -2)):
        raise InvalidScoresError("the table of ties must be symmetric: both models of a tie have it.")
    return won, tied
