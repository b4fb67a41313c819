"""Stores that earlier schemas wrote are read as they are, every bit of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contracts.plans import a_plan, an_outcome, comparable, comparable_record
from tests.stores.saved import evaluated
from tests.stores.saved import make_store as written
from tiebreak import __version__
from tiebreak.errors import StoreError
from tiebreak.plan.record import STATES, Cell
from tiebreak.stores.sql.store import SqlStore
from tiebreak.stores.sql.tables import SCHEMA

EARLIER = range(1, SCHEMA)


def saved_store(schema: int, folder: Path) -> Path:
    """A copy of a saved store."""
    path = folder / "runs.db"
    path.write_bytes(written.saved(schema)[0].read_bytes())
    return path


@pytest.mark.parametrize("schema", EARLIER)
def test_it_is_read_as_it_is(schema: int, tmp_path: Path) -> None:
    """Everything in it is what its release said of it, nothing is wrong with it, and reading writes nothing."""
    path = saved_store(schema, tmp_path)
    before = path.read_bytes()
    store = SqlStore(path)
    assert len(store.runs()) > 3
    assert store.check() == []
    assert written.contents(store) == json.loads(written.saved(schema)[1].read_text(encoding="ascii"))
    store.close()
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["runs.db"]


def test_schema_1_holds_what_was_written(tmp_path: Path) -> None:
    """Plan, cells and outputs are those in the script that made it, whatever that release would have read."""
    store = SqlStore(saved_store(1, tmp_path))
    assert sorted((run.name, run.n_cells, run.n_done, run.n_failed) for run in store.runs()) == [
        (written.ODD_PLAN.name, 16, 16, 0),
        ("empty", 12, 0, 0),
        (written.NAME, 6, 2, 4),
        ("three datasets", 48, 40, 0),
    ]
    log = store.read(written.NAME)
    expected = {outcome.cell: outcome for outcome in [*written.OUTCOMES, written.LATE]}
    assert {outcome.state for outcome in expected.values()} == set(STATES)
    assert [comparable(outcome) for outcome in log.outcomes(outputs=True)] == [
        comparable(expected[cell]) for cell in sorted(expected)
    ]
    assert comparable_record(log.record) == comparable_record(written.PLAN) | {"versions": written.LATER}
    assert log.environments == (dict(written.PLAN.versions), written.LATER)
    assert log.table().environment.tolist() == [0, 0, 0, 1, 0, 0]
    assert comparable_record(store.read(written.ODD_PLAN.name).record) == comparable_record(written.ODD_PLAN)
    store.close()


@pytest.mark.parametrize("schema", EARLIER)
def test_it_is_not_written_to(schema: int, tmp_path: Path) -> None:
    """Both versions of the schema are named, and the command that upgrades it; the file stays as it was."""
    path = saved_store(schema, tmp_path)
    before = path.read_bytes()
    store = SqlStore(path)
    log = store.read(written.NAME)
    for use in (
        lambda: store.open(a_plan()),
        lambda: store.open(written.PLAN),
        lambda: log.write([an_outcome(Cell(1, 0, 0))]),
        lambda: store.delete("empty"),
    ):
        with pytest.raises(StoreError) as error:
            use()
        assert str(error.value) == (
            f"{path} has schema {schema}, of an earlier release, and tiebreak {__version__} writes schema {SCHEMA}. It can be "
            "read as it is, and nothing was written to it. Upgrade it to go on with it (of a file a backup is made first): "
            f"tiebreak store upgrade sqlite:///{path}"
        )
    store.close()
    assert path.read_bytes() == before


# --- the store of an earlier commit ---------------------------------------------------------------------------------------


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Address of a copy of the store that an earlier commit evaluated into."""
    path = tmp_path / "runs.db"
    path.write_bytes(evaluated.STORE.read_bytes())
    return f"sqlite:///{path}"


def said_of_export() -> dict[str, dict[str, str]]:
    """Text that the earlier commit exported, by run and kind."""
    said: dict[str, dict[str, str]] = json.loads(evaluated.EXPORTED.read_text(encoding="ascii"))
    return said


@pytest.mark.slow
def test_an_earlier_store_is_exported_to_the_same_bytes(url: str) -> None:
    """Scores and predictions of each run, those of the inner splits of a nested one among them; nothing is damaged."""
    assert evaluated.exported(url) == said_of_export()
    store = SqlStore(url)
    assert store.check() == []
    counts = {run.name: (run.n_models, run.n_datasets, run.n_done, run.n_failed) for run in store.runs()}
    assert counts["evaluated"] == (3, 2, 14, 4)
    assert len(counts) == 3
    kept = list(store.read("evaluated").outcomes(outputs=True))
    assert {outcome.message for outcome in kept if not outcome.is_done} == {"ValueError: not the first row"}
    assert sum(bool(outcome.outputs) for outcome in kept) == 14
    assert sum(any("not to my taste" in text for text in outcome.warnings) for outcome in kept) == 6
    store.close()


@pytest.mark.slow
def test_an_earlier_run_goes_on(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was measured is not measured again, nested or not; a model more is, and changes nothing of the others."""
    with monkeypatch.context() as patch:
        for model in (evaluated.GaussianNB, evaluated.KNeighborsClassifier, evaluated.Fussy):
            patch.setattr(model, "predict", None)  # whoever measures a cell fails
        resumed = evaluated.evaluate(url)
        assert (resumed.n_done, resumed.n_cells) == (14, 18)
        evaluated.nested(url)
    assert evaluated.exported(url) == said_of_export()
    assert evaluated.evaluate(url, more=evaluated.KNeighborsClassifier(1)).n_done == 6
    scores = evaluated.exported(url)["evaluated"]["scores"].splitlines()
    assert [line for line in scores if ",more," not in line] == said_of_export()["evaluated"]["scores"].splitlines()
    assert len(scores) == 1 + 24 * 2
