"""CSV: wide and long, every malformed one with its own text, and little memory."""

from __future__ import annotations

import os
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import tiebreak as tb
from tests.readers.conftest import Write
from tests.readers.helpers import LONG, SCORE, WIDE, codes, read
from tiebreak.api import read_scores
from tiebreak.errors import (
    InvalidParameterError,
    InvalidScoresError,
    SourceNotFoundError,
    UnreadableSourceError,
    UnsupportedSourceError,
)
from tiebreak.readers import table as csv_files
from tiebreak.readers.columns import COLUMNS_ARE_MODELS


def test_wide_file(write: Write) -> None:
    """One column per model, splits by key."""
    scores = read(write(WIDE))
    matrix = scores.matrix()
    assert matrix.models == ("svm", "forest")
    assert_array_equal(matrix.score, SCORE)
    assert_array_equal(matrix.repeat, [0, 0, 1, 1])
    assert_array_equal(matrix.fold, [0, 1, 0, 1])
    assert scores.design.pairing == "key"
    assert scores.design.sizes == "missing"
    assert codes(scores) == []


def test_long_file(write: Write) -> None:
    """One row per score."""
    matrix = read(write(LONG)).matrix()
    assert matrix.models == ("svm", "forest")
    assert_array_equal(matrix.score, SCORE)


@pytest.mark.parametrize("name", ["scores.csv", "scores.txt", "scores", "SCORES.CSV"])
def test_endings_read_as_csv(name: str, write: Write) -> None:
    """A file without ending may be a pipe or a download."""
    assert_array_equal(read(write(WIDE, name)).matrix().score, SCORE)


def test_byte_order_mark_is_skipped(write: Write) -> None:
    """As Excel writes it."""
    assert read(write(b"\xef\xbb\xbf" + WIDE.encode())).matrix().models == ("svm", "forest")


def test_tabs_in_a_tsv(write: Write) -> None:
    """The ending says so; names may then hold commas."""
    text = "fold\tsvm (C=1, gamma=2)\n0\t0.5\n1\t0.6\n"
    assert read(write(text, "scores.tsv")).matrix().models == ("svm (C=1, gamma=2)",)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str, write: Write) -> None:
    """Of all systems, with or without one at the end of the file."""
    assert_array_equal(read(write(WIDE.replace("\n", end))).matrix().score, SCORE)
    assert_array_equal(read(write(WIDE.replace("\n", end).rstrip())).matrix().score, SCORE)


def test_blank_lines_and_blanks_around_cells_do_not_matter(write: Write) -> None:
    """Nor do rows of nothing but separators, as spreadsheets leave them."""
    text = "\n fold , svm\n\n0, 0.5 \n,\n 1 ,0.6\n , \n\n"
    matrix = read(write(text)).matrix()
    assert matrix.models == ("svm",)
    assert_array_equal(matrix.score, [[0.5, 0.6]])


def test_blanks_around_words_do_not_matter(write: Write) -> None:
    """'svm ' is no other model than 'svm'."""
    matrix = read(write("model,fold,score\nsvm,0,0.1\nsvm ,1,0.2\n rf,0,0.3\nrf,1,0.4\n")).matrix()
    assert matrix.models == ("svm", "rf")


@pytest.mark.parametrize("cell", ["", "nan", "NaN", "NA", "null", "  "])
def test_missing_cells_are_nan(cell: str, write: Write) -> None:
    """Kept for the comparison to report, never 0."""
    assert_array_equal(read(write(f"fold,svm,rf\n0,{cell},0.5\n1,0.7,0.6\n")).matrix().score, [[np.nan, 0.7], [0.5, 0.6]])


def test_true_and_false_are_one_and_zero(write: Write) -> None:
    """As pandas and R write them."""
    text = "fold,svm,n_train,n_test\n0,True,9,1\n1,FALSE,9,1\n"
    assert_array_equal(read(write(text)).matrix().score, [[1, 0]])


def test_quoted_cells_may_hold_anything(write: Write) -> None:
    """Separators, line ends and quotation marks; lines are counted on."""
    text = 'model,fold,score\n"svm, C=1",0,0.5\n"two\nlines",0,0.6\n"say ""x""",0,oops\n'
    with pytest.raises(InvalidScoresError, match=r"^scores\.csv, line 5, column 'score': 'oops' is not a number\.$"):
        read(write(text))
    models = read(write(text.replace("oops", "0.7"))).models
    assert models == ("svm, C=1", "two\nlines", 'say "x"')


def test_numbers_are_read_to_the_last_digit(write: Write, rng: np.random.Generator) -> None:
    """By either parser as Python would."""
    values = rng.random(200) * 10.0 ** rng.integers(-300, 300, 200)
    text = "a\n" + "\n".join(map(repr, values.tolist())) + "\n"
    assert_array_equal(read(write(text), metric="x", lower_is_better=False).matrix().score, [values])
    quoted = "a\n" + "\n".join(f'"{v!r}"' for v in values.tolist()) + "\n"
    assert_array_equal(read(write(quoted), metric="x", lower_is_better=False).matrix().score, [values])


@pytest.mark.parametrize("cells", [1, 3, 7, 64])
def test_chunks_do_not_show(cells: int, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file read in chunks of a few cells gives the same, a word far down in a key column included."""
    monkeypatch.setattr(csv_files, "CELLS_PER_CHUNK", cells)
    assert_array_equal(read(write(WIDE)).matrix().score, SCORE)
    assert_array_equal(read(write(LONG)).matrix().score, SCORE)
    text = "fold,svm\n" + "".join(f"{i},0.{i}\n" for i in range(1, 9)) + "last,0.9\n"
    assert_array_equal(read(write(text)).matrix().score, [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]])
    metrics = "model,fold,note,accuracy\nsvm,0,1,0.5\nrf,0,2,0.6\nsvm,1,x,0.7\nrf,1,3,0.8\n"
    assert_array_equal(read(write(metrics)).matrix().score, [[0.5, 0.7], [0.6, 0.8]])
    with_gaps = WIDE.replace("0.88", "").replace("\n0,1", "\n\n\n0,1").replace("0.82", '"0.82"')
    expected = SCORE.copy()
    expected[1, 0] = np.nan
    assert_array_equal(read(write(with_gaps)).matrix().score, expected)


@pytest.mark.parametrize("cells", [4, 1000])
def test_line_is_right_after_blank_lines(cells: int, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever chunks end."""
    monkeypatch.setattr(csv_files, "CELLS_PER_CHUNK", cells)
    text = "fold,svm\n0,0.1\n\n1,0.2\n2,0.3\n\n\n3,0.4\n4,inf\n"
    with pytest.raises(InvalidScoresError, match=r"^scores\.csv, line 9: model 'svm': the score is infinite"):
        read(write(text))


MODELS = COLUMNS_ARE_MODELS

# --- what cannot be read --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "error", "text"),
    [
        ("", UnreadableSourceError, "scores.csv is empty."),
        ("\n \n", UnreadableSourceError, "scores.csv holds nothing but blank lines."),
        ("svm,rf\n", UnreadableSourceError, "scores.csv has column names but no rows."),
        (
            'svm,rf\n"0,83",0.2\n',
            InvalidScoresError,
            (
                "scores.csv, line 2, column 'svm': '0,83' is not a number. It looks like a decimal comma: write numbers with a "
                "point, such as 0.83."
            ),
        ),
        (
            "svm,rf\n0,83,0,92\n",
            UnreadableSourceError,
            (
                "scores.csv, line 2: 4 cell(s), but the header has 2 column(s). If these are decimal commas, write the numbers "
                "with a point, such as 0.83."
            ),
        ),
        ("svm,rf\n0.1,0.2\n0.3\n", UnreadableSourceError, "scores.csv, line 3: 1 cell(s), but the header has 2 column(s)."),
        ("svm,rf\n0.1,0.2\n0.3,bad\n", InvalidScoresError, f"scores.csv, line 3, column 'rf': 'bad' is not a number.{MODELS}"),
        (
            "svm,rf\n0.1,93.5%\n",
            InvalidScoresError,
            "scores.csv, line 2, column 'rf': '93.5%' is not a number. Leave the percent sign out.",
        ),
        ("svm,rf\n0.1,1_0\n", InvalidScoresError, f"scores.csv, line 2, column 'rf': '1_0' is not a number.{MODELS}"),
        ("svm,rf\n0.1,०.५\n", InvalidScoresError, f"scores.csv, line 2, column 'rf': '०.५' is not a number.{MODELS}"),
        (
            "0.1,0.2\n0.3,0.4\n",
            UnreadableSourceError,
            (
                "scores.csv, line 1: the first row holds only numbers (0.1, 0.2...). A header with the names of the columns is "
                "needed there, such as the models' names."
            ),
        ),
        (
            "svm,svm\n1,2\n",
            UnreadableSourceError,
            "scores.csv has two columns called 'svm' (columns 1 and 2). Give each a name of its own.",
        ),
        (b"svm,rf\n0.1,0.2\n0.3,\xe9\n", UnreadableSourceError, "scores.csv, line 3: byte 0xe9 is not UTF-8. Save it as UTF-8."),
        (
            "svm,rf\n".encode("utf-16"),
            UnreadableSourceError,
            "scores.csv has column names but no rows.",
        ),
        (
            "svm,rf\n0.1,0.2\n".encode("utf-16")[:-1],
            UnreadableSourceError,
            "scores.csv, line 2: what stands there is not UTF-16, or is cut short. Save it as UTF-8.",
        ),
        (
            "svm,a;b\n0.1,0.2;0.3\n",
            UnreadableSourceError,
            (
                "scores.csv is separated by commas (2 columns) or semicolons (2 columns), and every row fits either. Put what "
                "holds one of them into quotation marks, or pass the frame that pandas.read_csv(path, sep=...) reads."
            ),
        ),
        (
            b"PK\x03\x04...",
            UnreadableSourceError,
            "scores.csv is no CSV but a zip file, perhaps an Excel sheet. Save it as CSV UTF-8.",
        ),
        (b"PAR1...", UnreadableSourceError, "scores.csv is no CSV but Parquet. Give it the ending .parquet."),
        (b"\x1f\x8b...", UnreadableSourceError, "scores.csv is compressed. Unpack it first."),
        ("svm,r\0f\n1,2\n", UnreadableSourceError, "scores.csv, line 1: it holds NUL characters, so it is not text, or damaged."),
        (
            "svm,rf\n0.1,0.2\0\n",
            InvalidScoresError,
            (
                "scores.csv, line 2, column 'rf': '0.2\\x00' is not a number. It holds a NUL character, so the file may be "
                "damaged or not be text."
            ),
        ),
        (
            'svm,rf\n"0.1,0.2\n',
            UnreadableSourceError,
            "scores.csv, after line 1: unexpected end of data. Is a quotation mark left open?",
        ),
    ],
)
def test_unreadable_files(content: str | bytes, error: type[Exception], text: str, write: Write) -> None:
    """What is wrong, where, and how to go on."""
    with pytest.raises(error) as caught:
        read(write(content))
    assert str(caught.value) == text


def test_commas_in_a_tsv(write: Write) -> None:
    """What stands in the file counts, not its ending."""
    assert_array_equal(read(write(WIDE, "scores.tsv")).matrix().score, SCORE)


@pytest.mark.parametrize(
    "text",
    [
        "svm;rf\n0.1;0.2\n",
        "svm;rf\n0,1;0,2\n",
        "svm\trf\n0.1\t0.2\n",
        'svm,rf\n"0,1","0,2"\n',
        "svm | rf\n0.1 | 0.2\n",
        " svm rf\n 0.1  0.2 \n",
    ],
)
def test_separators_and_decimal_signs_that_can_be_told(text: str, write: Write) -> None:
    """Semicolons, tabs, bars, blanks; a comma as the decimal sign where nothing else has a point."""
    matrix = read(write(text)).matrix()
    assert matrix.models == ("svm", "rf")
    assert_array_equal(matrix.score, [[0.1], [0.2]])


def test_huge_cell(write: Write) -> None:
    """A quoted text beyond the csv module's limit."""
    with pytest.raises(UnreadableSourceError, match="after line 1: field larger than field limit"):
        read(write('svm\n"' + "x" * 200_000 + '"\n'))


def test_wide_table_says_what_a_column_of_words_does_there(write: Write) -> None:
    """In a wide table every other column is a model."""
    with pytest.raises(InvalidScoresError) as caught:
        read(write("fold,svm,note\n0,0.5,good\n"))
    assert str(caught.value) == (
        "scores.csv, line 2, column 'note': 'good' is not a number. In a table with one column per model, every column but "
        "dataset, metric, repeat, fold, split, seed, time, period, n_train and n_test holds the scores of a model: correct the "
        "cell, remove the column, or call it 'dataset' or 'split' if it names those."
    )


# --- paths ----------------------------------------------------------------------------------------------------------


def test_missing_file_suggests_its_neighbour(write: Write) -> None:
    """And says where it looked."""
    write(WIDE, "results.csv")
    with pytest.raises(
        SourceNotFoundError, match=r"there is no file 'result\.csv' \(looked in .*\)\. Did you mean 'results\.csv'\?"
    ):
        read_scores("result.csv")
    with pytest.raises(FileNotFoundError):
        read_scores("nothing/here.csv")


def test_directory_is_no_file(write: Write) -> None:
    """The files in it are."""
    write(WIDE, "runs.csv/a.csv")
    with pytest.raises(SourceNotFoundError, match=r"^runs\.csv is a directory\. Pass the files in it\.$"):
        read_scores("runs.csv")


@pytest.mark.parametrize("name", ["scores.xlsx", "scores.csv.gz", "scores.pkl"])
def test_other_endings(name: str, write: Write) -> None:
    """What is read is listed."""
    with pytest.raises(UnsupportedSourceError, match=r"files can be \.csv, \.tsv, \.txt \(read as CSV\), \.json and \.parquet"):
        read_scores(write(b"...", name))


def test_address_is_no_path() -> None:
    """Nothing is downloaded."""
    with pytest.raises(InvalidParameterError, match=r"^'https://x\.org/a\.csv' is not supported: tiebreak keeps runs in SQLite"):
        read_scores("https://x.org/a.csv")


def test_path_with_nul() -> None:
    """No ValueError from the depths of the system."""
    with pytest.raises(SourceNotFoundError, match="holds a NUL character"):
        read_scores("a\0b.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_is_read_once(write: Write, tmp_path: Path) -> None:
    """As the shell's <(...) makes it, without going back in it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(WIDE,))
    writer.start()
    try:
        assert_array_equal(read(pipe).matrix().score, SCORE)
    finally:
        writer.join()


def test_file_that_may_not_be_read(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's reason is given."""
    path = write(WIDE)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourceNotFoundError, match=r"^scores\.csv cannot be read: Permission denied\.$"):
        read(path)


# --- memory ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["wide", "long"])
def test_peak_memory_is_under_three_times_the_numbers(form: str, write: Write, rng: np.random.Generator) -> None:
    """8 bytes per score, and a constant 12 MB for the chunk at hand; the benchmark measures a file of 200 MB."""
    n_splits, n_models = 20_000 if form == "wide" else 6_000, 20
    score = rng.random((n_splits, n_models)).round(6).tolist()
    names = [f"model_{i}" for i in range(n_models)]
    if form == "wide":
        lines = [",".join(["repeat", "fold", *names])]
        lines += [f"{i // 10},{i % 10}," + ",".join(map(str, row)) for i, row in enumerate(score)]
    else:
        lines = ["model,repeat,fold,score"]
        lines += [
            f"{name},{i // 10},{i % 10},{value}" for i, row in enumerate(score) for name, value in zip(names, row, strict=True)
        ]
    path = write("\n".join(lines) + "\n")
    del lines
    tracemalloc.start()
    matrix = read(path).matrix()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert_array_equal(matrix.score, np.array(score).T)
    assert peak < 3 * 8 * n_splits * n_models + 12e6


# --- large files ----------------------------------------------------------------------------------------------------


def test_large_files_are_the_same_to_the_last_bit(
    write: Write, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By pyarrow's parser, which is asked for chunks of large files, or what takes its place where it cannot."""
    values = rng.random((300, 2)) * 10.0 ** rng.integers(-300, 300, (300, 2))
    lines = [f"split {i},{a!r},{b!r},{i % 2}\n" for i, (a, b) in enumerate(values.tolist())]
    lines[7] = "split 7,+0.5, 1e5 ,1\n"  # which pyarrow does not take
    lines[200] = "split 200,nan,inf,300\n"
    path = write("split,a,b,c\n" + "".join(lines), "large.csv")
    monkeypatch.setattr(csv_files, "CELLS_PER_CHUNK", 40)
    small = csv_files.read_frame(path, "large.csv")[0]
    monkeypatch.setattr(csv_files, "LARGE", 0)
    monkeypatch.setattr(csv_files, "CELLS_PER_CHUNK", 10)
    pd.testing.assert_frame_equal(csv_files.read_frame(path, "large.csv")[0], small, check_exact=True)
    assert small["a"].tolist()[:7] == values[:7, 0].tolist()
    assert small["c"].dtype == np.int64


@pytest.mark.parametrize(
    "cell", ["0x10", "1_000", "٣", "", "0.5.1", "True", "NA", '"3"', '4"', '"4""5"', '"5\n6"', "7\r8", "300", "0.5"]
)
@pytest.mark.parametrize("n_bytes", [1, 40, 1 << 16])
def test_large_files_are_refused_or_read_like_small_ones(
    cell: str, n_bytes: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyarrow reads some cells in another way, or not at all: base 16, gaps among whole numbers, marks and line ends."""
    rows = "1,x,2\n" * 30
    path = write(f"a,b,c\n{rows}{cell},y,3\n{rows}3,{cell},1\n{rows}")
    small = _frame_or_error(path)
    monkeypatch.setattr(csv_files, "LARGE", 0)
    monkeypatch.setattr(csv_files, "_FIRST_BLOCK", n_bytes)
    monkeypatch.setattr(csv_files, "_LARGEST_BLOCK", 10 * n_bytes)
    assert _frame_or_error(path) == small


@pytest.mark.parametrize("end", ["", "\n", ",,\n", "\n\n", "1,2\n"])
def test_the_last_rows_of_large_files(end: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A last line without an end, blank rows and one that is too short are as in a small file, quotation marks or not."""
    for mark in ("", '"'):
        path = write(f"a,{mark}b{mark},c\n" + f"1,{mark}x y{mark},0.5\n" * 40 + f"2,{mark}z{mark},1" + end)
        small = _frame_or_error(path)
        with monkeypatch.context() as context:
            context.setattr(csv_files, "LARGE", 0)
            context.setattr(csv_files, "_FIRST_BLOCK", 30)
            assert _frame_or_error(path) == small


def _frame_or_error(path: Path) -> tuple[object, ...]:
    """Values, types and lines of a table, or the text of its error."""
    try:
        frame, where = csv_files.read_frame(path, "t.csv")
    except tb.errors.TiebreakError as error:
        return (str(error),)
    return frame.to_csv(), [*map(str, frame.dtypes)], [where(row) for row in range(len(frame))]


_SAME_LINES = [
    ['{"item":"a","x":1,"y":0.1}', '{"item":"b","x":300,"y":1e-5}'],
    ['{"item":"a","x":1}', '{"item":"b","x":null}', '{"item":"c"}', '{"item":"d","x":0.5}'],
    ['{"item":"a","x":true,"t":"12:00:00"}', '{"item":"b","x":false,"t":null}'],
    ['{"item":"a"}', '{"item":"b","x":0.1234567890123456789,"y":"é"}'],
]
_OTHER_LINES = [
    ['{"item":"a","x":true}', '{"item":"b","x":1}'],
    ['{"item":"a","x":true}', '{"item":"b","x":null}'],
    ['{"item":"a","x":1}', '{"item":"b","x":"one"}'],
    ['{"item":"a","x":{"y":1}}'],
    ['{"item":"2020-01-01"}'],
    ['{"date":1500000000}'],
    ['{"007":1}'],
    ['{"x":9223372036854775808}'],
    ['{"x":NaN}'],
    ['{"x":1} {"x":2}'],
    ['{"x":1}', "", '{"x":2}'],
    ['{"x":1,"x":2}'],
    ['{"x":1'],
    ["[1]"],
]


@pytest.mark.parametrize("n_bytes", [1, 1 << 16])
@pytest.mark.parametrize("end", ["", "\n"])
def test_large_json_lines_are_those_of_pandas_or_left_to_it(
    n_bytes: int, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyarrow's columns are pandas' own, in whatever blocks they come; what the two read in another way is left to pandas."""
    monkeypatch.setattr(csv_files, "_LARGEST_BLOCK", n_bytes)
    path = tmp_path / "items.jsonl"
    for lines in _SAME_LINES:
        path.write_text("\n".join(lines) + end, encoding="utf-8")
        columns = csv_files.json_lines_by_arrow(path)
        expected = pd.read_json(path, lines=True, dtype=False, precise_float=True)
        pd.testing.assert_frame_equal(pd.DataFrame(columns), expected, check_dtype=False, check_exact=True)
    for lines in _OTHER_LINES:
        path.write_text("\n".join(lines) + end, encoding="utf-8")
        assert csv_files.json_lines_by_arrow(path) is None


def test_a_line_without_end_is_an_error_before_it_is_read(tmp_path: Path) -> None:
    """A file of 2 GB with one line, here a sparse one, is told by the first 32 MiB of it."""
    path = tmp_path / "line.csv"
    with path.open("wb") as file:
        file.write(b"item,a,b\n" + b"x" * 100)
        file.truncate(2 * 10**9)
    with pytest.raises(tb.errors.UnreadableSourceError, match=r"line 2 is longer than 32 MiB.*line breaks lost"):
        tb.compare(path)


def test_a_number_that_is_followed_by_words_keeps_its_text(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column that turns out to be of texts far down is read again: 007 is not 7."""
    monkeypatch.setattr(csv_files, "CELLS_PER_CHUNK", 4)
    path = write("a,b\n007,True\n1.50,False\n,True\nx,True\n")
    frame = csv_files.read_frame(path, "t.csv")[0]
    assert frame["a"].fillna("-").tolist() == ["007", "1.50", "-", "x"]
    assert frame["b"].dtype == bool


def test_blanks_around_a_word_that_names_a_split_are_no_part_of_it(tmp_path: Path) -> None:
    """A split called " y" in one row and "y" in another is one split; found by a made-up table."""
    path = tmp_path / "scores.csv"
    path.write_text("model,fold,score\nsvm,x,0.94\nb,x,0.76\nsvm, y,0.38\nb,y,0.35\n")
    assert tb.read_scores(path, metric="accuracy").matrices[0].score.tolist() == [[0.94, 0.38], [0.76, 0.35]]


@pytest.mark.parametrize("start", ["\r\ufeff\n", "\ufeff\ufeff\n", "\n\ufeff,\ufeff\n", '"",""\n'])
def test_a_row_of_byte_order_marks_is_no_header(tmp_path: Path, start: bytes) -> None:
    """It is blank, as in files that were joined; the names stand in the first row that has one."""
    path = tmp_path / "scores.csv"
    path.write_bytes(f"{start}a,b\n0.5,0.75\n0.25,0.5\n".encode())
    assert tb.read_scores(path, metric="accuracy").models == ("a", "b")
    path.write_bytes(f"{start}50%".encode())
    with pytest.raises(UnreadableSourceError, match="no rows"):
        tb.read_scores(path, metric="accuracy")
