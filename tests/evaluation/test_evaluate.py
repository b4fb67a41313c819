"""Runs: what is measured, kept, resumed and amended."""

import re
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb
from tests.contracts.plans import a_plan, all_cells, an_outcome, claimed
from tiebreak.errors import ChangedRunError, DataError, InvalidParameterError, UnknownNameError
from tiebreak.evaluation.evaluate import Claims, Tracker
from tiebreak.evaluation.progress import Progress
from tiebreak.plan.record import Cell, Outcome
from tiebreak.stores.contract import Claim
from tiebreak.stores.lease import SqlLease
from tiebreak.stores.sql import MemoryStore

X, Y = make_classification(n_samples=60, n_features=5, flip_y=0.2, random_state=2)
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}


class Counting(GaussianNB):
    """Writes a line for each fit, so that fits can be counted across processes."""

    def __init__(self, path: str = "", fail_on: int | None = None) -> None:
        super().__init__()
        self.path = path
        self.fail_on = fail_on

    def fit(self, X: Any, y: Any) -> Any:
        with Path(self.path).open("a") as file:
            file.write("fit\n")
        return super().fit(X, y)


def table(evaluation: tb.Evaluation, metric: str | None = None) -> list[list[float]]:
    """Models by splits."""
    return evaluation.scores(metric).matrix().score.tolist()


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store that is not there yet."""
    return f"sqlite:///{tmp_path / 'runs.db'}"


@pytest.fixture
def counting(tmp_path: Path) -> tuple[Counting, Callable[[], int]]:
    """A model, and how often it was fitted."""
    path = tmp_path / "fits.txt"
    return Counting(str(path)), lambda: path.read_text().count("fit") if path.exists() else 0


# --- what is measured -------------------------------------------------------------------------------------------------------


def test_every_model_is_measured_on_every_split():
    """Two models on 3 x 4 folds; the comparison sees exact sizes and keys."""
    evaluation = tb.evaluate(MODELS, X, Y, cv={"kind": "repeated-stratified", "n_folds": 4, "n_repeats": 3})
    assert (evaluation.n_cells, evaluation.n_done, evaluation.n_failed) == (24, 24, 0)
    scores = evaluation.scores()
    assert scores.design.kind == "repeated-stratified"
    assert scores.design.sizes == "exact"
    matrix = scores.matrix()
    assert (matrix.models, matrix.n_splits) == (("bayes", "tree"), 12)
    assert set(matrix.n_test.tolist()) == {15}


@pytest.mark.slow
def test_two_workers_give_the_same_bits_as_one():
    """Scores and predictions, of models that draw at random too."""
    one, two = (tb.evaluate(MODELS, X, Y, cv=5, scoring=["accuracy", "neg_log_loss"], n_jobs=n, timeout=60) for n in (1, 2))
    here = tb.evaluate(MODELS, X, Y, cv=5, scoring=["accuracy", "neg_log_loss"])
    for metric in ("accuracy", "log_loss"):
        assert table(one, metric) == table(two, metric) == table(here, metric)
    assert one.predictions.equals(two.predictions)
    assert one.predictions.equals(here.predictions)


def test_several_datasets_keep_their_own_splits():
    """Names go with the scores."""
    scores = tb.evaluate(MODELS, datasets={"all": (X, Y), "half": (X[:30], Y[:30])}, cv=3).scores()
    assert scores.datasets == ("all", "half")
    assert [matrix.n_test.sum() for matrix in scores.matrices] == [60, 30]


# --- stores -----------------------------------------------------------------------------------------------------------------


def test_the_same_call_measures_nothing_twice(url: str, counting: Any):
    """Five fits, however often it is called; the scores are the same bits."""
    model, n_fits = counting
    first = tb.evaluate({"m": model}, X, Y, cv=5, store=url)
    second = tb.evaluate({"m": model}, X, Y, cv=5, store=url)
    assert n_fits() == 5
    assert table(first) == table(second)
    assert table(tb.read_evaluation(url)) == table(first)


@pytest.mark.parametrize("place", ["before", "after"])
def test_an_interrupt_beside_a_write_is_counted_right(url: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells are written when Ctrl-C comes, and not counted yet, or just so: as many are said, and told to who listens."""
    kind, method = (Claims, "write") if place == "before" else (Tracker, "add")
    original, calls = getattr(kind, method), iter([True])

    def interrupted(self: Any, outcomes: Any, *more: Any) -> Any:
        done = original(self, outcomes, *more)
        if outcomes and next(calls, False):
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(kind, method, interrupted)
    told: list[Progress] = []
    with pytest.raises(KeyboardInterrupt) as caught:
        tb.evaluate({"m": GaussianNB()}, X, Y, cv=5, store=url, name="r", progress=told.append)
    kept = len(tb.read_evaluation(url).to_frame())
    assert kept > 0
    assert caught.value.__notes__ == [f"{kept} of 5 cells of run 'r' are kept in {url}; the same call goes on from there."]
    assert (told[-1].is_finished, told[-1].n_done) == (True, kept)


def test_an_interrupted_run_goes_on_where_it_was(url: str, counting: Any):
    """Ctrl-C after two cells: those two are kept, the note says so, and the next call does the other three."""
    model, n_fits = counting

    calls = iter([False, False, True])

    class Interrupted(Counting):
        def fit(self, X: Any, y: Any) -> Any:
            if next(calls, False):
                raise KeyboardInterrupt
            return super().fit(X, y)

    with pytest.raises(KeyboardInterrupt) as caught:
        tb.evaluate({"m": Interrupted(model.path)}, X, Y, cv=5, store=url, name="r")
    assert caught.value.__notes__ == [f"2 of 5 cells of run 'r' are kept in {url}; the same call goes on from there."]
    assert n_fits() == 2
    evaluation = tb.evaluate({"m": Interrupted(model.path)}, X, Y, cv=5, store=url, name="r")
    assert n_fits() == 5
    assert table(evaluation) == table(tb.evaluate({"m": GaussianNB()}, X, Y, cv=5))


def test_a_model_and_a_repeat_more_amend_a_run(url: str, counting: Any):
    """Only what is new is measured: 6 fits for 2 x 3 folds, then 3 for another repeat; another model costs the first none."""
    model, n_fits = counting

    def cv(n_repeats: int) -> dict[str, Any]:
        return {"kind": "repeated-stratified", "n_folds": 3, "n_repeats": n_repeats}

    tb.evaluate({"m": model}, X, Y, cv=cv(2), store=url)
    assert n_fits() == 6
    tb.evaluate({"m": model, "bayes": GaussianNB()}, X, Y, cv=cv(2), store=url)
    assert n_fits() == 6
    evaluation = tb.evaluate({"bayes": GaussianNB(), "m": model}, X, Y, cv=cv(3), store=url)
    assert n_fits() == 9
    assert evaluation.n_done == 18
    assert table(evaluation)[0] == table(evaluation)[1]
    assert (tb.evaluate({"m": model}, X, Y, cv=cv(1), store=url).n_cells, n_fits()) == (3, 9)


def test_a_metric_more_is_computed_from_the_predictions_that_were_kept(url: str, counting: Any):
    """No fit is done again, and the scores are those of a fresh call."""
    model, n_fits = counting
    tb.evaluate({"m": model}, X, Y, cv=5, scoring=["neg_log_loss", "accuracy"], store=url)
    evaluation = tb.evaluate({"m": model}, X, Y, cv=5, scoring=["neg_log_loss", "roc_auc", "f1", "accuracy"], store=url)
    assert n_fits() == 5
    fresh = tb.evaluate({"m": GaussianNB()}, X, Y, cv=5, scoring=["neg_log_loss", "roc_auc", "f1", "accuracy"])
    for metric in fresh.metrics:
        assert table(evaluation, metric) == table(fresh, metric)


def test_a_metric_that_predictions_do_not_tell_is_measured(url: str, counting: Any):
    """Without predictions, or where the metric asks for another method, the cells are fitted again."""
    model, n_fits = counting
    tb.evaluate({"m": model}, X, Y, cv=5, scoring="accuracy", store=url)
    evaluation = tb.evaluate({"m": model}, X, Y, cv=5, scoring=["accuracy", "neg_log_loss"], store=url)
    assert n_fits() == 10
    assert table(evaluation, "log_loss") == table(tb.evaluate({"m": GaussianNB()}, X, Y, cv=5, scoring="neg_log_loss"))


def test_failures_are_kept_and_tried_again_only_when_asked(url: str, tmp_path: Path):
    """A fault that was put right does not change the model: the same call keeps the failures, retry_failed measures them."""
    switch = tmp_path / "broken"
    switch.touch()

    class Sometimes(GaussianNB):
        def fit(self, X: Any, y: Any) -> Any:
            if switch.exists():
                raise OSError("disk on fire")
            return super().fit(X, y)

    assert tb.evaluate({"m": Sometimes()}, X, Y, cv=3, store=url).n_failed == 3
    switch.unlink()
    assert tb.evaluate({"m": Sometimes()}, X, Y, cv=3, store=url).n_failed == 3
    evaluation = tb.evaluate({"m": Sometimes()}, X, Y, cv=3, store=url, retry_failed=True)
    assert (evaluation.n_done, evaluation.n_failed) == (3, 0)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"X": X + 1}, "data"),
        ({"models": {"m": SVC(C=2)}}, "'m'"),
        ({"cv": 4}, "split"),
        ({"rng": 1}, "rng"),
    ],
)
def test_a_run_of_the_same_name_must_be_the_same(url: str, change: dict[str, Any], what: str):
    """Other data, another model of that name, other splits or another seed are refused, and nothing is lost."""
    base: dict[str, Any] = {"models": {"m": SVC()}, "X": X, "y": Y, "cv": 5, "store": url, "name": "r"}
    before = table(tb.evaluate(**base))
    with pytest.raises(ChangedRunError, match=f"'r'.*{what}|{what}.*'r'"):
        tb.evaluate(**base | change)
    assert table(tb.evaluate(**base)) == before


# --- failures beside good models --------------------------------------------------------------------------------------------


def test_a_model_that_fails_on_some_splits_is_not_averaged_away():
    """Comparing it is an error that names the splits, unless the caller accepts pairs of fewer splits."""

    class Fussy(GaussianNB):
        def fit(self, X: Any, y: Any) -> Any:
            if X[0, 0] == first:
                raise ValueError("not this one")
            return super().fit(X, y)

    first = X[np.arange(60) >= 6][0, 0]
    evaluation = tb.evaluate(
        {**MODELS, "fussy": Fussy()}, X, Y, cv=[(np.setdiff1d(np.arange(60), t), t) for t in np.split(np.arange(60), 10)]
    )
    assert evaluation.n_failed == 1
    with pytest.raises(tb.errors.DataError):
        evaluation.compare()
    pairs = evaluation.compare(missing="pairwise").pairs
    assert sorted(pairs["n_units"]) == [9, 9, 10]


def test_nothing_to_compare_says_why():
    """All cells failed: the most frequent message is in the error."""

    def broken(X_train: Any, y_train: Any, X_test: Any, rng: Any) -> Any:
        raise ValueError("no such thing")

    evaluation = tb.evaluate([broken], X, Y, cv=3)
    message = (
        "no model has a score in 'accuracy'. 3 of 3 cells failed, most often with: ValueError: no such thing. See "
        "evaluation.failures."
    )
    with pytest.raises(tb.errors.DataError, match=f"^{re.escape(message)}$"):
        evaluation.compare()
    with pytest.raises(tb.errors.DataError, match=r"there is only 'bayes'\. 'broken' is left out: it has no score on any split"):
        tb.evaluate({"bayes": GaussianNB(), "broken": broken}, X, Y, cv=3).compare()


# --- bad input --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"scoring": "roc_acu"}, UnknownNameError, "roc_auc"),
        ({"models": {"l": LinearSVC()}, "scoring": "neg_log_loss"}, DataError, "'l'"),
        ({"name": ""}, InvalidParameterError, "name must be a text that is not empty; got ''."),
        ({"retry_failed": "no"}, InvalidParameterError, "retry_failed must be True or False; got 'no'."),
        ({"keep_predictions": 1}, InvalidParameterError, "keep_predictions must be True or False; got 1."),
        ({"progress": "bar"}, InvalidParameterError, "progress must be True, False, None or a callable; got 'bar'."),
        (
            {"sample_weight": np.ones(60), "models": {"f": lambda a, b, c, d: c}},
            DataError,
            "model 'f' is a function, which is given",
        ),
        ({"n_jobs": 0}, InvalidParameterError, "n_jobs"),
        ({"timeout": -1}, InvalidParameterError, "timeout"),
    ],
)
def test_wrong_use_is_refused_before_the_first_fit(arguments: dict[str, Any], error: type[Exception], message: str):
    """The text names what is wrong."""
    with pytest.raises(error, match=re.escape(message)):
        tb.evaluate(**{"models": {"m": LogisticRegression()}, "X": X, "y": Y, "cv": 3} | arguments)


def test_a_store_that_was_asked_for_and_cannot_be_is_refused_before_the_first_fit(tmp_path: Path, counting: Any):
    """A text file is no store, and stays as it is."""
    model, n_fits = counting
    path = tmp_path / "notes.db"
    path.write_text("buy milk\n" * 100)
    with pytest.raises(tb.TiebreakError, match=r"notes\.db"):
        tb.evaluate({"m": model}, X, Y, cv=3, store=f"sqlite:///{path}")
    assert n_fits() == 0
    assert path.read_text() == "buy milk\n" * 100


@pytest.mark.parametrize("name", ["\ud800", " ", ""])
def test_names_can_be_read_and_kept(name: str):
    """Half a character fits into no file, and a blank is seen by nobody: of models and, where it is given, of datasets."""
    with pytest.raises(tb.TiebreakError, match=r"of a model (is blank|holds half of a character)"):
        tb.evaluate({name: GaussianNB()}, X, Y, cv=2)
    if name:
        with pytest.raises(tb.TiebreakError, match=r"of a dataset (is blank|holds half of a character)"):
            tb.evaluate({"m": GaussianNB()}, datasets={name: (X, Y)}, cv=2)


# --- progress ---------------------------------------------------------------------------------------------------------------


def test_progress_is_reported_from_the_first_to_the_last_cell():
    """The first report has nothing done, the last everything."""
    seen: list[Any] = []
    tb.evaluate(MODELS, X, Y, cv=5, progress=seen.append)
    assert (seen[0].n_done, seen[0].n_cells) == (0, 10)
    assert (seen[-1].n_done, seen[-1].is_finished) == (10, True)
    assert seen[-1].seconds_left == 0


PLAN = a_plan(models=[f"m{i}" for i in range(25)])
CELLS = all_cells(PLAN)


def test_cells_of_others_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that they have measured are settled; those that they give back are measured here."""
    kept: list[Outcome] = []
    waited: list[int] = []

    def tell(outcomes: Sequence[Outcome], n_elsewhere: int) -> None:
        kept.extend(outcomes)
        waited.append(n_elsewhere)

    log = MemoryStore().open(PLAN)
    other = SqlLease(log)
    claimed(other, CELLS[:3])
    with SqlLease(log) as lease:
        claims = Claims(lease, deque(CELLS), (), tell)
        mine = list(claims)
        assert mine == CELLS[3:]
        assert len(claims.held) == 3
        claims.write([an_outcome(cell) for cell in mine])
        pauses = []

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 2:
                other.exchange([an_outcome(CELLS[0])])
            if len(pauses) == 4:
                other.__exit__(None, None, None)

        monkeypatch.setattr(time, "sleep", pause)
        assert set(waited) == {0}
        assert claims.wait()
        assert waited[-5:] == [3, 3, 2, 2, 0]
        assert list(claims) == CELLS[1:3]
        claims.write([an_outcome(cell) for cell in CELLS[1:3]])
        assert not claims.wait()
        assert [outcome.cell for outcome in kept] == [*CELLS[3:], CELLS[0], *CELLS[1:3]]
    assert len(pauses) == 4


class Lost:
    """A lease that others have taken over: it refuses what is handed in, and grants what is asked for."""

    def __init__(self) -> None:
        self.asked: list[list[Cell]] = []

    def exchange(self, outcomes: list[Any], wanted: list[Cell], *, again: Any = ()) -> tuple[list[Any], Claim]:
        self.asked.append(list(wanted))
        return list(outcomes), Claim(list(wanted), [], [])


def test_after_a_refusal_the_store_is_asked_again_for_what_was_taken_on_beside() -> None:
    """Others may have that as well; what was refused is theirs."""
    lease = Lost()
    kept: list[Outcome] = []
    claims = Claims(lease, deque(CELLS[:8]), (), lambda outcomes, _: kept.extend(outcomes))  # type: ignore[arg-type]
    assert next(claims) == CELLS[0]
    claims.write([an_outcome(CELLS[0])])
    assert kept == []
    assert len(claims.held) == 1
    assert list(claims) == CELLS[1:8]
    assert lease.asked[-1][0] in CELLS[1:8]
    assert CELLS[1] in [cell for cells in lease.asked[2:] for cell in cells]
