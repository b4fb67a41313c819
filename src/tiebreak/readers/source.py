"""Scores of one source, the options by which it is read, and the checks that all sources share."""

from __future__ import annotations

import dataclasses
import json
import operator
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, BinaryIO, Literal

import numpy as np

from tiebreak.errors import (
    AmbiguousSourceError,
    ContradictingSizesError,
    InvalidParameterError,
    InvalidScoresError,
    Setting,
    SourceNotFoundError,
    TiebreakError,
    UnreadableSourceError,
    UnsupportedSourceError,
)
from tiebreak.numerics import IntArray, set_checked
from tiebreak.printable import printable, without_password
from tiebreak.scores.metric import LOWER_IS_BETTER, NamedMetric, names_loss
from tiebreak.scores.scores import ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Notice, nearest_file

ACCEPTED = (
    "a fitted search (GridSearchCV and its like) or its cv_results_, {name: cross_validate(...)}, "
    "{name: scores, one per split}, an array with models=[names], a list of records, a data frame (pandas, polars, pyarrow or "
    "another that narwhals reads), a path to a CSV, JSON or Parquet file, or Scores"
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Parameters by which sources are read, checked; meanings as in `tiebreak.compare`."""

    metric: str | None = None
    models: Sequence[str] | None = None
    dataset: str | None = None
    lower_is_better: bool | Mapping[str, bool] | None = None
    X: Any = None
    y: Any = None
    groups: Any = None
    n_samples: int | None = None
    n_train: int | None = None
    n_test: int | None = None
    cv: Any = None
    rows: str | None = None
    item: str | None = None
    cluster: str | None = None

    def __post_init__(self) -> None:
        """Refuse what fits no source; models become a tuple, counts Python's numbers."""
        if self.rows not in (None, "auto", "items", "splits"):
            raise InvalidParameterError(f"rows must be 'auto', 'items' or 'splits'; got {self.rows!r}.", about="rows")
        for name in ("metric", "dataset", "item", "cluster"):
            text = getattr(self, name)
            if text is not None and not isinstance(text, str):
                raise InvalidParameterError(f"{name} must be a name; got {text!r} of type {type(text).__name__}.")
        set_checked(self, lower_is_better=_checked_directions(self.lower_is_better))
        for name in ("n_samples", "n_train", "n_test"):
            set_checked(self, **{name: _checked_count(getattr(self, name), name)})
        if self.n_samples is not None and (self.n_train or 0) + (self.n_test or 0) > self.n_samples:
            sizes = (("n_train", self.n_train), ("n_test", self.n_test))
            given = " + ".join(f"{name}={value}" for name, value in sizes if value)
            raise ContradictingSizesError(
                f"{given} is more than n_samples={self.n_samples}. n_samples counts all examples, training and test together."
            )
        if self.models is not None:
            set_checked(self, models=_checked_names(self.models))

    def direction_of(self, metric: str) -> bool | None:
        """True where lower is better for a metric, False where higher is, as the caller says; None where they do not."""
        if isinstance(self.lower_is_better, Mapping):
            return self.lower_is_better.get(metric)
        return self.lower_is_better

    @property
    def has_data(self) -> bool:
        """True if X or y was given."""
        return self.X is not None or self.y is not None

    @property
    def has_sizes(self) -> bool:
        """True if both n_train and n_test were given."""
        return self.n_train is not None and self.n_test is not None


def _checked_directions(given: Any) -> bool | dict[str, bool] | None:
    if given is None or isinstance(given, bool):
        return given
    if not isinstance(given, Mapping) or not given or not all(isinstance(name, str) for name in given):
        raise InvalidParameterError(
            f"lower_is_better must be True, False or None, or {{metric: True or False}} for several metrics; got {given!r:.80}."
        )
    wrong = {name: value for name, value in given.items() if not isinstance(value, bool)}
    if wrong:
        raise InvalidParameterError(f"lower_is_better must be True or False for each metric; got {wrong!r:.80}.")
    return dict(given)


def _checked_count(value: Any, name: str) -> int | None:
    if value is None:
        return None
    try:
        count = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = None
    if count is None or count < 1:
        raise InvalidParameterError(f"{name} must be a number of examples, a whole number of at least 1; got {value!r:.60}.")
    if count > _MOST_EXAMPLES:
        raise InvalidParameterError(f"{name} must be a number of examples; nobody has more than {_MOST_EXAMPLES:.0e} of them.")
    return count


_MOST_EXAMPLES = 10**15
"""More than anybody has, and few enough for sums and quotients without rounding."""


def _checked_names(models: Sequence[str]) -> tuple[str, ...]:
    if isinstance(models, str):
        raise InvalidParameterError(f"models must be a list of names; got the single text {models!r}. Write models=[{models!r}].")
    if not isinstance(models, Iterable):
        raise InvalidParameterError(f"models must be a list of names; got {models!r:.60}.")
    names = tuple(models)
    if not names:
        raise InvalidParameterError("models is empty. Name the models to keep, or leave it out to keep all.")
    doubled = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if doubled is not None:
        raise InvalidParameterError(f"models names {doubled!r} twice. Name each model once.")
    return names


@dataclass(frozen=True, slots=True)
class Source:
    """Scores and where they came from.

    Attributes
    ----------
    scores : Scores
    name : str
        Name of the source in messages: "scores.csv", "the table".
    suffixes : tuple of str
        Marks that tell its models from those of the same name in another source, best first: "last", "runs/last"; empty
        where there is no path.
    repeat_labels, fold_labels : tuple of str or None
        Where the source names its splits in words: the word behind each code.
    """

    scores: Scores
    name: str
    suffixes: tuple[str, ...] = ()
    repeat_labels: tuple[str, ...] | None = None
    fold_labels: tuple[str, ...] | None = None


def source_of(
    matrices: Iterable[ScoreMatrix],
    named: NamedMetric | Sequence[NamedMetric],
    design: SplitDesign,
    options: ReadOptions,
    name: str,
    *,
    notices: tuple[Notice, ...] = (),
    by_sklearn: bool = False,
    fit_seconds: Mapping[str, float] | None = None,
) -> Source:
    """Source of scores as they were stored: turned into the metric's unit, with the caller's sizes, and checked.

    `named` is the metric, or that of each of the matrices. The sizes of the design count only where they are approximate.
    `by_sklearn` says that scikit-learn computed the scores, which negates losses. `fit_seconds` are times of a fit by model,
    where the source has them.
    """
    found = list(matrices)
    each = [named] * len(found) if isinstance(named, NamedMetric) else list(named)
    checked = []
    for matrix, its in zip(found, each, strict=True):
        if its.factor == -1:  # not -score, which would turn 0 into -0
            matrix = dataclasses.replace(matrix, score=0.0 - matrix.score)
        matrix = with_sizes(matrix, options, name)
        check_finite(matrix, name)
        _check_sign(matrix, its, name, by_sklearn)
        checked.append(matrix if isinstance(named, NamedMetric) else dataclasses.replace(matrix, metric=its.metric))
    matrices = tuple(checked)
    if design.pairing == "position":
        notices = (*notices, assumed_paired(name))
    if design.sizes == "approximate":
        notices = (*notices, approximate_sizes(name))
    else:
        design = dataclasses.replace(design, sizes=known_sizes(matrices))
    scores = Scores(each[0].metric, (), design, notices, fit_seconds=fit_seconds or {})
    return Source(scores.with_matrices(matrices), name)


def unsupported(source: Any, name: str) -> UnsupportedSourceError:
    """Error for a source that no reader reads."""
    kind = type(source).__name__
    return UnsupportedSourceError(f"{name} is of type {kind!r}, which cannot be read as scores. Pass {ACCEPTED}.")


# --- notices ------------------------------------------------------------------------------------------------------------


def assumed_paired(source: str) -> Notice:
    """Notice that models are paired by the order of their scores."""
    return Notice(
        "assumed-paired",
        f"{source} does not name its splits, so models are paired by the order of their scores; if they were not scored on the "
        "same splits in the same order, the answer is wrong",
    )


def approximate_sizes(source: str) -> Notice:
    """Notice that the sizes of the splits are worked out, not counted."""
    return Notice(
        "approximate-sizes",
        f"the sizes of the splits of {source} are worked out from the number of examples, not counted",
    )


# --- values -------------------------------------------------------------------------------------------------------------

_ROUNDING = 1e-12
"""A perfect log loss may come out as -1e-16."""


def _check_sign(matrix: ScoreMatrix, named: NamedMetric, source: str, by_sklearn: bool) -> None:
    """Refuse values that cannot be what their name says: a log loss below zero, or a ``neg_log_loss`` above."""
    metric = named.metric
    is_never_negative = metric.name in LOWER_IS_BETTER or (by_sklearn and names_loss(metric.name))
    if metric.higher_is_better or not is_never_negative:
        return
    for model, row in zip(matrix.models, matrix.score, strict=True):
        split = int(np.argmin(np.where(np.isnan(row), np.inf, row))) if row.size else 0
        if row.size and row[split] < -_ROUNDING:
            stored = float(row[split]) * named.factor
            where = f"model {model!r} has {stored:g} on {matrix.split_name(split)}"
            raise InvalidScoresError(f"{source}: {where}, but ", *_contradiction(metric.name, named.factor, by_sklearn))


def _contradiction(name: str, factor: int, by_sklearn: bool) -> tuple[str | Setting, ...]:
    contradict = "sign and name contradict each other. If"
    if by_sklearn:
        stored = f"scikit-learn stores the loss {name!r} negated, never above zero: {contradict} the scorer was made without "
        losses = "greater_is_better=False, the search took large losses for good ones; pass the losses themselves as"
        return stored, losses, " {name: array} with ", Setting("metric", repr(name)), "."
    if factor == -1:
        negated = f"a value called 'neg_{name}' is a negated loss, never above zero: {contradict}"
        return negated, f" these are the losses themselves, call the metric {name!r}."
    return (
        f"{name!r} is never negative: {contradict} these are scikit-learn's negated losses, call the metric 'neg_{name}' ",
        "(in the source, or with ",
        Setting("metric"),
        ").",
    )


def check_finite(matrix: ScoreMatrix, source: str) -> None:
    """Refuse infinite scores; nan stands for a score that is undefined."""
    for model, row in zip(matrix.models, matrix.score, strict=True):
        infinite = np.flatnonzero(np.isinf(row))
        if infinite.size:
            raise infinite_score(f"{source}: model {model!r}, {matrix.split_name(int(infinite[0]))}", row[infinite[0]])


def infinite_score(where: str, value: float) -> InvalidScoresError:
    """The error for one infinite score."""
    return InvalidScoresError(
        f"{where}: the score is {'' if value > 0 else 'minus '}infinite. Means and differences would be infinite too; correct "
        "it, or leave the cell empty (nan) if the score is undefined."
    )


_ITEMS_FROM = 50
"""Rows of nothing but 0 and 1 from which a table is asked whether its rows are examples."""

_EXAMPLES_FROM = 10
"""Test examples of each split from which an accuracy of exactly 0 here and exactly 1 there is no accident, however few rows."""


def refuse_items(matrix: ScoreMatrix, options: ReadOptions, source: str) -> None:
    """Ask whether rows of 0 and 1 are folds or examples, where nothing says that they are folds of one example each.

    Of examples of one test set, resampling statistics would be wrong.
    """
    n_test = options.n_test if options.n_test is not None else int(matrix.n_test.max(initial=0))
    many = matrix.n_splits >= _ITEMS_FROM or (n_test >= _EXAMPLES_FROM and options.metric in ("accuracy", "acc"))
    if not many or n_test == 1 or not all(np.all((row == 0) | (row == 1) | np.isnan(row)) for row in matrix.score):
        return
    if n_test and bool(np.all(matrix.score == 1) or np.all(matrix.score == 0)):
        return  # all right everywhere
    if n_test:
        raise AmbiguousSourceError(
            f"{source} has {matrix.n_splits} rows in which every score is 0 or 1, though each is said to be of {n_test} test "
            "examples. So its rows are probably items (examples of one test set, right or wrong), and none is a split. Pass ",
            Setting("rows", "'items'"),
            " without those sizes to compare the models item by item. If the rows are folds, name them in a column 'fold'.",
        )
    if matrix.n_splits >= _ITEMS_FROM:
        raise AmbiguousSourceError(
            f"{source} has {matrix.n_splits} rows in which every score is 0 or 1. Are its rows folds, or items (examples of "
            "one test set, right or wrong)? Pass ",
            Setting("rows", "'items'"),
            " to compare the models item by item. If they are folds, add columns n_train and n_test with the numbers of training "
            "and test examples of each fold.",
        )


# --- sizes --------------------------------------------------------------------------------------------------------------


def with_sizes(matrix: ScoreMatrix, options: ReadOptions, source: str) -> ScoreMatrix:
    """The matrix with the caller's n_train and n_test where it has none; contradictions are refused."""
    n_train = _filled(matrix.n_train, options.n_train, "n_train", matrix, source)
    n_test = _filled(matrix.n_test, options.n_test, "n_test", matrix, source)
    known = [bool(np.all(column > 0)) for column in (n_train, n_test)]
    if known[0] != known[1] and (options.n_train is not None or options.n_test is not None):
        there, absent = ("n_train", "n_test") if known[0] else ("n_test", "n_train")
        raise InvalidParameterError(
            f"{there} is known but {absent} is not, and the correction needs both. Pass ", Setting(absent), " too."
        )
    matrix = dataclasses.replace(matrix, n_train=n_train, n_test=n_test)
    _check_total(matrix, options, source)
    return matrix


def _filled(column: IntArray, given: int | None, name: str, matrix: ScoreMatrix, source: str) -> IntArray:
    if given is None:
        return column
    wrong = np.flatnonzero((column > 0) & (column != given))
    if wrong.size:
        raise ContradictingSizesError(
            Setting(name, repr(given)),
            f" was given, but {source} says {column[wrong[0]]} for {matrix.split_name(int(wrong[0]))}. Leave out ",
            Setting(name),
            " to use the sizes of the source.",
        )
    return np.full(matrix.n_splits, given, dtype=np.int64)


def _check_total(matrix: ScoreMatrix, options: ReadOptions, source: str) -> None:
    if options.n_samples is None:
        return
    total = matrix.n_train + matrix.n_test
    wrong = np.flatnonzero(total > options.n_samples)
    if wrong.size:
        split = int(wrong[0])
        raise ContradictingSizesError(
            f"n_samples={options.n_samples} was given, but {matrix.split_name(split)} of {source} has {matrix.n_train[split]} "
            f"training and {matrix.n_test[split]} test examples. n_samples counts all examples, training and test together."
        )


def known_sizes(matrices: Iterable[ScoreMatrix]) -> Literal["exact", "missing"]:
    """Sizes as a `SplitDesign` says them: "exact" if all are known."""
    return "exact" if all(matrix.has_sizes for matrix in matrices) else "missing"


# --- paths --------------------------------------------------------------------------------------------------------------


def is_path(source: Any, *endings: str) -> bool:
    """True for a path, as text or as a path object, that has one of the endings."""
    return isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() in endings


def read_file(source: str | os.PathLike[str], read_format: Callable[[Path, str], Source]) -> Source:
    """Scores in a file, named after its path; `read_format` is given the path, and the name of the file in messages."""
    path, name = Path(source), printable(os.fspath(source))
    check_path(path, name)
    try:
        found = read_format(path, name)
    except OSError as error:
        if isinstance(error, SourceNotFoundError):
            raise
        raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None
    return dataclasses.replace(found, suffixes=(printable(path.stem), printable(f"{path.parent.name}/{path.stem}")))


def strict_json(text: str | bytes) -> Any:
    """Content of the JSON text of a table, in which no key stands twice in one object and every number is one.

    Raises
    ------
    ValueError
        It is no JSON, or not such a text.
    """
    return json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_number)


class _NotStrictError(ValueError):
    """Refusal of what Python's parser takes and JSON does not have."""


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise _NotStrictError(
            f"the key {key!r} stands twice in one object, so that one of the two would be lost. Give each its own name"
        )
    return found


def _no_number(token: str) -> Any:
    raise _NotStrictError(f"{token} is not JSON. Write null for a score that is undefined")


def parse_json(text: str | bytes, where: str, hint: str = "Is it complete?", *, is_table: bool = False) -> Any:
    """Content of a JSON text of others; what Python's parser cannot take is said in words, of a table also what JSON lacks."""
    try:
        return strict_json(text) if is_table else json.loads(text)
    except _NotStrictError as error:
        raise UnreadableSourceError(f"{where}: {error}.") from None
    except RecursionError:
        raise UnreadableSourceError(f"{where}: the JSON is nested too deeply to hold scores.") from None
    except ValueError as error:  # no JSON, no UTF-8, whole numbers of thousands of digits
        raise UnreadableSourceError(f"{where} is not JSON: {getattr(error, 'msg', error)}. {hint}") from None


MOST_VALUES = 1_000_000
"""Values in a text of JSON, of which each may take 70 bytes and more, whatever it takes in the file."""
_FEW_BYTES = 1_000_000


def parse_log(text: str | bytes, where: str, hint: str = "Is it complete?", *, share: int = 64, is_table: bool = False) -> Any:
    """Content of a JSON text, of which no more is built than a log has: one mark in `share` characters may be prose."""
    if len(text) > _FEW_BYTES:
        marks: Any = "{[,:" if isinstance(text, str) else (b"{", b"[", b",", b":")
        n_values = sum(text.count(mark) for mark in marks)
        if n_values > MOST_VALUES + len(text) // share:  # prose has marks too
            raise UnreadableSourceError(f"{where} holds {n_values:,} values or more, which no log does. It is not read.")
    return parse_json(text, where, hint, is_table=is_table)


_CHARACTERS = 24
"""Of a row of a table in JSON, at least, beyond the first `MOST_VALUES`: an empty one of 3 takes a hundred times that."""


def parse_table(text: str, where: str) -> Any:
    """Content of the JSON text of a table, of which no more objects and lists are built than a table has."""
    check_objects(text, where)
    return parse_json(text, where, is_table=True)


def check_objects(text: str, where: str) -> None:
    """Refuse the JSON text of a table that holds more objects and lists than a table of its length has."""
    n_objects = text.count("{") + text.count("[") if len(text) > _FEW_BYTES else 0
    if n_objects > MOST_VALUES + len(text) // _CHARACTERS:
        raise UnreadableSourceError(f"{where} holds {n_objects:,} objects, which no table of its size does. It is not read.")


def check_regular(path: Path, name: str) -> None:
    """Refuse what has no end, such as /dev/zero, a link to it, or a socket; pipes are read like files."""
    if path.is_char_device() or path.is_block_device() or path.is_socket():
        raise SourceNotFoundError(f"{name} is a device and no file. Pass a file, or '-' for standard input.")


def check_path(path: Path, name: str) -> None:
    """Refuse a path with nothing to read behind it."""
    if "\0" in str(path):
        raise SourceNotFoundError(f"{str(path)!r} is no path: it holds a NUL character.")
    try:
        is_there = path.exists()
    except OSError as error:  # a name that is too long
        raise SourceNotFoundError(f"{name:.100} cannot be opened: {error.strerror or error}.") from None
    if path.is_dir():
        raise SourceNotFoundError(f"{name} is a directory. Pass the files in it.")
    if not is_there and path.is_symlink():
        raise SourceNotFoundError(
            f"{name} is a link that leads nowhere, or to itself. Remove it, or name the file that is meant."
        )
    if not is_there:
        raise SourceNotFoundError(f"there is no file {without_password(name)!r} (looked in {Path.cwd()}).{nearest_file(path)}")
    check_regular(path, name)


# --- lines and pipes of others ------------------------------------------------------------------------------------------

LONGEST_LINE = 32 * 2**20
"""Characters of a line; whole logs of long prompts and answers take less for each sample."""


def lines_of(file: IO[str], name: str) -> Iterator[tuple[int, str]]:
    """Lines of a file with their numbers, from 1 on; one longer than `LONGEST_LINE` is refused before it is read whole."""
    number = 1
    while line := file.readline(LONGEST_LINE + 2):
        if len(line.rstrip("\n")) > LONGEST_LINE:
            raise _long_line(name, number)
        yield number, line
        number += 1


def check_lines(path: Path, name: str) -> None:
    """Refuse a file with a line longer than `LONGEST_LINE`, for those who read all lines at once; in bytes here."""
    number, length = 1, 0
    with path.open("rb") as file:
        while block := file.read(min(2**20, LONGEST_LINE)):  # so that no line that is too long ends where it began
            first, last = block.find(b"\n"), block.rfind(b"\n")
            length += len(block) if first < 0 else first
            if length > LONGEST_LINE:
                raise _long_line(name, number)
            if first >= 0:
                length = len(block) - last - 1
            number += block.count(b"\n")


LARGEST_WHOLE = 2**30
"""Bytes of a file of JSON or HTML, which is read as a whole and takes several times as many then."""


def check_whole(path: Path, name: str) -> None:
    """Refuse a file that has to be read as a whole and is too large for that, or is no text."""
    with path.open("rb") as file:
        start = file.read(2**16)
    if b"\0\0\0\0" in start:
        raise UnreadableSourceError(f"{name} holds NUL characters, so it is no text, or damaged.")
    size = path.stat().st_size
    if size > LARGEST_WHOLE:
        raise UnreadableSourceError(
            f"{name} takes {size / 1e9:.1f} GB, and a file that is read as a whole at most {LARGEST_WHOLE / 2**30:g} GiB. Write "
            "the table as JSON lines, CSV or Parquet."
        )


def check_extent(path: Path, name: str) -> None:
    """Refuse a table of items with an endless line, or one that this computer cannot hold, which would end the process."""
    if path.suffix.lower() == ".jsonl":
        check_lines(path, name)
    if path.suffix.lower() == ".json":
        check_whole(path, name)
    if not hasattr(os, "sysconf"):
        return  # Windows
    size = path.stat().st_size
    if path.suffix.lower() == ".parquet":
        try:
            from pyarrow import ArrowException, parquet

            file = parquet.read_metadata(path)
            size = 8 * file.num_rows * file.num_columns  # a score or the place of a text for each cell
        except (ImportError, ArrowException, OSError, ValueError):
            return  # whoever reads it says what is wrong
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if size > memory:
        raise UnreadableSourceError(
            f"{name} takes {size / 1e9:,.1f} GB or more when it is read, and this computer has {memory / 1e9:,.1f} GB of memory. "
            "Write a file of fewer models or items."
        )


def _long_line(name: str, number: int) -> UnreadableSourceError:
    return UnreadableSourceError(
        f"{name}, line {number} is longer than {LONGEST_LINE / 2**20:g} MiB, so it is no record of one sample. Are the line "
        "breaks lost, or is it another kind of file?"
    )


@contextmanager
def pipes_as_files(sources: Sequence[Any], standard_input: BinaryIO | None = None) -> Iterator[list[Any]]:
    """The sources, with a file in the place of each pipe; errors speak of the pipe.

    A pipe can be read only once, but the kind of a file, its columns and its values are read one after the other. With
    `standard_input`, "-" stands for that.
    """
    names: dict[str, str] = {}

    def is_input(source: Any) -> bool:
        return standard_input is not None and isinstance(source, str) and source == "-"

    def holds_pipe(source: Any) -> bool:
        return is_input(source) or is_pipe(source) or (isinstance(source, Mapping) and any(map(is_pipe, source.values())))

    def as_file(source: Any) -> Any:
        if not holds_pipe(source):
            return source
        if isinstance(source, Mapping):
            return {key: as_file(value) for key, value in source.items()}
        path = Path("stdin" if is_input(source) else source)
        name = "standard input" if is_input(source) else printable(str(path))
        copy = _copied(standard_input if is_input(source) else None, path, name, Path(folder, str(len(names))))
        names[str(copy)] = name
        return copy

    if not any(map(holds_pipe, sources)):
        yield list(sources)
        return
    with TemporaryDirectory(prefix="tiebreak-") as folder:
        held = [as_file(source) for source in sources]
        try:
            yield held
        except TiebreakError as error:
            for copy, name in names.items():
                error.rename_source(name, copy)
            raise


def is_pipe(source: Any) -> bool:
    """True for the path of a named pipe, as the shell's <(...) is one."""
    try:
        return isinstance(source, str | os.PathLike) and Path(source).is_fifo()
    except (OSError, ValueError):  # a text that is no path
        return False


def _copied(standard_input: BinaryIO | None, path: Path, name: str, folder: Path) -> Path:
    """File with what a pipe holds; its name says of what kind it begins to be, where that of the pipe does not."""
    folder.mkdir()
    try:
        with path.open("rb") if standard_input is None else nullcontext(standard_input) as stream:
            start = stream.readline(LONGEST_LINE)
            if start.rstrip().endswith(b"}"):
                start += stream.readline(LONGEST_LINE)
            ending = path.suffix if path.suffix.lower() in _ENDINGS else _ending_of(start)
            copy = folder / f"{path.stem}{ending}"
            with copy.open("wb") as file:
                file.write(start)
                shutil.copyfileobj(stream, file)
    except OSError as error:
        raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None
    return copy


def _ending_of(start: bytes) -> str:
    """Ending of files that begin like this."""
    if start.startswith(b"PAR1"):
        return ".parquet"
    if start.startswith(b"PK\x03\x04"):
        return ".eval"
    first, _, rest = start.removeprefix(b"\xef\xbb\xbf").strip().partition(b"\n")
    if first.startswith((b"{", b"[")):
        return ".jsonl" if first.startswith(b"{") and rest.startswith(b"{") else ".json"
    if first[:9].lower() == b"<!doctype":
        return ".html"
    return ".tsv" if b"\t" in first and b"," not in first and b";" not in first else ".csv"


_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".eval", ".html")
"""Endings that say what a file holds."""
