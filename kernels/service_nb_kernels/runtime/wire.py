"""Values as they cross to the runtime and back, the same code at both ends: no rounding, no change of type."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from service_nb_kernels.runtime.runtime_pb2 import Floats, List, Record, Value

if TYPE_CHECKING:
    import numpy as np

INT64 = range(-(2**63), 2**63)
LITTLE = sys.byteorder == "little"


APART = 65_536  # bytes from which on an array is kept apart from the message, where the caller can carry it so
Buffer = bytes | memoryview


def to_message(value: Any, apart: list[Buffer] | None = None) -> Value:
    """Return a value as a message: float, int, bool, str; lists of them, arrays of float64, dicts with text for keys.

    Parameters
    ----------
    apart : list, optional
        Takes the bytes of long arrays, in order, which are then not in the message.

    Raises
    ------
    TypeError
        It is none of these.
    """
    kind = type(value)
    if kind is float:
        return Value(float64=value)
    if kind is list:
        return _list(value, apart)
    if kind is int:
        return Value(int64=value) if value in INT64 else Value(integer=f"{value:x}")
    if kind is bool:
        return Value(truth=value)
    if kind is str:
        return Value(text=value)
    if kind is dict:
        values = [to_message(item, apart) for item in value.values()]
        return Value(record=Record(names=list(value), values=values))
    if hasattr(value, "dtype") and value.dtype.str[1:] == "f8" and value.ndim:  # of either byte order
        content = memoryview(value.astype("<f8", order="C", copy=False).reshape(-1)).cast("B")
        return _packed(value.shape, content, apart, is_array=True)
    raise TypeError(f"{kind.__name__} does not cross to the runtime")


def _list(values: list[Any], apart: list[Buffer] | None) -> Value:
    kinds = set(map(type, values))
    if kinds == {float}:
        return _packed([len(values)], _bytes(values), apart)
    if kinds == {list} and values[0] and {len(row) for row in values} == {len(values[0])}:
        flat = [item for row in values for item in row]
        if set(map(type, flat)) == {float}:
            return _packed([len(values), len(values[0])], _bytes(flat), apart)
    return Value(list=List(items=[to_message(item, apart) for item in values]))


def _packed(shape: Sequence[int], content: Buffer, apart: list[Buffer] | None, *, is_array: bool = False) -> Value:
    if apart is None or len(content) < APART:
        return Value(floats=Floats(shape=shape, content=bytes(content), is_array=is_array))
    apart.append(content)
    return Value(floats=Floats(shape=shape, is_array=is_array, is_apart=True))


def _bytes(values: Sequence[float]) -> bytes:
    packed = array("d", values)
    if not LITTLE:
        packed.byteswap()
    return packed.tobytes()


class Apart:
    """The bytes of the arrays that are not in their message, in order."""

    def __init__(self, content: Buffer = b"") -> None:
        self._rest = memoryview(content)

    def take(self, size: int) -> memoryview:
        """Return the next bytes.

        Raises
        ------
        ValueError
            There are fewer.
        """
        if size > len(self._rest):
            raise ValueError("an array of other sizes than it says")
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken


NOTHING_APART = Apart()


def from_message(message: Value, apart: Apart = NOTHING_APART) -> Any:
    """Return the value of a message, of the type that it had.

    Raises
    ------
    ValueError
        The message holds no value, or sizes that do not fit its bytes.
    """
    kind = message.WhichOneof("kind")
    if kind == "floats":
        return _floats(message.floats, apart)
    if kind == "list":
        return [from_message(item, apart) for item in message.list.items]
    if kind == "integer":
        return int(message.integer, 16)
    if kind == "record":
        values = [from_message(item, apart) for item in message.record.values]
        return dict(zip(message.record.names, values, strict=True))
    if kind is None:
        raise ValueError("a value without a kind")
    return getattr(message, kind)


def _floats(message: Floats, apart: Apart) -> Any:
    shape = tuple(message.shape)
    content = apart.take(8 * prod(shape)) if message.is_apart else message.content
    if len(content) != 8 * prod(shape) or not 1 <= len(shape) <= 2:
        raise ValueError("an array of other sizes than it says")
    if message.is_array:
        return _array(content, shape)
    packed = array("d")
    packed.frombytes(content)
    if not LITTLE:
        packed.byteswap()
    flat = packed.tolist()
    if len(shape) == 1:
        return flat
    return [flat[start : start + shape[1]] for start in range(0, len(flat), max(1, shape[1]))]


def _array(content: Buffer, shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    import numpy as np  # noqa: PLC0415  # the process that only hands messages on needs no NumPy

    return np.frombuffer(content, dtype="<f8").reshape(shape).astype(np.float64, copy=False)
