"""Every error that tiebreak raises on purpose: a `TiebreakError` that is also the fitting built-in."""

from typing import NamedTuple

from tiebreak.printable import printable_lines


class Setting(NamedTuple):
    """A parameter in a message, such as ``n_train=``: the command line and study files write it in their own way.

    Attributes
    ----------
    name : str
    value : str
        As Python writes it; "" where the message names the parameter only.
    """

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


class Advice(NamedTuple):
    """Words of a message that are others on the command line or for a study file; None where they are the same."""

    python: str
    typed: str | None = None
    study: str | None = None

    def __str__(self) -> str:
        return self.python


SEE_FAILURES = Advice("See evaluation.failures", typed="'tiebreak show' lists them")
SAMPLE_WEIGHT = Advice("sample_weight", study="weights")
NAMED_SCORERS = Setting("scoring", "{name: scorer}")


class TiebreakError(Exception):
    """Base of all errors; its text says what is wrong, where, and how to go on.

    Parameters
    ----------
    *parts : str, Setting or Advice
        The text in parts, so that the command line can say the settings in its own words.
    about : str
        Name of the parameter that cannot be used; "" where it is none.
    """

    def __init__(self, *parts: str | Setting | Advice, about: str = "") -> None:
        super().__init__(printable_lines("".join(map(str, parts))))
        self.parts = parts
        self.about = about

    # KeyError would print the repr of its message; the text is meant to be read.
    __str__ = Exception.__str__

    def _render_traceback_(self) -> list[str]:
        """Lines that a notebook shows, as IPython asks for them: the line that called, and the text, without other frames."""
        import traceback
        from pathlib import Path

        frames = traceback.extract_tb(self.__traceback__)
        is_own = [Path(frame.filename).is_relative_to(Path(__file__).parent) for frame in frames]
        called = frames[max(is_own.index(True) - 1, 0) if True in is_own else -1]
        return [f"line {called.lineno}: {printable_lines(called.line or '')}", f"{type(self).__name__}: {self}"]

    def rename_source(self, name: str, instead_of: str) -> None:
        """Call a source by the name that the caller gave it."""
        self.parts = tuple(part.replace(instead_of, name) if isinstance(part, str) else part for part in self.parts)
        self.args = (printable_lines("".join(map(str, self.parts))),)


class InvalidParameterError(TiebreakError, ValueError):
    """A setting outside its range, such as a negative rope or an alpha of 5."""


class UnknownNameError(TiebreakError, KeyError):
    """A model, metric, dataset or method that is not there; the text offers the nearest names."""


class InvalidScoresError(TiebreakError, ValueError):
    """Scores that cannot be used as they stand: infinite, not numeric, duplicated, or contradicting their metric."""


class MissingSplitsError(TiebreakError, ValueError):
    """Some model has no score on some split, and the caller did not ask for ``missing="pairwise"``."""


class UnpairedScoresError(TiebreakError, ValueError):
    """Models measured on different splits, which cannot be paired."""


class TooFewSplitsError(TiebreakError, ValueError):
    """Fewer than two splits: their spread cannot be estimated."""


class TooFewModelsError(TiebreakError, ValueError):
    """Fewer than two models: nothing to compare."""


class TooFewDatasetsError(TiebreakError, ValueError):
    """Fewer datasets than a procedure over datasets needs."""


class UnknownDirectionError(TiebreakError, ValueError):
    """A metric whose direction (higher or lower is better) is not known and was not said."""


class AmbiguousSourceError(TiebreakError, ValueError):
    """A source that holds more than one thing to compare, and the caller has not said which."""


class MissingSizesError(TiebreakError, ValueError):
    """The numbers of training and test examples are needed for the correction and are not known."""


class ContradictingSizesError(TiebreakError, ValueError):
    """Sizes that disagree with each other or with the source."""


class UnreadableSourceError(TiebreakError, ValueError):
    """A file or object that cannot be read as scores; for files the text names line and column."""


class UnsupportedSourceError(TiebreakError, TypeError):
    """An object of a type that tiebreak cannot turn into scores."""


class SourceNotFoundError(TiebreakError, FileNotFoundError):
    """A path that does not exist or cannot be opened."""


class MissingDependencyError(TiebreakError, ImportError):
    """An optional package is needed; the text gives the command that installs it."""


class UnfittedSearchError(TiebreakError, ValueError):
    """A search that has not been fitted has no scores yet."""


class UnsuitableDesignError(TiebreakError, ValueError):
    """The way the scores were made does not allow the requested comparison."""


class NotOfferedError(TiebreakError, AttributeError):
    """Something that only some procedures have, asked of another."""


class RequirementError(TiebreakError, AssertionError):
    """A requirement that a test asserts is broken, or inconclusive where that is not allowed; the text is its sentence."""


class InvalidPlanError(TiebreakError, ValueError):
    """Models, data or splits that cannot be evaluated as they stand."""


class UnsortableTimeError(TiebreakError, ValueError):
    """Times that are in no order, so that nobody can say which came first."""


class StoreError(TiebreakError, OSError):
    """A store that cannot be opened, read or written: no store at all, locked, read-only, on a full disk."""


class DamagedStoreError(TiebreakError, ValueError):
    """Something in a store is not what was written; the text names run and cell."""


class ChangedRunError(TiebreakError, ValueError):
    """A run of the same name was made with other data, models, splits or settings."""


class ChangedLooksError(TiebreakError, ValueError):
    """A look that does not go on from the looks before it: other data, models or settings."""


class ChangedVersionsError(TiebreakError, RuntimeError):
    """A run was begun with other versions of the libraries, and the caller did not accept that."""


class ConflictingScoreError(TiebreakError, ValueError):
    """A cell that was measured before comes with another score."""


class UnwrittenFileError(TiebreakError, OSError):
    """A file or folder for an answer that cannot be written: no such folder, no permission, a full disk."""


class InvalidStudyError(TiebreakError, ValueError):
    """A study file that cannot be used; the text names file, key and value."""


class InvalidOutputsError(TiebreakError, ValueError):
    """Answers of a model that cannot be scored: another length or shape, or labels of another type."""


class LostWorkersError(TiebreakError, RuntimeError):
    """Worker processes that ended as they were started, however often that was tried; what was measured is kept."""


class ClusterError(TiebreakError, ConnectionError):
    """A Dask cluster that cannot be reached, went away, or cannot do the work; what was measured before is kept."""


class TiebreakWarning(UserWarning):
    """Base of all warnings that tiebreak gives on purpose; the command line shows them as messages."""

    def __init__(self, text: str) -> None:
        super().__init__(printable_lines(text))


class UnsafeServerWarning(TiebreakWarning):
    """A database server that is set to be fast rather than to keep what it says it keeps."""


class UnprotectedClusterWarning(TiebreakWarning):
    """A Dask scheduler that anybody on the network can have run code."""


_PUBLIC = (TiebreakError, TiebreakWarning)
__all__ = sorted(name for name, each in globals().items() if isinstance(each, type) and issubclass(each, _PUBLIC))
