"""Values that are not the text they were written as: large whole numbers, long decimals, exponents, ends of the doubles."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.rows.case import Case, always, as_csv, as_file

BIG = 9007199254740993  # 2**53 + 1, which no double holds


def nearest(*texts: str) -> float:
    """The double nearest to the sum of the doubles that the texts are."""
    return float(sum(Fraction(float(text)) for text in texts))


# What the file holds, the question, the right answer by decimals, and the note that another value needs.
TABLE: list[tuple[str, list[str], str, list[dict[str, Any]], str]] = [
    ("2^53 + 1 alone", [str(BIG), "1"], "max x from s", [{"x": BIG}], ""),
    ("2^53 + 1 alone, summed", [str(BIG), "1"], "sum x from s", [{"x": BIG + 1}], ""),
    (
        "2^53 + 1 beside a fraction",
        [str(BIG), "0.5"],
        "max x from s",
        [{"x": BIG}],
        "9007199254740993|rounded|another number",
    ),
    (
        "2^53 + 1 beside a fraction, summed",
        [str(BIG), "0.5"],
        "sum x from s",
        [{"x": Decimal("9007199254740993.5")}],
        "9007199254740993|rounded",
    ),
    (
        "2^53 + 1 beside a fraction, found",
        [str(BIG), "0.5"],
        f"count from s where x = {BIG}",
        [{"count": 1}],
        "9007199254740993|rounded",
    ),
    (
        "2^53 + 1 beside a fraction, not its neighbor",
        [str(BIG), "0.5"],
        f"count from s where x = {BIG - 1}",
        [{"count": 0}],
        "9007199254740993|rounded",
    ),
    (
        "two identities that one double holds",
        [str(BIG), str(BIG - 1), "0.5"],
        "count distinct x from s",
        [{"x": 3}],
        "9007199254740993|rounded",
    ),
    (
        "groups of identities",
        [str(BIG), str(BIG - 1), "0.5"],
        "count by x from s order by x",
        [{"x": Decimal("0.5"), "count": 1}, {"x": BIG - 1, "count": 1}, {"x": BIG, "count": 1}],
        "9007199254740993|rounded",
    ),
    ("19 digits", ["9223372036854775807", "1"], "max x from s", [{"x": 2**63 - 1}], ""),
    ("19 digits, summed", ["9223372036854775807", "1"], "sum x from s", [{"x": 2**63}], ""),
    ("20 digits", ["12345678901234567890", "1"], "sum x from s", [{"x": 12345678901234567891}], ""),
    ("38 digits", ["9" * 38, "1"], "max x from s", [{"x": 10**38 - 1}], ""),
    ("38 digits, summed", ["9" * 38, "1"], "sum x from s", [{"x": 10**38}], ""),
    ("20 decimals", ["0.12345678901234567891", "0.5"], "max x from s", [{"x": Decimal("0.5")}], ""),
    (
        "20 decimals, least",
        ["0.12345678901234567891", "0.5"],
        "min x from s",
        [{"x": Decimal("0.12345678901234567891")}],
        "0.12345678901234567891|rounded",
    ),
    (
        "20 decimals, counted",
        ["0.12345678901234567891", "0.12345678901234567892", "0.5"],
        "count distinct x from s",
        [{"x": 3}],
        "0.1234567890123456789|rounded",
    ),
    (
        "20 decimals, found",
        ["0.12345678901234567891", "0.12345678901234567892", "0.5"],
        "count from s where x = 0.12345678901234567891",
        [{"count": 1}],
        "0.1234567890123456789|rounded",
    ),
    ("seventeen significant digits of a double", ["0.10000000000000001", "0.5"], "min x from s", [{"x": 0.1}], ""),
    ("sum of tenths", ["0.1", "0.2", "0.7"], "sum x from s", [{"x": nearest("0.1", "0.2", "0.7")}], ""),
    ("money", ["0.10", "0.20", "1000000000000.30"], "sum x from s", [{"x": Decimal("1000000000000.60")}], ""),
    ("money that cancels", ["10844.46", "-10844.45"], "sum x from s", [{"x": Decimal("0.01")}], ""),
    ("mean of money", ["0.10", "0.20", "0.30"], "avg x from s", [{"x": 0.2}], ""),
    ("articles with E, counted", ["1E5", "100000", "2E3"], "count distinct x from s", [{"x": 3}], "1E5|exponent|code"),
    ("articles with E, the last", ["1E5", "1E6", "5"], "max x from s", [{"x": 1000000}], "1E|exponent|code"),
    (
        "articles with E as groups",
        ["1E5", "100000"],
        "count by x from s",
        [{"count": 1}, {"count": 1}],
        "1E5|exponent|code",
    ),
    ("articles with a small e", ["1e5", "100000", "7"], "count distinct x from s", [{"x": 3}], "1e5|exponent|code"),
    ("one number in two spellings", ["1e-05", "0.00001", "2"], "count distinct x from s", [{"x": 2}], ""),
    ("minus zero", ["-0", "0", "1"], "count distinct x from s", [{"x": 2}], ""),
    ("minus zero, least", ["-0", "5"], "min x from s", [{"x": 0}], ""),
    ("minus zero of doubles", ["-0.0", "0.0", "1.5"], "count distinct x from s", [{"x": 2}], ""),
    ("beyond the doubles", ["1e400", "1"], "max x from s", [{"x": Decimal("1e400")}], ""),
    ("beyond the doubles, below", ["-1e400", "1"], "min x from s", [{"x": Decimal("-1e400")}], ""),
    ("too small for a double", ["1e-400", "1"], "min x from s", [{"x": Decimal("1e-400")}], "1e-400|rounded"),
    (
        "too small for a double, above zero",
        ["1e-400", "1"],
        "count from s where x > 0",
        [{"count": 2}],
        "1e-400|rounded",
    ),
    ("largest double", ["1.7976931348623157e308", "1.5"], "max x from s", [{"x": 1.7976931348623157e308}], ""),
    ("least double", ["5e-324", "1.5"], "min x from s", [{"x": 5e-324}], ""),
    ("sum that cancels", ["1e16", "1.5", "-1e16"], "sum x from s", [{"x": 1.5}], ""),
    ("a sum beyond the range and back", ["1e308", "1e308", "-1e308"], "sum x from s", [{"x": 1e308}], ""),
    ("mean of large whole numbers", [str(BIG), str(BIG)], "avg x from s", [{"x": float(BIG)}], ""),
    ("median of large whole numbers", [str(BIG), "1", str(BIG + 2)], "median x from s", [{"x": float(BIG)}], ""),
    ("spread at a large mean", ["1000000000000001.5", "1000000000000002.5"], "variance x from s", [{"x": 0.5}], ""),
    (
        "comparison with a long decimal",
        ["0.3", "0.5"],
        "count from s where x = 0.30000000000000000001",
        [{"count": 0}],
        "",
    ),
    ("a double below its text", ["0.3", "0.5"], "count from s where x = 0.3", [{"count": 1}], ""),
    ("a percent in a condition", ["0.1", "0.5"], "count from s where x > 10%", [{"count": 1}], ""),
    ("tenth of ten whole numbers", ["1", "2", "3", "4"], "p25 x from s", [{"x": 1.75}], ""),
    ("nan as text", ["NaN", "1.5"], "count x from s", [{"x": 2}], ""),
    ("na as text", ["NA", "1.5", "2.5"], "max x from s", [{"x": 2.5}], ""),
    ("hexadecimal", ["0x1F", "0x0A"], "max x from s", [{"x": "0x1F"}], ""),
    ("nineteen digits beyond 64 bits below", ["-9223372036854775809", "1"], "min x from s", [{"x": -(2**63) - 1}], ""),
    (
        "bins of tenths",
        ["0.3", "0.6", "0.7"],
        "count by x in bins of 0.1 from s",
        [{"x_bin": 0.3}, {"x_bin": 0.6}, {"x_bin": 0.7}],
        "",
    ),
    (
        "bins of money",
        ["0.30", "0.60", "0.75"],
        "count by x in bins of 0.1 from s",
        [{"x_bin": Decimal("0.3")}, {"x_bin": Decimal("0.6")}, {"x_bin": Decimal("0.7")}],
        "",
    ),
    (
        "bins below zero",
        ["-0.5", "0.5", "-10.5"],
        "count by x in bins of 10 from s",
        [{"x_bin": -20, "count": 1}, {"x_bin": -10, "count": 1}, {"x_bin": 0, "count": 1}],
        "",
    ),
]
CARD_NOTES = {"comparison with a long decimal": "0.30000000000000000001 as 0.3, the nearest double"}
REFUSED = {"beyond the doubles", "beyond the doubles, below", "na as text", "hexadecimal"}


def list_csv() -> Iterator[Case]:
    for name, texts, question, want, note in TABLE:
        lines = [f"{place},{text}" for place, text in enumerate(texts)]
        is_refusal_good = name in REFUSED or bool(note)
        file, told = as_csv("k,x", *lines), CARD_NOTES.get(name, "")
        yield Case(name, "numbers", file, question, want, refusal=is_refusal_good, note=note, card_note=told)


def list_other() -> Iterator[Case]:
    two = f'[{{"x": {BIG}}}, {{"x": 0.5}}]'
    for name, file in (
        ("json", as_file("s.json", two)),
        ("ndjson", as_file("s.ndjson", two[1:-1].replace("}, ", "}\n"))),
    ):
        yield Case(
            f"{name}: 2^53 + 1 beside a fraction",
            "numbers",
            file,
            "max x from s",
            [{"x": BIG}],
            note="9007199254740993|rounded",
            refusal=True,
        )
    rows = always([{"x": BIG}, {"x": 0.5}])
    yield Case(
        "rows: 2^53 + 1 beside a fraction",
        "numbers",
        rows,
        "max x from s",
        [{"x": BIG}],
        note="9007199254740993|rounded",
        refusal=True,
    )
    exact = {"types": {"x": "decimal(38,1)"}}
    yield Case(
        "2^53 + 1 declared",
        "numbers",
        as_csv("k,x", f"0,{BIG}", "1,0.5"),
        "sum x from s",
        [{"x": Decimal("9007199254740993.5")}],
        exact,
    )
    code = {"types": {"x": "string"}}
    yield Case(
        "articles with E, declared",
        "numbers",
        as_csv("k,x", "0,1E5", "1,100000"),
        "count distinct x from s",
        [{"x": 2}],
        code,
    )
    yield Case(
        "json: large numbers",
        "numbers",
        as_file("s.json", f'[{{"x": {2**64}}}, {{"x": 1}}]'),
        "sum x from s",
        [{"x": 2**64 + 1}],
    )
    yield Case(
        "json: 20 decimals",
        "numbers",
        as_file("s.json", '[{"x": 0.12345678901234567891}, {"x": 0.5}]'),
        "min x from s",
        [{"x": Decimal("0.12345678901234567891")}],
        note="0.1234567890123456789|rounded",
        refusal=True,
    )
    yield Case(
        "json: beyond the doubles",
        "numbers",
        as_file("s.json", '[{"x": 1e400}, {"x": 1}]'),
        "max x from s",
        [{"x": Decimal("1e400")}],
        refusal=True,
    )
    yield Case(
        "json: an exponent",
        "numbers",
        as_file("s.json", '[{"x": 1E5}, {"x": 100000}]'),
        "count distinct x from s",
        [{"x": 1}],
    )
    yield Case(
        "rows: decimals",
        "numbers",
        always([{"x": Decimal("0.1")}, {"x": Decimal("0.2")}]),
        "sum x from s",
        [{"x": Decimal("0.3")}],
    )
    yield Case(
        "rows: decimals beside doubles",
        "numbers",
        always([{"x": Decimal("0.1")}, {"x": 0.2}]),
        "sum x from s",
        [{"x": float(Fraction(1, 10) + Fraction(0.2))}],
        refusal=True,
        note="decimal|mixed|text",
    )
    yield Case(
        "rows: truth beside numbers",
        "numbers",
        always([{"x": True}, {"x": 2}]),
        "sum x from s",
        [{"x": 3}],
        refusal=True,
    )
    yield Case(
        "rows: a large whole number", "numbers", always([{"x": 10**37}, {"x": 1}]), "sum x from s", [{"x": 10**37 + 1}]
    )
    yield Case(
        "a variable of a large number",
        "numbers",
        always([{"x": BIG}, {"x": BIG - 1}]),
        f"count from s where x = {BIG}.0",
        [{"count": 1}],
    )


NUMBERS = [*list_csv(), *list_other()]
