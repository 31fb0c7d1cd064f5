"""A compute line is a computation wherever a spec is."""

from __future__ import annotations

import service_nb


def test_a_line_is_the_same_call_as_its_spec() -> None:
    service = service_nb.create_service()
    service.connect(
        [{"flow": -1000.0, "year": 2024}, {"flow": 1100.0, "year": 2024}, {"flow": 5.0, "year": 2023}], name="b"
    )
    by_line = service.compute("finance.npv rate=0.1 cashflows=b.flow where year = 2024")
    by_spec = service.compute(
        {
            "module": "finance",
            "function": "npv",
            "kwargs": {"rate": 0.1},
            "bindings": [
                {
                    "parameter": "cashflows",
                    "source": "b",
                    "field": "flow",
                    "filter": {"conditions": [{"column": "year", "op": "eq", "value": 2024}]},
                }
            ],
        }
    )
    assert by_line["computation_hash"] == by_spec["computation_hash"]
    assert abs(by_line.value) < 1e-13  # 1100 / 1.1 is 1000, but for the double that 0.1 is
