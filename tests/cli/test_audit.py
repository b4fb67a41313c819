"""``tiebreak audit``: findings in every format, exit codes, figures, and what is said of a study that cannot be audited."""

from pathlib import Path

import pytest

from tests.cli.conftest import STUDY, printed, refused, run

MODEL = '[models.any]\nimport = "sklearn.dummy:DummyClassifier"\n'


@pytest.fixture
def visits(here: Path) -> str:
    """Forty visits on forty days, shuffled folds."""
    rows = [f"2024-{1 + i // 28:02d}-{1 + i % 28:02d},{(7 * i) % 40}.{i % 9},{'yes' if i % 3 else 'no'}" for i in range(40)]
    Path("visits.csv").write_text("day,age,ill\n" + "\n".join(rows) + "\n")
    text = f'cv = 4\n[data]\nsource = "visits.csv"\ntarget = "ill"\ntime = "day"\n{MODEL}'
    Path("visits.toml").write_text(text)
    return "visits.toml"


def test_a_clean_study_is_said_to_be_clean(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Iris has its one duplicate, which is a note; the exit code is 0, whatever --fail-on asks."""
    out = printed(capsys, "audit", study, "--fail-on", "warning")
    assert out.startswith("The audit has 1 note.\nData: 150 rows, 4 columns, classification with 3 classes; 6 splits")
    assert "duplicate-rows" in out


def test_findings_give_exit_code_1_only_where_that_was_asked(visits: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The folds train on the future, which is an error."""
    assert "✗ error future-in-training" in printed(capsys, "audit", visits)
    assert run(capsys, "audit", visits, "--fail-on", "error")[0] == 1
    assert run(capsys, "audit", visits, "--fail-on", "warning")[0] == 1


def test_the_first_metrics_of_the_study_are_what_sizes_are_checked_for(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ROC AUC of single rows is undefined."""
    text = STUDY.replace('["accuracy", "f1_macro"]', '["roc_auc_ovr"]')
    text = text.replace('{ kind = "repeated-stratified", n_folds = 3, n_repeats = 2 }', '"loo"')
    Path("loo.toml").write_text(text)
    assert "error metric-undefined\n  roc_auc_ovr is undefined in all 150 splits" in run(capsys, "audit", "loo.toml")[1]


@pytest.mark.slow
def test_several_datasets_are_audited_one_after_the_other(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each under its name, with a figure each; another format holds one."""
    text = STUDY.replace('data = { source = "sklearn:iris" }\n', "")
    Path("two.toml").write_text(text + '[data.iris]\nsource = "sklearn:iris"\n[data.wine]\nsource = "sklearn:wine"\n')
    code, out, err = run(capsys, "audit", "two.toml", "--plots", "figures")
    assert (code, err) == (0, "folds.png is in figures/dataset-1\nfolds.png is in figures/dataset-2\n")
    assert "Data 'iris': 150 rows" in out
    assert "Data 'wine': 178 rows" in out
    assert "the study has 2 datasets, and so as many audits; --format json holds one. Leave it out." in refused(
        capsys, "audit", "two.toml", "--format", "json"
    )


@pytest.mark.parametrize(
    ("day", "message"),
    [
        (
            "31/12/2024",
            (
                "tiebreak: visits.toml: data.time = 'day': time cannot be sorted: '31/12/2024' in row 3 is text that is no date "
                "in ISO 8601. Pass numbers, dates, or texts such as '2024-03-01' or '2024-03-01T12:00', one for each row. "
                "pandas.to_datetime(..., format=...) reads other ways to write dates.\n"
            ),
        ),
        (
            "",
            (
                'tiebreak: visits.toml: data.time = "day": 1 of 40 rows have no value in this column, the first is row 4 (below '
                "the header). Fill them in, or leave these rows out of the file.\n"
            ),
        ),
    ],
)
def test_a_time_that_cannot_be_sorted_is_named(visits: str, capsys: pytest.CaptureFixture[str], day: str, message: str) -> None:
    """File, key, column, value and row."""
    table = Path("visits.csv").read_text().splitlines()
    table[4] = day + table[4][table[4].index(",") :]
    Path("visits.csv").write_text("\n".join(table) + "\n")
    assert run(capsys, "audit", visits) == (2, "", message)


def test_splits_that_cannot_be_made_are_told_in_the_words_of_the_study(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As `tiebreak run` would."""
    Path("s.toml").write_text(f'cv = "group"\ndata = {{ source = "sklearn:iris" }}\n{MODEL}')
    assert run(capsys, "audit", "s.toml") == (
        2,
        "",
        (
            'tiebreak: s.toml: GroupKFold needs to know which examples belong together. Name the column: groups = "..." under '
            "[data].\n"
        ),
    )
