"""Models by name: what can be imported, with which parameters, and what is said where it cannot."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

from tiebreak.errors import InvalidStudyError
from tiebreak.plan.models import name_models
from tiebreak.study_file.models import build_models
from tiebreak.study_file.toml import Entry

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


def refused(tmp_path: Path, **table: Any) -> str:
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
    assert refused(tmp_path, **table) == message


def test_a_study_without_models_is_refused() -> None:
    """There would be nothing to measure."""
    with pytest.raises(InvalidStudyError) as caught:
        build_models(Entry("s.toml", ("models",), {}))
    assert str(caught.value) == ('s.toml: models: there are no models. Add one: [models.NAME] with import = "module:class".')
