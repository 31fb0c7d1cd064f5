"""What a deployment has, remembered: nobody waits longer than allowed, and no more is asked than is needed."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from service_nb.core.stopping import find_current_stop
from service_nb.deployment.waiting import AnswerCache
from service_nb.errors import ConnectorError, ForbiddenError, QueryInterruptedError, ServiceError

PATIENCE_S = 120.0


class Asked:
    """A deployment that answers when it is let, with what it is told to."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.times = 0
        self.value = ["orders"]
        self.error: ServiceError | None = None

    def __call__(self) -> list[str]:
        self.times += 1
        while not self.may_answer.wait(0.01):
            stop = find_current_stop()
            if stop is not None and stop.is_requested:
                raise QueryInterruptedError("stopped")
        if self.error is not None:
            raise self.error
        return self.value


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def known(asked: Asked) -> Iterator[AnswerCache[list[str]]]:
    made = AnswerCache(asked)
    yield made
    made.close()


def test_what_is_late_is_there_for_the_next_one(asked: Asked, known: AnswerCache[list[str]]) -> None:
    for wait_s in (0.0, 0.05, 0.05):
        assert known.wait(wait_s) == (None, None)  # it returns although nothing is answered yet
    asked.may_answer.set()
    assert known.wait(PATIENCE_S) == (["orders"], None)
    assert asked.times == 1


def test_what_went_wrong_is_not_asked_again_at_once(asked: Asked, known: AnswerCache[list[str]]) -> None:
    asked.may_answer.set()
    assert known.wait(PATIENCE_S)[0] == ["orders"]
    known._until = 0.0  # a while later
    away = asked.error = ConnectorError("It is away.", reason="unreachable")
    assert away.retryable
    assert known.wait(PATIENCE_S) == (["orders"], away)  # as it was, for all that is known
    with pytest.raises(ConnectorError):
        known.fetch()  # whoever has to know asks all the same
    known._until = 0.0
    denied = asked.error = ForbiddenError("Not for this key.")
    assert known.wait(PATIENCE_S) == (None, denied)


def test_what_was_asked_before_a_change_is_not_believed_after_it(asked: Asked, known: AnswerCache[list[str]]) -> None:
    assert known.wait(0.0) == (None, None)
    known.forget()
    asked.value = ["orders", "more"]
    asked.may_answer.set()
    assert known.wait(PATIENCE_S) == (["orders", "more"], None)
    known.forget()
    asked.value = ["more"]
    assert known.fetch() == ["more"]


def test_an_end_waits_for_nobody_who_says_nothing(asked: Asked, known: AnswerCache[list[str]]) -> None:
    assert known.wait(0.0) == (None, None)
    known.forget()
    assert known.wait(0.0) == (None, None)  # asked anew, while the first question goes on for nobody
    known.close()
    for thread in [each for each in threading.enumerate() if each.name == "service-nb-listing"]:
        thread.join(PATIENCE_S)  # it has been told; a busy machine may not have let it hear yet
        assert not thread.is_alive()
    asked.may_answer.set()
    assert known.wait(PATIENCE_S) == (["orders"], None)
