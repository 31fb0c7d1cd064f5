"""Every leaf of a real card altered, all hashes made to fit, and signed anew: by its author, or by anybody.

The card is a service's; hashes, statement, signatures and ledger are made by the simulator. Where a leaf stands in a
text that a statement repeats, the statement follows it, as one would who forges with care.
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.simulators import evidence as genuine
from tests.simulators.evidence import Key
from tests.simulators.mutants import at, put, without

Json = dict[str, Any]
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Altered:
    """A card in which one leaf is another. `path` starts with `view`, a text, `digests`, `receipt` or `statement`."""

    path: Path
    how: str
    card: Json

    @property
    def name(self) -> str:
        """The leaf without the numbers of items: `source.columns.name`."""
        return ".".join(str(step) for step in self.path if not isinstance(step, int))


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every leaf with its path; what is empty is one."""
    if isinstance(value, dict | list) and value:
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, key))
    else:
        yield path, value


def others(value: Any) -> Iterator[tuple[str, Any]]:
    """What may stand in the place of a leaf: another of its kind, and one of another kind."""
    if isinstance(value, bool):
        yield from (("turned", not value), ("of another kind", str(value)))
    elif isinstance(value, int | float):
        yield from (("more", value + max(1, abs(value))), ("of another kind", str(value)))
    elif isinstance(value, str):
        digit = "0" if value[-1:] != "0" else "1"
        yield from (("edited", value[:-1] + digit), ("longer", f"{value}9"), ("of another kind", None))
    elif value is None:
        yield "something", "9"
    else:
        yield "something in it", ["9"] if isinstance(value, list) else {"9": 9}


def edits(value: Any) -> Iterator[tuple[Path, str, Any]]:
    """Each leaf edited or taken out; in each object a key more, in each list its last item once more."""
    for path, leaf in leaves(value):
        if path:
            yield from ((path, how, put(value, path, other)) for how, other in others(leaf))
            yield path, "taken out", without(value, path)
    for path in _containers(value):
        held = at(value, path)
        if isinstance(held, dict):
            yield (*path, "approved"), "added", put(value, path, held | {"approved": True})
        elif held:
            yield (*path, len(held)), "doubled", put(value, path, [*held, held[-1]])


def _containers(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict | list):
        yield path
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _containers(each, (*path, key))


# --- a card, its hashes and its signature -----------------------------------------------------------------------------


def statement_of(card: Json) -> Json:
    """What is signed of a card."""
    return dict(json.loads(base64.b64decode(card["receipt"]["envelope"]["payload"])))


def rehashed(card: Json) -> Json:
    """The card with digests that fit; of a text that has no such part they are as they were."""
    kept = dict(card["digests"])
    try:
        return genuine.sealed(card)
    except (KeyError, TypeError, ValueError, AttributeError):
        view = card["view"]
        beside = {key: view[key] for key in view if key != "rows"}
        kept["view_hash"] = genuine.digest("service:view:v1", genuine.text(beside))
        if "rows" in view:
            kept["rows_hash"] = genuine.digest("service:rows:v1", genuine.text(view["rows"]))
        return card | {"digests": kept}


def signed(card: Json, statement: Json, key: Key) -> Json:
    """The card with a receipt of a ledger that holds nothing else."""
    payload = genuine.text(statement).encode()
    return card | {"receipt": genuine.Log(key, payloads=[payload]).receipt(0)}


def resigned(card: Json, statement: Json, key: Key) -> Json:
    """The card signed anew, its statement made to fit; who made the outcome, when and where stays as it was."""
    predicate = statement["predicate"] | {"digests": card["digests"]}
    try:
        how = genuine.value(card["canonical"].get("provenance", "{}"))
        for name, told in (("inputs", "sources"), ("bindings", "bindings"), ("determinism", "determinism")):
            predicate |= {name: how[told]} if told in how else {}
    except (TypeError, ValueError):
        pass  # there is no such provenance to follow
    hashes = {name: genuine.sha256(text.encode()).hex() for name, text in card["canonical"].items()}
    subject = [{"name": name, "digest": {"sha256": hashes[name]}} for name in sorted(hashes)]
    return signed(card, statement | {"subject": subject, "predicate": predicate}, key)


# --- every leaf -------------------------------------------------------------------------------------------------------


def of_views(card: Json, key: Key) -> Iterator[Altered]:
    """Each leaf of what is shown, hashed anew, and signed with a key."""
    for path, how, view in edits(card["view"]):
        made = rehashed(card | {"view": view})
        yield Altered(("view", *path), how, resigned(made, statement_of(card), key))


def of_texts(card: Json, key: Key) -> Iterator[Altered]:
    """Each leaf of each hashed text, hashed anew, and signed with a key."""
    for name in card["canonical"]:
        parsed = genuine.value(card["canonical"][name])
        found = edits(parsed) if isinstance(parsed, dict | list) else (((), how, each) for how, each in others(parsed))
        for path, how, text in found:
            if how == "taken out" and at(parsed, path) is None:
                continue  # what is null in a text is as what is not there
            made = rehashed(card | {"canonical": card["canonical"] | {name: genuine.text(text)}})
            yield Altered((name, *path), how, resigned(made, statement_of(card), key))
        bare = card | {"canonical": {each: card["canonical"][each] for each in card["canonical"] if each != name}}
        yield Altered((name,), "taken out", resigned(bare, statement_of(card), key))


def of_digests(card: Json, key: Key) -> Iterator[Altered]:
    """Each digest, and nothing else, signed with a key."""
    for path, how, digests in edits(card["digests"]):
        yield Altered(("digests", *path), how, resigned(card | {"digests": digests}, statement_of(card), key))


def of_statements(card: Json, key: Key) -> Iterator[Altered]:
    """Each leaf of what is signed, signed with a key."""
    for path, how, statement in edits(statement_of(card)):
        yield Altered(("statement", *path), how, signed(card, statement, key))


def of_receipts(card: Json) -> Iterator[Altered]:
    """Each leaf of a receipt, and of the card around it, as nobody can sign it."""
    for path, how, receipt in edits(card["receipt"]):
        yield Altered(("receipt", *path), how, card | {"receipt": receipt})
    for name in ("kind", "version"):
        for how, other in others(card[name]):
            yield Altered((name,), how, card | {name: other})


def unsigned(altered: Altered) -> Altered:
    """The same without a receipt."""
    return Altered(altered.path, altered.how, copy.copy(altered.card) | {"receipt": None})
