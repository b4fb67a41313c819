"""The data of a study: columns by name, files beside it, and what is said where something is not there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from tiebreak.errors import InvalidParameterError, TiebreakError
from tiebreak.study_file.data import BUNDLED, StudyData, read_datasets
from tiebreak.study_file.study import read_study
from tiebreak.study_file.toml import Entry

TABLE = """\
patient,site,age,weight,diagnosis
1,a,34,1.0,benign
1,b,35,0.5,benign
2,a,61,1.0,malignant
2,b,62,0.5,malignant
"""


def read(tmp_path: Path, table: str = TABLE, **data: object) -> StudyData:
    """The one dataset of a study in this folder."""
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    return read_datasets(Entry("s.toml", ("data",), {"source": "table.csv", **data}), tmp_path)[""]


def test_all_columns_but_the_target_are_features(tmp_path: Path) -> None:
    """As a data frame, texts included, for pipelines that encode them."""
    data = read(tmp_path, target="diagnosis")
    assert list(data.X.columns) == ["patient", "site", "age", "weight"]
    assert data.X["site"].tolist() == ["a", "b", "a", "b"]
    assert data.y.tolist() == ["benign", "benign", "malignant", "malignant"]
    assert (data.groups, data.weights, data.time) == (None, None, None)


def test_what_has_another_use_is_no_feature(tmp_path: Path) -> None:
    """Nor what is dropped; features that are named stand in the order given, each once."""
    data = read(tmp_path, target="diagnosis", groups="patient", weights="weight", drop="site")
    assert (list(data.X.columns), data.groups.tolist(), data.weights.tolist()) == (["age"], [1, 1, 2, 2], [1.0, 0.5, 1.0, 0.5])
    data = read(tmp_path, target="diagnosis", time="age", drop=["site", "patient"])
    assert (list(data.X.columns), data.time.tolist()) == (["weight"], [34, 35, 61, 62])
    data = read(tmp_path, target="diagnosis", features=["site", "age", "weight", "site"], drop="age")
    assert list(data.X.columns) == ["site", "weight"]


def test_parquet_is_read_without_its_index(tmp_path: Path) -> None:
    """What pandas kept as an index is a column like any other; a file without rows is refused."""
    entry = Entry("s.toml", ("data",), {"source": "t.parquet", "target": "y"})
    pd.DataFrame({"a": [1, 7, 3], "y": [0, 1, 0]}).set_index("a").to_parquet(tmp_path / "t.parquet")
    assert read_datasets(entry, tmp_path)[""].X["a"].tolist() == [1, 7, 3]
    pd.DataFrame({"a": [], "y": []}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(TiebreakError, match="it has column names but no rows"):
        read_datasets(entry, tmp_path)


@pytest.mark.parametrize("name", BUNDLED)
def test_the_datasets_of_scikit_learn_are_as_it_loads_them(tmp_path: Path, name: str) -> None:
    """Arrays, classes as numbers."""
    data = read_datasets(Entry("s.toml", ("data",), {"source": f"sklearn:{name}"}), tmp_path)[""]
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)


def test_several_datasets_have_names(tmp_path: Path) -> None:
    """A table for each, which may even be called target; weights are for one, as no fit would get those of several."""
    (tmp_path / "t.csv").write_text(TABLE)
    tables = {"target": {"source": "t.csv", "target": "diagnosis", "groups": "patient"}, "iris": {"source": "sklearn:iris"}}
    data = read_datasets(Entry("s.toml", ("data",), tables), tmp_path)
    assert (list(data), data["target"].groups.tolist()) == (["target", "iris"], [1, 1, 2, 2])
    tables["target"]["weights"] = "weight"
    with pytest.raises(InvalidParameterError, match=r"data.target: weights are for a study of one dataset"):
        read_datasets(Entry("s.toml", ("data",), tables), tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "data.target: no column is named: there are 'patient', 'site', 'age', 'weight' and 'diagnosis'."),
        ({"target": "diagnose"}, "data.target = \"diagnose\": no column is called 'diagnose': did you mean 'diagnosis'"),
        ({"target": "age", "weight": "site"}, "data.weight = \"site\": no key is called 'weight': did you mean 'weights'?"),
        ({"target": "age", "groups": "age"}, "data: names one column twice: as target, groups, weights or time."),
        ({"target": "age", "weights": "site"}, 'data.weights = "site": weights must be numbers of at least 0.'),
        ({"target": "age", "drop": ["aeg"]}, "data.drop[0] = \"aeg\": no column for drop is called 'aeg': did you mean 'age'?"),
        ({"target": "age", "drop": ["patient", "site", "weight", "diagnosis"]}, "data: leaves no columns to learn from."),
        (
            {"target": "site", "source": "gaps.csv"},
            "1 of 4 rows have no value in this column, the first is row 3 (below",
        ),
        ({"source": "http://x/t.csv"}, 'data.source = "http://x/t.csv": tables are files on this machine: .csv'),
        ({"source": "sklearn:irs"}, "data.source = \"sklearn:irs\": no dataset of scikit-learn is called 'irs': did you mean"),
        ({"source": "sklearn:iris", "drop": "y"}, "data.drop = \"y\": no key for a dataset of scikit-learn is called 'drop'"),
        ({"source": "a\0b.csv"}, 'data.source = "a\\u0000b.csv": '),
        ({"source": "cut.csv"}, 'data.source = "cut.csv": cut.csv, line 3: 4 cell(s), but the header has 5 column(s).'),
        ({"source": "cut.parquet"}, 'data.source = "cut.parquet": cut.parquet: it cannot be read as parquet: '),
        ({"source": {"source": "sklearn:iris"}, "b": 3}, "data.b = 3: no key is called 'b': there are 'source'"),
    ],
)
def test_data_that_cannot_be_used_are_named(tmp_path: Path, data: dict[str, object], message: str) -> None:
    """By key and value, with the nearest names, or what the reader of tables says of a file in the folder of the study."""
    tables = {"minus": TABLE.replace("\n1,", "\n-1,"), "gaps": TABLE.replace("2,a", "2,"), "cut": TABLE[:60]}
    for name, content in tables.items():
        (tmp_path / f"{name}.csv").write_text(content)
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(TiebreakError) as caught:
        read(tmp_path, **data)
    assert message in str(caught.value)
    assert ("Did you mean" in str(caught.value)) is ("there is no file" in message)


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_a_row_index_is_no_feature(tmp_path: Path, name: str) -> None:
    """pandas writes one without a name, and it often follows the target; of one that does not count the rows it is asked."""
    assert list(read(tmp_path, f"{name},a,y\n0,1,2\n1,3,4\n", target="y").X.columns) == ["a"]
    table = f"{name},a,y\n7,1,2\n9,3,4\n"
    with pytest.raises(InvalidParameterError, match=r"has the column 'column 1', .* with drop = \[\"column 1\"\], or name it."):
        read(tmp_path, table, target="y")
    assert list(read(tmp_path, table, target="y", drop=["column 1"]).X.columns) == ["a"]
    assert list(read(tmp_path, table, target="y", features=["column 1"]).X.columns) == ["column 1"]


# --- columns --------------------------------------------------------------------------------------------------------------

MIXED = "age,country,income,ill\n" + "".join(
    f"{'' if i % 9 == 0 else 20 + i},{['USA', 'Peru', '', 'Fiji'][i % 4]},{1000 * i},{i % 3 > 0}\n" for i in range(48)
)


def test_columns_are_prepared_by_a_step(tmp_path: Path) -> None:
    """Filled in and encoded by scikit-learn's own transformers."""
    fill = '["age", { import = "sklearn.impute:SimpleImputer" }, ["age"]]'
    encode = '["words", { import = "sklearn.preprocessing:OneHotEncoder" }, ["country"]]'
    columns = f'{{ import = "sklearn.compose:ColumnTransformer", params.transformers = [{fill}, {encode}] }}'
    model = f'[models.log]\nsteps = [{columns}, {{ import = "sklearn.linear_model:LogisticRegression" }}]\n'
    (tmp_path / "table.csv").write_text(MIXED)
    (tmp_path / "study.toml").write_text(f'[data]\nsource = "table.csv"\ntarget = "ill"\n{model}')
    prepare = read_study(tmp_path / "study.toml").models["log"][0]
    assert prepare.fit_transform(pd.read_csv(tmp_path / "table.csv")).shape == (48, 1 + 4)  # age, three words and none
