"""Commands and what they print, as a person read it: one session a file in golden/."""

import shlex
from pathlib import Path

import numpy as np
import pytest

from tests import golden
from tests.cli.conftest import STUDY, run, write_scores
from tests.cli.test_run import OWN, TWO
from tiebreak.cli import COMMANDS

FOLDER = Path(__file__).parent / "golden"
MOST_LINES = 18
"""Lines of an answer that are kept; tests/views/texts has whole ones."""

SESSIONS = {
    "help": [*(f"{command} --help" for command in COMMANDS if command != "compare"), "store check --help", "store backup -h"],
    "compare": """\
compare --help
compare scores.csv --metric accuracy --rope 0.01 --details
compare scores.csv --metric accuracy --rope 1% --format csv --require-better svm forest
compare scores.csv --metric accuracy --rope 0.01 --require-better svm forest --require-not-worse ridge svm --junit gate.xml
compare scores.csv --metric accuracy --rope 0.03 --require-better svm forest --allow-inconclusive
compare scores.csv --metric accuracy --html answer.html --plots plots
compare items.csv --metric accuracy --by topic --n-total 200 --format markdown
compare items.csv --metric accuracy --n-total 200 --looks looks.json --format csv
compare items.csv --metric accuracy --looks looks.json --random-order
compare means.csv --n-test 40,60
compare means.csv --folds 10 --seeds 5
compare folder --metric accuracy
folder --metric accuracy --noise-floor 0.5 --require-not-worse svm forest
compare scores.csv --metric accuracy --rope 0.1 --require-better log_loss:svm log_loss:forest
compare items.csv --metric accuracy --n-total 200 --require-better f1:a f1:b
compare scores.csv --metric accuracy --models svm,forest
compare items.csv --column model --metric accuracy
compare items.csv --where topic law --metric accuracy
compare means.csv --n-test 0
compare scores.csv --noise-floor 0.1
compare scores.csv --metric accuracy --junit no/gate.xml --require-better svm forest
compare scores.csv --metric accuracy --html scores.csv
compare scores.csv --metric accuracy --html no/answer.html
compare scores.csv --metric accuracy --html folder.html
compare scores.csv --metric accuracy --raw
compare - -
compare none.csv --metric accuracy
compare scores.csv --metric accuracy --n-total 5 --looks scores.csv
compare scores.csv --random-order
compare scores.csv --metric accuracy --direction accuracy lower --direction accuracy higher
compare
nothing""".splitlines(),
    "rate": """\
rate battles.csv --anchor y --level 0.9
rate battles.csv --ignore-position --format csv
battles
rate b0.csv b1.csv b2.csv b3.csv
rate scores.csv
noise-floor runs.csv --output noise.json
noise-floor runs.csv --output runs.csv
noise-floor runs.csv --format json
sample-size --difference 0.1 --discordant 0.2 --format csv
sample-size --n 100 --rates 0.9,0.8 --question test-sets
sample-size --rates 1,2,3 --n 4""".splitlines(),
    "run": """\
run study.toml --dry-run
run many.toml --dry-run
run study.toml --dry-run --format json
run study.toml --dask host --n-jobs 2
run study.toml --quiet
run study.toml --metric f1_macro --format markdown
run two.toml --store sqlite:///two.db --plots plots
run two.toml --store sqlite:///two.db --format csv
run fails.toml --store sqlite:///fails.db --format json
show flowers
show flowers --format csv
show two --store sqlite:///two.db
show flowers --store sqlite:///two.db
runs
runs --store sqlite:///two.db --format csv
store check sqlite:///two.db
store backup sqlite:///two.db copy.db
store check
learning-curve study.toml --store sqlite:///two.db --models bayes --sizes 0.5,100
learning-curve study.toml --sizes few
learning-curve study.toml --quiet --sizes 1,2
learning-curve study.toml --quiet --rope -1
learning-curve study.toml --quiet --store sqlite:///no/folder.db
learning-curve two.toml
learning-curve study.toml --models svm
validation-curve study.toml --quiet --models tree --parameter n_neighbors --values 1,3,50
validation-curve study.toml --parameter n_neighbors --values [1
audit study.toml --fail-on warning
audit two.toml
audit two.toml --format json""".splitlines(),
}


@pytest.fixture
def files(here: Path) -> None:
    """Small files of all kinds that commands read."""
    rng = np.random.default_rng(0)
    write_scores(Path("scores.csv"), ["svm", "forest", "ridge"], step=0.03, n_splits=20)
    (Path("folder").mkdir(), Path("folder.html").mkdir(), Path("battles").mkdir())
    write_scores(Path("folder/scores.csv"), ["svm", "forest"], n_splits=20)
    rows = [f"q{k},{'law' if k % 3 else 'code'},{','.join(map(str, rng.integers(0, 2, 3)))}" for k in range(60)]
    Path("items.csv").write_text("\n".join(["question,topic,a,b,c", *rows]) + "\n")
    Path("means.csv").write_text("model,auc\na,0.91\nb,0.89\n")
    battles = "model_a,model_b,winner\n" + "x,y,a\ny,x,x\nx,y,tie\ny,x,a\n" * 10
    (Path("battles.csv").write_text(battles), Path("battles/b.csv").write_text(battles))
    for k in range(4):
        Path(f"b{k}.csv").write_text("model_a,model_b,winner\n" + f"x,m{k},a\n" * 3 + f"m{k},x,a\n")
    # whose scores no other version of a library changes
    steady_study = STUDY.replace("tree:DecisionTreeC", "neighbors:KNeighborsC").replace('"stratified"', '"prior"')
    answers = [f"{k},{run},{(k + (run and k % 10 == 0)) % 2}" for run in (0, 1) for k in range(40)]
    Path("runs.csv").write_text("\n".join(["question,run,m", *answers]) + "\n")
    (Path("study.toml").write_text(steady_study), Path("two.toml").write_text(TWO), Path("own.py").write_text(OWN))
    many = "\n".join(f'[models.m{k}]\nimport = "sklearn.dummy:DummyClassifier"' for k in range(21))
    Path("many.toml").write_text('cv = 3\ndata = { source = "sklearn:iris" }\n' + many)
    Path("fails.toml").write_text('cv = 3\ndata = { source = "sklearn:iris" }\n[models.fails]\nimport = "own:fails"\n')


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", SESSIONS)
def test_the_session_is_the_one_that_was_read(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit codes, answers and messages; no path of this machine, and neither times nor dates."""
    said = []
    for line in SESSIONS[name]:
        code, out, err = run(capsys, *shlex.split(line))
        lines = out.splitlines()
        shown = lines if name == "help" or "--help" in line else [*lines[:MOST_LINES], *["..."] * (len(lines) > MOST_LINES)]
        said.append("\n".join([f"$ tiebreak {line}", *shown, *(f"2> {each}" for each in err.splitlines()), f"exit {code}\n"]))
    golden.check(FOLDER / f"{name}.txt", golden.steady("\n".join(said).replace(str(here), "FOLDER")))
