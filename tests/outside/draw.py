"""Ordinary arguments of a capability, drawn from its domains or as a table says, with few digits."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from service_nb_kernels.declare import Capability, Parameter

DIGITS = 3
USUAL_SIZE = 6
FAR = 5.0  # from the end of a domain, or from 0
WIDE = 40.0  # a domain that is only so wide because a limit of time stands in it


def draw_arguments(capability: Capability, draws: Mapping[str, Sequence[Any]], seed: str) -> dict[str, Any]:
    """Draw a value for each parameter: of one seed, a name has one value, and arrays of one size name one size."""
    sizes: dict[str, int] = {}
    least = {name: parameter.min_size for parameter in capability.params for name in parameter.shape}
    for name, smallest in least.items():
        if name in draws:
            sizes[name] = random.Random(f"{seed} {name}").randint(*draws[name])
            continue
        sizes[name] = random.Random(f"{seed} {name}").randint(max(smallest, 2), max(smallest, USUAL_SIZE))
    return {
        parameter.name: _draw(
            parameter,
            [sizes[size] for size in parameter.shape],
            draws.get(parameter.name),
            random.Random(f"{seed} {parameter.name}"),
        )
        for parameter in capability.params
    }


def _draw(parameter: Parameter, sizes: Sequence[int], said: Sequence[Any] | None, chance: random.Random) -> Any:
    if sizes:
        return [_draw(parameter, sizes[1:], said, chance) for _ in range(sizes[0])]
    if said is not None:
        return _draw_said(parameter, said, chance)
    if parameter.scalar == "bool":
        return chance.random() < 0.5
    if parameter.choices:
        return chance.choice(parameter.choices)
    low, high = (float(end) for end in (parameter.interval.low, parameter.interval.high))
    if parameter.scalar == "int":
        first = math.ceil(low) if math.isfinite(low) else -int(FAR)
        return chance.randint(first, min(int(high), first + 12) if math.isfinite(high) else first + 12)
    if WIDE < high - low < math.inf:
        low, high = (-math.inf if low < 0 < high else low), math.inf
    if math.isfinite(low) and math.isfinite(high):
        return _shorten(low + (high - low) * chance.uniform(0.01, 0.99))
    if math.isfinite(low):
        return _shorten(low + 10 ** chance.uniform(-1, 1))
    if math.isfinite(high):
        return _shorten(high - 10 ** chance.uniform(-1, 1))
    return _shorten(chance.uniform(-FAR, FAR))


def _draw_said(parameter: Parameter, said: Sequence[Any], chance: random.Random) -> Any:
    is_range = len(said) == 2 and all(type(end) in (int, float) for end in said)
    if not is_range:
        return chance.choice(list(said))
    if parameter.scalar == "int" and all(type(end) is int for end in said):
        return chance.randint(*said)
    return _shorten(chance.uniform(*said))


def _shorten(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
