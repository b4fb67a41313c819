"""The two experiments of ``tiebreak demo``: what is fitted, on what, and how it is scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak.numerics import FloatArray, IntArray

if TYPE_CHECKING:
    from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold

N_FOLDS = 10


def moons_search(n_repeats: int) -> tuple[GridSearchCV, FloatArray, IntArray]:
    """The search of scikit-learn's gallery, fitted, and its data.

    Parameters
    ----------
    n_repeats : int
        Of 10-fold cross-validation.

    References
    ----------
    .. [1] scikit-learn gallery: Statistical comparison of models using grid search.
    """
    from sklearn.datasets import make_moons
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    kernels = [{"kernel": ["linear"]}, {"kernel": ["poly"], "degree": [2, 3]}, {"kernel": ["rbf"]}]
    search = GridSearchCV(SVC(random_state=0), kernels, scoring="roc_auc", cv=_splits(n_repeats))
    return search.fit(X, y), X, y


def breast_cancer_results(n_repeats: int) -> dict[str, dict[str, Any]]:
    """What `cross_validate` says of five pipelines that people would try, all on the same splits.

    Parameters
    ----------
    n_repeats : int
        Of 10-fold cross-validation.
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_validate
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X, y = load_breast_cancer(return_X_y=True)
    pipelines = {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "support vectors": make_pipeline(StandardScaler(), SVC(random_state=0)),
        "random forest": RandomForestClassifier(random_state=0),
        "gradient boosting": HistGradientBoostingClassifier(random_state=0),
        "nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    }
    return {
        name: cross_validate(pipeline, X, y, cv=_splits(n_repeats), scoring="roc_auc", return_indices=True)
        for name, pipeline in pipelines.items()
    }


def _splits(n_repeats: int) -> RepeatedStratifiedKFold:
    from sklearn.model_selection import RepeatedStratifiedKFold

    return RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=n_repeats, random_state=0)
