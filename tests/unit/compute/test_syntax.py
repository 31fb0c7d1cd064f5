"""The compute line: what it means, and where it breaks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service_nb.compute.syntax import ColumnReference, Variable, parse_compute
from service_nb.errors import InvalidIntentError, LimitExceededError


def test_literals_are_numbers_texts_lists_and_dates() -> None:
    line = parse_compute("a.b x=-1.5e3 n=7 t='it''s' u=\"a\"\"b\" yes=true m=[[1, 2], [3,4]] d=2024-01-31 k=1_000")
    assert (line.module, line.function) == ("a", "b")
    assert line.arguments == {
        "x": -1500.0, "n": 7, "t": "it's", "u": 'a"b', "yes": True, "m": [[1, 2], [3, 4]], "d": "2024-01-31", "k": 1000,
    }  # fmt: skip
    assert type(line.arguments["n"]) is int


@pytest.mark.parametrize("value", ["[1,000]", "007", "[-01.5]", "0_1"])
def test_a_number_with_a_zero_before_it_is_refused_for_it_may_be_the_rest_of_a_thousand(value: str) -> None:
    with pytest.raises(InvalidIntentError):
        parse_compute(f"stats.mean values={value}")


def test_whole_numbers_beyond_json_travel_as_text() -> None:
    line = parse_compute("number_theory.is_prime n=170141183460469231731687303715884105727 m=9007199254740991")
    assert line.arguments == {"n": "170141183460469231731687303715884105727", "m": 9007199254740991}


def test_column_variable_and_seed() -> None:
    line = parse_compute("a.b x=sales.`order total` y=`my file`.z v=$values seed=7")
    assert line.arguments == {
        "x": ColumnReference("sales", "order total"),
        "y": ColumnReference("my file", "z"),
        "v": Variable("values"),
    }
    assert line.seed == 7
    assert line.variables == {Variable("values")}


def test_columns_of_one_source_under_one_condition_are_one_binding() -> None:
    line = parse_compute("stats.covariance x=sales.a y=sales.b where region = 'north'")
    selection: dict[str, Any] = {"conditions": [{"column": "region", "op": "eq", "value": "north"}]}
    assert line.where == "region = 'north'"
    assert line.build_spec({}, dict.fromkeys(line.columns.values(), selection)) == {
        "module": "stats",
        "function": "covariance",
        "kwargs": {},
        "bindings": [
            {
                "parameters": ["x", "y"],
                "fields": ["a", "b"],
                "source": "sales",
                "alignment": "rowwise",
                "filter": selection,
            }
        ],
    }


def test_a_condition_in_brackets_belongs_to_the_column_before_it() -> None:
    line = parse_compute("a.b(x=s.a[g = 'it''s ]'], y=s.`b c` [ `g]` = \"]\" ], z=s.d[g = 'it''s ]'])  where n > 0")
    assert line.arguments == {
        "x": ColumnReference("s", "a", "g = 'it''s ]'"),
        "y": ColumnReference("s", "b c", '`g]` = "]"'),
        "z": ColumnReference("s", "d", "g = 'it''s ]'"),
    }
    assert line.where == "n > 0"
    one, other = ({"conditions": [{"column": "g", "op": "eq", "value": value}]} for value in "ab")
    columns = line.columns
    filters = {columns["x"]: one, columns["y"]: other, columns["z"]: one}
    assert line.build_spec({}, filters)["bindings"] == [
        {"parameters": ["x", "z"], "fields": ["a", "d"], "source": "s", "alignment": "rowwise", "filter": one},
        {"parameter": "y", "source": "s", "field": "b c", "filter": other},
    ]


def test_a_long_line_of_quotes_without_an_end_is_refused_at_once() -> None:
    for signs in ("''", "'", "``", '"" ', "a"):
        with pytest.raises(InvalidIntentError):
            parse_compute(f"a.b x=s.a[{signs * (90_000 // len(signs))}")


def test_columns_of_two_sources_are_bound_one_by_one() -> None:
    assert [list(binding) for binding in parse_compute("a.b x=s.a y=t.b").build_spec({})["bindings"]] == [
        ["parameter", "source", "field"]
    ] * 2


def test_lines_may_break_anywhere_between_words() -> None:
    broken = parse_compute("finance.npv\n  rate = 0.1\n  cashflows = [\n -1000,\n 1100,\n ]\n")
    assert broken == parse_compute("finance.npv rate=0.1 cashflows=[-1000, 1100]")


@pytest.mark.parametrize(
    "text",
    [
        "finance.npv rate=0.1 cashflows=[-1000, 1100] where year = 2024",
        "finance.npv rate=0.1, cashflows=[-1000, 1100] where year = 2024",
        "finance.npv(rate=0.1, cashflows=[-1000, 1100]) where year = 2024",
        "finance.npv ( rate = 0.1 , cashflows = [-1000,1100] , ) where year = 2024",
    ],
)
def test_a_call_is_read_with_commas_and_with_parentheses(text: str) -> None:
    line = parse_compute(text)
    assert (line.module, line.function, line.where) == ("finance", "npv", "year = 2024")
    assert line.arguments == {"rate": 0.1, "cashflows": [-1000, 1100]}


def test_a_text_in_double_quotes_is_json_in_a_call_and_as_it_stands_in_a_line() -> None:
    assert parse_compute(r'a.b(t="a\tb\"\u00e9", seed=7)').arguments == {"t": 'a\tb"é'}
    assert parse_compute(r'a.b t="a\tb"').arguments == {"t": r"a\tb"}
    assert parse_compute("a.b(t='it''s')").arguments == {"t": "it's"}


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("f.n x=1,", 9),
        ("f.n x=1,,y=2", 9),
        ("f.n x=1,000", 9),
        ("f.n x=1)", 8),
        ("f.n(x=1", 8),
        ("f.n(x=1) y=2", 10),
        ("f.n(1)", 5),
        ('f.n(x="a', 7),
        (r'f.n(x="\q")', 7),
        ("f.n(x=[1, 2, … 9 items])", 14),
        ("f.n(x=s.r (filtered))", 11),
        (f'f.n(x="{"a" * 19}…{"b" * 19}")', 7),
        ("", 1),
        ("npv rate=1", 1),
        ("finance.npv rate", 17),
        ("finance.npv rate=", 18),
        ("finance.npv rate=abc", 18),
        ("finance.npv rate=1 rate=2", 20),
        ("f.n x=[1, 2", 12),
        ("f.n x=[a.b]", 11),
        ("f.n x='a", 7),
        ("f.n x=1.2.3", 7),
        ("f.n x=1.5.", 7),
        ("f.n 5", 5),
        ("f.n x=s.", 9),
        ("f.n x=$", 8),
        ("f.n seed=1.5", 5),
        ("f.n seed='a'", 5),
        ("f.n x=--1", 7),
        ("f.n x=1e", 7),
        ("f.n x={}", 7),
        ("f.n x=inf", 7),
        ("f.n x=s.a[g = 1", 10),
        ("f.n x=s.a[g = 'a]", 10),
        ("f.n x=s.a[ ]", 10),
        ("f.n x=s.a[g = 1][n > 2]", 17),
    ],
)
def test_fault_names_its_column(text: str, column: int) -> None:
    with pytest.raises(InvalidIntentError) as caught:
        parse_compute(text)
    assert caught.value.details["column"] == column
    assert caught.value.details["expected"]


def test_deep_lists_and_long_lines_are_refused_at_once() -> None:
    with pytest.raises(LimitExceededError):
        parse_compute("f.n x=" + "[" * 50_000)
    with pytest.raises(LimitExceededError):
        parse_compute("f.n x=" + "1" * 200_000)


numbers = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    numbers | st.booleans() | st.text(max_size=20), lambda inner: st.lists(inner, max_size=4), max_leaves=8
)


def written(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "[" + ", ".join(map(written, value)) + "]" if isinstance(value, list) else json.dumps(value)


@given(st.dictionaries(st.from_regex(r"p[a-z]{0,6}", fullmatch=True), values, max_size=4))
def test_what_is_written_is_read(arguments: dict[str, Any]) -> None:
    text = "a.b " + " ".join(f"{name}={written(value)}" for name, value in arguments.items())
    assert parse_compute(text).arguments == arguments


@given(st.dictionaries(st.from_regex(r"p[a-z]{0,6}", fullmatch=True), values, max_size=4))
def test_a_call_whose_literals_are_json_is_read(arguments: dict[str, Any]) -> None:
    text = f"a.b({', '.join(f'{name}={json.dumps(value)}' for name, value in arguments.items())})"
    assert parse_compute(text).arguments == arguments


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_by_name(text: str) -> None:
    try:
        parse_compute(f"a.b {text}")
        parse_compute(f"a.b({text}")
    except (InvalidIntentError, LimitExceededError) as error:
        assert error.details  # noqa: PT017
