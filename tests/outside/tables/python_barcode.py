"""Check digits of goods, books and journals."""

from __future__ import annotations

from importlib.metadata import version

from barcode.ean import EuropeanArticleNumber13
from barcode.isxn import InternationalStandardBookNumber10, InternationalStandardSerialNumber
from oracle import OracleTable

TABLE = OracleTable("python-barcode", version("python-barcode"))


def read(code, length):
    """Read the last character, 10 for X; none where the package writes 11 for a remainder of 0, which ISO 3297 has as 0."""
    return None if len(code) != length else 10 if code[-1] == "X" else int(code[-1])


TABLE.add(
    "identifiers.gtin_check_digit",
    "barcode.ean.EuropeanArticleNumber13.calculate_checksum",
    lambda number: EuropeanArticleNumber13("400638133393").calculate_checksum(number),
    draws={"number": ["400638133393", *(str(7**power) for power in range(60))]},
)
TABLE.add(
    "identifiers.isbn_10_check_digit",
    "barcode.isxn.InternationalStandardBookNumber10",
    lambda number: read(InternationalStandardBookNumber10(number).isbn10, 10),
    draws={"number": [str(7**power)[-9:] for power in range(11, 90)]},
)
TABLE.add(
    "identifiers.issn_check_digit",
    "barcode.isxn.InternationalStandardSerialNumber",
    lambda number: read(InternationalStandardSerialNumber(number).issn, 8),
    draws={"number": [str(7**power)[-7:] for power in range(9, 90)]},
)
