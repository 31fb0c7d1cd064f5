"""Proving declarations: units from the tree, cases from outside, rules of prose."""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from service_nb_kernels import bibliography
from service_nb_kernels.constants import constants, list_sources
from service_nb_kernels.contract import entry_of
from service_nb_kernels.declare import Capability, Case, Parameter, Result
from service_nb_kernels.domain import parse_domain
from service_nb_kernels.errors import KernelError, PackError
from service_nb_kernels.execute import Executor
from service_nb_kernels.formula.dimension import Measured, agrees, shown, unit_of
from service_nb_kernels.formula.parse import parse
from service_nb_kernels.formula.tree import names
from service_nb_kernels.origins import GRADES
from service_nb_kernels.properties import CALLS, find_outside, find_pairs, find_unreturned
from service_nb_kernels.reader import fields_of_packs, read_field
from service_nb_kernels.units import find_light_speed, parse_unit

SHORTEST, LONGEST = 30, 160  # characters of a summary
CASES = 2
MATRIX = 2  # dimensions
STRUCTURED = re.compile(r"\b(covariance matrix|correlation matrix|symmetric|definite|transition matrix)\b")
DERIVED = Path(__file__).with_name("derived.txt")  # the capabilities that began without a value from outside
SPEED = re.compile(r"\b(speed|velocity|wind)\b", re.IGNORECASE)
NO_BODY = re.compile(r"\b(phase|group|apparent|recession|proper|change|characteristic)\b", re.IGNORECASE)
SLACK = 1e-9
SLOW_S = 0.5
OWN = re.compile(r"\b(this (code|package|implementation|function)|service[_-]nb|our own)\b", re.IGNORECASE)
LIBRARY = re.compile(
    r"(scipy\.(special|stats|linalg|optimize|signal|integrate|interpolate|fft)|numpy(\.linalg|\.fft)?):\w+"
)


def read(fields: Iterable[str]) -> tuple[list[Capability], list[str]]:
    """Return the capabilities of fields, and every fault of their declarations."""
    found: list[Capability] = []
    faults: list[str] = []
    for field in fields:
        for item in read_field(field):
            if isinstance(item, PackError):
                faults.append(str(item))
            else:
                found.append(item)
    faults += [f"{c.file}: {c.id}: {fault}" for c in found for fault in declaration_faults(c)]
    faults += [*_repeated(found), *find_derived(found), *bibliography.find_faults()]
    if {c.module for c in found}.issuperset(fields_of_packs()):  # only all fields together cite every source
        faults += bibliography.find_uncited([*list_sources(), *(key for c in found for key in c.cited)])
    return found, faults


def find_derived(found: Iterable[Capability]) -> Iterator[str]:
    """Find the capabilities without a value from outside that are not among those which began so."""
    known = read_derived()
    for declared in found:
        if declared.grade == "derived" and declared.id not in known:
            yield (
                f"{declared.file}: {declared.id} has only derived cases: a new capability needs a case from print or "
                f"from independent software, and {DERIVED.name} only shrinks"
            )


def read_derived() -> frozenset[str]:
    """Read the capabilities that began with derived cases alone."""
    lines = DERIVED.read_text(encoding="utf-8").splitlines() if DERIVED.is_file() else []
    return frozenset(line for line in lines if line and not line.startswith("#"))


def format_derived(found: Iterable[Capability]) -> bytes:
    """Format the list anew: of those that it has, the ones that still have derived cases alone."""
    left = sorted(read_derived() & {declared.id for declared in found if declared.grade == "derived"})
    head = (
        "# Capabilities that began with cases of our own alone. `make contract` removes those that have got a case\n"
        "# from outside; none is added.\n"
    )
    return (head + "".join(f"{id_}\n" for id_ in left)).encode()


def count_grades(found: Iterable[Capability]) -> str:
    """Count the grades of evidence, in words: `347 published, 229 independent, 3,774 derived`."""
    counted = Counter(declared.grade for declared in found)
    return ", ".join(f"{counted[grade]:,} {grade}" for grade in GRADES if counted[grade])


def _repeated(found: Iterable[Capability]) -> list[str]:
    ids: dict[str, str] = {}
    faults = []
    for declared in found:
        if declared.id in ids:
            faults.append(f"{declared.file}: {declared.id} is declared in {ids[declared.id]} as well")
        ids[declared.id] = declared.file
    summaries = Counter(declared.summary for declared in {c.id: c for c in found}.values())
    return faults + [f"{c.file}: {c.id}: the summary is used twice" for c in found if summaries[c.summary] > 1]


def declaration_faults(declared: Capability) -> Iterator[str]:
    """Yield what is wrong with a declaration, without running it."""
    summary = declared.summary
    if not SHORTEST <= len(summary) <= LONGEST or not summary.endswith(".") or "\n" in summary:
        yield f"a summary is one line of {SHORTEST} to {LONGEST} characters and ends with a full stop: {summary!r}"
    if len(declared.cases) < CASES:
        yield f"{len(declared.cases)} cases; at least {CASES} are needed"
    for case in declared.cases:
        if not case.origin.strip() or OWN.search(case.origin):
            yield f"the origin {case.origin!r} is not outside of this code"
    if declared.call is not None and not LIBRARY.fullmatch(declared.call):
        yield f"call {declared.call!r} is not on the list"
    for part in (*declared.params, *(declared.result.fields.values() or (declared.result,))):
        if not part.about:
            yield "every parameter and result says what it is about"
    for parameter in declared.params:
        if len(parameter.shape) == MATRIX and parameter.structure is None and STRUCTURED.search(parameter.about):
            yield f"{parameter.name} declares no structure, though it is {parameter.about!r}"
    yield from find_unbounded_speeds(declared)
    yield from _formula_faults(declared)


def find_unbounded_speeds(declared: Capability) -> Iterator[str]:
    """Find the speeds of things, given or computed, that may be beyond that of light, as after a slip in a unit."""
    parts = [(each.name, each.about, each.unit, each.interval) for each in declared.params]
    results = declared.result.fields or {str(declared.result.name): declared.result}
    parts += [(name, each.about, each.unit, parse_domain(each.range)) for name, each in results.items()]
    for name, about, unit, bounds in parts:
        light = find_light_speed(unit)
        if light is None or not SPEED.search(about) or NO_BODY.search(about):
            continue
        if max(-bounds.low, bounds.high) > light * (1 + SLACK):
            yield f"{name}, {about!r}, may be beyond the speed of light, {light:.12g} {unit}"


def _formula_faults(declared: Capability) -> Iterator[str]:
    if declared.tree is None:
        return
    units = {name: constant.unit for name, constant in constants().items()}
    parameters: dict[str, Measured] = {parameter.name: _measured(parameter) for parameter in declared.params}
    try:
        for text in declared.requires:
            unit_of(parse(text), {**units, **parameters})
        found = unit_of(declared.tree, {**units, **parameters})
        expected = _result_unit(declared.result)
        if not agrees(found, expected):
            yield f"the formula gives {shown(found)}, but {shown(expected)} is declared"
    except PackError as error:
        yield str(error)
    hidden = _bound(declared) & (units.keys() | {"pi", "e", "euler_gamma", "inf"})
    if hidden:
        yield f"the formula gives {', '.join(sorted(hidden))} another meaning than the constant's"
    unused = [parameter.name for parameter in declared.params if parameter.name not in names(declared.tree)]
    if unused:
        yield f"the formula does not use {', '.join(unused)}"
    free = (
        names(declared.tree) - units.keys() - parameters.keys() - {"pi", "e", "euler_gamma", "inf"} - _bound(declared)
    )
    if free:
        yield f"the formula names what is not there: {', '.join(sorted(free))}"


def _bound(declared: Capability) -> set[str]:
    """The names that the formula itself gives, wherever: unit_of has already walked their scopes."""
    text = str(declared.formula)
    given = re.findall(r"^(\w+) =|\blambda (\w+):|\bfor (.+?) in\b", text, re.MULTILINE)
    return {name for found in given for part in found for name in re.findall(r"\w+", part)}


def _measured(parameter: Parameter) -> Measured:
    measured: Measured = parse_unit(parameter.unit)
    for _ in parameter.shape:
        measured = [measured]
    return measured


def _result_unit(result: Result) -> Measured:
    if result.fields:
        return {name: _result_unit(field) for name, field in result.fields.items()}
    measured: Measured = parse_unit(result.unit)
    for _ in range(entry_dimensions(result.type)):
        measured = [measured]
    return measured


def entry_dimensions(type_: str) -> int:
    """Return how deep the arrays of a type are nested."""
    inner = type_.partition("[")[2].partition("]")[0]
    return len(inner.split(",")) if inner else type_.count("[]")


def case_fault(executor: Executor, declared: Capability, case: Case) -> str | None:
    """Run one case, and return what is wrong, if anything."""
    arguments = [case.arguments[parameter.name] for parameter in declared.params]
    arguments = [_as_type(value, parameter.scalar) for value, parameter in zip(arguments, declared.params, strict=True)]
    try:
        value = executor.execute(declared.id, arguments, seed=case.seed, timeout_s=60)
    except KernelError as error:
        if error.code == case.error:
            return None
        return f"{_short(case.arguments)}: {error.code}: {error}"
    if case.error is not None:
        return f"{_short(case.arguments)}: {value!r:.60}; expected the error {case.error}"
    if not close(value, case.result, case.within):
        says = f"{case.origin} says {case.result!r:.90}{_apart(value, case.result)}"
        return f"{_short(case.arguments)}: {value!r:.90}; {says}"
    return None


def _as_type(value: Any, scalar: str) -> Any:
    """A case's literal as the type of its parameter: TOML writes 3 where a double is meant."""
    if isinstance(value, list):
        return [_as_type(item, scalar) for item in value]
    if scalar == "float64" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return int(value) if scalar == "int" and isinstance(value, str) else value


def close(value: Any, expected: Any, within: float) -> bool:
    """Return whether a value is what is expected, to a relative accuracy; of arrays and records, in every part."""
    if isinstance(expected, Mapping):
        return (
            isinstance(value, Mapping)
            and value.keys() == expected.keys()
            and all(close(value[name], expected[name], within) for name in expected)
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(expected)
            and all(close(a, b, within) for a, b in zip(value, expected, strict=True))
        )
    if isinstance(expected, bool | str) or isinstance(value, bool | str | list | dict):
        return bool(value == expected) or (isinstance(value, int) and str(value) == expected)
    return (
        bool(value == expected)
        or (within > 0 and math.isclose(value, expected, rel_tol=within, abs_tol=0.0))
        or (within > 0 and expected == 0 and abs(value) <= within)
    )


def _apart(value: Any, expected: Any) -> str:
    if isinstance(value, float) and isinstance(expected, float) and expected:
        return f" (apart by {abs(value / expected - 1):.1e})"
    return ""


def _short(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r:.40}" for name, value in arguments.items())[:200]


def report(fields: Iterable[str]) -> int:
    """Print every fault of the fields, and what they hold; return how many faults there are."""
    found, faults = read(fields)
    executor = Executor({declared.id: declared for declared in found})
    for declared in found:
        started = time.perf_counter()
        for case in declared.cases:
            try:
                fault = case_fault(executor, declared, case)
            except Exception as error:  # noqa: BLE001  # an author's slip is shown with its place, not as a traceback
                fault = f"{_short(case.arguments)}: {error!r}"
            if fault is not None:
                faults.append(f"{declared.file}: {declared.id}: {fault}")
        spent = time.perf_counter() - started
        if spent > SLOW_S:
            print(f"slow: {declared.id}: {spent:.1f} s for {len(declared.cases)} cases")
        entry_of(declared)
        faults += [
            f"{declared.file}: {declared.id}: {fault}" for fault in islice(find_outside(executor, declared, CALLS), 1)
        ]
    for base, unknown, inverse in find_pairs(found):
        unreturned = find_unreturned(executor, base, unknown, inverse, CALLS)
        faults += [f"{inverse.file}: {inverse.id}: {fault}" for fault in islice(unreturned, 1)]
    for fault in faults:
        print(fault)
    tiers = Counter(declared.tier for declared in found)
    promised = ", ".join(f"{n} {tier}" for tier, n in tiers.items())
    print(f"{len(found)} capabilities ({promised}; {count_grades(found)}), {len(faults)} faults")
    return len(faults)
