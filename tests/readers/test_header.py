"""Names of columns say what they hold: one table of other names, and a refusal where two columns claim one part."""

import pytest

from tests.readers.conftest import Write
from tests.readers.helpers import LONG, SCORE, read
from tiebreak.readers.header import ALIASES, find_roles, plain, role_of
from tiebreak.readers.tables import read_table


def test_every_alias_names_one_part() -> None:
    """So that no order of the table decides; each part is its own first name."""
    parts = [{plain(name) for name in words.split()} for words in ALIASES.values()]
    assert sum(map(len, parts)) == len(set().union(*parts))
    assert all(role_of(role) == role for role in ALIASES)


@pytest.mark.parametrize("name", ["Model", "MODELS", " model ", "model-name", "params.model", "config/model", "params_model"])
def test_names_are_compared_without_case_blanks_marks_and_prefix(name: str) -> None:
    """As spreadsheets and trackers of experiments write them."""
    assert role_of(name) == "model"
    assert role_of("remodel") == role_of("mass") == ""


@pytest.mark.parametrize(
    "word", ["Method", "algorithm", "classifier", "Estimator", "system", "approach", "framework", "learner_id"]
)
def test_other_names_of_models(word: str, write: Write) -> None:
    """As the fields call them."""
    text = LONG.replace("model,repeat,fold,score", f"{word},Repetition,FOLD,Test_Score")
    assert read(write(text)).matrix().score.tolist() == SCORE.tolist()


def test_the_name_of_the_part_itself_is_the_most_certain() -> None:
    """'model' beside 'method'; of items and scores the one whose name says most."""
    names = ["method", "model", "id", "question", "value", "score"]
    roles = find_roles(read_table({name: ["a", "b"] for name in names}, "t"), {}, None)
    assert {role: columns for role, columns in roles.items() if role in ("model", "item", "score")} == {
        "model": ["model"],
        "item": ["question"],
        "score": ["score"],
    }


def test_a_segment_of_a_document_is_the_item(write: Write) -> None:
    """Not the document, as in scores of translations; numbers of datasets name these."""
    text = "doc_id,seg_id,system,chrf\n" + "".join(f"{n // 2},{n},{m},0.{n + 1}\n" for n in range(4) for m in "ab")
    assert read(write(text), metric="chrf").items.items == ("0", "1", "2", "3")
    assert read(write("dataset_id,a,b\n3,0.1,0.2\n4,0.2,0.3\n5,0.3,0.2\n")).datasets == ("3", "4", "5")


def test_models_may_be_numbered(write: Write) -> None:
    """Models 1 and 10 are names; beside a column of words that claims the part, numbers are none."""
    assert read(write("model,fold,score\n10,0,0.1\n1,0,0.2\n1,1,0.2\n")).models == ("10", "1")
    assert read(write("method,system,fold,score\na,1,0,0.1\nb,2,0,0.2\nb,2,1,0.2\n")).models == ("a", "b")


def test_the_metric_that_is_asked_for_is_no_part(write: Write) -> None:
    """A column called like it holds its scores."""
    text = "model,fold,value,result\na,0,0.1,0.5\na,1,0.2,0.6\n"
    assert read(write(text), metric="result", lower_is_better=False).matrix().score.tolist() == [[0.5, 0.6]]


def test_what_the_caller_says_of_columns(write: Write) -> None:
    """One column, one of two that claim one part, or several joined to one name."""
    path = write("net,head,step,accuracy\na,x,0,0.1\na,y,0,0.2\na,x,1,0.3\na,y,1,0.4\n")
    scores = read(path, columns={"model": "net,head", "fold": "step"})
    assert (scores.models, scores.matrix().score.tolist()) == (("a x", "a y"), [[0.1, 0.3], [0.2, 0.4]])
    two = write("method,classifier,fold,accuracy\na,x,0,0.1\na,y,0,0.2\n")  # of which each may be the model
    assert read(two, columns={"model": "classifier"}).models == ("x", "y")


def test_columns_of_tools_that_are_called_otherwise(write: Write) -> None:
    """PyTerrier's name beside queries is of a system, OpenML's task_id beside flows a dataset."""
    text = "name,qid,measure,value\n" + "".join(f"{m},{q},{k},0.5\n" for m in "ab" for q in "xy" for k in ("map", "ndcg"))
    terrier = read(write(text), metric="map", lower_is_better=False)
    assert (terrier.models, terrier.items.items) == (("a", "b"), ("x", "y"))
    text = "run_id,task_id,flow_name,function,value\n" + "".join(f"{t}{m},{t},{m},map,0.5\n" for m in "ab" for t in (3, 6))
    openml = read(write(text), metric="map", lower_is_better=False)
    assert (openml.models, openml.items, openml.datasets) == (("a", "b"), None, ("3", "6"))
