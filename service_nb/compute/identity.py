"""The identity of a computation, and the three hashes over its identity, arguments and value.

::

    identity         = {"args", "contract_hash", "execution_scope", "function", "kwargs", "module",
                        "resolved_bindings", "seed"}                                  as canonical JSON
    invocation_hash  = SHA-256 over "service:invocation:v1" NUL identity              known before the run
    computation_hash = SHA-256 over "service:computation:v1" NUL invocation_hash value
    input_hash       = SHA-256 over the positional arguments as one array: [0.1,[-1000,300,420,560,680]]

`args` and `kwargs` are the literals as given, in their declared types; a bound parameter is in `resolved_bindings` as
`{"parameter", "source_name", "fields", "input_hash"}` (`parameters` where a binding has several). Whole numbers beyond
2**53 - 1 are texts of their digits, in arguments and in values: JSON readers would round them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from service_nb.compute.literals import LONG
from service_nb.core.canonical import write_canonical_bytes, write_canonical_text, write_float
from service_nb.core.digest import COMPUTATION_DOMAIN, INVOCATION_DOMAIN, compute_blocks_sha256, compute_sha256_hex
from service_nb.core.vectors import encode_vector_blocks
from service_nb.schema.compute import Bound, Checked


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


def hash_input(arguments: Sequence[object]) -> str:
    """Hash the positional arguments, without a domain string."""
    return compute_blocks_sha256(iter_arguments_blocks(arguments))


def hash_columns(columns: Sequence[object]) -> str:
    """Compute a binding's input hash: of its vector, or of the array of its vectors in the order of its fields."""
    return compute_blocks_sha256(iter_value_blocks(columns[0]) if len(columns) == 1 else _iter_list_blocks(columns))


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
    resolved = write_canonical_text([_build_resolved_binding(one) for one in bound]) if bound else "[]"
    seed = "null" if checked.seed is None else str(checked.seed)
    return f',"module":"{checked.capability.module}","resolved_bindings":{resolved},"seed":{seed}}}'


def compute_hashes(
    checked: Checked, bound: Sequence[Bound], arguments: Sequence[object], *, contract_hash: str, scope: str
) -> tuple[str, str]:
    """Compute the invocation hash and the input hash. Short arguments are written once for both; long ones stream."""
    if not _is_short(arguments):
        identity = iter_identity_blocks(checked, bound, contract_hash=contract_hash, scope=scope)
        return hash_invocation(identity), hash_input(arguments)
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


def _build_resolved_binding(one: Bound) -> dict[str, Any]:
    parameters = one.binding.parameters
    named = {"parameters": list(parameters)} if one.binding.is_rowwise else {"parameter": parameters[0]}
    return {**named, "source_name": one.binding.source, "fields": list(one.fields), "input_hash": one.input_hash}


def order_arguments(checked: Checked, bound: Sequence[Bound]) -> list[object]:
    """Return the arguments in the order of the capability's parameters."""
    if len(checked.args) == len(checked.capability.names):
        return list(checked.args)
    given = dict(zip(checked.capability.names, checked.args, strict=False)) | dict(checked.kwargs)
    for one in bound:
        given.update(zip(one.binding.parameters, one.values, strict=True))
    return [given[name] for name in checked.capability.names]
