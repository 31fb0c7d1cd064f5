"""The ask line. Expected specs are written by hand from the grammar in the handbook, never from the parser."""

import datetime
import json
import math
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service_nb.core.words import KEYWORDS
from service_nb.errors import InvalidIntentError, LimitExceededError, ServiceError
from service_nb.query.ask_line import MAX_CHARS, format_ask, parse_ask
from service_nb.schema.query import AGGREGATIONS, PERIODS


def conditions(line):
    return parse_ask(f"count where {line}")["filter"]["conditions"]


def refusal(line):
    with pytest.raises(InvalidIntentError) as caught:
        parse_ask(line)
    assert caught.value.code == "invalid_intent"
    return caught.value.details


def test_a_full_line_fills_every_key():
    assert parse_ask(
        "sum revenue by region, `Order Year` from sales where status = 'paid' and day during last_month "
        "order asc limit 5"
    ) == {
        "aggregation": "sum",
        "metric": "revenue",
        "group_by": ["region", "Order Year"],
        "source_name": "sales",
        "filter": {
            "conditions": [{"column": "status", "op": "eq", "value": "paid"}],
            "time_filter": {"column": "day", "period": "last_month"},
        },
        "order": "asc",
        "limit": 5,
    }


def test_a_line_holds_only_the_keys_it_names():
    assert parse_ask("count") == {"aggregation": "count"}
    assert parse_ask("count by origin") == {"aggregation": "count", "group_by": ["origin"]}
    assert parse_ask("avg delay where day during this_year") == {
        "aggregation": "avg",
        "metric": "delay",
        "filter": {"time_filter": {"column": "day", "period": "this_year"}},
    }


@pytest.mark.parametrize(
    ("line", "condition"),
    [
        ("a = 1", {"column": "a", "op": "eq", "value": 1}),
        ("a == 1", {"column": "a", "op": "eq", "value": 1}),
        ("a != 1", {"column": "a", "op": "ne", "value": 1}),
        ("a <> 1", {"column": "a", "op": "ne", "value": 1}),
        ("a < 1", {"column": "a", "op": "lt", "value": 1}),
        ("a <= 1", {"column": "a", "op": "lte", "value": 1}),
        ("a > 1", {"column": "a", "op": "gt", "value": 1}),
        ("a>=1", {"column": "a", "op": "gte", "value": 1}),
        ("a in ('x', \"y\")", {"column": "a", "op": "in", "values": ["x", "y"]}),
        ("a not in (1)", {"column": "a", "op": "not_in", "values": [1]}),
        ("a between 1 and 2", {"column": "a", "op": "between", "values": [1, 2]}),
        ("a is null", {"column": "a", "op": "is_null"}),
        ("a is not null", {"column": "a", "op": "is_not_null"}),
        ("a contains 'x'", {"column": "a", "op": "contains", "value": "x"}),
        ("a starts with 'x'", {"column": "a", "op": "starts_with", "value": "x"}),
        ("a starts_with 'x'", {"column": "a", "op": "starts_with", "value": "x"}),
    ],
)
def test_every_operator_has_its_spelling(line, condition):
    assert conditions(line) == [condition]


@pytest.mark.parametrize(
    ("line", "found", "canonical"),
    [
        ("{a} or {b}", [{"any": ["a", "b"]}], None),
        ("{a} or {b} and {c}", [{"any": ["a", {"all": ["b", "c"]}]}], None),
        ("({a} or {b}) and {c}", [{"any": ["a", "b"]}, "c"], None),
        ("{a} and {b} or {c} and {a}", [{"any": [{"all": ["a", "b"]}, {"all": ["c", "a"]}]}], None),
        ("(({a}))", ["a"], "{a}"),
        ("(({a} and {b})) and {c}", ["a", "b", "c"], "{a} and {b} and {c}"),
        ("({a} or ({b} or {c}))", [{"any": ["a", "b", "c"]}], "{a} or {b} or {c}"),
        ("({a} and {b}) or {c}", [{"any": [{"all": ["a", "b"]}, "c"]}], "{a} and {b} or {c}"),
        ("{a} and ({b} or {c} and ({a} OR {b}))", ["a", {"any": ["b", {"all": ["c", {"any": ["a", "b"]}]}]}], None),
    ],
)
def test_and_binds_tighter_than_or_and_a_line_has_the_fewest_brackets(line, found, canonical):
    lines = {"a": "a = 1", "b": "b between 1 and 2", "c": "c in ('x', 'y')"}
    forms = {
        "a": {"column": "a", "op": "eq", "value": 1},
        "b": {"column": "b", "op": "between", "values": [1, 2]},
        "c": {"column": "c", "op": "in", "values": ["x", "y"]},
    }

    def build(tree):
        return forms[tree] if isinstance(tree, str) else {key: list(map(build, each)) for key, each in tree.items()}

    parsed = parse_ask("count where " + line.format(**lines))
    assert parsed["filter"] == {"conditions": list(map(build, found))}
    assert format_ask(parsed) == "count where " + (canonical or line).format(**lines).replace("OR", "or")


@pytest.mark.parametrize(
    "line", ["count where a = 1 or day during this_year", "count where (a = 1 and day during this_year) or b = 2"]
)
def test_a_period_is_no_alternative(line):
    assert "one of several alternatives" in parsed_or_refused(line).message
    parse_ask("count where (day during this_year and a = 1) and (b = 2 or c = 3)")


def test_and_in_between_does_not_end_the_condition():
    assert [found["op"] for found in conditions("a between 1 and 2 and b = 3 and c between 4 and 5")] == [
        "between",
        "eq",
        "between",
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("'it''s'", "it's"),
        ('"say ""no"""', 'say "no"'),
        ("''", ""),
        ("'a\nb'", "a\nb"),
        ("12", 12),
        ("-3", -3),
        ("9007199254740993", 9007199254740993),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("0.1", 0.1),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-2.50", -2.5),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("0.30000000000000000001", "0.30000000000000000001"),
        ("1e400", "1e400"),
        ("1e-400", "1e-400"),
        ("true", True),
        ("FALSE", False),
        ("2013-01-31", "2013-01-31"),
        ("2013-01-31T05:00:00Z", "2013-01-31T05:00:00Z"),
        ("'2013-01-31'", "2013-01-31"),
    ],
)
def test_values_keep_type_and_digits(text, value):
    found = conditions(f"a = {text}")[0]["value"]
    assert (found, type(found)) == (value, type(value))


def test_keywords_know_no_case_and_spaces_may_be_lines():
    assert parse_ask("\n Sum x\n\tBY y\nFROM z Where a IS NOT Null\nOrder DESC Limit 3 ") == {
        "aggregation": "sum",
        "metric": "x",
        "group_by": ["y"],
        "source_name": "z",
        "filter": {"conditions": [{"column": "a", "op": "is_not_null"}]},
        "order": "desc",
        "limit": 3,
    }


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_keywords_are_names_only_in_backticks(word):
    assert parse_ask(f"sum `{word}` by `{word}` from `{word}`") == {
        "aggregation": "sum",
        "metric": word,
        "group_by": [word],
        "source_name": word,
    }
    refusal(f"sum x by {word}")


def test_words_that_only_look_like_keywords_are_names():
    line = "sum bytes by order_date, count, last_year, Größe from fromage"
    assert parse_ask(line)["group_by"] == ["order_date", "count", "last_year", "Größe"]
    assert parse_ask("sum sum") == {"aggregation": "sum", "metric": "sum"}


def test_a_backtick_in_a_name_is_doubled():
    assert parse_ask("sum `a``b`")["metric"] == "a`b"


@pytest.mark.parametrize(
    ("line", "column", "met", "meant"),
    [
        ("averge delay", 1, "averge", ["avg"]),
        ("  smu x", 3, "smu", ["sum"]),
        ("sum x bye y", 7, "bye", ["by"]),
        ("sum x form flights", 7, "form", ["from"]),
        ("sum x from y wher a = 1", 14, "wher", ["where"]),
        ("sum x limt 3", 7, "limt", ["limit"]),
        ("sum x order dsec", 13, "dsec", ["desc"]),
        ("sum x where a contain 'b'", 15, "contain", ["contains"]),
        ("sum x where d during lastmonth", 22, "lastmonth", ["last_month"]),
    ],
)
def test_a_slip_names_its_place_and_what_was_meant(line, column, met, meant):
    details = refusal(line)
    assert (details["column"], details["met"], details["did_you_mean"]) == (column, met, meant)


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        ("", 1, list(AGGREGATIONS)),
        ("sum x by", 9, ["a column"]),
        ("sum x from", 11, ["a source"]),
        ("sum x order", 12, ["by", "asc", "desc"]),
        ("sum x by from y", 10, ["a column"]),
        ("sum x where a = ", 16, ["text in quotes", "a number", "a date", "true", "false"]),
        ("sum x where a = AA", 17, ["text in quotes", "a number", "a date", "true", "false"]),
        ("sum x where a in ()", 19, ["text in quotes", "a number", "a date", "true", "false"]),
        ("sum x where a contains 5", 24, ["text in quotes"]),
        ("sum x where a during 2013", 22, ["a period such as last_month"]),
        ("sum x limit 5 by y", 15, ["the end of the line"]),
        ("sum x where a = 1 xor b = 2", 19, ["and", "or", "having", "order", "limit", "the end of the line"]),
        ("sum x where (a = 1", 19, [")"]),
        ("sum x where ()", 14, ["a column", "("]),
        ("sum x where a = 'open", 17, ["a closing '"]),
        ("sum x limit 0", 13, ["a whole number"]),
        ("sum x limit -1", 13, ["a whole number"]),
        ("sum x limit 1.5", 13, ["a number"]),
        ("sum x where a = 1e99999", 17, ["text in quotes", "a number", "a date", "true", "false"]),
    ],
)
def test_a_refusal_says_what_may_stand_there(line, column, expected):
    details = refusal(line)
    assert (details["column"], details["expected"]) == (column, expected)


def test_a_place_in_a_later_line_is_named_by_line_and_column():
    details = refusal("sum x\n  by y\n  frm z")
    assert (details["line"], details["column"]) == (3, 3)


@pytest.mark.parametrize(
    "line",
    [
        "SELECT sum(x) FROM t",
        "with t as (select 1) select * from t",
        "DROP TABLE sales",
        "sum(x) from sales",
        "count(*) from sales",
        "count * from sales",
        "sum x from sales; drop table sales",
        "sum x from sales -- where y",
        "sum x from sales /* all */",
        "sum x from sales where a = 1 or 1 = 1",
        "sum x from sales where a like '%x_'",
        "sum x from sales group by y",
        "sum x from sales where a = null",
        "sum x from sales where a = (select 1)",
        "sum x from sales, other",
        "sum x from sales join other",
        "sum x from sales union select 1",
        "sum x from main.sales",
        "sum x as y from sales",
        "sum x + 1 from sales",
        "sum x from read_csv('x.csv')",
        "sum distinct x from sales",
        "sum x limit 5 offset 2",
    ],
)
def test_sql_is_refused(line):
    assert refusal(line)["column"] >= 1


def test_sql_in_quotes_is_only_text():
    assert parse_ask("sum `x; drop table y` where a = ''' or 1=1 --'") == {
        "aggregation": "sum",
        "metric": "x; drop table y",
        "filter": {"conditions": [{"column": "a", "op": "eq", "value": "' or 1=1 --"}]},
    }


@pytest.mark.parametrize("value", ["in (1,000)", "= 007", "> -01.5"])
def test_a_number_with_a_zero_before_it_is_refused_for_it_may_be_the_rest_of_a_thousand(value):
    with pytest.raises(InvalidIntentError):
        parse_ask(f"sum x from t where y {value}")


def test_a_second_period_is_refused():
    assert refusal("sum x where d during this_month and e during last_year")["column"] == 46


@pytest.mark.parametrize(
    "line", ["x" * (MAX_CHARS + 1), "sum x limit " + "9" * 401, "sum x where a = 0." + "1" * 5_000]
)
def test_what_is_too_long_is_refused_by_its_limit(line):
    with pytest.raises(LimitExceededError) as caught:
        parse_ask(line)
    assert caught.value.code == "limit_exceeded"
    assert caught.value.details["value"] > caught.value.details["limit"]


@pytest.mark.parametrize("line", [None, 3, b"sum x", ["sum x"]])
def test_only_text_is_a_line(line):
    with pytest.raises(InvalidIntentError):
        parse_ask(line)


WORDS = [
    *KEYWORDS,
    *AGGREGATIONS,
    *PERIODS,
    "starts with",
    "x",
    "`a b`",
    "'t'",
    '"',
    "'",
    "`",
    "1",
    "-2.5",
    "2013-01-01",
]
SIGNS = ["=", "<>", ",", "(", ")", ";", "*", "--", "%", "\n", "\x00", "\ud800", "é", "\u0661"]


@given(
    st.one_of(
        st.text(max_size=200),
        st.lists(st.sampled_from([*WORDS, *SIGNS]), max_size=30).map(" ".join),
        st.lists(st.sampled_from([*WORDS, *SIGNS]), max_size=30).map(lambda words: "sum " + " ".join(words)),
        st.text(string.printable, max_size=200).map(lambda text: "count where " + text),
    )
)
@example("sum x where a = 1e999999999999999999999")
@example("\ufeffsum x")
def test_every_text_ends_in_a_spec_or_a_typed_refusal(text):
    outcome = parsed_or_refused(text)
    if isinstance(outcome, ServiceError):
        assert outcome.code in ("invalid_intent", "limit_exceeded")
        assert all(type(value) in (str, int, list) for value in outcome.details.values())
    else:
        assert outcome["aggregation"] in AGGREGATIONS


def parsed_or_refused(text):
    try:
        return parse_ask(text)
    except ServiceError as error:
        return error


NAMES = st.one_of(
    st.sampled_from(
        ["region", "Order Date", "by", "having", "a`b", "count", "größe", "1st", "a.b", "x-y", "'q'", "line\nbreak"]
    ),
    st.text(min_size=1, max_size=20),
)
VALUES = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(["2013-01-31", "2013-01-31T05:00:00Z", "0.30000000000000000001", "it's", "true", "null"]),
)
CONDITIONS = st.one_of(
    st.fixed_dictionaries(
        {"column": NAMES, "op": st.sampled_from(["eq", "ne", "lt", "lte", "gt", "gte"]), "value": VALUES}
    ),
    st.fixed_dictionaries(
        {"column": NAMES, "op": st.sampled_from(["in", "not_in"]), "values": st.lists(VALUES, min_size=1, max_size=3)}
    ),
    st.fixed_dictionaries(
        {"column": NAMES, "op": st.just("between"), "values": st.lists(VALUES, min_size=2, max_size=2)}
    ),
    st.fixed_dictionaries({"column": NAMES, "op": st.sampled_from(["is_null", "is_not_null"])}),
    st.fixed_dictionaries(
        {"column": NAMES, "op": st.sampled_from(["contains", "starts_with"]), "value": st.text(max_size=20)}
    ),
)
FILTERS = st.fixed_dictionaries(
    {"conditions": st.lists(CONDITIONS, min_size=1, max_size=4)},
    optional={"time_filter": st.fixed_dictionaries({"column": NAMES, "period": st.sampled_from(PERIODS)})},
)
MEASURED = st.fixed_dictionaries(
    {"aggregation": st.sampled_from(AGGREGATIONS), "op": st.just("gte"), "value": VALUES}, optional={"metric": NAMES}
) | st.fixed_dictionaries(
    {"aggregation": st.sampled_from(AGGREGATIONS), "op": st.just("not_in"), "values": st.lists(VALUES, min_size=1)},
    optional={"metric": NAMES},
)
HAVING = st.fixed_dictionaries(
    {
        "conditions": st.lists(
            MEASURED | st.fixed_dictionaries({"any": st.lists(MEASURED, min_size=2, max_size=3)}),
            min_size=1,
            max_size=3,
        )
    }
)
SPECS = st.fixed_dictionaries(
    {"aggregation": st.sampled_from(AGGREGATIONS)},
    optional={
        "metric": NAMES,
        "group_by": st.lists(NAMES, min_size=1, max_size=3),
        "filter": FILTERS,
        "having": HAVING,
        "order": st.sampled_from(["asc", "desc"]),
        "limit": st.integers(1, 10**9),
        "source_name": NAMES,
    },
)


@given(SPECS)
def test_format_and_parse_are_inverse(spec):
    back = parse_ask(format_ask(spec))
    assert back == spec
    # As text, too: 1, 1.0 and True are equal, but not the same.
    assert json.dumps(back, sort_keys=True) == json.dumps(spec, sort_keys=True)


def test_a_formatted_line_is_canonical():
    line = "SUM  x BY y,z WHERE a=1 AND b IN('u')"
    assert format_ask(parse_ask(line)) == "sum x by y, z where a = 1 and b in ('u')"


def test_an_incomplete_spec_shows_the_gap():
    assert format_ask({"metric": "x", "group_by": "y"}) == "<aggregation> x by y"


def test_dates_are_formatted_bare() -> None:
    values = [datetime.date(2013, 7, 1), datetime.datetime.fromisoformat("2013-07-01T05:00:00.25")]
    line = format_ask(
        {"aggregation": "count", "filter": {"conditions": [{"column": "d", "op": "between", "values": values}]}}
    )
    assert line == "count where d between 2013-07-01 and 2013-07-01T05:00:00.250000"


def test_values_without_a_literal_are_formatted_as_text():
    line = format_ask(
        {"aggregation": "count", "filter": {"conditions": [{"column": "a", "op": "eq", "value": math.nan}]}}
    )
    assert line == "count where a = 'nan'"


@pytest.mark.parametrize("line", ["\ud800", "sum revenue where city = '\udfff'"])
def test_a_lone_surrogate_is_refused(line: str) -> None:
    with pytest.raises(InvalidIntentError, match="lone surrogate"):
        parse_ask(line)
