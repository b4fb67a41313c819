"""Files of others: paths with nothing behind them, packed files, encodings, JSON in words, limits, and pipes."""

import bz2
import gzip
import json
import os
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import tiebreak as tb
from tests.guarded import told
from tests.readers.conftest import Write
from tests.readers.helpers import SCORE, WIDE, read
from tests.readers.log_files import zipped
from tiebreak.errors import DataError, InvalidParameterError, SourceNotFoundError, TiebreakError
from tiebreak.readers import files
from tiebreak.readers.files import content_of, parse_json, text_of

on_posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


# --- paths ----------------------------------------------------------------------------------------------------------------


def test_what_is_no_file_is_said(write: Write, tmp_path: Path) -> None:
    """The nearest name for one that is not there; a folder, links, a device that never ends, names that no system takes."""
    write(WIDE, "results.csv")
    write(WIDE, "runs.csv/a.csv")
    Path("gone.csv").symlink_to("nowhere.csv")
    Path("loop.csv").symlink_to("loop.csv")
    Path("zero.csv").symlink_to("/dev/zero")
    for name, text in {
        "result.csv": f"there is no file 'result.csv' (looked in {tmp_path}). Did you mean 'results.csv'?",
        "runs.csv": "runs.csv is a directory. Pass the files in it.",
        "gone.csv": "gone.csv is a link that leads nowhere, or to itself. Name the file that is meant.",
        "loop.csv": "loop.csv is a link that leads nowhere, or to itself. Name the file that is meant.",
        "zero.csv": "zero.csv is a device and no file. Pass a file, or '-' for standard input.",
        "a\0b.csv": f"there is no file 'a\\\\x00b.csv' (looked in {tmp_path}).",
        f"{'x' * 300}.csv": f"{'x' * 100} cannot be opened: File name too long.",
    }.items():
        assert told(SourceNotFoundError, tb.read_scores, name) == text


def test_an_address_is_no_path() -> None:
    """Nothing is downloaded."""
    with pytest.raises(InvalidParameterError, match=r"^'https://x\.org/a\.csv' is no address of a store\. Give"):
        tb.read_scores("https://x.org/a.csv")


def test_a_file_that_may_not_be_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's reason is given."""

    def refuse(*_: object, **__: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = write(WIDE)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(SourceNotFoundError, match=r"^scores\.csv cannot be read: Permission denied\.$"):
        content_of(path, "scores.csv")


# --- packed files and encodings -------------------------------------------------------------------------------------------


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": lambda content: pa.compress(content, codec="zstd", asbytes=True),
    "zip": lambda content: zipped({"t.csv": content}),
}


@pytest.mark.parametrize("name", ["t.csv.{}", "t.{}", "t.csv", "t"])
@pytest.mark.parametrize("kind", PACKED)
def test_a_packed_file_is_what_is_in_it(kind: str, name: str, write: Write) -> None:
    """Told by its first bytes, whatever its ending."""
    path = write(PACKED[kind](WIDE.encode()), name.format(kind))
    assert read(path).matrix().score.tolist() == SCORE.tolist()
    write(PACKED[kind](json.dumps([{"item": 1, "a": 1, "b": 0}]).encode()), "t.json")
    assert tb.read_items("t.json").models == ("a", "b")


DEFLATED = PACKED["zip"](WIDE.encode())


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (gzip.compress(WIDE.encode())[:-9], "it cannot be unpacked (gzip)"),
        (b"\x1f\x8b...", "it cannot be unpacked (gzip)"),
        (b"BZh91AY...", "it cannot be unpacked (bz2)"),
        (DEFLATED[:45] + b"\xff" * 9 + DEFLATED[54:], "it cannot be unpacked (zip)"),
        (zipped({"a.csv": b"x", "b.csv": b"x"}), "it is a zip of 2 files. Unpack it, and pass the files."),
        (
            zipped({"[Content_Types].xml": b"x", "xl/sheet.xml": b"x"}),
            "it is an Excel or Office file. Save the sheet as CSV UTF-8.",
        ),
    ],
    ids=["cut", "no gzip", "no bzip2", "damaged", "two files", "Excel"],
)
def test_what_cannot_be_unpacked(content: bytes, text: str, write: Write) -> None:
    """By name, and with what to do."""
    assert told(DataError, read, write(content)).startswith(f"scores.csv: {text}")


@pytest.mark.parametrize("kind", PACKED)
def test_no_more_is_unpacked_than_the_limit(kind: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bomb of two million bytes takes a few thousand on the disk; the error names the variable that raises the limit."""
    path = write(PACKED[kind](b"a,b\n" + b"0,0\n" * 500_000))
    monkeypatch.setattr(files, "MOST_UNPACKED", 100_000)
    tracemalloc.start()
    with pytest.raises(DataError, match=r"takes more than 0\.0 GB when it is unpacked.*TIEBREAK_MOST_UNPACKED"):
        content_of(path, "scores.csv")
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_no_more_is_read_than_the_limit(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size on the disk is looked at first; Parquet by the counts in its footer, which one repeated value does not show."""
    with monkeypatch.context() as limit:  # undone here alone, as the folder of the test has to stay the current one
        limit.setattr(files, "MOST_READ", 10)
        with pytest.raises(DataError, match=r"^scores\.csv: it takes 0\.0 GB, more than .*TIEBREAK_MOST_READ"):
            read(write(WIDE))
    monkeypatch.setattr(files, "MOST_UNPACKED", 1_000_000)
    pd.DataFrame({"fold": 0.5, "b": 0.5}, index=range(100_000)).to_parquet("t.parquet")
    assert Path("t.parquet").stat().st_size < 10_000
    with pytest.raises(DataError, match=r"t\.parquet: it takes more than 0\.0 GB when it is unpacked"):
        read("t.parquet")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"a\nb\xe9\x81\n", "t, line 2: byte 0x81 is not text. Save it as UTF-8."),
        ("a\nb".encode("utf-16")[:-1], "t, line 2: what stands there is not UTF-16, or is cut short. Save it as UTF-8."),
    ],
)
def test_bytes_that_are_no_text(content: bytes, text: str) -> None:
    """With their line."""
    assert told(DataError, text_of, content, "t") == text


# --- JSON -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": [1, 2], "b": [3, 4], "a": [5, 6]}', "the key 'a' stands twice in one object, so that one would be lost"),
        ('[{"model": "a", "score": 1, "score": 2}]', "the key 'score' stands twice in one object"),
        ("{", "is not JSON: Expecting property name"),
        ("[1" + "0" * 5000 + "]", "is not JSON: Exceeds the limit"),
        ("[" * 100_000, "the JSON is nested too deeply to hold scores."),
        (json.dumps([[]] * 2_000_000), "it holds more values than any table or log of its size does. It is not read."),
    ],
    ids=range(6),
)
def test_json_that_would_be_misread_or_never_end(text: str, message: str) -> None:
    """Python's reader takes the last of two keys, and fails at depths in its own way."""
    assert message in told(DataError, parse_json, text, "t", is_table=True)


# --- pipes ----------------------------------------------------------------------------------------------------------------


@contextmanager
def pipe_of(file: Path, name: str = "63") -> Iterator[str]:
    """A named pipe that gives what a file holds, once, as the shell's <(cat FILE) does."""
    os.mkfifo(name)

    def give() -> None:
        with suppress(BrokenPipeError):  # the reader has seen enough
            Path(name).write_bytes(file.read_bytes())

    writer = threading.Thread(target=give, daemon=True)
    writer.start()
    yield name
    writer.join(timeout=300)  # a guard against hanging; the reader takes all
    assert not writer.is_alive()


ANSWERS = pd.DataFrame({"item": [*"abcd"] * 2, "model": ["a"] * 4 + ["b"] * 4, "score": [0, 1, 1, 0, 1, 1, 0, 0]})
WRITERS: dict[str, Callable[[pd.DataFrame, str], None]] = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "t.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "t.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "t.json": lambda frame, path: frame.to_json(path, orient="records"),
    "t.parquet": lambda frame, path: frame.to_parquet(path),
}


@on_posix
@pytest.mark.parametrize("name", WRITERS)
def test_a_pipe_is_read_as_the_same_file_is(write: Write, name: str) -> None:
    """Of every kind, which a pipe tells by its beginning; alone, and as what a dict names."""
    WRITERS[name](ANSWERS, name)
    expected = tb.read_items(name)
    with pipe_of(Path(name)) as pipe:
        assert tb.read_items(pipe).score.tolist() == expected.score.tolist()
    WRITERS[name](ANSWERS[:4].drop(columns="model"), name)
    with pipe_of(Path(name), "64") as pipe:
        assert tb.read_items({"x": pipe}).models == ("x",)


@on_posix
def test_an_error_speaks_of_the_pipe(write: Write) -> None:
    """Not of the file that stands in its place, which is gone."""
    with pipe_of(write("item,model,score\nq1,a,high\n")) as pipe:
        assert told(TiebreakError, tb.compare, pipe).startswith(f"{pipe}, line 2, column 'score'")
