"""Requirements of ``tiebreak compare``: exit codes 0, 1, 2 and 3, files for build servers, other metrics, wrong use."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import tiebreak as tb
from tests.cli.conftest import refused, run_compare
from tests.comparison.test_looks import answers
from tiebreak.cli.options import FORMATS

ACCURACY = ("--metric", "accuracy")
ROPE = (*ACCURACY, "--rope", "0.01")
CODES = {"met": 0, "broken": 1, "inconclusive": 3}


GATES = [
    (["--require-better", "svm", "ridge"], "met", "met: 'svm' is better than 'ridge'"),
    (["--require-better", "ridge", "svm"], "broken", "broken: 'ridge' is not better than 'svm'"),
    (["--require-better", "forest", "ridge", "--rope", "0.03"], "inconclusive", "it is not settled whether 'forest'"),
    (["--require-not-worse", "svm", "ridge"], "met", "met: 'svm' is not worse than 'ridge'"),
    (["--require-near-best", "svm"], "met", "met: 'svm' falls short of the best model by 0.01 at most"),
    (["--require-near-best", "ridge"], "broken", "broken: 'ridge' falls short of the best model by more than 0.01"),
    (["--require-better", "svm", "ridge", "--require-better", "ridge", "forest"], "broken", "Of 2 requirements 1 met, 1 broken"),
    (
        ["--require-better", "svm", "ridge", "--require-better", "svm", "forest", "--rope", "0.03"],
        "inconclusive",
        "Of 2 requirements 1 met, 1 inconclusive",
    ),
]


@pytest.mark.parametrize(("requirement", "outcome", "said"), GATES)
@pytest.mark.parametrize("format_", FORMATS)
def test_exit_code_and_page_agree(
    scores: str, requirement: list[str], outcome: str, said: str, format_: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer all the same, the outcome in every format, and the exit code that goes with it."""
    rope = [] if "--rope" in requirement else ["--rope", "0.01"]
    code, out, error = run_compare(capsys, scores, *ACCURACY, *rope, *requirement, "--format", format_)
    assert code == CODES[outcome]
    if format_ == "json":
        outcomes = {each["outcome"] for each in json.loads(out)["requirements"]}
        assert outcome == ("broken" if "broken" in outcomes else "inconclusive" if "inconclusive" in outcomes else "met")
    elif format_ == "csv":
        assert said.startswith("Of") or said in error
        assert "met" not in out
    else:
        assert said in out.replace("\n    ", " ")
        assert out.startswith(("Requirement", "Of 2 requirements", "**Requirement", "**Of 2 requirements"))


def test_looks_of_a_plan_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is met or broken is so at any look; what is open exits with 3 and says what is left; and the file keeps every look."""
    for n in (100, 250):
        answers(n).to_csv(tmp_path / f"{n}.csv", index=False)
    kept = tmp_path / "looks.json"
    common = (*ACCURACY, "--looks", str(kept))
    gates = ("--require-better", "m0", "m1", "--require-better", "m1", "m2")
    code, out, _ = run_compare(capsys, str(tmp_path / "100.csv"), *common, "--n-total", "800", *gates)
    assert code == 3
    assert "Of 2 requirements 1 met, 1 inconclusive" in out
    assert "Still open at this look: at most 700 more questions" in " ".join(out.split())
    assert "Look 1, 100 of 800 questions: decided 2 of 3 pairs; open 1." in out
    code, out, error = run_compare(capsys, str(tmp_path / "250.csv"), *common, "--require-better", "m0", "m1", "--format", "csv")
    assert code == 0
    assert out.startswith("first,second,look,")
    assert "Look 2, 250 of 800 questions" in error
    before = kept.read_bytes()
    assert "look 2 was at these same 250 questions" in refused(capsys, "compare", str(tmp_path / "250.csv"), *common)
    _, _, error = run_compare(capsys, str(tmp_path / "250.csv"), *common, "--n-total", "900")
    assert "--n-total 900" in error
    other = ("--require-better", "recall:m0", "recall:m1")
    _, _, error = run_compare(capsys, str(tmp_path / "250.csv"), *ACCURACY, "--n-total", "800", *other)
    assert "looks are of one metric" in error
    _, _, error = run_compare(capsys, str(tmp_path / "250.csv"), *ACCURACY, "--looks", str(tmp_path / "250.csv"))
    assert "--looks would write over" in error
    assert kept.read_bytes() == before


# --- files ------------------------------------------------------------------------------------------------------------------


def test_junit(scores: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A suite with a case for each requirement, beside the answer."""
    junit = tmp_path / "gate.xml"
    typed = [scores, *ROPE, "--require-better", "svm", "ridge", "--require-better", "ridge", "forest"]
    code, out, error = run_compare(capsys, *typed, "--junit", str(junit))
    assert (code, error) == (1, "")
    root = ElementTree.parse(junit).getroot()
    assert [(case.get("name"), [child.tag for child in case]) for case in root.iter("testcase")] == [
        ("svm better than ridge", ["system-out"]),
        ("ridge better than forest", ["failure"]),
    ]
    comparison = tb.compare(scores, metric="accuracy", rope=0.01)
    judged = comparison.meets(better=[("svm", "ridge"), ("ridge", "forest")])
    assert out == comparison.to_text(judged)


def test_allowed_is_skipped_in_junit(scores: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A build server that reads the file comes to the same end as the exit code; what is broken stays broken."""
    junit = tmp_path / "gate.xml"
    typed = [scores, *ACCURACY, "--rope", "0.03", "--require-better", "forest", "ridge", "--junit", str(junit)]
    for more, code, counts in (([], 3, ("1", "0")), (["--allow-inconclusive"], 0, ("0", "1"))):
        assert run_compare(capsys, *typed, *more)[0] == code
        root = ElementTree.parse(junit).getroot()
        assert (root.get("failures"), root.get("skipped")) == counts
    assert run_compare(capsys, *typed, "--allow-inconclusive", "--require-better", "ridge", "svm")[0] == 1


@pytest.mark.parametrize(
    ("place", "message"),
    [("nowhere/file", "the folder of --junit '{path}' is not there"), (".", "'--junit': File '{path}' is a directory.")],
)
def test_files_that_cannot_be_written(
    scores: str, tmp_path: Path, place: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, with the name and the reason; never 0 or 1, which would speak of the models."""
    path = str(tmp_path / place)
    assert message.format(path=path) in refused(
        capsys, "compare", scores, *ROPE, "--require-better", "svm", "ridge", "--junit", path
    ).replace("\n", " ")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["--allow-inconclusive"], "--allow-inconclusive goes with a requirement"),
        (["--junit", "gate.xml"], "--junit goes with a requirement"),
        (["--require-better", "svm", "knn"], "no model is called 'knn'"),
        (["--require-near-best", "smv"], "did you mean 'svm'?"),
        (["--require-not-worse", "svm", "svm"], "two different models; got 'svm' twice"),
        (["--require-near-best", "svm", "--require-near-best", "svm"], "the requirement 'svm' near the best is given twice"),
        (["--require-better", "svm"], "requires 2 arguments"),
        (["--require-better", "svm", "ridge", "--junit", "{scores}"], "--junit would write over"),
        (["--require-better", ":svm", "ridge"], "no model is called ':svm'"),
    ],
)
def test_wrong_use(scores: str, typed: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and no answer, so that it is not taken for one."""
    assert message in refused(capsys, "compare", scores, *ROPE, *(word.format(scores=scores) for word in typed))


# --- several metrics --------------------------------------------------------------------------------------------------------


@pytest.fixture
def measured(tmp_path: Path) -> str:
    """Two models on 10 folds in three metrics: new is far better in accuracy, a little worse in f1, and fitted for ever."""
    rng = np.random.default_rng(0)
    means = {"accuracy": (0.90, 0.80), "f1": (0.795, 0.80), "log_loss": (0.2, 0.3), "seconds": (9.0, 1.0)}
    path = tmp_path / "metrics.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "metric", "fold", "n_train", "n_test", "score"])
        for metric, values in means.items():
            for model, mean in zip(("new", "old"), values, strict=True):
                for fold in range(10):
                    writer.writerow([model, metric, fold, 90, 10, round(mean + rng.normal(0, 0.004), 5)])
    return str(path)


def test_a_requirement_may_name_its_metric(measured: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All of one call are one family, in the order of the options; a share is a rope in each metric."""
    typed = [
        "--require-not-worse",
        "f1:new",
        "f1:old",
        "--require-better",
        "new",
        "old",
        "--require-better",
        "neg_log_loss:new",
        "old",
        "--require-near-best",
        "accuracy:new",
    ]
    code, out, _ = run_compare(capsys, measured, *ACCURACY, "--rope", "3%", *typed, "--format", "json")
    records = json.loads(out)["requirements"]
    assert [(each["claim"], each["metric"]) for each in records] == [
        ("new better than old", "accuracy"),
        ("new better than old", "log_loss"),
        ("new not worse than old", "f1"),
        ("new near the best", "accuracy"),
    ]
    assert {each["n_questions"] for each in records} == {4}
    for each in records:
        comparison = tb.compare(measured, metric=each["metric"], rope="3%")
        gate = {"better": ("new", "old"), "not worse": ("new", "old"), "near best": "new"}[each["gate"]]
        (alone,) = comparison.meets(**{each["gate"].replace(" ", "_"): gate}, n_questions=4)
        assert (each["outcome"], each["interval_low"], each["rope"]) == (alone.outcome, alone.interval_low, alone.rope)
    assert code == 0


@pytest.mark.parametrize(
    ("rope", "typed", "message"),
    [
        (
            "0.01",
            ["--require-better", "f1:new", "f1:old"],
            "--rope 0.01 is in the unit of accuracy. For f1 too give a share, such as --rope 1%, or a command of its own.",
        ),
        ("0.01", ["--require-better", "f1:new", "log_loss:old"], "f1:new log_loss:old names two metrics; give one of them"),
        ("0", ["--require-better", "f2:new", "old"], "no metric is called 'f2': there are 'accuracy', 'f1'"),
        ("0", ["--require-better", "f1:nex", "old"], "no model is called 'nex': did you mean 'new'"),
        ("0", ["--require-better", "seconds:new", "old"], "seconds"),
    ],
)
def test_wrong_metrics(measured: str, rope: str, typed: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2: a metric that is not there, a rope in another unit, a direction that nobody knows."""
    assert message in refused(capsys, "compare", measured, *ACCURACY, "--rope", rope, *typed)


def test_percent_and_no_rope_hold_for_all_metrics(measured: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They have no unit."""
    for rope in ("0", "1%"):
        code, out, _ = run_compare(
            capsys, measured, *ACCURACY, "--rope", rope, "--require-better", "log_loss:new", "old", "--format", "json"
        )
        (record,) = json.loads(out)["requirements"]
        assert (code, record["metric"]) == (0, "log_loss")
        assert record["rope"] == (0 if rope == "0" else pytest.approx(0.002, rel=0.05))


def test_a_metric_is_never_only_a_name(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that does not say which metric it holds has no second one."""
    assert "a requirement names the metric 'f1', but the files do not say which metrics they hold" in refused(
        capsys, "compare", scores, *ACCURACY, "--require-better", "f1:svm", "ridge"
    )
    assert run_compare(capsys, scores, *ACCURACY, "--require-better", "accuracy:svm", "accuracy:ridge")[0] == 0
