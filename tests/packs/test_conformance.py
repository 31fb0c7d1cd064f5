"""Every capability of the contract, through one suite: what its declaration promises, it does."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import ctx
from service_nb_kernels.check import case_fault, read, read_derived
from service_nb_kernels.contract import capabilities
from service_nb_kernels.declare import Capability, Case, Parameter
from service_nb_kernels.errors import KernelError, Unseparated
from service_nb_kernels.execute import Executor
from service_nb_kernels.reader import fields_of_packs
from service_nb_kernels.units import Unit, parse_unit

import service_nb
from service_nb.errors import InvalidIntentError

FIELDS = fields_of_packs()
CODES = {"domain_error", "undecided", "limit_exceeded", "invalid_intent"}
MOST_DERIVED = 2_706
COSTLY = 5_000  # largest whole number that is tried inside of a domain, where it says how long the work is
TRIED_SIZE = 20_000  # of arrays that are made to be one item too long


@pytest.fixture(scope="module")
def executor() -> Executor:
    return Executor()


def of_field(field: str) -> list[Capability]:
    every = capabilities()  # an entry is parsed when it is asked for
    return [every[id_] for id_ in every if id_.startswith(f"{field}.")]


def arguments_of(declared: Capability, case: Case) -> list[Any]:
    """The case's arguments in the types of the parameters."""
    return [typed(case.arguments[parameter.name], parameter.scalar) for parameter in declared.params]


def typed(value: Any, scalar: str) -> Any:
    if isinstance(value, list):
        return [typed(item, scalar) for item in value]
    return float(value) if scalar == "float64" else int(value) if scalar == "int" else value  # long ones are text


def good_cases(declared: Capability) -> Iterator[Case]:
    return (case for case in declared.cases if case.error is None)


def outcome(
    executor: Executor, declared: Capability, arguments: list[Any], seed: int | None, timeout_s: float = 3
) -> Any:
    """The value, or the code of the refusal; anything else is a fault and is raised."""
    try:
        return executor.execute(declared.id, arguments, seed=seed, timeout_s=timeout_s)
    except KernelError as error:
        return error.code


@pytest.mark.parametrize("field", FIELDS)
def test_declarations_have_no_fault(field: str) -> None:
    found, faults = read([field])
    assert faults == []
    assert {declared.id for declared in found} == {declared.id for declared in of_field(field)}


def test_no_summary_is_used_twice() -> None:
    summaries = [declared.summary for declared in capabilities().values()]
    assert len(set(summaries)) == len(summaries)


@pytest.mark.parametrize("field", FIELDS)
def test_every_case_agrees_with_its_outside_origin(field: str, executor: Executor) -> None:
    faults = [(d.id, case_fault(executor, d, case)) for d in of_field(field) for case in d.cases]
    assert [fault for fault in faults if fault[1] is not None] == []


@pytest.mark.parametrize("field", FIELDS)
def test_every_capability_has_two_cases_that_give_a_value(field: str) -> None:
    assert [d.id for d in of_field(field) if len(list(good_cases(d))) < 2] == []


@pytest.mark.parametrize("field", FIELDS)
def test_edges_of_domains_are_values_or_typed_refusals_and_beyond_them_is_a_domain_error(
    field: str, executor: Executor
) -> None:
    wrong = []
    for declared in of_field(field):
        case = next(good_cases(declared))
        for place, parameter in enumerate(declared.params):
            if parameter.shape or parameter.scalar not in ("float64", "int") or parameter.choices:
                continue
            for value, is_inside in edges(parameter):
                if is_inside and parameter.scalar == "int" and abs(value) > COSTLY:
                    continue
                arguments = arguments_of(declared, case)
                arguments[place] = value
                found = outcome(executor, declared, arguments, case.seed)
                if is_inside and isinstance(found, str) and declared.result.type != "string" and found not in CODES:
                    wrong.append((declared.id, parameter.name, value, found))
                if not is_inside and found != "domain_error":
                    wrong.append((declared.id, parameter.name, value, found))
    assert wrong == []


def edges(parameter: Parameter) -> Iterator[tuple[Any, bool]]:
    """Both ends of a domain, and the next number beyond each."""
    domain = parameter.interval
    for end, belongs in domain.edges:
        outward = -math.inf if end == domain.low else math.inf
        if parameter.scalar == "int":
            whole = math.ceil(end) if outward < 0 else math.floor(end)
            yield whole, whole in domain
            yield whole + (-1 if outward < 0 else 1), False
        else:
            at = float(end)
            yield at, belongs if Fraction(at) == Fraction(end) else at in domain
            yield math.nextafter(at, outward), math.nextafter(at, outward) in domain


@pytest.mark.parametrize("field", FIELDS)
def test_empty_arrays_are_refused_by_size(field: str, executor: Executor) -> None:
    wrong = []
    for declared in of_field(field):
        case = next(good_cases(declared))
        for place, parameter in enumerate(declared.params):
            if parameter.shape:
                arguments = arguments_of(declared, case)
                arguments[place] = []
                found = outcome(executor, declared, arguments, case.seed)
                if found != "invalid_intent":
                    wrong.append((declared.id, parameter.name, found))
    assert wrong == []


@pytest.mark.parametrize("field", FIELDS)
def test_arrays_beyond_the_limit_are_refused(field: str, executor: Executor) -> None:
    wrong = []
    for declared in of_field(field):
        case = next(good_cases(declared))
        for symbol, most in declared.limit.items():
            if most >= TRIED_SIZE:
                continue
            arguments = [
                longer(value, parameter.shape, symbol, most + 1)
                for value, parameter in zip(arguments_of(declared, case), declared.params, strict=True)
            ]
            found = outcome(executor, declared, arguments, case.seed)
            if found != "limit_exceeded" and any(symbol in parameter.shape for parameter in declared.params):
                wrong.append((declared.id, symbol, found))
    assert wrong == []


def longer(value: Any, shape: tuple[str, ...], symbol: str, size: int) -> Any:
    if not shape:
        return value
    return [longer(item, shape[1:], symbol, size) for item in (value[:1] * size if shape[0] == symbol else value)]


@pytest.mark.parametrize("field", FIELDS)
def test_certified_values_do_not_depend_on_layout_precision_or_history(field: str, executor: Executor) -> None:
    wrong, another = [], Executor()
    for declared in of_field(field):
        if declared.tier != "certified":
            continue
        for case in list(good_cases(declared))[:2]:
            plain = arguments_of(declared, case)
            first = outcome(executor, declared, plain, None, timeout_s=60)
            arrays = [
                np.asfortranarray(value, dtype=np.float64)
                if parameter.shape and parameter.scalar == "float64"
                else value
                for value, parameter in zip(plain, declared.params, strict=True)
            ]
            before = ctx.prec
            ctx.prec = 700
            try:
                second = outcome(another, declared, arrays, None, timeout_s=60)
            finally:
                ctx.prec = before
            if first != second:
                wrong.append((declared.id, first, second))
    assert wrong == []


@pytest.mark.parametrize("field", FIELDS)
def test_certified_bodies_return_exact_numbers_or_balls(field: str) -> None:
    """A bare double is only what was given: the body computes nothing in floating point that it does not prove."""
    wrong = []
    for declared in of_field(field):
        if declared.tier != "certified" or declared.entry is None:
            continue
        module, _, name = declared.entry.partition(":")
        function = getattr(importlib.import_module(module), name)
        given = arguments_of(declared, next(good_cases(declared)))
        prepared = [
            np.asarray(value, dtype=np.float64) if parameter.shape and parameter.scalar == "float64" else value
            for value, parameter in zip(given, declared.params, strict=True)
        ]
        before = ctx.prec
        ctx.prec = 480
        try:
            returned = function(*prepared)
        except Unseparated:
            continue
        finally:
            ctx.prec = before
        known = {leaf for leaf in leaves(given) if isinstance(leaf, float)} | {0.0, 1.0}
        bare = [leaf for leaf in leaves(returned) if isinstance(leaf, float) and leaf not in known]
        if bare:
            wrong.append((declared.id, bare[:3]))
    assert wrong == []


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple | np.ndarray):
        for item in value:
            yield from leaves(item)
    else:
        yield value


@pytest.mark.parametrize("field", FIELDS)
def test_algorithms_scale_with_the_units_that_they_declare(field: str, executor: Executor) -> None:
    """For bodies of our own: a base unit that is four times smaller scales arguments and value as their units say."""
    wrong = []
    for declared in of_field(field):
        if declared.entry is None or declared.tier != "certified" or declared.result.fields:
            continue
        units = [parse_unit(parameter.unit) for parameter in declared.params]
        result = parse_unit(declared.result.unit)
        case = next(good_cases(declared))
        # A degree is a number, pi / 180, whose functions are not a matter of units.
        for symbol in {s for unit in (*units, result) for s, _ in unit.powers if not s.isdigit()} - {"deg"}:
            arguments = arguments_of(declared, case)
            scaled = [times(value, factor(unit, symbol)) for value, unit in zip(arguments, units, strict=True)]
            value = executor.execute(declared.id, arguments)
            expected = times(value, factor(result, symbol))
            if any(isinstance(leaf, float) and math.isinf(leaf) for leaf in leaves(expected)):
                continue
            if outcome(executor, declared, scaled, None) != expected:
                wrong.append((declared.id, symbol, expected))
    assert wrong == []


def factor(unit: Unit, symbol: str) -> float:
    return float(4 ** dict(unit.powers).get(symbol, Fraction(0)))  # exact for whole and half powers


def times(value: Any, scale: float) -> Any:
    if isinstance(value, list):
        return [times(item, scale) for item in value]
    return value * scale if isinstance(value, float) else value


@pytest.mark.parametrize("field", FIELDS)
def test_simulations_need_a_seed_and_repeat_it(field: str, executor: Executor) -> None:
    for declared in of_field(field):
        case = next(good_cases(declared))
        if declared.tier == "seeded":
            arguments = arguments_of(declared, case)
            assert outcome(executor, declared, arguments, None) == "seed_required"
            assert executor.execute(declared.id, arguments, seed=7) == Executor().execute(
                declared.id, arguments, seed=7
            )


def test_the_contract_is_as_broad_as_promised() -> None:
    tiers = [declared.tier for declared in capabilities().values()]
    assert len(tiers) >= 1_200
    assert tiers.count("certified") >= 0.85 * len(tiers)
    assert tiers.count("seeded") >= 10
    assert {"stats.median", "finance.npv", "option_pricing.black_scholes_call"} <= set(capabilities())


def test_fewer_capabilities_than_before_have_no_value_from_outside() -> None:
    """The bound only falls: whoever records values from outside lowers it."""
    derived = [declared.id for declared in capabilities().values() if declared.grade == "derived"]
    assert len(derived) <= MOST_DERIVED
    assert set(derived) == read_derived()


@pytest.mark.parametrize("field", FIELDS)
def test_wrong_types_are_refused_by_the_name_of_their_parameter(field: str, service: service_nb.Service) -> None:
    wrong = []
    for declared in of_field(field):
        case = next(good_cases(declared))
        for parameter in declared.params:
            for value in misfits(parameter):
                spec = {
                    "module": declared.module,
                    "function": declared.function,
                    "kwargs": {**case.arguments, parameter.name: value},
                    **({"seed": 1} if declared.tier == "seeded" else {}),
                }
                try:
                    service.compute(spec)
                    wrong.append((declared.id, parameter.name, value, "accepted"))
                except InvalidIntentError as error:
                    if parameter.name not in str(error):
                        wrong.append((declared.id, parameter.name, value, str(error)))
    assert wrong == []


@pytest.fixture(scope="module")
def service() -> service_nb.Service:
    return service_nb.create_service()


def misfits(parameter: Parameter) -> list[Any]:
    """What no parameter of this type takes; NaN and infinities are no literals of any."""
    values = [None, {"a": 1}, math.nan, math.inf, [math.nan], [["x"]]]
    if parameter.scalar in ("float64", "int") and not parameter.shape:
        values += ["text", True, [1]]
    if parameter.scalar == "int" and not parameter.shape:
        values.append(1.5)
    if parameter.shape:
        values += [1.0, "text"]
    return values
