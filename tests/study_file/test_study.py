"""A study file becomes what `tiebreak.evaluate` takes; what cannot be used is named by file, key and value."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

import tiebreak as tb
from tests.study_file.studies import STUDY, of_table, write_study
from tiebreak.errors import InvalidStudyError, SourceNotFoundError, TiebreakError
from tiebreak.plan.models import name_models
from tiebreak.plan.plan import describe_model, find_versions, make_plan
from tiebreak.study_file.study import build_models, read_study
from tiebreak.study_file.toml import Entry


@pytest.fixture(autouse=True)
def path_as_before() -> Iterator[None]:
    """A study makes its folder importable; the next test is not to find it."""
    before = list(sys.path)
    yield
    sys.path[:] = before


def refused(path: Path) -> str:
    """The message without the folder."""
    with pytest.raises(TiebreakError) as caught:
        read_study(path)
    return str(caught.value).replace(str(path.parent) + "/", "")


def test_a_study_says_everything_that_a_plan_needs(tmp_path: Path) -> None:
    """Three models (two of them candidates of a grid) on 5 folds twice are 30 cells."""
    study = read_study(write_study(tmp_path))
    plan = make_plan(**study.plan_arguments)
    assert list(plan.models) == ["logistic", "svm, C=0.1", "svm, C=10"]
    assert plan.n_cells == 30
    assert (study.name, study.rope, study.seed, study.scoring) == ("flowers", 0.01, 0, ["accuracy"])


def test_the_least_study_is_data_and_a_model(tmp_path: Path) -> None:
    """The rest has defaults: those of `evaluate`, and the name of the file."""
    text = '[data]\nsource = "sklearn:iris"\n[models.nb]\nimport = "sklearn.naive_bayes:GaussianNB"\n'
    study = read_study(write_study(tmp_path, text))
    assert (study.name, study.rope, study.seed, study.n_jobs) == ("study", 0.0, 0, 1)
    assert (study.cv, study.scoring, study.timeout, study.threads_per_fit) == (None, None, None, "auto")
    assert (study.keep_predictions, study.store) == (True, None)
    assert study.path == tmp_path / "study.toml"


def test_settings_are_read_as_they_stand(tmp_path: Path) -> None:
    """Each under its own name."""
    more = 'rope = "1%"\nseed = 7\nn_jobs = -1\ntimeout = 30\nthreads_per_fit = 2\nkeep_predictions = false\nstore = "sqlite:///r.db"'
    study = read_study(write_study(tmp_path, old="rope = 0.01", new=more))
    assert (study.rope, study.seed, study.n_jobs, study.timeout) == ("1%", 7, -1, 30.0)
    assert (study.threads_per_fit, study.keep_predictions, study.store) == (2, False, "sqlite:///r.db")


@pytest.mark.parametrize(
    ("written", "cv"),
    [
        ("cv = 5", 5),
        ('cv = "repeated-kfold"', "repeated-kfold"),
        ('cv = { kind = "time", n_folds = 4, gap = 2 }', {"kind": "time", "n_folds": 4, "gap": 2}),
    ],
)
def test_splits_are_those_of_evaluate(tmp_path: Path, written: str, cv: object) -> None:
    """A number of folds, a kind, or a kind with options."""
    text = re.sub(r"\[cv\]\n(?:.+\n)+", "", STUDY)
    assert read_study(write_study(tmp_path, f"{written}\n{text}")).cv == cv


def test_a_splitter_can_be_imported(tmp_path: Path) -> None:
    """For kinds of splits that have no name here."""
    new = 'import = "sklearn.model_selection:ShuffleSplit"\nparams = { n_splits = 3 }\n'
    cv = read_study(write_study(tmp_path, old=STUDY[STUDY.index("kind =") : STUDY.index("[models.log")], new=new)).cv
    assert isinstance(cv, ShuffleSplit)
    assert cv.get_n_splits() == 3


def test_a_metric_can_be_imported(tmp_path: Path) -> None:
    """Written with a colon, which no scorer's name has."""
    (tmp_path / "own_metric_of_study.py").write_text("def gain(model, X, y):\n    return 1.0\n")
    study = read_study(write_study(tmp_path, old='"accuracy"', new='"accuracy", "own_metric_of_study:gain"'))
    assert study.scoring is not None
    assert study.scoring[0] == "accuracy"
    assert study.scoring[1](None, None, None) == 1.0


def test_the_example_is_a_study_of_125_cells() -> None:
    """Five models on 5 x 5-fold, with nothing that has to be fetched."""
    study = read_study(Path(__file__).parents[2] / "examples" / "study.toml")
    assert make_plan(**study.plan_arguments).n_cells == 125
    assert (study.name, study.rope, study.scoring) == ("cancer", 0.01, ["roc_auc", "accuracy"])


RANGE = 'must be a number of at least 0 in the metric\'s unit, or a percentage of the best mean such as "1%".'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rope = 0.01", "roppe = 0.01", "roppe = 0.01: there is no key 'roppe' here; did you mean 'rope'?"),
        ("rope = 0.01", "rope = -1", f"rope = -1: {RANGE}"),
        ("rope = 0.01", "rope = nan", f"rope = nan: {RANGE}"),
        ("rope = 0.01", "rope = true", f"rope = true: {RANGE}"),
        ("rope = 0.01", 'rope = "a%"', f'rope = "a%": {RANGE}'),
        ('"flowers"', "3", "name = 3: must be a text; got a whole number."),
        ('"flowers"', '""', 'name = "": must be a text; got an empty one.'),
        ("rope = 0.01", "seed = -1", "seed = -1: must be a whole number of at least 0."),
        ("rope = 0.01", "seed = 1.0", "seed = 1.0: must be a whole number of at least 0."),
        ("rope = 0.01", "n_jobs = 0", "n_jobs = 0: must be a whole number of worker processes, or -1 for all cores."),
        ("rope = 0.01", "timeout = 0", "timeout = 0: must be a number of seconds above 0."),
        ("rope = 0.01", "threads_per_fit = 0", "threads_per_fit = 0: must be a whole number of at least 1."),
        ("rope = 0.01", "keep_predictions = 1", "keep_predictions = 1: must be true or false; got a whole number."),
        ('["accuracy"]', "[]", "metrics = []: must be a list; got an empty one."),
        ('["accuracy"]', "2026-01-01", "metrics = 2026-01-01: must be a list; got a date or time."),
        ('["accuracy"]', '["f1", "f1"]', 'metrics[1] = "f1": stands twice.'),
        (
            '"repeated-stratified"',
            '"repeated-stratifid"',
            (
                "cv.kind = \"repeated-stratifid\": there is no such kind of splits; did you mean 'repeated-stratified' or "
                "'repeated-kfold' or 'stratified'?"
            ),
        ),
        ("n_folds", "folds", "cv.folds = 5: there is no key 'folds' here; did you mean 'n_folds'?"),
        (
            'kind = "repeated-stratified"',
            "",
            (
                "cv: says no kind. Add kind = \"repeated-holdout\"; the kinds are 'holdout', 'repeated-holdout', 'kfold', "
                "'repeated-kfold', 'stratified', 'repeated-stratified', 'loo', 'group', 'stratified-group' and 'time'."
            ),
        ),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    """File, key, value, and what would do."""
    assert refused(write_study(tmp_path, old=old, new=new)) == f"study.toml: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'study.toml: there is no data. Add [data] with source = "table.csv".'),
        (
            '[data]\nsource = "sklearn:iris"',
            'study.toml: there is no models. Add [models.NAME] with import = "module:class".',
        ),
        ('cv = 1\n[data]\nsource = "x"\n[models]', "study.toml: cv = 1: must be a whole number of at least 2."),
        (
            'cv = [1]\n[data]\nsource = "x"\n[models]',
            "study.toml: cv = [1]: must be a number of folds, a kind of splits or a table; got a list.",
        ),
        ("rope = \n", "study.toml is not valid TOML: Invalid value (at line 1, column 8)."),
        ("a = " + "[" * 5000, "study.toml is nested too deeply to be read."),
    ],
)
def test_a_file_that_is_no_study_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """Something is missing, or it is no TOML; then with line and column."""
    assert refused(write_study(tmp_path, text)) == message


def test_a_file_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    """As for any other file."""
    write_study(tmp_path)
    with pytest.raises(SourceNotFoundError) as caught:
        read_study(tmp_path / "sudy.toml")
    text = str(caught.value)
    assert text.startswith(f"there is no study file '{tmp_path}/sudy.toml' (looked in ")
    assert text.endswith(f" Did you mean '{tmp_path}/study.toml'?")
    with pytest.raises(SourceNotFoundError, match="is a directory"):
        read_study(tmp_path)


def test_bytes_that_are_no_text_are_named_by_line(tmp_path: Path) -> None:
    """As an editor may leave them."""
    path = tmp_path / "study.toml"
    path.write_bytes(b'name = "a"\nrope = "\xff"\n')
    assert refused(path) == "study.toml, line 2: byte 0xff is not UTF-8. Save it as UTF-8."


def test_what_windows_editors_write_is_read(tmp_path: Path) -> None:
    """A byte-order mark, and lines that end with two characters."""
    path = tmp_path / "study.toml"
    path.write_bytes(b"\xef\xbb\xbf" + STUDY.replace("\n", "\r\n").encode())
    assert read_study(path).name == "flowers"


def test_odd_keys_are_shown_on_one_line(tmp_path: Path) -> None:
    """A name may hold anything."""
    message = refused(write_study(tmp_path, old="[models.logistic]", new='[models."log\\nistic".x]\n[models.logistic]'))
    assert message == (
        "study.toml: models.\"log\\nistic\".x: there is no key 'x' here; the keys are 'import', 'params', 'steps' and 'grid'."
    )


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, len(STUDY) - 1), put=st.binary(max_size=3), gone=st.integers(0, 3))
def test_no_change_of_bytes_leads_to_another_kind_of_error(tmp_path: Path, place: int, put: bytes, gone: int) -> None:
    """A damaged study is read or refused with a message."""
    content = STUDY.encode()
    path = tmp_path / "study.toml"
    path.write_bytes(content[:place] + put + content[place + gone :])
    message = ""
    try:
        assert read_study(path).models
    except (InvalidStudyError, SourceNotFoundError) as error:
        message = str(error)
    assert not message or "study.toml" in message


@pytest.mark.parametrize(
    "written",
    [
        "{ cost = { setosa = { setosa = 0, versicolor = 1 }, versicolor = { setosa = 5, versicolor = -1 } } }",
        '{ cost = [[0, 1], [5, -1]], labels = ["setosa", "versicolor"] }',
        '{ import = "tiebreak:CostMatrix", params = { costs = [[0, 1], [5, -1]], labels = ["setosa", "versicolor"] } }',
    ],
)
def test_a_metric_can_be_a_cost_matrix(tmp_path: Path, written: str) -> None:
    """With its classes as keys, as an array with labels (which need not be text), or imported with parameters."""
    study = read_study(write_study(tmp_path, old='["accuracy"]', new=f'["accuracy", {written}]'))
    assert study.scoring == ["accuracy", tb.CostMatrix([[0, 1], [5, -1]], ["setosa", "versicolor"])]


def test_a_cost_matrix_can_have_a_name_and_be_alone(tmp_path: Path) -> None:
    """Two of them need different names."""
    written = '{ cost = [[0, 1], [5, 0]], labels = [0, 1], name = "euro" }'
    study = read_study(write_study(tmp_path, old='["accuracy"]', new=written))
    assert study.scoring == [tb.CostMatrix([[0, 1], [5, 0]], name="euro")]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            "{ cost = [[0, 1]] }",
            (
                "metrics[0]: CostMatrix could not be made: InvalidParameterError: a cost matrix is square, with a row and a "
                "column for each class; got an array of shape (1, 2)."
            ),
        ),
        ("{ cost = [[0, 1], [1, 0]], label = [0, 1] }", "there is no key 'label' here; did you mean 'labels'?"),
        ("{ name = 'euro' }", "metrics[0].name = \"euro\": there is no key 'name' here; the keys are 'import' and 'params'."),
        ("{ params = {} }", "metrics[0]: says neither metric, cost nor import."),
        ("5", "metrics = 5: must be a list; got a whole number."),
    ],
)
def test_a_metric_that_is_none_is_refused_with_its_place(tmp_path: Path, written: str, message: str) -> None:
    """File, key and what is wrong."""
    metrics = written if written == "5" else f"[{written}]"
    assert message in refused(write_study(tmp_path, old='["accuracy"]', new=metrics))


OWN = """\
from sklearn.svm import SVC
ready = SVC(C=3)
def by_hand(X_train, y_train, X_test, rng):
    return y_train[:1].repeat(len(X_test))
class Sloppy:
    def __init__(self, a, **more):
        self.a = a
    def fit(self, X, y): ...
    def predict(self, X): ...
class NoFit:
    pass
"""


@pytest.fixture(autouse=True)
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules beside the study, forgotten afterwards."""
    (tmp_path / "own_models.py").write_text(OWN)
    (tmp_path / "own_broken.py").write_text("x = 1\n1 / 0\n")
    (tmp_path / "own_typo.py").write_text("def f(:\n")
    (tmp_path / "own_needy.py").write_text("import package_that_nobody_has\n")
    (tmp_path / "own_exit.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]


def models(tmp_path: Path, **tables: Any) -> dict[str, Any]:
    """Models of a study in this folder."""
    return build_models(Entry(str(tmp_path / "s.toml"), ("models",), tables))


def why_refused(tmp_path: Path, **table: Any) -> str:
    """The message about a model m, after the name of the file."""
    with pytest.raises(InvalidStudyError) as caught:
        models(tmp_path, m=table)
    return str(caught.value).replace(str(tmp_path) + "/", "").removeprefix("s.toml: models.m")


@pytest.mark.parametrize("name", ["sklearn.svm:SVC", "sklearn.svm.SVC"])
def test_a_class_is_called_with_its_parameters(tmp_path: Path, name: str) -> None:
    """With a colon or a dot before its name."""
    model = models(tmp_path, m={"import": name, "params": {"C": 2, "kernel": "poly"}})["m"]
    assert isinstance(model, SVC)
    assert (model.C, model.kernel) == (2, "poly")


def test_functions_and_objects_are_taken_as_they_are(tmp_path: Path) -> None:
    """They are models already."""
    found = models(tmp_path, f={"import": "own_models:by_hand"}, o={"import": "own_models:ready"})
    assert found["f"].__name__ == "by_hand"
    assert found["o"].C == 3


def test_steps_become_a_pipeline_named_as_scikit_learn_names_them(tmp_path: Path) -> None:
    """make_pipeline(StandardScaler(), StandardScaler(), PCA(), SVC()) has these names; one is given another."""
    names = ["sklearn.preprocessing:StandardScaler"] * 2 + ["sklearn.decomposition:PCA", "sklearn.svm:SVC"]
    steps: list[dict[str, Any]] = [{"import": name} for name in names]
    steps[2]["name"] = "few"
    model = models(tmp_path, m={"steps": steps})["m"]
    assert isinstance(model, Pipeline)
    assert [name for name, _ in model.steps] == ["standardscaler-1", "standardscaler-2", "few", "svc"]


def test_a_grid_becomes_models_by_what_varies(tmp_path: Path) -> None:
    """As `tiebreak.grid` names candidates, after the name of the model."""
    grid = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}]
    found = models(tmp_path, svm={"import": "sklearn.svm:SVC", "grid": grid})
    assert list(name_models(found)) == ["svm, linear", "svm, poly, degree=2", "svm, poly, degree=3"]


def test_parameters_may_be_objects_at_any_depth(tmp_path: Path) -> None:
    """A calibrated pipeline, a transformer of columns, and a grid over whole parts."""
    inner = {"steps": [{"import": "sklearn.preprocessing:StandardScaler"}, {"import": "sklearn.svm:SVC", "params": {"C": 4}}]}
    encoder = {"import": "sklearn.preprocessing:OneHotEncoder", "params": {"drop": "first"}}
    found = models(
        tmp_path,
        calibrated={"import": "sklearn.calibration:CalibratedClassifierCV", "params": {"estimator": inner}},
        columns={
            "import": "sklearn.compose:ColumnTransformer",
            "params": {"transformers": [["words", encoder, ["site"]]]},
        },
        bagged={
            "import": "sklearn.ensemble:BaggingClassifier",
            "grid": {"estimator": [{"import": "sklearn.svm:SVC"}], "estimator__C": [1, 2]},
        },
    )
    assert isinstance(found["calibrated"], CalibratedClassifierCV)
    assert found["calibrated"].estimator.steps[1][1].C == 4
    assert isinstance(found["columns"], ColumnTransformer)
    assert found["columns"].transformers[0][1].drop == "first"
    assert [model.estimator.C for model in found["bagged"].values()] == [1, 2]


SVC_STEP = {"import": "sklearn.svm:SVC"}
SCALE_STEP = {"import": "sklearn.preprocessing:StandardScaler"}
HOW = 'Write "module:name", such as "sklearn.svm:SVC".'


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, f": says neither import nor steps. {HOW}"),
        ({"import": "a:b", "steps": []}, ": has both import and steps. A model is one or the other."),
        ({"import": "SVC"}, f'.import = "SVC": is no name to import. {HOW}'),
        ({"import": "..svm:SVC"}, f'.import = "..svm:SVC": is no name to import. {HOW}'),
        ({"import": "sklearn:svm"}, f'.import = "sklearn:svm": is a module. {HOW}'),
        (
            {"import": "sklearn.linear_modl:Ridge"},
            ".import = \"sklearn.linear_modl:Ridge\": there is no module 'sklearn.linear_modl'; did you mean 'linear_model'?",
        ),
        (
            {"import": "own_model:f"},
            ".import = \"own_model:f\": there is no module 'own_model'; did you mean 'own_models' or 'own_broken'?",
        ),
        (
            {"import": "qqqq:f"},
            ".import = \"qqqq:f\": there is no module 'qqqq': it is neither installed nor beside the study.",
        ),
        (
            {"import": "own_needy:f"},
            ".import = \"own_needy:f\": module 'own_needy' needs 'package_that_nobody_has', which is not installed.",
        ),
        (
            {"import": "own_broken:f"},
            (
                ".import = \"own_broken:f\": module 'own_broken' failed when it was imported: ZeroDivisionError: division by "
                "zero (own_broken.py, line 2)."
            ),
        ),
        (
            {"import": "own_typo:f"},
            (
                ".import = \"own_typo:f\": module 'own_typo' failed when it was imported: SyntaxError: invalid syntax "
                "(own_typo.py, line 1)."
            ),
        ),
        (
            {"import": "own_exit:f"},
            ".import = \"own_exit:f\": module 'own_exit' failed when it was imported: SystemExit: 3 (own_exit.py, line 1).",
        ),
        (
            {"import": "own_models:by_hnd"},
            ".import = \"own_models:by_hnd\": module 'own_models' (own_models.py) has no 'by_hnd'; did you mean 'by_hand'?",
        ),
        ({"import": "own_models:SVC.zzz"}, ".import = \"own_models:SVC.zzz\": own_models:SVC has no 'zzz'."),
        (
            {"import": "sklearn.svm:SVC", "params": {"gama": 1}},
            ".params.gama = 1: SVC has no parameter 'gama'; did you mean 'gamma'?",
        ),
        (
            {"import": "own_models:Sloppy", "params": {"b": 1}},
            ": Sloppy could not be made: TypeError: Sloppy.__init__() missing 1 required positional argument: 'a'",
        ),
        (
            {"import": "own_models:by_hand", "params": {"b": 1}},
            ".params: own_models:by_hand is a function; parameters go with a class.",
        ),
        (
            {"import": "own_models:ready", "params": {"b": 1}},
            ".params: own_models:ready is an object of type SVC; parameters go with a class.",
        ),
        ({"steps": []}, ".steps = []: must be a list; got an empty one."),
        ({"steps": [3]}, ".steps[0] = 3: must be a table; got a whole number."),
        (
            {"steps": [SVC_STEP, SVC_STEP]},
            '.steps[0].import = "sklearn.svm:SVC": is no transformer (fit and transform), as all steps but the last must be.',
        ),
        (
            {"steps": [SCALE_STEP, {"import": "own_models:NoFit"}]},
            '.steps[1].import = "own_models:NoFit": has no fit, which the last step of a pipeline needs.',
        ),
        (
            {"steps": [SCALE_STEP, {**SVC_STEP, "name": "a__b"}]},
            ".steps[1]: a step cannot be called 'a__b': names must differ, and '__' is for parameters.",
        ),
        ({"import": "sklearn.svm:SVC", "grid": 3}, ".grid = 3: must be a table; got a whole number."),
        ({"import": "sklearn.svm:SVC", "grid": {"C": 3}}, ".grid.C = 3: must be a list; got a whole number."),
        (
            {"import": "sklearn.svm:SVC", "grid": {"zzzz": [3]}},
            (
                ".grid.zzzz = [3]: SVC has no parameter 'zzzz'; it has 'C', 'break_ties', 'cache_size', 'class_weight', 'coef0', "
                "'decision_function_shape', 'degree', 'gamma', 'kernel', 'max_iter', 'probability', 'random_state' and 3 more."
            ),
        ),
        (
            {"steps": [SCALE_STEP, SVC_STEP], "grid": {"svc__c": [3]}},
            ".grid.svc__c = [3]: Pipeline has no parameter 'svc__c'; did you mean 'svc__C' or 'svc__coef0' or 'svc__tol'?",
        ),
        (
            {"import": "own_models:by_hand", "grid": {"C": [1]}},
            ".grid: grid needs an estimator with set_params, such as SVC(); got one of type function.",
        ),
    ],
)
def test_a_model_that_cannot_be_made_is_named(tmp_path: Path, table: dict[str, Any], message: str) -> None:
    """Key, value, what failed, and what is near."""
    assert why_refused(tmp_path, **table) == message


def test_a_study_without_models_is_refused() -> None:
    """There would be nothing to measure."""
    with pytest.raises(InvalidStudyError) as caught:
        build_models(Entry("s.toml", ("models",), {}))
    assert str(caught.value) == ('s.toml: models: there are no models. Add one: [models.NAME] with import = "module:class".')


# --- a study file is code -------------------------------------------------------------------------------------------------

STANDARD = [
    "subprocess:Popen",
    "os:system",
    "builtins:eval",
    "builtins:open",
    "pathlib:Path",
    "joblib.parallel:os.system",
    "joblib.parallel:os.environ",
    "sklearn.datasets._base:os.system",
    "sklearn.datasets._base:shutil.rmtree",
    "joblib.parallel:threading.Thread",
    "pickle:loads",
    "posix:system",
    "math:log",
    "test.support:run_in_subinterp",
    "sklearn.svm:SVC.__class__",
    "sklearn.svm:SVC.__class__.mro",
    "own_of_study:Path",
    "own_of_study:run",
    "own_of_study:alias.system",
    "own_of_study:text.join",
]


@pytest.mark.parametrize("name", STANDARD)
def test_nothing_of_pythons_own_is_taken(tmp_path: Path, name: str) -> None:
    """By whatever way it is reached: by its name, an alias in another module, or an attribute of something else."""
    (tmp_path / "own_of_study.py").write_text(
        "import os as alias\nfrom os import system as run\nfrom pathlib import Path\ntext = ''\n"
    )
    for old, new in (
        ('import = "sklearn.linear_model:LogisticRegression"\nparams = { C = 0.5 }', f'import = "{name}"'),
        ("C = 0.5", f'C = {{ import = "{name}" }}'),
        ('"accuracy"]', f'"accuracy", "{name}"]'),
        ('kind = "repeated-stratified"\nn_folds = 5\nn_repeats = 2', f'import = "{name}"'),
    ):
        for make_models in (True, False):
            with pytest.raises(InvalidStudyError, match=r"is Python's own"):
                read_study(write_study(tmp_path, old=old, new=new), make_models=make_models)


def test_own_modules_may_do_what_they_like(tmp_path: Path) -> None:
    """Objects of their own, made by whatever they import, are theirs."""
    (tmp_path / "own_free_of_study.py").write_text(
        "import functools\nfrom sklearn.svm import SVC\n\ndef _fit(X, y, T, rng): return T\nmodel = functools.partial(_fit)\n"
        "class Mine(SVC):\n    pass\n"
    )
    tables = {"a": {"import": "own_free_of_study:model"}, "b": {"import": "own_free_of_study:Mine", "params": {"C": 2}}}
    sys.path.append(str(tmp_path))
    models = build_models(Entry(str(tmp_path / "s.toml"), ("models",), tables))
    assert models["b"].C == 2
    assert callable(models["a"])


TRAP = """\
class Model:
    def __init__(self, **params):
        open("made", "w").close()

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X
"""


def test_declared_models_are_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither they nor their parameters, at any depth; the names of candidates are as if they were."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trap_of_study.py").write_text(TRAP)
    trap = '{ import = "trap_of_study:Model", params = { x = [{ import = "trap_of_study:Model" }] } }'
    text = STUDY + (
        f'[models.trap]\nimport = "trap_of_study:Model"\nparams = {{ x = {trap} }}\n'
        f'[models.deep]\nsteps = [{{ import = "sklearn.preprocessing:StandardScaler" }}, {trap}]\n'
        f'[models.search]\nimport = "sklearn.dummy:DummyClassifier"\ngrid = {{ constant = [{trap}, 1], strategy = ["prior"] }}\n'
    )
    declared = read_study(write_study(tmp_path, text), make_models=False)
    assert not (tmp_path / "made").exists()
    made = read_study(tmp_path / "study.toml")
    assert (tmp_path / "made").exists()
    assert name_models(declared.models).keys() == name_models(made.models).keys()


def test_declared_models_say_what_made_ones_say(tmp_path: Path) -> None:
    """Text, kind and versions, from the class alone."""
    declared, made = (read_study(write_study(tmp_path), make_models=make) for make in (False, True))
    for study in (declared, made):
        plan = make_plan(**study.plan_arguments)
        assert plan.datasets[0].task == "classification"
        assert describe_model(next(iter(plan.models.values()))) == "LogisticRegression(C=0.5)"
    one, two = (name_models(study.models) for study in (declared, made))
    assert list(one) == list(two)
    assert find_versions(one.values()) == find_versions(two.values())


# --- metrics for two classes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard", "average_precision", "neg_brier_score"])
def test_metrics_of_words(tmp_path: Path, metric: str) -> None:
    """The label that is to be found is named; scores are those of scikit-learn with this label."""
    rows = "".join(f"{i},{i % 7},{'ill' if i % 7 < 3 or i % 11 == 0 else 'well'}\n" for i in range(60))
    text = of_table('target = "state"', f"a,b,state\n{rows}", tmp_path)
    model = '[models.log]\nimport = "sklearn.linear_model:LogisticRegression"\n'
    metrics = f'metrics = [{{ metric = "{metric}", positive = "ill" }}]\ncv = {{ kind = "kfold", n_folds = 3 }}\n'
    study = read_study(write_study(tmp_path, metrics + text + model))
    found = tb.evaluate(**study.plan_arguments, scoring=study.scoring).scores().matrix().score[1]
    data, scorer = study.datasets[""], get_scorer(metric)
    settings = {key: value for key, value in scorer._kwargs.items() if key != "pos_label"}
    named = make_scorer(scorer._score_func, response_method=scorer._response_method, pos_label="ill", **settings)
    splits = make_plan(**study.plan_arguments).datasets[0].splits
    fitted = [LogisticRegression().fit(data.X.iloc[train], data.y.iloc[train]) for train, _ in splits]
    expected = [named(model, data.X.iloc[test], data.y.iloc[test]) for model, (_, test) in zip(fitted, splits, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('{ metric = "f1" }', "says no positive"),
        ('{ metric = "accuracy", positive = 1 }', "is no metric with a positive class"),
        ('{ metric = "recal", positive = 1 }', "did you mean 'recall'"),
    ],
)
def test_metrics_of_words_that_cannot_be(tmp_path: Path, written: str, message: str) -> None:
    """With the key."""
    assert message in refused(write_study(tmp_path, old='["accuracy"]', new=f"[{written}]"))


def test_a_timeout_beyond_all_numbers_is_refused(tmp_path: Path) -> None:
    """TOML knows whole numbers of any length."""
    assert "must be a number of seconds above 0" in refused(
        write_study(tmp_path, old="rope = 0.01", new=f"timeout = {'9' * 400}")
    )
