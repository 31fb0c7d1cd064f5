"""A connector, an export format and a face for service_nb, each a record that an entry point names."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterable

from service_nb.cards.blocks import Block, CardFace, Status
from service_nb.connectors.base import Connector, connection_error
from service_nb.errors import LimitExceededError
from service_nb.ledger.exports.formats import ExportFormat, ExportMaterial, require_card
from service_nb.ledger.exports.table import build_table, guard_text
from service_nb.readers.dataset import Dataset, ReadOptions
from service_nb.readers.json_records import build_dataset
from service_nb.schema.connector import Descriptor, Kind

# --- a connector: JSON objects, one a line, from whoever listens at host and port -----------------------------------

KIND = Kind(
    type="json_feed",
    title="JSON feed",
    group="api and files",
    keys=("host", "port", "table"),
    options={"greeting": "what is sent first, such as the name of a channel"},
)


def extract(descriptor: Descriptor, options: ReadOptions, deadline: float) -> Dataset:
    """Read all lines, within the limits and until the deadline."""
    left, parts = options.limits.text_bytes, []
    try:
        with socket.create_connection((descriptor.host, descriptor.port), deadline - time.monotonic()) as link:
            link.sendall(f"{descriptor.options.get('greeting', descriptor.table)}\n".encode())
            while part := link.recv(65_536):
                left -= len(part)
                if left < 0:
                    raise LimitExceededError("The feed is too long.", limit=options.limits.text_bytes)
                parts.append(part)
                link.settimeout(max(0.01, deadline - time.monotonic()))
    except TimeoutError as error:
        raise connection_error(KIND, "timed_out") from error
    except OSError as error:
        raise connection_error(KIND, "unreachable") from error
    return build_dataset([json.loads(line) for line in b"".join(parts).splitlines()], options)


CONNECTOR = Connector(kind=KIND, reads_files=False, extract=extract)


# --- an export format: the rows of one card, with tabs between ------------------------------------------------------


def write_tsv(material: ExportMaterial) -> bytes:
    """Write the rows of one card; what a spreadsheet would take for a formula is marked as text."""
    table = build_table(require_card(material, "A TSV file"))
    rows = [table.heads, *table.rows]
    return "".join("\t".join(guard_text(str(cell)) for cell in row) + "\n" for row in rows).encode()


FORMAT = ExportFormat(name="tsv", ending=".tsv", words="the rows, with tabs between", write=write_tsv)


# --- a face: the state of a card in one line ------------------------------------------------------------------------


def write_line(blocks: Iterable[Block]) -> str:
    """Write the first thing that a card says of itself."""
    return next(f"{block.label}" for block in blocks if isinstance(block, Status))


FACE = CardFace(name="line", mime="text/x-line", write=write_line)
