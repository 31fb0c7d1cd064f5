"""Broken and hostile JSON, as a document, as lines and as Python objects: refused with line and column or the row."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from service_nb.readers.dataset import ReadOptions
from service_nb.schema.source import Limits

MALFORMED, LIMIT, UNSUPPORTED = "source_malformed", "limit_exceeded", "unsupported_source"

DOCUMENTS: dict[str, tuple[bytes, str, dict[str, Any]]] = {
    # no JSON
    "empty": (b"", MALFORMED, {"line": 1, "column": 1}),
    "blank": (b"  \n ", MALFORMED, {"line": 2}),
    "text": (b"region,amount\n", MALFORMED, {"line": 1, "column": 1}),
    "HTML": (b"<html></html>", MALFORMED, {"line": 1, "column": 1}),
    "NULs": (b"\0" * 100, MALFORMED, {"reason": "encoding"}),
    "gzip": (b"\x1f\x8b\x08" + b"\0" * 20, MALFORMED, {}),
    "a trailing comma in an array": (b'[{"a": 1},]', MALFORMED, {"line": 1}),
    "a trailing comma in an object": (b'[{"a": 1,}]', MALFORMED, {"line": 1}),
    "a missing comma": (b'[{"a": 1}\n{"a": 2}]', MALFORMED, {"line": 2, "column": 1}),
    "a missing colon": (b'[{"a" 1}]', MALFORMED, {"column": 7}),
    "a missing value": (b'[{"a": }]', MALFORMED, {"line": 1}),
    "a missing bracket": (b'[{"a": 1}', MALFORMED, {"line": 1}),
    "a missing brace": (b'[{"a": 1]', MALFORMED, {"line": 1}),
    "a wrong bracket": (b'[{"a": 1])', MALFORMED, {"line": 1}),
    "text after the end": (b'[{"a": 1}]\nx', MALFORMED, {"line": 2}),
    "two documents": (b'[{"a": 1}][{"a": 2}]', MALFORMED, {"column": 11}),
    "single quotes": (b"[{'a': 1}]", MALFORMED, {"column": 3}),
    "a bare key": (b"[{a: 1}]", MALFORMED, {"column": 3}),
    "a comment": (b'[{"a": 1}] // x', MALFORMED, {"line": 1}),
    "an open string": (b'[{"a": "x}]', MALFORMED, {"line": 1}),
    "a newline in a string": (b'[{"a": "x\ny"}]', MALFORMED, {"line": 1}),
    "a tab in a string": (b'[{"a": "x\ty"}]', MALFORMED, {"line": 1}),
    "a bad escape": (b'[{"a": "\\x41"}]', MALFORMED, {"line": 1}),
    "a short escape": (b'[{"a": "\\u12"}]', MALFORMED, {"line": 1}),
    "Python's None": (b'[{"a": None}]', MALFORMED, {"line": 1}),
    "Python's True": (b'[{"a": True}]', MALFORMED, {"line": 1}),
    "undefined": (b'[{"a": undefined}]', MALFORMED, {"line": 1}),
    "a plus sign": (b'[{"a": +1}]', MALFORMED, {"line": 1}),
    "a leading zero": (b'[{"a": 01}]', MALFORMED, {"line": 1}),
    "a leading point": (b'[{"a": .5}]', MALFORMED, {"line": 1}),
    "a trailing point": (b'[{"a": 5.}]', MALFORMED, {"line": 1}),
    "hexadecimal": (b'[{"a": 0x1F}]', MALFORMED, {"line": 1}),
    "an underscore": (b'[{"a": 1_000}]', MALFORMED, {"line": 1}),
    "a lone minus": (b'[{"a": -}]', MALFORMED, {"line": 1}),
    # JSON that two readers understand differently
    "NaN": (b'[{"a": NaN}]', MALFORMED, {"reason": "nonfinite", "column": 8}),
    "Infinity": (b'[{"a": Infinity}]', MALFORMED, {"reason": "nonfinite"}),
    "minus Infinity": (b'[{"a": -Infinity}]', MALFORMED, {"reason": "nonfinite"}),
    "1e400": (b'[{"a": 1e400}]', MALFORMED, {"reason": "overflow"}),
    "minus 1e999": (b'[{"a": -1e999}]', MALFORMED, {"reason": "overflow"}),
    "a duplicate key": (b'[{"a": 1,\n "a": 2}]', MALFORMED, {"reason": "duplicate_key", "line": 2}),
    "a duplicate key by an escape": (b'[{"a": 1, "\\u0061": 2}]', MALFORMED, {"reason": "duplicate_key"}),
    "a duplicate key in a value": (b'[{"a": {"b": 1, "b": 2}}]', MALFORMED, {"reason": "duplicate_key"}),
    "duplicate records": (b'{"records": [], "records": [{"a": 1}]}', MALFORMED, {"reason": "duplicate_key"}),
    "a lone surrogate": (b'[{"a": "\\ud800"}]', MALFORMED, {"reason": "surrogate"}),
    "a lone low surrogate": (b'[{"a": "\\udc00"}]', MALFORMED, {"reason": "surrogate"}),
    "a lone surrogate in a key": (b'[{"\\ud800": 1}]', MALFORMED, {"reason": "surrogate"}),
    "surrogates in the wrong order": (b'[{"a": "\\udc00\\ud800"}]', MALFORMED, {"reason": "surrogate"}),
    "UTF-16": ('[{"a": 1}]'.encode("utf-16"), MALFORMED, {"reason": "encoding"}),
    "UTF-16 without BOM": ('[{"a": 1}]'.encode("utf-16-le"), MALFORMED, {"reason": "encoding"}),
    "UTF-32": ('[{"a": 1}]'.encode("utf-32"), MALFORMED, {"reason": "encoding"}),
    "Latin-1": ('[{"a": "é"}]'.encode("latin-1"), MALFORMED, {"reason": "encoding", "column": 9}),
    "a surrogate in UTF-8": (b'[{"a": "\xed\xa0\x80"}]', MALFORMED, {"reason": "encoding"}),
    # sizes
    "5,000 digits": (b'[{"a": ' + b"9" * 5_000 + b"}]", LIMIT, {"reason": "digits", "value": 5_000}),
    "a fraction of 5,000 digits": (b'[{"a": 0.' + b"1" * 5_000 + b"}]", LIMIT, {"reason": "digits"}),
    "depth 65": (b"[" * 65 + b"]" * 65, LIMIT, {"reason": "depth"}),
    "depth 100,000": (b"[" * 100_000, LIMIT, {"reason": "depth"}),
    "objects of depth 100,000": (b'{"a":' * 100_000, LIMIT, {"reason": "depth"}),
    "depth in a value": (b'[{"a": ' + b"[" * 80 + b"]" * 80 + b"}]", LIMIT, {"reason": "depth"}),
    "10,000 columns": (
        b"[{" + b",".join(b'"c%d": 1' % i for i in range(10_000)) + b"}]",
        LIMIT,
        {"limit_name": "columns", "value": 10_000},
    ),
    "a key too long": (b'[{"' + b"k" * 2_000 + b'": 1}]', LIMIT, {"limit_name": "name_chars", "position": 1}),
    # JSON, but no rows
    "a number": (b"5", MALFORMED, {"expected": "a list of objects"}),
    "a string": (b'"x"', MALFORMED, {"expected": "a list of objects"}),
    "null": (b"null", MALFORMED, {"expected": "a list of objects"}),
    "true": (b"true", MALFORMED, {"expected": "a list of objects"}),
    "an empty array": (b"[]", MALFORMED, {}),
    "an empty object": (b"{}", MALFORMED, {}),
    "empty rows": (b"[{}, {}]", MALFORMED, {}),
    "an array of numbers": (b"[1, 2]", MALFORMED, {"row": 1}),
    "an array of arrays": (b"[[1, 2], [3, 4]]", MALFORMED, {"row": 1}),
    "a null among the rows": (b'[{"a": 1}, null]', MALFORMED, {"row": 2}),
    "a string among the rows": (b'[{"a": 1}, {"a": 2}, "x"]', MALFORMED, {"row": 3}),
    "an empty key": (b'[{"": 1}]', MALFORMED, {"position": 1}),
    "a blank key": (b'[{"a": 1, " ": 1}]', MALFORMED, {"position": 2}),
    "a control character in a key": (b'[{"a\\u0007": 1}]', MALFORMED, {"position": 1}),
    "a newline in a key": (b'[{"a": 1, "b\\n": 1}]', MALFORMED, {"position": 2}),
    "records that are a number": (b'{"records": 5}', MALFORMED, {}),
    "records that are text": (b'{"records": "abc"}', MALFORMED, {}),
    "records that are an object": (b'{"records": {"a": [1]}}', MALFORMED, {}),
    "records of numbers": (b'{"records": [1]}', MALFORMED, {"row": 1}),
    "columns of different length": (b'{"a": [1, 2], "b": [1]}', MALFORMED, {"column": "'b'", "met": 1, "expected": 2}),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_broken_document_is_refused_with_its_place(name: str, tmp_path: Path, refused: Any) -> None:
    content, code, details = DOCUMENTS[name]
    path = tmp_path / "data.json"
    path.write_bytes(content)
    refused(path, code, **details)


GOOD = b'[{"region": "north", "amount": 1.5, "when": "2024-01-01", "note": "a \\u00fc \\ud83d\\ude00"}, {"x": [null]}]'


@pytest.mark.parametrize("cut", range(1, len(GOOD)))
def test_truncated_document_is_refused(cut: int, tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "data.json"
    path.write_bytes(GOOD[:-cut])
    refused(path, MALFORMED, line=1)


LINES: dict[str, tuple[bytes, str, dict[str, Any]]] = {
    "an array": (b'[{"a": 1}]\n', MALFORMED, {"line": 1}),
    "a number": (b'{"a": 1}\n5\n', MALFORMED, {"line": 2}),
    "a null": (b'{"a": 1}\n\nnull\n', MALFORMED, {"line": 3}),
    "an open object": (b'{"a": 1}\n{"a": 2\n{"a": 3}\n', MALFORMED, {"line": 2}),
    "two objects on a line": (b'{"a": 1}\n{"a": 2} {"a": 3}\n', MALFORMED, {"line": 2, "column": 10}),
    "a comma between lines": (b'{"a": 1},\n{"a": 2}\n', MALFORMED, {"line": 1, "column": 9}),
    "an object over two lines": (b'{"a": 1}\n{"a":\n2}\n', MALFORMED, {"line": 2}),
    "a way out of the line": (b'{"a": 1}\n1}, {"a": 2\n', MALFORMED, {"line": 2}),
    "a duplicate key": (b'{"a": 1}\n{"a": 1, "a": 2}\n', MALFORMED, {"line": 2, "column": 10}),
    "NaN": (b'{"a": 1}\n{"a": NaN}\n', MALFORMED, {"line": 2, "column": 7}),
    "a lone surrogate": (b'{"a": 1}\n{"a": "\\ud800"}\n', MALFORMED, {"line": 2}),
    "no UTF-8": (b'{"a": 1}\n{"a": "\xe9"}\n', MALFORMED, {"line": 2}),
    "a NUL": (b'{"a": 1}\n\0\n', MALFORMED, {"line": 2}),
    "depth": (b'{"a": 1}\n{"a": ' + b"[" * 90 + b"]" * 90 + b"}\n", LIMIT, {"line": 2, "reason": "depth"}),
    "digits": (b'{"a": 1}\n{"a": ' + b"1" * 9_000 + b"}\n", LIMIT, {"line": 2, "reason": "digits"}),
    "nothing": (b"\n\n", MALFORMED, {}),
    "a log": (b"2024-01-01 INFO started\n", MALFORMED, {"line": 1}),
    "cut in the last line": (b'{"a": 1}\n{"a": "x', MALFORMED, {"line": 2}),
}


@pytest.mark.parametrize("name", LINES)
def test_broken_line_is_refused_with_its_number(name: str, tmp_path: Path, refused: Any) -> None:
    content, code, details = LINES[name]
    path = tmp_path / "data.ndjson"
    path.write_bytes(content)
    refused(path, code, **details)


class Odd:
    """A value of no known type."""


INPUTS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "nothing": (None, UNSUPPORTED, {}),
    "a number": (5, UNSUPPORTED, {"met": "int"}),
    "bytes": (b"a,b\n1,2", UNSUPPORTED, {"met": "bytes"}),
    "a set": ({1, 2}, UNSUPPORTED, {}),
    "a generator": ((row for row in [{"a": 1}]), UNSUPPORTED, {}),
    "an object of a class": (Odd(), UNSUPPORTED, {"met": "Odd"}),
    "an empty list": ([], MALFORMED, {}),
    "rows that are tuples": ([(1, 2)], MALFORMED, {"row": 1}),
    "a row that is a list": ([{"a": 1}, [1]], MALFORMED, {"row": 2}),
    "a row that is None": ([{"a": 1}, None], MALFORMED, {"row": 2}),
    "a key that is a number": ([{1: 2}], MALFORMED, {"position": 1}),
    "a key that is None": ([{"a": 1, None: 2}], MALFORMED, {"position": 2}),
    "a key that is a tuple": ([{("a", "b"): 2}], MALFORMED, {"position": 1}),
    "a key that is bytes": ([{b"a": 2}], MALFORMED, {"position": 1}),
    "a key with half a surrogate": ([{"\ud800": 2}], MALFORMED, {"position": 1}),
    "bytes in a cell": ([{"a": b"x"}], MALFORMED, {"column": "a"}),
    "a complex number": ([{"a": 1j}], MALFORMED, {"column": "a"}),
    "an object in a cell": ([{"a": Odd()}], MALFORMED, {"column": "a"}),
    "a set in a cell": ([{"a": {1}}], MALFORMED, {"column": "a"}),
    "half a surrogate in a cell": ([{"a": "\udfff"}], MALFORMED, {"column": "a"}),
    "a function in a cell": ([{"a": len}], MALFORMED, {"column": "a"}),
    "a decimal that is no number": ([{"a": Decimal("NaN")}], MALFORMED, {"column": "a"}),
    "an infinite decimal": ([{"a": Decimal("-Infinity")}], MALFORMED, {"column": "a"}),
    "a decimal of 50 digits": ([{"a": Decimal("1e50")}], MALFORMED, {"column": "a"}),
    "a whole number of 5,000 digits": ([{"a": 10**5_000}], MALFORMED, {"column": "a"}),
    "a whole number beyond doubles beside a double": ([{"a": 10**400}, {"a": 1.5}], MALFORMED, {"column": "a"}),
    "nested beyond all depth": ([{"a": eval("[" * 70 + "]" * 70)}], MALFORMED, {"column": "a"}),
    "SQL for a provider": ({"provider": "sqlite; drop", "path": "x"}, "invalid_intent", {"path": "provider"}),
}


@pytest.mark.parametrize("name", INPUTS)
def test_object_that_is_no_table_is_refused(name: str, refused: Any) -> None:
    source, code, details = INPUTS[name]
    refused(source, code, **details)


def test_row_that_contains_itself_is_refused(refused: Any) -> None:
    circle: list[Any] = []
    circle.append(circle)
    refused([{"a": circle}], MALFORMED, column="a")


@pytest.mark.parametrize(
    ("value", "declared"),
    [
        (1.5, "int64"),
        (2**53 + 1, "float64"),
        (0.1234, "decimal(5,2)"),
        (True, "date"),
        ("x", "number"),
        ("007", "int64"),
        (datetime.datetime(2024, 1, 1, 5), "date"),  # noqa: DTZ001  # the time of day would be lost
        (datetime.date(2024, 1, 1), "number"),
        (float("nan"), "int64"),
    ],
)
def test_value_that_a_declared_type_would_change_is_refused(value: Any, declared: str, refused: Any) -> None:
    refused([{"a": value}], MALFORMED, ReadOptions(types={"a": declared}), column="a")


def test_document_beyond_its_limit_is_refused(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "data.json"
    path.write_bytes(b'[{"a": 1}]')
    refused(path, LIMIT, ReadOptions(limits=Limits(json_bytes=5)), limit_name="json_bytes")
    refused(path, LIMIT, ReadOptions(limits=Limits(json_depth=1)), reason="depth")
    refused(path, LIMIT, ReadOptions(limits=Limits(cells=0)), limit_name="cells")
