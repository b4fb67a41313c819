"""Steps that are fitted once: every outcome has to be that of separate fits, to the last bit."""

from __future__ import annotations

import pickle
import random
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import joblib
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
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold, f_classif, mutual_info_classif
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tiebreak.evaluation.cells import log_of
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
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def predict_proba(self, X: Any) -> Any:
        answer = self.model_.predict_proba(np.array(X.toarray() if sparse.issparse(X) else X))
        self._write(X)
        return answer

    def _write(self, X: Any) -> None:
        if sparse.issparse(X):
            X.data += self.shift
        elif isinstance(X, pd.DataFrame):
            X.iloc[:, 0] = self.shift
        else:
            X += self.shift


class Warns(TransformerMixin, BaseEstimator):
    """A transformer that may be shared, and warns at whatever it does."""

    __tiebreak_share_steps__ = True

    def fit(self, X: Any, y: Any = None) -> Warns:
        warnings.warn(f"fitted on {len(X)} rows", stacklevel=2)
        return self

    def transform(self, X: Any) -> Any:
        warnings.warn(f"{len(X)} rows came by", UserWarning, stacklevel=2)
        return np.array(X)


class Fails(TransformerMixin, BaseEstimator):
    """A transformer that may be shared, and raises where it is told to."""

    __tiebreak_share_steps__ = True

    def __init__(self, at: str = "fit") -> None:
        self.at = at

    def fit(self, X: Any, y: Any = None) -> Fails:
        warnings.warn("about to fail", stacklevel=2)
        if self.at == "fit":
            raise ValueError("no fit today")
        self.n_ = len(X)
        return self

    def transform(self, X: Any) -> Any:
        if self.at == "transform" and len(X) != self.n_:
            raise ValueError("no transform today")
        return np.array(X)


class Undeclared(TransformerMixin, BaseEstimator):
    """A transformer of somebody's own, which says nothing of being shared."""

    def fit(self, X: Any, y: Any = None) -> Undeclared:
        return self

    def transform(self, X: Any) -> Any:
        return np.array(X) + np.random.random(X.shape)  # noqa: NPY002


class Keeps(TransformerMixin, BaseEstimator):
    """A transformer that breaks its promise: it holds on to what it returns, and transforms by it."""

    __tiebreak_share_steps__ = True

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        self.table_ = np.array(X)
        return self.table_

    def fit(self, X: Any, y: Any = None) -> Keeps:
        self.fit_transform(X)
        return self

    def transform(self, X: Any) -> Any:
        return np.array(X) - self.table_[0]


class WritesIntoRows(TransformerMixin, BaseEstimator):
    """A transformer that breaks its promise: it writes into the rows that it is given."""

    __tiebreak_share_steps__ = True

    def fit(self, X: Any, y: Any = None) -> WritesIntoRows:
        return self

    def transform(self, X: Any) -> Any:
        X += 1
        return np.array(X)


class Draws(TransformerMixin, BaseEstimator):
    """A transformer that breaks its promise: it draws from the generators of the process when it is fitted."""

    __tiebreak_share_steps__ = True

    def __init__(self, generator: str = "numpy") -> None:
        self.generator = generator

    def fit(self, X: Any, y: Any = None) -> Draws:
        self.shift_ = random.random() if self.generator == "random" else np.random.random()  # noqa: NPY002
        return self

    def transform(self, X: Any) -> Any:
        return np.array(X) * (1 + self.shift_)


class DrawnClassifier(ClassifierMixin, BaseEstimator):
    """A final step whose answers depend on how much was drawn from the global generator before."""

    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight

    def fit(self, X: Any, y: Any) -> DrawnClassifier:
        self.classes_ = np.unique(y)
        self.coefficients_ = np.random.normal(size=X.shape[1])  # noqa: NPY002
        return self

    def decision_function(self, X: Any) -> Any:
        return np.asarray(X) @ self.coefficients_ * self.weight

    def predict(self, X: Any) -> Any:
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class OwnClone(TransformerMixin, BaseEstimator):
    """A transformer with a copy of its own, which remembers how often it was copied."""

    __tiebreak_share_steps__ = True

    def __init__(self, n: int = 0) -> None:
        self.n = n

    def __sklearn_clone__(self) -> OwnClone:
        return OwnClone(self.n + 1)

    def fit(self, X: Any, y: Any = None) -> OwnClone:
        return self

    def transform(self, X: Any) -> Any:
        return np.array(X) * self.n


class OwnDeepCopy(OwnClone):
    """The same by `copy.deepcopy`, cloned as others are."""

    __tiebreak_share_steps__ = True
    __sklearn_clone__ = BaseEstimator.__sklearn_clone__

    def __deepcopy__(self, memory: Any) -> OwnDeepCopy:
        return OwnDeepCopy(self.n + 1)


def outcomes(evaluation: Evaluation) -> dict[Cell, Outcome]:
    """All that was measured, by cell."""
    return {outcome.cell: outcome for outcome in log_of(evaluation).outcomes(outputs=True)}


def facts(outcome: Outcome) -> tuple[Any, ...]:
    """All of an outcome that must not depend on sharing, bit by bit."""
    scores = [
        {name: np.float64(score).tobytes() for name, score in each.items()} for each in (outcome.scores, outcome.train_scores)
    ]
    outputs = {name: (answer.dtype, answer.shape, answer.tobytes()) for name, answer in outcome.outputs.items()}
    return (
        outcome.state,
        outcome.message,
        outcome.traceback,
        outcome.warnings,
        outcome.seed,
        outcome.attempts,
        dict(outcome.undefined),
        scores,
        outputs,
    )


def compared(models: Any, X: Any = X, y: Any = Y, **options: Any) -> Evaluation:
    """What was measured with sharing, after a comparison with what was without."""
    options = {"cv": 3, "scoring": ["roc_auc", "accuracy"], **options}
    shared = tb.evaluate(models, X, y, share_steps=True, **options)
    alone = tb.evaluate(models, X, y, share_steps=False, **options)
    first, second = outcomes(shared), outcomes(alone)
    assert first.keys() == second.keys()
    for cell in first:
        assert facts(first[cell]) == facts(second[cell]), cell
    assert alone.sharing.n_fits == 0
    return shared


def candidates(*head: Any, n: int = 3) -> dict[str, Any]:
    """Pipelines that differ in their last step only; the heads are clones of one another."""
    return {f"C={C}": make_pipeline(*clone(list(head)), LogisticRegression(C=C)) for C in [0.1, 1.0, 10.0][:n]}


def shared_share(evaluation: Evaluation) -> tuple[int, int]:
    """Cells that shared, and all that might have."""
    return evaluation.sharing.n_shared, evaluation.sharing.n_fits


# --- what is shared ---------------------------------------------------------------------------------------------------------

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
        ([StandardScaler(), PCA(3, random_state=0)], X),
        ([make_pipeline(StandardScaler(), PCA(3, random_state=0)), PolynomialFeatures()], X),
        ([FeatureUnion([("pca", PCA(2, random_state=1)), ("best", SelectKBest(f_classif, k=2))])], X),
        ([SelectFromModel(DecisionTreeClassifier(random_state=0))], X),
        ([SimpleImputer(), FunctionTransformer(np.abs), FunctionTransformer(np.log1p)], X),
        ([MinMaxScaler()], sparse.csr_array(X).toarray().astype(np.float32)),
        ([VarianceThreshold()], sparse.csr_matrix(np.where(X > 1, X, 0))),
        ([StandardScaler().set_output(transform="pandas")], FRAME[list("bcdef")]),
        ([clone(COLUMNS)], FRAME),
        ([TfidfVectorizer()], TEXTS),
        ([TfidfVectorizer(tokenizer=str.split, token_pattern=None), TruncatedSVD(5, random_state=0)], TEXTS),
        ([Warns()], X),
    ],
    ids=lambda value: "-".join(type(each).__name__ for each in value) if isinstance(value, list) else type(value).__name__,
)
def test_equal_heads_are_fitted_once_on_each_split(head: list[Any], X: Any) -> None:
    """Of three candidates on three splits, two on each take over what the first has fitted."""
    evaluation = compared(candidates(*head), X, train_scores=True)
    assert shared_share(evaluation) == (6, 9)


def test_pipelines_share_as_far_as_they_are_equal() -> None:
    """Scaler by all four, scaler and PCA by two each: one cell of each split fits everything, one more its own PCA."""
    grid = tb.grid(make_pipeline(StandardScaler(), PCA(random_state=0), SVC()), {"pca__n_components": [2, 3], "svc__C": [1, 10]})
    evaluation = compared(grid)
    assert shared_share(evaluation) == (9, 12)


def test_cells_of_equal_heads_follow_one_another_wherever_they_stand() -> None:
    """Two heads in turn are sorted, so that each is fitted once on a split."""
    heads = [StandardScaler(), MinMaxScaler()]
    models = {f"{number}": make_pipeline(clone(heads[number % 2]), LogisticRegression(C=number + 1)) for number in range(6)}
    assert shared_share(compared(models)) == (12, 18)


def test_different_names_of_steps_and_last_steps_do_not_matter() -> None:
    """A step is its class and parameters."""
    models = {
        "one": Pipeline([("scale", StandardScaler()), ("model", GaussianNB())]),
        "two": Pipeline([("first", "passthrough"), ("other", StandardScaler()), ("tree", DecisionTreeClassifier())]),
    }
    assert shared_share(compared(models)) == (3, 6)


def test_fit_seconds_are_those_of_a_model_alone() -> None:
    """Where the head takes nearly all of the time, all candidates take about as long, whoever has fitted it."""
    texts = [" ".join(f"word{(number * step) % 997}" for step in range(1, 800)) for number in range(90)]
    models = {str(alpha): make_pipeline(TfidfVectorizer(), MultinomialNB(alpha=alpha)) for alpha in (0.1, 1.0, 10.0)}
    evaluation = tb.evaluate(models, texts, Y, cv=3)
    seconds = {outcome.cell: outcome.fit_seconds for outcome in outcomes(evaluation).values()}
    for split in range(3):
        first, *others = (seconds[Cell(0, split, model)] for model in range(3))
        assert all(each > 0.3 * first for each in others)


# --- what is not ------------------------------------------------------------------------------------------------------------


def pairs_of_functions() -> Iterator[Any]:
    """Two heads that are equal but for a lambda, and two whose lambdas are the same."""
    yield [FunctionTransformer(lambda table: table + 1), FunctionTransformer(lambda table: table * 2)]
    same = lambda table: table * 2  # noqa: E731
    yield [FunctionTransformer(same), FunctionTransformer(same)]


@pytest.mark.parametrize("heads", list(pairs_of_functions()))
def test_lambdas_are_never_shared(heads: list[Any]) -> None:
    """What a function of a user does is not known, so two are never taken to be equal."""
    models = {f"{number}": make_pipeline(head, LogisticRegression()) for number, head in enumerate(heads)}
    assert shared_share(compared(models)) == (0, 0)


@pytest.mark.parametrize(
    "head",
    [
        PCA(3, random_state=np.random.RandomState(0)),
        StandardScaler(copy=False),
        KNNImputer(copy=False),
        SelectKBest(mutual_info_classif, k=2),
        OwnClone(),
        OwnDeepCopy(),
        Undeclared(),
        make_pipeline(StandardScaler(), PCA(3, random_state=0), memory="cache"),
    ],
    ids=lambda head: type(head).__name__,
)
def test_what_is_not_known_to_be_equal_is_not_shared(head: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Generators, steps in place, copies of their own, foreign classes and caches stay with each model."""
    monkeypatch.chdir(tmp_path)
    models = candidates(head)
    if isinstance(head, SelectKBest):  # draws from the global generator, with sharing or without
        assert shared_share(tb.evaluate(models, X, Y, cv=3)) == (0, 0)
    else:
        assert shared_share(compared(models)) == (0, 0)


def test_seeds_that_are_open_differ_by_model_and_the_page_says_what_a_number_would_bring() -> None:
    """The seed of a cell comes from the model's name, so that equal heads draw differently."""
    evaluation = compared(candidates(StandardScaler(), PCA(3)))
    assert evaluation.sharing.lacking_seed == (("PCA", 3),)
    assert shared_share(evaluation) == (6, 9)
    assert "3 models would share the fit of PCA if its random_state were a number" in str(evaluation)
    assert "would share" not in str(compared(candidates(StandardScaler(), PCA(3, random_state=0))))


def test_a_state_that_draws_is_not_shared() -> None:
    """An imputer that samples draws from a generator that moves on with each transform."""
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    head = IterativeImputer(sample_posterior=True, random_state=0, max_iter=2)
    evaluation = compared(candidates(head), np.where(X > 1.5, np.nan, X), scoring=["accuracy", "neg_log_loss"])
    assert shared_share(evaluation) == (0, 9)
    assert evaluation.sharing.n_unsafe == 9
    assert "a step may write into what it is given" in str(evaluation)


@pytest.mark.parametrize("head", [Keeps(), WritesIntoRows(), FunctionTransformer()], ids=lambda head: type(head).__name__)
def test_a_broken_promise_costs_sharing_and_no_bit(head: Any) -> None:
    """What is held on to, or written into, is seen, and every model fits its own."""
    models = {str(shift): make_pipeline(clone(head), WritesIntoItsTable(shift)) for shift in (1.0, 2.0)}
    assert compared(models, scoring=["accuracy", "neg_log_loss"]).sharing.n_shared == 0


@pytest.mark.parametrize("generator", ["numpy", "random"])
def test_steps_that_draw_from_the_process_are_not_shared(generator: str) -> None:
    """The generators of the process are seeded by cell, so equal steps that draw from them differ by model."""
    models = {str(depth): make_pipeline(Draws(generator), DecisionTreeClassifier(max_depth=depth)) for depth in (1, 2)}
    evaluation = compared(models)
    assert shared_share(evaluation) == (0, 6)
    assert "or draw at random" in " ".join(str(evaluation).split())


def test_without_seeds_the_order_of_cells_stays() -> None:
    """With rng=None a score depends on what was drawn before it, so sharing must not sort the cells."""
    heads = [StandardScaler(), MinMaxScaler()]
    models = {str(number): make_pipeline(clone(heads[number % 2]), DrawnClassifier(number)) for number in range(4)}

    def scores(*, share_steps: bool) -> bytes:
        np.random.seed(7)  # noqa: NPY002
        options = {"cv": 3, "scoring": "roc_auc", "rng": None, "share_steps": share_steps}
        return np.asarray(tb.evaluate(models, X, Y, **options).scores().matrix().score).tobytes()

    assert scores(share_steps=True) == scores(share_steps=False)


def test_steps_that_print_are_not_shared() -> None:
    """Lines that `verbose` asks for are printed by every model that would have printed them."""
    models = candidates(FeatureUnion([("scaled", StandardScaler())], verbose=True))
    assert shared_share(compared(models)) == (0, 0)


def test_set_output_is_part_of_a_step() -> None:
    """A frame and an array are two heads, although the parameters are the same."""
    models = {
        "frame": make_pipeline(StandardScaler().set_output(transform="pandas"), DecisionTreeClassifier()),
        "array": make_pipeline(StandardScaler(), DecisionTreeClassifier()),
    }
    assert shared_share(compared(models, FRAME[list("bcdef")])) == (0, 0)


def test_settings_of_scikit_learn_change_no_bit() -> None:
    """Frames everywhere, and metadata routing."""
    with config_context(transform_output="pandas", enable_metadata_routing=True):
        assert shared_share(compared(candidates(StandardScaler()), FRAME[list("bcdef")])) == (6, 9)
        weighted = {
            str(C): make_pipeline(StandardScaler(), LogisticRegression(C=C).set_fit_request(sample_weight=True)) for C in (1, 2)
        }
        compared(weighted, sample_weight=np.linspace(1, 2, 90))


def test_weights_of_the_last_step_leave_the_head_alone_and_those_of_the_head_do_not() -> None:
    """Sample weights go to the last step; a scaler that is given some is fitted each time."""
    weights = np.linspace(1, 2, 90)
    assert shared_share(compared(candidates(StandardScaler()), sample_weight=weights)) == (6, 9)
    routed = {"standardscaler__sample_weight": weights}
    assert shared_share(compared(candidates(StandardScaler()), fit_params=routed)) == (0, 0)


def test_a_metric_that_asks_the_model_itself_needs_all_of_it() -> None:
    """Such a metric may look at any step."""
    n_features = {"n": lambda model, X, y: float(model.steps[0][1].n_features_in_)}
    evaluation = compared(candidates(StandardScaler()), scoring=n_features)
    assert shared_share(evaluation) == (0, 0)
    assert evaluation.scores().matrix().score[0].tolist() == [6.0] * 3


def test_tables_that_need_too_much_memory_are_not_kept_and_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times the rows' size would be kept; with a tenth of a megabyte free it is not."""
    monkeypatch.setattr("tiebreak.evaluation.table_copies.ALWAYS", 0)
    monkeypatch.setattr("tiebreak.evaluation.table_copies._free_memory", lambda: 100_000)
    evaluation = compared(candidates(PolynomialFeatures(3)))
    assert shared_share(evaluation) == (0, 9)
    assert evaluation.sharing.n_too_large == 9
    assert "9 fits of leading steps shared nothing: the tables" in str(evaluation)


# --- failures and warnings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["fit", "transform"])
def test_errors_of_a_head_are_every_sharers_own(at: str) -> None:
    """Message and traceback are those of separate fits, and nothing is kept."""
    evaluation = compared(candidates(Fails(at)))
    assert (evaluation.n_failed, evaluation.sharing.n_shared) == (9, 0)


def test_a_last_step_that_fails_leaves_the_others_alone() -> None:
    """The first candidate fails on every split; the others share among themselves."""
    models = {"bad": make_pipeline(StandardScaler(), LogisticRegression(C=-1)), **candidates(StandardScaler())}
    evaluation = compared(models)
    assert evaluation.n_failed == 3
    assert shared_share(evaluation) == (6, 9)


def test_warnings_of_a_head_are_every_sharers_own_and_in_order() -> None:
    """Those of the fit come before those of the transform, with what the last step says in between."""
    models = {str(n): make_pipeline(Warns(), SGDClassifier(max_iter=n, random_state=0)) for n in (1, 2)}
    evaluation = compared(models, scoring="accuracy")
    for outcome in outcomes(evaluation).values():
        kinds = [text.split(":")[0] for text in outcome.warnings]
        assert kinds == ["UserWarning", "UserWarning", "ConvergenceWarning", "UserWarning"]


def test_final_steps_that_write_have_tables_of_their_own() -> None:
    """Each writes into its table and its targets, at each fit and each question, and no other notices."""
    for head, rows in ((StandardScaler(), X), (TfidfVectorizer(), TEXTS), (clone(COLUMNS), FRAME)):
        models = {str(shift): make_pipeline(clone(head), WritesIntoItsTable(shift)) for shift in (1.0, 2.0, 3.0)}
        assert shared_share(compared(models, rows, scoring=["accuracy", "neg_log_loss"], train_scores=True)) == (6, 9)


# --- anything ---------------------------------------------------------------------------------------------------------------

NUMERIC_STEPS = [
    StandardScaler(),
    StandardScaler(copy=False),
    MinMaxScaler(),
    PCA(3, random_state=0),
    PCA(3),
    VarianceThreshold(),
    Warns(),
    FunctionTransformer(),
    FunctionTransformer(np.abs),
    SelectKBest(k=2),
    Keeps(),
    WritesIntoRows(),
    OwnClone(2),
    Fails("transform"),
    PolynomialFeatures(2),
    StandardScaler().set_output(transform="pandas"),
    "passthrough",
    FeatureUnion([("a", MinMaxScaler()), ("b", PCA(2, random_state=0))]),
]
LAST_STEPS = [
    GaussianNB(),
    WritesIntoItsTable(1.0),
    WritesIntoItsTable(2.0),
    KNeighborsClassifier(),
    LogisticRegression(),
    LogisticRegression(C=-1),
    LogisticRegression(warm_start=True, C=0.1),
    DecisionTreeClassifier(),
    SGDClassifier(max_iter=2),
    make_pipeline(StandardScaler(), GaussianNB()),
]


@settings(max_examples=25)
@given(data=st.data())
def test_random_pipelines_measure_the_same_with_and_without_sharing(data: st.DataObject) -> None:
    """Chains of steps of all kinds, drawn from few prefixes so that many are equal, on arrays, frames and text."""
    kind = data.draw(st.sampled_from(["array", "float32", "frame", "mixed", "text"]))
    first = {"mixed": [clone(COLUMNS)], "text": [CountVectorizer(), TfidfVectorizer()]}.get(kind, NUMERIC_STEPS)
    rows = {"array": X, "float32": X.astype(np.float32), "frame": FRAME[list("bcdef")], "mixed": FRAME, "text": TEXTS}[kind]
    step = st.sampled_from(range(len(NUMERIC_STEPS)))
    heads = data.draw(st.lists(st.lists(step, max_size=2), min_size=1, max_size=2))
    models = {}
    for number in range(data.draw(st.integers(2, 6))):
        begin = first[data.draw(st.integers(0, len(first) - 1)) if first is not NUMERIC_STEPS else heads[0][0] if heads[0] else 0]
        then = [NUMERIC_STEPS[each] for each in data.draw(st.sampled_from(heads))] if kind not in ("text", "mixed") else []
        last = LAST_STEPS[data.draw(st.integers(0, len(LAST_STEPS) - 1))]
        parts = [*([begin] if begin != "passthrough" else []), *then]
        steps = [(f"s{place}", part if isinstance(part, str) else clone(part)) for place, part in enumerate(parts)]
        models[f"m{number}"] = Pipeline([*steps, ("last", clone(last))])
    scoring = data.draw(st.sampled_from(["accuracy", ["accuracy", "f1"]]))
    compared(models, rows, cv=2, scoring=scoring, train_scores=data.draw(st.booleans()))


# --- runs -------------------------------------------------------------------------------------------------------------------


def test_a_run_goes_on_with_and_without_sharing(tmp_path: Any) -> None:
    """Hashes of models, data and splits know nothing of sharing, so that each goes on with what the other began."""
    url = f"sqlite:///{tmp_path}/runs.db"
    models = candidates(StandardScaler())
    for share_steps, n in ((True, 1), (False, 2), (True, 3)):
        part = dict(list(models.items())[:n])
        evaluation = tb.evaluate(part, X, Y, cv=3, store=url, name="run", share_steps=share_steps)
    again = tb.evaluate(models, X, Y, cv=3, share_steps=False)
    assert evaluation.scores().matrix().score.tobytes() == again.scores().matrix().score.tobytes()
    assert tb.evaluate(models, X, Y, cv=3, store=url, name="run").sharing.n_fits == 0  # all is there


def test_workers_share_too_and_give_the_same_bits() -> None:
    """Two processes, each with heads of its own."""
    grid = tb.grid(make_pipeline(StandardScaler(), PCA(random_state=0), SVC()), {"pca__n_components": [2, 3], "svc__C": [1, 10]})
    evaluation = compared(grid, n_jobs=2, timeout=60)
    assert evaluation.sharing.n_shared > 0


def test_an_evaluation_takes_along_what_was_shared() -> None:
    """A pickled copy tells the same."""
    evaluation = tb.evaluate(candidates(StandardScaler()), X, Y, cv=3)
    assert pickle.loads(pickle.dumps(evaluation)).sharing == evaluation.sharing
    assert "6 of 9 fits of leading steps shared" in str(evaluation)


def without_seconds(answer: Any) -> pd.DataFrame:
    """Frame of an answer, without the times of its fits."""
    frame = answer.to_frame()
    return frame.drop(columns=[name for name in frame.columns if "seconds" in name])


def test_curves_share() -> None:
    """The values of a parameter are cells like all others."""
    grid = candidates(StandardScaler())
    curves = [
        tb.validation_curve(grid["C=1.0"], X, Y, parameter="logisticregression__C", values=[0.1, 1, 10], cv=3, share_steps=share)
        for share in (True, False)
    ]
    assert without_seconds(curves[0]).equals(without_seconds(curves[1]))
    sizes = [tb.learning_curve(grid, X, Y, sizes=[30, 60], cv=3, share_steps=share) for share in (True, False)]
    assert without_seconds(sizes[0]).equals(without_seconds(sizes[1]))


def test_share_steps_is_a_flag() -> None:
    """Anything but True and False is refused."""
    with pytest.raises(tb.errors.InvalidParameterError, match="share_steps must be True or False"):
        tb.evaluate(candidates(StandardScaler()), X, Y, share_steps="yes")  # type: ignore[arg-type]


def test_kinds_are_counted() -> None:
    """The first candidate of a split has fitted, the others have shared."""
    evaluation = tb.evaluate(candidates(StandardScaler()), X, Y, cv=3)
    kinds = Counter(outcome.leading.kind for outcome in outcomes(evaluation).values() if outcome.leading)
    assert kinds == {"fitted": 3, "shared": 6}


def test_the_backend_of_joblib_shares_too() -> None:
    """Rounds of two batches for each of two processes."""
    with joblib.parallel_config(backend="loky", n_jobs=2):
        evaluation = compared(candidates(StandardScaler()), runner="joblib")
    assert evaluation.sharing.n_shared > 0
