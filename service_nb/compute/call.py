"""Calls: from a spec to one that fits its capability; a call and its value in words. No fault is repaired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NoReturn, cast

import numpy as np

from service_nb.compute.call_arguments import Convert, MisfitError, build_converter
from service_nb.core.canonical import MAX_SAFE_INTEGER, write_canonical_text
from service_nb.core.words import describe_value, find_nearest, misfit_error, require_object, write_name
from service_nb.errors import (
    DuplicateArgumentBindingError,
    InvalidIntentError,
    LimitExceededError,
    SeedRequiredError,
    ServiceError,
)
from service_nb.schema.compute import (
    NULL_POLICIES,
    ROWWISE,
    Binding,
    Bound,
    Call,
    Capability,
    Checked,
    NullPolicy,
    Tier,
)

SPEC_KEYS = ("module", "function", "args", "kwargs", "bindings", "seed")
BINDING_KEYS = ("parameter", "field", "parameters", "fields", "alignment", "source", "filter", "null_policy")
MAX_NAME = 1_024
MAX_BINDINGS = 100
MOST_FAULTS = 20  # that an error lists
TOLD_FAULTS = 3  # that its message tells
UNKNOWN = "not a parameter of it"


# --- the shape of a call ----------------------------------------------------------------------------------------------


def parse_call(raw: object) -> Call:
    """Check the shape of a ComputationSpec and return it typed.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        An unknown key or a value of the wrong kind; details name `path`, `met` and `expected`.
    LimitExceededError [limit_exceeded]
        More bindings than a call may have.
    """
    spec = require_object(raw, "spec", SPEC_KEYS)
    args = _read_optional(spec, "args", list | tuple, "a list of values", ())
    kwargs = _read_optional(spec, "kwargs", Mapping, "an object of values by parameter", {})
    bindings = _read_optional(spec, "bindings", list | tuple, "a list of bindings", ())
    if len(bindings) > MAX_BINDINGS:
        raise LimitExceededError(
            f"bindings has {len(bindings):,} entries; at most {MAX_BINDINGS} are taken.",
            path="bindings",
            limit=MAX_BINDINGS,
            value=len(bindings),
        )
    for name in kwargs:
        _read_name(name, "kwargs")
    return Call(
        capability_id=f"{_read_name(spec.get('module'), 'module')}.{_read_name(spec.get('function'), 'function')}",
        args=tuple(args),
        kwargs=dict(kwargs),
        bindings=tuple(_read_binding(binding, f"bindings[{index}]") for index, binding in enumerate(bindings)),
        seed=_read_seed(spec.get("seed")),
    )


def build_named_spec(name: str) -> dict[str, object]:
    """Build the spec of a call from a capability's name: `finance.npv` is its module and its function."""
    if len(name) > 2 * MAX_NAME:
        raise misfit_error("name", name, "module.function")
    module, dot, function = name.partition(".")
    if not (module and dot and function):
        raise misfit_error("name", name, "module.function, such as finance.npv")
    return {"module": module, "function": function}


def _read_binding(raw: object, path: str) -> Binding:
    parts = require_object(raw, path, BINDING_KEYS)
    several = parts.get("parameters") is not None or parts.get("fields") is not None
    single = parts.get("parameter") is not None or parts.get("field") is not None
    if several == single:
        raise misfit_error(path, "both" if single else "neither", "parameter and field, or parameters and fields")
    alignment = parts.get("alignment")
    if (several and alignment != ROWWISE) or (single and alignment not in (None, ROWWISE)):
        raise misfit_error(f"{path}.alignment", alignment, repr(ROWWISE))
    if several:
        parameters = _read_names(parts.get("parameters"), f"{path}.parameters")
        fields = _read_names(parts.get("fields"), f"{path}.fields")
        if len(parameters) != len(fields):
            raise misfit_error(f"{path}.fields", len(fields), f"{len(parameters)} fields, one for each parameter")
    else:
        parameters = (_read_name(parts.get("parameter"), f"{path}.parameter"),)
        fields = (_read_name(parts.get("field"), f"{path}.field"),)
    null_policy = "refuse" if parts.get("null_policy") is None else parts["null_policy"]
    if null_policy not in NULL_POLICIES:
        raise misfit_error(f"{path}.null_policy", null_policy, " or ".join(NULL_POLICIES))
    filter_ = parts.get("filter")
    if filter_ is not None and not isinstance(filter_, Mapping):
        raise misfit_error(f"{path}.filter", filter_, "a filter as in a question")
    return Binding(
        parameters=parameters,
        fields=fields,
        source=_read_name(parts.get("source"), f"{path}.source"),
        filter=filter_,
        null_policy=cast(NullPolicy, null_policy),
    )


def _read_optional(spec: Mapping[str, object], key: str, kind: Any, expected: str, default: object) -> Any:
    value = spec.get(key)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise misfit_error(key, value, expected)
    return value


def _read_name(raw: object, path: str) -> str:
    if not isinstance(raw, str) or not raw or len(raw) > MAX_NAME:
        raise misfit_error(path, raw, f"a name of at most {MAX_NAME:,} characters")
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise misfit_error(path, "a lone surrogate", "text that can be encoded") from None
    return raw


def _read_names(raw: object, path: str) -> tuple[str, ...]:
    if not isinstance(raw, list | tuple) or not 0 < len(raw) <= MAX_BINDINGS:
        raise misfit_error(path, raw, f"a list of 1 to {MAX_BINDINGS} names")
    return tuple(_read_name(name, f"{path}[{index}]") for index, name in enumerate(raw))


def _read_seed(raw: object) -> int | None:
    if raw is None:
        return None
    whole = int(raw) if isinstance(raw, float) and raw.is_integer() else raw
    if type(whole) is not int or not 0 <= whole <= MAX_SAFE_INTEGER:
        raise misfit_error("seed", raw, "a whole number from 0 to 2**53 - 1")
    return whole


# --- a call against its capability ------------------------------------------------------------------------------------


class Signature:
    """A checker of the calls of one capability: made once, used often."""

    def __init__(self, capability: Capability) -> None:
        self.capability = capability
        self._converters: dict[str, Convert] = {p.name: build_converter(p) for p in capability.parameters}
        self._types = {parameter.name: parameter.type for parameter in capability.parameters}
        self._names = capability.names
        self._defaults = {each.name: each.default for each in capability.parameters if each.default is not None}

    def check(self, call: Call) -> Checked:
        """Return the call with its literals in their declared types.

        Raises
        ------
        DuplicateArgumentBindingError [duplicate_argument_binding]
            A parameter is given more than once.
        InvalidIntentError [invalid_intent]
            A parameter is missing, unknown or of another type; details hold every fault.
        SeedRequiredError [seed_required]
            A simulation has no seed.
        """
        gathered = _Gathered(self.capability)
        call = self._fill_defaults(call) if self._defaults else call
        self._check_places(call, gathered)
        args = tuple(
            gathered.convert_value(name, self._converters[name], value)
            for name, value in zip(self._names, call.args, strict=False)
        )
        kwargs = {
            name: gathered.convert_value(name, self._converters[name], value)
            for name, value in call.kwargs.items()
            if name in self._converters
        }
        if gathered.faults:
            gathered.refuse()
        self._check_seed(call)
        return Checked(capability=self.capability, args=args, kwargs=kwargs, bindings=call.bindings, seed=call.seed)

    def _fill_defaults(self, call: Call) -> Call:
        """Return the call with the default of each parameter that it leaves out: what is hashed is the whole call."""
        given = {*self._names[: len(call.args)], *call.kwargs}
        given.update(name for binding in call.bindings for name in binding.parameters)
        filled = {name: value for name, value in self._defaults.items() if name not in given}
        return replace(call, kwargs={**call.kwargs, **filled}) if filled else call

    def _check_places(self, call: Call, gathered: _Gathered) -> None:
        if len(call.args) == len(self._names) and not call.kwargs and not call.bindings:
            return
        given = [*self._names[: len(call.args)], *call.kwargs]
        for binding in call.bindings:
            given += binding.parameters
        if len(call.args) > len(self._names):
            gathered.note("args", f"{len(call.args):,} values", f"at most {len(self._names)}")
        elif len(given) == len(self._names) and set(given) == self._types.keys():
            return
        seen: set[str] = set()
        for name in given:
            if name not in self._types:
                near = find_nearest(name, self._names)
                gathered.note(name, UNKNOWN, self._format_parameters(), near)
            elif name in seen:
                gathered.note(name, "given more than once", "each parameter once", is_duplicate=True)
            seen.add(name)
        for name in self._names:
            if name not in seen:
                gathered.note(name, "missing", self._types[name])

    def _format_parameters(self) -> str:
        return ", ".join(f"{name}: {type_}" for name, type_ in self._types.items()) or "no parameters"

    def _check_seed(self, call: Call) -> None:
        capability = self.capability
        if capability.tier == "seeded" and call.seed is None:
            raise SeedRequiredError(
                f"{capability.id} is a simulation and was given no seed.",
                hint="Pass seed=…, any whole number; the same seed gives the same value.",
                parameter="seed",
                met="missing",
                expected="a whole number from 0 to 2**53 - 1",
            )
        if capability.tier != "seeded" and call.seed is not None:
            raise InvalidIntentError(
                f"{capability.id} takes no seed: nothing in it is random.",
                hint="Leave the seed out.",
                parameter="seed",
                met=describe_value(call.seed),
                expected="no seed",
            )


@dataclass(slots=True)
class _Gathered:
    """The faults of one call, gathered while it is checked."""

    capability: Capability
    faults: list[dict[str, Any]] = field(default_factory=list)
    has_duplicate: bool = False

    def convert_value(self, name: str, convert: Convert, value: object) -> object:
        try:
            return convert(value)
        except MisfitError as misfit:
            self.note(name, misfit.met, misfit.expected, index=misfit.index)
            return None

    def note(
        self,
        name: str,
        met: str,
        expected: str,
        near: Sequence[str] = (),
        *,
        index: int | None = None,
        is_duplicate: bool = False,
    ) -> None:
        fault: dict[str, object] = {"parameter": name, "met": met, "expected": expected}
        if index is not None:
            fault["index"] = index
        if near:
            fault["did_you_mean"] = list(near)
        self.has_duplicate = self.has_duplicate or is_duplicate
        # The leading fault is the one that the code names.
        self.faults.insert(0 if is_duplicate else len(self.faults), fault)

    def refuse(self) -> NoReturn:
        meant = [fault["did_you_mean"][0] for fault in self.faults if fault.get("did_you_mean")]
        # A parameter that was misspelt is not also told to be missing.
        counted = [each for each in self.faults if not (each["met"] == "missing" and each["parameter"] in meant)]
        told = [_format_fault(fault) for fault in counted[:TOLD_FAULTS]]
        more = len(counted) - len(told)
        kind: type[ServiceError] = DuplicateArgumentBindingError if self.has_duplicate else InvalidIntentError
        near = self.faults[0].get("did_you_mean")
        raise kind(
            f"{self.capability.id}: {'; '.join(told)}{f'; and {more} more' if more else ''}.",
            hint=f"Did you mean {' and '.join(f'`{name}`' for name in meant[:TOLD_FAULTS])}?" if meant else None,
            **{key: value for key, value in self.faults[0].items() if key != "did_you_mean"},
            did_you_mean=near,
            faults=self.faults[:MOST_FAULTS],
        )


def _format_fault(fault: Mapping[str, Any]) -> str:
    name = fault["parameter"] if len(fault["parameter"]) <= 60 else f"{fault['parameter'][:57]}..."
    if fault["met"] == UNKNOWN:
        return f"unknown parameter `{name}`"
    at = f"[{fault['index']}]" if "index" in fault else ""
    return f"{name}{at} is {fault['met']}, expected {fault['expected']}"


# --- a call in words ------------------------------------------------------------------------------------------------

PROMISES: Mapping[Tier, str] = {
    "certified": "The value is proven to be the correctly rounded result of the formula for exactly these arguments: "
    "the same on every machine.",
    "pinned": "The value has the same bits wherever the pinned runtime runs.",
    "seeded": "The value has the same bits wherever the pinned runtime runs with this seed.",
}
UNPINNED = "This run was not inside the pinned runtime: the last digits may depend on libraries and processor."
MOST_ITEMS = 8  # of an array that is written out
MOST_CHARS = 60  # of a text or a number
_KEPT_CHARS = 20  # at each end of a longer one
SHOWN_VALUES = 20  # of an array in a card's view


def describe_promise(tier: Tier, *, is_pinned: bool) -> str:
    """Describe the promise of a tier for a value, in a sentence or two."""
    return PROMISES[tier] if tier == "certified" or is_pinned else f"{PROMISES[tier]} {UNPINNED}"


def format_call(checked: Checked, bound: Sequence[Bound], columns: Mapping[str, str] = MappingProxyType({})) -> str:
    """Format the call for people: `finance.npv(rate=0.1, cashflows=budget.flow)`.

    `columns` are written as they stand, in place of those that were bound.
    """
    names = checked.capability.names
    said = {name: _format_literal(value) for name, value in zip(names, checked.args, strict=False)}
    said |= {name: _format_literal(value) for name, value in checked.kwargs.items()}
    for one in bound:
        said |= _format_columns(one)
    said |= columns
    parts = [f"{name}={said[name]}" for name in names]
    if checked.seed is not None:
        parts.append(f"seed={checked.seed}")
    return f"{checked.capability.id}({', '.join(parts)})"


def _format_columns(one: Bound) -> dict[str, str]:
    filtered = " (filtered)" if one.filter else ""
    pairs = zip(one.binding.parameters, one.fields, strict=True)
    source = write_name(one.binding.source)
    return {parameter: f"{source}.{write_name(field)}{filtered}" for parameter, field in pairs}


def _format_literal(value: object) -> str:
    if isinstance(value, list | np.ndarray):
        few = len(value) <= MOST_ITEMS
        some = value if few else value[:3]
        items = ", ".join(map(_format_literal, some.tolist() if isinstance(some, np.ndarray) else some))
        return f"[{items}]" if few else f"[{items}, … {len(value):,} items]"
    text = write_canonical_text(value)
    return text if len(text) <= MOST_CHARS else f"{text[:_KEPT_CHARS]}…{text[-_KEPT_CHARS:]}"


# --- a value in words -----------------------------------------------------------------------------------------------


def encode_value(value: object) -> object:
    """Return a value as JSON carries it without loss: whole numbers beyond 2**53 - 1 are texts of their digits."""
    if type(value) is float:
        return value
    if type(value) is int:
        return value if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, dict):
        return {name: encode_value(item) for name, item in value.items()}
    if isinstance(value, list):
        return [encode_value(item) for item in value]
    return value


def list_result_columns(result: Mapping[str, str]) -> list[str]:
    """List the names of the columns in which a card shows a result of the contract."""
    if result["type"] == "record":
        return ["name", "value", "unit"]
    if result["type"].endswith("[][]"):
        return []  # as many as the matrix has
    return ["item", "value"] if result["type"].endswith("[]") else ["value", "unit", "about"]


def list_result_rows(value: object, result: Mapping[str, object]) -> list[list[str]]:
    """List the rows in which a card shows a value: exact texts, and of an array the first items."""
    if isinstance(value, dict):
        fields: Mapping[str, Mapping[str, str]] = result["fields"]  # type: ignore[assignment]
        return [[name, _show_value(value[name]), fields[name].get("unit", "1")] for name in sorted(fields)]
    if not isinstance(value, list):
        return [[_show_value(value), str(result.get("unit", "1")), str(result.get("about", ""))]]
    if str(result["type"]).endswith("[][]"):
        return [[_show_value(item) for item in row[:SHOWN_VALUES]] for row in value[:SHOWN_VALUES]]
    return [[str(index), _show_value(item)] for index, item in enumerate(value[:SHOWN_VALUES])]


def _show_value(value: object) -> str:
    """Return the exact text of a value: its canonical JSON, without quotes; long lists are cut."""
    if isinstance(value, list):
        cut = value[:SHOWN_VALUES]
        return "[" + ", ".join(map(_show_value, cut)) + (", …]" if len(value) > len(cut) else "]")
    ready = encode_value(value)
    return ready if isinstance(ready, str) else write_canonical_text(ready)
