"""The data of a study: columns by name, files beside it, and what is said where something is not there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.study_file.studies import TABLE, of_table, write_study
from tiebreak.errors import InvalidStudyError, SourceNotFoundError, TiebreakError, UnreadableSourceError
from tiebreak.study_file.data import BUNDLED, StudyData, read_datasets
from tiebreak.study_file.study import Study, read_study
from tiebreak.study_file.toml import Entry


def read(tmp_path: Path, table: str = TABLE, file: str = "table.csv", **data: object) -> StudyData:
    """The one dataset of a study in this folder."""
    (tmp_path / file).write_text(table, encoding="utf-8")
    return read_datasets(Entry("s.toml", ("data",), {"source": file, **data}), tmp_path)[""]


def refused(tmp_path: Path, **data: object) -> str:
    """The message, after the name of the study."""
    with pytest.raises(TiebreakError) as caught:
        read_datasets(Entry("s.toml", ("data",), data), tmp_path)
    return str(caught.value).replace(str(tmp_path), "FOLDER").removeprefix("s.toml: ")


def test_all_columns_but_the_target_are_features(tmp_path: Path) -> None:
    """As a data frame, texts included, for pipelines that encode them."""
    data = read(tmp_path, target="diagnosis")
    assert list(data.X.columns) == ["patient", "site", "age", "weight"]
    assert data.X["site"].tolist() == ["a", "b", "a", "b"]
    assert list(data.y) == ["benign", "benign", "malignant", "malignant"]
    assert data.groups is None
    assert data.weights is None


def test_groups_weights_and_what_is_dropped_are_no_features(tmp_path: Path) -> None:
    """Each has its own use, or none."""
    data = read(tmp_path, target="diagnosis", groups="patient", weights="weight", drop=["site"])
    assert list(data.X.columns) == ["age"]
    assert data.groups.tolist() == [1, 1, 2, 2]
    assert data.weights.tolist() == [1.0, 0.5, 1.0, 0.5]


def test_the_time_of_each_row_is_no_feature(tmp_path: Path) -> None:
    """It is for the audit."""
    data = read(tmp_path, target="diagnosis", time="age", drop=["site", "patient"])
    assert list(data.X.columns) == ["weight"]
    assert data.time.tolist() == [34, 35, 61, 62]
    assert read(tmp_path, target="diagnosis").time is None


def test_features_can_be_named(tmp_path: Path) -> None:
    """In the order given."""
    assert list(read(tmp_path, target="diagnosis", features=["site", "age"]).X.columns) == ["site", "age"]


def test_tabs_and_byte_order_marks_are_read(tmp_path: Path) -> None:
    """As spreadsheets write them."""
    data = read(tmp_path, "\ufeff" + TABLE.replace(",", "\t"), "table.tsv", target="diagnosis", features="age")
    assert data.X["age"].tolist() == [34, 35, 61, 62]


def test_parquet_is_read_without_its_index(tmp_path: Path) -> None:
    """What pandas kept as an index is a column like any other."""
    pd.DataFrame({"a": [1, 7, 3], "y": [0, 1, 0]}).set_index("a").to_parquet(tmp_path / "t.parquet")
    data = read_datasets(Entry("s.toml", ("data",), {"source": "t.parquet", "target": "y"}), tmp_path)[""]
    assert list(data.X.columns) == ["a"]


@pytest.mark.parametrize("name", BUNDLED)
def test_the_datasets_of_scikit_learn_are_as_it_loads_them(tmp_path: Path, name: str) -> None:
    """Arrays, classes as numbers."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    data = read_datasets(Entry("s.toml", ("data",), {"source": f"sklearn:{name}"}), tmp_path)[""]
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)


def test_several_datasets_have_names(tmp_path: Path) -> None:
    """A table for each; a dataset may even be called target."""
    (tmp_path / "t.csv").write_text(TABLE)
    tables = {"target": {"source": "t.csv", "target": "diagnosis", "groups": "patient"}, "iris": {"source": "sklearn:iris"}}
    data = read_datasets(Entry("s.toml", ("data",), tables), tmp_path)
    assert list(data) == ["target", "iris"]
    assert data["target"].groups.tolist() == [1, 1, 2, 2]


COLUMNS = "'patient', 'site', 'age', 'weight' and 'diagnosis'"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, f"data: says no target: the column to be predicted. The columns are {COLUMNS}."),
        ({"target": "diagnose"}, "data.target = \"diagnose\": there is no column 'diagnose'; did you mean 'diagnosis'?"),
        ({"target": 3}, "data.target = 3: must be a text; got a whole number."),
        ({"target": "age", "weight": "site"}, "data.weight = \"site\": there is no key 'weight' here; did you mean 'weights'?"),
        (
            {"target": "age", "groups": "age"},
            'data.groups = "age": is named twice: as target, groups, weights or time. Each is a column of its own.',
        ),
        ({"target": "age", "weights": "site"}, 'data.weights = "site": weights must be numbers of at least 0.'),
        ({"target": "age", "drop": ["aeg"]}, "data.drop[0] = \"aeg\": there is no column 'aeg'; did you mean 'age'?"),
        ({"target": "age", "drop": ["age"]}, "data.drop = [\"age\"]: 'age' is the target."),
        (
            {"target": "age", "drop": ["site"], "features": ["site"]},
            "data: has both features and drop. Say which columns to use, or which to leave out.",
        ),
        (
            {"target": "age", "features": ["age"]},
            "data.features = [\"age\"]: 'age' is the target, the groups, weights or time, and so no feature.",
        ),
        (
            {"target": "age", "groups": "site", "drop": ["patient", "weight", "diagnosis"]},
            "data: leaves no columns to learn from.",
        ),
    ],
)
def test_a_column_that_cannot_be_used_is_named(tmp_path: Path, data: dict[str, object], message: str) -> None:
    """With the nearest ones."""
    of_table("", folder=tmp_path)
    assert refused(tmp_path, source="table.csv", **data) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "t.csv is empty."),
        ("a,a\n1,2\n", "t.csv has two columns called 'a' (columns 1 and 2). Give each a name of its own."),
        ("a,y\nx,2,3\n4,5,6\n", "t.csv, line 2: 3 cell(s), but the header has 2 column(s)."),
        ("a,y\n1,2\n4\n", "t.csv, line 3: 1 cell(s), but the header has 2 column(s)."),
    ],
)
def test_a_table_that_cannot_be_read_is_named(tmp_path: Path, content: str, message: str) -> None:
    """With what is wrong in it."""
    (tmp_path / "t.csv").write_text(content)
    assert refused(tmp_path, source="t.csv", target="y") == f'data.source = "t.csv": {message}'


KEYS = "'source', 'target', 'groups', 'weights', 'time', 'drop' and 'features'"


def test_a_row_index_is_no_feature(tmp_path: Path) -> None:
    """pandas writes one without a name, and it often follows the target."""
    (tmp_path / "t.csv").write_text(",a,y\n0,1,2\n1,3,4\n")
    assert refused(tmp_path, source="t.csv", target="y") == (
        'data: has a column without a name, perhaps a row index. Leave it out with drop = [""], or name it.'
    )
    data = read_datasets(Entry("s.toml", ("data",), {"source": "t.csv", "target": "y", "drop": [""]}), tmp_path)[""]
    assert list(data.X.columns) == ["a"]


def test_a_missing_target_is_named_by_its_row(tmp_path: Path) -> None:
    """It cannot be learnt from; missing features can, by models that know how."""
    (tmp_path / "t.csv").write_text("a,y\n1,2\n,3\n5,\n6,\n")
    assert refused(tmp_path, source="t.csv", target="y") == (
        'data.target = "y": 2 of 4 rows have no value in this column, the first is row 3 (below the header). Fill them in, or '
        "leave these rows out of the file."
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"source": "http://x/t.csv"}, 'data.source = "http://x/t.csv": is an address; download it and give its path.'),
        ({"source": "t.xlsx"}, 'data.source = "t.xlsx": tables can be .csv, .tsv, .txt (read as CSV) and .parquet.'),
        (
            {"source": "sklearn:irs"},
            "data.source = \"sklearn:irs\": no dataset of scikit-learn is called 'irs'; did you mean 'iris'?",
        ),
        (
            {"source": "sklearn:iris", "target": "y"},
            'data.target = "y": goes with a table in a file; sklearn:iris has its own target and features.',
        ),
        ({"target": "y"}, 'data: says no source. Add source = "table.csv", or source = "sklearn:breast_cancer".'),
        ({}, 'data: is empty. Say where the data are: source = "table.csv" and target = "column".'),
        (
            {"a": {"source": "t.csv", "target": "y", "weights": "w"}},
            'data.a.weights = "w": weights are for a study of one dataset, under [data].',
        ),
        ({"a": {"source": "sklearn:iris"}, "b": 3}, f"data.a: there is no key 'a' here; the keys are {KEYS}."),
    ],
)
def test_a_source_that_is_none_is_refused(tmp_path: Path, data: dict[str, object], message: str) -> None:
    """With what would be one."""
    assert refused(tmp_path, **data) == message


def test_a_file_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    """Paths lead from the folder of the study."""
    (tmp_path / "cancer.csv").write_text(TABLE)
    with pytest.raises(SourceNotFoundError):
        read_datasets(Entry("s.toml", ("data",), {"source": "cancr.csv"}), tmp_path)
    assert refused(tmp_path, source="cancr.csv", target="y") == (
        "data.source = \"cancr.csv\": there is no such file in FOLDER. Did you mean 'FOLDER/cancer.csv'?"
    )


def test_a_binary_file_is_no_csv(tmp_path: Path) -> None:
    """Bytes that are no text."""
    (tmp_path / "t.csv").write_bytes(b"a,y\n\xff\xfe,1\n")
    assert (
        refused(tmp_path, source="t.csv", target="y")
        == 'data.source = "t.csv": t.csv, line 2: byte 0xff is not UTF-8. Save it as UTF-8.'
    )


def test_a_broken_parquet_file_is_refused(tmp_path: Path) -> None:
    """Whatever pyarrow says of it."""
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and no more")
    assert refused(tmp_path, source="t.parquet", target="y").startswith('data.source = "t.parquet": cannot be read as Parquet: ')


# --- columns --------------------------------------------------------------------------------------------------------------

MIXED = "age,country,income,ill\n" + "".join(
    f"{'' if i % 9 == 0 else 20 + i},{['USA', 'Peru', '', 'Fiji'][i % 4]},{1000 * i},{i % 3 > 0}\n" for i in range(48)
)
LOGISTIC = '[models.log]\nimport = "sklearn.linear_model:LogisticRegression"\n'


def mixed(folder: Path, columns: str = "", data: str = "", model: str = LOGISTIC) -> Study:
    """A study of a table with text and empty cells."""
    text = of_table(f'target = "ill"\n{data}', MIXED, folder)
    return read_study(write_study(folder, f"{text}{model}{columns}"))


def test_text_is_named_with_what_to_do(tmp_path: Path) -> None:
    """Before anything is fitted, not as a traceback of each cell."""
    with pytest.raises(InvalidStudyError) as caught:
        mixed(tmp_path)
    assert str(caught.value).endswith(
        "data: the column 'country' holds text ('USA' in row 1), which the model 'log' cannot read. Leave it out with drop = "
        '["country"], or make numbers of all text: a table [columns] with one_hot = true.'
    )


def test_empty_cells_are_named_with_what_to_do(tmp_path: Path) -> None:
    """Some models read them; this one does not."""
    with pytest.raises(InvalidStudyError, match="the column 'age' has 6 empty cells, which the model 'log' cannot read"):
        mixed(tmp_path, data='drop = "country"')
    boosting = '[models.log]\nimport = "sklearn.ensemble:HistGradientBoostingClassifier"\n'
    assert mixed(tmp_path, data='drop = "country"', model=boosting).models


def test_columns_are_prepared_on_training_rows(tmp_path: Path) -> None:
    """Filled in, encoded and scaled by scikit-learn's own transformers, behind which the model stands."""
    model = mixed(tmp_path, "[columns]\nimpute = true\none_hot = true\nscale = true\n").models["log"]
    frame = pd.read_csv(tmp_path / "table.csv")
    X = frame.drop(columns="ill")
    done = model.named_steps["columns"].fit_transform(X)
    age = X["age"].fillna(X["age"].median())
    words = X["country"].fillna(X["country"].mode()[0])
    expected = {
        "age": (age - age.mean()) / age.std(ddof=0),
        "income": (X["income"] - X["income"].mean()) / X["income"].std(ddof=0),
        **{f"country_{word}": (words == word).astype(float) for word in ("Fiji", "Peru", "USA")},
    }
    names = list(model.named_steps["columns"].get_feature_names_out())
    assert sorted(names) == sorted(expected)
    for place, name in enumerate(names):
        np.testing.assert_allclose(done[:, place], expected[name].to_numpy(), atol=1e-12)
    assert model.fit(X, frame["ill"]).predict(X.assign(country="Atlantis")).size == 48


def test_columns_by_name(tmp_path: Path) -> None:
    """Some are treated, others pass as they are; a grid's candidates keep their names."""
    columns = '[columns]\nimpute = ["age"]\none_hot = ["country"]\n'
    grid = LOGISTIC + "grid = { C = [1, 2] }\n"
    models = mixed(tmp_path, columns, model=grid).models["log"]
    assert list(models) == ["C=1", "C=2"]
    done = models["C=1"].named_steps["columns"].fit_transform(pd.read_csv(tmp_path / "table.csv").drop(columns="ill"))
    assert done.shape == (48, 6)  # age, three words and the empty one, income


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            '[columns]\none_hot = ["county"]\n',
            r"columns.one_hot\[0\] = \"county\": there is no such column for it; did you mean 'country'",
        ),
        ("[columns]\nscale = true\n", "columns: the column 'country' holds text"),
        ('[columns]\none_hot = true\nscale = ["country"]\n', "there is no such column for it"),
        ("[columns]\nencode = true\n", "there is no key 'encode' here"),
        ('[columns]\nscale = "age"\n', "must be a list"),
    ],
)
def test_columns_that_cannot_be(tmp_path: Path, columns: str, message: str) -> None:
    """With the key, and what is near."""
    with pytest.raises(InvalidStudyError, match=message):
        mixed(tmp_path, columns)


def test_columns_go_with_tables(tmp_path: Path) -> None:
    """The data that come with scikit-learn are arrays."""
    text = '[data]\nsource = "sklearn:iris"\n[columns]\nscale = true\n' + LOGISTIC
    with pytest.raises(InvalidStudyError, match="goes with a table in a file"):
        read_study(write_study(tmp_path, text))


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    """There is nothing to learn from, nor an example of a text to name."""
    text = of_table('target = "ill"\n', "country,ill\n", tmp_path)
    with pytest.raises(UnreadableSourceError, match="has column names but no rows"):
        read_study(write_study(tmp_path, f"{text}[columns]\none_hot = true\n"))
