"""Arguments: literals in their declared types, columns as arguments, and the hashes over both and over the value.

What a value means is never guessed; what would lose digits is refused.

=============  =========================================================================================
declared       taken
=============  =========================================================================================
float64        finite numbers that a double holds exactly (so not 2**53 + 1), and decimals, of which the nearest double
               is taken, as of 0.1 in a line; negative zero becomes zero
int            whole numbers of up to 4,300 digits; beyond 2**53 - 1 also, and on the wire always, as text
bool, string   themselves
arrays         lists, tuples, NumPy arrays, and what turns itself into one (`__array__`), of the same items
=============  =========================================================================================

Rows of a column keep the order of their source. Rowwise columns of paired parameters stay aligned: a row with a null in
any of them is dropped from all. Those of independent samples lose their own nulls alone, see `compute.samples`.

::

    identity         = {"args", "contract_hash", "execution_scope", "function", "kwargs", "module",
                        "resolved_bindings", "seed"}                                  as canonical JSON
    invocation_hash  = SHA-256 over "service:invocation:v1" NUL identity              known before the run
    computation_hash = SHA-256 over "service:computation:v1" NUL invocation_hash value
    input_hash       = SHA-256 over the positional arguments as one array: [0.1,[-1000,300,420,560,680]]

`args` and `kwargs` are the literals as given, in their declared types. Each bound parameter is in `resolved_bindings`
as `{"input_hash"}`, the hash of its column, in the order of the capability's parameters; the provenance says where the
column came from. Whole numbers beyond 2**53 - 1 are texts of their digits, in arguments and in values: JSON readers
would round them.
"""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service_nb.compute.samples import group_paired, has_nulls, write_selections
from service_nb.core.canonical import (
    MAX_DIGITS,
    MAX_SAFE_INTEGER,
    write_canonical_bytes,
    write_canonical_text,
    write_float,
)
from service_nb.core.canonical_vectors import encode_vector_blocks
from service_nb.core.digest import COMPUTATION_DOMAIN, INVOCATION_DOMAIN, compute_blocks_sha256, compute_sha256_hex
from service_nb.core.words import describe_value
from service_nb.errors import InvalidIntentError
from service_nb.schema.compute import Binding, Bound, Checked, Parameter, Scalar, Vector
from service_nb.schema.source import Field, Value

LONG = 1_000  # items, from which on an array of doubles is one of NumPy's
MAX_ITEMS = 50_000_000  # of one array
MAX_CHARS = 1_000_000  # of one text
_WHOLE = re.compile(r"-?[0-9]+", re.ASCII)
_MOST_BITS = int(MAX_DIGITS * math.log2(10))

Convert = Callable[[object], object]
EXPECTED: dict[Scalar, str] = {
    "float64": "a finite number that a float64 holds exactly",
    "int": f"a whole number of at most {MAX_DIGITS:,} digits",
    "bool": "true or false",
    "string": f"text of at most {MAX_CHARS:,} characters",
}


class MisfitError(Exception):
    """A value does not have the declared type: what was met, what was expected, and at which item."""

    def __init__(self, met: str, expected: str, index: int | None = None) -> None:
        super().__init__(met, expected)
        self.met, self.expected, self.index = met, expected, index


def build_converter(parameter: Parameter) -> Convert:
    """Build the function that converts a literal to the parameter's type, or raises `MisfitError`."""
    item = _ITEMS[parameter.scalar]
    if not parameter.shape:
        return item
    vector = _convert_floats if parameter.scalar == "float64" else _build_vector_converter(item)
    if len(parameter.shape) == 1:
        return vector
    return lambda value: _convert_matrix(value, vector)


def _convert_float(value: object) -> float:
    if type(value) is float:
        number = value
    elif isinstance(value, float | np.floating):
        number = float(value)
        exact = value == number
        if not exact and value == value:  # a wider float of NumPy's
            raise MisfitError(f"a {type(value).__name__} beyond float64", EXPECTED["float64"])
    elif isinstance(value, int | np.integer) and not isinstance(value, bool):
        number = _convert_exactly(int(value))
    elif isinstance(value, Decimal):
        number = float(value) if value.is_finite() else math.nan
    else:
        raise MisfitError(describe_value(value), EXPECTED["float64"])
    if not math.isfinite(number):
        raise MisfitError(describe_value(value if isinstance(value, Decimal) else number), EXPECTED["float64"])
    return number + 0.0


def _convert_exactly(value: int) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise MisfitError("a number beyond the range of float64", EXPECTED["float64"]) from None
    if number != value:
        raise MisfitError(f"{describe_value(value)}, which no float64 holds exactly", EXPECTED["float64"])
    return number


def _convert_int(value: object) -> int:
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        whole = int(value)
        if whole.bit_length() > _MOST_BITS:
            raise MisfitError(f"a number of {whole.bit_length():,} bits", EXPECTED["int"])
        return whole
    if isinstance(value, Decimal) and value.is_finite() and value.adjusted() < MAX_DIGITS and value == int(value):
        return int(value)
    # A number of JSON has no type: 3.0 is the text of 3 in every language but this one.
    if isinstance(value, float) and abs(value) <= MAX_SAFE_INTEGER and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) <= MAX_DIGITS and _WHOLE.fullmatch(value):
        return int(value)
    met = (
        f"text of {len(value):,} characters"
        if isinstance(value, str) and len(value) > MAX_DIGITS
        else describe_value(value)
    )
    raise MisfitError(met, EXPECTED["int"])


def _convert_bool(value: object) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise MisfitError(describe_value(value), EXPECTED["bool"])


def _convert_string(value: object) -> str:
    if not isinstance(value, str):
        raise MisfitError(describe_value(value), EXPECTED["string"])
    if len(value) > MAX_CHARS:
        raise MisfitError(f"text of {len(value):,} characters", EXPECTED["string"])
    try:
        value.encode()
    except UnicodeEncodeError:
        raise MisfitError("text with a lone surrogate", "text that can be encoded") from None
    return str(value)


_ITEMS: dict[Scalar, Convert] = {
    "float64": _convert_float,
    "int": _convert_int,
    "bool": _convert_bool,
    "string": _convert_string,
}


def _require_items(value: object) -> Any:
    """Require a list, tuple or array of at most `MAX_ITEMS`; the items themselves are not checked."""
    if not isinstance(value, list | tuple | np.ndarray) and hasattr(value, "__array__"):
        value = np.asarray(value)
    if isinstance(value, np.ma.MaskedArray) or not isinstance(value, list | tuple | np.ndarray):
        raise MisfitError(describe_value(value), "a list")
    if isinstance(value, np.ndarray) and value.ndim == 0:
        raise MisfitError("an array without dimensions", "a list")
    count = value.size if isinstance(value, np.ndarray) else len(value)
    if count > MAX_ITEMS:
        raise MisfitError(f"{count:,} items", f"at most {MAX_ITEMS:,} items")
    return value


def _convert_floats(value: object) -> object:
    items = _require_items(value)
    if isinstance(items, np.ndarray):
        if items.ndim == 1 and items.dtype.kind == "f" and items.dtype.itemsize <= 8:
            return _require_finite(items.astype(np.float64, copy=False))
        items = items.tolist() if items.ndim == 1 else list(items)
    kinds = set(map(type, items))
    if not kinds <= {float}:
        items = _convert_numbers(items) if kinds <= {float, int} else _convert_each(_convert_float, items)
    if len(items) > LONG:
        return _require_finite(np.array(items, dtype=np.float64))
    if not all(map(math.isfinite, items)):
        items = _convert_each(_convert_float, items)
    return [item + 0.0 for item in items]


def _convert_numbers(items: Sequence[Any]) -> list[float]:
    """Convert numbers to doubles: all at once if each is exact, else one by one, to find the first that is not."""
    try:
        doubles = list(map(float, items))
    except OverflowError:
        return _convert_each(_convert_float, items)
    return doubles if all(map(operator.eq, doubles, items)) else _convert_each(_convert_float, items)


def _require_finite(values: np.ndarray[Any, np.dtype[np.float64]]) -> Any:
    """Require finite doubles and drop the sign of zeros; raise `MisfitError` at the first that is not finite."""
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        first = int(bad[0])
        raise MisfitError(describe_value(float(values[first])), EXPECTED["float64"], first)
    return values + 0.0


def _convert_each(item: Convert, items: Sequence[object]) -> list[Any]:
    """Convert every item; a `MisfitError` has the index of the one that failed."""
    converted: list[object] = []
    try:
        for value in items:
            converted.append(item(value))  # noqa: PERF401  # its length says where a fault is
    except MisfitError as misfit:
        raise MisfitError(misfit.met, misfit.expected, len(converted)) from None
    return converted


def _build_vector_converter(item: Convert) -> Convert:
    def convert_vector(value: object) -> list[object]:
        items = _require_items(value)
        return _convert_each(item, items.tolist() if isinstance(items, np.ndarray) and items.ndim == 1 else items)

    return convert_vector


def _convert_matrix(value: object, vector: Convert) -> object:
    items = _require_items(value)
    if isinstance(items, np.ndarray) and items.ndim == 2 and items.dtype == np.float64:
        flat = _require_finite(items.reshape(-1))
        return flat.reshape(items.shape)
    rows = _convert_each(vector, items)
    if not any(isinstance(row, np.ndarray) for row in rows):
        return rows
    return np.array(rows) if len(set(map(len, rows))) == 1 else [list(map(float, row)) for row in rows]


# --- columns --------------------------------------------------------------------------------------------------------

EXACT_TO = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingColumns:
    """The columns read for a binding: one for each of its fields, all of the same length."""

    fields: tuple[Field, ...]
    vectors: tuple[Vector, ...]
    schema_revision: str
    filter: Mapping[str, object] | None = None  # resolved, as JSON
    source_rows: int | None = None  # None of a live source

    def take_rows(self, rows: NDArray[np.intp]) -> BindingColumns:
        """Return these columns with only the given rows."""
        return replace(self, vectors=tuple(_select_rows(vector, rows) for vector in self.vectors))


def _select_rows(vector: Vector, rows: NDArray[np.intp]) -> Vector:
    values = vector.values
    some = values[rows] if isinstance(values, np.ndarray) else [values[row] for row in rows.tolist()]
    return Vector(some, None if vector.nulls is None else vector.nulls[rows])


def bind(binding: Binding, parameters: Sequence[Parameter], columns: BindingColumns) -> tuple[Bound, ...]:
    """Return the values that a binding gives to its parameters.

    Where there are nulls, those that are not paired are bound by themselves: each loses its own nulls alone.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        Nulls that are not to be dropped, values that do not have the parameter's type, or several values for one.
    """
    groups = group_paired(parameters)
    if len(groups) == 1 or not any(has_nulls(vector) for vector in columns.vectors):
        return (bind_rows(binding, parameters, columns),)
    parts = []
    for group in groups:
        places = [at for at, parameter in enumerate(parameters) if parameter.name in group]
        part = replace(binding, parameters=_pick(binding.parameters, places), fields=_pick(binding.fields, places))
        some = replace(columns, fields=_pick(columns.fields, places), vectors=_pick(columns.vectors, places))
        parts.append((part, _pick(parameters, places), some))
    hint = f"{_DROP_HINT}: each sample loses its own.{write_selections(parts)}"
    return tuple(bind_rows(*part, null_hint=hint) for part in parts)


_DROP_HINT = 'Drop them with null_policy="drop", in a line --null-policy drop'


def _pick(items: Sequence[Any], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple(items[at] for at in places)


def bind_rows(
    binding: Binding, parameters: Sequence[Parameter], columns: BindingColumns, *, null_hint: str | None = None
) -> Bound:
    """Return the values that a binding gives to its parameters, row by row; `null_hint` is of parts of a binding.

    Raises
    ------
    InvalidIntentError [invalid_intent]
        As `bind`.
    """
    size = len(columns.vectors[0].values)
    columns, dropped = _drop_nulls(binding, columns, size, null_hint)
    vectors = [
        _convert_values(parameter, field, vector.values)
        for parameter, field, vector in zip(parameters, columns.fields, columns.vectors, strict=True)
    ]
    values = [
        vector if parameter.shape else _require_single(parameter, field, vector)
        for parameter, field, vector in zip(parameters, columns.fields, vectors, strict=True)
    ]
    hashes = tuple(compute_blocks_sha256(iter_value_blocks(vector)) for vector in vectors)
    return Bound(
        binding=binding,
        fields=tuple(field.name for field in columns.fields),
        values=tuple(values),
        schema_revision=columns.schema_revision,
        row_count=size - dropped,
        dropped=dropped,
        input_hash=hashes[0] if len(vectors) == 1 else compute_blocks_sha256(_iter_list_blocks(vectors)),
        input_hashes=hashes,
        filter=columns.filter,
        source_rows=columns.source_rows,
    )


def _drop_nulls(binding: Binding, columns: BindingColumns, size: int, hint: str | None) -> tuple[BindingColumns, int]:
    masks = [vector.nulls for vector in columns.vectors if vector.nulls is not None]
    null = np.logical_or.reduce(masks) if masks else np.zeros(size, np.bool_)
    dropped = int(null.sum())
    if not dropped:
        return columns, 0
    if binding.null_policy == "refuse":
        at = next(place for place, vector in enumerate(columns.vectors) if has_nulls(vector))
        raise _misfit_error(
            binding.parameters[at],
            columns.fields[at],
            f"{dropped:,} of {size:,} rows with a null",
            "none",
            hint=hint
            or 'Drop those rows with null_policy="drop", in a line --null-policy drop; or exclude them with a filter.',
        )
    return columns.take_rows(np.flatnonzero(~null)), dropped


def _convert_values(parameter: Parameter, field: Field, values: Any) -> Any:
    if len(parameter.shape) > 1:
        raise _misfit_error(parameter.name, field, "one column", f"a matrix, {parameter.type}")
    try:
        if parameter.scalar == "float64":
            doubles = _convert_doubles(values)
            return doubles if len(doubles) > LONG else doubles.tolist()
        return _convert_each(_ITEMS[parameter.scalar], values.tolist() if isinstance(values, np.ndarray) else values)
    except MisfitError as misfit:
        raise _misfit_error(parameter.name, field, misfit.met, misfit.expected, index=misfit.index) from None


def _convert_doubles(values: Any) -> NDArray[np.float64]:
    if isinstance(values, np.ndarray) and values.dtype.kind == "i":
        inexact = np.flatnonzero((values > EXACT_TO) | (values < -EXACT_TO))
        try:
            _convert_each(_ITEMS["float64"], values[inexact].tolist())
        except MisfitError as misfit:
            raise MisfitError(misfit.met, misfit.expected, int(inexact[misfit.index or 0])) from None
        return values.astype(np.float64)
    if not isinstance(values, np.ndarray):
        # A decimal is what was written; the nearest double is taken, as for a literal. Text and dates are no numbers.
        values = np.array(_convert_each(_convert_decimal, values), dtype=np.float64)
    doubles: NDArray[np.float64] = _require_finite(values)
    return doubles


def _convert_decimal(value: object) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise MisfitError(_describe_no_number(value), "a number")


def _describe_no_number(value: object) -> str:
    if isinstance(value, datetime.date):  # a time is one, too
        return f"the {'time' if isinstance(value, datetime.datetime) else 'date'} {value.isoformat()}"
    return f"{'the text ' if isinstance(value, str) else ''}{describe_value(value)}"


def _require_single(parameter: Parameter, field: Field, vector: Any) -> Any:
    if len(vector) != 1:
        raise _misfit_error(parameter.name, field, f"{len(vector):,} values", f"exactly one, for {parameter.type}")
    return vector[0]


def _misfit_error(
    parameter: str, field: Field, met: str, expected: str, *, index: int | None = None, hint: str | None = None
) -> InvalidIntentError:
    at = "" if index is None else f" (value {index + 1:,})"
    return InvalidIntentError(
        f"{parameter} is bound to {describe_value(field.name)}{at}, which has {met}; expected {expected}.",
        hint=hint,
        parameter=parameter,
        field=field.name,
        met=met,
        expected=expected,
        index=index,
    )


def group_rows(vector: Vector) -> list[tuple[Value, NDArray[np.intp]]]:
    """Group the rows of a column by value: values sorted, null last."""
    values = vector.values.tolist() if isinstance(vector.values, np.ndarray) else vector.values
    nulls: Iterable[bool] = vector.nulls.tolist() if vector.nulls is not None else [False] * len(values)
    rows: dict[Value, list[int]] = {}
    for row, (value, is_null) in enumerate(zip(values, nulls, strict=True)):
        rows.setdefault(None if is_null else value, []).append(row)
    ranked: list[Any] = sorted(key for key in rows if key is not None)
    return [(key, np.array(rows[key], dtype=np.intp)) for key in (*ranked, *([None] if None in rows else []))]


def describe_binding(bound: Bound) -> dict[str, object]:
    """Describe a binding for `provenance.bindings`. `row_count` counts the rows that were used.

    Of several columns `input_hash` is of all as one array, and `input_hashes` has that of each, as in the identity.
    """
    binding = bound.binding
    return {
        "source_name": binding.source,
        "fields": list(bound.fields),
        "parameters": list(binding.parameters),
        "schema_revision": bound.schema_revision,
        "row_count": bound.row_count,
        "dropped": bound.dropped,
        "input_hash": bound.input_hash,
        **({"input_hashes": list(bound.input_hashes)} if len(bound.fields) > 1 else {}),
        **({} if bound.filter is None else {"filter": bound.filter}),
        **({} if bound.source_rows is None else {"source_rows": bound.source_rows}),
    }


# --- identity and hashes --------------------------------------------------------------------------------------------


def write_scope(platform: str, mode: str) -> str:
    """Write the execution scope of a computation's identity: `linux-x64:local`."""
    return f"{platform}:{mode}"


def iter_value_blocks(value: Any) -> Iterator[bytes]:
    """Yield the canonical JSON of an argument or a value; long arrays in pieces."""
    if type(value) is float:
        yield write_float(value).encode()
    elif isinstance(value, np.ndarray) and value.ndim == 1:
        yield from encode_vector_blocks(value)
    elif isinstance(value, np.ndarray) or _holds_long(value):
        yield from _iter_list_blocks(value)
    elif isinstance(value, list) and len(value) > LONG:
        yield from encode_vector_blocks(value)
    else:
        yield write_canonical_bytes(value)


def _holds_long(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, np.ndarray | list) and len(item) > LONG for item in value)


def _iter_list_blocks(items: Iterable[object]) -> Iterator[bytes]:
    separator = b"["
    for item in items:
        yield separator
        yield from iter_value_blocks(item)
        separator = b","
    yield b"[]" if separator == b"[" else b"]"


def iter_arguments_blocks(arguments: Sequence[object]) -> Iterator[bytes]:
    """Yield the canonical JSON of the positional arguments, over which the input hash is computed."""
    return iter_value_blocks(list(arguments)) if _is_short(arguments) else _iter_list_blocks(arguments)


def _is_short(arguments: Iterable[Any]) -> bool:
    for item in arguments:
        kind = type(item)
        if kind is not float and (kind is np.ndarray or (kind is list and len(item) > LONG)):
            return False
    return True


def _hash_input(arguments: Sequence[object]) -> str:
    """Hash the positional arguments, without a domain string."""
    return compute_blocks_sha256(iter_arguments_blocks(arguments))


def hash_invocation(identity: Iterable[bytes]) -> str:
    """Hash a computation before it runs, from the canonical JSON of its identity."""
    return compute_blocks_sha256((INVOCATION_DOMAIN.encode() + b"\0", *identity))


def hash_computation(invocation_hash: str, value: Iterable[bytes]) -> str:
    """Hash a computation after it ran, from its invocation hash and the canonical JSON of its value."""
    return compute_blocks_sha256((COMPUTATION_DOMAIN.encode() + b"\0", invocation_hash.encode(), *value))


def iter_identity_blocks(
    checked: Checked, bound: Sequence[Bound], *, contract_hash: str, scope: str
) -> Iterator[bytes]:
    """Yield the canonical JSON of a computation's identity."""
    middle, end = _write_identity_middle(checked, contract_hash, scope), _write_identity_end(checked, bound)
    yield b'{"args":'
    yield from iter_arguments_blocks(checked.args)
    yield middle.encode()
    yield from _iter_object_blocks(checked.kwargs)
    yield end.encode()


def _write_identity_middle(checked: Checked, contract_hash: str, scope: str) -> str:
    return (
        f',"contract_hash":"{contract_hash}","execution_scope":"{scope}"'
        f',"function":"{checked.capability.function}","kwargs":'
    )


def _write_identity_end(checked: Checked, bound: Sequence[Bound]) -> str:
    resolved = write_canonical_text(_list_resolved_bindings(checked, bound)) if bound else "[]"
    seed = "null" if checked.seed is None else str(checked.seed)
    return f',"module":"{checked.capability.module}","resolved_bindings":{resolved},"seed":{seed}}}'


def compute_hashes(
    checked: Checked, bound: Sequence[Bound], arguments: Sequence[object], *, contract_hash: str, scope: str
) -> tuple[str, str]:
    """Compute the invocation hash and the input hash. Short arguments are written once for both; long ones stream."""
    if not _is_short(arguments):
        identity = iter_identity_blocks(checked, bound, contract_hash=contract_hash, scope=scope)
        return hash_invocation(identity), _hash_input(arguments)
    names = checked.capability.names
    texts = list(map(_write_value_text, arguments))
    args = vector = ",".join(texts)
    kwargs = ""
    if len(checked.args) < len(names):
        named = dict(zip(names, texts, strict=True))
        args = ",".join(texts[: len(checked.args)])
        kwargs = ",".join([f'"{name}":{named[name]}' for name in sorted(checked.kwargs)])
    middle, end = _write_identity_middle(checked, contract_hash, scope), _write_identity_end(checked, bound)
    identity_text = f'{{"args":[{args}]{middle}{{{kwargs}}}{end}'
    return hash_invocation((identity_text.encode(),)), compute_sha256_hex(f"[{vector}]".encode())


def _write_value_text(value: object) -> str:
    if type(value) is float:
        return write_float(value)
    if type(value) is list and value and type(value[0]) is float:  # one type an array
        return f"[{','.join(map(write_float, value))}]"
    return write_canonical_text(value)


def _iter_object_blocks(values: Mapping[str, object]) -> Iterator[bytes]:
    if _is_short(values.values()):
        yield write_canonical_bytes(dict(values))
        return
    separator = b"{"
    for name in sorted(values):  # parameters have ASCII names
        yield separator + write_canonical_bytes(name) + b":"
        yield from iter_value_blocks(values[name])
        separator = b","
    yield b"}"


def _list_resolved_bindings(checked: Checked, bound: Sequence[Bound]) -> list[dict[str, str] | None]:
    """List the hash of each bound parameter, in the order of the capability's parameters.

    A parameter that is neither a literal nor bound is `None` if a later one is bound: each place stands for the same
    parameter in all calls with the same literals.
    """
    hashes = {
        name: hash_ for one in bound for name, hash_ in zip(one.binding.parameters, one.input_hashes, strict=True)
    }
    names = [name for name in checked.capability.names[len(checked.args) :] if name not in checked.kwargs]
    last = max(at for at, name in enumerate(names) if name in hashes)
    return [{"input_hash": hashes[name]} if name in hashes else None for name in names[: last + 1]]


def order_arguments(checked: Checked, bound: Sequence[Bound]) -> list[object]:
    """Return the arguments in the order of the capability's parameters."""
    if len(checked.args) == len(checked.capability.names):
        return list(checked.args)
    given = dict(zip(checked.capability.names, checked.args, strict=False)) | dict(checked.kwargs)
    for one in bound:
        given.update(zip(one.binding.parameters, one.values, strict=True))
    return [given[name] for name in checked.capability.names]
