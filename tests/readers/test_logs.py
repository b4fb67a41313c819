"""Logs of evaluation tools, written here from their documented fields; those of code are recorded in `data`."""

import json
import math
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tiebreak as tb
from tests.readers.log_files import (
    TIME,
    answers,
    every_eval,
    harness,
    inspect,
    instances,
    outcome,
    outcomes,
    promptfoo,
    read_lines,
    results,
    run,
    suite,
    swe_bench,
    write_lines,
    zipped,
)
from tiebreak.errors import DataError, UnclearSourceError
from tiebreak.readers.logs import format_of, read_log
from tiebreak.readers.long import Long


def columns(log: Long) -> dict[str, list[Any]]:
    """Texts of a log by their columns, and its scores."""
    return {**{name: words.texts() for name, words in log.words.items()}, "score": log.numbers["score"].tolist()}


DATA = Path(__file__).parent / "data"


TOOLS: dict[str, Callable[[Path], Path]] = {
    "lm-evaluation-harness": lambda folder: harness(folder / f"samples_arc_{TIME}.jsonl", [1, 0]),
    "Inspect": lambda folder: inspect(folder / "a.eval", ["C", "I"]),
    "HELM": lambda folder: run(folder, "gsm", "m", instances({"exact_match": [1, 0]})),
    "promptfoo": lambda folder: promptfoo(folder / "a.json", [outcome("m", 0, True), outcome("m", 1, False)]),
    "SWE-bench": lambda folder: swe_bench(folder / "a.r.json", [1, 0]),
    "Every Eval Ever": lambda folder: every_eval(folder / "a.jsonl", [1, 0], "m"),
    "EvalPlus": lambda folder: DATA / "codemodel.eval_results.json",
    "LiveCodeBench": lambda folder: DATA / "codemodel/Scenario.codegeneration_2_0.2_eval_all.json",
}


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_is_told_and_gives_columns_of_one_length(tool: str, tmp_path: Path) -> None:
    """Names are texts, scores numbers; another metric than those that are there is refused with their names."""
    path = TOOLS[tool](tmp_path)
    assert format_of(path).name == tool
    log = read_log(path, "log", is_main=True)
    assert {len(column) for column in columns(log).values()} == {len(columns(log)["item"])}
    assert {type(each) for key in ("item", "model") for each in columns(log)[key]} == {str}
    assert set(map(type, columns(log)["score"])) == {float}
    with pytest.raises(UnclearSourceError, match="log holds no metric 'grace', but '"):
        read_log(path, "log", "grace")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"doc_id": 1, "model": "a", "score": 1}\n'),
        ("a.json", '{"model": ["a"], "score": [1]}'),
        ("results_1.json", '{"results": {"arc": {"acc,none": 0.5}}}'),
        ("per_instance_stats.json", '{"a": 1}'),
        ("a_eval_results.json", '{"eval": 3}'),
        ("a.json", '{"eval": {"model": "a"}}'),
        ("a.csv", "item,score\n1,1\n"),
    ],
)
def test_tables_and_other_files_are_no_logs(name: str, content: str, tmp_path: Path) -> None:
    """Whatever they share with one; no more than 16 kB is read for it."""
    (tmp_path / name).write_text(content)
    assert not format_of(tmp_path / name)
    with pytest.raises(DataError, match="is no log of an evaluation tool that is known"):
        read_log(tmp_path / name, name)
    (tmp_path / "late.json").write_text(" " * 2**14 + '{"resolved_instances": 1, "total_instances": 1}')
    assert not format_of(tmp_path / "late.json")


def test_fields_of_samples_that_group_them_are_kept(tmp_path: Path) -> None:
    """Short ones; those that differ in every sample, or are called like a column, are left out or renamed."""
    path = harness(tmp_path / "samples_a.jsonl", answers(1))
    docs = [{"q": f"{i}", "subject": "law" if i % 2 else "art", "score": "x", "long": "y" * 81, "big": 10**19} for i in range(40)]
    write_lines(path, [{**each, "doc": doc} for each, doc in zip(read_lines(path), docs, strict=True)])
    held = columns(read_log(path, "a"))
    assert list(held) == ["item", "model", "item_hash", "subject", "score of the sample", "score"]
    assert held["subject"][:2] == ["art", "law"]


def test_harness_models_are_called_after_their_folders(tmp_path: Path) -> None:
    """A folder for each model, / as __; files elsewhere after themselves; document 0 of two tasks is two items."""
    paths = [harness(tmp_path / f"org__{m}" / f"samples_{t}_{TIME}.jsonl", [1, 0]) for m in "ab" for t in ("arc", "mmlu")]
    items = tb.read_items(*paths)
    assert items.models == ("org/a", "org/b")
    assert items.items == ("arc/0", "arc/1", "mmlu/0", "mmlu/1")
    assert items.metric.name == "accuracy"
    items = tb.read_items(*(harness(tmp_path / f"samples_{name}.jsonl", [1, 0]) for name in "ab"))
    assert items.models == ("a", "b")


def test_harness_filters_are_metrics(tmp_path: Path) -> None:
    """Two ways to extract an answer, in the harness's own notation; of one alone the filter need not be named."""
    path = harness(tmp_path / "samples_a.jsonl", [1, 0], "exact_match", ("strict-match", "flexible-extract"))
    with pytest.raises(UnclearSourceError, match="'exact_match,strict-match' and 'exact_match,flexible-extract'"):
        read_log(path, "a")
    assert columns(read_log(path, "a", "exact_match,strict-match"))["score"] == [1, 0]
    log = read_log(path, "a", "exact_match,flexible-extract")
    assert (columns(log)["score"], log.metric) == ([1, 1], "exact_match")
    path = harness(tmp_path / "samples_b.jsonl", [1, 0], "exact_match", ("strict-match",))
    assert columns(read_log(path, "b", "exact_match"))["score"] == [1, 0]
    assert columns(read_log(harness(path, [0, 0]), "b", "acc,none"))["score"] == [0, 0]


def test_metrics_of_whole_tasks_come_last(tmp_path: Path) -> None:
    """f1 stands as a pair of numbers for each sample; versions before 0.4.8 do not list the metrics."""
    path = harness(tmp_path / "samples_mrpc.jsonl", [1, 0])
    write_lines(path, [{**each, "metrics": ["f1", "acc"], "f1": [1, 0]} for each in read_lines(path)])
    log = read_log(path, "a", is_main=True)
    assert (log.metric, log.remark) == ("acc", "samples_mrpc: 'acc' is taken, and 'f1' are there too (metric)")
    with pytest.raises(DataError, match=r"a, sample '0': \[1, 0\] is no score of a single item"):
        read_log(path, "a", "f1")
    write_lines(path, [{key: each[key] for key in each if key not in ("metrics", "filter", "f1")} for each in read_lines(path)])
    assert columns(read_log(path, "a"))["score"] == [1, 0]


def test_parts_of_a_group_are_tasks_of_their_own(tmp_path: Path) -> None:
    """Each task counts alike, where the harness and HELM count a group as one: which is said."""
    own = {model: suite(tmp_path / model, f"org/{model}", seed) for model, seed in (("a", 1), ("b", 7))}
    found = tb.read_results(tmp_path)
    answer = tb.compare(found)
    assert set(answer.items.tasks) == {"mmlu_law", "mmlu_anatomy", "arc_easy"}
    macro = {model: np.mean([np.mean(each) for each in tasks.values()]) for model, tasks in own.items()}
    assert answer.pair("org/a", "org/b").difference == pytest.approx(macro["a"] - macro["b"], abs=1e-12)
    assert "mmlu_law: a part of 'mmlu' in the harness, and here a task of its own" in found.remarks
    log = read_log(run(tmp_path, "mmlu:subject=law", "a", instances({"exact_match": [1, 0]}), ["mmlu"]), "log")
    assert log.remark == "mmlu:subject=law: a part of 'mmlu' in HELM, and here a task of its own"


def test_results_beside_name_the_model_its_settings_and_the_direction(tmp_path: Path) -> None:
    """Only the time says what belongs together; what is cut short or leads out of the folder is passed over."""
    told = {"n-shot": {"own": 5}, "versions": {"own": 1.0}, "config": {"model_args": "pretrained=org/a,dtype=float16"}}
    beside = results(tmp_path / f"a_{TIME}.json", "org/a", {}, {}, higher_is_better={"own": {"distance": False}}, **told)
    path = harness(tmp_path / f"samples_own_{TIME}.jsonl", [0.5, 1.5], "distance")
    log = read_log(path, "a")
    assert set(columns(log)["model"]) == {"org/a"}
    assert log.settings == (("num_fewshot", "5"), ("version", "1.0"), ("dtype", "float16"))
    assert (log.metric, log.lower_is_better, log.time) == ("distance", True, TIME)
    beside.write_text(beside.read_text()[:-9])
    assert set(columns(read_log(path, "a"))["model"]) == {tmp_path.name}
    beside.unlink()
    (tmp_path / "out").mkdir()
    beside.symlink_to(results(tmp_path / "out" / f"a_{TIME}.json", "secret", {}, {}))
    assert set(columns(read_log(path, "a"))["model"]) == {tmp_path.name}


def test_the_latest_of_several_runs_counts_and_other_settings_are_other_models(tmp_path: Path) -> None:
    """Said by name; what is said of many tasks is said once."""
    for seed, (model, day, shots) in enumerate((("a", 1, 0), ("a", 3, 0), ("a", 2, 5), ("b", 1, 0))):
        for task in "vwxyz":
            path = harness(tmp_path / model / f"samples_{task}_2026-01-0{day}T03-04-05.1.jsonl", answers(seed))
            write_lines(path, [{**each, "metrics": ["acc", "acc_norm"], "acc_norm": 1.0} for each in read_lines(path)])
        told = {"n-shot": dict.fromkeys("vwxyz", shots)}
        results(tmp_path / model / f"results_2026-01-0{day}T03-04-05.1.json", model, {}, {}, **told)
    found = tb.read_results(tmp_path)
    assert sorted(tb.compare(found).models) == ["a (num_fewshot=0)", "a (num_fewshot=5)", "b"]
    assert found.left_out["a/samples_v_2026-01-01T03-04-05.1.jsonl"] == (
        "done again: a/samples_v_2026-01-03T03-04-05.1.jsonl is compared"
    )
    assert "'v', 'w' and 3 more: 'acc' is taken, and 'acc_norm' are there too (metric)" in found.remarks


def test_inspect_letters_have_a_direction_and_models_stand_in_the_header(tmp_path: Path) -> None:
    """C is right, I wrong, P a half."""
    items = tb.read_items(inspect(tmp_path / "a.eval", ["C", "P", "I"]), inspect(tmp_path / "b.eval", ["C", 1, 0], "org/two"))
    assert items.models == ("openai/one", "org/two")
    assert items.score[:, 0].tolist() == [[1, 0.5, 0], [1, 1, 0]]
    assert items.metric.higher_is_better
    assert read_log(tmp_path / "b.eval", "b").metric is None


def test_inspect_as_json_with_epochs_metadata_and_settings(tmp_path: Path) -> None:
    """Epochs are numbered; that they are not averaged there is said; runs differ by arguments that are short."""
    samples = [
        {
            "id": i,
            "epoch": e,
            "scores": {"m": {"value": "C" if i == e else "I"}},
            "metadata": {"topic": "xy"[i % 2], "nested": [1]},
        }
        for i in range(1, 5)
        for e in (1, 2)
    ]
    about = {"model": "a", "task": "t", "created": "2026-01-01T00:00:00", "config": {"epochs": 2, "epochs_reducer": ["max"]}}
    about |= {"model_generate_config": {"temperature": 0.5, "stop": "x" * 201, "seed": None}, "solver": "chain"}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"version": 2, "status": "cancelled", "eval": about, "samples": samples}))
    log = read_log(path, "log.json")
    assert columns(log)["epoch"] == ["1", "2"] * 4
    assert set(columns(log)["topic"]) == {"x", "y"}
    assert log.remark == (
        "log.json: The evaluation ended with 'cancelled'. epochs are averaged here, and Inspect reports 'max' of them"
    )
    assert log.settings == (("solver", "chain"), ("temperature", "0.5"))
    assert (log.time, log.is_whole) == ("2026-01-01T00:00:00", False)
    assert tb.read_items(path).score[0].tolist() == [[0.5, 0.5, 0, 0]]
    (tmp_path / "other.json").write_text(path.read_text().replace('"task": "t"', '"task": "u"'))
    assert len({*tb.read_items(path, tmp_path / "other.json", cluster="topic").clusters}) == 4  # each task has topics of its own


def test_inspect_says_what_is_missing_and_why(tmp_path: Path) -> None:
    """Errors are missing and counted, answers that were not given count as wrong and are counted too."""
    path = tmp_path / "a.eval"
    members = {"_journal/start.json": json.dumps({"version": 2, "eval": {"model": "a", "task": "t"}})}
    for i, value in enumerate(["C", "I", "N", "N", None, None]):
        scores = {} if value is None else {"match": {"value": value}}
        sample = {"id": i, "epoch": 1, "scores": scores, "error": {"message": "timeout"} if i == 5 else None}
        members[f"samples/{i}_epoch_1.json"] = json.dumps(sample)
    path.write_bytes(zipped(members))
    log = read_log(path, "a.eval")
    assert columns(log)["score"][:4] == [1, 0, 0, 0]
    assert [math.isnan(each) for each in columns(log)["score"][4:]] == [True, True]
    assert log.remark == (
        "a.eval: 2 of 6 samples have no score: they are missing, not wrong. 1 of them ended with an error. 2 of 6 samples have "
        "no answer (N) and count as wrong, as Inspect counts them"
    )
    with pytest.raises(DataError, match="'a' lacks 2 of the 6 items: '4' and '5'"):
        tb.read_items(path, inspect(tmp_path / "b.eval", [1] * 6, "b", "t"))
    with pytest.raises(DataError, match=r"holds no scored sample. 2 of 2 samples have no score.* with 'error'"):
        read_log(inspect(tmp_path / "c.eval", [None, None], status="error"), "c")


def test_a_scorer_of_several_values_is_asked_for(tmp_path: Path) -> None:
    """By its name and the value's."""
    path = inspect(tmp_path / "a.eval", [{"precision": 0.5, "recall": 1.0}, {"precision": 1.0, "recall": 0.0}])
    with pytest.raises(UnclearSourceError, match="2 metrics: 'match/precision' and 'match/recall'"):
        tb.read_items(path)
    assert tb.read_items(path, metric="match/recall", lower_is_better=False).score.ravel().tolist() == [1, 0]
    with pytest.raises(DataError, match="b, sample '0': 'good' is a word and no score"):
        read_log(inspect(tmp_path / "b.eval", ["good"]), "b")


def zstandard(path: Path) -> Path:
    """The same archive with every member compressed by Zstandard, method 93, as Inspect writes it."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    packed = {name: pa.compress(content, codec="zstd", asbytes=True) for name, content in members.items()}
    whole = bytearray(zipped(packed, zipfile.ZIP_STORED))
    for signature, method, crc, size in ((b"PK\3\4", 8, 14, 22), (b"PK\1\2", 10, 16, 24)):
        at = -1
        for content in members.values():
            at = whole.index(signature, at + 1)
            struct.pack_into("<H", whole, at + method, 93)
            struct.pack_into("<L", whole, at + crc, zlib.crc32(content))
            struct.pack_into("<L", whole, at + size, len(content))
    path.write_bytes(whole)
    return path


@pytest.mark.parametrize("pack", [zstandard, lambda path: path])
def test_members_unpack_to_what_the_archive_says(pack: Callable[[Path], Path], tmp_path: Path) -> None:
    """By Zstandard, as Inspect 0.3 packs them, or deflated; a wrong checksum is refused, and so is another method."""
    path = pack(inspect(tmp_path / "a.eval", ["C", "I", "C"]))
    assert tb.read_items(path).score.ravel().tolist() == [1, 0, 1]
    whole = bytearray(path.read_bytes())
    for place, form, said in (
        (16, "<L", "does not unpack to what|Bad CRC-32"),
        (10, "<H", "compression method is not supported"),
    ):
        changed = bytearray(whole)
        struct.pack_into(form, changed, whole.rindex(b"PK\1\2") + place, 7)
        path.write_bytes(changed)
        with pytest.raises(DataError, match=said):
            read_log(path, "a")


DEEP = "[" * 200_000 + "]" * 200_000
HEADER = '{"version": 2, "eval": {"model": "m"}}'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"header.json": DEEP}, "header.json: the JSON is nested too deeply"),
        ({"other.json": "{}"}, r"is not as its tool writes a log \(Inspect\).*KeyError"),
        ({"header.json": '{"version": 2, "eval": 3}', "samples/1.json": '{"id": 1, "scores": {"a": 1}}'}, "is not as its tool"),
        ({"header.json": HEADER, "samples/1.json": '{"scores": {"a": 1}}'}, "is not as its tool writes a log"),
        ({"header.json": HEADER.replace("2", "1")}, "of version 1; tiebreak reads version 2"),
    ],
    ids=lambda each: ", ".join(each)[:40] if isinstance(each, dict) else "",
)
def test_archives_that_are_no_log(members: dict[str, str | bytes], message: str, tmp_path: Path) -> None:
    """Each with what stands there."""
    (tmp_path / "a.eval").write_bytes(zipped(members))
    with pytest.raises(DataError, match=message):
        tb.read_items(tmp_path / "a.eval")


def encrypted(content: bytes) -> bytes:
    """The members say that they need a password."""
    return content.replace(b"PK\3\4\x14\0\0", b"PK\3\4\x14\0\1").replace(b"PK\1\2\x14\3\x14\0\0", b"PK\1\2\x14\3\x14\0\1")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"no zip", "BadZipFile: File is not a zip file"),
        (lambda content: content[: len(content) // 2], "was the evaluation or the copy stopped"),
        (encrypted, "is encrypted, password required"),
        (lambda content: content[:45] + b"\xff" * 15 + content[60:], "a.eval"),
    ],
)
def test_archives_that_cannot_be_opened_get_a_message(change: Callable[[bytes], bytes], message: str, tmp_path: Path) -> None:
    """No zip, cut off, encrypted, damaged."""
    path = inspect(tmp_path / "a.eval", [1] * 50)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(DataError, match=message):
        read_log(path, "a.eval")


HOSTILE = {
    "objects": "[" + "{}," * 2_500_000 + "{}]",
    "a lie about its size": " " * 90_000_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_more_is_built_than_a_log_has(kind: str, tmp_path: Path) -> None:
    """A text of a few megabytes may hold values of gigabytes: it is refused before they are made, or more than said unpacked."""
    path = tmp_path / "a.eval"
    content = zipped({"header.json": HOSTILE[kind]})
    if kind == "a lie about its size":
        content = content.replace((90_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    path.write_bytes(content)
    read_log(inspect(tmp_path / "b.eval", ["C"]), "b")  # what is imported is not counted
    tracemalloc.start()
    try:
        with pytest.raises(
            DataError,
            match=r"more values than any|Bad CRC-32",
        ):
            read_log(path, "a")
        assert tracemalloc.get_traced_memory()[1] < (10e6 if kind.startswith("a lie") else 3 * len(HOSTILE[kind]) + 5e6)
    finally:
        tracemalloc.stop()


def test_files_of_an_archive_have_one_limit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred samples of a kilobyte take more than 50 kB: refused before the first is unpacked, with what raises the limit."""
    monkeypatch.setattr("tiebreak.readers.files.MOST_UNPACKED", 50_000)
    path = tmp_path / "a.eval"
    path.write_bytes(zipped({"header.json": "{}"} | {f"samples/{number}.json": " " * 1000 for number in range(100)}))
    with pytest.raises(DataError, match=r"takes more than .* when it is unpacked.*TIEBREAK_MOST_UNPACKED"):
        read_log(path, "a.eval")


def test_helm_takes_the_split_that_it_reports(tmp_path: Path) -> None:
    """Instances of the test split, without perturbed copies, which is said; draws of examples in the prompt are runs."""
    right = instances({"quasi_exact_match": [1, 0, 1], "f1_score": [0, 0, 0]}) + instances({"exact_match": [0] * 4}, "valid")
    records = right + [{**each, "perturbation": {"name": "typos"}} for each in right[:2]]
    log = read_log(run(tmp_path, "boolq", "a", records, ["legalbench"]), "a", is_main=True)
    assert (columns(log)["score"], log.metric, log.lower_is_better) == ([1, 0, 1], None, False)
    assert "boolq: 4 instances of split 'valid' are left out, the instances of split 'test' count. 2 perturbed" in log.remark
    assert "'quasi_exact_match' is taken, and 'f1_score' are there too" in log.remark
    trials = [each for trial in (0, 1) for each in instances({"exact_match": [1, 0.5]}, trial=trial)]
    log = read_log(run(tmp_path, "gsm", "a", trials), "a")
    assert (columns(log)["run"], log.metric) == (["0", "0", "1", "1"], "exact_match")
    others = instances({"exact_match": [1, 1]}, "train") + instances({"exact_match": [0] * 3}, "valid")
    assert columns(read_log(run(tmp_path, "imdb", "a", others), "a"))["score"] == [0, 0, 0]


def test_a_helm_folder_says_what_its_lost_description_did(tmp_path: Path) -> None:
    """As for folders from systems that take no colon; a statistic that is not there is missing and no zero."""
    records = instances({"exact_match": [1, 0]})
    records[1]["stats"][1]["count"] = 0
    path = run(tmp_path, "mmlu:subject=law", "a", records)
    path.with_name("run_spec.json").write_text("{")
    log = read_log(path.parent.rename(tmp_path / path.parent.name.replace(":", "-")) / path.name, "log")
    assert (columns(log)["task"], columns(log)["model"]) == (["mmlu:subject=law"] * 2, ["a", "a"])
    assert log.remark.startswith("mmlu:subject=law: 1 of 2 samples have no score: they are missing, not wrong")


def test_promptfoo_providers_prompts_and_repeats(tmp_path: Path) -> None:
    """As JSON and JSON lines; prompts of a provider are models, a long label is replaced by its number; repeats are epochs."""
    lines = write_lines(tmp_path / "lines.jsonl", outcomes())
    for path in (promptfoo(tmp_path / "o.json", outcomes()), lines):
        items = tb.read_items(path)
        assert items.models == ("openai:a", "openai:b")
        assert items.score[:, 0].tolist() == [answers(0), answers(1)]
        assert set(items.columns["topic"]) == {"even", "odd"}
    told = [{"vars": {"a": 1, "b": 2}, "prompt": {"label": "terse"}}, {"promptIdx": 1, "prompt": {"label": "long " * 20}}]
    asked = [outcome("a", 1, True, **each) for each in told]
    again = {**asked[0], "success": False, "namedScores": {"tone": 1}, "vars": {"b": 2, "a": 1}}
    log = read_log(promptfoo(tmp_path / "p.json", [*asked, again]), "p", "passed")
    assert columns(log)["model"] == ["a terse", "a prompt 2", "a terse"]
    assert columns(log)["epoch"] == ["1", "1", "2"]
    first, other, same = columns(log)["item_hash"]  # of what was asked, whatever the order
    assert first == same != other


def test_promptfoo_errors_are_missing_and_named_scores_are_metrics(tmp_path: Path) -> None:
    """What a provider did not answer says nothing of its answers; whether a test passed is the main metric."""
    found = [{**each, "score": 0.25 + k % 2 / 2, "namedScores": {"tone": k % 5}} for k, each in enumerate(outcomes())]
    found[2] |= {"success": False, "failureReason": 2}
    found[3] |= {"success": False, "error": "429"}
    log = read_log(promptfoo(tmp_path / "o.json", found), "o.json", is_main=True)
    assert np.argwhere(np.isnan(columns(log)["score"])).ravel().tolist() == [2, 3]
    assert (log.metric, log.time, log.lower_is_better) == (None, "2026-11-01T10:00:00.000Z", False)
    assert log.remark == (
        "o.json: 2 of 80 samples have no score: they are missing, not wrong. 2 of them ended with an error; "
        "o: 'passed' is taken, and 'score' and 'tone' are there too (metric)"
    )
    assert max(columns(read_log(tmp_path / "o.json", "o", "score"))["score"][4:]) == 0.75
    assert columns(read_log(tmp_path / "o.json", "o", "tone"))["score"][4] == 4


def test_every_eval_ever(tmp_path: Path) -> None:
    """An error has the score 0 there and is missing here; other versions and the file of means are refused by name."""
    path = every_eval(tmp_path / "a.jsonl", [1, 0, 0], "org/a")
    records = read_lines(path)
    write_lines(path, [*records[:2], {**records[2], "error": "timeout", "metadata": {"subject": "art"}}])
    log = read_log(path, "a")
    assert (columns(log)["item"][0], columns(log)["model"][0], log.time) == ("gsm8k_0000", "org/a", "1")
    assert math.isnan(columns(log)["score"][2])
    assert log.remark == "a: 1 of 3 samples have no score: they are missing, not wrong. 1 of them ended with an error"
    with pytest.raises(DataError, match=r"c is of version '0.9' of the schema of .*; tiebreak reads 0.2 and 0.3"):
        read_log(every_eval(tmp_path / "c.jsonl", [1], "org/c", "0.9"), "c")
    (tmp_path / "means.json").write_text('{"schema_version": "0.2.1", "evaluation_results": []}')
    with pytest.raises(DataError, match=r"holds the means of Every Eval Ever. Pass the file of its samples"):
        read_log(tmp_path / "means.json", "means")


def test_every_eval_ever_keeps_results_of_one_sample_apart(tmp_path: Path) -> None:
    """Two results of a sample are two metrics and no epochs; a task of one result counts whichever is taken."""
    both = [
        each | {"evaluation_result_id": name}
        for each in read_lines(every_eval(tmp_path / "a.jsonl", [1, 0], "m"))
        for name in "xy"
    ]
    both[3]["evaluation"] = {"score": 1.0, "is_correct": True}
    path = write_lines(tmp_path / "b.jsonl", [*both, both[0] | {"evaluation_name": "other"}])
    with pytest.raises(UnclearSourceError, match="2 metrics: 'x' and 'y'"):
        read_log(path, "b")
    assert columns(read_log(path, "b", "x"))["score"] == [1, 0, 1]
    assert columns(read_log(path, "b", "y"))["score"] == [1, 1, 1]
    assert "epoch" not in columns(read_log(path, "b", "y"))


def test_every_eval_ever_means_say_the_direction(tmp_path: Path) -> None:
    """The file of means beside has it of each result; whether answers are correct is another metric."""
    path = every_eval(tmp_path / "a_samples.jsonl", [0.5, 1.5, 2.0], "m")
    assert tb.read_items(path).metric.higher_is_better
    assert columns(read_log(path, "a", "accuracy"))["score"] == [0, 1, 1]
    config = {"metric_config": {"lower_is_better": True}, "evaluation_name": "gsm8k"}
    (tmp_path / "a.json").write_text(json.dumps({"schema_version": "0.2.1", "evaluation_results": [config]}))
    items = tb.read_items(path)
    assert (items.metric.name, items.metric.higher_is_better) == ("score", False)
    (tmp_path / "a.json").write_text('{"evaluation_results": [')
    assert tb.read_items(path).metric.higher_is_better


def test_swe_bench_counts_empty_patches_and_not_what_was_not_submitted(tmp_path: Path) -> None:
    """A run of a part of the instances says nothing of the rest; a report without lists is refused."""
    log = read_log(swe_bench(tmp_path / "agent-1.0.run_1.json", [1, 0, 1, 0], 3), "a")
    assert (columns(log)["score"], columns(log)["model"][0]) == ([1, 0, 1, 0], "agent-1.0")
    assert log.remark == "a: 3 of 7 instances were not submitted: they are missing, not wrong"
    (tmp_path / "b.json").write_text(json.dumps({"total_instances": 10, "resolved_instances": 3}))
    with pytest.raises(DataError, match="says how many instances were resolved, and not which"):
        read_log(tmp_path / "b.json", "b")


def test_eval_plus_counts_as_it_does_itself() -> None:
    """Its pass@1 of the further tests, 1/4, asks for the first ones too; several samples of a task are epochs."""
    log = read_log(DATA / "codemodel.eval_results.json", "a", is_main=True)
    assert columns(log)["score"] == [1, 0, 0, 0]
    assert columns(log)["item"] == ["HumanEval/0", "HumanEval/0", "HumanEval/1", "HumanEval/1"]
    assert (columns(log)["epoch"], columns(log)["model"][0]) == (["1", "2"] * 2, "codemodel")
    assert log.remark == "HumanEval: 'plus' is taken, and 'base' are there too (metric)"
    assert columns(read_log(DATA / "codemodel.eval_results.json", "a", "base"))["score"] == [1, 1, 0, 0]


def test_livecodebench_answers_are_epochs(tmp_path: Path) -> None:
    """The folder names the model where the tool calls all files the same; as `eval` by question it is the same."""
    path = DATA / "codemodel/Scenario.codegeneration_2_0.2_eval_all.json"
    log = read_log(path, "a")
    assert columns(log)["score"] == [1, 0, 1, 1, 0, 0]
    assert (columns(log)["epoch"], set(columns(log)["model"]), log.metric) == (["1", "2"] * 3, {"codemodel"}, None)
    assert columns(log)["platform"] == ["atcoder"] * 2 + ["leetcode"] * 4
    by_question = {
        each["question_id"]: {"code_list": [], "graded_list": each["graded_list"]} for each in json.loads(path.read_text())
    }
    (tmp_path / "m_eval_all.json").write_text(json.dumps({"date": "", "eval": by_question}))
    other = read_log(tmp_path / "m_eval_all.json", "a")
    assert (columns(other)["item"], columns(other)["score"]) == (columns(log)["item"], columns(log)["score"])
    assert set(columns(other)["model"]) == {"m"}
    tests = [{"question_id": "1", "test_id": k, "graded_list": [], "pass@1": 0.5} for k in (0, 1)]
    (tmp_path / "m_eval_all.json").write_text(json.dumps(tests))
    other = read_log(tmp_path / "m_eval_all.json", "a")
    assert (columns(other)["item"], other.metric, other.lower_is_better) == (["1/0", "1/1"], "pass@1", False)


SAMPLE = '{"doc_id": 0, "resps": [], "acc": 1}\n'
EVERY = '{"schema_version": "0.2", "sample_id": "1", "evaluation_name": "", "model_id": '


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", SAMPLE + DEEP, "line 2,: the JSON is nested too deeply"),
        ("a.jsonl", SAMPLE + '{"doc_id": ' + "9" * 5000 + "}", "line 2, is not JSON: Exceeds the limit"),
        ("a.jsonl", SAMPLE + SAMPLE[:-9], "line 2, is not JSON: .*Was the file cut short"),
        ("a.jsonl", SAMPLE + '{"acc": 1}', "is not as its tool writes a log .*KeyError: 'doc_id'"),
        ("a.jsonl", SAMPLE.replace("1}", "1" + "0" * 400 + "}"), "is no score of a single item"),
        (
            "a.jsonl",
            EVERY + '"\\ud800", "evaluation": {"score": 1, "is_correct": true}}',
            "is not as its tool writes.*surrogates",
        ),
        ("a.jsonl", EVERY + '{"a": 1}, "evaluation": {"score": 1, "is_correct": true}}', "is not as its tool writes.*unhashable"),
        ("a.json", '{"evalId": "e", "results": {"results": []}}', "holds no scored sample"),
        ("a.json", '{"evalId": "e", "results": {"results": [{"testIdx": 1}]}}', "is not as its tool writes a log"),
        ("a.json", '{"evalId": "e", "results": {"results": [', "is not JSON: .*Was the file cut short"),
        ("per_instance_stats.json", "[]", "holds no scored sample"),
        ("m_eval_all.json", '[{"question_id": "1"}]', "is not as its tool writes a log .*KeyError: 'pass@1'"),
    ],
    ids=lambda text: text[:20],
)
def test_damaged_logs_are_refused_in_words(name: str, content: str, message: str, tmp_path: Path) -> None:
    """Whatever Python's parser, or a name or a number of another kind, makes of it."""
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=f"(?s)log,? .*{message}"):
        read_log(tmp_path / name, "log")


def test_other_documents_under_the_same_number_are_refused(tmp_path: Path) -> None:
    """A shuffled or changed dataset would pair questions that are not the same."""
    one, other = harness(tmp_path / "a.jsonl", [1, 0]), harness(tmp_path / "b.jsonl", [1, 0], salt="x")
    with pytest.raises(DataError, match="2 items of one number are not the same sample in all files: '0' and '1'"):
        tb.read_items(one, other)
