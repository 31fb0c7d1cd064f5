"""What holds at any arguments: an inverse leads back to where it came from, a value lies in its declared range."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from service_nb_kernels.certified.rounding import OVERFLOW
from service_nb_kernels.declare import WHOLE_LINE, Capability, Case, Parameter, Result
from service_nb_kernels.domain import parse_domain
from service_nb_kernels.errors import KernelError
from service_nb_kernels.execute import Executor
from service_nb_kernels.units import find_light_speed

CALLS = 12  # of each capability, in `check`
AGREES = 1e-9
NEIGHBORS = 3  # a value, and those below and above
AT_END, FROM_CASE, FAR = 0.1, 0.35, 0.3  # how often an argument is an end of its domain, a case's, or far away
TIMEOUT_S = 2.0
# Where a formula jumps. No value of it lies within, but a signal that a camera rounded may, and is decoded.
GAPS = {"color.bt709_signal": (0.081, 0.08125)}


def find_pairs(found: Iterable[Capability]) -> Iterator[tuple[Capability, str, Capability]]:
    """Find the inverses, each with the capability that it solves, and the parameter for which."""
    by_id = {declared.id: declared for declared in found}
    for base in by_id.values():
        if base.result.name is None:
            continue
        for parameter in base.params:
            inverse = by_id.get(f"{base.module}.{parameter.name}_from_{base.function}")
            if inverse is not None and base.result.name in [each.name for each in inverse.params]:
                yield base, parameter.name, inverse


def find_unreturned(
    executor: Executor, base: Capability, unknown: str, inverse: Capability, calls: int
) -> Iterator[str]:
    """Find arguments at which the formula does not give back what its inverse was given."""
    chance = random.Random(inverse.id)  # noqa: S311  # the same arguments each time
    low, high = GAPS.get(base.id, (math.nan, math.nan))
    for _ in range(calls):
        given = draw_arguments(inverse, chance)
        if low < given[str(base.result.name)] < high:
            continue
        try:
            found = executor.execute(inverse.id, list(given.values()), timeout_s=TIMEOUT_S)
        except KernelError:
            continue
        if not _is_returned(executor, base, {**given, unknown: found}, unknown, given[str(base.result.name)]):
            yield f"{given} gives {unknown} = {found!r}, and {base.function} of it is not the {base.result.name} given"


def _is_returned(
    executor: Executor, base: Capability, arguments: Mapping[str, Any], unknown: str, expected: float
) -> bool:
    """Whether the formula gives what is expected at the unknown, or between its neighbors where rounding magnifies.

    At an end of where the formula has values, the rounded unknown may lie beyond; a neighbor with a value is enough.
    """
    found = arguments[unknown]
    values = []
    for near in (found, *(_step(found, end) for end in (-math.inf, math.inf))):
        each = {**arguments, unknown: near}
        try:
            values.append(executor.execute(base.id, [each[p.name] for p in base.params], timeout_s=TIMEOUT_S))
        except KernelError as error:
            if error.code == "undecided" or error.details.get("parameter") == OVERFLOW:
                return True
    return 0 < len(values) < NEIGHBORS or (len(values) == NEIGHBORS and _is_met(values, expected))


def _is_met(values: Sequence[float], expected: float) -> bool:
    spread = max(values) - min(values)
    return any(math.isclose(value, expected, rel_tol=AGREES) for value in values) or any(
        abs(value - expected) <= 4 * spread for value in values
    )


def _step(value: float, towards: float) -> float:
    """A few doubles further."""
    for _ in range(4):
        value = math.nextafter(value, towards)
    return value


def find_outside(executor: Executor, declared: Capability, calls: int) -> Iterator[str]:
    """Find arguments whose value lies outside of the range that the result declares, though the domains hold them.

    Inverses are left out: theirs is the domain of what they solve for, and what leads elsewhere is refused. So are
    speeds beyond light: formulas of slow things lead there, and only their range keeps them from it.
    """
    if "_from_" in declared.id or not any(each.range != WHOLE_LINE for each in _list_results(declared.result)):
        return
    chance = random.Random(declared.id)  # noqa: S311  # the same arguments each time
    for _ in range(calls):
        given = draw_arguments(declared, chance)
        try:
            executor.execute(declared.id, list(given.values()), seed=_seed(declared), timeout_s=TIMEOUT_S)
        except KernelError as error:
            is_of_result = str(error.details.get("parameter", "")).startswith("the result")
            if is_of_result and not _is_faster_than_light(declared, error):
                yield f"{given}: {error}"


def _is_faster_than_light(declared: Capability, error: KernelError) -> bool:
    lights = filter(None, (find_light_speed(each.unit) for each in _list_results(declared.result)))
    return any(abs(error.details["value"]) > light for light in lights)


def find_excluded_ends(declared: Capability) -> Iterator[tuple[str, float]]:
    """Find the ends that a domain excludes, though the formula has a value there with the arguments of every case."""
    cases = [case for case in declared.cases if case.error is None]
    for name, end in list_open_ends(declared):
        executor = Executor({declared.id: _with_ends(declared, name)})
        if all(_has_value(executor, declared, {**case.arguments, name: end}) for case in cases):
            yield name, end


def list_open_ends(declared: Capability) -> Iterator[tuple[str, float]]:
    """List the finite ends that the domains of a formula's numbers exclude; an inverse has those of its formula."""
    if declared.formula is None or "_from_" in declared.id:
        return
    for parameter in declared.params:
        if not parameter.shape and parameter.scalar == "float64":
            yield from ((parameter.name, end) for end, belongs in parameter.interval.edges if not belongs)


def _with_ends(declared: Capability, name: str) -> Capability:
    """Return the capability with a parameter whose domain has its ends."""
    params = tuple(
        replace(each, domain=f"[{each.domain.strip()[1:-1]}]") if each.name == name else each
        for each in declared.params
    )
    return replace(declared, params=params)


def _has_value(executor: Executor, declared: Capability, arguments: Mapping[str, Any]) -> bool:
    typed = [_type(arguments[parameter.name], parameter.scalar) for parameter in declared.params]
    try:
        executor.execute(declared.id, typed, timeout_s=TIMEOUT_S)
    except KernelError:
        return False
    return True


def _seed(declared: Capability) -> int | None:
    return 1 if declared.tier == "seeded" else None


def _list_results(result: Result) -> Sequence[Result]:
    return list(result.fields.values()) or [result]


def draw_arguments(declared: Capability, chance: random.Random) -> dict[str, Any]:
    """Draw arguments from the domains, ends included; arrays are those of a case."""
    case = chance.choice([case for case in declared.cases if case.error is None])
    return {parameter.name: _draw(parameter, case, chance) for parameter in declared.params}


def _draw(parameter: Parameter, case: Case, chance: random.Random) -> Any:
    usual = _type(case.arguments[parameter.name], parameter.scalar)
    if parameter.shape or parameter.scalar not in ("float64", "int"):
        return usual
    domain = parse_domain(parameter.domain)
    ends = [end for end, belongs in domain.edges if belongs]
    where = chance.random()
    if ends and where < AT_END and parameter.scalar == "float64":
        return float(chance.choice(ends))
    if where < AT_END + FROM_CASE or parameter.scalar == "int":
        return usual
    value = _draw_inside(domain.low, domain.high, chance)
    return value if value in domain else usual


def _draw_inside(low: float, high: float, chance: random.Random) -> float:
    step = 10 ** (chance.uniform(-6, 6) if chance.random() < FAR else chance.uniform(-1.3, 1.3))
    if not math.isinf(low) and not math.isinf(high):
        return chance.uniform(low, high)
    if not math.isinf(low):
        return low + step
    return high - step if not math.isinf(high) else chance.choice((-1, 1)) * step


def _type(value: Any, scalar: str) -> Any:
    if isinstance(value, list):
        return [_type(item, scalar) for item in value]
    return float(value) if scalar == "float64" else int(value) if scalar == "int" else value
