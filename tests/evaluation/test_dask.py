"""`tiebreak.evaluate` on a Dask cluster: the same as anywhere else."""

import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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


def test_a_run_goes_on_anywhere(dask_cluster, data, local, tmp_path, monkeypatch):
    """Begun on this machine, stopped, and finished on Dask, where nothing is measured that is there already: the same bits."""
    store, seen = f"sqlite:///{tmp_path / 'runs.db'}", []
    arguments = {"cv": CV, "scoring": ["roc_auc", "neg_log_loss"], "store": store, "name": "run"}

    def stop(progress):
        seen.append(progress)
        if progress.n_done:
            raise KeyboardInterrupt

    monkeypatch.setattr("tiebreak.evaluation.evaluate.PAUSE", 0.0)  # else fast cells are done before the first report
    with pytest.raises(KeyboardInterrupt):
        tb.evaluate(MODELS, *data, **arguments, progress=stop)
    seen.clear()
    evaluation = tb.evaluate(MODELS, *data, **arguments, runner=dask_cluster.address, progress=seen.append)
    assert 0 < seen[0].n_before < 60
    assert evaluation.n_done == 60
    assert bits(evaluation) == local
