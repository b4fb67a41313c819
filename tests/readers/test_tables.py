"""Tables of every kind as columns: numbers where all cells are, else words as typed; one form of error for what is no table."""

import decimal
import gzip
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from tests.guarded import told
from tests.readers.conftest import Write
from tests.readers.helpers import LONG_FRAME, SCORE, WIDE, WIDE_FRAME, read
from tiebreak.errors import DataError, UnsupportedSourceError
from tiebreak.readers import tables
from tiebreak.readers.tables import MISSING, column_names, is_numeric, number_of, read_table


def columns(source: Any, *names: str) -> dict[str, list[Any]]:
    """Columns of a table: numbers, or words with "" for none; `names` are kept as they are typed."""
    table = read_table(source, "t", is_name=names.__contains__)
    found = {}
    for name, column in table.columns.items():
        found[name] = table.numbers(name).tolist() if is_numeric(column) and name not in names else table.words(name).texts()
    return found


def refusal(source: Any) -> str:
    """The text of the error for a source."""
    return told((DataError, UnsupportedSourceError), read_table, source, "t.csv")


# --- text -----------------------------------------------------------------------------------------------------------------


def test_names_of_columns_are_told_by_the_beginning(write: Write) -> None:
    """As the file is read: whatever separates, packed or not, behind Excel's line and marks."""
    for name, content in (("t", WIDE), ("t.txt", "sep=;\n" + WIDE.replace(",", ";")), ("t.csv", gzip.compress(WIDE.encode()))):
        path = write(content, name)
        assert column_names(path, path.read_bytes()) == ["repeat", "fold", "svm", "forest"]
    assert column_names(write("", "t.json"), b'[{"a": 1, "b": 2}, {"c": 3}]') == ["a", "b"]


def test_memory_of_python_is_let_go_of_at_once(write: Write) -> None:
    """A thread of pyarrow that lets go of it later aborts the process where Python has ended (it did so once in three)."""
    content = WIDE.encode()
    form = tables._form_of(content, "t", ".csv")
    for own in [bytes(bytearray(content)) for _ in range(50)]:
        n = sys.getrefcount(own)
        assert tables._by_arrow(own, form, []) is not None
        assert sys.getrefcount(own) == n


def test_names_may_hold_a_separator_where_another_one_is_told(write: Write) -> None:
    """Tabs separate all rows here."""
    assert columns(write("fold\tsvm (C=1, gamma=2)\n0\t0.5\n")) == {"fold": [0], "svm (C=1, gamma=2)": [0.5]}


@pytest.mark.parametrize("cell", sorted(MISSING | {"  "}))
def test_cells_without_a_value(cell: str, write: Write) -> None:
    """Are nan among numbers, and stay what they are among words: a model may be called None."""
    path = write(f"n,p,w,x\n0.5,50%,a,y\n{cell},{cell},{cell},z\n")
    found = columns(path)
    assert_array_equal([found["n"], found["p"]], [[0.5, np.nan]] * 2)
    assert found["w"] == ["a", cell.strip()]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[
            ("True", 1),
            ("FALSE", 0),
            ("no", 0),
            ("correct", 1),
            ("Fail", 0),
            ("50 %", 0.5),
            ("+1e3", 1000),
            (".5", 0.5),
            ("1.", 1),
        ],
        *[(text, None) for text in ("1_000", "०.५", "0x10", "1,250", "0,5", "0.5.1", "5%%", "± 1", "a")],
    ],
)
def test_what_a_cell_says(text: str, number: float | None, write: Write) -> None:
    """Numbers as Python writes them, per cent and truth; no digits of other scripts, base 16 or gaps."""
    assert number_of(text) == number
    if number is None:
        assert columns(write(f'a,b\n"{text}",1\n0.5,2\n', "t.csv"))["a"] == [text, "0.5"]


def test_a_row_without_values_is_no_blank_line(write: Write) -> None:
    """All models may have failed on a split; a line of separators alone is none."""
    assert_array_equal(columns(write("svm,rf\n0.5,0.6\nNA,nan\n,\n0.7,0.8\n"))["svm"], [0.5, np.nan, 0.7])


def test_commas_are_decimal_or_part_thousands(write: Write) -> None:
    """Where some number tells; what is refused stands in `test_doors`."""
    assert columns(write("a;b\n1,5;1,250\n2;3\n")) == {"a": [1.5, 2], "b": [1.25, 3]}


@pytest.mark.parametrize("n", [1, 5_000])
def test_names_stay_as_they_are_typed(n: int, write: Write) -> None:
    """007 is not 7, and NA, None and 1e5 are names; blanks around them are none. Of few rows and many, as are times."""
    found = columns(write("item,b,at\n" + "007,1,10:00\nNA,0,9:30\n1e5,1,9:30\n 1.0 ,1,9:30\nNone,1,9:30\n" * n), "item")
    assert (found["item"], found["at"][:2]) == (["007", "NA", "1e5", "1.0", "None"] * n, ["10:00", "9:30"])
    assert columns(write("item,b\n" + "7,1\n-12,0\n" * 9_000), "item")["item"][:2] == ["7", "-12"]


def test_quoted_cells_may_hold_anything(write: Write) -> None:
    """Separators, line ends and quotation marks; lines are counted on, and so are blank ones."""
    path = write('model,score\n"svm, C=1",0.5\n"two\nlines",0.6\n\n\n"say ""x""",oops\n')
    table = read_table(path, "t.csv")
    assert table.words("model").texts() == ["svm, C=1", "two\nlines", 'say "x"']
    assert told(DataError, table.numbers, "score") == (
        "t.csv, line 7, column 'score': 'oops' is not a number. Scores are numbers."
    )
    table = read_table(write('model,score\n"a"b,0.5\n'), "t.csv")  # as some tools write quotation marks
    assert (table.words("model").texts(), table.where(0)) == (["ab"], "line 2")


def test_numbers_are_read_to_the_last_bit(write: Write, rng: np.random.Generator) -> None:
    """As Python would, quoted or not, in text and JSON, below all ordinary ones too."""
    values = [*(rng.random(200) * 10.0 ** rng.integers(-300, 300, 200)).tolist(), 1e-320, 0.4971719949605503, 0.1 + 0.2]
    assert columns(write("a\n" + "\n".join(map(repr, values)) + "\n"))["a"] == values
    assert columns(write("a\n" + "\n".join(f'"{value!r}"' for value in values) + "\n"))["a"] == values
    for name in ("t.json", "t.jsonl"):
        lines = [json.dumps({"a": value}) for value in values]
        assert columns(write("\n".join(lines) if name == "t.jsonl" else f"[{','.join(lines)}]", name))["a"] == values


@pytest.mark.slow
def test_a_large_file_may_be_of_windows_encoding(write: Write) -> None:
    """In its header or anywhere in its cells."""
    for text in ("modèle,b\n" + "x,0.5\n" * 20_000, "m,b\n" + "x,0.5\n" * 20_000 + "é,0.5\n"):
        name, *_ = found = columns(write(text.encode("cp1252")))
        assert name == text.partition(",")[0]
        assert (set(found[name]), set(found["b"])) == ({"x", *("é" if text.startswith("m,") else "")}, {0.5})
    lines = '{"modèle": "x", "b": 0.5}\n' * 5_000
    assert list(columns(write(lines.encode("cp1252"), "t.jsonl"))) == ["modèle", "b"]


# --- JSON, Parquet, frames ------------------------------------------------------------------------------------------------

ROWS = [{"item": "a", "x": 1, "y": 0.1}, {"item": "b", "x": None, "y": 1e-5}, {"item": "c", "y": True}]
READ = {"item": ["a", "b", "c"], "x": [1.0, np.nan, np.nan], "y": [0.1, 1e-5, 1.0]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", json.dumps(ROWS)),
        ("t.json", json.dumps({"item": ["a", "b", "c"], "x": [1, None, None], "y": [0.1, 1e-5, True]})),
        ("t.json", json.dumps({"version": 1, "results": ROWS})),
        (
            "t.json",
            pd.DataFrame({"item": ["a", "b", "c"], "x": [1, None, None], "y": [0.1, 1e-5, 1]}).to_json(double_precision=15),
        ),
        ("t.json", "\n".join(map(json.dumps, ROWS))),
        ("t.jsonl", "\ufeff" + "\r\n\n".join(map(json.dumps, ROWS)) + "\n"),
        ("t.ndjson", "\n".join(map(json.dumps, ROWS))),
    ],
)
def test_ways_to_write_json(name: str, text: str, write: Write) -> None:
    """Records, columns, either in an object, as pandas writes a frame, and an object in each line."""
    found = columns(write(text, name))
    assert found.keys() == READ.keys()
    for key, values in READ.items():
        assert_array_equal(found[key], values)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"m": {"acc": [0.1, 0.2], "log": [1]}, "n": {"acc": [0.3, 0.4], "log": [2]}}', {"acc": [0.1, 0.2, 0.3, 0.4]}),
        ('{"m": {"acc": 0.1, "f1": 1}, "n": {"acc": 0.3, "f1": 2}}', {"acc": [0.1, 0.3], "f1": [1, 2]}),
        ('[{"model": "m", "metrics": {"acc": 0.1}}, {"model": "n", "metrics": {"acc": 0.3}}]', {"metrics.acc": [0.1, 0.3]}),
    ],
)
def test_objects_in_json_are_models_or_groups_of_columns(text: str, found: dict[str, list[float]], write: Write) -> None:
    """Results by model, as people write them themselves, and fields in an object of a record."""
    own = columns(write(text, "t.json"), "model")
    assert list(dict.fromkeys(own.pop("model"))) == ["m", "n"]
    assert own == found


@pytest.mark.parametrize(("name", "text"), [("t.json", '[{"a": 1}, {"a": NaN}]'), ("t.jsonl", '{"a": 1}\n{"a": NaN}')])
def test_nan_in_json_is_no_value(name: str, text: str, write: Write) -> None:
    """JSON has no word for it; Python's, pandas' and numpy's users write it all the same."""
    assert np.isnan(columns(write(text, name))["a"]).tolist() == [False, True]


@pytest.mark.parametrize(
    "lines",
    [
        ['{"item":"a","x":1,"y":0.1}', '{"item":"b","x":300,"y":1e-5}'],
        ['{"item":"a","x":1}', '{"item":"b","x":null}', '{"item":"c"}'],
        ['{"item":"a","x":true}', '{"item":"b","x":1}'],
        ['{"item":"a","x":true}', '{"item":"b","x":null}'],
        ['{"item":"a","x":1}', '{"item":"b","x":"one"}'],
        ['{"item":"2020-01-01"}', '{"item":"x"}'],
        ['{"item":1.0}', '{"item":2.5}'],
        ['{"x":9223372036854775808}', '{"x":9007199254740993}'],
        ['{"x":0.1234567890123456789,"y":"é"}', "", '{"x":2}'],
    ],
)
def test_json_lines_are_what_is_parsed_line_by_line(lines: list[str], write: Write) -> None:
    """By pyarrow where it reads what Python's parser finds."""
    rows = [json.loads(line) for line in lines if line]
    found = columns(write("\n".join(lines), "t.jsonl"), "item")
    for name, values in columns(rows, "item").items():
        assert_array_equal(found[name], values)


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "categories": lambda frame: frame.astype(dict.fromkeys(set(frame) & {"model"}, "category")),
    "nullable types": lambda frame: frame.convert_dtypes(),
    "arrow types": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "objects": lambda frame: frame.astype(object),
    "polars": pl.from_pandas,
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "polars categories": lambda frame: pl.from_pandas(frame).with_columns(pl.col(pl.String).cast(pl.Categorical)),
    "pyarrow": pa.Table.from_pandas,
    "dict": lambda frame: frame.to_dict("list"),
    "arrays": lambda frame: {name: frame[name].to_numpy() for name in frame},
    "records": lambda frame: frame.to_dict("records"),
    "parquet": lambda frame: frame.to_parquet("t.parquet") or "t.parquet",
    "feather": lambda frame: frame.to_feather("t.feather") or "t.feather",
}


@pytest.mark.parametrize("frame", [WIDE_FRAME, LONG_FRAME], ids=["wide", "long"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_table_is_the_same_in_every_form(kind: str, frame: pd.DataFrame, write: Write) -> None:
    """Wide and long, the same numbers; nothing of the caller's is changed or shared."""
    source = KINDS[kind](frame)
    matrix = read(source).matrix()
    assert matrix.models == ("svm", "forest")
    assert_array_equal(matrix.score, SCORE)
    assert_array_equal(matrix.repeat, [0, 0, 1, 1])
    matrix.score[:] = 0
    assert_array_equal(read(source).matrix().score, SCORE)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([0.5, None, 1.0], dtype="Float64"),
        pd.Series([0.5, None, 1.0], dtype="double[pyarrow]"),
        pd.Series([decimal.Decimal("0.5"), None, True], dtype=object),
        pd.Series([0.5, pd.NA, 1], dtype=object),
        pl.Series([decimal.Decimal("0.5"), None, decimal.Decimal(1)]),
        pl.Series([0.5, None, 1.0], dtype=pl.Float32),
        pa.array([0.5, None, 1.0], type=pa.float32()),
        pd.Series(["50%", None, "1"]),
    ],
    ids=range(8),
)
def test_missing_scores_of_every_type_are_nan(column: Any) -> None:
    """Kept for the comparison to report, never 0."""
    make = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(column), pa.table)
    assert_array_equal(read(make({"fold": [0, 1, 2], "svm": column})).matrix().score, [[0.5, np.nan, 1.0]])


def test_a_masked_score_is_none() -> None:
    """Not the number that stands below the mask."""
    assert_array_equal(columns({"svm": np.ma.array([0.5, 0.6], mask=[False, True])})["svm"], [0.5, np.nan])


def test_an_index_that_says_something_is_a_column(write: Write) -> None:
    """Names of levels, texts beside metrics; a running number is none, in frames and in what they are saved as."""
    pivoted = LONG_FRAME.pivot_table(index=["repeat", "fold"], columns="model", values="score")
    assert read(pivoted).matrix().score.tolist() == SCORE[::-1].tolist()
    by_model = pd.DataFrame(SCORE, index=["svm", "forest"], columns=[f"fold{number}" for number in range(4)])
    by_model.to_csv("t.csv")
    by_model.to_parquet("t.parquet")
    for source in (by_model, "t.csv", "t.parquet"):
        assert read(source).matrix().score.tolist() == SCORE.tolist()
        assert read(source).models == ("svm", "forest")
    WIDE_FRAME[1:].to_csv("t.csv")
    WIDE_FRAME[1:].to_parquet("t.parquet")
    for source in (WIDE_FRAME[1:], "t.csv", "t.parquet"):
        assert read(source).models == ("svm", "forest")
    WIDE_FRAME.iloc[[0, 2, 3]].to_csv("picked.csv")
    assert read("picked.csv").models == ("svm", "forest")


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"]), "t.csv: it has columns of the same name: "),
        (pd.DataFrame({1: [0.1], "1": [0.2]}), "t.csv: it has two columns called '1' (columns 1 and 2)."),
        (
            pd.DataFrame(np.zeros((2, 2)), columns=pd.MultiIndex.from_tuples([("a", "b_c"), ("a_b", "c")])),
            "t.csv: it has columns of the same name: ",
        ),
        (WIDE_FRAME.head(0), "t.csv: it has column names but no rows."),
        (pd.DataFrame(), "t.csv: it has no columns, so there are no scores in it."),
        (
            pl.DataFrame({"a": pl.Series([2**30, 1], dtype=pl.Int32).cast(pl.Date)}),
            "t.csv, column 'a': it has a value that Python",
        ),
        (
            pa.table({"a": pa.array([2**62, 1], type=pa.timestamp("s"))}),
            "t.csv, column 'a': it has a value that Python cannot hold",
        ),
    ],
    ids=range(7),
)
def test_frames_that_cannot_be_read(frame: Any, text: str) -> None:
    """What is wrong and how to go on; polars raises what is no Exception at some dates."""
    assert refusal(frame).startswith(text)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_names_of_32_bits_are_as_they_were_written(make: Any) -> None:
    """A model called 0.1 is that of other sources, whose scores keep their bits."""
    half = {"model": [0.1, 0.1, 3.0, 3.0], "fold": [0, 1, 0, 1], "score": [0.1, 0.2, 0.3, 0.4]}
    found = columns(make({name: np.array(values, dtype=np.float32) for name, values in half.items()}), "model", "fold")
    assert (found["model"], found["fold"]) == (["0.1", "0.1", "3", "3"], ["0", "1", "0", "1"])
    assert found["score"] == [float(np.float32(value)) for value in half["score"]]


def test_whole_numbers_beyond_floats_are_words_to_the_last_digit(write: Write) -> None:
    """As keys and names; of a thousand digits too, of which Python makes no number."""
    vast, longest = 2**53 + 1, "1" + "0" * 400
    frame = pd.DataFrame({"model": [int(longest), 3] * 2, "fold": [vast, vast, vast + 1, vast + 1], "score": 0.5})
    frame.to_csv("t.csv", index=False)
    for source in (frame, "t.csv", frame.to_dict("records")):
        assert read(source).models == (longest, "3")
        assert read(source).matrix().n_splits == 2
    digits = "1" * 5000
    text = "model,fold,score\n" + "".join(f"{model},fold {fold},0.5\n" for model in "ab" for fold in (digits, 2))
    assert read(write(text)).matrix().n_splits == 2
