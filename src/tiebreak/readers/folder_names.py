"""Names of models and tasks from the folders and files in which their tables lie."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiebreak.errors import AmbiguousSourceError
from tiebreak.scores.vocabulary import quoted

if TYPE_CHECKING:
    from tiebreak.readers.item_tables import LongTable


def stem(source: Any) -> str:
    """Name of a file without what the tools put around it."""
    return Path(source).stem.removeprefix("samples_") if isinstance(source, str | os.PathLike) else ""


def named_by_folder(tables: Sequence[LongTable], sources: Sequence[Any]) -> list[LongTable]:
    """Tables of files that name no model, called after the folder where files in several folders have one name.

    Where each folder holds several such files, the name of the file is the task if it tells what items there are, and that of
    the model if the folder tells them.
    """
    paths = {
        place: Path(source)
        for place, (table, source) in enumerate(zip(tables, sources, strict=True))
        if table.is_named_by_file and isinstance(source, str | os.PathLike)
    }
    files = {place: stem(path) for place, path in paths.items()}
    if len(set(files.values())) == len(files):
        return list(tables)
    folders = dict(zip(paths, _differing_parts([path.parent for path in paths.values()]), strict=True))
    found = list(tables)
    if len(set(files.values())) == 1:
        for place, folder in folders.items():
            found[place] = found[place]._replace(frame=found[place].frame.assign(model=folder or files[place]))
        return found
    of_file, of_folder = (_hold_the_same_items(tables, names) for names in (files, folders))
    if of_file == of_folder:
        raise AmbiguousSourceError(
            f"{len(files)} files lie under the names {quoted(list(dict.fromkeys(files.values())), 2)} in the folders "
            f"{quoted(list(dict.fromkeys(folders.values())), 2)}, and none names its model. Is that the folder or the file? "
            "Say so in a column 'model', and in a column 'task' what the other one is."
        )
    models, tasks = (folders, files) if of_file else (files, folders)
    said = "the folders are the models, the files their tasks" if of_file else "the files are the models, the folders their tasks"
    for place in paths:
        frame = found[place].frame.assign(model=models[place], task=tasks[place])
        found[place] = found[place]._replace(frame=frame, remark=found[place].remark or said)
    return found


def _differing_parts(folders: Sequence[Path]) -> list[str]:
    """Each path without the folders at its beginning and its end that all share."""
    parts = [folder.parts for folder in folders]
    first = _n_shared(parts)
    parts = [each[first:] for each in parts]
    last = _n_shared([each[::-1] for each in parts])
    return ["/".join(each[: len(each) - last]) for each in parts]


def _n_shared(parts: Sequence[Sequence[str]]) -> int:
    """Number of first parts that all have in common."""
    return next((n for n, each in enumerate(zip(*parts, strict=False)) if len(set(each)) > 1), min(map(len, parts)))


def _hold_the_same_items(tables: Sequence[LongTable], names: Mapping[int, str]) -> bool:
    """True where all tables of one name hold the same items, by their places."""
    held: dict[str, set[frozenset[Any]]] = {}
    for place, name in names.items():
        held.setdefault(name, set()).add(frozenset(tables[place].frame["item"]))
    return all(len(different) == 1 for different in held.values())
