"""How texts are written: as ASCII JSON, whatever they hold."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tiebreak.errors import InvalidParameterError

# JSON reads two escaped surrogates in a row as one character: NULs between them, one more than there were, keep them two.
_PAIR = re.compile("([\ud800-\udbff])(\0*)([\udc00-\udfff])")


@lru_cache(maxsize=256)
def name_to_json(name: str) -> str:
    """`to_json` of a text that comes again and again."""
    return to_json(name)


def to_json(value: Any) -> str:
    """ASCII JSON of texts, numbers, lists and dicts, from which `from_json` makes the same again, lone surrogates included."""
    text = json.dumps(value, default=_plain_number)
    return json.dumps(_map_texts(value, _part), default=_plain_number) if "\\ud" in text else text


def from_json(text: str) -> Any:
    """What `to_json` was given."""
    value = json.loads(text)
    return _map_texts(value, _join) if "\\ud" in text else value


def _part(text: str) -> str:
    return _PAIR.sub("\\1\\2\0\\3", text)


def _join(text: str) -> str:
    return _PAIR.sub(lambda found: found[1] + found[2][1:] + found[3], text)


def _map_texts(value: Any, change: Any) -> Any:
    """The same structure with every text in it changed, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {_map_texts(key, change): _map_texts(each, change) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_map_texts(each, change) for each in value]
    return value


def _plain_number(value: Any) -> Any:
    """Scalars of numpy as what they are in Python."""
    import numpy as np  # only for what JSON does not know: a list of runs is read without it

    if isinstance(value, np.generic) and isinstance(value.item(), (bool, int, float, str)):
        return value.item()
    if isinstance(value, Mapping):
        return dict(value)
    raise InvalidParameterError(
        f"a store keeps texts, numbers, lists and dicts of them, and not {type(value).__name__}; got {value!r:.200}. "
        "Turn it into one of those."
    )
