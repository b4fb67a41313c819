"""Seeds that depend on what is measured, never on when or where."""

import hashlib
import json
from functools import lru_cache

_as_json = lru_cache(maxsize=1024)(json.dumps)


def derive_seed(rng: int, *parts: str | int) -> int:
    """A number from 0 to 2**31 - 1 for each different list of parts, such as names of a model and a dataset."""
    # a JSON list, ASCII for any name, and no two lists give the same one
    text = f"[{', '.join([_as_json(part) for part in (rng, *parts)])}]"
    return int.from_bytes(hashlib.blake2b(text.encode("ascii"), digest_size=4).digest(), "little") >> 1
