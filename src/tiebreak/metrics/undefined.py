"""The signal that a metric has no value on some test rows."""

from __future__ import annotations


class UndefinedScore(Exception):
    """These data do not tell the metric; the text is the reason, such as "only one class in the test rows".

    No error of the caller's: whoever asks for the score writes nan and keeps the reason beside it.
    """
