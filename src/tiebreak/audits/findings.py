"""Result of an audit: findings, the checks that were done, and the contents of each test set; and the material of all checks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from tiebreak.numerics import FloatArray, IntArray
from tiebreak.plan.data import Task
from tiebreak.plan.splits import PlannedDataset, Splits
from tiebreak.result import Result

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the least grave to the gravest."""

MOST_ROWS = 20
"""Rows that are named as evidence; `numbers` says how many there are."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence of a finding: splits and rows.

    Attributes
    ----------
    rows : tuple of int
        Rows of X, counted from 0; the first 20 of them.
    columns : tuple of str
    splits : tuple of int
        Positions of the splits that it concerns; empty where it concerns the data as a whole.
    numbers : mapping of str to float
        The figures that it rests on.
    """

    rows: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    splits: tuple[int, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about the data or the splits that a reader of the scores has to know.

    Attributes
    ----------
    code : str
        Stable, in kebab case, such as "future-in-training".
    severity : {"note", "warning", "error"}
        A note is good to know. A warning is to be looked into before scores are believed. With an error, scores do not mean
        what they seem to.
    text : str
        What was found.
    evidence : Evidence
    advice : str
        What to do.
    """

    code: str
    severity: Severity
    text: str
    evidence: Evidence
    advice: str


def found(
    code: str,
    severity: Severity,
    text: str,
    advice: str,
    *,
    rows: Any = (),
    columns: Sequence[str] = (),
    splits: Any = (),
    **numbers: float,
) -> Finding:
    """A finding, with its evidence out of arrays."""
    return Finding(
        code,
        severity,
        text,
        Evidence(
            rows=tuple(np.unique(np.asarray(rows, dtype=int))[:MOST_ROWS].tolist()),
            columns=tuple(columns),
            splits=tuple(np.unique(np.asarray(splits, dtype=int)).tolist()),
            numbers={name: float(value) for name, value in numbers.items()},
        ),
        advice,
    )


def percent(share: float) -> str:
    """A share above 0 as people read it: never "0%"."""
    return "less than 0.1%" if share < 0.001 else f"{100 * share:.{1 if share < 0.1 else 0}f}%"


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that was done, or why it was not.

    Attributes
    ----------
    what : str
        What was looked at.
    codes : tuple of str
        Of what was found; empty where all is well.
    why_not : str
        Why it was not done; "" where it was.
    """

    what: str
    codes: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Folds(Splits):
    """The splits, and the contents of each test set.

    Attributes
    ----------
    kind : str
        Of the splits.
    repeat, fold, n_train, n_test : ndarray of shape (n_splits,)
    classes : tuple of str
        Empty for what is no classification.
    counts : ndarray of shape (n_splits + 1, n_classes) or None
        Test examples of each class; the last row is of all rows.
    quartiles : ndarray of shape (n_splits + 1, 5) or None
        Of the target of a regression: smallest, quartiles, largest; the last row is of all rows.
    """

    classes: tuple[str, ...] = ()
    counts: IntArray | None = None
    quartiles: FloatArray | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit(Result):
    """Result of an audit of data and splits.

    Attributes
    ----------
    findings : tuple of Finding
        The gravest first; each with code, severity, text, evidence and advice.
    checks : tuple of Checked
        What was looked at, and what was not for which reason.
    dataset : str
        Its name, "" where it has none.
    n_samples, n_features : int
    task : {"classification", "regression", "other"}
    folds : Folds
        What each test set holds.
    """

    findings: tuple[Finding, ...]
    checks: tuple[Checked, ...]
    dataset: str
    n_samples: int
    n_features: int
    task: Task
    folds: Folds = field(repr=False)

    @property
    def worst(self) -> Severity | None:
        """Severity of the gravest finding; None where there is none."""
        return self.findings[0].severity if self.findings else None

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Findings as grave as that, or graver.

        Parameters
        ----------
        severity : {"note", "warning", "error"}
        """
        return tuple(each for each in self.findings if SEVERITIES.index(each.severity) >= SEVERITIES.index(severity))


# --- what checks are given: the data by columns, the splits, and what was said besides ------------------------------------------

Hashes = np.ndarray[Any, np.dtype[np.uint64]]

LONG_TEXT = 30
"""Characters from which on two equal texts are no coincidence."""


class Column(NamedTuple):
    """A column of X: numbers, nan where missing; or codes of categories, -1 where missing.

    Categories have no order; free texts are long ones, which do not coincide by chance.
    """

    values: FloatArray
    is_category: bool = False
    is_free_text: bool = False

    @property
    def varies(self) -> bool:
        """True unless all values are the same, or missing."""
        return not np.array_equal(self.values, np.full(self.values.shape, self.values[0]), equal_nan=True)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The columns of X, made one at a time as they are asked for.

    The table is a sparse matrix by columns, or a frame of pandas; arrays of more than two dimensions are laid out flat but for
    the first. Names are "column 0" and so on where X has none.
    """

    table: Any
    names: tuple[str, ...]

    @classmethod
    def of(cls, X: Any) -> Self:
        """The columns of what models are given."""
        import pandas as pd

        if hasattr(X, "tocsc"):
            return cls(X.tocsc(), tuple(f"column {place}" for place in range(X.shape[1])))
        if hasattr(X, "columns"):
            table = X if hasattr(X, "iloc") else X.to_pandas()
        else:
            table = pd.DataFrame(X.reshape(X.shape[0], -1)).add_prefix("column ")
        return cls(table, tuple(map(str, table.columns)))

    def __getitem__(self, place: int) -> Column:
        """One column."""
        if hasattr(self.table, "indptr"):
            return Column(np.asarray(self.table[:, [place]].toarray(), dtype=float).ravel())
        series = self.table.iloc[:, place]
        return _column(series.to_numpy(dtype="datetime64[ns]") if getattr(series.dtype, "tz", None) else series.to_numpy())

    def row_hashes(self) -> Hashes:
        """A number for each row, the same for rows that are equal; sums of those of the cells, so a column can be left out."""
        if hasattr(self.table, "indptr"):
            return _sparse_hashes(self.table)
        hashes = (self.cell_hashes(place) for place in range(len(self.names)))
        return sum(hashes, np.zeros(self.table.shape[0], dtype=np.uint64))

    def cell_hashes(self, place: int) -> Hashes:
        """Hashes of a column's cells, to be added to those of their rows; zeros of a sparse column add nothing."""
        own = _mixed(np.array([place + 1], dtype=np.uint64))
        hashed = _mixed(_bits(self[place].values) ^ own)
        return hashed - _mixed(own) if hasattr(self.table, "indptr") else hashed


def _column(values: np.ndarray[Any, Any]) -> Column:
    if values.dtype.kind in "biuf":
        return Column(values.astype(float))
    if values.dtype.kind in "mM":  # days since the first one, nan where missing
        return Column((values - np.fmin.reduce(values)) / np.timedelta64(1, "D"))
    import pandas as pd

    try:
        codes, labels = pd.factorize(values.astype(object))
    except TypeError:  # lists, arrays or dicts in the cells
        codes, labels = pd.factorize(np.array([repr(value) for value in values.tolist()], dtype=object))
    if labels.size and all(isinstance(label, int | float) and not isinstance(label, bool) for label in labels):
        return Column(np.append(labels.astype(float), np.nan)[codes])  # numbers as objects; -1 is the last entry, nan
    lengths = [len(label) for label in labels if isinstance(label, str)]
    return Column(codes.astype(float), is_category=True, is_free_text=bool(lengths) and float(np.median(lengths)) >= LONG_TEXT)


# --- hashes -----------------------------------------------------------------------------------------------------------------


def _bits(values: FloatArray) -> Hashes:
    """The bits of numbers; one zero and one nan."""
    values = values + 0.0
    values[np.isnan(values)] = np.nan
    return values.view(np.uint64)


def _mixed(bits: Hashes) -> Hashes:
    """Bits spread over all 64."""
    import pandas as pd

    hashed: Hashes = pd.util.hash_array(bits)
    return hashed


def _sparse_hashes(table: Any) -> Hashes:
    """Sums over what is stored, row by row."""
    total = np.zeros(table.shape[0], dtype=np.uint64)
    table = table.copy()
    table.sum_duplicates()
    place = _mixed(np.repeat(np.arange(1, table.shape[1] + 1, dtype=np.uint64), np.diff(table.indptr)))
    hashed = _mixed(_bits(table.data.astype(float)) ^ place) - _mixed(place)  # a zero has no bits
    np.add.at(total, table.indices, hashed)
    return total


def codes_of(values: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Equal values, such as the hashes of rows, as equal numbers from 0."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


MOST_CELLS = 20_000_000
"""Numbers in an array of a check; what would be larger is done piece by piece, or on a sample of the rows."""


class Found(NamedTuple):
    """Rows that were found in splits, those of one split after those of another, and the numbers of these splits."""

    rows: IntArray
    splits: list[int]

    @classmethod
    def of(cls, by_split: Sequence[IntArray]) -> Self:
        """The rows that were found in each split, of which some have none."""
        return cls(np.concatenate(by_split), [number for number, rows in enumerate(by_split) if rows.size])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AuditInput(PlannedDataset):
    """Data and splits that are audited.

    `time` holds ranks of the times, ties alike, and `metrics` what is to be computed on each test set, as far as that was said.
    `target` holds codes into `classes`, the sorted labels, or the numbers of a regression; it is None for anything else.
    """

    columns: Columns
    time: FloatArray | None
    metrics: tuple[str, ...]
    classes: tuple[object, ...]
    target: Any
    seed: int

    def where(self, n: int) -> str:
        """Share of the splits in words: "in all 10 splits", "in 3 of 10 splits", "in the one split"."""
        total = len(self.splits)
        if total == 1:
            return "in the one split"
        return f"in all {total} splits" if n == total else f"in {n} of {total} splits"

    def rng(self) -> np.random.Generator:
        """A generator that starts the same in every check."""
        return np.random.default_rng(self.seed)

    def sample(self, n: int, most: int) -> IntArray:
        """Positions of n things, of more than `most` a sample, in ascending order."""
        return np.arange(n) if n <= most else np.sort(self.rng().choice(n, most, replace=False))


Check = Callable[[AuditInput], Iterator[Finding]]
"""A check looks at the material and yields what it finds; nothing, where all is well."""


MOST_COLUMNS = 200
MOST_CATEGORIES = 20


def standardised(audit_input: AuditInput) -> FloatArray:
    """Columns of mean 0 and variance 1, categories as indicators, what is missing at the mean; constant columns left out.

    Columns are left out, chosen at random, where there would be more than `MOST_CELLS` numbers.
    """
    from sklearn.preprocessing import StandardScaler

    n_rows, parts, n_columns = audit_input.data.n_samples, [], 0
    most = max(1, min(MOST_COLUMNS, MOST_CELLS // max(n_rows, 1)))
    for place in audit_input.sample(len(audit_input.columns.names), most).tolist():
        column = audit_input.columns[place]
        own = np.where(np.isfinite(column.values), column.values, np.nan)[:, None]
        if column.is_category:  # the most frequent categories, a column each
            labels, times = np.unique(column.values, return_counts=True)
            own = np.asarray(own == labels[np.argsort(-times)][:MOST_CATEGORIES], dtype=float)
        if column.varies and n_columns < most:
            parts.append(np.nan_to_num(StandardScaler().fit_transform(own)))
            n_columns += own.shape[1]
    return np.concatenate(parts, axis=1) if parts else np.empty((n_rows, 0))
