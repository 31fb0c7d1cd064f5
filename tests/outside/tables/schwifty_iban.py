"""Check digits of bank accounts."""

from __future__ import annotations

from importlib.metadata import version

import schwifty
from oracle import OracleTable

TABLE = OracleTable("schwifty", version("schwifty"))
TABLE.add(
    "identifiers.iban_check_digits",
    "schwifty.IBAN.from_bban",
    lambda country, account: int(schwifty.IBAN.from_bban(country, account, allow_invalid=True).checksum_digits),
    draws={
        "country": ["DE", "GB", "FR", "NO", "MT"],
        "account": [
            "370400440532013000",
            "NWBK60161331926819",
            "20041010050500013M02606",
            "86011117947",
            "MALT011000012345MTLCAST001S",
        ],
    },
)
