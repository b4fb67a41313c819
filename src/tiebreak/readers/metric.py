"""Metric that is read from a source, and its direction."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from tiebreak.errors import Advice, AmbiguousSourceError, InvalidParameterError, Setting, UnknownDirectionError, UnknownNameError
from tiebreak.scores.metric import HIGHER_IS_BETTER, LOWER_IS_BETTER, MORE_IS_BETTER, Metric, full_name
from tiebreak.scores.vocabulary import look_up, quoted

if TYPE_CHECKING:
    from tiebreak.readers.source import ReadOptions
    from tiebreak.scores.scores import Scores


class NamedMetric(NamedTuple):
    """A metric and the factor, +1 or -1, that turns values stored under the given name into it."""

    metric: Metric
    factor: int


def name_metric(name: str, lower_is_better: bool | None = None) -> NamedMetric:
    """The metric behind a name, with its direction from the lists of known names or from the caller.

    The name is a scorer's of scikit-learn, with or without ``neg_`` and in any spelling that `full_name` knows, or any other one
    together with `lower_is_better`. Raises `UnknownDirectionError` for a name that is not in the lists without a direction, and
    `InvalidParameterError` for a direction that contradicts scikit-learn's list.
    """
    if lower_is_better is not None and not isinstance(lower_is_better, bool):
        raise InvalidParameterError(f"lower_is_better must be True, False or None; got {lower_is_better!r}.")
    full = name if lower_is_better is not None else full_name(name)  # an AUC of which the caller says more may be another
    loss = full.removeprefix("neg_")
    if full != loss and loss in LOWER_IS_BETTER:
        return NamedMetric(Metric(loss, higher_is_better=False), -1)
    known = True if full in HIGHER_IS_BETTER else False if full in LOWER_IS_BETTER else None
    if known is not None and lower_is_better is known:
        direction = "higher" if known else "lower"
        raise InvalidParameterError(
            Setting("lower_is_better", repr(lower_is_better)),
            f" contradicts the metric {name!r}, of which {direction} is better. Leave it out, or give the metric another name.",
        )
    if lower_is_better is None and not has_direction(name):
        raise UnknownDirectionError(
            f"is higher or lower better for the metric {name!r}? Pass ",
            Setting("lower_is_better", "True"),
            " or ",
            Setting("lower_is_better", "False"),
            f"{_suggestion(name)}.",
        )
    return NamedMetric(Metric(full, higher_is_better=not lower_is_better if known is None else known), 1)


def is_known(name: str) -> bool:
    """True where scikit-learn has a scorer of this name, as people write it, so that its direction is known."""
    return full_name(name).removeprefix("neg_") in HIGHER_IS_BETTER | LOWER_IS_BETTER


def has_direction(name: str) -> bool:
    """True where the name of a metric tells whether higher or lower is better."""
    return is_known(name) or name.casefold() in MORE_IS_BETTER


def names_loss(name: str) -> bool:
    """True where people use this name for one of scikit-learn's losses, such as "rmse"."""
    return full_name(name) in LOWER_IS_BETTER


def _suggestion(name: str) -> str:
    lowered = name.lower().removeprefix("neg_").replace(" ", "_").replace("-", "_")
    near = difflib.get_close_matches(lowered, sorted(HIGHER_IS_BETTER | LOWER_IS_BETTER), 3, 0.75)
    return ", or use scikit-learn's name " + " or ".join(repr(n) for n in near) + ", whose direction is known" if near else ""


def choose_metric(held: Sequence[str], asked: str | None, source: str, advice: Sequence[str | Setting] = ()) -> str:
    """One of the held metrics, the one asked for, or the only one; "log_loss" finds "neg_log_loss", "auc" finds "AUC".

    The advice goes on after the error that there are several.
    """
    if asked is None:
        if len(held) > 1:
            said = f"{source} holds {len(held)} metrics: {quoted(held)}. Say which one to compare with "
            raise AmbiguousSourceError(said, Setting("metric"), ".", *advice)
        return held[0]
    for alias in (asked, f"neg_{asked}", asked.removeprefix("neg_")):
        if alias in held:
            return alias
    alike = [name for name in held if full_name(name) == full_name(asked)]
    if len(alike) == 1:
        return alike[0]
    return held[look_up(asked, held, "metric")]


def of_asked_metric(scores: Scores, options: ReadOptions, source: str) -> Scores:
    """Scores whose metric is checked against what the caller says; of mixed ones the datasets of the metric asked for."""
    if scores.is_mixed and options.metric is None:
        return scores
    if scores.is_mixed:
        names = [scores.metric_of(matrix).name for matrix in scores.matrices]
        chosen = choose_metric(list(dict.fromkeys(names)), options.metric, source)
        scores = scores.with_matrices([m for m, name in zip(scores.matrices, names, strict=True) if name == chosen])
    check_held(scores.metric, options, source)
    return scores


def check_held(metric: Metric, options: ReadOptions, source: str) -> Metric:
    """A metric whose name and direction the source knows; what the caller says must agree."""
    choose_metric([metric.name], options.metric, source)
    is_loss = options.direction_of(metric.name)
    if is_loss is not None and is_loss == metric.higher_is_better:
        direction = "higher" if metric.higher_is_better else "lower"
        raise InvalidParameterError(
            Setting("lower_is_better", repr(is_loss)),
            f" contradicts {source}, which says of {metric.name!r} that {direction} is better. Leave it out.",
        )
    return metric


def table_metric(held: str | None, options: ReadOptions, source: str, *, has_sizes: bool = True) -> NamedMetric:
    """The metric of a table, array or file, whose name says how its values are stored.

    Where the source does not say what it is called (`held` is None), the caller must. The error names all that is lacking, also
    the sizes of the splits unless the source has them.
    """
    try:
        return _table_metric(held, options, source)
    except UnknownDirectionError as error:
        sizes = [name for name in ("n_train", "n_test") if getattr(options, name) is None]
        if has_sizes or not sizes:
            raise
        given = [f"{name}={value!r}" for name in ("metric", "lower_is_better") if (value := getattr(options, name)) is not None]
        asked = given or (["metric='accuracy'"] if held is None else [])
        if given or held is not None:
            asked.append("lower_is_better=False")
        call = ", ".join([*asked, *(f"{name}=..." for name in sizes)])
        words = [f"--{part.replace('_', '-').replace('=', ' ')}" for part in call.replace("'", "").split(", ")]
        typed = " ".join(words).replace("--lower-is-better False", "--higher-is-better").replace("...", "N")
        raise UnknownDirectionError(
            *error.parts,
            " Nor does it say how many training and test examples each split has, which the correction for shared training data "
            "needs. All together, for example: ",
            Advice(f"compare(..., {call})", typed=typed),
            ".",
        ) from None


def _table_metric(held: str | None, options: ReadOptions, source: str) -> NamedMetric:
    if held is not None:
        # a caller who says neg_x of a column called x says how its values are stored
        says_negated = options.metric is not None and options.metric == f"neg_{held}"
        return name_metric(f"neg_{held}" if says_negated else held, _direction(held, options, [held], source))
    if options.metric is not None:
        return name_metric(options.metric, _direction(options.metric, options, [options.metric], source))
    if isinstance(options.lower_is_better, bool):
        return name_metric("score", options.lower_is_better)
    raise UnknownDirectionError(
        f"{source} does not say which metric its scores are, nor whether higher or lower is better. Pass ",
        Setting("metric"),
        ": a scikit-learn scorer name such as 'accuracy' or 'neg_log_loss', or any other name together with ",
        Setting("lower_is_better", "True"),
        " or ",
        Setting("lower_is_better", "False"),
        ".",
    )


def mixed_metrics(held: Sequence[str], options: ReadOptions, source: str) -> list[NamedMetric]:
    """The metric of each dataset, by its name in the source; `lower_is_better` is for those that scikit-learn does not know."""
    metrics = list(dict.fromkeys(held))
    unknown = [name for name in metrics if not has_direction(name) and _direction(name, options, metrics, source) is None]
    if unknown:
        is_one = len(unknown) == 1
        raise UnknownDirectionError(
            f"{source} holds {quoted(list(dict.fromkeys(held)))}, one metric for each dataset. Is higher or lower better for "
            f"{quoted(unknown)}? Pass ",
            *_directions_to_pass(unknown, options),
            f", which counts for {'this metric' if is_one else 'these metrics'} only, or write scikit-learn's name in the column "
            "'metric'. To compare by one of them, pass ",
            Setting("metric"),
            ".",
        )
    says_each = isinstance(options.lower_is_better, Mapping)
    return [name_metric(name, options.direction_of(name) if says_each or not is_known(name) else None) for name in held]


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


def _directions_to_pass(unknown: Sequence[str], options: ReadOptions) -> Iterator[str | Setting | Advice]:
    """Advice on the directions of metrics: one for all, or one for each with those that are given."""
    given = options.lower_is_better if isinstance(options.lower_is_better, Mapping) else {}
    if not given:
        yield from (Setting("lower_is_better", "True"), " or ", Setting("lower_is_better", "False"))
    if given or len(unknown) > 1:
        each = {**given, **{name: number % 2 == 0 for number, name in enumerate(unknown)}}
        typed = " ".join(f"--direction {quote(name)} {'lower' if is_loss else 'higher'}" for name, is_loss in each.items())
        yield "one for each, for example " if given else ", or one for each, for example "
        yield Advice(f"lower_is_better={each!r}", typed=typed)


def sklearn_metric(held: str, options: ReadOptions, sign: int | None = None) -> NamedMetric:
    """The metric of scores that scikit-learn computed, where a higher stored value is better: losses are stored negated.

    `held` is the name of the scorer, "score" where it has none; `sign` what it multiplied its
    function by, where that is known.
    """
    name = options.metric if held == "score" and options.metric is not None else held
    plain = name.removeprefix("neg_")
    if plain in LOWER_IS_BETTER:
        return NamedMetric(name_metric(plain, options.direction_of(plain)).metric, -1)
    if name in HIGHER_IS_BETTER:
        return name_metric(name, options.direction_of(name))
    is_loss = options.direction_of(name)
    if is_loss is None:
        is_loss = names_loss(plain) if sign is None else sign == -1
    return NamedMetric(Metric(plain if is_loss else name, higher_is_better=not is_loss), -1 if is_loss else 1)


class SearchScorer(NamedTuple):
    """Scorer of a search: its key in ``cv_results_``, its name, and the sign that its function was multiplied by."""

    key: str
    name: str
    sign: int | None


def scorer_of(search: Any, options: ReadOptions) -> SearchScorer:
    """The scorer of a search with one metric; of a bare ``cv_results_`` (None) nothing is known.

    A name that is only supposed yields to ``metric=``; one that is certain must agree with it.
    """
    name, sign, is_certain = ("score", None, False) if search is None else _known(search)
    if options.metric is None:
        return SearchScorer("score", name, sign)
    if is_certain:
        choose_metric([name], options.metric, f"the {type(search).__name__}")
        return SearchScorer("score", name, sign)
    return SearchScorer("score", "score", sign)  # metric= names it


def _known(search: Any) -> tuple[str, int | None, bool]:
    """Name, sign, and whether the name is certain."""
    scoring = getattr(search, "scoring", None)
    if isinstance(scoring, str):
        return scoring, None, True
    if scoring is None:
        return _default(getattr(search, "estimator", None))
    registered = _registered_name(scoring)
    if registered is not None:
        return registered, None, True
    name = getattr(getattr(scoring, "_score_func", scoring), "__name__", "score")
    return ("score" if name == "<lambda>" else str(name)), getattr(scoring, "_sign", None), False


def _default(estimator: Any) -> tuple[str, int | None, bool]:
    """Metric of an estimator's own ``score``: accuracy or R2, surely so where it is scikit-learn's method."""
    from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier, is_regressor

    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    method = getattr(type(last), "score", None)
    if is_classifier(estimator):
        return "accuracy", None, method is ClassifierMixin.score
    if is_regressor(estimator):
        return "r2", None, method is RegressorMixin.score
    return "score", None, False


def _registered_name(scoring: Any) -> str | None:
    """The name under which scikit-learn knows a scorer object, such as that of get_scorer("roc_auc")."""
    if not hasattr(scoring, "_score_func"):
        return None
    from sklearn.metrics import get_scorer, get_scorer_names

    return next((name for name in get_scorer_names() if repr(get_scorer(name)) == repr(scoring)), None)
