from __future__ import annotations

import json
from typing import Any

import pytest

from service_nb.readers.dataset import ReadOptions
from service_nb.readers.json_columns import HEADS, read_object_lines, read_object_list
from service_nb.readers.python_rows import build_table_from_arrays, build_table_from_rows
from service_nb.schema.source import Limits

ROWS: list[dict[str, Any]] = [
    {"id": 1, "amount": 0.1, "text": 'q"x}, {y', "truth": True, "nothing": None},
    {"id": -(2**63), "amount": 3, "text": "\u00e9\U0001f600\u0000", "truth": None, "nothing": None},
    {},
    {"nothing": None, "truth": False, "text": "", "amount": 1e-320, "id": None},
    {"day": "2024-02-29", "time": "2024-02-29T10:30:00Z", "number": "007", "x y": 1},
]


def write_lines(rows: list[dict[str, Any]], end: str = "\n", **options: Any) -> bytes:
    return end.join(json.dumps(row, **options) for row in rows).encode()


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    "options",
    [{}, {"ensure_ascii": False}, {"separators": (",", ":")}],
    ids=["escaped", "UTF-8", "dense"],
)
def test_lines_of_flat_objects_are_the_columns_of_their_values(options: dict[str, Any], end: str) -> None:
    found = read_object_lines(write_lines(ROWS, end, **options) + end.encode() * 2, Limits())
    assert found is not None
    ours = build_table_from_arrays(found.column_names, found.columns, ReadOptions())
    theirs = build_table_from_rows(ROWS, ReadOptions())
    assert (ours.fields, ours.notes, ours.reasons) == (theirs.fields, theirs.notes, theirs.reasons)
    assert ours.table.to_pylist() == theirs.table.to_pylist()


@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "pretty"])
@pytest.mark.parametrize("rows", [ROWS[1:], ROWS[1:2]], ids=["several", "one"])
def test_list_of_flat_objects_is_the_columns_of_their_values(rows: list[dict[str, Any]], indent: int | None) -> None:
    found = read_object_list(b" \n" + json.dumps(rows, indent=indent).encode() + b"\n", Limits())
    assert found is not None
    ours = build_table_from_arrays(found.column_names, found.columns, ReadOptions())
    assert ours.table.to_pylist() == build_table_from_rows(rows, ReadOptions()).table.to_pylist()


def test_types_are_proposed_anew_where_the_head_misleads() -> None:
    head = [{"a": 1}] * HEADS[0]
    found = read_object_lines(write_lines([*head, {"a": 2.5, "b": "x"}]), Limits())
    assert found is not None
    assert found.slice(HEADS[0]).to_pylist() == [{"a": 2.5, "b": "x"}]
    assert read_object_lines(write_lines([*head * (HEADS[1] // HEADS[0]), {"a": 2.5}]), Limits()) is None


LINES = {
    "two objects on a line": b'{"a": 1}{"a": 2}',
    "as many objects as lines, but not one on each": b'{"a": 1}{"a": 2}\n\n{"a":\n3}',
    "an object on two lines": b'{"a":\n1}',
    "an empty line": b'{"a": 1}\n\n{"a": 2}',
    "objects in a list": b'[{"a": 1}]',
    "a nested object": b'{"a": {"b": 1}}',
    "a list": b'{"a": [1]}',
    "texts and numbers": b'{"a": 1}\n{"a": "1"}',
    "a whole number beyond 64 bits": b'{"a": 9223372036854775808}',
    "a field given twice": b'{"a": 1, "\\u0061": 2}',
    "a field given twice, late": b'{"a": 1}\n' * 300 + b'{"a": 1, "a": 2}',
    "no number": b'{"a": 1.5}\n' * 300 + b'{"a": NaN}',
    "an infinity": b'{"a": 1.5}\n' * 300 + b'{"a": -Infinity}',
    "a number beyond doubles": b'{"a": 1.5}\n' * 300 + b'{"a": 1e400}',
    "a zero with a sign": b'{"a": 1.5}\n{"a": -0}',
    "a number too long": b'{"a": 1.5}\n' * 300 + b'{"a": 0.%b}' % (b"1" * 4_300),
    "half of a surrogate pair": b'{"a": "x"}\n' * 300 + b'{"a": "\\ud83d"}',
    "an end of line in a text": b'{"a": "x"}\n' * 300 + b'{"a": "}\n{"}',
    "no UTF-8": b'{"a": "x"}\n' * 300 + b'{"a": "\xff"}',
    "a comma behind": b'{"a": 1},\n{"a": 2}',
    "no fields": b"{}",
    "nothing": b"",
}


@pytest.mark.parametrize("data", LINES.values(), ids=LINES)
def test_lines_that_are_not_flat_or_amiss_are_left_to_be_parsed_one_by_one(data: bytes) -> None:
    assert read_object_lines(data, Limits()) is None


DOCUMENTS = {
    "an object": b'{"records": [{"a": 1}]}',
    "numbers": b"[1, 2]",
    "no objects": b"[]",
    "no comma": b'[{"a": 1} {"a": 2}]',
    "a comma behind": b'[{"a": 1}, {"a": 2},]',
    "two lists": b'[{"a": 1}], [{"a": 2}]',
    "braces in a text": b'[{"a": "x"}, {"a": "{"}]',
    "the end of an object in a text": b'[{"a": "}, {"}, {"a": "x"}]',
    "an end of line in a text": b'[{"a": "x\ny"}]',
}


@pytest.mark.parametrize("data", DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents_that_are_no_list_of_flat_objects_are_left_to_be_parsed_one_by_one(data: bytes) -> None:
    assert read_object_list(data, Limits()) is None


@pytest.mark.parametrize("limits", [Limits(json_depth=0), Limits(json_bytes=7), Limits(cells=1)])
def test_what_is_beyond_limits_is_left_to_be_refused(limits: Limits) -> None:
    assert read_object_lines(b'{"a": 1}\n{"a": 2}', limits) is None
    assert read_object_lines(b'{"a": 1}\n{"a": 2}', Limits()) is not None
