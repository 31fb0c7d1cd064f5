"""Small data files that the lines of this folder speak of.

Every function writes one file into a folder and returns its path. The rows are the same on every machine: they come
from a seed, and numbers are written as text here, so that no library decides how they look.

`SOURCES` says under which name each file is connected and with which options. `umsatz:text` registers the same file
under the name `umsatz`, but without the form of its numbers and dates, so that they stay text.
"""

import csv
import datetime as dt
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random

from openpyxl import Workbook

Cell = str | int | float | None

ORDERS = (
    "Row ID",
    "Order ID",
    "Order Date",
    "Ship Date",
    "Customer Segment",
    "Region",
    "Category",
    "Sales",
    "Profit",
    "Quantity",
    "Discount",
)
FLIGHTS = (
    "year",
    "month",
    "day",
    "carrier",
    "origin",
    "dest",
    "dep_delay",
    "arr_delay",
    "distance",
    "time_hour",
)
SURVEY = ("respondent", "gender", "age", "country", "How satisfied are you?", "income")
UMSATZ = ("Datum", "Kunde", "Region", "Umsatz", "Menge", "Rabatt")
TRIAL = ("subject", "arm", "before", "after", "score")
PRICES = ("id", "zip", "date", "hour", "open", "close", "volume")


@dataclass(frozen=True)
class Source:
    """How one fixture is connected: its name, its file, and the options of `connect`."""

    name: str
    file: str
    options: dict[str, str] = field(default_factory=dict)


GERMAN = {"delimiter": ";", "decimal": ",", "thousands": ".", "date_format": "%d.%m.%Y"}
SOURCES = {
    "orders": Source("orders", "orders.csv"),
    "flights": Source("flights", "flights.csv"),
    "survey": Source("survey", "survey.csv"),
    "umsatz": Source("umsatz", "umsatz.csv", {**GERMAN, "encoding": "cp1252"}),
    "umsatz:text": Source("umsatz", "umsatz.csv", {"delimiter": ";", "encoding": "cp1252"}),
    "trial": Source("trial", "trial.csv"),
    "prices": Source("prices", "prices.csv", {"types": "zip=string"}),
}


def cents(number: int) -> str:
    """A number of cents as an amount with two places."""
    return str(Decimal(number).scaleb(-2))


def german(number: int) -> str:
    """A number of cents as German writers put it: a point between thousands, a comma before the cents."""
    return f"{Decimal(number).scaleb(-2):,}".translate(str.maketrans(",.", ".,"))


def orders_rows() -> list[list[Cell]]:
    """Sales of a shop over two years: an order may have several rows, and ships days after it was placed."""
    chance = Random(11)
    rows: list[list[Cell]] = []
    for row in range(1, 49):
        placed = dt.date(2023, 1, 9) + dt.timedelta(days=15 * row + chance.randrange(9))
        rows.append(
            [
                row,
                f"CA-{1000 + (row + 1) // 2}",
                placed.isoformat(),
                (placed + dt.timedelta(days=chance.randrange(1, 40))).isoformat(),
                ("Consumer", "Corporate", "Home Office")[chance.randrange(3)],
                ("North", "South", "East", "West")[chance.randrange(4)],
                ("Furniture", "Technology", "Office Supplies")[chance.randrange(3)],
                cents(chance.randrange(900, 190_000)),
                cents(chance.randrange(-9_000, 42_000)),
                chance.randrange(1, 12),
                ("0.00", "0.10", "0.20", "0.05")[chance.randrange(4)],
            ]
        )
    return rows


def flights_rows() -> list[list[Cell]]:
    """Departures of three airports; the two delays are missing for a few of them."""
    chance = Random(12)
    rows: list[list[Cell]] = []
    for row in range(60):
        month, day, hour = 1 + row // 10, 1 + chance.randrange(28), 5 + chance.randrange(16)
        late = chance.randrange(-12, 95)
        away = row in {7, 23, 41}
        rows.append(
            [
                2013,
                month,
                day,
                ("UA", "AA", "DL", "B6")[chance.randrange(4)],
                ("JFK", "LGA", "EWR")[chance.randrange(3)],
                ("LAX", "ORD", "MIA", "BOS", "SFO")[chance.randrange(5)],
                None if away else late,
                None if away else late + chance.randrange(-20, 25),
                (187, 733, 1089, 2475, 2586)[chance.randrange(5)],
                f"2013-{month:02}-{day:02}T{hour:02}:00:00",
            ]
        )
    return rows


def survey_rows() -> list[list[Cell]]:
    """Answers to a questionnaire, one respondent a row; some do not tell their income."""
    chance = Random(13)
    return [
        [
            f"R{row + 1:03}",
            ("f", "m", "d")[chance.randrange(5) % 3],
            chance.randrange(18, 79),
            ("Germany", "France", "Spain", "Austria")[chance.randrange(4)],
            chance.randrange(1, 6),
            None if row % 13 == 5 else 1000 * chance.randrange(18, 120),
        ]
        for row in range(40)
    ]


def umsatz_rows() -> list[list[Cell]]:
    """German revenue: decimal commas, points between thousands, days before months, names with umlauts."""
    chance = Random(14)
    rows: list[list[Cell]] = []
    for row in range(24):
        day = dt.date(2024, 1, 15) + dt.timedelta(days=14 * row + chance.randrange(6))
        amount = 100_050 if row == 3 else chance.randrange(4_000, 480_000)
        rows.append(
            [
                day.strftime("%d.%m.%Y"),
                ("Müller GmbH", "Bäcker Köln", "Groß & Söhne", "Weiß AG")[chance.randrange(4)],
                ("Nord", "Süd", "Ost", "West")[row % 4],
                german(amount),
                chance.randrange(1, 60),
                ("0,00", "0,05", "0,10")[chance.randrange(3)],
            ]
        )
    return rows


def trial_rows() -> list[list[Cell]]:
    """A trial of two arms with a measurement before and after the treatment."""
    chance = Random(15)
    rows: list[list[Cell]] = []
    for row in range(24):
        arm = ("control", "treatment")[row % 2]
        before = chance.randrange(400, 700)
        after = before + chance.randrange(-60, 40) - (90 if row % 2 else 0)
        rows.append([row + 1, arm, f"{before / 10}", f"{after / 10}", chance.randrange(40, 100)])
    return rows


def prices_rows() -> list[list[Cell]]:
    """Prices of thirty days, with numbers that only name something: an id, a zip code and an hour."""
    chance, rows, last = Random(16), [], 10_000
    for row in range(30):
        first, last = last + chance.randrange(-90, 90), last + chance.randrange(-200, 220)
        rows.append(
            [
                50_001 + row,
                f"{chance.randrange(1000, 9000):05}",
                (dt.date(2024, 3, 1) + dt.timedelta(days=row)).isoformat(),
                chance.randrange(8, 18),
                cents(first),
                cents(last),
                chance.randrange(1_000, 90_000),
            ]
        )
    return rows


def written(path: Path, header: Sequence[str], rows: Iterable[Sequence[Cell]], form: str = "utf-8 ,") -> Path:
    """Write a text file; `form` is its encoding and its delimiter."""
    encoding, delimiter = form.split(" ")
    with path.open("w", encoding=encoding, newline="") as out:
        table = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)
    return path


def orders(folder: Path) -> Path:
    """`orders.csv`."""
    return written(folder / "orders.csv", ORDERS, orders_rows())


def orders_workbook(folder: Path) -> Path:
    """`orders.xlsx`, one sheet of the same rows."""
    book, path = Workbook(), folder / "orders.xlsx"
    sheet = book.worksheets[0]
    sheet.title = "Orders"
    sheet.append(list(ORDERS))
    for row in orders_rows():
        dates = [dt.date.fromisoformat(str(cell)) for cell in row[2:4]]
        sheet.append([*row[:2], *dates, *row[4:7], float(str(row[7])), float(str(row[8])), row[9], float(str(row[10]))])
    book.save(path)
    return path


def flights(folder: Path) -> Path:
    """`flights.csv`."""
    return written(folder / "flights.csv", FLIGHTS, flights_rows())


def survey(folder: Path) -> Path:
    """`survey.csv`."""
    return written(folder / "survey.csv", SURVEY, survey_rows())


def survey_document(folder: Path) -> Path:
    """`survey.json`, a list of the same rows."""
    path = folder / "survey.json"
    rows = [dict(zip(SURVEY, row, strict=True)) for row in survey_rows()]
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return path


def umsatz(folder: Path) -> Path:
    """`umsatz.csv`, in the encoding of Windows."""
    return written(folder / "umsatz.csv", UMSATZ, umsatz_rows(), "cp1252 ;")


def umsatz_mac(folder: Path) -> Path:
    """`umsatz_mac.csv`, in the encoding of old Macs."""
    return written(folder / "umsatz_mac.csv", UMSATZ, umsatz_rows(), "mac_roman ;")


def trial(folder: Path) -> Path:
    """`trial.csv`."""
    return written(folder / "trial.csv", TRIAL, trial_rows())


def prices(folder: Path) -> Path:
    """`prices.csv`."""
    return written(folder / "prices.csv", PRICES, prices_rows())


WRITERS = (orders, orders_workbook, flights, survey, survey_document, umsatz, umsatz_mac, trial, prices)


def write_all(folder: Path) -> dict[str, Path]:
    """Write every file into a folder, by file name."""
    return {path.name: path for path in (write(folder) for write in WRITERS)}
