"""The models of a study file: classes and functions imported by name, with parameters, as pipelines and as grids."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import traceback
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tiebreak.errors import TiebreakError
from tiebreak.plan.candidates import grid
from tiebreak.study_file.toml import Entry, nearest, one_line

_HOW = 'Write "module:name", such as "sklearn.svm:SVC".'


def build_models(entry: Entry) -> dict[str, Any]:
    """All models by name, in the order of the file; one with a grid is a dict of candidates.

    Parameters
    ----------
    entry : Entry
        The table ``[models]``.

    Raises
    ------
    InvalidStudyError
        A model that cannot be made; the text says which, and what failed.
    """
    models = {name: _model(each) for name, each in entry.table().items()}
    if not models:
        raise entry.error('there are no models. Add one: [models.NAME] with import = "module:class".')
    return models


def import_object(entry: Entry) -> Any:
    """Object that a text such as "sklearn.svm:SVC" (or "sklearn.svm.SVC") names.

    Raises
    ------
    InvalidStudyError
        No such module, no such name in it, or the module failed when it was imported.
    """
    text = entry.text()
    module_name, _, name = text.partition(":") if ":" in text else text.rpartition(".")
    if not all(part.isidentifier() for part in (*module_name.split("."), *name.split("."))):
        raise entry.error(f"is no name to import. {_HOW}")
    found = _module(entry, module_name)
    for part in name.split("."):
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
    return found


def build(entry: Entry) -> Any:
    """An object from a table with ``import`` and ``params``, or with ``steps``.

    A class is called with its parameters; a function, or any other object, is taken as it is.
    """
    return _pipeline(entry) if "steps" in entry.value else _imported(entry)


def _model(entry: Entry) -> Any:
    table = entry.table(("import", "params", "steps", "grid"))
    if "steps" in table and "import" in table:
        raise entry.error("has both import and steps. A model is one or the other.")
    if "steps" not in table and "import" not in table:
        raise entry.error(f"says neither import nor steps. {_HOW}")
    model = build(entry)
    return _grid(table["grid"], model) if "grid" in table else model


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


def _imported(entry: Entry) -> Any:
    named = entry.at("import")
    found = import_object(named)
    if inspect.ismodule(found):
        raise named.error(f"is a module. {_HOW}")
    if not isinstance(found, type):
        if "params" in entry.value:
            what = "a function" if inspect.isroutine(found) else f"an object of type {type(found).__name__}"
            raise entry.at("params").error(f"{named.value} is {what}; parameters go with a class.")
        return found
    params = entry.at("params").table() if "params" in entry.value else {}
    _check_names(found, params)
    values = {name: resolve(each) for name, each in params.items()}
    try:
        return found(**values)
    except Exception as error:
        raise entry.error(f"{found.__name__} could not be made: {one_line(error)}") from error


def resolve(entry: Entry) -> Any:
    """The value of a parameter; tables with ``import`` or ``steps`` in it are made into objects."""
    if isinstance(entry.value, dict):
        if "steps" in entry.value:
            entry.table(("steps",))
            return build(entry)
        if "import" in entry.value:
            entry.table(("import", "params"))
            return build(entry)
        return {key: resolve(each) for key, each in entry.table().items()}
    if isinstance(entry.value, list):
        return [resolve(entry.at(place)) for place in range(len(entry.value))]
    return entry.value


def _check_names(kind: type, params: Mapping[str, Entry]) -> None:
    """Refuse parameters that a class does not take."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):  # a class whose signature is not known
        return
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return
    known = [each.name for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    for name, entry in params.items():
        if name not in known:
            hint = nearest(name, known, "it takes") if known else "it takes none."
            raise entry.error(f"{kind.__name__} has no parameter {name!r}; {hint}")


# --- pipelines and grids --------------------------------------------------------------------------------------------------


def _pipeline(entry: Entry) -> Any:
    from sklearn.pipeline import Pipeline

    entries = entry.at("steps").items()
    parts = []
    for each in entries:
        table = each.table(("import", "params", "name"))
        if "import" not in table:
            raise each.error(f"says no import. {_HOW}")
        parts.append(_imported(each))
    for each, part in zip(entries[:-1], parts[:-1], strict=True):
        if not (hasattr(part, "fit") and hasattr(part, "transform")):
            raise each.at("import").error("is no transformer (fit and transform), as all steps but the last must be.")
    if not hasattr(parts[-1], "fit"):
        raise entries[-1].at("import").error("has no fit, which the last step of a pipeline needs.")
    return Pipeline(list(zip(_step_names(entries, parts), parts, strict=True)))


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
    tables = entry.items() if isinstance(entry.value, list) else [entry]
    known = list(model.get_params(deep=True)) if hasattr(model, "get_params") and not isinstance(model, type) else []
    parameters = []
    for table in tables:
        values = table.table()
        for name, each in values.items():
            each.items()
            part_is_varied = any(name.startswith(f"{other}__") for other in values)
            if known and name not in known and not part_is_varied:
                raise each.error(f"{type(model).__name__} has no parameter {name!r}; {nearest(name, known, 'it has')}")
        parameters.append({name: resolve(each) for name, each in values.items()})
    try:
        return grid(model, parameters)
    except TiebreakError as error:
        raise entry.error(str(error)) from error
