"""Names of models: what all share is stated once, an owner goes first, then the end; no two alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.views.names import cut, left_out, model_names, short_names, spoken

MISTRAL, LLAMA = "mistralai/Mistral-Small-24B-Instruct-2501", "meta-llama/Llama-3.1-70B-Instruct"
SVC = [f"SVC(C={c}, gamma='scale', kernel='rbf', max_iter=5000)" for c in (0.1, 1)]
WORDS = [f"resnet50-imagenet-pretrained-frozen-encoder-seed{k}-final" for k in (1, 2)]


@pytest.mark.parametrize(
    ("names", "shown", "stated"),
    [
        (["svm", "a forest"], ["svm", "a forest"], ""),
        ([MISTRAL, LLAMA], ["Mistral-Small-24B-Instruct-2501", "Llama-3.1-70B-Instruct"], ""),  # "24B" once became "4B"
        (SVC, ["C=0.1", "C=1"], "SVC(gamma='scale', kernel='rbf', max_iter=5000)"),
        (
            [*SVC, "Forest(max_iter=5000, n_trees=900)"],
            ["SVC(C=0.1, gamma='scale', kernel…", "SVC(C=1, gamma='scale', kernel='…", "Forest(n_trees=900)"],
            "max_iter=5000",
        ),
        (
            [f"svc, C={c}, gamma=scale, kernel=rbf, tol=0.001" for c in (1, 2)],
            ["svc, C=1", "svc, C=2"],
            "gamma=scale, kernel=rbf, tol=0.001",
        ),
        (WORDS, ["seed1", "seed2"], "resnet50-imagenet-pretrained-frozen-encoder, final"),
        (
            ["meta-llama/Llama-3.1-8B-Instruct-Turbo-FP8", "meta-llama/Llama-3.1-70B-Instruct-Turbo-FP8"],
            ["Llama-3.1-8B-Instruct-Turbo-FP8", "Llama-3.1-70B-Instruct-Turbo-FP8"],
            "meta-llama",
        ),
        (["<b>html</b>", "x" * 50], ["<b>html</b>", "x" * 33 + "…"], ""),  # which has no owner
        (["x" * 50 + "1", "y" * 50], ["x" * 33 + "…", "y" * 33 + "…"], ""),
        (["x" * 50 + "1", "x" * 50 + "2"], ["x" * 30 + "… #1", "x" * 30 + "… #2"], ""),
    ],
)
def test_the_two_rules(names: list[str], shown: list[str], stated: str) -> None:
    """What all share is stated once; an owner goes, then the end, of whole words; what looks alike bears its number."""
    assert model_names(names) == shown
    assert left_out(names) == (f"Names leave out what all share: {stated}" if stated else "")


def test_names_that_were_cut_are_cut_again() -> None:
    """A table has less room than a sentence; one ellipsis is enough."""
    assert short_names(model_names(["x" * 50 + "1", "x" * 50 + "2"]), 16) == ["…#1", "…#2"]


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [
        ("Mistral-Small-24B-Instruct", 17, "Mistral-Small…"),
        ("Mistral-Small-24B-Instruct", 18, "Mistral-Small-24B…"),
        ("C=9.53674e-07, gamma=scale", 15, "C=9.53674e-07…"),
        ("C=9.53674e-07, gamma=scale", 12, "C=9.53674e-…"),  # no whole number fits
        ("svm", 3, "svm"),
    ],
)
def test_no_number_and_no_word_is_cut(name: str, width: int, shown: str) -> None:
    """But where one alone is too long."""
    assert cut(name, width) == shown


@given(st.lists(st.text(st.sampled_from("ab1 _/-$…(,="), max_size=70), unique=True, max_size=12))
def test_names_stay_different_and_short(names: list[str]) -> None:
    """Whatever the names; few letters make collisions likely."""
    for labels in (short_names(names, 24), model_names(names, 24)):
        assert len(set(labels)) == len(names)
        assert max(map(len, labels), default=0) <= 24


def test_three_thousand_long_names_take_no_time() -> None:
    """Twenty thousand words that two names have, and three thousand names that look alike."""
    assert model_names([f"{letter}{'-x' * 20_000}{letter}" for letter in "ab"], 34) == [
        "a-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x…",
        "b-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x…",
    ]
    assert len(set(short_names([f"{'model ' * 20}{k}" for k in range(3000)], 20))) == 3000


def test_a_name_is_quoted_where_it_would_read_as_several() -> None:
    """A comma, an "and", a full stop at its end."""
    assert [spoken(name) for name in ("svm", "poly, degree=3", "salt and pepper", "v1.", "Llama-3.1")] == [
        "svm",
        "'poly, degree=3'",
        "'salt and pepper'",
        "'v1.'",
        "Llama-3.1",
    ]
