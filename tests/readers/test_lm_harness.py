"""Samples of lm-evaluation-harness with the file of results beside them, written here as lm_eval 0.4 does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tests.readers.test_item_logs import harness, write_lines
from tiebreak.errors import TiebreakError

TIME = "2026-01-21T03-44-18.458309"


def results(path: Path, model: str, means: Mapping[str, float], sizes: Mapping[str, int], **more: Any) -> Path:
    """results_TIME.json: means by task, sizes, the name of the model, and what else is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    held = {
        "results": {task: {"alias": task, "acc,none": mean, "acc_stderr,none": 0.1} for task, mean in means.items()},
        "n-samples": {task: {"original": n, "effective": n} for task, n in sizes.items()},
        "model_name": model,
        "model_name_sanitized": model.replace("/", "__"),
        **more,
    }
    path.write_text(json.dumps(held))
    return path


def answers(seed: int, n: int) -> list[int]:
    return (np.random.default_rng(seed).random(n) < 0.6).astype(int).tolist()


SIZES = {"mmlu_law": 20, "mmlu_anatomy": 60, "arc_easy": 40}


def suite(folder: Path, model: str, seed: int, weighted: bool, nested: bool = False) -> dict[str, list[int]]:
    """A model's samples of mmlu, in two parts, and arc_easy, with the results as the harness groups them."""
    own = {task: answers(seed + i, n) for i, (task, n) in enumerate(SIZES.items())}
    for task, values in own.items():
        harness(folder / f"samples_{task}_{TIME}.jsonl", values)
    means = {task: float(np.mean(values)) for task, values in own.items()}
    parts = ["mmlu_law", "mmlu_anatomy"]
    group = np.average([means[each] for each in parts], weights=[SIZES[each] for each in parts] if weighted else None)
    children = {"mmlu": ["mmlu_all"], "mmlu_all": parts} if nested else {"mmlu": parts}
    groups = {name: {"alias": name, "acc,none": float(group)} for name in children}
    results(
        folder / f"results_{TIME}.json",
        model,
        means | {name: float(group) for name in children},
        SIZES,
        groups=groups,
        group_subtasks=children | {task: [] for task in SIZES},
    )
    return own


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("nested", [True, False])
def test_groups_count_as_the_harness_counts_them(tmp_path: Path, weighted: bool, nested: bool) -> None:
    """A group is one task beside others, by the mean of all its items or of its tasks, whichever the harness reports."""
    own = {model: suite(tmp_path / model, f"org/{model}", seed, weighted, nested) for model, seed in (("a", 1), ("b", 7))}
    found = tb.read_results(tmp_path)
    answer = tb.compare(found)
    assert set(answer.items.tasks) == {"mmlu", "arc_easy"}
    macro = {}
    for model, tasks in own.items():
        parts = [tasks["mmlu_law"], tasks["mmlu_anatomy"]]
        group = np.mean(parts[0] + parts[1]) if weighted else np.mean([np.mean(each) for each in parts])
        macro[model] = (group + np.mean(tasks["arc_easy"])) / 2
    assert answer.pair("org/a", "org/b").difference == pytest.approx(macro["a"] - macro["b"], abs=1e-12)
    how = "the mean over all their items" if weighted else "the mean of its tasks"
    assert any(f"group 'mmlu' of 2 tasks counts as one task, by {how}" in text for text in found.remarks)
    parts = tb.compare(tmp_path, by="subtask").slices().to_frame()
    assert set(parts["slice"]) == set(SIZES)


def test_a_group_alone_is_the_number_of_the_harness(tmp_path: Path) -> None:
    """Pooled where the harness pools; its tasks where it takes their mean, which the macro-average is."""
    for weighted in (True, False):
        for model, seed in (("a", 1), ("b", 7)):
            folder = tmp_path / str(weighted) / model
            suite(folder, f"org/{model}", seed, weighted)
            (folder / f"samples_arc_easy_{TIME}.jsonl").unlink()
        answer = tb.compare(tmp_path / str(weighted))
        assert (answer.items.tasks is None) == weighted
        means = [json.loads((tmp_path / str(weighted) / m / f"results_{TIME}.json").read_text())["groups"]["mmlu"] for m in "ab"]
        assert answer.pair("org/a", "org/b").difference == pytest.approx(means[0]["acc,none"] - means[1]["acc,none"], abs=1e-12)


def test_a_group_whose_number_cannot_be_told_is_none(tmp_path: Path) -> None:
    """Its tasks count by themselves."""
    for model, seed in (("a", 1), ("b", 7)):
        suite(tmp_path / model, f"org/{model}", seed, weighted=True)
        path = tmp_path / model / f"results_{TIME}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"groups": {"mmlu": {"acc,none": 0.123}}}))
    assert set(tb.compare(tmp_path).items.tasks) == set(SIZES)


def test_models_of_one_folder_are_named_by_their_results(tmp_path: Path) -> None:
    """With --output_path FILE.json the harness writes all models into one folder: only the time says what belongs together."""
    for k, model in enumerate(("org/a", "org/b")):
        time = f"2026-01-0{k + 1}T03-04-05.1"
        harness(tmp_path / f"samples_arc_{time}.jsonl", answers(k, 40))
        results(tmp_path / f"{model[-1]}_{time}.json", model, {"arc": 0.5}, {"arc": 40})
    found = tb.read_results(tmp_path)
    assert len(found.of_kind("means")) == 2
    assert sorted(tb.compare(found).models) == ["org/a", "org/b"]


def test_the_latest_of_several_runs_counts_beside_other_models(tmp_path: Path) -> None:
    """Said by name; runs of a single model are compared with each other."""
    for seed, (model, day) in enumerate((("org__a", 1), ("org__a", 3), ("org__a", 2), ("org__b", 1))):
        harness(tmp_path / model / f"samples_arc_2026-01-0{day}T03-04-05.1.jsonl", answers(seed, 40))
    found = tb.read_results(tmp_path)
    pair = tb.compare(found).pair("org/a", "org/b")
    assert pair.difference == pytest.approx(np.mean(answers(1, 40)) - np.mean(answers(3, 40)), abs=1e-12)
    latest = "an earlier run; the latest is compared: org__a/samples_arc_2026-01-03T03-04-05.1.jsonl"
    assert list(found.left_out.values()) == [latest, latest]
    assert len(tb.compare(tmp_path / "org__a").models) == 3


def test_runs_with_other_settings_are_other_models(tmp_path: Path) -> None:
    """Two numbers of examples in the prompt are two things to compare, and are called so."""
    for seed, (model, shots, day) in enumerate((("org/a", 0, 1), ("org/a", 5, 2), ("org/b", 5, 1))):
        folder, time = tmp_path / model.replace("/", "__"), f"2026-01-0{day}T03-04-05.1"
        harness(folder / f"samples_arc_{time}.jsonl", answers(seed, 40))
        results(folder / f"results_{time}.json", model, {"arc": 0.5}, {"arc": 40}, **{"n-shot": {"arc": shots}})
    assert sorted(tb.compare(tmp_path).models) == ["org/a (num_fewshot=0)", "org/a (num_fewshot=5)", "org/b"]


def test_the_direction_of_a_metric_is_read(tmp_path: Path) -> None:
    """A metric of a task's own, of which the results say that less is better."""
    for k, model in enumerate(("a", "b")):
        values = np.random.default_rng(k).random(40).tolist()
        harness(tmp_path / model / f"samples_own_{TIME}.jsonl", values, "edit_distance")
        better = {"higher_is_better": {"own": {"edit_distance": False}}}
        results(tmp_path / model / f"results_{TIME}.json", model, {"own": 0.5}, {"own": 40}, **better)
    answer = tb.compare(tmp_path)
    assert (answer.metric.name, answer.metric.higher_is_better) == ("edit_distance", False)


def test_metrics_of_whole_tasks_are_passed_over(tmp_path: Path) -> None:
    """What stands as a pair of numbers for each sample (f1, bleu) is no score; where nothing else is there the log says so."""
    for model in ("a", "b"):
        path = harness(tmp_path / model / f"samples_mrpc_{TIME}.jsonl", answers(ord(model), 40), "acc")
        records = [json.loads(line) for line in path.read_text().splitlines()]
        write_lines(path, [{**each, "metrics": ["f1", "acc"], "f1": [1, each["acc"]]} for each in records])
    found = tb.read_results(tmp_path)
    assert tb.compare(found).items.metric.name == "accuracy"
    assert any("'acc' is taken, and 'f1' are there too" in text for text in found.remarks)


def test_what_is_said_of_many_tasks_is_said_once(tmp_path: Path) -> None:
    """One remark for five tasks with two metrics, and one for tasks that a model lacks."""
    for model in ("a", "b"):
        for task in "vwxyz":
            path = harness(tmp_path / model / f"samples_{task}_{TIME}.jsonl", answers(ord(model), 40))
            records = [json.loads(line) for line in path.read_text().splitlines()]
            write_lines(path, [{**each, "metrics": ["acc", "acc_norm"], "acc_norm": 1.0} for each in records])
    harness(tmp_path / "a" / f"samples_more_{TIME}.jsonl", answers(1, 40))
    harness(tmp_path / "a" / f"samples_most_{TIME}.jsonl", answers(1, 40))
    found = tb.read_results(tmp_path)
    tb.compare(found)
    assert [text for text in found.remarks if "is taken" in text] == [
        "'v', 'w' and 3 more: 'acc' is taken, and 'acc_norm' are there too (metric)"
    ]
    assert "tasks 'more' and 'most' are left out: 'b' lacks them" in found.remarks


def test_fields_of_documents_are_slices_and_clusters(tmp_path: Path) -> None:
    """Short fields of the document: its subject, the passage it is about; what tells every document apart is left out."""
    for model in ("a", "b"):
        path = harness(tmp_path / model / f"samples_arc_{TIME}.jsonl", answers(ord(model), 40))
        records = [json.loads(line) for line in path.read_text().splitlines()]
        docs: Sequence[dict[str, Any]] = [
            {"question": f"{i}?", "subject": "law" if i % 2 else "art", "passage": i // 4, "score": "x", "long": "y" * 500}
            for i in range(40)
        ]
        write_lines(path, [{**each, "doc": doc} for each, doc in zip(records, docs, strict=True)])
    answer = tb.compare(tmp_path, by="subject")
    assert set(answer.items.columns) >= {"subject", "passage"}
    assert not {"question", "long", "score"} & set(answer.items.columns)
    assert set(answer.slices().names) == {"law", "art"}
    clustered = tb.compare(tmp_path, cluster="passage")
    assert clustered.items.n_clusters == 10
    assert clustered.method.name == "clustered-t"


def test_results_that_are_cut_short_or_lead_out_are_passed_over(tmp_path: Path) -> None:
    """Then the folder names the model, and nothing outside of it is read."""
    outside = results(tmp_path / "outside.json", "secret", {"arc": 0.5}, {"arc": 40})
    for model in ("a", "b"):
        harness(tmp_path / "lm" / model / f"samples_arc_{TIME}.jsonl", answers(ord(model), 40))
    (tmp_path / "lm" / "a" / f"results_{TIME}.json").write_text('{"results": ')
    (tmp_path / "lm" / "b" / f"results_{TIME}.json").symlink_to(outside)
    assert sorted(tb.compare(tmp_path / "lm").models) == ["a", "b"]


# --- versions before 0.4.3 ------------------------------------------------------------------------------------------------------


def old_run(folder: Path, arguments: str, own: Mapping[str, Sequence[int]], results_file: str = "results.json") -> None:
    """What 0.4.0 to 0.4.2 write: samples as a JSON list in ARGUMENTS_TASK.jsonl, with / and = as __, and results beside."""
    folder.mkdir(parents=True, exist_ok=True)
    for task, scores in own.items():
        samples = [
            {
                "doc_id": i,
                "doc": {"question": f"[{i}?"},
                "target": "x",
                "arguments": [["q", "x"]],
                "resps": [[[-1.0, False]]],
                "filtered_resps": [[-1.0, False]],
                "acc": float(score),
                "acc_norm": 1.0 - score,
            }
            for i, score in enumerate(scores)
        ]
        name = arguments.replace("/", "__").replace("=", "__")
        (folder / f"{name}_{task}.jsonl").write_text(json.dumps(samples, indent=2))
    held = {
        "results": {task: {"acc,none": float(np.mean(values)), "alias": task} for task, values in own.items()},
        "configs": {task: {"task": task} for task in own},
        "versions": dict.fromkeys(own, 1.0),
        "n-shot": dict.fromkeys(own, 0),
        "config": {"model": "hf", "model_args": arguments, "batch_size": 8},
        "git_hash": "abc",
    }
    (folder / results_file).write_text(json.dumps(held, indent=2))


@pytest.mark.parametrize("is_shared", [True, False])
def test_runs_of_versions_before_0_4_3_are_named_by_the_arguments_of_the_model(tmp_path: Path, is_shared: bool) -> None:
    """In a folder for each run, or all in one with --output_path FILE.json."""
    own = {name: {"arc_easy": answers(seed, 40), "boolq": answers(seed + 9, 30)} for seed, name in enumerate("ab")}
    for name, tasks in own.items():
        folder, file = (tmp_path, f"{name}.json") if is_shared else (tmp_path / name, "results.json")
        old_run(folder, f"pretrained=org/{name}_2,dtype=float", tasks, file)
    found = tb.read_results(tmp_path)
    assert len(found.of_kind("log")) == 4
    answer = tb.compare(found)
    assert set(answer.items.tasks) == {"arc_easy", "boolq"}
    means = {name: np.mean([np.mean(each) for each in tasks.values()]) for name, tasks in own.items()}
    assert answer.pair("org/a_2", "org/b_2").difference == pytest.approx(means["a"] - means["b"], abs=1e-12)


def test_runs_of_one_model_are_told_apart_by_other_arguments(tmp_path: Path) -> None:
    """Here the precision; an adapter is named rather than the model below it."""
    for seed, more in enumerate(("dtype=float16", "dtype=float32", "peft=me/adapter")):
        old_run(tmp_path / str(seed), f"pretrained=org/a,{more}", {"arc": answers(seed, 40)})
    assert sorted(tb.compare(tmp_path).models) == ["me/adapter", "org/a (dtype=float16)", "org/a (dtype=float32)"]


def test_lists_of_samples_without_results_are_called_after_their_files(tmp_path: Path) -> None:
    """Nothing says where the arguments end and the task begins."""
    for seed, name in enumerate("ab"):
        old_run(tmp_path / name, f"pretrained={name}", {"arc": answers(seed, 40)})
        (tmp_path / name / "results.json").unlink()
    assert sorted(tb.compare(tmp_path).models) == ["pretrained__a_arc", "pretrained__b_arc"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"doc_id": 0, "resps": [], "acc": 1.0}, 3]', "is no list of samples"),
        ('[{"doc_id": 0, "resps": [], "acc": 1.0},', "Was the file cut short"),
        ('[{"doc_id": 0, "resps": [], "acc": "x"}]', "is a word and no score"),
    ],
)
def test_a_list_of_samples_that_is_damaged_is_refused_by_name(tmp_path: Path, content: str, said: str) -> None:
    """Cut short, or with what is no sample in it."""
    path = tmp_path / "pretrained__a_arc.jsonl"
    path.write_text(content)
    with pytest.raises(TiebreakError, match=f"(?s){path.name}.*{said}"):
        tb.read_items(path)
