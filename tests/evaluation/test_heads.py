"""Leading steps that are fitted once: every outcome has to be that of separate fits, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold, f_classif, mutual_info_classif
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tiebreak.evaluation import heads
from tiebreak.evaluation.evaluation import Evaluation
from tiebreak.plan.record import Cell, Outcome

X, Y = make_classification(n_samples=90, n_features=6, n_informative=4, flip_y=0.2, random_state=1)
TEXTS = [" ".join(f"word{(number * step) % 37}" for step in range(1, 12)) for number in range(90)]
FRAME = pd.DataFrame(X, columns=list("abcdef")).assign(g=[f"kind{number % 4}" for number in range(90)])
FRAME.loc[::9, "a"] = np.nan


class WritesIntoItsTable(ClassifierMixin, BaseEstimator):
    """A final step that writes into what it is given whenever it is given something."""

    def __init__(self, shift: float = 1.0) -> None:
        self.shift = shift

    def fit(self, X: Any, y: Any) -> WritesIntoItsTable:
        self.model_ = GaussianNB().fit(X.toarray() if sparse.issparse(X) else X, y)
        self.classes_ = self.model_.classes_
        self._write(X)
        y[:] = y[0]
        return self

    def predict(self, X: Any) -> Any:
        answer = self.model_.predict(np.array(X.toarray() if sparse.issparse(X) else X))
        self._write(X)
        return answer

    def _write(self, X: Any) -> None:
        if sparse.issparse(X):
            X.data += self.shift
        elif isinstance(X, pd.DataFrame):
            X.iloc[:, 0] = self.shift
        else:
            X += self.shift


class Own(TransformerMixin, BaseEstimator):
    """A transformer of somebody's own."""

    def fit(self, X: Any, y: Any = None) -> Own:
        return self

    def transform(self, X: Any) -> Any:
        return np.array(X) + np.random.random(X.shape)  # noqa: NPY002


def outcomes(evaluation: Evaluation) -> dict[Cell, Outcome]:
    """All that was measured, by cell."""
    return {outcome.cell: outcome for outcome in evaluation.log.outcomes(outputs=True)}


def facts(outcome: Outcome) -> tuple[Any, ...]:
    """All of an outcome that must not depend on sharing, bit by bit."""
    scores = [
        {name: np.float64(score).tobytes() for name, score in each.items()} for each in (outcome.scores, outcome.train_scores)
    ]
    outputs = {name: (answer.dtype, answer.shape, answer.tobytes()) for name, answer in outcome.outputs.items()}
    return outcome.state, outcome.message, outcome.warnings, outcome.seed, dict(outcome.undefined), scores, outputs


def compared(models: Any, X: Any = X, y: Any = Y, **options: Any) -> int:
    """Number of cells that shared, after a comparison with what was measured without."""
    options = {"cv": 3, "scoring": ["accuracy"], **options}
    shared = tb.evaluate(models, X, y, share_steps=True, **options)
    alone = tb.evaluate(models, X, y, share_steps=False, **options)
    first, second = outcomes(shared), outcomes(alone)
    assert first.keys() == second.keys()
    for cell in first:
        assert facts(first[cell]) == facts(second[cell]), cell
    assert alone.n_shared == 0
    return shared.n_shared


def candidates(*head: Any) -> dict[str, Any]:
    """Three pipelines that differ in their last step only; the heads are clones of one another."""
    return {f"C={C}": make_pipeline(*clone(list(head)), LogisticRegression(C=C)) for C in [0.1, 1.0, 10.0]}


COLUMNS = ColumnTransformer(
    [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include=np.number)),
        ("kinds", OneHotEncoder(handle_unknown="ignore"), ["g"]),
    ]
)


@pytest.mark.parametrize(
    ("head", "X"),
    [
        ([StandardScaler()], X),
        ([make_pipeline(StandardScaler(), PCA(3, random_state=0)), PolynomialFeatures()], X),
        ([FeatureUnion([("pca", PCA(2, random_state=1)), ("best", SelectKBest(f_classif, k=2))])], X),
        ([SelectFromModel(DecisionTreeClassifier(random_state=0))], X),
        ([SimpleImputer(), FunctionTransformer(np.abs), FunctionTransformer(np.log1p)], X),
        ([MinMaxScaler()], X.astype(np.float32)),
        ([VarianceThreshold()], sparse.csr_matrix(np.where(X > 1, X, 0))),
        ([clone(COLUMNS)], FRAME),
        ([TfidfVectorizer(tokenizer=str.split, token_pattern=None), TruncatedSVD(5, random_state=0)], TEXTS),
    ],
    ids=lambda value: "-".join(type(each).__name__ for each in value) if isinstance(value, list) else type(value).__name__,
)
def test_equal_heads_are_fitted_once_on_each_split(head: list[Any], X: Any) -> None:
    """Of three candidates on three splits, two on each take over what the first has fitted."""
    assert compared(candidates(*head), X, train_scores=True, scoring=["accuracy", "roc_auc"]) == 6


def test_pipelines_share_as_far_as_they_are_equal_wherever_they_stand() -> None:
    """Scaler by four, scaler and PCA by two each; two heads in turn are sorted; names do not matter."""
    grid = tb.grid(make_pipeline(StandardScaler(), PCA(random_state=0), SVC()), {"pca__n_components": [2, 3], "svc__C": [1, 10]})
    assert compared(grid) == 9
    turns = [StandardScaler(), MinMaxScaler()]
    assert compared({f"{n}": make_pipeline(clone(turns[n % 2]), LogisticRegression(C=n + 1)) for n in range(6)}) == 12
    names = {
        "one": Pipeline([("scale", StandardScaler()), ("model", GaussianNB())]),
        "two": Pipeline([("first", "passthrough"), ("other", StandardScaler()), ("tree", DecisionTreeClassifier())]),
    }
    assert compared(names) == 3


def test_fit_seconds_are_those_of_a_model_alone() -> None:
    """Where the head takes nearly all of the time, all candidates take about as long, whoever has fitted it."""
    texts = [" ".join(f"word{(number * step) % 997}" for step in range(1, 800)) for number in range(90)]
    models = {str(alpha): make_pipeline(TfidfVectorizer(), MultinomialNB(alpha=alpha)) for alpha in (0.1, 1.0, 10.0)}
    evaluation = tb.evaluate(models, texts, Y, cv=3)
    seconds = {outcome.cell: outcome.fit_seconds for outcome in outcomes(evaluation).values()}
    for split in range(3):
        first, *others = (seconds[Cell(0, split, model)] for model in range(3))
        assert all(each > 0.3 * first for each in others)
    assert "6 cells took leading steps that another model had fitted" in str(evaluation)


@pytest.mark.parametrize(
    "head",
    [
        FunctionTransformer(lambda table: table * 2),
        PCA(3),
        PCA(3, random_state=np.random.RandomState(0)),
        StandardScaler(copy=False),
        KNNImputer(copy=False),
        SelectKBest(mutual_info_classif, k=2),
        StandardScaler().set_output(transform="pandas"),
        FeatureUnion([("scaled", StandardScaler())], verbose=True),
        IterativeImputer(sample_posterior=True, random_state=0, max_iter=2),
        Own(),
        make_pipeline(StandardScaler(), PCA(3, random_state=0), memory="cache"),
    ],
    ids=lambda head: str(head)[:40],
)
def test_what_is_not_known_to_be_pure_is_not_shared(head: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of a user, open seeds, steps in place or with a generator, foreign classes, caches stay with each model."""
    monkeypatch.chdir(tmp_path)
    models = candidates(head)
    if isinstance(head, SelectKBest):  # draws from the global generator, with sharing or without
        assert tb.evaluate(models, X, Y, cv=3).n_shared == 0
    else:
        assert compared(models, np.where(X > 1.5, np.nan, X) if isinstance(head, IterativeImputer) else X) == 0


def test_settings_and_weights_change_no_bit() -> None:
    """Frames everywhere and routed weights share nothing; weights of the last step leave the head alone."""
    weights = np.linspace(1, 2, 90)
    with config_context(transform_output="pandas"):
        assert compared(candidates(StandardScaler()), FRAME[list("bcdef")]) == 0
    with config_context(enable_metadata_routing=True):
        asking = {
            n: make_pipeline(StandardScaler(), LogisticRegression(C=n + 1).set_fit_request(sample_weight=True)) for n in (1, 2)
        }
        compared({str(name): model for name, model in asking.items()}, sample_weight=weights)
    assert compared(candidates(StandardScaler()), sample_weight=weights) == 6
    assert compared(candidates(StandardScaler()), fit_params={"standardscaler__sample_weight": weights}) == 0


def test_a_metric_that_asks_the_model_itself_needs_all_of_it() -> None:
    """Such a metric may look at any step."""
    n_features = {"n": lambda model, X, y: float(model.steps[0][1].n_features_in_)}
    assert compared(candidates(StandardScaler()), scoring=n_features) == 0


def test_tables_that_need_too_much_memory_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty test rows of 83 numbers are 20 kB, sixty training rows twice as much."""
    monkeypatch.setattr(heads, "MOST_BYTES", 10_000)
    assert compared(candidates(PolynomialFeatures(3))) == 0


def test_failures_and_warnings_are_every_sharers_own() -> None:
    """Of a head that cannot be fitted or used, of a last step, and of a head that warns of a constant column."""
    assert compared(candidates(PCA(100, random_state=0))) == 0
    kinds = pd.DataFrame({"kind": [str(number) for number in range(90)]})
    assert compared(candidates(OneHotEncoder()), kinds) == 0
    models = {"bad": make_pipeline(StandardScaler(), LogisticRegression(C=-1)), **candidates(StandardScaler())}
    assert compared(models) >= 6
    constant = np.column_stack([X, np.ones(90)])
    warned = {str(n): make_pipeline(SelectKBest(f_classif, k=2), SGDClassifier(max_iter=n, random_state=0)) for n in (1, 2)}
    assert compared(warned, constant) == 3
    told = outcomes(tb.evaluate(warned, constant, Y, cv=3)).values()
    assert all(any("constant" in text for text in outcome.warnings) for outcome in told)


@pytest.mark.parametrize(
    ("head", "rows"), [(StandardScaler(), X), (FunctionTransformer(), X), (TfidfVectorizer(), TEXTS), (clone(COLUMNS), FRAME)]
)
def test_final_steps_that_write_have_tables_of_their_own(head: Any, rows: Any) -> None:
    """Each writes into its table and its targets, at each fit and each question, and no other notices."""
    models = {str(shift): make_pipeline(clone(head), WritesIntoItsTable(shift)) for shift in (1.0, 2.0, 3.0)}
    assert compared(models, rows, train_scores=True) == 6


STEPS = [
    StandardScaler(),
    StandardScaler(copy=False),
    PCA(3, random_state=0),
    PCA(3),
    FunctionTransformer(),
    FunctionTransformer(np.abs),
    SelectKBest(k=2),
    PolynomialFeatures(2),
    StandardScaler().set_output(transform="pandas"),
    "passthrough",
    FeatureUnion([("a", MinMaxScaler()), ("b", PCA(2, random_state=0))]),
]
LAST = [GaussianNB(), WritesIntoItsTable(1.0), WritesIntoItsTable(2.0), LogisticRegression(C=-1), DecisionTreeClassifier()]


@settings(max_examples=15)
@given(
    st.lists(st.tuples(st.lists(st.sampled_from(range(len(STEPS))), max_size=2), st.sampled_from(LAST)), min_size=2, max_size=5),
    st.sampled_from([X, X.astype(np.float32), np.asfortranarray(X), FRAME[list("bcdef")]]),
    st.booleans(),
)
def test_random_pipelines_measure_the_same_with_and_without_sharing(chains: Any, rows: Any, train_scores: bool) -> None:
    """Chains of steps of all kinds behind one scaler, on arrays and frames."""
    models = {}
    for number, (places, last) in enumerate(chains):
        steps = [StandardScaler(), *(part if isinstance(part, str) else clone(part) for part in (STEPS[each] for each in places))]
        models[f"m{number}"] = Pipeline([*((f"s{at}", step) for at, step in enumerate(steps)), ("last", clone(last))])
    compared(models, rows, cv=2, train_scores=train_scores)


def test_without_seeds_the_order_of_cells_stays() -> None:
    """With rng=None a score depends on what was drawn before it, so sharing must not sort the cells."""
    turns = [StandardScaler(), MinMaxScaler()]
    models = {
        str(n): make_pipeline(clone(turns[n % 2]), DecisionTreeClassifier(max_features=1, splitter="random")) for n in range(4)
    }

    def scores(*, share_steps: bool) -> bytes:
        np.random.seed(7)  # noqa: NPY002
        options = {"cv": 3, "scoring": "roc_auc", "rng": None, "share_steps": share_steps}
        return np.asarray(tb.evaluate(models, X, Y, **options).scores().matrix().score).tobytes()

    assert scores(share_steps=True) == scores(share_steps=False)
