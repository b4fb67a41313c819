"""``--dask``: the same study on a cluster; what is wrong with that is a message."""

from pathlib import Path

import pytest

from tests.cli.conftest import printed, refused
from tests.cli.test_interrupts import MODELS
from tests.cli.test_interrupts import STUDY as SLOW
from tests.cli.test_run import STORE
from tests.runners.clusters import Processes

pytest.importorskip("distributed", reason="needs the extra dask: pip install 'distributed>=2024.8'")


def test_a_study_with_a_module_beside_it(here: Path, dask_cluster: Processes, capsys: pytest.CaptureFixture[str]) -> None:
    """The workers find it where the study is, on the same machine or a shared disk."""
    (here / "slow.toml").write_text(SLOW)
    (here / "slow_models.py").write_text(MODELS)
    out = printed(capsys, "run", "slow.toml", *STORE, "--quiet", "--dask", dask_cluster.address)
    assert "60 of 60 cells" in out or "60 cells" in out


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--dask", "host:8786"), "'host:8786' is no address of a scheduler, such as tcp://host:8786 or tls://host:8786."),
        (
            ("--dask", "tcp://127.0.0.1:9", "--n-jobs", "2"),
            "--n-jobs is for processes of this machine; with --dask all workers of the cluster are used.",
        ),
        (("--dask", "tcp://127.0.0.1:9", "--timeout", "3"), "timeout 3.0 is for processes that tiebreak starts"),
    ],
)
def test_wrong_use(study: str, options: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is measured."""
    assert text in " ".join(refused(capsys, "run", study, *STORE, "--quiet", *options).split())
