"""Runs of HELM, written here from the fields that its classes RunSpec, PerInstanceStats and Stat have (crfm-helm 0.5)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiebreak as tb
from tiebreak.errors import AmbiguousSourceError, SourceNotFoundError, UnreadableSourceError
from tiebreak.readers import logs as helm


def stat(name: str, mean: float, split: str = "test", **more: Any) -> dict[str, Any]:
    """A Stat of one value, without the fields that are None, as HELM writes it."""
    sums = {"sum": mean, "sum_squared": mean**2, "min": mean, "max": mean, "mean": mean, "variance": 0.0, "stddev": 0.0}
    return {"name": {"name": name, "split": split, **more}, "count": 1, **sums}


def instances(scores: Mapping[str, Sequence[float]], split: str = "test", trial: int = 0, start: int = 0) -> list[dict[str, Any]]:
    """PerInstanceStats of several metrics, with the counts of tokens that HELM keeps beside."""
    rows = zip(*scores.values(), strict=True)
    return [
        {
            "instance_id": f"id{start + i}",
            "train_trial_index": trial,
            "stats": [stat("num_prompt_tokens", 300 + i, split), *(stat(m, v, split) for m, v in zip(scores, row, strict=True))],
        }
        for i, row in enumerate(rows)
    ]


def run(folder: Path, scenario: str, model: str, records: list[dict[str, Any]], groups: Sequence[str] = (), **spec: Any) -> Path:
    """A run's folder with its description and the statistics of each instance, indented as HELM does."""
    name = f"{scenario}{',' if ':' in scenario else ':'}model={model.replace('/', '_')}"
    path = folder / name
    path.mkdir(parents=True)
    about = {"name": name, "scenario_spec": {}, "adapter_spec": {"model": model}, "groups": list(groups), **spec}
    (path / "run_spec.json").write_text(json.dumps(about, indent=2))
    (path / "stats.json").write_text(json.dumps([stat("exact_match", 0.5)], indent=2))
    (path / "scenario_state.json").write_text(json.dumps({"request_states": []}, indent=2))
    (path / "per_instance_stats.json").write_text(json.dumps(records, indent=2))
    return path


def right(seed: int, n: int, share: float = 0.6) -> list[float]:
    return (np.random.default_rng(seed).random(n) < share).astype(float).tolist()


def test_a_suite_is_compared_to_the_verdict(tmp_path: Path) -> None:
    """benchmark_output/runs/SUITE: a folder for each run; model by description, task by name."""
    suite = tmp_path / "benchmark_output" / "runs" / "v1"
    for k, model in enumerate(("openai/gpt2", "meta/llama-3")):
        for t, (task, n) in enumerate((("gsm", 30), ("boolq:only_contrast=False", 40))):
            run(suite, task, model, instances({"exact_match": right(10 * k + t, n), "f1_score": right(99, n)}), [task])
    found = tb.read_results(tmp_path)
    assert len(found.of_kind("log")) == 4
    answer = tb.compare(found)
    assert sorted(answer.models) == ["meta/llama-3", "openai/gpt2"]
    assert set(answer.items.tasks) == {"gsm", "boolq:only_contrast=False"}
    assert any("'f1_score' is taken, and 'exact_match' are there too" in text for text in found.remarks)
    exact = tb.compare(found, metric="exact_match")
    by_hand = [np.mean(right(10 * k, 30)) / 2 + np.mean(right(10 * k + 1, 40)) / 2 for k in range(2)]
    assert exact.pair("openai/gpt2", "meta/llama-3").difference == pytest.approx(by_hand[0] - by_hand[1], abs=1e-12)


def test_subjects_of_a_group_count_as_helm_counts_them(tmp_path: Path) -> None:
    """A group's score is the mean of its runs; beside another task the group is one task, its parts of 20 and 60 items alike."""
    for k, model in enumerate(("a/one", "b/two")):
        for t, (subject, n) in enumerate((("law", 20), ("anatomy", 60))):
            run(
                tmp_path,
                f"mmlu:subject={subject}",
                model,
                instances({"exact_match": right(10 * k + t, n)}),
                ["mmlu", f"mmlu_{subject}"],
            )
        run(tmp_path, "gsm", model, instances({"exact_match": right(10 * k + 5, 30)}), ["gsm"])
    answer = tb.compare(tmp_path)
    assert set(answer.items.tasks) == {"mmlu", "gsm"}
    means = [[np.mean(right(10 * k + t, n)) for t, n in enumerate((20, 60))] + [np.mean(right(10 * k + 5, 30))] for k in range(2)]
    macro = [np.mean([np.mean(own[:2]), own[2]]) for own in means]
    assert answer.pair("a/one", "b/two").difference == pytest.approx(macro[0] - macro[1], abs=1e-12)
    assert set(answer.items.columns["subtask"]) == {"mmlu:subject=law", "mmlu:subject=anatomy", "gsm"}


def test_one_group_alone_is_the_mean_of_its_tasks(tmp_path: Path) -> None:
    """Its macro-average is HELM's number, so its tasks stay tasks."""
    for k, model in enumerate(("a/one", "b/two")):
        for t, (subject, n) in enumerate((("law", 20), ("anatomy", 60))):
            run(tmp_path, f"mmlu:subject={subject}", model, instances({"exact_match": right(10 * k + t, n)}), ["mmlu"])
    answer = tb.compare(tmp_path)
    assert set(answer.items.tasks) == {"mmlu:subject=law", "mmlu:subject=anatomy"}
    means = [np.mean([np.mean(right(10 * k + t, n)) for t, n in enumerate((20, 60))]) for k in range(2)]
    assert answer.pair("a/one", "b/two").difference == pytest.approx(means[0] - means[1], abs=1e-12)


def test_the_split_that_helm_reports_counts(tmp_path: Path) -> None:
    """Instances of the test split, without perturbed copies; what is left out is said."""
    perturbed = [
        {**record, "perturbation": {"name": "typos", "robustness": True}, "instance_id": record["instance_id"]}
        for record in instances({"exact_match": [0.0] * 20})
    ]
    for model in ("a", "b"):
        records = instances({"exact_match": right(ord(model), 20)}) + instances({"exact_match": [0.0] * 10}, "valid", start=50)
        run(tmp_path, "boolq", model, records + perturbed)
    found = tb.read_results(tmp_path)
    answer = tb.compare(found)
    assert answer.pair("a", "b").n_units == 20
    assert (
        "boolq: 10 instances of split 'valid' are left out, those of 'test' count, 20 perturbed copies of instances are left out"
        in (found.remarks)
    )


def test_draws_of_examples_in_the_prompt_are_crossed_runs(tmp_path: Path) -> None:
    """All instances share the examples of a trial, so trials are runs and no epochs."""
    for model in ("a", "b"):
        records = [one for trial in range(3) for one in instances({"exact_match": right(ord(model) + trial, 25)}, trial=trial)]
        run(tmp_path, "boolq", model, records)
    assert tb.compare(tmp_path).items.runs == ("0", "1", "2")


def test_files_of_the_site_have_scores_by_name(tmp_path: Path) -> None:
    """display_predictions.json, where the longer file is not there; beside it, it is a copy and not read."""
    for model in ("a", "b"):
        path = run(tmp_path, "gsm", model, instances({"exact_match": right(ord(model), 25)}))
        shown = [
            {"instance_id": f"id{i}", "train_trial_index": 0, "predicted_text": "x", "stats": {"exact_match": value}}
            for i, value in enumerate(right(ord(model), 25))
        ]
        (path / "display_predictions.json").write_text(json.dumps(shown))
    whole = tb.compare(tmp_path)
    for path in tmp_path.glob("*/per_instance_stats.json"):
        path.unlink()
    assert tb.compare(tmp_path).pairs.equals(whole.pairs)


def test_a_folder_name_says_it_where_the_description_is_lost(tmp_path: Path) -> None:
    """As for folders from systems that take no colon; a statistic that is not there is missing and no zero."""
    for model in ("a", "b"):
        records = instances({"exact_match": right(ord(model), 25)})
        records[3]["stats"] = records[3]["stats"][:1]
        path = run(tmp_path, "mmlu:subject=law", model, records)
        (path / "run_spec.json").write_text("{")
        path.rename(tmp_path / path.name.replace(":", "-"))
    answer = tb.compare(tmp_path)
    assert sorted(answer.models) == ["a", "b"]
    assert answer.pair("a", "b").n_units == 24


def test_runs_that_cannot_be_read_are_left_out_by_name(tmp_path: Path) -> None:
    """Cut short, something else under the name, an empty list, metrics of which none is asked for."""
    for model in ("a", "b", "c", "d", "e"):
        run(tmp_path, "gsm", model, instances({"exact_match": right(ord(model), 25)}))
    cut = tmp_path / "gsm:model=c" / "per_instance_stats.json"
    cut.write_text(cut.read_text()[:-300])
    (tmp_path / "gsm:model=d" / "per_instance_stats.json").write_text("[1, 2]")
    (tmp_path / "gsm:model=e" / "per_instance_stats.json").write_text("[]")
    found = tb.read_results(tmp_path)
    assert sorted(tb.compare(found).models) == ["a", "b"]
    reasons = {name[10]: why for name, why in found.left_out.items()}
    assert "cut short" in reasons["c"]
    assert "holds 1 where HELM writes an instance" in reasons["d"]
    assert "holds no instance" in reasons["e"]
    with pytest.raises(AmbiguousSourceError, match="holds no metric 'nothing', but 'exact_match'"):
        tb.read_items(tmp_path / "gsm:model=a" / "per_instance_stats.json", metric="nothing")
    with pytest.raises(UnreadableSourceError, match="cut short"):
        tb.read_items(cut)


def test_a_file_is_read_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the place at which a block ends, in a number or within a character of several bytes."""
    records = instances({"exact_match": right(1, 30), "f1_score": [0.125] * 30})
    records[2]["instance_id"] = 'é[{,]\\"'
    path = run(tmp_path, "gsm", "a", records) / "per_instance_stats.json"
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    whole = tb.read_items(path, metric="exact_match")
    for size in (1, 7, 64):
        monkeypatch.setattr(helm, "_BLOCK", size)
        assert tb.read_items(path, metric="exact_match").hash() == whole.hash()


def test_a_run_without_its_instances_is_no_result(tmp_path: Path) -> None:
    """stats.json holds means only."""
    path = run(tmp_path, "gsm", "a", [])
    (path / "per_instance_stats.json").unlink()
    with pytest.raises(SourceNotFoundError, match="HELM"):
        tb.compare(tmp_path)
