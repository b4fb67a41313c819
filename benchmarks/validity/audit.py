"""How often `tb.audit` raises a false alarm on clean data, and which planted faults it finds.

Clean sets are drawn from mixed designs: two to five classes or a regression, with and without a signal, continuous and discrete
columns, balanced and imbalanced, small and large, groups that differ, drifting time; each with splits that fit it. An alarm is
anything above a note. Planted faults are drawn at several strengths; found is what is above a note under the code that it should
have. Exit code 1 when more than 5 % of the clean sets raise an alarm.

python benchmarks/validity/audit.py [--sets 200] [--runs 50] [--deep 20]
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import tiebreak as tb


class Set(NamedTuple):
    """Data, splits, and what was said besides."""

    label: str
    X: Any
    y: Any
    cv: Any
    more: dict[str, Any]


# --- clean sets -------------------------------------------------------------------------------------------------------------


def clean_sets(n_sets: int, seed: int = 0) -> Iterator[Set]:
    """Half with a signal; designs in turn, the rest at random."""
    for number in range(n_sets):
        rng = np.random.default_rng([seed, number])
        yield _clean(rng, has_signal=number % 2 == 0, design=DESIGNS[number // 2 % len(DESIGNS)])


DESIGNS = (
    "default",
    "kfold",
    "stratified",
    "repeated-stratified",
    "repeated-kfold",
    "holdout",
    "repeated-holdout",
    "loo",
    "group",
    "stratified-group",
    "time",
)


def _clean(rng: np.random.Generator, *, has_signal: bool, design: str) -> Set:
    n = int(rng.choice([40, 80, 150, 400, 1500] if design != "loo" else [40, 80, 150]))
    is_regression = bool(rng.random() < 0.3) and "stratified" not in design
    more: dict[str, Any] = {}
    latent = rng.normal(size=n)
    if "group" in design:
        n_groups = int(rng.choice([12, 20, max(20, n // 5)]))
        groups = rng.integers(0, n_groups, n)
        groups[:n_groups] = np.arange(n_groups)
        latent = latent + rng.normal(0, 0.7, n_groups)[groups]  # groups differ, as patients do
        more["groups"] = groups
    if design == "time":
        latent = latent + np.sin(np.arange(n) / n * 6)  # seasons and autocorrelation
        more["time"] = np.arange(n) if rng.random() < 0.5 else pd.date_range("2024-01-01", periods=n, freq="h")
    if is_regression:
        y = np.exp(latent) if rng.random() < 0.3 else latent
    else:
        y = _labels(rng, latent, n)
    X = _columns(rng, latent if has_signal else rng.normal(size=n), n)
    cv = _splits(rng, design, y, n, is_regression)
    return Set(f"{design}, n={n}, {'regression' if is_regression else 'classes'}", X, y, cv, more)


def _labels(rng: np.random.Generator, latent: np.ndarray, n: int) -> np.ndarray:
    """Two to five classes by cutting the latent variable; sometimes one of them is rare, with ten examples at least."""
    n_classes = int(rng.integers(2, 6 if n >= 80 else 3))
    shares = np.full(n_classes, 1.0 / n_classes)
    if rng.random() < 0.4:
        shares = np.array([0.8, *[0.2 / (n_classes - 1)] * (n_classes - 1)])
        shares = np.maximum(shares, 17 / n)  # at least ten when the shares add up to 1 again
        shares /= shares.sum()
    edges = np.quantile(latent, np.cumsum(shares)[:-1])
    return np.searchsorted(edges, latent)


def _columns(rng: np.random.Generator, signal: np.ndarray, n: int) -> Any:
    """Numbers, counts, categories and zeros and ones, of which some carry the signal in noise."""
    p = int(rng.choice([2, 5, 10, 30]))
    kind = rng.choice(["numbers", "rounded", "discrete", "binary", "mixed"])
    carries = rng.random(p) < 0.5
    table = rng.normal(size=(n, p)) + carries * signal[:, None] * rng.uniform(0.3, 1.5, p)
    if kind == "rounded":
        return np.round(table, 1)
    if kind == "discrete":
        return np.clip(np.round(table), -2, 2)
    if kind == "binary":
        return (table > rng.normal(size=p)).astype(float)
    if kind == "mixed":
        frame = pd.DataFrame(table, columns=[f"x{i}" for i in range(p)])
        frame["x0"] = np.array(["low", "middle", "high", None], dtype=object)[np.digitize(table[:, 0], [-1, 0.5, 2])]
        frame.loc[rng.random(n) < 0.1, "x1"] = np.nan
        return frame
    return table


def _splits(rng: np.random.Generator, design: str, y: np.ndarray, n: int, is_regression: bool) -> Any:
    if design == "default":
        return None
    if design == "kfold" and not is_regression:
        return {"kind": "kfold", "n_folds": 3}
    if design in ("kfold", "repeated-kfold", "stratified", "repeated-stratified"):
        return {"kind": design, "n_folds": int(rng.choice([3, 5, 10]))}
    if design in ("group", "stratified-group"):
        return {"kind": design, "n_folds": int(rng.choice([3, 5]))}
    return {"kind": design}


# --- planted faults -----------------------------------------------------------------------------------------------------------


def _ordinary(rng: np.random.Generator, n: int = 300, p: int = 6) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


def copies(rng: np.random.Generator, share: float) -> Set:
    """Rows copied once."""
    X, y = _ordinary(rng)
    rows = rng.choice(len(y), int(share * len(y)), replace=False)
    return Set("", np.vstack([X, X[rows]]), np.append(y, y[rows]), "stratified", {})


def discrete_copies(rng: np.random.Generator, share: float) -> Set:
    """Rows of eight columns of five values, copied once."""
    X, y = _ordinary(rng, p=8)
    X = np.clip(np.round(X), -2, 2)
    rows = rng.choice(len(y), int(share * len(y)), replace=False)
    return Set("", np.vstack([X, X[rows]]), np.append(y, y[rows]), "stratified", {})


def near_copies(rng: np.random.Generator, share: float) -> Set:
    """Copies with noise of 1 % of a standard deviation."""
    data = copies(rng, share)
    return data._replace(X=data.X + rng.normal(0, 0.01, data.X.shape), more={"deep": True})


def noisy_leak(rng: np.random.Generator, flipped: float) -> Set:
    """A column that is the target but for a share of flipped labels."""
    X, y = _ordinary(rng)
    X[:, 3] = np.where(rng.random(len(y)) < flipped, 1 - y, y) + rng.normal(0, 0.05, len(y))
    return Set("", X, y, "stratified", {})


def numeric_leak(rng: np.random.Generator, noise: float) -> Set:
    """A column that is the target of a regression plus noise, in its standard deviations."""
    X, _ = _ordinary(rng)
    y = X[:, 0] + rng.normal(size=len(X))
    X[:, 3] = y + rng.normal(0, noise * y.std(), len(y))
    return Set("", X, y, {"kind": "kfold"}, {})


def sorted_rows(rng: np.random.Generator, disorder: float) -> Set:
    """Rows sorted by a regression's target plus noise, unshuffled folds."""
    X, _ = _ordinary(rng)
    y = X[:, 0] + rng.normal(size=len(X))
    order = np.argsort(y + rng.normal(0, disorder * y.std(), len(y)))
    return Set("", X[order], y[order], {"kind": "kfold", "n_folds": 5, "shuffle": False}, {})


def sorted_classes(rng: np.random.Generator, disorder: float) -> Set:
    """The same with two classes."""
    X, y = _ordinary(rng)
    order = np.argsort(y + rng.normal(0, disorder, len(y)))
    return Set("", X[order], y[order], {"kind": "kfold", "n_folds": 5, "shuffle": False}, {})


PLANTED: tuple[tuple[str, str, Callable[[np.random.Generator, float], Set], tuple[float, ...]], ...] = (
    ("copies of rows, share", "duplicate-rows", copies, (0.01, 0.02, 0.05, 0.2)),
    ("the same, discrete columns", "duplicate-rows", discrete_copies, (0.05, 0.1, 0.2, 0.5)),
    ("copies with 1 % noise, share", "near-duplicate-rows", near_copies, (0.02, 0.05, 0.2)),
    ("target as a column, labels flipped", "leaking-column", noisy_leak, (0.0, 0.01, 0.02, 0.05)),
    ("target as a column, noise (sd)", "leaking-column", numeric_leak, (0.01, 0.05, 0.1, 0.2)),
    ("sorted target, unshuffled, disorder (sd)", "unrepresentative-folds", sorted_rows, (0.5, 1.0, 2.0, 4.0)),
    ("sorted classes, unshuffled, disorder", "unrepresentative-folds", sorted_classes, (0.5, 1.0, 2.0, 4.0)),
)


def power(draw: Callable[[np.random.Generator, float], Set], strength: float, code: str, n_runs: int) -> float:
    """Share of runs in which the fault is found above a note under its code."""
    found = 0
    for run in range(n_runs):
        data = draw(np.random.default_rng([1, run]), strength)
        answer = tb.audit(data.X, data.y, data.cv, **data.more)
        found += any(finding.code == code for finding in answer.at_least("warning"))
    return found / n_runs


# --- the script ---------------------------------------------------------------------------------------------------------------


def alarms(sets: Iterator[Set], **more: Any) -> list[tuple[Set, tuple[tb.Finding, ...]]]:
    """Clean sets on which something above a note was raised."""
    raised = []
    for data in sets:
        found = tb.audit(data.X, data.y, data.cv, **data.more, **more).at_least("warning")
        if found:
            raised.append((data, found))
    return raised


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--deep", type=int, default=20, help="clean sets that are audited with deep=True")
    parser.add_argument("--runs", type=int, default=50, help="runs for each planted fault and strength; the deep ones a fifth")
    asked = parser.parse_args()
    start = time.perf_counter()
    raised = alarms(clean_sets(asked.sets))
    print(f"clean sets: {len(raised)} of {asked.sets} audits raise anything above a note ({time.perf_counter() - start:.0f} s)")
    for data, found in raised:
        print(f"  {data.label}: {', '.join(finding.code for finding in found)}")
    print("  by code:", dict(Counter(finding.code for _, found in raised for finding in found)))
    if asked.deep:
        deep = alarms(clean_sets(asked.deep, seed=1), deep=True)
        print(f"clean sets, deep: {len(deep)} of {asked.deep}")
        for data, found in deep:
            print(f"  {data.label}: {', '.join(finding.code for finding in found)}")
    if asked.runs:
        print("planted faults: share found above a note")
        for label, code, draw, strengths in PLANTED:
            is_deep = draw is near_copies
            n_runs = max(1, asked.runs // 5) if is_deep else asked.runs
            shares = ", ".join(f"{strength:g}: {power(draw, strength, code, n_runs):.2f}" for strength in strengths)
            print(f"  {label:<42} {code:<24} {shares}  ({n_runs} runs)")
    return 1 if len(raised) > 0.05 * asked.sets else 0


if __name__ == "__main__":
    sys.exit(main())
