"""Looks in words, and the file that keeps them: whole after every look, and safe against two writers."""

import json
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from tiebreak.comparison.comparison import Comparison
from tiebreak.comparison.family import OVER
from tiebreak.comparison.looks import Looks, check_suitable
from tiebreak.comparison.ranking import BEST
from tiebreak.errors import (
    ChangedRunError,
    DataError,
    InvalidParameterError,
    Setting,
    StoreError,
    TiebreakError,
)
from tiebreak.printable import printable
from tiebreak.views.view import encoded, write_whole
from tiebreak.views.words import count

MOST_SECONDS = 10.0
"""Wait for another writer; writing takes milliseconds."""

STALE_SECONDS = 60.0
"""Age from which the lock of a writer is one that died."""


def plan_of(n_total: int | None, looks: Any) -> tuple[Looks | None, Callable[[Looks], None]]:
    """The plan that a caller means by `n_total` and `looks`; and what keeps it with the next look, if it has a file."""
    path, content, plan = None, None, looks if isinstance(looks, Looks) else getattr(looks, "looks", None)
    if isinstance(looks, str | os.PathLike):
        path = Path(looks)
        content = _bytes_of(path)
        if content is not None:
            name = printable(str(path))
            try:
                held = json.loads(content.decode("utf-8-sig"))
            except (ValueError, RecursionError) as error:
                way_on = "Go on from another copy, or from the saved answer of the last look."
                raise DataError(f"{name} is no whole file of looks ({error}). {way_on}") from None
            plan, is_answer = _of_content(held, name)
            path = None if is_answer else path
    elif isinstance(looks, Mapping):
        plan = _of_content(looks, "looks")[0]
    elif looks is not None and not isinstance(plan, Looks):
        raise InvalidParameterError(
            f"looks is a file, an earlier answer that was given with n_total, or its .looks; got {looks!r:.60}.", about="looks"
        )
    if plan is None and n_total is None:
        raise InvalidParameterError(
            f"there are no looks in {printable(str(looks))!r} yet, so the plan is not known: say how many units it has with ",
            Setting("n_total"),
            ".",
            about="looks",
        )
    if plan is not None and n_total is not None and n_total != plan.n_total:
        raise ChangedRunError(
            f"the plan was made for {plan.n_total:,} {plan.unit or 'unit'}s, so it does not go with ",
            Setting("n_total", str(n_total)),
            ". A plan keeps its size; further data need a new plan, on new units.",
        )
    plan = Looks(n_total=n_total) if plan is None and n_total is not None else plan
    return plan, (lambda taken: None) if path is None else partial(keep, path, content)


def _bytes_of(path: Path) -> bytes | None:
    """Content of the file; None where there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise StoreError(f"the folder of {path} is not there, so the looks cannot be kept. Make it first.") from None
        return None
    except OSError as error:
        raise DataError(f"{path} could not be read: {error.strerror or error}.") from None


def _of_content(content: Any, name: str) -> tuple[Looks, bool]:
    """Looks in a file of them, or in an answer; and True for the latter."""
    if isinstance(content, Mapping) and (isinstance(content.get("settings"), Mapping) or "models" in content):
        held = content.get("settings", content).get("looks")
        if held is None:
            raise DataError(f"{name} is an answer without a plan of looks. Name a new file for them.")
        return Looks.from_dict(held, name), True
    return Looks.from_dict(content, name), False


def keep(path: Path, before: bytes | None, looks: Looks) -> None:
    """Write the looks into their file, unless somebody else has written there since it was read.

    A lock is held meanwhile; that of a writer who died is taken over.
    """
    lock = path.with_name(f".{path.name[:60]}.lock")
    until = time.monotonic() + MOST_SECONDS
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            try:
                age = time.time() - lock.stat().st_mtime
            except FileNotFoundError:
                continue
            if age > STALE_SECONDS:
                lock.unlink(missing_ok=True)
            elif time.monotonic() > until:
                raise StoreError(f"{path} is being written by another look ({lock} is there). Look again.") from None
            else:
                time.sleep(0.02)
        except OSError as error:
            raise StoreError(f"{path} could not be written: {error.strerror or error}. The look is not kept.") from None
    try:
        if _bytes_of(path) != before:
            raise ChangedRunError(
                f"another look was written into {path} while this one was taken, so this one was not kept and does not count. "
                "Look again: it will then know of the other."
            )
        write_whole(path, (encoded(looks.as_dict(), indent=1) + "\n").encode())
    finally:
        lock.unlink(missing_ok=True)


# --- in words -----------------------------------------------------------------------------------------------------------------


def sentence(comparison: Comparison) -> str:
    """Look 3, 700 of 2,000 items: decided 11 of 15 pairs; open 4. What is left of the plan is the next step's."""
    looks = cast("Looks", comparison.looks)
    n_open, n_pairs = n_left_open(comparison), comparison.pair_table.n_pairs
    at = f"Look {len(looks.taken)}, {looks.n:,} of {looks.n_total:,} {looks.unit}s"
    if not comparison.pair_table.is_family:
        found = f"{n_open} of {count(len(comparison.models), 'model')} may be the best"
        said = found if n_open else f"the best is found; it needs no further {looks.unit}s"
    elif n_pairs == 1:
        said = "the pair is open" if n_open else "the pair is decided; it needs no more"
    elif n_open:
        said = f"decided {n_pairs - n_open} of {count(n_pairs, 'pair')}; open {n_open}"
    else:
        said = f"all {n_pairs} pairs are decided; they need no further {looks.unit}s"
    unchecked = "" if looks.check_order else " That the order is random is taken for granted here: it was not checked."
    return f"{at}: {said}.{unchecked}"


def n_left_open(comparison: Comparison) -> int:
    """Pairs that are not decided; of comparisons with the best the models that may be the best, 0 where it is found."""
    if comparison.pair_table.is_family:
        return int(np.sum(~np.isin(comparison.pair_table.verdict, OVER)))
    standing = comparison.ranking_table.standing
    if standing is None or np.any(standing == BEST):
        return 0
    return len(comparison.ranking_table.contenders)


def unplanned(comparison: Comparison) -> str:
    """Remark that looking again costs, where there is no plan though there could be one, and some pair is open; else ""."""
    if comparison.looks is not None or not n_left_open(comparison):
        return ""
    try:
        check_suitable(comparison.scores, comparison.settings, comparison.method)
    except TiebreakError:
        return ""
    return "To compare again as data come in, plan it beforehand (n_total): unplanned looks add false claims."


def what_is_left(comparison: Comparison, which: str) -> str:
    """Words on going on with a plan, or on its end, for a pair that is open."""
    looks, is_family = cast("Looks", comparison.looks), comparison.pair_table.is_family
    if not looks.n_left:
        leaves = f"{which} open" if is_family else f"it open which of {which} is the best"
        return f"The plan is over and leaves {leaves}; to go on, begin a new plan on new {looks.unit}s."
    left = f"most {looks.n_left:,} {looks.unit}s are left in the plan; look again when more are in."
    return f"Go on, as {which} {'are open' if is_family else 'may both be the best'}: at {left}"
