"""Files that are written whole or not at all, and never through a link."""

import errno
import os
import shutil
import uuid
from contextlib import suppress
from pathlib import Path

from tiebreak.errors import StoreError

_FILE_RIGHTS, _FOLDER_RIGHTS = 0o644, 0o755
"""At most; the umask takes from them."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file through a temporary one in the same folder, so that nobody ever sees half of it.

    A file is never written through a link, a device or pipe is written to as it is, and a file that is replaced keeps its rights.
    A failure is an `StoreError`, after which everything is as it was.
    """
    temporary = path.parent / f".{path.name[:40]}.{uuid.uuid4().hex}.tmp"
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        if path.is_symlink():
            what = f"{path} is a link to {os.path.realpath(path)}, and no file is written through a link"
            raise StoreError(f"{what}. Name the file itself, or remove the link.")
        with open(temporary, "xb", opener=_opener) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except OSError as error:
        raise _unwritten(path, error) from error
    finally:
        with suppress(OSError):  # such as that of a name that is no path, which was said above
            temporary.unlink(missing_ok=True)


def _opener(name: str, flags: int) -> int:
    return os.open(name, flags, _FILE_RIGHTS)


def make_folder(folder: Path) -> None:
    """Make a folder for output where there is none, its parents included."""
    try:
        for each in (*reversed(folder.parents), folder):
            each.mkdir(_FOLDER_RIGHTS, exist_ok=True)
    except OSError as error:
        raise _unwritten(folder, error) from error


def _unwritten(path: Path, error: OSError) -> StoreError:
    advice = " Free some space there, or name another place." if error.errno in _NO_ROOM else ""
    return StoreError(f"{path} could not be written: {error.strerror or error}. No part of it was kept.{advice}")
