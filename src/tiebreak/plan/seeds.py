"""Seeds that depend on what is measured, never on when or where."""

import hashlib
import json
from functools import lru_cache
from typing import Any

_as_json = lru_cache(maxsize=1024)(json.dumps)


def derive_seed(rng: int, *parts: str | int) -> int:
    """A number from 0 to 2**31 - 1 for each different list of parts, such as names of a model and a dataset."""
    # a JSON list, ASCII for any name, and no two lists give the same one
    text = f"[{', '.join([_as_json(part) for part in (rng, *parts)])}]"
    return int.from_bytes(hashlib.blake2b(text.encode("ascii"), digest_size=4).digest(), "little") >> 1


def open_random_states(model: Any) -> tuple[str, ...]:
    """Parameters of a model, those of its parts included, that would draw a new seed at each fit."""
    if not hasattr(model, "get_params") or isinstance(model, type):
        return ()
    parameters = model.get_params(deep=True)
    return tuple(
        sorted(name for name, value in parameters.items() if value is None and name.rsplit("__", 1)[-1] == "random_state")
    )


def seeded_parameters(names: tuple[str, ...], seed: int | None) -> dict[str, int]:
    """Values of the open random states, different ones for the parts of one model; none of them where `seed` is None."""
    if seed is None:
        return {}
    return {name: derive_seed(seed, name) for name in names} if len(names) > 1 else dict.fromkeys(names, seed)
