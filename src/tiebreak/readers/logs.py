"""Logs of evaluation tools for language models and agents: a table of formats, and one loop that reads all of them.

A log holds the answers of models to samples. A new tool is one row of `FORMATS`, with a function that gives its records, and a
recorded file in the tests.
"""

import codecs
import json
import math
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from tiebreak.errors import DataError, Setting, UnclearSourceError
from tiebreak.printable import printable
from tiebreak.readers.files import check_size, content_of, parse_json
from tiebreak.readers.long import Long
from tiebreak.readers.tables import Words, column_of
from tiebreak.scores.vocabulary import quoted

Record = dict[str, Any]


class Format(NamedTuple):
    """Format of a log: how its files are told, and what reads them.

    Attributes
    ----------
    name : str
    files : str
        Pattern of the names of the files.
    marks : tuple of str
        Regular expressions, all of which are found in the first 16 kB.
    records : callable
        Records of the file at a path, which messages call by a name, and the facts of the whole log; `_log` lists what both hold.
    """

    name: str
    files: str
    marks: tuple[str, ...]
    records: Callable[[Path, str], tuple[Iterable[Record], Record]]


def format_of(path: Path, start: bytes | None = None) -> Format | None:
    """Format of a log, told by the name of the file and its first bytes, which are read if not given; None for any other file."""
    named = [each for each in FORMATS if fnmatchcase(path.name.lower(), each.files)]
    if not named:  # a folder may hold a hundred thousand other files
        return None
    if start is None:
        with path.open("rb") as file:
            start = file.read(2**14)
    text = start[: 2**14].decode("utf-8-sig", "replace")
    return next((each for each in named if all(re.search(mark, text) for mark in each.marks)), None)


def read_log(path: Path, name: str, metric: str | None = None, *, is_main: bool = False) -> Long:
    """Read a log, which messages call by `name`.

    Parameters
    ----------
    path : Path
    name : str
    metric : str, optional
        Which of several metrics to read.
    is_main : bool
        Take the main one of several metrics where none is named; the remark says which others are there.

    Returns
    -------
    Long

    Raises
    ------
    UnclearSourceError
        There are several metrics, or none of that name.
    DataError
        A score is none, or the file is not as its tool writes it.
    """
    form = format_of(path)
    if form is None:
        raise DataError(f"{name} is no log of an evaluation tool that is known.")
    try:
        return _log(*form.records(path, name), path.stem, name, metric, is_main)
    except (
        # a key is lacking or holds something else, half of a character or what no float takes
        *(ArithmeticError, AttributeError, LookupError, TypeError, UnicodeError),
        # an archive is damaged or encrypted
        *(EOFError, OSError, RuntimeError, zipfile.BadZipFile, zlib.error),
    ) as error:
        raise DataError(
            f"{name} is not as its tool writes a log ({form.name}), so no scores are found in it ({type(error).__name__}: "
            f"{printable(' '.join(str(error).split()))[:100]}). Was it changed, or was the evaluation or the copy stopped?"
        ) from None


def read_logs(files: Sequence[tuple[Path, str]], metric: str | None, *, is_main: bool) -> list[Long]:
    """Logs at paths, each with its name; one of a task that does not hold the metric is read for its own main one."""
    found: dict[int, Long] = {}
    refused: dict[int, UnclearSourceError] = {}
    for place, (path, name) in enumerate(files):
        try:
            found[place] = read_log(path, name, metric, is_main=is_main)
        except UnclearSourceError as error:
            refused[place] = error
    others = {task for log in found.values() for task in log.tasks}
    for place, refusal in refused.items():
        log = read_log(*files[place], is_main=is_main) if others else None
        if log is None or "" in log.tasks or not others.isdisjoint(log.tasks):
            raise refusal
        own = f"{quoted(sorted(log.tasks))} has no {metric!r}: its own {log.metric or 'accuracy'!r} is taken"
        found[place] = replace(log, remark="; ".join(filter(None, (log.remark, own))))
    return [found[place] for place in range(len(files))]


def _log(records: Iterable[Record], facts: Record, stem: str, name: str, asked: str | None, is_main: bool) -> Long:
    """Log of records, of which those of other metrics only are no answers, and those of none lack their score.

    A record has "scores", its values by metric, "item" and "model", and may have: "task"; "epoch", which is "#" where several
    answers to an item are numbered as they stand; "run"; "hash" of the item; "fields" of the sample; "failed" where it ended with
    an error, and "void" where its scores then are none.

    Facts of the whole log are time, settings and is_whole, as `Long` has them, and: "main", metrics that come first; "is_sure",
    True where the first one is always meant; "called", name of the scores by metric; "lower", direction by metric; "about",
    what the log is called in remarks; "said", sentences, each with its condition.
    """
    rows: list[Record] = []
    seen: Counter[tuple[Any, ...]] = Counter()
    for record in records:
        scores = dict.fromkeys(record["scores"]) if record.get("void") else record["scores"]
        names = (record["item"], record["model"], record.get("task"), record.get("hash"), *[*scores][:1])
        seen[names] += 1  # a list or an object is no name
        # short texts, whole numbers and truths that a log keeps of a sample, by which samples can be grouped
        fields = record["fields"].items() if isinstance(record.get("fields"), dict) else ()
        short = [
            (str(key), str(value))
            for key, value in fields
            if len(str(key)) <= 80
            and (len(value) <= 80 if isinstance(value, str) else isinstance(value, int) and abs(value) < 10**18)
        ]
        rows.append(
            {
                **dict(zip(("item", "model", "task", "item_hash"), names, strict=False)),
                "epoch": seen[names] if record.get("epoch") == "#" else record.get("epoch"),
                "run": record.get("run"),
                "scores": scores,
                "failed": bool(record.get("failed") or record.get("void")),
                **{f"{key} of the sample" if key in _OWN else key: value for key, value in short[:40]},
            }
        )
    is_sure = facts.get("is_sure", False)
    chosen, others = _choose([row["scores"] for row in rows], facts.get("main", ()), asked, name, is_main or is_sure)
    rows = [row for row in rows if chosen in row["scores"] or not row["scores"]]
    values = [row["scores"].get(chosen) for row in rows]
    n_failed = sum(row["failed"] for row in rows if row["scores"].get(chosen) is None)
    said = {
        f"{values.count(None)} of {len(rows)} samples have no score: they are missing, not wrong": None in values,
        f"{n_failed} of them ended with an error": n_failed,
        f"{values.count('N')} of {len(rows)} samples have no answer (N) and count as wrong, as Inspect counts them": "N"
        in values,
        **facts.get("said", {}),
    }
    true = [sentence for sentence, is_so in said.items() if is_so]
    _check(values.count(None) < len(values), ". ".join([f"{name} holds no scored sample", *true, ""]).rstrip())
    remarks = {
        f"{facts.get('about', name)}: {'. '.join(true)}": true,
        f"{rows[0]['task'] or stem}: {chosen!r} is taken, and {quoted(others, 6)} are there too (metric)": others and not is_sure,
    }
    score = np.array([_score(value, row["item"], name) for value, row in zip(values, rows, strict=True)])
    is_plain = "called" not in facts and bool(np.isin(score[~np.isnan(score)], (0, 1)).all())
    return Long(
        _words(rows),
        {"score": score},
        name,
        lambda row: f"sample {row + 1}",
        None if is_plain else facts.get("called", str)(chosen),
        "score",
        remark=printable("; ".join(remark for remark, is_so in remarks.items() if is_so)),
        lower_is_better=facts.get("lower", {chosen: None if _SCORES.keys().isdisjoint({*values} - {None}) else False}.get)(
            chosen
        ),
        **{key: value for key, value in facts.items() if key in ("time", "settings", "is_whole")},
    )


def _check(is_right: object, said: str) -> None:
    """Refuse a log that is not right."""
    if not is_right:
        raise DataError(said)


_OWN = frozenset("item model score epoch item_hash task run cluster weight scores failed".split())
"""Keys of a row that have a meaning; fields of samples that are called so get a name of their own."""


def _choose(
    scores: Sequence[Mapping[str, Any]], main: Sequence[str], asked: str | None, name: str, is_main: bool
) -> tuple[str, list[str]]:
    """The metric asked for, or the only one, or the main one if `is_main`; and those passed over, where none is asked for."""
    words = {key for each in scores for key, value in each.items() if _number(value) is None}  # come last
    held = sorted({key: 0 for each in scores for key in each}, key=lambda key: (key in words, [*main, key].index(key)))
    fitting = [each for each in held if asked in (each, f"{each},none")] or [
        each for each in held if asked in (None, each.partition(",")[0])
    ]
    if held and len(fitting) != 1 and (asked is not None or not is_main):
        raise UnclearSourceError(
            f"{name} holds ",
            f"no metric {asked!r}, but " if asked else f"{len(held)} metrics: ",
            f"{quoted(held)}. Say which one with ",
            Setting("metric"),
            ".",
        )
    return next(iter(fitting), ""), fitting[1:]


_SCORES: dict[Any, float] = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, None: math.nan}
"""Correct, incorrect, partial and no answer, as Inspect's scorers write them and its accuracy counts them; and no score."""


def _number(value: Any) -> float | None:
    """A number, a truth or one of Inspect's letters as a score, nan where there is none; None for what is no score."""
    try:
        return float(_SCORES.get(value, cast(Any, value))) if value is None or isinstance(value, (int, float, str)) else None
    except (OverflowError, ValueError):
        return None


def _score(value: Any, item: Any, name: str) -> float:
    """Score of a sample."""
    if (found := _number(value)) is None:
        raise DataError(
            f"{name}, sample {str(item)!r}: {printable(repr(value)[:60])} is ",
            "a word and no score" if isinstance(value, str) else "no score of a single item",
            ". Choose a scorer of numbers, of C and I, or of true and false as the metric, or write words as numbers.",
        )
    return found


def _words(rows: Sequence[Record]) -> dict[str, Words]:
    """Columns of rows without those that tell nothing: empty or the first epoch throughout; fields that differ in all items."""
    keys = dict.fromkeys(chain.from_iterable(rows))
    found = {key: [row.get(key) for row in rows] for key in keys if key not in ("scores", "failed")}
    "".join(str(value) for column in found.values() for value in column).encode()  # half of a character is refused
    values = {key: set(column) - {None} for key, column in found.items()}
    nothing = [
        key
        for key, own in values.items()
        if own in (set(), {""}, {0}, {1}) or (key not in _OWN and len(rows) > 1 and len(own) == len(values["item"]))
    ]
    kept = [key for key in found if key in ("item", "model") or key not in nothing]
    return {key: cast(Words, column_of(found[key], as_typed=True)) for key in kept}


def _lines(path: Path, name: str) -> Iterator[Record]:
    """Objects of JSON lines."""
    for number, line in enumerate(content_of(path, name).removeprefix(codecs.BOM_UTF8).split(b"\n"), start=1):
        if line.strip():
            yield parse_json(line, f"{name}, line {number},", "Was the file cut short?")


def _whole(path: Path, name: str) -> Any:
    """Content of a JSON file that has to be read as a whole."""
    return parse_json(content_of(path, name), name, "Was the file cut short?")


def _file_beside(path: Path) -> Record:
    """Object in a JSON file beside a log; an empty one where there is none that can be read: the log may be whole."""
    try:
        return dict(_whole(path, path.name)) if path.is_file() and not path.is_symlink() else {}
    except (OSError, TypeError, ValueError):
        return {}


# --- lm-evaluation-harness: JSON lines of samples, and the file of results of the same time beside ------------------------------


_OPPOSITE: dict[Any, bool] = {True: False, False: True}


def _lm_eval(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    ((task, time),) = re.findall(r"^samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)$", path.stem) or [("", "")]
    beside = list(path.parent.glob(f"*_{time}.json")) if time else []
    results = _file_beside(beside[0]) if len(beside) == 1 else {}
    # the harness makes a folder for each model, with / as __, unless it was told a file; a file elsewhere is called after itself
    folder = path.resolve().parent.name.replace("__", "/")
    model = results.get("model_name") or (folder if time else path.stem.removeprefix("samples_"))
    above = [group for group, own in results.get("group_subtasks", {}).items() if task in own]
    told = {
        "num_fewshot": results.get("n-shot", {}).get(task),
        "version": results.get("versions", {}).get(task),
        **dict(re.findall("([^,=]+)=([^,]*)", str(results.get("config", {}).get("model_args")))),
    }
    return (
        {
            # by filter too, where there is one
            "scores": {
                f"{metric},{each.get('filter', 'none')}".removesuffix(",none"): each.get(metric)
                for metric in each.get("metrics") or [key for key in each if key not in _LM_EVAL and not key.startswith("_")]
            },
            "item": each["doc_id"],
            "model": model,
            "task": task,
            "hash": each.get("doc_hash"),
            "fields": each.get("doc"),
        }
        for each in _lines(path, name)
    ), {
        "time": time,
        "settings": tuple((key, str(value)) for key, value in told.items() if value not in (None, model)),
        "called": lambda metric: metric.partition(",")[0],
        "lower": lambda metric: _OPPOSITE.get(
            (results.get("higher_is_better", {}).get(task) or {}).get(metric.partition(",")[0])
        ),
        "about": task or name,
        "said": {f"a part of {quoted(above)} in the harness, and here a task of its own": above},
    }


_LM_EVAL = frozenset("doc_id doc target arguments resps filtered_resps filter doc_hash prompt_hash target_hash".split())
"""Keys of a sample that are no metrics, of which not all versions write a list."""


# --- Inspect: a zip of JSON files, or one JSON file ---------------------------------------------------------------------------


def _inspect(path: Path, name: str, parts: Iterator[Any]) -> tuple[Iterable[Record], Record]:
    """Samples, which stand after the header."""
    header = next(parts)
    about, status = header.get("eval") or {}, header.get("status", "success")
    _check(
        header.get("version") == 2,
        f"{name} is a log of Inspect of version {header.get('version')!r}; tiebreak reads version 2. Convert it with a current "
        "inspect: inspect log convert.",
    )
    settings = {
        key: value
        for part in ("task_args", "model_args", "model_generate_config", "solver_args")
        for key, value in (about.get(part) or {}).items()
    }
    config = {"epochs": 1, "epochs_reducer": None, **(about.get("config") or {})}
    is_other = config["epochs"] != 1 and config["epochs_reducer"] not in (None, [], ["mean"])
    return (
        {
            "scores": _inspect_scores(each),
            "item": each["id"],
            "model": about.get("model") or path.stem,
            "task": about.get("task"),
            "epoch": each.get("epoch"),
            "failed": each.get("error"),
            "fields": each.get("metadata"),
        }
        for each in parts
    ), {
        "time": str(about.get("created") or ""),
        "settings": tuple(
            (key, str(value))
            for key, value in sorted({**settings, "solver": about.get("solver")}.items())
            if value is not None and len(str(value)) <= 200
        ),
        "is_whole": status == "success",
        "said": {
            f"The evaluation ended with {status!r}": status != "success",
            f"epochs are averaged here, and Inspect reports {quoted(config['epochs_reducer'] or ())} of them": is_other,
        },
    }


def _inspect_scores(sample: Record) -> Record:
    """Values by the name of their scorer; those of a scorer that gives several by its name and theirs."""
    found = {key: own.get("value") if isinstance(own, dict) else own for key, own in (sample.get("scores") or {}).items()}
    return {
        f"{scorer}/{key}".removesuffix("/"): each
        for scorer, value in found.items()
        for key, each in (value if isinstance(value, dict) else {"": value}).items()
    }


def _unzipped(path: Path, name: str) -> Iterator[Any]:
    """Header and samples of an .eval file, one after the other."""
    with zipfile.ZipFile(path) as archive:
        members = {each.filename: each for each in archive.infolist()}
        wanted = [
            "header.json" if "header.json" in members else "_journal/start.json",
            *(each for each in members if re.fullmatch(r"samples/.+\.json", each)),
        ]
        check_size(sum(members[each].file_size for each in wanted), name, is_unpacked=True)
        for member in wanted:
            yield parse_json(_unpacked(archive, members[member], f"{name}: {printable(member)}"), f"{name}: {printable(member)}")


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> bytes:
    """A file of an archive, no more of it than the archive says it is."""
    import pyarrow as pa

    size, checksum = member.file_size, member.CRC
    if member.compress_type != 93:  # Zstandard, which zipfile knows from Python 3.14 on
        with archive.open(member.filename) as file:
            return file.read(size)
    del member.CRC  # which is compared here
    member.compress_type, member.file_size = zipfile.ZIP_STORED, member.compress_size
    with archive.open(member) as stored:
        found: bytes = pa.CompressedInputStream(pa.PythonFile(stored, mode="r"), "zstd").read(size + 1)
    _check(
        len(found) == size and zlib.crc32(found) == checksum,
        f"{name} does not unpack to what the archive says it is. Was it damaged?",
    )
    return found


# --- HELM: the statistics of instances in the folder of each run, and its description beside ------------------------------------

_HELM_MAIN = (
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

_HELM_MAIN_OF = {
    "quasi_exact_match": "legalbench med_qa imdb raft babi_qa synthetic_efficiency entity_matching legal_support lsat_qa".split(),
    "quasi_prefix_exact_match": ["boolq", "civil_comments"],
    "bleu_4": ["wmt_14"],
    "rouge_2": ["summarization_cnndm", "summarization_xsum"],
}
"""Groups of scenarios whose main metric is another one in the schemas of HELM Classic and Lite."""

_HELM_BESIDE = re.compile(
    r"num_(references|train_trials|(prompt|completion|output|perplexity)_tokens|train_instances|bytes|instances)|batch_size|logprob"
    r"|inference(_denoised|_idealized)?_runtime|training_(co2|energy)_cost|prompt_truncated|max_prob|predicted_index"
    r"|estimated_num_tokens_cost|finish_reason_.*"
)
"""Statistics that are no scores: HELM keeps them of every instance."""


def _helm(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    spec = _file_beside(path.with_name("run_spec.json"))
    called = str(spec.get("name") or path.resolve().parent.name)  # the folder, where the description is lost
    scenario, _, arguments = called.partition(":" if ":" in called or "=" not in called else "-")
    rest = re.sub("(^|,)model(_deployment)?=[^,]*", "", arguments).strip(",")
    task, group = f"{scenario}:{rest}" if rest else scenario, str((spec.get("groups") or [scenario])[0])
    model = spec.get("adapter_spec", {}).get("model") or (re.findall("(?:^|,)model=([^,]*)", arguments) or [called])[0]
    parts: dict[str, list[Record]] = defaultdict(list)
    for record in _whole(path, name):
        split = next((each["name"]["split"] for each in record["stats"] if each["name"].get("split")), "none")
        part = "perturbed copies of instances" if record.get("perturbation") else f"instances of split {split!r}"
        parts[part].append(record)
    taken = max(parts, key=lambda each: (each[0] == "i", each.endswith("'test'"), len(parts[each])), default="")
    return (
        {
            "scores": _helm_scores(each),
            "item": each["instance_id"],
            "model": model,
            "task": task,
            "run": each.get("train_trial_index"),
        }
        for each in (parts[taken] if taken[:1] == "i" else ())
    ), {
        "about": task,
        "said": {
            **{f"{len(left)} {each} are left out, the {taken} count": each != taken for each, left in parts.items()},
            f"a part of {group!r} in HELM, and here a task of its own": group not in (task, scenario) or rest,
        },
        "main": (*(key for key, groups in _HELM_MAIN_OF.items() if group in groups), *_HELM_MAIN),
        "lower": lambda metric: (
            False if re.match("rouge_|rougeL|bleu|f1", metric) or metric.partition("@")[0] in _HELM_MAIN else None
        ),
    }


def _helm_scores(record: Record) -> Record:
    """Means by metric of an instance as it is, of which the first of a name counts."""
    means = {
        each["name"]["name"]: each.get("mean") if each.get("count", 1) else None
        for each in reversed(record["stats"])
        if each["name"].get("perturbation") is None
    }
    return {key: value for key, value in means.items() if not _HELM_BESIDE.fullmatch(key)}


# --- promptfoo: an outcome for each test, prompt and provider ------------------------------------------------------------------


def _promptfoo(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    found = {"results": list(_lines(path, name))} if path.suffix.lower() == ".jsonl" else _whole(path, name)["results"]
    asked = [_provider_and_prompt(each) for each in found["results"]]
    n_prompts = Counter(provider for provider, _ in set(asked))
    is_graded = any(each.get("score") not in (None, 0, 1) for each in found["results"])  # else it says the same as "passed"
    return (
        {
            "item": each.get("testIdx", json.dumps(each.get("vars"), sort_keys=True)),  # where a test has no number
            "model": provider if n_prompts[provider] == 1 else f"{provider} {prompt}",
            "epoch": "#",
            "hash": f"{zlib.crc32(json.dumps(each.get('vars') or {}, sort_keys=True).encode()):08x}",
            "fields": (each.get("testCase") or {}).get("metadata"),
            # an error of the provider is no wrong answer
            "void": each.get("failureReason") == 2 or (each.get("error") and not each.get("gradingResult")),
            "scores": {
                "passed": bool(each["success"]),
                **({"score": each.get("score")} if is_graded else {}),
                **(each.get("namedScores") or {}),
            },
        }
        for each, (provider, prompt) in zip(found["results"], asked, strict=True)
    ), {"time": str(found.get("timestamp") or ""), "lower": {"passed": False, "score": False}.get}


def _provider_and_prompt(outcome: Record) -> tuple[str, str]:
    """Names of the provider and of the prompt: its label where it is short, else its number, from 1."""
    provider, label = outcome["provider"], (outcome.get("prompt") or {}).get("label") or ""
    return (
        str(provider.get("label") or provider["id"] if isinstance(provider, dict) else provider),
        label if re.fullmatch(".{1,40}", label) else f"prompt {1 + outcome.get('promptIdx', 0)}",
    )


# --- Every Eval Ever, SWE-bench, Terminal-Bench, EvalPlus, LiveCodeBench, nnU-Net -------------------------------------------


def _every_eval(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    samples = list(_lines(path, name)) if path.suffix.lower() == ".jsonl" else _whole(path, name)
    _check(
        isinstance(samples, list),
        f"{name} holds the means of Every Eval Ever. Pass the file of its samples, which it names: detailed_evaluation_results.",
    )
    others = [
        each["schema_version"] for each in samples if not re.match(r"(instance_level_eval_)?0\.[23]", each["schema_version"])
    ]
    _check(not others, f"{name} is of version {quoted(others[:1])} of the schema of Every Eval Ever; tiebreak reads 0.2 and 0.3.")
    # a sample stands once for each result that it is part of
    results = {(each["model_id"], each["evaluation_name"], str(each.get("evaluation_result_id"))): 0 for each in samples}
    n_results = Counter(each[:2] for each in results)
    several = [each[2] for each in results if n_results[each[:2]] > 1]
    lower = {
        each[key]: each.get("metric_config", {}).get("lower_is_better") is True
        for each in _file_beside(path.with_name(f"{path.stem.removesuffix('_samples')}.json")).get("evaluation_results", ())
        for key in ("evaluation_result_id", "evaluation_name")
        if key in each
    }
    return (
        {
            "item": each["sample_id"],
            "model": each["model_id"],
            "task": each["evaluation_name"],
            "epoch": "#",
            "hash": each.get("sample_hash"),
            "fields": each.get("metadata"),
            "void": each.get("error"),
            "scores": {str(each.get("evaluation_result_id")): each["evaluation"]["score"]}
            if n_results[each["model_id"], each["evaluation_name"]] > 1
            else dict.fromkeys(several, each["evaluation"]["score"])
            or {"score": each["evaluation"]["score"], "accuracy": each["evaluation"]["is_correct"]},
        }
        for each in samples
    ), {
        "time": "".join(re.findall(r"/(\d+)$", str(samples[0].get("evaluation_id")))),
        "is_sure": not several,
        "lower": lambda metric: next(
            (
                lower[each]
                for each in (metric, samples[0].get("evaluation_result_id"), samples[0]["evaluation_name"])
                if each in lower
            ),
            False,
        ),
    }


def _swe_bench(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    found = _whole(path, name)
    _check(
        isinstance(found.get("resolved_ids"), list),
        f"{name} says how many instances were resolved, and not which. Write it with a current harness.",
    )
    # what was answered and is not among the resolved counts as not resolved, an empty patch too
    lists = ("submitted_ids", "completed_ids", "unresolved_ids", "empty_patch_ids", "error_ids", "resolved_ids")
    resolved = {str(each): key == "resolved_ids" for key in lists for each in found.get(key) or ()}
    total, model = found["total_instances"], path.stem.rpartition(".")[0] or path.stem  # MODEL.RUN.json
    return ({"item": each, "model": model, "scores": {"resolved": is_one}} for each, is_one in resolved.items()), {
        "said": {
            f"{total - len(resolved)} of {total} instances were not submitted: they are missing, not wrong": total > len(resolved)
        },
    }


def _terminal_bench(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    found = _whole(path, name)["results"]
    model = re.sub(r"[._-]*results$", "", path.stem) or path.resolve().parent.name  # of the run
    n_open = sum(each["is_resolved"] is None for each in found)
    return (
        {"item": each["task_id"], "model": model, "epoch": "#", "scores": {"resolved": bool(each["is_resolved"])}}
        for each in found
    ), {
        "lower": {"resolved": False}.get,
        "said": {
            f"{n_open} of {len(found)} trials could not be judged and count as not resolved, as the tool counts them": n_open
        },
    }


def _model_of(path: Path) -> str:
    """Name of the model in that of a file, or of its folder where the tool calls all files the same."""
    scenario = r"(Scenario\.)?(code(generation|execution)|selfrepair|testoutputprediction)_\d+_[\d.]+_"
    return re.sub(rf"[._-]?({scenario})?eval_(results|all)$", "", path.stem) or path.resolve().parent.name


def _eval_plus(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    return (
        {
            # as EvalPlus counts: what passes the further tests and not the first ones passes neither
            "scores": {
                "base": sample["base_status" if "base_status" in sample else "status"] == "pass",  # BigCodeBench's only one
                **({"plus": sample["base_status"] == sample["plus_status"] == "pass"} if sample.get("plus_status") else {}),
            },
            "item": item,
            "model": _model_of(path),
            "task": item.rpartition("/")[0],
            "epoch": "#",
        }
        for item, samples in _whole(path, name)["eval"].items()
        for sample in samples
    ), {"main": ("plus",)}


def _livecodebench(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    found = _whole(path, name)
    questions = found if isinstance(found, list) else [{**each, "question_id": key} for key, each in found["eval"].items()]
    return (
        {
            # a question of some scenarios has several tests or samples
            "item": "/".join(str(each[key]) for key in ("question_id", "test_id", "id") if key in each),
            "model": _model_of(path),
            "epoch": "#",
            "fields": each,
            "scores": {"pass@1": is_right},
        }
        for each in questions
        for is_right in each.get("graded_list") or [each["pass@1"]]
    ), {"lower": {"pass@1": False}.get}


def _nnunet(path: Path, name: str) -> tuple[Iterable[Record], Record]:
    return (
        {
            # the mean over labels, of which those that a case has not are nan, and where there are several each by itself
            "scores": {
                metric: float(
                    np.mean([own[metric] for own in each["metrics"].values() if own[metric] == own[metric]] or [np.nan])
                )
                for metric in ("Dice", "IoU")
            }
            | {
                f"{metric} {label}": own[metric]
                for metric in ("Dice", "IoU")
                for label, own in each["metrics"].items()
                if len(each["metrics"]) > 1
            },
            "item": Path(each["reference_file"]).name,
            "model": path.resolve().parent.name if path.stem == "summary" else path.stem,
        }
        for each in _whole(path, name)["metric_per_case"]
    ), {"main": ("Dice",), "lower": lambda _: False}


FORMATS = (
    Format(
        "lm-evaluation-harness",
        "*.jsonl",
        (r'"doc_id"\s*:', r'"(doc|arguments)"\s*:\s*[{\[]|"(filtered_)?resps"\s*:\s*\['),
        _lm_eval,
    ),
    Format("Inspect", "*.eval", (), lambda path, name: _inspect(path, name, _unzipped(path, name))),
    Format("EvalPlus", "*.json", (r'"eval"\s*:\s*\{\s*"[^"]*"\s*:\s*\[',), _eval_plus),
    *(
        Format("LiveCodeBench", name, keys, _livecodebench)
        for name, keys in {
            "*.json": (r'"eval"\s*:\s*\{\s*"[^"]*"\s*:\s*\{', r'"(code_list|graded_list)"\s*:'),
            "*eval_all.json": (r'"question_id"\s*:',),
        }.items()
    ),
    Format(
        "Inspect",
        "*.json",
        (r'"version"\s*:', r'"eval"\s*:\s*\{'),
        lambda path, name: _inspect(path, name, iter([log := _whole(path, name), *(log.get("samples") or ())])),
    ),
    Format("HELM", "per_instance_stats.json", (r"^\s*\[",), _helm),
    Format("nnU-Net", "*.json", (r'"foreground_mean"\s*:',), _nnunet),
    Format("promptfoo", "*.json*", (r'"(evalId|testIdx)"\s*:', r'"(results|testCase|provider|success)"\s*:'), _promptfoo),
    Format(
        "Terminal-Bench", "*results.json", (r'"results"\s*:\s*\[', r'"trial_name"\s*:', r'"is_resolved"\s*:'), _terminal_bench
    ),
    Format("SWE-bench", "*.json", (r'"resolved_instances"\s*:', r'"total_instances"\s*:'), _swe_bench),
    Format(
        "Every Eval Ever",
        "*.json*",
        (r'"schema_version"\s*:', r'"(sample_id|evaluation_results)"\s*:', r'"evaluation\w*"\s*:'),
        _every_eval,
    ),
)
"""Formats of logs, of which the first that fits counts."""
