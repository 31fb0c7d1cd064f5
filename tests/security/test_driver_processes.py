"""What a driver's process answers, should a hostile server have taken it over: plain values, or nothing."""

from __future__ import annotations

import datetime
import os
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from service_nb.connectors.isolated import MOST_MEMORY, Isolated
from service_nb.errors import ConnectorError, LimitExceededError

PLAIN = [None, True, 1, 2.5, "é", b"\0", Decimal("1.50"), datetime.date(2024, 2, 29), {"a": (1, [2])}]


class Order:
    """Once read as a pickle, it makes a folder in the process that reads."""

    def __init__(self, call: Any, *arguments: Any) -> None:
        self._order = (call, arguments)

    def __reduce__(self) -> Any:
        return self._order


class TakenOver:
    """A driver that does what somebody else wants."""

    opened = "ready"

    def plain(self) -> Any:
        """Answer with values of every kind."""
        return [*PLAIN, datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC), datetime.timedelta(1)]

    def swell(self) -> int:
        """Hold an answer that is larger than the process may be."""
        return len(bytearray(MOST_MEMORY))

    def order(self, folder: str, how: str) -> Any:
        """Answer with what is an order to whoever reads it."""
        orders: dict[str, Any] = {
            "mkdir": Order(os.mkdir, folder),
            "system": Order(os.system, f"mkdir '{folder}'"),
            "eval": Order(eval, f"__import__('os').mkdir({folder!r})"),
            "import": Order(__import__, "antigravity"),
            "within": {"a": [Order(os.mkdir, folder)]},
        }
        return orders[how]


def soon() -> float:
    return time.monotonic() + 60


@pytest.mark.parametrize("how", ["mkdir", "system", "eval", "import", "within"])
def test_nothing_that_a_drivers_process_answers_is_run(how: str, tmp_path: Path) -> None:
    with Isolated("tests.security.test_driver_processes:TakenOver") as process:
        process.open(deadline=soon())
        with pytest.raises(ConnectorError) as caught:
            process.call("order", str(tmp_path / "made"), how, deadline=soon())
    assert caught.value.reason == "lost"
    assert not (tmp_path / "made").exists()


def test_plain_values_come_as_they_are() -> None:
    with Isolated("tests.security.test_driver_processes:TakenOver") as process:
        process.open(deadline=soon())
        assert process.call("plain", deadline=soon()) == TakenOver().plain()


def test_a_driver_that_holds_too_much_ends_by_itself_and_its_process_goes_on() -> None:
    with Isolated("tests.security.test_driver_processes:TakenOver") as process:
        process.open(deadline=soon())
        with pytest.raises(LimitExceededError) as caught:
            process.call("swell", deadline=soon())
        assert caught.value.details["limit"] == MOST_MEMORY
        assert process.call("plain", deadline=soon()) == TakenOver().plain()
