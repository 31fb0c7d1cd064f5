"""Sheets and documents whose rows are not all records: merged cells, totals, sentinels, headers, envelopes."""

import datetime
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import openpyxl

from tests.rows.case import Case, always, as_csv, as_file


def sheet(
    rows: Sequence[Sequence[Any]], merge: Sequence[str] = (), formats: dict[str, str] | None = None
) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        book = openpyxl.Workbook()
        page = book.active
        assert page is not None
        for row in rows:
            page.append(list(row))
        for place in merge:
            page.merge_cells(place)
        for place, form in (formats or {}).items():
            page[place].number_format = form
        path = folder / "s.xlsx"
        book.save(path)
        return path

    return write


SALES = [("north", "Jan", 10), ("north", "Feb", 20), ("south", "Jan", 30), ("south", "Feb", 40)]


def list_merged() -> Iterator[Case]:
    book = sheet([("region", "month", "n"), *SALES], ["A2:A3", "A4:A5"])
    right = [{"region": "south", "n": 70}, {"region": "north", "n": 30}]
    at: dict[str, Any] = {"note": "merged", "refusal": True}
    yield Case("merged cells as groups", "workbooks", book, "sum n by region from s", right, **at)
    yield Case(
        "merged cells as a condition", "workbooks", book, "sum n from s where region = 'north'", [{"n": 30}], **at
    )
    yield Case("merged cells counted", "workbooks", book, "count region from s", [{"region": 4}], **at)
    yield Case(
        "merged cells elsewhere",
        "workbooks",
        book,
        "sum n by month from s",
        [{"month": "Feb", "n": 60}, {"month": "Jan", "n": 40}],
    )
    values = sheet([("k", "n"), ("a", 10), ("b", None), ("c", 5)], ["B2:B3"])
    yield Case("merged numbers, counted", "workbooks", values, "count n from s", [{"n": 3}], **at)
    yield Case("merged numbers, averaged", "workbooks", values, "avg n from s", [{"n": 25 / 3}], **at)
    block = sheet([("a", "b", "n"), ("x", None, 1), (None, None, 2), ("y", "z", 3)], ["A2:B3"])
    yield Case("merged block", "workbooks", block, "sum n by b from s", [{"b": "x", "n": 3}, {"b": "z", "n": 3}], **at)
    head = sheet([("2023", None, "2024", None), ("n", "m", "n", "m"), (1, 2, 3, 4)], ["A1:B1", "C1:D1"])
    yield Case("merged header", "workbooks", head, "count from s", [{"count": 1}], refusal=True)
    title = sheet([("Sales of 2024", None, None), ("region", "month", "n"), *SALES], ["A1:C1"])
    yield Case("merged title above the header", "workbooks", title, "count from s", [{"count": 4}], refusal=True)


def list_totals() -> Iterator[Case]:
    for word in (
        "Total",
        "TOTAL",
        "Totals",
        "Grand total",
        "Grand Total:",
        "Sum",
        "Summe",
        "Gesamt",
        "Gesamtsumme",
        "Insgesamt",
        "Somme",
        "Totale",
        "Suma",
        "Σ",
        "Subtotal",
        "Overall",
        "All",
        "Итого",
        "合计",
        "Összesen",
        "Razem",
        "Totaal",
        "Toplam",
        "Celkem",
        "Total général",
        "Grand-Total",
        "∑",
        "Sum total",
        "Ergebnis",
        "Saldo",
        "",
    ):
        note = "total|adds up|last row"
        rows = [("north", 10), ("south", 20), ("west", 45), (word, 75)]
        source = as_csv("region,n", *(f"{name},{n}" for name, n in rows))
        yield Case(
            f"csv: sum above {word or 'an empty label'}",
            "totals",
            source,
            "sum n from s",
            [{"n": 75}],
            note=note,
            refusal=True,
        )
        if word in ("Total", "Summe", "Σ", "", "Итого", "Insgesamt"):
            yield Case(
                f"csv: max above {word or 'an empty label'}",
                "totals",
                source,
                "max n from s",
                [{"n": 45}],
                note=note,
                refusal=True,
            )
            yield Case(
                f"csv: rows above {word or 'an empty label'}",
                "totals",
                source,
                "count from s",
                [{"count": 3}],
                note=note,
                refusal=True,
            )
            book = sheet([("region", "n"), *((name or None, n) for name, n in rows)])
            yield Case(
                f"sheet: sum above {word or 'an empty label'}",
                "totals",
                book,
                "sum n from s",
                [{"n": 75}],
                note=note,
                refusal=True,
            )
            records = as_file("s.json", json.dumps([{"region": name or None, "n": n} for name, n in rows]))
            yield Case(
                f"json: sum above {word or 'an empty label'}",
                "totals",
                records,
                "sum n from s",
                [{"n": 75}],
                note=note,
                refusal=True,
            )
    at: dict[str, Any] = {"note": "total|adds up|sum", "refusal": True}
    yield Case(
        "first row is the total",
        "totals",
        as_csv("region,n", "Total,75", "north,10", "south,20", "west,45"),
        "sum n from s",
        [{"n": 75}],
        **at,
    )
    yield Case(
        "subtotals",
        "totals",
        as_csv("region,n", "north,10", "north,20", "Subtotal north,30", "south,40", "Subtotal south,40", "Total,70"),
        "sum n from s",
        [{"n": 70}],
        **at,
    )
    yield Case(
        "total of numbers with cents, rounded",
        "totals",
        as_csv("region,n", "north,10.4", "south,20.4", "west,45.4", "Total,76"),
        "sum n from s",
        [{"n": 76.2}],
        **at,
    )
    yield Case(
        "total and an average below it",
        "totals",
        as_csv("region,n", "north,10", "south,20", "west,45", "Total,75", "Average,25"),
        "sum n from s",
        [{"n": 75}],
        **at,
    )
    yield Case(
        "total in another column",
        "totals",
        as_csv("k,region,n", "1,north,10", "2,south,20", "3,west,45", ",Total,75"),
        "sum n from s",
        [{"n": 75}],
        **at,
    )
    yield Case(
        "average in the last row",
        "totals",
        as_csv("region,n", "north,10", "south,20", "west,45", "Average,25"),
        "sum n from s",
        [{"n": 75}],
        **{**at, "note": "average|last row"},
    )
    yield Case(
        "a remark below the rows",
        "totals",
        as_csv("region,n", "north,10", "south,20", "west,45", "Source: office,"),
        "count from s",
        [{"count": 3}],
        **{**at, "note": "last row|remark|source"},
    )
    yield Case(
        "no total: a town called Total",
        "totals",
        as_csv("region,n", "north,10", "south,20", "Total,7"),
        "sum n from s",
        [{"n": 37}],
    )
    yield Case(
        "no total: a sum by chance",
        "totals",
        as_csv("region,n", "north,10", "south,20", "west,30"),
        "sum n from s",
        [{"n": 60}],
    )
    yield Case(
        "a column that adds up its neighbors",
        "totals",
        as_csv("region,a,b,total", "north,1,2,3", "south,4,5,9"),
        "sum total from s",
        [{"total": 12}],
    )


def list_sentinels() -> Iterator[Case]:
    plain = [12, 15, 11, 14, 13, 16]
    for mark in (
        -999,
        -9999,
        -99,
        -1,
        999,
        9999,
        99999,
        -99999,
        -999.0,
        -9999.0,
        -99.9,
        -32768,
        1e20,
        -88,
        -77,
        1e30,
        2147483647,
        -2147483648,
        -99.99,
    ):
        source = as_csv("k,n", *(f"{place},{n}" for place, n in enumerate([*plain, mark, mark])))
        yield Case(
            f"mean beside {mark}",
            "sentinels",
            source,
            "avg n from s",
            [{"n": 13.5}],
            note="missing|far from",
            refusal=True,
        )
    source = as_csv("k,n", *(f"{place},{n}" for place, n in enumerate([*plain, -999, -999])))
    at: dict[str, Any] = {"note": "missing|far from", "refusal": True}
    yield Case("least beside -999", "sentinels", source, "min n from s", [{"n": 11}], **at)
    yield Case("count beside -999", "sentinels", source, "count n from s", [{"n": 6}], **at)
    yield Case("below 12 beside -999", "sentinels", source, "count from s where n < 12", [{"count": 1}], **at)
    yield Case(
        "-999 once",
        "sentinels",
        as_csv("k,n", *(f"{place},{n}" for place, n in enumerate([*plain, -999]))),
        "avg n from s",
        [{"n": 13.5}],
        **at,
    )
    yield Case("-999 read as missing", "sentinels", source, "avg n from s", [{"n": 13.5}], {"nulls": ["-999"]})
    yield Case(
        "-999 in a sheet",
        "sentinels",
        sheet([("k", "n"), *enumerate([*plain, -999, -999])]),
        "avg n from s",
        [{"n": 13.5}],
        **at,
    )
    yield Case(
        "-999 in json",
        "sentinels",
        as_file("s.json", json.dumps([{"n": n} for n in [*plain, -999, -999]])),
        "avg n from s",
        [{"n": 13.5}],
        **at,
    )
    yield Case(
        "-999 in rows",
        "sentinels",
        always([{"n": n} for n in [*plain, -999, -999]]),
        "avg n from s",
        [{"n": 13.5}],
        **at,
    )
    for day in ("9999-12-31", "1900-01-01", "1970-01-01", "1899-12-30", "0001-01-01"):
        days = as_csv("k,d", "1,2024-01-01", "2,2024-02-01", "3,2024-03-01", f"4,{day}", f"5,{day}")
        question, right = (
            ("max d from s", datetime.date(2024, 3, 1)) if day > "2024" else ("min d from s", datetime.date(2024, 1, 1))
        )
        yield Case(f"extreme beside {day}", "sentinels", days, question, [{"d": right}], **at)
    for word in ("n/a", "NA", "-", "null", "None", "#N/A", "missing", "?", "."):
        texts = as_csv("k,n", "1,10", f"2,{word}", "3,20")
        yield Case(f"mean beside {word}", "sentinels", texts, "avg n from s", [{"n": 15.0}], refusal=True)
        yield Case(f"mean beside {word}, said", "sentinels", texts, "avg n from s", [{"n": 15.0}], {"nulls": [word]})
        names = as_csv("k,town", "1,Bern", f"2,{word}", "3,Chur", f"4,{word}")
        yield Case(
            f"towns beside {word}, said",
            "sentinels",
            names,
            "count distinct town from s",
            [{"town": 2}],
            {"nulls": [word]},
        )


def list_heads() -> Iterator[Case]:
    at: dict[str, Any] = {"note": "first row|header|names", "refusal": True}
    yield Case(
        "first record as the header",
        "heads",
        as_file("s.csv", "12,7.5\n13,8.5\n14,9.5\n"),
        "count from s",
        [{"count": 3}],
        **at,
    )
    yield Case(
        "first record as the header, summed",
        "heads",
        as_file("s.csv", "12,7.5\n13,8.5\n14,9.5\n"),
        "sum `7.5` from s",
        [{"7.5": 25.5}],
        **at,
    )
    yield Case(
        "first record with a day",
        "heads",
        as_file("s.csv", "2024-01-01,7\n2024-01-02,8\n2024-01-03,9\n"),
        "count from s",
        [{"count": 3}],
        **at,
    )
    yield Case(
        "first record with a text",
        "heads",
        as_file("s.csv", "north,7\nsouth,8\nwest,9\n"),
        "count from s",
        [{"count": 3}],
        **at,
    )
    yield Case(
        "first record in a sheet",
        "heads",
        sheet([("a1", 7.25), ("b1", 8.5), ("c1", 9.75)]),
        "count from s",
        [{"count": 3}],
        **at,
    )
    yield Case(
        "years as names",
        "heads",
        as_file("s.csv", "region,2022,2023\nnorth,1,2\nsouth,3,4\n"),
        "sum `2023` from s",
        [{"2023": 6}],
    )
    yield Case(
        "steps as names",
        "heads",
        as_file("s.csv", "region,0,10,20\nnorth,1,2,3\nsouth,3,4,5\n"),
        "sum `10` from s",
        [{"10": 6}],
    )
    data = [{"k": "a", "n": 1}, {"k": "b", "n": 2}]
    env: dict[str, Any] = {"note": "list of|one row|envelope|object", "refusal": True}
    for name, document in {
        "meta and data": {"meta": {"page": 1}, "data": data}, "data alone": {"data": data}, "results": {"count": 2, "next": None, "results": data}, "items": {"items": data, "total": 2},
        "nested": {"response": {"data": data}}, "features": {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": row} for row in data]}, "two lists": {"a": data, "b": data},
        "an object by key": {"a": {"n": 1}, "b": {"n": 2}}, "a list of lists": [["k", "n"], ["a", 1], ["b", 2]], "a list in a list": [data], "columns and rows": {"columns": ["k", "n"], "data": [["a", 1], ["b", 2]]},
        "one object of lists of two lengths": {"k": ["a", "b"], "n": [1]}, "pages": [{"page": 1, "data": data}, {"page": 2, "data": data}],
    }.items():  # fmt: skip
        rows = 4 if name == "pages" else 2
        yield Case(
            f"envelope: {name}",
            "heads",
            as_file("s.json", json.dumps(document)),
            "count from s",
            [{"count": rows}],
            **env,
        )
        if not isinstance(document, list) and name in ("meta and data", "data alone", "items", "nested"):
            yield Case(f"envelope in rows: {name}", "heads", always(document), "count from s", [{"count": 2}], **env)
    yield Case(
        "records are no envelope", "heads", as_file("s.json", json.dumps({"records": data})), "sum n from s", [{"n": 3}]
    )
    yield Case(
        "columns of one length",
        "heads",
        as_file("s.json", json.dumps({"k": ["a", "b"], "n": [1, 2]})),
        "sum n from s",
        [{"n": 3}],
    )
    yield Case("one object", "heads", as_file("s.json", json.dumps({"k": "a", "n": 1})), "sum n from s", [{"n": 1}])
    yield Case(
        "one object a line", "heads", as_file("s.ndjson", "\n".join(map(json.dumps, data))), "sum n from s", [{"n": 3}]
    )
    yield Case(
        "keys that some rows lack",
        "heads",
        as_file("s.json", '[{"k": "a", "n": 1}, {"k": "b"}]'),
        "count n from s",
        [{"n": 1, "count": 2}],
    )
    yield Case("a key twice", "heads", as_file("s.json", '[{"n": 1, "n": 2}]'), "sum n from s", None, refusal=True)


def list_cells() -> Iterator[Case]:
    at: dict[str, Any] = {"refusal": True}
    yield Case(
        "percents of cells",
        "workbooks",
        sheet([("k", "n"), ("a", 0.1), ("b", 0.25)], formats={"B2": "0%"}),
        "max n from s",
        [{"n": 0.25}],
    )
    yield Case(
        "codes by a format",
        "workbooks",
        sheet([("zip", "n"), (123, 1), (45, 2)], formats={"A2": "00000", "A3": "00000"}),
        "sum n from s where zip = '00123'",
        [{"n": 1}],
        note="format|zero|text",
        **at,
    )
    yield Case(
        "dates of cells",
        "workbooks",
        sheet([("d", "n"), (datetime.date(2024, 2, 1), 1), (datetime.date(2023, 12, 31), 2)]),
        "max d from s",
        [{"d": datetime.date(2024, 2, 1)}],
    )
    yield Case(
        "dates beside texts",
        "workbooks",
        sheet([("d", "n"), (datetime.date(2024, 2, 1), 1), ("31.12.2023", 2)]),
        "max d from s",
        None,
        note="text|mixed",
        **at,
    )
    yield Case(
        "numbers beside texts",
        "workbooks",
        sheet([("n",), (9,), ("10",), (100,)]),
        "max n from s",
        [{"n": 100}],
        note="text|mixed",
        **at,
    )
    yield Case(
        "a number as text",
        "workbooks",
        sheet([("n",), ("9",), ("10",), ("100",)]),
        "max n from s",
        [{"n": "100"}],
        note="text|mixed",
        **at,
    )
    yield Case(
        "durations of cells",
        "workbooks",
        sheet([("t",), (datetime.timedelta(hours=30),), (datetime.timedelta(hours=9),)]),
        "max t from s",
        [{"t": datetime.timedelta(hours=30)}],
        note="text|time|dur",
        **at,
    )
    yield Case(
        "times of cells",
        "workbooks",
        sheet([("t",), (datetime.time(9, 5),), (datetime.time(10, 0),)]),
        "max t from s",
        [{"t": "10:00:00"}],
        note="text|time",
        **at,
    )
    yield Case(
        "errors of cells",
        "workbooks",
        sheet([("k", "n"), ("a", 1), ("b", "#N/A"), ("c", 3)]),
        "count n from s",
        [{"n": 2, "count": 3}],
        **at,
    )
    yield Case(
        "a formula without its value",
        "workbooks",
        sheet([("k", "n"), ("a", 1), ("b", "=1+1")]),
        "sum n from s",
        [{"n": 3}],
        **at,
    )
    yield Case(
        "empty rows between",
        "workbooks",
        sheet([("k", "n"), ("a", 1), (), ("b", 2)]),
        "sum n from s",
        [{"n": 3, "count": 2}],
    )
    yield Case("empty rows above", "workbooks", sheet([(), (), ("k", "n"), ("a", 1)]), "sum n from s", [{"n": 1}])
    yield Case(
        "two tables on a sheet",
        "workbooks",
        sheet([("k", "n"), ("a", 1), (), ("k", "m"), ("b", 2)]),
        "count from s",
        None,
        note="text|mixed|table",
        **at,
    )
    yield Case(
        "truth of cells",
        "workbooks",
        sheet([("k", "n"), ("a", True), ("b", False)]),
        "count from s where n = true",
        [{"count": 1}],
    )
    yield Case(
        "a large number of a cell",
        "workbooks",
        sheet([("n",), (9007199254740993,), (1,)]),
        "max n from s",
        [{"n": 9007199254740993}],
        note="rounded|another",
        **at,
    )
    yield Case(
        "numbers of 1900",
        "workbooks",
        sheet([("d", "n"), (datetime.date(1900, 1, 1), 1), (datetime.date(1900, 3, 1), 2)]),
        "min d from s",
        [{"d": datetime.date(1900, 1, 1)}],
        note="1900|date",
        **at,
    )


WORKBOOKS = [*list_merged(), *list_totals(), *list_sentinels(), *list_heads(), *list_cells()]
