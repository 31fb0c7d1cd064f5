"""A home with the runtime installed, for the tests in which one really lives, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service_nb.runtimes.managed import Managed
from tests.simulators.resident import managed, own_home


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with own_home() as folder:
        yield folder


@pytest.fixture
def runtime(home: Path) -> Iterator[Managed]:
    made = managed()
    yield made
    made.close()
