"""Text that reads as dates, times or numbers: extremes, comparisons, order, equality, and the same read with options."""

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.rows.case import Case, as_csv, as_file, literal, quoted

# Each form has its texts from the least to the largest by meaning; by letters they have another order.
FORMS: dict[str, list[str]] = {
    "loose iso": ["2014-7-1", "2014-9-30", "2014-10-01", "2014-11-5"],
    "loose iso with slashes": ["2014/7/1", "2014/9/30", "2014/10/1", "2014/11/5"],
    "german date": ["30.11.2022", "15.01.2023", "03.12.2023", "01.02.2024"],
    "german date, short year": ["30.11.22", "15.01.23", "03.12.23", "01.02.24"],
    "american date": ["10/2/2023", "1/15/2024", "2/20/2024", "11/1/2024"],
    "british date": ["25/12/2021", "02/11/2022", "13/01/2023", "01/05/2024"],
    "english date": ["Feb 3, 1999", "Jan 1, 2000", "Dec 5, 2001", "Apr 9, 2003"],
    "long english date": ["February 3, 1999", "January 1, 2000", "December 5, 2001", "April 9, 2003"],
    "day and english month": ["17 Mar 2019", "5 Jan 2020", "1 Dec 2021", "3 Feb 2022"],
    "day-month-year": ["17-Mar-2019", "05-Jan-2020", "01-Dec-2021", "03-Feb-2022"],
    "german month by name": ["5. März 2019", "17. Januar 2020", "1. Dezember 2021", "12. Februar 2022"],
    "month and year": ["Mar 2019", "Jan 2020", "Dec 2021", "Feb 2022"],
    "month-year in digits": ["12/2021", "02/2022", "11/2022", "01/2023"],
    "short month and year": ["Mar-19", "Jan-20", "Dec-21", "Feb-22"],
    "loose month": ["2014-7", "2014-9", "2014-10", "2014-12"],
    "quarter before year": ["Q4 2022", "Q1 2023", "Q3 2023", "Q2 2024"],
    "quarter before a short year": ["4Q22", "1Q23", "3Q23", "2Q24"],
    "loose week": ["2024-W5", "2024-W9", "2024-W10", "2024-W41"],
    "japanese date": ["2014年7月1日", "2014年9月30日", "2014年10月1日", "2014年11月5日"],
    "date with weekday": ["Wed 3 Feb 1999", "Sat 1 Jan 2000", "Mon 5 Dec 2022", "Fri 7 Apr 2023"],
    "american date with time": ["10/2/2023 9:15", "1/15/2024 10:00", "1/15/2024 18:30", "2/20/2024 7:05"],
    "twelve hours": ["9:28 AM", "10:05 AM", "1:15 PM", "11:40 PM"],
    "loose hours": ["7:15", "9:05", "10:00", "23:59"],
    "duration": ["0:45:10", "9:10:00", "12:00:05", "100:30:00"],
    "duration in words": ["45m", "2h 30m", "9h 5m", "10h 15m"],
    "decimal comma with points": ["9,75", "20,5", "1.000,50", "2.143,22"],
    "decimal comma": ["9,75", "20,5", "100,25", "1143,22"],
    "thousands by commas": ["950", "1,234", "20,500", "1,000,000"],
    "thousands by blanks": ["950", "1 234", "20 500", "1 000 000"],
    "thousands by thin blanks": ["950", "1\u202f234", "20\u202f500", "1\u202f000\u202f000"],
    "thousands by apostrophes": ["950", "1'234", "20'500", "1'000'000"],
    "thousands by underscores": ["950", "1_234", "20_500", "1_000_000"],
    "percent": ["5%", "12%", "99%", "100%"],
    "percent with a blank and a comma": ["5,5 %", "12 %", "99,9 %", "100 %"],
    "euro before": ["€ 5", "€ 12", "€ 99", "€ 100"],
    "euro behind": ["5 €", "12 €", "99 €", "100 €"],
    "dollar with thousands": ["$950", "$1,234.50", "$20,500.00", "$1,000,000.00"],
    "code of a currency": ["USD 5", "USD 12", "USD 99", "USD 100"],
    "pound": ["£5", "£12", "£99", "£100"],
    "kilograms": ["5 kg", "12 kg", "99 kg", "100 kg"],
    "unit without a blank": ["5cm", "12cm", "99cm", "100cm"],
    "sizes in megabytes": ["5 MB", "12 MB", "99 MB", "100 MB"],
    "degrees": ["-10°C", "-2 °C", "5 °C", "12 °C"],
    "thousands by letters": ["5k", "12k", "99k", "100k"],
    "millions by letters": ["2.5M", "9M", "10.25M", "100M"],
    "brackets for minus": ["(500)", "(20)", "9", "100"],
    "minus behind": ["500-", "20-", "9", "100"],
    "sign of minus": ["−500", "−20", "9", "100"],
    "plus": ["-3", "+5", "+12", "+100"],
    "ordinals": ["2nd", "9th", "10th", "21st"],
    "ordinals with a point": ["2.", "9.", "10.", "21.x"],
    "versions": ["1.2.9", "1.9.0", "1.10.2", "1.11.0"],
    "addresses": ["9.0.0.1", "10.0.0.2", "10.0.0.11", "192.168.0.1"],
    "less than": ["<5", "<12", "<99", "<100"],
    "about": ["~5", "~12", "~99", "~100"],
    "fractions": ["1/2", "3/4", "5/4", "11/2"],
    "full width digits": ["５", "１２", "９９", "１００"],
    "arabic digits": ["٥", "١٢", "٩٩", "١٠٠"],
    "blanks around": [" 5", "12 ", " 99", "100 "],
    "ranges of ages": ["5-9", "10-14", "15-19", "100-104"],
    "numbers with a gap": ["n/a", "5", "12", "100"],
}
GAPS = {"n/a"}


def list_forms() -> Iterator[Case]:
    for name, texts in FORMS.items():
        values = [text for text in texts if text not in GAPS]
        order = [texts[place] for place in (2, 0, 3, 1)]
        source = as_csv("k;x", *(f"{place};{quoted(text)}" for place, text in enumerate(order)))
        at = {"options": {"delimiter": ";"}, "refusal": True, "note": r"letter|order of text|code point"}
        yield Case(f"max of {name}", "text", source, "max x from s", [{"x": values[-1]}], **at)
        yield Case(f"min of {name}", "text", source, "min x from s", [{"x": values[0]}], **at)
        more = f"count from s where x > {literal(values[0])}"
        yield Case(f"above the least of {name}", "text", source, more, [{"count": len(values) - 1}], **at)
        if not GAPS & set(texts):
            rows = [{"x": text} for text in texts]
            yield Case(f"order by {name}", "text", source, "count by x from s order by x asc", rows, **at)


# Texts, the options that read them, and their values.
READ: dict[str, tuple[list[str], dict[str, Any], list[Any]]] = {
    "loose iso": (
        ["2014-7-1", "2014-10-01"],
        {"date_format": "%Y-%m-%d"},
        [datetime.date(2014, 7, 1), datetime.date(2014, 10, 1)],
    ),
    "german date": (
        ["03.12.2023", "01.02.2024"],
        {"date_format": "%d.%m.%Y"},
        [datetime.date(2023, 12, 3), datetime.date(2024, 2, 1)],
    ),
    "american date": (
        ["10/2/2023", "1/15/2024"],
        {"date_format": "%m/%d/%Y"},
        [datetime.date(2023, 10, 2), datetime.date(2024, 1, 15)],
    ),
    "british date": (
        ["02/11/2022", "01/05/2024"],
        {"date_format": "%d/%m/%Y"},
        [datetime.date(2022, 11, 2), datetime.date(2024, 5, 1)],
    ),
    "english date": (
        ["Feb 3, 1999", "Jan 1, 2000"],
        {"date_format": "%b %d, %Y"},
        [datetime.date(1999, 2, 3), datetime.date(2000, 1, 1)],
    ),
    "last century": (
        ["31.12.69", "01.01.68"],
        {"date_format": "%d.%m.%y"},
        [datetime.date(1969, 12, 31), datetime.date(2068, 1, 1)],
    ),
    "decimal comma": (["20,5", "1.000,50"], {"decimal": ",", "thousands": "."}, [Decimal("20.5"), Decimal("1000.5")]),
    "percent": (["7,5 %", "12 %"], {"decimal": ",", "percent": True}, [Decimal("0.075"), Decimal("0.12")]),
    "currency": (["-€ 5", "€ 1.143,22"], {"decimal": ",", "thousands": ".", "currency": "€"}, [-5, 1143.22]),
    "dollars": (["$950.10", "$1,234.50"], {"thousands": ",", "currency": "$"}, [Decimal("950.10"), Decimal("1234.50")]),
    "blanks": ([" 5", "12 "], {"trim": True}, [5, 12]),
    "apostrophes": (["950", "1'234"], {"thousands": "'"}, [950, 1234]),
    "thin blanks": (["950", "1\u202f234"], {"thousands": " "}, [950, 1234]),
}


def list_read() -> Iterator[Case]:
    for name, (texts, options, values) in READ.items():
        source = as_csv("k;x", *(f"{place};{quoted(text)}" for place, text in enumerate(texts)))
        more = {**options, "delimiter": ";"}
        yield Case(f"max of {name}, read", "text", source, "max x from s", [{"x": max(values)}], more)
        yield Case(f"min of {name}, read", "text", source, "min x from s", [{"x": min(values)}], more)
        yield Case(
            f"order of {name}, read",
            "text",
            source,
            "count by x from s order by x",
            [{"x": x} for x in sorted(values)],
            more,
        )
        declared = {"types": {"x": "string"}, "delimiter": ";"}
        by_value = [text for _, text in sorted(zip(values, texts, strict=True))]
        yield Case(
            f"max of {name}, declared to be text",
            "text",
            source,
            "max x from s",
            [{"x": by_value[-1]}],
            declared,
            card_note="letter by letter",
        )


def list_equality() -> Iterator[Case]:
    """The same day or number in another spelling is the same; letters alone would find no row."""
    table = [
        ("loose iso", ["2014-7-1", "2014-10-1", "2014-7-1"], "x = '2014-07-01'", 2),
        ("loose iso, a date", ["2014-7-1", "2014-10-1", "2014-7-1"], "x = 2014-07-01", 2),
        ("german date", ["01.02.2024", "15.01.2023"], "x = '2024-02-01'", 1),
        ("american date", ["1/15/2024", "10/2/2023"], "x = 2024-01-15", 1),
        ("decimal comma", ["1.000,50", "20,5"], "x = 1000.5", 1),
        ("decimal comma, a text", ["1.000,50", "20,5"], "x = '1000.5'", 1),
        ("percent", ["12%", "5%"], "x = 12%", 1),
        ("percent, a text", ["12%", "5%"], "x = '0.12'", 1),
        ("euro", ["€ 5", "€ 12"], "x = 5", 1),
        ("not equal", ["2014-7-1", "2014-10-1"], "x != '2014-07-01'", 1),
        ("in", ["01.02.2024", "15.01.2023"], "x in ('2024-02-01', '2023-01-15')", 2),
        ("thousands", ["1,234", "950"], "x = 1234", 1),
        ("thousands, a text", ["1,234", "950"], "x = '1234'", 1),
    ]
    for name, texts, condition, count in table:
        source = as_csv("k;x", *(f"{place};{quoted(text)}" for place, text in enumerate(texts)))
        yield Case(
            f"equality of {name}",
            "text",
            source,
            f"count from s where {condition}",
            [{"count": count}],
            {"delimiter": ";"},
            refusal=True,
            note="letter|text",
        )
    for name, texts, condition, count in [
        ("as it stands", ["2014-7-1", "2014-10-1", "2014-7-1"], "x = '2014-7-1'", 2),
        ("as it stands, a number", ["1.000,50", "20,5"], "x = '1.000,50'", 1),
        ("contains a percent sign", ["12%", "5 %", "7"], "x contains '%'", 2),
        ("starts with a year", ["2014-7-1", "2014-10-1", "2013-7-1"], "x starts with '2014'", 2),
    ]:
        source = as_csv("k;x", *(f"{place};{quoted(text)}" for place, text in enumerate(texts)))
        yield Case(
            f"equality {name}",
            "text",
            source,
            f"count from s where {condition}",
            [{"count": count}],
            {"delimiter": ";"},
        )


def list_codes() -> Iterator[Case]:
    codes = as_csv("zip,n", "00123,1", "00045,2", "99999,3", "00123,4")
    groups = [{"zip": "00045", "n": 2}, {"zip": "00123", "n": 5}, {"zip": "99999", "n": 3}]
    yield Case("codes keep their zeros as groups", "text", codes, "sum n by zip from s order by zip", groups)
    yield Case("a code is found by its text", "text", codes, "sum n from s where zip = '00123'", [{"n": 5}])
    yield Case("a code is found by a number", "text", codes, "sum n from s where zip = 123", [{"n": 5}], refusal=True)
    yield Case("codes of one width have their order", "text", codes, "max zip from s", [{"zip": "99999"}])
    yield Case("codes above a code", "text", codes, "count from s where zip > '00100'", [{"count": 3}])
    yield Case(
        "codes above a code of another width",
        "text",
        codes,
        "count from s where zip > '5'",
        [{"count": 4}],
        refusal=True,
    )
    widths = as_csv("k,code", "a,0123", "b,00045", "c,5", "d,12")
    yield Case(
        "codes of several widths", "text", widths, "max code from s", [{"code": "0123"}], refusal=True, note="letter"
    )
    yield Case(
        "codes of several widths between",
        "text",
        widths,
        "count from s where code between '1' and '9'",
        [{"count": 1}],
        refusal=True,
    )
    iso = as_csv("k,x,y", "a,2024-02-01,1", "b,2023-12-31,2", "c,2024-01-15,3")
    yield Case("iso dates", "text", iso, "max x from s", [{"x": datetime.date(2024, 2, 1)}])
    yield Case("iso dates compared", "text", iso, "sum y from s where x > '2023-12-31'", [{"y": 4}])
    yield Case(
        "iso dates declared text", "text", iso, "max x from s", [{"x": "2024-02-01"}], {"types": {"x": "string"}}
    )
    for form, texts, right in [
        ("iso month", ["2024-02", "2023-12", "2024-01"], "2024-02"),
        ("iso week", ["2024-W05", "2023-W52", "2024-W41"], "2024-W41"),
        ("year and quarter", ["2024-Q1", "2023-Q4", "2024-Q3"], "2024-Q3"),
        ("hours of one width", ["09:28", "23:59", "10:00"], "23:59"),
        ("names", ["Zürich", "Aarau", "Bern"], "Zürich"),
        ("codes with a letter", ["A12", "B03", "A99"], "B03"),
    ]:
        source = as_csv("k,x", *(f"{place},{text}" for place, text in enumerate(texts)))
        yield Case(f"letters in order: {form}", "text", source, "max x from s", [{"x": right}])
    for form, texts, right in [
        ("json numbers in quotes", '[{"x": "9"}, {"x": "10"}, {"x": "100"}]', "100"),
        ("json dates of people", '[{"x": "1/15/2024"}, {"x": "10/2/2023"}]', "1/15/2024"),
        ("json decimals with a comma", '[{"x": "9,5"}, {"x": "10,25"}]', "10,25"),
        ("json percents", '[{"x": "9%"}, {"x": "10%"}]', "10%"),
        ("json numbers beside texts", '[{"x": 9}, {"x": "10"}, {"x": 100}]', 100),
        ("json of two kinds", '[{"x": 9}, {"x": "n/a"}, {"x": 100}]', 100),
    ]:
        yield Case(form, "text", as_file("s.json", texts), "max x from s", [{"x": right}], refusal=True, note="letter")


TEXTS = [*list_forms(), *list_read(), *list_equality(), *list_codes()]
