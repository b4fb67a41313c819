"""Results and samples as lm-evaluation-harness writes them: ``python write_lm_eval.py FOLDER ANSWERS.json``.

Run by the interpreter of ``make packages``, which has lm_eval. The file says which answers are right: by model, task, item and
epoch, of which the first is taken. The harness evaluates a model that looks its answers up, on tasks that are made here.
"""

import json
import sys
from pathlib import Path
from typing import Any

from datasets import Dataset
from lm_eval.api.model import LM
from lm_eval.evaluator import evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import get_task_dict

folder, answers = sys.argv[1], json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))


class LookedUp(LM):
    """A model that answers yes where it is to be right."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def generate_until(self, requests: Any) -> list[str]:
        """Answers, one for each request."""
        return ["yes" if answers[self.name][each.doc["of"]][each.doc["number"]][0] else "no" for each in requests]

    def loglikelihood(self, requests: Any) -> Any:
        """Nothing: the tasks ask for text."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def configured(task: str, n_items: int) -> dict[str, Any]:
    """A task of so many questions, whose metric is exact_match."""
    rows = [{"of": task, "number": i, "topic": f"t{i % 3}", "question": f"{task} {i}?"} for i in range(n_items)]
    return {
        "task": task,
        "custom_dataset": lambda **_: {"test": Dataset.from_list(rows)},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{question}}",
        "doc_to_target": "yes",
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "generation_kwargs": {"until": ["\n"]},
        "metadata": {"version": 1},
    }


for model, by_task in answers.items():
    tasks = get_task_dict([configured(task, len(right)) for task, right in by_task.items()])
    tracker = EvaluationTracker(output_path=folder)
    tracker.general_config_tracker.log_experiment_args(
        model_source="hf",
        model_args=f"pretrained=org/{model}",
        system_instruction=None,
        chat_template=None,
        fewshot_as_multiturn=False,
    )
    results = evaluate(LookedUp(model), tasks, log_samples=True, bootstrap_iters=0)
    samples = results.pop("samples")
    tracker.save_results_aggregated(results={**results, "model_name": f"org/{model}"}, samples=samples)
    for task in by_task:
        tracker.save_results_samples(task_name=task, samples=samples[task])
