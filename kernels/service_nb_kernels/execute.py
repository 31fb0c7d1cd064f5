"""Running a capability: arguments checked against the contract, the value settled by its tier."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from flint import arb, ctx

from service_nb_kernels import constants
from service_nb_kernels.arguments import Checked, checker, exact
from service_nb_kernels.certified.rounding import set_deadline, settle, to_float
from service_nb_kernels.contract import capabilities
from service_nb_kernels.declare import WHOLE_LINE, Capability, Result, split_type
from service_nb_kernels.domain import Domain, parse_domain
from service_nb_kernels.errors import DomainError, KernelError, LimitError, PackError, SeedError, Undecided
from service_nb_kernels.formula.evaluate import Balls, Rationals, compile_tree
from service_nb_kernels.formula.parse import parse
from service_nb_kernels.numeric import is_array, is_numpy_loaded, np

Value = Any
Check = Callable[[Sequence[Any]], Checked]
Run = Callable[[Checked, int | None], Value]
_flint = threading.RLock()  # flint's working precision is one for the process


class Executor:
    """Runs the capabilities of the contract, each compiled when it is first called."""

    def __init__(self, declared: Mapping[str, Capability] | None = None) -> None:
        self._declared = capabilities() if declared is None else declared
        self._compiled: dict[str, tuple[Check, Run]] = {}

    def tier(self, capability_id: str) -> str | None:
        """Return what a capability promises; None if there is none of that name."""
        return self._declared[capability_id].tier if capability_id in self._declared else None

    def execute(
        self, capability_id: str, arguments: Sequence[Any], *, seed: int | None = None, timeout_s: float | None = None
    ) -> Value:
        """Return the value of a capability.

        Parameters
        ----------
        arguments : sequence
            One for each parameter in order, of the declared type: float, int, str, bool, lists or arrays of them.
        seed : int, optional
            For capabilities of the seeded tier, and only for them.

        Raises
        ------
        DomainError [domain_error], ShapeError [invalid_intent], LimitError [limit_exceeded], Undecided [undecided]
        """
        check, run = self._compiled.get(capability_id) or self._compile(capability_id)
        with _flint:
            before = ctx.prec  # the caller may use flint too
            if timeout_s is not None:
                set_deadline(timeout_s)
            try:
                return run(check(arguments), seed)
            except (RecursionError, MemoryError):
                raise LimitError("The call needs more memory than it may have.") from None
            finally:
                ctx.prec = before
                if timeout_s is not None:
                    set_deadline(None)

    def _compile(self, capability_id: str) -> tuple[Check, Run]:
        declared = self._declared[capability_id]
        made = checker(declared), compiled(declared)
        self._compiled[capability_id] = made
        return made


def compiled(declared: Capability) -> Run:
    """Return how a capability runs."""
    run = _formula(declared) if declared.formula is not None else _function(declared)
    return _typed(run, declared)


def _formula(declared: Capability) -> Run:
    tree = declared.tree if declared.tree is not None else parse(str(declared.formula))
    in_balls = compile_tree(tree, Balls(), constants.trees())
    rationals = Rationals()
    in_rationals = cache(lambda: compile_tree(tree, rationals, constants.trees()))
    names = [param.name for param in declared.params]
    is_real = [param.scalar == "float64" for param in declared.params]
    into_balls = [
        (_balls if param.shape else arb) if param.scalar == "float64" else lambda value: value
        for param in declared.params
    ]

    def fractions(checked: Checked) -> Value:
        exactly = (exact(value, rationals) if real else value for real, value in zip(is_real, checked, strict=True))
        return in_rationals()(dict(zip(names, exactly, strict=True)))

    def run(checked: Checked, _: int | None) -> Value:
        environment = {name: into(value) for name, into, value in zip(names, into_balls, checked, strict=True)}
        return settle(in_balls, environment, lambda: fractions(checked))

    def run_doubles(checked: Checked, _: int | None) -> Value:
        return settle(in_balls, dict(zip(names, map(arb, checked), strict=True)), lambda: fractions(checked))

    return run_doubles if all(into is arb for into in into_balls) else run


def _balls(value: Any) -> list[Any]:
    items = value.tolist() if is_array(value) else value
    return [_balls(item) if isinstance(item, list) else arb(item) for item in items]


def _function(declared: Capability) -> Run:
    module, _, name = str(declared.entry or declared.call).partition(":")
    function = getattr(importlib.import_module(module), name)
    arrays = [param.scalar == "float64" and bool(param.shape) for param in declared.params]

    def prepared(checked: Checked) -> list[Any]:
        return [
            np.ascontiguousarray(value, dtype=np.float64) if is_array else value
            for value, is_array in zip(checked, arrays, strict=True)
        ]

    if declared.tier == "certified":

        def certified(checked: Checked, _: int | None) -> Value:
            arguments = prepared(checked)
            return settle(lambda given: function(*given), arguments)

        return certified
    if declared.tier == "seeded":
        from service_nb_kernels.seeded.words import Words  # noqa: PLC0415  # only simulations need NumPy in any case

        def seeded(checked: Checked, seed: int | None) -> Value:
            if seed is None:
                raise SeedError(f"{declared.id} needs a seed.")
            with np.errstate(over="ignore", invalid="ignore"):  # a result that is not finite is refused below
                return _plain(function(*prepared(checked), words=Words(seed)))

        return seeded
    return lambda checked, _: _plain(function(*prepared(checked)))


def _plain(value: Any) -> Any:
    """A library's value as plain Python."""
    if is_array(value):
        return value.tolist()
    if is_numpy_loaded() and isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _typed(run: Run, declared: Capability) -> Run:
    """Give numbers the type that the result declares: a whole value of a float64 is a double, one zero, all finite."""
    convert = _converter(declared)
    return lambda checked, seed: convert(run(checked, seed))


def _converter(declared: Capability) -> Callable[[Any], Any]:
    if declared.result.fields:
        fields = {name: _item_converter(field, name) for name, field in declared.result.fields.items()}

        def record(value: Any) -> Any:
            if value.keys() != fields.keys():
                raise PackError(f"{declared.id} returns {sorted(value)}; it declares {sorted(fields)}.")
            return {name: fields[name](value[name]) for name in fields}

        return record
    return _item_converter(declared.result, declared.result.name)


def _item_converter(result: Result, name: str | None) -> Callable[[Any], Any]:
    type_, scalar = result.type, split_type(result.type)[0]
    leaves: dict[str, Callable[[Any], Any]] = {"float64": _double, "int": _integer}
    leaf = leaves.get(scalar, lambda value: value)
    if result.range != WHOLE_LINE:
        leaf = _keep_in_range(leaf, parse_domain(result.range), f"the result {name}" if name else "the result")

    def convert(value: Any) -> Any:
        return [convert(item) for item in value] if isinstance(value, list) else leaf(value)

    return leaf if "[" not in type_ else convert


def _keep_in_range(convert: Callable[[Any], Any], held: Domain, name: str) -> Callable[[Any], Any]:
    """Refuse a value outside of the declared range: nothing that the formula describes has such arguments."""
    low, high = held.low, held.high

    def keep(value: Any) -> Any:
        number = convert(value)
        if not low < number < high and number not in held:
            raise DomainError(name, number, f"a number in {held}")
        return number

    return keep


def _double(value: Any) -> float:
    if type(value) is float and value - value == 0:
        return value + 0.0
    if isinstance(value, int):
        return to_float(value)
    if value - value != 0:  # NaN or an infinity
        raise Undecided("The algorithm gave no finite number.")
    return float(value) + 0.0


def _integer(value: Any) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, int):
        raise KernelError(f"A whole number was promised, not {value!r:.40}.")
    return value
