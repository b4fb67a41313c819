"""A new kind of store is one file and one line: here `tests/stores/toy.py`, and its scheme in `STORES`."""

import json

import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.contracts.store_contract import StoreContract
from tests.stores.toy import ToyStore
from tiebreak.stores import STORES, open_store


@pytest.fixture
def url(monkeypatch, tmp_path):
    monkeypatch.setitem(STORES, "toy", "tests.stores.toy:ToyStore")
    return f"toy://{tmp_path}"


def test_an_address_of_its_scheme_opens_it(url):
    """Runs are kept under it, gone on with, and read back, without a change anywhere else."""
    X, y = load_iris(return_X_y=True)
    models = {"bayes": GaussianNB()}
    first = tb.evaluate(models, X, y, cv=5, store=url, name="iris")
    both = tb.evaluate(models | {"tree": DecisionTreeClassifier()}, X, y, cv=5, store=url, name="iris")
    assert isinstance(open_store(url), ToyStore)
    assert (first.n_done, both.n_done) == (5, 10)
    again = tb.read_evaluation(f"{url}#iris")
    assert again.models == ("bayes", "tree")
    assert json.loads(tb.compare(f"{url}#iris").to_json()) == json.loads(both.compare().to_json())


def test_no_store_is_no_address():
    """None means a store in memory to who measures, and nothing to who reads."""
    with pytest.raises(tb.errors.InvalidParameterError, match="a store is a URL, a path or a Store, and not NoneType"):
        tb.read_evaluation(None)


class TestToyStore(StoreContract):
    """It keeps what every store promises."""

    @pytest.fixture
    def store(self, url):
        return open_store(url)
