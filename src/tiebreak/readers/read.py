"""Scores and items from any source: what each source is, and what joins several."""

import dataclasses
import itertools
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from shlex import quote
from typing import Any, TypeVar

import numpy as np

from tiebreak.errors import (
    Advice,
    InvalidParameterError,
    Problems,
    Setting,
    SourceNotFoundError,
    UnclearSourceError,
    UnknownNameError,
    UnsupportedSourceError,
)
from tiebreak.numerics import Missing, refuse_unless
from tiebreak.printable import printable
from tiebreak.readers import logs, sklearn
from tiebreak.readers.files import check_path, is_answer, pipes_as_files, refuse
from tiebreak.readers.folder import Results, with_folders
from tiebreak.readers.header import (
    UNITS,
    column_advice,
    is_metric,
    is_no_score,
    names_something,
    refuse_battles,
    role_of,
    words_in,
)
from tiebreak.readers.item_scores import items_of, long_of_items
from tiebreak.readers.long import Long
from tiebreak.readers.resamples import is_resample, score_of_resample
from tiebreak.readers.shapes import Reading
from tiebreak.readers.source import ACCEPTED, ReadOptions, Source, of_asked_metric, refuse_names, with_known_sizes, with_sizes
from tiebreak.readers.splits import join_sources, scores_of_long
from tiebreak.readers.tables import Words, is_frame, is_records, of_objects, read_table, words_of
from tiebreak.scores.items import TASK, Items, check_items
from tiebreak.scores.means import dataset_means
from tiebreak.scores.metric import PARTS
from tiebreak.scores.scores import SavedSettings, Scores, percent_notices
from tiebreak.scores.vocabulary import look_up

_FILE = (str, os.PathLike)


def read_scores(sources: Sequence[Any], options: ReadOptions) -> Scores:
    """Scores from one source, or from several joined on their splits or items.

    Sources are files, folders, frames, dicts, searches, `Scores`, `Items` and results that hold scores: objects with a method
    ``__tiebreak_scores__(metric)`` that returns Scores.
    """
    if len(sources) == 1 and options.y is not None and options.X is None and options.cv is None:
        from tiebreak.readers.predictions import beside_truth  # with the statistics of their metrics

        if (predictions := beside_truth(sources[0], options.y, options.metric)) is not None:
            sources, options = [predictions], dataclasses.replace(options, y=None)
    opened = with_folders(sources)
    folders = [each for each in opened if isinstance(each, Results)]
    inside = [each.sources(options) if isinstance(each, Results) else [each] for each in opened]
    with pipes_as_files(list(itertools.chain.from_iterable(inside))) as held:
        scores = _scores(_read_all(held, options), options)
    saved = scores.saved_settings
    if folders and scores.items is not None and not any("missing" in each.settings for each in saved):
        # logs of a folder may be cut short: pairs are compared on what both have, unless the caller asks otherwise
        saved = (*saved, SavedSettings(str(folders[0].path), {"missing": "pairwise"}))
    return dataclasses.replace(
        scores,
        notices=(*scores.notices, *filter(None, map(Results.notice, folders))),
        saved_settings=saved,
    )


def read_items(
    *sources: Any,
    metric: str | None = None,
    lower_is_better: bool | None = None,
    models: Sequence[str] | None = None,
    item: str | None = None,
    rows: str = "auto",
    missing: Missing = "raise",
    cluster: str | None = None,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
    positive: str | None = None,
) -> Items:
    """Read scores of single items: of examples of one test set, of questions, of documents.

    Parameters
    ----------
    *sources
        Tables, long or wide: CSV, TSV, JSON lines, JSON and Parquet files, frames of pandas, polars and pyarrow, dicts of
        columns; logs of evaluation tools; tables of predictions beside the truth; or `Items`. Several are joined on their items,
        and so is a dict ``{model: source}``, which names a model that the source does not. Several answers of a model to an item
        stand in a column "run" or "seed" where each run answered all items, and stay apart; in a column "epoch", "attempt" or
        "sample" where each item was asked anew, and are averaged.
    metric : str, optional
        Name of the scores, or which of several to read; "accuracy" for scores that are all 0 or 1 unless given.
    lower_is_better : bool, optional
        For a metric whose direction is not known.
    models : sequence of str, optional
        Keep only these, in this order.
    item : str, optional
        Column that names the items, where it is not called item, example, question, doc_id or the like.
    rows : {"auto", "items"}
        "items" reads each row of a table without such a column as an item.
    missing : {"raise", "pairwise"}
        Items that some model lacks are an error that names them, or stay as nan.
    cluster : str, optional
        Column, or field that a log keeps of its samples, that names what items belong together: a text, a template, a user. A
        column called cluster, document, passage or the like is taken without.
    columns : mapping of str to str, optional
        Columns by what they hold, where their names do not say it: ``{"model": "my column"}``.
    where : mapping, optional
        Keep only the rows with this value, or one of these, in a column: ``{"calibrator": "platt"}``.
    positive : str, optional
        Of predictions the class that metrics such as f1 are of, where classes are words.

    Returns
    -------
    Items

    Raises
    ------
    TiebreakError
        A source cannot be read; the text says where, and how to go on.

    Examples
    --------
    >>> import tiebreak as tb
    >>> items = tb.read_items({"question": ["q1", "q2", "q3", "q4"], "small": [0, 1, 0, 1], "large": [1, 1, 0, 1]})
    >>> items
    <Items of accuracy: 2 models, 4 questions>
    >>> items.disagreements("large", "small")["item"].tolist()
    ['q1']
    """
    refuse_unless(rows in ("auto", "items"), "rows", "be 'auto' or 'items'", rows)
    options = ReadOptions(
        metric,
        None,
        None,
        lower_is_better,
        rows=rows,
        item=item,
        cluster=cluster,
        columns=columns,
        where=where,
        positive=positive,
    )
    with pipes_as_files(sources) as held:
        found = _read_all(held, options)
        if isinstance(found[0].held, Reading) and found[0].held.is_in_time:
            raise refuse(found[0].name, "forecasts of one series are compared over time, not by items.", "Pass it to compare().")
        items = _items(found, options)
    return (items.take(models) if models is not None else items).complete(missing)


def read_repeats(sources: Sequence[Any], options: ReadOptions, *, same: bool = False) -> tuple[Items, str] | None:
    """Items in which several runs of a model stand apart, and what these are: "runs", or "epochs" of each item; None for splits.

    A model that stands in several files for the same task was run several times. With `same` all that is read is one model,
    whatever it is called.
    """
    inside: list[Any] = []
    for source in with_folders(sources):
        files = source.of_kind("log") or source.of_kind("items") if isinstance(source, Results) else []
        if isinstance(source, Results) and not files:
            raise SourceNotFoundError(f"{printable(str(source.path))} holds no logs of single samples and no tables of items.")
        inside += [each.path for each in files] or [source]
    found = _read_all(inside, options)
    if options.item is None and not any(map(_is_items, found)):
        return None
    parts = _parts(found, options)
    if options.models is not None:
        known = list(dict.fromkeys(name for part in parts for name in part.models))
        wanted = {known[look_up(name, known, "model")] for name in options.models}
        rows = [np.flatnonzero(np.isin(part.words["model"].texts(), [*wanted])) for part in parts]
        parts = [part.take(its) for part, its in zip(parts, rows, strict=True) if its.size]
    before: Counter[tuple[str, str]] = Counter()
    parts = [_numbered(part, before, parts[0].models[0] if same else None) for part in parts]
    runs = {pair for part in parts for pair in zip(*(part.words[key].texts() for key in ("model", "run")), strict=True)}
    is_of_epochs = len(runs) == len({model for model, _ in runs}) and any("epoch" in part.words for part in parts)
    if is_of_epochs:
        for part in parts:  # made above, so that no one else holds their words
            part.words["run"] = part.words.pop("epoch", part.words["run"])
    return items_of(parts, options.metric, options.direction_of(options.metric or "")), "epochs" if is_of_epochs else "runs"


def _numbered(part: Long, before: Counter[tuple[str, str]], common: str | None) -> Long:
    """The part with a column "run" that tells apart what is of one model and one task, be it from several parts.

    `before` counts the parts of each model and task so far; all models are one where there is a `common` name.
    """
    models = part.words["model"].texts()
    tasks, runs = (part.words[key].texts() if key in part.words else [""] * len(models) for key in (TASK, "run"))
    before.update(set(zip(models, tasks, strict=True)))
    labels = [f"{before[model, task]} {run}".strip() for model, task, run in zip(models, tasks, runs, strict=True)]
    if common is not None:
        labels = [f"{model} {label}" for model, label in zip(models, labels, strict=True)]
        models = [common] * len(models)
    return dataclasses.replace(part, words={**part.words, "run": words_of(labels), "model": words_of(models)})


# --- what a source is -----------------------------------------------------------------------------------------------------


def _read_all(sources: Sequence[Any], options: ReadOptions) -> list[Source]:
    """All sources with what they hold; a dict of tables is one for each model."""
    if not sources:
        raise UnsupportedSourceError(f"nothing to read: pass {ACCEPTED}.")
    given = []
    files = iter(_different_names([Path(source) for source in sources if isinstance(source, _FILE)]))
    for number, source in enumerate(sources, start=1):
        if isinstance(source, _FILE):
            name = printable(os.fspath(source))
            given.append(Source(source, name, name, file=printable(next(files))))
            continue
        is_alone, source = len(sources) == 1, _as_table(source, options)
        name = "the source" if is_alone else f"source {number}"
        if isinstance(source, Mapping) and sklearn.is_of_sources(source):
            for key, value in source.items():
                own = printable(os.fspath(value)) if isinstance(value, _FILE) else name
                given.append(Source(value, own, own, str(key)))
        else:
            name = "the table" if is_alone and is_frame(source) else name
            given.append(Source(source, name, name))
    _refuse_parts([each.file for each in given if each.file and not each.key])
    if len(given) > 1 and (rows := _rows_of_runs(given, options)):
        given = [Source(rows, f"{given[0].name} and {len(given) - 1} more")]
        named = {"model": "model"} if "model" in rows[0] else {}  # be it called 0.9 after its file
        options = dataclasses.replace(options, columns={**named, **(options.columns or {})})
    found = [_found(each, options, n_sources=len(given)) for each in given]
    if options.positive is not None and not any(isinstance(each.held, Reading) for each in found):
        raise InvalidParameterError(
            Setting("positive"), " names a class of predictions, and these are scores already. Leave it out.", about="positive"
        )
    return found


def _as_table(source: Any, options: ReadOptions) -> Any:
    """A series, pairs, numbers or dicts by model, as a frame, a dict of columns or records; anything else as it is.

    Labels of columns that pandas says to be folds, datasets and the like, as after a pivot, go into the rows.
    """
    # asked of the class, since polars warns when a lazy frame is asked for its columns
    parts = [role_of(str(name)) for name in getattr(source.columns if hasattr(type(source), "stack") else (), "names", ())]
    levels = [place for place, part in enumerate(parts) if part not in ("", "metric")]
    if (
        levels
        and parts != ["model"]  # which may stand as they are
        and not any(  # else an index went among the columns
            role_of(str(each)) for label in source.columns for each in (label if isinstance(label, tuple) else [label])
        )
    ):
        source = source.stack(levels, future_stack=True)
    if hasattr(source, "to_frame") and hasattr(source, "dtype"):  # a series, such as one of means by model
        source = source.to_frame(source.name or options.metric or "score")
    are_pairs = isinstance(source, list | tuple) and len(source) > 0  # as scikit-learn takes the steps of a pipeline
    if are_pairs and all(isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) for each in source):
        source = dict(source)
    if options.rows == "seeds" and isinstance(source, Mapping) and len({*map(np.size, source.values())}) > 1:
        return [{"model": model, "score": score} for model, scores in source.items() for score in np.ravel(scores).tolist()]
    # names of metrics or keys are of one model alone
    values = source.values() if isinstance(source, Mapping) and len(source) > 1 else [None]
    are_numbers = all(isinstance(each, Real) and not isinstance(each, bool) for each in values)
    if are_numbers and not any(is_metric(name) or role_of(name) or is_no_score(name) for name in map(str, source)):
        return [{"model": model, options.metric or "score": value} for model, value in source.items()]
    if not sklearn.is_by_model_and_metric(source):
        return source
    if options.rows != "items":
        return _of_objects(source, options)
    items = list(next(iter(source.values())))
    if len(source) > len(items):
        raise UnclearSourceError(
            f"read as {{model: {{item: score}}}} the source has {len(source)} models and {len(items)} items. Where the outer "
            "keys are items, turn it: {model: {item: source[item][model] for item in source} for model in MODELS}."
        )
    return {"item": items, **{model: [own[item] for item in items] for model, own in source.items()}}


def _of_objects(source: Mapping[str, Mapping[str, Any]], options: ReadOptions) -> Any:
    """Records of a dict of models with a dict of the same metrics, splits or datasets for each, be it from a file."""
    names = [*map(str, (*source, *next(iter(source.values()))))]
    are_known = any(is_metric(name) or role_of(name) or is_no_score(name) or name == options.metric for name in names)
    inner = [each for own in source.values() for each in own.values()]
    if (
        options.metric
        and options.rows != "items"
        and not are_known
        and all(isinstance(each, list | tuple | np.ndarray) and len(each) > 1 for each in inner)
    ):
        # the inner keys are datasets, or part of the models' names
        source = {m: {name: {options.metric: each} for name, each in own.items()} for m, own in source.items()}
    return of_objects(source)


def _rows_of_runs(given: Sequence[Source], options: ReadOptions) -> list[dict[str, Any]]:
    """Rows of one table from files with one row of scores each, such as the metrics.json of runs, or with those of one dataset.

    None for others.
    """
    rows: list[dict[str, Any]] = []
    for each in given:
        path = Path(each.held if isinstance(each.held, _FILE) else "")
        if path.is_file() and is_resample(path):
            rows.append(score_of_resample(path, each.name))
            continue
        # a row of scores is short
        if not path.is_file() or path.stat().st_size > 2**16 or logs.format_of(path) or is_answer(path):
            return []
        reading = Reading.of(read_table(path, each.name), options)
        has_model = any(role_of(name) == "model" for name in reading.table.columns)
        units = reading.roles.keys() & {"item", *UNITS}
        # one run of a model without a name has a seed and a time at most, and the dataset that a metric is of
        is_run = has_model or units <= {"seed", "time", "dataset" if any(map(is_metric, reading.table.columns)) else ""}
        if not (is_run and reading.table.n_rows == 1) and not (
            has_model and units == {"dataset"} and len({*reading.words("dataset").texts()}) == 1
        ):
            return []
        names = reading.others(*(() if has_model else ("seed", "time")))
        texts = zip(*(reading.table.words(name).texts() for name in names), strict=True)
        rows += [{**({} if has_model else {"model": each.stem}), **dict(zip(names, row, strict=True))} for row in texts]
    if options.models is None:
        _refuse_runs([row.get("model", "") for row in rows])
    return rows


def _different_names(paths: Sequence[Path]) -> list[str]:
    """Names of files without their endings, of equal ones with what differs in their folders."""
    if len({path.stem for path in paths}) == len(paths):
        return [path.stem for path in paths]
    parts = [path.with_suffix("").parts for path in paths]
    start = len(os.path.commonprefix(parts))  # noqa: RUF071  (of tuples)
    end = len(os.path.commonprefix([each[:start:-1] for each in parts]))  # noqa: RUF071
    return ["/".join(each[start : len(each) - end]) or each[-1] for each in parts]


def _is_items(found: Source) -> bool:
    held = found.held
    return held.items is not None if isinstance(held, Scores) else not isinstance(held, Long) or "item" in held.words


def _found(given: Source, options: ReadOptions, *, n_sources: int) -> Source:
    """The source with what it holds, as far as that is read."""
    source, name, found = given.held, given.name, None
    if isinstance(source, Source):
        return source
    if is_answer(source):
        from tiebreak.readers.answer import read_answer

        source = read_answer(source, name)
    elif isinstance(source, Items):
        source = source.as_scores()
    elif isinstance(source, _FILE):
        check_path(Path(source), name)
        found = given._replace(held=Path(source)) if logs.format_of(Path(source)) else None
    elif hasattr(source, "__tiebreak_scores__"):
        source = source.__tiebreak_scores__(options.metric)
    if isinstance(source, Scores):
        scores = of_asked_metric(source, options, name)
        sized = ReadOptions() if scores.items is not None else options  # items have no sizes: who gives some is told so
        matrices = tuple(with_sizes(matrix, sized, name) for matrix in scores.matrices)
        design = with_known_sizes(scores.design, matrices)
        scores = dataclasses.replace(
            scores,
            matrices=matrices,
            design=design,
            saved_settings=tuple(each._replace(source=each.source or name) for each in scores.saved_settings),
        )
        found = given._replace(held=scores if scores.items is not None else _named(scores, given))
    elif (
        not isinstance(source, _FILE)
        and options.rows not in ("items", "seeds")
        and (by_sklearn := sklearn.read(source, name, options))
    ):
        found = given._replace(held=by_sklearn.held, name=by_sklearn.name)
    if found is None:
        if not (isinstance(source, (*_FILE, Mapping)) or is_frame(source) or is_records(source)):
            named = (
                " Name the models, as in tb.compare({'a': first, 'b': second})."
                if isinstance(source, list | tuple | np.ndarray)
                else ""
            )
            raise UnsupportedSourceError(
                f"{name} is of type {type(source).__name__!r}, which cannot be read as scores.{named} Pass {ACCEPTED}."
            )
        return given._replace(held=_found_in_table(given, options, n_sources=n_sources))
    of_tables = ("columns", "where") if _is_items(found) else ("item", "cluster", "columns", "where")
    for role in [role for role in of_tables if getattr(options, role) is not None][:1]:
        raise InvalidParameterError(
            Setting(role), f" names a column, and {name} has none. Leave it out, or pass a table.", about=role
        )
    return found


def _found_in_table(given: Source, options: ReadOptions, *, n_sources: int) -> Scores | Long | Reading:
    """Contents of a table: scores, those of a long table, or predictions."""
    source, name = given.held, given.name
    named = {
        name.strip()
        for role, text in options.named_columns.items()
        if role not in ("truth", "prediction")
        for name in (text, *text.split(","))
    }
    table = read_table(
        source,
        name,
        is_name=lambda column: column in named or names_something(column),
        objects=lambda held: _of_objects(held, options),
    )
    names = [*table.columns, *table.nested]
    for is_of_tool, read in ((sklearn.is_cv_results, sklearn.read_cv_results), (sklearn.is_trials, sklearn.read_trials)):
        if is_of_tool(names):
            held = {
                key: column.texts() if isinstance(column, Words) else column.tolist() for key, column in table.columns.items()
            }
            return read({**held, **table.nested}, name, options)
    if any(each.startswith("rank_test_") for each in names) or all(
        any(each.startswith(start) for each in names) for start in ("param_", "mean_test_")
    ):
        raise refuse(
            name,
            "it is the cv_results_ of a search without the scores of its splits.",
            "Keep the columns split0_test_score, split1_test_score and so on, too.",
        )
    # an index counts, where names of models stand in a column of texts
    measured = {key: column for key, column in table.columns.items() if key != "column 1" or isinstance(column, Words)}
    if sklearn.is_one_result(measured):  # of cross_validate, kept as a file
        return sklearn.read_by_model(
            {given.stem or name: {key: table.numbers(key) for key in measured if key not in ("estimator", "indices")}},
            name,
            options,
        )
    refuse_battles(table)
    reading = Reading.of(table, options)
    if reading.is_of_predictions:
        return reading
    long = reading.long(given.stem if n_sources > 1 or given.key or (isinstance(source, _FILE) and not reading.folds) else None)
    if isinstance(long, Scores):
        return long
    if not long.model_column and n_sources == 1 and not given.key and "item" not in long.words:
        raise UnclearSourceError(
            f"{name} has a column of scores ({long.column!r}) but none called 'model', so it does not say whose scores they are. "
            "Add a column 'model', give each model a column of its own, pass a file for each model, or say which column names "
            "them: ",
            column_advice("model", reading.named_in),
            ".",
        )
    if "item" not in long.words and long.column in reading.table.columns:
        reading.refuse_failed(long.column)
    return _named(long, given)


_Held = TypeVar("_Held", Long, Scores)


def _named(held: _Held, given: Source) -> _Held:
    """Scores of one model under the name that a dict gives to it."""
    if given.key and len(held.models) > 1:
        raise UnclearSourceError(f"the source given for {given.key!r} holds {len(held.models)} models. Pass it without a name.")
    return held.with_models(dict.fromkeys(held.models, given.key)) if given.key else held


# --- all sources ----------------------------------------------------------------------------------------------------------


def _scores(found: Sequence[Source], options: ReadOptions) -> Scores:
    """Scores of all that was found."""
    if isinstance(found[0].held, Reading) and found[0].held.is_in_time:
        from tiebreak.readers.predictions import losses_in_time

        found = [found[0]._replace(held=losses_in_time(_items(found, options), found[0].held))]
    if options.models is None:
        _refuse_runs([each.stem for each in found if each.file and not (isinstance(each.held, Long) and each.held.model_column)])
    are_items = any(map(_is_items, found))
    scores = _item_scores(found, options) if are_items else join_sources([_of_splits(each, options) for each in found])
    if options.models is not None:
        problems = Problems()
        for name in options.models:
            with problems.noted():
                look_up(name, scores.models, "model")
        problems.stop()
        scores = scores.take(options.models)
    notices = dict.fromkeys(scores.notices)
    # on some datasets models may well be below 1 per cent, or above 1
    for matrix in dataset_means(scores).matrices if len(scores.matrices) > 1 and not scores.is_mixed else scores.matrices:
        notices |= dict.fromkeys(percent_notices(matrix, scores.metric_of(matrix)))
    if are_items:
        return scores
    refuse_names("model", scores.models)
    refuse_names("dataset", filter(None, scores.datasets))  # which need not be named
    refuse_names("metric", [scores.metric.name])
    return dataclasses.replace(scores, notices=tuple(notices))


def _refuse_runs(names: Sequence[str]) -> None:
    """Refuse names of files that are parts of one model's scores, and would be models of their own: svm_seed0, svm_seed1."""
    parts = [part for name in names if (part := re.fullmatch(r"(?i)(.*[^\W_])[\W_]*(seed|fold|repeat)[\W_]*\d+", name))]
    whose = Counter(part[1] for part in parts)
    for part in [part for part in parts if whose[part[1]] > 1][:1]:
        raise UnclearSourceError(
            f"{part[0]!r} is called like one of {whose[part[1]]} parts of the scores of {part[1]!r}. Put the rows of all files "
            f"into one table, with columns 'model' and {part[2].lower()!r}; or, if each is a model, name them: ",
            Advice(f"models={[*names]!r}", typed=" ".join(f"--models {quote(name)}" for name in names)),
            ".",
        )


def _refuse_parts(names: Sequence[str]) -> None:
    """Refuse files of several parts of the data, which would be compared as models: svm_train, svm_test."""
    seen: dict[tuple[str, ...], str] = {}
    for name in names:
        words = words_in(name)
        own = next((word for word in (*words[-1:], *words[:1]) if word in PARTS), None)
        other = seen.setdefault(tuple(word for word in words if word != own), name) if own is not None else name
        if other != name:
            raise UnclearSourceError(
                f"the files {other!r} and {name!r} are called after parts of the data. Pass those of one part, of which each "
                "model has one score for each split or item."
            )


def _of_splits(source: Source, options: ReadOptions) -> Source:
    """The source with its scores of splits, of the dataset that is asked for."""
    scores, labels = scores_of_long(source.held, options) if isinstance(source.held, Long) else (source.held, source.labels)
    if options.dataset is not None and scores.datasets == ("",):
        raise UnknownNameError(
            Setting("dataset", repr(options.dataset)), f" was given, but {source.name} does not name any datasets."
        )
    if options.dataset is not None and scores.datasets != (options.dataset,):
        scores = scores.of_dataset(options.dataset)
    return source._replace(held=scores, labels=labels)


def _item_scores(found: Sequence[Source], options: ReadOptions) -> Scores:
    """Scores of single items from tables, logs, answers and results that hold them, joined on the items."""
    unfit = [name for name in ("dataset", "X", "y", "groups", "n_train", "n_test", "cv") if getattr(options, name) is not None]
    if unfit:
        raise InvalidParameterError(
            Setting(unfit[0]),
            " is about splits or datasets, and these are scores of single items of one test set. Leave it out.",
            about=unfit[0],
        )
    other = next((each for each in found if not _is_items(each)), None)
    if other is not None:
        raise UnclearSourceError(
            f"{other.place} holds scores of splits, and other sources those of single items; compare one kind."
        )
    return dataclasses.replace(
        _items(found, options).as_scores(),
        saved_settings=tuple(saved for each in found if isinstance(each.held, Scores) for saved in each.held.saved_settings),
        roles=tuple(dict.fromkeys(each.held.roles for each in found if isinstance(each.held, Long) and each.held.roles)),
    )


def _items(found: Sequence[Source], options: ReadOptions) -> Items:
    """Items of all that was found, joined."""
    tables = [each.held for each in found if isinstance(each.held, Reading)]
    if tables:
        if len(tables) < len(found):
            raise UnclearSourceError("some sources are predictions beside the truth, and others scores; compare one kind.")
        from tiebreak.readers.predictions import items_of_predictions  # with the statistics of their metrics

        return items_of_predictions(tables, [each.stem or each.name for each in found], options)
    alone = found[0].held.items if len(found) == 1 and isinstance(found[0].held, Scores) else None
    if alone is not None and options.cluster is None and not found[0].key:
        return check_items(alone)
    return items_of(_parts(found, options), options.metric, options.direction_of(options.metric or ""), options.cluster)


def _parts(found: Sequence[Source], options: ReadOptions) -> list[Long]:
    """Long tables of items, from tables, logs and items that were read before."""
    paths = [(each.held, each.name) for each in found if isinstance(each.held, Path)]
    read = iter(logs.read_logs(paths, options.metric, is_main=len(found) > 1))
    parts = []
    for each in found:
        items = each.held.items if isinstance(each.held, Scores) else None
        if items is not None and not items.is_mean:
            raise UnsupportedSourceError(
                f"{items.metric.name} is of all predictions together, so tables of it are not joined. Give the predictions of "
                "all models to one call of tb.read_predictions."
            )
        part = next(read) if isinstance(each.held, Path) else each.held if items is None else long_of_items(items)
        if not isinstance(part, Long) or "item" not in part.words:
            raise refuse(
                each.name,
                "it has no column that names the items, such as 'item', 'question' or 'doc_id'.",
                "Pass ",
                Setting("item", "'COLUMN'"),
                ", or ",
                Setting("rows", "'items'"),
                " if each row is an item.",
            )
        parts.append(_named(dataclasses.replace(part, stem=each.stem), each))
    return parts
