"""How values are written."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.contracts.plans import bits
from tiebreak.errors import InvalidParameterError
from tiebreak.stores.sql.encoding import (
    from_json,
    from_npy,
    pack_scores,
    to_json,
    to_npy,
    unpack_scores,
    unpack_table,
)

texts = st.text(alphabet=st.characters(exclude_categories=()) | st.sampled_from("\ud83d\ude00\0\\u"))
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
)


@given(value=plain)
def test_json_comes_back(value: object) -> None:
    """Every text, pairs of surrogates included, which JSON alone would make one character of; and it is ASCII."""
    text = to_json(value)
    assert text.isascii()
    assert from_json(text) == value
    assert repr(from_json(text)) == repr(value)


def test_ordinary_texts_are_ordinary_json() -> None:
    """Any reader of JSON reads them."""
    for text in ("abc", "ü", "\U0001f600", "\ud800", "a\\ud83d"):
        assert json.loads(to_json(text)) == text


@given(
    array=hnp.arrays(
        dtype=st.sampled_from(["<f8", ">f8", "<f4", "<i8", "|u1", "?", "<c16"]),
        shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    )
)
def test_arrays_are_npy_files(array: np.ndarray) -> None:
    """numpy reads what is written, and what numpy writes is the same; nothing is pickled."""
    content = to_npy(array)
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    assert content == buffer.getvalue()
    for back in (from_npy(content), np.load(io.BytesIO(content), allow_pickle=False)):
        assert back.dtype == array.dtype
        assert back.shape == array.shape
        assert back.tobytes() == array.tobytes()


def test_the_order_in_memory_does_not_matter() -> None:
    """Columns first, or every second row: the same content."""
    array = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(from_npy(to_npy(np.asfortranarray(array))), array)
    np.testing.assert_array_equal(from_npy(to_npy(array[::2, ::2])), array[::2, ::2])


@pytest.mark.parametrize(
    "value", [["a"], [b"a"], [None], np.array(["2020-01-01"], dtype="datetime64[D]"), np.zeros(1, dtype=[("a", int)])]
)
def test_arrays_of_anything_but_numbers_are_refused(value: object) -> None:
    """They would have to be pickled, or mean something that a store does not know."""
    with pytest.raises(InvalidParameterError, match=r"^it is an array of .*, and a store keeps numbers and bools only"):
        to_npy(value, "it")


scores = st.dictionaries(st.sampled_from("abc"), st.floats(width=64))


@given(rows=st.lists(st.tuples(scores, st.integers(3, 5))))
def test_scores_come_back_bit_for_bit(rows: list[tuple[dict[str, float], int]]) -> None:
    """One by one and as a table, the run having had more metrics at some times than at others."""
    names = "abcde"
    packed = [pack_scores(each, {name: i for i, name in enumerate(names[:n])}) for each, n in rows]
    for (each, _), content in zip(rows, packed, strict=True):
        back = unpack_scores(content, names)
        assert {name: bits(score) for name, score in back.items()} == {name: bits(score) for name, score in each.items()}
    table, measured = unpack_table(packed, 4)
    for i, (each, _) in enumerate(rows):
        assert {names[j] for j in np.flatnonzero(measured[i])} == set(each)
        assert [bits(table[i, "abc".index(name)]) for name in each] == [bits(score) for score in each.values()]
        assert np.isnan(table[i, ~measured[i]]).all()


def test_no_more_values_than_a_store_has() -> None:
    """A text of seven megabytes would take a hundred and seventy; prose of that length is read."""
    with pytest.raises(ValueError, match="more values than there can be"):
        from_json("{" + ", ".join(f'"{i}": []' for i in range(500_000)) + "}")
    prose = "a word, and another: " * 300_000
    assert from_json(to_json(prose)) == prose
