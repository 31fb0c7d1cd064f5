from __future__ import annotations

import hashlib
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from service_nb.core import canonical_vectors as vectors
from service_nb.core.canonical import write_canonical_bytes
from service_nb.core.canonical_vectors import digest_column, encode_vector_blocks
from service_nb.errors import CanonicalJsonError
from tests.unit.core.test_canonical import number_patterns, of_bits
from tests.vectors.cases import document, params


def write_canonical_vector(*column: Any) -> bytes:
    return b"".join(encode_vector_blocks(*column))


RANDOM = np.random.default_rng(8785)


@pytest.fixture(params=["this orjson", "an orjson with other exponents"], autouse=True)
def exponents(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs as well with the path for releases of orjson whose exponents are not edited."""
    if request.param != "this orjson":
        monkeypatch.setattr(vectors, "_EDITS_EXPONENTS", False)


def slow(values: Any, mask: Any = None) -> bytes:
    items = values.tolist()
    return write_canonical_bytes(
        items if mask is None else [None if m else v for v, m in zip(items, mask, strict=True)]
    )


def boundaries() -> np.ndarray[Any, Any]:
    tens = [float(f"{digits}e{e}") for e in range(-326, 309) for digits in (1, 1.5, 5, 9.999999999999999)]
    twos = [2.0**e for e in range(-1074, 1024)]
    values = np.array([*tens, *twos])
    with np.errstate(over="ignore"):
        values = np.concatenate([values, np.nextafter(values, 0), np.nextafter(values, np.inf)])
    return np.concatenate([values, -values])


FLOATS = {
    "every kind of bit pattern": RANDOM.integers(0, 2**64, 50_000, dtype=np.uint64).view(np.float64),
    "boundaries": boundaries(),
    "subnormals": RANDOM.integers(0, 2**52, 20_000, dtype=np.uint64).view(np.float64),
    "uniform": RANDOM.random(40_000),
    "magnitudes": 10.0 ** RANDOM.uniform(-12, 25, 50_000) * RANDOM.choice([-1, 1], 50_000),
    "tiny": RANDOM.normal(size=20_000) * 1e-5,
    "whole": RANDOM.integers(-1000, 1000, 20_000).astype(float),
    "whole and large": np.ldexp(RANDOM.integers(-(2**53), 2**53, 20_000).astype(float), RANDOM.integers(0, 20, 20_000)),
    "whole, some missing": np.where(RANDOM.random(20_000) < 0.1, np.nan, RANDOM.integers(0, 9, 20_000)),
    "halves": RANDOM.integers(-1000, 1000, 20_000) / 2,
    "zeros of both signs": np.array([0.0, -0.0] * 10),
    "only negative zeros": np.array([-0.0, -0.0]),
    "one negative zero among fractions": np.array([0.5, -0.0]),
    "not finite": np.array([np.nan, np.inf, -np.inf]),
    "the placeholder's own value": np.array([2.0**62, -(2.0**62), np.nan, 1.0]),
    "empty": np.array([], dtype=np.float64),
    "one": np.array([1e16]),
}


@pytest.mark.parametrize("name", FLOATS)
def test_columns_of_floats_read_as_the_slow_path_says(name: str) -> None:
    values = FLOATS[name]
    assert write_canonical_vector(values) == slow(values)
    for share in (0.1, 1.0):
        mask = RANDOM.random(len(values)) < share
        assert write_canonical_vector(values, mask) == slow(values, mask)


@given(hnp.arrays(np.uint64, st.integers(0, 40)), st.randoms(use_true_random=False))
def test_any_floats_in_any_company_read_as_the_slow_path_says(patterns: Any, random: Any) -> None:
    values = patterns.view(np.float64)
    mask = np.array([random.random() < 0.2 for _ in range(len(values))], dtype=np.bool_)
    assert write_canonical_vector(values) == slow(values)
    assert write_canonical_vector(values, mask) == slow(values, mask)


@given(st.lists(st.floats() | st.integers(-1000, 1000).map(float) | st.sampled_from([1e16, 1e-6, -0.0, 1e21])))
def test_usual_floats_read_as_the_slow_path_says(items: list[float]) -> None:
    assert write_canonical_vector(np.array(items, dtype=np.float64)) == write_canonical_bytes(items)


@given(hnp.arrays(st.sampled_from(["i1", "<i2", ">i4", "<i8", ">i8", "u1", "<u8", ">u8", "?"]), st.integers(0, 40)))
def test_integers_and_booleans_read_as_the_slow_path_says(values: Any) -> None:
    mask = np.arange(len(values)) % 3 == 1
    assert write_canonical_vector(values) == slow(values)
    assert write_canonical_vector(values, mask) == slow(values, mask)


@given(hnp.arrays(st.sampled_from(["<f2", "<f4", ">f4", ">f8"]), st.integers(0, 40)))
def test_other_floats_widen_exactly(values: Any) -> None:
    assert write_canonical_vector(values) == slow(values)


@given(st.lists(st.none() | st.floats(), max_size=40))
def test_lists_of_floats_and_none_read_as_the_slow_path_says(items: list[float | None]) -> None:
    assert write_canonical_vector(items) == write_canonical_bytes(items)


def test_lists_from_arrow_read_as_the_slow_path_says() -> None:
    for column in (pa.array([1.5, None, 2.0]), pa.array([1, None, 2**60]), pa.array(["a", None]), pa.array([True])):
        items = column.to_pylist()
        assert write_canonical_vector(items) == write_canonical_bytes(items)


def test_strided_columns_and_block_edges_read_as_the_slow_path_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_BLOCK", 7)
    for length in (6, 7, 8, 14, 15):
        values = RANDOM.random(2 * length).round(1)[::2]
        assert write_canonical_vector(values) == slow(values)
        assert write_canonical_vector(values, values > 0.5) == slow(values, values > 0.5)
    assert max(map(len, encode_vector_blocks(RANDOM.random(1000)))) < 7 * 25


def test_the_input_is_left_alone() -> None:
    values = np.array([-0.0, np.nan, 1e16, 0.5])
    before = values.tobytes()
    values.flags.writeable = False
    write_canonical_vector(values)
    assert values.tobytes() == before


def test_a_million_numbers_are_those_of_ecmascript() -> None:
    patterns = np.fromiter(islice(number_patterns(), 1_000_000), np.uint64, 1_000_000)
    texts = write_canonical_vector(patterns.view(np.float64))[1:-1].decode().split(",")
    lines = "".join(f"{pattern:016x},{text}\n" for pattern, text in zip(patterns.tolist(), texts, strict=True))
    checksums = document("canonical/numbers.json")["checksums"]
    assert hashlib.sha256(lines.encode()).hexdigest() == checksums["1000000"]


@pytest.mark.parametrize("case", params("vectors.json"))
def test_vector_digest_is_that_of_the_text(case: dict[str, Any]) -> None:
    items = [None if bits is None else of_bits(bits) for bits in case["float64"]]
    mask = np.array([item is None for item in items], dtype=np.bool_)
    values = np.array(items, dtype=np.float64)
    assert write_canonical_vector(values, mask).decode() == case["canonical"]
    assert digest_column(values, mask) == digest_column(items) == case["sha256"]


@pytest.mark.parametrize(
    ("values", "mask"),
    [
        (np.zeros((2, 2)), None),
        (np.array(1.0), None),
        (np.array(["a"]), None),
        (np.array([1.5, "a"], dtype=object), None),
        (np.array([1j]), None),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), None),
        (np.ma.masked_array([1.0, 2.0], mask=[True, False]), None),
        (np.array([1.0]), np.array([1])),
        (np.array([1.0]), np.array([True, False])),
        ([1.0], np.array([True])),
        ([1.0, {1}], None),
    ],
    ids=str,
)
def test_what_is_no_column_is_refused(values: Any, mask: Any) -> None:
    with pytest.raises(CanonicalJsonError) as caught:
        write_canonical_vector(values, mask)
    assert caught.value.code == "canonical_json_invalid"


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="long double is double on this platform")
def test_long_doubles_are_refused_because_they_would_be_rounded() -> None:
    with pytest.raises(CanonicalJsonError):
        write_canonical_vector(np.array([1.0], dtype=np.longdouble))
