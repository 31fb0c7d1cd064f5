from __future__ import annotations

import csv
import hashlib
import io
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.errors import SourceMalformedError
from service_nb.readers import delimited
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.delimited import read


def written(folder: Path, content: bytes | str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(dataset: Dataset) -> list[dict[str, Any]]:
    assert dataset.table is not None
    found: list[dict[str, Any]] = dataset.table.to_pylist()
    return found


def physical(dataset: Dataset) -> list[str]:
    return [field.physical for field in dataset.fields]


def test_each_column_gets_its_type(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "id,big,x,word,flag,day,time,zip\n"
        "1,9223372036854775808,1.5,north,true,2024-02-29,2024-02-29T10:00:00,00123\n"
        "-2,0,1e-3,,FALSE,,2024-02-29 10:00:00.000001,99999\n",
    )
    found = read(path, ReadOptions())
    assert physical(found) == ["int64", "decimal(38,0)", "float64", "string", "boolean", "date", "datetime", "string"]
    assert [field.type for field in found.fields] == [
        "number",
        "number",
        "number",
        "string",
        "boolean",
        "date",
        "datetime",
        "string",
    ]
    assert rows(found)[0]["big"] == Decimal(2**63)
    assert rows(found)[0]["zip"] == "00123"
    assert rows(found)[1]["word"] is None


def test_content_is_the_digest_of_the_bytes_of_the_file(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbfa;b\r\n1;"x"\r\n'
    found = read(written(tmp_path, content), ReadOptions())
    assert found.content.sha256 == hashlib.sha256(content).hexdigest()
    assert found.content.algorithm == "sha256-file"
    assert found.content.size == len(content)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_marks_make_no_difference(line_end: str, last: str, bom: str, tmp_path: Path) -> None:
    text = bom + line_end.join(["", "a,b", "1,x", "", '2,"y"']) + (line_end if last else "")
    assert rows(read(written(tmp_path, text), ReadOptions())) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]


@pytest.mark.parametrize(("delimiter", "name"), [(",", "x.csv"), (";", "x.csv"), ("|", "x.txt"), ("\t", "x.tsv")])
def test_delimiter_is_the_one_of_the_header(delimiter: str, name: str, tmp_path: Path) -> None:
    text = f'a{delimiter}"b,;|c"\n1{delimiter}2\n'
    assert rows(read(written(tmp_path, text, name), ReadOptions())) == [{"a": 1, "b,;|c": 2}]


def test_delimiter_can_be_said(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b:c\n1,2:3\n")
    assert rows(read(path, ReadOptions(delimiter=":"))) == [{"a,b": "1,2", "c": 3}]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1", "cp1252", "utf-8-sig"])
def test_encoding_can_be_said(encoding: str, tmp_path: Path) -> None:
    path = written(tmp_path, "name,größe\nMüller,1\n".encode(encoding))
    assert rows(read(path, ReadOptions(encoding=encoding))) == [{"name": "Müller", "größe": 1}]


def test_empty_cells_are_null_quoted_or_not(tmp_path: Path) -> None:
    found = read(written(tmp_path, 'a,b\n,""\n1,x\n'), ReadOptions())
    assert rows(found) == [{"a": None, "b": None}, {"a": 1, "b": "x"}]


def test_words_for_missing_values_can_be_said(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\nNA,1\n2,n/a\n")
    assert physical(read(path, ReadOptions())) == ["string", "string"]
    found = read(path, ReadOptions(nulls=("NA", "n/a")))
    assert rows(found) == [{"a": None, "b": 1}, {"a": 2, "b": None}]


def test_empty_line_is_a_null_in_a_single_column_and_nothing_in_several(tmp_path: Path) -> None:
    assert rows(read(written(tmp_path, "a\n1\n\n2\n"), ReadOptions())) == [{"a": 1}, {"a": None}, {"a": 2}]
    assert rows(read(written(tmp_path, "a,b\n1,1\n\n2,2\n"), ReadOptions())) == [{"a": 1, "b": 1}, {"a": 2, "b": 2}]


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "a,b\r\n", "\n\na,b\n\n"])
def test_header_alone_is_a_table_without_rows(text: str, tmp_path: Path) -> None:
    found = read(written(tmp_path, text), ReadOptions())
    assert (found.row_count, physical(found)) == (0, ["string", "string"])


def test_names_that_are_words_of_sql_are_only_names(tmp_path: Path) -> None:
    names = ["count", "select", "group by", "a.b", "a", "A", "ä", "1", "'", "--", "null", "x;y"]
    path = written(tmp_path, ",".join(names) + "\n" + ",".join("1" * len(names)) + "\n")
    assert [field.name for field in read(path, ReadOptions(delimiter=",")).fields] == names


def test_declared_types_replace_what_would_be_found(tmp_path: Path) -> None:
    path = written(tmp_path, "zip,price,n,x,when\n1,1.5,7,2,2024-01-01\n2,2.25,8,3,2024-01-02\n")
    types = {"zip": "string", "price": "decimal(12,2)", "n": "float64", "x": "decimal(38,0)", "when": "datetime"}
    found = read(path, ReadOptions(types=types))
    assert physical(found) == ["string", "decimal(12,2)", "float64", "decimal(38,0)", "datetime"]
    assert rows(found)[1]["price"] == Decimal("2.25")


def test_number_is_declared_and_the_digits_decide_which(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b,c\n1,1.5,9223372036854775808\n")
    assert physical(read(path, ReadOptions(types=dict.fromkeys("abc", "number")))) == [
        "int64",
        "float64",
        "decimal(38,0)",
    ]


def test_few_values_are_dictionary_encoded_and_many_are_not(tmp_path: Path) -> None:
    path = written(tmp_path, "few,many\n" + "".join(f"w{i % 7},w{i}\n" for i in range(5_000)))
    table = read(path, ReadOptions()).table
    assert table is not None
    assert [str(kind) for kind in table.schema.types] == [
        "dictionary<values=string, indices=int32, ordered=0>",
        "string",
    ]
    assert table.column("few").to_pylist()[:8] == ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w0"]


def test_cell_longer_than_a_block_of_the_parser_is_read(tmp_path: Path) -> None:
    long = "x" * 900_000
    path = written(tmp_path, f'a,b,c\n1,"{long}\n","{long}"\n2,y,z\n')
    assert rows(read(path, ReadOptions()))[0]["b"] == long + "\n"


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8) | st.sampled_from(
    ['"', '""', ",", ";", "\n", "\r\n", "\r", " ", "a,b", 'x"y', "1", "é", "\u2028"]
)


@given(
    st.lists(st.lists(cells, min_size=3, max_size=3), max_size=12),
    st.sampled_from(",;|\t"),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_the_csv_module_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[str]], delimiter: str, line_end: str
) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows([["a", "b", "c"], *table])
    path = written(tmp_path_factory.getbasetemp(), stream.getvalue())
    found = read(path, ReadOptions(delimiter=delimiter, types=dict.fromkeys("abc", "string")))
    assert [list(row.values()) for row in rows(found)] == [[cell or None for cell in row] for row in table]


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=40), st.integers(0, 2**32), st.sampled_from(["\n", "\r\n", "\r"])
)
def test_line_of_a_ragged_row_is_found_across_blocks(widths: list[int], seed: int, line_end: str) -> None:
    chance = random.Random(seed)
    texts = ["x", "", f'"a,{line_end}b"', f'"{line_end}"', '"q""q"', "é"]
    lines, first = [line_end], None
    line = 2
    for width in widths:
        row = ",".join(chance.choice(texts[2:] if width == 1 else texts) for _ in range(width)) + line_end
        if width != 3 and first is None:
            first = (line, width)
        lines.append(row)
        line += row.count(line_end)
    text = "".join(lines).encode()
    size, delimited.QUOTE_BLOCK = delimited.QUOTE_BLOCK, chance.choice([1, 2, 7, 64, 1 << 20])
    body = delimited.Body(text, 0, ",", ["a", "b", "c"])
    try:
        delimited.check_quotes(text, ",")
        assert body.find_ragged() == first
        for number in range(1, len(widths) + 1):
            expected = 2 + sum(row.count(line_end) for row in lines[1:number])
            assert body.find_row_line(number) == expected
    finally:
        delimited.QUOTE_BLOCK = size


@given(st.text('a",\n', max_size=12))
def test_quotes_are_in_order_exactly_when_each_cell_is_plain_or_quoted(text: str) -> None:
    import re

    cell = r'(?:[^",\n]*|"(?:[^"]|"")*")'
    sound = re.fullmatch(rf"(?:{cell}[,\n])*{cell}", text) is not None
    try:
        delimited.check_quotes(text.encode(), ",")
    except SourceMalformedError:
        assert not sound
    else:
        assert sound
