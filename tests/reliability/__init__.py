"""Faults that are made to happen: a few of each in `make test`, all that there are in `make reliability`."""

import os

POINTS = int(os.environ.get("TIEBREAK_FAULTS", "1"))
"""How many times as many faults, damaged files and made-up tables are tried as with every change."""
