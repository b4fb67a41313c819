"""Names for the candidates of a search: what varies among them, as briefly as it stays clear."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from tiebreak.errors import DataError
from tiebreak.scores.vocabulary import look_up, quoted

Params = Mapping[str, Any]

_LONGEST_VALUE = 40

MOST_CANDIDATES = 100_000


def name_candidates(params: Sequence[Params]) -> tuple[tuple[str, ...], list[str]]:
    """A unique name for each candidate, and the names that several have, which are numbered.

    A single varying text parameter stands first by its value alone ("rbf"); then come ``name=value`` in the order of the
    parameters ("poly, degree=2"). A parameter that only some candidates have is shown where it varies among those. Prefixes of
    pipelines are dropped where that leaves names distinct.
    """
    texts: dict[str, dict[int, str]] = {}  # of each parameter, by the position of the candidates that have it
    for name in dict.fromkeys(chain.from_iterable(params)):
        having = [i for i, each in enumerate(params) if name in each]
        texts[name] = dict(zip(having, _distinct_texts([params[i][name] for i in having]), strict=True))
    shown = [name for name in texts if len(params) == 1 or len(set(texts[name].values())) > 1]
    names = _names(params, texts, shown)
    if len(set(names)) < len(names):
        # candidates that differ only by having a parameter or not
        sharing = {name: Counter(names[candidate] for candidate in texts[name]) for name in texts if name not in shown}
        extra = [name for name, found in sharing.items() if any(n < names.count(shared) for shared, n in found.items())]
        shown = [name for name in texts if name in shown or name in extra]
        names = _names(params, texts, shown)
    if len(set(names)) < len({tuple((key, _identity(value)) for key, value in each.items()) for each in params}):
        # a text that reads like the name of another candidate, such as "default"
        names = _names(params, texts, shown, value_alone=False)
    return (tuple(names), []) if len(set(names)) == len(names) else _numbered(names)


def _names(
    params: Sequence[Params], texts: dict[str, dict[int, str]], shown: list[str], *, value_alone: bool = True
) -> list[str]:
    words = [name for name in shown if all(isinstance(params[i][name], str) for i in texts[name])]
    by_value = words[0] if len(words) == 1 and value_alone else None
    last = {name: name.rsplit("__", 1)[-1] for name in shown}
    count = Counter(last.values())
    short = {name: last[name] if count[last[name]] == 1 else name for name in shown}  # clf__C as C, unless there is another C
    names = []
    for candidate in range(len(params)):
        parts = [f"{short[name]}={texts[name][candidate]}" for name in shown if candidate in texts[name] and name != by_value]
        if by_value is not None and candidate in texts[by_value]:
            parts.insert(0, texts[by_value][candidate])
        names.append(", ".join(parts) or "default")
    return names


def _numbered(names: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """The names with a number for each copy, and those that have copies."""
    unique: dict[str, None] = {}
    for name in names:
        numbered, n = name, 1
        while numbered in unique:
            n += 1
            numbered = f"{name} #{n}"
        unique[numbered] = None
    return tuple(unique), [name for name, count in Counter(names).items() if count > 1]


# --- values ---------------------------------------------------------------------------------------------------------------


def _distinct_texts(values: list[Any]) -> list[str]:
    """Short texts; values that differ get texts that differ."""
    identity = [_identity(value) for value in values]
    for digits in (6, 9, 12, None):
        texts = [_text(value, digits) for value in values]
        by_identity = dict(zip(identity, texts, strict=True))
        if len(set(by_identity.values())) == len(by_identity):
            return texts
    # the full text where short ones are the same; a number where even that does not tell values apart
    shared = {text for text, count in Counter(by_identity.values()).items() if count > 1}
    full = {
        key: " ".join(key.split()) if short in shared and " at 0x" not in key else short for key, short in by_identity.items()
    }
    seen: Counter[str] = Counter()
    for key, text in full.items():
        seen[text] += 1
        if seen[text] > 1:
            full[key] = f"{text} ({seen[text]})"
    return [full[key] for key in identity]


def _identity(value: Any) -> str:
    """Identity of a value: type and content, so that 1, 1.0 and True are three."""
    if isinstance(value, float):
        return f"float {float(value)!r}"  # numpy's too
    if hasattr(value, "tolist") and not isinstance(value, type):
        plain = value.tolist()
        return f"array {plain!r}" if isinstance(plain, list) else _identity(plain)
    return repr(value)


def _text(value: Any, digits: int | None) -> str:
    """A value in brief; floats with so many digits, or with all of them and the point that tells 1.0 from 1."""
    if isinstance(value, str):
        return str(value) if value.strip() else repr(value)
    if isinstance(value, float):
        return repr(float(value)) if digits is None else f"{float(value):.{digits}g}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return type(value).__name__
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    if isinstance(value, (tuple, list)):
        inner = ", ".join(_text(each, digits) for each in value)
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return _text(value.tolist(), digits)
    text = repr(value)
    text = " ".join((type(value).__name__ if " at 0x" in text else text).split())
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def grid(estimator: Any, parameters: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]) -> dict[str, Any]:
    """Models for all combinations of parameters, named by what varies.

    Parameters
    ----------
    estimator : estimator or pipeline
        Is copied for each candidate, never changed.
    parameters : dict of lists, or list of such dicts
        As for scikit-learn's `GridSearchCV`.

    Returns
    -------
    dict of str to estimator
        Names as in the candidates of a search: a single varying text parameter by its value first ("rbf"), then
        ``name=value`` ("poly, degree=2"); prefixes of pipelines are dropped where names stay clear.

    Raises
    ------
    DataError
        The estimator has no parameters, or the grid is empty or doubles a candidate.
    UnknownNameError
        A parameter that the estimator does not have, with the nearest names.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> list(grid(SVC(), [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}]))
    ['linear', 'poly, degree=2', 'poly, degree=3']
    """
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    try:
        whole = ParameterGrid(parameters)
    except (TypeError, ValueError) as error:
        raise DataError(f"the grid cannot be used: {error} Pass {{parameter: [values]}}, or a list of such dicts.") from None
    if len(whole) > MOST_CANDIDATES:  # counted before they are built
        raise DataError(
            f"the grid has {len(whole):,} candidates; at most {MOST_CANDIDATES:,} are measured at a time. Leave out values, or "
            "draw some of the candidates: {name: model, ...}."
        )
    if isinstance(estimator, type) or not hasattr(estimator, "set_params"):
        kind = f"the class {estimator.__name__}" if isinstance(estimator, type) else f"of type {type(estimator).__name__}"
        raise DataError(f"grid needs an estimator with set_params, such as SVC(); got one {kind}.")
    known = list(estimator.get_params(deep=True))
    combinations = list(whole)
    for each in combinations:
        for name in each:
            if not any(name.startswith(f"{part}__") for part in each):  # of a part that the grid itself sets
                look_up(name, known, f"parameter of {type(estimator).__name__}")
    names, doubled = name_candidates(combinations)
    if doubled:
        raise DataError(f"the grid holds the same candidate more than once: {quoted(doubled)}. Leave the copies out.")
    models = {}
    for name, each in zip(names, combinations, strict=True):
        in_order = sorted(each.items(), key=lambda item: item[0].count("__"))  # a part is set before its own parameters
        try:
            models[name] = clone(estimator).set_params(**{key: clone(value, safe=False) for key, value in in_order})
        except ValueError as error:
            raise DataError(f"the grid does not fit {type(estimator).__name__}: {error}") from None
        except Exception as error:  # of any kind: values are the caller's objects
            raise DataError(
                f"candidate {name!r} of the grid cannot be made, as its values have to be copied ({type(error).__name__}). "
                "Pass values that copy.deepcopy copies; a file or a connection is opened by the model when it is fitted."
            ) from error
    return models
