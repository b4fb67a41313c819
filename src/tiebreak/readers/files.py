"""Files of others: what a path leads to, its bytes within limits, its text, and JSON in words."""

import codecs
import io
import json
import os
import re
import shutil
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import numpy as np

from tiebreak.errors import Advice, DataError, Setting, SourceNotFoundError, TiebreakError
from tiebreak.printable import printable, without_password
from tiebreak.scores.vocabulary import nearest_file


def refuse(
    source: str,
    what: str,
    *fix: str | Setting | Advice,
    column: str | None = None,
    row: str | None = None,
    kind: type[TiebreakError] = DataError,
) -> TiebreakError:
    """The error for something in a source: where it stands (row as "line 7"), what was met, and the way on."""
    where = "".join([source, f", {row}" if row else "", f", column {printable(column)!r}" if column is not None else ""])
    return kind(f"{where}: {what}", *((" ", *fix) if fix else ()))


class NamedRows:
    """Rows of a source, which has a name in messages, and each of them a place there, such as "line 7"."""

    name: str
    where: Callable[[int], str]

    def refuse(
        self,
        what: str,
        *fix: str | Setting | Advice,
        column: str | None = None,
        row: int | None = None,
        kind: type[TiebreakError] = DataError,
    ) -> TiebreakError:
        """The error for something in it, in a column and a row where these are given."""
        return refuse(self.name, what, *fix, column=column, row=None if row is None else self.where(row), kind=kind)

    def refuse_rows(
        self, is_wrong: Any, what: Callable[[int], str], *fix: str | Setting | Advice, column: str | None = None
    ) -> None:
        """Raise the error for the first row that is wrong, if any is; `what` says of a row what was met."""
        for row in np.flatnonzero(is_wrong)[:1].tolist():
            raise self.refuse(what(row), *fix, column=column, row=row)


# --- limits ---------------------------------------------------------------------------------------------------------------


def _limit(variable: str, usual: int) -> int:
    given = os.environ.get(variable, "")
    return int(given) if given.isascii() and given.isdecimal() else usual


MOST_READ = _limit("TIEBREAK_MOST_READ", 4 * 2**30)
"""Bytes of a file that are read."""

MOST_UNPACKED = _limit("TIEBREAK_MOST_UNPACKED", 2**30)
"""Bytes that a compressed file, an archive or a Parquet file may take once it is unpacked."""

LONGEST_LINE = 32 * 2**20
"""Characters of a line of JSON; whole logs of long prompts and answers take less for each sample."""

_MOST_MARKS = 1_000_000
"""Objects and lists in a text of JSON, beyond one in 16 characters: each takes 60 bytes and more in memory."""


def check_size(n_bytes: int, name: str, *, is_unpacked: bool = False) -> None:
    """Refuse more bytes than are read, or than may be unpacked."""
    most, variable = (MOST_UNPACKED, "TIEBREAK_MOST_UNPACKED") if is_unpacked else (MOST_READ, "TIEBREAK_MOST_READ")
    if n_bytes > most:
        takes = "takes more than" if is_unpacked else f"takes {n_bytes / 1e9:,.1f} GB, more than"
        raise refuse(
            name,
            f"it {takes} {most / 1e9:,.1f} GB{' when it is unpacked' if is_unpacked else ''}.",
            f"Keep the rows and columns that are to be compared, or set the environment variable {variable} to more bytes.",
        )


# --- paths ----------------------------------------------------------------------------------------------------------------


def check_path(path: Path, name: str) -> None:
    """Refuse a path with nothing to read behind it."""
    try:
        if path.is_file():
            return
        is_there = path.exists()
    except OSError as error:  # a name that is too long
        raise SourceNotFoundError(f"{name:.100} cannot be opened: {error.strerror or error}.") from None
    wrong = {
        f"{name} is a directory. Pass the files in it.": path.is_dir(),
        f"{name} is a link that leads nowhere, or to itself. Name the file that is meant.": not is_there and path.is_symlink(),
        f"there is no file {without_password(name)!r} (looked in {Path.cwd()}).": not is_there,
        f"{name} is a device and no file. Pass a file, or '-' for standard input.": (
            path.is_char_device() or path.is_block_device() or path.is_socket()
        ),
    }
    if what := next((what for what, is_so in wrong.items() if is_so), ""):
        raise SourceNotFoundError(what + (nearest_file(path) if what.startswith("there is no") else ""))


def content_of(path: Path, name: str, *, has_lines: bool = True) -> bytes:
    """Bytes of a file; of one that gzip, bzip2, zstd or zip (of one file) packed what is in it.

    One without lines is JSON, of which each byte may take twenty: it must not be larger than what is unpacked.
    """
    check_path(path, name)
    try:
        check_size(path.stat().st_size, name, is_unpacked=not has_lines)
        if has_lines and path.stat().st_size > 2 * LONGEST_LINE:
            with path.open("rb") as file:
                file.seek(LONGEST_LINE)
                block = file.read(LONGEST_LINE)
            if b"\n" not in block and b"\r" not in block:
                raise refuse(
                    name,
                    f"it has a line of more than {LONGEST_LINE / 2**20:g} MiB, which is no row and no record of one sample.",
                    "Are the line breaks lost, or is it another kind of file?",
                )
        raw = path.read_bytes()
    except OSError as error:
        raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None
    if raw.startswith(b"version https://git-lfs"):
        raise refuse(name, "it is a pointer of Git LFS, which stands for the file.", "Fetch the file itself: git lfs pull.")
    codec = next((codec for magic, codec in CODECS.items() if raw.startswith(magic)), None)
    return raw if codec is None else _unpacked(raw, codec, name)


CODECS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"PK\x03\x04": "zip"}
"""Ways in which a file is packed, by its first bytes."""


def _unpacked(raw: bytes, codec: str, name: str) -> bytes:
    import pyarrow as pa

    try:
        if codec == "zip":
            archive = zipfile.ZipFile(io.BytesIO(raw))
            members = [each for each in archive.infolist() if not each.is_dir()]
            if any(each.filename == "[Content_Types].xml" for each in members):
                raise refuse(name, "it is an Excel or Office file.", "Save the sheet as CSV UTF-8.")
            if len(members) != 1:
                raise refuse(name, f"it is a zip of {len(members)} files.", "Unpack it, and pass the files.")
            stream: Any = archive.open(members[0])
        else:
            stream = pa.CompressedInputStream(pa.BufferReader(raw), codec)
        with stream:
            content: bytes = stream.read(MOST_UNPACKED + 1)
    except TiebreakError:
        raise
    except (pa.ArrowException, zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError, LookupError, ValueError) as error:
        raise refuse(name, f"it cannot be unpacked ({codec}): {error}.", "Was the file damaged, cut short, or locked?") from None
    check_size(len(content), name, is_unpacked=True)
    return content


def encoding_of(start: bytes) -> str:
    """Encoding by the first bytes: UTF-16 by its mark, else UTF-8."""
    return "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"


def text_of(content: bytes, name: str) -> str:
    """Text of the content of a file; in Windows' encoding of Western Europe where it is not UTF-8."""
    for encoding in (encoding_of(content), "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError as error:
            number, byte = content[: error.start].count(b"\n") + 1, content[error.start]
            line = f"line {number}"
            if encoding.startswith("utf-16"):
                raise refuse(name, "what stands there is not UTF-16, or is cut short.", "Save it as UTF-8.", row=line) from None
            if encoding == "utf-8-sig" and error.end == len(content) and "unexpected end" in error.reason:
                raise refuse(name, "the last character is cut short.", "Was the file copied whole?", row=line) from None
    raise refuse(name, f"byte 0x{byte:02x} is not text.", "Save it as UTF-8.", row=line)


# --- JSON -----------------------------------------------------------------------------------------------------------------


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise ValueError(f"the key {key!r} stands twice in one object, so that one would be lost")
    return found


def parse_json(text: str | bytes, where: str, hint: str = "Is it complete?", *, is_table: bool = False) -> Any:
    """Content of a JSON text, of which no more is built than a log or a table of its length has; what cannot be parsed is said.

    In a table a key that stands twice is refused.
    """
    marks: Any = ("{", "[") if isinstance(text, str) else (b"{", b"[")
    if len(text) > _MOST_MARKS and sum(map(text.count, marks)) > _MOST_MARKS + len(text) // 16:
        raise refuse(where, "it holds more values than any table or log of its size does.", "It is not read.")
    try:
        return json.loads(text, object_pairs_hook=_without_doubles if is_table else None)
    except RecursionError:
        raise refuse(where, "the JSON is nested too deeply to hold scores.") from None
    except ValueError as error:  # no JSON, no UTF-8, whole numbers of thousands of digits
        raise DataError(f"{where} is not JSON: {getattr(error, 'msg', error)}. {hint}") from None


def is_answer(source: Any) -> bool:
    """True for the path of a JSON file that begins as an answer does, and for a dict read from one."""
    if isinstance(source, Mapping):
        return "schema" in source and ("scores" in source or "tiebreak" in source)
    if isinstance(source, str | os.PathLike) and os.fspath(source).lower().endswith(".json"):
        with suppress(OSError, ValueError), Path(source).open(encoding="utf-8-sig", errors="replace") as file:
            return re.match(r'\s*\{\s*"schema"\s*:\s*\d+\s*,\s*"tiebreak"', file.read(200)) is not None
    return False  # what cannot be opened its reader says


# --- pipes ----------------------------------------------------------------------------------------------------------------


@contextmanager
def pipes_as_files(sources: Sequence[Any], standard_input: BinaryIO | None = None) -> Iterator[list[Any]]:
    """The sources, with a file in the place of each pipe; errors speak of the pipe.

    A pipe can be read only once, but the kind of a file, its columns and its values are read one after the other. With
    `standard_input`, "-" stands for that.
    """
    names: dict[str, str] = {}

    def as_file(source: Any) -> Any:
        is_input = standard_input is not None and isinstance(source, str) and source == "-"
        if isinstance(source, Mapping) and any(map(is_pipe, source.values())):
            return {key: as_file(value) for key, value in source.items()}
        if not is_input and not is_pipe(source):
            return source
        name = "standard input" if is_input else printable(str(source))
        copy = _copied(
            standard_input if is_input else None,
            Path("stdin" if is_input else source),
            name,
            Path(folders.enter_context(TemporaryDirectory(prefix="tiebreak-"))),
        )
        names[str(copy)] = name
        return copy

    with ExitStack() as folders:
        try:
            yield [as_file(source) for source in sources]
        except TiebreakError as error:
            for copy, name in names.items():
                error.rename_source(name, copy)
            raise


def is_pipe(source: Any) -> bool:
    """True for the path of a named pipe, as the shell's <(...) is one."""
    try:
        return isinstance(source, str | os.PathLike) and Path(source).is_fifo()
    except (OSError, ValueError):  # a text that is no path
        return False


def _copied(standard_input: BinaryIO | None, path: Path, name: str, folder: Path) -> Path:
    """File with what a pipe holds; its name says of what kind it begins to be, where that of the pipe does not."""
    copy = folder / path.name
    try:
        with path.open("rb") if standard_input is None else nullcontext(standard_input) as stream, copy.open("wb") as file:
            shutil.copyfileobj(stream, file)
        with copy.open("rb") as file:
            start = file.readline(LONGEST_LINE) + file.readline(LONGEST_LINE)
    except OSError as error:
        raise SourceNotFoundError(f"{name} cannot be read: {error.strerror or error}.") from None
    ending = next((ending for begin, ending in _BEGINNINGS.items() if re.match(begin, start)), ".csv")
    return copy if path.suffix.lower() in _ENDINGS else copy.rename(folder / f"{path.stem}{ending}")


_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".parquet", ".eval")
"""Endings that say what a file holds."""

_BEGINNINGS = {
    rb"PAR1": ".parquet",
    rb"PK\x03\x04": ".eval",
    rb"(\xef\xbb\xbf)?\s*\{[^\n]*\}\s*\n\{": ".jsonl",
    rb"(\xef\xbb\xbf)?\s*[{\[]": ".json",
    rb"[^\n,;]*\t[^\n,;]*(\n|$)": ".tsv",
}
"""Endings of files that begin like this."""
