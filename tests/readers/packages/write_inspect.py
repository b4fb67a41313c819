"""Inspect's own logs of models on tasks in epochs: ``python write_inspect.py FOLDER {eval,json} ANSWERS.json``.

Run by the interpreter of ``make packages``, which has inspect_ai. The file says which answers are right: by model, task, item and
epoch. No model is asked: a solver leaves the question as it is, and a scorer looks the answer up.
"""

import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer, stderr
from inspect_ai.solver import solver

folder, log_format, answers = Path(sys.argv[1]), sys.argv[2], json.loads(Path(sys.argv[3]).read_text(encoding="utf-8"))


@solver
def silent() -> Any:
    async def solve(state: Any, generate: Any) -> Any:
        del generate
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def looked_up(task: str) -> Any:
    async def score(state: Any, target: Any) -> Score:
        del target
        is_right = answers[state.model.name][task][state.sample_id - 1][state.epoch - 1]
        return Score(value=CORRECT if is_right else INCORRECT)

    return score


def samples(task: str, n: int) -> list[Sample]:
    """Questions of a task, with metadata that says what each is about."""
    return [Sample(id=i, input=f"{task} {i}?", target="x", metadata={"topic": f"t{i % 3}"}) for i in range(1, n + 1)]


by_task = next(iter(answers.values()))
tasks = [
    Task(name=each, dataset=samples(each, len(of_it)), solver=silent(), scorer=looked_up(each)) for each, of_it in by_task.items()
]
n_epochs = len(next(iter(by_task.values()))[0])
models = [get_model(f"mockllm/{each}") for each in answers]
logs = evaluate(tasks, model=models, epochs=n_epochs, log_dir=str(folder), log_format=log_format, display="none")
if unfinished := [log.error for log in logs if log.status != "success"]:
    raise SystemExit(f"Inspect did not finish: {unfinished[0]}")
