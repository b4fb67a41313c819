"""`tiebreak.evaluate` on a Dask cluster: the same as anywhere else."""

import threading

import pytest
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import tiebreak as tb

pytest.importorskip("distributed", reason="needs the extra dask: pip install 'distributed>=2024.8'")

MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(10),  # random_state=None: its seed comes from the cell
    "boosting": HistGradientBoostingClassifier(max_iter=5),
}
CV = {"kind": "repeated-stratified", "n_folds": 5, "n_repeats": 4}


@pytest.fixture(scope="module")
def data():
    """Large enough that the arrays travel beside the pickle."""
    return make_classification(n_samples=300, n_features=10, random_state=0)


def bits(evaluation):
    """Scores, seeds, warnings and predictions of all cells, bit for bit."""
    return {
        outcome.cell: (
            dict(outcome.scores),
            outcome.seed,
            outcome.warnings,
            {name: each.tobytes() for name, each in outcome.outputs.items()},
        )
        for outcome in evaluation.log.outcomes(outputs=True)
    }


@pytest.fixture(scope="module")
def local(data):
    """The same on this machine."""
    return bits(tb.evaluate(MODELS, *data, cv=CV, scoring=["roc_auc", "neg_log_loss"], n_jobs=2))


def test_the_same_bits_as_on_this_machine(client, data, local):
    """60 cells: scores, seeds and predictions."""
    evaluation = tb.evaluate(MODELS, *data, cv=CV, scoring=["roc_auc", "neg_log_loss"], runner=client)
    assert evaluation.n_done == len(local) == 60
    assert bits(evaluation) == local


def test_a_run_goes_on_anywhere(dask_cluster, data, local, tmp_path):
    """Begun on this machine, stopped, and finished on Dask, where nothing is measured that is there already."""
    store, seen = f"sqlite:///{tmp_path / 'runs.db'}", []
    arguments = {"cv": CV, "scoring": ["roc_auc", "neg_log_loss"], "store": store, "name": "run"}

    def stop(progress):
        seen.append(progress)
        if progress.n_done > 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tb.evaluate(MODELS, *data, **arguments, progress=stop)
    seen.clear()
    evaluation = tb.evaluate(MODELS, *data, **arguments, runner=dask_cluster.address, progress=seen.append)
    assert 10 < seen[0].n_before < 60
    assert evaluation.n_done == 60
    assert bits(evaluation) == local


def test_settings_of_the_caller_hold_on_the_workers_too(client, data):
    """scikit-learn's are of a thread, and the workers have several; a model that is asked for them says what it sees."""
    from sklearn import config_context

    def seen(X_train, y_train, X_test, rng):
        from sklearn import get_config

        assert get_config()["working_memory"] == 77
        assert threading.current_thread().name.startswith("tiebreak")
        return y_train[: len(X_test)]

    with config_context(working_memory=77):
        evaluation = tb.evaluate({"seen": seen, "again": seen}, *data, cv=5, scoring="accuracy", runner=client)
    assert evaluation.n_failed == 0


def test_leading_steps_are_shared_there_too(client, data):
    """Six candidates behind one scaler, and three behind each PCA: the bits of separate fits on this machine."""
    grid = {"pca__n_components": [2, 4], "svc__C": [0.1, 1.0, 10.0]}
    models = tb.grid(make_pipeline(StandardScaler(), PCA(random_state=0), SVC()), grid)
    shared = tb.evaluate(models, *data, cv=CV, scoring="roc_auc", runner=client)
    alone = tb.evaluate(models, *data, cv=CV, scoring="roc_auc", share_steps=False)
    assert bits(shared) == bits(alone)
    assert shared.n_shared >= 80  # of 120; all of them share but for the first of each batch
