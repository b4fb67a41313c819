"""The store in memory."""

from __future__ import annotations

import pytest

from tests.contracts.lease_contract import LeaseContract
from tests.contracts.store_contract import StoreContract
from tiebreak.stores.memory import MemoryStore


class TestMemoryStore(StoreContract, LeaseContract):
    """As every store."""

    @pytest.fixture
    def store(self) -> MemoryStore:
        """A fresh one."""
        return MemoryStore()


def test_it_has_no_url() -> None:
    """It is nowhere."""
    assert MemoryStore().url == ""
