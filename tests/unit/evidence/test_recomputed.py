"""All shared vectors, recomputed by a program of other libraries: see `tests/simulators/recomputed.py`."""

from __future__ import annotations

import copy
import json

import pytest

from tests.simulators.recomputed import differing, vectors

VECTORS = dict(vectors())


@pytest.mark.parametrize("name", sorted({name.partition(":")[0] for name in VECTORS}))
def test_a_program_of_other_libraries_comes_to_the_same_verdicts(name: str) -> None:
    met = {each: differing(case) for each, case in VECTORS.items() if each.startswith(f"{name}: ")}
    assert {each: found for each, found in met.items() if found} == {}


def test_it_covers_all_vectors_and_notices_a_verdict_that_is_another() -> None:
    assert len(VECTORS) > 1_100
    case = copy.deepcopy(next(case for name, case in VECTORS.items() if name.startswith("cards: ")))
    verdict = case["verdicts"][0]
    for at, check in enumerate(verdict["checks"]):
        if check[0] not in ("shown", "capability"):
            other = json.loads(json.dumps(case))
            other["verdicts"][0]["checks"][at] = [check[0], "failed", "another"]
            assert differing(other), check
