"""Parquet: rows with the physical types of their columns, and the hashes of the result in the file's metadata."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from service_nb.core.canonical import parse_strict
from service_nb.errors import EvidenceError, InvalidIntentError, ServiceError
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, missing_text_error, require_card
from service_nb.ledger.exports.table import IN_LEDGER, MAX_TEXT
from service_nb.schema.card import Card, Column
from service_nb.schema.native import UnreadableError, find_reader
from service_nb.schema.source import Value

METADATA = "service_nb."  # before the name of each hash, in the metadata of the schema


def export(material: ExportMaterial) -> bytes:
    """Return the rows of one answer."""
    card = require_card(material, "A Parquet file")
    if card["kind"] != "query":
        raise InvalidIntentError(
            f"A Parquet file holds the rows of an answer, and this is a card of kind {card['kind']}.",
            hint="Export it with --format csv.",
            met=card["kind"],
            expected="query",
        )
    columns, rows = read_rows(card)
    return to_parquet(build_arrow_table(columns, rows), card["digests"], card["canonical"].get("plan"))


def read_rows(card: Card) -> tuple[list[Column], list[tuple[Value, ...]]]:
    """Read the native values of an answer from its hashed text. Raises `evidence_invalid`."""
    text = card["canonical"].get("result")
    if text is None:
        raise missing_text_error("its result", IN_LEDGER)
    try:
        columns = list(card["view"]["columns"])
        readers = [(column["name"], find_reader(column["physical"])) for column in columns]
        rows = parse_strict(text, max_bytes=MAX_TEXT)
        values = [tuple(read(row[name]) for name, read in readers) for row in rows]
    except (LookupError, TypeError, UnreadableError, ServiceError) as error:
        raise EvidenceError("The card's texts are not rows of its columns.", reason="malformed_card") from error
    return columns, values


def build_arrow_table(columns: Sequence[Column], rows: Sequence[Sequence[Value]]) -> pa.Table:
    """Build an Arrow table with exact types; whole numbers beyond int64 are decimals."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    arrays = [_build_array(column, cells) for column, cells in zip(columns, values, strict=True)]
    return pa.table(arrays, names=[column["name"] for column in columns])


def to_parquet(table: pa.Table, digests: Mapping[str, Any], plan: str | None) -> bytes:
    """Return a table as Parquet; the schema's metadata has the digests, and the plan that the result is of."""
    import pyarrow.parquet as pq  # noqa: PLC0415  # lazy: whoever lists formats does not load it

    told = {METADATA + name: digest for name, digest in digests.items() if name.endswith("_hash")}
    told |= {} if plan is None else {METADATA + "plan": plan}
    file = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(told), file, compression="zstd")
    return file.getvalue()


def _build_array(column: Column, values: Sequence[Value]) -> pa.Array:
    physical = column["physical"]
    if physical == "int64" and any(isinstance(v, int) and not -(2**63) <= v < 2**63 for v in values):
        digits = max(len(str(abs(v))) for v in values if isinstance(v, int))
        wide = pa.decimal128(38, 0) if digits <= 38 else pa.decimal256(76, 0)
        return pa.array([None if v is None else str(v) for v in values], pa.string()).cast(wide)
    return pa.array(values, _choose_arrow_type(physical, values))


def _choose_arrow_type(physical: str, values: Sequence[Value]) -> pa.DataType | None:
    if physical.startswith("decimal("):
        return (
            pa.infer_type([v for v in values if v is not None])
            if any(v is not None for v in values)
            else pa.decimal128(38, 0)
        )
    return {
        "int64": pa.int64(),
        "float64": pa.float64(),
        "string": pa.string(),
        "counts": pa.string(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "datetime": pa.timestamp("us"),
    }[physical]


FORMAT = ExportFormat(name="parquet", ending=".parquet", words="the rows with their types and hashes", write=export)
