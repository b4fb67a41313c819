"""Results as JSON knows them: lists, texts and finite numbers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any


def finite(value: Any) -> Any:
    """A number that is nan or infinite as None, which JSON can say; anything else as it is."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plain(value: Any) -> Any:
    """A value with all that it holds: arrays as lists, records as dicts, what is undefined as None, the rest by its repr."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "tolist") and not isinstance(value, type):
        return plain(value.tolist())
    return finite(value) if value is None or isinstance(value, bool | int | float | str) else repr(value)
