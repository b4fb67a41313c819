"""The versions that results depend on."""

from __future__ import annotations

import platform

import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tiebreak.plan.versions import find_versions


def test_python_and_the_packages_of_models_and_their_parts_are_named():
    """By the names under which they are installed; this test's own class comes from no package."""

    class Mine(StandardScaler):
        pass

    versions = find_versions([make_pipeline(Mine(), SVC())])
    assert versions["python"] == platform.python_version()
    assert versions["scikit-learn"] == sklearn.__version__
    assert set(versions) == {"python", "numpy", "scipy", "scikit-learn"}
