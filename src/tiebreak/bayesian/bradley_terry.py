"""Bayesian Bradley-Terry model of who wins on a further dataset, with a local region of practical equivalence on each dataset."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from tiebreak.errors import InvalidParameterError, InvalidScoresError, TooFewModelsError
from tiebreak.numerics import FloatArray, check_count

Ties = Literal["spread", "half", "add", "forget"]
AbilityPrior = Literal["lognormal", "half-normal", "half-cauchy"]


class WinCounts(NamedTuple):
    """Tables of shape (n_models, n_models): datasets on which the model of the row wins, and those on which the two tie."""

    wins: FloatArray
    ties: FloatArray


@dataclass(frozen=True, slots=True)
class BradleyTerryPosterior:
    """Posterior of abilities, as weighted draws.

    Attributes
    ----------
    draws : ndarray of shape (n_draws, n_models)
        Log-abilities: a model beats another with the probability 1 / (1 + exp(-difference)).
    weights : ndarray of shape (n_draws,)
        They add up to 1.
    """

    draws: FloatArray
    weights: FloatArray

    @property
    def effective_draws(self) -> float:
        """Number of equally weighted draws that are worth as much; a probability p has the error sqrt(p (1 - p) / this)."""
        return float(1.0 / np.sum(np.square(self.weights)))

    @property
    def log_ability(self) -> FloatArray:
        """Posterior means, less their mean; shape (n_models,)."""
        mean = self.weights @ self.draws
        return np.asarray(mean - mean.mean())

    def mean_win_probability(self) -> FloatArray:
        """Posterior mean of the probability that the model of the row beats that of the column; nan on the diagonal."""
        from scipy.special import expit

        return self._over_pairs(expit)

    def probability_better(self) -> FloatArray:
        """Probability that the model of the row is the better one: that it beats the other more than half of the time."""
        return self._over_pairs(lambda d: (d > 0).astype(float))

    def probability_equivalent(self, rope: tuple[float, float] = (0.45, 0.55)) -> FloatArray:
        """Probability that the chance to win lies in the closed region of practical equivalence.

        Parameters
        ----------
        rope : tuple of float
            Two chances to win, symmetric about 1/2, such as 0.45 and 0.55.
        """
        low, high = rope
        if not 0 < low <= 0.5 <= high < 1 or abs(low + high - 1) > 1e-9:
            raise InvalidParameterError(
                f"rope must be two chances to win, p and 1 - p with p <= 1/2, such as (0.45, 0.55); got {rope!r}.",
                about="rope",
            )
        half_width = float(np.log(high / (1 - high)))
        return self._over_pairs(lambda d: (np.abs(d) <= half_width).astype(float))

    def _over_pairs(self, value: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Weighted mean of a function of every pair's difference."""
        n = self.draws.shape[1]
        answer = np.full((n, n), np.nan)
        for i in range(n):
            others = np.delete(np.arange(n), i)
            answer[i, others] = self.weights @ value(self.draws[:, [i]] - self.draws[:, others])
        return answer


def wins_with_local_rope(scores: ArrayLike, *, local_rope: float = 0.4, paired: bool = True) -> WinCounts:
    """Datasets won, and tied where the difference is small beside its own spread over the splits.

    Parameters
    ----------
    scores : array_like of shape (n_datasets, n_splits, n_models)
        Higher is better; finite.
    local_rope : float
        Two models tie on a dataset when the mean difference is at most this many standard deviations (divisor n - 1) [W23]_;
        0 is a tie of equal means only.
    paired : bool
        The standard deviation of the differences, or the root mean square of the two models' own.

    References
    ----------
    .. [W23] J. Wainer. A Bayesian Bradley-Terry model to compare multiple ML algorithms on multiple data sets. JMLR 24, 2023.
    """
    table = np.asarray(scores, dtype=float)
    if table.ndim != 3 or not np.all(np.isfinite(table)):
        raise InvalidScoresError(
            f"scores are a complete table of finite numbers, datasets by splits by models; got the shape {table.shape}."
        )
    if not local_rope >= 0:
        raise InvalidParameterError(f"local_rope must be at least 0 standard deviations; got {local_rope!r}.", about="local_rope")
    n_datasets, n_splits, n_models = table.shape
    wins, ties = np.zeros((2, n_models, n_models))
    tolerance = 1e-12 * np.abs(table).max(axis=(1, 2))
    own = table.var(axis=1, ddof=1) if n_splits > 1 else np.zeros((n_datasets, n_models))
    for i in range(n_models):
        for j in range(i + 1, n_models):
            d = table[:, :, i] - table[:, :, j]
            if n_splits < 2:
                sd = np.zeros(n_datasets)
            else:
                sd = d.std(axis=1, ddof=1) if paired else np.sqrt((own[:, i] + own[:, j]) / 2)
            mean = d.mean(axis=1)
            is_tie = np.abs(mean) <= local_rope * sd + tolerance
            wins[i, j], wins[j, i] = np.sum(~is_tie & (mean > 0)), np.sum(~is_tie & (mean < 0))
            ties[i, j] = ties[j, i] = is_tie.sum()
    return WinCounts(wins, ties)


def deal_out_ties(counts: WinCounts, ties: Ties = "spread") -> FloatArray:
    """Wins with the ties dealt out, shape (n_models, n_models).

    Parameters
    ----------
    counts : WinCounts
    ties : {"spread", "half", "add", "forget"}
        Half of the ties for either model, rounded up to whole wins or as they are; a win for either; or none.
    """
    if ties not in get_args(Ties):
        raise InvalidParameterError(f"ties must be one of {', '.join(map(repr, get_args(Ties)))}; got {ties!r}.", about="ties")
    share = {"spread": np.ceil(counts.ties / 2), "half": counts.ties / 2, "add": counts.ties, "forget": 0 * counts.ties}[ties]
    return np.asarray(counts.wins + share)


def bradley_terry_posterior(
    wins: ArrayLike, *, prior: AbilityPrior = "lognormal", prior_scale: float = 0.5, n_draws: int = 40_000, rng: int = 0
) -> BradleyTerryPosterior:
    """Posterior of abilities from wins, by Laplace's approximation with importance weights.

    The abilities are N(0, sigma) with log sigma ~ N(0, prior_scale) [W23]_, or another prior of sigma. On a grid of sigma the
    posterior is concave; it is drawn from a Student t at its mode, and each draw is weighted by the true posterior.

    Parameters
    ----------
    wins : array_like of shape (n_models, n_models)
        How often the model of the row beat that of the column, with ties dealt out; not negative, need not be whole.
    prior : {"lognormal", "half-normal", "half-cauchy"}
        Of sigma.
    prior_scale : float
        Standard deviation of log sigma; or the scale of the half-normal or half-Cauchy distribution.
    n_draws : int
        In all; `effective_draws` says what they are worth.
    rng : int
        Seed; the same seed gives the same answer.

    Returns
    -------
    BradleyTerryPosterior

    References
    ----------
    .. [W23] J. Wainer. A Bayesian Bradley-Terry model to compare multiple ML algorithms on multiple data sets. JMLR 24, 2023.

    Examples
    --------
    >>> posterior = bradley_terry_posterior([[0, 12, 15], [8, 0, 14], [5, 6, 0]])
    >>> round(float(posterior.probability_better()[0, 1]), 2)
    0.81
    """
    won = _check(wins, prior, prior_scale)
    n_draws, n_models, generator = check_count(n_draws, "n_draws"), won.shape[0], np.random.default_rng(rng)
    log_sigma, log_prior = _sigma_grid(prior, float(prior_scale))
    modes, evidence, theta = [], [], np.zeros(n_models)
    for sigma, log_weight in zip(np.exp(log_sigma), log_prior, strict=True):
        theta, information = _mode(won, theta, sigma)
        root = np.linalg.inv(np.linalg.cholesky(information))  # information = L L', so the covariance is root' root
        modes.append((sigma, log_weight, theta, root))
        laplace = log_weight + _log_posterior(won, theta[None], sigma)[0] + np.log(np.diagonal(root)).sum()
        evidence.append(laplace)
    share = np.exp(np.array(evidence) - max(evidence))
    df, draws, logs = max(10, 4 * n_models), [], []
    for (sigma, log_weight, theta, root), part in zip(modes, share / share.sum(), strict=True):
        half = int(np.ceil(n_draws * part / 2)) if part > 1e-7 else 0
        base = generator.standard_normal((half, n_models)) / np.sqrt(generator.chisquare(df, (half, 1)) / df)
        base = np.concatenate([base, -base])  # each draw with its mirror image, which halves the work and lowers the error
        log_base = -(df + n_models) / 2 * np.log1p(np.square(base).sum(axis=1) / df)
        draws.append(theta + base @ root)
        log_density = log_weight + _log_posterior(won, draws[-1], sigma) + np.log(np.diagonal(root)).sum()
        logs.append(log_density - log_base - np.log(max(2 * half, 1)))
    log_weights = np.concatenate(logs)
    weights = np.exp(log_weights - log_weights.max())
    return BradleyTerryPosterior(np.concatenate(draws), weights / weights.sum())


def _check(wins: ArrayLike, prior: str, prior_scale: float) -> FloatArray:
    won = np.asarray(wins, dtype=float)
    if won.ndim != 2 or won.shape[0] != won.shape[1]:
        raise InvalidScoresError(f"wins are a square table, one row and column for each model; got the shape {won.shape}.")
    if won.shape[0] < 2:
        raise TooFewModelsError(f"{won.shape[0]} model(s), but at least 2 are needed to compare.")
    if not np.all(np.isfinite(won)) or np.any(won < 0) or np.any(np.diagonal(won)):
        raise InvalidScoresError(
            "the numbers of wins must be finite, not negative, and 0 on the diagonal: no model meets itself."
        )
    if prior not in get_args(AbilityPrior):
        known = ", ".join(map(repr, get_args(AbilityPrior)))
        raise InvalidParameterError(f"prior must be one of {known}; got {prior!r}.", about="prior")
    if not 0 < prior_scale < np.inf:
        raise InvalidParameterError(f"prior_scale must be a finite number above 0; got {prior_scale!r}.", about="prior_scale")
    return won


def _sigma_grid(prior: AbilityPrior, scale: float) -> tuple[FloatArray, FloatArray]:
    """Nodes of log sigma at equal distances, and the log-density of the prior there, per unit of log sigma."""
    if prior == "lognormal":
        z = np.linspace(-4.0, 4.0, 25)
        return scale * z, -np.square(z) / 2
    log_ratio = np.linspace(-5.0, 1.6 if prior == "half-normal" else 6.0, 25 if prior == "half-normal" else 41)
    ratio = np.exp(log_ratio)
    density = -np.square(ratio) / 2 if prior == "half-normal" else -np.log1p(np.square(ratio))
    return np.log(scale) + log_ratio, density + log_ratio


def _mode(won: FloatArray, theta: FloatArray, sigma: float) -> tuple[FloatArray, FloatArray]:
    """Abilities of the highest posterior density for a sigma, and the information there, by Newton's method."""
    from scipy.special import expit

    n, i = won + won.T, np.arange(won.shape[0])
    for _ in range(200):
        p = expit(theta[:, None] - theta)
        curvature = n * p * p.T
        information = -curvature
        information[i, i] += curvature.sum(axis=1) + 1 / sigma**2
        step = np.linalg.solve(information, won.sum(axis=1) - (n * p).sum(axis=1) - theta / sigma**2)
        theta = theta + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < 1e-9:
            break
    return theta, information


def _log_posterior(won: FloatArray, theta: FloatArray, sigma: float) -> FloatArray:
    """Log-density of each row of abilities given sigma, up to a constant; shape (n_draws,)."""
    total = -np.square(theta / sigma).sum(axis=1) / 2 - theta.shape[1] * np.log(sigma)
    for i in range(won.shape[0] - 1):
        d = theta[:, [i]] - theta[:, i + 1 :]
        total += d @ won[i, i + 1 :] - np.logaddexp(0.0, d) @ (won[i, i + 1 :] + won[i + 1 :, i])
    return np.asarray(total)
