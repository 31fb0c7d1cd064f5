"""What is evaluated: cases of the contract, and larger inputs of what is not certified."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from service_nb_kernels.contract import capabilities
from service_nb_kernels.declare import Capability

from tests.matrix.inputs import MADE, larger

SAMPLED = 300  # certified capabilities of the sample


@dataclass(frozen=True)
class Job:
    """One evaluation: a case by its number, or a larger input by its."""

    capability: str
    tier: str
    input: str  # case, larger
    number: int
    seed: int | None

    @property
    def key(self) -> str:
        """A name for people: `linalg.solve_large larger 1`."""
        return f"{self.capability} {self.input} {self.number + 1}"

    def to_dict(self, layout: str) -> dict[str, Any]:
        """Return what the evaluating process is told."""
        return {**asdict(self), "key": self.key, "layout": layout}


def every() -> list[Job]:
    """Return all cases of all capabilities, and all larger inputs."""
    return [job for declared in capabilities().values() for job in _jobs(declared)]


def sample() -> list[Job]:
    """Return the larger inputs of what is pinned or seeded, and a case of some certified ones of every field."""
    declared = list(capabilities().values())
    certified = [each for each in declared if each.tier == "certified"]
    first_of_field = {each.module: each for each in reversed(certified)}.values()
    spread = certified[:: max(1, len(certified) // max(1, SAMPLED - len(first_of_field)))]
    chosen = {each.id: each for each in (*first_of_field, *spread)}.values()
    others = [job for each in declared if each.tier != "certified" for job in _jobs(each) if job.input == "larger"]
    return others + [_jobs(each)[0] for each in chosen]


def without_larger_input() -> list[str]:
    """Return the pinned and seeded capabilities of which only small cases are tried."""
    return sorted({id_ for id_, each in capabilities().items() if each.tier != "certified"} - MADE.keys())


def _jobs(declared: Capability) -> list[Job]:
    cases = [Job(declared.id, declared.tier, "case", n, case.seed) for n, case in enumerate(declared.cases)]
    return cases + [
        Job(declared.id, declared.tier, "larger", n, made.seed) for n, made in enumerate(larger(declared.id))
    ]
