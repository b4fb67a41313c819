"""Logs and archives that a stranger made in order to harm: none takes long or much memory, or ends in anything but a message.

    python tests/reliability/archives.py                 every file with every command that reads one, and the counts
    python tests/reliability/archives.py --only bombs    those whose name begins so

The limits, and how they are measured, are those of `strangers.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[2]))

import pandas as pd  # noqa: F401  (loaded once for all)

from tests.reliability import strangers
from tests.reliability.fault import Fault, Recipe, UnavailableError
from tests.reliability.strangers import Tried
from tiebreak.cli import rate  # noqa: F401  (loaded once for all)
from tiebreak.readers import logs  # noqa: F401  (the same)

COMMANDS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", "{file}"),
    "rate": ("rate", "{file}"),
    "report": ("compare", "{file}", "--html", "{folder}/report.html"),
}

HEADER = json.dumps({"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}).encode()
SAMPLE = b'{"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}'

Harm = Callable[[Path], None]


def archive(members: Mapping[str, bytes], *, method: int = zipfile.ZIP_DEFLATED, header: bytes = HEADER) -> Harm:
    """A log of Inspect with such members beside its header."""

    def harm(path: Path) -> None:
        with zipfile.ZipFile(path, "w", method) as file:
            for name, content in {"header.json": header, **members}.items():
                file.writestr(name, content)

    return harm


def sample(content: Callable[[], bytes], *, method: int = zipfile.ZIP_DEFLATED) -> Harm:
    """A log with one sample, which is made when it is written."""
    return lambda path: archive({"samples/1_epoch_1.json": content()}, method=method)(path)


def repeated(piece: bytes, n: int, before: bytes = b"[", after: bytes = b"0]") -> Callable[[], bytes]:
    """A text of many pieces."""
    return lambda: before + piece * n + after


def within(field: str, piece: bytes, n: int) -> Callable[[], bytes]:
    """A sample with a long list in one of its fields."""
    return lambda: SAMPLE[:-1] + f', "{field}": ['.encode() + piece * n + b"0]}"


def text(content: Callable[[], bytes]) -> Harm:
    """A file without an archive around it."""
    return lambda path: path.write_bytes(content()) and None


def patched(harm: Harm, change: Callable[[bytes], bytes]) -> Harm:
    """An archive whose bytes are changed."""

    def both(path: Path) -> None:
        harm(path)
        path.write_bytes(change(path.read_bytes()))

    return both


def with_field(signature: bytes, place: int, form: str, value: int, *, last: bool = True) -> Callable[[bytes], bytes]:
    """Put a number into the header of the last member, or of the first one: of the directory (PK 1 2) or before the content."""

    def change(content: bytes) -> bytes:
        start = (content.rfind if last else content.find)(signature) + place
        number = struct.pack(form, value)
        return content[:start] + number + content[start + len(number) :]

    return change


DIRECTORY, LOCAL, END = b"PK\1\2", b"PK\3\4", b"PK\5\6"


def many_members(n: int) -> Harm:
    """So many samples, all of them the same bytes at the same place."""

    def harm(path: Path) -> None:
        packed = zlib.compress(SAMPLE)[2:-4]
        crc, sizes = zlib.crc32(SAMPLE), (len(packed), len(SAMPLE))
        local = struct.pack("<4s5H3L2H", LOCAL, 20, 0, 8, 0, 0, crc, *sizes, 13, 0) + b"samples/x.jso" + packed
        head = zlib.compress(HEADER)[2:-4]
        head_facts = (zlib.crc32(HEADER), len(head), len(HEADER))
        start = struct.pack("<4s5H3L2H", LOCAL, 20, 0, 8, 0, 0, *head_facts, 11, 0) + b"header.json" + head
        entries = [struct.pack("<4s6H3L5H2L", DIRECTORY, 20, 20, 0, 8, 0, 0, *head_facts, 11, 0, 0, 0, 0, 0, 0) + b"header.json"]
        for i in range(n):
            name = f"samples/{i}.json".encode()
            facts = (crc, *sizes, len(name), 0, 0, 0, 0, 0, len(start))
            entries.append(struct.pack("<4s6H3L5H2L", DIRECTORY, 20, 20, 0, 8, 0, 0, *facts) + name)
        directory = b"".join(entries)
        ending = struct.pack("<4s4H2LH", END, 0, 0, min(n + 1, 65535), min(n + 1, 65535), len(directory), len(start + local), 0)
        path.write_bytes(start + local + directory + ending)

    return harm


def encrypted(harm: Harm) -> Harm:
    """The last member says that it is encrypted."""
    return patched(harm, lambda content: with_field(LOCAL, 6, "<H", 1)(with_field(DIRECTORY, 8, "<H", 1)(content)))


def harness(piece: bytes, n: int) -> Harm:
    """JSON lines of lm-evaluation-harness, the second of which has a long list."""
    line = b'{"doc_id": 0, "filter": "none", "resps": [], "acc": 1.0, "doc": {"q": 1}, "target": "a", "arguments": []}'
    return text(lambda: line + b"\n" + line[:-1].replace(b'"doc_id": 0', b'"doc_id": 1') + b', "x": [' + piece * n + b"0]}\n")


def prose(n: int) -> bytes:
    """Text with as many marks as prose has."""
    return b"a word, and another one; " * (n // 25)


ONE = archive({"samples/1_epoch_1.json": SAMPLE})

FILES: dict[str, Harm] = {
    "bombs: 32 million objects.eval": sample(repeated(b"{},", 32_000_000)),
    "bombs: 32 million lists.eval": sample(repeated(b"[],", 32_000_000)),
    "bombs: 48 million numbers.eval": sample(repeated(b"0,", 48_000_000)),
    "bombs: 20 million texts.eval": sample(repeated(b'"x",', 20_000_000)),
    "bombs: as many values as are let through.eval": sample(within("store", b"{},", 480_000)),
    "bombs: as many lists as are let through.eval": sample(within("store", b"[[]],", 320_000)),
    "bombs: as many names as are let through.eval": sample(
        lambda: b"{" + b"".join(b'"%d":{},' % i for i in range(320_000)) + SAMPLE[1:]
    ),
    "bombs: in prose, as many values as are let through.eval": sample(
        lambda: SAMPLE[:-1] + b', "a": "' + prose(8_000_000) + b'", "b": [' + b"{}," * 100_000 + b"0]}"
    ),
    "bombs: a text of 9 MB that is not ASCII.eval": sample(
        lambda: SAMPLE[:-1] + ', "a": "\U0001f600'.encode() + b"x" * 9_000_000 + b'"}'
    ),
    "bombs: a text of 99 MB.eval": sample(lambda: SAMPLE[:-1] + b', "a": "' + b"x" * 99_000_000 + b'"}'),
    "bombs: a text of 99 MB that is not ASCII.eval": sample(
        lambda: SAMPLE[:-1] + ', "a": "\U0001f600'.encode() + b"x" * 99_000_000 + b'"}'
    ),
    "bombs: a member of 2 GB.eval": lambda path: _zeros(path, 2_000_000_000),
    "bombs: a member of 2 GB by bzip2.eval": lambda path: _zeros(path, 400_000_000, zipfile.ZIP_BZIP2),
    "bombs: a member of 2 GB by LZMA.eval": lambda path: _zeros(path, 400_000_000, zipfile.ZIP_LZMA),
    "bombs: three members of 30 MB.eval": lambda path: archive(
        {f"samples/{i}.json": SAMPLE[:-1] + b" " * 30_000_000 + b"}" for i in range(3)}
    )(path),
    "bombs: a header of 90 MB.eval": lambda path: archive({}, header=HEADER[:-1] + b', "plan": [' + b"{}," * 30_000_000 + b"0]}")(
        path
    ),
    "bombs: 95,000 members.eval": many_members(95_000),
    "bombs: 900,000 members.eval": many_members(900_000),
    "bombs: blanks.eval": sample(lambda: b" " * 95_000_000 + SAMPLE),
    "lies: a member is smaller than it is.eval": patched(
        sample(lambda: b" " * 300_000_000 + SAMPLE), with_field(DIRECTORY, 24, "<L", 90)
    ),
    "lies: a member is larger than it is.eval": patched(ONE, with_field(DIRECTORY, 24, "<L", 2**32 - 2)),
    "lies: a member is nowhere.eval": patched(ONE, with_field(DIRECTORY, 42, "<L", 2**31)),
    "lies: a member is the directory.eval": patched(ONE, lambda c: with_field(DIRECTORY, 42, "<L", c.rfind(DIRECTORY))(c)),
    "lies: a checksum.eval": patched(ONE, with_field(DIRECTORY, 16, "<L", 7)),
    "lies: a method that there is not.eval": patched(ONE, with_field(DIRECTORY, 10, "<H", 77)),
    "lies: Zstandard.eval": patched(ONE, lambda c: with_field(LOCAL, 8, "<H", 93)(with_field(DIRECTORY, 10, "<H", 93)(c))),
    "lies: a directory of 4 GB.eval": patched(ONE, with_field(END, 12, "<L", 2**32 - 2)),
    "lies: a million members.eval": patched(ONE, with_field(END, 8, "<H", 65000)),
    "lies: the archive is cut off.eval": patched(ONE, lambda content: content[: len(content) // 2]),
    "lies: bytes are changed.eval": patched(ONE, lambda content: content[:120] + b"\xff" * 20 + content[140:]),
    "lies: an extra field is too long.eval": patched(ONE, with_field(DIRECTORY, 30, "<H", 65535)),
    "encrypted: a sample.eval": encrypted(ONE),
    "encrypted: the header.eval": encrypted(archive({})),
    "names: out of the folder.eval": archive({"samples/../../../code-was-run.json": SAMPLE, "/code-was-run": b"x"}),
    "names: twice.eval": patched(
        archive({"samples/1.json": SAMPLE, "samples/2.json": SAMPLE}),
        lambda content: content.replace(b"samples/2.json", b"samples/1.json"),
    ),
    "names: of a terminal.eval": archive({"samples/\x1b]0;x\x07.json": b"{"}),
    "content: JSON 900,000 deep.eval": sample(lambda: b"[" * 900_000 + b"]" * 900_000),
    "content: a number of a million digits.eval": sample(
        lambda: SAMPLE.replace(b'"C"', b"1" * 1_000_000),
    ),
    "content: not UTF-8.eval": sample(lambda: b"\xff\xfe" + SAMPLE),
    "content: a zip in a zip.eval": sample(lambda: zlib.compress(b"0" * 50_000_000)),
    "content: scores of other kinds.eval": archive({"samples/1.json": b'{"id": [1], "scores": {"a": {"value": {"b": []}}}}'}),
    "logs: 20 million objects in a line.jsonl": harness(b"{},", 20_000_000),
    "logs: as many objects as are let through.jsonl": harness(b"{},", 480_000),
    "logs: a line of 90 MB.jsonl": text(lambda: b'{"doc_id": 0, "x": "' + b"x" * 90_000_000 + b'"}'),
    "logs: 400,000 lines.jsonl": text(
        lambda: (
            b"".join(b'{"doc_id": %d, "filter": "none", "resps": [], "acc": 1.0, "arguments": []}\n' % i for i in range(10))
            + b"{}\n" * 400_000
        )
    ),
    "logs: 20 million objects.json": text(repeated(b"{},", 20_000_000, b'{"version": 2, "eval": {}, "samples": [', b"{}]}")),
    "logs: as many samples as are let through.json": text(
        repeated(b'{"id":1},', 160_000, b'{"version": 2, "eval": {"model": "m"}, "samples": [', b"{}]}")
    ),
    "tables: 10 million empty rows.json": text(repeated(b"{},", 10_000_000, b"[", b"{}]")),
    "tables: 10 million empty rows.jsonl": text(repeated(b"{},", 10_000_000, b"[", b"{}]")),
    "tables: a row of 10 million lists.jsonl": text(repeated(b"[],", 10_000_000, b'{"item": [', b"[]]}")),
}
"""By name, what is written; the ending is that of the file."""


def _zeros(path: Path, n: int, method: int = zipfile.ZIP_DEFLATED) -> None:
    """A log whose sample is so many blanks, written without being held."""
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("header.json", HEADER)
        with file.open("samples/1.json", "w") as member:
            for _ in range(n // 10**6):
                member.write(b" " * 10**6)


def try_files(folder: Path, names: Sequence[str], commands: Sequence[str]) -> Iterator[Tried]:
    """Try each command on each file; a process writes the file, so that its memory is not counted."""
    for number, name in enumerate(names):
        place = folder / str(number)
        place.mkdir()
        path = place / f"log{Path(name).suffix}"
        writer = os.fork()
        if not writer:
            FILES[name](path)
            os._exit(0)
        os.waitpid(writer, 0)
        for command in commands:
            words = [word.format(file=path, folder=place) for word in COMMANDS[command]]
            yield strangers.try_words(name, path, command, words)
        shutil.rmtree(place)


def torment(folder: Path, n_files: int, rng: Random, n_jobs: int) -> Fault:
    """Every command on so many of the files, taken at random."""
    if not (hasattr(os, "fork") and Path("/proc/self/stat").exists()):
        raise UnavailableError("it forks, and reads the seconds of a process in /proc")
    names = rng.sample(list(FILES), min(n_files, len(FILES)))
    tried = list(try_files(folder, names, list(COMMANDS)))
    broken = [f"{each.store}, {each.command}: {'; '.join(each.faults)}" for each in tried if each.faults]
    return Fault(NAME, len(tried), broken=tuple(broken), remark=strangers.totals(tried, "files").rstrip("."))


NAME = "a log made by a stranger in order to harm"

RECIPE = Recipe(torment, n_small=6, n_release=len(FILES))


def main() -> int:
    """Try all of them, and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="files whose name begins so")
    chosen = parser.parse_args()
    names = [name for name in FILES if name.startswith(chosen.only)]
    with tempfile.TemporaryDirectory() as folder:
        tried = []
        for each in try_files(Path(folder), names, list(COMMANDS)):
            tried.append(each)
            print(each.line(), flush=True)
    print(strangers.totals(tried, "files"))
    return int(any(each.faults for each in tried))


if __name__ == "__main__":
    sys.exit(main())
