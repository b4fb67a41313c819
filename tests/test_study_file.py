"""A study file becomes what `tiebreak.evaluate` takes; what cannot be used is named by file, key and value."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import ShuffleSplit

import tiebreak as tb
from tests.guarded import told
from tiebreak.errors import InvalidParameterError, SourceNotFoundError, TiebreakError
from tiebreak.plan.models import name_models
from tiebreak.plan.plan import make_plan
from tiebreak.study_file import BUNDLED, Entry, StudyData, read_datasets, read_study

STUDY = """\
name = "flowers"
rope = 0.01
metrics = ["accuracy"]
[data]
source = "sklearn:iris"
[cv]
kind = "repeated-stratified"
n_folds = 5
n_repeats = 2

[models.logistic]
import = "sklearn.linear_model:LogisticRegression"
params = { C = 0.5 }
[models.svm]
steps = [
    { import = "sklearn.preprocessing:StandardScaler" },
    { import = "sklearn.svm:SVC", params = { gamma = "scale" } },
]
grid = { svc__C = [0.1, 10] }
"""

OWN = """\
from sklearn.svm import SVC
ready = SVC(C=3)
def by_hand(X_train, y_train, X_test, rng):
    return y_train[:1].repeat(len(X_test))
class Sloppy:
    def __init__(self, a): ...
"""
BROKEN = {"broken": "x = 1\n1 / 0\n", "typo": "def f(:\n", "needy": "import nobody_has\n", "exit": "exit(3)\n"}


@pytest.fixture(autouse=True)
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules beside the study, forgotten afterwards, as the folder is that a study makes importable."""
    for name, text in {"models": OWN, **BROKEN}.items():
        (tmp_path / f"own_{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]


def write_study(folder: Path, text: str = STUDY, old: str = "", new: str = "") -> Path:
    """The study, with one part of it put in another way."""
    assert old in text
    path = folder / "study.toml"
    path.write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    return path


def refused(path: Path) -> str:
    """The message without the folder."""
    said = told(TiebreakError, read_study, path)
    return said.replace(str(path.parent) + "/", "")


def models_of(tmp_path: Path, text: str) -> Any:
    """Models of a study that has these tables."""
    return read_study(write_study(tmp_path, f'data.source = "sklearn:iris"\n{text}\n')).models


def test_a_study_says_everything_that_a_plan_needs(tmp_path: Path) -> None:
    """Three models (two of them candidates of a grid) on 5 folds twice are 30 cells, on two datasets 60."""
    study = read_study(write_study(tmp_path))
    plan = make_plan(**study.plan_arguments)
    assert (list(plan.models), len(plan.cells())) == (["logistic", "svm, C=0.1", "svm, C=10"], 30)
    assert (study.name, study.rope, study.seed, study.scoring) == ("flowers", 0.01, 0, ["accuracy"])
    two = write_study(tmp_path, old='source = "sklearn:iris"', new='a.source = "sklearn:iris"\nb.source = "sklearn:wine"')
    assert len(make_plan(**read_study(two).plan_arguments).cells()) == 60


def test_settings_are_read_as_they_stand(tmp_path: Path) -> None:
    """Each under its own name; those that are not there have the defaults of `evaluate`, and the name of the file."""
    study = read_study(write_study(tmp_path, 'data.source = "sklearn:iris"\nmodels.nb.import = "sklearn.naive_bayes:GaussianNB"'))
    assert (study.name, study.rope, study.seed, study.n_jobs, study.cv, study.scoring) == ("study", 0.0, 0, 1, None, None)
    assert (study.timeout, study.threads_per_fit, study.keep_predictions, study.store) == (None, "auto", True, None)
    more = 'rope = "1%"\nseed = 7\nn_jobs = -1\ntimeout = 30\nthreads_per_fit = 2\nkeep_predictions = false\nstore = "sqlite:///r.db"'
    study = read_study(write_study(tmp_path, old="rope = 0.01", new=more))
    assert (study.rope, study.seed, study.n_jobs, study.path) == ("1%", 7, -1, tmp_path / "study.toml")
    assert (study.timeout, study.threads_per_fit, study.keep_predictions, study.store) == (30.0, 2, False, "sqlite:///r.db")


def test_splits_are_those_of_evaluate(tmp_path: Path) -> None:
    """A number of folds, a kind, a kind with options, or a splitter that is imported."""
    for written, cv in (("5", 5), ('"kfold"', "kfold"), ('{ kind = "time", gap = 2 }', {"kind": "time", "gap": 2})):
        text = re.sub(r"\[cv\]\n(?:.+\n)+", "", STUDY)
        assert read_study(write_study(tmp_path, f"cv = {written}\n{text}")).cv == cv
    splitter = 'import = "sklearn.model_selection:ShuffleSplit"\nparams = { n_splits = 3 }\n'
    made = read_study(write_study(tmp_path, re.sub(r"kind = (?:.+\n)+", splitter, STUDY))).cv
    assert (type(made), made.get_n_splits()) == (ShuffleSplit, 3)


def test_metrics_can_be_objects(tmp_path: Path) -> None:
    """A cost matrix, and what is written with a colon, which no scorer's name has."""
    parts = 'costs = [[0, 1], [5, -1]], labels = ["setosa", "versicolor"]'
    costs = f'{{ import = "tiebreak:CostMatrix", params = {{ {parts} }} }}'
    study = read_study(write_study(tmp_path, old='["accuracy"]', new=f'["accuracy", {costs}, "own_models:by_hand"]'))
    assert list(map(str, study.scoring[:2])) == ["accuracy", str(tb.CostMatrix([[0, 1], [5, -1]], ["setosa", "versicolor"]))]
    assert study.scoring[2].__name__ == "by_hand"


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard", "average_precision", "neg_brier_score"])
def test_metrics_of_words(tmp_path: Path, metric: str) -> None:
    """The label that is to be found is named; the scorer is that of scikit-learn with this label."""
    written = f'{{ metric = "{metric}", positive = "ill" }}'
    found = read_study(write_study(tmp_path, old='["accuracy"]', new=written)).scoring[0]
    X, y = np.arange(60.0)[:, None], np.where((np.arange(60) > 30) ^ (np.arange(60) % 7 < 1), "ill", "well")
    model, scorer = LogisticRegression().fit(X, y), get_scorer(metric)
    settings = {"response_method": scorer._response_method, "greater_is_better": scorer._sign > 0}
    assert found(model, X, y) == make_scorer(scorer._score_func, pos_label="ill", **settings)(model, X, y)


def test_the_example_is_a_study_of_125_cells() -> None:
    """Five models on 5 x 5-fold, with nothing that has to be fetched."""
    study = read_study(Path(__file__).parents[1] / "examples" / "study.toml")
    assert (len(make_plan(**study.plan_arguments).cells()), study.scoring) == (125, ["roc_auc", "accuracy"])


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ('import = "sklearn.svm:SVC"\nparams.C = 2', "SVC(C=2)"),
        ('import = "sklearn.svm.SVC"', "SVC()"),
        ('import = "own_models:ready"', "SVC(C=3)"),
        ('import = "own_models:by_hand"', "<function by_hand"),
    ],
)
def test_a_class_is_called_and_anything_else_taken_as_it_is(tmp_path: Path, written: str, made: str) -> None:
    """With a colon or a dot before its name."""
    assert repr(models_of(tmp_path, f"[models.a]\n{written}")["a"]).startswith(made)


def test_steps_and_grids_are_named_as_elsewhere(tmp_path: Path) -> None:
    """Steps as scikit-learn's make_pipeline does, candidates as `tiebreak.grid`."""
    scale, svc = '{ import = "sklearn.preprocessing:StandardScaler" }', 'import = "sklearn.svm:SVC"'
    grid = '[{ kernel = ["linear"] }, { kernel = ["poly"], degree = [2, 3] }]'
    models = models_of(tmp_path, f"models.p.steps = [{scale}, {scale}, {{ {svc} }}]\nmodels.svm = {{ {svc}, grid = {grid} }}")
    assert [name for name, _ in models["p"].steps] == ["standardscaler-1", "standardscaler-2", "svc"]
    assert list(name_models(models)) == ["p", "svm, linear", "svm, poly, degree=2", "svm, poly, degree=3"]


def test_parameters_may_be_objects_at_any_depth(tmp_path: Path) -> None:
    """A calibrated pipeline, a transformer of columns, and a grid over whole parts."""
    text = """
    models.c.import = "sklearn.calibration:CalibratedClassifierCV"
    models.c.params.estimator.steps = [{ import = "sklearn.svm:SVC", params = { C = 4 } }]
    models.t.import = "sklearn.compose:ColumnTransformer"
    models.t.params.transformers = [["a", { import = "sklearn.preprocessing:OneHotEncoder", params.drop = "first" }, [0]]]
    models.b.import = "sklearn.ensemble:BaggingClassifier"
    models.b.grid = { estimator = [{ import = "sklearn.svm:SVC" }], estimator__C = [1, 2] }
    """
    models = models_of(tmp_path, text)
    assert (models["c"].estimator.steps[0][1].C, models["t"].transformers[0][1].drop) == (4, "first")
    assert [model.estimator.C for model in models["b"].values()] == [1, 2]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rope = 0.01", "roppe = 0.01", "roppe = 0.01: no key is called 'roppe': did you mean 'rope'?"),
        ("rope = 0.01", "rope = nan", "rope = NaN: rope must be a finite half-width of at least 0"),
        ("rope = 0.01", 'rope = "a%"', 'rope = "a%": rope must be a number in the metric\'s unit, or a percentage'),
        ('["accuracy"]', '[{ metric = "f1", positiv = 1 }]', "metrics[0].positiv = 1: no key is called 'positiv': did you mean"),
        ('"flowers"', "3", "name = 3: must be a text, got a whole number."),
        ("rope = 0.01", "seed = -1", "seed = -1: must be a whole number >= 0."),
        ("rope = 0.01", "timeout = 0", "timeout = 0: must be a number > 0.0."),
        ('["accuracy"]', '[{ metric = "f1" }]', "metrics[0]: says no positive: the label that is to be found"),
        ('["accuracy"]', '[{ metric = "recal" }]', 'metrics[0].metric = "recal": no metric with a positive class is called'),
        ('"repeated-stratified"', '"repeated"', "cv.kind = \"repeated\": no kind of splits is called 'repeated': did you mean"),
        ('kind = "repeated-stratified"', "", "cv.kind: no kind of splits is named: there are 'holdout'"),
        (STUDY, "", 'there are no models. Add [models.NAME] with import = "module:class".'),
        ('source = "sklearn:iris"', "", "data.source: must be a text, got nothing."),
        ("C = 0.5", "c = 0.5", "models.logistic: LogisticRegression could not be made: TypeError("),
        ("params = { C = 0.5 }", "grid = { c = [1] }", "models.logistic.grid: no parameter of LogisticRegression is called 'c'"),
        ("params = { C = 0.5 }", "grid = []", "models.logistic.grid = []: it has no table, so there is no model to measure."),
        ("params = { C = 0.5 }", "grid = { C = 3 }", "models.logistic.grid: the grid cannot be used: "),
        ("[models.svm]", '[models.svm]\nimport = "a"', "models.svm.import = \"a\": no key is called 'import': there are"),
        ("[models.svm]", '[models."x\\ny"]\n[models.svm]', 'models."x\\ny": says none, and neither import nor steps.'),
        ('"flowers"', f'["{"x" * 70}"]', f'name = ["{"x" * 55}...: must be a text, got a list.'),
        ('{ import = "sklearn.svm:SVC",', "{", "models.svm.steps[1]: says 'params', and neither import nor steps. Write "),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    """File, key, value, and what would do."""
    assert refused(write_study(tmp_path, old=old, new=new)).startswith(f"study.toml: {message}")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SVC", 'is no name to import. Write "module:name", such as "sklearn.svm:SVC".'),
        ("sklearn.linear_modl:Ridge", "cannot be imported: ModuleNotFoundError(\"No module named 'sklearn.linear_modl'\")."),
        ("own_model:f", "No module named 'own_model'"),
        ("own_needy:f", "cannot be imported: ModuleNotFoundError(\"No module named 'nobody_has'\") (own_needy.py, line 1)."),
        ("own_broken:f", "cannot be imported: ZeroDivisionError('division by zero') (own_broken.py, line 2)."),
        ("own_typo:f", "cannot be imported: SyntaxError('invalid syntax', ('own_typo.py', 1, 7, "),
        ("own_exit:f", "cannot be imported: SystemExit(3)"),
        ("own_models:by_hnd", "module 'own_models' has no attribute 'by_hnd'"),
        ("own_models:Sloppy", 'Sloppy could not be made: TypeError("Sloppy.__init__() missing 1 required positional argument'),
        ('own_models:ready"\nparams.C = "1', "own_models:ready is no class, and takes no parameters."),
    ],
)
def test_what_cannot_be_imported_is_named(tmp_path: Path, name: str, message: str) -> None:
    """Key, value, what failed, and what is near."""
    text = refused(write_study(tmp_path, old='sklearn.linear_model:LogisticRegression"\nparams = { C = 0.5 }', new=f'{name}"'))
    assert re.match(f"study.toml: models.logistic.*{re.escape(message)}", text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"rope = \n", "Invalid value (at line 1, column 8)."),
        (b"a = " + b"[" * 5000, "maximum recursion depth exceeded"),
        (b"seed = 0x" + b"f" * 5000, "Exceeds the limit"),
        (b'name = "a"\nrope = "\xff"\n', "'utf-8' codec can't decode byte 0xff in position 19"),
    ],
    ids=range(4),
)
def test_a_file_that_is_no_toml_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    """With the place, as far as the parser says it."""
    (tmp_path / "study.toml").write_bytes(content)
    assert re.match(f"study.toml: .*{re.escape(message)}", refused(tmp_path / "study.toml"))


def test_files_of_all_systems_are_read_or_named(tmp_path: Path) -> None:
    """A byte-order mark and lines that end with two characters are read; a file that is not there comes with the nearest."""
    path = tmp_path / "study.toml"
    path.write_bytes(b"\xef\xbb\xbf" + STUDY.replace("\n", "\r\n").encode())
    assert read_study(path).name == "flowers"
    with pytest.raises(SourceNotFoundError, match=rf"there is no file '{tmp_path}/sudy.toml' .* Did you mean '{path}'\?$"):
        read_study(tmp_path / "sudy.toml")
    with pytest.raises(SourceNotFoundError, match="is a directory"):
        read_study(tmp_path)


# --- data ---------------------------------------------------------------------------------------------------------------------

TABLE = """\
patient,site,age,weight,diagnosis
1,a,34,1.0,benign
1,b,35,0.5,benign
2,a,61,1.0,malignant
2,b,62,0.5,malignant
"""


def read_data(tmp_path: Path, table: str = TABLE, **data: object) -> StudyData:
    """The one dataset of a study in this folder."""
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    return read_datasets(Entry("s.toml", ("data",), {"source": "table.csv", **data}), tmp_path)[""]


def test_what_has_another_use_is_no_feature(tmp_path: Path) -> None:
    """All others are, texts included; none is what is dropped; those that are named stand in the order given, each once."""
    data = read_data(tmp_path, target="diagnosis")
    assert (list(data.X), data.X["site"].tolist()) == (["patient", "site", "age", "weight"], ["a", "b", "a", "b"])
    assert (data.y.tolist(), data[2:]) == (["benign", "benign", "malignant", "malignant"], (None, None, None))
    data = read_data(tmp_path, target="diagnosis", groups="patient", weights="weight", drop="site")
    assert (list(data.X.columns), data.groups.tolist(), data.weights.tolist()) == (["age"], [1, 1, 2, 2], [1.0, 0.5, 1.0, 0.5])
    data = read_data(tmp_path, target="diagnosis", time="age", drop=["site", "patient"])
    assert (list(data.X.columns), data.time.tolist()) == (["weight"], [34, 35, 61, 62])
    data = read_data(tmp_path, target="diagnosis", features=["site", "age", "weight", "site"], drop="age")
    assert list(data.X.columns) == ["site", "weight"]


@pytest.mark.parametrize("name", BUNDLED)
def test_the_datasets_of_scikit_learn_are_as_it_loads_them(tmp_path: Path, name: str) -> None:
    """Arrays, classes as numbers."""
    data = read_datasets(Entry("s.toml", ("data",), {"source": f"sklearn:{name}"}), tmp_path)[""]
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)


def test_several_datasets_have_names(tmp_path: Path) -> None:
    """A table for each, which may even be called target, with its groups; weights are for one, as no fit would get several."""
    (tmp_path / "t.csv").write_text(TABLE)
    tables = {"target": {"source": "t.csv", "target": "diagnosis", "groups": "patient"}, "iris": {"source": "sklearn:iris"}}
    data = read_datasets(Entry("s.toml", ("data",), tables), tmp_path)
    assert (list(data), data["target"].groups.tolist()) == (["target", "iris"], [1, 1, 2, 2])
    head = 'cv = {kind = "kfold", n_folds = 2}\nmodels.m = {import = "sklearn.dummy:DummyClassifier"}\n'
    (tmp_path / "s.toml").write_text(f'{head}[data.one]\nsource = "t.csv"\ntarget = "diagnosis"\ngroups = "patient"\n')
    assert "examples of one group on both sides" in told(
        TiebreakError, make_plan, **read_study(tmp_path / "s.toml").plan_arguments
    )
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
        ({"source": "a\0b.csv"}, 'data.source = "a\\u0000b.csv": there is no file'),
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
    said = told(TiebreakError, read_data, tmp_path, **data)
    assert message in said
    assert ("Did you mean" in said) is ("there is no file" in message)


@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_a_row_index_is_no_feature(tmp_path: Path, name: str) -> None:
    """pandas writes one without a name, and it often follows the target; of one that does not count the rows it is asked."""
    assert list(read_data(tmp_path, f"{name},a,y\n0,1,2\n1,3,4\n", target="y").X.columns) == ["a"]
    table = f"{name},a,y\n7,1,2\n9,3,4\n"
    with pytest.raises(InvalidParameterError, match=r"has the column 'column 1', .* with drop = \[\"column 1\"\], or name it."):
        read_data(tmp_path, table, target="y")
    assert list(read_data(tmp_path, table, target="y", drop=["column 1"]).X.columns) == ["a"]
    assert list(read_data(tmp_path, table, target="y", features=["column 1"]).X.columns) == ["column 1"]
