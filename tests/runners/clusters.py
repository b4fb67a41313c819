"""A real Dask scheduler and real worker processes on this machine's loopback."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.runners.workloads import session_members, wait_until

ROOT = Path(__file__).parents[2]
SETTINGS = {
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",  # workers that may die under a task before Dask gives it up
    "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False",
}


class Processes:
    """A scheduler and workers, each a process of its own as its command starts it; all of them are gone at the end.

    Parameters
    ----------
    folder : Path
        For the scheduler's address and the logs.
    n_workers : int
    nanny : bool
        Whether a worker that is lost is replaced.
    threads : int
        Of each worker.
    """

    def __init__(self, folder: Path, n_workers: int = 2, *, nanny: bool = True, threads: int = 1) -> None:
        self.folder = folder
        self._nanny, self._threads = nanny, threads
        self._processes: list[subprocess.Popen[bytes]] = []
        self._start_scheduler()
        for _ in range(n_workers):
            self.start_worker()

    def _start_scheduler(self) -> None:
        file = self.folder / "scheduler.json"
        self.scheduler = self._start(
            "dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--dashboard-address",
            "127.0.0.1:0",
            "--scheduler-file",
            str(file),
        )
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """One more; with a nanny its process is the nanny's."""
        return self._start(
            "dask_worker",
            self.address,
            "--host",
            "127.0.0.1",
            "--nthreads",
            str(self._threads),
            "--no-dashboard",
            "--nanny" if self._nanny else "--no-nanny",
            "--memory-limit",
            "0",
            "--death-timeout",
            "300",
            "--local-directory",
            str(self.folder),
        )

    def _start(self, command: str, *arguments: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT / "src")]))
        with (self.folder / f"{command}-{len(self._processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{command}", *arguments],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=os.environ | {"PYTHONPATH": path, **SETTINGS},
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def kill_scheduler(self) -> None:
        """As the system kills it when memory runs out."""
        self.scheduler.send_signal(signal.SIGKILL)
        self.scheduler.wait()

    def close(self) -> None:
        """Kill whatever is left."""
        for process in reversed(self._processes):
            for pid in session_members(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
