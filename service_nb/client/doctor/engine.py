"""The engine of questions: that its database is locked down, and that its sums are exact."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import service_nb
from service_nb.client.doctor.check import Check

# Ones among numbers sixteen orders larger, which cancel: any order of plain additions loses some of them.
HARD_TO_ADD = (1e16, 1.0, -1e16, 1.0, 0.1, 1e300, -0.3, -1e300, 5e-324, 3.0, 1e-9, -2.0)


def engine() -> Iterator[Check]:
    """Try what the database must refuse, and add what is hard to add."""
    # Lazy: `service-nb --help` and `version` shall not wait for the database to load.
    from service_nb.engines.lockdown import try_forbidden  # noqa: PLC0415

    for attempt, refused in try_forbidden().items():
        yield Check(name=f"engine: {attempt}", ok=refused, found="refused" if refused else "NOT REFUSED")
    for rows in (len(HARD_TO_ADD), 1_000 * len(HARD_TO_ADD)):  # in lists, and in the database
        yield _sum(HARD_TO_ADD * (rows // len(HARD_TO_ADD)))


def _sum(values: tuple[float, ...]) -> Check:
    service = service_nb.create_service(runtime="in_process", ledger="off", mode="local")
    service.connect({"records": [{"value": value} for value in values]}, name="numbers")
    outcome = service.ask("sum value from numbers")
    service.close()
    met, expected = outcome.rows[0]["value"], float(sum(map(Fraction, values)))
    found = f"{met!r} over {len(values):,} rows" + ("" if met == expected else f"; the exact sum is {expected!r}")
    return Check(name=f"exact sum: {outcome['data']['provenance']['engine']}", ok=met == expected, found=found)
