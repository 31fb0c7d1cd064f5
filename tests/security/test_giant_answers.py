"""Sources whose answers are few rows and much text: a question ends before the deployment's memory does."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from service_nb.connectors import sql_link
from service_nb.errors import LimitExceededError


def test_rows_are_weighed_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql_link, "MOST_CHARS", 10_000)
    fetched = itertools.count()

    def endless(count: int) -> list[tuple[Any, ...]]:
        next(fetched)
        return [("x" * 100, 1)] * count

    with pytest.raises(LimitExceededError):
        sql_link.gather_rows(endless, 1_000_000, tuple, at_once=10)
    assert next(fetched) < 12


@pytest.mark.parametrize("most", [0, 1, 9, 10, 11, 25])
def test_no_more_rows_are_fetched_than_one_beyond_what_may_be(most: int) -> None:
    rows = iter([(number,) for number in range(1_000)])
    found = sql_link.gather_rows(lambda count: list(itertools.islice(rows, count)), most, tuple, at_once=10)
    assert found == [(number,) for number in range(most + 1)]
    assert next(rows) == (most + 1,)
