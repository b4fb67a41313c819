"""Say whether your best model is really better, or whether it is a tie.

`evaluate` measures models on splits and keeps each result as it comes. `compare` takes what it measured, a fitted search, a table
of scores or a file, and says which models are better, which are practically equivalent, and which cannot be told apart yet.
Names are loaded when they are first used, so that importing is cheap.
"""

from tiebreak.lazy_names import lazy_names

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
