"""The public functions: turn any source into scores and ask the package that answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

import numpy as np

from tiebreak.comparison.comparison import Comparison, compare_scores
from tiebreak.comparison.settings import Settings, settings_for
from tiebreak.errors import ChangedRunError
from tiebreak.numerics import Missing
from tiebreak.readers.source import ReadOptions
from tiebreak.scores.scores import Scores
from tiebreak.scores.vocabulary import look_up
from tiebreak.statistics.family import Correction
from tiebreak.stores import is_address

if TYPE_CHECKING:
    import os

    from tiebreak.comparison.looks import Looks
    from tiebreak.comparison.noise_floor import NoiseFloor
    from tiebreak.evaluation.evaluation import Evaluation
    from tiebreak.evaluation.run_options import Run
    from tiebreak.studies.bias_variance import BiasVariance
    from tiebreak.studies.curves import LearningCurve, ValidationCurve


def read_scores(
    *sources: Any,
    metric: str | None = None,
    models: Sequence[str] | None = None,
    dataset: str | None = None,
    lower_is_better: bool | Mapping[str, bool] | None = None,
    X: Any = None,
    y: Any = None,
    groups: Any = None,
    cv: Any = None,
    n_train: int | None = None,
    n_test: int | tuple[int, int] | None = None,
    rows: Literal["auto", "items", "splits", "seeds"] | None = None,
    item: str | None = None,
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
    positive: str | None = None,
) -> Scores:
    """Read scores from anything that `compare` accepts, without the settings of a saved answer.

    Parameters
    ----------
    *sources
        Files, frames, dicts, searches, results and runs in stores, as for `compare`; several are joined on the split key.
    models : sequence of str, optional
        Keep only these, in this order.
    metric, dataset, lower_is_better, X, y, groups, cv, n_train, n_test, rows, item, cluster
        As for `compare`.
    columns : mapping of str to str, optional
        Columns by what they hold, where their names do not say it: ``{"model": "my column"}``; ``{"model": "model,calibrator"}``
        joins two.
    where : mapping, optional
        Keep only the rows with this value, or one of these, in a column: ``{"calibrator": "platt"}``.
    positive : str, optional
        Of predictions the class that metrics such as f1 are of, where classes are words.
    """
    options = ReadOptions(
        metric,
        models,
        dataset,
        lower_is_better,
        X,
        y,
        groups,
        n_train,
        cast("int | None", n_test),
        cv,
        rows,
        item,
        cluster,
        columns,
        where,
        positive,
    )
    return dataclasses.replace(_read(sources, options), saved_settings=())


def compare(
    *sources: Any,
    metric: str | None = None,
    models: Sequence[str] | None = None,
    dataset: str | None = None,
    lower_is_better: bool | Mapping[str, bool] | None = None,
    rope: float | str | None = None,
    alpha: float | None = None,
    baseline: str | None = None,
    family: Literal["pairs", "best"] | None = None,
    correction: Correction | None = None,
    method: str | None = None,
    missing: Missing | None = None,
    X: Any = None,
    y: Any = None,
    groups: Any = None,
    cv: Any = None,
    n_train: int | None = None,
    n_test: int | tuple[int, int] | None = None,
    rows: Literal["auto", "items", "splits", "seeds"] | None = None,
    item: str | None = None,
    by: str | None = None,
    cluster: str | None = None,
    n_total: int | None = None,
    looks: Looks | Comparison | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    rng: int | np.random.Generator | None = None,
) -> Comparison:
    """Say which models are better, which are practically equivalent, and which cannot be told apart yet.

    Every pair has one interval, and the verdict on it is where that interval lies. Settings that are not given are those of a
    saved answer or of a study, where a source is one, else the defaults below; `read_scores` reads the scores without them.

    Parameters
    ----------
    *sources
        What was measured: a fitted `GridSearchCV` or `RandomizedSearchCV`, a `cv_results_` dict, ``{name:
        cross_validate(...)}``, ``{name: array of scores, one per split}`` (a pandas Series is paired by its index), a
        list of records, a long or wide frame, a path to CSV, JSON or Parquet, `Scores`, an `Evaluation`, the URL of a
        store with the name of a run (``"sqlite:///runs.db#study"``), or another `Comparison`; several are joined on the
        split key. Or the single items of one test set: `Items`, and all that `read_items` reads.
    metric : str, optional
        Selects where a source holds several metrics, names it where a source holds none. A scikit-learn scorer name knows
        its direction; any other needs `lower_is_better`, True or False, or a dict of these by metric.
    models, dataset : sequence of str and str, optional
        Compare only these models; which dataset, where a table holds several.
    rope : float or str, default 0
        Smallest difference that matters to you, in the metric's unit, or a percentage of the best mean ("1%"), or of the
        baseline's. Verdicts: better, ahead (a difference is shown, that it matters is not), equivalent, undecided, behind, worse.
    alpha : float, default 0.05
        Chance of any wrong verdict over the family, with the correction "bonferroni"; with "none" 1 - coverage of each
        interval. The others keep their rate for the p-values of no difference.
    baseline : str, optional
        Judge every other model against this one only, instead of all pairs.
    family : {"pairs", "best"}, default "pairs"
        Judge all pairs (or, with a baseline, the pairs against it), from which standings, places and letters are read; or compare
        every model with the best one, which says of more models that they are not the best, and nothing of single pairs. Of
        several equally good ones it keeps each with 1 - alpha, not all at once.
    correction : {"bonferroni", "holm", "shaffer", "bh", "none"}, default "bonferroni"
        It sets the one level of all intervals of the family, and adjusts p-values. "holm", "shaffer" and "bh" go step by step,
        which is right for "no difference" only, so these take no rope. "shaffer" is for all pairs, without a baseline.
    method : str, default "auto"
        A procedure by its name, as `tiebreak.methods` lists them. "auto" goes by how the scores were made: "corrected-t" for
        splits of one dataset, "wilcoxon" for several ("paired-t" if many tie exactly, "sign" if in several metrics); for seeds on
        one test set "paired-t" or "welch"; with a column "time" "diebold-mariano"; for items 0 or 1 "tango", for AUC "delong",
        else "clustered-t".
    missing : {"raise", "pairwise"}, optional
        A missing or undefined score is an error (the default, but among datasets), or its unit is left out of the pairs it is in.
    X, y, groups, cv : optional
        How the splits were made: `cv` is a number of folds or a splitter of scikit-learn, which tells how large test sets are
        beside training sets; a fitted search keeps its own. With the data as well, the sizes are counted. `y` alone is the truth
        of one test set, beside a dict or frame with a prediction of each model for each example.
    n_train, n_test : int, optional
        Training and test examples of each split. Of a table of means, with one row for each model, what it is of: `n_test`
        examples of one test set, or positive and negative ones, (40, 960); means over `cv` folds, or with ``rows="seeds"`` over
        `cv` training runs.
    rows, item, by, cluster : {"auto", "items", "splits", "seeds"} and three str, optional
        Rows of a table are items of one test set, splits, or training seeds ("auto" knows columns such as "doc_id", `item`
        names another one); by the texts in the column `by` the answer is sliced as well (`Comparison.slices`), and items with
        the same text in the column `cluster` belong together, so that the clusters are what counts. A log's fields of its
        samples are columns too.
    n_total, looks : int and Looks, Comparison, mapping or path, optional
        A plan of looks at data that are still coming in: the units that are planned in all (items, or clusters of them, datasets,
        repeats), and the looks before: an earlier answer, its `.looks`, or a file, which is made where it is not there and holds
        this look too afterwards. All looks together then have the error rate alpha.
    rng : int or Generator, optional
        Seed of all that is drawn, or where to draw one from.

    Returns
    -------
    Comparison
        Print it for the answer; `.ranking`, `.pairs`, `.pair(a, b)`, `.shortlist()`, `.plot`, `.to_json()` for the rest.

    Raises
    ------
    TiebreakError
        The source or a setting cannot be used; the text says why and how to go on.

    Examples
    --------
    >>> import tiebreak as tb
    >>> scores = {"a": [0.81, 0.84, 0.79, 0.86, 0.83], "b": [0.72, 0.74, 0.71, 0.77, 0.72]}
    >>> answer = tb.compare(scores, metric="accuracy", rope=0.01, n_train=160, n_test=40)
    >>> answer.pair("a", "b").verdict
    'better'
    """
    given: dict[str, Any] = {
        "rope": rope,
        "alpha": alpha,
        "baseline": baseline,
        "family": family,
        "correction": correction,
        "method": method,
        "missing": missing,
        "rng": rng,
        "by": by,
    }
    Settings(**{name: value for name, value in given.items() if value is not None})  # refused before anything is read
    plan: Looks | None = None
    if n_total is not None or looks is not None:
        from tiebreak.views.looks import plan_of  # which most do without

        plan, keep = plan_of(n_total, looks)
    scores = _read(
        sources,
        ReadOptions(
            metric, models, dataset, lower_is_better, X, y, groups, n_train, cast("int | None", n_test), cv, rows, item, cluster
        ),
    )
    answer = compare_scores(scores, settings_for(scores, {**given, "looks": plan}))
    if plan is not None and answer.looks is not None:
        if len(answer.looks.taken) == len(plan.taken):
            way_on = "Look again when there are more" if plan.n_left else "The plan is over: further data need a new one"
            raise ChangedRunError(
                f"look {len(plan.taken)} was at these same {plan.n:,} {plan.unit}s, and said what there is to say of them. "
                f"{way_on}; what that look answered stands in its own answer, which to_json keeps."
            )
        keep(answer.looks)
    return answer


def noise_floor(
    *sources: Any,
    metric: str | None = None,
    models: Sequence[str] | None = None,
    lower_is_better: bool | None = None,
    item: str | None = None,
    same: bool = False,
    n_averaged: int | None = None,
    level: float = 0.95,
) -> NoiseFloor:
    """Say how far two runs of one and the same model lie apart on a suite: a smaller difference of two models may be noise.

    Parameters
    ----------
    *sources
        Items of which some model has several runs: in a column "run" or "seed", in several files or a folder, or as epochs of
        each item. Or a table with a row for each training seed on one test set.
    metric, models, lower_is_better, item
        As for `compare`.
    same : bool, default False
        All that is read is one model, whatever it is called there.
    n_averaged : int, optional
        Runs (or epochs) of which a model's score is the mean. One run, or as many epochs as there are, unless given.
    level : float, default 0.95
        Probability with which the difference of two runs stays within the floor.

    Returns
    -------
    NoiseFloor
        Print it for the answer; `.floor` is the number, `.to_json(path)` keeps it for `Comparison.meets`.

    Raises
    ------
    TiebreakError
        No model was run twice, or the sources cannot be read; the text says how to go on.

    Examples
    --------
    >>> import tiebreak as tb
    >>> runs = {"question": [*range(40)] * 2, "run": [1] * 40 + [2] * 40, "m": [1, 1, 0, 0] * 10 + [1, 0, 1, 0] * 10}
    >>> round(tb.noise_floor(runs).floor, 2)
    0.23
    """
    from tiebreak.comparison.noise_floor import noise_floor_of
    from tiebreak.readers.files import pipes_as_files
    from tiebreak.readers.read import read_repeats

    options = ReadOptions(metric=metric, models=models, lower_is_better=lower_is_better, item=item)
    with pipes_as_files(sources) as held:
        held = _of_stores(held)
        read = read_repeats(held, options, same=same) or (_read(held, options), "seeds")
    return noise_floor_of(*read, n_averaged=n_averaged, level=level)


def evaluate(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    groups: Any = None,
    datasets: Mapping[str, Any] | None = None,
    cv: Any = None,
    scoring: Any = None,
    sample_weight: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    keep_predictions: bool = True,
    train_scores: bool = False,
    rng: int | np.random.Generator | None = 0,
    **run: Unpack[Run],
) -> Evaluation:
    """Measure models on the same splits of the same data; with a store, each cell once and never again.

    A cell is one model on one split. What a model raises, takes too long for or dies of becomes the failure of that cell, with
    its reason, and the others go on. With a store, the same call after an interruption does only what is missing, and a call
    with a model, a repeat or a metric more adds only that.

    Parameters
    ----------
    models : dict, list, estimator or function
        ``{name: model}``; in a list, models are named by their class. A model is an estimator or a pipeline, the result of
        `grid`, an object with fit and predict, or a function ``(X_train, y_train, X_test, rng) -> predictions``; it is copied.
    X : array_like, sparse matrix, or data frame (pandas, polars) of shape (n_samples, n_features)
    y : array_like of shape (n_samples,) or (n_samples, n_outputs)
    groups : array_like of shape (n_samples,), optional
        Examples of one group are never on both sides of a split, if `cv` is None, an int or a splitter that uses groups.
    datasets : dict, optional
        ``{name: (X, y)}`` or ``{name: (X, y, groups)}`` instead of X, y and groups.
    cv : None, int, str, dict, splitter, or iterable of (train, test)
        None: 10 x 10-fold (stratified for classes) with fewer than 1,000 examples, else 10-fold, shuffled. An int: folds as in
        scikit-learn, not shuffled. A name: "holdout", "repeated-holdout", "kfold", "repeated-kfold", "stratified",
        "repeated-stratified", "loo", "group", "stratified-group", "time"; with options as a dict such as
        ``{"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 2, "seed": 1}`` (n_folds, n_repeats, test_size, shuffle, seed;
        gap and window for "time"). Splits are made once and are the same for every model.
    scoring : str, callable, list, or dict, optional
        Names of scikit-learn's scorers, scorers, or callables ``(model, X, y) -> float``. Accuracy or R2 if not given. Scores
        are kept in the metric's own unit: "neg_log_loss" as ``log_loss``, lower is better.
    sample_weight : array_like of shape (n_samples,), optional
        Goes to every `fit` (of a pipeline: to its last step); scores count each example once.
    fit_params : dict, optional
        What `fit` is given besides; values with n_samples rows are cut to the training rows. With scikit-learn's metadata
        routing on, pipelines and searches hand these and `sample_weight` on to the steps that ask for them.
    keep_predictions, train_scores : bool
        Whether to keep what the models said of the test rows, and to score the training rows too.
    rng : int, Generator or None, default 0
        What all seeds are derived from: of models and splitters whose random_state is None, and of functions. The seed of a
        cell depends on the names of model and dataset and on the split alone, so results are the same whatever `n_jobs` is.
        None leaves random states alone, and the run cannot be reproduced.
    **run
        Of `Run`: `store`, `name`, `n_jobs`, `runner`, `threads_per_fit`, `share_steps`, `timeout`, `retry_failed`,
        `accept_versions` and `progress`.

    Returns
    -------
    Evaluation
        Print it for an overview; `.compare()` for the answer; `.scores()`, `.summary()`, `.predictions`, `.failures`,
        `.times` for the rest.

    Raises
    ------
    TiebreakError
        Something that can be told before the first fit, or a store that cannot be used; the text says how to go on.

    Examples
    --------
    >>> import tiebreak as tb
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.svm import SVC
    >>> X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    >>> models = tb.grid(SVC(), {"kernel": ["linear", "rbf"]})
    >>> evaluation = tb.evaluate(models, X, y, cv="repeated-stratified", scoring="roc_auc")
    >>> evaluation.compare(rope=0.01).pair("rbf", "linear").n_units
    100
    """
    from tiebreak.evaluation.evaluate import find_scorers, measure_plan
    from tiebreak.plan.plan import make_plan

    checked = _checked(run, evaluate)
    plan = make_plan(
        models, X, y, groups=groups, datasets=datasets, cv=cv, sample_weight=sample_weight, fit_params=fit_params, rng=rng
    )
    return measure_plan(
        plan, find_scorers(plan, scoring), keep_predictions=keep_predictions, train_scores=train_scores, **checked
    )


def learning_curve(
    models: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[int | float] | None = None,
    groups: Any = None,
    cv: Any = None,
    scoring: Any = None,
    sample_weight: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    rope: float | str = 0.0,
    alpha: float = 0.05,
    rng: int | np.random.Generator | None = 0,
    **run: Unpack[Run],
) -> LearningCurve:
    """Measure models on growing training sets, and say for each whether more data would help.

    Each size is measured on the same test rows, with training rows that are among those of the next larger size. It goes through
    the same plan, store and runners as `evaluate`: with a store, an interrupted curve goes on where it was, further sizes and
    models are added, and results are the same whatever `n_jobs` is.

    Parameters
    ----------
    models, X, y, groups, cv, scoring, sample_weight, fit_params
        As for `evaluate`. The first metric is the one that is shown; ``curve.for_metric(name)`` is the curve in another one.
    sizes : sequence of int or float, optional
        Numbers of training examples, or shares of what every split has; n/16, n/8, n/4, n/2 and n if not given. The question
        of more data needs the largest size, half of it and a quarter of it. Training sets of classes are stratified, with
        every class in the smallest where that can be; with groups, whole groups are added one after the other; of ordered
        splits, a size is the most recent rows.
    rope : float or str, default 0
        Smallest gain that matters, in the metric's unit, or a percentage of the best mean ("1%").
    alpha : float, default 0.05
        1 - coverage of the intervals.
    rng, **run
        As for `evaluate`.

    Returns
    -------
    LearningCurve
        Print it for the answer; `.answer(model)` in words, `.answers` in numbers, `.to_frame()`, `.to_json()` and `.plot()`.

    Examples
    --------
    >>> import tiebreak as tb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = tb.learning_curve(GaussianNB(), X, y, cv=5, rope=0.05)
    >>> curve.sizes, curve.answer()
    ((15, 30, 60, 120), 'less than the rope on doubling')
    """
    from tiebreak.studies import curves as studies

    return studies.learning_curve(
        models,
        X,
        y,
        _checked(run, learning_curve),
        sizes=sizes,
        scoring=scoring,
        rope=rope,
        alpha=alpha,
        groups=groups,
        cv=cv,
        sample_weight=sample_weight,
        fit_params=fit_params,
        rng=rng,
    )


def validation_curve(
    models: Any,
    X: Any,
    y: Any,
    *,
    parameter: str,
    values: Sequence[Any],
    groups: Any = None,
    cv: Any = None,
    scoring: Any = None,
    sample_weight: Any = None,
    fit_params: Mapping[str, Any] | None = None,
    rope: float | str = 0.0,
    alpha: float = 0.05,
    rng: int | np.random.Generator | None = 0,
    **run: Unpack[Run],
) -> ValidationCurve:
    """Measure models for several values of a parameter, and say which is best and which are practically as good.

    The values are models of one plan, so that they share the splits, the store and the workers, as in `evaluate`.

    Parameters
    ----------
    models : dict, list or estimator
        As for `evaluate`, but no functions: each is measured with each value.
    X, y, groups, cv, scoring, sample_weight, fit_params
        As for `evaluate`. The first metric is the one that is shown; ``curve.for_metric(name)`` is the curve in another one.
    parameter : str
        Its name, with the steps of a pipeline in front: ``"svc__C"``.
    values : sequence
        Values to be tried.
    rope : float or str, default 0
        Smallest difference that matters to you, in the metric's unit or as "1%" of the best mean. Without one, no
        value can be called practically equivalent to the best.
    alpha : float, default 0.05
        Accepted rate of wrong verdicts among the values of a model, and 1 - coverage of the intervals.
    rng, **run
        As for `evaluate`.

    Returns
    -------
    ValidationCurve
        Print it for the answer; `.sweet_spot(model)`, `.equivalent(model)` and `.undecided(model)` for the values.

    Examples
    --------
    >>> import tiebreak as tb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> curve = tb.validation_curve(KNeighborsClassifier(), X, y, parameter="n_neighbors", values=[1, 10, 100], cv=5, rope=0.05)
    >>> curve.sweet_spot()
    10
    """
    from tiebreak.studies import curves as studies

    return studies.validation_curve(
        models,
        X,
        y,
        _checked(run, validation_curve),
        parameter=parameter,
        values=values,
        scoring=scoring,
        rope=rope,
        alpha=alpha,
        groups=groups,
        cv=cv,
        sample_weight=sample_weight,
        fit_params=fit_params,
        rng=rng,
    )


def bias_variance(
    models: Any,
    X: Any,
    y: Any,
    *,
    n_rounds: int = 100,
    test_size: float = 0.25,
    rng: int | np.random.Generator | None = 0,
    **run: Unpack[Run],
) -> BiasVariance:
    """Say how much of a model's loss is bias, and how much comes of the training set, drawn with replacement, that it got.

    The loss is the squared one for numbers, and the 0-1 loss for classes.

    Parameters
    ----------
    models, X, y
        As for `evaluate`.
    n_rounds : int, default 100
        Training sets. With a store, more can be added later.
    test_size : float or int, default 0.25
        Share or number of the examples that are tested.
    rng, **run
        As for `evaluate`.

    Returns
    -------
    BiasVariance
        Print it for the table; `.parts` for those of each model, `.to_frame()`, `.to_json()` and `.plot()`.

    Examples
    --------
    >>> import tiebreak as tb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> parts = tb.bias_variance(DecisionTreeClassifier(), X, y, n_rounds=20).parts[0]
    >>> abs(parts.loss - parts.bias - parts.variance) < 1e-12
    True
    """
    from tiebreak.studies import bias_variance as studies

    return studies.bias_variance(models, X, y, _checked(run, bias_variance), n_rounds=n_rounds, test_size=test_size, rng=rng)


def _checked(run: Run, function: Callable[..., Any]) -> Run:
    """The run, with what progress is reported to; refuses a keyword that the function does not have, with the nearest names."""
    import inspect

    from tiebreak.evaluation.run_options import Run
    from tiebreak.views.progress import shown

    names = [name for name in inspect.signature(function).parameters if name != "run"]
    for name in run:
        look_up(name, [*names, *Run.__annotations__], "parameter")
    return {**run, "progress": shown(run.get("progress"))}


def _read(sources: Sequence[Any], options: ReadOptions) -> Scores:
    """Scores of sources, of which one may be the address of a run in a store."""
    from tiebreak.readers.read import read_scores

    return read_scores(_of_stores(sources), options)


def _of_stores(sources: Sequence[Any]) -> list[Any]:
    """The sources, with the evaluation in the place of each address of a run in a store."""
    if not any(map(is_address, sources)):
        return list(sources)
    from tiebreak.evaluation.evaluate import read_evaluation

    return [read_evaluation(each) if is_address(each) else each for each in sources]
