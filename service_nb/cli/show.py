"""Show a recorded result: card, sources, receipt, and its place in the ledger.

examples:
  service-nb show query_3f9c1d20b7a84e65
  service-nb show service_0fd3a1b2c4d5e6f7 --card > card.json
  service-nb show query_3f9c1d20b7a84e65 --json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import service_nb
from service_nb.cards import format as fmt
from service_nb.cards.blocks import CardFace, Fact, Facts, TextSpan
from service_nb.cards.card_blocks import compose_face
from service_nb.cards.faces import find_faces
from service_nb.cards.faces.text import write_text
from service_nb.cli.console import measure_terminal
from service_nb.cli.verb import PROJECT, Option, Reply, Verb
from service_nb.client.results import StoredResult
from service_nb.core.canonical import write_canonical_text
from service_nb.core.plugins import load_plugins
from service_nb.core.words import describe_value, find_nearest
from service_nb.errors import InvalidIntentError


def run(arguments: argparse.Namespace) -> Reply:
    """Show a stored result."""
    with closing(service_nb.create_service(project=arguments.project)) as service:
        stored = service.get_result(arguments.id)
    if arguments.card:
        print(json.dumps(stored.card, ensure_ascii=False, indent=1, allow_nan=False))
        return Reply()
    if arguments.face is not None:
        print(find_face(arguments.face).write(compose_face(stored.card)))
        return Reply()
    width = measure_terminal()
    text = write_text([*compose_face(stored.card), Facts(tuple(_list_facts(stored)))], width)
    return Reply({"status": "ok", **stored, "card": stored.card, "texts": sorted(stored.texts)}, text)


def find_face(name: str) -> CardFace:
    """Find a face of this package or of another distribution; `invalid_intent` names the nearest one."""
    own = find_faces()
    found = own | load_plugins("service_nb.faces", CardFace, taken=own)
    if name in found:
        return found[name]
    close = find_nearest(name, tuple(found))
    raise InvalidIntentError(
        f"There is no face {describe_value(name)}.",
        hint=f"Did you mean {close[0]}?" if close else f"There are {', '.join(found)}.",
        path="--face",
        met=describe_value(name),
    )


def _list_facts(stored: StoredResult) -> Iterator[Fact]:
    yield Fact.from_texts("id", stored["id"])
    yield Fact.from_texts("time", stored["time"])
    place = stored["place"] or {}
    if place:
        yield Fact.from_texts("asked in", ", ".join(f"{name} {value}" for name, value in place.items()))
    for source in stored["inputs"]:
        yield Fact(label="made from", lines=tuple(_describe_input(source)))
    receipt = stored.card["receipt"]
    if receipt is None:
        yield Fact.from_texts("entry", f"number {stored['index'] + 1:,} of the ledger")
        yield Fact.from_texts("receipt", "none: there was no device key. Run `service-nb login` to make one.")
        return
    yield from _describe_receipt(receipt)


def _describe_input(source: Mapping[str, Any]) -> Iterator[tuple[TextSpan, ...]]:
    yield (
        TextSpan(f"{fmt.write_word(source['name'])} · {fmt.write_count(source['row_count'])} · "),
        TextSpan(source["source_id"], "code"),
    )
    origin = source["origin"]
    if origin is not None:
        yield (TextSpan(", ".join(f"{name} {value}" for name, value in origin.items())),)
    if source["reading"]:
        yield (TextSpan(f"read with {write_canonical_text(source['reading'])}"),)
    if source["content"].get("sha256"):
        yield (TextSpan(f"{source['content']['algorithm']} "), TextSpan(source["content"]["sha256"]))
    elif source["content"].get("algorithm") == "live":
        yield (TextSpan("live: its data may have changed since"),)


def _describe_receipt(receipt: Mapping[str, Any]) -> Iterator[Fact]:
    log, checkpoint = receipt["log"], receipt["log"]["checkpoint"].splitlines()
    yield Fact.from_texts("entry", f"number {log['index'] + 1:,} of the {log['size']:,} that the ledger had then")
    yield Fact.from_texts("ledger", checkpoint[0])
    yield Fact.from_texts("root", checkpoint[2])
    signatures = receipt["envelope"]["signatures"]
    yield Fact.from_texts("signed by", f"device {signatures[0]['keyid']}, public key {receipt['public_key']}")


VERB = Verb(
    run=run,
    options=(
        Option("id ID", "of a result, as cards and `service-nb log` show it"),
        PROJECT,
        Option("--face NAME", "print only the card, as html, markdown, latex, text, or by a plugin"),
        Option("--card", "print only the card, as JSON"),
    ),
)
