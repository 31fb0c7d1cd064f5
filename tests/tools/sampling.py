"""Cases of which a part is tried by `make test`, and all by `make test-all`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sample(cases: Iterable[Any], every: int) -> list[Any]:
    """Return the cases, all but each so-many-th left to the long tail."""
    return [case if at % every == 0 else _leave(case) for at, case in enumerate(cases)]


def _leave(case: Any) -> Any:
    values = case if type(case) is tuple else (case,)
    return pytest.param(*values, marks=pytest.mark.slow)
