"""Statistics on arrays, one file per family; nothing here knows of tables. Names are loaded when they are first used."""

from tiebreak.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
