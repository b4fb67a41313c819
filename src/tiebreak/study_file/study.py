"""A study: models, data, splits and metrics in one file, so that a run can be started, gone on with and shared."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tiebreak.errors import InvalidParameterError, TiebreakError
from tiebreak.numerics import check_rope_given
from tiebreak.plan.candidates import grid, name_candidates
from tiebreak.plan.plan import number_of_workers
from tiebreak.plan.splits import KINDS, OPTIONS
from tiebreak.study_file.data import StudyData, column_steps, read_datasets, refuse_unreadable, with_columns
from tiebreak.study_file.toml import Entry, kind_of, nearest, one_line, read_toml

_HOW = 'Write "module:name", such as "sklearn.svm:SVC".'
_KEYS = (
    "name",
    "rope",
    "metrics",
    "seed",
    "n_jobs",
    "timeout",
    "threads_per_fit",
    "share_steps",
    "keep_predictions",
    "store",
    "data",
    "columns",
    "cv",
    "inner",
    "models",
)


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Request of a study file, with the models made and the data read.

    `file` is the path as messages call it. The name is that of the run, the file's name without its ending where the file says
    none; a single dataset that was not named is called "". `rope` is for the comparison that follows, `store` a URL, `inner` the
    inner splits of `tiebreak.nested_cross_validate`; the rest is as for `tiebreak.evaluate`.
    """

    file: str
    path: Path
    name: str
    models: Mapping[str, Any]
    datasets: Mapping[str, StudyData]
    cv: Any = None
    inner: Any = None
    scoring: list[Any] | None = None
    rope: float | str = 0.0
    seed: int = 0
    n_jobs: int = 1
    timeout: float | None = None
    threads_per_fit: int | Literal["auto"] = "auto"
    share_steps: bool = True
    keep_predictions: bool = True
    store: str | None = None

    @property
    def plan_arguments(self) -> dict[str, Any]:
        """Arguments of `make_plan` and of `evaluate` that say what is to be measured, but for the metrics."""
        arguments = {"models": self.models, "cv": self.cv, "rng": self.seed}
        if list(self.datasets) == [""]:
            data = self.datasets[""]
            return {**arguments, "X": data.X, "y": data.y, "groups": data.groups, "sample_weight": data.weights}
        datasets = {
            name: (data.X, data.y) if data.groups is None else (data.X, data.y, data.groups)
            for name, data in self.datasets.items()
        }
        return {**arguments, "datasets": datasets}


def read_study(path: Path | str, *, make_models: bool = True) -> Study:
    """Read a study file: check it, import its models, read its data.

    A study file is code: what it imports is run. Without `make_models` no model is made, nor a parameter of one: their classes
    are imported and looked at, and the study holds what they are declared to be. Splitters and metrics are made.

    Modules beside the file can be imported from then on, after everything that could be before. What cannot be used is an
    `InvalidStudyError` that names file, key and value; a file that is not there a `SourceNotFoundError`.
    """
    path = Path(path)
    whole = read_toml(path)
    table = whole.table(_KEYS)
    for key, example in (("data", '[data] with source = "table.csv"'), ("models", '[models.NAME] with import = "module:class"')):
        if key not in table:
            raise whole.error(f"there is no {key}. Add {example}.")
    folder = path.absolute().parent
    settings = {"name": path.stem} | {key: _READ[key](table[key]) for key in _READ if key in table}
    importlib.invalidate_caches()
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # last of all: no module beside the study can stand in for an installed one
    cv, inner = (_cv(table[key]) if key in table else None for key in ("cv", "inner"))
    scoring = _metrics(table["metrics"]) if "metrics" in table else None
    models = build_models(table["models"], declare_only=not make_models)
    datasets = read_datasets(table["data"], folder)
    if "columns" in table:
        prepare = column_steps(table["columns"], datasets)
        models = {name: with_columns(table["models"].at(name), model, prepare) for name, model in models.items()}
    else:
        refuse_unreadable(table["data"], datasets, models)
    return Study(
        file=whole.file,
        path=path.absolute(),
        cv=cv,
        inner=inner,
        scoring=scoring,
        models=models,
        datasets=datasets,
        **settings,
    )


# --- settings -------------------------------------------------------------------------------------------------------------


def _rope(entry: Entry) -> float | str:
    try:
        return check_rope_given(entry.value)
    except InvalidParameterError:
        raise entry.error(
            'must be a number of at least 0 in the metric\'s unit, or a percentage of the best mean such as "1%".'
        ) from None


def _n_jobs(entry: Entry) -> int:
    try:
        number_of_workers(entry.value)
    except InvalidParameterError:
        raise entry.error("must be a whole number of worker processes, or -1 for all cores.") from None
    return int(entry.value)


_READ: dict[str, Any] = {
    "name": Entry.text,
    "rope": _rope,
    "seed": lambda entry: entry.count(0),
    "n_jobs": _n_jobs,
    "timeout": Entry.seconds,
    "threads_per_fit": lambda entry: "auto" if entry.value == "auto" else entry.count(1),
    "share_steps": Entry.flag,
    "keep_predictions": Entry.flag,
    "store": Entry.text,
}


def _metrics(entry: Entry) -> list[Any]:
    """Names of scorers as they are; what is written "module:name" is imported, and a table is made into an object."""
    entries = [entry] if isinstance(entry.value, str | dict) else entry.items()
    metrics: list[Any] = []
    for place, each in enumerate(entries):
        if any(each.value == other.value for other in entries[:place]):
            raise each.error("stands twice.")
        metrics.append(
            _made_metric(each) if isinstance(each.value, dict) else import_object(each) if ":" in each.text() else each.value
        )
    return metrics


def _made_metric(entry: Entry) -> Any:
    """A metric that is an object: imported with its parameters, or a cost matrix under its own key."""
    if "metric" in entry.value:
        return _with_positive(entry)
    if "cost" not in entry.value:
        entry.table(("import", "params"))
        if "import" not in entry.value:
            raise entry.error(
                "says neither metric, cost nor import. Write { cost = { actual = { predicted = 1, ... }, ... } }, or { metric = "
                '"f1", positive = "yes" }.'
            )
        return build(entry)
    table = entry.table(("cost", "labels", "name"))
    names = {"cost": "costs", "labels": "labels", "name": "name"}
    params = {names[key]: each.value for key, each in table.items()}
    return build(Entry(entry.file, entry.keys, {"import": "tiebreak.metrics.costs:CostMatrix", "params": params}))


def _with_positive(entry: Entry) -> Any:
    """A metric of scikit-learn's list for two classes, with the label that counts as positive."""
    from sklearn.metrics import get_scorer, get_scorer_names, make_scorer

    table = entry.table(("metric", "positive"))
    named = table["metric"]
    scorers = {name: get_scorer(name) for name in get_scorer_names()}
    of_two = (name for name, each in scorers.items() if each._kwargs.get("average", "binary") == "binary")
    names = [name for name in of_two if "pos_label" in _parameters(scorers[name]._score_func)]
    if named.text() not in names:
        raise named.error(f"is no metric with a positive class; {nearest(named.value, names, 'there are')}")
    if "positive" not in table:
        raise entry.error('says no positive: the label that is to be found, such as positive = "yes".')
    scorer = get_scorer(named.value)
    settings = {name: value for name, value in scorer._kwargs.items() if name != "pos_label"}
    settings |= {"greater_is_better": scorer._sign > 0, "response_method": scorer._response_method}
    return make_scorer(scorer._score_func, pos_label=table["positive"].value, **settings)


def _parameters(function: Any) -> Mapping[str, Any]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _cv(entry: Entry) -> Any:
    """A number of folds, a kind of splits with its options, or a splitter that is imported."""
    if isinstance(entry.value, bool) or not isinstance(entry.value, int | str | dict):
        raise entry.error(f"must be a number of folds, a kind of splits or a table; got {kind_of(entry.value)}.")
    if isinstance(entry.value, int):
        return entry.count(2)
    if isinstance(entry.value, dict) and "import" in entry.value:
        return _splitter(entry)
    if isinstance(entry.value, dict) and "kind" not in entry.value:
        raise entry.error(f'says no kind. Add kind = "{KINDS[1]}"; {nearest("", KINDS, "the kinds are")}')
    kind = entry.at("kind") if isinstance(entry.value, dict) else entry
    if kind.text() not in KINDS:
        raise kind.error(f"there is no such kind of splits; {nearest(kind.value, KINDS, 'the kinds are')}")
    if kind is entry:
        return entry.value
    return {key: each.value for key, each in entry.table(("kind", *OPTIONS[kind.value])).items()}


def _splitter(entry: Entry) -> Any:
    entry.table(("import", "params"))
    splitter = build(entry)
    if not hasattr(splitter, "split"):
        raise entry.at("import").error("is no splitter: it has no split.")
    return splitter


# --- models ---------------------------------------------------------------------------------------------------------------


def build_models(entry: Entry, *, declare_only: bool = False) -> dict[str, Any]:
    """All models by name, of the table ``[models]``, in the order of the file; one with a grid is a dict of candidates.

    To `declare_only` is to have a `DeclaredModel` in the place of each: nothing is made, though classes are imported.
    """
    make, vary = (_declared, _declared_grid) if declare_only else (build, _grid)
    models = {}
    for name, each in entry.table().items():
        table = each.table(("import", "params", "steps", "grid"))
        if "steps" in table and "import" in table:
            raise each.error("has both import and steps. A model is one or the other.")
        if "steps" not in table and "import" not in table:
            raise each.error(f"says neither import nor steps. {_HOW}")
        model = make(each)
        models[name] = vary(table["grid"], model) if "grid" in table else model
    if not models:
        raise entry.error('there are no models. Add one: [models.NAME] with import = "module:class".')
    return models


def import_object(entry: Entry) -> Any:
    """Object that a text such as "sklearn.svm:SVC" (or "sklearn.svm.SVC") names."""
    text = entry.text()
    module_name, _, name = text.partition(":") if ":" in text else text.rpartition(".")
    if not all(part.isidentifier() for part in (*module_name.split("."), *name.split("."))):
        raise entry.error(f"is no name to import. {_HOW}")
    _refuse_standard(entry, module_name)
    found = _module(entry, module_name)
    for part in name.split("."):
        _refuse_standard(entry, _origin(found))
        try:
            found = getattr(found, part)
        except AttributeError:
            where = f" ({file})" if (file := getattr(found, "__file__", None)) else ""
            public = [each for each in dir(found) if not each.startswith("_")]
            raise entry.error(
                f"module {module_name!r}{where} has no {part!r}; {nearest(part, public, 'it has')}"
                if inspect.ismodule(found)
                else f"{text.removesuffix('.' + part)} has no {part!r}."
            ) from None
    _refuse_standard(entry, _origin(found))
    return found


def _origin(thing: Any) -> str:
    """Module that a class or function comes from, whatever it is called where it was found; "" for other objects."""
    if inspect.ismodule(thing):
        return thing.__name__
    if not isinstance(thing, type) and not inspect.isroutine(thing):
        return ""
    owner = getattr(thing, "__objclass__", None) or getattr(thing, "__self__", None)
    if inspect.ismodule(owner):
        return owner.__name__
    own = getattr(thing, "__module__", None)
    return str(own or getattr(owner if isinstance(owner, type) else type(owner), "__module__", ""))


def _refuse_standard(entry: Entry, module: str) -> None:
    """Refuse Python's own modules, under whatever name: they start programs, and hold no models."""
    if module.partition(".")[0] in sys.stdlib_module_names or module.partition(".")[0] in ("test", "__main__"):
        raise entry.error(
            f"leads to {module!r}, which is Python's own and holds nothing that a study needs. What is to be made by it belongs "
            "into a module beside the study."
        )


def _module(entry: Entry, name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name == missing or name.startswith(f"{missing}."):
            raise entry.error(f"there is no module {missing!r}{_near_modules(entry, missing)}") from None
        raise entry.error(f"module {name!r} needs {missing!r}, which is not installed.") from None
    except (Exception, SystemExit) as error:
        raise entry.error(f"module {name!r} failed when it was imported: {one_line(error)}{_place(error)}") from error


def _near_modules(entry: Entry, missing: str) -> str:
    """The end of the message: modules of nearly that name in the same package, or beside the study."""
    parent, _, last = missing.rpartition(".")
    try:
        places = list(importlib.import_module(parent).__path__) if parent else [str(Path(entry.file).parent)]
    except Exception:  # a parent that is no package
        return "."
    names = [module.name for module in pkgutil.iter_modules(places) if not module.name.startswith("_")]
    near = nearest(last, names, "") if names else ""
    if "did you mean" in near:
        return f"; {near}"
    return "." if parent else ": it is neither installed nor beside the study."


def _place(error: BaseException) -> str:
    """Place in the code at which an exception was raised; a SyntaxError says so itself."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or isinstance(error, SyntaxError):
        return "."
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})."


# --- objects ------------------------------------------------------------------------------------------------------------


def _named(entry: Entry) -> tuple[Any, dict[str, Entry]]:
    """Object that a table imports and, of a class, its parameters by name; checked as far as can be without making anything."""
    named = entry.at("import")
    found = import_object(named)
    if inspect.ismodule(found):
        raise named.error(f"is a module. {_HOW}")
    if not isinstance(found, type):
        if "params" in entry.value:
            what = "a function" if inspect.isroutine(found) else f"an object of type {type(found).__name__}"
            raise entry.at("params").error(f"{named.value} is {what}; parameters go with a class.")
        return found, {}
    params = entry.at("params").table() if "params" in entry.value else {}
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):  # a class whose signature is not known
        return found, params
    known = [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
    for name, each in params.items():
        if name not in known and not takes_any:
            hint = nearest(name, known, "it takes") if known else "it takes none."
            raise each.error(f"{found.__name__} has no parameter {name!r}; {hint}")
    return found, params


def build(entry: Entry) -> Any:
    """An object from a table with ``import`` and ``params``, or with ``steps``.

    A class is called with its parameters; a function, or any other object, is taken as it is.
    """
    if "steps" in entry.value:
        from sklearn.pipeline import Pipeline

        return Pipeline(_steps(entry, build))
    found, params = _named(entry)
    if not isinstance(found, type):
        return found
    values = {name: resolve(each) for name, each in params.items()}
    try:
        return found(**values)
    except Exception as error:
        raise entry.error(f"{found.__name__} could not be made: {one_line(error)}") from error


def resolve(entry: Entry, make: Callable[[Entry], Any] = build) -> Any:
    """The value of a parameter; tables with ``import`` or ``steps`` in it become objects, as `make` makes them."""
    if isinstance(entry.value, dict):
        if "steps" in entry.value:
            entry.table(("steps",))
            return make(entry)
        if "import" in entry.value:
            entry.table(("import", "params"))
            return make(entry)
        return {key: resolve(each, make) for key, each in entry.table().items()}
    if isinstance(entry.value, list):
        return [resolve(entry.at(place), make) for place in range(len(entry.value))]
    return entry.value


# --- pipelines and grids --------------------------------------------------------------------------------------------------


def _steps(entry: Entry, make: Callable[[Entry], Any]) -> list[tuple[str, Any]]:
    """Steps of a pipeline by name."""
    entries = entry.at("steps").items()
    parts = []
    for each in entries:
        table = each.table(("import", "params", "name"))
        if "import" not in table:
            raise each.error(f"says no import. {_HOW}")
        parts.append(make(each))
    for each, part in zip(entries[:-1], parts[:-1], strict=True):
        if not (hasattr(part, "fit") and hasattr(part, "transform")):
            raise each.at("import").error("is no transformer (fit and transform), as all steps but the last must be.")
    if not hasattr(parts[-1], "fit"):
        raise entries[-1].at("import").error("has no fit, which the last step of a pipeline needs.")
    return list(zip(_step_names(entries, parts), parts, strict=True))


def _step_names(entries: list[Entry], parts: list[Any]) -> list[str]:
    """The names given; else those that scikit-learn's make_pipeline gives."""
    names = [type(part).__name__.lower() for part in parts]
    doubled = {name for name, count in Counter(names).items() if count > 1}
    seen: Counter[str] = Counter()
    for place, (name, entry) in enumerate(zip(names, entries, strict=True)):
        if "name" in entry.value:
            names[place] = entry.at("name").text()
        elif name in doubled:
            seen[name] += 1
            names[place] = f"{name}-{seen[name]}"
        if "__" in names[place] or names[place] in names[:place]:
            raise entry.error(f"a step cannot be called {names[place]!r}: names must differ, and '__' is for parameters.")
    return names


def _grid(entry: Entry, model: Any) -> dict[str, Any]:
    """The candidates by name."""
    known = list(model.get_params(deep=True)) if hasattr(model, "get_params") and not isinstance(model, type) else []
    parameters = [{name: resolve(each) for name, each in values.items()} for values in _grid_values(entry, model, known)]
    try:
        return grid(model, parameters)
    except TiebreakError as error:
        raise entry.error(str(error)) from error


def _grid_values(entry: Entry, model: Any, known: Sequence[str]) -> list[dict[str, Entry]]:
    """The lists of values by parameter, in each table of a grid."""
    tables = []
    for table in entry.items() if isinstance(entry.value, list) else [entry]:
        values = table.table()
        for name, each in values.items():
            each.items()
            part_is_varied = any(name.startswith(f"{other}__") for other in values)
            if known and name not in known and not part_is_varied:
                raise each.error(f"{type(model).__name__} has no parameter {name!r}; {nearest(name, known, 'it has')}")
        tables.append(values)
    return tables


# --- what is declared, and not made ---------------------------------------------------------------------------------------


def _declared_grid(entry: Entry, model: Any) -> dict[str, Any]:
    """The candidates by name."""
    from sklearn.model_selection import ParameterGrid

    tables = _grid_values(entry, model, ())
    grids = [{name: [resolve(one, _declared) for one in each.items()] for name, each in table.items()} for table in tables]
    candidates = list(ParameterGrid(grids))
    names, notices = name_candidates(candidates)
    if notices:
        raise entry.error(f"{notices[0].text}. Leave the copies out.")
    return {name: model.varied(each) for name, each in zip(names, candidates, strict=True)}


def _declared(entry: Entry) -> Any:
    """A stand-in for what a table would make; a function, or another object that is there, is taken as it is."""
    from tiebreak.study_file.declared import DeclaredModel, declare

    if "steps" in entry.value:
        from sklearn.pipeline import Pipeline

        steps = _steps(entry, _declared)
        last = steps[-1][1]
        return declare(Pipeline, {"steps": steps}, last.kind if isinstance(last, DeclaredModel) else type(last))
    found, params = _named(entry)
    if not isinstance(found, type):
        return found
    return declare(found, {name: resolve(each, _declared) for name, each in params.items()})
