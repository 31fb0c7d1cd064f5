"""The primitive types of all shapes: names, whole numbers, hashes, moments, bytes in base64, anything.

A shape is a TypedDict: what crosses a boundary is a JSON object, and stays one, because its bytes are hashed. Every
shape is closed: it has the keys that it declares, and no others. `python -m service_nb.schema` prints all as JSON
Schema, of which `typescript/shapes.py` makes the table in `evidence/standalone.py` that checks the form of documents,
and the types and decoders in `typescript/packages/records/src/shapes.ts`.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from service_nb.core.canonical import MAX_SAFE_INTEGER

Name: TypeAlias = Annotated[str, Meta(title="Name", min_length=1, description="a name")]
# 1.0 is a whole number, too: front ends write it as 1.
Whole: TypeAlias = Annotated[
    int, Meta(title="Whole", ge=0, le=MAX_SAFE_INTEGER, description="a whole number from 0 to 2^53-1")
]
Scalar: TypeAlias = str | int | float | bool
Anything: TypeAlias = object
Members: TypeAlias = dict[str, object]
Items: TypeAlias = list[object]

Hash: TypeAlias = Annotated[str, Meta(title="Hash", pattern="^[0-9a-f]{64}$", description="64 hex digits")]
ContractHash: TypeAlias = Annotated[
    str, Meta(title="ContractHash", pattern="^sha256:[0-9a-f]{64}$", description="sha256: and 64 hex digits")
]
LedgerId: TypeAlias = Annotated[str, Meta(title="LedgerId", pattern="^[0-9a-f]{32}$", description="32 hex digits")]
# RFC 3339, in capitals and with a zone; a leap second is one.
Moment: TypeAlias = Annotated[
    str,
    Meta(
        title="Moment",
        pattern="^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
        "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]{1,9})?"
        "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$",
        description="a time as 2026-11-21T13:22:52Z",
    ),
]

# The width of bins, as plans have it: an exact decimal above 0, without zeros at its ends.
Width: TypeAlias = Annotated[
    str,
    Meta(
        title="Width",
        pattern="^(?:[1-9][0-9]{0,14}(?:\\.[0-9]{0,13}[1-9])?|0\\.[0-9]{0,14}[1-9])$",
        description="a decimal number above 0",
    ),
]

# The percent of a percentile, as plans have it: an exact decimal from 0 to 100, without zeros at its end.
Percent: TypeAlias = Annotated[
    str,
    Meta(
        title="Percent",
        pattern="^(?:100|[1-9]?[0-9](?:\\.[0-9]{0,3}[1-9])?)$",
        description="a decimal number from 0 to 100",
    ),
]

_BASE64 = {"contentEncoding": "base64"}  # standard and padded
Base64: TypeAlias = Annotated[str, Meta(title="Bytes", extra_json_schema=_BASE64)]
PublicKey: TypeAlias = Annotated[str, Meta(title="PublicKey", extra_json_schema=_BASE64 | {"x-bytes": 32})]
SignatureBytes: TypeAlias = Annotated[str, Meta(title="SignatureBytes", extra_json_schema=_BASE64 | {"x-bytes": 64})]

# What lies inside is declared, and no part of the form: it is compared with hashed texts, or carried.
CARRIED = Meta(extra_json_schema={"x-carried": True})
