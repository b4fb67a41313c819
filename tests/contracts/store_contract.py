"""What every store must do: a store's own tests inherit `StoreContract` and give it a fixture `store`."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contracts.plans import (
    VERSIONS,
    a_dataset,
    a_failure,
    a_metric,
    a_model,
    a_plan,
    all_cells,
    an_outcome,
    comparable,
)
from tests.guarded import told
from tiebreak.errors import (
    ChangedRunError,
    InvalidParameterError,
    StoreError,
    UnknownNameError,
)
from tiebreak.plan.record import STATES, Cell, Outcome, RunRecord
from tiebreak.stores.log import SqlLog
from tiebreak.stores.sql import SqlStore

HOSTILE = {
    "empty": "",
    "quotes": "'\"`'' \"\"",
    "newlines": "a\nb\r\nc\x0b\x0c\x1c\u2028\u2029",
    "nul": "a\0b\0",
    "long": "x" * 10_000,
    "path": "../../etc/passwd",
    "drive": "C:\\x\\CON",
    "sql": "'; DROP TABLE tiebreak_runs; --",
    "html": "<script>alert(1)</script>{{7*7}}",
    "formula": "=1+1",
    "lone surrogate": "a\ud800b\udfff",
    "surrogates side by side": "\ud83d\ude00 \ud83d\0\ude00 \ud83d\0\0\ude00",
    "emoji": "\U0001f600\U0001f468\u200d\U0001f469",
    "right to left": "\u202eabc\u05d0\u0627",
    "composed": "\u00e9",
    "decomposed": "e\u0301",
    "escapes": "\\ud83d\\ude00 \\u0000 %s %(run)s :run ?",
    "not a number": "NaN",
}

# a store serves for all examples, each of which deletes its run; each store's tests inherit the same function
SUPPRESSED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]

texts = st.text(alphabet=st.characters(exclude_categories=()), max_size=8)  # surrogates included
numbers = st.floats(width=64)
arrays = st.builds(
    lambda values, dtype, columns: np.array(values).astype(dtype).reshape((-1, columns) if columns else (-1,)),
    st.lists(st.integers(0, 100), max_size=4).map(lambda values: values * 2),
    st.sampled_from(["<f8", "<f4", ">f8", "|i1", "<i8", "<u2", "?", "<c16"]),
    st.sampled_from([0, 1, 2]),
)


def outcomes_of(cell: Cell) -> st.SearchStrategy[Outcome]:
    """Any outcome of a cell."""
    scores = st.dictionaries(st.sampled_from(["accuracy", "log_loss"]), numbers)
    return st.builds(
        Outcome,
        cell=st.just(cell),
        state=st.sampled_from(STATES),
        scores=scores,
        undefined=st.dictionaries(st.sampled_from(["accuracy", "log_loss"]), texts),
        train_scores=scores,
        fit_seconds=numbers,
        predict_seconds=numbers,
        seed=st.none() | st.integers(0, 2**53 - 1),
        warnings=st.lists(texts, max_size=2).map(tuple),
        message=texts,
        traceback=texts,
        attempts=st.integers(0, 2**63 - 1),
        chosen=texts,
        best_score=st.dictionaries(texts, st.floats(allow_nan=False), max_size=2),
        outputs=st.dictionaries(st.sampled_from(["predict", "predict_proba"]) | texts, arrays, max_size=2),
    )


def in_metric_order(outcome: Outcome) -> Outcome:
    """Scores come back in the order of the plan's metrics."""
    held = {name: getattr(outcome, name) for name in ("scores", "undefined", "train_scores")}
    return dataclasses.replace(
        outcome,
        **{name: {key: given[key] for key in sorted(given)} for name, given in held.items()},  # as the plan has them
    )


def found(log: SqlLog, cells: Sequence[Cell] | None = None, *, outputs: bool = True) -> list[dict[str, Any]]:
    return [comparable(outcome) for outcome in log.outcomes(cells, outputs=outputs)]


def cells_of(log: SqlLog) -> list[tuple[int, int, int]]:
    table = log.table()
    return list(zip(table.dataset.tolist(), table.split.tolist(), table.model.tolist(), strict=True))


class StoreContract:
    """Tests that need nothing but a store."""

    # --- what is written comes back -----------------------------------------------------------------------------------

    def test_a_plan_comes_back(self, store: SqlStore) -> None:
        """Every field, arrays included, as it was given."""
        plan = a_plan(
            datasets=(a_dataset("iris"), a_dataset("wine", classes=None, target=np.linspace(-0.0, 1, 20), ordered=True)),
            rng=7,
            threads=2,
            settings={"rope": 0.01, "path": "study.toml", "list": [1, None, True], "nested": {"a": -0.0}},
        )
        log = store.open(plan)
        assert comparable(log.record) == comparable(plan)
        assert comparable(store.read("moons").record) == comparable(plan)

    @pytest.mark.slow
    @settings(max_examples=30, derandomize=True, suppress_health_check=SUPPRESSED)
    @given(data=st.data())
    def test_any_outcomes_come_back_bit_for_bit(self, store: SqlStore, data: st.DataObject) -> None:
        """Scores, times, seeds, texts and arrays, nan, -0.0 and lone surrogates included, in the order of the plan."""
        plan = a_plan(models=("a", "b"), datasets=(a_dataset("x", keys=[(0, 0), (0, 1)]), a_dataset("y", keys=[(0, 0)])))
        cells = data.draw(st.lists(st.sampled_from(all_cells(plan)), unique=True))
        outcomes = [data.draw(outcomes_of(cell)) for cell in cells]
        log = store.open(plan)
        try:
            log.write(outcomes)
            expected = [comparable(in_metric_order(outcome)) for outcome in sorted(outcomes, key=lambda each: each.cell)]
            assert found(log) == found(store.read("moons")) == expected
        finally:
            store.delete("moons")

    @pytest.mark.parametrize("classes", [(1, 2), (0.5, -0.0), (False, True), (np.int64(1), np.float64(2)), (np.str_("a"), "b")])
    def test_classes_keep_their_types(self, store: SqlStore, classes: tuple[Any, ...]) -> None:
        """1, 1.0 and True are three labels; numpy's are as Python's."""
        store.open(a_plan(datasets=(a_dataset(classes=classes),)))
        back = store.read("moons").record.datasets[0].classes
        assert back is not None
        plain = [label.item() if isinstance(label, np.generic) else label for label in classes]
        assert [repr(label) for label in back] == [repr(label) for label in plain] or back == classes

    def test_an_empty_run(self, store: SqlStore) -> None:
        """No cells: a table of no rows, with a column for each metric."""
        log = store.open(a_plan())
        log.write([])
        table = log.table()
        assert table.score.shape == table.has_score.shape == (0, 2)
        assert table.dataset.shape == table.state.shape == table.fit_seconds.shape == (0,)
        assert found(log) == []

    def test_what_was_written_is_nobodys_to_change(self, store: SqlStore) -> None:
        """Neither by the array that was handed over, nor by the one that comes back."""
        output = np.ones(3)
        log = store.open(a_plan())
        log.write([an_outcome((0, 0, 0), outputs={"predict": output})])
        output[:] = 2
        back = next(iter(log.outcomes(outputs=True))).outputs["predict"]
        assert back.tolist() == [1, 1, 1]
        with pytest.raises(ValueError, match="read-only"):
            back[0] = 5

    @pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
    def test_hostile_names(self, store: SqlStore, name: str) -> None:
        """Any text in any field comes back exactly, and is found by it."""
        dataset = a_dataset(name, keys=[(0, 0)], fingerprint=name, classes=(name, name + "x"), split_hashes=(name,))
        plan = RunRecord(
            name,
            models=(a_model("first"), dataclasses.replace(a_model(name), fingerprint=name, text=name)),
            datasets=(a_dataset("first"), dataset),
            metrics=(a_metric("first"), a_metric(name, fingerprint=name)),
            versions={name: name},
            settings={name: [name, {name: name}]},
        )
        outcome = Outcome(
            Cell(1, 0, 1),
            scores={name: 0.5},
            undefined={name: name},
            train_scores={name: 0.25},
            warnings=(name, "other"),
            message=name,
            traceback=name,
            outputs={name: np.arange(3.0)},
        )
        store.open(a_plan("other"))
        store.open(plan).write([outcome])
        log = store.open(plan)
        assert comparable(store.read(name).record) == comparable(plan)
        assert found(log) == found(store.read(name)) == [comparable(outcome)]
        assert store.read(name).environments == ({name: name},)
        assert {run.name: run.metrics for run in store.runs()} == {name: ("first", name), "other": ("accuracy", "log_loss")}
        assert store.check() == []
        store.delete(name)
        assert [run.name for run in store.runs()] == ["other"]

    # --- the rule of writing ------------------------------------------------------------------------------------------

    def test_the_same_again_changes_nothing(self, store: SqlStore) -> None:
        """A resumed run may hand a cell over twice; the first one stays, its times and outputs included."""
        log = store.open(a_plan())
        first = an_outcome((0, 0, 0), scores={"accuracy": np.nan, "log_loss": -0.0}, train_scores={"accuracy": 1.0})
        log.write([first])
        again = dataclasses.replace(first, fit_seconds=9.0, outputs={"predict_proba": np.zeros((10, 2))}, warnings=("new",))
        log.write([again])
        assert found(log) == [comparable(first)]
        assert [(run.n_done, run.n_failed) for run in store.runs()] == [(1, 0)]

    def test_further_metrics_are_added(self, store: SqlStore) -> None:
        """Scores, their reasons, scores on the training rows, outputs of further methods, warnings; times stay."""
        log = store.open(a_plan())
        first = an_outcome((0, 0, 0), scores={"log_loss": 0.5}, undefined={}, warnings=("a",))
        log.write([first])
        more = an_outcome(
            (0, 0, 0),
            scores={"accuracy": np.nan, "log_loss": 0.5},
            undefined={"accuracy": "one class only"},
            train_scores={"accuracy": 1.0},
            fit_seconds=7.0,
            warnings=("a", "b"),
            outputs={"predict": np.arange(10)},
        )
        log.write([more])
        merged = dataclasses.replace(
            first,
            scores={"accuracy": np.nan, "log_loss": 0.5},
            undefined={"accuracy": "one class only"},
            train_scores={"accuracy": 1.0},
            warnings=("a", "b"),
            outputs={**first.outputs, **more.outputs},
        )
        assert found(log) == [comparable(merged)]
        assert store.check() == []

    @pytest.mark.parametrize("rows", ["", " on the training rows"])
    def test_another_score_is_refused(self, store: SqlStore, rows: str) -> None:
        """With run, cell, both scores and what to do; nothing of the call is kept."""
        plan = a_plan(datasets=(a_dataset("iris"),))
        log = store.open(plan)
        field = "train_scores" if rows else "scores"
        first = an_outcome((0, 2, 1), **{field: {"accuracy": 0.5}})
        log.write([first])
        assert told(
            ChangedRunError, lambda: log.write([an_outcome((0, 0, 0)), an_outcome((0, 2, 1), **{field: {"accuracy": 0.625}})])
        ) == (
            "run 'moons': the cell of model 'forest' on repeat 1 fold 0 of dataset 'iris' was measured before with 'accuracy' "
            f"0.5{rows}, and now with 0.625. The first score stays. Something in the model is not settled by its random_state "
            "(threads, a clock, a global generator). Settle it and begin another run with name=, or one with rng=None, which "
            "keeps first scores."
        )
        assert found(log) == [comparable(first)]

    def test_a_run_that_cannot_be_reproduced_keeps_the_first_score(self, store: SqlStore) -> None:
        """rng=None says that scores may differ; further metrics are added all the same."""
        log = store.open(a_plan(rng=None))
        log.write([an_outcome((0, 0, 0), scores={"accuracy": 0.5})])
        log.write([an_outcome((0, 0, 0), scores={"accuracy": 0.25, "log_loss": 1.0})])
        assert [outcome.scores for outcome in log.outcomes()] == [{"accuracy": 0.5, "log_loss": 1.0}]

    def test_anything_replaces_a_failure(self, store: SqlStore) -> None:
        """Another failure, and a measured cell with its outputs."""
        log = store.open(a_plan())
        for outcome in (
            a_failure((0, 0, 0), outputs={"predict": np.zeros(2)}),
            a_failure((0, 0, 0), state="killed", message="", traceback="", attempts=3),
            an_outcome((0, 0, 0), outputs={"predict_proba": np.ones(2), "predict": np.ones(3)}),
        ):
            log.write([outcome])
            assert found(log) == [comparable(outcome)]
        assert [(run.n_done, run.n_failed) for run in store.runs()] == [(1, 0)]

    def test_the_rule_holds_within_a_call(self, store: SqlStore) -> None:
        """The same cell several times, one after the other."""
        log = store.open(a_plan())
        scores = {"accuracy": 0.5}
        log.write(
            [
                a_failure((0, 0, 0)),
                an_outcome((0, 0, 0), scores=scores),
                an_outcome((0, 0, 1)),
                a_failure((0, 0, 0)),
                an_outcome((0, 0, 0), scores=scores | {"log_loss": 2.0}, outputs={"predict": np.ones(3)}),
            ]
        )
        assert [(outcome.scores, list(outcome.outputs)) for outcome in log.outcomes(outputs=True)] == [
            ({"accuracy": 0.5, "log_loss": 2.0}, ["predict_proba", "predict"]),
            (an_outcome((0, 0, 1)).scores, ["predict_proba"]),
        ]
        assert [(run.n_done, run.n_failed) for run in store.runs()] == [(2, 0)]
        assert store.check() == []

    @pytest.mark.parametrize(
        ("outcome", "error", "text"),
        [
            (
                an_outcome((0, 4, 0)),
                InvalidParameterError,
                (
                    "there is no Cell(dataset=0, split=4, model=0) in the plan of run 'moons'; "
                    "cells are meant by their positions in its record."
                ),
            ),
            (an_outcome((0, 0, -1)), InvalidParameterError, "there is no Cell(dataset=0, split=0, model=-1) in the plan"),
            (an_outcome((0, 0, 0), state="fine"), InvalidParameterError, "a cell is one of done, raised, timed-out"),
            (
                an_outcome((0, 0, 0), scores={"accurracy": 1.0}),
                UnknownNameError,
                "no metric is called 'accurracy': did you mean 'accuracy'?",
            ),
            (
                an_outcome((0, 0, 0), outputs={"predict": np.array(["a", "b"])}),
                InvalidParameterError,
                (
                    "the output of 'predict' is an array of <U1, and a store keeps numbers and bools only. Turn labels into "
                    "their positions among the classes."
                ),
            ),
            (an_outcome((0, 0, 0), outputs={"predict": np.array([{}])}), InvalidParameterError, "is an array of object, and a"),
        ],
    )
    def test_what_cannot_be_kept(self, store: SqlStore, outcome: Outcome, error: type[Exception], text: str) -> None:
        """Refused before anything is written."""
        log = store.open(a_plan())
        assert text in told(error, lambda: log.write([an_outcome((0, 0, 1)), outcome]))
        assert found(log) == []

    # --- several plans of one run -------------------------------------------------------------------------------------

    def test_a_plan_may_grow(self, store: SqlStore) -> None:
        """Models, datasets, splits and metrics that are new are added behind what is there, and the cells stay."""
        old = store.open(a_plan(models=("svm",), datasets=(a_dataset("iris", keys=[(0, 0), (0, 1)]),), metrics=("accuracy",)))
        old.write([an_outcome((0, 1, 0), scores={"accuracy": 0.5})])
        new_plan = a_plan(
            models=("linear", "svm"),
            datasets=(a_dataset("wine", keys=[(0, 0)]), a_dataset("iris", keys=[(1, 0), (0, 1), (0, 0)])),
            metrics=("log_loss", "accuracy"),
        )
        new = store.open(new_plan)
        new.write([an_outcome((1, 1, 1), scores={"log_loss": 3.0}), an_outcome((0, 0, 0)), an_outcome((1, 0, 1))])
        assert cells_of(old) == [(0, 1, 0)]
        assert [outcome.scores for outcome in old.outcomes()] == [{"accuracy": 0.5}]
        assert cells_of(new) == [(0, 0, 0), (1, 0, 1), (1, 1, 1)]
        assert [list(outcome.scores.items()) for outcome in new.outcomes([Cell(1, 1, 1)])] == [
            [("log_loss", 3.0), ("accuracy", 0.5)]
        ]
        np.testing.assert_array_equal(new.table().score[2], [3.0, 0.5])
        whole = store.read("moons").record
        assert [model.name for model in whole.models] == ["svm", "linear"]
        assert [dataset.name for dataset in whole.datasets] == ["iris", "wine"]
        assert whole.datasets[0].repeat.tolist() == [0, 0, 1]
        assert whole.datasets[0].fold.tolist() == [0, 1, 0]
        assert [rows.tolist() for rows in whole.datasets[0].test_rows] == [
            new_plan.datasets[1].test_rows[i].tolist() for i in (2, 1, 0)
        ]
        assert [metric.name for metric in whole.metrics] == ["accuracy", "log_loss"]
        assert store.check() == []
        assert [(run.n_cells, run.n_models, run.n_datasets, run.n_splits) for run in store.runs()] == [(8, 2, 2, 4)]

    def test_an_older_log_keeps_what_a_newer_one_added(self, store: SqlStore) -> None:
        """A cell that got a metric that this log does not know keeps it when this log adds to the cell."""
        old = store.open(a_plan(metrics=("accuracy",)))
        new = store.open(a_plan(metrics=("f1", "accuracy")))
        new.write([an_outcome((0, 0, 0), scores={"f1": np.nan}, undefined={"f1": "no positives"})])
        old.write([an_outcome((0, 0, 0), scores={"accuracy": 0.5}, outputs={"predict": np.ones(2)})])
        assert [outcome.scores for outcome in old.outcomes()] == [{"accuracy": 0.5}]
        assert [(dict(each.undefined), list(each.outputs)) for each in new.outcomes(outputs=True)] == [
            ({"f1": "no positives"}, ["predict_proba", "predict"])
        ]
        np.testing.assert_array_equal(new.table().score, [[np.nan, 0.5]])
        np.testing.assert_array_equal(new.table().has_score, [[True, True]])

    def test_a_plan_in_another_order(self, store: SqlStore) -> None:
        """Cells are meant by the positions of each log's own plan, and come in its order."""
        plan = a_plan()
        store.open(plan).write([an_outcome(cell, accuracy=cell.split + cell.model / 10) for cell in all_cells(plan)])
        keys = [(1, 1), (0, 1), (1, 0), (0, 0)]
        turned = store.open(a_plan(models=("linear", "svm", "forest"), datasets=(a_dataset(keys=keys),)))
        expected = [split + model / 10 for split in (3, 1, 2, 0) for model in (2, 0, 1)]
        assert [outcome.scores["accuracy"] for outcome in turned.outcomes(outputs=True)] == expected
        np.testing.assert_array_equal(turned.table().score[:, 0], expected)
        assert cells_of(turned) == [tuple(cell) for cell in all_cells(plan)]

    @pytest.mark.parametrize(
        ("changed", "text"),
        [
            (
                dataclasses.replace(a_plan(), models=(a_model("svm", "SVC(C=10)"), a_model("forest"))),
                (
                    "run 'moons': the model 'svm' changed: class, parameters or code are not those that were measured under that "
                    "name (SVC(C=1) then, SVC(C=10) now). Give it another name, put the old one back, or begin another run with "
                    "name=."
                ),
            ),
            (
                dataclasses.replace(a_plan(), models=(a_model("svm", "x"), a_model("forest", "x"))),
                (
                    "run 'moons': the model 'svm' and 1 more changed: class, parameters or code are not those that were measured "
                    "under that name (SVC(C=1) then, x now). Give it another name, put the old one back, or begin another run "
                    "with name=."
                ),
            ),
            (
                a_plan(datasets=(a_dataset(n_samples=24),)),
                (
                    "run 'moons': the data changed since the run was begun. Bring the old data back, give "
                    "the new data another dataset name, or begin another run with name=."
                ),
            ),
            (
                a_plan(datasets=(a_dataset("iris", split_hashes=("x",) * 4),)),
                (
                    "run 'moons': the splits of dataset 'iris' changed: repeat 0 fold 0 and 3 more had other training or test "
                    "examples. Use the same cv, with the same random_state, or begin another run with name=."
                ),
            ),
            (
                a_plan(datasets=(a_dataset(split_hashes=("a", "b", "hash of  (1, 0)", "hash of  (1, 1)")),)),
                (
                    "run 'moons': the splits changed: repeat 0 fold 0 and 1 more had other training or test examples. Use the "
                    "same cv, with the same random_state, or begin another run with name=."
                ),
            ),
            (
                dataclasses.replace(a_plan(), metrics=(a_metric("accuracy", fingerprint="mine"),)),
                (
                    "run 'moons': the metric 'accuracy' changed: it is computed in another way than in this run so far. Give it "
                    "another name, put the old one back, or begin another run with name=."
                ),
            ),
            (
                a_plan(rng=1),
                "run 'moons' was made with rng=0, and now rng is 1. Pass rng=0, or begin another run with name=.",
            ),
        ],
        ids=["model", "models", "data", "splits of a dataset", "splits", "metric", "rng"],
    )
    def test_what_must_not_change(self, store: SqlStore, changed: RunRecord, text: str) -> None:
        """The text says what it is and how to go on, and the run stays as it was."""
        store.open(a_plan(datasets=(a_dataset(), a_dataset("iris"))))
        before = comparable(store.read("moons").record)
        assert told(ChangedRunError, store.open, changed) == text
        assert comparable(store.read("moons").record) == before

    def test_other_versions_are_refused_unless_accepted(self, store: SqlStore) -> None:
        """The text lists them; when accepted, every cell says which it was measured with."""
        store.open(a_plan()).write([an_outcome((0, 0, 0)), an_outcome((0, 0, 1), scores={"log_loss": 1.0})])
        now = {"Python": "3.11.7", "scikit-learn": "1.9.1", "lightgbm": "4.6"}
        assert told(ChangedRunError, lambda: store.open(a_plan(versions=now))) == (
            "run 'moons' was made with other versions: lightgbm not there -> 4.6, scikit-learn 1.8.0 -> 1.9.1. Its scores may "
            "differ for that reason alone. Go back to those versions, begin another run with name=, or pass accept_versions=True "
            "to go on: every cell then says which versions it was measured with."
        )
        assert store.read("moons").environments == (VERSIONS,)
        log = store.open(a_plan(versions=now), accept_versions=True)
        log.write([an_outcome((0, 0, 2)), an_outcome((0, 0, 1), scores={"accuracy": 1.0})])
        assert log.environments == (VERSIONS, now)
        assert log.table().environment.tolist() == [0, 0, 1]
        assert store.open(a_plan(versions=now)).record.versions == now
        assert store.read("moons").record.versions == now
        store.open(a_plan()).write([an_outcome((0, 1, 0))])  # the first versions again: they are known
        assert log.table().environment.tolist() == [0, 0, 1, 0]

    def test_threads_are_those_of_the_beginning(self, store: SqlStore) -> None:
        """Decided once, so that a run resumed on a larger machine has the same bits."""
        store.open(a_plan(threads=2))
        assert store.open(a_plan(threads=8)).record.threads == 2
        assert store.open(a_plan(threads=None)).record.threads == 2
        assert store.read("moons").record.threads == 2

    def test_settings_are_added_to(self, store: SqlStore) -> None:
        """They are no part of the identity."""
        store.open(a_plan(settings={"rope": 0.01, "path": "a.toml"}))
        assert store.open(a_plan(settings={"rope": 0.02})).record.settings == {"rope": 0.02}
        assert store.read("moons").record.settings == {"rope": 0.02, "path": "a.toml"}

    def test_the_scheme_follows_the_plan_that_has_all_splits(self, store: SqlStore) -> None:
        """Five folds and then four repeats more of them are a repeated k-fold."""
        once = a_dataset(keys=[(0, 0), (0, 1)], kind="kfold")
        store.open(a_plan(datasets=(once,)))
        store.open(a_plan(datasets=(a_dataset(kind="repeated-kfold", ordered=True),)))
        store.open(a_plan(datasets=(once,)))
        dataset = store.read("moons").record.datasets[0]
        assert (dataset.kind, dataset.ordered) == ("repeated-kfold", True)

    # --- the store ----------------------------------------------------------------------------------------------------

    def test_runs_come_with_the_last_updated_first(self, store: SqlStore) -> None:
        """Each in a line, counted."""
        first, second = store.open(a_plan("first")), store.open(a_plan("second", models=("svm",)))
        second.write([an_outcome((0, 0, 0))])
        first.write([an_outcome((0, 0, 0)), an_outcome((0, 0, 1)), a_failure((0, 0, 2))])
        assert [(run.name, run.n_cells, run.n_done, run.n_failed) for run in store.runs()] == [
            ("first", 12, 2, 1),
            ("second", 4, 1, 0),
        ]
        assert all(1.7e9 < run.created <= run.updated for run in store.runs())
        assert [run.metrics for run in store.runs()] == [("accuracy", "log_loss")] * 2

    def test_unknown_runs(self, store: SqlStore) -> None:
        """Offered with the nearest names."""
        store.open(a_plan("moons"))
        for use in (store.read, store.delete):
            assert told(UnknownNameError, use, "mons") == "no run is called 'mons': did you mean 'moons'?"

    def test_a_deleted_run_is_gone(self, store: SqlStore) -> None:
        """The others stay; a log that is still open says so; the name is free again."""
        plan = a_plan(models=[f"m{i}" for i in range(1_100)])
        log, other = store.open(plan), store.open(a_plan("other"))
        log.write([an_outcome(cell, outputs={}) for cell in all_cells(plan)])
        other.write([an_outcome((0, 0, 0))])
        store.delete("moons")
        assert [run.name for run in store.runs()] == ["other"]
        text = (
            "run 'moons' was deleted while it was open, so nothing more can be read or kept. Begin it again to measure it anew."
        )
        for use in (lambda: log.write([an_outcome((0, 0, 0))]), log.table, lambda: list(log.outcomes())):
            assert told(StoreError, use) == text
        again = store.open(plan)
        assert found(again) == []
        with pytest.raises(StoreError):
            log.table()
        assert found(other) == [comparable(an_outcome((0, 0, 0)))]
        assert store.check() == []

    def test_it_can_be_used_after_closing(self, store: SqlStore) -> None:
        """Closing lets go of files, no more."""
        log = store.open(a_plan())
        for split in (0, 1):
            log.write([an_outcome((0, split, 0))])
            store.close()
            store.close()
        assert cells_of(log) == [(0, 0, 0), (0, 1, 0)]

    def test_settings_that_are_no_settings(self, store: SqlStore) -> None:
        """Only what JSON has; the error says what came. The run is not begun."""
        store.open(a_plan("other"))
        assert "a store keeps texts, numbers, lists and dicts of them, and not object; got" in told(
            InvalidParameterError, lambda: store.open(a_plan(settings={"a": object()}))
        )
        assert [run.name for run in store.runs()] == ["other"]
