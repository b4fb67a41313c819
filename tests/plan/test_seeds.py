"""Seeds that depend on what is measured only."""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer
from sklearn.svm import SVC

from tiebreak.plan.seeds import derive_seed, open_random_states, seeded_parameters


def test_seeds_never_change_between_releases():
    """Pinned: a run that was begun with this release goes on with the same seeds in the next."""
    assert derive_seed(0, "svm", "", 0, 0) == 382075537


def test_only_open_random_states_are_seeded():
    """Those of nested parts too; one that was set is the caller's choice."""
    pipeline = make_pipeline(QuantileTransformer(), SVC(random_state=3))
    assert open_random_states(pipeline) == ("quantiletransformer__random_state",)
    assert open_random_states(SVC(random_state=3)) == ()
    assert open_random_states(lambda a, b, c, d: c) == ()


def test_the_parts_of_a_model_get_different_seeds():
    """Two parts with the same seed would draw the same numbers."""
    pipeline = make_pipeline(QuantileTransformer(), LogisticRegression())
    seeded = seeded_parameters(open_random_states(pipeline), 5)
    assert len(set(seeded.values())) == 2
    pipeline.set_params(**seeded)
