"""What tests of hosts share: a machine of their own, where this one lets us make it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from host.machine import Machine

from clearway.testbed import privilege


@pytest.fixture
def privileged() -> None:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    if shutil.which("ethtool") is None:
        pytest.skip("ethtool is not installed")


@pytest.fixture
def machine(privileged: None) -> Iterator[Machine]:
    with Machine() as made:
        yield made
