"""Runs of HELM: the statistics of single instances in the folder of each run, and its description beside."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tiebreak.errors import UnreadableSourceError
from tiebreak.printable import printable
from tiebreak.readers.item_logs import Record, as_written, choose_of, log_table, score_of, taken_of
from tiebreak.readers.item_tables import LongTable
from tiebreak.readers.source import LONGEST_LINE
from tiebreak.scores.vocabulary import quoted

_NAMES = ("per_instance_stats.json", "display_predictions.json")
"""Files of the statistics of each instance, as a run writes them and as the site of HELM shows them; the first one counts."""

_BLOCK = 2**20

_MAIN = (
    "exact_match_indicator",
    "math_equiv_chain_of_thought",
    "math_equiv",
    "chain_of_thought_correctness",
    "final_number_exact_match",
    "ifeval_strict_accuracy",
    "omni_math_accuracy",
    "wildbench_score_rescaled",
    "safety_score",
    "air_score",
    "f1_score",
    "exact_match",
    "quasi_exact_match",
    "prefix_exact_match",
    "quasi_prefix_exact_match",
)
"""Metrics that HELM's schemas rank models by, in the order in which the first one that a run has is taken for its main one."""

_MAIN_OF = {
    "quasi_exact_match": "legalbench med_qa imdb raft babi_qa synthetic_efficiency entity_matching legal_support lsat_qa".split(),
    "quasi_prefix_exact_match": ["boolq", "civil_comments"],
    "bleu_4": ["wmt_14"],
    "rouge_2": ["summarization_cnndm", "summarization_xsum"],
}
"""Groups of scenarios whose main metric is another one in the schemas of HELM Classic and Lite."""

_BESIDE = frozenset(
    """num_references num_train_trials num_prompt_tokens num_completion_tokens num_output_tokens inference_runtime batch_size
    training_co2_cost training_energy_cost num_train_instances prompt_truncated logprob num_perplexity_tokens num_bytes max_prob
    predicted_index inference_denoised_runtime inference_idealized_runtime estimated_num_tokens_cost num_instances""".split()
)
"""Statistics that are no scores: HELM keeps them of every instance."""


def reads(path: Path) -> bool:
    """True for the statistics of instances, told by the name that HELM gives the file and by its first characters."""
    if path.name not in _NAMES:
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(64).lstrip().startswith("[")


def read(path: Path, name: str, metric: str | None, *, is_main: bool = False) -> LongTable:
    """Long table of a run; of several metrics its main one, if `is_main` and none is asked for."""
    return as_written(_read, path, name, metric, is_main=is_main)


def is_doubled(path: Path) -> bool:
    """True for the shorter of two files of one run."""
    return path.name == _NAMES[1] and path.with_name(_NAMES[0]).is_file()


def _read(path: Path, name: str, metric: str | None, *, is_main: bool) -> LongTable:
    model, task, group = _about(path)
    kept: list[tuple[Record, dict[str, Any], str]] = []
    n_perturbed = 0
    for record in _records(path, name):
        if record.get("perturbation"):
            n_perturbed += 1
            continue
        kept.append((record, *_stats_of(record)))
    if not kept:
        raise UnreadableSourceError(f"{name} holds no instance.")
    splits = {split: sum(each[2] == split for each in kept) for split in dict.fromkeys(each[2] for each in kept)}
    split = "test" if "test" in splits else max(splits, key=lambda each: splits[each])
    chosen = [each for each in kept if each[2] == split]
    held = list(dict.fromkeys(key for _, stats, _ in chosen for key in stats if _is_metric(key)))
    own = [key for key, groups in _MAIN_OF.items() if group in groups]
    order = {key: place for place, key in enumerate(dict.fromkeys((*own, *_MAIN)))}
    held.sort(key=lambda each: order.get(each, len(order)))
    taken = choose_of(held, metric, name, is_main=is_main)
    rows = [
        {
            "item": record["instance_id"],
            "model": model,
            "score": score_of(stats.get(taken), name, record["instance_id"]),
            "run": record.get("train_trial_index", 0),
            "task": task,
            "group": group,
        }
        for record, stats, _ in chosen
    ]
    said = []
    if len(splits) > 1:
        others = quoted([each or "none" for each in splits if each != split])
        said.append(f"{len(kept) - len(chosen)} instances of split {others} are left out, those of {split!r} count")
    if n_perturbed:
        said.append(f"{n_perturbed} perturbed copies of instances are left out")
    remark = f"{printable(task)}: {', '.join(said)}" if said else ""
    several = taken_of(task, taken, held) if metric is None else ""
    binary = all(row["score"] in (0.0, 1.0) for row in rows if not math.isnan(row["score"]))
    if len({row["run"] for row in rows}) == 1:  # one draw of examples in the prompt
        for row in rows:
            del row["run"]
    found = "; ".join(filter(None, (remark, several)))
    return log_table(rows, None if binary else taken, name, found, is_mean_of_tasks=True, lower_is_better=_direction(taken))


def _direction(metric: str) -> bool | None:
    """False for metrics of which more is better in HELM's schemas; None for others."""
    return False if metric.partition("@")[0] in _MAIN or metric.startswith(("rouge_", "rougeL", "bleu", "f1")) else None


def _is_metric(name: str) -> bool:
    return name not in _BESIDE and not name.startswith("finish_reason_")


def _stats_of(record: Record) -> tuple[dict[str, Any], str]:
    """Means by metric of an instance, and its split; in the files of the site they stand by name alone."""
    stats = record["stats"]
    if isinstance(stats, Mapping):
        return {str(key): value for key, value in stats.items()}, ""
    means: dict[str, Any] = {}
    split = ""
    for each in stats:
        called = each["name"]
        if called.get("perturbation") is None:
            means.setdefault(str(called["name"]), each.get("mean") if each.get("count", 1) else None)
            split = split or str(called.get("split") or "")
    return means, split


def _about(path: Path) -> tuple[str, str, str]:
    """Model, task and group of a run: from its description, or else from the name of its folder."""
    described: Record = {}
    beside = path.with_name("run_spec.json")
    try:
        if beside.is_file() and not beside.is_symlink():
            found = json.loads(beside.read_bytes())
            described = found if isinstance(found, dict) else {}
    except (OSError, ValueError, RecursionError):
        pass  # cut short: the folder says it too
    called = str(described.get("name") or path.resolve().parent.name)
    scenario, mark, arguments = called.partition(":")
    if not mark:
        scenario, mark, arguments = called.partition("-") if "=" in called.partition("-")[2] else (called, "", "")
    own = [each for each in arguments.split(",") if each]
    named = {key: value for key, _, value in (each.partition("=") for each in own)}
    adapter = described.get("adapter_spec")
    model = (adapter.get("model") if isinstance(adapter, dict) else None) or named.get("model") or called
    rest = ",".join(each for each in own if each.partition("=")[0] not in ("model", "model_deployment"))
    groups = described.get("groups")
    group = str(groups[0]) if isinstance(groups, list) and groups else scenario
    return str(model), f"{scenario}:{rest}" if rest else scenario, group


def _records(path: Path, name: str) -> Iterator[Record]:
    """Objects of a file that holds a list of them, one after the other: whole, such files take gigabytes."""
    decoder = json.JSONDecoder()
    try:
        with path.open(encoding="utf-8") as file:
            text = file.read(_BLOCK).lstrip()
            place = 1  # after the bracket
            while True:
                while place < len(text) and text[place] in " \t\r\n,":
                    place += 1
                if text.startswith("]", place):
                    return
                try:
                    record, place = decoder.raw_decode(text, place)
                except ValueError:
                    more = file.read(_BLOCK)
                    if not more or len(text) - place > LONGEST_LINE:
                        raise UnreadableSourceError(
                            f"{name} is cut short, or is no JSON. Was the run stopped before its end?"
                        ) from None
                    text, place = text[place:] + more, 0
                    continue
                if not isinstance(record, dict):
                    raise UnreadableSourceError(f"{name} holds {record!r:.40} where HELM writes an instance.")
                yield record
    except UnicodeDecodeError as error:
        raise UnreadableSourceError(f"{name} is not UTF-8 text: {error.reason}.") from None
    except RecursionError:
        raise UnreadableSourceError(f"{name}: the JSON is nested too deeply to hold scores.") from None
