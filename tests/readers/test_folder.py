"""Results as they lie in a folder."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.readers.log_files import answers, every_eval, harness, inspect, results
from tiebreak.errors import DataError, SourceNotFoundError, UnclearSourceError


def log(path: Path, seed: int, model: str = "m", task: str = "arc", **about: Any) -> None:
    """An .eval file with 40 made-up answers."""
    inspect(path, answers(seed), model, task, **about)


def test_four_models_three_tasks_two_epochs_equal_a_computation_by_hand(tmp_path: Path) -> None:
    """Means over epochs, differences by item, means by task, their mean: to 1e-12, from the logs of Inspect."""
    rng = np.random.default_rng(0)
    frames = []
    for model in "abcd":
        for task, n in (("arc", 60), ("gsm8k", 40), ("mmlu", 90)):
            right = (rng.random((n, 2)) < 0.5).astype(int)
            inspect(tmp_path / model / f"{task}.eval", right.tolist(), model, task)
            frames.append(pd.DataFrame({"task": task, "item": range(n), "model": model, "score": right.mean(axis=1)}))
    wide = pd.concat(frames).pivot_table(index=["task", "item"], columns="model", values="score")
    pair = tb.compare(found := tb.read_results(tmp_path)).pair("a", "b")
    assert found.remarks[0] == "compared: 4 models, 190 items, by accuracy; tasks: 'arc', 'gsm8k' and 'mmlu'"
    of_task = (wide["a"] - wide["b"]).groupby("task")
    assert pair.difference == pytest.approx(of_task.mean().mean(), rel=1e-12, abs=1e-15)
    assert pair.standard_error == pytest.approx(np.sqrt((of_task.var() / of_task.size()).sum()) / 3, rel=1e-12)


def test_a_metric_that_is_named_is_taken_where_a_task_has_it(tmp_path: Path) -> None:
    """Tasks of the harness without it count by their own."""
    filters = ("strict-match", "flexible-extract")
    for number, model in enumerate(("org__a", "org__b")):
        harness(tmp_path / model / "samples_arc_2026-01-02T03-04-05.1.jsonl", answers(number), "acc")
        harness(tmp_path / model / "samples_gsm8k_2026-01-02T03-04-05.1.jsonl", answers(number + 5), "exact_match", filters)
    flexible = tb.compare(tmp_path, metric="exact_match,flexible-extract")
    assert "each task counts by its own metric: arc by acc, gsm8k by exact_match" in " ".join(flexible.details.split())
    assert flexible.items.item_means()[:, 40:].min() == 1.0  # by that filter the helper's answers are all right
    for seed, name in enumerate("ab"):
        harness(tmp_path / "own" / f"{name}.jsonl", answers(seed), "distance")
    assert not tb.compare(tmp_path / "own", metric="distance", lower_is_better={"distance": True}).metric.higher_is_better


def test_tasks_of_different_units_have_no_mean(tmp_path: Path) -> None:
    """A loss, as the harness says, beside a share of right answers; and what goes beyond 1."""
    harness(tmp_path / "samples_arc_2026-01-02T03-04-05.1.jsonl", answers(0))
    own = harness(tmp_path / "samples_own_2026-01-03T03-04-05.1.jsonl", [0.5, 0.1], "distance")
    for is_higher, text in ((False, "is better the lower it is"), (True, "reaches 7")):
        harness(own, [0.5, 7.0] if is_higher else [0.5, 0.1], "distance")
        results(tmp_path / "results_2026-01-03T03-04-05.1.json", "m", {}, {}, higher_is_better={"own": {"distance": is_higher}})
        with pytest.raises(UnclearSourceError, match=f"no mean: the 'distance' of 'own' {text}"):
            tb.read_items(*tmp_path.glob("samples*"))


def test_logs_that_cannot_be_read_are_left_out_by_name(tmp_path: Path) -> None:
    """Half-written and of another version: the reason stands beside the name, and the others are compared on what they share."""
    inspect(tmp_path / "a.eval", ["C", "I"] * 20, "a")
    inspect(tmp_path / "b.eval", [None, None, *["C", "C"] * 19], "b")
    inspect(tmp_path / "old\x1b[2J.eval", ["C"], "c", version=1)
    whole = inspect(tmp_path / "half.eval", ["C"] * 30, "d").read_bytes()
    (tmp_path / "half.eval").write_bytes(whole[: len(whole) // 2])
    found = tb.read_results(tmp_path)
    assert tb.compare(found).pair("a", "b").n_units == 38
    assert "left out: half.eval: is not as its tool writes a log (Inspect), so no scores are found in it" in repr(found)
    (tmp_path / "b.eval").unlink()
    with pytest.raises(DataError, match=r"left out: .*of version 1") as caught:
        tb.compare(tmp_path)
    assert "\x1b" not in repr(found) + str(caught.value)  # which would move the cursor


def test_the_same_run_twice_counts_once(tmp_path: Path) -> None:
    """A copy of a log is no second model, wherever it lies; one that differs in the middle of many answers is."""
    for folder, seed, model in (("", 0, "a"), ("copies", 0, "a"), ("", 1, "b")):
        log(tmp_path / folder / f"{model}.eval", seed, model)
    found = tb.read_results(tmp_path)
    assert sorted(tb.compare(found).models) == ["a", "b"]
    assert found.left_out == {"copies/a.eval": "holds the same as a.eval"}
    for place, name in enumerate("xy"):
        every_eval(tmp_path / "many" / name / "a.jsonl", [0.0] * (600 + place) + [1.0] * (601 - place), "m")
    assert sorted(tb.compare(tmp_path / "many").models) == ["m (x)", "m (y)"]


def test_the_newest_run_that_was_finished_counts(tmp_path: Path) -> None:
    """Of four tries by the time that the log says, not by that of the file; one alone is nothing to compare."""
    tries = {"one": (1, "success"), "two": (3, "success"), "three": (2, "success"), "four": (4, "error")}
    for seed, (name, (day, status)) in enumerate(tries.items()):
        log(tmp_path / f"{name}.eval", seed, "a", status=status, created=f"2026-01-0{day}T00:00:00+00:00")
    with pytest.raises(DataError, match=r"arc: 'a' \(left out: .*four.eval: not finished.*tiebreak compare FILE FILE"):
        tb.compare(tmp_path)
    log(tmp_path / "b.eval", 9, "b")
    found = tb.read_results(tmp_path)
    assert tb.compare(found).pair("a", "b").difference == pytest.approx(np.mean(answers(1)) - np.mean(answers(9)))
    left_out = {"one": "done again", "three": "done again", "four": "not finished"}
    assert found.left_out == {f"{name}.eval": f"{why}: two.eval is compared" for name, why in left_out.items()}


def test_runs_of_one_model_are_called_after_what_tells_them_apart(tmp_path: Path) -> None:
    """Their folders, the names of files that say no time, or settings; what differs by task alone tells no runs apart."""
    for seed, folder in enumerate(("baseline", "changed")):
        log(tmp_path / "folders" / folder / "arc.eval", seed)
        log(tmp_path / "folders" / folder / "gsm8k.eval", seed + 2, task="gsm8k")
    assert sorted(tb.compare(tmp_path / "folders").models) == ["m (baseline)", "m (changed)"]
    for seed, name in enumerate(("before", "after")):
        log(tmp_path / "files" / f"{name}.eval", seed)
    assert sorted(tb.compare(tmp_path / "files").models) == ["m (after)", "m (before)"]
    for seed, warm in enumerate((0.0, 1.0)):
        for task, shots in (("arc", 25), ("gsm8k", 5)):
            about = {"model_args": {"warm": warm}, "task_args": {"shots": shots}, "created": f"2026-01-0{seed + 1}"}
            log(tmp_path / "settings" / f"{task}{seed}.eval", seed, task=task, **about)
    log(tmp_path / "settings" / "more.eval", 5, task="more", model_args={"warm": 0.0}, created="2026-01-01")
    found = tb.read_results(tmp_path / "settings")
    assert sorted(tb.compare(found).models) == ["m (warm=0.0)", "m (warm=1.0)"]
    assert found.left_out == {"task 'more'": "not answered by 'm (warm=1.0)'"}


def test_tasks_that_some_model_lacks_are_left_out_by_name(tmp_path: Path) -> None:
    """What all models share is compared; without a shared task the error lists what there is, and models can be chosen."""
    for seed, (model, task) in enumerate((("a", "arc"), ("b", "arc"), ("a", "gsm8k"))):
        log(tmp_path / f"{model}_{task}.eval", seed, model, task)
    (found := tb.read_results(tmp_path)).left_out["gone.eval"] = "of an earlier reading"
    assert tb.compare(found).items.tasks is None
    assert found.left_out == {"task 'gsm8k'": "not answered by 'b'"}
    log(tmp_path / "c.eval", 5, "c", "mmlu")
    with pytest.raises(DataError, match=r"arc: 'a' and 'b'; gsm8k: 'a'; mmlu: 'c' .*choose with models="):
        tb.compare(tmp_path)
    assert sorted(tb.compare(tmp_path, models=["a", "b"]).models) == ["a", "b"]


def test_a_log_of_several_models_and_tasks_is_taken_apart(tmp_path: Path) -> None:
    """Every Eval Ever: of three models in one file the shared task is compared."""
    lines = [every_eval(tmp_path / "x.jsonl", answers(seed), model).read_text() for seed, model in enumerate("abc")]
    (tmp_path / "x.jsonl").write_text("".join(lines).replace('"gsm8k", "sample_id": "gsm8k_0039"', '"own", "sample_id": "9"', 1))
    found = tb.read_results(tmp_path)
    assert {model: tb.compare(found).pair(model, "b").n_units for model in "ac"} == {"a": 39, "c": 40}
    assert found.left_out == {"task 'own'": "not answered by 'b' and 'c'"}


def test_tables_are_compared_where_there_are_no_logs(tmp_path: Path) -> None:
    """Those of items joined; then what was saved of the answer; what else holds scores is named."""
    for number, model in enumerate("ab"):
        frame = pd.DataFrame({"question": range(40), "score": answers(number)})
        frame.to_json(tmp_path / f"{model}.jsonl", orient="records", lines=True)
    answer = tb.compare(tmp_path)
    assert (sorted(answer.models), {each.code for each in answer.notices} & {"read-as"}) == (["a", "b"], set())
    (tmp_path / "saved").mkdir()
    answer.to_json(tmp_path / "saved" / "answer.json")
    assert tb.compare(tmp_path / "saved").pairs.equals(answer.pairs)
    (tmp_path / "battles.csv").write_text("model_a,model_b,winner\nx,y,tie\n")
    notices = {notice.code: notice.text for notice in tb.compare(tmp_path).notices}
    assert "battles.csv: judged battles: 'tiebreak rate FOLDER' rates" in notices["read-as"]


def test_one_table_of_scores_is_compared(tmp_path: Path) -> None:
    """As if it had been named; of two one must be chosen."""
    frame = pd.DataFrame({"fold": range(10), "a": np.linspace(0.8, 0.9, 10), "b": 0.8, "n_train": 90, "n_test": 10})
    frame.to_csv(tmp_path / "one.csv", index=False)
    assert str(tb.compare(tmp_path, metric="accuracy")) == str(tb.compare(tmp_path / "one.csv", metric="accuracy"))
    frame.to_csv(tmp_path / "two.csv", index=False)
    with pytest.raises(UnclearSourceError, match=r"holds 2 tables, perhaps of scores: 'one.csv' and 'two.csv'. Say which"):
        tb.compare(tmp_path, metric="accuracy")


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.txt", "Dear all, a letter\nand no table, of course\n", None),
        ("a.txt", "model,score,fold\na,0.5,1\n", "scores"),
        ("a.json", '[{"question": 1, "model": "m", "scores": {"f1": 0.5}}]', "items"),
        ("a.json", '{"question": "of a configuration"}', None),
        ("a.json", json.dumps([{"output_1": "}" * 9000, "generator_1": "x", "generator_2": "y", "preference": 1}]), "battles"),
        ("a.json", '{"schema_version": "0.2.1", "evaluation_results": []}', "means"),
        ("a.json", '{"schema": 1, "tiebreak": "0.1", "noise_floor": 0.02}', "floor"),
    ],
)
def test_kinds_are_told_by_the_name_and_the_beginning(name: str, content: str, kind: str | None, tmp_path: Path) -> None:
    """Models that are called model_a and model_b are no battles, prose and configurations no tables."""
    (tmp_path / name).write_text(content)
    assert [each.kind for each in tb.read_results(tmp_path).files] == ([kind] if kind else [])


def test_folders_without_results_say_what_is_there(tmp_path: Path) -> None:
    """Nothing, a study, a store, means without samples: each with what to do."""
    with pytest.raises(SourceNotFoundError, match="holds no results that tiebreak reads among 0 files: logs of"):
        tb.compare(tmp_path)
    (tmp_path / "study.toml").write_text('[data]\nfile = "x.csv"\n[models.a]\n')
    (tmp_path / "results_1.json").write_text('{"results": {"arc": {"acc,none": 0.5}}}')
    (tmp_path / "runs.db").write_bytes(b"SQLite format 3\0")
    with pytest.raises(SourceNotFoundError, match=r"but results_1.*--log_samples; runs.db.*tiebreak runs.*tiebreak run FILE"):
        tb.compare(tmp_path)


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    """Links that lead out, to folders or nowhere, and pipes are listed; those inside are files; hidden folders are passed by."""
    inside, secret = tmp_path / "inside", tmp_path / "outside" / "secret.eval"
    log(secret, 7, "secret")
    for seed, path in enumerate(("a.eval", "b.eval", ".cache/c.eval", "node_modules/c.eval", "deep/__pycache__/c.eval")):
        log(inside / path, seed, Path(path).stem)
    targets = {"secret.eval": secret, "up": tmp_path, "circle": inside, "nowhere.eval": "no", "itself.eval": "itself.eval"}
    for name, target in {**targets, "again.eval": "a.eval"}.items():
        (inside / name).symlink_to(target)
    os.mkfifo(inside / "pipe.csv")
    (inside / "other.bin").write_bytes(b"x")
    found = tb.read_results(inside)
    assert sorted(tb.compare(found).models) == ["a", "b"]
    assert "\n  1 other, not opened or without results\n" in repr(found)
    assert {each.name for each in found.of_kind("link")} == {*targets, "pipe.csv"}
    assert (found.n_files, list(found.left_out)) == (10, ["again.eval"])
