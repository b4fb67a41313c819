"""The command line in a process that has imported what it needs, for tests that start it dozens of times.

    python -m tests.cli.warm SOCKET

Each command is a fork of that process, with the folder and the streams of whoever calls it; `CALLER` is a program that does.
"""

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from subprocess import PIPE, Popen

from tests.runners.workloads import wait_until
from tiebreak.cli.main import main

IMPORTED = ("matplotlib.figure", "pandas", "scipy.stats", "sklearn.ensemble", "sklearn.linear_model", "sklearn.model_selection")
"""What takes long, and most commands need."""

CALLER = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [json.dumps([os.getcwd(), *sys.argv[1:]]).encode()], [0, 1, 2])
    sys.exit(server.recv(1)[0])
"""


@contextmanager
def warm_command(folder: Path, **variables: str) -> Iterator[None]:
    """While it lasts, `folder` holds a program `tiebreak` that is the command line, with these variables of its environment."""
    address = str(folder / "socket")
    (folder / "tiebreak").write_text(CALLER.format(python=sys.executable, address=address), encoding="utf-8")
    (folder / "tiebreak").chmod(0o755)
    command = [sys.executable, "-m", "tests.cli.warm", address]
    pipes = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE}  # no files, so that no fork looks for its place in them
    with Popen(command, cwd=Path(__file__).parents[2], env={**os.environ, **variables}, **pipes) as server:
        try:
            wait_until(lambda: Path(address).exists() or server.poll() is not None)
            yield
        finally:
            server.kill()


def serve(address: str) -> None:
    """Let each call be a process of its own, one after the other; such a process comes back from here, as the command."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address + ".begun")
        listener.listen()
        Path(address + ".begun").rename(address)  # now it can be called
        while True:
            connection, _ = listener.accept()
            with connection:
                message, streams, _, _ = socket.recv_fds(connection, 2**16, 3)
                child = os.fork()
                if not child:
                    return become(json.loads(message), streams)
                for stream in streams:
                    os.close(stream)
                connection.send(bytes([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])]))


def become(call: list[str], streams: list[int]) -> None:
    """Take over the folder, the arguments and the streams of a caller."""
    folder, *arguments = call
    os.chdir(folder)
    sys.argv = ["tiebreak", *arguments]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)


if __name__ == "__main__":
    for module in IMPORTED:
        import_module(module)
    serve(sys.argv[1])
    main()
