"""The three forms of a question in a cell."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError
from service_nb.notebook.body import MAX_CHARS, read_question, recognise_form


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("sum x", "line"),
        ("\n\n  sum x\nby y", "line"),
        ("", "line"),
        ('{"metric": "x"}', "json"),
        ("\n {", "json"),
        ("metric: x", "yaml"),
        ("\nmetric:\n  x", "yaml"),
        ("metric:", "yaml"),
        ("metric:x", "line"),
        ("- metric", "line"),
        ("sum x where a = 'b: c'", "line"),
    ],
)
def test_the_beginning_decides_the_form(text: str, form: str) -> None:
    assert recognise_form(text) == form


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("12", 12),
        ("-3", -3),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("no", "no"),
        ("Yes", "Yes"),
        ("on", "on"),
        ("True", "True"),
        ("00123", "00123"),
        ("0o17", "0o17"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2013-01-01", "2013-01-01"),
        (".nan", ".nan"),
        ("'12'", "12"),
    ],
)
def test_yaml_reads_scalars_as_json_would(scalar: str, value: Any) -> None:
    read = read_question(f"value: {scalar}")["value"]
    assert (read, type(read)) == (value, type(value))


def test_yaml_and_json_say_the_same() -> None:
    spec = {
        "metric": "x",
        "group_by": ["a", "b c"],
        "filter": {"conditions": [{"column": "d", "op": "gt", "value": 1}]},
    }
    yaml = "metric: x\ngroup_by: [a, b c]\nfilter:\n  conditions:\n  - column: d\n    op: gt\n    value: 1\n"
    assert read_question(yaml) == read_question(json.dumps(spec)) == spec


def test_a_fault_in_yaml_names_its_place() -> None:
    with pytest.raises(InvalidIntentError) as caught:
        read_question("metric: x\nmetric: y")
    assert (caught.value.details["line"], caught.value.details["column"]) == (2, 1)


def test_a_body_has_a_limit() -> None:
    with pytest.raises(LimitExceededError):
        read_question("metric: " + "x" * MAX_CHARS)


PIECES = [
    "metric",
    ":",
    " ",
    "\n",
    "  ",
    "-",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a",
    "*a",
    "!!str",
    "|",
    ">",
    "'",
    '"',
    "#",
    "?",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=80))
def test_every_body_ends_in_a_spec_or_a_typed_refusal(text: str) -> None:
    for opening in ("", "{", "metric: "):
        outcome = read_or_refused(opening + text)
        assert isinstance(outcome, dict | InvalidIntentError | LimitExceededError)


def read_or_refused(text: str) -> object:
    try:
        return read_question(text)
    except ServiceError as error:
        return error
