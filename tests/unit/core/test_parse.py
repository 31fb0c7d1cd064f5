from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.core.canonical import parse_strict
from service_nb.errors import CanonicalJsonError, LimitExceededError
from tests.vectors.cases import params

PLAN = '{"metric":"arr_delay","group_by":["carrier"],"limit":20,"filter":{"conditions":[{"op":"gte","value":-1.5e3}]}}'


def hostile() -> Iterator[tuple[str, str | bytes]]:
    """Documents that must be refused, each with a name."""
    for end in range(len(PLAN)):
        yield f"truncated at {end}", PLAN[:end]
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"):
        for text in ('{"ü":1}', "[1]", '"ä"'):
            yield f"{encoding} {text}", text.encode(encoding)
    long = ["f0808080", "f08080af", "f0288cbc", "f4908080", "f8888080", "fc84808080", "eda081edb080"]
    for sequence in ["80", "bf", "c0af", "c1bf", "c3", "c328", "e08080", "e0a0", "eda080", "edbfbf", "fe", "ff", *long]:
        yield f"bytes {sequence} in a value", b'["a' + bytes.fromhex(sequence) + b'"]'
        yield f"bytes {sequence} in a key", b'{"' + bytes.fromhex(sequence) + b'":1}'
    names = ["NaN", "Infinity", "-Infinity", "-NaN", "nan", "inf", "Inf", "+Infinity"]
    for literal in [*names, "1e309", "-1e999999", "1E+400"]:
        for frame in ("{}", "[{}]", '{{"a":{}}}', '[1,"NaN",{}]', '{{"NaN":[[{}]]}}'):
            yield f"{literal} in {frame}", frame.format(literal)
    for unit in ("d800", "D8FF", "dbff", "DC00", "dcba", "dfff"):
        for frame in ('"\\u{}"', '["\\u{}\\u0041"]', '{{"\\u{}":1}}', '"\\\\\\u{}"', '["\\ud83d\\ude02\\u{}"]'):
            yield f"lone {unit} in {frame}", frame.format(unit)
    for key in ("a", "", "\\u0000", "ü", "😂"):
        for frame in ('{{"{0}":1,"{0}":1}}', '[{{"b":{{}},"{0}":[],"{0}":null}}]', '{{"x":{{"{0}":1,"y":2,"{0}":3}}}}'):
            yield f"duplicate {key!r} in {frame}", frame.format(key)
    for count in (65, 66, 100, 1_000, 100_000, 1_000_000):
        yield f"{count} arrays", "[" * count + "]" * count
        yield f"{count} arrays, unclosed", "[" * count
        yield f"{count} objects", '{"a":' * count + "1" + "}" * count
        yield f"{count} objects, unclosed", '{"a":' * count
        yield f"{count} mixed", '[{"a":' * count
    for count in (4_301, 5_000, 100_000, 3_000_000):
        yield f"{count} digits", "9" * count
        yield f"-{count} digits", "[-" + "9" * count + "]"
        yield f"{count} digits of a fraction", "0." + "3" * count
        yield f"{count} digits of an exponent", "1e" + "0" * count + "1"
    for mark in ('"', "\\", '\\"', "[", "]", "{", "}", ",", ":", "-", ".", "e", " ", "\n"):
        yield f"a million of {mark!r} after a quote", '"' + mark.replace('"', '\\"') * 500_000 + "\n"
        yield f"a million of {mark!r}", mark * 1_000_000


HOSTILE = list(hostile())


def test_there_are_more_than_300_hostile_documents() -> None:
    assert len({document for _, document in HOSTILE}) > 300


@pytest.mark.parametrize("document", [pytest.param(text, id=name) for name, text in HOSTILE])
def test_hostile_documents_are_refused_with_their_place(document: str | bytes) -> None:
    with pytest.raises((CanonicalJsonError, LimitExceededError)) as caught:
        parse_strict(document)
    assert caught.value.code in ("canonical_json_invalid", "limit_exceeded")
    assert caught.value.details["line"] >= 1
    assert caught.value.details["column"] >= 1
    assert len(str(caught.value)) < 250
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("case", params("canonical/errors.json"))
def test_refusals_name_code_reason_and_place(case: dict[str, Any]) -> None:
    for document in (case["input"], case["input"].encode()):
        with pytest.raises((CanonicalJsonError, LimitExceededError)) as caught:
            parse_strict(document)
        error = caught.value
        assert error.code == case["error"]
        assert {"line", "column"} <= error.details.keys()
        assert error.details.items() >= {key: case[key] for key in ("reason", "line", "column") if key in case}.items()


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("9007199254740993", 2**53 + 1),
        ("9" * 4300, 10**4300 - 1),
        ("-0", 0),
        ("1.0", 1.0),
        ("1e308", 1e308),
        ("1e-400", 0.0),
        ('"\\ud83d\\ude02"', "😂"),
        ('"\\\\ud800"', "\\ud800"),
        (b'"\xf0\x9f\x98\x82"', "😂"),
        ('"NaN"', "NaN"),
        ('["a\\u0000b"]', ["a\0b"]),
        ('{"a":{"a":1},"b":[{"a":2}]}', {"a": {"a": 1}, "b": [{"a": 2}]}),
        ("[" * 64 + "]" * 64, json.loads("[" * 64 + "]" * 64)),
        ("[" + ",".join(["[]"] * 1000) + "]", [[]] * 1000),
        ('"' + "[" * 1000 + '"', "[" * 1000),
        ('"\ufeff"', "\ufeff"),
    ],
)
def test_what_json_allows_is_read_exactly(document: str | bytes, value: Any) -> None:
    result = parse_strict(document)
    assert result == value
    assert type(result) is type(value)


def test_size_is_checked_in_bytes_of_utf8() -> None:
    assert parse_strict('"üü"', max_bytes=6) == "üü"
    for document in ('"üü"', '"üü"'.encode()):
        with pytest.raises(LimitExceededError) as caught:
            parse_strict(document, max_bytes=5)
        assert (caught.value.details["limit"], caught.value.details["value"]) == (5, 6)


def test_depth_limit_is_the_callers() -> None:
    assert parse_strict("[[[]]]", max_depth=3) == [[[]]]
    with pytest.raises(LimitExceededError):
        parse_strict("[[[]]]", max_depth=2)
    with pytest.raises(LimitExceededError):
        parse_strict("[" * 100_000 + "]" * 100_000, max_depth=1_000_000)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON_VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_well_formed_documents_read_as_the_standard_library_reads_them(
    value: Any, ensure_ascii: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    assert parse_strict(text) == json.loads(text) == value


@given(st.binary(max_size=60) | st.text('[]{}",:\\ud8dc0123456789eE+-.NaN \n', max_size=60))
def test_any_input_is_read_or_refused_with_a_typed_error(document: str | bytes) -> None:
    try:
        value = parse_strict(document)
    except (CanonicalJsonError, LimitExceededError):
        return
    assert value == json.loads(document)
