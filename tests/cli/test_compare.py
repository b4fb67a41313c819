"""``tiebreak compare``: options reach the library, answers come out in every format, gates end with their exit code."""

import csv
import inspect
import io
import json
from pathlib import Path
from typing import Any

import click
import pytest

import tiebreak as tb
from tests.cli.conftest import Run, printed, refused, run_compare
from tiebreak.cli import compare

ACCURACY = ("--metric", "accuracy")


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The answer in JSON of a run that went well."""
    out = printed(capsys, "compare", *arguments, "--format", "json")
    return json.loads(out)  # type: ignore[no-any-return]


def test_the_help_is_short_and_grouped() -> None:
    """At most 90 lines of 80 columns, five titles, and each option once."""
    context = compare.compare_command.make_context("compare", ["--help"], resilient_parsing=True, terminal_width=80)
    lines = compare.compare_command.get_help(context).splitlines()
    assert len(lines) <= 90
    assert [line.rstrip(":") for line in lines if line.rstrip(":") in compare.GROUPS] == list(compare.GROUPS)
    shown = [line.split()[0] for line in lines if line.startswith("  -")]
    options = [each for each in compare.compare_command.get_params(context) if isinstance(each, click.Option)]
    assert len(set(shown)) == len(shown) == len(options)


def test_every_option_is_a_parameter_of_compare() -> None:
    """With the same default, but for what only a command line or `read_scores` has and what only a search needs."""
    own = {"files", "directions", "format_", "details", "raw", "random_order", "seeds", "plots", "html"}
    own |= {*compare._GATE}
    reading = {"columns", "where", "positive"}
    for_searches = {"X", "y", "groups"}
    options = {str(p.name) for p in compare.compare_command.params} - own - reading - {"help"}
    parameters = {name: p.default for name, p in inspect.signature(tb.compare).parameters.items() if name != "sources"}
    assert {"rng" if name == "seed" else name for name in options} == set(parameters) - for_searches
    defaults = compare.compare_command.make_context("compare", ["scores.csv"]).params
    assert {name: defaults[name] for name in options} == {name: parameters["rng" if name == "seed" else name] for name in options}


def test_options_reach_the_library(scores: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each as the value that `tb.compare` takes."""
    seen: dict[str, Any] = {}
    original = tb.compare

    def spy(*sources: Any, **settings: Any) -> tb.Comparison:
        seen.update(settings, sources=sources)
        return original(*sources, **settings)

    monkeypatch.setattr(tb, "compare", spy)
    typed = (
        "--metric mine --higher-is-better --models svm --models ridge --rope 1% --alpha 0.1 "
        "--correction none --method corrected-t --missing pairwise "
        "--n-train 512 --n-test 57 --seed 4 --rows splits"
    )
    run_compare(capsys, scores, *typed.split())
    assert seen == {
        "sources": (scores,),
        "metric": "mine",
        "lower_is_better": False,
        "models": ("svm", "ridge"),
        "dataset": None,
        "rope": "1%",
        "alpha": 0.1,
        "baseline": None,
        "family": None,
        "correction": "none",
        "method": "corrected-t",
        "missing": "pairwise",
        "cv": None,
        "n_train": 512,
        "n_test": 57,
        "rng": 4,
        "rows": "splits",
        "item": None,
        "by": None,
        "cluster": None,
        "n_total": None,
        "looks": None,
    }


def test_the_formats_say_the_same(scores: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are those of the Comparison."""
    comparison = tb.compare(scores, metric="accuracy", rope=0.01)
    arguments = (scores, *ACCURACY, "--rope", "0.01", "--format")
    assert run_compare(capsys, *arguments, "table") == (0, comparison.to_text(), "")
    assert run_compare(capsys, *arguments, "markdown") == (0, comparison.to_markdown(), "")
    assert run_compare(capsys, *arguments, "json") == (0, comparison.to_json() + "\n", "")
    rows = list(csv.DictReader(io.StringIO(run_compare(capsys, *arguments, "csv")[1])))
    assert [float(row["difference"]) for row in rows] == comparison.pairs["difference"].tolist()


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ([], "does not say which metric its scores are"),
        (["--metric", "usefulness"], "Pass --lower-is-better or --higher-is-better"),
        ([*ACCURACY, "--lower-is-better"], "--lower-is-better contradicts the metric 'accuracy'"),
        ([*ACCURACY, "--alpha", "5"], "alpha must lie between 0 and 1"),
        ([*ACCURACY, "--alpha", "nan"], "alpha must lie between 0 and 1"),
        ([*ACCURACY, "--rope", "-1"], "rope must be a finite half-width"),
        ([*ACCURACY, "--rope", "nan"], "rope must be a finite half-width"),
        ([*ACCURACY, "--rope", "0,01"], "got '0,01'"),
        ([*ACCURACY, "--models", "svm"], "at least two models"),
        ([*ACCURACY, "--models", "svm,ridge"], "give --models once for each"),
        ([*ACCURACY, "--baseline", "smv"], "did you mean 'svm'?"),
        ([*ACCURACY, "--method", "tangoo"], "unknown method 'tangoo'; choose one of 'auto', "),
        ([*ACCURACY, "--dataset", "iris"], "--dataset iris was given"),
        ([*ACCURACY, "--require-better", "svm", "knn"], "no model is called 'knn'"),
        ([*ACCURACY, "--require-better", "svm", "svm"], "two different models"),
        ([*ACCURACY, "--plots", "{scores}"], "could not be written: a file is where the folder should be"),
    ],
)
def test_errors_read_well_on_a_command_line(
    scores: str, typed: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, our prefix, options where Python has parameters, and no answer."""
    error = refused(capsys, "compare", scores, *(word.format(scores=scores) for word in typed))
    assert error.startswith("tiebreak: ")
    assert message in error


def test_what_an_error_advises_for_columns_can_be_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the two ways on of rows that stand twice, with names that a shell has to have quoted; so --positive and --cv."""
    path = tmp_path / "t.csv"
    rows = [(m, f, c, 0.5 + (7 * f + 3 * i) % 11 / 40) for i, m in enumerate("ab") for f in range(5) for c in ("no ne", "platt")]
    path.write_text("model,fold,my calibrator,f1\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    assert (
        "Keep one: --where 'my calibrator' 'no ne'; or make it part of the model: --column model='model,my calibrator'."
        in refused(capsys, "compare", str(path))
    )
    kept = answer(capsys, str(path), "--where", "my calibrator", "no ne")
    assert kept["scores"][0]["models"] == ["b", "a"]
    assert kept["scores"][0]["n_folds"] == 5
    both = answer(capsys, str(path), "--column", "model=model,my calibrator")
    assert sorted(both["scores"][0]["models"]) == ["a no ne", "a platt", "b no ne", "b platt"]
    path.write_text("model,my size,accuracy\na,1 x,0.9\nb,1 x,0.8\na,2 x,0.95\nb,2 x,0.7\n")
    assert answer(capsys, str(path), "--where", "my size", "1 x", "--n-test", "100")["method"]["question"] == "summary"
    truth = ["yes", "no"] * 10
    answers_of = {"x": truth[:15] + truth[::-1][15:], "y": ["no", *truth[1:]]}
    path.write_text("y_true,x,y\n" + "".join(",".join(row) + "\n" for row in zip(truth, *answers_of.values(), strict=True)))
    assert "which of the classes 'no' and 'yes' is the positive one? Pass --positive yes or the other" in " ".join(
        refused(capsys, "compare", str(path), "--metric", "f1").split()
    )
    by_class = [answer(capsys, str(path), "--metric", "f1", "--positive", each)["ranking"][0]["mean"] for each in ("yes", "no")]
    assert by_class == pytest.approx([18 / 19, 20 / 21])  # y misses one of ten, which is one more of the other class
    path.write_text(
        "model,accuracy\n" + "".join(f"{m},{0.5 + (f * 7 + i) % 5 / 10}\n" for i, m in enumerate("ab") for f in range(20))
    )
    assert "pass --cv 10" in refused(capsys, "compare", str(path))
    assert answer(capsys, str(path), "--cv", "10")["scores"][0]["n_folds"] == 10


@pytest.mark.parametrize("format_", ["csv", "json"])
@pytest.mark.slow
def test_standard_input(tiebreak: Run, scores: str, capsys: pytest.CaptureFixture[str], format_: str) -> None:
    """CSV or JSON, told apart by how they begin; an error speaks of standard input."""
    text = Path(scores).read_text() if format_ == "csv" else run_compare(capsys, scores, *ACCURACY, "--format", "json")[1]
    done = tiebreak("compare", "-", *ACCURACY, "--format", "json", input=text)
    assert json.loads(done.stdout)["pairs"] == answer(capsys, scores, *ACCURACY)["pairs"]
    done = tiebreak("compare", "-", *ACCURACY, input=text.replace("0.9", "0,9,", 1) if format_ == "csv" else "{")
    assert done.returncode == 2
    assert done.stderr.startswith("tiebreak: standard input")


def test_answers_to_questions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A table with a column of questions, one without where --rows says so, and slices."""
    rows = [(f"q{i}", "law" if i % 2 else "code", i % 3 > 0, i % 5 > 2) for i in range(60)]
    named, bare = tmp_path / "answers.csv", tmp_path / "bare.csv"
    named.write_text("question,topic,new,old\n" + "".join(f"{q},{t},{a:d},{b:d}\n" for q, t, a, b in rows))
    bare.write_text("new,old\n" + "".join(f"{a:d},{b:d}\n" for _, _, a, b in rows))
    code, out, _ = run_compare(capsys, str(named), "--by", "topic", "--require-better", "new", "old")
    assert code in (0, 3)
    assert "60 questions" in out
    assert "By topic; a positive difference favours the first" in out
    out = printed(capsys, "compare", str(bare), "--rows", "items", "--format", "json")
    answer = json.loads(out)
    assert (answer["resolved"]["method"], answer["items"]["n_items"]) == ("tango", 60)
    assert "--rows items" in refused(capsys, "compare", str(bare))
    refused(capsys, "compare", str(named), "--rows", "splits")
