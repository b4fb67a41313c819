"""The hierarchical test by brute force: densities on a fine grid, convolved by FFT, summed over all that is unknown.

It shares nothing with the package: sigma is integrated out in closed form, the t distribution of the datasets is cut into cells
by its distribution function, and which region is the most probable one is looked up between nodes.
"""

import numpy as np
from scipy import signal, special, stats

WIDEST = 1000.0


def hierarchical(rows, ratio, rope, *, step=0.02, sigma0_step=0.1, nu_step=0.35, reach=2.5, sd_of_flat=None):
    """Probabilities that above, inside and below is the most probable region, and their means for a further dataset."""
    rows = [np.asarray(row, dtype=float) for row in rows]
    sds = np.array([row.std() for row in rows])
    if sd_of_flat is not None:
        sds = np.where(sds < 1e-12, sd_of_flat, sds)
    unit = sds.mean()
    means, sds, rope = np.array([row.mean() for row in rows]) / unit, sds / unit, rope / unit
    largest = max(max(np.abs(row).max() for row in rows) / unit, sds.max())
    rho = ratio / (1 + ratio)
    n_half = int(reach * largest / step)
    delta = step * np.arange(-n_half, n_half + 1)
    likelihood = np.array([_of_dataset(delta, m, s, len(row), rho) for m, s, row in zip(means, sds, rows, strict=True)])
    inside = np.abs(delta) <= largest
    delta0 = delta[inside]
    log_sigma0 = np.arange(np.log(WIDEST * (means.std() or 1.0)), np.log(1e-4), -sigma0_step)
    log_nu = np.arange(-5.0, 7.5, nu_step)
    prior = np.exp(_log_prior(np.exp(log_nu)) + log_nu)
    edges = step * (np.arange(-2 * n_half, 2 * n_half + 2) - 0.5)
    total, answers = [], []
    for s in np.exp(log_sigma0):
        for weight, nu in zip(prior * s, 1 + np.exp(log_nu), strict=True):
            kernel = np.diff(special.stdtr(nu, edges / s))[None, :]
            with np.errstate(divide="ignore"):
                convolved = signal.fftconvolve(likelihood, kernel, mode="full", axes=1)[:, 2 * n_half : 4 * n_half + 1]
                logs = np.log(np.maximum(convolved[:, inside], 1e-280)).sum(axis=0) + np.log(weight)
            below, above = special.stdtr(nu, (-rope - delta0) / s), special.stdtr(nu, (delta0 - rope) / s)
            chances = np.stack([above, 1 - above - below, below])
            top = logs.max()
            mass = np.exp(logs - top)
            best = _most_probable(delta0, chances, mass)
            total.append(top + np.log(mass.sum()))
            answers.append(np.concatenate([best, chances @ mass, [mass @ delta0, mass.sum() * s]]) / mass.sum())
    weights = np.exp(np.array(total) - max(total))
    answer = weights @ np.array(answers) / weights.sum()
    return {"regions": answer[:3], "next": answer[3:6], "mean": answer[6] * unit, "spread": answer[7] * unit}


def _most_probable(delta0, chances, mass):
    """Mass where each region is the most probable one; the limits between them lie between nodes."""
    above, inside, below = chances
    cumulative = np.cumsum(mass) - mass / 2
    better = mass.sum() - np.interp(np.interp(0, above - np.maximum(inside, below), delta0), delta0, cumulative)
    worse = np.interp(-np.interp(0, (below - np.maximum(inside, above))[::-1], -delta0[::-1]), delta0, cumulative)
    return np.array([better, mass.sum() - better - worse, worse])


def _of_dataset(delta, mean, sd, n, rho):
    """Likelihood of a dataset's difference with sigma ~ U(0, 1000) integrated out: an incomplete gamma function."""
    q = n * sd**2 / (1 - rho) + n * (mean - delta) ** 2 / (1 + (n - 1) * rho)
    logs = -(n - 1) / 2 * np.log(q) + np.log(special.gammaincc((n - 1) / 2, q / (2 * WIDEST**2)))
    return np.exp(logs - logs.max())


def _log_prior(excess):
    """nu - 1 by the midpoints of 40 x 40 cells of alpha and beta."""
    alpha, beta = 1 + (np.arange(40) + 0.5) / 40, 0.01 + 0.09 * (np.arange(40) + 0.5) / 40
    return np.log(stats.gamma.pdf(excess[:, None, None], alpha[:, None], scale=1 / beta).mean(axis=(1, 2)))
