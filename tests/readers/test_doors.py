"""The same awkward file gives the same values at every door, or the same error in the same words."""

import bz2
import codecs
import gzip
import json
import re
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

import tiebreak as tb
from tests.cli.conftest import run
from tests.guarded import told
from tests.readers.test_files import on_posix, pipe_of
from tiebreak.errors import (
    DataError,
    InvalidParameterError,
    TiebreakError,
)
from tiebreak.study_file import Entry, read_datasets

Rows = Sequence[Sequence[str]]
Values = dict[str, list[Any]]

# --- the doors --------------------------------------------------------------------------------------------------------------


def _of_scores(scores: Any) -> Values:
    matrix = scores.matrix()
    return {name: matrix.score[place].tolist() for place, name in enumerate(matrix.models)}


def compared(path: Any) -> Values:
    """Scores of splits, through `compare`."""
    return _of_scores(tb.compare(path, metric="accuracy", n_train=90, n_test=10).scores)


def scored(path: Any) -> Values:
    """Scores of splits, through `read_scores`."""
    return _of_scores(tb.read_scores(path, metric="accuracy"))


def itemised(path: Any) -> Values:
    """Scores of items, through `read_items`."""
    items = tb.read_items(path, metric="accuracy")
    found = {name: items.score[place, 0].tolist() for place, name in enumerate(items.models)}
    return {"items": list(items.items), **found}


def compared_by_item(path: Any) -> Values:
    """Scores of items, through `compare`."""
    items = tb.compare(path, metric="accuracy").scores.items
    return {"items": list(items.items), **{name: items.score[place, 0].tolist() for place, name in enumerate(items.models)}}


def rated(path: Any) -> Values:
    """Battles, through `rate`."""
    ratings = tb.rate(path)
    return {"models": list(ratings.models), "rating": ratings.rating.tolist(), "wins": ratings.wins.tolist()}


def studied(path: Any) -> Values:
    """Columns of a study's data; the message after the name of the entry."""
    place = 's.toml: data.source = "'
    try:
        data = read_datasets(Entry("s.toml", ("data",), {"source": str(path), "target": "y"}), Path())[""]
    except InvalidParameterError as error:
        pytest.fail(f"{error} is no error of the table")
    except TiebreakError as error:
        said = str(error)
        assert said.startswith(place)
        raise type(error)(said.partition('": ')[2]) from None
    return {**{name: data.X[name].tolist() for name in data.X}, "y": data.y.tolist()}


class Door(NamedTuple):
    """A way in, and a sound table of the kind that goes through: a column of names or numbers, then three of one kind each."""

    read: Callable[[Any], Values]
    names: Sequence[str]
    rows: Rows
    synonyms: Mapping[str, str] = {}


_SCORES = ["0.85", "0.5", "0.25", "0.75", "0.95", "0.125", "0.65", "0.05"]


def _made(first: Sequence[str]) -> Rows:
    turned = [_SCORES[place:] + _SCORES[:place] for place in range(3)]
    return [[name, *cells] for name, *cells in zip(first, *turned, strict=True)]


_SPLITS = ["fold", "a", "b", "c"], _made([str(fold) for fold in range(8)])
_ITEMS = ["item", "a", "b", "c"], _made([f"q{number}" for number in range(8)])
_WON = [["u", "v", "a"], ["v", "w", "a"], ["w", "u", "tie"], ["u", "v", "b"]] * 2
_BATTLES = ["model_a", "model_b", "winner", "weight"], [[*won, weight] for won, weight in zip(_WON, _SCORES, strict=True)]
_STUDY = ["x1", "x2", "x3", "y"], _made([f"{number}" for number in range(8)])

DOORS = {
    "compare": Door(compared, *_SPLITS),
    "read_scores": Door(scored, *_SPLITS),
    "read_items": Door(itemised, *_ITEMS, {"item": "question"}),
    "compare items": Door(compared_by_item, *_ITEMS, {"item": "question"}),
    "rate": Door(rated, *_BATTLES),
    "study": Door(studied, *_STUDY),
}

# --- the files --------------------------------------------------------------------------------------------------------------


class File(NamedTuple):
    """A file as somebody's tool wrote it, made of a sound table, and the text of the error that it is everywhere, if any."""

    write: Callable[[Sequence[str], Rows], tuple[str, bytes]]
    text: str = ""


def _text(names: Sequence[str], rows: Rows, separator: str = ",", end: str = "\n") -> str:
    return "".join(separator.join(row) + end for row in [names, *rows])


def _in(
    name: str = "t.csv", separator: str = ",", end: str = "\n", encoding: str = "utf-8", comma: bool = False, mark: bytes = b""
) -> File:
    def write(names: Sequence[str], rows: Rows) -> tuple[str, bytes]:
        held = [[cell.replace(".", ",") for cell in row] for row in rows] if comma else rows
        return name, mark + _text(names, held, separator, end).encode(encoding)

    return File(write)


def _changed(change: Callable[[str], str], text: str = "", name: str = "t.csv", encoding: str = "utf-8") -> File:
    return File(lambda names, rows: (name, change(_text(names, rows)).encode(encoding)), text)


def _rows(change: Callable[[Rows], Rows], text: str = "", separator: str = ";") -> File:
    """A table whose rows are changed, separated in some way."""
    return File(lambda names, rows: ("t.csv", _text(names, change(rows), separator).encode()), text)


def _bytes(content: bytes, text: str) -> File:
    return File(lambda *_: ("t.csv", content), text)


def _cells(line: int, n: int, header: int = 4) -> str:
    hint = " If the header stands further down, remove the lines above it." if header == 1 else ""
    return f"FILE, line {line}: {n} cell(s), but the header has {header} column(s).{hint}"


def _line(number: int, change: Callable[[str], str]) -> Callable[[str], str]:
    def changed(table: str) -> str:
        lines = table.split("\n")
        lines[number - 1] = change(lines[number - 1])
        return "\n".join(lines)

    return changed


def _last_cell(text: str) -> Callable[[str], str]:
    return lambda line: f"{line.rpartition(',')[0]},{text}"


def _aligned(names: Sequence[str], rows: Rows) -> tuple[str, bytes]:
    widths = [max(map(len, column)) + 2 for column in zip(names, *rows, strict=True)]
    lines = ["".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [names, *rows]]
    return "t.txt", ("\n".join(lines) + "\n").encode()


COMMA = "A decimal comma is read where all numbers have one: write this one, or the others, as 0.83."
THOUSANDS = "Its comma may part thousands or decimals: write numbers with a point, as 0.83."

FILES = {
    "plain": _in(),
    "UTF-16, little end first": _in(encoding="utf-16-le", mark=codecs.BOM_UTF16_LE),
    "UTF-16, big end first": _in(encoding="utf-16-be", mark=codecs.BOM_UTF16_BE, separator="\t"),
    "Windows' encoding": _changed(lambda text: text.replace(",", "\u00a0,"), encoding="cp1252"),
    "quotation marks of Windows": _changed(
        _line(9, _last_cell("“1”")), "FILE, line 9, column COLUMN: '“1”' is not a number.", encoding="cp1252"
    ),
    "half a character": File(
        lambda names, rows: ("t.csv", _text(names, rows).encode() + b"\xe2\x82"),
        "FILE, line 10: the last character is cut short. Was the file copied whole?",
    ),
    "semicolons": _in(separator=";"),
    "tabs in .csv": _in(separator="\t"),
    "bars": _in(separator="|"),
    "commas in .tsv": _in("t.tsv"),
    "semicolons in .txt": _in("t.txt", ";"),
    "no ending": _in("t"),
    "ending in capitals": _in("T.CSV"),
    "columns aligned by blanks": File(_aligned),
    "decimal commas beside semicolons": _in(separator=";", comma=True),
    "decimal commas in quotation marks": _rows(
        lambda rows: [[f'"{cell.replace(".", ",")}"' for cell in row] for row in rows], separator=","
    ),
    "decimal commas beside commas": _changed(
        _line(2, _last_cell("0,5")),
        _cells(2, 5),
    ),
    "points and commas for decimals": _rows(
        lambda rows: [rows[0], [*rows[1][:3], "0,5"], *rows[2:]],
        f"FILE, line 3, column COLUMN: '0,5' is not a number. {COMMA}",
    ),
    "thousands or decimals": _rows(
        lambda rows: [[*each[:3], "1,250"] for each in rows],
        f"FILE, line 2, column COLUMN: '1,250' is not a number. {THOUSANDS}",
    ),
    "capitals": _changed(_line(1, lambda line: re.sub("fold|item|model_[ab]|winner|weight", lambda name: name[0].upper(), line))),
    "blanks around names and cells": _changed(lambda text: text.replace(",", " , ")),
    "Windows line ends": _in(end="\r\n"),
    "old Mac line ends": _in(end="\r"),
    "blank lines": _changed(lambda text: "\n" + text.replace("\n", "\n\n")),
    "rows of nothing but separators": _changed(lambda text: text + ",,,\n , , , \n"),
    "all in quotation marks": _changed(lambda text: re.sub(r"[^,\n]+", lambda cell: f'"{cell[0]}"', text)),
    "short last row": _changed(lambda text: text + "x,1\n", _cells(10, 2)),
    "long row": _changed(_line(4, lambda line: line + ",1"), _cells(4, 5)),
    "a word among numbers": _changed(_line(4, _last_cell("good")), "FILE, line 4, column COLUMN: 'good' is not a number."),
    "per cent": _changed(lambda text: re.sub(r"\b0\.\d+", lambda cell: f"{100 * float(cell[0]):g}%", text)),
    "a line end in quotation marks": _changed(
        lambda text: _line(2, lambda line: f'"{line.partition(",")[0]}\n",{line.partition(",")[2]}')(text) + "x,1\n",
        _cells(11, 2),
    ),
    "open quotation mark": _changed(
        _line(9, lambda line: f'"{line}'),
        "FILE, after line 8: unexpected end of data. Is a quotation mark left open?",
    ),
    "U+2028 in a cell": _changed(
        lambda text: _line(2, lambda line: line.replace(",", "\u2028,", 1))(text) + "x,1\n",
        _cells(10, 2),
    ),
    "NUL": _changed(
        _line(1, lambda line: line + "\0"),
        "FILE, line 1: it holds NUL characters, so it is not text, or damaged.",
    ),
    "two columns of one name": _changed(
        _line(1, _last_cell("b")),  # and its like for the other doors, by `_doubled`
        "FILE: it has two columns called NAME (columns 3 and 4). Give each a name of its own. If the header has two rows, as "
        "pandas writes columns in groups, make it one, such as model,accuracy_mean,accuracy_std: frame.columns = "
        "['_'.join(map(str, names)) for names in frame.columns].",
    ),
    "no rows": _changed(lambda text: text.partition("\n")[0] + "\n", "FILE: it has column names but no rows."),
    "empty": _bytes(b"", "FILE: it is empty."),
    "blank": _bytes(b"\n \n", "FILE: it holds nothing but blank lines."),
    "zip": _bytes(
        b"PK\x03\x04...", "FILE: it cannot be unpacked (zip): File is not a zip file. Was the file damaged, cut short, or locked?"
    ),
    "gzip": File(lambda names, rows: ("t.csv.gz", gzip.compress(_text(names, rows).encode()))),
    "gzip in .csv": File(lambda names, rows: ("t.csv", gzip.compress(_text(names, rows).encode()))),
    "bzip2": File(lambda names, rows: ("t.bz2", bz2.compress(_text(names, rows, ";").encode("utf-16")))),
    "mark, semicolons, decimal commas, Windows line ends": _in(separator=";", end="\r\n", comma=True, mark=codecs.BOM_UTF8),
    "mark and tabs": _in(separator="\t", mark=codecs.BOM_UTF8),
    "mark in front of a quotation mark": _changed(_line(1, lambda line: "\ufeff" + re.sub(r"[^,]+", r'"\g<0>"', line))),
    "Excel's line on separators": _in(separator=";", mark=b"sep=;\n"),
    "Excel's line behind a mark": _in(separator="^", mark=codecs.BOM_UTF8 + b"sep=^\n"),
    "separators at all ends": _changed(lambda text: text.replace("\n", ",,\n")),
    "separators at the ends of rows": _changed(
        lambda text: text.replace("\n", ",\n").replace(",\n", "\n", 1),
        _cells(2, 5),
    ),
    "quotation marks after blanks": _changed(lambda text: re.sub(r",([^,\n]+)", r',  "\1"', text)),
    "blanks that do not break": _changed(lambda text: text.replace(",", "\u00a0,\u2009")),
    "a line end in the header's quotation marks": _changed(_line(1, lambda line: re.sub(r"^([^,]+)", r'"\1\n"', line))),
    "plus signs": _changed(lambda text: re.sub(r",(\d)", r",+\1", text)),
    "exponents": _changed(lambda text: re.sub(r"\b0\.\d+", lambda cell: f"{float(cell[0]):.6E}", text)),
    "blanks between cells, decimal commas": _changed(lambda text: text.replace(",", "   ").replace(".", ","), name="t.txt"),
    "form feed": _changed(_line(2, lambda line: "\x0c" + line)),
    "U+0085 in a cell": _changed(_line(2, lambda line: line.replace(",", "\x85,", 1))),
    "line ends of two systems": _changed(lambda text: text.replace("\n", "\r\n", 3)),
    "UTF-32": _changed(str, "FILE, line 1: it holds NUL characters, so it is not text, or damaged.", encoding="utf-32"),
    "a comment above the header": _changed(lambda text: "# of 2026\n" + text, _cells(2, 4, 1)),
    "a title above the header": _changed(lambda text: "Results\n\n" + text, _cells(3, 4, 1)),
    "a header of numbers": _changed(
        _line(1, lambda _: "0,1,2,3"),
        "FILE, line 1: the first row holds only numbers (0, 1, 2 ...). A header with the names of the columns is needed there, "
        "such as the models' names.",
    ),
    "JSON by another ending": File(
        lambda names, rows: ("t.csv", json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=1).encode()),
        "FILE: it is JSON. Give it the ending .json, or .jsonl if each line is an object.",
    ),
    "a web page": _bytes(
        b"\n<!DOCTYPE html><p>Sign in", "FILE: it is a web page or XML, perhaps of a sign-in. Download the file itself."
    ),
    "Arrow": _bytes(b"ARROW1\0\0...", "FILE: it is an Arrow file. Give it the ending .feather."),
    "SQLite": _bytes(b"SQLite format 3\0...", "FILE: it is an SQLite database. A run in one is named as sqlite:///FILE#NAME."),
    "Parquet by another ending": _bytes(b"PAR1...", "FILE: it is Parquet. Give it the ending .parquet."),
}


_WORDS = {
    "quotation marks of Windows": "“1”",
    "a word among numbers": "good",
    "points and commas for decimals": "0,5",
    "thousands or decimals": "1,250",
}


def _doubled(door: Door, content: bytes) -> bytes:
    """The fourth name as the third, whatever it is."""
    first, _, rest = content.partition(b"\n")
    return b",".join([*first.split(b",")[:3], door.names[2].encode()]) + b"\n" + rest


def _written(file: str, door: Door) -> Path:
    name, content = FILES[file].write(door.names, door.rows)
    path = Path(name)
    path.write_bytes(_doubled(door, content) if file == "two columns of one name" else content)
    return path


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written into a folder of the test's own and named as they are there."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_the_same(door: str, file: str) -> None:
    """The values of the plain file, or the one error that all doors have for it."""
    kind, awkward = DOORS[door], FILES[file]
    path = _written(file, kind)
    if not awkward.text:
        found = kind.read(path)
        assert found == kind.read(_written("plain", kind))
        assert found  # and there is something in it
    elif file in _WORDS and door == "study":
        assert _WORDS[file] in kind.read(path)["y"]  # words are classes there
    else:
        text = told(DataError, kind.read, path).removesuffix(" Scores are numbers.").replace(str(path), "FILE")
        text = text.replace(f"column {kind.names[3]!r}", "column COLUMN").replace(f"called {kind.names[2]!r}", "called NAME")
        assert text == awkward.text


# --- ways to a file ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet"])
def test_the_same_table_in_another_format_is_the_same(door: str, ending: str) -> None:
    """Records, lines of records and Parquet, for the doors that take them."""
    kind = DOORS[door]
    frame = pd.read_csv(_written("plain", kind))
    if ending == "parquet":
        frame.to_parquet("t.parquet")
    else:
        text = frame.to_json(orient="records", lines=ending == "jsonl")
        Path(f"t.{ending}").write_text(text)
        Path(f"marked.{ending}").write_bytes(codecs.BOM_UTF8 + text.encode())
        assert kind.read(Path(f"marked.{ending}")) == kind.read(Path(f"t.{ending}"))
    assert kind.read(Path(f"t.{ending}")) == kind.read(_written("plain", kind))


@on_posix
@pytest.mark.parametrize("door", DOORS)
def test_a_pipe_is_read_like_a_file(door: str) -> None:
    """Once, whatever is asked of it."""
    kind = DOORS[door]
    path = _written("plain", kind)
    with pipe_of(path) as pipe:
        assert kind.read(Path(pipe)) == kind.read(path)


@pytest.mark.parametrize("door", DOORS)
def test_a_number_of_each_row_without_a_name_is_left_out(door: str) -> None:
    """As pandas and R write it in front of a table."""
    kind = DOORS[door]
    pd.DataFrame(kind.rows, columns=list(kind.names)).to_csv("t.csv")
    assert kind.read("t.csv") == kind.read(_written("plain", kind))


@pytest.mark.parametrize("file", ["t.csv", "t.tsv", "t", "t.jsonl", "t.json", "t.html", "t.toml", "battles.csv"])
def test_a_file_of_two_gigabytes_with_one_line(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is refused after a part of it, in bounded memory, and named; here the files are sparse, and take no room."""
    start = {
        "t.jsonl": '{"item": "a", "x": 1}\n{"item": "',
        "t.json": '[{"item": "a", "x": "',
        "t.html": "<html>",
        "t.toml": 'name = "x"\n#',
        "battles.csv": "model_a,model_b,winner\nx,y,",
        "t.tsv": "item\ta\tb\nq",
    }.get(file, "item,a,b\nq")
    with Path(file).open("wb") as out:
        out.write(start.encode())
        out.truncate(2 * 10**9)
    commands = {"t.toml": ("run",), "battles.csv": ("rate",)}
    tracemalloc.start()
    if file != "t.toml":
        with pytest.raises(tb.errors.TiebreakError, match=re.escape(file)):
            (tb.rate if file == "battles.csv" else tb.compare)(file)
    code, out, err = run(capsys, *commands.get(file, ("compare",)), file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (code, out) == (2, "")
    assert file in err
    assert peak < 160e6


def test_a_folder_of_awkward_files_is_read_like_its_files() -> None:
    """Each by what stands in it."""
    kind = DOORS["read_items"]
    (found := Path("results")).mkdir()
    for number, file in enumerate(("semicolons", "UTF-16, little end first", "semicolons in .txt")):
        name, content = FILES[file].write(["item", *(f"{each}{number}" for each in "abc")], kind.rows)
        (found / f"{number}{Path(name).suffix}").write_bytes(content)
    items = tb.compare(found, metric="accuracy").scores.items
    assert sorted(items.models) == [f"{each}{number}" for each in "abc" for number in range(3)]
    assert items.items == tuple(kind.read(_written("plain", kind))["items"])
