from __future__ import annotations

import datetime
import enum
import hashlib
import json
import math
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from service_nb.core.canonical import parse_strict, write_canonical_bytes, write_canonical_text, write_float
from service_nb.errors import CanonicalJsonError
from tests.vectors.cases import document, params

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=30,
)


def of_bits(pattern: int | str) -> float:
    bits = int(pattern, 16) if isinstance(pattern, str) else pattern
    (value,) = struct.unpack(">d", bits.to_bytes(8, "big"))
    return float(value)


def number_patterns() -> Iterator[int]:
    """The patterns of `tests/vectors/canonical/numbers.mjs`, which says how they are made."""
    chain = bytes(32)
    while True:
        chain = hashlib.sha256(chain).digest()
        for index, pattern in enumerate(struct.unpack(">4Q", chain)):
            exponent = pattern >> 52 & 0x7FF
            if index % 2:
                exponent = 983 + exponent % 120
            if exponent != 0x7FF:
                yield pattern & 0x800F_FFFF_FFFF_FFFF | exponent << 52


@pytest.mark.parametrize("case", [*params("canonical/rfc8785.json"), *params("canonical/documents.json")])
def test_canonical_text_is_that_of_the_reference(case: dict[str, str]) -> None:
    assert write_canonical_text(parse_strict(case["input"])) == case["canonical"]
    assert write_canonical_bytes(parse_strict(case["input"].encode())) == case["canonical"].encode()


def test_canonical_numbers_are_those_of_ecmascript() -> None:
    cases = document("canonical/numbers.json")["cases"]
    assert len(cases) > 200
    assert [write_float(of_bits(case["ieee"])) for case in cases] == [case["text"] for case in cases]


@pytest.mark.parametrize("lines", [1_000, 100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_numbers_in_bulk_are_those_of_ecmascript(lines: int) -> None:
    checksum = hashlib.sha256()
    for pattern in islice(number_patterns(), lines):
        checksum.update(f"{pattern:016x},{write_float(of_bits(pattern))}\n".encode())
    assert checksum.hexdigest() == document("canonical/numbers.json")["checksums"][str(lines)]


@pytest.mark.parametrize("case", params("canonical/values.json"))
def test_values_beyond_json_have_their_canonical_form(case: dict[str, Any]) -> None:
    read: dict[str, Any] = {
        "float64": of_bits,
        "integer": int,
        "decimal": Decimal,
        "date": lambda parts: datetime.date(*parts),
        "datetime": lambda parts: datetime.datetime(*parts),  # noqa: DTZ001 - naive on purpose
    }
    assert write_canonical_text(read[case["type"]](case["value"])) == case["canonical"]


@given(JSON_VALUES)
def test_canonical_bytes_equal_those_of_rfc8785(value: Any) -> None:
    assert write_canonical_bytes(value) == rfc8785.dumps(value)


@given(st.integers(0, 2**64 - 1).map(of_bits).filter(math.isfinite))
def test_every_finite_bit_pattern_reads_as_rfc8785_says_and_comes_back(value: float) -> None:
    assert write_float(value).encode() == rfc8785.dumps(value)
    assert float(write_float(value)) == value


@given(JSON_VALUES)
def test_canonical_text_is_a_fixed_point_of_parsing(value: Any) -> None:
    text = write_canonical_text(value)
    again = write_canonical_text(parse_strict(text))
    # Whole floats from 2**53 to 1e21 are bare digits, read back as integers, and those are quoted.
    assert re.sub(r'"(-?[0-9]{16,21})"', r"\1", again) == re.sub(r'"(-?[0-9]{16,21})"', r"\1", text)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6) | st.decimals(-(10**30), 10**30))
def test_decimals_keep_value_and_scale(value: Decimal) -> None:
    text = json.loads(write_canonical_text(value))
    assert Decimal(text) == value
    assert "E" not in text.upper()
    scale = int(value.as_tuple().exponent)
    assert len(text.partition(".")[2]) == max(-scale, 0)


def test_decimals_ignore_the_callers_context() -> None:
    from decimal import localcontext

    with localcontext(prec=3):
        assert write_canonical_text(Decimal("-12345678.90")) == '"-12345678.90"'
        assert write_canonical_text(Decimal("-0.0000")) == '"0.0000"'


def test_subclasses_of_json_types_count_as_their_base() -> None:
    class Text(enum.StrEnum):
        A = "a"

    class Number(enum.IntEnum):
        ONE = 1
        BIG = 2**60

    class Pair(tuple[int, int]):
        __slots__ = ()

    value = {Text.A: [Text.A, Number.ONE, Number.BIG, Pair((1, 2)), np.float64(1.0), np.str_("b"), (True,)]}
    assert write_canonical_text(value) == '{"a":["a",1,"1152921504606846976",[1,2],1,"b",[true]]}'


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({1}, "type"),
        (b"bytes", "type"),
        (1j, "type"),
        (object(), "type"),
        (iter([]), "type"),
        (datetime.time(1), "type"),
        (datetime.timedelta(1), "type"),
        (datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC), "type"),
        (np.int64(1), "type"),
        (np.float32(1), "type"),
        (np.bool_(True), "type"),
        (np.array([1.0]), "type"),
        ({1: 2}, "key"),
        ({None: 2}, "key"),
        ({"a": 1, 2: 3}, "key"),
        ({b"a": 1}, "key"),
        ("\ud800", "surrogate"),
        ("a\udfff", "surrogate"),
        ({"\ud800": 1}, "surrogate"),
        ({"\ue000": 1, "\udc00": 2}, "surrogate"),
        (10**4300, "digits"),
        (-(10**100_000), "digits"),
        (Decimal("1E+5000"), "digits"),
        (Decimal("1E-5000"), "digits"),
        (Decimal("0E-5000"), "digits"),
        (Decimal("1E+999999"), "digits"),
    ],
    ids=lambda part: part if isinstance(part, str) and part.isascii() else type(part).__name__,
)
def test_values_without_canonical_form_are_refused(value: Any, reason: str) -> None:
    for placed in (value, [value], {"a": value}):
        for canonical in (write_canonical_text, write_canonical_bytes):
            with pytest.raises(CanonicalJsonError) as caught:
                canonical(placed)
            assert caught.value.code == "canonical_json_invalid"
            assert caught.value.details["reason"] == reason


def test_pandas_times_are_refused_because_they_hold_nanoseconds() -> None:
    import pandas as pd

    for value in (pd.Timestamp("2020-01-01T00:00:00.123456789"), pd.NaT):
        with pytest.raises(CanonicalJsonError):
            write_canonical_text(value)


def test_the_largest_integer_allowed_has_4300_digits() -> None:
    assert write_canonical_text(10**4300 - 1) == '"' + "9" * 4300 + '"'


def nested(depth: int, of: type[list[Any] | dict[str, Any]]) -> Any:
    value: Any = of()
    for _ in range(depth - 1):
        value = [value] if of is list else {"a": value}
    return value


@pytest.mark.parametrize("of", [list, dict])
def test_depth_ends_at_64(of: Any) -> None:
    assert write_canonical_text(nested(64, of))
    for depth in (65, 2_000):
        with pytest.raises(CanonicalJsonError) as caught:
            write_canonical_text(nested(depth, of))
        assert caught.value.details["reason"] == "depth"


def test_a_value_that_contains_itself_is_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(CanonicalJsonError):
        write_canonical_text(value)


def test_errors_say_where() -> None:
    with pytest.raises(CanonicalJsonError) as caught:
        write_canonical_text({"rows": [1, {"amount": {1, 2}}]})
    assert caught.value.details["path"] == ".rows[1].amount"


def test_hashing_loads_neither_numpy_nor_orjson() -> None:
    code = "import sys, service_nb.core.digest; sys.exit(bool({'numpy', 'orjson', 'pyarrow'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
