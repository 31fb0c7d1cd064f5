"""Check digits of any number."""

from __future__ import annotations

from importlib.metadata import version

from checkdigit.damm import DammAlgorithm
from checkdigit.luhn import LuhnAlgorithm
from checkdigit.verhoeff import VerhoeffAlgorithm
from oracle import OracleTable

NUMBERS = {"number": [str(7**power) for power in range(60)]}
TABLE = OracleTable("checkdigit-algorithms", version("checkdigit-algorithms"))
TABLE.add(
    "identifiers.luhn_check_digit",
    "checkdigit.luhn.LuhnAlgorithm.generate",
    lambda number: int(LuhnAlgorithm.generate(number)[-1]),
    draws=NUMBERS,
)
TABLE.add(
    "identifiers.verhoeff_check_digit",
    "checkdigit.verhoeff.VerhoeffAlgorithm.generate",
    lambda number: int(VerhoeffAlgorithm.generate(number)[-1]),
    draws=NUMBERS,
)
TABLE.add(
    "identifiers.damm_check_digit",
    "checkdigit.damm.DammAlgorithm.generate",
    lambda number: int(DammAlgorithm.generate(number)[-1]),
    draws=NUMBERS,
)
