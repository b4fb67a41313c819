"""The commands on runs in PostgreSQL: the same answers as with a file, and no password in any of them."""

import json
from collections.abc import Iterator

import pytest

from tests.cli.conftest import N_CELLS, run
from tests.cli.test_show import stop_after
from tests.postgres import Server, execute, fresh_schema, with_options


@pytest.fixture
def url(postgres_server: Server) -> Iterator[str]:
    """The address of an empty schema, with a password in it."""
    with fresh_schema(postgres_server.url) as url:
        schema = execute(url, "SELECT current_schema()")[0][0]
        yield with_options(postgres_server.loopback(postgres_server.password), search_path=schema)


def test_a_study_from_beginning_to_end(
    study: str, url: str, postgres_server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Previewed, interrupted, resumed, listed, shown, exported, compared, as with a file; the address is shown masked."""
    said = []

    def ask(*arguments: str) -> str:
        code, out, err = run(capsys, *arguments)
        assert code == 0, err
        said.extend([out, err])
        return out

    assert f"has nothing of it yet; all {N_CELLS} cells are to be measured." in ask("run", study, "--store", url, "--dry-run")
    with monkeypatch.context() as stopped:
        stop_after(7, stopped)
        code, _, err = run(capsys, "run", study, "--store", url, "--quiet")
    assert code == 130
    said.append(err)
    shown = f"postgresql://postgres:***@127.0.0.1:{postgres_server.port}/postgres"
    assert f"7 of {N_CELLS} cells of run 'flowers' are kept in {shown}" in err
    assert f"tiebreak resume flowers --store '{shown.replace('***', 'PASSWORD')}?options=-csearch_path%3D" in err
    assert "11 are to be measured" in ask("run", study, "--store", url, "--dry-run")
    resumed = ask("resume", f"{url}#flowers", "--quiet", "--format", "json")
    with_file = ask("run", study, "--store", "sqlite:///runs.db", "--quiet", "--format", "json")
    assert json.loads(resumed) == json.loads(with_file)
    assert " ".join(ask("runs", "--store", url).split()).startswith(f"Runs in {shown}")  # a long address has a line of its own
    page = ask("show", "flowers", "--store", url)
    assert page.splitlines()[-1].startswith(
        f"Which differences are real: tiebreak compare '{shown.replace('***', 'PASSWORD')}?options=-csearch_path%3D"
    )
    assert json.loads(ask("show", "flowers", "--store", url, "--format", "json"))["store"].startswith(shown)
    exported = ask("export", f"{url}#flowers", "--scores", "-")
    assert exported == ask("export", "flowers", "--store", "sqlite:///runs.db", "--scores", "-")
    compared = ask("compare", f"{url}#flowers", "--rope", "0.02", "--format", "json")
    assert json.loads(compared)["ranking"] == json.loads(resumed)["ranking"]
    for text in said:
        assert postgres_server.password not in text
        assert postgres_server.password[-8:] not in text
