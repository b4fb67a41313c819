"""Statistics on arrays, one file per family of formulas; each returns a `Law`, or a tuple of one and what the test has beside.

Nothing here knows of tables. Names are loaded when they are first used.
"""

from tiebreak.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
