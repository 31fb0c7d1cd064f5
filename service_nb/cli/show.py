"""`service-nb show`: one recorded result, with all that vouches for it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import service_nb
from service_nb.cards import format as fmt
from service_nb.cards.blocks import Fact, Facts, Span
from service_nb.cards.text import to_text, write_text
from service_nb.cli.console import DONE, print_json, text_width
from service_nb.core.canonical import canonical_text

if TYPE_CHECKING:
    from service_nb.client.results import StoredResult

SUMMARY = "Show a recorded result: card, sources, receipt, and its place in the ledger."
EXAMPLES = """\
examples:
  service-nb show query_3f9c1d20b7a84e65
  service-nb show service_0fd3a1b2c4d5e6f7 --card > card.json
  service-nb show query_3f9c1d20b7a84e65 --json
"""


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `show`."""
    parser.add_argument("id", metavar="ID", help="of a result, as cards and `service-nb log` show it")
    parser.add_argument("--project", metavar="DIR", type=Path, help="folder of the project; default: the current one")
    parser.add_argument("--card", action="store_true", help="print only the card, as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print a stored result."""
    service = service_nb.create_service(project=arguments.project)
    try:
        stored = service.get_result(arguments.id)
    finally:
        service.close()
    if arguments.card:
        print(json.dumps(stored.card, ensure_ascii=False, indent=1, allow_nan=False))
    elif arguments.json:
        print_json({"status": "ok", **stored, "card": stored.card, "texts": sorted(stored.texts)})
    else:
        width = text_width()
        print(to_text(stored.card, width))
        print(write_text([Facts(facts=tuple(_facts(stored)))], width))
    return DONE


def _facts(stored: StoredResult) -> Iterator[Fact]:
    yield Fact.of("id", stored["id"])
    yield Fact.of("time", stored["time"])
    place = stored["place"] or {}
    if place:
        yield Fact.of("asked in", ", ".join(f"{name} {value}" for name, value in place.items()))
    for source in stored["inputs"]:
        yield Fact(label="made from", lines=tuple(_input(source)))
    receipt = stored.card["receipt"]
    if receipt is None:
        yield Fact.of("entry", f"number {stored['index'] + 1:,} of the ledger")
        yield Fact.of("receipt", "none: there was no device key. Run `service-nb login` to make one.")
        return
    yield from _receipt(receipt)


def _input(source: Mapping[str, Any]) -> Iterator[tuple[Span, ...]]:
    yield (Span(f"{fmt.word(source['name'])} · {fmt.count(source['row_count'])} · "), Span(source["source_id"], "code"))
    origin = source["origin"]
    if origin is not None:
        yield (Span(", ".join(f"{name} {value}" for name, value in origin.items())),)
    if source["reading"]:
        yield (Span(f"read with {canonical_text(source['reading'])}"),)
    if source["content"].get("sha256"):
        yield (Span(f"{source['content']['algorithm']} "), Span(source["content"]["sha256"]))
    elif source["content"].get("algorithm") == "live":
        yield (Span("live: its data may have changed since"),)


def _receipt(receipt: Mapping[str, Any]) -> Iterator[Fact]:
    log, checkpoint = receipt["log"], receipt["log"]["checkpoint"].splitlines()
    yield Fact.of("entry", f"number {log['index'] + 1:,} of the {log['size']:,} that the ledger had then")
    yield Fact.of("ledger", checkpoint[0])
    yield Fact.of("root", checkpoint[2])
    signatures = receipt["envelope"]["signatures"]
    yield Fact.of("signed by", f"device {signatures[0]['keyid']}, public key {receipt['public_key']}")
