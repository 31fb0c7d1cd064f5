"""What a computation is: its identity, and the three hashes over identity, arguments and value.

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
from service_nb.core.canonical import canonical_bytes, canonical_text, float_text
from service_nb.core.digest import COMPUTATION_DOMAIN, INVOCATION_DOMAIN, sha256_blocks, sha256_hex
from service_nb.core.vectors import vector_blocks
from service_nb.schema.compute import Bound, Checked


def execution_scope(platform: str, mode: str) -> str:
    """Return where a computation runs, as its identity says it: `linux-x64:local`."""
    return f"{platform}:{mode}"


def value_blocks(value: Any) -> Iterator[bytes]:
    """Yield the canonical JSON of an argument or a value; long arrays in pieces."""
    if type(value) is float:
        yield float_text(value).encode()
    elif isinstance(value, np.ndarray) and value.ndim == 1:
        yield from vector_blocks(value)
    elif isinstance(value, np.ndarray) or _holds_long(value):
        yield from _joined(value)
    elif isinstance(value, list) and len(value) > LONG:
        yield from vector_blocks(value)
    else:
        yield canonical_bytes(value)


def _holds_long(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(item, np.ndarray | list) and len(item) > LONG for item in value)


def _joined(items: Iterable[object]) -> Iterator[bytes]:
    separator = b"["
    for item in items:
        yield separator
        yield from value_blocks(item)
        separator = b","
    yield b"[]" if separator == b"[" else b"]"


def arguments_blocks(arguments: Sequence[object]) -> Iterator[bytes]:
    """Yield the canonical JSON of the positional arguments, which `input_hash` covers."""
    return value_blocks(list(arguments)) if _is_short(arguments) else _joined(arguments)


def _is_short(arguments: Iterable[Any]) -> bool:
    for item in arguments:
        kind = type(item)
        if kind is not float and (kind is np.ndarray or (kind is list and len(item) > LONG)):
            return False
    return True


def input_hash(arguments: Sequence[object]) -> str:
    """Return the hash of the assembled positional arguments; no domain string stands before them."""
    return sha256_blocks(arguments_blocks(arguments))


def columns_hash(columns: Sequence[object]) -> str:
    """Return a binding's `input_hash`: of its vector, or of the array of its vectors in the order of its fields."""
    return sha256_blocks(value_blocks(columns[0]) if len(columns) == 1 else _joined(columns))


def invocation_hash(identity: Iterable[bytes]) -> str:
    """Return the hash of a computation before it runs: the blocks are its identity's canonical JSON."""
    return sha256_blocks((INVOCATION_DOMAIN.encode() + b"\0", *identity))


def computation_hash(invocation_hash: str, value: Iterable[bytes]) -> str:
    """Return the hash of a computation after it ran: the blocks are its value's canonical JSON."""
    return sha256_blocks((COMPUTATION_DOMAIN.encode() + b"\0", invocation_hash.encode(), *value))


def identity_blocks(checked: Checked, bound: Sequence[Bound], *, contract_hash: str, scope: str) -> Iterator[bytes]:
    """Yield the canonical JSON of a computation's identity."""
    middle, end = _between(checked, contract_hash, scope), _after(checked, bound)
    yield b'{"args":'
    yield from arguments_blocks(checked.args)
    yield middle.encode()
    yield from _object_blocks(checked.kwargs)
    yield end.encode()


def _between(checked: Checked, contract_hash: str, scope: str) -> str:
    return (
        f',"contract_hash":"{contract_hash}","execution_scope":"{scope}"'
        f',"function":"{checked.capability.function}","kwargs":'
    )


def _after(checked: Checked, bound: Sequence[Bound]) -> str:
    resolved = canonical_text([_resolved(one) for one in bound]) if bound else "[]"
    seed = "null" if checked.seed is None else str(checked.seed)
    return f',"module":"{checked.capability.module}","resolved_bindings":{resolved},"seed":{seed}}}'


def hashes(
    checked: Checked, bound: Sequence[Bound], arguments: Sequence[object], *, contract_hash: str, scope: str
) -> tuple[str, str]:
    """Return `invocation_hash` and `input_hash`. Short arguments are written once for both; long ones are streamed."""
    if not _is_short(arguments):
        identity = identity_blocks(checked, bound, contract_hash=contract_hash, scope=scope)
        return invocation_hash(identity), input_hash(arguments)
    names = checked.capability.names
    texts = list(map(_text, arguments))
    args = vector = ",".join(texts)
    kwargs = ""
    if len(checked.args) < len(names):
        named = dict(zip(names, texts, strict=True))
        args = ",".join(texts[: len(checked.args)])
        kwargs = ",".join([f'"{name}":{named[name]}' for name in sorted(checked.kwargs)])
    middle, end = _between(checked, contract_hash, scope), _after(checked, bound)
    identity_text = f'{{"args":[{args}]{middle}{{{kwargs}}}{end}'
    return invocation_hash((identity_text.encode(),)), sha256_hex(f"[{vector}]".encode())


def _text(value: object) -> str:
    if type(value) is float:
        return float_text(value)
    if type(value) is list and value and type(value[0]) is float:  # one type an array
        return f"[{','.join(map(float_text, value))}]"
    return canonical_text(value)


def _object_blocks(values: Mapping[str, object]) -> Iterator[bytes]:
    if _is_short(values.values()):
        yield canonical_bytes(dict(values))
        return
    separator = b"{"
    for name in sorted(values):  # parameters have ASCII names
        yield separator + canonical_bytes(name) + b":"
        yield from value_blocks(values[name])
        separator = b","
    yield b"}"


def _resolved(one: Bound) -> dict[str, Any]:
    parameters = one.binding.parameters
    named = {"parameters": list(parameters)} if one.binding.is_rowwise else {"parameter": parameters[0]}
    return {**named, "source_name": one.binding.source, "fields": list(one.fields), "input_hash": one.input_hash}


def positional(checked: Checked, bound: Sequence[Bound]) -> list[object]:
    """Return the arguments in the order of the capability's parameters."""
    if len(checked.args) == len(checked.capability.names):
        return list(checked.args)
    given = dict(zip(checked.capability.names, checked.args, strict=False)) | dict(checked.kwargs)
    for one in bound:
        given.update(zip(one.binding.parameters, one.values, strict=True))
    return [given[name] for name in checked.capability.names]
