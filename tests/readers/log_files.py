"""Logs as the tools write them, from their documented fields, for the tests of readers and commands."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

TIME = "2026-01-21T03-44-18.458309"
SIZES = {"mmlu_law": 20, "mmlu_anatomy": 60, "arc_easy": 40}


def write_lines(path: Path, records: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def answers(seed: int, n: int = 40) -> list[int]:
    """Made-up outcomes."""
    return (np.random.default_rng(seed).random(n) < 0.6).astype(int).tolist()


def harness(path: Path, scores: Sequence[float], metric: str = "acc", filters: Sequence[str] = ("none",), salt: str = "") -> Path:
    """Samples of lm-evaluation-harness 0.4: one line for each document and filter."""
    said = {"target": "x", "arguments": {}, "resps": [["x"]], "filtered_resps": ["x"], "metrics": [metric]}
    records = [
        {"doc_id": i, "doc": {"question": f"{i}?"}, **said, "filter": kind, "doc_hash": f"hash{i}{salt}", metric: score}
        for i, score in enumerate(scores)
        for kind in filters
    ]
    return write_lines(path, [{**each, metric: 1.0} if each["filter"] == "flexible-extract" else each for each in records])


def results(path: Path, model: str, means: Mapping[str, float], sizes: Mapping[str, int], **more: Any) -> Path:
    """results_TIME.json of the harness: means by task, sizes, the name of the model, and what else is given."""
    of_tasks = {task: {"alias": task, "acc,none": mean, "acc_stderr,none": 0.1} for task, mean in means.items()}
    n_samples = {task: {"original": n, "effective": n} for task, n in sizes.items()}
    path.write_text(json.dumps({"results": of_tasks, "n-samples": n_samples, "model_name": model, **more}))
    return path


def suite(folder: Path, model: str, seed: int) -> dict[str, list[int]]:
    """A model's samples of mmlu, in two parts, and arc_easy, with the results beside."""
    own = {task: answers(seed + i, n) for i, (task, n) in enumerate(SIZES.items())}
    for task, values in own.items():
        harness(folder / f"samples_{task}_{TIME}.jsonl", values)
    means = {task: float(np.mean(values)) for task, values in own.items()}
    children = {"mmlu": ["mmlu_law", "mmlu_anatomy"]} | {task: [] for task in SIZES}
    results(folder / f"results_{TIME}.json", model, means, SIZES, group_subtasks=children)
    return own


def zipped(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of files by their names."""
    held = BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return held.getvalue()


def inspect(
    path: Path,
    scores: Sequence[Any],
    model: str = "openai/one",
    task: str = "gsm8k",
    version: int = 2,
    status: str = "success",
    **about: Any,
) -> Path:
    """An .eval file of Inspect: header.json and a file for each sample and epoch; a list is of the epochs of one sample."""
    header = {"version": version, "status": status, "eval": {"model": model, "task": task, **about}}
    members = {"header.json": json.dumps(header)}
    for i, score in enumerate(scores):
        for epoch, value in enumerate(score if isinstance(score, list) else [score], 1):
            sample = {"id": i, "epoch": epoch, "scores": {"match": {"value": value}} if value is not None else None}
            members[f"samples/{i}_epoch_{epoch}.json"] = json.dumps(sample)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zipped(members))
    return path


def every_eval(path: Path, scores: Sequence[float], model: str, version: str = "instance_level_eval_0.2.1") -> Path:
    """Instance-level JSON lines of Every Eval Ever."""
    about = {"schema_version": version, "evaluation_id": "gsm8k/1", "model_id": model, "evaluation_name": "gsm8k"}
    samples = [{**about, "sample_id": f"gsm8k_{i:04}", "sample_hash": f"hash{i}", "input": {}} for i in range(len(scores))]
    scored = [{"evaluation": {"score": score, "is_correct": score > 0.5}} for score in scores]
    return write_lines(path, [sample | score for sample, score in zip(samples, scored, strict=True)])


def instances(scores: Mapping[str, Sequence[float]], split: str = "test", trial: int = 0) -> list[dict[str, Any]]:
    """PerInstanceStats of HELM, with the counts of tokens that it keeps beside."""
    stats = [
        [{"name": {"name": name, "split": split}, "count": 1, "mean": mean} for name, mean in zip(scores, row, strict=True)]
        for row in zip(*scores.values(), strict=True)
    ]
    tokens = {"name": {"name": "num_prompt_tokens", "split": split}, "count": 1, "mean": 300}
    return [{"instance_id": f"id{i}", "train_trial_index": trial, "stats": [tokens, *own]} for i, own in enumerate(stats)]


def run(folder: Path, scenario: str, model: str, records: list[Any], groups: Sequence[str] = ()) -> Path:
    """A run's folder of HELM, with its description; the path of the statistics of each instance."""
    path = folder / f"{scenario}{',' if ':' in scenario else ':'}model={model.replace('/', '_')}" / "per_instance_stats.json"
    path.parent.mkdir(parents=True)
    about = {"name": path.parent.name, "adapter_spec": {"model": model}, "groups": list(groups)}
    path.with_name("run_spec.json").write_text(json.dumps(about, indent=2))
    path.write_text(json.dumps(records, indent=2))
    return path


def outcome(provider: str, test: int, success: bool, **more: Any) -> dict[str, Any]:
    """EvaluateResult of promptfoo."""
    case = {"testCase": {"metadata": {"topic": "odd" if test % 2 else "even"}}, "vars": {"question": f"q{test}"}}
    asked = {"promptIdx": 0, "testIdx": test, "prompt": {"label": "Answer: {{question}}"}, "provider": {"id": provider}}
    return {**asked, **case, "success": success, "score": float(success), "failureReason": 0, "namedScores": {}, **more}


def outcomes() -> list[dict[str, Any]]:
    """Of 40 tests and two providers."""
    return [outcome(who, k, bool(ok)) for seed, who in enumerate(("openai:a", "openai:b")) for k, ok in enumerate(answers(seed))]


def promptfoo(path: Path, found: list[Any]) -> Path:
    """A file as `promptfoo eval --output` writes it."""
    held = {"version": 3, "timestamp": "2026-11-01T10:00:00.000Z", "prompts": [], "results": found, "stats": {}}
    path.write_text(json.dumps({"evalId": "eval-1", "results": held, "config": {}, "shareableUrl": None}, indent=2))
    return path


def swe_bench(path: Path, resolved: Sequence[int], n_incomplete: int = 0) -> Path:
    """A report of SWE-bench's harness; the last instance is an empty patch."""
    ids = [f"django__django-{k}" for k in range(len(resolved) + n_incomplete)]
    submitted, right = ids[: len(resolved)], [name for name, ok in zip(ids, resolved, strict=False) if ok]
    lists = {"submitted_ids": submitted, "resolved_ids": right, "unresolved_ids": [], "empty_patch_ids": submitted[-1:]}
    path.write_text(json.dumps({"total_instances": len(ids), "resolved_instances": len(right), **lists}, indent=4))
    return path
