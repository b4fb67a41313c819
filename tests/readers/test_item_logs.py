"""Logs of evaluation tools, written here from their documented fields."""

from __future__ import annotations

import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import AmbiguousSourceError, InvalidScoresError, MissingDependencyError, UnreadableSourceError


def write_lines(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def harness(path: Path, scores: Sequence[float], metric: str = "acc", filters: Sequence[str] = ("none",), salt: str = "") -> Path:
    """Samples of lm-evaluation-harness 0.4: one line for each document and filter."""
    return write_lines(
        path,
        [
            {
                "doc_id": i,
                "doc": {"question": f"{i}?"},
                "target": "x",
                "arguments": {},
                "resps": [["x"]],
                "filtered_resps": ["x"],
                "filter": kind,
                "metrics": [metric],
                "doc_hash": f"hash{i}{salt}",
                "prompt_hash": "p",
                "target_hash": "t",
                metric: score if kind != "flexible-extract" else 1.0,
            }
            for i, score in enumerate(scores)
            for kind in filters
        ],
    )


def inspect(path: Path, scores: Sequence[Any], model: str = "openai/one", version: int = 2, **header: Any) -> Path:
    """An .eval file of Inspect: header.json and a file for each sample and epoch."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        about = {"version": version, "status": "success", "eval": {"model": model, "task": "gsm8k"}, **header}
        archive.writestr("header.json", json.dumps(about))
        for i, score in enumerate(scores):
            sample = {"id": i, "epoch": 1, "scores": {"match": {"value": score}} if score is not None else None}
            archive.writestr(f"samples/{i}_epoch_1.json", json.dumps(sample))
    return path


def every_eval(path: Path, scores: Sequence[float], model: str, version: str = "instance_level_eval_0.2.1") -> Path:
    """Instance-level JSON lines of Every Eval Ever."""
    return write_lines(
        path,
        [
            {
                "schema_version": version,
                "evaluation_id": "gsm8k/1",
                "model_id": model,
                "evaluation_name": "gsm8k",
                "sample_id": f"gsm8k_{i:04}",
                "sample_hash": f"hash{i}",
                "interaction_type": "single_turn",
                "input": {"raw": "?", "reference": ["x"]},
                "output": {"raw": ["x"]},
                "answer_attribution": [],
                "evaluation": {"score": score, "is_correct": score > 0.5},
            }
            for i, score in enumerate(scores)
        ],
    )


def test_harness_models_are_called_after_their_folders(tmp_path: Path) -> None:
    """As the harness lays them out: a folder for each model, / as __, task and time in the name of the file."""
    name = "samples_gsm8k_2026-01-02T03-04-05.123456.jsonl"
    one = harness(tmp_path / "org__small" / name, [1, 0, 1])
    other = harness(tmp_path / "org__large" / name, [1, 1, 1])
    items = tb.read_items(one, other)
    assert items.models == ("org/small", "org/large")
    assert items.metric.name == "accuracy"
    assert items.score[:, 0].tolist() == [[1, 0, 1], [1, 1, 1]]


def test_harness_files_elsewhere_are_called_after_themselves(tmp_path: Path) -> None:
    """samples_a.jsonl and samples_b.jsonl in one folder are two models."""
    items = tb.read_items(harness(tmp_path / "samples_a.jsonl", [1, 0]), harness(tmp_path / "samples_b.jsonl", [0, 0]))
    assert items.models == ("a", "b")


def test_harness_tasks_are_kept_apart(tmp_path: Path) -> None:
    """Document 0 of two tasks is two items."""
    paths = [
        harness(tmp_path / model / f"samples_{task}_2026-01-02T03-04-05.1.jsonl", [1, 0])
        for model in ("a", "b")
        for task in ("gsm8k", "mmlu")
    ]
    items = tb.read_items(*paths)
    assert items.models == ("a", "b")
    assert items.items == ("gsm8k/0", "gsm8k/1", "mmlu/0", "mmlu/1")


def test_harness_filters_are_asked_for(tmp_path: Path) -> None:
    """Two ways to extract an answer are two metrics, in the harness's own notation."""
    path = harness(tmp_path / "samples_a.jsonl", [1, 0], "exact_match", ("strict-match", "flexible-extract"))
    with pytest.raises(AmbiguousSourceError, match="'exact_match,strict-match' and 'exact_match,flexible-extract'"):
        tb.read_items(path)
    assert tb.read_items(path, metric="exact_match,strict-match").score.ravel().tolist() == [1, 0]
    assert tb.read_items(path, metric="exact_match,flexible-extract").score.ravel().tolist() == [1, 1]


def test_other_documents_under_the_same_number_are_refused(tmp_path: Path) -> None:
    """A shuffled or changed dataset would pair questions that are not the same."""
    one, other = harness(tmp_path / "a.jsonl", [1, 0]), harness(tmp_path / "b.jsonl", [1, 0], salt="x")
    with pytest.raises(InvalidScoresError, match="2 items of one number are not the same sample in all files: '0' and '1'"):
        tb.read_items(one, other)


def test_inspect_letters_epochs_and_models(tmp_path: Path) -> None:
    """C is right, I wrong; the model's name stands in the header."""
    items = tb.read_items(inspect(tmp_path / "a.eval", ["C", "I", "C"]), inspect(tmp_path / "b.eval", ["C", "C", 0], "org/two"))
    assert items.models == ("openai/one", "org/two")
    assert items.score[:, 0].tolist() == [[1, 0, 1], [1, 1, 0]]
    assert items.metric.name == "accuracy"


def test_inspect_as_json_with_epochs(tmp_path: Path) -> None:
    """The other format of the same log; epochs lie within samples, and are averaged."""
    samples = [{"id": i, "epoch": e, "scores": {"includes": {"value": "C" if i == e else "I"}}} for i in (1, 2) for e in (1, 2)]
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}, "samples": samples}))
    items = tb.read_items(path)
    assert items.runs == ("1",)
    assert items.score[0].tolist() == [[0.5, 0.5]]
    assert items.metric.name == "accuracy"
    assert items.sources == ("2 epochs of each item are averaged: answers to one item are no further items",)


def test_inspect_samples_without_a_score_are_counted(tmp_path: Path) -> None:
    """A sample that failed is missing for that model, and the table says so."""
    whole, cut = inspect(tmp_path / "a.eval", ["C", "I"]), inspect(tmp_path / "b.eval", ["C", None], "two", status="cancelled")
    with pytest.raises(tb.errors.MissingSplitsError, match="'two' lacks 1 of the 2 items: '1'"):
        tb.read_items(whole, cut)
    items = tb.read_items(whole, cut, missing="pairwise")
    assert any(
        "1 of 2 samples have no score: they are missing, not wrong. The evaluation ended with 'cancelled'" in remark
        for remark in items.sources
    )


def test_inspect_of_another_version_or_compression_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the version's name; Zstandard needs a newer Python than most have."""
    with pytest.raises(UnreadableSourceError, match="of version 1; tiebreak reads version 2"):
        tb.read_items(inspect(tmp_path / "old.eval", ["C"], version=1))
    (tmp_path / "no.eval").write_text("no zip")
    with pytest.raises(UnreadableSourceError, match=r"is no log of Inspect: an .eval file is a zip"):
        tb.read_items(tmp_path / "no.eval")

    def refuse(*args: object) -> None:
        raise NotImplementedError("That compression method is not supported")

    path = inspect(tmp_path / "new.eval", ["C"])
    monkeypatch.setattr(zipfile.ZipFile, "open", refuse)
    with pytest.raises(MissingDependencyError, match=r"Zstandard, which Python reads from 3.14 on.*inspect log convert"):
        tb.read_items(path)


def zstandard(path: Path) -> Path:
    """The same archive with every member compressed by Zstandard, method 93, as Inspect writes it."""
    import pyarrow as pa

    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, pa.compress(content, codec="zstd", asbytes=True))
    whole = bytearray(path.read_bytes())
    for signature, method, crc, size in ((b"PK\3\4", 8, 14, 22), (b"PK\1\2", 10, 16, 24)):
        at = -1
        for content in members.values():
            at = whole.index(signature, at + 1)
            struct.pack_into("<H", whole, at + method, 93)
            struct.pack_into("<L", whole, at + crc, zlib.crc32(content))
            struct.pack_into("<L", whole, at + size, len(content))
    path.write_bytes(whole)
    return path


def test_inspect_compressed_by_zstandard(tmp_path: Path) -> None:
    """As Inspect 0.3 writes them by default; a member that does not unpack to what the archive says is refused."""
    pytest.importorskip("pyarrow")
    path = zstandard(inspect(tmp_path / "a.eval", ["C", "I", "C"]))
    assert tb.read_items(path).score.ravel().tolist() == [1, 0, 1]
    whole = bytearray(path.read_bytes())
    struct.pack_into("<L", whole, whole.rindex(b"PK\1\2") + 16, 7)
    path.write_bytes(whole)
    with pytest.raises(UnreadableSourceError, match=r"does not unpack to what the archive says it is|Bad CRC"):
        tb.read_items(path)


def test_a_scorer_of_several_values_is_asked_for(tmp_path: Path) -> None:
    """By its name and the value's."""
    path = inspect(tmp_path / "a.eval", [{"precision": 0.5, "recall": 1.0}, {"precision": 1.0, "recall": 0.0}])
    with pytest.raises(AmbiguousSourceError, match="2 metrics: 'match/precision' and 'match/recall'"):
        tb.read_items(path)
    assert tb.read_items(path, metric="match/recall", lower_is_better=False).score.ravel().tolist() == [1, 0]
    with pytest.raises(InvalidScoresError, match="sample 0: 'good' is a word and no score"):
        tb.read_items(inspect(tmp_path / "b.eval", ["good"]))


def test_every_eval_ever(tmp_path: Path) -> None:
    """Samples of two models; another version of the schema, and the file of means, are refused by name."""
    one, other = every_eval(tmp_path / "a.jsonl", [1, 0, 1], "org/a"), every_eval(tmp_path / "b.jsonl", [0, 0, 1], "org/b")
    items = tb.read_items(one, other)
    assert items.models == ("org/a", "org/b")
    assert items.items[0] == "gsm8k_0000"
    assert items.score[:, 0].tolist() == [[1, 0, 1], [0, 0, 1]]
    with pytest.raises(
        UnreadableSourceError, match=r"of version '0.9' of the schema of Every Eval Ever; tiebreak reads 0.2 and 0.3"
    ):
        tb.read_items(every_eval(tmp_path / "c.jsonl", [1], "org/c", "0.9"))
    (tmp_path / "means.json").write_text('{"schema_version": "0.2.1", "evaluation_results": []}')
    with pytest.raises(UnreadableSourceError, match=r"holds the means of Every Eval Ever. Pass the file of its samples"):
        tb.read_items(tmp_path / "means.json")


def test_a_log_cut_short_says_where(tmp_path: Path) -> None:
    """With the number of the line."""
    path = harness(tmp_path / "samples_a.jsonl", [1, 0])
    path.write_text(path.read_text()[:-20])
    with pytest.raises(UnreadableSourceError, match=r"line 2, is not JSON: .*Was the file cut short"):
        tb.read_items(path)


DEEP = "[" * 200_000 + "]" * 200_000
SAMPLE = '{"doc_id": 0, "resps": [], "acc": 1}\n'
HEADER = '{"version": 2, "eval": {"model": "m"}}'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (DEEP, "line 1: the JSON is nested too deeply"),
        (SAMPLE + DEEP, "line 2,: the JSON is nested too deeply"),
        (SAMPLE + '{"doc_id": ' + "9" * 5000 + "}", "line 2, is not JSON: Exceeds the limit"),
        (SAMPLE + "[]", "line 2 holds no object"),
        (SAMPLE + '{"acc": 1}', "is not as its tool writes a log"),
        (SAMPLE + '{"doc_id": 1, "metrics": 3}', "is not as its tool writes a log"),
        ('{"doc_id": 0, "resps": [], "acc": 1' + "0" * 400 + "}", "is no score of a single item"),
        (
            '{"schema_version":"0.2", "sample_id":"1", "model_id": "\\ud800", "evaluation_name": "", "evaluation": {"score": 1}}',
            "is not as its tool writes a log",
        ),
        ('{"schema_version": "0.2", "sample_id": "1", "evaluation": 5}', "is not as its tool writes a log"),
    ],
    ids=lambda text: text[:20],
)
def test_lines_that_are_no_log(lines: str, message: str, tmp_path: Path) -> None:
    """Each is an error in words, whatever Python's parser makes of it."""
    (tmp_path / "samples_a.jsonl").write_text(lines)
    with pytest.raises((UnreadableSourceError, InvalidScoresError), match=message):
        tb.read_items(tmp_path / "samples_a.jsonl")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"header.json": DEEP}, "header.json: the JSON is nested too deeply"),
        ({"header.json": b"\xff"}, "header.json is not JSON"),
        ({"header.json": "[]"}, "is not as its tool writes a log"),
        ({"header.json": '{"version": 2, "eval": 3}', "samples/1.json": '{"id": 1, "scores": {"a": 1}}'}, "is not as its tool"),
        ({"header.json": HEADER, "samples/1.json": "5"}, "is not as its tool writes a log"),
        ({"header.json": HEADER, "samples/1.json": '{"scores": {"a": 1}}'}, "is not as its tool writes a log"),
        ({"header.json": HEADER, "samples/1.json": '{"id": 1, "scores": [1]}'}, "is not as its tool writes a log"),
        ({"header.json": HEADER, "summaries.json": "3"}, "is not as its tool writes a log"),
        ({"header.json": " " * 101_000_000}, r"unpacks to 101 MB from 0.1 MB, which no log does"),
    ],
    ids=lambda each: ", ".join(each)[:40] if isinstance(each, dict) else "",
)
def test_archives_that_are_no_log(members: dict[str, str | bytes], message: str, tmp_path: Path) -> None:
    """One that was made to fill memory is not unpacked."""
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(UnreadableSourceError, match=message):
        tb.read_items(tmp_path / "a.eval")


def lying(path: Path, size: int) -> None:
    """An archive whose directory says that a member of many megabytes has a few bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", " " * size)
    content = path.read_bytes()
    true, false = size.to_bytes(4, "little"), (1000).to_bytes(4, "little")
    assert content.count(true) == 2
    path.write_bytes(content.replace(true, false))


def encrypted(path: Path) -> None:
    """An archive whose members say that they need a password."""
    inspect(path, [1])
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = content.find(mark)
        while start >= 0:
            content[start + place] |= 1
            start = content.find(mark, start + 1)
    path.write_bytes(content)


HOSTILE_SAMPLES = {
    "objects": "[" + "{}," * 2_500_000 + "{}]",
    "lists": "[" + "[]," * 2_500_000 + "[]]",
    "texts": "[" + '"a",' * 2_500_000 + "1]",
    "floats": "[" + "1.5," * 2_500_000 + "1]",
    "numbers": "[" + "1," * 2_500_000 + "1]",
    "keys": "{" + ",".join(f'"{i}":1' for i in range(2_500_000)) + "}",
    "scores": '{"id": 1, "epoch": 1, "scores": {' + ",".join(f'"{i}":{{}}' for i in range(2_500_000)) + "}}",
}


@pytest.mark.slow
@pytest.mark.parametrize("member", ["header.json", "samples/1.json"])
@pytest.mark.parametrize("kind", HOSTILE_SAMPLES)
def test_no_more_is_built_than_a_log_has(kind: str, member: str, tmp_path: Path) -> None:
    """A text of a few megabytes may hold values of gigabytes: it is refused before they are made."""
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        if member != "header.json":
            archive.writestr("header.json", HEADER)
        archive.writestr(member, HOSTILE_SAMPLES[kind])
    tracemalloc.start()
    try:
        with pytest.raises(
            UnreadableSourceError, match=r"(holds \S+ values or more|unpacks to .* MB from .* MB), which no log does"
        ):
            tb.read_items(tmp_path / "a.eval")
        assert tracemalloc.get_traced_memory()[1] < 3 * len(HOSTILE_SAMPLES[kind]) + 5e6
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_directory_that_lies_about_sizes(tmp_path: Path) -> None:
    """No more is unpacked than it says, and a little."""
    lying(tmp_path / "a.eval", 90_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableSourceError):
            tb.read_items(tmp_path / "a.eval")
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()


def test_an_encrypted_log_gets_a_message(tmp_path: Path) -> None:
    """And so does one that cannot be unpacked."""
    encrypted(tmp_path / "a.eval")
    with pytest.raises(UnreadableSourceError, match=r"a.eval is encrypted, at least in part"):
        tb.read_items(tmp_path / "a.eval")
    inspect(tmp_path / "b.eval", [1] * 50)
    content = bytearray((tmp_path / "b.eval").read_bytes())
    content[45:60] = b"\xff" * 15
    (tmp_path / "b.eval").write_bytes(content)
    with pytest.raises(UnreadableSourceError):
        tb.read_items(tmp_path / "b.eval")


@pytest.mark.slow
def test_an_archive_of_too_many_files(tmp_path: Path) -> None:
    """Its directory is not read."""
    (tmp_path / "a.eval").write_bytes(b"PK\1\2" * 200_001)
    with pytest.raises(UnreadableSourceError, match=r"is a zip of 200,001 files"):
        tb.read_items(tmp_path / "a.eval")


@pytest.mark.parametrize("field", ["model_id", "evaluation_name", "sample_id", "sample_hash"])
@pytest.mark.parametrize("value", [{"a": 1}, ["b"], [[]]])
def test_a_name_that_is_none(field: str, value: Any, tmp_path: Path) -> None:
    """An object or a list where a name is to be is said in words."""
    path = every_eval(tmp_path / "a.jsonl", [1.0, 0.0], "one")
    records = [json.loads(line) | {field: value} for line in path.read_text().splitlines()]
    path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(UnreadableSourceError, match=r"is no name of a (model|sample|task)"):
        tb.read_items(path)


def test_inspect_says_what_is_missing_and_why(tmp_path: Path) -> None:
    """Errors are missing and counted, answers that were not given count as wrong and are counted too."""
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {"model": "a", "task": "t"}}))
        for i, value in enumerate(["C", "I", "N", "N", None, None]):
            scores = {} if value is None else {"match": {"value": value}}
            sample = {"id": i, "epoch": 1, "scores": scores, "error": {"message": "timeout"} if i == 5 else None}
            archive.writestr(f"samples/{i}_epoch_1.json", json.dumps(sample))
    items = tb.read_items(path, missing="pairwise")
    assert items.score[0, 0, :4].tolist() == [1, 0, 0, 0]
    (said,) = items.sources
    assert "2 of 6 samples have no score, 1 of them after an error: they are missing, not wrong" in said
    assert "2 of 6 samples have no answer (N) and count as wrong, as Inspect counts them" in said


def test_inspect_metadata_and_reducers(tmp_path: Path) -> None:
    """Short metadata are columns; that epochs are not averaged there is said."""
    path = tmp_path / "a.json"
    about = {"model": "a", "task": "t", "config": {"epochs": 2, "epochs_reducer": ["max"]}}
    samples = [
        {"id": i, "epoch": e, "scores": {"m": {"value": "C"}}, "metadata": {"topic": "xy"[i % 2], "nested": [1], "task": "own"}}
        for i in range(4)
        for e in (1, 2)
    ]
    path.write_text(json.dumps({"version": 2, "status": "success", "eval": about, "samples": samples}))
    items = tb.read_items(path)
    assert items.columns["topic"] == ("x", "y", "x", "y")
    assert items.columns["task of the sample"] == ("own",) * 4
    assert "nested" not in items.columns
    assert "epochs are averaged here, and Inspect reports 'max' of them" in items.sources[0]


def test_partly_right_answers_have_a_direction(tmp_path: Path) -> None:
    """P counts a half; letters say themselves that more is better."""
    items = tb.read_items(inspect(tmp_path / "a.eval", ["C", "P", "I"]), inspect(tmp_path / "b.eval", ["I", "P", "I"], "b"))
    assert items.score[0, 0].tolist() == [1, 0.5, 0]
    assert items.metric.higher_is_better


def test_every_eval_ever_keeps_metrics_of_one_sample_apart(tmp_path: Path) -> None:
    """Its schema has a record for each result that a sample is part of: two of them are two metrics and no epochs."""
    path = every_eval(tmp_path / "a.jsonl", [1, 0, 1], "m")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    both = [{**each, "evaluation_result_id": name} for each in records for name in ("gsm8k.strict", "gsm8k.flexible")]
    for each in both[1::2]:
        each["evaluation"] = {"score": 1.0, "is_correct": True}
    write_lines(path, both)
    with pytest.raises(AmbiguousSourceError, match=r"2 metrics: 'gsm8k.strict' and 'gsm8k.flexible'"):
        tb.read_items(path)
    assert tb.read_items(path, metric="gsm8k.strict").score.ravel().tolist() == [1, 0, 1]
    assert tb.read_items(path, metric="gsm8k.flexible").score.ravel().tolist() == [1, 1, 1]


def test_every_eval_ever_means_say_the_direction(tmp_path: Path) -> None:
    """The file of means beside has it of each result; scores that are no shares need no name."""
    path = every_eval(tmp_path / "a_samples.jsonl", [0.5, 1.5, 2.0], "m")
    assert tb.read_items(path).metric.higher_is_better
    config = {"metric_config": {"lower_is_better": True}, "evaluation_name": "gsm8k"}
    (tmp_path / "a.json").write_text(json.dumps({"schema_version": "0.2.1", "evaluation_results": [config]}))
    items = tb.read_items(path)
    assert (items.metric.name, items.metric.higher_is_better) == ("score", False)
    (tmp_path / "a.json").write_text('{"evaluation_results": [')
    assert tb.read_items(path).metric.higher_is_better


def test_every_eval_ever_counts_errors_apart(tmp_path: Path) -> None:
    """A sample with an error has the score 0 there, and is missing here."""
    path = every_eval(tmp_path / "a.jsonl", [1, 0, 0], "m")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    write_lines(path, [*records[:2], {**records[2], "error": "timeout", "metadata": {"subject": "art"}}])
    items = tb.read_items(path, missing="pairwise")
    assert items.items == ("gsm8k_0000", "gsm8k_0001", "gsm8k_0002")
    assert np.isnan(items.score[0, 0, 2])
    assert "1 of 3 samples ended with an error: they are missing, not wrong" in items.sources[0]
