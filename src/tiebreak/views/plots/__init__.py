"""Figures: each display holds every number that it draws, and draws with matplotlib when asked to.

Names are loaded when they are first used, so that a report of one kind does not wait for the plots of all others.
"""

from tiebreak.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
