"""Sources that are no ordinary files: pipes, which are read once, and files of which a line has no end."""

from __future__ import annotations

import json
import os
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pandas as pd
import pytest

import tiebreak as tb
from tiebreak.errors import TiebreakError, UnreadableSourceError
from tiebreak.readers import source

on_posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")

ANSWERS = pd.DataFrame(
    {"item": [f"q{i}" for i in range(12)] * 2, "model": ["a"] * 12 + ["b"] * 12, "score": [1, 1, 0, 1, 1, 0] * 4}
)
ANSWERS.loc[[0, 3, 16], "score"] = 0
BATTLES = pd.DataFrame({"model_a": ["x", "y"] * 10, "model_b": ["y", "x"] * 10, "winner": ["a", "b", "a", "a"] * 5})


@contextmanager
def pipe_of(file: Path, folder: Path, name: str = "63") -> Iterator[str]:
    """A named pipe that gives what a file holds, once, as the shell's <(cat FILE) does."""
    pipe = folder / name
    os.mkfifo(pipe)

    def give() -> None:
        with suppress(BrokenPipeError):  # the reader has seen enough
            pipe.write_bytes(file.read_bytes())

    writer = threading.Thread(target=give, daemon=True)
    writer.start()
    yield str(pipe)
    writer.join(timeout=300)  # a guard against hanging; the reader takes all
    assert not writer.is_alive()


def _as_tsv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, sep="\t")


def _as_lines(frame: pd.DataFrame, path: Path) -> None:
    frame.to_json(path, orient="records", lines=True)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    "t.csv": lambda frame, path: frame.to_csv(path, index=False),
    "t.tsv": _as_tsv,
    "t.jsonl": _as_lines,
    "t.json": lambda frame, path: frame.to_json(path, orient="records"),
    "t.parquet": lambda frame, path: frame.to_parquet(path),
}


@on_posix
@pytest.mark.parametrize("name", WRITERS)
def test_a_pipe_of_items_is_read_as_the_same_file_is(tmp_path: Path, name: str) -> None:
    """Items, not splits, whatever the kind of file, which a pipe tells by its beginning."""
    WRITERS[name](ANSWERS, tmp_path / name)
    expected = tb.compare(tmp_path / name)
    assert expected.pair("a", "b").n_units == 12
    with pipe_of(tmp_path / name, tmp_path) as pipe:
        found = tb.compare(pipe)
    assert found.sentence == expected.sentence
    assert found.pair("a", "b").n_units == 12


@on_posix
@pytest.mark.parametrize("name", WRITERS)
def test_a_pipe_of_battles_or_scores_is_rated_as_the_same_file_is(tmp_path: Path, name: str) -> None:
    """A table of scores is looked at for battles first, which takes what a pipe holds."""
    scores = pd.DataFrame(
        {"dataset": ["d", "e", "f"] * 2, "model": ["x"] * 3 + ["y"] * 3, "accuracy": [0.8, 0.7, 0.9, 0.6, 0.9, 0.5]}
    )
    for number, frame in enumerate((BATTLES, scores)):
        if frame is scores and name == "t.jsonl":
            continue  # JSON lines hold items or battles
        WRITERS[name](frame, tmp_path / name)
        expected = tb.rate(tmp_path / name, n_resamples=20)
        with pipe_of(tmp_path / name, tmp_path, str(number)) as pipe:
            assert tb.rate(pipe, n_resamples=20).to_json() == expected.to_json()


@on_posix
def test_logs_through_pipes(tmp_path: Path) -> None:
    """Samples of lm-evaluation-harness, a pipe for each model."""
    pipes, files = [], []
    with ExitStack() as stack:
        for model, right in (("small", [0, 1, 0, 1]), ("large", [1, 1, 0, 1])):
            records = [
                {"doc_id": i, "doc_hash": f"h{i}", "metrics": ["acc"], "acc": float(score)} for i, score in enumerate(right)
            ]
            for folder in ("files", "pipes"):
                (tmp_path / folder / model).mkdir(parents=True)
            file = tmp_path / "files" / model / "samples_task_2026-01-01T00-00-00.jsonl"
            file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
            files.append(file)
            pipes.append(stack.enter_context(pipe_of(file, tmp_path / "pipes" / model, file.name)))
        found = tb.compare({"small": pipes[0], "large": pipes[1]})
    assert found.sentence == tb.compare({"small": files[0], "large": files[1]}).sentence


@on_posix
def test_an_error_speaks_of_the_pipe(tmp_path: Path) -> None:
    """Not of the file that stands in its place, which is gone."""
    (tmp_path / "bad").write_text("item,model,score\nq1,a,high\n", encoding="utf-8")
    with pipe_of(tmp_path / "bad", tmp_path) as pipe, pytest.raises(TiebreakError) as caught:
        tb.compare(pipe)
    assert pipe in str(caught.value)
    assert "tiebreak-" not in str(caught.value)


LONG = {
    "sample": '{"doc_id": 0, "doc_hash": "h", "metrics": ["acc"], "acc": 1.0}',
    "record": '{"item": "q", "model": "m", "score": 1}',
}
KINDS = {
    "a log": (LONG["sample"], tb.compare),
    "a table": (LONG["record"], tb.compare),
    "battles": ('{"model_a": "x", "model_b": "y", "winner": "a"}', tb.rate),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at", [1, 3])
def test_a_line_longer_than_any_log_has_is_refused_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, at: int
) -> None:
    """One of 300 against a limit of 200; just as long as the limit is read."""
    monkeypatch.setattr(source, "LONGEST_LINE", 200)
    line, read = KINDS[kind]
    lines = [line + " " * (200 - len(line))] * 4
    lines[at - 1] = line[:-1] + ', "text": "' + "x" * (300 - len(line) - 11) + '"}'
    path = tmp_path / "samples_t_1.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(
        UnreadableSourceError, match=rf"samples_t_1\.jsonl, line {at} is longer than .* MiB, so it is no record of one"
    ):
        read(path)


def test_a_line_of_300_mb_takes_no_more_memory_than_the_limit(tmp_path: Path) -> None:
    """The limit is 32 MiB; the rest is left unread."""
    path = tmp_path / "samples_t_1.jsonl"
    with path.open("wb") as file:
        file.write(b'{"doc_id": 0, "text": "')
        file.truncate(300_000_000)  # of zeros, which take no room on the disk
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableSourceError, match="line 1 is longer than 32 MiB"):
            tb.compare(path)
        assert tracemalloc.get_traced_memory()[1] < 5 * source.LONGEST_LINE  # in pieces, joined, and as text
    finally:
        tracemalloc.stop()
