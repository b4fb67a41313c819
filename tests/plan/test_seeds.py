"""Seeds that depend on what is measured only."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer
from sklearn.svm import SVC

from tiebreak.plan.seeds import derive_seed, open_random_states, seeded_parameters

names = st.text(st.characters(), max_size=20)


@given(st.integers(0, 2**31 - 1), names, names, st.integers(0, 100))
def test_a_seed_is_one_that_scikit_learn_takes(rng: int, model: str, dataset: str, fold: int):
    """From 0 to 2**31 - 1, the same for the same parts."""
    seed = derive_seed(rng, model, dataset, fold)
    assert 0 <= seed < 2**31
    assert seed == derive_seed(rng, model, dataset, fold)


def test_parts_are_kept_apart():
    """A name that ends where the other begins gives another seed."""
    assert derive_seed(0, "ab", "c") != derive_seed(0, "a", "bc")
    assert derive_seed(0, "a", 1, 2) != derive_seed(0, "a", 2, 1)


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
