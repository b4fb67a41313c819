"""Names of models stay short, different and true."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiebreak as tb
from tests.views.plots.samples import GRID
from tiebreak.views.names import left_out, model_names, short_names

WIDTH = 34


def test_of_a_long_class_the_arguments_stay() -> None:
    """Candidates of two classes, of which only one is long: its rows keep the class and the depth, and are not "…depth=2)"."""
    names = [f"{kind}(max_depth={k})" for k in (2, 12) for kind in ("HistGradientBoostingClassifier", "RandomForest")]
    labels = short_names(names, 34)
    assert labels[1::2] == names[1::2]
    for label, name in zip(labels[::2], names[::2], strict=True):
        assert len(label) == 34
        assert label.startswith("HistGrad")
        assert label.endswith(name.partition("(")[2])


def test_the_ending_that_all_classes_share_is_left_out_and_stated() -> None:
    """Classifier says nothing among classifiers; it stays where one of the page is something else, or nothing but it."""
    kinds = ("HistGradientBoostingClassifier", "RandomForestClassifier")
    names = [f"{kind}(max_depth={k}, n_jobs=1)" for k in (2, 3) for kind in kinds]
    assert model_names(names, 40)[:2] == ["HistGradientBoosting(max_depth=2)", "RandomForest(max_depth=2)"]
    assert left_out(names) == "names leave out what models share: n_jobs=1; the ending Classifier"
    for other in ("SVC(gamma='scale', n_jobs=1)", "Classifier(depth=1, n_jobs=1)", "a forest of some kind"):
        assert "the ending" not in left_out([*names, other])
        assert any("ForestClassifier" in name for name in model_names([*names, other], 60))


def test_a_class_is_shortened_between_its_words() -> None:
    """Whole words where that leaves enough of them, else as many letters as there is room for."""
    names = [f"HistGradientBoostingClassifier(max_depth={k})" for k in (2, 3)]
    assert short_names([*names, "forest"], 36)[0] == "HistGradient…Classifier(max_depth=2)"
    assert short_names([*names, "forest"], 34)[0] == "HistGradie…Classifier(max_depth=2)"


def test_a_short_name_stays_as_it_is() -> None:
    """Nothing is changed without need."""
    assert short_names(["rbf", "poly, degree=2"], WIDTH) == ["rbf", "poly, degree=2"]


def test_a_long_name_loses_its_middle() -> None:
    """Names often differ at their ends."""
    (label,) = short_names(["a" * 30 + "b" * 30], WIDTH)
    assert label == "a" * 17 + "…" + "b" * 16


def test_names_of_a_grid_keep_what_varies() -> None:
    """By ends alone these would all look the same; what they share is left out instead."""
    labels = short_names(GRID[:5], WIDTH)
    assert [label.removesuffix("…")[-5:] for label in labels] == ["=1e-1", "=1e+0", "=1e+1", "=1e+2", "=1e+3"]


def test_names_that_cannot_be_told_apart_are_numbered() -> None:
    """Here the difference lies in the middle, before and after which other differences are."""
    names = [f"{i}{'a' * 25}{j}{'b' * 25}{k}" for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    labels = short_names(names, WIDTH)
    assert len(set(labels)) == 8
    assert all(label.endswith(f" ({number})") for number, label in enumerate(labels, 1))


def test_a_numbered_name_has_one_ellipsis() -> None:
    """It is cut once, with room for its number."""
    names = [f"{i}{'a' * 25}{j}{'b' * 25}{k}" for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    assert {label.count("…") for label in short_names(names, WIDTH)} == {1}


def test_a_name_that_has_an_ellipsis_is_shortened_there() -> None:
    """What is left out in two steps leaves one mark, and joins no words."""
    names = ["share that llama-3.0-8b…00 has right", "share that llama-3.1-70b…01 has right"]
    assert [label.count("…") for label in short_names(names, 26)] == [1, 1]
    assert short_names(names[:1], 26) == ["share that ll…00 has right"]
    assert short_names(["llama-3.0-8b…00"], 12) == ["llama-3.0…00"]


def test_a_name_that_looks_numbered_is_not_taken_for_another() -> None:
    """The second name is what the first would become by numbering; all are numbered then."""
    long = ["x" * 30 + middle + "y" * 30 for middle in ("1", "2")]
    labels = short_names([*long, short_names(long, WIDTH)[0]], WIDTH)
    assert len(set(labels)) == 3


@given(st.lists(st.text(st.sampled_from("ab _/$…("), max_size=70), unique=True, max_size=12))
def test_names_stay_different_and_short(names: list[str]) -> None:
    """Whatever the names; few letters make collisions likely."""
    labels = short_names(names, WIDTH)
    assert len(set(labels)) == len(names)
    assert max(map(len, labels), default=0) <= WIDTH


# --- what models share ------------------------------------------------------------------------------------------------------

SVC = [f"SVC(C={c}, gamma={g}, kernel='rbf', max_iter=5000)" for c in (0.1, 1, 10) for g in ("'scale'", 0.01)]
FOREST = "RandomForestClassifier(max_iter=5000, n=9)"


def test_what_all_models_share_is_left_out_and_said_once() -> None:
    """Class, kernel and limit of iterations are the same in all six."""
    assert model_names(SVC, 34) == [f"C={c}, gamma={g}" for c in (0.1, 1, 10) for g in ("scale", 0.01)]
    assert left_out(SVC) == "names leave out what models share: SVC(kernel='rbf', max_iter=5000)"


def test_what_a_class_shares_is_left_out_of_its_names() -> None:
    """The forest has no kernel; the limit of iterations is everybody's."""
    names = model_names([*SVC, FOREST], 34)
    assert names[0] == "SVC(C=0.1, gamma=scale)"
    assert names[-1] == "RandomForestClassifier(n=9)"
    assert left_out([*SVC, FOREST]) == "names leave out what models share: max_iter=5000 (all); kernel='rbf' (every SVC)"


def test_candidates_of_a_grid_lose_what_never_varies() -> None:
    """Pieces between commas, with and without a value."""
    assert model_names(GRID[:2], 34) == ["C=1e-1", "C=1e+0"]
    assert left_out(GRID[:2]) == "names leave out what models share: scale+svc, kernel=rbf, gamma=1e-3, class_weight=none"


@pytest.mark.parametrize(
    "names",
    [
        ["rbf, C=1", "poly, C=1"],
        ["a" * 40, "b" * 40],
        ["SVC(kernel='rbf', random_state=0, max_iter=5000)"],
        [f"mix({n}, b=20000000000000000000000000000000000000)" for n in "abc"],
        [f"broken(a=1, b={n}, c=30000000000000000000000000000" for n in "xyz"],
    ],
    ids=["short", "words", "alone", "arguments without names", "brackets that do not match"],
)
def test_names_without_shared_parameters_stay(names: list[str]) -> None:
    """Then there is nothing to say."""
    assert model_names(names, 80) == names
    assert left_out(names) == ""


@pytest.mark.parametrize(
    ("names", "labels", "stated"),
    [
        (
            [f"vendor/llama-3.{k}-{size}-instruct-long-context-2026-{k:02}" for k, size in enumerate(("8b", "70b"))],
            ["llama-3.0-8b…00", "llama-3.1-70b…01"],
            "vendor/, instruct-long-context-2026",
        ),
        (
            [f"meta-llama/Llama-3.1-{size}-Instruct-Turbo-FP8-Dynamic" for size in ("8B", "70B")],
            ["Llama-3.1-8B", "Llama-3.1-70B"],
            "meta-llama/, Instruct-Turbo-FP8-Dynamic",
        ),
        (
            [f"anthropic/claude-opus-4-1-20250805{rest}" for rest in ("-thinking-16k", "-thinking-32k", "")],
            ["20250805-thinking-16k", "20250805-thinking-32k", "20250805"],
            "anthropic/claude-opus-4-1",
        ),
        (
            [f"results_model_{number}_with_a_long_name_of_2026" for number in ("one", "two")],
            ["results_model_one", "results_model_two"],
            "with_a_long_name_of_2026",
        ),
    ],
    ids=["middle", "owner and end", "beginning", "underscores"],
)
def test_of_names_from_a_hub_the_words_that_differ_stay(names: list[str], labels: list[str], stated: str) -> None:
    """First the owner goes, then the end, the middle and the beginning, as few as it takes to have 34 characters."""
    assert model_names(names, 34) == labels
    assert left_out(names) == f"names leave out what models share: {stated}"


def test_names_of_a_hub_without_anything_shared_stay() -> None:
    """One of them has nothing in common with the others."""
    names = ["meta-llama/Llama-3.1-8B-Instruct-Turbo-FP8-Dynamic", "meta-llama/Llama-3.1-70B-Instruct-Turbo", "gpt-4o"]
    assert model_names(names, 60) == names
    assert left_out(names) == ""


def test_a_name_of_very_many_words_takes_no_longer_than_others() -> None:
    """Twenty thousand words that all names have; by pairs of places they took minutes."""
    names = [f"{letter}{'-x' * 20_000}{letter}" for letter in "ab"]
    assert model_names(names, 34) == ["a…xa", "b…xb"]


_words = st.sampled_from(["meta/", "llama-", "3.1-", "8b_", "70b-", "instruct-", "x"])
_ids = st.lists(_words, min_size=1, max_size=12).map("".join)


@given(st.lists(_ids, unique=True, min_size=1, max_size=8))
def test_names_of_a_hub_stay_different_with_one_ellipsis(names: list[str]) -> None:
    """Whatever words they have; none is empty, and a name of more than 34 characters has one "…" at most."""
    labels = model_names(names, 34)
    assert len(set(labels)) == len(names)
    assert all(label and label.count("…") <= 1 for label in labels)


def test_a_model_with_nothing_of_its_own_keeps_its_class() -> None:
    """An empty name would say nothing."""
    names = ["SVC(kernel='linear', random_state=0)", "SVC(C=10, kernel='linear', random_state=0)"]
    assert model_names(names, 34) == ["SVC", "SVC(C=10)"]
    assert left_out(names) == "names leave out what models share: kernel='linear', random_state=0"


def test_nested_arguments_stay_together() -> None:
    """A comma in a bracket separates nothing."""
    names = [f"Pipeline(steps=[('scale', Scaler()), ('svc', SVC(C={c}, max_iter=5))], verbose=False)" for c in (1, 2)]
    assert model_names(names, 60) == [f"steps=[('scale', Scaler()), ('svc', SVC(C={c}, max_iter=5))]" for c in (1, 2)]
    assert left_out(names) == "names leave out what models share: Pipeline(verbose=False)"


def test_what_is_left_out_stands_on_the_page_and_names_agree_in_all_its_parts() -> None:
    """Sentences, ranking and pairs call a model the same, and frames have the name in full."""
    scores = np.random.default_rng(0).normal(0.8, 0.02, (3, 20)) + np.array([0.1, 0, 0])[:, None]
    answer = tb.compare(dict(zip(SVC[:3], scores, strict=True)), metric="accuracy", n_train=90, n_test=10, rope=0.01)
    text = " ".join(answer.to_text().split("Warnings")[0].split())
    assert "names leave out what models share: SVC(kernel='rbf', max_iter=5000)" in text
    assert "SVC(C" not in text
    assert text.count("C=0.1, gamma=scale") >= 4
    assert set(answer.ranking["model"]) == set(SVC[:3])


_pieces = st.lists(st.sampled_from(["C=1", "C=2", "k='rbf'", "k='poly'", "n=[1, 2]", "word", "seed=0", ""]), max_size=4)
_names = st.builds(
    lambda head, pieces: f"{head}({', '.join(pieces)})" if head else ", ".join(pieces),
    st.sampled_from(["SVC", "LogisticRegression", "GradientBoostingRegressor", ""]),
    _pieces,
)


@given(st.lists(_names.filter(bool), unique=True, min_size=1, max_size=10))
def test_names_without_what_is_shared_stay_different(names: list[str]) -> None:
    """None is empty, and none says what its model is not."""
    labels = model_names(names, 200)
    assert len(set(labels)) == len(names)
    for name, label in zip(names, labels, strict=True):
        assert label
        assert set(re.findall(r"[\w.]+", label)) <= set(re.findall(r"[\w.]+", name))
