"""Every error that tiebreak raises on purpose: a `TiebreakError` that is also the fitting built-in."""

from collections.abc import Iterator
from contextlib import contextmanager
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
    """A setting outside its range, such as a negative rope or an alpha of 5; in a study file its text names file and key."""


class UnknownNameError(TiebreakError, KeyError):
    """A model, metric, dataset or method that is not there; the text offers the nearest names."""


class DataError(TiebreakError, ValueError):
    """Data, models or splits that cannot be used as they stand, or cannot answer what is asked; of a file the text says where."""


class UnclearSourceError(TiebreakError, ValueError):
    """A source that does not say what has to be known: which of several metrics, its direction, the sizes of the splits."""


class UnsupportedSourceError(TiebreakError, TypeError):
    """An object of a type that tiebreak cannot turn into scores."""


class SourceNotFoundError(TiebreakError, FileNotFoundError):
    """A path that does not exist or cannot be opened."""


class MissingDependencyError(TiebreakError, ImportError):
    """An optional package is needed; the text gives the command that installs it."""


class RequirementError(TiebreakError, AssertionError):
    """A requirement that a test asserts is broken, or inconclusive where that is not allowed; the text is its sentence."""


class StoreError(TiebreakError, OSError):
    """A store, file or folder that cannot be opened, read or written: locked, read-only, on a full disk."""


class DamagedStoreError(StoreError):
    """Something in a store is not what was written; the text names run and cell."""


class ChangedRunError(TiebreakError, ValueError):
    """A run or look that was made with other data, models, versions or settings, or holds another score of a cell."""


class LostWorkersError(TiebreakError, RuntimeError):
    """Workers, or a Dask cluster, that ended, cannot be reached or cannot do the work; what was measured before is kept."""


class Problems(list[TiebreakError]):
    """Errors of one call, which are noted as they are met and raised as one, so that all of them can be mended at once."""

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note the error that ends this block, if any."""
        try:
            yield
        except TiebreakError as error:
            self.append(error)

    def stop(self) -> None:
        """Raise what was noted: a single error as it is, of several one that numbers them."""
        if len(self) == 1:
            raise self[0]
        if self:
            kinds = {type(each) for each in self}
            parts: list[str | Setting | Advice] = [f"{len(self)} things are missing or wrong:"]
            for number, each in enumerate(self, start=1):
                *before, last = each.parts
                parts += [f" ({number}) ", *before, last.rstrip(".") if isinstance(last, str) else last, ";"]
            raise (kinds.pop() if len(kinds) == 1 else InvalidParameterError)(
                *parts[:-1], "" if str(self[-1]).endswith("?") else ".", about=self[0].about
            )


class TiebreakWarning(UserWarning):
    """Base of all warnings that tiebreak gives on purpose; the command line shows them as messages."""

    def __init__(self, text: str) -> None:
        super().__init__(printable_lines(text))


__all__ = sorted(
    name for name, each in globals().items() if isinstance(each, type) and issubclass(each, TiebreakError | TiebreakWarning)
)
