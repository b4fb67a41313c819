"""The one entry point: what it takes, what it refuses, and what all sources have in common."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

from tests.readers.conftest import Write
from tests.readers.helpers import LONG, SCORE, WIDE, codes, read
from tests.readers.test_answer import answer
from tiebreak.api import read_scores
from tiebreak.errors import (
    AmbiguousSourceError,
    ContradictingSizesError,
    InvalidParameterError,
    InvalidScoresError,
    SourceNotFoundError,
    TiebreakError,
    UnknownNameError,
    UnpairedScoresError,
    UnreadableSourceError,
    UnsupportedSourceError,
)
from tiebreak.scores.scores import ScoreMatrix, Scores

ACCEPTED = (
    "Pass a fitted search (GridSearchCV and its like) or its cv_results_, {name: cross_validate(...)}, {name: scores, one per "
    "split}, an array with models=[names], a list of records, a data frame (pandas, polars, pyarrow or another that narwhals "
    "reads), a path to a CSV, JSON or Parquet file, or Scores."
)


@pytest.mark.parametrize("source", [3, None, [0.1, 0.2], object(), dict, lambda: 1], ids=lambda source: type(source).__name__)
def test_other_types(source: Any) -> None:
    """The type met, and all that is accepted."""
    with pytest.raises(UnsupportedSourceError) as caught:
        read_scores(source)
    assert str(caught.value) == f"the source is of type {type(source).__name__!r}, which cannot be read as scores. {ACCEPTED}"


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "half \ud800"])
@pytest.mark.parametrize("column", ["model", "metric"])
def test_names_can_be_read_and_kept(name: str, column: str, tmp_path: Path) -> None:
    """No blanks, which nobody sees, and no half characters, which break frames, figures and files."""
    row = {"model": "a", "metric": "r2", "fold": 0, "score": 0.1}
    path = tmp_path / "scores.json"
    path.write_text(json.dumps([{**row, "model": model} | ({column: name} if model == "a" else {}) for model in "ab"]))
    asked = {column: name} if column != "model" else {}
    with pytest.raises(TiebreakError, match=r"is blank|holds half of a character|is given|is higher or lower better"):
        read_scores(path, **asked)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": [1, 2], "b": [3, 4], "a": [5, 6]}', "the key 'a' stands twice in one object"),
        ('[{"model": "a", "score": 1, "score": 2}]', "the key 'score' stands twice in one object"),
        ('{"a": [0.1, NaN], "b": [0.2, 0.3]}', "NaN is not JSON. Write null"),
        ('{"a": [0.1, Infinity], "b": [0.2, 0.3]}', "Infinity is not JSON"),
        ('{"a": [0.1, -Infinity], "b": [0.2, 0.3]}', "-Infinity is not JSON"),
    ],
)
def test_json_that_would_be_misread(text: str, message: str, tmp_path: Path) -> None:
    """Python's reader takes the last of two keys, and words that are no JSON, without a word."""
    path = tmp_path / "scores.json"
    path.write_text(text)
    with pytest.raises(UnreadableSourceError, match=message):
        read_scores(path, metric="accuracy")


@pytest.mark.slow
def test_a_key_that_stands_twice_among_very_many_is_found_at_once(tmp_path: Path) -> None:
    """Each against all before it would take hours."""
    keys = [*range(200_000), 199_999]
    (tmp_path / "scores.json").write_text("{" + ",".join(f'"m{key}": [0.5]' for key in keys) + "}")
    with pytest.raises(UnreadableSourceError, match="the key 'm199999' stands twice"):
        read_scores(tmp_path / "scores.json", metric="accuracy")


@pytest.mark.parametrize("name", ["scores.csv", "scores.json", "scores.parquet"])
def test_a_device_is_no_file(name: str, tmp_path: Path) -> None:
    """/dev/zero never ends, not behind a link either."""
    (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises(SourceNotFoundError, match="is a device and no file"):
        read_scores(tmp_path / name, metric="accuracy")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"models": 0}, "models must be a list of names; got 0."),
        ({"n_train": 10**30}, "n_train must be a number of examples; nobody has more than 1e+15 of them."),
    ],
)
def test_settings_of_another_kind(settings: dict[str, Any], message: str) -> None:
    """Refused in words, not by what they happen to break."""
    with pytest.raises(InvalidParameterError) as caught:
        read_scores({"a": [0.1, 0.2], "b": [0.2, 0.3]}, metric="accuracy", **settings)
    assert str(caught.value) == message


def test_summaries_are_no_scores() -> None:
    """Means and standard deviations would pass for two models or two metrics."""
    for columns in (("model", "mean", "std"), ("mean", "std"), ("algorithm", "Mean Score", "Std. Err")):
        frame = pd.DataFrame({name: ["a", "b", "c"] if name in ("model", "algorithm") else [0.1, 0.2, 0.3] for name in columns})
        with pytest.raises(UnreadableSourceError, match="a summary, with one mean for each model"):
            read_scores(frame, metric="accuracy")


@pytest.mark.slow
def test_parquet_of_a_repeated_value_is_not_unpacked(tmp_path: Path) -> None:
    """It takes 100 kB on the disk, and gigabytes in memory: the counts in its footer are looked at first."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "bomb.parquet"
    block = pa.table({name: pa.repeat(0.5, 1_000_000) for name in ("a", "b")})
    with parquet.ParquetWriter(path, block.schema) as writer:
        for _ in range(60):
            writer.write_table(block)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(UnreadableSourceError, match="holds 60000000 rows and 2 columns, more than 100,000,000 cells"):
        read_scores(path, metric="accuracy")


@pytest.mark.slow
def test_a_million_columns_are_refused_by_their_names(tmp_path: Path) -> None:
    """From the header alone, in every kind of source."""
    names = [f"m{number}" for number in range(1_000_000)]
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n")
    (tmp_path / "wide.json").write_text(json.dumps([dict.fromkeys(names[:30_000], 0.5)]))
    for source in (tmp_path / "wide.csv", tmp_path / "wide.json", {name: [0.5] for name in ("fold", *names[:30_000])}):
        with pytest.raises(UnreadableSourceError, match=r"columns, and no more than|different keys"):
            read_scores(source, metric="accuracy")


def test_whole_numbers_beyond_floats_are_refused(tmp_path: Path) -> None:
    """Their neighbours would be the same score; as seeds they only tell rows apart."""
    pytest.importorskip("pyarrow")
    large = 2**53 + 1
    frame = pd.DataFrame({"a": [large, 1, 2], "b": [1, 2, 4]})
    frame.to_parquet(tmp_path / "large.parquet")
    for source in (frame, tmp_path / "large.parquet"):
        with pytest.raises(InvalidScoresError, match=r"row 1, column 'a': 9007199254740993 is larger than 2\*\*53"):
            read_scores(source, metric="r2")
    seeded = pd.DataFrame(
        {"model": ["a", "b"] * 4, "fold": [0, 0, 1, 1] * 2, "seed": [large] * 4 + [large + 1] * 4, "score": 0.5}
    )
    assert read_scores(seeded, metric="r2").matrix().n_splits == 2


def test_no_source() -> None:
    """Is asked for."""
    with pytest.raises(UnsupportedSourceError, match=r"^nothing to read: pass a fitted search"):
        read_scores()


def test_one_of_several_sources_is_named_by_number(write: Write) -> None:
    """The second."""
    with pytest.raises(UnsupportedSourceError, match=r"^source 2 is of type 'int'"):
        read_scores(write(WIDE), 3, metric="accuracy")


def test_paths_as_text_and_as_path(write: Write) -> None:
    """Both."""
    path = write(WIDE)
    assert isinstance(path, Path)
    assert_array_equal(read(str(path)).matrix().score, read(path).matrix().score)


def test_scores_pass_through(write: Write) -> None:
    """Sizes may be added; metric and direction must agree."""
    scores = read(write(WIDE))
    again = read_scores(scores)
    assert_array_equal(again.matrix().score, SCORE)
    assert again.notices == scores.notices
    assert read_scores(scores, n_train=90, n_test=10).design.sizes == "exact"
    with pytest.raises(UnknownNameError, match="no metric is called 'f1': there are 'accuracy'"):
        read_scores(scores, metric="f1")
    with pytest.raises(InvalidParameterError, match="lower_is_better=True contradicts the source"):
        read_scores(scores, lower_is_better=True)


def test_dataset_of_scores(write: Write) -> None:
    """Chosen by name, from Scores as from files."""
    scores = read(write("dataset,fold,svm\niris,0,0.1\nwine,0,0.2\n"))
    assert read_scores(scores, dataset="wine").datasets == ("wine",)
    assert read_scores(read_scores(scores, dataset="wine"), dataset="wine").datasets == ("wine",)
    with pytest.raises(UnknownNameError, match="no dataset is called 'win': did you mean 'wine'"):
        read_scores(scores, dataset="win")
    with pytest.raises(UnknownNameError, match="dataset='iris' was given, but the source does not name any datasets"):
        read_scores({"a": [0.1], "b": [0.2]}, metric="accuracy", dataset="iris")


def test_models_are_kept_in_the_order_asked_for(write: Write) -> None:
    """Others are left out; unknown ones refused with the nearest."""
    path = write("fold,svm,rf,knn\n0,0.1,0.2,0.3\n")
    scores = read(path, models=["knn", "svm"])
    assert scores.models == ("knn", "svm")
    assert_array_equal(scores.matrix().score, [[0.3], [0.1]])
    with pytest.raises(UnknownNameError, match="no model is called 'svn': did you mean 'svm'"):
        read(path, models=["svn"])


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"models": "svm"}, "models must be a list of names; got the single text 'svm'. Write models=['svm']."),
        ({"models": []}, "models is empty. Name the models to keep, or leave it out to keep all."),
        ({"models": ["svm", "svm"]}, "models names 'svm' twice. Name each model once."),
        ({"metric": 3}, "metric must be a name; got 3 of type int."),
        ({"dataset": ["a"]}, "dataset must be a name; got ['a'] of type list."),
        (
            {"lower_is_better": 1},
            "lower_is_better must be True, False or None, or {metric: True or False} for several metrics; got 1.",
        ),
        ({"n_samples": 0}, "n_samples must be a number of examples, a whole number of at least 1; got 0."),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], text: str, write: Write) -> None:
    """Whatever the source."""
    with pytest.raises(InvalidParameterError) as caught:
        read(write(WIDE), **settings)
    assert str(caught.value) == text


def test_notices_are_said_once(write: Write) -> None:
    """Though Scores carry them already."""
    scores = read(write("svm,rf\n91,0.9\n85,0.8\n"))
    assert codes(scores) == codes(read_scores(scores)) == ["assumed-paired", "percent-or-fraction"]


def test_export_is_read_back(write: Write) -> None:
    """to_frame(), and the CSV of it, hold all but absent scores."""
    scores = read(write(WIDE.replace("0.88", "")), n_train=90, n_test=10)
    for again in (read_scores(scores.to_frame()), read_scores(write(scores.to_frame().to_csv(index=False), "again.csv"))):
        assert_array_equal(again.matrix().score, scores.matrix().score)
        assert_array_equal(again.matrix().n_train, scores.matrix().n_train)
        assert again.metric == scores.metric
        assert again.datasets == ("",)


@pytest.mark.parametrize(("text", "name"), [(WIDE, "wide.csv"), (LONG, "long.csv"), ('{"a": [0.1], "b": [0.2]}', "table.json")])
@pytest.mark.slow
def test_files_are_read_with_numpy_alone(text: str, name: str, write: Write) -> None:
    """So that a CSV is compared in a fraction of a second."""
    path = write(text, name).resolve()
    code = (
        f"import sys\nfrom tiebreak import read_scores\nread_scores({str(path)!r}, metric='accuracy')\nprint(sorted("
        "{'pandas', 'polars', 'pyarrow', 'narwhals', 'sklearn', 'scipy', 'matplotlib', 'rich', 'click'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


# --- whatever the numbers, order of rows, form and format change nothing --------------------------------------------------

# "r" before each name, since a name such as "fold" or "nan" would mean something; no \r, which Python's csv writer leaves
# unquoted
NAMES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=5), min_size=1, max_size=4).map(
    lambda texts: [f"r{text.strip()}" for text in texts]
)
FINITE = st.floats(allow_nan=True, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """A long table: some models on some splits, every model on the first."""
    models = list(dict.fromkeys(draw(NAMES)))
    splits = draw(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 10**6)), min_size=1, max_size=6, unique=True))
    there = draw(arrays(bool, (len(models), len(splits))))
    there[:, 0] = True
    score = draw(arrays(float, there.shape, elements=FINITE))
    rows = [
        {"model": model, "repeat": repeat, "fold": fold, "score": score[i, j]}
        for i, model in enumerate(models)
        for j, (repeat, fold) in enumerate(splits)
        if there[i, j]
    ]
    return pd.DataFrame(rows)


def load(source: Any) -> Scores:
    return read(source, metric="anything", lower_is_better=False)


def assert_same(one: ScoreMatrix, two: ScoreMatrix) -> None:
    """But for the order of models."""
    assert set(one.models) == set(two.models)
    assert_array_equal(one.repeat, two.repeat)
    assert_array_equal(one.fold, two.fold)
    assert_array_equal(one.score, two.take(one.models).score)


@pytest.mark.slow
@settings(max_examples=50)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(table: pd.DataFrame, random: Any) -> None:
    """Permuted rows give the same scores."""
    order = list(range(len(table)))
    random.shuffle(order)
    assert_same(load(table).matrix(), load(table.iloc[order]).matrix())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("properties")


@pytest.mark.slow
@given(tables(), st.sampled_from(["\n", "\r\n"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_csv_round_trip(folder: Path, table: pd.DataFrame, end: str, quoting: Any) -> None:
    """To the last digit, whatever the names of models and however quoted."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=end, quoting=quoting)
    writer.writerow(table.columns)
    for model, repeat, fold, score in table.itertuples(index=False):
        writer.writerow([model, repeat, fold, "" if np.isnan(score) else repr(float(score))])
    path = folder / "table.csv"
    path.write_bytes(buffer.getvalue().encode())
    assert_same(load(table).matrix(), load(path).matrix())


@pytest.mark.slow
@given(tables())
def test_json_round_trip(folder: Path, table: pd.DataFrame) -> None:
    """As records."""
    path = folder / "table.json"
    records = [{name: None if value != value else value for name, value in row.items()} for row in table.to_dict("records")]
    path.write_text(json.dumps(records))
    assert_same(load(table).matrix(), load(path).matrix())


@pytest.mark.slow
@settings(max_examples=50)
@given(tables())
def test_wide_is_long(table: pd.DataFrame) -> None:
    """A column per model says the same as a row per score."""
    wide = table.pivot_table(index=["repeat", "fold"], columns="model", values="score", dropna=False, aggfunc="sum", min_count=1)
    wide = wide.reset_index().dropna(subset=["repeat"])
    wide = wide.merge(table[["repeat", "fold"]].drop_duplicates())
    counting = [name for name in wide.columns[2:] if len(wide) >= 3 and (wide[name].dropna() % 1 == 0).all()]
    if counting:
        return  # whole numbers may look like a running number
    assert_same(load(table).matrix(), load(wide).matrix())


@pytest.mark.slow
@given(st.binary(max_size=60) | st.text(st.sampled_from('ab,;\t"\n\r0.1e-_ '), max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused_in_words(folder: Path, content: bytes) -> None:
    """No file raises anything but our own errors, which name it; what is read has finite scores of named models."""
    refusals = {}
    for name in ("any.csv", "any.tsv", "any.json"):
        path = folder / name
        path.write_bytes(content)
        try:
            matrix = load(path).matrix()
        except TiebreakError as error:
            refusals[name] = str(error)
        else:
            assert all(matrix.models)
            assert not np.isinf(matrix.score).any()
    assert all(name in text for name, text in refusals.items())


Fit = Callable[..., Any]


def table(fold: Any = (0, 1), **models: Any) -> pd.DataFrame:
    """A wide frame."""
    return pd.DataFrame({"fold": fold, **models})


def test_models_of_all_sources_are_paired_by_split() -> None:
    """Whatever the order of rows; that splits are the same is assumed, and said."""
    scores = read(table(a=[0.1, 0.2]), table(fold=[1, 0], b=[0.4, 0.3]))
    assert scores.models == ("a", "b")
    assert_array_equal(scores.matrix().score, [[0.1, 0.2], [0.3, 0.4]])
    assert codes(scores) == ["assumed-paired"]
    assert scores.notices[0].text == (
        "nothing proves that source 1 and source 2 used the same splits; they are paired by split number, and the answer is "
        "wrong if the splits differ"
    )


def test_equal_hashes_prove_it(fit: Fit, moons: Any) -> None:
    """A search and cross_validate on the same splits, though the latter does not name its splitter."""
    X, y = moons
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    search = fit(cv=cv)
    other = {"logistic": cross_validate(LogisticRegression(), X, y, cv=cv, return_indices=True)}
    scores = read(search, other, X=X, y=y)
    assert scores.models == ("max_depth=1", "max_depth=2", "max_depth=3", "logistic")
    assert scores.notices == ()
    assert (scores.design.kind, scores.design.pairing, scores.design.sizes) == ("repeated-stratified", "key", "exact")
    assert scores.design.hash is not None
    shuffled = [split for _, split in sorted(enumerate(cv.split(X, y)), key=lambda pair: -pair[0])]
    again = {"logistic": cross_validate(LogisticRegression(), X, y, cv=shuffled, return_indices=True)}
    with pytest.raises(UnpairedScoresError) as caught:
        read(search, again, X=X, y=y)
    assert str(caught.value) == (
        "the GridSearchCV and source 2 were made with different splits (their test examples differ), so their scores cannot be "
        "paired. Evaluate all models with the same cv, its random_state fixed, on the same data."
    )


def test_equal_hashes_pair_by_order_where_keys_differ() -> None:
    """A list of splits has no repeats; it is the same splits all the same."""
    flat = answer(scores={"repeat": [0, 0, 0], "fold": [0, 1, 2], "models": ["a", "b"]})
    scores = read(answer(), flat)
    assert scores.models == ("svm", "forest", "a", "b")
    assert_array_equal(scores.matrix().score[2], [0.9, 0.8, np.nan])
    assert scores.notices == ()


def test_release_gate(write: Write) -> None:
    """Last release's JSON and today's: the same name in both gets the file's stem."""
    write(json.dumps(answer()), "last.json")
    today = answer(scores={"score": [[0.95, 0.85, 0.9], [0.7, 0.6, 0.5]]})
    write(json.dumps(today), "today.json")
    scores = read("last.json", "today.json")
    assert scores.models == ("svm (last)", "svm (today)", "forest")
    assert_array_equal(scores.matrix().score[1], [0.95, 0.85, 0.9])
    assert_array_equal(scores.matrix().n_train, [90, 90, 90])


def test_stems_that_agree_take_their_folder(write: Write) -> None:
    """And files without any difference their number."""
    write("fold,svm\n0,0.1\n1,0.2\n", "old/scores.csv")
    write("fold,svm\n0,0.3\n1,0.4\n", "new/scores.csv")
    assert read("old/scores.csv", "new/scores.csv").models == ("svm (old/scores)", "svm (new/scores)")
    write("fold,svm\n0,0.5\n1,0.4\n", "x/new/scores.csv")
    assert read("x/new/scores.csv", "new/scores.csv").models == ("svm (source 1)", "svm (source 2)")


def test_sources_without_path_have_a_number() -> None:
    """Identical rows are kept once."""
    scores = read(table(a=[0.1, 0.2], b=[0.5, None]), table(a=[0.1, 0.3], b=[0.5, None]), table(a=[0.1, 0.2]))
    assert scores.models == ("a (source 1)", "a (source 2)", "b")


def test_suffixed_name_that_is_taken_already(write: Write) -> None:
    """No two models are ever called the same."""
    write("fold,svm,svm (b)\n0,0.1,0.9\n1,0.2,0.8\n", "a.csv")
    write("fold,svm\n0,0.3\n1,0.4\n", "b.csv")
    assert read("a.csv", "b.csv").models == ("svm (a)", "svm (b)'", "svm (b)")


def test_models_are_chosen_after_joining(write: Write) -> None:
    """By the names they have then."""
    write("fold,svm,rf\n0,0.1,0.5\n1,0.2,0.6\n", "a.csv")
    write("fold,svm,rf\n0,0.3,0.7\n1,0.4,0.8\n", "b.csv")
    assert read("a.csv", "b.csv", models=["svm (b)", "svm (a)"]).models == ("svm (b)", "svm (a)")


def test_splits_of_one_source_only_are_nan() -> None:
    """The comparison reports them or leaves them out."""
    scores = read(table(fold=[0, 1], a=[0.1, 0.2]), table(fold=[1, 2], b=[0.3, 0.4]))
    assert_array_equal(scores.matrix().score, [[0.1, 0.2, np.nan], [np.nan, 0.3, 0.4]])


def test_no_common_split() -> None:
    """Folds counted from 0 and from 10, say."""
    with pytest.raises(UnpairedScoresError) as caught:
        read(table(a=[0.1, 0.2]), table(fold=[10, 11], b=[0.3, 0.4]))
    assert str(caught.value) == (
        "source 1 and source 2 have no split in common: the first of one is repeat 0 fold 0, of the other repeat 0 fold 10. "
        "Number the splits alike in both."
    )


def test_words_are_matched_as_words() -> None:
    """Though each source numbers its own."""
    scores = read(table(fold=["b", "c"], a=[0.1, 0.2]), table(fold=["a", "b"], b=[0.3, 0.4]))
    assert_array_equal(scores.matrix().score, [[np.nan, 0.1, 0.2], [0.3, 0.4, np.nan]])


def test_positions_need_equally_many_splits() -> None:
    """Paired with a source that names its splits, or with another by position."""
    scores = read({"b": [0.3, 0.4]}, table(fold=[5, 6], a=[0.1, 0.2]))
    assert_array_equal(scores.matrix().fold, [5, 6])
    assert_array_equal(scores.matrix().score, [[0.3, 0.4], [0.1, 0.2]])
    assert scores.design.pairing == "position"
    with pytest.raises(UnpairedScoresError) as caught:
        read({"b": [0.3, 0.4, 0.5]}, table(a=[0.1, 0.2]))
    assert str(caught.value) == (
        "source 1 does not name its splits, so it can be paired with source 2 only by their order; but one has 3 splits and "
        "the other 2."
    )


def test_different_metrics() -> None:
    """Both are named with their direction."""
    loss = answer(metric={"name": "log_loss", "higher_is_better": False}, scores={"score": [[1, 2, 3], [4, 5, 6]]})
    with pytest.raises(AmbiguousSourceError) as caught:
        read_scores(answer(), loss)
    assert str(caught.value) == (
        "source 1 holds 'accuracy' (higher is better) and source 2 holds 'log_loss' (lower is better); only scores of one "
        "metric can be compared. Choose one that both hold with metric=."
    )


def test_sizes_of_one_source_serve_both() -> None:
    """Contradicting ones do not."""
    sized = table(a=[0.1, 0.2]).assign(n_train=90, n_test=10)
    scores = read(sized, table(b=[0.3, 0.4]))
    assert_array_equal(scores.matrix().n_train, [90, 90])
    assert scores.design.sizes == "exact"
    with pytest.raises(ContradictingSizesError) as caught:
        read(sized, table(b=[0.3, 0.4]).assign(n_train=[90, 91], n_test=10))
    assert str(caught.value) == (
        "n_train of repeat 0 fold 1 is 90 in one source and 91 in source 2, so they were not made with the same splits."
    )


def test_different_datasets() -> None:
    """Cannot be paired; a source that names none joins any."""
    iris, wine = table(a=[0.1, 0.2]).assign(dataset="iris"), table(b=[0.3, 0.4]).assign(dataset="wine")
    with pytest.raises(UnpairedScoresError) as caught:
        read(iris, wine)
    assert (
        str(caught.value)
        == "source 1 is about dataset 'iris', but source 2 about dataset 'wine'; scores on different datasets cannot be paired."
    )
    assert read(iris, table(b=[0.3, 0.4])).datasets == ("iris",)


def test_dataset_without_a_name_beside_several() -> None:
    """Which of them it is about cannot be told."""
    both = pd.concat([table(a=[0.1, 0.2]).assign(dataset="iris"), table(a=[0.3, 0.4]).assign(dataset="wine")])
    with pytest.raises(
        UnpairedScoresError, match="source 2 is about a dataset without a name, but source 1 about dataset 'iris' and"
    ):
        read(both, table(b=[0.3, 0.4]))


def test_exact_sizes_come_before_approximate_ones() -> None:
    """Which may be off by one, and are no contradiction."""
    design = {"kind": "kfold", "ordered": False, "pairing": "key", "sizes": "approximate"}
    last = answer(provenance={"splits": None, "design": design}, scores={"n_train": [89, 89, 89], "n_test": [11, 11, 11]})
    scores = read(last, answer(scores={"models": ["a", "b"]}))
    assert_array_equal(scores.matrix().n_test, [10, 10, 10])
    assert scores.design.sizes == "exact"
    assert codes(scores) == ["assumed-paired"]
    assert codes(read(last, answer(scores={"models": ["a", "b"], "n_train": None, "n_test": None}))) == [
        "approximate-sizes",
        "assumed-paired",
    ]


def test_several_datasets_in_each() -> None:
    """Joined one by one; dataset= chooses from both."""
    both = pd.concat([table(a=[0.1, 0.2]).assign(dataset="iris"), table(a=[0.3, 0.4]).assign(dataset="wine")])
    more = both.rename(columns={"a": "b"})
    scores = read(both, more)
    assert scores.datasets == ("iris", "wine")
    assert scores.matrix("wine").models == ("a", "b")
    assert read(both, more, dataset="wine").datasets == ("wine",)


def test_joining_does_not_depend_on_the_order_of_sources() -> None:
    """But for the order of models."""
    one, two = table(fold=[0, 1, 2], a=[0.1, 0.2, 0.3]), table(fold=[2, 1], b=[0.4, 0.5])
    first, second = read(one, two).matrix(), read(two, one).matrix()
    assert_array_equal(first.score, second.take(["a", "b"]).score)
    assert_array_equal(first.fold, second.fold)


def test_three_sources() -> None:
    """The notice counts them."""
    scores = read(table(a=[0.1, 0.2]), table(b=[0.1, 0.3]), table(c=[0.1, 0.4]))
    assert scores.models == ("a", "b", "c")
    assert "nothing proves that the 3 sources used the same splits" in scores.notices[0].text


def test_a_link_that_leads_nowhere_is_named_as_one(tmp_path: Path) -> None:
    """To a file that is gone, and to itself; no nearest name is offered, which would be its own."""
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nowhere.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    for name in ("gone.csv", "loop.csv"):
        with pytest.raises(SourceNotFoundError, match=rf"{name} is a link that leads nowhere, or to itself\. Remove it"):
            read_scores(tmp_path / name)
