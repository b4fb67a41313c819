"""Addresses of databases, and what is shown of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiebreak.errors import InvalidParameterError
from tiebreak.stores.sql.urls import is_postgres, masked, option_names, postgres_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://me@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("postgres://me:se%40cret@[::1]:5433,other:5434/db", "postgres://me:***@[::1]:5433,other:5434/db"),
        ("postgresql://me:@host/db", "postgresql://me:***@host/db"),
        ("postgresql://:secret@/db", "postgresql://:***@/db"),
        ("postgresql:///db?host=/run/x&password=secret&user=me", "postgresql:///db?host=/run/x&password=***&user=me"),
        ("postgresql://host/db?sslpassword=secret", "postgresql://host/db?sslpassword=***"),
        ("postgresql://me:se@cret@host/db", "postgresql://***"),
        ("postgresql://me:se/cret@host/db", "postgresql://***"),
        ("postgresql://me:secret", "postgresql://***"),
        ("postgresql://me:secret@host/db#run", "postgresql://***"),
        ("postgresql://me:1?secret=1@host/db", "postgresql://***"),
        ("mysql://me:secret@host/db", "mysql://me:***@host/db"),
        ("sqlite:////folder/a:b@c.db", "sqlite:////folder/a:b@c.db"),
        ("results.db", "results.db"),
    ],
)
def test_what_is_shown(url: str, shown: str) -> None:
    """Everything but passwords; of an address that cannot be read, nothing that may be one."""
    assert masked(url) == shown
    assert masked(shown) == shown


@given(st.text("@:/?#%&=[], aA1\\\n\u00e9"), st.text("@:/?#%&=[], aA1\\\n\u00e9"))
def test_no_password_is_shown(before: str, after: str) -> None:
    """Wherever a careless user puts it, whatever stands around it."""
    for url in (f"postgresql://me:{before}S3CRET{after}@host/db", f"postgresql://host/db?password={before}S3CRET{after}"):
        if "&" not in before or "@" in url:  # behind an & it is another option
            assert "S3CRET" not in masked(url)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("postgresql://host/db", True),
        ("postgres://host/db", True),
        ("PostgreSQL+psycopg://host/db", True),
        ("postgresql+asyncpg://host/db", False),
        ("postgresql", False),
        ("sqlite:///a.db", False),
        (7, False),
    ],
)
def test_which_addresses_are_of_postgres(source: object, expected: bool) -> None:
    """By their scheme; other drivers are not ours."""
    assert is_postgres(source) is expected


def test_the_address_that_the_library_is_given() -> None:
    """With the scheme that it knows, and nothing else changed."""
    assert postgres_url("postgresql+psycopg://me:x@h/d?a=b") == "postgresql://me:x@h/d?a=b"
    assert postgres_url("postgres://h") == "postgresql://h"
    assert option_names("postgresql://h/d?a=b&c=d") == ["a", "c"]
    assert option_names("postgresql://h/d") == []


def test_an_address_that_cannot_be_read() -> None:
    """The text says how it is written and shows nothing of it."""
    with pytest.raises(InvalidParameterError) as error:
        postgres_url("postgresql://me:se@cret@host/db")
    assert str(error.value) == (
        "'postgresql://***' cannot be read as the address of a database. It is written "
        "postgresql://user:password@host:port/database?option=value; in user and password, characters such as @ : / ? # and % "
        "are written in percent code (@ as %40). The name of a run goes behind a # only where a run is asked for."
    )
