"""The shipped notebooks, each executed once for all tests of a run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.notebooks.shipped import Shipped, executed

Run = Callable[..., Shipped]


@pytest.fixture(scope="session")
def run(testrun_uid: str) -> Run:
    """Execute a shipped notebook, and save it; or return what another test has executed."""
    return lambda name, **parameters: executed(name, testrun_uid, **parameters)
