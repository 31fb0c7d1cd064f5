"""What moved: values of each setting beside those of the reference, as a table and as JSON."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.matrix.jobs import Job
from tests.matrix.run import Evaluated

SHOWN = 6  # capabilities a setting in the table; the JSON has all


@dataclass(frozen=True)
class Moved:
    """A value that is not that of the reference."""

    key: str
    capability: str
    tier: str
    doubles: int  # that moved
    of: int
    ulps: int | None  # the farthest, in steps from double to double; nothing if not even the structure is the same


@dataclass(frozen=True)
class Compared:
    """One setting beside the reference."""

    setting: str
    holds: list[str]  # tiers that must not move
    libraries: dict[str, str]
    faults: list[list[str]]  # of the profile, as the process itself found
    identical: dict[str, int]  # by tier
    moved: list[Moved]
    ended: dict[str, str]
    missing: int  # jobs that were not evaluated
    is_profile: bool

    @property
    def contradictions(self) -> list[str]:
        """What must not be: a value that moved against its tier, a job that ended its process, a pin not taken."""
        against = [f"{each.key} is {each.tier}, and moved" for each in self.moved if each.tier in self.holds]
        ended = [f"{key} ended the process: {how}" for key, how in self.ended.items()]
        pins = [f"the pin {name} did not take: {met}" for name, met, _ in self.faults] if self.is_profile else []
        missing = [f"{self.missing} evaluations are missing"] if self.missing else []
        return [f"{self.setting}: {each}" for each in (*against, *ended, *missing, *pins)]


def compare(reference: Evaluated, other: Evaluated, jobs: Iterable[Job]) -> Compared:
    """Return what moved of jobs."""
    identical = dict.fromkeys(("certified", "pinned", "seeded"), 0)
    moved, missing = [], 0
    for job in jobs:
        if job.key not in other.values or job.key not in reference.values:
            missing += 1
        elif other.values[job.key] == reference.values[job.key]:
            identical[job.tier] += 1
        else:
            moved.append(_moved(job, reference.values[job.key], other.values[job.key]))
    return Compared(
        setting=other.setting.name,
        holds=sorted(other.setting.holds),
        libraries=other.state.get("libraries", {}),
        faults=other.state.get("faults", []),
        identical=identical,
        moved=moved,
        ended=other.ended,
        missing=missing,
        is_profile=other.setting.is_profile,
    )


def _moved(job: Job, before: tuple[str, str], after: tuple[str, str]) -> Moved:
    old, new = _doubles(before[1]), _doubles(after[1])
    distances = [abs(_place(x) - _place(y)) for x, y in zip(old, new, strict=False)]
    is_same_shape = before[0] == after[0]
    return Moved(
        key=job.key,
        capability=job.capability,
        tier=job.tier,
        doubles=sum(map(bool, distances)),
        of=len(old),
        ulps=max(distances, default=0) if is_same_shape else None,
    )


def _doubles(text: str) -> tuple[float, ...]:
    content = base64.b64decode(text)
    return struct.unpack(f"<{len(content) // 8}d", content)


def _place(value: float) -> int:
    """Return the number of a double when all are counted in order: neighbours differ by one."""
    place = int.from_bytes(struct.pack(">d", math.fabs(value)), "big")
    return -place if math.copysign(1.0, value) < 0 else place


def to_json(rows: Sequence[Compared], machine: str) -> str:
    """Return everything, for programs."""
    settings = [asdict(row) | {"contradictions": row.contradictions} for row in rows]
    return json.dumps({"machine": machine, "settings": settings}, indent=1) + "\n"


def to_text(rows: Sequence[Compared], machine: str) -> str:
    """Return the table, and below each setting what moved there."""
    head = f"{'setting':46}{'compared':>9}{'certified':>10}{'pinned':>8}{'seeded':>8}{'moved':>7}"
    lines = [machine, "", head, "-" * len(head)]
    for row in rows:
        counts = row.identical
        compared = sum(counts.values()) + len(row.moved)
        lines.append(
            f"{row.setting:46}{compared:9}{counts['certified']:10}{counts['pinned']:8}{counts['seeded']:8}"
            f"{len(row.moved):7}"
        )
    lines += ["", "certified, pinned, seeded: identical to the reference, bit for bit. What moved:"]
    for row in rows:
        lines += ["", *_moved_lines(row)] if row.moved else []
    moving = {each.capability for row in rows for each in row.moved}
    lines += ["", f"Capabilities that moved somewhere: {len(moving)}: {', '.join(sorted(moving)) or 'none'}"]
    wrong = [each for row in rows for each in row.contradictions]
    return "\n".join([*lines, "", *(wrong or ["No tier was contradicted."])]) + "\n"


def _moved_lines(row: Compared) -> list[str]:
    ordered: list[Any] = sorted(row.moved, key=lambda each: (-(each.ulps or math.inf), each.key))
    lines = [
        f"  {each.key:46}{each.doubles:7} of {each.of:<7}"
        + ("another structure" if each.ulps is None else f"at most {each.ulps} ulp")
        for each in ordered[:SHOWN]
    ]
    rest = [f"  and {len(ordered) - SHOWN} more"] if len(ordered) > SHOWN else []
    return [f"{row.setting}:", *lines, *rest]
