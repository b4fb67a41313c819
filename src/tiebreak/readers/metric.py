"""Metric that is read from a source, and its direction."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any

from tiebreak.errors import Advice, InvalidParameterError, Setting, UnclearSourceError, UnknownNameError
from tiebreak.readers.header import bare_name, plain, without_part
from tiebreak.scores.metric import (
    HIGHER_IS_BETTER,
    LOWER_IS_BETTER,
    Metric,
    NamedMetric,
    full_name,
    has_direction,
    is_known,
    known_metric,
    names_loss,
    plain_name,
)
from tiebreak.scores.vocabulary import look_up, quoted

if TYPE_CHECKING:
    from tiebreak.readers.source import ReadOptions
    from tiebreak.scores.scores import Scores


def name_metric(name: str, lower_is_better: bool | None = None) -> NamedMetric:
    """The metric behind a name, with its direction from the lists of known names or from the caller.

    Raises `UnclearSourceError` for a name that is in no list, without a direction, and `InvalidParameterError` for a
    direction that contradicts a name that is.
    """
    if lower_is_better is not None and not isinstance(lower_is_better, bool):
        raise InvalidParameterError(f"lower_is_better must be True, False or None; got {lower_is_better!r}.")
    known = known_metric(name)
    if known is not None and (known.factor == -1 or known.metric.higher_is_better is not lower_is_better):
        return known
    if known is not None and is_known(name):
        raise _contradiction(name, known.metric, lower_is_better)
    of_part = known_metric(without_part(name))
    if lower_is_better is None and of_part is not None and "train" not in name.casefold():  # val_acc, eval/loss
        return NamedMetric(Metric(name, of_part.metric.higher_is_better), of_part.factor)
    if lower_is_better is None:
        known_names = sorted(HIGHER_IS_BETTER | LOWER_IS_BETTER)
        near = difflib.get_close_matches("_".join(name.lower().split()), known_names, 3, 0.75)
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


def choose_metric(held: Sequence[str], asked: str | None, source: str, advice: Sequence[str | Setting] = ()) -> str:
    """One of the held metrics, the one asked for, or the only one; "log_loss" finds "neg_log_loss", "auc" finds "AUC".

    The advice goes on after the error that there are several.
    """
    if asked is None:
        if len(held) > 1:
            raise UnclearSourceError(
                f"{source} holds {len(held)} metrics: {quoted(held)}. Say which one to compare with ",
                Setting("metric"),
                ".",
                *advice,
            )
        return held[0]
    found = metric_among(asked, held, source)
    return held[look_up(asked, held, "metric")] if found is None else found


def metric_among(asked: str, names: Sequence[str], source: str) -> str | None:
    """The name of the metric that is asked for among others, as it is typed or in another spelling; None for none."""
    for spelling in _SPELLINGS:
        found = [name for name in names if spelling(name) == spelling(asked)]
        if len(found) > 1:
            raise UnclearSourceError(
                f"{source} has {quoted(found)}, and each may be the metric {asked!r}. Write its name as it stands there."
            )
        if found:
            return found[0]
    return None


_SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    plain,
    lambda name: name.removeprefix("neg_"),
    lambda name: plain_name(full_name(bare_name(name))),
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
            ": a name such as 'accuracy' or 'neg_log_loss', or any other name together with ",
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
        typed = " ".join(f"--direction {quote(name)} {'lower' if is_loss else 'higher'}" for name, is_loss in each.items())
        raise UnclearSourceError(
            f"{source} holds {quoted(metrics)}, one metric for each dataset. Is higher or lower better for {quoted(unknown)}? "
            "Say it by metric, for example ",
            Advice(f"lower_is_better={each!r}", typed=typed),
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
    if scoring is None:
        name, is_certain = _default(getattr(search, "estimator", None))
    if options.metric is not None and is_certain:
        choose_metric([str(name)], options.metric, f"the {type(search).__name__}")
    elif options.metric is not None:
        name = "score"  # which metric= names
    own = str(name or getattr(getattr(scoring, "_score_func", scoring), "__name__", "score"))
    return ("score" if own == "<lambda>" else own), getattr(scoring, "_sign", None)


def _default(estimator: Any) -> tuple[str, bool]:
    """Metric of an estimator's own ``score``: accuracy or R2, and whether that is certain, as the method is scikit-learn's."""
    from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier, is_regressor

    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    method = getattr(type(last), "score", None)
    if is_classifier(estimator):
        return "accuracy", method is ClassifierMixin.score
    return ("r2", method is RegressorMixin.score) if is_regressor(estimator) else ("score", False)
