"""The memory of answers is bounded, and many threads may use it at once."""

from __future__ import annotations

import sys
import threading

from service_nb.client.context import Cache

SIZE, EACH, THREADS = 4, 5_000, 8


def test_threads_that_remember_at_once_leave_the_latest_values_and_no_error() -> None:
    memory: Cache[int] = Cache(SIZE)
    errors: list[BaseException] = []

    def remember(first: int) -> None:
        try:
            for number in range(first, first + EACH):
                memory.put(number, number)
                assert memory.get(number) in (number, None)
        except BaseException as error:  # noqa: BLE001  # told to the test's own thread
            errors.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=remember, args=(index * EACH,)) for index in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert errors == []
    assert sum(memory.get(number) is not None for number in range(THREADS * EACH)) == SIZE


def test_the_oldest_value_is_forgotten_first_and_nothing_is_kept_without_a_key() -> None:
    memory: Cache[str] = Cache(2)
    for key in ("a", "b", None, "c"):
        memory.put(key, f"value of {key}")
    assert [memory.get(key) for key in ("a", "b", "c", None)] == [None, "value of b", "value of c", None]
