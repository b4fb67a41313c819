"""Results as they lie in a folder."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tests.readers.log_files import every_eval, harness, inspect
from tiebreak.errors import AmbiguousSourceError, InvalidScoresError, MissingSplitsError, SourceNotFoundError, TooFewModelsError

TIME = "2026-01-02T03-04-05.1"


def answers(seed: int, n: int = 40, share: float = 0.6) -> list[int]:
    return [int(each) for each in np.random.default_rng(seed).random(n) < share]


def epochs(path: Path, model: str, task: str, values: dict[int, list[Any]], **header: Any) -> Path:
    """An .eval file with so many epochs of each sample as it has values."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        about = {"version": 2, "status": "success", "eval": {"model": model, "task": task}, **header}
        archive.writestr("header.json", json.dumps(about))
        for i, of_item in values.items():
            for epoch, value in enumerate(of_item, 1):
                sample = {"id": i, "epoch": epoch, "scores": {"match": {"value": value}}}
                archive.writestr(f"samples/{i}_epoch_{epoch}.json", json.dumps(sample))
    return path


def test_four_models_three_tasks_two_epochs_equal_a_computation_by_hand(tmp_path: Path) -> None:
    """Means over epochs, differences by item, means by task, their mean: to 1e-12, from the logs of Inspect."""
    rng = np.random.default_rng(0)
    frames = []
    for model in "abcd":
        for task, n in (("arc", 60), ("gsm8k", 40), ("mmlu", 90)):
            right = (rng.random((n, 2)) < 0.5).astype(int)
            epochs(
                tmp_path / model / f"{task}.eval",
                model,
                task,
                {i: ["C" if each else "I" for each in row] for i, row in enumerate(right.tolist())},
            )
            frames.append(pd.DataFrame({"task": task, "item": range(n), "model": model, "score": right.mean(axis=1)}))
    wide = pd.concat(frames).pivot_table(index=["task", "item"], columns="model", values="score")
    found = tb.read_results(tmp_path)
    answer = tb.compare(found)
    assert len(found.of_kind("log")) == 12
    assert any("4 models on 3 tasks ('arc', 'gsm8k' and 'mmlu'), 190 items" in text for text in found.remarks)
    for first, second in (("a", "b"), ("c", "d")):
        of_task = (wide[first] - wide[second]).groupby("task")
        pair = answer.pair(first, second)
        assert pair.difference == pytest.approx(of_task.mean().mean(), rel=1e-12, abs=1e-15)
        assert pair.standard_error == pytest.approx(np.sqrt((of_task.var() / of_task.size()).sum()) / 3, rel=1e-12)
    rows = answer.slices().to_frame().set_index(["slice", "first", "second"])["difference"]
    for (task, first, second), difference in rows.items():
        assert difference == pytest.approx((wide[first] - wide[second])[task].mean(), rel=1e-12, abs=1e-15)


def test_a_task_of_other_samples_is_set_aside(tmp_path: Path) -> None:
    """Documents of other hashes: that task is named, and the others are compared; where no task is left, it is an error."""
    for number, model in enumerate(("org__a", "org__b")):
        harness(tmp_path / model / f"samples_arc_{TIME}.jsonl", answers(number), "acc", salt=model)
        harness(tmp_path / model / f"samples_mmlu_{TIME}.jsonl", answers(number + 5), "acc")
    found = tb.read_results(tmp_path)
    answer = tb.compare(found)
    assert any("task 'arc' is left out: 40 of its samples are not the same in all logs" in text for text in found.remarks)
    assert answer.items is not None
    assert len(answer.items.items) == 40
    for model in ("org__a", "org__b"):
        (tmp_path / model / f"samples_mmlu_{TIME}.jsonl").unlink()
    with pytest.raises(InvalidScoresError, match="are not the same sample in all files"):
        tb.compare(tmp_path)


def test_each_task_of_the_harness_counts_by_its_own_metric(tmp_path: Path) -> None:
    """acc of one and exact_match of the other; a metric named is taken where a task has it."""
    for number, model in enumerate(("org__a", "org__b")):
        harness(tmp_path / model / f"samples_arc_{TIME}.jsonl", answers(number), "acc")
        harness(
            tmp_path / model / f"samples_gsm8k_{TIME}.jsonl",
            answers(number + 5),
            "exact_match",
            ("strict-match", "flexible-extract"),
        )
    found = tb.read_results(tmp_path)
    answer = tb.compare(found)
    assert answer.models == ("org/a", "org/b") or answer.models == ("org/b", "org/a")
    assert "each task counts by its own metric: arc by acc, gsm8k by exact_match" in found.remarks
    assert any("'exact_match,strict-match' is taken" in text for text in found.remarks)
    tb.compare(found, metric="exact_match,flexible-extract")
    assert any("'arc' has no 'exact_match,flexible-extract': its own 'acc' is taken" in text for text in found.remarks)
    assert tb.compare(found, metric="exact_match,flexible-extract").items.item_means()[:, 40:].min() == 1.0


def test_samples_without_a_time_in_their_name_are_tasks_of_their_folders(tmp_path: Path) -> None:
    """a/samples_arc.jsonl and b/samples_arc.jsonl: two models on one task."""
    for number, model in enumerate("ab"):
        for task in ("arc", "gsm8k"):
            harness(tmp_path / model / f"samples_{task}.jsonl", answers(number))
    answer = tb.compare(tmp_path)
    assert sorted(answer.models) == ["a", "b"]
    assert set(answer.items.tasks) == {"arc", "gsm8k"}


def test_every_eval_ever_is_found_beside_its_means(tmp_path: Path) -> None:
    """The samples are compared, the file of means is listed."""
    for number, model in enumerate(("org/a", "org/b")):
        every_eval(tmp_path / f"{number}.jsonl", answers(number), model)
    (tmp_path / "means.json").write_text('{"schema_version": "0.2.1", "evaluation_results": []}')
    found = tb.read_results(tmp_path)
    assert tb.compare(found).pair("org/a", "org/b").n_units == 40
    assert [each.name for each in found.of_kind("means")] == ["means.json"]


def test_logs_that_cannot_be_read_are_left_out_by_name(tmp_path: Path) -> None:
    """Half-written, of another version, no archive: the reason stands beside the name, and the others are compared."""
    inspect(tmp_path / "a.eval", ["C", "I"] * 20, "a")
    inspect(tmp_path / "b.eval", ["C", "C"] * 20, "b")
    inspect(tmp_path / "old.eval", ["C"], "c", version=1)
    whole = inspect(tmp_path / "half.eval", ["C"] * 30, "d").read_bytes()
    (tmp_path / "half.eval").write_bytes(whole[: len(whole) // 2])
    cut = harness(tmp_path / f"samples_t_{TIME}.jsonl", [1, 0])
    cut.write_text(cut.read_text()[:-20])
    found = tb.read_results(tmp_path)
    assert sorted(tb.compare(found).models) == ["a", "b"]
    assert set(found.left_out) == {"half.eval", "old.eval", cut.name}
    assert "version 1" in found.left_out["old.eval"]
    assert "left out: half.eval: " in repr(found)


def test_the_same_run_twice_counts_once(tmp_path: Path) -> None:
    """A copy of a log is no second model."""
    one = inspect(tmp_path / "a.eval", ["C", "I"] * 20, "a")
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies" / "a.eval").write_bytes(one.read_bytes())
    inspect(tmp_path / "b.eval", ["C"] * 40, "b")
    found = tb.read_results(tmp_path)
    assert sorted(tb.compare(found).models) == ["a", "b"]
    assert found.left_out == {"copies/a.eval": "holds the same scores as a.eval: the same run twice"}


def test_runs_of_one_model_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    """A baseline and a changed prompt of one model, on two tasks each."""
    for number, folder in enumerate(("baseline", "changed")):
        for task in ("arc", "gsm8k"):
            values = {i: ["C" if each else "I"] for i, each in enumerate(answers(number))}
            epochs(tmp_path / folder / f"{task}.eval", "m", task, values)
    answer = tb.compare(tmp_path)
    assert sorted(answer.models) == ["m (baseline)", "m (changed)"]
    assert answer.method.name == "macro-average"


def test_two_runs_of_one_task_need_no_flag(tmp_path: Path) -> None:
    """They are called after their files."""
    for number, name in enumerate(("before", "after")):
        inspect(tmp_path / f"{name}.eval", ["C" if each else "I" for each in answers(number)], "m")
    assert sorted(tb.compare(tmp_path).models) == ["m (after)", "m (before)"]


def test_tasks_that_some_model_lacks_are_left_out_by_name(tmp_path: Path) -> None:
    """What all models share is compared; tasks that no two models share are an error that lists them."""
    for model, task in (("a", "arc"), ("b", "arc"), ("a", "gsm8k")):
        epochs(
            tmp_path / f"{model}_{task}.eval",
            model,
            task,
            {i: ["C" if each else "I"] for i, each in enumerate(answers(len(model)))},
        )
    epochs(tmp_path / "b_arc.eval", "b", "arc", {i: ["I"] for i in range(40)})
    found = tb.read_results(tmp_path)
    assert tb.compare(found).items.tasks is None
    assert "task 'gsm8k' is left out: 'b' lacks it" in found.remarks
    (tmp_path / "a_arc.eval").unlink()
    with pytest.raises(MissingSplitsError, match=r"no task in .* by two models or more: 'gsm8k' has 'a'; 'arc' has 'b'"):
        tb.compare(tb.read_results(tmp_path))


def test_items_that_one_run_lacks_are_named_and_pairs_share_the_rest(tmp_path: Path) -> None:
    """A log that was cut off: samples without a score are missing, not wrong."""
    inspect(tmp_path / "a.eval", ["C", "I"] * 20, "a")
    inspect(tmp_path / "b.eval", [None, None, *["C"] * 38], "b", status="error")
    found = tb.read_results(tmp_path)
    assert tb.compare(found).pair("a", "b").n_units == 38
    assert any("'b' lacks 2 of the 40 items: '0' and '1'" in text for text in found.remarks)
    assert any("The evaluation ended with 'error'" in text for text in found.remarks)


def test_epochs_of_different_number_are_averaged(tmp_path: Path) -> None:
    """Each item counts once, whatever the number of its answers."""
    epochs(tmp_path / "a.eval", "a", "t", {i: ["C", "I", "C", "C"] for i in range(20)})
    epochs(tmp_path / "b.eval", "b", "t", {i: ["C", "I"] if i % 2 else ["I", "I"] for i in range(20)})
    pair = tb.compare(tmp_path).pair("a", "b")
    assert (pair.difference, pair.n_units) == (pytest.approx(0.75 - 0.25), 20)


def test_a_scorer_that_gives_words_is_passed_over(tmp_path: Path) -> None:
    """Of two scorers the one with numbers is taken; of a single one the log is left out with the word."""
    for model in "ab":
        with zipfile.ZipFile(tmp_path / f"{model}.eval", "w") as archive:
            archive.writestr(
                "header.json", json.dumps({"version": 2, "status": "success", "eval": {"model": model, "task": "t"}})
            )
            for i, right in enumerate(answers(ord(model))):
                scores = {"words": {"value": "good"}, "match": {"value": right}}
                archive.writestr(f"samples/{i}_epoch_1.json", json.dumps({"id": i, "epoch": 1, "scores": scores}))
    inspect(tmp_path / "c.eval", ["good"], "c")
    found = tb.read_results(tmp_path)
    assert sorted(tb.compare(found).models) == ["a", "b"]
    assert "'good' is a word and no score" in found.left_out["c.eval"]


def test_one_table_of_scores_is_compared(tmp_path: Path) -> None:
    """As if it had been named."""
    frame = pd.DataFrame(
        {"fold": range(10), "a": np.linspace(0.8, 0.9, 10), "b": np.linspace(0.7, 0.88, 10), "n_train": 90, "n_test": 10}
    )
    frame.to_csv(tmp_path / "scores.csv", index=False)
    assert tb.compare(tmp_path, metric="accuracy").pairs.equals(tb.compare(tmp_path / "scores.csv", metric="accuracy").pairs)
    frame.to_csv(tmp_path / "others.csv", index=False)
    with pytest.raises(
        AmbiguousSourceError, match=r"holds 2 tables, perhaps of scores: 'others.csv' and 'scores.csv'. Say which"
    ):
        tb.compare(tmp_path, metric="accuracy")


def test_tables_of_items_and_saved_answers_are_compared(tmp_path: Path) -> None:
    """JSON lines with a model for each file; an answer that --format json wrote."""
    for number, model in enumerate("ab"):
        rows = [{"question": i, "score": each} for i, each in enumerate(answers(number))]
        (tmp_path / f"{model}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    answer = tb.compare(tmp_path)
    assert sorted(answer.models) == ["a", "b"]
    (tmp_path / "saved").mkdir()
    answer.to_json(tmp_path / "saved" / "answer.json")
    assert tb.compare(tmp_path / "saved").pairs.equals(answer.pairs)


def test_what_lies_beside_is_a_notice_of_the_answer(tmp_path: Path) -> None:
    """A folder of three kinds, and logs of which one cannot be read: the answer says what it leaves out, its JSON too."""
    rows = [{"question": i, "a": a, "b": b} for i, (a, b) in enumerate(zip(answers(0), answers(1), strict=True))]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "left-out-of-folder" not in {notice.code for notice in tb.compare(tmp_path).notices}
    (tmp_path / "battles.csv").write_text("model_a,model_b,winner\nx,y,tie\n")
    pd.DataFrame({"fold": range(4), "a": [0.5, 0.6, 0.5, 0.7], "b": 0.6}).to_csv(tmp_path / "scores.csv", index=False)
    answer = tb.compare(tmp_path)
    text = next(notice.text for notice in answer.notices if notice.code == "left-out-of-folder")
    assert "holds more than this answer takes in (compared: the tables of items; by themselves: tiebreak compare FILE" in text
    assert " for 'scores.csv'; judged battles are rated by themselves: tiebreak rate " in text
    assert text in {each["text"] for each in json.loads(answer.to_json())["warnings"]}
    for number, model in enumerate("cd"):
        harness(tmp_path / "logs" / model / f"samples_arc_{TIME}.jsonl", answers(number), "acc")
    cut = harness(tmp_path / "logs" / f"samples_mmlu_{TIME}.jsonl", [1, 0])
    cut.write_text(cut.read_text()[:-20])
    text = next(notice.text for notice in tb.compare(tmp_path / "logs").notices if notice.code == "left-out-of-folder")
    assert f"({cut.name}: " in text


def test_folders_without_results_say_what_is_there(tmp_path: Path) -> None:
    """Nothing, other files, a study, a store, means without samples, one model alone."""
    with pytest.raises(SourceNotFoundError, match="holds no results that tiebreak reads among 0 files: logs of"):
        tb.compare(tmp_path)
    for number in range(200):
        (tmp_path / f"other{number}.bin").write_bytes(b"x")
    with pytest.raises(SourceNotFoundError, match="among 200 files"):
        tb.compare(tmp_path)
    (tmp_path / "study.toml").write_text('[data]\nfile = "x.csv"\n[models.a]\n')
    with pytest.raises(SourceNotFoundError, match=r"but a study: 'tiebreak run .*study.toml'"):
        tb.compare(tmp_path)
    sqlite3.connect(tmp_path / "runs.db").execute("CREATE TABLE t (x)").connection.commit()
    with pytest.raises(SourceNotFoundError, match=r"but a store: 'tiebreak runs --store sqlite:///"):
        tb.compare(tmp_path)
    (tmp_path / "results_1.json").write_text('{"results": {"arc": {"acc,none": 0.5}}}')
    with pytest.raises(SourceNotFoundError, match=r"holds means only .*--log_samples"):
        tb.compare(tmp_path)
    inspect(tmp_path / "a.eval", ["C", "I"], "a")
    with pytest.raises(TooFewModelsError, match="results of one model only, 'a' on 'gsm8k'"):
        tb.compare(tmp_path)
    with pytest.raises(SourceNotFoundError, match="is no folder"):
        tb.read_results(tmp_path / "nowhere")


def test_nothing_outside_the_folder_is_read(tmp_path: Path) -> None:
    """Links that lead out, to folders or nowhere are counted; those to files inside are files; hidden folders are passed by."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    inspect_path = outside / "secret.eval"
    outside.mkdir()
    inside.mkdir()
    inspect(inspect_path, ["C", "I"] * 20, "secret")
    inspect(inside / "a.eval", ["C", "I"] * 20, "a")
    inspect(inside / "b.eval", ["C", "C"] * 20, "b")
    (inside / ".cache").mkdir()
    inspect(inside / ".cache" / "c.eval", ["C"] * 40, "c")
    (inside / "secret.eval").symlink_to(inspect_path)
    (inside / "up").symlink_to(tmp_path)
    (inside / "circle").symlink_to(inside)
    (inside / "nowhere.eval").symlink_to(tmp_path / "no")
    found = tb.read_results(inside)
    assert sorted(tb.compare(found).models) == ["a", "b"]
    assert (found.n_files, found.n_links) == (2, 4)
    (inside / "again.eval").symlink_to("a.eval")
    found = tb.read_results(inside)
    assert sorted(tb.compare(found).models) == ["a", "b"]
    assert list(found.left_out) == ["again.eval"]


def test_names_that_move_the_cursor_are_escaped(tmp_path: Path) -> None:
    """In the list too."""
    inspect(tmp_path / "a\x1b[2J.eval", ["C", "I"] * 20, "a")
    assert "\x1b" not in repr(tb.read_results(tmp_path))


def test_runs_that_were_not_finished_give_way(tmp_path: Path) -> None:
    """Inspect writes a log for each try: the one that was finished counts, whichever is the latest."""
    for name, status, day, seed in (("one", "success", 1, 0), ("two", "error", 2, 1)):
        about = {"model": "a", "task": "t", "created": f"2026-01-0{day}T00:00:00+00:00"}
        inspect(tmp_path / f"{name}.eval", ["C" if each else "I" for each in answers(seed)], "a", status=status, eval=about)
    inspect(tmp_path / "b.eval", ["C" if each else "I" for each in answers(2)], "b", eval={"model": "b", "task": "t"})
    found = tb.read_results(tmp_path)
    pair = tb.compare(found).pair("a", "b")
    assert pair.difference == pytest.approx(np.mean(answers(0)) - np.mean(answers(2)))
    assert found.left_out == {"two.eval": "was not finished; one.eval is"}


def test_settings_tell_runs_of_one_model_apart(tmp_path: Path) -> None:
    """Two temperatures are two things to compare, named by what differs."""
    for name, temperature, seed in (("one", 0.0, 0), ("two", 1.0, 1)):
        about = {"model": "m", "task": "t", "model_generate_config": {"temperature": temperature, "top_p": 1.0}}
        inspect(tmp_path / f"{name}.eval", ["C" if each else "I" for each in answers(seed)], eval=about)
    inspect(tmp_path / "b.eval", ["C" if each else "I" for each in answers(2)], eval={"model": "b", "task": "t"})
    assert sorted(tb.compare(tmp_path).models) == ["b", "m (temperature=0.0)", "m (temperature=1.0)"]


def test_the_largest_table_of_a_folder_is_compared(tmp_path: Path) -> None:
    """Three models on two tasks, and a fourth on another one, which is left out by name with the option that decides."""
    for seed, model in enumerate("abc"):
        for task in ("arc", "gsm8k"):
            epochs(tmp_path / f"{model}_{task}.eval", model, task, {i: ["C" if x else "I"] for i, x in enumerate(answers(seed))})
    epochs(tmp_path / "d.eval", "d", "mmlu", {i: ["C"] for i in range(40)})
    found = tb.read_results(tmp_path)
    answer = tb.compare(found)
    assert sorted(answer.models) == ["a", "b", "c"]
    assert any(
        "left out: 'd', which shares too few tasks with the others; choose with --models" in text for text in found.remarks
    )


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
def test_models_called_model_a_and_model_b_are_no_battles(tmp_path: Path, ending: str) -> None:
    """A table of battles has a column for the winner; without one the two columns are models like any others."""
    frame = pd.DataFrame({"item": range(40), "model_a": answers(0), "model_b": answers(1)})
    if ending == "csv":
        frame.to_csv(tmp_path / "answers.csv", index=False)
    else:
        frame.to_json(tmp_path / f"answers.{ending}", orient="records", lines=ending == "jsonl")
    (tmp_path / "judged.csv").write_text("model_a,model_b,winner\nx,y,a\n")
    found = tb.read_results(tmp_path)
    assert [each.name for each in found.of_kind("battles")] == ["judged.csv"]
    assert sorted(tb.compare(found).models) == ["model_a", "model_b"]


def test_records_of_items_in_json_are_found(tmp_path: Path) -> None:
    """A list of records is a table of items where a field names these, as it is in JSON lines."""
    records = [{"question": i, "model": m, "scores": {"f1": i / 4}} for m in "ab" for i in range(4)]
    (tmp_path / "all.json").write_text(json.dumps(records))
    assert [each.kind for each in tb.read_results(tmp_path).files] == ["items"]
