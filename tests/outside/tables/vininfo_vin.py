"""Check digits of vehicles."""

from __future__ import annotations

from importlib.metadata import version

from oracle import OracleTable
from vininfo import Vin

TABLE = OracleTable("vininfo", version("vininfo"))


def find(number):
    """Find the ninth character that verifies."""
    return next(at for at, each in enumerate("0123456789X") if Vin(number[:8] + each + number[9:]).verify_checksum())


LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
NUMBERS = ["".join(LETTERS[7**power // 10**at % 33] for at in range(17)) for power in range(20, 90)]
TABLE.add(
    "identifiers.vin_check_digit",
    "vininfo.Vin.verify_checksum",
    find,
    draws={"number": ["1M8GDM9AXKP042788", *NUMBERS]},
)
