"""Names in results, null groups, NaN, infinities, truth, empty text beside null."""

import datetime
import math
from collections.abc import Iterator

import polars as pl

from tests.rows.case import Case, always, as_csv, as_file

NAN, INF = math.nan, math.inf
ROWS = [
    {"g": "a", "n": 1, "t": True, "d": "2024-01-05"}, {"g": None, "n": 2, "t": False, "d": "2024-02-05"}, {"g": "a", "n": None, "t": None, "d": "2024-01-06"},
    {"g": None, "n": None, "t": True, "d": None}, {"g": "", "n": 5, "t": True, "d": "2024-02-07"}, {"g": "b", "n": 0, "t": False, "d": "2023-01-01"},
]  # fmt: skip


def list_nulls() -> Iterator[Case]:
    for question, want in [
        ("count from s", [{"count": 6}]), ("count n from s", [{"n": 4, "count": 6}]), ("count g from s", [{"g": 4, "count": 6}]), ("count distinct g from s", [{"g": 3}]), ("count distinct n from s", [{"n": 4}]),
        ("sum n from s", [{"n": 8, "count": 6}]), ("avg n from s", [{"n": 2.0, "count": 6}]), ("median n from s", [{"n": 1.5}]), ("min n from s", [{"n": 0}]), ("variance n from s", [{"n": (1 + 0 + 9 + 4) / 3}]),
        ("count n by g from s order by g", [{"g": "", "n": 1, "count": 1}, {"g": "a", "n": 1, "count": 2}, {"g": "b", "n": 1, "count": 1}, {"g": None, "n": 1, "count": 2}]),
        ("sum n by g from s order by g desc", [{"g": "b", "n": 0}, {"g": "a", "n": 1}, {"g": "", "n": 5}, {"g": None, "n": 2}]),
        ("count by g from s", [{"g": "a", "count": 2}, {"g": None, "count": 2}, {"g": "", "count": 1}, {"g": "b", "count": 1}]),
        ("count by t from s order by t", [{"t": False, "count": 2}, {"t": True, "count": 3}, {"t": None, "count": 1}]), ("count from s where t = true", [{"count": 3}]), ("count from s where t != true", [{"count": 2}]),
        ("count from s where g = ''", [{"count": 1}]), ("count from s where g is null", [{"count": 2}]), ("count from s where g != 'a'", [{"count": 2}]), ("count from s where g not in ('a', 'b')", [{"count": 1}]),
        ("count from s where n < 5", [{"count": 3}]), ("count from s where n < 5 or n >= 5", [{"count": 4}]), ("count from s where g contains ''", [{"count": 4}]), ("sum n from s where g = 'nobody'", [{"n": None, "count": 0}]),
        ("count n from s where g = 'nobody'", [{"n": 0, "count": 0}]), ("sum n by g from s where g = 'nobody'", []), ("sum n, count n, count from s", [{"sum_n": 8, "count_n": 4, "count": 6}]),
        ("avg n, count by g from s order by g limit 2", [{"g": "", "avg_n": 5.0, "count": 1}, {"g": "a", "avg_n": 1.0, "count": 2}]), ("variance n by g from s where g = 'b'", [{"g": "b", "n": None}]),
        ("sum n by g from s having sum n > 1", [{"g": "", "n": 5}, {"g": None, "n": 2}]), ("count by month of d from s", [{"d_month": datetime.date(2023, 1, 1)}, {"d_month": datetime.date(2024, 1, 1)}, {"d_month": datetime.date(2024, 2, 1)}, {"d_month": None}]),
        ("max d from s", [{"d": datetime.date(2024, 2, 7)}]), ("max g from s", [{"g": "b"}]), ("min g from s", [{"g": ""}]), ("count by g, t from s where g = 'a' order by t", [{"g": "a", "t": True}, {"g": "a", "t": None}]),
        ("p50 n, p90 n from s", [{"p50_n": 1.5, "p90_n": 4.1}]), ("count by n from s order by n limit 1", [{"n": 0}]), ("count by n from s order by n desc limit 1", [{"n": 5}]), ("max t from s", None), ("sum t from s", None),
    ]:  # fmt: skip
        yield Case(f"nulls: {question}", "names", always(ROWS), question, want, refusal=want is None)
    csv = as_csv("g,n", ",1", '"",2', "a,3", '" ",4', "NA,5", "null,6")
    yield Case("csv: empty and quoted empty are null", "names", csv, "sum n from s where g is null", [{"n": 3}])
    yield Case("csv: a blank is a text", "names", csv, "sum n from s where g = ' '", [{"n": 4}])
    yield Case("csv: words for null are texts", "names", csv, "count g from s", [{"g": 4}])
    yield Case("csv: words for null, said", "names", csv, "count g from s", [{"g": 2}], {"nulls": ["NA", "null"]})
    yield Case(
        "csv: truth in capitals",
        "names",
        as_csv("k,t", "1,TRUE", "2,False", "3,"),
        "count from s where t = true",
        [{"count": 1}],
    )
    yield Case(
        "csv: yes and no",
        "names",
        as_csv("k,t", "1,yes", "2,no", "3,yes"),
        "count from s where t = 'yes'",
        [{"count": 2}],
    )
    yield Case(
        "csv: 0 and 1",
        "names",
        as_csv("k,t", "1,0", "2,1", "3,1"),
        "count from s where t = true",
        [{"count": 2}],
        refusal=True,
    )
    yield Case(
        "json: null beside the text null",
        "names",
        as_file("s.json", '[{"g": null}, {"g": "null"}, {}]'),
        "count g from s",
        [{"g": 1, "count": 3}],
        refusal=True,
    )


def list_numbers() -> Iterator[Case]:
    frame = always(pl.DataFrame({"g": ["a", "a", "b", "b", "c", "c", "d"], "x": [NAN, 1.0, INF, 2.0, INF, -INF, None]}))
    for question, want in [
        ("sum x by g from s order by g", [NAN, INF, NAN, None]), ("avg x by g from s order by g", [NAN, INF, NAN, None]), ("min x by g from s order by g", [NAN, 2.0, -INF, None]), ("max x by g from s order by g", [NAN, INF, INF, None]),
        ("count x by g from s order by g", [2, 2, 2, 0]), ("median x by g from s order by g", [NAN, INF, NAN, None]), ("variance x by g from s order by g", [NAN, NAN, NAN, None]), ("count distinct x by g from s order by g", [2, 2, 2, 0]),
    ]:  # fmt: skip
        yield Case(
            f"nan: {question}", "names", frame, question, [{"g": g, "x": x} for g, x in zip("abcd", want, strict=True)]
        )
    for condition, count in [
        ("x > 1", 3),
        ("x >= 1", 4),
        ("x < 5", 3),
        ("x != 1", 5),
        ("x is null", 1),
        ("x is not null", 6),
        ("x not in (1, 2)", 4),
        ("x between 0 and 10", 2),
        ("x = 1 or x != 1", 6),
    ]:
        yield Case(f"nan: where {condition}", "names", frame, f"count from s where {condition}", [{"count": count}])
    yield Case(
        "nan: in order",
        "names",
        frame,
        "count by x from s order by x",
        [{"x": x} for x in (-INF, 1.0, 2.0, INF, NAN, None)],
    )
    yield Case(
        "nan: bins",
        "names",
        frame,
        "count by x in bins of 10 from s",
        [{"x_bin": x} for x in (-INF, 0.0, INF, NAN, None)],
    )
    csv = as_csv("k,x", "1,NaN", "2,inf", "3,-Infinity", "4,1.5", "5,")
    yield Case("nan in csv: largest", "names", csv, "max x from s", [{"x": NAN}])
    yield Case("nan in csv: counted", "names", csv, "count x from s", [{"x": 4, "count": 5}])
    yield Case("nan in csv: above", "names", csv, "count from s where x > 1", [{"count": 2}])


def list_names() -> Iterator[Case]:
    """Columns called as parts of the answer are: no column may stand for another."""
    rows = always(
        [
            {"g": "a", "count": 10, "sum_n": 7, "n": 1, "n_bin": 3},
            {"g": "a", "count": 20, "sum_n": 8, "n": 2, "n_bin": 4},
        ]
    )
    for question, want in [
        ("sum count by g from s", None), ("sum `count` from s", None), ("count `count` from s", None), ("count by `count` from s", None), ("sum n by `count` from s", None),
        ("sum n, avg n by sum_n from s", None), ("sum n by n from s", None), ("count by n_bin, n in bins of 5 from s", None), ("sum n, sum n from s", [{"sum_n": 3}]), ("sum n, sum sum_n from s", [{"sum_n": 3, "sum_sum_n": 15}]),
        ("min g by g from s", None), ("count distinct g by g from s", None),
    ]:  # fmt: skip
        yield Case(
            f"names: {question}", "names", rows, question, want if want is not None else _RIGHT[question], refusal=True
        )
    marks = as_file("s.json", '[{"a b": 1, "a`b": 2, "from": 3, "Ä": 4, "x.y": 5, "a\\"b": 6, "SUM": 7}]')
    for name, n in [("a b", 1), ("a``b", 2), ("from", 3), ("Ä", 4), ("x.y", 5), ('a"b', 6), ("SUM", 7)]:
        yield Case(f"names: a column {name}", "names", marks, f"sum `{name}` from s", [{name.replace("``", "`"): n}])
    case = as_csv("Total Price,total_price,n", "1,10,1", "2,20,2")
    yield Case("names: one of two that are near", "names", case, "sum `Total Price` from s", [{"Total Price": 3}])
    yield Case("names: the other of two that are near", "names", case, "sum total_price from s", [{"total_price": 30}])
    yield Case("names: neither of two that are near", "names", case, "sum TotalPrice from s", None, refusal=True)
    yield Case(
        "names: composed and decomposed",
        "names",
        as_csv("k,\u00e9,e\u0301", "1,2,4"),
        "sum \u00e9 from s",
        [{"\u00e9": 2}],
        refusal=True,
    )
    yield Case(
        "names: blanks around", "names", as_csv("k, n ", "1,2", "2,4"), "sum n from s", [{" n ": 6}], refusal=True
    )
    yield Case("names: by case alone", "names", as_csv("k,N", "1,2", "2,4"), "sum n from s", [{"N": 6}], refusal=True)
    yield Case("names: nothing near", "names", as_csv("k,revenue", "1,2"), "sum revenu from s", None, refusal=True)


# Where a name is taken twice, the value of the question must stand under a name that no other value has.
_RIGHT = {
    "sum count by g from s": [{"g": "a", "count": 30}], "sum `count` from s": [{"count": 30}], "count `count` from s": [{"count": 2}],
    "count by `count` from s": [{"count": 10}, {"count": 20}], "sum n by `count` from s": [{"count": 20, "n": 2}, {"count": 10, "n": 1}],
    "sum n, avg n by sum_n from s": [{"sum_n": 8, "avg_n": 2.0}, {"sum_n": 7, "avg_n": 1.0}], "sum n by n from s": [{"n": 2}, {"n": 1}],
    "count by n_bin, n in bins of 5 from s": [{"n_bin": 3}, {"n_bin": 4}], "min g by g from s": [{"g": "a"}], "count distinct g by g from s": [{"g": "a", "count_distinct_g": 1}],
}  # fmt: skip

NAMES = [*list_nulls(), *list_numbers(), *list_names()]
