"""Logs that the evaluation tools write themselves; `make packages` installs these into an environment of their own."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb

WRITERS = Path(__file__).parent / "packages"
PYTHON = Path(os.environ.get("TIEBREAK_PACKAGES", Path(sys.prefix, "packages"))) / "bin" / "python"
SIZES = {"arc": 30, "gsm8k": 20, "mmlu": 45}
FOLDERS = {
    "eval": ("write_inspect.py", "eval"),
    "json": ("write_inspect.py", "json"),
    "harness": ("write_lm_eval.py",),
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("packages"),
    pytest.mark.skipif(not PYTHON.exists(), reason="the evaluation tools are not installed: make packages"),
]


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, list[list[int]]]]:
    """Which answers are right: 4 models, 3 tasks, 2 epochs."""
    rng = np.random.default_rng(29)
    return {model: {task: (rng.random((n, 2)) < 0.6).astype(int).tolist() for task, n in SIZES.items()} for model in "abcd"}


@pytest.fixture(scope="module")
def written(answers: dict[str, dict[str, list[list[int]]]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each tool and format, written at the same time."""
    top = tmp_path_factory.mktemp("written")
    told = top / "answers"
    told.write_text(json.dumps(answers), encoding="utf-8")
    offline = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "HF_HOME": str(top / "cache"),
        "HOME": str(top / "home"),
    }
    running = []
    for name, (script, *more) in FOLDERS.items():
        command = [str(PYTHON), str(WRITERS / script), str(top / name), *more, str(told)]
        with (top / f"{name}.txt").open("w", encoding="utf-8") as log:
            running.append((name, subprocess.Popen(command, cwd=top, stdout=log, stderr=subprocess.STDOUT, env=offline)))
    for name, process in running:
        said = process.wait(timeout=600)
        assert said == 0, (top / f"{name}.txt").read_text(encoding="utf-8")[-2000:]
    return top


def by_hand(answers: dict[str, dict[str, list[list[int]]]], n_epochs: int) -> pd.DataFrame:
    """Mean over the epochs of each item: rows are items of tasks, columns models."""
    rows = [
        (task, item, model, np.mean(right[:n_epochs]))
        for model, tasks in answers.items()
        for task, of_task in tasks.items()
        for item, right in enumerate(of_task)
    ]
    frame = pd.DataFrame(rows, columns=["task", "item", "model", "score"])
    return frame.pivot_table(index=["task", "item"], columns="model", values="score")


@pytest.mark.parametrize("name", FOLDERS)
def test_what_the_tools_write_equals_a_computation_by_hand(
    name: str, written: Path, answers: dict[str, dict[str, list[list[int]]]]
) -> None:
    """Means, differences and standard errors, by task and over the tasks, to 1e-12; the harness keeps one answer to each item."""
    wide = by_hand(answers, 1 if name == "harness" else 2)
    called = {model: f"{'org' if name == 'harness' else 'mockllm'}/{model}" for model in answers}
    found = tb.read_results(written / name)
    answer = tb.compare(found)
    assert len(found.of_kind("log")) == 12
    assert not found.left_out
    means = answer.ranking.set_index("model")["mean"]
    for model, own in called.items():
        assert means[own] == pytest.approx(wide[model].groupby("task").mean().mean(), rel=1e-12)
    for first, second in (("a", "b"), ("b", "d"), ("c", "d")):
        of_task = (wide[first] - wide[second]).groupby("task")
        pair = answer.pair(called[first], called[second])
        assert pair.difference == pytest.approx(of_task.mean().mean(), rel=1e-12, abs=1e-15)
        assert pair.standard_error == pytest.approx(np.sqrt((of_task.var() / of_task.size()).sum()) / 3, rel=1e-12)
    rows = answer.slices().to_frame().set_index(["slice", "first", "second"])["difference"]
    assert len(rows) == 18
    plain = {own: model for model, own in called.items()}
    for (task, first, second), difference in rows.items():
        assert difference == pytest.approx((wide[plain[first]] - wide[plain[second]])[task].mean(), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", FOLDERS)
def test_one_command_reads_them_to_the_verdict(name: str, written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`tiebreak FOLDER`, without a flag; its seconds of the processor are printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "tiebreak", str(written / name)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert "12 logs of single samples" in said
    assert "compared: 4 models, 95 items, by " in said
    assert "tasks: 'arc', 'gsm8k' and 'mmlu'\n" in said
    assert ("2 epochs of each item are averaged" in said) == (name != "harness")
    assert "  verdict" in said
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with capsys.disabled():
        print(f"\ntiebreak FOLDER, {name}: {spent:.2f} s of the processor")


def test_fields_of_samples_tell_slices_and_clusters(written: Path) -> None:
    """Metadata that both tools keep of a sample: a column for --by and --cluster."""
    for name in FOLDERS:
        answer = tb.compare(written / name, by="topic")
        assert set(answer.slices().to_frame()["slice"]) == {"t0", "t1", "t2"}
        assert set(tb.compare(written / name, cluster="topic").items.clusters) == {
            f"{task}/t{i}" for task in SIZES for i in range(3)
        }
