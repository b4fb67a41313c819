"""The registry: built-in procedures by name and question, and those that another package brings by an entry point."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest

import tiebreak as tb
from tests.comparison.tables import noisy, scores_of
from tiebreak.comparison.methods import METHODS, known_methods
from tiebreak.comparison.procedures import methods, procedures_named
from tiebreak.comparison.procedures.corrected_t import CORRECTED_T
from tiebreak.comparison.procedures.procedure import Judged, Procedure, method_for

PLUGIN = """
import dataclasses
from tiebreak.comparison.procedures.corrected_t import PAIRED_T

PLAIN = dataclasses.replace(PAIRED_T, name="plain-t", reason="brought by another package")
"""


def test_procedures_are_registered_under_their_names() -> None:
    """The registry names the object of each, and each stands for the question that it says."""
    assert {name: each.name for name, each in methods().items()} == {name: name for name in METHODS}
    assert [each.question for each in procedures_named("paired-t")] == ["splits", "seeds", "datasets"]


def test_a_procedure_is_facts_and_five_functions() -> None:
    """Twelve members, which nothing rebinds; ten of what it returns."""
    functions = {"judge", "values", "refuse", "remarks", "beside"}
    members = {each.name for each in dataclasses.fields(Procedure)}
    assert functions < members
    assert len(members) == 12
    assert len(dataclasses.fields(Judged)) == 10
    with pytest.raises(dataclasses.FrozenInstanceError):
        CORRECTED_T.name = "mine"  # type: ignore[misc]


def test_words_take_the_noun_of_the_data() -> None:
    """Questions are counted where the table has questions; a fact may be a function of the scores."""
    items = tb.read_items({"question": ["a", "b", "c"], "one": [0, 1, 1], "two": [1, 1, 0]}, metric="accuracy")
    method = method_for(procedures_named("tango")[0], items.as_scores(), asked=True)
    assert method.unit == "question"
    assert "all models were scored on the same questions" in method.assumptions
    assert method.reason.startswith("asked for by name: scores of 0 and 1 on the same questions")


def test_another_package_brings_a_procedure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an entry point: a folder with a module and its metadata is all that installing it leaves."""
    (tmp_path / "plain_t.py").write_text(PLUGIN)
    metadata = tmp_path / "plain_t-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plain-t\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[tiebreak.procedures]\nplain-t = plain_t:PLAIN\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    scores = scores_of(noisy(0.80, 0.79))
    answer, usual = tb.compare(scores, method="plain-t"), tb.compare(scores, method="paired-t")
    assert answer.method.reason == "asked for by name: brought by another package"
    np.testing.assert_array_equal(answer.pairs["pvalue"], usual.pairs["pvalue"])
    assert "plain-t" in str(answer)
    assert list(known_methods())[-1] == "plain-t"
    assert "plain-t" in repr(methods())


def test_the_list_has_a_line_for_each() -> None:
    """With the question that it answers."""
    assert "wilcoxon            by dataset: a further dataset of this kind" in repr(methods())


def test_some_pairs_have_their_rows_of_the_columns_alone() -> None:
    """A number of splits, or of draws, that happens to be that of the pairs is no column of them."""
    found = CORRECTED_T.judge(scores_of(noisy(0.80, 0.79, 0.75)), np.array([0, 0, 1]), np.array([1, 2, 2]), 0.0, 0.05, 0)
    found = dataclasses.replace(
        found, least_pvalue=np.array(0.25), statistic=np.array([1.0, 2.0, 3.0]), beside={"drawn": np.arange(3)}
    )
    some = found.take(np.array([2]))
    np.testing.assert_array_equal(some.law.estimate, np.asarray(found.law.estimate)[2:])
    assert some.statistic.tolist() == [3.0]
    assert some.least_pvalue == 0.25
    assert not some.beside


def test_a_known_method_looks_for_no_other_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking through what is installed takes long, and only an unknown name asks for it."""
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **group: pytest.fail("looked through what is installed"))
    for method in ("auto", "paired-t"):
        assert tb.compare(scores_of(noisy(0.80, 0.79)), method=method).models == ("a", "b")
