"""Values that cross to the runtime and back: the same bits, the same types, or a refusal."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from service_nb_kernels.runtime.runtime_pb2 import Floats, List, Record, Value
from service_nb_kernels.runtime.wire import APART, Apart, Buffer, from_message, to_message

FLOATS = st.floats(allow_nan=True, allow_infinity=True)
INTEGERS = st.integers() | st.integers(-(2**63) - 2, -(2**63) + 2) | st.integers(2**63 - 2, 2**63 + 2)
HUGE = st.integers(-(2**5_000), 2**5_000)
TEXTS = st.text()
SCALARS = FLOATS | INTEGERS | HUGE | st.booleans() | TEXTS
VALUES = st.recursive(
    SCALARS | st.lists(FLOATS) | st.lists(st.lists(FLOATS, min_size=2, max_size=2)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def crossed(value: Any) -> Any:
    """Send a value through bytes, its long arrays beside them, as the client and the worker do."""
    apart: list[Buffer] = []
    content = to_message(value, apart).SerializeToString()
    return from_message(Value.FromString(content), Apart(b"".join(apart)))


def same(one: Any, other: Any) -> bool:
    """Whether two values have the same types and bits at every place."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())
    if isinstance(one, float):
        return struct.pack("<d", one) == struct.pack("<d", other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    return bool(one == other)


@given(VALUES)
def test_every_value_comes_back_with_its_bits_and_types(value: Any) -> None:
    assert same(crossed(value), value)
    assert same(from_message(to_message(value)), value)


AT_BORDERS: list[Any] = [
    *(0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, math.inf, -math.inf, 0.1, 1 / 3),
    *(0, -1, True, False, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**1_000, -(7**20_000)),
    *("", "\0", "ä\u2028\U0001f600", "\ufeff", "x" * 1_000_000),
    *([], [[]], [[], []], [[], [1.0]], [0.0], [-0.0, 5e-324], [1.0, 2], [1, 2], [True, 1, 1.0], [True, False]),
    *([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0, 3.0]], [[1, 2.0]], [[1.0, 2.0], []], [[[1.0]]], ["a", ["b"]]),
    *({}, {"low": 1.0, "high": [1, 2]}, {"z": 1.0, "a": 2.0}, {"": {"": []}}, [{"a": 1.0}, {"a": [1.0]}]),
    *([1.0] * 8_191, [1.0] * 8_192, [1.0] * 8_193, [[0.5] * 128] * 64, [[0.5] * 128] * 65),
]


@pytest.mark.parametrize("value", AT_BORDERS, ids=range(len(AT_BORDERS)))
def test_values_at_the_borders_of_their_types_come_back(value: Any) -> None:
    assert same(crossed(value), value)
    assert same(from_message(to_message(value)), value)


def test_what_is_no_number_keeps_its_payload() -> None:
    [odd] = struct.unpack("<d", bytes.fromhex("efbeadde0000f8ff"))
    for value in (odd, [odd, 1.0], np.array([odd])):
        assert same(crossed(value), value)


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from("CF"), st.integers(0, 2**32 - 1))
def test_matrices_come_back_whatever_their_order(rows: int, columns: int, order: Any, seed: int) -> None:
    value = np.asarray(np.random.default_rng(seed).normal(size=(rows, columns)), order=order)
    assert same(crossed(value), value)


STRIDED: list[Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]] = [
    lambda a: a[::2],
    lambda a: a[::-1],
    lambda a: a.reshape(-1, 8)[:, 3],
    lambda a: a.reshape(-1, 8)[::-1, ::-2],
    lambda a: a.reshape(-1, 8).T,
    lambda a: np.asfortranarray(a.reshape(8, -1)),
    lambda a: np.broadcast_to(a[:1], (9_000,)),
    lambda a: np.broadcast_to(a[:8], (2_000, 8)),
    lambda a: a.astype(">f8"),
    lambda a: a[5:5],
    lambda a: a.reshape(-1, 8)[:0],
    lambda a: a.reshape(-1, 8)[:, :0],
    lambda a: np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view("<f8"),  # at an odd address
]


@pytest.mark.parametrize("size", [64, 80_000])
@pytest.mark.parametrize("view", STRIDED)
def test_views_of_arrays_come_back_as_what_they_show(view: Any, size: int) -> None:
    value = view(np.random.default_rng(1).normal(size=size))
    value.flags.writeable = False
    met = crossed(value)
    assert isinstance(met, np.ndarray)
    assert met.dtype == np.float64
    assert met.dtype.isnative
    assert met.shape == value.shape
    assert met.tobytes() == value.astype(np.float64).tobytes()


def test_lists_stay_lists_and_arrays_stay_arrays() -> None:
    numbers = [1.0, 2.0] * 5_000
    assert type(crossed(numbers)) is list
    assert type(crossed(np.array(numbers))) is np.ndarray
    assert type(crossed([numbers, numbers])[1]) is list
    assert [type(each) for each in crossed([numbers, np.array(numbers), 1, True])] == [list, np.ndarray, int, bool]


def test_a_float_of_numpy_is_no_float_of_ours() -> None:
    for value in (np.float32(1), np.int64(1), np.array([1]), np.array([1.0], dtype="f4"), np.array([True])):
        with pytest.raises(TypeError):
            to_message(value)


@pytest.mark.parametrize(
    "value", [None, b"x", 1j, (1.0,), {1.0}, object(), [None], {"a": b"x"}, [[1.0, None]], range(2)]
)
def test_other_values_do_not_cross(value: Any) -> None:
    with pytest.raises(TypeError):
        to_message(value)


@pytest.mark.parametrize("value", ["\ud800", ["a", "\udfff"], {"\ud800": 1.0}])
def test_half_characters_do_not_cross(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        to_message(value)


def test_names_that_are_no_texts_do_not_cross() -> None:
    with pytest.raises(TypeError):
        to_message({1: 1.0})


# --- arrays beside their message --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "is_apart"), [(0, False), (APART // 8 - 1, False), (APART // 8, True), (80_000, True)]
)
def test_long_arrays_are_kept_apart_from_the_message(items: int, is_apart: bool) -> None:
    for value in (np.ones(items), [1.0] * items, np.ones((items, 1))):
        apart: list[Buffer] = []
        message = to_message(value, apart)
        if len(value):
            assert message.floats.is_apart == is_apart
            assert len(apart) == is_apart
            assert len(message.floats.content) == (0 if is_apart else 8 * items)
            assert same(from_message(message, Apart(b"".join(apart))), value)


def test_several_arrays_are_taken_in_their_order() -> None:
    value = {"a": np.full(9_000, 1.0), "b": [[2.0] * 9_000, [3.0] * 9_000], "c": [4.0] * 9_000, "d": 5.0}
    assert same(crossed(value), value)


def test_an_array_in_order_is_not_copied() -> None:
    value = np.arange(100_000.0)
    apart: list[Buffer] = []
    to_message(value, apart)
    assert np.shares_memory(np.frombuffer(apart[0]), value)


@pytest.mark.parametrize("missing", [1, 8, 72_000])
def test_fewer_bytes_than_the_message_says_are_refused(missing: int) -> None:
    apart: list[Buffer] = []
    message = to_message(np.ones(9_000), apart)
    with pytest.raises(ValueError, match=r"."):
        from_message(message, Apart(b"".join(apart)[:-missing]))


# --- messages that are none -------------------------------------------------------------------------------------------

NONE = [
    Value(),
    Value(list=List(items=[Value()])),
    Value(record=Record(names=["a"])),
    Value(record=Record(values=[Value(float64=1.0)])),
    Value(record=Record(names=["a", "b"], values=[Value(float64=1.0)])),
    Value(integer=""),
    Value(integer="g"),
    Value(integer="--1"),
    Value(floats=Floats()),
    Value(floats=Floats(content=bytes(8))),
    Value(floats=Floats(shape=[1])),
    Value(floats=Floats(shape=[2], content=bytes(8))),
    Value(floats=Floats(shape=[1], content=bytes(9))),
    Value(floats=Floats(shape=[1], content=bytes(7), is_array=True)),
    Value(floats=Floats(shape=[1, 1, 1], content=bytes(8), is_array=True)),
    Value(floats=Floats(shape=[1] * 1_000, content=bytes(8))),
    Value(floats=Floats(shape=[2**64 - 1], is_array=True)),
    Value(floats=Floats(shape=[2**64 - 1, 2**64 - 1], is_apart=True)),
    Value(floats=Floats(shape=[2**63, 2], is_apart=True, is_array=True)),
    Value(floats=Floats(shape=[1], is_apart=True)),
    Value(floats=Floats(shape=[0, 2**64 - 1], is_array=True)),
]


@pytest.mark.parametrize("message", NONE, ids=range(len(NONE)))
def test_a_malformed_message_is_refused(message: Value) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_message(message)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_are_refused(content: bytes) -> None:
    try:
        message = Value.FromString(content)
    except DecodeError:
        return
    try:
        from_message(message)
    except ValueError:
        return


@given(VALUES, st.data())
def test_a_message_that_was_altered_is_a_value_or_is_refused(value: Any, data: Any) -> None:
    content = bytearray(to_message(value).SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content)))
        content[place : place + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=3))
    test_any_bytes_are_a_value_or_are_refused.hypothesis.inner_test(bytes(content))  # type: ignore[attr-defined]
