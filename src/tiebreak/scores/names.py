"""Names that callers give: found, or refused with the nearest ones."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from tiebreak.errors import UnknownNameError


def look_up(name: str, known: Sequence[str], what: str) -> int:
    """Position of a name; raises `UnknownNameError` with the nearest names, e.g. for `what` = "model"."""
    try:
        return known.index(name)
    except ValueError:
        pass
    near = difflib.get_close_matches(str(name), [str(k) for k in known], 3, 0.5)
    hint = f"did you mean {' or '.join(repr(n) for n in near)}?" if near else f"there are {quoted(known)}."
    raise UnknownNameError(f"no {what} is called {name!r}: {hint}")


def quoted(names: Sequence[str], most: int = 5) -> str:
    """Names for a message, never more than `most` of them: 'a', 'b' and 3 more."""
    shown = [repr(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "none"
