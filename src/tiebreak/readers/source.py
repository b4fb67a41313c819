"""Scores of one source, the options by which it is read, its metric, and the checks that all sources of scores share."""

import dataclasses
import difflib
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any, NamedTuple

import numpy as np

from tiebreak.errors import Advice, DataError, InvalidParameterError, Setting, UnclearSourceError, UnknownNameError
from tiebreak.numerics import IntArray, refuse_unless, set_checked
from tiebreak.printable import fault_of_name
from tiebreak.readers.header import plain
from tiebreak.scores.metric import (
    HIGHER_IS_BETTER,
    LOWER_IS_BETTER,
    Metric,
    NamedMetric,
    bare_name,
    full_name,
    has_direction,
    is_known,
    known_metric,
    names_loss,
    plain_name,
)
from tiebreak.scores.scores import LARGEST_SCORE, ScoreMatrix, Scores, SplitDesign
from tiebreak.scores.vocabulary import Notice, look_up, quoted

ACCEPTED = (
    "a fitted search (GridSearchCV and its like) or its cv_results_, {name: cross_validate(...)}, "
    "{name: scores, one per split}, a list of records, a data frame (pandas, polars, pyarrow or "
    "another that narwhals reads), a path to a CSV, JSON or Parquet file, or Scores"
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Parameters by which sources are read, checked; meanings as in `tiebreak.compare` and `tiebreak.read_scores`."""

    metric: str | None = None
    models: Sequence[str] | None = None
    dataset: str | None = None
    lower_is_better: bool | Mapping[str, bool] | None = None
    X: Any = None
    y: Any = None
    groups: Any = None
    n_train: int | None = None
    n_test: int | None = None
    cv: Any = None
    rows: str | None = None
    item: str | None = None
    cluster: str | None = None
    columns: Mapping[str, str] | None = None
    where: Mapping[str, str | Sequence[str]] | None = None
    positive: str | None = None
    n_classes: tuple[int, int] | None = None
    """Positive and negative test examples, where `n_test` was given as both; it is their sum then."""

    def __post_init__(self) -> None:
        """Refuse what fits no source; models become a tuple, counts Python's numbers."""
        said: Any = self.lower_is_better
        n_test: Any = self.n_test
        models: Any = self.models
        by_metric = said if isinstance(said, Mapping) else {}
        both = n_test if isinstance(n_test, list | tuple) else None
        names = tuple(models) if isinstance(models, Iterable) and not isinstance(models, str) else ()
        doubled = next((name for i, name in enumerate(names) if name in names[:i]), None)
        wrong = {
            f"rows must be 'auto', 'items', 'splits' or 'seeds'; got {self.rows!r:.80}.": self.rows
            not in (None, "auto", "items", "splits", "seeds"),
            **{
                f"{name} must be a name; got {text!r:.80} of type {type(text).__name__}.": not isinstance(text, str | None)
                for name in ("metric", "dataset", "item", "cluster")
                for text in [getattr(self, name)]
            },
            **{
                f"{name} must be a dict of names; got {each!r:.80}.": not isinstance(each, Mapping | None)
                or any(not isinstance(key, str) for key in each or ())
                or (name == "columns" and any(not isinstance(text, str) for text in (each or {}).values()))
                for name in ("columns", "where")
                for each in [getattr(self, name)]
            },
            f"lower_is_better must be True, False or None, or {{metric: True or False}} for several metrics; got {said!r:.80}.": (
                not isinstance(said, bool | None) and (not by_metric or any(not isinstance(name, str) for name in by_metric))
            ),
            f"lower_is_better must be True or False for each metric; got {by_metric!r:.80}.": any(
                not isinstance(value, bool) for value in by_metric.values()
            ),
            f"n_test must be one number, or those of positive and negative examples; got {both!r:.60}.": (
                both is not None and (len(both) != 2 or None in both)
            ),
            f"cv must agree with n_train and n_test: {self.cv!r} folds do not have {self.n_train!r} training examples to "
            f"{n_test!r} of a test set. Give either.": (
                all(isinstance(each, int) for each in (self.cv, self.n_train, n_test))
                and self.cv > 1
                and 5 * abs(n_test * (self.cv - 1) - self.n_train) > self.n_train  # folds are not all of one size
            ),
            f"models names {doubled!r} twice. Name each model once.": doubled is not None,
            f"models must be a list of the names to keep, as in models=['svm', 'rf']; got {models!r:.60}.": (
                models is not None and not names
            ),
        }
        for text in [text for text, is_so in wrong.items() if is_so][:1]:
            raise InvalidParameterError(text, about=text.partition(" ")[0])
        counts = [_checked_count(each, "n_test") for each in ([n_test] if both is None else both)]
        set_checked(
            self,
            n_train=_checked_count(self.n_train, "n_train"),
            n_test=counts[0] if both is None else sum(filter(None, counts)),
            n_classes=None if both is None else tuple(counts),
            models=None if models is None else names,
        )

    def direction_of(self, metric: str) -> bool | None:
        """True where lower is better for a metric, False where higher is, as the caller says; None where they do not."""
        return self.lower_is_better.get(metric) if isinstance(self.lower_is_better, Mapping) else self.lower_is_better

    @property
    def named_columns(self) -> dict[str, str]:
        """Columns by what they hold where the caller says it, several of one part with commas between."""
        own = {"item": self.item, "cluster": self.cluster}
        return {**(self.columns or {}), **{role: name for role, name in own.items() if name is not None}}

    @property
    def has_sizes(self) -> bool:
        """True if both n_train and n_test were given."""
        return self.n_train is not None and self.n_test is not None


def _checked_count(value: Any, name: str) -> int | None:
    if value is None:
        return None
    is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
    is_count = is_whole and 1 <= operator.index(value) <= _MOST_EXAMPLES
    refuse_unless(is_count, name, f"be a number of examples, a whole number from 1 to {_MOST_EXAMPLES:.0e}", value)
    return operator.index(value)


_MOST_EXAMPLES = 10**15
"""More than anybody has, and few enough for sums and quotients without rounding."""


class Source(NamedTuple):
    """A source: first what a caller gave, then what was found in it, and in the end its scores.

    Attributes
    ----------
    held : object
        `Scores`; until these are known a long table, a table of predictions, the path of the log of a tool, or what was given.
    name, place : str
        Of the source in messages, "scores.csv", "the GridSearchCV"; and by its place among others, "source 2".
    key, file : str
        Name that its one model has from a dict of sources, and from its file; "" where there is none.
    labels : tuple of tuple of str
        The words behind the codes of repeats, and those behind the codes of folds, where the source names these in words.
    """

    held: Any
    name: str
    place: str = ""
    key: str = ""
    file: str = ""
    labels: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def stem(self) -> str:
        """Name for its one model."""
        return self.key or self.file


def scores_of(
    matrices: Sequence[ScoreMatrix],
    named: Sequence[NamedMetric],
    design: SplitDesign,
    options: ReadOptions,
    name: str,
    *,
    notices: tuple[Notice, ...] = (),
    by_sklearn: bool = False,
    roles: str = "",
    fit_times: Mapping[str, tuple[float, float]] | None = None,
) -> Scores:
    """Scores as they were stored, turned into the metric's unit, with the caller's sizes, and checked.

    `named` are the metrics of the matrices, `roles` is what was taken for what. `by_sklearn` says that scikit-learn computed the
    scores, which negates losses. `fit_times` are times of a fit and their standard errors by model, where the source has them.
    """
    checked = []
    for matrix, its in zip(matrices, named, strict=True):
        if its.factor == -1:  # not -score, which would turn 0 into -0
            matrix = dataclasses.replace(matrix, score=0.0 - matrix.score)
        # nan, an undefined score, is none of these
        for place, split in np.argwhere(np.abs(matrix.score) > LARGEST_SCORE)[:1].tolist():
            value = matrix.score[place, split]
            what = f"{value:g}" if np.isfinite(value) else "infinite" if value > 0 else "minus infinite"
            raise DataError(
                f"{name}: model {matrix.models[place]!r}, {matrix.split_name(split)}: the score is {what}. Scores of at most "
                f"{LARGEST_SCORE:g} in size are compared; correct it, or leave the cell empty (nan) if the score is undefined."
            )
        _check_sign(matrix, its, name, by_sklearn)
        checked.append(dataclasses.replace(with_sizes(matrix, options, name), metric=its.metric))
    if design.pairing == "position":
        notices = (
            *notices,
            Notice(
                "assumed-paired",
                f"the splits of {name} have no names, so models are paired by the order of their scores; if they were not scored "
                "on the same splits in the same order, the answer is wrong",
            ),
        )
    times = {model: each for model, each in (fit_times or {}).items() if np.isfinite(each[0])}
    design, read_as = with_known_sizes(design, checked), (roles,) if roles else ()
    return Scores(named[0].metric, (), design, notices, fit_times=times, roles=read_as).with_matrices(checked)


# --- values -------------------------------------------------------------------------------------------------------------

_ROUNDING = 1e-12
"""A perfect log loss may come out as -1e-16."""


def _check_sign(matrix: ScoreMatrix, named: NamedMetric, source: str, by_sklearn: bool) -> None:
    """Refuse values that cannot be what their name says: a log loss below zero, or a ``neg_log_loss`` above."""
    metric = named.metric
    is_never_negative = metric.bounds[0] == 0.0 and not metric.higher_is_better
    for place, split in np.argwhere(is_never_negative & (matrix.score < -_ROUNDING))[:1].tolist():
        value, name = matrix.score[place, split] * named.factor, metric.name
        what = f"{source}: model {matrix.models[place]!r} has {value:g} on {matrix.split_name(split)}, but "
        end = "sign and name contradict each other. If "
        if by_sklearn:
            raise DataError(
                f"{what}scikit-learn stores the loss {name!r} negated, never above zero: {end}the scorer was made without "
                "greater_is_better=False, the search took large losses for good ones; pass the losses themselves as {name: "
                "array} with ",
                Setting("metric", repr(name)),
                ".",
            )
        own, other, side = (f"neg_{name}", name, "above") if named.factor == -1 else (name, f"neg_{name}", "below")
        what += f"{own!r} is never {side} zero: {end}the values are right, call the metric {other!r} "
        raise DataError(f"{what}(in the source, or with ", Setting("metric"), ").")


def refuse_names(what: str, names: Iterable[str]) -> None:
    """Refuse names that nobody can read, and such as no file can hold."""
    for name in names:
        if fault := fault_of_name(name):
            raise DataError(f"the name {name!r} of a {what} {fault}")


_FEW = 10
"""Splits, and examples in each, up to which scores may well be all 0 or 1."""


def refuse_items(matrix: ScoreMatrix, options: ReadOptions, source: str) -> None:
    """Ask whether scores of 0 and 1 are of folds or of examples: of examples of one test set, the answer would be wrong."""
    n_test = options.n_test or int(matrix.n_test.max(initial=0))
    are_few = matrix.n_splits < _FEW or 0 < n_test < _FEW
    if not are_few and np.unique(matrix.score[~np.isnan(matrix.score)]).tolist() == [0, 1]:
        raise UnclearSourceError(
            f"{source} has {matrix.n_splits} scores of each model, every one of which is 0 or 1, so they are probably items "
            "(examples of one test set, right or wrong), and none is a split. Pass ",
            Setting("rows", "'items'"),
            " without sizes to compare the models item by item. If they are folds, name these in a column 'fold', or pass ",
            Setting("n_test", "1"),
            " where each has one example.",
        )


def refuse_versions(n_versions: Mapping[str, int], parts: str, columns: str) -> None:
    """Refuse three and more versions of each of several models, one a source: they are hardly models of their own."""
    if len(n_versions) > 1 and min(n_versions.values()) > 2:
        raise UnclearSourceError(
            f"each source has other scores of the models {quoted(list(n_versions), 3)}: are they of {parts}? Put the rows of all "
            f"into one table, with a column {columns} that tells them apart; or pass two versions of the same models."
        )


# --- sizes --------------------------------------------------------------------------------------------------------------


def with_sizes(matrix: ScoreMatrix, options: ReadOptions, source: str) -> ScoreMatrix:
    """The matrix with the caller's n_train and n_test where it has none; contradictions are refused."""
    given = {name: getattr(options, name) for name in ("n_train", "n_test") if getattr(options, name) is not None}
    for name, size in given.items():
        column: IntArray = getattr(matrix, name)
        for split in np.flatnonzero((column > 0) & (column != size))[:1].tolist():
            raise DataError(
                Setting(name, repr(size)),
                f" was given, but {source} says {column[split]} for {matrix.split_name(split)}. Leave out ",
                Setting(name),
                " to use the sizes of the source.",
            )
    sizes: Any = {name: np.full(matrix.n_splits, size, dtype=np.int64) for name, size in given.items()}
    matrix = dataclasses.replace(matrix, **sizes)
    there, absent = ("n_train", "n_test") if np.all(matrix.n_train > 0) else ("n_test", "n_train")
    if given and np.all(getattr(matrix, there) > 0) and not matrix.has_sizes:
        raise InvalidParameterError(
            f"{there} is known but {absent} is not, and the correction needs both. Pass ", Setting(absent), " too."
        )
    return matrix


def with_known_sizes(design: SplitDesign, matrices: Iterable[ScoreMatrix]) -> SplitDesign:
    """The design, whose sizes are exact if all are known, unless it says that they are approximate."""
    known: Any = "exact" if all(matrix.has_sizes for matrix in matrices) else "missing"
    return dataclasses.replace(design, sizes=design.sizes if design.sizes == "approximate" else known)


# --- the metric ----------------------------------------------------------------------------------------------------------


def name_metric(name: str, lower_is_better: bool | None = None) -> NamedMetric:
    """The metric behind a name, with its direction from the lists of known names or from the caller.

    Raises `UnclearSourceError` for a name that is in no list, without a direction, and `InvalidParameterError` for a
    direction that contradicts a name that is.
    """
    bare = re.sub(r"(?i)^(mean|avg|average)[ ._-]+(?!error$)|[ ._-]+(mean|avg|average)$", "", name)
    known = None if "train" in name.casefold() else known_metric(name) or known_metric(bare)
    if known is not None and (known.factor == -1 or known.metric.higher_is_better is not lower_is_better):
        return known
    if known is not None and is_known(name):
        raise _contradiction(name, known.metric, lower_is_better)
    if lower_is_better is None:
        near = difflib.get_close_matches("_".join(name.lower().split()), sorted(HIGHER_IS_BETTER | LOWER_IS_BETTER), 3, 0.75)
        raise UnclearSourceError(
            f"is higher or lower better for the metric {name!r}? Pass ",
            Setting("lower_is_better", "True"),
            " or ",
            Setting("lower_is_better", "False"),
            f", or use scikit-learn's name {' or '.join(map(repr, near))}, whose direction is known." if near else ".",
            about="lower_is_better",
        )
    return NamedMetric(Metric(name, higher_is_better=not lower_is_better), 1)


def _contradiction(name: str, known: Metric, said: bool | None) -> InvalidParameterError:
    return InvalidParameterError(
        Setting("lower_is_better", repr(said)),
        f" contradicts the metric {name!r}, of which {'higher' if known.higher_is_better else 'lower'} is better. Leave it out, "
        "or give the metric another name.",
    )


def choose_metric(held: Sequence[str], asked: str | None, source: str) -> str:
    """One of the held metrics, the one asked for, or the only one; "log_loss" finds "neg_log_loss", "auc" finds "AUC"."""
    if asked is None:
        if len(held) > 1:
            raise UnclearSourceError(
                f"{source} holds {len(held)} metrics: {quoted(held)}. Say which one to compare with ",
                Setting("metric"),
                ".",
            )
        return held[0]
    return metric_among(asked, held, source) or held[look_up(asked, held, "metric")]


def metric_among(asked: str, names: Sequence[str], source: str) -> str | None:
    """The name of the metric that is asked for among others, as it is typed or in another spelling; None for none."""
    for spelling in _SPELLINGS:
        found = [name for name in names if spelling(name) == spelling(asked)]
        if len(found) > 1:
            raise UnclearSourceError(
                f"{source} has {quoted(found)}, and each may be the metric {asked!r}. Write its name as it stands there: ",
                Setting("metric", repr(min(found))),
                ".",
            )
        if found:
            return found[0]
    return None


_SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    plain,
    lambda name: name.removeprefix("neg_"),
    lambda name: plain_name(full_name(bare_name(name))),
    lambda name: plain_name(full_name(re.sub(r"(?i)^(test[ _./-])?(neg_)?", "", bare_name(name)))),
)
"""What two names of a metric have in common, the surest first."""


def of_asked_metric(scores: Scores, options: ReadOptions, source: str) -> Scores:
    """Scores whose metric is checked against what the caller says; of mixed ones the datasets of the metric asked for."""
    if scores.is_mixed and options.metric is None:
        return scores
    names = [scores.metric_of(matrix).name for matrix in scores.matrices]
    chosen = choose_metric(list(dict.fromkeys(names)), options.metric, source)
    scores = scores.with_matrices([m for m, name in zip(scores.matrices, names, strict=True) if name == chosen])
    is_loss = options.direction_of(scores.metric.name)
    if is_loss is not None and is_loss == scores.metric.higher_is_better:
        raise InvalidParameterError(
            Setting("lower_is_better", repr(is_loss)),
            f" contradicts {source}, which says of {scores.metric.name!r} that {'higher' if is_loss else 'lower'} is better. "
            "Leave it out.",
        )
    return scores


def table_metric(held: str | None, options: ReadOptions, source: str, *, has_sizes: bool = True) -> NamedMetric:
    """The metric of a table, array or file, whose name says how its values are stored.

    Where the source does not say what it is called (`held` is None), the caller must. Unless the source has the sizes of its
    splits (`has_sizes`), the error asks for those too.
    """
    name = options.metric if held is None or options.metric == f"neg_{held}" else held  # neg_ says how a column is stored
    try:
        if name is not None:
            return name_metric(name, _direction(held or name, options, [held or name], source))
        if isinstance(options.lower_is_better, bool):
            return name_metric("score", options.lower_is_better)
        raise UnclearSourceError(
            f"{source} does not say which metric its scores are, nor whether higher or lower is better. Pass ",
            Setting("metric"),
            ": a name such as 'accuracy' or 'neg_log_loss' (of columns that are metrics the one to compare), or any other name "
            "together with ",
            Setting("lower_is_better", "True"),
            " or ",
            Setting("lower_is_better", "False"),
            ".",
            about="lower_is_better",
        )
    except UnclearSourceError as error:
        if has_sizes or options.n_train or options.n_test or options.cv is not None:
            raise
        call = f"metric={name!r}, lower_is_better=False" if name else "metric='accuracy'"
        typed = f"--metric {quote(name)} --higher-is-better" if name else "--metric accuracy"
        raise UnclearSourceError(
            *error.parts,
            " Nor does it say what share of the examples each split tests on. All together, for example: ",
            Advice(f"compare(..., {call}, cv=10)", typed=f"{typed} --cv 10"),
            ".",
        ) from None


def mixed_metrics(held: Sequence[str], options: ReadOptions, source: str) -> list[NamedMetric]:
    """The metric of each dataset, by its name in the source; what the caller says of a known one must agree with it."""
    metrics = list(dict.fromkeys(held))
    said = {name: _direction(name, options, metrics, source) for name in metrics}
    unknown = [name for name in metrics if said[name] is None and not has_direction(name)]
    if unknown:
        each = {name: is_loss for name, is_loss in said.items() if is_loss is not None}
        each |= {name: number % 2 == 0 for number, name in enumerate(unknown)}
        raise UnclearSourceError(
            f"{source} holds {quoted(metrics)}, one metric for each dataset. Is higher or lower better for {quoted(unknown)}? "
            "Say it by metric, for example ",
            Advice(
                f"lower_is_better={each!r}",
                typed=" ".join(f"--direction {quote(name)} {'lower' if is_loss else 'higher'}" for name, is_loss in each.items()),
            ),
            ". To compare by one of them, pass ",
            Setting("metric"),
            ".",
        )
    return [name_metric(name, said[name]) for name in held]


def _direction(metric: str, options: ReadOptions, held: Sequence[str], source: str) -> bool | None:
    """The direction that the caller gives a metric; an error where they name metrics that the source does not have."""
    if isinstance(options.lower_is_better, Mapping):
        others = [name for name in options.lower_is_better if name not in held]
        if others and (len(held) > 1 or metric not in options.lower_is_better):
            raise UnknownNameError(
                f"no metric {quoted(others)} in {source}, which has {quoted(held)}. Correct the names in ",
                Advice("lower_is_better=", typed="--direction"),
                ".",
            )
    return options.direction_of(metric)


def sklearn_metric(held: str, options: ReadOptions, sign: int | None = None) -> NamedMetric:
    """The metric of scores that scikit-learn computed, where a higher stored value is better: losses are stored negated.

    `held` is the name of the scorer, "score" where it has none; `sign` what it multiplied its
    function by, where that is known.
    """
    name = options.metric if held == "score" and options.metric is not None else held
    bare = name.removeprefix("neg_")
    is_loss, said = names_loss(bare) or sign == -1, options.direction_of(bare)
    if said not in (None, is_loss) and (sign is not None or is_known(bare)):
        raise _contradiction(name, Metric(bare, higher_is_better=not is_loss), said)
    is_loss = is_loss if said is None else said
    return NamedMetric(Metric(bare if is_loss else name, higher_is_better=not is_loss), -1 if is_loss else 1)


def scorer_of(search: Any, options: ReadOptions) -> tuple[str, int | None]:
    """Name of the scorer of a search with one metric, and the sign that its function was multiplied by, where that is known.

    The name is "score" where the scorer has none. One that is only supposed yields to ``metric=``; one that is certain must agree
    with it.
    """
    scoring = getattr(search, "scoring", None)
    name = scoring if isinstance(scoring, str) else None
    if name is None:  # that of get_scorer("roc_auc"), too
        from sklearn.metrics import get_scorer, get_scorer_names

        name = next((each for each in get_scorer_names() if repr(get_scorer(each)) == repr(scoring)), None)
    is_certain = name is not None
    if scoring is None:  # the estimator's own: accuracy or R2 where the method is scikit-learn's
        from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier, is_regressor

        estimator: Any = getattr(search, "estimator", None)
        method = getattr(type(estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator), "score", None)
        name = "accuracy" if is_classifier(estimator) else "r2" if is_regressor(estimator) else "score"
        is_certain = (name, method) in (("accuracy", ClassifierMixin.score), ("r2", RegressorMixin.score))
    if options.metric is not None and is_certain:
        choose_metric([str(name)], options.metric, f"the {type(search).__name__}")
    elif options.metric is not None:
        name = "score"  # which metric= names
    own = str(name or getattr(getattr(scoring, "_score_func", scoring), "__name__", "score"))
    return ("score" if own == "<lambda>" else own), getattr(scoring, "_sign", None)
